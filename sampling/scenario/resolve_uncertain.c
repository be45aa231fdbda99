// What is uncertain: the lines and their laws, what varies together, which numbers a design needs,
// and what draws come from instead.
#include "engine/control/program.h"
#include "sampling/design/exchange.h"
#include "sampling/design/morris.h"
#include "sampling/language/merge.h"
#include "sampling/language/nearest.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/random/correlation.h"
#include "sampling/random/distribution.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/resolve_internal.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/study.h"
#include "sampling/scenario/uncertain.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- stray ------------------------------------------------------------------------------------

// What a number comes to in trials, to see whether a unit was forgotten. Of bounded laws the ends
// are looked at, of others what one draw in ten exceeds on a side. That all is too little is a
// question for the larger end: laws may well begin at nothing.

// Has a law no end on some side?
static bool has_tails(const gmc_distribution *d)
{
    if (!gmc_distribution_laws[d->type].has_tails) return false;
    return !d->is_truncated || d->lower == -HUGE_VAL || d->upper == HUGE_VAL;
}

static bool changes(const gmc_uncertain *line, gmc_param param)
{
    if (line->relation != GMC_RELATION_NONE || line->tripod > 0) return false;
    if (gmc_distribution_check(&line->distribution, NULL)) return false; // reported
    for (int k = 0; k < line->target_count; k++)
        if (line->targets[k] == param) return true;
    return false;
}

/// The ends of a law; rows of a file come in the order of the file.
static void find_ends(const gmc_distribution *d, double *least, double *most)
{
    static const double TAIL = 0.1;
    double tail = has_tails(d) ? TAIL : 0;
    *least = d->values ? d->values[0] : gmc_distribution_quantile(d, tail);
    *most = d->values ? d->values[0] : gmc_distribution_quantile(d, 1 - tail);
    for (int i = 1; i < d->value_count; i++) {
        *least = fmin(*least, d->values[i]);
        *most = fmax(*most, d->values[i]);
    }
}

/// The larger one in magnitude.
static double farther(double a, double b) { return fabs(b) > fabs(a) ? b : a; }

/// @param lowest,highest  nominal values over the cases
static bool is_line_off(const gmc_uncertain *line, double lowest, double highest, double low,
                        double high, gmc_stray *stray)
{
    double least, most;
    find_ends(&line->distribution, &least, &most);
    double of_least = farther(gmc_perturb_changed(line, least, lowest),
                              gmc_perturb_changed(line, least, highest));
    double of_most =
        farther(gmc_perturb_changed(line, most, lowest), gmc_perturb_changed(line, most, highest));
    double value = farther(of_least, of_most);
    *stray = (gmc_stray){.value = value, .source = line->source, .line = line};
    return !(fabs(value) >= low && fabs(value) <= high);
}

static bool is_axis_off(const gmc_axis_spec *axis, gmc_param param, double low, double high,
                        gmc_stray *stray)
{
    if (!axis->values) return false;
    for (int k = 0; k < axis->target_count; k++) {
        if (axis->targets[k] != param) continue;
        for (int i = 0; i < axis->count; i++) {
            double value = fabs(axis->values[i]);
            if (value >= low && value <= high) continue;
            *stray = (gmc_stray){.value = axis->values[i], .source = axis->source};
            return true;
        }
    }
    return false;
}

bool gmc_resolve_stray(const gmc_scenario *s, gmc_param param, double low, double high,
                       gmc_stray *stray)
{
    const gmc_parameter *p = &s->parameters[param];
    double lowest, highest;
    if (p->is_stand_in) return false;
    *stray = (gmc_stray){.value = p->nominal, .source = p->source};
    if (!(fabs(p->nominal) >= low && fabs(p->nominal) <= high)) return true;
    for (int i = 0; i < s->axis_count; i++)
        if (is_axis_off(&s->axes[i], param, low, high, stray)) return true;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    for (int i = 0; i < s->uncertain_count; i++)
        if (changes(&s->uncertain[i], param) &&
            is_line_off(&s->uncertain[i], lowest, highest, low, high, stray))
            return true;
    return false;
}

// ---- swings -----------------------------------------------------------------------------------
//
// A swing is followed by the time steps alone, whatever the stepper: the hand is where the program
// has it at the end of each, and between two it goes straight. With few steps a swing a shake is
// another motion, and with 2, 1, 1/2 ... of them none at all.

/// The largest value of a parameter that can be told before anything is drawn: over the cases and
/// to the ends of bounded laws; of a law with tails its median, which half of the draws exceed.
static double largest_of(const gmc_scenario *s, gmc_param param)
{
    double lowest, highest;
    if (param < 0) return 0;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    double largest = highest;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        bool is_law = line->relation == GMC_RELATION_NONE && line->tripod == 0;
        if (!is_law || gmc_distribution_check(&line->distribution, NULL)) continue; // reported
        double u = has_tails(&line->distribution) ? 0.5 : 1;
        for (int k = 0; k < line->target_count; k++) {
            if (line->targets[k] != param) continue;
            double end = gmc_perturb_changed(
                line, gmc_distribution_quantile(&line->distribution, u), highest);
            largest = line->change == GMC_CHANGE_ABSOLUTE ? end : fmax(largest, end);
        }
    }
    return largest;
}

/// The longest step that takes a trial along its program: of `simulation` or of a level.
static double longest_step(const gmc_scenario *s)
{
    double own = largest_of(s, s->step), longest = s->level_count == 0 || s->pilot > 0 ? own : 0;
    for (int i = 0; i < s->level_count; i++)
        if (!s->levels[i].is_geometric)
            longest = fmax(longest, s->levels[i].step > 0 ? s->levels[i].step : own);
    return longest;
}

