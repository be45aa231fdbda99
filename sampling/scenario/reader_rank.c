// `study.rank`: which cases are the best, and how many trials that may take.
#include "sampling/scenario/reader_internal.h"

#include <string.h>

static gmc_source source_of(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node ? node->source : map->source;
}

static double number_of(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node && node->is_number ? node->number : 0; // reported where it is no number
}

void gmc_reader_rank(gmc_reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *rank = gmc_node_find(study, "rank");
    if (!rank || rank->kind != GMC_NODE_MAP) return;
    const gmc_node *draws = gmc_node_find(study, "draws"), *first = gmc_node_find(draws, "first");
    const gmc_node *keep = gmc_node_find(draws, "keep");
    const char *per = gmc_reader_text(rank, "per");
    // results of version 0.1.0 have its default
    if (keep && !s->embedded)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, keep->key_source,
                            "leave it out, or take a ladder with  goal: best",
                            "study.draws.keep: with rank what is found says who goes on");
    // as many as in the first round of a ladder: a case that fails once in two goes soon
    s->first_draws = gmc_node_whole(first, 8);
    s->rank = (gmc_rank_spec){.is_given = true,
                              .source = rank->key_source,
                              .best_source = source_of(rank, "best"),
                              .budget_source = source_of(rank, "budget"),
                              .best = gmc_node_whole(gmc_node_find(rank, "best"), 0),
                              .within = number_of(rank, "within"),
                              .level = number_of(rank, "level"),
                              .budget = gmc_node_whole(gmc_node_find(rank, "budget"), 0),
                              .is_per_object = per && strcmp(per, "object") == 0};
}
