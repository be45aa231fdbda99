// One trial's model: a copy of the compiled one with the trial's numbers in their places. Order
// matters: sizes, then mass properties, then poses (an object placed resting stands on its own
// lowest point), then the hand, which goes to where the robot believes the object to be.
#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "engine/model/support.h"
#include "sampling/build/build_internal.h"

#include <math.h>

// ---- believed ---------------------------------------------------------------------------------

// Where the robot sees the object: the true pose and a camera's error. With the true pose X_wo and
// the camera's axes R_wc,
//
//   place      p = p_wo + R_wc e          e  x, y, z of the error [m]
//   direction  R = exp([R_wc r]) R_wo T   r  roll, pitch, yaw: a rotation vector [rad]
//
// T turns about an axis of the object where the trial is an outlier. The turn is about the object's
// origin: errors of place and direction are those of the pose that a hand's target hangs on.
//
// Rejected: errors of roll, pitch and yaw as Euler angles in the camera. Their covariance is that
// of no rotation, and an estimator that reports one reports a rotation vector.

/// Nearer to the vertical than this a camera has no upright picture of its own [rad].
static const double VERTICAL = 1e-6;

/// Nearer than this a camera looks at nothing [m].
static const double NEAREST = 1e-9;

// Axes of an upright picture of `at`, seen from `from`.
static gmc_status axes_of_view(gmc_vec3 from, gmc_vec3 at, gmc_mat3 *R_wc)
{
    gmc_vec3 way = gmc_vec3_sub(at, from);
    if (!(gmc_vec3_norm(way) > NEAREST)) return GMC_E_INPUT;
    gmc_vec3 z = gmc_vec3_unit(way), x = gmc_vec3_cross(z, (gmc_vec3){0, 0, 1});
    if (gmc_vec3_norm(x) < VERTICAL) x = gmc_vec3_cross(z, (gmc_vec3){0, 1, 0});
    x = gmc_vec3_unit(x);
    gmc_vec3 y = gmc_vec3_cross(z, x);
    *R_wc = (gmc_mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return GMC_OK;
}

static gmc_vec3 vector_of(const double *values, const gmc_param xyz[3])
{
    return (gmc_vec3){gmc_build_value(values, xyz[0], 0), gmc_build_value(values, xyz[1], 0),
                      gmc_build_value(values, xyz[2], 0)};
}

// The camera's axes. Where it was pointed is nominal, where it stands is true.
static gmc_status axes_of(const gmc_build *build, const gmc_believed_in *in,
                          const gmc_camera_spec *camera, gmc_mat3 *R_wc)
{
    gmc_vec3 from = vector_of(in->values, camera->xyz), at = in->nominal.p;
    switch (camera->aim) {
    case GMC_AIM_NONE: {
        gmc_pose_spec turned = {-1, -1, -1, camera->roll, camera->pitch, camera->yaw};
        *R_wc = gmc_build_pose(in->values, &turned).R;
        return GMC_OK;
    }
    case GMC_AIM_OBJECT:
        break;
    case GMC_AIM_SCENE:
        at = gmc_build_place(build, in->nominal_model, &build->scene[camera->scene],
                             in->nominal_values)
                 .p;
        break;
    case GMC_AIM_POINT:
        at = vector_of(in->values, camera->point);
        break;
    }
    return axes_of_view(from, at, R_wc);
}

// Pose of the object as `believed` has it; only if the scenario gives a sight.
// @return GMC_OK, GMC_E_INPUT: a camera stands in what it looks at
static gmc_status pose_believed(const gmc_build *build, const gmc_believed_in *in, gmc_pose *seen)
{
    const gmc_sight_spec *sight = &build->scenario->sight;
    gmc_mat3 R_wc = gmc_mat3_identity();
    double growth = 1;
    if (sight->camera >= 0) {
        const gmc_camera_spec *camera = &build->scenario->cameras[sight->camera];
        GMC_TRY(axes_of(build, in, camera, &R_wc));
        gmc_vec3 way = gmc_vec3_sub(in->truth.p, vector_of(in->values, camera->xyz));
        if (sight->distance >= 0)
            growth = gmc_pow(gmc_vec3_norm(way) / in->values[sight->distance],
                             gmc_build_value(in->values, sight->power, 1));
    }
    gmc_vec3 place = gmc_vec3_scale(growth, vector_of(in->values, sight->error));
    gmc_vec3 turn = gmc_vec3_scale(growth, vector_of(in->values, sight->error + 3));
    gmc_mat3 err = gmc_quat_matrix(gmc_quat_exp(gmc_mat3_apply(&R_wc, turn)));
    seen->p = gmc_vec3_add(in->truth.p, gmc_mat3_apply(&R_wc, place));
    seen->R = gmc_mat3_multiply(&err, &in->truth.R);
    if (gmc_build_value(in->values, sight->outlier, 0) > 0.5) {
        double by = gmc_build_value(in->values, sight->turn, 0);
        gmc_vec3 about = {sight->about == 0 ? by : 0, sight->about == 1 ? by : 0,
                          sight->about == 2 ? by : 0};
        gmc_mat3 T = gmc_quat_matrix(gmc_quat_exp(about));
        seen->R = gmc_mat3_multiply(&seen->R, &T);
    }
    return GMC_OK;
}

// ---- course -----------------------------------------------------------------------------------

// Functions of time in a trial: paths of driven bodies, forces on free ones.

static gmc_status make_curve(const gmc_curve_spec *spec, const double *values, gmc_arena *arena,
                             gmc_curve *curve)
{
    *curve = (gmc_curve){.count = spec->count};
    if (spec->count == 0) return GMC_OK;
    double *time = GMC_NEW(arena, spec->count, double);
    double *value = GMC_NEW(arena, spec->count, double);
    if (!time || !value) return GMC_E_ARENA_FULL;
    for (int i = 0; i < spec->count; i++) {
        time[i] = values[spec->knots[2 * i]];
        value[i] = values[spec->knots[2 * i + 1]];
        if (i > 0 && !(time[i] > time[i - 1])) return GMC_E_INPUT;
    }
    curve->time = time;
    curve->value = value;
    return GMC_OK;
}

static gmc_status make_course(const gmc_course_spec *spec, int body, const double *values,
                              gmc_arena *arena, gmc_course *course)
{
    course->body = body;
    for (int k = 0; k < 3; k++)
        GMC_TRY(make_curve(&spec->curves[k], values, arena, &course->curves[k]));
    return GMC_OK;
}

// It starts where its path does; where it has none, as its pose says.
static void put_driven_start(const gmc_build_item *item, const double *values,
                             const gmc_course *path, gmc_model *model)
{
    const gmc_pose_spec *pose = &item->spec->pose;
    const double own[3] = {gmc_build_value(values, pose->x, 0), gmc_build_value(values, pose->y, 0),
                           gmc_build_value(values, pose->yaw, 0)};
    double *q = model->q_start + model->bodies[item->body].q;
    for (int k = 0; k < 3; k++)
        q[k] = path->curves[k].count > 0 ? gmc_program_curve(&path->curves[k], 0) : own[k];
}

// Paths and pushes of a trial into its program, starts of driven bodies into its model
// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT: times that do not increase
static gmc_status put_courses(const gmc_build *build, const gmc_build_item *object,
                              const double *values, gmc_arena *arena, gmc_model *model,
                              gmc_program *program)
{
    int scene = build->scenario->scene_count;
    gmc_course *paths = GMC_NEW(arena, scene + 1, gmc_course);
    gmc_course *pushes = GMC_NEW(arena, scene + 1, gmc_course);
    if (!paths || !pushes) return GMC_E_ARENA_FULL;
    for (int i = 0; i <= scene; i++) {
        const gmc_build_item *item = i < scene ? &build->scene[i] : object;
        if (gmc_build_is_driven(item)) {
            gmc_course *path = &paths[program->path_count++];
            GMC_TRY(make_course(item->spec->course, item->body, values, arena, path));
            put_driven_start(item, values, path, model);
        }
        if (item->spec->push && item->is_free)
            GMC_TRY(make_course(item->spec->push, item->body, values, arena,
                                &pushes[program->push_count++]));
    }
    program->paths = paths;
    program->pushes = pushes;
    return GMC_OK;
}

// Does anything move or push by itself, whatever the phases of the program do?
static bool has_courses(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->scene_count; i++)
        if (s->scene[i].course || s->scene[i].push) return true;
    for (int i = 0; i < s->object_count; i++)
        if (s->objects[i].push) return true;
    return false;
}

