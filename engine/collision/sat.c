// In one call: the axis of the call before, which rejects pairs that are apart and confirms faces
// that still meet; only if it does neither, all faces and edges. A face of the call before is
// confirmed when its nearest point realises its separation and the overlap is shallow: no other
// axis can then be better by more than that overlap. (Confirming only what overlaps within
// GMC_PAIR_AXIS_KEEP, where a search would decide the same, searched in each step of a grip of 20 N
// on a small part: 40 % of a step of planar_gear.)
#include "engine/collision/sat.h"

#include "engine/collision/convex.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"

/// Largest product of edge counts; beyond it a nearest-point query is faster
/// (test/bench/bench_collide).
enum { EDGE_PAIRS_MAX = 640, EDGES_MAX = 64 };
/// Edges nearer to parallel than this (sine) give no axis of their own: the faces beside them do.
#define PARALLEL 1e-4
/// Overlap (relative to size) up to which the face before is taken without a search, as in
/// convex.c.
#define SHALLOW 1e-3

// ---- any two -----------------------------------------------------------------------------------

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
    gmc_pair_axes axes = gmc_pair_axes_of(axis->n);
    gmc_overlay_faces(pair, &axes, axis->is_of_b ? facing : axis->face,
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
        if (gmc_manifold_nearest(manifold) <= before.separation + keep) {
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
    if (!(gmc_manifold_nearest(manifold) <= most + slack)) gmc_convex_nearest(pair, manifold);
}

// ---- two boxes ---------------------------------------------------------------------------------
// The fifteen axes of [gottschalk1996] with C = R_aᵀ R_b; all separations are true lengths (edge
// axes are normalised), because they are compared with each other and with the margin. The axis of
// the call before is tried first: to reject pairs that are apart, and, a face, to be taken again
// while the overlap is shallow and its nearest point is as near as it says. Else all axes are
// looked at.

/// Numbering of axes in gmc_pair_cache.axis: 1 + i face i of a, 4 + j face j of b, 7 + 3 i + j
/// edges.
enum { AXIS_FACE_A = 1, AXIS_FACE_B = 4, AXIS_EDGES = 7, AXIS_COUNT = 16 };

typedef struct box_axes {
    double C[3][3], D[3][3]; ///< C = R_aᵀ R_b and |C|
    double ha[3], hb[3];
    double ta[3], tb[3]; ///< centre of b from centre of a, along the axes of a and of b
} box_axes;

// ---- two boxes: a face well within another -----------------------------------------------------
// A face of a box that lies well within a face of another, as a pad on a plate or a plate on a
// pad: its four corners are the manifold. The same points as overlay.h gives, for a fifth of the
// work.
// Both faces are centre +- edge +- edge, so that "all four corners are inside" is one comparison
// for each direction of edges, and positions and gaps of the corners are sums of three terms. What
// is inside by INWARDS is so far from the rim and from the corners there that no tolerance of
// overlay.c can see them: faces that face each other most directly lean by less than 55 degrees, so
// the corners of either, seen along the normal, have 60 degrees or more, and what is within
// touch_keep of all edge lines is within twice that of the face.

/// Distance from the rim, in touch_keep.
#define INWARDS 2
/// An edge seen along the normal is at least this share of its length (cosine of 55 degrees).
#define SEEN 0.57

/// Face of the box that gives the normal, in its own axes u, v, and the other face seen in them.
typedef struct nested {
    const gmc_solid *own, *other;
    gmc_vec3 n, u, v;      ///< outward normal and edge directions of the own face
    double hu, hv;         ///< its half edges [m]
    gmc_vec3 centre;       ///< of the own face, query frame [m]
    gmc_vec3 c, e1, e2, m; ///< the other: centre, half edges, outward unit normal; query frame
    int axis1, axis2;      ///< of its edges
} nested;

/// Four corners of one of the faces.
typedef struct corners {
    gmc_vec3 p, e1, e2;
    double gap, gap1, gap2; ///< of the centre, and what +e1, +e2 add [m]
    int vertex, bit1, bit2; ///< the corner -e1 -e2, and what +e1, +e2 add to its number
    bool is_of_a;
} corners;

static gmc_vec3 face_centre(const gmc_solid *box, int face, gmc_vec3 *normal)
{
    *normal = gmc_mat3_column(&box->X.R, face >> 1);
    if (face & 1) *normal = gmc_vec3_neg(*normal);
    return gmc_vec3_add_scaled(box->X.p, gmc_vec3_get(box->shape->half, face >> 1), *normal);
}

static void nested_of(const gmc_pair *pair, bool is_of_a, int face, int other, nested *k)
{
    static const int NEXT[3] = {1, 2, 0}, AFTER[3] = {2, 0, 1};
    k->own = is_of_a ? &pair->a : &pair->b;
    k->other = is_of_a ? &pair->b : &pair->a;
    int i = face >> 1, j = other >> 1;
    k->centre = face_centre(k->own, face, &k->n);
    k->u = gmc_mat3_column(&k->own->X.R, NEXT[i]);
    k->v = gmc_mat3_column(&k->own->X.R, AFTER[i]);
    k->hu = gmc_vec3_get(k->own->shape->half, NEXT[i]);
    k->hv = gmc_vec3_get(k->own->shape->half, AFTER[i]);
    k->axis1 = NEXT[j];
    k->axis2 = AFTER[j];
    k->c = face_centre(k->other, other, &k->m);
    k->e1 = gmc_vec3_scale(gmc_vec3_get(k->other->shape->half, k->axis1),
                           gmc_mat3_column(&k->other->X.R, k->axis1));
    k->e2 = gmc_vec3_scale(gmc_vec3_get(k->other->shape->half, k->axis2),
                           gmc_mat3_column(&k->other->X.R, k->axis2));
}

/// Vertex of a box at the negative ends of the edges of a face.
static int first_vertex(int face) { return face & 1 ? 0 : 1 << (face >> 1); }

/// Which of the two faces lies within the other? Its corners; false if neither does.
static bool inner_corners(const nested *k, int face, int other, double inwards, bool is_of_a,
                          corners *in)
{
    gmc_vec3 d = gmc_vec3_sub(k->c, k->centre);
    double x = gmc_vec3_dot(d, k->u), y = gmc_vec3_dot(d, k->v);
    double x1 = gmc_vec3_dot(k->e1, k->u), y1 = gmc_vec3_dot(k->e1, k->v),
           x2 = gmc_vec3_dot(k->e2, k->u), y2 = gmc_vec3_dot(k->e2, k->v);
    if (fabs(x) + fabs(x1) + fabs(x2) < k->hu - inwards &&
        fabs(y) + fabs(y1) + fabs(y2) < k->hv - inwards) {
        *in = (corners){k->c,
                        k->e1,
                        k->e2,
                        gmc_vec3_dot(d, k->n),
                        gmc_vec3_dot(k->e1, k->n),
                        gmc_vec3_dot(k->e2, k->n),
                        first_vertex(other),
                        1 << k->axis1,
                        1 << k->axis2,
                        !is_of_a};
        return true;
    }
    // the lines of the other's edges, times their lengths; seen along n these are no longer than
    // they are
    gmc_vec3 h = k->other->shape->half;
    double area = fabs(x1 * y2 - x2 * y1);
    if (!(fabs(x * y2 - y * x2) + k->hu * fabs(y2) + k->hv * fabs(x2) <
              area - inwards * gmc_vec3_get(h, k->axis2) &&
          fabs(x * y1 - y * x1) + k->hu * fabs(y1) + k->hv * fabs(x1) <
              area - inwards * gmc_vec3_get(h, k->axis1)))
        return false;
    double s = -1 / gmc_vec3_dot(k->m, k->n);
    int i = face >> 1, axis1 = i == 2 ? 0 : i + 1, axis2 = i == 0 ? 2 : i - 1;
    *in = (corners){k->centre,
                    gmc_vec3_scale(k->hu, k->u),
                    gmc_vec3_scale(k->hv, k->v),
                    -s * gmc_vec3_dot(k->m, d),
                    s * k->hu * gmc_vec3_dot(k->m, k->u),
                    s * k->hv * gmc_vec3_dot(k->m, k->v),
                    first_vertex(face),
                    1 << axis1,
                    1 << axis2,
                    is_of_a};
    return true;
}

bool gmc_sat_nested(const gmc_pair *pair, bool is_of_a, int face, int other, gmc_manifold *manifold)
{
    nested k;
    corners in;
    nested_of(pair, is_of_a, face, other, &k);
    if (!inner_corners(&k, face, other, INWARDS * GMC_PAIR_TOUCH_KEEP * pair->size, is_of_a, &in))
        return false;
    // corners nearer than that to each other would be one
    double merge = GMC_PAIR_MERGE * pair->size / (2 * SEEN);
    const gmc_vec3 h = (in.is_of_a ? &pair->a : &pair->b)->shape->half;
    if (!(h.x > merge && h.y > merge && h.z > merge)) return false;
    // half way from the corner to the other face: gaps are measured from the own face outwards
    double half = in.is_of_a == is_of_a ? 0.5 : -0.5;
    manifold->n = is_of_a ? k.n : gmc_vec3_neg(k.n);
    manifold->count = 0;
    for (int c = 0; c < 4; c++) {
        double s1 = c & 1 ? 1 : -1, s2 = c & 2 ? 1 : -1, gap = in.gap + s1 * in.gap1 + s2 * in.gap2;
        if (!(gap <= pair->margin)) continue;
        int vertex = in.vertex | (c & 1 ? in.bit1 : 0) | (c & 2 ? in.bit2 : 0);
        gmc_vec3 p = gmc_vec3_add_scaled(gmc_vec3_add_scaled(in.p, s1, in.e1), s2, in.e2);
        gmc_manifold_add(manifold, gmc_vec3_add_scaled(p, half * gap, k.n), gap,
                         in.is_of_a ? gmc_pair_feature(GMC_FEATURE_VERTEX_A, vertex, 0)
                                    : gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, vertex));
    }
    return true;
}

