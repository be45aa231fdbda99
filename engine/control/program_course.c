// Bodies of a planar world that follow a path, and forces given over time. A step takes the end of
// its piece of the path, and the mean of the force over it, by Simpson's rule: exact where no knot
// lies inside. Steppers whose impulses reach from the middle of one step to that of the next take
// it half a step late, an error of second order.
#include "engine/control/program_internal.h"

double gmc_program_curve(const gmc_curve *curve, double time)
{
    if (curve->count == 0) return 0;
    int next = 0;
    while (next < curve->count && curve->time[next] <= time)
        next++;
    if (next == 0) return curve->value[0];
    if (next == curve->count) return curve->value[next - 1];
    double from = curve->time[next - 1], share = (time - from) / (curve->time[next] - from);
    return curve->value[next - 1] + share * (curve->value[next] - curve->value[next - 1]);
}

static void drive(const gmc_course *path, const gmc_world *world, double h,
                  gmc_program_state *state)
{
    const gmc_model *model = world->model;
    const gmc_body *body = &model->bodies[path->body];
    const double *q0 = world->state.q + body->q;
    double *q = state->q_driven + body->q, *v = state->v_driven + body->v;
    for (int k = 0; k < 3; k++) {
        q[k] = path->curves[k].count > 0 ? gmc_program_curve(&path->curves[k], world->state.t + h)
                                         : q0[k];
        v[k] = (q[k] - q0[k]) / h; // its mass centre is its origin
    }
}

static void push(const gmc_course *push, const gmc_world *world, double h, gmc_program_state *state)
{
    double *force = state->force + world->model->bodies[push->body].v, t = world->state.t;
    for (int k = 0; k < 3; k++)
        force[k] = (gmc_program_curve(&push->curves[k], t) +
                    4 * gmc_program_curve(&push->curves[k], t + h / 2) +
                    gmc_program_curve(&push->curves[k], t + h)) /
                   6;
}

void gmc_program_course(const gmc_program *program, const gmc_world *world, double h,
                        gmc_program_state *state)
{
    for (int i = 0; i < program->path_count; i++)
        drive(&program->paths[i], world, h, state);
    for (int i = 0; i < program->push_count; i++)
        push(&program->pushes[i], world, h, state);
}
