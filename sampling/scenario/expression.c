// Recursive descent, one function a precedence level; dimensions are settled as nodes are joined,
// so that a mistake is reported at the operator that made it.
#include "sampling/scenario/expression.h"

#include "sampling/scenario/nearest.h"
#include "sampling/scenario/token.h"

#include <stdio.h>
#include <string.h>

enum { NESTING_MAX = 32 }; // brackets, nots and signs inside each other

typedef struct parser {
    gmc_lexer lexer;
    gmc_scenario *scenario;
    int depth;
    bool is_arena_full;
} parser;

static gmc_expression *parse_or(parser *p);

static gmc_expression *make(parser *p, gmc_op op, const gmc_token *token)
{
    gmc_expression *e = gmc_arena_take(p->scenario->arena, 1, sizeof *e);
    if (!e) {
        p->is_arena_full = p->lexer.has_failed = true;
        return NULL;
    }
    e->op = op;
    e->stack = 1;
    e->source = gmc_token_place(&p->lexer, token);
    return e;
}

static gmc_expression *fail(parser *p, const gmc_token *token, const char *hint,
                            const char *message)
{
    gmc_token_complain(&p->lexer, token, hint, message);
    return NULL;
}

// ---- joining nodes ----------------------------------------------------------------------------

static bool is_pure(gmc_exponents e) { return e.m == 0 && e.kg == 0 && e.s == 0 && e.rad == 0; }

// Both sides of a sum or comparison must measure the same; a free number takes the other's
// dimension.
static bool agree(parser *p, const gmc_token *token, gmc_expression *a, gmc_expression *b)
{
    if (a->is_logical || b->is_logical) {
        fail(p, token, "join claims with and, or, not",
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
    fail(p, token, NULL, message);
    return false;
}

static gmc_expression *join(parser *p, gmc_op op, const gmc_token *token, gmc_expression *a,
                            gmc_expression *b)
{
    if (!a || !b) return NULL;
    gmc_expression *e = make(p, op, token);
    if (!e) return NULL;
    e->left = a;
    e->right = b;
    e->stack = a->stack > b->stack + 1 ? a->stack : b->stack + 1;
    if (e->stack > GMC_CRITERION_DEPTH) return fail(p, token, NULL, "nested too deeply");
    return e;
}

// A claim: a comparison, or a pure number that is above 0.
static gmc_expression *claim(parser *p, const gmc_token *token, gmc_expression *e)
{
    if (!e || e->is_logical) return e;
    if (!is_pure(e->exponents) || e->is_free)
        return fail(p, token, "for example lift(object) >= 80 mm",
                    "expected a claim that is true or false");
    gmc_expression *zero = make(p, GMC_OP_NUMBER, token);
    gmc_expression *above = join(p, GMC_OP_GREATER, token, e, zero);
    if (above) above->is_logical = true;
    return above;
}

// ---- leaves -----------------------------------------------------------------------------------

static bool is_same(const gmc_token *token, const char *name)
{
    return strlen(name) == token->length && strncmp(name, token->start, token->length) == 0;
}

// Name of a body in the language, or NULL (reported).
static const char *parse_body(parser *p)
{
    const gmc_scenario *s = p->scenario;
    gmc_token token = p->lexer.token;
    char text[64], message[160], hint[160];
    gmc_token_text(&token, text, sizeof text);
    if (token.type != GMC_TOKEN_NAME) {
        snprintf(message, sizeof message, "expected the name of a body, found %s", text);
        fail(p, &token, "object, hand, or a name of the scene", message);
        return NULL;
    }
    gmc_nearest nearest = gmc_nearest_start(text);
    const char *found = NULL;
    const char *always[] = {"object", "hand"};
    for (int i = 0; i < 2 + s->scene_count; i++) {
        const char *name = i < 2 ? always[i] : s->scene[i - 2].name;
        if (is_same(&token, name)) found = name;
        gmc_nearest_offer(&nearest, name);
    }
    for (int i = 0; i < s->object_count && !found; i++)
        if (is_same(&token, s->objects[i].name)) {
            if (s->object_count > 1) {
                fail(p, &token, "write object: it means the object of the case",
                     "this is one object of several");
                return NULL;
            }
            found = "object";
        }
    if (found && strcmp(found, "hand") == 0 && gmc_scenario_lacks_hand(s)) {
        fail(p, &token, NULL, "this scenario has no hand");
        return NULL;
    }
    if (found) {
        gmc_token_next(&p->lexer);
        return found;
    }
    snprintf(message, sizeof message, "nothing is called %s", text);
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    fail(p, &token, nearest.best ? hint : "object, hand, or a name of the scene", message);
    return NULL;
}

static gmc_exponents exponents_of_unit(const char *unit)
{
    char text[32];
    gmc_quantity quantity;
    const char *end = NULL;
    if (strcmp(unit, "1") == 0) return (gmc_exponents){0, 0, 0, 0};
    snprintf(text, sizeof text, "1 %.20s", unit);
    (void)(gmc_units_read(text, &quantity, &end) == GMC_UNITS_OK);
    return quantity.exponents;
}

static gmc_expression *unknown_measure(parser *p, const gmc_token *token)
{
    char text[64], message[128], hint[300] = "measures:";
    gmc_token_text(token, text, sizeof text);
    gmc_nearest nearest = gmc_nearest_start(text);
    size_t used = strlen(hint);
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        gmc_nearest_offer(&nearest, gmc_measure_infos[i].name);
        if (used < sizeof hint - 32)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "",
                                     gmc_measure_infos[i].name);
    }
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    snprintf(message, sizeof message, "unknown measure %s", text);
    return fail(p, token, hint, message);
}