// ---- two boxes: separating axes ----------------------------------------------------------------

static void box_axes_of(const gmc_pair *pair, box_axes *k)
{
    const double *A = pair->a.X.R.m, *B = pair->b.X.R.m;
    gmc_vec3 t = gmc_vec3_sub(pair->b.X.p, pair->a.X.p);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k->C[i][j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
            k->D[i][j] = fabs(k->C[i][j]);
        }
        k->ta[i] = A[i] * t.x + A[3 + i] * t.y + A[6 + i] * t.z;
        k->tb[i] = B[i] * t.x + B[3 + i] * t.y + B[6 + i] * t.z;
        k->ha[i] = gmc_vec3_get(pair->a.shape->half, i);
        k->hb[i] = gmc_vec3_get(pair->b.shape->half, i);
    }
}

/// A face of the call before, at the poses of this one.
typedef struct box_face {
    bool is_of_a;
    int axis;          ///< 0, 1, 2
    double side;       ///< of the other centre along that axis, from the own [m]
    double separation; ///< [m]
} box_face;

static box_face face_before(const gmc_pair *pair, int code)
{
    box_face f = {.is_of_a = code < AXIS_FACE_B};
    f.axis = f.is_of_a ? code - AXIS_FACE_A : code - AXIS_FACE_B;
    const gmc_solid *own = f.is_of_a ? &pair->a : &pair->b,
                    *other = f.is_of_a ? &pair->b : &pair->a;
    gmc_vec3 n = gmc_mat3_column(&own->X.R, f.axis), h = other->shape->half;
    gmc_vec3 d = gmc_mat3_apply_transposed(&other->X.R, n);
    f.side = gmc_vec3_dot(n, gmc_vec3_sub(pair->b.X.p, pair->a.X.p));
    f.separation = fabs(f.side) - gmc_vec3_get(own->shape->half, f.axis) -
                   (fabs(d.x) * h.x + fabs(d.y) * h.y + fabs(d.z) * h.z);
    return f;
}