void gmc_resolve_swings(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->step >= 0 && s->parameters[s->step].is_stand_in) return; // reported
    double step = longest_step(s);
    for (int i = 0; i < s->phase_count; i++) {
        gmc_param param = s->program[i].frequency;
        double frequency = largest_of(s, param);
        bool is_known = param >= 0 && !s->parameters[param].is_stand_in;
        if (!is_known || gmc_program_follows(frequency, step)) continue;
        char hint[160];
        snprintf(hint, sizeof hint,
                 "simulation.step: at most %.4g ms for this frequency; at most %.4g Hz for this "
                 "step",
                 1e3 / (GMC_PROGRAM_SWING_STEPS * frequency), 1 / (GMC_PROGRAM_SWING_STEPS * step));
        gmc_diagnostics_add(r->report, GMC_E_INPUT, s->parameters[param].source, hint,
                            "%.120s: %.6g Hz at time steps of %.6g ms are %.3g steps a swing; "
                            "below %d it is not followed",
                            s->parameters[param].path, frequency, 1e3 * step,
                            1 / (frequency * step), GMC_PROGRAM_SWING_STEPS);
    }
}

// ---- foresee ----------------------------------------------------------------------------------
//
// What can be foreseen of a number in trials: whether it leaves what it may be, whether a unit was
// forgotten, whether time steps follow it.

// P(X < x): the probability below a bound, without the bound itself.
static double below(const gmc_distribution *d, double x)
{
    if (x == -HUGE_VAL) return 0;
    return gmc_distribution_cdf(d, nextafter(x, -HUGE_VAL));
}

static double above(const gmc_distribution *d, double x)
{
    return x == HUGE_VAL ? 0 : 1 - gmc_distribution_cdf(d, x);
}

// Probability that the line makes a value that its target does not allow, from nominal value `x`.
static double outside(const gmc_uncertain *line, const gmc_parameter *p, double x)
{
    const gmc_distribution *d = &line->distribution;
    switch (line->change) {
    case GMC_CHANGE_ABSOLUTE:
        return below(d, p->lower) + above(d, p->upper);
    case GMC_CHANGE_ADD:
        return below(d, p->lower - x) + above(d, p->upper - x);
    case GMC_CHANGE_MULTIPLY:
        if (x > 0) return below(d, p->lower / x) + above(d, p->upper / x);
        if (x < 0) return below(d, p->upper / x) + above(d, p->lower / x);
        return p->lower <= 0 && p->upper >= 0 ? 0 : 1;
    }
    return 0;
}

void gmc_resolve_nominal_range(const gmc_scenario *s, gmc_param target, double *lowest,
                               double *highest)
{
    *lowest = *highest = s->parameters[target].nominal;
    for (int i = 0; i < s->axis_count; i++)
        for (int j = 0; j < s->axes[i].target_count; j++) {
            if (s->axes[i].targets[j] != target) continue;
            if (s->axes[i].grasps) gmc_study_grasp_range(s, &s->axes[i], target, lowest, highest);
            if (!s->axes[i].values) continue;
            *lowest = HUGE_VAL;
            *highest = -HUGE_VAL;
            for (int k = 0; k < s->axes[i].count; k++) {
                *lowest = fmin(*lowest, s->axes[i].values[k]);
                *highest = fmax(*highest, s->axes[i].values[k]);
            }
        }
}

// Is it at most what numbers of its dimension may be, from nominal values at either end?
static bool is_within(const gmc_uncertain *line, const gmc_parameter *p, double lowest,
                      double highest)
{
    gmc_parameter upper = {.lower = -HUGE_VAL, .upper = p->upper};
    return p->upper >= gmc_units_extent(p->dimension) &&
           !(fmax(outside(line, &upper, lowest), outside(line, &upper, highest)) > 0);
}

// A tail this thin is met once in a million draws: beyond it a word is worth it.
static const double THIN = 1e-6;

// Says which values of a line of `uncertain` its targets do not allow.
static void resolve_outcome(const gmc_scenario *s, const gmc_uncertain *line,
                            gmc_diagnostics *report)
{
    // below this it is rounding of the cdf
    const double NOTHING = 1e-12;
    for (int i = 0; i < line->target_count; i++) {
        const gmc_parameter *p = &s->parameters[line->targets[i]];
        double lowest = 0, highest = 0;
        if (p->is_stand_in) continue;
        gmc_resolve_nominal_range(s, line->targets[i], &lowest, &highest);
        double share = fmax(outside(line, p, lowest), outside(line, p, highest));
        bool is_bounded = !has_tails(&line->distribution);
        if (!(share > (is_bounded ? NOTHING : THIN))) continue;
        char lower[GMC_UNITS_TEXT], upper[GMC_UNITS_TEXT], allowed[200];
        gmc_units_print(p->lower == DBL_MIN ? 0 : p->lower, lower);
        gmc_units_print(p->upper, upper);
        if (p->upper == HUGE_VAL || (p->lower >= 0 && is_within(line, p, lowest, highest)))
            snprintf(allowed, sizeof allowed, "%s %s", p->lower == DBL_MIN ? ">" : ">=", lower);
        else
            snprintf(allowed, sizeof allowed, "between %s and %s", lower, upper);
        bool is_error = is_bounded || share > 0.5;
        char leaves[64];
        if (line->is_interval)
            snprintf(leaves, sizeof leaves, "its interval is not within that");
        else
            snprintf(leaves, sizeof leaves, "leaves that with probability %.3g", share);
        gmc_diagnostics_add(report, is_error ? GMC_E_INPUT : GMC_OK, line->node->source,
                            is_bounded ? NULL : "cut it: what is written, then  in [lower, upper]",
                            "%.120s must be %s (SI), but %s%s", p->path, allowed, leaves,
                            is_error ? "" : ": such trials end as unsolved");
        return;
    }
}

