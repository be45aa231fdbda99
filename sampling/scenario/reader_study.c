// What is run and what is kept of it: study, sampling, simulation, output. Expressions and paths are
// only kept here; gmc_resolve_scenario parses them when every parameter is known.
#include "engine/contact/law.h"
#include "engine/contact/stepper.h"
#include "sampling/design/subset.h"
#include "sampling/estimate/replicas.h"
#include "sampling/language/ladder_word.h"
#include "sampling/scenario/reader_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- levels and rounds ------------------------------------------------------------------------

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

static void read_ladder(gmc_reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *ladder = gmc_node_find(study, "ladder"), *draws = gmc_node_find(study, "draws");
    const gmc_node *rank = gmc_node_find(study, "rank");
    gmc_reader_defaults(GMC_SCHEMA_ROUNDS, s);
    if (draws && draws->kind == GMC_NODE_MAP && !ladder && !rank)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, draws->source,
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

// sampling.two_level: its levels stand where those of a ladder do.
static void read_two_level(gmc_reader *r, const gmc_node *sampling)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(sampling, "two_level");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *pilot = gmc_node_find(map, "pilot");
    s->pilot = (int)gmc_node_whole(pilot, 1);
    s->two_level_source = map->key_source;
    if (s->level_count > 0) {
        gmc_diagnostics_add(r->report, GMC_E_INPUT, map->key_source,
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
        gmc_diagnostics_add(r->report, GMC_E_INPUT, map->key_source, "for example  step: 4 ms",
                            "sampling.two_level: nothing makes the cheap level cheaper");
}

// ---- rank -------------------------------------------------------------------------------------

// `study.rank`: which cases are the best, and how many trials that may take.

static gmc_source source_of(const gmc_node *map, const char *key)
{
    const gmc_node *node = gmc_node_find(map, key);
    return node ? node->source : map->source;
}

static void read_rank(gmc_reader *r, const gmc_node *study)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *rank = gmc_node_find(study, "rank");
    if (!rank || rank->kind != GMC_NODE_MAP) return;
    const gmc_node *keep = gmc_node_find(gmc_node_find(study, "draws"), "keep");
    // results of version 0.1.0 have its default
    if (keep && !s->embedded)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, keep->key_source,
                            "leave it out, or take a ladder with  goal: best",
                            "study.draws.keep: with rank what is found says who goes on");
    s->rank = (gmc_rank_spec){.is_given = true,
                              .source = rank->key_source,
                              .best_source = source_of(rank, "best"),
                              .budget_source = source_of(rank, "budget")};
    gmc_reader_fields(r, rank, "study.rank", GMC_SCHEMA_RANK, &s->rank);
}

// ---- optimise ---------------------------------------------------------------------------------

// `study.optimise`: which numbers of the hand or the program make success most likely, or a
// quantile of what trials measure best.

/// "smallest quantile(slip, 0.95)": what, and of which share. The measure is read where the columns
/// are known. @return whether it is written so
static bool read_quantile(gmc_reader *r, const char *goal, gmc_optimise_spec *spec)
{
    static const char *const WORDS[] = {"smallest quantile(", "largest quantile("};
    for (int i = 0; i < GMC_COUNT(WORDS); i++) {
        size_t word = strlen(WORDS[i]), length = strlen(goal);
        const char *comma = strrchr(goal, ',');
        if (strncmp(goal, WORDS[i], word) != 0 || !comma || goal[length - 1] != ')') continue;
        char *end;
        double p = strtod(comma + 1, &end);
        while (*end == ' ')
            end++;
        if (end != goal + length - 1 || !(p > 0 && p < 1) || comma <= goal + word) return false;
        size_t bytes = (size_t)(comma - goal) - word;
        char *of = gmc_arena_take(r->scenario->arena, bytes + 1, 1);
        if (!of) {
            r->is_arena_full = true;
            return true;
        }
        memcpy(of, goal + word, bytes);
        spec->quantile_of = of;
        spec->quantile_p = p;
        spec->is_largest = i == 1;
        return true;
    }
    return false;
}

