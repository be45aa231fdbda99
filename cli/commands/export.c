// graspmc export: a result, or the motion of one trial, in another format.
//
// Nothing but the file is looked at, so that results of other versions can be exported too.
#include "cli/commands/commands.h"
#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "cli/process/text_file.h"
#include "engine/base/printable.h"
#include "sampling/language/units.h"
#include "sampling/store/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ==== CSV =======================================================================================

// Results as comma-separated values (RFC 4180, lines ended by one line feed): a header, then a row
// for each trial, row of a motion, or contact. Numbers are the shortest that read back as the same
// double; NaN is an empty field, infinities are inf and -inf.

/// A file that is being written: commas come before all fields but the first of a line.
typedef struct table {
    FILE *out;
    bool is_inside; ///< a field of this line is there
    bool is_seen;   ///< on a terminal: what would act there is shown
} table;

static table table_to(FILE *out)
{
    return (table){.out = out, .is_seen = gmc_terminal_of(out) != GMC_TERMINAL_NONE};
}

static void start_field(table *t)
{
    if (t->is_inside) fputc(',', t->out);
    t->is_inside = true;
}

/// Quoted where a comma, a quote or a line end would be misread.
static void put_text(table *t, const char *text)
{
    bool is_quoted = strpbrk(text, ",\"\r\n");
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    start_field(t);
    if (is_quoted) fputc('"', t->out);
    for (const char *p = text; *p; p += used) {
        gmc_printable_next(p, shown, &used);
        if (*p == '"') fputc('"', t->out);
        if (t->is_seen)
            fputs(shown, t->out);
        else
            fwrite(p, 1, (size_t)used, t->out);
    }
    if (is_quoted) fputc('"', t->out);
}

static void put_whole(table *t, int64_t value)
{
    start_field(t);
    fprintf(t->out, "%" PRId64, value);
}

static void put_real(table *t, double value)
{
    start_field(t);
    if (isnan(value)) return;
    char text[GMC_UNITS_TEXT];
    gmc_units_print(value, text);
    fputs(text, t->out);
}

static gmc_status end_line(table *t)
{
    fputc('\n', t->out);
    t->is_inside = false;
    return ferror(t->out) ? GMC_E_IO : GMC_OK;
}

// ---- trials -----------------------------------------------------------------------------------

static const char OBJECT[] = "object"; ///< a column of its own behind the case

static bool is_taken(const gmc_result_info *info, const char *name)
{
    if (strcmp(OBJECT, name) == 0) return true;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++)
        if (strcmp(gmc_trial_fields[i].name, name) == 0) return true;
    for (int i = 0; i < info->column_count; i++)
        if (strcmp(info->columns[i].name, name) == 0) return true;
    return false;
}

typedef struct trial_table {
    table table;
    const gmc_result_info *info;
} trial_table;

static void put_field(table *t, const gmc_trial *trial, const gmc_trial_field *field)
{
    if (field->kind == GMC_TRIAL_F64)
        put_real(t, gmc_trial_real(trial, field));
    else if (field->kind == GMC_TRIAL_OUTCOME)
        put_text(t, gmc_outcome_name(trial->outcome));
    else if (field->kind == GMC_TRIAL_REASON)
        put_text(t, gmc_reason_name(trial->reason));
    else
        put_whole(t, (int64_t)gmc_trial_whole(trial, field));
}

static gmc_status put_trial(void *context, const gmc_trial *trial)
{
    trial_table *rows = context;
    const gmc_result_info *info = rows->info;
    table *t = &rows->table;
    if (trial->case_index >= (uint32_t)info->case_count) return GMC_E_INPUT;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        put_field(t, trial, &gmc_trial_fields[i]);
        if (strcmp(gmc_trial_fields[i].name, "case") == 0)
            put_text(t, info->cases[trial->case_index].object);
    }
    for (int i = 0; i < info->column_count; i++)
        if (info->columns[i].kind == GMC_COLUMN_REAL)
            put_real(t, trial->values[i]);
        else
            put_whole(t, (int64_t)trial->values[i]);
    for (int i = 0; i < info->parameter_count; i++)
        put_real(t, trial->samples[i]);
    return end_line(t);
}

