// All trajectories lie one behind the other in common datasets, with an index: a group per trial
// costs more time and more space than the numbers in it. Models of one run may differ (several
// objects); a body or joint that a trial's model does not have reads NaN.
#include "sampling/hdf5/bytes.h"
#include "sampling/store/layout.h"
#include "sampling/store/writer_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ROOT[] = "/trajectories";
enum { NAME_BYTES = 1024 };
#define ABSENT ((double)NAN) ///< a number of a body or joint that the model does not have

// ---- names of all models ----

typedef struct name_list {
    int count;
    const char *const *names;
} name_list;

typedef name_list (*name_getter)(const gmc_store_model *model);

static name_list bodies_of(const gmc_store_model *m)
{
    return (name_list){m->body_count, m->bodies};
}
static name_list joints_of(const gmc_store_model *m)
{
    return (name_list){m->joint_count, m->joints};
}
static name_list geoms_of(const gmc_store_model *m) { return (name_list){m->geom_count, m->geoms}; }

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static void names_free(gmc_writer_names *n, int model_count)
{
    for (int m = 0; n->local && m < model_count; m++)
        free(n->local[m]);
    free(n->local);
    free(n->names);
    *n = (gmc_writer_names){0};
}

static gmc_status names_collect(const gmc_store_plan *plan, name_getter get, gmc_writer_names *n)
{
    int most = 0;
    for (int m = 0; m < plan->model_count; m++)
        most += get(&plan->models[m]).count;
    n->names = calloc((size_t)most + 1, sizeof(char *));
    n->local = calloc((size_t)plan->model_count + 1, sizeof(int *));
    if (!n->names || !n->local) return GMC_E_MEMORY;
    for (int m = 0; m < plan->model_count; m++) {
        name_list list = get(&plan->models[m]);
        for (int i = 0; i < list.count; i++)
            if (find(n->names, n->count, list.names[i]) < 0) n->names[n->count++] = list.names[i];
    }
    for (int m = 0; m < plan->model_count; m++) {
        name_list list = get(&plan->models[m]);
        n->local[m] = malloc(((size_t)n->count + 1) * sizeof(int));
        if (!n->local[m]) return GMC_E_MEMORY;
        for (int i = 0; i < n->count; i++)
            n->local[m][i] = find(list.names, list.count, n->names[i]);
    }
    return GMC_OK;
}

/// A text that belongs to a name, from the first model that has it.
static const char *first_text(const gmc_store_plan *plan, const gmc_writer_names *n, int index,
                              const char *const *(*get)(const gmc_store_model *))
{
    for (int m = 0; m < plan->model_count; m++)
        if (n->local[m][index] >= 0) return get(&plan->models[m])[n->local[m][index]];
    return "";
}

static const char *const *joint_units_of(const gmc_store_model *m) { return m->joint_units; }
static const char *const *geom_bodies_of(const gmc_store_model *m) { return m->geom_bodies; }

// ---- datasets ----

/// What a reader needs to know about an array.
typedef struct about {
    const char *const *units; ///< one per column, or one for all
    int unit_count;
    const char *frame;   ///< NULL: none
    const char *columns; ///< names of the columns; NULL: one dimension
} about;

static gmc_status describe(gmc_h5 *h5, const char *name, const char *rows, const about *a)
{
    const char *dimensions[] = {rows, a->columns};
    GMC_TRY(gmc_h5_texts(h5, name, "units", a->units, a->unit_count));
    if (a->frame) GMC_TRY(gmc_h5_text(h5, name, "frame", a->frame));
    return gmc_h5_texts(h5, name, "dimensions", dimensions, a->columns ? 2 : 1);
}

static gmc_status open_array(gmc_h5 *h5, const char *name, gmc_h5_kind kind, uint64_t rows,
                             uint64_t columns, const char *row_name, const about *a,
                             gmc_h5_stream *stream)
{
    gmc_h5_field element = {.kind = kind};
    GMC_TRY(gmc_h5_stream_open(h5, name, &element, 0, rows, columns, stream));
    return describe(h5, name, row_name, a);
}

