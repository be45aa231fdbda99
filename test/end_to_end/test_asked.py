"""--until and --decide put to finished files: `show` and `merge` say what a run with that rule would have said, at
the same draw."""
import unittest

from support import QUICK, ROOT, Case

MAP = ["--set", "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}"]
LADDER = ROOT / "test/end_to_end/ladder.yaml"
CODES = {"yes": 0, "no": 1, "undecided": 2}


class Asked(Case):
    def test_the_verdict_is_that_of_a_run_which_stops(self):
        for words, rules in (([], (("--decide", "success>=0.5", "yes"), ("--decide", "success>=0.99", "no"),
                                   ("--decide", "success<=0.86", "undecided"),
                                   ("--until", "half_width<0.1", "yes"))),
                             (MAP, (("--decide", "success>=0.4", "yes"), ("--until", "half_width<0.01", "undecided")))):
            self.run_program("run", QUICK, "-n", 200, "-o", "all.h5", "-q", "--force", *words)
            whole = self.run_json("show", "all.h5")["success"]
            for option, rule, verdict in rules:
                code = CODES[verdict]
                found = self.run_json("show", "all.h5", option, rule, code=code)
                asked = found["asked"]
                self.assertEqual(asked["verdict"], verdict, rule)
                self.assertEqual(found["success"], whole)
                stopped = self.run_json("run", QUICK, "-n", 200, "-o", "stop.h5", "-q", "--force", *words,
                                        option, rule, code=code)
                self.assertEqual(asked["success"], stopped["success"], rule)
                self.assertEqual(asked["draws"], stopped["trials"] // (3 if words else 1))
                self.assertEqual(asked["of"], 200)
                text = self.run_program("show", "all.h5", option, rule, code=code).stdout
                is_width = option == "--until" and not words
                self.assertIn("fixed-width sequential" if is_width else "confidence sequence", text)

    def test_merged_files_are_asked_and_stay_whole(self):
        self.run_program("run", QUICK, "-n", 100, "-o", "all.h5", "-q")
        for i in (1, 2, 3):
            self.run_program("run", QUICK, "-n", 100, "--shard", f"{i}/3", "-o", f"part{i}.h5", "-q")
        parts = [f"part{i}.h5" for i in (2, 1, 3)]
        for rule, verdict in (("success>=0.5", "yes"), ("success>=0.99", "no")):
            found = self.run_json("merge", *parts, "-o", "merged.h5", "--force", "--decide", rule,
                                  code=CODES[verdict])
            self.assertEqual(found["asked"]["verdict"], verdict)
            self.assert_same_bytes("all.h5", "merged.h5")
            self.assertEqual(found["asked"], self.run_json("show", "all.h5", "--decide", rule,
                                                           code=CODES[verdict])["asked"])
        done = self.run_program("show", "part2.h5", "--until", "half_width<0.1", code=64)
        self.assertIn("merge", done.stderr)

    def test_other_criteria_may_be_asked_too(self):
        self.run_program("run", QUICK, "-n", 100, "-o", "a.h5", "-q")
        found = self.run_json("show", "a.h5", "--success", "lift >= 1 m", "--decide", "success>=0.5", code=1)
        self.assertEqual(found["asked"]["success"]["successes"], 0)

    def test_what_cannot_be_asked_is_refused(self):
        self.run_program("run", QUICK, "-n", 64, "-o", "a.h5", "-q", "--design", "sobol")
        self.run_program("run", LADDER, "-o", "l.h5", "-q")
        self.run_program("run", QUICK, "-n", 10, "-o", "b.h5", "-q")
        rule = ["--decide", "success>=0.5"]
        for words in (["a.h5", *rule], ["l.h5", *rule], ["b.h5", *rule, "--where", "draw < 5"],
                      ["b.h5", *rule, "--until", "half_width<0.1"]):
            self.assertEqual(self.run_program("show", *words, code=64).stdout, "")
        self.run_program("merge", "a.h5", "-o", "m.h5", *rule, code=64)
        self.assertFalse((self.folder / "m.h5").exists())


if __name__ == "__main__":
    unittest.main()
