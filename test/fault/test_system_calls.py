"""What if a system call fails, for each of them that touches the output? A small run under strace, which makes the
k-th call fail, once or from there on: the run ends with 74 (73 where nothing could be created) and a message that
names the path, the result is complete or absent, and a later session makes up for it. A kill in any call: the same
without a message. A signal in any call: 75, or done."""
import subprocess
import unittest

import faults
import support


@unittest.skipUnless(faults.can_trace(), "strace cannot trace here")
class SystemCalls(faults.Case):
    words = ()  # of the disturbed run, besides its arguments

    def inject(self, names, what, when, *more):
        self.clean()
        return self.run_out(*self.words, before=self.trace("-e", f"trace={names}", "-e", f"inject={names}:{what}:when={when}",
                                              *more))

    def each(self, judge, names, *more, some=3, after=0):
        """Judge each place: when it fails once, and when it fails from there on."""
        count = self.calls(names, *more, words=self.words)
        self.assertGreater(count, after, names)
        for k in faults.places(count - after, some):
            with self.subTest(call=names, place=k + after, of=count):
                judge(str(k + after))

    def fail_each(self, names, error, text, *more, codes=(74,), **options):
        found = []

        def judge(when):
            for when in (when, when + "+"):  # once, and from there on
                code, said = self.inject(names, f"error={error}", when, *more)
                found.append(code)
                self.assertIn(code, (0, *codes), f"{when} {said}")
                # once every write fails, so does that of the message
                if code != 0 and not (names == "write" and when.endswith("+") and not more):
                    self.assertRegex(said, text)
                    self.assertRegex(said, "out.h5|standard output")
                self.assert_whole_or_absent()
                if code == 0:
                    self.assert_whole()
                self.assertFalse([name for name in self.left_over() if ".tmp." in name])
                self.assert_resumes()

        self.each(judge, names, *more, **options)
        self.assertTrue(any(found), f"{names} never mattered")

    def path(self, name):
        return ["-P", name, "-P", str(self.work / name)]

    def loading(self, names):
        """How many such calls go by before the program begins."""
        log = self.folder / "calls"
        subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={names}", support.PROGRAM, "--version"], check=True,
                       capture_output=True)
        return log.read_text().count(names + "(")

    # ---- the journal ----

    def test_journal_is_not_written(self):
        for error, text in (("ENOSPC", "No space left"), ("EIO", "Input/output error"), ("EDQUOT", "quota")):
            self.fail_each("write", error, text, *self.path("out.h5.journal"))

    def test_journal_is_not_opened_or_sized(self):
        self.fail_each("openat", "ENOSPC", "No space left", *self.path("out.h5.journal"), codes=(73,))
        self.fail_each("ftruncate", "EIO", "Input/output error", *self.path("out.h5.journal"))
        self.fail_each("lseek", "EIO", "Input/output error", *self.path("out.h5.journal"))

    def test_journal_is_not_read(self):
        self.fail_each("pread64", "EIO", "Input/output error", *self.path("out.h5.journal"))

    # ---- any call of that kind ----

    def test_writes(self):
        self.fail_each("write", "ENOSPC", "No space left|cannot")

    def test_result_is_not_written(self):
        for error, text in (("ENOSPC", "No space left"), ("EIO", "Input/output error")):
            self.fail_each("pwrite64", error, f"{text}|does not read back", some=5)

    def test_result_is_not_read_back(self):
        self.fail_each("pread64", "EIO", "Input/output error|does not read back", after=self.loading("pread64"), some=6)

    def test_finished_result_is_not_read(self):
        """More draws of a result that is there: it stays, and is not taken for another run's."""
        self.run_program("run", *self.arguments_with("-n", 2), "-o", "fewer.h5")
        self.begun = {"out.h5": (self.folder / "fewer.h5").read_bytes()}
        self.words = ["--resume"]
        self.fail_each("pread64", "EIO", "Input/output error|does not read back", after=self.loading("pread64"), some=8)

    def test_syncs(self):
        for error in ("EIO", "ENOSPC"):
            self.fail_each("fsync", error, "Input/output error|No space left")

    def test_renames(self):
        for error, text in (("EACCES", "Permission denied"), ("ENOSPC", "No space left"), ("EXDEV", "cross-device")):
            self.fail_each("rename", error, text)

    def test_removing(self):
        self.fail_each("unlink", "EACCES", "Permission denied")

    def test_sizing(self):
        self.fail_each("ftruncate", "ENOSPC", "No space left|cannot|does not read back")

    def test_interrupted_calls_go_on(self):
        def judge(when):
            code, said = self.inject(names, "error=EINTR", when, *more)
            self.assertEqual(code, 0, said)
            self.assert_whole()

        journal = self.path("out.h5.journal")
        for names, more, after in (("write", journal, 0), ("flock", journal, 0), ("fsync", [], 0),
                                   ("pwrite64", [], 0), ("pread64", [], self.loading("pread64"))):
            self.each(judge, names, *more, after=after)

    def test_file_systems_without_locks(self):
        code, said = self.inject("flock,fcntl", "error=ENOSYS", "1+", *self.path("out.h5.journal"))
        self.assertEqual(code, 0, said)
        self.assert_whole()

    # ---- threads ----

    def test_f23_fewer_threads_than_asked_for_do_the_work(self):
        self.clean()
        self.arguments = self.arguments_with("-j", 3)
        code, said = self.run_out(before=self.trace("-e", "trace=clone3", "-e", "inject=clone3:error=EAGAIN:when=2+"))
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("warning: only 1 of 3 worker threads could be started"), 1, said)
        self.assert_whole()
        self.clean()
        self.arguments = self.arguments_with("-j", 3)
        code, said = self.run_out(before=self.trace("-e", "trace=clone3", "-e", "inject=clone3:error=EAGAIN:when=1+"))
        self.assertEqual(code, 70, said)
        self.assertIn("no worker thread could be started", said)
        self.assertNotIn("library failure", said)
        self.assert_resumes()

    # ---- the process ends, or is asked to ----

    def test_killed_in_every_call(self):
        def judge(when):
            code, _ = self.inject(names, "signal=KILL", when)
            self.assertEqual(code, -9)
            self.assert_whole_or_absent()
            self.assert_resumes()

        for names in ("write", "pwrite64", "fsync", "ftruncate", "rename", "unlink"):
            self.each(judge, names)

    def test_told_to_stop_in_every_call(self):
        """While the trials are run, while the result is written, while it is put in place; once, and again and again.

        The first signal ends the run in order: 75 and the line that goes on, or 0 where the result was whole. The
        second ends it wherever it is, by the signal; what that leaves behind the next run on the output takes away.
        """
        codes = set()

        def judge(when):
            for when in (when, when + "+"):
                code, said = self.inject(names, "signal=TERM", when)
                codes.add(code)
                self.assertIn(code, (0, 75, -15) if when.endswith("+") else (0, 75), said)
                if code == 0 or (self.work / "out.h5").exists():
                    self.assert_whole()
                elif code == 75:
                    self.assertRegex(said, "resume: graspmc run --resume|the result is complete")
                    self.assertFalse([name for name in self.left_over() if ".tmp." in name])
                self.assert_resumes()

        for names in ("write", "pwrite64", "fsync", "ftruncate", "rename", "unlink"):
            self.each(judge, names)
        self.assertLessEqual({0, 75, -15}, codes)


if __name__ == "__main__":
    faults.main()
