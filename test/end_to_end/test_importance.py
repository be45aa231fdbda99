"""Draws from other distributions than the true ones: the same truth, more failures."""
import json
import unittest

import h5py
import numpy as np

from support import QUICK, Case

SCENARIO = f"""
graspmc: 1
use: {QUICK}
sampling:
  draws: 400
  importance:
    friction.rubber/abs: triangular(0.08, 0.08, 0.30)
    object.mass: triangular(0.1 kg, 0.3 kg, 0.3 kg)
output: {{trajectories: none, histograms: []}}
"""


class Importance(Case):
    def setUp(self):
        super().setUp()
        self.write("i.yaml", SCENARIO)

    def test_the_same_success_from_more_failures(self):
        self.run_program("run", "i.yaml", "-n", 1000, "-o", "i.h5", "-q")
        weighted = self.run_json("show", "i.h5")
        plain = self.run_json("run", QUICK, "-n", 1600, "-o", "p.h5")["success"]
        found = weighted["success"]
        self.assertEqual(found["method"], "weighted")
        # 3 standard errors of the plain run beyond the interval of the weighted one
        error = (plain["p"] * (1 - plain["p"]) / 1600) ** 0.5
        self.assertGreater(plain["p"], found["lower"] - 3 * error)
        self.assertLess(plain["p"], found["upper"] + 3 * error)
        self.assertGreater(found["failures"] / 1000, 1.5 * plain["failures"] / 1600)
        with h5py.File(self.folder / "i.h5") as file:
            w, y = file["trials"]["weight"], file["trials"]["success"]
            (row,) = file["summary/weights"][:]
            self.assertAlmostEqual(row["effective"], w.sum() ** 2 / (w ** 2).sum(), 9)
            self.assertAlmostEqual(row["mean"], w.mean(), 12)
            self.assertEqual(row["largest"], w.max())
            self.assertEqual(row["bound"], 10)
            failing = w[y == 0]
            self.assertAlmostEqual(row["effective_failing"], failing.sum() ** 2 / (failing ** 2).sum(), 9)
            # the weights themselves, by hand
            name = list(file["parameters"]["name"])
            mu, mass = (file["samples"][:, name.index(n)] for n in (b"friction.rubber/abs", b"object.mass"))
            ratio = 2 * (0.3 - mu) / 0.22 * 2 * (mass - 0.1) / 0.2
            np.testing.assert_allclose(w, 1 / (0.1 + 0.9 * ratio), rtol=1e-9)
            self.assertEqual(len(file["histograms/by"]) + len(file["histograms/measure"]), 0)
        self.assertEqual(weighted["weights"]["effective"], row["effective"])
        # beside it what plain draws would have given
        said = weighted["weights"]
        half = (found["upper"] - found["lower"]) / 2
        spread = (said["plain_upper"] - said["plain_lower"]) / 2
        self.assertAlmostEqual(spread, 1.96 * (found["p"] * (1 - found["p"]) / 1000) ** 0.5, 3)
        self.assertAlmostEqual(said["plain_worth"] / 1000, (spread / half) ** 2, 1)
        self.assertIn(f"this interval is worth {said['plain_worth']} plain draws", self.run_program("show", "i.h5").stdout)

    def test_the_same_bytes_in_shards_grown_and_replayed(self):
        self.run_program("run", "i.yaml", "-n", 90, "-o", "one.h5", "-q", "-j", 1)
        for i in (1, 2, 3):
            self.run_program("run", "i.yaml", "-n", 90, "--shard", f"{i}/3", "-o", f"{i}.h5", "-q")
        self.run_program("merge", "2.h5", "3.h5", "1.h5", "-o", "all.h5", "-q")
        self.assert_same_bytes("one.h5", "all.h5")
        self.run_program("run", "i.yaml", "-n", 40, "-o", "grown.h5", "-q")
        self.run_program("run", "i.yaml", "-n", 90, "-o", "grown.h5", "-q", "--resume")
        self.assert_same_bytes("one.h5", "grown.h5")
        self.run_program("replay", "one.h5", "--trial", 17)
        self.run_program("run", "i.yaml", "-n", 90, "-o", "one.h5", "-q", "--resume", "--set",
                         "sampling.true_share=0.2", code=76)

    def test_cases_share_the_weight_of_their_draw(self):
        self.write("s.yaml", SCENARIO + "study: {vary: {hand.target.x: [0 mm, 5 mm]}}\n")
        found = self.run_json("run", "s.yaml", "-n", 300, "-o", "s.h5")
        self.assertEqual(found["weights"]["draws"], 300)
        with h5py.File(self.folder / "s.h5") as file:
            w = file["trials"]["weight"]
            np.testing.assert_array_equal(w[::2], w[1::2])
            cases = file["summary/by_case"][:]
        self.assertEqual(list(cases["method"]), [b"weighted"] * 2)
        self.assertAlmostEqual(found["success"]["p"], cases["p"].mean(), 2)

    def test_bins_are_refused(self):
        self.run_program("run", "i.yaml", "-n", 60, "-o", "i.h5", "-q")
        for words in (["--by", "object.mass"], ["--rebin", "object.mass=10"]):
            refused = self.run_program("show", "i.h5", *words, code=65)
            self.assertIn(f"{words[0]}: importance sampling draws from other distributions", refused.stderr)

    def test_too_few_draws_have_no_interval(self):
        answer = self.run_program("run", "i.yaml", "-n", 30, "-o", "f.h5")
        self.assertIn("too few for an interval", answer.stdout)
        found = self.run_json("show", "f.h5")["success"]
        self.assertEqual([found["lower"], found["upper"]], [0, 1])

    def test_failures_that_none_has_seen_are_allowed_for(self):
        # draws never leave low friction but for the true ones, and those are few
        self.write("n.yaml", SCENARIO.replace("triangular(0.08, 0.08, 0.30)", "uniform(0.08, 0.15)"))
        light = ["--set", "uncertain.object.mass=uniform(0.18 kg, 0.2 kg)",
                 "--set", "sampling.importance.object.mass=uniform(0.18 kg, 0.2 kg)"]
        answer = self.run_program("run", "n.yaml", "-o", "n.h5", *light)
        found = self.run_json("show", "n.h5")
        self.assertIn("no failed draw has a weight above", answer.stdout, found)
        self.assertAlmostEqual(found["weights"]["unseen"], 10 * (1 - 0.025 ** (1 / 400)), 12)
        covered = self.run_json("run", "n.yaml", "-o", "c.h5", *light, "--set", "sampling.covered=true")
        self.assertEqual(covered["weights"]["unseen"], 0)
        self.assertAlmostEqual(covered["success"]["lower"] - found["success"]["lower"],
                               found["weights"]["unseen"], 12)

    def test_other_criteria_keep_the_weights(self):
        self.run_program("run", "i.yaml", "--set", "simulation.early.broken=false", "-o", "i.h5", "-q")
        found = self.run_json("show", "i.h5", "--success", "lift >= 15 mm and slip <= 10 mm")["success"]
        first = self.run_json("show", "i.h5")["success"]
        self.assertEqual(found, first)

    def refused(self, *sets, code=65):
        words = [word for text in sets for word in ("--set", text)]
        return self.run_program("check", "i.yaml", *words, code=code).stderr

    def test_check_says_what_is_proposed(self):
        said = self.run_program("check", "i.yaml").stdout
        self.assertRegex(said, r"proposed  friction\.rubber/abs +triangular\(0.08, 0.08, 0.30\)\n")
        self.assertRegex(said, r"\n +\d+ % of the draws from the true distributions; no weight above \d")

    def test_what_cannot_be_weighed_is_refused_with_its_place(self):
        text = self.refused("sampling.true_share=0")
        self.assertIn("i.yaml:7:26: error: sampling.importance.friction.rubber/abs: the true "
                      "distribution", text)
        other = self.refused("sampling.true_share=0", "sampling.importance.friction.rubber/abs=uniform(0.1, 0.3)")
        self.assertIn("reaches where this one does not", other)
        self.assertIn("true_share: 10 %", text)
        for sets, message in (
                (["sampling.importance.object.pose.x=normal(4 mm, 4 mm)"], "write nominal + ..."),
                (["sampling.importance.object.mas=uniform(0.1 kg, 0.2 kg)"], "did you mean object.mass?"),
                (["sampling.importance.object.mass=one_of(0.1 kg, 0.2 kg)"], "one draws from a list"),
                (["sampling.importance.object.mass=uniform(0.1 m, 0.2 m)"], "expected a mass"),
                (["sampling.design=sobol", "sampling.draws=1024"], "weights need independent draws")):
            self.assertIn(message, self.refused(*sets))
        # a pair has two names
        self.write("p.yaml", (self.folder / "i.yaml").read_text().replace("friction.rubber/abs", "friction.abs/rubber"))
        self.assertRegex(self.run_program("check", "p.yaml").stdout, r"proposed  friction\.abs/rubber +triangular")
        twice = self.refused("sampling.importance.friction.abs/rubber=uniform(0.1, 0.3)")
        self.assertIn("importance: friction.rubber/abs and friction.abs/rubber are the same number", twice)
        self.assertIn("i.yaml:7 has it as friction.rubber/abs: write that name here", twice)
        # both, and the line has the second
        self.write("q.yaml", (self.folder / "i.yaml").read_text().replace(
            "friction.rubber/abs", "friction.abs/rubber").replace(
                "    friction.abs/rubber:", "    friction.rubber/abs: uniform(0.08, 0.3)\n    friction.abs/rubber:"))
        twice = self.run_program("check", "q.yaml", code=65).stderr
        self.assertRegex(twice, r"q\.yaml:8:\d+: error: sampling\.importance: friction\.rubber/abs and friction\.abs/rubber "
                                r"are the same number(?s:.*)keep one of the two: friction\.rubber/abs stands in line 7")
        self.assertIn("gives them weights", self.run_program("run", "i.yaml", "--until", "half_width<0.01",
                                                       code=64).stderr)
        # wider than the truth everywhere: no share needed
        self.write("w.yaml", f"graspmc: 1\nuse: {QUICK}\nsampling:\n  true_share: 0\n  importance:\n"
                   "    object.pose.x: nominal + normal(0 mm, 8 mm)\noutput: {histograms: []}\n")
        found = self.run_json("run", "w.yaml", "-n", 200, "-o", "w.h5")
        self.assertAlmostEqual(found["weights"]["bound"], 2, 5)
        far = self.run_program("check", "w.yaml", "--set", "sampling.importance.object.pose.x=nominal + "
                               "normal(8 mm, 4 mm)", code=65).stderr
        self.assertIn("times as dense as this one", far)


if __name__ == "__main__":
    unittest.main()
