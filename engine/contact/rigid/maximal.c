// Links as free bodies are a world of their own, with a model that differs from the given one in
// its joints alone: bodies, shapes and surfaces have the same numbers, so contacts and their memory
// are the same. The law steps that world; what it is given for its contacts and drives is what the
// joints leave of their rows.
//
// A row J is replaced by J P C, with C = Mh + Gᵀ Λ G, and the mass matrix by C: then
// (J P C) C⁻¹ (J P C)ᵀ = J P Jᵀ, for P C P = P, and C is positive definite where Mh is not (a link
// without mass). Λ only has to be of the size of the masses. So the machinery of rigid.c stays as it
// is, facets and Lemke's method alike.
//
// Rejected: rows of joints as bounds without end beside the contacts, which is the mixed problem
// itself: Lemke's method pivots through all of them, and facets.h asks for a compliance.

#include "engine/contact/rigid/maximal.h"

#include "engine/base/check.h"
#include "engine/contact/rigid/rigid_internal.h"
#include "engine/math/elementary.h"
#include "engine/math/saddle.h"
#include "engine/model/inertia.h"

#include <string.h>

enum { WIDTH = GMC_SADDLE_WIDTH, TIE_ROWS = 6 };

/// In the trial arena; what is written in each solve is the scratch arena's.
struct gmc_maximal {
    gmc_mechanism_memory joints; ///< first: of the world as it is given, whose stepper_memory it is
    gmc_rigid_ties ties;
    const gmc_model *given;
    const gmc_model *of; ///< `apart`
    gmc_model apart;     ///< the given model, and behind its bodies those mounted on them
    int *part_of;        ///< (mount_count + 1) body that the mount is of its own; -1: its base's
    gmc_model model;     ///< of the links
    gmc_world links;
    gmc_world *world; ///< the given one, in a step
    const gmc_control *control;
    gmc_control control_now, control_links; ///< of a part of a step; of the links' world
    double t_end;                           ///< of the step
    bool *is_loose;             ///< (body_count, as below those of `apart`) its joint is rows
    int *leader;                ///< (body_count) body whose joint it is coupled to; -1: none
    int *mover;                 ///< (dof_count) of the given model: the body whose joint it moves
    int *node_of;               ///< (body_count) -1: nothing is tied to it
    int *body_of;               ///< (node_count)
    int *dof_start, *row_start; ///< (node_count + 1) of the saddle problem
    int node_count, block_count;
    int *block_start, *block_of; ///< dofs that joints tie; (free_count) of the links
    gmc_sparse_plan plan;
    double *q_seen, *v_seen; ///< of the world after the last step
    bool has_seen;
    int weighings; ///< of the world's kinematics, that the masses of the links are of
    double *rates; ///< (dof_count) of joints, as the last solve found them: where the links are by
                   ///< then the same velocities show others, by h w² r of what turns, which rotors
                   ///< would take for a blow in each step
    double *servo; ///< (free_count) sum over the parts of a step
    double *held;  ///< (6 part_count) likewise, impulses of the rows of parts
    int part_count;
    // in a solve
    double *lead; ///< (dof_count) of the links: what is driven; NULL: nothing is
    gmc_saddle_problem problem;
    gmc_saddle saddle;
    double *target; ///< (rows) e
    double *v_free; ///< (free_count) of tied links: without contacts; of others zero
    double *of_nodes, *of_rows, *x; ///< room of one projection
    double *held_now;               ///< (6 part_count) rows of parts, without what follows
    double *held_contacts;          ///< (3 contacts, 6 part_count) of a unit impulse of each
    double *held_rows;              ///< (rows, 6 part_count) likewise
};

// ---- which links are free ----------------------------------------------------------------------

/// Does nothing but its program move the body?
static bool is_prescribed(const gmc_model *model, int body)
{
    for (; body > 0; body = model->bodies[body].parent)
        if (!gmc_model_is_static(model, body) && model->bodies[body].v < model->free_count)
            return false;
    return true;
}

/// A joint of bodies that hang on nothing.
static bool is_base(const gmc_body *body)
{
    return body->joint == GMC_JOINT_FREE || body->joint == GMC_JOINT_PLANAR;
}

static bool has_geom(const gmc_model *model, int body)
{
    for (int g = 0; g < model->geom_count; g++)
        if (model->geoms[g].body == body) return true;
    return false;
}

static bool has_inertia(const gmc_inertia *inertia)
{
    const double *I = inertia->I.m;
    return inertia->mass > 0 && I[0] > 0 && I[4] > 0 && I[8] > 0;
}

const char *gmc_maximal_refuses(const gmc_model *model, int *body)
{
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *of = &model->bodies[b];
        *body = b;
        if (is_prescribed(model, b)) continue;
        if (of->v >= model->free_count) return "its motion is prescribed against a link that moves";
        if (!is_base(of) && !has_inertia(&of->inertia) && has_geom(model, b))
            return "things can touch it, and it has no mass";
    }
    return NULL;
}

/// The body that the mount is fixed to, or is of its own.
static int body_of_mount(const struct gmc_maximal *m, int mount, int body)
{
    while (mount > 0 && m->part_of[mount] < 0)
        mount = m->given->mounts[mount].base;
    return mount > 0 ? m->part_of[mount] : body;
}

/// Which mounts are bodies: those of links that move by a joint, where both have inertia.
static int count_parts(struct gmc_maximal *m)
{
    int count = m->given->body_count;
    for (int k = 1; k <= m->given->mount_count; k++) {
        const gmc_mount *mount = &m->given->mounts[k];
        bool is_part = !is_prescribed(m->given, mount->body) &&
                       !is_base(&m->given->bodies[mount->body]) && has_inertia(&mount->inertia) &&
                       has_inertia(&mount->own);
        m->part_of[k] = is_part ? count++ : -1;
    }
    return count;
}

static bool has_parts(const struct gmc_maximal *m, int body)
{
    for (int k = 1; k <= m->given->mount_count; k++)
        if (m->part_of[k] >= 0 && m->given->mounts[k].body == body) return true;
    return false;
}

/// A mount as a body. Its frame is that of the body that it is taken off, so that shapes, joints
/// and contacts stay where they are.
static gmc_body part_body(const struct gmc_maximal *m, int mount)
{
    const gmc_mount *of = &m->given->mounts[mount];
    return (gmc_body){.name = of->name,
                      .parent = body_of_mount(m, of->base, of->body),
                      .joint = GMC_JOINT_FIXED,
                      .X_pj = gmc_pose_identity(),
                      .axis = {0, 0, 1},
                      .ratio = 1,
                      .one = of->body,
                      .inertia = of->inertia};
}

/// The given model as it stands, with mounts apart.
static void take_apart(struct gmc_maximal *m)
{
    const gmc_model *given = m->given;
    gmc_body *bodies = m->apart.bodies;
    gmc_geom *geoms = m->apart.geoms;
    int count = m->apart.body_count;
    m->apart = *given;
    m->apart.body_count = count;
    m->apart.bodies = bodies;
    m->apart.geoms = geoms;
    memcpy(bodies, given->bodies, (size_t)given->body_count * sizeof *bodies);
    memcpy(geoms, given->geoms, (size_t)given->geom_count * sizeof *geoms);
    if (count == given->body_count) return;
    for (int b = 1; b < given->body_count; b++)
        bodies[b].parent = body_of_mount(m, bodies[b].mount, bodies[b].parent);
    for (int k = 1; k <= given->mount_count; k++) {
        if (m->part_of[k] < 0) continue;
        bodies[m->part_of[k]] = part_body(m, k);
        bodies[given->mounts[k].body].inertia = given->mounts[k].own;
    }
    for (int k = 1; k <= given->mount_count; k++) { // what stays is its base's
        const gmc_mount *mount = &given->mounts[k];
        gmc_inertia *base = &bodies[body_of_mount(m, k, mount->body)].inertia;
        if (m->part_of[k] < 0 && has_parts(m, mount->body))
            *base = gmc_inertia_combine(base, &mount->inertia);
    }
    for (int g = 0; g < given->geom_count; g++)
        if (geoms[g].frame >= 0)
            geoms[g].body = body_of_mount(m, given->frames[geoms[g].frame].mount, geoms[g].body);
}