static inline double face_a_separation(const box_axes *k, int i)
{
    return fabs(k->ta[i]) - k->ha[i] -
           (k->D[i][0] * k->hb[0] + k->D[i][1] * k->hb[1] + k->D[i][2] * k->hb[2]);
}

static inline double face_b_separation(const box_axes *k, int j)
{
    return fabs(k->tb[j]) - k->hb[j] -
           (k->D[0][j] * k->ha[0] + k->D[1][j] * k->ha[1] + k->D[2][j] * k->ha[2]);
}

/// Of the axis a_i x b_j; -inf where the two are parallel.
static inline double edge_separation(const box_axes *k, int i, int j)
{
    static const int NEXT[3] = {1, 2, 0}, AFTER[3] = {2, 0, 1};
    int i1 = NEXT[i], i2 = AFTER[i], j1 = NEXT[j], j2 = AFTER[j];
    double length2 = 1 - k->C[i][j] * k->C[i][j];
    if (!(length2 > PARALLEL * PARALLEL)) return -INFINITY;
    double t = fabs(k->ta[i2] * k->C[i1][j] - k->ta[i1] * k->C[i2][j]);
    double ra = k->ha[i1] * k->D[i2][j] + k->ha[i2] * k->D[i1][j];
    double rb = k->hb[j1] * k->D[i][j2] + k->hb[j2] * k->D[i][j1];
    return (t - ra - rb) / sqrt(length2);
}

