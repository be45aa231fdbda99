// `object.com.x` is a number only where the body says `com`; else the centre of mass follows from
// the shape, which may be another one in every trial. What the line was meant to vary is then told
// number by number, so that it can be written down.
#include "engine/model/inertia.h"
#include "engine/model/mesh.h"
#include "sampling/scenario/resolve_internal.h"

#include <stdio.h>
#include <string.h>

// The body in whose frame "PATH.com" or "PATH.com.x" lies; NULL: none.
static const gmc_item_spec *body_of(const gmc_scenario *s, const char *path)
{
    for (int i = 0; i < s->object_count + s->scene_count; i++) {
        const gmc_item_spec *item =
            i < s->object_count ? &s->objects[i] : &s->scene[i - s->object_count];
        size_t length = strlen(item->path);
        if (strncmp(path, item->path, length) != 0 || strncmp(path + length, ".com", 4) != 0)
            continue;
        const char *rest = path + length + 4;
        if (!*rest || (*rest == '.' && strchr("xyz*", rest[1]) && !rest[2])) return item;
    }
    return NULL;
}

// Of one closed surface; what is cut into pieces is weighed later.
static bool weigh_mesh(const gmc_resolver *r, const gmc_item_spec *item, gmc_vec3 *centre)
{
    const gmc_asset *asset = NULL;
    for (int i = 0; i < r->scenario->asset_count && item->mesh_file; i++)
        if (strcmp(r->scenario->assets[i].file, item->mesh_file) == 0)
            asset = &r->scenario->assets[i];
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics unheard = {0}; // all of it is said where the mesh is built
    gmc_mesh mesh;
    if (!asset) return false;
    gmc_inertia inertia;
    gmc_inertia_mesh about = {0};
    gmc_status status =
        gmc_mesh_parse(asset->name, asset->bytes, asset->size, &options, &unheard, &mesh);
    bool is_known = status == GMC_OK && mesh.part_count == 1 &&
                    gmc_inertia_of_mesh(mesh.vertices, mesh.vertex_count, mesh.triangles[0],
                                        mesh.triangle_count, 1, &inertia, &about) == GMC_OK &&
                    about.is_oriented;
    if (is_known) {
        double scale = item->scale >= 0 ? r->scenario->parameters[item->scale].nominal : 1;
        *centre = gmc_vec3_scale(scale, about.centroid);
    }
    if (status == GMC_OK) gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&unheard);
    return is_known;
}

static bool find_centre(const gmc_resolver *r, const gmc_item_spec *item, gmc_vec3 *centre)
{
    *centre = (gmc_vec3){item->centre.x, item->centre.y, 0}; // all but meshes and polygons: 0
    if (item->part_count > 0 || item->kind == GMC_KIND_NONE) return false;
    return item->kind != GMC_KIND_MESH || weigh_mesh(r, item, centre);
}

// Also if what it says is a mistake.
static bool says_centre(const gmc_scenario *s, const gmc_item_spec *item)
{
    const char *dot = strchr(item->path, '.');
    char block[16];
    snprintf(block, sizeof block, "%.*s", dot ? (int)(dot - item->path) : 15, item->path);
    const gmc_node *node = gmc_node_find(s->tree, block);
    if (node && dot) node = gmc_node_find(node, dot + 1);
    return !node || gmc_node_find(node, "com") != NULL;
}

bool gmc_resolve_centre(const gmc_resolver *r, const char *path, gmc_source source)
{
    const gmc_item_spec *item = body_of(r->scenario, path);
    if (!item || says_centre(r->scenario, item)) return false;
    gmc_vec3 centre;
    char hint[320];
    if (find_centre(r, item, &centre))
        snprintf(hint, sizeof hint,
                 "write it down, then it is a number that can vary: add  com: [%.6g mm, %.6g mm, "
                 "%.6g mm]  under %.80s",
                 1e3 * centre.x, 1e3 * centre.y, 1e3 * centre.z, item->path);
    else
        snprintf(hint, sizeof hint,
                 "write it down, then it is a number that can vary: add  com: [x, y, z]  under "
                 "%.80s; check --model prints the one that the shape has",
                 item->path);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "%.120s: the centre of mass of %.80s follows from its shape", path,
                        item->path);
    return true;
}