static gmc_status make_apart(struct gmc_maximal *m, gmc_arena *arena)
{
    m->part_of = GMC_ROOM(arena, m->given->mount_count + 1, int);
    if (!m->part_of) return GMC_E_ARENA_FULL;
    m->part_of[0] = -1;
    m->apart.body_count = count_parts(m);
    m->part_count = m->apart.body_count - m->given->body_count;
    m->apart.bodies = GMC_ROOM(arena, m->apart.body_count, gmc_body);
    m->apart.geoms = GMC_ROOM(arena, m->given->geom_count, gmc_geom);
    if (!m->apart.bodies || !m->apart.geoms) return GMC_E_ARENA_FULL;
    m->of = &m->apart;
    take_apart(m);
    return GMC_OK;
}

/// The given model's body with its frame.
static int given_body(const struct gmc_maximal *m, int body)
{
    return body < m->given->body_count ? body : m->of->bodies[body].one;
}

/// The body whose joint a coupled one follows.
static int leader_of(const gmc_model *model, int body)
{
    for (int b = 1; b < model->body_count && model->bodies[body].is_mimic; b++)
        if (!model->bodies[b].is_mimic && gmc_joint_v_count(model->bodies[b].joint) > 0 &&
            model->bodies[b].v == model->bodies[body].v)
            return b;
    return -1;
}

// ---- the links' model --------------------------------------------------------------------------

static gmc_dof plain_dof(const char *name)
{
    return (gmc_dof){.name = name,
                     .lower = -HUGE_VAL,
                     .upper = HUGE_VAL,
                     .max_force = HUGE_VAL,
                     .max_speed = HUGE_VAL};
}

static gmc_body free_body(const gmc_body *of)
{
    return (gmc_body){.name = of->name,
                      .joint = GMC_JOINT_FREE,
                      .X_pj = gmc_pose_identity(),
                      .axis = {0, 0, 1},
                      .ratio = 1,
                      .one = of->one,
                      .inertia = of->inertia};
}

/// The next coordinates are the body's.
static void number_link(struct gmc_maximal *m, int b)
{
    gmc_model *model = &m->model;
    gmc_body *body = &model->bodies[b];
    if (m->of->bodies[b].is_mimic && !m->is_loose[b]) { // its leader is driven, and comes first
        body->q = model->bodies[m->leader[b]].q;
        body->v = model->bodies[m->leader[b]].v;
        return;
    }
    body->q = model->q_count;
    body->v = model->dof_count;
    model->q_count += gmc_joint_q_count(body->joint);
    model->dof_count += gmc_joint_v_count(body->joint);
}

/// Coordinates of the links: free ones first, each in the order of bodies, behind them their parts.
static void number_links(struct gmc_maximal *m)
{
    gmc_model *model = &m->model;
    model->q_count = model->dof_count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 1; b < m->given->body_count; b++) {
            bool is_driven = !m->is_loose[b] && m->of->bodies[b].v >= m->of->free_count;
            if (gmc_model_is_static(m->of, b) || is_driven != (pass == 1)) continue;
            number_link(m, b);
            for (int k = 1; k <= m->given->mount_count; k++)
                if (m->part_of[k] >= 0 && m->given->mounts[k].body == b)
                    number_link(m, m->part_of[k]);
        }
        if (pass == 0) model->free_count = model->dof_count;
    }
}

/// What of the given model changes from trial to trial, or within one.
static void refresh_model(struct gmc_maximal *m)
{
    gmc_model *model = &m->model;
    take_apart(m);
    model->laws = m->of->laws;
    model->supports = m->of->supports;
    model->support_points = m->of->support_points;
    model->gravity = m->of->gravity;
    for (int b = 0; b < model->body_count; b++)
        model->bodies[b].inertia = m->of->bodies[b].inertia;
}

static gmc_status make_model(struct gmc_maximal *m, gmc_arena *arena)
{
    const gmc_model *of = m->of;
    size_t bodies = (size_t)of->body_count;
    m->model = *of;
    m->model.bodies = GMC_ROOM(arena, bodies, gmc_body);
    m->is_loose = GMC_NEW(arena, bodies, bool);
    m->leader = GMC_ROOM(arena, bodies, int);
    m->mover = GMC_NEW(arena, of->dof_count, int);
    if (!m->model.bodies || !m->is_loose || !m->leader || !m->mover) return GMC_E_ARENA_FULL;
    for (int b = 0; b < of->body_count; b++) {
        const gmc_body *body = &of->bodies[b];
        m->leader[b] = leader_of(of, b);
        m->is_loose[b] = !is_prescribed(of, b) && !is_base(body);
        m->model.bodies[b] = m->is_loose[b] ? free_body(body) : *body;
        for (int k = 0; k < gmc_joint_v_count(body->joint) && !body->is_mimic; k++)
            m->mover[body->v + k] = b;
    }
    number_links(m);
    m->model.dofs = GMC_ROOM(arena, m->model.dof_count, gmc_dof);
    m->model.q_start = GMC_NEW(arena, m->model.q_count, double);
    if (!m->model.dofs || !m->model.q_start) return GMC_E_ARENA_FULL;
    for (int b = 1; b < of->body_count; b++) {
        const gmc_body *body = &m->model.bodies[b];
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++)
            m->model.dofs[body->v + k] =
                m->is_loose[b] ? plain_dof(body->name) : of->dofs[of->bodies[b].v + k];
    }
    return GMC_OK;
}

// ---- between the joints' coordinates and the links ---------------------------------------------

/// Links to where the given world's coordinates have them.
static void take_over(struct gmc_maximal *m)
{
    const gmc_world *world = m->world;
    gmc_state *state = &m->links.state;
    for (int b = 1; b < m->of->body_count; b++) {
        const gmc_body *of = &m->of->bodies[b], *body = &m->model.bodies[b];
        double *q = state->q + body->q, *v = state->v + body->v;
        if (!m->is_loose[b]) {
            for (int k = 0; k < gmc_joint_q_count(of->joint); k++)
                q[k] = world->state.q[of->q + k];
            for (int k = 0; k < gmc_joint_v_count(of->joint); k++)
                v[k] = world->state.v[of->v + k];
            continue;
        }
        int given = given_body(m, b);
        const gmc_twist *V = &world->kin.V[given];
        gmc_pose X = world->kin.X_wb[given];
        gmc_quat R = gmc_quat_from_matrix(&X.R);
        gmc_vec3 com = world->kin.com_w[b];
        if (has_parts(m, given)) com = gmc_pose_apply(&X, body->inertia.com);
        gmc_vec3 u = gmc_twist_at(V, com), w = V->w;
        const double at[] = {X.p.x, X.p.y, X.p.z, R.w, R.x, R.y, R.z};
        const double by[] = {u.x, u.y, u.z, w.x, w.y, w.z};
        memcpy(q, at, sizeof at);
        memcpy(v, by, sizeof by);
    }
}

/// Where the joint's frame is, by its parent.
static gmc_pose joint_frame(const struct gmc_maximal *m, int body)
{
    const gmc_body *of = &m->of->bodies[body];
    return gmc_pose_multiply(&m->links.kin.X_wb[of->parent], &of->X_pj);
}

/// Position of a revolute or prismatic joint; of angles the one that is nearest to `near`.
static double joint_position(const struct gmc_maximal *m, int body, double near)
{
    const gmc_body *of = &m->of->bodies[body];
    gmc_pose X_wj = joint_frame(m, body);
    gmc_pose X_jb = gmc_pose_relative(&X_wj, &m->links.kin.X_wb[body]);
    if (of->joint == GMC_JOINT_PRISMATIC) return gmc_vec3_dot(of->axis, X_jb.p);
    gmc_quat turn = gmc_quat_from_matrix(&X_jb.R);
    double sine = gmc_vec3_dot(of->axis, (gmc_vec3){turn.x, turn.y, turn.z});
    double angle = 2 * gmc_atan2(sine, turn.w), whole = 2 * GMC_PI;
    return angle + whole * floor((near - angle) / whole + 0.5);
}

