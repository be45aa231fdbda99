// What only the hand's description knows about files of grasps: how the frame that they place lies
// to the tool point, and which joint a name means.
#include "sampling/build/build_internal.h"
#include "sampling/language/nearest.h"
#include "sampling/scenario/grasp_set.h"

#include <stdio.h>
#include <string.h>

// Pose of a link in the first link above it that moves by itself, and that link.
static gmc_pose in_moving_link(const gmc_urdf *urdf, int *link)
{
    gmc_pose X = gmc_pose_identity();
    for (int joint = urdf->links[*link].joint; joint >= 0; joint = urdf->links[*link].joint) {
        const gmc_urdf_joint *up = &urdf->joints[joint];
        if (up->kind != GMC_URDF_FIXED) break;
        X = gmc_pose_multiply(&up->X_pj, &X);
        *link = up->parent;
    }
    return X;
}

static int find_link(const gmc_build *build, const char *name, gmc_source source)
{
    if (!name) return 0; // the root
    int link = gmc_urdf_find_link(&build->urdf, name);
    if (link >= 0) return link;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < build->urdf.link_count; i++)
        gmc_nearest_offer(&nearest, build->urdf.links[i].name);
    char hint[256] = "links are named in the URDF";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "the hand has no link %s", name);
    return -1;
}

// X_gt: hand.frame in the gripper frame of the file.
static void find_frames(const gmc_build *build, gmc_grasp_set *set)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    set->X_gt = gmc_pose_identity();
    int tool = hand->frame ? gmc_urdf_find_link(&build->urdf, hand->frame) : 0;
    if (tool < 0) return; // reported with hand.frame
    int link = set->frame ? find_link(build, set->frame, set->frame_source) : tool;
    if (link < 0) return;
    int moving_link = link, moving_tool = tool;
    gmc_pose X_ml = in_moving_link(&build->urdf, &moving_link);
    gmc_pose X_mt = in_moving_link(&build->urdf, &moving_tool);
    if (moving_link != moving_tool) {
        gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, set->frame_source,
                            "take a link of the palm for both",
                            "%s moves against hand.frame (%s): a pose of the one does not place "
                            "the other",
                            build->urdf.links[link].name, build->urdf.links[tool].name);
        return;
    }
    const double *g = set->gripper;
    gmc_pose X_lg =
        gmc_pose_make(gmc_quat_from_rpy(g[3], g[4], g[5]), (gmc_vec3){g[0], g[1], g[2]});
    gmc_pose X_mg = gmc_pose_multiply(&X_ml, &X_lg);
    set->X_gt = gmc_pose_relative(&X_mg, &X_mt);
}

static bool is_moving(const gmc_urdf_joint *joint)
{
    return joint->kind == GMC_URDF_REVOLUTE || joint->kind == GMC_URDF_CONTINUOUS ||
           joint->kind == GMC_URDF_PRISMATIC;
}

// Index into hand.joints; -1: a joint that follows another, or a name that the hand has not
// (reported).
static int find_joint(const gmc_build *build, const gmc_grasp_set *set, const gmc_grasp_name *name)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, name->text) == 0) return i;
    int joint = gmc_urdf_find_joint(&build->urdf, name->text);
    if (joint >= 0 && is_moving(&build->urdf.joints[joint])) return -1; // follows another
    gmc_nearest nearest = gmc_nearest_start(name->text);
    for (int i = 0; i < hand->joint_count; i++)
        gmc_nearest_offer(&nearest, hand->joints[i].joint);
    char hint[256] = "joints: none  leaves the joints of the file aside";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    gmc_source source = {.file = set->asset_file, .line = name->line, .column = name->column};
    gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        joint < 0 ? "the hand has no joint %.80s" : "joint %.80s does not move",
                        name->text);
    return -1;
}

static gmc_status bind_joints(const gmc_build *build, gmc_grasp_set *set)
{
    size_t names = (size_t)set->grasps.name_count;
    bool *is_joint = gmc_arena_take(build->scenario->arena, names + 1, sizeof *is_joint);
    set->name_joint = gmc_arena_take(build->scenario->arena, names + 1, sizeof *set->name_joint);
    if (!is_joint || !set->name_joint) return GMC_E_ARENA_FULL;
    for (int i = 0; i < set->grasps.entry_count; i++)
        if (set->grasps.entries[i].kind != GMC_GRASP_PATH)
            is_joint[set->grasps.entries[i].name] = true;
    for (size_t i = 0; i < names; i++) {
        bool is_used = is_joint[i] && set->joints != GMC_GRASP_JOINTS_NONE;
        set->name_joint[i] = is_used ? find_joint(build, set, &set->grasps.names[i]) : -1;
    }
    return GMC_OK;
}

gmc_status gmc_build_declare_grasps(gmc_build *build)
{
    gmc_scenario *scenario = build->scenario;
    if (build->is_sketch && !scenario->hand.is_declared) return GMC_OK; // told of the hand
    for (int i = 0; i < scenario->object_count; i++) {
        gmc_grasp_set *set = scenario->objects[i].grasps;
        if (!set) continue;
        if (!scenario->hand.urdf) {
            gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, set->source, "add  hand",
                                "%.120s: there is no hand to grasp with", set->path);
            continue;
        }
        find_frames(build, set);
        GMC_TRY(bind_joints(build, set));
    }
    return gmc_diagnostics_status(build->report);
}
