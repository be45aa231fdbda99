// One pass over the trials in the order of their numbers. Everything is checked on the way, and
// once more by reading the closed file back, because a file that looks whole and is not would be
// believed.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/writer.h"

#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/record.h"
#include "sampling/store/summary.h"
#include "sampling/store/version.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- cases ----

// Columns about grasps are there only where a study varies them, so that files
// of all other runs are what they were.

/// Sizes of the texts.
typedef struct widths {
    size_t object, grasp, file;
} widths;

/// Room for a text in the field of a table.
static void widen(size_t *width, const char *text)
{
    if (text && strlen(text) > *width) *width = strlen(text);
}

static widths widths_of(const gmc_store_plan *plan)
{
    widths w = {1, 1, 1};
    for (int i = 0; i < plan->case_count; i++) {
        widen(&w.object, plan->cases[i].object);
        widen(&w.grasp, plan->cases[i].grasp);
        widen(&w.file, plan->cases[i].grasp_file);
    }
    return w;
}

static int name_fields(const gmc_store_plan *plan, const widths *w, gmc_h5_field *fields)
{
    int count = 0;
    fields[count++] = (gmc_h5_field){"case", GMC_H5_U32, 0};
    fields[count++] = (gmc_h5_field){"object", GMC_H5_TEXT, w->object};
    if (plan->case_count > 0 && plan->cases[0].grasp) {
        fields[count++] = (gmc_h5_field){"grasp", GMC_H5_TEXT, w->grasp};
        fields[count++] = (gmc_h5_field){"file", GMC_H5_TEXT, w->file};
        fields[count++] = (gmc_h5_field){"row", GMC_H5_U32, 0};
        fields[count++] = (gmc_h5_field){"confidence", GMC_H5_F64, 0};
    }
    for (int k = 0; k < plan->parameter_count; k++)
        if (plan->parameters[k].is_studied)
            fields[count++] = (gmc_h5_field){plan->parameters[k].name, GMC_H5_F64, 0};
    return count;
}

static void put_case(const gmc_store_plan *plan, int index, const widths *w, gmc_layout_row *row)
{
    const gmc_store_case *c = &plan->cases[index];
    gmc_layout_put_u32(row, (uint32_t)index);
    gmc_layout_put_text(row, c->object, w->object);
    if (plan->cases[0].grasp) {
        gmc_layout_put_text(row, c->grasp, w->grasp);
        gmc_layout_put_text(row, c->grasp_file, w->file);
        gmc_layout_put_u32(row, (uint32_t)c->grasp_row);
        gmc_layout_put_f64(row, c->grasp_confidence);
    }
    for (int k = 0; k < plan->parameter_count; k++)
        if (plan->parameters[k].is_studied) gmc_layout_put_f64(row, c->values[k]);
}

static gmc_status write_cases(gmc_h5 *h5, const gmc_store_plan *plan)
{
    enum { FIXED = 6 };
    widths w = widths_of(plan);
    gmc_h5_field *fields = calloc((size_t)plan->parameter_count + FIXED, sizeof *fields);
    if (!fields) return GMC_E_MEMORY;
    gmc_layout_table table;
    gmc_status status = gmc_layout_table_start(fields, name_fields(plan, &w, fields),
                                               (uint64_t)plan->case_count, &table);
    if (status == GMC_OK) {
        for (int i = 0; i < plan->case_count; i++)
            put_case(plan, i, &w, &table.rows);
        status = gmc_layout_table_write(&table, h5, "/cases");
    }
    free(fields);
    return status;
}

// ---- trajectories ----

// All trajectories lie one behind the other in common datasets, with an index: a group per trial
// costs more time and more space than the numbers in it. Models of one run may differ (several
// objects); a body or joint that a trial's model does not have reads NaN.

/// Names of all models in one list, in the order of their first appearance; and where each model
/// has them.
typedef struct model_names {
    const char **names; ///< (count)
    int count;
    int **local; ///< (model_count) x (count): index in that model, -1: it has none
} model_names;

/// The dataset of an array, or of what it has of a body.
typedef struct trajectory_stream {
    const gmc_trajectory_array *array;
    int body; ///< -1: it is of no body
    gmc_h5_stream stream;
} trajectory_stream;

/// The datasets of /trajectories while they are filled.
typedef struct trajectory_streams {
    gmc_h5 *h5;
    const gmc_store_plan *plan;
    model_names bodies, joints, geoms;
    gmc_h5_stream index;
    trajectory_stream *arrays; ///< (array_count) in the order of the file
    int array_count;
    uint64_t rows, contacts; ///< so far
    double *entry;           ///< of a body, or of all joints
} trajectory_streams;

