// The block `surfaces`, with an entry for every surface that something is only said to have.
#include "sampling/language/nearest.h"
#include "sampling/language/validate.h"
#include "sampling/scenario/reader_internal.h"

#include <stdio.h>
#include <string.h>

static void name_surface(gmc_reader *r, gmc_node *surfaces, const char *name, gmc_source source)
{
    if (!name || gmc_node_find(surfaces, name)) return;
    gmc_node *entry = gmc_node_create(r->scenario->arena, GMC_NODE_MAP, source);
    if (!entry) {
        r->is_arena_full = true;
        return;
    }
    entry->is_default = true;
    gmc_node_append(surfaces, name, source, entry);
}

// The block, made if nobody wrote it; NULL without memory.
static gmc_node *block_of(gmc_reader *r, gmc_node *root)
{
    gmc_node *surfaces = gmc_node_find(root, "surfaces");
    if (surfaces) return surfaces;
    surfaces = gmc_node_create(r->scenario->arena, GMC_NODE_MAP, root->source);
    if (!surfaces) return NULL;
    surfaces->row = gmc_schema_find(GMC_SCHEMA_ROOT, "surfaces");
    surfaces->is_default = true;
    gmc_node_append(root, "surfaces", root->source, surfaces);
    return surfaces;
}

static int had_count(const gmc_scenario *s)
{
    return s->object_count + s->scene_count + s->clutter.kind_count + s->hand.surface_count + 1;
}

// The i-th surface that something is said to have; NULL: nothing is said there.
static const char *had(const gmc_scenario *s, int i, gmc_source *source)
{
    const gmc_item_spec *items[] = {s->objects, s->scene};
    int counts[] = {s->object_count, s->scene_count};
    for (int k = 0; k < GMC_COUNT(items); i -= counts[k], k++) {
        if (i >= counts[k]) continue;
        *source = items[k][i].source;
        return items[k][i].surface;
    }
    if (i < s->clutter.kind_count) {
        *source = s->clutter.kinds[i].source;
        return s->clutter.kinds[i].surface;
    }
    i -= s->clutter.kind_count + 1;
    *source = i < 0 ? s->hand.source : s->hand.surfaces[i].source;
    return i < 0 ? s->hand.surface : s->hand.surfaces[i].surface;
}

static void name_all(gmc_reader *r, gmc_node *surfaces)
{
    gmc_source source;
    for (int i = 0; i < had_count(r->scenario); i++) {
        const char *name = had(r->scenario, i, &source);
        name_surface(r, surfaces, name, source);
    }
}

// Was something left out below, that had to be there?
static bool is_incomplete(const gmc_node *node)
{
    if (node->is_stand_in && node->is_default) return true;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (is_incomplete(n)) return true;
    return false;
}

// An entry that is incomplete may be one with a misspelt name. (Of those that are complete
// build.c warns, which knows what the links of the hand have.)
static void check_name(gmc_reader *r, const gmc_node *entry)
{
    gmc_nearest nearest = gmc_nearest_start(entry->key);
    gmc_source source;
    if (!is_incomplete(entry)) return;
    for (int i = 0; i < had_count(r->scenario); i++) {
        const char *name = had(r->scenario, i, &source);
        if (name && strcmp(name, entry->key) == 0) return;
        if (name) gmc_nearest_offer(&nearest, name);
    }
    if (!nearest.best) return; // what has it may be a mistake, too
    char hint[120];
    snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, entry->key_source, hint,
                        "surfaces.%.80s: nothing has this surface", entry->key);
}

static void read_surface(gmc_reader *r, const gmc_node *n, gmc_surface_spec *surface)
{
    const char *path = gmc_reader_join(r, "surfaces", n->key);
    *surface = (gmc_surface_spec){.name = n->key};
    gmc_reader_fields(r, n, path, GMC_SCHEMA_SURFACE, surface);
    gmc_reader_fields(r, gmc_node_find(n, "pad"), gmc_reader_join(r, path, "pad"), GMC_SCHEMA_PAD,
                      surface);
    gmc_reader_vector(r, n, path, "grain", surface->grain);
}

// Every surface that something has gets an entry, so that its properties have paths.
gmc_status gmc_reader_surfaces(gmc_reader *r, gmc_node *root)
{
    gmc_scenario *s = r->scenario;
    gmc_node *surfaces = block_of(r, root);
    if (!surfaces) return GMC_E_ARENA_FULL;
    if (surfaces->kind != GMC_NODE_MAP) return GMC_OK;
    name_all(r, surfaces);
    s->surfaces = gmc_reader_take(r, surfaces->count, sizeof *s->surfaces);
    if (!s->surfaces) return GMC_E_ARENA_FULL;
    for (gmc_node *n = surfaces->first; n; n = n->next) {
        if (n->is_default)
            GMC_TRY(gmc_validate_part(n, GMC_SCHEMA_SURFACE, "surfaces", r->report, s->arena));
        else
            check_name(r, n);
        read_surface(r, n, &s->surfaces[s->surface_count++]);
    }
    return GMC_OK;
}
