// Every corner of the common polygon is a vertex of P inside Q, a vertex of Q inside P, or a
// crossing of two edges. All three are looked for directly: edge by edge of P against the edge
// lines of Q ([cyrus1978] clipping), then vertices of Q against the edge lines of P. Cost: 2 |P|
// |Q| distances. Rejected: Sutherland-Hodgman clipping of one face by the other, which gives the
// same points but makes their names depend on which face clips which, and on the order of clipping
// where edges coincide.
//
// Where edges or corners coincide to rounding (a cube on a cube), more candidates than corners
// appear: a vertex a little outside still counts, so that noise cannot remove it; manifold.c merges
// what coincides.
#include "engine/collision/overlay.h"

#include "engine/base/check.h"
#include "engine/collision/cylinder.h"
#include "engine/collision/manifold.h"

/// A face seen at a flatter angle than this (cosine) has no usable height as a function of (x, y).
#define STEEP 1e-3
/// A face is level where its normal is this near (cosine) to that of the contact: an edge that lies
/// on it and rocks turns by less within a step (0.1 rad; 50 rad/s at 2 ms).
#define LEVEL 0.995

/// A face of a box: its centre and two edges seen along the contact axes, one coordinate at a time.
static void place_box_face(const gmc_solid *box, int face, const gmc_pair_axes *axes, bool is_back,
                           const int *loop, gmc_polygon *polygon)
{
    const gmc_vec3 seen[3] = {axes->t1, axes->t2, axes->n};
    double *const out[3] = {polygon->x, polygon->y, polygon->z};
    gmc_vec3 h = box->shape->half;
    int vertices[4];
    for (int i = 0; i < 4; i++)
        polygon->id[i] = vertices[i] = loop[is_back ? 3 - i : i];
    int i0 = face >> 1, bit1 = 1 << (i0 == 0), bit2 = i0 == 2 ? 2 : 4;
    for (int k = 0; k < 3; k++) {
        gmc_vec3 d = gmc_mat3_apply_transposed(&box->X.R, seen[k]);
        double along[3] = {h.x * d.x, h.y * d.y, h.z * d.z};
        double middle = gmc_vec3_dot(box->X.p, seen[k]) + (face & 1 ? -along[i0] : along[i0]);
        double e1 = along[bit1 >> 1], e2 = along[bit2 >> 1];
        for (int i = 0; i < 4; i++)
            out[k][i] = middle + (vertices[i] & bit1 ? e1 : -e1) + (vertices[i] & bit2 ? e2 : -e2);
    }
}

void gmc_overlay_face(const gmc_solid *solid, int face, const gmc_pair_axes *axes,
                      gmc_polygon *polygon)
{
    int count;
    const int *loop = gmc_shape_face_loop(solid, face, &count);
    const gmc_shape *shape = solid->shape;
    gmc_vec3 normal = gmc_shape_face_normal(solid, face), p = solid->X.p;
    double along = gmc_vec3_dot(normal, axes->n);
    polygon->count = count;
    if (shape->type == GMC_SHAPE_BOX) {
        place_box_face(solid, face, axes, !(along > 0), loop, polygon);
    } else {
        // the contact axes seen from the solid: half the work of placing its vertices in the query
        // frame
        double scale = shape->scale;
        gmc_vec3 t1 = gmc_vec3_scale(scale, gmc_mat3_apply_transposed(&solid->X.R, axes->t1)),
                 t2 = gmc_vec3_scale(scale, gmc_mat3_apply_transposed(&solid->X.R, axes->t2)),
                 n = gmc_vec3_scale(scale, gmc_mat3_apply_transposed(&solid->X.R, axes->n));
        double x0 = gmc_vec3_dot(p, axes->t1), y0 = gmc_vec3_dot(p, axes->t2),
               z0 = gmc_vec3_dot(p, axes->n);
        for (int i = 0; i < count; i++) {
            int vertex = loop[along > 0 ? i : count - 1 - i];
            gmc_vec3 v = shape->polytope->vertices[vertex];
            polygon->x[i] = x0 + gmc_vec3_dot(v, t1);
            polygon->y[i] = y0 + gmc_vec3_dot(v, t2);
            polygon->z[i] = z0 + gmc_vec3_dot(v, n);
            polygon->id[i] = vertex;
        }
    }
    polygon->is_steep = !(fabs(along) > STEEP);
    if (polygon->is_steep) return;
    double s = -1 / along;
    polygon->zx = s * gmc_vec3_dot(normal, axes->t1);
    polygon->zy = s * gmc_vec3_dot(normal, axes->t2);
    polygon->z0 = polygon->z[0] - polygon->zx * polygon->x[0] - polygon->zy * polygon->y[0];
}
/// One query with its roles: P belongs to solid a unless `is_swapped`.
typedef struct overlay {
    const gmc_pair *pair;
    const gmc_polygon *P, *Q;
    int is_swapped;
    double touch_new, touch_keep; ///< [m]
} overlay;

