"""`show --failures`: ways to fail, the rule that tells each, and where it is likeliest, against the stored rows."""
import unittest

import h5py
import numpy

from support import QUICK, Case

FEW = ["--set", "simulation.half_step=0"]
CRITERIA = "{at_end: [lift(object) >= 15 mm], always: ['slip(object, hand) <= 10 mm', 'height(object) >= 20 mm']}"


class Failures(Case):
    def run_quick(self, name, *words):
        self.run_program("run", QUICK, "-o", name, "-q", *FEW, *words)

    def rows(self, name):
        with h5py.File(self.folder / name) as file:
            names = [text.decode() for text in file["parameters"]["name"]]
            return file["trials"][:], dict(zip(names, file["samples"][:].T))

    def holds(self, terms, samples):
        held = numpy.ones(len(next(iter(samples.values()))), bool)
        for term in terms:
            x = samples[term["input"]]
            low = -numpy.inf if term["lower"] is None else term["lower"]
            high = numpy.inf if term["upper"] is None else term["upper"]
            held &= ((x < low) | (x > high)) if term["is_outside"] else ((x > low) & (x < high))
        return held

    def test_one_way(self):
        self.run_quick("a.h5", "-n", 400)
        trials, samples = self.rows("a.h5")
        answer = self.run_json("show", "a.h5", "--failures")
        self.assertEqual((answer["trials"], answer["failures"]), (400, int((trials["success"] == 0).sum())))
        kind = answer["kinds"][0]
        self.assertEqual(kind["name"], "violated: slip(object, hand) <= 10 mm")
        self.assertEqual(sum(k["count"] for k in answer["kinds"]), answer["failures"])
        self.assertEqual(kind["share"]["successes"], kind["count"])
        self.assertTrue(kind["share"]["lower"] < kind["count"] / 400 < kind["share"]["upper"])
        # its rule names friction, and is as good as it says
        rule = kind["rule"]
        self.assertIn("friction.rubber/abs", [term["input"] for term in rule["terms"]])
        self.assertLessEqual(len(rule["terms"]), 2)
        held, fails = self.holds(rule["terms"], samples), trials["outcome"] == 2
        self.assertTrue(rule["precision_lower"] <= (held & fails).sum() / held.sum() <= rule["precision_upper"])
        self.assertTrue(rule["recall_lower"] <= (held & fails).sum() / fails.sum() <= rule["recall_upper"])
        # its counts are those of the third that it was not found in, as FORMAT.md says
        judge = trials["draw"].astype(numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15) >= 2 * (2**64 // 3)
        self.assertEqual([rule[name] for name in ("hits", "chosen", "members", "trials")],
                         [int(rows[judge].sum()) for rows in (held & fails, held, fails, judge)])
        self.assertAlmostEqual(rule["precision"], rule["hits"] / rule["chosen"])
        self.assertAlmostEqual(rule["recall"], rule["hits"] / rule["members"])
        self.assertGreater(rule["precision"], 2 * kind["count"] / 400)
        # the likeliest is a failing trial with its own draws
        at = kind["likeliest"]
        self.assertEqual(trials["outcome"][at["trial"]], 2)
        for row in at["inputs"]:
            self.assertEqual(row["value"], samples[row["input"]][at["trial"]])
            self.assertTrue(row["least"] <= row["value"] <= row["most"])
        out = self.run_program("show", "a.h5", "--failures").stdout
        self.assertIn(f"{answer['failures']} of 400 trials fail, in ", out)
        self.assertIn(f"rule: {rule['text']}\n      tested on {rule['trials']} trials left out of the search: precision ", out)
        self.assertIn(f", {rule['hits']} of the {rule['chosen']} that meet the rule fail this way; recall ", out)
        self.assertIn(f", {rule['hits']} of the {rule['members']} that fail this way meet the rule\n", out)
        self.assertIn("rules: that chance alone shows any has a probability of 5 % at most; intervals of precision and recall: ", out)
        self.assertIn("likeliest", out)
        self.assertEqual(answer, self.run_json("show", "a.h5", "--failures"))

    def test_ways_are_told_apart_by_criteria(self):
        self.run_quick("b.h5", "-n", 300, "--set", f"success={CRITERIA}", "--set", "simulation.early.broken=false")
        trials, _ = self.rows("b.h5")
        fails = trials[trials["success"] == 0]
        wanted = {}
        for row in fails:
            broken = [text for text, is_broken in (
                ("slip(object, hand) <= 10 mm", row["max(slip(object, hand))"] > 0.01),
                ("height(object) >= 20 mm", row["min(height(object))"] < 0.02),
                ("lift(object) >= 15 mm", row["lift(object)"] < 0.015)) if is_broken]
            always = [text for text in broken if "lift" not in text]
            key = tuple(always or broken) if row["outcome"] in (1, 2) else ()
            wanted[key] = wanted.get(key, 0) + 1
        kinds = self.run_json("show", "b.h5", "--failures")["kinds"]
        self.assertEqual({tuple(kind["criteria"]): kind["count"] for kind in kinds}, wanted)
        self.assertEqual([kind["count"] for kind in kinds], sorted(wanted.values(), reverse=True))

    def test_studies_name_decisions(self):
        self.run_program("run", QUICK, "-o", "study.h5", "-q", "-n", 100, *FEW, "--set",
                         "study={vary: {program.0.close.force: [2 N, 30 N]}}")
        kind = self.run_json("show", "study.h5", "--failures")["kinds"][0]
        self.assertIn("program.0.close.force", [term["input"] for term in kind["rule"]["terms"]])
        self.assertNotIn("program.0.close.force", [row["input"] for row in kind["likeliest"]["inputs"]])
        self.assertIsNone(kind["likeliest"]["nearer_fail"])
        self.assertEqual(kind["share"]["method"], "KG over draws")

    def test_nothing_to_tell(self):
        self.run_quick("few.h5", "-n", 12)
        kinds = self.run_json("show", "few.h5", "--failures")["kinds"]
        self.assertTrue(all(kind["rule"] is None for kind in kinds))
        if kinds:
            self.assertIn("none found", self.run_program("show", "few.h5", "--failures").stdout)
        self.run_quick("none.h5", "-n", 20, "--set", "success={at_end: [lift(object) >= -1 m]}")
        self.assertEqual(self.run_json("show", "none.h5", "--failures")["kinds"], [])
        self.assertIn("0 of 20 trials fail", self.run_program("show", "none.h5", "--failures").stdout)
        self.assertIn("only --level and --json go with it", self.run_program("show", "none.h5", "--failures", "--where", "slip > 0",
                                                               code=65).stderr)


if __name__ == "__main__":
    unittest.main()
