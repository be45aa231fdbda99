// One sweep from the root: pose, then axes, then twist of every body. Axes are kept per body and
// dof, not per dof, so that a mimic joint is nothing special: its axis carries the ratio and the
// leader's dof.
//
// The axes of a free joint follow from its velocities: those of the centre of mass, and the angular
// one, both along the world. So the first three axes are constant and the last three turn about the
// centre of mass; for all other joints the axes are fixed in the parent and move with it.
//
// Most of a hand only slides: gantries, wrists, jaws. What hangs on prismatic joints alone keeps
// its orientation, hence tensor, axes and the arms between them; a sweep then adds up places. That
// and the products with what is 1 or 0 are told once, from the model's structure: what a sweep
// computes is a plain function of (q, v), the same at every step.

#include "engine/dynamics/kinematics.h"

static const gmc_vec3 UNIT[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static int count_axes(const gmc_model *model)
{
    int count = 0;
    for (int i = 1; i < model->body_count; i++)
        count += gmc_joint_v_count(model->bodies[i].joint);
    return count;
}

// Sum of the lengths of all chains.
static int count_chains(const gmc_model *model)
{
    int count = 0;
    for (int i = 1; i < model->body_count; i++)
        for (int b = i; b > 0; b = model->bodies[b].parent)
            count += gmc_joint_v_count(model->bodies[b].joint);
    return count;
}

// A chain is the parent's chain and the joint's own axes.
static void fill_chains(const gmc_model *model, gmc_kinematics *kin)
{
    int axis = 0, end = 0;
    kin->chain_start[1] = 0; // the world has none
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        int parent = body->parent;
        kin->axis_first[i] = axis;
        for (int k = kin->chain_start[parent]; k < kin->chain_start[parent + 1]; k++)
            kin->chain[end++] = kin->chain[k];
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++) {
            kin->axis_dof[axis] = body->v + k;
            if (body->joint == GMC_JOINT_FREE && k < 3) kin->axes[axis].v = UNIT[k];
            if (body->joint == GMC_JOINT_FREE && k >= 3) kin->axes[axis].w = UNIT[k - 3];
            if (body->joint == GMC_JOINT_PLANAR && k < 2) kin->axes[axis].v = UNIT[k];
            if (body->joint == GMC_JOINT_PLANAR && k == 2) kin->axes[axis].w = UNIT[2];
            kin->chain[end++] = axis++;
        }
        kin->chain_start[i + 1] = end;
    }
    kin->axis_first[model->body_count] = axis;
}

// ---- what never changes ------------------------------------------------------------------------

static bool is_identity(const gmc_mat3 *R)
{
    const gmc_mat3 one = gmc_mat3_identity();
    for (int i = 0; i < 9; i++)
        if (R->m[i] != one.m[i]) return false;
    return true;
}

static gmc_roundness roundness_of(const gmc_mat3 *I)
{
    const double *m = I->m;
    for (int i = 0; i < 3; i++)
        if (m[3 * i + (i + 1) % 3] != 0 || m[3 * i + (i + 2) % 3] != 0) return GMC_ROUNDNESS_NONE;
    return m[0] == m[4] && m[4] == m[8] ? GMC_ROUNDNESS_FULL : GMC_ROUNDNESS_PRINCIPAL;
}

// Index of the frame's axis that the unit vector is, up to its sign; -1 if it is none.
static int coordinate_of(gmc_vec3 axis)
{
    for (int i = 0; i < 3; i++)
        if (fabs(gmc_vec3_get(axis, i)) == 1 && gmc_vec3_get(axis, (i + 1) % 3) == 0 &&
            gmc_vec3_get(axis, (i + 2) % 3) == 0)
            return i;
    return -1;
}

static gmc_mobility mobility_of(const gmc_body *body, gmc_mobility parent)
{
    if (body->joint == GMC_JOINT_FIXED) return GMC_MOBILITY_STANDS;
    bool slides = body->joint == GMC_JOINT_PRISMATIC && parent != GMC_MOBILITY_TURNS;
    return slides ? GMC_MOBILITY_SLIDES : GMC_MOBILITY_TURNS;
}