static void emit(const overlay *o, double x, double y, double z_p, double z_q, uint64_t feature)
{
    if (o->is_swapped)
        gmc_overlay_candidate(o->pair, x, y, z_q, z_p, feature);
    else
        gmc_overlay_candidate(o->pair, x, y, z_p, z_q, feature);
}

/// Identity of the edge of a solid between vertices i and i + 1 of its polygon.
static int edge_id(const gmc_solid *solid, const gmc_polygon *polygon, int i)
{
    if (polygon->count < 3) return polygon->id[0]; // a segment is its own only edge
    int j = i + 1 < polygon->count ? i + 1 : 0;
    return gmc_shape_edge_id(solid, polygon->id[i], polygon->id[j]);
}

static uint64_t vertex_feature(const overlay *o, const gmc_polygon *own, int i)
{
    int is_of_a = (own == o->P) != o->is_swapped;
    return is_of_a ? gmc_pair_feature(GMC_FEATURE_VERTEX_A, own->id[i], 0)
                   : gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, own->id[i]);
}

/// The one of two corners of Q that a line leaves it through, if it does so at a corner: a line
/// along an edge, which noise lets end on either of the edges beside it. -1 if neither.
static int corner_at(const overlay *o, double x, double y, int j, int j1)
{
    const int corners[2] = {j, j1};
    for (int k = 0; k < 2; k++) {
        int i = corners[k];
        double dx = x - o->Q->x[i], dy = y - o->Q->y[i];
        if (dx * dx + dy * dy > o->touch_keep * o->touch_keep) continue;
        // what clip_edge lets pass along an edge line is touch_new, at a corner sqrt 2 times that
        double near = gmc_pair_was_kept(o->pair->cache, vertex_feature(o, o->Q, i))
                          ? o->touch_keep
                          : 2 * o->touch_new;
        if (dx * dx + dy * dy <= near * near) return i;
    }
    return -1;
}

/// Edge i of P meets the boundary of Q at parameter t, on edge j of Q.
static void emit_crossing(const overlay *o, int i, double t, int j)
{
    const gmc_polygon *P = o->P, *Q = o->Q;
    int i1 = i + 1 < P->count ? i + 1 : 0, j1 = j + 1 < Q->count ? j + 1 : 0;
    double x = P->x[i] + t * (P->x[i1] - P->x[i]), y = P->y[i] + t * (P->y[i1] - P->y[i]);
    double ex = Q->x[j1] - Q->x[j], ey = Q->y[j1] - Q->y[j];
    double u = ((x - Q->x[j]) * ex + (y - Q->y[j]) * ey) / (ex * ex + ey * ey);
    double z_p = P->z[i] + t * (P->z[i1] - P->z[i]), z_q = Q->z[j] + u * (Q->z[j1] - Q->z[j]);
    int corner = P->count == 2 ? corner_at(o, x, y, j, j1) : -1;
    if (corner >= 0) {
        emit(o, Q->x[corner], Q->y[corner], z_p, Q->z[corner], vertex_feature(o, Q, corner));
        return;
    }
    const gmc_solid *of_p = o->is_swapped ? &o->pair->b : &o->pair->a;
    const gmc_solid *of_q = o->is_swapped ? &o->pair->a : &o->pair->b;
    int id_p = edge_id(of_p, P, i), id_q = edge_id(of_q, Q, j);
    emit(o, x, y, z_p, z_q,
         o->is_swapped ? gmc_pair_feature(GMC_FEATURE_CROSSING, id_q, id_p)
                       : gmc_pair_feature(GMC_FEATURE_CROSSING, id_p, id_q));
}

/// How far a vertex is outside of a polygon.
enum {
    INSIDE,  ///< or outside by no more than touch_new
    BESIDE,  ///< by no more than touch_keep
    OUTSIDE, ///< by more
};

