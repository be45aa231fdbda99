"""What if memory runs out? Each allocation of a small run fails in turn: those that the program itself asks for end
it with a clean error, those inside of a library may even crash it; either way the result is complete or absent,
the journal stays valid, and a later session makes up for it. And: system calls that move less than they were asked
to are no fault at all."""
import os
import signal
import unittest

import faults


@unittest.skipUnless(os.path.exists(faults.SHIM), "no shim under a sanitizer")
class Allocations(faults.Case):
    def with_shim(self, **settings):
        return {"env": {**os.environ, "LD_PRELOAD": faults.SHIM,
                        **{f"FAULT_{name.upper()}": str(value) for name, value in settings.items()}}}

    def count(self, **settings):
        log = self.folder / "count"
        code, said = self.run_out(**self.with_shim(count=log, **settings))
        self.assertEqual(code, 0, said)
        self.clean()
        return int(log.read_text())

    def fail_each(self, codes, some, **settings):
        count = self.count(**settings)
        self.assertGreater(count, 500)
        failed = 0
        for n in faults.places(count, some):
            self.clean()
            with self.subTest(allocation=n, of=count):
                code, said = self.run_out(**self.with_shim(allocation=n, **settings))
                self.assertIn(code, codes, said)
                failed += code != 0
                self.assert_whole_or_absent()
                if code == 0:  # it could do without
                    self.assertTrue((self.work / "out.h5").exists())
                elif 0 < code < 255:
                    self.assertNotEqual(said.strip(), "")
                if code == 70:
                    self.assertRegex(said, "memory|library")
                self.assert_resumes()
        self.assertGreater(failed, 0)

    def test_of_the_program(self):
        self.fail_each((0, 70), 24, ours=1)

    def test_of_the_program_from_there_on(self):
        self.fail_each((0, 70), 10, ours=1, forever=1)

    def test_inside_of_libraries_too(self):
        # HDF5 and libyaml do not always say that it was memory: what they refuse is taken for unreadable.
        # HDF5 may end the process (255), and where it can do without the memory it may lay the file out in
        # another way
        self.are_bytes_sure = False
        self.fail_each((0, 65, 66, 70, 73, 74, 255, -signal.SIGABRT, -signal.SIGSEGV), 24)

    def test_short_reads_and_writes_change_nothing(self):
        code, said = self.run_out(**self.with_shim(short=1))
        self.assertEqual(code, 0, said)
        self.assert_whole()


if __name__ == "__main__":
    faults.main()
