"""scripts/sweep_rounds: a ranking round by round, through failures, to the bytes of a run in one go."""
import shutil
import signal
import subprocess
import time
import unittest

from support import PROGRAM, QUICK, ROOT, Case

RANK = ROOT / "test/end_to_end/rank.yaml"
HARD = ["--set", "study.rank.within=0.5 %"]

# The program, but the first try of every second part cannot write, and leaves a line in `tries`.
UNRELIABLE = """#!/bin/bash
[[ $1 == run && $5 == *.2of* ]] || exec {program} "$@"
echo "$5" >>{folder}/tries
[[ $(grep -cxF "$5" {folder}/tries) -gt 1 ]] || exit 74
exec {program} "$@"
"""


@unittest.skipUnless(shutil.which("parallel"), "GNU Parallel is not installed")
class Rounds(Case):
    def start_sweep(self, *words, program=PROGRAM, script="sweep_rounds"):
        return subprocess.Popen([ROOT / "scripts" / script, "--program", program, *map(str, words)],
                                cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def sweep(self, *words, code=0, **options):
        process = self.start_sweep(*words, **options)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, code, f"--- stdout\n{out}\n--- stderr\n{err}")
        return out, err

    def test_parts_that_fail_and_an_answer_of_a_run_in_one_go(self):
        program = self.write("unreliable", UNRELIABLE.format(program=PROGRAM, folder=self.folder))
        program.chmod(0o755)
        out, err = self.sweep(RANK, "-o", "s", "--shards", 2, "-j", 2, program=program)
        self.assertIn("reached: the best 3 of 12 cases", out)
        self.assertIn("round 6 is done", err)
        self.run_program("run", RANK, "-o", "whole.h5", "-q")
        self.assert_same_bytes("whole.h5", "s/all.h5")
        tries = (self.folder / "tries").read_text().split()
        self.assertEqual(len(tries), 2 * 7)
        self.assertEqual(list((self.folder / "s/parts").glob("*.h5")), [])
        # again, nothing is run; another ranking is not taken for it
        before = (self.folder / "s/all.h5").stat().st_mtime_ns
        self.sweep(RANK, "-o", "s", "--shards", 2)
        self.assertEqual((self.folder / "s/all.h5").stat().st_mtime_ns, before)
        _, err = self.sweep(RANK, "-o", "s", "--shards", 2, "--", "--seed", 4, code=76)
        self.assertIn("seed is 1 there, 4 here", err)

    def test_stopped_and_given_again(self):
        words = [RANK, "-o", "s", "--shards", 3, "-j", 1, "--", *HARD, "--set", "study.rank.budget=500"]
        process = self.start_sweep(*words)
        deadline = time.monotonic() + 60
        while not (self.folder / "s/rounds/2.h5").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, err)
        self.assertIn("the same command goes on", err)
        self.assertFalse((self.folder / "s/all.h5").exists())
        # a budget that is used up is an answer: 2
        out, err = self.sweep(*words, code=2)
        self.assertIn("the budget is used up", out)
        self.assertNotIn("round 0 is done", err)
        self.run_program("run", RANK, "-o", "whole.h5", "-q", *words[8:], code=2)
        self.assert_same_bytes("whole.h5", "s/all.h5")

    def test_what_fails_for_good_is_said(self):
        broken = self.write("broken", f'#!/bin/bash\n[[ $1 == run ]] && {{ echo "no disk" >&2; exit 74; }}\n'
                                      f'exec {PROGRAM} "$@"\n')
        broken.chmod(0o755)
        _, err = self.sweep(RANK, "-o", "s", "--shards", 2, "--retries", 1, program=broken, code=74)
        self.assertRegex(err, r"round 0, part [12] of 2: exit 74; see logs/0\.[12]of2\.log\nno disk\n")
        _, err = self.sweep(QUICK, "-o", "t", "--shards", 2, code=64)
        self.assertIn("quick.yaml is no ranking (study.rank): sweep_parallel cuts its trials", err)
        self.sweep(RANK, "-o", "t", "--shards", 2, "--grid", "object.mass=1 kg", code=64)
        self.sweep(RANK, "-o", "t", "--shards", 2, "--", "--set", "nothing=1", code=65)
        out, _ = self.sweep(RANK, "-o", "t", "--shards", 2, "--dry-run")
        self.assertIn("--shard 2/2", out)
        self.assertFalse((self.folder / "t").exists())

    def test_the_other_sweeps_refuse_parts_before_anything_runs(self):
        ladder = ROOT / "test/end_to_end/ladder.yaml"
        for scenario, words in ((RANK, "a ranking decides itself which trials are run: no --shards"),
                                (ladder, "a ladder decides itself which trials are run: no --shards")):
            for script in ("sweep_parallel", "sweep_slurm"):
                _, err = self.sweep(scenario, "-o", "s", "--shards", 2, "--dry-run", script=script, code=64)
                self.assertIn(words, err)
        # in one piece it is swept, and a budget that is used up is no failure
        out, _ = self.sweep(RANK, "-o", "s", "--", "--set", "study.rank.budget=200", script="sweep_parallel")
        self.assertIn("1,complete,198,", out)
        self.assertEqual((self.folder / "s/joblog").read_text().splitlines()[1].split("\t")[6], "0")


if __name__ == "__main__":
    unittest.main()
