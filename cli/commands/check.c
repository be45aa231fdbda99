// graspmc check: every mistake of a scenario, or what would run.
#include "cli/answer/answer.h"
#include "cli/answer/cache.h"
#include "cli/answer/overlaps.h"
#include "cli/commands/check_model.h"
#include "cli/commands/check_pilot.h"
#include "cli/commands/commands.h"
#include "cli/options/args.h"
#include "cli/process/json.h"
#include "cli/process/signals.h"
#include "cli/process/terminal.h"
#include "engine/math/elementary.h"
#include "sampling/build/build.h"
#include "sampling/build/margin.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/nominal.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/language/location.h"
#include "sampling/language/node.h"
#include "sampling/scenario/grasp_set.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/store/describe.h"
#include "sampling/store/method.h"
#include "sampling/store/record.h"
#include "sampling/writing/expand.h"
#include "sampling/writing/listing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- draws that are more than plain ones ---

static void print_importance(const gmc_scenario *s, FILE *out)
{
    const gmc_node *map = gmc_node_find(gmc_node_find(s->tree, "sampling"), "importance");
    if (!s->is_weighted || !map || map->kind != GMC_NODE_MAP) return;
    const char *head = "proposed";
    for (const gmc_node *n = map->first; n; n = n->next, head = "")
        gmc_terminal_print(out, "%-10s%-24s %s\n", head, n->key, n->text ? n->text : "");
    gmc_terminal_print(
        out, "%-10s%.4g %% of the draws from the true distributions; no weight above %.4g\n", head,
        100 * s->true_share, s->weight_bound);
}

static void print_cheap_level(const gmc_scenario *s, FILE *out)
{
    if (s->pilot == 0) return;
    for (int i = 0; i + 1 < s->level_count; i++) {
        const gmc_level_spec *cheap = &s->levels[i];
        double step = cheap->step > 0 ? cheap->step : s->parameters[s->step].nominal;
        const char *motion = cheap->motion ? cheap->motion : s->motion;
        gmc_terminal_print(out, "%-10s%s with %s, %s, %.4g ms", i == 0 ? "cheap" : "",
                           i == 0 ? "every draw" : "as many as pay",
                           cheap->stepper ? cheap->stepper : s->stepper,
                           motion ? motion : "dynamic", 1000 * step);
        if (i + 2 < s->level_count) fputc('\n', out);
    }
    gmc_terminal_print(out, "; %d also as simulation says, then as many as pay\n", s->pilot);
}

/// Lines about importance sampling, subset simulation and two levels; none for other draws.
/// @param scenario  resolved
static void check_chance_print(const gmc_scenario *s, FILE *out)
{
    print_importance(s, out);
    if (s->subset.is_given)
        gmc_terminal_print(
            out, "subset    %d run%s of at most %d levels, %d points each; margin %s\n",
            s->subset.runs, s->subset.runs == 1 ? "" : "s", s->subset.levels, s->subset.per_level,
            s->subset.margin ? s->subset.margin->text : GMC_MARGIN_DERIVED);
    if (s->subset.aimed > 0)
        gmc_terminal_print(out,
                           "          %d draws behind them, aimed by a surrogate of the margin\n",
                           s->subset.aimed);
    if (s->subset.is_given && s->subset.aimed == 0 && s->subset.per_level < GMC_SUBSET_POINTS_FEW)
        gmc_terminal_print(out, "          %d points a level: %s\n", s->subset.per_level,
                           GMC_ANSWER_SUBSET_FEW);
    print_cheap_level(s, out);
}

// --- candidate grasps ---

// The part of `check` about candidate grasps: how far the open hand is from the object in each. A
// file that speaks of another frame than the scenario says shows in nothing else as clearly. An
// object that does not even reach into the box around the hand is no object between fingers.

