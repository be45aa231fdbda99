"""Planar worlds end to end: closed forms of grips, stored motions, mass properties, mistakes."""
import math
import re
import unittest

import check_physics
from support import SCENARIOS, Case

GRIP = """\
graspmc: 1
about: Two fingertips close on something that lies on a floor, and lift it slowly.
world: planar
hand: {{urdf: models/planar_jaw.urdf, frame: tcp, surface: steel}}
object:
  {shape}
  surface: aluminium
  pose: {{y: 20 mm}}
scene: {{floor: {{box: [200 mm, 20 mm, 10 mm], surface: steel, pose: {{y: -10 mm}}}}}}
friction: {{steel/aluminium: 0.5, steel/steel: 0.3}}
program:
  - close: {{force: 5 N, until: stalled, at_most: 0.5 s}}
  - lift: {{by: 10 mm, in: 2 s}}
  - hold: {{for: 0.2 s}}
success: {{at_end: [lift(object) >= 9.9 mm], always: ["slip(object, hand) <= 0.5 mm"]}}
{rest}
"""
DISK = "circle: {diameter: 40 mm}\n  mass: 20 g"
SQUARE = "polygon: [[-20 mm, -20 mm], [20 mm, -20 mm], [20 mm, 20 mm], [-20 mm, 20 mm]]\n  mass: 20 g"
BOX = "box: [40 mm, 40 mm, 6 mm]\n  mass: 20 g"
# not convex: a foot of 40 x 10 mm below a stem of 24 x 30 mm
TEE = ("polygon: [[-20 mm, -20 mm], [20 mm, -20 mm], [20 mm, -10 mm], [12 mm, -10 mm], [12 mm, 20 mm], "
       "[-12 mm, 20 mm], [-12 mm, -10 mm], [-20 mm, -10 mm]]\n  density: 2700 kg/m3\n  thickness: 6 mm")
GEAR = ("gear: {teeth: 12, diameter: 41 mm, root_diameter: 35 mm, tip_width: 3.5 mm, flank: 20 deg}\n"
        "  density: 2700 kg/m3\n  thickness: 6 mm")
MESSAGE = re.compile(r"^[^:\n]+:(\d+):(\d+): error: (.+)$", re.M)

# each marked line holds one mistake; the mark is part of the message
MISTAKES = """\
graspmc: 1
world: planar
hand: {urdf: models/planar_jaw.urdf, frame: tcp, surface: steel, target: {z: 3 mm}}       # hand.target.z belongs to spatial
object:
  polygon: [[0 mm, 0 mm], [30 mm, 0 mm], [0 mm, 40 mm], [30 mm, 40 mm]]                   # crosses or touches itself
  density: 2700 kg/m3                                                                     # needs a thickness
  surface: wood
  placed: resting                                                                         # object.placed belongs to spatial
  com: [0, 0, 1 mm]                                                                       # out of the plane
scene:
  floor: {plane: {height: 0 m}, surface: steel}                                           # scene.floor.plane belongs to spatial
  back: {polygon: [[0 mm, 0 mm], [0 mm, 40 mm], [30 mm, 0 mm]], surface: steel}           # clockwise
  twice: {polygon: [[0 mm, 0 mm], [3 mm, 0 mm], [3 mm, 0 mm], [0 mm, 4 mm]], surface: steel}  # vertices 2 and 3
  flat: {polygon: [[0 mm, 0 mm], [30 mm, 0 mm], [60 mm, 0 mm]], surface: steel}           # turns back on itself
  unit: {polygon: [[0 mm, 0 mm], [30 kg, 0 mm], [0 mm, 4 mm]], surface: steel}            # expected a length
  list: {polygon: [[0 mm, 0 mm], 5, [0 mm, 4 mm]], surface: steel}                        # list of two numbers
  full: {gear: {teeth: 90, diameter: 41 mm, root_diameter: 35 mm, tip_width: 3.5 mm}, surface: steel}  # teeth overlap
  thick: {box: [1, 1, 1], thickness: 4 mm, surface: steel}                                # has its thickness already
friction:
  steel/wood: {static: 0.3, torsion: 1 mm}                                                # torsion belongs to spatial
  steel/steel: 1
gravity: [0, 0, -9.81]                                                                    # must lie in the plane
program:
  - close: {force: 5 N}
  - move: {by: [0, 0, 1 mm], in: 1 s}                                                     # out of the plane
  - turn: {axis: x, by: 90 deg, in: 1 s}                                                  # turns out of the plane
  - shake: {axis: z, amplitude: 2 mm, frequency: 2 Hz, for: 1 s}                          # leaves the plane
success: {at_end: [tilted(object) <= 1 deg]}                                              # about z alone
"""


