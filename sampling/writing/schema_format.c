// A test compares the checked-in page with this one, so that it cannot fall behind the table:
//
//   GMC_WRITE_FORMAT=1 build/checked/test/unit/test_schema_format     writes it again
#include "sampling/writing/schema_format.h"

#include "engine/grasp/measure.h"
#include "sampling/grasps/format.h"
#include "sampling/language/materials.h"
#include "sampling/language/preset.h"
#include "sampling/language/schema.h"
#include "sampling/language/text.h"
#include "sampling/language/units.h"
#include "sampling/scenario/chance.h"

#include <math.h>
#include <string.h>

static const char INTRODUCTION[] =
    "# The scenario language\n"
    "\n"
    "This page is written from the table that the reader itself uses "
    "(`sampling/language/schema_rows.c`).\n"
    "`graspmc check SCENARIO` names every mistake of a file with its place, `--expanded` prints it "
    "with\n"
    "every default filled in, `--parameters` lists the path of every number. All keys are there "
    "since\n"
    "version 1 of the language.\n"
    "\n"
    "A scenario is YAML: UTF-8, one document, no tags, no key twice. Files are named relative to "
    "the\n"
    "scenario that names them.\n"
    "\n"
    "## Numbers\n"
    "\n"
    "A number without a unit is SI (m, kg, s, N, rad). With a unit it is written `50 mm`, `5 "
    "deg`,\n"
    "`0.8 g/cm3`, `8 %`; units are products of `m cm mm um in kg g mg s ms us min rad mrad deg N "
    "mN kN MN Nm\n"
    "J mJ Hz kHz Pa kPa MPa GPa rpm %` with `*`, `.`, `·`, `/` and powers (`m2`, `m^2`, `m²`). A "
    "unit that\n"
    "measures something else is a mistake. Lengths end at 1e6 m, up to which places are exact to "
    "1e-10 m,\n"
    "and angles at 1e6 rad: what is written beyond is a mistake, a trial that draws it is "
    "unsolved.\n"
    "\n"
    "Every number has a path: the keys down to it with dots between them, `object.pose.x`,\n"
    "`friction.rubber/abs`, `program.1.lift.by` (phases are numbered from 0), `gravity.z`, "
    "`object.box.x`;\n"
    "settings of joints are `hand.<joint>.max_force`. Where a pair of surfaces has several "
    "coefficients,\n"
    "`friction.rubber/abs` is the first and scales the others with it; "
    "`friction.rubber/abs.kinetic` is that\n"
    "one alone, and `friction.*` means pairs. Paths are used alike by `uncertain`, "
    "`study`, `set`\n"
    "phases, histograms and `--set PATH=VALUE`, which also sets a whole phase: "
    "`--set 'program.1={hold: {for: 1 s}}'`. With several `objects`, `object.mass` is that of "
    "the case's\n"
    "object. A `--set` of a number that every trial gets from elsewhere, a line of `uncertain` "
    "without "
    "`nominal` or an axis\n"
    "of the study, is refused.\n"
    "\n"
    "## Formulas\n"
    "\n"
    "`parameters` holds numbers by paths of your own, `chute.width: 26 mm`. Wherever a number "
    "stands, but in `set`, a "
    "formula may\n"
    "stand in its place: `x: chute.x + chute.width / 2`. Formulas are made of these parameters, "
    "numbers with\n"
    "units, `+ - * /`, brackets and `sin cos tan sqrt abs min(a, b) max(a, b)`; what is added must "
    "measure the same.\n"
    "A parameter may itself be a formula. In every trial parameters are studied and drawn first, "
    "then "
    "formulas are\n"
    "worked out, then the lines of `uncertain` that name what a formula gave. Vertices of polygons "
    "may "
    "be formulas\n"
    "too: the polygon is then cut into convex pieces anew where they differ. One that crosses "
    "itself is "
    "an unsolved\n"
    "trial (`bad_value`). Whole numbers, gears, polygons of a support and `convex_tolerance` are "
    "settled before\n"
    "there are trials and take no formula, nor do distributions. Without `parameters` nothing is a "
    "formula. Inside `[]` and `{}` a formula with a comma needs "
    "quotes.\n"
    "\n"
    "## What is uncertain\n"
    "\n"
    "`path: value`, `path: nominal + value` or `path: nominal * value`, where value is a number "
    "or\n"
    "\n";

static const char VALUES[] =
    "\n"
    "`normal`, `lognormal` and `fit` may be cut: `normal(0 mm, 4 mm) in [-8 mm, inf]`. Numbers "
    "after "
    "`nominal *` have\n"
    "no unit. A path may hold one `*`: `friction.*: nominal * lognormal(1, 8 %)` draws one factor "
    "for all\n"
    "pairs and applies it after all other lines. Chance is addressed by seed, draw and path: "
    "adding a line\n"
    "changes no other.\n"
    "\n"
    "## What is varied\n"
    "\n"
    "`path: [a, b, c]`, `path: grid(a, b, step s)` or `path: grid(a, b, count)`; `object: [mug, "
    "drill]` or the\n"
    "list `[object]` for all objects. Every combination is a case; the last axis runs fastest.\n"
    "`[grasp]`, with several objects `[object, grasp]`, makes a case of each grasp that an object "
    "takes from its file,\n"
    "object by object; other axes may follow in a map, `{object: [mug], grasp: all, ...}`.\n"
    "Where numbers are many, `path: between(a, b)` and `study.designs: 200` take points of the box "
    "that these axes\n"
    "span in place of a grid; such axes count as one.\n"
    "\n"
    "An axis has numbers. Words and files (a stepper, a hand, a surface) are the same in all "
    "trials of a "
    "run: objects that\n"
    "differ in them are given by name, and of others `scripts/sweep_parallel SCENARIO -o DIR "
    "--grid "
    "simulation.stepper=coulomb,stewart_trinkle`\n"
    "makes a run of each on the same chance, with one table; `compare` tells two of them apart "
    "draw by "
    "draw.\n";