// A body whose parent is done.
static void fill_steady(const gmc_model *model, int i, gmc_kinematics *kin)
{
    const gmc_body *body = model->bodies + i;
    const gmc_steady *parent = kin->steady + body->parent;
    const gmc_pose *X_wp = kin->X_wb + body->parent;
    gmc_steady *own = kin->steady + i;
    own->mobility = mobility_of(body, parent->mobility);
    own->roundness = roundness_of(&body->inertia.I);
    own->is_isolated = body->is_isolated;
    own->is_flat = body->joint == GMC_JOINT_PLANAR && !body->is_driven;
    kin->steady[body->parent].is_flat = false;
    own->is_straight = is_identity(&body->X_pj.R);
    own->is_centred =
        body->inertia.com.x == 0 && body->inertia.com.y == 0 && body->inertia.com.z == 0;
    own->about = body->joint == GMC_JOINT_REVOLUTE ? coordinate_of(body->axis) : -1;
    if (own->roundness == GMC_ROUNDNESS_FULL) kin->I_w[i] = body->inertia.I;
    if (body->joint == GMC_JOINT_PLANAR) kin->I_w[i].m[8] = body->inertia.I.m[8];
    if (parent->mobility == GMC_MOBILITY_TURNS) return;

    own->is_level = true;
    own->R_wj = gmc_mat3_multiply(&X_wp->R, &body->X_pj.R);
    own->is_upright = is_identity(&own->R_wj);
    own->arm = gmc_mat3_apply(&X_wp->R, body->X_pj.p);
    if (own->mobility == GMC_MOBILITY_TURNS) return;
    own->lever = gmc_mat3_apply(&own->R_wj, body->inertia.com);
    kin->X_wb[i].R = own->R_wj;
    if (own->roundness != GMC_ROUNDNESS_FULL)
        kin->I_w[i] = gmc_mat3_rotate(&own->R_wj, &body->inertia.I);
    if (own->mobility == GMC_MOBILITY_STANDS) {
        kin->X_wb[i].p = gmc_vec3_add(own->arm, X_wp->p);
        kin->com_w[i] = gmc_vec3_add(own->lever, kin->X_wb[i].p);
        return;
    }
    own->along = gmc_mat3_apply(&own->R_wj, body->axis);
    kin->axes[kin->axis_first[i]].v =
        gmc_mat3_apply(&own->R_wj, gmc_vec3_scale(body->ratio, body->axis));
}

static bool is_coupled(const gmc_model *model, const gmc_kinematics *kin, int i)
{
    const gmc_steady *own = kin->steady + i;
    if (own->mobility != GMC_MOBILITY_TURNS || own->is_isolated || own->is_flat) return false;
    int axes = 0, free_axes = 0;
    for (int b = i; b > 0; b = model->bodies[b].parent) {
        const gmc_body *body = model->bodies + b;
        int count = gmc_joint_v_count(body->joint);
        if (!body->is_driven) free_axes += count;
        if (!body->is_driven || kin->steady[b].mobility == GMC_MOBILITY_TURNS) axes += count;
    }
    return free_axes > 0 && axes > 1;
}

gmc_status gmc_kinematics_create(const gmc_model *model, gmc_arena *arena, gmc_kinematics *kin)
{
    int bodies = model->body_count;
    gmc_kinematics k = {.axis_count = count_axes(model)};
    k.steady = GMC_NEW(arena, bodies, gmc_steady);
    k.X_wb = GMC_NEW(arena, bodies, gmc_pose);
    k.com_w = GMC_NEW(arena, bodies, gmc_vec3);
    k.I_w = GMC_NEW(arena, bodies, gmc_mat3);
    k.V = GMC_NEW(arena, bodies, gmc_twist);
    k.axes = GMC_NEW(arena, k.axis_count, gmc_twist);
    k.axis_first = GMC_NEW(arena, bodies + 1, int);
    k.axis_dof = GMC_NEW(arena, k.axis_count, int);
    k.chain_start = GMC_NEW(arena, bodies + 1, int);
    k.chain = GMC_NEW(arena, count_chains(model), int);
    if (!k.steady || !k.X_wb || !k.com_w || !k.I_w || !k.V || !k.axes || !k.axis_first ||
        !k.axis_dof || !k.chain_start || !k.chain)
        return GMC_E_ARENA_FULL;
    k.X_wb[0] = gmc_pose_identity();
    fill_chains(model, &k);
    for (int i = 1; i < model->body_count; i++)
        fill_steady(model, i, &k);
    for (int i = model->body_count - 1; i > 0; i--) {
        k.steady[i].behind += model->bodies[i].inertia.mass;
        k.steady[model->bodies[i].parent].behind += k.steady[i].behind;
        if (k.steady[i].mobility == GMC_MOBILITY_TURNS && !model->bodies[i].is_isolated &&
            !k.steady[i].is_flat)
            k.has_turning = true;
        k.has_flat = k.has_flat || k.steady[i].is_flat;
        k.steady[i].is_coupled = is_coupled(model, &k, i);
    }
    *kin = k;
    return GMC_OK;
}

