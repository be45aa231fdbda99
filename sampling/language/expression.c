// Recursive descent, one function a precedence level; dimensions are settled as nodes are joined,
// so that a mistake is reported at the operator that made it.
#include "engine/math/elementary.h"
#include "sampling/language/expression_internal.h"
#include "sampling/language/nearest.h"

#include <stdio.h>
#include <string.h>

// Brackets, nots and signs inside each other; names, numbers and operators of one expression, whose
// tree of operators in a row is as deep as it has of them.
enum { NESTING_MAX = 32, NODES_MAX = 10000 };

static gmc_expression *parse_or(gmc_expression_parser *p);

gmc_expression *gmc_expression_make(gmc_expression_parser *p, gmc_op op, const gmc_token *token)
{
    if (p->lexer.has_failed) return NULL;
    if (++p->count > NODES_MAX) {
        char message[80];
        snprintf(message, sizeof message, "more than %d names, numbers and operators", NODES_MAX);
        return gmc_expression_fail(p, token, "split it, or compute it elsewhere", message);
    }
    gmc_expression *e = gmc_arena_take(p->arena, 1, sizeof *e);
    if (!e) {
        p->is_arena_full = p->lexer.has_failed = true;
        return NULL;
    }
    e->op = op;
    e->stack = 1;
    e->source = gmc_token_place(&p->lexer, token);
    return e;
}

gmc_expression *gmc_expression_fail(gmc_expression_parser *p, const gmc_token *token,
                                    const char *hint, const char *message)
{
    gmc_token_complain(&p->lexer, token, hint, message);
    return NULL;
}

// ---- joining nodes ----------------------------------------------------------------------------

static bool is_pure(gmc_exponents e) { return e.m == 0 && e.kg == 0 && e.s == 0 && e.rad == 0; }

// Both sides of a sum or comparison must measure the same; a free number takes the other's
// dimension.
bool gmc_expression_agree(gmc_expression_parser *p, const gmc_token *token, gmc_expression *a,
                          gmc_expression *b)
{
    if (a->is_logical || b->is_logical) {
        gmc_expression_fail(p, token, "join claims with and, or, not",
                            "a claim (true or false) cannot be compared or added");
        return false;
    }
    if (a->is_free && !b->is_free) a->exponents = b->exponents;
    if (b->is_free && !a->is_free) b->exponents = a->exponents;
    if (gmc_units_equal(a->exponents, b->exponents)) return true;
    char left[GMC_UNITS_TEXT], right[GMC_UNITS_TEXT], message[256];
    gmc_units_spell(a->exponents, left);
    gmc_units_spell(b->exponents, right);
    snprintf(message, sizeof message, "the left side is in %s, the right side in %s", left, right);
    gmc_expression_fail(p, token, NULL, message);
    return false;
}

gmc_expression *gmc_expression_join(gmc_expression_parser *p, gmc_op op, const gmc_token *token,
                                    gmc_expression *a, gmc_expression *b)
{
    if (!a || !b) return NULL;
    gmc_expression *e = gmc_expression_make(p, op, token);
    if (!e) return NULL;
    e->left = a;
    e->right = b;
    e->stack = a->stack > b->stack + 1 ? a->stack : b->stack + 1;
    if (e->stack > GMC_CRITERION_DEPTH)
        return gmc_expression_fail(p, token, NULL, "nested too deeply");
    return e;
}

// A claim: a comparison, or a pure number that is above 0.
static gmc_expression *claim(gmc_expression_parser *p, const gmc_token *token, gmc_expression *e)
{
    if (!e || e->is_logical) return e;
    if (!is_pure(e->exponents) || e->is_free)
        return gmc_expression_fail(
            p, token, p->names ? p->names->example : "for example lift(object) >= 80 mm",
            "expected a claim that is true or false");
    gmc_expression *zero = gmc_expression_make(p, GMC_OP_NUMBER, token);
    gmc_expression *above = gmc_expression_join(p, GMC_OP_GREATER, token, e, zero);
    if (above) above->is_logical = true;
    return above;
}

