// The measure is the cosine between how the moved links go and the way to the middle of the hand,
// over all of them: sum v·u / sqrt(sum v² sum u²). Rejected: towards the farther limit (depends on
// the start), towards the tool point (a palm frame below the knuckles and a point between the
// fingertips are both usual), the distance to the tool's axis (bent fingers turn back to it), the
// mean of all links alone (a little finger lies far beside it).
//
// A sliding link squeezes what lies before a surface that faces it; a long bar that it slides on
// puts the middle of the hand behind it. So two more are asked of sliding joints, the surfaces that
// face the link along its axis and the tool point, and the majority has it. Rejected: the facing
// surfaces alone (fingers that pass each other face the housing behind them), the nearer of
// those on both sides (depends on the travel).
#include "engine/control/closing.h"

#include "engine/collision/shape.h"
#include "engine/dynamics/kinematics.h"

/// Cosines below these are no answer: turning joints and sliding ones, whose links may lie far in
/// front of the palm and come nearer along one axis alone. Bending joints of Barrett, Allegro,
/// Shadow and jaws have 0.29 and more; turns of thumbs about their own axis 0.04 and less.
static const double CLEAR_TURN = 0.2, CLEAR_SLIDE = 0.05;
static const double PARALLEL = 0.86602540378443865; // cos 30 degrees

typedef struct looking {
    const gmc_model *model;
    gmc_kinematics kin;
    int base, palm, tool;
    bool has_tool;                       // a tool point is given
    bool *is_hand, *is_leaf, *has_shape; // (body_count)
    gmc_vec3 *centre;                    // (body_count) of what has shapes; else its origin
    gmc_vec3 hand, tip;                  // its middle; the tool point
} looking;

static bool is_single(const gmc_body *body)
{
    return !body->is_driven &&
           (body->joint == GMC_JOINT_REVOLUTE || body->joint == GMC_JOINT_PRISMATIC);
}

static bool hangs_on(const gmc_model *model, int body, int on)
{
    while (body > 0 && body != on)
        body = model->bodies[body].parent;
    return body == on;
}

static double middle_of(const gmc_dof *dof)
{
    if (isfinite(dof->lower) && isfinite(dof->upper)) return (dof->lower + dof->upper) / 2;
    return fmin(fmax(0, dof->lower), dof->upper);
}

static gmc_status place(const gmc_model *model, gmc_arena *scratch, looking *look)
{
    double *q = GMC_NEW(scratch, model->q_count, double);
    if (!q) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->q_count; i++)
        q[i] = model->q_start[i];
    for (int b = 1; b < model->body_count; b++)
        if (look->is_hand[b] && is_single(&model->bodies[b]))
            q[model->bodies[b].q] = middle_of(&model->dofs[model->bodies[b].v]);
    GMC_TRY(gmc_kinematics_create(model, scratch, &look->kin));
    gmc_kinematics_update(model, q, NULL, &look->kin);
    return GMC_OK;
}

// Middle of the box around a body's shapes, along its own axes.
static void find_centre(looking *look, int body)
{
    gmc_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};
    const gmc_pose *X_wb = &look->kin.X_wb[body];
    look->centre[body] = X_wb->p;
    for (int i = 0; i < look->model->geom_count; i++) {
        const gmc_geom *geom = &look->model->geoms[i];
        if (geom->body != body || geom->shape.type == GMC_SHAPE_PLANE) continue;
        const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        double *low[3] = {&lo.x, &lo.y, &lo.z}, *high[3] = {&hi.x, &hi.y, &hi.z};
        for (int k = 0; k < 3; k++) {
            bool is_thin = k == 2 && gmc_shape_is_planar(geom->shape.type);
            const gmc_mat3 *R = &geom->X_bg.R;
            double at = gmc_vec3_dot(geom->X_bg.p, axes[k]);
            double up = 0, down = 0;
            int hint[2] = {0, 0};
            if (!is_thin) {
                gmc_vec3 back = gmc_vec3_scale(-1, axes[k]);
                up = gmc_shape_reach(&geom->shape, R, axes[k], &hint[0]);
                down = gmc_shape_reach(&geom->shape, R, back, &hint[1]);
            }
            *low[k] = fmin(*low[k], at - down);
            *high[k] = fmax(*high[k], at + up);
        }
        look->has_shape[body] = true;
    }
    if (look->has_shape[body])
        look->centre[body] = gmc_pose_apply(X_wb, gmc_vec3_scale(0.5, gmc_vec3_add(lo, hi)));
}

