/// What people read about commands and options: help, completion, manual page. All of it is read
/// off the table in args.h.
#ifndef GMC_CLI_COMMANDS_MANUAL_H
#define GMC_CLI_COMMANDS_MANUAL_H

#include "cli/options/args.h"

/// Help of one command, or of the program (NULL). At most 24 lines of 80 columns.
void gmc_manual_help(const gmc_command *command, FILE *out);

/// Completion for bash.
void gmc_manual_completion(FILE *out);

/// The manual page graspmc(1), in roff.
void gmc_manual_page(const char *version, FILE *out);

#endif
