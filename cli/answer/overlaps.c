#include "cli/answer/overlaps.h"

#include "cli/process/terminal.h"
#include "sampling/campaign/rollouts.h"

#include <inttypes.h>

const char *gmc_overlaps_text(const gmc_build_overlap *overlap, char text[GMC_OVERLAPS_TEXT_MAX])
{
    gmc_vec3 p = gmc_vec3_scale(1e3, overlap->place);
    snprintf(text, GMC_OVERLAPS_TEXT_MAX, "%.100s is %.1f mm in %.100s at (%.1f, %.1f, %.1f) mm",
             overlap->a, 1e3 * overlap->depth, overlap->b, p.x, p.y, p.z);
    return text;
}

gmc_status gmc_overlaps_of_trial(const gmc_prepared *prepared, uint64_t trial,
                                 gmc_build_overlaps *found)
{
    *found = (gmc_build_overlaps){0};
    if (prepared->scenario.subset.runs > 0) return GMC_OK;
    gmc_rollouts rollouts = {.scenario = &prepared->scenario, .build = prepared->build};
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = gmc_rollouts_overlaps(worker, trial, found);
    job.worker_free(worker);
    return status;
}

static gmc_status look_at_trials(void *worker, gmc_overlaps_ahead *ahead)
{
    for (uint64_t i = 0; i < ahead->looked_at; i++) {
        gmc_build_overlaps found;
        GMC_TRY(gmc_rollouts_overlaps(worker, i, &found));
        if (found.count == 0) return GMC_OK;
        if (i > 0 && found.list[0].depth <= ahead->them.list[0].depth) continue;
        ahead->them = found;
        ahead->worst = i;
    }
    ahead->is_undecided = true;
    return GMC_OK;
}

gmc_status gmc_overlaps_look_ahead(const gmc_prepared *prepared, const gmc_nominal_starts *starts,
                                   gmc_overlaps_ahead *ahead)
{
    enum { TRIALS = 64 };
    const gmc_scenario *s = &prepared->scenario;
    uint64_t cases = (uint64_t)starts->looked_at, most = cases > TRIALS ? cases : TRIALS;
    *ahead = (gmc_overlaps_ahead){.of = gmc_rollouts_total(s)};
    ahead->looked_at = ahead->of < most ? ahead->of : most;
    bool is_judged = s->level_count == 0 && !s->rank.is_given && s->subset.runs == 0;
    if (!is_judged || starts->deep < s->case_count) return GMC_OK;
    gmc_rollouts rollouts = {.scenario = s, .build = prepared->build};
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = look_at_trials(worker, ahead);
    job.worker_free(worker);
    return status;
}

void gmc_overlaps_print(const gmc_build_overlaps *overlaps, FILE *out)
{
    char text[GMC_OVERLAPS_TEXT_MAX];
    for (int i = 0; i < overlaps->count; i++)
        gmc_terminal_print(out, "  overlap  %s\n", gmc_overlaps_text(&overlaps->list[i], text));
    if (overlaps->pair_count > overlaps->count)
        fprintf(out, "  ... %d pairs more\n", overlaps->pair_count - overlaps->count);
}

static void put_vector(gmc_json *json, const char *name, gmc_vec3 v)
{
    gmc_json_open(json, name, '[');
    gmc_json_real(json, NULL, v.x);
    gmc_json_real(json, NULL, v.y);
    gmc_json_real(json, NULL, v.z);
    gmc_json_close(json, ']');
}

void gmc_overlaps_put(gmc_json *json, const gmc_build_overlap *overlap)
{
    gmc_json_text(json, "a", overlap->a);
    gmc_json_text(json, "b", overlap->b);
    gmc_json_real(json, "depth_m", overlap->depth);
    put_vector(json, "point_m", overlap->place);
    put_vector(json, "normal", overlap->normal);
}

