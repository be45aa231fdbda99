/// scenarios/FORMAT.md, written from the schema table and the tables of distributions and measures.
#ifndef GMC_SAMPLING_WRITING_SCHEMA_FORMAT_H
#define GMC_SAMPLING_WRITING_SCHEMA_FORMAT_H

#include "engine/base/status.h"

/// @param text  out: the whole page; the caller frees it
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_schema_format_write(char **text);

/// Sections about rare failures, part of it.
extern const char gmc_schema_format_rare[], gmc_schema_format_subset[], gmc_schema_format_aimed[],
    gmc_schema_format_two_level[];

/// The same about what closes, and about drives.
extern const char gmc_schema_format_hand[], gmc_schema_format_drives[];

/// The same about presets, up to the rows of their table.
extern const char gmc_schema_format_presets[];

/// The same about the table of materials, up to its rows.
extern const char gmc_schema_format_materials[];

/// The same about inputs known from few measurements, and known only to lie in an interval.
extern const char gmc_schema_format_measured[], gmc_schema_format_intervals[];

/// The same about `study.rank`.
extern const char gmc_schema_format_rank[];

/// The same about `study.optimise`.
extern const char gmc_schema_format_optimise[], gmc_schema_format_optimise_files[];

#endif
