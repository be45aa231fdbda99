"""A camera end to end: what it errs by is stored, repeatable, and moves the hand and not the object."""
import unittest

import h5py
import numpy as np
from support import SCENARIOS, Case

SEEN = SCENARIOS / "pick_seen.yaml"
SIGHT = "believed.object.pose."
SHORT = ["--set", "simulation.half_step=0", "--set", "simulation.early.audit=0"]
COVARIANCE = """\
x,y,z,roll,pitch,yaw
1e-6,0,0,0,0,0
0,4e-6,0,0,0,0
0,0,16e-6,9.6e-5,0,0
0,0,9.6e-5,16e-4,0,0
0,0,0,0,9e-4,0
0,0,0,0,0,4e-4
"""
WRITTEN = ("{seen_by: head, sd: {x: 1 mm, y: 2 mm, z: 4 mm, roll: 40 mrad, pitch: 30 mrad, yaw: 20 mrad}, "
           "correlation: {z/roll: 0.6}}")


class Believed(Case):
    def run_seen(self, out, *words, scenario=SEEN):
        self.run_program("run", scenario, "-o", out, "-q", *SHORT, *words)
        with h5py.File(self.folder / out) as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            samples = file["samples"][:]
            return file["trials"][:], {name: samples[:, i] for i, name in enumerate(names)}

    def own(self, name, sight):
        """pick_seen with another sight."""
        return self.write(name, f"graspmc: 1\nuse: {SEEN}\nbelieved: ~\n"), ["--set", f"believed={{object.pose: {sight}}}"]

    def test_errors_are_stored_and_the_same_however_they_are_run(self):
        trials, values = self.run_seen("a.h5", "-n", 40, "-j", 1)
        for component in ("x", "y", "z", "roll", "pitch", "yaw", "outlier"):
            self.assertIn(SIGHT + component, values)
        self.assertTrue(set(values[SIGHT + "outlier"]) <= {0.0, 1.0})
        self.run_seen("b.h5", "-n", 40, "-j", 3)
        self.assert_same_bytes("a.h5", "b.h5")
        for i in (1, 2):
            self.run_seen(f"part{i}.h5", "-n", 40, "--shard", f"{i}/2")
        self.run_program("merge", "-o", "c.h5", "part2.h5", "part1.h5")
        self.assert_same_bytes("a.h5", "c.h5")
        again = self.run_program("replay", "a.h5", "--trial", 7, "-o", "seven.h5")
        self.assertEqual(again.returncode, 0)
        with h5py.File(self.folder / "seven.h5") as file:
            self.assertEqual(file["trials"][0]["slip"], trials["slip"][7])

    def test_another_camera_disturbs_no_other_number(self):
        _, seen = self.run_seen("a.h5", "-n", 10)
        _, blind = self.run_seen("b.h5", "-n", 10, "--set", "believed=~")
        _, twice = self.run_seen("c.h5", "-n", 10, "--set", f"{SIGHT}sd.z=8 mm",
                                 "--set", "cameras.side={pose: {xyz: [0, 1, 1], look_at: table}}")
        for name, values in blind.items():
            self.assertTrue(np.array_equal(values, seen[name]), name)
        self.assertTrue(np.array_equal(seen[SIGHT + "x"], twice[SIGHT + "x"]))
        self.assertTrue(np.allclose(2 * seen[SIGHT + "z"], twice[SIGHT + "z"], rtol=1e-15))

    def test_a_covariance_is_its_deviations_and_correlations(self):
        self.write("cov.csv", COVARIANCE)
        # the same six numbers, and so the same trials to rounding of the square roots
        scenario, words = self.own("own.yaml", "{seen_by: head, covariance: cov.csv}")
        first, one = self.run_seen("a.h5", "-n", 12, *words, scenario=scenario)
        scenario, words = self.own("own.yaml", WRITTEN)
        second, two = self.run_seen("b.h5", "-n", 12, *words, scenario=scenario)
        self.assertEqual(one.keys(), two.keys())
        for name in one:
            self.assertTrue(np.allclose(one[name], two[name], rtol=1e-13, atol=0), name)
        self.assertTrue(np.array_equal(first["outcome"], second["outcome"]))

    def test_a_worse_camera_grasps_less(self):
        trials, values = self.run_seen(
            "a.h5", "-n", 60, "--set", f"study.vary.{SIGHT}grows_with.distance=[1 m, 0.5 m]")
        share = [trials["success"][trials["case"] == case].mean() for case in range(2)]
        # 0.975 and 0.535 of 400 draws decided, 0.40 of all; four standard deviations of 60 draws
        self.assertGreater(share[0], 0.89)
        self.assertLess(share[1], 0.66)

    def test_deviations_of_a_camera_are_no_lengths_over_metres(self):
        """They are drawn as pure numbers and multiplied by theirs: 1.2 mm, not 1 m."""
        self.assertNotIn("warning", self.run_program("check", SEEN).stderr)
        err = self.run_program("check", SEEN, "--set", "believed.object.pose.sd.x=4").stderr
        self.assertIn("uncertain.believed.object.pose.x spans 24.72 m", err)
        err = self.run_program("check", SEEN, "--set", "believed.object.pose.sd.yaw=1.5").stderr
        self.assertIn("uncertain.believed.object.pose.yaw spans 531", err)

    def test_mistakes_have_their_place(self):
        bad = self.run_program("check", SEEN, "--set", f"{SIGHT}seen_by=haed", code=65)
        self.assertIn("did you mean head?", bad.stderr)
        bad = self.run_program("check", SEEN, "--set", f"{SIGHT}correlation.z/roll=2", code=65)
        self.assertIn("must be <= 1", bad.stderr)


if __name__ == "__main__":
    unittest.main()
