"""A scenario to start from: it runs as it is, holds, and says what it does not know."""
import json
import os
import pathlib
import re
import shutil
import unittest

from support import ROOT, SCENARIOS, Case

SHARED = ROOT.parent / "shared"
JAW = SCENARIOS / "models/parallel_jaw.urdf"
MJCF = SCENARIOS.parent / "test/data/parallel_jaw.xml"
MUG = SHARED / "models/ycb_subset/mug/collision.obj"
CAN = "cylinder:66x100"


class New(Case):
    def make(self, *words, code=0):
        done = self.run_program("new", *words, code=code)
        self.write("s.yaml", done.stdout)
        return done

    def read_text(self, name):
        return (self.folder / name).read_text()

    def assert_holds(self, *words):
        done = self.make(*words)
        self.assertNotIn("no start", done.stderr)
        check = self.run_program("check", "s.yaml", "--no-warnings")
        self.assertIn("no mistakes", check.stdout)
        self.assertEqual(check.stderr, "")
        answer = self.run_json("run", "s.yaml", "-n", 20, "-q", "--force")
        self.assertGreaterEqual(answer["outcomes"]["success"], 1, answer)
        return done.stdout

    def test_a_parallel_jaw(self):
        text = self.assert_holds(JAW)
        for part in ("frame: tcp", "fingers: [left, right]", "closes towards its upper limit, 40 mm", "[ctu2014]",
                     "it holds in 5 of 5"):
            self.assertIn(part, text)
        self.assertEqual(self.make(JAW).stdout, text)  # no chance in it
        for word in ("box:60x40x100", CAN, "sphere:45mm"):
            with self.subTest(object=word):
                self.assert_holds(JAW, word)

    def test_what_is_said_stands_there(self):
        text = self.assert_holds(JAW, "box:40x40x40", "--material", "glass", "--mass", "0.3", "--frame", "base")
        for part in ("frame: base", "mass: 0.3 kg\n", "surface: glass", "rubber/glass: 0.6",
                     "a guess without a source: measure it"):
            self.assertIn(part, text)

    def test_a_mesh_in_millimetres(self):
        corners = [(x, y, z) for x in (0, 40) for y in (0, 40) for z in (0, 60)]
        faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
        self.write("box.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in corners) +
                   "".join("f " + " ".join(map(str, face)) + "\n" for face in faces))
        text = self.assert_holds(JAW, "box.obj")
        self.assertIn("unit: mm", text)
        self.assertIn("mass: 0.048 kg", text)

    def test_what_does_not_fit_is_said(self):
        done = self.make(JAW, "box:150x150x150", code=2)
        for part in ("NO START WAS FOUND THAT HOLDS", "150 x 150 mm wide", "none of 1728 starts that geometry suggests is free of overlap, and nothing was simulated",
                     "between the open fingers 80 mm are clear", "What to do: take a hand that opens far enough"):
            self.assertIn(part, done.stdout)
        self.assertIn("no start was found that holds", done.stderr)
        self.assertIn("hint: take a hand that opens far enough", done.stderr)
        self.assertNotIn("5 of 5", done.stdout)
        self.assertIn("no mistakes", self.run_program("check", "s.yaml").stdout)
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")  # it overlaps with nothing
        answer = self.run_json("run", "s.yaml", "-n", 4, "-q", "--force")
        self.assertEqual(answer["outcomes"]["success"], 0)

    def test_that_nothing_was_simulated_is_said(self):
        for shape, why in (("box:90x90x90mm", "none of 1800 starts that geometry suggests is free of overlap, and nothing was "
                            "simulated; the object is 90 x 90 x 90 mm large, and between the open fingers 80 mm are clear"),
                           ("sphere:2mm", "geometry suggests no start; the object is 2 x 2 x 2 mm large, and between")):
            done = self.make(JAW, shape, code=2)
            self.assertIn("warning: no start was found that holds: " + why, done.stderr)
            self.assertNotIn("none lifts", done.stderr)

    def test_what_the_force_carries_is_said(self):
        """Two pads of rubber carry 2 * 0.6 (friction on plastic) times the force of each."""
        for mass, word in ((0.03, "3"), (0.5, "15"), (4, "40")):
            with self.subTest(mass=mass):
                done = self.run_program("new", JAW, "box:40x40x60mm", "--mass", mass, code=(0, 2))
                self.assertIn(f"close: {{force: {word} N,", done.stdout)
                share = 2 * 0.6 * float(word) / (9.81 * mass)
                self.assertIn(f"# `force` is that of each joint: 2 tips carry {share:.2g} times the object's weight by friction of 0.6\n",
                              done.stdout)
                self.assertNotIn("TOO LITTLE", done.stdout + done.stderr)
        weak = (SCENARIOS / "models/parallel_jaw.urdf").read_text().replace('effort="100"', 'effort="5"')
        self.assertIn('effort="5"', weak)
        self.write("weak.urdf", weak)
        done = self.run_program("new", "weak.urdf", "box:40x40x60mm", "--mass", 1, code=2)
        part = ("2 tips carry 0.61 times the object's weight by friction of 0.6, TOO LITTLE: "
                "joint `left` gives 5 N at most")
        self.assertIn(f"# `force` is that of each joint: {part}\n", done.stdout)
        self.assertIn(part, done.stderr)
        answer = json.loads(self.run_program("new", "weak.urdf", "box:40x40x60mm", "--mass", 1, "--json", "-q", code=2).stdout)
        self.assertAlmostEqual(answer["carries"], 2 * 0.6 * 5 / 9.81, places=6)
        done = self.run_program("new", JAW, "box:40x40x60mm", "--mass", 6, code=2)
        self.assertIn("TOO LITTLE: more than 40 N at a tip is not tried, and the drives give more", done.stderr)

    def test_units_of_shapes(self):
        for word, part in (("box:50x50x100mm", "box: [50 mm, 50 mm, 100 mm]"), ("box:5x5x10cm", "box: [50 mm, 50 mm, 100 mm]"),
                           ("box:0.05x0.05x0.1m", "box: [50 mm, 50 mm, 100 mm]"),
                           ("box:50mmx5cmx0.1m", "box: [50 mm, 50 mm, 100 mm]"),
                           ("cylinder:66x100", "cylinder: {radius: 33 mm, length: 100 mm}"),
                           ("sphere:4.5cm", "sphere: {radius: 22.5 mm}")):
            with self.subTest(word=word):
                self.assertIn(part, self.make(JAW, word).stdout)
        for word, part in (("box:0.05x0.05x0.1", "if m were meant: box:0.05x0.05x0.1m"), ("sphere:0.2mm", "units are mm, cm and m"),
                           ("box:5cmx5x10", "as in box:60x40x100mm"), ("cylinder:6kgx2", "as in cylinder:66x100mm"),
                           ("sphere:-3", "as in sphere:5cm"), ("box:1x2x3x4", "as in box:60x40x100mm"), ("ball:3", "is not an object")):
            with self.subTest(word=word):
                done = self.run_program("new", JAW, word, code=65)
                self.assertIn(part, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_the_clear_way_between_the_fingers(self):
        """Pads of the jaw are 100 mm apart when it is open and each goes 40 mm; those of the Panda hand 80 mm."""
        hands = pathlib.Path(__file__).parent / "data/hands"
        self.assertIn("# Between the fingers 80 mm are clear at the start, the object there is 66 mm wide.",
                      self.make(hands / "panda.urdf", CAN).stdout)
        answer = json.loads(self.run_program("new", hands / "panda.urdf", "box:40x40x40", "--json", "-q").stdout)
        start = re.search(r"panda_finger_joint1: {start: ([0-9.]+) mm}", answer["scenario"])
        self.assertAlmostEqual(answer["clear_m"], 2e-3 * float(start[1]), delta=1e-4)  # starts are written with 4 digits

    def test_starts_bear_the_written_uncertainty(self):
        """Sliding fingers start alike, and no draw of what `new` writes is too deep in the object at the start."""
        for word in ("box:40x40x60mm", "box:30x60x60mm", "sphere:45mm"):
            with self.subTest(object=word):
                text = self.assert_holds(JAW, word)
                starts = re.findall(r"(?:left|right): {start: ([0-9.]+) mm}", text)
                self.assertEqual(len(starts), 2)
                self.assertEqual(starts[0], starts[1])
                self.assertIn("it holds in 5 of 5", text)
                answer = self.run_json("run", "s.yaml", "-n", 100, "-q", "--force")
                self.assertEqual(answer["outcomes"]["unsolved"], 0, answer)

    def test_output_and_its_paths(self):
        os.makedirs(self.folder / "a/b")
        os.makedirs(self.folder / "hands")
        shutil.copy(JAW, self.folder / "hands/jaw.urdf")
        shutil.copy(SCENARIOS / "models/tumbler.obj", self.folder / "a/thing.obj")
        done = self.run_program("new", "hands/jaw.urdf", "a/thing.obj", "-o", "a/b/s.yaml")
        self.assertEqual(done.stdout, "")
        text = self.read_text("a/b/s.yaml")
        self.assertIn("named from the folder of this file", text.splitlines()[0])
        self.assertIn("urdf: ../../hands/jaw.urdf\n", text)
        self.assertIn("mesh: ../thing.obj\n", text)
        self.assertIn("no mistakes", self.run_program("check", "a/b/s.yaml").stdout)
        self.assertIn("no mistakes", self.run_program("check", self.folder / "a/b/s.yaml").stdout)
        self.assertIn("there already", self.run_program("new", "hands/jaw.urdf", "-o", "a/b/s.yaml", code=73).stderr)
        self.assertEqual(self.read_text("a/b/s.yaml"), text)
        self.run_program("new", "hands/jaw.urdf", "-o", "a/b/s.yaml", "--force")
        self.assertIn("box:", self.read_text("a/b/s.yaml"))
        self.write("mine.yaml", "# My own notes\n")
        self.assertIn("--force replaces nothing else",
                      self.run_program("new", "hands/jaw.urdf", "-o", "mine.yaml", "--force", code=73).stderr)
        for word in ("hands/jaw.urdf", "a/thing.obj"):
            kept = self.read_text(word)
            self.run_program("new", "hands/jaw.urdf", "a/thing.obj", "-o", word, "--force", code=73)
            self.assertEqual(self.read_text(word), kept)
        there = self.run_program("new", "hands/jaw.urdf", "a/thing.obj").stdout
        self.assertIn("folder where it was made", there.splitlines()[0])
        self.assertIn("urdf: hands/jaw.urdf\n", there)

    def test_an_answer_as_json(self):
        answer = json.loads(self.run_program("new", JAW, "-o", "s.yaml", "--json").stdout)
        self.assertEqual((answer["output"], answer["held"], answer["of"], answer["object_first"]), ("s.yaml", 5, 5, True))
        self.assertNotIn("scenario", answer)

    def test_a_hand_in_mjcf(self):
        text = self.make(MJCF, "box:40x40x40").stdout
        self.assertRegex(text, r"  mjcf: .*parallel_jaw\.xml\n  frame: tcp")

    def test_files_in_the_wrong_place(self):
        mesh = SCENARIOS / "models/tumbler.obj"
        for words, part in (((JAW, JAW), "the object is to be a mesh, and this is a URDF"),
                            ((mesh, JAW), "hand and object are swapped"), ((mesh,), "the hand is to be a URDF or an MJCF, and this is a mesh"),
                            ((JAW, MJCF), "the object is to be a mesh, and this is an MJCF"),
                            ((JAW, SCENARIOS / "pinch_cube.yaml"), "the object is to be a mesh, and this is a scenario"),
                            ((SCENARIOS / "pinch_cube.yaml",), "the hand is to be a URDF or an MJCF, and this is a scenario")):
            with self.subTest(words=str(words)):
                said = self.run_program("new", *words, code=65).stderr.splitlines()
                self.assertIn(part, said[0])
                self.assertEqual((len(said), said[1].split(":")[0]), (2, "hint"))

    def test_materials_are_those_of_the_table(self):
        done = self.run_program("new", JAW, "--material", "plastik", code=65)
        self.assertIn("did you mean plastic? rubber, wood, cardboard", done.stderr)
        materials = re.search(r"did you mean plastic\? ([^;]*);", done.stderr)[1].split(", ")
        self.assertIn("wood", materials)  # the table's own
        for material in materials:
            with self.subTest(material):
                text = self.make(JAW, "box:40x40x40", "--material", material).stdout
                self.assertIn(f"surface: {material}", text)
                pairs = [frozenset(pair) for pair in re.findall(r"^  (\w+)/(\w+): ", text, re.MULTILINE)]
                self.assertEqual(set(pairs), {frozenset(("rubber", material)), frozenset(("rubber", "wood")),
                                              frozenset((material, "wood"))})
                self.assertEqual(len(pairs), len(set(pairs)))

    def test_the_written_speed_is_one_that_fingers_reach(self):
        slow = JAW.read_text().replace('velocity="1"', 'velocity="0.03"')
        self.assertIn('velocity="0.03"', slow)
        self.write("slow.urdf", slow)
        self.assertIn("speed: 0.03 m/s", self.make("slow.urdf").stdout)
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")

    def test_starts_at_limits_are_within_them(self):
        """0.5 rad are 28.6479 deg: rounded to hundredths they would be outside."""
        self.write("one.urdf", '''<robot name="n"><link name="base"><collision><geometry><box size="0.05 0.05 0.05"/></geometry>
            </collision></link><link name="f"><collision><origin xyz="0 0 0.05"/><geometry><box size="0.01 0.02 0.1"/></geometry>
            </collision></link><joint name="j" type="revolute"><parent link="base"/><child link="f"/><origin xyz="0.02 0 0.025"/>
            <axis xyz="0 1 0"/><limit lower="-1" upper="0.5" effort="5" velocity="2"/></joint></robot>''')
        done = self.make("one.urdf", "box:40x40x60", code=2)  # one finger closes against nothing
        self.assertIn("j: {start: 28.64 deg}", done.stdout)
        self.assertNotIn("limits", self.run_program("check", "s.yaml").stderr)

    def test_messages_are_about_files_of_the_user(self):
        self.write("none.urdf", '''<robot name="n"><link name="base"><collision><geometry><box size="0.05 0.05 0.05"/></geometry>
            </collision></link></robot>''')
        said = self.run_program("new", "none.urdf", code=65).stderr
        self.assertTrue(said.startswith("none.urdf: error: phase close: the hand has no fingers"), said)
        said = self.run_program("new", JAW, "--frame", "tpc", code=65).stderr
        self.assertNotIn("graspmc-new", said)
        self.assertEqual(self.run_program("new", pathlib.Path(__file__).parent / "data/hands/panda.urdf").stderr, "")

    def test_mistakes(self):
        done = self.run_program("new", JAW, "box:1x2", code=65)
        self.assertIn("box:60x40x100mm", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("no such file", self.run_program("new", "none.urdf", code=66).stderr)
        self.assertIn("no such file", self.run_program("new", JAW, "none.obj", code=66).stderr)
        self.assertIn("tpc", self.run_program("new", JAW, "--frame", "tpc", code=65).stderr)
        hand = pathlib.Path(__file__).parent / "data/hands/allegro.urdf"  # many fingers, whose drives are looked at
        self.assertIn("the hand has no link tpc", self.run_program("new", hand, "--frame", "tpc", code=65).stderr)
        self.run_program("new", JAW, "a.obj", "b.obj", code=64)

    def test_panda_hand(self):
        for word in ("box:50x50x50", CAN) + ((MUG,) if MUG.is_file() else ()):
            with self.subTest(object=str(word)):
                self.assert_holds(pathlib.Path(__file__).parent / "data/hands/panda.urdf", word)

    @unittest.skipUnless(MUG.is_file(), "needs the shared models")
    def test_barrett_hand(self):
        for word in ("box:50x50x50", CAN, MUG):
            with self.subTest(object=str(word)):
                self.assertNotIn("touches something else", self.assert_holds(SHARED / "models/barrett_hand/bhand_model.urdf", word))

    @unittest.skipUnless(MUG.is_file(), "needs the shared models")
    def test_allegro_hand(self):
        """Its thumb faces the fingers only with joint_12.0 far from where it starts by itself."""
        for word in ("box:50x50x50", MUG) + ((CAN,) if os.environ.get("GRASPMC_ALL_HANDS") else ()):  # the can takes half a minute
            with self.subTest(object=str(word)):
                text = self.assert_holds(SHARED / "models/allegro_hand/allegro_hand_right.urdf", word)
                self.assertNotIn("touches something else", text)
                self.assertRegex(text, r"joint_12.0: {start: [0-9.]+ deg} # held so that the fingers close against each other; by "
                                       r"itself it starts at 15.07 deg")


if __name__ == "__main__":
    unittest.main()
