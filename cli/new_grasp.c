// The hand is looked at in the frame of its base. Fingers are the branches of the hand that closing
// moves; their tips are the far ends of their last links. Two directions follow from them:
//
//   approach   from where the fingers begin to their tips: it is turned down
//   closing    along which tips move most: it is laid along a side of the object
//
// The tips' middle goes over the object's middle, as deep as nothing overlaps. Openings, sides and
// depths make some dozens of starts; those that overlap fall out at once, the rest is simulated,
// the most promising first, until one holds wherever the object is shifted to.
//
// Rejected: search by chance over all starts. It finds grasps for any hand, but others each time
// something changes, and hundreds of trials for the hands at hand.
#include "cli/new_grasp.h"

#include "cli/shapes.h"
#include "engine/math/elementary.h"
#include "sampling/campaign/probe.h"

#include <stdlib.h>
#include <string.h>

enum { TIPS_MAX = 8, STARTS_MAX = 2048, TRIED_MAX = 60 };

/// By which the object is shifted to see whether a grasp bears it [m].
static const double SHIFT = 0.004;

/// A branch of the hand that ends in a tip.
typedef struct tip {
    int body;        ///< its last link
    gmc_vec3 p;      ///< far end in the body's frame, at first its middle
    int root;        ///< body of the first joint that closes it
    gmc_vec3 at;     ///< with the joints as they are: in the base's frame
    gmc_vec3 motion; ///< as the fingers close by a little
} tip;

typedef struct search {
    const gmc_prepared *prepared;
    gmc_probe probe;
    double *values; ///< (parameter_count) of the start that is looked at
    double *nominal;
    const gmc_model *model; ///< compiled
    int base;               ///< body
    double *closed, *open;  ///< (joint_count) ends of fingers; NaN: not a finger
    double *joints;         ///< (joint_count) positions
    gmc_pose *X;            ///< (body_count) in the base's frame
    tip tips[TIPS_MAX];
    int tip_count;
    gmc_vec3 low, high; ///< of the object, in its frame
    gmc_vec3 approach, closing, middle;
    double space; ///< between tips that close against each other
} search;

/// Far end of a link: the middle of the points that reach farthest along a direction.
typedef struct far_end {
    gmc_vec3 direction, sum;
    double reach, least; ///< farthest; what counts as far
    int count;
    bool is_summing;
} far_end;

static void reach_out(void *context, gmc_vec3 p, double radius)
{
    far_end *f = context;
    p = gmc_vec3_add_scaled(p, radius, f->direction);
    double reach = gmc_vec3_dot(p, f->direction);
    f->reach = fmax(f->reach, reach);
    if (!f->is_summing || reach < f->least) return;
    f->sum = gmc_vec3_add(f->sum, p);
    f->count++;
}

static gmc_vec3 far_end_of(const gmc_model *model, int body, gmc_vec3 direction)
{
    gmc_vec3 low, high;
    if (!gmc_shapes_box(model, body, &low, &high)) return (gmc_vec3){0, 0, 0};
    far_end f = {.direction = direction, .reach = -INFINITY};
    gmc_shapes_of_body(model, body, reach_out, &f);
    f.least = f.reach - 0.1 * gmc_vec3_norm(gmc_vec3_sub(high, low));
    f.is_summing = true;
    gmc_shapes_of_body(model, body, reach_out, &f);
    return gmc_vec3_scale(1.0 / f.count, f.sum);
}

// ---- the hand ----------------------------------------------------------------------------------

static bool has_shape(const gmc_model *model, int body)
{
    for (int g = 0; g < model->geom_count; g++)
        if (model->geoms[g].body == body) return true;
    return false;
}

/// The setting of a body's joint, also of one that mimics it; -1: it has none.
static int setting_of(const search *s, int body)
{
    const gmc_body *b = &s->model->bodies[body];
    const gmc_hand_spec *hand = &s->prepared->scenario.hand;
    if (gmc_joint_v_count(b->joint) != 1) return -1;
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, s->model->dofs[b->v].name) == 0) return i;
    return -1;
}

