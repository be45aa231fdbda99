#include "sampling/language/token.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool continues_name(char c)
{
    return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_rest_of_letter(char c) { return ((unsigned char)c & 0xc0) == 0x80; } // in UTF-8

static gmc_token read_token(const char *p)
{
    static const char *const SIGNS[] = {"<=", ">=", "==", "!=", "+", "-", "*", "/", "(",
                                        ")",  "[",  "]",  ",",  ";", ":", "<", ">", "="};
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
        p++;
    gmc_token token = {.type = GMC_TOKEN_WRONG, .start = p, .length = 1};
    if (*p == 0) {
        token.type = GMC_TOKEN_END;
        token.length = 0;
        return token;
    }
    if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
        const char *end = NULL;
        token.result = gmc_units_read(p, &token.quantity, &end);
        if (token.result == GMC_UNITS_OK) {
            token.type = GMC_TOKEN_NUMBER;
        } else {
            token.start = end; // what is at fault
            while (continues_name(*end))
                end++;
            if (end == token.start) end++;
            while (is_rest_of_letter(*end))
                end++;
        }
        token.length = (size_t)(end - token.start);
        return token;
    }
    if (starts_name(*p)) {
        const char *end = p;
        while (continues_name(*end))
            end++;
        token.type = GMC_TOKEN_NAME;
        token.length = (size_t)(end - p);
        return token;
    }
    for (int i = 0; i < GMC_COUNT(SIGNS); i++) {
        size_t length = strlen(SIGNS[i]);
        if (strncmp(p, SIGNS[i], length) != 0) continue;
        token.type = GMC_TOKEN_SIGN;
        token.length = length;
        return token;
    }
    while (is_rest_of_letter(p[token.length]))
        token.length++;
    return token;
}

static void look(gmc_lexer *lexer, const char *p) { lexer->token = read_token(p); }

gmc_lexer gmc_token_start(const gmc_node *node, gmc_diagnostics *report)
{
    gmc_lexer lexer = {.node = node, .bytes = strlen(node->text), .report = report};
    look(&lexer, node->text);
    return lexer;
}

void gmc_token_next(gmc_lexer *lexer)
{
    if (lexer->token.type == GMC_TOKEN_END) return;
    look(lexer, lexer->token.start + lexer->token.length);
}

void gmc_token_jump(gmc_lexer *lexer, const char *position) { look(lexer, position); }

bool gmc_token_is(const gmc_lexer *lexer, const char *text)
{
    const gmc_token *t = &lexer->token;
    return (t->type == GMC_TOKEN_NAME || t->type == GMC_TOKEN_SIGN) && strlen(text) == t->length &&
           strncmp(t->start, text, t->length) == 0;
}

bool gmc_token_take(gmc_lexer *lexer, const char *text)
{
    if (!gmc_token_is(lexer, text)) return false;
    gmc_token_next(lexer);
    return true;
}

bool gmc_token_expect(gmc_lexer *lexer, const char *text)
{
    if (gmc_token_take(lexer, text)) return true;
    char found[64], message[160];
    gmc_token_text(&lexer->token, found, sizeof found);
    snprintf(message, sizeof message, "expected %s, found %s", text, found);
    gmc_token_complain(lexer, &lexer->token, NULL, message);
    return false;
}

gmc_source gmc_token_place(const gmc_lexer *lexer, const gmc_token *token)
{
    return gmc_node_place(lexer->node, lexer->bytes, (size_t)(token->start - lexer->node->text),
                          token->length);
}

const char *gmc_token_lookalike(const char *text)
{
    static const struct {
        const char *letter, *meant;
    } KNOWN[] = {
        {"\xe2\x88\x92", "this is not the ASCII minus: write -"}, // U+2212
        {"\xe2\x80\x93", "this is not the ASCII minus: write -"}, // U+2013
        {"\xc2\xb1", "nominal + uniform(-4 mm, 4 mm), or nominal + normal(0 mm, 4 mm): which of "
                     "the two is meant? "
                     "Without nominal: uniform(lower, upper), normal(mean, standard deviation)"},
    };
    for (int i = 0; i < GMC_COUNT(KNOWN); i++)
        if (strncmp(text, KNOWN[i].letter, strlen(KNOWN[i].letter)) == 0) return KNOWN[i].meant;
    return NULL;
}

void gmc_token_complain(gmc_lexer *lexer, const gmc_token *token, const char *hint,
                        const char *message)
{
    if (lexer->has_failed) return;
    lexer->has_failed = true;
    // a number that cannot be read is the reason for whatever else is missing
    const gmc_token *at = lexer->token.type == GMC_TOKEN_WRONG ? &lexer->token : token;
    char what[64], unreadable[120];
    gmc_token_text(at, what, sizeof what);
    if (at->type == GMC_TOKEN_WRONG && at->result != GMC_UNITS_OK) {
        snprintf(unreadable, sizeof unreadable,
                 at->result == GMC_UNITS_UNKNOWN_UNIT ? "unknown unit %s"
                                                      : "expected a finite number, found %s",
                 what);
        message = unreadable;
        hint = NULL;
    }
    const char *meant = gmc_token_lookalike(at->start);
    gmc_diagnostics_add(lexer->report, GMC_E_INPUT, gmc_token_place(lexer, at),
                        meant ? meant : hint, "%.120s%s%s", lexer->path ? lexer->path : "",
                        lexer->path ? ": " : "", message);
}

void gmc_token_text(const gmc_token *token, char *text, size_t size)
{
    if (token->type == GMC_TOKEN_END)
        snprintf(text, size, "the end");
    else
        snprintf(text, size, "%.*s", (int)(token->length < size ? token->length : size - 1),
                 token->start);
}

// ---- names of columns --------------------------------------------------------------------------

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-.", c));
}

size_t gmc_token_column_at(const char *text, const char *name)
{
    const char *at = text;
    char before = 'a';
    bool is_behind_blank = false; // as in "300 mm"
    for (; *name; name++) {
        if (*name == ' ') {
            is_behind_blank = true;
            continue;
        }
        if (is_behind_blank || !is_word(*name) || !is_word(before)) at += strspn(at, " ");
        if (*at != *name) return 0;
        at++;
        before = *name;
        is_behind_blank = false;
    }
    if (is_word(before) && (is_word(*at) || at[strspn(at, " ")] == '(')) return 0;
    return (size_t)(at - text);
}
