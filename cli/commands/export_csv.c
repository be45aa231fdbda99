#include "cli/commands/export_csv.h"

#include "cli/process/terminal.h"
#include "engine/base/printable.h"
#include "sampling/language/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// A file that is being written: commas come before all fields but the first of a line.
typedef struct table {
    FILE *out;
    bool is_inside; ///< a field of this line is there
    bool is_seen;   ///< on a terminal: what would act there is shown
} table;

static table table_to(FILE *out) { return (table){.out = out, .is_seen = gmc_terminal_shows(out)}; }

static void start(table *t)
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
    start(t);
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
    start(t);
    fprintf(t->out, "%" PRId64, value);
}

static void put_real(table *t, double value)
{
    start(t);
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

static const char *const FIXED[] = {"trial",   "case",  "object", "draw",  "outcome",
                                    "success", "valid", "reason", "phase", "t_end"};

static bool is_taken(const gmc_result_info *info, const char *name)
{
    for (size_t i = 0; i < sizeof FIXED / sizeof FIXED[0]; i++)
        if (strcmp(FIXED[i], name) == 0) return true;
    for (int i = 0; i < info->column_count; i++)
        if (strcmp(info->columns[i].name, name) == 0) return true;
    return false;
}

typedef struct trial_table {
    table table;
    const gmc_result_info *info;
} trial_table;

static gmc_status put_trial(void *context, const gmc_trial *trial)
{
    trial_table *rows = context;
    const gmc_result_info *info = rows->info;
    table *t = &rows->table;
    if (trial->case_index >= (uint32_t)info->case_count) return GMC_E_INPUT;
    put_whole(t, (int64_t)trial->trial);
    put_whole(t, trial->case_index);
    put_text(t, info->cases[trial->case_index].object);
    put_whole(t, (int64_t)trial->draw);
    put_text(t, gmc_outcome_name(trial->outcome));
    put_whole(t, trial->outcome == GMC_OUTCOME_SUCCESS);
    put_whole(t, trial->outcome != GMC_OUTCOME_UNSOLVED);
    put_text(t, gmc_reason_name(trial->reason));
    put_whole(t, trial->phase);
    put_real(t, trial->t_end);
    for (int i = 0; i < info->column_count; i++)
        if (info->columns[i].kind == GMC_COLUMN_REAL)
            put_real(t, trial->values[i]);
        else
            put_whole(t, (int64_t)trial->values[i]);
    for (int i = 0; i < info->parameter_count; i++)
        put_real(t, trial->samples[i]);
    return end_line(t);
}

gmc_status gmc_export_csv_trials(gmc_result *result, FILE *out)
{
    const gmc_result_info *info = gmc_result_about(result);
    trial_table rows = {.table = table_to(out), .info = info};
    for (size_t i = 0; i < sizeof FIXED / sizeof FIXED[0]; i++)
        put_text(&rows.table, FIXED[i]);
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

static void put_names(table *t, const char *of, const char *const *parts, int count)
{
    for (int i = 0; i < count; i++) {
        char name[512];
        snprintf(name, sizeof name, "%s.%s", of, parts[i]);
        put_text(t, name);
    }
}

static void put_reals(table *t, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        put_real(t, values[i]);
}

gmc_status gmc_export_csv_motion(const gmc_result_info *info, const gmc_trajectory *m, FILE *out)
{
    static const char *const POSE[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const char *const TWIST[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    static const char *const JOINT[] = {"q", "effort"};
    table t = table_to(out);
    int bodies = m->body_count, joints = m->joint_count;
    put_text(&t, "time");
    for (int b = 0; b < bodies; b++) {
        put_names(&t, info->names.bodies[b], POSE, 7);
        put_names(&t, info->names.bodies[b], TWIST, 6);
    }
    for (int j = 0; j < joints; j++)
        put_names(&t, info->names.joints[j], JOINT, 2);
    put_text(&t, "contacts");
    GMC_TRY(end_line(&t));
    for (int row = 0; row < m->row_count; row++) {
        put_real(&t, m->time[row]);
        for (int b = 0; b < bodies; b++) {
            put_reals(&t, &m->pose[((size_t)row * (size_t)bodies + (size_t)b) * 7], 7);
            put_reals(&t, &m->twist[((size_t)row * (size_t)bodies + (size_t)b) * 6], 6);
        }
        for (int j = 0; j < joints; j++) {
            put_real(&t, m->q[(size_t)row * (size_t)joints + (size_t)j]);
            put_real(&t, m->effort[(size_t)row * (size_t)joints + (size_t)j]);
        }
        put_whole(&t, (int64_t)m->contact_start[row + 1] - (int64_t)m->contact_start[row]);
        GMC_TRY(end_line(&t));
    }
    return GMC_OK;
}

static const char *geom_name(const gmc_result_info *info, int32_t geom)
{
    return geom >= 0 && geom < info->names.geom_count ? info->names.geoms[geom] : "";
}

gmc_status gmc_export_csv_contacts(const gmc_result_info *info, const gmc_trajectory *m, FILE *out)
{
    static const char *const XYZ[] = {"x", "y", "z"};
    static const char *const OF[] = {"point", "normal", "force", "torque"};
    table t = table_to(out);
    put_text(&t, "time");
    put_text(&t, "a");
    put_text(&t, "b");
    for (int i = 0; i < 4; i++)
        put_names(&t, OF[i], XYZ, 3);
    GMC_TRY(end_line(&t));
    for (int row = 0; row < m->row_count; row++)
        for (uint32_t c = m->contact_start[row]; c < m->contact_start[row + 1]; c++) {
            put_real(&t, m->time[row]);
            put_text(&t, geom_name(info, m->contact_geoms[2 * c]));
            put_text(&t, geom_name(info, m->contact_geoms[2 * c + 1]));
            put_reals(&t, &m->contact_point[3 * c], 3);
            put_reals(&t, &m->contact_normal[3 * c], 3);
            put_reals(&t, &m->contact_force[3 * c], 3);
            put_reals(&t, &m->contact_torque[3 * c], 3);
            GMC_TRY(end_line(&t));
        }
    return GMC_OK;
}
