/// The words of `study.ladder`: what each says of the simulation at its level.
#ifndef GMC_SAMPLING_LANGUAGE_LADDER_WORD_H
#define GMC_SAMPLING_LANGUAGE_LADDER_WORD_H

#include <stdbool.h>

typedef struct gmc_ladder_word {
    const char *name, *stepper, *motion; ///< NULL: the scenario's own
    bool is_geometric;
} gmc_ladder_word;

extern const gmc_ladder_word gmc_ladder_words[];
extern const int gmc_ladder_word_count;

#endif