// ---- support ----------------------------------------------------------------------------------

// What bodies of a planar world lie on: the scenario's points, or points that stand for spread
// pressure. How many there are is settled once; where they are and what friction they have is
// each trial's own.

/// Of a disk: its limit surface is met within 0.8 % (support.h), at 20 rows of friction a step.
enum { RINGS = 2, AROUND = 10 };
/// Of a polygon: each triangle in 16.
enum { CUTS = 4 };

static int count_of(const gmc_build_item *item)
{
    const gmc_footing_spec *f = item->spec->support;
    if (f->vertex_count > 0) return gmc_support_polygon(&item->footing, 0, CUTS, NULL, 0);
    return f->radius >= 0 ? RINGS * AROUND : f->point_count;
}

static void write_points(const gmc_build_item *item, const double *values,
                         gmc_support_point *points)
{
    const gmc_footing_spec *f = item->spec->support;
    double friction = values[f->frictions[0]];
    if (f->vertex_count > 0) {
        (void)gmc_support_polygon(&item->footing, friction, CUTS, points, count_of(item));
        return;
    }
    if (f->radius >= 0) {
        gmc_support_disc((gmc_vec2){0, 0}, values[f->radius], friction, RINGS, AROUND, points);
        return;
    }
    for (int i = 0; i < f->point_count; i++) {
        double own = f->friction_count > 1 ? values[f->frictions[i]] : friction;
        points[i] =
            (gmc_support_point){.p = {values[f->points[2 * i]], values[f->points[2 * i + 1]]},
                                .share = 1,
                                .friction = own};
    }
}

