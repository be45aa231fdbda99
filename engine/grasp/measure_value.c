// Measures are small functions of the world after a step and of what was remembered at the start
// and when slip began to count. Slip is the displacement of a's centre of mass seen in b's frame: a
// turn alone is counted by slip_angle, so that a millimetre stays a millimetre whatever the size of
// the object.
#include "engine/grasp/measure.h"
#include "engine/math/elementary.h"

static gmc_pose pose_of(int body, const gmc_world *world, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand : world->kin.X_wb[body];
}

// Centre of mass of a body, or the tool point of the hand.
static gmc_vec3 centre_of(int body, const gmc_world *world, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand.p : world->kin.com_w[body];
}

static gmc_vec3 start_centre(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_start.p : state->com_start[body];
}

static double height_of(gmc_vec3 p, const gmc_measure_plan *plan)
{
    return plan->is_planar ? p.y : p.z;
}

static gmc_pose start_pose(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_start : state->X_start[body];
}

static gmc_pose slip_pose(int body, const gmc_measure_state *state)
{
    return body == GMC_BODY_HAND ? state->X_hand_slip : state->X_slip[body];
}

// The same body point as the centre of mass, seen in b's frame, for a pose of a and of b.
static gmc_vec3 point_in(const gmc_model *model, int a, const gmc_pose *X_wa, const gmc_pose *X_wb)
{
    gmc_vec3 com = a == GMC_BODY_HAND ? (gmc_vec3){0, 0, 0} : model->bodies[a].inertia.com;
    return gmc_pose_apply_inverse(X_wb, gmc_pose_apply(X_wa, com));
}

static double angle_between(const gmc_pose *A, const gmc_pose *B)
{
    gmc_pose X = gmc_pose_relative(A, B);
    return gmc_vec3_norm(gmc_quat_log(gmc_quat_from_matrix(&X.R)));
}

static double slip_between(const gmc_measure *m, const gmc_world *world,
                           const gmc_measure_state *state, bool is_angle)
{
    if (!state->counts_slip) return 0;
    gmc_pose A = pose_of(m->a, world, state), B = pose_of(m->b, world, state);
    gmc_pose A0 = slip_pose(m->a, state), B0 = slip_pose(m->b, state);
    if (is_angle) {
        gmc_pose now = gmc_pose_relative(&B, &A), then = gmc_pose_relative(&B0, &A0);
        return angle_between(&then, &now);
    }
    return gmc_vec3_norm(
        gmc_vec3_sub(point_in(world->model, m->a, &A, &B), point_in(world->model, m->a, &A0, &B0)));
}

static bool is_of(int body, int wanted, const gmc_measure_plan *plan)
{
    return wanted == GMC_BODY_HAND ? plan->is_hand && plan->is_hand[body] : body == wanted;
}

static bool are_of(int i, int j, const gmc_measure *m, const gmc_measure_plan *plan)
{
    return (is_of(i, m->a, plan) && is_of(j, m->b, plan)) ||
           (is_of(i, m->b, plan) && is_of(j, m->a, plan));
}

static double force_between(const gmc_measure *m, const gmc_measure_plan *plan,
                            const gmc_measure_force *forces)
{
    double sum = 0;
    for (int i = 0; i < forces->count; i++)
        if (are_of(forces->pairs[i].a, forces->pairs[i].b, m, plan)) sum += forces->pairs[i].force;
    return sum;
}

static bool do_touch(const gmc_measure *m, const gmc_measure_plan *plan, const gmc_world *world)
{
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (c->impulse[0] > 0 && are_of(c->body_a, c->body_b, m, plan)) return true;
    }
    return false;
}

// Each hand body counts once, however many points it touches with.
static int count_holding(int object, const gmc_measure_plan *plan, const gmc_world *world)
{
    int holding = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        int other = c->body_a == object ? c->body_b : c->body_b == object ? c->body_a : -1;
        if (other < 0 || !(c->impulse[0] > 0) || !is_of(other, GMC_BODY_HAND, plan)) continue;
        bool is_counted = false;
        for (int k = 0; k < i && !is_counted; k++) {
            const gmc_contact *d = &world->contacts.contacts[k];
            int earlier = d->body_a == object ? d->body_b : d->body_b == object ? d->body_a : -1;
            is_counted = earlier == other && d->impulse[0] > 0;
        }
        if (!is_counted) holding++;
    }
    return holding;
}

