"""Rankings: the best of a study within a budget, and the cases of any study in order."""
import csv
import unittest

import h5py

from support import DEMO, QUICK, ROOT, Case

RANK = ROOT / "test/end_to_end/rank.yaml"

# Three boxes that a closing hand lifts, at four forces each: few succeed, and which is plain.
OBJECTS = f"""graspmc: 1
use: {RANK}
object: ~
objects:
  light: {{box: [40 mm, 20 mm, 10 mm], mass: 0.1 kg, surface: abs, pose: {{y: 10 mm}}}}
  heavy: {{box: [40 mm, 20 mm, 10 mm], mass: 1 kg, surface: abs, pose: {{y: 10 mm}}}}
study:
  vary: {{object: [light, heavy], gravity.x: [-3.2 m/s2, -4.8 m/s2, -4.2 m/s2, -3.6 m/s2]}}
  rank: {{best: 2, within: 10 %, budget: 4000, per: object}}
"""


def truth(gravity_x):
    """Friction is uniform from 0.3 to 0.5, and the block stays while it is above the slope."""
    return min(max((0.5 + gravity_x / 10) / 0.2, 0), 1)


# A cube in two jaws at ten coefficients of friction, and what its contacts can hold at the end. The
# best grasps count as failures, for of orders that agree throughout nothing is told.
QUALITY = f"""graspmc: 1
use: {DEMO}
success: {{at_end: [lift(object) >= 80 mm, epsilon(object) < 0.13]}}
study: {{vary: {{friction.rubber/abs: [0.05, 0.07, 0.09, 0.11, 0.12, 0.13, 0.14, 0.16, 0.2, 0.3]}}}}
uncertain: {{friction.rubber/abs: "nominal * uniform(0.8, 1.2)"}}
sampling: {{draws: 6}}
output: {{trajectories: none, histograms: ~}}
"""


def tau_b(x, y):
    """Kendall's tau of two lists, pair by pair."""
    def order(a, b):
        return (a > b) - (a < b)
    pairs = [(order(x[i], x[k]), order(y[i], y[k])) for i in range(len(x)) for k in range(i)]
    agree = sum(a * b for a, b in pairs)
    return agree / (sum(a != 0 for a, _ in pairs) * sum(b != 0 for _, b in pairs)) ** 0.5


