// Pads under a face in the default stepper: of a box, a mesh, a plane or the end of a cylinder. A
// bed of springs bears the integral of its pressure over what is compressed (patch.h); the step
// takes it at the end of the step, as any spring:
//
//   F = k ∫ max(0, d + δ) dA,   d depth as the step begins, δ = -h u_N what the step adds to it
//
// both linear in the place. With the region where d + δ > 0 known, force and moments are linear in
// the motion, and seven contacts have them exactly: each is a spring k times its share of the area,
// at its place, with its depth (gmc_patch_place). Friction is the contacts' own, so sliding and
// spinning have one limit surface. The region is that of the solution: solve, look where the motion
// leaves the surfaces, solve again until the two agree - Newton's method on a convex energy, so
// implicit in time, and a body that rocks loses energy. What rests needs no second round.
//
// What it loses so depends on the step, for the region at the end bears over the whole of it, and a
// block goes from edge to edge of its base within 8 ms. So steps in which a region changes by LEAP
// are refused while they are long, as those of strikes are (coulomb.h). A block let go at 8 degrees
// then comes back to 6.0 at any step, where 6.1 is right and 4.2 came out at 4 ms. Tried instead,
// degrees at 4 ms and energy from nowhere on stiff pads, share of all:
//
//   region as the step begins        5.4, 0.11    half way                   5.0, 0.03
//   mean of regions over the step    5.2, 0.08    dampers of second order    4.2, not looked at
//   LEAP of middles alone            6.0, but 4.0 on a stiff pad, where 5.6 is right
//
// The ground, whose columns are integrated, is a face of either solid: the one that looks along the
// collider's normal; where both do that of the layer, which gives way along its own normal, and of
// two layers the softer one's. (The larger of the two, as before, made a box between pads turn by
// 0.03 rad at a height of 21.0 mm and by 0.38 rad at 21.5 mm, where its face is as large as theirs;
// it is left for two equal layers.) It stays while it looks along the normal and covers what is
// deepest. It also stays where the normal has gone aside at once: of a lap that is shorter than its
// depth the shortest way out is sideways, and with the pad's side for the ground what is held would
// be squeezed out. A facet of something curved soon does not cover what is deepest, for the solid
// is wider below it: as a mug turned on the edge of a pad of 3 mm, one had columns of 1.1 mm where
// the two were 3.7 mm in each other, and once the normal changed the mug was thrown. Where neither
// it nor the facet that looks along the normal now covers, the other solid's face is the ground,
// even askew. Worst overlap of a mug of 12 draws in pads, of 4.2 and 4.9 mm at 1 and 4 ms, and
// energy from nowhere, of 9 and 17 %:
//
//   with it                            2.2, 2.2 mm    0.02, 0.05 %
//   the larger face, however askew     2.6, 2.8       0.08, 0.3; a prism that turns between edges
//                                                     without friction is driven
//   the facet along the normal, always 4.2, 4.3       9, 14
//   depth of a new ground as slack     4.1, 4.9       6, 6
//
// The layer has a bottom: columns that are deeper than GMC_PAD_CORE of its thickness press on what
// carries it, as hard as the surfaces are without a pad, by seven more contacts. Two
// pads, one of which is at its bottom first, have seven for the second bed (pad.h).
//
// A pad that is overlapped as a trial starts is taken as lower by that much, all of it, and rises
// as other overlaps are given back (contact.h): the patch begins at that depth. Slack of each point
// by itself, which then moves over the body, threw boxes of 1 g apart at 0.4 m/s.
//
// What bounces (coulomb_bounce.c) does so over the region as the step begins: while a row is an
// impact's its region stays. Moved to where the solution has it, the row was a spring's again, and
// of all that strikes a pad faces and balls alone bounced.
//
// Balls, and rods side to side, press by pad.c's formulas; their bottom has a contact of its own
// for each point.

#include "engine/base/check.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/contact/coulomb/pad.h"
#include "engine/contact/coulomb/patch.h"

#include <stdlib.h>
#include <string.h>

