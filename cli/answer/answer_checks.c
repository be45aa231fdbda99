// How far the answer can be trusted: early verdicts that were held against the end of their trials,
// trials repeated at half the step, trials whose bodies overlapped, trials whose energy is off.
#include "cli/answer/answer.h"
#include "cli/process/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// Overlaps of trials that ran and are told where they are deeper than a bound.
static const struct depth {
    gmc_fixed_column column;
    double bound, scale; ///< of the column; times this it is in the unit
    const char *unit;
    const char *name, *json, *json_bound, *json_most;
    const char *what; ///< "5 of 60 trials ... than 0.1 mm ..."
    const char *how;
} DEPTHS[GMC_ANSWER_DEPTHS] = {
    // more than a contact's spring needs to bear 100 N
    {GMC_COLUMN_START_PENETRATION, 1e-4, 1e3, "mm", "deep starts", "deep_starts", "deeper_than_m",
     "deepest_m", "began more", " deep"},
    // as no start may be
    {GMC_COLUMN_HARD_PENETRATION, 2e-3, 1e3, "mm", "deep overlaps", "deep_overlaps",
     "deeper_than_m", "deepest_m", "had hard bodies more", " in each other"},
    // there its bottom begins to bear, and nothing of it is soft any more: what is pressed on is
    // hardly ever deeper, so a bound of 0.9 would tell next to none
    {GMC_COLUMN_PAD_PRESS, 0.8, 100, "%", "pads at their bottom", "pads_at_bottom", "deeper_than",
     "deepest", "pressed a pad to more", " of its thickness"},
};

/// Energy that is off by more is told, relative (measure.h).
static const double TOLD_BALANCE = 0.01;
/// Where less is at play almost nothing moves: 10 g lifted by 10 mm. 1 % of it is nobody's concern
/// [J].
static const double TOLD_SIZE = 1e-3;

/// What is missing may have moved the object where it is more than this share of what the object
/// exchanged: strong fingers make a hundred times as much of all energy as a light object has.
static const double TOLD_OWN = 0.05;

static void print_early(const gmc_answer *answer, FILE *out)
{
    if (answer->rescore || answer->where) return;
    const gmc_summary_checks *c = &answer->summary.checks;
    gmc_summary_trust trust = gmc_summary_trust_of(&answer->summary);
    if (trust.decided == 0) return;
    double level = answer->plan->level;
    fprintf(out, "early verdicts %" PRId64 " of %" PRIu64 ":", trust.decided, answer->trial_count);
    const char *comma = " ";
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++) {
        if (c->decided[d] == 0) continue;
        gmc_terminal_print(out, "%s%" PRId64 " %s", comma, c->decided[d],
                           gmc_decision_name((gmc_decision)d));
        comma = ", ";
    }
    fprintf(out, "; %" PRId64 " re-run to their end, %" PRId64 " with another verdict", c->audited,
            c->wrong);
    if (c->audited > 0)
        fprintf(out, ": error rate below %.3g %% at %.6g %% Clopper-Pearson", 100 * trust.wrong,
                100 * level);
    if (c->audited > 0 && trust.has_parts)
        fputs(trust.early < 0 ? ", not in the interval" : ", in the interval", out);
    fputc('\n', out);
}

static void print_count(const gmc_summary_checks *c, FILE *out)
{
    fprintf(out, "%" PRId64 " trial%s repeated at half the step", c->repeated,
            c->repeated == 1 ? "" : "s");
}

/// Of what is less than all of it: not 100 by rounding.
static double percent_of(double share) { return fmin(100 * share, 99); }

static void print_repeated(const gmc_answer *answer, FILE *out)
{
    const gmc_summary_checks *c = &answer->summary.checks;
    print_count(c, out);
    if (c->differing > 0)
        fprintf(out, ", %" PRId64 " lost and %" PRId64 " gained", c->step.lost, c->step.gained);
    else if (c->repeated > 0)
        fputs(", none with another verdict", out);
    if (c->nearly > 0) fprintf(out, ", %" PRId64 " nearly turned", c->nearly);
    if (c->step.open > 0) fprintf(out, ", %" PRId64 " unsolved", c->step.open);
}