double gmc_resolve_share_outside(const gmc_scenario *s, gmc_param param, double lower, double upper)
{
    const gmc_parameter within = {.lower = lower, .upper = upper};
    double lowest, highest, share = 0;
    gmc_resolve_nominal_range(s, param, &lowest, &highest);
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param)
                share = fmax(share, fmax(outside(&s->uncertain[i], &within, lowest),
                                         outside(&s->uncertain[i], &within, highest)));
    return share > THIN ? share : 0;
}

void gmc_resolve_foresee(const gmc_scenario *s, gmc_param param, gmc_diagnostics *report)
{
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < s->uncertain[i].target_count; k++)
            if (s->uncertain[i].targets[k] == param) {
                resolve_outcome(s, &s->uncertain[i], report);
                break;
            }
}

// ---- tripods ----------------------------------------------------------------------------------

// `object.support.points: tripod(disk r)`: one line for the six coordinates of three points. Its
// distribution serves those who ask how far a coordinate may go.

// The body whose `support.points` a path means; NULL: none.
static const gmc_item_spec *resolve_support(const gmc_scenario *s, const char *path)
{
    static const char TAIL[] = ".support.points";
    size_t length = strlen(path), tail = sizeof TAIL - 1;
    if (length <= tail || strcmp(path + length - tail, TAIL) != 0) return NULL;
    for (int i = 0; i < s->object_count + s->scene_count; i++) {
        const gmc_item_spec *item =
            i < s->object_count ? &s->objects[i] : &s->scene[i - s->object_count];
        if (strlen(item->path) == length - tail && strncmp(item->path, path, length - tail) == 0)
            return item->support && item->support->point_count > 0 ? item : NULL;
    }
    return NULL;
}

// Give each tripod its axes of a design, behind those of the lines. @return axes of all together
static int resolve_tripod_axes(gmc_scenario *s)
{
    enum { MORE = 5 }; // besides the line's own
    int axes = s->uncertain_count;
    for (int i = 0; i < s->uncertain_count; i++) {
        if (!resolve_support(s, s->uncertain[i].path)) continue;
        s->uncertain[i].tripod_axis = axes;
        axes += MORE;
    }
    return axes;
}

// Its line of `uncertain`, whose node holds `tripod(disk r)`. @return GMC_OK, GMC_E_INPUT
// (reported), GMC_E_ARENA_FULL
static gmc_status resolve_tripod(const gmc_resolver *r, const gmc_item_spec *item,
                                 gmc_uncertain *line)
{
    gmc_uncertain_context context = {
        .scenario = r->scenario, .report = r->report, .path = line->path};
    double radius = 0;
    gmc_status status = gmc_uncertain_tripod(&context, line->node, &radius);
    if (status != GMC_OK) return status;
    if (item->support->point_count != 3) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, line->source, "give three points under support",
                            "%.120s: a tripod has three points, the support has %d", line->path,
                            item->support->point_count);
        return GMC_OK;
    }
    line->targets = GMC_NEW(r->scenario->arena, 6, gmc_param);
    if (!line->targets) return GMC_E_ARENA_FULL;
    memcpy(line->targets, item->support->points, 6 * sizeof *line->targets);
    line->target_count = 6;
    line->tripod = radius;
    line->tripod_item = item;
    double reach = radius + gmc_vec2_norm(item->centre);
    line->distribution = (gmc_distribution){.type = GMC_DISTRIBUTION_UNIFORM, .p = {-reach, reach}};
    return GMC_OK;
}

// ---- intervals --------------------------------------------------------------------------------

// Numbers that are known only to lie in an interval. They have no law, so draws put them at places
// in turn: the ends, where a success that rises or falls with the number is lowest and highest, and
// places between. Tried in thought: a uniform law and the success of parts of the range. The part
// at an end then stands for its middle, and success at the end itself is missed however many draws
// there are; and between the ends no more is seen than at as many places.

/// Places of each line where there are so many lines: 5, 9, 27, 81 in all.
static const int PLACES[] = {0, 5, 3, 3, 3};

static void refuse_interval(const gmc_resolver *r, const gmc_uncertain *line, const char *hint,
                            const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, line->node->source, hint,
                        "uncertain.%.100s: an interval %s", line->path, what);
}

/// What counts trials as if they came from laws.
static void check_company(const gmc_resolver *r, const gmc_uncertain *line)
{
    const gmc_scenario *s = r->scenario;
    char what[120];
    if (s->design == GMC_DESIGN_CSV || s->design == GMC_DESIGN_SENSITIVITY ||
        s->design == GMC_DESIGN_MORRIS) {
        snprintf(what, sizeof what, "does not go with the design %s: its places are taken in turn",
                 gmc_design_name(s->design));
        refuse_interval(r, line, "design: random, sobol or latin_hypercube", what);
    }
    if (s->is_weighted)
        refuse_interval(r, line, "keep one of the two",
                        "does not go with importance: it has no density");
    if (s->subset.is_given)
        refuse_interval(r, line, "keep one of the two",
                        "does not go with subset: it has no distribution");
    if (s->pilot > 0)
        refuse_interval(r, line, "keep one of the two",
                        "does not go with two_level, which estimates a single success probability");
    else if (s->level_count > 0)
        refuse_interval(r, line, "keep one of the two",
                        "does not go with a ladder, which judges a single success probability");
    if (s->rank.is_given)
        refuse_interval(r, line, "keep one of the two",
                        "does not go with rank: a case then has a range of success, not one");
    if (s->optimise.is_given)
        refuse_interval(r, line, "fix it, or give it a distribution",
                        "does not go with optimise: a design then has a range of success, not one");
    if (line->relation != GMC_RELATION_NONE)
        refuse_interval(r, line, "an error of x mm that all trials have:  x: 2 mm",
                        "is no distribution for the errors of a camera");
}

