// The table is grouped: a key is found by (group, key), and a group that several keys share (pose,
// the shapes of objects and scene) is written once. A flat list of full paths was tried on paper
// first: it needs wildcards for every user-given name and repeats each shape's keys for objects and
// scene.
#include "engine/contact/laws.h"
#include "sampling/language/schema.h"
#include "sampling/scenario/scenario.h"

#include <math.h>

#define FREE         .lower = -INFINITY, .upper = INFINITY
#define POSITIVE     .lower = 0, .upper = INFINITY, .is_above = true
#define NOT_NEGATIVE .lower = 0, .upper = INFINITY
#define WITHIN(a, b) .lower = (a), .upper = (b)
#define SETTLED      .is_settled = true
#define NEEDED       .is_required = true
#define NUMBER(d)    .type = GMC_TYPE_NUMBER, .dimension = GMC_DIM_##d
#define VECTOR(d)    .type = GMC_TYPE_VECTOR, .dimension = GMC_DIM_##d
#define GROUP(g)     .type = GMC_TYPE_GROUP, .child = GMC_SCHEMA_##g
#define NAMED(g)     .type = GMC_TYPE_NAMED, .child = GMC_SCHEMA_##g
#define TYPE(t)      .type = GMC_TYPE_##t
#define SOLID        .worlds = GMC_SCHEMA_SOLID
#define FLAT         .worlds = GMC_SCHEMA_FLAT
#define ROW(g, k)    .group = GMC_SCHEMA_##g, .key = (k)
// where a plain value goes, in the struct that its group is read into
#define INTO(T, f)                                                                                 \
    .at = offsetof(T, f), .store = _Generic(((T *)0)->f,                                           \
                              int: GMC_STORE_INT,                                                  \
                              unsigned: GMC_STORE_INT,                                             \
                              int *: GMC_STORE_INT,                                                \
                              int64_t: GMC_STORE_INT64,                                            \
                              double: GMC_STORE_DOUBLE,                                            \
                              bool: GMC_STORE_BOOL,                                                \
                              const char *: GMC_STORE_TEXT)
#define ENTERED           .store = GMC_STORE_TABLE
#define IS(T, f, word)    INTO(T, f), .meant = (word)
#define FROM(T, f, first) INTO(T, f), .first_choice = (first)

// what stands in the laws' own tables (engine/contact/laws.h)
#define STEPPER_WORD(name, NAME)     #name
#define STEPPER_BAR_WORD(name, NAME) "|" #name
#define STEPPERS                     GMC_DEFAULT_STEPPER(STEPPER_WORD) GMC_OTHER_STEPPERS(STEPPER_BAR_WORD)
#define STEPPER_ABOUT(name, NAME)                                                                  \
    " " #name ": " GMC_##NAME##_ABOUT ". In a hand that turns, what sticks " GMC_##NAME##_STICKS "."