/// Depth of the region that a patch has before it touches, against the layer's thickness.
static const double SHALLOW = 1e-3;
/// Faces that look along the normal by this cosine may be the ground; one that was stays by that.
static const double FACING = 0.866, FACING_KEEP = 0.766;
/// Faces that look along the normal by less, either way, have it aside.
static const double FACING_ASIDE = 0.3;
/// Faces that lean from the normal by more are no ground even where the others do not cover: of a
/// box some face always leans less.
static const double FACING_LEAST = 0.57;
/// Depth that a ground has to have over it, against the overlap; 0.8 and 0.95 do as well, 0.5 does
/// not.
static const double COVERED = 0.9;
enum { ROUNDS_MAX = 12, REGIONS = 3, POINTS_MAX = 8 };
/// Share of a region's area, or of its radius by which its middle moves, that a long step may
/// change. With half of it turning points move by less than 0.1 degrees.
static const double LEAP = 0.2;
/// Slower depths are no blow, and what settles is not looked at [m/s].
static const double LEAP_SPEED = 1e-2;
/// Relative disagreement of regions that is let pass: forces err by its square.
static const double AGREEMENT = 1e-4;

/// A region of one patch and the contacts that stand for it.
typedef struct pressed {
    int first;     ///< of its contacts; -1: none
    int name;      ///< of its first point
    double weight; ///< of its bed against the layer's; 0: the core
    double from;   ///< depth at which it begins: 0, that of the core [m]
    double sunk;   ///< how much deeper that is as the step begins: overlap of the trial's start, as
                   ///< far as it is not given back [m]
    gmc_patch_moments moments;
    gmc_patch_points points; ///< that stand for it
} pressed;

struct gmc_coulomb_pad {
    gmc_patch patch;
    int geom_a, geom_b;
    int ground;                 ///< as gmc_contact_extra
    const gmc_surface_law *law; ///< the model's
    pressed layer, core, firm;  ///< firm: the second bed of two pads (pad.h)
    gmc_patch_field left;       ///< depth that the last solution takes away
};

// ---- the ground --------------------------------------------------------------------------------

static int code_of(int face, bool is_b) { return is_b ? -(face + 1) : face + 1; }

/// The face of a solid that looks along the normal most.
static int facing(const gmc_solid *solid, bool is_b, gmc_vec3 n, double *cosine)
{
    int face = gmc_patch_face(solid, is_b ? gmc_vec3_neg(n) : n, cosine);
    return code_of(face, is_b);
}

/// How two solids overlap.
typedef struct met {
    gmc_vec3 n;       ///< shortest way out, from a to b
    double depth;     ///< along it [m]
    double thickness; ///< of the layer [m]
    int before;       ///< ground of the step before; 0: none
    int carrier;      ///< of the layer: 0 a, 1 b, -1 both do
} met;

/// Of two faces that look along the normal: where both do well the layer's, of two that are the
/// same the larger; else that which does better.
static bool is_bs(const gmc_solid *a, const gmc_solid *b, const met *of, const int codes[2],
                  const double cosines[2])
{
    bool both = cosines[0] > FACING && cosines[1] > FACING;
    if (both && of->carrier >= 0) return of->carrier == 1;
    if (both) return gmc_patch_face_area(b, -codes[1] - 1) > gmc_patch_face_area(a, codes[0] - 1);
    return cosines[1] > cosines[0];
}

/// How well a face looks along the normal: the cosine.
static double cosine_of(const gmc_solid *a, const gmc_solid *b, gmc_vec3 n, int ground)
{
    if (ground > 0) return gmc_vec3_dot(gmc_patch_face_normal(a, ground - 1), n);
    return -gmc_vec3_dot(gmc_patch_face_normal(b, -ground - 1), n);
}

static gmc_status open_ground(const gmc_solid *a, const gmc_solid *b, int ground, gmc_arena *arena,
                              gmc_patch *patch)
{
    bool is_b = ground < 0;
    return gmc_patch_open(is_b ? b : a, abs(ground) - 1, is_b ? a : b, arena, patch);
}

/// How deep the other solid is over a ground.
static gmc_status deepest_over(const gmc_solid *a, const gmc_solid *b, int ground, gmc_arena *arena,
                               double *depth)
{
    size_t mark = gmc_arena_mark(arena);
    gmc_patch patch;
    GMC_TRY(open_ground(a, b, ground, arena, &patch));
    *depth = gmc_patch_integrate(&patch, (gmc_patch_field){0, 0, 0}).deepest;
    gmc_arena_reset(arena, mark);
    return GMC_OK;
}

