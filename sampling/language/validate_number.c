// Numbers: how they are written, what they measure, and whether they are in range.
#include "sampling/language/units.h"
#include "sampling/language/validate_internal.h"

#include <stdio.h>
#include <string.h>

static void print_bound(double bound, gmc_dimension dimension, char *text, size_t size)
{
    char number[GMC_UNITS_TEXT];
    gmc_units_print(bound, number);
    const char *unit = gmc_units_name(dimension);
    bool has_unit = strcmp(unit, "1") != 0 && bound != 0 && !strstr(unit, " or ");
    snprintf(text, size, has_unit ? "%s %s" : "%s", number, unit);
}

static void check_range(const gmc_node *node, const char *path, const gmc_schema_row *row,
                        gmc_diagnostics *report)
{
    char bound[96];
    double x = node->number, extent = gmc_units_extent((gmc_dimension)node->dimension);
    if (fabs(x) > extent && row->lower <= x && x <= row->upper) {
        print_bound(extent, (gmc_dimension)node->dimension, bound, sizeof bound);
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source,
                            "lengths end at 1e6 m, up to which places are exact to 1e-10 m, angles "
                            "at 1e6 rad",
                            "%.120s: must be %s %s%s, found %.40s", path,
                            x > 0 ? "<=" : ">=", x > 0 ? "" : "-", bound, node->text);
    } else if (x < row->lower || (row->is_above && x <= row->lower)) {
        print_bound(row->lower, (gmc_dimension)node->dimension, bound, sizeof bound);
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, NULL,
                            "%.120s: must be %s %s, found %.40s", path,
                            row->is_above ? ">" : ">=", bound, node->text);
    } else if (x > row->upper) {
        print_bound(row->upper, (gmc_dimension)node->dimension, bound, sizeof bound);
        bool is_version = strcmp(path, "graspmc") == 0;
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source,
                            is_version ? "this is the language of a newer graspmc: update the "
                                         "program, or write graspmc: 1 and see what it refuses"
                                       : NULL,
                            "%.120s: must be <= %s, found %.40s", path, bound, node->text);
    }
}

static const char SET_TAKES_NUMBERS[] =
    "set takes numbers, no formulas; study and uncertain may change them by their paths";

// Why a formula is none here; NULL: none was meant.
static const char *hint_of_formula(const char *end, const gmc_schema_row *row)
{
    if (!strchr("*/+", end[strspn(end, " ")])) return NULL;
    if (row->is_set) return SET_TAKES_NUMBERS;
    return row->is_settled ? "this is settled before there are trials, and takes no formula"
                           : "formulas are read where a scenario has numbers of its own: name one, "
                             "parameters: {ramp.angle: 20 deg}";
}

// Is something wrong with how the number is written? Says so.
static bool report_misread(const gmc_node *node, const char *path, gmc_units_result result,
                           const char *end, const gmc_schema_row *row, gmc_dimension dimension,
                           gmc_diagnostics *report)
{
    gmc_source at =
        gmc_node_place(node, strlen(node->text), (size_t)(end - node->text), strlen(end));
    char hint[200];
    switch (result) {
    case GMC_UNITS_OK:
        if (*end == 0) return false;
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, at, hint_of_formula(end, row),
                            "%.120s: a number and its unit end before %.40s", path, end);
        return true;
    case GMC_UNITS_NO_NUMBER:
        snprintf(
            hint, sizeof hint,
            strchr(node->text, '(')
                ? "write the nominal value here and the distribution under uncertain: %.100s: ..."
            : row->is_set ? "a number, a space and a unit: %s; set takes no formulas, study and "
                            "uncertain may change its numbers by their paths"
                          : "a number, a space and a unit: %s",
            strchr(node->text, '(') ? path : gmc_units_choices(dimension));
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, hint,
                            "%.120s: expected %s, found %.40s", path, gmc_units_noun(dimension),
                            node->text);
        return true;
    case GMC_UNITS_TOO_LARGE:
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, NULL,
                            "%.120s: expected a finite number, found %.40s", path, node->text);
        return true;
    case GMC_UNITS_UNKNOWN_UNIT:
        snprintf(hint, sizeof hint, "units here: %s", gmc_units_choices(dimension));
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, at, hint, "%.120s: unknown unit %.40s",
                            path, end);
        return true;
    }
    return true;
}

