#include "engine/contact/coulomb/pad.h"

#include "engine/math/elementary.h"

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
    return a > 0 && b > 0 ? a * b / (a + b) : a + b;
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

static void lay_patch(gmc_contact *c, int count, const gmc_model *model)
{
    static const double THIRD_ROOT = 0.57735026918962576; // 1/√3, Gauss's rule with two points
    gmc_vec3 centre = {0, 0, 0};
    for (int i = 0; i < count; i++)
        centre = gmc_vec3_add_scaled(centre, 1.0 / count, c[i].point.p);
    double spread2 = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(c[i].point.p, centre);
        spread2 += gmc_vec3_dot(arm, arm) / count;
    }
    double patch = 2 * sqrt(spread2) / count; // two points: their distance, half of it each
    gather(c, count, count >= 2 ? THIRD_ROOT : 1, centre);
    for (int i = 0; i < count; i++) {
        c[i].extra->patch = patch;
        c[i].extra->radius = relative_radius(c, model);
        c[i].extra->part = (int)gmc_pad_part_of(c[i].point.feature);
        c[i].extra->cap_force = c[i].extra->cap_slope = 1;
        c[i].extra->cap_stored = c[i].extra->cap_deeper = 1;
        c[i].law.tangential_ratio = c[i].law.extra->pad_shear;
        // the mean depth over a parabola's cap, or along it, against the deepest
        double mean = patch > 0 ? 2.0 / 3 : 0.5;
        if (c[i].extra->part == GMC_PAD_CORE_PART)
            c[i].law.stiffness *= GMC_PAD_CORE_POINTS * mean / count;
    }
}

/// Points of one pair of geoms on one part of a pad.
static bool is_together(const gmc_contact *a, const gmc_contact *b)
{
    return a->point.geom_a == b->point.geom_a && a->point.geom_b == b->point.geom_b &&
           gmc_pad_part_of(a->point.feature) == gmc_pad_part_of(b->point.feature);
}

void gmc_pad_lay(gmc_contact_set *set, const gmc_model *model)
{
    for (int first = 0, end; first < set->count; first = end) {
        gmc_contact *c = &set->contacts[first];
        for (end = first + 1; end < set->count; end++)
            if (!is_together(c, &set->contacts[end])) break;
        if (c->law.extra && c->law.extra->pad > 0 && c->extra->ground == 0)
            lay_patch(c, end - first, model);
    }
}

/// Of a ball that is so deep in it.
static double torsion_of(const gmc_contact *contact, double depth)
{
    double half_width = sqrt(2 * contact->extra->radius * depth * contact->extra->cap_slope);
    return contact->law.extra->torsion + contact->law.friction * (8.0 / 15) * half_width;
}

void gmc_pad_press(gmc_contact *contact, double ahead)
{
    const gmc_surface_extra *law = contact->law.extra;
    gmc_contact_extra *extra = contact->extra;
    double k = law->pad, gap = gmc_contact_gap(contact), R = extra->radius;
    extra->pad_gap = gap;
    if (extra->ground != 0 && extra->patch == 0) return; // the core: as hard as without a pad
    if (!(R > 0)) {                                      // of a region: linear
        contact->law.stiffness = k * extra->patch;
        return;
    }
    double depth = fmax(-gap, 0);
    if (extra->part == GMC_PAD_FIRM) k = law->pad_firm;
    if (extra->part == GMC_PAD_CORE_PART) {
        if (extra->patch == 0) extra->torsion = torsion_of(contact, depth);
        return;
    }
    double shallow = GMC_PAD_SHALLOW * law->pad_edge;
    double slope_at = fmax(fmax(depth, -gap - ahead), shallow);
    double half_width = sqrt(2 * R * slope_at), force;
    if (extra->patch > 0) {
        contact->law.stiffness = 2 * k * extra->patch * half_width;
        force = 4.0 / 3 * k * extra->patch * sqrt(2 * R * depth) * depth;
    } else {
        contact->law.stiffness = GMC_PI * k * half_width * half_width * extra->cap_slope;
        force = GMC_PI * k * R * depth * depth * extra->cap_force;
        extra->torsion = torsion_of(contact, depth);
    }
    if (gap <= 0) extra->pad_gap = -force / contact->law.stiffness;
}

double gmc_pad_share(const gmc_surface_law *law, double depth, double area)
{
    const gmc_surface_extra *extra = law->extra;
    if (!(extra->pad_soft > 0)) return depth / extra->pad_edge;
    if (depth <= GMC_PAD_CORE * extra->pad_soft) return depth / extra->pad_soft;
    if (!(extra->pad_firm > 0)) return depth / extra->pad_edge; // both come there at once
    double firm = extra->pad + extra->pad_firm, soft_t = extra->pad_soft * extra->pad_firm / firm;
    double given =
        firm * (depth - extra->pad_firm_at) * area / (GMC_PAD_CORE_POINTS * law->stiffness);
    double other = (depth - GMC_PAD_CORE * soft_t) / (extra->pad_edge - soft_t);
    return fmax(GMC_PAD_CORE + given / soft_t, other);
}

/// Area of the cap that presses, or of the strip with its two points.
static double area_of(const gmc_contact_extra *extra, double depth)
{
    double half2 = 2 * extra->radius * depth;
    return extra->patch > 0 ? 4 * extra->patch * sqrt(half2) : GMC_PI * half2 * extra->cap_slope;
}

double gmc_pad_pressed(const gmc_contact *contact, const gmc_model *model)
{
    const gmc_contact_extra *extra = contact->extra;
    if (!extra || extra->ground != 0 || extra->part != GMC_PAD_LAYER ||
        !(contact->law.extra->pad > 0))
        return 0;
    const gmc_geom *a = &model->geoms[contact->point.geom_a];
    const gmc_geom *b = &model->geoms[contact->point.geom_b];
    double depth = extra->cap_deeper * fmax(-gmc_contact_gap(contact), 0);
    return gmc_pad_share(gmc_model_law(model, a->surface, b->surface), depth,
                         area_of(extra, depth));
}