static const char ROOT[] = "/trajectories";
#define ABSENT ((double)NAN) ///< a number of a body or joint that the model does not have

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

static void names_free(model_names *n, int model_count)
{
    for (int m = 0; n->local && m < model_count; m++)
        free(n->local[m]);
    free(n->local);
    free(n->names);
    *n = (model_names){0};
}

static gmc_status names_collect(const gmc_store_plan *plan, name_getter get, model_names *n)
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
static const char *first_text(const gmc_store_plan *plan, const model_names *n, int index,
                              const char *const *(*get)(const gmc_store_model *))
{
    for (int m = 0; m < plan->model_count; m++)
        if (n->local[m][index] >= 0) return get(&plan->models[m])[n->local[m][index]];
    return "";
}

static const char *const *joint_units_of(const gmc_store_model *m) { return m->joint_units; }
static const char *const *geom_bodies_of(const gmc_store_model *m) { return m->geom_bodies; }

/// One text for all columns, one for each, or one for each joint.
static gmc_status write_units(trajectory_streams *p, const gmc_trajectory_array *array,
                              const char *name)
{
    int count = 0;
    while (count < GMC_TRAJECTORY_WIDTH_MAX && array->units[count])
        count++;
    if (!gmc_trajectory_is_of_joints(array))
        return gmc_h5_texts(p->h5, name, "units", array->units, count);
    const char **units = malloc(((size_t)p->joints.count + 1) * sizeof(char *));
    if (!units) return GMC_E_MEMORY;
    for (int i = 0; i < p->joints.count; i++) {
        bool slides = strcmp(first_text(p->plan, &p->joints, i, joint_units_of), "m") == 0;
        units[i] = array->units[slides ? 0 : 1];
    }
    gmc_status status = gmc_h5_texts(p->h5, name, "units", units, p->joints.count);
    free(units);
    return status;
}

/// What a reader needs to know about an array.
static gmc_status describe(trajectory_streams *p, const gmc_trajectory_array *array,
                           const char *name)
{
    const char *dimensions[] = {array->per == GMC_TRAJECTORY_CONTACT ? "contact"
                                : array->per == GMC_TRAJECTORY_BODY  ? "trajectory"
                                                                     : "row",
                                gmc_trajectory_is_of_joints(array) ? "joint" : array->columns};
    GMC_TRY(write_units(p, array, name));
    if (array->frame) GMC_TRY(gmc_h5_text(p->h5, name, "frame", array->frame));
    GMC_TRY(gmc_h5_texts(p->h5, name, "dimensions", dimensions, dimensions[1] ? 2 : 1));
    bool has_quaternion = array->columns && strstr(array->columns, "qw qx qy qz");
    return has_quaternion ? gmc_h5_text(p->h5, name, "quaternion_order", "wxyz") : GMC_OK;
}

static gmc_status open_array(trajectory_streams *p, const gmc_writer_source *source,
                             trajectory_stream *a)
{
    char name[GMC_LAYOUT_NAME_BYTES];
    const gmc_trajectory_array *array = a->array;
    if (!gmc_layout_array_name(array, a->body < 0 ? NULL : p->bodies.names[a->body], name))
        return GMC_E_LIMIT;
    gmc_h5_field element = {.kind = gmc_layout_array_kind(array->kind)};
    uint64_t columns = gmc_layout_array_columns(array, (uint64_t)p->joints.count);
    uint64_t rows = array->per == GMC_TRAJECTORY_CONTACT     ? source->contact_count
                    : array->per == GMC_TRAJECTORY_BODY      ? source->trajectory_count
                    : array->per == GMC_TRAJECTORY_ROW_START ? source->row_count + 1
                                                             : source->row_count;
    const gmc_h5_shape shape = {&element, 0, rows, columns};
    GMC_TRY(gmc_h5_stream_open(p->h5, name, &shape, &a->stream));
    return describe(p, array, name);
}

/// Of all arrays that there is one of for each `per`, in the order of the list.
static gmc_status open_arrays(trajectory_streams *p, const gmc_writer_source *source,
                              gmc_trajectory_per per, int body)
{
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        if (gmc_trajectory_arrays[i].per != per) continue;
        trajectory_stream *a = &p->arrays[p->array_count++];
        *a = (trajectory_stream){.array = &gmc_trajectory_arrays[i], .body = body};
        GMC_TRY(open_array(p, source, a));
    }
    return GMC_OK;
}

/// Longest of `count` texts, at least 1: the size of a text field.
static size_t text_bytes(const char *const *texts, int count)
{
    size_t bytes = 1;
    for (int i = 0; i < count; i++)
        widen(&bytes, texts[i]);
    return bytes;
}

