"""Trials that nothing can decide: each ends as unsolved with its own reason, and the others go on.

In every scenario one uncertain number decides which trials are which, so the rows can be held against it."""
import unittest

import support

try:
    import h5py
    import numpy as np
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

HAND = f"""\
hand: {{urdf: {support.SCENARIOS}/models/parallel_jaw.urdf, frame: tcp, surface: rubber, joints: JOINTS}}
object: {{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}}
scene: {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5, rubber/rubber: 0.8}}
"""
# a cube that is up to 4 mm within the table
DEEP = """\
object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: as_given, pose: {z: 25 mm}}
scene: {table: {plane: {height: 0 mm}, surface: wood}}
friction: {abs/wood: 0.4}
program: [hold: {for: 0.1 s}]
success: {at_end: [lift(object) >= -5 mm]}
uncertain:
  object.pose.z: uniform(21 mm, 25 mm)
"""


def percent(share):
    """As the answer has it: two digits, from 99.5 % all before the point."""
    return f"{100 * share:+.{2 if abs(share) < 0.995 else 3}g} %"


BOX = "box: [50 mm, 50 mm, 50 mm]"
# soft ground under twenty times the weight
LOADED = """\
object: {OBJECT, mass: 0.2 kg, surface: abs, placed: as_given, pose: {z: 25 mm}}
scene: {table: {plane: {height: 0 mm}, surface: wood}}
surfaces: {wood: {SOFT}}
friction: {abs/wood: 0.4}
program:
  - set: {gravity.z: -196.2, in: 0.2 s}
  - hold: {for: 0.3 s}
success: {at_end: [lift(object) >= -15 mm]}
uncertain:
  object.mass: uniform(0.01 kg, 0.2 kg)
"""
# stiff drives close to 10 mm, whatever is between the fingers
FINGERS = HAND.replace("JOINTS", "{left: DRIVE, right: DRIVE}").replace(
    "DRIVE", "{max_force: 100 kN, kp: 1e8 N/m}") + """\
program:
  - close: {position: 35 mm, in: 0.5 s}
  - lift: {by: 50 mm, in: 0.5 s}
success: {at_end: [lift(object) >= 40 mm]}
uncertain:
  object.box.y: uniform(10 mm, 50 mm)
"""
# the hand goes down on the table, or stops above it
PRESS = HAND.replace(", joints: JOINTS", "") + """\
program:
  - move: {by: [0 mm, 0 mm, -30 mm], in: 0.2 s}
  - hold: {for: 0.1 s}
success: {at_end: [lift(object) >= -1 mm]}
uncertain:
  hand.target.z: uniform(0 mm, 20 mm)
"""
# a hand that takes 4 m in so short a time throws what it holds
THROWN = HAND.replace(", joints: JOINTS", "") + """\
program:
  - close: {force: 10 N, until: stalled}
  - move: {by: [0 mm, 4 m, 0 mm], in: 0.2 s}
success: {at_end: [lift(object) >= -5 m]}
simulation: {workspace: 20 m}
uncertain:
  program.1.move.in: uniform(20 ms, 200 ms)
"""
# A plate on 18 by 18 balls of its own, 20 mm apart, each a contact on the table, that stands over the table's edge with 0 to 5 of
# its columns.
NAILS = ("object:\n  box: [360 mm, 360 mm, 10 mm]\n  mass: 1 kg\n  surface: abs\n  placed: as_given\n  pose: {z: 7 mm}\n  parts:\n" +
         "".join(f"    p{i}x{k}: {{sphere: {{radius: 2 mm}}, pose: {{x: {20 * i - 170} mm, y: {20 * k - 170} mm, z: -5 mm}}}}\n"
                 for i in range(18) for k in range(18)) + """\
scene: {table: {box: [360 mm, 400 mm, 20 mm], surface: wood, pose: {z: -10 mm}}}
friction: {abs/wood: 0.4}
program: [hold: {for: 0.02 s}]
success: {at_end: [lift(object) >= -1 m]}
uncertain:
  object.pose.x: one_of(0 mm, 20 mm, 40 mm, 60 mm, 80 mm, 100 mm)
""")


