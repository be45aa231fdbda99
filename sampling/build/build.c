// Set-up: words to models. The hand comes first, then the scene, then the object, so that every
// object's model has the same body numbers and one program, one list of criteria and one plan of
// columns serve them all.
#include "engine/contact/stepper.h"
#include "engine/control/load.h"
#include "engine/math/elementary.h"
#include "engine/model/builder.h"
#include "engine/model/hull.h"
#include "engine/model/inertia.h"
#include "engine/model/mjcf.h"
#include "engine/model/pieces.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/materials.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/language/validate.h"
#include "sampling/scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GMC_BUILD_ARENA = 1 << 26 }; ///< bytes for all models of a run; meshes are the bulk of it
/// Category bits: behind those of the hand, the object and the scene there is one a robot, the rest
/// is for single links where links of one robot touch each other.
enum { GMC_ROBOT_BIT = 3, GMC_CATEGORY_BITS = 32, GMC_ROBOTS_MAX = 12 };

// ---- meshes -------------------------------------------------------------------------------------
// Mesh objects: read, cut into convex pieces, weighed. Polytopes are copied into the build's arena,
// where they live as long as the models that point to them.

static void *copy_block(gmc_arena *arena, const void *from, size_t count, size_t size)
{
    void *block = gmc_arena_take(arena, count, size);
    if (block && count > 0) memcpy(block, from, count * size);
    return block;
}

static gmc_status copy_polytope(const gmc_polytope *from, gmc_arena *arena,
                                const gmc_polytope **copy)
{
    size_t vertices = (size_t)from->vertex_count, faces = (size_t)from->face_count;
    size_t edges = (size_t)from->edge_count;
    gmc_polytope *to = copy_block(arena, from, 1, sizeof *to);
    if (!to) return GMC_E_ARENA_FULL;
    to->vertices = copy_block(arena, from->vertices, vertices, sizeof *to->vertices);
    to->face_start = copy_block(arena, from->face_start, faces + 1, sizeof *to->face_start);
    to->face_vertices = copy_block(arena, from->face_vertices, (size_t)from->face_start[faces],
                                   sizeof *to->face_vertices);
    to->face_normals = copy_block(arena, from->face_normals, faces, sizeof *to->face_normals);
    to->face_offsets = copy_block(arena, from->face_offsets, faces, sizeof *to->face_offsets);
    to->edges = copy_block(arena, from->edges, edges, sizeof *to->edges);
    to->neighbour_start =
        copy_block(arena, from->neighbour_start, vertices + 1, sizeof *to->neighbour_start);
    to->neighbours = copy_block(arena, from->neighbours, (size_t)from->neighbour_start[vertices],
                                sizeof *to->neighbours);
    *copy = to;
    return to->vertices && to->face_start && to->face_vertices && to->face_normals &&
                   to->face_offsets && to->edges && to->neighbour_start && to->neighbours
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

// Mass properties at density 1: of the mesh if it is closed, else of its pieces together.
static gmc_inertia weigh(const gmc_mesh *mesh, const gmc_hull_pieces *pieces)
{
    gmc_inertia inertia = {0};
    gmc_inertia_mesh about = {0};
    gmc_status status =
        gmc_inertia_of_mesh(&(gmc_inertia_surface){mesh->vertices, mesh->vertex_count,
                                                   mesh->triangles[0], mesh->triangle_count},
                            1, &inertia, &about);
    if (status == GMC_OK && about.is_oriented && mesh->part_count == 1) return inertia;
    inertia = (gmc_inertia){0};
    for (int i = 0; i < pieces->count; i++) {
        gmc_shape shape = {.type = GMC_SHAPE_POLYTOPE, .polytope = pieces->pieces[i], .scale = 1};
        gmc_inertia piece = gmc_inertia_of_shape(&shape, 1);
        inertia = gmc_inertia_combine(&inertia, &piece);
    }
    return inertia;
}

// What the scenario asks to be made of meshes whose unit is `scale` [m].
static gmc_pieces_options build_convex(const gmc_build *build, const gmc_convex_spec *spec,
                                       double scale)
{
    gmc_pieces_options options = gmc_pieces_defaults();
    options.is_hull = spec->is_hull || build->is_sketch;
    options.tolerance = spec->tolerance / scale;
    options.piece_max = spec->piece_max;
    options.cache = build->pieces_cache;
    options.scale = scale;
    return options;
}

// Convex pieces of a mesh item as shapes, with room for those of its parts behind them, and its
// mass properties at density 1.
static gmc_status mesh_shapes(gmc_build *build, gmc_build_item *item, const double *values,
                              gmc_shape **shapes)
{
    const gmc_item_spec *spec = item->spec;
    gmc_mesh mesh;
    gmc_hull_pieces pieces;
    gmc_mesh_options options = gmc_mesh_defaults();
    options.plausible_scale = gmc_build_value(values, spec->scale, 1);
    if (spec->scale >= 0 && !build->scenario->parameters[spec->scale].is_default)
        options.scale_said = "`unit` or `scale`";
    GMC_TRY(gmc_mesh_read(spec->mesh_file, &build->files, spec->source, &options, build->report,
                          &mesh));
    gmc_pieces_options convex = build_convex(build, &spec->convex, options.plausible_scale);
    gmc_status status = gmc_pieces_of_mesh(&mesh, &convex, spec->source, build->report, &pieces);
    if (status == GMC_OK) {
        item->unit = weigh(&mesh, &pieces);
        item->own_count = pieces.count;
        *shapes = GMC_NEW(&build->arena, pieces.count + spec->part_count, gmc_shape);
        if (!*shapes) status = GMC_E_ARENA_FULL;
        for (int i = 0; i < pieces.count && status == GMC_OK; i++) {
            (*shapes)[i] =
                (gmc_shape){.type = GMC_SHAPE_POLYTOPE, .scale = options.plausible_scale};
            status = copy_polytope(pieces.pieces[i], &build->arena, &(*shapes)[i].polytope);
        }
        gmc_hull_pieces_free(&pieces);
    }
    gmc_mesh_free(&mesh);
    return status;
}

// ---- planar hands -----------------------------------------------------------------------------

// A hand of a planar world: a URDF whose joints stay in the plane z = 0 of its root link. Its
// shapes are taken by their sections with that plane; masses stay those of the solids.

// Files round directions to a few digits less than a double has; a radian of this is no tilt that
// matters over a metre.
static const double TILT = 1e-9;

static bool is_along_z(gmc_vec3 a) { return fabs(a.x) <= TILT && fabs(a.y) <= TILT; }

static void complain_of_plane(const gmc_build *build, gmc_source source, const char *hint,
                              const char *what, const char *name, const char *why)
{
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint,
                        "%s %s %s: in a planar world the hand stays in the plane z = 0 of its root "
                        "link",
                        what, name, why);
}

// Pose of every link in the root's frame, joints at 0: what tilts there does so always.
static gmc_pose *link_poses(gmc_build *build)
{
    const gmc_urdf *urdf = &build->hand.urdf;
    gmc_pose *X = GMC_NEW(&build->arena, urdf->link_count, gmc_pose);
    for (int i = 0; X && i < urdf->link_count; i++) {
        int joint = urdf->links[i].joint;
        X[i] = gmc_pose_identity();
        if (joint >= 0)
            X[i] = gmc_pose_multiply(&X[urdf->joints[joint].parent], &urdf->joints[joint].X_pj);
    }
    return X;
}

static void check_joints(const gmc_build *build, const gmc_pose *X)
{
    for (int i = 0; i < build->hand.urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &build->hand.urdf.joints[i];
        gmc_vec3 axis = gmc_mat3_apply(&X[joint->child].R, joint->axis);
        switch (joint->kind) {
        case GMC_URDF_REVOLUTE:
        case GMC_URDF_CONTINUOUS:
            if (!is_along_z(axis))
                complain_of_plane(build, joint->source, "let it turn about z, or fix it", "joint",
                                  joint->name, "turns out of the plane");
            break;
        case GMC_URDF_PRISMATIC:
            if (!(fabs(axis.z) <= TILT))
                complain_of_plane(build, joint->source, "let it slide along x or y, or fix it",
                                  "joint", joint->name, "slides out of the plane");
            break;
        case GMC_URDF_FLOATING:
            complain_of_plane(build, joint->source, NULL, "joint", joint->name, "is free");
            break;
        case GMC_URDF_BALL:
            complain_of_plane(build, joint->source, NULL, "joint", joint->name, "is a ball");
            break;
        case GMC_URDF_FIXED:
            break;
        }
    }
}

static void check_frame(const gmc_build *build, const gmc_pose *X)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    int link = hand->frame ? gmc_urdf_find_link(&build->hand.urdf, hand->frame) : -1;
    if (link < 0) return; // the root, or reported later
    gmc_vec3 z = gmc_mat3_column(&X[link].R, 2);
    if (is_along_z(z) && z.z > 0 && fabs(X[link].p.z) <= TILT) return;
    complain_of_plane(build, hand->frame_source,
                      "a link with its origin at z = 0 and its z axis along z", "frame",
                      hand->frame, "lies beside the plane or is tilted");
}

// ---- sections ---------------------------------------------------------------------------------

/// A section: where it is in the root's frame (x axis unit and in the plane), and the shape.
typedef struct section {
    gmc_vec3 centre, along;
    gmc_shape shape;
} section;

typedef enum outcome { MISSED, CUT, UNKNOWN } outcome;

static outcome make_circle(double square, section *s)
{
    if (!(square > 0)) return MISSED;
    s->along = (gmc_vec3){1, 0, 0};
    s->shape = (gmc_shape){.type = GMC_SHAPE_CIRCLE,
                           .radius = sqrt(square),
                           .half_length = GMC_BUILD_THICKNESS / 2,
                           .scale = 1};
    return CUT;
}

static outcome cut_box(const gmc_pose *X, gmc_vec3 half, section *s, double *half_x, double *half_y)
{
    const double sizes[3] = {half.x, half.y, half.z};
    for (int k = 0; k < 3; k++) {
        if (!is_along_z(gmc_mat3_column(&X->R, k))) continue;
        int x = (k + 1) % 3, y = (k + 2) % 3;
        s->along = gmc_mat3_column(&X->R, x);
        *half_x = sizes[x];
        *half_y = sizes[y];
        return fabs(X->p.z) < sizes[k] ? CUT : MISSED;
    }
    return UNKNOWN;
}

static outcome cut_cylinder(const gmc_pose *X, const gmc_shape *shape, section *s, double *half_x,
                            double *half_y)
{
    gmc_vec3 axis = gmc_mat3_column(&X->R, 2);
    double r2 = shape->radius * shape->radius, z = X->p.z;
    if (is_along_z(axis)) return fabs(z) < shape->half_length ? make_circle(r2, s) : MISSED;
    if (!(fabs(axis.z) <= TILT)) return UNKNOWN;
    if (!(z * z < r2)) return MISSED;
    s->along = axis;
    *half_x = shape->half_length;
    *half_y = sqrt(r2 - z * z);
    return CUT;
}

// Where a rectangle comes out, its sizes are given; else they are 0.
static outcome cut_shape(const gmc_pose *X, const gmc_shape *shape, section *s, double *half_x,
                         double *half_y)
{
    double r2 = shape->radius * shape->radius, z = X->p.z;
    *half_x = *half_y = 0;
    s->centre = (gmc_vec3){X->p.x, X->p.y, 0};
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return make_circle(r2 - z * z, s);
    case GMC_SHAPE_CAPSULE: {
        double beyond = fmax(fabs(z) - shape->half_length, 0);
        bool stands = is_along_z(gmc_mat3_column(&X->R, 2));
        return stands ? make_circle(r2 - beyond * beyond, s) : UNKNOWN;
    }
    case GMC_SHAPE_CYLINDER:
        return cut_cylinder(X, shape, s, half_x, half_y);
    case GMC_SHAPE_BOX:
        return cut_box(X, shape->half, s, half_x, half_y);
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYTOPE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return UNKNOWN;
}

static gmc_pose pose_of(const section *s)
{
    gmc_vec3 x = s->along;
    return (gmc_pose){.R = {{x.x, -x.y, 0, x.y, x.x, 0, 0, 0, 1}}, .p = s->centre};
}

// Shapes that do not reach the plane touch nothing there.
static gmc_status flatten_link(gmc_build *build, const gmc_pose *X_rl, gmc_urdf_link *link)
{
    int kept = 0;
    for (int i = 0; i < link->shape_count; i++) {
        gmc_urdf_shape *from = &link->shapes[i];
        gmc_pose X = gmc_pose_multiply(X_rl, &from->X_lg);
        section s = {0};
        double half_x = 0, half_y = 0;
        outcome found = cut_shape(&X, &from->shape, &s, &half_x, &half_y);
        if (found == UNKNOWN)
            complain_of_plane(
                build, from->source,
                "boxes with a face in the plane, spheres, cylinders along z or in the plane, "
                "and capsules along z have sections",
                "a shape of link", link->name, "has no simple section");
        if (found != CUT) continue;
        if (half_x > 0) GMC_TRY(gmc_build_rectangle(half_x, half_y, &build->arena, &s.shape));
        gmc_pose X_rg = pose_of(&s);
        from->X_lg = gmc_pose_relative(X_rl, &X_rg);
        from->shape = s.shape;
        link->shapes[kept++] = *from;
    }
    link->shape_count = kept;
    return GMC_OK;
}

// In a planar world: the sections of the hand's shapes in their place. Joints that leave the
// plane, shapes without a section, and a frame beside the plane are reported. (Sections
// of sizes that vary are made again for each trial, build_trial.c.)
// @return GMC_OK (also with reports), GMC_E_ARENA_FULL
static gmc_status flatten_hand(gmc_build *build)
{
    gmc_pose *X = link_poses(build);
    if (!X) return GMC_E_ARENA_FULL;
    check_joints(build, X);
    check_frame(build, X);
    for (int i = 0; i < build->hand.urdf.link_count; i++)
        GMC_TRY(flatten_link(build, &X[i], &build->hand.urdf.links[i]));
    return GMC_OK;
}

// ---- grasps -----------------------------------------------------------------------------------

// What only the hand's description knows about files of grasps: how the frame that they place lies
// to the tool point, and which joint a name means.

// Pose of a link in the first link above it that moves by itself, and that link.
static gmc_pose in_moving_link(const gmc_urdf *urdf, int *link)
{
    gmc_pose X = gmc_pose_identity();
    for (int joint = urdf->links[*link].joint; joint >= 0; joint = urdf->links[*link].joint) {
        const gmc_urdf_joint *up = &urdf->joints[joint];
        if (up->kind != GMC_URDF_FIXED) break;
        X = gmc_pose_multiply(&up->X_pj, &X);
        *link = up->parent;
    }
    return X;
}

static int find_link(const gmc_build *build, const char *name, gmc_source source)
{
    if (!name) return 0; // the root
    int link = gmc_urdf_find_link(&build->hand.urdf, name);
    if (link >= 0) return link;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < build->hand.urdf.link_count; i++)
        gmc_nearest_offer(&nearest, build->hand.urdf.links[i].name);
    char hint[256] = "links are named in the URDF";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint, "the hand has no link %s", name);
    return -1;
}

