// Judging holds every pair of edges against each other: polygons have tens of vertices and are read
// once. Two edges that are not neighbours may not even touch, because a polygon that touches itself
// has no clear inside there.
//
// Moments are sums over the triangles that the edges span with a reference point at the middle of
// the bounding box: about a far point they would cancel.

#include "engine/model/polygon.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <stdio.h>

// Area over the square of the outline's length below which there is none: rounding of coordinates
// that files give with fifteen digits.
static const double FLAT = 1e-14;

static double turn(gmc_vec2 a, gmc_vec2 b, gmc_vec2 c)
{
    return gmc_vec2_cross(gmc_vec2_sub(b, a), gmc_vec2_sub(c, a));
}

static bool is_between(double a, double b, double x)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

// On the line through a and b: is p between them?
static bool is_within(gmc_vec2 a, gmc_vec2 b, gmc_vec2 p)
{
    return is_between(a.x, b.x, p.x) && is_between(a.y, b.y, p.y);
}

// Do two closed segments have a point in common?
static bool do_meet(gmc_vec2 a, gmc_vec2 b, gmc_vec2 c, gmc_vec2 d)
{
    double abc = turn(a, b, c), abd = turn(a, b, d), cda = turn(c, d, a), cdb = turn(c, d, b);
    if (((abc > 0 && abd < 0) || (abc < 0 && abd > 0)) &&
        ((cda > 0 && cdb < 0) || (cda < 0 && cdb > 0)))
        return true;
    return (abc == 0 && is_within(a, b, c)) || (abd == 0 && is_within(a, b, d)) ||
           (cda == 0 && is_within(c, d, a)) || (cdb == 0 && is_within(c, d, b));
}

static gmc_polygon_verdict find_crossing(const gmc_vec2 *p, int n)
{
    for (int i = 0; i < n; i++) {
        gmc_vec2 before = gmc_vec2_sub(p[i], p[(i + n - 1) % n]);
        gmc_vec2 behind = gmc_vec2_sub(p[(i + 1) % n], p[i]);
        if (gmc_vec2_cross(before, behind) == 0 && gmc_vec2_dot(before, behind) < 0)
            return (gmc_polygon_verdict){GMC_POLYGON_FOLDED, i, -1};
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 2; j < n; j++) {
            if (i == 0 && j == n - 1) continue;
            if (do_meet(p[i], p[i + 1], p[j], p[(j + 1) % n]))
                return (gmc_polygon_verdict){GMC_POLYGON_CROSSED, i, j};
        }
    return (gmc_polygon_verdict){GMC_POLYGON_GOOD, -1, -1};
}

gmc_polygon_verdict gmc_polygon_check(const gmc_vec2 *vertices, int count)
{
    const gmc_vec2 *p = vertices;
    if (count < 3) return (gmc_polygon_verdict){GMC_POLYGON_FEW, -1, -1};
    if (count > GMC_POLYGON_VERTEX_MAX) return (gmc_polygon_verdict){GMC_POLYGON_MANY, -1, -1};
    for (int i = 0; i < count; i++)
        if (!isfinite(p[i].x) || !isfinite(p[i].y))
            return (gmc_polygon_verdict){GMC_POLYGON_NOT_FINITE, i, -1};
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (p[i].x == p[j].x && p[i].y == p[j].y)
                return (gmc_polygon_verdict){GMC_POLYGON_REPEATED, i, j};
    gmc_polygon_verdict crossing = find_crossing(p, count);
    if (crossing.flaw != GMC_POLYGON_GOOD) return crossing;

    double length = 0, area = gmc_polygon_measure(p, count).area;
    for (int i = 0; i < count; i++)
        length += gmc_vec2_norm(gmc_vec2_sub(p[(i + 1) % count], p[i]));
    if (!(fabs(area) > FLAT * length * length))
        return (gmc_polygon_verdict){GMC_POLYGON_FLAT, -1, -1};
    return (gmc_polygon_verdict){area > 0 ? GMC_POLYGON_GOOD : GMC_POLYGON_CLOCKWISE, -1, -1};
}

const char *gmc_polygon_explain(const gmc_polygon_verdict *verdict, const gmc_vec2 *vertices,
                                char *message, size_t bytes)
{
    int i = verdict->first, j = verdict->second;
    message[0] = '\0';
    switch (verdict->flaw) {
    case GMC_POLYGON_GOOD:
        return NULL;
    case GMC_POLYGON_FEW:
        snprintf(message, bytes, "a polygon needs three vertices or more");
        return NULL;
    case GMC_POLYGON_MANY:
        snprintf(message, bytes, "a polygon has at most %d vertices", GMC_POLYGON_VERTEX_MAX);
        return "leave out vertices that are nearly on the line between their neighbours";
    case GMC_POLYGON_NOT_FINITE:
        snprintf(message, bytes, "vertex %d of the polygon must be finite, found (%g, %g)", i + 1,
                 vertices[i].x, vertices[i].y);
        return NULL;
    case GMC_POLYGON_REPEATED:
        snprintf(message, bytes, "vertices %d and %d of the polygon are the same, (%g, %g) m",
                 i + 1, j + 1, vertices[i].x, vertices[i].y);
        return "give every vertex once; the outline closes by itself";
    case GMC_POLYGON_FOLDED:
        snprintf(message, bytes,
                 "the outline of the polygon turns back on itself at vertex %d, (%g, %g) m", i + 1,
                 vertices[i].x, vertices[i].y);
        return NULL;
    case GMC_POLYGON_CROSSED:
        snprintf(message, bytes,
                 "the outline of the polygon crosses or touches itself: the edges from vertex %d, "
                 "(%g, %g) m, and from vertex %d, (%g, %g) m",
                 i + 1, vertices[i].x, vertices[i].y, j + 1, vertices[j].x, vertices[j].y);
        return "give the vertices in the order in which the outline runs";
    case GMC_POLYGON_FLAT:
        snprintf(message, bytes, "the polygon encloses no area");
        return NULL;
    case GMC_POLYGON_CLOCKWISE:
        snprintf(message, bytes, "the vertices of the polygon run clockwise");
        return "give them counter-clockwise: in the opposite order";
    }
    return NULL;
}