static int level_of(const overlay *o, double outside)
{
    return outside <= o->touch_new ? INSIDE : outside <= o->touch_keep ? BESIDE : OUTSIDE;
}

/// A vertex of P or Q that lies over the other polygon, whose plane gives the height.
static void emit_vertex(const overlay *o, const gmc_polygon *own, int i, const gmc_polygon *other,
                        int level)
{
    if (level == OUTSIDE || other->is_steep) return;
    int is_of_p = own == o->P;
    uint64_t feature = vertex_feature(o, own, i);
    if (level == BESIDE && !gmc_pair_was_kept(o->pair->cache, feature)) return;
    double x = own->x[i], y = own->y[i], z = other->z0 + other->zx * x + other->zy * y;
    if (is_of_p)
        emit(o, x, y, own->z[i], z, feature);
    else
        emit(o, x, y, z, own->z[i], feature);
}

/// Edge j of a polygon as (ex, ey) from its corner j.
typedef struct edge {
    double x, y, ex, ey;
} edge;

static inline edge edge_of(const gmc_polygon *p, int j)
{
    int j1 = j + 1 < p->count ? j + 1 : 0;
    return (edge){p->x[j], p->y[j], p->x[j1] - p->x[j], p->y[j1] - p->y[j]};
}

/// How far (x, y) is outside of an edge's line, times the edge's length.
static inline double beyond(const edge *e, double x, double y)
{
    return (x - e->x) * e->ey - (y - e->y) * e->ex;
}

/// Where is (x, y)? Without roots, and without the lines behind the first that it is outside of.
static int level_at(const overlay *o, const gmc_polygon *polygon, double x, double y)
{
    int level = INSIDE;
    for (int j = 0; j < polygon->count; j++) {
        edge e = edge_of(polygon, j);
        double d = beyond(&e, x, y);
        if (!(d > 0)) continue;
        double length2 = e.ex * e.ex + e.ey * e.ey;
        if (d * d > o->touch_keep * o->touch_keep * length2) return OUTSIDE;
        if (d * d > o->touch_new * o->touch_new * length2) level = BESIDE;
    }
    return level;
}

/// Is no vertex of `inner` outside of `outer`?
static bool holds(const gmc_polygon *outer, const gmc_polygon *inner)
{
    for (int j = 0; j < outer->count; j++) {
        edge e = edge_of(outer, j);
        for (int i = 0; i < inner->count; i++)
            if (beyond(&e, inner->x[i], inner->y[i]) > 0) return false;
    }
    return true;
}

/// Does each edge of P lie beyond some edge of Q, so that it cannot cross Q?
static bool edges_pass_by(const overlay *o)
{
    double limit2 = o->touch_new * o->touch_new;
    for (int i = 0; i < o->P->count; i++) {
        edge of_p = edge_of(o->P, i);
        bool passes = false;
        for (int j = 0; j < o->Q->count && !passes; j++) {
            edge e = edge_of(o->Q, j);
            double a = beyond(&e, of_p.x, of_p.y),
                   b = beyond(&e, of_p.x + of_p.ex, of_p.y + of_p.ey);
            double least = gmc_pair_min(a, b);
            passes = least > 0 && least * least > limit2 * (e.ex * e.ex + e.ey * e.ey);
        }
        if (!passes) return false;
    }
    return true;
}

/// Lines n·x = c of the edges of a counter-clockwise polygon, n outwards.
static void edge_lines(const gmc_polygon *polygon, double *lines)
{
    for (int j = 0; j < polygon->count; j++) {
        int j1 = j + 1 < polygon->count ? j + 1 : 0;
        double ex = polygon->x[j1] - polygon->x[j], ey = polygon->y[j1] - polygon->y[j];
        double length = sqrt(ex * ex + ey * ey);
        double s = length > 0 ? 1 / length : 0;
        lines[3 * j] = s * ey;
        lines[3 * j + 1] = -s * ex;
        lines[3 * j + 2] = s * (ey * polygon->x[j] - ex * polygon->y[j]);
    }
}

/// Distances of (x, y) from all lines; the largest is returned.
static inline double line_distances(const double *lines, int count, double x, double y, double *row)
{
    double largest = -INFINITY;
    for (int j = 0; j < count; j++) {
        row[j] = lines[3 * j] * x + lines[3 * j + 1] * y - lines[3 * j + 2];
        largest = row[j] > largest ? row[j] : largest;
    }
    return largest;
}

