// What a file says of itself is read once and kept; trials and trajectories are read where they
// lie.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/result.h"

#include "engine/base/list.h"
#include "sampling/campaign/trial.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5.h"
#include "sampling/language/text.h"
#include "sampling/scenario/study.h"
#include "sampling/store/identity.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/plan.h"
#include "sampling/store/record.h"
#include "sampling/store/version.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 1 << 20 };

/// Rows of /trials and /samples that were read last, for those who ask trial by trial.
typedef struct gmc_result_window {
    uint64_t first, count;         ///< count 0: none
    unsigned char *rows, *samples; ///< owned; NULL before the first
} gmc_result_window;

struct gmc_result {
    char *path;
    gmc_h5_read file;
    gmc_result_info info;

    void **owned; ///< memory behind `info`, freed together
    int owned_count, owned_capacity;

    gmc_h5_field *fields; ///< of /trials; names belong to `owned`
    int field_count;
    gmc_h5_rows trials, samples;
    gmc_result_window window;
    unsigned char *index; ///< rows of /trajectories/index
};

// ---- what a file says of itself: texts, tables of names, embedded files ----

/// What a file may have of each: memory and time follow from its size, not from what it says.
enum {
    ASSETS_MAX = 1 << 16, ///< embedded files
    NAMES_MAX = 1 << 18,  ///< parameters; columns
    FEW_CASES = 1 << 16,  ///< of which a file of any size may tell
    CASES_PER_BYTE = 4    ///< beyond them; files of graspmc have 0.4 or less
};

/// Hand a malloc'ed block over to the result. @return false: no memory, and the block is freed
static bool take_over(gmc_result *r, void *block)
{
    void **owned = gmc_list_room(r->owned, r->owned_count, &r->owned_capacity, sizeof *owned);
    if (!owned) {
        free(block);
        return false;
    }
    r->owned = owned;
    r->owned[r->owned_count++] = block;
    return true;
}

/// Memory of `count` x `size` zeroed bytes that lives as long as the result; NULL without memory.
static void *take_zeroed(gmc_result *r, size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);
    return block && take_over(r, block) ? block : NULL;
}

static gmc_status attribute(gmc_result *r, const char *object, const char *name,
                            const char *fallback, const char **text)
{
    char *block;
    GMC_TRY(gmc_h5_read_text(&r->file, object, name, fallback, &block));
    *text = block;
    return take_over(r, block) ? GMC_OK : GMC_E_MEMORY;
}

static gmc_status scalar_text(gmc_result *r, const char *name, const char **text)
{
    char *block;
    GMC_TRY(gmc_h5_read_scalar_text(&r->file, name, &block));
    *text = block;
    return take_over(r, block) ? GMC_OK : GMC_E_MEMORY;
}

/// Zero-terminated copy of a text field; moves on.
static const char *text_field(gmc_result *r, const unsigned char **at, size_t bytes)
{
    char *text = take_zeroed(r, bytes + 1, 1);
    if (text) memcpy(text, *at, bytes);
    *at += bytes;
    return text;
}

/// Read all rows into memory of their own (at least one byte).
/// @return GMC_OK, GMC_E_INPUT, GMC_E_LIMIT (too many), GMC_E_MEMORY
static gmc_status read_all_rows(gmc_h5_rows *r, unsigned char **bytes)
{
    *bytes = NULL;
    if (r->row_bytes > 0 && r->rows > GMC_H5_READ_MAX / r->row_bytes) {
        (void)gmc_h5_read_refuse(r->file, r->name, "is larger than it can sensibly be");
        return GMC_E_INPUT;
    }
    *bytes = malloc((size_t)r->rows * r->row_bytes + 1);
    if (!*bytes) return GMC_E_MEMORY;
    gmc_status status = gmc_h5_rows_read(r, 0, r->rows, *bytes);
    if (status == GMC_OK) return GMC_OK;
    free(*bytes);
    *bytes = NULL;
    return status;
}

/// A whole table.
typedef struct small_table {
    const char *name;
    gmc_h5_field *fields; ///< (field_count)
    int field_count;
    uint64_t most;       ///< rows that there may be
    unsigned char *rows; ///< of the result, as `count`
    int count;
} small_table;

static gmc_status read_table(gmc_result *r, small_table *table)
{
    gmc_h5_rows rows;
    gmc_status status =
        gmc_h5_rows_open_table(&r->file, table->name, table->fields, table->field_count, &rows);
    if (status == GMC_OK && rows.rows > table->most)
        status = gmc_h5_read_refuse(&r->file, table->name, "has too many rows");
    if (status == GMC_OK) status = read_all_rows(&rows, &table->rows);
    table->count = (int)rows.rows;
    gmc_h5_rows_close(&rows);
    GMC_TRY(status);
    return take_over(r, table->rows) ? GMC_OK : GMC_E_MEMORY;
}

/// Where a ranking stands, and what its rounds depend on.
static gmc_status read_round(gmc_result *r)
{
    gmc_result_info *info = &r->info;
    gmc_store_round *round = &info->round;
    GMC_TRY(gmc_h5_read_has(&r->file, "/", "round", &round->is_open));
    if (round->is_open) GMC_TRY(gmc_h5_read_u64(&r->file, "/", "round", &round->number));
    round->part_count = info->count;
    if (round->is_open && info->shard[0] != 0) return attribute(r, "/", "after", "", &round->after);
    GMC_TRY(gmc_h5_read_u64(&r->file, "/rank", "budget", &info->rank_budget));
    return gmc_h5_read_u64(&r->file, "/rank", "last", &info->rank_last);
}

/// Which method chose the trials: its attribute says something.
static gmc_status read_method(gmc_result *r)
{
    r->info.method = &gmc_store_method_plain;
    for (int i = 0; gmc_store_method_at(i); i++) {
        const gmc_store_method *method = gmc_store_method_at(i);
        const char *text = "";
        if (method->attribute) GMC_TRY(attribute(r, "/", method->attribute, "", &text));
        if (*text) r->info.method = method;
    }
    r->info.is_sparse = r->info.method->chooser != NULL;
    return GMC_OK;
}

