"""What becomes of an output when the process is killed, told to stop, or when a system call fails: the result is
complete or absent, nothing that was kept is lost, and resuming gives the bytes of an undisturbed run.

    test_store_faults.py            a sample of all places where it can happen
    test_store_faults.py --all      every place, and 50 kills
"""
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("GRASPMC_BUILD", ROOT / "build/checked")) / "test/support/store_run"
ALL = "--all" in sys.argv
TRIALS = 60
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # leaks cannot be looked for in a traced process


def can_trace():
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True).returncode == 0


def start(path, mode, trials=TRIALS, workers=2, trial_us=0, before=(), **options):
    return subprocess.Popen([*before, PROGRAM, path, mode, str(trials), str(workers), str(trial_us)],
                            stderr=subprocess.PIPE, text=True, **options)


def run(*words, **options):
    process = start(*words, **options)
    return process.wait(), process.communicate()[1]


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="graspmc-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = self.folder / "out.h5"

    def expected(self, trials=TRIALS):
        path = self.folder / f"expected{trials}.h5"
        if not path.exists():
            self.assertEqual(run(path, "new", trials)[0], 0)
        return path.read_bytes()

    def left_over(self):
        return {p.name for p in self.folder.iterdir() if not p.name.startswith("expected")}

    def assert_whole_or_absent(self, trials=TRIALS):
        if self.path.exists():
            self.assertEqual(self.path.read_bytes() == self.expected(trials), True, "half a result")

    def assert_resumes(self, trials=TRIALS):
        code, said = run(self.path, "resume", trials)
        self.assertEqual(code, 0, said)
        self.assertEqual(self.path.read_bytes() == self.expected(trials), True, "other bytes")
        self.assertEqual(self.left_over(), {"out.h5"})

    def clean(self):
        for name in self.left_over():
            (self.folder / name).unlink()

    def test_killed_again_and_again(self):
        chance = random.Random(1)
        trials, kills, finished = 400, 50 if ALL else 6, 0
        expected = self.expected(trials)
        kept = 0
        while kills > 0:
            process = start(self.path, "resume", trials, trial_us=2000)
            time.sleep(chance.uniform(0.0, 0.12))
            process.send_signal(signal.SIGKILL)
            said = process.communicate()[1]
            found = re.search(r"kept (\d+) torn (\d+) complete (\d)", said)
            if found and found.group(3) == "0":
                self.assertGreaterEqual(int(found.group(1)), kept, "kept trials were lost")
                kept = int(found.group(1))
            kills -= 1
            self.assert_whole_or_absent(trials)
            if self.path.exists() and not (self.folder / "out.h5.journal").exists():
                finished, kept = finished + 1, 0
                self.clean()
        self.assert_resumes(trials)
        self.assertEqual(self.path.read_bytes() == expected, True)

    def test_told_to_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = start(self.path, "new", 1000, trial_us=300000)
            time.sleep(0.5)
            begin = time.monotonic()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=10), 75)
            self.assertLess(time.monotonic() - begin, 1.0)
            process.communicate()
            self.assertEqual(self.left_over(), {"out.h5.journal"})
            self.clean()

    def test_two_processes_on_one_output(self):
        first = start(self.path, "new", 100, trial_us=20000)
        while not (self.folder / "out.h5.journal").exists():
            time.sleep(0.01)
        time.sleep(0.1)
        for mode in ("new", "resume", "force"):
            code, said = run(self.path, mode, 100)
            self.assertEqual(code, 73, said)
            self.assertRegex(said, "another process|interrupted run")
        self.assertEqual(first.wait(), 0)
        first.communicate()
        self.assertEqual(self.path.read_bytes() == self.expected(100), True)

    def test_file_size_limit(self):
        sizes = range(8, 400, 8) if ALL else (8, 40, 100, 150, 200, 250)
        for kib in sizes:
            def limit(kib=kib):
                resource.setrlimit(resource.RLIMIT_FSIZE, (kib << 10, kib << 10))
            code, said = run(self.path, "new", preexec_fn=limit)
            self.assertIn(code, (0, 74), said)
            self.assert_whole_or_absent()
            if code == 74:
                self.assertIn("File too large", said)
                self.assertIn(str(self.path), said)
            self.assertNotIn("tmp", " ".join(self.left_over()))
            self.assert_resumes()
            self.clean()

    # ---- a system call fails, or the process is killed in it ----

    def calls(self, names):
        """How many such calls an undisturbed run makes."""
        log = self.folder / "expected.log"
        self.clean()
        code, said = run(self.path, "new", before=["strace", "-f", "-o", log, "-e", f"trace={names}"])
        self.assertEqual(code, 0, said)
        self.clean()
        return sum(1 for line in log.read_text().splitlines() if re.search(r" (\w+)\(", line))

    def each(self, names):
        count = self.calls(names)
        self.assertGreater(count, 0)
        if ALL or count < 8:
            return range(1, count + 1)
        return sorted({1, 2, count - 1, count, *random.Random(2).sample(range(1, count), 5)})

    def inject(self, names, what, when):
        return run(self.path, "new", before=[
            "strace", "-f", "-o", "/dev/null", "-e", f"trace={names}",
            "-e", f"inject={names}:{what}:when={when}"])

    def fail_each(self, names, error, text):
        for when in self.each(names):
            for forever in ("", "+"):
                with self.subTest(call=names, when=when, forever=forever):
                    self.clean()
                    code, said = self.inject(names, f"error={error}", f"{when}{forever}")
                    self.assertIn(code, (0, 73, 74), said)
                    # (no message comes through once every write fails)
                    if code != 0 and not (names == "write" and forever):
                        self.assertRegex(said, text)
                        self.assertIn(str(self.path), said)
                    self.assert_whole_or_absent()
                    self.assertFalse([name for name in self.left_over() if ".tmp." in name])
                    self.assert_resumes()

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_disk_full_in_the_journal(self):
        self.fail_each("write", "ENOSPC", "No space left|cannot")

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_disk_full_in_the_result(self):
        self.fail_each("pwrite64", "ENOSPC", "No space left|cannot|HDF5|does not read back|/")

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_failing_sync(self):
        self.fail_each("fsync", "EIO", "Input/output error")

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_failing_rename(self):
        self.fail_each("rename", "EACCES", "Permission denied")

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_missing_locks(self):
        code, said = self.inject("flock", "error=ENOSYS", "1+")
        self.assertEqual(code, 0, said)
        self.assertEqual(self.path.read_bytes() == self.expected(), True)

    @unittest.skipUnless(can_trace(), "strace cannot trace here")
    def test_killed_in_every_call(self):
        for names in ("write", "pwrite64", "fsync", "rename", "unlink"):
            for when in self.each(names):
                with self.subTest(call=names, when=when):
                    self.clean()
                    self.inject(names, "signal=KILL", str(when))
                    self.assert_whole_or_absent()
                    self.assert_resumes()


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