/// Does what of the other solid is deepest stand over a face? A way out along its normal is as long
/// as its deepest column, so less than the overlap, the shortest way out, says that the columns
/// miss something. Those of boxes and of the ends of cylinders, which are as wide below, miss
/// nothing.
static gmc_status covers(const gmc_solid *a, const gmc_solid *b, int ground, double overlap,
                         gmc_arena *arena, bool *does)
{
    const gmc_solid *owner = ground < 0 ? b : a;
    *does = owner->shape->type != GMC_SHAPE_POLYTOPE || !(overlap > 0);
    if (*does) return GMC_OK;
    double depth;
    GMC_TRY(deepest_over(a, b, ground, arena, &depth));
    *does = depth >= COVERED * overlap;
    return GMC_OK;
}

/// Does the ground of the step before stay? While it looks along the normal; and where that has
/// gone aside at once, for the ground is lapped over by less than it is pressed in, as long as what
/// presses is within the layer. A body that turns over the edge takes the normal along.
static gmc_status stays(const gmc_solid *a, const gmc_solid *b, const met *of, gmc_arena *arena,
                        bool *does)
{
    *does = false;
    if (of->before == 0) return GMC_OK;
    double depth, cosine = cosine_of(a, b, of->n, of->before);
    *does = cosine > FACING_KEEP;
    if (*does || fabs(cosine) > FACING_ASIDE) return GMC_OK;
    GMC_TRY(deepest_over(a, b, of->before, arena, &depth));
    *does = depth >= COVERED * of->depth && depth <= of->thickness;
    return GMC_OK;
}

static gmc_status choose_ground(const gmc_solid *a, const gmc_solid *b, const met *of,
                                gmc_arena *arena, int *ground)
{
    if (a->shape->type == GMC_SHAPE_PLANE || b->shape->type == GMC_SHAPE_PLANE) {
        *ground = code_of(0, a->shape->type != GMC_SHAPE_PLANE);
        return GMC_OK;
    }
    double cosines[2];
    int codes[2] = {facing(a, false, of->n, &cosines[0]), facing(b, true, of->n, &cosines[1])};
    bool is_b = is_bs(a, b, of, codes, cosines), does;
    GMC_TRY(stays(a, b, of, arena, &does));
    int first = does ? of->before : codes[is_b];
    const int candidates[] = {first, codes[is_b], codes[!is_b]};
    int count = cosines[!is_b] > FACING_LEAST ? 3 : 2;
    for (int i = 0; i < count; i++) {
        *ground = candidates[i];
        GMC_TRY(covers(a, b, *ground, of->depth, arena, &does));
        if (does) return GMC_OK;
    }
    *ground = first;
    return GMC_OK;
}

/// What a pair was in the step before.
typedef struct pair_before {
    int ground;                         ///< if it pressed; 0: it did not
    double sunk[REGIONS];               ///< of its layer, core and firm [m]
    const gmc_contact *points[REGIONS]; ///< the first of each; NULL: it had none
} pair_before;

/// The set is not matched yet.
/// @param at  in, out: where to look on
static pair_before look_back(const gmc_contact_set *set, const gmc_contact_point *point, int *at)
{
    pair_before before = {0};
    for (; *at < set->count; ++*at) {
        const gmc_contact *c = &set->contacts[*at];
        bool is_before = c->point.geom_a < point->geom_a ||
                         (c->point.geom_a == point->geom_a && c->point.geom_b < point->geom_b);
        if (is_before) continue;
        if (c->point.geom_a != point->geom_a || c->point.geom_b != point->geom_b) break;
        if (!c->extra || c->extra->ground == 0) continue;
        uint64_t region = c->point.feature / GMC_PATCH_POINTS;
        before.sunk[region] = c->sunk;
        if (c->point.feature % GMC_PATCH_POINTS == 0) before.points[region] = c;
        if (c->impulse[0] > 0 || c->sunk > 0) before.ground = c->extra->ground;
    }
    return before;
}

// ---- regions -----------------------------------------------------------------------------------

/// Depth that the motion V of b against a takes away within h, over the ground.
static gmc_patch_field field_of(const struct gmc_coulomb_pad *pad, const gmc_twist *V, double h)
{
    const gmc_patch_ground *g = &pad->patch.ground;
    double s = pad->ground > 0 ? h : -h; // n points out of the ground, from a to b if it is a's
    return (gmc_patch_field){s * gmc_vec3_dot(g->n, gmc_twist_at(V, g->origin)),
                             s * gmc_vec3_dot(g->n, gmc_vec3_cross(V->w, g->x)),
                             s * gmc_vec3_dot(g->n, gmc_vec3_cross(V->w, g->y))};
}

