"""What would run, every number by its path, and the scenario with all defaults filled in."""
import json
import unittest

from support import DEMO, QUICK, SCENARIOS, Case


class Check(Case):
    def test_the_scenarios_of_the_repository_are_fine(self):
        for scenario in sorted(SCENARIOS.glob("*.yaml")):
            with self.subTest(scenario=scenario.name):
                done = self.run_program("check", scenario)
                self.assertIn("no mistakes", done.stdout)

    def test_it_says_how_much_would_run(self):
        answer = self.run_json("check", DEMO, "-n", 250)
        self.assertEqual((answer["cases"], answer["draws"], answer["trials"]), (1, 250, 250))
        varies = {row["path"]: row for row in answer["varies"]}
        self.assertEqual(varies["object.mass"]["lower"], 0.1)
        self.assertEqual(varies["object.mass"]["unit"], "kg")
        self.assertIsNone(varies["object.pose.x"]["upper"])
        study = self.run_json("check", SCENARIOS / "pinch_map.yaml", "-n", 3)
        self.assertEqual(study["trials"], 3 * study["cases"])
        self.assertGreater(study["cases"], 1)

    def test_limits_that_leave_next_to_nothing_of_a_law_are_told(self):
        for law, told in (("nominal + normal(0 kg, 20 g) in [0.1 kg, 0.3 kg]", "the limits are of what is added to the nominal value"),
                          ("nominal * lognormal(1, 10 %) in [1.3, 2]", "the limits are of the factor of the nominal value"),
                          ("normal(0.2 kg, 20 g) in [-inf, 0.15 kg]", "keeps 0.6 % of the law's draws"),
                          ("normal(0.2 kg, 20 g) in [0.16 kg, 0.24 kg]", None)):
            done = self.run_program("check", DEMO, "--set", f"uncertain.object.mass={law}")
            self.assertEqual("uncertain: object.mass: in [lower, upper] keeps" in done.stderr, told is not None, law)
            self.assertIn(told or "", done.stderr)

    def test_parameters_can_be_set_by_the_paths_it_lists(self):
        rows = self.run_json("check", DEMO, "--parameters")
        paths = {row["path"]: row for row in rows}
        for path in ("object.mass", "object.pose.yaw", "friction.rubber/abs", "simulation.step",
                     "hand.target.x"):
            self.assertIn(path, paths)
        table = self.run_program("check", DEMO, "--parameters").stdout
        self.assertIn("friction.rubber/abs", table)
        changed = self.run_json("check", DEMO, "--parameters", "--set", "object.mass=0.25 kg",
                                "--set", "uncertain.object.mass=~")
        self.assertEqual({row["path"]: row["value"] for row in changed}["object.mass"], 0.25)
        done = self.run_program("check", DEMO, "--set", "object.mass=0.25 kg", code=65)
        self.assertIn("object.mass has no effect: uncertain: object.mass decides it in every trial", done.stderr)
        done = self.run_program("check", DEMO, "--set", "object.mas=1 kg", code=65)
        self.assertIn("did you mean mass", done.stderr)

    def test_the_expanded_scenario_is_the_same_experiment(self):
        # names in it are relative to the scenario's folder, so it is tried out there
        expanded = self.run_program("check", QUICK, "--expanded").stdout
        for name in (SCENARIOS / "models").iterdir():
            (self.folder / "models").mkdir(exist_ok=True)
            (self.folder / "models" / name.name).write_bytes(name.read_bytes())
        plain = self.run_program("check", DEMO, "--expanded").stdout
        self.write("again.yaml", plain)
        first, second = (self.run_json("check", name)["digest"] for name in (DEMO, "again.yaml"))
        self.assertEqual(first, second)
        self.assertEqual(self.run_program("check", "again.yaml", "--expanded").stdout, plain)
        self.assertIn("lift", json.loads(self.run_program("check", DEMO, "--expanded",
                                                          "--json").stdout)["program"][1])
        self.assertNotIn("use:", expanded)

    def test_gains_that_nobody_gave_are_stated(self):
        def joints(*words):
            return json.loads(self.run_program("check", DEMO, "--expanded", "--json", *words).stdout)["hand"]["joints"]
        gains = {"kp": 1e4, "kd": 50}
        self.assertEqual(joints(), {"left": gains, "right": gains})
        given = {"kp": 2e4, "kd": 50}
        self.assertEqual(joints("--set", "hand.left.kp=2e4 N/m"), {"left": given, "right": gains})

    def test_starts_that_only_what_is_uncertain_makes_too_deep(self):
        """At nominal values nothing overlaps; moved by 30 mm, as all draws are, the cube is in a finger."""
        self.write("s.yaml", f"graspmc: 1\nuse: {DEMO}\nuncertain: {{object.pose.y: 30 mm}}\n")
        self.assertIn("nothing would be decided: all 1000 trials start with bodies that overlap",
                      self.run_program("check", "s.yaml", code=2).stdout)
        self.run_program("run", "s.yaml", "-n", 4, "-q", "-o", "s.h5", code=2)
        self.write("s.yaml", f"graspmc: 1\nuse: {DEMO}\nuncertain: {{object.pose.y: 'uniform(0 mm, 30 mm)'}}\n")
        self.run_program("check", "s.yaml")

    def test_mistakes_as_json(self):
        self.write("bad.yaml", "graspmc: 1\nobject: {box: [1, 1, -1], mass: 1 kg, surface: a}\n")
        done = self.run_program("check", "bad.yaml", "--json", code=65)
        messages = json.loads(done.stdout)["messages"]
        self.assertIn(2, [message["line"] for message in messages])


if __name__ == "__main__":
    unittest.main()
