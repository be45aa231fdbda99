"""Killed again and again, in the middle of trials, of a write or of putting the result in place: nothing that was kept
is lost, and every run that is resumed until it is done ends in the bytes of the uninterrupted one."""
import os
import pathlib
import random
import signal
import time
import unittest

from support import QUICK, Case, capability

KILLS = int(os.environ.get("GRASPMC_KILLS", "2"))  # of each kind of run
LADDER = pathlib.Path(__file__).with_name("ladder.yaml")
STUDY = f"""graspmc: 1
use: {QUICK}
study: {{vary: {{object.mass: [0.1 kg, 0.2 kg, 0.3 kg]}}, draws: 60}}
sampling: ~
output: {{trajectories: "every:5", histograms: [object.mass]}}
"""


class Killed(Case):
    def kill_again_and_again(self, *words, code=0):
        words = [*words, "-j", 2, "--progress", "none", "-q"]
        started = time.monotonic()
        self.run_program("run", *words, "-o", "whole.h5", code=code)
        whole_s = time.monotonic() - started

        chance = random.Random(20)  # any instants do; those of a failure can be tried again
        out, journal = self.folder / "a.h5", self.folder / "a.h5.journal"
        kills = finished = kept = others = 0
        while kills < KILLS or not finished:
            process = self.start("run", *words, "-o", "a.h5", "--resume")
            if kills < KILLS:
                time.sleep(chance.uniform(0, 0.8 * whole_s))
                process.send_signal(signal.SIGKILL)
            _, said = process.communicate(timeout=300)
            if process.returncode == -signal.SIGKILL:
                kills += 1
                before, kept = kept, journal.stat().st_size if journal.exists() else kept
                if not out.exists():
                    self.assertGreaterEqual(kept + 4096, before)  # less a torn record
            else:
                self.assertEqual(process.returncode, code, said)
            if out.exists():  # complete or absent, also after a kill
                others += out.read_bytes() != (self.folder / "whole.h5").read_bytes()
            if out.exists() and not journal.exists():
                self.assertEqual({path.name for path in self.folder.glob("a.h5*")}, {"a.h5", "a.h5.log"})
                out.unlink()
                finished, kept = finished + 1, 0
        capability(123, others, "<=", 0)
        self.assertGreater(finished, 0)
        return kills, finished

    def check(self, *words, **options):
        kills, finished = self.kill_again_and_again(*words, **options)
        print(f"{kills} kills, {finished} results", flush=True)

    def test_a_plain_run(self):
        self.check(QUICK, "-n", 600, "--trajectories", "every:20")

    def test_a_study(self):
        self.check(self.write("study.yaml", STUDY))

    def test_a_ladder(self):
        self.check(LADDER)

    def test_a_run_that_decides(self):
        self.check(QUICK, "-n", 2000, "--decide", "success>=0.9", code=1)

    def test_a_shard(self):
        self.check(QUICK, "-n", 900, "--shard", "2/3")


if __name__ == "__main__":
    unittest.main()