# what lies on a plane that is tilted about y: gravity along x is 2 m/s2, across it 9 m/s2
TILTED = """\
graspmc: 1
world: planar-support
object:
  {shape}
  surface: wood
  support: {support}
gravity: [2, 0, -9]
program: [hold: {{for: 0.5 s}}]
success: {{at_end: [moved(object) <= 0.01 mm]}}
simulation: {{early: {{falling: false, rest: false, broken: false}}, half_step: 0}}
{rest}
"""
# a pusher that follows a path, and a disk that lies before it
PUSHED = """\
graspmc: 1
world: planar-support
object:
  circle: {{diameter: 40 mm}}
  mass: 20 g
  surface: wood
  support: {{disk: {{radius: 20 mm}}, friction: {mu}}}
  {object}
scene:
  pusher: {{circle: {{radius: 5 mm}}, surface: steel, {pusher}}}
{scene}
friction: {{wood/steel: 0.3, steel/steel: 0.3}}
program: [hold: {{for: 1 s}}]
success: {{at_end: ["force(object, pusher) >= 0 N", speed(object) >= 0 m/s, spin(object) >= 0 rad/s]}}
simulation: {{half_step: 0}}
output: {{trajectories: all, rate: 0}}
{rest}
"""
LIES = "{points: [[10 mm, 0 mm], [-5 mm, 8 mm], [-5 mm, -8 mm]], friction: 0.4}"


