// Bit matrices hold what may touch and what overlaps: count² / 8 bytes each, read in order of (a,
// b), so that the report is ordered without sorting. A swap of ends in the insertion sort is where
// something begins or ceases to overlap; everything else costs one comparison per end.
#include "engine/collision/broadphase.h"

#include "engine/base/check.h"

#include <string.h>

gmc_status gmc_broadphase_create(int count, gmc_arena *arena, gmc_broadphase *broadphase)
{
    gmc_broadphase *b = broadphase;
    size_t n = count > 0 ? (size_t)count : 1;
    *b = (gmc_broadphase){.count = count, .words = (count + 63) / 64, .listed_count = -1};
    size_t words = (size_t)b->words * n;
    b->allowed = GMC_NEW(arena, words, uint64_t);
    b->overlap = GMC_NEW(arena, words, uint64_t);
    b->merge = GMC_NEW(arena, 2 * n, gmc_broadphase_end);
    if (!b->allowed || !b->overlap || !b->merge) return GMC_E_ARENA_FULL;
    for (int k = 0; k < 3; k++) {
        b->ends[k] = GMC_NEW(arena, 2 * n, gmc_broadphase_end);
        if (!b->ends[k]) return GMC_E_ARENA_FULL;
    }
    return GMC_OK;
}

static bool bit_get(const gmc_broadphase *b, const uint64_t *bits, int row, int column)
{
    return bits[(size_t)row * (size_t)b->words + (size_t)(column >> 6)] >> (column & 63) & 1;
}

static void bit_set(const gmc_broadphase *b, uint64_t *bits, int row, int column, bool value)
{
    uint64_t *word = &bits[(size_t)row * (size_t)b->words + (size_t)(column >> 6)];
    uint64_t mask = (uint64_t)1 << (column & 63);
    *word = value ? *word | mask : *word & ~mask;
}

/// Position of the lowest bit of a word that is not 0.
static int bit_lowest(uint64_t word)
{
    int position = 0;
    for (int step = 32; step > 0; step /= 2) {
        uint64_t low = ((uint64_t)1 << step) - 1;
        if ((word & low) == 0) word >>= step, position += step;
    }
    return position;
}

void gmc_broadphase_allow(gmc_broadphase *broadphase, int a, int b)
{
    GMC_ASSERT(a != b);
    bit_set(broadphase, broadphase->allowed, a < b ? a : b, a < b ? b : a, true);
}

/// Write the pairs of a bit matrix in order, as far as there is room; returns how many there are.
static long long list_bits(const gmc_broadphase *b, const uint64_t *bits, int (*pairs)[2],
                           long long capacity)
{
    long long found = 0;
    for (int row = 0; row < b->count; row++)
        for (int w = row / 64; w < b->words; w++)
            for (uint64_t word = bits[(size_t)row * (size_t)b->words + (size_t)w]; word != 0;
                 word &= word - 1) {
                if (found < capacity) {
                    pairs[found][0] = row;
                    pairs[found][1] = 64 * w + bit_lowest(word);
                }
                found++;
            }
    return found;
}

gmc_status gmc_broadphase_finish(gmc_broadphase *broadphase, int list_max, gmc_arena *arena)
{
    long long total = list_bits(broadphase, broadphase->allowed, NULL, 0);
    broadphase->allowed_count = total;
    broadphase->is_sorted = false;
    if (total > list_max) return GMC_OK;
    broadphase->listed = gmc_arena_take(arena, total > 0 ? (size_t)total : 1, sizeof(int[2]));
    if (!broadphase->listed) return GMC_E_ARENA_FULL;
    broadphase->listed_count =
        (int)list_bits(broadphase, broadphase->allowed, broadphase->listed, total);
    return GMC_OK;
}

static bool comes_before(gmc_broadphase_end a, gmc_broadphase_end b)
{
    if (a.value != b.value) return a.value < b.value;
    return (a.of & 1) < (b.of & 1);
}

/// Bottom-up merge sort; counts its comparisons.
static void sort_ends(gmc_broadphase *b, gmc_broadphase_end *ends)
{
    int n = 2 * b->count;
    for (int width = 1; width < n; width *= 2) {
        for (int lo = 0; lo < n; lo += 2 * width) {
            int middle = lo + width < n ? lo + width : n,
                hi = lo + 2 * width < n ? lo + 2 * width : n;
            int i = lo, j = middle;
            for (int k = lo; k < hi; k++) {
                bool take_left = j >= hi || (i < middle && !comes_before(ends[j], ends[i]));
                b->tests++;
                b->merge[k] = take_left ? ends[i++] : ends[j++];
            }
        }
        memcpy(ends, b->merge, (size_t)n * sizeof ends[0]);
    }
}

