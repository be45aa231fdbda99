"""`show --surrogate`: success with a narrower interval, from the same trials and a function fitted to them."""
import unittest

from support import QUICK, Case

FEW = ["--set", "simulation.half_step=0"]


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

    def test_few_or_equal_outcomes_tell_no_more(self):
        name = self.run_quick("-n", 40)
        found = self.run_json("show", name, "--surrogate")["success"]
        self.assertFalse(found["is_useful"])
        for key in ("p", "lower", "upper"):
            self.assertEqual(found[key], found["plain"][key])
        self.assertIn("a surrogate tells no more", self.run_program("show", name, "--surrogate").stdout)

    def test_refused(self):
        name = self.run_quick("-n", 256, "--design", "sobol", out="sobol.h5")
        refused = self.run_program("show", name, "--surrogate", code=65)
        self.assertIn("draws of a design depend on each other", refused.stderr)
        name = self.run_quick("-n", 60)
        refused = self.run_program("show", name, "--surrogate", "--where", "slip < 1 mm", code=65)
        self.assertIn("it answers for all trials", refused.stderr)


if __name__ == "__main__":
    unittest.main()