static gmc_status read_root(gmc_result *r)
{
    gmc_result_info *info = &r->info;
    const char *schema, *stop;
    uint64_t version, complete;
    GMC_TRY(attribute(r, "/", "schema", "", &schema));
    if (strcmp(schema, GMC_LAYOUT_SCHEMA) != 0)
        return gmc_h5_read_refuse(&r->file, "/", "this is not a result of graspmc");
    GMC_TRY(gmc_h5_read_u64(&r->file, "/", "schema_version", &version));
    if (version > GMC_LAYOUT_VERSION)
        return gmc_h5_read_refuse(&r->file, "/", "this result was written by a newer graspmc");
    GMC_TRY(gmc_h5_read_u64(&r->file, "/", "complete", &complete));
    if (complete != 1) return gmc_h5_read_refuse(&r->file, "/", "this result is not complete");
    GMC_TRY(gmc_h5_read_u64(&r->file, "/", "trial_first", &info->first));
    GMC_TRY(gmc_h5_read_u64(&r->file, "/", "trial_count", &info->count));
    GMC_TRY(gmc_h5_read_u64(&r->file, "/", "trial_total", &info->total));
    GMC_TRY(attribute(r, "/", "shard", "", &info->shard));
    GMC_TRY(attribute(r, "/", "completed", "", &info->completed));
    GMC_TRY(attribute(r, "/", "rank", "", &info->rank));
    if (info->rank[0] != 0) GMC_TRY(read_round(r));
    GMC_TRY(read_method(r));
    GMC_TRY(attribute(r, "/", "stop_rule", "", &stop));
    if (*stop && !gmc_stop_parse(stop, &info->stop))
        return gmc_h5_read_refuse(&r->file, "/", "its stop_rule is not known");
    bool has_level = false;
    GMC_TRY(gmc_h5_read_has(&r->file, "/", "stop_level", &has_level));
    if (has_level) GMC_TRY(gmc_h5_read_f64(&r->file, "/", "stop_level", &info->stop_level));
    if (has_level && !(info->stop_level > 0 && info->stop_level < 1))
        return gmc_h5_read_refuse(&r->file, "/", "its stop_level is no level");
    GMC_TRY(attribute(r, "/", "scenario_digest", NULL, &info->scenario_digest));
    return attribute(r, "/", "content_digest", NULL, &info->content_digest);
}

static gmc_status read_provenance(gmc_result *r)
{
    static const char group[] = "/provenance";
    gmc_result_info *info = &r->info;
    GMC_TRY(attribute(r, group, "version", NULL, &info->program_version));
    GMC_TRY(attribute(r, group, "commit", NULL, &info->commit));
    GMC_TRY(attribute(r, group, "compiler", NULL, &info->compiler));
    GMC_TRY(attribute(r, group, "flags", NULL, &info->flags));
    GMC_TRY(attribute(r, group, "libraries", NULL, &info->libraries));
    GMC_TRY(attribute(r, group, "design", NULL, &info->design));
    return gmc_h5_read_u64(&r->file, group, "seed", &info->seed);
}

/// The bytes of all embedded files, each checked against its digest. They lie one behind the other,
/// so that each byte is looked at once, however many rows say that they are of it.
static gmc_status read_assets(gmc_result *r)
{
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, 0},
                             {"sha256", GMC_H5_TEXT, 0},
                             {"offset", GMC_H5_U64, 0},
                             {"size", GMC_H5_U64, 0},
                             {"is_scenario", GMC_H5_U8, 0}};
    unsigned char *bytes;
    small_table table = {"/scenario/assets/index", fields, GMC_COUNT(fields), ASSETS_MAX, NULL, 0};
    GMC_TRY(read_table(r, &table));
    int count = table.count;
    gmc_h5_rows data;
    gmc_status status =
        gmc_h5_rows_open_array(&r->file, "/scenario/assets/bytes", GMC_H5_U8, GMC_H5_VECTOR, &data);
    if (status == GMC_OK) status = read_all_rows(&data, &bytes);
    uint64_t total = data.rows;
    gmc_h5_rows_close(&data);
    GMC_TRY(status);
    if (!take_over(r, bytes)) return GMC_E_MEMORY;

    gmc_asset *assets = take_zeroed(r, (size_t)count, sizeof *assets);
    if (!assets) return GMC_E_MEMORY;
    const unsigned char *at = table.rows;
    uint64_t next = 0;
    for (int i = 0; i < count; i++) {
        const char *name = text_field(r, &at, fields[0].text_bytes);
        const char *digest = text_field(r, &at, fields[1].text_bytes);
        if (!name || !digest) return GMC_E_MEMORY;
        uint64_t offset = gmc_bytes_u64(at), size = gmc_bytes_u64(at + 8);
        bool is_scenario = at[16] != 0;
        at += 17;
        if (offset != next || size > total - offset)
            return gmc_h5_read_refuse(&r->file, name, "the embedded file is cut short");
        next += size;
        assets[i] = (gmc_asset){.name = name,
                                .bytes = bytes + offset,
                                .size = (size_t)size,
                                .is_scenario = is_scenario};
        assets[i].digest = gmc_sha256_of(assets[i].bytes, assets[i].size);
        if (strcmp(assets[i].digest.hex, digest) != 0)
            return gmc_h5_read_refuse(&r->file, name, "the embedded file is damaged");
    }
    r->info.assets = assets;
    r->info.asset_count = count;
    return GMC_OK;
}

static gmc_status read_parameters(gmc_result *r)
{
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, 0}, {"distribution", GMC_H5_TEXT, 0},
                             {"unit", GMC_H5_TEXT, 0}, {"lower", GMC_H5_F64, 0},
                             {"upper", GMC_H5_F64, 0}, {"studied", GMC_H5_U8, 0}};
    small_table table = {"/parameters", fields, GMC_COUNT(fields), NAMES_MAX, NULL, 0};
    GMC_TRY(read_table(r, &table));
    int count = table.count;
    gmc_store_parameter *list = take_zeroed(r, (size_t)count, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    const unsigned char *at = table.rows;
    for (int i = 0; i < count; i++) {
        list[i].name = text_field(r, &at, fields[0].text_bytes);
        list[i].distribution = text_field(r, &at, fields[1].text_bytes);
        list[i].unit = text_field(r, &at, fields[2].text_bytes);
        list[i].lower = gmc_bytes_f64(at);
        list[i].upper = gmc_bytes_f64(at + 8);
        list[i].is_studied = at[16] != 0;
        at += 17;
        if (!list[i].name || !list[i].distribution || !list[i].unit) return GMC_E_MEMORY;
    }
    r->info.parameters = list;
    r->info.parameter_count = count;
    return GMC_OK;
}

