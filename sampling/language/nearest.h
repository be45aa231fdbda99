/// Did you mean ...? Which known name a misspelt one most likely stands for.
#ifndef GMC_SAMPLING_LANGUAGE_NEAREST_H
#define GMC_SAMPLING_LANGUAGE_NEAREST_H

/// Letters inserted, dropped, changed or swapped with their neighbour on the way from a to b
/// (optimal string alignment); names longer than 63 letters are compared by their first 63.
int gmc_nearest_distance(const char *a, const char *b);

/// Keeps the best of the names offered to it.
typedef struct gmc_nearest {
    const char *word;
    const char *best; ///< NULL: none is near
    int distance;
} gmc_nearest;

gmc_nearest gmc_nearest_start(const char *word);

/// Near means: at most 3 steps, and at most one for every three letters of the word (at least one);
/// or another word for the same, as gauss is for normal.
void gmc_nearest_offer(gmc_nearest *nearest, const char *name);

#endif
