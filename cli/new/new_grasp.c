// The hand is turned so that the direction in which a grip closes lies along a side of the object,
// and about that direction so that it comes from above, or slantwise as far as the table lets it.
// The middle between the fingers goes over the object's middle, as they will be when they touch it,
// not as they start: fingers that bend move along. That makes some hundreds of starts, each with a
// promise from geometry alone; only when one's turn comes is it looked at for overlap, and then
// simulated. What fails speaks against its like.
//
// Starts are simulated in parallel, a fixed number at a time, so that the number of cores cannot
// show in what is chosen.
//
// Rejected: search by chance over all starts. It finds grasps for any hand, but others each time
// something changes, and hundreds of trials for the hands at hand.
#include "cli/new/new_grasp.h"

#include "cli/new/shapes.h"
#include "cli/process/cores.h"
#include "engine/math/elementary.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/pool.h"
#include "sampling/campaign/probe.h"

#include <stdlib.h>
#include <string.h>

// ==== the hand ==================================================================================
// What a hand can do, from its geometry alone: its fingers' tips, and the grips in which tips
// close against each other. Nothing is simulated; all is seen in the frame of the hand's base.
// Fingers are the branches of the hand that closing moves; their tips are the far ends of their
// last links, seen from the palm. A grip is two sets of tips, each closed by a share of its own,
// such that the way between their surfaces is as wide as the object. It is worth as much as the
// tips then move along that way: a thumb that closes past the fingers is worth nothing, however
// near it comes. Joints that do not close are tried at a few values, those of one finger together,
// for that is what turns a thumb.
//
// Rejected: the sum of the tips' motions as a measure of opposition. Three fingers and a thumb
// that closes beside them have a smaller sum than the same thumb before them.

enum { GMC_NEW_TIPS = 8, GMC_NEW_POINTS = 256, GMC_NEW_GRIPS = 16 };

/// A branch of the hand that ends in a tip.
typedef struct gmc_new_tip {
    int body;                        ///< its last link
    int root;                        ///< body of the first joint that closes it
    gmc_vec3 p;                      ///< middle of its far end, in the body's frame
    gmc_vec3 points[GMC_NEW_POINTS]; ///< (point_count) of the far end, from p, in the body's frame
    double radius[GMC_NEW_POINTS];   ///< by which each is grown [m]
    int point_count;
    gmc_vec3 at; ///< p in the base's frame, as the joints are
} gmc_new_tip;

typedef struct gmc_new_hand {
    const gmc_prepared *prepared;
    const gmc_model *model; ///< compiled
    int base;               ///< body
    int joint_count;        ///< settings of the scenario's hand
    double *closed, *open;  ///< (joint_count) ends of what closes; NaN: a joint that is held
    double *own;            ///< (joint_count) where joints start if nobody says otherwise
    double *lower, *upper;  ///< (joint_count) limits; may be infinite
    unsigned *moves;        ///< (joint_count) bits of the tips that a joint moves
    double *joints;         ///< (joint_count) positions
    gmc_pose *X;            ///< (body_count) of the bodies, as the joints are
    gmc_new_tip *tips;      ///< (tip_count)
    int tip_count;
} gmc_new_hand;

/// Two sides of the hand that close against each other, as they touch an object of some width.
typedef struct gmc_new_grip {
    double *joints;    ///< (joint_count) owned by the list
    unsigned sides[2]; ///< bits of tips
    double opening[2]; ///< of either side: 1 open, 0 closed
    double score;      ///< 1: tips move straight at each other, less what is against it
    double width;      ///< of the object that it was looked for [m]
    gmc_vec3 closing;  ///< unit, from side 0 to side 1
    gmc_vec3 middle;   ///< between the sides' surfaces
    gmc_vec3 approach; ///< unit, across closing: from the palm to the tips
} gmc_new_grip;

enum { GRID = 14, VALUES = 5, GROUP = 3, DEPTHS = 3, POOL = 256 };

/// What counts as the far end of a link [m], at least.
static const double FAR_END = 0.012;

/// Share of the range by which fingers close to see which way they move.
static const double CLOSE_BY = 0.02;

// ---- positions ---------------------------------------------------------------------------------

static bool has_shape(const gmc_model *model, int body)
{
    for (int g = 0; g < model->geom_count; g++)
        if (model->geoms[g].body == body) return true;
    return false;
}

/// The setting of a body's joint, also of one that mimics it; -1: it has none.
static int setting_of(const gmc_new_hand *hand, int body)
{
    const gmc_body *b = &hand->model->bodies[body];
    const gmc_robot_spec *spec = &hand->prepared->scenario.hand;
    if (gmc_joint_v_count(b->joint) != 1) return -1;
    for (int i = 0; i < spec->joint_count; i++)
        if (strcmp(spec->joints[i].joint, hand->model->dofs[b->v].name) == 0) return i;
    return -1;
}

/// Move the hand to hand->joints.
static void new_hand_move(gmc_new_hand *hand)
{
    const gmc_model *model = hand->model;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        int k = setting_of(hand, b);
        hand->X[b] = gmc_pose_identity();
        if (b == hand->base || body->parent <= 0) continue;
        double q = k >= 0 ? body->ratio * hand->joints[k] + body->offset : 0;
        gmc_pose turned = gmc_pose_identity();
        if (body->joint == GMC_JOINT_REVOLUTE)
            turned = gmc_pose_make(gmc_quat_exp(gmc_vec3_scale(q, body->axis)), turned.p);
        else if (body->joint == GMC_JOINT_PRISMATIC)
            turned.p = gmc_vec3_scale(q, body->axis);
        gmc_pose X = gmc_pose_multiply(&hand->X[body->parent], &body->X_pj);
        hand->X[b] = gmc_pose_multiply(&X, &turned);
    }
    for (int i = 0; i < hand->tip_count; i++)
        hand->tips[i].at = gmc_pose_apply(&hand->X[hand->tips[i].body], hand->tips[i].p);
}

static double at_share(const gmc_new_hand *hand, int joint, double share)
{
    return hand->closed[joint] + share * (hand->open[joint] - hand->closed[joint]);
}

/// All fingers at a share of their range: 1 open, 0 closed.
static void open_all(gmc_new_hand *hand, double share)
{
    for (int i = 0; i < hand->joint_count; i++)
        if (!isnan(hand->closed[i])) hand->joints[i] = at_share(hand, i, share);
    new_hand_move(hand);
}

/// How far along a direction a tip reaches beyond its middle.
static double reach_of_tip(const gmc_new_tip *tip, const gmc_mat3 *R, gmc_vec3 direction)
{
    gmc_vec3 d = gmc_mat3_apply_transposed(R, direction);
    double reach = 0;
    for (int i = 0; i < tip->point_count; i++)
        reach = fmax(reach, gmc_vec3_dot(tip->points[i], d) + tip->radius[i]);
    return reach;
}

typedef struct reaching {
    const gmc_pose *X;
    gmc_vec3 direction;
    double reach;
} reaching;

static void reach_on(void *context, gmc_vec3 p, double radius)
{
    reaching *r = context;
    double reach = gmc_vec3_dot(gmc_pose_apply(r->X, p), r->direction) + radius;
    r->reach = fmax(r->reach, reach);
}

/// How far the hand's shapes reach along a direction, from the base's frame [m].
static double new_hand_reach(const gmc_new_hand *hand, gmc_vec3 direction)
{
    const bool *is_hand = gmc_build_measures(hand->prepared->build)->is_hand;
    reaching r = {.direction = direction, .reach = -INFINITY};
    for (int b = 1; b < hand->model->body_count; b++) {
        if (!is_hand[b]) continue;
        r.X = &hand->X[b];
        gmc_shapes_of_body(hand->model, b, reach_on, &r);
    }
    return r.reach;
}

// ---- tips --------------------------------------------------------------------------------------

