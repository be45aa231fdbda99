// Texts of options to values: one parser per option.
#include "cli/options/args_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool whole(const char *text, uint64_t lowest, uint64_t highest, uint64_t *value)
{
    if (text[0] < '0' || text[0] > '9') return false; // strtoull would take "-1" and " 1"
    char *end = NULL;
    errno = 0;
    unsigned long long found = strtoull(text, &end, 10);
    if (errno != 0 || *end != 0 || found < lowest || found > highest) return false;
    *value = found;
    return true;
}

static bool count(const char *text, int64_t lowest, int64_t *value)
{
    uint64_t found;
    if (!whole(text, (uint64_t)lowest, INT64_MAX, &found)) return false;
    *value = (int64_t)found;
    return true;
}

/// A finite decimal number at the start of the text; `rest` is what follows it.
static bool real(const char *text, double *value, const char **rest)
{
    if (strchr("0123456789.", text[0]) == NULL || text[0] == 0) return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
    char *end = NULL;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && isfinite(*value);
}

bool gmc_args_parse_out(const char *text, gmc_args *args)
{
    args->out = text;
    return text[0] != 0;
}

/// 1000, and 1e3 as `draws: 1e3`.
bool gmc_args_parse_draws(const char *text, gmc_args *args)
{
    double value;
    const char *rest;
    if (count(text, 1, &args->draws)) return true;
    if (!strpbrk(text, "eE.") || !real(text, &value, &rest) || *rest != 0) return false;
    if (!(value >= 1 && value <= 9007199254740992.0) || floor(value) != value) return false;
    args->draws = (int64_t)value;
    return true;
}

bool gmc_args_parse_workers(const char *text, gmc_args *args)
{
    return count(text, 1, &args->workers) && args->workers <= 4096;
}

bool gmc_args_parse_seed(const char *text, gmc_args *args)
{
    args->has_seed = true;
    return whole(text, 0, UINT64_MAX, &args->seed);
}

bool gmc_args_parse_set(const char *text, gmc_args *args)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == 0) return false;
    if (args->set_count == GMC_ARGS_SET_MAX) return false;
    args->sets[args->set_count++] = text;
    return true;
}

bool gmc_args_parse_allow(const char *text, gmc_args *args)
{
    if (text[0] == 0 || args->allow_count == GMC_ARGS_ALLOW_MAX) return false;
    args->allow[args->allow_count++] = text;
    return true;
}

bool gmc_args_parse_trials(const char *text, gmc_args *args)
{
    char first[24];
    const char *colon = strchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof first) return false;
    memcpy(first, text, (size_t)(colon - text));
    first[colon - text] = 0;
    args->has_trials = true;
    return whole(first, 0, INT64_MAX, &args->trial_first) &&
           whole(colon + 1, args->trial_first + 1, INT64_MAX, &args->trial_end);
}

bool gmc_args_parse_shard(const char *text, gmc_args *args)
{
    return gmc_shard_parse(text, &args->shard);
}

bool gmc_args_parse_after(const char *text, gmc_args *args)
{
    args->after = text;
    return text[0] != 0;
}

bool gmc_args_parse_until(const char *text, gmc_args *args)
{
    args->has_until = true;
    return gmc_stop_parse(text, &args->stop) && gmc_stop_is_width(args->stop.kind);
}

bool gmc_args_parse_decide(const char *text, gmc_args *args)
{
    args->has_decide = true;
    return gmc_stop_parse(text, &args->stop) && !gmc_stop_is_width(args->stop.kind);
}

bool gmc_args_parse_trajectories(const char *text, gmc_args *args)
{
    static const struct {
        const char *word;
        gmc_args_record record;
    } WORDS[] = {{"none", GMC_ARGS_RECORD_NONE},
                 {"failures", GMC_ARGS_RECORD_FAILURES},
                 {"all", GMC_ARGS_RECORD_ALL}};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(text, WORDS[i].word) == 0) {
            args->record = WORDS[i].record;
            return true;
        }
    if (strncmp(text, "first:", 6) != 0 && strncmp(text, "every:", 6) != 0) return false;
    args->record = text[0] == 'f' ? GMC_ARGS_RECORD_FIRST : GMC_ARGS_RECORD_EVERY;
    return count(text + 6, 1, &args->record_count);
}