/// Clip one edge of P, given its ends' distances from the lines of Q, and emit where it enters and
/// leaves.
static void clip_edge(const overlay *o, int i, const double *from, const double *to)
{
    double enter = 0, leave = 1;
    int enter_edge = -1, leave_edge = -1;
    for (int j = 0; j < o->Q->count; j++) {
        double a = from[j], b = to[j], level = 0;
        if (a <= 0 && b <= 0) continue;
        // along the line within the tolerance is inside: where noise would let it cross means
        // nothing
        if (fabs(a) <= o->touch_new && fabs(b) <= o->touch_new) continue;
        if (a >= 0 && b >= 0) {
            level = o->touch_new;
            if (a > level && b > level) return;
        }
        double t = (a - level) / (a - b);
        if (a > b) {
            if (t > enter) enter = t, enter_edge = j;
        } else if (t < leave) {
            leave = t, leave_edge = j;
        }
    }
    if (!(enter < leave)) return;
    if (enter_edge >= 0) emit_crossing(o, i, enter, enter_edge);
    if (leave_edge >= 0) emit_crossing(o, i, leave, leave_edge);
}

/// One polygon holds the other, as a pad on a larger face: nothing crosses.
static bool overlay_nested(const overlay *o)
{
    const gmc_polygon *P = o->P, *Q = o->Q;
    bool p_is_in = holds(Q, P);
    if (!p_is_in && !(P->count >= 3 && holds(P, Q) && edges_pass_by(o))) return false;
    for (int i = 0; i < P->count; i++)
        emit_vertex(o, P, i, Q, p_is_in ? INSIDE : level_at(o, Q, P->x[i], P->y[i]));
    for (int j = 0; j < Q->count && P->count >= 3; j++)
        emit_vertex(o, Q, j, P, p_is_in ? level_at(o, P, Q->x[j], Q->y[j]) : INSIDE);
    return true;
}

/// P a point, segment or polygon; Q a polygon.
static void overlay_on_polygon(const overlay *o)
{
    const gmc_polygon *P = o->P, *Q = o->Q;
    gmc_pair_work *work = o->pair->work;
    double *row = work->row_first, *next = work->row, *spare = work->row_next;
    edge_lines(Q, work->lines);
    double outside = line_distances(work->lines, Q->count, P->x[0], P->y[0], row);
    emit_vertex(o, P, 0, Q, level_of(o, outside));
    for (int i = 0; i + 1 < P->count; i++) {
        outside = line_distances(work->lines, Q->count, P->x[i + 1], P->y[i + 1], next);
        emit_vertex(o, P, i + 1, Q, level_of(o, outside));
        clip_edge(o, i, row, next);
        double *free = row == work->row_first ? spare : row;
        row = next;
        next = free;
    }
    if (P->count < 3) return;
    clip_edge(o, P->count - 1, row, work->row_first);
    for (int j = 0; j < Q->count; j++)
        emit_vertex(o, Q, j, P, level_at(o, P, Q->x[j], Q->y[j]));
}

void gmc_overlay_polygons(const gmc_pair *pair, const gmc_polygon *P, const gmc_polygon *Q)
{
    GMC_ASSERT(P->count >= 3 || Q->count >= 3);
    overlay o = {pair, P, Q, 0, GMC_PAIR_TOUCH_NEW * pair->size, GMC_PAIR_TOUCH_KEEP * pair->size};
    if (Q->count < 3) o = (overlay){pair, Q, P, 1, o.touch_new, o.touch_keep};
    if (!overlay_nested(&o)) overlay_on_polygon(&o);
}

/// A corner beside the line of a round solid is as near to it as one under the line, to second
/// order: up to this many radii aside, if it was kept before and if not.
#define ASIDE_KEEP 4e-3
#define ASIDE_NEW  2e-3

static bool is_candidate(const gmc_pair_work *work, uint64_t feature)
{
    for (int c = 0; c < work->candidate_count; c++)
        if (work->candidates[c].feature == feature) return true;
    return false;
}

/// Candidates nearer than `near` to (x, y), and no lower: where the line leaves the face.
static void leave_out(gmc_pair_work *work, double x, double y, double near, double gap)
{
    int count = 0;
    for (int c = 0; c < work->candidate_count; c++) {
        const gmc_candidate *p = &work->candidates[c];
        double dx = p->x - x, dy = p->y - y;
        if (dx * dx + dy * dy > near * near || p->gap < gap) work->candidates[count++] = *p;
    }
    work->candidate_count = count;
}

