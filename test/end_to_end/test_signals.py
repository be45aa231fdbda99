"""Signals at random times, whatever is going on: the first ends within a second, the second at once; what the
journal holds stays, and what a killed process left beside an output goes with the next command that writes it."""
import os
import random
import signal
import subprocess
import time
import unittest

from support import PROGRAM, QUICK, Case, can_trace

TIMES = int(os.environ.get("GRASPMC_SIGNALS", "4"))  # of each command
FIRST_S, SECOND_S = 1.0, 0.1  # what is promised
SLOW = float(os.environ.get("GRASPMC_SLOW", "1"))  # of a build with sanitizers
STOPPED = {75, -signal.SIGINT, -signal.SIGTERM}


def catches(process, number):
    """Is the signal one that the process catches? Before it does, the system ends it without a word."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1 == 1


def busy():
    """How many processes share a core, at least 1: on a machine with other work everything takes so much longer."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Signals(Case):
    def send(self, chance, words, longest, twice):
        """Start, wait, send one signal or two. @return exit code and the seconds after the last one"""
        process = self.start(*words)
        time.sleep(chance.uniform(0.002, longest))
        number = chance.choice([signal.SIGINT, signal.SIGTERM])
        process.send_signal(number)
        if twice:
            time.sleep(chance.uniform(0.001, 0.02))
            process.send_signal(chance.choice([number, signal.SIGINT, signal.SIGTERM]))
        sent = time.monotonic()
        _, said = process.communicate(timeout=60)
        took = time.monotonic() - sent
        self.assertIn(process.returncode, STOPPED | {0}, said)
        promised = SECOND_S if twice else FIRST_S
        self.assertLess(took, promised * SLOW * busy(), f"{words}: {said}")
        return process.returncode

    def again_and_again(self, seed, words, longest, after=lambda code: None):
        chance = random.Random(seed)
        codes = []
        for i in range(TIMES):
            code = self.send(chance, words, longest, twice=i % 2 == 1)
            codes.append(code)
            after(code)
        self.assertTrue(any(code in STOPPED for code in codes), codes)

    def beside(self, out):
        return {path.name for path in self.folder.glob(f"{out}*")}

    def test_a_run_loses_nothing(self):
        words = [QUICK, "-n", 300, "-j", 2, "--trajectories", "every:50"]
        started = time.monotonic()
        self.run_program("run", *words, "-o", "whole.h5")
        whole_s = time.monotonic() - started
        journal, out, kept = self.folder / "a.h5.journal", self.folder / "a.h5", 0

        def grows(_code):
            nonlocal kept
            if out.exists():  # complete: begin anew
                self.assert_same_bytes("whole.h5", "a.h5")
                for name in self.beside("a.h5"):
                    (self.folder / name).unlink()
                kept = 0
                return
            now = journal.stat().st_size if journal.exists() else 0
            self.assertGreaterEqual(now + 4096, kept)  # less a torn record
            kept = now

        self.again_and_again(1, ["run", *words, "-o", "a.h5", "--resume"], 0.5 * whole_s, grows)
        self.run_program("run", *words, "-o", "a.h5", "--resume")
        self.assert_same_bytes("whole.h5", "a.h5")
        self.assertEqual(self.beside("a.h5"), {"a.h5", "a.h5.log"})

    def test_a_merge_leaves_nothing_behind(self):
        for i in (1, 2):
            self.run_program("run", QUICK, "-n", 600, "-o", f"part{i}.h5", "-q", "--shard", f"{i}/2",
                             "--trajectories", "every:5")
        words = ["merge", "part1.h5", "part2.h5", "-o", "m.h5", "--force"]
        started = time.monotonic()
        self.run_program(*words)
        whole_s = time.monotonic() - started
        whole = (self.folder / "m.h5").read_bytes()
        self.again_and_again(2, words, whole_s)
        self.assertEqual((self.folder / "m.h5").read_bytes(), whole)  # that of before, or the same again
        self.run_program(*words)
        self.assertEqual(self.beside("m.h5"), {"m.h5"})

    def test_f15_what_killed_writers_left_is_removed(self):
        self.run_program("run", QUICK, "-n", 64, "-o", "part.h5", "-q", "--shard", "1/2")
        self.run_program("run", QUICK, "-n", 64, "-o", "other.h5", "-q", "--shard", "2/2")
        gone = self.start("run", "--help")
        gone.communicate()
        alive = [f"m.h5.tmp.{os.getpid()}", "m.h5.tmp.12x", "m.h5.tmp.", "m.h5x.tmp.1", f"xm.h5.tmp.{gone.pid}"]
        dead = f"m.h5.tmp.{gone.pid}"
        for name in [*alive, dead]:
            (self.folder / name).write_bytes(b"left")
        os.symlink("part.h5", self.folder / f"m.h5.tmp.{gone.pid - 1}")  # not ours: only files are
        self.run_program("merge", "part.h5", "other.h5", "-o", "m.h5")
        self.assertFalse((self.folder / dead).exists())
        for name in alive:
            self.assertTrue((self.folder / name).exists(), name)
        self.assertTrue((self.folder / f"m.h5.tmp.{gone.pid - 1}").is_symlink())
        self.assertTrue((self.folder / "part.h5").exists())

    def test_f15_folders_of_killed_extractions_are_removed(self):
        self.run_program("run", QUICK, "-n", 4, "-o", "a.h5", "-q")
        words = ["extract", "a.h5", "--trial", 1, "-o", "t/"]
        gone = self.start("run", "--help")
        gone.communicate()
        others = [f"t.part.{os.getpid()}", f"t.part.{gone.pid}x", f"x.part.{gone.pid}", f"t.part.{gone.pid}.d"]
        for name in [*others, f"t.part.{gone.pid}", f"t.part.{gone.pid - 1}"]:
            (self.folder / name / "models").mkdir(parents=True)
            (self.folder / name / "models/scenario.yaml").write_text("left")
            if name != f"t.part.{gone.pid - 1}":  # not ours: a folder that somebody named so
                (self.folder / name / ".graspmc-part").write_text("")
        os.symlink(self.folder / others[0], self.folder / f"t.part.{gone.pid}" / "elsewhere")
        kept = sorted([*others, f"t.part.{gone.pid - 1}"])
        if can_trace():  # killed where all of it is written, and not yet in place
            killed = self.folder / "trace"
            subprocess.run(["strace", "-f", "-o", killed, "-e", "trace=rename", "-e", "inject=rename:signal=KILL", PROGRAM,
                            *map(str, words)], cwd=self.folder, capture_output=True, check=False)
            # gone.pid's went with that run, which left one of its own
            self.assertEqual(len(list(self.folder.glob("?.part.*"))), len(kept) + 1)
        self.run_program(*words)
        self.assertEqual(sorted(path.name for path in self.folder.glob("?.part.*")), kept)
        for name in kept:
            self.assertTrue((self.folder / name / "models/scenario.yaml").exists(), name)
        self.assertFalse((self.folder / "t/.graspmc-part").exists())
        self.assertTrue((self.folder / "t/scenario.yaml").exists())

    def test_a_check(self):
        self.again_and_again(3, ["check", QUICK, "--until", "half_width<0.01"], 0.3)

    def test_the_first_says_which(self):
        process = self.start("check", QUICK, "--until", "half_width<0.01")
        while process.poll() is None and not catches(process, signal.SIGTERM):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (75, "stopped by SIGTERM\n"))


if __name__ == "__main__":
    unittest.main()
