// What comes down on the edge of a pad is met by the face through which it comes.

#include "engine/collision/shape.h"
#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, FRICTION = 0.5, SPEED = 1.7;
static const double STEPS[] = {0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};
enum { STEP_COUNT = sizeof STEPS / sizeof *STEPS };

static gmc_shape rod(gmc_shape_type type)
{
    return (gmc_shape){.type = type, .radius = 0.015, .half_length = 0.02, .scale = 1};
}

typedef struct fall {
    gmc_shape shape;
    gmc_quat turn;
    double inside; ///< of its lowest point, from the edge [m]
    double mass;
    gmc_surface_extra pad;
} fall;

/// Is all that presses pressed along z?
static bool is_met_from_above(const gmc_contact_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->contacts[i].impulse[0] > 0 && fabs(set->contacts[i].dir[0].z) < 1) return false;
    return true;
}

static bool presses(const gmc_contact_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->contacts[i].impulse[0] > 0) return true;
    return false;
}

/// @param met  out: the first that presses does so along z
/// @return the most energy that it has as it goes on, over that with which it came
static double drop(const fall *of, double h, bool *met)
{
    gmc_stage s;
    gmc_solid solid = {.shape = &of->shape, .X = gmc_pose_make(of->turn, (gmc_vec3){0, 0, 0})};
    gmc_vec3 low = gmc_shape_support(&solid, (gmc_vec3){0, 0, -1}, NULL);
    gmc_vec3 place = {0, -of->inside - low.y, 1e-3 - low.z};
    gmc_pose X = {gmc_mat3_identity(), {0, -0.06, -0.02}};
    gmc_stage_open(&s, FRICTION);
    gmc_stage_fixed(&s, "pad", gmc_stage_box(0.06, 0.06, 0.02), X);
    gmc_stage_free(&s, "body", of->shape, of->mass, place);
    gmc_stage_ready(&s, 64);
    gmc_stage_extra(&s, &of->pad);
    const gmc_body *body = &s.model.bodies[gmc_stage_body(&s, "body")];
    double *q = s.world.state.q + body->q;
    q[3] = of->turn.w, q[4] = of->turn.x, q[5] = of->turn.y, q[6] = of->turn.z;
    s.world.state.v[body->v + 2] = -SPEED;
    gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
    double start = gmc_stage_energy(&s), most = 0;
    bool has_met = false;
    for (double t = 0; t < 0.06; t += h) {
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        if (!has_met && presses(&s.world.contacts)) {
            has_met = true;
            *met = is_met_from_above(&s.world.contacts);
        }
        most = fmax(most, gmc_stage_energy(&s));
    }
    gmc_stage_close(&s);
    return most / start;
}

/// Cans and capsules, however turned, whose lowest point comes down up to 4 mm inside the edge of a
/// pad or up to 1 mm beside it, press on its top first: by the normal alone 7 of them pressed on
/// its side. They do not leave with more energy than they came with.
static void edge_is_met_from_above(void **state)
{
    (void)state;
    const double masses[] = {1e-3, 0.05, 1}, moduli[] = {0.1e6, 1e6, 10e6};
    int aside = 0;
    double worst = 0;
    for (int i = 0; i < 720; i++) {
        double T = i % 2 ? 3e-3 : 8e-3, h = STEPS[i / 2 % STEP_COUNT];
        fall of = {.shape = rod(i / 6 % 2 ? GMC_SHAPE_CAPSULE : GMC_SHAPE_CYLINDER),
                   .turn = gmc_quat_from_rpy(0.7 * i, 0.45 * (i % 7 - 3), 1.1 * i),
                   .inside = (i * 7 % 20 - 4) * 0.25e-3,
                   .mass = masses[i % 3],
                   .pad = {.pad = moduli[i / 3 % 3] / T, .pad_shear = 0.5, .pad_edge = T}};
        bool met = true;
        worst = fmax(worst, drop(&of, h, &met));
        aside += !met;
    }
    print_message("%d aside; has at most %.6f of what it had\n", aside, worst);
    assert_int_equal(aside, 0);
    // it was met before it fell by 1 mm more, m g 1 mm, against m v^2 / 2
    assert_true(worst <= 1 + 2 * G * 1e-3 / (SPEED * SPEED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_is_met_from_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
