#include "sampling/writing/fingerprint.h"

#include "engine/base/check.h"
#include "sampling/build/margin.h"
#include "sampling/language/node.h"
#include "sampling/language/schema.h"
#include "sampling/language/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Parameters of these blocks change what is kept, not what happens.
static bool is_outside(const char *path) { return strncmp(path, "output.", 7) == 0; }

static void add_words(gmc_text *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        bool is_blank = *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
        bool is_kept = !is_blank || (p > text && p[-1] != ' ' && p[-1] != '\t' && p[-1] != '\n' &&
                                     p[-1] != '\r' && p[1] != 0);
        if (is_kept) gmc_text_add_bytes(out, is_blank ? " " : p, 1);
    }
}

// Everything that is no number: words, names, files, lists of them.
static void add_names(gmc_text *out, const gmc_node *node, const char *path)
{
    static const char *const SKIPPED[] = {"about", "output", "uncertain", "study", "sampling"};
    for (int i = 0; i < GMC_COUNT(SKIPPED); i++)
        if (strcmp(path, SKIPPED[i]) == 0) return;
    if (node->kind == GMC_NODE_SCALAR) {
        // numbers are among the parameters, but for those that set-up needs
        if (node->is_number && !(node->row && node->row->is_settled)) return;
        if (node->is_number) {
            gmc_text_add(out, "%s: ", path);
            gmc_text_add_number(out, node->number, false);
            gmc_text_add(out, "\n");
            return;
        }
        gmc_text_add(out, "%s: ", path);
        add_words(out, node->text);
        gmc_text_add(out, "\n");
        return;
    }
    int index = 0;
    for (const gmc_node *n = node->first; n; n = n->next, index++) {
        gmc_text below = {0};
        if (n->key)
            gmc_text_add(&below, path[0] ? "%s.%s" : "%s%s", path, n->key);
        else
            gmc_text_add(&below, "%s.%d", path, index);
        if (below.has_failed)
            out->has_failed = true;
        else
            add_names(out, n, below.bytes);
        gmc_text_free(&below);
    }
}

static void add_values(gmc_text *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        gmc_text_add(out, i ? ", " : "");
        gmc_text_add_number(out, values[i], false);
    }
}

static void add_uncertain(gmc_text *out, const char *block, const gmc_uncertain *line,
                          const gmc_distribution *d)
{
    static const char *const CHANGES[] = {[GMC_CHANGE_ABSOLUTE] = "",
                                          [GMC_CHANGE_ADD] = "nominal + ",
                                          [GMC_CHANGE_MULTIPLY] = "nominal * "};
    if (line->relation != GMC_RELATION_NONE) {
        gmc_text_add(out, "%s.%s: %s\n", block, line->path, line->node->text);
        return;
    }
    gmc_text_add(out, "%s.%s: %s%s(", block, line->path, CHANGES[line->change],
                 line->tripod > 0    ? "tripod"
                 : line->is_interval ? "interval"
                                     : gmc_distribution_name(d->type));
    if (d->value_count > 0)
        add_values(out, d->values, d->value_count);
    else
        add_values(out, d->p, 3);
    if (d->weights) {
        gmc_text_add(out, "; weights ");
        add_values(out, d->weights, d->value_count);
    }
    gmc_text_add(out, ")");
    if (d->is_truncated) {
        gmc_text_add(out, " in [");
        add_values(out, (const double[]){d->lower, d->upper}, 2);
        gmc_text_add(out, "]");
    }
    gmc_text_add(out, "\n");
}

static void add_correlation(gmc_text *out, const gmc_scenario *s, const gmc_correlation *c)
{
    gmc_text_add(out, "correlated.%s / %s: ", s->uncertain[c->lines[0]].path,
                 s->uncertain[c->lines[1]].path);
    gmc_text_add_number(out, c->coefficient, false);
    gmc_text_add(out, "\n");
}

static void add_axis(gmc_text *out, const gmc_scenario *s, const gmc_axis_spec *axis)
{
    gmc_text_add(out, "study.vary.%s: ", axis->path);
    if (axis->values) add_values(out, axis->values, axis->count);
    for (int i = 0; axis->objects && i < axis->count; i++)
        gmc_text_add(out, i ? ", %s" : "%s", s->objects[axis->objects[i]].name);
    gmc_text_add(out, "\n");
}