#define STEPPER_SOLVERS(name, NAME) "; " #name " takes " GMC_##NAME##_SOLVERS(", ")
#define MOTIONS                     GMC_MOTION_WORDS("|")
#define FIRST(...)                  FIRST_OF(__VA_ARGS__, )
#define FIRST_OF(first, ...)        first
#define FIRST_SOLVER(name, NAME)    FIRST(GMC_##NAME##_SOLVERS(GMC_COMMA))
#define SETTING_NUMBER(c, k, d, low, high, number, unit, scale, owner, before, after)              \
    {ROW(SIMULATION, k), NUMBER(d), WITHIN(low, high),                                             \
     .about = GMC_SETTING_ABOUT(before, #number unit, after)},
#define SETTING_WHOLE(c, k, low, high, number, even, owner, before, after)                         \
    {ROW(SIMULATION, k), TYPE(INTEGER), WITHIN(low, high),                                         \
     .about = GMC_SETTING_ABOUT(before, #number, after)},
#define SETTING_WORD(c, k, list, word, owner, before, after)                                       \
    {ROW(SIMULATION, k), TYPE(WORD), .words = (list),                                              \
     .about = GMC_SETTING_ABOUT(before, #word, after)},

// a thousand times more than any study asked for so far: beyond it stands a typing error
#define DRAWS_MAX 1e10
// 2^64 - 1, as near as a double comes
#define SEED_MAX 1.8446744073709552e19
// every whole number up to here is a double
#define WHOLE_MAX 9007199254740992.0

// clang-format off
// shapes of objects, of their parts and of clutter
#define SOLIDS(g) \
    {ROW(g, "box"), VECTOR(LENGTH), POSITIVE, NEEDED, .rival = 's', .about = "full edge lengths"}, \
    {ROW(g, "sphere"), GROUP(SPHERE), NEEDED, .rival = 's', .about = "ball"}, \
    {ROW(g, "capsule"), GROUP(ROUND), NEEDED, .rival = 's', .about = "cylinder along z with half balls at its ends"}, \
    {ROW(g, "cylinder"), GROUP(ROUND), NEEDED, .rival = 's', .about = "cylinder along z"}
#define SECTIONS(g) \
    {ROW(g, "circle"), GROUP(SPHERE), NEEDED, .rival = 's', FLAT, .about = "disk"}, \
    {ROW(g, "super_ellipse"), GROUP(ELLIPSE), NEEDED, .rival = 's', FLAT, .about = "|x/a|^p + |y/b|^p <= 1"}, \
    {ROW(g, "polygon"), TYPE(POLYGON), .dimension = GMC_DIM_LENGTH, FREE, NEEDED, .rival = 's', FLAT, \
     .about = "vertices counter-clockwise; it need not be convex"}, \
    {ROW(g, "gear"), GROUP(GEAR), NEEDED, .rival = 's', FLAT, .about = "gear wheel, a tooth on +x; short for its polygon"}
#define RADIUS(g) \
    {ROW(g, "radius"), INTO(gmc_item_spec, size[0]), NUMBER(LENGTH), POSITIVE, NEEDED, .rival = 'r', .about = "radius"}, \
    {ROW(g, "diameter"), NUMBER(LENGTH), POSITIVE, NEEDED, .rival = 'r', .about = "short for twice the radius"}
// what the hand and robots have alike
#define LINKS(g, whose) \
    {ROW(g, "urdf"), TYPE(FILE), NEEDED, .rival = 'u', .about = whose " description"}, \
    {ROW(g, "mjcf"), TYPE(FILE), NEEDED, .rival = 'u', .about = whose " description in MuJoCo's format; see Hands in MJCF"}, \
    {ROW(g, "package_path"), TYPE(FILES), .about = "folders in which `package://` names are looked up"}
#define LOOK(g) \
    {ROW(g, "surface"), TYPE(SURFACES), NEEDED, \
     .about = "surface of all links, or a map from link to surface in which `rest` stands for all others; `rubber` is short for `{rest: rubber}`"}, \
    {ROW(g, "joints"), NAMED(JOINT), .about = "settings by joint; what is not given is the URDF's"}, \
    {ROW(g, "drives"), NAMED(DRIVE), .about = "drives that act on sums of joints, by name, in place of drives of their own: tendons over several joints; see Drives of several joints"}
#define MATTER(g) \
    {ROW(g, "convex"), IS(gmc_robot_spec, convex.is_hull, "hull"), TYPE(WORD), SOLID, .words = "hull|pieces", .fallback = "hull", \
     .about = "what stands for the meshes of links that are not convex: their hulls, or convex pieces as under `object`"}, \
    {ROW(g, "convex_tolerance"), INTO(gmc_robot_spec, convex.tolerance), NUMBER(LENGTH), SETTLED, POSITIVE, SOLID, .about = "as under `object`"}, \
    {ROW(g, "convex_pieces"), INTO(gmc_robot_spec, convex.piece_max), TYPE(INTEGER), WITHIN(1, 256), SOLID, .fallback = "64", .about = "as under `object`"}, \
    {ROW(g, "inertials"), INTO(gmc_robot_spec, inertials), TYPE(WORD), .words = "given|mended|computed", .fallback = "mended", \
     .about = "mass properties of links: given: the URDF's, and what no body can have is a mistake; mended: that becomes the nearest possible, or that of the link's shapes where these contradict it, and is warned of (what a body can have is kept, with a warning where it contradicts the shapes); computed: the URDF's mass, spread over the link's shapes. `check --model` lists them"}
#define NAME_AS_OF_CLOSE(g) {ROW(g, "name"), TYPE(NAME), .about = "as for `close`"}

const gmc_schema_row gmc_schema_rows[] = {
    {ROW(ROOT, "graspmc"), INTO(gmc_scenario, version), TYPE(INTEGER), WITHIN(1, GMC_SCHEMA_VERSION), NEEDED,
     .about = "version of the language; this is version 1"},
    {ROW(ROOT, "about"), INTO(gmc_scenario, about), TYPE(TEXT), .about = "what the scenario is for, in words"},
    {ROW(ROOT, "use"), TYPE(FILE),
     .about = "start from another scenario, in this one's folder or below it (elsewhere with `--allow`): what follows overrides it, map by map and key by key; lists are replaced as a whole, but what is short for a map (`surface: rubber`, `vary: [object]`, `draws: 64`, `rubber/abs: 0.2`) merges with a map as that map; `key: ~` takes a key away, or does nothing; `graspmc/materials@1` is the table of materials"},
    {ROW(ROOT, "world"), INTO(gmc_scenario, world), TYPE(WORD), .words = "spatial|planar|planar-support",
     .about = "spatial (the default); planar: everything moves in the plane z = 0, gravity lies in it; planar-support: the same seen from above, gravity presses what lies in the plane on a support"},
    {ROW(ROOT, "parameters"), TYPE(PARAMETERS), FREE,
     .about = "numbers by paths of the user's own, `chute.width: 26 mm`, that formulas elsewhere refer to; a path has two names or more, and may follow from others by a formula itself"},
    {ROW(ROOT, "hand"), GROUP(HAND), .about = "the hand; without it nothing closes or lifts"},
    {ROW(ROOT, "robots"), NAMED(ROBOT), SOLID, .about = "arms and whatever else has joints, by name: fixed to the ground, or mounted on each other; see Robots"},
    {ROW(ROOT, "object"), GROUP(ITEM), NEEDED, .rival = 'o', .about = "what is grasped; called `object`"},
    {ROW(ROOT, "objects"), NAMED(ITEM), NEEDED, .rival = 'o',
     .about = "several objects by name, one per case: `study: {vary: [object]}`; `object.pose.x` means that of the case's object"},
    {ROW(ROOT, "scene"), NAMED(ITEM), .about = "everything else by name; fixed unless `free: true`"},
    {ROW(ROOT, "clutter"), GROUP(CLUTTER), SOLID, .about = "many loose bodies that start somewhere in a region; a study may choose how many of them take part"},
    {ROW(ROOT, "surfaces"), NAMED(SURFACE), .about = "contact properties of surfaces; those not listed have the defaults"},
    {ROW(ROOT, "friction"), TYPE(PAIRS), .child = GMC_SCHEMA_FRICTION, .dimension = GMC_DIM_NONE, NOT_NEGATIVE,
     .about = "Coulomb coefficient of each unordered pair of surfaces that can touch: `rubber/abs: 0.2`, or more of it: `rubber/abs: {static: 0.5, kinetic: 0.4}`"},
    {ROW(ROOT, "gravity"), VECTOR(ACCELERATION), FREE, .fallback = "[0 m/s2, 0 m/s2, -9.81 m/s2]", 
     .about = "gravity in the world; default with `world: planar`: [0 m/s2, -9.81 m/s2, 0 m/s2]"},
    {ROW(ROOT, "program"), TYPE(PHASES), .child = GMC_SCHEMA_PHASE, NEEDED,
     .about = "what the hand does: a list of phases, each ended by time or by an event. The next one starts "
              "at that time, and acts from the first step on that begins then or later"},
    {ROW(ROOT, "control"), GROUP(CONTROL),
     .about = "a controller that is called at a rate of its own, in place of the servos that joints have without it: see Controllers"},
    {ROW(ROOT, "success"), GROUP(SUCCESS), NEEDED, .about = "when a trial counts as a success"},
    {ROW(ROOT, "uncertain"), TYPE(UNCERTAIN),
     .about = "what is not known: path -> distribution. Absolute, `nominal + ...` or `nominal * ...`; `friction.*: nominal * ...` is one factor for all"},
    {ROW(ROOT, "correlated"), TYPE(CORRELATED), WITHIN(-1, 1),
     .about = "which lines of `uncertain` vary together: `object.mass / object.box.z: 0.7`, the correlation coefficient of their normal scores"},
    {ROW(ROOT, "cameras"), NAMED(CAMERA), SOLID, .about = "where robots' eyes are, for `believed`"},
    {ROW(ROOT, "believed"), GROUP(BELIEVED),
     .about = "what the robot believes: the hand goes to where it sees the object, the object is elsewhere. Without it the belief is the object's nominal pose"},
    {ROW(ROOT, "study"), GROUP(STUDY), .about = "what is chosen: every combination of values is a case"},
    {ROW(ROOT, "sampling"), GROUP(SAMPLING), .fallback = "{}", .about = "how chance is drawn"},
    {ROW(ROOT, "simulation"), GROUP(SIMULATION), .fallback = "{}", .about = "how motion is computed"},
    {ROW(ROOT, "output"), GROUP(OUTPUT), .fallback = "{}", .about = "what is kept of the trials"},

    LINKS(HAND, "the hand's"),
    {ROW(HAND, "frame"), INTO(gmc_robot_spec, frame), TYPE(NAME), .about = "link that is the tool point; without it the root link"},
    LOOK(HAND),
    {ROW(HAND, "fingers"), TYPE(NAMES), .about = "joints that `close` and `open` move; without it those that bend fingers, and those with `closes`, `open` or `closed`: see What closes"},
    {ROW(HAND, "target"), GROUP(POSE), .fallback = "{}", .about = "pose of the tool point in the object's frame at the start: it moves and turns with the object's nominal (or believed) pose; `check --model` prints where that is in the world"},
    {ROW(HAND, "mount"), IS(gmc_robot_spec, is_mounted, "fixed"), TYPE(WORD), .words = "driven|fixed", .fallback = "driven",
     .about = "driven: phases move the base; fixed: the base stays, phases move joints"},
    {ROW(HAND, "mounted_on"), INTO(gmc_robot_spec, mounted_on), TYPE(TEXT), SOLID, .about = "ROBOT/LINK: the hand's root link is fixed to that link, the robot carries it, and phases move the robot's joints. In place of `target` and `mount`; see Robots"},
    {ROW(HAND, "pose"), GROUP(POSE), .needs = "mounted_on", SOLID, .about = "pose of the hand's root link in the link that it is mounted on; the same in all trials"},
    MATTER(HAND),
    {ROW(HAND, "self_collision"), INTO(gmc_robot_spec, self_collision), TYPE(BOOL), .fallback = "false", .about = "do links of the hand touch each other?"},

    LINKS(ROBOT, "the robot's"),
    LOOK(ROBOT),
    {ROW(ROBOT, "mounted_on"), INTO(gmc_robot_spec, mounted_on), TYPE(TEXT), .about = "ROBOT/LINK: its root link is fixed to that link of another robot; without it to the ground"},
    {ROW(ROBOT, "pose"), GROUP(POSE), .fallback = "{}", .about = "pose of its root link in the world; of a mounted robot in the link that it is mounted on, and then the same in all trials"},
    MATTER(ROBOT),
    {ROW(ROBOT, "self_collision"), INTO(gmc_robot_spec, self_collision), TYPE(BOOL), .fallback = "false", .about = "do links of the robot touch each other?"},

    {ROW(JOINT, "start"), INTO(gmc_joint_setting, start), NUMBER(JOINT_POSITION), FREE, .about = "position at the start; by default 0, in an MJCF the joint's `ref`, or the limit that is next to it"},
    {ROW(JOINT, "lower"), INTO(gmc_joint_setting, lower), NUMBER(JOINT_POSITION), FREE, .about = "lower limit of the position: a stop, which gives way by its load / 1e6 N/m (N*m/rad); with the steppers stewart_trinkle and anitescu_potra it does not give way, with song_pang_kumar it gives back 7 % of the speed"},
    {ROW(JOINT, "upper"), INTO(gmc_joint_setting, upper), NUMBER(JOINT_POSITION), FREE, .about = "upper limit of the position, likewise"},
    {ROW(JOINT, "max_force"), INTO(gmc_joint_setting, max_force), NUMBER(JOINT_FORCE), NOT_NEGATIVE, .about = "largest force or torque of the drive"},
    {ROW(JOINT, "max_speed"), INTO(gmc_joint_setting, max_speed), NUMBER(JOINT_SPEED), NOT_NEGATIVE, .about = "largest speed that the drive makes; 0: no limit. Default: the URDF's `velocity`: see What drives do"},
    {ROW(JOINT, "kp"), INTO(gmc_joint_setting, stiffness), NUMBER(JOINT_STIFFNESS), NOT_NEGATIVE, .about = "stiffness of the position servo; default: 1e4 N/m, 100 N*m/rad"},
    {ROW(JOINT, "kd"), INTO(gmc_joint_setting, servo_damping), NUMBER(JOINT_DAMPING), NOT_NEGATIVE, .about = "damping of the position servo; default: 50 N*s/m, 0.5 N*m*s/rad"},
    {ROW(JOINT, "damping"), INTO(gmc_joint_setting, damping), NUMBER(JOINT_DAMPING), NOT_NEGATIVE, .about = "viscous friction"},
    {ROW(JOINT, "friction"), INTO(gmc_joint_setting, friction), NUMBER(JOINT_FORCE), NOT_NEGATIVE, .about = "dry friction"},
    {ROW(JOINT, "armature"), INTO(gmc_joint_setting, armature), NUMBER(JOINT_INERTIA), NOT_NEGATIVE, .about = "inertia of the drive, seen at the joint"},
    {ROW(JOINT, "holds"), TYPE(BOOL), .about = "does the drive carry what hangs on the joint, besides what it does? Default: true for joints of `robots` and, where a robot carries it, for those of the hand that are no fingers; else false: see What drives do"},
    {ROW(JOINT, "encoder_resolution"), INTO(gmc_joint_setting, encoder[0]), NUMBER(JOINT_POSITION), NOT_NEGATIVE, .about = "of the joint's encoder, which `control` reads: steps of its readings; default: none"},
    {ROW(JOINT, "encoder_noise"), INTO(gmc_joint_setting, encoder[1]), NUMBER(JOINT_POSITION), NOT_NEGATIVE, .about = "standard deviation of a reading; default: none"},
    {ROW(JOINT, "encoder_bias"), INTO(gmc_joint_setting, encoder[2]), NUMBER(JOINT_POSITION), FREE, .about = "what readings are too large by; default: nothing"},
    {ROW(JOINT, "closes"), TYPE(WORD), .words = "upper|lower", .about = "of a finger: the limit that it closes towards; without it `open` and `closed` say so, or else the hand's geometry: see What closes"},
    {ROW(JOINT, "open"), INTO(gmc_joint_setting, open), NUMBER(JOINT_POSITION), FREE, .about = "of a finger: where `open` takes it; default: the limit that it closes away from"},
    {ROW(JOINT, "closed"), INTO(gmc_joint_setting, closed), NUMBER(JOINT_POSITION), FREE, .about = "of a finger: where `close` without `force` and `position` takes it; default: the limit that it closes towards"},
    {ROW(JOINT, "share"), INTO(gmc_joint_setting, share), NUMBER(NONE), NOT_NEGATIVE, .about = "of a finger: how much of a `force` of `close` it gives; default: 1"},

    {ROW(JOINT, "follows"), GROUP(FOLLOWS), .about = "the joint has no drive, it follows another of the same model, as `<mimic>` in the URDF says: see Joints that follow"},

    {ROW(FOLLOWS, "joint"), INTO(gmc_follows, leader), TYPE(NAME), NEEDED, .about = "joint that it follows, which follows none"},
    {ROW(FOLLOWS, "ratio"), INTO(gmc_follows, ratio), NUMBER(NONE), FREE, .fallback = "1", .about = "its motion over that of the joint that it follows; not 0, and the same in all trials"},
    {ROW(FOLLOWS, "offset"), INTO(gmc_follows, offset), NUMBER(JOINT_POSITION), FREE, .about = "its position where that of the other is 0; the same in all trials"},
    {ROW(FOLLOWS, "alone"), INTO(gmc_follows, alone), NUMBER(NONE), FREE, .needs = "breakaway", .about = "its motion over that of the drive while the clutch is open; not 0. Default: `ratio`"},
    {ROW(FOLLOWS, "breakaway"), INTO(gmc_follows, breakaway), NUMBER(JOINT_FORCE), POSITIVE, .about = "a clutch between the drive and the other joint, which opens where more than this would act on it; without it there is none"},

    {ROW(DRIVE, "joints"), TYPE(SHARES), .dimension = GMC_DIM_NONE, FREE, NEEDED, .about = "what its position is: the sum of joint positions, each times its number, `{FFJ2: 1, FFJ1: 1}`; its force acts on each joint times the same number. All slide, or all turn; no number is 0"},
    {ROW(DRIVE, "kp"), INTO(gmc_drive_spec, stiffness), NUMBER(JOINT_STIFFNESS), NOT_NEGATIVE, NEEDED, .about = "stiffness of the position servo on the sum; 0: it gives the force of `close` and nothing else"},
    {ROW(DRIVE, "kd"), INTO(gmc_drive_spec, servo_damping), NUMBER(JOINT_DAMPING), NOT_NEGATIVE, .about = "damping of the position servo; default: 0"},
    {ROW(DRIVE, "max_force"), INTO(gmc_drive_spec, max_force), NUMBER(JOINT_FORCE), POSITIVE, .about = "largest force or torque of the drive; default: no limit"},
    {ROW(DRIVE, "closes"), TYPE(WORD), .words = "upper|lower", .about = "of a finger: the end of its range that it closes towards; without it `open` and `closed` say so, or else the geometry of its joints"},
    {ROW(DRIVE, "open"), INTO(gmc_drive_spec, open), NUMBER(JOINT_POSITION), FREE, .about = "of a finger: where `open` takes it; default: the end of its range that it closes away from"},
    {ROW(DRIVE, "closed"), INTO(gmc_drive_spec, closed), NUMBER(JOINT_POSITION), FREE, .about = "of a finger: where `close` without `force` and `position` takes it; default: the end of its range that it closes towards"},
    {ROW(DRIVE, "share"), INTO(gmc_drive_spec, share), NUMBER(NONE), NOT_NEGATIVE, .about = "of a finger: how much of a `force` of `close` it gives; default: 1"},

    SOLIDS(ITEM),
    SECTIONS(ITEM),
    {ROW(ITEM, "thickness"), INTO(gmc_item_spec, thickness), NUMBER(LENGTH), POSITIVE, FLAT,
     .about = "of circles, super-ellipses, polygons and gears, half of it on either side of the plane; what `density` needs"},
    {ROW(ITEM, "plane"), GROUP(PLANE), NEEDED, .rival = 's', SOLID, .about = "everything below a height; fixed bodies of the scene only"},
    {ROW(ITEM, "mesh"), TYPE(FILE), NEEDED, .rival = 's', SOLID, .about = "mesh, OBJ, STL or PLY"},
    {ROW(ITEM, "unit"), TYPE(WORD), .words = "m|cm|mm|in", .rival = 'u', .needs = "mesh", SOLID, .about = "unit of the mesh's coordinates; short for `scale`"},
    {ROW(ITEM, "scale"), NUMBER(LENGTH), POSITIVE, .rival = 'u', .needs = "mesh", SOLID, .fallback = "1 m", .about = "length of one unit of the mesh's coordinates"},
    {ROW(ITEM, "convex"), IS(gmc_item_spec, convex.is_hull, "hull"), TYPE(WORD), .words = "pieces|hull", SOLID, .needs = "mesh", .fallback = "pieces",
     .about = "what stands for a closed mesh that is not convex: convex pieces computed from it, or its hull. A mesh made of convex parts is taken as it is, one with holes becomes its hull"},
    {ROW(ITEM, "convex_tolerance"), INTO(gmc_item_spec, convex.tolerance), NUMBER(LENGTH), SETTLED, POSITIVE, SOLID, .needs = "mesh",
     .about = "largest distance of the pieces' surface from the mesh; default: 1 % of the largest extent of each part. The same in all trials"},
    {ROW(ITEM, "convex_pieces"), INTO(gmc_item_spec, convex.piece_max), TYPE(INTEGER), WITHIN(1, 256), SOLID, .needs = "mesh", .fallback = "64", .about = "most pieces made of one part"},
    {ROW(ITEM, "parts"), NAMED(PART),
     .about = "further shapes that are fixed to it by name, such as feet or a handle: of the same surface, and without mass. Where they are flush they are one surface: see What is flush"},
    {ROW(ITEM, "mass"), INTO(gmc_item_spec, mass), NUMBER(MASS), POSITIVE, .rival = 'm', .about = "mass; a body that moves needs it or `density`"},
    {ROW(ITEM, "density"), INTO(gmc_item_spec, density), NUMBER(DENSITY), POSITIVE, .rival = 'm', .about = "mass per volume"},
    {ROW(ITEM, "com"), INTO(gmc_item_spec, com), VECTOR(LENGTH), FREE, .about = "centre of mass in the body frame; without it that of the shape, which is no number that can vary: `check --model` prints it, to be written here"},
    {ROW(ITEM, "inertia"), INTO(gmc_item_spec, inertia), TYPE(INERTIA), .dimension = GMC_DIM_INERTIA, FREE, .needs = "mass",
     .about = "[xx, yy, zz, xy, xz, yz] about the centre of mass; without it that of the shape"},
    {ROW(ITEM, "support"), GROUP(SUPPORT), FLAT,
     .about = "what it lies on, with `world: planar-support`: friction of its weight against the plane; without it nothing brakes it"},
    {ROW(ITEM, "path"), GROUP(PATH), FLAT, .about = "scene only: the body is driven, its place a function of time"},
    {ROW(ITEM, "push"), GROUP(PUSH), .about = "forces on its centre of mass as functions of time, whatever it touches; of bodies that move freely"},
    {ROW(ITEM, "grasps"), TYPE(GRASPS), .child = GMC_SCHEMA_GRASPS, SOLID,
     .about = "objects only: candidate grasps, a file or more about it; `study: {vary: [object, grasp]}` makes each a case"},
    {ROW(ITEM, "surface"), INTO(gmc_item_spec, surface), TYPE(NAME), NEEDED, .about = "name of its surface"},
    {ROW(ITEM, "placed"), IS(gmc_item_spec, placed_resting, "resting"), TYPE(WORD), SOLID, .words = "resting|as_given",
     .about = "resting: it touches the fixed body of the scene below its origin: the topmost there, with a `pose.z` (of the file, `--set`, `uncertain` or a study) the topmost at or below that height; without one height 0. Default for objects without `pose.z`, else as_given"},
    {ROW(ITEM, "pose"), GROUP(POSE), .fallback = "{}", .about = "pose of the body frame in the world at the start"},
    {ROW(ITEM, "free"), TYPE(BOOL), .about = "scene only: does the body move freely? default: false"},

    SOLIDS(PART),
    SECTIONS(PART),
    {ROW(PART, "pose"), GROUP(POSE), .fallback = "{}", .about = "pose of its frame in the body's"},

    RADIUS(SPHERE),

    RADIUS(ROUND),
    {ROW(ROUND, "length"), INTO(gmc_item_spec, size[1]), NUMBER(LENGTH), POSITIVE, NEEDED, .about = "length of the cylindrical part"},

    {ROW(PLANE, "height"), INTO(gmc_item_spec, size[0]), NUMBER(LENGTH), FREE, .fallback = "0 m", .about = "z of the surface in the body frame"},

    {ROW(ELLIPSE, "x"), INTO(gmc_item_spec, size[0]), NUMBER(LENGTH), POSITIVE, NEEDED, .about = "half axis a along x"},
    {ROW(ELLIPSE, "y"), INTO(gmc_item_spec, size[1]), NUMBER(LENGTH), POSITIVE, NEEDED, .about = "half axis b along y"},
    {ROW(ELLIPSE, "exponent"), INTO(gmc_item_spec, size[2]), NUMBER(NONE), .lower = 1, .upper = 100, .is_above = true, .fallback = "2", .about = "p; 2: an ellipse"},

    {ROW(GEAR, "teeth"), TYPE(INTEGER), WITHIN(3, 400), NEEDED, .about = "how many teeth"},
    {ROW(GEAR, "diameter"), NUMBER(LENGTH), SETTLED, POSITIVE, NEEDED, .about = "of the circle through the corners of the tips"},
    {ROW(GEAR, "root_diameter"), NUMBER(LENGTH), SETTLED, POSITIVE, NEEDED, .about = "of the circle through the corners of the roots"},
    {ROW(GEAR, "tip_width"), NUMBER(LENGTH), SETTLED, POSITIVE, NEEDED, .about = "of the straight outer edge of a tooth"},
    {ROW(GEAR, "flank"), NUMBER(ANGLE), SETTLED, WITHIN(-0.7853981633974483, 0.7853981633974483), .fallback = "20 deg",
     .about = "angle of a tooth's straight flanks with its middle line; positive: teeth are wider at their roots"},

    {ROW(SUPPORT, "points"), TYPE(POINTS), .dimension = GMC_DIM_LENGTH, FREE, NEEDED, .rival = 'p',
     .about = "points in the body frame on which it stands, around its centre of mass. What three carry follows from statics, more are a rigid foot on an even bed. `uncertain` knows `object.support.points: tripod(disk 15 mm)`"},
    {ROW(SUPPORT, "disk"), GROUP(SPHERE), NEEDED, .rival = 'p',
     .about = "pressure spread over a disk about the origin of the body frame: 20 points, whose friction is within 0.8 % of the disk's"},
    {ROW(SUPPORT, "polygon"), TYPE(POLYGON), SETTLED, .dimension = GMC_DIM_LENGTH, FREE, NEEDED, .rival = 'p',
     .about = "pressure spread over a polygon of the body frame: 16 points for each of its triangles. The same in all trials"},
    {ROW(SUPPORT, "friction"), TYPE(NUMBERS), .dimension = GMC_DIM_NONE, NOT_NEGATIVE, NEEDED,
     .about = "Coulomb coefficient against the plane; with `points` also a list, one for each"},
    {ROW(SUPPORT, "viscous"), INTO(gmc_item_support, viscous), NUMBER(DAMPING), NOT_NEGATIVE, .fallback = "0 N*s/m", .about = "viscous friction of the whole body"},
    {ROW(SUPPORT, "stiffness"), INTO(gmc_item_support, stiffness), NUMBER(STIFFNESS), POSITIVE, .fallback = "1e7 N/m", .about = "of one point that sticks, along the plane"},
    {ROW(SUPPORT, "relaxation"), INTO(gmc_item_support, relaxation), NUMBER(TIME), NOT_NEGATIVE, .fallback = "1 ms", .about = "time in which a point's deflection recovers"},

    {ROW(PATH, "x"), TYPE(KNOTS), .dimension = GMC_DIM_LENGTH, FREE,
     .about = "[[0 s, 0 mm], [1 s, 20 mm], ...]: straight between them, still before the first and after the last; without it as in `pose`"},
    {ROW(PATH, "y"), TYPE(KNOTS), .dimension = GMC_DIM_LENGTH, FREE, .about = "the same"},
    {ROW(PATH, "yaw"), TYPE(KNOTS), .dimension = GMC_DIM_ANGLE, FREE, .about = "the same"},

    {ROW(PUSH, "x"), TYPE(KNOTS), .dimension = GMC_DIM_FORCE, FREE, .about = "force along x: [[0 s, 0 N], [1 s, 2 N], ...], straight between them, the first before and the last after them; without it 0"},
    {ROW(PUSH, "y"), TYPE(KNOTS), .dimension = GMC_DIM_FORCE, FREE, .about = "force along y"},
    {ROW(PUSH, "z"), TYPE(KNOTS), .dimension = GMC_DIM_FORCE, FREE, SOLID, .about = "force along z"},
    {ROW(PUSH, "torque"), .type = GMC_TYPE_MOMENT, .child = GMC_SCHEMA_TORQUE, .dimension = GMC_DIM_TORQUE, FREE,
     .about = "moment about the centre of mass: in the plane about z, [[0 s, 0 N*m], ...]; in space `{x: [[0 s, 0 N*m], ...], y: ..., z: ...}`"},
    {ROW(PUSH, "frame"), IS(gmc_course_spec, in_body_frame, "body"), TYPE(WORD), .words = "world|body", SOLID, .fallback = "world",
     .about = "in which forces and moments are seen; the body's turns with it"},

    {ROW(PUSH, "servo"), GROUP(SERVO), FLAT,
     .about = "what `control` is asked for where it moves the body (`object/x`, `NAME/yaw`): PD towards a place that may move, on top of the forces above. Without `control` it does nothing"},

    {ROW(SERVO, "kp"), INTO(gmc_course_spec, kp), NUMBER(STIFFNESS), NOT_NEGATIVE, .fallback = "0 N/m", .about = "of x and y"},
    {ROW(SERVO, "kd"), INTO(gmc_course_spec, kd), NUMBER(DAMPING), NOT_NEGATIVE, .fallback = "0 N*s/m", .about = "of x and y"},
    {ROW(SERVO, "turn_kp"), INTO(gmc_course_spec, turn_kp), NUMBER(ANGULAR_STIFFNESS), NOT_NEGATIVE, .fallback = "0 N*m/rad", .about = "of yaw"},
    {ROW(SERVO, "turn_kd"), INTO(gmc_course_spec, turn_kd), NUMBER(ANGULAR_DAMPING), NOT_NEGATIVE, .fallback = "0 N*m*s/rad", .about = "of yaw"},
    {ROW(SERVO, "x"), TYPE(KNOTS), .dimension = GMC_DIM_LENGTH, FREE, .about = "where its body frame is wanted, [[0 s, 0 mm], [1 s, 20 mm], ...] as in `path`; without it where it starts"},
    {ROW(SERVO, "y"), TYPE(KNOTS), .dimension = GMC_DIM_LENGTH, FREE, .about = "the same"},
    {ROW(SERVO, "yaw"), TYPE(KNOTS), .dimension = GMC_DIM_ANGLE, FREE, .about = "the same"},

    {ROW(TORQUE, "x"), TYPE(KNOTS), .dimension = GMC_DIM_TORQUE, FREE, SOLID, .about = "moment about x, likewise"},
    {ROW(TORQUE, "y"), TYPE(KNOTS), .dimension = GMC_DIM_TORQUE, FREE, SOLID, .about = "moment about y"},
    {ROW(TORQUE, "z"), TYPE(KNOTS), .dimension = GMC_DIM_TORQUE, FREE, SOLID, .about = "moment about z"},

    {ROW(POSE, "x"), INTO(gmc_pose_spec, x), NUMBER(LENGTH), FREE, .fallback = "0 m", .about = "position"},
    {ROW(POSE, "y"), INTO(gmc_pose_spec, y), NUMBER(LENGTH), FREE, .fallback = "0 m", .about = "position"},
    {ROW(POSE, "z"), INTO(gmc_pose_spec, z), NUMBER(LENGTH), FREE, SOLID, .fallback = "0 m", .about = "position"},
    {ROW(POSE, "roll"), INTO(gmc_pose_spec, roll), NUMBER(ANGLE), FREE, SOLID, .fallback = "0 rad", .about = "turn about the fixed x axis, first"},
    {ROW(POSE, "pitch"), INTO(gmc_pose_spec, pitch), NUMBER(ANGLE), FREE, SOLID, .fallback = "0 rad", .about = "turn about the fixed y axis, second"},
    {ROW(POSE, "yaw"), INTO(gmc_pose_spec, yaw), NUMBER(ANGLE), FREE, .fallback = "0 rad", .about = "turn about the fixed z axis, third"},

    {ROW(GRASPS, "file"), TYPE(FILE), NEEDED, .about = "the file"},
    {ROW(GRASPS, "format"), TYPE(WORD), .words = "isaac_grasp|graspgen|csv|acronym", .about = "its format; without it as it looks"},
    {ROW(GRASPS, "frame"), INTO(gmc_grasp_set, frame), TYPE(NAME),
     .about = "link of the hand whose pose the file gives: its base as a rule, where `hand.frame` is the tool point. The two must move together. Without it `hand.frame`"},
    {ROW(GRASPS, "gripper"), GROUP(OFFSET), .fallback = "{}", .about = "pose of the file's gripper frame in that link's, where they are not the same"},
    {ROW(GRASPS, "object"), GROUP(OFFSET), .fallback = "{}", .about = "pose of the file's object frame in the object's, where they are not the same: a mesh that was moved into its centre, say"},
    {ROW(GRASPS, "joints"), INTO(gmc_grasp_set, joints), TYPE(WORD), .words = "open|closed|none", .fallback = "open",
     .about = "positions at which joints start. open: those before the grasp (pregrasp_cspace_position), else those in it; closed: those in it (cspace_position); none: as under `hand`"},
    {ROW(GRASPS, "where"), TYPE(TEXT),
     .about = "which grasps are taken: a claim about `confidence`, `row` (from 0) and `x`, `y`, `z` of a pose, such as `confidence > 0.3`; a confidence that the file does not give fulfils none"},
    {ROW(GRASPS, "first"), TYPE(INTEGER), WITHIN(1, 1e6), .about = "of these the first so many, in the order of the file"},

    {ROW(OFFSET, "x"), NUMBER(LENGTH), SETTLED, FREE, .fallback = "0 m", .about = "position"},
    {ROW(OFFSET, "y"), NUMBER(LENGTH), SETTLED, FREE, .fallback = "0 m", .about = "position"},
    {ROW(OFFSET, "z"), NUMBER(LENGTH), SETTLED, FREE, .fallback = "0 m", .about = "position"},
    {ROW(OFFSET, "roll"), NUMBER(ANGLE), SETTLED, FREE, .fallback = "0 rad", .about = "turn about the fixed x axis, first"},
    {ROW(OFFSET, "pitch"), NUMBER(ANGLE), SETTLED, FREE, .fallback = "0 rad", .about = "turn about the fixed y axis, second"},
    {ROW(OFFSET, "yaw"), NUMBER(ANGLE), SETTLED, FREE, .fallback = "0 rad", .about = "turn about the fixed z axis, third"},

    {ROW(CLUTTER, "kinds"), NAMED(KIND), NEEDED, .about = "what the bodies are: body 1 is of the first kind, body 2 of the second, and so on in turn"},
    {ROW(CLUTTER, "bodies"), TYPE(INTEGER), WITHIN(1, 500), NEEDED, .about = "how many are made"},
    {ROW(CLUTTER, "count"), NUMBER(NONE), WITHIN(0, 500),
     .about = "how many of them take part, the first ones; a number like any other, so that a study can vary it. Default: all. Bodies that take no part are NaN in trajectories"},
    {ROW(CLUTTER, "from"), INTO(gmc_clutter_spec, from), VECTOR(LENGTH), FREE, NEEDED,
     .about = "lower corner of the region, in the world. It is divided into cells as large as the largest body; each body starts in a cell of its own, so none overlap, and the lowest layer of cells fills first"},
    {ROW(CLUTTER, "to"), INTO(gmc_clutter_spec, to), VECTOR(LENGTH), FREE, NEEDED, .about = "upper corner"},
    {ROW(CLUTTER, "gap"), INTO(gmc_clutter_spec, gap), NUMBER(LENGTH), NOT_NEGATIVE, .fallback = "2 mm", .about = "least distance between two bodies at the start"},
    {ROW(CLUTTER, "arrangement"), INTO(gmc_clutter_spec, arrangement), NUMBER(NONE), WITHIN(0, 1), .fallback = "0",
     .about = "stands for one arrangement: which cell, where in it and how it is turned follow for each body from this number and the body's own, whatever `count` is. As a rule uncertain: `clutter.arrangement: uniform(0, 1)`"},

    SOLIDS(KIND),
    {ROW(KIND, "mass"), NUMBER(MASS), POSITIVE, .rival = 'm', .about = "mass; it or `density` is needed"},
    {ROW(KIND, "density"), NUMBER(DENSITY), POSITIVE, .rival = 'm', .about = "mass per volume"},
    {ROW(KIND, "surface"), TYPE(NAME), NEEDED, .about = "name of its surface"},

    {ROW(CAMERA, "pose"), GROUP(VIEW), NEEDED,
     .about = "pose of the camera's frame in the world: x to the right of the picture, y down, z into its depth"},

    {ROW(VIEW, "xyz"), INTO(gmc_camera_spec, xyz), VECTOR(LENGTH), FREE, NEEDED, .about = "position"},
    {ROW(VIEW, "look_at"), INTO(gmc_camera_spec, point), TYPE(AIM), .dimension = GMC_DIM_LENGTH, FREE,
     .about = "what is in the middle of the picture: `object`, a body of the scene, or [x, y, z]; of a body its nominal place, for cameras do not follow chance. The picture is upright; straight down or up its upper side is the world's y. Excludes roll, pitch and yaw"},
    {ROW(VIEW, "roll"), INTO(gmc_camera_spec, roll), NUMBER(ANGLE), FREE, .about = "in place of `look_at`: turns as of any pose; without any the camera looks up"},
    {ROW(VIEW, "pitch"), INTO(gmc_camera_spec, pitch), NUMBER(ANGLE), FREE, .about = "likewise"},
    {ROW(VIEW, "yaw"), INTO(gmc_camera_spec, yaw), NUMBER(ANGLE), FREE, .about = "likewise"},

    {ROW(BELIEVED, "use"), TYPE(FILE), .about = "keys of `believed` from another file; what stands beside it overrides them"},
    {ROW(BELIEVED, "object.pose"), GROUP(SIGHT), NEEDED, .about = "where the object is seen: its true pose in the trial, and an error"},

    {ROW(SIGHT, "seen_by"), INTO(gmc_sight_spec, seen_by), TYPE(NAME), SOLID, .about = "camera in whose axes errors are given: z is depth; without it they are the world's"},
    {ROW(SIGHT, "x"), INTO(gmc_sight_spec, error[0]), NUMBER(LENGTH), FREE, .fallback = "0 m", .about = "error that all trials have: the seen place less the true one"},
    {ROW(SIGHT, "y"), INTO(gmc_sight_spec, error[1]), NUMBER(LENGTH), FREE, .fallback = "0 m", .about = "likewise"},
    {ROW(SIGHT, "z"), INTO(gmc_sight_spec, error[2]), NUMBER(LENGTH), FREE, SOLID, .fallback = "0 m", .about = "likewise"},
    {ROW(SIGHT, "roll"), INTO(gmc_sight_spec, error[3]), NUMBER(ANGLE), FREE, SOLID, .fallback = "0 rad",
     .about = "turn that takes the true pose to the seen one: x of its rotation vector, about the object's origin"},
    {ROW(SIGHT, "pitch"), INTO(gmc_sight_spec, error[4]), NUMBER(ANGLE), FREE, SOLID, .fallback = "0 rad", .about = "y of it"},
    {ROW(SIGHT, "yaw"), INTO(gmc_sight_spec, error[5]), NUMBER(ANGLE), FREE, .fallback = "0 rad", .about = "z of it"},
    {ROW(SIGHT, "sd"), GROUP(SPREAD), .rival = 'e', .about = "standard deviations of normal errors on top; what is not given has none"},
    {ROW(SIGHT, "covariance"), TYPE(FILE), .rival = 'e',
     .about = "the same from a CSV file: a header such as `x,y,z,roll,pitch,yaw` and as many rows, in m2, m*rad and rad2"},
    {ROW(SIGHT, "samples"), TYPE(FILE), .rival = 'e',
     .about = "measured errors from a CSV file, columns such as `x [mm]` and `yaw [deg]`: each trial has those of one row"},
    {ROW(SIGHT, "correlation"), TYPE(CORRELATED), WITHIN(-1, 1), .needs = "sd", .about = "correlation coefficients: `{z/pitch: 0.6, x/yaw: -0.3}`"},
    {ROW(SIGHT, "grows_with"), GROUP(GROWTH), .needs = "seen_by", SOLID, .about = "all errors above grow with the distance between camera and object"},
    {ROW(SIGHT, "outliers"), GROUP(OUTLIERS), .about = "now and then the object is taken for one that is turned"},

    {ROW(SPREAD, "x"), NUMBER(LENGTH), NOT_NEGATIVE, .about = "along x"},
    {ROW(SPREAD, "y"), NUMBER(LENGTH), NOT_NEGATIVE, .about = "along y"},
    {ROW(SPREAD, "z"), NUMBER(LENGTH), NOT_NEGATIVE, SOLID, .about = "along z, with `seen_by` the depth"},
    {ROW(SPREAD, "roll"), NUMBER(ANGLE), NOT_NEGATIVE, SOLID, .about = "about x"},
    {ROW(SPREAD, "pitch"), NUMBER(ANGLE), NOT_NEGATIVE, SOLID, .about = "about y"},
    {ROW(SPREAD, "yaw"), NUMBER(ANGLE), NOT_NEGATIVE, .about = "about z"},

    {ROW(GROWTH, "distance"), INTO(gmc_sight_spec, distance), NUMBER(LENGTH), POSITIVE, NEEDED, .about = "where errors are as given"},
    {ROW(GROWTH, "power"), INTO(gmc_sight_spec, power), NUMBER(NONE), WITHIN(0, 4), .fallback = "1",
     .about = "errors are those times (distance / this distance) to this power; 2 is that of depth by triangulation"},

    {ROW(OUTLIERS, "share"), NUMBER(NONE), WITHIN(0, 1), NEEDED, .about = "how often"},
    {ROW(OUTLIERS, "turn"), INTO(gmc_sight_spec, turn), NUMBER(ANGLE), FREE, .fallback = "180 deg", .about = "by how much; errors come on top"},
    {ROW(OUTLIERS, "about"), INTO(gmc_sight_spec, about), TYPE(WORD), .words = "object.x|object.y|object.z", .fallback = "object.z", .about = "axis of the object through its origin"},

    {ROW(SURFACE, "stiffness"), INTO(gmc_surface_spec, stiffness), NUMBER(STIFFNESS), POSITIVE, .fallback = "2e6 N/m",
     .about = "of one contact point, of one side; two sides act in series: two defaults make 1e6 N/m"},
    {ROW(SURFACE, "relaxation"), INTO(gmc_surface_spec, relaxation), NUMBER(TIME), NOT_NEGATIVE, .fallback = "1 ms",
     .about = "time in which an indentation recovers, at least; of the default stepper what moves much mass takes longer, 6/sqrt(k W) with the inverse mass W that the contact feels, so that it is not thrown back"},
    {ROW(SURFACE, "poisson"), INTO(gmc_surface_spec, poisson), NUMBER(NONE), WITHIN(0, 0.5), .fallback = "0.3", .about = "Poisson ratio; sets tangential against normal stiffness"},

    {ROW(SURFACE, "pad"), GROUP(PAD), SOLID,
     .about = "the surface is an elastic layer, a bed of springs under it, in place of `stiffness`: see Pads"},
    {ROW(SURFACE, "grain"), TYPE(AXIS), FREE, SOLID,
     .about = "direction in the frame of the body (of a hand: of the link) along which friction has its first coefficient, where a pair gives `across`: x, y, z, -x, -y, -z or [x, y, z]"},

    {ROW(PAD, "thickness"), INTO(gmc_surface_spec, pad_thickness), NUMBER(LENGTH), .lower = 1e-6, .upper = INFINITY, NEEDED, .about = "thickness t of the layer, at most that of the finger where it closes"},
    {ROW(PAD, "modulus"), INTO(gmc_surface_spec, pad_modulus), NUMBER(PRESSURE), POSITIVE, NEEDED, .about = "Young's modulus E: a stiffness per area of E (1 - nu) / ((1 + nu)(1 - 2 nu) t), in shear E / (2 (1 + nu) t)"},
    {ROW(PAD, "poisson"), INTO(gmc_surface_spec, pad_poisson), NUMBER(NONE), WITHIN(0, 0.49), .fallback = "0",
     .about = "Poisson ratio nu of a layer that cannot swell sideways; 0: it can, E/t (foams, pads with free sides)"},

    {ROW(FRICTION, "static"), NUMBER(NONE), NOT_NEGATIVE, NEEDED,
     .about = "coefficient of what sticks; with `across` along the grain. Its path is the pair's, `friction.rubber/abs`; changing it there (`uncertain`, `study`, `--set`) scales `kinetic` and `across` with it, while a pair's number over the map of a file in `use` is `static` alone"},
    {ROW(FRICTION, "kinetic"), INTO(gmc_friction_spec, kinetic), NUMBER(NONE), NOT_NEGATIVE, .about = "coefficient of what slides, at most `static`; without it the same"},
    {ROW(FRICTION, "threshold"), INTO(gmc_friction_spec, threshold), NUMBER(SPEED), NOT_NEGATIVE, .needs = "kinetic", .fallback = "1 mm/s",
     .about = "what slides slower than this has the static coefficient again"},
    {ROW(FRICTION, "across"), INTO(gmc_friction_spec, across), NUMBER(NONE), NOT_NEGATIVE, SOLID,
     .about = "coefficient across the grain of one of the two surfaces: an elliptic cone, slip normal to it"},
    {ROW(FRICTION, "torsion"), INTO(gmc_friction_spec, torsion), NUMBER(LENGTH), NOT_NEGATIVE, SOLID,
     .about = "largest moment about the normal that a contact point bears, over its normal force; without it 0. With `coulomb` it is elastic below that, as a round patch of radius 1.5 torsion/mu is: what is held gives way by up to mu^2 N/(0.93 k torsion) before it turns on, k the stiffness of the contact (5 mrad for 1 kg on 0.5 mm with mu = 0.5 at 1e6 N/m), and what is spun does not stop dead but swings about its end by that; the rigid steppers hold it still. It comes on top of what flat contacts bear: with `coulomb` friction of a face, an edge or a cylinder's end acts nearer to the middle of its pressure than its few contact points, and bears about what uniform pressure bears. Alone or together with a force in any direction within 3 % on rectangles, strips, lines, regular polygons, triangles and whole ends of cylinders, on irregular polygons within 2 % alone and 4 % together, where the load tells how faces press and where they are pinched; 5 % more on crossed boards, 12 % more on an end that lies across the seam of flush plates, 15 % more on frames and wide feet, up to 24 % off on an end that laps over an edge. Pressure that is off the middle counts as linear. What slides and turns at once comes to rest up to 15 % too far off, a line that mostly turns 80 %. With the rigid steppers friction acts at the corners, where a square bears 1.9 times the moment"},
    {ROW(FRICTION, "rolling"), INTO(gmc_friction_spec, rolling), NUMBER(LENGTH), NOT_NEGATIVE,
     .about = "largest moment about the tangents that a contact point bears, over its normal force; without it 0"},
    {ROW(FRICTION, "restitution"), INTO(gmc_friction_spec, restitution), NUMBER(NONE), WITHIN(0, 1),
     .about = "speed at which an impact separates against that of its approach; without it impacts do not bounce (song_pang_kumar without `damping_ratio`: 7 % of the speed is left). What strikes, slides, stops sliding and turns back within the blow gets friction between that of one instant and that of the two parts that the blow is solved in (a rod at 65 deg, friction 0.1: 0 to 0.1 of the normal impulse, by where in a step it touches; -0.02 by Routh's integral)"},
    {ROW(FRICTION, "damping_ratio"), INTO(gmc_friction_spec, damping_ratio), NUMBER(NONE), WITHIN(0, 100),
     .about = "damping of the contact over the critical one, in place of the surfaces' `relaxation`, where the stepper is song_pang_kumar: c = 2 zeta sqrt(k m) with the mass m that the contact moves; an impact lasts until the overlap ends and gives back exp(-pi zeta/sqrt(1 - zeta^2)) of its speed"},
    {ROW(FRICTION, "bounce_speed"), INTO(gmc_friction_spec, bounce_speed), NUMBER(SPEED), NOT_NEGATIVE, .needs = "restitution", .fallback = "10 mm/s",
     .about = "what touches slower than this does not bounce"},

    {ROW(PHASE, "preset"), TYPE(TEXT), NEEDED, .rival = 'p', .about = "a program by name and version, `six_gravities@1`, which stands for its phases: see Presets"},
    {ROW(PHASE, "close"), GROUP(CLOSE), NEEDED, .rival = 'p', .about = "fingers close by force or to a position; slip counts from the end of the last one"},
    {ROW(PHASE, "open"), GROUP(OPEN), NEEDED, .rival = 'p', .about = "fingers go to a position"},
    {ROW(PHASE, "lift"), GROUP(LIFT), NEEDED, .rival = 'p', .about = "the base moves along the world's z, with `world: planar` along y"},
    {ROW(PHASE, "move"), GROUP(MOVE), NEEDED, .rival = 'p', .about = "the base moves by a vector, or a joint by an amount; a finger that presses goes on from there with its servo, and presses again afterwards"},
    {ROW(PHASE, "turn"), GROUP(TURN), NEEDED, .rival = 'p', .about = "the base turns about an axis through the tool point"},
    {ROW(PHASE, "shake"), GROUP(SHAKE), NEEDED, .rival = 'p', .about = "the base or a joint swings"},
    {ROW(PHASE, "move_to"), GROUP(MOVE_TO), NEEDED, .rival = 'p', .about = "joints go to positions, all in one motion, or the tool point to a pose; see Motion of arms"},
    {ROW(PHASE, "hold"), GROUP(HOLD), NEEDED, .rival = 'p', .about = "nothing changes"},
    {ROW(PHASE, "set"), GROUP(SET), NEEDED, .rival = 'p', .about = "parameters change: `set: {friction.rubber/abs: 0.1, in: 0.1 s}`. Friction, gravity, sizes of fixed bodies of the scene (places of their parts too), mass, density and support friction of bodies that move freely, and parameters from which only such sizes or only such masses follow. What moves keeps its velocity when its mass changes, and all of its inertia grows with the mass unless `inertia` says what it is. What is moved so carries nothing along sideways, and lifts what lies on it by energy that the balance misses"},
    {ROW(PHASE, "pull"), GROUP(PULL), NEEDED, .rival = 'p', .about = "a force on the centre of mass of a free body grows from 0 while the hand holds; afterwards it is gone"},

    {ROW(CLOSE, "name"), TYPE(NAME), .about = "what results call the phase; default: its kind, numbered from the second on"},
    {ROW(CLOSE, "force"), INTO(gmc_phase_spec, force), NUMBER(JOINT_FORCE), POSITIVE, .rival = 'f', .about = "force of each finger, in the direction that closes"},
    {ROW(CLOSE, "position"), INTO(gmc_phase_spec, position), NUMBER(JOINT_POSITION), FREE, .rival = 'f', .about = "joint position of each finger; without `force` and `position` each goes to its `closed`"},
    {ROW(CLOSE, "speed"), INTO(gmc_phase_spec, speed), NUMBER(JOINT_SPEED), POSITIVE, .about = "speed of the position reference, or limit on the speed of a force close; at most the joint's `max_speed`, and without it (and `in`) that"},
    {ROW(CLOSE, "ramp"), INTO(gmc_phase_spec, ramp), NUMBER(TIME), NOT_NEGATIVE, .needs = "force", .fallback = "0.1 s", .about = "the force grows smoothly over this, in later phases too if its own is over before"},
    {ROW(CLOSE, "until"), FROM(gmc_phase_spec, until, GMC_END_STALLED), TYPE(WORD), .words = "stalled|in_contact", .rival = 'e',
     .about = "stalled: no finger moves any more; in_contact: every finger touches. Default: stalled"},
    {ROW(CLOSE, "for"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, .rival = 'e', .about = "lasts this long"},
    {ROW(CLOSE, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, .rival = 'e', .about = "reaches the position in this time"},
    {ROW(CLOSE, "at_most"), INTO(gmc_phase_spec, at_most), NUMBER(TIME), POSITIVE, .needs = "until", .fallback = "1 s", .about = "ends after this even without the event"},

    NAME_AS_OF_CLOSE(OPEN),
    {ROW(OPEN, "position"), INTO(gmc_phase_spec, position), NUMBER(JOINT_POSITION), FREE, .about = "joint position of each finger; without it each goes to its `open`"},
    {ROW(OPEN, "speed"), INTO(gmc_phase_spec, speed), NUMBER(JOINT_SPEED), POSITIVE, .about = "speed of the position reference; without it as `in` says"},
    {ROW(OPEN, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, .fallback = "0.5 s", .about = "lasts this long"},

    NAME_AS_OF_CLOSE(LIFT),
    {ROW(LIFT, "by"), INTO(gmc_phase_spec, by[2]), NUMBER(LENGTH), FREE, NEEDED, .about = "upwards; negative: down"},
    {ROW(LIFT, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, NEEDED, .about = "lasts this long"},

    NAME_AS_OF_CLOSE(MOVE),
    {ROW(MOVE, "by"), TYPE(STEPS), .dimension = GMC_DIM_JOINT_POSITION, FREE, NEEDED, .about = "[x, y, z] of the base, or one amount of `joint`"},
    {ROW(MOVE, "joint"), INTO(gmc_phase_spec, joint), TYPE(NAME), .about = "joint that moves instead of the base: one of the hand, or ROBOT/JOINT"},
    {ROW(MOVE, "frame"), IS(gmc_phase_spec, in_hand_frame, "hand"), TYPE(WORD), .words = "world|hand", .fallback = "world", .about = "in which `by` is seen"},
    {ROW(MOVE, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, NEEDED, .about = "lasts this long"},

    NAME_AS_OF_CLOSE(TURN),
    {ROW(TURN, "axis"), INTO(gmc_phase_spec, axis), TYPE(AXIS), FREE, NEEDED, .about = "x, y, z, -x, -y, -z or [x, y, z]"},
    {ROW(TURN, "by"), INTO(gmc_phase_spec, angle), NUMBER(ANGLE), FREE, NEEDED, .about = "right-handed about the axis"},
    {ROW(TURN, "frame"), IS(gmc_phase_spec, in_hand_frame, "hand"), TYPE(WORD), .words = "world|hand", .fallback = "world", .about = "in which `axis` is seen"},
    {ROW(TURN, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, NEEDED, .about = "lasts this long"},

    NAME_AS_OF_CLOSE(SHAKE),
    {ROW(SHAKE, "axis"), TYPE(AXIS), FREE, NEEDED, .rival = 'a', .about = "swings along it"},
    {ROW(SHAKE, "about"), TYPE(AXIS), FREE, NEEDED, .rival = 'a', .about = "swings about it, through the tool point"},
    {ROW(SHAKE, "joint"), INTO(gmc_phase_spec, joint), TYPE(NAME), NEEDED, .rival = 'a', .about = "joint that swings instead of the base: one of the hand, or ROBOT/JOINT"},
    {ROW(SHAKE, "amplitude"), INTO(gmc_phase_spec, amplitude), NUMBER(JOINT_POSITION), NOT_NEGATIVE, NEEDED, .about = "a length along an axis, an angle about one"},
    {ROW(SHAKE, "frequency"), INTO(gmc_phase_spec, frequency), NUMBER(FREQUENCY), POSITIVE, NEEDED, .about = "swings per second; of fewer than ten time steps each they are a mistake, or a trial that draws them unsolved"},
    {ROW(SHAKE, "for"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, NEEDED, .about = "lasts this long"},
    {ROW(SHAKE, "ramp"), NUMBER(TIME), NOT_NEGATIVE, .fallback = "0.1 s", .about = "the amplitude grows and fades smoothly over this; at most half of `for`. 0: it swings in full from start to end and stays where it then is"},
    {ROW(SHAKE, "frame"), IS(gmc_phase_spec, in_hand_frame, "hand"), TYPE(WORD), .words = "world|hand", .fallback = "world", .about = "in which the axis is seen"},

    NAME_AS_OF_CLOSE(MOVE_TO),
    {ROW(MOVE_TO, "joints"), TYPE(GOALS), .dimension = GMC_DIM_JOINT_POSITION, FREE, NEEDED, .rival = 'w',
     .about = "joint -> position at the end, `{j1: 10 deg, j2: 45 deg}`; or -> places that it passes, `{j1: [[1 s, 10 deg], [2 s, 30 deg]]}`, smoothly and at times since the phase began, the same ones for all joints named"},
    {ROW(MOVE_TO, "pose"), GROUP(POSE), NEEDED, .rival = 'w', .about = "of the tool point (`hand.frame`, without it the hand's root link) at the end; every joint of the robot that carries the hand, or of the hand itself, between the world and it may move. Where several joint positions lead there: those found first from where the joints are"},
    {ROW(MOVE_TO, "robot"), INTO(gmc_phase_spec, robot), TYPE(NAME), .needs = "pose", .about = "whose joints move; required where more than one robot carries the hand. Without robots the hand's own joints do"},
    {ROW(MOVE_TO, "straight"), INTO(gmc_phase_spec, is_straight), TYPE(BOOL), .needs = "pose", .fallback = "false", .about = "true: the tool point goes along a straight line and turns about one axis"},
    {ROW(MOVE_TO, "frame"), IS(gmc_phase_spec, in_object_frame, "object"), TYPE(WORD), .words = "world|object", .needs = "pose", .fallback = "world", .about = "in which `pose` is; object: that of the object when the phase begins, where it is seen: as it is, with `believed` with the error of the trial"},
    {ROW(MOVE_TO, "reach"), IS(gmc_phase_spec, is_planned, "plan"), TYPE(WORD), .words = "direct|plan", .fallback = "direct", .about = "plan: around what stands there, stopping where it turns; direct: whatever is in the way"},
    {ROW(MOVE_TO, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, .about = "lasts this long, or longer: until no joint is faster than its `max_speed` or needs more than its `max_force`. Places with times need none"},
    {ROW(MOVE_TO, "at_most"), INTO(gmc_phase_spec, at_most), NUMBER(TIME), POSITIVE, .fallback = "10 s", .about = "how long it may last where limits make it longer; beyond that it is unreachable"},

    NAME_AS_OF_CLOSE(HOLD),
    {ROW(HOLD, "for"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, NEEDED, .rival = 'e', .about = "lasts this long"},
    {ROW(HOLD, "until"), FROM(gmc_phase_spec, until, GMC_END_AT_REST), TYPE(WORD), .words = "at_rest", NEEDED, .rival = 'e', .about = "at_rest: the object does not move any more"},
    {ROW(HOLD, "at_most"), INTO(gmc_phase_spec, at_most), NUMBER(TIME), POSITIVE, .needs = "until", .fallback = "1 s", .about = "ends after this even without the event"},

    NAME_AS_OF_CLOSE(SET),
    {ROW(SET, "in"), INTO(gmc_phase_spec, duration), NUMBER(TIME), NOT_NEGATIVE, .fallback = "0 s", .about = "changes smoothly over this; 0: at once"},

    NAME_AS_OF_CLOSE(PULL),
    {ROW(PULL, "body"), INTO(gmc_phase_spec, body), TYPE(NAME), .fallback = "object", .about = "what is pulled: `object`, or a body of the scene with `free: true`"},
    {ROW(PULL, "axis"), INTO(gmc_phase_spec, axis), TYPE(AXIS), FREE, NEEDED, .about = "x, y, z, -x, -y, -z or [x, y, z], in the world"},
    {ROW(PULL, "grows"), INTO(gmc_phase_spec, grows), NUMBER(FORCE_RATE), POSITIVE, NEEDED, .about = "force per time"},
    {ROW(PULL, "until"), FROM(gmc_phase_spec, until, GMC_END_SLIPPED), TYPE(WORD), .words = "slipped", .rival = 'e',
     .about = "slipped: the body's centre of mass has moved by `by` in the frame of the hand's tool point (without a hand: in the world) since the phase began. Default: slipped"},
    {ROW(PULL, "by"), INTO(gmc_phase_spec, slip), NUMBER(LENGTH), POSITIVE, .needs = "until", .fallback = "1 mm", .about = "how far"},
    {ROW(PULL, "at_most"), INTO(gmc_phase_spec, at_most), NUMBER(TIME), POSITIVE, .needs = "until", .fallback = "10 s", .about = "ends after this even without a slip"},
    {ROW(PULL, "for"), INTO(gmc_phase_spec, duration), NUMBER(TIME), POSITIVE, .rival = 'e', .about = "lasts this long, slip or not"},
    {ROW(CONTROL, "rate"), INTO(gmc_control_spec, rate), NUMBER(FREQUENCY), .lower = 1, .upper = 1e5, NEEDED, .about = "calls per second"},
    {ROW(CONTROL, "delay"), INTO(gmc_control_spec, delay), NUMBER(TIME), WITHIN(0, 1), .fallback = "0 s", .about = "from a call until its torque acts, which it does for a period"},
    {ROW(CONTROL, "encoder_delay"), INTO(gmc_control_spec, encoder_delay), NUMBER(TIME), WITHIN(0, 1), .fallback = "0 s", .about = "from a reading of the encoders until the call that sees it"},
    {ROW(CONTROL, "joints"), TYPE(NAMES), .about = "joints that it moves, of the hand `JOINT`, of a robot `ROBOT/JOINT`, drives of several joints by their names, and in planar worlds bodies that move freely, `object/x`, `object/y`, `NAME/yaw`, by forces on their centre of mass in place of `push`; without it all of the hand that move on their own. The others keep their servos, and hold"},
    {ROW(CONTROL, "sees"), TYPE(NAMES),
     .about = "what it sees besides encoders and references: touch, which links of the hand touch something; forces, of contacts on each link; object, where the robot believes the object to be at the start"},
    {ROW(CONTROL, "by"), TYPE(LAW), .child = GMC_SCHEMA_CONTROLLER, NEEDED, .about = "who answers; `by: pd` is short for `by: {law: pd}`"},
    {ROW(CONTROL, "answer_within"), INTO(gmc_control_spec, answer_within), NUMBER(TIME), SETTLED, POSITIVE, .fallback = "10 s",
     .about = "of a command: wall-clock time for an answer. After it the run stops with exit code 75, for no verdict may come from a clock"},

    {ROW(CONTROL, "as_case"), TYPE(INTEGER), SETTLED, WITHIN(0, DRAWS_MAX), .needs = "as_draw", .about = "and of this case"},
    {ROW(CONTROL, "as_draw"), TYPE(INTEGER), SETTLED, WITHIN(0, DRAWS_MAX), .about = "chance of encoders is that of this draw, and so is what a library or a command is told, in all trials: `extract` writes it. Without it each trial has its own"},

    {ROW(CONTROLLER, "law"), FROM(gmc_control_spec, law, GMC_CONTROL_PD), TYPE(WORD), .words = "pd|computed_torque|gravity", NEEDED, .rival = 'b',
     .about = "pd: `kp` and `kd` of the joints on the references of the phases; computed_torque: the same and what the references take by inverse dynamics of this trial's model; gravity: what holds the weight, and no more"},
    {ROW(CONTROLLER, "torques"), TYPE(FILE), NEEDED, .rival = 'b', .about = "a CSV file, `time` in s and a column for each joint in N or N*m: each row holds from its time on"},
    {ROW(CONTROLLER, "library"), TYPE(TEXT), NEEDED, .rival = 'b', .about = "a shared library that exports what graspmc_controller.h says, beside the scenario; runs with `--allow-control` alone"},
    {ROW(CONTROLLER, "command"), TYPE(NAMES), NEEDED, .rival = 'b',
     .about = "a program and its arguments, started in the scenario's folder, one for each worker, that is asked over pipes (`graspmc.py` has the other end); runs with `--allow-control` alone"},
    {ROW(CONTROLLER, "arguments"), TYPE(ARGUMENTS), FREE, .about = "numbers that a library or a command is told at the start of each trial, with paths such as `control.by.arguments.gain`"},

    {ROW(SUCCESS, "at_end"), TYPE(CRITERIA), NEEDED, .about = "must hold when the program is over"},
    {ROW(SUCCESS, "always"), TYPE(CRITERIA), .about = "must hold after every step; a trial that breaks one has failed, and with `simulation.early.broken` ends there"},
    {ROW(SUCCESS, "from"), .type = GMC_TYPE_MAPS, .child = GMC_SCHEMA_FROM,
     .about = "what must hold after every step from the end of a phase on: `from: [{phase: lift, hold: [\"slip(object, hand) <= 5 mm\"]}]`; otherwise as `always`"},
    {ROW(SUCCESS, "at_phase_end"), TYPE(AT_PHASES),
     .about = "what must hold at the instant at which a phase ends: `at_phase_end: {close: [closure(object) >= 1]}`; judged when the program is over, as `at_end`"},

    {ROW(FROM, "phase"), TYPE(NAME), NEEDED, .about = "name of a phase, not the last: its kind, numbered from the second on, or its `name`"},
    {ROW(FROM, "hold"), TYPE(CRITERIA), NEEDED, .about = "must hold after every step that begins with that phase over"},

    {ROW(STUDY, "vary"), TYPE(AXES), NEEDED,
     .about = "path -> `[a, b, c]`, `grid(a, b, step s)`, `grid(a, b, n)` or, with `designs` or `optimise`, `between(a, b)`; `object: [mug, drill]`, `object: all` and `grasp: all`, for which `[object]`, `[grasp]` and `[object, grasp]` are short; the last axis runs fastest"},
    {ROW(STUDY, "designs"), INTO(gmc_scenario, design_count), TYPE(INTEGER), WITHIN(1, 1e6),
     .about = "how many designs: points of the box that the axes `between` span, each as likely. Design k is the same whatever their number and the seed"},
    {ROW(STUDY, "require"), TYPE(CRITERIA), .needs = "designs",
     .about = "claims about parameters that every design fulfils, such as `gap.width >= 2 * pin.radius + 4 mm`; others are not taken"},
    {ROW(STUDY, "draws"), TYPE(ROUNDS), .child = GMC_SCHEMA_ROUNDS, WITHIN(1, DRAWS_MAX),
     .about = "draws of every case; excludes sampling.draws. With `ladder` also in rounds: `{first: 8, last: 128}`. With `rank` the most of one case, as a number or as `{first: 8, last: 20000}`"},
    {ROW(STUDY, "ladder"), TYPE(LADDER), .child = GMC_SCHEMA_LEVEL, .rival = 'r',
     .about = "ways to simulate, the cheapest first; the last one decides. Words: geometric, quasi_static, rigid, dynamic, compliant; or maps"},
    {ROW(STUDY, "goal"), IS(gmc_scenario, is_best, "best"), TYPE(WORD), .words = "works|best", .needs = "ladder", .fallback = "works",
     .about = "works: a design is rejected by the first trial that fails; best: in each round only the best designs go on"},
    {ROW(STUDY, "audit"), INTO(gmc_scenario, ladder_audit), NUMBER(NONE), WITHIN(0, 1), .needs = "ladder", .fallback = "2 %",
     .about = "share of the trials that cheap levels spared that is run at the last level all the same"},
    {ROW(STUDY, "plan"), GROUP(PLAN), .needs = "ladder", .about = "what level `geometric` of the ladder asks besides whether trials can start: is there a way for a body to a pose?"},
    {ROW(STUDY, "rank"), GROUP(RANK), .rival = 'r',
     .about = "which cases are the best? Trials go where that is not yet decided"},
    {ROW(STUDY, "optimise"), GROUP(OPTIMISE), .rival = 'r',
     .about = "which numbers in the ranges of the axes, all `between` two numbers, make success most likely? `graspmc optimise` runs it"},
    {ROW(STUDY, "together"), INTO(gmc_scenario, is_together), TYPE(BOOL), .about = "true: axes are taken in step, case k has the k-th value of each; default: every combination is a case"},
    {ROW(STUDY, "independent"), INTO(gmc_scenario, is_independent), TYPE(BOOL), .fallback = "false", .about = "false: every case meets the same chance; true: each its own"},

    {ROW(ROUNDS, "first"), INTO(gmc_scenario, first_draws), TYPE(INTEGER), WITHIN(1, DRAWS_MAX), .fallback = "8", .about = "draws of the first round"},
    {ROW(ROUNDS, "last"), TYPE(INTEGER), WITHIN(1, DRAWS_MAX), NEEDED, .about = "draws of a design that goes through all rounds"},
    {ROW(ROUNDS, "keep"), INTO(gmc_scenario, keep), NUMBER(NONE), WITHIN(0.01, 0.9), .fallback = "0.5",
     .about = "from round to round draws grow by one over this; with `goal: best` this share of the designs goes on"},

    {ROW(PLAN, "body"), INTO(gmc_route_spec, body), TYPE(NAME), .fallback = "object", .about = "what is to get there: the object, or a body of the scene that is `free`"},
    {ROW(PLAN, "goal"), GROUP(POSE), NEEDED, .about = "pose of its body frame in the world"},
    {ROW(PLAN, "nodes"), INTO(gmc_route_spec, node_max), TYPE(INTEGER), WITHIN(10, 1e6), .fallback = "20000", .about = "places that the search may try, from the start and from the goal together"},
    {ROW(PLAN, "rejects"), INTO(gmc_route_spec, rejects), TYPE(BOOL), .fallback = "false", .about = "true: where no way is found the trial is `unreachable`, a failure, and the level rejects the design; false: it is unsolved (`no_way`), and goes on"},

    {ROW(RANK, "best"), INTO(gmc_rank_spec, best), TYPE(INTEGER), WITHIN(1, 1e6), NEEDED, .about = "how many are wanted; fewer than there are cases"},
    {ROW(RANK, "within"), INTO(gmc_rank_spec, within), NUMBER(NONE), SETTLED, .lower = 0, .upper = 0.5, .is_above = true, .fallback = "2 %",
     .about = "difference of success that does not matter: none of those found is worse than the best ones by more"},
    {ROW(RANK, "level"), INTO(gmc_rank_spec, level), NUMBER(NONE), SETTLED, WITHIN(0.5, 0.9999), .fallback = "95 %", .about = "how certain that has to be"},
    {ROW(RANK, "budget"), INTO(gmc_rank_spec, budget), TYPE(INTEGER), WITHIN(1, DRAWS_MAX), NEEDED, .about = "trials of all cases together, at most"},
    {ROW(RANK, "per"), IS(gmc_rank_spec, is_per_object, "object"), TYPE(WORD), .words = "all|object", .fallback = "all", .about = "object: so many of each object, each among its own cases, all certain together"},

    {ROW(OPTIMISE, "budget"), INTO(gmc_optimise_spec, budget), TYPE(INTEGER), WITHIN(1, DRAWS_MAX), NEEDED,
     .about = "trials, all of them: two thirds are spent on the search, the rest on the design that is chosen"},
    {ROW(OPTIMISE, "goal"), INTO(gmc_optimise_spec, goal), TYPE(TEXT), .fallback = "success",
     .about = "`success`, made as large as can be; `lower`: its lower end, two standard deviations of what is not known yet below it, which stays where trials were run; `smallest quantile(slip, 0.95)` or `largest quantile(lift, 0.05)`: of a column of results, or a formula of columns"},

    {ROW(LEVEL, "name"), INTO(gmc_level_spec, name), TYPE(NAME), NEEDED, .about = "what results call the level"},
    {ROW(LEVEL, "stepper"), TYPE(WORD), .words = STEPPERS, .about = "without it that of `simulation`"},
    {ROW(LEVEL, "motion"), TYPE(WORD), .words = MOTIONS, .about = "without it that of `simulation` with its stepper, else dynamic"},
    {ROW(LEVEL, "step"), INTO(gmc_level_spec, step), NUMBER(TIME), WITHIN(1e-6, 0.1), .about = "without it that of `simulation`"},
    {ROW(LEVEL, "tolerate"), INTO(gmc_level_spec, tolerate), NUMBER(NONE), WITHIN(0, 0.99), .fallback = "0",
     .about = "share of failing trials that the level overlooks, with `goal: works`: a cheap level that errs in a few trials then rejects no design for these"},

    {ROW(SAMPLING, "design"), TYPE(DESIGN), .fallback = "random",
     .about = "random; sobol or latin_hypercube: draws that fill the space evenly, so that fewer of them do; sensitivity or morris: blocks of draws that tell what matters, `show --sensitivity`; or `{csv: file}`: one row a draw, one column a parameter (header: path, or `path [unit]`)"},
    {ROW(SAMPLING, "randomisations"), TYPE(INTEGER), WITHIN(16, 64),
     .about = "R, of all designs but random and csv (default 16): independent ones, whose spread gives the interval. draws is R times a power of two, with latin_hypercube and morris a multiple of R; with d lines under `uncertain` that times the draws of a block, 2 d + 2 of sensitivity, d + 1 of morris. Such a run cannot stop by itself, and one of hypercubes not grow"},
    {ROW(SAMPLING, "draws"), TYPE(INTEGER), WITHIN(1, DRAWS_MAX), .about = "number of draws; default 1000, with a CSV design its rows, with sobol, latin_hypercube and sensitivity 64 draws or blocks of each randomisation, with morris 4"},
    {ROW(SAMPLING, "importance"), TYPE(UNCERTAIN),
     .about = "path of a line of `uncertain` -> distribution that it is drawn from in place of its own, written as that line is (`nominal + ...`): more draws where it matters, each counted by its weight. With design random"},
    {ROW(SAMPLING, "true_share"), INTO(gmc_scenario, true_share), NUMBER(NONE), SETTLED, WITHIN(0, 1), .needs = "importance", .fallback = "10 %",
     .about = "share of draws that come from the true distributions all the same: no weight is above one over it, whatever the proposals. 0: none, and proposals must reach wherever the true ones do"},
    {ROW(SAMPLING, "covered"), INTO(gmc_scenario, is_covered), TYPE(BOOL), .needs = "importance", .fallback = "false",
     .about = "true: it is known beforehand that nothing fails but where proposals draw often (only low friction drops it). false: the interval allows for failures elsewhere, as far as draws have not ruled them out"},
    {ROW(SAMPLING, "two_level"), GROUP(TWO_LEVEL),
     .about = "every draw at a cheap level, such as twice the step, and a few of them as `simulation` says too: their difference corrects the cheap share, so that the success is that of the full level"},
    {ROW(SAMPLING, "subset"), GROUP(SUBSET),
     .about = "subset simulation: how likely is a failure of one in a million? In place of draws, levels of trials each nearer to failing than the one before; early verdicts are off"},
    {ROW(SAMPLING, "seed"), TYPE(INTEGER), WITHIN(0, SEED_MAX), .fallback = "1", .about = "another seed, another chance"},

    {ROW(SUBSET, "margin"), TYPE(TEXT),
     .about = "number made of columns of `/trials` and of what is uncertain, by their names, such as `10 mm - max(slip(object, hand))`: below 0 where a trial fails, and the smaller the nearer it is to that. Without it, it follows from `success`"},
    {ROW(SUBSET, "runs"), INTO(gmc_subset_spec, runs), TYPE(INTEGER), WITHIN(1, 64), .fallback = "10", .about = "independent runs, whose spread gives the interval: at least 8, with `aimed` at least one"},
    {ROW(SUBSET, "per_level"), INTO(gmc_subset_spec, per_level), TYPE(INTEGER), WITHIN(100, 1e6), .fallback = "1000", .about = "points of a level of a run, a multiple of 10; a tenth of them goes on. Fewer than 500 estimate too high, and `check` and the answer say so"},
    {ROW(SUBSET, "levels"), INTO(gmc_subset_spec, levels), TYPE(INTEGER), WITHIN(2, 30), .fallback = "9", .about = "levels of a run at most: each makes the set ten times rarer"},
    {ROW(SUBSET, "aimed"), INTO(gmc_subset_spec, aimed), TYPE(INTEGER), WITHIN(60, 1e6), .about = "importance draws behind the levels, where a surrogate of the margin says that failures are: the estimate is then theirs, and the levels may be small (`runs: 1, per_level: 400, aimed: 1000`)"},

    {ROW(TWO_LEVEL, "step"), INTO(gmc_level_spec, step), NUMBER(TIME), WITHIN(1e-6, 0.1), .about = "of the cheap level; without it that of `simulation`"},
    {ROW(TWO_LEVEL, "stepper"), TYPE(WORD), .words = STEPPERS, .about = "of the cheap level; without it that of `simulation`"},
    {ROW(TWO_LEVEL, "motion"), TYPE(WORD), .words = MOTIONS, .about = "of the cheap level; without it that of `simulation` with its stepper, else dynamic"},
    {ROW(TWO_LEVEL, "coarser"), TYPE(LADDER), .child = GMC_SCHEMA_LEVEL,
     .about = "one or two levels below the cheap one, the cheapest first, as `study.ladder` writes them: `[{name: coarsest, step: 16 ms}]`. Then every draw is run at the first of them, and at each level above as many as pay"},
    {ROW(TWO_LEVEL, "pilot"), TYPE(INTEGER), WITHIN(10, 1e6), .fallback = "50", .about = "draws that are run at all levels first, to tell how many pairs are best"},

    {ROW(SIMULATION, "stepper"), TYPE(WORD), .words = STEPPERS, .fallback = GMC_DEFAULT_STEPPER(STEPPER_WORD),
     .about = "contact law and time stepping." GMC_DEFAULT_STEPPER(STEPPER_ABOUT) GMC_OTHER_STEPPERS(STEPPER_ABOUT)},
    {ROW(SIMULATION, "solver"), TYPE(WORD), .words = GMC_STEPPER_SOLVERS("|"), .fallback = GMC_DEFAULT_STEPPER(FIRST_SOLVER),
     .about = "solver of one step: each stepper takes its own, and the first of them is its default" GMC_DEFAULT_STEPPER(STEPPER_SOLVERS) GMC_OTHER_STEPPERS(STEPPER_SOLVERS)},
    {ROW(SIMULATION, "motion"), TYPE(WORD), .words = MOTIONS,
     .about = "what inertia does (default dynamic): bodies keep their momentum; or have none, and all forces balance at every instant; or forces are proportional to velocities, mass times 1/s each. Without momentum nothing bounces"},
    GMC_STEPPER_SETTINGS(SETTING_NUMBER, SETTING_WHOLE, SETTING_WORD)
    {ROW(SIMULATION, "broad_phase"), FROM(gmc_scenario, broad_phase, GMC_BROAD_PHASE_AUTOMATIC), TYPE(WORD), .words = GMC_BROAD_PHASE_WORDS,
     .about = "how shapes that are near each other are looked for (default automatic): pair by pair, by sweep and prune, or as many pairs ask for. The same are found, and no bit of a result differs"},
    {ROW(SIMULATION, "step"), INTO(gmc_scenario, step), NUMBER(TIME), WITHIN(1e-6, 0.1), .fallback = "2 ms", .about = "length of one step"},
    {ROW(SIMULATION, "time_limit"), INTO(gmc_scenario, time_limit), NUMBER(TIME), POSITIVE, .fallback = "60 s", .about = "simulated time after which a trial is unsolved"},
    {ROW(SIMULATION, "step_limit"), ENTERED, NUMBER(NONE), WITHIN(1, WHOLE_MAX), .fallback = "200000", .about = "steps after which a trial is unsolved"},
    {ROW(SIMULATION, "work_limit"), ENTERED, NUMBER(NONE), WITHIN(1, WHOLE_MAX), .fallback = "20000000", .about = "solver iterations after which a trial is unsolved"},
    {ROW(SIMULATION, "workspace"), INTO(gmc_scenario, workspace), NUMBER(LENGTH), POSITIVE, .fallback = "1 m", .about = "an object farther than this from its start and from the hand is lost, and the trial ends"},
    {ROW(SIMULATION, "early"), GROUP(EARLY), .fallback = "{}", .about = "what ends a trial before its program does, because its verdict is certain"},
    {ROW(SIMULATION, "half_step"), INTO(gmc_scenario, half_step), NUMBER(NONE), WITHIN(0, 1), .fallback = "1 %",
     .about = "share of trials that are repeated at half the step whatever they show. Below 5 %, of one case, trials that end near the limit of success are repeated, too, until repetitions take 10 % more work; what that says of smaller steps goes into the interval of success. 0: none is repeated"},

    {ROW(EARLY, "broken"), INTO(gmc_scenario, ends_broken), TYPE(BOOL), .fallback = "true", .about = "a criterion of `always` or `from` is broken"},
    {ROW(EARLY, "falling"), INTO(gmc_scenario, ends_falling), TYPE(BOOL), .fallback = "true",
     .about = "the object falls freely, everything else is above it and stays there, and it will have left the workspace before the program ends"},
    {ROW(EARLY, "rest"), INTO(gmc_scenario, ends_at_rest), TYPE(BOOL), .fallback = "true",
     .about = "only phases `hold` are left, nothing moves, every touching contact sticks, and what little motion is left, times ten, does not change the verdict"},
    {ROW(EARLY, "borne"), INTO(gmc_scenario, ends_borne), TYPE(BOOL), .fallback = "true",
     .about = "only phases `hold` follow a `shake` that fades, its hardest pull either way is behind, the same contacts have carried load and stuck meanwhile, and moving as much again does not change the verdict"},
    {ROW(EARLY, "audit"), INTO(gmc_scenario, audit), NUMBER(NONE), WITHIN(0, 1), .fallback = "5 %",
     .about = "share of trials that run on to the end all the same, so that the report can say how often the early verdict is wrong"},

    {ROW(OUTPUT, "trajectories"), TYPE(RECORD), .fallback = "none", .about = "trials whose motion is kept: none, failures, first:K, every:K or all"},
    {ROW(OUTPUT, "rate"), INTO(gmc_scenario, rate), NUMBER(FREQUENCY), NOT_NEGATIVE, .fallback = "100 Hz", .about = "rows of a trajectory per second, and its last; 0: every step"},
    {ROW(OUTPUT, "histograms"), TYPE(HISTOGRAMS),
     .about = "success against a parameter or a measure: `path`, `[path, path]` or `{of: path, bins: 20, range: [a, b]}`; without it every uncertain parameter"},
    {ROW(OUTPUT, "map"), TYPE(PAIR), .about = "success against two studied parameters, value by value"},

    {ROW(HISTOGRAM, "of"), TYPE(PATHS), NEEDED, .about = "path of a parameter or name of a column, or two in a list"},
    {ROW(HISTOGRAM, "bins"), TYPE(COUNTS), WITHIN(1, 1000), .about = "number of bins, or two in a list; default 20"},
    {ROW(HISTOGRAM, "range"), TYPE(RANGES), FREE, .about = "[lower, upper], or two of these; default: from the distribution"},
};
// clang-format on

const int gmc_schema_row_count = GMC_COUNT(gmc_schema_rows);
