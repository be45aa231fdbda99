"""The probabilistic grasp map of a gear ([berard2007] §V-C): its intervals, what it samples, what counts as success,
and the rigid steppers on it.

GRASPMC_CELLS=441 runs the whole map of 441 cells and 100 draws instead of nine of its cells.
"""
import math
import os
import re
import unittest

import h5py
import numpy as np

from support import SCENARIOS, Case, capability

MAP = SCENARIOS / "gear_map.yaml"
ALL = os.environ.get("GRASPMC_CELLS") == "441"
NINE = [word for axis in "xy" for word in ("--set", f"study.vary.hand.target.{axis}=grid(-10 mm, 10 mm, step 10 mm)")]
TIP, RADIUS = 3.5e-3, 20.5e-3  # of a tooth: width of its outer edge, distance of its corners from the middle

# where the gear is when the tips have closed along the line y = 0 (mm, mm, degrees): a tip is on the outer edge of a
# tooth if the line meets the edge, which is 3.5 mm wide, at both sides
HELD = [(0, 0, 0), (0, 1, 0), (0, -1, 0), (2, 0, 0), (-3, 0, 0), (0, 0, 3), (0, 0, -4), (0, 0, -2), (2.5, 0.5, -1),
        (1, -0.5, 2)]
NOT_HELD = [(0, 0, 15), (0, 0, 10), (0, 0, -10), (3, -6, 12),  # between two teeth, on their corners
            (0, 6, 0), (0, -7, 0), (0, 4.5, 0),                 # beside the middle teeth
            (0, 9, 0), (0, 12, 0),                              # on teeth that are not opposite
            (0, 26, 0)]                                         # on nothing
TURN = "  push: {torque: [[0 s, 0], [50 ms, 0], [100 ms, 0]]}\n"
CLAMPED = """
gravity: [0, 0, -1e-9]
sampling: {design: {csv: states.csv}}
output: {trajectories: all, rate: 0}
"""


def kolmogorov(values, lower, upper):
    """Probability that uniform values deviate as far as these (Kolmogorov's limit, Stephens' correction)."""
    u = np.sort((np.asarray(values) - lower) / (upper - lower))
    n = len(u)
    off = max((np.arange(1, n + 1) / n - u).max(), (u - np.arange(n) / n).max())
    x = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * off
    return min(1, 2 * sum((-1)**(k - 1) * math.exp(-2 * (k * x)**2) for k in range(1, 101)))


