// Both faces are centre +- edge +- edge, so that "all four corners are inside" is one comparison
// for each direction of edges, and positions and gaps of the corners are sums of three terms. What
// is inside by INWARDS is so far from the rim and from the corners there that no tolerance of
// overlay.c can see them: faces that face each other most directly lean by less than 55 degrees, so
// the corners of either, seen along the normal, have 60 degrees or more, and what is within
// touch_keep of all edge lines is within twice that of the face.
#include "engine/collision/nested.h"

#include "engine/collision/manifold.h"

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

bool gmc_nested_find(const gmc_pair *pair, bool is_of_a, int face, int other,
                     gmc_manifold *manifold)
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
