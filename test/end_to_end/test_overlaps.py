"""Bodies that overlap at the start: their names, how deep, where and what frees them are told wherever such a trial is met,
and a run that decided nothing says so and ends with 2."""
import importlib.machinery
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import unittest

import support

try:
    import h5py
    import numpy as np
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

# pads reach 15 mm below the tool point, which stands `z` above the middle of the cube, 25 mm above the table
HAND = f"""\
graspmc: 1
hand: {{urdf: {support.SCENARIOS}/models/parallel_jaw.urdf, frame: tcp, surface: rubber, target: {{z: Z}}}}
object: {{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}}
scene: {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5, rubber/rubber: 0.8}}
program: [hold: {{for: 20 ms}}]
success: {{at_end: [lift(object) >= -1 mm]}}
"""
MODELS = support.ROOT.parent / "shared/models"
DEEP = HAND.replace("Z", "-17.3 mm") + "uncertain: {object.mass: \"uniform(0.1 kg, 0.3 kg)\"}\n"
SOME = HAND.replace("Z", "0 mm") + "uncertain: {hand.target.z: 'uniform(-20 mm, 0 mm)'}\n"


def load(name):
    sys.path.insert(0, str(support.ROOT / "scripts"))
    loader = importlib.machinery.SourceFileLoader(name, str(support.ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Overlaps(support.Case):
    def setUp(self):
        super().setUp()
        self.write("deep.yaml", DEEP)

    def run_deep(self, *words, code=2):
        return self.run_program("run", "deep.yaml", "-n", 30, "-o", "deep.h5", *words, code=code)

    def test_d06_overlap_is_named(self):
        """By run, with and without -q, check, show, replay, and to programs."""
        why = ("nothing was decided: left_finger is 7.3 mm in table in all 30 trials; "
               "hand.target.z by +7.3 mm frees it\n")
        done = self.run_deep()
        self.assertTrue(done.stdout.startswith(why + "success no trial decided; 30 unsolved"), done.stdout)
        for finger in ("left", "right"):
            self.assertRegex(done.stdout, rf"      {finger}_finger is 7\.3 mm in table in all 30 trials, most in trial 0")
        self.assertIn("at nominal values left_finger is 7.3 mm in table at", done.stderr)
        quiet = self.run_deep("-q", "--force")
        self.assertTrue(quiet.stdout.startswith(why))
        self.assertEqual(quiet.stderr, "")
        checked = self.run_program("check", "deep.yaml", code=2)
        self.assertIn("undecided nothing would be decided: the first 64 of 1000 trials all start with bodies that overlap "
                      "(deep_start); in trial 0 left_finger is 7.3 mm in table at", checked.stdout)
        said = checked.stderr
        self.assertRegex(said, r"left_finger is 7\.3 mm in table at \(.*, -3\.[67]\) mm, and 1 other pair overlaps; up to 2 mm")
        self.assertIn("hint: hand.target.z by +7.3 mm frees it;", said)
        self.assertIn(why, self.run_program("show", "deep.h5").stdout)
        replayed = self.run_program("replay", "deep.h5", "--trial", 4).stdout
        self.assertRegex(replayed, r"\n  overlap  left_finger is 7\.3 mm in table at \(.*\) mm\n")

    def test_the_same_for_programs(self):
        self.run_deep("-q")
        shown = self.run_json("show", "deep.h5")["overlaps"]
        self.assertEqual((shown["trials"], shown["looked_at"], shown["freed"]), (30, 30, 30))
        self.assertEqual([m["path"] for m in shown["move"]], ["hand.target.z"])
        self.assertAlmostEqual(shown["move"][0]["by_m"], 0.0073, delta=1e-12)
        replayed = self.run_json("replay", "deep.h5", "--trial", 4)["overlaps"]
        for told in (shown["pairs"], replayed):
            self.assertEqual({(p["a"], p["b"]) for p in told}, {("left_finger", "table"), ("right_finger", "table")})
            for pair in told:
                self.assertAlmostEqual(pair["depth_m"], 7.3e-3, delta=1e-9)
                self.assertAlmostEqual(pair["point_m"][2], -7.3e-3 / 2, delta=1e-9)
                np.testing.assert_allclose(pair["normal"], [0, 0, 1], atol=1e-9)
        # and to those who read the file: the stored depth is the same
        with h5py.File(self.folder / "deep.h5") as file:
            np.testing.assert_allclose(file["trials"]["max_penetration"], 7.3e-3, atol=1e-9)

    def test_the_move_frees(self):
        """What is told is enough, and a millimetre less is not."""
        for z, code in (("-9.3 mm", 0), ("-10.3 mm", 0), ("-12.31 mm", 2)):
            done = self.run_deep("-q", "--force", "--set", f"hand.target.z={z}", code=code)
            self.assertEqual("nothing was decided" in done.stdout, code == 2)
        self.assertIn("hand.target.z by +2.4 mm frees it", done.stdout)  # 2.31 mm, rounded up

    def test_other_moves(self):
        """Of the object where the hand is not in it; sideways; out of what is so deep that normals contradict."""
        no_hand = DEEP.replace("placed: resting", "placed: as_given, pose: {z: 20 mm}").replace("hand: {", "# {", 1)
        for name, text, path, least in (
                ("object", no_hand, "object.pose.z", 5),
                # the cube reaches to 25 mm, a pad that holds it from the side goes to the side: 50 mm apart, 8 mm thick
                ("within", DEEP.replace("z: -17.3 mm", "y: 30 mm"), "hand.target", 1),
                ("buried", DEEP.replace("-17.3 mm", "-45 mm"), "hand.target", 35)):
            with self.subTest(name):
                self.write("s.yaml", text)
                self.run_program("run", "s.yaml", "-n", 1, "-o", "s.h5", "-q", "--force", code=2)
                found = self.run_json("show", "s.h5")["overlaps"]
                self.assertTrue(found["move"], found)
                self.assertTrue(found["move"][0]["path"].startswith(path))
                self.assertGreaterEqual(sum(abs(m["by_m"]) for m in found["move"]), (least - 1e-6) * 1e-3)
                self.assertEqual(found["freed"], 1)
                nominal = {p["path"]: p["value"] for p in self.run_json("check", "s.yaml", "--parameters")}
                moved = [word for m in found["move"]
                         for word in ("--set", f"{m['path']}={nominal[m['path']] + m['by_m']} m")]
                self.assertNotIn("frees it", self.run_program("check", "s.yaml", *moved).stderr)

    def test_fingers_in_the_object_open(self):
        """Where the hand is was chosen: jaws that start 20 mm shut, 5 mm within the cube on either side, open by that."""
        shut = DEEP.replace("frame: tcp", "frame: tcp, joints: {left: {start: 20 mm}, right: {start: 20 mm}}")
        self.write("shut.yaml", shut.replace("z: -17.3 mm", "z: 0 mm"))
        hint = r"hint: hand\.left\.start by -(5|5\.1) mm, hand\.right\.start by -(5|5\.1) mm frees it"
        self.assertRegex(self.run_program("check", "shut.yaml", code=2).stderr, hint)
        done = self.run_program("run", "shut.yaml", "-n", 4, "-o", "shut.h5", "-q", code=2)
        self.assertRegex(done.stdout, hint.replace("hint: ", ""))
        found = self.run_json("show", "shut.h5")["overlaps"]
        self.assertEqual(([m["path"] for m in found["move"]], found["freed"]), (["hand.left.start", "hand.right.start"], 4))
        moved = [word for m in found["move"] for word in ("--set", f"{m['path']}={0.02 + m['by_m']} m")]
        self.assertNotIn("frees it", self.run_program("check", "shut.yaml", *moved).stderr)
        less = [word for m in found["move"] for word in ("--set", f"{m['path']}={0.02 + m['by_m'] + 2.2e-3} m")]
        self.assertIn("frees it", self.run_program("check", "shut.yaml", *less, code=2).stderr)
        # by the same share of their ways; not where opening is not enough: the table, an object that is too wide
        self.write("askew.yaml", shut.replace("z: -17.3 mm", "z: 0 mm").replace("left: {start: 20 mm}", "left: {start: 30 mm}"))
        said = self.run_program("check", "askew.yaml", code=2).stderr
        left, right = map(float, re.search(r"left\.start by -([0-9.]+) mm, hand\.right\.start by -([0-9.]+) mm frees", said).groups())
        self.assertTrue(15 <= left <= 15.1)  # 30 mm to where the cube begins, half of its way
        self.assertTrue(10 <= right <= 10.1)
        for change in (("", ""), ("box: [50 mm, 50 mm, 50 mm]", "box: [50 mm, 100 mm, 50 mm]")):
            self.write("wide.yaml", shut.replace(*change) if change[0] else shut)
            self.assertRegex(self.run_program("check", "wide.yaml", code=2).stderr, r"hint: (hand\.target|object\.pose)")
        # fingers that a study starts are left alone
        self.write("study.yaml", "use: shut.yaml\nstudy: {vary: {hand.left.start: [20 mm, 22 mm]}, draws: 2}\n")
        self.assertNotIn("hand.left.start", self.run_program("check", "study.yaml", code=2).stderr)

    def test_a_ball_in_a_corner_goes_along_both_normals(self):
        """Two walls, 3 mm and 3 mm deep: the shortest way is along their edge's bisector, which is
        the sum of both normals, 3 sqrt(2) mm; told to 0.1 mm, rounded up on each axis."""
        ball = """graspmc: 1
object: {sphere: {radius: 20 mm}, mass: 0.1 kg, surface: abs, placed: as_given, pose: {x: 17 mm, z: 17 mm}}
scene:
  floor: {box: [400 mm, 400 mm, 20 mm], surface: wood, pose: {z: -10 mm}}
  wall:  {box: [20 mm, 400 mm, 400 mm], surface: wood, pose: {x: -10 mm, z: 210 mm}}
friction: {abs/wood: 0.4}
program: [hold: {for: 20 ms}]
success: {at_end: [lift(object) >= -1 m]}
"""
        self.write("ball.yaml", ball)
        said = self.run_program("check", "ball.yaml", code=2).stderr
        self.assertIn("hint: object.pose.x by +3 mm, object.pose.z by +3 mm (4.2 mm along (0.71, 0, 0.71)) frees it;", said)
        self.run_program("check", "ball.yaml", "--set", "object.pose.x=20 mm", "--set", "object.pose.z=20 mm")
        # a wall turned about y: one normal
        self.write("tilt.yaml", ball.replace("  wall:  {box", "  # wall: {box").replace("pose: {x: 17 mm, z: 17 mm}", "pose: {z: 17 mm}")
                   .replace("pose: {z: -10 mm}", "pose: {x: -7.071 mm, z: -7.071 mm, pitch: 45 deg}"))
        said = self.run_program("check", "tilt.yaml", code=2).stderr
        move = [float(word) for word in re.findall(r"object\.pose\.[xz] by ([+-][0-9.]+) mm", said)]
        # centre (0, 17) against the plane x + z = 0: 17 / sqrt(2) = 12.02 from it, 7.98 mm deep
        self.assertEqual(len(move), 2, said)
        for part in move:  # 7.98 / sqrt(2) = 5.643, up to 0.1 mm more on each axis
            self.assertTrue(5.64 <= part <= 5.75, move)
        self.assertRegex(said, r"\(8\.[01] mm along \(0\.71, 0, 0\.71\)\) frees it")

    def told_move(self, name, *words):
        """The hint of `check` as words for --set, which free, and its length [mm]."""
        said = self.run_program("check", name, *words, code=2).stderr
        hint = re.search("hint: (.*) frees it", said)
        self.assertTrue(hint, said)
        parts = re.findall(r"(hand\.target\.[xyz]) by ([+-][0-9.]+) mm", hint[1])
        nominal = {p["path"]: p["value"] for p in self.run_json("check", name, *words, "--parameters")}
        moved = [word for path, by in parts
                 for word in ("--set", f"{path}={nominal[path] + 1e-3 * float(by)} m")]
        self.assertNotIn("frees it", self.run_program("check", name, *words, *moved).stderr)
        return sum(float(by) ** 2 for _, by in parts) ** 0.5

    def test_a_short_move_out_of_object_and_table(self):
        """Tilted hands that are in the object and in the table: normals alone led 75.2 and 81.3 mm away. No move is
        shorter than the hand is deep in the table, which is level."""
        for target in ("x: 4.4 mm, y: -29.2 mm, z: -22.4 mm, roll: -13.2 deg, pitch: 25 deg",
                       "x: 28.9 mm, y: 22.3 mm, z: -19.9 mm, roll: 27.7 deg, pitch: 2.4 deg"):
            with self.subTest(target):
                self.write("tilted.yaml", HAND.replace("z: Z", target))
                found = self.run_json("check", "tilted.yaml", code=2)["undecided"]["overlaps"]
                least = 1e3 * max(pair["depth_m"] for pair in found if pair["b"] == "table")
                self.assertGreater(least, 25)
                self.assertIn("object", {pair["b"] for pair in found})
                length = self.told_move("tilted.yaml")
                self.assertTrue(least - 0.1 <= length <= 1.3 * least, (least, length))

    @unittest.skipUnless((MODELS / "barrett_hand").is_dir(), "models of robots are not here")
    def test_a_short_move_of_many_links(self):
        """Five pairs overlap: 94.3 mm upwards frees, and so does (-10.65, 1.38, 11.98) mm, 16.1 mm."""
        joints = "".join(f"finger_{k}_med_joint: {{start: -55.92 deg}}, finger_{k}_dist_joint: {{start: -17.99 deg}}, "
                         for k in (1, 2))
        joints += "finger_3_med_joint: {start: -45.93 deg}, finger_3_dist_joint: {start: -14.78 deg}"
        self.write("mug.yaml", HAND.replace(
            f"{support.SCENARIOS}/models/parallel_jaw.urdf, frame: tcp", f"{MODELS}/barrett_hand/bhand_model.urdf").replace(
            "target: {z: Z}", f"joints: {{{joints}}}, target: {{x: 29.27 mm, y: -9.74 mm, z: 134.49 mm, "
            "roll: 179.35 deg, yaw: -90 deg}").replace("box: [50 mm, 50 mm, 50 mm]", f"mesh: {MODELS}/ycb_subset/mug/collision.obj"))
        self.assertLessEqual(self.told_move("mug.yaml"), 1.3 * 16.1)

    def test_a_move_where_nominal_values_are_free(self):
        """Of a hand that overlaps in some draws only the move is that of the worst of them."""
        self.write("some.yaml", HAND.replace("Z", "-8 mm") + "uncertain: {hand.target.z: 'nominal + normal(0 mm, 4 mm)'}\n")
        done = self.run_program("run", "some.yaml", "-n", 40, "-o", "some.h5")
        self.assertNotIn("nothing was decided", done.stdout)
        with h5py.File(self.folder / "some.h5") as file:
            deep = -10e-3 - file["samples"][:, 0].min()
        self.assertGreater(deep, 2e-3)
        said = re.search(r"      hand\.target\.z by \+([0-9.]+) mm frees it\n", done.stdout)
        self.assertTrue(said, done.stdout)
        self.assertTrue(1e3 * deep <= float(said[1]) <= 1e3 * deep + 0.11, (said[0], deep))

    def test_what_a_move_does_to_trials_is_said(self):
        """Fingers that start 1.5 mm in the cube nominally, more in some draws: what frees the nominal start leaves others
        in it, by less than is refused. What is told frees them all, or says how many it does."""
        shut = HAND.replace("Z", "0 mm").replace("frame: tcp", "frame: tcp, joints: {left: {start: 16.5 mm}, right: {start: 16.5 mm}}")
        self.write("some.yaml", shut + "uncertain: {object.box.y: 'uniform(47 mm, 52.5 mm)'}\n")
        done = self.run_program("run", "some.yaml", "-n", 40, "-o", "some.h5")
        found = self.run_json("show", "some.h5")["overlaps"]
        self.assertEqual((found["freed"], found["started"]), (found["trials"], found["trials"]))
        self.assertRegex(done.stdout, r"      hand\.left\.start by -[0-9.]+ mm, hand\.right\.start by -[0-9.]+ mm frees it\n")
        moved = [word for m in found["move"] for word in ("--set", f"{m['path']}={0.0165 + m['by_m']} m")]
        self.run_program("run", "some.yaml", "-n", 40, "-o", "freed.h5", "-q", "--no-warnings", *moved)
        with h5py.File(self.folder / "freed.h5") as file:
            self.assertLess(file["trials"]["start_penetration"].max(), 1e-5)

    def test_what_is_left_is_said(self):
        """Opening the fingers leaves the cube 1 mm in the table, which is accepted."""
        shut = HAND.replace("Z", "0 mm").replace("frame: tcp", "frame: tcp, joints: {left: {start: 20 mm}, right: {start: 20 mm}}")
        self.write("two.yaml", shut.replace("placed: resting", "placed: as_given, pose: {z: 24 mm}"))
        said = self.run_program("check", "two.yaml", code=2).stderr
        self.assertRegex(said, r"hint: hand\.left\.start by -(5|5\.1) mm, hand\.right\.start by -(5|5\.1) mm frees it of what is too "
                         r"deep, and leaves 1\.0 mm of others; trials that start so are unsolved")

    def test_some_trials(self):
        """Which pair in how many trials is counted, not guessed from one."""
        self.write("some.yaml", SOME)
        done = self.run_program("run", "some.yaml", "-n", 40, "-o", "some.h5")
        self.assertNotIn("nothing was decided", done.stdout)
        with h5py.File(self.folder / "some.h5") as file:
            z = file["samples"][:, 0]
        deep = -10e-3 - z[z < -12e-3]  # the pads' lower ends
        self.assertRegex(done.stdout, rf"left_finger is {1e3 * deep.min():.1f} to {1e3 * deep.max():.1f} mm in table "
                         rf"in all {len(deep)} trials, most in trial {z.argmin()} at")
        pair = self.run_json("show", "some.h5")["overlaps"]["pairs"][0]
        self.assertEqual(pair["trials"], len(deep))
        self.assertAlmostEqual(pair["depth_m"], deep.max(), delta=1e-9)
        # of a part of the trials
        part = self.run_json("show", "some.h5", "--where", "hand.target.z > -15 mm")["overlaps"]
        self.assertEqual(part["trials"], ((z > -15e-3) & (z < -12e-3)).sum())

    def test_check_says_that_nothing_would_be_decided(self):
        found = self.run_json("check", "deep.yaml", "-n", 12, "-q", code=2)["undecided"]
        self.assertEqual((found["looked_at"], found["overlaps"][0]["a"]), (12, "left_finger"))
        self.assertIn("all 12 trials start with", self.run_program("check", "deep.yaml", "-n", 12, code=2).stdout)
        self.run_program("check", "deep.yaml", "-n", 20, "--pilot", 3, code=2)
        for words in (["--expanded"], ["--parameters"], ["--model"], ["--set", "hand.target.z=0 mm"]):
            self.assertNotIn("nothing would be", self.run_program("check", "deep.yaml", *words).stdout)
        # deep at nominal values, but not in every trial: a run decides some
        self.write("some.yaml", HAND.replace("Z", "-17.3 mm") + "uncertain: {hand.target.z: 'nominal + normal(0 mm, 8 mm)'}\n")
        done = self.run_program("check", "some.yaml")
        self.assertIn("at nominal values left_finger is 7.3 mm in table", done.stderr)
        self.assertNotIn("nothing would be", done.stdout)
        # one case of two
        study = "use: deep.yaml\nstudy: {vary: {hand.target.z: [-17.3 mm, Z]}, draws: 10}\n"
        self.write("study.yaml", study.replace("Z", "0 mm"))
        self.run_program("check", "study.yaml")
        self.write("study.yaml", study.replace("Z", "-16 mm"))
        self.run_program("check", "study.yaml", code=2)

    def test_what_is_asked_stays_open(self):
        done = self.run_deep("-q", "--decide", "success>=0.5")
        self.assertIn("undecided: success >= 0.5 after all 30 draws; all trials are unsolved: more draws would not help",
                      done.stdout)
        self.assertNotIn("may decide", done.stdout)

    def test_parts_go_on_and_the_whole_says_it(self):
        for k in (1, 2):
            self.run_program("run", "deep.yaml", "-n", 30, "--shard", f"{k}/2", "-o", f"part{k}.h5", "-q")
        self.run_program("run", "deep.yaml", "-n", 30, "--trials", "3:7", "-o", "five.h5", "-q")
        done = self.run_program("merge", "part1.h5", "part2.h5", "-o", "all.h5", code=2)
        self.assertIn("left_finger is 7.3 mm in table in all 30 trials; hand.target.z by +7.3 mm frees it", done.stdout)
        # all there already: the same answer and code
        self.run_program("run", "deep.yaml", "-n", 30, "-o", "all.h5", "--resume", "-q", code=2)

    @unittest.skipUnless(shutil.which("parallel"), "GNU Parallel is not installed")
    def test_a_sweep_goes_on(self):
        for shards in (1, 2):
            sweep = subprocess.run(
                [support.ROOT / "scripts/sweep_parallel", "--program", support.PROGRAM, "deep.yaml", "-o", f"sweep{shards}",
                 "--shards", str(shards), "--grid", "hand.target.z=-17.3 mm,0 mm", "--", "-n", "8"],
                cwd=self.folder, capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual(sweep.returncode, 0, sweep.stderr)
            rows = sweep.stdout.splitlines()
            self.assertRegex(rows[1], r"^1,.*,undecided,8,0,8,,")
            self.assertRegex(rows[2], r"^2,.*,complete,8,8,0,1,")
            self.assertIn("1 of them undecided, all trials unsolved; the first: nothing was decided: left_finger is 7.3 mm "
                          "in table in all 8 trials", sweep.stderr)

    def test_other_reasons(self):
        """Nothing decided for another reason is 2 as well, with that reason."""
        self.write("jam.yaml", HAND.replace("Z", "0 mm").replace(
            "hold: {for: 20 ms}", "move: {by: [0 mm, 0 mm, -30 mm], in: 0.2 s}"))
        done = self.run_program("run", "jam.yaml", "-n", 2, "-o", "jam.h5", "-q", code=2)
        self.assertTrue(done.stdout.startswith("nothing was decided: jam in 2 of 2 trials\n"), done.stdout)

    def test_grasps(self):
        """The listing has the gap to the scene, and who overlaps, also where the hand is far from the object."""
        rows = "".join(f"{z}\n" for z in (0.002, 0.012, -0.0173))
        self.write("grasps.csv", "hand.target.z\n" + rows)
        self.write("g.yaml", DEEP.replace(", target: {z: -17.3 mm}", "").replace(
            "placed: resting", "placed: resting, grasps: {file: grasps.csv}") + "study: {vary: [grasp], draws: 1}\n")
        lines = self.run_program("check", "g.yaml", "--grasps").stdout.splitlines()
        self.assertRegex(lines[0], r"gap \[mm\]  scene \[mm\]  deepest overlap")
        self.assertRegex(lines[1], r" 12\.000$")
        self.assertRegex(lines[2], r" 22\.000$")
        self.assertRegex(lines[3], r" -7\.300  left_finger / table 7\.3 mm$")
        self.assertRegex(self.run_program("check", "g.yaml").stdout, r"; 1 overlap elsewhere\n")
        grasps = self.run_json("check", "g.yaml")["grasps"]
        self.assertEqual([g["overlap"] and g["overlap"]["b"] for g in grasps], [None, None, "table"])
        self.assertAlmostEqual(grasps[2]["scene_gap_m"], -7.3e-3, delta=1e-9)

    def test_picture(self):
        """The start with both bodies, and the place in view from near."""
        try:
            plot_trial = load("plot_trial")
        except SystemExit as error:
            raise unittest.SkipTest(str(error))
        self.run_deep("-q")
        trial = plot_trial.Trial(self.folder / "deep.h5", 2)
        picture = plot_trial.Start(trial, plot_trial.view_of(trial.overlaps[0]))
        self.assertGreater(np.ptp(picture.limits, axis=0).min(), 0.1)  # hand and cube, not a point
        self.assertEqual({picture.colour(body) for body in ("object", "left_finger", "table")},
                         {"tab:orange", "tab:blue", "0.55"})
        near = picture.figure().axes[1]
        point = np.array(trial.overlaps[0]["point_m"])[picture.view]
        self.assertTrue(near.get_xlim()[0] < point[0] < near.get_xlim()[1])
        self.assertTrue(near.get_ylim()[0] < point[1] < near.get_ylim()[1])
        self.assertEqual(near.get_title(), "left_finger is 7.3 mm in table")

    def test_python(self):
        """Result and replay have the names."""
        self.run_deep("-q")
        code = ("import sys, json; sys.path.insert(0, sys.argv[1]); import graspmc; "
                "r = graspmc.Result('deep.h5'); print(json.dumps([r.overlaps, r.replay(3)['overlaps']]))")
        done = subprocess.run([sys.executable, "-c", code, support.ROOT / "cli"], cwd=self.folder, capture_output=True,
                              text=True, check=False, env={"GRASPMC": support.PROGRAM})
        self.assertEqual(done.returncode, 0, done.stderr)
        for pairs in json.loads(done.stdout):
            self.assertEqual((pairs[0]["a"], pairs[0]["b"]), ("left_finger", "table"))


if __name__ == "__main__":
    unittest.main()
