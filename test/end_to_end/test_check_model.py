"""What was understood of a scenario: check --model."""
import subprocess
import unittest

from support import DEMO, PROGRAM, ROOT, SCENARIOS, Case

JAW = (SCENARIOS / "models/parallel_jaw.urdf").read_text()


class CheckModel(Case):
    def test_the_demo_in_words(self):
        said = self.run_program("check", DEMO, "--model").stdout
        for part in ("left_finger", "2 box", "closes towards 40 mm (upper)", "at most 100 N, 1 m/s",
                     "tcp                          on base at (0, 0, -45) mm", "the hand's frame is tcp",
                     "from (-25, -25, -25) to (25, 25, 25) mm", "table                        fixed; 1 plane; surface wood",
                     "left_finger and object after", "in phase close"):
            self.assertIn(part, said)

    def test_robots_and_what_they_carry_are_told(self):
        said = self.run_program("check", SCENARIOS / "barrett_handset.yaml", "--model").stdout
        self.assertRegex(said, r"(?m)^hand +barrett from .*, mounted on arm/flange$")
        self.assertRegex(said, r"(?m)^arm +from .*puma560.urdf, mounted on the world$")
        robots = said[said.index("joints of robots"):said.index("other bodies")]
        self.assertRegex(robots, r"arm\.j2 +start 24\.97 deg in \[-215, 215\]; at most 186\.4 N\*m")
        # the joint that turns the flange is the arm's, though the hand's links begin there
        self.assertIn("arm.j6 ", robots)
        self.assertEqual(said.count("arm.j6 "), 1)

    def test_of_an_mjcf_it_is_not_said_that_it_is_a_urdf(self):
        self.write("hand.xml", """<mujoco model="claw"><compiler autolimits="true"/><worldbody><body name="palm">
            <geom type="box" size=".02 .02 .01" mass="0.3"/><body name="finger" pos="0 0.02 0">
            <joint name="bend" type="hinge" axis="1 0 0" range="-60 10"/><geom type="capsule" fromto="0 0 0 0 0 -.05" size=".005"/>
            </body></body></worldbody><actuator><position joint="bend" kp="2" forcerange="-1 1"/></actuator></mujoco>""")
        self.write("s.yaml", """graspmc: 1
hand: {mjcf: hand.xml, surface: rubber, fingers: [bend], joints: {bend: {closes: lower, max_speed: 5 rad/s}}}
object: {sphere: {radius: 20 mm}, mass: 50 g, surface: abs, pose: {z: -100 mm}}
friction: {rubber/abs: 0.5, rubber/rubber: 0.5}
program: [hold: {for: 10 ms}]
success: {at_end: [speed(object) < 1 m/s]}
""")
        said = self.run_program("check", "s.yaml", "--model").stdout
        self.assertRegex(said, r"(?m)^ +mjcf_root .* MJCF ")
        self.assertNotIn("URDF", said)

    def test_the_demo_as_json(self):
        model = self.run_json("check", DEMO, "--model")["model"]
        bodies = {body["name"]: body for body in model["bodies"]}
        self.assertEqual(bodies["left_finger"]["parent"], "base")
        self.assertEqual(bodies["left_finger"]["joint"]["closes"], "upper")
        self.assertEqual((bodies["left_finger"]["joint"]["lower"], bodies["left_finger"]["joint"]["upper"]), (0, 0.04))
        cube = bodies["object"]
        self.assertEqual((cube["low"], cube["high"]), ([-0.025] * 3, [0.025] * 3))
        # a cube of 0.2 kg with edges of 50 mm: m a^2 / 6, to rounding
        for moment in cube["inertia"][:3]:
            self.assertAlmostEqual(moment, 0.2 * 0.05**2 / 6, delta=1e-18)
        self.assertAlmostEqual(cube["pose"][2], 0.025, delta=1e-15)
        # the open fingers' pads stand 40 mm beside the middle, the cube reaches 25: both slide 15 mm
        touch = model["first_contact"]
        self.assertEqual((touch["b"], touch["phase"]), ("object", "close"))
        self.assertIn(touch["a"], ("left_finger", "right_finger"))
        self.assertAlmostEqual(abs(touch["point"][1]), 0.025, delta=2e-4)  # deeper by what the contact gives
        self.assertEqual({shape["body"] for shape in model["shapes"]}, {"table", "object", "base", "left_finger",
                                                                        "right_finger"})

    def test_drives_of_several_joints_are_told(self):
        self.assertEqual(self.run_json("check", DEMO, "--model")["model"]["drives"], [])
        self.write("s.yaml", f"graspmc: 1\nuse: {DEMO}\n"
                   "hand: {fingers: [both], drives: {both: {joints: {right: 0.5, left: 1}, kp: 3 kN/m, max_force: 20 N}}}\n")
        self.assertEqual(self.run_json("check", "s.yaml", "--model")["model"]["drives"], [
            {"name": "both", "robot": None, "type": "prismatic", "joints": {"right": 0.5, "left": 1}, "kp": 3000, "kd": 0,
             "max_force": 20}])

    def test_every_scenario_of_the_repository(self):
        for scenario in sorted(SCENARIOS.glob("*.yaml")):
            with self.subTest(scenario=scenario.name):
                self.assertTrue(self.run_json("check", scenario, "--model")["model"]["bodies"])

    def test_what_was_mended_is_told_for_each_link(self):
        self.write("jaw.urdf", JAW.replace('izz="2.0302e-06"', 'izz="1"'))
        self.write("s.yaml", DEMO.read_text().replace("models/parallel_jaw.urdf", "jaw.urdf"))
        done = self.run_program("check", "s.yaml", "--model")
        self.assertIn("for 2 links (left_finger, right_finger); check --model tells each", done.stderr)
        self.assertEqual(done.stdout.count("URDF's mass, shapes' inertia"), 2)
        for name in ("left_finger", "right_finger"):
            self.assertIn(f"warning: link `{name}`", done.stdout)

    def test_the_scenario_says_what_becomes_of_inertias(self):
        # of the left finger: the largest moment above the sum of the others by a tenth
        finger = JAW[JAW.index('<link name="left_finger">'):]
        inertia = finger[finger.index("<inertia "):finger.index("/>", finger.index("<inertia ")) + 2]
        moments = {name: float(finger.split(f'{name}="')[1].split('"')[0]) for name in ("ixx", "iyy", "izz")}
        low, middle, high = sorted(moments, key=moments.get)
        moments[high] = 1.1 * (moments[low] + moments[middle])
        words = " ".join(f'{name}="{value!r}"' for name, value in moments.items())
        self.write("jaw.urdf", JAW.replace(inertia, f'<inertia {words} ixy="0" ixz="0" iyz="0"/>', 1))
        text = DEMO.read_text().replace("models/parallel_jaw.urdf", "jaw.urdf")

        def links(word, code=0):
            self.write("s.yaml", text.replace("hand:\n", f"hand:\n  inertials: {word}\n", 1))
            done = self.run_program("check", "s.yaml", "--model", code=code)
            rows = {line.split()[0]: line for line in done.stdout.splitlines() if "2 box" in line}
            return rows, done.stderr

        rows, said = links("mended")
        self.assertIn("the nearest possible is taken", said)
        self.assertIn("URDF, inertia mended", rows["left_finger"])
        self.assertNotIn("mended", rows["right_finger"])
        rows, _ = links("computed")
        self.assertIn("URDF's mass, shapes' inertia", rows["left_finger"])
        self.assertIn("URDF's mass, shapes' inertia", rows["right_finger"])
        _, said = links("given", 65)
        self.assertIn("jaw.urdf:", said)
        self.assertIn("no body has principal moments", said)
        self.assertIn("hint: the nearest possible: <origin", said)

    def test_names_act_on_no_terminal(self):
        self.write("jaw.urdf", JAW.replace("left_finger", "left\u009b\u202e"))
        self.write("s.yaml", DEMO.read_text().replace("models/parallel_jaw.urdf", "jaw.urdf"))
        said = self.run_program("check", "s.yaml", "--model").stdout
        self.assertIn(r"left\xC2\x9B\xE2\x80\xAE", said)
        self.assertNotRegex(said, "[\u009b\u202e]")

    def test_starts_that_overlap_touch_nothing_first(self):
        self.write("s.yaml", f"use: {DEMO}\nhand: {{target: {{z: -20 mm}}}}\n")
        said = self.run_program("check", "s.yaml", "--model", "--no-warnings").stdout
        self.assertIn("none: bodies overlap", said)

    def test_the_start_is_drawn_without_a_run(self):
        try:
            import h5py, matplotlib.image  # noqa: E401, F401
        except ImportError as missing:
            self.skipTest(f"{missing.name} is not installed")
        for scenario in (DEMO, SCENARIOS / "gear_map.yaml"):
            with self.subTest(scenario=scenario.name):
                done = subprocess.run(["/usr/bin/python3", ROOT / "scripts/plot_trial", scenario, "--start", "-o", "a.png"],
                                      cwd=self.folder, env={"GRASPMC": PROGRAM, "PATH": "/usr/bin:/bin", "HOME": str(self.folder)},
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                picture = matplotlib.image.imread(self.folder / "a.png")
                is_orange = (picture[:, :, 0] > 0.9) & (picture[:, :, 2] < 0.85) & (picture[:, :, 1] < 0.9)
                self.assertGreater(is_orange.mean(), 0.01)  # the object
        self.write("bad.yaml", "graspmc: 1\n")
        done = subprocess.run(["/usr/bin/python3", ROOT / "scripts/plot_trial", "bad.yaml", "--start"], cwd=self.folder,
                              env={"GRASPMC": PROGRAM, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.yaml", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
