/// Samples that the user brings: a table of numbers in a text file, one row a draw, one column a
/// parameter, the parameter's path in the header row.
///
///   object.pose.x,object.mass,"friction.rubber/abs"
///   0.0012,0.2,0.31
///
/// Read as RFC 4180 has it, and what spreadsheets make of it: UTF-8 with or without byte order
/// mark, LF or CRLF (or CR), fields in double quotes with "" for a quote, blanks around numbers.
/// Numbers are SI, in C's decimal notation, finite. Empty lines are skipped. Everything else is an
/// error with its place; all of them are reported, up to 50.
#ifndef GMC_SAMPLING_DESIGN_CSV_H
#define GMC_SAMPLING_DESIGN_CSV_H

#include "engine/base/source.h"
#include "engine/base/status.h"

#include <stddef.h>
#include <stdint.h>

/// A finished table; owns its memory. Zero-initialised means empty.
typedef struct gmc_csv {
    int column_count;
    int64_t row_count;
    char **names;     ///< (column_count), unique, not empty, without surrounding blanks
    int *name_column; ///< (column_count): column in the header line where the name stands, from 1
    double *values;   ///< (row_count, column_count)
    int *lines;       ///< (row_count): line of the file where the row begins, from 1
    int text_column;  ///< the one column of texts, its values are 0; -1: none
    char **texts;     ///< (row_count) of it; NULL: none
    int header_line;  ///< line of the names
} gmc_csv;

/// Read a table.
/// @param  text    of `bytes` bytes; `file` is its name in the messages
/// @param  csv     out: the table; empty unless GMC_OK
/// @param  errors  mistakes are added
/// @return GMC_OK, GMC_E_INPUT (mistakes in the table, each reported), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_csv_parse(const char *file, const char *text, size_t bytes,
                                        gmc_csv *csv, gmc_diagnostics *errors);

/// What is special about its columns.
typedef struct gmc_csv_wanted {
    const char *texts; ///< a column of that name, if there is one, holds texts: any but empty ones
    const char *only;  ///< this column alone: the others may hold anything, and have the values 0.
                       ///< What is no number in it is told once, where it stands first, with how
                       ///< many rows have none. A table without it is read, with no number
} gmc_csv_wanted;

/// The same, if one of them is not NULL.
GMC_MUST_CHECK gmc_status gmc_csv_parse_as(const char *file, const char *text, size_t bytes,
                                           const gmc_csv_wanted *wanted, gmc_csv *csv,
                                           gmc_diagnostics *errors);

/// Column of that name, −1 if there is none.
int gmc_csv_column(const gmc_csv *csv, const char *name);

/// Value of a column in the row of a draw; both must exist.
double gmc_csv_value(const gmc_csv *csv, int64_t row, int column);

void gmc_csv_free(gmc_csv *csv);

#endif
