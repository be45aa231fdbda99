#include "sampling/language/ladder_word.h"

#include "engine/base/status.h"

#include <stddef.h>

const gmc_ladder_word gmc_ladder_words[] = {
    {"geometric", NULL, NULL, true},
    {"quasi_static", "stewart_trinkle", "quasi_static", false},
    {"rigid", "stewart_trinkle", "dynamic", false},
    {"dynamic", NULL, NULL, false},
    {"compliant", "song_pang_kumar", "dynamic", false},
};
const int gmc_ladder_word_count = GMC_COUNT(gmc_ladder_words);
