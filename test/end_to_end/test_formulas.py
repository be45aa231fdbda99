"""Named parameters, formulas and designs end to end: what a formula gives is what its numbers give."""
import math
import unittest

import h5py
import numpy as np
from support import Case

# a disk falls on a roof whose vertices are formulas; a notch makes it three pieces, or two where it is shallow
ROOF = """\
graspmc: 1
world: planar
parameters:
  roof.width: 40 mm
  roof.angle: 20 deg
  notch.depth: 4 mm
  disk.radius: 3 mm
object:
  circle: {{radius: disk.radius}}
  density: 2700 kg/m3
  thickness: 4 mm
  surface: a
  pose: {{x: roof.width / 4, y: roof.width * tan(roof.angle) + disk.radius + 5 mm}}
scene:
  roof:
    polygon:
      - [-roof.width / 2, -20 mm]
      - [roof.width / 2, -20 mm]
      - [roof.width / 2, 0 mm]
      - [roof.width / 8, roof.width * tan(roof.angle) * 3 / 8]
      - [0 mm, roof.width * tan(roof.angle) / 2 - notch.depth]
      - [-roof.width / 8, roof.width * tan(roof.angle) * 3 / 8]
      - [-roof.width / 2, 0 mm]
    surface: a
friction: {{a/a: 0.2}}
program: [hold: {{for: 0.3 s}}]
success: {{at_end: ["contact(object, roof) >= 1"]}}
sampling: {{draws: 6, seed: 5}}
simulation: {{half_step: 0, early: {{audit: 0}}}}
output: {{trajectories: all}}
{rest}
"""
# the object's own polygon: a house with a ridge that chance moves
HOUSE = """\
graspmc: 1
world: planar-support
gravity: [0, 0, -9.81]
parameters: {{ridge.height: 20 mm}}
object:
  polygon: [[-10 mm, -10 mm], [10 mm, -10 mm], [10 mm, 5 mm], [0 mm, {ridge}], [-10 mm, 5 mm]]
  density: 2700 kg/m3
  thickness: 4 mm
  surface: a
  support: {{points: [[-8 mm, -8 mm], [8 mm, -8 mm], [0 mm, 8 mm]], friction: 0.3}}
  push: {{x: [[0 s, 0.2 N], [0.2 s, 0.2 N]]}}
friction: {{a/a: 0.2}}
program: [hold: {{for: 0.2 s}}]
success: {{at_end: [moved(object) >= 1 mm]}}
{rest}
"""


