/// What is uncertain and what is varied, as text:
///
///   line   := dist | nominal + dist | nominal * dist
///   dist   := number | uniform(a, b) | normal(mean, sd) | lognormal(median, cv)
///           | triangular(a, mode, b) | one_of(a, b, c) | one_of(a, b, c; weights 1, 2, 1)
///           | samples(file.csv, column name, unit mm)
///           | fit(file.csv, column name, unit mm, family lognormal) | interval(a, b)
///   normal, lognormal and fit may end with  in [lower, upper]  (inf: open on that side)
///   values := number | [a, b, c] | grid(a, b, step s) | grid(a, b, count)
///
/// Numbers must measure what they change; after `nominal *` they are pure numbers.
#ifndef GMC_SAMPLING_SCENARIO_UNCERTAIN_H
#define GMC_SAMPLING_SCENARIO_UNCERTAIN_H

#include "sampling/language/node.h"
#include "sampling/scenario/scenario.h"

enum {
    GMC_CHANCE_VALUES_MAX = 100000 ///< of one axis or one_of; longer ones are a CSV file's business
};

/// What a text may refer to, and where results go.
typedef struct gmc_uncertain_context {
    gmc_scenario *scenario; ///< its arena takes values; its assets take CSV files
    gmc_diagnostics *report;
    const char *path;        ///< what is changed, for messages
    gmc_dimension dimension; ///< of what is changed
    bool is_known;           ///< false: the target is unknown, dimensions are not checked
} gmc_uncertain_context;

/// Parse one line of `uncertain` into change and distribution of `line`.
/// @param node  scalar; file names in it are rewritten to be relative to the scenario
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MISSING (CSV file, reported), GMC_E_ARENA_FULL,
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_uncertain_line(const gmc_uncertain_context *context, gmc_node *node,
                                             gmc_uncertain *line);

/// Parse `tripod(disk r)`: three points of a support.
/// @param radius  out [m]
/// @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_uncertain_tripod(const gmc_uncertain_context *context, gmc_node *node,
                                               double *radius);

/// Parse the values of one study axis.
/// @param values  out: (count) SI, in the arena
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_uncertain_values(const gmc_uncertain_context *context, gmc_node *node,
                                               double **values, int *count);

/// Is an axis said to be `between(a, b)`?
bool gmc_uncertain_is_between(const gmc_node *node);

/// Parse `between(a, b)`, a < b.
/// @param range  out: SI
/// @return GMC_OK, GMC_E_INPUT (reported)
GMC_MUST_CHECK gmc_status gmc_uncertain_between(const gmc_uncertain_context *context,
                                                gmc_node *node, double range[2]);

struct gmc_uncertain_parser;

/// Words of the distributions: how they are read, help and FORMAT.md.
typedef struct gmc_uncertain_form {
    const char *name;
    const char *usage; ///< "normal(mean, standard deviation)"
    const char *about;
    gmc_distribution_type type;
    /// What stands in the brackets; NULL: plain numbers, as many as the law has arguments.
    bool (*read)(struct gmc_uncertain_parser *p, gmc_distribution *d, const char *usage);
} gmc_uncertain_form;

extern const gmc_uncertain_form gmc_uncertain_forms[];
extern const int gmc_uncertain_form_count;

#endif
