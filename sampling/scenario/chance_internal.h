// Shared by chance.c (the grammar) and chance_samples.c (samples(file, column ...), fit(...)).
#ifndef GMC_SAMPLING_SCENARIO_CHANCE_INTERNAL_H
#define GMC_SAMPLING_SCENARIO_CHANCE_INTERNAL_H

#include "sampling/language/token.h"
#include "sampling/scenario/chance.h"

enum {
    GMC_CHANCE_ARGUMENTS = 7,     // as many as gmc_distribution_argument knows
    GMC_CHANCE_ROWS_MAX = 1000000 // of a CSV file
};

// dimension of numbers whose target is unknown
#define GMC_CHANCE_ANYTHING GMC_DIM_COUNT

typedef struct gmc_chance_parser {
    const gmc_chance_context *c;
    gmc_lexer lexer;
    gmc_dimension dimension; // of plain arguments
    bool is_factor;          // they multiply the nominal value
    gmc_token arguments[GMC_CHANCE_ARGUMENTS];
    gmc_node *node;
    bool is_interval;  // no law but where the number lies
    const char *rows;  // file whose rows are drawn; NULL: none
    gmc_status status; // what kept it from being read, if not a mistake in the text
} gmc_chance_parser;

// Report a mistake at `token`; always false.
bool gmc_chance_fail(gmc_chance_parser *p, const gmc_token *token, const char *hint,
                     const char *message);

// Does the number at `token` measure `dimension`? Says if not.
bool gmc_chance_check_dimension(gmc_chance_parser *p, const gmc_token *token,
                                gmc_dimension dimension);

// file, column name[, unit u]) with the opening bracket read already; `usage` is the hint.
bool gmc_chance_samples_read(gmc_chance_parser *p, gmc_distribution *d, const char *usage);

// file, column name[, unit u], family f) likewise.
bool gmc_chance_fit_read(gmc_chance_parser *p, gmc_distribution *d, const char *usage);

#endif
