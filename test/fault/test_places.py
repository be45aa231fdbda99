"""Places that cannot hold a result, or only with trouble: full disks, folders that may not be written, devices, odd
names, a file that may not grow, an output that somebody else is writing. Exit 73 or 74 with a message that names the
path; never half a result; and what was kept can be gone on with once there is room."""
import json
import os
import resource
import signal
import subprocess
import unittest

import faults
import support

# Run in a name space of its own: a small file system is mounted on `work`, and seen by this command alone.
ON_SMALL_DISK = """
set -u
mount -t tmpfs -o size="$SIZE",mode=755 none work || exit 99
"$@"; echo "code $?" >&2
ls -A work >&2
[ "$REMOUNT" = no ] || mount -o "$REMOUNT" work
"$@" --resume; echo "resumed $?" >&2
cp work/out.h5 copied.h5 2>/dev/null
"""


def can_mount():
    tried = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return tried.returncode == 0


class Places(faults.Case):
    # 500 kB of journal, 730 kB of result
    arguments = [support.QUICK, "-n", 60, "-j", 2, "-q", "--trajectories", "every:2", "--progress", "none"]

    def on_small_disk(self, size, remount="remount,size=64m"):
        words = [support.PROGRAM, "run", *self.arguments, "-o", "work/out.h5"]
        done = subprocess.run(["unshare", "-rm", "sh", "-c", ON_SMALL_DISK, "sh", *map(str, words)], cwd=self.folder,
                              env={**os.environ, "SIZE": size, "REMOUNT": remount}, text=True, check=False,
                              capture_output=True, timeout=300)
        self.assertNotEqual(done.returncode, 99, done.stderr)
        return done.stderr

    @unittest.skipUnless(can_mount(), "no file system can be mounted here")
    def test_full_disks(self):
        codes = set()
        sizes = range(4, 3600, 8 if faults.ALL else 600)
        for kib in sizes:
            with self.subTest(kib=kib):
                said = self.on_small_disk(f"{kib}k")
                codes.add("code 74" in said)
                if "code 0" not in said:
                    self.assertIn("code 74", said)
                    self.assertRegex(said, "out.h5[^ ]*: error: .*(No space left|does not read back)")
                    self.assertNotIn(".tmp.", said.split("code 74")[1].split("resumed")[0])
                self.assertIn("resumed 0", said)
                self.assertEqual((self.folder / "copied.h5").read_bytes() == self.expected, True)
        self.assertEqual(codes, {True, False})

    @unittest.skipUnless(can_mount(), "no file system can be mounted here")
    def test_a_folder_that_may_not_be_written(self):
        words = 'mount -t tmpfs none work && mount -o remount,ro work || exit 99; "$@"; echo "code $?" >&2'
        done = subprocess.run(["unshare", "-rm", "sh", "-c", words, "sh", support.PROGRAM, "run",
                               *map(str, self.arguments), "-o", "work/out.h5"], cwd=self.folder, text=True, check=False,
                              capture_output=True)
        self.assertIn("code 73", done.stderr)
        self.assertIn("work/out.h5.journal: error: cannot create: Read-only file system", done.stderr)

    def test_a_file_that_may_not_grow(self):
        """`ulimit -f`: the signal does not kill the run."""
        failed = 0
        for kib in (0, 1, 8, 100, 300, 350, 400) if not faults.ALL else range(0, 450, 3):
            with self.subTest(kib=kib):
                self.clean()
                code, said = self.run_out(
                    preexec_fn=lambda kib=kib: resource.setrlimit(resource.RLIMIT_FSIZE, (kib << 10, kib << 10)))
                self.assertIn(code, (0, 74), said)
                failed += code == 74
                if code == 74:
                    self.assertRegex(said, "out.h5.*File too large|out.h5.*does not read back")
                self.assert_whole_or_absent()
                self.assert_resumes()
        self.assertGreater(failed, 2)

    @unittest.skipIf(faults.IS_SANITIZED, "a sanitizer needs terabytes of addresses for itself")
    def test_little_memory(self):
        """`ulimit -v`: no memory is an error with words."""
        codes = set()
        for mib in (40, 60, 80, 120, 160, 240, 1000) if not faults.ALL else range(30, 400, 5):
            with self.subTest(mib=mib):
                self.clean()
                code, said = self.run_out(
                    preexec_fn=lambda mib=mib: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)))
                codes.add(code)
                # 127: not even the libraries fit
                self.assertIn(code, (0, 65, 66, 70, 74, 127, 255), said)
                self.assertTrue(code in (0, 255) or said)
                self.assert_whole_or_absent()
                self.assert_resumes()
        self.assertLessEqual({0, 70}, codes)

    def refuse(self, path, code, words, *more):
        done = self.run_program("run", *self.arguments, "-o", path, *more, code=code)
        self.assertRegex(done.stderr, words)
        self.assertIn(os.path.basename(path.rstrip("/")), done.stderr)

    def test_what_is_no_file(self):
        (self.folder / "folder.h5").mkdir()
        for more in ([], ["--force"], ["--resume"]):
            self.refuse("folder.h5", 73, "Is a directory|there already", *more)
            self.refuse("/dev/full", 73, "cannot|there already", *more)
        self.refuse("nowhere/a.h5", 73, "No such file or directory")
        self.refuse(f"{support.QUICK}/a.h5", 73, "Not a directory")
        (self.folder / "pipe.h5.journal").mkdir()
        self.refuse("pipe.h5", 73, "cannot create: Is a directory")
        self.assertFalse((self.folder / "pipe.h5").exists())

    def test_a_link_to_a_result(self):
        """Neither the link is replaced nor what it points to."""
        os.symlink("other.h5", self.folder / "link.h5")
        (self.folder / "other.h5").write_text("mine")
        self.refuse("link.h5", 73, "there already|a link is not replaced")
        done = self.run_program("run", *self.arguments, "-o", "link.h5", "--force", code=73)
        self.assertIn("a link is not replaced", done.stderr)
        self.assertEqual((self.folder / "other.h5").read_text(), "mine")
        self.assertEqual(os.readlink(self.folder / "link.h5"), "other.h5")

    def test_odd_names(self):
        for name in ("a b.h5", "größe ✓.h5", "two\nlines.h5", "-", " ", "'\"$(x)`.h5", "\\n.h5", "x" * 230 + ".h5"):
            with self.subTest(name=name):
                self.run_program("run", *self.arguments, "-o", f"./{name}")
                self.assert_same_bytes("expected.h5", name)
                done = self.run_program("run", *self.arguments, "-o", f"./{name}", code=73)
                self.assertIn(name.splitlines()[0], done.stderr)
                self.run_program("show", f"./{name}", "--json")
                self.run_program("status", f"./{name}", "--json")

    def test_names_that_are_too_long(self):
        """Room is needed for what is added to it until it is in place."""
        for length in (235, 240, 245, 250, 252, 253, 255, 256, 4000):
            name = "x" * length
            process = self.start("run", *self.arguments, "-o", name)
            said = process.communicate(timeout=60)[1]
            if process.returncode == 0:
                self.assert_same_bytes("expected.h5", name)
                continue
            self.assertEqual(process.returncode, 73, said)
            self.assertIn("File name too long", said)
            self.assertFalse([path for path in os.listdir(self.folder) if path.startswith(name)])

    def test_two_on_one_output(self):
        first = self.start("run", support.QUICK, "-n", 20000, "-j", 1, "-o", "a.h5", "--progress", "none")
        journal = self.folder / "a.h5.journal"
        while not (journal.exists() and journal.stat().st_size > 20000):
            self.assertIsNone(first.poll())
        for more in ([], ["--resume"], ["--force"]):
            done = self.run_program("run", support.QUICK, "-n", 20000, "-o", "a.h5", *more, code=73)
            self.assertRegex(done.stderr, "a.h5.journal: error: (another process is writing|an interrupted run)")
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=60)
        self.assertEqual(first.returncode, 75)

    def test_many_at_once_on_one_output(self):
        """Of those who begin in the same moment one does the work; whoever comes after finds it done."""
        words = ["run", *self.arguments, "-o", "a.h5", "--resume"]
        several = [self.start(*words) for _ in range(6)]
        codes = []
        for process in several:
            said = process.communicate(timeout=120)[1]
            self.assertIn(process.returncode, (0, 73), said)
            codes.append(process.returncode)
        self.assertIn(0, codes)
        self.assert_same_bytes("expected.h5", "a.h5")
        self.assertFalse((self.folder / "a.h5.journal").exists())

    @unittest.skipUnless(os.path.exists(faults.SHIM), "no shim under a sanitizer")
    def test_f22_a_file_system_without_locks_is_told(self):
        done = self.run_program("run", *self.arguments, "-o", "a.h5",
                                env={**os.environ, "LD_PRELOAD": faults.SHIM, "FAULT_LOCKS": "1"})
        self.assertRegex(done.stderr, "a.h5.journal: warning: this file system has no locks")
        events = [json.loads(line) for line in (self.folder / "a.h5.log").read_text().splitlines()]
        self.assertEqual([event["event"] for event in events], ["start", "no_locks", "end"])
        self.assert_same_bytes("expected.h5", "a.h5")
        self.assertNotIn("locks", self.run_program("run", *self.arguments, "-o", "b.h5").stderr)


if __name__ == "__main__":
    faults.main()
