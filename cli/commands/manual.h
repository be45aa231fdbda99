/// What people read about commands and options: help, completion, manual page. All of it is read
/// off the table in args.h.
#ifndef GMC_CLI_COMMANDS_MANUAL_H
#define GMC_CLI_COMMANDS_MANUAL_H

#include "cli/options/args.h"

/// Help of one command, or of the program (NULL). At most 24 lines of 80 columns.
void gmc_manual_help(const gmc_command *command, FILE *out);

/// What is asked of the program itself: help, version, manual page, completion for bash, schema of
/// scenarios. @return false: none of them
bool gmc_manual_answer(const gmc_args *args, FILE *out);

/// The scenario language as a JSON schema for editors: draft 7, which yaml-language-server reads,
/// one line.
void gmc_editor_schema(FILE *out);

#endif
