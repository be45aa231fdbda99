// Friction of flat contacts (flat.h): where it acts, and what it remembers.
//
// The points of one flat contact press with r_Ni at the corners p_i; their friction acts at
//
//   p_i' = p_i + inset (c - p_i),   c = Σ w_i p_i,   w_i = r_Ni / Σ r_N        (i)
//
// so Σ r_Ni p_i' = Σ r_Ni p_i: what slides without turning has its friction in the middle of its
// pressure, whatever that is. One point that presses alone has its friction where it is. The inset
// is such that points and area begin to slip at the same moment about the normal (below)
// beside the force that they bear:
//
//   1 - inset = m_area(f) / m_points(f)                                         (ii)
//
// with uniform pressure on the area's rectangle about c. Where c is off the rectangle's middle its
// sides are such that the second moments are those of a pressure that is linear, and zero beyond a
// line, along each axis. Well below the limit the inset does not matter.
//
// The middle moves with the load. What a contact remembers stays at its material: the deflection at
// p_i is how far the material there has moved, and, since bodies are rigid, at p_i' it is
//
//   δ_i' = δ_i + inset (Σ w_i δ_i - δ_i)                                        (iii)
//
// whatever w and inset are: what sticks does not creep as loads change. What slides comes back from
// the cone with δ' and has (iii) solved for δ.
//
// Weights and inset are those of the step before, as impulses are its warm start; where the
// solution differs from them by more than AGREEMENT the rows are laid anew and solved again. Where
// nothing slides and the moment is within what the area bears friction is what holds the bodies,
// wherever it acts, and (iii) is right for any weights: the middle is only where the springs are,
// and need not agree better than STICKING.

#include "engine/contact/coulomb/coulomb_internal.h"

// ---- the moment at which it slips --------------------------------------------------------------
// The moment about the normal at which a flat contact begins to slip that bears a force already:
// limit analysis of Coulomb friction under a known pressure.
//
// What turns with unit speed about a point q of the contact plane slides at x with |x - q|. A
// force f and a moment m about the origin, both per mu N, are borne as long as no motion takes
// more power from them than friction, so the largest moment is
//
//   m(f) = min over q of  E|x - q| - f x q,      f x q = f_x q_y - f_y q_x
//
// where E is the mean over the pressure. It is convex in q; from |f| = 1 on nothing is left.
//
// Goyal, Ruina, Papadopoulos, Planar sliding with dry friction, part 1, Wear 143 (1991) 307-330:
// limit surfaces of areas and of points.
//
// Newton's method on a convex function of two variables, with halved steps where it does not fall.
//
// Of a rectangle the mean distance from q is a sum over its corners, at (X, Y) from q, of
//
//   I(X, Y) = X Y r / 3 + X^3 asinh(Y / |X|) / 6 + Y^3 asinh(X / |Y|) / 6,     r^2 = X^2 + Y^2
//
// the integral of r from the origin to that corner, odd in X and in Y. A thin one is taken to be
// THIN wide, which adds 1e-4 to its mean distance.
//
// Among points q may be at one of them, where the mean distance has a kink: that is so if the pull
// of the others is within the weight of that one.

/// Half sides of a rectangle differ by at most this factor.
static const double THIN = 0.01;
/// The slope of what is least, which has no unit, where the search ends: the moment errs by its
/// square.
static const double SLOPE = 3e-5;
enum { ITERATIONS = 40, HALVINGS = 30 };

/// A function of q with its slope and curvature.
typedef struct jet {
    double f, x, y, xx, xy, yy;
} jet;

/// What q is looked for: mean distance less work of the force.
typedef struct load {
    const gmc_slip_point *points; ///< NULL: a rectangle of these half sides
    int count;
    double half[2], pull[2]; ///< pull: f x q = -pull . q
} load;

