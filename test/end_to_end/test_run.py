"""The same answer however it was computed: worker counts, interruption, ranges, place and time."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import h5py
import numpy

from support import PROGRAM, QUICK, SANITIZED, Case, capability, long_one



def little_room():
    """In a child: 1 GB of addresses."""
    if not SANITIZED:  # shadow memory needs all the room there is
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


class Repeatable(Case):
    def test_the_bytes_do_not_depend_on_the_number_of_workers(self):
        for jobs in (1, 2, 7):
            self.run_program("run", QUICK, "-n", 60, "-j", jobs, "-o", f"{jobs}.h5",
                             "--trajectories", "failures")
        results = {(self.folder / f"{jobs}.h5").read_bytes() for jobs in (1, 2, 7)}
        capability(123, len(results) - 1, "<=", 0)

    @long_one
    def test_every_solver_finds_the_same_trials_and_repeats_its_own(self):
        trials, digests = {}, set()
        for solver in ("newton", "nsgs", "prox", "admm"):
            for jobs in (1, 3):
                self.run_program("run", QUICK, "-n", 6, "-j", jobs, "--solver", solver,
                                 "-o", f"{solver}{jobs}.h5")
            self.assert_same_bytes(f"{solver}1.h5", f"{solver}3.h5")
            with h5py.File(self.folder / f"{solver}1.h5") as file:
                trials[solver] = file["trials"][:]
                digests.add(file.attrs["scenario_digest"])
        self.assertEqual(len(digests), 4)
        for solver, rows in trials.items():
            first = trials["newton"]
            self.assertEqual(rows["outcome"].tolist(), first["outcome"].tolist(), solver)
            # residuals of 1e-9 over some hundred steps, more where an object slides and turns at once; seen
            # over 40 trials: 2e-7 m
            for column in ("lift", "slip"):
                self.assertLess(numpy.abs(rows[column] - first[column]).max(), 1e-6, solver)
            # in the two steps of an impact rows are all but rigid, which first-order methods hand on to the next
            # rung; seen over 40 trials: 0.2, 0.9, 0, 13 % of all steps
            share = {"newton": 0.005, "nsgs": 0.02, "prox": 0.005, "admm": 0.2}[solver]
            self.assertLessEqual(rows["hard_steps"].sum(), 1 + share * rows["steps"].sum(), solver)

    def test_nor_on_locale_time_zone_folder_or_stack(self):
        self.run_program("run", QUICK, "-n", 20, "-o", "a.h5")
        elsewhere = self.folder / "else where\u00e9"
        elsewhere.mkdir()
        environment = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8", TZ="Asia/Kathmandu",
                           HOME="/nonexistent")
        subprocess.run(["sh", "-c", 'ulimit -s 1024; umask 077; exec "$@"', "sh", PROGRAM, "run",
                        str(QUICK), "-n", "20", "-o", "b.h5"],
                       check=True, cwd=elsewhere, env=environment, capture_output=True)
        self.assertEqual((self.folder / "a.h5").read_bytes(), (elsewhere / "b.h5").read_bytes())

    def test_more_draws_change_no_earlier_trial(self):
        for draws in (10, 30):
            self.run_program("run", QUICK, "-n", draws, "-o", f"{draws}.h5")
        with h5py.File(self.folder / "10.h5") as few, h5py.File(self.folder / "30.h5") as many:
            self.assertEqual(few["trials"][:].tobytes(), many["trials"][:10].tobytes())
            self.assertEqual(few["samples"][:].tobytes(), many["samples"][:10].tobytes())

    def test_a_range_of_trials_is_that_part_of_the_whole(self):
        self.run_program("run", QUICK, "-n", 30, "-o", "all.h5")
        self.run_program("run", QUICK, "-n", 30, "--trials", "10:20", "-o", "part.h5")
        with h5py.File(self.folder / "all.h5") as whole, h5py.File(self.folder / "part.h5") as part:
            self.assertEqual(whole["trials"][10:20].tobytes(), part["trials"][:].tobytes())
        done = self.run_program("run", QUICK, "-n", 30, "--trials", "20:31", code=64)
        self.assertIn("30", done.stderr)


class Outputs(Case):
    def test_the_result_is_named_after_the_scenario(self):
        self.run_program("run", QUICK, "-n", 2, "-q")
        self.assertTrue((self.folder / "quick.h5").is_file())

    def test_an_existing_result_is_not_touched_without_force(self):
        out = self.write("a.h5", "precious")
        done = self.run_program("run", QUICK, "-n", 2, "-o", "a.h5", code=73)
        self.assertIn("--force", done.stderr)
        self.assertEqual(out.read_text(), "precious")
        self.run_program("run", QUICK, "-n", 2, "-o", "a.h5", "--force", code=73)
        self.assertEqual(out.read_text(), "precious")
        out.unlink()
        self.run_program("run", QUICK, "-n", 3, "-o", "a.h5")
        self.run_program("run", QUICK, "-n", 2, "-o", "a.h5", code=73)
        self.run_program("run", QUICK, "-n", 2, "-o", "a.h5", "--force")
        with h5py.File(out) as file:
            self.assertEqual(len(file["trials"]), 2)

    def test_a_folder_that_is_not_there(self):
        self.run_program("run", QUICK, "-n", 2, "-o", "nowhere/a.h5", code=73)

    def test_the_answer_goes_to_stdout_and_nothing_else(self):
        done = self.run_program("run", QUICK, "-n", 20, "-o", "a.h5", "--progress", "none")
        self.assertRegex(done.stdout, r"(?m)^success [01].* \[.*\] 95 % Clopper-Pearson, \d+ of 20")
        self.assertIn("a.h5", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_json_answers_and_json_progress(self):
        done = self.run_program("run", QUICK, "-n", 20, "-o", "a.h5", "--json", "--progress", "json")
        answer = json.loads(done.stdout)
        self.assertEqual(answer["output"], "a.h5")
        self.assertEqual(answer["trials"], 20)
        estimate = answer["success"]
        self.assertEqual(estimate["successes"] + estimate["failures"] + estimate["unsolved"], 20)
        self.assertTrue(estimate["lower"] <= estimate["p"] <= estimate["upper"])
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertTrue(lines[-1]["last"])
        self.assertEqual(lines[-1]["done"], 20)
        with h5py.File(self.folder / "a.h5") as file:
            self.assertEqual(int(numpy.sum(file["trials"]["success"])), estimate["successes"])

    def test_an_answer_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "run", QUICK, "-n", "2", "-o", "a.h5"], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 74, done.stderr)

    def test_the_log_holds_what_depends_on_the_occasion(self):
        self.run_program("run", QUICK, "-n", 2, "-o", "a.h5")
        log = (self.folder / "a.h5.log").read_text()
        self.assertIn("worker", log)


class Interrupted(Case):
    """Runs of about two seconds, whatever the build: long enough to be stopped on the way."""

    @classmethod
    def setUpClass(cls):
        cls.shelf = pathlib.Path(tempfile.mkdtemp(prefix="graspmc-"))
        cls.addClassCleanup(shutil.rmtree, cls.shelf, ignore_errors=True)

        def run(draws, name):
            started = time.monotonic()
            subprocess.run([PROGRAM, "run", QUICK, "-n", str(draws), "-j", "2", "-o", name],
                           cwd=cls.shelf, check=True, capture_output=True)
            return time.monotonic() - started

        cls.DRAWS = int(max(200, 100 * 2 / run(100, "pace.h5")))
        run(cls.DRAWS, "whole.h5")

    def reference(self):
        shutil.copy(self.shelf / "whole.h5", self.folder)

    def start_and_wait(self, name, scenario=QUICK, size=10000):
        """A run that has finished at least a few trials: its journal has so many bytes."""
        process = self.start("run", scenario, "-n", self.DRAWS, "-j", 2, "-o", name)
        journal = self.folder / f"{name}.journal"
        for _ in range(2000):
            if journal.exists() and journal.stat().st_size > size:
                return process
            if process.poll() is not None:
                break
            time.sleep(0.01)
        self.fail(f"no trial was kept: {process.communicate()}")
        return None

    def stop_with(self, number):
        process = self.start_and_wait("a.h5")
        asked = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - asked, 1.0)
        self.assertEqual(process.returncode, 75, err)
        self.assertFalse((self.folder / "a.h5").exists())
        line = [line for line in err.splitlines() if line.startswith("resume: ")]
        self.assertEqual(len(line), 1, err)
        return line[0].removeprefix("resume: ")

    def test_a_signal_stops_within_a_second_and_resume_goes_on(self):
        self.reference()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGXCPU):
            with self.subTest(signal=number):
                command = self.stop_with(number)
                # the printed line is what a person pastes into a shell
                again = subprocess.run(["sh", "-c", f'graspmc() {{ "{PROGRAM}" "$@"; }}; {command}'],
                                       cwd=self.folder, check=False, capture_output=True, text=True)
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assert_same_bytes("whole.h5", "a.h5")
                self.assertFalse((self.folder / "a.h5.journal").exists())
                (self.folder / "a.h5").unlink()

    def test_a_time_limit_is_resumable_too(self):
        self.reference()
        done = self.start("run", QUICK, "-n", self.DRAWS, "-o", "a.h5", "--time-limit", "0.05")
        _, err = done.communicate(timeout=60)
        self.assertEqual(done.returncode, 75, err)
        self.run_program("run", QUICK, "-n", self.DRAWS, "-o", "a.h5", "--resume")
        self.assert_same_bytes("whole.h5", "a.h5")

    def test_resume_refuses_another_scenario_and_says_what_differs(self):
        self.start("run", QUICK, "-n", self.DRAWS, "-o", "a.h5", "--time-limit",
                   "0.05").communicate(timeout=60)
        before = (self.folder / "a.h5.journal").read_bytes()
        done = self.run_program("run", QUICK, "-n", self.DRAWS, "-o", "a.h5", "--seed", 99,
                                "--resume", code=76)
        self.assertIn("seed", done.stderr)
        self.assertEqual(before, (self.folder / "a.h5.journal").read_bytes())

    def refused(self, name, *options):
        """A resumption that would lose trials: 76, nothing changed. The message."""
        before = (self.folder / f"{name}.journal").read_bytes()
        done = self.run_program("run", QUICK, "-o", name, "--resume", "-q", *options, code=76)
        self.assertEqual(before, (self.folder / f"{name}.journal").read_bytes())
        self.assertFalse((self.folder / name).exists())
        return done.stderr

    def test_resume_with_fewer_draws_loses_no_trial(self):
        self.reference()
        self.stop_with(signal.SIGINT)
        said = self.refused("a.h5", "-n", 3)
        self.assertRegex(said, rf"started with -n {self.DRAWS}: with -n 3, \d+ of the \d+ trials that it "
                               "holds would be lost")
        lost, held = map(int, re.search(r"(\d+) of the (\d+) trials", said).groups())
        self.assertIn(lost, range(max(held - 3, 1), held + 1))  # workers finish in any order
        least = int(re.search(r"or with -n (\d+) or more", said).group(1))
        self.assertLess(least, self.DRAWS)
        for words in ("-n " + str(self.DRAWS), "-o", "--force"):
            self.assertIn(words, said)
        self.assertIn("would be lost", self.refused("a.h5", "-n", least - 1))
        for words in (["--trials", f"2:{self.DRAWS}"], ["--shard", "2/2"]):
            said = self.refused("a.h5", "-n", self.DRAWS, *words)
            self.assertRegex(said, rf"is of trials 0 ... {self.DRAWS - 1}: with \d+ ... {self.DRAWS - 1}, \d+ of "
                                   rf"the {held} trials")
        # the least that is named is enough, and so is the whole
        shutil.copy(self.folder / "a.h5.journal", self.folder / "b.h5.journal")
        self.run_program("run", QUICK, "-n", least, "-o", "b.h5", "--resume", "-q")
        self.run_program("run", QUICK, "-n", self.DRAWS, "-o", "a.h5", "--resume", "-q")
        self.assert_same_bytes("whole.h5", "a.h5")

    def test_f20_memory_goes_with_the_trials_that_ran(self):
        """Ten thousand million draws, begun where a table of all of them would not fit: 2.5 to 80 GB."""
        log = self.folder / "a.h5.log"
        for words in (["-n", "1e10"], ["-n", 10**10, "--resume"], ["-n", "1e10", "--resume", "--until", "half_width<1e-5"]):
            process = self.start("run", QUICK, *words, "-o", "a.h5", "-j", 1, "--time-limit", "0.5", preexec_fn=little_room)
            _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 75, said)
            self.assertRegex(said, r"stopped by the time limit: \d+ of 10000000000 trials are kept")
        peaks = [json.loads(line).get("peak_memory_kib", 0) for line in log.read_text().splitlines()]
        self.assertLess(max(peaks), 100 << 10 if not SANITIZED else 1 << 20)
        self.assertIn("trials 0 ... 9999999999", self.run_program("status", "a.h5", code=2).stdout)

    def test_resume_of_a_study_names_draws_not_trials(self):
        self.write("s.yaml", f"use: {QUICK}\nstudy: {{vary: {{hand.target.x: [0 mm, 3 mm, 6 mm]}}, draws: 5}}\n")
        process = self.start_and_wait("a.h5", "s.yaml", 100000)
        process.terminate()
        process.communicate()
        done = self.run_program("run", "s.yaml", "-n", 2, "-o", "a.h5", "--resume", code=76)
        self.assertIn(f"started with -n {self.DRAWS}: with -n 2, ", done.stderr)

    def test_resume_of_a_finished_run_has_nothing_to_do(self):
        self.run_program("run", QUICK, "-n", 5, "-o", "a.h5")
        before = (self.folder / "a.h5").read_bytes()
        self.run_program("run", QUICK, "-n", 5, "-o", "a.h5", "--resume")
        self.assertEqual(before, (self.folder / "a.h5").read_bytes())

    def test_two_runs_do_not_share_an_output(self):
        first = self.start_and_wait("a.h5")
        done = self.run_program("run", QUICK, "-n", self.DRAWS, "-o", "a.h5", "--resume", code=73)
        self.assertIn("a.h5", done.stderr)
        first.terminate()
        first.communicate()


if __name__ == "__main__":
    unittest.main()
