/// What the files of the build share. Private to sampling/build/build*.c.
#ifndef GMC_SAMPLING_BUILD_BUILD_INTERNAL_H
#define GMC_SAMPLING_BUILD_BUILD_INTERNAL_H

#include "engine/base/check.h"
#include "engine/control/closing.h"
#include "engine/model/polygon.h"
#include "engine/model/urdf.h"
#include "sampling/build/build.h"

/// Who may touch whom: bits of gmc_geom.category and mask.
enum { GMC_CATEGORY_HAND = 1, GMC_CATEGORY_OBJECT = 2, GMC_CATEGORY_SCENE = 4 };

/// An object or scene body as compiled: where its numbers go in each trial.
typedef struct gmc_build_item {
    const gmc_item_spec *spec;
    int body;
    bool is_free;          ///< it moves; else its joint is fixed and its pose is that of the joint
    int geom, geom_count;  ///< its own shapes, then those of its parts
    int own_count;         ///< 1, or the convex pieces of its mesh or polygon
    const bool *is_shaped; ///< (1 + part_count) planar worlds: a polygon that chance, a study or a
                           ///< formula may change, with room for its pieces however it is cut
    const int *part_geoms; ///< (part_count) shapes of each part; NULL: one each
    const gmc_polygon_pieces *pieces; ///< (1 + part_count) of polygons as compiled; planar worlds
    gmc_polygon_pieces footing;       ///< of a polygon that it lies on
    bool is_planar;                   ///< it moves in the plane of a planar world
    gmc_inertia
        unit; ///< mesh, polygon: mass properties at density 1 kg/m³ and scale or thickness 1
} gmc_build_item;

struct gmc_build {
    gmc_scenario *scenario;
    gmc_diagnostics *report;              ///< during set-up only
    const gmc_pieces_cache *pieces_cache; ///< NULL: none
    gmc_file_source files;                ///< the scenario's assets, for the engine's readers
    bool is_sketch;    ///< the scenario has mistakes: meshes are not cut, nothing will run
    gmc_urdf urdf;     ///< of the hand; its polytopes are the models'
    gmc_arena arena;   ///< owns the models and everything below
    gmc_model *models; ///< (object_count) compiled at nominal values; same body indices in all
    gmc_build_item *objects; ///< (object_count), each in its own model
    gmc_build_item *scene;   ///< (scene_count), the same in all models
    gmc_build_item *clutter; ///< (clutter.bodies), the same in all models, behind the object
    int object_body;
    int base_body;           ///< base of the hand, driven or mounted; -1 without a hand
    int tool_frame;          ///< -1: the base itself
    bool *is_hand;           ///< (body_count)
    int *joint_dof;          ///< (hand.joint_count) dof of each joint setting, -1 for mimic joints
    int *joint_body;         ///< (hand.joint_count)
    int (*friction_pair)[2]; ///< (friction_count) surfaces, the same numbers in all models; -1: a
                             ///< pair of which nothing has one
    int *surface_setting;    ///< (model.surface_count) index into scenario->surfaces, -1: defaults
    gmc_closing *closings;   ///< (dof_count) as the hand's geometry has it
    gmc_finger *fingers;
    int finger_count;
    gmc_phase *phases; ///< (phase_count) with everything but numbers filled in
    gmc_criteria criteria;
    gmc_measure_plan plan;
    const gmc_compiled_criterion *slack; ///< gmc_build_slack
    const gmc_stepper *stepper;
    const gmc_solver *solver; ///< NULL: the stepper's default
};

/// Report what surfaces have and a stepper does not know (build_stepper.c).
void gmc_build_check_laws(const gmc_build *build, const gmc_stepper *stepper);

/// Can the scenario's stepper, or that of a level, do it (build_stepper.c)?
bool gmc_build_can(const gmc_build *build, gmc_can can);

/// "steppers that do: a, b": those that know a motion (build_stepper.c).
void gmc_build_list_knowing(gmc_motion motion, char *text, size_t size);

/// Name of the link or body that a geom belongs to (build_overlaps.c).
const char *gmc_build_name(const gmc_model *model, const gmc_geom *geom);

/// How far a shape reaches along a unit direction from its frame's origin [m]; planes, and shapes
/// of planar worlds: infinity (build_place.c).
double gmc_build_reach(const gmc_shape *shape, gmc_vec3 direction);

/// Warn of numbers whose unit was likely forgotten (build_plausible.c).
void gmc_build_check_plausible(const gmc_build *build, const double *values);