static double asinh_of(double y, double x) // x >= 0
{
    double ay = fabs(y), r = sqrt(x * x + y * y);
    double value = x > 0 ? gmc_log((ay + r) / x) : 0; // times x or x^2 where it is used
    return y < 0 ? -value : value;
}

static void add_corner(jet *sum, double sign, double x, double y)
{
    double r = sqrt(x * x + y * y);
    double along = asinh_of(y, fabs(x)), across = asinh_of(x, fabs(y));
    sum->f += sign * (2 * x * y * r + x * x * x * along + y * y * y * across) / 6;
    sum->x -= sign * (y * r + x * x * along) / 2;
    sum->y -= sign * (x * r + y * y * across) / 2;
    sum->xx += sign * x * along;
    sum->yy += sign * y * across;
    sum->xy += sign * r;
}

static jet of_rectangle(const double half[2], const double q[2])
{
    jet sum = {0};
    double scale = 1 / (4 * half[0] * half[1]);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? half[0] : -half[0]) - q[0], y = (i & 2 ? half[1] : -half[1]) - q[1];
        add_corner(&sum, i == 0 || i == 3 ? scale : -scale, x, y);
    }
    return sum;
}

static jet of_points(const gmc_slip_point *points, int count, const double q[2])
{
    jet sum = {0};
    for (int i = 0; i < count; i++) {
        double x = q[0] - points[i].x, y = q[1] - points[i].y, w = points[i].weight;
        double r = sqrt(x * x + y * y);
        if (!(r > 0)) continue;
        double ux = x / r, uy = y / r, bend = w / r;
        sum.f += w * r;
        sum.x += w * ux;
        sum.y += w * uy;
        sum.xx += bend * uy * uy;
        sum.xy -= bend * ux * uy;
        sum.yy += bend * ux * ux;
    }
    return sum;
}

static jet flat_look(const load *l, const double q[2])
{
    jet j = l->points ? of_points(l->points, l->count, q) : of_rectangle(l->half, q);
    j.f += l->pull[0] * q[0] + l->pull[1] * q[1];
    j.x += l->pull[0];
    j.y += l->pull[1];
    return j;
}

/// Newton's step, with a curvature added that fades with the slope: on a line through all points
/// there is none.
static void aim(const jet *at, double size, double step[2])
{
    double more = sqrt(at->x * at->x + at->y * at->y) / size;
    double xx = at->xx + more, yy = at->yy + more, det = xx * yy - at->xy * at->xy;
    step[0] = -(yy * at->x - at->xy * at->y) / det;
    step[1] = -(xx * at->y - at->xy * at->x) / det;
}

static double least_of(const load *l, double size, double q[2])
{
    jet at = flat_look(l, q);
    for (int i = 0; i < ITERATIONS && at.x * at.x + at.y * at.y > SLOPE * SLOPE; i++) {
        double step[2];
        aim(&at, size, step);
        double slope = step[0] * at.x + step[1] * at.y;
        bool is_lower = false;
        for (int k = 0; k < HALVINGS && !is_lower; k++) {
            double next[2] = {q[0] + step[0], q[1] + step[1]};
            jet there = flat_look(l, next);
            is_lower = there.f <= at.f + 1e-4 * slope;
            if (is_lower) {
                q[0] = next[0], q[1] = next[1];
                at = there;
            }
            step[0] *= 0.5, step[1] *= 0.5, slope *= 0.5;
        }
        if (!is_lower) break; // rounding
    }
    return at.f;
}

/// A force that leaves something, as a pull on q.
static void pull_of(const double force[2], double pull[2])
{
    double size = sqrt(force[0] * force[0] + force[1] * force[1]);
    double scale = size > GMC_SLIP_FORCE_MAX ? GMC_SLIP_FORCE_MAX / size : 1;
    pull[0] = scale * force[1];
    pull[1] = -scale * force[0];
}