// ---- moments ----------------------------------------------------------------------------------

static gmc_vec2 middle_of(const gmc_vec2 *p, int n)
{
    gmc_vec2 lo = p[0], hi = p[0];
    for (int i = 1; i < n; i++) {
        lo = (gmc_vec2){fmin(lo.x, p[i].x), fmin(lo.y, p[i].y)};
        hi = (gmc_vec2){fmax(hi.x, p[i].x), fmax(hi.y, p[i].y)};
    }
    return (gmc_vec2){(lo.x + hi.x) / 2, (lo.y + hi.y) / 2};
}

// A triangle (0, a, b) with d = a x b adds d/2 to the area, d/6 (a + b) to the first moment and
// d/24 (a aT + b bT + (a + b)(a + b)T) to the second.
gmc_polygon_moments gmc_polygon_measure(const gmc_vec2 *vertices, int count)
{
    gmc_vec2 o = middle_of(vertices, count), first = {0, 0};
    double area = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec2 a = gmc_vec2_sub(vertices[i], o);
        gmc_vec2 b = gmc_vec2_sub(vertices[(i + 1) % count], o), s = gmc_vec2_add(a, b);
        double d = gmc_vec2_cross(a, b);
        area += d / 2;
        first = gmc_vec2_add_scaled(first, d / 6, s);
        xx += d / 24 * (a.x * a.x + b.x * b.x + s.x * s.x);
        yy += d / 24 * (a.y * a.y + b.y * b.y + s.y * s.y);
        xy += d / 24 * (a.x * a.y + b.x * b.y + s.x * s.y);
    }
    if (area == 0) return (gmc_polygon_moments){.centroid = o};
    gmc_vec2 c = gmc_vec2_scale(1 / area, first);
    return (gmc_polygon_moments){.area = area,
                                 .centroid = gmc_vec2_add(o, c),
                                 .xx = xx - area * c.x * c.x,
                                 .yy = yy - area * c.y * c.y,
                                 .xy = xy - area * c.x * c.y};
}

// ∫ x^(s-1) y^(t-1) over the whole super-ellipse, s and t odd.
static double dirichlet(double a, double b, double p, int s, int t)
{
    double x = a, y = b;
    for (int k = 1; k < s; k++)
        x *= a;
    for (int k = 1; k < t; k++)
        y *= b;
    double gammas = gmc_exp(gmc_lgamma(s / p) + gmc_lgamma(t / p) - gmc_lgamma(1 + (s + t) / p));
    return 4 * x * y * gammas / (p * p);
}

gmc_polygon_moments gmc_polygon_measure_shape(const gmc_shape *shape)
{
    GMC_ASSERT(gmc_shape_is_planar(shape->type));
    if (shape->type == GMC_SHAPE_CIRCLE) {
        double r2 = shape->radius * shape->radius;
        return (gmc_polygon_moments){
            .area = GMC_PI * r2, .xx = GMC_PI * r2 * r2 / 4, .yy = GMC_PI * r2 * r2 / 4};
    }
    if (shape->type == GMC_SHAPE_SUPER_ELLIPSE) {
        double a = shape->half.x, b = shape->half.y, p = shape->exponent;
        return (gmc_polygon_moments){.area = dirichlet(a, b, p, 1, 1),
                                     .xx = dirichlet(a, b, p, 3, 1),
                                     .yy = dirichlet(a, b, p, 1, 3)};
    }
    const gmc_polygon_piece *piece = shape->polygon;
    gmc_polygon_moments m = gmc_polygon_measure(piece->vertices, piece->count);
    double s2 = shape->scale * shape->scale;
    return (gmc_polygon_moments){.area = s2 * m.area,
                                 .centroid = gmc_vec2_scale(shape->scale, m.centroid),
                                 .xx = s2 * s2 * m.xx,
                                 .yy = s2 * s2 * m.yy,
                                 .xy = s2 * s2 * m.xy};
}

gmc_shape gmc_polygon_shape(const gmc_polygon_piece *piece, double thickness)
{
    return (gmc_shape){
        .type = GMC_SHAPE_POLYGON, .polygon = piece, .scale = 1, .half_length = thickness / 2};
}