// X_gt: hand.frame in the gripper frame of the file.
static void find_frames(const gmc_build *build, gmc_grasp_set *set)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    set->X_gt = gmc_pose_identity();
    int tool = hand->frame ? gmc_urdf_find_link(&build->hand.urdf, hand->frame) : 0;
    if (tool < 0) return; // reported with hand.frame
    int link = set->frame ? find_link(build, set->frame, set->frame_source) : tool;
    if (link < 0) return;
    int moving_link = link, moving_tool = tool;
    gmc_pose X_ml = in_moving_link(&build->hand.urdf, &moving_link);
    gmc_pose X_mt = in_moving_link(&build->hand.urdf, &moving_tool);
    if (moving_link != moving_tool) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, set->frame_source,
                            "take a link of the palm for both",
                            "%s moves against hand.frame (%s): a pose of the one does not place "
                            "the other",
                            build->hand.urdf.links[link].name, build->hand.urdf.links[tool].name);
        return;
    }
    const double *g = set->gripper;
    gmc_pose X_lg =
        gmc_pose_make(gmc_quat_from_rpy(g[3], g[4], g[5]), (gmc_vec3){g[0], g[1], g[2]});
    gmc_pose X_mg = gmc_pose_multiply(&X_ml, &X_lg);
    set->X_gt = gmc_pose_relative(&X_mg, &X_mt);
}

// Has it one coordinate?
static bool is_single(const gmc_urdf_joint *joint)
{
    return joint->kind == GMC_URDF_REVOLUTE || joint->kind == GMC_URDF_CONTINUOUS ||
           joint->kind == GMC_URDF_PRISMATIC;
}

// Why a joint has no start, servo or limits of its own to set.
static const char *why_not_set(const gmc_urdf_joint *joint)
{
    switch (joint->kind) {
    case GMC_URDF_FIXED:
        return "it does not move";
    case GMC_URDF_FLOATING:
        return "it moves freely, without a drive";
    case GMC_URDF_BALL:
        return "it is a ball joint, which turns every way, and has no one position";
    case GMC_URDF_REVOLUTE:
    case GMC_URDF_CONTINUOUS:
    case GMC_URDF_PRISMATIC:
        break;
    }
    return "by the file it follows another";
}

// Index into hand.joints; -1: a joint that follows another, or a name that the hand has not
// (reported).
static int find_joint(const gmc_build *build, const gmc_grasp_set *set, const gmc_grasp_name *name)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, name->text) == 0) return i;
    int joint = gmc_urdf_find_joint(&build->hand.urdf, name->text);
    if (joint >= 0 && is_single(&build->hand.urdf.joints[joint])) return -1; // follows another
    gmc_nearest nearest = gmc_nearest_start(name->text);
    for (int i = 0; i < hand->joint_count; i++)
        gmc_nearest_offer(&nearest, hand->joints[i].joint);
    char hint[256] = "joints: none  leaves the joints of the file aside";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    gmc_source source = {.file = set->asset_file, .line = name->line, .column = name->column};
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint,
                        joint < 0 ? "the hand has no joint %.80s%s"
                                  : "joint %.80s has no start: %s",
                        name->text, joint < 0 ? "" : why_not_set(&build->hand.urdf.joints[joint]));
    return -1;
}

static gmc_status bind_joints(const gmc_build *build, gmc_grasp_set *set)
{
    size_t names = (size_t)set->grasps.name_count;
    bool *is_joint = GMC_NEW(build->scenario->arena, names + 1, bool);
    set->name_joint = GMC_NEW(build->scenario->arena, names + 1, int);
    if (!is_joint || !set->name_joint) return GMC_E_ARENA_FULL;
    for (int i = 0; i < set->grasps.entry_count; i++)
        if (set->grasps.entries[i].kind != GMC_GRASP_PATH)
            is_joint[set->grasps.entries[i].name] = true;
    for (size_t i = 0; i < names; i++) {
        bool is_used = is_joint[i] && set->joints != GMC_GRASP_JOINTS_NONE;
        set->name_joint[i] = is_used ? find_joint(build, set, &set->grasps.names[i]) : -1;
    }
    return GMC_OK;
}

// How files of grasps speak of the hand.
static gmc_status build_declare_grasps(gmc_build *build)
{
    gmc_scenario *scenario = build->scenario;
    if (build->is_sketch && !scenario->hand.is_declared) return GMC_OK; // told of the hand
    for (int i = 0; i < scenario->object_count; i++) {
        gmc_grasp_set *set = scenario->objects[i].grasps;
        if (!set) continue;
        if (!scenario->hand.urdf) {
            gmc_diagnostics_add(build->report, GMC_E_INPUT, set->source, "add  hand",
                                "%.120s: there is no hand to grasp with", set->path);
            continue;
        }
        find_frames(build, set);
        GMC_TRY(bind_joints(build, set));
    }
    return gmc_diagnostics_status(build->report);
}

// ---- drives -----------------------------------------------------------------------------------

// What is said of drives once all is compiled: joints without a largest speed, and those whose
// servos do not hold the hand against gravity where it starts.

/// Servos that give way by less than this hold: what their defaults do under a newton metre or a
/// kilogram [rad, m].
static const double SAG_TURN = 0.01, SAG_SLIDE = 0.001;

static const gmc_diagnostic_kind no_speed = {"no velocity limit, none taken, for", "joints"};

static void warn_of_speeds(const gmc_build *build, const gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    char hint[200];
    snprintf(hint, sizeof hint,
             "%.80s.joints.<joint>.max_speed gives one; 0 says that there is none", spec->path);
    for (int i = 0; i < spec->joint_count && robot->has; i++) {
        const gmc_joint_setting *joint = &spec->joints[i];
        if (robot->joint_dof[i] < 0 || joint->max_speed >= 0) continue;
        if (gmc_build_geared_to(robot, i) >= 0 || gmc_build_driven_by(robot, i) >= 0) continue;
        gmc_diagnostics_warn(build->report, joint->source,
                             (gmc_diagnostic_subject){&no_speed, joint->joint}, hint,
                             "joint `%s` has no velocity limit, or one of 0: its drive makes it as "
                             "fast as it can",
                             joint->joint);
    }
}

// What is not held by its servo, or drive, but by a controller; of `pd` kp tells the same.
static bool is_sampled(const gmc_control_plan *control, int dof)
{
    for (int i = 0; control && i < control->count; i++)
        if (control->dofs[i] == dof) return true;
    return false;
}

// How far a servo gives way: "j2 by 24 deg", "j4 falls: it needs 30 of 12 N*m"; false: it holds.
static bool tell_sag(const gmc_build_robot *robot, const gmc_rollout_input *input,
                     const double *force, int joint, char *text, size_t room)
{
    int k = robot->joint_dof[joint];
    const gmc_body *body = &input->model->bodies[robot->joint_body[joint]];
    const gmc_dof *dof = &input->model->dofs[k];
    bool is_slide = body->joint == GMC_JOINT_PRISMATIC;
    double load = fabs(force[k]) - dof->friction, q = input->model->q_start[body->q];
    bool rests = force[k] > 0 ? q <= dof->lower : q >= dof->upper; // on its stop
    double sag = load / input->program->servo_stiffness[k];
    bool is_controlled = is_sampled(input->control, k);
    if (is_controlled && input->control->law != GMC_CONTROL_PD) return false;
    if (input->program->holds && input->program->holds[k] && !is_controlled) sag = 0;
    if (rests || !(load > 0) || !(sag > (is_slide ? SAG_SLIDE : SAG_TURN) || load > dof->max_force))
        return false;
    const char *name = robot->spec->joints[joint].joint, *unit = is_slide ? "N" : "N*m";
    if (load > dof->max_force)
        snprintf(text, room, "%.60s falls, it needs %.3g of %.3g %s", name, load, dof->max_force,
                 unit);
    else if (isinf(sag))
        snprintf(text, room, "%.60s falls, its kp is 0", name);
    else
        snprintf(text, room, "%.60s by %.3g %s", name, is_slide ? 1e3 * sag : sag * 180 / GMC_PI,
                 is_slide ? "mm" : "deg");
    return true;
}

static void tell_sags(const gmc_build *build, const gmc_build_robot *robot,
                      const gmc_rollout_input *input, const double *force)
{
    char list[400] = "", hint[240];
    size_t used = 0;
    bool is_hand = robot == &build->hand, gives_way = false; // or are all too weak?
    for (int i = 0; i < robot->spec->joint_count && robot->has; i++) {
        gmc_build_joint_facts facts;
        char one[160];
        bool is_finger = is_hand && gmc_build_joint(build, i, &facts) && facts.is_finger;
        // who lets a joint hang means it
        if (robot->joint_dof[i] < 0 || is_finger || robot->spec->joints[i].holds == 0) continue;
        if (gmc_build_geared_to(robot, i) >= 0 || gmc_build_driven_by(robot, i) >= 0) continue;
        if (!tell_sag(robot, input, force, i, one, sizeof one)) continue;
        const gmc_dof *dof = &input->model->dofs[robot->joint_dof[i]];
        gives_way = gives_way || fabs(force[robot->joint_dof[i]]) - dof->friction <= dof->max_force;
        if (used + strlen(one) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (used == 0) return;
    snprintf(hint, sizeof hint,
             !gives_way ? "raise %.80s.<joint>.max_force"
             : input->control
                 ? "raise %.80s.<joint>.kp (and kd, max_force), or let the controller "
                   "carry it: by: computed_torque"
                 : "raise %.80s.<joint>.kp (and kd, max_force), or let the drive carry "
                   "it: holds: true",
             robot->spec->path);
    gmc_diagnostics_add(build->report, GMC_OK, robot->spec->source, hint,
                        "under gravity joints give way from where they start: %s", list);
}

static gmc_status tell_blind_camera(const gmc_build *build, const double *values, gmc_arena *arena)
{
    bool is_blind;
    GMC_TRY(gmc_build_is_blind(build, values, arena, &is_blind));
    if (!is_blind) return GMC_E_INPUT;
    const gmc_camera_spec *camera = &build->scenario->cameras[build->scenario->sight.camera];
    gmc_diagnostics_add(build->report, GMC_E_INPUT, camera->source,
                        "put pose.xyz elsewhere, or write roll, pitch and yaw in place of look_at",
                        "cameras.%.60s stands where it looks: it sees in no direction",
                        camera->name);
    return GMC_E_INPUT;
}

// At nominal values: the hand stands where trials have it.
static gmc_status look_for_sags(const gmc_build *build, gmc_arena *arena)
{
    const gmc_scenario *scenario = build->scenario;
    double *values = GMC_NEW(arena, scenario->parameter_count, double);
    gmc_rollout_input input;
    if (!values) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->parameter_count; i++)
        values[i] = scenario->parameters[i].nominal;
    gmc_status status = gmc_build_instantiate(build, 0, values, values, arena, &input);
    if (status == GMC_E_INPUT) status = tell_blind_camera(build, values, arena);
    GMC_TRY(status);
    double *force = GMC_NEW(arena, input.model->dof_count, double);
    if (!force) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_load_find(input.model, input.model->q_start, arena, force));
    for (int i = 0; i < scenario->robot_count; i++)
        tell_sags(build, &build->robots[i], &input, force);
    tell_sags(build, &build->hand, &input, force);
    return GMC_OK;
}

// Warn of drives without a largest speed, and of servos that do not hold what hangs on them.
// The build is compiled.
// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY
static gmc_status build_check_drives(const gmc_build *build)
{
    enum { DOUBLINGS = 6 };
    bool has_drives = build->hand.base_body >= 0 || build->scenario->robot_count > 0;
    if (!has_drives || build->report->error_count > 0) return GMC_OK;
    for (int i = 0; i < build->scenario->robot_count; i++)
        warn_of_speeds(build, &build->robots[i]);
    warn_of_speeds(build, &build->hand);
    size_t bytes = gmc_build_bytes(build);
    gmc_status status = GMC_E_ARENA_FULL;
    for (int i = 0; i < DOUBLINGS && status == GMC_E_ARENA_FULL; i++, bytes *= 2) {
        gmc_arena arena;
        GMC_TRY(gmc_arena_create(&arena, bytes));
        status = look_for_sags(build, &arena);
        gmc_arena_free(&arena);
    }
    // numbers that make no trial are told by the trials
    return status == GMC_E_INPUT ? GMC_OK : status;
}

// ---- the hand ---------------------------------------------------------------------------------

// Servos of joints that the scenario is silent about: stiff enough to carry a kilogram within a
// millimetre (or a newton metre within 10 mrad), damped so that 50 g (or 2.5e-4 kg·m²) do not
// swing.
static const double SLIDE_KP = 1e4, SLIDE_KD = 50, TURN_KP = 100, TURN_KD = 0.5;

// A folder that the scenario names, as build_load understands it.
static const char *path_of(gmc_build *build, const char *name)
{
    const char *file = build->scenario->file, *slash = strrchr(file, '/');
    if (!slash || name[0] == '/') return name;
    size_t folder = (size_t)(slash - file) + 1, bytes = folder + strlen(name) + 1;
    char *path = gmc_arena_take(&build->arena, bytes, 1);
    if (!path) return name;
    snprintf(path, bytes, "%.*s%s", (int)folder, file, name);
    return path;
}

// gmc_file_source.load over the scenario's assets; `context` is the build.
// Every file that the engine's readers ask for is an asset of the scenario: from disk the first
// time, from the result that embeds it when a trial is replayed.
static gmc_status build_load(void *context, const char *path, gmc_file *file)
{
    gmc_build *build = context;
    gmc_scenario *scenario = build->scenario;
    const char *slash = strrchr(scenario->file, '/');
    size_t folder = slash ? (size_t)(slash - scenario->file) + 1 : 0;
    if (folder > 0 && strncmp(path, scenario->file, folder) == 0) path += folder;
    path = gmc_scenario_join(scenario, "", path); // one file, one name
    if (!path) return GMC_E_MEMORY;
    if (!gmc_scenario_has_asset(scenario, path)) return GMC_E_MISSING;
    const gmc_asset *asset =
        gmc_scenario_load_asset(scenario, path, (gmc_source){0}, build->report);
    if (!asset)
        return gmc_diagnostics_status(build->report) == GMC_E_MEMORY ? GMC_E_MEMORY : GMC_E_IO;
    file->bytes = malloc(asset->size + 1);
    if (!file->bytes) return GMC_E_MEMORY;
    if (asset->size > 0) memcpy(file->bytes, asset->bytes, asset->size);
    file->bytes[asset->size] = 0;
    file->size = asset->size;
    return GMC_OK;
}

static const gmc_joint_setting *find_setting(const gmc_joint_setting *list, int count,
                                             const char *joint)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].joint, joint) == 0) return &list[i];
    return NULL;
}

// Which drive of several joints moves a joint; -1: none.
static int drive_of(const gmc_robot_spec *spec, const char *joint)
{
    for (int i = 0; i < spec->drive_count; i++)
        for (int k = 0; k < spec->drives[i].joint_count; k++)
            if (strcmp(spec->drives[i].joints[k], joint) == 0) return i;
    return -1;
}

int gmc_build_driven_by(const gmc_build_robot *robot, int joint)
{
    return drive_of(robot->spec, robot->spec->joints[joint].joint);
}

// gmc_urdf_options.has_effort: what the scenario gives, the file need not.
static bool has_effort(void *context, const char *joint)
{
    const gmc_robot_spec *spec = ((const gmc_build_robot *)context)->spec;
    const gmc_joint_setting *given = find_setting(spec->joints, spec->joint_count, joint);
    return (given && given->max_force >= 0) || drive_of(spec, joint) >= 0;
}