class Formulas(Case):
    def rows(self, name):
        with h5py.File(self.folder / name) as file:
            return file["trials"][:], file["samples"][:], file["trajectories/bodies/object/pose"][:]

    def test_formulas_are_their_numbers(self):
        rest = ("study:\n  vary:\n    roof.angle: [10 deg, 30 deg]\n    notch.depth: [-1 mm, 4 mm]\n"
                "uncertain:\n  disk.radius: uniform(2 mm, 4 mm)\n")
        self.write("roof.yaml", ROOF.format(rest=rest))
        self.run_program("run", "roof.yaml", "-o", "roof.h5", "-q")
        trials, samples, _ = self.rows("roof.h5")
        self.assertEqual(len(trials), 24)
        self.assertTrue((trials["reason"] == 0).all())
        seen = set()
        for row in (0, 5, 10, 15, 23):
            angle, depth, radius = samples[row].tolist()
            values = {"roof.angle": f"{angle!r} rad", "notch.depth": f"{depth!r} m",
                      "disk.radius": f"{radius!r} m"}
            sets = [word for path, value in values.items() for word in ("--set", f"{path}={value}")]
            self.write("one.yaml", ROOF.format(rest=""))
            self.run_program("run", "one.yaml", "-o", "one.h5", "-q", "--force", "-n", 1, *sets)
            one = self.rows("one.h5")[0][0]
            for column in set(trials.dtype.names) - {"trial", "case", "draw"}:
                np.testing.assert_equal(trials[row][column], one[column], column)
            seen.add((angle, depth))
        self.assertGreater(len(seen), 2)

    def test_vertices_are_set_by_path(self):
        self.write("house.yaml", HOUSE.format(ridge="20 mm", rest=""))
        self.run_program("run", "house.yaml", "-o", "a.h5", "-q", "-n", 1, "--set",
                         "object.polygon.3.y=25 mm", "--set", "object.polygon.2.x=12 mm")
        self.write("written.yaml", HOUSE.format(ridge="25 mm", rest="").replace("[10 mm, 5 mm]",
                                                                               "[12 mm, 5 mm]"))
        self.run_program("run", "written.yaml", "-o", "b.h5", "-q", "-n", 1)
        self.assertEqual(self.rows("a.h5")[0].tobytes(), self.rows("b.h5")[0].tobytes())
        said = self.run_program("check", "house.yaml", "--set", "object.polygon.9.x=1 mm", code=65).stderr
        self.assertIn("no such element", said)

    def test_mass_follows_a_drawn_polygon(self):
        rest = "uncertain:\n  ridge.height: uniform(12 mm, 30 mm)\nsampling: {draws: 5}\n" \
               "output: {trajectories: all, rate: 0}"
        self.write("house.yaml", HOUSE.format(ridge="ridge.height", rest=rest))
        self.run_program("run", "house.yaml", "-o", "house.h5", "-q")
        with h5py.File(self.folder / "house.h5") as file:
            ridge = file["samples"][:, 0]
            index = file["trajectories/index"][:]
            times = file["trajectories/time"][:]
            twist = file["trajectories/bodies/object/twist"][:]
        for height, row in zip(ridge, index):
            part = slice(row["offset"], row["offset"] + row["length"])
            mass = 2700 * 0.004 * (0.02 * 0.015 + 0.02 * (height - 0.005) / 2)
            force = 0.2 - 0.3 * 9.81 * mass  # three points that slide together
            self.assertGreater(force, 0)
            # velocity, friction and push are all constant: exact in every step once it slides
            speed, t = twist[part][:, 0], times[part]
            slope = (speed[-1] - speed[len(speed) // 2]) / (t[-1] - t[len(speed) // 2])
            # it turns a little about its unevenly loaded points, which costs a share of friction
            self.assertAlmostEqual(slope * mass / force, 1, delta=0.02)

    def test_a_polygon_that_crosses_itself_is_unsolved(self):
        rest = "uncertain:\n  ridge.height: one_of(20 mm, -40 mm)\nsampling: {draws: 40}\n"
        self.write("house.yaml", HOUSE.format(ridge="ridge.height", rest=rest))
        self.run_program("run", "house.yaml", "-o", "house.h5", "-q")
        with h5py.File(self.folder / "house.h5") as file:
            ridge, trials = file["samples"][:, 0], file["trials"][:]
            names = h5py.check_enum_dtype(file["trials"].dtype["outcome"])
        unsolved = trials["outcome"] == names["unsolved"]
        self.assertTrue((unsolved == (ridge < 0)).all())
        self.assertTrue(unsolved.any() and not unsolved.all())

    def test_designs(self):
        rest = ("study:\n  vary:\n    roof.angle: between(10 deg, 30 deg)\n    roof.width: between(30 mm, 60 mm)\n"
                "  designs: 12\n  require: [roof.width * tan(roof.angle) >= 8 mm]\n"
                "uncertain:\n  disk.radius: uniform(2 mm, 4 mm)\n")
        self.write("roof.yaml", ROOF.format(rest=rest))
        answers = []
        for jobs in (1, 2):
            self.run_program("run", "roof.yaml", "-o", f"{jobs}.h5", "-q", "-j", jobs)
            answers.append((self.folder / f"{jobs}.h5").read_bytes())
        self.assertEqual(answers[0] == answers[1], True)
        with h5py.File(self.folder / "1.h5") as file:
            cases = file["cases"][:]
            samples = file["samples"][:]
        self.assertEqual(len(cases), 12)
        self.assertEqual(len(samples), 72)
        angle, width = samples[:12, 0], samples[:12, 1]
        self.assertTrue((width * np.tan(angle) >= 0.008).all())
        self.assertTrue((angle >= math.radians(10)).all() and (angle <= math.radians(30)).all())
        self.assertEqual(len(set(angle)), 12)
        self.run_program("replay", "1.h5", "--trial", 7)


if __name__ == "__main__":
    unittest.main()