// ---- leaves -----------------------------------------------------------------------------------

static gmc_expression *parse_leaf(gmc_expression_parser *p)
{
    gmc_token token = p->lexer.token;
    if (token.type == GMC_TOKEN_NUMBER) {
        gmc_expression *e = gmc_expression_make(p, GMC_OP_NUMBER, &token);
        if (!e) return NULL;
        e->number = token.quantity.value;
        e->exponents = token.quantity.exponents;
        e->is_free = !token.quantity.has_unit;
        gmc_token_next(&p->lexer);
        return e;
    }
    if (gmc_token_take(&p->lexer, "(")) {
        gmc_expression *e = parse_or(p);
        return e && gmc_token_expect(&p->lexer, ")") ? e : NULL;
    }
    if (token.type == GMC_TOKEN_NAME)
        return p->names ? gmc_expression_parse_name(p) : gmc_expression_parse_measure(p);
    char text[64], message[128];
    gmc_token_text(&token, text, sizeof text);
    snprintf(message, sizeof message, "expected a %s or a number, found %s",
             p->names ? p->names->noun : "measure", text);
    bool is_power =
        gmc_token_is(&p->lexer, "*") && token.start > p->lexer.node->text && token.start[-1] == '*';
    return gmc_expression_fail(p, &token, is_power ? "write the product: a * a" : NULL, message);
}

// ---- precedence, from tight to loose ----------------------------------------------------------

static gmc_expression *parse_unary(gmc_expression_parser *p)
{
    gmc_token token = p->lexer.token;
    if (++p->depth > NESTING_MAX) return gmc_expression_fail(p, &token, NULL, "nested too deeply");
    gmc_expression *e = NULL;
    if (gmc_token_take(&p->lexer, "-")) {
        gmc_expression *operand = parse_unary(p);
        if (operand && operand->is_logical)
            operand = gmc_expression_fail(p, &token, NULL, "a claim has no sign");
        if (operand) e = gmc_expression_make(p, GMC_OP_NEGATE, &token);
        if (e) {
            e->left = operand;
            e->exponents = operand->exponents;
            e->is_free = operand->is_free;
            e->stack = operand->stack;
        }
    } else {
        e = parse_leaf(p);
    }
    p->depth--;
    return e;
}

static gmc_expression *parse_product(gmc_expression_parser *p)
{
    gmc_expression *e = parse_unary(p);
    while (e && (gmc_token_is(&p->lexer, "*") || gmc_token_is(&p->lexer, "/"))) {
        gmc_token token = p->lexer.token;
        int sign = *token.start == '*' ? 1 : -1;
        gmc_token_next(&p->lexer);
        gmc_expression *a = e, *b = parse_unary(p);
        e = gmc_expression_join(p, sign > 0 ? GMC_OP_MULTIPLY : GMC_OP_DIVIDE, &token, a, b);
        if (!e) return NULL;
        if (a->is_logical || b->is_logical)
            return gmc_expression_fail(p, &token, NULL, "a claim is no number");
        e->is_free = a->is_free && b->is_free;
        e->exponents.m = a->exponents.m + sign * b->exponents.m;
        e->exponents.kg = a->exponents.kg + sign * b->exponents.kg;
        e->exponents.s = a->exponents.s + sign * b->exponents.s;
        e->exponents.rad = a->exponents.rad + sign * b->exponents.rad;
    }
    return e;
}

gmc_expression *gmc_expression_sum(gmc_expression_parser *p)
{
    gmc_expression *e = parse_product(p);
    while (e && (gmc_token_is(&p->lexer, "+") || gmc_token_is(&p->lexer, "-"))) {
        gmc_token token = p->lexer.token;
        gmc_token_next(&p->lexer);
        gmc_expression *a = e, *b = parse_product(p);
        e = gmc_expression_join(p, *token.start == '+' ? GMC_OP_ADD : GMC_OP_SUBTRACT, &token, a,
                                b);
        if (!e || !gmc_expression_agree(p, &token, a, b)) return NULL;
        e->exponents = a->exponents;
        e->is_free = a->is_free && b->is_free;
    }
    return e;
}

