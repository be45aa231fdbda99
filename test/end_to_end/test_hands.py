"""Hands as their makers meant them: which way fingers close, from wherever they start."""
import unittest
import xml.etree.ElementTree

import h5py

from support import ROOT, Case

HANDS = ROOT / "test/end_to_end/data/hands"
SHARED = ROOT.parent / "shared/models"

# what bends a finger, and the limit that it closes towards, as the makers' pages have it
MAKERS = {
    "barrett": {f"finger_{i}_med_joint": "lower" for i in (1, 2, 3)},
    "panda": {"panda_finger_joint1": "lower"},
    "allegro": {f"joint_{i}.0": "upper" for i in (1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15)},
    "shadow": {**{f"{f}J{i}": "upper" for f in ("FF", "MF", "RF", "LF") for i in (3, 2, 1)},
               "THJ2": "upper", "THJ1": "upper"},
}

FREE = """graspmc: 1
parameters: {open.share: 0.5}
hand:
  urdf: %(urdf)s
  surface: rubber
  target: {z: 2 m}
  joints:
%(joints)s
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
object: {box: [20 mm, 20 mm, 20 mm], mass: 0.2 kg, surface: abs, placed: as_given}
friction: {rubber/abs: 0.5}
program: [close: {force: %(force)s, for: 20 ms, ramp: 1 ms}]
success: {at_end: [lift(object) > -1 m]}
study: {vary: {open.share: "grid(0.01, 0.99, 200)"}}
sampling: {draws: 1}
output: {trajectories: all}
"""


def limits_of(urdf):
    joints = {}
    for joint in xml.etree.ElementTree.parse(urdf).getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None and joint.find("mimic") is None:
            joints[joint.get("name")] = (float(limit.get("lower")), float(limit.get("upper")),
                                         "m" if joint.get("type") == "prismatic" else "rad")
    return joints


