// In one call: the axis of the call before, which rejects pairs that are apart and confirms faces
// that still meet; only if it does neither, all faces and edges. A face of the call before is
// confirmed when its nearest point realises its separation and the overlap is shallow: no other
// axis can then be better by more than that overlap. (Confirming only what overlaps within
// GMC_PAIR_AXIS_KEEP, where a search would decide the same, searched in each step of a grip of 20 N
// on a small part: 40 % of a step of planar_gear.)
#include "engine/collision/sat.h"

#include "engine/base/check.h"
#include "engine/collision/convex.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"

/// Largest product of edge counts; beyond it a nearest-point query is faster
/// (test/bench/bench_collide).
enum { EDGE_PAIRS_MAX = 640, EDGES_MAX = 64 };
/// As in box.c.
#define PARALLEL 1e-4
/// Overlap (relative to size) up to which the face before is taken without a search, as in
/// convex.c.
#define SHALLOW 1e-3

/// One reference axis. face < 0 and edge < 0: none.
typedef struct sat_axis {
    double separation;
    gmc_vec3 n;         ///< from a to b
    bool is_of_b;       ///< the face is b's
    int face;           ///< -1: edges
    int edge_a, edge_b; ///< indices into the edge lists
} sat_axis;

/// An edge of a solid with the arc that its two faces make on the Gauss map.
typedef struct sat_edge {
    int from, to;
    gmc_vec3 p, d;        ///< an end and the unit direction, query frame
    gmc_vec3 left, right; ///< face normals
    gmc_vec3 arc;         ///< right x left
} sat_edge;

/// from, to, face left, face right; faces and vertices as in shape.h.
static const int BOX_EDGES[12][4] = {
    {0, 1, 5, 3}, {2, 3, 2, 5}, {4, 5, 3, 4}, {6, 7, 4, 2}, {0, 2, 1, 5}, {1, 3, 5, 0},
    {4, 6, 4, 1}, {5, 7, 0, 4}, {0, 4, 3, 1}, {1, 5, 0, 3}, {2, 6, 1, 2}, {3, 7, 2, 0},
};

static int edge_count(const gmc_solid *solid)
{
    return solid->shape->type == GMC_SHAPE_BOX ? 12 : solid->shape->polytope->edge_count;
}

static const int *edge_at(const gmc_solid *solid, int edge)
{
    return solid->shape->type == GMC_SHAPE_BOX ? BOX_EDGES[edge]
                                               : solid->shape->polytope->edges[edge];
}

static bool is_polyhedron(const gmc_solid *solid)
{
    return solid->shape->type == GMC_SHAPE_BOX || solid->shape->type == GMC_SHAPE_POLYTOPE;
}

bool gmc_sat_has(const gmc_solid *a, const gmc_solid *b)
{
    if (!is_polyhedron(a) || !is_polyhedron(b)) return false;
    int ea = edge_count(a), eb = edge_count(b);
    return ea <= EDGES_MAX && eb <= EDGES_MAX && ea * eb <= EDGE_PAIRS_MAX;
}

static sat_axis face_axis(gmc_pair *pair, bool is_of_b, int face)
{
    const gmc_solid *own = is_of_b ? &pair->b : &pair->a, *other = is_of_b ? &pair->a : &pair->b;
    gmc_vec3 out = gmc_shape_face_normal(own, face), in = gmc_vec3_neg(out);
    int *hint = is_of_b ? &pair->cache->hint_a : &pair->cache->hint_b;
    *hint = gmc_shape_support_vertex(other, in, *hint);
    gmc_vec3 far = gmc_shape_vertex(other, *hint);
    pair->counts->support_calls++;
    double s = gmc_vec3_dot(out, far) - gmc_shape_face_offset(own, face, out);
    return (sat_axis){s, is_of_b ? in : out, is_of_b, face, -1, -1};
}

static sat_edge edge_of(const gmc_solid *solid, int index)
{
    const int *e = edge_at(solid, index);
    sat_edge edge = {.from = e[0], .to = e[1]};
    edge.p = gmc_shape_vertex(solid, e[0]);
    edge.d = gmc_vec3_unit(gmc_vec3_sub(gmc_shape_vertex(solid, e[1]), edge.p));
    edge.left = gmc_shape_face_normal(solid, e[2]);
    edge.right = gmc_shape_face_normal(solid, e[3]);
    edge.arc = gmc_vec3_cross(edge.right, edge.left);
    return edge;
}

