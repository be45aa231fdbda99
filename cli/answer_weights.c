#include "cli/answer_weights.h"

#include <inttypes.h>

void gmc_answer_weights_print(const gmc_answer *answer, FILE *out)
{
    gmc_weighted all;
    if (!gmc_summary_weights(&answer->summary, &all)) return;
    fprintf(out,
            "weights mean %.4g, largest %.4g of at most %.4g; effective draws %.1f of %" PRId64
            ", of the failing %.1f of %" PRId64 "\n",
            gmc_weighted_mean(&all), all.largest, all.bound, gmc_weighted_effective(&all),
            all.units[0] + all.units[1], gmc_weighted_effective_failing(&all), all.failing);
    double unseen = gmc_weighted_unseen(&all, true, answer->plan->level);
    if (unseen > 0)
        fprintf(out,
                "none failed with a weight above %.3g: the interval allows for %.3g of failures "
                "there; sampling.covered says that there are none\n",
                all.largest_failing, unseen);
}

void gmc_answer_weights_json(const gmc_answer *answer, gmc_json *json)
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
    gmc_json_real(json, "unseen", gmc_weighted_unseen(&all, true, answer->plan->level));
    gmc_json_close(json, '}');
}
