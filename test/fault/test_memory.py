"""How much memory a run needs does not grow with the number of its trials: nothing leaks from trial to trial, queues are
bounded, and the result is written piece by piece. Peaks are told by the kernel, and what is allocated is counted at each
write of the journal: a machine that has other things to do changes neither."""
import array
import json
import os
import unittest

import faults
import support

# A block that stands on a floor: 0.1 ms a trial. The long version is of pinches, which take six times as long.
STANDING = "graspmc: 1\nuse: rank.yaml\nstudy: ~\n"
FEW, MANY = (5000, 100000) if faults.ALL else (4000, 12000)  # a few thousand fill what is bounded
# of each trial the journal's index keeps its place (8 bytes), the campaign a bit, and the running estimate and the
# stopping rule a few numbers; a leak of one block in each trial would be some 100 bytes
BYTES_EACH = 96  # 48 in tables that double as they fill
SLACK_KIB = 512  # what the system and threads leave between two runs of the same kind
SLACK_LIVE = 81920  # bytes: what holds one trial at a time grows to the largest; tables by 64 KiB


@unittest.skipIf(faults.IS_SANITIZED, "a sanitizer holds back what was freed, to see who still uses it")
class Memory(support.Case):
    def use(self, draws, *words):
        """KiB at the peak; by how many bytes more is allocated late in the trials than early."""
        heap = self.folder / "heap"
        self.lend("rank.yaml", support.ROOT / "test/end_to_end/rank.yaml")
        scenario = support.QUICK if faults.ALL else self.write("standing.yaml", STANDING)
        self.run_program("run", scenario, "-n", draws, "-j", 2, "-q", "-o", "a.h5", "--force", "--progress", "none",
                         *words, timeout=None, env={**os.environ, "LD_PRELOAD": faults.SHIM, "FAULT_HEAP": str(heap)})
        live = array.array("q", heap.read_bytes())
        self.assertGreaterEqual(len(live), draws)  # each trial is written on its own
        # the least: now and then finished trials wait for an earlier one
        early, late = (min(live[int(a * draws):int(b * draws)]) for a, b in ((0.1, 0.4), (0.7, 1)))
        log = json.loads((self.folder / "a.h5.log").read_text().splitlines()[-1])
        return log["peak_memory_kib"], late - early

    def compare(self, *words):
        few, _ = self.use(FEW, *words)
        many, grown = self.use(MANY, *words)
        print(f"peak {few} KiB for {FEW} trials, {many} KiB for {MANY}, which grow by {grown} bytes", flush=True)
        self.assertLess(many - few, (MANY - FEW) * BYTES_EACH / 1024 + SLACK_KIB)
        self.assertLess(grown, SLACK_LIVE)

    def test_trials(self):
        self.compare("--trajectories", "none")

    def test_trajectories(self):
        self.compare("--trajectories", "every:10")


if __name__ == "__main__":
    faults.main()
