"""Failures too rare to be met by chance, found level by level."""
import unittest

import h5py
import numpy as np

from support import QUICK, Case

SCENARIO = f"""
graspmc: 1
use: {QUICK}
uncertain:
  object.pose.x:       nominal + normal(0 mm, 2 mm)
  object.pose.yaw:     nominal + normal(0 deg, 2 deg)
  object.mass:         normal(0.2 kg, 0.02 kg)
  friction.rubber/abs: lognormal(0.2, 0.25)
sampling:
  draws: ~
  subset: {{margin: "10 mm - max( slip(object,hand) )", runs: 8, per_level: 100}}
output: {{trajectories: none, histograms: []}}
"""


class Subset(Case):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SCENARIO)

    def test_it_agrees_with_plain_draws_where_those_can_tell(self):
        plain = self.run_json("run", "s.yaml", "--set", "sampling.subset=~", "--set",
                              "simulation.early.broken=false", "-n", 6000, "-o", "p.h5")
        truth = self.run_json("show", "p.h5", "--success", "10 mm - max(slip(object, hand)) >= 0 m")["success"]
        self.assertGreater(truth["failures"], 20)
        found = self.run_json("run", "s.yaml", "--set", "sampling.subset.per_level=300", "-o", "s.h5")
        subset = found["subset"]
        self.assertEqual(plain["success"]["unsolved"], 0)
        # the two intervals meet
        self.assertLess(subset["lower"], 1 - truth["lower"])
        self.assertGreater(subset["upper"], 1 - truth["upper"])
        self.assertAlmostEqual(found["success"]["p"], 1 - subset["failure"], 12)
        self.assertEqual(found["success"]["method"], "subset runs")

    def test_the_same_bytes_for_any_workers_and_interruptions_and_every_trial_again(self):
        self.assert_same_however_run("s.yaml", time_limit=0.3)
        with h5py.File(self.folder / "one.h5") as file:
            numbers = file["trials"]["trial"]
            levels, runs = file["subset/levels"][:], file["subset/runs"][:]
            slip = file["trials"]["max(slip(object, hand))"]
            mass = file["samples"][:, list(file["parameters"]["name"]).index(b"object.mass")]
            per_level, most = (file["subset"].attrs[name] for name in ("per_level", "levels"))
            self.assertEqual(file.attrs["margin"], b"10 mm - max( slip(object,hand) )")
        self.assertTrue(np.all(np.diff(numbers.astype(np.int64)) > 0))
        self.assertEqual(len(numbers), levels["trials"].sum())
        for row in runs:
            self.assertAlmostEqual(row["p"], np.prod(levels["share"][levels["run"] == row["run"]]), 15)
        # level 0 is plain: its mass is that of the scenario (4 standard errors)
        first = numbers // per_level % most == 0
        self.assertEqual(first.sum(), 800)
        self.assertLess(abs(mass[first].mean() - 0.2), 4 * 0.02 / 800 ** 0.5)
        # what was taken at a level stays below its threshold, and shares are those of the margins
        zero = levels[(levels["run"] == 0) & (levels["level"] == 0)][0]
        self.assertEqual(zero["failing"], (0.01 - slip[numbers < per_level] < 0).sum())
        for trial in (numbers[3], numbers[len(numbers) // 2], numbers[-1]):
            self.run_program("replay", "one.h5", "--trial", int(trial))
        missing = next(t for t in range(int(numbers[-1])) if t not in set(numbers.tolist()))
        self.assertIn("subset simulation did not ask", self.run_program(
            "replay", "one.h5", "--trial", missing, code=65).stderr)
        self.run_program("run", "s.yaml", "-o", "one.h5", "--resume", "-q")

    def test_check_says_what_is_planned(self):
        self.assertIn("subset    8 runs of at most 9 levels, 100 points each; margin 10 mm - max( slip(object,hand) )\n",
                      self.run_program("check", "s.yaml").stdout)

    def test_what_does_not_go_with_it_is_refused(self):
        for sets, message in (
                (["sampling.subset.margin=10 mm - slp"], "did you mean slip?"),
                (["sampling.subset.margin=10 mm - slip_angle"], "s.yaml"),
                (["sampling.subset.margin=10 mm >= slip"], "s.yaml"),
                (["sampling.subset.per_level=105"], "100 or 110"),
                (["sampling.draws=100"], "not draws"),
                (["sampling.design=sobol"], "it is a design itself"),
                (["sampling.importance.object.mass=normal(0.2 kg, 0.03 kg)"], "does not go with importance"),
                (["study.vary.hand.target.x=[0 mm, 5 mm]"], "that of one case")):
            words = [word for text in sets for word in ("--set", text)]
            found = self.run_program("check", "s.yaml", *words, code=65).stderr
            if message != "s.yaml":
                self.assertIn(message, found)
        for option in (["--until", "half_width<0.01"], ["--shard", "1/2"], ["--trials", "0:10"]):
            self.assertIn("subset simulation decides itself", self.run_program(
                "run", "s.yaml", *option, code=64).stderr)
        self.run_program("run", "s.yaml", "-o", "s.h5", "-q", "--set", "sampling.subset.levels=2")
        self.assertIn("margin", self.run_program("show", "s.h5", "--success", "slip < 5 mm", code=65).stderr)
        self.assertIn("no pairs", self.run_program("compare", "s.h5", "s.h5", code=65).stderr)


if __name__ == "__main__":
    unittest.main()