/// The gaps of one object.
typedef struct spread {
    int64_t count, overlapping, far;
    int64_t elsewhere; // overlaps, but hand and object do not
    double least, median, largest;
} spread;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/// @param sorted  (count) scratch
static spread spread_of(const gmc_scenario *scenario, int object, const gmc_nominal_start *starts,
                        int64_t count, double accepted, double *sorted)
{
    spread s = {0};
    for (int64_t c = 0; c < count; c++) {
        if (gmc_study_object(scenario, c) != object || isnan(starts[c].gap.gap)) continue;
        sorted[s.count++] = starts[c].gap.gap;
        s.overlapping += starts[c].gap.gap < -accepted;
        s.far += starts[c].gap.outside > 0;
        s.elsewhere += starts[c].worst.depth > 0 && !(starts[c].gap.gap < -accepted);
    }
    if (s.count == 0) return s;
    qsort(sorted, (size_t)s.count, sizeof *sorted, by_size);
    s.least = sorted[0];
    s.median = (sorted[(s.count - 1) / 2] + sorted[s.count / 2]) / 2;
    s.largest = sorted[s.count - 1];
    return s;
}

/// One line for each object that has grasps.
/// @param starts    (count) of the first cases, as gmc_nominal_look has them
/// @param accepted  overlap that a trial accepts [m]
static void check_grasps_print(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                               int64_t count, double accepted, FILE *out)
{
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    bool is_first = true;
    for (int o = 0; sorted && o < scenario->object_count; o++) {
        const gmc_grasp_set *set = scenario->objects[o].grasps;
        if (!set) continue;
        spread s = spread_of(scenario, o, starts, count, accepted, sorted);
        gmc_terminal_print(out, "%-10s%-16s %s (%s): %d of %d", is_first ? "grasps" : "",
                           scenario->objects[o].name, set->file, set->grasps.format, set->count,
                           set->grasps.count);
        is_first = false;
        if (s.count > 0)
            fprintf(out, "; gap to the hand %.3g ... %.3g mm, median %.3g mm", 1e3 * s.least,
                    1e3 * s.largest, 1e3 * s.median);
        if (s.overlapping > 0) fprintf(out, "; %" PRId64 " overlap", s.overlapping);
        if (s.elsewhere > 0) fprintf(out, "; %" PRId64 " overlap elsewhere", s.elsewhere);
        if (s.far > 0) fprintf(out, "; %" PRId64 " beside the hand", s.far);
        fputc('\n', out);
    }
    free(sorted);
}

/// The grasp of a case.
static const gmc_grasp *grasp_of(const gmc_scenario *scenario, int64_t c, int *row)
{
    int index = 0;
    const gmc_grasp_set *set = gmc_study_grasp_set(scenario, c, &index);
    *row = set->rows[index];
    return &set->grasps.list[*row];
}

/// A table of all of them.
static void check_grasps_list(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                              int64_t count, FILE *out)
{
    gmc_terminal_print(out, "%7s  %-12s  %-20s %7s  %10s  %9s  %10s  %s\n", "case", "object",
                       "grasp", "row", "confidence", "gap [mm]", "scene [mm]", "deepest overlap");
    for (int64_t c = 0; c < count; c++) {
        int row = 0;
        const gmc_grasp *grasp = grasp_of(scenario, c, &row);
        const char *object = scenario->objects[gmc_study_object(scenario, c)].name;
        gmc_terminal_print(out, "%7" PRId64 "  %-12s  %-20s %7d  ", c, object, grasp->name, row);
        if (isnan(grasp->confidence))
            gmc_terminal_print(out, "%10s", "");
        else
            fprintf(out, "%10.4g", grasp->confidence);
        fprintf(out, "  %9.3f  ", 1e3 * starts[c].gap.gap);
        if (isinf(starts[c].scene_gap.gap))
            gmc_terminal_print(out, "%10s", "");
        else
            fprintf(out, "%10.3f", 1e3 * starts[c].scene_gap.gap);
        const gmc_build_overlap *worst = &starts[c].worst;
        if (worst->depth > 0)
            gmc_terminal_print(out, "  %s / %s %.1f mm", worst->a, worst->b, 1e3 * worst->depth);
        fputs(starts[c].gap.outside > 0 ? "  beside\n" : "\n", out);
    }
}

/// `overlap`: who overlaps most at the start, the hand and the object or others; null: nobody by
/// more than a trial accepts.
static void put_overlap(gmc_json *json, const gmc_build_overlap *worst)
{
    if (!(worst->depth > 0)) {
        gmc_json_text(json, "overlap", NULL);
        return;
    }
    gmc_json_open(json, "overlap", '{');
    gmc_overlaps_put(json, worst);
    gmc_json_close(json, '}');
}

