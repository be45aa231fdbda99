"""Draws that fill the space evenly: as good as they say, and better than random ones."""
import json
import os
import statistics
import unittest

import h5py

from support import QUICK, ROOT, Case

REPETITIONS = int(os.environ.get("GRASPMC_REPETITIONS", "6"))
SCENARIO = ROOT / "scenarios/pinch_cube.yaml" if REPETITIONS > 10 else QUICK


class Designs(Case):
    def estimate(self, scenario, *options):
        answer = self.run_program("run", scenario, *options, "--json", "--force", "-q", "-o", "d.h5")
        return json.loads(answer.stdout)["success"]

    def test_sobol_needs_a_third_of_the_trials(self):
        found = [self.estimate(SCENARIO, "--design", "sobol", "-n", 1024, "--seed", seed)
                 for seed in range(1, REPETITIONS + 1)]
        p = statistics.mean(e["p"] for e in found)
        random = (p * (1 - p) / 1024) ** 0.5  # standard error of as many random draws
        claimed = statistics.mean((e["upper"] - e["lower"]) / 2 for e in found) / 2.131  # t, 15
        print(f"{REPETITIONS} runs: {(random / claimed) ** 2:.1f} times fewer trials")
        self.assertGreater((random / claimed) ** 2, 3)
        # and the error that is claimed is the one that is made: chi-square, 0.1 % and 99.9 %
        spread = statistics.variance(e["p"] for e in found) / claimed ** 2
        self.assertLess(spread, {6: 4.1}.get(REPETITIONS, 1.75))
        self.assertGreater(spread, {6: 0.04}.get(REPETITIONS, 0.47))

    def test_the_same_for_any_workers_shards_and_growth(self):
        design = ["--design", "sobol"]
        self.run_program("run", QUICK, *design, "-n", 64, "-o", "one.h5", "-j", 1, "-q")
        for i in (1, 2, 3):
            self.run_program("run", QUICK, *design, "-n", 64, "--shard", f"{i}/3", "-o", f"{i}.h5", "-q")
        self.run_program("merge", "2.h5", "3.h5", "1.h5", "-o", "all.h5", "-q")
        self.assert_same_bytes("one.h5", "all.h5")
        self.run_program("run", QUICK, *design, "-n", 32, "-o", "grown.h5", "-q")
        self.run_program("run", QUICK, *design, "-n", 64, "-o", "grown.h5", "-q", "--resume")
        self.assert_same_bytes("one.h5", "grown.h5")
        with h5py.File(self.folder / "one.h5") as file:
            (row,) = file["summary/estimates"][:]
            self.assertEqual(row["method"], b"t over replicas")
            self.assertEqual(row["draws"], 16)
            self.assertEqual(row["is_widened"], 1)  # four draws each cannot have five failures
            self.assertEqual(file["provenance"].attrs["design"], b"sobol")
        self.run_program("replay", "one.h5", "--trial", 17)

    def test_a_hypercube_has_one_draw_in_each_slice_and_cannot_grow(self):
        options = ["--design", "latin_hypercube", "-o", "l.h5", "-q"]
        self.run_program("run", QUICK, *options, "-n", 160)
        with h5py.File(self.folder / "l.h5") as file:
            column = list(file["parameters"]["name"]).index(b"object.mass")
            lower, upper = file["parameters"][column][["lower", "upper"]]
            for r in range(16):
                u = (file["samples"][r::16, column] - lower) / (upper - lower)
                self.assertEqual(sorted((u * 10).astype(int)), list(range(10)))
        found = self.run_program("run", QUICK, *options, "-n", 320, "--resume", code=76)
        self.assertIn("there, ", found.stderr)

    def test_draws_that_are_not_even_are_refused_with_both_neighbours(self):
        for design, draws, hint in (("sobol", 1000, "512 or 1024"), ("sobol", 10, "16 is the least"),
                                    ("latin_hypercube", 1000, "992 or 1008")):
            found = self.run_program("check", QUICK, "--design", design, "-n", draws, code=65)
            self.assertIn(hint, found.stderr)
        found = self.run_program("check", QUICK, "--set", "sampling.randomisations=20", code=65)
        self.assertIn("random draws and rows of a file have none", found.stderr)
        self.assertIn("hint: add  design: sobol", found.stderr)
        found = self.run_program("run", QUICK, "--design", "sobol", "-n", 64, "--until",
                                 "half_width<0.1", code=64)
        self.assertIn("go with random ones", found.stderr)


if __name__ == "__main__":
    unittest.main()