/// Report levels of the study's ladder that cannot be (build_level.c).
void gmc_build_check_levels(const gmc_build *build);

/// What the scenario asks to be made of meshes whose unit is `scale` [m] (build_mesh.c).
gmc_pieces_options gmc_build_convex(const gmc_build *build, const gmc_convex_spec *spec,
                                    double scale);

/// Convex pieces of a mesh item as shapes, with room for those of its parts behind them, and its
/// mass properties at density 1 (build_mesh.c).
GMC_MUST_CHECK gmc_status gmc_build_mesh(gmc_build *build, gmc_build_item *item,
                                         const double *values, gmc_shape **shapes);

/// gmc_file_source.load over the scenario's assets; `context` is the build.
GMC_MUST_CHECK gmc_status gmc_build_load(void *context, const char *path, gmc_file *file);

/// Open the hand's URDF and make its joint properties parameters (build_hand.c).
GMC_MUST_CHECK gmc_status gmc_build_declare_hand(gmc_build *build);

/// How files of grasps speak of the hand (build_hand.c).
GMC_MUST_CHECK gmc_status gmc_build_declare_grasps(gmc_build *build);

/// The hand's links and joints into a builder, if there is a hand.
GMC_MUST_CHECK gmc_status gmc_build_hand(gmc_build *build, const double *values,
                                         gmc_builder *builder);

/// Largest speed of a joint's drive; +inf: no limit.
double gmc_build_max_speed(const double *values, const gmc_joint_setting *setting);

/// Say which links that the scenario names the declared hand has not.
void gmc_build_check_links(const gmc_build *build);

/// Base, tool frame, joints and bodies of the hand in the compiled models.
GMC_MUST_CHECK gmc_status gmc_build_bind_hand(gmc_build *build);

/// "joints: left, right": those of the hand that move on their own, as many as there is room for.
void gmc_build_joint_names(const gmc_build *build, char *text, size_t size);

/// Fingers of the compiled models, with every mistake in how they close (build_closing.c).
/// @return GMC_OK (also with reports), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_fingers(gmc_build *build);

/// Warn of drives without a largest speed, and of servos that do not hold what hangs on them
/// (build_hand.c). The build is compiled.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_build_check_drives(const gmc_build *build);

/// Give numbers of `close` and `open` the dimension of the joints that are fingers, where they are
/// of one kind by the URDF alone.
void gmc_build_settle_phases(const gmc_build *build);

/// Where a finger is open or closed in a trial; not finite: nowhere.
/// @param joint  of the hand's joint settings
/// @param model  of the trial, with its limits
double gmc_build_end(const gmc_build *build, const double *values, int joint, bool is_closed,
                     const gmc_model *model);

/// Phases, criteria and columns from the scenario, for the compiled models
/// (build_program.c).
GMC_MUST_CHECK gmc_status gmc_build_program(gmc_build *build);
GMC_MUST_CHECK gmc_status gmc_build_criteria(gmc_build *build);

/// Numbers of the phases for one trial.
void gmc_build_phase_values(const gmc_build *build, const double *values, gmc_phase *phases,
                            gmc_set *sets);

/// Value of a number with a default, by its path: of a row that is only entered (schema_rows.c).
static inline double gmc_build_number(const gmc_build *build, const double *values,
                                      const char *path)
{
    gmc_param param = gmc_scenario_find(build->scenario, path);
    GMC_ASSERT(param >= 0);
    return values[param];
}

/// Value of a parameter, or `otherwise` where none was given.
static inline double gmc_build_value(const double *values, gmc_param param, double otherwise)
{
    return param < 0 ? otherwise : values[param];
}

/// Sizes of an item's shape.
void gmc_build_sizes(const gmc_item_spec *spec, const double *values, gmc_shape *shape);

/// An item's shape with its sizes, before any section; a mesh or a polygon without its pieces.
gmc_shape gmc_build_solid(const gmc_item_spec *spec, const double *values);

/// Is a shape of an item, counted from its first, one that its polygon as compiled has no piece
/// for?
bool gmc_build_is_spare(const gmc_build_item *item, int geom);

/// The part that a shape of an item belongs to, counted from its first; -1: its own.
int gmc_build_part_of(const gmc_build_item *item, int geom);

/// Mass properties at density 1 kg/m³ of an item's shape with its sizes.
/// @param of_trial  of a mesh or polygon in this trial; NULL: as compiled
gmc_inertia gmc_build_unit_inertia(const gmc_build_item *item, const gmc_inertia *of_trial,
                                   const double *values);

