/// Solids for collision tests: random shapes and poses, plain membership and support functions that
/// share no code with the engine, and models of a few geoms on free bodies.
#ifndef GMC_TEST_SUPPORT_SOLIDS_H
#define GMC_TEST_SUPPORT_SOLIDS_H

#include "engine/collision/collider.h"
#include "engine/collision/pair.h"
#include "test/support/mechanism.h"

/// Hulls that tests share; to be freed with support_hulls_free.
typedef struct support_hulls {
    gmc_polytope *cube;        ///< corners at +-1
    gmc_polytope *prism;       ///< hexagonal, radius 1, |z| <= 1
    gmc_polytope *icosahedron; ///< radius 1
    gmc_polytope *cloud;       ///< 100 random points on the unit ball
    gmc_polytope *can;         ///< 48-gon prism, radius 1, |z| <= 1
} support_hulls;

enum { SUPPORT_PRISM_SIDES_MAX = 64 };

/// Regular, radius 1, |z| <= 1; NULL if it could not be made.
gmc_polytope *support_prism(int sides);

/// @return 0 if a hull could not be made
int support_hulls_create(support_hulls *hulls);
void support_hulls_free(support_hulls *hulls);

gmc_shape support_sphere(double radius);
gmc_shape support_capsule(double radius, double half_length);
gmc_shape support_box(double x, double y, double z); ///< half sizes
gmc_shape support_cylinder(double radius, double half_length);
gmc_shape support_plane(void);
gmc_shape support_polytope(const gmc_polytope *polytope, double scale);

/// A shape of the type, 5 to 50 mm large.
gmc_shape support_shape(support_random *random, gmc_shape_type type, const support_hulls *hulls);

/// Largest violation of the inequalities that describe the solid: <= 0 inside. Outside it is at
/// most the distance [m].
double support_outside(const gmc_shape *shape, const gmc_pose *X, gmc_vec3 p);

/// Farthest point along dir by looking at all vertices; not for planes.
gmc_vec3 support_farthest(const gmc_shape *shape, const gmc_pose *X, gmc_vec3 dir);

/// Separation of two solids along the unit vector n (from a to b); planes: -inf unless n is their
/// normal.
double support_separation(const gmc_shape *a, const gmc_pose *X_a, const gmc_shape *b,
                          const gmc_pose *X_b, gmc_vec3 n);

enum { SUPPORT_GEOMS_MAX = 512 };

/// A model in which geom i is on its own free body i + 1 (planes: on the world), geom frame = body
/// frame.
typedef struct support_geoms {
    gmc_model model;
    gmc_body bodies[SUPPORT_GEOMS_MAX + 1];
    gmc_geom geoms[SUPPORT_GEOMS_MAX];
    gmc_pose X_wb[SUPPORT_GEOMS_MAX + 1];
    gmc_twist V[SUPPORT_GEOMS_MAX + 1];
} support_geoms;

void support_geoms_clear(support_geoms *geoms);
void support_geoms_add(support_geoms *geoms, gmc_shape shape, gmc_pose X);

/// Pose of geom i (of a plane: its X_bg).
void support_geoms_place(support_geoms *geoms, int i, gmc_pose X);

/// One query with all that it needs, for tests below the collider.
typedef struct support_pair {
    gmc_pair pair;
    gmc_hull_table tables[2];
    gmc_pair_cache cache;
    gmc_pair_work work;
    gmc_collider_counts counts;
} support_pair;

/// Polytopes' tables and the work's room come from the arena. The cache is empty.
/// @return 0 if the arena is full
int support_pair_open(support_pair *query, gmc_shape a, gmc_pose X_a, gmc_shape b, gmc_pose X_b,
                      double margin, gmc_arena *arena);

#endif