double gmc_coulomb_slip_of_rectangle(const double half[2], const double force[2], double centre[2])
{
    double longest = gmc_max(half[0], half[1]);
    load l = {.half = {gmc_max(half[0], THIN * longest), gmc_max(half[1], THIN * longest)}};
    pull_of(force, l.pull);
    // of what is round and small against q: q = gyration / sqrt(1 - f^2) in the direction of -pull
    double left = 1 - l.pull[0] * l.pull[0] - l.pull[1] * l.pull[1];
    centre[0] = -l.pull[0] * longest / sqrt(3 * left);
    centre[1] = -l.pull[1] * longest / sqrt(3 * left);
    return least_of(&l, longest, centre);
}

/// Is q at point i?
static bool is_pivot(const load *l, int i)
{
    const double q[2] = {l->points[i].x, l->points[i].y};
    jet others = flat_look(l, q); // without point i, and what is in the same place
    double own = 0;
    for (int k = 0; k < l->count; k++)
        if (l->points[k].x == q[0] && l->points[k].y == q[1]) own += l->points[k].weight;
    return others.x * others.x + others.y * others.y <= own * own;
}

double gmc_coulomb_slip_of_points(const gmc_slip_point *points, int count, const double force[2],
                                  const double centre[2])
{
    load l = {.points = points, .count = count};
    double size = 0, q[2] = {centre[0], centre[1]};
    pull_of(force, l.pull);
    for (int i = 0; i < count; i++) {
        if (is_pivot(&l, i)) return flat_look(&l, (double[2]){points[i].x, points[i].y}).f;
        size = gmc_max(size, sqrt(points[i].x * points[i].x + points[i].y * points[i].y));
    }
    return least_of(&l, size, q);
}

// ---- flat contacts -----------------------------------------------------------------------------

/// How far the middle of the pressure may be from that of the rows, of the farthest point's
/// distance: the moment about the normal errs by as much. Quasi-static motion depends on nothing
/// but forces (measured: 3e-7 rad by the mass of what is pushed, with the former).
static const double AGREEMENT = 1e-4;
static const double AGREEMENT_QUASI_STATIC = 1e-9;
/// Both of lines that slide. Friction along a line has an arm of no more than it is off the middle
/// of its pressure: a capsule on plates went 6e-6 m beside its way on one with the others.
static const double AGREEMENT_LINE = 1e-6;
/// Of what sticks (measured: poses move by 1e-9 m, median of 100 trials).
static const double STICKING = 1e-2;
/// By how much of the area's half length the moment at which points slip may differ from the
/// area's.
static const double LIMIT_AGREEMENT = 1e-4;
enum { ROUNDS_MAX = 4, ROUNDS_MAX_QUASI_STATIC = 40 };

/// The inset moves no point to the middle itself.
static const double ARM_LEAST = 0.05;
/// The limit of the moment m beside a force f is at least m0 (1 - f^2), m0 that of a moment alone
/// and f as a share of the force alone: what lies across a line reaches it, all other rectangles
/// and directions bear more (on a grid of nine shapes, 13 directions, nine forces: 0.9999 of it and
/// more).
static const double WELL_BELOW = 0.999;

/// One contact of a flat contact.
typedef struct gmc_coulomb_flat_point {
    int contact, next;       ///< its index; the next one of the same, -1: none
    double weight;           ///< w
    double material[2];      ///< δ at the contact's material, along t1 and t2 [m]
    double laid[2], spun[2]; ///< as they are in its row: δ' less δ; the tangents' place [m]
} point;

struct gmc_coulomb_flat {
    int first; ///< of its points, -1: none
    const gmc_flat_area *area;
    double inset;
    double spin_driven; ///< of b against a about n by driven joints alone [rad/s]
    gmc_vec3 middle;    ///< c of the rows, world [m]
    double size;        ///< distance of the farthest point from it [m]
    point *points;
    gmc_slip_point *at; ///< room
};

