"""What matters for success: designs in blocks, and `show --sensitivity` on them and on plain draws."""
import json
import math
import unittest

import h5py
import numpy

from support import QUICK, ROOT, Case

T15 = 2.131449545559323  # Student's t, 15 degrees of freedom, 0.975
FEW = ["--set", "simulation.half_step=0"]


def ratio(groups, above, below, telling):
    """A ratio of sums over 16 randomisations and its interval about it, all cut at 0 and 1: Student's t
    over them, and what blocks leave that none of them shows."""
    of = [numpy.bincount(groups, weights=x) for x in (above, below)]
    value = above.sum() / below.sum()
    error = math.sqrt(16 / 15 * ((of[0] - value * of[1]) ** 2).sum()) / below.sum()
    off = max(((above - value * below) ** 2).sum(), (above ** 2 + (value * below) ** 2).sum() / telling)
    share = 1 - 0.025 ** (1 / len(above))  # Clopper-Pearson of 0
    half = math.hypot(T15 * error, share * 2 * math.sqrt(off / telling) / below.mean())
    value = min(max(value, 0), 1)
    return value, max(value - half, 0), min(value + half, 1)


def neighbours(values, y, smooth):
    """Rows in order of an input, in groups that follow the rarer outcome."""
    n, rarer = len(y), min((y == 1).sum(), (y == 0).sum())
    size = math.floor(min(max(rarer / 25, min(4, rarer / 10)), n / smooth))
    groups = int(n / max(size, 2))
    return numpy.split(numpy.argsort(values), [i * n // groups for i in range(1, groups)])


class Sensitivity(Case):
    def load(self, name):
        with h5py.File(self.folder / name) as file:
            return file["trials"][:], file["samples"][:], [n.decode() for n in file["parameters"]["name"]]

    def run_design(self, design, draws, *words, out=None):
        out = out or f"{design}.h5"
        self.run_program("run", QUICK, "--design", design, "-n", draws, "-o", out, "-q", *FEW, *words)
        return out

    def sensitivity(self, name, of="success", *words):
        answer = self.run_json("show", name, "--sensitivity", of, *words)
        (case,) = answer["cases"]
        return answer, {row["input"]: row for row in case["inputs"]}, case

    def test_blocks_exchange_one_input_each(self):
        name = self.run_design("sensitivity", 16 * 10 * 2)
        _, samples, names = self.load(name)
        blocks = samples.reshape(-1, 10, 4)
        a, b = blocks[:, 0], blocks[:, 1]
        self.assertTrue((a != b).all())
        for i in range(len(names)):
            for row, base, other in ((2 + 2 * i, a, b), (3 + 2 * i, b, a)):
                expected = base.copy()
                expected[:, i] = other[:, i]
                self.assertTrue((blocks[:, row] == expected).all())
        # two points of a sequence fill both halves of every axis
        for r in range(16):
            for sample in (a, b):
                median = [0.19 if n.startswith("friction") else 0.2 if n.endswith("mass") else 0 for n in names]
                halves = (sample[r::16] > median).sum(axis=0)
                self.assertTrue((halves == 1).all(), halves)

    def test_trajectories_move_one_input_at_a_time(self):
        name = self.run_design("morris", 16 * 5 * 3)
        _, samples, _ = self.load(name)
        moved = (numpy.diff(samples.reshape(-1, 5, 4), axis=1) != 0)
        self.assertTrue((moved.sum(axis=2) == 1).all())
        self.assertTrue((moved.sum(axis=1) == 1).all())
        self.assertGreater(len({tuple(m.argmax(axis=1)) for m in moved}), 10)  # of 24 orders

    def test_the_same_for_any_workers_shards_and_growth(self):
        self.run_design("sensitivity", 320, "-j", 1)
        for i in (1, 2, 3):
            self.run_design("sensitivity", 320, "--shard", f"{i}/3", out=f"{i}.h5")
        self.run_program("merge", "2.h5", "3.h5", "1.h5", "-o", "all.h5", "-q")
        self.assert_same_bytes("sensitivity.h5", "all.h5")
        self.run_design("sensitivity", 160, out="grown.h5")
        self.run_design("sensitivity", 320, "--resume", out="grown.h5")
        self.assert_same_bytes("sensitivity.h5", "grown.h5")
        # a part has whole blocks of its own, and some that it has a part of
        _, _, case = self.sensitivity("2.h5")
        self.assertTrue(all(0 < row["n"] < 32 for row in case["inputs"]))
        self.run_program("replay", "all.h5", "--trial", 17)

    def check_sobol(self, name, of, outcome):
        rows, _, names = self.load(name)
        f = outcome(rows).reshape(-1, 10)
        groups = numpy.arange(len(f)) % 16
        _, found, case = self.sensitivity(name, of)
        square = (f[:, :2] - f[:, :2].mean()) ** 2
        draws = square.sum() ** 2 / (square ** 2).sum()
        is_heavy = of != "success" and draws < 100 and 4 * draws < square.size
        self.assertEqual(case["is_heavy"], is_heavy)

        for i, path in enumerate(names):
            a, b, ab, ba = f[:, 0], f[:, 1], f[:, 2 + 2 * i], f[:, 3 + 2 * i]
            below = ((a - b) ** 2 + (ba - ab) ** 2) / 4
            first, total = (ba - b) * (a - ab) / 2, ((b - ba) ** 2 + (a - ab) ** 2) / 4
            telling = ((first != 0) | (total != 0) | (below != 0)).sum()
            for order, above in (("first", first), ("total", total)):
                got = found[path][order]
                value, lower, upper = ratio(groups, above, below, telling)
                self.assertAlmostEqual(got["value"], value, delta=1e-9)
                if is_heavy:
                    self.assertEqual((got["lower"], got["upper"]), (0, 1))
                elif not got["is_widened"]:
                    self.assertAlmostEqual(got["lower"], lower, delta=1e-8)
                    self.assertAlmostEqual(got["upper"], upper, delta=1e-8)
                self.assertLessEqual(got["lower"], value)
                self.assertGreaterEqual(got["upper"], value)
                self.assertLess(got["lower"], got["upper"])
        return found

    def test_indices_are_those_of_the_stored_rows(self):
        name = self.run_design("sensitivity", 16 * 10 * 8)
        found = self.check_sobol(name, "success", lambda rows: rows["success"].astype(float))
        self.assertEqual(next(iter(found)), "friction.rubber/abs")  # sorted, and friction decides
        self.assertGreater(found["friction.rubber/abs"]["total"]["lower"], 0.3)
        self.assertLess(found["object.pose.yaw"]["total"]["value"], 0.2)
        # measures of what failed early are left out: here all rows are whole
        whole = self.run_design("sensitivity", 16 * 10 * 8, "--set", "simulation.early.broken=false", out="whole.h5")
        self.check_sobol(whole, "max_force", lambda rows: rows["max_force"])
        self.check_sobol(whole, "slip * 2 + lift", lambda rows: 2 * rows["slip"] + rows["lift"])
        # success itself: all rows are plain draws, blocks of one randomisation are one unit
        rows, _, _ = self.load(name)
        p = rows["success"].reshape(-1, 10).mean(axis=1)
        means = numpy.array([p[r::16].mean() for r in range(16)])
        answer = self.run_json("show", name)["success"]
        self.assertEqual(answer["method"], "KG of replicas")
        self.assertAlmostEqual(answer["p"], means.mean(), delta=1e-12)
        half = T15 * means.std(ddof=1) / 4
        # Korn and Graubard's end is beyond t's: one more unit, and 16 of them are skewed
        self.assertTrue(means.mean() - 2 * half <= answer["lower"] <= means.mean() - half, answer)
        text = self.run_program("show", name, "--sensitivity", "success").stdout
        self.assertIn("t over 16 randomisations", text)
        self.assertIn("friction.rubber/abs", text.splitlines()[3])

    def test_of_beginnings_nothing_is_told(self):
        self.run_program("run", QUICK, "-n", 100, "-o", "cut.h5", "-q")
        refused = self.run_program("show", "cut.h5", "--sensitivity", "slip", code=65).stderr
        self.assertRegex(refused, r"cut.h5: error: --sensitivity: \d+ of 100 trials were cut short as failures and have no such "
                                  r"number; the others alone are no sample of the draws\n"
                                  r"hint: graspmc run --complete cut.h5  runs them to their end")
        self.run_program("run", "--complete", "cut.h5", "-o", "whole.h5", "-q")
        self.assertIn("sensitivity of slip, ", self.run_program("show", "whole.h5", "--sensitivity", "slip").stdout)

    def test_effects_are_those_of_the_stored_rows(self):
        name = self.run_design("morris", 16 * 5 * 4, "--set", "simulation.early.broken=false")
        rows, samples, names = self.load(name)
        self.assertTrue(rows["is_whole"].all())
        for of in ("success", "max_force"):
            f = rows[of].astype(float).reshape(-1, 5)
            moves = numpy.diff(samples.reshape(-1, 5, 4), axis=1)
            effects = 2 * numpy.diff(f, axis=1)[..., None] * numpy.sign(moves)
            _, found, _ = self.sensitivity(name, of)
            for i, path in enumerate(names):
                e = effects[:, :, i].sum(axis=1)  # the other rows have none
                row = found[path]
                self.assertEqual(row["n"], 64)
                self.assertAlmostEqual(row["mu_star"]["value"], abs(e).mean(), delta=1e-9)
                self.assertAlmostEqual(row["mu"]["value"], e.mean(), delta=1e-9)
                self.assertAlmostEqual(row["sigma"]["value"], e.std(ddof=1), delta=1e-9)
                self.assertLessEqual(row["mu_star"]["lower"], abs(e).mean())
                self.assertEqual("changes" in row, of == "success")
                self.assertIn(row["is_skewed"], (False,) if of == "success" else (False, True))
                if of == "success":  # the share of moves that change the verdict
                    self.assertAlmostEqual(row["changes"]["value"], (e != 0).mean(), delta=1e-9)
                    self.assertGreater(row["changes"]["upper"], row["changes"]["lower"])
        self.assertEqual(next(iter(self.sensitivity(name)[1])), "friction.rubber/abs")

    def test_plain_draws_give_the_first_order(self):
        self.run_program("run", QUICK, "-n", 400, "-o", "r.h5", "-q", *FEW)
        answer, found, _ = self.sensitivity("r.h5")
        self.assertEqual(answer["method"], "given data")
        rows, samples, names = self.load("r.h5")
        y = rows["success"].astype(float)
        for i, path in enumerate(names):
            groups = [y[g] for g in neighbours(samples[:, i], y, 20)]
            within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (400 - len(groups))
            value = max(1 - within / y.var(ddof=1), 0)
            self.assertAlmostEqual(found[path]["first"]["value"], value, delta=1e-9)
            self.assertLess(found[path]["first"]["lower"], found[path]["first"]["upper"])
        self.assertGreater(found["friction.rubber/abs"]["first"]["lower"], 0.1)
        self.assertLess(found["object.pose.yaw"]["first"]["upper"], 0.4)  # with what windows would cost
        text = self.run_program("show", "r.h5", "--sensitivity", "success").stdout
        self.assertIn("total order needs  --design sensitivity", text)
        # other criteria, judged from the rows
        again = self.sensitivity("r.h5", "success", "--success", "lift >= 15 mm and slip <= 0.1 mm")[1]
        self.assertNotEqual(again["friction.rubber/abs"], found["friction.rubber/abs"])

    def test_draws_of_a_design_tell_by_pairs_of_its_randomisations(self):
        name = self.run_design("sobol", 512)
        text = self.run_program("show", name, "--sensitivity", "success").stdout
        self.assertIn("pairs of draws of different randomisations tell, t over 16 of them", text)
        rows, samples, names = self.load(name)
        y = rows["success"] - rows["success"].mean()
        found = self.sensitivity(name)[1]
        for i, path in enumerate(names):  # no two values alike
            between = 0.0
            for g in neighbours(samples[:, i], rows["success"], 32):
                unlike = (rows["draw"][g][:, None] - rows["draw"][g]) % 16 != 0
                between += (y[g][:, None] * y[g])[unlike].mean() * len(g) / 512 if unlike.any() else 0
            self.assertAlmostEqual(found[path]["first"]["value"], max(between / (y ** 2).mean(), 0), delta=1e-9)
        shown = self.run_program("show", name, "--by", "object.mass").stdout
        self.assertIn("success by object.mass [kg], 95 % Korn-Graubard over randomisations per bin\n", shown)

    def test_unsolved_trials_are_left_out_and_bounded(self):
        name = self.run_design("sensitivity", 320, "--set", "simulation.step_limit=118")
        rows, _, _ = self.load(name)
        unsolved = int((rows["valid"] == 0).sum())
        self.assertGreater(unsolved, 0)
        self.assertLess(unsolved, 160)
        answer, found, case = self.sensitivity(name)
        self.assertEqual((answer["left_out"], case["left_out"]), (unsolved, unsolved))
        for row in found.values():
            for number in (row["first"], row["total"]):  # one interval for what the unsolved may be
                self.assertLessEqual(number["lower"], number["unsolved_lower"])
                self.assertLessEqual(number["unsolved_lower"], number["unsolved_upper"])
                self.assertLessEqual(number["unsolved_upper"], number["upper"])
        text = self.run_program("show", name, "--sensitivity", "success").stdout
        self.assertIn("without a verdict; intervals hold them as failures and as successes\n", text)
        self.assertRegex(text, r"unsolved: total [\d.e-]+ \.\.\. [\d.e-]+, first [\d.e-]+ \.\.\. [\d.e-]+\n")

    def test_a_constant_outcome_does_not_vary(self):
        name = self.run_design("sensitivity", 160, "--set", "success={at_end: ['lift(object) >= -9 m']}")
        text = self.run_program("show", name, "--sensitivity", "success").stdout
        self.assertIn("  the outcome is the same in all blocks: no effect can be computed\n", text)
        self.assertNotIn("few blocks", text)

    def test_a_number_that_no_trial_has_is_told(self):
        for design, trials in (("sensitivity", 160), ("random", 40)):
            name = self.run_design(design, trials, "--set", "success={at_end: ['lift(object) >= -9 m']}")
            text = self.run_program("show", name, "--sensitivity", "t_violated").stdout
            self.assertIn(f"  none of the {trials} trials has such a number: no effect can be computed\n", text)
            self.assertNotIn("are enough", text)
            self.assertNotIn("the same in all blocks", text)

    def test_every_case_by_itself(self):
        study = self.write("study.yaml", f"graspmc: 1\nuse: {QUICK}\n"
                           "study: {vary: {hand.target.x: [0 mm, 5 mm]}}\n")
        self.run_program("run", study, "-n", 64, "-o", "s.h5", "-q", "--set", "simulation.early.broken=false")
        cases = self.run_json("show", "s.h5", "--sensitivity", "lift")["cases"]
        self.assertEqual([(c["case"], c["trials"]) for c in cases], [(0, 64), (1, 64)])
        self.assertNotIn("hand.target.x", [row["input"] for row in cases[0]["inputs"]])
        self.assertIn("case 1", self.run_program("show", "s.h5", "--sensitivity", "lift").stdout)

    def test_lines_that_vary_together_are_one_input(self):
        words = ["--set", "correlated={object.mass / friction.rubber/abs: 0.8}"]
        name = self.run_design("sensitivity", 16 * 8 * 2, *words)
        _, samples, names = self.load(name)
        blocks = samples.reshape(-1, 8, 4)
        pair = sorted((names.index("object.mass"), names.index("friction.rubber/abs")))
        moved = [tuple(numpy.flatnonzero((blocks[:, 2 + 2 * i] != blocks[:, 0]).all(axis=0))) for i in range(3)]
        self.assertIn(tuple(pair), moved)
        self.assertEqual(sorted(sum(moved, ())), [0, 1, 2, 3])
        self.assertIn("object.mass & friction.rubber/abs", self.sensitivity(name)[1])
        name = self.run_design("morris", 16 * 4, *words)
        self.assertIn("object.mass & friction.rubber/abs", self.sensitivity(name)[1])

    def test_inputs_that_vary_together_are_told_of_plain_draws_and_shared_out(self):
        words = ["--set", "correlated={object.mass / friction.rubber/abs: 0.8}",
                 "--set", "uncertain.friction.rubber/abs=uniform(0.06, 0.20)"]
        for design, draws in (("random", 600), ("sobol", 512), ("latin_hypercube", 512)):
            name = self.run_design(design, draws, *words)
            text = self.run_program("show", name, "--sensitivity", "success").stdout
            pair = [p for p in self.load(name)[2] if p in ("object.mass", "friction.rubber/abs")]
            self.assertIn(f"vary together: {pair[0]} & {pair[1]}\nthe first order of each of those has what it "
                          "shares with the others, Shapley effects share that out\n", text)
            _, found, case = self.sensitivity(name)
            self.assertEqual(case["shapley_draws"], draws)
            self.assertEqual({p for p in found if found[p]["together_with"] == pair[0]}, {pair[1]})
            self.assertAlmostEqual(sum(row["shapley"]["value"] for row in found.values()), 1, delta=1e-9)
            for row in found.values():
                self.assertLessEqual(row["shapley"]["lower"], row["shapley"]["value"])
                self.assertLessEqual(row["shapley"]["value"], row["shapley"]["upper"])
            shapley = [row["shapley"]["value"] for row in found.values()]
            self.assertEqual(shapley, sorted(shapley, reverse=True))
        name = self.run_design("random", 600, out="apart.h5")
        self.assertNotIn("vary together: ", self.run_program("show", name, "--sensitivity", "success").stdout)
        # rows of a file of samples belong together, whatever is in them
        self.write("rows.csv", "mass,mu\n" + "".join(f"{0.1 + 0.01 * i},{0.12 + 0.005 * i}\n" for i in range(14)))
        rows = self.write("rows.yaml", f"graspmc: 1\nuse: {QUICK}\nuncertain:\n  object.mass: samples(rows.csv, column mass)\n"
                          "  friction.rubber/abs: samples(rows.csv, column mu)\n")
        self.run_program("run", rows, "-n", 300, "-o", "rows.h5", "-q", *FEW)
        self.assertIn("vary together: ", self.run_program("show", "rows.h5", "--sensitivity", "lift").stdout)

    def test_few_failures_are_told_from_an_answer(self):
        edge = "uncertain.program.3.set.friction.rubber/abs=uniform(0.0971, {})"
        for top, is_told in ((0.0991, True), (0.1181, True), (0.1981, False)):
            self.run_program("run", ROOT / "scenarios/grip_threshold.yaml", "--set", edge.format(top), "-n", 1000,
                             "-o", "edge.h5", "-q", "--force")
            _, found, case = self.sensitivity("edge.h5")
            (row,) = found.values()
            self.assertEqual(row["first"]["upper"], 1)  # the one input decides everything
            self.assertEqual((case["is_enough"], case["rarer"] >= 30), (is_told, is_told))
            if is_told:
                self.assertGreater(row["first"]["lower"], 0.9)
                continue
            self.assertEqual((row["first"]["value"], row["first"]["lower"]), (None, 0))
            text = self.run_program("show", "edge.h5", "--sensitivity", "success").stdout
            self.assertIn("- [0, 1]", text)
            self.assertIn(f"{case['rarer']} trials have the rarer outcome, too few to tell: 30 are enough", text)

    def test_an_input_that_a_number_does_not_hang_on_has_no_effect(self):
        ball = self.write("ball.yaml", """graspmc: 1
object: {sphere: {radius: 10 mm}, mass: 20 g, surface: abs}
scene: {mark: {sphere: {radius: 1 mm}, surface: wood, pose: {x: 0.3 m}}}
friction: {abs/wood: 0.4}
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
program: [hold: {for: 2 ms}]
success: {at_end: ["distance(object, mark) <= 0.3 m"]}
uncertain: {object.pose.x: "normal(0 m, 10 mm)", object.pose.y: "normal(0 m, 10 mm)", object.mass: "uniform(15 g, 30 g)"}
simulation: {half_step: 0, early: {rest: false}}
""")
        self.run_program("run", ball, "--design", "sensitivity", "-n", 16 * 8 * 8, "-o", "ball.h5", "-q")
        name, of = "ball.h5", "distance(object, mark)"
        _, found, _ = self.sensitivity(name, of)
        self.assertEqual([path for path in found if found[path]["total"]["is_idle"]], ["object.mass"])
        self.assertGreater(found["object.mass"]["total"]["upper"], 0)  # where no block was it may matter
        text = self.run_program("show", name, "--sensitivity", of).stdout
        self.assertEqual(text.count("no effect  "), 2)
        self.assertIn("no effect: the outcome is the same to the last bit in all 128 blocks; it changes in fewer than 2.3 %",
                      text)
        self.assertNotIn("no effect", self.run_program("show", name, "--sensitivity", "success").stdout)

    def test_trials_that_were_chosen_are_refused(self):
        self.run_program("run", ROOT / "test/end_to_end/ladder.yaml", "-o", "l.h5", "-q")
        found = self.run_program("show", "l.h5", "--sensitivity", "success", code=65)
        self.assertIn("chose its trials", found.stderr)
        self.run_program("run", QUICK, "-n", 30, "-o", "p.h5", "-q")
        found = self.run_program("show", "p.h5", "--sensitivity", "success", "--where", "slip < 5 mm", code=65)
        self.assertIn("without --where", found.stderr)

    def test_what_does_not_fit_is_refused(self):
        for design, draws, hint in (("sensitivity", 1000, "640 or 1280"), ("sensitivity", 10, "160 is the least"),
                                    ("morris", 1000, "960 or 1040"), ("morris", 1, "80 is the least")):
            found = self.run_program("check", QUICK, "--design", design, "-n", draws, code=65)
            self.assertIn(hint, found.stderr)
        self.assertEqual(self.run_json("check", QUICK, "--set", "sampling={design: morris, seed: 2}")["draws"], 320)
        bare = self.write("bare.yaml", "graspmc: 1\nobject: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: a}\n"
                          "scene: {floor: {plane: {height: 0 mm}, surface: b}}\nfriction: {a/b: 0.5}\n"
                          "program: [hold: {for: 10 ms}]\nsuccess: {at_end: [\"lift(object) >= -1 m\"]}\n")
        for design in ("sensitivity", "morris"):
            found = self.run_program("check", bare, "--design", design, code=65)
            self.assertIn("nothing is uncertain", found.stderr)
            found = self.run_program("run", QUICK, "--design", design, "-n", 160, "--until", "half_width<0.1",
                                     code=64)
            self.assertIn("need random draws", found.stderr)
        found = self.run_program("check", ROOT / "scenarios/gear_map.yaml", "--design", "morris", code=65)
        self.assertIn("a tripod has no half", found.stderr)
        self.run_program("check", ROOT / "scenarios/gear_map.yaml", "--design", "sensitivity", "-n", 16 * 8)
        self.run_program("run", QUICK, "-n", 30, "-o", "r.h5", "-q")
        for words, message in ((("slap",), "did you mean slip?"), (("slip <= 1 mm",), "end of the formula"),
                               (("slip", "--success", "lift > 0"), "the sensitivity of a number does not use")):
            found = self.run_program("show", "r.h5", "--sensitivity", *words, code=65)
            self.assertIn(message, found.stderr)


if __name__ == "__main__":
    unittest.main()
