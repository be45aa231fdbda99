"""A scenario to start from: it runs as it is, holds, and says what it does not know."""
import os
import unittest

from support import ROOT, SCENARIOS, Case

SHARED = ROOT.parent / "shared"
JAW = SCENARIOS / "models/parallel_jaw.urdf"
MUG = SHARED / "models/ycb_subset/mug/collision.obj"
CAN = "cylinder:66x100"


class New(Case):
    def make(self, *words):
        done = self.run_program("new", *words)
        self.write("s.yaml", done.stdout)
        return done

    def assert_holds(self, *words):
        done = self.make(*words)
        self.assertNotIn("none of", done.stderr)
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
        done = self.make(JAW, "box:150x150x150")
        self.assertIn("NO GRASP HELD", done.stdout)
        self.assertIn("none of", done.stderr)
        self.assertIn("no mistakes", self.run_program("check", "s.yaml").stdout)

    def test_mistakes(self):
        done = self.run_program("new", JAW, "box:1x2", code=65)
        self.assertIn("box:XxYxZ", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("no such file", self.run_program("new", "none.urdf", code=66).stderr)
        self.assertIn("no such file", self.run_program("new", JAW, "none.obj", code=66).stderr)
        self.assertIn("tpc", self.run_program("new", JAW, "--frame", "tpc", code=65).stderr)
        self.run_program("new", JAW, "a.obj", "b.obj", code=64)

    @unittest.skipUnless((SHARED / "reviews/user/panda_hand.urdf").is_file(), "needs the shared models")
    def test_panda_hand(self):
        for word in ("box:50x50x50", CAN, MUG):
            with self.subTest(object=str(word)):
                self.assert_holds(SHARED / "reviews/user/panda_hand.urdf", word)

    @unittest.skipUnless(MUG.is_file(), "needs the shared models")
    def test_barrett_hand(self):
        words = ("box:50x50x50", CAN, MUG) if os.environ.get("GRASPMC_ALL_HANDS") else ("box:50x50x50", CAN)
        for word in words:
            with self.subTest(object=str(word)):
                self.assert_holds(SHARED / "models/barrett_hand/bhand_model.urdf", word)

    @unittest.skipUnless(MUG.is_file() and os.environ.get("GRASPMC_ALL_HANDS"), "takes minutes")
    def test_allegro_hand(self):
        for word in (CAN, MUG):
            with self.subTest(object=str(word)):
                self.assert_holds(SHARED / "models/allegro_hand/allegro_hand_right.urdf", word)


if __name__ == "__main__":
    unittest.main()