// The last body that all leaves hang on. One leaf hangs on the tool's body, or else on its parent.
static void find_palm(looking *look)
{
    const gmc_model *model = look->model;
    int leaves = 0, palm = -1;
    for (int b = model->body_count - 1; b > 0; b--) {
        if (!look->is_leaf[b]) continue;
        if (leaves++ == 0) palm = b;
        while (!hangs_on(model, b, palm))
            palm = model->bodies[palm].parent;
    }
    if (leaves == 1)
        palm = look->tool != palm && hangs_on(model, palm, look->tool) ? look->tool
                                                                       : model->bodies[palm].parent;
    look->palm = palm;
}

static void find_middle(looking *look)
{
    gmc_vec3 sum = {0, 0, 0};
    int count = 0;
    for (int b = 1; b < look->model->body_count; b++) {
        bool is_finger = look->is_hand[b] && b != look->palm && look->has_shape[b] &&
                         hangs_on(look->model, b, look->palm);
        if (!is_finger) continue;
        sum = gmc_vec3_add(sum, look->centre[b]);
        count++;
    }
    look->hand = look->centre[look->palm];
    if (count > 0)
        look->hand =
            gmc_vec3_scale(0.5, gmc_vec3_add(look->hand, gmc_vec3_scale(1.0 / count, sum)));
}

// Axis of the joint that leads this dof.
static const gmc_twist *axis_of(const looking *look, int dof)
{
    for (int b = 1; b < look->model->body_count; b++) {
        const gmc_body *body = &look->model->bodies[b];
        if (body->v == dof && is_single(body) && !body->is_mimic)
            return &look->kin.axes[look->kin.axis_first[b]];
    }
    return NULL;
}

static bool turns(const gmc_twist *axis) { return gmc_vec3_norm(axis->w) > 0; }

// How a body's centre goes with the dof; false if it does not.
static bool goes(const looking *look, int body, int dof, gmc_vec3 *v)
{
    bool does = false;
    *v = (gmc_vec3){0, 0, 0};
    for (int i = look->kin.chain_start[body]; i < look->kin.chain_start[body + 1]; i++) {
        int k = look->kin.chain[i];
        if (look->kin.axis_dof[k] != dof) continue;
        *v = gmc_vec3_add(*v, gmc_twist_at(&look->kin.axes[k], look->centre[body]));
        does = true;
    }
    return does;
}

// Cosine between the ways of what the dof moves, of it all that hangs on `on`, and those to a
// point.
static double nearing(const looking *look, int dof, const gmc_twist *axis, int on, gmc_vec3 point)
{
    double along = 0, v2 = 0, u2 = 0;
    for (int b = 1; b < look->model->body_count; b++) {
        gmc_vec3 v, u = gmc_vec3_sub(point, look->centre[b]);
        if (!look->has_shape[b] || !hangs_on(look->model, b, on) || !goes(look, b, dof, &v))
            continue;
        if (turns(axis)) {
            gmc_vec3 n = gmc_vec3_unit(axis->w);
            u = gmc_vec3_sub(u, gmc_vec3_scale(gmc_vec3_dot(u, n), n));
        }
        along += gmc_vec3_dot(v, u);
        v2 += gmc_vec3_dot(v, v);
        u2 += gmc_vec3_dot(u, u);
    }
    return v2 > 0 && u2 > 0 ? along / sqrt(v2 * u2) : 0;
}

// Does the dof move one finger towards the point and another, which mimics it, away from it?
static bool are_at_odds(const looking *look, int dof, const gmc_twist *axis, double clear,
                        gmc_vec3 point)
{
    gmc_vec3 v;
    bool is_any[2] = {false, false};
    for (int b = 1; b < look->model->body_count; b++) {
        bool is_root =
            goes(look, b, dof, &v) && !goes(look, look->model->bodies[b].parent, dof, &v);
        if (!is_root) continue;
        double towards = nearing(look, dof, axis, b, point);
        is_any[0] = is_any[0] || towards <= -clear;
        is_any[1] = is_any[1] || towards >= clear;
    }
    return is_any[0] && is_any[1];
}

static bool is_parallel(const gmc_twist *a, const gmc_twist *b)
{
    if (turns(a) != turns(b)) return false;
    gmc_vec3 x = gmc_vec3_unit(turns(a) ? a->w : a->v), y = gmc_vec3_unit(turns(b) ? b->w : b->v);
    return fabs(gmc_vec3_dot(x, y)) >= PARALLEL;
}

