// One call: place the geoms, bound them, find overlapping bounds, and query each pair. What is
// remembered of a pair lives as long as its bounds overlap: the caches of the last call and of this
// one are both ordered by pair and are merged as the pairs go by.
//
// A body of many convex pieces is one entry of the broad phase (compound.h); its pieces are placed
// and queried only where something is near them, and what they say is made into contacts of the
// whole (seam.h). Geoms that never move against each other and may be flush are looked at together
// (flush.h). Models without such bodies do not notice: their entries are their geoms.
#include "engine/collision/collider.h"

#include "engine/base/check.h"
#include "engine/collision/broadphase.h"
#include "engine/collision/compound.h"
#include "engine/collision/convex.h"
#include "engine/collision/flat.h"
#include "engine/collision/flush.h"
#include "engine/collision/manifold.h"
#include "engine/collision/planar.h"
#include "engine/collision/primitive.h"
#include "engine/collision/sat.h"
#include "engine/collision/seam.h"

#include <limits.h>
#include <string.h>

struct gmc_collider {
    int geom_count;
    gmc_hull_table *tables; ///< (geom_count) of polytopes; geoms with the same one share its arrays
    gmc_pose *X;            ///< (geom_count) world
    gmc_aabb *bounds;       ///< (geom_count) grown by what the geom may reach
    double *growth;         ///< (geom_count) [m]
    double *radius;         ///< (geom_count) of the ball about `centre` [m]
    gmc_vec3 *centre;       ///< (geom_count) world; planes: their origin
    gmc_broadphase broadphase;
    gmc_compounds compounds;
    gmc_aabb *entry_bounds; ///< (entry_count); without compounds these are `bounds`
    bool *is_placed;        ///< (geom_count) in this call; pieces of compounds only
    int *hits;              ///< (geom_count)
    int entry_pair_max;     ///< of the entries, compounds only
    int (*entry_pairs)[2];  ///< (entry_pair_max)
    gmc_flush_sets flush;
    gmc_seam_member *members;             ///< (active_max) compounds and flush sets only
    int *touching;                        ///< (active_max) the same: pairs with contact points
    gmc_flush_member *flush_members;      ///< (active_max) flush sets only
    gmc_seam_member **group;              ///< (active_max)
    bool *is_grouped;                     ///< (active_max)
    int active_max, active_count;         ///< active_count: caches of the last call
    int (*active)[2];                     ///< (active_max)
    gmc_pair_cache *caches, *caches_next; ///< (active_max) ordered by pair
    gmc_pair_work work;
    gmc_collider_counts counts;
};

/// Largest speed of a point of the ball of radius r about p [m/s].
static inline double collider_speed_bound(const gmc_twist *V, gmc_vec3 p, double r)
{
    return gmc_vec3_norm(gmc_twist_at(V, p)) + r * gmc_vec3_norm(V->w);
}

/// Up to this many allowed pairs are tested one by one: cheaper than keeping three axes sorted.
enum { LIST_MAX = 96 };
/// Pairs whose bounds may overlap at once: all allowed ones, or this many and PER_GEOM for each
/// geom.
enum { ACTIVE_MIN = 1024, ACTIVE_PER_GEOM = 16 };