gmc_status gmc_build_support(gmc_build *build, gmc_build_item *item, const double *values,
                             gmc_builder *builder)
{
    const gmc_footing_spec *f = item->spec->support;
    if (!f || !item->is_free) return GMC_OK;
    if (f->vertex_count > 0)
        GMC_TRY(gmc_polygon_split(f->vertices, f->vertex_count, &build->arena, &item->footing));
    int count = count_of(item);
    if (count < 3) return GMC_OK; // told where they were read
    gmc_support_point *points = GMC_NEW(&build->arena, count, gmc_support_point);
    if (!points) return GMC_E_ARENA_FULL;
    write_points(item, values, points);
    gmc_support_spec spec = gmc_builder_default_support();
    spec.points = points;
    spec.point_count = count;
    spec.damping = gmc_build_value(values, f->viscous, spec.damping);
    spec.stiffness = gmc_build_value(values, f->stiffness, spec.stiffness);
    spec.relaxation = gmc_build_value(values, f->relaxation, spec.relaxation);
    gmc_builder_support(builder, f->source, item->spec->name, &spec);
    return GMC_OK;
}

// A trial's points and coefficients into its model, whose masses are in place.
// @return GMC_OK, GMC_E_INPUT: they cannot carry the body
static gmc_status put_support(const gmc_build_item *item, const double *values, gmc_model *model)
{
    const gmc_footing_spec *f = item->spec->support;
    if (!f || !item->is_free) return GMC_OK;
    for (int i = 0; i < model->support_count; i++) {
        gmc_support *support = &model->supports[i];
        if (support->body != item->body) continue;
        write_points(item, values, model->support_points + support->point_first);
        support->damping = gmc_build_value(values, f->viscous, support->damping);
        support->stiffness = gmc_build_value(values, f->stiffness, support->stiffness);
        support->relaxation = gmc_build_value(values, f->relaxation, support->relaxation);
        return gmc_support_forces(model, support, NULL);
    }
    return GMC_OK;
}

// ---- trial ------------------------------------------------------------------------------------