/// Both as JSON: an array `grasps`, one element a case.
static void check_grasps_json(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                              int64_t count, gmc_json *json)
{
    gmc_json_open(json, "grasps", '[');
    for (int64_t c = 0; c < count; c++) {
        int row = 0;
        const gmc_grasp *grasp = grasp_of(scenario, c, &row);
        gmc_json_open(json, NULL, '{');
        gmc_json_whole(json, "case", (uint64_t)c);
        gmc_json_text(json, "object", scenario->objects[gmc_study_object(scenario, c)].name);
        gmc_json_text(json, "grasp", grasp->name);
        gmc_json_whole(json, "row", (uint64_t)row);
        gmc_json_real(json, "confidence", grasp->confidence);
        gmc_json_real(json, "gap_m", starts[c].gap.gap);
        gmc_json_real(json, "outside_m", starts[c].gap.outside);
        gmc_json_real(json, "scene_gap_m", starts[c].scene_gap.gap);
        put_overlap(json, &starts[c].worst);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

/// Warn of objects most of whose grasps overlap, or are far away.
static void check_grasps_warn(const gmc_scenario *scenario, const gmc_nominal_start *starts,
                              int64_t count, double accepted, gmc_diagnostics *messages)
{
    double *sorted = malloc((size_t)count * sizeof *sorted + 1);
    for (int o = 0; sorted && o < scenario->object_count; o++) {
        const gmc_grasp_set *set = scenario->objects[o].grasps;
        if (!set) continue;
        spread s = spread_of(scenario, o, starts, count, accepted, sorted);
        bool do_overlap = 2 * s.overlapping > s.count, are_far = 2 * s.far > s.count;
        if (!do_overlap && !are_far) continue;
        gmc_diagnostics_add(messages, GMC_OK, set->source,
                            "is it another link of the hand that the file places (frame, gripper), "
                            "or another frame "
                            "of the object (object, scale)?",
                            "%s: in %" PRId64 " of %" PRId64
                            " grasps the hand %s the object; median gap %.3g mm",
                            set->path, do_overlap ? s.overlapping : s.far, s.count,
                            do_overlap ? "overlaps" : "is wholly beside", 1e3 * s.median);
    }
    free(sorted);
}

// --- how the fingers close ---

// What `check` says of how the fingers close.

/// How a finger closes in a phase, at nominal values.
typedef struct course {
    gmc_build_joint_facts joint;
    double end;         ///< NaN: not known; infinite: none
    const char *end_is; ///< "limit", "closed", "position"
    double force;       ///< of each joint that its drive moves; +inf: whatever the servo takes
    double speed;       ///< +inf: no limit
} course;

static const gmc_phase_spec *first_close(const gmc_scenario *s)
{
    for (int i = 0; i < s->phase_count; i++)
        if (s->program[i].kind == GMC_PHASE_CLOSE) return &s->program[i];
    return NULL;
}

static double value_of(const gmc_scenario *s, gmc_param param, double otherwise)
{
    return param < 0 ? otherwise : s->parameters[param].nominal;
}

static course course_of(const gmc_scenario *s, const gmc_phase_spec *phase,
                        const gmc_build_joint_facts *joint)
{
    course c = {.joint = *joint,
                .speed = fmin(value_of(s, phase->speed, INFINITY), joint->max_speed)};
    c.force = joint->max_force / joint->coupled;
    if (phase->force >= 0) {
        c.end = joint->closes > 0 ? joint->upper : joint->lower;
        c.end_is = "limit";
        c.force = fmin(c.force, joint->share * value_of(s, phase->force, 0));
    } else if (phase->position >= 0) {
        c.end = value_of(s, phase->position, 0);
        c.end_is = "position";
    } else {
        c.end = joint->closed;
        c.end_is = joint->is_closed_given ? "closed" : "limit";
    }
    return c;
}

static void print_place(double x, bool is_slide, FILE *out)
{
    if (isinf(x))
        gmc_terminal_print(out, "%s", x > 0 ? "inf" : "-inf");
    else
        gmc_terminal_print(out, "%.4g %s", is_slide ? 1e3 * x : x * 180 / GMC_PI,
                           is_slide ? "mm" : "deg");
}

/// Of one joint, and where others mimic it of the drive that they share.
static void print_force(const course *c, FILE *out)
{
    const char *unit = c->joint.is_slide ? "N" : "N*m";
    if (!isfinite(c->force)) return;
    gmc_terminal_print(out, ", %.4g %s", c->force, unit);
    if (c->joint.moved > 1)
        gmc_terminal_print(out, " at each of %d joints (drive %.4g %s)", c->joint.moved,
                           c->force * c->joint.coupled, unit);
}

static void print_course(const course *c, bool is_first, FILE *out)
{
    bool is_slide = c->joint.is_slide;
    gmc_terminal_print(out, "%-10s%s ", is_first ? "closes" : "", c->joint.name);
    print_place(c->joint.start, is_slide, out);
    fputs(" -> ", out);
    print_place(c->end, is_slide, out);
    if (isinf(c->end))
        fputs(" (no limit)", out);
    else
        gmc_terminal_print(out, " (%s)", c->end_is);
    print_force(c, out);
    if (isfinite(c->speed))
        gmc_terminal_print(out, ", at most %.4g %s", c->speed, is_slide ? "m/s" : "rad/s");
    fputc('\n', out);
}

/// A line for each finger that the first phase `close` moves, at nominal values; none without such
/// a phase: "closes  joint  start -> end (what the end is), force, largest speed".
static void check_closing_print(const gmc_scenario *s, const gmc_build *build, FILE *out)
{
    const gmc_phase_spec *phase = first_close(s);
    bool is_first = true;
    for (int i = 0; phase && i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        course c = course_of(s, phase, &joint);
        print_course(&c, is_first, out);
        is_first = false;
    }
}

/// The same as the list "closes", numbers in SI.
static void check_closing_json(const gmc_scenario *s, const gmc_build *build, gmc_json *json)
{
    const gmc_phase_spec *phase = first_close(s);
    if (!phase) return;
    gmc_json_open(json, "closes", '[');
    for (int i = 0; i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        course c = course_of(s, phase, &joint);
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "joint", joint.name);
        gmc_json_text(json, "by", joint.closes_by);
        gmc_json_text(json, "unit", joint.is_slide ? "m" : "rad");
        gmc_json_real(json, "start", joint.start);
        gmc_json_real(json, "end", c.end);
        gmc_json_text(json, "end_is", c.end_is);
        gmc_json_real(json, "force", c.force);
        gmc_json_real(json, "drive_force", c.force * joint.coupled);
        gmc_json_whole(json, "joints", (uint64_t)joint.moved);
        gmc_json_real(json, "max_speed", c.speed);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

// --- what would run ---

/// What a run would take.
typedef struct gmc_check_costs {
    uint64_t trials;
    double duration_s; ///< longest simulated time of a trial at nominal values
    double steps;
    double worker_bytes;     ///< arenas of one worker at the start
    double result_bytes;     ///< tables, before compression
    double trajectory_bytes; ///< of one kept trajectory, before compression
} gmc_check_costs;

/// What was seen at the start of each case.
typedef struct gmc_check_look {
    gmc_nominal_starts starts;
    gmc_nominal_start *grasps; ///< (count); NULL: no grasps
    int64_t count;
    gmc_overlaps_ahead ahead;
    bool is_undecided; ///< a run would decide nothing, as far as starts and pilot tell
} gmc_check_look;

static gmc_status look_at_starts(const gmc_prepared *prepared, gmc_check_look *look)
{
    const gmc_scenario *s = &prepared->scenario;
    look->count = gmc_nominal_count(s);
    if (gmc_study_grasp(s, 0) >= 0) {
        look->grasps = calloc((size_t)look->count, sizeof *look->grasps);
        if (!look->grasps) return GMC_E_MEMORY;
    }
    GMC_TRY(gmc_nominal_look(s, prepared->build, look->count, look->grasps, &look->starts));
    return gmc_overlaps_look_ahead(prepared, &look->starts, &look->ahead);
}

/// The reason why a run would decide nothing.
static void print_undecided(const gmc_overlaps_ahead *a, FILE *out)
{
    char text[GMC_OVERLAPS_TEXT_MAX];
    if (!a->is_undecided) return;
    fprintf(out, "%-10snothing would be decided: ", "undecided");
    if (a->looked_at < a->of)
        fprintf(out, "the first %" PRIu64 " of %" PRIu64 " trials all start", a->looked_at, a->of);
    else
        fprintf(out, "all %" PRIu64 " trials start", a->of);
    gmc_terminal_print(out, " with bodies that overlap (deep_start); in trial %" PRIu64 " %s\n",
                       a->worst, gmc_overlaps_text(&a->them.list[0], text));
}

static void put_undecided(const gmc_overlaps_ahead *a, gmc_json *json)
{
    if (!a->is_undecided) return;
    gmc_json_open(json, "undecided", '{');
    gmc_json_whole(json, "looked_at", a->looked_at);
    gmc_json_whole(json, "trial", a->worst);
    gmc_overlaps_json(&a->them, json);
    gmc_json_close(json, '}');
}

static gmc_check_costs costs_of(const gmc_scenario *s, const gmc_build *build,
                                const gmc_store_plan *plan)
{
    bool is_race = plan->race && plan->race->budget < plan->total;
    gmc_check_costs c = {.trials = is_race ? plan->race->budget : plan->total,
                         .worker_bytes = (double)gmc_build_bytes(build)};
    double *values = calloc((size_t)s->parameter_count + 1, sizeof *values);
    if (values) {
        for (int i = 0; i < s->parameter_count; i++)
            values[i] = s->parameters[i].nominal;
        c.duration_s = fmin(gmc_build_duration(build, values), values[s->time_limit]);
        c.steps = ceil(c.duration_s / values[s->step]);
    }
    free(values);
    c.result_bytes =
        (double)c.trials * (double)gmc_record_core_bytes(plan->column_count, plan->parameter_count);
    double rate = s->parameters[s->rate].nominal;
    double rows = rate > 0 ? c.duration_s * rate + 2 : c.steps + 1;
    // a row: time, pose and twist per body, position and effort per joint, and two patches of four
    // contact points, as in most grasps, each with point, normal, force, torque and two geoms
    double row_bytes = 8 + plan->models[0].body_count * 13 * 8 + plan->models[0].joint_count * 16 +
                       8 * (12 * 8 + 8);
    c.trajectory_bytes = rows * row_bytes;
    return c;
}

/// "3.2 MB"
static const char *bytes_text(double bytes, char *text, size_t room)
{
    static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit + 1 < GMC_COUNT(UNITS); unit++)
        bytes /= 1000;
    snprintf(text, room, bytes < 9.95 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes, UNITS[unit]);
    return text;
}

static void print_criteria(const gmc_criterion *list, int count, const char *when, bool *is_first)
{
    for (int i = 0; i < count; i++) {
        gmc_terminal_print(stdout, "%-10s%s %s\n", *is_first ? "success" : "", when, list[i].text);
        *is_first = false;
    }
}

/// How many trials a ranking may take, and how they may be spread.
static void print_race(const gmc_race_plan *race)
{
    uint64_t left = race->budget - (uint64_t)race->case_count * race->first;
    gmc_terminal_print(
        stdout,
        "%-10sbest %" PRId64 "%s within %.10g at %.10g %%: %" PRIu64 " draws of every case, "
        "then at most %" PRIu64 " trials where it is open, %" PRIu64 " draws a case\n",
        "rank", race->best, race->group_count > 1 ? " of each object" : "", race->within,
        100 * race->level, race->first, left, race->last);
}

/// Files that were read from outside of the scenario's folder, links resolved; `visit` for each.
static void each_outside(const gmc_scenario *s, void (*visit)(const char *file, void *context),
                         void *context)
{
    for (int i = 0; i < s->asset_count; i++) {
        if (gmc_location_is_inside(s->file, NULL, s->assets[i].file)) continue;
        char *real = gmc_location_real(s->assets[i].file);
        visit(real ? real : s->assets[i].file, context);
        free(real);
    }
}

static void print_outside(const char *file, void *context)
{
    bool *is_first = context;
    gmc_terminal_print(stdout, "%-10s%s\n", *is_first ? "outside" : "", file);
    *is_first = false;
}

static void put_outside(const char *file, void *context) { gmc_json_text(context, NULL, file); }

/// @param pilot  NULL: none was asked for
static void print_summary(const gmc_args *args, const gmc_prepared *prepared,
                          const gmc_store_plan *plan, const gmc_check_costs *c,
                          const gmc_check_look *look, const gmc_check_pilot *pilot)
{
    const gmc_scenario *s = &prepared->scenario;
    char text[3][32];
    gmc_terminal_print(stdout, "%s: no mistakes\n", args->input);
    print_undecided(&look->ahead, stdout);
    if (s->about) {
        gmc_terminal_print(stdout, "%-10s", "about");
        gmc_terminal_lines(stdout, 10, s->about);
    }
    char levels[40] = "";
    if (plan->ladder)
        snprintf(levels, sizeof levels, " x %d levels", plan->ladder->sieve.level_count);
    if (s->optimise.is_given)
        gmc_terminal_print(stdout,
                           "%-10sat most %" PRIu64
                           ": two thirds search the ranges, the rest are of "
                           "the design that is chosen (%s, seed %" PRIu64 ")\n",
                           "trials", c->trials, plan->design, s->seed);
    else
        gmc_terminal_print(stdout,
                           "%-10s%s%" PRIu64 "%s%" PRId64 " case%s x %" PRId64
                           " draws%s (%s, seed %" PRIu64 ")\n",
                           "trials", gmc_store_plan_is_sparse(plan) ? "at most " : "", c->trials,
                           plan->race ? " of " : " = ", s->case_count,
                           s->case_count == 1 ? "" : "s", s->draws, levels, plan->design, s->seed);
    if (plan->ladder)
        gmc_terminal_print(stdout, "%-10s%s; %d rounds from %" PRIu64 " draws\n", "ladder",
                           plan->ladder->names, gmc_sieve_rounds(&plan->ladder->sieve),
                           plan->ladder->sieve.first);
    if (plan->race) print_race(plan->race);
    check_chance_print(s, stdout);
    int width = 24;
    for (int i = 0; i < plan->parameter_count; i++)
        if ((int)strlen(plan->parameters[i].name) > width)
            width = (int)strlen(plan->parameters[i].name);
    for (int i = 0; i < plan->parameter_count; i++)
        gmc_terminal_print(stdout, "%-10s%-*s %s [%s]\n", i == 0 ? "varies" : "", width,
                           plan->parameters[i].name, plan->parameters[i].distribution,
                           plan->parameters[i].unit);
    if (look->grasps)
        check_grasps_print(s, look->grasps, look->count, look->starts.accepted, stdout);
    check_closing_print(s, prepared->build, stdout);
    bool is_first = true;
    print_criteria(s->at_end, s->at_end_count, "at the end:", &is_first);
    print_criteria(s->always, s->always_count, "always:    ", &is_first);
    bool is_first_outside = true;
    each_outside(s, print_outside, &is_first_outside);
    gmc_terminal_print(stdout, "%-10sat most %.4g s simulated, %.0f steps of %.4g ms\n", "a trial",
                       c->duration_s, c->steps, 1000 * s->parameters[s->step].nominal);
    if (pilot) {
        gmc_check_pilot_print(pilot, stdout);
        return;
    }
    gmc_terminal_print(stdout, "%-10s%s per worker\n", "memory",
                       bytes_text(c->worker_bytes, text[0], sizeof text[0]));
    gmc_terminal_print(stdout, "%-10s%s of tables", "disk",
                       bytes_text(c->result_bytes, text[1], sizeof text[1]));
    if (s->record != GMC_RECORD_NONE)
        gmc_terminal_print(stdout, ", about %s per trajectory kept (%s)",
                           bytes_text(c->trajectory_bytes, text[2], sizeof text[2]),
                           plan->trajectories);
    printf("; less after compression\n");
}

static void print_summary_json(const gmc_args *args, const gmc_prepared *prepared,
                               const gmc_store_plan *plan, const gmc_check_costs *c,
                               const gmc_check_look *look, const gmc_check_pilot *pilot)
{
    const gmc_scenario *s = &prepared->scenario;
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "scenario", args->input);
    gmc_json_text(&json, "about", s->about);
    gmc_json_text(&json, "digest", plan->digest.hex);
    put_undecided(&look->ahead, &json);
    gmc_json_whole(&json, "cases", (uint64_t)s->case_count);
    gmc_json_whole(&json, "draws", (uint64_t)s->draws);
    gmc_json_whole(&json, "trials", c->trials);
    if (gmc_store_method_chooser(s)) gmc_json_text(&json, "chosen_by", gmc_store_method_chooser(s));
    gmc_json_text(&json, "design", plan->design);
    gmc_json_whole(&json, "seed", s->seed);
    gmc_json_open(&json, "varies", '[');
    for (int i = 0; i < plan->parameter_count; i++) {
        const gmc_store_parameter *p = &plan->parameters[i];
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "path", p->name);
        gmc_json_text(&json, "distribution", p->distribution);
        gmc_json_text(&json, "unit", p->unit);
        gmc_json_real(&json, "lower", p->lower);
        gmc_json_real(&json, "upper", p->upper);
        gmc_json_flag(&json, "studied", p->is_studied);
        gmc_json_close(&json, '}');
    }
    gmc_json_close(&json, ']');
    if (look->grasps) check_grasps_json(s, look->grasps, look->count, &json);
    check_closing_json(s, prepared->build, &json);
    gmc_json_open(&json, "outside", '[');
    each_outside(s, put_outside, &json);
    gmc_json_close(&json, ']');
    gmc_json_real(&json, "duration_s", c->duration_s);
    gmc_json_real(&json, "steps", c->steps);
    gmc_json_real(&json, "worker_bytes", c->worker_bytes);
    gmc_json_real(&json, "result_bytes", c->result_bytes);
    gmc_json_real(&json, "trajectory_bytes", c->trajectory_bytes);
    if (pilot) gmc_check_pilot_json(pilot, &json);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

/// Print a text that its maker allocated.
static gmc_status print_made(gmc_status (*make)(const gmc_scenario *scenario, char **text),
                             const gmc_scenario *s)
{
    char *text = NULL;
    GMC_TRY(make(s, &text));
    fputs(text, stdout);
    free(text);
    return GMC_OK;
}

static gmc_status answer_summary(const gmc_args *args, gmc_prepared *prepared,
                                 const gmc_store_plan *plan, const gmc_check_costs *costs,
                                 gmc_check_look *look, gmc_diagnostics *messages)
{
    gmc_check_pilot found;
    const gmc_check_pilot *pilot = args->pilot.value > 0 ? &found : NULL;
    if (pilot) GMC_TRY(gmc_check_pilot_run(args, prepared, plan, messages, &found));
    look->is_undecided =
        look->ahead.is_undecided || (pilot && gmc_tally_decided(pilot->tally) == 0);
    if (args->json)
        print_summary_json(args, prepared, plan, costs, look, pilot);
    else
        print_summary(args, prepared, plan, costs, look, pilot);
    return GMC_OK;
}

/// An array `messages`, each with its place.
static void print_messages_json(gmc_json *json, const gmc_diagnostics *messages)
{
    gmc_json_open(json, "messages", '[');
    for (int i = 0; i < messages->count; i++) {
        const gmc_diagnostic *m = &messages->items[i];
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "severity", gmc_severity_name(m->severity));
        gmc_json_text(json, "file", m->source.file);
        gmc_json_whole(json, "line", (uint64_t)m->source.line);
        gmc_json_whole(json, "column", (uint64_t)m->source.column);
        gmc_json_text(json, "message", m->message);
        gmc_json_text(json, "hint", m->hint);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}

/// What was understood of the scenario, in place of what would run.
static gmc_status answer_model(const gmc_args *args, const gmc_prepared *prepared,
                               const gmc_diagnostics *messages)
{
    gmc_check_model model;
    gmc_status status = gmc_check_model_look(prepared, &model);
    if (status == GMC_OK && args->json) {
        gmc_json json = {.out = stdout};
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "scenario", args->input);
        gmc_check_model_json(&model, &json);
        print_messages_json(&json, messages);
        gmc_json_close(&json, '}');
        fputc('\n', stdout);
    } else if (status == GMC_OK) {
        gmc_check_model_print(&model, messages, stdout);
    }
    gmc_check_model_free(&model);
    return status;
}