static const char TOGETHER[] =
    "\n"
    "## What varies together\n"
    "\n"
    "`correlated: {object.mass / object.box.z: 0.7}` names two lines of `uncertain` and the "
    "correlation coefficient of their\n"
    "normal scores (a Gaussian copula): each keeps its own law, and between normal laws the "
    "coefficient is that of the values.\n"
    "Between other laws it is close to a rank correlation: Spearman's is (6/pi) asin(r/2), within "
    "0.02 of r. Pairs that are\n"
    "not named have 0. Coefficients that no numbers can have are refused, with the pair that is "
    "most to blame. Correlating\n"
    "two lines leaves the numbers of the first as they were.\n"
    "Columns of one file, `samples(file.csv, column ...)`, are drawn together row by row and so "
    "keep what they have in common.\n";

static const char BELIEVED[] =
    "\n"
    "## What the robot believes\n"
    "\n"
    "`object.pose`, with what `uncertain` does to it, is where the object is. Without `believed` "
    "the "
    "hand goes to its nominal place,\n"
    "so that chance in `object.pose` is an error of the robot's belief. With `believed` the hand "
    "goes to where the object is\n"
    "seen: the true pose of the trial and an error. The object rests (`placed: resting`) where it "
    "truly is; what is believed may\n"
    "float or sink. `hand.target` is the tool point's pose in the believed object's frame.\n"
    "\n"
    "    cameras:\n"
    "      head: {pose: {xyz: [600 mm, 0 mm, 700 mm], look_at: object}}\n"
    "    believed:\n"
    "      object.pose:\n"
    "        seen_by: head                 # errors in camera axes: z is depth\n"
    "        sd: {x: 1.2 mm, y: 1.2 mm, z: 4 mm, roll: 2.5 deg, pitch: 2.5 deg, yaw: 1.5 deg}\n"
    "        correlation: {z/pitch: 0.6, x/yaw: -0.3}\n"
    "        grows_with: {distance: 1 m, power: 2}\n"
    "        outliers: {share: 2 %, turn: 180 deg, about: object.z}\n"
    "\n"
    "Errors are those of a place, and a rotation vector about the object's origin (`roll`, "
    "`pitch`, "
    "`yaw` are its x, y and z),\n"
    "both in the axes of the camera: x to the right of its picture, y down, z into its depth. "
    "`x: 2 mm` is an error that all trials\n"
    "have, `sd` normal errors on top, `covariance` or `samples` the same from a file. With "
    "`grows_with` they are errors at that\n"
    "distance, and grow with the object's own. An outlier is seen turned about an axis of its own, "
    "and its errors come on top.\n"
    "What is drawn is stored like any other number, as `believed.object.pose.x` ... `yaw` (errors "
    "at the distance of `grows_with`)\n"
    "and `believed.object.pose.outlier`. Deviations are numbers with a path too: `study: {vary: "
    "{believed.object.pose.sd.z:\n"
    "[2 mm, 4 mm, 8 mm]}}` asks how good the camera must be. `believed: {use: camera_error.yaml}` "
    "takes the block's keys from\n"
    "another file; so do `cameras`, `uncertain` and `correlated`.\n";

static const char CRITERIA[] =
    "\n"
    "## Criteria\n"
    "\n"
    "Measures, numbers with units, `+ - * /`, comparisons `< <= > >=`, `and`, `or`, `not`, "
    "brackets. Both sides\n"
    "of a comparison must measure the same; an angle is compared with a number in `deg` or `rad`, "
    "for a number\n"
    "alone is in radians, and warned of. Bodies are `object`, `hand`, and names of the scene. "
    "Inside `[]` a\n"
    "criterion with a comma needs quotes: `[\"slip(object, hand) <= 10 mm\"]`. What is counted "
    "(`held_by`, `contact`)\n"
    "may also be equal: `held_by(object) == 2`, or with `!=`. Every claim of a list must hold; "
    "what "
    "`always` asks\n"
    "is asked after every step. `slip` and `slip_angle` count from the end of the last `close`, "
    "and are 0 before "
    "it; in a program without a `close` they count from the start, of any two bodies. They count "
    "on after `open`: what is released has slipped. A body's frame is that of its `pose`, the "
    "hand's that of its tool "
    "point. A place is\n"
    "`[x, y, z]` in the world or, with a body behind it, in that body's frame; an axis is `x`, "
    "`y`, "
    "`z`, `-x`, `-y` or `-z`:\n"
    "\n"
    "    success:\n"
    "      at_end:\n"
    "        - distance(object, [300 mm, 0 mm, 25 mm]) <= 20 mm   # put down where it belongs\n"
    "        - leans(object) <= 5 deg                             # and upright\n"
    "        - angle(object, x, y) <= 10 deg                      # its x axis along the world's "
    "y\n"
    "\n"
    "| measure | unit | meaning |\n"
    "| --- | --- | --- |\n";

