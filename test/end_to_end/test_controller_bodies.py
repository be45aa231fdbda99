"""`control` of bodies in the plane: a mass under a sinusoid in a table, and under a sampled PD, against closed forms; the same PD
built in, as a library and as a command; replay without them; what is said of channels that are none."""
import math
import os
import sys
import unittest

import support

try:
    import h5py
    import numpy
except ImportError:
    print("python3-h5py is not there: skipped", file=sys.stderr)
    sys.exit(0)

MASS = """\
graspmc: 1
world: planar-support
object:
  box: [{size} mm, {size} mm, 10 mm]
  mass: {mass} kg
  surface: a
  pose: {{x: 10 mm, y: -20 mm, yaw: 30 deg}}
  {push}
scene: {{disc: {{circle: {{radius: 10 mm}}, mass: 30 g, surface: a, free: true, pose: {{x: 0.5 m}}, push: {{x: [[0 s, 0.01 N]]}}}}}}
friction: {{a/a: 0.3}}
gravity: [0 m/s2, 0 m/s2, -9.81 m/s2]
program: [hold: {{for: 1 s}}]
success: {{at_end: [moved(object) >= {moved}]}}
{more}
simulation: {{stepper: {stepper}, step: {step} ms, early: {{rest: false}}}}
output: {{trajectories: all, rate: 0}}
control: {{rate: {rate} Hz, delay: {delay} ms, joints: [{joints}], by: {by}}}
"""
SERVO = """push:
    x: [[0 s, 0 N], [1 s, 0.02 N]]
    servo: {kp: 20 N/m, kd: 1 N*s/m, turn_kp: 1e-2 N*m/rad, turn_kd: 5e-4 N*m*s/rad, x: [[0 s, 10 mm], [1 s, 60 mm]], yaw: [[0 s, 0 deg]]}"""
POLICY = support.PD_POLICY + """def start(trial):
    return lambda v: [pd(v, i) for i in range(len(trial.joints))]
graspmc.control(start)
"""


def scenario(**change):
    words = dict(size=40, mass=0.05, push="", moved="0 mm", more="sampling: {draws: 1}", stepper="coulomb", step=1, rate=100, delay=0,
                 joints="object/x, object/y, object/yaw", by="pd")
    return MASS.format(**(words | change))


def held(force, inertia, q0, period, times):
    """Where a mass that starts at rest is at these times under forces that are constant over a period each."""
    q, v, out = q0, 0.0, []
    for k, f in enumerate(force):
        here = times[(times >= k * period - 1e-9) & (times < (k + 1) * period - 1e-9)] - k * period
        out += list(q + v * here + f / inertia * here**2 / 2)
        q, v = q + v * period + f / inertia * period**2 / 2, v + f / inertia * period
    return numpy.array(out)


