// Judges what needs the whole tree: a joint that is free to move must move inertia, its own body's
// or that of what hangs on it, at the start. Composites are gathered from the leaves to the root.

#include "engine/model/builder_internal.h"
#include "engine/model/inertia.h"

// A joint moves something if its inertia exceeds this share of what the mass gives at its own
// distance.
static const double INERTIA_FLOOR = 1e-12;

// The tensor about a point; the mass stays where it is.
static gmc_mat3 tensor_about(const gmc_inertia *inertia, gmc_vec3 point)
{
    gmc_vec3 d = gmc_vec3_sub(inertia->com, point);
    gmc_mat3 D = gmc_mat3_cross(d), Dt = gmc_mat3_transpose(&D), shift = gmc_mat3_multiply(&D, &Dt);
    return gmc_mat3_add_scaled(&inertia->I, inertia->mass, &shift);
}

// Does the joint of body i move inertia, given the composite of all that hangs on it?
static bool moves_inertia(const gmc_model *m, int i, const gmc_pose *X_wb,
                          const gmc_inertia *composite)
{
    const gmc_body *body = m->bodies + i;
    const gmc_inertia *all = composite + i;
    bool is_free = body->joint == GMC_JOINT_FREE || body->joint == GMC_JOINT_PLANAR;
    gmc_mat3 I = tensor_about(all, is_free ? all->com : X_wb[i].p);
    double least = INERTIA_FLOOR * (I.m[0] + I.m[4] + I.m[8]);
    double armature = m->dofs[body->v].armature, principal[3];
    switch (body->joint) {
    case GMC_JOINT_PRISMATIC:
        return all->mass + armature > 0;
    case GMC_JOINT_REVOLUTE: {
        // the joint's own rotation leaves its axis where it is
        gmc_vec3 axis = gmc_mat3_apply(&X_wb[i].R, body->axis);
        double about = gmc_vec3_dot(axis, gmc_mat3_apply(&I, axis)) + armature;
        return about > least && about > 0;
    }
    case GMC_JOINT_SPHERICAL:
    case GMC_JOINT_FREE:
        gmc_inertia_principal(&I, principal);
        return principal[0] + armature > least && principal[0] + armature > 0 &&
               (!is_free || all->mass > 0);
    case GMC_JOINT_PLANAR: // both z axes are the world's
        return all->mass > 0 && I.m[8] + armature > least;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return true;
}

// A dof moves what its own joint moves and what its mimics move.
static bool dof_moves_inertia(const gmc_model *m, int leader, const gmc_pose *X_wb,
                              const gmc_inertia *composite)
{
    for (int i = 1; i < m->body_count; i++)
        if (m->bodies[i].joint != GMC_JOINT_FIXED && m->bodies[i].v == m->bodies[leader].v &&
            moves_inertia(m, i, X_wb, composite))
            return true;
    return false;
}

void gmc_builder_mass_check(gmc_builder *builder, const gmc_model *m, gmc_pose *X_wb,
                            gmc_inertia *composite)
{
    const gmc_builder_link_entry *links = gmc_builder_links(builder);
    X_wb[0] = gmc_pose_identity();
    for (int i = 1; i < m->body_count; i++) {
        const gmc_body *body = m->bodies + i;
        gmc_pose X_jb = gmc_model_joint_pose(body, m->q_start);
        gmc_pose X_wj = gmc_pose_multiply(X_wb + body->parent, &body->X_pj);
        X_wb[i] = gmc_pose_multiply(&X_wj, &X_jb);
        composite[i] = gmc_inertia_move(X_wb + i, &body->inertia);
    }
    for (int i = m->body_count - 1; i > 0; i--) {
        int parent = m->bodies[i].parent;
        if (parent > 0) composite[parent] = gmc_inertia_combine(composite + parent, composite + i);
    }
    for (int k = 0; k < builder->links.count; k++) {
        const gmc_body *body = m->bodies + links[k].body;
        bool is_first = body->name == links[k].name;
        if (!is_first || body->joint == GMC_JOINT_FIXED || body->is_driven || body->is_mimic)
            continue;
        if (!dof_moves_inertia(m, links[k].body, X_wb, composite))
            gmc_builder_check_report(
                builder, links[k].source, "give the link, or what hangs on it, a mass",
                "joint '%s' of link '%s' moves no mass", links[k].joint.name, body->name);
    }
}