/// Do the arcs of a and of -b cross? Then the two edges span a face of the difference of the
/// solids.
static bool arcs_cross(const sat_edge *a, const sat_edge *b)
{
    double left = -gmc_vec3_dot(b->left, a->arc), right = -gmc_vec3_dot(b->right, a->arc);
    if (left * right >= 0) return false;
    double a_left = gmc_vec3_dot(a->left, b->arc), a_right = gmc_vec3_dot(a->right, b->arc);
    return a_left * a_right < 0 && left * a_right > 0;
}

/// Separation along the common perpendicular of two edges; -inf where they are parallel.
static sat_axis edge_axis(const gmc_pair *pair, const sat_edge *a, const sat_edge *b)
{
    sat_axis axis = {-INFINITY, {0, 0, 0}, false, -1, -1, -1};
    gmc_vec3 n = gmc_vec3_cross(a->d, b->d);
    double length = gmc_vec3_norm(n);
    if (!(length > PARALLEL)) return axis;
    // outwards of a: its two faces lean that way
    double outwards = gmc_vec3_dot(n, gmc_vec3_add(a->left, a->right));
    axis.n = gmc_vec3_scale(outwards > 0 ? 1 / length : -1 / length, n);
    axis.separation = gmc_vec3_dot(axis.n, gmc_vec3_sub(b->p, a->p));
    (void)pair;
    return axis;
}

static sat_axis best_edges(const gmc_pair *pair, const sat_axis *before)
{
    sat_edge of_b[EDGES_MAX];
    int na = edge_count(&pair->a), nb = edge_count(&pair->b);
    sat_axis best = {-INFINITY, {0, 0, 0}, false, -1, -1, -1}, again = best;
    for (int j = 0; j < nb; j++)
        of_b[j] = edge_of(&pair->b, j);
    for (int i = 0; i < na; i++) {
        sat_edge a = edge_of(&pair->a, i);
        for (int j = 0; j < nb; j++) {
            if (!arcs_cross(&a, &of_b[j])) continue;
            sat_axis axis = edge_axis(pair, &a, &of_b[j]);
            axis.edge_a = i;
            axis.edge_b = j;
            if (axis.separation > best.separation) best = axis;
            if (before->edge_a == i && before->edge_b == j) again = axis;
        }
    }
    if (again.separation >= best.separation - GMC_PAIR_AXIS_KEEP * pair->size) {
        double most = best.separation;
        best = again;
        best.separation = most;
    }
    return best;
}

static int axis_encode(const gmc_pair *pair, const sat_axis *axis)
{
    int fa = gmc_shape_face_count(&pair->a), fb = gmc_shape_face_count(&pair->b);
    if (axis->face >= 0) return 1 + axis->face + (axis->is_of_b ? fa : 0);
    return 1 + fa + fb + axis->edge_a * edge_count(&pair->b) + axis->edge_b;
}

/// The axis of the call before at the poses of this one; face and edges -1 if there was none.
static sat_axis axis_before(gmc_pair *pair)
{
    int fa = gmc_shape_face_count(&pair->a), fb = gmc_shape_face_count(&pair->b);
    int code = pair->cache->axis - 1;
    sat_axis none = {-INFINITY, {0, 0, 0}, false, -1, -1, -1};
    if (code < 0) return none;
    if (code < fa) return face_axis(pair, false, code);
    if (code < fa + fb) return face_axis(pair, true, code - fa);
    none.edge_a = (code - fa - fb) / edge_count(&pair->b);
    none.edge_b = (code - fa - fb) % edge_count(&pair->b);
    sat_edge a = edge_of(&pair->a, none.edge_a), b = edge_of(&pair->b, none.edge_b);
    if (!arcs_cross(&a, &b)) return none;
    sat_axis axis = edge_axis(pair, &a, &b);
    axis.edge_a = none.edge_a;
    axis.edge_b = none.edge_b;
    return axis;
}

