// From a draw to the chance of a line, in every design.
#include "sampling/design/exchange.h"
#include "sampling/design/hypercube.h"
#include "sampling/design/morris.h"
#include "sampling/random/sobol.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/perturb_internal.h"

/// Of randomisations: the second sample of design/exchange.h has its coins here.
static const uint64_t OTHER_AT = UINT64_C(1) << 32;
/// From the hash of a name to that of the line's next axis; any odd number, this one is 2^64/φ.
static const uint64_t AXIS_APART = UINT64_C(0x9e3779b97f4a7c15);
/// Whose chance orders a trajectory of design/morris.h: "morris", a name that no line has.
static const uint64_t ORDER_HASH = UINT64_C(0x6d6f72726973);

/// Where a draw stands in its design.
typedef struct place {
    uint64_t block;          ///< number of the block; of the draw, if draws stand alone
    uint64_t replica, point; ///< randomisation, and the block's number in it
    int row;                 ///< in the block
} place;

static place place_of(const gmc_scenario *s, uint64_t draw)
{
    uint64_t rows = (uint64_t)s->block, replicas = s->replicas > 0 ? (uint64_t)s->replicas : 1;
    uint64_t block = draw / rows;
    return (place){block, block % replicas, block / replicas, (int)(draw % rows)};
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
static double even(const gmc_scenario *s, int axis, place at, gmc_stream coins)
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

double gmc_perturb_uniform(const gmc_scenario *s, const gmc_uncertain *line, int64_t case_index,
                           uint64_t draw)
{
    if (s->point) return s->point[line->chance];
    place at = place_of(s, draw);
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
    place at = place_of(s, draw);
    *is_up = false;
    for (int i = 0; i < s->uncertain_count && at.row > 0; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (moved_in(s, line->input, at.block) != at.row) continue;
        *is_up = gmc_morris_is_up(gmc_stream_uniform(open_line(s, line, case_index, at.block), 0));
        return line->input;
    }
    return -1;
}

bool gmc_perturb_axes(const gmc_scenario *s, const gmc_uncertain *line, int64_t case_index,
                      uint64_t draw, double u[6])
{
    if (s->design != GMC_DESIGN_SOBOL && s->design != GMC_DESIGN_LATIN_HYPERCUBE) return false;
    place at = place_of(s, draw);
    gmc_stream coins = open_line(s, line, case_index, at.replica);
    for (int i = 0; i < 6; i++) {
        u[i] = even(s, i == 0 ? line->chance : line->tripod_axis + i - 1, at, coins);
        coins.name_hash += AXIS_APART; // each axis has coins of its own
    }
    return true;
}

gmc_stream gmc_perturb_whole(const gmc_scenario *s, const gmc_uncertain *line, int64_t case_index,
                             uint64_t draw)
{
    if (s->design != GMC_DESIGN_SENSITIVITY) return open_line(s, line, case_index, draw);
    place at = place_of(s, draw);
    bool is_other = gmc_exchange_is_other(at.row, line->input);
    return open_line(s, line, case_index, 2 * at.block + (is_other ? 1 : 0));
}