static void print_step(const gmc_answer *answer, FILE *out)
{
    gmc_summary_trust trust = gmc_summary_trust_of(&answer->summary);
    gmc_step_shift step = trust.step;
    if (!step.is_told) {
        fputs(trust.has_parts ? "  step unchecked: " : "  step, not in the interval: ", out);
        print_repeated(answer, out);
        fputc('\n', out);
        return;
    }
    fprintf(out, "  step %+.4f [%+.4f, %+.4f]: ", step.change, step.interval.lower,
            step.interval.upper);
    print_repeated(answer, out);
    if (step.part < 1)
        fprintf(out,
                "; the interval of success includes %.2g %% of twice this change, which is "
                "uncertain itself\n",
                percent_of(step.part));
    else if (step.unseen_part < 1)
        fprintf(
            out,
            "; the interval of success includes twice this change, and %.2g %% of what failures "
            "cut short may hide\n",
            percent_of(step.unseen_part));
    else
        fputs("; the interval of success includes twice this change\n", out);
}

/// The trials' own interval, unless the headline tells it with the unsolved ones.
static void print_sampling(gmc_estimate e, FILE *out)
{
    gmc_interval alone = gmc_estimate_sampling(&e);
    char text[GMC_ESTIMATE_TEXT_MAX];
    if ((!e.has_step && !e.has_early) || e.tally.unsolved > 0) return;
    e.lower = alone.lower;
    e.upper = alone.upper;
    const char *interval = strchr(gmc_estimate_numbers(&e, text), '[');
    if (interval) gmc_terminal_print(out, "  sampling alone %s\n", interval);
}

/// What the interval of the headline is made of, if more than chance of the draws went into it or
/// could have: a line for the trials' own interval, a line for the step.
static void print_taken(const gmc_answer *answer, FILE *out)
{
    const gmc_summary_checks *c = &answer->summary.checks;
    bool is_step_meant = gmc_summary_trust_of(&answer->summary).has_parts && c->step.trials > 0;
    print_sampling(gmc_answer_headline(answer), out);
    if (is_step_meant || c->repeated > 0) print_step(answer, out);
}

/// Of an interval that holds nothing of the step: judged otherwise, of a part of the trials, of a
/// surrogate.
static void print_untaken(const gmc_answer *answer, FILE *out)
{
    const gmc_summary_checks *c = &answer->summary.checks;
    if (c->repeated == 0) return;
    fputs("  step, not in the interval: ", out);
    if (answer->rescore) {
        print_count(c, out);
        fputs(", under the scenario's criteria", out);
    } else {
        print_repeated(answer, out);
    }
    fputc('\n', out);
}

static void put_untaken(const gmc_answer *answer, gmc_json *json)
{
    gmc_json_open(json, "half_step", '{');
    gmc_json_whole(json, "repeated", (uint64_t)answer->summary.checks.repeated);
    gmc_json_flag(json, "is_in_interval", false);
    gmc_json_close(json, '}');
}

static void close_interval(gmc_json *json, double level)
{
    gmc_json_real(json, "level", level);
    gmc_json_text(json, "method", gmc_estimate_method_name(GMC_METHOD_CLOPPER_PEARSON));
    gmc_json_close(json, '}');
}

static void put_early(const gmc_answer *answer, gmc_json *json)
{
    if (answer->rescore || answer->where) return;
    const gmc_summary_checks *c = &answer->summary.checks;
    double level = answer->plan->level;
    gmc_summary_trust trust = gmc_summary_trust_of(&answer->summary);
    gmc_json_open(json, "early", '{');
    gmc_json_whole(json, "decided", (uint64_t)trust.decided);
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++)
        gmc_json_whole(json, gmc_decision_name((gmc_decision)d), (uint64_t)c->decided[d]);
    gmc_json_whole(json, "audited", (uint64_t)c->audited);
    gmc_json_whole(json, "wrong", (uint64_t)c->wrong);
    gmc_json_real(json, "upper", trust.wrong);
    gmc_json_flag(json, "is_in_interval", trust.early >= 0);
    close_interval(json, level);
}

static void put_taken(const gmc_answer *answer, gmc_json *json)
{
    const gmc_summary_checks *c = &answer->summary.checks;
    double level = answer->plan->level;
    gmc_step_shift step = gmc_summary_trust_of(&answer->summary).step;
    double unknown = (double)NAN;
    gmc_json_open(json, "half_step", '{');
    gmc_json_whole(json, "repeated", (uint64_t)c->repeated);
    gmc_json_whole(json, "differ", (uint64_t)c->differing);
    gmc_json_whole(json, "lost", (uint64_t)c->step.lost);
    gmc_json_whole(json, "gained", (uint64_t)c->step.gained);
    gmc_json_whole(json, "nearly", (uint64_t)c->nearly);
    gmc_json_whole(json, "unsolved", (uint64_t)c->step.open);
    gmc_json_real(json, "change", step.is_told ? step.change : unknown);
    gmc_json_real(json, "lower", step.is_told ? step.interval.lower : unknown);
    gmc_json_real(json, "upper", step.is_told ? step.interval.upper : unknown);
    gmc_json_flag(json, "is_in_interval", step.is_told);
    gmc_json_real(json, "part", step.is_told ? step.part : 0);
    gmc_json_real(json, "unseen_part", step.is_told ? step.unseen_part : 0);
    gmc_json_real(json, "level", level);
    gmc_json_text(json, "method", "weighted");
    gmc_json_close(json, '}');
}

