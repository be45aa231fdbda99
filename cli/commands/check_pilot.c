// Time is that of the core, not of the clock: what else the machine does at the moment is no
// property of the scenario.
#define _POSIX_C_SOURCE 200809L
#include "cli/commands/check_pilot.h"

#include "cli/answer/answer.h"
#include "cli/process/cores.h"
#include "cli/process/peak.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/needed.h"
#include "sampling/findings/footprint.h"
#include "sampling/store/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PILOT_ENOUGH = 16 };                 ///< trials that are run however long they take
enum { PILOT_CASES = 4 };                   ///< of a draw, where there are more
static const double PILOT_SECONDS = 5;      ///< after which no further one is begun
static const double MOTION_MOST = 64e6;     ///< bytes of motion that are kept
static const double JOURNAL_TRIAL = 8.25;   ///< bytes of memory: where it stands, and its verdict
static const double SUMMARY_CASE_BYTES = 8; ///< of a case in tables, compressed, as gear_map has

typedef struct gmc_piloting {
    const gmc_args *args;
    gmc_scenario *scenario;
    const gmc_store_plan *plan;
    gmc_trial_copy *copies; ///< (count)
    int count;
    double seconds;
} gmc_piloting;

static double core_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The i-th of `wanted` trials: cases from all over, a few of each draw, which say how far cases
/// agree.
static uint64_t number_of(const gmc_scenario *s, int i, int wanted)
{
    uint64_t cases = (uint64_t)s->case_count, n = (uint64_t)wanted, k = (uint64_t)i;
    if (cases <= PILOT_CASES) return k % ((uint64_t)s->draws * cases);
    uint64_t draw = k / PILOT_CASES, draws = (n + PILOT_CASES - 1) / PILOT_CASES;
    // places of a draw lie a share of the cases apart, those of the next one a little further
    uint64_t index = (k % PILOT_CASES * draws + draw) * cases / (draws * PILOT_CASES);
    return draw % (uint64_t)s->draws * cases + index;
}

/// Correlation of two cases of a draw, from the pairs that the pilot has; as if four draws more had
/// agreed in all: sixteen draws of four say it to 0.2 or so, and too few draws foretold are worse
/// than too many.
static double agreement_of(const gmc_piloting *p, double success)
{
    double alone = success * (1 - success), products = 0, pairs = 0, draws = 0;
    for (int i = 0; i < p->count;) {
        double sum = 0, squares = 0, size = 0;
        uint64_t draw = p->copies[i].trial.draw;
        for (; i < p->count && p->copies[i].trial.draw == draw; i++) {
            gmc_verdict verdict = gmc_trial_verdict(p->copies[i].trial.outcome);
            if (verdict == GMC_VERDICT_UNSOLVED) continue;
            double off = (verdict == GMC_VERDICT_SUCCESS) - success;
            sum += off;
            squares += off * off;
            size++;
        }
        products += sum * sum - squares;
        pairs += size * (size - 1);
        draws += size > 1;
    }
    if (!(pairs > 0)) return 1;
    double found = fmin(fmax(products / pairs / alone, 0), 1);
    return (draws * found + 4) / (draws + 4);
}

static gmc_status run_trials(gmc_piloting *p, const gmc_job *job, void *worker, int wanted)
{
    double bytes = 0;
    const gmc_trial *found = NULL;
    // the first one finds arenas too small: it is run twice
    GMC_TRY(job->run(worker, number_of(p->scenario, 0, wanted), gmc_signals_catch(), &found));
    for (int i = 0; i < wanted; i++) {
        double start = core_seconds();
        GMC_TRY(job->run(worker, number_of(p->scenario, i, wanted), gmc_signals_catch(), &found));
        p->seconds += core_seconds() - start;
        gmc_trial trial = *found;
        if (bytes > MOTION_MOST) trial.trajectory = NULL;
        GMC_TRY(gmc_trial_copy_set(&p->copies[i], &trial, job->column_count, job->sample_count));
        bytes += trial.trajectory ? (double)p->copies[i].capacity : 0;
        p->count = i + 1;
        if (p->count >= PILOT_ENOUGH && p->seconds > PILOT_SECONDS) break;
    }
    return GMC_OK;
}