/// What would run. Describing it finds histograms that cannot be made, whatever is printed.
static gmc_status answer(const gmc_args *args, gmc_prepared *prepared, gmc_check_look *look,
                         gmc_diagnostics *messages)
{
    gmc_scenario *s = &prepared->scenario;
    gmc_describe_options options = {.count = gmc_rollouts_total(s), .level = args->level};
    gmc_description description;
    gmc_status status = gmc_describe_run(s, prepared->build, &options, messages, &description);
    if (args->grasps && !look->grasps)
        gmc_diagnostics_add(messages, GMC_OK, (gmc_source){.file = args->input},
                            "object: {grasps: FILE} names them",
                            "--grasps: this scenario has no grasps of a file");
    if (status == GMC_OK) {
        gmc_check_costs costs = costs_of(s, prepared->build, &description.plan);
        if (args->expanded)
            status = print_made(args->json ? gmc_expand_json : gmc_expand_yaml, s);
        else if (args->parameters)
            status = print_made(args->json ? gmc_listing_json : gmc_listing_table, s);
        else if (args->model)
            status = answer_model(args, prepared, messages);
        else if (args->grasps && look->grasps && !args->json)
            check_grasps_list(s, look->grasps, look->count, stdout);
        else
            status = answer_summary(args, prepared, &description.plan, &costs, look, messages);
    }
    gmc_description_free(&description);
    return status;
}