// Says if the i-th folder of the package path is not there. Of a stored run none has to be.
static const char *check_folder(const gmc_build *build, const gmc_robot_spec *spec, int i,
                                const char *path)
{
    FILE *in = build->scenario->embedded ? NULL : gmc_file_open(path); // a folder opens, too
    if (in) fclose(in);
    if (in || build->scenario->embedded) return path;
    const gmc_node *list = gmc_node_find(spec->node, "package_path");
    const gmc_node *item = list ? list->first : NULL;
    for (int k = 0; k < i && item; k++)
        item = item->next;
    gmc_diagnostics_add(build->report, GMC_E_MISSING, item ? item->source : spec->source,
                        "relative to the scenario", "%s.package_path: no folder %.200s", spec->path,
                        path);
    return path;
}

static gmc_urdf_inertials inertials_of(const char *word)
{
    static const char *const WORDS[] = {[GMC_URDF_AS_GIVEN] = "given",
                                        [GMC_URDF_MENDED] = "mended",
                                        [GMC_URDF_REPLACED] = "computed"};
    for (int i = 0; i < GMC_COUNT(WORDS); i++)
        if (word && strcmp(word, WORDS[i]) == 0) return (gmc_urdf_inertials)i;
    return GMC_URDF_MENDED; // a word that is none is a mistake already
}

static gmc_status open_urdf(gmc_build *build, gmc_build_robot *robot)
{
    gmc_robot_spec *spec = robot->spec;
    gmc_urdf_options options = gmc_urdf_defaults();
    options.files = &build->files;
    options.inertials = inertials_of(spec->inertials);
    options.convex = build_convex(build, &spec->convex, 1);
    options.from = spec->source;
    int count = 0;
    while (spec->package_path && spec->package_path[count])
        count++;
    const char **folders = GMC_NEW(&build->arena, count + 1, const char *);
    if (!folders) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        folders[i] = check_folder(build, spec, i, path_of(build, spec->package_path[i]));
    options.package_path = folders;
    options.context = robot;
    options.has_effort = has_effort;
    return (spec->is_mjcf ? gmc_mjcf_open : gmc_urdf_open)(spec->urdf_file, &options, build->report,
                                                           &robot->urdf);
}

void gmc_build_joint_names(const gmc_build_robot *robot, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "joints:");
    const char *comma = "";
    for (int j = 0; j < robot->urdf.joint_count; j++) {
        const gmc_urdf_joint *joint = &robot->urdf.joints[j];
        if (!is_single(joint) || joint->leader >= 0) continue;
        if (used + strlen(joint->name) + 8 >= size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s %s", comma, joint->name);
        comma = ",";
    }
}

// Joints that follow others by the scenario's word. Without a clutch they share the coordinate of
// their leader, as `<mimic>` says in a file; ratio and offset are put in when they are known
// (settle_followers).

static const gmc_follows *follows_of(const gmc_robot_spec *spec, const char *joint)
{
    for (int i = 0; i < spec->joint_count; i++)
        if (spec->joints[i].follows.leader && strcmp(spec->joints[i].joint, joint) == 0)
            return &spec->joints[i].follows;
    return NULL;
}

static void complain_of_follower(const gmc_build *build, const gmc_build_robot *robot,
                                 const gmc_joint_setting *setting, const char *why)
{
    char hint[256];
    gmc_build_joint_names(robot, hint, sizeof hint);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, setting->follows.source, hint,
                        "joint %s of %s cannot follow %s: %s", setting->joint, robot->spec->title,
                        setting->follows.leader, why);
}

// Is there another joint with a clutch that has the same leader?
static bool is_shared(const gmc_robot_spec *spec, const gmc_joint_setting *setting)
{
    for (int i = 0; i < spec->joint_count; i++) {
        const gmc_follows *other = &spec->joints[i].follows;
        if (&spec->joints[i] != setting && other->leader && other->breakaway >= 0 &&
            strcmp(other->leader, setting->follows.leader) == 0)
            return true;
    }
    return false;
}

// Why a joint cannot follow as its setting says; NULL: it can.
static const char *why_not(const gmc_build_robot *robot, const gmc_joint_setting *setting)
{
    const gmc_urdf *urdf = &robot->urdf;
    const gmc_follows *follows = &setting->follows;
    int self = gmc_urdf_find_joint(urdf, setting->joint);
    int leader = gmc_urdf_find_joint(urdf, follows->leader);
    if (leader < 0) return "there is no such joint";
    if (leader == self) return "it is that joint itself";
    if (!is_single(&urdf->joints[leader])) return "that does not move along or about one axis";
    if (urdf->joints[self].leader >= 0) return "by the URDF it follows another";
    if (urdf->joints[leader].leader >= 0 || follows_of(robot->spec, follows->leader))
        return "that follows another itself";
    if (follows->breakaway >= 0 && is_shared(robot->spec, setting))
        return "a clutch turns one joint alone, and another has one on it";
    return NULL;
}

static void check_followers(const gmc_build *build, const gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    for (int i = 0; i < spec->joint_count; i++) {
        const gmc_joint_setting *setting = &spec->joints[i];
        int self = gmc_urdf_find_joint(&robot->urdf, setting->joint);
        if (!setting->follows.leader || self < 0 || !is_single(&robot->urdf.joints[self]))
            continue; // nothing, or told of the joint
        const char *why = why_not(robot, setting);
        if (why) complain_of_follower(build, robot, setting, why);
    }
}

// Units of a follower's numbers, and who leads it where it has no clutch.
// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status bind_followers(gmc_build *build, gmc_build_robot *robot)
{
    gmc_robot_spec *spec = robot->spec;
    robot->follows = spec->joints;
    robot->follow_count = spec->joint_count;
    bool *can = GMC_NEW(&build->arena, spec->joint_count, bool); // once leaders are set none could
    if (!can) return GMC_E_ARENA_FULL;
    for (int i = 0; i < spec->joint_count; i++) {
        const gmc_follows *follows = &spec->joints[i].follows;
        int self = gmc_urdf_find_joint(&robot->urdf, spec->joints[i].joint);
        if (!follows->leader || self < 0 || why_not(robot, &spec->joints[i])) continue;
        can[i] = true;
        int leader = gmc_urdf_find_joint(&robot->urdf, follows->leader);
        bool slides = robot->urdf.joints[self].kind == GMC_URDF_PRISMATIC;
        bool is_led_by_slide = robot->urdf.joints[leader].kind == GMC_URDF_PRISMATIC;
        if (follows->offset >= 0)
            gmc_scenario_settle(build->scenario, follows->offset,
                                slides ? GMC_DIM_LENGTH : GMC_DIM_ANGLE, build->report);
        if (follows->breakaway >= 0)
            gmc_scenario_settle(build->scenario, follows->breakaway,
                                is_led_by_slide ? GMC_DIM_FORCE : GMC_DIM_TORQUE, build->report);
    }
    for (int i = 0; i < spec->joint_count; i++) { // once all are checked
        const gmc_follows *follows = &spec->joints[i].follows;
        int self = gmc_urdf_find_joint(&robot->urdf, spec->joints[i].joint);
        if (!can[i] || follows->breakaway >= 0) continue;
        robot->urdf.joints[self].leader = gmc_urdf_find_joint(&robot->urdf, follows->leader);
        robot->urdf.joints[self].ratio = 1; // until it is known
    }
    return GMC_OK;
}

// Ratios and offsets, now that formulas have values.
static void settle_followers(const gmc_build *build, gmc_build_robot *robot, const double *values)
{
    for (int i = 0; i < robot->follow_count; i++) {
        const gmc_follows *follows = &robot->follows[i].follows;
        const gmc_param fixed[] = {follows->ratio, follows->offset, follows->alone};
        if (!follows->leader) continue;
        double ratio = gmc_build_value(values, follows->ratio, 1);
        if (ratio == 0) complain_of_follower(build, robot, &robot->follows[i], "the ratio is 0");
        if (gmc_build_value(values, follows->alone, 1) == 0)
            complain_of_follower(build, robot, &robot->follows[i], "alone is 0");
        for (int k = 0; k < GMC_COUNT(fixed); k++)
            if (fixed[k] >= 0 && gmc_build_is_drawn(build->scenario, fixed[k]))
                gmc_diagnostics_add(build->report, GMC_E_INPUT, follows->source,
                                    "breakaway may vary, and what drives the other joint",
                                    "%s cannot vary within a run: it is how the model is made",
                                    build->scenario->parameters[fixed[k]].path);
        int self = gmc_urdf_find_joint(&robot->urdf, robot->follows[i].joint);
        if (self < 0 || robot->urdf.joints[self].leader < 0) continue;
        robot->urdf.joints[self].ratio = ratio == 0 ? 1 : ratio; // reported
        robot->urdf.joints[self].offset = gmc_build_value(values, follows->offset, 0);
    }
}

int gmc_build_geared_to(const gmc_build_robot *robot, int joint)
{
    const gmc_follows *follows = &robot->spec->joints[joint].follows;
    for (int i = 0; follows->leader && i < robot->spec->joint_count; i++)
        if (strcmp(robot->spec->joints[i].joint, follows->leader) == 0) return i;
    return -1;
}

// Drives of several joints. Their joints keep limits, friction and starts of their own.

static bool leads_a_clutch(const gmc_robot_spec *spec, const char *joint)
{
    for (int i = 0; i < spec->joint_count; i++) {
        const gmc_follows *follows = &spec->joints[i].follows;
        if (follows->leader && follows->breakaway >= 0 && strcmp(follows->leader, joint) == 0)
            return true;
    }
    return false;
}

// Why a drive cannot move its k-th joint; NULL: it can.
static const char *why_not_moved(const gmc_build_robot *robot, const gmc_drive_spec *drive, int k)
{
    const gmc_urdf *urdf = &robot->urdf;
    const char *name = drive->joints[k];
    int joint = gmc_urdf_find_joint(urdf, name);
    int first = gmc_urdf_find_joint(urdf, drive->joints[0]);
    if (joint < 0) return "there is no such joint";
    if (!is_single(&urdf->joints[joint])) return "that does not move along or about one axis";
    if (urdf->joints[joint].leader >= 0 || follows_of(robot->spec, name))
        return "that follows another";
    if (leads_a_clutch(robot->spec, name)) return "a clutch is between it and its drive";
    if (&robot->spec->drives[drive_of(robot->spec, name)] != drive)
        return "another drive moves it, too";
    if (first >= 0 && is_single(&urdf->joints[first]) &&
        (urdf->joints[first].kind == GMC_URDF_PRISMATIC) !=
            (urdf->joints[joint].kind == GMC_URDF_PRISMATIC))
        return "one of its joints slides, another turns";
    return NULL;
}

// What a joint has of its own beside a drive of several joints would do nothing.
static void check_driven(const gmc_build *build, const gmc_robot_spec *spec,
                         const gmc_joint_setting *setting, const char *drive)
{
    const struct {
        gmc_param param;
        const char *key;
    } own[] = {{setting->stiffness, "kp"},        {setting->servo_damping, "kd"},
               {setting->max_force, "max_force"}, {setting->max_speed, "max_speed"},
               {setting->share, "share"},         {setting->open, "open"},
               {setting->closed, "closed"}};
    for (int i = 0; i < GMC_COUNT(own); i++)
        if (own[i].param >= 0)
            gmc_diagnostics_add(build->report, GMC_E_INPUT,
                                build->scenario->parameters[own[i].param].source,
                                "it has no drive of its own: set that of the drive",
                                "%s.%s.%s: drive %s moves the joint", spec->path, setting->joint,
                                own[i].key, drive);
    if (setting->closes != 0)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, setting->closes_at,
                            "it has no drive of its own: fingers names the drive",
                            "%s.%s.closes: drive %s moves the joint", spec->path, setting->joint,
                            drive);
}

static void check_drive(const gmc_build *build, const gmc_build_robot *robot,
                        const gmc_drive_spec *drive)
{
    const gmc_robot_spec *spec = robot->spec;
    char hint[256];
    gmc_build_joint_names(robot, hint, sizeof hint);
    if (gmc_urdf_find_joint(&robot->urdf, drive->name) >= 0)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, drive->source, "give the drive a new name",
                            "drive %s of %s has the name of a joint", drive->name, spec->title);
    if (drive->joint_count == 0)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, drive->source, hint,
                            "drive %s of %s moves no joint", drive->name, spec->title);
    for (int k = 0; k < drive->joint_count; k++) {
        const char *why = why_not_moved(robot, drive, k);
        if (why)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, drive->joint_source[k], hint,
                                "drive %s of %s cannot move joint %s: %s", drive->name, spec->title,
                                drive->joints[k], why);
        const gmc_joint_setting *given =
            find_setting(spec->joints, spec->joint_count, drive->joints[k]);
        if (given && !why) check_driven(build, spec, given, drive->name);
    }
}

// An actuator of a tendon in an MJCF is such a drive, where the scenario has none of its name or on
// one of its joints.
static bool is_said(const gmc_build_robot *robot, const gmc_urdf_tendon *tendon)
{
    const gmc_robot_spec *spec = robot->spec;
    bool is = false;
    for (int i = 0; i < spec->drive_count; i++)
        is = is || strcmp(spec->drives[i].name, tendon->name) == 0;
    for (int k = 0; k < tendon->term_count; k++)
        is = is || drive_of(spec, robot->urdf.joints[tendon->terms[k].joint].name) >= 0;
    return is;
}

static gmc_param add_number(const gmc_build *build, const gmc_urdf_tendon *tendon, const char *path,
                            gmc_dimension dimension, double value)
{
    return gmc_scenario_add_parameter(build->scenario, &(gmc_parameter){.path = path,
                                                                        .dimension = dimension,
                                                                        .nominal = value,
                                                                        .lower = -INFINITY,
                                                                        .upper = INFINITY,
                                                                        .source = tendon->source,
                                                                        .is_default = true});
}

static gmc_status add_drive(const gmc_build *build, const gmc_build_robot *robot,
                            const gmc_urdf_tendon *tendon, gmc_drive_spec *drive)
{
    gmc_arena *arena = build->scenario->arena;
    const gmc_urdf_joint *joints = robot->urdf.joints;
    bool slides = joints[tendon->terms[0].joint].kind == GMC_URDF_PRISMATIC;
    char path[256], first[160];
    snprintf(first, sizeof first, "%.60s.drives.%.80s", robot->spec->path, tendon->name);
    *drive = (gmc_drive_spec){.name = tendon->name,
                              .source = tendon->source,
                              .max_force = -1,
                              .open = -1,
                              .closed = -1,
                              .share = -1};
    drive->joints = GMC_NEW(arena, tendon->term_count, const char *);
    drive->joint_source = GMC_NEW(arena, tendon->term_count, gmc_source);
    drive->shares = GMC_NEW(arena, tendon->term_count, gmc_param);
    if (!drive->joints || !drive->joint_source || !drive->shares) return GMC_E_ARENA_FULL;
    for (int k = 0; k < tendon->term_count; k++) {
        const gmc_urdf_term *term = &tendon->terms[k];
        snprintf(path, sizeof path, "%s.joints.%.80s", first, joints[term->joint].name);
        drive->joints[k] = joints[term->joint].name;
        drive->joint_source[k] = tendon->source;
        drive->shares[k] = add_number(build, tendon, path, GMC_DIM_NONE, term->coefficient);
        drive->joint_count++;
    }
    snprintf(path, sizeof path, "%s.kp", first);
    drive->stiffness =
        add_number(build, tendon, path, slides ? GMC_DIM_STIFFNESS : GMC_DIM_ANGULAR_STIFFNESS,
                   isfinite(tendon->stiffness) ? tendon->stiffness : 0);
    snprintf(path, sizeof path, "%s.kd", first);
    drive->servo_damping =
        add_number(build, tendon, path, slides ? GMC_DIM_DAMPING : GMC_DIM_ANGULAR_DAMPING,
                   isfinite(tendon->servo_damping) ? tendon->servo_damping : 0);
    if (isinf(tendon->effort)) return GMC_OK;
    snprintf(path, sizeof path, "%s.max_force", first);
    drive->max_force =
        add_number(build, tendon, path, slides ? GMC_DIM_FORCE : GMC_DIM_TORQUE, tendon->effort);
    return GMC_OK;
}