/// Far end of a link, along a direction of its own frame.
typedef struct far_end {
    gmc_vec3 direction, low, high;
    double reach, least; ///< farthest; what counts as far
    gmc_new_tip *tip;    ///< whose points they become; NULL: nothing is kept yet
    int seen, every;     ///< of a fine mesh one in `every` is kept
} far_end;

static void look_at_point(void *context, gmc_vec3 p, double radius)
{
    far_end *f = context;
    double reach = gmc_vec3_dot(p, f->direction) + radius;
    if (f->every == 0) {
        f->reach = fmax(f->reach, reach);
        return;
    }
    if (reach < f->least) return;
    const gmc_vec3 r = {radius, radius, radius};
    gmc_vec3 low = gmc_vec3_sub(p, r), high = gmc_vec3_add(p, r);
    f->low = (gmc_vec3){fmin(f->low.x, low.x), fmin(f->low.y, low.y), fmin(f->low.z, low.z)};
    f->high = (gmc_vec3){fmax(f->high.x, high.x), fmax(f->high.y, high.y), fmax(f->high.z, high.z)};
    bool is_kept = f->tip && f->seen % f->every == 0 && f->tip->point_count < GMC_NEW_POINTS;
    if (is_kept) {
        f->tip->radius[f->tip->point_count] = radius;
        f->tip->points[f->tip->point_count++] = p;
    }
    f->seen++;
}

static void find_far_end(const gmc_model *model, gmc_new_tip *tip, gmc_vec3 direction)
{
    gmc_vec3 low, high;
    if (!gmc_shapes_box(model, tip->body, &low, &high)) return;
    far_end f = {.direction = direction, .reach = -INFINITY, .low = high, .high = low};
    gmc_shapes_of_body(model, tip->body, look_at_point, &f);
    double size = gmc_vec3_norm(gmc_vec3_sub(high, low));
    f.least = f.reach - fmax(0.1 * size, fmin(FAR_END, 0.5 * size));
    f.every = 1;
    gmc_shapes_of_body(model, tip->body, look_at_point, &f); // how many
    f.every = 1 + f.seen / GMC_NEW_POINTS;
    f.seen = 0;
    f.tip = tip;
    gmc_shapes_of_body(model, tip->body, look_at_point, &f);
    tip->p = gmc_vec3_scale(0.5, gmc_vec3_add(f.low, f.high));
    for (int i = 0; i < tip->point_count; i++)
        tip->points[i] = gmc_vec3_sub(tip->points[i], tip->p);
}

static bool has_moving_child(const gmc_new_hand *hand, int body)
{
    for (int b = 1; b < hand->model->body_count; b++)
        if (hand->model->bodies[b].parent == body && has_shape(hand->model, b)) return true;
    return false;
}

/// The palm, or where the fingers begin if it has no shape.
static gmc_vec3 palm_of(const gmc_new_hand *hand)
{
    gmc_vec3 low, high, from = {0, 0, 0};
    if (has_shape(hand->model, hand->base) && gmc_shapes_box(hand->model, hand->base, &low, &high))
        return gmc_vec3_scale(0.5, gmc_vec3_add(low, high));
    for (int i = 0; i < hand->tip_count; i++)
        from = gmc_vec3_add_scaled(from, 1.0 / hand->tip_count, hand->X[hand->tips[i].root].p);
    return from;
}

static void find_tips(gmc_new_hand *hand)
{
    const gmc_model *model = hand->model;
    for (int b = 1; b < model->body_count && hand->tip_count < GMC_NEW_TIPS; b++) {
        int root = -1;
        for (int up = b; up > 0 && up != hand->base; up = model->bodies[up].parent) {
            int k = setting_of(hand, up);
            if (k >= 0 && !isnan(hand->closed[k])) root = up;
        }
        if (root < 0 || !has_shape(model, b) || has_moving_child(hand, b)) continue;
        gmc_new_tip *tip = &hand->tips[hand->tip_count];
        gmc_vec3 low, high;
        (void)gmc_shapes_box(model, b, &low, &high);
        *tip = (gmc_new_tip){
            .body = b, .root = root, .p = gmc_vec3_scale(0.5, gmc_vec3_add(low, high))};
        for (int up = b; up > 0 && up != hand->base; up = model->bodies[up].parent) {
            int k = setting_of(hand, up);
            if (k >= 0) hand->moves[k] |= 1U << hand->tip_count;
        }
        hand->tip_count++;
    }
    open_all(hand, 0.5);
    gmc_vec3 way = {0, 0, 0}, palm = palm_of(hand);
    for (int i = 0; i < hand->tip_count; i++)
        way = gmc_vec3_add(way, gmc_vec3_sub(hand->tips[i].at, palm));
    gmc_vec3 approach = gmc_vec3_norm(way) > 1e-6 ? gmc_vec3_unit(way) : (gmc_vec3){0, 0, 1};
    for (int i = 0; i < hand->tip_count; i++) {
        const gmc_mat3 *R = &hand->X[hand->tips[i].body].R;
        find_far_end(model, &hand->tips[i], gmc_mat3_apply_transposed(R, approach));
    }
}

/// Ends of the joints' ranges. What closes and has no limits goes half a turn.
static void find_ends(gmc_new_hand *hand, const gmc_program *program, const double *nominal)
{
    const gmc_robot_spec *spec = &hand->prepared->scenario.hand;
    for (int i = 0; i < hand->joint_count; i++) {
        int dof = gmc_model_find_dof(hand->model, spec->joints[i].joint);
        hand->closed[i] = hand->open[i] = NAN;
        hand->own[i] = hand->joints[i] = nominal[spec->joints[i].start];
        hand->lower[i] = dof >= 0 ? hand->model->dofs[dof].lower : -(double)INFINITY;
        hand->upper[i] = dof >= 0 ? hand->model->dofs[dof].upper : (double)INFINITY;
        for (int f = 0; f < program->finger_count; f++) {
            if (dof < 0 || program->fingers[f].dof != dof) continue;
            double sign = program->fingers[f].closing;
            double lower = hand->lower[i], upper = hand->upper[i];
            lower = isfinite(lower) ? lower : hand->joints[i] - GMC_PI / 2;
            upper = isfinite(upper) ? upper : hand->joints[i] + GMC_PI / 2;
            hand->closed[i] = sign > 0 ? upper : lower;
            hand->open[i] = sign > 0 ? lower : upper;
        }
    }
}

/// @param program  whose fingers say what closes, and which way
/// @param nominal  (parameter_count)
/// @return GMC_OK, GMC_E_MEMORY; new_hand_free also then
static gmc_status new_hand_create(const gmc_prepared *prepared, const gmc_program *program,
                                  const double *nominal, gmc_new_hand *hand)
{
    const gmc_model *model = gmc_build_model(prepared->build, 0);
    size_t n = (size_t)prepared->scenario.hand.joint_count + 1;
    *hand = (gmc_new_hand){.prepared = prepared,
                           .model = model,
                           .base = gmc_build_measures(prepared->build)->hand_body,
                           .joint_count = prepared->scenario.hand.joint_count};
    hand->closed = calloc(6 * n, sizeof *hand->closed);
    hand->moves = calloc(n, sizeof *hand->moves);
    hand->X = calloc((size_t)model->body_count, sizeof *hand->X);
    hand->tips = calloc(GMC_NEW_TIPS, sizeof *hand->tips);
    if (!hand->closed || !hand->moves || !hand->X || !hand->tips) return GMC_E_MEMORY;
    hand->open = hand->closed + n;
    hand->own = hand->open + n;
    hand->lower = hand->own + n;
    hand->upper = hand->lower + n;
    hand->joints = hand->upper + n;
    find_ends(hand, program, nominal);
    find_tips(hand);
    return GMC_OK;
}

static void new_hand_free(gmc_new_hand *hand)
{
    free(hand->closed);
    free(hand->moves);
    free(hand->X);
    free(hand->tips);
    *hand = (gmc_new_hand){0};
}

