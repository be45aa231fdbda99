"""The table of materials that the program brings along."""
import shutil
import unittest

import h5py

from support import SCENARIOS, Case, capability

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


# the release of GraspIt!, of [miller2003]: static and kinetic coefficients, from a material on to those behind it
NAMES = ("frictionless", "glass", "metal", "plastic", "wood", "rubber", "stone")
TABLE = """0/0 0/0 0/0 0/0 0/0 0/0 0/0
0.2/0.1 0.2/0.1 0.2/0.1 0.3/0.2 1/0.9 0.3/0.2
0.2/0.1 0.2/0.1 0.3/0.2 1/0.9 0.4/0.3
0.3/0.2 0.4/0.3 1/0.9 0.4/0.3
0.4/0.3 1/0.9 0.6/0.5
2/1.9 1.5/1.4
0.7/0.6"""
BLOCK = """\
graspmc: 1
use: data/materials.yaml
object: {{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: {a}, pose: {{z: 25 mm}}}}
scene: {{bench: {{plane: {{height: 0 mm}}, surface: {b}}}}}
program: [hold: {{for: 10 ms}}]
success: {{at_end: [lift(object) >= -1 m]}}
{more}
"""


class PaperTable(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "data").mkdir()
        shutil.copy(SCENARIOS / "data/materials.yaml", self.folder / "data")

    def law(self, a, b):
        """Static and kinetic coefficient and threshold between two materials, as `check` has them."""
        self.write("s.yaml", BLOCK.format(a=a, b=b, more=""))
        self.assertEqual(self.run_program("check", "s.yaml").stderr, "")  # no word about the other pairs
        numbers = {row["path"]: row["value"] for row in self.run_json("check", "s.yaml", "--parameters")}
        pair = next(f"friction.{pair}" for pair in (f"{a}/{b}", f"{b}/{a}") if f"friction.{pair}" in numbers)
        return numbers[pair], numbers.get(f"{pair}.kinetic", numbers[pair]), numbers.get(f"{pair}.threshold", 1e-3)

    def test_all_pairs_are_read_back(self):
        wrong = 0
        for i, line in enumerate(TABLE.splitlines()):
            for a, b, text in zip([NAMES[i]] * 7, NAMES[i:], line.split()):
                wanted = (*map(float, text.split("/")), 1e-3)
                wrong += sum(self.law(*pair) != wanted for pair in ((a, b), (b, a)))
        self.assertEqual(self.law("plastic", "wood"), (0.4, 0.3, 1e-3))
        capability(13, wrong, "<=", 0)

    def test_it_slides_as_the_table_says(self):
        """Plastic on wood, 0.4 and 0.3: under gravity that leans by 0.35 what rests stays, and what slides goes on."""
        more = ("simulation: {early: {rest: false}, workspace: 10 m}\nsampling: {draws: 1}\n"
                "output: {trajectories: all, rate: 0}\n")
        text = BLOCK.format(a="plastic", b="wood", more=more)
        lean = "set: {{gravity.x: {} m/s2}}, hold: {{for: {} s}}"
        held, pushed = (lean.format(0.35 * 9.81, 1), lean.format(0.5 * 9.81, 0.2) + ", " + lean.format(0.35 * 9.81, 1))
        ends = []
        for phases in (held, pushed):
            self.write("s.yaml", text.replace("hold: {for: 10 ms}", phases))
            self.run_program("run", "s.yaml", "-o", "a.h5", "-q", "--force")
            with h5py.File(self.folder / "a.h5") as file:
                ends.append(file["trajectories/bodies/object/pose"][-1, 0])
        self.assertLess(abs(ends[0]), 1e-5)
        start = (0.5 - 0.3) * 9.81 * 0.2  # the speed that it has then
        self.assertAlmostEqual(ends[1], start * 0.2 / 2 + start + (0.35 - 0.3) * 9.81 / 2, delta=0.01)  # two steps' worth


if __name__ == "__main__":
    unittest.main()