/// One object: the mistakes.
static void print_mistakes_json(const gmc_args *args, const gmc_diagnostics *messages)
{
    gmc_json json = {.out = stdout};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "scenario", args->input);
    print_messages_json(&json, messages);
    gmc_json_close(&json, '}');
    fputc('\n', stdout);
}

gmc_exit gmc_check_main(const gmc_args *args)
{
    (void)gmc_signals_catch(); // nothing is at stake: the first one ends it
    gmc_sets sets;
    gmc_sets_collect(args, &sets);
    gmc_diagnostics messages = {0};
    gmc_prepared prepared;
    gmc_cache cache;
    const gmc_pieces_cache *kept =
        gmc_cache_open(&cache, args->quiet ? GMC_ARGS_PROGRESS_NONE : args->progress);
    gmc_status status =
        gmc_prepare(args->input, sets.list, args->allow.items, kept, &messages, &prepared);
    gmc_cache_close(&cache);
    if (status == GMC_OK) status = gmc_diagnostics_status(&messages);
    gmc_check_look look = {.count = 0};
    if (status == GMC_OK) status = look_at_starts(&prepared, &look);
    if (status == GMC_OK) status = answer(args, &prepared, &look, &messages);
    if (status == GMC_OK) {
        status = gmc_overlaps_warn(args->input, &prepared.scenario, prepared.build, &look.starts,
                                   &messages);
        if (status == GMC_OK)
            status = gmc_overlaps_warn_shallow(args->input, &prepared.scenario, prepared.build,
                                               &look.starts, &messages);
        gmc_nominal_warn_far(&prepared.scenario, &look.starts, &messages);
        if (look.grasps)
            check_grasps_warn(&prepared.scenario, look.grasps, look.count, look.starts.accepted,
                              &messages);
    }
    free(look.grasps);
    if (status != GMC_OK && args->json) print_mistakes_json(args, &messages);
    if (args->no_warnings) gmc_diagnostics_hush(&messages);
    gmc_terminal_messages(&messages);
    if (status != GMC_OK && messages.error_count == 0)
        gmc_terminal_print(stderr, "graspmc check: %s\n", gmc_status_name(status));
    gmc_diagnostics_free(&messages);
    gmc_prepared_free(&prepared);
    return status == GMC_OK && look.is_undecided ? GMC_EXIT_UNDECIDED : gmc_exit_of(status);
}
