/// What the fuzz targets share. Each is one file with the two functions that libFuzzer asks for;
/// any other compiler links replay.c, which runs the corpus through the same functions.
///
/// A target reads bytes as if they came from a stranger. What it demands: the reader ends, with a
/// status of its header and a report that fits it; what is accepted keeps its promises; nothing is
/// leaked, and no byte beyond the input is looked at (it stands alone in memory).
#ifndef GMC_TEST_FUZZ_H
#define GMC_TEST_FUZZ_H

#include "engine/base/source.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One input. @return 0
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Abort with the place and the words: a finding.
#define FUZZ_REQUIRE(claim)                                                                        \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                    \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/// A copy of the input that ends where its memory ends, but for the zero that readers are promised.
static inline unsigned char *fuzz_copy(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    FUZZ_REQUIRE(copy);
    if (size > 0) memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

/// Does the report fit the status, and can it be printed? Frees it.
static inline void fuzz_judge_report(gmc_status status, gmc_diagnostics *report)
{
    FUZZ_REQUIRE(status == GMC_OK || status == GMC_E_INPUT || status == GMC_E_MISSING);
    FUZZ_REQUIRE((status == GMC_OK) == (report->error_count == 0));
    FUZZ_REQUIRE(report->dropped == 0);
    for (int i = 0; i < report->count; i++)
        FUZZ_REQUIRE(report->items[i].message[0]);
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    FUZZ_REQUIRE(nowhere);
    gmc_diagnostics_print(report, nowhere);
    gmc_diagnostics_free(report);
}

#endif
