#include "engine/complementarity/dual_order.h"

#include "engine/base/check.h"

#include <stdint.h>
#include <string.h>

// Sets of units are rows of bits: joining the neighbours of an eliminated unit is an OR of a few
// words. No quotient graph: below a few hundred contacts the rows are shorter than its lists.

enum { WORD = 64 };

/// Share of nonzero blocks above which no order saves anything worth the search.
static const double DENSE = 0.75;

static int count_bits(uint64_t x)
{
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)((x * 0x0101010101010101u) >> 56);
}

static int set_size(const uint64_t *set, size_t words)
{
    int count = 0;
    for (size_t i = 0; i < words; i++)
        count += count_bits(set[i]);
    return count;
}

static bool has(const uint64_t *set, int i) { return set[i / WORD] >> (i % WORD) & 1u; }

static void add(uint64_t *set, int i) { set[i / WORD] |= (uint64_t)1 << (i % WORD); }

static void drop(uint64_t *set, int i) { set[i / WORD] &= ~((uint64_t)1 << (i % WORD)); }

/// Neighbours of `unit` become neighbours of each other, and forget it.
static void eliminate(uint64_t *sets, int *degree, int count, size_t words, int unit)
{
    uint64_t *own = sets + (size_t)unit * words;
    drop(own, unit);
    for (int i = 0; i < count; i++) {
        if (!has(own, i)) continue;
        uint64_t *set = sets + (size_t)i * words;
        for (size_t k = 0; k < words; k++)
            set[k] |= own[k];
        drop(set, unit);
        degree[i] = set_size(set, words);
    }
}

gmc_status gmc_dual_order(const gmc_dual *problem, int *order, gmc_arena *scratch)
{
    int count = problem->unit_count;
    size_t n = (size_t)count, words = (n + WORD - 1) / WORD, mark = gmc_arena_mark(scratch);
    for (int i = 0; i < count; i++)
        order[i] = i;
    if ((double)problem->start[count] > DENSE * (double)count * (double)count) return GMC_OK;

    uint64_t *sets = gmc_arena_take(scratch, n * words, sizeof *sets);
    int *degree = gmc_arena_take(scratch, n, sizeof *degree);
    if (!sets || !degree) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }
    for (int c = 0; c < count; c++) {
        uint64_t *set = sets + (size_t)c * words;
        for (int k = problem->start[c]; k < problem->start[c + 1]; k++)
            add(set, problem->other[k]);
        add(set, c);
        degree[c] = set_size(set, words);
    }
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (degree[i] > 0 && (best < 0 || degree[i] < degree[best])) best = i;
        GMC_ASSERT(best >= 0); // who is left is its own neighbour
        order[k] = best;
        eliminate(sets, degree, count, words, best);
        degree[best] = 0;
    }
    gmc_arena_reset(scratch, mark);
    return GMC_OK;
}