static const char GRASPS[] =
    "\n"
    "Each pair `a/b` of `friction` has two columns in the results, for `show --success`, "
    "histograms "
    "and `--sensitivity`:\n"
    "`friction_needed(a/b)` is the largest, over all pairs of bodies and all times, of T / max(N, "
    "L/4), and `slipped(a/b)`\n"
    "whether S > max(N, L/4) / 2 was ever true. N is the normal impulse of the two over 8 ms in "
    "which they touch (over a step\n"
    "where that is longer, over the whole touch where that is shorter), T the sum of the "
    "magnitudes of their tangential\n"
    "impulses, point by point, S the part of N that slid, L the mean normal impulse over 8 ms of "
    "the time in which they pressed so\n"
    "far (at least 8 ms): a load that fades below a quarter of that weighs less and less, so that "
    "the last instant on a table says\n"
    "nothing. With the stepper `coulomb` impacts have no part in those 8 ms, but are judged alone, "
    "as what two bodies give each\n"
    "other within 8 ms from the first of them: a bounce needs the ratio of its impulses, whatever "
    "is borne before and after it.\n"
    "What rests as a trial starts bears its weight only after 6/sqrt(k W) (40 ms of 50 kg): on a "
    "slope a block of 5 kg needs up to 4 % more until then, a ball of 50 kg that rolls 14 %.\n"
    "\n"
    "## Grasps\n"
    "\n"
    "    objects:\n"
    "      mug:   {mesh: mug.obj, density: 600 kg/m3, surface: ceramic, grasps: mug.yaml}\n"
    "      drill: {mesh: drill.stl, mass: 1.1 kg, surface: abs, grasps: {file: drill.json, frame: "
    "palm, first: 500}}\n"
    "    study: {vary: [object, grasp], draws: 200}\n"
    "\n"
    "A file gives, for each grasp, the pose of a frame of the gripper in a frame of the object, "
    "and "
    "perhaps positions of joints and how\n"
    "sure its maker was. What frames these are the file cannot say; the scenario does: `frame` is "
    "the link of the hand whose pose is meant,\n"
    "`gripper` and `object` are what is left between it and the file's frames. Of a mesh, the "
    "object's frame is that of its coordinates. Each\n"
    "grasp becomes `hand.target` and, where the file has joints of the hand, `hand.<joint>.start`; "
    "a table in CSV sets whatever its\n"
    "columns name. Lines of `uncertain` come on top. Joints that follow others are left aside; "
    "names that the hand does not have are\n"
    "mistakes. `graspmc check` tells how far hand and object are apart at the start, in each grasp "
    "with `--grasps`: a hand that overlaps the\n"
    "object, or is wholly beside it, in most of them speaks of a wrong frame.\n"
    "\n"
    "| format | what it is |\n"
    "| --- | --- |\n";

static const char FLUSH[] =
    "\n"
    "## What is flush\n"
    "\n"
    "Flat faces of one body (its `parts`, the boxes of a link), and of bodies that never move, are "
    "one surface where they\n"
    "lie in one plane: boxes make tables, bins and fingers without seams, and a plate may end "
    "flush with the floor. What\n"
    "slides or rolls over the seam goes as on one plate; contact points of a face over several of "
    "equal surface are chosen as\n"
    "if they were one. In one plane is what is out of line by at most 20 um and half a "
    "percent of the radius of the smaller of\n"
    "the two that touch; what is higher is a step and stops what slides against it. A gap between "
    "them is passed over as long\n"
    "as nothing dips into it. Each face keeps its own surface with its friction. Bodies that may "
    "move against each other are\n"
    "never one, and in planar worlds only pieces of one polygon are. A line of contact (a "
    "capsule's) "
    "has its two ends for\n"
    "contact points, however many faces it lies on. It slides as on one plate to 4e-6 m at 1 and 2 "
    "ms; at 4 ms a cylinder\n"
    "that turned from sliding to rolling askew was 3 mm and 0.04 rad off on plates of unequal "
    "width, and rods that roll on\n"
    "pads of flush plates go up to 5 % farther or less far at 0.1 MPa (2 % at 2 MPa), askew up to "
    "14 %. A box or rod that is shaken between soft pads of three strips slips up to 13 % less or "
    "10 % more (0.01 to 0.03 mm), for each strip damps by\n"
    "where it is. The "
    "lower edge of a box that tips as it slides, across a\n"
    "seam, turned 0.02 rad in 0.1 s where it turned otherwise on one plate. A step of a pad gives "
    "way: it stops what slides against it until that is\n"
    "pressed into its side by about its height, and lifts it from there on, with up to 2 % of "
    "energy from nowhere, which the balance tells.\n"
    "\n"
    "Boxes and meshes that meet at an angle in a line, and a ramp and the `plane` that it stands "
    "on, "
    "are met along the faces\n"
    "on which it goes on, at any angle and as it gets there: the edge of what slides against a "
    "steep ramp strikes its face. What\n"
    "turns as it strikes, at 2 m/s and 4 ms, dips in by up to 0.13 mm with `stewart_trinkle`.\n";

