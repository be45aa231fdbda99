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


if __name__ == "__main__":
    unittest.main()
