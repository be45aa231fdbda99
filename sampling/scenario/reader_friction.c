// The block `friction`: one number a pair, or a map of coefficients.
#include "engine/base/lookup.h"
#include "sampling/language/nearest.h"
#include "sampling/scenario/reader_internal.h"

#include <stdio.h>
#include <string.h>

/// What the pairs of a block are held against.
typedef struct surfaces {
    gmc_lookup known; ///< indices into the scenario's surfaces by name
    int idle;         ///< names in pairs that nothing has, so far
} surfaces;

// Index of a surface of the scenario; -1: nothing is called so.
static int find(const gmc_reader *r, const surfaces *all, const char *name)
{
    for (int at = 0, i; (i = gmc_lookup_next(&all->known, gmc_lookup_hash(0, name), &at)) >= 0;)
        if (strcmp(r->scenario->surfaces[i].name, name) == 0) return i;
    return -1;
}

static void check_is_surface(gmc_reader *r, surfaces *all, const char *name, const gmc_node *pair)
{
    if (r->report->error_count > 0) return; // bodies may be missing
    if (find(r, all, name) >= 0) return;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < r->scenario->surface_count && all->idle < GMC_DIAGNOSTICS_SHOWN; i++)
        gmc_nearest_offer(&nearest, r->scenario->surfaces[i].name);
    all->idle++;
    char hint[120];
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
    gmc_diagnostics_add(r->report, GMC_WARNING, GMC_OK, pair->key_source,
                        nearest.best ? hint : NULL, "friction.%.80s: nothing has the surface %.40s",
                        pair->key, name);
}

static bool has_grain(const gmc_reader *r, const surfaces *all, const char *name)
{
    int i = find(r, all, name);
    return i >= 0 && r->scenario->surfaces[i].grain[0] >= 0;
}

static void read_coefficients(gmc_reader *r, const surfaces *all, const gmc_node *map,
                              gmc_friction_spec *f)
{
    const char *path = gmc_reader_join(r, "friction", map->key);
    const gmc_node *rest = gmc_node_find(map, "static"), *across = gmc_node_find(map, "across");
    if (rest) f->friction = gmc_reader_enter(r, rest, path);
    gmc_reader_fields(r, map, path, GMC_SCHEMA_FRICTION, f);
    if (!across || has_grain(r, all, f->a) || has_grain(r, all, f->b)) return;
    char hint[160];
    snprintf(hint, sizeof hint, "surfaces: {%.60s: {grain: x}}", f->a);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, across->key_source, hint,
                        "%.120s.across: neither %.60s nor %.60s has a grain", path, f->a, f->b);
}

static void read_pairs(gmc_reader *r, surfaces *all, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *slash = strchr(n->key, '/');
        if (!slash) continue;
        char *a = gmc_reader_take(r, (int)(slash - n->key) + 1, 1);
        if (!a) return;
        memcpy(a, n->key, (size_t)(slash - n->key));
        gmc_friction_spec *f = &s->frictions[s->friction_count++];
        *f = (gmc_friction_spec){.a = a, .b = slash + 1, .friction = -1, .source = n->key_source};
        gmc_reader_defaults(GMC_SCHEMA_FRICTION, f);
        if (n->kind == GMC_NODE_MAP)
            read_coefficients(r, all, n, f);
        else if (n->kind == GMC_NODE_SCALAR)
            f->friction = gmc_reader_enter(r, n, gmc_reader_join(r, "friction", n->key));
        check_is_surface(r, all, f->a, n);
        if (strcmp(f->a, f->b) != 0) check_is_surface(r, all, f->b, n);
    }
}

void gmc_reader_friction(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->frictions = gmc_reader_take(r, map->count, sizeof *s->frictions);
    if (!s->frictions) return;
    surfaces all = {.idle = 0};
    bool is_kept = true;
    for (int i = 0; i < s->surface_count && is_kept; i++)
        is_kept = gmc_lookup_add(&all.known, gmc_lookup_hash(0, s->surfaces[i].name), i) == GMC_OK;
    if (is_kept)
        read_pairs(r, &all, map);
    else
        r->is_arena_full = true; // no memory: said as such
    gmc_lookup_free(&all.known);
}