/// u = along · velocity of the point + about · spin, of a link against its parent.
typedef struct line {
    gmc_vec3 along, about, at;
} line;

/// Rate of coordinate k of the joint.
static line line_of_joint(const struct gmc_maximal *m, int body, int k)
{
    const gmc_body *of = &m->of->bodies[body];
    gmc_pose X_wj = joint_frame(m, body);
    line made = {.at = m->links.kin.X_wb[body].p};
    gmc_vec3 axis = gmc_mat3_apply(&X_wj.R, of->axis);
    if (of->joint == GMC_JOINT_PRISMATIC) made.along = axis;
    if (of->joint == GMC_JOINT_REVOLUTE) made.about = axis;
    if (of->joint == GMC_JOINT_SPHERICAL) made.about = gmc_mat3_column(&X_wj.R, k);
    return made;
}

static double seen_along(const line *l, const gmc_twist *V)
{
    return gmc_vec3_dot(l->along, gmc_twist_at(V, l->at)) + gmc_vec3_dot(l->about, V->w);
}

static void read_joint(const struct gmc_maximal *m, int b, double *q)
{
    const gmc_body *of = &m->of->bodies[b];
    if (of->joint == GMC_JOINT_SPHERICAL) {
        gmc_pose X_wj = joint_frame(m, b);
        gmc_pose X_jb = gmc_pose_relative(&X_wj, &m->links.kin.X_wb[b]);
        gmc_quat R = gmc_quat_from_matrix(&X_jb.R);
        const double at[] = {R.w, R.x, R.y, R.z};
        memcpy(q, at, sizeof at);
    } else
        q[0] = joint_position(m, b, q[0]);
}

/// The given world's kinematics are those of the links.
static void show_poses(const struct gmc_maximal *m)
{
    gmc_world *world = m->world;
    size_t bodies = (size_t)m->given->body_count;
    gmc_kinematics *to = &world->kin;
    const gmc_kinematics *from = &m->links.kin;
    gmc_kinematics_update(m->given, world->state.q, world->state.v, to);
    memcpy(to->X_wb, from->X_wb, bodies * sizeof *to->X_wb);
    memcpy(to->com_w, from->com_w, bodies * sizeof *to->com_w);
    memcpy(to->I_w, from->I_w, bodies * sizeof *to->I_w);
    memcpy(to->V, from->V, bodies * sizeof *to->V);
    for (int k = 1; k <= m->given->mount_count; k++) {
        if (m->part_of[k] < 0) continue;
        int b = m->given->mounts[k].body;
        const gmc_inertia *whole = &m->given->bodies[b].inertia;
        to->com_w[b] = gmc_pose_apply(&to->X_wb[b], whole->com);
        to->I_w[b] = gmc_mat3_rotate(&to->X_wb[b].R, &whole->I);
    }
}

/// The given world's coordinates and kinematics by the links'.
static void show_links(const struct gmc_maximal *m)
{
    gmc_state *state = &m->world->state;
    const gmc_state *links = &m->links.state;
    for (int b = 1; b < m->given->body_count; b++) {
        const gmc_body *of = &m->of->bodies[b], *body = &m->model.bodies[b];
        double *q = state->q + of->q, *v = state->v + of->v;
        if (of->is_mimic) continue;
        for (int k = 0; k < gmc_joint_v_count(of->joint); k++)
            v[k] = m->is_loose[b] ? m->rates[of->v + k] : links->v[body->v + k];
        if (m->is_loose[b]) read_joint(m, b, q);
        for (int k = 0; k < gmc_joint_q_count(of->joint) && !m->is_loose[b]; k++)
            q[k] = links->q[body->q + k];
    }
    show_poses(m);
}

// ---- rows between links ------------------------------------------------------------------------

/// Where the row has the node, which it may not have yet.
static double *entries_of(gmc_saddle_row *row, int node)
{
    int k = 0;
    while (k < row->count && row->nodes[k] != node)
        k++;
    if (k == row->count) {
        GMC_ASSERT(k < GMC_SADDLE_NODES);
        row->nodes[row->count++] = node;
    }
    return row->J[k];
}

/// @param given  what the row sees of driven motion is added
static void add_body(const struct gmc_maximal *m, int body, double sign, const line *l,
                     gmc_saddle_row *row, double *given)
{
    const gmc_kinematics *kin = &m->links.kin;
    if (m->node_of[body] < 0) {
        if (!m->lead) return;
        gmc_twist V = gmc_kinematics_twist(kin, body, m->lead);
        *given += sign * seen_along(l, &V);
        return;
    }
    double *J = entries_of(row, m->node_of[body]);
    gmc_vec3 arm = gmc_vec3_sub(l->at, kin->com_w[body]);
    gmc_vec3 about = gmc_vec3_add(gmc_vec3_cross(arm, l->along), l->about);
    if (m->model.bodies[body].joint == GMC_JOINT_PLANAR) {
        J[0] += sign * l->along.x;
        J[1] += sign * l->along.y;
        J[2] += sign * about.z;
        return;
    }
    for (int i = 0; i < 3; i++) {
        J[i] += sign * gmc_vec3_get(l->along, i);
        J[3 + i] += sign * gmc_vec3_get(about, i);
    }
}

/// scale times what the line sees of a link against its parent.
static void add_line(const struct gmc_maximal *m, int body, double scale, const line *l,
                     gmc_saddle_row *row, double *given)
{
    add_body(m, body, scale, l, row, given);
    add_body(m, m->of->bodies[body].parent, -scale, l, row, given);
}

/// The rows of one joint in the making.
typedef struct tie {
    const struct gmc_maximal *m;
    int body, count;
    double rate; ///< share of an error that is asked back, by time [1/s]
    gmc_saddle_row *rows;
    double *target;
} tie;

static void add_tie(tie *t, const line *l, double error)
{
    double given = 0;
    gmc_saddle_row *row = &t->rows[t->count];
    *row = (gmc_saddle_row){0};
    add_line(t->m, t->body, 1, l, row, &given);
    t->target[t->count++] = -t->rate * error - given;
}

/// The point of the link that is at the joint, against its parent's.
static void add_place(tie *t, gmc_vec3 along, gmc_vec3 at, gmc_vec3 apart)
{
    add_tie(t, &(line){.along = along, .at = at}, gmc_vec3_dot(along, apart));
}

static void add_turn(tie *t, gmc_vec3 about, gmc_vec3 turned)
{
    add_tie(t, &(line){.about = about}, gmc_vec3_dot(about, turned));
}

/// A coupled joint: its rate less the leader's times the ratio.
static void add_coupling(tie *t)
{
    const struct gmc_maximal *m = t->m;
    const gmc_body *of = &m->of->bodies[t->body];
    int leader = m->leader[t->body];
    double q = m->world->state.q[m->of->bodies[leader].q];
    if (m->is_loose[leader]) q = joint_position(m, leader, q);
    double due = of->ratio * q + of->offset, given = 0;
    line own = line_of_joint(m, t->body, 0), its = line_of_joint(m, leader, 0);
    gmc_saddle_row *row = &t->rows[t->count];
    *row = (gmc_saddle_row){0};
    add_line(m, t->body, 1, &own, row, &given);
    add_line(m, leader, -of->ratio, &its, row, &given);
    t->target[t->count++] = -t->rate * (joint_position(m, t->body, due) - due) - given;
}

/// Three rows of the angles by which a link is turned against its joint's frame.
static void add_turns(tie *t, const gmc_pose *X_wj, const gmc_pose *X_wb)
{
    const gmc_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    gmc_mat3 back = gmc_mat3_transpose(&X_wj->R), R = gmc_mat3_multiply(&X_wb->R, &back);
    gmc_vec3 turned = gmc_quat_log(gmc_quat_from_matrix(&R));
    for (int i = 0; i < 3; i++)
        add_turn(t, unit[i], turned);
}