/// Poses of the hand's bodies in the base's frame, and where its tips are.
static void move_hand(search *s)
{
    const gmc_model *model = s->model;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        int k = setting_of(s, b);
        s->X[b] = gmc_pose_identity();
        if (b == s->base || body->parent <= 0) continue;
        double q = k >= 0 ? body->ratio * s->joints[k] + body->offset : 0;
        gmc_pose turned = gmc_pose_identity();
        if (body->joint == GMC_JOINT_REVOLUTE)
            turned = gmc_pose_make(gmc_quat_exp(gmc_vec3_scale(q, body->axis)), turned.p);
        else if (body->joint == GMC_JOINT_PRISMATIC)
            turned.p = gmc_vec3_scale(q, body->axis);
        gmc_pose X = gmc_pose_multiply(&s->X[body->parent], &body->X_pj);
        s->X[b] = gmc_pose_multiply(&X, &turned);
    }
    for (int i = 0; i < s->tip_count; i++)
        s->tips[i].at = gmc_pose_apply(&s->X[s->tips[i].body], s->tips[i].p);
}

/// Fingers at a share of their range: 1 open, 0 closed. Other joints stay.
static void open_fingers(search *s, double opening)
{
    for (int i = 0; i < s->prepared->scenario.hand.joint_count; i++)
        if (!isnan(s->closed[i]))
            s->joints[i] = s->closed[i] + opening * (s->open[i] - s->closed[i]);
}

/// Where tips are at an opening, and how they move there.
static void look_at_tips(search *s, double opening)
{
    gmc_vec3 before[TIPS_MAX];
    open_fingers(s, opening - 0.02);
    move_hand(s);
    for (int i = 0; i < s->tip_count; i++)
        before[i] = s->tips[i].at;
    open_fingers(s, opening);
    move_hand(s);
    for (int i = 0; i < s->tip_count; i++)
        s->tips[i].motion = gmc_vec3_sub(before[i], s->tips[i].at);
}

/// Ends of the fingers' ranges. A joint without limits goes half a turn.
static void find_ends(search *s, const gmc_program *program)
{
    const gmc_hand_spec *hand = &s->prepared->scenario.hand;
    for (int i = 0; i < hand->joint_count; i++) {
        int dof = gmc_model_find_dof(s->model, hand->joints[i].joint);
        s->closed[i] = s->open[i] = NAN;
        s->joints[i] = s->nominal[hand->joints[i].start];
        for (int f = 0; f < program->finger_count; f++) {
            if (program->fingers[f].dof != dof) continue;
            double sign = program->fingers[f].closing;
            double lower = s->model->dofs[dof].lower, upper = s->model->dofs[dof].upper;
            lower = isfinite(lower) ? lower : s->joints[i] - GMC_PI / 2;
            upper = isfinite(upper) ? upper : s->joints[i] + GMC_PI / 2;
            s->closed[i] = sign > 0 ? upper : lower;
            s->open[i] = sign > 0 ? lower : upper;
        }
    }
}

static bool has_moving_child(const search *s, int body)
{
    for (int b = 1; b < s->model->body_count; b++)
        if (s->model->bodies[b].parent == body && has_shape(s->model, b)) return true;
    return false;
}

static gmc_vec3 middle_of(const gmc_model *model, int body)
{
    gmc_vec3 low, high;
    (void)gmc_shapes_box(model, body, &low, &high);
    return gmc_vec3_scale(0.5, gmc_vec3_add(low, high));
}

/// From the palm, or from where the fingers begin if the palm has no shape, to the tips.
static gmc_vec3 approach_of(const search *s)
{
    gmc_vec3 from = {0, 0, 0}, to = {0, 0, 0};
    for (int i = 0; i < s->tip_count; i++) {
        to = gmc_vec3_add_scaled(to, 1.0 / s->tip_count, s->tips[i].at);
        from = gmc_vec3_add_scaled(from, 1.0 / s->tip_count, s->X[s->tips[i].root].p);
    }
    if (has_shape(s->model, s->base)) from = middle_of(s->model, s->base);
    gmc_vec3 way = gmc_vec3_sub(to, from);
    return gmc_vec3_norm(way) > 1e-6 ? gmc_vec3_unit(way) : (gmc_vec3){0, 0, 1};
}

