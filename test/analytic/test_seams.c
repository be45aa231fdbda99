// Flush geoms are one surface (flush.h): what slides or rolls over plates that are flush goes the
// way that it goes on one plate; and what is no seam (a step, a wall, an outer edge) stops it or
// lets it fall as one plate does. Oracle: the same world with one plate in place of many.
#include "test/support/near.h"
#include "test/support/solids.h"
#include "test/support/stage.h"

#include <stdio.h>

enum { PLATES_MAX = 100, LOOKS_MAX = 64 };
/// Span from look to look, and of all [s].
#define LOOK 0.03

/// Where an object is, seen from time to time.
typedef struct way {
    int count;
    gmc_vec3 p[LOOKS_MAX];
    gmc_quat R[LOOKS_MAX];
    double top; ///< highest z in all steps [m]
} way;

/// A floor of plates from x = -0.15 m on, 20 mm thick, tops at z = 0, each other one raised.
typedef struct boards {
    int count;
    double width, raised, gap; ///< [m]
} boards;

static const boards ONE = {1, 0.9, 0, 0};

static void lay(gmc_stage *s, boards floor)
{
    double x = -0.15;
    for (int i = 0; i < floor.count; i++, x += floor.width) {
        char name[32];
        snprintf(name, sizeof name, "plate%d", i);
        gmc_pose X = gmc_pose_identity();
        X.p = (gmc_vec3){x + 0.5 * floor.width, 0, -0.01 + (i % 2 ? floor.raised : 0)};
        gmc_stage_fixed(s, name, gmc_stage_box(0.5 * (floor.width - floor.gap), 0.2, 0.01), X);
    }
}

typedef struct thing {
    const char *name;
    gmc_shape shape;
    double mass, z; ///< z of its frame where it stands [m]
    double roll, yaw, push;
} thing;

static gmc_pose pose_of(const thing *t)
{
    gmc_quat yaw = gmc_quat_exp((gmc_vec3){0, 0, t->yaw}),
             roll = gmc_quat_exp((gmc_vec3){t->roll, 0, 0});
    gmc_quat q = gmc_quat_multiply(yaw, roll);
    return (gmc_pose){gmc_quat_matrix(q), {0, 0, t->z}};
}

/// It stands for 0.1 s, is pushed by gravity along x for 0.2 s, and left for 0.6 s.
static void go(gmc_stage *s, const thing *t, double h, way *w)
{
    int body = gmc_stage_body(s, t->name);
    *w = (way){.top = -HUGE_VAL};
    for (double until = LOOK; until < 0.9 + 0.5 * LOOK; until += LOOK) {
        s->model.gravity.x = until > 0.1 + 0.5 * LOOK && until < 0.3 + 0.5 * LOOK ? t->push : 0;
        while (s->world.state.t < until - 0.5 * h) {
            assert_int_equal(gmc_stage_step(s, h), GMC_OK);
            w->top = fmax(w->top, s->world.kin.X_wb[body].p.z);
        }
        w->p[w->count] = s->world.kin.X_wb[body].p;
        w->R[w->count++] = gmc_quat_from_matrix(&s->world.kin.X_wb[body].R);
    }
}

static void go_on(boards floor, const thing *t, double h, way *w)
{
    gmc_stage s;
    gmc_stage_open(&s, 0.2);
    lay(&s, floor);
    gmc_stage_compound(&s, t->name, &t->shape, 1, t->mass, pose_of(t));
    gmc_stage_ready(&s, 512);
    go(&s, t, h, w);
    gmc_stage_close(&s);
}

/// Largest distance and angle between two ways.
static void compare(const way *a, const way *b, double *distance, double *angle)
{
    *distance = *angle = 0;
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        *distance = fmax(*distance, gmc_vec3_norm(gmc_vec3_sub(a->p[i], b->p[i])));
        gmc_quat d = gmc_quat_multiply(gmc_quat_conjugate(a->R[i]), b->R[i]);
        *angle = fmax(*angle, 2 * gmc_vec3_norm((gmc_vec3){d.x, d.y, d.z}));
    }
}

/// Blocks of several masses and sizes, also as a mesh, and what rolls and slides with round parts.
static int things(const support_hulls *hulls, thing *t)
{
    const double quarter = 0.5 * GMC_PI;
    thing all[] = {
        {"block", support_box(0.03, 0.03, 0.01), 0.2, 0.01, 0, 0.12, 6},
        {"straight", support_box(0.03, 0.03, 0.01), 0.2, 0.01, 0, 0, 6},
        {"small", support_box(0.01, 0.01, 0.01), 0.01, 0.01, 0, 0.54, 6},
        {"heavy", support_box(0.03, 0.03, 0.02), 5, 0.02, 0, 0.23, 6},
        {"mesh", support_polytope(hulls->cube, 0.02), 0.3, 0.02, 0, 0.12, 6},
        {"can", support_cylinder(0.03, 0.015), 0.2, 0.015, 0, 0, 6},
        {"ball", support_sphere(0.02), 0.2, 0.02, 0, 0, 1.5},
        {"capsule", support_capsule(0.015, 0.03), 0.2, 0.015, quarter, 0, 1.5},
        {"askew", support_capsule(0.015, 0.03), 0.2, 0.015, quarter, 0.16, 1.5},
        {"roller", support_cylinder(0.015, 0.03), 0.2, 0.015, quarter, 0, 1.5},
    };
    for (int i = 0; i < GMC_COUNT(all); i++)
        t[i] = all[i];
    return GMC_COUNT(all);
}

static support_hulls hulls;

static int open_hulls(void **state)
{
    (void)state;
    return support_hulls_create(&hulls) ? 0 : -1;
}

static int close_hulls(void **state)
{
    (void)state;
    support_hulls_free(&hulls);
    return 0;
}

/// The bar of flush.h: 1e-6 m. Blocks keep the contact points of one plate; what is round changes
/// points, and what bears it gives way by 0.5 um.
static void test_d4_plates_that_are_flush_are_one(void **state)
{
    (void)state;
    const double steps[] = {0.25e-3, 1e-3, 4e-3};
    const boards floors[] = {{2, 0.2, 0, 0}, {20, 0.045, 0, 0}};
    thing all[16];
    int count = things(&hulls, all);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < GMC_COUNT(steps); k++) {
            way one, many;
            double distance, angle;
            go_on(ONE, &all[i], steps[k], &one);
            assert_true(one.p[one.count - 1].x > 0.05); // over seams of both floors
            for (int f = 0; f < GMC_COUNT(floors); f++) {
                boards floor = floors[f];
                if (floor.count == 2) floor.width = 0.15 + 0.5 * one.p[one.count - 1].x;
                go_on(floor, &all[i], steps[k], &many);
                compare(&one, &many, &distance, &angle);
                // of what rolls: 1e-6 m over its radius
                if (!(distance <= 1e-6) || !(angle <= 1e-4) || !(many.top - one.top <= 1e-6))
                    fail_msg("%s, step %g s, %d plates: off by %g m, %g rad; %g m higher",
                             all[i].name, steps[k], floor.count, distance, angle,
                             many.top - one.top);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d4_plates_that_are_flush_are_one),
    };
    return cmocka_run_group_tests(tests, open_hulls, close_hulls);
}
