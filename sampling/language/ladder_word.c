#include "sampling/language/ladder_word.h"

#include "engine/base/status.h"
#include "engine/contact/laws.h"

#include <stddef.h>

#define LEVEL(word, stepper, motion) {word, stepper, motion, false},

const gmc_ladder_word gmc_ladder_words[] = {
    {"geometric", NULL, NULL, true},
    GMC_STEPPER_CHEAP_LEVELS(LEVEL){"dynamic", NULL, NULL, false},
    GMC_STEPPER_DEAR_LEVELS(LEVEL)};
const int gmc_ladder_word_count = GMC_COUNT(gmc_ladder_words);