static gmc_status put_in_places(gmc_scenario *s, gmc_uncertain *line, int count)
{
    double *values = GMC_NEW(s->arena, count, double);
    if (!values) return GMC_E_ARENA_FULL;
    gmc_distribution *d = &line->distribution;
    double lower = d->p[0], upper = d->p[1];
    for (int i = 0; i < count; i++)
        values[i] = i == count - 1 ? upper : lower + (upper - lower) * i / (count - 1);
    *d = (gmc_distribution){.type = GMC_DISTRIBUTION_DISCRETE,
                            .p = {lower, upper},
                            .values = values,
                            .value_count = count};
    return GMC_OK;
}

// Lines that are known only to lie in an interval: the places that they take, and what they
// go with. @return GMC_OK (also reported), GMC_E_ARENA_FULL
static gmc_status resolve_intervals(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    int count = 0;
    s->interval_places = 0;
    for (int i = 0; i < s->uncertain_count; i++) {
        gmc_uncertain *line = &s->uncertain[i];
        if (!line->is_interval) continue;
        if (++count == GMC_COUNT(PLACES))
            refuse_interval(r, line, "fix some, or give them distributions",
                            "is one too many: at most four can be combined");
        check_company(r, line);
    }
    if (count == 0 || count >= GMC_COUNT(PLACES)) return GMC_OK;
    s->interval_places = 1;
    for (int i = 0; i < s->uncertain_count; i++) {
        if (!s->uncertain[i].is_interval) continue;
        if (s->uncertain[i].distribution.type == GMC_DISTRIBUTION_UNIFORM)
            GMC_TRY(put_in_places(s, &s->uncertain[i], PLACES[count]));
        s->interval_places *= PLACES[count];
    }
    return GMC_OK;
}

// ---- correlated -------------------------------------------------------------------------------

// `correlated`: a key names two lines of `uncertain`, "object.mass / friction.rubber/abs". Surfaces
// have slashes of their own, so the one that parts the two is the one with blanks around it, else
// the one on both sides of which a line is known.

enum { LINES_MAX = 400 }; // correlated with each other: more is a mistyped pattern

// ---- pairs ------------------------------------------------------------------------------------

// The line of `uncertain` that has the path, or another name of its number; -1: none.
static int resolve_line(const gmc_scenario *s, const char *path)
{
    gmc_param wanted = gmc_scenario_find(s, path);
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (strcmp(line->path, path) == 0) return i;
        if (wanted >= 0 && line->target_count == 1 && line->targets[0] == wanted) return i;
    }
    return -1;
}

// Cut "a/b" at `slash`, blanks off; false: too long.
static bool cut_at(const char *key, const char *slash, char a[GMC_VALIDATE_PATH],
                   char b[GMC_VALIDATE_PATH])
{
    size_t first = (size_t)(slash - key);
    while (first > 0 && key[first - 1] == ' ')
        first--;
    const char *second = slash + 1 + strspn(slash + 1, " ");
    if (first >= GMC_VALIDATE_PATH || strlen(second) >= GMC_VALIDATE_PATH) return false;
    snprintf(a, GMC_VALIDATE_PATH, "%.*s", (int)first, key);
    snprintf(b, GMC_VALIDATE_PATH, "%s", second);
    return true;
}

static void report_path(const gmc_resolver *r, const gmc_node *node, const char *path)
{
    const gmc_scenario *s = r->scenario;
    char hint[200] = "list it under uncertain";
    gmc_nearest nearest = gmc_nearest_start(path);
    for (int i = 0; i < s->uncertain_count; i++)
        gmc_nearest_offer(&nearest, s->uncertain[i].path);
    if (nearest.best && gmc_scenario_find(s, path) < 0)
        snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source, hint,
                        "correlated: %.120s is no line of uncertain", path);
}

// The two lines of a key; false: reported.
static bool find_pair(const gmc_resolver *r, const gmc_node *node, int lines[2])
{
    char a[GMC_VALIDATE_PATH], b[GMC_VALIDATE_PATH];
    const char *spaced = strstr(node->key, " / "), *only = strchr(node->key, '/');
    if (spaced) only = spaced + 1;
    for (const char *slash = only; slash; slash = spaced ? NULL : strchr(slash + 1, '/')) {
        if (!cut_at(node->key, slash, a, b)) break;
        lines[0] = resolve_line(r->scenario, a);
        lines[1] = resolve_line(r->scenario, b);
        if (lines[0] >= 0 && lines[1] >= 0) return true;
    }
    bool is_plain = only && (spaced || !strchr(only + 1, '/')) && cut_at(node->key, only, a, b);
    if (is_plain)
        report_path(r, node, resolve_line(r->scenario, a) < 0 ? a : b);
    else
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source,
                            "for example object.mass / friction.rubber/abs: -0.3",
                            "correlated: expected two lines of uncertain, found %.120s", node->key);
    return false;
}

// ---- what can be correlated -------------------------------------------------------------------

static bool rises(const gmc_distribution *d)
{
    for (int i = 1; i < d->value_count; i++)
        if (!(d->values[i] > d->values[i - 1])) return false;
    return true;
}

// Why a line cannot be correlated; NULL: it can.
static const char *obstacle(const gmc_uncertain *line, const char **hint)
{
    *hint = NULL;
    if (line->tripod > 0) return "points of a support are no single number";
    if (line->is_interval) return "of an interval is known only that the number lies in it";
    const gmc_distribution_type type = line->distribution.type;
    if (type == GMC_DISTRIBUTION_CONSTANT) return "it does not vary";
    if (type == GMC_DISTRIBUTION_EMPIRICAL) {
        *hint =
            "columns of one file are drawn together; fit(...) and normal laws can be correlated";
        return "rows of a file have no order";
    }
    if (type != GMC_DISTRIBUTION_DISCRETE || rises(&line->distribution)) return NULL;
    *hint = "write them in rising order";
    return "its values have no order";
}