static void find_tips(search *s)
{
    const gmc_model *model = s->model;
    for (int b = 1; b < model->body_count && s->tip_count < TIPS_MAX; b++) {
        int root = -1;
        for (int up = b; up > 0 && up != s->base; up = model->bodies[up].parent) {
            int k = setting_of(s, up);
            if (k >= 0 && !isnan(s->closed[k])) root = up;
        }
        if (root < 0 || !has_shape(model, b) || has_moving_child(s, b)) continue;
        s->tips[s->tip_count++] = (tip){.body = b, .p = middle_of(model, b), .root = root};
    }
    open_fingers(s, 0.5);
    move_hand(s);
    gmc_vec3 approach = approach_of(s);
    for (int i = 0; i < s->tip_count; i++) {
        tip *t = &s->tips[i];
        t->p = far_end_of(model, t->body, gmc_mat3_apply_transposed(&s->X[t->body].R, approach));
    }
}

/// How far the tips are from moving against each other: 0 they do, 1 all move the same way.
static double onesidedness(const search *s)
{
    gmc_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->tip_count; i++)
        if (gmc_vec3_norm(s->tips[i].motion) > 0)
            sum = gmc_vec3_add(sum, gmc_vec3_unit(s->tips[i].motion));
    return s->tip_count > 0 ? gmc_vec3_norm(sum) / s->tip_count : 1;
}

/// Joints that do not close (a thumb's opposition, a spread) stay where they start, unless the
/// fingers would then all press the same way.
static void oppose(search *s)
{
    static const double ENOUGH = 0.5, SHARES[] = {0, 0.5, 1};
    look_at_tips(s, 0.5);
    double best = onesidedness(s);
    if (best <= ENOUGH) return;
    for (int i = 0; i < s->prepared->scenario.hand.joint_count; i++) {
        const gmc_joint_setting *setting = &s->prepared->scenario.hand.joints[i];
        if (!isnan(s->closed[i]) || setting->lower < 0 || setting->upper < 0) continue;
        double lower = s->nominal[setting->lower], upper = s->nominal[setting->upper];
        double kept = s->joints[i];
        for (int k = 0; k < 3 && isfinite(upper - lower); k++) {
            s->joints[i] = lower + SHARES[k] * (upper - lower);
            look_at_tips(s, 0.5);
            double found = onesidedness(s);
            if (found < best - 0.05) {
                best = found;
                kept = s->joints[i];
            }
        }
        s->joints[i] = kept;
    }
}

/// Approach and closing directions, and the middle between the tips, at an opening.
static void find_axes(search *s, double opening)
{
    gmc_vec3 middle = {0, 0, 0}, c = {0.3, 1, 0.2};
    look_at_tips(s, opening);
    for (int i = 0; i < s->tip_count; i++)
        middle = gmc_vec3_add_scaled(middle, 1.0 / s->tip_count, s->tips[i].at);
    s->approach = approach_of(s);
    for (int round = 0; round < 50; round++) { // power iteration on the scatter of the motions
        gmc_vec3 next = {0, 0, 0};
        for (int i = 0; i < s->tip_count; i++) {
            gmc_vec3 m = s->tips[i].motion;
            m = gmc_vec3_add_scaled(m, -gmc_vec3_dot(m, s->approach), s->approach);
            next = gmc_vec3_add_scaled(next, gmc_vec3_dot(m, c), m);
        }
        if (!(gmc_vec3_norm(next) > 0)) break;
        c = gmc_vec3_unit(next);
    }
    c = gmc_vec3_add_scaled(c, -gmc_vec3_dot(c, s->approach), s->approach);
    s->closing = gmc_vec3_unit(c);

    // between the tips that go one way and those that go the other
    gmc_vec3 sum[2] = {{0, 0, 0}, {0, 0, 0}};
    int count[2] = {0, 0};
    for (int i = 0; i < s->tip_count; i++) {
        int side = gmc_vec3_dot(s->tips[i].motion, s->closing) > 0;
        sum[side] = gmc_vec3_add(sum[side], s->tips[i].at);
        count[side]++;
    }
    s->middle = middle;
    s->space = 0;
    if (count[0] == 0 || count[1] == 0) return;
    gmc_vec3 a = gmc_vec3_scale(1.0 / count[0], sum[0]), b = gmc_vec3_scale(1.0 / count[1], sum[1]);
    s->middle = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
    s->space = gmc_vec3_dot(gmc_vec3_sub(a, b), s->closing);
}