static const char PADS[] =
    "\n"
    "## Pads\n"
    "\n"
    "A surface with `pad` is an elastic layer on what is as hard as `stiffness`. It "
    "presses where it is compressed, so corners lift off, and what it\n"
    "bears in sliding and in turning is what its pressure bears; `torsion` of a pair adds "
    "to that. Shapes of one body that overlap each other press\n"
    "twice there. It gives way along the normal of the pad's face (of the softer of two pads), as "
    "long as that leans from what presses by\n"
    "less than 30 degrees.\n"
    "\n"
    "Friction shears a pad as a whole: springs that are pressed later are as far sheared as those "
    "that were, so what is shifted aside and then pressed harder is\n"
    "pulled back. Pressed and shifted at one rate a face bears what its springs do, an edge, a "
    "ball or "
    "a capsule's end twice that, a corner three times; a ball of\n"
    "0.5 kg in 4 mm of 0.2 MPa that sags by 0.62 mm at 5 N is lifted to 0.31 mm as the force grows "
    "to "
    "20 N. Springs that start unsheared would creep in all\n"
    "that shakes. Over a seam of a padded finger those of either box start so: an askew box that "
    "is "
    "closed on may end up to 0.15 rad otherwise than on one box.\n"
    "\n"
    "Deeper than 0.8 of its thickness lies a bottom: 7 points of `stiffness` share what "
    "is pressed into it, by its mean depth there, and the answer\n"
    "counts such trials (`pads at their bottom`). `pad_press` is the depth over the "
    "thickness. Two pads on each other are two layers under one\n"
    "pressure: the softer one is at its bottom first, and from there on the other one "
    "alone gives, until it is at its own; `pad_press` is then of the\n"
    "one that is pressed most against its thickness.\n"
    "\n"
    "Of a ball at an edge, on a corner or on a narrow pad the springs bear that stand under it, of "
    "all flush faces, and it is pushed over the edge\n"
    "as they press through its centre: on an edge with half of the force that it has as deep in "
    "the "
    "middle. Of the faces that meet at an edge the one\n"
    "that looks at its centre most counts; facets of a mesh that lean from that by less than 20 "
    "degrees go on from it. A ball that is held so and shaken by 5 mm and more climbs into the "
    "grip "
    "by 1 to 3 mm a minute as it rolls there. On a rod that\n"
    "is shorter than what presses, or past its end, one contact has all of its cap: 2 to 6 times "
    "too "
    "much.\n"
    "\n"
    "Faces, edges and rods are not pushed over an edge: they press along the normal of the pad's "
    "face, "
    "though less of them stands on it. So a rod along\n"
    "the lower edge of two pads, 0.5 mm below it, is held at a friction of 0.05 where 0.25 is "
    "right, "
    "without friction it spins up, and what is pressed\n"
    "beside an edge and let go elsewhere gives up to half of its energy from nowhere; the balance "
    "tells the latter two.\n"
    "\n"
    "Within some mm of the edge of a pad, what lands with a corner, an edge or a rim may be met by "
    "the pad's side, sink in and be thrown: of 600 such drops\n"
    "26 had more than 2 % of the fall's energy from nowhere (1.7 times it at most), 48 went deeper "
    "than the pad is thick. `energy_balance` and `pad_press` tell.\n"
    "\n";

static const char PAD_TABLE[] =
    "| what presses | by | bottom | loses in rocking and rolling | bounces by "
    "`restitution` |\n"
    "| --- | --- | --- | --- | --- |\n"
    "| face: of a box, a mesh, a `plane`, the end of a cylinder | the springs under it | "
    "yes | a block of 50 x 160 mm, let go at 8 deg on 4 mm of 1 MPa, comes back to 6.0 to "
    "6.1 deg at 0.25 to 4 ms (6.13 at 0.05 ms), the third time to 3.3 to 3.4 deg (3.48); "
    "stiffer: towards a rigid block's 5.50 and 2.85 | within 0.03 at 4 ms |\n"
    "| edge, corner, rim | the springs under it | yes | is the same law | within 0.03 flat on a "
    "plane, 0.1 where it is askew |\n"
    "| rod (side of a cylinder or a capsule) or end of a capsule on a face | the springs "
    "under it | yes | R 20 mm, 0.3 kg, 0.2 m from rest on 3 mm of 5 MPa: 17 % of its way "
    "at 1 ms, 19 % at 4 ms (18 % at 0.1 ms); R 4 mm, 1 g: 36 and 69 % (19 %), as "
    "`energy_scheme` says | within 0.03 |\n"
    "| ball | a cap: force pi k R d^2, k the stiffness per area; on the side of a rod R / sqrt(1 + "
    "R/r) in "
    "place of R, on a ball R r / (R + r) | yes, by half its depth there | nothing | within 0.03 |\n"
    "| rod side to side on a rod, at any angle | a line: parallel (4/3) k L sqrt(2 R d) d with 1/R "
    "= "
    "1/R1 + 1/R2; crossed pi k sqrt(R1 R2) d^2 / sin(angle), within the length of both | yes, by "
    "two "
    "thirds | was not measured | within 0.03 |\n"
    "\n"
    "What rocks or rolls is braked by the damping of what it presses, of `relaxation` or "
    "of 6/sqrt(k W) where that is longer. A step in which what a\n"
    "face, an edge or a rod presses changes by a fifth, faster than 10 mm/s, is cut, to "
    "0.1 ms at the shortest (`retries` counts them), so that hardly\n"
    "more is lost by the step; slower changes are not cut. Where something strikes steps "
    "are cut as well. Speeds of a bounce are those of the middle\n"
    "of a step, by which they differ from `restitution` of 0.3 to 0.9 at 1 m/s. Without "
    "`restitution` a pad stops what strikes it by its springs\n"
    "and that damping, three times critical, and nothing is thrown back from its bottom (balls of "
    "20 g to 5 kg from 0.1 m on 3 mm of 10 kPa). So a blow presses it less than springs alone\n"
    "would, and with more force: 0.2 kg from 0.2 m on 10 mm of 1 MPa, a ball of R 20 mm by 1.5 mm "
    "in "
    "place of 5.8 and with 340 N in place of 210, a box of 40 mm by 0.2 in place of 2.2.\n"
    "With `restitution` a blow is over within a step, and presses no pad. Whether a pad protects "
    "what falls on it is not for this program to say.\n";

