// Rods side to side on a pad: one line of springs, whatever the angle between them. Cut upright to
// the bisector t of their axes both are circles (of a capsule beyond its end ever smaller ones), so
// that at s along t the overlap δ(s) is what their radii exceed the distance of their axes by, and
// the bed bears and gives there (pad.h)
//
//   f = (4/3) k √(2 R) δ^(3/2),  f' = 2 k √(2 R δ),  1/R = cos²(θ/2) (1/R1 + 1/R2)
//
// with θ the angle between the axes: what they are cut at is as much longer across, and the
// distance of the axes counts as much less across. As springs are parabolas' elsewhere, what the
// axes are apart by across counts as its square over 2 (R1 + R2). Of rods that cross far from
// their ends this is the paraboloid's bed at any angle, and the couple that turns them about what
// is upright to both is that of its potential U:
//
//   F = π k √(R1 R2) δ²/sin θ,  U = F δ/3,  -∂U/∂θ = F (δ/3) cot θ
//
// Two contacts stand for the line, each with half of its force and slope, with the depth
// ∫ δ^(3/2) / ∫ √δ on a length of their own. With σ how far the force spreads from its middle they
// are at ± σ √(cos θ) from there, and press from axis to axis as these are cut there, so that
// neither rod is turned about its own: of parallel rods Gauss's points, of such as cross upright
// one point. They turn the rods by
//
//   2 F σ² tan(θ/2) cos θ/(R1 + R2)
//
// which is -∂/∂θ of the line's ∫ (8/15) k √(2 R) δ^(5/2), its ends being cut upright to the axes,
// and F (δ/3) cot θ where nothing is cut: there σ² = δ (R1 + R2)/(12 sin²(θ/2)). A twist they
// resist at σ/cos(θ/2), what their distance has not by friction about their normals. That is the
// root mean square radius of the pressure where nothing is cut, 1.08 to 1.2 times the mean one.
// As normals lean, damping brakes what slides along one of the axes, too: by 0.02 s/m of the force
// at 50 to 70 degrees, by nothing of parallel and upright ones.
//
// Where the region is less than SLENDER times as long as wide it is as if there were no ends; where
// the rods cross beyond an end of either one contact has it, as on balls, with the radius √(R1 R2)
// of the paraboloid between the two surfaces, 1/(R1 R2) the determinant of what its curvatures add
// up to.
//
// Before, rods were lines within 1e-5 of their size from parallel and else balls of
// 1/R = 1/R1 + 1/R2: of 30 mm at 0.5 degrees they bore 4.7 N in place of 34. Along the way on which the
// overlap is least in each cut they had F σ² sin θ/(R1 + R2), which is no potential's: slices are
// wider too as they turn.

#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/contact/coulomb/pad.h"

#include <math.h>

/// Of a region, its length against its width.
static const double SLENDER = 1.7;
/// Sine of the largest angle of the normal against what is upright to t.
static const double LEAN = 0.5;

/// Two rods on their way along t.
typedef struct run {
    gmc_vec3 p[2], axis[2]; ///< centres, and axes along t
    double radius[2], half[2];
    bool has_balls[2];  ///< at its ends
    gmc_vec3 t, across; ///< across: in the plane of the axes
    gmc_vec3 up;        ///< from one axis to the other where they are deepest, as seen
    double level;       ///< cos(θ/2)
    double from, to;    ///< of what both have, along t from p[0] [m]
} run;

/// Integrals along it.
typedef struct line {
    double deepest;                                 ///< largest δ, less than 0 too [m]
    double at;                                      ///< where that is [m]
    double force, force_s, force_ss, slope, stored; ///< of δ^(3/2), by s and s², √δ, δ^(5/2)
} line;

static gmc_vec3 axis_at(const run *r, int i, double s)
{
    double ahead = s - gmc_vec3_dot(r->t, gmc_vec3_sub(r->p[i], r->p[0]));
    return gmc_vec3_add_scaled(r->p[i], ahead / gmc_vec3_dot(r->axis[i], r->t), r->axis[i]);
}