static bool is_drawn(const gmc_contact *contact)
{
    bool has_pad = contact->extra && contact->law.extra->pad > 0; // coulomb_pad.c's
    return contact->point.area.half[0] > 0 && !has_pad;
}

// ---- rows --------------------------------------------------------------------------------------

/// Weights from normal impulses; equal ones where nothing presses yet.
/// @param is_solved  those of the solution, else those that contacts carry
static void weigh(const gmc_coulomb_step *step, struct gmc_coulomb_flat *flat, bool is_solved)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    double sum = 0;
    int count = 0;
    for (int i = flat->first; i >= 0; i = flat->points[i].next, count++) {
        point *p = &flat->points[i];
        double r = is_solved ? step->r[3 * p->contact] : contacts[p->contact].impulse[0];
        p->weight = r > 0 ? r : 0;
        sum += p->weight;
    }
    for (int i = flat->first; i >= 0; i = flat->points[i].next)
        flat->points[i].weight = sum > 0 ? flat->points[i].weight / sum : 1.0 / count;
}

static gmc_vec3 middle_of(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    gmc_vec3 about = contacts[flat->points[flat->first].contact].point.p, sum = {0, 0, 0};
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        gmc_vec3 arm = gmc_vec3_sub(contacts[flat->points[i].contact].point.p, about);
        sum = gmc_vec3_add_scaled(sum, flat->points[i].weight, arm);
    }
    return gmc_vec3_add(about, sum);
}

/// A vector of the contact plane from its parts along a contact's tangents.
static gmc_vec3 in_plane(const gmc_contact *contact, const double x[2])
{
    return gmc_vec3_add_scaled(gmc_vec3_scale(x[0], contact->dir[1]), x[1], contact->dir[2]);
}

/// Σ w δ
static gmc_vec3 mean_deflection(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat)
{
    gmc_vec3 sum = {0, 0, 0};
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        const point *p = &flat->points[i];
        const gmc_contact *contact = &step->motion.world->contacts.contacts[p->contact];
        sum = gmc_vec3_add_scaled(sum, p->weight, in_plane(contact, p->material));
    }
    return sum;
}

/// A flat contact seen from the middle of its pressure.
typedef struct flat_view {
    double half[2], longest; ///< of its area about it: half sides [m]
    int count;               ///< of flat->at: its points
    double force[2]; ///< borne per mu N, along and across; turned round where the moment is < 0
    double moment;   ///< borne per mu N, about the normal: its size [m]
} flat_view;

/// Half side of the uniform pressure about a middle that is off by e: of the variance of a linear
/// one on half, which from a third of half on is zero beyond a line.
static double half_about(double half, double e)
{
    double off = fabs(e);
    if (3 * off <= half) return sqrt(half * half - 3 * off * off);
    return off < half ? sqrt(1.5) * (half - off) : 0;
}

/// Half sides of the uniform pressure on a flat contact's area about a middle.
static void area_about(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                       gmc_vec3 middle, double half[2])
{
    gmc_vec3 n = step->motion.world->contacts.contacts[flat->points[flat->first].contact].dir[0];
    gmc_vec3 along = flat->area->along, off = gmc_vec3_sub(middle, flat->area->p);
    half[0] = half_about(flat->area->half[0], gmc_vec3_dot(off, along));
    half[1] = half_about(flat->area->half[1], gmc_vec3_dot(off, gmc_vec3_cross(n, along)));
}

