"""Two results held against each other: pairs of the same chance, what differs between the files, and the
gate that fails when the second is worse."""
import json
import unittest

import h5py
import numpy

from support import QUICK, ROOT, Case

LADDER = ROOT / "test/end_to_end/ladder.yaml"
MAP = ["--set", "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}"]


def force(newtons):
    return ["--set", f"program.0.close.force={newtons} N"]


class Compare(Case):
    def run_quick(self, name, draws, *words):
        self.run_program("run", QUICK, "-n", draws, "-o", name, "-q", "--force", *words)
        with h5py.File(self.folder / name) as file:
            return file["trials"][:]

    def compare(self, first, second, *words, **options):
        return self.run_json("compare", first, second, *words, **options)

    def test_pairs_are_counted_as_they_stand_in_the_files(self):
        a = self.run_quick("a.h5", 200)
        b = self.run_quick("b.h5", 200, *force(9))
        found = self.compare("a.h5", "b.h5")
        cells = {"both": a["success"] & b["success"], "only_a": a["success"] & ~b["success"] & 1,
                 "only_b": ~a["success"] & b["success"] & 1,
                 "neither": (1 - a["success"]) & (1 - b["success"])}
        for name, where in cells.items():
            self.assertEqual(found["pairs"][name], int(where.sum()), name)
        self.assertGreater(found["pairs"]["only_a"], 3)
        d = found["difference"]
        self.assertAlmostEqual(d["b_minus_a"], b["success"].mean() - a["success"].mean(), delta=1e-15)
        self.assertTrue(d["lower"] < d["b_minus_a"] < d["upper"])
        self.assertEqual((d["method"], d["paired"], d["units"]), ("Tango", True, 200))
        self.assertEqual(found["test"]["name"], "McNemar")
        self.assertEqual([(c["key"], c["a"], c["b"]) for c in found["differ"]],
                         [("program.0.close.force", "10", "9")])
        self.assertEqual(found["a"]["success"], self.run_json("show", "a.h5")["success"])
        both = (a["success"] & b["success"]) == 1
        for measure in found["measures"]:
            name = measure["name"]
            moved = (b[name] - a[name])[both]
            self.assertEqual(measure["pairs"], int(both.sum()))
            self.assertAlmostEqual(measure["b_minus_a"], moved.mean(),
                                   delta=1e-12 * abs(moved).max())  # another order of sums
            half = (measure["upper"] - measure["lower"]) / 2
            error = moved.std(ddof=1) / numpy.sqrt(both.sum())
            self.assertTrue(1.96 < half / error < 2.1)  # t with many degrees of freedom
        turned = self.compare("b.h5", "a.h5")["difference"]
        for end, other in (("lower", "upper"), ("upper", "lower"), ("b_minus_a", "b_minus_a")):
            self.assertAlmostEqual(turned[end], -d[other], delta=1e-14)  # bisection from either side

    def test_the_same_file_twice_differs_in_nothing(self):
        self.run_quick("a.h5", 50)
        found = self.compare("a.h5", "a.h5")
        self.assertEqual((found["difference"]["b_minus_a"], found["differ"]), (0, []))
        text = self.run_program("compare", "a.h5", "a.h5").stdout
        self.assertIn("differ in nothing", text)
        for measure in found["measures"]:
            self.assertEqual((measure["b_minus_a"], measure["are_equal"], measure["is_skewed"]), (0, True, False))
            self.assertIn(f"\n  {measure['name']:10} equal in all {measure['pairs']} pairs\n", text)
        self.assertNotIn("too short", text)

    def test_laws_are_told_as_they_are_written(self):
        (self.folder / "mu.csv").write_text("mu\n" + "\n".join(f"0.1{i}" for i in range(10)) + "\n")
        laws = ["nominal * normal(1, 0.1)", f"samples({self.folder}/mu.csv, column mu)", "nominal * normal(1, 20 %)"]
        path = "uncertain.friction.rubber/abs"
        for name, law in zip("abc", laws):
            self.run_quick(f"{name}.h5", 20, "--set", f"{path}={law}")
        for first, second in ((0, 1), (0, 2)):
            names = ["abc"[first] + ".h5", "abc"[second] + ".h5"]
            (law,) = [c for c in self.compare(*names)["differ"] if c["key"] == path]
            self.assertEqual((law["a"], law["b"]), (laws[first], laws[second]))
            self.assertNotIn("is_written_alike", law)
            self.assertIn(f"{path}: {laws[first]} | {laws[second]}\n", self.run_program("compare", *names).stdout)
        with open(self.folder / "mu.csv", "a") as file:
            file.write("0.2\n")
        self.run_quick("d.h5", 20, "--set", f"{path}={laws[1]}")
        (law,) = [c for c in self.compare("b.h5", "d.h5")["differ"] if c["key"] == path]
        self.assertEqual((law["a"], law["b"], law["is_written_alike"]), (laws[1], laws[1], True))
        text = self.run_program("compare", "b.h5", "d.h5").stdout
        self.assertIn(f"{path}: {laws[1]} in both, with other numbers in the files it reads\n", text)
        self.assertRegex(text, "files.*mu.csv")

    def test_cases_that_share_draws_have_the_draw_as_their_unit(self):
        a = self.run_quick("a.h5", 60, *MAP)
        b = self.run_quick("b.h5", 50, *MAP, *force(9))
        found = self.compare("a.h5", "b.h5")
        d = found["difference"]
        self.assertEqual((d["method"], d["units"]), ("t over draws", 50))
        self.assertEqual(found["pairs"]["without_partner_a"], 30)
        moved = (b["success"].astype(int) - a["success"][:150]).reshape(50, 3)
        self.assertEqual(found["test"]["name"], "sign test over draws")
        self.assertEqual(found["test"]["down"], int((moved.sum(axis=1) < 0).sum()))
        self.assertAlmostEqual(d["b_minus_a"], moved.mean(), delta=1e-15)
        shares = [abs(case["b_minus_a"]) for case in found["cases"]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        for case in found["cases"]:
            self.assertAlmostEqual(case["b_minus_a"], moved[:, case["case"]].mean(), delta=1e-15)
        self.assertIn("cases that moved most", self.run_program("compare", "a.h5", "b.h5").stdout)

    def test_other_chance_is_said_and_widens(self):
        self.run_quick("a.h5", 200)
        self.run_quick("b.h5", 200, *force(9))
        self.run_quick("c.h5", 200, *force(9), "--seed", 5)
        paired, apart = self.compare("a.h5", "b.h5"), self.compare("a.h5", "c.h5")
        self.assertEqual(apart["difference"]["method"], "Newcombe")
        self.assertNotIn("pairs", apart)
        width = [x["difference"]["upper"] - x["difference"]["lower"] for x in (paired, apart)]
        self.assertGreater(width[1], 1.5 * width[0])
        text = self.run_program("compare", "a.h5", "c.h5").stdout
        self.assertIn("not paired: their seeds differ, taken as independent", text)
        self.run_program("run", QUICK, "-n", 400, "--trials", "300:400", "-o", "d.h5", "-q")
        self.assertIn("no draw in common", self.run_program("compare", "a.h5", "d.h5").stdout)

    def test_the_gate_says_yes_no_and_undecided(self):
        self.run_quick("a.h5", 200)
        self.run_quick("b.h5", 200, *force(8))
        d = self.compare("a.h5", "b.h5")["difference"]
        self.assertLess(d["upper"], -0.02)
        inside = -(d["lower"] + d["upper"]) / 2
        for margin, code, verdict in ((0.02, 1, "yes"), (inside, 2, "undecided"), (0.99, 0, "no")):
            rule = ["--fail-if", f"worse by {margin}"]
            found = self.compare("a.h5", "b.h5", *rule, code=code)
            self.assertEqual(found["gate"], {"worse_by": margin, "verdict": verdict})
        self.run_program("compare", "a.h5", "b.h5", "--fail-if", "worse by 2 %", code=1)
        self.run_program("compare", "a.h5", "b.h5", "--fail-if", "worse", code=1)
        self.run_program("compare", "b.h5", "a.h5", "--fail-if", "worse", code=0)
        for rule in ("better", "worse by", "worse by x", "worse by 1", "worse by -0.1",
                     "worse by 0.02 or so", "worse by 0x1"):
            self.run_program("compare", "a.h5", "b.h5", "--fail-if", rule, code=64)

    def test_unsolved_trials_may_turn_the_gate(self):
        self.run_quick("a.h5", 100)
        b = self.run_quick("b.h5", 100, "--set", "simulation.step_limit=100")
        unsolved = int((b["outcome"] == 4).sum())
        self.assertGreater(unsolved, 20)
        found = self.compare("a.h5", "b.h5", "--fail-if", "worse by 0.02", code=2)
        d = found["difference"]
        self.assertEqual(found["pairs"]["unsolved"], unsolved)
        self.assertTrue(d["lower"] < d["sampling_lower"] and d["upper"] > d["sampling_upper"])
        self.assertTrue(d["unsolved_lower"] < -0.2 and d["unsolved_upper"] >= 0)
        self.assertIn("; sampling alone [", self.run_program("compare", "a.h5", "b.h5").stdout)

    def test_designs_and_stops_keep_their_methods(self):
        for words, method in ((["--design", "sobol"], "t over replicas"),
                              (["--until", "half_width<0.2"], "confidence seq")):
            self.run_quick("a.h5", 64, *words)
            self.run_quick("b.h5", 64, *words, *force(9))
            found = self.compare("a.h5", "b.h5")
            self.assertEqual(found["difference"]["method"], method)
            self.assertNotIn("test", found)  # made for independent pairs, as many as fixed before
        self.run_quick("c.h5", 64, *words, "--seed", 3)
        self.assertEqual(self.compare("a.h5", "c.h5")["difference"]["method"], "confidence seq")

    def test_what_does_not_belong_together_is_refused(self):
        self.run_quick("a.h5", 10)
        self.run_quick("b.h5", 10, *MAP)
        self.assertIn("number of cases: 3 here, 1 in the first file; pairs are made case by case", self.run_program("compare", "a.h5", "b.h5", code=76).stderr)
        self.run_quick("c.h5", 64, "--design", "latin_hypercube")
        self.run_quick("d.h5", 128, "--design", "latin_hypercube")
        self.run_program("compare", "c.h5", "d.h5", code=76)
        self.run_program("run", LADDER, "-o", "l.h5", "-q")
        self.assertIn("ladder", self.run_program("compare", "l.h5", "l.h5", code=65).stderr)
        self.run_program("compare", "a.h5", "none.h5", code=66)
        self.run_program("compare", "a.h5", code=64)
        self.run_program("compare", "a.h5", "a.h5", "a.h5", code=64)
        self.assertEqual(json.loads(self.run_program("compare", "a.h5", "a.h5", "--json").stdout)["a"]
                         ["output"], "a.h5")


if __name__ == "__main__":
    unittest.main()