/// All rows of a part: it is held where it is mounted.
static void add_mount(tie *t)
{
    const struct gmc_maximal *m = t->m;
    const gmc_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    gmc_pose X_wj = joint_frame(m, t->body), X_wb = m->links.kin.X_wb[t->body];
    int k = 1;
    while (m->part_of[k] != t->body)
        k++;
    gmc_vec3 at = gmc_pose_apply(&X_wb, m->given->mounts[k].p);
    gmc_vec3 apart = gmc_vec3_sub(at, gmc_pose_apply(&X_wj, m->given->mounts[k].p));
    for (int i = 0; i < 3; i++)
        add_place(t, unit[i], at, apart);
    add_turns(t, &X_wj, &X_wb);
}

/// All rows of a joint. What is perpendicular to its axis of five, three of a ball.
static void add_joint(tie *t)
{
    const struct gmc_maximal *m = t->m;
    const gmc_body *of = &m->of->bodies[t->body];
    const gmc_pose *X_wb = &m->links.kin.X_wb[t->body];
    gmc_pose X_wj = joint_frame(m, t->body);
    gmc_vec3 axis = gmc_mat3_apply(&X_wj.R, of->axis), apart = gmc_vec3_sub(X_wb->p, X_wj.p);
    gmc_vec3 across[2], unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    gmc_vec3_tangents(axis, &across[0], &across[1]);
    bool slides = of->joint == GMC_JOINT_PRISMATIC;
    for (int i = 0; i < (slides ? 2 : 3); i++)
        add_place(t, slides ? across[i] : unit[i], X_wb->p, apart);
    if (of->joint == GMC_JOINT_REVOLUTE) {
        gmc_vec3 turned = gmc_vec3_cross(axis, gmc_mat3_apply(&X_wb->R, of->axis));
        for (int i = 0; i < 2; i++)
            add_turn(t, across[i], turned);
    }
    if (slides) add_turns(t, &X_wj, X_wb);
    if (m->leader[t->body] >= 0) add_coupling(t);
}

/// G and e of all joints.
/// @param rows    (rows of the saddle problem) out
/// @param target  (the same) out
static void write_ties(const struct gmc_maximal *m, double rate, gmc_saddle_row *rows,
                       double *target)
{
    for (int k = 0; k < m->node_count; k++) {
        int first = m->row_start[k], body = m->body_of[k];
        tie t = {
            .m = m, .body = body, .rate = rate, .rows = rows + first, .target = target + first};
        if (gmc_model_is_static(m->of, body))
            add_mount(&t);
        else if (m->is_loose[body])
            add_joint(&t);
    }
}

// ---- what never changes ------------------------------------------------------------------------

static int rows_of(const struct gmc_maximal *m, int body)
{
    if (!m->is_loose[body]) return 0;
    if (gmc_model_is_static(m->of, body)) return TIE_ROWS;
    int count = m->of->bodies[body].joint == GMC_JOINT_SPHERICAL ? 3 : 5;
    return count + (m->leader[body] >= 0 ? 1 : 0);
}

static gmc_status find_nodes(struct gmc_maximal *m, gmc_arena *arena)
{
    int bodies = m->of->body_count;
    m->node_of = GMC_ROOM(arena, bodies, int);
    m->body_of = GMC_ROOM(arena, bodies, int);
    m->dof_start = GMC_NEW(arena, bodies + 1, int);
    m->row_start = GMC_NEW(arena, bodies + 1, int);
    if (!m->node_of || !m->body_of || !m->dof_start || !m->row_start) return GMC_E_ARENA_FULL;
    for (int b = 0; b < bodies; b++) {
        bool is_tied = m->is_loose[b];
        for (int k = 1; k < bodies && is_base(&m->of->bodies[b]) && !is_prescribed(m->of, b); k++)
            is_tied = is_tied || m->of->bodies[k].parent == b;
        m->node_of[b] = is_tied ? m->node_count : -1;
        if (!is_tied) continue;
        int k = m->node_count++;
        m->body_of[k] = b;
        m->dof_start[k + 1] = m->dof_start[k] + gmc_joint_v_count(m->model.bodies[b].joint);
        m->row_start[k + 1] = m->row_start[k] + rows_of(m, b);
    }
    return GMC_OK;
}

static gmc_status plan_saddle(struct gmc_maximal *m, gmc_arena *arena)
{
    int count = m->row_start[m->node_count];
    gmc_saddle_row *rows = GMC_NEW(arena, count, gmc_saddle_row);
    double *target = GMC_NEW(arena, count, double);
    if (!rows || !target) return GMC_E_ARENA_FULL;
    if (m->node_count == 0) return GMC_OK;
    write_ties(m, 0, rows, target);
    m->problem = (gmc_saddle_problem){.node_count = m->node_count,
                                      .dof_start = m->dof_start,
                                      .row_start = m->row_start,
                                      .rows = rows};
    return gmc_saddle_plan(&m->problem, arena, &m->plan);
}

/// Dofs of the links whose mechanism is one, as blocks of numbers that follow each other.
static gmc_status find_tied_blocks(struct gmc_maximal *m, gmc_arena *arena)
{
    int n = m->model.free_count, bodies = m->of->body_count, end = -1;
    m->block_start = GMC_NEW(arena, n + 1, int);
    m->block_of = GMC_NEW(arena, n, int);
    int *reach = GMC_NEW(arena, n, int), *first = GMC_ROOM(arena, bodies, int);
    if (!m->block_start || !m->block_of || !reach || !first) return GMC_E_ARENA_FULL;
    for (int b = 0; b < bodies; b++)
        first[b] = -1;
    for (int i = 0; i < n; i++)
        reach[i] = i;
    for (int b = 1; b < bodies; b++) {
        const gmc_body *body = &m->model.bodies[b];
        int root = b, count = gmc_joint_v_count(body->joint);
        while (m->of->bodies[root].parent > 0)
            root = m->of->bodies[root].parent;
        if (count == 0 || body->v >= n) continue;
        if (first[root] < 0) first[root] = body->v; // numbers rise with bodies
        if (reach[first[root]] < body->v + count - 1) reach[first[root]] = body->v + count - 1;
        if (!m->is_loose[b] || m->leader[b] < 0) continue;
        // what is coupled is one, whatever it hangs on
        int own = body->v, its = m->model.bodies[m->leader[b]].v, low = own < its ? own : its;
        int high = (own < its ? its : own) + count - 1;
        if (its < n && reach[low] < high) reach[low] = high;
    }
    for (int i = 0; i < n; i++) {
        if (i > end) m->block_start[m->block_count++] = i;
        if (reach[i] > end) end = reach[i];
        m->block_of[i] = m->block_count - 1;
    }
    m->block_start[m->block_count] = n;
    return GMC_OK;
}

