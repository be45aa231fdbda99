// `correlated`: a key names two lines of `uncertain`, "object.mass / friction.rubber/abs". Surfaces
// have slashes of their own, so the one that parts the two is the one with blanks around it, else
// the one on both sides of which a line is known.
#include "sampling/language/nearest.h"
#include "sampling/language/validate.h"
#include "sampling/random/correlation.h"
#include "sampling/scenario/resolve_internal.h"

#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 400 }; // correlated with each other: more is a mistyped pattern

// ---- pairs ------------------------------------------------------------------------------------

int gmc_resolve_line(const gmc_scenario *s, const char *path)
{
    gmc_param wanted = gmc_scenario_find(s, path);
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (strcmp(line->path, path) == 0) return i;
        if (wanted >= 0 && line->target_count == 1 && line->targets[0] == wanted) return i;
    }
    return -1;
}

// Cut "a/b" at `slash`, blanks off; false: too long.
static bool cut_at(const char *key, const char *slash, char a[GMC_VALIDATE_PATH],
                   char b[GMC_VALIDATE_PATH])
{
    size_t first = (size_t)(slash - key);
    while (first > 0 && key[first - 1] == ' ')
        first--;
    const char *second = slash + 1 + strspn(slash + 1, " ");
    if (first >= GMC_VALIDATE_PATH || strlen(second) >= GMC_VALIDATE_PATH) return false;
    snprintf(a, GMC_VALIDATE_PATH, "%.*s", (int)first, key);
    snprintf(b, GMC_VALIDATE_PATH, "%s", second);
    return true;
}

static void report_path(const gmc_resolver *r, const gmc_node *node, const char *path)
{
    const gmc_scenario *s = r->scenario;
    char hint[200] = "list it under uncertain";
    gmc_nearest nearest = gmc_nearest_start(path);
    for (int i = 0; i < s->uncertain_count; i++)
        gmc_nearest_offer(&nearest, s->uncertain[i].path);
    if (nearest.best && gmc_scenario_find(s, path) < 0)
        snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source, hint,
                        "correlated: %.120s is no line of uncertain", path);
}

// The two lines of a key; false: reported.
static bool find_pair(const gmc_resolver *r, const gmc_node *node, int lines[2])
{
    char a[GMC_VALIDATE_PATH], b[GMC_VALIDATE_PATH];
    const char *spaced = strstr(node->key, " / "), *only = strchr(node->key, '/');
    if (spaced) only = spaced + 1;
    for (const char *slash = only; slash; slash = spaced ? NULL : strchr(slash + 1, '/')) {
        if (!cut_at(node->key, slash, a, b)) break;
        lines[0] = gmc_resolve_line(r->scenario, a);
        lines[1] = gmc_resolve_line(r->scenario, b);
        if (lines[0] >= 0 && lines[1] >= 0) return true;
    }
    bool is_plain = only && (spaced || !strchr(only + 1, '/')) && cut_at(node->key, only, a, b);
    if (is_plain)
        report_path(r, node, gmc_resolve_line(r->scenario, a) < 0 ? a : b);
    else
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source,
                            "for example object.mass / friction.rubber/abs: -0.3",
                            "correlated: expected two lines of uncertain, found %.120s", node->key);
    return false;
}

// ---- what can be correlated -------------------------------------------------------------------

static bool rises(const gmc_distribution *d)
{
    for (int i = 1; i < d->value_count; i++)
        if (!(d->values[i] > d->values[i - 1])) return false;
    return true;
}

// Why a line cannot be correlated; NULL: it can.
static const char *obstacle(const gmc_uncertain *line, const char **hint)
{
    *hint = NULL;
    if (line->tripod > 0) return "points of a support are no single number";
    if (line->is_interval) return "of an interval is known only that the number lies in it";
    switch (line->distribution.type) {
    case GMC_DISTRIBUTION_CONSTANT:
        return "it does not vary";
    case GMC_DISTRIBUTION_EMPIRICAL:
        *hint =
            "columns of one file are drawn together; fit(...) and normal laws can be correlated";
        return "rows of a file have no order";
    case GMC_DISTRIBUTION_DISCRETE:
        *hint = "write them in rising order";
        return rises(&line->distribution) ? NULL : "its values have no order";
    case GMC_DISTRIBUTION_UNIFORM:
    case GMC_DISTRIBUTION_NORMAL:
    case GMC_DISTRIBUTION_LOGNORMAL:
    case GMC_DISTRIBUTION_TRIANGULAR:
    case GMC_DISTRIBUTION_STUDENT:
    case GMC_DISTRIBUTION_LOG_STUDENT:
    case GMC_DISTRIBUTION_TYPE_COUNT:
        break;
    }
    return NULL;
}

