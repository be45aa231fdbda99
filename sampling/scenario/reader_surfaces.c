// The block `surfaces`, with an entry for every surface that something is only said to have.
#include "sampling/scenario/reader_internal.h"
#include "sampling/scenario/validate.h"

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

static void name_all(gmc_reader *r, gmc_node *surfaces)
{
    const gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->object_count; i++)
        name_surface(r, surfaces, s->objects[i].surface, s->objects[i].source);
    for (int i = 0; i < s->scene_count; i++)
        name_surface(r, surfaces, s->scene[i].surface, s->scene[i].source);
    for (int i = 0; i < s->clutter.kind_count; i++)
        name_surface(r, surfaces, s->clutter.kinds[i].surface, s->clutter.kinds[i].source);
    name_surface(r, surfaces, s->hand.surface, s->hand.source);
    for (int i = 0; i < s->hand.surface_count; i++)
        name_surface(r, surfaces, s->hand.surfaces[i].surface, s->hand.surfaces[i].source);
}

static void read_surface(gmc_reader *r, const gmc_node *n, gmc_surface_spec *surface)
{
    const char *path = gmc_reader_join(r, "surfaces", n->key);
    *surface = (gmc_surface_spec){.name = n->key};
    surface->stiffness = gmc_reader_number(r, n, path, "stiffness");
    surface->relaxation = gmc_reader_number(r, n, path, "relaxation");
    surface->poisson = gmc_reader_number(r, n, path, "poisson");
    const gmc_node *pad = gmc_node_find(n, "pad");
    const char *pad_path = gmc_reader_join(r, path, "pad");
    surface->pad_thickness = gmc_reader_number(r, pad, pad_path, "thickness");
    surface->pad_modulus = gmc_reader_number(r, pad, pad_path, "modulus");
    surface->pad_poisson = gmc_reader_number(r, pad, pad_path, "poisson");
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
        read_surface(r, n, &s->surfaces[s->surface_count++]);
    }
    return GMC_OK;
}