// The rounds too: they decide which trials are run.
static void add_ladder(gmc_text *out, const gmc_scenario *s)
{
    if (s->route.is_given)
        gmc_text_add(out, "study.plan: body %s, nodes %d, rejects %d\n", s->route.body,
                     s->route.node_max, s->route.rejects);
    for (int i = 0; i < s->level_count; i++) {
        const gmc_level_spec *level = &s->levels[i];
        gmc_text_add(out, "study.ladder.%d: %s, stepper %s, motion %s, step ", i, level->name,
                     level->is_geometric ? "none"
                     : level->stepper    ? level->stepper
                                         : "own",
                     level->motion ? level->motion : "own");
        gmc_text_add_number(out, level->step, false);
        gmc_text_add(out, ", tolerate ");
        gmc_text_add_number(out, level->tolerate, false);
        gmc_text_add(out, "\n");
    }
    if (s->pilot > 0) // another number of draws has other pairs
        gmc_text_add(out, "sampling.two_level: pilot %d, draws %" PRId64 "\n", s->pilot, s->draws);
    if (s->level_count == 0 || s->pilot > 0) return;
    gmc_text_add(out, "study.draws: first %" PRId64 ", last %" PRId64 ", keep ", s->first_draws,
                 s->draws);
    gmc_text_add_number(out, s->keep, false);
    gmc_text_add(out, "\nstudy.goal: %s\n", s->is_best ? "best" : "works");
}

// The line of a ranking, and what stands before its budget and the most draws of a case.
static const char RANK[] = "\nstudy.rank: ", BUDGET[] = ", budget ", LAST[] = ", last ";

static void add_rank(gmc_text *out, const gmc_scenario *s)
{
    if (!s->rank.is_given) return;
    gmc_text_add(out, "%sbest %" PRId64 ", within ", RANK + 1, s->rank.best); // its line ended
    gmc_text_add_number(out, s->rank.within, false);
    gmc_text_add(out, ", level ");
    gmc_text_add_number(out, s->rank.level, false);
    gmc_text_add(out, "%s%" PRId64 ", per %s\nstudy.draws: first %" PRId64 "%s%" PRId64 "\n",
                 BUDGET, s->rank.budget, s->rank.is_per_object ? "object" : "all", s->first_draws,
                 LAST, s->draws);
}

/// Copy up to the end of `mark`, then a number in place of the digits there. @return what follows
static const char *replace(gmc_text *out, const char *text, const char *mark, uint64_t number)
{
    const char *at = strstr(text, mark);
    GMC_ASSERT(at); // add_rank put it there
    at += strlen(mark);
    gmc_text_add_bytes(out, text, (size_t)(at - text));
    gmc_text_add(out, "%" PRIu64, number);
    return at + strspn(at, "0123456789");
}

gmc_status gmc_fingerprint_with_budget(const char *fingerprint, uint64_t budget, uint64_t last,
                                       char **text)
{
    gmc_text out = {0};
    const char *line = strstr(fingerprint, RANK);
    GMC_ASSERT(line);
    gmc_text_add_bytes(&out, fingerprint, (size_t)(line - fingerprint));
    const char *rest = replace(&out, line, BUDGET, budget);
    rest = replace(&out, rest, LAST, last);
    gmc_text_add(&out, "%s", rest);
    return gmc_text_take(&out, text);
}

// By name, because the order in which files were asked for means nothing.
static void add_files(gmc_text *out, const gmc_scenario *s)
{
    const char *last = "";
    for (int written = 0; written < s->asset_count; written++) {
        const gmc_asset *next = NULL;
        for (int i = 0; i < s->asset_count; i++)
            if (!s->assets[i].is_scenario && strcmp(s->assets[i].name, last) > 0 &&
                (!next || strcmp(s->assets[i].name, next->name) < 0))
                next = &s->assets[i];
        if (!next) return;
        gmc_text_add(out, "files.%s: %s\n", next->name, next->digest.hex);
        last = next->name;
    }
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The lines of `text` in alphabetical order: the order of keys in the file means nothing here.
static void add_sorted(gmc_text *out, gmc_text *text)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < text->size; i++)
        count += text->bytes[i] == '\n';
    char **lines = malloc((count + 1) * sizeof *lines);
    if (!lines || text->has_failed) out->has_failed = true;
    for (char *p = text->bytes; !out->has_failed && used < count; used++) {
        lines[used] = p;
        p += strcspn(p, "\n");
        *p++ = 0;
    }
    if (used > 0) qsort(lines, used, sizeof *lines, compare_lines);
    for (size_t i = 0; i < used; i++)
        gmc_text_add(out, "%s\n", lines[i]);
    free(lines);
    gmc_text_free(text);
}