/// Of one where it is cut at s; beyond the ends of a capsule that of its balls.
static double radius_at(const run *r, int i, double s)
{
    double ahead = s - gmc_vec3_dot(r->t, gmc_vec3_sub(r->p[i], r->p[0]));
    double beyond = fabs(ahead) / gmc_vec3_dot(r->axis[i], r->t) - r->half[i];
    if (!r->has_balls[i] || beyond <= 0) return r->radius[i];
    return sqrt(fmax(r->radius[i] * r->radius[i] - beyond * beyond, 0));
}

/// From one axis to the other.
static gmc_vec3 between(const run *r, double s)
{
    return gmc_vec3_sub(axis_at(r, 1, s), axis_at(r, 0, s));
}

/// The same where what is across counts less.
static gmc_vec3 seen(const run *r, gmc_vec3 d)
{
    return gmc_vec3_add_scaled(d, (r->level - 1) * gmc_vec3_dot(r->across, d), r->across);
}

/// What radii exceed the distance by.
static double excess_at(const run *r, double s)
{
    return radius_at(r, 0, s) + radius_at(r, 1, s) - gmc_vec3_norm(seen(r, between(r, s)));
}

/// Of parabolas.
static double overlap_at(const run *r, double s)
{
    gmc_vec3 d = seen(r, between(r, s));
    double high = gmc_vec3_dot(r->up, d), aside2 = gmc_vec3_dot(d, d) - high * high;
    double bent = aside2 / (2 * (r->radius[0] + r->radius[1]));
    return radius_at(r, 0, s) + radius_at(r, 1, s) - high - bent;
}

/// Where the overlap is largest: it is concave along the line, but for rounding.
static void find_deepest(run *r, line *of)
{
    enum { TURNS = 60 };
    static const double GOLDEN = 0.61803398874989485;
    double low = r->from, high = r->to;
    double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
    double at_a = excess_at(r, a), at_b = excess_at(r, b);
    for (int i = 0; i < TURNS && high - low > 1e-9 * (r->to - r->from); i++) {
        if (at_a > at_b) {
            high = b, b = a, at_b = at_a;
            a = high - GOLDEN * (high - low), at_a = excess_at(r, a);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + GOLDEN * (high - low), at_b = excess_at(r, b);
        }
    }
    of->at = (low + high) / 2;
    of->deepest = excess_at(r, of->at);
    r->up = gmc_vec3_unit(seen(r, between(r, of->at)));
}

/// Where the overlap comes to `level` between a place that has more and an end.
static double end_of(const run *r, double in, double end, double level)
{
    if (overlap_at(r, end) > level) return end;
    for (int i = 0; i < 50; i++) {
        double middle = (in + end) / 2;
        *(overlap_at(r, middle) > level ? &in : &end) = middle;
    }
    return (in + end) / 2;
}

/// Integrals of what is deeper than `level`, by Gauss's rule for s = middle + half sin φ.
static void integrate(const run *r, double level, line *of)
{
    enum { POINTS = 8 };
    static const double AT[POINTS / 2] = {0.18343464249564980, 0.52553240991632899,
                                          0.79666647741362674, 0.96028985649753623};
    static const double SHARE[POINTS / 2] = {0.36268378337836198, 0.31370664587788729,
                                             0.22238103445337447, 0.10122853629037626};
    double low = end_of(r, of->at, r->from, level), high = end_of(r, of->at, r->to, level);
    double middle = (low + high) / 2, half = (high - low) / 2;
    of->force = of->force_s = of->force_ss = of->slope = of->stored = 0;
    for (int i = 0; i < POINTS; i++) {
        int k = i / 2;
        double sine, cosine;
        gmc_sin_cos(GMC_PI / 2 * (i % 2 ? AT[k] : -AT[k]), &sine, &cosine);
        double s = middle + half * sine, w = GMC_PI / 2 * SHARE[k] * cosine * half;
        double depth = fmax(overlap_at(r, s) - level, 0), root = sqrt(depth);
        of->slope += w * root;
        of->force += w * depth * root;
        of->force_s += w * depth * root * s;
        of->force_ss += w * depth * root * s * s;
        of->stored += w * depth * depth * root;
    }
}

