"""Many cheap trials, few full ones: the success of the full level."""
import unittest

import h5py
import numpy as np

from support import QUICK, Case

SCENARIO = f"""
graspmc: 1
use: {QUICK}
simulation: {{step: 2 ms}}
sampling:
  draws: 400
  two_level: {{step: 10 ms, pilot: 30}}
output: {{trajectories: none, histograms: []}}
"""


class TwoLevel(Case):
    def setUp(self):
        super().setUp()
        self.write("t.yaml", SCENARIO)

    def test_it_is_what_the_trials_say(self):
        found = self.run_json("run", "t.yaml", "-o", "t.h5")
        plain = self.run_json("run", "t.yaml", "--set", "sampling.two_level=~", "-o", "p.h5")["success"]
        with h5py.File(self.folder / "t.h5") as file, h5py.File(self.folder / "p.h5") as full:
            trials = file["trials"][:]
            (row,) = file["summary/two_level"][:]
            (estimate,) = file["summary/estimates"][:]
            cheap = trials[trials["trial"] % 2 == 0]
            fine = trials[trials["trial"] % 2 == 1]
            # the same chance at both levels and in a run of the full level alone
            np.testing.assert_array_equal(
                file["samples"][:][trials["trial"] % 2 == 1][:30], full["samples"][:30])
            np.testing.assert_array_equal(fine["outcome"], full["trials"]["outcome"][fine["draw"]])
        self.assertEqual(list(cheap["draw"]), list(range(400)))
        # of even and odd draws the lowest, the pilot's thirty first
        halves = [fine["draw"][fine["draw"] % 2 == half] for half in (0, 1)]
        for half, draws in enumerate(halves):
            self.assertEqual(list(draws), list(range(half, half + 2 * len(draws), 2)))
            self.assertGreaterEqual(len(draws), 15 + 10)
        self.assertEqual(len(fine), row["pairs"])
        c, f = cheap["success"].astype(int), fine["success"].astype(int)
        difference = f - c[fine["draw"]]
        self.assertEqual([row["lost"], row["gained"]], [(difference < 0).sum(), (difference > 0).sum()])
        mean = np.mean([difference[fine["draw"] % 2 == half].mean() for half in (0, 1)])
        self.assertAlmostEqual(found["success"]["p"], min(max(c.mean() + mean, 0), 1), 12)
        self.assertEqual(estimate["method"], b"two levels")
        self.assertGreater(row["full_steps"], 3 * row["cheap_steps"])
        # the intervals of both ways meet
        self.assertLess(found["success"]["lower"], plain["upper"])
        self.assertGreater(found["success"]["upper"], plain["lower"])

    def test_the_same_bytes_for_any_workers_and_interruptions(self):
        self.assert_same_however_run("t.yaml", time_limit=0.1)
        for trial in (7, 8):
            self.run_program("replay", "one.h5", "--trial", trial)
            self.run_program("extract", "one.h5", "--trial", trial, "-o", f"x{trial}")
        self.assertIn("did not ask", self.run_program("replay", "one.h5", "--trial", 799, code=65).stderr)

    def test_more_levels_are_what_their_trials_say(self):
        coarser = ["--set", "sampling.two_level.coarser=[{name: coarsest, step: 20 ms}]"]
        found = self.run_json("run", "t.yaml", *coarser, "-o", "c.h5")
        with h5py.File(self.folder / "c.h5") as file:
            trials, rows = file["trials"][:], file["summary/two_level"][:]
            self.assertEqual(file.attrs["two_level"], b"coarsest, cheap, full")
        runs = [trials[trials["trial"] % 3 == level] for level in range(3)]
        self.assertEqual(list(runs[0]["draw"]), list(range(400)))
        p = runs[0]["success"].astype(int).mean()
        for below, own, row in zip(runs, runs[1:], rows):
            # a level's draws are among those of the level below
            self.assertLessEqual(set(own["draw"]), set(below["draw"]))
            was = dict(zip(below["draw"], below["success"].astype(int)))
            difference = own["success"].astype(int) - np.array([was[d] for d in own["draw"]])
            self.assertEqual([row["draws"], row["pairs"], row["lost"], row["gained"]],
                             [len(below), len(own), (difference < 0).sum(), (difference > 0).sum()])
            p += np.mean([difference[own["draw"] % 2 == half].mean() for half in (0, 1)])
        self.assertAlmostEqual(found["success"]["p"], min(max(p, 0), 1), 12)
        self.assertEqual([level["name"] for level in found["two_level"]["coarser"]], ["coarsest"])
        self.assertIn("coarsest level (coulomb, dynamic, 20 ms)", self.run_program("show", "c.h5").stdout)

    def test_more_levels_give_the_same_bytes(self):
        self.write("c.yaml", SCENARIO.replace("pilot: 30", "pilot: 30, coarser: [{name: coarsest, step: 20 ms}]"))
        self.assert_same_however_run("c.yaml", time_limit=0.1)
        for trial in (9, 10, 11):
            self.run_program("replay", "one.h5", "--trial", trial)
            self.run_program("extract", "one.h5", "--trial", trial, "-o", f"x{trial}")

    def test_what_does_not_go_with_it_is_refused(self):
        for sets, message in (
                (["sampling.two_level.step=~"], "the cheap level has the step, stepper and motion of the full one"),
                (["sampling.two_level.step=2 ms"], "the cheap level is the full one"),
                (["sampling.two_level.coarser=[{name: a, step: 10 ms}]"], "is the one above it, or the full one"),
                (["sampling.two_level.coarser=[{name: a, step: 2 ms}]"], "is the one above it, or the full one"),
                (["sampling.two_level.coarser=[{name: cheap, step: 20 ms}]"], "needs another name"),
                (["sampling.two_level.coarser=[{name: a, step: 20 ms, tolerate: 1 %}]"], "no tolerate"),
                (["sampling.two_level.coarser=[geometric, dynamic]"], "nothing moves at a geometric level"),
                (["sampling.two_level.coarser=[{name: a, step: 40 ms}, {name: b, step: 30 ms}, {name: c, step: 20 ms}]"],
                 "two levels at most"),
                (["sampling.draws=40"], "more draws than pilot + 20"),
                (["sampling.design=latin_hypercube"], "only random ones can be parted"),
                (["sampling.importance.object.mass=uniform(0.2 kg, 0.3 kg)"], "does not go with importance"),
                (["study.vary.hand.target.x=[0 mm, 5 mm]"], "one case a run")):
            words = [word for text in sets for word in ("--set", text)]
            found = self.run_program("check", "t.yaml", *words, code=65).stderr
            self.assertIn(message, found)
            self.assertIn("t.yaml:7:3", found)
        found = self.run_program("check", "t.yaml", "--set",
                                 "sampling.two_level.coarser=[{name: a, stepper: song_pang_kumar, motion: quasi_static}]",
                                 code=65).stderr
        self.assertIn("sampling.two_level.coarser.0: song_pang_kumar does not know quasi_static", found)
        for option in (["--until", "half_width<0.01"], ["--shard", "1/2"], ["--trials", "0:10"]):
            self.run_program("run", "t.yaml", *option, code=64)

    def test_trials_are_not_counted_in_bins(self):
        self.run_program("run", "t.yaml", "-o", "by.h5", "-q")
        for option, value, what in (("--by", "object.mass", "no histogram of object.mass"), ("--by", "slip", "--by"),
                                    ("--rebin", "slip=5", "--rebin")):
            self.assertIn(f"error: {what}: with sampling.two_level trials do not count alike\n",
                          self.run_program("show", "by.h5", option, value, code=65).stderr)

    def test_check_says_what_is_cheap(self):
        said = self.run_program("check", "t.yaml").stdout
        self.assertIn("cheap     every draw with coulomb, dynamic, 10 ms; 30 also as simulation says", said)
        said = self.run_program("check", "t.yaml", "--set",
                                "sampling.two_level.coarser=[{name: coarsest, step: 20 ms}]").stdout
        self.assertIn("cheap     every draw with coulomb, dynamic, 20 ms\n"
                      "          as many as pay with coulomb, dynamic, 10 ms; 30 also as simulation says", said)


if __name__ == "__main__":
    unittest.main()
