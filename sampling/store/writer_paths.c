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

/// One text for all columns, one for each, or one for each joint.
static gmc_status write_units(gmc_writer_paths *p, const gmc_trajectory_array *array,
                              const char *name)
{
    int count = 0;
    while (count < GMC_TRAJECTORY_WIDTH_MAX && array->units[count])
        count++;
    if (array->per != GMC_TRAJECTORY_ROW_JOINT)
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
static gmc_status describe(gmc_writer_paths *p, const gmc_trajectory_array *array, const char *name)
{
    const char *dimensions[] = {array->per == GMC_TRAJECTORY_CONTACT ? "contact"
                                : array->per == GMC_TRAJECTORY_BODY  ? "trajectory"
                                                                     : "row",
                                array->per == GMC_TRAJECTORY_ROW_JOINT ? "joint" : array->columns};
    GMC_TRY(write_units(p, array, name));
    if (array->frame) GMC_TRY(gmc_h5_text(p->h5, name, "frame", array->frame));
    GMC_TRY(gmc_h5_texts(p->h5, name, "dimensions", dimensions, dimensions[1] ? 2 : 1));
    bool has_quaternion = array->columns && strstr(array->columns, "qw qx qy qz");
    return has_quaternion ? gmc_h5_text(p->h5, name, "quaternion_order", "wxyz") : GMC_OK;
}

static gmc_status open_array(gmc_writer_paths *p, const gmc_writer_source *source,
                             gmc_writer_array *a)
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
    GMC_TRY(gmc_h5_stream_open(p->h5, name, &element, 0, rows, columns, &a->stream));
    return describe(p, array, name);
}

/// Of all arrays that there is one of for each `per`, in the order of the list.
static gmc_status open_arrays(gmc_writer_paths *p, const gmc_writer_source *source,
                              gmc_trajectory_per per, int body)
{
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        if (gmc_trajectory_arrays[i].per != per) continue;
        gmc_writer_array *a = &p->arrays[p->array_count++];
        *a = (gmc_writer_array){.array = &gmc_trajectory_arrays[i], .body = body};
        GMC_TRY(open_array(p, source, a));
    }
    return GMC_OK;
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

gmc_status gmc_writer_paths_open(gmc_h5 *h5, const gmc_store_plan *plan,
                                 const gmc_writer_source *source, gmc_writer_paths *p)
{
    *p = (gmc_writer_paths){.h5 = h5, .plan = plan};
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
    GMC_TRY(gmc_h5_stream_open(h5, "/trajectories/index", gmc_layout_index_fields,
                               GMC_LAYOUT_INDEX_FIELDS, source->trajectory_count, GMC_H5_VECTOR,
                               &p->index));
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW, -1));
    GMC_TRY(gmc_h5_group(h5, "/trajectories/bodies"));
    GMC_TRY(write_bodies(p));
    for (int i = 0; i < p->bodies.count; i++) {
        GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_BODY, i));
        GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_BODY, i));
    }
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_JOINT, -1));
    GMC_TRY(write_names(p, "/trajectories/joints/names", &p->joints, "unit", joint_units_of));
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_ROW_START, -1));
    GMC_TRY(open_arrays(p, source, GMC_TRAJECTORY_CONTACT, -1));
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

/// Entries of one body, or of all joints, out of an array (rows, there, width); NaN where the model
/// has no such body or joint.
/// @param local  (count) which of those `there` are in the model they are; -1: none
static gmc_status put_those(gmc_writer_paths *p, gmc_writer_array *a, const double *from,
                            const int *local, int count, const gmc_trajectory_shape *shape)
{
    bool is_of_joints = a->array->per == GMC_TRAJECTORY_ROW_JOINT;
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
static int32_t global_geom(const gmc_writer_paths *p, int model, int32_t index)
{
    const gmc_store_model *m = &p->plan->models[model];
    if (index < 0 || index >= m->geom_count) return -1;
    return find(p->geoms.names, p->geoms.count, m->geoms[index]);
}

static gmc_status put_starts(gmc_writer_paths *p, gmc_h5_stream *stream, const uint32_t *starts,
                             int rows)
{
    for (int r = 0; r < rows; r++) {
        unsigned char bytes[8];
        gmc_bytes_put_u64(bytes, p->contacts + starts[r]);
        GMC_TRY(gmc_h5_stream_put(stream, bytes, 1));
    }
    return GMC_OK;
}

static gmc_status put_geoms(gmc_writer_paths *p, gmc_writer_array *a, int model,
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

static gmc_status put_array(gmc_writer_paths *p, gmc_writer_array *a, const gmc_trajectory *path,
                            int model)
{
    const gmc_trajectory_shape shape = gmc_trajectory_shape_of(path);
    const void *numbers = gmc_trajectory_numbers(path, a->array);
    switch (a->array->per) {
    case GMC_TRAJECTORY_ROW:
        return gmc_h5_stream_doubles(&a->stream, numbers, (uint64_t)shape.row_count);
    case GMC_TRAJECTORY_BODY:
    case GMC_TRAJECTORY_ROW_BODY:
        return put_those(p, a, numbers, &p->bodies.local[model][a->body], 1, &shape);
    case GMC_TRAJECTORY_ROW_JOINT:
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
    gmc_trajectory_shape shape = gmc_trajectory_shape_of(path);
    GMC_TRY(put_index(p, trial->trial, (uint64_t)shape.row_count, (uint64_t)shape.contact_count));
    for (int i = 0; i < p->array_count; i++)
        GMC_TRY(put_array(p, &p->arrays[i], path, model));
    p->rows += (uint64_t)shape.row_count;
    p->contacts += (uint64_t)shape.contact_count;
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
    const uint32_t end = 0; // of the last row: no trial is left to put it as the start of its first
    for (int i = 0; i < p->array_count; i++) {
        gmc_writer_array *a = &p->arrays[i];
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
    *p = (gmc_writer_paths){0};
    return status;
}