/// Of what is compressed at the end of the step; of what would be first where nothing is.
static gmc_patch_moments compressed(struct gmc_coulomb_pad *pad, gmc_patch_field level, double from)
{
    level.at_0 += from;
    gmc_patch_moments moments = gmc_patch_integrate(&pad->patch, level);
    double shallow = SHALLOW * pad->law->extra->pad_edge;
    bool is_pressed = moments.above > shallow && moments.area > 0;
    if (is_pressed || !(moments.above > -HUGE_VAL)) return moments;
    // a sliver may be between the slices of a rod's rule: wider, for without points the pair
    // forgets how far it has sunk
    double above = moments.above, surface = level.at_0 + above;
    for (double deep = shallow; deep <= pad->law->extra->pad_edge; deep *= 4) {
        level.at_0 = surface - deep;
        moments = gmc_patch_integrate(&pad->patch, level);
        if (moments.area > 0) break;
    }
    moments.above = above;
    return moments;
}

/// The turn of a ring, in sixths, by which its points are nearest to those of before: the direction
/// of a region that is as wide as long, or that lies across the ground's axes, changes with
/// rounding, and what slips there would have the memory of its neighbour each step (edges that
/// slipped at one end shook at 0.2 rad/s).
/// @param places  of which the first six are turned
static void keep_names(const gmc_patch_ground *g, const gmc_contact *before,
                       gmc_patch_points *places)
{
    enum { RING = 6 };
    double x[RING], y[RING], mean_x = 0, mean_y = 0, most = -INFINITY;
    int turn = 0;
    for (int i = 0; i < RING; i++) {
        x[i] = gmc_vec3_dot(before[i].point.p, g->x);
        y[i] = gmc_vec3_dot(before[i].point.p, g->y);
        mean_x += x[i] / RING;
        mean_y += y[i] / RING;
    }
    for (int k = 0; k < RING; k++) {
        double along = 0;
        for (int i = 0; i < RING; i++) {
            int j = (i + k) % RING;
            along += (x[i] - mean_x) * places->x[j] + (y[i] - mean_y) * places->y[j];
        }
        if (!(along > most)) continue;
        most = along;
        turn = k;
    }
    if (turn == 0) return;
    gmc_patch_points now = *places;
    for (int i = 0; i < RING; i++) {
        places->x[i] = now.x[(i + turn) % RING];
        places->y[i] = now.y[(i + turn) % RING];
        places->depth[i] = now.depth[(i + turn) % RING];
    }
}

/// @param before  contacts that stood for it last; NULL: none did
/// @return whether it has points
static bool find_points(const gmc_coulomb_step *step, struct gmc_coulomb_pad *pad,
                        gmc_patch_field level, const gmc_contact *before, pressed *region,
                        gmc_contact_point *points)
{
    const gmc_patch_ground *g = &pad->patch.ground;
    double from = region->from + gmc_coulomb_sunk(step, region->sunk);
    region->moments = compressed(pad, level, from);
    level.at_0 += from;
    if (!(region->moments.area > 0)) return false;
    gmc_patch_points *places = &region->points;
    gmc_patch_place(&region->moments, level, places);
    if (before) keep_names(g, before, places);
    for (int i = 0; i < GMC_PATCH_POINTS; i++) {
        gmc_vec3 p = gmc_vec3_add_scaled(g->origin, places->x[i], g->x);
        p = gmc_vec3_add_scaled(p, places->y[i], g->y);
        points[i] = (gmc_contact_point){.geom_a = pad->geom_a,
                                        .geom_b = pad->geom_b,
                                        .feature = (uint64_t)(i + region->name),
                                        .p = gmc_vec3_add_scaled(p, -0.5 * places->depth[i], g->n),
                                        .n = pad->ground > 0 ? g->n : gmc_vec3_neg(g->n),
                                        .gap = region->from - places->depth[i]};
    }
    return true;
}

/// Points of a pair in the making.
typedef struct pair_points {
    int first; ///< contact that the first one will be
    int count;
    gmc_contact_point *points; ///< room for three regions
} pair_points;

