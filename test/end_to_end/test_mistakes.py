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
