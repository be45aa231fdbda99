// From a draw to the chance of a line, in every design.
#include "sampling/scenario/perturb.h"

#include "engine/math/elementary.h"
#include "engine/math/vec2.h"
#include "sampling/design/exchange.h"
#include "sampling/design/hypercube.h"
#include "sampling/design/morris.h"
#include "sampling/random/distribution.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "sampling/random/stream.h"
#include "sampling/scenario/study.h"

#include <math.h>

/// Of randomisations: the second sample of design/exchange.h has its coins here.
static const uint64_t OTHER_AT = UINT64_C(1) << 32;
/// From the hash of a name to that of the line's next axis; any odd number, this one is 2^64/φ.
static const uint64_t AXIS_APART = UINT64_C(0x9e3779b97f4a7c15);
/// Whose chance orders a trajectory of design/morris.h: "morris", a name that no line has.
static const uint64_t ORDER_HASH = UINT64_C(0x6d6f72726973);

/// Where a draw stands in its design.
typedef struct design_place {
    uint64_t block;          ///< number of the block; of the draw, if draws stand alone
    uint64_t replica, point; ///< randomisation, and the block's number in it
    int row;                 ///< in the block
} design_place;

static design_place place_of(const gmc_scenario *s, uint64_t draw)
{
    uint64_t rows = (uint64_t)s->block, replicas = s->replicas > 0 ? (uint64_t)s->replicas : 1;
    uint64_t block = draw / rows;
    return (design_place){block, block % replicas, block / replicas, (int)(draw % rows)};
}

static gmc_stream open_line(const gmc_scenario *s, const gmc_uncertain *line, int64_t case_index,
                            uint64_t address)
{
    gmc_stream stream = gmc_stream_open_hashed(s->seed, address, line->name_hash);
    return s->is_independent ? gmc_stream_for_case(stream, (uint64_t)case_index) : stream;
}

static int moved_in(const gmc_scenario *s, int input, uint64_t trajectory)
{
    return gmc_morris_moved_in(input, s->input_count,
                               gmc_stream_open_hashed(s->seed, trajectory, ORDER_HASH));
}

/// Coordinate `axis` of a point that fills the space evenly.
static double even(const gmc_scenario *s, int axis, design_place at, gmc_stream coins)
{
    if (s->design == GMC_DESIGN_SOBOL) return gmc_sobol_uniform(axis, at.point, coins);
    return gmc_hypercube_uniform(at.point, (uint64_t)s->draws / (uint64_t)s->replicas, coins);
}

/// Of an interval: the places are taken in turn, so that few draws leave none of them out. Whatever
/// else is drawn knows nothing of a draw's number.
static double in_turn(const gmc_scenario *s, const gmc_uncertain *line, uint64_t draw)
{
    uint64_t turn = draw % (uint64_t)s->interval_places;
    uint64_t count = (uint64_t)line->distribution.value_count;
    for (int i = s->uncertain_count - 1; &s->uncertain[i] != line; i--)
        if (s->uncertain[i].is_interval) turn /= (uint64_t)s->uncertain[i].distribution.value_count;
    return ((double)(turn % count) + 0.5) / (double)count;
}

// The u in [0, 1) whose quantile a line takes in a draw.
static double perturb_uniform(const gmc_scenario *s, const gmc_uncertain *line, int64_t case_index,
                              uint64_t draw)
{
    if (s->point) return s->point[line->chance];
    design_place at = place_of(s, draw);
    gmc_stream stream = open_line(s, line, case_index, s->replicas > 0 ? at.replica : draw);
    int index = line->chance;
    double u = 0;
    switch (s->design) {
    case GMC_DESIGN_SOBOL:
    case GMC_DESIGN_LATIN_HYPERCUBE:
        u = even(s, index, at, stream);
        break;
    case GMC_DESIGN_SENSITIVITY:
        u = gmc_exchange_uniform(index, at.point, gmc_exchange_is_other(at.row, line->input),
                                 stream, open_line(s, line, case_index, OTHER_AT + at.replica));
        break;
    case GMC_DESIGN_MORRIS:
        u = gmc_stream_uniform(open_line(s, line, case_index, at.block), 0);
        u = gmc_morris_uniform(u, at.row >= moved_in(s, line->input, at.block));
        break;
    case GMC_DESIGN_RANDOM:
    case GMC_DESIGN_CSV:
        u = line->is_interval ? in_turn(s, line, draw) : gmc_stream_uniform(stream, 0);
        break;
    }
    return u;
}

