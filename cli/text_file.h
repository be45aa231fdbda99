/// A small text file that is there whole or not at all: written beside its place and renamed.
#ifndef GMC_CLI_TEXT_FILE_H
#define GMC_CLI_TEXT_FILE_H

#include "engine/base/source.h"

#include <stdbool.h>

/// @param force  a file that is there may be replaced
/// @return GMC_OK; GMC_E_EXISTS, GMC_E_CREATE, GMC_E_IO (reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_text_file_write(const char *path, const char *text, bool force,
                                              gmc_diagnostics *messages);

#endif
