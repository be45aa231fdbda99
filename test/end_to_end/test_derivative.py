"""How motions change: with the step by second order where they are smooth, and with the scenario's numbers as they should."""
import importlib.util
import math
import os
import unittest

import numpy as np

from support import BUILD, Case, capability

spec = importlib.util.spec_from_file_location("graspmc", BUILD / "graspmc.py")
graspmc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graspmc)

LENGTH, MASS, INERTIA, DAMPING, G = 0.3, 0.8, 0.004, 0.02, 9.81

# a rod that hangs on a joint
SWING = f"""\
<robot name="swing">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod">
    <inertial><origin xyz="0 0 -{LENGTH}"/><mass value="{MASS}"/>
      <inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="pivot" type="revolute">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/><limit lower="-7" upper="7" effort="100" velocity="100"/>
  </joint>
</robot>
"""


def slide(mass=0.1, mu=0.3, force=2.0):
    """A block that slides on a floor all the time, under a force that grows, pressed on harder and harder."""
    return {
        "graspmc": 1,
        "object": {"box": ["40 mm", "30 mm", "20 mm"], "mass": mass, "surface": "a", "placed": "resting",
                   "push": {"x": [["0 s", "1 N"], ["0.5 s", force]], "z": [["0 s", "0 N"], ["0.5 s", "-1 N"]]}},
        "scene": {"floor": {"plane": {"height": 0}, "surface": "b"}},
        "friction": {"a/b": mu},
        "program": [{"hold": {"for": "0.5 s"}}],
        "success": {"at_end": ["moved(object) >= 0 mm"]},
        "simulation": {"workspace": "20 m"},
    }


def tumble():
    """A box in the air that a moment makes tumble about all its axes."""
    scenario = slide()
    scenario["scene"] = {}
    scenario["friction"] = {"a/a": 0.3}
    scenario["object"].update(placed="as_given", push={"torque": {
        "x": [["0 s", "1 mN*m"], ["0.5 s", "0 N*m"]], "y": [["0 s", "0 N*m"], ["0.5 s", "2 mN*m"]]}})
    return scenario


def swing():
    return {
        "graspmc": 1,
        "robots": {"swing": {"urdf": "swing.urdf", "surface": "a", "joints": {
            "pivot": {"start": "80 deg", "damping": DAMPING, "holds": False, "kp": 0, "kd": 0}}}},
        "object": {"sphere": {"radius": "5 mm"}, "mass": "1 g", "surface": "a", "placed": "as_given", "pose": {"x": "3 m"}},
        "scene": {"floor": {"plane": {"height": "-10 m"}, "surface": "a"}},
        "friction": {"a/a": 0.3},
        "program": [{"hold": {"for": "1 s"}}],
        "success": {"at_end": ["moved(object) >= 0 mm"]},
        "simulation": {"workspace": "20 m"},
    }


def swing_by_hand(t, g=G, damping=DAMPING, mass=MASS):
    """Angles of the rod, and their derivatives by gravity and by damping, by Runge and Kutta's rule in steps of 0.1 ms: an
    error of 1e-12. The derivatives follow from the equations' own."""
    whole = INERTIA + mass * LENGTH**2

    def rate(y):
        q, w, q_g, w_g, q_d, w_d = y
        pull = mass * LENGTH / whole
        a = -pull * g * math.sin(q) - damping / whole * w
        by_q, by_w = -pull * g * math.cos(q), -damping / whole
        return np.array([w, a, w_g, by_q * q_g + by_w * w_g - pull * math.sin(q),
                         w_d, by_q * q_d + by_w * w_d - w / whole])

    y, out, h, at = np.array([math.radians(80), 0, 0, 0, 0, 0]), [], 1e-4, 0
    for time in t:
        while at < round(time / h):
            a = rate(y)
            b = rate(y + h / 2 * a)
            c = rate(y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
            at += 1
        out.append(y[[0, 2, 4]])
    return np.array(out).T


class Derivatives(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.write("swing.urdf", SWING)

    def motion(self, scenario, step):
        result = graspmc.run(scenario, "m.h5", draws=1, trajectories="all", force=True,
                             set={"simulation.step": f"{step} ms", "output.rate": 0, "simulation.early": "{rest: false}"})
        return result.trajectory(0)

    def test_second_order_on_smooth_segments(self):
        """Half the step, a quarter of the error: a box that tumbles, a block that slides, an arm that swings."""
        for scenario, of in ((tumble(), lambda m: m.pose["object"]), (slide(), lambda m: m.pose["object"][:, :1]),
                             (swing(), lambda m: m.q[:, :1])):
            places = [of(self.motion(scenario, step))[::8 // step] for step in (8, 4, 2, 1)]
            rows = min(len(place) for place in places)
            off = [np.abs(a[:rows] - b[:rows]).max() for a, b in zip(places, places[1:])]
            for coarse, fine in zip(off, off[1:]):
                capability(86, math.log2(coarse / fine), "in", (1.9, 2.1))

    def test_a_block_that_slides(self):
        """m x'' = F - mu (m g + P), whose force F and pressure P grow evenly: its derivatives by mass, friction and force."""
        mass, mu, force, length = 0.1, 0.3, 2.0, 0.5
        for path, step, exact in (
                ("object.mass", 1e-3, lambda t: -(t**2 / 2 + (force - 1) / length * t**3 / 6 - mu / length * t**3 / 6) / mass**2),
                ("friction.a/b", 1e-2, lambda t: -G * t**2 / 2 - t**3 / 6 / length / mass),
                ("object.push.x.1.value", 0.1, lambda t: t**3 / 6 / length / mass)):
            d = graspmc.derivative(slide(mass, mu, force), path, step)
            found, right = d.pose["object"][:, 0], exact(d.motion.time)
            capability(86, np.abs(found - right).max() / np.abs(right).max(), "<=", 1e-4)
            self.assertEqual(d.value, {"object.mass": mass, "friction.a/b": mu}.get(path, force))
            self.assertLess(d.error, 1e-3 * np.abs(right).max())

    def test_an_arm_that_swings(self):
        """By gravity and damping, against the equations' own derivatives; by damping through one more half of a swing."""
        for path, step, column, sign in (("gravity.z", 0.05, 1, -1), ("robots.swing.pivot.damping", 1e-3, 2, 1)):
            d = graspmc.derivative(swing(), path, step, set={"simulation.step": "0.5 ms"})
            exact = swing_by_hand(d.motion.time)
            self.assertLess(np.abs(d.motion.q[:, 0] - exact[0]).max(), 1e-5)
            off = np.abs(d.q[:, 0] - sign * exact[column]).max() / np.abs(exact[column]).max()
            capability(86, off, "<=", 1e-4)

    def test_what_has_none(self):
        with self.assertRaisesRegex(KeyError, "object.maas"):
            graspmc.derivative(slide(), "object.maas", 0.01)
        with self.assertRaisesRegex(ValueError, "other times"):
            graspmc.derivative(slide(), "program.0.hold.for", 0.01)
        for step in (0, -0.01, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "step must be > 0"):
                graspmc.derivative(slide(), "object.mass", step)


if __name__ == "__main__":
    unittest.main()