static flat_view look_from(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                           gmc_vec3 middle)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    gmc_vec3 along = flat->area->along, n = contacts[flat->points[flat->first].contact].dir[0];
    gmc_vec3 across = gmc_vec3_cross(n, along), sum = {0, 0, 0};
    flat_view view = {.count = 0};
    double bound = 0;
    area_about(step, flat, middle, view.half);
    view.longest = gmc_max(view.half[0], view.half[1]);
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        const point *p = &flat->points[i];
        const gmc_contact *contact = &contacts[p->contact];
        const double *r = &step->r[3 * p->contact];
        gmc_vec3 t = in_plane(contact, r + 1), arm = gmc_vec3_sub(contact->point.p, middle);
        flat->at[view.count++] =
            (gmc_slip_point){gmc_vec3_dot(arm, along), gmc_vec3_dot(arm, across), p->weight};
        sum = gmc_vec3_add(sum, t);
        bound += contact->law.friction * (r[0] > 0 ? r[0] : 0);
        view.moment += gmc_vec3_dot(n, gmc_vec3_cross(arm, t));
        view.moment += p->spun[0] * r[1] + p->spun[1] * r[2];
    }
    double scale = bound > 0 ? (view.moment < 0 ? -1 : 1) / bound : 0;
    view.force[0] = scale * gmc_vec3_dot(sum, along);
    view.force[1] = scale * gmc_vec3_dot(sum, across);
    view.moment *= scale;
    return view;
}

/// Mean distance from the middle of a rectangle's points: kappa times the radius of gyration, with
/// kappa 0.866 (line) to 0.937 (square), to 0.3 %.
static double mean_distance(const double half[2])
{
    double xx = half[0] * half[0] / 3, yy = half[1] * half[1] / 3, gyration2 = xx + yy;
    if (!(gyration2 > 0)) return 0;
    double root = 2 * sqrt(xx * yy) / gyration2; // 1: a square
    return (0.866 + 0.0712 * root * sqrt(root)) * sqrt(gyration2);
}

/// Is it so for any directions of what the points bear? Its sum is at most that share of their
/// bounds, its moment that beside the farthest of them from the middle.
/// @param share2  square of the largest share of its bound that a point bears
/// @param off     of the middle from that of the rows [m]
static bool is_slight(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                      gmc_vec3 middle, double off, double share2)
{
    double half[2], farthest = (1 - flat->inset) * flat->size + off;
    area_about(step, flat, middle, half);
    return sqrt(share2) * farthest < WELL_BELOW * (1 - share2) * mean_distance(half);
}

static bool is_well_below(const flat_view *view)
{
    double force2 = view->force[0] * view->force[0] + view->force[1] * view->force[1];
    return view->moment < WELL_BELOW * (1 - force2) * mean_distance(view->half);
}

static double arm_between(const struct gmc_coulomb_flat *flat, double area, double points)
{
    double feet = flat->area->feet;
    if (!(points > 1e-6 * flat->area->half[0])) return 1; // one of them is the middle
    return gmc_min(gmc_max((1 - feet) * area / points + feet * flat->area->feet_arm, ARM_LEAST), 1);
}

/// 1 - inset at which area and points begin to slip together.
static double arm_at_limit(const struct gmc_coulomb_flat *flat, const flat_view *view)
{
    double centre[2];
    if (!(view->longest > 1e-6 * flat->area->half[0])) return 1; // a point
    double area = gmc_coulomb_slip_of_rectangle(view->half, view->force, centre);
    double points = gmc_coulomb_slip_of_points(flat->at, view->count, view->force, centre);
    return arm_between(flat, area, points);
}

/// Of a line, its second side is none.
static bool is_line(const struct gmc_coulomb_flat *flat)
{
    return !(flat->area->half[1] > 1e-6 * flat->area->half[0]);
}

static double limit_tolerance(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                              bool slides, const flat_view *view)
{
    double agreement = slides && is_line(flat) ? AGREEMENT_LINE : LIMIT_AGREEMENT;
    return (step->motion.is_centred ? agreement : AGREEMENT_QUASI_STATIC) * view->longest;
}