// Velocity of the centre of mass of a body, or of the tool point.
static gmc_vec3 velocity_of(int body, const gmc_measure_plan *plan, const gmc_world *world,
                            const gmc_measure_state *state)
{
    int carrier = body;
    if (body == GMC_BODY_HAND)
        carrier =
            plan->tool_frame >= 0 ? world->model->frames[plan->tool_frame].body : plan->hand_body;
    if (carrier < 0) return (gmc_vec3){0, 0, 0};
    return gmc_twist_at(&world->kin.V[carrier], centre_of(body, world, state));
}

static double angle_of(gmc_vec3 a, gmc_vec3 b)
{
    return gmc_atan2(gmc_vec3_norm(gmc_vec3_cross(a, b)), gmc_vec3_dot(a, b));
}

double gmc_measure_value(const gmc_measure *m, const gmc_measure_plan *plan, const gmc_world *world,
                         const gmc_measure_state *state)
{
    switch (m->kind) {
    case GMC_MEASURE_LIFT:
        return height_of(centre_of(m->a, world, state), plan) -
               height_of(start_centre(m->a, state), plan);
    case GMC_MEASURE_SLIP:
        return slip_between(m, world, state, false);
    case GMC_MEASURE_SLIP_ANGLE:
        return slip_between(m, world, state, true);
    case GMC_MEASURE_MOVED:
        return gmc_vec3_norm(
            gmc_vec3_sub(centre_of(m->a, world, state), start_centre(m->a, state)));
    case GMC_MEASURE_TURNED: {
        gmc_pose now = pose_of(m->a, world, state), then = start_pose(m->a, state);
        return angle_between(&then, &now);
    }
    case GMC_MEASURE_TILTED: {
        gmc_pose now = pose_of(m->a, world, state), then = start_pose(m->a, state);
        return angle_of(gmc_mat3_column(&then.R, 2), gmc_mat3_column(&now.R, 2));
    }
    case GMC_MEASURE_SPEED:
        return gmc_vec3_norm(velocity_of(m->a, plan, world, state));
    case GMC_MEASURE_SPIN: {
        int body = m->a == GMC_BODY_HAND ? plan->hand_body : m->a;
        return body < 0 ? 0 : gmc_vec3_norm(world->kin.V[body].w);
    }
    case GMC_MEASURE_CONTACT:
        return do_touch(m, plan, world);
    case GMC_MEASURE_HELD_BY:
        return count_holding(m->a, plan, world);
    case GMC_MEASURE_FORCE:
        return force_between(m, plan, &state->forces);
    case GMC_MEASURE_HEIGHT:
        return height_of(centre_of(m->a, world, state), plan);
    case GMC_MEASURE_DISTANCE:
        return gmc_vec3_norm(
            gmc_vec3_sub(pose_of(m->a, world, state).p, pose_of(m->b, world, state).p));
    case GMC_MEASURE_LEANS: {
        gmc_pose now = pose_of(m->a, world, state);
        int up = plan->is_flat ? 1 : 2;
        return angle_of((gmc_vec3){0, plan->is_flat, !plan->is_flat}, gmc_mat3_column(&now.R, up));
    }
    case GMC_MEASURE_PLACE: {
        gmc_pose in = pose_of(m->b, world, state);
        return gmc_vec3_norm(
            gmc_vec3_sub(pose_of(m->a, world, state).p, gmc_pose_apply(&in, m->in_b)));
    }
    case GMC_MEASURE_ANGLE: {
        gmc_pose A = pose_of(m->a, world, state), B = pose_of(m->b, world, state);
        return angle_of(gmc_mat3_apply(&A.R, m->of_a), gmc_mat3_apply(&B.R, m->in_b));
    }
    case GMC_MEASURE_KIND_COUNT:
        break;
    }
    return 0;
}