/// A table of two texts per name.
static gmc_status write_names(trajectory_streams *p, const char *name, const model_names *n,
                              const char *second,
                              const char *const *(*get)(const gmc_store_model *))
{
    size_t first_bytes = text_bytes(n->names, n->count), second_bytes = 1;
    for (int i = 0; i < n->count; i++) {
        widen(&second_bytes, first_text(p->plan, n, i, get));
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
static gmc_status write_bodies(trajectory_streams *p)
{
    size_t name_bytes = text_bytes(p->bodies.names, p->bodies.count);
    size_t path_bytes = 2 * name_bytes + 16; // every component may get a %
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, name_bytes}, {"path", GMC_H5_TEXT, path_bytes}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)p->bodies.count, &table));
    gmc_status status = GMC_OK;
    for (int i = 0; i < p->bodies.count && status == GMC_OK; i++) {
        char path[GMC_LAYOUT_NAME_BYTES];
        if (!gmc_h5_link("bodies", p->bodies.names[i], path, sizeof path)) status = GMC_E_LIMIT;
        gmc_layout_put_text(&table.rows, p->bodies.names[i], name_bytes);
        gmc_layout_put_text(&table.rows, path, path_bytes);
    }
    if (status == GMC_OK)
        status = gmc_layout_table_write(&table, p->h5, "/trajectories/body_names");
    gmc_layout_table_free(&table);
    return status;
}

static gmc_status open_trajectories(gmc_h5 *h5, const gmc_store_plan *plan,
                                    const gmc_writer_source *source, trajectory_streams *p)
{
    *p = (trajectory_streams){.h5 = h5, .plan = plan};
    GMC_TRY(names_collect(plan, bodies_of, &p->bodies));
    GMC_TRY(names_collect(plan, joints_of, &p->joints));
    GMC_TRY(names_collect(plan, geoms_of, &p->geoms));
    size_t joints = (size_t)p->joints.count, bodies = (size_t)p->bodies.count;
    size_t entry = joints > GMC_TRAJECTORY_WIDTH_MAX ? joints : GMC_TRAJECTORY_WIDTH_MAX;
    p->arrays = calloc(GMC_TRAJECTORY_ARRAY_COUNT * (bodies + 1), sizeof *p->arrays);
    p->entry = calloc(entry, sizeof *p->entry);
    if (!p->arrays || !p->entry) return GMC_E_MEMORY;

    GMC_TRY(gmc_h5_group(h5, ROOT));
    GMC_TRY(gmc_h5_text(h5, ROOT, "kept", plan->trajectories));
    GMC_TRY(gmc_h5_f64(h5, ROOT, "rate_hz", plan->rate_hz));
    if (plan->has_actions) GMC_TRY(gmc_h5_text(h5, ROOT, "actions", "joints/action"));
    if (plan->has_pushes) GMC_TRY(gmc_h5_text(h5, ROOT, "pushes", "bodies/<body>/action"));
    const gmc_h5_shape index = {gmc_layout_index_fields, GMC_LAYOUT_INDEX_FIELDS,
                                source->trajectory_count, GMC_H5_VECTOR};
    GMC_TRY(gmc_h5_stream_open(h5, "/trajectories/index", &index, &p->index));
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW, -1));
    GMC_TRY(gmc_h5_group(h5, "/trajectories/bodies"));
    GMC_TRY(write_bodies(p));
    for (int i = 0; i < p->bodies.count; i++) {
        GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_BODY, i));
        GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_BODY, i));
        if (plan->has_pushes) GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_PUSH, i));
    }
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_JOINT, -1));
    if (plan->has_actions) GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_ACTION, -1));
    GMC_TRY(write_names(p, "/trajectories/joints/names", &p->joints, "unit", joint_units_of));
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_START, -1));
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_CONTACT, -1));
    return write_names(p, "/trajectories/contacts/geom_names", &p->geoms, "body", geom_bodies_of);
}

static gmc_status put_index(trajectory_streams *p, uint64_t trial, uint64_t rows, uint64_t contacts)
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

/// Entries of one body, or of all joints, out of an array (rows, there, width); NaN where the model
/// has no such body or joint.
/// @param local  (count) which of those `there` are in the model they are; -1: none
static gmc_status put_those(trajectory_streams *p, trajectory_stream *a, const double *from,
                            const int *local, int count, const gmc_trajectory_shape *shape)
{
    bool is_of_joints = gmc_trajectory_is_of_joints(a->array);
    int there = is_of_joints ? shape->joint_count : shape->body_count, width = a->array->width;
    int rows = a->array->per == GMC_TRAJECTORY_BODY ? 1 : shape->row_count;
    for (ptrdiff_t r = 0; r < rows; r++) {
        double *to = p->entry;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < width; k++)
                *to++ = local[i] < 0 ? ABSENT : from[(r * there + local[i]) * width + k];
        GMC_TRY(gmc_h5_stream_doubles(&a->stream, p->entry, 1));
    }
    return GMC_OK;
}

