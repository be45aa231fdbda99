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
  list: {polygon: [[0 mm, 0 mm], 5, [0 mm, 4 mm]], surface: steel}                        # a list of two numbers
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
        self.assertFalse([path for path in paths if "polygon" in path])

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
