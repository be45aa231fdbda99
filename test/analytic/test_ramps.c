// Where a floor and a ramp meet in a line, what slides or rolls there meets each along its face and
// as it gets there (flush.h): it does not dip in, gains no energy, and the blow is that of the
// ramp's face. Oracles: the closed form of a ball that rolls on to a ramp, the impact of a block
// whose edge meets it as a small complementarity problem, and the pose against the faces' planes.
#include "engine/grasp/measure.h"
#include "engine/model/inertia.h"
#include "test/support/near.h"
#include "test/support/one_hulls.h"
#include "test/support/stage.h"

#define DEGREE (GMC_PI / 180)
/// Bars: dipped in [m]; gained, of the kinetic energy [-].
#define DIP  5e-5
#define GAIN 1e-3

/// What the ramp stands on: floors end at its foot, or reach under it.
typedef enum floor_kind { FLOOR_PLANE, FLOOR_ENDS, FLOOR_REACHES, FLOOR_COUNT } floor_kind;

typedef struct thing {
    const char *name;
    gmc_shape shape;
    double mass, z; ///< z of its frame where it stands [m]
    double roll, yaw;
    bool is_rolling;
} thing;

/// One run: a ramp that rises from x = 0, and what comes to its foot at `speed`.
typedef struct scene {
    const char *stepper;
    floor_kind floor;
    double rise; ///< [rad]
    const thing *thing;
    double speed, friction, h;
    bool is_down; ///< it comes down the ramp, on to the floor
    bool is_mesh; ///< the ramp is a side of a hexagonal prism: of 60 degrees
} scene;

static gmc_quat turn_of(double rise) { return gmc_quat_exp((gmc_vec3){0, -rise, 0}); }

static void lay(gmc_stage *s, const scene *c)
{
    gmc_pose X = gmc_pose_identity(), ramp = X;
    double under = c->floor == FLOOR_REACHES ? 0.3 : 0;
    X.p = (gmc_vec3){under - 0.5, 0, -0.01};
    if (c->floor == FLOOR_PLANE)
        gmc_stage_fixed(s, "floor", gmc_stage_plane(), gmc_pose_identity());
    else
        gmc_stage_fixed(s, "floor", gmc_stage_box(0.5 + under, 0.3, 0.01), X);
    if (c->is_mesh) {
        gmc_quat lying = gmc_quat_exp((gmc_vec3){0.5 * GMC_PI, 0, 0});
        gmc_pose prism = {gmc_quat_matrix(lying), {0.3, 0, 0}};
        gmc_stage_fixed(s, "ramp", support_polytope(hulls.prism, 0.3), prism);
        return;
    }
    ramp.R = gmc_quat_matrix(turn_of(c->rise));
    ramp.p = gmc_quat_rotate(turn_of(c->rise), (gmc_vec3){0.3, 0, -0.01});
    gmc_stage_fixed(s, "ramp", gmc_stage_box(0.3, 0.3, 0.01), ramp);
}

/// `away` from the foot along the floor or the ramp, touching it without load, gravity off.
static void open_scene(gmc_stage *s, const scene *c, double away)
{
    const thing *t = c->thing;
    gmc_stage_open(s, c->friction);
    lay(s, c);
    gmc_quat yaw = gmc_quat_exp((gmc_vec3){0, 0, t->yaw}),
             roll = gmc_quat_exp((gmc_vec3){t->roll, 0, 0}), q = gmc_quat_multiply(yaw, roll);
    gmc_vec3 p = {c->is_down ? away : -away, 0, t->z},
             v = {c->is_down ? -c->speed : c->speed, 0, 0};
    if (c->is_down) {
        q = gmc_quat_multiply(turn_of(c->rise), q);
        p = gmc_quat_rotate(turn_of(c->rise), p);
        v = gmc_quat_rotate(turn_of(c->rise), v);
    }
    gmc_stage_compound(s, "thing", &t->shape, 1, t->mass, (gmc_pose){gmc_quat_matrix(q), p});
    s->stepper = c->stepper ? gmc_stepper_find(c->stepper) : gmc_steppers[0];
    gmc_stage_ready(s, 64);
    double *x = s->world.state.v + s->model.bodies[gmc_stage_body(s, "thing")].v;
    x[0] = v.x;
    x[2] = v.z;
    if (t->is_rolling) x[4] = (c->is_down ? -c->speed : c->speed) / t->z;
    gmc_kinematics_update(&s->model, s->world.state.q, s->world.state.v, &s->world.kin);
    s->options.is_start = true;
    s->model.gravity = (gmc_vec3){0, 0, 0};
}