/// Points of a region below the layer, if half the way to it is gone: it may be reached within the
/// step.
static void lay_below(const gmc_coulomb_step *step, struct gmc_coulomb_pad *pad,
                      gmc_patch_field level, const gmc_contact *before, pressed *region,
                      pair_points *to)
{
    if (!(pad->layer.moments.above + pad->layer.sunk > 0.5 * region->from)) return;
    if (!find_points(step, pad, level, before, region, to->points + to->count)) return;
    region->first = to->first + to->count;
    to->count += GMC_PATCH_POINTS;
}

/// @param points  room for three regions
/// @return how many points
static int lay_points(const gmc_coulomb_step *step, const pair_before *before,
                      struct gmc_coulomb_pad *pad, int first, gmc_contact_point *points)
{
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    double h = step->motion.h;
    gmc_twist V = gmc_twist_add_scaled(world->kin.V[geoms[pad->geom_b].body], -1,
                                       world->kin.V[geoms[pad->geom_a].body]);
    gmc_patch_field level = field_of(pad, &V, h);
    const gmc_surface_extra *extra = pad->law->extra;
    pad->layer = (pressed){.first = -1, .weight = 1, .sunk = before->sunk[0]};
    pad->core = (pressed){.first = -1,
                          .name = GMC_PATCH_POINTS,
                          .from = GMC_PAD_CORE * extra->pad_edge,
                          .sunk = before->sunk[1]};
    pad->firm = (pressed){.first = -1,
                          .name = 2 * GMC_PATCH_POINTS,
                          .weight = extra->pad_firm / extra->pad,
                          .from = extra->pad_firm_at,
                          .sunk = before->sunk[2]};
    if (step->motion.is_start) {
        gmc_patch_moments now = gmc_patch_integrate(&pad->patch, (gmc_patch_field){0, 0, 0});
        if (now.deepest > 0) pad->layer.sunk = now.deepest;
        if (now.deepest > pad->core.from) pad->core.sunk = now.deepest - pad->core.from;
        if (now.deepest > pad->firm.from) pad->firm.sunk = now.deepest - pad->firm.from;
    }
    const gmc_contact *const *known = before->points, *none[REGIONS] = {NULL};
    if (before->ground != pad->ground) known = none; // points of another face
    if (!find_points(step, pad, level, known[0], &pad->layer, points)) return 0;
    pad->layer.first = first;
    pair_points to = {.first = first, .count = GMC_PATCH_POINTS, .points = points};
    lay_below(step, pad, level, known[1], &pad->core, &to);
    if (pad->firm.weight > 0) lay_below(step, pad, level, known[2], &pad->firm, &to);
    return to.count;
}

static int carrier_of(const gmc_surface_law *law, int surface_a, int surface_b)
{
    int carrier = law->extra->pad_surface;
    if (surface_a == surface_b) return -1;
    return surface_a == carrier ? 0 : surface_b == carrier ? 1 : -1;
}

/// @param count  points of the pair
static gmc_status open_pad(gmc_coulomb_step *step, const gmc_contact_point *points, int count,
                           int before, struct gmc_coulomb_pad *pad)
{
    const gmc_model *model = step->motion.world->model;
    int i = points->geom_a, j = points->geom_b;
    gmc_solid a = gmc_world_solid(step->motion.world, i),
              b = gmc_world_solid(step->motion.world, j);
    const gmc_geom *geoms = model->geoms;
    const gmc_surface_law *law = gmc_model_law(model, geoms[i].surface, geoms[j].surface);
    met overlap = {.n = points->n,
                   .thickness = law->extra->pad_edge,
                   .before = before,
                   .carrier = carrier_of(law, geoms[i].surface, geoms[j].surface)};
    for (int k = 0; k < count; k++)
        overlap.depth = fmax(overlap.depth, -points[k].gap);
    *pad = (struct gmc_coulomb_pad){.geom_a = i, .geom_b = j, .law = law};
    GMC_TRY(choose_ground(&a, &b, &overlap, step->motion.scratch, &pad->ground));
    return open_ground(&a, &b, pad->ground, step->motion.scratch, &pad->patch);
}

/// Does a pair press by a patch? Two rods do where the end of one faces the other.
static bool has_patch(const gmc_world *world, const gmc_contact_point *point)
{
    int a = point->geom_a, b = point->geom_b;
    const gmc_geom *geoms = world->model->geoms;
    if (gmc_model_has_patch(world->model, a, b)) return true;
    if (!gmc_shape_is_rod(geoms[a].shape.type) || !gmc_shape_is_rod(geoms[b].shape.type) ||
        !gmc_model_has_pad(world->model, a, b))
        return false;
    gmc_solid solid_a = gmc_world_solid(world, a), solid_b = gmc_world_solid(world, b);
    double cosine_a, cosine_b;
    (void)gmc_patch_face(&solid_a, point->n, &cosine_a);
    (void)gmc_patch_face(&solid_b, gmc_vec3_neg(point->n), &cosine_b);
    return fmax(cosine_a, cosine_b) > FACING;
}