/// Index in the list of all geoms of geom `index` of a model, -1 if there is no such geom.
static int32_t global_geom(const trajectory_streams *p, int model, int32_t index)
{
    const gmc_store_model *m = &p->plan->models[model];
    if (index < 0 || index >= m->geom_count) return -1;
    return find(p->geoms.names, p->geoms.count, m->geoms[index]);
}

static gmc_status put_starts(trajectory_streams *p, gmc_h5_stream *stream, const uint32_t *starts,
                             int rows)
{
    for (int r = 0; r < rows; r++) {
        unsigned char bytes[8];
        gmc_bytes_put_u64(bytes, p->contacts + starts[r]);
        GMC_TRY(gmc_h5_stream_put(stream, bytes, 1));
    }
    return GMC_OK;
}

static gmc_status put_geoms(trajectory_streams *p, trajectory_stream *a, int model,
                            const int32_t *geoms, int contacts)
{
    for (int c = 0; c < contacts; c++) {
        unsigned char bytes[4 * GMC_TRAJECTORY_WIDTH_MAX];
        for (int k = 0; k < a->array->width; k++)
            gmc_bytes_put_u32(bytes + 4 * k, (uint32_t)global_geom(p, model, *geoms++));
        GMC_TRY(gmc_h5_stream_put(&a->stream, bytes, 1));
    }
    return GMC_OK;
}

static gmc_status put_array(trajectory_streams *p, trajectory_stream *a, const gmc_trajectory *path,
                            int model)
{
    const gmc_trajectory_shape shape = gmc_trajectory_shape_of(path);
    const void *numbers = gmc_trajectory_numbers(path, a->array);
    switch (a->array->per) {
    case GMC_TRAJECTORY_ROW:
        return gmc_h5_stream_doubles(&a->stream, numbers, (uint64_t)shape.row_count);
    case GMC_TRAJECTORY_BODY:
    case GMC_TRAJECTORY_ROW_BODY:
    case GMC_TRAJECTORY_ROW_PUSH:
        return put_those(p, a, numbers, &p->bodies.local[model][a->body], 1, &shape);
    case GMC_TRAJECTORY_ROW_JOINT:
    case GMC_TRAJECTORY_ROW_ACTION:
        return put_those(p, a, numbers, p->joints.local[model], p->joints.count, &shape);
    case GMC_TRAJECTORY_ROW_START:
        return put_starts(p, &a->stream, numbers, shape.row_count);
    case GMC_TRAJECTORY_CONTACT:
        if (a->array->kind == GMC_TRAJECTORY_GEOM)
            return put_geoms(p, a, model, numbers, shape.contact_count);
        return gmc_h5_stream_doubles(&a->stream, numbers, (uint64_t)shape.contact_count);
    case GMC_TRAJECTORY_PER_COUNT:
        break;
    }
    return GMC_OK;
}

static gmc_status put_trajectory(trajectory_streams *p, const gmc_trial *trial)
{
    const gmc_trajectory *path = trial->trajectory;
    if (!path) return GMC_OK;
    int model = p->plan->cases[trial->case_index].model;
    const gmc_store_model *m = &p->plan->models[model];
    if (path->body_count != m->body_count || path->joint_count != m->joint_count ||
        path->has_actions != p->plan->has_actions || path->has_pushes != p->plan->has_pushes) {
        gmc_source source = {.file = p->h5->path};
        gmc_diagnostics_add(
            p->h5->messages, GMC_E_INPUT, source, NULL,
            "the trajectory of trial %llu has other bodies or joints than its model",
            (unsigned long long)trial->trial);
        return GMC_E_INPUT;
    }
    gmc_trajectory_shape shape = gmc_trajectory_shape_of(path);
    GMC_TRY(put_index(p, trial->trial, (uint64_t)shape.row_count, (uint64_t)shape.contact_count));
    for (int i = 0; i < p->array_count; i++)
        GMC_TRY(put_array(p, &p->arrays[i], path, model));
    p->rows += (uint64_t)shape.row_count;
    p->contacts += (uint64_t)shape.contact_count;
    return GMC_OK;
}

static void close_into(gmc_h5_stream *stream, gmc_status *status)
{
    gmc_status closed = gmc_h5_stream_close(stream);
    if (*status == GMC_OK) *status = closed;
}

