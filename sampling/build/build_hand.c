// The hand: its URDF is read once, its joints become parameters of the scenario, and its links and
// joints go into every object's model on a driven base.
#include "engine/control/load.h"
#include "engine/math/elementary.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/nearest.h"
#include "sampling/language/node.h"
#include "sampling/language/schema.h"
#include "sampling/language/units.h"
#include "sampling/scenario/grasp_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const gmc_urdf *urdf = &build->urdf;
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
    for (int i = 0; i < build->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &build->urdf.joints[i];
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
        case GMC_URDF_FIXED:
            break;
        }
    }
}

static void check_frame(const gmc_build *build, const gmc_pose *X)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    int link = hand->frame ? gmc_urdf_find_link(&build->urdf, hand->frame) : -1;
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
// plane, shapes without a section, and a frame beside the plane are reported
// (build_planar.c). @return GMC_OK (also with reports), GMC_E_ARENA_FULL
static gmc_status flatten_hand(gmc_build *build)
{
    gmc_pose *X = link_poses(build);
    if (!X) return GMC_E_ARENA_FULL;
    check_joints(build, X);
    check_frame(build, X);
    for (int i = 0; i < build->urdf.link_count; i++)
        GMC_TRY(flatten_link(build, &X[i], &build->urdf.links[i]));
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
    int link = gmc_urdf_find_link(&build->urdf, name);
    if (link >= 0) return link;
    gmc_nearest nearest = gmc_nearest_start(name);
    for (int i = 0; i < build->urdf.link_count; i++)
        gmc_nearest_offer(&nearest, build->urdf.links[i].name);
    char hint[256] = "links are named in the URDF";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint, "the hand has no link %s", name);
    return -1;
}

// X_gt: hand.frame in the gripper frame of the file.
static void find_frames(const gmc_build *build, gmc_grasp_set *set)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    set->X_gt = gmc_pose_identity();
    int tool = hand->frame ? gmc_urdf_find_link(&build->urdf, hand->frame) : 0;
    if (tool < 0) return; // reported with hand.frame
    int link = set->frame ? find_link(build, set->frame, set->frame_source) : tool;
    if (link < 0) return;
    int moving_link = link, moving_tool = tool;
    gmc_pose X_ml = in_moving_link(&build->urdf, &moving_link);
    gmc_pose X_mt = in_moving_link(&build->urdf, &moving_tool);
    if (moving_link != moving_tool) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, set->frame_source,
                            "take a link of the palm for both",
                            "%s moves against hand.frame (%s): a pose of the one does not place "
                            "the other",
                            build->urdf.links[link].name, build->urdf.links[tool].name);
        return;
    }
    const double *g = set->gripper;
    gmc_pose X_lg =
        gmc_pose_make(gmc_quat_from_rpy(g[3], g[4], g[5]), (gmc_vec3){g[0], g[1], g[2]});
    gmc_pose X_mg = gmc_pose_multiply(&X_ml, &X_lg);
    set->X_gt = gmc_pose_relative(&X_mg, &X_mt);
}

static bool is_moving(const gmc_urdf_joint *joint)
{
    return joint->kind == GMC_URDF_REVOLUTE || joint->kind == GMC_URDF_CONTINUOUS ||
           joint->kind == GMC_URDF_PRISMATIC;
}

// Index into hand.joints; -1: a joint that follows another, or a name that the hand has not
// (reported).
static int find_joint(const gmc_build *build, const gmc_grasp_set *set, const gmc_grasp_name *name)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++)
        if (strcmp(hand->joints[i].joint, name->text) == 0) return i;
    int joint = gmc_urdf_find_joint(&build->urdf, name->text);
    if (joint >= 0 && is_moving(&build->urdf.joints[joint])) return -1; // follows another
    gmc_nearest nearest = gmc_nearest_start(name->text);
    for (int i = 0; i < hand->joint_count; i++)
        gmc_nearest_offer(&nearest, hand->joints[i].joint);
    char hint[256] = "joints: none  leaves the joints of the file aside";
    if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
    gmc_source source = {.file = set->asset_file, .line = name->line, .column = name->column};
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint,
                        joint < 0 ? "the hand has no joint %.80s" : "joint %.80s does not move",
                        name->text);
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

