"""check --pilot and check --until: a few trials say what a run takes."""
import os
import unittest

from support import QUICK, ROOT, SCENARIOS, Case

LADDER = ROOT / "test/end_to_end/ladder.yaml"


class Pilot(Case):
    def check(self, *words, **options):
        return self.run_json("check", *words, **options)

    def test_a_file_is_as_large_as_was_said(self):
        # 6 %: chunks of 256 KiB against those of a pilot, which end behind 64 rows; without trajectories 8 %: columns
        # of the energy balance pack by how alike trials are
        for kept, draws, share in (("none", 600, 0.08), ("none", 3000, 0.08), ("all", 600, 0.06), ("every:4", 600, 0.06)):
            words = [QUICK, "-n", draws, "--set", f"output.trajectories={kept}"]
            costs = self.check(*words, "--pilot", 64)["costs"]
            self.run_program("run", *words, "-o", "a.h5", "-q", "--force")
            size = (self.folder / "a.h5").stat().st_size
            self.assertAlmostEqual(costs["result_bytes"], size, delta=share * size, msg=kept)
        # which trials fail is a matter of chance: the pilot's share of failures has its interval
        found = self.check(QUICK, "-n", 600, "--pilot", 64)
        self.run_program("run", QUICK, "-n", 600, "-o", "a.h5", "-q", "--force")
        size = (self.folder / "a.h5").stat().st_size
        self.assertTrue(size / 2 < found["costs"]["result_bytes"] < 2 * size)

    def test_the_journal_is_as_large_as_was_said(self):
        words = [QUICK, "-n", 100000, "--set", "output.trajectories=all"]
        costs = self.check(*words, "--pilot", 64)["costs"]
        done = self.run_program("run", *words, "-o", "a.h5", "--time-limit", 2, code=75)
        kept = int(done.stderr.rsplit(" of 100000 trials are kept", 1)[0].rsplit(" ", 1)[1])
        self.assertGreater(kept, 20)
        size = (self.folder / "a.h5.journal").stat().st_size
        # motions differ in length, and so do the mean of the first trials and of all
        self.assertAlmostEqual(costs["journal_bytes"] * kept / 100000, size, delta=0.15 * size)

    def test_a_wanted_width_is_what_a_run_needs(self):
        found = self.check(QUICK, "--until", "half_width<0.05", "-j", 3)
        needed, costs = found["needed"], found["costs"]
        self.assertEqual(needed["rule"], "half_width < 0.05")
        self.assertGreater(needed["draws_worst"], needed["draws"])
        self.assertGreater(needed["draws"], needed["draws_fixed"])
        self.assertEqual((costs["draws"], costs["trials"], costs["workers"]),
                         (needed["draws"], needed["draws"], 3))
        self.assertAlmostEqual(costs["seconds"], needed["draws"] * found["pilot"]["seconds_per_trial"] / 3,
                               delta=1e-9 * costs["seconds"])
        self.assertGreater(costs["memory_bytes"], 1e6)
        done = self.run_json("run", QUICK, "-n", 20000, "--until", "half_width<0.05", "-o", "a.h5", "-q")
        self.assertTrue(needed["draws_fixed"] / 2 < done["trials"] <= needed["draws_worst"])

    def test_cases_that_differ_take_fewer_draws_and_the_pilot_tells(self):
        cases = ["--set", "study.vary={hand.target.x: 'grid(-10 mm, 10 mm, 9)'}", "--until", "half_width<0.06"]
        found = self.check(QUICK, *cases)
        needed = found["needed"]
        self.assertTrue(0 < needed["pilot_agreement"] < 0.9)
        self.assertLess(needed["draws"], 0.75 * needed["draws_worst"])
        done = self.run_json("run", QUICK, "-n", 5000, *cases, "-o", "a.h5", "-q")
        self.assertTrue(0.4 < done["trials"] / found["costs"]["trials"] < 2.5, (done["trials"], needed))
        text = self.run_program("check", QUICK, *cases).stdout
        self.assertRegex(text, r"draws with --until if p is 0\.\d+ and cases of a draw agree by 0\.\d+ \(the pilot and one trial each way\)")
        self.assertNotIn("pilot_agreement", self.check(QUICK, "--until", "half_width<0.1")["needed"])

    def test_cases_that_share_draws_count_as_one(self):
        words = [SCENARIOS / "pinch_map.yaml", "-n", 10, "--until", "half_width<0.1"]
        found = self.check(*words)
        self.assertEqual(found["costs"]["trials"], found["needed"]["draws"] * found["cases"])
        alone = self.check(QUICK, "--until", "half_width<0.1")
        self.assertGreater(found["needed"]["draws_worst"], alone["needed"]["draws_worst"])

    def test_it_leaves_nothing_behind_and_is_said_in_words(self):
        (self.folder / "tmp").mkdir()
        environment = dict(os.environ, TMPDIR=str(self.folder / "tmp"))
        text = self.run_program("check", QUICK, "--until", "half_width<0.02", env=environment).stdout
        self.assertEqual(os.listdir(self.folder / "tmp"), [])
        self.assertEqual(os.listdir(self.folder), ["tmp"])
        for word in ("pilot     64 trials", "at worst (p = 0.5)", "fixed beforehand", "cores", "journal"):
            self.assertIn(word, text.replace("1 core,", "1 cores,"))
        environment["TMPDIR"] = str(self.folder / "none")
        self.run_program("check", QUICK, "--pilot", 16, env=environment, code=73)

    def test_what_no_pilot_tells_is_refused(self):
        self.assertIn("ladder", self.run_program("check", LADDER, "--pilot", 4, code=65).stderr)
        self.run_program("check", QUICK, "-n", 1024, "--design", "sobol", "--until", "half_width<0.1", code=65)
        self.check(QUICK, "-n", 1024, "--design", "sobol", "--pilot", 16)
        self.run_program("check", QUICK, "--pilot", 0, code=64)
        self.run_program("check", QUICK, "--until", "success>0.5", code=64)
        few = self.check(QUICK, "-n", 3, "--pilot", 64)
        self.assertEqual((few["pilot"]["trials"], few["costs"]["result_bytes"]), (3, -1))


if __name__ == "__main__":
    unittest.main()
