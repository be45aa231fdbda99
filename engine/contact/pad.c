#include "engine/contact/pad.h"

#include "engine/math/elementary.h"

// Gauss points in place of corners: four springs at the corners of a rectangle would resist a tilt
// three times as strongly as the layer, and a twist as well. A patch that tilts so far that one
// side leaves the margin goes on as a line.

/// Indentation below which round contacts keep their slope, against the layer's thickness.
static const double SHALLOW = 1e-3;
/// Patches with less area than this times the mean square of their extent are lines.
static const double THINNEST = 1e-3;
/// Points that stand on a circle to within this share of it are the rim of a disc.
static const double ROUNDNESS = 1e-3;

static double radius_of(const gmc_geom *geom)
{
    switch (geom->shape.type) {
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_CAPSULE:
    case GMC_SHAPE_CYLINDER:
        return geom->shape.radius;
    case GMC_SHAPE_BOX:
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYTOPE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return 0;
}

/// R of a point or line contact.
static double relative_radius(const gmc_contact *contact, const gmc_model *model)
{
    double a = radius_of(&model->geoms[contact->point.geom_a]);
    double b = radius_of(&model->geoms[contact->point.geom_b]);
    if (a > 0 && b > 0) return a * b / (a + b);
    return a + b > 0 ? a + b : contact->law.extra->pad_edge;
}

enum { CORNERS_MAX = 16 };

/// Corners of a patch in order around their mean, in the plane of the contact's tangents [m].
typedef struct polygon {
    int count;
    double x[CORNERS_MAX], y[CORNERS_MAX];
    double area, moment; ///< of the polygon; polar second moment about the mean [m², m⁴]
    double mean2;        ///< of the corners: mean square of their distance [m²]
} polygon;

static polygon polygon_of(const gmc_contact *c, int count, gmc_vec3 centre)
{
    polygon made = {.count = count};
    double angle[CORNERS_MAX];
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(c[i].point.p, centre);
        double x = gmc_vec3_dot(arm, c->dir[1]), y = gmc_vec3_dot(arm, c->dir[2]);
        double a = gmc_atan2(y, x);
        int at = i;
        for (; at > 0 && angle[at - 1] > a; at--) {
            angle[at] = angle[at - 1];
            made.x[at] = made.x[at - 1];
            made.y[at] = made.y[at - 1];
        }
        angle[at] = a;
        made.x[at] = x;
        made.y[at] = y;
        made.mean2 += (x * x + y * y) / count;
    }
    // triangles from the mean to each side
    for (int i = 0; i < count; i++) {
        int k = (i + 1) % count;
        double cross = made.x[i] * made.y[k] - made.x[k] * made.y[i];
        double squares = made.x[i] * made.x[i] + made.x[i] * made.x[k] + made.x[k] * made.x[k] +
                         made.y[i] * made.y[i] + made.y[i] * made.y[k] + made.y[k] * made.y[k];
        made.area += cross / 2;
        made.moment += cross * squares / 12;
    }
    return made;
}

/// Is the patch the end of a cylinder? Then its rim has more area than the points on it span.
static double disc_radius(const gmc_contact *c, int count, gmc_vec3 centre, const gmc_model *model)
{
    const int geoms[2] = {c->point.geom_a, c->point.geom_b};
    for (int side = 0; side < 2; side++) {
        double radius = radius_of(&model->geoms[geoms[side]]);
        bool is_rim = radius > 0 && count >= 4;
        for (int i = 0; i < count && is_rim; i++)
            is_rim = fabs(gmc_vec3_norm(gmc_vec3_sub(c[i].point.p, centre)) - radius) <
                     ROUNDNESS * radius;
        if (is_rim) return radius;
    }
    return 0;
}

