"""scripts/sweep_slurm on a real Slurm: arrays that are preempted and fail, to the bytes of one run."""
import os
import pathlib
import re
import shlex
import subprocess
import unittest

import slurm
from support import PROGRAM, QUICK, ROOT, Case

SWEEP = ROOT / "scripts/sweep_slurm"
RANK = ROOT / "test/end_to_end/rank.yaml"

# trials that take long enough to be interrupted
SLOW = """graspmc: 1
use: {use}
simulation: {{step: 0.2 ms}}
output: {{trajectories: none}}
"""

# The program, but one part cannot be written as long as there is a file `broken`.
BROKEN = """#!/bin/bash
[[ $1 == run && $5 == *2of3* && -e {folder}/broken ]] && exit 74
exec {program} "$@"
"""


@unittest.skipIf(slurm.why_not(), slurm.why_not())
class Arrays(Case):
    # further lines of slurm.conf
    requeue = os.environ.get("GRASPMC_SLURM", "")

    @classmethod
    def setUpClass(cls):
        cls.slurm = slurm.Slurm()
        cls.addClassCleanup(cls.slurm.stop)
        try:
            cls.slurm.start(cls.requeue)
        except TimeoutError as error:
            raise unittest.SkipTest(f"Slurm does not start here: {error}") from error

    def sweep(self, *words, code=0, program=PROGRAM):
        done = subprocess.run([SWEEP, "--program", program, *map(str, words)], cwd=self.folder,
                              env=self.slurm.environment, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=200, check=False)
        self.assertEqual(done.returncode, code, f"{done.stdout}\n{done.stderr}\n{self.slurm.logs()}")
        return done.stdout, done.stderr

    def is_over(self):
        return not self.slurm.ask("squeue", "--noheader").strip()

    def wait_until_over(self):
        self.slurm.wait_for(self.is_over, 150, "end of all jobs")

    def said(self, pattern):
        return "".join(file.read_text() for file in sorted(self.folder.glob(f"sweep/logs/{pattern}")))

    def test_preempted_requeued_and_merged(self):
        self.lend("quick.yaml")
        scenario = self.write("slow.yaml", SLOW.format(use="quick.yaml"))
        self.run_program("run", scenario, "-n", 800, "-o", "whole.h5", "-q")
        words = [scenario, "-o", "sweep", "--shards", 2, "--sbatch", "--partition=low"]
        self.sweep(*words, "--", "-n", 800)
        _, said = self.sweep(*words, "--", "-n", 800, code=75)
        self.assertIn("still at work", said)
        journals = [self.folder / f"sweep/parts/all.{k}of2.h5.journal" for k in (1, 2)]
        self.slurm.wait_for(lambda: all(file.exists() and file.stat().st_size > 6000
                                        for file in journals), 30, "two tasks at work")
        # who needs both cores, and may push others aside
        self.slurm.ask("sbatch", "--partition=high", "--ntasks=2", "--output=/dev/null", "--wait",
                       "--wrap", "sleep 1")
        self.assertEqual(self.said("all.?of2.log").count("stopped by SIGTERM"), 2)
        self.wait_until_over()
        self.assert_same_bytes("whole.h5", "sweep/all.h5")
        for k in (1, 2):
            log = (self.folder / f"sweep/parts/all.{k}of2.h5.log").read_text().splitlines()
            self.assertRegex(log[-2], r'"kept": [1-9]')
        self.assertIn("1 of 1 complete", self.said("gather.log"))

        _, said = self.sweep(*words, "--", "-n", 800)
        self.assertIn("nothing to submit", said)
        # only what is not there is submitted, and it is the same
        os.remove(self.folder / "sweep/parts/all.2of2.h5")
        os.remove(self.folder / "sweep/all.h5")
        out, _ = self.sweep(*words, "--wait", "--", "-n", 800)
        self.assertIn("--array=2 ", out)
        self.assertIn("complete,800,", out)
        self.assert_same_bytes("whole.h5", "sweep/all.h5")

    def test_what_failed_is_missing_and_submitted_again(self):
        program = self.write("unreliable", BROKEN.format(program=PROGRAM, folder=self.folder))
        program.chmod(0o755)
        self.write("broken", "")
        words = [QUICK, "-o", "sweep", "--shards", 3, "--grid", "program.0.close.force=5 N,10 N",
                 "--wait", "--", "-n", 60]
        out, _ = self.sweep(*words, program=program, code=75)
        self.assertEqual(out.count("1 of 3 missing"), 2)
        os.remove(self.folder / "broken")
        out, _ = self.sweep(*words, program=program)
        self.assertIn("--array=2\\,5 ", out)
        self.assertEqual(len(re.findall(r",complete,60,\d+,0,", out)), 2)
        self.run_program("run", QUICK, "-n", 60, "-q", "-o", "one.h5", "--set",
                         "program.0.close.force=5 N")
        self.assert_same_bytes("one.h5", "sweep/0001.h5")

    def cancel(self, name, words, *run):
        """Submit, and cancel once the first task is at work: it ends, is not requeued, leaves its journal."""
        self.lend("quick.yaml")
        self.sweep(self.write("slow.yaml", SLOW.format(use="quick.yaml")), "-o", "sweep", *words, "--", "-n", 20000, *run)
        journal = self.folder / f"sweep/{name}.h5.journal"
        self.slurm.wait_for(journal.exists, 30, "task at work")
        self.slurm.ask("scancel", "--user=root")
        self.wait_until_over()
        self.assertIn("stopped by SIGTERM", self.said(f"{pathlib.Path(name).name}.log"))
        self.assertFalse((self.folder / f"sweep/{name}.h5").exists())
        self.assertTrue(journal.exists())

    def test_cancelled_parts_do_not_come_back(self):
        self.cancel("parts/all.1of2", ["--shards", 2])

    def test_cancelled_answers_do_not_come_back(self):
        self.cancel("0001", ["--grid", "program.0.close.force=9 N,10 N"], "--until", "half_width<0.001")

    def test_lines_of_the_pages_are_understood(self):
        for page in ("README.md", "scripts/README.md", "scenarios/guide/cluster.md"):
            text = (ROOT / page).read_text(encoding="utf-8")
            for line in re.findall(r"^(?:scripts/sweep_slurm (?:.*\\\n)*.*)$", text, re.M):
                with self.subTest(page=page, line=line):
                    words = shlex.split(line.replace("\\\n", " "))[1:]
                    words[0] = str(ROOT / words[0])
                    words[words.index("-o") + 1] = "dry"
                    out, _ = self.sweep("--dry-run", *words)
                    self.assertIn("sbatch", out)
                    self.assertIn("--partition=low", out)

    def test_rounds_of_a_ranking_by_hand(self):
        # the lines that the README of scripts gives, with fewer tasks
        page = (ROOT / "scripts/README.md").read_text(encoding="utf-8")
        (loop,) = re.findall(r"```\n(after=\(\).*?done\n)```", page, re.S)
        self.assertIn("--array=1-16 ", loop)
        loop = loop.replace("--array=1-16 ", "--array=1-2 ")
        self.lend("rank.yaml", RANK)
        self.write("grasps.yaml", "graspmc: 1\nuse: rank.yaml\nstudy: {rank: {best: 3, within: 5 %, budget: 150}}\n")
        self.run_program("run", "grasps.yaml", "-o", "whole.h5", "-q", code=2)  # the budget is used up
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "graspmc").symlink_to(PROGRAM)
        environment = dict(self.slurm.environment)
        environment["PATH"] = f"{programs}:{environment['PATH']}"
        done = subprocess.run(["bash", "-c", loop + "echo $round; exit $code"], cwd=self.folder, env=environment,
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 2, f"{done.stdout}\n{done.stderr}\n{self.slurm.logs()}")
        rounds = int(done.stdout.split()[-1])
        self.assertGreaterEqual(rounds, 2)
        self.assert_same_bytes("whole.h5", f"rounds{rounds}.h5")


if __name__ == "__main__":
    unittest.main()