static gmc_status make_controls(struct gmc_maximal *m, gmc_arena *arena)
{
    int n = m->model.dof_count;
    double *zeros = GMC_NEW(arena, n, double), *force = GMC_NEW(arena, n, double);
    double *v_driven = GMC_NEW(arena, n, double),
           *q_driven = GMC_NEW(arena, m->model.q_count, double);
    m->servo = GMC_NEW(arena, m->of->free_count, double);
    m->held = GMC_NEW(arena, TIE_ROWS * m->part_count, double);
    m->rates = GMC_NEW(arena, m->of->dof_count, double);
    m->q_seen = GMC_NEW(arena, m->of->q_count, double);
    m->v_seen = GMC_NEW(arena, m->of->dof_count, double);
    m->control_links = (gmc_control){.force = force,
                                     .stiffness = zeros,
                                     .damping = zeros,
                                     .q_ref = zeros,
                                     .v_ref = zeros,
                                     .force_limit = zeros,
                                     .v_driven = v_driven,
                                     .q_driven = q_driven};
    return zeros && force && v_driven && q_driven && m->servo && m->held && m->rates && m->q_seen &&
                   m->v_seen
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

static gmc_status open_ties(gmc_rigid_step *step);
static gmc_status close_ties(gmc_rigid_step *step);
static void keep_ties(gmc_rigid_step *step);

static gmc_status make_links(struct gmc_maximal *m, int contact_max, gmc_arena *arena)
{
    GMC_TRY(make_model(m, arena));
    GMC_TRY(gmc_mechanism_create(&m->model, contact_max, arena, &m->links));
    take_over(m);
    gmc_kinematics_update(&m->model, m->links.state.q, m->links.state.v, &m->links.kin);
    gmc_mechanism_memory *memory = m->links.stepper_memory;
    memory->coupled_count = 0; // gyroscopic moments are taken as they are at the step's start
    m->ties = (gmc_rigid_ties){.of = m, .open = open_ties, .close = close_ties, .keep = keep_ties};
    memory->ties = &m->ties;
    GMC_TRY(find_nodes(m, arena));
    GMC_TRY(find_tied_blocks(m, arena));
    GMC_TRY(make_controls(m, arena));
    return plan_saddle(m, arena);
}

gmc_status gmc_maximal_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                              gmc_world *world)
{
    int body;
    gmc_world made;
    if (gmc_maximal_refuses(model, &body)) return GMC_E_INPUT;
    GMC_TRY(gmc_mechanism_create(model, contact_max, arena, &made));
    struct gmc_maximal *m = GMC_NEW(arena, 1, struct gmc_maximal);
    if (!m) return GMC_E_ARENA_FULL;
    m->joints = *(const gmc_mechanism_memory *)made.stepper_memory;
    m->given = model;
    m->world = &made;
    GMC_TRY(make_apart(m, arena));
    GMC_TRY(make_links(m, contact_max, arena));
    m->links.support_impulse = made.support_impulse;
    made.stepper_memory = m;
    *world = made;
    m->world = NULL;
    return GMC_OK;
}

// ---- a solve: the joints' rows and what is soft ------------------------------------------------

/// References where the part of the step ends.
static gmc_status set_control_now(struct gmc_maximal *m, const gmc_mechanism_step *links)
{
    int n = m->of->dof_count;
    double left = m->t_end - (links->world->state.t + links->h);
    double *q_ref = GMC_ROOM(links->scratch, n, double);
    if (!q_ref) return GMC_E_ARENA_FULL;
    m->control_now = *m->control;
    m->control_now.q_ref = q_ref;
    for (int i = 0; i < n; i++)
        q_ref[i] = m->control->q_ref[i] - left * m->control->v_ref[i];
    return GMC_OK;
}

/// Rows of the mechanism's joints, by its own coordinates.
static gmc_status write_joint_rows(struct gmc_maximal *m, const gmc_mechanism_step *links)
{
    gmc_mechanism_step *joints = &m->ties.joints;
    GMC_TRY(set_control_now(m, links));
    show_links(m);
    *joints = (gmc_mechanism_step){.world = m->world,
                                   .memory = &m->joints,
                                   .control = &m->control_now,
                                   .h = links->h,
                                   .span = links->span,
                                   .is_start = links->is_start,
                                   .stop = links->stop,
                                   .stop_return = links->stop_return,
                                   .limit_speed = links->limit_speed,
                                   .brakes_all = links->brakes_all,
                                   .scratch = links->scratch};
    // of its masses the diagonal is wanted, which scales brakes and limits
    GMC_TRY(gmc_mechanism_motion(joints, GMC_MOTION_DYNAMIC, 0, NULL));
    return gmc_mechanism_joint_rows(joints, 0);
}

/// What acts on one coordinate of a joint: a u + (impulse), u its rate.
typedef struct soft {
    double mass, impulse;
} soft;

/// Rotor, damping and unlimited servo: all of it at the step's end.
static soft soft_of(const struct gmc_maximal *m, int dof)
{
    const gmc_mechanism_step *joints = &m->ties.joints;
    const gmc_control *control = &m->control_now;
    const gmc_dof *of = &m->of->dofs[dof];
    const gmc_state *state = &m->world->state;
    const gmc_body *body = &m->of->bodies[m->mover[dof]];
    double span = joints->span, kp = control->stiffness[dof], kd = control->damping[dof];
    soft s = {.mass = of->armature + span * of->damping,
              .impulse = of->armature * state->v[dof] + span * control->force[dof]};
    bool has_servo = body->joint != GMC_JOINT_SPHERICAL && !(control->force_limit[dof] < HUGE_VAL);
    if (!has_servo) return s;
    s.mass += span * (kd + joints->h * kp);
    s.impulse += span * (kp * (control->q_ref[dof] - state->q[body->q]) + kd * control->v_ref[dof]);
    return s;
}

static gmc_saddle_row row_of_dof(const struct gmc_maximal *m, int dof, double *given)
{
    int body = m->mover[dof];
    gmc_saddle_row row = {0};
    line l = line_of_joint(m, body, dof - m->of->bodies[body].v);
    *given = 0;
    add_line(m, body, 1, &l, &row, given);
    return row;
}

/// y += amount times the row. @param y  by the saddle problem's dofs
static void push_row(const struct gmc_maximal *m, const gmc_saddle_row *row, double amount,
                     double *y)
{
    for (int k = 0; k < row->count; k++) {
        int first = m->dof_start[row->nodes[k]];
        for (int i = first; i < m->dof_start[row->nodes[k] + 1]; i++)
            y[i] += amount * row->J[k][i - first];
    }
}

/// The problem of eq 17, and the momentum of tied links.
/// @param p  (dofs of the saddle problem) out
static gmc_status write_saddle(struct gmc_maximal *m, const gmc_mechanism_step *links, double rate,
                               double *p)
{
    gmc_arena *scratch = links->scratch;
    size_t nodes = (size_t)m->node_count, rows = (size_t)m->row_start[m->node_count];
    size_t dofs = (size_t)m->of->free_count;
    double *mass = GMC_NEW(scratch, WIDTH * WIDTH * nodes, double);
    gmc_saddle_row *G = GMC_ROOM(scratch, rows, gmc_saddle_row);
    gmc_saddle_row *softs = GMC_ROOM(scratch, dofs, gmc_saddle_row);
    double *of_softs = GMC_ROOM(scratch, dofs, double);
    m->target = GMC_ROOM(scratch, rows, double);
    if (!mass || !G || !softs || !of_softs || !m->target) return GMC_E_ARENA_FULL;
    write_ties(m, rate, G, m->target);
    for (int k = 0; k < m->node_count; k++) {
        int first = m->model.bodies[m->body_of[k]].v, width = m->dof_start[k + 1] - m->dof_start[k];
        for (int i = 0; i < width; i++) {
            p[m->dof_start[k] + i] = links->momentum[first + i];
            memcpy(mass + WIDTH * (WIDTH * k + i), gmc_mechanism_mass_row(links, first + i) + first,
                   (size_t)width * sizeof *mass);
        }
    }
    int count = 0;
    for (int i = 0; i < m->of->free_count; i++) {
        if (!m->is_loose[m->mover[i]]) continue;
        double given;
        soft s = soft_of(m, i);
        softs[count] = row_of_dof(m, i, &given);
        of_softs[count] = s.mass;
        push_row(m, &softs[count], s.impulse - s.mass * given, p);
        if (s.mass > 0) count++;
    }
    m->problem.mass = mass;
    m->problem.rows = G;
    m->problem.softs = softs;
    m->problem.soft = of_softs;
    m->problem.soft_count = count;
    return gmc_saddle_factor(&m->problem, &m->plan, scratch, &m->saddle);
}

// ---- a solve: the mass behind rows -------------------------------------------------------------

static int dof_of(const struct gmc_maximal *m, int node)
{
    return m->model.bodies[m->body_of[node]].v;
}

/// C += a rowᵀ row
static void add_square(const struct gmc_maximal *m, const gmc_saddle_row *row, double a, double *C)
{
    size_t n = (size_t)m->model.free_count;
    for (int k = 0; k < row->count; k++)
        for (int l = 0; l < row->count; l++) {
            int from = dof_of(m, row->nodes[k]), to = dof_of(m, row->nodes[l]);
            int rows = m->dof_start[row->nodes[k] + 1] - m->dof_start[row->nodes[k]];
            int columns = m->dof_start[row->nodes[l] + 1] - m->dof_start[row->nodes[l]];
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < columns; j++)
                    C[(size_t)(from + i) * n + (size_t)(to + j)] += a * row->J[k][i] * row->J[l][j];
        }
}