gmc_status gmc_build_declare_grasps(gmc_build *build)
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

static void warn_of_speeds(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++) {
        const gmc_joint_setting *joint = &hand->joints[i];
        if (build->joint_dof[i] < 0 || joint->max_speed >= 0) continue;
        gmc_diagnostics_warn(build->report, joint->source,
                             (gmc_diagnostic_subject){&no_speed, joint->joint},
                             "hand.joints.<joint>.max_speed gives one; 0 says that there is none",
                             "joint `%s` has no velocity limit, or one of 0: its drive makes it as "
                             "fast as it can",
                             joint->joint);
    }
}

// How far a servo gives way: "j2 by 24 deg", "j4 falls: it needs 30 of 12 N*m"; false: it holds.
static bool tell_sag(const gmc_build *build, const gmc_rollout_input *input, const double *force,
                     int joint, char *text, size_t room)
{
    int k = build->joint_dof[joint];
    const gmc_body *body = &input->model->bodies[build->joint_body[joint]];
    const gmc_dof *dof = &input->model->dofs[k];
    bool is_slide = body->joint == GMC_JOINT_PRISMATIC;
    double load = fabs(force[k]) - dof->friction, q = input->model->q_start[body->q];
    bool rests = force[k] > 0 ? q <= dof->lower : q >= dof->upper; // on its stop
    double sag = load / input->program->servo_stiffness[k];
    if (rests || !(load > 0) || !(sag > (is_slide ? SAG_SLIDE : SAG_TURN) || load > dof->max_force))
        return false;
    const char *name = build->scenario->hand.joints[joint].joint, *unit = is_slide ? "N" : "N*m";
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

static void tell_sags(const gmc_build *build, const gmc_rollout_input *input, const double *force)
{
    char list[400] = "";
    size_t used = 0;
    for (int i = 0; i < build->scenario->hand.joint_count; i++) {
        gmc_build_joint_facts facts;
        char one[160];
        if (!gmc_build_joint(build, i, &facts) || facts.is_finger) continue;
        if (!tell_sag(build, input, force, i, one, sizeof one)) continue;
        if (used + strlen(one) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (used == 0) return;
    gmc_diagnostics_add(build->report, GMC_OK, build->scenario->hand.source,
                        "nothing makes up for gravity but the servos: raise hand.<joint>.kp (and "
                        "kd, max_force)",
                        "under gravity joints give way from where they start: %s", list);
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
    GMC_TRY(gmc_build_instantiate(build, 0, values, values, arena, &input));
    double *force = GMC_NEW(arena, input.model->dof_count, double);
    if (!force) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_load_find(input.model, input.model->q_start, arena, force));
    tell_sags(build, &input, force);
    return GMC_OK;
}

gmc_status gmc_build_check_drives(const gmc_build *build)
{
    enum { DOUBLINGS = 6 };
    if (build->base_body < 0 || build->report->error_count > 0) return GMC_OK;
    warn_of_speeds(build);
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

// ---- hand -------------------------------------------------------------------------------------

// Servos of joints that the scenario is silent about: stiff enough to carry a kilogram within a
// millimetre (or a newton metre within 10 mrad), damped so that 50 g (or 2.5e-4 kg·m²) do not
// swing.
static const double SLIDE_KP = 1e4, SLIDE_KD = 50, TURN_KP = 100, TURN_KD = 0.5;

// A folder that the scenario names, as gmc_build_load understands it.
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

// Every file that the engine's readers ask for is an asset of the scenario: from disk the first
// time, from the result that embeds it when a trial is replayed.
gmc_status gmc_build_load(void *context, const char *path, gmc_file *file)
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

// gmc_urdf_options.has_effort: what the scenario gives, the file need not.
static bool has_effort(void *context, const char *joint)
{
    const gmc_hand_spec *hand = &((const gmc_build *)context)->scenario->hand;
    const gmc_joint_setting *given = find_setting(hand->joints, hand->joint_count, joint);
    return given && given->max_force >= 0;
}

// Says if the i-th folder of the package path is not there. Of a stored run none has to be.
static const char *check_folder(const gmc_build *build, int i, const char *path)
{
    FILE *in = build->scenario->embedded ? NULL : gmc_file_open(path); // a folder opens, too
    if (in) fclose(in);
    if (in || build->scenario->embedded) return path;
    const gmc_node *hand = gmc_node_find(build->scenario->tree, "hand");
    const gmc_node *list = gmc_node_find(hand, "package_path");
    const gmc_node *item = list ? list->first : NULL;
    for (int k = 0; k < i && item; k++)
        item = item->next;
    gmc_diagnostics_add(build->report, GMC_E_MISSING,
                        item ? item->source : build->scenario->hand.source,
                        "relative to the scenario", "hand.package_path: no folder %.200s", path);
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

static gmc_status open_urdf(gmc_build *build)
{
    gmc_hand_spec *hand = &build->scenario->hand;
    gmc_urdf_options options = gmc_urdf_defaults();
    options.files = &build->files;
    options.inertials = inertials_of(hand->inertials);
    options.convex = gmc_build_convex(build, &hand->convex, 1);
    options.from = hand->source;
    int count = 0;
    while (hand->package_path && hand->package_path[count])
        count++;
    const char **folders = GMC_NEW(&build->arena, count + 1, const char *);
    if (!folders) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        folders[i] = check_folder(build, i, path_of(build, hand->package_path[i]));
    options.package_path = folders;
    options.context = build;
    options.has_effort = has_effort;
    return gmc_urdf_open(hand->urdf_file, &options, build->report, &build->urdf);
}

static bool is_single(const gmc_urdf_joint *joint)
{
    return joint->kind == GMC_URDF_REVOLUTE || joint->kind == GMC_URDF_CONTINUOUS ||
           joint->kind == GMC_URDF_PRISMATIC;
}

void gmc_build_joint_names(const gmc_build *build, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "joints:");
    const char *comma = "";
    for (int j = 0; j < build->urdf.joint_count; j++) {
        const gmc_urdf_joint *joint = &build->urdf.joints[j];
        if (!is_single(joint) || joint->leader >= 0) continue;
        if (used + strlen(joint->name) + 8 >= size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s %s", comma, joint->name);
        comma = ",";
    }
}

// Settings of joints that are not there, or that follow others.
static void check_settings(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->joint_count; i++) {
        const char *name = hand->joints[i].joint;
        int k = gmc_urdf_find_joint(&build->urdf, name);
        if (k >= 0 && is_single(&build->urdf.joints[k]) && build->urdf.joints[k].leader < 0)
            continue;
        gmc_nearest nearest = gmc_nearest_start(name);
        for (int j = 0; j < build->urdf.joint_count; j++)
            if (is_single(&build->urdf.joints[j]) && build->urdf.joints[j].leader < 0)
                gmc_nearest_offer(&nearest, build->urdf.joints[j].name);
        char hint[256] = "";
        gmc_build_joint_names(build, hint, sizeof hint);
        if (nearest.best) snprintf(hint, sizeof hint, "did you mean %s?", nearest.best);
        gmc_diagnostics_add(build->report, GMC_E_INPUT, hand->joints[i].source, hint,
                            k < 0 ? "the hand has no joint %s"
                                  : "joint %s cannot be set: it does not move, or follows another",
                            name);
    }
}

/// One property of a joint: its key, its place in the setting, its dimension on sliding and turning
/// joints.
typedef struct joint_property {
    const char *key;
    size_t place;
    gmc_dimension slide, turn;
    double lower;
} joint_property;

static const joint_property PROPERTIES[] = {
    {"start", offsetof(gmc_joint_setting, start), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"lower", offsetof(gmc_joint_setting, lower), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"upper", offsetof(gmc_joint_setting, upper), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"max_force", offsetof(gmc_joint_setting, max_force), GMC_DIM_FORCE, GMC_DIM_TORQUE, 0},
    {"max_speed", offsetof(gmc_joint_setting, max_speed), GMC_DIM_SPEED, GMC_DIM_ANGULAR_SPEED, 0},
    {"kp", offsetof(gmc_joint_setting, stiffness), GMC_DIM_STIFFNESS, GMC_DIM_ANGULAR_STIFFNESS, 0},
    {"kd", offsetof(gmc_joint_setting, servo_damping), GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING, 0},
    {"damping", offsetof(gmc_joint_setting, damping), GMC_DIM_DAMPING, GMC_DIM_ANGULAR_DAMPING, 0},
    {"friction", offsetof(gmc_joint_setting, friction), GMC_DIM_FORCE, GMC_DIM_TORQUE, 0},
    {"armature", offsetof(gmc_joint_setting, armature), GMC_DIM_MASS, GMC_DIM_INERTIA, 0},
    {"share", offsetof(gmc_joint_setting, share), GMC_DIM_NONE, GMC_DIM_NONE, 0},
    {"open", offsetof(gmc_joint_setting, open), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
    {"closed", offsetof(gmc_joint_setting, closed), GMC_DIM_LENGTH, GMC_DIM_ANGLE, -INFINITY},
};

// What a property is where neither scenario nor URDF says; not finite: it is not there.
static double default_of(const gmc_joint_spec *spec, const char *key)
{
    bool is_slide = spec->type == GMC_JOINT_PRISMATIC;
    if (strcmp(key, "start") == 0) return fmin(fmax(0, spec->dof.lower), spec->dof.upper);
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
static gmc_status state_gain(const gmc_build *build, const char *joint, const char *key,
                             gmc_dimension dimension, double value)
{
    gmc_arena *arena = build->scenario->arena;
    gmc_node *hand = gmc_node_find(build->scenario->tree, "hand");
    if (!hand || hand->kind != GMC_NODE_MAP) return GMC_OK;
    gmc_node *joints = sub_map(arena, hand, "joints"), *node;
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

static gmc_status declare_joint(gmc_build *build, const gmc_urdf_joint *joint,
                                const gmc_joint_spec *spec, gmc_joint_setting *setting)
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
        double value = default_of(spec, property->key);
        if (!isfinite(value)) continue;
        char path[256];
        snprintf(path, sizeof path, "hand.%s.%s", joint->name, property->key);
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
            GMC_TRY(state_gain(build, joint->name, property->key, dimension, value));
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

gmc_status gmc_build_declare_hand(gmc_build *build)
{
    gmc_hand_spec *hand = &build->scenario->hand;
    if (!hand->urdf || !hand->urdf_file) return GMC_OK;
    GMC_TRY(open_urdf(build));
    if (build->scenario->world != GMC_WORLD_SPATIAL) GMC_TRY(flatten_hand(build));
    check_settings(build);
    gmc_joint_setting *all =
        GMC_NEW(build->scenario->arena, build->urdf.joint_count, gmc_joint_setting);
    if (!all) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < build->urdf.joint_count; i++) {
        const gmc_urdf_joint *joint = &build->urdf.joints[i];
        if (!is_single(joint) || joint->leader >= 0) continue;
        const gmc_joint_setting *given = find_setting(hand->joints, hand->joint_count, joint->name);
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
                                           .closed = -1};
        gmc_joint_spec spec = gmc_urdf_joint_spec(&build->urdf, i);
        spec.dof.max_speed = speed_with_mimics(&build->urdf, i);
        GMC_TRY(declare_joint(build, joint, &spec, setting));
        check_limits(build, &spec, setting);
    }
    hand->joints = all;
    hand->joint_count = count;
    hand->is_declared = true;
    gmc_build_settle_phases(build);
    return gmc_diagnostics_status(build->report);
}

double gmc_build_max_speed(const double *values, const gmc_joint_setting *setting)
{
    double speed = gmc_build_value(values, setting->max_speed, 0);
    return speed > 0 ? speed : (double)INFINITY;
}

typedef struct placing_context {
    const gmc_build *build;
    const double *values;
} placing_context;

static const char *surface_of(void *context, const gmc_urdf_link *link)
{
    const gmc_hand_spec *hand = &((placing_context *)context)->build->scenario->hand;
    const char *rest = hand->surface;
    for (int i = 0; i < hand->surface_count; i++) {
        if (strcmp(hand->surfaces[i].link, link->name) == 0) return hand->surfaces[i].surface;
        if (strcmp(hand->surfaces[i].link, "rest") == 0) rest = hand->surfaces[i].surface;
    }
    return rest ? rest : "";
}

static void set_joint(void *context, const gmc_urdf_joint *joint, gmc_joint_spec *spec)
{
    const placing_context *placing = context;
    const gmc_hand_spec *hand = &placing->build->scenario->hand;
    const double *values = placing->values;
    const gmc_joint_setting *setting = find_setting(hand->joints, hand->joint_count, joint->name);
    if (!setting) return;
    spec->q_start = gmc_build_value(values, setting->start, spec->q_start);
    spec->dof.lower = gmc_build_value(values, setting->lower, spec->dof.lower);
    spec->dof.upper = gmc_build_value(values, setting->upper, spec->dof.upper);
    // one beyond is told where the scenario says it (build_closing.c)
    if (spec->dof.lower <= spec->dof.upper)
        spec->q_start = fmin(fmax(spec->q_start, spec->dof.lower), spec->dof.upper);
    spec->dof.damping = gmc_build_value(values, setting->damping, spec->dof.damping);
    spec->dof.friction = gmc_build_value(values, setting->friction, spec->dof.friction);
    spec->dof.armature = gmc_build_value(values, setting->armature, spec->dof.armature);
    spec->dof.max_force = gmc_build_value(values, setting->max_force, spec->dof.max_force);
    spec->dof.max_speed = gmc_build_max_speed(values, setting);
}

gmc_status gmc_build_hand(gmc_build *build, const double *values, gmc_builder *builder)
{
    if (!build->scenario->hand.urdf) return GMC_OK;
    placing_context context = {build, values};
    bool is_mounted = build->scenario->hand.is_mounted;
    bool is_flat = build->scenario->world != GMC_WORLD_SPATIAL;
    gmc_urdf_placing placing = {.base = {.name = "hand",
                                         .type = is_mounted ? GMC_JOINT_FIXED
                                                 : is_flat  ? GMC_JOINT_PLANAR
                                                            : GMC_JOINT_FREE,
                                         .is_driven = !is_mounted,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .category = GMC_CATEGORY_HAND,
                                .mask = GMC_CATEGORY_OBJECT | GMC_CATEGORY_SCENE,
                                .context = &context,
                                .surface = surface_of,
                                .joint = set_joint};
    return gmc_urdf_build(&build->urdf, &placing, builder);
}

// A link that is not there: what was meant, or which there are.
static void report_link(const gmc_build *build, gmc_source source, const char *name)
{
    const gmc_urdf *urdf = &build->urdf;
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
    gmc_diagnostics_add(build->report, GMC_E_INPUT, source, hint, "the hand has no link %s", name);
}

void gmc_build_check_links(const gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    for (int i = 0; i < hand->surface_count; i++)
        if (strcmp(hand->surfaces[i].link, "rest") != 0 &&
            gmc_urdf_find_link(&build->urdf, hand->surfaces[i].link) < 0)
            report_link(build, hand->surfaces[i].source, hand->surfaces[i].link);
    if (hand->frame && gmc_urdf_find_link(&build->urdf, hand->frame) < 0)
        report_link(build, hand->frame_source, hand->frame);
}

gmc_status gmc_build_bind_hand(gmc_build *build)
{
    const gmc_hand_spec *hand = &build->scenario->hand;
    const gmc_model *model = &build->models[0];
    if (!hand->urdf) return GMC_OK;
    gmc_build_check_links(build);
    build->base_body = gmc_model_find_body(model, build->urdf.links[0].name);
    if (hand->frame) build->tool_frame = gmc_model_find_frame(model, hand->frame);

    build->is_hand = GMC_NEW(&build->arena, model->body_count, bool);
    build->joint_dof = GMC_NEW(&build->arena, hand->joint_count, int);
    build->joint_body = GMC_NEW(&build->arena, hand->joint_count, int);
    if (!build->is_hand || !build->joint_dof || !build->joint_body) return GMC_E_ARENA_FULL;
    for (int b = 0; b < model->body_count; b++)
        for (int up = b; up > 0; up = model->bodies[up].parent)
            if (up == build->base_body) build->is_hand[b] = true;
    for (int i = 0; i < hand->joint_count; i++) {
        build->joint_dof[i] = gmc_model_find_dof(model, hand->joints[i].joint);
        for (int b = 1; b < model->body_count; b++)
            if (model->bodies[b].v == build->joint_dof[i] && !model->bodies[b].is_mimic &&
                gmc_joint_v_count(model->bodies[b].joint) == 1)
                build->joint_body[i] = b;
    }
    return GMC_OK;
}
