"""Warnings: numbers whose unit was forgotten, hands that touch nothing, and one line for each kind of them."""
import csv
import io
import re
import unittest

from support import ROOT, SCENARIOS, Case

JAW = (SCENARIOS / "models/parallel_jaw.urdf").read_text()
MODELS = ROOT.parent / "shared/models"
SCENARIO = """\
graspmc: 1
hand: {{urdf: jaw.urdf, frame: tcp, surface: rubber}}
object: {object}
scene: {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}}
program: [close: {{force: 10 N}}, lift: {{by: 100 mm, in: 0.7 s}}]
success: {{at_end: [{claim}]}}
uncertain: {{object.pose.yaw: "nominal + {yaw}"}}
"""
CUBE = "{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}"


class Warnings(Case):
    def warnings(self, *words, object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(-15 deg, 15 deg)",
                 urdf=JAW, code=0):
        self.write("jaw.urdf", urdf)
        self.write("s.yaml", SCENARIO.format(object=object, claim=claim, yaw=yaw))
        done = self.run_program("check", "s.yaml", *words, code=code)
        self.assertIn("no mistakes", done.stdout)
        return done.stderr.splitlines()

    def assert_one(self, part, lines):
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(part, lines[0])

    def test_a_good_scenario_has_none(self):
        self.assertEqual(self.warnings(), [])

    def test_d07_a_hand_of_visual_shapes_alone(self):
        seen = JAW.replace("<collision>", "<visual>").replace("</collision>", "</visual>")
        self.write("jaw.urdf", seen)
        # what closes it does not follow from shapes that are not there
        self.write("s.yaml", SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
                   .replace("surface: rubber}", "surface: rubber, joints: {left: {closes: upper}, right: {closes: upper}}}"))
        self.assert_one("no link has a <collision>: nothing can touch this robot",
                        self.run_program("check", "s.yaml").stderr.splitlines())
        one = JAW.replace("<collision>", "<visual>", 1).replace("</collision>", "</visual>", 1)
        self.assert_one("link `base` has visual shapes alone", self.warnings(urdf=one))

    def test_mass_in_grams(self):
        lines = self.warnings(object=CUBE.replace("0.2 kg", "200"))
        self.assert_one("s.yaml:3:", lines)
        self.assertIn("200 kg in 125 cm3 is 1.6e+03 g/cm3, denser than any metal", lines[0])
        self.assert_one("lighter than air", self.warnings(object=CUBE.replace("0.2 kg", "0.05 g")))
        self.assertEqual(self.warnings(object=CUBE.replace("mass: 0.2 kg", "density: 7.9 g/cm3")), [])
        self.assert_one("lighter than air", self.warnings(object=CUBE.replace("mass: 0.2 kg", "density: 0.6")))

    def test_angles_in_degrees(self):
        self.assert_one("uncertain.object.pose.yaw spans 1719 deg", self.warnings(yaw="uniform(-15, 15)"))
        self.assertEqual(self.warnings(yaw="uniform(-180 deg, 180 deg)"), [])
        self.assert_one("object.pose.yaw: 2578 deg are 7.16 turns; a number without a unit is in radians",
                        self.warnings("--set", "object.pose.yaw=45"))
        self.assertEqual(self.warnings("--set", "object.pose.yaw=720 deg"), [])

    def test_lengths_in_millimetres(self):
        self.assert_one("lift is compared with 80 m; what the program moves stays within 1.1 m",
                        self.warnings(claim="lift(object) >= 80"))
        self.assert_one("0.0005 m is small for an object", [
            line for line in self.warnings(object="{sphere: {radius: 0.5 mm}, density: 1 g/cm3, surface: abs}", code=2)
            if "overlap" not in line and not line.startswith("hint")])
        lines = self.warnings(urdf=re.sub('upper="[0-9.]+"', 'upper="40"', JAW))
        self.assert_one("2 joints (left, right); limits of prismatic joints are in metres", lines[:1])
        # in the middle of such a range the fingers have passed each other
        self.assert_one("no way to close: 2 joints (left, right)", lines[1:])

    def test_a_hand_that_is_not_there(self):
        """Metres of millimetres: where the hand starts, and how far it goes; the cube is 50 mm high."""
        far = SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
        placed = far.replace("surface: rubber}", "surface: rubber, target: {z: Z}}", 1)
        self.write("jaw.urdf", JAW)

        def check(text, *words):
            self.write("s.yaml", text)
            return self.run_program("check", "s.yaml", *words).stderr.splitlines()
        for z, part in (("100", 99), ("3", 2.9)):
            lines = check(placed.replace("Z", z))
            self.assert_one("s.yaml:2:", lines)
            gap = re.search("the hand starts ([0-9.]+) m from the object, and the program moves it by at most 0.1 m", lines[0])
            self.assertTrue(gap and part < float(gap[1]) < float(z), lines)
        self.assertEqual(check(placed.replace("Z", "1 m")), [])
        self.assertEqual(len(check(placed.replace("Z", "100"), "--no-warnings")), 0)
        self.write("s.yaml", placed.replace("Z", "100"))
        done = self.run_program("run", "s.yaml", "-n", 1, "-o", "s.h5", "--progress", "none")
        self.assertIn("the hand starts", done.stderr)
        # one case of two is near
        study = "study: {vary: {hand.target.z: [Z, 100 m]}, draws: 2}\n"
        self.assert_one("study.vary.hand.target.z spans 100 m", check(placed.replace("Z", "100") + study.replace("Z", "0 m")))
        lines = check(placed.replace("Z", "100") + study.replace("Z", "50 m"))
        self.assert_one("in the nearest case looked at", lines[:1])
        self.assert_one("study.vary.hand.target.z spans 50 m", lines[1:])
        self.assert_one("program.1.lift.by: 100 m is far for a hand", check(far.replace("100 mm", "100")))
        shake = far.replace("lift: {by: 100 mm, in: 0.7 s}", "shake: {axis: z, amplitude: A, frequency: 2 Hz, for: 1 s}").replace(
            "lift(object) >= 80 mm", "lift(object) >= -1 mm")
        self.assertIn("20 m is far for a hand", "".join(check(shake.replace("A,", "20,"))))
        self.assertNotIn("far for", "".join(check(shake.replace("A,", "20 mm,"))))

    def test_a_pad_thicker_than_its_finger(self):
        """A mistake at its line with the link and its size where it closes; a warning where it is thin only along another axis."""
        across = JAW.replace('"0.02 0.01 0.03"', '"0.01 0.02 0.03"').replace('"0.02 0.006 0.03"', '"0.01 0.006 0.03"')
        for thin, thickness, word in (("along", "5 mm", None), ("along", "9.9 mm", None), ("along", "10.1 mm", "error"),
                                      ("along", "5", "error"), ("across", "9.9 mm", None), ("across", "10.1 mm", "warning")):
            self.write("jaw.urdf", JAW if thin == "along" else across)
            text = SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
            self.write("s.yaml", text + f"surfaces: {{rubber: {{pad: {{thickness: {thickness}, modulus: 1 MPa}}}}}}\n")
            lines = [line for line in self.run_program("check", "s.yaml", code=65 if word == "error" else 0).stderr.splitlines()
                     if "surfaces.rubber.pad" in line]
            self.assertEqual(len(lines), word is not None, lines)
            if word:
                self.assertIn(f"s.yaml:9:38: {word}: ", lines[0])
                self.assertIn("more than link `left_finger` has" + (" where it closes" if word == "error" else ""), lines[0])
                self.assertIn(", 10 mm", lines[0])

    def test_a_pad_that_may_be_thicker_than_its_finger(self):
        """In a case: a mistake. In a draw: its probability, and such trials are unsolved. On an object: a warning."""
        self.write("jaw.urdf", JAW)
        text = SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
        self.write("s.yaml", text + "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 MPa}}}\n")
        pad = "surfaces.rubber.pad.thickness"

        def check(word, code=0):
            return self.run_program("check", "s.yaml", "--set", word, code=code).stderr

        self.assertIn("12 mm are more than link `left_finger` has where it closes, 10 mm",
                      check(f"study={{vary: {{{pad}: [1 mm, 12 mm]}}}}", 65))
        self.assertIn("leaves that with probability 1\n", check(f"uncertain.{pad}=uniform(20 mm, 40 mm)", 65))
        self.assertIn("probability 0.25\n", check(f"uncertain.{pad}=uniform(7 mm, 11 mm)", 65))
        self.assertNotIn(pad, check(f"uncertain.{pad}=uniform(7 mm, 10 mm)"))
        self.assertIn("probability 0.159: such trials end as unsolved", check(f"uncertain.{pad}=normal(9 mm, 1 mm)"))
        self.run_program("run", "s.yaml", "-n", 40, "-o", "s.h5", "-q", "--no-warnings", "--set", f"uncertain.{pad}=normal(9 mm, 1 mm)", code=(0, 2, 3))
        rows = csv.DictReader(io.StringIO(self.run_program("export", "s.h5").stdout))
        drawn = [(float(row[pad]), row["reason"]) for row in rows]
        self.assertIn(sum(x > 10e-3 for x, _ in drawn), range(2, 13), drawn)  # of 40, 6.3 expected
        for thickness, reason in drawn:
            self.assertEqual(reason == "bad_value", thickness > 10e-3)
        self.assertIn("60 mm are more than `object` has, 50 mm", check("surfaces.abs.pad={thickness: 60 mm, modulus: 1 MPa}"))
        self.assertIn("must be >= 1e-06 m", check(f"{pad}=1e-12", 65))

    def test_contact_numbers_without_their_unit(self):
        self.write("jaw.urdf", JAW)
        text = SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
        self.write("s.yaml", text + "surfaces: {rubber: {pad: {thickness: 3 mm, modulus: 1 MPa}}}\n")
        said = {"surfaces.rubber.pad.modulus=1": "1 Pa is the modulus of no pad", "friction.rubber/abs=40": "40 is much for friction",
                "friction.rubber/abs={static: 0.4, torsion: 5}": "5 m is far for a patch",
                "friction.rubber/abs={static: 0.4, restitution: 0.3, bounce_speed: 10}": "10 m/s: nothing slower than that bounces",
                "surfaces.ruber.stiffness=1e5": "surfaces.ruber changes nothing: nothing has this surface\nhint: did you mean rubber?"}
        for word, line in said.items():
            self.assertIn(line, self.run_program("check", "s.yaml", "--set", word).stderr, word)
        for word in ("surfaces.rubber.pad.modulus=1 kPa", "friction.rubber/abs=0.4", "friction.rubber/abs={static: 0.4, torsion: 5 mm}"):
            self.assertNotIn("warning: friction", self.run_program("check", "s.yaml", "--set", word).stderr)
            self.assertNotIn("warning: surfaces", self.run_program("check", "s.yaml", "--set", word).stderr)

    def test_a_pad_that_is_all_overlap_at_the_start(self):
        """Told with both names and the pad's thickness; such trials are unsolved, and the answer names both. Fingers are 80 mm apart.
        Thicker ones are told as starts that run."""
        self.write("jaw.urdf", JAW)
        for thickness, is_told in (("1 mm", True), ("1.2 mm", True), ("1.3 mm", False), ("5 mm", False)):
            text = SCENARIO.format(object=CUBE.replace("50 mm, 50 mm, 50 mm", "50 mm, 82.5 mm, 50 mm"), claim="lift(object) >= -1 m",
                                   yaw="uniform(0, 0.001 deg)")
            self.write("s.yaml", text + f"surfaces: {{rubber: {{pad: {{thickness: {thickness}, modulus: 1 MPa}}}}}}\n")
            lines = [line for line in self.run_program("check", "s.yaml", code=2 if is_told else 0).stderr.splitlines()
                     if "at nominal values" in line]
            self.assertEqual(len(lines), 1, lines)
            self.assertEqual("is accepted" in lines[0], is_told)
            done = self.run_program("run", "s.yaml", "-n", "2", "-o", f"{thickness[:3]}.h5", code=(0, 2, 3))
            if is_told:
                self.assertRegex(lines[0], "left_finger|right_finger")
                self.assertRegex(lines[0], f"object.*up to {thickness} is accepted, the thickness of the pad")
                self.assertRegex(done.stdout + done.stderr, r"_finger is 1\.[23] mm in object in all 2 trials")
            else:
                self.assertNotIn("deep_start", done.stdout + done.stderr)

    def test_lengths_that_are_uncertain_by_metres(self):
        self.write("jaw.urdf", JAW)
        for law, count in (("normal(0, 4)", 1), ("normal(0 mm, 4 mm)", 0), ("uniform(-1 m, 1 m)", 0), ("uniform(-15, 15)", 1)):
            text = SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
            self.write("s.yaml", text.replace("uncertain: {", f"uncertain: {{object.pose.x: 'nominal + {law}', "))
            lines = self.run_program("check", "s.yaml").stderr.splitlines()
            self.assertEqual(len(lines), count, lines)
            if count:
                self.assertRegex(lines[0], r"uncertain\.object\.pose\.x spans [0-9.]+ m")

    def test_a_mesh_in_the_wrong_unit_is_small(self):
        corners = [(x, y, z) for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1)]
        faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
        self.write("cube.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in corners) +
                   "".join("f " + " ".join(map(str, face)) + "\n" for face in faces))
        lines = self.warnings(object="{mesh: cube.obj, unit: mm, density: 1 g/cm3, surface: abs}", code=2)
        self.assertIn("0.0001 x 0.0001 x 0.0001 m is small for an object to be grasped", lines[0])
        self.assertIn("hint: `unit` or `scale` makes it small: 1 of the file is 0.001 m; were the file in m, it would be 0.1 m long",
                      lines)

    def test_d16_one_line_a_kind_and_none_when_asked(self):
        bad = re.sub(r'izz="[0-9.e-]+"', 'izz="1"', JAW)
        self.assertGreater(bad.count('izz="1"'), 2)
        lines = self.warnings(urdf=bad)
        self.assert_one("impossible inertia replaced by that of the shapes for 3 links (base, left_finger, right_finger)",
                        lines)
        self.assertEqual(self.warnings("--no-warnings", urdf=bad), [])
        self.assertEqual(len(self.warnings("-q", urdf=bad)), 1)  # it may decide the result
        for words, count in ((["--no-warnings"], 0), (["-q", "--no-warnings"], 0), (["-q"], 1), ([], 1)):
            done = self.run_program("run", "s.yaml", "-n", 1, *words, "--force", "--progress", "none")
            self.assertEqual(done.stderr.count("warning"), count, done.stderr)

    def test_d16_an_effort_that_the_scenario_gives_needs_no_word(self):
        weak = JAW.replace('effort="100"', 'effort="0"')
        self.assert_one("effort limit 0, taken as none, for 2 joints (left, right)", self.warnings(urdf=weak))
        given = SCENARIO.replace("surface: rubber}}", "surface: rubber, joints: {{left: {{max_force: 100 N}}, "
                                                      "right: {{max_force: 100 N}}}}}}")
        self.write("s.yaml", given.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)"))
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")

    @unittest.skipUnless((MODELS / "allegro_hand").is_dir(), "needs the shared models")
    def test_d16_allegro(self):
        self.write("s.yaml", SCENARIO.format(object=CUBE, claim="lift(object) >= 80 mm", yaw="uniform(0, 1)")
                   .replace("10 N", "0.3 N*m")
                   .replace("jaw.urdf, frame: tcp", f"{MODELS}/allegro_hand/allegro_hand_right.urdf, "
                                                    "target: {z: 1 m}"))
        lines = [line for line in self.run_program("check", "s.yaml").stderr.splitlines() if "allegro" in line]
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("for 13 links (link_1.0, link_2.0, link_5.0, ...)", lines[1])


if __name__ == "__main__":
    unittest.main()
