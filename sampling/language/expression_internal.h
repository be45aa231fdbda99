// Shared by expression.c (precedence), expression_measure.c (leaves of criteria) and
// expression_name.c (leaves of formulas).
#ifndef GMC_SAMPLING_LANGUAGE_EXPRESSION_INTERNAL_H
#define GMC_SAMPLING_LANGUAGE_EXPRESSION_INTERNAL_H

#include "sampling/language/expression.h"
#include "sampling/language/token.h"

typedef struct gmc_expression_parser {
    gmc_lexer lexer;
    const gmc_expression_bodies *bodies; // of a criterion; NULL: a formula
    const gmc_expression_names *names;   // of a formula; NULL: a criterion
    gmc_arena *arena;
    int depth, count; // brackets that are open; nodes made
    bool is_arena_full;
} gmc_expression_parser;

// A node of the tree; NULL: the arena is full.
gmc_expression *gmc_expression_make(gmc_expression_parser *p, gmc_op op, const gmc_token *token);

// NULL, and the mistake is reported.
gmc_expression *gmc_expression_fail(gmc_expression_parser *p, const gmc_token *token,
                                    const char *hint, const char *message);

// A node above two others; its dimension is the caller's to say.
gmc_expression *gmc_expression_join(gmc_expression_parser *p, gmc_op op, const gmc_token *token,
                                    gmc_expression *a, gmc_expression *b);

// Do two numbers measure the same? A free one takes the other's dimension. Reported if not.
bool gmc_expression_agree(gmc_expression_parser *p, const gmc_token *token, gmc_expression *a,
                          gmc_expression *b);

gmc_expression *gmc_expression_sum(gmc_expression_parser *p);
gmc_expression *gmc_expression_parse_measure(gmc_expression_parser *p);
gmc_expression *gmc_expression_parse_name(gmc_expression_parser *p);

#endif