/// How many pairs press by patches.
/// @param on_pads  out: how many points press on pads by formulas
static int count_patches(const gmc_world *world, const gmc_contact_point *points, int count,
                         int *on_pads)
{
    int patches = 0;
    bool has_it = false;
    *on_pads = 0;
    for (int i = 0; i < count; i++) {
        const gmc_contact_point *p = &points[i];
        bool is_first = i == 0 || p->geom_a != p[-1].geom_a || p->geom_b != p[-1].geom_b;
        if (is_first) has_it = has_patch(world, p);
        patches += is_first && has_it;
        *on_pads += !has_it && gmc_model_has_pad(world->model, p->geom_a, p->geom_b);
    }
    return patches;
}

/// What lies below a layer, and points on it.
typedef struct below {
    gmc_pad_part part;
    double from;                 ///< depth at which it begins [m]
    const gmc_contact_point *of; ///< what the pair's points are there
} below;

/// Points on what lies below a layer, behind `made` others, of those that go half the way to it
/// within the step.
/// @param ahead  (count) normal velocities times the step [m]
/// @return how many there are then
static int copy_below(const gmc_contact_point *points, int count, const double *ahead, below it,
                      int made, gmc_contact_point *all)
{
    for (int i = 0; i < count; i++) {
        if (!(-points[i].gap - fmin(ahead[i], 0) > 0.5 * it.from)) continue;
        all[made] = it.of[i];
        all[made].feature = gmc_pad_name(points[i].feature, it.part);
        all[made++].gap += it.from;
    }
    return made;
}

/// Points that press by formulas, and behind them those below the layer.
/// @param parts  (count) each, on the parts of the pad
/// @return how many
static int copy_points(const gmc_coulomb_step *step,
                       const gmc_contact_point *const parts[GMC_PAD_PARTS], int count,
                       gmc_contact_point *all)
{
    const gmc_contact_point *points = parts[GMC_PAD_LAYER];
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    int made = count, a = points->geom_a, b = points->geom_b;
    memcpy(all, points, (size_t)count * sizeof *all);
    if (!gmc_model_has_pad(world->model, a, b)) return made;
    const gmc_surface_law *law = gmc_model_law(world->model, geoms[a].surface, geoms[b].surface);
    const gmc_surface_extra *pad = law->extra;
    gmc_twist V =
        gmc_twist_add_scaled(world->kin.V[geoms[b].body], -1, world->kin.V[geoms[a].body]);
    double ahead[POINTS_MAX];
    GMC_ASSERT(count <= POINTS_MAX);
    for (int i = 0; i < count; i++)
        ahead[i] = step->motion.h * gmc_vec3_dot(points[i].n, gmc_twist_at(&V, points[i].p));
    const below core = {GMC_PAD_CORE_PART, GMC_PAD_CORE * pad->pad_edge, parts[GMC_PAD_CORE_PART]};
    made = copy_below(points, count, ahead, core, made, all);
    const below firm = {GMC_PAD_FIRM, pad->pad_firm_at, parts[GMC_PAD_FIRM]};
    if (pad->pad_firm > 0) made = copy_below(points, count, ahead, firm, made, all);
    return made;
}