static void read_goal(gmc_reader *r, const gmc_node *map, gmc_optimise_spec *spec)
{
    const gmc_node *node = gmc_node_find(map, "goal");
    spec->goal_source = node ? node->source : map->source;
    spec->is_cautious = strcmp(spec->goal, "lower") == 0;
    if (spec->is_cautious || strcmp(spec->goal, "success") == 0) return;
    if (!read_quantile(r, spec->goal, spec))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, spec->goal_source,
                            "goal: smallest quantile(slip, 0.95); 0.95 is between 0 and 1",
                            "study.optimise.goal: expected success, lower, smallest "
                            "quantile(MEASURE, P) or largest quantile(MEASURE, P), found %.120s",
                            spec->goal);
}

static void read_optimise(gmc_reader *r, const gmc_node *study)
{
    const gmc_node *map = gmc_node_find(study, "optimise");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *budget = gmc_node_find(map, "budget");
    gmc_optimise_spec *spec = &r->scenario->optimise;
    *spec = (gmc_optimise_spec){.is_given = true,
                                .source = map->key_source,
                                .budget_source = budget ? budget->source : map->source};
    gmc_reader_fields(r, map, "study.optimise", GMC_SCHEMA_OPTIMISE, spec);
    read_goal(r, map, spec);
}

// ---- subset -----------------------------------------------------------------------------------

// Subset simulation: how many trials, and what they are judged by.

static void read_subset(gmc_reader *r, const gmc_node *sampling)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(sampling, "subset");
    if (!map || map->kind != GMC_NODE_MAP) return;
    const gmc_node *margin = gmc_node_find(map, "margin");
    const gmc_node *points = gmc_node_find(map, "per_level");
    s->subset = (gmc_subset_spec){.is_given = true,
                                  .source = map->key_source,
                                  .margin = margin && !margin->is_bad ? margin : NULL};
    gmc_reader_fields(r, map, "sampling.subset", GMC_SCHEMA_SUBSET, &s->subset);
    if (s->subset.per_level % GMC_SUBSET_STEPS != 0) {
        char hint[64];
        int below = s->subset.per_level - s->subset.per_level % GMC_SUBSET_STEPS;
        snprintf(hint, sizeof hint, "%d or %d", below, below + GMC_SUBSET_STEPS);
        gmc_diagnostics_add(r->report, GMC_E_INPUT, points->source, hint,
                            "sampling.subset.per_level: a tenth of the points goes on, so their "
                            "number is a multiple of %d",
                            GMC_SUBSET_STEPS);
        s->subset.per_level = below;
    }
}

// ---- the blocks -------------------------------------------------------------------------------

static void read_study(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    s->case_count = 1;
    gmc_reader_fields(r, map, "study", GMC_SCHEMA_STUDY, s);
    read_ladder(r, map);
    read_rank(r, map);
    read_optimise(r, map);
    const gmc_node *vary = gmc_node_find(map, "vary");
    if (!vary || vary->kind == GMC_NODE_SCALAR) return;
    s->axes = gmc_reader_take(r, vary->count, sizeof *s->axes);
    if (!s->axes) return;
    bool is_list = vary->kind == GMC_NODE_LIST;
    for (gmc_node *n = vary->first; n; n = n->next) {
        if (n->is_bad || (is_list && n->kind != GMC_NODE_SCALAR)) continue;
        s->axes[s->axis_count++] = (gmc_axis_spec){.path = is_list ? n->text : n->key,
                                                   .source = is_list ? n->source : n->key_source,
                                                   .target = -1,
                                                   .node = is_list ? NULL : n};
    }
}