static gmc_status read_columns(gmc_result *r)
{
    gmc_h5_field fields[] = {
        {"name", GMC_H5_TEXT, 0}, {"unit", GMC_H5_TEXT, 0}, {"about", GMC_H5_TEXT, 0}};
    small_table table = {"/columns", fields, GMC_COUNT(fields), NAMES_MAX, NULL, 0};
    GMC_TRY(read_table(r, &table));
    int count = table.count;
    gmc_column *list = take_zeroed(r, (size_t)count, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    const unsigned char *at = table.rows;
    for (int i = 0; i < count; i++) {
        list[i].name = text_field(r, &at, fields[0].text_bytes);
        list[i].unit = text_field(r, &at, fields[1].text_bytes);
        list[i].about = text_field(r, &at, fields[2].text_bytes);
        if (!list[i].name || !list[i].unit || !list[i].about) return GMC_E_MEMORY;
    }
    r->info.columns = list;
    r->info.column_count = count;
    return GMC_OK;
}

static gmc_status take_grasp(gmc_result *r, const gmc_h5_field *fields, const unsigned char **at,
                             gmc_store_case *row)
{
    row->grasp = text_field(r, at, fields[0].text_bytes);
    row->grasp_file = text_field(r, at, fields[1].text_bytes);
    if (!row->grasp || !row->grasp_file) return GMC_E_MEMORY;
    row->grasp_row = (int)gmc_bytes_u32(*at);
    row->grasp_confidence = gmc_bytes_f64(*at + 4);
    *at += 12;
    return GMC_OK;
}

/// A case has a trial at least, and its row and its estimate take room in the file.
static uint64_t most_cases(const gmc_result *r)
{
    uint64_t most = FEW_CASES + CASES_PER_BYTE * r->file.bytes;
    if (most > GMC_STUDY_CASES_MAX) most = GMC_STUDY_CASES_MAX;
    return most < r->info.total ? most : r->info.total;
}

/// case, object, the grasp if there is one, then the studied parameters by their names.
static gmc_status read_cases(gmc_result *r)
{
    enum { FIXED = 6 };
    const gmc_result_info *info = &r->info;
    int field_count = 2;
    bool has_grasps = false;
    GMC_TRY(gmc_h5_read_has_field(&r->file, "/cases", "grasp", &has_grasps));
    gmc_h5_field *fields = take_zeroed(r, (size_t)info->parameter_count + FIXED, sizeof *fields);
    if (!fields) return GMC_E_MEMORY;
    const gmc_h5_field fixed[FIXED] = {{"case", GMC_H5_U32, 0},   {"object", GMC_H5_TEXT, 0},
                                       {"grasp", GMC_H5_TEXT, 0}, {"file", GMC_H5_TEXT, 0},
                                       {"row", GMC_H5_U32, 0},    {"confidence", GMC_H5_F64, 0}};
    if (has_grasps) field_count = FIXED;
    memcpy(fields, fixed, (size_t)field_count * sizeof *fields);
    for (int k = 0; k < info->parameter_count; k++)
        if (info->parameters[k].is_studied)
            fields[field_count++] = (gmc_h5_field){info->parameters[k].name, GMC_H5_F64, 0};
    small_table table = {"/cases", fields, field_count, most_cases(r), NULL, 0};
    GMC_TRY(read_table(r, &table));
    int count = table.count;
    gmc_store_case *list = take_zeroed(r, (size_t)count, sizeof *list);
    size_t width = (size_t)info->parameter_count;
    if (width > 0 && (uint64_t)count * width > GMC_H5_READ_MAX / 8)
        return gmc_h5_read_refuse(&r->file, "/cases", "is larger than it can sensibly be");
    double *values = take_zeroed(r, (size_t)count * width, sizeof *values);
    if (!list || !values) return GMC_E_MEMORY;
    const unsigned char *at = table.rows;
    for (int i = 0; i < count; i++, values += width) {
        if (gmc_bytes_u32(at) != (uint32_t)i)
            return gmc_h5_read_refuse(&r->file, "/cases", "is damaged");
        at += 4;
        list[i].object = text_field(r, &at, fields[1].text_bytes);
        if (!list[i].object) return GMC_E_MEMORY;
        if (has_grasps) GMC_TRY(take_grasp(r, fields + 2, &at, &list[i]));
        for (size_t k = 0; k < width; k++) {
            bool is_studied = info->parameters[k].is_studied;
            values[k] = is_studied ? gmc_bytes_f64(at) : (double)NAN;
            at += is_studied ? 8 : 0;
        }
        list[i].values = values;
    }
    r->info.cases = list;
    r->info.case_count = count;
    return GMC_OK;
}

static gmc_status read_info(gmc_result *r)
{
    GMC_TRY(read_root(r));
    GMC_TRY(read_provenance(r));
    GMC_TRY(scalar_text(r, "/scenario/text", &r->info.text));
    GMC_TRY(scalar_text(r, "/scenario/expanded", &r->info.expanded));
    GMC_TRY(read_assets(r));
    GMC_TRY(read_parameters(r));
    GMC_TRY(read_columns(r));
    GMC_TRY(read_cases(r));
    GMC_TRY(attribute(r, "/trajectories", "kept", NULL, &r->info.trajectories));
    GMC_TRY(gmc_h5_read_has(&r->file, "/trajectories", "actions", &r->info.has_actions));
    GMC_TRY(gmc_h5_read_has(&r->file, "/trajectories", "pushes", &r->info.has_pushes));
    return gmc_h5_read_f64(&r->file, "/trajectories", "rate_hz", &r->info.rate_hz);
}

// ---- trajectories: a slice of each of the common datasets ----

enum { INDEX_BYTES = 8 * GMC_LAYOUT_INDEX_FIELDS };

/// A table of two texts per row into two lists.
static gmc_status read_names(gmc_result *r, const char *name, const char *second, int *count,
                             const char *const **names, const char *const **texts)
{
    enum { MOST = 1 << 20 };
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, 0}, {second, GMC_H5_TEXT, 0}};
    small_table table = {name, fields, GMC_COUNT(fields), MOST, NULL, 0};
    GMC_TRY(read_table(r, &table));
    const char **first = take_zeroed(r, (size_t)table.count, sizeof(char *));
    const char **other = take_zeroed(r, (size_t)table.count, sizeof(char *));
    if (!first || !other) return GMC_E_MEMORY;
    const unsigned char *at = table.rows;
    for (int i = 0; i < table.count; i++) {
        first[i] = text_field(r, &at, fields[0].text_bytes);
        other[i] = text_field(r, &at, fields[1].text_bytes);
        if (!first[i] || !other[i]) return GMC_E_MEMORY;
    }
    *count = table.count;
    *names = first;
    *texts = other;
    return GMC_OK;
}

