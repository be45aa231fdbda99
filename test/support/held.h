/// Made grasps of a few contacts, for tests of what they can hold (wrench.h).
#ifndef GMC_TEST_SUPPORT_HELD_H
#define GMC_TEST_SUPPORT_HELD_H

#include "engine/grasp/wrench.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"

enum { CONTACTS_MAX = 16 };

typedef struct held {
    gmc_arena arena;
    gmc_wrench_contact contacts[CONTACTS_MAX];
    gmc_wrench_grasp grasp;
} held;

static inline int open_held(void **state)
{
    static held h;
    h = (held){0};
    *state = &h;
    return gmc_arena_create(&h.arena, (size_t)4 << 20) != GMC_OK;
}

static inline int close_held(void **state)
{
    gmc_arena_free(&((held *)*state)->arena);
    return 0;
}

static inline void begin(held *h, bool is_planar, double radius)
{
    gmc_arena_reset(&h->arena, 0);
    h->grasp = (gmc_wrench_grasp){.contacts = h->contacts,
                                  .edges = GMC_WRENCH_EDGES,
                                  .radius = radius,
                                  .is_planar = is_planar};
}

static inline void touch(held *h, gmc_vec3 arm, gmc_vec3 normal, gmc_vec3 along, double friction)
{
    h->contacts[h->grasp.count++] = (gmc_wrench_contact){arm, normal, along, friction};
}

static inline gmc_wrench_quality quality_of(held *h, gmc_wrench_norm norm, const double *task)
{
    gmc_wrench_quality quality;
    assert_int_equal(gmc_wrench_measure(&h->grasp, norm, task, &h->arena, &quality), GMC_OK);
    return quality;
}

static inline bool closes(held *h)
{
    bool is_closed = false;
    assert_int_equal(gmc_wrench_closes(&h->grasp, &h->arena, &is_closed), GMC_OK);
    return is_closed;
}

static inline gmc_vec3 any_direction(gmc_chance *chance)
{
    for (;;) {
        gmc_vec3 v = {gmc_chance_uniform(chance, -1, 1), gmc_chance_uniform(chance, -1, 1),
                      gmc_chance_uniform(chance, -1, 1)};
        double norm = gmc_vec3_norm(v);
        if (norm > 0.1 && norm < 1) return gmc_vec3_scale(1 / norm, v);
    }
}

// Contacts anywhere on a ball, their normals up to half a radian or so off its radius.
static inline void touch_anywhere(held *h, int count, gmc_chance *chance)
{
    begin(h, false, 1);
    for (int k = 0; k < count; k++) {
        gmc_vec3 p = any_direction(chance);
        gmc_vec3 n = gmc_vec3_sub(gmc_vec3_scale(0.5, any_direction(chance)), p);
        n = gmc_vec3_scale(1 / gmc_vec3_norm(n), n);
        gmc_vec3 t = gmc_vec3_cross(n, any_direction(chance));
        touch(h, p, n, gmc_vec3_scale(1 / gmc_vec3_norm(t), t),
              gmc_chance_uniform(chance, 0.1, 1.2));
    }
}

// The program and the hull over random grasps of `contacts` in turn: how often they differ.
static inline int count_contradictions(held *h, int grasps, const int contacts[2], int *closed)
{
    gmc_chance chance = {(uint64_t)(4711 + contacts[0])};
    int contradictions = 0;
    for (int i = 0; i < grasps; i++) {
        touch_anywhere(h, contacts[i % 2], &chance);
        // the facets alone speak for the hull: a ball of loads fits, or some facet leaves 0 out
        gmc_wrench_quality quality = quality_of(h, GMC_WRENCH_L1, NULL);
        bool is_inside = quality.nearest > 1e-8; // the joggle moves 0 off the rim by up to 1e-9
        contradictions += is_inside != closes(h);
        *closed += is_inside;
    }
    return contradictions;
}

#endif
