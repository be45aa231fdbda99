// Recursive descent, one function a precedence level; dimensions are settled as nodes are joined,
// so that a mistake is reported at the operator that made it.
#include "sampling/language/expression.h"

#include "engine/math/elementary.h"
#include "sampling/language/nearest.h"
#include "sampling/language/token.h"

#include <stdio.h>
#include <string.h>

// Brackets, nots and signs inside each other; names, numbers and operators of one expression, whose
// tree of operators in a row is as deep as it has of them.
enum { NESTING_MAX = 32, NODES_MAX = 10000 };

typedef struct expression_parser {
    gmc_lexer lexer;
    const gmc_expression_bodies *bodies; // of a criterion; NULL: a formula
    const gmc_expression_names *names;   // of a formula; NULL: a criterion
    gmc_arena *arena;
    int depth, count; // brackets that are open; nodes made
    bool is_arena_full;
} expression_parser;

// A number made of terms: what stands in brackets is one again.
static gmc_expression *parse_sum(expression_parser *p);

// NULL, and the mistake is reported.
static gmc_expression *fail_at(expression_parser *p, const gmc_token *token, const char *hint,
                               const char *message)
{
    gmc_token_complain(&p->lexer, token, hint, message);
    return NULL;
}

// A node of the tree; NULL: the arena is full.
static gmc_expression *make_node(expression_parser *p, gmc_op op, const gmc_token *token)
{
    if (p->lexer.has_failed) return NULL;
    if (++p->count > NODES_MAX) {
        char message[80];
        snprintf(message, sizeof message, "more than %d names, numbers and operators", NODES_MAX);
        return fail_at(p, token, "split it, or compute it elsewhere", message);
    }
    gmc_expression *e = GMC_NEW(p->arena, 1, gmc_expression);
    if (!e) {
        p->is_arena_full = p->lexer.has_failed = true;
        return NULL;
    }
    e->op = op;
    e->stack = 1;
    e->source = gmc_token_place(&p->lexer, token);
    return e;
}

// A node above two others; its dimension is the caller's to say.
static gmc_expression *join_nodes(expression_parser *p, gmc_op op, const gmc_token *token,
                                  gmc_expression *a, gmc_expression *b)
{
    if (!a || !b) return NULL;
    gmc_expression *e = make_node(p, op, token);
    if (!e) return NULL;
    e->left = a;
    e->right = b;
    e->stack = a->stack > b->stack + 1 ? a->stack : b->stack + 1;
    if (e->stack > GMC_CRITERION_DEPTH) return fail_at(p, token, NULL, "nested too deeply");
    return e;
}

// Both sides of a sum or comparison must measure the same; a free number takes the other's
// dimension.
static bool must_agree(expression_parser *p, const gmc_token *token, gmc_expression *a,
                       gmc_expression *b)
{
    if (a->is_logical || b->is_logical) {
        fail_at(p, token, "join conditions with and, or, not",
                "a condition (true or false) cannot be compared or added");
        return false;
    }
    if (a->is_free && !b->is_free) a->exponents = b->exponents;
    if (b->is_free && !a->is_free) b->exponents = a->exponents;
    if (gmc_units_equal(a->exponents, b->exponents)) return true;
    char left[GMC_UNITS_TEXT], right[GMC_UNITS_TEXT], message[256];
    gmc_units_spell(a->exponents, left);
    gmc_units_spell(b->exponents, right);
    snprintf(message, sizeof message, "the left side is in %s, the right side in %s", left, right);
    fail_at(p, token, NULL, message);
    return false;
}

// ---- leaves of criteria -----------------------------------------------------------------------

// Measures and the bodies they look at, as leaves of a criterion.