// ---- starts ------------------------------------------------------------------------------------

/// One start of the hand.
typedef struct start {
    double yaw;      ///< of the closing direction
    bool is_at_end;  ///< the tips go over an end of the object
    gmc_mat3 R;      ///< of the base in the object's frame
    gmc_vec3 middle; ///< between the tips, in the object's frame
    gmc_vec3 offset; ///< the same in the base's frame
    double opening, width, space, promise;
} start;

typedef struct starts {
    start *items; ///< STARTS_MAX
    int count;
    bool are_at_ends; ///< of the object, in place of over its middle
} starts;

/// Down for the approach, a horizontal direction for the closing.
static gmc_mat3 turned_down(gmc_vec3 approach, gmc_vec3 closing, double yaw)
{
    double s, c;
    gmc_sin_cos(yaw, &s, &c);
    gmc_vec3 third = gmc_vec3_cross(approach, closing);
    const gmc_vec3 down = {0, 0, -1}, across = {c, s, 0}, rest = gmc_vec3_cross(down, across);
    const gmc_mat3 from = {{approach.x, closing.x, third.x, approach.y, closing.y, third.y,
                            approach.z, closing.z, third.z}};
    const gmc_mat3 to = {
        {down.x, across.x, rest.x, down.y, across.y, rest.y, down.z, across.z, rest.z}};
    gmc_mat3 back = gmc_mat3_transpose(&from);
    return gmc_mat3_multiply(&to, &back);
}

static void put_start(search *s, const start *at, double *values)
{
    const gmc_hand_spec *hand = &s->prepared->scenario.hand;
    open_fingers(s, at->opening);
    for (int i = 0; i < hand->joint_count; i++)
        if (hand->joints[i].start >= 0) values[hand->joints[i].start] = s->joints[i];
    gmc_pose X_ob = {at->R, gmc_vec3_sub(at->middle, gmc_mat3_apply(&at->R, at->offset))};
    gmc_pose X_bf = gmc_pose_identity(); // of the hand's frame in its base
    int frame = gmc_build_measures(s->prepared->build)->tool_frame;
    move_hand(s);
    if (frame >= 0) {
        const gmc_frame *f = &s->model->frames[frame];
        X_bf = gmc_pose_multiply(&s->X[f->body], &f->X_bf);
    }
    gmc_pose X = gmc_pose_multiply(&X_ob, &X_bf);
    const gmc_pose_spec *target = &hand->target;
    values[target->x] = X.p.x;
    values[target->y] = X.p.y;
    values[target->z] = X.p.z;
    values[target->roll] = gmc_atan2(X.R.m[7], X.R.m[8]);
    values[target->pitch] = gmc_atan2(-X.R.m[6], sqrt(X.R.m[7] * X.R.m[7] + X.R.m[8] * X.R.m[8]));
    values[target->yaw] = gmc_atan2(X.R.m[3], X.R.m[0]);
}

/// Is nothing in the way at a start?
static gmc_status is_free(search *s, const start *at, bool *answer)
{
    memcpy(s->values, s->nominal,
           (size_t)s->prepared->scenario.parameter_count * sizeof *s->values);
    put_start(s, at, s->values);
    gmc_status status = gmc_probe_start(&s->probe, s->values);
    *answer = status == GMC_OK && s->probe.found.reason == GMC_REASON_NONE &&
              s->probe.found.values[GMC_COLUMN_MAX_PENETRATION] < 1e-4;
    return status == GMC_E_INPUT ? GMC_OK : status;
}

