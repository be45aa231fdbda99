/// One trial as data: what goes from the worker that ran it to the sink that keeps it.
#ifndef GMC_SAMPLING_CAMPAIGN_TRIAL_H
#define GMC_SAMPLING_CAMPAIGN_TRIAL_H

#include "engine/rollout.h"
#include "sampling/estimate/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a field of a trial is.
typedef enum gmc_trial_kind {
    GMC_TRIAL_U64,
    GMC_TRIAL_U32,
    GMC_TRIAL_I32, ///< int
    GMC_TRIAL_F64,
    GMC_TRIAL_OUTCOME,
    GMC_TRIAL_REASON,
    GMC_TRIAL_SUCCESS, ///< follows from the outcome
    GMC_TRIAL_VALID,   ///< likewise
} gmc_trial_kind;

/// Each number of a trial but its measures and samples: X(member, C type, kind, place, name, unit,
/// about), DERIVED(kind, name, unit, about), in the order of /trials. A field is a row here, and is
/// filled in rollouts.c; the journal, the result file, reading it back and exported tables follow.
///
///   place  first byte in the journal's record (record.h)
///   about  for sampling/store/FORMAT.md
// clang-format off
#define GMC_TRIAL_FIELDS(X, DERIVED)                                                              \
    X(trial, uint64_t, U64, 0, "trial", "1", "its number: draw * K + case; with a ladder see below")\
    X(case_index, uint32_t, U32, 16, "case", "1", "row of `/cases`")                              \
    X(draw, uint64_t, U64, 8, "draw", "1", "which chance it met")                                 \
    X(outcome, gmc_outcome, OUTCOME, 20, "outcome", "",                                           \
      "`success`, `missed`, `violated`, `lost`, `unsolved`, `unreachable`")                       \
    DERIVED(SUCCESS, "success", "1", "1: outcome is `success`")                                   \
    DERIVED(VALID, "valid", "1", "0: outcome is `unsolved`, it counts neither way")               \
    X(reason, gmc_reason, REASON, 24, "reason", "", "why it is unsolved or unreachable")          \
    X(phase, int, I32, 28, "phase", "1", "in which it ended; the number of phases: all done")     \
    X(t_end, double, F64, 32, "t_end", "s", "when it ended")
// clang-format on

/// A finished trial. Everything that the result file keeps of it, and nothing that depends on when,
/// where or on how many threads it ran.
typedef struct gmc_trial {
#define GMC_TRIAL_MEMBER(member, type, ...) type member;
#define GMC_TRIAL_NOTHING(...)
    GMC_TRIAL_FIELDS(GMC_TRIAL_MEMBER, GMC_TRIAL_NOTHING)
#undef GMC_TRIAL_MEMBER
#undef GMC_TRIAL_NOTHING
    double *values;  ///< (column_count) measures, in the order of the plan's columns
    double *samples; ///< (sample_count) values of the uncertain and studied parameters
    const gmc_trajectory *trajectory; ///< NULL: not kept
} gmc_trial;

/// A row of the list.
typedef struct gmc_trial_field {
    gmc_trial_kind kind;
    const char *name, *unit, *about;
    int place;     ///< -1: not in the journal, for it follows from others
    size_t member; ///< offset in gmc_trial; not of what is derived
} gmc_trial_field;

#define GMC_TRIAL_ONE(...) +1
enum { GMC_TRIAL_FIELD_COUNT = 0 GMC_TRIAL_FIELDS(GMC_TRIAL_ONE, GMC_TRIAL_ONE) };
#undef GMC_TRIAL_ONE

extern const gmc_trial_field gmc_trial_fields[GMC_TRIAL_FIELD_COUNT];

/// Value of a field that is F64, and of one that is not: what is negative as its two's complement.
double gmc_trial_real(const gmc_trial *trial, const gmc_trial_field *field);
uint64_t gmc_trial_whole(const gmc_trial *trial, const gmc_trial_field *field);

/// A copy of a trial and of all it points to, in one block that grows to the largest trial seen and
/// is then used again. Zero-initialised means empty.
typedef struct gmc_trial_copy {
    gmc_trial trial;           ///< points into `memory`
    gmc_trajectory trajectory; ///< what trial.trajectory points to, if one is kept
    unsigned char *memory;
    size_t capacity; ///< bytes
} gmc_trial_copy;

/// How much a trial holds.
typedef struct gmc_trial_size {
    int column_count; ///< length of values
    int sample_count; ///< length of samples
    bool has_trajectory;
    gmc_trajectory_shape shape; ///< of it
} gmc_trial_size;

/// Make room: the pointers of `copy` lead to arrays of this size, contents not defined; its numbers
/// are zero. The trajectory's capacities are its counts, arrays of no elements are NULL.
/// @return GMC_OK, GMC_E_MEMORY (the copy is then empty)
GMC_MUST_CHECK gmc_status gmc_trial_copy_reserve(gmc_trial_copy *copy, const gmc_trial_size *size);

/// Replace what `copy` holds by `trial`.
/// @param column_count  length of trial->values
/// @param sample_count  length of trial->samples
/// @return GMC_OK, GMC_E_MEMORY (the copy is then empty)
GMC_MUST_CHECK gmc_status gmc_trial_copy_set(gmc_trial_copy *copy, const gmc_trial *trial,
                                             int column_count, int sample_count);

/// Give the memory back; accepts a zeroed copy.
void gmc_trial_copy_free(gmc_trial_copy *copy);

/// What gmc_trial_copy_set would need for `trial`.
gmc_trial_size gmc_trial_size_of(const gmc_trial *trial, int column_count, int sample_count);

/// What a trial's outcome says about success.
gmc_verdict gmc_trial_verdict(gmc_outcome outcome);

/// Order of numbers of trials, for qsort of structs that begin with one (uint64_t).
int gmc_trial_by_number(const void *a, const void *b);

#endif