static bool is_given(const gmc_scenario *s, const int lines[2])
{
    for (int i = 0; i < s->correlation_count; i++) {
        const int *known = s->correlations[i].lines;
        if ((known[0] == lines[0] && known[1] == lines[1]) ||
            (known[0] == lines[1] && known[1] == lines[0]))
            return true;
    }
    return false;
}

static void read_correlated_pair(const gmc_resolver *r, const gmc_node *node)
{
    gmc_scenario *s = r->scenario;
    int lines[2];
    if (!node->is_number || !find_pair(r, node, lines)) return;
    for (int i = 0; i < 2; i++) {
        const gmc_uncertain *line = &s->uncertain[lines[i]];
        const char *hint, *why = obstacle(line, &hint);
        if (why)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source, hint,
                                "correlated: %.120s: %s", line->path, why);
        if (why) return;
    }
    if (lines[0] == lines[1] || is_given(s, lines)) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source,
                            "a pair has no order: keep one line for each",
                            "correlated: %.120s and %.120s: %s", s->uncertain[lines[0]].path,
                            s->uncertain[lines[1]].path,
                            lines[0] == lines[1] ? "are the same line" : "were given before");
        return;
    }
    gmc_correlation *c = &s->correlations[s->correlation_count++];
    *c = (gmc_correlation){
        .lines = {lines[0], lines[1]}, .coefficient = node->number, .source = node->key_source};
}

// ---- how each mixes the numbers of others -----------------------------------------------------

static gmc_source source_of(const gmc_scenario *s, int a, int b)
{
    for (int i = 0; i < s->correlation_count; i++) {
        const int *lines = s->correlations[i].lines;
        if ((lines[0] == a && lines[1] == b) || (lines[0] == b && lines[1] == a))
            return s->correlations[i].source;
    }
    return s->correlations[0].source;
}

static double coefficient_of(const gmc_scenario *s, int a, int b)
{
    for (int i = 0; i < s->correlation_count; i++) {
        const int *lines = s->correlations[i].lines;
        if ((lines[0] == a && lines[1] == b) || (lines[0] == b && lines[1] == a))
            return s->correlations[i].coefficient;
    }
    return a == b ? 1 : 0;
}

static gmc_status take_row(gmc_scenario *s, const int *members, int row, const double *weights)
{
    gmc_uncertain *line = &s->uncertain[members[row]];
    gmc_mix *mix = GMC_NEW(s->arena, row + 1, gmc_mix);
    if (!mix) return GMC_E_ARENA_FULL;
    for (int k = 0; k <= row; k++)
        if (weights[k] != 0)
            mix[line->mix_count++] = (gmc_mix){.line = members[k], .weight = weights[k]};
    line->mix = mix;
    return GMC_OK;
}

static gmc_status factor(const gmc_resolver *r, const int *members, int n)
{
    gmc_scenario *s = r->scenario;
    size_t size = (size_t)n * (size_t)n;
    double *R = GMC_NEW(s->arena, size, double), *L = GMC_NEW(s->arena, size, double);
    double *scratch = GMC_NEW(s->arena, 2 * size, double);
    if (!R || !L || !scratch) return GMC_E_ARENA_FULL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            R[i * n + j] = coefficient_of(s, members[i], members[j]);
    gmc_correlation_fault fault;
    if (gmc_correlation_factor(n, R, L, scratch, &fault) != GMC_OK) {
        int a = members[fault.a], b = members[fault.b];
        gmc_diagnostics_add(r->report, GMC_E_INPUT, source_of(s, a, b),
                            "bring the coefficients nearer to 0, this one first",
                            "correlated: no numbers can have these coefficients: their matrix has "
                            "the eigenvalue %.3g, mostly because of %.3g for %.100s and %.100s",
                            fault.least, R[fault.a * n + fault.b], s->uncertain[a].path,
                            s->uncertain[b].path);
        return GMC_OK;
    }
    for (int i = 0; i < n; i++)
        GMC_TRY(take_row(s, members, i, L + i * n));
    return GMC_OK;
}

// `correlated`: pairs of lines, whose laws are known, and how each mixes the numbers of others.
static gmc_status resolve_correlated(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(s->tree, "correlated");
    int members[LINES_MAX], count = 0, mistakes = r->report->error_count;
    if (map && map->kind == GMC_NODE_MAP && r->is_whole)
        for (const gmc_node *n = map->first; n; n = n->next)
            read_correlated_pair(r, n);
    if (s->correlation_count == 0 || r->report->error_count > mistakes) return GMC_OK;
    for (int i = 0; i < s->uncertain_count; i++) {
        bool is_member = false;
        for (int c = 0; c < s->correlation_count; c++)
            is_member =
                is_member || s->correlations[c].lines[0] == i || s->correlations[c].lines[1] == i;
        if (!is_member) continue;
        if (count == LINES_MAX) {
            gmc_diagnostics_add(r->report, GMC_E_INPUT, s->correlations[0].source, NULL,
                                "correlated: more than %d lines", LINES_MAX);
            return GMC_OK;
        }
        members[count++] = i;
    }
    return factor(r, members, count);
}

// ---- the design -------------------------------------------------------------------------------

// Designs whose draws belong together: what a block of them is, and which numbers of draws are
// whole ones.

static gmc_source place_of(const gmc_scenario *s, const char *key)
{
    const gmc_node *node = gmc_node_find(gmc_node_find(s->tree, "sampling"), key);
    return node ? node->source : (gmc_source){.file = s->file};
}