int gmc_perturb_moved(const gmc_scenario *s, int64_t case_index, uint64_t draw, bool *is_up)
{
    design_place at = place_of(s, draw);
    *is_up = false;
    for (int i = 0; i < s->uncertain_count && at.row > 0; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (moved_in(s, line->input, at.block) != at.row) continue;
        *is_up = gmc_morris_is_up(gmc_stream_uniform(open_line(s, line, case_index, at.block), 0));
        return line->input;
    }
    return -1;
}

// A tripod's six u of a design that fills the space evenly. @return false: the design has none, it
// is drawn at random
static bool perturb_axes(const gmc_scenario *s, const gmc_uncertain *line, int64_t case_index,
                         uint64_t draw, double u[6])
{
    if (s->design != GMC_DESIGN_SOBOL && s->design != GMC_DESIGN_LATIN_HYPERCUBE) return false;
    design_place at = place_of(s, draw);
    gmc_stream coins = open_line(s, line, case_index, at.replica);
    for (int i = 0; i < 6; i++) {
        u[i] = even(s, i == 0 ? line->chance : line->tripod_axis + i - 1, at, coins);
        coins.name_hash += AXIS_APART; // each axis has coins of its own
    }
    return true;
}

// For lines that are no quantile of one number: drawn at random, once for each of the samples that
// a design exchanges.
static gmc_stream perturb_whole(const gmc_scenario *s, const gmc_uncertain *line,
                                int64_t case_index, uint64_t draw)
{
    if (s->design != GMC_DESIGN_SENSITIVITY) return open_line(s, line, case_index, draw);
    design_place at = place_of(s, draw);
    bool is_other = gmc_exchange_is_other(at.row, line->input);
    return open_line(s, line, case_index, 2 * at.block + (is_other ? 1 : 0));
}

// ---- perturb ----------------------------------------------------------------------------------

// Of importance sampling: does this draw come from the true distributions? One coin for all lines,
// so that the density of what comes out is a sum of two products.
static bool is_true_draw(const gmc_scenario *scenario, int64_t case_index, uint64_t draw)
{
    gmc_stream coin = gmc_stream_open(scenario->seed, draw, "sampling.importance");
    if (scenario->is_independent) coin = gmc_stream_for_case(coin, (uint64_t)case_index);
    return gmc_stream_uniform(coin, 0) < scenario->true_share;
}

// A number that goes along with others: its normal score is made of theirs.
static double draw_mixed(const gmc_scenario *scenario, const gmc_uncertain *line,
                         int64_t case_index, uint64_t draw)
{
    // half the distance between neighbours of a number with 53 bits stands for 0, as in quantiles
    static const double LEAST = 0x1p-54;
    double score = 0;
    for (int i = 0; i < line->mix_count; i++) {
        const gmc_uncertain *part = &scenario->uncertain[line->mix[i].line];
        double u = perturb_uniform(scenario, part, case_index, draw);
        score += line->mix[i].weight * gmc_normal_quantile(fmax(u, LEAST));
    }
    return gmc_distribution_at_score(&line->distribution, score);
}

static double draw_line(const gmc_scenario *scenario, const gmc_uncertain *line, int64_t case_index,
                        uint64_t draw)
{
    if (line->mix_count > 0) return draw_mixed(scenario, line, case_index, draw);
    double u = perturb_uniform(scenario, line, case_index, draw);
    bool is_proposed = line->has_proposal && !is_true_draw(scenario, case_index, draw);
    return gmc_distribution_quantile(is_proposed ? &line->proposal : &line->distribution, u);
}

