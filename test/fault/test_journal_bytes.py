"""What becomes of a journal that was damaged while nobody looked: cut off at any byte, or with any byte changed.
`--resume` either goes on with what is whole, and then ends in the bytes of an undisturbed run, or refuses. `status`
never counts what is not there."""
import collections
import json
import resource
import subprocess
import unittest

import faults
import support


class JournalBytes(faults.Case):
    arguments = [support.QUICK, "-n", 3, "-j", 1, "-q", "--progress", "none"]

    def setUp(self):
        super().setUp()
        # no room for the result: all trials are in the journal, and stay there
        limit = 40000
        code, said = self.run_out(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(code, 74, said)
        self.whole = self.journal.read_bytes()
        self.assertGreater(len(self.whole), 3 * 500)

    @property
    def journal(self):
        return self.work / "out.h5.journal"

    def status(self):
        done = subprocess.run([support.PROGRAM, "status", "out.h5", "--json"], cwd=self.work, text=True, check=False,
                              capture_output=True, errors="replace")
        self.assertIn(done.returncode, (2, 65, 66), done.stderr)  # 66: an empty file is no run
        if done.returncode != 2:
            return None
        (run,) = json.loads(done.stdout)["runs"]
        return run["done"]

    def go_on(self, data, where):
        """Resume from these bytes. @return trials that were there, None: refused"""
        self.clean()
        self.journal.write_bytes(data)
        counted = self.status()
        code, said = self.run_out("--resume")
        self.assertIn(code, (0, 65, 76), f"{where}: {said}")
        if code != 0:
            self.assertIn("out.h5.journal", said)
            self.assertEqual(self.left_over() - {"out.h5.log"}, {"out.h5.journal"})
            self.assertEqual(self.journal.read_bytes() == data, True, f"{where}: refused, but changed")
            return None
        self.assert_whole()
        log = json.loads((self.work / "out.h5.log").read_text().splitlines()[0])
        if counted is not None:
            self.assertEqual(log["kept"], counted, where)
        return log["kept"]

    def test_cut_off_anywhere(self):
        kept = self.judge_each(lambda size: self.go_on(self.whole[:size - 1], f"cut at {size - 1}"),
                               faults.places(len(self.whole), 25))
        print(f"cut {len(kept)} times: {collections.Counter(kept)} trials kept", flush=True)
        self.assertNotIn(None, kept)
        self.assertEqual(kept, sorted(kept), "a longer journal has no fewer trials")
        self.assertEqual(self.go_on(self.whole, "whole"), 3)

    def test_changed_anywhere(self):
        def change(place):
            data = bytearray(self.whole)
            data[place - 1] ^= 1 << place % 8
            return self.go_on(data, f"bit {place % 8} of byte {place - 1}")

        kept = self.judge_each(change, faults.places(len(self.whole), 25))
        print(f"changed {len(kept)} times: {collections.Counter(kept)} trials kept", flush=True)
        # a header that is not right is refused; behind it the trials before the damage count
        self.assertIn(None, kept)
        self.assertNotIn(3, kept)
        counts = [count for count in kept if count is not None]
        self.assertEqual(counts, sorted(counts))


if __name__ == "__main__":
    faults.main()