/// Mass of the size of those that the row ties.
static double mass_along(const gmc_saddle_problem *problem, const gmc_saddle_row *row)
{
    double sum = 0, size = 0;
    for (int k = 0; k < row->count; k++)
        for (int i = 0; i < WIDTH; i++) {
            double J2 = row->J[k][i] * row->J[k][i];
            sum += J2 * problem->mass[WIDTH * (WIDTH * row->nodes[k] + i) + i];
            size += J2;
        }
    return size > 0 ? sum / (size * size) : 0;
}

/// C of all free links, as a matrix of theirs.
static gmc_status write_mass(struct gmc_maximal *m, const gmc_mechanism_step *links, double *C)
{
    size_t n = (size_t)m->model.free_count;
    double most = 0;
    for (int b = 0; b < links->memory->block_count; b++) {
        int from = links->memory->block_start[b], to = links->memory->block_start[b + 1];
        for (int i = from; i < to; i++)
            memcpy(C + (size_t)i * n + from, gmc_mechanism_mass_row(links, i) + from,
                   (size_t)(to - from) * sizeof *C);
    }
    for (int i = 0; i < m->problem.soft_count; i++)
        add_square(m, &m->problem.softs[i], m->problem.soft[i], C);
    for (int i = 0; i < m->row_start[m->node_count]; i++)
        most = fmax(most, mass_along(&m->problem, &m->problem.rows[i]));
    for (int i = 0; i < m->row_start[m->node_count]; i++) {
        double a = mass_along(&m->problem, &m->problem.rows[i]);
        add_square(m, &m->problem.rows[i], a > 0 ? a : most > 0 ? most : 1, C);
    }
    return GMC_OK;
}

/// y = C x at dofs of tied links, in one block.
static void multiply_tied(const struct gmc_maximal *m, const double *x, double *y)
{
    size_t n = (size_t)m->model.free_count;
    for (int k = 0; k < m->node_count; k++)
        for (int i = dof_of(m, k); i < dof_of(m, k) + m->dof_start[k + 1] - m->dof_start[k]; i++) {
            int from = m->block_start[m->block_of[i]], to = m->block_start[m->block_of[i] + 1];
            const double *row = m->ties.system.mass + (size_t)i * n;
            y[i] = 0;
            for (int j = from; j < to; j++)
                y[i] += row[j] * x[j];
        }
}

/// Between dofs of the links and those of the saddle problem.
static void into_nodes(const struct gmc_maximal *m, const double *x, double *of_nodes)
{
    for (int k = 0; k < m->node_count; k++)
        for (int i = m->dof_start[k]; i < m->dof_start[k + 1]; i++)
            of_nodes[i] = x[dof_of(m, k) + i - m->dof_start[k]];
}

static void out_of_nodes(const struct gmc_maximal *m, const double *of_nodes, double *x)
{
    for (int k = 0; k < m->node_count; k++)
        for (int i = m->dof_start[k]; i < m->dof_start[k + 1]; i++)
            x[dof_of(m, k) + i - m->dof_start[k]] = of_nodes[i];
}

/// Impulses of the rows of parts in the saddle problem's last solution.
/// @param held  (6 part_count) out
static void read_held(const struct gmc_maximal *m, double *held)
{
    for (int k = 0; k < m->part_count; k++) {
        int node = m->node_of[m->given->body_count + k];
        memcpy(held + TIE_ROWS * k, m->of_rows + m->row_start[node], TIE_ROWS * sizeof *held);
    }
}

/// Mass, momentum and motion without contacts: m->ties.system, m->v_free.
static gmc_status write_system(struct gmc_maximal *m, const gmc_mechanism_step *links, double rate)
{
    gmc_arena *scratch = links->scratch;
    size_t n = (size_t)m->model.free_count, rows = (size_t)m->row_start[m->node_count];
    double *C = GMC_NEW(scratch, n * n, double), *p = GMC_ROOM(scratch, n, double);
    m->v_free = GMC_NEW(scratch, n, double);
    m->x = GMC_NEW(scratch, n, double);
    m->of_nodes = GMC_ROOM(scratch, n, double);
    m->of_rows = GMC_ROOM(scratch, rows, double);
    m->held_now = GMC_NEW(scratch, TIE_ROWS * m->part_count, double);
    if (!m->held_now) return GMC_E_ARENA_FULL;
    if (!C || !p || !m->v_free || !m->x || !m->of_nodes || !m->of_rows) return GMC_E_ARENA_FULL;
    memcpy(p, links->momentum, n * sizeof *p);
    m->ties.system = (gmc_ncp){.dof_count = m->model.free_count,
                               .mass = C,
                               .block_count = m->block_count,
                               .block_start = m->block_start,
                               .momentum = p};
    if (m->node_count > 0) GMC_TRY(write_saddle(m, links, rate, m->of_nodes));
    GMC_TRY(write_mass(m, links, C));
    if (m->node_count == 0) return GMC_OK;
    memcpy(m->of_rows, m->target, rows * sizeof *m->of_rows);
    GMC_TRY(gmc_saddle_solve(&m->saddle, m->of_nodes, m->of_rows));
    read_held(m, m->held_now);
    out_of_nodes(m, m->of_nodes, m->v_free);
    multiply_tied(m, m->v_free, p);
    return GMC_OK;
}

// ---- a solve: rows as joints leave them --------------------------------------------------------

static bool is_tied_dof(const struct gmc_maximal *m, int dof)
{
    for (int k = 0; k < m->node_count; k++)
        if (dof >= dof_of(m, k) && dof < dof_of(m, k) + m->dof_start[k + 1] - m->dof_start[k])
            return true;
    return false;
}

/// One row, all of the links' dofs: J becomes J P C.
/// @param J             (free_count) in and out
/// @param inverse_mass  out: J P Jᵀ of tied links
/// @param missed        out: by how much less it sees of the motion without contacts
/// @param held          (6 part_count) out: what parts are held by for a unit of it; or NULL
static gmc_status project(const struct gmc_maximal *m, double *J, double *inverse_mass,
                          double *missed, double *held)
{
    size_t rows = (size_t)m->row_start[m->node_count];
    into_nodes(m, J, m->of_nodes);
    memset(m->of_rows, 0, rows * sizeof *m->of_rows);
    GMC_TRY(gmc_saddle_solve(&m->saddle, m->of_nodes, m->of_rows));
    out_of_nodes(m, m->of_nodes, m->x);
    if (held) read_held(m, held);
    *inverse_mass = *missed = 0;
    for (int i = 0; i < m->model.free_count; i++) {
        *inverse_mass += J[i] * m->x[i];
        *missed += J[i] * m->v_free[i];
    }
    multiply_tied(m, m->x, J);
    for (int i = 0; i < m->model.free_count; i++)
        *missed -= J[i] * m->v_free[i];
    return GMC_OK;
}

/// Columns of the blocks that a row meets. @return their number; NULL: the arena is full
static const int *columns_of(const struct gmc_maximal *m, gmc_arena *scratch, const double *J,
                             int *count)
{
    int n = m->model.free_count;
    int *columns = GMC_ROOM(scratch, n + 1, int);
    *count = 0;
    for (int b = 0; columns && b < m->block_count; b++) {
        bool is_met = false;
        for (int i = m->block_start[b]; i < m->block_start[b + 1]; i++)
            is_met = is_met || J[i] != 0;
        for (int i = m->block_start[b]; is_met && i < m->block_start[b + 1]; i++)
            columns[(*count)++] = i;
    }
    return columns;
}

static void take_columns(const int *columns, int count, const double *J, double *to)
{
    for (int k = 0; k < count; k++)
        to[k] = J[columns[k]];
}

/// Of dofs that nothing ties, about: by the diagonal of the mass.
static double own_inverse_mass(const struct gmc_maximal *m, const gmc_mechanism_step *links,
                               const gmc_rigid_contact *row)
{
    double sum = 0;
    for (int k = 0; k < row->column_count; k++) {
        int i = row->columns[k];
        if (!is_tied_dof(m, i))
            sum += row->J[0][k] * row->J[0][k] / gmc_mechanism_mass_row(links, i)[i];
    }
    return sum;
}