static gmc_status export_csv_trials(gmc_result *result, FILE *out)
{
    const gmc_result_info *info = gmc_result_about(result);
    trial_table rows = {.table = table_to(out), .info = info};
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        put_text(&rows.table, gmc_trial_fields[i].name);
        if (strcmp(gmc_trial_fields[i].name, "case") == 0) put_text(&rows.table, OBJECT);
    }
    for (int i = 0; i < info->column_count; i++)
        put_text(&rows.table, info->columns[i].name);
    for (int i = 0; i < info->parameter_count; i++) {
        const char *name = info->parameters[i].name;
        char other[512];
        if (is_taken(info, name)) {
            snprintf(other, sizeof other, "parameter %s", name);
            name = other;
        }
        put_text(&rows.table, name);
    }
    GMC_TRY(end_line(&rows.table));
    return gmc_result_trials(result, put_trial, &rows);
}

// ---- motion -----------------------------------------------------------------------------------

/// Names of the columns of an array that is `of` something.
static void put_names(table *t, const char *of, const gmc_trajectory_array *array)
{
    char name[512];
    const char *column = array->columns ? array->columns : "";
    do {
        int length = (int)strcspn(column, " ");
        const char *point = *of && length > 0 ? "." : "";
        snprintf(name, sizeof name, "%s%s%.*s", of, point, length, column);
        put_text(t, name);
        column += length + (column[length] == ' ');
    } while (*column);
}

static const char *geom_name(const gmc_result_info *info, int32_t geom)
{
    return geom >= 0 && geom < info->names.geom_count ? info->names.geoms[geom] : "";
}

/// What is being written of a trajectory.
typedef struct motion_table {
    table table;
    const gmc_result_info *info;
    const gmc_trajectory *path; ///< NULL: the line of names
} motion_table;

/// One entry of an array, or its names.
static void put_entry(motion_table *m, const gmc_trajectory_array *array, const char *of,
                      size_t entry)
{
    if (!m->path) {
        put_names(&m->table, of, array);
        return;
    }
    const void *numbers = gmc_trajectory_numbers(m->path, array);
    for (size_t i = 0, at = entry * (size_t)array->width; i < (size_t)array->width; i++, at++)
        if (array->kind == GMC_TRAJECTORY_REAL)
            put_real(&m->table, ((const double *)numbers)[at]);
        else
            put_text(&m->table, geom_name(m->info, ((const int32_t *)numbers)[at]));
}

/// Entry `entry` of all arrays of a kind that there is one of for each `per`.
/// @param owner  whose it is; NULL: nobody's
static void put_entries(motion_table *m, gmc_trajectory_kind kind, gmc_trajectory_per per,
                        const char *owner, size_t entry)
{
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        char of[512];
        if (array->kind != kind || array->per != per) continue;
        if (kind == GMC_TRAJECTORY_GEOM)
            of[0] = 0; // the columns say it all
        else if (!owner)
            snprintf(of, sizeof of, "%s", array->name);
        else if (array->columns)
            snprintf(of, sizeof of, "%s", owner);
        else
            snprintf(of, sizeof of, "%s.%s", owner, array->name);
        put_entry(m, array, of, entry);
    }
}

static gmc_status put_motion(motion_table *m, int bodies, int joints, size_t row)
{
    put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_ROW, NULL, row);
    for (int b = 0; b < bodies; b++)
        put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_ROW_BODY, m->info->names.bodies[b],
                    row * (size_t)bodies + (size_t)b);
    for (int b = 0; b < bodies && m->info->has_pushes; b++) {
        char of[512];
        snprintf(of, sizeof of, "%s.action", m->info->names.bodies[b]);
        put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_ROW_PUSH, of,
                    row * (size_t)bodies + (size_t)b);
    }
    for (int j = 0; j < joints; j++)
        put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_ROW_JOINT, m->info->names.joints[j],
                    row * (size_t)joints + (size_t)j);
    for (int j = 0; j < joints && m->info->has_actions; j++)
        put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_ROW_ACTION, m->info->names.joints[j],
                    row * (size_t)joints + (size_t)j);
    if (!m->path)
        put_text(&m->table, "contacts");
    else
        put_whole(&m->table,
                  (int64_t)m->path->contact_start[row + 1] - (int64_t)m->path->contact_start[row]);
    return end_line(&m->table);
}

