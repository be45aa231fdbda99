// Measures and the bodies they look at, as leaves of a criterion.
#include "sampling/scenario/expression_internal.h"
#include "sampling/scenario/nearest.h"

#include <stdio.h>
#include <string.h>

// Name of a body in the language, or NULL (reported).
static const char *parse_body(gmc_expression_parser *p)
{
    const gmc_scenario *s = p->scenario;
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
    for (int i = 0; i < 2 + s->scene_count; i++) {
        const char *name = i < 2 ? always[i] : s->scene[i - 2].name;
        if (gmc_token_is_name(&token, name)) found = name;
        gmc_nearest_offer(&nearest, name);
    }
    for (int i = 0; i < s->object_count && !found; i++)
        if (gmc_token_is_name(&token, s->objects[i].name)) {
            if (s->object_count > 1) {
                gmc_expression_fail(p, &token, "write object: it means the object of the case",
                                    "this is one object of several");
                return NULL;
            }
            found = "object";
        }
    if (found && strcmp(found, "hand") == 0 && gmc_scenario_lacks_hand(s)) {
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

static gmc_expression *unknown_measure(gmc_expression_parser *p, const gmc_token *token)
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
    return gmc_expression_fail(p, token, hint, message);
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
    if (!gmc_token_is(&p->lexer, "(")) {
        char message[96], hint[96];
        snprintf(message, sizeof message, "%s of what?", info->name);
        snprintf(hint, sizeof hint, "write %s(%s)", info->name,
                 info->argument_count == 1 ? "object" : "object, hand");
        return gmc_expression_fail(p, &token, hint, message);
    }
    gmc_token_next(&p->lexer);
    for (int i = 0; i < info->argument_count; i++) {
        char hint[120];
        snprintf(hint, sizeof hint, "%s needs %s", info->name,
                 info->argument_count == 1 ? "one body" : "two bodies: (a, b)");
        if (i > 0 && !gmc_token_is(&p->lexer, ","))
            return gmc_expression_fail(p, &p->lexer.token, hint, "too few bodies");
        if (i > 0) gmc_token_next(&p->lexer);
        e->arguments[i] = parse_body(p);
        if (!e->arguments[i]) return NULL;
    }
    if (gmc_token_is(&p->lexer, ","))
        return gmc_expression_fail(p, &p->lexer.token, NULL, "too many bodies");
    return gmc_token_expect(&p->lexer, ")") ? e : NULL;
}
