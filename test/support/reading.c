#include "test/support/reading.h"

#include "sampling/scenario/resolve.h"
#include "sampling/scenario/scenario.h"
#include "sampling/scenario/scenario_read.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char gmc_reading_demo[] =
    "graspmc: 1\n"
    "about: A parallel-jaw gripper lifts and shakes a cube.\n"
    "hand:   {urdf: hand.urdf, frame: tcp, surface: rubber}\n"
    "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}\n"
    "scene:  {table: {plane: {height: 0 mm}, surface: wood}}\n"
    "friction: {rubber/abs: 0.2, abs/wood: 0.4, rubber/wood: 0.5, rubber/rubber: 0.8}\n"
    "program:\n"
    "  - close: {force: 10 N, until: stalled, at_most: 0.5 s}\n"
    "  - lift:  {by: 100 mm, in: 0.7 s}\n"
    "  - shake: {axis: x, amplitude: 20 mm, frequency: 3 Hz, for: 1 s}\n"
    "  - hold:  {for: 1 s}\n"
    "success:\n"
    "  at_end: [lift(object) >= 80 mm]\n"
    "  always: [\"slip(object, hand) <= 10 mm\"]\n"
    "uncertain:\n"
    "  object.pose.x:       nominal + normal(0 mm, 4 mm)\n"
    "  object.pose.yaw:     nominal + uniform(-15 deg, 15 deg)\n"
    "  object.mass:         uniform(0.1 kg, 0.3 kg)\n"
    "  friction.rubber/abs: uniform(0.08, 0.30)\n";

const char gmc_reading_rich[] =
    "graspmc: 1\n"
    "about: \"quotes \\\" and: colons # and more\\nthan one line\"\n"
    "hand:\n"
    "  urdf: hand.urdf\n"
    "  package_path: [., \"sub folder\"]\n"
    "  surface: {left_pad: rubber, rest: steel}\n"
    "  joints: {left: {start: 1 cm, max_force: 20 N}, joint_0.0: {kp: 5}}\n"
    "  fingers: [left, right]\n"
    "  target: {z: 1 mm, yaw: 90 deg}\n"
    "objects:\n"
    "  ball: {sphere: {diameter: 30 mm}, density: 1 g/cm3, surface: abs}\n"
    "  rod: {capsule: {radius: 4 mm, length: 8 cm}, mass: 45 g, surface: abs, pose: {z: 5 cm}}\n"
    "  part: {mesh: sub/part.obj, unit: mm, mass: 1 kg, surface: abs, com: [0, 0, 1 mm],\n"
    "         inertia: [1e-5, 1e-5, 1e-5, 0, 0, 0]}\n"
    "scene:\n"
    "  table: {plane: {}, surface: wood}\n"
    "  post: {cylinder: {radius: 1 cm, length: 3 cm}, mass: 1 kg, surface: wood, free: true}\n"
    "surfaces: {rubber: {stiffness: 5e4 N/m}}\n"
    "friction: {rubber/abs: 0.2, steel/abs: 20 %}\n"
    "gravity: [0, 0, -1.62]\n"
    "program:\n"
    "  - close: {force: 10 N}\n"
    "  - move: {by: [1 cm, 0, 2 cm], in: 1 s, frame: hand, name: aside}\n"
    "  - move: {by: 10 deg, joint: wrist, in: 1 s}\n"
    "  - turn: {axis: -z, by: 90 deg, in: 1 s}\n"
    "  - shake: {about: [1, 1, 0], amplitude: 5 deg, frequency: 2 Hz, for: 1 s}\n"
    "  - set: {friction.rubber/abs: 0.1, gravity.x: 1, in: 0.1 s}\n"
    "  - hold: {until: at_rest}\n"
    "  - open: {position: 3 cm}\n"
    "success:\n"
    "  at_end: lift(object) >= 1 cm\n"
    "  always: [\"slip(object, hand) <= 1 cm\", \"not contact(object, table) or lift(object) < "
    "1\"]\n"
    "uncertain:\n"
    "  object.pose.x: nominal + normal(0 mm, 4 mm) in [-1 cm, inf]\n"
    "  objects.ball.density: samples(sub/data.csv, column rho)\n"
    "  friction.*: nominal * lognormal(1, 8 %)\n"
    "  object.pose.yaw: one_of(0, 90 deg; weights 3, 1)\n"
    "study:\n"
    "  vary:\n"
    "    object: [ball, part]\n"
    "    hand.target.x: grid(0, 1 cm, step 1 mm)\n"
    "    hand.target.y: [1 mm, 2 mm]\n"
    "  draws: 20\n"
    "output:\n"
    "  trajectories: every:10\n"
    "  histograms: [max_force, [object.pose.x, slip], {of: object.pose.yaw, bins: 7, range: [0, "
    "180 deg]}]\n"
    "  map: [hand.target.x, hand.target.y]\n";

void gmc_reading_rich_files(const gmc_reading *reading)
{
    gmc_scratch_text(&reading->scratch, "sub/part.obj", "v 0 0 0\n");
    gmc_scratch_text(&reading->scratch, "sub/data.csv", "rho\n900\n1100\n");
}

void gmc_reading_open(gmc_reading *reading)
{
    *reading = (gmc_reading){.scratch = gmc_scratch_open()};
    if (gmc_arena_create(&reading->arena, GMC_SCENARIO_ARENA_BYTES) != GMC_OK) abort();
    gmc_scratch_text(&reading->scratch, "hand.urdf", "<robot name='hand'/>\n");
}

void gmc_reading_close(gmc_reading *reading)
{
    gmc_scenario_free(&reading->scenario);
    gmc_diagnostics_free(&reading->report);
    gmc_arena_free(&reading->arena);
    gmc_scratch_close(&reading->scratch);
}

void gmc_reading_try(gmc_reading *reading, const char *text, const char *const *sets)
{
    gmc_scenario_free(&reading->scenario);
    gmc_diagnostics_free(&reading->report);
    gmc_arena_reset(&reading->arena, 0);
    gmc_scratch_write(&reading->scratch, "scenario.yaml", text, strlen(text), reading->path);
    reading->status = gmc_scenario_read(reading->path, sets, NULL, &reading->report,
                                        &reading->arena, &reading->scenario);
    gmc_status resolved = reading->status;
    if (reading->scenario.tree)
        resolved = gmc_resolve_scenario(&reading->scenario, &reading->report);
    if (reading->status == GMC_OK) reading->status = resolved;
    gmc_scratch_said(&reading->scratch, &reading->report, reading->said, sizeof reading->said);
}

void gmc_reading_demo_with(gmc_reading *reading, const char *old, const char *fresh)
{
    char text[4096];
    const char *at =
        old ? strstr(gmc_reading_demo, old) : gmc_reading_demo + strlen(gmc_reading_demo);
    if (!at) fail_msg("the demo has no `%s`", old);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - gmc_reading_demo), gmc_reading_demo, fresh,
             at + (old ? strlen(old) : 0));
    gmc_reading_try(reading, text, NULL);
}

const gmc_parameter *gmc_reading_parameter(const gmc_reading *reading, const char *path)
{
    gmc_param index = gmc_scenario_find(&reading->scenario, path);
    if (index < 0) {
        fail_msg("no parameter %s", path);
        abort();
    }
    return &reading->scenario.parameters[index];
}
