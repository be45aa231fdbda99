#include "engine/motion/around.h"

#include "engine/base/check.h"
#include "engine/collision/shape.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <string.h>

// Points of contact that are looked at; more are as good as blocked.
enum { POINT_MAX = 512 };

// ---- how far points go -------------------------------------------------------------------------

// Distance of a geom's farthest point from its body's origin.
static double reach_of(const gmc_geom *geom)
{
    gmc_vec3 centre = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
    return gmc_vec3_norm(centre) + gmc_shape_radius(&geom->shape);
}

// The farthest that a joint slides from its middle place.
static double travel(const gmc_model *model, const gmc_body *body)
{
    if (body->joint != GMC_JOINT_PRISMATIC) return 0;
    const gmc_dof *dof = &model->dofs[body->v];
    double most = fmax(fabs(dof->lower), fabs(dof->upper));
    return fabs(body->ratio) * most + fabs(body->offset);
}

// Of a geom, to the joints above it: each turns it at no more than the length of what lies between,
// however that is bent.
static void raise_levers(const gmc_around *around, const gmc_geom *geom, double *own)
{
    const gmc_model *model = around->model;
    double length = reach_of(geom);
    for (int b = geom->body; b > 0; b = model->bodies[b].parent) {
        const gmc_body *body = &model->bodies[b];
        bool is_single = gmc_joint_v_count(body->joint) == 1;
        int joint = is_single ? around->arm->column[body->v] : -1;
        if (joint >= 0)
            own[joint] += fabs(body->ratio) * (body->joint == GMC_JOINT_REVOLUTE ? length : 1);
        length += gmc_vec3_norm(body->X_pj.p) + travel(model, body);
    }
}

static void find_levers(gmc_around *around, double *own)
{
    int size = gmc_around_size(around);
    for (int g = 0; g < around->model->geom_count; g++) {
        const gmc_geom *geom = &around->model->geoms[g];
        if (!around->is_moving[geom->body]) continue;
        if (!around->arm) {
            around->lever[0] = fmax(around->lever[0], reach_of(geom));
            continue;
        }
        memset(own, 0, (size_t)size * sizeof *own);
        raise_levers(around, geom, own);
        for (int i = 0; i < size; i++)
            around->lever[i] = fmax(around->lever[i], own[i]);
    }
}

static bool is_moved(const gmc_around *around, int b)
{
    const gmc_body *body = &around->model->bodies[b];
    if (!around->arm) return b == around->body;
    return gmc_joint_v_count(body->joint) == 1 && around->arm->column[body->v] >= 0;
}

// Where a body is looked for: the box around all that ends somewhere, with room for it to go around.
static void find_box(gmc_around *around)
{
    gmc_vec3 *lo = &around->lower, *hi = &around->upper;
    *lo = *hi = around->kin->X_wb[around->body].p;
    for (int g = 0; g < around->model->geom_count; g++) {
        const gmc_geom *geom = &around->model->geoms[g];
        double radius = gmc_shape_radius(&geom->shape);
        if (isinf(radius)) continue;
        gmc_pose X = gmc_pose_multiply(&around->kin->X_wb[geom->body], &geom->X_bg);
        gmc_vec3 c = gmc_pose_apply(&X, gmc_shape_centre(&geom->shape));
        *lo = (gmc_vec3){fmin(lo->x, c.x - radius), fmin(lo->y, c.y - radius),
                         fmin(lo->z, c.z - radius)};
        *hi = (gmc_vec3){fmax(hi->x, c.x + radius), fmax(hi->y, c.y + radius),
                         fmax(hi->z, c.z + radius)};
    }
    double room = 1.5 * around->lever[0];
    *lo = (gmc_vec3){lo->x - room, lo->y - room, lo->z - room};
    *hi = (gmc_vec3){hi->x + room, hi->y + room, hi->z + room};
}

// ---- creation ----------------------------------------------------------------------------------