// All 64 bits of it: a double keeps 53.
static bool read_seed(const gmc_node *node, uint64_t *seed)
{
    uint64_t value = 0;
    for (const char *p = node->text; *p; p++) {
        if (*p < '0' || *p > '9') { // 1e3
            int64_t whole = gmc_node_whole(node, -1);
            *seed = (uint64_t)whole;
            return whole >= 0;
        }
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *seed = value;
    return true;
}

static void read_replicas(gmc_reader *r, const gmc_node *sampling, const gmc_node *design)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *count = gmc_node_find(sampling, "randomisations");
    for (gmc_design d = GMC_DESIGN_SOBOL; d <= GMC_DESIGN_MORRIS; d++)
        if (design && design->kind == GMC_NODE_SCALAR &&
            strcmp(design->text, gmc_design_name(d)) == 0)
            s->design = d;
    bool is_apart = s->design != GMC_DESIGN_RANDOM && s->design != GMC_DESIGN_CSV;
    if (is_apart) s->replicas = (int)gmc_node_whole(count, GMC_REPLICAS_LEAST);
    if (count && !is_apart)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, count->key_source, "add  design: sobol",
                            "sampling.randomisations: random draws and rows of a file have none");
}

static void read_sampling(gmc_reader *r, const gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *sampling = gmc_node_find(root, "sampling");
    gmc_node *design = gmc_node_find(sampling, "design");
    gmc_node *csv = gmc_node_find(design, "csv");
    if (csv && csv->kind == GMC_NODE_SCALAR) {
        s->design = GMC_DESIGN_CSV;
        s->csv_file = gmc_scenario_join(s, csv->folder, csv->text);
        if (!s->csv_file) {
            r->is_arena_full = true;
            return;
        }
        csv->text = s->csv_file;
        csv->folder = "";
    }
    read_replicas(r, sampling, design);
    read_subset(r, sampling);
    read_two_level(r, sampling);
    s->is_weighted = gmc_node_find(sampling, "importance") != NULL;
    gmc_reader_fields(r, sampling, "sampling", GMC_SCHEMA_SAMPLING, s);
    if (!s->is_weighted) s->true_share = 1;
    s->weight_bound = 1;
    const gmc_node *seed = gmc_node_find(sampling, "seed");
    s->seed = 1;
    if (seed && seed->is_number && !seed->is_bad && !read_seed(seed, &s->seed))
        gmc_diagnostics_add(r->report, GMC_E_INPUT, seed->source, NULL,
                            "sampling.seed: larger than 64 bits");

    const gmc_node *draws = gmc_node_find(sampling, "draws");
    const gmc_node *study_draws = gmc_node_find(gmc_node_find(root, "study"), "draws");
    if (draws && study_draws)
        gmc_diagnostics_add(r->report, GMC_E_INPUT, study_draws->key_source,
                            "keep one: both mean the draws of every case",
                            "study.draws and sampling.draws exclude each other");
    const gmc_node *rounds = gmc_node_find(study_draws, "last");
    const gmc_node *given = rounds ? rounds : study_draws ? study_draws : draws;
    // 1000 draws pin a probability to about three percent; other designs give their own number
    bool has_own =
        s->design == GMC_DESIGN_CSV || s->replicas > 0 || s->rank.is_given || s->optimise.is_given;
    s->draws = gmc_node_whole(given, has_own ? 0 : 1000);
}

static void read_setting(gmc_reader *r, const gmc_node *map, const gmc_setting *setting)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *node = gmc_node_find(map, setting->key);
    for (int i = 0; i < s->setting_count; i++) // several steppers share it
        if (strcmp(s->settings[i].key, setting->key) == 0) return;
    if (!node) return;
    gmc_law_setting *read = &s->settings[s->setting_count++];
    *read = (gmc_law_setting){.key = setting->key, .param = -1};
    if (setting->words)
        read->value = node->text ? gmc_setting_word(setting->words, node->text) : 0;
    else if (setting->is_whole)
        read->value = (double)gmc_node_whole(node, 0);
    else
        read->param = gmc_reader_number(r, map, "simulation", setting->key);
}

