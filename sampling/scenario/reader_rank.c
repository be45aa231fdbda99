// `study.rank`: which cases are the best, and how many trials that may take.
#include "sampling/scenario/reader_internal.h"

static gmc_source source_of(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node ? node->source : map->source;
}

void gmc_reader_rank(gmc_reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *rank = gmc_node_find(study, "rank");
    if (!rank || rank->kind != GMC_NODE_MAP) return;
    const gmc_node *keep = gmc_node_find(gmc_node_find(study, "draws"), "keep");
    // results of version 0.1.0 have its default
    if (keep && !s->embedded)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, keep->key_source,
                            "leave it out, or take a ladder with  goal: best",
                            "study.draws.keep: with rank what is found says who goes on");
    s->rank = (gmc_rank_spec){.is_given = true,
                              .source = rank->key_source,
                              .best_source = source_of(rank, "best"),
                              .budget_source = source_of(rank, "budget")};
    gmc_reader_fields(r, rank, "study.rank", GMC_SCHEMA_RANK, &s->rank);
}
