// One call: place the geoms, bound them, find overlapping bounds, and query each pair. What is
// remembered of a pair lives as long as its bounds overlap: the caches of the last call and of this
// one are both ordered by pair and are merged as the pairs go by.
#include "engine/collision/collider.h"

#include "engine/base/check.h"
#include "engine/collision/box.h"
#include "engine/collision/broadphase.h"
#include "engine/collision/facing.h"
#include "engine/collision/manifold.h"
#include "engine/collision/primitive.h"
#include "engine/collision/sat.h"

#include <string.h>

/// Up to this many allowed pairs are tested one by one: cheaper than keeping three axes sorted.
enum { LIST_MAX = 96 };
/// Pairs whose bounds may overlap at once: all allowed ones, or this many and PER_GEOM for each
/// geom.
enum { ACTIVE_MIN = 1024, ACTIVE_PER_GEOM = 16 };

struct gmc_collider {
    int geom_count;
    gmc_hull_table *tables; ///< (geom_count) of polytopes; geoms with the same one share its arrays
    gmc_pose *X;            ///< (geom_count) world
    gmc_aabb *bounds;       ///< (geom_count) grown by what the geom may reach
    double *growth;         ///< (geom_count) [m]
    gmc_broadphase broadphase;
    int active_max, active_count;         ///< active_count: caches of the last call
    int (*active)[2];                     ///< (active_max)
    gmc_pair_cache *caches, *caches_next; ///< (active_max) ordered by pair
    gmc_pair_work work;
    gmc_collider_counts counts;
};

/// Bodies that never move: the world and what hangs on it without a joint.
static bool is_static(const gmc_model *model, int body)
{
    return model->bodies[body].joint == GMC_JOINT_FIXED;
}

static bool may_touch(const gmc_model *model, int i, int j)
{
    const gmc_geom *a = &model->geoms[i], *b = &model->geoms[j];
    if (a->body == b->body || (is_static(model, a->body) && is_static(model, b->body)))
        return false;
    if (a->shape.type == GMC_SHAPE_PLANE && b->shape.type == GMC_SHAPE_PLANE) return false;
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/// Tables of all polytopes, and the sizes that decide how much room a query needs.
static gmc_status create_tables(const gmc_model *model, gmc_arena *arena, gmc_collider *c)
{
    int polygon_max = 4, vertex_max = 8;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_shape *shape = &model->geoms[g].shape;
        if (shape->type != GMC_SHAPE_POLYTOPE) continue;
        int same = 0;
        while (same < g && c->tables[same].polytope != shape->polytope)
            same++;
        if (same < g)
            c->tables[g] = c->tables[same];
        else
            GMC_TRY(gmc_shape_table(shape->polytope, arena, &c->tables[g]));
        if (c->tables[g].face_vertex_max > polygon_max) polygon_max = c->tables[g].face_vertex_max;
        if (shape->polytope->vertex_count > vertex_max) vertex_max = shape->polytope->vertex_count;
    }
    return gmc_manifold_work(polygon_max, vertex_max, arena, &c->work);
}