void gmc_overlaps_json(const gmc_build_overlaps *overlaps, gmc_json *json)
{
    gmc_json_open(json, "overlaps", '[');
    for (int i = 0; i < overlaps->count; i++) {
        gmc_json_open(json, NULL, '{');
        gmc_overlaps_put(json, &overlaps->list[i]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

void gmc_overlaps_put_move(gmc_json *json, const gmc_freeing *move, const gmc_scenario *scenario)
{
    if (move->count == 0) {
        gmc_json_text(json, "move", NULL);
        return;
    }
    gmc_json_open(json, "move", '[');
    for (int i = 0; i < move->count; i++) {
        gmc_json_open(json, NULL, '{');
        const gmc_parameter *p = &scenario->parameters[move->param[i]];
        gmc_json_text(json, "path", p->path);
        gmc_json_real(json, p->dimension == GMC_DIM_ANGLE ? "by_rad" : "by_m", move->by[i]);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

/// What parts them, or what else to do.
static const char *how_to_part(const gmc_freeing *move, const gmc_scenario *scenario,
                               char text[GMC_OVERLAPS_HOW_MAX])
{
    char how[GMC_FREEING_TEXT_MAX], left[64] = "";
    if (move->count == 0) return "move them apart";
    if (move->left > GMC_BUILD_OVERLAP_TOLD)
        snprintf(left, sizeof left, " of what is too deep, and leaves %.1f mm of others",
                 1e3 * move->left);
    snprintf(text, GMC_OVERLAPS_HOW_MAX, "%s frees it%s", gmc_freeing_text(move, scenario, how),
             left);
    return text;
}

/// Cases in which bodies overlap at nominal values.
typedef struct met {
    const gmc_build_overlap *worst;
    int64_t in, cases; ///< the worst case; how many such there are
    int more;          ///< other pairs in it
    int64_t looked_at; ///< cases
    const char *limit; ///< ends the message, behind who overlaps
    const char *fate;  ///< of trials that start so
} met;

/// ", and 2 other pairs overlap in case 3, the worst of 4 such cases of 5"
static void describe(const met *of, const gmc_scenario *scenario, char text[GMC_OVERLAPS_TEXT_MAX])
{
    char others[48] = "", cases[128] = "";
    if (of->more > 0)
        snprintf(others, sizeof others, ", and %d other pair%s overlap%s", of->more,
                 of->more > 1 ? "s" : "", of->more > 1 ? "" : "s");
    if (scenario->case_count > 1)
        snprintf(cases, sizeof cases,
                 " in case %" PRId64 ", the worst of %" PRId64 " such cases of %s%" PRId64, of->in,
                 of->cases, of->looked_at < scenario->case_count ? "the first " : "",
                 of->looked_at);
    snprintf(text, GMC_OVERLAPS_TEXT_MAX, "%s%s", others, cases);
}

static gmc_status warn(const char *file, const gmc_scenario *scenario, const gmc_build *build,
                       const met *of, gmc_diagnostics *messages)
{
    gmc_freeing move;
    char where[GMC_OVERLAPS_TEXT_MAX], which[GMC_OVERLAPS_TEXT_MAX];
    char how[GMC_OVERLAPS_HOW_MAX], hint[GMC_OVERLAPS_HOW_MAX + 96];
    GMC_TRY(gmc_freeing_find(scenario, build, of->in, NULL, &move));
    describe(of, scenario, which);
    snprintf(hint, sizeof hint, "%s; trials that start so %s", how_to_part(&move, scenario, how),
             of->fate);
    gmc_diagnostics_add(messages, GMC_OK, (gmc_source){.file = file}, hint,
                        "at nominal values %s%s%s", gmc_overlaps_text(of->worst, where), which,
                        of->limit);
    return GMC_OK;
}

gmc_status gmc_overlaps_warn(const char *file, const gmc_scenario *scenario, const gmc_build *build,
                             const gmc_nominal_starts *starts, gmc_diagnostics *messages)
{
    char limit[96];
    if (starts->deep == 0) return GMC_OK;
    const gmc_build_overlap *worst = &starts->worst.list[0];
    snprintf(limit, sizeof limit, "; up to %.3g mm is accepted%s", 1e3 * worst->accepted,
             worst->accepted < starts->accepted ? ", the thickness of the pad" : "");
    const met of = {.worst = worst,
                    .in = starts->deepest,
                    .cases = starts->deep,
                    .more = starts->worst.pair_count - 1,
                    .looked_at = starts->looked_at,
                    .limit = limit,
                    .fate = "are unsolved (deep_start)"};
    return warn(file, scenario, build, &of, messages);
}

gmc_status gmc_overlaps_warn_shallow(const char *file, const gmc_scenario *scenario,
                                     const gmc_build *build, const gmc_nominal_starts *starts,
                                     gmc_diagnostics *messages)
{
    if (starts->shallow == 0) return GMC_OK;
    const met of = {.worst = &starts->lightly,
                    .in = starts->shallowest,
                    .cases = starts->shallow,
                    .more = starts->lightly_count - 1,
                    .looked_at = starts->looked_at,
                    .limit = "",
                    .fate = "run, and give it back within 0.3 s where nothing holds it"};
    return warn(file, scenario, build, &of, messages);
}