static bool comparison_at(const gmc_lexer *lexer, gmc_op *op)
{
    static const struct {
        const char *sign;
        gmc_op op;
    } SIGNS[] = {{"<", GMC_OP_LESS},
                 {"<=", GMC_OP_LESS_EQUAL},
                 {">", GMC_OP_GREATER},
                 {">=", GMC_OP_GREATER_EQUAL}};
    for (int i = 0; i < GMC_COUNT(SIGNS); i++) {
        if (!gmc_token_is(lexer, SIGNS[i].sign)) continue;
        *op = SIGNS[i].op;
        return true;
    }
    return false;
}

// ---- equality ---------------------------------------------------------------------------------

static bool equality_at(const gmc_lexer *lexer)
{
    return gmc_token_is(lexer, "=") || gmc_token_is(lexer, "==") || gmc_token_is(lexer, "!=");
}

// The word behind "outcome =", quoted or not: up to a blank or a bracket.
static gmc_expression *parse_word(gmc_expression_parser *p, const gmc_expression *of)
{
    const gmc_expression_names *names = p->names;
    gmc_token token = p->lexer.token;
    char word[128], message[200], hint[400] = "";
    bool is_quoted = *token.start == '\'' || *token.start == '"';
    token.start += is_quoted;
    token.length = is_quoted ? strcspn(token.start, (char[]){token.start[-1], 0})
                             : strcspn(token.start, " \t\r\n()");
    snprintf(word, sizeof word, "%.*s", (int)(token.length < 127 ? token.length : 127),
             token.start);
    double code = 0;
    if (!names->code(names->context, of->parameter, word, &code)) {
        gmc_nearest nearest = gmc_nearest_start(word);
        size_t used = (size_t)snprintf(hint, sizeof hint, "one of");
        for (int i = 0; names->word(names->context, of->parameter, i); i++) {
            const char *known = names->word(names->context, of->parameter, i);
            gmc_nearest_offer(&nearest, known);
            if (used + strlen(known) + 8 < sizeof hint)
                used +=
                    (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "", known);
        }
        if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.150s?", nearest.best);
        snprintf(message, sizeof message, "there is no %.120s here", word[0] ? word : "such word");
        return gmc_expression_fail(p, &token, hint, message);
    }
    gmc_expression *e = gmc_expression_make(p, GMC_OP_NUMBER, &token);
    if (e) e->number = code;
    gmc_token_jump(&p->lexer, token.start + token.length + is_quoted);
    return e;
}

// Two that are counted are equal if neither is above the other.
static gmc_expression *parse_equality(gmc_expression_parser *p, gmc_expression *a)
{
    gmc_token token = p->lexer.token;
    if (token.start[0] == '=' && (token.start[1] == '>' || token.start[1] == '<'))
        return gmc_expression_fail(p, &token, token.start[1] == '>' ? "write >=" : "write <=",
                                   "there is no such comparison");
    bool is_not = gmc_token_is(&p->lexer, "!=");
    gmc_token_next(&p->lexer);
    gmc_expression *b = a->is_word ? parse_word(p, a) : gmc_expression_sum(p);
    if (!b) return NULL;
    bool is_whole = a->is_word || (a->is_count && (b->is_count || b->op == GMC_OP_NUMBER)) ||
                    (b->is_count && a->op == GMC_OP_NUMBER);
    if (!is_whole)
        return gmc_expression_fail(p, &token,
                                   "use <= or >=", "measured numbers are never exactly equal");
    if (!gmc_expression_agree(p, &token, a, b)) return NULL;
    gmc_expression *least = gmc_expression_join(p, GMC_OP_GREATER_EQUAL, &token, a, b);
    gmc_expression *most = gmc_expression_join(p, GMC_OP_LESS_EQUAL, &token, a, b);
    gmc_expression *e = gmc_expression_join(p, GMC_OP_AND, &token, least, most);
    if (!e) return NULL;
    least->is_logical = most->is_logical = e->is_logical = true;
    if (!is_not) return e;
    gmc_expression *other = gmc_expression_make(p, GMC_OP_NOT, &token);
    if (!other) return NULL;
    other->left = e;
    other->is_logical = true;
    other->stack = e->stack;
    return other;
}

