"""Draws that fill the space evenly: as good as they say, and better than random ones."""
import json
import os
import statistics
import unittest

import h5py
import numpy as np

from support import QUICK, ROOT, Case

REPETITIONS = int(os.environ.get("GRASPMC_REPETITIONS", "4"))
SCENARIO = ROOT / "scenarios/pinch_cube.yaml" if REPETITIONS > 10 else QUICK

TRIPOD = """\
graspmc: 1
world: planar-support
object:
  polygon: [[-50 mm, -50 mm], [100 mm, -50 mm], [-50 mm, 100 mm]]
  mass: 1 kg
  surface: block
  support: {points: [[10 mm, 0 mm], [-5 mm, 8.66 mm], [-5 mm, -8.66 mm]], friction: 0.5}
friction: {block/block: 0.5}
program: [hold: {for: 2 ms}]
success: {at_end: [moved(object) >= 0 mm]}
uncertain: {object.support.points: "tripod(disk 15 mm)"}
simulation: {step: 2 ms, half_step: 0}
output: {trajectories: none}
"""


def of_tripods(points):
    """What a tripod is like, (n) each: a place, two distances, its area, a side, how near to tipping it is."""
    p = points.reshape(-1, 3, 2)
    after = np.roll(p, -1, 1)
    twice = p[..., 0] * after[..., 1] - p[..., 1] * after[..., 0]
    return {"x": p[:, 0, 0], "r0": np.hypot(*p[:, 0].T), "r2": np.hypot(*p[:, 2].T), "area": abs(twice.sum(1)),
            "side": np.linalg.norm(after[:, 1] - p[:, 1], axis=1), "least": abs(twice).min(1)}


class Designs(Case):
    def test_a_tripod_is_placed_by_the_design(self):
        n, found = 4096, {}
        self.write("tripod.yaml", TRIPOD)
        for design in ("random", "sobol", "latin_hypercube"):
            self.run_program("run", "tripod.yaml", "-n", n, "--design", design, "-o", f"{design}.h5", "-q")
            with h5py.File(self.folder / f"{design}.h5") as file:
                found[design] = of_tripods(file["samples"][:])
        for design, gain in (("sobol", 8), ("latin_hypercube", 1)):
            for name, at_random in found["random"].items():
                values = found[design][name]
                # the same law: two samples by Kolmogorov and Smirnov, 1.95 for 1 in 1000 of independent ones
                every = np.sort(np.concatenate([values, at_random]))
                apart = abs(np.searchsorted(np.sort(values), every, "right") -
                            np.searchsorted(np.sort(at_random), every, "right")).max() / n
                self.assertLess(apart, 1.95 * (2 / n) ** 0.5, (design, name))
                # and its means are nearer to each other over the 16 randomisations
                means = [values[r::16].mean() for r in range(16)]
                self.assertGreater(at_random.var() / (n / 16) / np.var(means, ddof=1), gain, (design, name))
        # beside another line
        many = TRIPOD.replace("uncertain: {", "uncertain: {\n  friction.block/block: \"uniform(0.4, 0.5)\",\n  ")
        self.write("many.yaml", many)
        self.run_program("run", "many.yaml", "-n", 64, "--design", "sobol", "-j", 2, "-o", "two.h5", "-q")
        self.run_program("run", "many.yaml", "-n", 64, "--design", "sobol", "-j", 1, "-o", "one.h5", "-q")
        self.assert_same_bytes("one.h5", "two.h5")

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
        # and the error that is claimed is the one that is made: chi-square, 0.1 % and 99.9 %, of 3 degrees of freedom or 49
        spread = statistics.variance(e["p"] for e in found) / claimed ** 2
        self.assertLess(spread, {4: 5.4}.get(REPETITIONS, 1.75))
        self.assertGreater(spread, {4: 0.008}.get(REPETITIONS, 0.47))

    def test_the_same_for_any_workers_shards_and_growth(self):
        design = ["--design", "sobol"]
        self.run_program("run", QUICK, *design, "-n", 64, "-o", "one.h5", "-j", 1, "-q")
        for i in (1, 2, 3):
            self.run_program("run", QUICK, *design, "-n", 64, "--shard", f"{i}/3", "-o", f"{i}.h5", "-q")
        self.run_program("merge", "2.h5", "3.h5", "1.h5", "-o", "all.h5", "-q")
        self.assert_same_bytes("one.h5", "all.h5")
        self.run_program("run", QUICK, *design, "-n", 32, "-o", "grown.h5", "-q")
        grown = self.run_program("run", QUICK, *design, "-n", 64, "-o", "grown.h5", "--progress", "none", "--resume")
        self.assert_same_bytes("one.h5", "grown.h5")
        # the answer was looked at before
        self.assertIn("note: the first 32 trials had their answer before", grown.stderr)
        again = self.run_program("run", QUICK, *design, "-n", 64, "-o", "grown.h5", "--progress", "none", "--resume")
        self.assertNotIn("note", again.stderr)
        with h5py.File(self.folder / "one.h5") as file:
            (row,) = file["summary/estimates"][:]
            self.assertEqual(row["method"], b"KG of replicas")
            self.assertEqual(row["draws"], 16)
            self.assertEqual(row["is_widened"], 0)
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
        self.assertIn("only designs have them, not random draws or rows of a file", found.stderr)
        self.assertIn("hint: add  design: sobol", found.stderr)
        found = self.run_program("run", QUICK, "--design", "sobol", "-n", 64, "--until",
                                 "half_width<0.1", code=64)
        self.assertIn("need random draws", found.stderr)


if __name__ == "__main__":
    unittest.main()
