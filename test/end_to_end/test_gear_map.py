"""The grasp map of the gear, maps held against each other cell by cell (test_grasp_map.py looks at one): mirrored, by
one worker and by two, of few draws and of many, with the friction of the fingers one class higher.

Short: a grid of 5 mm. Long: the scenario's own, with GRASPMC_DRAWS draws a cell.
"""
import math
import os
import unittest

import h5py
import numpy as np

from support import SCENARIOS, Case

DRAWS = int(os.environ.get("GRASPMC_DRAWS", "0"))
IS_LONG = DRAWS > 0

# the study anew: of a scenario that is used whatever follows replaces
MAP = """graspmc: 1
use: {scenario}
study:
  vary:
    hand.target.x: grid(-10 mm, 10 mm, step {step} mm)
    hand.target.y: grid(-10 mm, 10 mm, step {step} mm)
{rest}
"""
HIGH = """uncertain:
  object.support.points: tripod(disk 15 mm)
  object.support.friction: uniform(0.33, 0.66)
  friction.finger/part: uniform(0.66, 0.99)
"""


class GearMap(Case):
    def grid(self, name, step, draws, *words, rest=""):
        """Successes (draw, y, x) of a map, where no trial may be unsolved."""
        self.write(f"{name}.yaml", MAP.format(scenario=SCENARIOS / "gear_map.yaml", step=step, rest=rest))
        found = self.run_json("run", f"{name}.yaml", "-n", draws, "-o", f"{name}.h5", "--progress", "none",
                              *words, timeout=None)
        self.assertEqual(found["success"]["unsolved"], 0)
        with h5py.File(self.folder / f"{name}.h5") as file:
            self.assertTrue(file.attrs["complete"])
            trials, cases = file["trials"][:], file["cases"][:]
        side = math.isqrt(len(cases))
        self.assertEqual(len(trials), draws * side * side)
        # the first varied value changes slowest
        x = cases["hand.target.x"].reshape(side, side)
        self.assertTrue((np.diff(x[:, 0]) > 0).all() and (np.ptp(x, axis=1) == 0).all())
        success = trials["success"].reshape(draws, side, side).transpose(0, 2, 1)
        return success.astype(float)

    def assert_same_within(self, a, b, n_a, n_b, share):
        """Two maps of proportions, cell by cell within three standard deviations of their difference
        (Agresti and Caffo's, which does not vanish at 0 and 1), in at least this share of the cells."""
        def variance(p, n):
            q = (p * n + 1) / (n + 2)
            return q * (1 - q) / (n + 2)
        limit = 3 * np.sqrt(variance(a, n_a) + variance(b, n_b))
        self.assertGreaterEqual((abs(a - b) <= limit).mean(), share)

    def check_shape(self, success, step):
        """Mirror symmetric, best at the middle line, lost far from it."""
        draws = len(success)
        p = success.mean(0)
        # the gear is symmetric to both axes, and so are the chances of where it lies
        self.assert_same_within(p, p[::-1], draws, draws, 0.99)
        self.assert_same_within(p, p[:, ::-1], draws, draws, 0.99)
        y = np.arange(-10, 10 + step, step)
        centre = p[len(y) // 2, len(y) // 2]
        self.assertGreater(centre, 0.9)
        self.assertTrue((p[abs(y) >= 9] <= centre).all())
        return p

    def check_friction(self, step, draws):
        """z of the mean over the draws of what the next class of friction changes: tips that rub more do not slide
        off the flank they met."""
        medium = self.grid("medium", step, draws)
        high = self.grid("high", step, draws, rest=HIGH)
        difference = (high - medium).mean((1, 2))  # the same chances in both
        z = difference.mean() / (difference.std(ddof=1) / math.sqrt(draws))
        print(f"high friction changes the share by {difference.mean():+.4f}, z {z:+.1f}")
        return z

    @unittest.skipIf(IS_LONG, "the short version")
    def test_fixed_points_and_two_classes_of_friction(self):
        """[berard2007], Figures 7 and 8: with points that lie mirrored in y the map does, and high friction of the fingers
        takes no success away but adds some, where tips lean off corners."""
        found = []
        for grip in (0.33, 0.66):
            self.run_program("run", SCENARIOS / "gear_map_fixed.yaml", "-n", 8, "-o", f"{grip}.h5", "-q",
                             "--set", f"parameters.grip.class={grip}", "--set", "study.vary.hand.target.x=grid(-10 mm, 10 mm, step 5 mm)")
            with h5py.File(self.folder / f"{grip}.h5") as file:
                trials, samples = file["trials"][:], file["samples"][:]
                names = [name.decode() for name in file["parameters"]["name"]]
            self.assertTrue((trials["valid"] == 1).all())
            self.assertEqual(len(trials), 5 * 21 * 8)
            self.assertFalse([name for name in names if "support.points" in name])
            within = samples[:, names.index("grip.within")]
            self.assertTrue(((within > 0) & (within <= 1)).all())
            success = trials["success"].reshape(8, 5, 21).transpose(1, 2, 0).astype(float)
            np.testing.assert_array_equal(success, success[:, ::-1])
            held, recess = trials["success"] == 1, trials["recess(object)"]
            self.assertLess(recess[held].max(), 1.6e-3)
            self.assertGreater(recess[~held & (trials["opposed(object)"] >= np.radians(160))].min(), 2.6e-3)
            found.append((success, recess, held))
        medium, high = (success for success, _, _ in found)
        self.assertTrue((high >= medium).all())
        self.assertGreater((high - medium).mean(), 0.005)
        # what both hold on edges themselves is the same: it is a matter of where the jaw closes
        on_edge = [held & (recess < 1e-5) for _, recess, held in found]
        np.testing.assert_array_equal(*on_edge)

    @unittest.skipIf(IS_LONG, "the short version")
    def test_planned_grasps(self):
        """A hierarchy finds the best grasp that the last level alone finds, with fewer of its steps; it closes in the middle. A level
        at which all tie, for all can start, leaves out none."""
        best, steps = [], []
        for ladder in ("[dynamic]", "[{name: coarse, step: 16 ms}, dynamic]", "[geometric, dynamic]"):
            self.run_program("run", SCENARIOS / "gear_plan.yaml", "-o", "plan.h5", "--force", "-q", "--set", f"study.ladder={ladder}",
                             "--set", "study.designs=100", "--set", "study.draws.last=32")
            with h5py.File(self.folder / "plan.h5") as file:
                trials, cases, levels = file["trials"][:], file["cases"][:], file["ladder/trials"][:]
                rejected = file["ladder/levels"]["rejected"][0]
            self.assertTrue((trials["valid"] == 1).all())
            if "geometric" in ladder:
                self.assertTrue((trials["success"][levels["level"] == 0] == 1).all())
                self.assertEqual(rejected, 0)
            last = trials[levels["level"] == levels["level"].max()]
            tried = np.bincount(last["case"], minlength=len(cases))
            won = np.bincount(last["case"], weights=last["success"], minlength=len(cases))
            share = np.where(tried == 32, won / 32, 0)
            best.append(int(share.argmax()))
            steps.append(trials["steps"].sum())
            self.assertGreater(share.max(), 0.7)
            self.assertLess(abs(cases["hand.target.y"][best[-1]]), 1.5e-3)
        self.assertEqual(best, 3 * best[:1])
        self.assertLess(steps[1], 0.85 * steps[0])  # all levels and audits counted

    @unittest.skipIf(IS_LONG, "the short version")
    def test_coarse(self):
        success = self.grid("one", 5, 30, "-j", 1)
        self.check_shape(success, 5)
        self.grid("two", 5, 30, "-j", 2)
        self.assert_same_bytes("one.h5", "two.h5")

    @unittest.skipUnless(IS_LONG, "GRASPMC_DRAWS")
    def test_whole(self):
        success = self.grid("one", 1, 100, "-j", 1)
        self.assertEqual(self.check_shape(success, 1).shape, (21, 21))
        self.grid("two", 1, 100, "-j", 2)
        self.assert_same_bytes("one.h5", "two.h5")

    @unittest.skipUnless(IS_LONG, "GRASPMC_DRAWS")
    def test_more_draws_change_little(self):
        success = self.grid("more", 1, DRAWS)
        few = success[:100].mean(0)
        self.assert_same_within(few, success[100:].mean(0), 100, DRAWS - 100, 0.99)

    @unittest.skipUnless(IS_LONG, "GRASPMC_DRAWS")
    def test_friction_of_the_fingers(self):
        self.assertGreater(self.check_friction(2, DRAWS), 5)  # +24 over every fourth millimetre, 400 draws


if __name__ == "__main__":
    unittest.main()