static gmc_status read_index(gmc_result *r)
{
    gmc_h5_field fields[GMC_LAYOUT_INDEX_FIELDS];
    memcpy(fields, gmc_layout_index_fields, sizeof fields);
    gmc_h5_rows rows;
    gmc_status status = gmc_h5_rows_open_table(&r->file, "/trajectories/index", fields,
                                               GMC_LAYOUT_INDEX_FIELDS, &rows);
    if (status == GMC_OK) status = read_all_rows(&rows, &r->index);
    r->info.trajectory_count = rows.rows;
    gmc_h5_rows_close(&rows);
    GMC_TRY(status);
    if (!take_over(r, r->index)) return GMC_E_MEMORY;
    for (uint64_t i = 1; i < r->info.trajectory_count; i++)
        if (gmc_bytes_u64(r->index + i * INDEX_BYTES) <=
            gmc_bytes_u64(r->index + (i - 1) * INDEX_BYTES))
            return gmc_h5_read_refuse(&r->file, "/trajectories/index", "does not rise");

    gmc_h5_rows time;
    status =
        gmc_h5_rows_open_array(&r->file, "/trajectories/time", GMC_H5_F64, GMC_H5_VECTOR, &time);
    r->info.row_count = time.rows;
    gmc_h5_rows_close(&time);
    GMC_TRY(status);
    gmc_h5_rows points;
    status =
        gmc_h5_rows_open_array(&r->file, "/trajectories/contacts/point", GMC_H5_F64, 3, &points);
    r->info.contact_count = points.rows;
    gmc_h5_rows_close(&points);
    return status;
}

static gmc_status open_trajectories(gmc_result *r)
{
    gmc_store_model *m = &r->info.names;
    const char *const *paths; // of the bodies; always what gmc_h5_link makes of the name
    GMC_TRY(read_names(r, "/trajectories/body_names", "path", &m->body_count, &m->bodies, &paths));
    GMC_TRY(read_names(r, "/trajectories/joints/names", "unit", &m->joint_count, &m->joints,
                       &m->joint_units));
    GMC_TRY(read_names(r, "/trajectories/contacts/geom_names", "body", &m->geom_count, &m->geoms,
                       &m->geom_bodies));
    return read_index(r);
}

static bool find_trajectory(const gmc_result *r, uint64_t trial, uint64_t *row)
{
    uint64_t low = 0, high = r->info.trajectory_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uint64_t there = gmc_bytes_u64(r->index + middle * INDEX_BYTES);
        if (there == trial) {
            *row = middle;
            return true;
        }
        if (there < trial)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/// Where a trajectory lies.
typedef struct slice {
    uint64_t offset, length, contact_offset, contact_length;
} slice;

static slice slice_of(const gmc_result *r, uint64_t row)
{
    const unsigned char *at = r->index + row * INDEX_BYTES;
    return (slice){gmc_bytes_u64(at + 8), gmc_bytes_u64(at + 16), gmc_bytes_u64(at + 24),
                   gmc_bytes_u64(at + 32)};
}

static gmc_status size_of_trajectory(gmc_result *r, uint64_t row, gmc_trial_size *size)
{
    slice s = slice_of(r, row);
    const gmc_store_model *m = &r->info.names;
    gmc_trajectory_shape shape = {.body_count = m->body_count,
                                  .joint_count = m->joint_count,
                                  .has_actions = r->info.has_actions,
                                  .has_pushes = r->info.has_pushes};
    gmc_trajectory_shape row_more = shape;
    row_more.row_count = 1;
    uint64_t row_bytes = gmc_trajectory_bytes(&row_more) - gmc_trajectory_bytes(&shape);
    uint64_t contact_bytes = gmc_trajectory_bytes(&(gmc_trajectory_shape){.contact_count = 1});
    if (s.offset > r->info.row_count || s.length > r->info.row_count - s.offset ||
        s.length > GMC_H5_READ_MAX / row_bytes || s.length >= INT32_MAX ||
        s.contact_offset > r->info.contact_count ||
        s.contact_length > r->info.contact_count - s.contact_offset ||
        s.contact_length > GMC_H5_READ_MAX / contact_bytes || s.contact_length > INT32_MAX)
        return gmc_h5_read_refuse(&r->file, "/trajectories/index", "points beyond the data");
    size->has_trajectory = true;
    size->shape = shape;
    size->shape.row_count = (int)s.length;
    size->shape.contact_count = (int)s.contact_length;
    return GMC_OK;
}

/// A part of an array: where it lies in the file, and where in memory, `stride` numbers from row to
/// row.
typedef struct part {
    const gmc_trajectory_array *array;
    const char *name;
    uint64_t columns; ///< as for gmc_h5_rows_open_array
    uint64_t first, count;
    size_t from, stride;
} part;

/// Offsets of the contacts of each row, from those of the whole file.
static gmc_status take_starts(gmc_result *r, const slice *s, const part *of,
                              const unsigned char *bytes, uint32_t *to)
{
    uint64_t before = s->contact_offset;
    for (uint64_t i = 0; i < of->count; i++) {
        uint64_t start = gmc_bytes_u64(bytes + 8 * i);
        bool is_good = start >= before && start - s->contact_offset <= s->contact_length &&
                       (i > 0 || start == s->contact_offset);
        if (!is_good) return gmc_h5_read_refuse(&r->file, of->name, "is damaged");
        to[i] = (uint32_t)(start - s->contact_offset);
        before = start;
    }
    if (before - s->contact_offset != s->contact_length)
        return gmc_h5_read_refuse(&r->file, of->name, "is damaged");
    return GMC_OK;
}

static gmc_status take_numbers(gmc_result *r, const slice *s, const part *of,
                               const unsigned char *bytes, gmc_trajectory *path)
{
    uint64_t width = of->columns == GMC_H5_VECTOR ? 1 : of->columns;
    void *numbers = gmc_trajectory_numbers(path, of->array);
    if (of->array->kind == GMC_TRAJECTORY_OFFSET) return take_starts(r, s, of, bytes, numbers);
    for (uint64_t i = 0; i < of->count; i++)
        for (uint64_t k = 0; k < width; k++) {
            const size_t from = i * width + k, to = of->from + i * of->stride + k;
            if (of->array->kind == GMC_TRAJECTORY_REAL)
                ((double *)numbers)[to] = gmc_bytes_f64(bytes + 8 * from);
            else
                ((int32_t *)numbers)[to] = (int32_t)gmc_bytes_u32(bytes + 4 * from);
        }
    return GMC_OK;
}

static gmc_status read_part(gmc_result *r, const slice *s, const part *of, gmc_trajectory *path)
{
    if (of->count == 0) return GMC_OK; // there is no memory to point into
    gmc_h5_rows rows;
    gmc_status status = gmc_h5_rows_open_array(
        &r->file, of->name, gmc_layout_array_kind(of->array->kind), of->columns, &rows);
    unsigned char *bytes = status == GMC_OK ? malloc((size_t)of->count * rows.row_bytes + 1) : NULL;
    if (status == GMC_OK && !bytes) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_rows_read(&rows, of->first, of->count, bytes);
    gmc_h5_rows_close(&rows);
    if (status == GMC_OK) status = take_numbers(r, s, of, bytes, path);
    free(bytes);
    return status;
}

/// An array, or what it has of one body.
static gmc_status read_array(gmc_result *r, uint64_t row, const gmc_trajectory_array *array,
                             int body, gmc_trajectory *path)
{
    slice s = slice_of(r, row);
    size_t width = (size_t)array->width, bodies = (size_t)path->body_count;
    char name[GMC_LAYOUT_NAME_BYTES];
    bool is_of_body = gmc_trajectory_is_of_body(array);
    if (!gmc_layout_array_name(array, is_of_body ? r->info.names.bodies[body] : NULL, name))
        return gmc_h5_read_refuse(&r->file, "/trajectories/body_names", "has too long a name");
    part of = {.array = array,
               .name = name,
               .columns = gmc_layout_array_columns(array, (uint64_t)path->joint_count),
               .first = s.offset,
               .count = s.length,
               .stride = width};
    switch (array->per) {
    case GMC_TRAJECTORY_ROW:
        break;
    case GMC_TRAJECTORY_BODY:
        of.first = row;
        of.count = 1;
        of.from = (size_t)body * width;
        break;
    case GMC_TRAJECTORY_ROW_BODY:
    case GMC_TRAJECTORY_ROW_PUSH:
        of.from = (size_t)body * width;
        of.stride = bodies * width;
        break;
    case GMC_TRAJECTORY_ROW_JOINT:
    case GMC_TRAJECTORY_ROW_ACTION:
        of.stride = (size_t)path->joint_count;
        break;
    case GMC_TRAJECTORY_ROW_START:
        of.count += of.count > 0;
        break;
    case GMC_TRAJECTORY_CONTACT:
    case GMC_TRAJECTORY_PER_COUNT:
        of.first = s.contact_offset;
        of.count = s.contact_length;
        break;
    }
    return read_part(r, &s, &of, path);
}

static gmc_status read_trajectory(gmc_result *r, uint64_t row, gmc_trajectory *path)
{
    for (gmc_trajectory_per per = 0; per < GMC_TRAJECTORY_PER_COUNT; per++)
        for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
            const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
            if (array->per != per) continue;
            if (per == GMC_TRAJECTORY_ROW_ACTION && !path->has_actions) continue;
            if (per == GMC_TRAJECTORY_ROW_PUSH && !path->has_pushes) continue;
            int count = gmc_trajectory_is_of_body(array) ? path->body_count : 1;
            for (int body = 0; body < count; body++)
                GMC_TRY(read_array(r, row, array, body, path));
        }
    return GMC_OK;
}

