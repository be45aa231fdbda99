// What `study.rank` must fit: the cases, which are counted now.
#include "sampling/design/race.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/study.h"

#include <inttypes.h>

/// Numbers of trials that a race may use if nobody says how many draws a case may have: an eighth
/// of a gigabyte in a journal, and 16 000 draws for the best of a thousand.
enum { ADDRESSES = 1 << 24 };

/// Cases of the object that has the fewest; all of them if objects are not ranked apart.
static int64_t least_cases(const gmc_scenario *s)
{
    if (!s->rank.is_per_object) return s->case_count;
    int64_t least = s->case_count;
    for (int o = 0; o < s->object_count; o++) {
        int64_t count = 0;
        for (int64_t c = 0; c < s->case_count; c++)
            count += gmc_study_object(s, c) == o;
        if (count > 0 && count < least) least = count;
    }
    return least;
}

int64_t gmc_resolve_rank_draws(const gmc_scenario *s)
{
    int64_t draws = s->case_count < ADDRESSES ? ADDRESSES / s->case_count : 1;
    if (draws > s->rank.budget) draws = s->rank.budget;
    if (s->csv_rows > 0 && draws > s->csv_rows) draws = s->csv_rows;
    return draws > 0 ? draws : 1;
}

static void complain(const gmc_resolver *r, gmc_source source, const char *hint, const char *what,
                     int64_t given, int64_t limit)
{
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "study.rank: %s (%" PRId64 ", %" PRId64 ")", what, given, limit);
}

void gmc_resolve_rank(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (!s->rank.is_given || !r->is_whole) return;
    int64_t cases = least_cases(s);
    int64_t first = s->first_draws < s->draws ? s->first_draws : s->draws;
    if (s->rank.best >= cases)
        complain(r, s->rank.best_source, "fewer, or more cases",
                 s->rank.is_per_object ? "not more cases of an object than the best to be found"
                                       : "not more cases than the best to be found",
                 s->rank.best, cases);
    else if ((double)s->rank.budget < (double)s->case_count * (double)first)
        complain(r, s->rank.budget_source,
                 "a larger budget, or fewer draws first:  draws: {first: 2, last: 1000}",
                 "the budget does not last for the first round", s->rank.budget,
                 s->case_count * first);
    if ((double)s->case_count * (double)s->draws > GMC_RACE_TRIALS_MAX)
        complain(r, s->rank.source, "fewer study.draws: the most of one case",
                 "too many cases times draws", s->draws, GMC_RACE_TRIALS_MAX);
    if (s->is_weighted)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->rank.source,
                            "leave  importance  or  rank  out",
                            "study.rank: it counts trials, those of sampling.importance are "
                            "weighted");
    if (s->replicas > 0)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->rank.source,
                            "leave  design  or  rank  out",
                            "study.rank: it takes draws one by one, those of %s belong together",
                            gmc_design_name(s->design));
}
