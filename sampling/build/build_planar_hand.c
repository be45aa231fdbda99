// A hand of a planar world: a URDF whose joints stay in the plane z = 0 of its root link. Its
// shapes are taken by their sections with that plane; masses stay those of the solids.
#include "sampling/build/build_internal.h"

#include <math.h>
#include <stdio.h>

// Files round directions to a few digits less than a double has; a radian of this is no tilt that
// matters over a metre.
static const double TILT = 1e-9;

static bool is_along_z(gmc_vec3 a) { return fabs(a.x) <= TILT && fabs(a.y) <= TILT; }

static void complain(const gmc_build *build, gmc_source source, const char *hint, const char *what,
                     const char *name, const char *why)
{
    gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, source, hint,
                        "%s %s %s: in a planar world the hand stays in the plane z = 0 of its root "
                        "link",
                        what, name, why);
}

// Pose of every link in the root's frame, joints at 0: what tilts there does so always.
static gmc_pose *link_poses(gmc_build *build)
{
    const gmc_urdf *urdf = &build->urdf;
    gmc_pose *X = gmc_arena_take(&build->arena, (size_t)urdf->link_count, sizeof *X);
    for (int i = 0; X && i < urdf->link_count; i++) {
        int joint = urdf->links[i].joint;
        X[i] = gmc_pose_identity();
        if (joint >= 0)
            X[i] = gmc_pose_multiply(&X[urdf->joints[joint].parent], &urdf->joints[joint].X_pj);
    }
    return X;
}

static void check_joints(const gmc_build *build, const gmc_pose *X)
{
    for (int i = 0; i < build->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &build->urdf.joints[i];
        gmc_vec3 axis = gmc_mat3_apply(&X[joint->child].R, joint->axis);
        switch (joint->kind) {
        case GMC_URDF_REVOLUTE:
        case GMC_URDF_CONTINUOUS:
            if (!is_along_z(axis))
                complain(build, joint->source, "let it turn about z, or fix it", "joint",
                         joint->name, "turns out of the plane");
            break;
        case GMC_URDF_PRISMATIC:
            if (!(fabs(axis.z) <= TILT))
                complain(build, joint->source, "let it slide along x or y, or fix it", "joint",
                         joint->name, "slides out of the plane");
            break;
        case GMC_URDF_FLOATING:
            complain(build, joint->source, NULL, "joint", joint->name, "is free");
            break;
        case GMC_URDF_FIXED:
            break;
        }
    }
}

static void check_frame(const gmc_build *build, const gmc_pose *X)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    int link = hand->frame ? gmc_urdf_find_link(&build->urdf, hand->frame) : -1;
    if (link < 0) return; // the root, or reported later
    gmc_vec3 z = gmc_mat3_column(&X[link].R, 2);
    if (is_along_z(z) && z.z > 0 && fabs(X[link].p.z) <= TILT) return;
    complain(build, hand->frame_source, "a link with its origin at z = 0 and its z axis along z",
             "frame", hand->frame, "lies beside the plane or is tilted");
}

// ---- sections -----------------------------------------------------------------------------------

/// A section: where it is in the root's frame (x axis unit and in the plane), and the shape.
typedef struct section {
    gmc_vec3 centre, along;
    gmc_shape shape;
} section;

typedef enum outcome { MISSED, CUT, UNKNOWN } outcome;

static outcome make_circle(double square, section *s)
{
    if (!(square > 0)) return MISSED;
    s->along = (gmc_vec3){1, 0, 0};
    s->shape = (gmc_shape){.type = GMC_SHAPE_CIRCLE,
                           .radius = sqrt(square),
                           .half_length = GMC_BUILD_THICKNESS / 2,
                           .scale = 1};
    return CUT;
}

