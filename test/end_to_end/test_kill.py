"""kill -9 at any instant loses no finished trial and leaves no broken file."""
import os
import random
import signal
import time
import unittest

import h5py

from support import QUICK, Case

KILLS = int(os.environ.get("GRASPMC_KILLS", "3"))
DRAWS = 400 * KILLS


class Killed(Case):
    def test_the_final_file_equals_the_uninterrupted_one(self):
        options = ["-n", DRAWS, "-j", 2, "--trajectories", "every:20", "--progress", "none"]
        started = time.monotonic()
        self.run_program("run", QUICK, *options, "-o", "whole.h5")
        whole_s = time.monotonic() - started

        chance = random.Random(20)  # any instants do; the same ones make a failure repeatable
        out, journal = self.folder / "a.h5", self.folder / "a.h5.journal"
        kills = kept_before = 0
        while kills < KILLS:
            process = self.start("run", QUICK, *options, "-o", "a.h5", "--resume")
            time.sleep(chance.uniform(0, 2 * whole_s / KILLS))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            if process.returncode == 0:  # it was faster: begin anew
                out.unlink()
                kept_before = 0
                continue
            self.assertEqual(process.returncode, -signal.SIGKILL)
            if out.exists():  # a final file is complete or absent
                with h5py.File(out) as file:
                    self.assertTrue(file.attrs["complete"])
            kept = journal.stat().st_size if journal.exists() else 0
            if not out.exists():
                self.assertGreaterEqual(kept + 4096, kept_before)  # less a torn record
                kept_before = kept
        self.run_program("run", QUICK, *options, "-o", "a.h5", "--resume")
        self.assert_same_bytes("whole.h5", "a.h5")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["a.h5", "a.h5.log", "whole.h5", "whole.h5.log"])


if __name__ == "__main__":
    unittest.main()