// Lines a and b belong to one input.
static void join_inputs(gmc_scenario *s, int a, int b)
{
    int old = s->uncertain[a].input, kept = s->uncertain[b].input;
    if (old < kept) join_inputs(s, b, a);
    for (int i = 0; i < s->uncertain_count && old > kept; i++)
        if (s->uncertain[i].input == old) s->uncertain[i].input = kept;
}

// Each line is an input of its own, but those that vary together are one: an index of one of them
// alone would depend on which of them comes first.
static void number_inputs(gmc_scenario *s)
{
    s->input_count = 0;
    for (int i = 0; i < s->uncertain_count; i++)
        s->uncertain[i].input = i;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        join_inputs(s, i, line->chance);
        for (int k = 0; k < line->mix_count; k++)
            join_inputs(s, i, line->mix[k].line);
    }
    for (int i = 0; i < s->uncertain_count; i++) { // without gaps, in the order of first lines
        gmc_uncertain *line = &s->uncertain[i];
        line->input = line->input == i ? s->input_count++ : s->uncertain[line->input].input;
    }
}

static void check_design_lines(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    if (s->design != GMC_DESIGN_SENSITIVITY && s->design != GMC_DESIGN_MORRIS) return;
    if (s->uncertain_count == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, place_of(s, "design"), "add  uncertain",
                            "sampling.design: nothing is uncertain");
    if (s->design == GMC_DESIGN_SENSITIVITY && s->uncertain_count > GMC_EXCHANGE_LINES)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, place_of(s, "design"),
                            "design: morris takes any number: it finds those to keep",
                            "sampling.design: sensitivity takes %d lines, %d are uncertain",
                            GMC_EXCHANGE_LINES, s->uncertain_count);
    for (int i = 0; i < s->uncertain_count; i++)
        if (s->design == GMC_DESIGN_MORRIS && s->uncertain[i].tripod > 0)
            gmc_diagnostics_add(r->report, GMC_E_INPUT, s->uncertain[i].source,
                                "design: sensitivity takes it as one input",
                                "sampling.design: morris moves inputs by half of their "
                                "probability, a tripod has no half");
}

/// Numbers of draws that are whole: R times a power of two (sobol, sensitivity) or R times any
/// number (latin_hypercube, morris), of blocks.
static void check_design_draws(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    int64_t least = (int64_t)s->replicas * s->block, below = least, above;
    bool is_doubled = s->design == GMC_DESIGN_SOBOL || s->design == GMC_DESIGN_SENSITIVITY;
    if (is_doubled)
        while (2 * below <= s->draws)
            below *= 2;
    else if (s->draws > least)
        below = s->draws - s->draws % least;
    above = is_doubled ? 2 * below : below + least;
    if (s->draws == below) return;
    char hint[96], blocks[64] = "";
    if (s->draws < below)
        snprintf(hint, sizeof hint, "%" PRId64 " is the least", below);
    else
        snprintf(hint, sizeof hint, "%" PRId64 " or %" PRId64, below, above);
    if (s->block > 1) snprintf(blocks, sizeof blocks, ", in blocks of %d", s->block);
    const gmc_node *study = gmc_node_find(gmc_node_find(s->tree, "study"), "draws");
    gmc_diagnostics_add(r->report, GMC_E_INPUT, study ? study->source : place_of(s, "draws"), hint,
                        "%" PRId64 " draws cannot be divided into %d randomisations %s%s", s->draws,
                        s->replicas, is_doubled ? "of a power of two" : "of equal size", blocks);
}

// Inputs, blocks and the number of draws; says if the lines or the number do not fit the design.
static void resolve_design(const gmc_resolver *r)
{
    // a screening of few trajectories ranks inputs already; indices need more
    enum { POINTS = 64, TRAJECTORIES = 4 };
    gmc_scenario *s = r->scenario;
    s->block = 1;
    number_inputs(s);
    if (s->design == GMC_DESIGN_SENSITIVITY) s->block = gmc_exchange_rows(s->input_count);
    if (s->design == GMC_DESIGN_MORRIS) s->block = gmc_morris_rows(s->input_count);
    check_design_lines(r);
    if (s->replicas == 0) return;
    int64_t points = s->design == GMC_DESIGN_MORRIS ? TRAJECTORIES : POINTS;
    if (s->draws == 0) s->draws = points * s->replicas * s->block;
    check_design_draws(r);
}

// ---- importance -------------------------------------------------------------------------------

// `sampling.importance`: a second distribution for some lines of `uncertain`. What would make
// weights that no estimate survives is refused here, where the line still has a place.

/// Largest weight without a share of true draws: one draw that counts for a thousand leaves no
/// interval of a run of usual length.
static const double WEIGHT_MAX = 1000;

static const char SHARE_HINT[] =
    "with  true_share: 10 %  a share of draws comes from the true distributions, and no weight is "
    "above 10";

static gmc_uncertain *find_line(const gmc_resolver *r, const gmc_node *node)
{
    gmc_scenario *s = r->scenario;
    gmc_nearest nearest = gmc_nearest_start(node->key);
    int found = resolve_line(s, node->key);
    if (found >= 0) return &s->uncertain[found];
    for (int i = 0; i < s->uncertain_count; i++)
        gmc_nearest_offer(&nearest, s->uncertain[i].path);
    char hint[200] = "write the path as the line under  uncertain  has it";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source, hint,
                        "sampling.importance: no line of  uncertain  is %.100s", node->key);
    return NULL;
}

static void refuse_proposal(const gmc_resolver *r, const gmc_node *node, const char *hint,
                            const char *what)
{
    gmc_diagnostics_add(r->report, GMC_E_INPUT, node->source, hint,
                        "sampling.importance.%.100s: %s", node->key, what);
}

