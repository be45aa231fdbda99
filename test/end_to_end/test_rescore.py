"""Stored trials judged anew: `show --success` finds what a run with these criteria finds, says what it
cannot know, and where a criterion is wrong."""
import json
import unittest

import h5py
import numpy

from support import DEMO, QUICK, ROOT, Case

NEVER = [word for rule in ("broken", "falling", "rest", "borne")
         for word in ("--set", f"simulation.early.{rule}=false")]
LADDER = ROOT / "test/end_to_end/ladder.yaml"


def slip_below(threshold):
    """Set of the demo's `always`."""
    return ["--set", f'success.always=["slip(object, hand) <= {threshold}"]']


class Rescore(Case):
    def trials(self, name):
        with h5py.File(self.folder / name) as file:
            return file["trials"][:]

    def show(self, name, criteria, *words, **options):
        return self.run_json("show", name, "--success", criteria, *words, **options)

    def test_the_own_criteria_give_the_stored_verdicts(self):
        self.run_program("run", DEMO, "-n", 80, "-o", "a.h5", *NEVER)
        stored = self.run_json("show", "a.h5")
        again = self.show("a.h5", "lift(object) >= 80 mm and max(slip(object, hand)) <= 10 mm")
        self.assertEqual(again["success"], stored["success"])
        self.assertGreater(min(again["success"]["successes"], again["success"]["failures"]), 5)
        self.assertEqual([[bin["success"] for bin in h["bins"]] for h in again["histograms"]],
                         [[bin["success"] for bin in h["bins"]] for h in stored["histograms"]])
        self.assertEqual(again["not_known"]["trials"], 0)
        # both sides of a claim, columns of every trial, and the stored verdict itself
        self.assertEqual(self.show("a.h5", "success")["success"], stored["success"])
        self.assertEqual(self.show("a.h5", "not t_violated >= 0 s and lift >= 80 mm")["success"],
                         stored["success"])

    def test_thresholds_move_the_share_and_the_rows_say_how_far(self):
        self.run_program("run", QUICK, "-n", 200, "-o", "a.h5", *NEVER)
        rows = self.trials("a.h5")
        stays = ~numpy.isin(rows["outcome"], [3, 4])  # lost, unsolved
        shares = []
        for millimetres in (1e-3, 0.1, 1, 10, 1000):
            answer = self.show("a.h5", f"slip <= {millimetres} mm and lift >= 15 mm")
            holds = (rows["slip"] <= millimetres / 1000) & (rows["lift"] >= 0.015) & stays
            self.assertEqual(answer["success"]["successes"], int(holds.sum()))
            self.assertEqual(sum(answer["outcomes"].values()), 200)
            shares.append(answer["success"]["p"])
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0], shares[-1])

    def test_it_is_the_answer_of_a_run_with_these_criteria(self):
        self.run_program("run", DEMO, "-n", 60, "-o", "whole.h5", *NEVER)
        self.run_program("run", DEMO, "-n", 60, "-o", "early.h5")
        early = self.trials("early.h5")
        for threshold, slip in (("2 mm", 0.002), ("30 mm", 0.03)):
            self.run_program("run", DEMO, "-n", 60, "-o", "run.h5", "--force", *slip_below(threshold))
            found = self.run_json("show", "run.h5")["success"]
            criteria = f"lift >= 80 mm and max(slip(object, hand)) <= {threshold}"
            self.assertEqual(self.show("whole.h5", criteria)["success"], found)
            # rows that were cut short: those that a threshold already refuses are known
            answer = self.show("early.h5", criteria)
            cut = (early["decided_by"] == 1) & (early["audit"] == 0)
            open_rows = cut & (early["max(slip(object, hand))"] <= slip)
            self.assertEqual(answer["not_known"]["broken"], int(open_rows.sum()))
            self.assertEqual(answer["not_known"]["trials"], int(open_rows.sum()))
            self.assertEqual(answer["success"]["unsolved"], answer["outcomes"]["unsolved"])
            if slip < 0.01:  # stricter than what broke them
                self.assertEqual(answer["success"], found)
            else:
                self.assertGreater(answer["not_known"]["broken"], 0)
                self.check_range(answer["success"], found, int(open_rows.sum()))

    def check_range(self, said, found, count):
        """No share of the trials that are known, but a range that has the true one, and both ends' intervals."""
        self.assertNotIn("p", said)
        self.assertEqual(said["open"], count)
        trials = found["successes"] + found["failures"]
        self.assertEqual(said["successes"] + said["failures"] + count, trials)
        self.assertAlmostEqual(said["lowest"], said["successes"] / trials)
        self.assertAlmostEqual(said["highest"], (said["successes"] + count) / trials)
        self.assertLessEqual(said["lowest"], found["p"])
        self.assertGreaterEqual(said["highest"], found["p"])
        self.assertLess(said["lower"], min(said["lowest"], found["lower"] + 1e-12))
        self.assertGreaterEqual(said["upper"], max(said["highest"], found["upper"] - 1e-12))
        self.assertRegex(said["text"], f"^between .* and .* {count} open$")

    def test_what_is_not_known_is_said_with_the_way_to_know(self):
        self.run_program("run", DEMO, "-n", 60, "-o", "a.h5")
        words = ("show", "a.h5", "--success", "max(slip(object, hand)) <= 1 m and moved <= 1 m")
        text = self.run_program(*words).stdout
        answer = json.loads(self.run_program(*words, "--json").stdout)
        unknown = answer["not_known"]
        rows = self.trials("a.h5")
        for rule, number in (("broken", 1), ("borne", 4)):
            cut = (rows["decided_by"] == number) & (rows["audit"] == 0)
            self.assertEqual(unknown[rule], int(cut.sum()))
            self.assertIn(f"{unknown[rule]} {rule}", text)
        self.assertIn(f"open {unknown['trials']}: early verdicts cut them short", text)
        self.assertIn(f"graspmc run --complete a.h5 --success '{words[3]}'", text)
        self.assertNotIn("early", answer)  # audits looked at the scenario's criteria
        self.assertNotIn("audited", text)
        self.run_program("run", DEMO, "-n", 60, "-o", "b.h5", "--set", "simulation.early.broken=false",
                         "--set", "simulation.early.borne=false")
        whole = self.show("b.h5", words[3])
        self.assertEqual(whole["not_known"]["trials"], 0)
        self.check_range(answer["success"], whole["success"], unknown["trials"])
        self.assertNotIn("open", self.run_program("show", "b.h5", *words[2:]).stdout)

    def test_bins_cases_and_choices_have_ranges_too(self):
        vary = ["--set", "study.vary={hand.target.x: [-5 mm, 5 mm]}", "--set",
                "output.histograms=[object.mass, [object.mass, friction.rubber/abs]]"]
        self.run_program("run", DEMO, "-n", 40, "-o", "a.h5", *vary)
        criteria = "slip <= 30 mm and lift >= 80 mm"
        answer = self.show("a.h5", criteria)
        self.assertEqual(answer["success"]["method"], "KG over draws")
        count = answer["success"]["open"]
        self.assertEqual(count, answer["not_known"]["trials"])
        parts = [[case["success"] for case in answer["cases"]]]
        parts += [[bin["success"] for bin in h["bins"]] for h in answer["histograms"]]
        self.assertEqual(len(parts), 3)
        for found in parts:
            self.assertEqual(sum(one.get("open", 0) for one in found), count)
            for one in found:
                self.assertEqual("p" in one, "open" not in one)
                self.assertEqual("lowest" in one, "open" in one)
        text = self.run_program("show", "a.h5", "--success", criteria).stdout
        self.assertRegex(text, r"\n +0 +-0.005  between .* open\n")
        self.assertRegex(text, r"\|#*-+ *\|  0\.\d+ to \d\.\d+ \[.*\] of \d+, \d+ open")
        self.assertIn("? open", text)
        # who is meant is not known either
        chosen = self.run_json("show", "a.h5", "--where", "slip <= 30 mm")
        self.assertEqual(chosen["success"]["open"], chosen["where"]["not_known"])
        self.assertAlmostEqual(chosen["success"]["lowest"], chosen["where"]["not_known_lower"])
        self.assertAlmostEqual(chosen["success"]["highest"], chosen["where"]["not_known_upper"])
        self.assertNotIn("p", chosen["success"])
        self.assertIn("p", self.run_json("show", "a.h5", "--where", "object.mass > 0.2 kg")["success"])
        # a rule looks at the trials with the same doubt
        self.run_program("run", DEMO, "-n", 80, "-o", "b.h5")
        asked = self.show("b.h5", criteria, "--decide", "success>=0.99", code=(1, 2))["asked"]["success"]
        self.assertGreater(asked["open"], 0)
        self.assertNotIn("p", asked)
        self.assertLess(asked["lowest"], asked["highest"])

    def test_cases_designs_and_stops_keep_their_methods(self):
        vary = ["--set", "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}"]
        for words, method in ((vary, "KG over draws"), (["--design", "sobol"], "KG of replicas"),
                              (["--until", "half_width<0.4"], "confidence seq")):
            self.run_program("run", QUICK, "-n", 64, "-o", "a.h5", "--force", *NEVER, *words)
            answer = self.show("a.h5", "lift >= 15 mm and slip <= 1 mm")
            self.assertEqual(answer["success"]["method"], method)
            self.assertEqual(sum(case["success"]["successes"] for case in answer["cases"]),
                             answer["success"]["successes"])
            self.assertNotIn("verdict", answer)  # the run stopped for other criteria
        histogram, = self.show("a.h5", "slip <= 1 mm", "--by", "object.mass")["histograms"]
        self.assertEqual(sum(bin["success"]["successes"] for bin in histogram["bins"]),
                         self.show("a.h5", "slip <= 1 mm")["success"]["successes"])

    def test_mistakes_are_located(self):
        self.run_program("run", QUICK, "-n", 4, "-o", "a.h5")
        for criteria, place, said in (
                ("lift >= 60 mm and slp <= 5 mm", "1:19", "did you mean slip?"),
                ("slip <= 5 deg", "1:6", "the left side is in m, the right side in rad"),
                ("slip <= 5 mm mm", "1:14", "expected the end"),
                ("slip", "1:1", "expected a condition")):
            done = self.run_program("show", "a.h5", "--success", criteria, code=65)
            self.assertEqual(done.stdout, "")
            self.assertIn(f"--success:{place}: error: ", done.stderr)
            self.assertIn(said, done.stderr)
            column = int(place.split(":")[1])
            lines = done.stderr.splitlines()
            self.assertIn("      | " + criteria, lines)
            self.assertTrue(any(line.startswith("      | " + " " * (column - 1) + "^")
                                for line in lines), done.stderr)
        self.run_program("show", "a.h5", "--success", "", code=64)
        self.run_program("show", "a.h5", "--success", code=64)
        self.run_program("show", "none.h5", "--success", "slip <= 5 mm", code=66)

    def test_what_was_drawn_may_be_named(self):
        self.run_program("run", DEMO, "-n", 60, "-o", "a.h5", *NEVER)
        rows = self.trials("a.h5")
        with h5py.File(self.folder / "a.h5") as file:
            mass = file["samples"][:, list(file["parameters"]["name"]).index(b"object.mass")]
        stays = ~numpy.isin(rows["outcome"], [3, 4])  # lost, unsolved
        light = numpy.median(mass)
        for criteria, holds in ((f"object.mass < {light!s}", mass < light), (f"object.mass < {1000 * light!s} g", mass < light),
                                ("slip <= 0.1 m/kg * object.mass", rows["slip"] <= 0.1 * mass)):
            successes = self.show("a.h5", criteria)["success"]["successes"]
            self.assertAlmostEqual(successes, int((holds & stays).sum()), delta=1)  # rounding of the limit itself
            self.assertGreater(successes, 5)
        self.assertIn("did you mean object.mass?", self.run_program(
            "show", "a.h5", "--success", "object.mas < 1 kg", code=65).stderr)
        self.run_program("run", DEMO, "-n", 60, "-o", "e.h5")
        criteria = f"slip <= 30 mm and object.mass < {light!s}"
        self.run_program("run", "--complete", "e.h5", "--success", criteria, "-o", "c.h5", "-q", "--no-warnings", code=(0, 2))
        self.assertEqual(self.show("c.h5", criteria)["success"], self.show("a.h5", criteria)["success"])

    def test_how_a_trial_was_run_is_no_criterion(self):
        self.run_program("run", DEMO, "-n", 40, "-o", "a.h5")
        for name in ("is_whole", "decided_by", "audit", "half_step"):
            for command in (["show", "a.h5"], ["run", "--complete", "a.h5"]):
                err = self.run_program(*command, "--success", f"lift >= 0 m and {name} == 1", code=65).stderr
                self.assertIn(f"--success:1:17: error: {name} is about how the trial was run", err)
        self.run_program("show", "a.h5", "--success", "t_decided < 1 s", code=65)
        picked = self.run_json("show", "a.h5", "--where", "is_whole == 1")  # a question about the run
        self.assertEqual(picked["trials"], int(self.trials("a.h5")["is_whole"].sum()))
        # energy of a trial that broke off is that of its beginning
        answer = self.show("a.h5", "energy_size >= 0 J")
        self.assertEqual(answer["not_known"]["broken"],
                         int(((self.trials("a.h5")["decided_by"] == 1) & (self.trials("a.h5")["audit"] == 0)).sum()))

    def test_a_ladder_is_refused(self):
        self.run_program("run", LADDER, "-o", "a.h5", "-q")
        done = self.run_program("show", "a.h5", "--success", "lift >= 0", code=65)
        self.assertEqual(done.stdout, "")
        self.assertIn("ladder", done.stderr)


if __name__ == "__main__":
    unittest.main()