gmc_status gmc_collider_create(const gmc_model *model, gmc_arena *arena, gmc_collider **collider)
{
    size_t n = model->geom_count > 0 ? (size_t)model->geom_count : 1;
    gmc_collider *c = gmc_arena_take(arena, 1, sizeof *c);
    if (!c) return GMC_E_ARENA_FULL;
    c->geom_count = model->geom_count;
    c->tables = gmc_arena_take(arena, n, sizeof *c->tables);
    c->X = gmc_arena_take(arena, n, sizeof *c->X);
    c->bounds = gmc_arena_take(arena, n, sizeof *c->bounds);
    c->growth = gmc_arena_doubles(arena, n);
    if (!c->tables || !c->X || !c->bounds || !c->growth) return GMC_E_ARENA_FULL;
    GMC_TRY(create_tables(model, arena, c));

    GMC_TRY(gmc_broadphase_create(model->geom_count, arena, &c->broadphase));
    for (int i = 0; i < model->geom_count; i++)
        for (int j = i + 1; j < model->geom_count; j++)
            if (may_touch(model, i, j)) gmc_broadphase_allow(&c->broadphase, i, j);
    GMC_TRY(gmc_broadphase_finish(&c->broadphase, LIST_MAX, arena));

    long long allowed = gmc_broadphase_allowed_count(&c->broadphase);
    long long planned = ACTIVE_MIN + ACTIVE_PER_GEOM * (long long)model->geom_count;
    c->active_max = (int)(allowed < planned ? allowed : planned);
    size_t m = c->active_max > 0 ? (size_t)c->active_max : 1;
    c->active = gmc_arena_take(arena, m, sizeof *c->active);
    c->caches = gmc_arena_take(arena, m, sizeof *c->caches);
    c->caches_next = gmc_arena_take(arena, m, sizeof *c->caches_next);
    if (!c->active || !c->caches || !c->caches_next) return GMC_E_ARENA_FULL;
    *collider = c;
    return GMC_OK;
}

void gmc_collider_reset(gmc_collider *collider)
{
    gmc_broadphase_reset(&collider->broadphase);
    collider->active_count = 0;
}

gmc_collider_counts gmc_collider_counted(const gmc_collider *collider)
{
    gmc_collider_counts counts = collider->counts;
    counts.broad_tests = collider->broadphase.tests;
    return counts;
}

/// Largest speed of a point of the ball of radius r about p [m/s].
static double speed_bound(const gmc_twist *V, gmc_vec3 p, double r)
{
    return gmc_vec3_norm(gmc_twist_at(V, p)) + r * gmc_vec3_norm(V->w);
}

static void place_geoms(gmc_collider *c, const gmc_model *model, const gmc_pose *X_wb,
                        const gmc_twist *V, double h, double reach)
{
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        gmc_pose *X = &c->X[g];
        *X = gmc_pose_multiply(&X_wb[geom->body], &geom->X_bg);
        c->growth[g] = 0.5 * reach;
        gmc_aabb box = gmc_shape_aabb(&geom->shape, &c->tables[g], X);
        if (V && !is_static(model, geom->body)) {
            gmc_vec3 centre = gmc_pose_apply(X, gmc_shape_centre(&geom->shape));
            double radius = gmc_shape_radius(&geom->shape);
            c->growth[g] += h * speed_bound(&V[geom->body], centre, radius);
            // a plane that moves is everywhere
            if (geom->shape.type == GMC_SHAPE_PLANE) c->growth[g] = INFINITY;
        }
        gmc_vec3 grow = {c->growth[g], c->growth[g], c->growth[g]};
        c->bounds[g] = (gmc_aabb){gmc_vec3_sub(box.lo, grow), gmc_vec3_add(box.hi, grow)};
    }
}

/// reach + h |approach speed|: the relative motion of the two bodies over the ball of the smaller
/// geom, but no more than what the bounds were grown by.
static double pair_margin(const gmc_collider *c, const gmc_model *model, int i, int j,
                          const gmc_twist *V, double h, double reach)
{
    if (!V) return reach;
    const gmc_geom *a = &model->geoms[i], *b = &model->geoms[j];
    double ra = gmc_shape_radius(&a->shape), rb = gmc_shape_radius(&b->shape);
    int small = ra < rb ? i : j;
    gmc_vec3 centre = gmc_pose_apply(&c->X[small], gmc_shape_centre(&model->geoms[small].shape));
    gmc_twist relative = gmc_twist_add_scaled(V[b->body], -1, V[a->body]);
    double margin = reach + h * speed_bound(&relative, centre, fmin(ra, rb));
    return fmin(margin, c->growth[i] + c->growth[j]);
}