void gmc_build_sizes(const gmc_item_spec *spec, const double *values, gmc_shape *shape)
{
    double s0 = gmc_build_value(values, spec->size[0], 0);
    double s1 = gmc_build_value(values, spec->size[1], 0);
    double s2 = gmc_build_value(values, spec->size[2], 0);
    double thickness = gmc_build_value(values, spec->thickness, GMC_BUILD_THICKNESS);
    switch (spec->kind) {
    case GMC_KIND_BOX:
        shape->half = (gmc_vec3){s0 / 2, s1 / 2, s2 / 2};
        break;
    case GMC_KIND_SPHERE:
        shape->radius = s0;
        break;
    case GMC_KIND_CAPSULE:
    case GMC_KIND_CYLINDER:
        shape->radius = s0;
        shape->half_length = s1 / 2;
        break;
    case GMC_KIND_MESH:
        shape->scale = gmc_build_value(values, spec->scale, 1);
        break;
    case GMC_KIND_CIRCLE:
        shape->radius = s0;
        shape->half_length = thickness / 2;
        break;
    case GMC_KIND_SUPER_ELLIPSE:
        shape->half = (gmc_vec3){s0, s1, 0};
        shape->exponent = s2;
        shape->half_length = thickness / 2;
        break;
    case GMC_KIND_POLYGON:
        shape->half_length = thickness / 2;
        break;
    case GMC_KIND_PLANE:
    case GMC_KIND_NONE:
        break;
    }
}

int gmc_build_part_of(const gmc_build_item *item, int geom)
{
    int part = geom - item->own_count, past = 0;
    if (part < 0 || !item->part_geoms) return part < 0 ? -1 : part;
    for (int i = 0; i < item->spec->part_count; i++) {
        past += item->part_geoms[i];
        if (part < past) return i;
    }
    return -1;
}

// Mass properties at density 1: of the shape, or of the mesh or polygon as compiled, scaled.
gmc_inertia gmc_build_unit_inertia(const gmc_build_item *item, const gmc_inertia *of_trial,
                                   const double *values)
{
    gmc_shape shape = gmc_build_solid(item->spec, values);
    gmc_inertia unit = of_trial ? *of_trial : item->unit;
    if (item->spec->kind == GMC_KIND_POLYGON) {
        // across the plane a layer of thickness t has t^2/12 per mass, where the unit has 1/12
        double t = 2 * shape.half_length, across = (t * t - 1) / 12 * unit.mass;
        unit.I.m[0] += across;
        unit.I.m[4] += across;
        for (int i = 0; i < 9; i++)
            unit.I.m[i] *= t;
        unit.mass *= t;
        return unit;
    }
    if (item->spec->kind != GMC_KIND_MESH) return gmc_inertia_of_shape(&shape, 1);
    double s = shape.scale, s3 = s * s * s;
    unit.mass *= s3;
    unit.com = gmc_vec3_scale(s, unit.com);
    for (int i = 0; i < 9; i++)
        unit.I.m[i] *= s3 * s * s;
    return unit;
}

gmc_inertia gmc_build_inertia(const gmc_build_item *item, const gmc_inertia *unit,
                              const double *values)
{
    const gmc_item_spec *spec = item->spec;
    gmc_inertia inertia = gmc_build_unit_inertia(item, unit, values);
    double density = spec->mass >= 0 ? values[spec->mass] / inertia.mass
                                     : gmc_build_value(values, spec->density, 0);
    inertia.mass *= density;
    for (int i = 0; i < 9; i++)
        inertia.I.m[i] *= density;
    if (spec->com[0] >= 0)
        inertia.com = (gmc_vec3){values[spec->com[0]], values[spec->com[1]], values[spec->com[2]]};
    if (spec->inertia[0] >= 0) {
        double t[6];
        for (int i = 0; i < 6; i++)
            t[i] = values[spec->inertia[i]];
        inertia.I = (gmc_mat3){{t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]}};
    }
    return inertia;
}

void gmc_build_put_pose(double *q, const gmc_pose *X)
{
    gmc_quat rotation = gmc_quat_from_matrix(&X->R);
    q[0] = X->p.x, q[1] = X->p.y, q[2] = X->p.z;
    q[3] = rotation.w, q[4] = rotation.x, q[5] = rotation.y, q[6] = rotation.z;
}

static void put_geometry(const gmc_build_item *item, const double *values, gmc_model *model)
{
    gmc_geom *geoms = model->geoms + item->geom;
    for (int i = 0; i < item->own_count; i++)
        gmc_build_sizes(item->spec, values, &geoms[i].shape);
    for (int i = 0; i < item->spec->part_count; i++) {
        const gmc_item_spec *part = &item->spec->parts[i];
        gmc_build_sizes(part, values, &geoms[item->own_count + i].shape);
        geoms[item->own_count + i].X_bg = gmc_build_pose(values, &part->pose);
    }
    if (item->spec->kind == GMC_KIND_PLANE)
        model->geoms[item->geom].X_bg.p.z = gmc_build_value(values, item->spec->size[0], 0);
}