// ---- grips -------------------------------------------------------------------------------------

/// Where the tips are, and which way they close, at each share g / GRID of their range.
typedef struct scan {
    gmc_vec3 at[GRID + 1][GMC_NEW_TIPS], way[GRID + 1][GMC_NEW_TIPS];
    gmc_mat3 R[GRID + 1][GMC_NEW_TIPS];
} scan;

/// A search for grips.
typedef struct finding {
    gmc_new_hand *hand;
    double width, length;
    scan scan;
    gmc_new_grip *pool; ///< POOL, the best of each preshape
    double *joints;     ///< (POOL * joint_count)
    int count;
} finding;

static void look(finding *f)
{
    gmc_new_hand *hand = f->hand;
    for (int g = 0; g <= GRID; g++) {
        double share = (double)g / GRID;
        gmc_vec3 before[GMC_NEW_TIPS];
        // the last of a range is seen backwards
        double to = share > CLOSE_BY ? share - CLOSE_BY : share + CLOSE_BY;
        open_all(hand, to);
        for (int i = 0; i < hand->tip_count; i++)
            before[i] = hand->tips[i].at;
        open_all(hand, share);
        for (int i = 0; i < hand->tip_count; i++) {
            gmc_vec3 way = gmc_vec3_sub(before[i], hand->tips[i].at);
            if (to > share) way = gmc_vec3_scale(-1, way);
            f->scan.at[g][i] = hand->tips[i].at;
            f->scan.R[g][i] = hand->X[hand->tips[i].body].R;
            f->scan.way[g][i] = gmc_vec3_norm(way) > 1e-9 ? gmc_vec3_unit(way) : way;
        }
    }
}

typedef struct grip_side {
    gmc_vec3 at, way; ///< means
    int count;
} grip_side;

static grip_side side_of(const finding *f, unsigned tips, int g)
{
    grip_side s = {0};
    for (int i = 0; i < f->hand->tip_count; i++) {
        if (!(tips >> i & 1U)) continue;
        s.at = gmc_vec3_add(s.at, f->scan.at[g][i]);
        s.way = gmc_vec3_add(s.way, f->scan.way[g][i]);
        s.count++;
    }
    s.at = gmc_vec3_scale(1.0 / s.count, s.at);
    s.way = gmc_vec3_scale(1.0 / s.count, s.way);
    return s;
}

/// How far a side's surface reaches beyond the mean of its tips, and how far its tips are from a
/// line along n through it.
static double surface_of(const finding *f, unsigned tips, int g, const grip_side *s, gmc_vec3 n,
                         double *spread)
{
    double reach = -INFINITY;
    for (int i = 0; i < f->hand->tip_count; i++) {
        if (!(tips >> i & 1U)) continue;
        gmc_vec3 from = gmc_vec3_sub(f->scan.at[g][i], s->at);
        double along = gmc_vec3_dot(from, n);
        *spread = fmax(*spread, gmc_vec3_norm(gmc_vec3_add_scaled(from, -along, n)));
        reach = fmax(reach, along + reach_of_tip(&f->hand->tips[i], &f->scan.R[g][i], n));
    }
    return reach;
}

/// @return the score; below 0: it is no grip
static double score_of(const finding *f, const unsigned sides[2], const int g[2],
                       gmc_new_grip *grip)
{
    static const double LEAST = 0.35; // of the motion that goes the way
    const grip_side a = side_of(f, sides[0], g[0]), b = side_of(f, sides[1], g[1]);
    gmc_vec3 between = gmc_vec3_sub(b.at, a.at);
    double distance = gmc_vec3_norm(between), spread = 0;
    if (distance < f->width || distance > f->width + 0.15 || distance < 1e-6) return -1;
    gmc_vec3 n = gmc_vec3_scale(1 / distance, between);
    double towards = fmin(gmc_vec3_dot(a.way, n), -gmc_vec3_dot(b.way, n));
    if (towards < LEAST) return -1;
    double reach_a = surface_of(f, sides[0], g[0], &a, n, &spread);
    double reach_b = surface_of(f, sides[1], g[1], &b, gmc_vec3_scale(-1, n), &spread);
    double clear = distance - reach_a - reach_b;
    int idle = f->hand->tip_count - a.count - b.count;
    grip->closing = n;
    grip->middle = gmc_vec3_add_scaled(a.at, reach_a + clear / 2, n);
    return towards + 0.05 * (fmin(a.count + b.count, 4) - 2) - 0.03 * idle -
           20 * fabs(clear - f->width) - 15 * fmax(0, spread + 0.004 - f->length / 2);
}

/// Do sliding joints close all tips of both sides? They come equally far before they touch.
static bool do_slide(const gmc_new_hand *hand, const unsigned sides[2])
{
    for (int i = 0; i < hand->tip_count; i++)
        if (((sides[0] | sides[1]) >> i & 1U) &&
            hand->model->bodies[hand->tips[i].root].joint != GMC_JOINT_PRISMATIC)
            return false;
    return true;
}

/// Does some joint close both sides at once?
static bool is_one_drive(const gmc_new_hand *hand, const unsigned sides[2])
{
    for (int k = 0; k < hand->joint_count; k++)
        if (!isnan(hand->closed[k]) && (hand->moves[k] & sides[0]) && (hand->moves[k] & sides[1]))
            return true;
    return false;
}

/// Keep a grip in the pool, in place of the worst if there is no room.
static void pool_grip(finding *f, const gmc_new_grip *grip)
{
    int at = f->count;
    if (at < POOL) {
        f->count++;
    } else {
        at = 0;
        for (int i = 1; i < POOL; i++)
            if (f->pool[i].score < f->pool[at].score) at = i;
        if (f->pool[at].score >= grip->score) return;
    }
    double *joints = f->joints + (size_t)at * (size_t)f->hand->joint_count;
    memcpy(joints, f->hand->joints, (size_t)f->hand->joint_count * sizeof *joints);
    f->pool[at] = *grip;
    f->pool[at].joints = joints;
}

/// By how much held joints are away from where they are by themselves: that speaks against it.
static double strangeness(const gmc_new_hand *hand)
{
    double sum = 0;
    for (int k = 0; k < hand->joint_count; k++) {
        double range = hand->upper[k] - hand->lower[k];
        if (isnan(hand->closed[k]) && isfinite(range) && range > 0)
            sum += fabs(hand->joints[k] - hand->own[k]) / range;
    }
    return 0.03 * sum;
}

/// The best grips of a preshape, near the palm and far from it, go to the pool. @return the best's
/// score
static double try_preshape(finding *f)
{
    gmc_new_hand *hand = f->hand;
    static const double ASKEW = 0.1; // that one side slides farther than the other
    const unsigned all = (1U << hand->tip_count) - 1;
    gmc_new_grip best[DEPTHS];
    for (int d = 0; d < DEPTHS; d++)
        best[d] = (gmc_new_grip){.score = 0, .width = f->width};
    look(f);
    double less = strangeness(hand), found = 0;
    for (unsigned a = 1; a <= all; a++) {
        for (unsigned b = 1; b <= all; b++) {
            bool is_single = (a & (a - 1)) == 0 || (b & (b - 1)) == 0 || hand->tip_count <= 5;
            if ((a & b) || (a & -a) > (b & -b) || !is_single) continue;
            const unsigned sides[2] = {a, b};
            bool is_one = is_one_drive(hand, sides);
            double askew = do_slide(hand, sides) ? ASKEW / GRID : 0;
            for (int i = 0; i <= GRID; i++) {
                for (int k = is_one ? i : 0; k <= (is_one ? i : GRID); k++) {
                    gmc_new_grip *to = &best[(i + k) * DEPTHS / (2 * GRID + 1)], grip = *to;
                    double score = score_of(f, sides, (const int[2]){i, k}, &grip) - less;
                    score -= askew * abs(i - k);
                    if (score <= to->score) continue;
                    *to = grip;
                    to->score = score;
                    for (int s = 0; s < 2; s++) {
                        to->sides[s] = sides[s];
                        to->opening[s] = (double)(s ? k : i) / GRID;
                    }
                }
            }
        }
    }
    for (int d = 0; d < DEPTHS; d++) {
        if (best[d].score > 0) pool_grip(f, &best[d]);
        found = fmax(found, best[d].score);
    }
    return found;
}

