"""A run in parts, put together again; a run that goes on with more draws."""
import os
import random
import re
import subprocess
import unittest

import h5py

from support import PROGRAM, QUICK, Case, can_trace

MOST = 64 if "GRASPMC_LONG" in os.environ else 12  # parts

STUDY = """graspmc: 1
use: {use}
study:
  vary: {{object.mass: [0.1, 0.2, 0.3]}}
  draws: 12
sampling: ~
output: {{trajectories: "every:5", histograms: [object.mass]}}
"""


class Shards(Case):
    def parts(self, scenario, count, *options):
        names = [f"part{i + 1}.h5" for i in range(count)]
        for i, name in enumerate(names):
            self.run_program("run", scenario, *options, "--shard", f"{i + 1}/{count}", "-o", name,
                             "-q", "--force")
        return names

    def test_merged_in_any_order_they_are_the_whole(self):
        options = ["-n", 130, "--trajectories", "every:20"]
        self.run_program("run", QUICK, *options, "-o", "whole.h5", "-q")
        chance = random.Random(1)
        for count in (1, 2, 3, MOST):
            names = self.parts(QUICK, count, *options)
            chance.shuffle(names)
            self.run_program("merge", *names, "-o", "all.h5", "--force", "-q")
            self.assert_same_bytes("whole.h5", "all.h5")
        with h5py.File(self.folder / "part1.h5") as file:
            self.assertEqual(file.attrs["shard"], f"1/{MOST}".encode())

    def test_studies_are_cut_at_draws(self):
        scenario = self.write("study.yaml", STUDY.format(use=QUICK))
        self.run_program("run", scenario, "-o", "whole.h5", "-q")
        names = self.parts(scenario, 5)
        for name in names:
            with h5py.File(self.folder / name) as file:
                self.assertEqual(file.attrs["trial_count"] % 3, 0)
                self.assertEqual(file["summary/estimates"][0]["left_out"], 0)
        self.run_program("merge", *reversed(names), "-o", "all.h5", "-q")
        self.assert_same_bytes("whole.h5", "all.h5")

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_merging_reads_what_is_there_about_once(self):
        names = self.parts(QUICK, 2, "-n", 400, "--trajectories", "all")
        trace = self.folder / "trace"
        subprocess.run(["strace", "-f", "-y", "-o", trace, "-e", "trace=pread64", PROGRAM, "merge",
                        *names, "-o", "all.h5", "-q"], cwd=self.folder, check=True,
                       capture_output=True, env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        got = sum(map(int, re.findall(r"\.h5\S*>.* = (\d+)$", trace.read_text(), re.MULTILINE)))
        size = sum((self.folder / name).stat().st_size for name in [*names, "all.h5"])
        # parts to be copied, the result to be verified and shown; metadata is little. Chunks that
        # hold many trials were read once for each of them: 20 times as much
        self.assertGreater(got, size / 2)
        self.assertLess(got, 2 * size)

    def test_what_does_not_fit_is_named(self):
        names = self.parts(QUICK, 4, "-n", 40)
        self.run_program("run", QUICK, "-n", 40, "--seed", 7, "--shard", "2/4", "-o", "other.h5", "-q")
        found = self.run_program("merge", names[0], names[2], names[3], "-o", "all.h5", code=76)
        self.assertIn("trials 10 ... 19 are missing", found.stderr)
        found = self.run_program("merge", *names, names[1], "-o", "all.h5", code=76)
        self.assertIn("trials 10 ... 19 are in", found.stderr)
        found = self.run_program("merge", names[0], "other.h5", *names[2:], "-o", "all.h5", code=76)
        self.assertIn("other.h5: error: the seed is 7 here", found.stderr)
        found = self.run_program("merge", names[0], "none.h5", "nor.h5", "-o", "all.h5", code=66)
        self.assertIn("none.h5", found.stderr)
        self.assertIn("nor.h5", found.stderr)
        self.assertFalse(os.path.exists(self.folder / "all.h5"))
        self.run_program("merge", *names, "-o", names[0], code=73)
        self.run_program("merge", *names, code=64)
        found = self.run_program("run", QUICK, "-n", 3, "--shard", "4/5", code=64)
        self.assertIn("this part is empty", found.stderr)

    def test_what_changed_since_it_was_written_is_not_believed(self):
        names = self.parts(QUICK, 2, "-n", 40)
        with h5py.File(self.folder / names[1], "r+") as file:
            rows = file["trials"][:]
            rows["lift(object)"][3] += 1e-9
            file["trials"][:] = rows
        found = self.run_program("merge", *names, "-o", "all.h5", code=65)
        self.assertIn("part2.h5: error: /trials: does not have the content digest", found.stderr)
        self.assertFalse(os.path.exists(self.folder / "all.h5"))
        self.assertIn("content digest", self.run_program("show", names[1], code=65).stderr)

        self.run_program("run", QUICK, "-n", 20, "-o", "grown.h5", "-q")
        with h5py.File(self.folder / "grown.h5", "r+") as file:
            file["samples"][7, 1] *= 2
        before = (self.folder / "grown.h5").read_bytes()
        for _ in range(2):  # and it stays refused
            found = self.run_program("run", QUICK, "-n", 40, "-o", "grown.h5", "--resume", code=65)
            self.assertIn("content digest", found.stderr)
        self.assertEqual(before, (self.folder / "grown.h5").read_bytes())

    def test_a_finished_run_goes_on_with_more_draws(self):
        options = ["--trajectories", "every:20", "-q"]
        self.run_program("run", QUICK, "-n", 130, *options, "-o", "whole.h5")
        self.run_program("run", QUICK, "-n", 50, *options, "-o", "grown.h5")
        self.run_program("run", QUICK, "-n", 130, *options, "-o", "grown.h5", "--resume")
        self.assert_same_bytes("whole.h5", "grown.h5")
        log = (self.folder / "grown.h5.log").read_text().splitlines()
        self.assertIn('"fresh": 80', log[-1])
        found = self.run_program("run", QUICK, "-n", 60, *options, "-o", "grown.h5", "--resume",
                                 code=76)
        self.assertIn("number of trials is 130 there, 60 here", found.stderr)


if __name__ == "__main__":
    unittest.main()
