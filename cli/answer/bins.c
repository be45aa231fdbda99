// The bins follow from the scenario and the command line alone, never from the trials: two results
// of one scenario share them.
#include "cli/answer/bins.h"

#include "sampling/language/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_LINE = 20, BINS_FEW = 10, TRIALS_FEW = 2000, BINS_MAP = 12, BINS_MOST = 100000 };

static gmc_status refuse(gmc_stored *stored, const char *option, const char *hint, const char *what,
                         const char *text)
{
    gmc_diagnostics_add(&stored->messages, GMC_E_INPUT, (gmc_source){.file = option}, hint,
                        "%s: %.160s", what, text);
    return GMC_E_INPUT;
}

/// Comma between two names: one that is in no bracket, for names may be "max(slip(object, hand))".
static char *comma_between(char *text)
{
    int depth = 0;
    for (char *p = text; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p == ',' && depth == 0) return p;
    }
    return NULL;
}

static gmc_status name_axes(const char *by, gmc_stored *stored, gmc_histogram_spec *spec)
{
    char *text = gmc_arena_text(&stored->prepared.arena, by);
    if (!text) return GMC_E_MEMORY;
    char *comma = comma_between(text);
    if (comma) *comma = 0;
    spec->name[0] = text;
    spec->name[1] = comma ? comma + 1 : NULL;
    return GMC_OK;
}

/// Unit of a quantity of this name; NULL: there is none.
static const char *unit_of(const gmc_result_info *info, const char *name)
{
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0) return info->parameters[i].unit;
    for (int i = 0; i < info->column_count; i++)
        if (strcmp(info->columns[i].name, name) == 0) return info->columns[i].unit;
    return NULL;
}

/// "-10 mm, 0, 5 mm"
static gmc_status read_edges(const char *text, const char *unit, gmc_stored *stored,
                             const double **edges, int *bins)
{
    static const char HINT[] = "rising numbers with their units, as in 0.1 kg, 0.2 kg, 0.5 kg";
    size_t most = 2;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    double *found = GMC_NEW(&stored->prepared.arena, most, double);
    if (!found) return GMC_E_MEMORY;
    int count = 0;
    for (const char *at = text;; at++) {
        gmc_quantity q;
        at += strspn(at, " ");
        if (gmc_units_read(at, &q, &at) != GMC_UNITS_OK)
            return refuse(stored, "--rebin", HINT, "not edges of bins", text);
        at += strspn(at, " ");
        if (q.has_unit && unit && !gmc_units_equal(q.exponents, gmc_units_of(unit)))
            return refuse(stored, "--rebin", unit, "edges in another unit than the quantity's",
                          text);
        bool is_rising = count == 0 || q.value > found[count - 1];
        if (!is_rising || (*at && *at != ','))
            return refuse(stored, "--rebin", HINT, "not edges of bins", text);
        found[count++] = q.value;
        if (!*at) break;
    }
    *edges = found;
    *bins = count - 1;
    return count >= 2 ? GMC_OK : refuse(stored, "--rebin", HINT, "not edges of bins", text);
}

/// A number of bins, or edges, for one axis.
static gmc_status set_bins(const char *text, gmc_stored *stored, gmc_histogram_spec *spec, int axis)
{
    char *end = NULL;
    errno = 0;
    long count = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    if (end && *end == 0) {
        if (errno != 0 || count < 1 || count > BINS_MOST)
            return refuse(stored, "--rebin", "from 1 to 100000", "not a number of bins", text);
        spec->bins[axis] = (int)count;
        spec->has_bins[axis] = true;
        return GMC_OK;
    }
    return read_edges(text, unit_of(stored->info, spec->name[axis]), stored, &spec->edges[axis],
                      &spec->bins[axis]);
}

/// One --rebin: NAME=BINS goes to the axis of that name, BINS alone to all.
static gmc_status rebin(const char *text, gmc_stored *stored, gmc_histogram_spec *spec)
{
    const char *equals = strrchr(text, '=');
    int axes = spec->name[1] ? 2 : 1;
    if (!equals && axes == 2 && comma_between((char *)(uintptr_t)text))
        return refuse(stored, "--rebin", "write PATH=EDGES",
                      "edges for two parameters, without the name of one", text);
    for (int k = 0; k < axes; k++) {
        if (!equals) GMC_TRY(set_bins(text, stored, spec, k));
        bool is_this = equals && strlen(spec->name[k]) == (size_t)(equals - text) &&
                       strncmp(spec->name[k], text, (size_t)(equals - text)) == 0;
        if (is_this) return set_bins(equals + 1, stored, spec, k);
    }
    return equals ? refuse(stored, "--rebin", "name an axis of --by",
                           "not a parameter that is shown", text)
                  : GMC_OK;
}

/// Without --by the names in --rebin are the axes.
static gmc_status name_axes_of_rebins(const gmc_args *args, gmc_stored *stored,
                                      gmc_histogram_spec *spec)
{
    for (int i = 0; i < args->rebins.count; i++) {
        char *text = gmc_arena_text(&stored->prepared.arena, args->rebins.items[i]);
        if (!text) return GMC_E_MEMORY;
        char *equals = strrchr(text, '=');
        if (!equals)
            return refuse(stored, "--rebin", "--by PATH, or --rebin PATH=BINS",
                          "bins without a parameter", args->rebins.items[i]);
        *equals = 0;
        spec->name[i] = text;
    }
    return GMC_OK;
}

/// Ten bins on axes of which neither number nor edges were given, where few trials would fill
/// twenty.
static void suit(gmc_stored *stored)
{
    gmc_scenario *s = &stored->prepared.scenario;
    if (stored->info->count >= TRIALS_FEW) return;
    for (int i = 0; i < s->histogram_count; i++) {
        gmc_histogram_spec *spec = &s->histograms[i];
        for (int k = 0; k < 2; k++)
            if (!spec->has_bins[k] && !spec->edges[k] && spec->bins[k] == BINS_LINE)
                spec->bins[k] = BINS_FEW;
    }
}

static gmc_status replace(const gmc_args *args, gmc_stored *stored)
{
    if (!args->by && args->rebins.count == 0) return GMC_OK;
    gmc_scenario *s = &stored->prepared.scenario;
    gmc_histogram_spec *spec = GMC_NEW(&stored->prepared.arena, 1, gmc_histogram_spec);
    if (!spec) return GMC_E_MEMORY;
    const double open = (double)NAN;
    *spec = (gmc_histogram_spec){.lower = {open, open}, .upper = {open, open}};
    GMC_TRY(args->by ? name_axes(args->by, stored, spec) : name_axes_of_rebins(args, stored, spec));
    for (int k = 0; k < 2; k++)
        spec->bins[k] = spec->name[1] ? BINS_MAP : BINS_LINE;
    for (int i = 0; i < args->rebins.count; i++)
        GMC_TRY(rebin(args->rebins.items[i], stored, spec));
    s->histograms = spec;
    s->histogram_count = 1;
    return GMC_OK;
}

gmc_status gmc_bins_ask(const gmc_args *args, gmc_stored *stored)
{
    GMC_TRY(replace(args, stored));
    if (!args->json) suit(stored);
    return GMC_OK;
}