static gmc_status take_tendons(const gmc_build *build, const gmc_build_robot *robot)
{
    gmc_robot_spec *spec = robot->spec;
    int most = spec->drive_count + robot->urdf.tendon_count, count = spec->drive_count;
    if (robot->urdf.tendon_count == 0) return GMC_OK;
    gmc_drive_spec *all = GMC_NEW(build->scenario->arena, most, gmc_drive_spec);
    if (!all) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        all[i] = spec->drives[i];
    for (int i = 0; i < robot->urdf.tendon_count; i++) {
        const gmc_urdf_tendon *tendon = &robot->urdf.tendons[i];
        if (tendon->is_driven && !is_said(robot, tendon))
            GMC_TRY(add_drive(build, robot, tendon, &all[count++]));
    }
    spec->drives = all;
    spec->drive_count = count;
    return GMC_OK;
}

// Their mistakes, and their units: those of their joints.
static void bind_drives(const gmc_build *build, const gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    for (int i = 0; i < spec->drive_count; i++) {
        const gmc_drive_spec *drive = &spec->drives[i];
        int first =
            drive->joint_count > 0 ? gmc_urdf_find_joint(&robot->urdf, drive->joints[0]) : -1;
        check_drive(build, robot, drive);
        if (first < 0) continue;
        bool slides = robot->urdf.joints[first].kind == GMC_URDF_PRISMATIC;
        const struct {
            gmc_param param;
            gmc_dimension slide, turn;
        } numbers[] = {{drive->stiffness, GMC_DIM_STIFFNESS, GMC_DIM_ANGULAR_STIFFNESS},
                       {drive->servo_damping, GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING},
                       {drive->max_force, GMC_DIM_FORCE, GMC_DIM_TORQUE},
                       {drive->open, GMC_DIM_LENGTH, GMC_DIM_ANGLE},
                       {drive->closed, GMC_DIM_LENGTH, GMC_DIM_ANGLE}};
        for (int k = 0; k < GMC_COUNT(numbers); k++)
            if (numbers[k].param >= 0)
                gmc_scenario_settle(build->scenario, numbers[k].param,
                                    slides ? numbers[k].slide : numbers[k].turn, build->report);
    }
}

// Shares, now that formulas have values.
static void check_shares(const gmc_build *build, const gmc_build_robot *robot, const double *values)
{
    for (int i = 0; i < robot->spec->drive_count; i++) {
        const gmc_drive_spec *drive = &robot->spec->drives[i];
        for (int k = 0; k < drive->joint_count; k++)
            if (values[drive->shares[k]] == 0)
                gmc_diagnostics_add(build->report, GMC_E_INPUT, drive->joint_source[k],
                                    "leave the joint out: it keeps a drive of its own",
                                    "drive %s of %s does not move joint %s: its number is 0",
                                    drive->name, robot->spec->title, drive->joints[k]);
    }
}

// Settings of joints that are not there, or that follow others.
static void check_settings(const gmc_build *build, const gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    const gmc_urdf *urdf = &robot->urdf;
    for (int i = 0; i < spec->joint_count; i++) {
        const char *name = spec->joints[i].joint;
        int k = gmc_urdf_find_joint(urdf, name);
        if (k >= 0 && is_single(&urdf->joints[k]) &&
            (urdf->joints[k].leader < 0 || spec->joints[i].follows.leader))
            continue;
        gmc_nearest nearest = gmc_nearest_start(name);
        for (int j = 0; j < urdf->joint_count; j++)
            if (is_single(&urdf->joints[j]) && urdf->joints[j].leader < 0)
                gmc_nearest_offer(&nearest, urdf->joints[j].name);
        char hint[256] = "";
        gmc_build_joint_names(robot, hint, sizeof hint);
        if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
        if (k < 0)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->joints[i].source, hint,
                                "%s has no joint %s", spec->title, name);
        else
            gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->joints[i].source, hint,
                                "joint %s cannot be set: %s", name, why_not_set(&urdf->joints[k]));
    }
}

/// One property of a joint: its key, its place in the setting, its dimension on sliding and turning
/// joints.
typedef struct joint_property {
    const char *key;
    size_t place;
    gmc_dimension slide, turn;
    double lower;
    bool is_of_drive; ///< what follows another has none of its own
} joint_property;

static const joint_property PROPERTIES[] = {
    {"start", offsetof(gmc_joint_setting, start), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY, true},
    {"lower", offsetof(gmc_joint_setting, lower), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY, false},
    {"upper", offsetof(gmc_joint_setting, upper), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY, false},
    {"max_force", offsetof(gmc_joint_setting, max_force), GMC_DIM_FORCE, GMC_DIM_TORQUE, 0, true},
    {"max_speed", offsetof(gmc_joint_setting, max_speed), GMC_DIM_SPEED, GMC_DIM_ANGULAR_SPEED, 0,
     true},
    {"kp", offsetof(gmc_joint_setting, stiffness), GMC_DIM_STIFFNESS, GMC_DIM_ANGULAR_STIFFNESS, 0,
     true},
    {"kd", offsetof(gmc_joint_setting, servo_damping), GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING, 0,
     true},
    {"damping", offsetof(gmc_joint_setting, damping), GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING, 0,
     false},
    {"friction", offsetof(gmc_joint_setting, friction), GMC_DIM_FORCE, GMC_DIM_TORQUE, 0, false},
    {"armature", offsetof(gmc_joint_setting, armature), GMC_DIM_MASS, GMC_DIM_INERTIA, 0, false},
    {"share", offsetof(gmc_joint_setting, share), GMC_DIM_NONE, GMC_DIM_NONE, 0, true},
    {"open", offsetof(gmc_joint_setting, open), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY, true},
    {"closed", offsetof(gmc_joint_setting, closed), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY, true},
    {"encoder_resolution", offsetof(gmc_joint_setting, encoder[0]), GMC_DIM_LENGTH, GMC_DIM_ANGLE,
     0, false},
    {"encoder_noise", offsetof(gmc_joint_setting, encoder[1]), GMC_DIM_LENGTH, GMC_DIM_ANGLE, 0,
     false},
    {"encoder_bias", offsetof(gmc_joint_setting, encoder[2]), GMC_DIM_LENGTH, GMC_DIM_ANGLE,
     -INFINITY, false},
};

// What a property is where the scenario does not say; not finite: it is not there.
static double default_of(const gmc_urdf_joint *joint, const gmc_joint_spec *spec, const char *key,
                         bool is_controlled)
{
    bool is_slide = spec->type == GMC_JOINT_PRISMATIC;
    if (strcmp(key, "kp") == 0 && isfinite(joint->stiffness)) return joint->stiffness;
    if (strcmp(key, "kd") == 0 && isfinite(joint->servo_damping)) return joint->servo_damping;
    if (strcmp(key, "start") == 0) return spec->q_start;
    if (strcmp(key, "lower") == 0) return spec->dof.lower;
    if (strcmp(key, "upper") == 0) return spec->dof.upper;
    if (strcmp(key, "max_force") == 0) return spec->dof.max_force;
    if (strcmp(key, "max_speed") == 0) return spec->dof.max_speed;
    if (strcmp(key, "kp") == 0) return is_slide ? SLIDE_KP : TURN_KP;
    if (strcmp(key, "kd") == 0) return is_slide ? SLIDE_KD : TURN_KD;
    if (strcmp(key, "damping") == 0) return spec->dof.damping;
    if (strcmp(key, "friction") == 0) return spec->dof.friction;
    if (strcmp(key, "share") == 0) return 1;
    if (strcmp(key, "open") == 0 || strcmp(key, "closed") == 0)
        return NAN; // the limits, as they are
    if (strncmp(key, "encoder_", 8) == 0) return is_controlled ? 0 : NAN;
    return spec->dof.armature;
}

// A joint that mimics this one bounds its speed, too.
static double speed_with_mimics(const gmc_urdf *urdf, int joint)
{
    double most = urdf->joints[joint].velocity;
    for (int i = 0; i < urdf->joint_count; i++)
        if (urdf->joints[i].leader == joint)
            most = fmin(most, urdf->joints[i].velocity / fabs(urdf->joints[i].ratio));
    return most;
}

/// Entry of a map, an empty one of `joints` if it is not there yet.
static gmc_node *sub_map(gmc_arena *arena, gmc_node *map, const char *key)
{
    gmc_node *found = gmc_node_find(map, key);
    if (found) return found;
    found = gmc_node_create(arena, GMC_NODE_MAP, map->source);
    if (!found) return NULL;
    found->row = gmc_schema_find(GMC_SCHEMA_HAND, "joints");
    gmc_node_append(map, key, map->source, found);
    return found;
}

/// Of gains that no URDF has the expanded scenario says what was taken: hand.joints.NAME.kp.
static gmc_status state_gain(const gmc_build *build, const gmc_robot_spec *spec, const char *joint,
                             const char *key, gmc_dimension dimension, double value)
{
    gmc_arena *arena = build->scenario->arena;
    gmc_node *joints = sub_map(arena, spec->node, "joints"), *node;
    if (joints && joints->kind != GMC_NODE_MAP) return GMC_OK; // a mistake that was told
    gmc_node *map = joints ? sub_map(arena, joints, joint) : NULL;
    if (map && map->kind != GMC_NODE_MAP) return GMC_OK;
    char text[GMC_UNITS_TEXT + 16], number[GMC_UNITS_TEXT];
    gmc_units_print(value, number);
    snprintf(text, sizeof text, "%s %s", number, gmc_units_name(dimension));
    node = map ? gmc_node_create(arena, GMC_NODE_SCALAR, map->source) : NULL;
    if (node) node->text = gmc_arena_text(arena, text);
    if (!node || !node->text) return GMC_E_ARENA_FULL;
    node->is_plain = node->is_default = node->is_number = true;
    node->number = value;
    node->dimension = (int)dimension;
    node->row = gmc_schema_find(GMC_SCHEMA_JOINT, key);
    gmc_node_append(map, key, map->source, node);
    return GMC_OK;
}

static gmc_status declare_joint(gmc_build *build, const gmc_build_robot *robot,
                                const gmc_urdf_joint *joint, const gmc_joint_spec *spec,
                                gmc_joint_setting *setting)
{
    for (int i = 0; i < GMC_COUNT(PROPERTIES); i++) {
        const joint_property *property = &PROPERTIES[i];
        gmc_param *param = (gmc_param *)(void *)((char *)setting + property->place);
        gmc_dimension dimension =
            joint->kind == GMC_URDF_PRISMATIC ? property->slide : property->turn;
        if (*param >= 0) {
            gmc_scenario_settle(build->scenario, *param, dimension, build->report);
            continue;
        }
        double value = default_of(joint, spec, property->key, build->scenario->control.is_given);
        if (!isfinite(value) || (setting->follows.leader && property->is_of_drive)) continue;
        bool is_start = property->place == offsetof(gmc_joint_setting, start);
        if (property->is_of_drive && !is_start && drive_of(robot->spec, joint->name) >= 0) continue;
        char path[256];
        snprintf(path, sizeof path, "%s.%s.%s", robot->spec->path, joint->name, property->key);
        *param =
            gmc_scenario_add_parameter(build->scenario, &(gmc_parameter){.path = path,
                                                                         .dimension = dimension,
                                                                         .nominal = value,
                                                                         .lower = property->lower,
                                                                         .upper = INFINITY,
                                                                         .source = joint->source,
                                                                         .is_default = true});
        if (*param < 0) return GMC_E_ARENA_FULL;
        if (property->place == offsetof(gmc_joint_setting, stiffness) ||
            property->place == offsetof(gmc_joint_setting, servo_damping))
            GMC_TRY(state_gain(build, robot->spec, joint->name, property->key, dimension, value));
    }
    return GMC_OK;
}

// Limits that the scenario crosses, against each other or one against the URDF's: told where it
// says so, and read on as the URDF has them. Those that the URDF crosses are its own.
static void check_limits(const gmc_build *build, const gmc_joint_spec *spec,
                         const gmc_joint_setting *setting)
{
    gmc_parameter *table = build->scenario->parameters;
    if (setting->lower < 0 || setting->upper < 0) return;
    gmc_parameter *lower = &table[setting->lower], *upper = &table[setting->upper];
    bool is_said = !lower->is_default || !upper->is_default;
    if (!is_said || lower->nominal <= upper->nominal) return;
    if (!lower->is_stand_in && !upper->is_stand_in) {
        const gmc_parameter *at = lower->is_default ? upper : lower;
        char text[2][GMC_UNITS_TEXT];
        gmc_units_print(lower->nominal, text[0]);
        gmc_units_print(upper->nominal, text[1]);
        const char *unit = gmc_units_name(lower->dimension);
        gmc_diagnostics_add(build->report, GMC_E_INPUT, at->source,
                            "the lower limit is the smaller one",
                            "the limits of joint %.80s are crossed: lower is %s %s, upper %s %s",
                            setting->joint, text[0], unit, text[1], unit);
    }
    lower->nominal = spec->dof.lower;
    upper->nominal = spec->dof.upper;
    lower->is_stand_in = upper->is_stand_in = true;
}

// The settings of all joints of a robot that move on their own; their properties are parameters.
static gmc_status declare_joints(gmc_build *build, const gmc_build_robot *robot)
{
    gmc_robot_spec *of = robot->spec;
    const gmc_urdf *urdf = &robot->urdf;
    gmc_joint_setting *all = GMC_NEW(build->scenario->arena, urdf->joint_count, gmc_joint_setting);
    if (!all) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < urdf->joint_count; i++) {
        const gmc_urdf_joint *joint = &urdf->joints[i];
        if (!is_single(joint) || joint->leader >= 0) continue;
        const gmc_joint_setting *given = find_setting(of->joints, of->joint_count, joint->name);
        gmc_joint_setting *setting = &all[count++];
        if (given)
            *setting = *given;
        else
            *setting = (gmc_joint_setting){.joint = joint->name,
                                           .source = joint->source,
                                           .start = -1,
                                           .lower = -1,
                                           .upper = -1,
                                           .damping = -1,
                                           .friction = -1,
                                           .armature = -1,
                                           .max_force = -1,
                                           .max_speed = -1,
                                           .stiffness = -1,
                                           .servo_damping = -1,
                                           .share = -1,
                                           .open = -1,
                                           .closed = -1,
                                           .follows = {NULL, {0}, -1, -1, -1, -1},
                                           .holds = -1,
                                           .encoder = {-1, -1, -1}};
        gmc_joint_spec spec = gmc_urdf_joint_spec(urdf, i);
        spec.dof.max_speed = speed_with_mimics(urdf, i);
        GMC_TRY(declare_joint(build, robot, joint, &spec, setting));
        check_limits(build, &spec, setting);
    }
    of->joints = all;
    of->joint_count = count;
    of->is_declared = true;
    return GMC_OK;
}

