"""Criteria about where a body is and how it points: their values, columns, histograms, other thresholds; and what they refuse."""
import math
import unittest

import support

try:
    import h5py
    import numpy as np
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

# a box that lies still, 50 mm high, turned by 30 degrees; a crate turned by 90 degrees stands elsewhere
SCENE = """\
graspmc: 1
object: {box: [80 mm, 60 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting, pose: {x: 320 mm, y: 10 mm, yaw: 30 deg}}
scene:
  table: {plane: {height: 0 mm}, surface: wood}
  crate: {box: [50 mm, 50 mm, 50 mm], surface: wood, pose: {x: 100 mm, y: 10 mm, z: 25 mm, yaw: 90 deg}}
friction: {abs/wood: 0.4}
program: [hold: {for: 20 ms}]
success:
  at_end:
    - distance(object, [300 mm, 0 mm, 25 mm]) <= 20 mm
    - angle(object, x, y) <= 61 deg
    - angle(object, z,-z) >= 179 deg
  always: ["distance(object, [0, -200 mm, 0], crate) <= 50 mm", "angle(object, -x, -y, crate) <= 121 deg"]
uncertain: {object.pose.x: "uniform(290 mm, 330 mm)"}
sampling: {draws: 40}
output: {histograms: ["distance(object, [300 mm, 0 mm, 25 mm])", object.pose.x]}
"""
PLACE = "distance(object, [300 mm, 0 mm, 25 mm])"


class Places(support.Case):
    def test_values_and_verdicts(self):
        self.write("s.yaml", SCENE)
        self.run_program("run", "s.yaml", "-o", "s.h5", "-q")
        with h5py.File(self.folder / "s.h5") as file:
            trials, x = file["trials"][:], file["samples"][:, 0]
        # a box that rests sinks in by the give of its contacts, under a micrometre
        off = np.hypot(x - 0.3, 0.01)
        np.testing.assert_allclose(trials[PLACE], off, atol=1e-6)
        np.testing.assert_allclose(trials["angle(object, x, y)"], math.radians(60), atol=1e-6)
        np.testing.assert_allclose(trials["angle(object, z, -z)"], math.pi, atol=1e-4)  # of a unit vector's last digits: a root
        # the crate's x axis is the world's y: the object is at (0, -(x - 100 mm)) in it, 25 mm above its middle's height
        np.testing.assert_allclose(trials["max(distance(object, [0, -200 mm, 0], crate))"], abs(x - 0.3), atol=1e-6)
        # its own -x points to 210 degrees, the crate's -y to 0
        np.testing.assert_allclose(trials["max(angle(object, -x, -y, crate))"], math.radians(150), atol=1e-6)
        self.assertEqual(trials.dtype.names.count(PLACE), 1)

    def test_counts_and_other_thresholds(self):
        self.write("s.yaml", SCENE.replace("121 deg", "151 deg"))
        self.run_program("run", "s.yaml", "-o", "s.h5", "-q")
        with h5py.File(self.folder / "s.h5") as file:
            x = file["samples"][:, 0]
        off = np.hypot(x - 0.3, 0.01)
        found = self.run_json("show", "s.h5")
        self.assertEqual(found["success"]["successes"], int((off <= 0.02).sum()))
        self.assertTrue(0 < (off <= 0.012).sum() < (off <= 0.02).sum() < 40)
        other = self.run_json("show", "s.h5", "--success", "distance(object,[300 mm,0 mm,25 mm]) <= 12 mm")
        self.assertEqual(other["success"]["successes"], int((off <= 0.012).sum()))
        axis, = [h["axes"][0] for h in found["histograms"] if h["axes"][0]["name"] == PLACE]
        self.assertEqual((axis["unit"], axis["absent"]), ("m", 0))

    def test_planar(self):
        """In planar worlds a place is [x, y]."""
        self.write("p.yaml", """graspmc: 1
world: planar-support
object: {box: [40 mm, 20 mm, 10 mm], mass: 0.1 kg, surface: abs, pose: {x: 30 mm, y: 40 mm, yaw: 20 deg}, support: {disk: {radius: 10 mm}, friction: 0.3}}
friction: {abs/abs: 0.4}
program: [hold: {for: 20 ms}]
success: {at_end: ["distance(object, [0 mm, 0 mm]) <= 60 mm", "angle(object, x, y) >= 69 deg", "distance(object, [1 mm, 2 mm], object) >= 2 mm"]}
""")
        self.run_program("run", "p.yaml", "-n", 1, "-o", "p.h5", "-q")
        with h5py.File(self.folder / "p.h5") as file:
            row = file["trials"][0]
        self.assertAlmostEqual(row["distance(object, [0 mm, 0 mm])"], 0.05, delta=1e-9)
        self.assertAlmostEqual(row["angle(object, x, y)"], math.radians(70), delta=1e-9)
        self.assertAlmostEqual(row["distance(object, [1 mm, 2 mm], object)"], math.hypot(1e-3, 2e-3), delta=1e-12)
        text = (self.folder / "p.yaml").read_text(encoding="utf-8").replace("[0 mm, 0 mm])", "[0 mm, 0 mm, 0 mm])")
        self.write("q.yaml", text)
        self.assertIn("q.yaml:6:49: error: expected ], found ,", self.run_program("check", "q.yaml", code=65).stderr)


if __name__ == "__main__":
    unittest.main()
