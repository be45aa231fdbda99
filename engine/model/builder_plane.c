// What is planar must stay in its plane: planar shapes lie parallel to z = 0 of the world, and
// every joint above them keeps them so. Their contacts look at x and y alone and would not notice.

#include "engine/model/builder_internal.h"

// As for rotations: good to the rounding of angles and quaternions.
static const double SLACK = 1e-9;

// Does the joint of body b move things within the plane only, given its pose at the start?
static bool keeps_plane(const gmc_body *body, const gmc_mat3 *R_wb)
{
    gmc_vec3 axis = gmc_mat3_apply(R_wb, body->axis); // its own joint leaves it where it is
    switch (body->joint) {
    case GMC_JOINT_FIXED:
    case GMC_JOINT_PLANAR:
        return true;
    case GMC_JOINT_REVOLUTE:
        return fabs(axis.x) + fabs(axis.y) <= SLACK;
    case GMC_JOINT_PRISMATIC:
        return fabs(axis.z) <= SLACK;
    case GMC_JOINT_SPHERICAL:
    case GMC_JOINT_FREE:
    case GMC_JOINT_COUNT:
        break;
    }
    return false;
}

void gmc_builder_plane_check(gmc_builder *builder, const gmc_model *m, const gmc_pose *X_wb)
{
    const gmc_builder_geom_entry *entries = builder->geoms.items;
    for (int i = 0; i < m->geom_count; i++) {
        const gmc_geom *geom = &m->geoms[i];
        if (!gmc_shape_is_planar(geom->shape.type)) continue;
        gmc_pose X_wg = gmc_pose_multiply(&X_wb[geom->body], &geom->X_bg);
        gmc_vec3 z = gmc_mat3_column(&X_wg.R, 2);
        const char *name = geom->name ? geom->name : "world";
        if (!(fabs(z.x) + fabs(z.y) <= SLACK && z.z > 0)) {
            gmc_builder_check_report(builder, entries[i].source, NULL,
                                     "shape '%s' is planar: its z axis must be the world's", name);
            continue;
        }
        for (int b = geom->body; b > 0; b = m->bodies[b].parent)
            if (!keeps_plane(&m->bodies[b], &X_wb[b].R)) {
                gmc_builder_check_report(
                    builder, entries[i].source,
                    "planar joints, hinges about z and sliders along the plane keep it there",
                    "shape '%s' is planar, and the joint of '%s' takes it out of its plane", name,
                    m->bodies[b].name);
                break;
            }
    }
}