static gmc_status close_trajectories(trajectory_streams *p)
{
    if (!p->h5) return GMC_OK;
    gmc_status status = GMC_OK;
    const uint32_t end = 0; // of the last row: no trial is left to put it as the start of its first
    for (int i = 0; i < p->array_count; i++) {
        trajectory_stream *a = &p->arrays[i];
        bool is_short = a->array->kind == GMC_TRAJECTORY_OFFSET && a->stream.h5 &&
                        a->stream.next + 1 == a->stream.rows;
        if (is_short) status = put_starts(p, &a->stream, &end, 1);
    }
    close_into(&p->index, &status);
    for (int i = 0; i < p->array_count; i++)
        close_into(&p->arrays[i].stream, &status);
    names_free(&p->bodies, p->plan->model_count);
    names_free(&p->joints, p->plan->model_count);
    names_free(&p->geoms, p->plan->model_count);
    free(p->arrays);
    free(p->entry);
    *p = (trajectory_streams){0};
    return status;
}

typedef struct writer {
    const gmc_store_plan *plan;
    const gmc_writer_source *source;
    const atomic_bool *stop;
    gmc_h5 h5;
    gmc_h5_stream trials, samples;
    trajectory_streams paths;
    gmc_summary summary;
    gmc_trial_copy trial;
    unsigned char *row; ///< one row of /trials, then one of /samples
    gmc_sha256 content;
} writer;

static bool is_stopped(const void *context)
{
    const writer *w = context;
    return w->stop && atomic_load(w->stop);
}

/// Rows of /trials.
static uint64_t trial_count(const writer *w)
{
    return gmc_store_plan_is_sparse(w->plan) ? w->source->trial_count : w->plan->count;
}

// ---- what is known before the trials ----

static gmc_status write_root(gmc_h5 *h5, const gmc_store_plan *plan, uint64_t trial_count)
{
    GMC_TRY(gmc_h5_text(h5, "/", "schema", GMC_LAYOUT_SCHEMA));
    GMC_TRY(gmc_h5_u64(h5, "/", "schema_version", GMC_LAYOUT_VERSION));
    GMC_TRY(gmc_h5_text(h5, "/", "scenario_digest", plan->digest.hex));
    GMC_TRY(gmc_h5_u64(h5, "/", "trial_first", plan->first));
    GMC_TRY(gmc_h5_u64(h5, "/", "trial_count", trial_count));
    GMC_TRY(gmc_h5_u64(h5, "/", "trial_total", plan->total));
    const gmc_store_method *method = gmc_store_method_of(plan);
    if (method->write_root) GMC_TRY(method->write_root(h5, plan));
    char stop[GMC_STOP_TEXT_MAX];
    if (plan->stop.kind != GMC_STOP_NEVER)
        GMC_TRY(gmc_h5_text(h5, "/", "stop_rule", gmc_stop_text(plan->stop, stop)));
    if (plan->stop.kind != GMC_STOP_NEVER)
        GMC_TRY(gmc_h5_f64(h5, "/", "stop_level", plan->stop_level));
    if (plan->completed) GMC_TRY(gmc_h5_text(h5, "/", "completed", plan->completed));
    if (plan->shard_count == 0) return GMC_OK;
    char shard[32];
    snprintf(shard, sizeof shard, "%d/%d", plan->shard, plan->shard_count);
    return gmc_h5_text(h5, "/", "shard", shard);
}

static gmc_status write_provenance(gmc_h5 *h5, const gmc_store_plan *plan)
{
    static const char group[] = "/provenance";
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_text(h5, group, "program", "graspmc"));
    GMC_TRY(gmc_h5_text(h5, group, "version", gmc_version_program()));
    GMC_TRY(gmc_h5_text(h5, group, "commit", gmc_version_commit()));
    GMC_TRY(gmc_h5_text(h5, group, "compiler", gmc_version_compiler()));
    GMC_TRY(gmc_h5_text(h5, group, "flags", gmc_version_flags()));
    GMC_TRY(gmc_h5_text(h5, group, "libraries", gmc_version_libraries()));
    GMC_TRY(gmc_h5_text(h5, group, "generator", "philox4x64-10"));
    GMC_TRY(gmc_h5_text(h5, group, "design", plan->design));
    return gmc_h5_u64(h5, group, "seed", plan->seed);
}