/// A joint that does not close and moves some of the tips.
static bool is_shaping(const gmc_new_hand *hand, int k)
{
    const unsigned all = (1U << hand->tip_count) - 1;
    return isnan(hand->closed[k]) && hand->moves[k] != 0 && hand->moves[k] != all &&
           isfinite(hand->lower[k]) && isfinite(hand->upper[k]);
}

/// All values of some joints at once; the best is left in hand->joints.
static void vary(finding *f, const int *group, int size, double *score)
{
    gmc_new_hand *hand = f->hand;
    double best[GROUP];
    int combinations = 1;
    for (int i = 0; i < size; i++) {
        best[i] = hand->joints[group[i]];
        combinations *= VALUES;
    }
    for (int c = 0; c < combinations; c++) {
        for (int i = 0, rest = c; i < size; i++, rest /= VALUES) {
            int k = group[i];
            double share = (double)(rest % VALUES) / (VALUES - 1);
            hand->joints[k] = hand->lower[k] + share * (hand->upper[k] - hand->lower[k]);
        }
        double found = try_preshape(f);
        if (found <= *score) continue;
        *score = found;
        for (int i = 0; i < size; i++)
            best[i] = hand->joints[group[i]];
    }
    for (int i = 0; i < size; i++)
        hand->joints[group[i]] = best[i];
}

/// The joints that shape a tip's branch, in groups of at most GROUP.
static void vary_branches(finding *f, double *score)
{
    gmc_new_hand *hand = f->hand;
    for (int t = 0; t < hand->tip_count; t++) {
        int group[GROUP], size = 0;
        for (int k = 0; k < hand->joint_count; k++) {
            // a joint of several tips goes with the first
            bool is_here = is_shaping(hand, k) && (hand->moves[k] & ((2U << t) - 1)) == 1U << t;
            if (is_here) group[size++] = k;
            if (size == 0 || (size < GROUP && k + 1 < hand->joint_count)) continue;
            vary(f, group, size, score);
            size = 0;
        }
    }
}

static int by_score(const void *a, const void *b)
{
    double x = ((const gmc_new_grip *)a)->score, y = ((const gmc_new_grip *)b)->score;
    return x > y ? -1 : x < y;
}

static bool is_like(const gmc_new_grip *a, const gmc_new_grip *b)
{
    static const double NEAR = 0.012, PARALLEL = 0.97;
    return a->sides[0] == b->sides[0] && a->sides[1] == b->sides[1] &&
           gmc_vec3_norm(gmc_vec3_sub(a->middle, b->middle)) < NEAR &&
           fabs(gmc_vec3_dot(a->closing, b->closing)) > PARALLEL;
}

/// Across the closing direction, from the palm to the middle.
static gmc_vec3 approach_of(const gmc_new_hand *hand, const gmc_new_grip *grip)
{
    gmc_vec3 way = gmc_vec3_sub(grip->middle, palm_of(hand)), n = grip->closing;
    way = gmc_vec3_add_scaled(way, -gmc_vec3_dot(way, n), n);
    if (gmc_vec3_norm(way) < 1e-6) // any that is across
        way = gmc_vec3_cross(n, fabs(n.x) < 0.7 ? (gmc_vec3){1, 0, 0} : (gmc_vec3){0, 1, 0});
    return gmc_vec3_unit(way);
}

/// The inner surfaces of the two sides along the closing direction, as the hand is.
static void find_sides(const gmc_new_hand *hand, const gmc_new_grip *grip, double at[2])
{
    at[0] = -INFINITY;
    at[1] = INFINITY;
    const gmc_vec3 back = gmc_vec3_scale(-1, grip->closing);
    for (int i = 0; i < hand->tip_count; i++) {
        const gmc_new_tip *tip = &hand->tips[i];
        const gmc_mat3 *R = &hand->X[tip->body].R;
        double along = gmc_vec3_dot(tip->at, grip->closing);
        if (grip->sides[0] >> i & 1U)
            at[0] = fmax(at[0], along + reach_of_tip(tip, R, grip->closing));
        if (grip->sides[1] >> i & 1U) at[1] = fmin(at[1], along - reach_of_tip(tip, R, back));
    }
}

/// Move the hand into a grip whose sides are opened by a further share of their range.
/// @return the clear way between the sides along `closing`: from surface to surface [m]
static double new_hand_take(gmc_new_hand *hand, const gmc_new_grip *grip, double further)
{
    for (int k = 0; k < hand->joint_count; k++) {
        hand->joints[k] = grip->joints[k];
        if (isnan(hand->closed[k])) continue;
        // a finger that takes no part goes with the second side, which has most of them
        int of = hand->moves[k] & grip->sides[0] ? 0 : 1;
        hand->joints[k] = at_share(hand, k, fmin(1, grip->opening[of] + further));
    }
    new_hand_move(hand);
    double at[2];
    find_sides(hand, grip, at);
    return at[1] - at[0];
}

/// Sides that slide and are one step of the grid apart meet half way.
static void even_out(gmc_new_hand *hand, gmc_new_grip *grip)
{
    double at[2], apart = fabs(grip->opening[0] - grip->opening[1]);
    if (apart == 0 || apart > 1.5 / GRID || !do_slide(hand, grip->sides)) return;
    grip->opening[0] = grip->opening[1] = (grip->opening[0] + grip->opening[1]) / 2;
    (void)new_hand_take(hand, grip, 0);
    find_sides(hand, grip, at);
    double off = (at[0] + at[1]) / 2 - gmc_vec3_dot(grip->middle, grip->closing);
    grip->middle = gmc_vec3_add_scaled(grip->middle, off, grip->closing);
}

/// The best of the pool that differ.
static gmc_status choose_grips(finding *f, gmc_new_grip *grips, int *count)
{
    size_t n = (size_t)f->hand->joint_count;
    qsort(f->pool, (size_t)f->count, sizeof *f->pool, by_score);
    double *joints = calloc(GMC_NEW_GRIPS * n + 1, sizeof *joints);
    if (!joints) return GMC_E_MEMORY;
    grips[0].joints = joints;
    *count = 0;
    for (int i = 0; i < f->count && *count < GMC_NEW_GRIPS; i++) {
        bool is_new = true;
        for (int k = 0; k < *count && is_new; k++)
            is_new = !is_like(&f->pool[i], &grips[k]);
        if (!is_new) continue;
        gmc_new_grip *grip = &grips[*count];
        *grip = f->pool[i];
        grip->joints = joints + (size_t)(*count)++ * n;
        memcpy(grip->joints, f->pool[i].joints, n * sizeof *joints);
        even_out(f->hand, grip);
        (void)new_hand_take(f->hand, grip, 0);
        grip->approach = approach_of(f->hand, grip);
    }
    return GMC_OK;
}

/// Grips for an object that is `width` wide between the sides and `length` long across, the best
/// first and none twice. Joints that do not close (opposition, abduction, a spread) are where they
/// start by themselves, or where the tips face each other better.
/// @param grips  room for GMC_NEW_GRIPS; their joints are freed with the first one's
/// @param count  out
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status new_hand_grips(gmc_new_hand *hand, double width, double length,
                                 gmc_new_grip *grips, int *count)
{
    size_t n = (size_t)hand->joint_count;
    finding *f = calloc(1, sizeof *f);
    *count = 0;
    grips[0].joints = NULL;
    if (!f) return GMC_E_MEMORY;
    *f = (finding){.hand = hand, .width = width, .length = length};
    f->pool = calloc(POOL, sizeof *f->pool);
    f->joints = calloc(POOL * n + 1, sizeof *f->joints);
    gmc_status status = f->pool && f->joints ? GMC_OK : GMC_E_MEMORY;
    if (status == GMC_OK && hand->tip_count > 1) {
        memcpy(hand->joints, hand->own, n * sizeof *hand->joints);
        double score = try_preshape(f);
        for (int round = 0; round < 2; round++)
            vary_branches(f, &score);
        status = choose_grips(f, grips, count);
    }
    free(f->pool);
    free(f->joints);
    free(f);
    return status;
}

