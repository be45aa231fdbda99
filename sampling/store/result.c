#define _POSIX_C_SOURCE 200809L
#include "sampling/store/result.h"

#include "sampling/hdf5/bytes.h"
#include "sampling/store/result_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 20 };

gmc_status gmc_result_open(const char *path, gmc_diagnostics *messages, gmc_result **out)
{
    *out = NULL;
    gmc_result *r = calloc(1, sizeof *r);
    if (!r) return GMC_E_MEMORY;
    r->file.apart.socket = -1;
    r->path = strdup(path);
    gmc_status status = r->path ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_read_open(r->path, messages, &r->file);
    if (status == GMC_OK) status = gmc_result_info_read(r);
    if (status == GMC_OK) status = gmc_result_open_trials(r);
    if (status == GMC_OK) status = gmc_result_trajectory_open(r);
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
        else if (!gmc_result_info_own(r, name))
            status = GMC_E_MEMORY;
    }
    if (found && !gmc_result_info_own(r, found)) status = GMC_E_MEMORY;
    GMC_TRY(status);
    if (!found || count != measures)
        return gmc_h5_read_refuse(&r->file, "/trials", "does not fit /columns");

    gmc_column *columns = gmc_result_info_take(r, (size_t)measures, sizeof *columns);
    r->field_count = fixed + measures;
    r->fields = gmc_result_info_take(r, (size_t)r->field_count, sizeof *r->fields);
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
    if (!gmc_result_info_own(r, block)) return GMC_E_MEMORY;
    const char **names = gmc_result_info_take(r, (size_t)count, sizeof(char *));
    if (!names) return GMC_E_MEMORY;
    for (int i = 0; i < count; i++) {
        char *name = gmc_result_info_take(r, piece + 1, 1);
        if (!name) return GMC_E_MEMORY;
        memcpy(name, block + (size_t)i * piece, piece);
        names[i] = name;
    }
    r->info.phases = names;
    r->info.phase_count = count;
    return GMC_OK;
}

gmc_status gmc_result_open_trials(gmc_result *r)
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

/// Take one row apart; `number` is what it must be, with a ladder at least.
static gmc_status parse_row(gmc_result *r, const unsigned char *row, const unsigned char *samples,
                            uint64_t number, gmc_trial *t)
{
    bool is_sparse = r->info.is_sparse;
    size_t fields = gmc_layout_get_trial(row, t);
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
        bool has_levels = info->ladder[0] != 0;
        gmc_diagnostics_add(r->file.messages, GMC_ERROR, GMC_E_MISSING, source,
                            has_levels ? "/ladder/trials lists those that are here"
                                       : "/trials lists those that are here",
                            "trial %llu was not run: the %s did not ask for it",
                            (unsigned long long)number,
                            has_levels                ? "ladder"
                            : info->margin[0] != 0    ? "subset simulation"
                            : info->two_level[0] != 0 ? "pilot"
                                                      : "ranking");
        return GMC_E_MISSING;
    }
    if (!is_here) {
        gmc_diagnostics_add(r->file.messages, GMC_ERROR, GMC_E_MISSING, source, NULL,
                            "there is no trial %llu here, only %llu ... %llu",
                            (unsigned long long)number, (unsigned long long)info->first,
                            (unsigned long long)(info->first + info->count - 1));
        return GMC_E_MISSING;
    }
    gmc_trial_size size = {.column_count = info->column_count,
                           .sample_count = info->parameter_count};
    uint64_t row = 0;
    bool has_path = gmc_result_trajectory_find(r, number, &row);
    if (has_path) GMC_TRY(gmc_result_trajectory_size(r, row, &size));
    GMC_TRY(look_at(r, at));
    GMC_TRY(gmc_trial_copy_reserve(trial, &size));
    at -= r->window.first;
    GMC_TRY(parse_row(r, r->window.rows + at * r->trials.row_bytes,
                      r->window.samples + at * r->samples.row_bytes, number, &trial->trial));
    return has_path ? gmc_result_trajectory_read(r, row, &trial->trajectory) : GMC_OK;
}