gmc_status gmc_coulomb_pad_find(gmc_coulomb_step *step, gmc_contact_point *points, int *count)
{
    gmc_world *world = step->motion.world;
    int on_pads, patches = count_patches(world, points, *count, &on_pads), made = 0, at = 0;
    step->pad_count = step->cap_count = 0;
    if (patches == 0 && on_pads == 0) return GMC_OK;
    size_t room = (size_t)(*count + 5 * on_pads) + REGIONS * GMC_PATCH_POINTS * (size_t)patches;
    gmc_contact_point *all = GMC_ROOM(step->motion.scratch, room, gmc_contact_point);
    step->pads = GMC_ROOM(step->motion.scratch, patches, struct gmc_coulomb_pad);
    step->caps = GMC_ROOM(step->motion.scratch, 3 * on_pads, gmc_coulomb_cap);
    if (!all || !step->pads || !step->caps) return GMC_E_ARENA_FULL;
    for (int i = 0, end; i < *count; i = end) {
        for (end = i + 1; end < *count && points[end].geom_a == points[i].geom_a &&
                          points[end].geom_b == points[i].geom_b;)
            end++;
        if (!has_patch(world, &points[i])) {
            gmc_contact_point line[GMC_PAD_PARTS][2];
            if (end == i + 1) GMC_TRY(gmc_coulomb_cap_find(step, points, *count, i, made));
            int found = gmc_coulomb_rods_find(step, points + i, end - i, made, line);
            const gmc_contact_point *parts[GMC_PAD_PARTS];
            for (int k = 0; k < GMC_PAD_PARTS; k++)
                parts[k] = found > 0 ? line[k] : points + i;
            made += copy_points(step, parts, found > 0 ? found : end - i, all + made);
            continue;
        }
        struct gmc_coulomb_pad *pad = &step->pads[step->pad_count];
        pair_before before = look_back(&world->contacts, &points[i], &at);
        GMC_TRY(open_pad(step, &points[i], end - i, before.ground, pad));
        int laid = lay_points(step, &before, pad, made, all + made);
        made += laid;
        if (laid > 0) step->pad_count++;
    }
    if (made > world->contacts.capacity) return GMC_E_LIMIT;
    memcpy(points, all, (size_t)made * sizeof *points);
    *count = made;
    return GMC_OK;
}

// ---- contacts ----------------------------------------------------------------------------------

/// Shares of the points of a region, in the contacts' extras.
/// @param is_new  the step has given nothing back yet
static void share(const gmc_coulomb_step *step, const struct gmc_coulomb_pad *pad,
                  const pressed *region, bool is_new)
{
    if (region->first < 0) return;
    for (int i = 0; i < GMC_PATCH_POINTS; i++) {
        gmc_contact *contact = &step->motion.world->contacts.contacts[region->first + i];
        contact->extra->ground = pad->ground;
        if (is_new) contact->sunk = region->sunk;
        contact->extra->radius = 0;
        contact->extra->patch = region->weight * region->points.share[i];
        contact->law.tangential_ratio = contact->law.extra->pad_shear;
    }
}

void gmc_coulomb_pad_share(const gmc_coulomb_step *step)
{
    for (int i = 0; i < step->pad_count; i++) {
        share(step, &step->pads[i], &step->pads[i].layer, true);
        share(step, &step->pads[i], &step->pads[i].core, true);
        share(step, &step->pads[i], &step->pads[i].firm, true);
    }
}

/// Are two regions the same, as far as forces go?
static bool agrees(const gmc_patch_moments *a, const gmc_patch_moments *b)
{
    if (!(fabs(a->area - b->area) <= AGREEMENT * b->area)) return false;
    double x = b->x / b->area, y = b->y / b->area;
    double dx = a->x / a->area - x, dy = a->y / a->area - y;
    double size2 = (b->xx + b->yy) / b->area - x * x - y * y;
    return dx * dx + dy * dy <= AGREEMENT * AGREEMENT * size2;
}

/// Is some of its contacts in an impact? Their rows are that one's until it is over: what strikes
/// is stopped and thrown back where it would have pressed.
static bool is_struck(const gmc_coulomb_step *step, const pressed *region)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    if (region->first < 0) return false;
    for (int i = 0; i < GMC_PATCH_POINTS; i++)
        if (contacts[region->first + i].is_impact) return true;
    return false;
}

/// A region where the solution has it. @return whether it differs from that of the rows
static bool move_region(gmc_coulomb_step *step, struct gmc_coulomb_pad *pad, gmc_patch_field level,
                        const gmc_twist *driven, pressed *region)
{
    gmc_contact_point points[GMC_PATCH_POINTS];
    const pressed before = *region;
    if (region->first < 0 || is_struck(step, region)) return false;
    const gmc_contact *now = step->motion.world->contacts.contacts + region->first;
    if (!find_points(step, pad, level, now, region, points) ||
        agrees(&region->moments, &before.moments)) {
        *region = before;
        return false;
    }
    share(step, pad, region, false);
    for (int i = 0; i < GMC_PATCH_POINTS; i++)
        gmc_coulomb_contact_move(step, (size_t)(region->first + i), &points[i], driven);
    return true;
}

