#include "sampling/writing/listing.h"

#include "engine/base/printable.h"
#include "sampling/language/node.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static void add_numbers(gmc_text *out, const double *values, int count)
{
    enum { SHOWN = 8 }; // the rest of a long list says nothing to a reader
    for (int i = 0; i < count && i < SHOWN; i++) {
        gmc_text_add(out, i ? ", " : "");
        gmc_text_add_number(out, values[i], false);
    }
    if (count > SHOWN) gmc_text_add(out, ", ... %d values", count);
}

/// A distribution in the words of the language, numbers in SI: "nominal + normal(0, 0.004)".
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status write_distribution(const gmc_uncertain *line, char **text)
{
    const gmc_distribution *d = &line->distribution;
    gmc_text out = {0};
    if (line->tripod > 0) {
        gmc_text_add(&out, "tripod(disk ");
        gmc_text_add_number(&out, line->tripod, false);
        gmc_text_add(&out, ")");
        return gmc_text_take(&out, text);
    }
    if (line->relation != GMC_RELATION_NONE) {
        gmc_text_add(&out, "%s", line->node->text);
        return gmc_text_take(&out, text);
    }
    if (line->change == GMC_CHANGE_ADD) gmc_text_add(&out, "nominal + ");
    if (line->change == GMC_CHANGE_MULTIPLY) gmc_text_add(&out, "nominal * ");
    if (line->is_interval) {
        gmc_text_add(&out, "interval(");
        add_numbers(&out, d->p, 2);
        gmc_text_add(&out, ")");
        return gmc_text_take(&out, text);
    }
    bool is_constant = d->type == GMC_DISTRIBUTION_CONSTANT;
    if (!is_constant) gmc_text_add(&out, "%s(", gmc_distribution_laws[d->type].word);
    if (d->value_count > 0)
        add_numbers(&out, d->values, d->value_count);
    else
        add_numbers(&out, d->p, gmc_distribution_laws[d->type].argument_count);
    if (d->weights) {
        gmc_text_add(&out, "; weights ");
        add_numbers(&out, d->weights, d->value_count);
    }
    if (!is_constant) gmc_text_add(&out, ")");
    if (d->is_truncated) {
        gmc_text_add(&out, " in [");
        add_numbers(&out, (const double[]){d->lower, d->upper}, 2);
        gmc_text_add(&out, "]");
    }
    return gmc_text_take(&out, text);
}

// ---- who changes a parameter ------------------------------------------------------------------

typedef struct change {
    const char *by;            // NULL: nobody
    const char *formula;       // NULL: follows from nothing
    const gmc_uncertain *line; // NULL: not uncertain
    const gmc_axis_spec *axis; // NULL: not studied
} change;