/// How much farther than their middle the tips reach along the approach.
static double reach_beyond(const search *s, gmc_vec3 approach)
{
    double reach = 0;
    for (int i = 0; i < s->tip_count; i++)
        reach = fmax(reach, gmc_vec3_dot(gmc_vec3_sub(s->tips[i].at, s->middle), approach));
    return reach;
}

/// From the deepest place of the tips that is free upwards, until none is beside the object.
static gmc_status lower_hand(search *s, start at, double beyond, starts *list)
{
    enum { DEPTHS = 3 };
    double height = s->high.z - s->low.z, step = fmax(0.004, height / 16);
    double deepest = s->low.z + fmin(0.008, 0.3 * height);
    double top = s->high.z + beyond - 0.15 * height;
    int found = 0;
    for (double z = deepest; z <= top && found < DEPTHS && list->count < STARTS_MAX; z += step) {
        bool is_good;
        at.middle.z = z;
        GMC_TRY(is_free(s, &at, &is_good));
        if (!is_good) continue;
        // tips at the height of the middle or a little below it hold best
        double below = fmax(-1, fmin(0.7, (s->high.z - z) / height));
        list->items[list->count] = at;
        list->items[list->count++].promise += below - 0.15 * found++;
        z += 2 * step;
    }
    return GMC_OK;
}

/// What is too wide is taken by its rim, or by what stands out of it: the tips' middle goes to the
/// object's ends.
static gmc_status try_ends(search *s, start at, double length, double beyond, starts *list)
{
    static const double ALONG[] = {0.5, -0.5, 0.42, -0.42, 0.34, -0.34}, INWARDS = 0.014;
    double sine, cosine;
    gmc_sin_cos(at.yaw, &sine, &cosine);
    const gmc_vec3 across = {cosine, sine, 0}, beside = {-sine, cosine, 0}, centre = at.middle;
    at.is_at_end = true;
    for (int i = 0; i < GMC_COUNT(ALONG); i++) {
        at.middle = gmc_vec3_add_scaled(centre, ALONG[i] * at.width, across);
        GMC_TRY(lower_hand(s, at, beyond, list));
    }
    for (int side = -1; side <= 1; side += 2) {
        at.middle = gmc_vec3_add_scaled(centre, side * (length / 2 - INWARDS), beside);
        GMC_TRY(lower_hand(s, at, beyond, list));
    }
    return GMC_OK;
}

/// Turned down along one direction of approach, to each side of the object.
static gmc_status turn_hand(search *s, gmc_vec3 axis, double opening, double promise, starts *list)
{
    gmc_vec3 size = gmc_vec3_sub(s->high, s->low);
    gmc_vec3 c = gmc_vec3_add_scaled(s->closing, -gmc_vec3_dot(s->closing, axis), axis);
    if (gmc_vec3_norm(c) < 0.1) return GMC_OK;
    for (int y = 0; y < 4; y++) {
        start at = {.yaw = y * GMC_PI / 2,
                    .R = turned_down(axis, gmc_vec3_unit(c), y * GMC_PI / 2),
                    .middle = gmc_vec3_scale(0.5, gmc_vec3_add(s->low, s->high)),
                    .offset = s->middle,
                    .opening = opening,
                    .width = y % 2 == 0 ? size.x : size.y,
                    .space = s->space};
        // wide hands and narrow sides first, but fingers that have not far to go
        at.promise = promise + 0.2 * opening - at.width / (size.x + size.y) - 0.02 * y;
        if (s->space > 0) at.promise -= fmin(1, fmax(0, s->space - at.width) / 0.3);
        double length = y % 2 == 0 ? size.y : size.x, beyond = reach_beyond(s, axis);
        if (list->are_at_ends)
            GMC_TRY(try_ends(s, at, length, beyond, list));
        else if (s->space == 0 || s->space >= at.width + 0.004)
            GMC_TRY(lower_hand(s, at, beyond, list));
    }
    return GMC_OK;
}