/// The way that a grip's sides, as the hand is, leave on either side of its object, the lesser [m].
static double new_hand_beside(const gmc_new_hand *hand, const gmc_new_grip *grip)
{
    double at[2], middle = gmc_vec3_dot(grip->middle, grip->closing);
    find_sides(hand, grip, at);
    return fmin(middle - at[0], at[1] - middle) - grip->width / 2;
}

/// The hand by itself, wide open: no grip, but a place to start from. Its joints are hand->own.
static void new_hand_spread(gmc_new_hand *hand, gmc_new_grip *grip)
{
    const unsigned all = (1U << hand->tip_count) - 1;
    *grip = (gmc_new_grip){.joints = hand->own, .sides = {0, all}, .opening = {1, 1}};
    (void)new_hand_take(hand, grip, 0);
    for (int i = 0; i < hand->tip_count; i++)
        grip->middle = gmc_vec3_add_scaled(grip->middle, 1.0 / hand->tip_count, hand->tips[i].at);
    gmc_vec3 way = gmc_vec3_sub(grip->middle, palm_of(hand));
    grip->closing =
        fabs(way.x) < 0.7 * gmc_vec3_norm(way) ? (gmc_vec3){1, 0, 0} : (gmc_vec3){0, 1, 0};
    grip->approach = approach_of(hand, grip);
}

// ==== the grasp =================================================================================

enum { STARTS_MAX = 16384, TURNS = 9, FAMILIES = 2 * GMC_NEW_GRIPS * TURNS, BATCH = 5 };

/// By which the object is shifted to see whether a grasp bears it [m].
static const double SHIFT = 0.004;

/// Way that fingers leave on either side of the object where they can [m], at least, and that the
/// hand leaves above the table.
static const double BESIDE = 0.007, ABOVE = 0.003;

/// How much of the written uncertainty a start bears without overlap, in standard deviations.
static const double DEVIATIONS = 3;

/// What it is worth that a hand touches the object before anything else, in shifts that it bears.
static const double CLEAN = 2.5;

/// One start of the hand.
typedef struct start {
    const gmc_new_grip *grip;
    gmc_vec3 axis;  ///< that is turned down, in the base's frame
    double further; ///< than where it touches, share of the fingers' range
    double yaw;     ///< of the closing direction
    double x, y;    ///< of the middle between the fingers, in the object's frame
    double z;       ///< likewise; the least until it was looked at
    double promise;
    int family;     ///< those of the same grip and axis
    bool is_at_end; ///< of the object, in place of over its middle
} start;

typedef struct search {
    const gmc_prepared *prepared;
    gmc_new_grasp_listener *listen;
    void *context;
    gmc_probe probe; ///< for starts
    double *values;  ///< (parameter_count) of the start that is looked at
    double *nominal;
    gmc_new_hand hand;
    gmc_vec3 low, high; ///< of the object, in its frame
    gmc_new_grip grips[2][GMC_NEW_GRIPS];
    int grip_count[2];
    start *starts; ///< STARTS_MAX
    int start_count;
    int failed[FAMILIES];
    gmc_new_grasp *grasp;
    double worth; ///< of the grasp that is kept
} search;

// ---- starts from geometry ----------------------------------------------------------------------

/// Down for the axis, a horizontal direction for the closing.
static gmc_mat3 turned_down(gmc_vec3 axis, gmc_vec3 closing, double yaw)
{
    double s, c;
    gmc_sin_cos(yaw, &s, &c);
    gmc_vec3 third = gmc_vec3_cross(axis, closing);
    const gmc_vec3 down = {0, 0, -1}, across = {c, s, 0}, rest = gmc_vec3_cross(down, across);
    const gmc_mat3 from = {
        {axis.x, closing.x, third.x, axis.y, closing.y, third.y, axis.z, closing.z, third.z}};
    const gmc_mat3 to = {
        {down.x, across.x, rest.x, down.y, across.y, rest.y, down.z, across.z, rest.z}};
    gmc_mat3 back = gmc_mat3_transpose(&from);
    return gmc_mat3_multiply(&to, &back);
}

/// How much farther down than the middle of the grip the hand reaches while it closes.
static double reach_below(search *s, const gmc_new_grip *grip, double further, gmc_vec3 axis)
{
    enum { STEPS = 3 };
    double reach = 0, middle = gmc_vec3_dot(grip->middle, axis);
    for (int i = 0; i <= STEPS; i++) {
        (void)new_hand_take(&s->hand, grip, further * i / STEPS);
        reach = fmax(reach, new_hand_reach(&s->hand, axis) - middle);
    }
    return reach;
}

static void add_start(search *s, start at)
{
    if (s->start_count < STARTS_MAX) s->starts[s->start_count++] = at;
}

/// The heights to begin with: as low as it goes, and about the object's middle.
static void add_heights(search *s, start at, double below)
{
    static const double HIGHEST = 0.9; // of the object: above it, fingers close over it
    double height = s->high.z - s->low.z, least = s->low.z + below + ABOVE;
    if (least > s->low.z + HIGHEST * height) return;
    double middle = s->low.z + 0.45 * height;
    // what comes no lower than the upper part holds less
    at.promise -= fmax(0, (least - middle) / height);
    at.z = fmax(least, middle);
    add_start(s, at);
    at.z = fmax(least, s->low.z + 0.15 * height);
    at.promise -= 0.1;
    if (at.z < middle - 0.004) add_start(s, at);
}

/// Over the object's middle, or over its ends.
static void add_places(search *s, start at, double below, bool are_at_ends)
{
    static const double ALONG[] = {0.5, -0.5, 0.42, -0.42, 0.34, -0.34}, INWARDS = 0.014;
    const gmc_vec3 size = gmc_vec3_sub(s->high, s->low);
    double sine, cosine, x = (s->low.x + s->high.x) / 2, y = (s->low.y + s->high.y) / 2;
    gmc_sin_cos(at.yaw, &sine, &cosine);
    bool is_along_x = fabs(cosine) > 0.5;
    double width = is_along_x ? size.x : size.y, length = is_along_x ? size.y : size.x;
    at.x = x;
    at.y = y;
    at.is_at_end = are_at_ends;
    if (!are_at_ends) {
        add_heights(s, at, below);
        return;
    }
    for (int i = 0; i < GMC_COUNT(ALONG); i++) {
        at.x = x + ALONG[i] * width * cosine;
        at.y = y + ALONG[i] * width * sine;
        add_heights(s, at, below);
    }
    for (int side = -1; side <= 1; side += 2) {
        at.x = x - side * (length / 2 - INWARDS) * sine;
        at.y = y + side * (length / 2 - INWARDS) * cosine;
        add_heights(s, at, below);
    }
}

/// The way that the written uncertainty asks for on either side of an object, which turns too.
static double way_beside(double width, double length)
{
    double sine, cosine;
    gmc_sin_cos(DEVIATIONS * GMC_NEW_SIGMA_YAW * GMC_PI / 180, &sine, &cosine);
    double turned = (width * cosine + length * sine - width) / 2;
    return fmax(BESIDE, DEVIATIONS * GMC_NEW_SIGMA + fmax(0, turned));
}

