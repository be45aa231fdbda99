"""Every mistake of a scenario is reported at once, with its place and how to mend it."""
import re
import unittest

from support import DEMO, SCENARIOS, Case

# each marked line holds one mistake; the mark names what the message must speak of
TEN = """\
graspmc: 1
about: ten mistakes
object: {box: [50 mm, 50 mm, -5 mm], mass: 0.2 kg, surface: abs, placed: resting}  # 1 size
scene: {table: {plane: {height: 0 s}, surface: wood}}                              # 2 height
friction: {abs/wood: -0.4, rubber/wood: 0.5}                                       # 3 friction
program:
  - hold: {for: 1 parsec}                                                          # 4 parsec
  - juggle: {for: 1 s}                                                             # 5 juggle
success:
  at_end: [loft(object) >= 80 mm]                                                  # 6 loft
uncertain:
  object.mass: normal(0.2 kg, -0.1 kg)                                             # 7 deviation
  object.pose.x: nominal + uniform(3 mm, 1 mm)                                     # 8 uniform
sampling: {design: random, draws: 0, seed: 1}                                      # 9 draws
outptu: {trajectories: none}                                                       # 10 output
"""
MESSAGE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): error: (?P<text>.+)$", re.M)


class Mistakes(Case):
    def test_ten_mistakes_give_ten_located_messages(self):
        self.write("ten.yaml", TEN)
        for command in ("check", "run"):
            done = self.run_program(command, "ten.yaml", code=65)
            self.assertEqual(done.stdout, "")
            found = list(MESSAGE.finditer(done.stderr))
            wanted = {number: line.split("#")[1].split() for number, line in
                      enumerate(TEN.splitlines(), 1) if "#" in line}
            self.assertEqual(sorted(int(m["line"]) for m in found), sorted(wanted), done.stderr)
            for message in found:
                line = int(message["line"])
                self.assertEqual(message["file"], "ten.yaml")
                self.assertLessEqual(int(message["column"]), len(TEN.splitlines()[line - 1]))
            # each message shows its line with a caret beneath
            self.assertEqual(len(re.findall(r"^\s+\|\s+\^~*$", done.stderr, re.M)), 10, done.stderr)

    def test_one_number_has_one_line(self):
        """A pair has no order, and a joint's key stands in two places: two lines of one number drew it twice over."""
        demo = SCENARIOS / "pinch_cube.yaml"
        for lines, said in (
                (["uncertain.friction.abs/rubber=uniform(0.3, 0.4)"], "are the same number"),
                (["uncertain.friction.rubber/abs=~", "study.vary.friction.abs/rubber=[0.1, 0.2]",
                  "study.vary.friction.rubber/abs=[0.1, 0.2, 0.3]"], "study.vary: friction"),
                (["uncertain.hand.left.max_force=uniform(10 N, 20 N)",
                  "uncertain.hand.joints.left.max_force=uniform(10 N, 20 N)"], "are the same number")):
            sets = [word for line in lines for word in ("--set", line)]
            done = self.run_program("check", demo, *sets, code=65)
            self.assertIn(said, done.stderr, lines)
            self.run_program("check", demo, *sets[:len(sets) - 2], code=(0, 2))

    def test_a_solver_of_another_law_is_refused_with_those_that_fit(self):
        for command in ("check", "run"):
            done = self.run_program(command, DEMO, "--solver", "lemke", code=65)
            self.assertEqual(done.stdout, "")
            self.assertIn("--set simulation.solver=lemke: error: simulation.solver: lemke does not fit the law of coulomb\n"
                          "hint: these do: newton, nsgs, prox, admm", done.stderr)
        scenario = DEMO.read_text(encoding="utf-8") + "simulation: {solver: lemke}\n"
        self.write("lemke.yaml", scenario)
        (self.folder / "models").symlink_to(SCENARIOS / "models")
        line = scenario.count("\n")
        done = self.run_program("check", "lemke.yaml", code=65)
        self.assertRegex(done.stderr, rf"lemke\.yaml:{line}:22: error: simulation\.solver: lemke ")

    def refused(self, *words):
        return self.run_program("check", DEMO, *words, code=65).stderr

    def test_a_shake_that_the_steps_do_not_follow(self):
        path = "program.2.shake.frequency"
        for words, numbers in (
                (["--set", f"{path}=1000 Hz"], ("1000 Hz", "2 ms", "0.5 steps a swing", "at most 0.1 ms")),
                (["--set", f"{path}=50.1 Hz"], ("50.1 Hz", "at most 1.996 ms", "at most 50 Hz")),
                (["--set", f"{path}=1000 Hz", "--stepper", "song_pang_kumar"], ("1000 Hz", "2 ms")),
                (["--step", "40 ms"], ("3 Hz", "40 ms", "at most 33.33 ms")),
                (["--set", f"uncertain={{{path}: 'uniform(3 Hz, 60 Hz)'}}"], ("60 Hz", "at most 1.667 ms")),
                (["--set", f"uncertain={{{path}: 'nominal * uniform(1, 20)'}}"], ("60 Hz", "at most 1.667 ms")),
                (["--set", f"study={{vary: {{{path}: [3 Hz, 70 Hz]}}}}"], ("70 Hz", "at most 1.429 ms")),
                (["--set", "sampling={draws: 60, two_level: {step: 40 ms, pilot: 10}}"], ("3 Hz", "40 ms"))):
            with self.subTest(words):
                said = self.refused(*words)
                self.assertRegex(said, rf"(pinch_cube\.yaml:\d+:\d+|--set [^\n]*): error: {path}: ")
                for number in numbers:
                    self.assertIn(number, said)
        for words in (["--set", f"{path}=50 Hz"], ["--set", f"{path}=100 Hz", "--step", "1 ms"]):
            self.run_program("check", DEMO, *words)
        # what is only known when it is drawn is unsolved: half of it, and none of what can be followed
        answer = self.run_json("run", DEMO, "-n", 20, "-q", "--set", f"uncertain={{{path}: 'normal(50 Hz, 5 Hz)'}}")
        self.assertTrue(0 < answer["outcomes"]["unsolved"] < 20, answer["outcomes"])

    def test_lengths_and_angles_end(self):
        for path, value, bound in (("scene.table.plane.height", "1e300 m", "<= 1000000 m"),
                                   ("object.pose.x", "-1e300 m", ">= -1000000 m"),
                                   ("object.pose.yaw", "1e18 rad", "<= 1000000 rad"),
                                   ("object.box.x", "1000001 m", "<= 1000000 m")):
            self.assertIn(f"{path}: must be {bound}, found {value}", self.refused("--set", f"{path}={value}"))
        for line in ("object.pose.x: 'uniform(0 m, 2e6 m)'", "object.pose.yaw: 'nominal + uniform(0, 2e6)'",
                     "hand.left.upper: -1e300"):
            self.assertIn("must be between -1000000 and 1000000 (SI)", self.refused("--set", f"uncertain={{{line}}}"))
        self.assertIn("object.pose.x cannot be 1000000000 m",
                      self.refused("--set", "study={vary: {object.pose.x: [0 m, 1e9 m]}}"))
        self.run_program("check", DEMO, "--set", "object.pose.yaw=999999 rad")
        for line in ("object.pose.x: 'normal(0 m, 1e6 m)'", "hand.left.upper: 'uniform(-20 mm, 20 mm)'"):
            answer = self.run_json("run", DEMO, "-n", 20, "-q", "--force", "--set", f"uncertain={{{line}}}")
            self.assertTrue(0 < answer["outcomes"]["unsolved"] < 20, (line, answer["outcomes"]))

    def test_a_missing_scenario(self):
        done = self.run_program("check", "nowhere.yaml", code=66)
        self.assertIn("nowhere.yaml", done.stderr)

    def test_a_missing_mesh_is_named_where_it_is_asked_for(self):
        self.write("mesh.yaml", "graspmc: 1\nobject: {mesh: gone.obj, mass: 1 kg, surface: a}\n"
                   "program: [hold: {for: 1 s}]\nsuccess: {at_end: [lift(object) >= 0 m]}\n")
        done = self.run_program("check", "mesh.yaml", code=66)
        self.assertRegex(done.stderr, r"mesh\.yaml:2:\d+: error: .*gone\.obj")

    def test_the_nearest_known_name_is_offered(self):
        self.write("ten.yaml", TEN)
        done = self.run_program("check", "ten.yaml", code=65)
        for name in ("output", "lift"):
            self.assertRegex(done.stderr, rf"\b{name}\b")


if __name__ == "__main__":
    unittest.main()