/// 1 - inset to begin with: that of the step before, else what a moment alone asks for, all but.
static double first_arm(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                        gmc_vec3 middle)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    for (int i = flat->first; i >= 0; i = flat->points[i].next)
        if (contacts[flat->points[i].contact].arm > 0) return contacts[flat->points[i].contact].arm;
    double points = 0;
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        gmc_vec3 arm = gmc_vec3_sub(contacts[flat->points[i].contact].point.p, middle);
        points += flat->points[i].weight * gmc_vec3_norm(arm);
    }
    return arm_between(flat, mean_distance(flat->area->half), points);
}

/// Write the row of one point for its present place.
static void lay_point(gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                      gmc_vec3 deflection, point *p)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[p->contact];
    gmc_ncp_contact *row = &step->contacts[p->contact];
    const gmc_vec3 *dir = contact->dir;
    gmc_vec3 way = gmc_vec3_scale(flat->inset, gmc_vec3_sub(flat->middle, contact->point.p));
    double e[2] = {gmc_vec3_dot(way, dir[1]), gmc_vec3_dot(way, dir[2])};
    const double spun[2] = {-e[1], e[0]};
    double spread = 1 / (step->motion.h + contact->law.relaxation);
    for (int i = 0; i < 2; i++) {
        double scale = contact->extra ? contact->extra->scale[i] : 1;
        double all = gmc_vec3_dot(deflection, dir[i + 1]);
        // impacts have no deflection
        double laid = contact->is_impact ? 0 : flat->inset * (all - p->material[i]);
        double driven = scale * flat->spin_driven * (spun[i] - p->spun[i]);
        row->spun[i] = scale * spun[i];
        row->bias[i + 1] += driven + scale * spread * (laid - p->laid[i]);
        if (contact->extra) contact->extra->driven[i + 1] += driven;
        row->hints.turned_arm[3 + i] = row->hints.turned_arm[1 + i] + e[i];
        p->laid[i] = laid;
        p->spun[i] = spun[i];
        if (!contact->is_impact) contact->deflection[i] = p->material[i] + laid;
    }
}

static void lay(gmc_coulomb_step *step, struct gmc_coulomb_flat *flat, gmc_vec3 middle,
                double inset)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    gmc_vec3 deflection = mean_deflection(step, flat);
    flat->middle = middle;
    flat->inset = inset;
    flat->size = 0;
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        lay_point(step, flat, deflection, &flat->points[i]);
        gmc_vec3 arm = gmc_vec3_sub(contacts[flat->points[i].contact].point.p, flat->middle);
        flat->size = gmc_max(gmc_vec3_norm(arm), flat->size);
    }
}

/// Points of flat contacts, each in the list of its own.
static void list_points(const gmc_coulomb_step *step, point *points, gmc_slip_point *at)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (int c = set->count - 1, made = 0; c >= 0; c--) { // lists are in the contacts' order
        const gmc_contact *contact = &set->contacts[c];
        if (!is_drawn(contact)) continue;
        struct gmc_coulomb_flat *flat = &step->flats[contact->point.flat];
        points[made] = (point){.contact = c,
                               .next = flat->first,
                               .material = {contact->deflection[0], contact->deflection[1]}};
        flat->first = made++;
        flat->area = &contact->point.area;
        flat->points = points;
        flat->at = at;
    }
}

/// Of b against a at velocities v of all dofs; NULL: zero [rad/s].
static double spin_about_normal(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                                const double *v)
{
    const gmc_kinematics *kin = &step->motion.world->kin;
    const gmc_contact *contact =
        &step->motion.world->contacts.contacts[flat->points[flat->first].contact];
    if (!v) return 0;
    gmc_vec3 w = gmc_vec3_sub(gmc_kinematics_twist(kin, contact->body_b, v).w,
                              gmc_kinematics_twist(kin, contact->body_a, v).w);
    return gmc_vec3_dot(w, contact->dir[0]);
}