static const char EARLY[] =
    "\n"
    "## Early verdicts\n"
    "\n"
    "A trial ends before its program does once nothing that can still happen changes its verdict:\n"
    "an object that has left the workspace is lost; a criterion of `always` that is broken stays "
    "broken; an\n"
    "object that falls freely with everything else above it leaves the workspace; where only "
    "phases\n"
    "`hold` are left, nothing moves and every touching contact sticks, what is measured now is "
    "what will be\n"
    "measured at the end; and what has borne the hardest pulls of the last `shake`, either way, "
    "bears what is\n"
    "left of it as it fades. `simulation.early` switches the last four rules on and off. They "
    "change no\n"
    "success and no failure that was seen (2000 trials of every scenario here); a trial that "
    "breaks an\n"
    "`always` criterion and would later lose its object is `violated`, not `lost`.\n"
    "\n"
    "The column `decided_by` names the rule, `t_decided` the time. Measures of a trial that `rest` "
    "decided\n"
    "are those of the whole trial. Measures of one that `borne` decided are those until then, near "
    "the end of the\n"
    "shake: the hardest pulls are behind, and largest forces and speeds are those of the whole "
    "trial (in 925 trials of the\n"
    "scenarios that shake, bit for bit). In the hand an object that has turned there by less than "
    "0.1 rad is where it will be but\n"
    "for the elastic give of contacts (5 um, 26 urad at most); one that hangs in it may swing on "
    "(31 of them by up to 1.2 mm and\n"
    "2.3 rad). In the world the object is still off the middle of the shake by some of its fading "
    "amplitude. Measures of one "
    "that `broken` or\n"
    "`falling` decided are those until then: its `lift` is that at the decision, its `slip` the "
    "largest so far. Only\n"
    "for these two, and for what swings in the hand, is a criterion with another threshold left "
    "without an answer; who wants one sets\n"
    "`early: {broken: false, falling: false}`, and who wants every measure to its last digit "
    "`borne: false`.\n"
    "\n"
    "Rules can err, so they are audited: a share of the trials, chosen by seed, draw and case, "
    "runs on to the\n"
    "end. Its row is that of the whole trial, and the answer says how many early verdicts were "
    "wrong and,\n"
    "one-sided at the level of the intervals, below which share they are. A trial that breaks off "
    "unsolved\n"
    "behind its early verdict counts as wrong.\n"
    "\n"
    "A trial that cannot be decided is `unsolved`, counts neither way, and the others go on: "
    "bodies that overlap\n"
    "by more than 2 mm at the start, or by all of the pads between them (`deep_start`), two that "
    "press on each other\n"
    "with more than 10 kN (`jam`), a body\n"
    "thrown at more than 100 m/s (`diverged`), more than 256 contacts and 24 for each body of the "
    "clutter\n"
    "(`contacts`), ... `show` says how many for which reason and names the first such trial, which "
    "`replay`\n"
    "repeats; all reasons are in [sampling/store/FORMAT.md](../sampling/store/FORMAT.md). Of a "
    "`deep_start` the answer\n"
    "says which bodies overlap, how deep, where, in how many trials, and what parts them at "
    "nominal "
    "values: fingers that\n"
    "start more open where they are in the object, or a move of `hand.target` or of the object.\n"
    "What overlaps by less is not thrown apart: a contact is slack "
    "at the overlap it\n"
    "begins with, and gives it back at 40 mm/s at most (nine tenths within 0.12 s), with `coulomb` "
    "by "
    "moving bodies, not by\n"
    "pushing them: what nothing holds stays where it comes out (chains of 1 g and 10 kg or more "
    "keep "
    "up to 3 mm/s); with the other steppers it keeps "
    "that speed. The column "
    "`start_penetration` is how\n"
    "deep a trial began; the answer counts those that ran and began more than 0.1 mm deep. A run "
    "without any verdict exits with 2,\n"
    "and so does `check` where no case can start at its nominal values and none of the first "
    "trials (64 or more) can.\n"
    "\n";