// Open a robot's URDF and make its joint properties parameters.
static gmc_status declare_robot(gmc_build *build, gmc_build_robot *robot)
{
    if (!robot->spec->urdf || !robot->spec->urdf_file) return GMC_OK;
    GMC_TRY(open_urdf(build, robot));
    bool is_hand = robot == &build->hand;
    if (is_hand && build->scenario->world != GMC_WORLD_SPATIAL) GMC_TRY(flatten_hand(build));
    check_settings(build, robot);
    check_followers(build, robot);
    GMC_TRY(bind_followers(build, robot));
    GMC_TRY(take_tendons(build, robot));
    bind_drives(build, robot);
    return declare_joints(build, robot);
}

// Robots first; mistakes of one do not keep those of the others from being told.
static gmc_status declare_robots(gmc_build *build)
{
    gmc_status first = GMC_OK;
    int count = build->scenario->robot_count;
    build->robots = GMC_NEW(&build->arena, count + 1, gmc_build_robot);
    if (!build->robots) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        build->robots[i] = (gmc_build_robot){.spec = &build->scenario->robots[i], .base_body = -1};
    if (count > GMC_ROBOTS_MAX)
        gmc_diagnostics_add(build->report, GMC_E_LIMIT, build->robots[GMC_ROBOTS_MAX].spec->source,
                            NULL, "more than %d robots", GMC_ROBOTS_MAX);
    for (int i = 0; i <= count; i++) {
        gmc_status status = declare_robot(build, gmc_build_robot_at(build, i));
        if (first == GMC_OK) first = status;
        if (status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING) return status;
    }
    for (int i = 0; i < count; i++)
        gmc_build_robot_at(build, i + 1)->first_drive =
            gmc_build_robot_at(build, i)->first_drive + build->robots[i].spec->drive_count;
    if (first != GMC_OK) return first;
    gmc_build_settle_phases(build);
    return gmc_diagnostics_status(build->report);
}

// Has every model that the scenario names been read?
static bool are_all_declared(const gmc_scenario *s)
{
    bool are = !s->hand.urdf || s->hand.is_declared;
    for (int i = 0; i < s->robot_count; i++)
        are = are && s->robots[i].is_declared;
    return are;
}

typedef struct placing_context {
    const gmc_robot_spec *spec;
    const double *values;
} placing_context;

static const char *surface_of(void *context, const gmc_urdf_link *link)
{
    const gmc_robot_spec *robot = ((placing_context *)context)->spec;
    const char *rest = robot->surface;
    for (int i = 0; i < robot->surface_count; i++) {
        if (strcmp(robot->surfaces[i].link, link->name) == 0) return robot->surfaces[i].surface;
        if (strcmp(robot->surfaces[i].link, "rest") == 0) rest = robot->surfaces[i].surface;
    }
    return rest ? rest : "";
}

static void set_joint(void *context, const gmc_urdf_joint *joint, gmc_joint_spec *spec)
{
    const placing_context *placing = context;
    const gmc_robot_spec *robot = placing->spec;
    const double *values = placing->values;
    const gmc_joint_setting *setting = find_setting(robot->joints, robot->joint_count, joint->name);
    if (!setting) return;
    spec->q_start = gmc_build_value(values, setting->start, spec->q_start);
    spec->dof.lower = gmc_build_value(values, setting->lower, spec->dof.lower);
    spec->dof.upper = gmc_build_value(values, setting->upper, spec->dof.upper);
    // one beyond is told where the scenario says it (build_program.c)
    if (spec->dof.lower <= spec->dof.upper)
        spec->q_start = fmin(fmax(spec->q_start, spec->dof.lower), spec->dof.upper);
    spec->dof.damping = gmc_build_value(values, setting->damping, spec->dof.damping);
    spec->dof.friction = gmc_build_value(values, setting->friction, spec->dof.friction);
    spec->dof.armature = gmc_build_value(values, setting->armature, spec->dof.armature);
    spec->dof.max_force = gmc_build_value(values, setting->max_force, spec->dof.max_force);
    spec->dof.max_speed = gmc_build_max_speed(values, setting);
}

// The robot that stands on the ground below another, an index into scenario.robots; the hand's own
// is robot_count.
static int root_of(const gmc_scenario *s, int robot)
{
    const gmc_robot_spec *spec = robot < s->robot_count ? &s->robots[robot] : &s->hand;
    while (spec->carrier >= 0) {
        robot = spec->carrier;
        spec = &s->robots[robot];
    }
    return robot;
}

static unsigned category_of(const gmc_scenario *s, int robot)
{
    return robot < s->robot_count ? (unsigned)GMC_CATEGORY_ROBOT << robot
                                  : (unsigned)GMC_CATEGORY_HAND;
}

// What a robot's shapes may touch: all but itself and those that carry it or that it carries.
static unsigned mask_of(const gmc_scenario *s, int robot)
{
    unsigned mask = GMC_CATEGORY_OBJECT | GMC_CATEGORY_SCENE;
    for (int i = 0; i <= s->robot_count; i++)
        if (root_of(s, i) != root_of(s, robot)) mask |= category_of(s, i);
    return mask;
}

// Are all links there that carry a robot, down to the ground?
static bool is_carried(const gmc_build *build, int robot)
{
    const gmc_scenario *s = build->scenario;
    const gmc_robot_spec *spec = robot < s->robot_count ? &s->robots[robot] : &s->hand;
    for (; spec->carrier >= 0; spec = &s->robots[spec->carrier])
        if (gmc_urdf_find_link(&build->robots[spec->carrier].urdf, spec->carrier_link) < 0)
            return false;
    return true;
}

// A robot's links and joints into a builder. Names of the hand's are those of the URDF, of others'
// "arm.link".
static gmc_status add_robot(gmc_build *build, int index, const double *values, gmc_builder *builder)
{
    const gmc_scenario *s = build->scenario;
    const gmc_build_robot *robot = gmc_build_robot_at(build, index);
    const gmc_robot_spec *spec = robot->spec;
    bool is_hand = robot == &build->hand, is_flat = s->world != GMC_WORLD_SPATIAL;
    bool is_fixed = !is_hand || spec->is_mounted;
    char prefix[128], parent[256];
    placing_context context = {spec, values};
    gmc_urdf_placing placing = {.base = {.name = spec->name,
                                         .type = is_fixed  ? GMC_JOINT_FIXED
                                                 : is_flat ? GMC_JOINT_PLANAR
                                                           : GMC_JOINT_FREE,
                                         .is_driven = !is_fixed,
                                         .X_pj = gmc_build_pose(values, &spec->pose),
                                         .dof = gmc_builder_default_dof()},
                                .category = category_of(s, index),
                                .mask = mask_of(s, index),
                                .context = &context,
                                .surface = surface_of,
                                .joint = set_joint};
    if (!spec->urdf) return GMC_OK;
    snprintf(prefix, sizeof prefix, "%.120s.", spec->name);
    if (!is_hand) placing.prefix = prefix;
    if (spec->carrier >= 0) {
        const gmc_build_robot *carrier = &build->robots[spec->carrier];
        if (!is_carried(build, index)) return GMC_OK; // reported
        snprintf(parent, sizeof parent, "%.100s.%.140s", carrier->spec->name, spec->carrier_link);
        placing.parent = parent;
        placing.base.is_mount = true;
    }
    return gmc_urdf_build(&robot->urdf, &placing, builder);
}

// A link that is not there: what was meant, or which there are.
static void report_link(const gmc_build *build, const gmc_build_robot *robot, gmc_source source,
                        const char *name)
{
    const gmc_urdf *urdf = &robot->urdf;
    char hint[240] = "links:";
    size_t used = strlen(hint);
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < urdf->link_count; i++) {
        const char *link = urdf->links[i].name;
        gmc_nearest_offer(&nearest, link);
        if (used > sizeof hint - 8) continue;
        bool fits = used + strlen(link) + 8 < sizeof hint;
        used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i ? "," : "",
                                 fits ? link : "...");
        if (!fits) used = sizeof hint;
    }
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %.160s?", nearest.best);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint, "%s has no link %s",
                        robot->spec->title, name);
}

// Say which links that the scenario names a declared robot has not.
static void check_links(const gmc_build *build, const gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    for (int i = 0; i < spec->surface_count; i++)
        if (strcmp(spec->surfaces[i].link, "rest") != 0 &&
            gmc_urdf_find_link(&robot->urdf, spec->surfaces[i].link) < 0)
            report_link(build, robot, spec->surfaces[i].source, spec->surfaces[i].link);
    if (spec->frame && gmc_urdf_find_link(&robot->urdf, spec->frame) < 0)
        report_link(build, robot, spec->frame_source, spec->frame);
    const gmc_build_robot *carrier = spec->carrier < 0 ? NULL : &build->robots[spec->carrier];
    if (carrier && gmc_urdf_find_link(&carrier->urdf, spec->carrier_link) < 0)
        report_link(build, carrier, spec->mounted_at, spec->carrier_link);
}

// Name of a robot's link or joint in the model.
static const char *name_in_model(const gmc_build *build, const gmc_build_robot *robot,
                                 const char *name, char text[256])
{
    if (robot == &build->hand) return name;
    snprintf(text, 256, "%.100s.%.140s", robot->spec->name, name);
    return text;
}

// Base, joints and bodies of a robot in the compiled models.
static gmc_status bind_robot(gmc_build *build, gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    const gmc_model *model = &build->models[0];
    char name[256];
    int root =
        gmc_model_find_frame(model, name_in_model(build, robot, robot->urdf.links[0].name, name));
    if (root < 0) return GMC_OK; // what carries it is not there: reported
    robot->base_body = model->frames[root].body;
    robot->has = GMC_NEW(&build->arena, model->body_count, bool);
    robot->joint_dof = GMC_NEW(&build->arena, spec->joint_count, int);
    robot->joint_body = GMC_NEW(&build->arena, spec->joint_count, int);
    if (!robot->has || !robot->joint_dof || !robot->joint_body) return GMC_E_ARENA_FULL;
    // what carries it is one body with its root link
    for (int i = 0; i < robot->urdf.link_count; i++) {
        int link = gmc_model_find_frame(
            model, name_in_model(build, robot, robot->urdf.links[i].name, name));
        if (link >= 0) robot->has[model->frames[link].body] = true;
    }
    for (int i = 0; i < spec->joint_count; i++) {
        robot->joint_dof[i] =
            gmc_model_find_dof(model, name_in_model(build, robot, spec->joints[i].joint, name));
        for (int b = 1; b < model->body_count; b++)
            if (model->bodies[b].v == robot->joint_dof[i] && !model->bodies[b].is_mimic &&
                gmc_joint_v_count(model->bodies[b].joint) == 1)
                robot->joint_body[i] = b;
    }
    return GMC_OK;
}

// A pose in what carries a robot is compiled in: what hangs on a link is one body with it.
static void check_mount_kept(const gmc_build *build, const gmc_robot_spec *spec)
{
    const gmc_pose_spec *pose = &spec->pose;
    const gmc_param numbers[] = {pose->x, pose->y, pose->z, pose->roll, pose->pitch, pose->yaw};
    for (int i = 0; spec->carrier >= 0 && i < GMC_COUNT(numbers); i++)
        if (numbers[i] >= 0 && gmc_build_may_change(build->scenario, numbers[i]))
            gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->mounted_at,
                                "let a joint's start vary instead",
                                "%s cannot vary within a run: %s is welded on",
                                build->scenario->parameters[numbers[i]].path, spec->title);
}

// The hand and robots in the compiled models, and the tool frame.
static gmc_status bind_robots(gmc_build *build)
{
    const gmc_robot_spec *hand = build->hand.spec;
    for (int i = 0; i <= build->scenario->robot_count; i++) {
        gmc_build_robot *robot = gmc_build_robot_at(build, i);
        if (!robot->spec->urdf) continue;
        check_links(build, robot);
        check_mount_kept(build, robot->spec);
        GMC_TRY(bind_robot(build, robot));
    }
    // what a robot carries is one body with its flange, whose frame is not that of its root link
    const char *tool = hand->frame;
    if (!tool && hand->mounted_on && build->hand.urdf.link_count > 0)
        tool = build->hand.urdf.links[0].name;
    if (hand->urdf && tool) build->tool_frame = gmc_model_find_frame(&build->models[0], tool);
    return GMC_OK;
}

// ---- the stepper, and what it can ---------------------------------------------------------------
// Which stepper and solver take the steps, and whether the scenario asks for what they do not know.

static const gmc_node *setting(const gmc_scenario *scenario, const char *key)
{
    return gmc_node_find(gmc_node_find(scenario->tree, "simulation"), key);
}

static void complain(const gmc_build *build, const char *key, const char *hint, const char *what)
{
    const gmc_node *node = setting(build->scenario, key);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, node ? node->source : (gmc_source){0}, hint,
                        "simulation.%s: %s", key, what);
}

/// A solver of another law is refused.
static void choose_solver(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    if (!scenario->solver) return; // reported by the validation
    if (gmc_stepper_fits(build->stepper, scenario->solver)) {
        build->solver = gmc_stepper_solver(build->stepper, scenario->solver);
        return;
    }
    char list[160], what[160];
    size_t used = (size_t)snprintf(list, sizeof list, "these do: ");
    for (const char *const *name = build->stepper->solvers; *name; name++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 name == build->stepper->solvers ? "" : ", ", *name);
    snprintf(what, sizeof what, "%.40s does not fit the law of %.40s", scenario->solver,
             scenario->stepper);
    complain(build, "solver", list, what);
}

static const gmc_setting *law_setting(const char *key)
{
    int index = -1;
    const gmc_stepper *const *stepper = gmc_steppers;
    while ((index = gmc_stepper_setting(*stepper, key)) < 0)
        stepper++;
    return &(*stepper)->settings[index];
}

// "steppers that do: a, b": those that know a motion.
static void build_list_knowing(gmc_motion motion, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "steppers that do: ");
    for (int i = 0, count = 0; gmc_steppers[i]; i++)
        if (gmc_steppers[i]->knows[motion])
            used += (size_t)snprintf(text + used, size - used, "%s%s", count++ > 0 ? ", " : "",
                                     gmc_steppers[i]->name);
}

/// Motion models that the stepper's law makes no sense with.
static void check_motion_known(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_motion motion = gmc_motion_find(scenario->motion);
    char what[160], list[160];
    if (motion == GMC_MOTION_COUNT || build->stepper->knows[motion]) return;
    build_list_knowing(motion, list, sizeof list);
    snprintf(what, sizeof what,
             "%.40s does not know %s: what its contacts' springs take up, momentum gives back",
             scenario->stepper, scenario->motion);
    complain(build, "motion", list, what);
}

/// The stepper by the scenario's `formulation`.
static const gmc_stepper *formulated(const gmc_build *build)
{
    gmc_step_options options = gmc_step_options_defaults();
    for (int i = 0; i < build->scenario->setting_count; i++) {
        int index = gmc_stepper_setting(build->stepper, build->scenario->settings[i].key);
        if (index >= 0) options.own[index] = build->scenario->settings[i].value;
    }
    return gmc_stepper_formulated(build->stepper, &options);
}

static bool is_of_maximal(const gmc_stepper *stepper, const char *key)
{
    int first = stepper->setting_count - stepper->maximal_setting_count;
    return gmc_stepper_setting(stepper, key) >= first;
}

/// A setting that means nothing to the stepper, or nothing at all.
static void check_setting(const gmc_build *build, const gmc_law_setting *given)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_setting *setting = law_setting(given->key);
    char what[160];
    snprintf(what, sizeof what, "it belongs to %s; %.40s has none", setting->owner,
             scenario->stepper);
    if (gmc_stepper_setting(build->stepper, given->key) < 0)
        complain(build, given->key, "leave it out", what);
    else if (formulated(build) == build->stepper && is_of_maximal(build->stepper, given->key))
        complain(build, given->key, "leave it out, or take formulation: maximal",
                 "with this stepper it is for formulation: maximal alone");
    if (setting->even && fmod(given->value, 2) != 0)
        complain(build, given->key, setting->even, "the number must be even");
}