static gmc_expression *parse_measure(parser *p)
{
    gmc_token token = p->lexer.token;
    int kind = 0;
    while (kind < GMC_MEASURE_KIND_COUNT && !is_same(&token, gmc_measure_infos[kind].name))
        kind++;
    if (kind == GMC_MEASURE_KIND_COUNT) return unknown_measure(p, &token);
    const gmc_measure_info *info = &gmc_measure_infos[kind];
    gmc_expression *e = make(p, GMC_OP_MEASURE, &token);
    if (!e) return NULL;
    e->measure = (gmc_measure_kind)kind;
    e->exponents = exponents_of_unit(info->unit);

    gmc_token_next(&p->lexer);
    if (!gmc_token_expect(&p->lexer, "(")) return NULL;
    for (int i = 0; i < info->argument_count; i++) {
        char hint[120];
        snprintf(hint, sizeof hint, "%s needs %s", info->name,
                 info->argument_count == 1 ? "one body" : "two bodies: (a, b)");
        if (i > 0 && !gmc_token_is(&p->lexer, ","))
            return fail(p, &p->lexer.token, hint, "too few bodies");
        if (i > 0) gmc_token_next(&p->lexer);
        e->arguments[i] = parse_body(p);
        if (!e->arguments[i]) return NULL;
    }
    if (gmc_token_is(&p->lexer, ",")) return fail(p, &p->lexer.token, NULL, "too many bodies");
    return gmc_token_expect(&p->lexer, ")") ? e : NULL;
}