static bool may_touch(const gmc_model *model, int i, int j)
{
    const gmc_geom *a = &model->geoms[i], *b = &model->geoms[j];
    if (gmc_model_is_one_body(model, a->body, b->body)) return false;
    if (a->shape.type == GMC_SHAPE_PLANE && b->shape.type == GMC_SHAPE_PLANE) return false;
    if (gmc_shape_is_planar(a->shape.type) != gmc_shape_is_planar(b->shape.type)) return false;
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static int entry_size(const gmc_compounds *compounds, int entry)
{
    int compound = compounds->entry_compound[entry];
    return compound < 0 ? 1 : compounds->compounds[compound].geom_count;
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
    // the points of all pieces of a body against another geom are reduced together (seam.h)
    int of_pieces = GMC_PAIR_POINT_MAX * model->geom_count;
    if (of_pieces > vertex_max) vertex_max = of_pieces;
    return gmc_manifold_work(polygon_max, vertex_max, arena, &c->work);
}

/// Allowed pairs that are tested one by one at most.
static int list_max(gmc_broad_phase kind)
{
    switch (kind) {
    case GMC_BROAD_PHASE_AUTOMATIC:
        return LIST_MAX;
    case GMC_BROAD_PHASE_PAIRS:
        return INT_MAX;
    case GMC_BROAD_PHASE_SWEEP:
        return -1;
    }
    return LIST_MAX;
}

/// Allowed pairs of entries, and how many pairs of geoms that makes.
static gmc_status create_broadphase(const gmc_model *model, gmc_arena *arena, gmc_collider *c,
                                    long long *allowed)
{
    const gmc_compounds *compounds = &c->compounds;
    *allowed = 0;
    GMC_TRY(gmc_broadphase_create(compounds->entry_count, arena, &c->broadphase));
    for (int i = 0; i < compounds->entry_count; i++)
        for (int j = i + 1; j < compounds->entry_count; j++) {
            if (!may_touch(model, compounds->entry_geom[i], compounds->entry_geom[j])) continue;
            gmc_broadphase_allow(&c->broadphase, i, j);
            *allowed += (long long)entry_size(compounds, i) * entry_size(compounds, j);
        }
    return gmc_broadphase_finish(&c->broadphase, list_max(model->broad_phase), arena);
}

static gmc_status create_for_compounds(const gmc_model *model, gmc_arena *arena, size_t pairs,
                                       gmc_collider *c)
{
    int n = model->geom_count, entries = c->compounds.entry_count;
    long long of_entries = c->broadphase.allowed_count;
    c->entry_pair_max = of_entries < (long long)pairs ? (int)of_entries : (int)pairs;
    c->entry_bounds = GMC_NEW(arena, entries, gmc_aabb);
    c->is_placed = GMC_NEW(arena, n, bool);
    // every call writes what it reads of these
    c->hits = GMC_ROOM(arena, n, int);
    c->entry_pairs = gmc_arena_room(arena, (size_t)c->entry_pair_max + 1, sizeof *c->entry_pairs);
    c->group = GMC_ROOM(arena, pairs, gmc_seam_member *);
    c->is_grouped = GMC_ROOM(arena, pairs, bool);
    return c->entry_bounds && c->is_grouped && c->is_placed && c->hits && c->entry_pairs && c->group
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

/// What is needed where pairs are looked at together.
static gmc_status create_members(gmc_arena *arena, size_t pairs, gmc_collider *c)
{
    // every call writes what it reads of these
    c->members = GMC_ROOM(arena, pairs, gmc_seam_member);
    c->touching = GMC_ROOM(arena, pairs, int);
    if (!c->members || !c->touching) return GMC_E_ARENA_FULL;
    if (!c->flush.has_any) return GMC_OK;
    c->flush_members = GMC_ROOM(arena, pairs, gmc_flush_member);
    return c->flush_members ? GMC_OK : GMC_E_ARENA_FULL;
}

gmc_status gmc_collider_create(const gmc_model *model, gmc_arena *arena, gmc_collider **collider)
{
    size_t n = model->geom_count > 0 ? (size_t)model->geom_count : 1;
    gmc_collider *c = GMC_NEW(arena, 1, gmc_collider);
    if (!c) return GMC_E_ARENA_FULL;
    c->geom_count = model->geom_count;
    c->tables = GMC_NEW(arena, n, gmc_hull_table);
    c->X = GMC_NEW(arena, n, gmc_pose);
    c->bounds = GMC_NEW(arena, n, gmc_aabb);
    c->growth = GMC_NEW(arena, n, double);
    c->radius = GMC_NEW(arena, n, double);
    c->centre = GMC_NEW(arena, n, gmc_vec3);
    c->entry_bounds = c->bounds;
    if (!c->tables || !c->X || !c->bounds || !c->growth || !c->radius || !c->centre)
        return GMC_E_ARENA_FULL;
    GMC_TRY(create_tables(model, arena, c));
    GMC_TRY(gmc_compounds_create(model, c->tables, arena, &c->compounds));
    long long allowed;
    GMC_TRY(create_broadphase(model, arena, c, &allowed));

    long long planned = ACTIVE_MIN + ACTIVE_PER_GEOM * (long long)model->geom_count;
    c->active_max = (int)(allowed < planned ? allowed : planned);
    size_t m = c->active_max > 0 ? (size_t)c->active_max : 1;
    GMC_TRY(gmc_flush_sets_create(model, c->compounds.geom_entry, arena, &c->flush));
    if (c->compounds.count > 0) GMC_TRY(create_for_compounds(model, arena, m, c));
    if (c->compounds.count > 0 || c->flush.has_any) GMC_TRY(create_members(arena, m, c));
    // each call lists its pairs and writes their caches: clearing them was most of a trial's set-up
    c->active = gmc_arena_room(arena, m, sizeof *c->active);
    c->caches = GMC_ROOM(arena, m, gmc_pair_cache);
    c->caches_next = GMC_ROOM(arena, m, gmc_pair_cache);
    if (!c->active || !c->caches || !c->caches_next) return GMC_E_ARENA_FULL;
    *collider = c;
    return GMC_OK;
}

void gmc_collider_reset(gmc_collider *collider)
{
    collider->broadphase.is_sorted = false;
    collider->active_count = 0;
}

gmc_collider_counts gmc_collider_counted(const gmc_collider *collider)
{
    gmc_collider_counts counts = collider->counts;
    counts.broad_tests = collider->broadphase.tests;
    return counts;
}

// ---- pairs whose bounds overlap ----------------------------------------------------------------
//
// Which geoms are near each other: the broad phase over entries, and the trees below those that are
// compounds.

/// A B, where B often only moves and does not turn: a rotation whose diagonal is 1 is the identity.
static void multiply_poses(const gmc_pose *A, const gmc_pose *B, gmc_pose *AB)
{
    const double *m = B->R.m;
    if (m[0] == 1 && m[4] == 1 && m[8] == 1)
        AB->R = A->R;
    else
        AB->R = gmc_mat3_multiply(&A->R, &B->R);
    AB->p = gmc_pose_apply(A, B->p);
}

static void place_geom(gmc_collider *c, const gmc_collider_scene *s, int g)
{
    const gmc_geom *geom = &s->model->geoms[g];
    const gmc_shape *shape = &geom->shape;
    gmc_pose *X = &c->X[g];
    multiply_poses(&s->X_wb[geom->body], &geom->X_bg, X);
    double growth = 0.5 * s->reach, radius = gmc_shape_radius(shape);
    c->radius[g] = radius;
    c->centre[g] = shape->type == GMC_SHAPE_POLYTOPE || shape->type == GMC_SHAPE_POLYGON
                       ? gmc_pose_apply(X, gmc_shape_centre(shape))
                       : X->p;
    if (s->V && !gmc_model_is_static(s->model, geom->body)) {
        growth += s->h * collider_speed_bound(&s->V[geom->body], c->centre[g], radius);
        // a plane that moves is everywhere
        if (shape->type == GMC_SHAPE_PLANE) growth = INFINITY;
    }
    c->growth[g] = growth;
    gmc_shape_bound(shape, &c->tables[g], X, growth, &c->bounds[g]);
}

// ---- compounds ---------------------------------------------------------------------------------

/// What any piece of a compound may reach [m].
static double compound_growth(const gmc_compound *compound, const gmc_collider_scene *s)
{
    double growth = 0.5 * s->reach;
    if (!s->V || gmc_model_is_static(s->model, compound->body)) return growth;
    gmc_vec3 centre = gmc_pose_apply(&s->X_wb[compound->body], compound->nodes[0].centre);
    return growth + s->h * collider_speed_bound(&s->V[compound->body], centre, compound->radius);
}

static void bound_compound(gmc_collider *c, const gmc_collider_scene *s, int entry)
{
    gmc_compound *compound = &c->compounds.compounds[c->compounds.entry_compound[entry]];
    gmc_compound_refit(compound, s->model, c->tables);
    const gmc_compound_node *root = &compound->nodes[0];
    const gmc_pose *X = &s->X_wb[compound->body];
    double growth = compound_growth(compound, s);
    gmc_vec3 half = gmc_mat3_reach(&X->R, root->half), centre = gmc_pose_apply(X, root->centre);
    half = gmc_vec3_add(half, (gmc_vec3){growth, growth, growth});
    c->entry_bounds[entry] = (gmc_aabb){gmc_vec3_sub(centre, half), gmc_vec3_add(centre, half)};
}

/// A single geom as a compound's body sees it.
static gmc_compound_probe probe_of(const gmc_collider *c, const gmc_collider_scene *s, int geom,
                                   const gmc_pose *X_wb)
{
    const gmc_geom *g = &s->model->geoms[geom];
    if (g->shape.type == GMC_SHAPE_PLANE) {
        gmc_vec3 n = gmc_mat3_apply_transposed(&X_wb->R, gmc_mat3_column(&c->X[geom].R, 2));
        gmc_vec3 p = gmc_pose_apply_inverse(X_wb, c->X[geom].p);
        return (gmc_compound_probe){
            .is_plane = true, .n = n, .offset = gmc_vec3_dot(n, p) + c->growth[geom]};
    }
    gmc_aabb box = c->bounds[geom];
    gmc_vec3 centre = gmc_vec3_scale(0.5, gmc_vec3_add(box.lo, box.hi));
    gmc_vec3 half = gmc_vec3_scale(0.5, gmc_vec3_sub(box.hi, box.lo));
    return (gmc_compound_probe){.centre = gmc_pose_apply_inverse(X_wb, centre),
                                .half = gmc_mat3_reach_transposed(&X_wb->R, half)};
}

/// Add a pair of geoms if their bounds overlap; pieces are placed when they are first asked for.
static void add_pair(gmc_collider *c, const gmc_collider_scene *s, int i, int j, int *count)
{
    int geoms[2] = {i < j ? i : j, i < j ? j : i};
    for (int k = 0; k < 2; k++) {
        if (c->is_placed[geoms[k]]) continue;
        place_geom(c, s, geoms[k]);
        c->is_placed[geoms[k]] = true;
    }
    if (!gmc_broadphase_overlaps(&c->bounds[geoms[0]], &c->bounds[geoms[1]])) return;
    if (*count < c->active_max) {
        c->active[*count][0] = geoms[0];
        c->active[*count][1] = geoms[1];
    }
    (*count)++;
}

static void expand_pair(gmc_collider *c, const gmc_collider_scene *s, int entry_a, int entry_b,
                        int *count)
{
    const gmc_compounds *all = &c->compounds;
    int ca = all->entry_compound[entry_a], cb = all->entry_compound[entry_b];
    if (ca < 0 && cb < 0) {
        add_pair(c, s, all->entry_geom[entry_a], all->entry_geom[entry_b], count);
    } else if (ca >= 0 && cb >= 0) {
        const gmc_compound *a = &all->compounds[ca], *b = &all->compounds[cb];
        const gmc_pose *X_a = &s->X_wb[a->body];
        gmc_pose X_aw = gmc_pose_inverse(X_a), X_ab = gmc_pose_multiply(&X_aw, &s->X_wb[b->body]);
        double growth = compound_growth(a, s) + compound_growth(b, s);
        // what is found is written behind the pairs that stand, then judged one by one
        int first = *count < c->active_max ? *count : c->active_max, room = c->active_max - first;
        int found = gmc_compound_meet_compound(a, b, &X_ab, growth, c->active + first, room);
        if (found > room) *count = c->active_max + 1;
        for (int k = 0; k < found && found <= room; k++)
            add_pair(c, s, c->active[first + k][0], c->active[first + k][1], count);
    } else {
        const gmc_compound *compound = &all->compounds[ca >= 0 ? ca : cb];
        int geom = all->entry_geom[ca >= 0 ? entry_b : entry_a];
        gmc_compound_probe probe = probe_of(c, s, geom, &s->X_wb[compound->body]);
        int found = gmc_compound_meet(compound, &probe, compound_growth(compound, s), c->hits);
        for (int k = 0; k < found; k++)
            add_pair(c, s, c->hits[k], geom, count);
    }
}

/// Insertion sort: pairs of each entry come nearly in order.
static void sort_pairs(int (*pairs)[2], int count)
{
    for (int i = 1; i < count; i++) {
        int a = pairs[i][0], b = pairs[i][1], k = i;
        for (; k > 0 && (pairs[k - 1][0] > a || (pairs[k - 1][0] == a && pairs[k - 1][1] > b));
             k--) {
            pairs[k][0] = pairs[k - 1][0];
            pairs[k][1] = pairs[k - 1][1];
        }
        pairs[k][0] = a;
        pairs[k][1] = b;
    }
}

/// Place what is single, bound what is many, and list the pairs of geoms whose bounds overlap.
static gmc_status find_pairs_of_compounds(gmc_collider *c, const gmc_collider_scene *s, int *count)
{
    const gmc_compounds *all = &c->compounds;
    int entry_pairs = 0;
    *count = 0;
    memset(c->is_placed, 0, (size_t)c->geom_count * sizeof *c->is_placed);
    for (int e = 0; e < all->entry_count; e++) {
        int g = all->entry_geom[e];
        if (all->entry_compound[e] >= 0) {
            bound_compound(c, s, e);
            continue;
        }
        place_geom(c, s, g);
        c->is_placed[g] = true;
        c->entry_bounds[e] = c->bounds[g];
    }
    GMC_TRY(gmc_broadphase_update(&c->broadphase, c->entry_bounds, c->entry_pairs,
                                  c->entry_pair_max, &entry_pairs));
    for (int k = 0; k < entry_pairs; k++)
        expand_pair(c, s, c->entry_pairs[k][0], c->entry_pairs[k][1], count);
    if (*count > c->active_max) return GMC_E_LIMIT;
    sort_pairs(c->active, *count);
    return GMC_OK;
}

/// Place the geoms that may touch something, and list the pairs whose bounds overlap in
/// collider->active, ordered.
/// @return GMC_OK, GMC_E_LIMIT (more pairs than active_max)
static gmc_status find_pairs(gmc_collider *collider, const gmc_collider_scene *scene, int *count)
{
    gmc_collider *c = collider;
    const gmc_collider_scene *s = scene;
    if (c->compounds.count > 0) return find_pairs_of_compounds(c, s, count);
    for (int g = 0; g < s->model->geom_count; g++)
        place_geom(c, s, g);
    return gmc_broadphase_update(&c->broadphase, c->bounds, c->active, c->active_max, count);
}

// ---- one pair ----------------------------------------------------------------------------------

/// Motion of b's body as a's sees it.
static gmc_twist relative_twist(const gmc_collider_scene *s, int i, int j)
{
    const gmc_geom *geoms = s->model->geoms;
    return gmc_twist_add_scaled(s->V[geoms[j].body], -1, s->V[geoms[i].body]);
}

/// reach + h |approach speed|: the relative motion of the two bodies over the ball of the smaller
/// geom, but no more than what the bounds were grown by.
static double pair_margin(const gmc_collider *c, const gmc_collider_scene *s, int i, int j,
                          const gmc_twist *relative)
{
    int small = c->radius[i] < c->radius[j] ? i : j;
    double speed = collider_speed_bound(relative, c->centre[small], c->radius[small]);
    return gmc_pair_min(s->reach + s->h * speed, c->growth[i] + c->growth[j]);
}

static void query_pair(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_shape_type ta = pair->a.shape->type, tb = pair->b.shape->type;
    if (gmc_shape_is_planar(ta))
        gmc_planar_find(pair, manifold);
    else if (gmc_primitive_has(ta, tb))
        gmc_primitive_find(pair, manifold);
    else if (!gmc_sat_meet(pair, manifold))
        gmc_convex_find(pair, manifold);
    gmc_manifold_remember(pair, manifold);
}

/// Bring the caches up to the pairs of this call; a new pair has an empty one.
static void carry_caches(gmc_collider *c, int pair_count)
{
    const gmc_pair_cache *old = c->caches;
    bool is_same = pair_count == c->active_count;
    for (int k = 0; k < pair_count && is_same; k++)
        is_same = old[k].geom_a == c->active[k][0] && old[k].geom_b == c->active[k][1];
    if (is_same) return;
    for (int k = 0, at = 0; k < pair_count; k++) {
        int i = c->active[k][0], j = c->active[k][1];
        while (at < c->active_count &&
               (old[at].geom_a < i || (old[at].geom_a == i && old[at].geom_b < j)))
            at++;
        bool is_old = at < c->active_count && old[at].geom_a == i && old[at].geom_b == j;
        c->caches_next[k] = is_old ? old[at] : (gmc_pair_cache){.geom_a = i, .geom_b = j};
    }
    gmc_pair_cache *swap = c->caches;
    c->caches = c->caches_next;
    c->caches_next = swap;
    c->active_count = pair_count;
}

/// A geom in the frame of one query, whose origin is at `origin`.
static void place_solid(const gmc_collider *c, const gmc_model *model, int g, gmc_vec3 origin,
                        gmc_solid *solid)
{
    solid->shape = &model->geoms[g].shape;
    solid->table = &c->tables[g];
    solid->X.R = c->X[g].R;
    solid->X.p = gmc_vec3_sub(c->X[g].p, origin);
}

/// A pair as the narrow phase takes it, in the frame at `origin`; its cache is that of number k.
static void open_pair(gmc_collider *c, const gmc_collider_scene *s, int k, gmc_vec3 origin,
                      gmc_pair *pair)
{
    int i = c->active[k][0], j = c->active[k][1];
    place_solid(c, s->model, i, origin, &pair->a);
    place_solid(c, s->model, j, origin, &pair->b);
    pair->margin = pair->reach = s->reach;
    pair->move = (gmc_twist){{0, 0, 0}, {0, 0, 0}};
    if (s->V) {
        gmc_twist relative = relative_twist(s, i, j);
        pair->margin = pair_margin(c, s, i, j, &relative);
        pair->move.w = gmc_vec3_scale(s->h, relative.w);
        pair->move.v = gmc_vec3_scale(s->h, gmc_twist_at(&relative, origin));
    }
    pair->size = gmc_pair_min(c->radius[i], c->radius[j]);
    pair->cache = &c->caches[k];
    pair->work = &c->work;
    pair->counts = &c->counts;
}

/// Are the two still apart along the direction that parted them in the call before? Then nothing
/// else need be known of them.
static bool is_still_apart(gmc_collider *c, const gmc_collider_scene *s, int i, int j,
                           gmc_pair_cache *cache)
{
    if (!cache->is_apart) return false;
    const gmc_pose *X_a = &c->X[i], *X_b = &c->X[j];
    gmc_vec3 n = gmc_mat3_apply(&X_a->R, cache->apart);
    double apart =
        gmc_vec3_dot(n, gmc_vec3_sub(X_b->p, X_a->p)) -
        gmc_shape_reach(&s->model->geoms[i].shape, &X_a->R, n, &cache->hint_a) -
        gmc_shape_reach(&s->model->geoms[j].shape, &X_b->R, gmc_vec3_neg(n), &cache->hint_b);
    // no margin is wider than the growth of both
    if (!(apart > c->growth[i] + c->growth[j])) {
        double margin = s->reach;
        if (s->V) {
            gmc_twist relative = relative_twist(s, i, j);
            margin = pair_margin(c, s, i, j, &relative);
        }
        cache->is_apart = apart > margin;
    }
    c->counts.cache_hits += cache->is_apart;
    return cache->is_apart;
}

static gmc_vec3 origin_of(const gmc_collider *c, const gmc_model *model, int i, int j)
{
    return model->geoms[i].shape.type == GMC_SHAPE_PLANE ? c->X[j].p : c->X[i].p;
}

/// Where contact points go.
typedef struct contact_list {
    gmc_contact_point *points;
    int capacity, count;
    int flat_count;
    gmc_status status; ///< GMC_E_LIMIT: not all of them fit
} contact_list;

/// Area of a manifold that is a flat contact by itself.
/// @param excess  out: of its points, those chosen
static gmc_flat_area area_of(const gmc_pair *pair, const gmc_manifold *manifold, unsigned chosen,
                             gmc_vec3 origin, double *excess)
{
    double x[GMC_PAIR_POINT_MAX], y[GMC_PAIR_POINT_MAX], own[GMC_PAIR_POINT_MAX];
    int count = 0;
    gmc_flat flat = {0};
    for (int m = 0; m < manifold->count; m++)
        excess[m] = 0;
    if (manifold->count < 2 || gmc_shape_is_planar(pair->a.shape->type)) return (gmc_flat_area){0};
    gmc_pair_axes axes = gmc_pair_axes_of(manifold->n);
    for (int m = 0; m < manifold->count; m++) {
        if (!(chosen >> m & 1)) continue;
        x[count] = gmc_vec3_dot(axes.t1, manifold->points[m].p);
        y[count++] = gmc_vec3_dot(axes.t2, manifold->points[m].p);
    }
    gmc_flat_add(&flat, pair, manifold, &axes, (gmc_vec3){0, 0, 0});
    gmc_flat_stiffen(&flat, x, y, count, own);
    for (int m = 0, k = 0; m < manifold->count; m++)
        if (chosen >> m & 1) excess[m] = own[k++];
    return gmc_flat_area_of(&flat, &axes, origin, x, y, count);
}

/// Add the points of a manifold that `chosen` names.
/// @param common  what they share: geoms, flat contact and its area
/// @param excess  as in gmc_contact_point, of each point
static void emit_points(contact_list *list, const gmc_contact_point *common,
                        const gmc_manifold *manifold, unsigned chosen, gmc_vec3 origin,
                        const double *excess)
{
    for (int m = 0; m < manifold->count; m++) {
        if (!(chosen >> m & 1)) continue;
        if (list->count >= list->capacity) {
            list->status = GMC_E_LIMIT;
            return;
        }
        const gmc_manifold_point *point = &manifold->points[m];
        list->points[list->count++] = (gmc_contact_point){.geom_a = common->geom_a,
                                                          .geom_b = common->geom_b,
                                                          .feature = point->feature,
                                                          .p = gmc_vec3_add(point->p, origin),
                                                          .n = manifold->n,
                                                          .gap = point->gap,
                                                          .flat = common->flat,
                                                          .area = common->area,
                                                          .excess = excess[m]};
    }
}

static void query_single_pairs(gmc_collider *c, const gmc_collider_scene *s, int pair_count,
                               contact_list *list)
{
    for (int k = 0; k < pair_count; k++) {
        int i = c->active[k][0], j = c->active[k][1];
        c->counts.narrow_tests++;
        if (is_still_apart(c, s, i, j, &c->caches[k])) continue;
        gmc_vec3 origin = origin_of(c, s->model, i, j);
        gmc_pair pair;
        gmc_manifold manifold;
        open_pair(c, s, k, origin, &pair);
        manifold.outline_count = 0;
        query_pair(&pair, &manifold);
        if (manifold.count == 0) continue;
        double excess[GMC_PAIR_POINT_MAX];
        gmc_contact_point common = {.geom_a = i, .geom_b = j, .flat = list->flat_count++};
        common.area = area_of(&pair, &manifold, ~0u, origin, excess);
        emit_points(list, &common, &manifold, ~0u, origin, excess);
    }
}

/// All pairs of two entries, one of them a compound, have one frame.
static gmc_vec3 origin_of_entries(const gmc_collider *c, const gmc_model *model,
                                  const gmc_pose *X_wb, int i, int j)
{
    const gmc_compounds *all = &c->compounds;
    int entry_i = all->geom_entry[i], entry_j = all->geom_entry[j];
    int ci = all->entry_compound[entry_i], cj = all->entry_compound[entry_j];
    if (ci < 0 && cj < 0) return origin_of(c, model, i, j);
    const gmc_compound *compound = &all->compounds[ci >= 0 ? ci : cj];
    return gmc_pose_apply(&X_wb[compound->body], compound->nodes[0].centre);
}

/// The pairs of the entries of pair k, from k on, that were not in a group before.
static void choose_in_group(gmc_collider *c, const gmc_collider_scene *s, int k, int pair_count,
                            bool *is_done)
{
    const gmc_compounds *all = &c->compounds;
    int a = all->geom_entry[c->active[k][0]], b = all->geom_entry[c->active[k][1]];
    gmc_seam_group group = {.members = c->group,
                            .a_is_compound = all->entry_compound[a] >= 0,
                            .b_is_compound = all->entry_compound[b] >= 0};
    const gmc_shape *single_a = &s->model->geoms[all->entry_geom[a]].shape;
    const gmc_shape *single_b = &s->model->geoms[all->entry_geom[b]].shape;
    double radius_a = group.a_is_compound ? all->compounds[all->entry_compound[a]].radius
                                          : gmc_shape_radius(single_a);
    double radius_b = group.b_is_compound ? all->compounds[all->entry_compound[b]].radius
                                          : gmc_shape_radius(single_b);
    group.size = fmin(radius_a, radius_b);
    for (int m = k; m < pair_count; m++) {
        if (all->geom_entry[c->active[m][0]] != a || all->geom_entry[c->active[m][1]] != b)
            continue;
        is_done[m] = true;
        // areas of pieces add up as they are: which points stand for them does not matter
        if (gmc_model_has_patch(s->model, c->active[m][0], c->active[m][1])) continue;
        if (c->members[m].manifold.count > 0) c->group[group.count++] = &c->members[m];
    }
    gmc_seam_choose(&group, &c->work);
}

static bool is_single(const gmc_compounds *all, int geom)
{
    return all->entry_compound[all->geom_entry[geom]] < 0;
}

static void choose_in_groups(gmc_collider *c, const gmc_collider_scene *s, int pair_count)
{
    const gmc_compounds *all = &c->compounds;
    for (int k = 0; k < pair_count; k++)
        c->is_grouped[k] = false;
    for (int k = 0; k < pair_count; k++) {
        bool is_of_singles = is_single(all, c->active[k][0]) && is_single(all, c->active[k][1]);
        if (!c->is_grouped[k] && !is_of_singles)
            choose_in_group(c, s, k, pair_count, c->is_grouped);
    }
}

/// Geoms of one rigid set that are flush, and what touches them.
static void settle_flush(gmc_collider *c, const gmc_collider_scene *s, int touching_count)
{
    const gmc_compounds *all = &c->compounds;
    int count = 0;
    for (int t = 0; t < touching_count; t++) {
        int k = c->touching[t], i = c->active[k][0], j = c->active[k][1];
        if (!c->flush.is_many[i] && !c->flush.is_many[j]) continue;
        c->flush_members[count++] =
            (gmc_flush_member){.contact = &c->members[k],
                               .geom = {i, j},
                               .entry = {all->geom_entry[i], all->geom_entry[j]},
                               .is_single = is_single(all, i) && is_single(all, j)};
    }
    if (count > 1) gmc_flush_settle(&c->flush, s->model, c->flush_members, count);
}

/// Take down what the cache has, before the query of the pair replaces it.
static void remember_before(gmc_seam_member *member, const gmc_pair_cache *cache)
{
    member->before.count = cache->kept_count;
    member->before.chosen = cache->chosen;
    for (int i = 0; i < cache->kept_count; i++)
        member->before.features[i] = cache->kept[i];
}

/// @return whether the pair has contact points
static bool query_member(gmc_collider *c, const gmc_collider_scene *s, int k)
{
    int i = c->active[k][0], j = c->active[k][1];
    gmc_seam_member *member = &c->members[k];
    member->manifold.count = member->manifold.outline_count = 0;
    member->is_chosen = ~0u;
    c->counts.narrow_tests++;
    if (is_still_apart(c, s, i, j, &c->caches[k])) return false;
    member->origin = origin_of_entries(c, s->model, s->X_wb, i, j);
    if (c->compounds.count > 0 || c->flush.is_many[i] || c->flush.is_many[j])
        remember_before(member, &c->caches[k]);
    open_pair(c, s, k, member->origin, &member->pair);
    query_pair(&member->pair, &member->manifold);
    member->flat = member;
    member->is_joined = false;
    member->number = -1;
    return member->manifold.count > 0;
}

/// Members of one flat contact have one number, that of the first: it comes first.
static void emit_member(contact_list *list, int i, int j, gmc_seam_member *member)
{
    if (member->flat == member) member->number = list->flat_count++;
    if (member->is_chosen == 0) return;
    gmc_contact_point common = {.geom_a = i, .geom_b = j, .flat = member->flat->number};
    common.area = member->flat->is_joined
                      ? member->flat->area
                      : area_of(&member->pair, &member->manifold, member->is_chosen, member->origin,
                                member->excess);
    emit_points(list, &common, &member->manifold, member->is_chosen, member->origin,
                member->excess);
}

/// All pairs first, then what is known of several of them together.
static void query_together(gmc_collider *c, const gmc_collider_scene *s, int pair_count,
                           contact_list *list)
{
    int count = 0;
    for (int k = 0; k < pair_count; k++)
        if (query_member(c, s, k)) c->touching[count++] = k;
    if (c->flush.has_any) settle_flush(c, s, count);
    if (c->compounds.count > 0) choose_in_groups(c, s, pair_count);
    for (int t = 0; t < count; t++) {
        int k = c->touching[t];
        gmc_seam_member *member = &c->members[k];
        c->caches[k].chosen = member->is_chosen;
        emit_member(list, c->active[k][0], c->active[k][1], member);
    }
}

gmc_status gmc_collider_find(gmc_collider *collider, const gmc_collider_scene *scene,
                             gmc_contact_point *points, int capacity, int *count)
{
    gmc_collider *c = collider;
    contact_list list = {.points = points, .capacity = capacity};
    int pair_count = 0;
    GMC_ASSERT(scene->model->geom_count == c->geom_count);
    *count = 0;
    GMC_TRY(find_pairs(c, scene, &pair_count));
    carry_caches(c, pair_count);
    if (c->members)
        query_together(c, scene, pair_count, &list);
    else
        query_single_pairs(c, scene, pair_count, &list);
    *count = list.count;
    return list.status;
}
