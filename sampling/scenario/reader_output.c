// The blocks around the physics: success, uncertain, study, sampling, simulation, output.
// Expressions and paths are only kept here; gmc_scenario_resolve parses them when every parameter
// is known.
#include "sampling/estimate/replicas.h"
#include "sampling/language/expression.h"
#include "sampling/scenario/reader_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void read_criteria(gmc_reader *r, const gmc_node *list, gmc_criterion **criteria, int *count)
{
    *count = 0;
    if (!list || list->kind != GMC_NODE_LIST) return;
    *criteria = gmc_reader_take(r, list->count, sizeof **criteria);
    gmc_expression_bodies bodies = {0};
    if (!*criteria || gmc_scenario_bodies(r->scenario, &bodies) != GMC_OK) {
        r->is_arena_full = true;
        return;
    }
    for (const gmc_node *n = list->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR || n->is_bad) continue;
        gmc_criterion *c = &(*criteria)[*count];
        *c = (gmc_criterion){.text = n->text, .source = n->source};
        gmc_status status =
            gmc_expression_parse(n, &bodies, r->scenario->arena, r->report, &c->expression);
        if (status == GMC_E_ARENA_FULL) r->is_arena_full = true;
        if (status == GMC_OK) (*count)++;
    }
}

void gmc_reader_output_success(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    read_criteria(r, gmc_node_find(map, "at_end"), &s->at_end, &s->at_end_count);
    read_criteria(r, gmc_node_find(map, "always"), &s->always, &s->always_count);
}

void gmc_reader_output_uncertain(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    bool is_map = map && map->kind == GMC_NODE_MAP;
    s->uncertain = gmc_reader_take(r, (is_map ? map->count : 0) + GMC_READER_SIGHT_LINES,
                                   sizeof *s->uncertain);
    if (!s->uncertain || !is_map) return;
    for (gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR && !n->is_bad)
            s->uncertain[s->uncertain_count++] =
                (gmc_uncertain){.path = n->key, .source = n->key_source, .node = n};
}

void gmc_reader_output_study(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    s->case_count = 1;
    gmc_reader_fields(r, map, "study", GMC_SCHEMA_STUDY, s);
    gmc_reader_ladder(r, map);
    gmc_reader_rank(r, map);
    gmc_reader_optimise(r, map);
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
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, count->key_source,
                            "add  design: sobol",
                            "sampling.randomisations: random draws and rows of a file have none");
}

void gmc_reader_output_sampling(gmc_reader *r, const gmc_node *root)
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
    gmc_reader_subset(r, sampling);
    gmc_reader_two_level(r, sampling);
    s->is_weighted = gmc_node_find(sampling, "importance") != NULL;
    gmc_reader_fields(r, sampling, "sampling", GMC_SCHEMA_SAMPLING, s);
    if (!s->is_weighted) s->true_share = 1;
    s->weight_bound = 1;
    const gmc_node *seed = gmc_node_find(sampling, "seed");
    s->seed = 1;
    if (seed && seed->is_number && !seed->is_bad && !read_seed(seed, &s->seed))
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, seed->source, NULL,
                            "sampling.seed: larger than 64 bits");

    const gmc_node *draws = gmc_node_find(sampling, "draws");
    const gmc_node *study_draws = gmc_node_find(gmc_node_find(root, "study"), "draws");
    if (draws && study_draws)
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, study_draws->key_source,
                            "keep one: both mean the draws of every case",
                            "study.draws and sampling.draws exclude each other");
    const gmc_node *rounds = gmc_node_find(study_draws, "last");
    const gmc_node *given = rounds ? rounds : study_draws ? study_draws : draws;
    // 1000 draws pin a probability to about three percent; other designs give their own number
    bool has_own =
        s->design == GMC_DESIGN_CSV || s->replicas > 0 || s->rank.is_given || s->optimise.is_given;
    s->draws = gmc_node_whole(given, has_own ? 0 : 1000);
}

void gmc_reader_output_simulation(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    s->stepper = gmc_reader_text(map, "stepper");
    s->solver = gmc_reader_text(map, "solver");
    const gmc_node *directions = gmc_node_find(map, "friction_directions");
    s->direction_count = (int)gmc_node_whole(directions, s->direction_count);
    s->motion = gmc_reader_text(map, "motion");
    const char *time_of_contact = gmc_reader_text(map, "time_of_contact");
    s->is_bisected = time_of_contact && strcmp(time_of_contact, "bisect") == 0;
    s->shell = gmc_reader_number(r, map, "simulation", "shell");
    s->correction = gmc_reader_number(r, map, "simulation", "drift_correction");
    s->patch_points = (int)gmc_node_whole(gmc_node_find(map, "patch_points"), s->patch_points);
    s->patch_radius = gmc_reader_number(r, map, "simulation", "patch_radius");
    s->relative_tolerance = gmc_reader_number(r, map, "simulation", "relative_tolerance");
    s->absolute_tolerance = gmc_reader_number(r, map, "simulation", "absolute_tolerance");
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

void gmc_reader_output(gmc_reader *r, const gmc_node *map)
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
