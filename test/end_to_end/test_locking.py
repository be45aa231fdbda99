"""HDF5's locks on result files: off unless asked for, and a way on where a file system has none."""
import fcntl
import os
import re
import subprocess
import unittest

from support import PROGRAM, QUICK, Case, can_trace

RUN = ["run", QUICK, "-n", 10, "-q", "-o"]


@unittest.skipUnless(can_trace(), "strace cannot trace here")
class Locking(Case):
    def traced(self, *words, error=None, setting=None, code=0):
        """Run under strace. @return what it said, and the locks that it asked of HDF5 files"""
        trace = self.folder / "trace"
        fault = ["-e", f"inject=flock:error={error}"] if error else []
        # leaks cannot be looked for in a traced process
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
        environment.pop("HDF5_USE_FILE_LOCKING", None)
        if setting:
            environment["HDF5_USE_FILE_LOCKING"] = setting
        done = subprocess.run(["strace", "-f", "-y", "-o", trace, "-e", "trace=flock", *fault,
                               PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, env=environment, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        locks = re.findall(r"flock\(\d+<[^>]*\.h5(?:\.tmp\.\d+)?>, .*", trace.read_text())
        # a file under its own name is held for its writer, whatever HDF5 does
        return done.stderr, [lock for lock in locks if not re.search(r"\.tmp\.\d+>, LOCK_SH", lock)]

    def test_only_where_asked_for(self):
        for i, (option, setting, is_asked) in enumerate((
                ((), None, False), (("--hdf5-locking", "off"), None, False),
                (("--hdf5-locking", "best-effort"), None, True),
                (("--hdf5-locking", "on"), None, True), ((), "TRUE", True),
                (("--hdf5-locking", "off"), "TRUE", False))):
            with self.subTest(option=option, setting=setting):
                part = f"{i}.h5"
                for words in ([*RUN, part], ["show", part], ["status", part],
                              ["replay", part, "--trial", 3, "-o", f"trial{i}.h5"],
                              ["merge", part, "-o", f"all{i}.h5"]):
                    locks = self.traced(*words, *option, setting=setting)[1]
                    self.assertEqual(len(locks) > 0, is_asked, f"{words}: {locks}")
                self.assert_same_bytes("0.h5", part)

    def test_a_file_system_without_locks(self):
        self.run_program(*RUN, "whole.h5")
        for error in ("ENOLCK", "ENOSYS"):
            said, _ = self.traced(*RUN, "a.h5", "--hdf5-locking", "on", error=error, code=73)
            self.assertRegex(said, r"a\.h5.* cannot lock: (No locks available|Function not impl)")
            self.assertIn("--hdf5-locking off", said)
            left = {path.name for path in self.folder.iterdir()}
            self.assertEqual({name for name in left if name.startswith("a.")},
                             {"a.h5.journal", "a.h5.log"})
            # what was computed is not lost
            self.traced(*RUN, "a.h5", "--resume", "--hdf5-locking", "off", error=error)
            self.assert_same_bytes("whole.h5", "a.h5")
            self.assertIn('"kept": 10', (self.folder / "a.h5.log").read_text())
            for words in (["show", "a.h5"], ["replay", "a.h5", "--trial", 1],
                          ["merge", "a.h5", "-o", "all.h5", "--force"]):
                self.traced(*words, error=error)
                said, _ = self.traced(*words, "--hdf5-locking", "on", error=error, code=74)
                self.assertIn("--hdf5-locking off", said)
            os.remove(self.folder / "a.h5")
            os.remove(self.folder / "a.h5.log")
        self.traced(*RUN, "a.h5", "--hdf5-locking", "best-effort", error="ENOSYS")
        self.assert_same_bytes("whole.h5", "a.h5")

    def test_another_program_has_it_open(self):
        self.run_program(*RUN, "a.h5")
        with open(self.folder / "a.h5", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as a program does that changes it
            found = self.run_program("show", "a.h5", "--hdf5-locking", "on", code=74)
            self.assertIn("another program has this file open", found.stderr)
            self.run_program("show", "a.h5", "--hdf5-locking", "off")

    def test_other_words_are_refused(self):
        self.run_program("show", "a.h5", "--hdf5-locking", "yes", code=64)


if __name__ == "__main__":
    unittest.main()
