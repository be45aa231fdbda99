// Names of contact points: an object held at rest keeps them whatever the last digits do, parallel
// faces keep them under tilts far above noise, and a box given as a mesh has the points of the box.

#include "test/support/colliding.h"
#include "test/support/places.h"

#include <inttypes.h>

enum { CALLS = 10000 };

static int open_seeded(void **state)
{
    the.random.state = 11;
    return open_colliding(state);
}

static void look(void) { find(NULL, 0, 1e-3); }

/// A pose moved by up to `shift` and turned by up to `angle` about its origin.
static gmc_pose jittered(gmc_pose X, double shift, double angle)
{
    gmc_vec3 turn =
        gmc_vec3_scale(angle * support_uniform(&the.random, 0, 1), support_direction(&the.random));
    gmc_mat3 R = gmc_quat_matrix(gmc_quat_exp(turn));
    X.R = gmc_mat3_multiply(&R, &X.R);
    X.p = gmc_vec3_add_scaled(X.p, shift * support_uniform(&the.random, 0, 1),
                              support_direction(&the.random));
    return X;
}

typedef struct still {
    const char *name;
    gmc_shape a, b;
    gmc_pose X_a, X_b;
    int count;    ///< points expected
    double tilt;  ///< turns up to this must change nothing [rad]
    double slide; ///< shifts up to this must change nothing [m]
} still;

/// The same names in every call, at any place in the world, from the same caches on.
static void keeps_its_features(const still *s)
{
    gmc_contact_point first[POINTS_MAX];
    // all poses are carried to a generic place, so that no coordinate is zero
    gmc_pose X_wo = turned(0.31, -0.17, 0.43, (gmc_vec3){0.3, -0.5, 0.8});
    for (int place = 0; place < 2; place++) {
        if (place == 1) X_wo = gmc_pose_identity();
        gmc_pose X_a = gmc_pose_multiply(&X_wo, &s->X_a), X_b = gmc_pose_multiply(&X_wo, &s->X_b);
        create_pair(s->a, X_a, s->b, X_b);
        for (int call = 0; call < CALLS; call++) {
            double shift = call < CALLS / 2 ? 1e-12 : s->slide;
            double angle = call < CALLS / 2 ? 1e-12 : s->tilt;
            support_geoms_place(the.geoms, 1, jittered(X_b, shift, angle));
            look();
            if (call == 0) {
                if (the.count != s->count) print_error("%s: %d points\n", s->name, the.count);
                assert_int_equal(the.count, s->count);
                for (int i = 0; i < the.count; i++)
                    first[i] = the.points[i];
            }
            bool is_same = the.count == s->count;
            for (int i = 0; i < the.count && is_same; i++) {
                gmc_vec3 moved = gmc_vec3_sub(the.points[i].p, first[i].p);
                // a point moves with the solids; a lever of 0.1 m, a crossing at 0.1 rad
                double far = 1e-11 + 20 * shift + 2 * angle;
                is_same = the.points[i].feature == first[i].feature &&
                          gmc_vec3_norm(moved) <= far &&
                          gmc_vec3_norm(gmc_vec3_sub(the.points[i].n, first[i].n)) <=
                              1e-11 + 20 * angle + 1e3 * shift;
            }
            if (is_same) continue;
            print_error("%s: call %d, place %d, %d points\n", s->name, call, place, the.count);
            for (int i = 0; i < the.count; i++)
                print_error("  %016" PRIx64 " (was %016" PRIx64 ") moved %g\n",
                            the.points[i].feature, first[i].feature,
                            gmc_vec3_norm(gmc_vec3_sub(the.points[i].p, first[i].p)));
            assert_true(is_same);
        }
    }
}

// 2.5 micrometres of overlap: what 10 N on four points of 1e6 N/m press.
#define DEEP 2.5e-6