static gmc_status open_body(gmc_writer_paths *p, int i, const gmc_writer_source *source)
{
    static const char *const POSE[] = {"m", "m", "m", "1", "1", "1", "1"};
    static const char *const TWIST[] = {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"};
    static const char *const INERTIA[] = {"kg",    "m",     "m",     "m",     "kg m2",
                                          "kg m2", "kg m2", "kg m2", "kg m2", "kg m2"};
    const about pose = {POSE, GMC_COUNT(POSE), "world", "x y z qw qx qy qz"};
    const about twist = {TWIST, GMC_COUNT(TWIST), "world", "vx vy vz wx wy wz"};
    const about inertia = {INERTIA, GMC_COUNT(INERTIA), "body",
                           "mass cx cy cz Ixx Iyy Izz Ixy Ixz Iyz"};

    char folder[NAME_BYTES], name[NAME_BYTES + 16];
    if (!gmc_h5_link("/trajectories/bodies", p->bodies.names[i], folder, sizeof folder))
        return GMC_E_LIMIT;
    snprintf(name, sizeof name, "%s/pose", folder);
    GMC_TRY(open_array(p->h5, name, GMC_H5_F64, source->row_count, 7, "row", &pose, &p->pose[i]));
    GMC_TRY(gmc_h5_text(p->h5, name, "quaternion_order", "wxyz"));
    snprintf(name, sizeof name, "%s/twist", folder);
    GMC_TRY(open_array(p->h5, name, GMC_H5_F64, source->row_count, 6, "row", &twist, &p->twist[i]));
    snprintf(name, sizeof name, "%s/inertia", folder);
    return open_array(p->h5, name, GMC_H5_F64, source->trajectory_count, 10, "trajectory", &inertia,
                      &p->inertia[i]);
}

static gmc_status open_joints(gmc_writer_paths *p, const gmc_writer_source *source)
{
    int count = p->joints.count;
    const char **units = malloc(2 * ((size_t)count + 1) * sizeof(char *));
    if (!units) return GMC_E_MEMORY;
    const char **efforts = units + count + 1;
    for (int i = 0; i < count; i++) {
        units[i] = first_text(p->plan, &p->joints, i, joint_units_of);
        efforts[i] = strcmp(units[i], "m") == 0 ? "N" : "N m";
    }
    const about q = {units, count, NULL, "joint"}, effort = {efforts, count, NULL, "joint"};
    uint64_t T = source->row_count, n = (uint64_t)count;
    gmc_status status =
        open_array(p->h5, "/trajectories/joints/q", GMC_H5_F64, T, n, "row", &q, &p->q);
    if (status == GMC_OK)
        status = open_array(p->h5, "/trajectories/joints/effort", GMC_H5_F64, T, n, "row", &effort,
                            &p->effort);
    free(units);
    return status;
}

static gmc_status open_contacts(gmc_writer_paths *p, const gmc_writer_source *source)
{
    static const char *const NONE[] = {"1"}, *const METRE[] = {"m"}, *const NEWTON[] = {"N"};
    static const char *const MOMENT[] = {"N m"};
    const about start = {NONE, 1, NULL, NULL}, point = {METRE, 1, "world", "x y z"};
    const about normal = {NONE, 1, "world", "x y z"}, force = {NEWTON, 1, "world", "x y z"};
    const about torque = {MOMENT, 1, "world", "x y z"};
    const about geoms = {NONE, 1, NULL, "a b"};
    uint64_t C = source->contact_count;
    gmc_h5 *h5 = p->h5;
    GMC_TRY(open_array(h5, "/trajectories/contacts/start", GMC_H5_U64, source->row_count + 1,
                       GMC_H5_VECTOR, "row", &start, &p->start));
    GMC_TRY(open_array(h5, "/trajectories/contacts/point", GMC_H5_F64, C, 3, "contact", &point,
                       &p->point));
    GMC_TRY(open_array(h5, "/trajectories/contacts/normal", GMC_H5_F64, C, 3, "contact", &normal,
                       &p->normal));
    GMC_TRY(open_array(h5, "/trajectories/contacts/force", GMC_H5_F64, C, 3, "contact", &force,
                       &p->force));
    GMC_TRY(open_array(h5, "/trajectories/contacts/torque", GMC_H5_F64, C, 3, "contact", &torque,
                       &p->torque));
    return open_array(h5, "/trajectories/contacts/geoms", GMC_H5_I32, C, 2, "contact", &geoms,
                      &p->geom_pair);
}

/// A table of two texts per name.
static gmc_status write_names(gmc_writer_paths *p, const char *name, const gmc_writer_names *n,
                              const char *second,
                              const char *const *(*get)(const gmc_store_model *))
{
    size_t first_bytes = gmc_layout_text_bytes(n->names, n->count), second_bytes = 1;
    for (int i = 0; i < n->count; i++) {
        size_t bytes = strlen(first_text(p->plan, n, i, get));
        if (bytes > second_bytes) second_bytes = bytes;
    }
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, first_bytes},
                             {second, GMC_H5_TEXT, second_bytes}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)n->count, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < n->count; i++) {
        gmc_layout_put_text(row, n->names[i], first_bytes);
        gmc_layout_put_text(row, first_text(p->plan, n, i, get), second_bytes);
    }
    return gmc_layout_table_write(&table, p->h5, name);
}