static bool is_scalar(gmc_node *node, const char *path, const char *noun, gmc_diagnostics *report)
{
    node->is_number = false;
    node->formula = NULL;
    if (node->kind == GMC_NODE_SCALAR && !gmc_node_is_empty(node)) return true;
    gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, NULL,
                        "%.120s: expected %s, found %s", path, noun,
                        node->kind == GMC_NODE_SCALAR ? "nothing"
                        : node->kind == GMC_NODE_LIST ? "a list"
                                                      : "keys with values");
    return false;
}

// A formula as postfix, and its value at nominal parameters; false: reported.
static bool read_formula(gmc_node *node, const char *path, gmc_formulas *formulas,
                         gmc_diagnostics *report, const gmc_expression **root)
{
    gmc_status status =
        gmc_expression_parse_formula(node, &formulas->names, formulas->arena, report, root);
    gmc_formula *made = NULL;
    if (status == GMC_OK) {
        made = gmc_arena_take(formulas->arena, 1, sizeof *made);
        status =
            made ? gmc_expression_compile(*root, formulas->arena, &made->code) : GMC_E_ARENA_FULL;
    }
    if (status == GMC_E_ARENA_FULL) formulas->is_arena_full = true;
    if (status != GMC_OK) return false;
    made->rank = formulas->count++;
    node->number = gmc_criteria_value(&made->code, formulas->values);
    if (!isfinite(node->number)) {
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, NULL,
                            "%.120s: with the parameters as given this is no finite number", path);
        return false;
    }
    node->formula = made;
    return true;
}

static bool is_plain_number(const char *text, gmc_quantity *quantity)
{
    const char *end = NULL;
    return gmc_units_read(text, quantity, &end) == GMC_UNITS_OK && *end == 0;
}

void gmc_validate_number(gmc_node *node, const char *path, const gmc_schema_row *row,
                         gmc_dimension dimension, gmc_formulas *formulas, gmc_diagnostics *report)
{
    node->dimension = (int)dimension;
    if (!is_scalar(node, path, gmc_units_noun(dimension), report)) return;
    gmc_quantity quantity;
    gmc_dimension exact = dimension;
    if (formulas && !row->is_settled && !is_plain_number(node->text, &quantity)) {
        const gmc_expression *root = NULL;
        if (!read_formula(node, path, formulas, report, &root)) return;
        quantity = (gmc_quantity){node->number, !root->is_free, root->exponents};
    } else {
        const char *end = NULL;
        gmc_units_result result = gmc_units_read(node->text, &quantity, &end);
        if (report_misread(node, path, result, end, row, dimension, report)) return;
    }
    if (quantity.has_unit && !gmc_units_fits(dimension, quantity.exponents, &exact)) {
        char hint[200];
        snprintf(hint, sizeof hint, "units here: %s", gmc_units_choices(dimension));
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, hint,
                            "%.120s: expected %s, found %.40s", path, gmc_units_noun(dimension),
                            node->text);
        return;
    }
    node->number = quantity.value;
    node->dimension = (int)exact;
    node->is_number = true;
    check_range(node, path, row, report);
}

void gmc_validate_any_number(gmc_node *node, const char *path, const gmc_schema_row *row,
                             gmc_formulas *formulas, gmc_diagnostics *report)
{
    gmc_quantity quantity;
    gmc_dimension dimension = GMC_DIM_NONE;
    if (!is_scalar(node, path, "a number", report)) return;
    if (is_plain_number(node->text, &quantity)) {
        node->number = quantity.value;
    } else {
        const gmc_expression *root = NULL;
        if (!read_formula(node, path, formulas, report, &root)) return;
        quantity.exponents = root->exponents;
    }
    if (!gmc_units_dimension(quantity.exponents, &dimension)) {
        char unit[GMC_UNITS_TEXT];
        gmc_units_spell(quantity.exponents, unit);
        gmc_diagnostics_add(report, GMC_ERROR, GMC_E_INPUT, node->source, NULL,
                            "%.120s: nothing in the language is measured in %s", path, unit);
        return;
    }
    node->dimension = (int)dimension;
    node->is_number = true;
    check_range(node, path, row, report);
}
