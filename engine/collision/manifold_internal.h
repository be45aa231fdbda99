/// What the two files of manifold.h share.
#ifndef GMC_ENGINE_COLLISION_MANIFOLD_INTERNAL_H
#define GMC_ENGINE_COLLISION_MANIFOLD_INTERNAL_H

#include "engine/collision/manifold.h"

static inline double gmc_manifold_distance2(const gmc_candidate *a, const gmc_candidate *b)
{
    double dx = a->x - b->x, dy = a->y - b->y;
    return dx * dx + dy * dy;
}

/// A direction in the contact plane that is fixed in solid a and askew to all its axes.
typedef struct gmc_manifold_askew {
    double x, y;
} gmc_manifold_askew;

static inline gmc_manifold_askew gmc_manifold_skew(const gmc_pair *pair, const gmc_pair_axes *axes)
{
    gmc_vec3 d = gmc_mat3_apply(&pair->a.X.R, (gmc_vec3){0.3015113, 0.4873271, 0.8195149});
    return (gmc_manifold_askew){gmc_vec3_dot(d, axes->t1), gmc_vec3_dot(d, axes->t2)};
}

/// Does candidate c precede d where both would do? One kept before does; of two places the one
/// farther askew; at one place the smaller feature. A name decides only between names of the same
/// place, so that the choice does not depend on how a mesh numbers its vertices.
static inline int gmc_manifold_precedes(const gmc_pair *pair, const gmc_candidate *c,
                                        const gmc_candidate *d, gmc_manifold_askew askew)
{
    int c_kept = gmc_pair_was_kept(pair->cache, c->feature),
        d_kept = gmc_pair_was_kept(pair->cache, d->feature);
    double merge = GMC_PAIR_MERGE * pair->size;
    if (c_kept != d_kept) return c_kept;
    if (gmc_manifold_distance2(c, d) > merge * merge)
        return (c->x - d->x) * askew.x + (c->y - d->y) * askew.y > 0;
    return c->feature < d->feature;
}

/// Choose among more than GMC_PAIR_WIDE candidates.
/// @param chosen  out: indices of those chosen
/// @return how many
int gmc_manifold_choose(const gmc_pair *pair, const gmc_pair_axes *axes,
                        int chosen[GMC_PAIR_POINT_MAX]);

#endif