/// What joints leave of its moment's row, by the columns of its others.
/// @param before  it with the columns that it had
static gmc_status leave_of_spin(const struct gmc_maximal *m, gmc_arena *scratch,
                                const gmc_rigid_contact *before, gmc_rigid_contact *row)
{
    double *J = GMC_NEW(scratch, m->model.free_count, double), inverse_mass, missed;
    double *left = GMC_ROOM(scratch, row->column_count, double);
    if (!J || !left) return GMC_E_ARENA_FULL;
    for (int k = 0; k < before->column_count; k++)
        J[before->columns[k]] = before->J_spin[k];
    GMC_TRY(project(m, J, &inverse_mass, &missed, NULL)); // held as the row among joints' says
    take_columns(row->columns, row->column_count, J, left);
    row->J_spin = left;
    return GMC_OK;
}

/// @param held  (3, 6 part_count) out, where parts are held
static gmc_status leave_of_contact(const struct gmc_maximal *m, const gmc_mechanism_step *links,
                                   gmc_rigid_contact *row, double *held)
{
    gmc_arena *scratch = links->scratch;
    size_t n = (size_t)m->model.free_count;
    double *J = GMC_NEW(scratch, 4 * n, double), inverse_mass[3];
    bool is_tied = false;
    if (!J) return GMC_E_ARENA_FULL;
    double *met = J + 3 * n;
    for (int k = 0; k < row->column_count; k++) {
        is_tied = is_tied || is_tied_dof(m, row->columns[k]);
        met[row->columns[k]] = 1;
        for (size_t i = 0; i < 3; i++)
            J[i * n + (size_t)row->columns[k]] = row->J[i][k];
    }
    if (!is_tied) return GMC_OK;
    const gmc_rigid_contact before = *row;
    double own = own_inverse_mass(m, links, row);
    for (int i = 0; i < 3; i++) {
        double missed;
        GMC_TRY(project(m, J + (size_t)i * n, &inverse_mass[i], &missed,
                        held + TIE_ROWS * m->part_count * i));
        row->given[i] += missed;
    }
    row->columns = columns_of(m, scratch, met, &row->column_count);
    if (!row->columns) return GMC_E_ARENA_FULL;
    for (int i = 0; i < 3; i++) {
        row->J[i] = GMC_ROOM(scratch, row->column_count, double);
        if (!row->J[i]) return GMC_E_ARENA_FULL;
        take_columns(row->columns, row->column_count, J + (size_t)i * n, row->J[i]);
    }
    if (row->spin >= 0) GMC_TRY(leave_of_spin(m, scratch, &before, row));
    if (!(own + inverse_mass[0] > 0)) return GMC_OK; // a support, whose normal moves nothing
    double change = (own + inverse_mass[0]) / row->inverse_mass;
    row->inverse_mass *= change;
    row->compliance *= change;
    row->ease *= change;
    return GMC_OK;
}

/// What joints leave of a row with one law of its own.
/// @param J     (2 free_count) the row by the links' dofs, and room
/// @param held  (6 part_count) out
/// @param to    its bias, compliance and bounds are those of the row
static gmc_status leave_of_row(const struct gmc_maximal *m, gmc_arena *scratch, double *J,
                               double *held, gmc_ncp_row *to)
{
    size_t n = (size_t)m->model.free_count;
    double inverse_mass, missed = 0;
    memcpy(J + n, J, n * sizeof *J);
    if (m->node_count > 0) GMC_TRY(project(m, J, &inverse_mass, &missed, held));
    to->bias += missed;
    to->columns = columns_of(m, scratch, J + n, &to->column_count);
    double *left = GMC_ROOM(scratch, to->column_count, double);
    if (!to->columns || !left) return GMC_E_ARENA_FULL;
    take_columns(to->columns, to->column_count, J, left);
    to->J = left;
    return GMC_OK;
}

/// A row of the mechanism's joints as one of the links.
static gmc_status leave_of_joint_row(const struct gmc_maximal *m, gmc_arena *scratch,
                                     const gmc_ncp_row *from, double *held, gmc_ncp_row *to)
{
    size_t n = (size_t)m->model.free_count;
    double *J = GMC_NEW(scratch, 2 * n, double), *by_nodes = GMC_NEW(scratch, n, double);
    if (!J || !by_nodes) return GMC_E_ARENA_FULL;
    *to = *from;
    for (int k = 0; k < from->column_count; k++) {
        double given;
        gmc_saddle_row row = row_of_dof(m, from->columns[k], &given);
        to->bias += from->J[k] * given;
        push_row(m, &row, from->J[k], by_nodes);
    }
    out_of_nodes(m, by_nodes, J);
    return leave_of_row(m, scratch, J, held, to);
}

/// One that the law has put down, by the links' dofs.
static gmc_status leave_of_own_row(const struct gmc_maximal *m, gmc_arena *scratch,
                                   const gmc_ncp_row *from, double *held, gmc_ncp_row *to)
{
    double *J = GMC_NEW(scratch, 2 * m->model.free_count, double);
    if (!J) return GMC_E_ARENA_FULL;
    *to = *from;
    for (int k = 0; k < from->column_count; k++)
        J[from->columns[k]] = from->J[k];
    return leave_of_row(m, scratch, J, held, to);
}

/// Rows of the law, which keep their numbers, and behind them the joints'.
static gmc_status leave_of_rows(struct gmc_maximal *m, gmc_mechanism_step *links)
{
    const gmc_mechanism_step *joints = &m->ties.joints;
    gmc_arena *scratch = links->scratch;
    int own = links->row_count, all = own + joints->row_count;
    gmc_ncp_row *rows = GMC_ROOM(scratch, all, gmc_ncp_row);
    double *s = GMC_ROOM(scratch, all, double);
    int width = TIE_ROWS * m->part_count;
    m->held_rows = GMC_NEW(scratch, width * all, double);
    if (!rows || !s || !m->held_rows) return GMC_E_ARENA_FULL;
    for (int i = 0; i < all; i++) {
        double *held = m->held_rows + width * i;
        const gmc_ncp_row *from = i < own ? &links->rows[i] : &joints->rows[i - own];
        s[i] = i < own ? links->s[i] : joints->s[i - own];
        GMC_TRY(i < own ? leave_of_own_row(m, scratch, from, held, &rows[i])
                        : leave_of_joint_row(m, scratch, from, held, &rows[i]));
    }
    links->rows = rows;
    links->s = s;
    links->row_count = all;
    return GMC_OK;
}

static gmc_status open_ties(gmc_rigid_step *step)
{
    gmc_mechanism_step *links = &step->motion;
    struct gmc_maximal *m = links->memory->ties->of;
    double rate = gmc_rigid_setting(step, GMC_RIGID_CORRECTION) / step->whole;
    GMC_TRY(gmc_mechanism_driven(links, &m->lead));
    GMC_TRY(write_joint_rows(m, links));
    GMC_TRY(write_system(m, links, rate));
    int width = 3 * TIE_ROWS * m->part_count;
    m->held_contacts = GMC_NEW(links->scratch, width * step->contact_count, double);
    if (!m->held_contacts) return GMC_E_ARENA_FULL;
    for (int c = 0; c < step->contact_count && m->node_count > 0; c++)
        GMC_TRY(leave_of_contact(m, links, &step->contacts[c], m->held_contacts + width * c));
    return leave_of_rows(m, links);
}

// ---- after the solution ------------------------------------------------------------------------

/// Rates of joints where the links have these velocities.
static void read_rates(const struct gmc_maximal *m, const double *v, double *rates)
{
    for (int i = 0; i < m->of->dof_count; i++) {
        int body = m->mover[i];
        double rate;
        if (!m->is_loose[body]) {
            rates[i] = v[m->model.bodies[body].v + i - m->of->bodies[body].v];
            continue;
        }
        gmc_saddle_row row = row_of_dof(m, i, &rate);
        for (int k = 0; k < row.count; k++) {
            int first = dof_of(m, row.nodes[k]);
            int width = m->dof_start[row.nodes[k] + 1] - m->dof_start[row.nodes[k]];
            for (int j = 0; j < width; j++)
                rate += row.J[k][j] * v[first + j];
        }
        rates[i] = rate;
    }
}