static gmc_status run(gmc_piloting *p, const gmc_build *build, int wanted)
{
    p->copies = calloc((size_t)wanted, sizeof *p->copies);
    if (!p->copies) return GMC_E_MEMORY;
    gmc_rollouts rollouts = {
        .scenario = p->scenario, .build = build, .recording = gmc_rollouts_recording(p->scenario)};
    if (p->scenario->record != GMC_RECORD_NONE) rollouts.recording.record = GMC_RECORD_ALL;
    gmc_job job = gmc_rollouts_job(&rollouts);
    void *worker = NULL;
    gmc_status status = job.worker_create(job.context, 0, &worker);
    if (status == GMC_OK) status = run_trials(p, &job, worker, wanted);
    if (p->count <= GMC_NEARBY_PILOT) p->seconds *= 1 + gmc_rollouts_repeated_work(&rollouts);
    job.worker_free(worker);
    return status;
}

// ---- what they say ----------------------------------------------------------------------------

/// Share of a run's trials that keep their motion.
static double kept_share(const gmc_piloting *p, double trials)
{
    const gmc_scenario *s = p->scenario;
    int failures = 0;
    for (int i = 0; i < p->count; i++)
        failures += p->copies[i].trial.outcome != GMC_OUTCOME_SUCCESS;
    switch (s->record) {
    case GMC_RECORD_NONE:
        return 0;
    case GMC_RECORD_FAILURES:
        return (double)failures / p->count;
    case GMC_RECORD_FIRST:
        return fmin((double)s->record_count, trials) / trials;
    case GMC_RECORD_EVERY:
        return 1.0 / (double)s->record_count;
    case GMC_RECORD_ALL:
        break;
    }
    return 1;
}

/// Failures alone are kept: their motions are another length. Where there are too few, all stand
/// in.
static void drop_motions(gmc_piloting *p)
{
    int late = 0;
    if (p->scenario->record != GMC_RECORD_FAILURES) return;
    for (int i = p->count / 4; i < p->count; i++)
        late += p->copies[i].trial.outcome != GMC_OUTCOME_SUCCESS;
    for (int i = 0; i < p->count && late >= 4; i++)
        if (p->copies[i].trial.outcome == GMC_OUTCOME_SUCCESS) p->copies[i].trial.trajectory = NULL;
}

static gmc_status weigh(gmc_piloting *p, const gmc_build *build, gmc_diagnostics *messages,
                        gmc_check_pilot *pilot)
{
    const char *folder = getenv("TMPDIR");
    gmc_footprint f;
    double trials = pilot->run_trials, kept = kept_share(p, trials) * trials;
    drop_motions(p);
    gmc_signals_hold(); // files of a moment, which are taken away again
    gmc_status status =
        gmc_footprint_measure(p->plan, p->copies, p->count, folder ? folder : "/tmp", messages, &f);
    gmc_signals_release();
    GMC_TRY(status);
    uint64_t peak = gmc_peak_memory_kib(); // of this and one worker
    pilot->memory_bytes = peak > 0 ? 1024.0 * (double)peak +
                                         (pilot->workers - 1) * (double)gmc_build_bytes(build) +
                                         trials * JOURNAL_TRIAL
                                   : -1;
    pilot->result_bytes = pilot->journal_bytes = -1;
    if (f.result_bytes <= 0) return GMC_OK;
    double cases = (double)p->scenario->case_count;
    pilot->result_bytes =
        f.result_bytes + trials * f.result_trial + (cases - 1) * SUMMARY_CASE_BYTES;
    if (kept >= 0.5) pilot->result_bytes += f.motion_bytes + kept * f.result_motion;
    pilot->journal_bytes = f.journal_bytes + trials * f.journal_trial + kept * f.journal_motion;
    return GMC_OK;
}

