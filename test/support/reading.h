/// Scenarios as texts in a test: written to a scratch folder with an empty hand.urdf beside them,
/// read, resolved, and the report at hand as text.
#ifndef GMC_TEST_SUPPORT_READING_H
#define GMC_TEST_SUPPORT_READING_H

#include "sampling/scenario/scenario.h"
#include "test/support/scratch.h"

typedef struct gmc_reading {
    gmc_scratch scratch;
    gmc_arena arena;
    gmc_diagnostics report;
    gmc_scenario scenario;
    gmc_status status; ///< of the last read, or of resolving if reading went well
    char path[256];    ///< of scenario.yaml
    char said[16384];  ///< the report as it is printed, with paths of the folder cut off
} gmc_reading;

/// The demo of the language: hand, cube, table, four phases, four uncertain lines, a study-free
/// run.
extern const char gmc_reading_demo[];

/// Everything the language has, in one file; needs the files that gmc_reading_rich_files writes.
extern const char gmc_reading_rich[];
void gmc_reading_rich_files(const gmc_reading *reading);

/// An open folder with hand.urdf in it.
void gmc_reading_open(gmc_reading *reading);
void gmc_reading_close(gmc_reading *reading);

/// Write `text` as scenario.yaml, read it with `sets` (NULL, or ended by NULL), and resolve it.
void gmc_reading_try(gmc_reading *reading, const char *text, const char *const *sets);

/// The demo with `old` replaced by `fresh` (once; `old` must occur), or with `fresh` behind it if
/// old is NULL.
void gmc_reading_demo_with(gmc_reading *reading, const char *old, const char *fresh);

/// Parameter by path; ends the test if there is none.
const gmc_parameter *gmc_reading_parameter(const gmc_reading *reading, const char *path);

#endif