static const char ENERGY[] =
    "Every trial of `motion: dynamic` with `coulomb` balances its energy. The column "
    "`energy_balance` is what drives and gravity\n"
    "did, less what slip, dampers and impacts took, less what the scheme took "
    "(`energy_scheme`: implicit springs, stops of joints that\n"
    "are run into and the damping of pads), less the\n"
    "change of kinetic energy and of what springs hold: of bodies that not only driven joints "
    "move, relative "
    "to the largest of the work of drives\n"
    "in absolute value, the change of potential energy, the peak kinetic energy and 1e-6 J. It is "
    "negative where contacts gave energy that\n"
    "nobody put into them: bodies that got into each other, contact points that take turns, an "
    "overlap of the start that is given back.\n"
    "What an impact gives may hide among what impacts take: one of 357 drops gained 0.7 % in the "
    "air after a bounce at 2 and 4 ms (a cylinder, restitution 1),\n"
    "with a balance of 1e-10.\n"
    "A hard cylinder that rolls round on its rim, tilted, follows its lowest point: a can of 0.35 "
    "kg "
    "that wobbles out after a fall of 20 mm has -2 % at worst and\n"
    "succeeds alike from 0.25 to 4 ms. A coin of 10 g is off by up to 14 %, and whether it still "
    "leans at a given time goes with the step. On flush boxes, where "
    "the rim goes from one to the other, a can is off by up to 6 % at 4 ms\n"
    "and 2 % at 1 ms, and comes to rest too soon: 0.4 of trials, 0.1 on one box.\n"
    "What both are relative to is the column `energy_size`. The answer counts trials in which the "
    "balance is off by more than 1 % of\n"
    "at least 1 mJ (10 g lifted by 10 mm; where less is at play almost nothing moves), and says "
    "how to list them. Other steppers and\n"
    "motion without inertia have NaN.\n"
    "\n";

static const char HALF_STEP[] =
    "In the same way `simulation.half_step` chooses trials that are run a second time at half the "
    "step. Their\n"
    "rows are those of the full step. Most verdicts do not depend on the step; those that do are "
    "near the limit of\n"
    "success. So where a scenario has one case and plain draws, and repetitions would take less "
    "than a tenth of the work,\n"
    "trials are chosen by their slack, too: how far the measure of a criterion is from its limit, "
    "over that. The first 64 draws\n"
    "say, of each criterion by itself, which slacks are near (a quarter of them), and how many of "
    "them there is work for (a process that does not have\n"
    "them runs them): a criterion that is just within its limit in all trials takes part of that "
    "work, and does not hide the others. A success has the largest chance\n"
    "that one of its criteria leads to, a failure the least of those that are broken. Each trial "
    "has its own chance of being chosen, the column "
    "`half_step_chance`, and counts by one over it.\n"
    "A trial that was cut short as failed, or whose object was lost, stopped just behind its "
    "limit, "
    "however far it would have gone: all of those have one chance, for which a third\n"
    "of the work is kept, and what may turn among those that were not repeated lengthens the upper "
    "end. Other trials that are far from the limit are taken not to turn, unless\n"
    "the distance of one that was repeated from the limit of any criterion (of a failure, of all "
    "that "
    "are broken) changed by more than half of it: then it counts as one\n"
    "that may. The answer says how many there are: `3 nearly turned`, in JSON "
    "`half_step.nearly`;\n"
    "`show --where 'half_step > 3'` is of them. Where slacks do not tell what is near, all trials "
    "have one chance, one in twenty: where criteria have an `or` or a `not`;\n"
    "where a measure jumps, as a force does where bodies begin to touch (of the pilot two trials "
    "or "
    "more break a criterion, two or more hold it, and none is within a standard\n"
    "deviation of the other side; or a criterion of forces has two at one number, that without "
    "contact): of falls that end near a floor, with `force(object, floor) >= 1 "
    "N`, the change, -0.016 at 5 ms, is in the interval of 94 of 100 runs; where a count decides "
    "in "
    "the pilot.\n"
    "A count that holds in all of the pilot is taken to be idle: what breaks it later is repeated "
    "always, what may come to break it is seen as other trials far from the limit are.\n"
    "The\n"
    "change of success at half the step stands below the estimate, with its interval; the limit of "
    "small steps lies twice as far (the\n"
    "error goes with the step, at first order), and that goes into the interval of success, `with "
    "step`: whole where its own scatter lengthens it by\n"
    "no more than a fifth, or the change stands out by two of its standard deviations, however "
    "much "
    "longer that makes it; else so much of it as does, or the part 1 - 2 V/D2 of it if that is\n"
    "more, where D2 is the square of the change and V its variance. A part is said (`with part of "
    "the step`: success may then move by more): of falls of which 0.02 to 0.04 turn, seen by one "
    "in "
    "five,\n"
    "the interval held the limit in 0.75 to 0.82 of 100 runs; where all trials have one chance the "
    "part is small, and it held it in 0.3 to 0.9: a larger `half_step` says more. The interval "
    "always holds the "
    "success of the trials as they "
    "were run, and what repetitions that are unsolved may be. With fewer than 20\n"
    "repetitions the step is `unchecked`, and not in the interval. Several cases on common draws, "
    "weights, levels, `interval` and runs\n"
    "that a rule stopped have their own intervals, without the step. So have `show --success`, "
    "`show --where`, `show --surrogate` and `compare`\n"
    "whatever the run: they print `step, not in the interval`, and in JSON "
    "`half_step.is_in_interval` is false beside such a `success`.\n"
    "\n"
    "Audits of early verdicts go into the interval of success where they found a wrong one, or "
    "bound the share of wrong ones so well\n"
    "that it could move success by a quarter of the interval's half width at most (some 70000 "
    "trials at 5 %).\n";

