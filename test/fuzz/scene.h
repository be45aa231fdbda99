/// A small scene whose files are all in memory: a jaw that lifts a box off a table.
#ifndef GMC_TEST_FUZZ_SCENE_H
#define GMC_TEST_FUZZ_SCENE_H

#include "sampling/build/prepare.h"
#include "sampling/scenario/resolve.h"

#include <string.h>

static const char scene_hand[] =
    "<robot name='jaw'>"
    "<link name='base'><inertial><mass value='.5'/><inertia ixx='1e-3' ixy='0' ixz='0' iyy='1e-3' "
    "iyz='0' izz='1e-3'/></inertial><collision><origin xyz='0 0 .025'/><geometry>"
    "<box size='.06 .14 .05'/></geometry></collision></link>"
    "<link name='left_finger'><collision><geometry><box size='.02 .01 .03'/></geometry>"
    "</collision></link>"
    "<joint name='left' type='prismatic'><parent link='base'/><child link='left_finger'/>"
    "<origin xyz='0 .045 -.045'/><axis xyz='0 -1 0'/>"
    "<limit lower='0' upper='.04' effort='100' velocity='1'/></joint>"
    "<link name='right_finger'><collision><geometry><box size='.02 .01 .03'/></geometry>"
    "</collision></link>"
    "<joint name='right' type='prismatic'><parent link='base'/><child link='right_finger'/>"
    "<origin xyz='0 -.045 -.045'/><axis xyz='0 1 0'/>"
    "<limit lower='0' upper='.04' effort='100' velocity='1'/></joint>"
    "<link name='tcp'/><joint name='mount' type='fixed'><parent link='base'/><child link='tcp'/>"
    "<origin xyz='0 0 -.045'/></joint>"
    "</robot>";

static const char scene_text[] =
    "graspmc: 1\n"
    "hand: {urdf: hand.urdf, frame: tcp, surface: rubber}\n"
    "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "scene: {table: {plane: {height: 0 mm}, surface: wood}}\n"
    "friction: {rubber/abs: 0.2, abs/wood: 0.4, rubber/wood: 0.5, rubber/rubber: 0.8}\n"
    "program:\n"
    "  - close: {force: 10 N, until: stalled, at_most: 0.2 s}\n"
    "  - lift: {by: 20 mm, in: 0.1 s}\n"
    "success: {at_end: [lift(object) >= 15 mm]}\n"
    "uncertain: {object.mass: \"uniform(0.1 kg, 0.3 kg)\"}\n"
    "study: {vary: {object.pose.x: [0, 5 mm]}, draws: 3}\n"
    "simulation: {step: 4 ms}\n"
    "output: {trajectories: every:2, rate: 50 Hz, histograms: [object.mass, max_force]}\n";

/// Convex: what is not is cut into pieces, which takes its time and has a target of its own.
static const char scene_mesh[] = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\n"
                                 "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

static const char scene_table[] = "rho,object.pose.x\n900,0.001\n1100,-0.001\n1000,0\n";

static const char scene_grasps[] = "hand.target.x [mm],hand.left.start [mm],confidence\n"
                                   "0,20,.5\n10,0,.9\n";
static const char scene_grasp_list[] =
    "format: isaac_grasp\nformat_version: 1.0\nobject_frame: part\ngripper_frame: base\ngrasps:\n"
    "  a: {confidence: .9, position: [0, 0, .1], orientation: {w: 1, xyz: [0, 0, 0]}}\n"
    "  b: {confidence: .2, position: [0, 0, .2], orientation: {w: 0, xyz: [1, 0, 0]},\n"
    "      pregrasp_cspace_position: {left: 0, right: .01}, cspace_position: {left: .02}}\n";

/// Read a text with the scene's files at hand, and make it ready to run.
/// @param prepared  in: an arena; out: the rest; scene_free also after a failure
static inline gmc_status scene_prepare(const char *text, size_t size, gmc_diagnostics *report,
                                       gmc_prepared *prepared)
{
    const gmc_asset assets[] = {
        {.name = "hand.urdf", .bytes = (void *)(size_t)scene_hand, .size = sizeof scene_hand - 1},
        {.name = "part.obj", .bytes = (void *)(size_t)scene_mesh, .size = sizeof scene_mesh - 1},
        {.name = "data.csv", .bytes = (void *)(size_t)scene_table, .size = sizeof scene_table - 1},
        {.name = "grasps.csv",
         .bytes = (void *)(size_t)scene_grasps,
         .size = sizeof scene_grasps - 1},
        {.name = "grasps.yaml",
         .bytes = (void *)(size_t)scene_grasp_list,
         .size = sizeof scene_grasp_list - 1},
        {.name = "base.yaml", .bytes = (void *)(size_t)scene_text, .size = sizeof scene_text - 1},
    };
    gmc_scenario *scenario = &prepared->scenario;
    // as gmc_prepare_embedded, but for the arena: to make a large one takes longer than all else
    gmc_arena_reset(&prepared->arena, 0);
    GMC_TRY(
        gmc_scenario_read_embedded(&(gmc_embedded){.file = "fuzz.yaml",
                                                   .text = text,
                                                   .bytes = size,
                                                   .assets = assets,
                                                   .asset_count = sizeof assets / sizeof assets[0]},
                                   report, &prepared->arena, scenario));
    GMC_TRY(gmc_build_declare(scenario, NULL, report, &prepared->build));
    GMC_TRY(gmc_resolve_scenario(scenario, report));
    GMC_TRY(gmc_build_compile(prepared->build));
    return gmc_diagnostics_status(report);
}

/// Everything but the arena.
static inline void scene_free(gmc_prepared *prepared)
{
    gmc_build_free(prepared->build);
    gmc_scenario_free(&prepared->scenario);
    *prepared = (gmc_prepared){.arena = prepared->arena};
}

#endif
