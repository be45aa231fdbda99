"""Failures too rare to be met by chance, found level by level."""
import unittest

import h5py
import numpy as np

from support import QUICK, Case, long_one

SCENARIO = f"""
graspmc: 1
use: {QUICK}
uncertain:
  object.pose.x:       nominal + normal(0 mm, 2 mm)
  object.pose.yaw:     nominal + normal(0 deg, 2 deg)
  object.mass:         normal(0.2 kg, 0.02 kg)
  friction.rubber/abs: lognormal(0.2, 0.25)
success: {{at_end: [lift(object) >= -1 m]}}
sampling:
  draws: ~
  subset: {{margin: "10 mm - max( slip(object,hand) )", runs: 8, per_level: 100}}
output: {{trajectories: none, histograms: []}}
"""


class Subset(Case):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SCENARIO)

    @long_one
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

    @long_one
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
                (["sampling.subset.margin=10 mm"], "the same number in every trial: it names no column"),
                (["sampling.subset.margin=object.mas - 0.1 kg"], "did you mean object.mass?"),
                (["sampling.subset.margin=slip + object.mass"], "the left side is in m, the right side in kg"),
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


# A ball that nothing touches, at a normal place: how far it is from a mark is known to all digits.
BALL = """
graspmc: 1
object: {sphere: {radius: 1 mm}, mass: 5 mg, surface: abs, pose: {x: 0 m, y: 0 m, z: 0 m}}
scene:
  mark: {sphere: {radius: 0.1 mm}, surface: wood, pose: {x: 1 m, y: 0.5 m, z: 0 m}}
friction: {abs/wood: 0.4}
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
program:
  - hold: {for: 0.002 s}
success:
  at_end: ["distance(object, mark) <= 4 m"]
uncertain:
  object.pose.x: normal(0 m, 1 m)
  object.pose.y: normal(0 m, 1 m)
  object.pose.z: normal(0 m, 1 m)
sampling: {subset: {}}
simulation: {half_step: 0, early: {rest: false}, workspace: 1000 m}
"""
BEYOND_2, BEYOND_4, BEYOND_5 = 0.42888, 0.0075845, 2.42404e-4  # non-central chi square, 3 degrees, 1.25