static void edges_meet(gmc_pair *pair, const sat_axis *axis, gmc_manifold *manifold)
{
    sat_edge a = edge_of(&pair->a, axis->edge_a), b = edge_of(&pair->b, axis->edge_b);
    double length_a = gmc_vec3_norm(gmc_vec3_sub(gmc_shape_vertex(&pair->a, a.to), a.p));
    double length_b = gmc_vec3_norm(gmc_vec3_sub(gmc_shape_vertex(&pair->b, b.to), b.p));
    double slack = GMC_PAIR_TOUCH_NEW * pair->size, x, y;
    gmc_vec3 cross = gmc_vec3_cross(a.d, b.d), d = gmc_vec3_sub(b.p, a.p);
    double c = gmc_vec3_dot(a.d, b.d), da = gmc_vec3_dot(d, a.d), db = gmc_vec3_dot(d, b.d),
           s = 1 / gmc_vec3_dot(cross, cross);
    x = s * (da - c * db);
    y = s * (c * da - db);
    manifold->count = 0;
    // beyond an end it is no crossing
    if (x < -slack || x > length_a + slack || y < -slack || y > length_b + slack) return;
    gmc_vec3 p = gmc_vec3_add_scaled(a.p, x, a.d), q = gmc_vec3_add_scaled(b.p, y, b.d);
    gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(p, q));
    uint64_t feature =
        gmc_pair_feature(GMC_FEATURE_CROSSING, gmc_shape_edge_id(&pair->a, a.from, a.to),
                         gmc_shape_edge_id(&pair->b, b.from, b.to));
    double gap = gmc_vec3_dot(axis->n, gmc_vec3_sub(q, p));
    gmc_manifold_single(axis->n, middle, gap, feature, manifold);
    if (gap <= pair->margin) gmc_overlay_beside_crossing(pair, manifold);
}

/// The manifold of the faces that meet along a face's axis.
static void faces_meet(gmc_pair *pair, const sat_axis *axis, gmc_manifold *manifold)
{
    const gmc_solid *other = axis->is_of_b ? &pair->a : &pair->b;
    gmc_vec3 towards = axis->is_of_b ? axis->n : gmc_vec3_neg(axis->n);
    int *hint = axis->is_of_b ? &pair->cache->hint_a : &pair->cache->hint_b;
    *hint = gmc_shape_support_vertex(other, towards, *hint);
    int facing = gmc_shape_face_towards(other, *hint, towards);
    gmc_overlay_faces(pair, axis->n, axis->is_of_b ? facing : axis->face,
                      axis->is_of_b ? axis->face : facing, manifold);
}

/// The best face of each solid, the better of the two, and hysteresis in favour of the one before.
static sat_axis best_face(gmc_pair *pair, const sat_axis *before, double *most)
{
    sat_axis of_a = {.separation = -INFINITY}, of_b = of_a;
    for (int f = 0; f < gmc_shape_face_count(&pair->a); f++) {
        sat_axis axis = face_axis(pair, false, f);
        if (axis.separation > of_a.separation) of_a = axis;
    }
    for (int f = 0; f < gmc_shape_face_count(&pair->b); f++) {
        sat_axis axis = face_axis(pair, true, f);
        if (axis.separation > of_b.separation) of_b = axis;
    }
    *most = gmc_pair_max(of_a.separation, of_b.separation);
    double enough = *most - GMC_PAIR_AXIS_KEEP * pair->size;
    if (before->face >= 0 && before->separation >= enough) return *before;
    return of_a.separation >= enough ? of_a : of_b;
}

static double nearest_gap(const gmc_manifold *manifold)
{
    double nearest = INFINITY;
    for (int i = 0; i < manifold->count; i++)
        nearest = gmc_pair_min(nearest, manifold->points[i].gap);
    return nearest;
}

void gmc_sat_find(gmc_pair *pair, gmc_manifold *manifold)
{
    double keep = GMC_PAIR_AXIS_KEEP * pair->size, slack = GMC_PAIR_REALISED * pair->size;
    sat_axis before = axis_before(pair);
    manifold->count = 0;
    if (before.separation > pair->margin) {
        gmc_pair_part(pair, before.n);
        pair->counts->cache_hits++;
        return;
    }
    if (before.face >= 0 && before.separation >= -SHALLOW * pair->size) {
        faces_meet(pair, &before, manifold);
        if (nearest_gap(manifold) <= before.separation + keep) {
            pair->counts->cache_hits++;
            return;
        }
    }

    double most_face, edge_margin = GMC_PAIR_EDGE_MARGIN * pair->size;
    sat_axis axis = best_face(pair, &before, &most_face);
    double most = most_face;
    manifold->count = 0;
    if (most_face <= pair->margin) {
        sat_axis edges = best_edges(pair, &before);
        if (before.edge_a >= 0) edge_margin *= 0.5;
        if (edges.separation > most_face + edge_margin) axis = edges;
        most = gmc_pair_max(most, edges.separation);
    }
    pair->cache->axis = axis_encode(pair, &axis);
    if (most > pair->margin) {
        if (axis.separation > pair->margin) gmc_pair_part(pair, axis.n);
        return;
    }
    if (axis.face >= 0)
        faces_meet(pair, &axis, manifold);
    else
        edges_meet(pair, &axis, manifold);
    // corner to corner or corner to edge: no axis of a face or of two edges measures their distance
    if (!(nearest_gap(manifold) <= most + slack)) gmc_convex_nearest(pair, manifold);
}