/// Mass properties of a body that moves, from its shape and the scenario's words.
gmc_inertia gmc_build_inertia(const gmc_build_item *item, const gmc_inertia *unit,
                              const double *values);

/// Thickness of planar shapes where the scenario is silent: it then matters for nothing [m].
#define GMC_BUILD_THICKNESS 0.01

/// Shapes of an item of a planar world: sections of solids, convex pieces of polygons
/// (build_planar.c). @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_build_planar_shapes(gmc_build *build, gmc_build_item *item,
                                                  const double *values, gmc_shape **shapes);

/// A trial's numbers into a shape of a planar world; a polygon keeps its piece. What the shape
/// points to lives in `arena` (build_planar.c). @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_section(const gmc_item_spec *spec, const double *values,
                                            gmc_arena *arena, gmc_shape *shape);

/// A trial's shapes of an item of a planar world, with polygons cut anew where they are not as
/// compiled (build_planar.c).
/// @param unit  out: mass properties of its own polygon at density and thickness 1
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY, GMC_E_INPUT: a polygon that is none
GMC_MUST_CHECK gmc_status gmc_build_put_sections(const gmc_build_item *item, const double *values,
                                                 gmc_arena *arena, gmc_model *model,
                                                 gmc_inertia *unit);

/// A rectangle about the origin with its length along x (build_planar.c).
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_rectangle(double half_x, double half_y, gmc_arena *arena,
                                              gmc_shape *shape);

/// Is the item driven along a path?
static inline bool gmc_build_is_driven(const gmc_build_item *item)
{
    return item->spec->course && !item->is_free;
}

/// Can a phase change this number, because only sizes of fixed bodies follow from it
/// (build_reshape.c)?
bool gmc_build_can_reshape(const gmc_build *build, gmc_param target);

/// What carries out such changes in a trial, for all `sets` of shapes. @return GMC_OK,
/// GMC_E_ARENA_FULL, GMC_E_INPUT: a size that a phase ends with is none
GMC_MUST_CHECK gmc_status gmc_build_reshaper(const gmc_build *build, const double *values,
                                             gmc_arena *arena, gmc_set *sets, int set_count);

/// What an item lies on into the builder, if anything (build_trial.c).
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_build_support(gmc_build *build, gmc_build_item *item,
                                            const double *values, gmc_builder *builder);

/// Start pose of an item that moves; `placed: resting` looks at the sizes and fixed bodies in
/// `model` (build_place.c).
gmc_pose gmc_build_place(const gmc_build *build, const gmc_model *model, const gmc_build_item *item,
                         const double *values);

/// What is needed to say where the robot sees the object in a trial.
typedef struct gmc_believed_in {
    const double *values;           ///< the trial's
    gmc_pose truth;                 ///< of the object, placed
    const double *nominal_values;   ///< of the case, without chance
    const gmc_model *nominal_model; ///< with the scene where it nominally is
    gmc_pose nominal;               ///< of the object: what cameras look at
} gmc_believed_in;

/// One item per body of the clutter, its own name and its kind's words (build_clutter.c).
/// @return GMC_OK, GMC_E_INPUT (the region is too small, reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_clutter(gmc_build *build, const double *values);

/// Take those bodies out of a fresh copy that have no part in this trial.
void gmc_build_clutter_drop(const gmc_build *build, const double *values, gmc_model *model);

/// Sizes, masses and starts of those that have.
GMC_MUST_CHECK gmc_status gmc_build_clutter_put(const gmc_build *build, const double *values,
                                                gmc_arena *scratch, gmc_model *model);

/// Sizes and mass properties of an item into a trial's model; `arena` is that of the trial
/// (build_trial.c). @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY, GMC_E_INPUT: shapes that are
/// none
GMC_MUST_CHECK gmc_status gmc_build_put_item(const gmc_build_item *item, const double *values,
                                             gmc_arena *arena, gmc_model *model);

/// Start of a free body (build_trial.c).
void gmc_build_put_pose(double *q, const gmc_pose *X);

/// Laws of all pairs of surfaces for one trial; what they have beyond one coefficient lives in
/// `arena` (build_law.c). @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_laws(const gmc_build *build, const double *values,
                                         gmc_arena *arena, gmc_model *model);

/// Pose from its six numbers; those not given are 0 (build_place.c).
gmc_pose gmc_build_pose(const double *values, const gmc_pose_spec *spec);

/// Choose stepper and solver, and check what is said of them. Mistakes go to the report.
void gmc_build_stepper(gmc_build *build);

#endif