// Degrees are meant more often than written.
static void warn_of_radians(gmc_expression_parser *p, const gmc_expression *number,
                            const gmc_expression *of)
{
    const gmc_exponents angle = {0, 0, 0, 1};
    bool is_bare = number->is_free && number->op == GMC_OP_NUMBER && number->number != 0;
    if (!is_bare || of->is_free || !gmc_units_equal(of->exponents, angle)) return;
    char hint[80];
    snprintf(hint, sizeof hint, "write %.6g rad, or %.6g deg", number->number, number->number);
    gmc_diagnostics_add(p->lexer.report, GMC_WARNING, GMC_OK, number->source, hint,
                        "an angle without a unit is in radians: %.6g rad are %.4g deg",
                        number->number, number->number * 180 / GMC_PI);
}

static gmc_expression *parse_comparison(gmc_expression_parser *p)
{
    gmc_op op = GMC_OP_LESS;
    gmc_expression *a = gmc_expression_sum(p);
    if (a && equality_at(&p->lexer)) return parse_equality(p, a);
    if (a && a->is_word)
        return gmc_expression_fail(p, &p->lexer.token,
                                   "compare it with = or !=", "this is a word, not a number");
    if (!a || !comparison_at(&p->lexer, &op)) return a;
    gmc_token token = p->lexer.token;
    gmc_token_next(&p->lexer);
    gmc_expression *b = gmc_expression_sum(p);
    gmc_expression *e = gmc_expression_join(p, op, &token, a, b);
    if (!e || !gmc_expression_agree(p, &token, a, b)) return NULL;
    warn_of_radians(p, a, b);
    warn_of_radians(p, b, a);
    e->is_logical = true;
    if (comparison_at(&p->lexer, &op))
        return gmc_expression_fail(p, &p->lexer.token, "write a < b and b < c",
                                   "comparisons cannot be chained");
    return e;
}

static gmc_expression *parse_not(gmc_expression_parser *p)
{
    gmc_token token = p->lexer.token;
    if (!gmc_token_is(&p->lexer, "not")) return parse_comparison(p);
    if (++p->depth > NESTING_MAX) return gmc_expression_fail(p, &token, NULL, "nested too deeply");
    gmc_token_next(&p->lexer);
    gmc_expression *operand = claim(p, &token, parse_not(p));
    p->depth--;
    gmc_expression *e = operand ? gmc_expression_make(p, GMC_OP_NOT, &token) : NULL;
    if (!e) return NULL;
    e->left = operand;
    e->is_logical = true;
    e->stack = operand->stack;
    return e;
}

static gmc_expression *parse_joined(gmc_expression_parser *p, const char *word, gmc_op op,
                                    gmc_expression *(*operand)(gmc_expression_parser *))
{
    gmc_token first = p->lexer.token;
    gmc_expression *e = operand(p);
    while (e && gmc_token_is(&p->lexer, word)) {
        gmc_token token = p->lexer.token;
        gmc_token_next(&p->lexer);
        gmc_token second = p->lexer.token;
        gmc_expression *a = claim(p, &first, e);
        gmc_expression *b = a ? claim(p, &second, operand(p)) : NULL;
        e = gmc_expression_join(p, op, &token, a, b);
        if (e) e->is_logical = true;
    }
    return e;
}

static gmc_expression *parse_and(gmc_expression_parser *p)
{
    return parse_joined(p, "and", GMC_OP_AND, parse_not);
}

static gmc_expression *parse_or(gmc_expression_parser *p)
{
    return parse_joined(p, "or", GMC_OP_OR, parse_and);
}

