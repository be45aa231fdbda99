// Bits rather than verdicts: a pair is then counted 64 draws at a time, and the thousand cases of a
// ranking are compared with its best in a fraction of the time of a trial.
#include "sampling/estimate/duels.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/beta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Bits of one case, 64 draws a word.
typedef struct row {
    uint64_t *seen, *won, *open; ///< open: unsolved. One block, at `seen`
    size_t words;
} row;

struct gmc_duels {
    int64_t case_count;
    row *rows;
};

gmc_status gmc_duels_create(int64_t case_count, gmc_duels **made)
{
    GMC_ASSERT(case_count >= 1);
    *made = calloc(1, sizeof **made);
    if (!*made) return GMC_E_MEMORY;
    (*made)->case_count = case_count;
    (*made)->rows = calloc((size_t)case_count, sizeof *(*made)->rows);
    return (*made)->rows ? GMC_OK : GMC_E_MEMORY;
}

void gmc_duels_free(gmc_duels *p)
{
    if (!p) return;
    for (int64_t c = 0; c < p->case_count && p->rows; c++)
        free(p->rows[c].seen);
    free(p->rows);
    free(p);
}

static gmc_status grow(row *r, size_t words)
{
    size_t room = r->words + r->words / 2 > words ? r->words + r->words / 2 : words;
    uint64_t *bits = calloc(3 * room, sizeof *bits);
    if (!bits) return GMC_E_MEMORY;
    for (size_t i = 0; i < r->words; i++) {
        bits[i] = r->seen[i];
        bits[room + i] = r->won[i];
        bits[2 * room + i] = r->open[i];
    }
    free(r->seen);
    *r = (row){.seen = bits, .won = bits + room, .open = bits + 2 * room, .words = room};
    return GMC_OK;
}

gmc_status gmc_duels_add(gmc_duels *p, int64_t c, uint64_t draw, gmc_verdict verdict)
{
    row *r = &p->rows[c];
    size_t word = (size_t)(draw / 64);
    uint64_t bit = UINT64_C(1) << draw % 64;
    if (word >= r->words) GMC_TRY(grow(r, word + 1));
    r->seen[word] |= bit;
    if (verdict == GMC_VERDICT_SUCCESS) r->won[word] |= bit;
    if (verdict == GMC_VERDICT_UNSOLVED) r->open[word] |= bit;
    return GMC_OK;
}

bool gmc_duels_has(const gmc_duels *p, int64_t c, uint64_t draw)
{
    const row *r = &p->rows[c];
    size_t word = (size_t)(draw / 64);
    return word < r->words && (r->seen[word] >> draw % 64 & 1);
}

/// Bits that are set.
static int64_t count(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/// Of the `i`-th word the draws below `end`.
static uint64_t mask(size_t i, uint64_t end)
{
    uint64_t from = (uint64_t)i * 64;
    if (end <= from) return 0;
    return end - from >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (end - from)) - 1;
}

gmc_tally gmc_duels_tally(const gmc_duels *p, int64_t c, uint64_t end)
{
    const row *r = &p->rows[c];
    gmc_tally tally = {0};
    int64_t seen = 0;
    for (size_t i = 0; i < r->words && (uint64_t)i * 64 < end; i++) {
        seen += count(r->seen[i] & mask(i, end));
        tally.successes += count(r->won[i] & mask(i, end));
        tally.unsolved += count(r->open[i] & mask(i, end));
    }
    tally.failures = seen - tally.successes - tally.unsolved;
    return tally;
}

gmc_duels_counts gmc_duels_count(const gmc_duels *p, int64_t first, int64_t second, uint64_t end)
{
    const row *a = &p->rows[first], *b = &p->rows[second];
    size_t words = a->words < b->words ? a->words : b->words;
    gmc_duels_counts counts = {0};
    for (size_t i = 0; i < words && (uint64_t)i * 64 < end; i++) {
        uint64_t both = a->seen[i] & b->seen[i] & mask(i, end), may = b->won[i] | b->open[i];
        counts.draws += count(both);
        counts.first += count(both & a->won[i] & ~may);
        counts.second += count(both & ~a->won[i] & may);
    }
    return counts;
}

double gmc_duels_log_wealth(gmc_duels_counts counts, double margin)
{
    // The bet that grows fastest is about (E D + margin) / E (D + margin)²: from the margin, where
    // all draws are discordant and nothing is between the two, to nearly all that may be bet. Steps
    // of a factor 2 lose a tenth of the growth at most between two of them.
    enum { BETS_MAX = 16 };
    static const double LEAST = 1e-3; // with no margin: differences of 0.1 % need a million draws
    double first = (double)counts.first, second = (double)counts.second;
    double none = (double)counts.draws - first - second;
    double logs[BETS_MAX], most = -(double)INFINITY;
    int bets = 0;
    for (double bet = 0.9; bets < BETS_MAX && bet >= fmax(margin, LEAST); bet *= 0.5) {
        double log_wealth = first * gmc_log1p(bet * (1 + margin)) +
                            second * gmc_log1p(-bet * (1 - margin)) +
                            none * gmc_log1p(bet * margin);
        logs[bets++] = log_wealth;
        most = fmax(most, log_wealth);
    }
    if (bets == 0) return 0; // a margin of nearly 1: nothing is bet
    double sum = 0;
    for (int i = 0; i < bets; i++)
        sum += gmc_exp(logs[i] - most);
    return most + gmc_log(sum / bets);
}

double gmc_duels_sign(gmc_duels_counts counts)
{
    if (counts.first == 0) return 1;
    gmc_beta_point half = {.x = 0.5, .y = 0.5};
    return gmc_beta_at((double)counts.first, (double)counts.second + 1, half).lower;
}