static void need(const gmc_piloting *p, gmc_check_pilot *pilot)
{
    const gmc_scenario *s = p->scenario;
    if (pilot->rule.kind != GMC_STOP_HALF_WIDTH) return;
    double width = pilot->rule.threshold, level = pilot->level;
    bool is_shared = s->case_count > 1 && !s->is_independent;
    gmc_needed worst = {
        .p = 0.5, .case_count = s->case_count, .is_independent = s->is_independent, .agreement = 1};
    gmc_needed likely = worst;
    likely.p = pilot->pilot_p;
    if (is_shared) likely.agreement = agreement_of(p, pilot->pilot_p);
    pilot->agreement = is_shared ? likely.agreement : -1;
    pilot->worst[0] = gmc_needed_until(&worst, width, level);
    pilot->worst[1] = gmc_needed_fixed(&worst, width, level);
    pilot->likely[0] = gmc_needed_until(&likely, width, level);
    pilot->likely[1] = gmc_needed_fixed(&likely, width, level);
    pilot->draws = pilot->likely[0];
}

static gmc_status fits(const gmc_args *args, const gmc_store_plan *plan, gmc_diagnostics *messages)
{
    bool is_asked = args->stop.kind != GMC_STOP_NEVER;
    bool is_even = plan->replicas > 0 || plan->block > 1 || plan->weight_bound > 0;
    bool is_sparse = gmc_store_plan_is_sparse(plan);
    if (plan->interval_places > 0) {
        gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = args->input},
                            "run some draws: they show how wide the interval of each place is",
                            "an input given as interval(...) has a range of success, which a pilot "
                            "does not estimate");
        return GMC_E_INPUT;
    }
    if (args->stop.kind == GMC_STOP_SURROGATE) {
        gmc_diagnostics_add(
            messages, GMC_E_INPUT, (gmc_source){.file = args->input},
            "half_width<W  without  by surrogate  shows how many draws the trials alone need",
            "what a surrogate saves is not known before the run");
        return GMC_E_INPUT;
    }
    if (!is_sparse && !(is_asked && is_even)) return GMC_OK;
    gmc_diagnostics_add(messages, GMC_E_INPUT, (gmc_source){.file = args->input}, NULL,
                        is_sparse ? "a ladder, a ranking or subset simulation decides itself "
                                    "which trials are run: no pilot tells what that takes"
                                  : "how many draws of this design a width needs is not known "
                                    "beforehand; --until needs random draws");
    return GMC_E_INPUT;
}

gmc_status gmc_check_pilot_run(const gmc_args *args, gmc_prepared *prepared,
                               const gmc_store_plan *plan, gmc_diagnostics *messages,
                               gmc_check_pilot *pilot)
{
    gmc_scenario *s = &prepared->scenario;
    gmc_piloting p = {.args = args, .scenario = s, .plan = plan};
    *pilot = (gmc_check_pilot){.rule = args->stop, .level = args->level, .draws = s->draws};
    GMC_TRY(fits(args, plan, messages));
    int wanted = plan->total < args->pilot.value ? (int)plan->total : (int)args->pilot.value;
    gmc_status status = run(&p, prepared->build, wanted);
    for (int i = 0; i < p.count; i++)
        gmc_tally_add(&pilot->tally, gmc_trial_verdict(p.copies[i].trial.outcome));
    if (status == GMC_OK) {
        pilot->trials = p.count;
        pilot->seconds = p.seconds / p.count;
        pilot->pilot_p =
            ((double)pilot->tally.successes + 1) / ((double)gmc_tally_decided(pilot->tally) + 2);
        need(&p, pilot);
        pilot->workers = args->workers.is_given ? (int)args->workers.value : gmc_cores_usable();
        pilot->run_trials = (double)pilot->draws * (double)s->case_count;
        pilot->run_seconds = pilot->run_trials * pilot->seconds / pilot->workers;
        status = weigh(&p, prepared->build, messages, pilot);
    }
    for (int i = 0; p.copies && i < wanted; i++)
        gmc_trial_copy_free(&p.copies[i]);
    free(p.copies);
    return status;
}

// ---- in words ---------------------------------------------------------------------------------