double gmc_perturb_measured(const gmc_scenario *scenario, const gmc_uncertain *line,
                            int64_t case_index, uint64_t draw)
{
    if (line->distribution.type != GMC_DISTRIBUTION_EMPIRICAL)
        return draw_line(scenario, line, case_index, draw);
    double u = perturb_uniform(scenario, line, case_index, draw);
    return (double)gmc_distribution_row(&line->distribution, u);
}

int gmc_perturb_place(const gmc_scenario *scenario, int64_t case_index, uint64_t draw)
{
    int place = 0;
    for (int i = 0; i < scenario->uncertain_count; i++) {
        const gmc_uncertain *line = &scenario->uncertain[i];
        if (!line->is_interval) continue;
        double u = perturb_uniform(scenario, line, case_index, draw);
        place =
            place * line->distribution.value_count + gmc_distribution_row(&line->distribution, u);
    }
    return place;
}

double gmc_perturb_weight(const gmc_scenario *scenario, int64_t case_index, uint64_t draw)
{
    double ratio = 1; // of the proposals' density to the true one
    if (!scenario->is_weighted) return 1;
    for (int i = 0; i < scenario->uncertain_count; i++) {
        const gmc_uncertain *line = &scenario->uncertain[i];
        if (!line->has_proposal) continue;
        double drawn = draw_line(scenario, line, case_index, draw);
        double truth = gmc_distribution_density(&line->distribution, drawn);
        if (!(truth > 0)) return 0;
        ratio *= gmc_distribution_density(&line->proposal, drawn) / truth;
    }
    return 1 / (scenario->true_share + (1 - scenario->true_share) * ratio);
}

// What follows from others is left for later: only then is known what it is nominally.
static void apply_line(const gmc_scenario *scenario, const gmc_uncertain *line, double drawn,
                       double *values)
{
    for (int i = 0; i < line->target_count; i++) {
        gmc_param target = line->targets[i];
        if (!scenario->parameters[target].formula)
            values[target] = gmc_perturb_changed(line, drawn, values[target]);
    }
}

static void apply_csv(const gmc_scenario *scenario, int64_t case_index, uint64_t draw,
                      double *values)
{
    const double *row = scenario->csv_values + draw * (uint64_t)scenario->csv_columns;
    int object = gmc_study_object(scenario, case_index);
    for (int i = 0; i < scenario->csv_columns; i++) {
        const gmc_sampled *column = &scenario->sampled[scenario->csv_sampled[i]];
        gmc_param target = column->by_object ? column->by_object[object] : column->target;
        if (target >= 0) values[target] = row[i];
    }
}

/// A triangle that a mass centre is nearer to than this share of the disk's radius squared (as
/// twice an area) would be tipped over by rounding.
static const double EDGE = 1e-4;

// Is the origin well inside the triangle?
static bool is_around(const gmc_vec2 p[3], double radius)
{
    double least = EDGE * radius * radius, sign = gmc_vec2_cross(p[0], p[1]) > 0 ? 1 : -1;
    return sign * gmc_vec2_cross(p[0], p[1]) > least && sign * gmc_vec2_cross(p[1], p[2]) > least &&
           sign * gmc_vec2_cross(p[2], p[0]) > least;
}

static gmc_vec2 vertex(const gmc_item_spec *item, const double *values, int index)
{
    int i = index % item->vertex_count;
    return (gmc_vec2){values[item->vertex_params[2 * i]], values[item->vertex_params[2 * i + 1]]};
}

// Centroid of a body's shape: of a polygon with this trial's vertices.
static gmc_vec2 centre_of(const gmc_item_spec *item, const double *values)
{
    bool is_same = true;
    for (int i = 0; item->vertex_params && i < item->vertex_count; i++) {
        gmc_vec2 p = vertex(item, values, i);
        is_same = is_same && p.x == item->vertices[i].x && p.y == item->vertices[i].y;
    }
    if (is_same) return item->centre;
    gmc_vec2 first = vertex(item, values, 0), sum = {0, 0};
    double twice = 0;
    for (int i = 1; i + 1 < item->vertex_count; i++) {
        gmc_vec2 a = gmc_vec2_sub(vertex(item, values, i), first);
        gmc_vec2 b = gmc_vec2_sub(vertex(item, values, i + 1), first);
        double area = gmc_vec2_cross(a, b);
        twice += area;
        sum = gmc_vec2_add_scaled(sum, area / 3, gmc_vec2_add(a, b));
    }
    return gmc_vec2_add_scaled(first, 1 / twice, sum);
}