static void features_stay_at_rest(void **unused)
{
    (void)unused;
    const support_hulls *h = &the.hulls;
    const double q = GMC_PI / 4;
    gmc_shape pad = support_box(0.01, 0.005, 0.015), cube = support_box(0.025, 0.025, 0.025),
              plate = support_box(0.06, 0.005, 0.06), plane = support_plane(),
              can = support_cylinder(0.02, 0.03), rod = support_capsule(0.01, 0.03),
              mesh = support_polytope(h->cube, 0.025), prism = support_polytope(h->prism, 0.02),
              gon = support_polytope(h->can, 0.02), ico = support_polytope(h->icosahedron, 0.02);
    gmc_vec3 x = {1, 0, 0}, y = {0, 1, 0}, lie = {GMC_PI / 2, 0, 0}, none = {0, 0, 0};
    (void)x;
    const double up = 0.025, c = 0.05 - DEEP;
    // the cube on its corner: the diagonal is vertical
    double diagonal = 0.025 * sqrt(3.0), lean = gmc_acos(1 / sqrt(3.0));
    gmc_vec3 corner = gmc_vec3_scale(lean / sqrt(2.0), (gmc_vec3){1, -1, 0});
    const still all[] = {
        {"pad on cube", pad, cube, at(0, -0.03 + DEEP, 0), at(0, 0, 0), 4, 1e-6, 1e-6},
        {"pad turned on plate", plate, cube, at(0, -0.03 + DEEP, 0),
         turned(0, 0, 0, gmc_vec3_scale(0.3, y)), 4, 1e-6, 1e-6},
        {"cube turned on cube", cube, cube, at(0, -c, 0), turned(0, 0, 0, gmc_vec3_scale(0.3, y)),
         6, 1e-6, 1e-6},
        {"cube turned by 45 degrees on cube", cube, cube, at(0, -c, 0),
         turned(0, 0, 0, gmc_vec3_scale(q, y)), 6, 1e-6, 1e-6},
        {"cube exactly on cube", cube, cube, at(0, -c, 0), at(0, 0, 0), 4, 1e-6, 1e-6},
        {"cube half on cube", cube, cube, at(0.025, -c, 0), at(0, 0, 0), 4, 1e-6, 1e-6},
        {"cube on cube, one edge flush", cube, cube, at(0.01, -c, 0), at(0, 0, 0.0), 4, 1e-6, 1e-6},
        {"cube on plane", plane, cube, at(0, 0, 0), at(0, 0, up - DEEP), 4, 1e-6, 1e-6},
        {"cube on its edge on plane", plane, cube, at(0, 0, 0),
         turned(0, 0, 0.025 * sqrt(2.0) - DEEP, (gmc_vec3){q, 0, 0}), 2, 1e-6, 1e-6},
        {"cube on its corner on plane", plane, cube, at(0, 0, 0),
         turned(0, 0, diagonal - DEEP, corner), 1, 1e-6, 1e-6},
        {"cube on its edge on plate", plate, cube, at(0, 0, 0),
         turned(0, 0.005 + 0.025 * sqrt(2.0) - DEEP, 0, (gmc_vec3){q, 0, 0}), 2, 1e-6, 1e-6},
        {"cube on its corner on plate", cube, plate, turned(0, 0, diagonal - DEEP, corner),
         turned(0, 0, -0.005, lie), 1, 1e-6, 1e-6},
        {"edge across edge", cube, cube, turned(0, 0, 0, (gmc_vec3){q, 0, 0}),
         turned(0, 0, 0.05 * sqrt(2.0) - DEEP, (gmc_vec3){0, q, 0}), 1, 1e-6, 1e-6},
        {"cube mesh on plane", plane, mesh, at(0, 0, 0), at(0, 0, up - DEEP), 4, 1e-6, 1e-6},
        {"cube mesh exactly on cube", cube, mesh, at(0, -c, 0), at(0, 0, 0), 4, 1e-6, 1e-6},
        {"cube mesh turned on cube mesh", mesh, mesh, at(0, -c, 0),
         turned(0, 0, 0, gmc_vec3_scale(0.3, y)), 6, 1e-6, 1e-6},
        {"prism on plate", plate, prism, at(0, -0.025 + DEEP, 0), turned(0, 0, 0, lie), 6, 1e-6,
         1e-6},
        {"prism on prism", prism, prism, at(0, 0, 0),
         turned(0, 0, 0.04 - DEEP, (gmc_vec3){0, 0, 0.2}), 6, 1e-6, 1e-6},
        {"icosahedron's vertex on plate", plate, ico, turned(0, 0, -0.005 + DEEP, lie),
         turned(0, 0, 0.02, (gmc_vec3){0.5535743588970452, 0, 0}), 1, 1e-6, 1e-6},
        {"48-gon on plate", plate, gon, at(0, -0.025 + DEEP, 0), turned(0, 0, 0, lie), 6, 1e-6,
         1e-6},
        {"48-gon on plane", plane, gon, at(0, 0, 0), at(0, 0, 0.02 - DEEP), 6, 1e-6, 1e-6},
        {"48-gon over the edge of a cube", cube, gon, at(0.03, 0, -0.045 + DEEP), at(0, 0, 0), 6,
         1e-6, 1e-6},
        {"cylinder standing on plane", plane, can, at(0, 0, 0), at(0, 0, 0.03 - DEEP), 4, 1e-6,
         1e-6},
        {"cylinder standing on plate", plate, can, at(0, 0, 0), turned(0, 0.035 - DEEP, 0, lie), 4,
         1e-6, 1e-6},
        {"cylinder over the edge of a cube", cube, can, at(0.03, 0, -0.055 + DEEP), at(0, 0, 0), 3,
         1e-6, 1e-6},
        {"small box on a cap", can, pad, at(0, 0, 0), at(0.002, 0.001, 0.045 - DEEP), 4, 1e-6,
         1e-6},
        {"cylinder lying on plane", plane, can, at(0, 0, 0), turned(0, 0, 0.02 - DEEP, lie), 2,
         1e-6, 1e-6},
        {"cylinder pinched by a plate", plate, can, at(0, -0.025 + DEEP, 0), at(0, 0, 0), 2, 1e-6,
         1e-6},
        {"cylinder pinched by a pad shorter than it", pad, can, at(0, -0.025 + DEEP, 0),
         at(0, 0, 0), 2, 1e-6, 1e-6},
        {"cylinder on cylinder, end to end", can, can, at(0, 0, 0), at(0, 0, 0.06 - DEEP), 4, 1e-6,
         1e-6},
        {"cylinder half on cylinder", can, can, at(0, 0, 0), at(0.02, 0, 0.06 - DEEP), 4, 1e-6,
         1e-6},
        {"cylinder beside cylinder", can, can, at(0, 0, 0), at(0.04 - DEEP, 0, 0), 2, 1e-6, 1e-6},
        {"cylinder across cylinder", can, can, at(0, 0, 0), turned(0.04 - DEEP, 0, 0, lie), 1, 1e-6,
         1e-6},
        {"capsule on plane", plane, rod, at(0, 0, 0), turned(0, 0, 0.01 - DEEP, lie), 2, 1e-6,
         1e-6},
        {"capsule on plate", plate, rod, at(0, -0.015 + DEEP, 0), at(0, 0, 0), 2, 1e-6, 1e-6},
        {"capsule over the edge of a pad", pad, rod, at(0, -0.015 + DEEP, 0.02), at(0, 0, 0), 2,
         1e-6, 1e-6},
        {"capsule along capsule", rod, rod, at(0, 0, 0), at(0.02 - DEEP, 0, 0.01), 2, 1e-6, 1e-6},
        {"equal capsules side by side", rod, rod, at(0, 0, 0), at(0.02 - DEEP, 0, 0), 2, 1e-6,
         1e-6},
        {"capsule along cylinder", rod, can, at(0, 0, 0), at(0.03 - DEEP, 0, 0), 2, 1e-6, 1e-6},
        {"capsule lying on a cap", rod, can, turned(0, 0, 0.04 - DEEP, lie), turned(0, 0, 0, none),
         2, 1e-6, 1e-6},
        {"capsule on a mesh face", mesh, rod, at(0, -0.035 + DEEP, 0), at(0, 0, 0), 2, 1e-6, 1e-6},
        {"cylinder on a mesh face", mesh, can, at(0, -0.045 + DEEP, 0), at(0, 0, 0), 2, 1e-6, 1e-6},
        {"cylinder standing on a mesh", mesh, can, at(0, 0, 0), at(0, 0, 0.055 - DEEP), 4, 1e-6,
         1e-6},
        {"cylinder along the edge of a cube", cube, can, turned(0, 0, 0, (gmc_vec3){0, 0, q}),
         at(0.025 * sqrt(2.0) + 0.02 - DEEP, 0, 0), 2, 1e-7, 1e-7},
    };
    for (int i = 0; i < GMC_COUNT(all); i++)
        keeps_its_features(&all[i]);
}

