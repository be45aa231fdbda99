// Which geoms are near each other: the broad phase over entries, and the trees below those that are
// compounds.
#include "engine/collision/collider_internal.h"

#include <string.h>

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
    if (s->V && !gmc_collider_is_static(s->model, geom->body)) {
        growth += s->h * gmc_collider_speed_bound(&s->V[geom->body], c->centre[g], radius);
        // a plane that moves is everywhere
        if (shape->type == GMC_SHAPE_PLANE) growth = INFINITY;
    }
    c->growth[g] = growth;
    gmc_shape_bound(shape, &c->tables[g], X, growth, &c->bounds[g]);
}

// ---- compounds ----------------------------------------------------------------------------------

/// What any piece of a compound may reach [m].
static double compound_growth(const gmc_compound *compound, const gmc_collider_scene *s)
{
    double growth = 0.5 * s->reach;
    if (!s->V || gmc_collider_is_static(s->model, compound->body)) return growth;
    gmc_vec3 centre = gmc_pose_apply(&s->X_wb[compound->body], compound->nodes[0].centre);
    return growth +
           s->h * gmc_collider_speed_bound(&s->V[compound->body], centre, compound->radius);
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

gmc_status gmc_collider_pairs_find(gmc_collider *collider, const gmc_collider_scene *scene,
                                   int *count)
{
    gmc_collider *c = collider;
    const gmc_collider_scene *s = scene;
    if (c->compounds.count > 0) return find_pairs_of_compounds(c, s, count);
    for (int g = 0; g < s->model->geom_count; g++)
        place_geom(c, s, g);
    return gmc_broadphase_update(&c->broadphase, c->bounds, c->active, c->active_max, count);
}
