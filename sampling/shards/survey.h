/// Outputs seen from outside: which are finished, which run, which were interrupted, and what of
/// each run is still missing. Reads; locks and changes nothing.
#ifndef GMC_SAMPLING_SHARDS_SURVEY_H
#define GMC_SAMPLING_SHARDS_SURVEY_H

#include "engine/base/hash.h"
#include "sampling/store/journal.h"

typedef enum gmc_survey_state {
    GMC_SURVEY_COMPLETE,    ///< the result is there
    GMC_SURVEY_RUNNING,     ///< a process writes its journal
    GMC_SURVEY_INTERRUPTED, ///< the journal is there and nobody writes it
    GMC_SURVEY_STATE_COUNT
} gmc_survey_state;

/// One output.
typedef struct gmc_survey_output {
    char *path; ///< of the result, there or to come
    gmc_survey_state state;
    uint64_t first, count; ///< trials [first, first + count) that it has or is to have
    uint64_t done;
    uint64_t total; ///< trials of the whole run; 0: only a result knows
    uint64_t seed;
    char digest[GMC_JOURNAL_DIGEST_BYTES]; ///< of the scenario, hexadecimal
    bool is_open;          ///< a ranking that is not finished: a file of rounds that are, or a part
    gmc_journal_part part; ///< then: the round that is next, or that it is a part of
    bool is_chosen;        ///< a ranking, a ladder, ... runs trials that it chooses from its range
    uint64_t most;         ///< then: trials that it may run; it may need fewer
    bool is_stopped; ///< a stopping rule, a ladder or a ranking ended it: fewer trials than the
                     ///< run's total are all
    gmc_digest kind; ///< gmc_shards_kind; "": only a result knows
    uint64_t of;     ///< trials of the run it belongs to: `total`, or of a journal the least of
                     ///< those of its scenario and seed that it fits into; 0: nobody knows
    int run;         ///< index of the run it belongs to
} gmc_survey_output;

/// Outputs of one scenario, seed and number of trials: parts of one run.
typedef struct gmc_survey_run {
    const char *digest;
    uint64_t seed;
    uint64_t total; ///< 0: no part of it is complete, so nobody knows
    uint64_t done;  ///< trials that are kept, each once
    int output_count;
    bool is_open;        ///< a ranking of which rounds are left; `total` is 0 then
    uint64_t round;      ///< of them: the first of which there may be parts
    int state;           ///< index of the output with the rounds before it; -1: none is there
    uint64_t part_count; ///< parts of the round, by those that are there; 0: none is
    uint64_t parts_done; ///< of them, complete
} gmc_survey_run;

typedef struct gmc_survey {
    gmc_survey_output *outputs; ///< (output_count) by run, then by first trial
    int output_count;
    gmc_survey_run *runs; ///< (run_count)
    int run_count;
} gmc_survey;

/// @param paths   results (or where they are to be), or folders: all *.h5 and *.h5.journal in them
/// @param survey  out; gmc_survey_free in every case
/// @return GMC_OK; GMC_E_MISSING (neither result nor journal), GMC_E_INPUT, GMC_E_IO, all reported
///         and the rest looked at; GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_survey_take(const char *const *paths, int count,
                                          gmc_diagnostics *messages, gmc_survey *survey);

void gmc_survey_free(gmc_survey *survey);

#endif
