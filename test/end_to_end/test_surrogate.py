"""`show --surrogate`: success with a narrower interval, from the same trials and a function fitted to them."""
import unittest

from support import QUICK, Case

FEW = ["--set", "simulation.half_step=0"]

BALL = """
graspmc: 1
object: {sphere: {radius: 10 mm}, mass: 4 g, surface: abs, pose: {x: 0 m, y: 0 m, z: 1.5 m}}
scene:
  table: {plane: {height: 0 mm}, surface: wood}
friction: {abs/wood: 0.4}
"""
# A ball falls; the fast ones are cut short.
FALL = BALL + """
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


# Balls of four sizes at three heights fall beside each other on common draws: with a radius of its own the draw decides.
MAP = BALL + """
program:
  - hold: {for: 0.1 s}
success:
  at_end: ["lift(object) >= -38 mm"]
uncertain:
  gravity.z: uniform(-12, -5)
  object.mass: uniform(3 g, 5 g)
study:
  vary: {object.pose.z: "grid(1.2 m, 1.8 m, step 0.2 m)", gravity.x: "grid(0, 2, step 1)"}
  draws: 40
simulation: {half_step: 0}
output: {map: [object.pose.z, gravity.x]}
"""


class Surrogate(Case):
    def run_quick(self, *words, out="s.h5"):
        self.run_program("run", QUICK, "-o", out, "-q", *FEW, *words)
        return out

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

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

    def test_a_map(self):
        scene = self.write("map.yaml", MAP)
        self.run_program("run", scene, "-o", "map.h5", "-q")
        found = self.run_json("show", "map.h5", "--surrogate")
        plain = self.run_json("show", "map.h5")
        self.assertEqual(len(found["cases"]), 12)
        for own, alone in zip(found["cases"], plain["cases"]):
            self.assertEqual(own["plain"], alone["success"])
            for key in ("case", "object", "object.pose.z", "gravity.x"):
                self.assertEqual(own[key], alone[key])
            self.assertLessEqual(own["upper"] - own["lower"], alone["success"]["upper"] - alone["success"]["lower"])
        # the height does not matter, gravity's other part neither: cells tell each other the edge
        self.assertGreater(sum(own["is_useful"] for own in found["cases"]), 6)
        self.assertLess(found["success"]["upper"] - found["success"]["lower"],
                        plain["success"]["upper"] - plain["success"]["lower"])
        self.assertAlmostEqual(found["success"]["p"], 2.6 / 7, delta=0.05)  # 38 mm in 0.1 s are 7.6 m/s2, of 5 to 12
        # the map's bins are the cells
        self.assertEqual(len(found["histograms"]), 1)
        bins = found["histograms"][0]["bins"]
        self.assertEqual(found["histograms"][0]["axes"], plain["histograms"][-1]["axes"])
        self.assertEqual([b["success"]["p"] for b in bins], [own["p"] for own in found["cases"]])
        text = self.run_program("show", "map.h5", "--surrogate").stdout
        self.assertRegex(text, r"the surrogate narrows \d+ of 12 cases: in the median one of these 40 draws are worth \d+\n")
        self.assertIn("success by object.pose.z [m] and gravity.x", text)
        rows = [line.split()[3:] for line in text.splitlines() if line.startswith("   ") and "..." in line]
        self.assertEqual([int(p) for row in rows for p in row], [round(100 * own["p"]) for own in found["cases"]])
        # too few draws for it
        self.run_program("run", scene, "-n", 19, "-o", "few.h5", "-q")
        self.assertIn("a surrogate needs 20 draws", self.run_program("show", "few.h5", "--surrogate").stdout)

    def test_cases_with_draws_of_their_own(self):
        scene = self.write("map.yaml", MAP)
        self.run_program("run", scene, "-n", 60, "-o", "own.h5", "-q", "--set", "study.independent=true")
        found = self.run_json("show", "own.h5", "--surrogate")
        self.assertNotIn("success", found)
        self.assertEqual([own["n"] for own in found["cases"]], 12 * [60])
        self.assertGreater(sum(own["is_useful"] for own in found["cases"]), 4)  # of 60 draws each, alone

    def test_first_orders_are_narrower_with_it(self):
        self.run_program("run", QUICK, "-o", "first.h5", "-n", 400, "-q", *FEW)
        words = ("show", "first.h5", "--sensitivity", "success")
        alone, helped = self.run_json(*words), self.run_json(*words, "--surrogate")
        self.assertEqual(helped, self.run_json(*words, "--surrogate"))
        self.assertTrue(helped["surrogate"])
        self.assertNotIn("surrogate", alone)
        plain = {row["input"]: row for row in alone["cases"][0]["inputs"]}
        gains = []
        for row in helped["cases"][0]["inputs"]:
            first, other = row["first"], plain[row["input"]]["first"]
            width, before = first["upper"] - first["lower"], other["upper"] - other["lower"]
            gains.append(first["gain"])
            self.assertAlmostEqual(first["gain"], (before / width) ** 2, places=6)
            if first["gain"] == 1:
                self.assertEqual([first["lower"], first["upper"]], [other["lower"], other["upper"]])
            else:
                self.assertLess(width, 0.9 * before)
            self.assertEqual(row["shapley"], plain[row["input"]]["shapley"])
        self.assertGreater(max(gains), 1)
        text = self.run_program(*words, "--surrogate").stdout
        self.assertIn("first order with a surrogate of success", text)
        self.assertRegex(text, r"first: as of \d[.\d]* times as many\n")
        refused = self.run_program("show", "first.h5", "--sensitivity", "slip", "--surrogate", code=65)
        self.assertIn("--surrogate is fitted to success", refused.stderr)

    def test_a_run_stops_by_its_width(self):
        rule = ["-n", 5000, "--until", "half_width<0.03 by surrogate"]
        self.run_program("run", QUICK, "-o", "one.h5", "-j", 1, "-q", *FEW, *rule)
        answer = self.run_json("show", "one.h5")
        found = answer["surrogate"]
        self.assertEqual([answer["verdict"], answer["stop_rule"]], ["yes", "half_width < 0.03 by surrogate"])
        self.assertLess((found["upper"] - found["lower"]) / 2, 0.03)
        self.assertTrue(found["is_useful"] and found["lower"] < found["p"] < found["upper"])
        self.assertEqual(found["n"], answer["trials"])
        self.assertIn(found["n"], (100, 114, 130, 148, 169, 193, 220, 251, 286, 326))  # looks
        self.assertEqual(answer["success"]["method"], "confidence seq")  # trials alone: at any time
        text = self.run_program("show", "one.h5").stdout
        self.assertRegex(text, r"success 0\.\d+ \[.*\] 95 % surrogate, fixed-width sequential, \d+ draws\n"
                               r"  the trials alone: .*\nreached: half_width < 0\.03 by surrogate, after \d+ of at most 5000 draws")
        # the rule's interval is of the level that it looked at
        other = self.run_json("show", "one.h5", "--level", 0.99)
        self.assertNotIn("surrogate", other)
        self.assertEqual([other["verdict"], other["success"]["method"]], ["yes", "confidence seq"])
        text = self.run_program("show", "one.h5", "--level", 0.99).stdout
        self.assertIn("  the run stopped by intervals of 95 %; at 99 % the confidence sequence is shown\n", text)
        whole = self.bytes_of("one.h5")
        for jobs in (2, 7):
            self.run_program("run", QUICK, "-o", "many.h5", "--force", "-j", jobs, "-q", *FEW, *rule)
            self.assertEqual(self.bytes_of("many.h5"), whole)
        self.run_cut_off("run", QUICK, "-o", "cut.h5", "-j", 1, "-q", *FEW, *rule, seconds=0.05)
        self.run_program("run", QUICK, "-o", "cut.h5", "-q", *FEW, *rule, "--resume")
        self.assertEqual(self.bytes_of("cut.h5"), whole)

    def test_a_run_that_it_does_not_stop(self):
        done = self.run_program("run", QUICK, "-o", "s.h5", "-n", 120, "-q", *FEW, "--until", "half_width<0.001 by surrogate", code=2)
        self.assertIn("undecided: half_width < 0.001 by surrogate after all 120 draws", done.stdout)
        refused = self.run_program("show", "s.h5", "--surrogate", code=65)
        self.assertIn("the run stopped by the width of its surrogate's interval", refused.stderr)
        refused = self.run_program("run", self.write("map.yaml", MAP), "--until", "half_width<0.1 by surrogate", code=64)
        self.assertIn(": error: --until ... by surrogate: `by surrogate` stops only runs of one case\nhint: half_width<W ", refused.stderr)
        refused = self.run_program("show", "s.h5", "--until", "half_width<0.1 by surrogate", code=64)
        self.assertIn("for a finished file use show --surrogate", refused.stderr)
        refused = self.run_program("check", QUICK, "--pilot", 4, "--until", "half_width<0.1 by surrogate", code=65)
        self.assertIn("not known before the run", refused.stderr)

    def test_of_a_run_that_stopped_only_a_surrogates_interval_is_of_its_length(self):
        said = "the run could stop early: a surrogate's intervals are those of a run of this fixed length\n"
        for width, is_useful in ((0.15, False), (0.04, True)):
            self.run_program("run", QUICK, "-o", "u.h5", "-q", "--force", *FEW, "-n", 2000, "--until", f"half_width<{width}")
            self.assertEqual(self.run_json("show", "u.h5", "--surrogate")["success"]["is_useful"], is_useful)
            self.assertEqual(said in self.run_program("show", "u.h5", "--surrogate").stdout, is_useful)

    def test_refused(self):
        name = self.run_quick("-n", 256, "--design", "sobol", out="sobol.h5")
        refused = self.run_program("show", name, "--surrogate", code=65)
        self.assertIn("the draws of this design are not independent", refused.stderr)
        name = self.run_quick("--decide", "success>=0.2", out="decided.h5")
        refused = self.run_program("show", name, "--surrogate", code=65)
        self.assertIn("the run was stopped by its own estimate of success", refused.stderr)
        name = self.run_quick("-n", 60)
        refused = self.run_program("show", name, "--surrogate", "--where", "slip < 1 mm", code=65)
        self.assertIn("it answers for all trials", refused.stderr)


if __name__ == "__main__":
    unittest.main()
