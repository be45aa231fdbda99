// `study.draws` and `study.ladder`: what may be written short, and what the levels may be.
#include "sampling/language/ladder_word.h"
#include "sampling/language/nearest.h"
#include "sampling/language/validate_internal.h"

#include <stdio.h>
#include <string.h>

gmc_status gmc_validate_ladder_rounds(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_MAP) {
        gmc_validate_value_integer(v, row, node);
        return GMC_OK;
    }
    GMC_TRY(gmc_validate_group(v, row->child, node));
    // what is filled in must be readable: a ranking keeps none
    gmc_node *keep = gmc_node_find(node, "keep");
    if (v->has_rank && keep && keep->is_default) gmc_node_remove(node, keep);
    const gmc_node *first = gmc_node_find(node, "first"), *last = gmc_node_find(node, "last");
    if (!first || !last || !first->is_number || !last->is_number || first->number <= last->number ||
        first->is_default)
        return GMC_OK;
    gmc_validate_value_complain(v, first, "first counts the draws of the first round, last all",
                                "more draws in the first round than in all");
    return GMC_OK;
}

static void check_word(gmc_validate *v, gmc_node *node)
{
    if (!gmc_validate_value_is_text(v, node, "a level such as quasi_static")) return;
    gmc_nearest nearest = gmc_nearest_start(node->text);
    char hint[160];
    size_t used = 0;
    for (int i = 0; i < gmc_ladder_word_count; i++) {
        const char *name = gmc_ladder_words[i].name;
        if (strcmp(name, node->text) == 0) return;
        gmc_nearest_offer(&nearest, name);
        used += (size_t)snprintf(hint + used, sizeof hint - used, used > 0 ? ", %s" : "levels: %s",
                                 name);
    }
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    char what[80];
    snprintf(what, sizeof what, "there is no level %.40s", node->text);
    gmc_validate_value_complain(v, node, hint, what);
    node->is_bad = true;
}

static const char *name_of(const gmc_node *level)
{
    if (level->kind != GMC_NODE_MAP) return level->text ? level->text : "";
    const gmc_node *name = gmc_node_find(level, "name");
    return name && name->text ? name->text : "";
}

gmc_status gmc_validate_ladder(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    if (node->kind != GMC_NODE_LIST || node->count == 0) {
        gmc_validate_value_complain(v, node, "for example [geometric, quasi_static, dynamic]",
                                    "expected a list of levels, the cheapest first");
        return GMC_OK;
    }
    int index = 0;
    for (gmc_node *n = node->first; n && !gmc_validate_is_full(v); n = n->next, index++) {
        size_t before = gmc_validate_push_index(v, index);
        if (n->kind == GMC_NODE_MAP)
            GMC_TRY(gmc_validate_group(v, row->child, n));
        else
            check_word(v, n);
        const gmc_node *tolerate = n->kind == GMC_NODE_MAP ? gmc_node_find(n, "tolerate") : NULL;
        if (!n->next && tolerate && tolerate->is_number && tolerate->number > 0)
            gmc_validate_value_complain(v, tolerate, "leave it out, or take  goal: best",
                                        "the last level decides, and overlooks nothing");
        for (const gmc_node *m = node->first; m != n; m = m->next)
            if (strcmp(name_of(m), name_of(n)) == 0 && name_of(n)[0] != 0)
                gmc_validate_value_complain(v, n, "give it another name",
                                            "two levels of the same name");
        if (!n->next && strcmp(name_of(n), "geometric") == 0 && n->kind == GMC_NODE_SCALAR)
            gmc_validate_value_complain(v, n, "add  dynamic  behind it",
                                        "the last level decides, and nothing moves at this one");
        gmc_validate_pop(v, before);
    }
    return GMC_OK;
}
