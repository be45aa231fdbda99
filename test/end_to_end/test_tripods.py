"""Measured pushes ([zhou2016]) against more than 100 sampled tripods each: where the block rests is unknown, as in
[berard2007] §V-B, whose own measurements are not public. Prints mean squared errors of the end per log."""
import csv
import math
import unittest

import h5py
import numpy as np

from support import ROOT, SCENARIOS, Case, capability

PUSHES = ROOT / "test/data/pushes/pushes.csv"
TRIPODS = 102  # a log; more than 100
FRICTION = {"hardboard": 0.282, "plywood": 0.336}
# corner frame; the mass centre is at (0.05, 0.05) m
KNOWN = {"3pts1": [(0.03, 0.03), (0.06333, 0.04333), (0.04333, 0.06333)], "3pts2": [(0.01, 0.01), (0.13, 0.01), (0.01, 0.13)],
         "3pts3": [(0.03, 0.03), (0.09, 0.03), (0.03, 0.09)], "3pts4": [(0.01, 0.01), (0.09, 0.03), (0.01, 0.13)]}
BLOCK = np.array([[-0.05, -0.05], [0.1, -0.05], [-0.05, 0.1]])
PUSH = """\
graspmc: 1
world: planar-support
object:
  polygon: [[-50 mm, -50 mm], [100 mm, -50 mm], [-50 mm, 100 mm]]
  mass: 1.518 kg
  surface: block
  pose: {{x: {pre_x_m}, y: {pre_y_m}, yaw: {pre_theta_rad}}}
  support: {{points: {points}, friction: {mu}}}
scene:
  tip: {{circle: {{radius: 1 mm}}, surface: tip,
        path: {{x: [[0 s, {tip_x0_m}], [{duration_s} s, {tip_x1_m}]], y: [[0 s, {tip_y0_m}], [{duration_s} s, {tip_y1_m}]]}}}}
friction: {{block/tip: 0.5, tip/tip: 0.5}}
program: [hold: {{for: {duration_s} s}}]
success: {{at_end: [moved(object) >= 0 mm]}}
simulation: {{step: 20 ms, half_step: 0, early: {{falling: false, rest: false, broken: false}}}}
output: {{trajectories: all, rate: 0.01 Hz}}
{rest}
"""


def sample_tripods(count):
    """Three points anywhere below the block, around its mass centre; (count, 6)."""
    random, found = np.random.default_rng(1), []
    while len(found) < count:
        points = random.dirichlet([1, 1, 1], 3) @ BLOCK  # uniform in a triangle
        sides = points[:, 0] * np.roll(points[:, 1], -1) - points[:, 1] * np.roll(points[:, 0], -1)
        if (sides > 1e-5).all() or (sides < -1e-5).all():
            found.append(points.ravel())
    return np.array(found)


class Tripods(Case):
    def ends(self, row, rest):
        """Errors of the end, (n, 2): of the place [m], of the angle [rad]."""
        points = [[x - 0.05, y - 0.05] for x, y in KNOWN[row["support"]]]
        self.write("push.yaml", PUSH.format(**row, points=points, mu=FRICTION[row["surface"]], rest=rest))
        self.run_program("run", "push.yaml", "-o", "push.h5", "-q", "--force")
        with h5py.File(self.folder / "push.h5") as file:
            self.assertTrue((file["trials"]["valid"] == 1).all())
            t = file["trajectories"]
            last = [int(i["offset"] + i["length"]) - 1 for i in t["index"][:]]
            pose = t["bodies/object/pose"][:][last]
        turn = 2 * np.arctan2(pose[:, 6], pose[:, 3]) - float(row["post_theta_rad"])
        return np.stack([np.hypot(pose[:, 0] - float(row["post_x_m"]), pose[:, 1] - float(row["post_y_m"])),
                         (turn + math.pi) % (2 * math.pi) - math.pi], axis=1)

    def test_measured_pushes_against_sampled_tripods(self):
        with open(PUSHES, encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["push"] == "1" and row["support"] in KNOWN]
        self.assertEqual(len(rows), 6)
        known, sampled, best = [], [], []
        np.savetxt(self.folder / "tripods.csv", sample_tripods(TRIPODS), delimiter=",", comments="",
                   header=",".join(f"object.support.points.{k}.{axis}" for k in range(3) for axis in "xy"))
        print("log               tripods   MSE [mm^2] [deg^2]   best [mm] [deg]   known [mm] [deg]")
        for row in rows:
            scale = np.array([1e3, 180 / math.pi])
            own = np.abs(self.ends(row, "sampling: {draws: 1}"))[0] * scale
            errors = self.ends(row, "sampling: {design: {csv: tripods.csv}}") * scale
            capability(82, len(errors), ">=", 101)
            known.append(own**2)
            sampled.append((errors**2).mean(axis=0))
            best.append(np.abs(errors[(errors**2).sum(axis=1).argmin()]))
            print(f"{row['surface']:9} {row['support']} {len(errors):8}   {sampled[-1][0]:10.3f} {sampled[-1][1]:7.3f}"
                  f"   {best[-1][0]:9.2f} {best[-1][1]:5.2f}   {own[0]:10.2f} {own[1]:5.2f}")
        # to know the points helps, and some tripods fit very well, as the paper found: as well as known ones have to
        # on average (test_measured_pushes.c)
        self.assertTrue((np.mean(known, axis=0) < np.mean(sampled, axis=0)).all())
        self.assertLess(np.mean(best, axis=0)[0], 1.40)
        self.assertLess(np.mean(best, axis=0)[1], 1.35)


if __name__ == "__main__":
    unittest.main()