/// Where the lowest point along -n is over the half of space beyond the foot, how deep it is in the
/// plane through the foot with normal n [m].
static double dip_of(const gmc_shape *shape, const gmc_pose *X, gmc_vec3 n, gmc_vec3 beyond)
{
    double deepest = 0;
    if (shape->type != GMC_SHAPE_BOX) {
        gmc_vec3 low = support_farthest(shape, X, gmc_vec3_neg(n));
        return gmc_vec3_dot(low, beyond) < 0 ? 0 : fmax(0, -gmc_vec3_dot(n, low));
    }
    for (int k = 0; k < 8; k++) {
        gmc_vec3 h = shape->half, v = {k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
        gmc_vec3 p = gmc_pose_apply(X, v);
        if (gmc_vec3_dot(p, beyond) >= 0) deepest = fmax(deepest, -gmc_vec3_dot(n, p));
    }
    return deepest;
}

typedef struct seen {
    double dip, gain; ///< [m], of the kinetic energy at the start [-]
    double balance;   ///< the column energy_balance
    gmc_vec3 first;   ///< normal of the first that is not the floor's, up; of length 0: none
    gmc_vec3 v, w;    ///< at the end
    gmc_vec3 p;
} seen;

/// One run, as it goes.
typedef struct run {
    gmc_stage s;
    const scene *c;
    gmc_measure_energy sum;
    double energy, least; ///< since the start, with what contacts store [J]
    seen o;
} run;

static void look(run *r)
{
    const scene *c = r->c;
    const gmc_world *world = &r->s.world;
    gmc_vec3 up = {0, 0, 1}, across = gmc_quat_rotate(turn_of(c->rise), up),
             along = gmc_quat_rotate(turn_of(c->rise), (gmc_vec3){1, 0, 0});
    const gmc_pose *X = &world->kin.X_wb[gmc_stage_body(&r->s, "thing")];
    double dip = c->is_down ? dip_of(&c->thing->shape, X, up, (gmc_vec3){-1, 0, 0})
                            : dip_of(&c->thing->shape, X, across, along);
    r->o.dip = fmax(r->o.dip, dip);
    for (int i = 0; i < world->contacts.count && gmc_vec3_norm(r->o.first) == 0; i++) {
        const gmc_contact *k = &world->contacts.contacts[i];
        gmc_vec3 n = k->point.n.z < 0 ? gmc_vec3_neg(k->point.n) : k->point.n;
        if (k->impulse[0] > 0 && gmc_vec3_norm(gmc_vec3_sub(n, up)) > 1e-6) r->o.first = n;
    }
}

/// A step that is refused is taken again as shorter ones, as in a rollout.
static gmc_status take(run *r, double h)
{
    gmc_stage *s = &r->s;
    s->options.impact_step = 1e-4;
    s->options.turn_max = HUGE_VAL;
    s->last = (gmc_step_report){0};
    gmc_status status = gmc_stage_step(s, h);
    if (status == GMC_E_NO_SOLUTION && h > 1e-5) {
        GMC_TRY(take(r, h / 2));
        return take(r, h / 2);
    }
    if (status != GMC_OK) return status;
    const gmc_step_energy *e = &s->last.energy;
    double kinetic = 0.5 * r->c->thing->mass * r->c->speed * r->c->speed;
    s->options.is_start = false;
    gmc_measure_energy_step(e, &r->sum);
    r->energy += e->kinetic_change + e->elastic_change - e->gravity;
    r->least = fmin(r->least, r->energy);
    r->o.gain = fmax(r->o.gain, (r->energy - r->least) / kinetic);
    look(r);
    return GMC_OK;
}

/// Steps to the foot and for `span` beyond it. @param gravity  [m/s2]
static seen go(const scene *c, double away, double span, double gravity)
{
    static run r;
    double scheme, size;
    r = (run){.c = c};
    open_scene(&r.s, c, away);
    r.s.model.gravity.z = -gravity;
    for (double until = away / c->speed + span; r.s.world.state.t < until - 0.5 * c->h;)
        assert_int_equal(take(&r, c->h), GMC_OK);
    gmc_measure_energy_finish(&r.sum, &r.o.balance, &scheme, &size);
    const double *x = r.s.world.state.v + r.s.model.bodies[gmc_stage_body(&r.s, "thing")].v;
    r.o.v = (gmc_vec3){x[0], x[1], x[2]};
    r.o.w = (gmc_vec3){x[3], x[4], x[5]};
    r.o.p = gmc_stage_place(&r.s, "thing");
    gmc_stage_close(&r.s);
    return r.o;
}

static thing ball(double radius, double mass)
{
    return (thing){.name = "ball",
                   .shape = support_sphere(radius),
                   .mass = mass,
                   .z = radius,
                   .is_rolling = true};
}

/// A ball that rolls meets the ramp with its normal: the speed into the ramp ends, along it the
/// ball comes to roll, if friction can bear that: u = v cos + v (1 - cos) / 3.5. What is left of it
/// slides: J = mu m v sin.
static void test_a_ball_that_rolls_on_to_a_ramp(void **state)
{
    (void)state;
    const double rises[] = {5, 20, 44, 46, 60, 80}, steps[] = {0.25e-3, 1e-3, 4e-3},
                 radii[] = {0.005, 0.02, 0.06}, masses[] = {0.005, 0.2, 5};
    for (int i = 0; i < GMC_COUNT(rises) * GMC_COUNT(steps) * 3; i++) {
        int size = i % 3;
        thing t = ball(radii[size], masses[size]);
        scene c = {.floor = (floor_kind)((i / 3 + i) % FLOOR_COUNT),
                   .rise = rises[i / 9] * DEGREE,
                   .is_mesh = rises[i / 9] == 60 && i % 2,
                   .thing = &t,
                   .speed = 0.5 + 0.7 * size,
                   .friction = size == 1 ? 0.2 : 0.5,
                   .h = steps[i / 3 % 3]};
        seen o = go(&c, 0.05 + t.z, 0.02, 0);
        double v = c.speed, cosine = cos(c.rise), J = v * (1 - cosine) / 3.5,
               most = c.friction * v * sin(c.rise), u = v * cosine + fmin(J, most);
        double spin = (v - 2.5 * fmin(J, most)) / t.z;
        // 1 %: bar of impacts
        if (!(fabs(o.v.x - u * cosine) <= 0.01 * v) ||
            !(fabs(o.v.z - u * sin(c.rise)) <= 0.01 * v) ||
            !(fabs(o.w.y - spin) <= 0.01 * v / t.z) || !(o.dip <= DIP))
            fail_msg("%g deg, floor %d, %g ms, %g m: v %g %g (%g %g), spin %g (%g), dip %g",
                     rises[i / 9], c.floor, 1e3 * c.h, t.z, o.v.x, o.v.z, u * cosine,
                     u * sin(c.rise), o.w.y, spin, o.dip);
    }
}

/// Velocity (x, z, spin about y) after the lower front edge of a block has met the ramp without
/// friction and restitution, while it stands on the floor: Gauss-Seidel on the three impulses.
static void impact(const thing *t, double speed, double rise, double v[3])
{
    double a = t->shape.half.x, b = t->shape.half.z, I = (a * a + b * b) / 3;
    double J[3][3] = {{-sin(rise), cos(rise), sin(rise) * b - cos(rise) * a}, // front, ramp
                      {0, 1, -a},                                             // front, floor
                      {0, 1, a}};                                             // rear, floor
    double impulse[3] = {0, 0, 0};
    v[0] = speed;
    v[1] = v[2] = 0;
    for (int turn = 0; turn < 20000; turn++)
        for (int i = 0; i < 3; i++) {
            double rate = J[i][0] * v[0] + J[i][1] * v[1] + J[i][2] * v[2],
                   mobility = J[i][0] * J[i][0] + J[i][1] * J[i][1] + J[i][2] * J[i][2] / I,
                   next = fmax(0, impulse[i] - rate / mobility), more = next - impulse[i];
            impulse[i] = next;
            v[0] += more * J[i][0];
            v[1] += more * J[i][1];
            v[2] += more * J[i][2] / I;
        }
}

static thing block(double size, double mass, double yaw)
{
    return (thing){.name = "block",
                   .shape = support_box(0.03 * size, 0.03 * size, 0.01 * size),
                   .mass = mass,
                   .z = 0.01 * size,
                   .yaw = yaw};
}

/// A block's lower edge strikes the ramp across its face, at any slope.
static void test_the_edge_of_a_block_strikes_the_face_of_the_ramp(void **state)
{
    (void)state;
    const double rises[] = {10, 35, 44, 46, 60, 80}, steps[] = {0.25e-3, 1e-3, 4e-3},
                 sizes[] = {0.3, 1, 2}, masses[] = {0.005, 0.2, 5};
    for (int i = 0; i < GMC_COUNT(rises) * GMC_COUNT(steps) * 3; i++) {
        thing t = block(sizes[i % 3], masses[i % 3], 0);
        scene c = {.floor = (floor_kind)((i / 3 + i) % FLOOR_COUNT),
                   .rise = rises[i / 9] * DEGREE,
                   .is_mesh = rises[i / 9] == 60 && i % 2,
                   .thing = &t,
                   .speed = 0.3 * sizes[i % 3],
                   .h = steps[i / 3 % 3]};
        double a = t.shape.half.x, v[3];
        seen o = go(&c, 0.05 + a, 2 * c.h - a / c.speed, 0);
        impact(&t, c.speed, c.rise, v);
        // 1 %: bar of impacts; then it turns about its edge
        double slack = 0.01 * c.speed + 2 * c.h * v[2] * v[2] * a;
        if (!(fabs(o.v.x - v[0]) <= slack) || !(fabs(o.v.z - v[1]) <= slack) ||
            !(fabs(o.w.y - v[2]) <= slack / a) || !(o.dip <= DIP) ||
            !(fabs(o.first.x + sin(c.rise)) <= 1e-9))
            fail_msg("%g deg, floor %d, %g ms, size %g: v %g %g (%g %g), spin %g (%g), dip %g, "
                     "normal %g",
                     rises[i / 9], c.floor, 1e3 * c.h, sizes[i % 3], o.v.x, o.v.z, v[0], v[1],
                     o.w.y, v[2], o.dip, o.first.x);
    }
}

static int things(thing *t)
{
    const double quarter = 0.5 * GMC_PI;
    thing all[] = {
        block(1, 0.2, 0),
        block(1, 5, 0.12),
        block(0.4, 0.02, 0.5),
        {"puck", support_cylinder(0.03, 0.01), 0.02, 0.01, 0, 0, false},
        ball(0.02, 0.2),
        {"capsule", support_capsule(0.015, 0.03), 0.2, 0.015, quarter, 0, true},
        {"roller", support_cylinder(0.015, 0.03), 0.2, 0.015, quarter, 0, true},
    };
    for (int i = 0; i < GMC_COUNT(all); i++)
        t[i] = all[i];
    return GMC_COUNT(all);
}

static void assert_clean(const scene *c, const seen *o)
{
    double balance = c->stepper ? 0 : o->balance; // of coulomb alone
    if (!(o->dip <= DIP) || !(o->gain <= GAIN) || !(fabs(balance) <= GAIN))
        fail_msg("%s, %g deg %s, floor %d, %g m/s, %g ms: dips in by %g, gains %g, balance %g",
                 c->thing->name, c->rise / DEGREE, c->is_down ? "down" : "up", c->floor, c->speed,
                 1e3 * c->h, o->dip, o->gain, o->balance);
}

/// Up, in gravity and with friction: nothing dips in or gains energy, and what the floor ends at
/// makes no difference.
static void test_nothing_dips_in_at_the_foot(void **state)
{
    (void)state;
    const double rises[] = {2, 10, 35, 46, 60, 80}, steps[] = {0.25e-3, 1e-3, 4e-3},
                 speeds[] = {0.5, 1, 2};
    thing all[16];
    int count = things(all);
    for (int i = 0; i < count * GMC_COUNT(rises) * GMC_COUNT(steps); i++) {
        scene c = {.rise = rises[i / count % 6] * DEGREE,
                   .thing = &all[i % count],
                   .speed = speeds[(i + i / count) % 3],
                   .friction = 0.2,
                   .h = steps[i / count / 6]};
        seen of[FLOOR_COUNT];
        for (int k = 0; k < FLOOR_COUNT; k++) {
            c.floor = (floor_kind)k;
            of[k] = go(&c, 0.06, 0.06 / c.speed, 9.81);
            assert_clean(&c, &of[k]);
        }
        // as in test_seams; from 35 degrees on it leaps, and two leaps differ by more than rounding
        double slack = c.rise < 30 * DEGREE ? 1e-6 * fmax(1, c.thing->mass / 0.3) : 1e-4;
        for (int k = 1; k < FLOOR_COUNT && c.rise < 45 * DEGREE; k++)
            ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(of[k].p, of[0].p)), 0, slack);
    }
}