class ControllerBodies(support.Case):
    def run_text(self, name, text, *words):
        (self.folder / f"{name}.yaml").write_text(text)
        return self.run_program("run", f"{name}.yaml", "-q", "-o", f"{name}.h5", "--force", "--allow-control", *words)

    def motion(self, name):
        with h5py.File(self.folder / f"{name}.h5") as file:
            pose = file["/trajectories/bodies/object/pose"][:]
            angle = numpy.unwrap(2 * numpy.arctan2(pose[:, 6], pose[:, 3]))
            return (file["/trajectories/time"][:], numpy.column_stack([pose[:, :2], angle]),
                    file["/trajectories/bodies/object/action"][:])

    def table(self, rate, f):
        lines = ["time,object/x,object/y,object/yaw"]
        for k in range(int(rate) + 1):
            lines.append(",".join(repr(float(n)) for n in (k / rate, *f((k + 0.5) / rate))))
        (self.folder / "t.csv").write_text("\n".join(lines) + "\n")

    def test_a_mass_under_a_sinusoid_in_a_table(self):
        """F sin w t along x, F cos w t along y, M sin w t about z, each row the force of its period's middle. Between calls the
        force is constant: against that the motion is exact; against the sinusoid the error falls with the period's square."""
        w = 2 * math.pi * 2
        for mass, size, stepper in ((0.05, 40, "coulomb"), (2, 150, "coulomb"), (0.05, 40, "anitescu_potra"), (0.3, 80, "stewart_trinkle")):
            force, inertia = 2 * mass, mass * (2 * (size * 1e-3) ** 2) / 12
            moment = 2 * inertia
            self_terms = lambda t: (force * math.sin(w * t), force * math.cos(w * t), moment * math.sin(w * t))
            errors = []
            for rate in (50, 100, 200):
                self.table(rate, self_terms)
                self.run_text("table", scenario(mass=mass, size=size, rate=rate, stepper=stepper, by="{torques: t.csv}"))
                t, q, action = self.motion("table")
                steps = 1 if stepper == "coulomb" else 0
                start = numpy.array([0.01, -0.02, math.radians(30)])
                terms = numpy.array([self_terms((k + 0.5) / rate) for k in range(rate + 1)])
                exact = numpy.column_stack([held(terms[:, c], (mass, mass, inertia)[c], start[c], 1 / rate, t) for c in range(3)])
                if steps:  # impulses from middle to middle: exact under such forces; rounding of the poses, times a hundred
                    self.assertLessEqual(numpy.abs(q - exact).max(), 1e-13)
                else:  # implicit Euler sums the speeds at ends of steps: v h / 2 ahead, of speeds up to 2 a / w
                    found = numpy.abs(q - exact).max() / (4 / w * 1e-3 / 2)
                    self.assertTrue(0.98 < found < 1.02, found)
                known = numpy.isfinite(action[:, 0])
                self.assertEqual(known.sum(), rate)  # none at the end
                numpy.testing.assert_array_equal(action[known], terms[:-1])
                a = numpy.array([2 / w**2 * (w * t - numpy.sin(w * t)), 2 / w**2 * (1 - numpy.cos(w * t)),
                                 2 / w**2 * (w * t - numpy.sin(w * t))]).T
                errors.append(numpy.abs(q - start - a).max())
            if steps:
                for coarse, fine in zip(errors, errors[1:]):
                    support.capability(75, numpy.log2(coarse / fine), "in", (1.9, 2.1))  # second order in the period: 2

    def test_pd_against_its_sampled_closed_form(self):
        """The recurrence of a mass and a PD that is called every period and acts `delay` later, for other masses, steps, rates."""
        for mass, size, step, rate, delay in ((0.05, 40, 1, 100, 0), (0.05, 40, 0.7, 100, 10), (1, 120, 2, 250, 4), (0.2, 60, 1, 40, 0)):
            self.run_text("pd", scenario(mass=mass, size=size, step=step, rate=rate, delay=delay, push=SERVO))
            t, q, action = self.motion("pd")
            inertia = mass * 2 * (size * 1e-3) ** 2 / 12
            late, period = round(delay * 1e-3 * rate), 1 / rate
            for c, (m, kp, kd, start, want, push) in enumerate((
                    (mass, 20, 1, 0.01, lambda s: 0.01 + 0.05 * min(max(s, 0), 1), lambda s: 0.02 * min(s, 1)),
                    (mass, 20, 1, -0.02, lambda s: -0.02, lambda s: 0), (inertia, 1e-2, 5e-4, math.radians(30), lambda s: 0, lambda s: 0))):
                x, v, before, force, acts = start, 0.0, start, [], []
                for k in range(rate + 1):
                    wanted = (want(k * period) - want((k - 1) * period)) / period
                    force.append(push(k * period) + kp * (want(k * period) - x) + kd * (wanted - (x - before) / period))
                    acts.append(force[max(k - late, 0)])  # the first answer acts before its time, too
                    before, x, v = x, x + v * period + acts[-1] / m * period**2 / 2, v + acts[-1] / m * period
                exact = held(acts, m, start, period, t)
                # rounding of poses and of (x - before) / period, which a loop that is stable does not let grow
                support.capability(75, numpy.abs(q[:, c] - exact).max(), "<=", 1e-11)
                known = numpy.isfinite(action[:, c])
                numpy.testing.assert_allclose(action[known, c], force[:known.sum()], rtol=0, atol=1e-9)

    def test_the_same_bytes_built_in_as_library_and_command_and_replayed(self):
        os.environ.pop("PYTHONPATH", None)
        self.build_library()
        (self.folder / "policy.py").write_text(POLICY)
        chance = 'sampling: {draws: 6}\nuncertain:\n  object.push.servo.kp: normal(20 N/m, 2 N/m)\n  object.mass: uniform(40 g, 60 g)'
        whole = None
        for kind, by in (("pd", "pd"), ("library", "{library: pd.so}"), ("command", f"{{command: ['{sys.executable}', policy.py]}}")):
            for workers in (1, 2):
                text = scenario(push=SERVO, by=by, more=chance, delay=5, moved="51 mm", joints="object/yaw, disc/y, object/x") \
                    .replace("push: {x: [[0 s, 0.01 N]]}", "push: {servo: {kp: 1 N/m, y: [[0 s, 9 mm]]}}")
                self.run_text(kind, text, "-j", workers)
                with h5py.File(self.folder / f"{kind}.h5") as file:
                    trials = file["/trials"][:]
                    actions = {b: file[f"/trajectories/bodies/{b}/action"][:] for b in ("object", "disc")}
                    poses = file["/trajectories/bodies/disc/pose"][:]
                whole = trials.tobytes() if whole is None else whole
                self.assertEqual(trials.tobytes(), whole, (kind, workers))
        self.assertEqual(set(trials["outcome"]) | {0}, set(trials["outcome"]))
        self.assertFalse(numpy.isfinite(actions["object"][:, 1]).any())  # y is not controlled
        self.assertTrue(numpy.isfinite(actions["object"][:, [0, 2]]).any(axis=0).all())
        self.assertTrue(numpy.isfinite(actions["disc"][:, 1]).any() and not numpy.isfinite(actions["disc"][:, [0, 2]]).any())
        self.assertGreater(poses[:, 1].max(), 4e-3)
        # neither program is there any more
        (self.folder / "pd.so").unlink()
        (self.folder / "policy.py").unlink()
        for kind in ("pd", "library", "command"):
            for trial in (0, 5):
                self.assertIn("identical", self.run_program("replay", f"{kind}.h5", "--trial", trial).stdout)
        # the other ends of the record: shards put together, a trial taken out, the table of its motion
        for shard in ("1/2", "2/2"):
            self.run_text(f"part{shard[0]}", scenario(push=SERVO, more=chance, delay=5), "--shard", shard)
        self.run_program("merge", "part1.h5", "part2.h5", "-o", "merged.h5")
        self.run_text("one", scenario(push=SERVO, more=chance, delay=5))
        with h5py.File(self.folder / "merged.h5") as a, h5py.File(self.folder / "one.h5") as b:
            name = "/trajectories/bodies/object/action"
            self.assertEqual(a[name][:].tobytes(), b[name][:].tobytes())
        said = self.run_program("export", "one.h5", "--trial", 0).stdout.splitlines()[0].split(",")
        self.assertTrue({"object.action.x", "object.action.y", "object.action.yaw", "disc.action.x"} <= set(said), said)

    def test_the_weight_is_carried_by_gravity_in_an_upright_plane(self):
        for mass in (0.05, 3):
            text = scenario(mass=mass, by="gravity").replace("planar-support", "planar").replace("[0 m/s2, 0 m/s2, -9.81 m/s2]", "[0 m/s2, -9.81 m/s2, 0 m/s2]") \
                .replace("early: {rest: false}", "early: {rest: false, falling: false}")
            self.run_text("held", text)
            _, q, action = self.motion("held")
            self.assertLessEqual(numpy.abs(q - q[0]).max(), 1e-15)  # rounding of mass times gravity
            numpy.testing.assert_allclose(action[numpy.isfinite(action[:, 1])][:, 1], mass * 9.81, rtol=1e-15)

    def test_a_pull_comes_on_top(self):
        self.table(100, lambda t: (0.003, 0, 0))
        text = scenario(by="{torques: t.csv}").replace("hold: {for: 1 s}", "pull: {body: object, axis: x, grows: 0.02 N/s, for: 1 s}")
        self.run_text("pulled", text)
        t, q, _ = self.motion("pulled")
        exact = 0.01 + (0.003 * t**2 / 2 + 0.02 * t**3 / 6) / 0.05  # m a = 0.003 N + 0.02 N/s t
        # each step is left at its middle's speed, which the growing force changes by a' h / 2: a' h^2 / 6 of t at the most
        self.assertLessEqual(numpy.abs(q[:, 0] - exact).max(), 0.02 / 0.05 * 1e-3**2 / 6)
        self.assertGreater(q[-1, 0], 0.1)

    def test_what_is_no_channel_is_told_with_a_hint(self):
        cases = (("object/z", "pd", "control.joints: object/z: there is no such channel", "x and y, in N, and yaw"),
                 ("object/x", "pd", "control.joints: object/x: pd has no gains for it", "servo: {kp: 10 N/m"),
                 ("object/x", "computed_torque", "control.joints: object/x: computed_torque knows joints alone", "by: pd"),
                 ("wall/x", "gravity", "control.joints: wall/x: the body does not move freely", "free: true"),
                 ("object/x, object/x", "gravity", "control.joints: object/x is named twice", None),
                 ("ball/x", "gravity", "control.joints: no joint ball/x moves on its own", "object/x"))
        for joints, by, message, hint in cases:
            text = scenario(joints=joints, by=by).replace("scene: {", "scene: {wall: {box: [10 mm, 10 mm, 10 mm], surface: a, pose: {x: 1 m}}, ")
            (self.folder / "bad.yaml").write_text(text)
            said = self.run_program("check", "bad.yaml", code=65).stderr
            self.assertIn(message, said)
            self.assertRegex(said, r"bad.yaml:\d+:\d+: error: control.joints")
            if hint:
                self.assertIn(hint, said)


if __name__ == "__main__":
    unittest.main()