// Name of a body in the language, or NULL (reported).
static const char *parse_body(expression_parser *p)
{
    const gmc_expression_bodies *bodies = p->bodies;
    gmc_token token = p->lexer.token;
    char text[64], message[160], hint[160];
    gmc_token_text(&token, text, sizeof text);
    if (token.type != GMC_TOKEN_NAME) {
        snprintf(message, sizeof message, "expected the name of a body, found %s", text);
        fail_at(p, &token, "object, hand, or a name of the scene", message);
        return NULL;
    }
    gmc_nearest nearest = gmc_nearest_start(text);
    const char *found = NULL;
    const char *always[] = {"object", "hand"};
    for (int i = 0; i < 2 + bodies->scene_count; i++) {
        const char *name = i < 2 ? always[i] : bodies->scene[i - 2];
        if (gmc_token_is_name(&token, name)) found = name;
        gmc_nearest_offer(&nearest, name);
    }
    for (int i = 0; i < bodies->object_count && !found; i++)
        if (gmc_token_is_name(&token, bodies->objects[i])) {
            if (bodies->object_count > 1) {
                fail_at(p, &token, "write  object: the one that is grasped in the case",
                        "one of several objects cannot be named here");
                return NULL;
            }
            found = "object";
        }
    if (found && strcmp(found, "hand") == 0 && bodies->lacks_hand) {
        fail_at(p, &token, NULL, "this scenario has no hand");
        return NULL;
    }
    if (found) {
        gmc_token_next(&p->lexer);
        return found;
    }
    snprintf(message, sizeof message, "nothing is called %s", text);
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    fail_at(p, &token, nearest.best ? hint : "object, hand, or a name of the scene", message);
    return NULL;
}

static bool is_column(const char *name)
{
    static const char *const PAIRS[] = {"friction_needed", "slipped"};
    for (int i = 0; i < GMC_COUNT(PAIRS); i++)
        if (strcmp(name, PAIRS[i]) == 0) return true;
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        if (strcmp(name, gmc_fixed_columns[i].name) == 0) return true;
    return false;
}

// How what is no measure may be said; NULL: it is none of these.
static const char *way_of(const char *name)
{
    static const char *const FUNCTIONS[] = {"abs", "sqrt", "sin", "cos", "tan", "norm"};
    if (strcmp(name, "max") == 0 || strcmp(name, "min") == 0)
        return "what must hold all the time stands under  always  without it";
    for (int i = 0; i < GMC_COUNT(FUNCTIONS); i++)
        if (strcmp(name, FUNCTIONS[i]) == 0)
            return "functions belong to formulas; a band is  a >= -1 mm and a <= 1 mm";
    if (is_column(name))
        return "a column of results: stored trials are judged by it, show RESULT.h5 --success";
    if (strncmp(name, "object.", 7) == 0 || strncmp(name, "hand.", 5) == 0)
        return "criteria speak of what is measured: distance(object, [x, y, z]), height(object)";
    return NULL;
}

static gmc_expression *unknown_measure(expression_parser *p, const gmc_token *token)
{
    char text[64], message[128], hint[300] = "measures:";
    gmc_token_text(token, text, sizeof text);
    gmc_nearest nearest = gmc_nearest_start(text);
    size_t used = strlen(hint);
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        gmc_nearest_offer(&nearest, gmc_measure_infos[i].name);
        if (used < sizeof hint - 32 && i != GMC_MEASURE_PLACE) // that is a distance, too
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "",
                                     gmc_measure_infos[i].name);
    }
    const char *way = way_of(text);
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    snprintf(message, sizeof message, "unknown measure %s", text);
    return fail_at(p, token, way ? way : hint, message);
}

// What was written from `start` to before the current token, with one blank where there were some.
static const char *text_from(expression_parser *p, const char *start)
{
    const char *end = p->lexer.token.start;
    while (end > start && strchr(" \t\r\n", end[-1]))
        end--;
    char *text = gmc_arena_take(p->arena, (size_t)(end - start) + 1, 1), *to = text;
    if (!text) {
        p->is_arena_full = p->lexer.has_failed = true;
        return NULL;
    }
    for (const char *from = start; from < end; from++) {
        bool is_blank = strchr(" \t\r\n", *from) != NULL;
        if (!is_blank) *to++ = *from;
        if (is_blank && to[-1] != ' ') *to++ = ' ';
    }
    return text;
}

static bool parse_length(expression_parser *p, double *x)
{
    bool is_negative = gmc_token_take(&p->lexer, "-");
    gmc_token token = p->lexer.token;
    if (token.type != GMC_TOKEN_NUMBER) {
        fail_at(p, &token, "for example [300 mm, 0 mm, 25 mm]", "expected a length");
        return false;
    }
    if (token.quantity.has_unit &&
        !gmc_units_equal(token.quantity.exponents, gmc_units_exponents(GMC_DIM_LENGTH))) {
        fail_at(p, &token, NULL, "the coordinates of a place must be lengths");
        return false;
    }
    *x = is_negative ? -token.quantity.value : token.quantity.value;
    gmc_token_next(&p->lexer);
    return true;
}