/// "3.2 MB"
static const char *bytes_text(double bytes, char *text, size_t room)
{
    static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    if (bytes < 0) return "not known";
    for (; bytes >= 999.5 && unit + 1 < GMC_COUNT(UNITS); unit++)
        bytes /= 1000;
    snprintf(text, room, bytes < 9.95 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
    return text;
}

static const char *time_text(double seconds, char *text, size_t room)
{
    if (seconds < 120)
        snprintf(text, room, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(text, room, "%.3g min", seconds / 60);
    else
        snprintf(text, room, "%.3g h", seconds / 3600);
    return text;
}

void gmc_check_pilot_print(const gmc_check_pilot *p, FILE *out)
{
    char text[3][32], estimate[GMC_ESTIMATE_TEXT_MAX];
    gmc_estimate e = gmc_estimate_of(p->tally, p->level, GMC_METHOD_WILSON);
    gmc_terminal_print(out, "pilot     %d trials, %s each on one core; success %s\n", p->trials,
                       time_text(p->seconds, text[0], sizeof text[0]),
                       gmc_estimate_text(&e, estimate));
    if (p->rule.kind == GMC_STOP_HALF_WIDTH) {
        char rule[GMC_STOP_TEXT_MAX];
        char cases[64] = "";
        if (p->agreement >= 0)
            snprintf(cases, sizeof cases, " and cases of a draw agree by %.2g", p->agreement);
        gmc_terminal_print(out,
                           "needed    for %s: %" PRId64
                           " draws with --until if p is %.3g%s (the pilot and one trial each way); "
                           "%" PRId64 " at worst (p = 0.5%s)\n",
                           gmc_stop_text(p->rule, rule), p->likely[0], p->pilot_p, cases,
                           p->worst[0], p->agreement >= 0 ? ", all cases alike" : "");
        fprintf(out, "          fixed beforehand with -n: %" PRId64 "; %" PRId64 " at worst\n",
                p->likely[1], p->worst[1]);
    }
    gmc_terminal_print(
        out,
        "a run     of %" PRId64 " draws, %.0f trials, estimated: %s on %d core%s, %s of memory\n",
        p->draws, p->run_trials, time_text(p->run_seconds, text[0], sizeof text[0]), p->workers,
        p->workers == 1 ? "" : "s", bytes_text(p->memory_bytes, text[1], sizeof text[1]));
    gmc_terminal_print(out, "          result %s, journal while it runs %s\n",
                       bytes_text(p->result_bytes, text[0], sizeof text[0]),
                       bytes_text(p->journal_bytes, text[1], sizeof text[1]));
}

void gmc_check_pilot_json(const gmc_check_pilot *p, gmc_json *json)
{
    gmc_json_open(json, "pilot", '{');
    gmc_json_whole(json, "trials", (uint64_t)p->trials);
    gmc_answer_put_tally(json, &p->tally);
    gmc_json_real(json, "seconds_per_trial", p->seconds);
    gmc_json_close(json, '}');
    if (p->rule.kind == GMC_STOP_HALF_WIDTH) {
        char rule[GMC_STOP_TEXT_MAX];
        gmc_json_open(json, "needed", '{');
        gmc_json_text(json, "rule", gmc_stop_text(p->rule, rule));
        gmc_json_real(json, "pilot_p", p->pilot_p);
        if (p->agreement >= 0) gmc_json_real(json, "pilot_agreement", p->agreement);
        gmc_json_whole(json, "draws", (uint64_t)p->likely[0]);
        gmc_json_whole(json, "draws_worst", (uint64_t)p->worst[0]);
        gmc_json_whole(json, "draws_fixed", (uint64_t)p->likely[1]);
        gmc_json_whole(json, "draws_fixed_worst", (uint64_t)p->worst[1]);
        gmc_json_close(json, '}');
    }
    gmc_json_open(json, "costs", '{');
    gmc_json_whole(json, "draws", (uint64_t)p->draws);
    gmc_json_real(json, "trials", p->run_trials);
    gmc_json_whole(json, "workers", (uint64_t)p->workers);
    gmc_json_real(json, "seconds", p->run_seconds);
    gmc_json_real(json, "memory_bytes", p->memory_bytes);
    gmc_json_real(json, "result_bytes", p->result_bytes);
    gmc_json_real(json, "journal_bytes", p->journal_bytes);
    gmc_json_close(json, '}');
}