/// The corner i of o's Q, if it is beside the line P and was not found under it.
static void emit_beside(const overlay *o, int i, double radius)
{
    const gmc_polygon *P = o->P, *Q = o->Q;
    edge line = edge_of(P, 0);
    double length2 = line.ex * line.ex + line.ey * line.ey;
    double dx = Q->x[i] - line.x, dy = Q->y[i] - line.y, along = dx * line.ex + dy * line.ey;
    if (!(along >= 0 && along <= length2 && length2 > 0)) return;
    double off = beyond(&line, Q->x[i], Q->y[i]), aside2 = off * off / length2;
    uint64_t feature = vertex_feature(o, Q, i);
    double most = radius * (gmc_pair_was_kept(o->pair->cache, feature) ? ASIDE_KEEP : ASIDE_NEW);
    if (aside2 > most * most || is_candidate(o->pair->work, feature)) return;
    // the solid falls away from its line
    double drop = 0.5 * aside2 / radius, z = P->z[0] + along / length2 * (P->z[1] - P->z[0]);
    z = o->is_swapped ? z + drop : z - drop;
    leave_out(o->pair->work, Q->x[i], Q->y[i], most, o->is_swapped ? z - Q->z[i] : Q->z[i] - z);
    emit(o, Q->x[i], Q->y[i], z, Q->z[i], feature);
}

void gmc_overlay_beside_line(const gmc_pair *pair)
{
    const gmc_polygon *a = &pair->work->polygon_a, *b = &pair->work->polygon_b;
    overlay o = {.pair = pair, .P = a, .Q = b};
    if (a->count != 2) o = (overlay){.pair = pair, .P = b, .Q = a, .is_swapped = 1};
    if (o.P->count != 2 || o.Q->count < 3) return;
    double radius = (o.is_swapped ? &pair->b : &pair->a)->shape->radius;
    for (int i = 0; i < o.Q->count; i++)
        emit_beside(&o, i, radius);
}

double gmc_overlay_outside(const gmc_polygon *polygon, double x, double y)
{
    double outside = -INFINITY;
    for (int j = 0; j < polygon->count; j++) {
        int j1 = j + 1 < polygon->count ? j + 1 : 0;
        double ex = polygon->x[j1] - polygon->x[j], ey = polygon->y[j1] - polygon->y[j];
        double length = sqrt(ex * ex + ey * ey);
        if (!(length > 0)) continue;
        outside =
            gmc_pair_max(outside, ((x - polygon->x[j]) * ey - (y - polygon->y[j]) * ex) / length);
    }
    return outside;
}

void gmc_overlay_faces(const gmc_pair *pair, const gmc_pair_axes *axes, int face_a, int face_b,
                       gmc_manifold *manifold)
{
    gmc_pair_work *work = pair->work;
    work->candidate_count = 0;
    gmc_overlay_face(&pair->a, face_a, axes, &work->polygon_a);
    gmc_overlay_face(&pair->b, face_b, axes, &work->polygon_b);
    gmc_overlay_polygons(pair, &work->polygon_a, &work->polygon_b);
    gmc_manifold_reduce(pair, axes, manifold);
}

/// The faces that overlap along n give the crossing's neighbours. An edge that lies along a face
/// and reaches beyond it on both sides crosses one of the face's edges where it is lowest; as it
/// rocks, that is the one and the other in turn, and with a single point it would fall through the
/// level position in each step and be thrown back in the next.
void gmc_overlay_beside_crossing(const gmc_pair *pair, gmc_manifold *manifold)
{
    gmc_vec3 n = manifold->n, back = gmc_vec3_neg(n);
    int face_a = gmc_shape_face_towards(&pair->a, gmc_shape_support_vertex(&pair->a, n, 0), n);
    int face_b =
        gmc_shape_face_towards(&pair->b, gmc_shape_support_vertex(&pair->b, back, 0), back);
    if (gmc_vec3_dot(gmc_shape_face_normal(&pair->a, face_a), n) < LEVEL &&
        gmc_vec3_dot(gmc_shape_face_normal(&pair->b, face_b), back) < LEVEL)
        return;
    gmc_pair_axes axes = gmc_pair_axes_of(n);
    gmc_pair_work *work = pair->work;
    uint64_t crossing = manifold->points[0].feature;
    int count = 0, has_crossing = 0;
    work->candidate_count = 0;
    gmc_overlay_face(&pair->a, face_a, &axes, &work->polygon_a);
    gmc_overlay_face(&pair->b, face_b, &axes, &work->polygon_b);
    gmc_overlay_polygons(pair, &work->polygon_a, &work->polygon_b);
    gmc_manifold_find_soon(pair, &axes);
    for (int c = 0; c < work->candidate_count; c++) {
        int is_crossing = work->candidates[c].feature == crossing;
        has_crossing |= is_crossing;
        if (is_crossing || work->candidates[c].nearness == GMC_CANDIDATE_SOON)
            work->candidates[count++] = work->candidates[c];
    }
    work->candidate_count = count;
    if (has_crossing && count > 1) gmc_manifold_reduce(pair, &axes, manifold);
}