/// Set the bit of an allowed pair whose boxes overlap.
static void note_overlap(gmc_broadphase *b, const gmc_aabb *boxes, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    if (!bit_get(b, b->allowed, low, high)) return;
    b->tests++;
    if (gmc_broadphase_overlaps(&boxes[low], &boxes[high])) bit_set(b, b->overlap, low, high, true);
}

/// First call after a reset: sort all three axes, then sweep along the one where fewest intervals
/// overlap.
static void sweep_all(gmc_broadphase *b, const gmc_aabb *boxes)
{
    long long fewest = -1;
    int axis = 0;
    memset(b->overlap, 0, (size_t)b->words * (size_t)b->count * sizeof b->overlap[0]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < b->count; i++) {
            b->ends[k][2 * i] = (gmc_broadphase_end){gmc_vec3_get(boxes[i].lo, k), 2 * i};
            b->ends[k][2 * i + 1] = (gmc_broadphase_end){gmc_vec3_get(boxes[i].hi, k), 2 * i + 1};
        }
        sort_ends(b, b->ends[k]);
        long long open = 0, overlapping = 0;
        for (int e = 0; e < 2 * b->count; e++) {
            if (b->ends[k][e].of & 1)
                open--;
            else
                overlapping += open++;
        }
        if (fewest < 0 || overlapping < fewest) fewest = overlapping, axis = k;
    }
    // `merge` is free now: keep the boxes whose interval is open
    gmc_broadphase_end *open = b->merge;
    int open_count = 0;
    for (int e = 0; e < 2 * b->count; e++) {
        int of = b->ends[axis][e].of, box = of >> 1;
        if (of & 1) {
            int i = 0;
            while (open[i].of != box)
                i++;
            open[i] = open[--open_count];
        } else {
            for (int i = 0; i < open_count; i++)
                note_overlap(b, boxes, open[i].of, box);
            open[open_count++].of = box;
        }
    }
    b->is_sorted = true;
}

/// Bring one axis up to date.
static void resort_axis(gmc_broadphase *b, const gmc_aabb *boxes, int axis)
{
    gmc_broadphase_end *ends = b->ends[axis];
    for (int e = 0; e < 2 * b->count; e++) {
        int of = ends[e].of;
        const gmc_aabb *box = &boxes[of >> 1];
        ends[e].value = gmc_vec3_get(of & 1 ? box->hi : box->lo, axis);
    }
    for (int e = 1; e < 2 * b->count; e++) {
        gmc_broadphase_end end = ends[e];
        int i = e;
        for (; i > 0; i--) {
            b->tests++;
            if (!comes_before(end, ends[i - 1])) break;
            int other = ends[i - 1].of;
            ends[i] = ends[i - 1];
            if ((end.of & 1) == (other & 1)) continue;
            int p = end.of >> 1, q = other >> 1;
            if (other & 1)
                note_overlap(b, boxes, p, q); // a lower end moved below an upper one
            else
                bit_set(b, b->overlap, p < q ? p : q, p < q ? q : p, false);
        }
        ends[i] = end;
    }
}

gmc_status gmc_broadphase_update(gmc_broadphase *broadphase, const gmc_aabb *boxes, int (*pairs)[2],
                                 int capacity, int *count)
{
    gmc_broadphase *b = broadphase;
    long long found = 0;
    if (b->listed_count >= 0) {
        for (int i = 0; i < b->listed_count; i++) {
            b->tests++;
            const int *pair = b->listed[i];
            if (!gmc_broadphase_overlaps(&boxes[pair[0]], &boxes[pair[1]])) continue;
            if (found < capacity) {
                pairs[found][0] = pair[0];
                pairs[found][1] = pair[1];
            }
            found++;
        }
    } else {
        if (!b->is_sorted)
            sweep_all(b, boxes);
        else
            for (int k = 0; k < 3; k++)
                resort_axis(b, boxes, k);
        found = list_bits(b, b->overlap, pairs, capacity);
    }
    *count = (int)found;
    return found <= capacity ? GMC_OK : GMC_E_LIMIT;
}