class Rank(Case):
    def test_how_quality_and_success_go_together_is_said(self):
        with self.result("q.h5", scenario=self.write("quality.yaml", QUALITY)) as file:
            rows = file["trials"][:]
            mean = [rows["epsilon(object)"][rows["case"] == c].mean().item() for c in range(10)]
            share = [rows["success"][rows["case"] == c].mean().item() for c in range(10)]
        answer = self.run_json("rank", "q.h5")
        found, = answer["quality"]
        self.assertEqual((found["column"], found["cases"]), ("epsilon(object)", 10))
        self.assertAlmostEqual(found["tau"], tau_b(mean, share), places=12)
        self.assertTrue(0 < found["lower"] < found["tau"] < found["upper"] <= 1)
        self.assertIn("epsilon(object) and success: Kendall's tau", self.run_program("rank", "q.h5").stdout)
        text = QUALITY.replace("epsilon(object) < 0.13", "epsilon(object) > -2")
        self.result("same.h5", scenario=self.write("same.yaml", text)).close()
        found, = self.run_json("rank", "same.h5")["quality"]
        self.assertGreater(found["tau"], 0.8)
        self.assertEqual((found["lower"], found["upper"]), (-1, 1))
        self.assertIn("without an interval: the orders agree", self.run_program("rank", "same.h5").stdout)

    def result(self, name, *words, scenario=RANK, code=0):
        self.run_program("run", scenario, "-o", name, "--force", "-q", *words, code=code)
        return h5py.File(self.folder / name)

    def test_the_best_are_those_of_the_closed_form(self):
        with self.result("a.h5") as file:
            shares = [truth(g) for g in file["cases"]["gravity.x"]]
            third = sorted(shares)[-3]
            table = file["rank/cases"][:]
            best = [int(row["case"]) for row in table if row["best"]]
            self.assertEqual(len(best), 3)
            for case in best:
                self.assertGreaterEqual(shares[case], third - 0.05)
            self.assertEqual(file["rank"].attrs["end"], b"reached")
            self.assertEqual(file.attrs["rank"], b"best 3 within 0.05")
            self.assertFalse(table["open"].any())
            # what is poor is left early
            order = sorted(range(12), key=lambda case: shares[case])
            self.assertLess(4 * table["draws"][order[0]], table["draws"][order[-3]])
            self.assertLess(len(file["trials"]), 12 * table["draws"].max() * 0.8)
            # a case has its first draws, and its row counts them
            for case in range(12):
                rows = file["trials"][file["trials"]["case"] == case]
                self.assertEqual(rows["draw"].tolist(), list(range(table["draws"][case])))
                self.assertEqual(rows["success"].sum(), table["successes"][case])
            numbers = file["trials"]["trial"].tolist()
            self.assertEqual(numbers, sorted(numbers))
            # after such a choice only confidence sequences are intervals
            self.assertEqual(set(file["summary/by_case"]["method"]), {b"confidence seq"})
            for row, share in zip(file["summary/by_case"][:], shares):
                self.assertLessEqual(row["lo"], share)
                self.assertGreaterEqual(row["hi"], share)
            by_case = file["summary/by_case"][:]
            for row, case in zip(by_case, range(12)):
                place = 1 + sum(share > shares[case] for share in shares)
                self.assertTrue(row["rank_lo"] <= place <= row["rank_hi"])
                self.assertEqual(row["rank"] <= 3, case in best)
            # the total is that of the first draws, which all cases have
            estimate = file["summary/estimates"][0]
            self.assertEqual((estimate["draws"], estimate["n"]), (8, 96))
            self.assertEqual(list(file["histograms/by"]), [])
        self.assertIn("complete", self.run_program("status", "a.h5").stdout)
        out = self.run_program("show", "a.h5").stdout
        for axes in ("gravity.x", "gravity.x,friction.rubber/abs"):
            said = self.run_program("show", "a.h5", "--by", axes, code=65).stderr
            self.assertIn("no histogram of gravity.x: with rank each case has other draws\n"
                          "hint: a histogram of a measure", said)
        self.assertNotRegex(out, r"(?m)^success \d")  # of all cases together, which nobody asked
        self.assertIn("reached: the best 3 of 12 cases within 0.05 at 95 %, after ", out)
        self.assertIn("; best", out)
        self.assertIn("; out after round ", out)
        for case in self.run_json("rank", "a.h5")["cases"]:
            row = by_case[case["case"]]
            self.assertEqual((row["rank"], row["rank_lo"], row["rank_hi"]),
                             (case["rank"], case["rank_lower"], case["rank_upper"]))
        answer = self.run_json("show", "a.h5")
        self.assertEqual(answer["rank"]["cases"], best)
        self.assertNotIn("success", answer)
        self.assertEqual(answer["cases"][best[0]]["best"], True)

    def test_what_is_used_up_is_said(self):
        with self.result("few.h5", "--set", "study.rank.budget=200", code=2) as file:
            self.assertEqual(file["rank"].attrs["end"], b"budget")
            self.assertLessEqual(len(file["trials"]), 200)
            self.assertTrue(file["rank/cases"]["open"].any())
        out = self.run_program("rank", "few.h5", code=2).stdout
        self.assertIn("undecided: the best 3 of 12", out)
        self.assertIn("the budget is used up", out)
        with self.result("short.h5", "-n", 16, code=2) as file:
            self.assertEqual(file["rank"].attrs["end"], b"draws")
            self.assertEqual(file["rank/cases"]["draws"].max(), 16)
        self.assertIn("with all of their draws: raise study.draws", self.run_program("show", "short.h5").stdout)

    def test_bytes_do_not_depend_on_workers_or_interruptions(self):
        words = ["--set", "study.rank.within=0.02 %", "--set", "study.rank.budget=9000",
                 "--trajectories", "every:50", "--progress", "none"]
        for jobs in (1, 2, 7):
            self.run_program("run", RANK, "-o", f"{jobs}.h5", "-q", "-j", jobs, *words)
        self.assert_same_bytes("1.h5", "2.h5")
        self.assert_same_bytes("1.h5", "7.h5")
        self.run_killed("run", RANK, "-o", "a.h5", "-j", 2, "--resume", "-q", *words, first=0.05, more=0.03)
        self.assert_same_bytes("1.h5", "a.h5")
        # a finished one is recognised, and another ranking is not taken for it
        self.run_program("run", RANK, "-o", "a.h5", "--resume", "-q", *words)
        err = self.run_program("run", RANK, "-o", "a.h5", "--resume", "--set",
                               "study.rank.budget=8000", code=76).stderr
        self.assertIn("this is the result of another run, which this one does not continue: ", err)
        with h5py.File(self.folder / "a.h5") as file:
            there = set(file["trials"]["trial"].tolist())
        self.assertTrue(self.run_json("replay", "a.h5", "--trial", max(there))["identical"])
        absent = next(n for n in range(10**6) if n not in there)
        err = self.run_program("replay", "a.h5", "--trial", absent, code=65).stderr
        self.assertIn("the ranking did not ask for it", err)

    def test_each_object_has_its_best(self):
        scenario = self.write("objects.yaml", OBJECTS)
        with self.result("objects.h5", scenario=scenario) as file:
            table, cases = file["rank/cases"][:], file["cases"][:]
            self.assertEqual(file["rank"].attrs["groups"], 2)
            best = {(case["object"], round(float(case["gravity.x"]), 1))
                    for row, case in zip(table, cases) if row["best"]}
            ranks = file["summary/by_case"]["rank"]
            for name in (b"light", b"heavy"):
                self.assertEqual(min(ranks[cases["object"] == name]), 1)
            # friction does not ask for the mass
            self.assertEqual(best, {(b"light", -3.2), (b"light", -3.6), (b"heavy", -3.2),
                                    (b"heavy", -3.6)})
        out = self.run_program("rank", "objects.h5").stdout
        self.assertIn("object light", out)
        self.assertIn("object heavy", out)
        answer = self.run_json("rank", "objects.h5", "--best", 1)
        self.assertEqual(answer["per"], "object")
        self.assertEqual([c["object"] for c in answer["cases"] if c["best"]], ["light", "heavy"])

    def test_any_study_is_put_in_order(self):
        plain = self.write("plain.yaml", f"graspmc: 1\nuse: {RANK}\nstudy: {{rank: ~, draws: 200}}\n")
        with self.result("plain.h5", scenario=plain) as file:
            shares = [truth(g) for g in file["cases"]["gravity.x"]]
            counts = [int(row["successes"]) for row in file["summary/by_case"][::2]]
        answer = self.run_json("rank", "plain.h5", "--best", 3)
        self.assertEqual(answer["method"], "exact sign tests")
        order = [case["case"] for case in answer["cases"]]
        self.assertEqual(order, sorted(range(12), key=lambda case: (-counts[case], case)))
        for case in answer["cases"]:
            place = 1 + sum(share > shares[case["case"]] for share in shares)
            self.assertTrue(case["rank_lower"] <= place <= case["rank_upper"])
            self.assertTrue(case["may_be_best"] or place > 3)
        # all cases meet the same friction: on 200 draws steps of 5 % and more are plain
        self.assertEqual([c["rank_lower"] for c in answer["cases"][:2]], [1, 2])
        out = self.run_program("rank", "plain.h5", "--best", 3).stdout
        self.assertIn("12 cases by the lower end of success; the places of all hold together at 95 %", out)
        self.assertIn("  ... 9 cases more", out)

        # ties share a place; a file of a part of the draws is ranked too
        self.run_program("run", plain, "-o", "part.h5", "-q", "--trials", "24:60")
        answer = self.run_json("rank", "part.h5")
        tied = [c for c in answer["cases"] if c["tied"]]
        self.assertGreater(len(tied), 1)
        for a, b in zip(answer["cases"], answer["cases"][1:]):
            if a["successes"] == b["successes"]:
                self.assertEqual(a["rank"], b["rank"])

        # parts of a run merged, one that could stop, one of randomisations, a ladder
        for i in (1, 2):
            self.run_program("run", plain, "-o", f"part{i}.h5", "-q", "--shard", f"{i}/2")
        self.run_program("merge", "-o", "merged.h5", "part1.h5", "part2.h5", "-q")
        merged, whole = (self.run_json("rank", name) for name in ("merged.h5", "plain.h5"))
        self.assertEqual(merged["cases"], whole["cases"])
        self.run_program("run", plain, "-o", "stop.h5", "-q", "--until", "half_width<0.2")
        self.assertEqual(self.run_json("rank", "stop.h5")["method"], "confidence sequences")
        self.run_program("run", plain, "-o", "sobol.h5", "-q", "-n", 256, "--design", "sobol")
        self.assertEqual(self.run_json("rank", "sobol.h5")["method"], "t over randomisations")
        self.run_program("run", ROOT / "test/end_to_end/ladder.yaml", "-o", "ladder.h5", "-q")
        self.assertEqual(len(self.run_json("rank", "ladder.h5")["cases"]), 14)
        said = self.run_program("rank", "ladder.h5", "--best", 14).stdout
        self.assertRegex(said, r"Clopper-Pearson, 16 of 16; works\n")
        self.assertRegex(said, r"no trial decided; rejected by geometric, trial \d+")
        self.assertRegex(said, r"no trial decided; rejected by coarse, trial \d+")
        self.run_program("run", QUICK, "-n", 5, "-o", "one.h5", "-q")
        err = self.run_program("rank", "one.h5", code=65).stderr
        self.assertIn("there is one case: nothing to rank", err)

    def test_the_best_are_written(self):
        self.result("a.h5").close()
        self.run_program("rank", "a.h5", "-o", "best.csv")
        text = (self.folder / "best.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        answer = self.run_json("rank", "a.h5")
        self.assertEqual(len(rows), 3)
        for row, case in zip(rows, answer["cases"]):
            self.assertEqual(float(row["confidence"]), case["lower"])
            self.assertEqual(float(row["gravity.x [m/s2]"]), case["values"]["gravity.x"])
        before = (self.folder / "best.csv").read_bytes()
        err = self.run_program("rank", "a.h5", "--best", 1, "-o", "best.csv", code=73).stderr
        self.assertIn("a file of this name is there already", err)
        self.assertEqual((self.folder / "best.csv").read_bytes(), before)
        self.run_program("rank", "a.h5", "--best", 1, "-o", "best.csv", "--force")
        self.assertEqual(len((self.folder / "best.csv").read_text().splitlines()), 2)
        self.run_program("rank", "a.h5", "-o", "nowhere/best.csv", code=73)

    def test_what_a_grasp_file_cannot_hold_is_said(self):
        scenario = self.write("force.yaml", f"graspmc: 1\nuse: {QUICK}\noutput: {{histograms: []}}\nstudy: {{vary: "
                              "{program.0.close.force: [5 N, 20 N], hand.target.x: [0 mm, 3 mm]}}\n")
        self.result("force.h5", "-n", 2, scenario=scenario).close()
        said = self.run_program("rank", "force.h5", "-o", "best.yaml").stderr
        self.assertEqual("best.yaml: warning: isaac_grasp holds poses and joint positions, not program.0.close.force\n"
                         "hint: a CSV file holds all that the study chose: -o BEST.csv\n", said)
        self.assertEqual(self.run_program("rank", "force.h5", "-o", "best.csv").stderr, "")
        self.assertIn("program.0.close.force [N]", (self.folder / "best.csv").read_text(encoding="utf-8"))

    def test_the_best_grasps_are_handed_on(self):
        self.write("all.csv", "hand.target.x [mm],hand.target.yaw [deg]\n0,0\n5,0\n-30,0\n0,40\n10,10\n")
        study = (f"graspmc: 1\nuse: {QUICK}\noutput: {{histograms: []}}\n"
                 "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting, "
                 "grasps: FILE}\nstudy: {vary: [grasp]RANK}\n")
        rank = ", rank: {best: 2, within: 10 %, budget: 2000}"
        scenario = self.write("all.yaml", study.replace("FILE", "all.csv").replace("RANK", rank))
        with self.result("all.h5", scenario=scenario) as file:
            best = file["cases"][:][file["rank/cases"]["best"] == 1]
        for name in ("best.yaml", "best.csv"):
            self.run_program("rank", "all.h5", "-o", name)
            again = self.write("again.yaml", study.replace("FILE", name).replace("RANK", ""))
            with self.result("again.h5", "-n", 2, scenario=again) as file:
                found = file["cases"][:]
                self.assertEqual(len(found), 2)
                self.assertEqual(sorted(best["grasp"]), sorted(found["grasp"]))  # names
                for column in ("hand.target.x", "hand.target.yaw"):
                    for here, there in zip(sorted(best[column]), sorted(found[column])):
                        self.assertAlmostEqual(here, there, delta=1e-12)  # rounding of a rotation

    def test_the_page_says_what_is_in_the_file(self):
        with self.result("a.h5") as file:
            self.assert_on_the_page(file["rank"], "Studies with a ranking",
                                    [["/summary/by_case", field, "u64"] for field in
                                     file["summary/by_case"].dtype.names if field.startswith("rank")])

    def test_check_says_what_it_may_take(self):
        out = self.run_program("check", RANK).stdout
        self.assertIn("at most 6000 of 12 cases x 6000 draws", out)
        self.assertIn("best 3 within 0.05 at 95 %: 8 draws of every case, then at most 5904", out)
        self.assertEqual(self.run_json("check", RANK)["trials"], 6000)

    def test_mistakes_are_located(self):
        cases = {
            "rank: {best: 12, budget: 1000}": "not more cases than the best to be found (12, 12)",
            "rank: {best: 3, budget: 50}": "the budget does not last for the first round (50, 96)",
            "rank: {best: 3, within: 0, budget: 1000}": "within",
            "rank: {best: 3, within: 80 %, budget: 1000}": "within",
            "rank: {best: 0, budget: 1000}": "best",
            "rank: {best: 3, budget: ~}": "budget",
            "rank: {best: 3, budget: 1000, per: grasp}": "all, object",
            "rank: {best: 3, budget: 1000, worst: 2}": "worst",
            "rank: {best: 3, level: 1.5, budget: 1000}": "level",
            "draws: {first: 8, last: 64, keep: 0.3}": "with study.rank the intervals say which cases go on",
            "draws: {first: 8, last: 100000000}": "too many cases times draws",
        }
        for line, words in cases.items():
            text = f"graspmc: 1\nuse: {RANK}\nstudy:\n  {line}\n"
            self.write("bad.yaml", text)
            err = self.run_program("check", "bad.yaml", code=65).stderr
            self.assertIn(words, err, line)
            if words not in ("budget", "too many cases times draws"):
                self.assertIn("bad.yaml:4:", err, line)
        both = RANK.read_text(encoding="utf-8").replace("  rank:", "  ladder: [dynamic]\n  rank:")
        self.write("both.yaml", both)
        err = self.run_program("check", "both.yaml", code=65).stderr
        self.assertIn("both.yaml:20:3: error: study: ladder and rank exclude each other", err)
        for words in (["--design", "sobol"], ["--design", "latin_hypercube"]):
            err = self.run_program("check", RANK, *words, "-n", 64, code=65).stderr
            self.assertIn("study.rank: it takes draws one by one", err)
        for words in (["--trials", "0:10"], ["--until", "half_width<0.1"], ["--decide", "success>=0.5"]):
            err = self.run_program("run", RANK, *words, code=64).stderr
            self.assertIn("a ranking decides itself", err)
            self.assertIn("every round needs what those before it found. --shard I/N is a part of its next", err)
        self.result("a.h5").close()
        err = self.run_program("show", "a.h5", "--success", "lift >= 1 mm", code=65).stderr
        self.assertIn("the ranking chose the trials", err)
        self.run_program("rank", "a.h5", "--best", "0", code=64)
        self.run_program("rank", "nothing.h5", code=66)
        self.run_program("rank", DEMO, code=65)


if __name__ == "__main__":
    unittest.main()
