/// When a run has seen enough: a width that is wanted, or a question to be answered. Judged on the
/// confidence sequence of anytime.h, so that looking changes nothing about its level; the width of
/// one case on the interval of fixed_width.h, or on that of a surrogate (surrogate.h).
#ifndef GMC_SAMPLING_ESTIMATE_STOP_H
#define GMC_SAMPLING_ESTIMATE_STOP_H

#include "sampling/estimate/proportion.h"

#include <stdbool.h>

typedef enum gmc_stop_kind {
    GMC_STOP_NEVER,      ///< at the end of the range
    GMC_STOP_HALF_WIDTH, ///< half_width < threshold
    GMC_STOP_AT_LEAST,   ///< is success >= threshold?
    GMC_STOP_AT_MOST,    ///< is success <= threshold?
    GMC_STOP_SURROGATE   ///< half_width < threshold, of the interval that a surrogate gives
} gmc_stop_kind;

typedef struct gmc_stop_rule {
    gmc_stop_kind kind;
    double threshold; ///< above 0, below 1 [-]
} gmc_stop_rule;

typedef enum gmc_stop_verdict {
    GMC_STOP_UNDECIDED, ///< go on
    GMC_STOP_YES,       ///< the width is reached; the answer is yes
    GMC_STOP_NO
} gmc_stop_verdict;

/// Longest text of a rule, with the closing zero.
enum { GMC_STOP_TEXT_MAX = 48 };

/// Is it a rule about how well success is known, not about what it is?
static inline bool gmc_stop_is_width(gmc_stop_kind kind)
{
    return kind == GMC_STOP_HALF_WIDTH || kind == GMC_STOP_SURROGATE;
}

/// Read "half_width<0.01", "half_width<0.01 by surrogate", "success>=0.95" or "success<=0.05";
/// blanks do not matter, `<` and `<=`, `>` and `>=` mean the same, and 1 % is a number.
/// @return false if the text is none of these, or the threshold not inside (0, 1); *rule unchanged
bool gmc_stop_parse(const char *text, gmc_stop_rule *rule);

/// "success >= 0.95"; "" for GMC_STOP_NEVER. A threshold written with up to 15 digits comes back
/// from gmc_stop_parse with the same bits.
/// @param  text  at least GMC_STOP_TEXT_MAX bytes
/// @return       text
char *gmc_stop_text(gmc_stop_rule rule, char *text);

/// What the interval says. Undecided for GMC_STOP_NEVER.
gmc_stop_verdict gmc_stop_judge(gmc_stop_rule rule, gmc_interval interval);

#endif