static gmc_expression *parse_leaf(parser *p)
{
    gmc_token token = p->lexer.token;
    if (token.type == GMC_TOKEN_NUMBER) {
        gmc_expression *e = make(p, GMC_OP_NUMBER, &token);
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
    if (token.type == GMC_TOKEN_NAME) return parse_measure(p);
    char text[64], message[128];
    gmc_token_text(&token, text, sizeof text);
    snprintf(message, sizeof message, "expected a measure or a number, found %s", text);
    return fail(p, &token, NULL, message);
}

// ---- precedence, from tight to loose ----------------------------------------------------------

static gmc_expression *parse_unary(parser *p)
{
    gmc_token token = p->lexer.token;
    if (++p->depth > NESTING_MAX) return fail(p, &token, NULL, "nested too deeply");
    gmc_expression *e = NULL;
    if (gmc_token_take(&p->lexer, "-")) {
        gmc_expression *operand = parse_unary(p);
        if (operand && operand->is_logical) operand = fail(p, &token, NULL, "a claim has no sign");
        if (operand) e = make(p, GMC_OP_NEGATE, &token);
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

static gmc_expression *parse_product(parser *p)
{
    gmc_expression *e = parse_unary(p);
    while (e && (gmc_token_is(&p->lexer, "*") || gmc_token_is(&p->lexer, "/"))) {
        gmc_token token = p->lexer.token;
        int sign = *token.start == '*' ? 1 : -1;
        gmc_token_next(&p->lexer);
        gmc_expression *a = e, *b = parse_unary(p);
        e = join(p, sign > 0 ? GMC_OP_MULTIPLY : GMC_OP_DIVIDE, &token, a, b);
        if (!e) return NULL;
        if (a->is_logical || b->is_logical) return fail(p, &token, NULL, "a claim is no number");
        e->is_free = a->is_free && b->is_free;
        e->exponents.m = a->exponents.m + sign * b->exponents.m;
        e->exponents.kg = a->exponents.kg + sign * b->exponents.kg;
        e->exponents.s = a->exponents.s + sign * b->exponents.s;
        e->exponents.rad = a->exponents.rad + sign * b->exponents.rad;
    }
    return e;
}

static gmc_expression *parse_sum(parser *p)
{
    gmc_expression *e = parse_product(p);
    while (e && (gmc_token_is(&p->lexer, "+") || gmc_token_is(&p->lexer, "-"))) {
        gmc_token token = p->lexer.token;
        gmc_token_next(&p->lexer);
        gmc_expression *a = e, *b = parse_product(p);
        e = join(p, *token.start == '+' ? GMC_OP_ADD : GMC_OP_SUBTRACT, &token, a, b);
        if (!e || !agree(p, &token, a, b)) return NULL;
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

static gmc_expression *parse_comparison(parser *p)
{
    gmc_op op = GMC_OP_LESS;
    gmc_expression *a = parse_sum(p);
    if (!a || !comparison_at(&p->lexer, &op)) {
        if (a && (gmc_token_is(&p->lexer, "==") || gmc_token_is(&p->lexer, "!=")))
            return fail(p, &p->lexer.token,
                        "use <= or >=", "measured numbers are never exactly equal");
        return a;
    }
    gmc_token token = p->lexer.token;
    gmc_token_next(&p->lexer);
    gmc_expression *b = parse_sum(p);
    gmc_expression *e = join(p, op, &token, a, b);
    if (!e || !agree(p, &token, a, b)) return NULL;
    e->is_logical = true;
    if (comparison_at(&p->lexer, &op))
        return fail(p, &p->lexer.token, "write a < b and b < c", "comparisons cannot be chained");
    return e;
}

static gmc_expression *parse_not(parser *p)
{
    gmc_token token = p->lexer.token;
    if (!gmc_token_is(&p->lexer, "not")) return parse_comparison(p);
    if (++p->depth > NESTING_MAX) return fail(p, &token, NULL, "nested too deeply");
    gmc_token_next(&p->lexer);
    gmc_expression *operand = claim(p, &token, parse_not(p));
    p->depth--;
    gmc_expression *e = operand ? make(p, GMC_OP_NOT, &token) : NULL;
    if (!e) return NULL;
    e->left = operand;
    e->is_logical = true;
    e->stack = operand->stack;
    return e;
}

static gmc_expression *parse_joined(parser *p, const char *word, gmc_op op,
                                    gmc_expression *(*operand)(parser *))
{
    gmc_token first = p->lexer.token;
    gmc_expression *e = operand(p);
    while (e && gmc_token_is(&p->lexer, word)) {
        gmc_token token = p->lexer.token;
        gmc_token_next(&p->lexer);
        gmc_token second = p->lexer.token;
        gmc_expression *a = claim(p, &first, e);
        gmc_expression *b = a ? claim(p, &second, operand(p)) : NULL;
        e = join(p, op, &token, a, b);
        if (e) e->is_logical = true;
    }
    return e;
}

static gmc_expression *parse_and(parser *p)
{
    return parse_joined(p, "and", GMC_OP_AND, parse_not);
}

static gmc_expression *parse_or(parser *p) { return parse_joined(p, "or", GMC_OP_OR, parse_and); }

gmc_status gmc_expression_parse(const gmc_node *node, gmc_scenario *scenario,
                                gmc_diagnostics *report, const gmc_expression **root)
{
    *root = NULL;
    parser p = {.lexer = gmc_token_start(node, report), .scenario = scenario};
    if (p.lexer.has_failed) return GMC_E_INPUT;
    gmc_token first = p.lexer.token;
    gmc_expression *e = parse_or(&p);
    if (e && p.lexer.token.type != GMC_TOKEN_END && !p.lexer.has_failed) {
        char text[64], message[128];
        gmc_token_text(&p.lexer.token, text, sizeof text);
        snprintf(message, sizeof message, "expected the end of the criterion, found %s", text);
        e = fail(&p, &p.lexer.token, NULL, message);
    }
    e = claim(&p, &first, e);
    if (p.is_arena_full) return GMC_E_ARENA_FULL;
    if (!e || p.lexer.has_failed) return GMC_E_INPUT;
    *root = e;
    return GMC_OK;
}