static bool holds(const gmc_param *targets, int count, gmc_param wanted)
{
    for (int i = 0; i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

static change find_change(const gmc_scenario *s, gmc_param parameter)
{
    change found = {0};
    if (s->parameters[parameter].formula) {
        found.by = "formula";
        found.formula = s->parameters[parameter].formula_text;
    }
    for (int i = 0; i < s->phase_count; i++)
        for (int j = 0; j < s->program[i].set_count; j++)
            if (s->program[i].sets[j].target == parameter) found.by = "set";
    for (int i = s->axis_count - 1; i >= 0; i--)
        if (holds(s->axes[i].targets, s->axes[i].target_count, parameter)) {
            found.by = "study";
            found.axis = &s->axes[i];
        }
    for (int i = s->uncertain_count - 1; i >= 0; i--)
        if (holds(s->uncertain[i].targets, s->uncertain[i].target_count, parameter)) {
            found.by = "uncertain";
            found.line = &s->uncertain[i];
        }
    for (int i = 0; i < s->csv_columns; i++) {
        const gmc_sampled *column = &s->sampled[s->csv_sampled[i]];
        if (column->target == parameter ||
            (column->by_object && holds(column->by_object, s->object_count, parameter)))
            found.by = "csv";
    }
    return found;
}

// ---- table ------------------------------------------------------------------------------------

static void add_bounds(gmc_text *out, const gmc_parameter *p)
{
    double extent = gmc_units_extent(p->dimension);
    bool is_open = p->upper >= extent; // as all numbers of its dimension
    if (p->lower <= -extent && is_open) return;
    if (is_open && (p->lower == DBL_MIN || p->lower == 0)) {
        gmc_text_add(out, p->lower == 0 ? ">= 0" : "> 0");
        return;
    }
    gmc_text_add(out, "[");
    add_numbers(out, (const double[]){p->lower, p->upper}, 2);
    gmc_text_add(out, "]");
}

static void add_change(gmc_text *out, const gmc_scenario *s, const change *c)
{
    if (c->formula) gmc_text_add(out, c->line ? "= %s, " : "= %s", c->formula);
    if (c->line) {
        char *distribution = NULL;
        if (write_distribution(c->line, &distribution) != GMC_OK)
            out->has_failed = true;
        else
            gmc_text_add(out, "%s", distribution);
        free(distribution);
    } else if (c->axis) {
        gmc_text_add(out, "study: %d values", c->axis->count);
    } else if (c->by && strcmp(c->by, "csv") == 0) {
        gmc_text_add(out, "%s", s->csv_file);
    } else if (c->by && !c->formula) {
        gmc_text_add(out, "set by a phase");
    }
}

static void make_printable(gmc_text *cell)
{
    char shown[GMC_PRINTABLE_ROOM];
    int used = 0;
    gmc_text made = {0};
    for (const char *p = cell->bytes; p && *p; p += used) {
        gmc_printable_next(p, shown, &used);
        gmc_text_add_bytes(&made, shown, strlen(shown));
    }
    made.has_failed = made.has_failed || cell->has_failed;
    gmc_text_free(cell);
    *cell = made;
}

// One row, cell by cell. Columns are as wide as their widest cell, which a trial pass finds out.
static void add_row(gmc_text *out, const gmc_scenario *s, gmc_param parameter, int widths[3],
                    bool is_trial)
{
    const gmc_parameter *p = &s->parameters[parameter];
    gmc_text cells[4] = {{0}, {0}, {0}, {0}};
    gmc_text_add(&cells[0], "%s", p->path);
    gmc_text_add_number(&cells[1], p->nominal, false);
    const char *unit = gmc_units_name(p->dimension);
    if (strcmp(unit, "1") != 0) gmc_text_add(&cells[1], " %s", unit);
    if (p->is_default) gmc_text_add(&cells[1], " (default)");
    add_bounds(&cells[2], p);
    change c = find_change(s, parameter);
    add_change(&cells[3], s, &c);
    int last = 3;
    while (last > 0 && cells[last].size == 0)
        last--;
    for (int i = 0; i < 4; i++) {
        make_printable(&cells[i]);
        if (cells[i].has_failed) out->has_failed = true;
        if (is_trial && i < 3 && (int)cells[i].size > widths[i]) widths[i] = (int)cells[i].size;
        if (is_trial || i > last) continue;
        gmc_text_add(out, "%s", cells[i].bytes ? cells[i].bytes : "");
        if (i < last) gmc_text_add(out, "%*s", widths[i] + 2 - (int)cells[i].size, "");
    }
    if (!is_trial) gmc_text_add(out, "\n");
    for (int i = 0; i < 4; i++)
        gmc_text_free(&cells[i]);
}

// Does a body or a link have the surface? `surface: NAME`, or a map from links to such.
static bool has_surface(const gmc_node *node, bool is_surface, const char *name, size_t length)
{
    if (node->kind == GMC_NODE_SCALAR)
        return is_surface && strlen(node->text) == length && memcmp(node->text, name, length) == 0;
    for (const gmc_node *n = node->first; n; n = n->next) {
        bool is_here = is_surface || (n->key && strcmp(n->key, "surface") == 0);
        if (has_surface(n, is_here, name, length)) return true;
    }
    return false;
}

// Of a table of materials that `use` brings most is of surfaces that nothing here has.
static bool is_idle(const gmc_scenario *s, gmc_param parameter)
{
    const char *path = s->parameters[parameter].path, *name = strchr(path, '.');
    bool is_pair = strncmp(path, "friction.", 9) == 0;
    if (!is_pair && strncmp(path, "surfaces.", 9) != 0) return false;
    change c = find_change(s, parameter);
    if (c.by || c.line || c.formula) return false;
    while (name && (*name == '.' || *name == '/')) {
        size_t length = strcspn(++name, "/.");
        if (!has_surface(s->tree, false, name, length)) return true;
        name = is_pair && name[length] == '/' ? name + length : NULL;
    }
    return false;
}

gmc_status gmc_listing_table(const gmc_scenario *scenario, char **text)
{
    gmc_text out = {0};
    int widths[3] = {0, 0, 0};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < scenario->parameter_count; i++)
            if (!is_idle(scenario, i)) add_row(&out, scenario, i, widths, pass == 0);
    return gmc_text_take(&out, text);
}

// ---- JSON -------------------------------------------------------------------------------------

gmc_status gmc_listing_json(const gmc_scenario *scenario, char **text)
{
    gmc_text out = {0};
    gmc_text_add(&out, "[");
    for (int i = 0; i < scenario->parameter_count; i++) {
        const gmc_parameter *p = &scenario->parameters[i];
        change c = find_change(scenario, i);
        gmc_text_add(&out, i ? ",\n {\"path\": " : "\n {\"path\": ");
        gmc_text_add_json(&out, p->path);
        gmc_text_add(&out, ", \"value\": ");
        gmc_text_add_number(&out, p->nominal, true);
        gmc_text_add(&out, ", \"unit\": ");
        gmc_text_add_json(&out, gmc_units_name(p->dimension));
        gmc_text_add(&out, ", \"lower\": ");
        gmc_text_add_number(&out, p->lower, true);
        gmc_text_add(&out, ", \"upper\": ");
        gmc_text_add_number(&out, p->upper, true);
        gmc_text_add(&out, ", \"default\": %s, \"varied_by\": ", p->is_default ? "true" : "false");
        if (c.by)
            gmc_text_add_json(&out, c.by);
        else
            gmc_text_add(&out, "null");
        gmc_text_add(&out, ", \"distribution\": ");
        char *distribution = NULL;
        if (c.line && write_distribution(c.line, &distribution) != GMC_OK) out.has_failed = true;
        if (distribution)
            gmc_text_add_json(&out, distribution);
        else
            gmc_text_add(&out, "null");
        free(distribution);
        gmc_text_add(&out, "}");
    }
    gmc_text_add(&out, "\n]\n");
    return gmc_text_take(&out, text);
}