gmc_status gmc_around_create(const gmc_model *model, gmc_arm *arm, int body, gmc_arena *arena,
                             gmc_around *around)
{
    *around = (gmc_around){.model = model,
                           .arm = arm,
                           .body = body,
                           .ignored = -1,
                           .moved = -1,
                           .point_max = POINT_MAX};
    int size = gmc_around_size(around);
    around->is_moving = GMC_NEW(arena, model->body_count, bool);
    around->lever = GMC_NEW(arena, size, double);
    around->points = GMC_NEW(arena, POINT_MAX, gmc_contact_point);
    double *own = GMC_NEW(arena, size, double);
    if (!around->is_moving || !around->lever || !around->points || !own) return GMC_E_ARENA_FULL;
    if (arm) {
        around->kin = &arm->kin;
        around->q = arm->q;
    } else {
        around->kin = GMC_NEW(arena, 1, gmc_kinematics);
        around->q = GMC_NEW(arena, model->q_count, double);
        if (!around->kin || !around->q) return GMC_E_ARENA_FULL;
        GMC_TRY(gmc_kinematics_create(model, arena, around->kin));
    }
    for (int b = 1; b < model->body_count; b++)
        around->is_moving[b] = around->is_moving[model->bodies[b].parent] || is_moved(around, b);
    find_levers(around, own);
    gmc_around_stand(around, model->q_start);
    return gmc_collider_create(model, arena, &around->collider);
}

// The body that stands elsewhere than the coordinates have it.
static void put_moved(gmc_around *around)
{
    const gmc_body *b = &around->model->bodies[around->moved];
    gmc_pose X_wj = gmc_pose_multiply(&around->kin->X_wb[b->parent], &b->X_pj);
    gmc_pose X = gmc_pose_relative(&X_wj, &around->X_wm);
    double *q = around->q + b->q;
    if (b->joint == GMC_JOINT_FREE) {
        gmc_quat r = gmc_quat_from_matrix(&X.R);
        double to[] = {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z};
        memcpy(q, to, sizeof to);
    } else if (b->joint == GMC_JOINT_PLANAR) {
        q[0] = X.p.x, q[1] = X.p.y;
        q[2] = gmc_atan2(X.R.m[3], X.R.m[0]);
    }
    gmc_kinematics_update(around->model, around->q, NULL, around->kin);
}

void gmc_around_stand(gmc_around *around, const double *q)
{
    memcpy(around->q, q, (size_t)around->model->q_count * sizeof *q);
    gmc_kinematics_update(around->model, around->q, NULL, around->kin);
    if (around->moved >= 0) put_moved(around);
    if (!around->arm) find_box(around);
}

// ---- the space of an arm -----------------------------------------------------------------------

static double arm_apart(const void *context, const double *a, const double *b)
{
    const gmc_around *around = context;
    double sum = 0;
    for (int i = 0; i < around->arm->spec.count; i++)
        sum += around->lever[i] * fabs(b[i] - a[i]);
    return sum;
}

static void arm_between(const void *context, const double *a, const double *b, double share,
                        double *x)
{
    const gmc_around *around = context;
    for (int i = 0; i < around->arm->spec.count; i++)
        x[i] = a[i] + share * (b[i] - a[i]);
}

static void arm_draw(const void *context, const double *u, double *x)
{
    const gmc_around *around = context;
    for (int i = 0; i < around->arm->spec.count; i++)
        x[i] = gmc_arm_anywhere(around->arm, i, u[i]);
}

// ---- the space of a body -----------------------------------------------------------------------

static bool is_flat(const gmc_around *around)
{
    return around->model->bodies[around->body].joint == GMC_JOINT_PLANAR;
}

// The turn from an angle to another, the shorter way.
static double turn_between(double a, double b)
{
    double turn = b - a;
    return turn - 2 * GMC_PI * floor(turn / (2 * GMC_PI) + 0.5);
}

static gmc_quat rotation_of(const double *x) { return (gmc_quat){x[3], x[4], x[5], x[6]}; }

// The rotation vector from one orientation to another, in the first one's axes.
static gmc_vec3 rotation_between(const double *a, const double *b)
{
    return gmc_quat_log(gmc_quat_multiply(gmc_quat_conjugate(rotation_of(a)), rotation_of(b)));
}