// ---- one contact --------------------------------------------------------------------------------

/// Determinant of the sum of two surfaces' curvatures.
/// @param curvature  1/radius: of a ball all about, of a rod across it alone
/// @param sine2      of the angle between two rods, squared
static double determinant(const double curvature[2], const bool is_ball[2], double sine2)
{
    double a = curvature[0], b = curvature[1];
    if (is_ball[0] && is_ball[1]) return (a + b) * (a + b);
    if (is_ball[0]) return a * (a + b);
    if (is_ball[1]) return b * (a + b);
    return a * b * sine2;
}

/// Is a point beyond the ends of a rod's axis?
static bool is_beyond(const gmc_solid *rod, gmc_vec3 p)
{
    gmc_vec3 axis = gmc_mat3_column(&rod->X.R, 2);
    return fabs(gmc_vec3_dot(axis, gmc_vec3_sub(p, rod->X.p))) > rod->shape->half_length;
}

/// The radius of one contact of two round solids; 0: as pad.c or coulomb_cap.c have it.
static double radius_of(const gmc_solid solids[2], const gmc_contact_point *point)
{
    double curvature[2];
    bool is_ball[2];
    gmc_vec3 way[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        const gmc_shape *shape = solids[i].shape;
        curvature[i] = 1 / shape->radius;
        is_ball[i] = shape->type == GMC_SHAPE_SPHERE ||
                     (shape->type == GMC_SHAPE_CAPSULE && is_beyond(&solids[i], point->p));
        if (is_ball[i]) continue;
        way[i] = gmc_vec3_cross(point->n, gmc_mat3_column(&solids[i].X.R, 2));
        if (gmc_vec3_dot(way[i], way[i]) < 0.5) return 0; // a flat end
        way[i] = gmc_vec3_scale(1 / gmc_vec3_norm(way[i]), way[i]);
    }
    gmc_vec3 cross = gmc_vec3_cross(way[0], way[1]);
    double det = determinant(curvature, is_ball, gmc_vec3_dot(cross, cross));
    return det > 0 ? 1 / sqrt(det) : 0;
}

// ---- two ----------------------------------------------------------------------------------------

static run open_run(const gmc_solid solids[2])
{
    run r = {.from = -INFINITY, .to = INFINITY};
    for (int i = 0; i < 2; i++) {
        r.p[i] = solids[i].X.p;
        r.axis[i] = gmc_mat3_column(&solids[i].X.R, 2);
        r.radius[i] = solids[i].shape->radius;
        r.half[i] = solids[i].shape->half_length;
        r.has_balls[i] = solids[i].shape->type == GMC_SHAPE_CAPSULE;
    }
    if (gmc_vec3_dot(r.axis[0], r.axis[1]) < 0) r.axis[1] = gmc_vec3_neg(r.axis[1]);
    r.t = gmc_vec3_unit(gmc_vec3_add(r.axis[0], r.axis[1]));
    gmc_vec3 upright = gmc_vec3_cross(r.axis[0], r.axis[1]);
    if (gmc_vec3_norm(upright) > 1e-9) r.across = gmc_vec3_unit(gmc_vec3_cross(upright, r.t));
    r.level = gmc_vec3_dot(r.axis[0], r.t);
    for (int i = 0; i < 2; i++) {
        double middle = gmc_vec3_dot(r.t, gmc_vec3_sub(r.p[i], r.p[0]));
        double reach = (r.half[i] + (r.has_balls[i] ? r.radius[i] : 0)) * r.level;
        r.from = fmax(r.from, middle - reach);
        r.to = fmin(r.to, middle + reach);
    }
    return r;
}