// ---- trials ----

static bool column_kind(gmc_h5_kind kind, gmc_column_kind *column)
{
    if (kind != GMC_H5_F64 && kind != GMC_H5_I64 && kind != GMC_H5_U8) return false;
    *column = kind == GMC_H5_F64   ? GMC_COLUMN_REAL
              : kind == GMC_H5_I64 ? GMC_COLUMN_INTEGER
                                   : GMC_COLUMN_FLAG;
    return true;
}

/// Fields of /trials: the fixed ones, then one for each row of /columns, of the kind the file gives
/// it.
static gmc_status trial_fields(gmc_result *r)
{
    int fixed = GMC_TRIAL_FIELD_COUNT, count, measures = r->info.column_count;
    gmc_h5_field *found;
    gmc_status status = gmc_h5_read_fields(&r->file, "/trials", fixed, &found, &count);
    for (int i = 0; found && i < count; i++) {
        void *name = (void *)(uintptr_t)found[i].name; // never changed after this
        if (status == GMC_E_MEMORY)
            free(name);
        else if (!take_over(r, name))
            status = GMC_E_MEMORY;
    }
    if (found && !take_over(r, found)) status = GMC_E_MEMORY;
    GMC_TRY(status);
    if (!found || count != measures)
        return gmc_h5_read_refuse(&r->file, "/trials", "does not fit /columns");

    gmc_column *columns = take_zeroed(r, (size_t)measures, sizeof *columns);
    r->field_count = fixed + measures;
    r->fields = take_zeroed(r, (size_t)r->field_count, sizeof *r->fields);
    if (!columns || !r->fields) return GMC_E_MEMORY;
    memcpy(r->fields, gmc_layout_trial_fields, sizeof gmc_layout_trial_fields);
    for (int i = 0; i < measures; i++) {
        columns[i] = r->info.columns[i];
        r->fields[fixed + i] = found[i];
        if (strcmp(found[i].name, columns[i].name) != 0 ||
            !column_kind(found[i].kind, &columns[i].kind))
            return gmc_h5_read_refuse(&r->file, "/trials", "does not fit /columns");
    }
    r->info.columns = columns;
    return GMC_OK;
}

static gmc_status read_phases(gmc_result *r)
{
    char *block;
    size_t piece;
    int count;
    GMC_TRY(gmc_h5_read_texts(&r->file, "/trials", "phases", &block, &piece, &count));
    if (!take_over(r, block)) return GMC_E_MEMORY;
    const char **names = take_zeroed(r, (size_t)count, sizeof(char *));
    if (!names) return GMC_E_MEMORY;
    for (int i = 0; i < count; i++) {
        char *name = take_zeroed(r, piece + 1, 1);
        if (!name) return GMC_E_MEMORY;
        memcpy(name, block + (size_t)i * piece, piece);
        names[i] = name;
    }
    r->info.phases = names;
    r->info.phase_count = count;
    return GMC_OK;
}

