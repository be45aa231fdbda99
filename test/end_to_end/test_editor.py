"""`graspmc --schema`: what editors are told of the language agrees with what `graspmc check` says."""
import json
import unittest

import yaml
from jsonschema import Draft7Validator

from support import ROOT, SCENARIOS, Case

# what YAML 1.1 readers make of `key: ~`, 1e6 and 0o7 is theirs; the same files are read by both
FILES = sorted([*SCENARIOS.glob("*.yaml"), *(ROOT / "test/end_to_end").glob("*.yaml"),
                *(ROOT / "test/bench/scenes").glob("*.yaml")])

BASE = """graspmc: 1
object: {sphere: {radius: 20 mm}, mass: 0.1 kg, surface: abs}
scene: {table: {plane: {height: 0 mm}, surface: wood}}
friction: {abs/wood: 0.4}
program: [{hold: {for: 0.1 s}}]
success: {at_end: [lift(object) >= -1 m]}
"""
MISTAKES = [  # what is wrong without looking at units, paths or files
    BASE.replace("mass:", "mas:"),
    BASE.replace("0.1 kg", "-0.1"),
    BASE.replace("0.1 kg", "[1, 2]"),
    BASE.replace("[{hold: {for: 0.1 s}}]", "{hold: {for: 0.1 s}}"),
    BASE.replace("{for: 0.1 s}", "{fro: 0.1 s}"),
    BASE + "gravity: [0, 0]\n",
    BASE + "world: round\n",
    BASE + "sampling: {draws: many, seed: 1.5}\n",
    BASE + "output: {trajectories: sometimes}\n",
    BASE + "simulation: {early: {rest: perhaps}}\n",
    BASE + "outptu: {}\n",
]


class Editor(Case):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(self.run_program("--schema").stdout)
        self.validator = Draft7Validator(self.schema)

    def complaints(self, text):
        return [error.message for error in self.validator.iter_errors(yaml.safe_load(text))]

    def test_it_is_a_schema_all_of_whose_references_lead_somewhere(self):
        Draft7Validator.check_schema(self.schema)
        wanted = set()

        def walk(node):
            if isinstance(node, dict):
                if "$ref" in node:
                    wanted.add(node["$ref"])
                for value in node.values():
                    walk(value)
            elif isinstance(node, list):
                for value in node:
                    walk(value)
        walk(self.schema)
        have = {f"#/definitions/{name}" for name in self.schema["definitions"]}
        self.assertEqual(wanted - have, set())
        self.assertGreater(len(wanted), 50)

    def test_scenarios_that_run_are_valid(self):
        self.assertGreater(len(FILES), 15)
        for path in FILES:
            with self.subTest(scenario=path.name):
                self.assertEqual(self.complaints(path.read_text()), [])

    def test_expanded_scenarios_are_valid(self):
        """Every key with its default: that of a shape, a phase or a study is in one of these."""
        for name in ("pinch_cube", "gear_map", "bin_pick"):
            text = self.run_program("check", SCENARIOS / f"{name}.yaml", "--expanded").stdout
            self.assertEqual(self.complaints(text), [], name)

    def test_mistakes_of_form_are_seen_by_both(self):
        self.write("good.yaml", BASE)
        self.run_program("check", "good.yaml")
        self.assertEqual(self.complaints(BASE), [])
        for text in MISTAKES:
            with self.subTest(text=text):
                self.write("bad.yaml", text)
                self.run_program("check", "bad.yaml", code=65)
                self.assertNotEqual(self.complaints(text), [])


if __name__ == "__main__":
    unittest.main()
