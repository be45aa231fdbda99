"""What a batch system does to a run: TERM, INT, USR1, XCPU, while trials are long, while the result is written, once
and again. The run ends with 75 within a second, its journal is valid, and the run goes on from it to the bytes of an
undisturbed one. (TERM in every system call: test_system_calls.py.)"""
import json
import os
import signal
import subprocess
import time
import unittest

import faults
import support

LIMIT_S = 10.0 if faults.IS_SANITIZED else 1.0
REPEATS = 20 if faults.ALL else 1


def cpu_s(process):
    """Processor time that the process has had."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def catches_term(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


class Stopped(support.Case):
    def kept(self):
        """Trials in the journal, by `status`, which reads it all."""
        done = self.run_program("status", "a.h5", "--json", code=2)
        (run,) = json.loads(done.stdout)["runs"]
        self.assertEqual(run["outputs"][0]["state"], "interrupted")
        return run["done"]

    def stop(self, process, *signals):
        """Send them, and wait. @return seconds from the first to the end"""
        begin = time.monotonic()
        for number in signals:
            process.send_signal(number)
            time.sleep(0.002)
        _, said = process.communicate(timeout=60)
        taken = time.monotonic() - begin
        self.assertEqual(process.returncode, 75, said)
        # wherever it was: there is a journal to go on from
        self.assertRegex(said, "^stopped by SIG")
        self.assertIn("resume: graspmc run --resume", said)
        self.assertFalse((self.folder / "a.h5").exists())
        return taken

    def begin(self, *words):
        """A run that has begun, or is about to begin, its trials."""
        process = self.start("run", *words, "-o", "a.h5", "--resume", "--progress", "none")
        journal = self.folder / "a.h5.journal"
        while not (catches_term(process) and journal.exists() and journal.stat().st_size > 0):
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        return process

    def test_long_trials(self):
        """Of the heaviest scenario, whose trials take seconds: what is in flight is given up."""
        words = [support.SCENARIOS / "bin_pick.yaml", "-n", 4000, "-j", 2]  # more than all of these sessions run
        taken = []
        for repeat in range(REPEATS):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGXCPU):
                process = self.begin(*words)
                while cpu_s(process) < 0.3 + 0.1 * (repeat % 10):
                    self.assertIsNone(process.poll())
                    time.sleep(0.01)
                taken.append(self.stop(process, number))
                self.kept()
        print(f"stopped in {sorted(taken)[len(taken) // 2]:.3f} s, at most {max(taken):.3f} s", flush=True)
        self.assertLess(max(taken), LIMIT_S)

    def test_again_and_again(self):
        words = [support.QUICK, "-n", 3000, "-j", 2]
        for _ in range(REPEATS):
            process = self.begin(*words)
            taken = self.stop(process, *[signal.SIGUSR1] * 5, signal.SIGXCPU)
            self.assertLess(taken, LIMIT_S)
            self.assertLess(self.kept(), 3000)

    def test_the_second_does_not_wait(self):
        """It ends the program by itself, wherever it is; what the journal holds stays."""
        words, codes = [support.QUICK, "-n", 3000, "-j", 2], set()
        for _ in range(REPEATS):
            process = self.begin(*words)
            time.sleep(0.1)  # among the trials, where the first is held
            for number in (signal.SIGTERM, signal.SIGINT):
                process.send_signal(number)
                time.sleep(0.0005)
            process.communicate(timeout=60)
            codes.add(process.returncode)
            self.assertFalse((self.folder / "a.h5").exists())
            self.assertLess(self.kept(), 3000)
        # now and then the first has been answered before the second comes
        self.assertIn(-signal.SIGINT, codes)
        self.assertLessEqual(codes, {75, -signal.SIGTERM, -signal.SIGINT})

    def test_before_the_first_trial(self):
        """While the scenario is read: nothing is left, or what can be resumed."""
        for k in range(4 * REPEATS):
            process = self.start("run", support.QUICK, "-n", 500, "-j", 1, "-o", "a.h5", "--resume", "--progress",
                                 "none")
            time.sleep(0.001 * k / REPEATS * 4)
            process.terminate()
            _, said = process.communicate(timeout=60)
            # before it catches signals it dies of them
            self.assertIn(process.returncode, (75, -signal.SIGTERM), said)
        self.run_program("run", support.QUICK, "-n", 500, "-j", 1, "-o", "a.h5", "--resume", "-q")

    def test_while_the_scenario_is_read_again(self):
        """A journal is there to go on from, which the line says before the trials go on too."""
        process = self.begin(support.QUICK, "-n", 3000, "-j", 2)
        self.stop(process, signal.SIGTERM)
        kept = self.kept()
        for k in range(8 * REPEATS):
            process = self.start("run", support.QUICK, "-n", 3000, "-j", 2, "-o", "a.h5", "--resume", "--progress", "none")
            while process.poll() is None and not catches_term(process):
                pass
            time.sleep(0.001 * k / REPEATS)
            process.terminate()
            _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 75, said)
            self.assertIn("resume: graspmc run --resume", said)
        self.assertGreaterEqual(self.kept(), kept)

    def test_while_the_answer_is_printed(self):
        """The result is whole: the program ends with its own code, or says that the result is complete."""
        words = [support.QUICK, "-n", 60, "-j", 2, "-o", "a.h5", "--progress", "none"]
        codes = set()
        for k in range(8 * REPEATS):
            process = self.start("run", *words, "--resume")
            while not (self.folder / "a.h5").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.0002)
            time.sleep(0.0003 * (k % 8))
            process.terminate()
            _, said = process.communicate(timeout=60)
            codes.add(process.returncode)
            if process.returncode == 75:
                self.assertIn("the result is complete: graspmc show a.h5", said)
            self.run_program("show", "a.h5")
            (self.folder / "a.h5").unlink()
        self.assertIn(0, codes)
        self.assertLessEqual(codes, {0, 75})

    def test_while_the_result_is_written(self):
        words = [support.QUICK, "-n", 300, "-j", 2, "--trajectories", "all", "-q"]
        self.run_program("run", *words, "-o", "expected.h5")
        expected = (self.folder / "expected.h5").read_bytes()
        hits = 0
        for _ in range(3 * REPEATS):
            process = self.start("run", *words, "-o", "a.h5", "--resume", "--progress", "none")
            while process.poll() is None and not list(self.folder.glob("a.h5.tmp.*")):
                time.sleep(0.0005)
            begin = time.monotonic()
            process.terminate()
            _, said = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begin, LIMIT_S)
            self.assertIn(process.returncode, (0, 75), said)
            self.assertFalse(list(self.folder.glob("a.h5.tmp.*")))
            if process.returncode == 75:
                hits += 1
                self.assertEqual(self.kept(), 300)
                self.run_program("run", *words, "-o", "a.h5", "--resume")
            self.assertEqual((self.folder / "a.h5").read_bytes() == expected, True)
            (self.folder / "a.h5").unlink()
        self.assertGreater(hits, 0)

    def test_halted_and_continued(self):
        """STOP and CONT cost time and nothing else."""
        words = [support.QUICK, "-n", 300, "-j", 2, "-q"]
        self.run_program("run", *words, "-o", "expected.h5")
        process = self.begin(*words)
        for _ in range(3):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.05)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.02)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assert_same_bytes("expected.h5", "a.h5")

    def test_the_reader_leaves(self):
        """`| head -c 1`: a result that nobody reads to its end is not a crash."""
        self.run_program("run", support.QUICK, "-n", 20, "-o", "b.h5", "-q")
        for words in (["show", "b.h5", "--json"], ["check", support.QUICK, "--expanded"], ["status", "b.h5", "--json"],
                      ["run", support.QUICK, "-n", 20, "-o", "c.h5", "--json", "--force"], ["--manual"]):
            process = subprocess.Popen([support.PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096)
            process.stdout.close()
            said = process.stderr.read()
            process.stderr.close()
            self.assertIn(process.wait(timeout=60), (0, 74, -signal.SIGPIPE), f"{words} {said}")
            self.assertNotRegex(said, "rror")


if __name__ == "__main__":
    faults.main()
