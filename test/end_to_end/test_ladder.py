"""Studies with a ladder: verdicts that are known, what they cost, and the same bytes however run."""
import unittest

import h5py
import numpy as np

from support import ROOT, Case

LADDER = ROOT / "test/end_to_end/ladder.yaml"

# A ball that bounces. Rigid contact does not, and so rejects every design that the law accepts.
WRONG = """graspmc: 1
world: planar
object: {circle: {radius: 10 mm}, mass: 50 g, surface: rubber, pose: {y: 50 mm}}
scene:
  floor: {box: [400 mm, 20 mm, 10 mm], surface: steel, pose: {y: -10 mm}}
friction: {rubber/steel: {static: 0.5, restitution: 0.9}}
program:
  - hold: {for: 0.15 s}
success:
  at_end: [height(object) >= 30 mm]   # 40 mm down in 90 ms, and 24 mm up again 60 ms later
study:
  vary: {object.mass: [10 g, 20 g, 50 g, 100 g, 200 g]}
  draws: {first: 20, last: 40}
  ladder: [rigid, dynamic]
  audit: 20 %
simulation: {early: {audit: 0}, half_step: 0}
"""


def slope_is_held(gravity_x, friction):
    return -gravity_x / 10 <= friction


class Ladder(Case):
    def result(self, name, *words, scenario=LADDER):
        self.run_program("run", scenario, "-o", name, "--force", "-q", *words)
        return h5py.File(self.folder / name)

    def test_verdicts_are_those_of_the_closed_form(self):
        with self.result("a.h5") as file:
            levels = [name.decode() for name in file["ladder/levels"]["name"]]
            self.assertEqual(levels, ["geometric", "coarse", "dynamic"])
            trials = {row["trial"]: row for row in file["trials"][:]}
            samples = dict(zip(trials, file["samples"][:]))
            columns = [name.decode() for name in file["parameters"]["name"]]
            friction = columns.index("friction.abs/steel")
            draws = {trial // 3 // 14: sample[friction] for trial, sample in samples.items()}
            seen = set()
            for verdict, case in zip(file["ladder/verdicts"][:], file["cases"][:]):
                is_blocked = case["scene.post.pose.x"] < 0.025
                first_round = [draws[d] for d in range(8)]
                fails = [f for f in first_round if not slope_is_held(case["gravity.x"], f)]
                later = [draws[d] for d in range(16)]
                holds = all(slope_is_held(case["gravity.x"], f) for f in later)
                level = "geometric" if is_blocked else None if holds else "coarse"
                self.assertEqual(verdict["verdict"], b"works" if level is None else b"rejected")
                seen.add(level)
                if level is None:
                    self.assertEqual((verdict["level"], verdict["trial"]), (-1, -1))
                    self.assertEqual(verdict["successes"], 16)
                    continue
                self.assertEqual(levels[verdict["level"]], level)
                row = trials[verdict["trial"]]  # the counterexample is there, and fails
                self.assertEqual(row["case"], verdict["case"])
                self.assertEqual(row["success"], 0)
                if level == "geometric":
                    self.assertEqual(row["draw"], 0)
                    self.assertEqual(row["steps"], 0)
                elif fails:  # the lowest draw of the first round that slides
                    wanted = first_round.index(fails[0])
                    self.assertEqual(row["draw"], wanted)
            self.assertEqual(seen, {"geometric", "coarse", None})

    def test_cheap_levels_change_no_verdict_and_save_steps(self):
        naive = self.folder / "naive.yaml"
        naive.write_text(f"graspmc: 1\nuse: {LADDER}\nstudy: {{ladder: [dynamic]}}\n")
        with self.result("naive.h5", scenario=naive) as file:
            expected = file["ladder/verdicts"]["verdict"].tolist()
            naive_steps = file["ladder/levels"]["steps"].sum()
        with self.result("ladder.h5") as file:
            self.assertEqual(file["ladder/verdicts"]["verdict"].tolist(), expected)
            levels = file["ladder/levels"][:]
            # every step counts, those of cheap levels and audits too
            self.assertLess(levels["steps"].sum(), 0.75 * naive_steps)
            self.assertEqual(file["trials"]["steps"].sum(), levels["steps"].sum())

    def test_outcomes_are_those_of_a_level(self):
        names = ("success", "missed", "violated", "lost", "unsolved", "unreachable")
        with self.result("a.h5", "--set", "study.audit=0.5") as file:
            trials, at = file["trials"][:], file["ladder/trials"]["level"]
            ended = np.array([[((at == level) & (trials["outcome"] == k)).sum() for k in range(6)] for level in range(3)])
            found = file["ladder/levels"][:]
            for k, name in enumerate(names):
                self.assertEqual(found[name].tolist(), ended[:, k].tolist(), name)
            self.assertEqual(file["summary/outcomes"]["count"].tolist(), ended[2].tolist())
        answer = self.run_json("show", "a.h5")
        self.assertNotIn("outcomes", answer)  # of levels that do not see the same there is no sum
        said = [level["outcomes"] for level in answer["ladder"]["levels"]]
        self.assertEqual([list(level.values()) for level in said], ended.tolist())
        self.assertEqual([list(level)[0] for level in said], ["can_start", "success", "success"])
        out = self.run_program("show", "a.h5").stdout
        self.assertNotIn("every criterion met", out)
        self.assertIn(f"    can_start {ended[0][0]}, unsolved {ended[0][4]}\n", out)
        self.assertIn(f"of the audit\n  unsolved at any level {sum(row[4] for row in ended)}\n    ", out)
        audited = sum(level["audited"] for level in answer["ladder"]["levels"])
        self.assertIn(f"; with {audited} of the audit\n", out)
        # of the audited in front of the post none has a verdict
        level = answer["ladder"]["levels"][0]
        self.assertEqual(level["audited"], level["audit_open"])
        self.assertIn(f"audit, 0 of 0, {level['audit_open']} unsolved\n", out)
        self.assertRegex(out, r"rejected by geometric, trial \d+, audit: \d+ unsolved\n")

    def test_bytes_do_not_depend_on_workers_or_interruptions(self):
        words = ["--set", "study.draws.last=64", "--trajectories", "every:50", "--progress", "none"]
        for jobs in (1, 2, 5):
            self.result(f"{jobs}.h5", "-j", jobs, *words).close()
        self.assert_same_bytes("1.h5", "2.h5")
        self.assert_same_bytes("1.h5", "5.h5")
        interruptions = 0
        for _ in range(1000):
            process = self.start("run", LADDER, "-o", "a.h5", "-j", 2, "--resume", *words,
                                 "--time-limit", "0.01")
            process.communicate()
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, 75)
            interruptions += 1
        self.assertGreater(interruptions, 0)
        self.assert_same_bytes("1.h5", "a.h5")
        # a finished one is recognised
        self.run_program("run", LADDER, "-o", "a.h5", "--resume", *words)
        # and another study is not taken for it
        err = self.run_program("run", LADDER, "-o", "a.h5", "--resume", "--set",
                               "study.draws.last=32", *words[2:], code=76).stderr
        self.assertIn("this is the result of another run, which this one does not continue: ", err)

    def test_one_trial_is_replayed_alone(self):
        with self.result("a.h5", "--trajectories", "all") as file:
            numbers, levels = file["ladder/trials"]["trial"], file["ladder/trials"]["level"]
            self.assertEqual(numbers.tolist(), file["trials"]["trial"].tolist())
            self.assertEqual((numbers % 3).tolist(), levels.tolist())
            one_of_each = [int(numbers[levels == level][-1]) for level in range(3)]
            absent = next(n for n in range(10**6) if n not in set(numbers.tolist()))
        for number in one_of_each:
            report = self.run_json("replay", "a.h5", "--trial", number, "-o", f"{number}.h5")
            self.assertTrue(report["identical"])
            self.run_program("show", f"{number}.h5")
        err = self.run_program("replay", "a.h5", "--trial", absent, code=65).stderr
        self.assertIn("was not run", err)

    def test_an_audit_finds_a_cheap_level_that_is_wrong(self):
        scenario = self.write("wrong.yaml", WRONG)
        with self.result("wrong.h5", scenario=scenario) as file:
            self.assertEqual(set(file["ladder/verdicts"]["verdict"]), {b"rejected"})
            cheap = file["ladder/levels"][0]
            self.assertEqual((cheap["rejected"], cheap["spared"]), (5, 100))
            self.assertGreater(cheap["audited"], 5)  # 20 +- 4
            self.assertEqual(cheap["audit_works"], cheap["audited"])
            self.assertEqual((cheap["p"], cheap["hi"]), (1, 1))
            self.assertGreater(cheap["lo"], 0.6)
            self.assertEqual(len(file["summary/estimates"]), 0)  # of what a rule asked for there is no share
        answer = self.run_json("show", "wrong.h5")
        self.assertEqual(answer["ladder"]["levels"][0]["audit_works"], cheap["audit_works"])
        self.assertEqual(answer["cases"][0]["rejected_by"], "rigid")
        out = self.run_program("show", "wrong.h5").stdout
        self.assertIn("rejected by rigid, trial 0, audit:", out)
        self.assertIn("\ndesigns 5: 5 rejected; up to 40 draws each in 2 rounds from 20\n", "\n" + out)
        self.assertRegex(out, r"spared 100, of which would have succeeded 1 \[0\.\d+, 1\] 95 % audit, (\d+) of \1\n")
        self.assertNotIn("\nsuccess ", "\n" + out.replace("success  ", ""))
        self.assertNotIn("success", answer)
        self.assertEqual(answer["ladder"]["designs"]["rejected"], 5)
        self.run_program("run", scenario, "-o", "never.h5", "-q", "--set", "study.audit=0")
        self.assertIn("spared 100, none audited\n", self.run_program("show", "never.h5").stdout)
        level = self.run_json("show", "never.h5")["ladder"]["levels"][0]
        self.assertEqual((level["p"], level["lower"], level["upper"]), (None, 0, 1))

    def test_a_deep_start_is_unsolved_everywhere_and_rejects(self):
        fall = ["--set", 'uncertain={object.pose.y: "one_of(5 mm, 10 mm)"}', "--set", "study.draws.first=16"]
        one = self.write("one.yaml", f"graspmc: 1\nuse: {LADDER}\nstudy: ~\nsampling: {{draws: 16}}\n")
        self.run_program("run", one, "-o", "run.h5", "-q", *fall[:2], code=(0, 2))
        with h5py.File(self.folder / "run.h5") as file:
            stuck = file["trials"]["reason"] == 7
            self.assertGreater(stuck.sum(), 0)
            said = self.run_json("show", "run.h5")["success"]
            self.assertEqual(said["unsolved"], stuck.sum())
        naive = self.write("naive.yaml", f"graspmc: 1\nuse: {LADDER}\nstudy: {{ladder: [dynamic]}}\n")
        with self.result("ladder.h5", *fall, scenario=naive) as file:
            for verdict in file["ladder/verdicts"][:]:
                rows = file["trials"][file["trials"]["case"] == verdict["case"]]
                self.assertEqual(verdict["unsolved"], (rows["valid"] == 0).sum())
                self.assertEqual(verdict["failures"], ((rows["valid"] == 1) & (rows["success"] == 0)).sum())
                if verdict["unsolved"]:
                    self.assertEqual(verdict["verdict"], b"rejected")

    def test_the_best_designs_are_kept(self):
        best = self.folder / "best.yaml"
        best.write_text(f"graspmc: 1\nuse: {LADDER}\n"
                        "study: {goal: best, ladder: [dynamic], draws: {first: 8, last: 32}}\n")
        with self.result("best.h5", scenario=best) as file:
            verdicts = file["ladder/verdicts"][:]
            kept = [row["case"] for row in verdicts if row["verdict"] == b"kept"]
            # 14 designs, 7 after the first round, 4 after the second; flat slopes are the best
            self.assertEqual(kept, [0, 2, 4, 6])
            self.assertEqual(sum(verdicts["verdict"] == b"outranked"), 10)

    def test_the_page_says_what_is_in_the_file(self):
        with self.result("a.h5") as file:
            self.assert_on_the_page(file["ladder"], "Studies with a ladder")
            self.assertEqual(file.attrs["ladder"], b"geometric, coarse, dynamic")

    def test_mistakes_are_located(self):
        cases = {
            "ladder: [geometric, quasistatic, dynamic]": "did you mean quasi_static",
            "ladder: [rigid, geometric]": "the last level cannot be geometric",
            "ladder: [dynamic, dynamic]": "two levels of the same name",
            "ladder: []": "expected a list of levels",
            "ladder: [{stepper: coulomb}, dynamic]": "name",
            "ladder: [{name: a, stepper: lemke}]": "stepper",
            "draws: {first: 32, last: 16}": "more draws in the first round than in all",
            "draws: {last: 1000000000}": "limited to",
            "goal: good": "works, best",
            "audit: 120 %": "audit",
        }
        for line, words in cases.items():
            text = f"graspmc: 1\nuse: {LADDER}\nstudy:\n  {line}\n"
            self.write("bad.yaml", text)
            err = self.run_program("check", "bad.yaml", code=65).stderr
            self.assertIn(words, err, line)
            if "limited" not in words:
                self.assertIn("bad.yaml:4:", err, line)
        self.write("bad.yaml", f"graspmc: 1\nuse: {LADDER}\n"
                               "friction: {abs/steel: {static: 0.4, restitution: 0.5}}\nstudy:\n"
                               "  ladder: [{name: a, motion: quasi_static}, dynamic]\n")
        err = self.run_program("check", "bad.yaml", code=65).stderr
        self.assertIn("bad.yaml:5:", err)
        self.assertIn("nothing bounces", err)
        self.write("bad.yaml", f"graspmc: 1\nuse: {LADDER}\nstudy:\n  ladder: ~\n")
        err = self.run_program("check", "bad.yaml", code=65).stderr
        self.assertIn("need study.ladder or study.rank", err)
        self.write("bad.yaml", f"graspmc: 1\nuse: {LADDER}\noutput:\n  histograms: [gravity.x]\n")
        err = self.run_program("check", "bad.yaml").stderr
        self.assertIn("bad.yaml:4:16: warning: no success against gravity.x", err)
        for words in (["--trials", "0:10"], ["--shard", "1/2"], ["--until", "half_width<0.1"]):
            err = self.run_program("run", LADDER, *words, code=64).stderr
            self.assertIn("a ladder decides", err)


if __name__ == "__main__":
    unittest.main()