/// Is their region a line? Its length over its width is the root of what its curvatures are to
/// each other.
static bool is_slender(const run *r)
{
    double a = 1 / r->radius[0], b = 1 / r->radius[1];
    gmc_vec3 cross = gmc_vec3_cross(r->axis[0], r->axis[1]);
    double det = a * b * gmc_vec3_dot(cross, cross), both = a + b;
    double big = 0.5 * (both + sqrt(fmax(both * both - 4 * det, 0)));
    return big * big >= SLENDER * SLENDER * det;
}

/// Let rods that cross go on past their ends. @return false if they cross there
static bool let_cross(run *r)
{
    gmc_vec3 d = between(r, 0), way = gmc_vec3_sub(between(r, 1), d);
    double s = -gmc_vec3_dot(d, way) / gmc_vec3_dot(way, way);
    for (int i = 0; i < 2; i++) {
        double ahead = s - gmc_vec3_dot(r->t, gmc_vec3_sub(r->p[i], r->p[0]));
        if (fabs(ahead) > r->half[i] * r->level) return false;
        r->has_balls[i] = false;
    }
    double reach = 1.5 * (r->radius[0] + r->radius[1]); // √2 where all overlaps, at 60 degrees
    r->from = s - reach, r->to = s + reach;
    return true;
}

/// The contact from axis to axis at s.
static void press_at(const run *r, gmc_vec3 up, double s, gmc_contact_point *made)
{
    gmc_vec3 a = axis_at(r, 0, s), b = axis_at(r, 1, s), aside = gmc_vec3_sub(b, a);
    aside = gmc_vec3_add_scaled(aside, -gmc_vec3_dot(up, aside), up);
    double sum = r->radius[0] + r->radius[1], less = r->radius[0] - r->radius[1];
    made->n = gmc_vec3_unit(gmc_vec3_add_scaled(up, 1 / sum, aside));
    made->p = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
    made->p = gmc_vec3_add_scaled(made->p, 0.5 * less, made->n);
}

/// What stands for a part of the pad that begins at a depth: a record, and two points. Of less than
/// `shallow` it is that of so much, in proportion.
static gmc_coulomb_cap lay_part(const run *r, line *of, double from, double shallow, bool is_core,
                                gmc_contact_point made[2])
{
    double depth = of->deepest - from, looked = fmax(depth, shallow);
    integrate(r, of->deepest - looked, of);
    double middle = of->force_s / of->force, spread2 = of->force_ss / of->force - middle * middle;
    double spread = sqrt(fmax(spread2, 0));
    double out = spread * sqrt(fmax(2 * r->level * r->level - 1, 0));
    gmc_vec3 up = gmc_vec3_unit(seen(r, r->up));
    for (int i = 0; i < 2; i++)
        press_at(r, up, middle + (i ? out : -out), &made[i]);
    gmc_vec3 apart = gmc_vec3_scale(0.5, gmc_vec3_sub(made[1].p, made[0].p));
    double spin = spread / r->level - gmc_vec3_norm(apart);
    made[0].p = gmc_vec3_add_scaled(made[0].p, 1 - sqrt(3), apart); // pad.c draws them nearer
    made[1].p = gmc_vec3_add_scaled(made[1].p, sqrt(3) - 1, apart);
    if (is_core) made[0].n = made[1].n = up; // as hard at any angle: no couple

    // normals that lean have `upright` of the way and 1/upright of the force
    double upright = gmc_vec3_dot(up, gmc_vec3_add(made[0].n, made[1].n)) / 2;
    double deep = of->force / of->slope, level2 = r->level * r->level;
    double radius = r->radius[0] * r->radius[1] / (r->radius[0] + r->radius[1]) / level2;
    double gap = upright * (depth > 0 ? -depth * deep / looked : -depth);
    return (gmc_coulomb_cap){.radius = radius,
                             .force = 1,
                             .slope = 1,
                             .patch = 0.5 * of->slope / sqrt(deep * upright) / (upright * upright),
                             .spin = spin > 1e-6 * spread ? spin : 0, // not by rounding
                             .gap = is_core ? -depth : gap,           // pad.c has the mean
                             .deeper = looked / (deep * upright),
                             // (8/15) δ^(5/2) of (4/3)² (∫ δ^(3/2))²/(2 ∫ √δ), a whole line's 3/5
                             .stored = of->stored * of->slope / (of->force * of->force)};
}