static bool is_given(const gmc_scenario *s, const int lines[2])
{
    for (int i = 0; i < s->correlation_count; i++) {
        const int *known = s->correlations[i].lines;
        if ((known[0] == lines[0] && known[1] == lines[1]) ||
            (known[0] == lines[1] && known[1] == lines[0]))
            return true;
    }
    return false;
}

static void read_pair(const gmc_resolver *r, const gmc_node *node)
{
    gmc_scenario *s = r->scenario;
    int lines[2];
    if (!node->is_number || !find_pair(r, node, lines)) return;
    for (int i = 0; i < 2; i++) {
        const gmc_uncertain *line = &s->uncertain[lines[i]];
        const char *hint, *why = obstacle(line, &hint);
        if (why)
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source, hint,
                                "correlated: %.120s: %s", line->path, why);
        if (why) return;
    }
    if (lines[0] == lines[1] || is_given(s, lines)) {
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->key_source,
                            "a pair has no order: keep one line for each",
                            "correlated: %.120s and %.120s: %s", s->uncertain[lines[0]].path,
                            s->uncertain[lines[1]].path,
                            lines[0] == lines[1] ? "are the same line" : "were given before");
        return;
    }
    gmc_correlation *c = &s->correlations[s->correlation_count++];
    *c = (gmc_correlation){
        .lines = {lines[0], lines[1]}, .coefficient = node->number, .source = node->key_source};
}

// ---- how each mixes the numbers of others -----------------------------------------------------

static gmc_source source_of(const gmc_scenario *s, int a, int b)
{
    for (int i = 0; i < s->correlation_count; i++) {
        const int *lines = s->correlations[i].lines;
        if ((lines[0] == a && lines[1] == b) || (lines[0] == b && lines[1] == a))
            return s->correlations[i].source;
    }
    return s->correlations[0].source;
}

static double coefficient_of(const gmc_scenario *s, int a, int b)
{
    for (int i = 0; i < s->correlation_count; i++) {
        const int *lines = s->correlations[i].lines;
        if ((lines[0] == a && lines[1] == b) || (lines[0] == b && lines[1] == a))
            return s->correlations[i].coefficient;
    }
    return a == b ? 1 : 0;
}

static gmc_status take_row(gmc_scenario *s, const int *members, int row, const double *weights)
{
    gmc_uncertain *line = &s->uncertain[members[row]];
    gmc_mix *mix = gmc_arena_take(s->arena, (size_t)row + 1, sizeof *mix);
    if (!mix) return GMC_E_ARENA_FULL;
    for (int k = 0; k <= row; k++)
        if (weights[k] != 0)
            mix[line->mix_count++] = (gmc_mix){.line = members[k], .weight = weights[k]};
    line->mix = mix;
    return GMC_OK;
}

static gmc_status factor(const gmc_resolver *r, const int *members, int n)
{
    gmc_scenario *s = r->scenario;
    size_t size = (size_t)n * (size_t)n;
    double *R = gmc_arena_doubles(s->arena, size), *L = gmc_arena_doubles(s->arena, size);
    double *scratch = gmc_arena_doubles(s->arena, 2 * size);
    if (!R || !L || !scratch) return GMC_E_ARENA_FULL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            R[i * n + j] = coefficient_of(s, members[i], members[j]);
    gmc_correlation_fault fault;
    if (gmc_correlation_factor(n, R, L, scratch, &fault) != GMC_OK) {
        int a = members[fault.a], b = members[fault.b];
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source_of(s, a, b),
                            "bring the coefficients nearer to 0, this one first",
                            "no numbers are correlated like that: the matrix has the eigenvalue "
                            "%.3g, mostly by %.3g of %.100s and %.100s",
                            fault.least, R[fault.a * n + fault.b], s->uncertain[a].path,
                            s->uncertain[b].path);
        return GMC_OK;
    }
    for (int i = 0; i < n; i++)
        GMC_TRY(take_row(s, members, i, L + i * n));
    return GMC_OK;
}

gmc_status gmc_resolve_correlated(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    const gmc_node *map = gmc_node_find(s->tree, "correlated");
    int members[LINES_MAX], count = 0, mistakes = r->report->error_count;
    if (map && map->kind == GMC_NODE_MAP && r->is_whole)
        for (const gmc_node *n = map->first; n; n = n->next)
            read_pair(r, n);
    if (s->correlation_count == 0 || r->report->error_count > mistakes) return GMC_OK;
    for (int i = 0; i < s->uncertain_count; i++) {
        bool is_member = false;
        for (int c = 0; c < s->correlation_count; c++)
            is_member =
                is_member || s->correlations[c].lines[0] == i || s->correlations[c].lines[1] == i;
        if (!is_member) continue;
        if (count == LINES_MAX) {
            gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, s->correlations[0].source, NULL,
                                "correlated: more than %d lines", LINES_MAX);
            return GMC_OK;
        }
        members[count++] = i;
    }
    return factor(r, members, count);
}
