"""`show --quantile`: quantiles of what trials measure, and tolerance limits, against the stored rows."""
import math
import unittest

import h5py
import numpy

from support import QUICK, Case

FEW = ["--set", "simulation.half_step=0"]
LATE = [word for rule in ("broken", "falling", "rest", "borne") for word in ("--set", f"simulation.early.{rule}=false")]


def rank_at_most(n, p, level=0.95):
    """Of a tolerance limit: the least k with P(fewer than k of n lie below the quantile) >= level."""
    below = 0.0
    for k in range(n):
        below += math.comb(n, k) * p**k * (1 - p)**(n - k)
        if below >= level:
            return k + 1
    return None


class Quantile(Case):
    def run_quick(self, name, *words):
        self.run_program("run", QUICK, "-o", name, "-q", *FEW, *words)
        with h5py.File(self.folder / name) as file:
            return file["trials"][:]

    def quantiles(self, *words):
        return {row["p"]: row for row in self.run_json("show", *words)["all"]["quantiles"]}

    def test_whole_trials(self):
        trials = self.run_quick("whole.h5", "-n", 200, *LATE)
        values = sorted(trials["slip"])
        found = self.quantiles("whole.h5", "--quantile", "slip:0.95,0.5,0.9")
        self.assertEqual(list(found), [0.5, 0.9, 0.95])
        for p, row in found.items():
            self.assertEqual(row["value"], values[math.ceil(round(200 * p, 9)) - 1])
            self.assertEqual(row["at_most"], values[rank_at_most(200, p) - 1])
            self.assertTrue(row["lower"] <= row["value"] <= row["upper"])
        # 58 trials make no limit, 59 do
        for draws in (58, 59):
            few = self.run_quick("few.h5", "-n", draws, "--force", *LATE)
            row = self.quantiles("few.h5", "--quantile", "slip:0.95")[0.95]
            self.assertEqual(row["at_most"], max(few["slip"]) if draws == 59 else None)
            self.assertEqual(row["needed"], 59)
            out = self.run_program("show", "few.h5", "--quantile", "slip:0.95").stdout
            self.assertIn(f"95 % have at most {max(few['slip']):.4g} m, 95 % sure" if draws == 59
                          else "what 95 % have at most: 59 trials are needed", out)

    def test_cut_trials_may_have_anything_from_their_value_on(self):
        whole = self.run_quick("whole.h5", "-n", 300, *LATE)
        cut = self.run_quick("cut.h5", "-n", 300)
        count = int((cut["is_whole"] == 0).sum())
        self.assertGreater(count, 10)
        answer = self.run_json("show", "cut.h5", "--quantile", "slip")
        self.assertEqual((answer["cut_short"], answer["all"]["open"]), (count, count))
        exact = self.quantiles("whole.h5", "--quantile", "slip")
        for row in answer["all"]["quantiles"]:
            truth = exact[row["p"]]
            for ends in (("lowest", "highest"), ("lower", "upper"), ("at_least", "at_most")):
                within = (truth["value"], truth["value"]) if ends[0] == "lowest" else (truth[ends[0]], truth[ends[1]])
                low, high = (row[end] for end in ends)
                self.assertTrue(low is None or low <= within[0] * (1 + 1e-9), (row, truth))
                self.assertTrue(high is None or high >= within[1] * (1 - 1e-9), (row, truth))
        out = self.run_program("show", "cut.h5", "--quantile", "slip").stdout
        self.assertIn(f"{count} trials were cut short, and may have anything from their value on; graspmc run --complete "
                      "cut.h5", out)
        self.assertIn("open]", out)
        # completed, it is what the same draws say
        self.run_program("run", "--complete", "cut.h5", "-o", "done.h5", "-q")
        self.assertEqual(self.quantiles("done.h5", "--quantile", "slip"), exact)
        # of the successes alone nothing is open
        row = self.quantiles("cut.h5", "--quantile", "slip:0.5", "--where", "success = 1")[0.5]
        answer = self.run_json("show", "cut.h5", "--quantile", "slip:0.5", "--where", "success = 1")["all"]
        self.assertIn(f" of {answer['trials']} trials (left out: {answer['absent']} that --where does not pick, or without a value); ",
                      self.run_program("show", "cut.h5", "--quantile", "slip:0.5", "--where", "success = 1").stdout)
        numbers = sorted(cut["slip"][cut["success"] == 1])
        self.assertEqual(row["value"], numbers[math.ceil(len(numbers) / 2) - 1])

    def test_inputs_and_trials_left_out_by_name(self):
        """What was drawn is known of every trial; unsolved ones are left out by their outcome."""
        words = ["object.placed=as_given", "object.pose={z: 25 mm}", "output.histograms=[]",
                 'uncertain={object.mass: "uniform(0.1 kg, 0.3 kg)", friction.rubber/abs: "uniform(0.08, 0.30)", '
                 'object.pose.z: "uniform(22 mm, 26 mm)"}']
        trials = self.run_quick("a.h5", "-n", 200, *[word for change in words for word in ("--set", change)])
        unsolved = trials["valid"] == 0
        self.assertGreater(unsolved.sum(), 5)
        with h5py.File(self.folder / "a.h5") as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            samples = dict(zip(names, file["samples"][:].T))
        for text, values in (("friction.rubber/abs", samples["friction.rubber/abs"]),
                             ("object.mass * friction.rubber/abs", samples["object.mass"] * samples["friction.rubber/abs"])):
            answer = self.run_json("show", "a.h5", "--quantile", text + ":0.9")
            self.assertEqual((answer["all"]["open"], answer["cut_short"], answer["unsolved"]), (0, 0, 0))
            self.assertEqual(answer["all"]["quantiles"][0]["value"], numpy.sort(values)[179])
        self.assertIn("kg, 95 % sure", self.run_program("show", "a.h5", "--quantile", "object.mass:0.9").stdout)
        out = self.run_program("show", "a.h5", "--quantile", "slip:0.9").stdout
        self.assertIn(f"open: {unsolved.sum()} trials are unsolved, and may have anything", out)
        answer = self.run_json("show", "a.h5", "--quantile", "slip", "--where", "outcome != unsolved")
        self.assertEqual((answer["all"]["trials"], answer["unsolved"]), (200 - unsolved.sum(), 0))
        self.assertEqual(self.run_json("show", "a.h5", "--quantile", "slip")["unsolved"], unsolved.sum())
        shown = self.run_json("show", "a.h5", "--where", "outcome != unsolved")
        self.assertEqual(shown["where"]["trials"], 200 - unsolved.sum())

    def test_studies_and_designs(self):
        self.run_program("run", QUICK, "-o", "study.h5", "-q", "-n", 40, *FEW, *LATE, "--set",
                         "study={vary: {program.0.close.force: [8 N, 12 N]}}")
        answer = self.run_json("show", "study.h5", "--quantile", "lift:0.5")
        self.assertEqual((answer["all"]["method"], answer["all"]["trials"]), ("KG over draws", 80))
        self.assertEqual([case["method"] for case in answer["cases"]], ["order statistics"] * 2)
        out = self.run_program("show", "study.h5", "--quantile", "lift:0.5").stdout
        self.assertIn("shares, Korn-Graubard over 40 draws", out)
        self.assertIn("case 1: lift of 40 trials", out)
        self.run_quick("sobol.h5", "-n", 128, "--design", "sobol")
        self.assertEqual(self.run_json("show", "sobol.h5", "--quantile", "max_force:0.5")["all"]["method"], "KG of replicas")

    def test_formulas_and_refusals(self):
        trials = self.run_quick("a.h5", "-n", 60, *LATE)
        row = self.quantiles("a.h5", "--quantile", "max_force / 2:0.5")[0.5]
        self.assertEqual(row["value"], numpy.sort(trials["max_force"])[29] / 2)
        for text in ("slip:", "slip:1", "slip:0", "slip:0.5,", ":0.5", "slip:nan"):
            self.assertIn("--quantile: expects", self.run_program("show", "a.h5", "--quantile", text, code=64).stderr)
        self.assertIn("--quantile:1:1", self.run_program("show", "a.h5", "--quantile", "slipp", code=65).stderr)
        self.assertIn("it goes with --where", self.run_program("show", "a.h5", "--quantile", "slip", "--success",
                                                               "slip < 1 mm", code=65).stderr)
        self.run_program("run", QUICK, "-o", "two.h5", "-q", "-n", 400, "--set", "sampling.two_level={step: 8 ms}", *FEW)
        self.assertIn("the run chose its trials", self.run_program("show", "two.h5", "--quantile", "slip", code=65).stderr)


if __name__ == "__main__":
    unittest.main()
