/// The words of an expression: numbers with units, names, signs. Shared by criteria (expression.h)
/// and distributions (uncertain.h). Nothing is copied; a token points into the text.
#ifndef GMC_SAMPLING_LANGUAGE_TOKEN_H
#define GMC_SAMPLING_LANGUAGE_TOKEN_H

#include "sampling/language/node.h"
#include "sampling/language/units.h"

#include <string.h>

typedef enum gmc_token_type {
    GMC_TOKEN_END,
    GMC_TOKEN_NUMBER, ///< `quantity`
    GMC_TOKEN_NAME, ///< letters, digits, _, - and . (files and columns); starts with a letter or _
    GMC_TOKEN_SIGN, ///< one of + - * / ( ) [ ] , ; : < > = or the two-letter <= >= == !=
    GMC_TOKEN_WRONG ///< a character that means nothing, or a number that cannot be read
} gmc_token_type;

typedef struct gmc_token {
    gmc_token_type type;
    const char *start;
    size_t length;
    gmc_quantity quantity;
    gmc_units_result result; ///< numbers: why it cannot be read
} gmc_token;

/// Reads a scalar of the tree token by token, one token ahead.
typedef struct gmc_lexer {
    const gmc_node *node;
    size_t bytes; ///< of its text
    gmc_diagnostics *report;
    gmc_token token;  ///< the next one, not yet taken
    const char *path; ///< of what the expression is, first word of its messages; NULL: none
    bool has_failed;  ///< a mistake was reported: the rest makes no sense
} gmc_lexer;

gmc_lexer gmc_token_start(const gmc_node *node, gmc_diagnostics *report);

/// Step over the current token.
void gmc_token_next(gmc_lexer *lexer);

/// Go on at `position` of the text.
void gmc_token_jump(gmc_lexer *lexer, const char *position);

bool gmc_token_is(const gmc_lexer *lexer, const char *text);

/// If the current token is `text`, step over it.
bool gmc_token_take(gmc_lexer *lexer, const char *text);

/// The same, but report its absence.
bool gmc_token_expect(gmc_lexer *lexer, const char *text);

/// Are the letters of a token exactly these?
static inline bool gmc_token_is_name(const gmc_token *token, const char *name)
{
    return strlen(name) == token->length && strncmp(name, token->start, token->length) == 0;
}

/// Place of a token in the file.
gmc_source gmc_token_place(const gmc_lexer *lexer, const gmc_token *token);

/// Report a mistake at `token`, once for each expression.
void gmc_token_complain(gmc_lexer *lexer, const gmc_token *token, const char *hint,
                        const char *message);

/// What is meant by letters that look like others (a minus of typographers) or that the language
/// does not have (a plus-minus); NULL: `text` starts with none.
const char *gmc_token_lookalike(const char *text);

/// Text of a token, cut to `size` bytes with the closing zero; "the end" at the end.
void gmc_token_text(const gmc_token *token, char *text, size_t size);

/// Names of columns in a text: "max(slip(object, hand))".
/// Bytes of `name` at the start of `text`, whatever the blanks around brackets and commas, and
/// where the name has one; 0: it is not there, or is only the beginning of what is.
size_t gmc_token_column_at(const char *text, const char *name);

#endif