class Unsolved(support.Case):
    def run_scenario(self, text, reason, draws=20):
        """Rows and samples; some trials end for the reason, all others are decided."""
        self.write("s.yaml", "graspmc: 1\n" + text)
        self.run_program("check", "s.yaml")
        answer = self.run_json("run", "s.yaml", "-n", draws, "-o", "s.h5", "-q")
        with h5py.File(self.folder / "s.h5") as file:
            rows, samples = file["trials"][:], file["samples"][:, 0]
            names = {value: name for name, value in
                     h5py.check_enum_dtype(rows.dtype["reason"]).items()}
        reasons = np.array([names[value] for value in rows["reason"]])
        self.assertEqual(set(reasons), {reason, "none"})
        ended = reasons == reason
        self.assertEqual(len(rows), draws)
        self.assertTrue((rows["valid"] == ~ended).all())
        self.assertFalse(rows["success"][ended].any())
        self.assertEqual(answer["reasons"], {reason: int(ended.sum())})
        self.assertEqual(answer["outcomes"]["unsolved"], ended.sum())
        self.assertEqual(answer["success"]["successes"] + answer["success"]["failures"],
                         draws - ended.sum())
        # the words, and the trial to look at
        shown = self.run_program("show", "s.h5").stdout
        first = int(np.flatnonzero(ended)[0])
        self.assertRegex(shown, rf"{reason} +{ended.sum()}   \w.* \(first: trial {first}\)\n")
        replayed = self.run_program("replay", "s.h5", "--trial", first).stdout
        self.assertRegex(replayed, rf"unsolved \({reason}: .+\)")
        self.assertIn("identical", replayed)
        return rows, samples, ended

    def test_deep_start(self):
        rows, z, ended = self.run_scenario(DEEP, "deep_start")
        self.assertTrue((ended == (z < 23e-3)).all())
        self.assertTrue((rows["t_end"][ended] == 0).all())
        # it says how deep
        self.assertLess(abs(rows["max_penetration"][ended] - (25e-3 - z[ended])).max(), 2e-5)
        self.assertTrue(rows["success"][~ended].all())

    def test_starts_that_overlap_are_counted(self):
        rows, z, ended = self.run_scenario(DEEP, "deep_start", draws=60)
        depth = 25e-3 - z  # of the cube's lower face in the plane
        self.assertLess(abs(rows["start_penetration"] - depth).max(), 1e-12)
        count, deepest = int((depth[~ended] > 1e-4).sum()), int(np.where(ended, 0, depth).argmax())
        self.assertLess(count, (~ended).sum())  # one of each kind, or it would say nothing
        self.assertIn(f"deep starts: {count} of {(~ended).sum()} trials that ran began more than 0.1 mm deep, trial {deepest} "
                      f"{1e3 * depth[deepest]:.2f} mm\n", self.run_program("show", "s.h5").stdout)
        told = self.run_json("show", "s.h5")["deep_starts"]
        self.assertEqual((told["trials"], told["deepest_trial"], told["deeper_than_m"]), (count, deepest, 1e-4))
        self.assertAlmostEqual(told["deepest_m"], depth[deepest], delta=1e-12)
        # lifting the cube out is energy that nobody gave
        size = np.nan_to_num(rows["energy_size"])
        off = np.where(ended | (size < 1e-3), 0, np.nan_to_num(np.abs(rows["energy_balance"])))
        self.assertGreater((off > 0.01).sum(), 0)
        worst = int(off.argmax())
        said = self.run_program("show", "s.h5").stdout
        gave = -rows["energy_balance"][worst] * size[worst]
        self.assertIn(f"energy: off by more than 1 % in {(off > 0.01).sum()} of {len(z)} trials, in trial {worst} by "
                      f"{percent(rows['energy_balance'][worst])}: contacts or joints gave {gave:.2g} J\n", said)
        # the command that it names lists them
        where = "abs(energy_balance) > 1 % and energy_size >= 1 mJ"
        self.assertIn(f"which trials: graspmc show s.h5 --where '{where}'\n", said)
        listed = self.run_program("show", "s.h5", "--where", where).stdout
        numbers = " ".join(str(i) for i in np.flatnonzero(off > 0.01))
        self.assertRegex(listed, f"\ntrials? {numbers}\n")
        self.assertEqual(self.run_json("show", "s.h5", "--where", where)["where"]["first"],
                         np.flatnonzero(off > 0.01).tolist())
        told = self.run_json("show", "s.h5")["energy"]
        self.assertEqual((told["trials"], told["worst_trial"]), ((off > 0.01).sum(), worst))
        self.assertEqual(told["worst"], rows["energy_balance"][worst])
        # none of them is a throw, whatever the stepper
        for stepper in ("coulomb", "stewart_trinkle", "anitescu_potra", "song_pang_kumar"):
            self.run_program("run", "s.yaml", "-n", 8, "-o", "d.h5", "--force", "--stepper", stepper)
            with h5py.File(self.folder / "d.h5") as file:
                ran = file["trials"]["valid"] == 1
                self.assertEqual(np.isfinite(file["trials"]["energy_balance"][ran]).all(), stepper == "coulomb")
                self.assertLessEqual(file["trials"]["max_speed"][ran].max(), 0.05, stepper)

    def test_where_early_verdicts_ended_trials_rows_tell_which_are_meant(self):
        self.run_program("run", support.QUICK, "-n", 60, "-o", "e.h5", "-q", "--no-warnings")
        with h5py.File(self.folder / "e.h5") as file:
            rows = file["trials"][:]
        meant = abs(rows["energy_balance"]) * rows["energy_size"] > 0.05 * rows["energy_object"]
        meant &= rows["energy_object"] >= 1e-3
        self.assertGreater(meant.sum(), 0)
        condition = "abs(energy_balance) * energy_size > 0.05 * energy_object and energy_object >= 1 mJ"
        self.assertIn(f"which trials: rows of graspmc export e.h5 with {condition}\n", self.run_program("show", "e.h5").stdout)

    def test_energy_of_a_light_object_in_strong_fingers(self):
        """A cube that starts in the table is lifted out by energy that nobody gave: next to nothing of what 40 N do, and much of
        what the cube has."""
        self.write("s.yaml", "graspmc: 1\n" + HAND.replace(", joints: JOINTS", "").replace(
            "placed: resting", "placed: as_given, pose: {z: 23.2 mm}").replace("mass: 0.2 kg", "mass: 0.1 kg") + """\
program:
  - close: {force: 40 N, until: stalled}
  - lift: {by: 20 mm, in: 0.3 s}
success: {at_end: [lift(object) >= 10 mm]}
uncertain:
  object.pose.z: uniform(23.2 mm, 25 mm)
""")
        self.run_program("run", "s.yaml", "-n", 20, "-o", "s.h5", "-q", "--no-warnings")
        with h5py.File(self.folder / "s.h5") as file:
            rows = file["trials"][:]
        self.assertTrue((rows["energy_object"] >= 0.1 * 9.8 * rows["lift"]).all())
        self.assertLess(rows["energy_object"].max(), 1.2 * 0.1 * 9.81 * rows["lift"].max())
        self.assertLess(abs(rows["energy_balance"]).max(), 0.01)
        off = rows["energy_balance"] * rows["energy_size"] / rows["energy_object"]
        count, worst = int((abs(off) > 0.05).sum()), int(abs(off).argmax())
        self.assertTrue(0 < count < 20)
        said = self.run_program("show", "s.h5").stdout
        self.assertNotIn("energy: off", said)
        self.assertIn(f"energy of the object: off by more than 5 % of its own in {count} of 20 trials, in trial {worst} by "
                      f"{percent(off[worst])}\n", said)
        where = "abs(energy_balance) * energy_size > 0.05 * energy_object and energy_object >= 1 mJ"
        self.assertIn(f"which trials: graspmc show s.h5 --where '{where}'\n", said)
        listed = self.run_json("show", "s.h5", "--where", where)["where"]["first"]
        self.assertEqual(listed, np.flatnonzero(abs(off) > 0.05).tolist())
        told = self.run_json("show", "s.h5")["energy_of_object"]
        self.assertEqual((told["trials"], told["worst_trial"]), (count, worst))
        self.assertAlmostEqual(told["worst"], off[worst], delta=1e-12)

    def test_hard_bodies_deep_in_each_other_are_counted(self):
        """At any time of a trial, not in its start alone; what a pad gives is none."""
        for soft, is_hard in (("stiffness: 2000 N/m", True), ("pad: {thickness: 20 mm, modulus: 0.02 MPa}", False)):
            self.write("s.yaml", "graspmc: 1\n" + LOADED.replace("OBJECT", BOX).replace("SOFT", soft))
            self.run_program("run", "s.yaml", "-n", 20, "-o", "s.h5", "-q", "--force")
            with h5py.File(self.folder / "s.h5") as file:
                rows, mass = file["trials"][:], file["samples"][:, 0]
            weight = mass * 20 * 9.81 / (4 * 2000)  # at the end, by four corners
            self.assertGreater(rows["max_penetration"].max(), 3e-3)
            if is_hard:
                np.testing.assert_array_equal(rows["hard_penetration"], rows["max_penetration"])
                self.assertTrue((rows["hard_penetration"] > 0.95 * weight).all())
            else:
                self.assertEqual(rows["hard_penetration"].max(), 0)
            count, most = int((rows["hard_penetration"] > 2e-3).sum()), int(rows["hard_penetration"].argmax())
            self.assertTrue(0 < count < 20 if is_hard else count == 0)
            said = self.run_program("show", "s.h5").stdout
            line = (f"deep overlaps: {count} of 20 trials had hard bodies more than 2 mm in each other, trial {most} "
                    f"{1e3 * rows['hard_penetration'][most]:.2f} mm\n")
            self.assertEqual(line in said, is_hard, said)
            self.assertEqual("deep overlaps" in said, is_hard)
            told = self.run_json("show", "s.h5")["deep_overlaps"]
            self.assertEqual((told["trials"], told["deeper_than_m"]), (count, 2e-3))
            self.assertEqual(told["deepest_m"], rows["hard_penetration"].max())

    def test_check_warns_of_a_start_that_is_not_refused(self):
        """From 0.1 mm on, as the answer counts them; what it proposes ends the warning."""
        for depth, told in (("24.91 mm", None), ("24.2 mm", "0.8"), ("23.1 mm", "1.9")):
            self.write("s.yaml", "graspmc: 1\n" + DEEP.partition("uncertain")[0])
            words = ["--set", f"object.pose.z={depth}"]
            said = self.run_program("check", "s.yaml", *words).stderr
            if told is None:
                self.assertEqual(said, "")
                continue
            self.assertRegex(said, rf"s\.yaml: warning: at nominal values object is {told} mm in table at \(.*\) mm\n"
                             rf"hint: object\.pose\.z by \+{told} mm frees it; trials that start so run: the bodies part within")
            self.assertEqual(self.run_program("check", "s.yaml", "--set", "object.pose.z=25 mm").stderr, "")
        self.write("s.yaml", "graspmc: 1\n" + DEEP.partition("uncertain")[0] +
                   "study: {vary: {object.pose.z: [25 mm, 24.5 mm, 24 mm]}, draws: 1}\n")
        self.assertRegex(self.run_program("check", "s.yaml").stderr,
                         r"object is 1\.0 mm in table at .* in case 2, the worst of 2 such cases of 3\n")

    def test_pads_at_their_bottom_are_counted(self):
        """At any time of a trial: a box, whose bed of springs bears 2.5 kN/m before its bottom does, and a ball."""
        # half of the draws are heavy enough to press it to its bottom
        pad = LOADED.replace("SOFT", "pad: {thickness: 10 mm, modulus: 0.01 MPa}")
        for body in (BOX, "sphere: {radius: 25 mm}"):
            self.write("s.yaml", "graspmc: 1\n" + pad.replace("OBJECT", body))
            self.run_program("run", "s.yaml", "-n", 20, "-o", "s.h5", "-q", "--force")
            with h5py.File(self.folder / "s.h5") as file:
                rows, mass = file["trials"][:], file["samples"][:, 0]
            press = rows["pad_press"]
            np.testing.assert_allclose(press, rows["max_penetration"] / 10e-3, rtol=1e-12)
            if body == BOX:
                rest = mass * 20 * 9.81 / 2500 / 10e-3  # of the layer alone, over its thickness
                self.assertTrue((press[rest > 0.8] > 0.8).all())
                self.assertTrue((press[rest < 0.4] < 0.8).all())  # no more than twice that on the way
            count, most = int((press > 0.8).sum()), int(press.argmax())
            self.assertTrue(0 < count < 20)
            self.assertIn(f"pads at their bottom: {count} of 20 trials pressed a pad to more than 80 % of its thickness, "
                          f"trial {most} {100 * press[most]:.2f} %\n", self.run_program("show", "s.h5").stdout)
            told = self.run_json("show", "s.h5")["pads_at_bottom"]
            self.assertEqual((told["trials"], told["deepest_trial"], told["deeper_than"]), (count, most, 0.8))
            self.assertEqual(told["deepest"], press.max())
        self.write("s.yaml", "graspmc: 1\n" + DEEP)  # no pad
        self.run_program("run", "s.yaml", "-n", 5, "-o", "s.h5", "-q", "--force")
        with h5py.File(self.folder / "s.h5") as file:
            self.assertEqual(file["trials"]["pad_press"].max(), 0)

    def test_check_warns_of_a_deep_start(self):
        self.write("s.yaml", "graspmc: 1\n" + DEEP)
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")  # nominally it only touches
        lower = ["--set", "object.pose.z=20 mm", "--set", "uncertain=~"]
        said = self.run_program("check", "s.yaml", *lower, code=2).stderr
        self.assertIn("s.yaml: warning: at nominal values object is 5.0 mm in table at (-25.0, -25.0, -2.5) mm; up to 2 mm "
                      "is accepted\nhint: object.pose.z by +5 mm frees it;", said)
        study = "study: {vary: {object.pose.z: [25 mm, 22 mm, 20 mm]}, draws: 1}\n"
        self.write("s.yaml", "graspmc: 1\n" + DEEP.partition("uncertain")[0] + study)
        said = self.run_program("check", "s.yaml").stderr
        self.assertRegex(said, r"object is 5\.0 mm in table at .* in case 2, the worst of 2 such cases of 3;")

    def test_driven_fingers_jam(self):
        rows, width, ended = self.run_scenario(FINGERS, "jam")
        self.assertLess(width[~ended].max(), width[ended].min())
        self.assertTrue((rows["max_force"][ended] > 10e3).all())
        self.assertTrue((rows["phase"][ended] == 0).all())
        self.assertTrue(rows["success"][~ended].all())

    def test_a_driven_hand_jams_against_the_table(self):
        # pads reach 15 mm below the tool point, which starts z + 25 mm above the table and goes down by
        # 30 mm; 1e6 N/m at each of a pad's four corners: 10 kN where it is 2.5 mm in the table, that is z < 17.5 mm
        _, z, ended = self.run_scenario(PRESS, "jam")
        self.assertTrue((ended == (z < 17.5e-3)).all())

    def test_a_thrown_object(self):
        rows, duration, ended = self.run_scenario(THROWN, "diverged")
        self.assertLess(duration[ended].max(), duration[~ended].min())
        self.assertTrue((rows["phase"][ended] == 1).all())

    def test_more_contacts_than_planned(self):
        # 256 are planned for an object and what it lies on; 24 more for each loose body of the scene
        rows, x, ended = self.run_scenario(NAILS, "contacts")
        columns = 18 - (x / 0.02).round()
        self.assertTrue((ended == (18 * columns > 256)).all())
        self.assertTrue((rows["max_contacts"][~ended] == 18 * columns[~ended]).all())

    def test_stop_at_the_first(self):
        self.write("s.yaml", "graspmc: 1\n" + DEEP)
        done = self.run_program("run", "s.yaml", "-n", 20, "-o", "s.h5", "-q", "--on-unsolved",
                                "abort", code=2)
        self.assertRegex(done.stderr, r"trial \d+ is unsolved: deep_start, bodies overlap by more than 2 mm")
        self.assertRegex(done.stderr, r"\n  overlap  object is \d\.\d mm in table at \(")

    def test_d18_progress_shows_them(self):
        self.write("deep.yaml", "graspmc: 1\n" + DEEP)
        words = ["run", "deep.yaml", "-n", 40, "-o", "p.h5", "--force", "--progress"]
        done = self.run_program(*words, "bar")
        unsolved = self.run_json("show", "p.h5")["success"]["unsolved"]
        self.assertGreater(unsolved, 0)
        self.assertIn(f" 40/40  {unsolved} unsolved  ", done.stderr)


if __name__ == "__main__":
    unittest.main()
