/// The scenario language as a JSON schema, read off the same table as everything else: editors that
/// know YAML schemas complete keys, show what they mean, and underline what no scenario can say.
///
/// It says less than `graspmc check`: units, paths, formulas, keys that exclude or need each other,
/// and what a file named by `use` brings along, are not in it.
#ifndef GMC_CLI_COMMANDS_EDITOR_H
#define GMC_CLI_COMMANDS_EDITOR_H

#include <stdio.h>

/// JSON Schema, draft 7 (which yaml-language-server reads), one line.
void gmc_editor_schema(FILE *out);

#endif
