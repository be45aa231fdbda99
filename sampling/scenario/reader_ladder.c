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

static gmc_level_spec level_of_map(const gmc_node *map)
{
    const gmc_node *step = gmc_node_find(map, "step");
    const gmc_node *tolerate = gmc_node_find(map, "tolerate");
    const char *name = gmc_reader_text(map, "name");
    return (gmc_level_spec){.name = name ? name : "",
                            .source = map->source,
                            .stepper = gmc_reader_text(map, "stepper"),
                            .motion = gmc_reader_text(map, "motion"),
                            .tolerate = tolerate && tolerate->is_number ? tolerate->number : 0,
                            .step = step && step->is_number ? step->number : 0};
}

void gmc_reader_ladder(gmc_reader *r, const gmc_node *study)
{
    // eight draws reject a design that fails one time in three with 96 %
    enum { FIRST_ROUND = 8 };
    gmc_scenario *s = r->scenario;
    const gmc_node *ladder = gmc_node_find(study, "ladder"), *draws = gmc_node_find(study, "draws");
    const gmc_node *rank = gmc_node_find(study, "rank");
    s->ladder_audit = -1;
    s->first_draws = FIRST_ROUND;
    s->keep = 0.5;
    if (draws && draws->kind == GMC_NODE_MAP && !ladder && !rank)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, draws->source,
                            "write the number alone (over a file of  use: {first: ~, last: 200}), "
                            "or add  ladder: [dynamic]",
                            "study.draws: rounds need a ladder or rank");
    if (!ladder || ladder->kind != GMC_NODE_LIST) return;
    const gmc_node *first = gmc_node_find(draws, "first"), *keep = gmc_node_find(draws, "keep");
    s->first_draws = gmc_node_whole(first, s->first_draws);
    if (keep && keep->is_number) s->keep = keep->number;
    const char *goal = gmc_reader_text(study, "goal");
    s->is_best = goal && strcmp(goal, "best") == 0;
    s->ladder_audit = gmc_reader_number(r, study, "study", "audit");
    s->levels = gmc_reader_take(r, ladder->count, sizeof *s->levels);
    s->tolerate = gmc_reader_take(r, ladder->count, sizeof *s->tolerate);
    if (!s->levels || !s->tolerate) return;
    for (const gmc_node *n = ladder->first; n; n = n->next) {
        if (n->is_bad) continue;
        gmc_level_spec *level = &s->levels[s->level_count];
        *level = n->kind == GMC_NODE_MAP ? level_of_map(n) : level_of_word(n);
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
                n->kind == GMC_NODE_MAP ? level_of_map(n) : level_of_word(n);
    gmc_level_spec *cheap = &s->levels[s->level_count++];
    *cheap = level_of_map(map);
    cheap->name = "cheap";
    s->levels[s->level_count++] = (gmc_level_spec){.name = "full", .source = map->source};
    if (cheap->step == 0 && !cheap->stepper && !cheap->motion)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, map->key_source,
                            "for example  step: 4 ms",
                            "sampling.two_level: nothing makes the cheap level cheaper");
}