/// Which bodies there are, and where.
static gmc_status write_bodies(gmc_writer_paths *p)
{
    size_t name_bytes = gmc_layout_text_bytes(p->bodies.names, p->bodies.count);
    size_t path_bytes = 2 * name_bytes + 16; // every component may get a %
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, name_bytes}, {"path", GMC_H5_TEXT, path_bytes}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)p->bodies.count, &table));
    gmc_status status = GMC_OK;
    for (int i = 0; i < p->bodies.count && status == GMC_OK; i++) {
        char path[NAME_BYTES];
        if (!gmc_h5_link("bodies", p->bodies.names[i], path, sizeof path)) status = GMC_E_LIMIT;
        gmc_layout_put_text(&table.rows, p->bodies.names[i], name_bytes);
        gmc_layout_put_text(&table.rows, path, path_bytes);
    }
    if (status == GMC_OK)
        status = gmc_layout_table_write(&table, p->h5, "/trajectories/body_names");
    gmc_layout_table_free(&table);
    return status;
}

gmc_status gmc_writer_paths_open(gmc_h5 *h5, const gmc_store_plan *plan,
                                 const gmc_writer_source *source, gmc_writer_paths *p)
{
    *p = (gmc_writer_paths){.h5 = h5, .plan = plan};
    GMC_TRY(names_collect(plan, bodies_of, &p->bodies));
    GMC_TRY(names_collect(plan, joints_of, &p->joints));
    GMC_TRY(names_collect(plan, geoms_of, &p->geoms));
    size_t bodies = (size_t)p->bodies.count + 1;
    p->pose = calloc(bodies, sizeof *p->pose);
    p->twist = calloc(bodies, sizeof *p->twist);
    p->inertia = calloc(bodies, sizeof *p->inertia);
    p->joint_row = calloc((size_t)p->joints.count + 1, sizeof *p->joint_row);
    if (!p->pose || !p->twist || !p->inertia || !p->joint_row) return GMC_E_MEMORY;

    static const char *const SECOND[] = {"s"};
    const about time = {SECOND, 1, NULL, NULL};
    GMC_TRY(gmc_h5_group(h5, ROOT));
    GMC_TRY(gmc_h5_text(h5, ROOT, "kept", plan->trajectories));
    GMC_TRY(gmc_h5_f64(h5, ROOT, "rate_hz", plan->rate_hz));
    GMC_TRY(gmc_h5_stream_open(h5, "/trajectories/index", gmc_layout_index_fields,
                               GMC_LAYOUT_INDEX_FIELDS, source->trajectory_count, GMC_H5_VECTOR,
                               &p->index));
    GMC_TRY(open_array(h5, "/trajectories/time", GMC_H5_F64, source->row_count, GMC_H5_VECTOR,
                       "row", &time, &p->time));
    GMC_TRY(gmc_h5_group(h5, "/trajectories/bodies"));
    GMC_TRY(write_bodies(p));
    for (int i = 0; i < p->bodies.count; i++)
        GMC_TRY(open_body(p, i, source));
    GMC_TRY(open_joints(p, source));
    GMC_TRY(write_names(p, "/trajectories/joints/names", &p->joints, "unit", joint_units_of));
    GMC_TRY(open_contacts(p, source));
    return write_names(p, "/trajectories/contacts/geom_names", &p->geoms, "body", geom_bodies_of);
}