/// A motion that the law knows, but not where its links are free bodies.
static void check_formulation(const gmc_build *build)
{
    gmc_motion motion = gmc_motion_find(build->scenario->motion);
    if (motion == GMC_MOTION_COUNT || !build->stepper->knows[motion]) return; // reported
    if (formulated(build)->knows[motion]) return;
    complain(build, "formulation",
             "leave `motion` out, which is dynamic then, or take formulation: generalised",
             "maximal is for motion: dynamic alone");
}

/// Links that cannot be free bodies.
static void check_links_free(const gmc_build *build)
{
    const gmc_stepper *stepper = formulated(build);
    for (int i = 0; stepper->refuses && i < build->scenario->object_count; i++) {
        int body;
        char what[200];
        const gmc_model *model = &build->models[i];
        const char *why = stepper->refuses(model, &body);
        if (!why) continue;
        snprintf(what, sizeof what, "maximal cannot take %.80s: %.80s", model->bodies[body].name,
                 why);
        complain(build, "formulation", "take formulation: generalised", what);
        return;
    }
}

/// Bounce, where there is no momentum that could be given back.
static void check_bounce(const gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    bool bounces = build->stepper->can & GMC_CAN_BOUNCE;
    if (!bounces || gmc_motion_find(scenario->motion) == GMC_MOTION_DYNAMIC) return;
    for (int i = 0; i < scenario->friction_count; i++)
        if (scenario->frictions[i].restitution >= 0)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, scenario->frictions[i].source,
                                "leave the restitution out",
                                "nothing bounces where simulation.motion is %.40s",
                                scenario->motion);
}

/// What a pair or surface may ask of a law.
typedef struct ability {
    gmc_can can;
    const char *name;
} ability;

/// The first of what a pair has that the stepper's law does not know; NULL: nothing.
static const ability *lacking_of(const gmc_stepper *stepper, const gmc_friction_spec *spec)
{
    static const ability ABILITIES[] = {{GMC_CAN_BOUNCE, "restitution"},
                                        {GMC_CAN_TORSION, "torsional friction"},
                                        {GMC_CAN_ROLLING, "rolling friction"},
                                        {GMC_CAN_KINETIC, "kinetic friction"},
                                        {GMC_CAN_GRAIN, "friction across a grain"}};
    const gmc_param asked[] = {spec->restitution, spec->torsion, spec->rolling, spec->kinetic,
                               spec->across};
    for (int i = 0; i < GMC_COUNT(ABILITIES); i++)
        if (asked[i] >= 0 && !(stepper->can & ABILITIES[i].can)) return &ABILITIES[i];
    return NULL;
}

/// "the stepper a does", "the steppers a, b do", of all that can.
typedef struct advice {
    char text[128];
} advice;

static advice who_can(gmc_can can)
{
    advice who = {""};
    char names[96] = "";
    int count = 0, used = 0;
    for (int i = 0; gmc_steppers[i]; i++) {
        if (!(gmc_steppers[i]->can & can)) continue;
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%.24s", used ? ", " : "",
                         gmc_steppers[i]->name);
        if (used >= (int)sizeof names) break;
        count++;
    }
    if (count > 0)
        snprintf(who.text, sizeof who.text, "the stepper%s %s %s", count > 1 ? "s" : "", names,
                 count > 1 ? "do" : "does");
    return who;
}

static void check_pairs(const gmc_build *build, const gmc_stepper *stepper)
{
    for (int i = 0; i < build->scenario->friction_count; i++) {
        const gmc_friction_spec *spec = &build->scenario->frictions[i];
        const ability *lacking = lacking_of(stepper, spec);
        advice hint = who_can(lacking ? lacking->can : GMC_CAN_DAMPING_RATIO);
        bool has_ratio = stepper->can & GMC_CAN_DAMPING_RATIO;
        if (lacking)
            gmc_diagnostics_add(
                build->report, GMC_E_INPUT, spec->source,
                has_ratio && lacking->can == GMC_CAN_BOUNCE
                    ? "damping_ratio: zeta gives exp(-pi zeta/sqrt(1 - zeta^2)) back"
                    : hint.text,
                "%.40s does not know %s", stepper->name, lacking->name);
        if (spec->damping_ratio >= 0 && !gmc_build_can(build, GMC_CAN_DAMPING_RATIO))
            gmc_diagnostics_add(build->report, GMC_OK, spec->source,
                                who_can(GMC_CAN_DAMPING_RATIO).text,
                                "%.40s takes no notice of damping_ratio", stepper->name);
    }
}

static void check_surface_laws(const gmc_build *build, const gmc_stepper *stepper)
{
    const gmc_scenario *scenario = build->scenario;
    if (stepper->can & GMC_CAN_PADS) return;
    for (int i = 0; i < scenario->surface_count; i++) {
        const gmc_surface_spec *spec = &scenario->surfaces[i];
        const gmc_node *node = gmc_node_find(gmc_node_find(scenario->tree, "surfaces"), spec->name);
        if (spec->pad_modulus >= 0)
            gmc_diagnostics_add(build->report, GMC_E_INPUT, node ? node->source : (gmc_source){0},
                                who_can(GMC_CAN_PADS).text, "%.40s does not know pads",
                                stepper->name);
    }
}

// Report what surfaces have and a stepper does not know.
static void build_check_laws(const gmc_build *build, const gmc_stepper *stepper)
{
    check_pairs(build, stepper);
    check_surface_laws(build, stepper);
}

bool gmc_build_can(const gmc_build *build, gmc_can can)
{
    unsigned all = build->stepper->can;
    for (int i = 0; i < build->scenario->level_count; i++) {
        const char *name = build->scenario->levels[i].stepper;
        const gmc_stepper *stepper = name ? gmc_stepper_find(name) : NULL;
        all |= stepper ? stepper->can : 0;
    }
    return all & can;
}

// ---- levels of the ladder -----------------------------------------------------------------------
// Levels of a ladder: the same scenario, the same chance, another stepper. Nothing else of what was
// compiled depends on the stepper, so a level is no more than options of a rollout.

static const gmc_stepper *stepper_of(const gmc_build *build, const gmc_level_spec *level)
{
    return level->stepper ? gmc_stepper_find(level->stepper) : build->stepper;
}

static gmc_motion motion_of(const gmc_build *build, const gmc_level_spec *level)
{
    bool is_own = stepper_of(build, level) == build->stepper;
    const char *motion = level->motion || !is_own ? level->motion : build->scenario->motion;
    return gmc_motion_find(motion);
}

void gmc_build_level(const gmc_build *build, int index, gmc_rollout_options *options)
{
    const gmc_level_spec *level = &build->scenario->levels[index];
    const gmc_stepper *stepper = stepper_of(build, level);
    if (stepper != build->stepper) {
        gmc_step_options fresh = gmc_step_options_defaults();
        for (int i = 0; i < stepper->setting_count; i++) { // what both have goes on to hold
            int own = gmc_stepper_setting(build->stepper, stepper->settings[i].key);
            if (own >= 0) fresh.own[i] = options->step_options.own[own];
        }
        options->step_options = fresh;
        options->stepper = gmc_stepper_formulated(stepper, &fresh);
    }
    options->step_options.motion = motion_of(build, level);
    if (level->step > 0) options->step = level->step;
}

gmc_build_way gmc_build_level_way(const gmc_build *build, int index)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_level_spec *level = &scenario->levels[index];
    if (level->is_geometric) return (gmc_build_way){"none", "none", 0};
    return (gmc_build_way){.stepper = stepper_of(build, level)->name,
                           .motion = gmc_motion_name(motion_of(build, level)),
                           .step = level->step > 0 ? level->step
                                                   : scenario->parameters[scenario->step].nominal};
}

/// Where a level is written.
typedef struct level_place {
    char text[48];
} level_place;

static level_place place_of(const gmc_scenario *s, int index)
{
    level_place p = {"sampling.two_level"};
    if (s->pilot == 0)
        snprintf(p.text, sizeof p.text, "study.ladder.%d", index);
    else if (index + 2 < s->level_count)
        snprintf(p.text, sizeof p.text, "sampling.two_level.coarser.%d", index);
    return p;
}

static void check_level_motion(const gmc_build *build, int index, const gmc_stepper *stepper)
{
    const gmc_level_spec *level = &build->scenario->levels[index];
    const gmc_scenario *scenario = build->scenario;
    gmc_motion motion = motion_of(build, level);
    bool has_lost_bounce = motion != GMC_MOTION_DYNAMIC && (stepper->can & GMC_CAN_BOUNCE);
    for (int i = 0; i < scenario->friction_count && has_lost_bounce; i++)
        if (scenario->frictions[i].restitution >= 0) {
            gmc_diagnostics_add(build->report, GMC_E_INPUT, level->source,
                                "take a rigid stepper, which leaves the restitution out",
                                "%s: nothing bounces where motion is %s",
                                place_of(scenario, index).text, gmc_motion_name(motion));
            break;
        }
    if (motion == GMC_MOTION_COUNT || stepper->knows[motion]) return;
    char list[160];
    build_list_knowing(motion, list, sizeof list);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, level->source, list,
                        "%s: %.40s does not know %s", place_of(scenario, index).text, stepper->name,
                        gmc_motion_name(motion));
}

// Report levels of the study's ladder that cannot be.
static void build_check_levels(const gmc_build *build)
{
    int count = build->scenario->level_count;
    for (int i = 0; i < count; i++) {
        const gmc_level_spec *level = &build->scenario->levels[i];
        const gmc_stepper *stepper = stepper_of(build, level);
        if (level->is_geometric) continue;
        if (!stepper) {
            gmc_diagnostics_add(build->report, GMC_E_INPUT, level->source,
                                "name another level, or a map with one of the steppers there are",
                                "%s: there is no stepper %.40s", place_of(build->scenario, i).text,
                                level->stepper);
            continue;
        }
        check_level_motion(build, i, stepper);
        // cheap levels leave out what they do not know; the one that decides must know it all
        if (i == count - 1 && stepper != build->stepper) build_check_laws(build, stepper);
    }
}

// The body that study.plan names.
static void build_check_route(gmc_build *build)
{
    const gmc_route_spec *spec = &build->scenario->route;
    const gmc_model *model = &build->models[0];
    if (!spec->is_given) return;
    build->route_body = strcmp(spec->body, "object") == 0 ? build->object_body
                                                          : gmc_model_find_body(model, spec->body);
    const gmc_body *body = build->route_body > 0 ? &model->bodies[build->route_body] : NULL;
    bool is_loose = body && !body->is_driven && body->parent == 0 &&
                    (body->joint == GMC_JOINT_FREE || body->joint == GMC_JOINT_PLANAR);
    if (is_loose) return;
    gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                        "the object, or a body of the scene with free: true",
                        body ? "study.plan.body: %s does not move freely"
                             : "study.plan.body: there is no body %s",
                        spec->body);
}

bool gmc_build_route(const gmc_build *build, const double *values, gmc_rollout_route *route)
{
    const gmc_route_spec *spec = &build->scenario->route;
    if (!spec->is_given) return false;
    *route = (gmc_rollout_route){.body = build->route_body,
                                 .goal = gmc_build_pose(values, &spec->goal),
                                 .node_max = spec->node_max,
                                 .rejects = spec->rejects};
    return true;
}

// Choose stepper and solver, and check what is said of them. Mistakes go to the report.
static void choose_stepper(gmc_build *build)
{
    build->stepper = gmc_stepper_find(build->scenario->stepper);
    if (!build->stepper) return; // reported by the validation
    choose_solver(build);
    check_motion_known(build);
    for (int i = 0; i < build->scenario->setting_count; i++)
        check_setting(build, &build->scenario->settings[i]);
    check_formulation(build);
    check_bounce(build);
    build_check_laws(build, build->stepper);
    build_check_levels(build);
}

// ---- all of it ----------------------------------------------------------------------------------