/// Lists of the points of flat contacts, weighed by what contacts carry.
static gmc_status open_flats(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    int count = 0, flats = 0;
    step->flat_count = 0;
    for (int c = 0; c < set->count; c++) {
        if (!is_drawn(&set->contacts[c])) continue;
        count++;
        if (set->contacts[c].point.flat >= flats) flats = set->contacts[c].point.flat + 1;
    }
    if (count == 0) return GMC_OK;
    step->flats = GMC_ROOM(step->motion.scratch, flats, struct gmc_coulomb_flat);
    point *points = GMC_ROOM(step->motion.scratch, count, point);
    gmc_slip_point *at = GMC_ROOM(step->motion.scratch, count, gmc_slip_point);
    if (!step->flats || !points || !at) return GMC_E_ARENA_FULL;
    step->flat_count = flats;
    for (int i = 0; i < flats; i++)
        step->flats[i].first = -1;
    list_points(step, points, at);
    for (int i = 0; i < flats; i++)
        if (step->flats[i].first >= 0) weigh(step, &step->flats[i], false);
    return GMC_OK;
}

static bool is_driven(const gmc_coulomb_step *step, const double *v_driven)
{
    const gmc_model *model = step->motion.world->model;
    for (int i = model->free_count; i < model->dof_count && v_driven; i++)
        if (v_driven[i] != 0) return true;
    return false;
}

gmc_status gmc_coulomb_flat_rows(gmc_coulomb_step *step, const double *v_driven)
{
    GMC_TRY(open_flats(step));
    if (!is_driven(step, v_driven)) v_driven = NULL;
    for (int i = 0; i < step->flat_count; i++) {
        struct gmc_coulomb_flat *flat = &step->flats[i];
        if (flat->first < 0) continue;
        flat->spin_driven = spin_about_normal(step, flat, v_driven);
        gmc_vec3 middle = middle_of(step, flat);
        lay(step, flat, middle, 1 - first_arm(step, flat, middle));
    }
    return GMC_OK;
}

/// Does a point slide in the solution?
/// @param share2  out: if not, square of the largest share of its bound that one bears
static bool is_sliding(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                       double *share2)
{
    *share2 = 0;
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        int c = flat->points[i].contact;
        const double *r = &step->r[3 * c];
        double most = step->motion.world->contacts.contacts[c].law.friction * r[0];
        if (!(r[0] > 0)) continue;
        double size2 = r[1] * r[1] + r[2] * r[2];
        if (size2 >= (1 - 1e-6) * most * most) return true;
        *share2 = gmc_max(size2 / (most * most), *share2);
    }
    return false;
}

/// Does the solution agree with the inset of the rows? What has no moment does with any, and what
/// does not slide unless it is more than the area bears.
/// @param arm  out: 1 - inset of the solution where it does not
static bool agrees(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                   gmc_vec3 middle, bool slides, double *arm)
{
    flat_view view = look_from(step, flat, middle);
    double tolerance = limit_tolerance(step, flat, slides, &view), centre[2];
    *arm = 1 - flat->inset;
    if (view.moment <= tolerance) return true;
    if (!slides) {
        if (is_well_below(&view)) return true;
        double area = gmc_coulomb_slip_of_rectangle(view.half, view.force, centre);
        if (view.moment <= area + tolerance) return true;
    }
    *arm = arm_at_limit(flat, &view);
    return fabs(*arm - (1 - flat->inset)) * view.moment <= tolerance * *arm;
}

static double middle_tolerance(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                               bool slides)
{
    if (!step->motion.is_centred) return AGREEMENT_QUASI_STATIC;
    if (!slides) return STICKING;
    return is_line(flat) ? AGREEMENT_LINE : AGREEMENT;
}

