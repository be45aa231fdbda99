// What an answer says of the weights of importance sampling.
#include "cli/answer/answer.h"
#include "sampling/estimate/needed.h"

#include <inttypes.h>
#include <math.h>

/// What plain draws would have given at the success that was found.
typedef struct plain_draws {
    bool is_known;
    gmc_interval interval; ///< Wilson's of as many of them
    int64_t worth;         ///< of them that would give as short an interval as the one found
} plain_draws;

/// Of one case: how far several agree in a draw, weighted ones do not say.
static plain_draws plain_of(const gmc_answer *answer, const gmc_weighted *all)
{
    double level = answer->plan->level;
    gmc_estimate e = gmc_answer_total_estimate(answer);
    double half = 0.5 * (e.upper - e.lower), draws = (double)(all->units[0] + all->units[1]);
    if (answer->plan->case_count > 1 || isnan(e.p) || !(half > 0)) return (plain_draws){0};
    double p = fmin(fmax(e.p, 0), 1);
    gmc_needed guess = {.p = p, .case_count = 1};
    return (plain_draws){
        .is_known = true,
        .interval = gmc_proportion_wilson((int64_t)round(p * draws), (int64_t)draws, level),
        .worth = half < 0.5 ? gmc_needed_fixed(&guess, half, level) : 0};
}

/// The mean weight, which is 1 but for chance, the largest, and how many draws they leave.
static void print_weights(const gmc_answer *answer, FILE *out)
{
    gmc_weighted all;
    if (!gmc_summary_weights(&answer->summary, &all)) return;
    fprintf(out,
            "weights mean %.4g, largest %.4g of at most %.4g; effective draws %.1f of %" PRId64
            ", of the failing %.1f of %" PRId64 "\n",
            gmc_weighted_mean(&all), all.largest, all.bound, gmc_weighted_effective(&all),
            all.units[0] + all.units[1], gmc_weighted_effective_failing(&all), all.failing);
    plain_draws plain = plain_of(answer, &all);
    if (plain.is_known)
        fprintf(
            out,
            "as many plain draws would give about [%.3f, %.3f] (Wilson); this interval is worth "
            "%" PRId64 " plain draws\n",
            plain.interval.lower, plain.interval.upper, plain.worth);
    double unseen = gmc_weighted_unseen(&all, true, answer->plan->level);
    if (unseen > 0)
        fprintf(out,
                "no failed draw has a weight above %.3g: the interval allows for %.3g of failures "
                "there; set sampling.covered if there are none\n",
                all.largest_failing, unseen);
}

static void put_weights(const gmc_answer *answer, gmc_json *json)
{
    gmc_weighted all;
    if (!gmc_summary_weights(&answer->summary, &all)) return;
    gmc_json_open(json, "weights", '{');
    gmc_json_whole(json, "draws", (uint64_t)(all.units[0] + all.units[1]));
    gmc_json_real(json, "effective", gmc_weighted_effective(&all));
    gmc_json_whole(json, "failing", (uint64_t)all.failing);
    gmc_json_real(json, "effective_failing", gmc_weighted_effective_failing(&all));
    gmc_json_real(json, "mean", gmc_weighted_mean(&all));
    gmc_json_real(json, "largest", all.largest);
    gmc_json_real(json, "bound", all.bound);
    plain_draws plain = plain_of(answer, &all);
    if (plain.is_known) {
        gmc_json_real(json, "plain_lower", plain.interval.lower);
        gmc_json_real(json, "plain_upper", plain.interval.upper);
        gmc_json_whole(json, "plain_worth", (uint64_t)plain.worth);
    }
    gmc_json_real(json, "unseen", gmc_weighted_unseen(&all, true, answer->plan->level));
    gmc_json_close(json, '}');
}

const gmc_answer_part gmc_answer_importance = {.details = print_weights, .json = put_weights};