gmc_status gmc_build_put_item(const gmc_build_item *item, const double *values, gmc_arena *arena,
                              gmc_model *model)
{
    gmc_inertia unit = item->unit;
    if (item->is_planar)
        GMC_TRY(gmc_build_put_sections(item, values, arena, model, &unit));
    else
        put_geometry(item, values, model);
    if (item->is_free) model->bodies[item->body].inertia = gmc_build_inertia(item, &unit, values);
    return GMC_OK;
}

static void put_start(int body, const gmc_pose *X, gmc_model *model)
{
    double *q = model->q_start + model->bodies[body].q;
    if (model->bodies[body].joint != GMC_JOINT_PLANAR) {
        gmc_build_put_pose(q, X);
        return;
    }
    q[0] = X->p.x, q[1] = X->p.y;
    q[2] = gmc_atan2(X->R.m[3], X->R.m[0]);
}

static gmc_status put_items(const gmc_build *build, const gmc_build_item *object,
                            const double *values, gmc_arena *arena, gmc_model *model)
{
    int scene = build->scenario->scene_count;
    for (int i = 0; i < scene; i++) {
        GMC_TRY(gmc_build_put_item(&build->scene[i], values, arena, model));
        if (!build->scene[i].is_free && !gmc_build_is_driven(&build->scene[i]))
            model->bodies[build->scene[i].body].X_pj =
                gmc_build_pose(values, &build->scene[i].spec->pose);
    }
    GMC_TRY(gmc_build_put_item(object, values, arena, model));
    for (int i = 0; i <= scene; i++) {
        const gmc_build_item *item = i < scene ? &build->scene[i] : object;
        if (!item->is_free) continue;
        gmc_pose X = gmc_build_place(build, model, item, values);
        put_start(item->body, &X, model);
    }
    return GMC_OK;
}

static gmc_status put_supports(const gmc_build *build, const gmc_build_item *object,
                               const double *values, gmc_model *model)
{
    for (int i = 0; i < build->scenario->scene_count; i++)
        GMC_TRY(put_support(&build->scene[i], values, model));
    return put_support(object, values, model);
}

// By how much a value differs from what the model was compiled with. Added to a leader's dof, which
// also carries what the joints that mimic it contribute.
static double change(const gmc_build *build, const double *values, gmc_param param)
{
    return param < 0 ? 0 : values[param] - build->scenario->parameters[param].nominal;
}

static gmc_status put_joints(const gmc_build *build, const double *values, gmc_arena *arena,
                             gmc_model *model, gmc_program *program)
{
    double *kp = GMC_NEW(arena, model->dof_count, double);
    double *kd = GMC_NEW(arena, model->dof_count, double);
    if (!kp || !kd) return GMC_E_ARENA_FULL;
    for (int i = 0; i < build->scenario->hand.joint_count; i++) {
        const gmc_joint_setting *joint = &build->scenario->hand.joints[i];
        int k = build->joint_dof[i];
        if (k < 0) continue;
        gmc_dof *dof = &model->dofs[k];
        dof->lower += change(build, values, joint->lower);
        dof->upper += change(build, values, joint->upper);
        if (dof->lower > dof->upper) return GMC_E_INPUT; // no place is between them
        dof->damping += change(build, values, joint->damping);
        dof->friction += change(build, values, joint->friction);
        dof->armature += change(build, values, joint->armature);
        dof->max_force += change(build, values, joint->max_force);
        dof->max_speed = gmc_build_max_speed(values, joint);
        kp[k] = gmc_build_value(values, joint->stiffness, 0);
        kd[k] = gmc_build_value(values, joint->servo_damping, 0);
        // a start that chance puts outside the limits is moved to the nearer one, as in the builder
        double *q = &model->q_start[model->bodies[build->joint_body[i]].q];
        *q = fmin(fmax(gmc_build_value(values, joint->start, *q), dof->lower), dof->upper);
    }
    program->servo_stiffness = kp;
    program->servo_damping = kd;
    return GMC_OK;
}