class GraspMap(Case):
    def read(self, name):
        with h5py.File(self.folder / name) as file:
            names = [text.decode() for text in file["parameters"]["name"]]
            return file["trials"][:], {n: file["samples"][:, i] for i, n in enumerate(names)}, file["summary/by_case"][:]

    def test_success_map_has_narrow_intervals(self):
        """441 cells, half widths of at most 0.10 at 100 trials; the middle is no worse than any cell 9 mm beside it."""
        said = re.search(r"44100 = (\d+) cases x 100 draws", self.run_program("check", MAP).stdout)
        capability(83, int(said[1]), ">=", 441)
        self.run_program("run", MAP, "-o", "map.h5", "-q", *([] if ALL else NINE))
        trials, samples, cells = self.read("map.h5")
        self.assertEqual(int((trials["valid"] == 0).sum()), 0)
        cells = cells[::2]  # the first of each case is the one that is printed
        self.assertEqual(len(cells), 441 if ALL else 9)
        self.assertTrue((cells["n"] == 100).all())
        capability(83, ((cells["hi"] - cells["lo"]) / 2).max(), "<=", 0.10)
        x, y = (np.array([samples[f"hand.target.{axis}"][trials["case"] == case][0] for case in cells["case"]])
                for axis in "xy")
        middle = cells["p"][(abs(x) < 1e-9) & (abs(y) < 1e-9)]
        self.assertTrue((middle >= cells["p"][abs(y) > 8.99e-3]).all())
        self.assertEqual(float(middle[0]), 1)

    def test_friction_and_tripods_are_sampled_as_stated(self):
        """Frictions in (0.33, 0.66] and three points in a disk around the centre of mass; Kolmogorov-Smirnov p > 0.01."""
        one = [word for axis in "xy" for word in ("--set", f"study.vary.hand.target.{axis}=[0 mm]")]
        # nothing moves: what is drawn is of interest, not what becomes of it
        self.run_program("run", MAP, "-o", "drawn.h5", "-q", "-n", 2000, *one, "--set", "program.0.close.for=1 ms",
                         "--set", "program.1.hold.for=1 ms")
        _, samples, _ = self.read("drawn.h5")
        for name in ("object.support.friction", "friction.finger/part"):
            capability(84, ((samples[name] <= 0.33) | (samples[name] > 0.66)).sum(), "<=", 0)
            capability(84, kolmogorov(samples[name], 0.33, 0.66), ">=", 0.01)
        both = np.corrcoef(samples["object.support.friction"], samples["friction.finger/part"])[0, 1]
        self.assertLess(abs(both), 4 / math.sqrt(2000))  # independent: four standard deviations
        points = np.stack([np.stack([samples[f"object.support.points.{k}.{axis}"] for axis in "xy"], axis=-1)
                           for k in range(3)], axis=1)
        # whether the middle is inside is up to the directions; the distances are those of single points in a disk
        radius, angle = np.hypot(*points.T).T, np.arctan2(points[:, :, 1], points[:, :, 0])
        for k in range(3):
            capability(84, kolmogorov(radius[:, k]**2, 0, 0.015**2), ">=", 0.01)
            capability(84, kolmogorov(angle[:, k], -math.pi, math.pi), ">=", 0.01)
        x, y = points[:, :, 0], points[:, :, 1]
        sides = x * np.roll(y, -1, 1) - y * np.roll(x, -1, 1)
        self.assertTrue((np.sign(sides) == np.sign(sides[:, :1])).all())

    def is_on_opposite_edges(self, points):
        """From contact points in the gear's frame alone: tips on outer edges of teeth, 180 +- 20 degrees apart."""
        found = []
        for x, y in points:
            turn = math.radians(30) * round(math.atan2(y, x) / math.radians(30))
            out, along = math.cos(turn) * x + math.sin(turn) * y, math.cos(turn) * y - math.sin(turn) * x
            edge = math.sqrt(RADIUS**2 - (TIP / 2)**2)
            if abs(out - edge) < 2e-5 and abs(along) < TIP / 2 - 2e-5:  # 5 N on 1e6 N/m are 5 um
                found.append(math.degrees(math.atan2(y, x)))
        apart = [abs((a - b + 180) % 360 - 180) for a in found for b in found]
        return any(abs(angle - 180) <= 20 for angle in apart)

    def test_goal_at_the_tooth_edges(self):
        """20 hand-made end states classified right, by the scenario and from the contacts themselves."""
        (self.folder / "models").symlink_to(SCENARIOS / "models")
        text = MAP.read_text(encoding="utf-8").split("\nuncertain:")[0] + CLAMPED
        # an impulse of the torque over c rho^2 turns the gear on a viscous plane, to which weight then clamps it
        text = text.replace("friction: 0.5}\nfriction", "friction: 1000, viscous: 1 N*s/m}\n" + TURN + "friction")
        text = text.replace("program:\n", "program:\n  - hold: {for: 1 s}\n  - set: {gravity.z: -9.81 m/s2}\n")
        self.write("clamped.yaml", text)
        states = HELD + NOT_HELD
        self.write("states.csv", "object.pose.x [mm],object.pose.y [mm],object.push.torque.1.value\n"
                   + "".join(f"{x},{y},{math.radians(yaw) * 0.01**2 / 0.05!r}\n" for x, y, yaw in states))
        self.run_program("run", "clamped.yaml", "-o", "clamped.h5", "-q")
        with h5py.File(self.folder / "clamped.h5") as file:
            trials, t = file["trials"][:], file["trajectories"]
            wrong = 0
            owners = [body.decode() for body in t["contacts/geom_names"]["body"]]
            for (x, y, yaw), row, index in zip(states, trials, t["index"][:]):
                with self.subTest(state=(x, y, yaw)):
                    last = int(index["offset"] + index["length"]) - 1
                    pose = t["bodies/object/pose"][last]
                    turned = [0, 0, math.sin(math.radians(yaw) / 2)]
                    self.assertLess(np.abs(pose[:2] - [x / 1e3, y / 1e3]).max(), 1e-5)  # the turn is not quite about its middle
                    self.assertLess(np.abs(pose[4:] - turned).max(), 1e-3)
                    part = slice(int(t["contacts/start"][last]), int(t["contacts/start"][last + 1]))
                    mine = ["object" in (owners[a], owners[b]) for a, b in t["contacts/geoms"][part]]
                    away = t["contacts/point"][part][np.array(mine, bool)][:, :2] - pose[:2]
                    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
                    seen = self.is_on_opposite_edges([(c * px + s * py, c * py - s * px) for px, py in away])
                    wanted = (x, y, yaw) in HELD
                    wrong += bool(row["success"]) != wanted
                    self.assertEqual(seen, wanted)
        self.assertEqual(len(trials), 20)
        capability(85, wrong, "<=", 0)

    def test_rigid_steppers_leave_nothing_unsolved(self):
        """Residual of at most 1e-8, no unsolved LCP in the map."""
        draws = 100 if ALL else 4
        for stepper in ("stewart_trinkle", "anitescu_potra"):
            with self.subTest(stepper=stepper):
                self.run_program("run", MAP, "-o", f"{stepper}.h5", "-q", "-n", draws, "--stepper", stepper,
                                 *([] if ALL and stepper == "stewart_trinkle" else NINE), timeout=None)
                trials, _, _ = self.read(f"{stepper}.h5")
                capability(76, (trials["valid"] == 0).sum(), "<=", 0)
                self.assertEqual(int(trials["retries"].sum()), 0)
                capability(76, trials["max_residual"].max(), "<=", 1e-8)


if __name__ == "__main__":
    unittest.main()