// [x, y, z]; in planar worlds [x, y].
static bool parse_place(expression_parser *p, gmc_vec3 *place)
{
    bool is_flat = p->bodies->is_planar;
    double x[3] = {0, 0, 0};
    gmc_token token = p->lexer.token;
    if (!gmc_token_take(&p->lexer, "[")) {
        fail_at(p, &token, is_flat ? "[x, y]" : "[x, y, z]", "expected a place");
        return false;
    }
    for (int i = 0; i < (is_flat ? 2 : 3); i++) {
        if (i > 0 && !gmc_token_take(&p->lexer, ",")) {
            fail_at(p, &p->lexer.token, is_flat ? "[x, y]" : "[x, y, z]",
                    "too few numbers for a place");
            return false;
        }
        if (!parse_length(p, &x[i])) return false;
    }
    *place = (gmc_vec3){x[0], x[1], x[2]};
    return gmc_token_expect(&p->lexer, "]");
}

static bool parse_axis(expression_parser *p, gmc_vec3 *axis)
{
    static const char *const NAMES[] = {"x", "y", "z"};
    gmc_token token = p->lexer.token;
    double sign = gmc_token_take(&p->lexer, "-") ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (gmc_token_take(&p->lexer, NAMES[i])) {
            *axis = (gmc_vec3){i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0};
            return true;
        }
    char text[64], message[128];
    if (sign < 0) token = p->lexer.token;
    gmc_token_text(&token, text, sizeof text);
    snprintf(message, sizeof message, "expected an axis, found %s", text);
    fail_at(p, &token, "x, y, z, -x, -y or -z", message);
    return false;
}

static bool parse_phase(expression_parser *p, int *since)
{
    const gmc_expression_bodies *bodies = p->bodies;
    gmc_token token = p->lexer.token;
    char text[64], message[160], hint[160];
    gmc_token_text(&token, text, sizeof text);
    gmc_nearest nearest = gmc_nearest_start(text);
    for (int i = 0; i < bodies->phase_count; i++) {
        gmc_nearest_offer(&nearest, bodies->phases[i]);
        if (!gmc_token_is_name(&token, bodies->phases[i])) continue;
        *since = i + 1;
        gmc_token_next(&p->lexer);
        return true;
    }
    snprintf(message, sizeof message, "no phase is called %s", text);
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    fail_at(p, &token, nearest.best ? hint : "the kind of a phase, or its `name`", message);
    return false;
}

// The i-th argument of a measure into its expression.
static bool parse_argument(expression_parser *p, gmc_measure_takes takes, int i, gmc_expression *e)
{
    const char *start = p->lexer.token.start;
    bool is_fine = true;
    switch (takes) {
    case GMC_TAKES_BODY:
    case GMC_TAKES_FRAME: {
        const char **body = &e->bodies[e->bodies[0] != NULL];
        *body = e->arguments[i] = parse_body(p);
        return *body != NULL;
    }
    case GMC_TAKES_PLACE:
        is_fine = parse_place(p, &e->in_b);
        break;
    case GMC_TAKES_AXIS: // the first is the body's own
        is_fine = parse_axis(p, i == 1 ? &e->of_a : &e->in_b);
        break;
    case GMC_TAKES_PHASE:
        is_fine = parse_phase(p, &e->since);
        break;
    case GMC_TAKES_NO_MORE:
        break;
    }
    if (is_fine) e->arguments[i] = text_from(p, start);
    return is_fine && e->arguments[i];
}

// Kinds of one name differ in their second argument: a place opens a bracket.
static int kind_of_place(const expression_parser *p, int kind)
{
    if (!gmc_token_is(&p->lexer, "[")) return kind;
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++)
        if (gmc_measure_infos[i].takes[1] == GMC_TAKES_PLACE &&
            strcmp(gmc_measure_infos[i].name, gmc_measure_infos[kind].name) == 0)
            return i;
    return kind;
}

