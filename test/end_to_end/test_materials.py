"""The table of materials that the program brings along."""
import unittest

from support import SCENARIOS, Case

SCENARIO = """\
graspmc: 1
use: graspmc/materials@1
hand: {{urdf: {urdf}, frame: tcp, surface: rubber}}
object: {{box: [50 mm, 50 mm, 50 mm], {mass}, surface: {surface}, placed: resting}}
scene: {{table: {{plane: {{height: 0 mm}}, surface: steel}}}}
{more}
program: [close: {{force: 20 N}}, lift: {{by: 100 mm, in: 0.5 s}}]
success: {{at_end: [lift(object) >= 80 mm]}}
"""


class Materials(Case):
    def scenario(self, surface="wood", mass="mass: 0.2 kg", more=""):
        text = SCENARIO.format(urdf=SCENARIOS / "models/parallel_jaw.urdf", surface=surface, mass=mass, more=more)
        self.write("s.yaml", text)

    def numbers(self):
        return {row["path"]: row["value"] for row in self.run_json("check", "s.yaml", "--parameters")}

    def test_pairs_of_what_is_there_and_nothing_else(self):
        self.scenario()
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")
        pairs = {path: value for path, value in self.numbers().items() if path.startswith("friction.")}
        self.assertEqual(pairs, {"friction.rubber/rubber": 0.6, "friction.rubber/wood": 0.6, "friction.rubber/steel": 0.6,
                                 "friction.wood/wood": 0.45, "friction.wood/steel": 0.45, "friction.steel/steel": 0.6})

    def test_what_the_scenario_says_goes_first_whichever_way_round(self):
        self.scenario(more="friction: {steel/wood: 0.3, rubber/wood: 0.8}")
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")
        numbers = self.numbers()
        self.assertEqual((numbers["friction.steel/wood"], numbers["friction.rubber/wood"]), (0.3, 0.8))
        self.assertNotIn("friction.wood/steel", numbers)

    def test_numbers_that_are_named(self):
        self.scenario(mass="density: density.wood")
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")
        numbers = self.numbers()
        self.assertEqual(numbers["density.wood"], 525)
        self.assertNotIn("density.steel", numbers)

    def test_pairs_that_nobody_measured_are_asked_for(self):
        self.scenario(surface="ceramic")
        done = self.run_program("check", "s.yaml", code=65)
        self.assertIn("ceramic", done.stderr)
        self.scenario(surface="ceramic", more="friction: {ceramic/steel: 0.3}")
        self.run_program("check", "s.yaml")

    def test_a_result_needs_no_table(self):
        self.scenario()
        self.run_program("run", "s.yaml", "-n", 2, "-o", "a.h5", "-q")
        self.run_program("replay", "a.h5", "--trial", 1)
        self.run_program("run", "s.yaml", "-n", 3, "-o", "a.h5", "-q", "--resume")
        self.run_program("extract", "a.h5", "--trial", 0, "-o", "case")
        self.assertNotIn("use:", (self.folder / "case/scenario.yaml").read_text())

    def test_another_version_is_no_file(self):
        self.scenario()
        path = self.folder / "s.yaml"
        path.write_text(path.read_text().replace("materials@1", "materials@2"))
        self.assertIn("use: the program has no table graspmc/materials@2", self.run_program("check", "s.yaml", code=66).stderr)


if __name__ == "__main__":
    unittest.main()
