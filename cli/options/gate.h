/// A rule that fails a build when a grasp got worse: "worse by 0.02". With d = B − A and the
/// interval [l, u] of d that holds whatever unsolved trials would have been:
///
///   yes        u < −0.02    even the favourable end is worse by more than that
///   no         l >= −0.02   even the unfavourable end is not
///   undecided  else         the interval holds −0.02: more draws would tell
#ifndef GMC_CLI_OPTIONS_GATE_H
#define GMC_CLI_OPTIONS_GATE_H

#include "sampling/estimate/proportion.h"

#include <stdbool.h>

typedef struct gmc_gate {
    bool is_set;
    double margin; ///< 0 <= margin < 1
} gmc_gate;

typedef enum gmc_gate_verdict { GMC_GATE_UNDECIDED, GMC_GATE_YES, GMC_GATE_NO } gmc_gate_verdict;

/// Read "worse by 0.02", "worse by 2 %" or "worse" (by 0).
/// @return false if the text is none of these; *gate unchanged
bool gmc_gate_parse(const char *text, gmc_gate *gate);
static inline gmc_gate_verdict gmc_gate_judge(gmc_gate gate, gmc_interval firm)
{
    if (firm.upper < -gate.margin) return GMC_GATE_YES;
    if (firm.lower >= -gate.margin) return GMC_GATE_NO;
    return GMC_GATE_UNDECIDED;
}

#endif