// A measure whose brackets are missing, or hold too much.
static gmc_expression *fail_usage(expression_parser *p, const gmc_token *token, int kind,
                                  const char *message)
{
    char usage[GMC_MEASURE_USAGE_MAX], hint[GMC_MEASURE_USAGE_MAX + 16];
    gmc_measure_usage(&gmc_measure_infos[kind], "object", "hand", usage);
    snprintf(hint, sizeof hint, "write %s", usage);
    return fail_at(p, token, hint, message);
}

static bool parse_arguments(expression_parser *p, gmc_expression *e)
{
    for (int i = 0; i < GMC_MEASURE_ARGUMENTS; i++) {
        gmc_measure_takes takes = (gmc_measure_takes)gmc_measure_infos[e->measure].takes[i];
        bool is_over = gmc_token_is(&p->lexer, ")");
        if (takes == GMC_TAKES_NO_MORE || (is_over && takes == GMC_TAKES_FRAME)) break;
        if (i > 0 && !gmc_token_is(&p->lexer, ",")) {
            fail_usage(p, &p->lexer.token, (int)e->measure,
                       takes == GMC_TAKES_BODY ? "too few bodies" : "too few arguments");
            return false;
        }
        if (i > 0) gmc_token_next(&p->lexer);
        if (i == 1) e->measure = (gmc_measure_kind)kind_of_place(p, (int)e->measure);
        takes = (gmc_measure_takes)gmc_measure_infos[e->measure].takes[i];
        if (!parse_argument(p, takes, i, e)) return false;
    }
    return true;
}

static gmc_expression *parse_measure(expression_parser *p)
{
    gmc_token token = p->lexer.token;
    int kind = 0;
    while (kind < GMC_MEASURE_KIND_COUNT &&
           !gmc_token_is_name(&token, gmc_measure_infos[kind].name))
        kind++;
    if (kind == GMC_MEASURE_KIND_COUNT) return unknown_measure(p, &token);
    const gmc_measure_info *info = &gmc_measure_infos[kind];
    gmc_expression *e = make_node(p, GMC_OP_MEASURE, &token);
    if (!e) return NULL;
    e->measure = (gmc_measure_kind)kind;
    e->exponents = gmc_units_of(info->unit);
    e->is_count = info->is_count;

    gmc_token_next(&p->lexer);
    if (!gmc_token_take(&p->lexer, "(")) {
        char message[96];
        snprintf(message, sizeof message, "%s of what?", info->name);
        return fail_usage(p, &token, kind, message);
    }
    if (!parse_arguments(p, e)) return NULL;
    if (gmc_token_is(&p->lexer, ","))
        return fail_usage(p, &p->lexer.token, (int)e->measure, "too many bodies");
    return gmc_token_expect(&p->lexer, ")") ? e : NULL;
}

// ---- leaves of formulas -----------------------------------------------------------------------

// Parameters (or columns of a result) and functions, as leaves of a formula.

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

static bool settle(expression_parser *p, const gmc_token *token, kind of, gmc_expression *e)
{
    const gmc_exponents x = e->exponents, none = {0, 0, 0, 0}, angle = {0, 0, 0, 1};
    switch (of) {
    case ANGLE:
        if (!gmc_units_equal(x, none) && !gmc_units_equal(x, angle)) {
            fail_at(p, token, "for example sin(ramp.angle)", "expected an angle");
            return false;
        }
        e->exponents = none;
        e->is_free = false;
        return true;
    case ROOT:
        if (x.m % 2 || x.kg % 2 || x.s % 2 || x.rad % 2) {
            fail_at(p, token, NULL, "sqrt: the unit of its argument has no square root");
            return false;
        }
        e->exponents = (gmc_exponents){x.m / 2, x.kg / 2, x.s / 2, x.rad / 2};
        return true;
    case SAME:
        break;
    }
    return true;
}

static gmc_expression *parse_function(expression_parser *p, const gmc_token *name, int index)
{
    gmc_expression *a = NULL, *b = NULL, *e = NULL;
    if (!gmc_token_expect(&p->lexer, "(")) return NULL;
    if (!(a = parse_sum(p))) return NULL;
    if (FUNCTIONS[index].operands == 2) {
        if (!gmc_token_expect(&p->lexer, ",") || !(b = parse_sum(p))) return NULL;
        e = join_nodes(p, FUNCTIONS[index].op, name, a, b);
        if (!e || !must_agree(p, name, a, b)) return NULL;
        e->is_free = a->is_free && b->is_free;
    } else {
        if (!(e = make_node(p, FUNCTIONS[index].op, name))) return NULL;
        e->left = a;
        e->stack = a->stack;
        e->is_free = a->is_free;
    }
    e->exponents = a->exponents;
    if (!settle(p, name, FUNCTIONS[index].of, e)) return NULL;
    return gmc_token_expect(&p->lexer, ")") ? e : NULL;
}