// ---- the part of a solid that faces another ----------------------------------------------------
// The part of a solid that faces another along a normal (a face, a cap, a line, a point), and
// where two such parts lie over each other.
// A disc is overlaid as what it is, a circle in its own plane: corners of the other feature are
// inside if they are within its radius after moving along the normal into that plane, and edges
// cross it at the roots of a quadratic. Rejected: a polygon of many sides in place of the circle,
// which has 0.2 % less radius at 48 sides and corners that pretend to be features.

/// A capsule more upright than this (cosine) stands on its end.
#define UPRIGHT 0.98
/// Two circles are taken as circles in the contact plane, not ellipses, up to this tilt (sine):
/// 2e-4 of their radius.
#define TILTED 0.02

int gmc_feature_face_count(const gmc_solid *solid)
{
    gmc_shape_type type = solid->shape->type;
    if (type == GMC_SHAPE_CYLINDER) return 2;
    if (type == GMC_SHAPE_BOX || type == GMC_SHAPE_POLYTOPE) return gmc_shape_face_count(solid);
    return 0;
}

gmc_vec3 gmc_feature_face(const gmc_solid *solid, int face, double *offset)
{
    if (solid->shape->type == GMC_SHAPE_CYLINDER) {
        gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2), n = face ? axis : gmc_vec3_neg(axis);
        *offset = gmc_vec3_dot(n, solid->X.p) + solid->shape->half_length;
        return n;
    }
    gmc_vec3 n = gmc_shape_face_normal(solid, face);
    *offset = gmc_shape_face_offset(solid, face, n);
    return n;
}

int gmc_feature_face_towards(const gmc_solid *solid, gmc_vec3 dir, int *hint)
{
    gmc_shape_type type = solid->shape->type;
    if (type == GMC_SHAPE_CYLINDER) return gmc_vec3_dot(gmc_mat3_column(&solid->X.R, 2), dir) > 0;
    if (type != GMC_SHAPE_BOX && type != GMC_SHAPE_POLYTOPE) return -1;
    *hint = gmc_shape_support_vertex(solid, dir, *hint);
    return gmc_shape_face_towards(solid, *hint, dir);
}

static void place_point(gmc_polygon *polygon, const gmc_pair_axes *axes, gmc_vec3 p, int id)
{
    int i = polygon->count++;
    polygon->x[i] = gmc_vec3_dot(p, axes->t1);
    polygon->y[i] = gmc_vec3_dot(p, axes->t2);
    polygon->z[i] = gmc_vec3_dot(p, axes->n);
    polygon->id[i] = id;
}

static gmc_feature of_capsule(const gmc_solid *solid, gmc_vec3 dir, const gmc_pair_axes *axes,
                              gmc_polygon *polygon)
{
    double half = solid->shape->half_length;
    gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2);
    double along = gmc_vec3_dot(axis, dir);
    gmc_vec3 low = gmc_vec3_add_scaled(solid->X.p, solid->shape->radius, dir);
    for (int k = 0; k < 2; k++) {
        if (fabs(along) > UPRIGHT && (along > 0) != k) continue;
        place_point(polygon, axes, gmc_vec3_add_scaled(low, k ? half : -half, axis), k);
    }
    return (gmc_feature){.kind = polygon->count == 2 ? GMC_FEATURE_SEGMENT : GMC_FEATURE_POINT,
                         .polygon = polygon};
}

