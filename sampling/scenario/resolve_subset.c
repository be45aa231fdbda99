// Subset simulation moves in the space of all that is uncertain, from trial to trial: what is not
// one number of a line, and what chooses trials by other rules, does not go with it.
#include "sampling/design/pairs.h"
#include "sampling/design/subset_answer.h"
#include "sampling/scenario/resolve_internal.h"

#include <math.h>
#include <string.h>

static void refuse(const gmc_resolver *r, gmc_source source, const char *hint, const char *what)
{
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint, "sampling.subset: %s",
                        what);
}

static void check_lines(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->uncertain_count == 0)
        refuse(r, s->subset.source, "add  uncertain", "nothing is uncertain");
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->tripod > 0)
            refuse(r, line->source, "give each coordinate a line of its own, ...points.0.x",
                   "a tripod is more than one number, and no way leads from one to the next");
    }
}

/// Does a law choose among so few values that what lies beside one in standard normal space is no
/// more like it than what lies far?
static bool has_few_values(const gmc_distribution *d)
{
    enum { FEW = 50 };
    bool is_list = d->type == GMC_DISTRIBUTION_DISCRETE || d->type == GMC_DISTRIBUTION_EMPIRICAL;
    return is_list && d->value_count <= FEW;
}

static gmc_status find_discrete(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    size_t count = (size_t)s->uncertain_count;
    bool *is_discrete = count > 0 ? gmc_arena_take(s->arena, count, sizeof *is_discrete) : NULL;
    if (count > 0 && !is_discrete) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < count; i++)
        is_discrete[i] = false;
    for (size_t i = 0; i < count; i++)
        if (has_few_values(&s->uncertain[i].distribution))
            is_discrete[s->uncertain[i].chance] = true;
    s->subset.is_discrete = is_discrete;
    return GMC_OK;
}

gmc_status gmc_resolve_subset(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    if (!s->subset.is_given) return GMC_OK;
    gmc_source at = s->subset.source;
    const gmc_node *draws = gmc_node_find(gmc_node_find(s->tree, "sampling"), "draws");
    if (!draws) draws = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    if (draws)
        refuse(r, draws->key_source, "leave it out;  draws: ~  takes away what  use  brought",
               "runs, per_level and levels say how many trials, not draws");
    if (s->design != GMC_DESIGN_RANDOM) refuse(r, at, "design: random", "it is a design itself");
    if (s->is_weighted) refuse(r, at, "keep one of the two", "does not go with importance");
    if (s->level_count > 0 && s->pilot == 0)
        refuse(r, at, "leave  ladder  out", "does not go with a ladder");
    if (s->case_count > 1)
        refuse(r, at, "one run for each case, with --set",
               "the way to failure is that of one case, and the study has more");
    if (s->subset.runs < GMC_SUBSET_RUNS_LEAST && s->subset.aimed == 0)
        refuse(r, at, "runs: 8, or  aimed: 1000",
               "the interval is the spread of the runs, and fewer than 8 show too little of it");
    double total =
        (double)s->subset.runs * s->subset.levels * s->subset.per_level + s->subset.aimed;
    if (total > GMC_SUBSET_TRIALS_MAX)
        refuse(r, at, "fewer points or levels",
               "runs x levels x per_level + aimed are too many trials");
    check_lines(r);
    s->draws = (int64_t)total;
    // a margin must be that of the whole trial
    s->ends_broken = s->ends_falling = s->ends_at_rest = s->ends_borne = false;
    return find_discrete(r);
}

/// What a level says of step, stepper and motion, or `simulation` where it is silent.
static gmc_level_spec whole_of(const gmc_scenario *s, const gmc_level_spec *level)
{
    gmc_level_spec whole = *level;
    bool is_own = !whole.stepper || strcmp(whole.stepper, s->stepper) == 0;
    if (!whole.stepper) whole.stepper = s->stepper;
    if (!whole.motion) whole.motion = is_own && s->motion ? s->motion : "dynamic";
    if (whole.step == 0) whole.step = s->parameters[s->step].nominal;
    return whole;
}

static bool is_same(const gmc_scenario *s, int first, int second)
{
    gmc_level_spec a = whole_of(s, &s->levels[first]), b = whole_of(s, &s->levels[second]);
    return fabs(a.step - b.step) <= 1e-12 * b.step && strcmp(a.stepper, b.stepper) == 0 &&
           strcmp(a.motion, b.motion) == 0;
}

// What is wrong with the levels themselves; NULL: nothing.
static const char *wrong_levels(const gmc_scenario *s)
{
    const gmc_level_spec *cheap = &s->levels[s->level_count - 2];
    bool is_said = cheap->step == 0 && !cheap->stepper && !cheap->motion; // by the reader
    if (s->level_count > GMC_PAIRS_LEVELS_MOST) return "coarser has two levels at most";
    for (int i = 0; i < s->level_count; i++)
        if (s->levels[i].is_geometric) return "nothing moves at a geometric level";
    for (int i = 0; i + 2 < s->level_count; i++) {
        const char *name = s->levels[i].name;
        if (s->levels[i].tolerate > 0) return "levels of coarser overlook nothing: no tolerate";
        if (strcmp(name, "cheap") == 0 || strcmp(name, "full") == 0)
            return "a level of coarser needs another name, cheap and full are those above";
        if (is_same(s, i, i + 1) || (is_same(s, i, s->level_count - 1) && !is_said))
            return "a level of coarser is the one above it, or the full one";
    }
    if (!is_said && is_same(s, s->level_count - 2, s->level_count - 1))
        return "the cheap level is the full one: nothing makes it cheaper";
    return NULL;
}

void gmc_resolve_two_level(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    const char *what = NULL;
    if (s->pilot == 0) return;
    if (s->design != GMC_DESIGN_RANDOM)
        what = "pairs are a part of the draws, and only random ones can be parted";
    else if (s->is_weighted || s->subset.is_given || s->rank.is_given)
        what = "does not go with importance, subset or rank";
    else if (s->case_count > 1)
        what = "one case a run: the pairs of one say nothing of another";
    else if (wrong_levels(s))
        what = wrong_levels(s);
    else if (s->draws < s->pilot + GMC_PAIRS_LEAST)
        what = "more draws than pilot + 20 are needed";
    else if (s->draws > GMC_PAIRS_DRAWS_MAX)
        what = "too many draws";
    if (what)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->two_level_source, NULL,
                            "sampling.two_level: %s", what);
}
