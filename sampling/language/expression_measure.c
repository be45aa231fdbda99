// Measures and the bodies they look at, as leaves of a criterion.
#include "sampling/language/expression_internal.h"
#include "sampling/language/nearest.h"

#include <stdio.h>
#include <string.h>

// Name of a body in the language, or NULL (reported).
static const char *parse_body(gmc_expression_parser *p)
{
    const gmc_expression_bodies *bodies = p->bodies;
    gmc_token token = p->lexer.token;
    char text[64], message[160], hint[160];
    gmc_token_text(&token, text, sizeof text);
    if (token.type != GMC_TOKEN_NAME) {
        snprintf(message, sizeof message, "expected the name of a body, found %s", text);
        gmc_expression_fail(p, &token, "object, hand, or a name of the scene", message);
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
                gmc_expression_fail(p, &token, "write object: it means the object of the case",
                                    "this is one object of several");
                return NULL;
            }
            found = "object";
        }
    if (found && strcmp(found, "hand") == 0 && bodies->lacks_hand) {
        gmc_expression_fail(p, &token, NULL, "this scenario has no hand");
        return NULL;
    }
    if (found) {
        gmc_token_next(&p->lexer);
        return found;
    }
    snprintf(message, sizeof message, "nothing is called %s", text);
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    gmc_expression_fail(p, &token, nearest.best ? hint : "object, hand, or a name of the scene",
                        message);
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

static gmc_expression *unknown_measure(gmc_expression_parser *p, const gmc_token *token)
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
    return gmc_expression_fail(p, token, way ? way : hint, message);
}

// What was written from `start` to before the current token, with one blank where there were some.
static const char *text_from(gmc_expression_parser *p, const char *start)
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

static bool parse_length(gmc_expression_parser *p, double *x)
{
    bool is_negative = gmc_token_take(&p->lexer, "-");
    gmc_token token = p->lexer.token;
    if (token.type != GMC_TOKEN_NUMBER) {
        gmc_expression_fail(p, &token, "for example [300 mm, 0 mm, 25 mm]", "expected a length");
        return false;
    }
    if (token.quantity.has_unit &&
        !gmc_units_equal(token.quantity.exponents, gmc_units_exponents(GMC_DIM_LENGTH))) {
        gmc_expression_fail(p, &token, NULL, "a place is made of lengths");
        return false;
    }
    *x = is_negative ? -token.quantity.value : token.quantity.value;
    gmc_token_next(&p->lexer);
    return true;
}

// [x, y, z]; in planar worlds [x, y].
static bool parse_place(gmc_expression_parser *p, gmc_vec3 *place)
{
    bool is_flat = p->bodies->is_planar;
    double x[3] = {0, 0, 0};
    gmc_token token = p->lexer.token;
    if (!gmc_token_take(&p->lexer, "[")) {
        gmc_expression_fail(p, &token, is_flat ? "[x, y]" : "[x, y, z]", "expected a place");
        return false;
    }
    for (int i = 0; i < (is_flat ? 2 : 3); i++) {
        if (i > 0 && !gmc_token_take(&p->lexer, ",")) {
            gmc_expression_fail(p, &p->lexer.token, is_flat ? "[x, y]" : "[x, y, z]",
                                "a place has more numbers");
            return false;
        }
        if (!parse_length(p, &x[i])) return false;
    }
    *place = (gmc_vec3){x[0], x[1], x[2]};
    return gmc_token_expect(&p->lexer, "]");
}

static bool parse_axis(gmc_expression_parser *p, gmc_vec3 *axis)
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
    gmc_expression_fail(p, &token, "x, y, z, -x, -y or -z", message);
    return false;
}

// The i-th argument of a measure into its expression.
static bool parse_argument(gmc_expression_parser *p, gmc_measure_takes takes, int i,
                           gmc_expression *e)
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
    case GMC_TAKES_NO_MORE:
        break;
    }
    if (is_fine) e->arguments[i] = text_from(p, start);
    return is_fine && e->arguments[i];
}

// Kinds of one name differ in their second argument: a place opens a bracket.
static int kind_of_place(const gmc_expression_parser *p, int kind)
{
    if (!gmc_token_is(&p->lexer, "[")) return kind;
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++)
        if (gmc_measure_infos[i].takes[1] == GMC_TAKES_PLACE &&
            strcmp(gmc_measure_infos[i].name, gmc_measure_infos[kind].name) == 0)
            return i;
    return kind;
}

// A measure whose brackets are missing, or hold too much.
static gmc_expression *fail_usage(gmc_expression_parser *p, const gmc_token *token, int kind,
                                  const char *message)
{
    char usage[GMC_MEASURE_USAGE_MAX], hint[GMC_MEASURE_USAGE_MAX + 16];
    gmc_measure_usage(&gmc_measure_infos[kind], "object", "hand", usage);
    snprintf(hint, sizeof hint, "write %s", usage);
    return gmc_expression_fail(p, token, hint, message);
}

static bool parse_arguments(gmc_expression_parser *p, gmc_expression *e)
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

gmc_expression *gmc_expression_parse_measure(gmc_expression_parser *p)
{
    gmc_token token = p->lexer.token;
    int kind = 0;
    while (kind < GMC_MEASURE_KIND_COUNT &&
           !gmc_token_is_name(&token, gmc_measure_infos[kind].name))
        kind++;
    if (kind == GMC_MEASURE_KIND_COUNT) return unknown_measure(p, &token);
    const gmc_measure_info *info = &gmc_measure_infos[kind];
    gmc_expression *e = gmc_expression_make(p, GMC_OP_MEASURE, &token);
    if (!e) return NULL;
    e->measure = (gmc_measure_kind)kind;
    e->exponents = gmc_units_of(info->unit);
    e->is_count = kind == GMC_MEASURE_HELD_BY || kind == GMC_MEASURE_CONTACT;

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
