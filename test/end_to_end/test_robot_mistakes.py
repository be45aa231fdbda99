"""What is wrong with robots of a scenario is told where the scenario says it: check."""
import unittest

from support import SCENARIOS, Case

SCENARIO = f"""graspmc: 1
robots:
  big: {{urdf: {SCENARIOS}/models/puma560.urdf, surface: metal}}
  arm:
    urdf: {SCENARIOS}/models/puma560.urdf
    surface: metal
    mounted_on: big/flange
    joints: JOINTS
hand: {{urdf: {SCENARIOS}/models/pick_jaw.urdf, frame: tcp, surface: rubber, mounted_on: arm/flange}}
object: {{box: [40 mm, 60 mm, 50 mm], mass: 0.25 kg, surface: carton, pose: {{x: 5 m}}}}
friction: {{rubber/carton: 0.5, metal/carton: 0.3}}
program: PHASES
success: {{at_end: [speed(object) >= 0 m/s]}}
"""


class RobotMistakes(Case):
    def told(self, *places, joints="{}", phases="[hold: {for: 10 ms}]", more="", code=0):
        """What check says of the scenario with some of its text exchanged."""
        text = SCENARIO
        for old, new in places:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write("s.yaml", text.replace("JOINTS", joints).replace("PHASES", phases) + more)
        return self.run_program("check", "s.yaml", code=code).stderr

    def test_a_link_that_is_not_there(self):
        for old, new, robot in (("arm/flange", "arm/flanje", "arm"), ("big/flange", "big/flanje", "big")):
            said = self.told((old, new), code=65)
            self.assertIn(f"robot {robot} has no link flanje\n", said)
            self.assertIn("hint: did you mean flange?", said)
            self.assertEqual(said.count("error:"), 1, said)
            self.assertRegex(said, r"(?m)^s\.yaml:\d+:\d+: error")

    def test_who_cannot_follow(self):
        for joints, why in (("{j3: {follows: {joint: j3}}}", "joint j3 of robot arm cannot follow j3: it is that joint itself"),
                            ("{j3: {follows: {joint: j2}}, j2: {follows: {joint: j3}}}", "that follows another itself"),
                            ("{j3: {follows: {joint: j2, ratio: 0}}}", "cannot follow j2: the ratio is 0")):
            said = self.told(joints=joints, code=65)
            self.assertIn(why, said)
            self.assertNotRegex(said, r"(?m)urdf:.* error", said)
            self.assertRegex(said, r"(?m)^s\.yaml:8:\d+: error")

    def test_a_drive_that_is_too_weak_needs_force(self):
        said = self.told(joints="{j2: {holds: true, max_force: 1 N*m}}")
        self.assertRegex(said, r"j2 falls, it needs [\d.]+ of 1 N\*m")
        self.assertIn("hint: raise robots.arm.<joint>.max_force\n", said)

    def test_numbers_of_phases_are_of_their_joint(self):
        for phases, key, found in (("[move: {joint: arm/j1, by: 100 mm, in: 1 s}]", "move.by", "an angle"),
                                   ("[shake: {joint: arm/j1, amplitude: 30 mm, frequency: 3 Hz, for: 1 s}]",
                                    "shake.amplitude", "an angle"),
                                   ("[move: {joint: left, by: -1 deg, in: 1 s}]", "move.by", "a length"),
                                   ("[move_to: {joints: {arm/j1: 100 mm}, in: 1 s}]", "arm/j1", "an angle")):
            said = self.told(phases=phases, code=65)
            self.assertRegex(said, rf"(?m)^s\.yaml:12:\d+: error: .*{key}: expected {found}", said)
        move = "[move: {joint: arm/j1, by: 10 deg, in: 1 s}]"
        self.assertNotIn("error", self.told(phases=move))
        self.assertIn("error", self.told(phases=move, code=65,
                                         more="uncertain:\n  program.0.move.by: nominal + normal(0 mm, 4 mm)\n"))
        self.assertNotIn("error", self.told(phases=move, more="uncertain:\n  program.0.move.by: nominal + normal(0 deg, 4 deg)\n"))
        self.run_program("check", "s.yaml", "--set", "program.0.move.by=20 mm", code=65)

    def test_starts_beyond_the_limits(self):
        said = self.told(joints="{j5: {start: -150 deg}}", code=65)
        self.assertIn("robots.arm.j5.start: -150 deg is outside of the limits", said)
        self.assertIn("robots.arm.<joint>.lower and upper set other limits", said)
        said = self.told(joints="{j5: {start: 90 deg}}",
                         more="uncertain:\n  robots.arm.j5.start: nominal + normal(0 deg, 10 deg)\n")
        # limit 100 deg: one sigma away
        self.assertRegex(said, r"warning: robots\.arm\.j5\.start: 15\.9 % of the draws are outside of the limits")

    def test_a_move_past_a_stop(self):
        warning = "warning: phase move: joint arm/j5 is to go to 150 deg, outside of its limits -100 deg to 100 deg"
        self.assertIn(warning, self.told(phases="[move: {joint: arm/j5, by: 150 deg, in: 1 s}]"))
        there = "[{move_to: {joints: {arm/j5: 90 deg}, in: 1 s}}, {move: {joint: arm/j5, by: BY, in: 1 s}}]"
        self.assertIn(warning, self.told(phases=there.replace("BY", "60 deg")))
        self.assertNotIn("outside", self.told(phases=there.replace("BY", "-180 deg")))

    def test_at_most_is_no_less_than_in(self):
        said = self.told(phases="[move_to: {joints: {arm/j1: 33 deg}, in: 3 s, at_most: 1 s}]", code=65)
        self.assertIn("error: phase move_to: at_most 1 s is less than in 3 s", said)

    def test_a_joint_of_a_robot_is_named_with_it(self):
        said = self.told(phases="[move: {joint: j1, by: 1 deg, in: 1 s}]", code=65)
        self.assertRegex(said, r"hint: did you mean (arm|big)/j1\?")
        said = self.told(phases="[move_to: {joints: {arm/j5: 150 deg}, in: 1 s}]", code=65)
        self.assertIn("hint: robots.arm.<joint>.lower and upper set", said)

    def test_a_hand_whose_file_has_more_than_the_hand(self):
        jaw = (SCENARIOS / "models/pick_jaw.urdf").read_text()
        self.assertIn('"flange"', jaw)
        self.write("more.urdf", jaw.replace('"flange"', '"object"'))
        said = self.told((f"{SCENARIOS}/models/pick_jaw.urdf", "more.urdf"), code=65)
        self.assertIn("s.yaml:10:1: error: the hand's file more.urdf has a body called object, too", said)
        self.assertEqual(said.count("error:"), 1, said)

    def test_a_body_of_the_name_of_a_joint(self):
        said = self.told(("friction:", "scene: {left: {box: [1 mm, 1 mm, 1 mm], surface: carton, pose: {x: 2}}}\nfriction:"), code=65)
        self.assertRegex(said, r"s.yaml:\d+:\d+: error: the body left of the scene is named like a joint of the hand \(.*pick_jaw.urdf\)")
        self.assertEqual(said.count("error:"), 1, said)


if __name__ == "__main__":
    unittest.main()