/// Two contacts for the line on each part of the pad; none of one. @return how many
static int lay_line(const gmc_solid solids[2], const gmc_contact_point *point,
                    const gmc_surface_extra *pad, int contact, gmc_coulomb_step *step,
                    gmc_contact_point made[GMC_PAD_PARTS][2])
{
    run r = open_run(solids);
    line of;
    if (!is_slender(&r) && !let_cross(&r)) return 0;
    if (!(r.from < r.to) || fabs(gmc_vec3_dot(point->n, r.t)) > LEAN) return 0;
    find_deepest(&r, &of);
    double shallow = GMC_PAD_SHALLOW * pad->pad_edge, core_at = GMC_PAD_CORE * pad->pad_edge;
    double begins[GMC_PAD_PARTS] = {
        [GMC_PAD_CORE_PART] = core_at, [GMC_PAD_FIRM] = pad->pad_firm_at};
    for (int part = 0; part < GMC_PAD_PARTS; part++) {
        for (int i = 0; i < 2; i++) {
            made[part][i] = *point;
            made[part][i].feature = (uint64_t)i;
            made[part][i].gap = -of.deepest;
        }
        if (part == GMC_PAD_FIRM && !(pad->pad_firm > 0)) continue;
        bool is_core = part == GMC_PAD_CORE_PART;
        gmc_coulomb_cap cap = lay_part(&r, &of, begins[part], shallow, is_core, made[part]);
        cap.contact = contact;
        cap.part = (gmc_pad_part)part;
        step->caps[step->cap_count++] = cap;
    }
    return 2;
}

int gmc_coulomb_rods_find(gmc_coulomb_step *step, const gmc_contact_point *points, int count,
                          int contact, gmc_contact_point made[GMC_PAD_PARTS][2])
{
    const gmc_model *model = step->motion.world->model;
    int a = points->geom_a, b = points->geom_b;
    const gmc_geom *geoms = model->geoms;
    gmc_shape_type types[2] = {geoms[a].shape.type, geoms[b].shape.type};
    bool is_rod[2] = {gmc_shape_is_rod(types[0]), gmc_shape_is_rod(types[1])};
    if (!gmc_model_has_pad(model, a, b) || !(is_rod[0] || is_rod[1])) return 0;
    if (!(is_rod[0] || types[0] == GMC_SHAPE_SPHERE) ||
        !(is_rod[1] || types[1] == GMC_SHAPE_SPHERE))
        return 0;
    const gmc_solid solids[2] = {gmc_world_solid(step->motion.world, a),
                                 gmc_world_solid(step->motion.world, b)};
    const gmc_surface_law *law = gmc_model_law(model, geoms[a].surface, geoms[b].surface);
    if (is_rod[0] && is_rod[1]) {
        int found = lay_line(solids, points, law->extra, contact, step, made);
        if (found > 0) return found;
    }
    double radius = count == 1 ? radius_of(solids, points) : 0;
    if (radius > 0)
        step->caps[step->cap_count++] = (gmc_coulomb_cap){
            .contact = contact, .radius = radius, .force = 1, .slope = 1, .stored = 1, .deeper = 1};
    return 0;
}