/// How far fingers open: enough to leave the way that they need, more, and wide.
static int find_openings(search *s, const gmc_new_grip *grip, double length, double further[3])
{
    double most = 1 - fmin(grip->opening[0], grip->opening[1]), first = most;
    double way = way_beside(grip->width, length);
    for (double f = most; f >= 0; f -= 0.04) {
        (void)new_hand_take(&s->hand, grip, f);
        if (new_hand_beside(&s->hand, grip) >= way) first = f;
    }
    int count = 0;
    further[count++] = first;
    if (first + 0.2 < most) further[count++] = first + 0.2;
    if (first + 0.02 < most) further[count++] = most;
    return count;
}

static void add_starts(search *s, int class, double length, bool are_at_ends, const bool *yaws)
{
    for (int g = 0; g < s->grip_count[class]; g++) {
        const gmc_new_grip *grip = &s->grips[class][g];
        double further[3];
        int openings = find_openings(s, grip, length, further);
        for (int t = 0; t < TURNS; t++) {
            double turn = (t - TURNS / 2) * GMC_PI / (TURNS - 1);
            gmc_quat about = gmc_quat_exp(gmc_vec3_scale(turn, grip->closing));
            gmc_vec3 axis = gmc_quat_rotate(about, grip->approach);
            for (int o = 0; o < openings; o++) {
                double below = reach_below(s, grip, further[o], axis);
                start at = {.grip = grip,
                            .axis = axis,
                            .further = further[o],
                            .family = (class * GMC_NEW_GRIPS + g) * TURNS + t};
                at.promise = grip->score - 0.15 * turn * turn - 0.05 * o;
                if (!are_at_ends) at.promise -= 2 * grip->width;
                for (int y = 0; y < 4; y++) {
                    if (!yaws[y]) continue;
                    at.yaw = y * GMC_PI / 2;
                    add_places(s, at, below, are_at_ends);
                    at.promise -= 0.02;
                }
            }
        }
    }
}

static gmc_status make_starts(search *s, bool are_at_ends)
{
    static const double RIM = 0.008, RIM_LENGTH = 0.03, SAME = 1e-4;
    static const bool ALL[] = {true, true, true, true}, X[] = {true, false, true, false},
                      Y[] = {false, true, false, true};
    gmc_vec3 size = gmc_vec3_sub(s->high, s->low);
    bool is_square = fabs(size.x - size.y) < SAME || are_at_ends;
    double width = are_at_ends ? RIM : size.x, length = are_at_ends ? RIM_LENGTH : size.y;
    for (int i = 0; i < 2; i++)
        free(s->grips[i][0].joints);
    memset(s->grips, 0, sizeof s->grips);
    memset(s->grip_count, 0, sizeof s->grip_count);
    memset(s->failed, 0, sizeof s->failed);
    s->start_count = 0;
    GMC_TRY(new_hand_grips(&s->hand, width, length, s->grips[0], &s->grip_count[0]));
    if (!is_square)
        GMC_TRY(new_hand_grips(&s->hand, length, width, s->grips[1], &s->grip_count[1]));
    add_starts(s, 0, length, are_at_ends, is_square ? ALL : X);
    add_starts(s, 1, width, are_at_ends, Y);
    if (!are_at_ends) s->grasp->grips = s->grip_count[0] + s->grip_count[1];
    s->grasp->screened += s->start_count;
    return GMC_OK;
}

// ---- from a start to numbers of the scenario ---------------------------------------------------

static void put_start(search *s, const start *at, double *values)
{
    const gmc_robot_spec *spec = &s->prepared->scenario.hand;
    memcpy(values, s->nominal, (size_t)s->prepared->scenario.parameter_count * sizeof *values);
    (void)new_hand_take(&s->hand, at->grip, at->further);
    for (int i = 0; i < spec->joint_count; i++)
        if (spec->joints[i].start >= 0) values[spec->joints[i].start] = s->hand.joints[i];
    gmc_mat3 R = turned_down(at->axis, at->grip->closing, at->yaw);
    const gmc_vec3 middle = {at->x, at->y, at->z};
    gmc_pose X_ob = {R, gmc_vec3_sub(middle, gmc_mat3_apply(&R, at->grip->middle))};
    gmc_pose X_bf = gmc_pose_identity(); // of the hand's frame in its base
    int frame = gmc_build_measures(s->prepared->build)->tool_frame;
    if (frame >= 0) {
        const gmc_frame *f = &s->hand.model->frames[frame];
        X_bf = gmc_pose_multiply(&s->hand.X[f->body], &f->X_bf);
    }
    gmc_pose X = gmc_pose_multiply(&X_ob, &X_bf);
    const gmc_pose_spec *target = &spec->target;
    values[target->x] = X.p.x;
    values[target->y] = X.p.y;
    values[target->z] = X.p.z;
    values[target->roll] = gmc_atan2(X.R.m[7], X.R.m[8]);
    values[target->pitch] = gmc_atan2(-X.R.m[6], sqrt(X.R.m[7] * X.R.m[7] + X.R.m[8] * X.R.m[8]));
    values[target->yaw] = gmc_atan2(X.R.m[3], X.R.m[0]);
}

static gmc_status is_free(search *s, const start *at, bool *answer)
{
    put_start(s, at, s->values);
    gmc_status status = gmc_probe_start(&s->probe, s->values);
    *answer = status == GMC_OK && s->probe.found.reason == GMC_REASON_NONE &&
              s->probe.found.values[GMC_COLUMN_MAX_PENETRATION] < 1e-4;
    return status == GMC_E_INPUT ? GMC_OK : status;
}

/// Raise a start until nothing overlaps. @param is_good  out: false: there is no such height
static gmc_status raise(search *s, start *at, bool *is_good)
{
    double height = s->high.z - s->low.z, step = fmax(0.004, height / 12);
    *is_good = false;
    for (; at->z <= s->low.z + 0.95 * height; at->z += step) {
        GMC_TRY(is_free(s, at, is_good));
        if (*is_good) return GMC_OK;
    }
    return GMC_OK;
}

// ---- simulation --------------------------------------------------------------------------------

/// What is simulated of a start: the object in its place, or to one of four sides; or only what is
/// touched first.
enum { NOMINAL, TOUCH = GMC_NEW_TRIES };

typedef struct task {
    const double *believed; ///< (parameter_count) values of the start
    int what;
    bool answer; ///< it holds; it is the object
    gmc_trial trial;
} task;

/// Tasks that are done together, at most as many as starts or sides, and what the cores need for
/// that.
typedef struct batch {
    const search *s;
    gmc_probe probes[BATCH];
    double *values[BATCH]; ///< (parameter_count) of starts
    task tasks[BATCH];
    int count;
} batch;

static gmc_status no_input(gmc_status status) { return status == GMC_E_INPUT ? GMC_OK : status; }

static gmc_status look_at_touch(const search *s, gmc_probe *probe, task *t)
{
    gmc_probe_touch touch = {0};
    gmc_status status = gmc_probe_first_touch(probe, t->believed, &touch);
    int object = gmc_build_measures(s->prepared->build)->object_body;
    t->answer = status == GMC_OK && touch.is_found &&
                probe->input.model->geoms[touch.geom_b].body == object;
    return no_input(status);
}

