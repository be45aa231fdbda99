/// What `--force` may take away: results of graspmc, and files without a byte. Never an input of
/// the command, a link, a device or somebody else's file.
#ifndef GMC_SAMPLING_STORE_REPLACE_H
#define GMC_SAMPLING_STORE_REPLACE_H

#include "engine/base/source.h"

#include <stdbool.h>

/// May a result be put in this place?
/// @param inputs  (input_count) files that the command reads; missing ones are passed over
/// @return GMC_OK (also if there is nothing), GMC_E_EXISTS, GMC_E_CREATE, GMC_E_IO (reported),
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_replace_result(const char *path, const char *const *inputs,
                                             int input_count, gmc_diagnostics *messages);

/// The same but for what the file holds: nothing there, or a regular file that is no input.
/// @param is_there  out: there is one, and it has bytes
/// @return as above
GMC_MUST_CHECK gmc_status gmc_replace_file(const char *path, const char *const *inputs,
                                           int input_count, gmc_diagnostics *messages,
                                           bool *is_there);

/// Nobody said --force: refuse whatever is there, and tell whether it would help.
/// @return GMC_OK: there is nothing; else as gmc_replace_result, whose GMC_OK is GMC_E_EXISTS
GMC_MUST_CHECK gmc_status gmc_replace_nothing(const char *path, const char *const *inputs,
                                              int input_count, gmc_diagnostics *messages);

#endif