// A finger gives its share of the force asked for.
static gmc_status put_fingers(const gmc_build *build, const double *values, gmc_arena *arena,
                              const gmc_model *model, gmc_program *program)
{
    gmc_finger *fingers = GMC_NEW(arena, build->finger_count, gmc_finger);
    if (!fingers) return GMC_E_ARENA_FULL;
    for (int i = 0; i < build->finger_count; i++) {
        fingers[i] = build->fingers[i];
        int k = 0;
        while (build->joint_dof[k] != fingers[i].dof)
            k++;
        fingers[i].drive *= gmc_build_value(values, build->scenario->hand.joints[k].share, 1);
        fingers[i].open = gmc_build_end(build, values, k, false, model);
        fingers[i].closed = gmc_build_end(build, values, k, true, model);
    }
    program->fingers = fingers;
    program->finger_count = build->finger_count;
    return GMC_OK;
}

// The hand's base so that its tool frame stands at `target` in the believed object's frame. The
// tool may hang on joints, so its place against the base comes from the kinematics at the start.
static gmc_status put_hand(const gmc_build *build, const gmc_build_item *object,
                           const double *believed, const double *values, gmc_arena *arena,
                           gmc_model *model)
{
    if (build->base_body < 0) return GMC_OK;
    size_t mark = gmc_arena_mark(arena);
    gmc_model seen;
    GMC_TRY(gmc_model_copy(model, arena, &seen));
    GMC_TRY(put_items(build, object, believed, arena, &seen));
    gmc_pose X_wo = gmc_build_place(build, &seen, object, believed);
    if (build->scenario->sight.is_given) {
        gmc_believed_in in = {.values = values,
                              .truth = gmc_build_place(build, model, object, values),
                              .nominal_values = believed,
                              .nominal_model = &seen,
                              .nominal = X_wo};
        GMC_TRY(pose_believed(build, &in, &X_wo));
    }
    gmc_pose X_ot = gmc_build_pose(values, &build->scenario->hand.target);
    gmc_pose X_wt = gmc_pose_multiply(&X_wo, &X_ot);

    gmc_kinematics kin;
    GMC_TRY(gmc_kinematics_create(&seen, arena, &kin));
    gmc_kinematics_update(&seen, seen.q_start, NULL, &kin);
    gmc_pose X_bt = gmc_pose_identity();
    if (build->tool_frame >= 0) {
        const gmc_frame *frame = &seen.frames[build->tool_frame];
        gmc_pose X_wf = gmc_pose_multiply(&kin.X_wb[frame->body], &frame->X_bf);
        X_bt = gmc_pose_relative(&kin.X_wb[build->base_body], &X_wf);
    }
    gmc_pose X_tb = gmc_pose_inverse(&X_bt);
    gmc_pose X_wb = gmc_pose_multiply(&X_wt, &X_tb);
    if (build->scenario->hand.is_mounted)
        model->bodies[build->base_body].X_pj = X_wb;
    else
        put_start(build->base_body, &X_wb, model);
    gmc_arena_reset(arena, mark);
    return GMC_OK;
}

/// What `simulation` says of the stepper's own settings.
static void put_settings(const gmc_build *build, const double *values, gmc_step_options *options)
{
    for (int i = 0; i < build->scenario->setting_count; i++) {
        const gmc_law_setting *setting = &build->scenario->settings[i];
        int index = gmc_stepper_setting(build->stepper, setting->key);
        if (index >= 0)
            options->own[index] = gmc_build_value(values, setting->param, setting->value);
    }
}