// Does another line come from the same row of a file?
static bool shares_rows(const gmc_scenario *s, const gmc_uncertain *line)
{
    for (int i = 0; i < s->uncertain_count; i++)
        if (&s->uncertain[i] != line && s->uncertain[i].chance == line->chance) return true;
    return false;
}

// Two laws that can be weighed against each other.
static bool fits(const gmc_resolver *r, const gmc_node *node, const gmc_uncertain *line,
                 const gmc_uncertain *proposed)
{
    static const char *const FORMS[] = {[GMC_CHANGE_ABSOLUTE] = "write the distribution alone",
                                        [GMC_CHANGE_ADD] = "write nominal + ...",
                                        [GMC_CHANGE_MULTIPLY] = "write nominal * ..."};
    bool is_list = gmc_distribution_is_list(&line->distribution);
    if (line->relation != GMC_RELATION_NONE)
        refuse_proposal(r, node, NULL, "what a camera errs by is drawn as  believed  says");
    else if (line->mix_count > 0 || shares_rows(r->scenario, line))
        refuse_proposal(
            r, node, NULL,
            "it varies together with others, and has no distribution of its own to be weighed");
    else if (line->tripod > 0)
        refuse_proposal(r, node, NULL,
                        "a tripod is drawn point by point, and has no other distribution");
    else if (line->is_interval || proposed->is_interval)
        refuse_proposal(r, node, NULL, "an interval is no distribution");
    else if (line->change != proposed->change)
        refuse_proposal(r, node, FORMS[line->change], "not written as the line of  uncertain  is");
    else if (line->distribution.type == GMC_DISTRIBUTION_CONSTANT)
        refuse_proposal(r, node, "leave it out", "the line of  uncertain  is a constant");
    else if (is_list != gmc_distribution_is_list(&proposed->distribution))
        refuse_proposal(r, node,
                        is_list ? "one_of(the same values; weights ...)"
                                : "a distribution with a density",
                        "one draws from a list, the other from a range");
    else
        return true;
    return false;
}

static void check_bound(const gmc_resolver *r, const gmc_node *node, double bound)
{
    char what[160];
    if (bound <= WEIGHT_MAX || r->scenario->true_share > 0) return;
    if (bound == HUGE_VAL)
        snprintf(what, sizeof what,
                 "the true distribution reaches where this one does not: what happens there would "
                 "never be seen");
    else
        snprintf(what, sizeof what,
                 "the true distribution is up to %.3g times as dense as this one, more than %g: "
                 "single draws would count for all",
                 bound, WEIGHT_MAX);
    refuse_proposal(r, node, SHARE_HINT, what);
}

// Says if the line has a proposal by another of its names, further up.
static bool is_twin(const gmc_resolver *r, const gmc_node *map, const gmc_node *node, int line)
{
    for (const gmc_node *n = map->first; n != node; n = n->next) {
        if (resolve_line(r->scenario, n->key) != line) continue;
        char hint[GMC_MERGE_HINT_MAX];
        gmc_merge_hint_twin(n->key_source, node->key_source, n->key, hint);
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source, hint,
                            "sampling.importance: %.100s and %.100s are the same number", n->key,
                            node->key);
        return true;
    }
    return false;
}

static gmc_status read_proposal(const gmc_resolver *r, gmc_node *node, gmc_uncertain *line)
{
    gmc_uncertain_context context = {
        .scenario = r->scenario, .report = r->report, .path = line->path};
    context.is_known = gmc_resolve_dimension(r, line->path, line->source, line->targets,
                                             line->target_count, &context.dimension);
    gmc_uncertain proposed = {.path = line->path};
    gmc_status status = gmc_uncertain_line(&context, node, &proposed);
    if (status != GMC_OK || r->report->error_count > 0)
        return gmc_resolve_is_fatal(status) ? status : GMC_OK;
    if (!fits(r, node, line, &proposed)) return GMC_OK;
    line->proposal = proposed.distribution;
    line->has_proposal = true;
    double bound = gmc_distribution_density_bound(&line->distribution, &line->proposal);
    check_bound(r, node, bound);
    r->scenario->weight_bound *= bound;
    return GMC_OK;
}

static void check_design(const gmc_resolver *r, const gmc_node *node)
{
    const gmc_scenario *s = r->scenario;
    char what[200];
    if (s->design != GMC_DESIGN_RANDOM) {
        snprintf(what, sizeof what,
                 "sampling.importance: weights need independent draws, and those of %s are not",
                 gmc_design_name(s->design));
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source, "design: random", "%s", what);
    }
    if (s->level_count > 0 && s->pilot == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, node->key_source,
                            "leave  ladder  or  importance  out",
                            "sampling.importance: a ladder cannot use trials with weights");
}

// Proposals of `sampling.importance`, for lines of `uncertain` that are resolved.
// @return GMC_OK (also reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
static gmc_status resolve_importance(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(gmc_node_find(s->tree, "sampling"), "importance");
    if (!map || map->kind != GMC_NODE_MAP) return GMC_OK;
    check_design(r, map);
    if (map->count == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, map->source,
                            "for example  friction.rubber/abs: uniform(0.08, 0.15)",
                            "sampling.importance: no proposal");
    for (gmc_node *n = map->first; n; n = n->next) {
        gmc_uncertain *line = n->kind == GMC_NODE_SCALAR && !n->is_bad ? find_line(r, n) : NULL;
        if (line && !is_twin(r, map, n, (int)(line - s->uncertain)))
            GMC_TRY(read_proposal(r, n, line));
    }
    if (s->true_share > 0) s->weight_bound = fmin(s->weight_bound, 1 / s->true_share);
    return GMC_OK;
}

// ---- lines ------------------------------------------------------------------------------------

