"""`control` of a drive of several joints: the sum of two carriages under a sampled PD against its closed form; what its force does
to each of them; the same bytes as a library, replayed without it; what cannot be."""
import sys
import unittest

import support

try:
    import h5py
    import numpy
except ImportError:
    print("python3-h5py is not there: skipped", file=sys.stderr)
    sys.exit(0)

CARRIAGE = """<link name="{0}"><inertial><mass value="{1!r}"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{0}_rail" type="prismatic"><parent link="frame"/><child link="{0}"/><origin xyz="{2} 0 0"/><axis xyz="0 0 1"/>
<limit lower="-50" upper="50" effort="7" velocity="3"/></joint>"""
RAILS = """\
graspmc: 1
robots:
  rails:
    urdf: rails.urdf
    surface: metal
    pose: {{z: 3 m}}
    drives: {{both: {{joints: {{b_rail: {c[1]}, a_rail: {c[0]}}}, kp: {kp} N/m, kd: {kd} N*s/m{most}}}}}
object: {{box: [40 mm, 40 mm, 40 mm], mass: 0.2 kg, surface: metal, pose: {{x: 9 m, z: 20 mm}}}}
friction: {{metal/metal: 0.2}}
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
program: [move: {{joint: rails/both, by: 50 mm, in: 1 s}}]
success: {{at_end: [lift(object) >= -90 m]}}
sampling: {{draws: {draws}}}
simulation: {{step: {step} ms, workspace: 100 m, early: {{rest: false}}}}
output: {{trajectories: all, rate: 0}}
control: {{rate: {rate} Hz, delay: {delay} ms, joints: [{joints}], by: {by}}}
"""


def wanted(time):
    s = min(max(time, 0), 1)
    return 0.05 * s**3 * (10 + s * (-15 + 6 * s))


class ControllerDrives(support.Case):
    def run_rails(self, name, masses=(0.5, 0.2), words=(), **change):
        (self.folder / "rails.urdf").write_text(
            '<robot name="rails"><link name="frame"/>' + CARRIAGE.format("a", masses[0], 0) + CARRIAGE.format("b", masses[1], 1) + "</robot>")
        of = dict(c=(1, 0.5), kp=40, kd=4, most="", step=1, rate=100, delay=0, joints="rails/both", by="pd", draws=1) | change
        (self.folder / f"{name}.yaml").write_text(RAILS.format(**of))
        self.run_program("run", f"{name}.yaml", "-q", "-o", f"{name}.h5", "--force", "--allow-control", *words)
        with h5py.File(self.folder / f"{name}.h5") as file:
            names = [n.decode() for n in file["/trajectories/joints/names"][:]["name"]]
            a, b = (next(i for i, n in enumerate(names) if n.split(".")[-1].split("/")[-1] == end) for end in ("a_rail", "b_rail"))
            joints = file["/trajectories/joints"]
            return (file["/trajectories/time"][:], joints["q"][:][:, [a, b]], joints["effort"][:][:, [a, b]],
                    joints["action"][:][:, [a, b]], file["/trials"][:])

    def test_a_sum_against_its_sampled_closed_form(self):
        for masses, c, kp, kd, step, rate, delay in (((0.5, 0.2), (1, 0.5), 40, 4, 1, 100, 0), ((3, 8), (2, -1), 300, 50, 2, 250, 4),
                                                     ((0.5, 0.2), (1, 0.5), 40, 4, 0.7, 50, 20)):
            t, q, effort, action, _ = self.run_rails("sum", masses, c=c, kp=kp, kd=kd, step=step, rate=rate, delay=delay)
            mobility, period, late = c[0]**2 / masses[0] + c[1]**2 / masses[1], 1 / rate, round(delay * 1e-3 * rate)
            x, v, before, force, exact = 0.0, 0.0, 0.0, [], []
            for k in range(rate + 1):
                at = k * period
                force.append(kp * (wanted(at) - x) + kd * ((wanted(at) - wanted(at - period)) - (x - before)) / period)
                acts = force[max(k - late, 0)]
                here = t[(t >= at - 1e-9) & (t < at + period - 1e-9)] - at
                exact += list(x + v * here + mobility * acts * here**2 / 2)
                before, x, v = x, x + v * period + mobility * acts * period**2 / 2, v + mobility * acts * period
            # rounding of positions, of the step's solution and of times that are summed
            self.assertLessEqual(numpy.abs(q @ numpy.array(c) - exact).max(), 1e-11, (masses, step, rate))
            self.assertGreater(numpy.abs(q @ numpy.array(c)).max(), 0.03)
            # each carriage gets its share of the one force
            numpy.testing.assert_allclose(effort[1:, 0] * c[1], effort[1:, 1] * c[0], rtol=0, atol=1e-13 * max(numpy.abs(effort).max(), 1))
            known = numpy.isfinite(action)
            self.assertEqual(known.sum(axis=1).max(), 1)
            numpy.testing.assert_allclose(action[known], force[:known.sum()], rtol=0, atol=1e-9)

    def test_its_force_is_cut_to_max_force(self):
        (self.folder / "t.csv").write_text("time,rails/both\n0,3\n0.5,-1\n")
        t, q, effort, _, _ = self.run_rails("cut", most=", max_force: 2 N", by="{torques: t.csv}")
        # 2 N for half a second, then -1 N; carriage a has a share of 1 and 0.5 kg
        late = numpy.maximum(t - 0.5, 0)
        exact = numpy.where(t < 0.5, 4 * t**2 / 2, 4 * 0.5**2 / 2 + 4 * 0.5 * late - 2 * late**2 / 2)
        self.assertLessEqual(numpy.abs(q[:, 0] - exact).max(), 1e-12)  # rounding
        self.assertAlmostEqual(effort[100, 1], 0.5 * 2, delta=1e-13)

    def test_the_same_bytes_as_a_library_replayed_without_it(self):
        self.build_library()
        whole = self.run_rails("pd", draws=3)[4].tobytes()
        for workers in (1, 2):
            self.assertEqual(self.run_rails("library", draws=3, by="{library: pd.so}", words=("-j", workers))[4].tobytes(), whole)
        (self.folder / "pd.so").unlink()
        self.assertIn("identical", self.run_program("replay", "library.h5", "--trial", 2).stdout)

    def test_what_cannot_be(self):
        self.run_rails("good")
        for change, message in ((("[rails/both], by: pd", "[rails/both], by: gravity"), "rails/both: a drive of several joints cannot carry"),
                                (("[rails/both], by: pd", "[rails/a_rail], by: pd"), "no joint rails/a_rail moves on its own"),
                                (("[rails/both], by: pd", "[rails/both, rails/both], by: pd"), "rails/both is named twice")):
            text = (self.folder / "good.yaml").read_text()
            self.assertIn(change[0], text)
            (self.folder / "bad.yaml").write_text(text.replace(*change))
            said = self.run_program("check", "bad.yaml", code=65).stderr
            self.assertRegex(said, r"bad.yaml:\d+:\d+: error: control.joints: ")
            self.assertIn(message, said)


if __name__ == "__main__":
    unittest.main()