// Does the dof bend a finger the way its last joint does?
static bool bends(const looking *look, int dof, const gmc_twist *axis)
{
    gmc_vec3 v;
    for (int b = 1; b < look->model->body_count; b++)
        if (look->is_leaf[b] && goes(look, b, dof, &v) &&
            is_parallel(axis, &look->kin.axes[look->kin.axis_first[b]]))
            return true;
    return false;
}

// ---- surfaces that face a sliding link ---------------------------------------------------------

/// From where to where a shape reaches along the axis and across it [m].
typedef struct extent {
    double lo[3], hi[3];
} extent;

static extent extent_of(const looking *look, const gmc_geom *geom, const gmc_vec3 axes[3])
{
    extent e;
    gmc_pose X = gmc_pose_multiply(&look->kin.X_wb[geom->body], &geom->X_bg);
    bool is_planar = gmc_shape_is_planar(geom->shape.type);
    for (int k = 0; k < 3; k++) {
        double at = gmc_vec3_dot(X.p, axes[k]), up = 0, down = 0;
        int hint[2] = {0, 0};
        if (!is_planar || fabs(axes[k].z) < 0.5) {
            up = gmc_shape_reach(&geom->shape, &X.R, axes[k], &hint[0]);
            down = gmc_shape_reach(&geom->shape, &X.R, gmc_vec3_scale(-1, axes[k]), &hint[1]);
        }
        e.lo[k] = at - down;
        e.hi[k] = at + up;
    }
    return e;
}

// Do the two lie one before the other, with a gap between them along the axis?
static bool face(const extent *a, const extent *b)
{
    static const double SHARE = 0.1; // of the narrower one's width
    for (int k = 1; k < 3; k++) {
        double both = fmin(a->hi[k], b->hi[k]) - fmax(a->lo[k], b->lo[k]);
        double width = fmin(a->hi[k] - a->lo[k], b->hi[k] - b->lo[k]);
        if (both < 0 || both < SHARE * width) return false;
    }
    return a->hi[0] < b->lo[0] || b->hi[0] < a->lo[0];
}

/// Which motions of the dof narrow a gap: bit 0 downwards, bit 1 upwards.
typedef struct gaps {
    unsigned to_fingers, to_palm;
} gaps;

static void add_gap(const looking *look, int dof, const gmc_vec3 axes[3], const gmc_geom *moved,
                    const gmc_geom *other, gaps *found)
{
    gmc_vec3 v, w;
    int a = moved->body, b = other->body;
    if (!look->is_hand[a] || !look->is_hand[b] || !goes(look, a, dof, &v)) return;
    bool is_palm = b == look->palm || hangs_on(look->model, look->palm, b);
    if (!is_palm && hangs_on(look->model, a, b)) return; // of the same finger
    if (moved->shape.type == GMC_SHAPE_PLANE || other->shape.type == GMC_SHAPE_PLANE) return;
    (void)goes(look, b, dof, &w);
    double speed = gmc_vec3_dot(gmc_vec3_sub(v, w), axes[0]);
    if (fabs(speed) < 1e-9) return;
    extent from = extent_of(look, moved, axes), to = extent_of(look, other, axes);
    if (!face(&from, &to)) return;
    unsigned way = (speed > 0) == (from.hi[0] < to.lo[0]) ? 2 : 1;
    *(is_palm ? &found->to_palm : &found->to_fingers) |= way;
}

// Towards the surfaces that face what the dof slides: those of fingers, or else of the palm.
// @param are_both  out: surfaces of the palm face it on both sides
static double sign_of_gap(const looking *look, int dof, const gmc_twist *axis, bool *are_both)
{
    gaps found = {0, 0};
    gmc_vec3 n = gmc_vec3_unit(axis->v), z = {0, 0, 1}, x = {1, 0, 0};
    gmc_vec3 across = gmc_vec3_unit(gmc_vec3_cross(n, fabs(n.z) < 0.7 ? z : x));
    const gmc_vec3 axes[3] = {n, across, gmc_vec3_cross(n, across)};
    const gmc_model *model = look->model;
    for (int i = 0; i < model->geom_count; i++)
        for (int k = 0; k < model->geom_count; k++)
            add_gap(look, dof, axes, &model->geoms[i], &model->geoms[k], &found);
    static const double SIGNS[] = {0, -1, 1, 0};
    *are_both = found.to_fingers == 0 && found.to_palm == 3;
    return SIGNS[found.to_fingers ? found.to_fingers : found.to_palm];
}

// ---- the direction -----------------------------------------------------------------------------

