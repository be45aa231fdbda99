"""Numbers that are only known to lie in an interval: the lowest and the highest success, and none on average."""
import importlib.util
import math
import os
import unittest

import h5py

from support import BUILD, Case, ball_at

spec = importlib.util.spec_from_file_location("graspmc", BUILD / "graspmc.py")
graspmc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graspmc)

# a ball in the air at mu + nu, nu normal with 0.05: success is the normal law's of (mu - 0.3)/0.05
SCENARIO = ball_at("(f.mu + f.nu)", "f.mu: 0.3, f.nu: 0, f.w: 1", "  f.mu: interval(0.25, 0.35)\n  f.nu: normal(0, 0.05)",
                   x="f.w * 1 m", more="MORE")
TRUTH = [0.5 * math.erfc((0.3 - mu) / 0.05 / math.sqrt(2)) for mu in (0.25, 0.275, 0.3, 0.325, 0.35)]


class Intervals(Case):
    def scenario(self, name, more="", **changes):
        text = SCENARIO.replace("MORE", more)
        for old, new in changes.values():
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write(name, text)

    def setUp(self):
        super().setUp()
        self.scenario("i.yaml")

    def test_lowest_and_highest_stand_in_for_one_success(self):
        said = self.run_program("run", "i.yaml", "-n", 2000, "-o", "i.h5").stdout
        self.assertRegex(said, r"^success between 0\.\d+ \[.*\] and 0\.\d+ \[.*\] 95 % together, exact at 5 places\n"
                               r"  lowest at f.mu 0.25; highest at f.mu 0.35\n")
        found = self.run_json("show", "i.h5")["success"]
        self.assertNotIn("p", found)
        for place, truth in zip(found["places"], TRUTH):
            self.assertLess(place["success"]["lower"], truth)
            self.assertGreater(place["success"]["upper"], truth)
        low, high = found["lowest_end"], found["highest_end"]
        self.assertEqual((low["at"], high["at"]), ({"f.mu": 0.25}, {"f.mu": 0.35}))
        self.assertTrue(low["lower"] <= TRUTH[0] <= low["upper"] and high["lower"] <= TRUTH[-1] <= high["upper"])
        self.assertEqual((found["lower"], found["upper"]), (low["lower"], high["upper"]))
        with h5py.File(self.folder / "i.h5") as file:
            self.assertEqual(len(file["summary/estimates"]) + len(file["summary/by_case"]), 0)
            self.assertEqual(len(file["histograms/by"]), 0)
            self.assert_on_the_page(file["intervals"], "Inputs known only to lie in an interval")
            all_cases = file["intervals/success"][0]
            self.assertEqual([all_cases[n] for n in ("case", "lowest", "lowest_lo", "highest_hi", "highest_place")],
                             [-1, low["p"], low["lower"], high["upper"], 4])
            places = file["intervals/places"][:5]
            self.assertEqual(sum(places["successes"]) + sum(places["failures"]), 2000)
        os.chdir(self.folder)
        success = graspmc.Result("i.h5").success
        self.assertEqual((success.p, success.lower, success.upper), (None, low["lower"], high["upper"]))

    def test_places_are_values_of_the_input_whatever_the_line_does(self):
        for line, low, high in (("nominal + interval(-0.05, 0.05)", 0.25, 0.35), ("nominal * interval(0.8, 1.2)", 0.24, 0.36)):
            self.scenario("n.yaml", line=("interval(0.25, 0.35)", line))
            said = self.run_program("run", "n.yaml", "-n", 50, "-o", "n.h5", "--force").stdout
            self.assertIn(f"  lowest at f.mu {low}; highest at f.mu {high}\n", said)
            found = self.run_json("show", "n.h5")["success"]
            self.assertAlmostEqual(found["lowest_end"]["at"]["f.mu"], low, 12)
            self.assertAlmostEqual(found["places"][-1]["at"]["f.mu"], high, 12)

    def test_designs_that_fill_the_space_put_as_many_at_each_place(self):
        self.run_program("run", "i.yaml", "-n", 1600, "--design", "latin_hypercube", "-o", "l.h5", "-q")
        for place in self.run_json("show", "l.h5")["success"]["places"]:
            done = place["success"]
            self.assertLessEqual(abs(done["successes"] + done["failures"] - 320), 16)  # one a randomisation

    def test_places_are_taken_in_turn_and_ties_are_told(self):
        self.run_program("run", "i.yaml", "-n", 7, "-o", "few.h5", "-q", "--force")
        found = self.run_json("show", "few.h5")["success"]
        self.assertEqual([p["success"]["successes"] + p["success"]["failures"] for p in found["places"]], [2, 2, 1, 1, 1])
        self.scenario("two.yaml", "  f.w: interval(1, 3)")
        self.run_program("run", "two.yaml", "-n", 18, "-o", "two.h5", "-q", "--force")
        with h5py.File(self.folder / "two.h5") as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            mu, w = (file["samples"][:, names.index(name)].tolist() for name in ("f.mu", "f.w"))
        self.assertEqual((w, mu), (6 * [1, 2, 3], 2 * (3 * [0.25] + 3 * [0.3] + 3 * [0.35])))
        out = self.run_program("show", "two.h5", "--success", "height(object) >= 0 m").stdout
        self.assertIn("  lowest at f.mu 0.25, f.w 1, and at 8 other places; highest at f.mu 0.25, f.w 1, and at 8 other places\n", out)
        found = self.run_json("show", "two.h5", "--success", "height(object) >= 0 m")["success"]
        self.assertEqual((found["lowest_end"]["ties"], found["highest_end"]["ties"]), (8, 8))

    def test_places_that_met_no_draw_are_counted_and_nothing_is_exact(self):
        said = self.run_program("run", "i.yaml", "-n", 3, "-o", "few.h5").stdout
        self.assertRegex(said, r"^success between .* 95 % together, of 5 places 2 met no draw\n"
                               r"  of the places tried lowest at f.mu 0.\d+.*; highest at f.mu 0.\d+.*\n")
        self.assertNotIn("exact", said)
        self.assertEqual(self.run_json("show", "few.h5")["success"]["untried"], 2)
        self.run_program("run", "i.yaml", "-n", 5, "-o", "all.h5", "-q")
        self.assertIn("exact at 5 places\n  lowest at", self.run_program("show", "all.h5").stdout)
        self.assertEqual(self.run_json("show", "all.h5")["success"]["untried"], 0)

    def test_two_intervals_meet_in_corners(self):
        self.scenario("two.yaml", "  f.w: interval(1, 3)", mark=("f.mu + f.nu", "f.mu * f.w + f.nu"))
        answer = self.run_json("run", "two.yaml", "-n", 900, "-o", "two.h5")["success"]
        self.assertEqual(len(answer["places"]), 9)
        self.assertEqual(answer["lowest_end"]["at"], {"f.mu": 0.25, "f.w": 1})
        self.assertEqual([place["at"]["f.w"] for place in answer["places"]], 3 * [1, 2, 3])

    def test_each_case_has_its_own(self):
        self.scenario("c.yaml", mark=("simulation:", "study: {vary: {f.w: [1, 2]}}\nsimulation:"))
        self.run_program("run", "c.yaml", "-n", 600, "-o", "c.h5", "-q")
        answer = self.run_json("show", "c.h5")
        for case in answer["cases"]:  # w moves the ball aside, which changes nothing
            self.assertEqual(case["success"]["lowest"], answer["success"]["lowest"])
        self.assertIn("\n     1        2  between 0.", self.run_program("show", "c.h5").stdout)

    def test_other_criteria_and_unsolved_trials(self):
        self.run_program("run", "i.yaml", "-n", 500, "-o", "i.h5", "-q")
        found = self.run_json("show", "i.h5", "--success", "height(object) >= 0 m")["success"]
        self.assertEqual((found["lowest"], found["highest"]), (1, 1))
        self.assertLess(found["lower"], 1)

    def test_what_needs_one_success_or_a_law_is_refused(self):
        self.run_program("run", "i.yaml", "-n", 200, "-o", "i.h5", "-q")
        for words, code, why in ((("show", "i.h5", "--sensitivity", "success"), 65, "no distribution"),
                                 (("show", "i.h5", "--surrogate"), 65, "interval(...) has a range of success"),
                                 (("show", "i.h5", "--where", "f.nu > 0"), 65, "interval(...) has no distribution"),
                                 (("show", "i.h5", "--by", "f.mu"), 65, "no distribution"),
                                 (("show", "i.h5", "--rebin", "f.mu=3"), 65, "no distribution"),
                                 (("show", "i.h5", "--failures"), 65, "no distribution"),
                                 (("show", "i.h5", "--quantile", "slip:0.5"), 65, "no distribution"),
                                 (("check", "i.yaml", "--pilot", "20"), 65, "interval(...) has a range of success"),
                                 (("show", "i.h5", "--decide", "success>=0.5"), 64, "interval(...) has a range of success"),
                                 (("compare", "i.h5", "i.h5"), 65, "no one success"),
                                 (("check", "i.yaml", "--until", "half_width<0.1"), 65, "interval(...) has a range of success"),
                                 (("run", "i.yaml", "--until", "half_width<0.1", "-n", 9, "-o", "x.h5"), 64, "interval(...) has a range of them")):
            self.assertIn(why, self.run_program(*words, code=code).stderr, words)

    def test_mistakes_are_told_where_they_are_all_at_once(self):
        self.scenario("bad.yaml", "  f.w: interval(3, 1)\n  object.pose.y: interval(1 mm, 1 mm)\n"
                                  "  object.mass: interval(1 g, much)\n  object.pose.x: interval(1 mm)")
        err = self.run_program("check", "bad.yaml", code=65).stderr
        self.assertRegex(err, r"bad.yaml:14:20: error: f.w: the upper end must be > the lower end, found 1\n")
        self.assertRegex(err, r"bad.yaml:15:33: error: .*pose.y: the upper end must be > the lower end, found 1 mm\n")
        self.assertRegex(err, r"bad.yaml:16:30: error: .*expected a number, found much")
        self.assertRegex(err, r"bad.yaml:17:31: error: .*too few numbers")
        self.assertIn("hint: interval(lower, upper)", err)

    def test_what_does_not_go_together_is_told_all_at_once(self):
        self.scenario("bad.yaml", "correlated: {f.mu / f.nu: 0.5}\n"
                                  "sampling: {importance: {f.mu: \"uniform(0.25, 0.3)\", f.nu: \"interval(0, 1)\"}, design: sensitivity}")
        err = self.run_program("check", "bad.yaml", code=65).stderr
        self.assertIn("correlated: f.mu: of an interval is known only that the number lies in it", err)
        self.assertRegex(err, r"bad.yaml:12:\d+: error: uncertain.f.mu: an interval does not go with importance")
        self.assertRegex(err, r"bad.yaml:12:\d+: error: uncertain.f.mu: an interval does not go with the design ")

    def test_over_an_interval_nothing_is_optimised(self):
        self.scenario("o.yaml", "study: {vary: {f.w: \"between(1, 3)\"}, optimise: {budget: 1848}}\nsampling: {draws: ~}")
        for command in ("check", "optimise"):
            err = self.run_program(command, "o.yaml", code=65).stderr
            self.assertRegex(err, r"o.yaml:\d+:\d+: error: uncertain.f.mu: an interval does not go with optimise: "
                                  r"a design then has a range of success, not one\n")
            self.assertIn("hint: fix it, or give it a distribution", err)

    def test_the_file_is_the_same_however_it_came_to_be(self):
        self.scenario("s.yaml", "output: {trajectories: none}\nsampling: {draws: 600}")
        for workers in (1, 2, 7):
            self.run_program("run", "s.yaml", "-o", f"{workers}.h5", "-j", workers, "-q")
            self.assert_same_bytes("1.h5", f"{workers}.h5")
        for part in (1, 2, 3):
            self.run_program("run", "s.yaml", "--shard", f"{part}/3", "-o", f"p{part}.h5", "-q")
        self.run_program("merge", "p1.h5", "p2.h5", "p3.h5", "-o", "merged.h5")
        self.assert_same_bytes("1.h5", "merged.h5")


if __name__ == "__main__":
    unittest.main()