static const char LADDER[] =
    "\n"
    "## Ladders\n"
    "\n"
    "A study with `ladder` asks which designs (cases) work for all that is uncertain, "
    "and spends few trials on those that do not:\n"
    "\n"
    "    study:\n"
    "      vary: {ramp.angle: \"grid(20 deg, 50 deg, step 5 deg)\"}\n"
    "      draws: {first: 8, last: 128}\n"
    "      ladder: [geometric, quasi_static, dynamic]\n"
    "\n"
    "Designs run their draws in rounds (8, 16, 32, ... draws in all) and, within a "
    "round, level by level, the cheapest first. The\n"
    "last level decides; the others only reject. With `goal: works` the first level at "
    "which a trial fails rejects the design, and that trial is\n"
    "its counterexample. With `goal: best` the levels of a round leave the share `keep` "
    "of the designs that entered it, each level its equal part.\n"
    "A trial without a verdict rejects nothing; but where bodies overlap at the start "
    "(`deep_start`) the design cannot be put together: it is rejected, and the trial "
    "stays unsolved.\n"
    "Decisions are taken between a level and the next, from all trials of it, so that "
    "they depend neither on workers nor on interruptions.\n"
    "\n"
    "| level | how a trial is run |\n"
    "| --- | --- |\n"
    "| `geometric` | not at all: do bodies overlap at the start? |\n"
    "| `quasi_static` | stepper `stewart_trinkle`, motion `quasi_static` |\n"
    "| `rigid` | stepper `stewart_trinkle`, motion `dynamic` |\n"
    "| `dynamic` | as `simulation` says |\n"
    "| `compliant` | stepper `song_pang_kumar`, motion `dynamic` |\n"
    "| `{name: a, stepper: b, motion: c, step: d, tolerate: e}` | as `simulation` says, but for "
    "what "
    "is given |\n"
    "\n"
    "Levels share what was drawn. One below the last leaves out what its stepper does "
    "not know (restitution, torsional friction, pads); audits of early\n"
    "verdicts and repetitions at half the step are made at the last level. A study of "
    "one level, `ladder: [dynamic]`, is the naive way: rounds alone.\n"
    "\n"
    "Cheap levels can be wrong. So each trial that a rejected design would have run at "
    "the last level in that round is run there all the same with\n"
    "probability `audit`, chosen by seed, draw and case. What these find changes no "
    "verdict; it says for each level which share of what it spared would\n"
    "have succeeded (successes over audited trials, with an interval), or that none was "
    "audited. The answer is how many designs work, are\n"
    "rejected, are open; the share of all trials that succeed depends on which were asked "
    "for, and is not told. The interval of a case is Clopper's and Pearson's of its trials at the "
    "last level, at a level so high that those of all rounds hold\n"
    "together. There are no histograms of success against parameters.\n";

// "|" ends a cell.
static void add_cell(gmc_text *out, const char *text)
{
    for (const char *p = text; *p; p++)
        gmc_text_add(out, *p == '|' ? "\\%c" : "%c", *p);
}

static void add_range(gmc_text *out, const gmc_schema_row *row)
{
    bool has_numbers = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_INTEGER ||
                       row->type == GMC_TYPE_VECTOR || row->type == GMC_TYPE_PAIRS ||
                       row->type == GMC_TYPE_COUNTS || row->type == GMC_TYPE_NUMBERS ||
                       row->type == GMC_TYPE_ROUNDS || row->type == GMC_TYPE_CORRELATED;
    if (row->words) {
        for (const char *p = row->words; *p; p++)
            gmc_text_add(out, *p == '|' ? ", " : "%c", *p);
        return;
    }
    if (!has_numbers || (row->lower == -HUGE_VAL && row->upper == HUGE_VAL)) return;
    gmc_text_add(out, row->is_above ? "> " : ">= ");
    gmc_text_add_number(out, row->lower, false);
    if (row->upper == HUGE_VAL) return;
    gmc_text_add(out, ", <= ");
    gmc_text_add_number(out, row->upper, false);
}

static void add_unit(gmc_text *out, const gmc_schema_row *row)
{
    bool has_unit = row->type == GMC_TYPE_NUMBER || row->type == GMC_TYPE_VECTOR ||
                    row->type == GMC_TYPE_STEPS || row->type == GMC_TYPE_INERTIA ||
                    row->type == GMC_TYPE_AIM || row->type == GMC_TYPE_POLYGON ||
                    row->type == GMC_TYPE_POINTS || row->type == GMC_TYPE_KNOTS;
    const char *unit = gmc_units_name(row->dimension);
    if (has_unit && strcmp(unit, "1") != 0) gmc_text_add(out, "%s", unit);
}

