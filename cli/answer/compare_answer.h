/// What `compare` says, in words and as JSON.
#ifndef GMC_CLI_ANSWER_COMPARE_ANSWER_H
#define GMC_CLI_ANSWER_COMPARE_ANSWER_H

#include "cli/options/args.h"
#include "sampling/findings/pairing.h"
#include "sampling/store/identity.h"

/// A value that is not the same in the two files, cut to what fits a line.
typedef struct gmc_compare_change {
    char key[256], first[160], second[160];
    bool has_first, has_second;
    bool is_written_alike; ///< a law whose text is the same, but whose numbers, of a file, are not
} gmc_compare_change;

typedef struct gmc_compare_changes {
    gmc_compare_change *items; ///< (count), owned by its maker
    int count, capacity;
    gmc_status status; ///< of collecting
} gmc_compare_changes;

typedef struct gmc_compare_answer {
    const gmc_args *args;
    const gmc_result_info *about; ///< of the first file: its cases
    const gmc_pairing *pairing;
    const gmc_compare_changes *changes;
    gmc_paired_estimate paired; ///< if pairing->is_paired
    double difference;
    gmc_interval interval, firm; ///< firm: whatever unsolved trials would have been
    int64_t open;                ///< unsolved trials, or pairs with one
    gmc_interval unsolved;       ///< the difference had these all gone against B, for B
} gmc_compare_answer;

/// All pointers must outlive the answer.
gmc_compare_answer gmc_compare_answer_of(const gmc_args *args, const gmc_result_info *about,
                                         const gmc_pairing *pairing,
                                         const gmc_compare_changes *changes);

void gmc_compare_answer_print(const gmc_compare_answer *answer, FILE *out);
void gmc_compare_answer_json(const gmc_compare_answer *answer, FILE *out);

#endif