// ---- rows ----

static gmc_status put_index(gmc_writer_paths *p, uint64_t trial, uint64_t rows, uint64_t contacts)
{
    unsigned char bytes[8 * GMC_LAYOUT_INDEX_FIELDS];
    gmc_layout_row row = {.bytes = bytes};
    gmc_layout_put_u64(&row, trial);
    gmc_layout_put_u64(&row, p->rows);
    gmc_layout_put_u64(&row, rows);
    gmc_layout_put_u64(&row, p->contacts);
    gmc_layout_put_u64(&row, contacts);
    return gmc_h5_stream_put(&p->index, bytes, 1);
}

/// Rows of one body out of an array (T, bodies, width); NaN where the model has no such body.
static gmc_status put_body(gmc_h5_stream *stream, const double *from, int rows, int bodies,
                           int width, int local)
{
    double nan_row[10];
    for (int k = 0; k < 10; k++)
        nan_row[k] = ABSENT;
    for (int r = 0; r < rows; r++) {
        const double *row = local < 0 ? nan_row : from + ((ptrdiff_t)r * bodies + local) * width;
        GMC_TRY(gmc_h5_stream_doubles(stream, row, 1));
    }
    return GMC_OK;
}

static gmc_status put_joints(gmc_writer_paths *p, gmc_h5_stream *stream, const double *from,
                             const gmc_trajectory *path, const int *local)
{
    for (int r = 0; r < path->row_count; r++) {
        for (int i = 0; i < p->joints.count; i++)
            p->joint_row[i] =
                local[i] < 0 ? ABSENT : from[(ptrdiff_t)r * path->joint_count + local[i]];
        GMC_TRY(gmc_h5_stream_doubles(stream, p->joint_row, 1));
    }
    return GMC_OK;
}

/// Index in the list of all geoms of geom `index` of a model, -1 if there is no such geom.
static int32_t global_geom(const gmc_writer_paths *p, int model, int32_t index)
{
    const gmc_store_model *m = &p->plan->models[model];
    if (index < 0 || index >= m->geom_count) return -1;
    return find(p->geoms.names, p->geoms.count, m->geoms[index]);
}

static gmc_status put_contacts(gmc_writer_paths *p, const gmc_trajectory *path, int model)
{
    uint64_t count = path->row_count > 0 ? path->contact_start[path->row_count] : 0;
    for (int r = 0; r < path->row_count; r++) {
        unsigned char bytes[8];
        gmc_bytes_put_u64(bytes, p->contacts + path->contact_start[r]);
        GMC_TRY(gmc_h5_stream_put(&p->start, bytes, 1));
    }
    GMC_TRY(gmc_h5_stream_doubles(&p->point, path->contact_point, count));
    GMC_TRY(gmc_h5_stream_doubles(&p->normal, path->contact_normal, count));
    GMC_TRY(gmc_h5_stream_doubles(&p->force, path->contact_force, count));
    GMC_TRY(gmc_h5_stream_doubles(&p->torque, path->contact_torque, count));
    for (uint64_t i = 0; i < count; i++) {
        unsigned char bytes[8];
        for (uint64_t k = 0; k < 2; k++)
            gmc_bytes_put_u32(bytes + 4 * k,
                              (uint32_t)global_geom(p, model, path->contact_geoms[2 * i + k]));
        GMC_TRY(gmc_h5_stream_put(&p->geom_pair, bytes, 1));
    }
    p->contacts += count;
    return GMC_OK;
}

