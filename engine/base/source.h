/// Where in a file something stands, and the list of mistakes found there: all are collected in one
/// pass and printed together, each with its line, a caret and how to mend it (STYLE.md §5).
#ifndef GMC_ENGINE_BASE_SOURCE_H
#define GMC_ENGINE_BASE_SOURCE_H

#include "engine/base/lookup.h"
#include "engine/base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct gmc_source {
    const char *file; ///< NULL: not from a file (command line, default)
    int line;         ///< from 1; 0: the file as a whole
    int column;       ///< from 1, in bytes; 0: the whole line
    int length;       ///< bytes to underline; 0 or 1: one caret
    const char *text; ///< the line itself where it is no file's (of an option); NULL: a file's
} gmc_source;

typedef enum gmc_severity {
    GMC_ERROR,
    GMC_WARNING,
    GMC_NOTE ///< nothing is wrong: what was made of the input
} gmc_severity;

/// "error", "warning", "note".
static inline const char *gmc_severity_name(gmc_severity severity)
{
    switch (severity) {
    case GMC_ERROR:
        return "error";
    case GMC_WARNING:
        return "warning";
    case GMC_NOTE:
        break;
    }
    return "note";
}

/// Warnings that a file may earn in many places, and that are told together:
///
///   hand.urdf: warning: inertia replaced by that of the shapes for 13 links (palm, tip, ...)
typedef struct gmc_diagnostic_kind {
    const char *what; ///< "inertia replaced by that of the shapes for"
    const char *noun; ///< of the subjects: "links"
} gmc_diagnostic_kind;

typedef struct gmc_diagnostic {
    gmc_severity severity;
    gmc_status status; ///< GMC_E_INPUT, GMC_E_MISSING, ...; GMC_OK for warnings and notes
    gmc_source source; ///< file name and text owned by the list
    char *message;     ///< what was expected, what was found
    char *hint;        ///< how to mend it; NULL if the message says it all
    const gmc_diagnostic_kind *kind; ///< NULL: stands alone; else printed in one line
    char *subject;                   ///< what of its kind this one is about; NULL without a kind
} gmc_diagnostic;

/// Grows with malloc: set-up only, never inside a trial. Zero-initialised means empty.
typedef struct gmc_diagnostics {
    gmc_diagnostic *items;
    int count, capacity;
    int error_count, warning_count;
    int dropped;      ///< reports that found no memory; they count as errors
    bool is_cut;      ///< a reader stopped counting: there are more errors than these
    gmc_lookup known; ///< the items by place, severity and text
} gmc_diagnostics;

/// Add one mistake, or of GMC_OK a warning. `hint` may be NULL; `format` as in printf. Copies
/// everything, the file name too. Reports of the same place, severity and text are kept once.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void gmc_diagnostics_add(gmc_diagnostics *list, gmc_status status, gmc_source source,
                         const char *hint, const char *format, ...);

/// Add a note.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void gmc_diagnostics_note(gmc_diagnostics *list, gmc_source source, const char *hint,
                          const char *format, ...);

/// Add what another list says, told of another place.
void gmc_diagnostics_copy(gmc_diagnostics *list, const gmc_diagnostic *item, gmc_source source);

/// What a warning of a kind is about.
typedef struct gmc_diagnostic_subject {
    const gmc_diagnostic_kind *kind; ///< must outlive the list; the same address for all of a kind
    const char *name;                ///< of the link, joint, ...
} gmc_diagnostic_subject;

/// Add a warning that is printed in one line, together with those of its kind in the same file.
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void gmc_diagnostics_warn(gmc_diagnostics *list, gmc_source source, gmc_diagnostic_subject subject,
                          const char *hint, const char *format, ...);

/// Add the mistakes of another list, but for those at a place that has one already: they follow
/// from it.
/// @param follows  NULL, or which others follow from what the list has
void gmc_diagnostics_take(gmc_diagnostics *list, const gmc_diagnostics *others,
                          bool (*follows)(const void *context, const gmc_diagnostic *item),
                          const void *context);

/// Forget warnings and notes; mistakes stay.
void gmc_diagnostics_hush(gmc_diagnostics *list);

/// Status of the worst report: GMC_OK without errors; GMC_E_MEMORY if a report was dropped or tells
/// of missing memory; GMC_E_MISSING if every error is a missing file; else the status of the first
/// error.
gmc_status gmc_diagnostics_status(const gmc_diagnostics *list);

/// Print all reports in order of file, line and column, each with its source line and a caret:
///
///   pinch.yaml:41:32: error: the standard deviation must be > 0, found -0.1 kg
///      41 |   object.mass: normal(0.2 kg, -0.1 kg)
///         |                               ^~~~~~~
///   hint: normal(mean, standard deviation)
///
/// Source lines are read from the files again; a file that cannot be read gives no source line.
/// Warnings of a kind take one line for all that a file has of it. What would act on a terminal is
/// shown as printable.h says. Of more than GMC_DIAGNOSTICS_SHOWN errors the first are printed, and
/// how many more there are; the same of warnings and of notes.
void gmc_diagnostics_print(const gmc_diagnostics *list, FILE *out);

enum { GMC_DIAGNOSTICS_SHOWN = 50 };

/// The same with "error", "warning", "note", "hint" and carets in colours (ECMA-48 SGR).
void gmc_diagnostics_paint(const gmc_diagnostics *list, FILE *out);

/// Print warnings of a kind one by one, each in a line of its own, and nothing else.
void gmc_diagnostics_print_kinds(const gmc_diagnostics *list, FILE *out);

/// Free everything and empty the list.
void gmc_diagnostics_free(gmc_diagnostics *list);

#endif