/// Files one behind the other, and a table that says which is where.
static gmc_status write_assets(gmc_h5 *h5, const gmc_store_plan *plan)
{
    size_t name_bytes = 1, total = 0;
    for (int i = 0; i < plan->asset_count; i++) {
        widen(&name_bytes, plan->assets[i].name);
        total += plan->assets[i].size;
    }
    const gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, name_bytes},
                                   {"sha256", GMC_H5_TEXT, 64},
                                   {"offset", GMC_H5_U64, 0},
                                   {"size", GMC_H5_U64, 0},
                                   {"is_scenario", GMC_H5_U8, 0}};
    const gmc_h5_field byte = {.kind = GMC_H5_U8};
    const gmc_h5_shape shape = {&byte, 0, total, GMC_H5_VECTOR};
    gmc_layout_table index;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)plan->asset_count, &index));
    gmc_h5_stream stream;
    gmc_status status = gmc_h5_stream_open(h5, "/scenario/assets/bytes", &shape, &stream);
    uint64_t offset = 0;
    for (int i = 0; i < plan->asset_count && status == GMC_OK; i++) {
        const gmc_asset *asset = &plan->assets[i];
        gmc_layout_put_text(&index.rows, asset->name, name_bytes);
        gmc_layout_put_text(&index.rows, asset->digest.hex, 64);
        gmc_layout_put_u64(&index.rows, offset);
        gmc_layout_put_u64(&index.rows, asset->size);
        gmc_layout_put_u8(&index.rows, asset->is_scenario);
        status = gmc_h5_stream_put(&stream, asset->bytes, asset->size);
        offset += asset->size;
    }
    if (status != GMC_OK) gmc_h5_abandon(h5);
    gmc_status closed = gmc_h5_stream_close(&stream);
    if (status == GMC_OK) status = closed;
    if (status == GMC_OK) status = gmc_layout_table_write(&index, h5, "/scenario/assets/index");
    gmc_layout_table_free(&index);
    return status;
}

static gmc_status write_scenario(gmc_h5 *h5, const gmc_store_plan *plan)
{
    GMC_TRY(gmc_h5_group(h5, "/scenario"));
    GMC_TRY(gmc_h5_stream_scalar_text(h5, "/scenario/text", plan->text));
    GMC_TRY(gmc_h5_stream_scalar_text(h5, "/scenario/expanded", plan->expanded));
    GMC_TRY(gmc_h5_group(h5, "/scenario/assets"));
    return write_assets(h5, plan);
}

static gmc_status write_parameters(gmc_h5 *h5, const gmc_store_plan *plan)
{
    size_t name = 1, distribution = 1, unit = 1;
    for (int i = 0; i < plan->parameter_count; i++) {
        widen(&name, plan->parameters[i].name);
        widen(&distribution, plan->parameters[i].distribution);
        widen(&unit, plan->parameters[i].unit);
    }
    const gmc_h5_field fields[] = {
        {"name", GMC_H5_TEXT, name}, {"distribution", GMC_H5_TEXT, distribution},
        {"unit", GMC_H5_TEXT, unit}, {"lower", GMC_H5_F64, 0},
        {"upper", GMC_H5_F64, 0},    {"studied", GMC_H5_U8, 0}};
    gmc_layout_table table;
    GMC_TRY(
        gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)plan->parameter_count, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < plan->parameter_count; i++) {
        const gmc_store_parameter *p = &plan->parameters[i];
        gmc_layout_put_text(row, p->name, name);
        gmc_layout_put_text(row, p->distribution, distribution);
        gmc_layout_put_text(row, p->unit, unit);
        gmc_layout_put_f64(row, p->lower);
        gmc_layout_put_f64(row, p->upper);
        gmc_layout_put_u8(row, p->is_studied);
    }
    return gmc_layout_table_write(&table, h5, "/parameters");
}

static gmc_status write_columns(gmc_h5 *h5, const gmc_store_plan *plan)
{
    size_t name = 1, unit = 1, about = 1;
    for (int i = 0; i < plan->column_count; i++) {
        widen(&name, plan->columns[i].name);
        widen(&unit, plan->columns[i].unit);
        widen(&about, plan->columns[i].about);
    }
    const gmc_h5_field fields[] = {
        {"name", GMC_H5_TEXT, name}, {"unit", GMC_H5_TEXT, unit}, {"about", GMC_H5_TEXT, about}};
    gmc_layout_table table;
    GMC_TRY(
        gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)plan->column_count, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < plan->column_count; i++) {
        gmc_layout_put_text(row, plan->columns[i].name, name);
        gmc_layout_put_text(row, plan->columns[i].unit, unit);
        gmc_layout_put_text(row, plan->columns[i].about, about);
    }
    return gmc_layout_table_write(&table, h5, "/columns");
}

// ---- trials ----

/// How a measure column is stored.
static gmc_h5_kind column_kind(gmc_column_kind kind)
{
    switch (kind) {
    case GMC_COLUMN_REAL:
        return GMC_H5_F64;
    case GMC_COLUMN_INTEGER:
        return GMC_H5_I64;
    case GMC_COLUMN_FLAG:
        return GMC_H5_U8;
    }
    return GMC_H5_F64;
}