/// Names of one world's points in the other: must be one to one for as long as a pair stays
/// together.
typedef struct naming {
    int count;
    uint64_t box[64], mesh[64];
} naming;

static void same_name(naming *names, uint64_t box, uint64_t mesh)
{
    for (int i = 0; i < names->count; i++) {
        if (names->box[i] != box && names->mesh[i] != mesh) continue;
        assert_int_equal(names->box[i], box);
        assert_int_equal(names->mesh[i], mesh);
        return;
    }
    assert_true(names->count < GMC_COUNT(names->box));
    names->box[names->count] = box;
    names->mesh[names->count++] = mesh;
}

/// Every point of the box world has its twin in the mesh world.
static void same_points(const gmc_contact_point *box, int box_count, naming *names)
{
    assert_int_equal(the.count, box_count);
    for (int i = 0; i < box_count; i++) {
        int twin = 0;
        double nearest = 1e300;
        for (int k = 0; k < the.count; k++) {
            double d = gmc_vec3_norm(gmc_vec3_sub(the.points[k].p, box[i].p));
            if (d < nearest) nearest = d, twin = k;
        }
        // the same formulas from vertices that agree to rounding; a crossing at 0.01 rad amplifies
        // it
        ASSERT_NEAR(nearest, 0, 1e-12);
        ASSERT_NEAR(the.points[twin].gap, box[i].gap, 1e-13);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_sub(the.points[twin].n, box[i].n)), 0, 1e-12);
        same_name(names, box[i].feature, the.points[twin].feature);
    }
}