static gmc_status open_trials(gmc_result *r)
{
    GMC_TRY(trial_fields(r));
    GMC_TRY(gmc_h5_rows_open_table(&r->file, "/trials", r->fields, r->field_count, &r->trials));
    GMC_TRY(gmc_h5_rows_open_array(&r->file, "/samples", GMC_H5_F64,
                                   (uint64_t)r->info.parameter_count, &r->samples));
    if (r->trials.rows != r->info.count || r->samples.rows != r->info.count ||
        r->info.count > UINT64_MAX - r->info.first)
        return gmc_h5_read_refuse(&r->file, "/trials", "has another number of rows than stated");
    return read_phases(r);
}

static double stored_value(const unsigned char **at, gmc_column_kind kind)
{
    const unsigned char *from = *at;
    switch (kind) {
    case GMC_COLUMN_REAL:
        *at += 8;
        return gmc_bytes_f64(from);
    case GMC_COLUMN_INTEGER:
        *at += 8;
        return (double)(int64_t)gmc_bytes_u64(from);
    case GMC_COLUMN_FLAG:
        *at += 1;
        return from[0] ? 1.0 : 0.0;
    }
    return 0.0;
}

/// The fields of a trial before its measures. @return bytes read; 0: there is no such outcome or
/// reason
static size_t read_fields(const unsigned char *row, gmc_trial *trial)
{
    size_t used = 0;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        size_t bytes = gmc_h5_type_bytes(&gmc_layout_trial_fields[i]);
        if (!gmc_record_field(row + used, bytes, &gmc_trial_fields[i], trial)) return 0;
        used += bytes;
    }
    return used;
}

/// Take one row apart; `number` is what it must be, with a ladder at least.
static gmc_status parse_row(gmc_result *r, const unsigned char *row, const unsigned char *samples,
                            uint64_t number, gmc_trial *t)
{
    bool is_sparse = r->info.is_sparse;
    size_t fields = read_fields(row, t);
    bool is_right = is_sparse ? t->trial >= number && t->trial < r->info.total : t->trial == number;
    if (!is_right || fields == 0 || t->case_index >= (uint32_t)r->info.case_count)
        return gmc_h5_read_refuse(&r->file, "/trials", "a row is damaged");
    const unsigned char *at = row + fields;
    for (int i = 0; i < r->info.column_count; i++)
        t->values[i] = stored_value(&at, r->info.columns[i].kind);
    for (int i = 0; i < r->info.parameter_count; i++)
        t->samples[i] = gmc_bytes_f64(samples + 8 * i);
    return GMC_OK;
}

/// Rows that are read at once.
static uint64_t block_rows(const gmc_result *r)
{
    return BLOCK_BYTES / (r->trials.row_bytes + r->samples.row_bytes) + 1;
}

static gmc_status read_block(gmc_result *r, uint64_t first, uint64_t count, unsigned char *rows,
                             unsigned char *samples)
{
    GMC_TRY(gmc_h5_rows_read(&r->trials, first, count, rows));
    return gmc_h5_rows_read(&r->samples, first, count, samples);
}

/// Walk over the rows in blocks; `raw` sees them as bytes, `visit` as trials. Either may be NULL.
static gmc_status walk(gmc_result *r, gmc_sha256 *raw,
                       gmc_status (*visit)(void *, const gmc_trial *), void *context)
{
    size_t row_bytes = r->trials.row_bytes, sample_bytes = r->samples.row_bytes;
    uint64_t step = block_rows(r), count = r->info.count;
    uint64_t least = 0; // with a ladder trial numbers rise, with gaps
    gmc_trial_copy copy = {0};
    const gmc_trial_size size = {.column_count = r->info.column_count,
                                 .sample_count = r->info.parameter_count};
    unsigned char *rows = malloc((size_t)step * row_bytes);
    unsigned char *samples = malloc((size_t)step * sample_bytes + 1);
    gmc_status status = rows && samples ? gmc_trial_copy_reserve(&copy, &size) : GMC_E_MEMORY;
    for (uint64_t at = 0; at < count && status == GMC_OK; at += step) {
        uint64_t n = count - at < step ? count - at : step;
        status = read_block(r, at, n, rows, samples);
        for (uint64_t i = 0; i < n && status == GMC_OK; i++) {
            const unsigned char *row = rows + i * row_bytes, *sample = samples + i * sample_bytes;
            if (raw) gmc_sha256_add(raw, row, row_bytes);
            if (raw) gmc_sha256_add(raw, sample, sample_bytes);
            if (!visit) continue;
            uint64_t number = r->info.is_sparse ? least : r->info.first + at + i;
            status = parse_row(r, row, sample, number, &copy.trial);
            least = copy.trial.trial + 1;
            if (status == GMC_OK) status = visit(context, &copy.trial);
        }
    }
    gmc_trial_copy_free(&copy);
    free(rows);
    free(samples);
    return status;
}

/// Is it what the digest of the file was made of?
static gmc_status check_digest(gmc_result *r, gmc_sha256 *hash)
{
    gmc_digest digest = gmc_sha256_end(hash);
    if (strcmp(digest.hex, r->info.content_digest) == 0) return GMC_OK;
    return gmc_h5_read_refuse(&r->file, "/trials", "does not have the content digest of this file");
}

gmc_status gmc_result_trials(gmc_result *r, gmc_status (*visit)(void *, const gmc_trial *),
                             void *context)
{
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    GMC_TRY(walk(r, &hash, visit, context));
    return check_digest(r, &hash);
}

gmc_status gmc_result_verify(gmc_result *r) { return gmc_result_trials(r, NULL, NULL); }

// ---- one trial ----

/// Bring the window to where a row is. Most who ask for one trial ask for the next one then.
static gmc_status look_at(gmc_result *r, uint64_t row)
{
    gmc_result_window *w = &r->window;
    if (row - w->first < w->count) return GMC_OK; // wraps to a large number before it
    uint64_t step = block_rows(r), left = r->info.count - row;
    if (!w->rows) w->rows = malloc((size_t)step * r->trials.row_bytes);
    if (!w->samples) w->samples = malloc((size_t)step * r->samples.row_bytes + 1);
    if (!w->rows || !w->samples) return GMC_E_MEMORY;
    uint64_t count = left < step ? left : step;
    w->count = 0;
    GMC_TRY(read_block(r, row, count, w->rows, w->samples));
    w->first = row;
    w->count = count;
    return GMC_OK;
}

static uint64_t number_in_window(const gmc_result *r, uint64_t row)
{
    return gmc_bytes_u64(r->window.rows + (row - r->window.first) * r->trials.row_bytes);
}

