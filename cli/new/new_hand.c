// Fingers are the branches of the hand that closing moves; their tips are the far ends of their
// last links, seen from the palm. A grip is two sets of tips, each closed by a share of its own,
// such that the way between their surfaces is as wide as the object. It is worth as much as the
// tips then move along that way: a thumb that closes past the fingers is worth nothing, however
// near it comes. Joints that do not close are tried at a few values, those of one finger together,
// for that is what turns a thumb.
//
// Rejected: the sum of the tips' motions as a measure of opposition. Three fingers and a thumb
// that closes beside them have a smaller sum than the same thumb before them.
#include "cli/new/new_hand.h"

#include "cli/new/shapes.h"
#include "engine/math/elementary.h"

#include <stdlib.h>
#include <string.h>

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
    const gmc_hand_spec *spec = &hand->prepared->scenario.hand;
    if (gmc_joint_v_count(b->joint) != 1) return -1;
    for (int i = 0; i < spec->joint_count; i++)
        if (strcmp(spec->joints[i].joint, hand->model->dofs[b->v].name) == 0) return i;
    return -1;
}

void gmc_new_hand_move(gmc_new_hand *hand)
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
    gmc_new_hand_move(hand);
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

double gmc_new_hand_reach(const gmc_new_hand *hand, gmc_vec3 direction)
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
    const gmc_hand_spec *spec = &hand->prepared->scenario.hand;
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

gmc_status gmc_new_hand_create(const gmc_prepared *prepared, const gmc_program *program,
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

void gmc_new_hand_free(gmc_new_hand *hand)
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

typedef struct side {
    gmc_vec3 at, way; ///< means
    int count;
} side;

static side side_of(const finding *f, unsigned tips, int g)
{
    side s = {0};
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
static double surface_of(const finding *f, unsigned tips, int g, const side *s, gmc_vec3 n,
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
    const side a = side_of(f, sides[0], g[0]), b = side_of(f, sides[1], g[1]);
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

/// Sides that slide and are one step of the grid apart meet half way.
static void even_out(gmc_new_hand *hand, gmc_new_grip *grip)
{
    double at[2], apart = fabs(grip->opening[0] - grip->opening[1]);
    if (apart == 0 || apart > 1.5 / GRID || !do_slide(hand, grip->sides)) return;
    grip->opening[0] = grip->opening[1] = (grip->opening[0] + grip->opening[1]) / 2;
    (void)gmc_new_hand_take(hand, grip, 0);
    find_sides(hand, grip, at);
    double off = (at[0] + at[1]) / 2 - gmc_vec3_dot(grip->middle, grip->closing);
    grip->middle = gmc_vec3_add_scaled(grip->middle, off, grip->closing);
}

/// The best of the pool that differ.
static gmc_status choose(finding *f, gmc_new_grip *grips, int *count)
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
        (void)gmc_new_hand_take(f->hand, grip, 0);
        grip->approach = approach_of(f->hand, grip);
    }
    return GMC_OK;
}

gmc_status gmc_new_hand_grips(gmc_new_hand *hand, double width, double length, gmc_new_grip *grips,
                              int *count)
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
        status = choose(f, grips, count);
    }
    free(f->pool);
    free(f->joints);
    free(f);
    return status;
}

double gmc_new_hand_take(gmc_new_hand *hand, const gmc_new_grip *grip, double further)
{
    for (int k = 0; k < hand->joint_count; k++) {
        hand->joints[k] = grip->joints[k];
        if (isnan(hand->closed[k])) continue;
        // a finger that takes no part goes with the second side, which has most of them
        int of = hand->moves[k] & grip->sides[0] ? 0 : 1;
        hand->joints[k] = at_share(hand, k, fmin(1, grip->opening[of] + further));
    }
    gmc_new_hand_move(hand);
    double at[2];
    find_sides(hand, grip, at);
    return at[1] - at[0];
}

double gmc_new_hand_beside(const gmc_new_hand *hand, const gmc_new_grip *grip)
{
    double at[2], middle = gmc_vec3_dot(grip->middle, grip->closing);
    find_sides(hand, grip, at);
    return fmin(middle - at[0], at[1] - middle) - grip->width / 2;
}

void gmc_new_hand_spread(gmc_new_hand *hand, gmc_new_grip *grip)
{
    const unsigned all = (1U << hand->tip_count) - 1;
    *grip = (gmc_new_grip){.joints = hand->own, .sides = {0, all}, .opening = {1, 1}};
    (void)gmc_new_hand_take(hand, grip, 0);
    for (int i = 0; i < hand->tip_count; i++)
        grip->middle = gmc_vec3_add_scaled(grip->middle, 1.0 / hand->tip_count, hand->tips[i].at);
    gmc_vec3 way = gmc_vec3_sub(grip->middle, palm_of(hand));
    grip->closing =
        fabs(way.x) < 0.7 * gmc_vec3_norm(way) ? (gmc_vec3){1, 0, 0} : (gmc_vec3){0, 1, 0};
    grip->approach = approach_of(hand, grip);
}