enum { WALKS = 400, STEPS = 50 };

// A cube falls on, slides over and tips against another solid in small steps. The same poses are
// given to the cube as a box and as the hull of its corners.
static void a_mesh_cube_is_the_box(void **unused)
{
    (void)unused;
    support_random *r = &the.random;
    static gmc_pose path[STEPS];
    static gmc_contact_point points[STEPS][POINTS_MAX];
    static int counts[STEPS];
    int touching = 0, faces = 0;
    for (int walk = 0; walk < WALKS; walk++) {
        gmc_shape others[] = {support_box(0.01, 0.005, 0.015),
                              support_plane(),
                              support_box(0.06, 0.06, 0.005),
                              support_cylinder(0.02, 0.03),
                              support_capsule(0.01, 0.03),
                              support_sphere(0.02),
                              support_polytope(the.hulls.prism, 0.02)};
        gmc_shape other = others[walk % GMC_COUNT(others)], cube = support_box(0.025, 0.025, 0.025),
                  mesh = support_polytope(the.hulls.cube, 0.025);
        bool is_first = support_index(r, 2);
        gmc_pose X = turned(0.1, -0.2, 0.3, support_direction(r)), X_cube = X;
        // above the other's top, turned about the vertical, tilted not at all, a little, or anyhow
        const double tilts[] = {0, 1e-6, 1e-4, 1e-2, 1};
        gmc_vec3 top = gmc_mat3_column(&X.R, 2);
        gmc_quat yaw = gmc_quat_exp(gmc_vec3_scale(support_uniform(r, -1, 1), top));
        gmc_mat3 R = gmc_quat_matrix(yaw);
        X_cube.R = gmc_mat3_multiply(&R, &X.R);
        X_cube = jittered(X_cube, 0.02, tilts[support_index(r, GMC_COUNT(tilts))]);
        double s = support_separation(&other, &X, &cube, &X_cube, top);
        X_cube.p = gmc_vec3_add_scaled(X_cube.p, support_uniform(r, -2e-5, 2e-5) - s, top);
        for (int step = 0; step < STEPS; step++) {
            path[step] = X_cube;
            X_cube = jittered(X_cube, 2e-6, 1e-4 * support_index(r, 2));
        }
        for (int world = 0; world < 2; world++) {
            naming names = {0};
            int of_cube = is_first ? 0 : 1;
            gmc_shape own = world ? mesh : cube;
            create_pair(is_first ? own : other, X, is_first ? other : own, X);
            support_geoms_place(the.geoms, 1 - of_cube, X);
            for (int step = 0; step < STEPS; step++) {
                support_geoms_place(the.geoms, of_cube, path[step]);
                look();
                if (world) {
                    same_points(points[step], counts[step], &names);
                    continue;
                }
                counts[step] = the.count;
                for (int i = 0; i < the.count; i++)
                    points[step][i] = the.points[i];
                touching += the.count > 0;
                faces += the.count > 2;
            }
        }
    }
    // the walks are worth something
    assert_true(touching > WALKS * STEPS / 2);
    assert_true(faces > WALKS * STEPS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(features_stay_at_rest),
                                       cmocka_unit_test(a_mesh_cube_is_the_box)};
    return cmocka_run_group_tests(tests, open_seeded, close_colliding);
}
