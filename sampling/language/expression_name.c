// Parameters (or columns of a result) and functions, as leaves of a formula.
#include "sampling/language/expression_internal.h"

#include <stdio.h>
#include <string.h>

typedef enum kind {
    ANGLE, // of an angle or a pure number; a pure number
    SAME,  // keeps the dimension
    ROOT   // half the powers
} kind;

static const struct {
    const char *name;
    gmc_op op;
    kind of;
    int operands;
} FUNCTIONS[] = {{"sin", GMC_OP_SIN, ANGLE, 1}, {"cos", GMC_OP_COS, ANGLE, 1},
                 {"tan", GMC_OP_TAN, ANGLE, 1}, {"sqrt", GMC_OP_SQRT, ROOT, 1},
                 {"abs", GMC_OP_ABS, SAME, 1},  {"min", GMC_OP_MIN, SAME, 2},
                 {"max", GMC_OP_MAX, SAME, 2}};

static bool settle(gmc_expression_parser *p, const gmc_token *token, kind of, gmc_expression *e)
{
    const gmc_exponents x = e->exponents, none = {0, 0, 0, 0}, angle = {0, 0, 0, 1};
    switch (of) {
    case ANGLE:
        if (!gmc_units_equal(x, none) && !gmc_units_equal(x, angle)) {
            gmc_expression_fail(p, token, "for example sin(ramp.angle)", "expected an angle");
            return false;
        }
        e->exponents = none;
        e->is_free = false;
        return true;
    case ROOT:
        if (x.m % 2 || x.kg % 2 || x.s % 2 || x.rad % 2) {
            gmc_expression_fail(p, token, NULL, "the root of this has no unit");
            return false;
        }
        e->exponents = (gmc_exponents){x.m / 2, x.kg / 2, x.s / 2, x.rad / 2};
        return true;
    case SAME:
        break;
    }
    return true;
}

static gmc_expression *parse_function(gmc_expression_parser *p, const gmc_token *name, int index)
{
    gmc_expression *a = NULL, *b = NULL, *e = NULL;
    if (!gmc_token_expect(&p->lexer, "(")) return NULL;
    if (!(a = gmc_expression_sum(p))) return NULL;
    if (FUNCTIONS[index].operands == 2) {
        if (!gmc_token_expect(&p->lexer, ",") || !(b = gmc_expression_sum(p))) return NULL;
        e = gmc_expression_join(p, FUNCTIONS[index].op, name, a, b);
        if (!e || !gmc_expression_agree(p, name, a, b)) return NULL;
        e->is_free = a->is_free && b->is_free;
    } else {
        if (!(e = gmc_expression_make(p, FUNCTIONS[index].op, name))) return NULL;
        e->left = a;
        e->stack = a->stack;
        e->is_free = a->is_free;
    }
    e->exponents = a->exponents;
    if (!settle(p, name, FUNCTIONS[index].of, e)) return NULL;
    return gmc_token_expect(&p->lexer, ")") ? e : NULL;
}

static gmc_expression *fail_name(gmc_expression_parser *p, const gmc_token *token, const char *name,
                                 gmc_expression_found found)
{
    char message[160], hint[200];
    const char *nearest = p->names->nearest(p->names->context, name);
    if (found == GMC_EXPRESSION_BAD) {
        p->lexer.has_failed = true; // its own mistake was reported
        return NULL;
    }
    if (found == GMC_EXPRESSION_CIRCLE) {
        snprintf(message, sizeof message, "%.100s depends on itself", name);
        return gmc_expression_fail(p, token, "break the circle with a number", message);
    }
    snprintf(message, sizeof message, "unknown %.20s %.100s", p->names->noun, name);
    snprintf(hint, sizeof hint, "did you mean %.150s?", nearest ? nearest : "");
    return gmc_expression_fail(p, token, nearest ? hint : p->names->where, message);
}

static gmc_expression *make_leaf(gmc_expression_parser *p, const gmc_token *token, int index,
                                 gmc_exponents exponents)
{
    gmc_expression *e = gmc_expression_make(p, GMC_OP_MEASURE, token);
    if (!e) return NULL;
    e->parameter = index;
    e->exponents = exponents;
    return e;
}

// The name together with the bracket behind it, for a message: "slip(object, hand)".
static gmc_token with_bracket(const gmc_token *name)
{
    gmc_token token = *name;
    int depth = 0;
    for (const char *c = name->start + name->length; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        token.length = (size_t)(c + 1 - name->start);
        if (depth == 0 && *c == ')') break;
    }
    return token;
}

gmc_expression *gmc_expression_parse_name(gmc_expression_parser *p)
{
    const gmc_expression_names *names = p->names;
    gmc_token token = p->lexer.token;
    gmc_exponents exponents = {0, 0, 0, 0};
    int index = 0;
    size_t length =
        names->match ? names->match(names->context, token.start, &index, &exponents) : 0;
    if (length > 0) {
        token.length = length;
        gmc_token_jump(&p->lexer, token.start + length);
        gmc_expression *leaf = make_leaf(p, &token, index, exponents);
        gmc_expression_sort sort =
            names->sort ? names->sort(names->context, index) : GMC_EXPRESSION_MEASURED;
        if (leaf) leaf->is_count = sort == GMC_EXPRESSION_COUNTED;
        if (leaf) leaf->is_word = sort == GMC_EXPRESSION_WORDS;
        return leaf;
    }
    gmc_token_next(&p->lexer);
    if (gmc_token_is(&p->lexer, "(")) {
        for (int i = 0; i < GMC_COUNT(FUNCTIONS); i++)
            if (gmc_token_is_name(&token, FUNCTIONS[i].name)) return parse_function(p, &token, i);
        if (!names->match)
            return gmc_expression_fail(p, &token,
                                       "functions: sin, cos, tan, sqrt, abs, min, max; "
                                       "distributions stand under uncertain",
                                       "unknown function");
        token = with_bracket(&token);
    }
    char name[128];
    gmc_token_text(&token, name, sizeof name);
    gmc_expression_found found = names->match
                                     ? GMC_EXPRESSION_UNKNOWN
                                     : names->find(names->context, name, &index, &exponents);
    return found == GMC_EXPRESSION_FOUND ? make_leaf(p, &token, index, exponents)
                                         : fail_name(p, &token, name, found);
}

static int count_nodes(const gmc_expression *e)
{
    return e ? 1 + count_nodes(e->left) + count_nodes(e->right) : 0;
}

static gmc_criterion_node *emit(const gmc_expression *e, gmc_criterion_node *node)
{
    if (e->left) node = emit(e->left, node);
    if (e->right) node = emit(e->right, node);
    *node = (gmc_criterion_node){.op = e->op, .number = e->number, .measure = e->parameter};
    return node + 1;
}

gmc_status gmc_expression_compile(const gmc_expression *root, gmc_arena *arena,
                                  gmc_compiled_criterion *compiled)
{
    int count = count_nodes(root);
    gmc_criterion_node *nodes = gmc_arena_take(arena, (size_t)count, sizeof *nodes);
    if (!nodes) return GMC_E_ARENA_FULL;
    emit(root, nodes);
    *compiled = (gmc_compiled_criterion){nodes, count};
    return GMC_OK;
}