static double axis_separation(const box_axes *k, int axis)
{
    if (axis >= AXIS_EDGES)
        return edge_separation(k, (axis - AXIS_EDGES) / 3, (axis - AXIS_EDGES) % 3);
    if (axis >= AXIS_FACE_B) return face_b_separation(k, axis - AXIS_FACE_B);
    return face_a_separation(k, axis - AXIS_FACE_A);
}

/// Choose the reference axis; 0 if some axis separates by more than the margin. `best`: largest
/// separation.
static int choose_axis(const gmc_pair *pair, const box_axes *k, double *best)
{
    int before = pair->cache->axis;
    pair->counts->support_calls++;
    if (before && axis_separation(k, before) > pair->margin) {
        pair->counts->cache_hits++;
        return 0;
    }
    double s[AXIS_COUNT];
    int of_a = AXIS_FACE_A, of_b = AXIS_FACE_B, edge = AXIS_EDGES;
    for (int i = 0; i < 3; i++) {
        s[AXIS_FACE_A + i] = face_a_separation(k, i);
        s[AXIS_FACE_B + i] = face_b_separation(k, i);
        if (s[AXIS_FACE_A + i] > s[of_a]) of_a = AXIS_FACE_A + i;
        if (s[AXIS_FACE_B + i] > s[of_b]) of_b = AXIS_FACE_B + i;
    }
    double best_face = gmc_pair_max(s[of_a], s[of_b]);
    if (best_face > pair->margin) {
        pair->cache->axis = s[of_a] > s[of_b] ? of_a : of_b;
        return 0;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int axis = AXIS_EDGES + 3 * i + j;
            s[axis] = edge_separation(k, i, j);
            if (s[axis] > s[edge]) edge = axis;
        }
    *best = gmc_pair_max(best_face, s[edge]);
    if (*best > pair->margin) {
        pair->cache->axis = edge;
        return 0;
    }

    double keep = GMC_PAIR_AXIS_KEEP * pair->size, edge_margin = GMC_PAIR_EDGE_MARGIN * pair->size;
    if (before >= AXIS_EDGES) edge_margin *= 0.5;
    if (s[edge] > best_face + edge_margin)
        return before >= AXIS_EDGES && s[before] >= s[edge] - keep ? before : edge;
    if (before && before < AXIS_EDGES && s[before] >= best_face - keep) return before;
    return s[of_a] >= best_face - keep ? of_a : of_b;
}