static gmc_status open_trials(writer *w)
{
    const gmc_store_plan *plan = w->plan;
    int count = GMC_TRIAL_FIELD_COUNT + plan->column_count;
    gmc_h5_field *fields = malloc((size_t)count * sizeof *fields);
    const char **units = malloc((size_t)count * sizeof(char *));
    gmc_status status = fields && units ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) {
        memcpy(fields, gmc_layout_trial_fields, sizeof gmc_layout_trial_fields);
        for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++)
            units[i] = gmc_trial_fields[i].unit;
        for (int i = 0; i < plan->column_count; i++) {
            const gmc_column *c = &plan->columns[i];
            fields[GMC_TRIAL_FIELD_COUNT + i] = (gmc_h5_field){c->name, column_kind(c->kind), 0};
            units[GMC_TRIAL_FIELD_COUNT + i] = c->unit;
        }
        const gmc_h5_shape shape = {fields, count, trial_count(w), GMC_H5_VECTOR};
        status = gmc_h5_stream_open(&w->h5, "/trials", &shape, &w->trials);
    }
    if (status == GMC_OK) status = gmc_h5_texts(&w->h5, "/trials", "units", units, count);
    free(fields);
    free(units);
    GMC_TRY(status);
    GMC_TRY(gmc_h5_texts(&w->h5, "/trials", "phases", plan->phases, plan->phase_count));
    w->row = malloc(w->trials.row_bytes + 8 * (size_t)plan->parameter_count);
    if (!w->row) return GMC_E_MEMORY;

    const gmc_h5_field number = {.kind = GMC_H5_F64};
    static const char *const dimensions[] = {"trial", "parameter"};
    const gmc_h5_shape shape = {&number, 0, trial_count(w), (uint64_t)plan->parameter_count};
    GMC_TRY(gmc_h5_stream_open(&w->h5, "/samples", &shape, &w->samples));
    return gmc_h5_texts(&w->h5, "/samples", "dimensions", dimensions, 2);
}

/// A measure in the kind of its column: integers are truncated (INT64_MIN for what is no number),
/// flags are 0 or 1.
static void put_value(gmc_layout_row *row, gmc_column_kind kind, double value)
{
    switch (kind) {
    case GMC_COLUMN_REAL:
        gmc_layout_put_f64(row, value);
        return;
    case GMC_COLUMN_INTEGER: {
        // 2^63 is the first double that does not fit
        bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
        gmc_layout_put_u64(row, (uint64_t)(fits ? (int64_t)value : INT64_MIN));
        return;
    }
    case GMC_COLUMN_FLAG:
        gmc_layout_put_u8(row, value < 0.0 || value > 0.0 ? 1u : 0u);
        return;
    }
}

/// The fields before its measures.
static void put_fields(gmc_layout_row *row, const gmc_trial *trial)
{
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        size_t bytes = gmc_h5_type_bytes(&gmc_layout_trial_fields[i]);
        gmc_record_put_field(trial, &gmc_trial_fields[i], bytes, row->bytes + row->used);
        row->used += bytes;
    }
}

static gmc_status put_row(writer *w)
{
    const gmc_trial *t = &w->trial.trial;
    gmc_layout_row row = {.bytes = w->row};
    put_fields(&row, t);
    for (int i = 0; i < w->plan->column_count; i++)
        put_value(&row, w->plan->columns[i].kind, t->values[i]);
    for (int i = 0; i < w->plan->parameter_count; i++)
        gmc_layout_put_f64(&row, t->samples[i]);
    gmc_sha256_add(&w->content, w->row, row.used);
    GMC_TRY(gmc_h5_stream_put(&w->trials, w->row, 1));
    return gmc_h5_stream_put(&w->samples, w->row + w->trials.row_bytes, 1);
}

static gmc_status refuse_trial(writer *w, uint64_t number)
{
    gmc_source source = {.file = w->h5.path};
    gmc_diagnostics_add(w->h5.messages, GMC_E_INPUT, source, NULL,
                        "the record of trial %llu does not fit this run",
                        (unsigned long long)number);
    return GMC_E_INPUT;
}

static gmc_status put_trial(writer *w, uint64_t number)
{
    const gmc_store_plan *plan = w->plan;
    const unsigned char *record;
    size_t bytes;
    GMC_TRY(w->source->read(w->source->context, number, &record, &bytes, w->h5.messages));
    gmc_status status =
        gmc_record_decode(record, bytes, plan->column_count, plan->parameter_count, &w->trial);
    if (status == GMC_E_INPUT || (status == GMC_OK && w->trial.trial.trial != number))
        return refuse_trial(w, number);
    GMC_TRY(status);
    if (w->trial.trial.case_index >= (uint32_t)plan->case_count) return refuse_trial(w, number);

    gmc_summary_add(&w->summary, &w->trial.trial);
    GMC_TRY(put_row(w));
    return put_trajectory(&w->paths, &w->trial.trial);
}