bool gmc_coulomb_flat_limit(gmc_coulomb_step *step, int round)
{
    bool is_wrong = false;
    if (round > (step->motion.is_centred ? ROUNDS_MAX : ROUNDS_MAX_QUASI_STATIC)) return false;
    for (int i = 0; i < step->flat_count; i++) {
        struct gmc_coulomb_flat *flat = &step->flats[i];
        if (flat->first < 0) continue;
        weigh(step, flat, true);
        gmc_vec3 middle = middle_of(step, flat), off = gmc_vec3_sub(middle, flat->middle);
        double share2, arm = 1 - flat->inset, off2 = gmc_vec3_dot(off, off);
        bool slides = is_sliding(step, flat, &share2);
        double most = middle_tolerance(step, flat, slides) * flat->size;
        bool is_agreed = (!slides && is_slight(step, flat, middle, sqrt(off2), share2)) ||
                         agrees(step, flat, middle, slides, &arm);
        if (is_agreed && off2 <= most * most) continue;
        lay(step, flat, middle, 1 - arm);
        is_wrong = true;
    }
    return is_wrong;
}

// ---- after the solution ------------------------------------------------------------------------

/// Σ w δ at the end of the step, over what is closed: known of what sticks, of what slides by
/// (iii).
static gmc_vec3 mean_left(const gmc_coulomb_step *step, struct gmc_coulomb_flat *flat)
{
    double sliding = 0, inset = flat->inset;
    gmc_vec3 sum = {0, 0, 0};
    weigh(step, flat, true);
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        const point *p = &flat->points[i];
        const gmc_contact *contact = &step->motion.world->contacts.contacts[p->contact];
        bool is_sliding = contact->mode == GMC_CONTACT_SLIP;
        const double *known = is_sliding ? contact->deflection : p->material;
        double share = is_sliding ? p->weight / (1 - inset) : p->weight;
        if (is_sliding) sliding += p->weight;
        sum = gmc_vec3_add_scaled(sum, share, in_plane(contact, known));
    }
    return gmc_vec3_scale(1 / (1 + sliding * inset / (1 - inset)), sum);
}

/// Back to the contact's material. What sticks is there what it was and moves with it (contact.c).
static void keep_point(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                       gmc_vec3 mean, double spin, const point *p)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[p->contact];
    gmc_coulomb_anchor *anchor = &step->anchors[p->contact];
    contact->moment = p->spun[0] * contact->impulse[1] + p->spun[1] * contact->impulse[2];
    contact->arm = 1 - flat->inset;
    if (contact->mode == GMC_CONTACT_OPEN || contact->is_impact) return;
    for (int i = 0; i < 2; i++) {
        double at_mean = gmc_vec3_dot(mean, contact->dir[i + 1]);
        if (contact->mode == GMC_CONTACT_SLIP) {
            contact->deflection[i] =
                (contact->deflection[i] - flat->inset * at_mean) / (1 - flat->inset);
            anchor->expected[i] -= step->motion.h * spin * p->spun[i];
        } else {
            contact->deflection[i] = p->material[i];
            anchor->expected[i] = 0;
        }
    }
    if (contact->is_anchored) return;
    contact->deflection_a = gmc_vec3_add(gmc_vec3_scale(contact->deflection[0], anchor->dir_a[0]),
                                         gmc_vec3_scale(contact->deflection[1], anchor->dir_a[1]));
}

/// Does a point slide that is kept?
static bool has_slid(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    for (int i = flat->first; i >= 0; i = flat->points[i].next)
        if (contacts[flat->points[i].contact].mode == GMC_CONTACT_SLIP) return true;
    return false;
}

void gmc_coulomb_flat_keep(const gmc_coulomb_step *step)
{
    for (int k = 0; k < step->flat_count; k++) {
        struct gmc_coulomb_flat *flat = &step->flats[k];
        if (flat->first < 0) continue;
        gmc_vec3 mean = {0, 0, 0};
        double spin = 0;
        if (has_slid(step, flat)) { // what sticks needs neither
            mean = mean_left(step, flat);
            spin = spin_about_normal(step, flat, step->motion.v);
        }
        for (int i = flat->first; i >= 0; i = flat->points[i].next)
            keep_point(step, flat, mean, spin, &flat->points[i]);
    }
}