static bool is_step_apart(const gmc_answer *answer)
{
    return answer->is_step_apart || answer->rescore || answer->where;
}

static void print_half_step(const gmc_answer *answer, FILE *out)
{
    if (answer->plan->ladder) return;
    if (is_step_apart(answer))
        print_untaken(answer, out);
    else
        print_taken(answer, out);
}

static void put_half_step(const gmc_answer *answer, gmc_json *json)
{
    if (is_step_apart(answer))
        put_untaken(answer, json);
    else
        put_taken(answer, json);
}

/// Of the object's own energy, with its sign.
static void note_own_energy(gmc_answer *answer, const gmc_trial *trial)
{
    double own = trial->values[GMC_COLUMN_ENERGY_OBJECT];
    double missing =
        trial->values[GMC_COLUMN_ENERGY_BALANCE] * trial->values[GMC_COLUMN_ENERGY_SIZE];
    if (!(own >= TOLD_SIZE) || !(fabs(missing) > TOLD_OWN * own)) return;
    answer->unbalanced_own++;
    if (!(fabs(missing / own) > fabs(answer->worst_own))) return;
    answer->worst_own = missing / own;
    answer->worst_own_trial = trial->trial;
}

static void note_energy(gmc_answer *answer, const gmc_trial *trial)
{
    double balance = trial->values[GMC_COLUMN_ENERGY_BALANCE];
    double size = trial->values[GMC_COLUMN_ENERGY_SIZE];
    if (!(size >= TOLD_SIZE)) return;
    if (fabs(balance) > TOLD_BALANCE) answer->unbalanced++;
    if (!(fabs(balance) > fabs(answer->worst_balance))) return;
    answer->worst_balance = balance;
    answer->worst_balance_size = size;
    answer->worst_balance_trial = trial->trial;
}

static gmc_status note_energies(gmc_answer *answer, const gmc_answer_trial *trial)
{
    if (trial->truth != GMC_RESCORE_YES) return GMC_OK;
    note_energy(answer, trial->stored);
    note_own_energy(answer, trial->stored);
    return GMC_OK;
}

static gmc_status note_depths(gmc_answer *answer, const gmc_answer_trial *taken)
{
    const gmc_trial *trial = taken->stored;
    if (taken->truth != GMC_RESCORE_YES || trial->reason == GMC_REASON_DEEP_START) return GMC_OK;
    answer->started++;
    for (int i = 0; i < GMC_ANSWER_DEPTHS; i++) {
        gmc_answer_depth *depth = &answer->depths[i];
        double value = trial->values[DEPTHS[i].column];
        if (value > DEPTHS[i].bound) depth->trials++;
        if (!(value > depth->most)) continue;
        depth->most = value;
        depth->most_trial = trial->trial;
    }
    return GMC_OK;
}

static void print_depths(const gmc_answer *answer, FILE *out)
{
    for (int i = 0; i < GMC_ANSWER_DEPTHS; i++) {
        const struct depth *told = &DEPTHS[i];
        const gmc_answer_depth *depth = &answer->depths[i];
        if (depth->trials == 0) continue;
        gmc_terminal_print(out,
                           "%s: %" PRIu64 " of %" PRIu64 " trials %s%s than %g %s%s, trial %" PRIu64
                           " %.2f %s\n",
                           told->name, depth->trials, answer->started,
                           answer->started < answer->trial_count ? "that ran " : "", told->what,
                           told->scale * told->bound, told->unit, told->how, depth->most_trial,
                           told->scale * depth->most, told->unit);
    }
}

// How many trials are beyond a bound, and which one goes farthest.
static void close_worst(gmc_json *json, uint64_t trials, const char *name, uint64_t worst)
{
    gmc_json_whole(json, "trials", trials);
    gmc_json_whole(json, name, worst);
    gmc_json_close(json, '}');
}