/// Down the ramp, on to the floor: the foot is the floor's end.
static void test_nothing_dips_in_from_the_ramp(void **state)
{
    (void)state;
    const double rises[] = {2, 10, 35, 46, 60, 80}, steps[] = {0.25e-3, 1e-3, 4e-3};
    thing all[16];
    int count = things(all);
    for (int i = 0; i < count * GMC_COUNT(rises) * GMC_COUNT(steps); i++) {
        scene c = {.floor = (floor_kind)((i + i / count) % FLOOR_COUNT),
                   .rise = rises[i / count % 6] * DEGREE,
                   .is_mesh = rises[i / count % 6] == 60 && i % 2,
                   .thing = &all[i % count],
                   .speed = 1,
                   .friction = 0.2,
                   .h = steps[i / count / 6],
                   .is_down = true};
        seen o = go(&c, 0.06, 0.06, 9.81);
        assert_clean(&c, &o);
    }
}

/// Rigid steppers, which locate no impact within a step.
static void test_rigid_steppers_meet_the_face(void **state)
{
    (void)state;
    const double rises[] = {10, 35, 46, 60};
    thing t = block(1, 0.2, 0);
    for (int i = 0; i < 12; i++) {
        scene c = {.stepper = "stewart_trinkle",
                   .floor = (floor_kind)(i % FLOOR_COUNT),
                   .rise = rises[i / 3] * DEGREE,
                   .thing = &t,
                   .speed = 0.3,
                   .h = 1e-3};
        double a = t.shape.half.x, v[3];
        seen o = go(&c, 0.05 + a, 2 * c.h - a / c.speed, 0);
        impact(&t, c.speed, c.rise, v);
        double slack = 0.01 * c.speed + 2 * c.h * v[2] * v[2] * a;
        ASSERT_NEAR(o.v.x, v[0], slack);
        ASSERT_NEAR(o.v.z, v[1], slack);
        ASSERT_NEAR(o.w.y, v[2], slack / a);
        c.stepper = i % 2 ? "stewart_trinkle" : "anitescu_potra";
        c.friction = 0.2;
        o = go(&c, 0.06, 0.1, 9.81);
        assert_clean(&c, &o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_that_rolls_on_to_a_ramp),
        cmocka_unit_test(test_the_edge_of_a_block_strikes_the_face_of_the_ramp),
        cmocka_unit_test(test_nothing_dips_in_at_the_foot),
        cmocka_unit_test(test_nothing_dips_in_from_the_ramp),
        cmocka_unit_test(test_rigid_steppers_meet_the_face),
    };
    return cmocka_run_group_tests(tests, open_hulls, close_hulls);
}
