#include "test/support/dropping.h"

#include "engine/math/elementary.h"

static const double STEP = 2e-3;
enum { REST_STEPS = 100 };

gmc_quat gmc_dropping_turn(gmc_chance *chance)
{
    gmc_vec3 axis = gmc_chance_direction(chance);
    double half = gmc_chance_uniform(chance, 0, GMC_PI / 2), s = gmc_sin(half);
    return (gmc_quat){gmc_cos(half), s * axis.x, s * axis.y, s * axis.z};
}

void gmc_dropping_box(const gmc_shape *shapes, int count, const gmc_mat3 *R, gmc_vec3 *lo,
                      gmc_vec3 *hi)
{
    *lo = (gmc_vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *hi = gmc_vec3_neg(*lo);
    for (int i = 0; i < count; i++)
        for (int v = 0; v < shapes[i].polytope->vertex_count; v++) {
            gmc_vec3 p = gmc_vec3_scale(shapes[i].scale, shapes[i].polytope->vertices[v]);
            p = gmc_mat3_apply(R, p);
            *lo = (gmc_vec3){fmin(lo->x, p.x), fmin(lo->y, p.y), fmin(lo->z, p.z)};
            *hi = (gmc_vec3){fmax(hi->x, p.x), fmax(hi->y, p.y), fmax(hi->z, p.z)};
        }
}

/// As a rollout steps: in halves where no solution is found or a body turns too far.
static gmc_status step(gmc_stage *stage, double h, int halvings)
{
    stage->options.turn_max = halvings > 0 ? 1 : HUGE_VAL;
    gmc_status status = gmc_stage_step(stage, h);
    if ((status != GMC_E_NO_SOLUTION && status != GMC_E_RESIDUAL) || halvings == 0) return status;
    GMC_TRY(step(stage, h / 2, halvings - 1));
    return step(stage, h / 2, halvings - 1);
}

/// Sum of the normal forces on contacts of a body [N].
static double normal_force(const gmc_stage *stage, int body)
{
    double sum = 0;
    for (int c = 0; c < stage->world.contacts.count; c++) {
        const gmc_contact *contact = &stage->world.contacts.contacts[c];
        if (contact->body_a == body || contact->body_b == body) sum += contact->impulse[0] / STEP;
    }
    return sum;
}

/// Compare the forces of two steps at rest, and note them.
static void watch(const gmc_stage *stage, const char *name, int *rested, gmc_dropping *found)
{
    int body = gmc_stage_body(stage, name);
    double turning = gmc_vec3_norm(stage->world.kin.V[body].w);
    double force = normal_force(stage, body);
    found->speed = gmc_vec3_norm(gmc_stage_velocity(stage, name)) + 0.05 * turning;
    *rested = found->speed < GMC_DROPPING_REST ? *rested + 1 : 0;
    if (*rested > REST_STEPS) {
        double less = fmin(force, found->force), more = fmax(force, found->force);
        found->jump = fmax(found->jump, more / fmax(less, 1e-6));
    }
    found->force = force;
    found->height = stage->world.kin.com_w[body].z;
}

static void finish(gmc_stage *stage, gmc_dropping *found)
{
    found->steps = stage->steps;
    found->contacts = stage->contacts;
    gmc_stage_close(stage);
}

gmc_dropping gmc_dropping_fall(const gmc_shape *shapes, int count, gmc_pose X, double friction,
                               double span)
{
    gmc_stage stage;
    gmc_dropping found = {.jump = 1};
    gmc_stage_open(&stage, friction);
    gmc_stage_fixed(&stage, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_compound(&stage, "object", shapes, count, 0.2, X);
    gmc_stage_ready(&stage, 256);
    int rested = 0;
    for (long i = 0; i < (long)(span / STEP) && found.status == GMC_OK; i++) {
        found.status = step(&stage, STEP, 3);
        if (found.status == GMC_OK) watch(&stage, "object", &rested, &found);
    }
    finish(&stage, &found);
    return found;
}

gmc_dropping gmc_dropping_grasp(const gmc_shape *shapes, int count, const gmc_mat3 *R,
                                double friction)
{
    gmc_stage stage;
    gmc_dropping found = {.jump = 1};
    gmc_vec3 lo, hi;
    gmc_dropping_box(shapes, count, R, &lo, &hi);
    gmc_pose X = {*R, {-0.5 * (lo.x + hi.x), -0.5 * (lo.y + hi.y), -lo.z}};
    gmc_stage_pinch_compound(&stage, friction, shapes, count, 0.1, X);
    double start = stage.world.kin.com_w[gmc_stage_body(&stage, "obj")].z;
    int rested = 0;
    for (int i = 0; i < 1000 && found.status == GMC_OK; i++) {
        gmc_stage_pinch_control(&stage, stage.world.state.t + STEP, 10, false);
        found.status = step(&stage, STEP, 3);
        if (found.status == GMC_OK) watch(&stage, "obj", &rested, &found);
    }
    found.height -= start;
    finish(&stage, &found);
    return found;
}
