"""`show --surrogate`: success with a narrower interval, from the same trials and a function fitted to them."""
import unittest

from support import QUICK, Case

FEW = ["--set", "simulation.half_step=0"]

# A ball falls; the fast ones are cut short.
FALL = """
graspmc: 1
object: {sphere: {radius: 10 mm}, mass: 4 g, surface: abs, pose: {x: 0 m, y: 0 m, z: 1.5 m}}
scene:
  table: {plane: {height: 0 mm}, surface: wood}
friction: {abs/wood: 0.4}
program:
  - hold: {for: 0.4 s}
success:
  at_end: ["height(object) >= 0.9 m"]
  always: ["speed(object) <= 3 m/s"]
uncertain:
  object.pose.z: uniform(1, 2)
  gravity.z: uniform(-12, -5)
simulation: {half_step: 0}
"""


class Surrogate(Case):
    def run_quick(self, *words, out="s.h5"):
        self.run_program("run", QUICK, "-o", out, "-q", *FEW, *words)
        return out

    def test_one_case(self):
        name = self.run_quick("-n", 300)
        answer = self.run_json("show", name, "--surrogate")
        found = answer["success"]
        self.assertTrue(found["is_useful"])
        self.assertEqual(found["n"], 300)
        self.assertGreater(found["gain"], 2)
        self.assertLess(found["upper"] - found["lower"], found["plain"]["upper"] - found["plain"]["lower"])
        self.assertTrue(found["lower"] < found["p"] < found["upper"])
        self.assertEqual([found["p_lower"], found["p_upper"]], [found["p"], found["p"]])
        self.assertEqual(answer["cases"], [found])
        # a pure function of the file
        self.assertEqual(answer, self.run_json("show", name, "--surrogate"))
        text = self.run_program("show", name, "--surrogate").stdout
        self.assertIn("95 % surrogate, 300 trials tell as much as", text)
        self.assertIn("the trials alone: ", text)

    def test_other_criteria(self):
        name = self.run_quick("-n", 200)
        found = self.run_json("show", name, "--surrogate", "--success", "slip <= 1 mm and lift >= 80 mm")["success"]
        plain = self.run_json("show", name, "--success", "slip <= 1 mm and lift >= 80 mm")["success"]
        self.assertEqual(found["plain"]["p"], plain["p"])

    def test_open_trials_make_a_range(self):
        # trials that an early verdict cut short are open under a looser criterion, and not missing at random
        scene, loose = self.write("fall.yaml", FALL), "lift >= -0.6 m"
        self.run_program("run", scene, "-n", 400, "-o", "s.h5", "-q")
        found = self.run_json("show", "s.h5", "--surrogate", "--success", loose)["success"]
        plain = self.run_json("show", "s.h5", "--success", loose)["success"]
        self.assertGreater(found["unknown"], 100)
        self.assertEqual(found["plain"], plain)
        self.assertNotIn("p", plain)
        self.assertIsNone(found["p"])
        self.assertLess(found["upper"] - found["lower"], plain["upper"] - plain["lower"])
        self.assertTrue(found["lower"] < found["p_lower"] < found["p_upper"] < found["upper"])
        self.assertIsNone(found["gain"])  # more trials would not tell more of those that are open
        text = self.run_program("show", "s.h5", "--surrogate", "--success", loose).stdout
        words = r"success between 0\.\d+ and 0\.\d+ \[.*95 % surrogate, 400 trials; \d+ trials without a verdict\n"
        self.assertRegex(text, words)
        self.assertIn("the trials alone: between ", text)
        self.assertNotIn("tell as much as", text)
        self.run_program("run", "--complete", "s.h5", "--success", loose, "-o", "whole.h5", "-q")
        whole = self.run_json("show", "whole.h5", "--success", loose, "--surrogate")["success"]
        self.assertEqual(whole["unknown"], 0)
        self.assertTrue(found["lower"] < whole["p"] < found["upper"])

    def test_few_or_equal_outcomes_tell_no_more(self):
        name = self.run_quick("-n", 40)
        found = self.run_json("show", name, "--surrogate")["success"]
        self.assertFalse(found["is_useful"])
        for key in ("p", "lower", "upper"):
            self.assertEqual(found[key], found["plain"][key])
        self.assertIn("a surrogate needs 50 trials", self.run_program("show", name, "--surrogate").stdout)

    def test_refused(self):
        name = self.run_quick("-n", 256, "--design", "sobol", out="sobol.h5")
        refused = self.run_program("show", name, "--surrogate", code=65)
        self.assertIn("draws of a design depend on each other", refused.stderr)
        name = self.run_quick("--decide", "success>=0.2", out="decided.h5")
        refused = self.run_program("show", name, "--surrogate", code=65)
        self.assertIn("the run stopped because of the success that it saw", refused.stderr)
        name = self.run_quick("-n", 60)
        refused = self.run_program("show", name, "--surrogate", "--where", "slip < 1 mm", code=65)
        self.assertIn("it answers for all trials", refused.stderr)


if __name__ == "__main__":
    unittest.main()