static gmc_feature of_cylinder(const gmc_solid *solid, gmc_vec3 dir, int was_flat,
                               const gmc_pair_axes *axes, gmc_polygon *polygon)
{
    gmc_cylinder_points points;
    gmc_cylinder_towards(solid, dir, was_flat, &points);
    for (int k = 0; k < points.count; k++)
        place_point(polygon, axes, points.points[k], points.ids[k]);
    if (points.count == 2) return (gmc_feature){.kind = GMC_FEATURE_SEGMENT, .polygon = polygon};

    double along = gmc_vec3_dot(points.cap_normal, axes->n);
    gmc_feature disc = {GMC_FEATURE_DISC,
                        polygon,
                        gmc_vec3_dot(points.cap_centre, axes->t1),
                        gmc_vec3_dot(points.cap_centre, axes->t2),
                        gmc_vec3_dot(points.cap_centre, axes->n),
                        solid->shape->radius,
                        GMC_CYLINDER_RIM + (points.ids[0] & 4 ? 1 : 0),
                        points.is_flat};
    polygon->is_steep = 0; // a cap faces dir within 45 degrees
    polygon->zx = -gmc_vec3_dot(points.cap_normal, axes->t1) / along;
    polygon->zy = -gmc_vec3_dot(points.cap_normal, axes->t2) / along;
    polygon->z0 = disc.z - polygon->zx * disc.x - polygon->zy * disc.y;
    return disc;
}

gmc_feature gmc_feature_towards(const gmc_solid *solid, const gmc_feature_view *view, int *hint,
                                gmc_polygon *polygon)
{
    const gmc_pair_axes *axes = view->axes;
    int face = view->face;
    polygon->count = 0;
    polygon->is_steep = 1;
    switch (solid->shape->type) {
    case GMC_SHAPE_CAPSULE:
        return of_capsule(solid, view->dir, axes, polygon);
    case GMC_SHAPE_CYLINDER:
        return of_cylinder(solid, view->dir, view->was_flat, axes, polygon);
    case GMC_SHAPE_BOX:
    case GMC_SHAPE_POLYTOPE:
        if (face < 0) face = gmc_feature_face_towards(solid, view->dir, hint);
        gmc_overlay_face(solid, face, axes, polygon);
        return (gmc_feature){.kind = GMC_FEATURE_POLYGON, .polygon = polygon};
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    GMC_ASSERT(solid->shape->type == GMC_SHAPE_CAPSULE); // spheres and planes have other ways
    return (gmc_feature){.kind = GMC_FEATURE_POINT, .polygon = polygon};
}

static double plane_height(const gmc_polygon *polygon, double x, double y)
{
    return polygon->z0 + polygon->zx * x + polygon->zy * y;
}

/// How far the point above (x, y) in the disc's plane is outside its rim [m].
static double outside_disc(const gmc_feature *disc, double x, double y)
{
    double dx = x - disc->x, dy = y - disc->y, dz = plane_height(disc->polygon, x, y) - disc->z;
    return sqrt(dx * dx + dy * dy + dz * dz) - disc->radius;
}

/// Corner k of p.
/// @param z_other  height of the other solid there [m]
/// @param outside  how far the corner is outside the other's part [m]
static void emit_corner(const gmc_pair *pair, bool is_of_a, const gmc_polygon *p, int k,
                        double z_other, double outside)
{
    int id = p->id[k];
    double z = p->z[k];
    uint64_t feature = is_of_a ? gmc_pair_feature(GMC_FEATURE_VERTEX_A, id, 0)
                               : gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, id);
    if (outside > GMC_PAIR_TOUCH_KEEP * pair->size) return;
    if (outside > GMC_PAIR_TOUCH_NEW * pair->size && !gmc_pair_was_kept(pair->cache, feature))
        return;
    gmc_overlay_candidate(pair, p->x[k], p->y[k], is_of_a ? z : z_other, is_of_a ? z_other : z,
                          feature);
}

/// Corners of `other` that lie over the disc.
static void corners_on_disc(const gmc_pair *pair, const gmc_feature *disc, const gmc_feature *other,
                            bool disc_is_a)
{
    const gmc_polygon *p = other->polygon;
    for (int i = 0; i < p->count; i++)
        emit_corner(pair, !disc_is_a, p, i, plane_height(disc->polygon, p->x[i], p->y[i]),
                    outside_disc(disc, p->x[i], p->y[i]));
}

