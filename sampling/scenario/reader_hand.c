// The block `hand`.
#include "sampling/scenario/reader_internal.h"

#include <string.h>

static void read_joints(gmc_reader *r, const gmc_node *map)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    if (!map || map->kind != GMC_NODE_MAP) return;
    hand->joints = gmc_reader_take(r, map->count, sizeof *hand->joints);
    if (!hand->joints) return;
    for (const gmc_node *n = map->first; n; n = n->next) {
        const char *path = gmc_reader_join(r, "hand", n->key);
        gmc_joint_setting *joint = &hand->joints[hand->joint_count++];
        *joint = (gmc_joint_setting){.joint = n->key, .source = n->key_source};
        gmc_reader_fields(r, n, path, GMC_SCHEMA_JOINT, joint);
        const gmc_node *closes = gmc_node_find(n, "closes");
        const char *word = gmc_reader_text(n, "closes");
        joint->closes = !word ? 0 : strcmp(word, "upper") == 0 ? 1 : -1;
        joint->closes_at = closes ? closes->source : n->key_source;
    }
}

static void read_hand_surfaces(gmc_reader *r, const gmc_node *node)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    if (!node) return;
    if (node->kind == GMC_NODE_SCALAR) {
        hand->surface = node->text;
        return;
    }
    if (node->kind != GMC_NODE_MAP) return;
    hand->surfaces = gmc_reader_take(r, node->count, sizeof *hand->surfaces);
    if (!hand->surfaces) return;
    for (const gmc_node *n = node->first; n; n = n->next) {
        if (n->kind != GMC_NODE_SCALAR) continue;
        hand->surfaces[hand->surface_count++] =
            (gmc_surface_setting){.link = n->key, .surface = n->text, .source = n->key_source};
        if (strcmp(n->key, "rest") == 0) hand->surface = n->text;
    }
}

static const char *const *read_names(gmc_reader *r, gmc_node *list, bool are_files, int *count)
{
    *count = 0;
    int entries = list && list->kind == GMC_NODE_LIST ? list->count : 0;
    const char **names = gmc_reader_take(r, entries + 1, sizeof *names);
    if (!names || entries == 0) return names;
    for (gmc_node *n = list->first; n; n = n->next)
        if (n->kind == GMC_NODE_SCALAR)
            names[(*count)++] = are_files ? gmc_reader_file_name(r, n) : n->text;
    return names;
}

// No names are no choice: without the list the program chooses, and no fingers cannot grasp.
static void check_fingers_named(gmc_reader *r, const gmc_node *list)
{
    if (!list || list->kind != GMC_NODE_LIST || list->count > 0) return;
    gmc_diagnostics_add(r->report, GMC_ERROR, GMC_E_INPUT, list->source,
                        "name joints that `close` and `open` move, [left_joint, right_joint], or "
                        "leave the line out: then those that bend fingers",
                        "hand.fingers is empty");
}

void gmc_reader_hand(gmc_reader *r, gmc_node *map)
{
    gmc_hand_spec *hand = &r->scenario->hand;
    hand->target = (gmc_pose_spec){-1, -1, -1, -1, -1, -1};
    int folder_count = 0;
    hand->package_path = read_names(r, gmc_node_find(map, "package_path"), true, &folder_count);
    hand->fingers = read_names(r, gmc_node_find(map, "fingers"), false, &hand->finger_count);
    check_fingers_named(r, gmc_node_find(map, "fingers"));
    if (!map || map->kind != GMC_NODE_MAP) return;
    hand->source = map->key_source;
    gmc_reader_fields(r, map, "hand", GMC_SCHEMA_HAND, hand);
    gmc_node *urdf = gmc_node_find(map, "urdf");
    hand->urdf = gmc_reader_file_name(r, urdf);
    hand->urdf_file = gmc_reader_load(r, hand->urdf, urdf ? urdf->source : map->source);
    const gmc_node *frame = gmc_node_find(map, "frame");
    hand->frame_source = frame ? frame->source : map->key_source;
    read_hand_surfaces(r, gmc_node_find(map, "surface"));
    read_joints(r, gmc_node_find(map, "joints"));
    hand->target = gmc_reader_pose(r, map, "hand", "target");
}
