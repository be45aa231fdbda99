/// A small text file that is there whole or not at all: written beside its place and renamed.
#ifndef GMC_CLI_TEXT_FILE_H
#define GMC_CLI_TEXT_FILE_H

#include "engine/base/source.h"

#include <stdbool.h>
#include <stdio.h>

/// Writes the text; a stream that takes no more is noticed by the caller.
typedef gmc_status gmc_text_file_fill(void *context, FILE *out);

/// @param force  a file that is there may be replaced
/// @return GMC_OK; GMC_E_EXISTS, GMC_E_CREATE, GMC_E_IO (reported), GMC_E_MEMORY; what `fill` says
GMC_MUST_CHECK gmc_status gmc_text_file_write(const char *path, bool force,
                                              gmc_text_file_fill *fill, void *context,
                                              gmc_diagnostics *messages);

#endif