static gmc_status export_csv_motion(const gmc_result_info *info, const gmc_trajectory *path,
                                    FILE *out)
{
    motion_table m = {.table = table_to(out), .info = info};
    GMC_TRY(put_motion(&m, path->body_count, path->joint_count, 0));
    m.path = path;
    for (int row = 0; row < path->row_count; row++)
        GMC_TRY(put_motion(&m, path->body_count, path->joint_count, (size_t)row));
    return GMC_OK;
}

static gmc_status put_contact(motion_table *m, size_t row, size_t contact)
{
    put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_ROW, NULL, row);
    put_entries(m, GMC_TRAJECTORY_GEOM, GMC_TRAJECTORY_CONTACT, NULL, contact);
    put_entries(m, GMC_TRAJECTORY_REAL, GMC_TRAJECTORY_CONTACT, NULL, contact);
    return end_line(&m->table);
}

static gmc_status export_csv_contacts(const gmc_result_info *info, const gmc_trajectory *path,
                                      FILE *out)
{
    motion_table m = {.table = table_to(out), .info = info};
    GMC_TRY(put_contact(&m, 0, 0));
    m.path = path;
    for (int row = 0; row < path->row_count; row++)
        for (uint32_t c = path->contact_start[row]; c < path->contact_start[row + 1]; c++)
            GMC_TRY(put_contact(&m, (size_t)row, c));
    return GMC_OK;
}

// ==== the command ===============================================================================

typedef struct gmc_exporting {
    const gmc_args *args;
    gmc_result *result;
    gmc_diagnostics messages;
} gmc_exporting;

/// The motion of one trial, as it was kept.
static gmc_status export_trial(gmc_exporting *e, FILE *out)
{
    gmc_trial_copy copy = {0};
    const gmc_result_info *info = gmc_result_about(e->result);
    gmc_status status = gmc_result_trial(e->result, e->args->trial.value, &copy);
    if (status == GMC_OK && !copy.trial.trajectory) {
        char hint[400];
        snprintf(hint, sizeof hint,
                 "graspmc replay %.200s --trial %" PRIu64
                 " -o TRIAL.h5  keeps it; then export that",
                 e->args->input, e->args->trial.value);
        gmc_diagnostics_add(&e->messages, GMC_E_INPUT, (gmc_source){.file = e->args->input}, hint,
                            "the motion of trial %" PRIu64 " was not kept", e->args->trial.value);
        status = GMC_E_INPUT;
    }
    if (status == GMC_OK)
        status = e->args->contacts ? export_csv_contacts(info, copy.trial.trajectory, out)
                                   : export_csv_motion(info, copy.trial.trajectory, out);
    gmc_trial_copy_free(&copy);
    // a number that the file does not have is a wrong number, not a missing file
    return status == GMC_E_MISSING ? GMC_E_INPUT : status;
}

static gmc_status export_to(void *context, FILE *out)
{
    gmc_exporting *e = context;
    return e->args->trial.is_given ? export_trial(e, out) : export_csv_trials(e->result, out);
}

/// What stands in the file now, as JSON.
static void answer(const gmc_exporting *e)
{
    const gmc_args *args = e->args;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "output", args->out);
    gmc_json_text(&json, "format", "csv");
    gmc_json_text(&json, "holds",
                  !args->trial.is_given ? "trials"
                  : args->contacts      ? "contacts"
                                        : "motion");
    if (args->trial.is_given)
        gmc_json_whole(&json, "trial", args->trial.value);
    else
        gmc_json_whole(&json, "trials", gmc_result_about(e->result)->count);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

gmc_exit gmc_export_main(const gmc_args *args)
{
    gmc_exporting e = {.args = args};
    gmc_status status = gmc_result_open(args->input, &e.messages, &e.result);
    if (status == GMC_OK)
        status = args->out ? gmc_text_file_write(args->out, args->force, args->input, export_to, &e,
                                                 &e.messages)
                           : export_to(&e, stdout);
    if (status == GMC_OK && args->json) answer(&e);
    gmc_terminal_messages(&e.messages);
    // what the standard output did not take, main says
    if (status != GMC_OK && status != GMC_E_IO && e.messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc export: %s\n", gmc_status_name(status));
    gmc_result_close(e.result);
    gmc_diagnostics_free(&e.messages);
    bool is_cut = status == GMC_E_IO && !args->out && ferror(stdout) && errno == EPIPE;
    return is_cut ? GMC_EXIT_DONE : gmc_exit_of(status);
}