static gmc_rollout_options options_of(const gmc_build *build, const double *values)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_rollout_options options = gmc_rollout_options_defaults();
    options.stepper = build->stepper;
    options.step_options.solver = build->solver;
    options.step_options.motion = gmc_motion_find(scenario->motion);
    put_settings(build, values, &options.step_options);
    options.step = gmc_build_value(values, scenario->step, options.step);
    options.time_limit = gmc_build_value(values, scenario->time_limit, options.time_limit);
    options.step_limit = (long long)gmc_build_number(build, values, "simulation.step_limit");
    options.work_limit = (long long)gmc_build_number(build, values, "simulation.work_limit");
    options.workspace = gmc_build_value(values, scenario->workspace, options.workspace);
    options.rate = gmc_build_value(values, scenario->rate, options.rate);
    // a body that lies among others has a dozen neighbours, mostly with one point each or a few
    enum { CONTACTS_PER_BODY = 24 };
    if (scenario->clutter.bodies > 0)
        options.contact_max +=
            CONTACTS_PER_BODY * (int)gmc_build_value(values, scenario->clutter.count, 0);
    // what moves or pushes by itself may yet change everything; seen from above nothing falls
    bool is_quiet = !has_courses(build);
    bool may_fall = is_quiet && scenario->world != GMC_WORLD_PLANAR_SUPPORT;
    options.early = (gmc_early_options){.broken = scenario->ends_broken,
                                        .falling = scenario->ends_falling && may_fall,
                                        .rest = scenario->ends_at_rest && is_quiet,
                                        .borne = scenario->ends_borne && may_fall};
    return options;
}

static gmc_status make_program(const gmc_build *build, const double *values, gmc_arena *arena,
                               gmc_program *program)
{
    const gmc_scenario *scenario = build->scenario;
    int sets = 0, count = scenario->phase_count;
    for (int i = 0; i < count; i++)
        sets += build->phases[i].set_count;
    gmc_phase *phases = GMC_NEW(arena, count, gmc_phase);
    gmc_set *set = GMC_NEW(arena, sets, gmc_set);
    if (!phases || !set) return GMC_E_ARENA_FULL;
    gmc_build_phase_values(build, values, phases, set);
    GMC_TRY(gmc_build_reshaper(build, values, arena, set, sets));
    *program = (gmc_program){.phases = phases,
                             .phase_count = count,
                             .base_body = scenario->hand.is_mounted ? -1 : build->base_body,
                             .tool_frame = build->tool_frame,
                             .object_body = build->object_body};
    return GMC_OK;
}

gmc_status gmc_build_instantiate(const gmc_build *build, int object, const double *believed,
                                 const double *values, gmc_arena *arena, gmc_rollout_input *input)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_model *model = GMC_NEW(arena, 1, gmc_model);
    gmc_program *program = GMC_NEW(arena, 1, gmc_program);
    if (!model || !program) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_model_copy(&build->models[object], arena, model));
    gmc_build_clutter_drop(build, values, model);
    model->gravity = (gmc_vec3){gmc_build_value(values, scenario->gravity[0], 0),
                                gmc_build_value(values, scenario->gravity[1], 0),
                                gmc_build_value(values, scenario->gravity[2], 0)};
    GMC_TRY(gmc_build_laws(build, values, arena, model));
    GMC_TRY(make_program(build, values, arena, program));
    GMC_TRY(put_joints(build, values, arena, model, program));
    GMC_TRY(put_fingers(build, values, arena, model, program));
    GMC_TRY(put_items(build, &build->objects[object], values, arena, model));
    GMC_TRY(put_supports(build, &build->objects[object], values, model));
    GMC_TRY(put_courses(build, &build->objects[object], values, arena, model, program));
    GMC_TRY(gmc_build_clutter_put(build, values, arena, model));
    GMC_TRY(put_hand(build, &build->objects[object], believed, values, arena, model));
    *input = (gmc_rollout_input){.model = model,
                                 .program = program,
                                 .criteria = &build->criteria,
                                 .measures = &build->plan,
                                 .options = options_of(build, values)};
    return GMC_OK;
}

gmc_status gmc_build_gap(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                         gmc_rollout_gap_found *found)
{
    return gmc_rollout_gap(input, GMC_CATEGORY_HAND, GMC_CATEGORY_OBJECT, trial, scratch, found);
}

gmc_status gmc_build_scene_gap(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                               gmc_rollout_gap_found *found)
{
    return gmc_rollout_gap(input, GMC_CATEGORY_HAND, GMC_CATEGORY_SCENE, trial, scratch, found);
}

double gmc_build_duration(const gmc_build *build, const double *values)
{
    double sum = 0;
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *spec = &build->scenario->program[i];
        sum += gmc_build_value(values, spec->until == GMC_END_TIME ? spec->duration : spec->at_most,
                               0);
    }
    return fmin(sum, gmc_build_value(values, build->scenario->time_limit, INFINITY));
}
