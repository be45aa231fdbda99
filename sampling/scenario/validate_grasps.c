// `grasps` of an object: `grasps: mug.yaml` is short for `grasps: {file: mug.yaml}`.
#include "sampling/scenario/validate_internal.h"

gmc_status gmc_validate_grasps_spread(gmc_node *node, gmc_arena *arena)
{
    if (node->kind != GMC_NODE_SCALAR || node->text[0] == 0) return GMC_OK;
    gmc_node *file = gmc_node_create(arena, GMC_NODE_SCALAR, node->source);
    if (!file) return GMC_E_ARENA_FULL;
    file->folder = node->folder;
    file->text = node->text;
    file->is_plain = node->is_plain;
    node->kind = GMC_NODE_MAP;
    node->text = NULL;
    gmc_node_append(node, "file", node->source, file);
    return GMC_OK;
}

gmc_status gmc_validate_grasps(gmc_validate *v, const gmc_schema_row *row, gmc_node *node)
{
    GMC_TRY(gmc_validate_grasps_spread(node, v->arena));
    return gmc_validate_group(v, row->child, node);
}
