"""Early verdicts, their audit and the repetition at half the step: same bytes, same verdicts, told in
the file and by `show`; and an audit that finds wrong verdicts where there are some."""
import unittest

import h5py
import numpy

from support import DEMO, SCENARIOS, Case, without_sanitizers

NEVER = [word for rule in ("broken", "falling", "rest", "borne")
         for word in ("--set", f"simulation.early.{rule}=false")]
OFTEN = ["--set", "simulation.early.audit=40 %", "--set", "simulation.half_step=30 %"]


class Early(Case):
    def trials(self, name):
        with h5py.File(self.folder / name) as file:
            return file["trials"][:]

    @without_sanitizers
    def test_no_verdict_changes(self):
        for scenario in (DEMO, SCENARIOS / "pick_box.yaml", SCENARIOS / "grip_threshold.yaml"):
            self.run_program("run", scenario, "-n", 40, "-o", "e.h5", "--force")
            self.run_program("run", scenario, "-n", 40, "-o", "f.h5", "--force", *NEVER)
            early, full = self.trials("e.h5"), self.trials("f.h5")
            self.assertEqual(early["success"].tolist(), full["success"].tolist())
            self.assertFalse(full["decided_by"].any())
            self.assertGreater((early["decided_by"] > 0).sum(), 26)
            cut = (early["decided_by"] > 0) & (early["audit"] == 0)
            self.assertTrue((early["t_end"][cut] < full["t_end"][cut]).all())
            self.assertEqual(early["t_end"][cut].tolist(), early["t_decided"][cut].tolist())
            # what came to rest is measured as at the end: 1e-4 m/s, halved every 10 ms; what was
            # decided in the shake but for the elastic give of contacts: 4 N on 1e6 N/m
            rules = {3: ("lift", "slip", "moved"), 4: ("lift", "slip")}
            self.assertTrue(numpy.isin(early["decided_by"], list(rules)).any())
            for rule, measures in rules.items():
                rows = (early["decided_by"] == rule) & (early["audit"] == 0)
                for measure in measures if rows.any() else ():
                    off = numpy.abs(early[measure] - full[measure])[rows]
                    self.assertLess(off.max(), 2e-6 if rule == 3 else 4e-6)
            # audited trials are whole
            whole = early["audit"] > 0
            self.assertEqual(early["t_end"][whole].tolist(), full["t_end"][whole].tolist())

    def test_bytes_and_replay(self):
        for jobs in (1, 5):
            self.run_program("run", DEMO, "-n", 40, "-j", jobs, "-o", f"{jobs}.h5", *OFTEN)
        self.assert_same_bytes("1.h5", "5.h5")
        trials = self.trials("1.h5")
        for column in ("audit", "half_step"):
            chosen = trials["trial"][trials[column] > 0]
            self.assertGreater(len(chosen), 2)
            for trial in chosen[:2]:
                self.assertIn("identical",
                              self.run_program("replay", "1.h5", "--trial", trial).stdout)

    def test_a_resumed_run_has_the_same_bytes(self):
        self.run_program("run", DEMO, "-n", 200, "-o", "whole.h5", *OFTEN)
        self.run_cut_off("run", DEMO, "-n", 200, "-o", "cut.h5", *OFTEN, seconds=0.3)
        refused = self.run_program("run", DEMO, "-n", 200, "-o", "cut.h5", "--resume", *OFTEN,
                                   "--set", "simulation.early.rest=false", code=76)
        self.assertIn("simulation.early.rest", refused.stderr)
        self.run_program("run", DEMO, "-n", 200, "-o", "cut.h5", "--resume", *OFTEN)
        self.assert_same_bytes("whole.h5", "cut.h5")

    def test_the_answer_is_what_the_rows_say(self):
        self.run_program("run", DEMO, "-n", 60, "-o", "a.h5", *OFTEN)
        answer = self.run_json("show", "a.h5")
        trials = self.trials("a.h5")
        early, half = answer["early"], answer["half_step"]
        for number, rule in enumerate(("broken", "falling", "rest", "borne"), 1):
            self.assertEqual(early[rule], int((trials["decided_by"] == number).sum()))
        self.assertEqual(early["audited"], int((trials["audit"] > 0).sum()))
        self.assertEqual(early["wrong"], int((trials["audit"] == 2).sum()))
        self.assertEqual(half["repeated"], int((trials["half_step"] > 0).sum()))
        self.assertEqual(half["differ"], int((trials["half_step"] == 2).sum()))
        self.assertGreater(min(early["audited"], half["repeated"]), 5)
        if early["wrong"] == 0:
            self.assertAlmostEqual(early["upper"], 1 - 0.05 ** (1 / early["audited"]), places=12)
        with h5py.File(self.folder / "a.h5") as file:
            checks = {row["name"].decode(): row for row in file["summary/checks"][:]}
            decided = {row["by"].decode(): int(row["count"]) for row in file["summary/decided"][:]}
        self.assertEqual(checks["early"]["hi"], early["upper"])
        self.assertEqual(checks["early"]["n"], early["audited"])
        self.assertEqual((checks["half_step"]["lo"], checks["half_step"]["hi"]),
                         (half["lower"], half["upper"]))
        self.assertEqual(sum(decided.values()), 60)
        text = self.run_program("show", "a.h5").stdout
        self.assertIn(f"{early['audited']} re-run to their end, {early['wrong']} with another verdict", text)
        self.assertIn(f"{half['repeated']} trials repeated at half the step", text)
        said = answer["success"]
        is_cut = " % of twice this change" in text
        self.assertIn("with part of the step" if is_cut else "with step", said["text"])
        self.assertLess(said["lower"], said["sampling_lower"])
        self.assertIn("sampling alone [", text)

    def test_the_step_goes_into_the_interval(self):
        # all are repeated: the change is that of the verdicts at 2 ms, counted
        for name, step in (("a", "4 ms"), ("b", "2 ms")):
            self.run_program("run", DEMO, "-n", 90, "-o", f"{name}.h5", "-q", "--set", "simulation.half_step=1",
                             "--set", f"simulation.step={step}")
        answer = self.run_json("show", "a.h5")
        half, said = answer["half_step"], answer["success"]
        change = (self.trials("b.h5")["success"].astype(float) - self.trials("a.h5")["success"]).mean()
        self.assertAlmostEqual(half["change"], change, places=12)
        self.assertTrue(half["is_in_interval"] and said["lower"] <= said["p"] <= said["upper"])
        with h5py.File(self.folder / "a.h5") as file:
            rows = file["summary/estimates"][:]
            self.assertEqual((rows[0]["lo"], rows[0]["hi"]), (said["lower"], said["upper"]))
            self.assertTrue(file["summary/checks"][1]["is_in_interval"])
        # judged otherwise, or of a part, it is not known what the repetitions would say
        for words in (["--success", "lift(object) >= 70 mm"], ["--where", "object.mass > 0.2 kg"]):
            other = self.run_json("show", "a.h5", *words)
            self.assertNotIn("with step", str(other["success"]))
            self.assertFalse(other["half_step"]["is_in_interval"])
            line = f"  step, not in the interval: {other['half_step']['repeated']} trial"
            self.assertEqual(self.run_program("show", "a.h5", *words).stdout.count(line), 1)
        self.assertFalse(self.run_json("show", "a.h5", "--surrogate")["half_step"]["is_in_interval"])
        self.assertIn("  step, not in the interval: ", self.run_program("show", "a.h5", "--surrogate").stdout)
        compared = self.run_json("compare", "a.h5", "b.h5")
        self.assertEqual(compared["a"]["half_step"], {"repeated": 90, "is_in_interval": False})
        self.assertIn("step, not in the intervals: 90 trials of A and 90 of B repeated at half the step\n",
                      self.run_program("compare", "a.h5", "b.h5").stdout)
        # cases on common draws have their own interval
        self.run_program("run", DEMO, "-n", 30, "-o", "c.h5", "-q", "--set", "simulation.half_step=1",
                         "--set", "study.vary={object.mass: [0.1 kg, 0.3 kg]}", "--set", "uncertain.object.mass=~")
        several = self.run_json("show", "c.h5")
        self.assertFalse(several["half_step"]["is_in_interval"])
        self.assertEqual(several["half_step"]["repeated"], 60)
        self.assertIn("step, not in the interval: 60 trials", self.run_program("show", "c.h5").stdout)

    def test_trials_near_the_limit_are_repeated(self):
        for jobs in (1, 7):
            self.run_program("run", DEMO, "-n", 160, "-j", jobs, "-o", f"{jobs}.h5", "-q")
            self.assert_same_bytes("1.h5", f"{jobs}.h5")
        for part in (1, 2):
            self.run_program("run", DEMO, "-n", 160, "-o", f"p{part}.h5", "-q", "--shard", f"{part}/2")
        self.run_program("merge", "p1.h5", "p2.h5", "-o", "parts.h5")
        self.assert_same_bytes("1.h5", "parts.h5")
        trials = self.trials("1.h5")
        self.assertFalse(trials["half_step_chance"][:64].any())
        chance = trials["half_step_chance"][64:]
        self.assertGreaterEqual(chance.min(), 0.01)
        self.assertGreater((chance > 0.05).sum(), 3)
        repeated = trials["half_step"] > 0
        work = (2 * trials["steps"][64:] * chance).sum() / trials["steps"].sum()
        self.assertLess(work, 0.2)
        for trial in trials["trial"][repeated][:2]:
            self.assertIn("identical", self.run_program("replay", "1.h5", "--trial", trial).stdout)

    def test_an_audit_finds_wrong_verdicts(self):
        # what breaks a criterion early on and needs more work than allowed later was judged too soon
        self.run_program("run", DEMO, "-n", 30, "-o", "a.h5", "--set", "simulation.early.audit=1",
                         "--set", "simulation.work_limit=600", code=2)  # every trial ends so
        answer = self.run_json("show", "a.h5")
        trials = self.trials("a.h5")
        self.assertGreater(answer["early"]["wrong"], 0)
        self.assertEqual(answer["early"]["wrong"], int((trials["audit"] == 2).sum()))
        wrong = trials[trials["audit"] == 2]
        self.assertTrue((wrong["valid"] == 0).all())

    def test_half_the_step_tells_where_the_step_is_too_long(self):
        # 33 ms: a tenth of a swing of the shake, the longest that is accepted
        self.run_program("run", DEMO, "-n", 40, "-o", "b.h5", "--set", "simulation.half_step=1",
                         "--set", "simulation.step=33 ms")
        self.assertGreater(self.run_json("show", "b.h5")["half_step"]["differ"], 0)


if __name__ == "__main__":
    unittest.main()