// The text must end here.
static gmc_expression *close_text(gmc_expression_parser *p, gmc_expression *e, const char *what)
{
    if (!e || p->lexer.token.type == GMC_TOKEN_END || p->lexer.has_failed) return e;
    char text[64], message[128];
    gmc_token_text(&p->lexer.token, text, sizeof text);
    snprintf(message, sizeof message, "expected the end of the %s, found %s", what, text);
    static const struct {
        const char *found, *hint;
    } MENDS[] = {{"&", "claims are joined with  and"},
                 {"AND", "claims are joined with  and"},
                 {"|", "claims are joined with  or"},
                 {"OR", "claims are joined with  or"},
                 {";", "each claim is an item of the list, or joined with  and"},
                 {",", "each claim is an item of the list, or joined with  and"},
                 {"^", "write the product: a * a"},
                 {"\xe2\x89\xa5", "write >="},
                 {"\xe2\x89\xa4", "write <="}};
    const char *hint = NULL;
    for (int i = 0; i < GMC_COUNT(MENDS); i++)
        if (strcmp(text, MENDS[i].found) == 0) hint = MENDS[i].hint;
    return gmc_expression_fail(p, &p->lexer.token, hint, message);
}

// After a mistake the claims that are joined behind it are looked through for others.
static void look_further(gmc_expression_parser *p)
{
    if (!p->lexer.has_failed) return;
    while (!p->is_arena_full && p->count <= NODES_MAX) {
        while (p->lexer.token.type != GMC_TOKEN_END && !gmc_token_is(&p->lexer, "and") &&
               !gmc_token_is(&p->lexer, "or"))
            gmc_token_next(&p->lexer);
        if (p->lexer.token.type == GMC_TOKEN_END) break;
        gmc_token_next(&p->lexer);
        if (p->lexer.token.type == GMC_TOKEN_END) break;
        p->lexer.has_failed = false;
        p->depth = 0;
        (void)parse_or(p);
    }
    p->lexer.has_failed = true;
}

static gmc_status result_of(const gmc_expression_parser *p, const gmc_expression *e,
                            const gmc_expression **root)
{
    if (p->is_arena_full) return GMC_E_ARENA_FULL;
    if (!e || p->lexer.has_failed) return GMC_E_INPUT;
    *root = e;
    return GMC_OK;
}

gmc_status gmc_expression_parse(const gmc_node *node, const gmc_expression_bodies *bodies,
                                gmc_arena *arena, gmc_diagnostics *report,
                                const gmc_expression **root)
{
    *root = NULL;
    gmc_expression_parser p = {
        .lexer = gmc_token_start(node, report), .bodies = bodies, .arena = arena};
    if (p.lexer.has_failed) return GMC_E_INPUT;
    gmc_token first = p.lexer.token;
    gmc_expression *e = claim(&p, &first, close_text(&p, parse_or(&p), "criterion"));
    look_further(&p);
    return result_of(&p, e, root);
}

// A formula, or a claim about parameters.
static gmc_status parse_named(const gmc_node *node, const gmc_expression_names *names,
                              bool is_claim, gmc_arena *arena, gmc_diagnostics *report,
                              const gmc_expression **root)
{
    *root = NULL;
    gmc_expression_parser p = {
        .lexer = gmc_token_start(node, report), .names = names, .arena = arena};
    if (p.lexer.has_failed) return GMC_E_INPUT;
    gmc_token first = p.lexer.token;
    gmc_expression *e = is_claim ? parse_or(&p) : gmc_expression_sum(&p);
    e = close_text(&p, e, is_claim ? "claim" : "formula");
    if (is_claim) e = claim(&p, &first, e);
    if (is_claim) look_further(&p);
    return result_of(&p, e, root);
}

gmc_status gmc_expression_parse_formula(const gmc_node *node, const gmc_expression_names *names,
                                        gmc_arena *arena, gmc_diagnostics *report,
                                        const gmc_expression **root)
{
    return parse_named(node, names, false, arena, report, root);
}

gmc_status gmc_expression_parse_claim(const gmc_node *node, const gmc_expression_names *names,
                                      gmc_arena *arena, gmc_diagnostics *report,
                                      const gmc_expression **root)
{
    return parse_named(node, names, true, arena, report, root);
}
