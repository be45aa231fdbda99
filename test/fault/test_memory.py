"""How much memory a run needs does not grow with the number of its trials: nothing leaks from trial to trial, queues are
bounded, and the result is written piece by piece."""
import json
import statistics
import time
import unittest

import faults
import support

# the long version is a hundred thousand trials of half a millisecond
FEW, MANY = (1000, 100000) if faults.ALL else (500, 3000)
# of each trial the journal's index keeps its place (8 bytes), the campaign a bit, and the running estimate and the
# stopping rule a few numbers; a leak of one block in each trial would be some 100 bytes
BYTES_EACH = 48
SLACK_KIB = 1024  # what allocators and threads leave between two runs of the same kind


@unittest.skipIf(faults.IS_SANITIZED, "a sanitizer holds back what was freed, to see who still uses it")
class Memory(support.Case):
    def use(self, draws, *words):
        """KiB at the peak; by how many KiB a run that is half done is smaller than one that is almost done."""
        process = self.start("run", support.QUICK, "-n", draws, "-j", 2, "-q", "-o", "a.h5", "--force", "--progress",
                             "none", *words)
        journal, samples = self.folder / "a.h5.journal", []
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
                    samples.append((journal.stat().st_size, 4 * int(file.read().split()[1])))
            except (FileNotFoundError, ValueError, IndexError):
                pass  # not begun, or over
            time.sleep(0.01)
        self.assertEqual(process.returncode, 0, process.communicate()[1])
        process.communicate()
        full = max(size for size, _ in samples)
        early = [kib for size, kib in samples if 0.1 * full < size < 0.4 * full]
        late = [kib for size, kib in samples if 0.7 * full < size < full]
        log = json.loads((self.folder / "a.h5.log").read_text().splitlines()[-1])
        return log["peak_memory_kib"], statistics.median(late) - statistics.median(early)

    def compare(self, *words):
        few, _ = self.use(FEW, *words)
        many, grown = self.use(MANY, *words)
        print(f"peak {few} KiB for {FEW} trials, {many} KiB for {MANY}, which grow by {grown} KiB", flush=True)
        self.assertLess(many - few, (MANY - FEW) * BYTES_EACH / 1024 + SLACK_KIB)
        # from the middle of the early ones (0.25) to that of the late ones (0.85)
        self.assertLess(grown, 0.6 * MANY * BYTES_EACH / 1024 + SLACK_KIB)

    def test_trials(self):
        self.compare("--trajectories", "none")

    def test_trajectories(self):
        self.compare("--trajectories", "every:10")


if __name__ == "__main__":
    faults.main()