/// Unit, from a to b.
static gmc_vec3 axis_direction(const gmc_pair *pair, int axis)
{
    const gmc_mat3 *A = &pair->a.X.R, *B = &pair->b.X.R;
    gmc_vec3 n = axis >= AXIS_EDGES
                     ? gmc_vec3_unit(gmc_vec3_cross(gmc_mat3_column(A, (axis - AXIS_EDGES) / 3),
                                                    gmc_mat3_column(B, (axis - AXIS_EDGES) % 3)))
                 : axis >= AXIS_FACE_B ? gmc_mat3_column(B, axis - AXIS_FACE_B)
                                       : gmc_mat3_column(A, axis - AXIS_FACE_A);
    gmc_vec3 t = gmc_vec3_sub(pair->b.X.p, pair->a.X.p);
    return gmc_vec3_dot(n, t) < 0 ? gmc_vec3_neg(n) : n;
}

/// The face of a box whose outward normal is nearest to `dir`; face numbers of shape.h.
static int box_face_towards(const gmc_solid *box, gmc_vec3 dir)
{
    gmc_vec3 d = gmc_mat3_apply_transposed(&box->X.R, dir);
    int axis = fabs(d.y) > fabs(d.x) ? 1 : 0;
    if (fabs(d.z) > fabs(gmc_vec3_get(d, axis))) axis = 2;
    return 2 * axis + (gmc_vec3_get(d, axis) < 0);
}

/// Face of axis i of a or of b against what faces it; `side` as above.
static void box_faces_meet(gmc_pair *pair, bool is_of_a, int i, double side, gmc_manifold *manifold)
{
    const gmc_solid *solid = is_of_a ? &pair->a : &pair->b;
    int is_negative = side < 0;
    gmc_vec3 u = gmc_mat3_column(&solid->X.R, (i + 1) % 3),
             v = gmc_mat3_column(&solid->X.R, (i + 2) % 3), n = gmc_mat3_column(&solid->X.R, i);
    gmc_pair_axes axes =
        is_negative ? (gmc_pair_axes){gmc_vec3_neg(n), v, u} : (gmc_pair_axes){n, u, v};
    int face_a = is_of_a ? 2 * i + is_negative : box_face_towards(&pair->a, axes.n);
    int face_b = is_of_a ? box_face_towards(&pair->b, gmc_vec3_neg(axes.n)) : 2 * i + !is_negative;
    if (gmc_sat_nested(pair, is_of_a, is_of_a ? face_a : face_b, is_of_a ? face_b : face_a,
                       manifold))
        return;
    gmc_overlay_faces(pair, &axes, face_a, face_b, manifold);
}

