"""Runs that stop because of what they have seen: --until and --decide."""
import json
import os
import signal
import time
import unittest

import h5py

from support import QUICK, Case

# one of three cases starts 3 mm within the floor: all of its trials are unsolved, those of the others succeed
STUCK = """\
graspmc: 1
world: planar
object: {box: [40 mm, 20 mm, 10 mm], mass: 0.1 kg, surface: abs, pose: {y: 10 mm}}
scene: {floor: {box: [400 mm, 20 mm, 10 mm], surface: steel, pose: {y: -10 mm}}}
friction: {abs/steel: 0.4}
gravity: [0 m/s2, -10 m/s2, 0 m/s2]
program: [hold: {for: 20 ms}]
success: {at_end: [moved(object) <= 0.05 mm]}
uncertain: {friction.abs/steel: "uniform(0.3, 0.5)"}
study: {vary: {object.pose.y: [10 mm, 7 mm, 10.01 mm]}, draws: 20}
"""


class Stopped(Case):
    def test_the_same_bytes_for_any_number_of_workers(self):
        options = ["-n", 20000, "--until", "half_width<0.08", "-q"]
        for jobs, name in ((1, "one.h5"), (2, "two.h5"), (7, "seven.h5")):
            self.run_program("run", QUICK, *options, "-j", jobs, "-o", name)
        self.assert_same_bytes("one.h5", "two.h5")
        self.assert_same_bytes("one.h5", "seven.h5")
        with h5py.File(self.folder / "one.h5") as file:
            trials = file.attrs["trial_count"]
            self.assertEqual(file.attrs["stop_rule"], b"half_width < 0.08")
            self.assertEqual(len(file["trials"]), trials)
            self.assertEqual(file.attrs["trial_total"], 20000)
            (row,) = file["summary/estimates"][:]
            self.assertEqual(row["method"], b"fixed width")
            self.assertLess((row["hi"] - row["lo"]) / 2, 0.08)
            # histograms are of trials that the rule did not look at one by one
            self.assertEqual(file["histograms/by/object.pose.x"].attrs["method"], b"confidence seq")
        # a third of what the confidence sequence takes
        self.assertLess(trials, 200)
        shown = self.run_program("show", "one.h5").stdout
        self.assertIn(f"reached: half_width < 0.08, after {trials} of at most 20000 draws", shown)

    def test_killed_and_resumed_it_ends_in_the_same_file(self):
        options = ["-n", 20000, "--until", "half_width<0.04", "--progress", "none", "-j", 2]
        started = time.monotonic()
        self.run_program("run", QUICK, *options, "-o", "whole.h5")
        process = self.start("run", QUICK, *options, "-o", "a.h5")
        time.sleep((time.monotonic() - started) / 2)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.run_program("run", QUICK, *options, "-o", "a.h5", "--resume")
        self.assert_same_bytes("whole.h5", "a.h5")
        # and once more: there is nothing left to do
        again = self.run_program("run", QUICK, *options, "-o", "a.h5", "--resume").stdout
        with h5py.File(self.folder / "a.h5") as file:
            self.assertIn(f"after {file.attrs['trial_count']} of at most 20000 draws", again)
        self.assertFalse(os.path.exists(self.folder / "a.h5.journal"))
        other = self.run_program("run", QUICK, "-n", 20000, "-o", "a.h5", "--resume", code=76)
        self.assertIn("stop rule is half_width < 0.04 there, none here", other.stderr)

    def test_a_width_that_is_not_reached_has_another_interval(self):
        options = ["--until", "half_width<0.08", "-q"]
        found = self.run_program("run", QUICK, "-n", 20, *options, "-o", "few.h5", code=2).stdout
        self.assertIn("95 % Clopper-Pearson", found)
        self.assertIn("undecided: half_width < 0.08 after all 20 draws; more draws (-n) may decide it", found)
        # asked of all draws that a run without a rule has made
        self.run_program("run", QUICK, "-n", 20, "-q", "-o", "plain.h5")
        asked = self.run_program("show", "plain.h5", "--until", "half_width<0.08", code=2).stdout
        self.assertRegex(asked, r"after all 20 draws; more draws \(-n\) may decide it\n  then \d.* 95 % Clopper-Pearson")
        # several cases keep the sequence
        several = self.run_json("run", QUICK, "-n", 500, *options, "-o", "map.h5", "--set",
                                "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}")
        self.assertEqual(several["success"]["method"], "confidence seq")

    def test_shown_at_another_level_it_has_the_sequence(self):
        words = ["-n", 20000, "--until", "half_width<0.08", "--level", 0.9, "-q"]
        self.run_program("run", QUICK, *words, "-o", "a.h5")
        with h5py.File(self.folder / "a.h5") as file:
            self.assertEqual(file.attrs["stop_level"], 0.9)
        own = self.run_json("show", "a.h5", "--level", 0.9)
        self.assertEqual((own["success"]["method"], own["stop_level"], own["verdict"]), ("fixed width", 0.9, "yes"))
        for level in (0.95, 0.7):
            other = self.run_json("show", "a.h5", "--level", level)
            self.assertEqual((other["success"]["method"], other["success"]["level"]), ("confidence seq", level))
            self.assertEqual((other["stop_level"], other["verdict"]), (0.9, "yes"))
        out = self.run_program("show", "a.h5").stdout
        self.assertRegex(out, r"reached: half_width < 0.08, after \d+ of at most 20000 draws\n"
                              r"  the run stopped by intervals of 90 %; at 95 % the confidence sequence is shown\n")
        self.assertNotIn("the run stopped by", self.run_program("show", "a.h5", "--level", 0.9).stdout)
        words[words.index(0.9)] = 0.95
        err = self.run_program("run", QUICK, *words, "-o", "a.h5", "--resume", code=76).stderr
        self.assertIn("the rule looked at 90 % intervals there, at 95 % ones here", err)

    def test_the_answer_is_the_exit_code(self):
        p = json.loads(self.run_program("run", QUICK, "-n", 1000, "-o", "p.h5", "--json").stdout)[
            "success"]["p"]
        options = ["-n", 5000, "--json", "-q"]
        low, high = p - 0.1, p + 0.1
        for rule, code, verdict in ((f"success>={low:.3f}", 0, "yes"),
                                    (f"success>={high:.3f}", 1, "no"),
                                    (f"success<={high:.3f}", 0, "yes"),
                                    (f"success<={low:.3f}", 1, "no")):
            out = self.run_program("run", QUICK, *options, "--decide", rule, "--force",
                                   "-o", "d.h5", code=code).stdout
            self.assertEqual(json.loads(out)["verdict"], verdict, rule)
            self.assertLess(json.loads(out)["trials"], 5000)
        out = self.run_program("run", QUICK, "-n", 20, "--decide", f"success>={p:.3f}", "-q",
                               "-o", "u.h5", code=2).stdout
        self.assertIn("undecided: success >=", out)
        self.assertIn("after all 20 draws; more draws (-n) may decide it", out)

    def test_a_case_that_no_draw_decides_is_named(self):
        self.write("stuck.yaml", STUCK)
        why = ("after all 20 draws; more draws cannot decide it: unsolved trials alone leave success between 0.667 and 1\n"
               "  case 1 cannot be decided by more draws: all 20 of its trials are unsolved, deep_start (bodies overlap")
        for option, rule in (("--decide", "success >= 0.9"), ("--decide", "success <= 0.7"), ("--until", "half_width < 0.1")):
            out = self.run_program("run", "stuck.yaml", option, rule, "-q", "-o", "s.h5", "--force", code=2).stdout
            self.assertIn(f"undecided: {rule} {why}", out)
            self.assertNotIn("may decide", out)
        self.assertIn(f"half_width < 0.1 {why}", self.run_program("show", "s.h5").stdout)
        self.assertEqual(self.run_json("show", "s.h5")["stuck"], {"lower": 2 / 3, "upper": 1, "cases": [1]})
        # where the other cases leave the answer to further draws
        out = self.run_program("run", "stuck.yaml", "--decide", "success >= 0.6", "-q", "-o", "s.h5", "--force", code=2).stdout
        self.assertIn("after all 20 draws; more draws (-n) may decide it\n", out)
        self.assertNotIn("stuck", self.run_json("show", "s.h5"))
        out = self.run_program("run", "stuck.yaml", "--decide", "success >= 0.6", "-n", 200, "-q", "-o", "t.h5").stdout
        self.assertIn("decided: success >= 0.6 is true", out)
        # asked of a finished file, and of two
        self.run_program("run", "stuck.yaml", "-q", "-o", "plain.h5")
        self.assertIn(f"success >= 0.9 {why}", self.run_program("show", "plain.h5", "--decide", "success>=0.9", code=2).stdout)
        out = self.run_program("compare", "plain.h5", "plain.h5", "--fail-if", "worse", code=2).stdout
        self.assertIn("more draws will hardly decide it: unsolved trials leave both open", out)

    def test_what_does_not_go_together_is_refused(self):
        for words, part in ((["--until", "half_width<2"], "expects half_width<W"),
                            (["--until", "success>=0.5"], "expects half_width<W"),
                            (["--decide", "half_width<0.1"], "expects success>=P"),
                            (["--until", "half_width<0.1", "--decide", "success>=0.5"],
                             "choose one"),
                            (["--until", "half_width<0.1", "--trials", "0:10"],
                             "stopping is decided for the whole run")):
            found = self.run_program("run", QUICK, *words, code=64)
            self.assertIn(part, found.stderr)


if __name__ == "__main__":
    unittest.main()