// ---- the sweep ---------------------------------------------------------------------------------

static gmc_twist turn_about(gmc_vec3 axis, gmc_vec3 through)
{
    return (gmc_twist){axis, gmc_vec3_cross(through, axis)};
}

// A body on prismatic joints: axis, tensor and orientation stay, and nothing turns.
static void slide_body(const gmc_body *body, int i, const double *q, const double *v,
                       gmc_kinematics *kin)
{
    const gmc_steady *own = kin->steady + i;
    double way = body->ratio * q[body->q] + body->offset;
    gmc_vec3 p = gmc_vec3_add(kin->X_wb[body->parent].p, own->arm);
    p = gmc_vec3_add_scaled(p, way, own->along);
    kin->X_wb[i].p = p;
    kin->com_w[i] = gmc_vec3_add(p, own->lever);
    gmc_vec3 along = kin->axes[kin->axis_first[i]].v;
    kin->V[i].v =
        v ? gmc_vec3_add_scaled(kin->V[body->parent].v, v[body->v], along) : (gmc_vec3){0, 0, 0};
}

// R turned about its own axis k by an angle with this sine and cosine: columns x and y mix. For
// literal k, x, y: the compiler then knows the places.
static inline gmc_mat3 mix_columns(const gmc_mat3 *R, int k, int x, int y, double s, double c)
{
    gmc_mat3 turned;
    for (int row = 0; row < 9; row += 3) {
        turned.m[row + k] = R->m[row + k];
        turned.m[row + x] = c * R->m[row + x] + s * R->m[row + y];
        turned.m[row + y] = c * R->m[row + y] - s * R->m[row + x];
    }
    return turned;
}

static gmc_mat3 turn_columns(const gmc_mat3 *R, int k, double angle)
{
    double s, c;
    gmc_sin_cos(angle, &s, &c);
    if (k == 0) return mix_columns(R, 0, 1, 2, s, c);
    if (k == 1) return mix_columns(R, 1, 2, 0, s, c);
    return mix_columns(R, 2, 0, 1, s, c);
}

static gmc_mat3 after_quat(const gmc_steady *own, const gmc_mat3 *R_wj, const double *q)
{
    gmc_mat3 R_jb = gmc_quat_matrix((gmc_quat){q[0], q[1], q[2], q[3]});
    return own->is_upright ? R_jb : gmc_mat3_multiply(R_wj, &R_jb);
}

