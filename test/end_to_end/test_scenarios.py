"""Every scenario gives what the file beside it expects; a third of its draws does, within a band as much wider as chance makes it.

GRASPMC_LONG=1 runs all draws. GRASPMC_DRAWS=n runs so few that their share of successes is not judged, only that all are solved.
"""
import json
import math
import os
import unittest

import h5py
import numpy

from support import SCENARIOS, Case


FEW = int(os.environ.get("GRASPMC_DRAWS", "0"))
WHOLE = {"peg_push"}  # its rounds go on with what the draws before say
MANY = 12  # of fewer draws, those of many cases, the band is no matter of their number


class Scenarios(Case):
    def expected(self, path):
        beside = path.with_name(path.stem + ".expected.json")
        self.assertTrue(beside.exists(), f"{path.name} has no expected outcome beside it")
        return json.loads(beside.read_text(encoding="utf-8"))

    def run_scenario(self, path, draws, *words):
        self.run_program("run", path, "-n", draws, "-o", "out.h5", "--force", "-q", "--trajectories",
                         "none", *words)
        with h5py.File(self.folder / "out.h5") as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            return file["trials"][:], file["samples"][:], names, len(file["cases"])

    def test_outcomes(self):
        for path in sorted(SCENARIOS.glob("*.yaml")):
            with self.subTest(scenario=path.stem):
                wanted = self.expected(path)
                draws, wider = wanted["draws"], 1
                if FEW:
                    draws = min(FEW, draws)
                elif draws >= MANY and path.stem not in WHOLE and "GRASPMC_LONG" not in os.environ:
                    draws = draws // 3
                    wider = math.sqrt(wanted["draws"] / draws)
                trials, _, _, cases = self.run_scenario(path, draws)
                lower, upper = (0, 1) if FEW else wanted["success"]
                middle, half = (lower + upper) / 2, wider * (upper - lower) / 2
                lower, upper = middle - half, middle + half
                share = trials["success"].mean()
                self.assertTrue(lower <= share <= upper, f"{share} is not in {lower} ... {upper}")
                self.assertEqual(int((trials["valid"] == 0).sum()), wanted["unsolved"])
                self.assertEqual(cases, wanted.get("cases", 1))

    @unittest.skipIf(FEW, "a threshold needs all draws")
    def test_thresholds(self):
        for path in sorted(SCENARIOS.glob("*.yaml")):
            wanted = self.expected(path)
            if "threshold" not in wanted:
                continue
            limit = wanted["threshold"]
            for step in wanted["steps_s"]:
                with self.subTest(scenario=path.stem, step=step):
                    trials, samples, names, _ = self.run_scenario(path, wanted["draws"], "--step", step)
                    value = samples[:, names.index(limit["parameter"])]
                    held = trials["success"] == 1
                    # both sides are sampled closer to the limit than the bar
                    self.assertGreater(numpy.max(value[~held]), limit["value"] * (1 - limit["within"]))
                    self.assertLess(numpy.min(value[held]), limit["value"] * (1 + limit["within"]))
                    wrong = held != (value >= limit["value"])
                    distance = numpy.abs(value / limit["value"] - 1)
                    self.assertFalse(numpy.any(wrong & (distance > limit["within"])))


if __name__ == "__main__":
    unittest.main()