bool gmc_args_parse_rate(const char *text, gmc_args *args)
{
    const char *rest;
    if (!real(text, &args->rate, &rest)) return false;
    while (*rest == ' ')
        rest++;
    return *rest == 0 || strcmp(rest, "Hz") == 0;
}

bool gmc_args_parse_design(const char *text, gmc_args *args)
{
    args->design = text;
    return text[0] != 0;
}

bool gmc_args_parse_stepper(const char *text, gmc_args *args)
{
    args->stepper = text;
    return text[0] != 0;
}

bool gmc_args_parse_solver(const char *text, gmc_args *args)
{
    args->solver = text;
    return text[0] != 0;
}

bool gmc_args_parse_step(const char *text, gmc_args *args)
{
    args->step = text;
    return text[0] != 0;
}

bool gmc_args_parse_on_unsolved(const char *text, gmc_args *args)
{
    args->abort_on_unsolved = strcmp(text, "abort") == 0;
    return args->abort_on_unsolved || strcmp(text, "record") == 0;
}

bool gmc_args_parse_time_limit(const char *text, gmc_args *args)
{
    static const struct {
        const char *unit;
        double seconds;
    } UNITS[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    const char *rest;
    if (!real(text, &args->time_limit, &rest) || args->time_limit <= 0) return false;
    while (*rest == ' ')
        rest++;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (strcmp(rest, UNITS[i].unit) == 0) {
            args->time_limit *= UNITS[i].seconds;
            return true;
        }
    return false;
}

bool gmc_args_parse_level(const char *text, gmc_args *args)
{
    const char *rest;
    return real(text, &args->level, &rest) && *rest == 0 && args->level >= 0.5 && args->level < 1;
}

bool gmc_args_parse_progress(const char *text, gmc_args *args)
{
    static const char *const WORDS[] = {"auto", "bar", "plain", "json", "none"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(text, WORDS[i]) == 0) {
            args->progress = (gmc_args_progress)i;
            return true;
        }
    return false;
}

bool gmc_args_parse_best(const char *text, gmc_args *args) { return count(text, 1, &args->best); }

bool gmc_args_parse_per(const char *text, gmc_args *args)
{
    args->per_object = strcmp(text, "object") == 0;
    return args->per_object || strcmp(text, "all") == 0;
}

bool gmc_args_parse_by(const char *text, gmc_args *args)
{
    args->by = text;
    return text[0] != 0;
}

bool gmc_args_parse_where(const char *text, gmc_args *args)
{
    args->where = text;
    return text[0] != 0;
}

bool gmc_args_parse_rebin(const char *text, gmc_args *args)
{
    if (text[0] == 0 || args->rebin_count == GMC_ARGS_REBIN_MAX) return false;
    args->rebins[args->rebin_count++] = text;
    return true;
}

bool gmc_args_parse_sensitivity(const char *text, gmc_args *args)
{
    args->sensitivity = text;
    return text[0] != 0;
}

/// "0.5,0.95": rising numbers from 1e-6 to 1 - 1e-6.
static bool shares(const char *text, gmc_args *args)
{
    static const double LEAST = 1e-6;
    args->quantile_count = 0;
    for (const char *at = text;; at++) {
        double p;
        if (args->quantile_count == GMC_ARGS_QUANTILES_MAX || !real(at, &p, &at)) return false;
        if (!(p >= LEAST && p <= 1 - LEAST)) return false;
        int i = args->quantile_count++;
        for (; i > 0 && args->quantile_p[i - 1] > p; i--)
            args->quantile_p[i] = args->quantile_p[i - 1];
        args->quantile_p[i] = p;
        if (*at != ',') return *at == 0;
    }
}

bool gmc_args_parse_quantile(const char *text, gmc_args *args)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof args->quantile_of) return false;
    memcpy(args->quantile_of, text, length);
    args->quantile_of[length] = 0;
    args->quantile = text;
    return shares(colon ? colon + 1 : "0.05,0.5,0.95", args);
}