/// Those of all steppers: that some belong to another than the scenario's is told later.
static void read_settings(gmc_reader *r, const gmc_node *map)
{
    int most = 0;
    for (int i = 0; gmc_steppers[i]; i++)
        most += gmc_steppers[i]->setting_count;
    r->scenario->settings = gmc_reader_take(r, most, sizeof *r->scenario->settings);
    if (!r->scenario->settings) return;
    for (int i = 0; gmc_steppers[i]; i++)
        for (int k = 0; k < gmc_steppers[i]->setting_count; k++)
            read_setting(r, map, &gmc_steppers[i]->settings[k]);
}

static void read_simulation(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    s->stepper = gmc_reader_text(map, "stepper");
    s->solver = gmc_reader_text(map, "solver");
    s->motion = gmc_reader_text(map, "motion");
    read_settings(r, map);
    gmc_reader_fields(r, map, "simulation", GMC_SCHEMA_SIMULATION, s);
    gmc_reader_fields(r, gmc_node_find(map, "early"), "simulation.early", GMC_SCHEMA_EARLY, s);
}

// One histogram: "a", [a, b], or {of: ..., bins: ..., range: ...}; ranges are read when units are
// known.
static void read_histogram(gmc_node *n, gmc_histogram_spec *h)
{
    *h = (gmc_histogram_spec){
        .bins = {20, 20}, .lower = {NAN, NAN}, .upper = {NAN, NAN}, .source = n->source, .node = n};
    const gmc_node *of = n->kind == GMC_NODE_MAP ? gmc_node_find(n, "of") : n;
    if (of && of->kind == GMC_NODE_SCALAR) h->name[0] = of->text;
    if (of && of->kind == GMC_NODE_LIST && of->count == 2) {
        h->name[0] = of->first->text;
        h->name[1] = of->first->next->text;
    }
    const gmc_node *bins = n->kind == GMC_NODE_MAP ? gmc_node_find(n, "bins") : NULL;
    if (!bins) return;
    const gmc_node *first = bins->kind == GMC_NODE_LIST ? bins->first : bins;
    const gmc_node *second = bins->kind == GMC_NODE_LIST && first ? first->next : bins;
    h->bins[0] = (int)gmc_node_whole(first, h->bins[0]);
    h->bins[1] = (int)gmc_node_whole(second, h->bins[1]);
}

static void read_output(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *record = gmc_node_find(map, "trajectories");
    const char *text = gmc_reader_text(map, "trajectories");
    if (!text || strcmp(text, "none") == 0)
        s->record = GMC_RECORD_NONE;
    else if (strcmp(text, "failures") == 0)
        s->record = GMC_RECORD_FAILURES;
    else if (strcmp(text, "all") == 0)
        s->record = GMC_RECORD_ALL;
    else if (text[0] == 'f')
        s->record = GMC_RECORD_FIRST;
    else
        s->record = GMC_RECORD_EVERY;
    s->record_count = gmc_node_whole(record, s->record_count);
    gmc_reader_fields(r, map, "output", GMC_SCHEMA_OUTPUT, s);

    const gmc_node *histograms = gmc_node_find(map, "histograms");
    gmc_node *pair = gmc_node_find(map, "map");
    int count = histograms && histograms->kind == GMC_NODE_LIST ? histograms->count : 0;
    s->histograms = gmc_reader_take(r, count + 1, sizeof *s->histograms);
    if (!s->histograms) return;
    if (count > 0)
        for (gmc_node *n = histograms->first; n; n = n->next)
            read_histogram(n, &s->histograms[s->histogram_count++]);
    if (pair && pair->kind == GMC_NODE_LIST && pair->count == 2) {
        read_histogram(pair, &s->histograms[s->histogram_count]);
        s->histograms[s->histogram_count++].is_map = true;
    }
}

void gmc_reader_study(gmc_reader *r, const gmc_node *root)
{
    read_study(r, gmc_node_find(root, "study"));
    read_sampling(r, root);
    read_simulation(r, gmc_node_find(root, "simulation"));
    read_output(r, gmc_node_find(root, "output"));
}
