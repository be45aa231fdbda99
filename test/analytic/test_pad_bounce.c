// Restitution on pads: whatever shape strikes, the point that strikes leaves with e of its speed.

#include "engine/math/elementary.h"
#include "test/support/near.h"
#include "test/support/stage.h"

static const double G = 9.81, FRICTION = 0.5;
static const double STEPS[] = {0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};

typedef struct striker {
    const char *name;
    gmc_shape shape;
    double roll, pitch; ///< [rad]
    double below;       ///< its lowest point below its middle [m]
    bool is_askew;      ///< that is beside its middle, too
    bool is_on_rod;     ///< it lands on a can that lies below, not on a plane
} striker;

static gmc_shape rod(gmc_shape_type type, double radius, double half)
{
    return (gmc_shape){.type = type, .radius = radius, .half_length = half, .scale = 1};
}

/// What falls, R its size.
static striker striker_of(int kind, double R)
{
    const double right = GMC_PI / 2, c = gmc_cos(0.3), s = gmc_sin(0.3);
    switch (kind) {
    case 0:
        return (striker){"ball", rod(GMC_SHAPE_SPHERE, R, 0), 0, 0, R, false, false};
    case 1:
        return (striker){"can on its end", rod(GMC_SHAPE_CYLINDER, R, R), 0, 0, R, false, false};
    case 2:
        return (striker){
            "can on its side", rod(GMC_SHAPE_CYLINDER, R, R), 0, right, R, false, false};
    case 3:
        return (striker){
            "capsule on its side", rod(GMC_SHAPE_CAPSULE, R, R), 0, right, R, false, false};
    case 4:
        return (striker){
            "capsule on its end", rod(GMC_SHAPE_CAPSULE, R, R), 0, 0, 2 * R, false, false};
    case 5:
        return (striker){
            "box on its edge", gmc_stage_box(R, R, R), 0, right / 2, R * sqrt(2), false, false};
    case 6: // about y: its lowest edge is at +x
        return (striker){"box askew", gmc_stage_box(R, R, R), 0, 0.3, R * (c + s), true, false};
    case 7:
        return (striker){"can on a can", rod(GMC_SHAPE_CYLINDER, R, R), 0, right, R, false, true};
    default: // its rim's lowest point
        return (striker){"can askew", rod(GMC_SHAPE_CYLINDER, R, R), 0, 0.3, R * (c + s), true,
                         false};
    }
}
enum { KINDS = 9 };

typedef struct bounce {
    double e;      ///< speed of separation over that of approach, of the place that struck
    double energy; ///< gained at most, of what it had
} bounce;

/// Normal velocity of body's material at its lowest place as it was when it struck.
static double speed_at(const gmc_stage *s, gmc_vec3 place_b)
{
    const gmc_pose *X = &s->world.kin.X_wb[gmc_stage_body(s, "body")];
    const gmc_twist *V = &s->world.kin.V[gmc_stage_body(s, "body")];
    return gmc_twist_at(V, gmc_pose_apply(X, place_b)).z;
}

static bounce drop(const striker *who, double mass, double e, const gmc_surface_extra *pad,
                   double h)
{
    gmc_stage s;
    gmc_surface_extra extra = *pad;
    extra.restitution = e;
    extra.bounce_speed = 0.01;
    gmc_stage_open(&s, FRICTION);
    if (who->is_on_rod)
        gmc_stage_fixed(
            &s, "pad", rod(GMC_SHAPE_CYLINDER, 0.02, 0.05),
            gmc_pose_make(gmc_quat_from_rpy(0, GMC_PI / 2, 0), (gmc_vec3){0, 0, -0.02}));
    else
        gmc_stage_fixed(&s, "pad", gmc_stage_plane(), gmc_pose_identity());
    gmc_stage_free(&s, "body", who->shape, mass, (gmc_vec3){0, 0, who->below + 0.05});
    gmc_stage_ready(&s, 64);
    gmc_stage_extra(&s, &extra);
    double *q = s.world.state.q + s.model.bodies[gmc_stage_body(&s, "body")].q;
    gmc_quat turn = gmc_quat_from_rpy(who->roll, who->pitch, 0);
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    gmc_kinematics_update(&s.model, s.world.state.q, s.world.state.v, &s.world.kin);
    double c = gmc_cos(who->pitch), n = gmc_sin(who->pitch); // pitch takes +x down
    gmc_mat3 R = s.world.kin.X_wb[gmc_stage_body(&s, "body")].R;
    gmc_vec3 corner = {who->below / (c + n), 0, -who->below / (c + n)};
    gmc_vec3 place =
        who->is_askew ? corner : gmc_mat3_apply_transposed(&R, (gmc_vec3){0, 0, -who->below});
    double start = gmc_stage_energy(&s), down = 0, up = 0;
    bounce out = {.energy = -HUGE_VAL};
    // on a can it falls off in the end
    long since = -1, count = (long)((who->is_on_rod || who->is_askew ? 0.3 : 1.5) / h);
    for (long i = 0; i < count; i++) {
        double before = speed_at(&s, place);
        assert_int_equal(gmc_stage_step(&s, h), GMC_OK);
        double now = speed_at(&s, place);
        if (since < 0 && now > before) since = 0, down = -before;
        if (since >= 0 && since++ < 4) up = fmax(up, now);
        out.energy = fmax(out.energy, gmc_stage_energy(&s) / start - 1);
    }
    out.e = up / down;
    gmc_stage_close(&s);
    return out;
}

/// Balls, faces, sides, ends, edges and what lands askew, of any mass, size, pad and step.
static void everything_bounces(void **state)
{
    (void)state;
    const double masses[] = {5e-3, 0.5, 5}, sizes[] = {0.01, 0.02, 0.03}, es[] = {0.3, 0.6, 0.9};
    const double E[] = {1e6, 0.1e6, 100e6}, T[] = {10e-3, 3e-3, 1e-3};
    double worst[2] = {0, 0}, gained = -HUGE_VAL;
    for (int i = 0; i < KINDS * 15; i++) {
        int kind = i % KINDS, j = i / KINDS, pad = (j + kind) % 3;
        gmc_surface_extra extra = {.pad = E[pad] / T[pad], .pad_shear = 0.5, .pad_edge = T[pad]};
        striker who = striker_of(kind, sizes[(j / 3 + kind) % 3]);
        double h = who.is_askew ? 0.1e-3 : STEPS[j % 5], e = es[(j / 5 + kind) % 3],
               mass = masses[j % 3];
        bounce b = drop(&who, mass, e, &extra, h);
        double off = fabs(b.e - e);
        // velocities are those of the middle of a step, of 1 m/s; what lands askew, at the step
        // that a rollout cuts such strikes to, does so on a strip or a spot as deep as a step's way
        double tolerance = (1 + e) / 2 * G * h / 0.99 + 1e-3;
        if (who.is_askew) tolerance = 0.1;
        if (off > tolerance)
            print_message("%s, %g kg, %g ms, e %g: %.4f\n", who.name, mass, 1e3 * h, e, b.e);
        assert_true(off <= tolerance);
        assert_true(b.energy <= 0);
        worst[who.is_askew] = fmax(worst[who.is_askew], off);
        gained = fmax(gained, b.energy);
    }
    print_message("off by %.2e, askew by %.2e; energy gained %.1e\n", worst[0], worst[1], gained);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_bounces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