class Planar(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "models").symlink_to(SCENARIOS / "models")

    def run_grip(self, shape, name, rest="sampling: {draws: 1}", *words):
        self.write(f"{name}.yaml", GRIP.format(shape=shape, rest=rest))
        return self.run_json("run", f"{name}.yaml", "-o", f"{name}.h5", "-q", *words)

    def inertia(self, name, body="object"):
        import h5py
        with h5py.File(self.folder / f"{name}.h5") as file:
            return file["trajectories/bodies"][body]["inertia"][0]

    def test_two_fingers_hold_what_their_friction_carries(self):
        """2 mu N = m (g + a): 0.01962 at rest, 0.15 % more in the middle of the lift."""
        import h5py
        study = "study: {vary: {friction.steel/aluminium: [0.0190, 0.0195, 0.0198, 0.0203]}, draws: 1}"
        for name, shape in (("disk", DISK), ("square", SQUARE), ("box", BOX)):
            with self.subTest(shape=name):
                self.run_grip(shape, name, study)
                with h5py.File(self.folder / f"{name}.h5") as file:
                    outcomes = file["trials"]["outcome"]
                    success = h5py.check_enum_dtype(file["trials"].dtype["outcome"])["success"]
                self.assertEqual([o == success for o in outcomes], [False, False, True, True])

    def test_stored_motions_obey_mechanics(self):
        chance = ("uncertain:\n  object.pose.x: nominal + uniform(-3 mm, 3 mm)\n"
                  "  object.pose.y: uniform(23 mm, 24 mm)\n"
                  "  object.pose.yaw: nominal + uniform(-8 deg, 8 deg)\n"
                  "  friction.steel/aluminium: uniform(0.02, 0.5)\n"
                  "sampling: {draws: 10}\noutput: {trajectories: all, rate: 0}")
        for name, shape in (("disk", DISK), ("box", BOX), ("tee", TEE), ("gear", GEAR)):
            with self.subTest(shape=name):
                self.run_grip(shape, name, chance)
                self.assertEqual(check_physics.check_file(self.folder / f"{name}.h5", planar=True), 0)

    def test_the_base_moves_and_turns_in_the_plane(self):
        """More than a full turn, then along both axes, with a square in the hand.

        Force-controlled fingers let it drift along them, for nothing centres them; it does not turn there."""
        import h5py
        text = GRIP.format(shape=SQUARE, rest="gravity: [0, -1, 0]\nsampling: {draws: 1}\n"
                           "simulation: {early: {borne: false}}\noutput: {trajectories: all, rate: 0}")
        text = text.replace("lift: {by: 10 mm, in: 2 s}", "lift: {by: 60 mm, in: 0.5 s}\n"
                            "  - turn: {axis: z, by: 450 deg, in: 2 s}\n"
                            "  - move: {by: [-30 mm, 20 mm, 0], in: 0.5 s}\n"
                            "  - shake: {about: z, amplitude: 5 deg, frequency: 2 Hz, for: 1 s}")
        text = text.replace(', always: ["slip(object, hand) <= 0.5 mm"]', "")
        self.write("turn.yaml", text)
        self.run_program("run", "turn.yaml", "-o", "turn.h5", "-q")
        self.assertEqual(check_physics.check_file(self.folder / "turn.h5", gravity=1, planar=True), 0)
        with h5py.File(self.folder / "turn.h5") as file:
            trial = file["trials"][0]
            base = file["trajectories/bodies/base/pose"][-1]
        self.assertAlmostEqual(base[0], -0.03, delta=1e-9)
        self.assertAlmostEqual(base[1], 0.1, delta=1e-9)
        self.assertAlmostEqual(2 * math.atan2(abs(base[6]), abs(base[3])), math.pi / 2, delta=1e-9)
        self.assertEqual(trial["held_by"], 2)
        self.assertLess(trial["slip_angle"], 1e-2)

    def test_a_box_is_its_rectangle(self):
        keep = "sampling: {draws: 1}\noutput: {trajectories: all, rate: 0}"
        self.run_grip(BOX, "box", keep)
        self.run_grip(SQUARE, "square", keep)
        import h5py
        with h5py.File(self.folder / "box.h5") as a, h5py.File(self.folder / "square.h5") as b:
            poses = [f["trajectories/bodies/object/pose"][:] for f in (a, b)]
        # the same corners and normals; the tensor is a sum in another order
        self.assertLess(abs(poses[0] - poses[1]).max(), 1e-9)
        self.assertGreater(poses[0][-1, 1], 0.029)

    def test_mass_properties(self):
        """Mass and moment about z of each shape against its closed form; 1e-12 is rounding."""
        keep = "sampling: {draws: 1}\noutput: {trajectories: all, rate: 0}"
        dense = "\n  density: 1000 kg/m3\n  thickness: 10 mm"
        area = 0.04 * 0.01 + 0.024 * 0.03
        y = (0.04 * 0.01 * -0.015 + 0.024 * 0.03 * 0.005) / area
        tee = (0.0004 * ((0.04**2 + 0.01**2) / 12 + (y + 0.015)**2)
               + 0.00072 * ((0.024**2 + 0.03**2) / 12 + (y - 0.005)**2))
        ellipse = math.pi * 0.02 * 0.018
        ball = 4 / 3 * math.pi * 0.02**3
        for name, shape, mass, moment in (
                ("disk", "circle: {radius: 20 mm}" + dense, 10 * math.pi * 4e-4, 10 * math.pi * 8e-8),
                ("tee", TEE.split("\n")[0] + dense, 10 * area, 10 * tee),
                ("ellipse", "super_ellipse: {x: 20 mm, y: 18 mm}" + dense, 10 * ellipse,
                 10 * ellipse * (0.02**2 + 0.018**2) / 4),
                ("ball", "sphere: {radius: 20 mm}\n  density: 1000 kg/m3", 1000 * ball,
                 1000 * ball * 0.4 * 4e-4),
                ("given", "circle: {radius: 20 mm}\n  mass: 0.1 kg", 0.1, 0.1 * 2e-4)):
            with self.subTest(shape=name):
                self.run_grip(shape, name, keep)
                found = self.inertia(name)
                self.assertLess(abs(found[0] / mass - 1), 1e-12)
                self.assertLess(abs(found[6] / moment - 1), 1e-12)
                if name == "tee":
                    self.assertLess(abs(found[2] - y), 1e-15)

    def test_a_gear_is_its_polygon(self):
        self.write("gear.yaml", GRIP.format(shape=GEAR, rest=""))
        polygon = self.run_json("check", "gear.yaml", "--expanded")["object"]["polygon"]
        radii = [math.hypot(*vertex) for vertex in polygon]
        self.assertEqual(len(radii), 48)
        for i, radius in enumerate(radii):
            self.assertAlmostEqual(radius, 0.0205 if i % 4 in (1, 2) else 0.0175, delta=1e-15)
        tip = [b - a for a, b in zip(polygon[1], polygon[2])]
        self.assertAlmostEqual(tip[0], 0, delta=1e-15)
        self.assertAlmostEqual(tip[1], 0.0035, delta=1e-15)
        flank = [b - a for a, b in zip(polygon[3], polygon[2])]
        self.assertAlmostEqual(math.degrees(math.atan2(-flank[1], flank[0])), 20, delta=1e-9)

    def test_paths_of_a_planar_world(self):
        self.write("grip.yaml", GRIP.format(shape=TEE, rest=""))
        listed = self.run_program("check", "grip.yaml", "--parameters").stdout.split("\n")
        paths = {line.split()[0] for line in listed if line}
        for path in ("object.pose.x", "object.pose.y", "object.pose.yaw", "object.thickness",
                     "hand.target.yaw", "hand.left.max_force", "gravity.y"):
            self.assertIn(path, paths)
        for path in ("object.pose.z", "object.pose.roll", "hand.target.pitch"):
            self.assertNotIn(path, paths)
        self.assertEqual(len([path for path in paths if path.startswith("object.polygon.")]), 16)

    def test_another_polygon_is_another_scenario(self):
        digests = set()
        for width in (20, 21):
            self.run_grip(SQUARE.replace("20 mm]]", f"{width} mm]]"), f"w{width}")
            import h5py
            with h5py.File(self.folder / f"w{width}.h5") as file:
                digests.add(str(file.attrs["scenario_digest"]))
        self.assertEqual(len(digests), 2)

    def test_workers_do_not_matter(self):
        chance = "uncertain:\n  object.pose.x: nominal + normal(0 mm, 2 mm)\nsampling: {draws: 12}"
        for workers in (1, 2):
            self.run_grip(TEE, f"w{workers}", chance, "-j", workers)
        import h5py
        with h5py.File(self.folder / "w1.h5") as a, h5py.File(self.folder / "w2.h5") as b:
            self.assertEqual(a["trials"][:].tobytes(), b["trials"][:].tobytes())

    def test_what_lies_on_a_slope_slides_by_its_friction(self):
        """It sticks iff mu >= 2/9; else moved = (g_x - mu g_z) t^2 / 2. A step's error is h/t of it at most."""
        import h5py
        supports = {
            "points": LIES,
            "own": "{points: [[10 mm, 0 mm], [-5 mm, 8 mm], [-5 mm, -8 mm]], friction: [MU, MU, MU]}",
            "disk": "{disk: {radius: 20 mm}, friction: 0.4}",
            "polygon": "{polygon: [[-9 mm, -9 mm], [9 mm, -9 mm], [9 mm, 9 mm], [-9 mm, 9 mm]], friction: 0.4}"}
        for name, support in supports.items():
            for mu in (0.1, 0.215, 0.23):
                with self.subTest(support=name, friction=mu):
                    text = support.replace("MU", str(mu)).replace("friction: 0.4", f"friction: {mu}")
                    self.write("slope.yaml", TILTED.format(shape=DISK, support=text,
                                                           rest="sampling: {draws: 1}"))
                    self.run_program("run", "slope.yaml", "-o", f"{name}{mu}.h5", "-q")
                    with h5py.File(self.folder / f"{name}{mu}.h5") as file:
                        moved = file["trials"]["moved"][0]
                    if mu > 2 / 9:
                        self.assertLess(moved, 1e-5)
                    else:
                        due = (2 - 9 * mu) * 0.5**2 / 2
                        self.assertLess(abs(moved / due - 1), 0.002 / 0.5)

    def test_viscous_friction(self):
        """v' = g_x - c v / m: moved = g_x (T t - T^2 (1 - exp(-t/T))), T = m/c = 0.1 s, to the step's order."""
        import h5py
        support = "{disk: {radius: 20 mm}, friction: 0, viscous: 0.2 N*s/m}"
        self.write("slope.yaml", TILTED.format(shape=DISK, support=support, rest="sampling: {draws: 1}"))
        self.run_program("run", "slope.yaml", "-o", "v.h5", "-q")
        with h5py.File(self.folder / "v.h5") as file:
            moved = file["trials"]["moved"][0]
        due = 2 * (0.1 * 0.5 - 0.01 * (1 - math.exp(-5)))
        self.assertLess(abs(moved / due - 1), 0.002 / 0.1)

    def test_tripods(self):
        """In the disk, around the mass centre (of the tee: not its origin), in all directions alike."""
        import h5py
        import numpy as np
        draws = 400
        for name, shape in (("gear", GEAR), ("tee", TEE)):
            with self.subTest(shape=name):
                rest = ("uncertain:\n  object.support.points: tripod(disk 15 mm)\n"
                        f"sampling: {{draws: {draws}}}")
                self.write(f"{name}.yaml", TILTED.format(shape=shape, support=LIES, rest=rest))
                self.run_program("run", f"{name}.yaml", "-o", f"{name}.h5", "-q")
                with h5py.File(self.folder / f"{name}.h5") as file:
                    names = [row["name"].decode() for row in file["parameters"][:]]
                    at = names.index("object.support.points.0.x")
                    points = file["samples"][:, at:at + 6].reshape(-1, 3, 2)
                    self.assertTrue((file["trials"]["t_end"][:] > 0.49).all())
                if name == "tee":
                    area = 0.04 * 0.01 + 0.024 * 0.03
                    points[:, :, 1] -= (0.04 * 0.01 * -0.015 + 0.024 * 0.03 * 0.005) / area
                radius = np.hypot(points[:, :, 0], points[:, :, 1])
                self.assertLess(radius.max(), 0.015)
                x, y = points[:, :, 0], points[:, :, 1]
                sides = x * np.roll(y, -1, 1) - y * np.roll(x, -1, 1)
                self.assertTrue((np.sign(sides) == np.sign(sides[:, :1])).all())
                self.assertLess(0.3, (sides[:, 0] > 0).mean())
                self.assertLess((sides[:, 0] > 0).mean(), 0.7)
                # means of cosines and sines of independent angles, four standard deviations
                for direction in (x / radius, y / radius):
                    self.assertLess(abs(direction[:, 0].mean()), 4 * math.sqrt(0.5 / draws))

    def test_points_that_chance_moves_away_are_no_failure(self):
        rest = "uncertain:\n  object.support.points.0.x: uniform(-12 mm, 12 mm)\nsampling: {draws: 40}"
        self.write("away.yaml", TILTED.format(shape=DISK, support=LIES, rest=rest))
        said = self.run_program("run", "away.yaml", "-o", "away.h5").stdout
        self.assertRegex(said, r"bad_value +\d\d")
        import h5py
        with h5py.File(self.folder / "away.h5") as file:
            names = h5py.check_enum_dtype(file["trials"].dtype["reason"])
            bad = file["trials"]["reason"] == names["bad_value"]
            self.assertTrue((bad == (file["samples"][:, 0] <= 0)).all())

    def run_pushed(self, name, code=0, ends=0, **parts):
        import h5py
        parts = {"mu": 0.4, "object": "pose: {x: 26 mm}", "pusher": "path: {x: [[0 s, 0 mm], [1 s, 50 mm]]}",
                 "scene": "", "rest": "sampling: {draws: 1}"} | parts
        self.write(f"{name}.yaml", PUSHED.format(**parts))
        done = self.run_program("check" if code else "run", f"{name}.yaml",
                                *([] if code else ["-o", f"{name}.h5", "-q"]), code=code or ends)
        return done.stderr if code else h5py.File(self.folder / f"{name}.h5")

    def test_a_pusher_follows_its_path(self):
        """The pusher is where its path says; it bears the friction of what it pushes, mu m g."""
        with self.run_pushed("turns", object="pose: {x: 200 mm}", pusher="pose: {y: 7 mm}, "
                             "path: {yaw: [[0.5 s, 0 deg], [1 s, 450 deg]]}") as file:
            pusher = file["trajectories/bodies/pusher/pose"][:]
        self.assertLess(abs(pusher[:250, 6]).max(), 1e-12)  # steps add up to 0.5 s but for rounding
        self.assertTrue((pusher[:, 1] == 0.007).all())
        self.assertLess(abs(abs(pusher[-1, 6]) - math.sin(math.pi / 4)), 1e-12)
        with self.run_pushed("path") as file:
            pusher = file["trajectories/bodies/pusher/pose"][:]
            time, disk = file["trajectories/time"][:], file["trajectories/bodies/object/pose"][-1]
            force = file["trials"]["force(object, pusher)"][0]
        self.assertLess(abs(pusher[:, 0] - 0.05 * time).max(), 1e-15)
        self.assertLess(abs(force / (0.4 * 0.02 * 9.81) - 1), 1e-6)  # steady: what the memory still relaxes
        self.assertLess(abs(disk[0] - 0.075), 1e-5)  # but for what contacts give way

    def test_forces_over_time(self):
        """Triangles of T = 0.4 s: m v = 0.2 s F, I w = 0.2 s M; the step's error is of second order, (h/T)^2."""
        push = "push: {x: [[0 s, 0 N], [0.2 s, 10 mN], [0.4 s, 0 N]], torque: [[0 s, 0], [0.2 s, 1e-5], [0.4 s, 0]]}"
        with self.run_pushed("push", mu=0, object="pose: {x: 100 mm}\n  " + push,
                             pusher="path: {y: [[0 s, 0 mm]]}") as file:
            speed, spin = (file["trials"][name][0] for name in ("speed(object)", "spin(object)"))
        self.assertLess(abs(speed / (0.2 * 0.01 / 0.02) - 1), 1.01 * (0.002 / 0.4)**2)
        self.assertLess(abs(spin / (0.2 * 1e-5 / 4e-6) - 1), 1.01 * (0.002 / 0.4)**2)

    def test_a_body_between_a_pusher_and_a_wall_is_a_jam(self):
        with self.run_pushed("jam", ends=2,  # its only trial
                             scene="  wall: {box: [10 mm, 60 mm, 6 mm], surface: steel, pose: {x: 60 mm}}") as file:
            import h5py
            reasons = h5py.check_enum_dtype(file["trials"].dtype["reason"])
            self.assertEqual(file["trials"]["reason"][0], reasons["jam"])

    def test_knots_are_parameters(self):
        rest = ("uncertain:\n  scene.pusher.path.x.1.value: uniform(10 mm, 50 mm)\n"
                "  scene.pusher.path.x.1.time: uniform(-1 s, 1 s) \nsampling: {draws: 1}")
        said = self.run_pushed("knots", code=65, rest=rest)
        self.assertIn("scene.pusher.path.x.1.time must be >= 0", said)
        rest = rest.replace("-1 s", "0 s").replace("draws: 1", "draws: 30")
        pusher = "path: {x: [[0.5 s, 0 mm], [0.6 s, 50 mm]]}"
        import h5py
        with self.run_pushed("knots", rest=rest, pusher=pusher) as file:
            reasons = h5py.check_enum_dtype(file["trials"].dtype["reason"])
            samples = file["samples"][:]
            bad = file["trials"]["reason"] == reasons["bad_value"]
            index = file["trajectories/index"][:]
            ends = {int(i["trial"]): file["trajectories/bodies/pusher/pose"][int(i["offset"] + i["length"]) - 1, 0]
                    for i in index}
        self.assertTrue((bad == (samples[:, 1] <= 0.5)).all())
        self.assertEqual(sorted(ends), [i for i in range(30) if not bad[i]])
        for trial, end in ends.items():
            self.assertAlmostEqual(end, samples[trial, 0], delta=1e-15)

    def test_mistakes_of_paths(self):
        for parts, place, said in (
                ({"pusher": "path: {x: [[1 s, 0 mm], [1 s, 50 mm]]}"}, "10:77", "this time is not later than the one before"),
                ({"pusher": "path: {x: [[0 s, 0 deg]]}"}, "10:69", "expected a length"),
                ({"pusher": "path: {x: 3 mm}"}, "10:62", "expected a list of times with a number each"),
                ({"pusher": "free: true, mass: 1 g, path: {x: [[0 s, 0 mm]]}"}, "10:75",
                 "does not move freely"),
                ({"pusher": "push: {x: [[0 s, 0 N]]}"}, "10:52", "forces move nothing that is not free"),
                ({"object": "path: {x: [[0 s, 0 mm]]}"}, "8:3", "an object moves freely")):
            with self.subTest(says=said):
                text = self.run_pushed("wrong", code=65, **parts)
                self.assertIn(f"wrong.yaml:{place}: error: ", text)
                self.assertIn(said, text)
                self.assertEqual(text.count("error: "), 1, text)

    def test_mistakes_of_supports(self):
        points = "points: [[10 mm, 0 mm], [-5 mm, 8 mm], [-5 mm, -8 mm]]"
        for support, rest, place, said in (
                (LIES.replace("[10 mm, 0 mm], ", ""), "", "7:21", "three points or more"),
                (LIES.replace("10 mm", "10 kg"), "uncertain: {object.support.points: tripod(disk 1 mm)}",
                 "7:23", "object.support.points.0.x: expected a length"),
                ("{points: [[1 mm, 0 mm], [2 mm, 0 mm], [5 mm, 0 mm]], friction: 1}", "", "7:21",
                 "all points of the support lie in one line"),
                ("{points: [[1 mm, 0 mm], [9 mm, 0 mm], [5 mm, 5 mm]], friction: 1}", "", "7:21",
                 "the centre of mass lies outside of the triangle"),
                ("{" + points + ", friction: [1, 2]}", "", "7:79", "as many coefficients as points"),
                ("{" + points + ", disk: {radius: 1 mm}, friction: 1}", "", "7:69", "exclude each other"),
                ("{friction: 1}", "", "7:3", "needs one of points, disk, polygon"),
                (LIES, "uncertain: {object.support.points: uniform(1)}", "12:36",
                 "points of a support are drawn as tripod(disk 15 mm)"),
                (LIES, "uncertain: {object.support.points: tripod(disk -1 mm)}", "12:48",
                 "the radius must be > 0"),
                (LIES, "uncertain: {object.pose.x: tripod(disk 1 mm)}", "12:28",
                 "a tripod is three points of a support"),
                ("{disk: {radius: 1 mm}, friction: 1}", "uncertain: {object.support.points: tripod(disk 1 mm)}",
                 "12:13", "unknown parameter object.support.points")):
            with self.subTest(says=said):
                self.write("lies.yaml", TILTED.format(shape=DISK, support=support, rest=rest))
                done = self.run_program("check", "lies.yaml", code=65)
                self.assertIn(f"lies.yaml:{place}: error: ", done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        text = TILTED.format(shape=DISK, support=LIES, rest="")
        self.write("lies.yaml", text)
        said = self.run_program("check", "lies.yaml", "--set", "world=planar", code=65).stderr
        self.assertIn("gravity lies in the plane and presses nothing on it", said)

    def test_every_mistake_has_its_place(self):
        self.write("wrong.yaml", MISTAKES)
        found = {int(m[1]): m[3] for m in
                 MESSAGE.finditer(self.run_program("check", "wrong.yaml", code=65).stderr)}
        wanted = {number: line.split("# ")[1] for number, line in enumerate(MISTAKES.splitlines(), 1)
                  if "# " in line}
        self.assertEqual(sorted(found), sorted(wanted))
        for line, text in wanted.items():
            self.assertIn(text, found[line])

    def test_planar_and_solid_shapes_never_meet(self):
        self.write("grip.yaml", GRIP.format(shape=DISK, rest=""))
        said = self.run_program("check", "grip.yaml", "--set", "world=spatial", code=65).stderr
        self.assertIn("grip.yaml:6:3: error: object.circle belongs to planar worlds", said)
        self.assertIn("planar and solid shapes never meet", said)

    def test_seen_from_above_nothing_is_lifted(self):
        self.write("grip.yaml", GRIP.format(shape=DISK, rest=""))
        said = self.run_program("check", "grip.yaml", "--set", "world=planar-support", code=65).stderr
        self.assertIn("grip.yaml:14:5: error: lift: seen from above nothing is lifted", said)
        self.assertIn("grip.yaml:16:20: error: lift: seen from above nothing has a height", said)

    def test_hands_that_leave_the_plane_are_refused(self):
        urdf = (SCENARIOS / "models/planar_jaw.urdf").read_text(encoding="utf-8")
        scenario = GRIP.format(shape=DISK, rest="").replace("models/planar_jaw", "hand")
        self.write("grip.yaml", scenario)
        for old, new, said in (
                ('<axis xyz="-1 0 0"/>', '<axis xyz="0 0 1"/>', "joint right slides out of the plane"),
                ('type="prismatic"', 'type="revolute"', "joint right turns out of the plane"),
                ('<cylinder radius="0.003" length="0.01"/>',
                 '<mesh filename="models/pebble.obj" scale="0.001 0.001 0.001"/>',
                 "a shape of link right has no simple section"),
                ('<origin xyz="0.033 0 0"/>', '<origin xyz="0.033 0 0" rpy="0.3 0 0"/>',
                 "a shape of link right has no simple section"),
                ('<child link="tcp"/>', '<child link="tcp"/><origin xyz="0 0 0.01"/>',
                 "frame tcp lies beside the plane")):
            with self.subTest(says=said):
                self.write("hand.urdf", urdf.replace(old, new, 1))
                done = self.run_program("check", "grip.yaml", code=65)
                self.assertIn(said, done.stderr)
                self.assertRegex(done.stderr, r"(hand\.urdf|grip\.yaml):\d+:\d+: error: ")


if __name__ == "__main__":
    unittest.main()