/// The approach itself, and the axes of the base that are near it: hands are drawn along them.
static gmc_status make_starts(search *s, starts *list)
{
    static const double OPENINGS[] = {1, 0.8, 0.65, 0.5, 0.4, 0.3};
    for (int o = 0; o < GMC_COUNT(OPENINGS); o++) {
        find_axes(s, OPENINGS[o]);
        const double a[3] = {s->approach.x, s->approach.y, s->approach.z};
        double nearest = 0;
        for (int k = 0; k < 3; k++) {
            double sign = a[k] > 0 ? 1 : -1;
            nearest = fmax(nearest, fabs(a[k]));
            if (fabs(a[k]) < 0.4) continue;
            gmc_vec3 axis = {k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0};
            GMC_TRY(turn_hand(s, axis, OPENINGS[o], 0.1 * fabs(a[k]), list));
            find_axes(s, OPENINGS[o]);
        }
        if (nearest < 0.999) GMC_TRY(turn_hand(s, s->approach, OPENINGS[o], 0, list));
    }
    return GMC_OK;
}

static int by_promise(const void *a, const void *b)
{
    double x = ((const start *)a)->promise, y = ((const start *)b)->promise;
    return x > y ? -1 : x < y;
}

/// Of GMC_NEW_TRIES, how often it holds: 0 if not even at nominal values.
static gmc_status try_start(search *s, const start *at, int *held)
{
    const gmc_item_spec *object = &s->prepared->scenario.objects[0];
    static const double SIDES[GMC_NEW_TRIES][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double *believed = malloc((size_t)s->prepared->scenario.parameter_count * sizeof *believed + 1);
    if (!believed) return GMC_E_MEMORY;
    memcpy(s->values, s->nominal,
           (size_t)s->prepared->scenario.parameter_count * sizeof *s->values);
    put_start(s, at, s->values);
    memcpy(believed, s->values, (size_t)s->prepared->scenario.parameter_count * sizeof *believed);
    s->probe.believed = believed;
    gmc_status status = GMC_OK;
    *held = 0;
    for (int i = 0; i < GMC_NEW_TRIES && status == GMC_OK && (i == 0 || *held > 0); i++) {
        s->values[object->pose.x] = believed[object->pose.x] + SHIFT * SIDES[i][0];
        s->values[object->pose.y] = believed[object->pose.y] + SHIFT * SIDES[i][1];
        status = gmc_probe_run(&s->probe, s->values, INFINITY, false);
        if (status == GMC_E_INPUT)
            status = GMC_OK;
        else if (status == GMC_OK)
            *held += s->probe.found.outcome == GMC_OUTCOME_SUCCESS;
    }
    s->probe.believed = NULL;
    free(believed);
    return status;
}

static void keep(search *s, const start *at, int held, gmc_new_grasp *grasp)
{
    const gmc_pose_spec *target = &s->prepared->scenario.hand.target;
    put_start(s, at, s->values);
    grasp->place = (gmc_vec3){s->values[target->x], s->values[target->y], s->values[target->z]};
    grasp->roll = s->values[target->roll];
    grasp->pitch = s->values[target->pitch];
    grasp->yaw = s->values[target->yaw];
    memcpy(grasp->joints, s->joints,
           (size_t)s->prepared->scenario.hand.joint_count * sizeof *s->joints);
    grasp->opening = at->opening;
    grasp->width = at->width;
    grasp->space = at->is_at_end ? 0 : at->space;
    grasp->held = held;
    grasp->is_free = true;
}

/// Simulate the most promising first, until one bears every shift; after ENOUGH the best so far
/// will do.
static gmc_status choose(search *s, bool are_at_ends, gmc_new_grasp *grasp)
{
    enum { ENOUGH = 20 };
    starts list = {.items = calloc(STARTS_MAX, sizeof *list.items), .are_at_ends = are_at_ends};
    if (!list.items) return GMC_E_MEMORY;
    gmc_status status = make_starts(s, &list);
    qsort(list.items, (size_t)list.count, sizeof *list.items, by_promise);
    for (int i = 0; i < list.count && i < TRIED_MAX && status == GMC_OK; i++) {
        int held = 0;
        if (grasp->held == GMC_NEW_TRIES || (grasp->held > 0 && i >= ENOUGH)) break;
        grasp->tried++;
        status = try_start(s, &list.items[i], &held);
        if (status == GMC_OK && (held > grasp->held || !grasp->is_free))
            keep(s, &list.items[i], held, grasp);
    }
    free(list.items);
    return status;
}

// ---- force -------------------------------------------------------------------------------------

/// Three times what carries the object by friction, shared by the tips; at turning joints times the
/// distance to the tip.
static double force_for(search *s, const gmc_program *program)
{
    const gmc_model *model = s->model;
    double weight =
        9.81 * model->bodies[gmc_build_measures(s->prepared->build)->object_body].inertia.mass;
    double press = fmin(fmax(3 * weight / (0.5 * fmax(2, s->tip_count)), 3), 40), sum = 0;
    int turning = 0;
    look_at_tips(s, 0.5);
    for (int i = 0; i < s->tip_count; i++) {
        if (model->bodies[s->tips[i].root].joint != GMC_JOINT_REVOLUTE) continue;
        sum += gmc_vec3_norm(gmc_vec3_sub(s->tips[i].at, s->X[s->tips[i].root].p));
        turning++;
    }
    double force = turning > 0 ? press * sum / turning : press;
    for (int f = 0; f < program->finger_count; f++)
        force = fmin(force, model->dofs[program->fingers[f].dof].max_force /
                                fmax(1, program->fingers[f].drive));
    // two digits are enough
    double unit = 1;
    while (unit > force)
        unit /= 10;
    while (10 * unit <= force)
        unit *= 10;
    return round(force / (unit / 10)) * (unit / 10);
}

static void put_force(search *s, double force)
{
    const gmc_scenario *scenario = &s->prepared->scenario;
    for (int i = 0; i < scenario->phase_count; i++)
        if (scenario->program[i].force >= 0) s->nominal[scenario->program[i].force] = force;
}

static gmc_status find(search *s, double force, gmc_new_grasp *grasp)
{
    for (int i = 0; i < s->prepared->scenario.parameter_count; i++)
        s->nominal[i] = s->values[i] = s->prepared->scenario.parameters[i].nominal;
    gmc_status status = gmc_probe_start(&s->probe, s->nominal); // for its program
    if (status != GMC_OK) return status;
    const gmc_measure_plan *plan = gmc_build_measures(s->prepared->build);
    s->base = plan->hand_body;
    (void)gmc_shapes_box(s->model, plan->object_body, &s->low, &s->high);
    find_ends(s, s->probe.input.program);
    find_tips(s);
    grasp->force = force > 0 ? force : force_for(s, s->probe.input.program);
    put_force(s, grasp->force);
    oppose(s);
    GMC_TRY(choose(s, false, grasp));
    return grasp->held > 0 ? GMC_OK : choose(s, true, grasp);
}

gmc_status gmc_new_grasp_find(const gmc_prepared *prepared, double force, gmc_new_grasp *grasp)
{
    size_t parameters = (size_t)prepared->scenario.parameter_count + 1;
    size_t joints = (size_t)prepared->scenario.hand.joint_count + 1;
    search s = {.prepared = prepared,
                .probe = {.scenario = &prepared->scenario, .build = prepared->build},
                .model = gmc_build_model(prepared->build, 0)};
    *grasp = (gmc_new_grasp){0};
    s.values = calloc(parameters, sizeof *s.values);
    s.nominal = calloc(parameters, sizeof *s.nominal);
    s.closed = calloc(joints, sizeof *s.closed);
    s.open = calloc(joints, sizeof *s.open);
    s.joints = calloc(joints, sizeof *s.joints);
    s.X = calloc((size_t)s.model->body_count, sizeof *s.X);
    grasp->joints = calloc(joints, sizeof *grasp->joints);
    bool is_there = s.values && s.nominal && s.closed && s.open && s.joints && s.X && grasp->joints;
    gmc_status status = is_there ? find(&s, force, grasp) : GMC_E_MEMORY;
    gmc_probe_free(&s.probe);
    free(s.values);
    free(s.nominal);
    free(s.closed);
    free(s.open);
    free(s.joints);
    free(s.X);
    return status;
}
