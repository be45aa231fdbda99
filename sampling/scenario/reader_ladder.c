// The levels of a study's ladder and its rounds.
#include "sampling/language/ladder_word.h"
#include "sampling/scenario/reader_internal.h"

#include <string.h>

static gmc_level_spec level_of_word(const gmc_node *node)
{
    gmc_level_spec level = {.name = node->text, .source = node->source};
    for (int i = 0; i < gmc_ladder_word_count; i++) {
        const gmc_ladder_word *word = &gmc_ladder_words[i];
        if (strcmp(word->name, node->text) != 0) continue;
        level.is_geometric = word->is_geometric;
        level.stepper = word->stepper;
        level.motion = word->motion;
    }
    return level;
}

// @param group  of the map: a level of a ladder, or the cheap one of two
static gmc_level_spec level_of_map(gmc_reader *r, const gmc_node *map, gmc_schema_group group)
{
    gmc_level_spec level = {.name = "",
                            .source = map->source,
                            .stepper = gmc_reader_text(map, "stepper"),
                            .motion = gmc_reader_text(map, "motion")};
    gmc_reader_fields(r, map, "", group, &level);
    if (!level.name) level.name = "";
    return level;
}

void gmc_reader_ladder(gmc_reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *ladder = gmc_node_find(study, "ladder"), *draws = gmc_node_find(study, "draws");
    const gmc_node *rank = gmc_node_find(study, "rank");
    gmc_reader_defaults(GMC_SCHEMA_ROUNDS, s);
    if (draws && draws->kind == GMC_NODE_MAP && !ladder && !rank)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, draws->source,
                            "write the number alone (over a file of  use: {first: ~, last: 200}), "
                            "or add  ladder: [dynamic]",
                            "study.draws: rounds need a ladder or rank");
    if (ladder || rank) gmc_reader_fields(r, draws, "study.draws", GMC_SCHEMA_ROUNDS, s);
    if (!ladder || ladder->kind != GMC_NODE_LIST) return;
    s->levels = gmc_reader_take(r, ladder->count, sizeof *s->levels);
    s->tolerate = gmc_reader_take(r, ladder->count, sizeof *s->tolerate);
    if (!s->levels || !s->tolerate) return;
    for (const gmc_node *n = ladder->first; n; n = n->next) {
        if (n->is_bad) continue;
        gmc_level_spec *level = &s->levels[s->level_count];
        *level = n->kind == GMC_NODE_MAP ? level_of_map(r, n, GMC_SCHEMA_LEVEL) : level_of_word(n);
        s->tolerate[s->level_count++] = level->tolerate;
    }
}

void gmc_reader_two_level(gmc_reader *r, const gmc_node *sampling)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(sampling, "two_level");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *pilot = gmc_node_find(map, "pilot");
    s->pilot = (int)gmc_node_whole(pilot, 1);
    s->two_level_source = map->key_source;
    if (s->level_count > 0) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, map->key_source,
                            "leave  ladder  or  two_level  out",
                            "sampling.two_level: does not go with a ladder");
        return;
    }
    const gmc_node *coarser = gmc_node_find(map, "coarser");
    int below = coarser && coarser->kind == GMC_NODE_LIST ? coarser->count : 0;
    s->levels = gmc_reader_take(r, below + 2, sizeof *s->levels);
    if (!s->levels) return;
    for (const gmc_node *n = below > 0 ? coarser->first : NULL; n; n = n->next)
        if (!n->is_bad)
            s->levels[s->level_count++] =
                n->kind == GMC_NODE_MAP ? level_of_map(r, n, GMC_SCHEMA_LEVEL) : level_of_word(n);
    gmc_level_spec *cheap = &s->levels[s->level_count++];
    *cheap = level_of_map(r, map, GMC_SCHEMA_TWO_LEVEL);
    cheap->name = "cheap";
    s->levels[s->level_count++] = (gmc_level_spec){.name = "full", .source = map->source};
    if (cheap->step == 0 && !cheap->stepper && !cheap->motion)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, map->key_source,
                            "for example  step: 4 ms",
                            "sampling.two_level: nothing makes the cheap level cheaper");
}
