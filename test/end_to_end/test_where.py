"""A part of the trials: `show --where` counts those that a claim over parameters and measures picks, with the
draw as unit where cases share it, and says what is not known of trials that were cut short."""
import unittest

import h5py
import numpy

from support import DEMO, QUICK, ROOT, Case

NEVER = [word for rule in ("broken", "falling", "rest", "borne")
         for word in ("--set", f"simulation.early.{rule}=false")]
MAP = ["--set", "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}"]
LADDER = ROOT / "test/end_to_end/ladder.yaml"


class Where(Case):
    def run_it(self, scenario, draws, *words):
        self.run_program("run", scenario, "-n", draws, "-o", "a.h5", "-q", "--force", *words)
        with h5py.File(self.folder / "a.h5") as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            return file["trials"][:], dict(zip(names, file["samples"][:].T))

    def show(self, claim, *words):
        return self.run_json("show", "a.h5", "--where", claim, *words)

    def test_parameters_and_measures_pick_what_numpy_picks(self):
        trials, samples = self.run_it(QUICK, 200, *NEVER)
        mass, rubber = samples["object.mass"], samples["friction.rubber/abs"]
        for claim, picked, by_measures in (
                ("object.mass < 200 g", mass < 0.2, False),
                ("friction.rubber/abs > 0.2 and object.mass >= 0.15 kg", (rubber > 0.2) & (mass >= 0.15), False),
                ("draw < 50 or case > 0", trials["draw"] < 50, False),
                ("slip <= 1 mm", trials["slip"] <= 1e-3, True),
                ("max(slip(object, hand)) <= 1 mm and object.mass < 0.2 kg",
                 (trials["slip"] <= 1e-3) & (mass < 0.2), True),
                ("lift / object.mass > 0.1 m/kg", trials["lift"] / mass > 0.1, True)):
            answer = self.show(claim)
            self.assertEqual(answer["where"], {
                "claim": claim, "trials": int(picked.sum()), "of": 200, "by_measures": by_measures,
                "first": numpy.flatnonzero(picked)[:100].tolist(),
                "not_known": 0, "not_known_lower": answer["success"]["p"],
                "not_known_upper": answer["success"]["p"]})
            self.assertEqual(answer["success"]["successes"], int(trials["success"][picked].sum()))
            few = min(answer["success"]["successes"], answer["success"]["failures"]) < 55
            self.assertEqual(answer["success"]["method"], "Clopper-Pearson" if few else "Wilson")
            self.assertEqual(sum(answer["outcomes"].values()), int(picked.sum()))
            inside = answer["histograms"][0]
            counted = sum(sum(bin["outcomes"].values()) for bin in inside["bins"])
            axis = inside["axes"][0]
            self.assertEqual(counted + axis["below"] + axis["above"] + axis["absent"], int(picked.sum()))
        self.assertIn("the condition uses measured values",
                      self.run_program("show", "a.h5", "--where", "slip <= 1 mm").stdout)
        self.assertNotIn("measured values", self.run_program("show", "a.h5", "--where", "draw < 9").stdout)

    def test_all_trials_and_a_bin_give_what_is_there_already(self):
        self.run_it(QUICK, 100, *MAP)
        whole, again = self.run_json("show", "a.h5"), self.show("draw >= 0")
        for key in ("success", "outcomes", "cases", "histograms"):
            self.assertEqual(again[key], whole[key])
        histogram, = self.run_json("show", "a.h5", "--rebin", "object.mass=0.1,0.2,0.3")["histograms"]
        part = self.show("object.mass < 0.2 kg")["success"]
        self.assertEqual(part["method"], "KG over draws")
        self.assertEqual(part, histogram["bins"][0]["success"])

    def test_a_part_of_each_draw_keeps_the_draw_as_unit(self):
        trials, samples = self.run_it(QUICK, 200, *MAP)
        picked = samples["hand.target.x"] < 0.005
        per_draw = trials["success"][picked].reshape(200, 2).mean(axis=1)
        estimate = self.show("hand.target.x < 5 mm")["success"]
        self.assertAlmostEqual(estimate["p"], per_draw.mean(), delta=1e-15)
        error = per_draw.std(ddof=1) / numpy.sqrt(200)
        half = (estimate["upper"] - estimate["lower"]) / 2
        # t with 199 degrees of freedom, 1.972, and the draw more that is allowed for
        self.assertTrue(1.97 < half / error < 2.2, half / error)

    def test_trials_that_were_cut_short_may_not_be_known(self):
        trials, samples = self.run_it(DEMO, 100)
        answer = self.show("max_force > 11 N")
        cut = (trials["decided_by"] == 1) & (trials["audit"] == 0)
        unknown = int((cut & (trials["max_force"] <= 11)).sum())
        self.assertGreater(unknown, 0)
        self.assertGreaterEqual(answer["where"]["not_known"], unknown)
        self.assertNotIn("p", answer["success"])
        self.assertAlmostEqual(answer["where"]["not_known_lower"], answer["success"]["lowest"])
        whole, drawn = self.run_it(DEMO, 100, *NEVER)
        self.assertEqual(drawn["object.mass"].tobytes(), samples["object.mass"].tobytes())
        truth = whole["success"][whole["max_force"] > 11].mean()
        self.assertTrue(answer["where"]["not_known_lower"] <= truth <= answer["where"]["not_known_upper"])

    def test_it_goes_with_other_criteria_and_bins(self):
        trials, samples = self.run_it(QUICK, 100, *NEVER)
        answer = self.show("object.mass < 0.2 kg", "--success", "slip <= 1 mm", "--rebin", "object.mass=2")
        light, stays = samples["object.mass"] < 0.2, ~numpy.isin(trials["outcome"], [3, 4])
        self.assertEqual(answer["success"]["successes"],
                         int((light & stays & (trials["slip"] <= 1e-3)).sum()))
        self.assertEqual(sum(sum(bin["outcomes"].values()) for bin in answer["histograms"][0]["bins"]),
                         int(light.sum()))

    def test_designs_and_stops(self):
        self.run_it(QUICK, 256, "--design", "sobol")
        self.assertEqual(self.show("object.mass < 0.2 kg")["success"]["method"], "KG of replicas")
        self.run_it(QUICK, 256, "--until", "half_width<0.2")
        self.assertEqual(self.show("object.mass < 0.2 kg")["success"]["method"], "confidence seq")
        self.run_it(QUICK, 256, "--until", "half_width<0.3", *MAP)
        self.run_program("show", "a.h5", "--where", "object.mass < 0.2 kg", code=65)
        self.run_program("run", LADDER, "-o", "l.h5", "-q")
        self.assertIn("ladder", self.run_program("show", "l.h5", "--where", "draw < 5", code=65).stderr)

    def test_mistakes_are_located(self):
        self.run_it(QUICK, 4)
        for claim, place, said in (("mass < 0.2 kg", "1:1", "unknown"),
                                   ("object.mass < 5 mm", "1:13", "the left side is in kg")):
            done = self.run_program("show", "a.h5", "--where", claim, code=65)
            self.assertIn(f"--where:{place}: error: ", done.stderr)
            self.assertIn(said, done.stderr)
        self.run_program("show", "a.h5", "--where", "", code=64)


if __name__ == "__main__":
    unittest.main()