/// Number of the trial in a row.
static gmc_status number_at(gmc_result *r, uint64_t row, uint64_t *number)
{
    if (row - r->window.first < r->window.count) {
        *number = number_in_window(r, row);
        return GMC_OK;
    }
    unsigned char *bytes = malloc(r->trials.row_bytes);
    if (!bytes) return GMC_E_MEMORY;
    gmc_status status = gmc_h5_rows_read(&r->trials, row, 1, bytes);
    *number = status == GMC_OK ? gmc_bytes_u64(bytes) : 0;
    free(bytes);
    return status;
}

/// Where numbers rise with gaps.
static gmc_status search_row(gmc_result *r, uint64_t number, uint64_t *row, bool *is_here)
{
    const gmc_result_window *w = &r->window;
    uint64_t low = 0, high = r->info.count;
    *is_here = false;
    if (w->count > 0 && number >= number_in_window(r, w->first) &&
        number <= number_in_window(r, w->first + w->count - 1)) {
        low = w->first;
        high = w->first + w->count;
    }
    while (low < high && !*is_here) {
        uint64_t found;
        *row = low + (high - low) / 2;
        GMC_TRY(number_at(r, *row, &found));
        *is_here = found == number;
        if (found < number)
            low = *row + 1;
        else
            high = *row;
    }
    return GMC_OK;
}

/// Row of a trial; false if it is not in this file.
static gmc_status find_row(gmc_result *r, uint64_t number, uint64_t *row, bool *is_here)
{
    const gmc_result_info *info = &r->info;
    if (info->is_sparse) return search_row(r, number, row, is_here);
    *row = number - info->first;
    *is_here = number >= info->first && number - info->first < info->count;
    return GMC_OK;
}

gmc_status gmc_result_trial(gmc_result *r, uint64_t number, gmc_trial_copy *trial)
{
    const gmc_result_info *info = &r->info;
    uint64_t at;
    bool is_here;
    GMC_TRY(find_row(r, number, &at, &is_here));
    gmc_source source = {.file = r->path};
    if (!is_here && info->is_sparse) {
        bool has_levels = info->method == &gmc_store_method_ladder;
        gmc_diagnostics_add(r->file.messages, GMC_E_MISSING, source,
                            has_levels ? "/ladder/trials lists those that are here"
                                       : "/trials lists those that are here",
                            "trial %llu was not run: the %s did not ask for it",
                            (unsigned long long)number, info->method->asker);
        return GMC_E_MISSING;
    }
    if (!is_here) {
        gmc_diagnostics_add(r->file.messages, GMC_E_MISSING, source, NULL,
                            "there is no trial %llu here, only %llu ... %llu",
                            (unsigned long long)number, (unsigned long long)info->first,
                            (unsigned long long)(info->first + info->count - 1));
        return GMC_E_MISSING;
    }
    gmc_trial_size size = {.column_count = info->column_count,
                           .sample_count = info->parameter_count};
    uint64_t row = 0;
    bool has_path = find_trajectory(r, number, &row);
    if (has_path) GMC_TRY(size_of_trajectory(r, row, &size));
    GMC_TRY(look_at(r, at));
    GMC_TRY(gmc_trial_copy_reserve(trial, &size));
    at -= r->window.first;
    GMC_TRY(parse_row(r, r->window.rows + at * r->trials.row_bytes,
                      r->window.samples + at * r->samples.row_bytes, number, &trial->trial));
    return has_path ? read_trajectory(r, row, &trial->trajectory) : GMC_OK;
}

// ---- opening ----

/// Is there no result yet, but what keeps an interrupted run? Says so.
static gmc_status look_for_run(const char *path, gmc_diagnostics *messages)
{
    struct stat info;
    if (stat(path, &info) == 0 || errno != ENOENT) return GMC_OK;
    gmc_text name = {0}, hint = {0};
    char *journal = NULL, *way = NULL;
    gmc_text_add(&name, "%s.journal", path);
    gmc_text_add(&hint,
                 "graspmc run --resume SCENARIO -o %s  with the options of that run goes on with "
                 "it; graspmc status %s  says how far it is",
                 path, path);
    gmc_status status = gmc_text_take(&name, &journal);
    if (status == GMC_OK) status = gmc_text_take(&hint, &way);
    if (status == GMC_OK && stat(journal, &info) == 0 && S_ISREG(info.st_mode)) {
        gmc_diagnostics_add(messages, GMC_E_MISSING, (gmc_source){.file = path}, way,
                            "there is no result yet, but %.200s keeps a run that was interrupted, "
                            "or is not finished",
                            journal);
        status = GMC_E_MISSING;
    }
    gmc_text_free(&name);
    gmc_text_free(&hint);
    free(journal);
    free(way);
    return status;
}

gmc_status gmc_result_open(const char *path, gmc_diagnostics *messages, gmc_result **out)
{
    *out = NULL;
    GMC_TRY(look_for_run(path, messages));
    gmc_result *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    r->file.apart.socket = -1;
    r->path = strdup(path);
    gmc_status status = r->path ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_read_open(r->path, messages, &r->file);
    if (status == GMC_OK) status = read_info(r);
    if (status == GMC_OK) status = open_trials(r);
    if (status == GMC_OK) status = open_trajectories(r);
    if (status != GMC_OK) {
        gmc_result_close(r);
        return status;
    }
    *out = r;
    return GMC_OK;
}

void gmc_result_close(gmc_result *r)
{
    if (!r) return;
    gmc_h5_rows_close(&r->trials);
    gmc_h5_rows_close(&r->samples);
    gmc_h5_read_close(&r->file);
    for (int i = 0; i < r->owned_count; i++)
        free(r->owned[i]);
    free(r->owned);
    free(r->window.rows);
    free(r->window.samples);
    free(r->path);
    free(r);
}

const gmc_result_info *gmc_result_about(const gmc_result *r) { return &r->info; }

// ---- is it that of a plan? ----

// Is a finished file the result that a plan leads to? The first thing that differs is put into
// words.

/// Compare one thing; the first difference is put into words.
static bool same_text(const char *name, const char *there, const char *here, char *text,
                      size_t bytes)
{
    if (strcmp(there, here) == 0) return true;
    snprintf(text, bytes, "%s is %s there, %s here", name, there, here);
    return false;
}

static bool same_number(const char *name, uint64_t there, uint64_t here, char *text, size_t bytes)
{
    if (there == here) return true;
    snprintf(text, bytes, "%s is %llu there, %llu here", name, (unsigned long long)there,
             (unsigned long long)here);
    return false;
}