/// y += Σ a_k x_k, rows of x as wide as y.
static void add_rows(const double *a, int count, const double *x, int width, double *y)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < width; i++)
            y[i] += a[k] * x[(size_t)k * (size_t)width + (size_t)i];
}

/// Of all velocities that keep to the joints those nearest to the solution, which are it to
/// rounding.
static gmc_status close_ties(gmc_rigid_step *step)
{
    gmc_mechanism_step *links = &step->motion;
    struct gmc_maximal *m = links->memory->ties->of;
    size_t rows = (size_t)m->row_start[m->node_count];
    m->ties.joints.v = GMC_NEW(links->scratch, m->of->dof_count, double);
    if (!m->ties.joints.v) return GMC_E_ARENA_FULL;
    if (m->node_count > 0) {
        multiply_tied(m, links->v, m->x);
        into_nodes(m, m->x, m->of_nodes);
        memcpy(m->of_rows, m->target, rows * sizeof *m->of_rows);
        GMC_TRY(gmc_saddle_solve(&m->saddle, m->of_nodes, m->of_rows));
        out_of_nodes(m, m->of_nodes, links->v);
    }
    for (int i = m->model.free_count; i < m->model.dof_count; i++)
        links->v[i] = links->control->v_driven[i];
    int width = TIE_ROWS * m->part_count;
    add_rows(step->r, 3 * step->contact_count, m->held_contacts, width, m->held_now);
    add_rows(links->s, links->row_count, m->held_rows, width, m->held_now);
    read_rates(m, links->v, m->ties.joints.v);
    m->ties.joints.s = links->s + links->row_count - m->ties.joints.row_count;
    return GMC_OK;
}

static void keep_ties(gmc_rigid_step *step)
{
    struct gmc_maximal *m = step->motion.memory->ties->of;
    gmc_mechanism_joint_keep(&m->ties.joints);
    memcpy(m->rates, m->ties.joints.v, (size_t)m->of->dof_count * sizeof *m->rates);
    for (int i = 0; i < m->of->free_count; i++)
        m->servo[i] += m->world->servo_impulse[i];
    for (int i = 0; i < TIE_ROWS * m->part_count; i++)
        m->held[i] += m->held_now[i];
}

// ---- a step ------------------------------------------------------------------------------------

/// The control as the links have it.
static void share_control(struct gmc_maximal *m, const gmc_control *control, double *force,
                          double *v_driven, double *q_driven)
{
    m->control = control;
    for (int b = 1; b < m->of->body_count; b++) {
        const gmc_body *of = &m->of->bodies[b], *body = &m->model.bodies[b];
        if (m->is_loose[b] || of->is_mimic) continue;
        for (int k = 0; k < gmc_joint_v_count(of->joint); k++) {
            force[body->v + k] = control->force[of->v + k];
            v_driven[body->v + k] = control->v_driven[of->v + k];
        }
        for (int k = 0; k < gmc_joint_q_count(of->joint) && of->is_driven; k++)
            q_driven[body->q + k] = control->q_driven[of->q + k];
    }
}

static void see(struct gmc_maximal *m)
{
    memcpy(m->q_seen, m->world->state.q, (size_t)m->of->q_count * sizeof(double));
    memcpy(m->v_seen, m->world->state.v, (size_t)m->of->dof_count * sizeof(double));
    m->has_seen = true;
}

/// Has somebody else written the state since?
static bool is_changed(const struct gmc_maximal *m)
{
    return !m->has_seen ||
           memcmp(m->q_seen, m->world->state.q, (size_t)m->of->q_count * sizeof(double)) != 0 ||
           memcmp(m->v_seen, m->world->state.v, (size_t)m->of->dof_count * sizeof(double)) != 0;
}

/// Contacts are of bodies as the model has them, or of its parts.
static void share_contacts(const gmc_model *model, gmc_contact_set *set)
{
    for (int c = 0; c < set->count; c++) {
        gmc_contact *contact = &set->contacts[c];
        contact->body_a = model->geoms[contact->point.geom_a].body;
        contact->body_b = model->geoms[contact->point.geom_b].body;
    }
}

static gmc_status begin_step(struct gmc_maximal *m, const gmc_maximal_call *call)
{
    gmc_arena *scratch = call->scratch;
    double *force = GMC_NEW(scratch, m->model.dof_count, double);
    double *v_driven = GMC_NEW(scratch, m->model.dof_count, double);
    double *q_driven = GMC_NEW(scratch, m->model.q_count, double);
    if (!force || !v_driven || !q_driven) return GMC_E_ARENA_FULL;
    m->world = call->world;
    m->given = call->world->model;
    refresh_model(m);
    if (m->weighings != m->world->kin.weighings) gmc_kinematics_weigh(&m->model, &m->links.kin);
    m->weighings = m->world->kin.weighings;
    if (is_changed(m)) {
        take_over(m);
        see(m);
        memcpy(m->rates, m->v_seen, (size_t)m->of->dof_count * sizeof *m->rates);
    }
    m->links.state.t = m->world->state.t;
    m->links.contacts = m->world->contacts;
    share_contacts(&m->model, &m->links.contacts);
    gmc_kinematics_update(&m->model, m->links.state.q, m->links.state.v, &m->links.kin);
    share_control(m, call->control, force, v_driven, q_driven);
    m->control_links.force = force;
    m->control_links.v_driven = v_driven;
    m->control_links.q_driven = q_driven;
    m->t_end = m->world->state.t + call->h;
    memset(m->servo, 0, (size_t)m->of->free_count * sizeof *m->servo);
    memset(m->held, 0, (size_t)(TIE_ROWS * m->part_count) * sizeof *m->held);
    return GMC_OK;
}

gmc_status gmc_maximal_step(const gmc_maximal_call *call, gmc_step_report *report)
{
    struct gmc_maximal *m = call->world->stepper_memory;
    gmc_world *world = call->world;
    size_t joints = (size_t)m->joints.joint_count, n = (size_t)world->model->free_count;
    gmc_mechanism_joint *kept = GMC_ROOM(call->scratch, joints, gmc_mechanism_joint);
    double *ganged = GMC_ROOM(call->scratch, n, double), t = world->state.t;
    if (!kept || !ganged) return GMC_E_ARENA_FULL;
    memcpy(kept, m->joints.joints, joints * sizeof *kept);
    memcpy(ganged, m->joints.ganged, n * sizeof *ganged);
    GMC_TRY(begin_step(m, call));
    gmc_status status =
        call->step(&m->links, &m->control_links, call->options, call->h, call->scratch, report);
    world->contacts = m->links.contacts;
    share_contacts(m->given, &world->contacts);
    if (status == GMC_OK) {
        world->state.t = m->links.state.t;
        show_links(m);
        see(m);
        memcpy(world->servo_impulse, m->servo, n * sizeof *m->servo);
        return GMC_OK;
    }
    memcpy(m->joints.joints, kept, joints * sizeof *kept);
    memcpy(m->joints.ganged, ganged, n * sizeof *ganged);
    memcpy(world->state.q, m->q_seen, (size_t)m->of->q_count * sizeof(double));
    memcpy(world->state.v, m->v_seen, (size_t)m->of->dof_count * sizeof(double));
    memcpy(m->rates, m->v_seen, (size_t)m->of->dof_count * sizeof *m->rates);
    world->state.t = t;
    show_poses(m);
    return status;
}

bool gmc_maximal_held(const gmc_world *world, int mount, double *wrench)
{
    const struct gmc_maximal *m = world->stepper_memory;
    int body = m->part_of[mount];
    if (body < 0) return false;
    memcpy(wrench, m->held + TIE_ROWS * (body - m->given->body_count), TIE_ROWS * sizeof *wrench);
    return true;
}