static void put_depths(const gmc_answer *answer, gmc_json *json)
{
    for (int i = 0; i < GMC_ANSWER_DEPTHS; i++) {
        const gmc_answer_depth *depth = &answer->depths[i];
        gmc_json_open(json, DEPTHS[i].json, '{');
        gmc_json_real(json, DEPTHS[i].json_bound, DEPTHS[i].bound);
        gmc_json_real(json, DEPTHS[i].json_most, depth->most);
        close_worst(json, depth->trials, "deepest_trial", depth->most_trial);
    }
}

/// Did all trials run to their end, or until they rested? Of others --where knows only what holds
/// whatever their end would have been.
static bool are_ended(const gmc_summary_checks *checks)
{
    for (int d = GMC_DECISION_END + 1; d < GMC_DECISION_COUNT; d++)
        if (d != GMC_DECISION_REST && checks->decided[d] > 0) return false;
    return true;
}

/// The command that lists the trials for which a condition holds, or whose rows say what was so
/// far.
static void print_which(const gmc_answer *answer, const char *condition, FILE *out)
{
    if (are_ended(&answer->summary.checks) && gmc_answer_where_fits(answer->plan))
        gmc_terminal_print(out, "which trials: graspmc show %s --where '%s'\n", answer->path,
                           condition);
    else
        gmc_terminal_print(out, "which trials: rows of graspmc export %s with %s\n", answer->path,
                           condition);
}

/// To print a share in percent with: -5.9 %, -13 %, -100 %.
static int digits(double share)
{
    double percent = fabs(100 * share);
    return percent < 99.5 ? 2 : (percent < 999.5 ? 3 : 4);
}

static void print_own_energy(const gmc_answer *answer, FILE *out)
{
    char condition[160];
    if (answer->unbalanced_own == 0) return;
    gmc_terminal_print(out,
                       "energy of the object: off by more than %g %% of its own in %" PRIu64
                       " of %" PRIu64 " trials, in trial %" PRIu64 " by %+.*g %%\n",
                       100 * TOLD_OWN, answer->unbalanced_own, answer->trial_count,
                       answer->worst_own_trial, digits(answer->worst_own), 100 * answer->worst_own);
    snprintf(condition, sizeof condition,
             "abs(energy_balance) * energy_size > %g * energy_object and energy_object >= %g mJ",
             TOLD_OWN, 1e3 * TOLD_SIZE);
    print_which(answer, condition, out);
}

static void print_energy(const gmc_answer *answer, FILE *out)
{
    char condition[160];
    if (answer->unbalanced > 0) {
        double missing = answer->worst_balance * answer->worst_balance_size;
        gmc_terminal_print(
            out,
            "energy: off by more than %g %% in %" PRIu64 " of %" PRIu64 " trials, in trial %" PRIu64
            " by %+.*g %%: contacts or joints %s %.2g J\n",
            100 * TOLD_BALANCE, answer->unbalanced, answer->trial_count,
            answer->worst_balance_trial, digits(answer->worst_balance), 100 * answer->worst_balance,
            missing < 0 ? "gave" : "took", fabs(missing));
        snprintf(condition, sizeof condition,
                 "abs(energy_balance) > %g %% and energy_size >= %g mJ", 100 * TOLD_BALANCE,
                 1e3 * TOLD_SIZE);
        print_which(answer, condition, out);
    }
    print_own_energy(answer, out);
}

static void put_energy(const gmc_answer *answer, gmc_json *json)
{
    gmc_json_open(json, "energy", '{');
    gmc_json_real(json, "off_by_more_than", TOLD_BALANCE);
    gmc_json_real(json, "of_at_least_j", TOLD_SIZE);
    gmc_json_real(json, "worst", answer->worst_balance);
    gmc_json_real(json, "worst_of_j", answer->worst_balance_size);
    close_worst(json, answer->unbalanced, "worst_trial", answer->worst_balance_trial);
    gmc_json_open(json, "energy_of_object", '{');
    gmc_json_real(json, "off_by_more_than", TOLD_OWN);
    gmc_json_real(json, "of_at_least_j", TOLD_SIZE);
    gmc_json_real(json, "worst", answer->worst_own);
    close_worst(json, answer->unbalanced_own, "worst_trial", answer->worst_own_trial);
}

const gmc_answer_part gmc_answer_early = {.details = print_early, .json = put_early};
const gmc_answer_part gmc_answer_step = {.details = print_half_step, .json = put_half_step};
const gmc_answer_part gmc_answer_depths = {
    .take = note_depths, .details = print_depths, .json = put_depths};
const gmc_answer_part gmc_answer_energy = {
    .take = note_energies, .details = print_energy, .json = put_energy};
