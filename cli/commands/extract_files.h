/// The files of a stored scenario under names that lie in one folder: "models/a.obj" stays; what
/// the scenario reached by "../.." keeps its place relative to all others, with the scenario's own
/// folders called "here"; what it named from the root goes below "root".
#ifndef GMC_CLI_COMMANDS_EXTRACT_FILES_H
#define GMC_CLI_COMMANDS_EXTRACT_FILES_H

#include "sampling/store/result.h"
#include "sampling/writing/freeze.h"

#define GMC_EXTRACT_SCENARIO "scenario.yaml"

/// Owns its names. Zero-initialised means empty.
typedef struct gmc_extract_files {
    int count;
    gmc_freeze_name *names; ///< (count)
    gmc_asset *assets;      ///< (count) under their new names; bytes are the result's
    bool *is_used;          ///< (count) by the new scenario
} gmc_extract_files;

/// @return GMC_OK, GMC_E_INPUT (a name that cannot be, reported), GMC_E_MEMORY;
///         gmc_extract_files_free in every case
GMC_MUST_CHECK gmc_status gmc_extract_files_name(const gmc_result_info *info, const char *input,
                                                 gmc_diagnostics *messages,
                                                 gmc_extract_files *files);

void gmc_extract_files_free(gmc_extract_files *files);

/// Note which files the new scenario has read.
void gmc_extract_files_mark(gmc_extract_files *files, const gmc_scenario *fresh);

/// Write the folder: the scenario and the files it uses. As gmc_folder_write.
GMC_MUST_CHECK gmc_status gmc_extract_files_write(const gmc_extract_files *files, const char *text,
                                                  const char *folder, gmc_diagnostics *messages);

#endif
