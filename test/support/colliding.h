/// What a test of the collider works with: hulls, chance, a model of geoms, a collider on it and
/// the points found last; with cmocka's set-up and tear-down of a group.
#ifndef GMC_TEST_SUPPORT_COLLIDING_H
#define GMC_TEST_SUPPORT_COLLIDING_H

#include "test/support/near.h"
#include "test/support/solids.h"

#include <stdlib.h>

enum { POINTS_MAX = 512 };

static struct {
    support_hulls hulls;
    support_random random; ///< the test's own seed
    gmc_arena arena;       ///< 16 MiB
    support_geoms *geoms;
    gmc_collider *collider; ///< of create(), in the arena
    gmc_contact_point points[POINTS_MAX];
    int count;
} the;

static inline int open_colliding(void **state)
{
    (void)state;
    the.geoms = malloc(sizeof *the.geoms);
    return support_hulls_create(&the.hulls) && the.geoms &&
                   gmc_arena_create(&the.arena, 1 << 24) == GMC_OK
               ? 0
               : -1;
}

static inline int close_colliding(void **state)
{
    (void)state;
    support_hulls_free(&the.hulls);
    free(the.geoms);
    gmc_arena_free(&the.arena);
    return 0;
}

/// A collider for the geoms as they are now.
static inline void create(void)
{
    gmc_arena_reset(&the.arena, 0);
    assert_int_equal(gmc_collider_create(&the.geoms->model, &the.arena, &the.collider), GMC_OK);
}

/// A collider for two bodies.
static inline void create_pair(gmc_shape a, gmc_pose X_a, gmc_shape b, gmc_pose X_b)
{
    support_geoms_clear(the.geoms);
    support_geoms_add(the.geoms, a, X_a);
    support_geoms_add(the.geoms, b, X_b);
    create();
}

/// Points of one call, with margin `reach` and what moving at V (NULL: at rest) for h adds to it.
static inline void find(const gmc_twist *V, double h, double reach)
{
    assert_int_equal(gmc_collider_find(the.collider,
                                       &(gmc_collider_scene){.model = &the.geoms->model,
                                                             .X_wb = the.geoms->X_wb,
                                                             .V = V,
                                                             .h = h,
                                                             .reach = reach},
                                       the.points, POINTS_MAX, &the.count),
                     GMC_OK);
}

#endif