gmc_status gmc_writer_paths_put(gmc_writer_paths *p, const gmc_trial *trial)
{
    const gmc_trajectory *path = trial->trajectory;
    if (!path) return GMC_OK;
    int model = p->plan->cases[trial->case_index].model;
    const gmc_store_model *m = &p->plan->models[model];
    if (path->body_count != m->body_count || path->joint_count != m->joint_count) {
        gmc_source source = {.file = p->h5->path};
        gmc_diagnostics_add(
            p->h5->messages, GMC_ERROR, GMC_E_INPUT, source, NULL,
            "the trajectory of trial %llu has other bodies or joints than its model",
            (unsigned long long)trial->trial);
        return GMC_E_INPUT;
    }
    uint64_t rows = (uint64_t)path->row_count;
    GMC_TRY(put_index(p, trial->trial, rows, rows > 0 ? path->contact_start[rows] : 0));
    GMC_TRY(gmc_h5_stream_doubles(&p->time, path->time, rows));
    for (int i = 0; i < p->bodies.count; i++) {
        int local = p->bodies.local[model][i];
        GMC_TRY(put_body(&p->pose[i], path->pose, path->row_count, m->body_count, 7, local));
        GMC_TRY(put_body(&p->twist[i], path->twist, path->row_count, m->body_count, 6, local));
        GMC_TRY(put_body(&p->inertia[i], path->inertia, 1, m->body_count, 10, local));
    }
    GMC_TRY(put_joints(p, &p->q, path->q, path, p->joints.local[model]));
    GMC_TRY(put_joints(p, &p->effort, path->effort, path, p->joints.local[model]));
    GMC_TRY(put_contacts(p, path, model));
    p->rows += rows;
    return GMC_OK;
}

// ---- end ----

static void close_into(gmc_h5_stream *stream, gmc_status *status)
{
    gmc_status closed = gmc_h5_stream_close(stream);
    if (*status == GMC_OK) *status = closed;
}

gmc_status gmc_writer_paths_close(gmc_writer_paths *p)
{
    if (!p->h5) return GMC_OK;
    gmc_status status = GMC_OK;
    if (p->start.h5 && p->start.next + 1 == p->start.rows) {
        unsigned char bytes[8];
        gmc_bytes_put_u64(bytes, p->contacts);
        status = gmc_h5_stream_put(&p->start, bytes, 1);
    }
    close_into(&p->index, &status);
    close_into(&p->time, &status);
    bool has_bodies = p->pose && p->twist && p->inertia;
    for (int i = 0; has_bodies && i < p->bodies.count; i++) {
        close_into(&p->pose[i], &status);
        close_into(&p->twist[i], &status);
        close_into(&p->inertia[i], &status);
    }
    gmc_h5_stream *rest[] = {&p->q,      &p->effort, &p->start,  &p->point,
                             &p->normal, &p->force,  &p->torque, &p->geom_pair};
    for (int i = 0; i < GMC_COUNT(rest); i++)
        close_into(rest[i], &status);
    names_free(&p->bodies, p->plan->model_count);
    names_free(&p->joints, p->plan->model_count);
    names_free(&p->geoms, p->plan->model_count);
    free(p->pose);
    free(p->twist);
    free(p->inertia);
    free(p->joint_row);
    *p = (gmc_writer_paths){0};
    return status;
}