static gmc_vec2 in_disk(double radius, double share, double angle)
{
    double r = radius * sqrt(share), s, c;
    gmc_sin_cos(angle, &s, &c);
    return (gmc_vec2){r * c, r * s};
}

// From six uniform numbers to the same three points without a second try. The mass centre is inside
// where no gap between their directions is half a turn or more: of the second direction's angle a
// from the first in (-pi, pi) that leaves a share of |a| for the third, which lies beyond half a
// turn by up to |a|.
static void place_tripod(double radius, const double u[6], gmc_vec2 p[3])
{
    double side = 2 * u[1] - 1, sign = side < 0 ? -1 : 1;
    double first = 2 * GMC_PI * u[0], gap = GMC_PI * sqrt(fabs(side));
    p[0] = in_disk(radius, u[3], first);
    p[1] = in_disk(radius, u[4], first + sign * gap);
    p[2] = in_disk(radius, u[5], first + sign * (GMC_PI + gap * u[2]));
}

// Three points, each uniform in the disk about the mass centre, drawn again as long as it is not
// inside their triangle: one draw in four is good. Of a design that fills the space evenly they are
// placed, and drawn only where the mass centre is on the edge (one in some hundred).
static void apply_tripod(const gmc_scenario *scenario, const gmc_uncertain *line,
                         int64_t case_index, uint64_t draw, double *values)
{
    enum { TRIES = 1000 }; // none good: 1e-125
    gmc_stream stream = perturb_whole(scenario, line, case_index, draw);
    const gmc_item_spec *item = line->tripod_item;
    gmc_vec2 com = centre_of(item, values), p[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (item->com[0] >= 0) com = (gmc_vec2){values[item->com[0]], values[item->com[1]]};
    double u[6];
    bool is_placed = perturb_axes(scenario, line, case_index, draw, u);
    if (is_placed) place_tripod(line->tripod, u, p);
    for (uint64_t k = 0; k < TRIES && !(is_placed && is_around(p, line->tripod)); k++) {
        for (uint64_t i = 0; i < 3; i++)
            p[i] = in_disk(line->tripod, gmc_stream_uniform(stream, 6 * k + 2 * i),
                           2 * GMC_PI * gmc_stream_uniform(stream, 6 * k + 2 * i + 1));
        if (is_around(p, line->tripod)) break;
    }
    for (int i = 0; i < 3; i++) {
        values[line->targets[2 * i]] = com.x + p[i].x;
        values[line->targets[2 * i + 1]] = com.y + p[i].y;
    }
}

static double formula_value(const gmc_scenario *scenario, gmc_param param, const double *values)
{
    return gmc_criteria_value(&scenario->parameters[param].formula->code, values);
}

void gmc_perturb_believed(const gmc_scenario *scenario, int64_t case_index, double *values)
{
    for (int i = 0; i < scenario->parameter_count; i++)
        values[i] = scenario->parameters[i].nominal;
    gmc_study_apply(scenario, case_index, values);
    for (int i = 0; i < scenario->derived_count; i++)
        values[scenario->derived[i]] = formula_value(scenario, scenario->derived[i], values);
}

// Drawn and put in without a look at what else the trial has.
static bool is_plain(const gmc_uncertain *line)
{
    return !(line->tripod > 0) && line->relation == GMC_RELATION_NONE;
}

static void apply_lines(const gmc_scenario *scenario, int64_t case_index, uint64_t draw,
                        double *values)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < scenario->uncertain_count; i++) {
            const gmc_uncertain *line = &scenario->uncertain[i];
            if (!is_plain(line) || line->is_pattern != (pass == 1)) continue;
            apply_line(scenario, line, draw_line(scenario, line, case_index, draw), values);
        }
}

