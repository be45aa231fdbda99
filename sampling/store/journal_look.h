/// How far an unfinished run is, read off its journal from outside: nothing is locked or changed,
/// and the run may go on writing meanwhile.
#ifndef GMC_SAMPLING_STORE_JOURNAL_LOOK_H
#define GMC_SAMPLING_STORE_JOURNAL_LOOK_H

#include "engine/base/source.h"
#include "engine/outcome.h"

#include <stdbool.h>
#include <stdint.h>

enum { GMC_JOURNAL_DIGEST_BYTES = 65 };

/// Which part of a round of a ranking it is of.
typedef struct gmc_journal_part {
    uint64_t round;        ///< from 0
    uint64_t index, count; ///< part `index` (from 1) of so many; 0, 0: of none
} gmc_journal_part;

typedef struct gmc_journal_look {
    uint64_t first, count;                ///< trials [first, first + count) that the run is to have
    uint64_t done;                        ///< of them, those that are kept
    uint64_t outcomes[GMC_OUTCOME_COUNT]; ///< how they ended
    uint64_t torn;                        ///< bytes behind the last whole record
    bool is_running;                      ///< a process holds it
    char digest[GMC_JOURNAL_DIGEST_BYTES]; ///< the scenario's, hexadecimal
    uint64_t seed;
    gmc_journal_part part;
    uint64_t part_trials; ///< of a part: those of the range that it is to have
    bool is_chosen;       ///< a ranking, a ladder, ... chooses its trials from the range as it goes
    uint64_t most; ///< trials that it may run: of a ranking its budget, else all of the range
} gmc_journal_look;

/// Read "3/64", at the end of a line or of the text. @return false: it is not such a text
bool gmc_journal_part_parse(const char *text, gmc_journal_part *part);

/// @return GMC_OK; GMC_E_MISSING; GMC_E_INPUT (not a journal, of another version, its header is
///         damaged); GMC_E_IO; GMC_E_MEMORY; reported
GMC_MUST_CHECK gmc_status gmc_journal_look_at(const char *path, gmc_diagnostics *messages,
                                              gmc_journal_look *look);

#endif
