/// A tree held against the schema table: unknown keys, missing keys, types, units, ranges: every
/// mistake with its place, a hint and the nearest known name. On the way defaults are filled in,
/// short forms are written out (`diameter`, `unit`, `at_end: text`), and numbers are left in their
/// nodes, so that what follows needs no checks of its own and printing the tree gives the expanded
/// scenario.
#ifndef GMC_SAMPLING_LANGUAGE_VALIDATE_H
#define GMC_SAMPLING_LANGUAGE_VALIDATE_H

#include "sampling/language/expression.h"
#include "sampling/language/schema.h"

enum { GMC_VALIDATE_PATH = 512 }; ///< bytes of the longest path

/// Check `root` as a whole scenario (after `use:` and `--set`).
/// @param root   changed in place; new nodes come from `arena`
/// @return GMC_OK, also when mistakes were reported: look at report->error_count; GMC_E_ARENA_FULL,
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_validate_tree(gmc_node *root, gmc_diagnostics *report,
                                            gmc_arena *arena);

/// The same for one map of a group, at `path`.
GMC_MUST_CHECK gmc_status gmc_validate_part(gmc_node *map, gmc_schema_group group, const char *path,
                                            gmc_diagnostics *report, gmc_arena *arena);

/// What formulas may name, and where they are kept.
typedef struct gmc_formulas {
    gmc_expression_names names;
    const double *values; ///< nominal, by index
    gmc_arena *arena;
    int count; ///< read so far
    bool is_arena_full;
} gmc_formulas;

/// Read the number of a scalar, check unit and range, and leave it in the node. A formula is left
/// there as well, with its value at nominal parameters as the number.
/// @param path      what to call it in messages
/// @param row       range; dimension is given apart, because some rows serve several
/// @param formulas  NULL: only a number can stand here
void gmc_validate_number(gmc_node *node, const char *path, const gmc_schema_row *row,
                         gmc_dimension dimension, gmc_formulas *formulas, gmc_diagnostics *report);

/// May a user call something so? Letters, digits, `_` and `-`, starting with a letter or `_`.
bool gmc_validate_is_name(const char *text);

#endif
