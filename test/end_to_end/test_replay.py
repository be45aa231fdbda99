"""One stored trial, repeated alone from the result file: the same bits, and every step recorded."""
import shutil
import unittest

import h5py
import numpy

from support import DEMO, QUICK, Case, capability


GEAR = """
graspmc: 1
world: planar
object: {{{shape}, mass: 20 g, surface: steel}}
scene: {{disk: {{circle: {{radius: 5 mm}}, surface: steel, pose: {{x: 50 mm}}}}}}
friction: {{steel/steel: 0.3}}
program: [hold: {{for: 0.01 s}}]
success: {{at_end: [moved(object) >= 0 mm]}}
sampling: {{draws: 1}}
"""


class Replay(Case):
    def setUp(self):
        super().setUp()
        self.run_program("run", DEMO, "-n", 12, "-o", "a.h5", "--trajectories", "all", "--rate", 100)

    def test_the_bits_are_the_same_without_any_other_file(self):
        # the result alone goes to another place: scenario and models come out of it
        place = self.folder / "elsewhere"
        place.mkdir()
        shutil.move(self.folder / "a.h5", place / "b.h5")
        others = 0
        for trial in (0, 7, 11):
            done = self.run_program("replay", place / "b.h5", "--trial", trial)
            others += "identical" not in done.stdout
        capability(123, others, "<=", 0)

    def test_stored_rows_are_rows_of_the_full_trajectory(self):
        self.run_program("replay", "a.h5", "--trial", 7, "-o", "t.h5")
        with h5py.File(self.folder / "a.h5") as stored, h5py.File(self.folder / "t.h5") as full:
            index = stored["trajectories/index"][:]
            row = index[index["trial"] == 7][0]
            part = slice(int(row["offset"]), int(row["offset"]) + int(row["length"]))
            times, all_times = stored["trajectories/time"][part], full["trajectories/time"][:]
            at = numpy.searchsorted(all_times, times)
            self.assertTrue(numpy.array_equal(all_times[at], times))
            self.assertGreater(len(all_times), len(times))
            # rows fall on the first step at or after each multiple of the period
            for time in times[1:-1]:
                multiple = numpy.floor(time * 100 + 1e-9) / 100
                before = all_times[all_times < time - 1e-12]
                self.assertTrue(before[-1] < multiple - 1e-12)
            keys = [f"bodies/{name}/{what}" for name in stored["trajectories/bodies"] for what in ("pose", "twist")]
            others = sum(stored[f"trajectories/{key}"][part].tobytes() != full[f"trajectories/{key}"][:][at].tobytes()
                         for key in [*keys, "joints/q", "joints/effort"])
            capability(58, others, "<=", 0)

    def test_a_changed_measure_is_noticed(self):
        with h5py.File(self.folder / "a.h5", "r+") as file:
            trials = file["trials"][:]
            trials["lift"][7] = numpy.nextafter(trials["lift"][7], 1)
            file["trials"][:] = trials
        done = self.run_program("replay", "a.h5", "--trial", 7, code=1)
        self.assertIn("lift", done.stdout)
        self.run_program("replay", "a.h5", "--trial", 6)

    def test_shapes_are_those_of_the_trial(self):
        shapes = {s["geom"]: s for s in self.run_json("replay", "a.h5", "--trial", 7, "--shapes")["shapes"]}
        box = numpy.array(shapes["object"]["points"])
        self.assertEqual(len(shapes["object"]["lines"]), 12)
        for a, b in shapes["object"]["lines"]:
            self.assertAlmostEqual(float(abs(box[a] - box[b]).sum()), 0.05, delta=1e-15)
        self.assertEqual(shapes["table"]["normal"], [0, 0, 1])
        self.assertNotIn("shapes", self.run_json("replay", "a.h5", "--trial", 7))
        # sizes, curves, and the edges of a body that is cut into pieces
        self.write("gear.yaml", GEAR.format(shape="gear: {teeth: 12, diameter: 41 mm, root_diameter: 35 mm, tip_width: 3.5 mm}"))
        self.write("rod.yaml", GEAR.format(shape="super_ellipse: {x: 20 mm, y: 10 mm, exponent: 4}"))
        for name in ("gear", "rod"):
            self.run_program("run", f"{name}.yaml", "-o", f"{name}.h5", "-q")
        gear = [s for s in self.run_json("replay", "gear.h5", "--trial", 0, "--shapes")["shapes"] if s["body"] == "object"]
        self.assertEqual(sum(len(s["lines"]) for s in gear), 48)  # tip, two flanks, root of each tooth
        corners = numpy.concatenate([s["points"] for s in gear])
        self.assertAlmostEqual(float(numpy.hypot(*corners.T[:2]).max()), 0.0205, delta=1e-12)
        rod, disk = (s for s in self.run_json("replay", "rod.h5", "--trial", 0, "--shapes")["shapes"]
                     if s["body"] in ("object", "disk"))
        if rod["radius"]:
            rod, disk = disk, rod
        x, y, _ = numpy.array(rod["points"]).T
        self.assertLess(abs((x / 0.02)**4 + (y / 0.01)**4 - 1).max(), 1e-12)
        self.assertEqual((disk["radius"], disk["points"], disk["lines"]), (0.005, [[0, 0, 0]], []))

    def test_a_trial_of_a_method_that_chooses_is_kept(self):
        """One trial is no study: the file holds it alone, and can be replayed itself."""
        for name, how in (("two_level", "draws: 60, two_level: {step: 10 ms, pilot: 20}"),
                          ("subset", "draws: ~, subset: {runs: 8, per_level: 100}")):
            self.write("s.yaml", f"graspmc: 1\nuse: {QUICK}\nsimulation: {{step: 2 ms}}\nsampling: {{{how}}}\n"
                                 "output: {trajectories: none, histograms: []}\n")
            self.run_program("run", "s.yaml", "-o", f"{name}.h5", "-q")
            self.run_program("replay", f"{name}.h5", "--trial", 3, "-o", f"{name}3.h5", "-q")
            self.assertFalse((self.folder / f"{name}3.h5.journal").exists())
            with h5py.File(self.folder / f"{name}3.h5") as file:
                self.assertEqual([int(trial) for trial in file["trials"]["trial"]], [3])
            self.assertIn("1 of 1", self.run_program("show", f"{name}3.h5").stdout)
            self.assertIn("identical", self.run_program("replay", f"{name}3.h5", "--trial", 3).stdout)

    def test_a_trial_that_is_not_there(self):
        done = self.run_program("replay", "a.h5", "--trial", 12, code=65)
        self.assertIn("12", done.stderr)

    def test_what_is_no_result(self):
        self.run_program("replay", "none.h5", "--trial", 0, code=66)
        self.write("text.h5", "not HDF5")
        self.run_program("replay", "text.h5", "--trial", 0, code=65)


if __name__ == "__main__":
    unittest.main()