static double body_apart(const void *context, const double *a, const double *b)
{
    const gmc_around *around = context;
    if (is_flat(around)) {
        double x = b[0] - a[0], y = b[1] - a[1];
        return sqrt(x * x + y * y) + around->lever[0] * fabs(turn_between(a[2], b[2]));
    }
    gmc_vec3 way = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return gmc_vec3_norm(way) + around->lever[0] * gmc_vec3_norm(rotation_between(a, b));
}

static void body_between(const void *context, const double *a, const double *b, double share,
                         double *x)
{
    const gmc_around *around = context;
    if (is_flat(around)) {
        x[0] = a[0] + share * (b[0] - a[0]);
        x[1] = a[1] + share * (b[1] - a[1]);
        x[2] = a[2] + share * turn_between(a[2], b[2]);
        return;
    }
    gmc_quat part = gmc_quat_exp(gmc_vec3_scale(share, rotation_between(a, b)));
    gmc_quat q = gmc_quat_normalise(gmc_quat_multiply(rotation_of(a), part));
    for (int i = 0; i < 3; i++)
        x[i] = a[i] + share * (b[i] - a[i]);
    x[3] = q.w, x[4] = q.x, x[5] = q.y, x[6] = q.z;
}

// Anywhere in the box, in any orientation: uniform on the rotations ([shoemake1992]).
static void body_draw(const void *context, const double *u, double *x)
{
    const gmc_around *around = context;
    gmc_vec3 wide = gmc_vec3_sub(around->upper, around->lower);
    x[0] = around->lower.x + u[0] * wide.x;
    x[1] = around->lower.y + u[1] * wide.y;
    if (is_flat(around)) {
        x[2] = GMC_PI * (2 * u[2] - 1);
        return;
    }
    x[2] = around->lower.z + u[2] * wide.z;
    double r = sqrt(1 - u[3]), s = sqrt(u[3]);
    gmc_sin_cos(2 * GMC_PI * u[4], &x[3], &x[4]);
    gmc_sin_cos(2 * GMC_PI * u[5], &x[5], &x[6]);
    x[3] *= r, x[4] *= r, x[5] *= s, x[6] *= s;
}

// ---- what is near ------------------------------------------------------------------------------

static bool is_asked(const gmc_around *around, const gmc_contact_point *point)
{
    int a = around->model->geoms[point->geom_a].body, b = around->model->geoms[point->geom_b].body;
    if (a == around->ignored || b == around->ignored) return false;
    return around->is_moving[a] || around->is_moving[b];
}

static gmc_status is_clear_at(void *context, const double *x, double margin, bool *is_clear)
{
    gmc_around *around = context;
    int count = 0;
    if (around->arm) {
        gmc_arm_place(around->arm, x);
    } else {
        memcpy(around->q + around->model->bodies[around->body].q, x,
               (size_t)gmc_around_size(around) * sizeof *x);
        gmc_kinematics_update(around->model, around->q, NULL, around->kin);
    }
    gmc_collider_reset(around->collider); // the answer is the same whatever was asked before
    gmc_collider_scene scene = {
        .model = around->model, .X_wb = around->kin->X_wb, .reach = fmax(margin, 0)};
    gmc_status status =
        gmc_collider_find(around->collider, &scene, around->points, around->point_max, &count);
    *is_clear = status == GMC_OK;
    if (status != GMC_OK) return status == GMC_E_LIMIT ? GMC_OK : status;
    for (int i = 0; i < count && *is_clear; i++)
        *is_clear = around->points[i].gap > margin || !is_asked(around, &around->points[i]);
    return GMC_OK;
}

gmc_plan_space gmc_around_space(gmc_around *around)
{
    gmc_plan_space space = {
        .context = around, .size = gmc_around_size(around), .clear = is_clear_at};
    space.apart = around->arm ? arm_apart : body_apart;
    space.between = around->arm ? arm_between : body_between;
    space.draw = around->arm ? arm_draw : body_draw;
    return space;
}
