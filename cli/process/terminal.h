/// Is a stream a terminal, and may it have colours?
#ifndef GMC_CLI_PROCESS_TERMINAL_H
#define GMC_CLI_PROCESS_TERMINAL_H

#include "engine/base/source.h"

#include <stdio.h>

typedef enum gmc_terminal {
    GMC_TERMINAL_NONE,   ///< a file, a pipe, memory
    GMC_TERMINAL_LINES,  ///< no more than lines: TERM is not set, or dumb
    GMC_TERMINAL_PLAIN,  ///< more than lines, but NO_COLOR is set, and not empty
    GMC_TERMINAL_COLOURS ///< all of it
} gmc_terminal;

/// What a stream is.
gmc_terminal gmc_terminal_of(FILE *out);

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