static outcome cut_box(const gmc_pose *X, gmc_vec3 half, section *s, double *half_x, double *half_y)
{
    const double sizes[3] = {half.x, half.y, half.z};
    for (int k = 0; k < 3; k++) {
        if (!is_along_z(gmc_mat3_column(&X->R, k))) continue;
        int x = (k + 1) % 3, y = (k + 2) % 3;
        s->along = gmc_mat3_column(&X->R, x);
        *half_x = sizes[x];
        *half_y = sizes[y];
        return fabs(X->p.z) < sizes[k] ? CUT : MISSED;
    }
    return UNKNOWN;
}

static outcome cut_cylinder(const gmc_pose *X, const gmc_shape *shape, section *s, double *half_x,
                            double *half_y)
{
    gmc_vec3 axis = gmc_mat3_column(&X->R, 2);
    double r2 = shape->radius * shape->radius, z = X->p.z;
    if (is_along_z(axis)) return fabs(z) < shape->half_length ? make_circle(r2, s) : MISSED;
    if (!(fabs(axis.z) <= TILT)) return UNKNOWN;
    if (!(z * z < r2)) return MISSED;
    s->along = axis;
    *half_x = shape->half_length;
    *half_y = sqrt(r2 - z * z);
    return CUT;
}

// Where a rectangle comes out, its sizes are given; else they are 0.
static outcome cut_shape(const gmc_pose *X, const gmc_shape *shape, section *s, double *half_x,
                         double *half_y)
{
    double r2 = shape->radius * shape->radius, z = X->p.z;
    *half_x = *half_y = 0;
    s->centre = (gmc_vec3){X->p.x, X->p.y, 0};
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return make_circle(r2 - z * z, s);
    case GMC_SHAPE_CAPSULE: {
        double beyond = fmax(fabs(z) - shape->half_length, 0);
        bool stands = is_along_z(gmc_mat3_column(&X->R, 2));
        return stands ? make_circle(r2 - beyond * beyond, s) : UNKNOWN;
    }
    case GMC_SHAPE_CYLINDER:
        return cut_cylinder(X, shape, s, half_x, half_y);
    case GMC_SHAPE_BOX:
        return cut_box(X, shape->half, s, half_x, half_y);
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYTOPE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return UNKNOWN;
}

static gmc_pose pose_of(const section *s)
{
    gmc_vec3 x = s->along;
    return (gmc_pose){.R = {{x.x, -x.y, 0, x.y, x.x, 0, 0, 0, 1}}, .p = s->centre};
}

// Shapes that do not reach the plane touch nothing there.
static gmc_status flatten_link(gmc_build *build, const gmc_pose *X_rl, gmc_urdf_link *link)
{
    int kept = 0;
    for (int i = 0; i < link->shape_count; i++) {
        gmc_urdf_shape *from = &link->shapes[i];
        gmc_pose X = gmc_pose_multiply(X_rl, &from->X_lg);
        section s = {0};
        double half_x = 0, half_y = 0;
        outcome found = cut_shape(&X, &from->shape, &s, &half_x, &half_y);
        if (found == UNKNOWN)
            complain(build, from->source,
                     "boxes with a face in the plane, spheres, cylinders along z or in the plane, "
                     "and capsules along z have sections",
                     "a shape of link", link->name, "has no simple section");
        if (found != CUT) continue;
        if (half_x > 0) GMC_TRY(gmc_build_rectangle(half_x, half_y, &build->arena, &s.shape));
        gmc_pose X_rg = pose_of(&s);
        from->X_lg = gmc_pose_relative(X_rl, &X_rg);
        from->shape = s.shape;
        link->shapes[kept++] = *from;
    }
    link->shape_count = kept;
    return GMC_OK;
}

gmc_status gmc_build_flatten_hand(gmc_build *build)
{
    gmc_pose *X = link_poses(build);
    if (!X) return GMC_E_ARENA_FULL;
    check_joints(build, X);
    check_frame(build, X);
    for (int i = 0; i < build->urdf.link_count; i++)
        GMC_TRY(flatten_link(build, &X[i], &build->urdf.links[i]));
    return GMC_OK;
}