// Pose of a body in its joint frame X_wj, and its joint's axes but for those of a free joint.
static void place_in_joint(const gmc_body *body, int i, const gmc_mat3 *R_wj, gmc_vec3 p_wj,
                           const double *q, gmc_kinematics *kin)
{
    const gmc_steady *own = kin->steady + i;
    gmc_pose *X_wb = kin->X_wb + i;
    gmc_twist *axes = kin->axes + kin->axis_first[i];
    X_wb->p = p_wj;
    switch (body->joint) {
    case GMC_JOINT_REVOLUTE: {
        double angle = body->ratio * q[0] + body->offset;
        if (own->about >= 0) {
            double sign = gmc_vec3_get(body->axis, own->about);
            gmc_vec3 column = gmc_mat3_column(R_wj, own->about);
            axes[0] = turn_about(gmc_vec3_scale(body->ratio * sign, column), p_wj);
            X_wb->R = turn_columns(R_wj, own->about, sign * angle);
        } else {
            gmc_vec3 axis = gmc_mat3_apply(R_wj, gmc_vec3_scale(body->ratio, body->axis));
            axes[0] = turn_about(axis, p_wj);
            gmc_mat3 R_jb = gmc_model_joint_pose(body, q - body->q).R;
            X_wb->R = gmc_mat3_multiply(R_wj, &R_jb);
        }
        return;
    }
    case GMC_JOINT_PRISMATIC: {
        gmc_vec3 way = gmc_vec3_scale(body->ratio * q[0] + body->offset, body->axis);
        X_wb->R = *R_wj;
        X_wb->p = gmc_vec3_add(gmc_mat3_apply(R_wj, way), p_wj);
        axes[0].v = gmc_mat3_apply(R_wj, gmc_vec3_scale(body->ratio, body->axis));
        return;
    }
    case GMC_JOINT_SPHERICAL:
        X_wb->R = after_quat(own, R_wj, q);
        for (int k = 0; k < 3; k++)
            axes[k] = turn_about(gmc_mat3_column(R_wj, k), p_wj);
        return;
    case GMC_JOINT_FREE: {
        gmc_vec3 way = {q[0], q[1], q[2]};
        X_wb->R = after_quat(own, R_wj, q + 3);
        X_wb->p = gmc_vec3_add(own->is_upright ? way : gmc_mat3_apply(R_wj, way), p_wj);
        return;
    }
    case GMC_JOINT_PLANAR: // handled by place_planar
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
}

// A body in the plane: one angle, about an axis that is the world's. Of its tensor only the moment
// about that axis matters, which never changes.
static void place_planar(const gmc_body *body, int i, const double *q, gmc_kinematics *kin)
{
    const gmc_steady *own = kin->steady + i; // level: it hangs on what never moves
    const double *x = q + body->q, *m = own->R_wj.m;
    gmc_pose *X = kin->X_wb + i;
    gmc_vec3 p = gmc_vec3_add(own->arm, kin->X_wb[body->parent].p), c = body->inertia.com;
    double sine, cosine;
    gmc_sin_cos(x[2], &sine, &cosine);
    if (!own->is_upright) {
        double turned = m[0] * cosine - m[3] * sine;
        sine = m[3] * cosine + m[0] * sine;
        cosine = turned;
    }
    X->R = (gmc_mat3){{cosine, -sine, 0, sine, cosine, 0, 0, 0, 1}};
    X->p = (gmc_vec3){p.x + (m[0] * x[0] + m[1] * x[1]), p.y + (m[3] * x[0] + m[4] * x[1]), p.z};
    gmc_vec3 com = {X->p.x + (cosine * c.x - sine * c.y), X->p.y + (sine * c.x + cosine * c.y),
                    X->p.z + c.z};
    kin->com_w[i] = com;
    kin->axes[kin->axis_first[i] + 2].v = (gmc_vec3){com.y, -com.x, 0};
}

// Where a body that turns is, with its axes and its tensor.
static void place_body(const gmc_body *body, int i, const double *q, gmc_kinematics *kin)
{
    const gmc_steady *own = kin->steady + i;
    const gmc_pose *X_wp = kin->X_wb + body->parent;
    const gmc_mat3 *R_wj = own->is_level ? &own->R_wj : &X_wp->R;
    gmc_twist *axes = kin->axes + kin->axis_first[i];
    gmc_pose *X_wb = kin->X_wb + i;
    gmc_vec3 arm = own->arm;
    gmc_mat3 turned;
    if (!own->is_level) {
        arm = gmc_mat3_apply(&X_wp->R, body->X_pj.p);
        if (!own->is_straight) {
            turned = gmc_mat3_multiply(&X_wp->R, &body->X_pj.R);
            R_wj = &turned;
        }
    }
    place_in_joint(body, i, R_wj, gmc_vec3_add(arm, X_wp->p), q + body->q, kin);

    gmc_vec3 com = X_wb->p;
    if (!own->is_centred) com = gmc_pose_apply(X_wb, body->inertia.com);
    kin->com_w[i] = com;
    if (own->roundness != GMC_ROUNDNESS_FULL)
        kin->I_w[i] = gmc_kinematics_tensor(own, &X_wb->R, &body->inertia.I);
    if (body->joint == GMC_JOINT_FREE)
        for (int k = 0; k < 3; k++)
            axes[3 + k].v = gmc_vec3_cross(com, UNIT[k]);
}

// A body that turns.
static gmc_twist turning_twist(const gmc_body *body, const gmc_kinematics *kin, int i,
                               gmc_twist parent, const double *v)
{
    const gmc_twist *axes = kin->axes + kin->axis_first[i];
    const double *own = v + body->v;
    gmc_vec3 com = kin->com_w[i];
    if (body->joint == GMC_JOINT_PLANAR)
        return (gmc_twist){{0, 0, own[2]}, {own[0] + own[2] * com.y, own[1] - own[2] * com.x, 0}};
    if (body->joint == GMC_JOINT_FREE) {
        gmc_vec3 velocity = {own[0], own[1], own[2]}, w = {own[3], own[4], own[5]};
        return (gmc_twist){w, gmc_vec3_add(velocity, gmc_vec3_cross(com, w))};
    }
    int count = body->joint == GMC_JOINT_SPHERICAL ? 3 : 1;
    for (int k = 0; k < count; k++)
        parent = gmc_twist_add_scaled(parent, own[k], axes[k]);
    return parent;
}

gmc_twist gmc_kinematics_child_twist(const gmc_model *model, const gmc_kinematics *kin, int body,
                                     gmc_twist parent, const double *v)
{
    const gmc_body *b = model->bodies + body;
    switch (kin->steady[body].mobility) {
    case GMC_MOBILITY_STANDS:
        break;
    case GMC_MOBILITY_SLIDES: {
        gmc_vec3 along = kin->axes[kin->axis_first[body]].v;
        return (gmc_twist){{0, 0, 0}, gmc_vec3_add_scaled(parent.v, v[b->v], along)};
    }
    case GMC_MOBILITY_TURNS:
        return turning_twist(b, kin, body, parent, v);
    }
    return (gmc_twist){{0, 0, 0}, {0, 0, 0}};
}

void gmc_kinematics_update(const gmc_model *model, const double *q, const double *v,
                           gmc_kinematics *kin)
{
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        switch (kin->steady[i].mobility) {
        case GMC_MOBILITY_STANDS:
            break;
        case GMC_MOBILITY_SLIDES:
            slide_body(body, i, q, v, kin);
            break;
        case GMC_MOBILITY_TURNS: {
            bool is_planar = body->joint == GMC_JOINT_PLANAR;
            if (is_planar)
                place_planar(body, i, q, kin);
            else
                place_body(body, i, q, kin);
            kin->V[i] = v ? turning_twist(body, kin, i, kin->V[body->parent], v)
                          : (gmc_twist){{0, 0, 0}, {0, 0, 0}};
            break;
        }
        }
    }
}

