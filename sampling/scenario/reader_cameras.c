// The block `cameras` of a scenario.
#include "sampling/language/nearest.h"
#include "sampling/scenario/reader_internal.h"

#include <stdio.h>
#include <string.h>

static void find_aim(gmc_reader *r, const gmc_node *node, gmc_camera_spec *camera)
{
    const gmc_scenario *s = r->scenario;
    if (strcmp(node->text, "object") == 0) {
        camera->aim = GMC_AIM_OBJECT;
        return;
    }
    gmc_nearest nearest = gmc_nearest_start(node->text);
    gmc_nearest_offer(&nearest, "object");
    for (int i = 0; i < s->scene_count; i++) {
        if (strcmp(s->scene[i].name, node->text) == 0) {
            camera->aim = GMC_AIM_SCENE;
            camera->scene = i;
            return;
        }
        gmc_nearest_offer(&nearest, s->scene[i].name);
    }
    char hint[120] = "object, a body of the scene, or [x, y, z]";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, node->source, hint,
                        "cameras.%.60s.pose.look_at: there is no body %.60s", camera->name,
                        node->text);
}

static void read_camera(gmc_reader *r, const gmc_node *map, gmc_camera_spec *camera)
{
    const gmc_node *pose = gmc_node_find(map, "pose"), *aim = gmc_node_find(pose, "look_at");
    *camera = (gmc_camera_spec){.name = map->key, .source = map->key_source};
    const char *path = gmc_reader_join(r, gmc_reader_join(r, "cameras", map->key), "pose");
    gmc_reader_fields(r, pose, path, GMC_SCHEMA_VIEW, camera);
    if (aim && aim->kind == GMC_NODE_SCALAR && !aim->is_bad) find_aim(r, aim, camera);
    if (camera->point[2] >= 0) camera->aim = GMC_AIM_POINT;
    if (aim && (camera->roll >= 0 || camera->pitch >= 0 || camera->yaw >= 0))
        gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, aim->key_source,
                            "keep one of the two", "%.120s: look_at excludes roll, pitch and yaw",
                            path);
}

void gmc_reader_cameras(gmc_reader *r, const gmc_node *map)
{
    gmc_scenario *s = r->scenario;
    if (!map || map->kind != GMC_NODE_MAP) return;
    s->cameras = gmc_reader_take(r, map->count, sizeof *s->cameras);
    if (!s->cameras) return;
    for (const gmc_node *n = map->first; n; n = n->next)
        if (n->kind == GMC_NODE_MAP) read_camera(r, n, &s->cameras[s->camera_count++]);
}

int gmc_reader_cameras_find(gmc_reader *r, const gmc_node *seen_by)
{
    const gmc_scenario *s = r->scenario;
    if (!seen_by || seen_by->kind != GMC_NODE_SCALAR || seen_by->is_bad) return -1;
    gmc_nearest nearest = gmc_nearest_start(seen_by->text);
    for (int i = 0; i < s->camera_count; i++) {
        if (strcmp(s->cameras[i].name, seen_by->text) == 0) return i;
        gmc_nearest_offer(&nearest, s->cameras[i].name);
    }
    char hint[120] = "cameras: {head: {pose: {xyz: [0.6 m, 0 m, 0.7 m], look_at: object}}}";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best);
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, seen_by->source, hint,
                        "believed.object.pose.seen_by: there is no camera %.60s", seen_by->text);
    return -1;
}