/// Move the points of a patch towards its middle, gaps along with them.
static void gather(gmc_contact *c, int count, double factor, gmc_vec3 centre)
{
    double mean = 0;
    for (int i = 0; i < count; i++)
        mean += c[i].point.gap / count;
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(c[i].point.p, centre);
        c[i].point.p = gmc_vec3_add_scaled(centre, factor, arm);
        c[i].point.gap = mean + factor * (c[i].point.gap - mean);
    }
}

/// A face: where its springs stand, so that they resist a twist as the patch does, and their share.
/// @return area of one share [m²]; 0 if the points are on a line
static double lay_face(gmc_contact *c, int count, gmc_vec3 centre, const gmc_model *model)
{
    polygon face = polygon_of(c, count, centre);
    double disc = disc_radius(c, count, centre, model);
    if (disc > 0) {
        face.area = GMC_PI * disc * disc;
        face.moment = face.area * disc * disc / 2;
    }
    if (!(face.area > THINNEST * face.mean2)) return 0;
    gather(c, count, sqrt(face.moment / (face.area * face.mean2)), centre);
    return face.area / count;
}

static void lay_patch(gmc_contact *c, int count, const gmc_model *model)
{
    static const double THIRD_ROOT = 0.57735026918962576; // 1/√3, Gauss's rule with two points
    gmc_vec3 centre = {0, 0, 0};
    for (int i = 0; i < count; i++)
        centre = gmc_vec3_add_scaled(centre, 1.0 / count, c[i].point.p);
    double patch = count >= 3 ? lay_face(c, count, centre, model) : 0, radius = 0;
    if (patch == 0) {
        radius = relative_radius(c, model);
        double spread2 = 0;
        for (int i = 0; i < count; i++) {
            gmc_vec3 arm = gmc_vec3_sub(c[i].point.p, centre);
            spread2 += gmc_vec3_dot(arm, arm) / count;
        }
        patch = 2 * sqrt(spread2) / count; // two points: their distance, half of it each
        gather(c, count, count >= 2 ? THIRD_ROOT : 1, centre);
    }
    for (int i = 0; i < count; i++) {
        c[i].extra->patch = patch;
        c[i].extra->radius = radius;
        c[i].law.tangential_ratio = c[i].law.extra->pad_shear;
    }
}

void gmc_pad_lay(gmc_contact_set *set, const gmc_model *model)
{
    for (int first = 0, end; first < set->count; first = end) {
        gmc_contact *c = &set->contacts[first];
        for (end = first + 1; end < set->count && end - first < CORNERS_MAX; end++)
            if (set->contacts[end].point.geom_a != c->point.geom_a ||
                set->contacts[end].point.geom_b != c->point.geom_b)
                break;
        if (c->law.extra && c->law.extra->pad > 0 && c->extra->ground == 0)
            lay_patch(c, end - first, model);
    }
}

void gmc_pad_press(gmc_contact *contact, double ahead)
{
    const gmc_surface_extra *law = contact->law.extra;
    gmc_contact_extra *extra = contact->extra;
    double k = law->pad, gap = gmc_contact_gap(contact), R = extra->radius;
    extra->pad_gap = gap;
    if (extra->ground != 0 && extra->patch == 0) return; // the core: as hard as without a pad
    if (!(R > 0)) {                                      // a face: linear
        contact->law.stiffness = k * extra->patch;
        return;
    }
    double depth = fmax(-gap, 0), shallow = SHALLOW * law->pad_edge;
    double slope_at = fmax(fmax(depth, -gap - ahead), shallow);
    double half_width = sqrt(2 * R * slope_at), force;
    if (extra->patch > 0) {
        contact->law.stiffness = 2 * k * extra->patch * half_width;
        force = 4.0 / 3 * k * extra->patch * sqrt(2 * R * depth) * depth;
    } else {
        contact->law.stiffness = GMC_PI * k * half_width * half_width;
        force = GMC_PI * k * R * depth * depth;
        extra->torsion = law->torsion + contact->law.friction * (8.0 / 15) * sqrt(2 * R * depth);
    }
    if (gap <= 0) extra->pad_gap = -force / contact->law.stiffness;
}