gmc_twist gmc_kinematics_twist(const gmc_kinematics *kin, int body, const double *v)
{
    gmc_twist V = {{0, 0, 0}, {0, 0, 0}};
    for (int k = kin->chain_start[body]; k < kin->chain_start[body + 1]; k++) {
        int axis = kin->chain[k];
        V = gmc_twist_add_scaled(V, v[kin->axis_dof[axis]], kin->axes[axis]);
    }
    return V;
}

double gmc_kinematics_energy(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                             double *potential)
{
    double kinetic = 0, height = 0;
    for (int i = 1; i < model->body_count; i++) {
        if (gmc_model_is_static(model, i)) continue;
        double mass = model->bodies[i].inertia.mass;
        gmc_vec3 com = kin->com_w[i], velocity = gmc_twist_at(kin->V + i, com), w = kin->V[i].w;
        kinetic += mass * gmc_vec3_dot(velocity, velocity) / 2;
        kinetic += gmc_vec3_dot(w, gmc_mat3_apply(kin->I_w + i, w)) / 2;
        height -= mass * gmc_vec3_dot(model->gravity, com);
    }
    for (int d = 0; d < model->dof_count; d++)
        kinetic += model->dofs[d].armature * v[d] * v[d] / 2;
    if (potential) *potential = height;
    return kinetic;
}
