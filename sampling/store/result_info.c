// Everything in a file but the trials: texts, tables of names, embedded files.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/list.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/scenario/study.h"
#include "sampling/store/result_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What a file may have of each: memory and time follow from its size, not from what it says.
enum {
    ASSETS_MAX = 1 << 16, ///< embedded files
    NAMES_MAX = 1 << 18,  ///< parameters; columns
    FEW_CASES = 1 << 16,  ///< of which a file of any size may tell
    CASES_PER_BYTE = 4    ///< beyond them; files of graspmc have 0.4 or less
};

void *gmc_result_info_take(gmc_result *r, size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);
    return block && gmc_result_info_own(r, block) ? block : NULL;
}

bool gmc_result_info_own(gmc_result *r, void *block)
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

static gmc_status attribute(gmc_result *r, const char *object, const char *name,
                            const char *fallback, const char **text)
{
    char *block;
    GMC_TRY(gmc_h5_read_text(&r->file, object, name, fallback, &block));
    *text = block;
    return gmc_result_info_own(r, block) ? GMC_OK : GMC_E_MEMORY;
}

static gmc_status scalar_text(gmc_result *r, const char *name, const char **text)
{
    char *block;
    GMC_TRY(gmc_h5_read_scalar_text(&r->file, name, &block));
    *text = block;
    return gmc_result_info_own(r, block) ? GMC_OK : GMC_E_MEMORY;
}

/// Zero-terminated copy of a text field; moves on.
static const char *text_field(gmc_result *r, const unsigned char **at, size_t bytes)
{
    char *text = gmc_result_info_take(r, bytes + 1, 1);
    if (text) memcpy(text, *at, bytes);
    *at += bytes;
    return text;
}

/// A whole table of at most `most` rows.
static gmc_status table(gmc_result *r, const char *name, gmc_h5_field *fields, int field_count,
                        uint64_t most, unsigned char **bytes, int *count)
{
    gmc_h5_rows rows;
    gmc_status status = gmc_h5_rows_open_table(&r->file, name, fields, field_count, &rows);
    if (status == GMC_OK && rows.rows > most)
        status = gmc_h5_read_refuse(&r->file, name, "has too many rows");
    if (status == GMC_OK) status = gmc_h5_rows_read_all(&rows, bytes);
    *count = (int)rows.rows;
    gmc_h5_rows_close(&rows);
    GMC_TRY(status);
    return gmc_result_info_own(r, *bytes) ? GMC_OK : GMC_E_MEMORY;
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
    GMC_TRY(attribute(r, "/", "ladder", "", &info->ladder));
    GMC_TRY(attribute(r, "/", "rank", "", &info->rank));
    if (info->rank[0] != 0) GMC_TRY(read_round(r));
    GMC_TRY(attribute(r, "/", "margin", "", &info->margin));
    GMC_TRY(attribute(r, "/", "two_level", "", &info->two_level));
    info->is_sparse = info->ladder[0] != 0 || info->rank[0] != 0 || info->margin[0] != 0 ||
                      info->two_level[0] != 0;
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
    unsigned char *rows, *bytes;
    int count;
    GMC_TRY(
        table(r, "/scenario/assets/index", fields, GMC_COUNT(fields), ASSETS_MAX, &rows, &count));
    gmc_h5_rows data;
    gmc_status status =
        gmc_h5_rows_open_array(&r->file, "/scenario/assets/bytes", GMC_H5_U8, GMC_H5_VECTOR, &data);
    if (status == GMC_OK) status = gmc_h5_rows_read_all(&data, &bytes);
    uint64_t total = data.rows;
    gmc_h5_rows_close(&data);
    GMC_TRY(status);
    if (!gmc_result_info_own(r, bytes)) return GMC_E_MEMORY;

    gmc_asset *assets = gmc_result_info_take(r, (size_t)count, sizeof *assets);
    if (!assets) return GMC_E_MEMORY;
    const unsigned char *at = rows;
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
    unsigned char *rows;
    int count;
    GMC_TRY(table(r, "/parameters", fields, GMC_COUNT(fields), NAMES_MAX, &rows, &count));
    gmc_store_parameter *list = gmc_result_info_take(r, (size_t)count, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    const unsigned char *at = rows;
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
    unsigned char *rows;
    int count;
    GMC_TRY(table(r, "/columns", fields, GMC_COUNT(fields), NAMES_MAX, &rows, &count));
    gmc_column *list = gmc_result_info_take(r, (size_t)count, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    const unsigned char *at = rows;
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
    int field_count = 2, count;
    bool has_grasps = false;
    GMC_TRY(gmc_h5_read_has_field(&r->file, "/cases", "grasp", &has_grasps));
    gmc_h5_field *fields =
        gmc_result_info_take(r, (size_t)info->parameter_count + FIXED, sizeof *fields);
    if (!fields) return GMC_E_MEMORY;
    const gmc_h5_field fixed[FIXED] = {{"case", GMC_H5_U32, 0},   {"object", GMC_H5_TEXT, 0},
                                       {"grasp", GMC_H5_TEXT, 0}, {"file", GMC_H5_TEXT, 0},
                                       {"row", GMC_H5_U32, 0},    {"confidence", GMC_H5_F64, 0}};
    if (has_grasps) field_count = FIXED;
    memcpy(fields, fixed, (size_t)field_count * sizeof *fields);
    for (int k = 0; k < info->parameter_count; k++)
        if (info->parameters[k].is_studied)
            fields[field_count++] = (gmc_h5_field){info->parameters[k].name, GMC_H5_F64, 0};
    unsigned char *rows;
    GMC_TRY(table(r, "/cases", fields, field_count, most_cases(r), &rows, &count));
    gmc_store_case *list = gmc_result_info_take(r, (size_t)count, sizeof *list);
    size_t width = (size_t)info->parameter_count;
    if (width > 0 && (uint64_t)count * width > GMC_H5_READ_MAX / 8)
        return gmc_h5_read_refuse(&r->file, "/cases", "is larger than it can sensibly be");
    double *values = gmc_result_info_take(r, (size_t)count * width, sizeof *values);
    if (!list || !values) return GMC_E_MEMORY;
    const unsigned char *at = rows;
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

gmc_status gmc_result_info_read(gmc_result *r)
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
    return gmc_h5_read_f64(&r->file, "/trajectories", "rate_hz", &r->info.rate_hz);
}