static const double SIDES[GMC_NEW_TRIES][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/// Does the object, as far to a side and turned as the written uncertainty has it, overlap nothing
/// at the start?
static gmc_status bears_doubt(const search *s, gmc_probe *probe, const task *t, double *values,
                              bool *answer)
{
    const gmc_pose_spec *pose = &s->prepared->scenario.objects[0].pose;
    *answer = true;
    for (int turn = -1; turn <= 1 && *answer; turn++) {
        values[pose->x] = t->believed[pose->x] + DEVIATIONS * GMC_NEW_SIGMA * SIDES[t->what][0];
        values[pose->y] = t->believed[pose->y] + DEVIATIONS * GMC_NEW_SIGMA * SIDES[t->what][1];
        values[pose->yaw] =
            t->believed[pose->yaw] + turn * DEVIATIONS * GMC_NEW_SIGMA_YAW * GMC_PI / 180;
        gmc_status status = gmc_probe_start(probe, values);
        if (status != GMC_OK && status != GMC_E_INPUT) return status;
        *answer = status == GMC_OK && probe->found.reason == GMC_REASON_NONE;
    }
    return GMC_OK;
}

static gmc_status simulate_at(const search *s, gmc_probe *probe, task *t, double *values)
{
    const gmc_pose_spec *pose = &s->prepared->scenario.objects[0].pose;
    size_t bytes = (size_t)s->prepared->scenario.parameter_count * sizeof *values;
    t->answer = true;
    memcpy(values, t->believed, bytes);
    if (t->what != NOMINAL) GMC_TRY(bears_doubt(s, probe, t, values, &t->answer));
    if (!t->answer) return GMC_OK;
    memcpy(values, t->believed, bytes);
    values[pose->x] += SHIFT * SIDES[t->what][0];
    values[pose->y] += SHIFT * SIDES[t->what][1];
    gmc_status status = gmc_probe_run(probe, values, INFINITY, false);
    t->answer = status == GMC_OK && probe->found.outcome == GMC_OUTCOME_SUCCESS;
    return no_input(status);
}

static gmc_status simulate(const search *s, gmc_probe *probe, task *t)
{
    double *values = calloc((size_t)s->prepared->scenario.parameter_count + 1, sizeof *values);
    if (!values) return GMC_E_MEMORY;
    probe->believed = t->believed;
    gmc_status status = simulate_at(s, probe, t, values);
    probe->believed = NULL;
    free(values);
    return status;
}

typedef struct worker {
    batch *batch;
    gmc_probe *probe;
} worker;

static gmc_status create_worker(void *context, int index, void **made)
{
    worker *w = malloc(sizeof *w);
    if (!w) return GMC_E_MEMORY;
    batch *b = context;
    *w = (worker){.batch = b, .probe = &b->probes[index]};
    *made = w;
    return GMC_OK;
}

static gmc_status run_task(void *memory, uint64_t number, const atomic_bool *stop,
                           const gmc_trial **result)
{
    const worker *w = memory;
    task *t = &w->batch->tasks[number];
    t->trial = (gmc_trial){.trial = number};
    *result = &t->trial;
    if (atomic_load(stop)) return GMC_E_INTERRUPTED;
    return t->what == TOUCH ? look_at_touch(w->batch->s, w->probe, t)
                            : simulate(w->batch->s, w->probe, t);
}

/// All tasks on the cores there are.
static gmc_status run_tasks(const search *s, batch *b)
{
    const gmc_job job = {
        .context = b, .worker_create = create_worker, .run = run_task, .worker_free = free};
    int cores = gmc_cores_usable();
    atomic_bool stop;
    atomic_init(&stop, false);
    gmc_pool *pool = NULL;
    const gmc_pool_options tasks = {.worker_count = cores < b->count ? cores : b->count,
                                    .slot_count = BATCH,
                                    .count = (uint64_t)b->count};
    GMC_TRY(gmc_pool_start(&job, &tasks, &stop, &pool));
    for (bool is_over = false; !is_over;) {
        gmc_pool_item *item = NULL;
        gmc_pool_next(pool, 0.1, &item, &is_over);
        if (item) gmc_pool_release(pool, item);
        if (s->listen) s->listen(s->context, s->grasp);
    }
    return gmc_pool_end(pool);
}

// ---- choice ------------------------------------------------------------------------------------

static void keep(search *s, const start *at, int held, bool is_clean)
{
    gmc_new_grasp *grasp = s->grasp;
    const gmc_pose_spec *target = &s->prepared->scenario.hand.target;
    put_start(s, at, s->values);
    grasp->place = (gmc_vec3){s->values[target->x], s->values[target->y], s->values[target->z]};
    grasp->roll = s->values[target->roll];
    grasp->pitch = s->values[target->pitch];
    grasp->yaw = s->values[target->yaw];
    grasp->clear = new_hand_take(&s->hand, at->grip, at->further);
    if (at->grip->sides[0] == 0) grasp->clear = (double)NAN;
    grasp->width = at->is_at_end ? 0 : at->grip->width;
    for (int i = 0; i < s->hand.joint_count; i++) {
        double q = s->hand.joints[i], closed = s->hand.closed[i];
        grasp->joints[i] = q;
        grasp->own[i] = s->hand.own[i];
        grasp->share[i] = (q - closed) / (s->hand.open[i] - closed);
    }
    grasp->held = held;
    grasp->is_clean = is_clean;
}

/// The start whose turn it is; -1: none is left.
static int next_start(const search *s)
{
    double most = -INFINITY;
    int best = -1;
    for (int i = 0; i < s->start_count; i++) {
        double promise = s->starts[i].promise - 0.1 * s->failed[s->starts[i].family];
        if (promise <= most) continue;
        most = promise;
        best = i;
    }
    return best;
}

/// The next `wanted` starts that are free of overlap; what is higher than each is left for later.
static gmc_status fill(search *s, batch *b, int wanted, start *chosen, int *count)
{
    enum { LOOKS_MAX = 600 }; // at starts that overlap, for one batch
    double step = (s->high.z - s->low.z) / 5;
    *count = 0;
    for (int looks = 0; *count < wanted && looks < LOOKS_MAX; looks++) {
        int i = next_start(s);
        if (i < 0) break;
        bool is_good;
        start at = s->starts[i];
        GMC_TRY(raise(s, &at, &is_good));
        if (!is_good) {
            s->starts[i] = s->starts[--s->start_count];
            continue;
        }
        put_start(s, &at, b->values[*count]);
        chosen[(*count)++] = at;
        s->failed[at.family]++; // until it is seen to hold
        s->starts[i].z = at.z + step;
        s->starts[i].promise -= 0.2;
    }
    return GMC_OK;
}

/// A start that holds in its place: does it with the object beside it, and what does it touch
/// first? It is left as soon as it cannot be worth more than what is kept.
static gmc_status try_sides(search *s, batch *b, const start *at, const double *values)
{
    static const int ORDER[][2] = {{TOUCH, 1}, {2, 3}, {4, 0}};
    double worth = GMC_NEW_TRIES + CLEAN;
    int held = GMC_NEW_TRIES;
    bool is_clean = true;
    for (int part = 0; part < GMC_COUNT(ORDER) && worth > s->worth; part++) {
        b->count = 0;
        for (int i = 0; i < 2; i++)
            if (ORDER[part][i] != NOMINAL)
                b->tasks[b->count++] = (task){.believed = values, .what = ORDER[part][i]};
        GMC_TRY(run_tasks(s, b));
        for (int i = 0; i < b->count; i++) {
            if (b->tasks[i].answer) continue;
            if (b->tasks[i].what == TOUCH)
                is_clean = false;
            else
                held--;
        }
        worth = held + (is_clean ? CLEAN : 0);
    }
    if (worth <= s->worth) return GMC_OK;
    s->worth = worth;
    s->grasp->is_free = true;
    keep(s, at, held, is_clean);
    return GMC_OK;
}

/// Simulate the most promising first, until one bears every shift and touches the object first.
static gmc_status choose(search *s, batch *b, int most)
{
    enum { ENOUGH = 32, FIRST = 2 }; // after which what holds at all will do; of the first batch
    start chosen[BATCH];
    for (int tried = 0; tried < most;) {
        int count = 0;
        bool holds[BATCH];
        if (s->grasp->held > 0 && tried >= ENOUGH) break;
        GMC_TRY(fill(s, b, tried == 0 ? FIRST : BATCH, chosen, &count));
        if (count == 0) break;
        b->count = count;
        for (int i = 0; i < count; i++)
            b->tasks[i] = (task){.believed = b->values[i], .what = NOMINAL};
        GMC_TRY(run_tasks(s, b));
        for (int i = 0; i < count; i++)
            holds[i] = b->tasks[i].answer;
        tried += count;
        s->grasp->tried += count;
        for (int i = 0; i < count; i++) {
            if (!holds[i]) continue;
            s->failed[chosen[i].family]--;
            GMC_TRY(try_sides(s, b, &chosen[i], b->values[i]));
            if (s->worth >= GMC_NEW_TRIES + CLEAN) return GMC_OK;
        }
    }
    return GMC_OK;
}

/// Above the object, wide open: where nothing held, there is something to change.
static gmc_status keep_above(search *s)
{
    gmc_new_grip spread;
    new_hand_spread(&s->hand, &spread);
    start at = {.grip = s->grip_count[0] > 0 ? &s->grips[0][0] : &spread, .is_at_end = true};
    at.axis = at.grip->approach;
    at.further = 1;
    at.x = (s->low.x + s->high.x) / 2;
    at.y = (s->low.y + s->high.y) / 2;
    at.z = s->high.z + reach_below(s, at.grip, at.further, at.axis) + 2 * BESIDE;
    GMC_TRY(is_free(s, &at, &s->grasp->is_free));
    keep(s, &at, 0, false);
    return GMC_OK;
}

// ---- force -------------------------------------------------------------------------------------

/// Of joints that turn: mean distance to the tips, with the fingers half closed; 1: all slide [m,
/// -].
static double arm_of(search *s)
{
    double sum = 0;
    int turning = 0;
    for (int i = 0; i < s->hand.joint_count; i++)
        s->hand.joints[i] =
            isnan(s->hand.closed[i]) ? s->hand.own[i] : (s->hand.closed[i] + s->hand.open[i]) / 2;
    new_hand_move(&s->hand);
    for (int i = 0; i < s->hand.tip_count; i++) {
        const gmc_new_tip *tip = &s->hand.tips[i];
        if (s->hand.model->bodies[tip->root].joint != GMC_JOINT_REVOLUTE) continue;
        sum += gmc_vec3_norm(gmc_vec3_sub(tip->at, s->hand.X[tip->root].p));
        turning++;
    }
    return turning > 0 ? sum / turning : 1;
}

/// The most that all drives give to their fingers. @param dof  out: of the weakest; -1: none
static double force_limit(const search *s, const gmc_program *program, int *dof)
{
    double most = INFINITY;
    *dof = -1;
    for (int f = 0; f < program->finger_count; f++) {
        const gmc_finger *finger = &program->fingers[f];
        if (finger->dof >= s->hand.model->dof_count) continue; // of several joints: no dof's
        double own = s->hand.model->dofs[finger->dof].max_force / fmax(1, finger->drive);
        if (!(own < most)) continue;
        most = own;
        *dof = finger->dof;
    }
    return most;
}

/// To two digits, which are enough.
static double rounded(double force, double most)
{
    double unit = 1;
    while (unit > force)
        unit /= 10;
    while (10 * unit <= force)
        unit *= 10;
    double near = round(force / (unit / 10)) * (unit / 10);
    return near <= most ? near : floor(force / (unit / 10)) * (unit / 10);
}

/// Three times what carries the object by a friction of 0.5, shared by the tips, from 3 N to 40 N
/// at each and as far as the drives go; at turning joints times the distance to the tip.
static void choose_force(search *s, const gmc_program *program, double force)
{
    static const double TIMES = 3, FRICTION = 0.5, LEAST = 3, MOST = 40;
    gmc_new_grasp *g = s->grasp;
    int object = gmc_build_measures(s->prepared->build)->object_body;
    double weight = 9.81 * s->hand.model->bodies[object].inertia.mass, arm = arm_of(s);
    double most = force_limit(s, program, &g->limit_dof);
    g->tips = s->hand.tip_count > 2 ? s->hand.tip_count : 2;
    double press = fmin(fmax(TIMES * weight / (FRICTION * g->tips), LEAST), MOST);
    g->force = force > 0 ? force : rounded(fmin(press * arm, most), most);
    g->press = g->force / arm;
    g->limit_each = most;
    g->press_at_limit = most / arm;
}

static void put_force(search *s, double force)
{
    const gmc_scenario *scenario = &s->prepared->scenario;
    for (int i = 0; i < scenario->phase_count; i++)
        if (scenario->program[i].force >= 0) s->nominal[scenario->program[i].force] = force;
}

// ---- all of it ---------------------------------------------------------------------------------

static gmc_status find(search *s, batch *b, double force)
{
    enum { TRIED_MAX = 96, TRIED_AT_ENDS = 64 };
    const gmc_scenario *scenario = &s->prepared->scenario;
    for (int i = 0; i < scenario->parameter_count; i++)
        s->nominal[i] = s->values[i] = scenario->parameters[i].nominal;
    GMC_TRY(gmc_probe_start(&s->probe, s->nominal)); // for its program
    GMC_TRY(new_hand_create(s->prepared, s->probe.input.program, s->nominal, &s->hand));
    int object = gmc_build_measures(s->prepared->build)->object_body;
    (void)gmc_shapes_box(s->hand.model, object, &s->low, &s->high);
    choose_force(s, s->probe.input.program, force);
    put_force(s, s->grasp->force);
    GMC_TRY(make_starts(s, false));
    GMC_TRY(choose(s, b, TRIED_MAX));
    if (s->grasp->held > 0) return GMC_OK;
    // what is too wide is taken by its rim, or by what stands out of it
    GMC_TRY(make_starts(s, true));
    GMC_TRY(choose(s, b, TRIED_AT_ENDS));
    return s->grasp->held > 0 ? GMC_OK : keep_above(s);
}

static void release(search *s, batch *b)
{
    gmc_probe_free(&s->probe);
    for (int i = 0; i < BATCH; i++) {
        gmc_probe_free(&b->probes[i]);
        free(b->values[i]);
    }
    for (int i = 0; i < 2; i++)
        free(s->grips[i][0].joints);
    new_hand_free(&s->hand);
    free(s->values);
    free(s->nominal);
    free(s->starts);
    free(b);
}

gmc_status gmc_new_grasp_find(const gmc_prepared *prepared, double force,
                              gmc_new_grasp_listener *listen, void *context, gmc_new_grasp *grasp)
{
    size_t parameters = (size_t)prepared->scenario.parameter_count + 1;
    size_t joints = (size_t)prepared->scenario.hand.joint_count + 1;
    search *s = calloc(1, sizeof *s);
    batch *b = calloc(1, sizeof *b);
    *grasp = (gmc_new_grasp){0};
    if (!s || !b) {
        free(s);
        free(b);
        return GMC_E_MEMORY;
    }
    *s = (search){.prepared = prepared,
                  .listen = listen,
                  .context = context,
                  .grasp = grasp,
                  .probe = {.scenario = &prepared->scenario, .build = prepared->build}};
    b->s = s;
    s->values = calloc(parameters, sizeof *s->values);
    s->nominal = calloc(parameters, sizeof *s->nominal);
    s->starts = calloc(STARTS_MAX, sizeof *s->starts);
    grasp->joints = calloc(joints, sizeof *grasp->joints);
    grasp->own = calloc(joints, sizeof *grasp->own);
    grasp->share = calloc(joints, sizeof *grasp->share);
    bool is_there =
        s->values && s->nominal && s->starts && grasp->joints && grasp->own && grasp->share;
    for (int i = 0; i < BATCH; i++) {
        b->probes[i] = s->probe;
        b->values[i] = calloc(parameters, sizeof *b->values[i]);
        is_there = is_there && b->values[i];
    }
    gmc_status status = is_there ? find(s, b, force) : GMC_E_MEMORY;
    release(s, b);
    free(s);
    return status;
}

void gmc_new_grasp_free(gmc_new_grasp *grasp)
{
    free(grasp->joints);
    free(grasp->own);
    free(grasp->share);
    *grasp = (gmc_new_grasp){0};
}