// Lines that change what follows from others, a study may have set it: after its formula.
static double apply_lines_to(const gmc_scenario *scenario, gmc_param param, int64_t case_index,
                             uint64_t draw, double value)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < scenario->uncertain_count; i++) {
            const gmc_uncertain *line = &scenario->uncertain[i];
            if (!is_plain(line) || line->is_pattern != (pass == 1)) continue;
            for (int k = 0; k < line->target_count; k++)
                if (line->targets[k] == param)
                    value = gmc_perturb_changed(line, draw_line(scenario, line, case_index, draw),
                                                value);
        }
    return value;
}

static void apply_formulas(const gmc_scenario *scenario, int64_t case_index, uint64_t draw,
                           double *values)
{
    for (int i = 0; i < scenario->derived_count; i++) {
        gmc_param param = scenario->derived[i];
        values[param] = apply_lines_to(scenario, param, case_index, draw,
                                       formula_value(scenario, param, values));
    }
}

static void apply_tripods(const gmc_scenario *scenario, int64_t case_index, uint64_t draw,
                          double *values)
{
    for (int i = 0; i < scenario->uncertain_count; i++)
        if (scenario->uncertain[i].tripod > 0)
            apply_tripod(scenario, &scenario->uncertain[i], case_index, draw, values);
}

static double related(const gmc_uncertain *line, double drawn, const double *values)
{
    switch (line->relation) {
    case GMC_RELATION_SCALED:
        return drawn * values[line->by];
    case GMC_RELATION_BELOW:
        return drawn < values[line->by] ? 1 : 0;
    case GMC_RELATION_NONE:
        break;
    }
    return drawn;
}

static void apply_related(const gmc_scenario *scenario, int64_t case_index, uint64_t draw,
                          double *values)
{
    for (int i = 0; i < scenario->uncertain_count; i++) {
        const gmc_uncertain *line = &scenario->uncertain[i];
        if (line->relation == GMC_RELATION_NONE) continue;
        double drawn = related(line, draw_line(scenario, line, case_index, draw), values);
        for (int k = 0; k < line->target_count; k++)
            values[line->targets[k]] = gmc_perturb_changed(line, drawn, values[line->targets[k]]);
    }
}

gmc_status gmc_perturb_values(const gmc_scenario *scenario, int64_t case_index, uint64_t draw,
                              double *values, gmc_param *bad)
{
    if (bad) *bad = -1;
    if (scenario->csv_values && draw >= (uint64_t)scenario->csv_rows) return GMC_E_LIMIT;
    gmc_perturb_believed(scenario, case_index, values);
    apply_lines(scenario, case_index, draw, values);
    // what a file says is final, and formulas and deviations meet it so
    if (scenario->csv_values) apply_csv(scenario, case_index, draw, values);
    apply_formulas(scenario, case_index, draw, values);
    apply_related(scenario, case_index, draw, values); // deviations are known now
    apply_tripods(scenario, case_index, draw, values); // mass centres are known now
    if (scenario->csv_values) apply_csv(scenario, case_index, draw, values);

    for (int i = 0; i < scenario->parameter_count; i++) {
        const gmc_parameter *p = &scenario->parameters[i];
        if (values[i] >= p->lower && values[i] <= p->upper) continue; // false for NaN
        if (bad) *bad = i;
        return GMC_E_INPUT;
    }
    return GMC_OK;
}

void gmc_perturb_samples(const gmc_scenario *scenario, int64_t case_index, const double *values,
                         double *samples)
{
    int object = gmc_study_object(scenario, case_index);
    for (int i = 0; i < scenario->sampled_count; i++) {
        const gmc_sampled *column = &scenario->sampled[i];
        gmc_param target = column->by_object ? column->by_object[object] : column->target;
        samples[i] = NAN;
        if (target >= 0) samples[i] = values[target];
    }
}
