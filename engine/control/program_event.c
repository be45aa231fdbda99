// Events that end a phase, each a plain question about the world as it is now. That an event must
// last is the caller's affair.
#include "engine/control/program_internal.h"

// Slower than this a finger is stalled, and an object at rest. A choice, not measured: at 1 mm/s
// an object moves by 1 mm in a second of holding.
static const double STALL_SPEED = 1e-3, STALL_RATE = 1e-2, REST_SPEED = 1e-3, REST_RATE = 0.05;

static bool is_stalled(const gmc_program *program, const gmc_phase *phase, const gmc_world *world,
                       const gmc_program_state *state)
{
    for (int i = 0; i < program->finger_count; i++) {
        int dof = program->fingers[i].dof;
        gmc_joint_type joint = world->model->bodies[state->body_of[dof]].joint;
        double limit = joint == GMC_JOINT_REVOLUTE ? STALL_RATE : STALL_SPEED;
        limit = fmin(limit, phase->speed / 2); // a finger that is meant to be slow is not stalled
        if (!(fabs(world->state.v[dof]) < limit)) return false;
    }
    return true;
}

static bool is_moved_by(const gmc_body *body, int dof)
{
    return body->v == dof && gmc_joint_v_count(body->joint) == 1;
}

// The part of the hand that a body belongs to: the body nearest to the root that the dof moves
// itself; -1 if the dof does not move it.
static int branch_of(const gmc_model *model, int body, int dof)
{
    int branch = -1;
    for (int b = body; b > 0; b = model->bodies[b].parent)
        if (is_moved_by(&model->bodies[b], dof)) branch = b;
    return branch;
}

// Does the finger of this dof touch the object with force? Where one drive moves several branches
// of the hand, two must touch: a jaw has two, and of a linkage some branches never touch anything.
static bool finger_touches(const gmc_world *world, int dof, int object)
{
    const gmc_model *model = world->model;
    int branches = 0, touching = 0, first = -1;
    for (int b = 1; b < model->body_count; b++)
        if (is_moved_by(&model->bodies[b], dof) && branch_of(model, b, dof) == b) branches++;
    for (int i = 0; i < world->contacts.count && touching < 2; i++) {
        const gmc_contact *c = &world->contacts.contacts[i];
        if (!(c->impulse[0] > 0) || (c->body_a != object && c->body_b != object)) continue;
        int branch = branch_of(model, c->body_a == object ? c->body_b : c->body_a, dof);
        if (branch < 0 || branch == first) continue;
        first = branch;
        touching++;
    }
    return touching >= (branches > 1 ? 2 : 1);
}

static bool is_at_rest(const gmc_world *world, int object)
{
    if (object < 0) return true;
    const gmc_twist *V = &world->kin.V[object];
    gmc_vec3 velocity = gmc_twist_at(V, world->kin.com_w[object]);
    return gmc_vec3_norm(velocity) < REST_SPEED && gmc_vec3_norm(V->w) < REST_RATE;
}

bool gmc_program_event_holds(const gmc_program *program, const gmc_phase *phase,
                             const gmc_world *world, const gmc_program_state *state, double time)
{
    switch (phase->end) {
    case GMC_END_TIME:
        return false;
    case GMC_END_STALLED: {
        double ramp = phase->has_force ? phase->ramp : 0;
        return time >= ramp && is_stalled(program, phase, world, state);
    }
    case GMC_END_IN_CONTACT:
        for (int i = 0; i < program->finger_count; i++)
            if (!finger_touches(world, program->fingers[i].dof, program->object_body)) return false;
        return true;
    case GMC_END_AT_REST:
        return is_at_rest(world, program->object_body);
    }
    return false;
}
