/// A small text file that is there whole or not at all: written beside its place and renamed.
#ifndef GMC_CLI_PROCESS_TEXT_FILE_H
#define GMC_CLI_PROCESS_TEXT_FILE_H

#include "engine/base/source.h"

#include <stdbool.h>
#include <stdio.h>

/// Writes the text; a stream that takes no more is noticed by the caller.
typedef gmc_status gmc_text_file_fill(void *context, FILE *out);

/// @param force  a file of this kind that is there may be replaced: one that begins with the same
///               word, up to a comma, a blank or the end of the line, as what is written, or with a
///               comment whose words up to the first digit are the same; never `input`
/// @param input  the file that the command reads
/// @return GMC_OK; GMC_E_EXISTS, GMC_E_CREATE, GMC_E_IO (reported), GMC_E_MEMORY; what `fill` says
GMC_MUST_CHECK gmc_status gmc_text_file_write(const char *path, bool force, const char *input,
                                              gmc_text_file_fill *fill, void *context,
                                              gmc_diagnostics *messages);

/// May `path` be written at all? For commands that work long before they write.
/// @return GMC_OK; GMC_E_EXISTS, GMC_E_CREATE, GMC_E_IO (reported)
GMC_MUST_CHECK gmc_status gmc_text_file_may(const char *path, bool force, const char *input,
                                            gmc_diagnostics *messages);

#endif
