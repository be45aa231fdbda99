// One pass over the trials in the order of their numbers. Everything is checked on the way, and
// once more by reading the closed file back, because a file that looks whole and is not would be
// believed.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/writer.h"

#include "sampling/hdf5/file.h"
#include "sampling/store/beside.h"
#include "sampling/store/layout.h"
#include "sampling/store/lock.h"
#include "sampling/store/method.h"
#include "sampling/store/record.h"
#include "sampling/store/summary.h"
#include "sampling/store/version.h"
#include "sampling/store/writer_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct writer {
    const gmc_store_plan *plan;
    const gmc_writer_source *source;
    const atomic_bool *stop;
    gmc_h5 h5;
    gmc_h5_stream trials, samples;
    gmc_writer_paths paths;
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
        size_t bytes = strlen(plan->assets[i].name);
        if (bytes > name_bytes) name_bytes = bytes;
        total += plan->assets[i].size;
    }
    const gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, name_bytes},
                                   {"sha256", GMC_H5_TEXT, 64},
                                   {"offset", GMC_H5_U64, 0},
                                   {"size", GMC_H5_U64, 0},
                                   {"is_scenario", GMC_H5_U8, 0}};
    const gmc_h5_field byte = {.kind = GMC_H5_U8};
    gmc_layout_table index;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)plan->asset_count, &index));
    gmc_h5_stream stream;
    gmc_status status =
        gmc_h5_stream_open(h5, "/scenario/assets/bytes", &byte, 0, total, GMC_H5_VECTOR, &stream);
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
        const gmc_store_parameter *p = &plan->parameters[i];
        if (strlen(p->name) > name) name = strlen(p->name);
        if (strlen(p->distribution) > distribution) distribution = strlen(p->distribution);
        if (strlen(p->unit) > unit) unit = strlen(p->unit);
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
        const gmc_column *c = &plan->columns[i];
        if (strlen(c->name) > name) name = strlen(c->name);
        if (strlen(c->unit) > unit) unit = strlen(c->unit);
        if (strlen(c->about) > about) about = strlen(c->about);
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
            fields[GMC_TRIAL_FIELD_COUNT + i] =
                (gmc_h5_field){c->name, gmc_layout_column_kind(c->kind), 0};
            units[GMC_TRIAL_FIELD_COUNT + i] = c->unit;
        }
        status = gmc_h5_stream_open(&w->h5, "/trials", fields, count, trial_count(w), GMC_H5_VECTOR,
                                    &w->trials);
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
    GMC_TRY(gmc_h5_stream_open(&w->h5, "/samples", &number, 0, trial_count(w),
                               (uint64_t)plan->parameter_count, &w->samples));
    return gmc_h5_texts(&w->h5, "/samples", "dimensions", dimensions, 2);
}

static gmc_status put_row(writer *w)
{
    const gmc_trial *t = &w->trial.trial;
    gmc_layout_row row = {.bytes = w->row};
    gmc_layout_put_trial(&row, t);
    for (int i = 0; i < w->plan->column_count; i++)
        gmc_layout_put_value(&row, w->plan->columns[i].kind, t->values[i]);
    for (int i = 0; i < w->plan->parameter_count; i++)
        gmc_layout_put_f64(&row, t->samples[i]);
    gmc_sha256_add(&w->content, w->row, row.used);
    GMC_TRY(gmc_h5_stream_put(&w->trials, w->row, 1));
    return gmc_h5_stream_put(&w->samples, w->row + w->trials.row_bytes, 1);
}

static gmc_status refuse_trial(writer *w, uint64_t number)
{
    gmc_source source = {.file = w->h5.path};
    gmc_diagnostics_add(w->h5.messages, GMC_ERROR, GMC_E_INPUT, source, NULL,
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
    return gmc_writer_paths_put(&w->paths, &w->trial.trial);
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
    GMC_TRY(gmc_writer_cases(h5, w->plan));
    GMC_TRY(gmc_summary_create(w->plan, &w->summary));
    GMC_TRY(open_trials(w));
    GMC_TRY(gmc_writer_paths_open(h5, w->plan, w->source, &w->paths));
    GMC_TRY(put_trials(w));
    GMC_TRY(gmc_h5_stream_close(&w->trials));
    GMC_TRY(gmc_h5_stream_close(&w->samples));
    GMC_TRY(gmc_writer_paths_close(&w->paths));
    GMC_TRY(gmc_summary_write(&w->summary, h5));
    gmc_digest content = gmc_sha256_end(&w->content);
    GMC_TRY(gmc_h5_text(h5, "/", "content_digest", content.hex));
    return gmc_h5_u64(h5, "/", "complete", 1);
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
    (void)!gmc_writer_paths_close(&w->paths);
    gmc_summary_free(&w->summary);
    gmc_trial_copy_free(&w->trial);
    free(w->row);
    gmc_status closed = gmc_h5_close(&w->h5);
    if (status == GMC_OK) status = closed;
    if (*held >= 0) gmc_lock_share(*held); // closing gave it back, if HDF5 takes locks of its own
    if (status == GMC_OK) status = gmc_file_sync_path(name, messages);
    if (status == GMC_OK) status = gmc_h5_verify(&w->h5, is_stopped, w);
    gmc_h5_free(&w->h5);
    return status;
}

gmc_status gmc_writer_write(const gmc_store_plan *plan, const gmc_writer_source *source,
                            const char *path, const atomic_bool *stop, gmc_diagnostics *messages)
{
    GMC_TRY(gmc_store_plan_check(plan, messages));
    char *name = gmc_beside_name(path, GMC_WRITER_MARK);
    if (!name) return GMC_E_MEMORY;
    gmc_beside_clean(path, GMC_WRITER_MARK);

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
