/// A folder of small files that a test writes and reads, gone afterwards.
#ifndef GMC_TEST_SUPPORT_SCRATCH_H
#define GMC_TEST_SUPPORT_SCRATCH_H

#include "engine/base/source.h"

#include <stddef.h>

typedef struct gmc_scratch {
    char folder[64];
} gmc_scratch;

/// Make an empty folder of its own; ends the test if it cannot.
gmc_scratch gmc_scratch_open(void);

/// Write a file into it; folders in its name are made. `path` receives where it lies.
void gmc_scratch_write(const gmc_scratch *scratch, const char *name, const void *bytes, size_t size,
                       char path[256]);

/// The same for text, without asking where it lies.
void gmc_scratch_text(const gmc_scratch *scratch, const char *name, const char *text);

/// A report as it is printed, with the folder's name cut off.
void gmc_scratch_said(const gmc_scratch *scratch, const gmc_diagnostics *report, char *said,
                      size_t size);

/// Remove it with all that is in it.
void gmc_scratch_close(gmc_scratch *scratch);

#endif