// The unit solid that a mesh object or a plane is built with; its numbers follow.
static const gmc_inertia PLAIN_INERTIA = {.mass = 1, .I = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

// Nominal values of all parameters, in the build's arena.
static double *nominal_values(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    double *values = GMC_NEW(&build->arena, scenario->parameter_count, double);
    for (int i = 0; values && i < scenario->parameter_count; i++)
        values[i] = scenario->parameters[i].nominal;
    return values;
}

// In a scenario with mistakes a ball is touched instead of a mesh that cannot be read.
static gmc_status stand_in_ball(gmc_build *build, gmc_build_item *item, gmc_shape **shapes)
{
    const double RADIUS = 0.05; // any will do [m]
    *shapes = GMC_NEW(&build->arena, 1 + item->spec->part_count, gmc_shape);
    if (!*shapes) return GMC_E_ARENA_FULL;
    **shapes = (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = RADIUS, .scale = 1};
    item->own_count = 1;
    item->unit = PLAIN_INERTIA;
    return GMC_OK;
}

// Shapes of an item: one, or the convex pieces of its mesh; then its parts.
static gmc_status item_shapes(gmc_build *build, gmc_build_item *item, const double *values,
                              gmc_shape **shapes)
{
    const gmc_item_spec *spec = item->spec;
    if (item->is_planar) return gmc_build_planar_shapes(build, item, values, shapes);
    item->own_count = 1;
    gmc_status meshed = GMC_E_MISSING;
    if (spec->kind == GMC_KIND_MESH && spec->mesh_file)
        meshed = mesh_shapes(build, item, values, shapes);
    if (spec->kind == GMC_KIND_MESH && meshed != GMC_OK) {
        bool is_mistake = meshed == GMC_E_INPUT || meshed == GMC_E_MISSING;
        if (!build->is_sketch || !is_mistake) return meshed;
        GMC_TRY(stand_in_ball(build, item, shapes));
    } else if (spec->kind != GMC_KIND_MESH) {
        *shapes = GMC_NEW(&build->arena, 1 + spec->part_count, gmc_shape);
        if (!*shapes) return GMC_E_ARENA_FULL;
        **shapes = gmc_build_solid(spec, values);
    }
    for (int i = 0; i < spec->part_count; i++)
        (*shapes)[item->own_count + i] = gmc_build_solid(&spec->parts[i], values);
    item->geom_count = item->own_count + spec->part_count;
    return GMC_OK;
}

// Is a shape of an item, counted from its first, one that its polygon as compiled has no piece
// for?
static bool build_is_spare(const gmc_build_item *item, int geom)
{
    int first = 0;
    for (int part = 0; item->is_shaped && part <= item->spec->part_count; part++) {
        int count = part == 0 ? item->own_count : item->part_geoms[part - 1];
        if (geom < first + count)
            return item->is_shaped[part] && geom - first >= item->pieces[part].count;
        first += count;
    }
    return false;
}

// The part that a shape of an item belongs to, counted from its first; -1: its own.
static int build_part_of(const gmc_build_item *item, int geom)
{
    int part = geom - item->own_count, past = 0;
    if (part < 0 || !item->part_geoms) return part < 0 ? -1 : part;
    for (int i = 0; i < item->spec->part_count; i++) {
        past += item->part_geoms[i];
        if (part < past) return i;
    }
    return -1;
}

// Where a shape of an item is in its body.
static gmc_pose pose_in_body(const gmc_build_item *item, int geom, const double *values)
{
    int part = build_part_of(item, geom);
    return part < 0 ? gmc_pose_identity() : gmc_build_pose(values, &item->spec->parts[part].pose);
}

// A given inertia or centre of mass that its shapes would not have may be meant (a hollow body),
// but not without a word. Whatever share of the mass its parts have, it may be theirs.
static gmc_status compare_inertia(gmc_build *build, const gmc_build_item *item,
                                  const gmc_shape *shapes, const gmc_inertia *given,
                                  const double *values)
{
    size_t mark = gmc_arena_mark(&build->arena);
    int count = 1 + item->geom_count - item->own_count;
    gmc_inertia *solids = GMC_NEW(&build->arena, count, gmc_inertia);
    if (!solids) return GMC_E_ARENA_FULL;
    solids[0] = gmc_build_unit_inertia(item, NULL, values);
    for (int i = item->own_count; i < item->geom_count; i++) {
        gmc_pose X_bg = pose_in_body(item, i, values);
        gmc_inertia part = gmc_inertia_of_shape(&shapes[i], 1);
        solids[1 + i - item->own_count] = gmc_inertia_move(&X_bg, &part);
    }
    char message[400];
    if (gmc_inertia_contradicts_all(given, solids, count, message, sizeof message))
        gmc_diagnostics_add(build->report, GMC_OK, item->spec->source, NULL, "%s: %s",
                            item->spec->path, message);
    gmc_arena_reset(&build->arena, mark);
    return GMC_OK;
}

static gmc_status add_item(gmc_build *build, gmc_build_item *item, bool is_object,
                           const double *values, gmc_builder *builder)
{
    const gmc_item_spec *spec = item->spec;
    gmc_shape *shapes = NULL;
    GMC_TRY(item_shapes(build, item, values, &shapes));
    item->is_free = is_object || !spec->is_fixed;
    if (item->is_free && spec->kind == GMC_KIND_PLANE) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                            "use a box, or leave the plane fixed", "%s: a plane cannot move freely",
                            spec->path);
        return GMC_E_INPUT;
    }
    bool is_driven = gmc_build_is_driven(item);
    gmc_joint_type moving = item->is_planar ? GMC_JOINT_PLANAR : GMC_JOINT_FREE;
    gmc_joint_spec joint = {.type = item->is_free || is_driven ? moving : GMC_JOINT_FIXED,
                            .is_driven = is_driven,
                            .X_pj = gmc_pose_identity(),
                            .dof = gmc_builder_default_dof()};
    gmc_inertia inertia = item->is_free ? gmc_build_inertia(item, NULL, values) : PLAIN_INERTIA;
    if (item->is_free && (spec->com[0] >= 0 || spec->inertia[0] >= 0))
        GMC_TRY(compare_inertia(build, item, shapes, &inertia, values));
    gmc_builder_link(builder, spec->source, spec->name, NULL, &joint, &inertia);
    for (int i = 0; i < item->geom_count; i++) {
        char name[256];
        gmc_pose X_bg = pose_in_body(item, i, values);
        snprintf(name, sizeof name, item->geom_count > 1 ? "%s#%d" : "%s", spec->name, i);
        bool is_spare = build_is_spare(item, i);
        unsigned category = is_object ? GMC_CATEGORY_OBJECT : GMC_CATEGORY_SCENE;
        unsigned robots = (1u << build->scenario->robot_count) - 1;
        gmc_builder_geom(
            builder, &(gmc_geom_spec){.source = spec->source,
                                      .link = spec->name,
                                      .name = name,
                                      .X_lg = X_bg,
                                      .shape = shapes[i],
                                      .surface = spec->surface,
                                      .category = is_spare ? 0 : category,
                                      .mask = is_spare ? 0
                                                       : GMC_CATEGORY_HAND | GMC_CATEGORY_OBJECT |
                                                             GMC_CATEGORY_SCENE |
                                                             robots * GMC_CATEGORY_ROBOT});
    }
    return gmc_build_support(build, item, values, builder);
}

static void find_item(const gmc_model *model, gmc_build_item *item)
{
    item->body = gmc_model_find_body(model, item->spec->name);
    size_t length = strlen(item->spec->name);
    for (int g = 0; g < model->geom_count; g++)
        if (strncmp(model->geoms[g].name, item->spec->name, length) == 0 &&
            (model->geoms[g].name[length] == 0 || model->geoms[g].name[length] == '#')) {
            item->geom = g;
            return;
        }
}

/// The i-th name of a surface that something has, NULL for one that says none; false: no more. What
/// objects have counts in the models of the others, too: so all models number surfaces alike.
static bool worn_surface(const gmc_scenario *s, int i, const char **name)
{
    if (i == 0) return *name = s->hand.surface, true;
    i -= 1;
    if (i < s->hand.surface_count) return *name = s->hand.surfaces[i].surface, true;
    i -= s->hand.surface_count;
    if (i < s->scene_count) return *name = s->scene[i].surface, true;
    i -= s->scene_count;
    if (i < s->object_count) return *name = s->objects[i].surface, true;
    i -= s->object_count;
    if (i < s->clutter.kind_count) return *name = s->clutter.kinds[i].surface, true;
    i -= s->clutter.kind_count;
    for (int k = 0; k < s->robot_count; k++) {
        const gmc_robot_spec *robot = &s->robots[k];
        if (i <= robot->surface_count)
            return *name = i > 0 ? robot->surfaces[i - 1].surface : robot->surface, true;
        i -= robot->surface_count + 1;
    }
    return false;
}

static bool is_worn(const gmc_scenario *s, const char *surface)
{
    const char *name = NULL;
    for (int i = 0; worn_surface(s, i, &name); i++)
        if (name && strcmp(name, surface) == 0) return true;
    return false;
}

// A pair that stands further up the other way round: a mistake that was told.
static bool is_again(const gmc_scenario *s, int pair)
{
    const gmc_friction_spec *a = &s->frictions[pair];
    for (int i = 0; i < pair; i++)
        if (strcmp(s->frictions[i].a, a->b) == 0 && strcmp(s->frictions[i].b, a->a) == 0)
            return strcmp(a->a, a->b) != 0;
    return false;
}

// Surfaces first, then the pairs of which something has both: a table may name thousands of others.
static void add_surfaces(const gmc_build *build, const double *values, gmc_builder *builder)
{
    const gmc_scenario *scenario = build->scenario;
    const char *name = NULL;
    for (int i = 0; worn_surface(scenario, i, &name); i++)
        if (name) gmc_builder_surface(builder, name);
    for (int i = 0; i < scenario->friction_count; i++) {
        const gmc_friction_spec *pair = &scenario->frictions[i];
        if (!is_worn(scenario, pair->a) || !is_worn(scenario, pair->b)) continue;
        if (build->is_sketch && is_again(scenario, i)) continue;
        gmc_surface_law law = {.is_given = true,
                               .friction = gmc_build_value(values, pair->friction, 0),
                               .stiffness = 1,
                               .tangential_ratio = 1};
        gmc_builder_law(builder, pair->source, pair->a, pair->b, law);
    }
}

static gmc_status compile_object(gmc_build *build, int object, const double *values)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_builder *builder = gmc_builder_create(build->report);
    if (!builder) return GMC_E_MEMORY;
    gmc_builder_gravity(builder, (gmc_vec3){gmc_build_value(values, scenario->gravity[0], 0),
                                            gmc_build_value(values, scenario->gravity[1], 0),
                                            gmc_build_value(values, scenario->gravity[2], 0)});
    add_surfaces(build, values, builder);
    gmc_status status = GMC_OK;
    for (int i = 0; i <= scenario->robot_count && status == GMC_OK; i++)
        status = add_robot(build, i, values, builder);
    for (int i = 0; i < scenario->scene_count && status == GMC_OK; i++)
        status = add_item(build, &build->scene[i], false, values, builder);
    if (status == GMC_OK) status = add_item(build, &build->objects[object], true, values, builder);
    for (int i = 0; i < scenario->clutter.bodies && status == GMC_OK; i++)
        status = add_item(build, &build->clutter[i], false, values, builder);
    if (status == GMC_OK)
        status = gmc_builder_finish(builder, &build->arena, &build->models[object]);
    gmc_builder_free(builder);
    return status;
}

static int find_surface(const gmc_model *model, const char *name)
{
    for (int i = 0; i < model->surface_count; i++)
        if (strcmp(model->surfaces[i], name) == 0) return i;
    return -1;
}

// Indices that the trials need, from the first model; the others have the same.
static gmc_status bind_indices(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    const gmc_model *model = &build->models[0];
    for (int i = 0; i < scenario->scene_count; i++)
        find_item(model, &build->scene[i]);
    for (int i = 0; i < scenario->object_count; i++)
        find_item(&build->models[i], &build->objects[i]);
    for (int i = 0; i < scenario->clutter.bodies; i++)
        find_item(model, &build->clutter[i]);
    build->object_body = build->objects[0].body;

    build->friction_pair = gmc_arena_take(&build->arena, (size_t)scenario->friction_count,
                                          sizeof *build->friction_pair);
    build->surface_setting = GMC_NEW(&build->arena, model->surface_count, int);
    if (!build->friction_pair || !build->surface_setting) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->friction_count; i++) {
        build->friction_pair[i][0] = find_surface(model, scenario->frictions[i].a);
        build->friction_pair[i][1] = find_surface(model, scenario->frictions[i].b);
        if (build->friction_pair[i][0] < 0) build->friction_pair[i][1] = -1;
        if (build->friction_pair[i][1] < 0) build->friction_pair[i][0] = -1;
    }
    for (int s = 0; s < model->surface_count; s++) {
        build->surface_setting[s] = -1;
        for (int i = 0; i < scenario->surface_count; i++)
            if (strcmp(scenario->surfaces[i].name, model->surfaces[s]) == 0)
                build->surface_setting[s] = i;
    }
    return GMC_OK;
}

static bool can_touch(const gmc_model *model, const gmc_geom *a, const gmc_geom *b)
{
    bool are_static = gmc_model_is_static(model, a->body) && gmc_model_is_static(model, b->body);
    return a->body != b->body && !are_static && (a->category & b->mask) != 0 &&
           (b->category & a->mask) != 0;
}

// Where the tree first gives something the surface `name`; NULL: nowhere.
static const gmc_node *find_surface_node(const gmc_node *node, const char *name, bool is_surface)
{
    if (node->kind == GMC_NODE_SCALAR)
        return is_surface && strcmp(node->text, name) == 0 ? node : NULL;
    for (const gmc_node *n = node->first; n; n = n->next) {
        bool is_named = is_surface || (n->key && strcmp(n->key, "surface") == 0);
        const gmc_node *found = find_surface_node(n, name, is_named);
        if (found) return found;
    }
    return NULL;
}

static bool is_in_friction(const gmc_scenario *s, const char *surface)
{
    for (int i = 0; i < s->friction_count; i++)
        if (strcmp(s->frictions[i].a, surface) == 0 || strcmp(s->frictions[i].b, surface) == 0)
            return true;
    return false;
}

// A surface that friction names and nothing has, near `name` or else the only one; NULL: none.
static const char *find_idle_surface(const gmc_scenario *s, const char *name)
{
    gmc_nearest nearest = gmc_nearest_start(name);
    const char *only = NULL;
    bool are_several = false;
    for (int i = 0; i < 2 * s->friction_count; i++) {
        const char *one = i % 2 ? s->frictions[i / 2].b : s->frictions[i / 2].a;
        if (find_surface_node(s->tree, one, false)) continue;
        are_several = are_several || (only && strcmp(only, one) != 0);
        only = one;
        gmc_nearest_offer(&nearest, one);
    }
    return nearest.best ? nearest.best : are_several ? NULL : only;
}

// Links without a surface are named together, and once.
static void check_surfaces(const gmc_build *build, const gmc_build_robot *robot)
{
    const gmc_robot_spec *spec = robot->spec;
    if (!spec->urdf || spec->surface) return;
    char names[200] = "";
    size_t used = 0;
    int count = 0;
    for (int i = 0; i < robot->urdf.link_count; i++) {
        const gmc_urdf_link *link = &robot->urdf.links[i];
        bool is_given = link->shape_count == 0;
        for (int k = 0; k < spec->surface_count; k++)
            is_given = is_given || strcmp(spec->surfaces[k].link, link->name) == 0 ||
                       strcmp(spec->surfaces[k].link, "rest") == 0;
        if (is_given) continue;
        if (count++ < 3 && used < sizeof names - 64)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s",
                                     count > 1 ? ", " : "", link->name);
    }
    if (count == 0) return;
    const gmc_node *node = gmc_node_find(spec->node, "surface");
    gmc_diagnostics_add(build->report, GMC_E_INPUT, node ? node->source : spec->source,
                        node ? "add  rest: rubber  for all others" : "add  surface: rubber",
                        "%d link%s of %s ha%s no surface: %s%s", count, count == 1 ? "" : "s",
                        spec->title, count == 1 ? "s" : "ve", names, count > 3 ? ", ..." : "");
}

static bool has_any(const gmc_build *build, int setting)
{
    for (int i = 0; i < build->scenario->object_count; i++)
        for (int g = 0; g < build->models[i].geom_count; g++)
            if (build->surface_setting[build->models[i].geoms[g].surface] == setting) return true;
    return false;
}

// Of what the scenario's own files say about a surface that nothing has nothing would be seen.
static void check_idle_surfaces(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    const gmc_node *surfaces = gmc_node_find(s->tree, "surfaces");
    for (int i = 0; surfaces && i < s->surface_count; i++) {
        const gmc_node *node = gmc_node_find(surfaces, s->surfaces[i].name);
        if (!node || node->is_default || has_any(build, i)) continue;
        if (strcmp(node->source.file, gmc_materials_name) == 0) continue;
        gmc_nearest nearest = gmc_nearest_start(s->surfaces[i].name);
        for (int k = 0; k < s->surface_count; k++)
            if (has_any(build, k)) gmc_nearest_offer(&nearest, s->surfaces[k].name);
        char hint[120];
        snprintf(hint, sizeof hint, "did you mean %.80s?", nearest.best ? nearest.best : "");
        gmc_diagnostics_add(build->report, GMC_OK, node->key_source, nearest.best ? hint : NULL,
                            "surfaces.%.80s changes nothing: nothing has this surface",
                            s->surfaces[i].name);
    }
}

// Where the scenario's own files have the block `friction`, or a pair of it: a table of materials
// is not to be mended. NULL: nowhere.
static const gmc_source *find_own_friction(const gmc_scenario *s)
{
    const gmc_node *friction = gmc_node_find(s->tree, "friction");
    if (!friction || !friction->key) return NULL;
    if (strcmp(friction->key_source.file, gmc_materials_name) != 0) return &friction->key_source;
    for (const gmc_node *n = friction->first; n; n = n->next)
        if (strcmp(n->source.file, gmc_materials_name) != 0) return &n->source;
    return NULL;
}

static void report_pair(const gmc_build *build, const gmc_model *model, const gmc_geom *geom_a,
                        const gmc_geom *geom_b)
{
    const char *a = model->surfaces[geom_a->surface], *b = model->surfaces[geom_b->surface];
    char hint[300];
    const char *stranger = !is_in_friction(build->scenario, b)   ? b
                           : !is_in_friction(build->scenario, a) ? a
                                                                 : NULL;
    const char *idle = stranger ? find_idle_surface(build->scenario, stranger) : NULL;
    const gmc_node *node = find_surface_node(build->scenario->tree, stranger ? stranger : b, false);
    const gmc_source *friction = find_own_friction(build->scenario);
    gmc_source place = stranger && node ? node->source
                       : friction       ? *friction
                       : node           ? node->source
                                        : (gmc_source){.file = build->scenario->file};
    snprintf(hint, sizeof hint, "%s%.80s%sadd  %.80s/%.80s: <coefficient>  under friction",
             idle ? "did you mean " : "", idle ? idle : "", idle ? "? Else " : "", a, b);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, place, hint,
                        "%s and %s can touch (%s, %s), but friction does not say how", a, b,
                        gmc_build_name(model, geom_a), gmc_build_name(model, geom_b));
}