static void add_default(gmc_text *out, const gmc_schema_row *row)
{
    if (row->fallback && strcmp(row->fallback, "{}") != 0)
        gmc_text_add(out, "`%s`", row->fallback);
    else if (row->is_required && row->rival)
        gmc_text_add(out, "one of these");
    else if (row->is_required)
        gmc_text_add(out, "required");
}

static void add_group(gmc_text *out, gmc_schema_group group)
{
    int count = 0;
    const gmc_schema_row *rows = gmc_schema_group_rows(group, &count);
    gmc_text_add(out,
                 "\n### %s\n\n| key | value | unit | range | default | meaning |\n"
                 "| --- | --- | --- | --- | --- | --- |\n",
                 gmc_schema_group_name(group));
    for (int i = 0; i < count; i++) {
        gmc_text_add(out, "| `%s` | ", rows[i].key);
        bool leads_on = rows[i].type == GMC_TYPE_GROUP || rows[i].type == GMC_TYPE_NAMED ||
                        rows[i].type == GMC_TYPE_GRASPS;
        add_cell(out, gmc_schema_type_name(rows[i].type));
        if (leads_on && strcmp(gmc_schema_group_name(rows[i].child), rows[i].key) != 0)
            gmc_text_add(out, ": %s", gmc_schema_group_name(rows[i].child));
        gmc_text_add(out, " | ");
        add_unit(out, &rows[i]);
        gmc_text_add(out, " | ");
        add_range(out, &rows[i]);
        gmc_text_add(out, " | ");
        add_default(out, &rows[i]);
        gmc_text_add(out, " | ");
        add_cell(out, rows[i].about);
        if (rows[i].needs) gmc_text_add(out, " (only with `%s`)", rows[i].needs);
        if (rows[i].worlds == GMC_SCHEMA_SOLID) gmc_text_add(out, " (spatial worlds)");
        if (rows[i].worlds == GMC_SCHEMA_FLAT) gmc_text_add(out, " (planar worlds)");
        gmc_text_add(out, " |\n");
    }
}

gmc_status gmc_schema_format_write(char **text)
{
    gmc_text out = {0};
    gmc_text_add(&out, "%s| form | meaning |\n| --- | --- |\n", INTRODUCTION);
    for (int i = 0; i < gmc_chance_form_count; i++)
        gmc_text_add(&out, "| `%s` | %s |\n", gmc_chance_forms[i].usage, gmc_chance_forms[i].about);
    gmc_text_add(&out, "%s%s%s%s%s%s", VALUES, TOGETHER, gmc_schema_format_measured,
                 gmc_schema_format_intervals, BELIEVED, CRITERIA);
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        const gmc_measure_info *m = &gmc_measure_infos[i];
        char usage[GMC_MEASURE_USAGE_MAX];
        gmc_measure_usage(m, "a", "b", usage);
        gmc_text_add(&out, "| `%s` | %s | %s |\n", usage, m->unit, m->about);
    }
    gmc_text_add(&out, "%s", GRASPS);
    for (int i = 0; i < gmc_grasps_format_count; i++)
        gmc_text_add(&out, "| `%s` | %s |\n", gmc_grasps_formats[i].name,
                     gmc_grasps_formats[i].about);
    gmc_text_add(&out, "%s%s%s%s%s%s", gmc_schema_format_hand, gmc_schema_format_drives, FLUSH,
                 PADS, PAD_TABLE, gmc_schema_format_presets);
    for (int i = 0; i < gmc_preset_count; i++)
        gmc_text_add(&out, "| `%s@%d` | %s |\n", gmc_presets[i].name, gmc_presets[i].version,
                     gmc_presets[i].about);
    gmc_text_add(&out, "%s", gmc_schema_format_materials);
    for (int i = 0; i < gmc_material_pair_count; i++)
        gmc_text_add(&out, "| `friction: {%s/%s: %g}` | %s |\n", gmc_material_pairs[i].a,
                     gmc_material_pairs[i].b, gmc_material_pairs[i].friction,
                     gmc_material_pairs[i].source);
    for (int i = 0; i < gmc_material_number_count; i++)
        gmc_text_add(&out, "| `%s`: %s | %s |\n", gmc_material_numbers[i].path,
                     gmc_material_numbers[i].value, gmc_material_numbers[i].source);
    gmc_text_add(&out, "%s%s%s%s%s%s%s%s%s%s%s\n## Keys\n", EARLY, ENERGY, HALF_STEP, LADDER,
                 gmc_schema_format_rank, gmc_schema_format_optimise,
                 gmc_schema_format_optimise_files, gmc_schema_format_rare, gmc_schema_format_subset,
                 gmc_schema_format_aimed, gmc_schema_format_two_level);
    for (int g = 0; g < GMC_SCHEMA_GROUP_COUNT; g++)
        add_group(&out, (gmc_schema_group)g);
    return gmc_text_take(&out, text);
}