/// A run that could stop for the same reason has the trials that it came to; any other the range's.
static bool same_count(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                       size_t bytes)
{
    // of a ladder or a ranking the scenario says how many, and its digest is compared
    if (gmc_store_plan_is_sparse(plan) && info->is_sparse) return true;
    char there[GMC_STOP_TEXT_MAX], here[GMC_STOP_TEXT_MAX];
    gmc_stop_text(info->stop, there);
    gmc_stop_text(plan->stop, here);
    if (!same_text("stop rule", *there ? there : "none", *here ? here : "none", text, bytes))
        return false;
    if (*here && info->stop_level > 0 && info->stop_level != plan->stop_level) {
        snprintf(text, bytes, "the rule looked at %.10g %% intervals there, at %.10g %% ones here",
                 100 * info->stop_level, 100 * plan->stop_level);
        return false;
    }
    return (*here && info->count < plan->count) ||
           same_number("number of trials", info->count, plan->count, text, bytes);
}

/// Where a ranking stands, in words.
static const char *round_text(const gmc_store_round *round, char text[128])
{
    if (!round->is_open)
        snprintf(text, 128, "finished");
    else if (!round->after)
        snprintf(text, 128, "open, round %" PRIu64 " is next", round->number);
    else
        snprintf(text, 128, "part of round %" PRIu64 " after %.12s", round->number,
                 *round->after ? round->after : "nothing");
    return text;
}

static bool same_round(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                       size_t bytes)
{
    char there[128], here[128];
    return same_text("the ranking", round_text(&info->round, there), round_text(&plan->round, here),
                     text, bytes);
}

/// Of a ranking, whose digest says no more than that something differs.
static bool same_budget(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                        size_t bytes)
{
    return !plan->ranking || info->rank[0] == 0 || info->round.after ||
           same_number("the budget", info->rank_budget, plan->ranking->budget, text, bytes);
}

/// The file of a name that both have, or that one lacks.
static bool same_file(const gmc_asset *there, const gmc_asset *here, char *text, size_t bytes)
{
    if (there && here && strcmp(there->digest.hex, here->digest.hex) == 0) return true;
    snprintf(text, bytes, "the file %.300s is %.12s there, %.12s here",
             there ? there->name : here->name, there ? there->digest.hex : "missing",
             here ? here->digest.hex : "missing");
    return false;
}

static const gmc_asset *find_file(const gmc_asset *files, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!files[i].is_scenario && strcmp(files[i].name, name) == 0) return &files[i];
    return NULL;
}

bool gmc_result_same_files(const gmc_asset *there, int there_count, const gmc_asset *here,
                           int here_count, char *text, size_t bytes)
{
    for (int i = 0; i < here_count; i++) {
        const gmc_asset *other = find_file(there, there_count, here[i].name);
        if (!here[i].is_scenario && !same_file(other, &here[i], text, bytes)) return false;
    }
    for (int i = 0; i < there_count; i++)
        if (!there[i].is_scenario && !find_file(here, here_count, there[i].name))
            return same_file(&there[i], NULL, text, bytes);
    return true;
}

bool gmc_result_same_scenario(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                              size_t bytes)
{
    // these may differ in one run, and are seldom what a digest differs by
    static const char *const ASIDE[] = {"about", "output", "sampling.draws", "study.draws", NULL};
    if (strcmp(info->scenario_digest, plan->digest.hex) == 0) return true;
    if (gmc_identity_difference(info->expanded, plan->expanded, ASIDE, text, bytes) ||
        !gmc_result_same_files(info->assets, info->asset_count, plan->assets, plan->asset_count,
                               text, bytes) ||
        gmc_identity_difference(info->expanded, plan->expanded, NULL, text, bytes))
        return false;
    return same_text("scenario_digest", info->scenario_digest, plan->digest.hex, text, bytes);
}

/// Rows of trials that were completed are others than the run's.
static bool same_rows(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                      size_t bytes)
{
    const char *there = info->completed, *here = plan->completed ? plan->completed : "";
    return same_text("what was completed", *there ? there : "nothing", *here ? here : "nothing",
                     text, bytes);
}

static bool matches(const gmc_result_info *info, const gmc_store_plan *plan, char *text,
                    size_t bytes)
{
    char shard[32] = "";
    if (plan->shard_count > 0)
        snprintf(shard, sizeof shard, "%d/%d", plan->shard, plan->shard_count);
    if (!(info->rate_hz >= plan->rate_hz && info->rate_hz <= plan->rate_hz)) {
        snprintf(text, bytes, "rate is %g Hz there, %g Hz here", info->rate_hz, plan->rate_hz);
        return false;
    }
    return same_text("program", info->program_version, gmc_version_program(), text, bytes) &&
           same_text("commit", info->commit, gmc_version_commit(), text, bytes) &&
           same_text("compiler", info->compiler, gmc_version_compiler(), text, bytes) &&
           same_text("flags", info->flags, gmc_version_flags(), text, bytes) &&
           same_number("seed", info->seed, plan->seed, text, bytes) &&
           same_text("design", info->design, plan->design, text, bytes) &&
           same_budget(info, plan, text, bytes) &&
           gmc_result_same_scenario(info, plan, text, bytes) &&
           same_rows(info, plan, text, bytes) &&
           same_text("trajectories", info->trajectories, plan->trajectories, text, bytes) &&
           same_number("first trial", info->first, plan->first, text, bytes) &&
           same_count(info, plan, text, bytes) && same_round(info, plan, text, bytes) &&
           same_number("total of trials", info->total, plan->total, text, bytes) &&
           same_text("shard", info->shard, shard, text, bytes);
}

gmc_status gmc_result_matches(const char *path, const gmc_store_plan *plan, char *difference,
                              size_t bytes)
{
    gmc_diagnostics messages = {0};
    gmc_result *r;
    gmc_status status = gmc_result_open(path, &messages, &r);
    if (status == GMC_OK && !matches(gmc_result_about(r), plan, difference, bytes))
        status = GMC_E_MISMATCH;
    if (status != GMC_OK && status != GMC_E_MISMATCH && status != GMC_E_MEMORY) {
        snprintf(difference, bytes, "%s",
                 messages.count > 0 ? messages.items[0].message : "it cannot be read");
        if (status != GMC_E_IO) status = GMC_E_MISMATCH;
    }
    gmc_result_close(r);
    gmc_diagnostics_free(&messages);
    return status;
}
