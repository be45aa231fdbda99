// The fifteen axes of [gottschalk1996] with C = R_aᵀ R_b; all separations are true lengths (edge
// axes are normalised), because they are compared with each other and with the margin. The axis of
// the call before is tried first: to reject pairs that are apart, and, a face, to be taken again
// while the overlap is shallow and its nearest point is as near as it says. Else all axes are
// looked at.
#include "engine/collision/box.h"

#include "engine/collision/convex.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"

/// Edges nearer to parallel than this (sine) give no axis of their own: the faces beside them do.
#define PARALLEL 1e-4

/// As in sat.c.
#define SHALLOW 1e-3

/// Numbering of axes in gmc_pair_cache.axis: 1 + i face i of a, 4 + j face j of b, 7 + 3 i + j
/// edges.
enum { AXIS_FACE_A = 1, AXIS_FACE_B = 4, AXIS_EDGES = 7, AXIS_COUNT = 16 };

typedef struct box_axes {
    double C[3][3], D[3][3]; ///< C = R_aᵀ R_b and |C|
    double ha[3], hb[3];
    double ta[3], tb[3]; ///< centre of b from centre of a, along the axes of a and of b
} box_axes;

// ---- a face well within another ---------------------------------------------------------------
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

bool gmc_box_nested(const gmc_pair *pair, bool is_of_a, int face, int other, gmc_manifold *manifold)
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

// ---- separating axes --------------------------------------------------------------------------

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
static int face_towards(const gmc_solid *box, gmc_vec3 dir)
{
    gmc_vec3 d = gmc_mat3_apply_transposed(&box->X.R, dir);
    int axis = fabs(d.y) > fabs(d.x) ? 1 : 0;
    if (fabs(d.z) > fabs(gmc_vec3_get(d, axis))) axis = 2;
    return 2 * axis + (gmc_vec3_get(d, axis) < 0);
}

/// Face of axis i of a or of b against what faces it; `side` as above.
static void faces_meet(gmc_pair *pair, bool is_of_a, int i, double side, gmc_manifold *manifold)
{
    const gmc_solid *solid = is_of_a ? &pair->a : &pair->b;
    int is_negative = side < 0;
    gmc_vec3 u = gmc_mat3_column(&solid->X.R, (i + 1) % 3),
             v = gmc_mat3_column(&solid->X.R, (i + 2) % 3), n = gmc_mat3_column(&solid->X.R, i);
    gmc_pair_axes axes =
        is_negative ? (gmc_pair_axes){gmc_vec3_neg(n), v, u} : (gmc_pair_axes){n, u, v};
    int face_a = is_of_a ? 2 * i + is_negative : face_towards(&pair->a, axes.n);
    int face_b = is_of_a ? face_towards(&pair->b, gmc_vec3_neg(axes.n)) : 2 * i + !is_negative;
    if (gmc_box_nested(pair, is_of_a, is_of_a ? face_a : face_b, is_of_a ? face_b : face_a,
                       manifold))
        return;
    gmc_pair_work *work = pair->work;
    work->candidate_count = 0;
    gmc_overlay_face(&pair->a, face_a, &axes, &work->polygon_a);
    gmc_overlay_face(&pair->b, face_b, &axes, &work->polygon_b);
    gmc_overlay_polygons(pair, &work->polygon_a, &work->polygon_b);
    gmc_manifold_reduce(pair, &axes, manifold);
}

/// The edges of direction a_i and b_j that face each other: nearest points of their lines.
static void edges_meet(gmc_pair *pair, const box_axes *k, int i, int j, gmc_manifold *manifold)
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

static double nearest_gap(const gmc_manifold *manifold)
{
    double nearest = INFINITY;
    for (int i = 0; i < manifold->count; i++)
        nearest = gmc_pair_min(nearest, manifold->points[i].gap);
    return nearest;
}

/// Does the face of the call before still part them, or meet the other box as near as it says in a
/// shallow overlap? As in sat.c.
static bool holds_as_before(gmc_pair *pair, gmc_manifold *manifold)
{
    int code = pair->cache->axis;
    if (code == 0 || code >= AXIS_EDGES) return false;
    box_face face = face_before(pair, code);
    if (face.separation > pair->margin) {
        gmc_pair_part(pair, axis_direction(pair, code));
    } else {
        if (face.separation < -SHALLOW * pair->size) return false;
        faces_meet(pair, face.is_of_a, face.axis, face.side, manifold);
        if (!(nearest_gap(manifold) <= face.separation + GMC_PAIR_AXIS_KEEP * pair->size))
            return false;
    }
    pair->counts->support_calls++;
    pair->counts->cache_hits++;
    return true;
}

void gmc_box_box(gmc_pair *pair, gmc_manifold *manifold)
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
        edges_meet(pair, &k, (axis - AXIS_EDGES) / 3, (axis - AXIS_EDGES) % 3, manifold);
    else if (axis >= AXIS_FACE_B)
        faces_meet(pair, false, axis - AXIS_FACE_B, k.tb[axis - AXIS_FACE_B], manifold);
    else
        faces_meet(pair, true, axis - AXIS_FACE_A, k.ta[axis - AXIS_FACE_A], manifold);
    // corner to corner or corner to edge: no axis of the fifteen measures their distance
    if (!(nearest_gap(manifold) <= best + GMC_PAIR_REALISED * pair->size))
        gmc_convex_nearest(pair, manifold);
}