bool gmc_args_parse_success(const char *text, gmc_args *args)
{
    args->success = text;
    return text[0] != 0;
}

bool gmc_args_parse_fail_if(const char *text, gmc_args *args)
{
    return gmc_gate_parse(text, &args->gate);
}

bool gmc_args_parse_trial(const char *text, gmc_args *args)
{
    args->has_trial = true;
    return whole(text, 0, INT64_MAX, &args->trial);
}

bool gmc_args_parse_hdf5_locking(const char *text, gmc_args *args)
{
    static const char *const WORDS[][2] = {
        {"off", "FALSE"}, {"best-effort", "BEST_EFFORT"}, {"on", "TRUE"}};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(text, WORDS[i][0]) == 0) {
            args->hdf5_locking = WORDS[i][1];
            return true;
        }
    return false;
}

bool gmc_args_parse_to(const char *text, gmc_args *args)
{
    return args->to_csv = strcmp(text, "csv") == 0;
}

bool gmc_args_parse_contacts(const char *text, gmc_args *args)
{
    return (void)text, args->contacts = true;
}

bool gmc_args_parse_force(const char *text, gmc_args *args)
{
    return (void)text, args->force = true;
}

bool gmc_args_parse_complete(const char *text, gmc_args *args)
{
    return (void)text, args->complete = true;
}

bool gmc_args_parse_resume(const char *text, gmc_args *args)
{
    return (void)text, args->resume = true;
}

bool gmc_args_parse_grasps(const char *text, gmc_args *args)
{
    return (void)text, args->grasps = true;
}

bool gmc_args_parse_surrogate(const char *text, gmc_args *args)
{
    return (void)text, args->surrogate = true;
}

bool gmc_args_parse_failures(const char *text, gmc_args *args)
{
    return (void)text, args->failures = true;
}

bool gmc_args_parse_parameters(const char *text, gmc_args *args)
{
    return (void)text, args->parameters = true;
}

bool gmc_args_parse_expanded(const char *text, gmc_args *args)
{
    return (void)text, args->expanded = true;
}

bool gmc_args_parse_pilot(const char *text, gmc_args *args)
{
    uint64_t count = 0;
    if (!whole(text, 1, 100000, &count)) return false;
    args->pilot = (int64_t)count;
    return true;
}

bool gmc_args_parse_json(const char *text, gmc_args *args) { return (void)text, args->json = true; }

bool gmc_args_parse_shapes(const char *text, gmc_args *args)
{
    return (void)text, args->json = args->shapes = true;
}

bool gmc_args_parse_model(const char *text, gmc_args *args)
{
    return (void)text, args->model = true;
}

bool gmc_args_parse_frame(const char *text, gmc_args *args)
{
    args->frame = text;
    return text[0] != 0;
}

bool gmc_args_parse_material(const char *text, gmc_args *args)
{
    args->material = text;
    return text[0] != 0 && text[strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789")] == 0;
}

bool gmc_args_parse_mass(const char *text, gmc_args *args)
{
    const char *rest = "";
    return real(text, &args->mass, &rest) && args->mass > 0 &&
           (*rest == 0 || strcmp(rest, "kg") == 0 || strcmp(rest, " kg") == 0);
}

bool gmc_args_parse_no_warnings(const char *text, gmc_args *args)
{
    return (void)text, args->no_warnings = true;
}

bool gmc_args_parse_quiet(const char *text, gmc_args *args)
{
    return (void)text, args->quiet = true;
}

bool gmc_args_parse_help(const char *text, gmc_args *args)
{
    return (void)text, args->wants_help = true;
}