// Is something set down from this height? One that is not said has no say, equal as it is.
static bool is_height(const gmc_scenario *s, gmc_param param)
{
    for (int i = 0; i < s->object_count + s->scene_count; i++) {
        const gmc_item_spec *item =
            i < s->object_count ? &s->objects[i] : &s->scene[i - s->object_count];
        if (item->has_height && item->pose.z == param) return true;
    }
    return false;
}

gmc_status gmc_fingerprint_text(const gmc_scenario *scenario, char **text)
{
    const gmc_scenario *s = scenario;
    gmc_text out = {0}, entries = {0};
    add_names(&entries, s->tree, "");
    for (int i = 0; i < s->parameter_count; i++) {
        if (is_outside(s->parameters[i].path)) continue;
        gmc_text_add(&entries, "%s: ", s->parameters[i].path);
        gmc_text_add_number(&entries, s->parameters[i].nominal, false);
        if (s->parameters[i].formula) {
            gmc_text_add(&entries, " = ");
            add_words(&entries, s->parameters[i].formula_text);
        }
        if (is_height(s, i)) gmc_text_add(&entries, ", set down from there");
        gmc_text_add(&entries, "\n");
    }
    add_sorted(&out, &entries);
    // here order matters: it numbers cases and columns
    for (int i = 0; i < s->uncertain_count; i++)
        add_uncertain(&out, "uncertain", &s->uncertain[i], &s->uncertain[i].distribution);
    for (int i = 0; i < s->uncertain_count; i++)
        if (s->uncertain[i].has_proposal)
            add_uncertain(&out, "sampling.importance", &s->uncertain[i], &s->uncertain[i].proposal);
    if (s->subset.is_given) {
        gmc_text_add(&out, "sampling.subset: runs %d, per_level %d, levels %d, margin ",
                     s->subset.runs, s->subset.per_level, s->subset.levels);
        add_words(&out, s->subset.margin ? s->subset.margin->text : GMC_MARGIN_DERIVED);
        if (s->subset.aimed > 0) gmc_text_add(&out, ", aimed %d", s->subset.aimed);
        gmc_text_add(&out, "\n");
    }
    if (s->is_weighted) {
        gmc_text_add(&out, "sampling.true_share: ");
        gmc_text_add_number(&out, s->true_share, false);
        gmc_text_add(&out, "\nsampling.covered: %s\n", s->is_covered ? "true" : "false");
    }
    for (int i = 0; i < s->correlation_count; i++)
        add_correlation(&out, s, &s->correlations[i]);
    for (int i = 0; i < s->axis_count; i++)
        add_axis(&out, s, &s->axes[i]);
    add_ladder(&out, s);
    add_rank(&out, s);
    if (s->is_together) gmc_text_add(&out, "study.together: true\n");
    if (s->optimise.is_given)
        gmc_text_add(&out, "study.optimise: budget %" PRId64 ", goal %s\n", s->optimise.budget,
                     s->optimise.goal);
    gmc_text_add(&out, "study.independent: %s\n", s->is_independent ? "true" : "false");
    gmc_text_add(&out, "sampling.design: %s\n",
                 s->design == GMC_DESIGN_CSV ? s->csv_file : gmc_design_name(s->design));
    if (s->replicas > 0) gmc_text_add(&out, "sampling.randomisations: %d\n", s->replicas);
    if (s->design == GMC_DESIGN_LATIN_HYPERCUBE) // another number is another hypercube
        gmc_text_add(&out, "sampling.draws: %lld\n", (long long)s->draws);
    gmc_text_add(&out, "sampling.seed: %" PRIu64 "\n", s->seed);
    add_files(&out, s);
    return gmc_text_take(&out, text);
}