static double sign_of(double cosine, double clear)
{
    return cosine >= clear ? 1 : cosine <= -clear ? -1 : 0;
}

// The majority of the middle of the hand, the tool point and facing surfaces; 0: it is a tie.
// @param towards  of the middle, or where that does not tell, of the tool point: -1, +1
// @param tool     of the tool point; 0: it does not tell, or there is none beside `towards`
static double majority(const looking *look, int dof, const gmc_twist *axis, double towards,
                       double tool)
{
    bool are_both;
    double sum = towards + tool + sign_of_gap(look, dof, axis, &are_both);
    if (are_both && !look->has_tool) return 0;
    return sum > 0 ? 1 : sum < 0 ? -1 : 0;
}

static gmc_closing look_at(const looking *look, int dof, const gmc_twist *axis)
{
    gmc_vec3 v;
    if (goes(look, look->palm, dof, &v)) return (gmc_closing){.doubt = GMC_CLOSING_CARRIES};
    gmc_closing found = {.doubt = GMC_CLOSING_NOTHING, .is_flexion = bends(look, dof, axis)};
    for (int b = 1; b < look->model->body_count; b++)
        if (look->has_shape[b] && goes(look, b, dof, &v)) found.doubt = GMC_CLOSING_SIDEWAYS;
    if (found.doubt == GMC_CLOSING_NOTHING) return found;
    double clear = turns(axis) ? CLEAR_TURN : CLEAR_SLIDE;
    double hand = sign_of(nearing(look, dof, axis, look->base, look->hand), clear), tool = 0;
    if (!goes(look, look->tool, dof, &v))
        tool = sign_of(nearing(look, dof, axis, look->base, look->tip), clear);
    double towards = hand != 0 ? hand : tool;
    if (towards == 0) return found;
    if (!turns(axis)) {
        double beside = hand != 0 && look->has_tool ? tool : 0;
        towards = majority(look, dof, axis, towards, beside);
    }
    if (towards == 0) {
        found.doubt = GMC_CLOSING_DISPUTED;
        return found;
    }
    if (are_at_odds(look, dof, axis, clear, towards == hand ? look->hand : look->tip)) {
        found.doubt = GMC_CLOSING_AT_ODDS;
        return found;
    }
    found.sign = towards;
    found.doubt = GMC_CLOSING_TOLD;
    return found;
}

static gmc_status prepare(const gmc_model *model, const gmc_closing_hand *hand, gmc_arena *scratch,
                          looking *look)
{
    int bodies = model->body_count;
    *look = (looking){.model = model, .base = hand->base_body, .tool = hand->base_body};
    look->is_hand = GMC_NEW(scratch, bodies, bool);
    look->is_leaf = GMC_NEW(scratch, bodies, bool);
    look->has_shape = GMC_NEW(scratch, bodies, bool);
    look->centre = GMC_NEW(scratch, bodies, gmc_vec3);
    if (!look->is_hand || !look->is_leaf || !look->has_shape || !look->centre)
        return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++)
        look->is_hand[b] = hangs_on(model, b, hand->base_body);
    for (int b = 1; b < model->body_count; b++) {
        look->is_leaf[b] = look->is_hand[b] && is_single(&model->bodies[b]);
        look->is_leaf[model->bodies[b].parent] = false; // parents come first
    }
    GMC_TRY(place(model, scratch, look));
    for (int b = 1; b < model->body_count; b++)
        if (look->is_hand[b]) find_centre(look, b);
    look->tip = look->kin.X_wb[hand->base_body].p;
    if (hand->tool_frame >= 0) {
        const gmc_frame *frame = &model->frames[hand->tool_frame];
        look->has_tool = true;
        look->tool = frame->body;
        look->tip = gmc_pose_apply(&look->kin.X_wb[frame->body], frame->X_bf.p);
    }
    return GMC_OK;
}

gmc_status gmc_closing_find(const gmc_model *model, const gmc_closing_hand *hand,
                            gmc_arena *scratch, gmc_closing *of_dof)
{
    looking look;
    GMC_TRY(prepare(model, hand, scratch, &look));
    for (int dof = 0; dof < model->dof_count; dof++)
        of_dof[dof] = (gmc_closing){.doubt = GMC_CLOSING_NOTHING};
    find_palm(&look);
    if (look.palm < 0) return GMC_OK; // nothing moves
    find_middle(&look);
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!look.is_hand[b] || !is_single(body) || body->is_mimic) continue;
        of_dof[body->v] = look_at(&look, body->v, axis_of(&look, body->v));
    }
    return GMC_OK;
}
