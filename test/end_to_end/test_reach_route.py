"""study.plan: level `geometric` of a ladder looks for a way to a pose."""
import unittest

import h5py

from support import Case

T = 20  # thickness of the walls [mm]


def scenario(more="", ladder="[geometric, dynamic]", plan="{goal: {x: 0.4 m}, nodes: 4000}"):
    """A ball of 30 mm in a closed room of 400 mm, whose wall towards +x has a square hole of a width that the study varies."""
    walls = {"left": (-210, 0, 0, T, 440, 440), "front": (0, -210, 0, 400, T, 440), "back": (0, 210, 0, 400, T, 440),
             "below": (0, 0, -210, 400, 400, T), "above": (0, 0, 210, 400, 400, T)}
    lines = [f"  {name}: {{box: [{a} mm, {b} mm, {c} mm], surface: abs, pose: {{x: {x} mm, y: {y} mm, z: {z} mm}}}}"
             for name, (x, y, z, a, b, c) in walls.items()]
    for name, y, z, b, c in (("low", "0 mm", "-110 mm - hole.width / 4", "440 mm", "220 mm - hole.width / 2"),
                             ("high", "0 mm", "110 mm + hole.width / 4", "440 mm", "220 mm - hole.width / 2"),
                             ("near", "-110 mm - hole.width / 4", "0 mm", "220 mm - hole.width / 2", "hole.width"),
                             ("far", "110 mm + hole.width / 4", "0 mm", "220 mm - hole.width / 2", "hole.width")):
        lines.append(f"  {name}: {{box: [{T} mm, \"{b}\", \"{c}\"], surface: abs, pose: {{x: 210 mm, y: \"{y}\", z: \"{z}\"}}}}")
    return f"""graspmc: 1
parameters: {{hole.width: 60 mm}}
object: {{sphere: {{diameter: 30 mm}}, mass: 0.1 kg, surface: abs, placed: as_given, pose: {{x: 0 m}}}}
scene:
{chr(10).join(lines)}
friction: {{abs/abs: 0.5}}
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
program: [hold: {{for: 10 ms}}]
success: {{at_end: [moved(object) <= 1 mm]}}
study:
  vary: {{hole.width: [10 mm, 25 mm, 28 mm, 45 mm, 60 mm, 100 mm]}}
  draws: {{first: 1, last: 1}}
  ladder: {ladder}
  plan: {plan}
{more}"""


class Route(Case):
    def run_study(self, text, *words):
        self.write("a.yaml", text)
        self.run_program("run", "a.yaml", "-o", "a.h5", "-q", "--force", *words)
        with h5py.File(self.folder / "a.h5") as file:
            verdicts = [name.decode().rstrip("\0") for name in file["ladder/verdicts"]["verdict"]]
            return verdicts, file["ladder/levels"][0], file["trials"]["reason"][:]

    def test_designs_without_a_way_are_rejected_where_asked(self):
        verdicts, level, reasons = self.run_study(scenario(plan="{goal: {x: 0.4 m}, nodes: 4000, rejects: true}"))
        self.assertEqual(verdicts, ["rejected"] * 3 + ["works"] * 3)
        self.assertEqual((level["success"], level["unreachable"], level["unsolved"]), (3, 3, 0))
        self.assertEqual(sorted(reasons)[-3:], [13] * 3)  # no_way

    def test_else_they_go_on(self):
        verdicts, level, reasons = self.run_study(scenario())
        self.assertEqual(verdicts, ["works"] * 6)
        self.assertEqual((level["success"], level["unreachable"], level["unsolved"]), (3, 0, 3))
        self.assertEqual(sorted(reasons)[-3:], [13] * 3)  # no_way

    def test_the_same_bits_however_it_is_run(self):
        self.write("a.yaml", scenario())
        for name, workers in (("one.h5", 1), ("two.h5", 2)):
            self.run_program("run", "a.yaml", "-o", name, "-j", workers, "-q")
        self.assert_same_bytes("one.h5", "two.h5")

    def test_mistakes_are_told(self):
        for text, what in ((scenario(plan="{body: wall, goal: {x: 1 m}}"), "study.plan.body: there is no body wall"),
                           (scenario(plan="{body: left, goal: {x: 1 m}}"), "study.plan.body: left does not move freely"),
                           (scenario(plan="{nodes: 100}"), "goal"),
                           (scenario(ladder="[quasi_static, dynamic]"), "the ladder has no level geometric")):
            self.write("a.yaml", text)
            self.assertIn(what, self.run_program("check", "a.yaml", code=65).stderr)


if __name__ == "__main__":
    unittest.main()