// A pair of `friction` whose surfaces could not be told: it may be any that is missed.
static bool has_unread_pair(const gmc_scenario *s)
{
    const gmc_node *pairs = gmc_node_find(s->tree, "friction");
    if (pairs && pairs->kind != GMC_NODE_MAP) return true;
    for (const gmc_node *n = pairs ? pairs->first : NULL; n; n = n->next) {
        char first[128];
        const char *slash = strchr(n->key, '/');
        snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - n->key) : 0, n->key);
        bool is_pair = slash && gmc_validate_is_name(first) && gmc_validate_is_name(slash + 1);
        if (!is_pair) return true;
    }
    return false;
}

// Every pair of surfaces that can touch needs a law; reported once a pair.
static void check_laws(const gmc_build *build, int object)
{
    const gmc_model *model = &build->models[object];
    if (build->is_sketch && has_unread_pair(build->scenario)) return;
    for (int i = 0; i < model->geom_count; i++)
        for (int k = i + 1; k < model->geom_count; k++) {
            const gmc_geom *a = &model->geoms[i], *b = &model->geoms[k];
            if (!can_touch(model, a, b) || gmc_model_law(model, a->surface, b->surface)->is_given)
                continue;
            const char *first = model->surfaces[a->surface], *second = model->surfaces[b->surface];
            if (first[0] && second[0]) report_pair(build, model, a, b);
            gmc_surface_law *given = &model->laws[a->surface * model->surface_count + b->surface];
            given->is_given = true; // said once
            model->laws[b->surface * model->surface_count + a->surface].is_given = true;
        }
}

// A shape of a robot in a model.
typedef struct own_shape {
    int geom, link; ///< of the model, of the file
    int holder;     ///< the body that its body hangs on
    unsigned contype, conaffinity;
} own_shape;

static bool is_bare(const gmc_model *model, int body)
{
    for (int g = 0; g < model->geom_count; g++)
        if (model->geoms[g].body == body) return false;
    return !(model->bodies[body].inertia.mass > 0);
}

// The body that carries `body`: what neither weighs nor has a shape stands between two joints of it.
static int holder_of(const gmc_build_robot *robot, const gmc_model *model, int body)
{
    int holder = model->bodies[body].parent;
    while (holder > 0 && robot->has[holder] && is_bare(model, holder))
        holder = model->bodies[holder].parent;
    return holder;
}

// The shapes of the robot's file are added link by link, in their order.
static int list_own_shapes(const gmc_build *build, const gmc_build_robot *robot,
                           const gmc_model *model, own_shape *own)
{
    int count = 0;
    char name[256];
    for (int i = 0; i < robot->urdf.link_count; i++) {
        const gmc_urdf_link *link = &robot->urdf.links[i];
        snprintf(name, sizeof name, "%.120s%s%.120s",
                 robot == &build->hand ? "" : robot->spec->name, robot == &build->hand ? "" : ".",
                 link->name);
        int frame = gmc_model_find_frame(model, name), shape = 0;
        for (int g = 0; g < model->geom_count && shape < link->shape_count; g++) {
            if (frame < 0 || model->geoms[g].frame != frame) continue;
            own[count++] = (own_shape){.geom = g,
                                       .link = i,
                                       .holder = holder_of(robot, model, model->geoms[g].body),
                                       .contype = link->shapes[shape].contype,
                                       .conaffinity = link->shapes[shape].conaffinity};
            shape++;
        }
    }
    return count;
}

// MuJoCo's rule: one looks for the other, neither carries the other, no <exclude> names both.
static bool do_own_meet(const gmc_build_robot *robot, const gmc_model *model, const own_shape *a,
                        const own_shape *b)
{
    int body_a = model->geoms[a->geom].body, body_b = model->geoms[b->geom].body;
    if (body_a == body_b || a->holder == body_b || b->holder == body_a) return false;
    for (int i = 0; i < robot->urdf.exclude_count; i++) {
        const int *pair = robot->urdf.excludes[i];
        if ((pair[0] == a->link && pair[1] == b->link) ||
            (pair[0] == b->link && pair[1] == a->link))
            return false;
    }
    return (a->contype & b->conaffinity) != 0 || (b->contype & a->conaffinity) != 0;
}

static bool meet_the_same(const gmc_build_robot *robot, const gmc_model *model,
                          const own_shape *own, int count, const int pair[2])
{
    for (int i = 0; i < count; i++)
        if (do_own_meet(robot, model, &own[pair[0]], &own[i]) !=
            do_own_meet(robot, model, &own[pair[1]], &own[i]))
            return false;
    return true;
}

// Shapes that meet the same others, and so never each other, share a bit; what meets them looks for
// it. Either side of MuJoCo's bits suffices, ours needs both: that is why its own are not taken.
static gmc_status allow_self_collision(gmc_build *build, const gmc_build_robot *robot,
                                       gmc_model *model)
{
    int bits = GMC_CATEGORY_BITS - GMC_ROBOT_BIT - build->scenario->robot_count, groups = 0;
    own_shape *own = GMC_NEW(&build->arena, model->geom_count, own_shape);
    int *group = GMC_NEW(&build->arena, model->geom_count, int);
    if (!own || !group) return GMC_E_ARENA_FULL;
    int count = list_own_shapes(build, robot, model, own);
    for (int i = 0; i < count; i++) {
        int same = 0;
        while (same < i && !meet_the_same(robot, model, own, count, (const int[]){same, i}))
            same++;
        group[i] = same < i ? group[same] : groups++;
    }
    if (groups > bits) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, robot->spec->source,
                            "leave self_collision out",
                            "self-collision is limited to %d groups of shapes that meet the same "
                            "others, %s has %d",
                            bits, robot->spec->title, groups);
        return GMC_OK;
    }
    for (int i = 0; i < count; i++) {
        gmc_geom *geom = &model->geoms[own[i].geom];
        geom->category |= 1u << (GMC_CATEGORY_BITS - bits + group[i]);
        for (int k = 0; k < count; k++)
            if (do_own_meet(robot, model, &own[i], &own[k]))
                geom->mask |= 1u << (GMC_CATEGORY_BITS - bits + group[k]);
    }
    return GMC_OK;
}

// One model per object; mistakes of one do not keep those of the others from being reported.
static gmc_status compile_objects(gmc_build *build, const double *values)
{
    gmc_status first = GMC_OK;
    for (int i = 0; i < build->scenario->object_count; i++) {
        build->objects[i].spec = &build->scenario->objects[i];
        build->objects[i].is_planar = build->scenario->world != GMC_WORLD_SPATIAL;
        gmc_status status = compile_object(build, i, values);
        if (status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING) return status;
        if (first == GMC_OK) first = status;
    }
    return first;
}

// Does the hand's file have a link of that name? A model of a whole scene has such beside the hand.
static bool is_links_name(const gmc_build *build, const char *name, gmc_source source)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    if (!hand->urdf || gmc_urdf_find_link(&build->hand.urdf, name) < 0) return false;
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source,
                        "give hand a file that has the hand alone, or rename what is not the "
                        "object",
                        "the hand's file %.120s has a body called %.80s, too", hand->urdf, name);
    return true;
}

// A body of the scene has a joint of its name. Joints of the hand are named as in its file.
static bool is_joints_name(const gmc_build *build, const gmc_item_spec *item)
{
    const gmc_robot_spec *hand = &build->scenario->hand;
    for (int i = 0; hand->urdf && i < build->hand.urdf.joint_count; i++) {
        if (strcmp(build->hand.urdf.joints[i].name, item->name) != 0) continue;
        gmc_diagnostics_add(
            build->report, GMC_E_INPUT, item->source, "give the body another name",
            "the body %.80s of the scene is named like a joint of the hand (%.120s)", item->name,
            hand->urdf);
        return true;
    }
    return false;
}

static bool have_own_names(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    int count = s->object_count > 0 && is_links_name(build, "object", s->objects[0].source);
    for (int i = 0; i < s->scene_count; i++)
        count += is_links_name(build, s->scene[i].name, s->scene[i].source) ||
                 is_joints_name(build, &s->scene[i]);
    return count == 0;
}

static gmc_status compile(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    double *values = nominal_values(build);
    int objects = scenario->object_count;
    for (int i = 0; values && i <= scenario->robot_count; i++) {
        settle_followers(build, gmc_build_robot_at(build, i), values);
        check_shares(build, gmc_build_robot_at(build, i), values);
    }
    build->models = GMC_NEW(&build->arena, objects, gmc_model);
    build->objects = GMC_NEW(&build->arena, objects, gmc_build_item);
    build->scene = GMC_NEW(&build->arena, scenario->scene_count, gmc_build_item);
    if (!values || !build->models || !build->objects || !build->scene) return GMC_E_ARENA_FULL;
    for (int i = 0; i < scenario->scene_count; i++) {
        build->scene[i].spec = &scenario->scene[i];
        build->scene[i].is_planar = scenario->world != GMC_WORLD_SPATIAL;
    }
    if (!have_own_names(build)) return GMC_OK; // reported
    GMC_TRY(gmc_build_clutter(build, values));
    GMC_TRY(compile_objects(build, values));
    GMC_TRY(bind_indices(build));
    GMC_TRY(bind_robots(build));
    for (int i = 0; i <= scenario->robot_count; i++)
        if (!is_carried(build, i)) return GMC_OK; // reported; nothing is known of its joints
    for (int i = 0; i <= scenario->robot_count; i++)
        check_surfaces(build, gmc_build_robot_at(build, i));
    if (!build->is_sketch) check_idle_surfaces(build);
    for (int i = 0; i < scenario->object_count; i++) {
        build->models[i].broad_phase = (gmc_broad_phase)scenario->broad_phase;
        for (int k = 0; k <= scenario->robot_count; k++) {
            const gmc_build_robot *robot = gmc_build_robot_at(build, k);
            if (robot->spec->self_collision && robot->has)
                GMC_TRY(allow_self_collision(build, robot, &build->models[i]));
        }
        check_laws(build, i);
    }
    if (build->stepper) check_links_free(build);
    GMC_TRY(gmc_build_program(build));
    GMC_TRY(gmc_build_control_compile(build));
    build_check_route(build);
    if (build->is_sketch) return gmc_build_criteria(build); // what is left looks at values
    gmc_build_check_plausible(build, values);
    GMC_TRY(gmc_build_criteria(build));
    return build_check_drives(build);
}

gmc_status gmc_build_declare(gmc_scenario *scenario, const gmc_pieces_cache *cache,
                             gmc_diagnostics *report, gmc_build **made)
{
    gmc_build *build = calloc(1, sizeof *build);
    *made = build;
    if (!build) return GMC_E_MEMORY;
    build->scenario = scenario;
    build->report = report;
    build->pieces_cache = cache;
    build->is_sketch = report->error_count > 0;
    build->files = (gmc_file_source){.context = build, .load = build_load};
    build->hand = (gmc_build_robot){.spec = &scenario->hand, .base_body = -1};
    build->tool_frame = build->object_body = -1;
    choose_stepper(build);
    GMC_TRY(gmc_arena_create(&build->arena, GMC_BUILD_ARENA));
    gmc_status status = declare_robots(build);
    if (status != GMC_OK && !are_all_declared(scenario)) return status;
    build->is_sketch = report->error_count > 0;
    return build_declare_grasps(build);
}

static bool is_at(gmc_source a, gmc_source b)
{
    return a.line == b.line && a.column == b.column && a.file && b.file &&
           strcmp(a.file, b.file) == 0;
}

// Was a mistake told of something in this block?
static bool has_mistake(const gmc_node *node, const gmc_diagnostics *report)
{
    for (int i = 0; i < report->count; i++)
        if (report->items[i].severity == GMC_ERROR &&
            (is_at(node->source, report->items[i].source) ||
             is_at(node->key_source, report->items[i].source)))
            return true;
    for (const gmc_node *n = node->first; n; n = n->next)
        if (has_mistake(n, report)) return true;
    return false;
}

// What is told of a whole block, such as an object, follows from a mistake in it; but which pairs
// are missed is known of those that are there.
static bool follows(const void *context, const gmc_diagnostic *item)
{
    const gmc_build *build = context;
    for (const gmc_node *block = build->scenario->tree->first; block; block = block->next) {
        if (block->kind != GMC_NODE_MAP || strcmp(block->key, "friction") == 0) continue;
        if (is_at(block->key_source, item->source)) return has_mistake(block, build->report);
        for (const gmc_node *n = block->first; n; n = n->next)
            if (n->kind == GMC_NODE_MAP && is_at(n->key_source, item->source))
                return has_mistake(n, build->report);
    }
    return false;
}

// Compile a scenario with mistakes, as far as it was understood, for the sake of those that this
// finds: they go to the report, but for what follows from the others. Nothing can be made of the
// build then, and meshes were not cut for it.
static void sketch(gmc_build *build)
{
    const gmc_scenario *scenario = build->scenario;
    // a hand or robot that was not understood, or under a key that nobody knows
    bool is_known =
        are_all_declared(scenario) && (scenario->hand.urdf || gmc_scenario_lacks_hand(scenario));
    if (!is_known) return;
    gmc_diagnostics *report = build->report, later = {0};
    build->is_sketch = true;
    build->report = &later;
    if (!scenario->tree->is_bad)
        (void)!compile(build);
    else if (scenario->hand.urdf)
        check_links(build, &build->hand); // of the URDF alone
    build->report = report;
    gmc_diagnostics_take(report, &later, follows, build);
    gmc_diagnostics_free(&later);
}

gmc_status gmc_build_compile(gmc_build *build)
{
    gmc_status status = build->report->error_count > 0 ? GMC_OK : compile(build);
    if (build->report->error_count == 0) return status;
    sketch(build); // what was not come to
    return gmc_diagnostics_status(build->report);
}

void gmc_build_free(gmc_build *build)
{
    if (!build) return;
    gmc_urdf_close(&build->hand.urdf);
    for (int i = 0; build->robots && i < build->scenario->robot_count; i++)
        gmc_urdf_close(&build->robots[i].urdf);
    gmc_arena_free(&build->arena);
    free(build);
}

const gmc_measure_plan *gmc_build_measures(const gmc_build *build) { return &build->plan; }

const gmc_compiled_criterion *gmc_build_slack(const gmc_build *build) { return build->slack; }

const struct gmc_urdf *gmc_build_urdf(const gmc_build *build)
{
    return build->scenario->hand.urdf ? &build->hand.urdf : NULL;
}

const gmc_model *gmc_build_model(const gmc_build *build, int object)
{
    return &build->models[object];
}

size_t gmc_build_bytes(const gmc_build *build)
{
    // model copies, world and kinematics, contacts with their memory: measured at a tenth of this
    // for the parallel jaw; a trial that wants more says so and is repeated
    size_t bytes = 1 << 20;
    for (int i = 0; i < build->scenario->object_count; i++) {
        size_t copy = 4 * gmc_model_copy_bytes(&build->models[i]);
        if (copy > bytes) bytes = copy;
    }
    return bytes;
}