static void query_pair(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_shape_type ta = pair->a.shape->type, tb = pair->b.shape->type;
    if (gmc_primitive_has(ta, tb))
        gmc_primitive_find(pair, manifold);
    else if (ta == GMC_SHAPE_BOX && tb == GMC_SHAPE_BOX)
        gmc_box_box(pair, manifold);
    else if (gmc_sat_has(&pair->a, &pair->b))
        gmc_sat_find(pair, manifold);
    else
        gmc_facing_find(pair, manifold);
    gmc_manifold_remember(pair, manifold);
}

/// The cache of a pair from the last call, or an empty one. `*at` walks over the old caches.
static void carry_cache(const gmc_collider *c, int i, int j, int *at, gmc_pair_cache *cache)
{
    const gmc_pair_cache *old = c->caches;
    while (*at < c->active_count &&
           (old[*at].geom_a < i || (old[*at].geom_a == i && old[*at].geom_b < j)))
        (*at)++;
    if (*at < c->active_count && old[*at].geom_a == i && old[*at].geom_b == j)
        *cache = old[*at];
    else
        *cache = (gmc_pair_cache){.geom_a = i, .geom_b = j};
}

/// A geom in the frame of one query, whose origin is at `origin`.
static gmc_solid solid_of(const gmc_collider *c, const gmc_model *model, int g, gmc_vec3 origin,
                          const gmc_twist *V, double h)
{
    gmc_solid solid = {.shape = &model->geoms[g].shape, .table = &c->tables[g], .X = c->X[g]};
    solid.X.p = gmc_vec3_sub(solid.X.p, origin);
    if (!V) return solid;
    const gmc_twist *of_body = &V[model->geoms[g].body];
    solid.move.w = gmc_vec3_scale(h, of_body->w);
    solid.move.v = gmc_vec3_scale(h, gmc_twist_at(of_body, origin));
    return solid;
}

gmc_status gmc_collider_find(gmc_collider *collider, const gmc_model *model, const gmc_pose *X_wb,
                             const gmc_twist *V, double h, double reach, gmc_contact_point *points,
                             int capacity, int *count)
{
    gmc_collider *c = collider;
    int pair_count = 0, at = 0;
    GMC_ASSERT(model->geom_count == c->geom_count);
    *count = 0;
    place_geoms(c, model, X_wb, V, h, reach);
    GMC_TRY(
        gmc_broadphase_update(&c->broadphase, c->bounds, c->active, c->active_max, &pair_count));

    gmc_status status = GMC_OK;
    for (int k = 0; k < pair_count; k++) {
        int i = c->active[k][0], j = c->active[k][1];
        const gmc_shape *a = &model->geoms[i].shape, *b = &model->geoms[j].shape;
        gmc_vec3 origin = a->type == GMC_SHAPE_PLANE ? c->X[j].p : c->X[i].p;
        gmc_pair pair = {.a = solid_of(c, model, i, origin, V, h),
                         .b = solid_of(c, model, j, origin, V, h)};
        pair.margin = pair_margin(c, model, i, j, V, h, reach);
        pair.size = fmin(gmc_shape_radius(a), gmc_shape_radius(b));
        pair.cache = &c->caches_next[k];
        pair.work = &c->work;
        pair.counts = &c->counts;
        carry_cache(c, i, j, &at, pair.cache);

        gmc_manifold manifold;
        c->counts.narrow_tests++;
        query_pair(&pair, &manifold);
        for (int m = 0; m < manifold.count; m++) {
            if (*count >= capacity) {
                status = GMC_E_LIMIT;
                break;
            }
            const gmc_manifold_point *point = &manifold.points[m];
            points[(*count)++] = (gmc_contact_point){
                i, j, point->feature, gmc_vec3_add(point->p, origin), manifold.n, point->gap};
        }
    }
    gmc_pair_cache *swap = c->caches;
    c->caches = c->caches_next;
    c->caches_next = swap;
    c->active_count = pair_count;
    return status;
}