static gmc_expression *fail_name(expression_parser *p, const gmc_token *token, const char *name,
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
        return fail_at(p, token, "break the circle with a number", message);
    }
    snprintf(message, sizeof message, "unknown %.20s %.100s", p->names->noun, name);
    snprintf(hint, sizeof hint, "did you mean %.150s?", nearest ? nearest : "");
    return fail_at(p, token, nearest ? hint : p->names->where, message);
}

static gmc_expression *make_leaf(expression_parser *p, const gmc_token *token, int index,
                                 gmc_exponents exponents)
{
    gmc_expression *e = make_node(p, GMC_OP_MEASURE, token);
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

static gmc_expression *parse_name(expression_parser *p)
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
            return fail_at(p, &token,
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
    int count = gmc_expression_size(root);
    gmc_criterion_node *nodes = GMC_NEW(arena, count, gmc_criterion_node);
    if (!nodes) return GMC_E_ARENA_FULL;
    emit(root, nodes);
    *compiled = (gmc_compiled_criterion){.nodes = nodes, .node_count = count};
    return GMC_OK;
}

// ---- precedence -------------------------------------------------------------------------------

static gmc_expression *parse_or(expression_parser *p);

// ---- joining nodes ----------------------------------------------------------------------------

static bool is_pure(gmc_exponents e) { return e.m == 0 && e.kg == 0 && e.s == 0 && e.rad == 0; }

// A claim: a comparison, or a pure number that is above 0.
static gmc_expression *claim(expression_parser *p, const gmc_token *token, gmc_expression *e)
{
    if (!e || e->is_logical) return e;
    if (!is_pure(e->exponents) || e->is_free)
        return fail_at(p, token, p->names ? p->names->example : "for example lift(object) >= 80 mm",
                       "expected a condition, which is true or false");
    gmc_expression *zero = make_node(p, GMC_OP_NUMBER, token);
    gmc_expression *above = join_nodes(p, GMC_OP_GREATER, token, e, zero);
    if (above) above->is_logical = true;
    return above;
}

// ---- leaves -----------------------------------------------------------------------------------

static gmc_expression *parse_leaf(expression_parser *p)
{
    gmc_token token = p->lexer.token;
    if (token.type == GMC_TOKEN_NUMBER) {
        gmc_expression *e = make_node(p, GMC_OP_NUMBER, &token);
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
    if (token.type == GMC_TOKEN_NAME) return p->names ? parse_name(p) : parse_measure(p);
    char text[64], message[128];
    gmc_token_text(&token, text, sizeof text);
    snprintf(message, sizeof message, "expected a %s or a number, found %s",
             p->names ? p->names->noun : "measure", text);
    bool is_power =
        gmc_token_is(&p->lexer, "*") && token.start > p->lexer.node->text && token.start[-1] == '*';
    return fail_at(p, &token, is_power ? "write the product: a * a" : NULL, message);
}

// ---- precedence, from tight to loose ----------------------------------------------------------

static gmc_expression *parse_unary(expression_parser *p)
{
    gmc_token token = p->lexer.token;
    if (++p->depth > NESTING_MAX) return fail_at(p, &token, NULL, "nested too deeply");
    gmc_expression *e = NULL;
    if (gmc_token_take(&p->lexer, "-")) {
        gmc_expression *operand = parse_unary(p);
        if (operand && operand->is_logical)
            operand = fail_at(p, &token, NULL, "a condition (true or false) has no sign");
        if (operand) e = make_node(p, GMC_OP_NEGATE, &token);
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

static gmc_expression *parse_product(expression_parser *p)
{
    gmc_expression *e = parse_unary(p);
    while (e && (gmc_token_is(&p->lexer, "*") || gmc_token_is(&p->lexer, "/"))) {
        gmc_token token = p->lexer.token;
        int sign = *token.start == '*' ? 1 : -1;
        gmc_token_next(&p->lexer);
        gmc_expression *a = e, *b = parse_unary(p);
        e = join_nodes(p, sign > 0 ? GMC_OP_MULTIPLY : GMC_OP_DIVIDE, &token, a, b);
        if (!e) return NULL;
        if (a->is_logical || b->is_logical)
            return fail_at(p, &token, NULL, "a condition (true or false) is not a number");
        e->is_free = a->is_free && b->is_free;
        e->exponents.m = a->exponents.m + sign * b->exponents.m;
        e->exponents.kg = a->exponents.kg + sign * b->exponents.kg;
        e->exponents.s = a->exponents.s + sign * b->exponents.s;
        e->exponents.rad = a->exponents.rad + sign * b->exponents.rad;
    }
    return e;
}

static gmc_expression *parse_sum(expression_parser *p)
{
    gmc_expression *e = parse_product(p);
    while (e && (gmc_token_is(&p->lexer, "+") || gmc_token_is(&p->lexer, "-"))) {
        gmc_token token = p->lexer.token;
        gmc_token_next(&p->lexer);
        gmc_expression *a = e, *b = parse_product(p);
        e = join_nodes(p, *token.start == '+' ? GMC_OP_ADD : GMC_OP_SUBTRACT, &token, a, b);
        if (!e || !must_agree(p, &token, a, b)) return NULL;
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
static gmc_expression *parse_word(expression_parser *p, const gmc_expression *of)
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
        return fail_at(p, &token, hint, message);
    }
    gmc_expression *e = make_node(p, GMC_OP_NUMBER, &token);
    if (e) e->number = code;
    gmc_token_jump(&p->lexer, token.start + token.length + is_quoted);
    return e;
}

// Two that are counted are equal if neither is above the other.
static gmc_expression *parse_equality(expression_parser *p, gmc_expression *a)
{
    gmc_token token = p->lexer.token;
    if (token.start[0] == '=' && (token.start[1] == '>' || token.start[1] == '<'))
        return fail_at(p, &token, token.start[1] == '>' ? "write >=" : "write <=",
                       "there is no such comparison");
    bool is_not = gmc_token_is(&p->lexer, "!=");
    gmc_token_next(&p->lexer);
    gmc_expression *b = a->is_word ? parse_word(p, a) : parse_sum(p);
    if (!b) return NULL;
    bool is_whole = a->is_word || (a->is_count && (b->is_count || b->op == GMC_OP_NUMBER)) ||
                    (b->is_count && a->op == GMC_OP_NUMBER);
    if (!is_whole)
        return fail_at(p, &token, "use <= or >=", "measured numbers are never exactly equal");
    if (!must_agree(p, &token, a, b)) return NULL;
    gmc_expression *least = join_nodes(p, GMC_OP_GREATER_EQUAL, &token, a, b);
    gmc_expression *most = join_nodes(p, GMC_OP_LESS_EQUAL, &token, a, b);
    gmc_expression *e = join_nodes(p, GMC_OP_AND, &token, least, most);
    if (!e) return NULL;
    least->is_logical = most->is_logical = e->is_logical = true;
    if (!is_not) return e;
    gmc_expression *other = make_node(p, GMC_OP_NOT, &token);
    if (!other) return NULL;
    other->left = e;
    other->is_logical = true;
    other->stack = e->stack;
    return other;
}

// Degrees are meant more often than written.
static void warn_of_radians(expression_parser *p, const gmc_expression *number,
                            const gmc_expression *of)
{
    const gmc_exponents angle = {0, 0, 0, 1};
    bool is_bare = number->is_free && number->op == GMC_OP_NUMBER && number->number != 0;
    if (!is_bare || of->is_free || !gmc_units_equal(of->exponents, angle)) return;
    char hint[80];
    snprintf(hint, sizeof hint, "write %.6g rad, or %.6g deg", number->number, number->number);
    gmc_diagnostics_add(p->lexer.report, GMC_OK, number->source, hint,
                        "an angle without a unit is in radians: %.6g rad are %.4g deg",
                        number->number, number->number * 180 / GMC_PI);
}

static gmc_expression *parse_comparison(expression_parser *p)
{
    gmc_op op = GMC_OP_LESS;
    gmc_expression *a = parse_sum(p);
    if (a && equality_at(&p->lexer)) return parse_equality(p, a);
    if (a && a->is_word)
        return fail_at(p, &p->lexer.token,
                       "compare it with = or !=", "this is a word, not a number");
    if (!a || !comparison_at(&p->lexer, &op)) return a;
    gmc_token token = p->lexer.token;
    gmc_token_next(&p->lexer);
    gmc_expression *b = parse_sum(p);
    gmc_expression *e = join_nodes(p, op, &token, a, b);
    if (!e || !must_agree(p, &token, a, b)) return NULL;
    warn_of_radians(p, a, b);
    warn_of_radians(p, b, a);
    e->is_logical = true;
    if (comparison_at(&p->lexer, &op))
        return fail_at(p, &p->lexer.token, "write a < b and b < c",
                       "comparisons cannot be chained");
    return e;
}

static gmc_expression *parse_not(expression_parser *p)
{
    gmc_token token = p->lexer.token;
    if (!gmc_token_is(&p->lexer, "not")) return parse_comparison(p);
    if (++p->depth > NESTING_MAX) return fail_at(p, &token, NULL, "nested too deeply");
    gmc_token_next(&p->lexer);
    gmc_expression *operand = claim(p, &token, parse_not(p));
    p->depth--;
    gmc_expression *e = operand ? make_node(p, GMC_OP_NOT, &token) : NULL;
    if (!e) return NULL;
    e->left = operand;
    e->is_logical = true;
    e->stack = operand->stack;
    return e;
}

static gmc_expression *parse_joined(expression_parser *p, const char *word, gmc_op op,
                                    gmc_expression *(*operand)(expression_parser *))
{
    gmc_token first = p->lexer.token;
    gmc_expression *e = operand(p);
    while (e && gmc_token_is(&p->lexer, word)) {
        gmc_token token = p->lexer.token;
        gmc_token_next(&p->lexer);
        gmc_token second = p->lexer.token;
        gmc_expression *a = claim(p, &first, e);
        gmc_expression *b = a ? claim(p, &second, operand(p)) : NULL;
        e = join_nodes(p, op, &token, a, b);
        if (e) e->is_logical = true;
    }
    return e;
}

static gmc_expression *parse_and(expression_parser *p)
{
    return parse_joined(p, "and", GMC_OP_AND, parse_not);
}

static gmc_expression *parse_or(expression_parser *p)
{
    return parse_joined(p, "or", GMC_OP_OR, parse_and);
}

// The text must end here.
static gmc_expression *close_text(expression_parser *p, gmc_expression *e, const char *what)
{
    if (!e || p->lexer.token.type == GMC_TOKEN_END || p->lexer.has_failed) return e;
    char text[64], message[128];
    gmc_token_text(&p->lexer.token, text, sizeof text);
    snprintf(message, sizeof message, "expected the end of the %s, found %s", what, text);
    static const struct {
        const char *found, *hint;
    } MENDS[] = {{"&", "conditions are joined with  and"},
                 {"AND", "conditions are joined with  and"},
                 {"|", "conditions are joined with  or"},
                 {"OR", "conditions are joined with  or"},
                 {";", "each condition is an item of the list, or joined with  and"},
                 {",", "each condition is an item of the list, or joined with  and"},
                 {"^", "write the product: a * a"},
                 {"\xe2\x89\xa5", "write >="},
                 {"\xe2\x89\xa4", "write <="}};
    const char *hint = NULL;
    for (int i = 0; i < GMC_COUNT(MENDS); i++)
        if (strcmp(text, MENDS[i].found) == 0) hint = MENDS[i].hint;
    return fail_at(p, &p->lexer.token, hint, message);
}

// After a mistake the claims that are joined behind it are looked through for others.
static void look_further(expression_parser *p)
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

static gmc_status result_of(const expression_parser *p, const gmc_expression *e,
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
    expression_parser p = {
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
    expression_parser p = {.lexer = gmc_token_start(node, report), .names = names, .arena = arena};
    if (p.lexer.has_failed) return GMC_E_INPUT;
    gmc_token first = p.lexer.token;
    gmc_expression *e = is_claim ? parse_or(&p) : parse_sum(&p);
    e = close_text(&p, e, is_claim ? "condition" : "formula");
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
