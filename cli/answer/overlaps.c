#include "cli/answer/overlaps.h"

#include "cli/process/terminal.h"

#include <inttypes.h>

const char *gmc_overlaps_text(const gmc_build_overlap *overlap, char text[GMC_OVERLAPS_TEXT_MAX])
{
    gmc_vec3 p = gmc_vec3_scale(1e3, overlap->place);
    snprintf(text, GMC_OVERLAPS_TEXT_MAX, "%.100s is %.1f mm in %.100s at (%.1f, %.1f, %.1f) mm",
             overlap->a, 1e3 * overlap->depth, overlap->b, p.x, p.y, p.z);
    return text;
}

void gmc_overlaps_print(const gmc_build_overlaps *overlaps, FILE *out)
{
    char text[GMC_OVERLAPS_TEXT_MAX];
    for (int i = 0; i < overlaps->count; i++)
        gmc_terminal_print(out, "  overlap  %s\n", gmc_overlaps_text(&overlaps->list[i], text));
    if (overlaps->pair_count > overlaps->count)
        fprintf(out, "  ... %d pairs more\n", overlaps->pair_count - overlaps->count);
}

void gmc_overlaps_put(gmc_json *json, const gmc_build_overlap *overlap)
{
    gmc_json_text(json, "a", overlap->a);
    gmc_json_text(json, "b", overlap->b);
    gmc_json_real(json, "depth_m", overlap->depth);
    gmc_vec3 p = overlap->place, n = overlap->normal;
    gmc_json_reals(json, "point_m", (const double[]){p.x, p.y, p.z}, 3);
    gmc_json_reals(json, "normal", (const double[]){n.x, n.y, n.z}, 3);
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

static gmc_status warn_of(const char *file, const gmc_scenario *scenario, const gmc_build *build,
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

static gmc_status warn_deep(const char *file, const gmc_scenario *scenario, const gmc_build *build,
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
    return warn_of(file, scenario, build, &of, messages);
}

/// Of cases that can start: bodies overlap by more than 0.1 mm, less than a trial refuses.
static gmc_status warn_shallow(const char *file, const gmc_scenario *scenario,
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
                    .fate = "run: the bodies part within 0.3 s where nothing holds them"};
    return warn_of(file, scenario, build, &of, messages);
}

gmc_status gmc_overlaps_warn(const char *file, const gmc_prepared *prepared,
                             const gmc_nominal_starts *starts, bool is_shallow_told,
                             gmc_diagnostics *messages)
{
    GMC_TRY(warn_deep(file, &prepared->scenario, prepared->build, starts, messages));
    if (!is_shallow_told) return GMC_OK;
    return warn_shallow(file, &prepared->scenario, prepared->build, starts, messages);
}