static gmc_status put_trials(writer *w)
{
    const gmc_writer_source *source = w->source;
    uint64_t done = 0;
    gmc_sha256_start(&w->content);
    for (uint64_t i = 0; i < w->plan->count; i++) {
        uint64_t number = w->plan->first + i;
        if (gmc_store_plan_is_sparse(w->plan) && !w->source->has(w->source->context, number))
            continue;
        if (is_stopped(w)) return GMC_E_INTERRUPTED;
        GMC_TRY(put_trial(w, number));
        if (source->progress) source->progress(source->progress_context, ++done, trial_count(w));
    }
    return GMC_OK;
}

// ---- the file ----

static gmc_status fill(writer *w)
{
    gmc_h5 *h5 = &w->h5;
    GMC_TRY(write_root(h5, w->plan, trial_count(w)));
    GMC_TRY(write_scenario(h5, w->plan));
    GMC_TRY(write_provenance(h5, w->plan));
    GMC_TRY(write_parameters(h5, w->plan));
    GMC_TRY(write_columns(h5, w->plan));
    GMC_TRY(write_cases(h5, w->plan));
    GMC_TRY(gmc_summary_create(w->plan, &w->summary));
    GMC_TRY(open_trials(w));
    GMC_TRY(open_trajectories(h5, w->plan, w->source, &w->paths));
    GMC_TRY(put_trials(w));
    GMC_TRY(gmc_h5_stream_close(&w->trials));
    GMC_TRY(gmc_h5_stream_close(&w->samples));
    GMC_TRY(close_trajectories(&w->paths));
    GMC_TRY(gmc_summary_write(&w->summary, h5));
    gmc_digest content = gmc_sha256_end(&w->content);
    GMC_TRY(gmc_h5_text(h5, "/", "content_digest", content.hex));
    return gmc_h5_u64(h5, "/", "complete", 1);
}

/// Wait until a file survives a power cut.
static gmc_status sync_file(const char *path, gmc_diagnostics *messages)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return gmc_file_complain(messages, GMC_E_IO, path, "cannot open", errno);
    int error = gmc_file_sync(&gmc_file_system_io, file);
    close(file);
    return error ? gmc_file_complain(messages, GMC_E_IO, path, "cannot sync", error) : GMC_OK;
}

/// Fill a new file under a name of its own and prove it.
/// @param held  out: of gmc_beside_hold
static gmc_status build(writer *w, const char *name, gmc_diagnostics *messages, int *held)
{
    GMC_TRY(gmc_h5_create(name, messages, &w->h5));
    *held = gmc_beside_hold(w->h5.file);
    gmc_status status = fill(w);
    if (status != GMC_OK) gmc_h5_abandon(&w->h5);
    // after a failure these only free; after success they were closed by `fill`
    (void)!gmc_h5_stream_close(&w->trials);
    (void)!gmc_h5_stream_close(&w->samples);
    (void)!close_trajectories(&w->paths);
    gmc_summary_free(&w->summary);
    gmc_trial_copy_free(&w->trial);
    free(w->row);
    gmc_status closed = gmc_h5_close(&w->h5);
    if (status == GMC_OK) status = closed;
    if (*held >= 0)
        gmc_beside_lock_share(*held); // closing gave it back, if HDF5 takes locks of its own
    if (status == GMC_OK) status = sync_file(name, messages);
    return gmc_h5_verify(&w->h5, status, is_stopped, w);
}

gmc_status gmc_writer_write(const gmc_store_plan *plan, const gmc_writer_source *source,
                            const char *path, const atomic_bool *stop, gmc_diagnostics *messages)
{
    GMC_TRY(gmc_store_plan_check(plan, messages));
    char *name = gmc_beside_name(path, GMC_WRITER_MARK);
    if (!name) return GMC_E_MEMORY;
    gmc_beside_clean(path, GMC_WRITER_MARK, false);

    writer w = {.plan = plan, .source = source, .stop = stop};
    int held = -1;
    gmc_status status = build(&w, name, messages, &held);
    if (status == GMC_OK && rename(name, path) != 0)
        status = gmc_file_complain(messages, GMC_E_IO, path, "cannot rename into place", errno);
    if (status != GMC_OK) (void)unlink(name); // the failure is reported already
    if (status == GMC_OK) status = gmc_file_sync_folder(path, messages);
    if (held >= 0) (void)close(held);
    free(name);
    return status;
}
