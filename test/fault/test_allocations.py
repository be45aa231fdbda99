"""What if memory runs out? Each allocation of a small run fails in turn: those that the program itself asks for end
it with a clean error, those inside of a library may even crash that library; either way the result is complete or
absent, the journal stays valid, and a later session makes up for it. The same for the session that goes on with an
interrupted run. And: system calls that move less than they were asked to are no fault at all."""
import collections
import hashlib
import json
import os
import resource
import signal
import threading
import unittest

import faults

# a motion, two histograms and both files; the libraries ask for the same with more trials
SMALL = [*faults.SMALL[:1], "-n", 2, *faults.SMALL[3:]]
CRASHES = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS}
# The second: what HDF5 does without memory, collecting lists that it goes on to use, breaks the heap, and whoever asks
# next is told. What our own code breaks the tests of its own allocations show, which allow no crash
OF_A_LIBRARY = r"crashed in \S*/lib\w+\S*\.so|corrupted|double free|(free|malloc|realloc|munmap_chunk)\(\):"
# HDF5 and libyaml do not always say that it was memory: what they refuse is taken for unreadable. HDF5 may end the
# process (255)
OF_LIBRARIES = {0, 65, 66, 70, 73, 74, 255, *CRASHES}


@unittest.skipUnless(os.path.exists(faults.SHIM), "no shim under a sanitizer")
class Allocations(faults.Case):
    arguments = SMALL

    def setUp(self):
        super().setUp()
        self.resumed = set()  # what was left behind, and could be gone on with
        self.lock = threading.Lock()

    def with_shim(self, **settings):
        return {"env": {**os.environ, "LD_PRELOAD": faults.SHIM,
                        **{f"FAULT_{name.upper()}": str(value) for name, value in settings.items()}}}

    def count(self, *words, **settings):
        log = self.folder / "count"
        self.clean()
        code, said = self.run_out(*words, **self.with_shim(count=log, **settings))
        self.assertEqual(code, 0, said)
        return int(log.read_text())

    def assert_resumes_from_here(self):
        """Asked once of each that was left behind: what a session does follows from its files."""
        files = sorted(self.left_over() - {"out.h5.log"})
        state = hashlib.sha256(repr([(name, (self.work / name).read_bytes()) for name in files]).encode()).digest()
        with self.lock:
            is_known = state in self.resumed
        if not is_known:
            self.assert_resumes()
            with self.lock:
                self.resumed.add(state)

    def fail_each(self, codes, some, *words, **settings):
        count = self.count(*words, **settings)
        self.assertGreater(count, 500)

        def judge(n):
            self.clean()
            code, said = self.run_out(*words, **self.with_shim(allocation=n, **settings))
            self.assertIn(code, codes, said)
            self.assert_whole_or_absent()
            if code == 0:  # it could do without
                self.assertTrue((self.work / "out.h5").exists())
            elif 0 < code < 255:
                self.assertNotEqual(said.strip(), "")
            if code == 70:
                self.assertRegex(said, "memory|library")
            if code in CRASHES:
                self.assertRegex(said, OF_A_LIBRARY)
            self.assert_resumes_from_here()
            return code

        found = collections.Counter(self.judge_each(judge, faults.places(count, some)))
        print(f"{sum(found.values())} of {count} allocations failed, exit codes {dict(sorted(found.items()))}; "
              f"{len(self.resumed)} kinds of files to resume from", flush=True)
        self.assertGreater(sum(found.values()) - found[0], 0)

    def interrupt(self):
        """From here on there is a journal of the first trial and of a part of the second."""
        limit = 60000  # bytes: the journal has room, the result has none
        self.clean()
        code, said = self.run_out(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(code, 74, said)
        journal = self.work / "out.h5.journal"
        journal.write_bytes(journal.read_bytes()[:-1])
        self.begun = {journal.name: journal.read_bytes()}
        (run,) = json.loads(self.run_program("status", self.work / "out.h5", "--json", code=2).stdout)["runs"]
        self.assertEqual(run["done"], 1)

    def test_of_the_program(self):
        self.fail_each((0, 70), 24, ours=1)

    def test_of_the_program_from_there_on(self):
        self.fail_each((0, 70), 10, ours=1, forever=1)

    def test_of_the_program_that_resumes(self):
        self.interrupt()
        self.fail_each((0, 70), 16, "--resume", ours=1)

    def test_inside_of_libraries_too(self):
        self.are_bytes_sure = False  # where HDF5 can do without the memory it may lay the file out in another way
        self.fail_each(OF_LIBRARIES, 24)

    def test_inside_of_libraries_that_resume(self):
        self.are_bytes_sure = False
        self.interrupt()
        self.fail_each(OF_LIBRARIES, 12, "--resume")

    def test_short_reads_and_writes_change_nothing(self):
        code, said = self.run_out(**self.with_shim(short=1))
        self.assertEqual(code, 0, said)
        self.assert_whole()


if __name__ == "__main__":
    faults.main()
