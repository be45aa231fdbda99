#include "cli/commands/run_rounds.h"

#include "cli/process/terminal.h"
#include "sampling/store/method.h"

#include <stdio.h>

const char *gmc_run_rounds_name(const gmc_scenario *scenario)
{
    if (scenario->optimise.is_given) return "optimisation"; // runs of its own
    return gmc_store_method_asked(scenario)->chooser;
}

bool gmc_run_rounds_fit(const gmc_args *args, const gmc_scenario *scenario)
{
    const char *what = gmc_run_rounds_name(scenario);
    if (scenario->optimise.is_given) {
        fputs("graspmc run: study.optimise: graspmc optimise runs it\n", stderr);
        return false;
    }
    bool is_shard = args->shard.count > 0 && !scenario->rank.is_given;
    const char *option = !what                               ? NULL
                         : args->has_trials                  ? "--trials"
                         : is_shard                          ? "--shard"
                         : args->stop.kind != GMC_STOP_NEVER ? "--until and --decide"
                                                             : NULL;
    if (option)
        gmc_terminal_print(
            stderr,
            "graspmc run: %s: a %s decides itself which trials are run, and how many; "
            "every round needs what those before it found%s\n",
            option, what,
            scenario->rank.is_given ? ". --shard I/N is a part of its next round" : "");
    bool is_alone = args->after && !scenario->rank.is_given;
    if (is_alone)
        fputs("graspmc run: --after: only a ranking (study.rank) is run round by round\n", stderr);
    return !option && !is_alone;
}

gmc_status gmc_run_rounds_open(const gmc_args *args, gmc_store_plan *plan,
                               gmc_diagnostics *messages, gmc_run_rounds *rounds)
{
    *rounds = (gmc_run_rounds){.is_used = gmc_store_plan_is_sparse(plan)};
    if (!rounds->is_used) return GMC_OK;
    bool is_part = plan->shard_count > 0; // only of a ranking: gmc_run_rounds_fit
    if (!is_part) return gmc_store_method_of(plan)->rounds(plan, &rounds->plan);
    GMC_TRY(gmc_round_part_open(plan, args->after, messages, &rounds->open_part));
    plan->round = rounds->open_part.round;
    rounds->part =
        (gmc_rounds_list){.trials = rounds->open_part.trials, .count = rounds->open_part.count};
    rounds->plan = gmc_rounds_of_list(&rounds->part);
    return GMC_OK;
}

void gmc_run_rounds_free(gmc_run_rounds *rounds)
{
    gmc_rounds_free(&rounds->plan);
    gmc_round_part_free(&rounds->open_part);
    *rounds = (gmc_run_rounds){0};
}