gmc_status gmc_coulomb_pad_limit(gmc_coulomb_step *step, int round, bool *is_moved)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    if (step->pad_count == 0 || round > ROUNDS_MAX) return GMC_OK;
    size_t n = (size_t)model->dof_count, mark = gmc_arena_mark(step->motion.scratch);
    double *driven, *v = GMC_NEW(step->motion.scratch, n, double);
    if (!v) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_mechanism_driven(&step->motion, &driven));
    if (driven) memcpy(v, driven, n * sizeof *v);
    memcpy(v, step->motion.v, (size_t)model->free_count * sizeof *v);
    for (int i = 0; i < step->pad_count; i++) {
        struct gmc_coulomb_pad *pad = &step->pads[i];
        int a = model->geoms[pad->geom_a].body, b = model->geoms[pad->geom_b].body;
        gmc_twist V = gmc_twist_add_scaled(gmc_kinematics_twist(&world->kin, b, v), -1,
                                           gmc_kinematics_twist(&world->kin, a, v));
        gmc_twist V_driven = {0};
        if (driven)
            V_driven = gmc_twist_add_scaled(gmc_kinematics_twist(&world->kin, b, driven), -1,
                                            gmc_kinematics_twist(&world->kin, a, driven));
        pad->left = field_of(pad, &V, step->motion.h);
        bool is_layer = move_region(step, pad, pad->left, &V_driven, &pad->layer);
        bool is_core = move_region(step, pad, pad->left, &V_driven, &pad->core);
        bool is_firm = move_region(step, pad, pad->left, &V_driven, &pad->firm);
        *is_moved = *is_moved || is_layer || is_core || is_firm;
    }
    gmc_arena_reset(step->motion.scratch, mark);
    return GMC_OK;
}

/// Mean square of the distance from the middle of a region [m²].
static double radius2_of(const gmc_patch_moments *m)
{
    double x = m->x / m->area, y = m->y / m->area;
    return fmax((m->xx + m->yy) / m->area - x * x - y * y, 0);
}

/// Does the depth of a region change faster than LEAP_SPEED?
static bool is_fast(const struct gmc_coulomb_pad *pad, double h)
{
    const gmc_patch_moments *m = &pad->layer.moments;
    const gmc_patch_field *left = &pad->left;
    double middle = left->at_0 + (left->along_x * m->x + left->along_y * m->y) / m->area;
    double slope2 = left->along_x * left->along_x + left->along_y * left->along_y;
    return fabs(middle) + sqrt(slope2 * radius2_of(m)) > h * LEAP_SPEED;
}

static bool leaps(const gmc_coulomb_step *step, struct gmc_coulomb_pad *pad)
{
    if (!is_fast(pad, step->motion.h)) return false;
    gmc_patch_field from = {gmc_coulomb_sunk(step, pad->layer.sunk), 0, 0}, to = pad->left;
    to.at_0 += from.at_0;
    gmc_patch_moments before = gmc_patch_integrate(&pad->patch, from);
    gmc_patch_moments after = gmc_patch_integrate(&pad->patch, to);
    if (!(before.area > 0) || !(after.area > 0)) return false; // arrives, or lets go
    const gmc_patch_moments *larger = after.area > before.area ? &after : &before;
    if (fabs(after.area - before.area) > LEAP * larger->area) return true;
    double dx = after.x / after.area - before.x / before.area;
    double dy = after.y / after.area - before.y / before.area;
    return dx * dx + dy * dy > LEAP * LEAP * radius2_of(larger);
}

bool gmc_coulomb_pad_leaps(const gmc_coulomb_step *step)
{
    for (int i = 0; i < step->pad_count; i++)
        if (leaps(step, &step->pads[i])) return true;
    return false;
}

double gmc_coulomb_pad_depth(const gmc_coulomb_step *step)
{
    double deepest = 0;
    for (int i = 0; i < step->pad_count; i++)
        if (step->pads[i].layer.moments.deepest > deepest)
            deepest = step->pads[i].layer.moments.deepest;
    return deepest;
}

double gmc_coulomb_pad_pressed(const gmc_coulomb_step *step)
{
    double most = 0;
    for (int i = 0; i < step->pad_count; i++) {
        const struct gmc_coulomb_pad *pad = &step->pads[i];
        const gmc_patch_moments *m = &pad->layer.moments;
        most = fmax(most, gmc_pad_share(pad->law, m->deepest - pad->layer.sunk, m->area));
    }
    return most;
}