class Hands(Case):
    def closes(self, *words):
        return {row["joint"]: row for row in self.run_json("check", *words)["closes"]}

    def free(self, name, urdf):
        # so damped that a joint moves as its own drive says, whatever the rest of its finger does
        limits = limits_of(urdf)
        joints = "\n".join(f'    {joint}: {{start: "{low} {unit} + open.share * {high - low} {unit}", '
                           f'damping: 1}}'
                           for joint, (low, high, unit) in limits.items() if joint in MAKERS[name])
        force = "1 N" if name == "panda" else "0.1 N*m"
        return self.write(f"{name}.yaml",
                          FREE % {"urdf": urdf, "joints": joints, "force": force})

    def check_maker(self, name, urdf):
        """The direction of check is the maker's, and fingers go there from 200 starts."""
        scenario = self.free(name, urdf)
        closes, limits = self.closes(scenario), limits_of(urdf)
        self.assertEqual(set(closes), set(MAKERS[name]))
        for joint, limit in MAKERS[name].items():
            self.assertEqual(closes[joint]["by"], "geometry")
            # a mimic may end before its leader does, as of the Barrett hand
            self.assertAlmostEqual(closes[joint]["end"], limits[joint][limit == "upper"],
                                   delta=0.1, msg=joint)
        self.run_program("run", scenario, "-o", f"{name}.h5", "-q")
        with h5py.File(self.folder / f"{name}.h5") as file:
            kept = file["trajectories"]
            names = [row["name"].decode() for row in kept["joints/names"][:]]
            q, rows = kept["joints/q"][:], kept["index"][:]
            self.assertEqual(len(rows), 200)
            for row in rows:
                first, last = int(row["offset"]), int(row["offset"]) + int(row["length"]) - 1
                for joint, limit in MAKERS[name].items():
                    way = q[last][names.index(joint)] - q[first][names.index(joint)]
                    self.assertGreater(way if limit == "upper" else -way, 0, f"{row} {joint}")

    def test_d01_hands_close_as_their_makers_say_from_wherever_they_start(self):
        for name in MAKERS:
            with self.subTest(hand=name):
                self.check_maker(name, HANDS / f"{name}.urdf")

    def jaw(self, hand="", program="[close: {force: 10 N}]"):
        """A Panda hand at a box, with more words about it."""
        return self.write("jaw.yaml", f"""graspmc: 1
hand: {{urdf: {HANDS / "panda.urdf"}, frame: tcp, surface: rubber, target: {{roll: 180 deg}}{hand}}}
object: {{box: [30 mm, 30 mm, 50 mm], mass: 0.2 kg, surface: abs}}
scene: {{table: {{plane: {{}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}}
program: {program}
success: {{at_end: [lift(object) > -1 m]}}
""")

    def joint(self, words):
        return f", joints: {{panda_finger_joint1: {{{words}}}}}"

    def mistake(self, scenario, text, line):
        done = self.run_program("check", scenario, code=65)
        self.assertIn(text, done.stderr)
        self.assertIn(f"{scenario}:{line}:", done.stderr)
        return done.stderr

    def test_d01_a_jaw_holds_from_every_start_and_check_says_so(self):
        program = "[close: {force: 10 N, speed: 0.1 m/s}, lift: {by: 100 mm, in: 1 s}]"
        for start in (16, 18, 20, 21, 25, 40):
            scenario = self.jaw(self.joint(f"start: {start} mm"), program)
            said = self.run_program("check", scenario).stdout
            self.assertIn(f"closes    panda_finger_joint1 {start} mm -> 0 mm (limit), 10 N, at most 0.1 m/s",
                          said)
            answer = self.run_json("run", scenario, "-n", 1, "-o", f"{start}.h5", "-q", "--set",
                                   "success.at_end=lift(object) > 80 mm")
            self.assertEqual(answer["success"]["successes"], 1, start)

    def test_d01_the_scenario_says_how_a_joint_closes(self):
        name = "panda_finger_joint1"
        for words, by, end in (("closes: upper", "closes", 0.04), ("closes: lower", "closes", 0),
                               ("open: 5 mm, closed: 35 mm", "open and closed", 0.04)):
            row = self.closes(self.jaw(self.joint(words)))[name]
            self.assertEqual((row["by"], row["end"]), (by, end))
        for words, text in (("open: 5 mm, closed: 35 mm, closes: lower", "closes: lower, but from open to closed"),
                            ("open: 5 mm, closed: 5 mm", "are the same"),
                            ("closed: 50 mm", "outside of the limits 0 to 0.04")):
            self.mistake(self.jaw(self.joint(words)), text, 2)

    def test_d01_open_and_close_go_to_these_positions(self):
        scenario = self.jaw(self.joint("start: 20 mm, open: 38 mm, closed: 17 mm"),
                            "[open: {}, hold: {for: 0.2 s}, close: {speed: 0.1 m/s, for: 0.5 s}]")
        self.assertEqual(self.closes(scenario)["panda_finger_joint1"]["end_is"], "closed")
        self.run_program("run", scenario, "-n", 1, "-o", "x.h5", "-q", "--set", "output.trajectories=all")
        with h5py.File(self.folder / "x.h5") as file:
            q = file["trajectories/joints/q"][:, 0]
        self.assertAlmostEqual(max(q), 0.038, delta=1e-4)
        self.assertAlmostEqual(q[-1], 0.017, delta=1e-4)

    def test_d01_what_cannot_be_told_is_a_mistake_with_both_choices(self):
        scenario = self.write("wrist.yaml", FREE % {
            "urdf": HANDS / "shadow.urdf", "joints": "    FFJ3: {start: 0}", "force": "1 N*m"})
        text = scenario.read_text().replace("  surface: rubber", "  surface: rubber\n  fingers: [WRJ1, FFJ3]")
        scenario.write_text(text)
        said = self.mistake(scenario, "which way joint WRJ1 closes cannot be told: it carries the palm", 3)
        self.assertIn("closes: upper", said)
        self.assertIn("closes: lower", said)
        scenario.write_text(text.replace("    FFJ3: {start: 0}", "    WRJ1: {closes: upper}"))
        self.assertEqual(set(self.closes(scenario)), {"WRJ1", "FFJ3"})

    def test_d11_units_are_those_of_the_joints(self):
        for phase, text in (("close: {force: 10 N*m}", "close.force: expected a force (N or kN), found a torque"),
                            ("close: {position: 5 deg, in: 1 s}", "close.position: expected a length"),
                            ("close: {force: 10 N, speed: 1 rad/s}", "close.speed: expected a speed"),
                            ("open: {position: 5 deg}", "open.position: expected a length")):
            self.mistake(self.jaw(program=f"[{phase}]"), text, 6)
        for phase in ("close: {force: 10}", "close: {position: 5 mm, in: 1 s}"):
            self.run_program("check", self.jaw(program=f"[{phase}]"))
        turning = self.jaw().read_text().replace("panda.urdf, frame: tcp", "barrett.urdf")
        self.mistake(self.write("turning.yaml", turning), "close.force: expected a torque (N*m), found a force", 6)

    def test_d12_at_most_needs_no_until(self):
        plain = self.jaw(program="[close: {force: 10 N, at_most: 2 s}]")
        self.assertIn("until: stalled, at_most: 2 s", self.run_program("check", plain, "--expanded").stdout)
        self.run_program("check", self.jaw(), "--set", "program.0.close.at_most=2 s")
        self.mistake(self.jaw(program="[close: {force: 10 N, for: 1 s, at_most: 2 s}]"),
                     "at_most means nothing without until", 6)


if __name__ == "__main__":
    unittest.main()