class Ball(Case):
    def setUp(self):
        super().setUp()
        self.write("ball.yaml", BALL)

    def answer(self, *sets, code=0, name="b.h5"):
        words = [word for text in sets for word in ("--set", text)]
        return self.run_json("run", "ball.yaml", *words, "-o", name, "--force", "-q", code=code)

    def test_a_margin_with_ties_is_met(self):
        for cut in ("0.1 m", "0.5 m", "1 m"):
            found = self.answer(f"sampling.subset.margin=min({cut}, 4 m - distance(object, mark))")
            subset = found["subset"]
            self.assertLess(subset["lower"], BEYOND_4)
            self.assertGreater(subset["upper"], BEYOND_4)
            self.assertGreater(subset["stuck_runs"], 0)
            self.assertEqual(subset["plain"]["draws"], 10000)
            text = self.run_program("show", "b.h5").stdout
            self.assertIn("plain draws of level 0: failure 0.00", text)
            self.assertIn("ended early: too many trials of a level have the same margin", text)

    def test_nothing_found_is_an_upper_bound(self):
        found = self.answer("success.at_end=[\"distance(object, mark) <= 5 m\"]",
                            "sampling.subset={runs: 8, per_level: 100, levels: 2}")
        self.assertEqual(found["subset"]["failure"], 0)
        self.assertAlmostEqual(found["subset"]["upper"], 1 - 0.025 ** (1 / 800), 12)
        self.assertAlmostEqual(found["success"]["lower"], 0.025 ** (1 / 800), 12)
        with h5py.File(self.folder / "b.h5") as file:
            self.assert_on_the_page(file["subset"], "Subset simulation")
        text = self.run_program("show", "b.h5").stdout
        self.assertIn("success 1 [0.995, 1] 95 % subset simulation, 8 runs, of which none found a failure\n"
                      "failure at most 0.0046, 95 %: none in 8 runs of 1520 trials together\n", text)

    def test_a_bound_of_a_flat_margin_is_joined_with_the_plain_draws(self):
        # beyond 2 m, 0.43 of all, the margin is flat and no trial fails
        found = self.answer("success.at_end=[\"distance(object, mark) <= 50 m\"]",
                            "sampling.subset={runs: 8, per_level: 100, margin: 'max(0.1 m, 2 m - distance(object, mark))'}")["subset"]
        self.assertTrue(found["is_joined"])
        self.assertAlmostEqual(found["upper"], 1 - 0.0125 ** (1 / 800), 12)
        self.assertGreater(found["upper"], found["plain"]["upper"])
        text = self.run_program("show", "b.h5").stdout
        self.assertRegex(text, r"failure at most 0.00546, 95 %: none in 8 runs of \d+ trials together; the levels alone say "
                               r"at most 0.01\d*, and it is joined with the plain draws of level 0 at 97.5 %\n")

    def test_where_all_fail_plain_draws_say_it(self):
        found = self.answer("success.at_end=[\"distance(object, mark) >= 50 m\"]",
                            "sampling.subset={runs: 8, per_level: 100, levels: 2}")
        self.assertEqual(found["success"]["p"], 0)
        self.assertAlmostEqual(found["success"]["upper"], 1 - 0.025 ** (1 / 800), 12)
        self.assertAlmostEqual(found["subset"]["lower"], 0.025 ** (1 / 800), 12)
        self.assertEqual(found["success"]["unsolved_lower"], 0)
        self.assertIn("success 0 [0, 0.005] 95 % subset simulation, 8 runs\n"
                      "failure 1 [0.995, 1] 95 % over 8 runs of 800 trials together\n"
                      "plain draws of level 0: failure 1 [0.995, 1]", self.run_program("show", "b.h5").stdout)

    def test_a_margin_that_judges_otherwise_is_refused(self):
        sets = ("success.at_end=[\"distance(object, mark) <= 2 m\"]",
                "sampling.subset.margin=5 m - distance(object, mark)")
        found = self.answer(*sets, code=2)
        self.assertEqual(found["subset"]["refused"], "margin")
        self.assertIsNone(found["success"]["p"])
        self.assertEqual((found["success"]["lower"], found["success"]["upper"]), (0, 1))
        self.assertIsNone(found["subset"]["failure"])
        with h5py.File(self.folder / "b.h5") as file:
            trials = file["trials"][:]
            otherwise = (trials["outcome"] == 0) != (5 - trials["distance(object, mark)"] >= 0)
            group = dict(file["subset"].attrs)
            self.assertTrue(np.isnan(file["summary/estimates"]["p"][0]))
        self.assertEqual(found["subset"]["judged_otherwise"], otherwise.sum())
        self.assertEqual((group["refused"], group["differing"]), (b"margin", otherwise.sum()))
        text = self.run_program("show", "b.h5", code=2).stdout
        self.assertIn("success not told, see below\n"
                      f"refused: the margin judges {otherwise.sum()} of {len(trials)} trials otherwise than success "
                      "does, the first in trial ", text)
        # the same criterion, without a margin: that follows from it
        found = self.answer(sets[0])
        self.assertIsNone(found["subset"]["refused"])
        self.assertLess(found["subset"]["lower"], BEYOND_2)
        self.assertGreater(found["subset"]["upper"], BEYOND_2)

    def test_a_margin_of_what_was_drawn_is_that_of_the_columns(self):
        square = " + ".join(f"(object.pose.{axis} - {at} m) * (object.pose.{axis} - {at} m)"
                            for axis, at in (("x", 1), ("y", 0.5), ("z", 0)))
        drawn = ("sampling.subset.margin=4 m - sqrt(" + square + ")", "sampling.subset.runs=8",
                 "sampling.subset.per_level=100")
        found = self.answer(*drawn, code=(0, 2))["subset"]
        follows = self.answer(*drawn[1:], code=(0, 2), name="f.h5")["subset"]
        self.assertEqual(found["failure"], follows["failure"])  # of one order, so of the same trials
        self.assertGreater(found["failure"], 0)
        with h5py.File(self.folder / "b.h5") as file:
            last = int(file["trials"]["trial"][-1])
        self.run_program("replay", "b.h5", "--trial", last)

    def test_the_margin_that_follows_has_the_sign_of_the_verdict(self):
        for criteria in (
                "{at_end: ['not distance(object, mark) > 4 m', 'moved(object) < 100 m']}",
                "{at_end: ['distance(object, mark) < 4 m or height(object) > 0 m']}",
                "{at_end: ['not (distance(object, mark) >= 4 m and not height(object) <= 0 m)']}",
                "{at_end: ['2 * distance(object, mark) - height(object) <= 8 m']}",
                "{at_end: ['distance(object, mark) <= 100 m'], always: ['-distance(object, mark) >= -4 m', 'not (height(object) * -2 > 5 m or 3 m < height(object))']}",
                "{at_end: ['held_by(object) == 0'], always: ['not contact(object, mark)', 'distance(object, mark) <= 3.5 m']}"):
            found = self.answer(f"success={criteria}", "sampling.subset={runs: 8, per_level: 500}")
            self.assertEqual(found["subset"]["judged_otherwise"], 0, criteria)
            self.assertGreater(found["subset"]["failure"], 0, criteria)
            self.assertLessEqual(found["subset"]["plain"]["lower"], found["subset"]["upper"])
            self.assertGreaterEqual(found["subset"]["plain"]["upper"], found["subset"]["lower"])

    def test_where_none_follows_it_must_be_written(self):
        for criterion in ("distance(object, mark) <= 4 m or height(object) > 0 m",
                          "distance(object, mark) + height(object) <= 4 m"):
            found = self.run_program("check", "ball.yaml", "--set", f"success.always=['{criterion}']", code=65).stderr
            self.assertIn("no margin follows from this", found)
            self.assertIn("write  sampling.subset.margin", found)

    def test_what_does_not_tell_is_said(self):
        found = self.run_program("check", "ball.yaml", "--set", "success.at_end=['contact(object, mark) == 0']").stderr
        self.assertIn("a count does not tell how near it is to failing", found)
        self.assertIn("margin that follows from success", self.run_program("check", "ball.yaml").stdout)
        few = "100 points a level: estimates are too high on average"
        sets = ["--set", "sampling.subset={runs: 8, per_level: 100, levels: 2, margin: "
                         "'1 mm + 0 * (5 m - distance(object, mark))'}"]
        self.assertIn(few, self.run_program("check", "ball.yaml", *sets).stdout)
        self.assertNotIn("points a level: est", self.run_program("check", "ball.yaml").stdout)
        sets += ["--set", "success.at_end=['distance(object, mark) <= 50 m']"]
        text = self.run_program("run", "ball.yaml", *sets, "-o", "e.h5").stdout
        self.assertIn(few, text)
        self.assertIn("the margin is 0.001 in every trial: it does not distinguish them\n", text)
        self.assertIn("failure at most 0.0046, 95 %: none in 8 runs of 800 trials together\n", text)

    def test_unsolved_trials_of_all_levels_are_in_the_interval(self):
        # beyond x = 4.2 m the ball starts in a wall; it fails beyond 4 m
        self.write("wall.yaml", BALL.replace("x: 1 m, y: 0.5 m", "x: 50 m, y: 0 m").replace(
            "friction:", "  wall: {box: [2 m, 40 m, 40 m], surface: wood, pose: {x: 5.2 m, y: 0 m, z: 0 m}}\nfriction:")
            .replace("<= 4 m", ">= 46 m"))
        for seed in (1, 2, 3):
            found = self.run_json("run", "wall.yaml", "--seed", seed, "-o", "w.h5", "--force", "-q")
            solved, open_ = 1.8325e-5, 1.3346e-5
            self.assertLess(found["subset"]["lower"], solved)
            self.assertGreater(found["subset"]["upper"], solved + open_)
            self.assertLess(found["subset"]["upper"], 1e-3)  # one of 10000 plain draws may meet it
            self.assertLess(found["success"]["unsolved_lower"], 1 - solved - open_)
            self.assertGreater(found["subset"]["unsolved_share"], 0.5 * open_)
        text = self.run_program("show", "w.h5").stdout
        self.assertIn("is added to the upper end of failure", text)

    AIMED = ("sampling.subset={runs: 1, per_level: 400, aimed: 1000}",
             "success.at_end=[\"distance(object, mark) <= 5 m\"]")

    @long_one
    def test_aimed_draws_find_what_is_rare_with_few_trials(self):
        found = self.answer(*self.AIMED)
        subset, aimed = found["subset"], found["subset"]["aimed"]
        self.assertLess(subset["lower"], BEYOND_5)
        self.assertGreater(subset["upper"], BEYOND_5)
        self.assertLess(subset["upper"], 1.3 * subset["lower"])
        self.assertLessEqual(subset["trials"], 3000)
        self.assertEqual((aimed["is_used"], aimed["is_fitted"], aimed["draws"]), (True, True, 625))
        self.assertEqual(found["success"]["method"], "aimed draws")
        self.assertAlmostEqual(found["success"]["p"], 1 - subset["failure"], 12)
        with h5py.File(self.folder / "b.h5") as file:
            self.assert_on_the_page(file["subset"], "Subset simulation")
            rounds, trials = file["subset/aimed"][:], file["trials"][:]
            samples = file["samples"][:]
            self.assertEqual(file["summary/estimates"]["method"][0], b"aimed draws")
            self.assertEqual(file["subset"].attrs["levels_failure"], aimed["levels_failure"])
        self.assertEqual(list(rounds["draws"]), [125, 125, 125, 625])
        self.assertEqual(rounds["p"][-1], subset["failure"])
        # the last round is made of trials that were run
        last = samples[-625:]
        failing = np.hypot(np.hypot(last[:, 0] - 1, last[:, 1] - 0.5), last[:, 2]) > 5
        self.assertEqual(failing.sum(), aimed["failures"])
        self.assertEqual((trials["outcome"][-625:] != 0).sum(), aimed["failures"])
        text = self.run_program("show", "b.h5").stdout
        self.assertIn(" 95 % 625 aimed draws\nfailure 0.000", text)
        self.assertIn(f"of 625 aimed draws, the last of {subset['trials']} trials, standard error", text)
        self.assertIn("plain draws of level 0: failure 0 [0, 0.00918] 95 % Clopper-Pearson, 0 of 400\n", text)
        self.assertIn("failures of a kind that no trial met are not in it", text)
        self.assertNotIn("points a level: est", text)
        self.run_program("replay", "b.h5", "--trial", int(trials["trial"][-1]))

    def test_aimed_draws_that_all_fail_are_a_success_of_0(self):
        found = self.answer("sampling={seed: 5, subset: {runs: 1, per_level: 400, aimed: 1000}}",
                            "success.at_end=[\"distance(object, mark) <= -1 m\"]")
        success, subset = found["success"], found["subset"]
        self.assertTrue(subset["aimed"]["is_used"])
        self.assertEqual((success["p"], success["lower"], subset["failure"], subset["upper"]), (0, 0, 1, 1))
        self.assertEqual((success["unsolved_lower"], success["unsolved_upper"]), (0, 0))
        self.assertIn("success 0 [0, 0.0", self.run_program("show", "b.h5").stdout)
        with h5py.File(self.folder / "b.h5") as file:
            self.assertEqual(file["summary/estimates"]["p"][0], 0)
            self.assertLessEqual(file["subset/aimed"]["p"].max(), 1)

    def test_aimed_draws_are_the_same_on_any_workers_and_resumed(self):
        sets = [word for text in self.AIMED for word in ("--set", text)]
        for workers in (1, 2, 7):
            self.run_program("run", "ball.yaml", *sets, "-o", f"{workers}.h5", "-j", workers, "-q")
        self.assert_same_bytes("1.h5", "2.h5")
        self.assert_same_bytes("1.h5", "7.h5")
        self.run_cut_off("run", "ball.yaml", *sets, "-o", "cut.h5", "-j", 1, "-q", seconds=0.3)
        self.run_program("run", "ball.yaml", *sets, "-o", "cut.h5", "-j", 2, "-q", "--resume")
        self.assert_same_bytes("1.h5", "cut.h5")

    def test_what_cannot_be_aimed_says_so(self):
        equal = ("sampling.subset={runs: 1, per_level: 100, aimed: 60, margin: '1 mm + 0 * (5 m - distance(object, mark))'}",
                 "success.at_end=[\"distance(object, mark) <= 50 m\"]")
        found = self.answer(*equal)
        self.assertFalse(found["subset"]["aimed"]["is_used"])
        self.assertEqual((found["subset"]["trials"], found["subset"]["lower"]), (100, 0))
        self.assertAlmostEqual(found["subset"]["upper"], 1 - 0.025 ** (1 / 100), 12)
        text = self.run_program("show", "b.h5").stdout
        self.assertIn("the margin is 0.001 in every trial: it does not distinguish them\n", text)
        self.assertIn("no draws were aimed: no trial failed", text)
        for subset, message in (("{runs: 1, aimed: 20}", "sampling.subset.aimed"),
                                ("{runs: 1}", "fewer than 8 show too little of it")):
            self.assertIn(message, self.run_program(
                "check", "ball.yaml", "--set", f"sampling.subset={subset}", code=65).stderr)
        self.assertIn("          1000 draws behind them, aimed by a surrogate of the margin\n", self.run_program(
            "check", "ball.yaml", "--set", self.AIMED[0]).stdout)

    @long_one
    def test_the_same_bytes_with_ties_on_any_workers_and_resumed(self):
        sets = ("--set", "sampling.subset.margin=min(1.2 m, 4 m - distance(object, mark))")
        for workers in (1, 2, 7):
            self.run_program("run", "ball.yaml", *sets, "-o", f"{workers}.h5", "-j", workers, "-q")
        self.assert_same_bytes("1.h5", "2.h5")
        self.assert_same_bytes("1.h5", "7.h5")
        self.run_cut_off("run", "ball.yaml", *sets, "-o", "cut.h5", "-j", 1, "-q", seconds=0.2)
        self.run_program("run", "ball.yaml", *sets, "-o", "cut.h5", "-j", 2, "-q", "--resume")
        self.assert_same_bytes("1.h5", "cut.h5")


if __name__ == "__main__":
    unittest.main()