/// Where the edge from corner i to corner j of `other` crosses the rim.
static void edge_on_rim(const gmc_pair *pair, const gmc_feature *disc, const gmc_feature *other,
                        int i, int j, bool disc_is_a)
{
    const gmc_polygon *p = other->polygon, *plane = disc->polygon;
    double dx = p->x[i] - disc->x, dy = p->y[i] - disc->y,
           dz = plane_height(plane, p->x[i], p->y[i]) - disc->z;
    double ex = p->x[j] - p->x[i], ey = p->y[j] - p->y[i], ez = plane->zx * ex + plane->zy * ey;
    double a = ex * ex + ey * ey + ez * ez, b = dx * ex + dy * ey + dz * ez,
           c = dx * dx + dy * dy + dz * dz - disc->radius * disc->radius, root2 = b * b - a * c;
    if (!(root2 > 0) || !(a > 0)) return;
    const gmc_solid *solid = disc_is_a ? &pair->b : &pair->a;
    int edge_id = other->kind == GMC_FEATURE_POLYGON ? gmc_shape_edge_id(solid, p->id[i], p->id[j])
                                                     : p->id[0];
    for (int k = 0; k < 2; k++) {
        double t = (-b + (k ? sqrt(root2) : -sqrt(root2))) / a;
        if (!(t > 0 && t < 1)) continue;
        double x = p->x[i] + t * ex, y = p->y[i] + t * ey, z = p->z[i] + t * (p->z[j] - p->z[i]);
        double z_disc = plane_height(plane, x, y);
        int rim = disc->rim + 2 * k;
        gmc_overlay_candidate(pair, x, y, disc_is_a ? z_disc : z, disc_is_a ? z : z_disc,
                              gmc_pair_feature(GMC_FEATURE_CROSSING, disc_is_a ? rim : edge_id,
                                               disc_is_a ? edge_id : rim));
    }
}

static void disc_on_polygon(const gmc_pair *pair, const gmc_feature *disc, const gmc_feature *other,
                            bool disc_is_a)
{
    const gmc_polygon *rim = disc->polygon, *p = other->polygon;
    corners_on_disc(pair, disc, other, disc_is_a);
    for (int i = 0; i + 1 < p->count; i++)
        edge_on_rim(pair, disc, other, i, i + 1, disc_is_a);
    if (other->kind != GMC_FEATURE_POLYGON) return;
    edge_on_rim(pair, disc, other, p->count - 1, 0, disc_is_a);
    if (p->is_steep) return;
    for (int k = 0; k < rim->count; k++)
        emit_corner(pair, disc_is_a, rim, k, plane_height(p, rim->x[k], rim->y[k]),
                    gmc_overlay_outside(p, rim->x[k], rim->y[k]));
}

static double tilt2(const gmc_feature *disc)
{
    return disc->polygon->zx * disc->polygon->zx + disc->polygon->zy * disc->polygon->zy;
}

static void disc_on_disc(const gmc_pair *pair, const gmc_feature *a, const gmc_feature *b)
{
    corners_on_disc(pair, a, b, true);
    corners_on_disc(pair, b, a, false);
    if (tilt2(a) > TILTED * TILTED || tilt2(b) > TILTED * TILTED) return;
    // two circles cross on the perpendicular of their line of centres
    double dx = b->x - a->x, dy = b->y - a->y, d2 = dx * dx + dy * dy, d = sqrt(d2);
    if (d < GMC_PAIR_MERGE * pair->size) return;
    double along = (d2 + a->radius * a->radius - b->radius * b->radius) / (2 * d);
    double across2 = a->radius * a->radius - along * along;
    if (!(across2 > 0)) return;
    for (int k = 0; k < 2; k++) {
        double across = k ? sqrt(across2) : -sqrt(across2);
        double x = a->x + (along * dx - across * dy) / d, y = a->y + (along * dy + across * dx) / d;
        gmc_overlay_candidate(pair, x, y, plane_height(a->polygon, x, y),
                              plane_height(b->polygon, x, y),
                              gmc_pair_feature(GMC_FEATURE_CROSSING, a->rim + 2 * k, b->rim));
    }
}

void gmc_feature_overlay(const gmc_pair *pair, const gmc_feature *a, const gmc_feature *b)
{
    if (a->kind == GMC_FEATURE_DISC && b->kind == GMC_FEATURE_DISC)
        disc_on_disc(pair, a, b);
    else if (a->kind == GMC_FEATURE_DISC)
        disc_on_polygon(pair, a, b, true);
    else if (b->kind == GMC_FEATURE_DISC)
        disc_on_polygon(pair, b, a, false);
    else if (a->kind == GMC_FEATURE_POLYGON || b->kind == GMC_FEATURE_POLYGON)
        gmc_overlay_polygons(pair, a->polygon, b->polygon);
}