/// The edges of direction a_i and b_j that face each other: nearest points of their lines.
static void box_edges_meet(gmc_pair *pair, const box_axes *k, int i, int j, gmc_manifold *manifold)
{
    gmc_vec3 a = gmc_mat3_column(&pair->a.X.R, i), b = gmc_mat3_column(&pair->b.X.R, j);
    gmc_vec3 n = gmc_vec3_unit(gmc_vec3_cross(a, b));
    gmc_vec3 t = gmc_vec3_sub(pair->b.X.p, pair->a.X.p);
    if (gmc_vec3_dot(n, t) < 0) n = gmc_vec3_neg(n);

    gmc_vec3 p = pair->a.X.p, q = pair->b.X.p;
    int low_a = 0, low_b = 0;
    for (int m = 0; m < 3; m++) {
        gmc_vec3 axis = gmc_mat3_column(&pair->a.X.R, m);
        if (m != i && gmc_vec3_dot(axis, n) > 0) low_a |= 1 << m;
        if (m != i) p = gmc_vec3_add_scaled(p, low_a & 1 << m ? k->ha[m] : -k->ha[m], axis);
        axis = gmc_mat3_column(&pair->b.X.R, m);
        if (m != j && gmc_vec3_dot(axis, n) < 0) low_b |= 1 << m;
        if (m != j) q = gmc_vec3_add_scaled(q, low_b & 1 << m ? k->hb[m] : -k->hb[m], axis);
    }
    // p + x a and q + y b are nearest to each other where their difference is perpendicular to both
    gmc_vec3 d = gmc_vec3_sub(q, p);
    double c = k->C[i][j], da = gmc_vec3_dot(d, a), db = gmc_vec3_dot(d, b), s = 1 / (1 - c * c);
    double x = s * (da - c * db), y = s * (c * da - db), slack = GMC_PAIR_TOUCH_NEW * pair->size;
    manifold->count = 0;
    // beyond an end it is no crossing
    if (fabs(x) > k->ha[i] + slack || fabs(y) > k->hb[j] + slack) return;
    p = gmc_vec3_add_scaled(p, x, a);
    q = gmc_vec3_add_scaled(q, y, b);
    gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(p, q));
    double gap = gmc_vec3_dot(n, gmc_vec3_sub(q, p));
    uint64_t feature = gmc_pair_feature(GMC_FEATURE_CROSSING, 8 * i + low_a, 8 * j + low_b);
    gmc_manifold_single(n, middle, gap, feature, manifold);
    if (gap <= pair->margin) gmc_overlay_beside_crossing(pair, manifold);
}

/// Does the face of the call before still part them, or meet the other box as near as it says in a
/// shallow overlap? As for any two.
static bool holds_as_before(gmc_pair *pair, gmc_manifold *manifold)
{
    int code = pair->cache->axis;
    if (code == 0 || code >= AXIS_EDGES) return false;
    box_face face = face_before(pair, code);
    if (face.separation > pair->margin) {
        gmc_pair_part(pair, axis_direction(pair, code));
    } else {
        if (face.separation < -SHALLOW * pair->size) return false;
        box_faces_meet(pair, face.is_of_a, face.axis, face.side, manifold);
        if (!(gmc_manifold_nearest(manifold) <= face.separation + GMC_PAIR_AXIS_KEEP * pair->size))
            return false;
    }
    pair->counts->support_calls++;
    pair->counts->cache_hits++;
    return true;
}

void gmc_sat_boxes(gmc_pair *pair, gmc_manifold *manifold)
{
    box_axes k;
    double best = -INFINITY;
    manifold->count = 0;
    if (holds_as_before(pair, manifold)) return;
    manifold->count = 0;
    box_axes_of(pair, &k);
    int axis = choose_axis(pair, &k, &best);
    if (axis == 0) {
        gmc_pair_part(pair, axis_direction(pair, pair->cache->axis));
        return;
    }
    pair->cache->axis = axis;

    if (axis >= AXIS_EDGES)
        box_edges_meet(pair, &k, (axis - AXIS_EDGES) / 3, (axis - AXIS_EDGES) % 3, manifold);
    else if (axis >= AXIS_FACE_B)
        box_faces_meet(pair, false, axis - AXIS_FACE_B, k.tb[axis - AXIS_FACE_B], manifold);
    else
        box_faces_meet(pair, true, axis - AXIS_FACE_A, k.ta[axis - AXIS_FACE_A], manifold);
    // corner to corner or corner to edge: no axis of the fifteen measures their distance
    if (!(gmc_manifold_nearest(manifold) <= best + GMC_PAIR_REALISED * pair->size))
        gmc_convex_nearest(pair, manifold);
}

// ---- which of them -----------------------------------------------------------------------------

bool gmc_sat_meet(gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_shape_type a = pair->a.shape->type, b = pair->b.shape->type;
    if (a == GMC_SHAPE_BOX && b == GMC_SHAPE_BOX)
        gmc_sat_boxes(pair, manifold);
    else if (gmc_sat_has(&pair->a, &pair->b))
        gmc_sat_find(pair, manifold);
    else
        return false;
    return true;
}