// Columns of one file come from one row: their lines take the number of the first of them.
static void share_rows(gmc_scenario *s, int index)
{
    gmc_uncertain *line = &s->uncertain[index];
    char name[GMC_VALIDATE_PATH];
    snprintf(name, sizeof name, "samples(%.480s)", line->rows);
    line->name_hash = gmc_stream_hash(name);
    for (int i = index - 1; i >= 0; i--)
        if (s->uncertain[i].rows && strcmp(s->uncertain[i].rows, line->rows) == 0)
            line->chance = s->uncertain[i].chance;
}

// Limits that leave next to nothing of a law are seldom meant: as a rule they are those of the
// value, where the law is of what is added to it.
static void tell_tail(const gmc_uncertain *line, gmc_diagnostics *report)
{
    static const double LITTLE = 0.01;
    gmc_distribution whole = line->distribution;
    if (!whole.is_truncated) return;
    whole.is_truncated = false;
    double kept =
        gmc_distribution_cdf(&whole, whole.upper) - gmc_distribution_cdf(&whole, whole.lower);
    if (kept >= LITTLE) return;
    gmc_diagnostics_add(
        report, GMC_OK, line->source,
        line->change == GMC_CHANGE_ADD ? "the limits are of what is added to the nominal value"
        : line->change == GMC_CHANGE_MULTIPLY ? "the limits are of the factor of the nominal value"
                                              : NULL,
        "uncertain: %.120s: in [lower, upper] keeps %.1g %% of the law's draws", line->path,
        100 * kept);
}

static gmc_status resolve_uncertain(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    if (s->replicas > 0 && s->level_count > 0 && s->pilot == 0)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, (gmc_source){.file = s->file},
                            "leave  design  or  ladder  out",
                            "sampling.design: a ladder takes draws one by one, those of %s belong "
                            "together",
                            gmc_design_name(s->design));
    int axes = resolve_tripod_axes(s);
    if (s->design == GMC_DESIGN_SOBOL && axes > GMC_SOBOL_DIMENSIONS)
        gmc_diagnostics_add(
            r->report, GMC_E_INPUT, (gmc_source){.file = s->file},
            "design: latin_hypercube takes any number",
            "sampling.design: sobol has %d dimensions, %d %s are uncertain", GMC_SOBOL_DIMENSIONS,
            axes, axes > s->uncertain_count ? "lines and coordinates of tripods" : "lines");
    for (int i = 0; i < s->uncertain_count; i++) {
        gmc_uncertain *line = &s->uncertain[i];
        line->is_pattern = strchr(line->path, '*') != NULL;
        line->name_hash = gmc_stream_hash(line->path);
        line->chance = i;
        const gmc_item_spec *item = resolve_support(s, line->path);
        if (item) {
            gmc_status status = resolve_tripod(r, item, line);
            if (gmc_resolve_is_fatal(status)) return status;
            continue;
        }
        GMC_TRY(gmc_resolve_path(r, line->path, line->source, &line->targets, &line->target_count));
        if (line->relation != GMC_RELATION_NONE) continue; // made by the reader, with its law
        gmc_uncertain_context context = {.scenario = s, .report = r->report, .path = line->path};
        context.is_known = gmc_resolve_dimension(r, line->path, line->source, line->targets,
                                                 line->target_count, &context.dimension);
        gmc_status status = gmc_uncertain_line(&context, line->node, line);
        if (gmc_resolve_is_fatal(status)) return status;
        if (line->rows) share_rows(s, i);
        if (status == GMC_OK) tell_tail(line, r->report);
        // after other lines a pattern meets values that are not the nominal ones
        if (status == GMC_OK && context.is_known && !line->is_pattern)
            resolve_outcome(s, line, r->report);
    }
    return GMC_OK;
}

/// Names of one number: a pair of surfaces has no order, `hand.left` is `hand.joints.left`.
static void report_twin(const gmc_resolver *r, const char *where, const char *before,
                        gmc_source before_source, const char *path, gmc_source source)
{
    char hint[GMC_MERGE_HINT_MAX];
    gmc_merge_hint_twin(before_source, source, before, hint);
    gmc_diagnostics_add(r->report, GMC_E_INPUT, source, hint,
                        "%s: %.120s and %.120s are the same number", where, before, path);
}

static bool is_same(const gmc_param *a, int count_a, const gmc_param *b, int count_b)
{
    if (count_a != count_b || count_a == 0) return false;
    for (int i = 0; i < count_a; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/// Two lines that draw one number, two axes that vary it: the last one would win, or both count.
static void check_twins(const gmc_resolver *r)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->uncertain_count; i++)
        for (int k = 0; k < i; k++) {
            const gmc_uncertain *line = &s->uncertain[i], *before = &s->uncertain[k];
            bool is_one = !line->is_pattern && !before->is_pattern && !(line->tripod > 0) &&
                          strcmp(line->path, before->path) != 0 &&
                          strncmp(line->path, "believed.", 9) != 0;
            if (is_one &&
                is_same(line->targets, line->target_count, before->targets, before->target_count))
                report_twin(r, "uncertain", before->path, before->source, line->path, line->source);
        }
    for (int i = 0; i < s->axis_count; i++)
        for (int k = 0; k < i; k++) {
            const gmc_axis_spec *axis = &s->axes[i], *before = &s->axes[k];
            if (is_same(axis->targets, axis->target_count, before->targets, before->target_count))
                report_twin(r, "study.vary", before->path, before->source, axis->path,
                            axis->source);
        }
}

gmc_status gmc_resolve_uncertain(const gmc_resolver *r)
{
    GMC_TRY(resolve_uncertain(r));
    check_twins(r);
    GMC_TRY(resolve_intervals(r));
    GMC_TRY(resolve_correlated(r));
    resolve_design(r);
    return resolve_importance(r);
}
