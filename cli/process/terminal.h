/// Is a stream a terminal, and may it have colours?
#ifndef GMC_CLI_PROCESS_TERMINAL_H
#define GMC_CLI_PROCESS_TERMINAL_H

#include "engine/base/source.h"

#include <stdbool.h>
#include <stdio.h>

/// A terminal of any kind.
bool gmc_terminal_shows(FILE *out);

/// A terminal that can do more than lines: TERM is set, and not to dumb.
bool gmc_terminal_is(FILE *out);

/// The same, and NO_COLOR is not set, or empty.
bool gmc_terminal_has_colours(FILE *out);

/// As fprintf, for formats with texts of files, names and command lines among their arguments: what
/// would act on a terminal is written as printable.h says. Line ends are kept at the start and the
/// end of the format, and within it if it has some there.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void gmc_terminal_print(FILE *out, const char *format, ...);

/// A text of several lines: each is written so, and all behind the first are indented by as many
/// spaces. Ends with a line end.
void gmc_terminal_lines(FILE *out, int indent, const char *text);

/// All messages to standard error, in colours where it has them.
void gmc_terminal_messages(const gmc_diagnostics *messages);

#endif
