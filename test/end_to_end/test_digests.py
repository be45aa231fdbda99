"""scripts/digests: the same for any number of workers, and what has changed is named."""
import subprocess
import unittest

import support

try:
    import h5py  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

SCRIPT = support.ROOT / "scripts/digests"
SCENARIO = "disk_gap"  # the cheapest: all of its lines take a second


class Digests(support.Case):
    def digests(self, *words, code=0):
        done = subprocess.run([SCRIPT, *words, "--only", SCENARIO, "--program", support.PROGRAM], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def change(self, old, new):
        """Of the table kept.tsv."""
        path = self.folder / "kept.tsv"
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def lines(self):
        text = (self.folder / "kept.tsv").read_text(encoding="utf-8").splitlines()
        return [line.split("\t") for line in text if line.startswith(SCENARIO)]

    def test_the_same_for_any_workers(self):
        self.digests("--write", "kept.tsv", "--draws", "6", "--jobs", "1")
        self.digests("--write", "two.tsv", "--draws", "6", "--jobs", "2")
        self.assert_same_bytes("kept.tsv", "two.tsv")
        # all steppers ran, and drew alike, but moved otherwise
        lines = self.lines()
        self.assertEqual({line[3] for line in lines}, {"0"})
        self.assertEqual(len({line[5] for line in lines}), 1)
        for column in (4, 6):
            self.assertEqual(len({line[column] for line in lines}), len(lines))
        self.assertEqual(self.digests("--compare", "kept.tsv"), f"0 of {len(lines)} differ\n")

    def test_what_differs_is_named(self):
        self.digests("--write", "kept.tsv", "--draws", "4")
        first, second, third, *_ = self.lines()
        self.change("\t".join(first[4:]), "\t".join(["0", first[5], "0", first[7]]))
        self.change("\t".join(second), "\t".join([*second[:3], "65", "-", "-", "-", "-"]))
        self.change("\t".join(third), "\t".join([third[0], "other", *third[2:]]))
        self.assertEqual(self.digests("--compare", "kept.tsv", code=1).splitlines(), [
            f"{SCENARIO} {first[1]}: rows, trajectories", f"{SCENARIO} {second[1]}: exit status 0, was 65",
            f"{SCENARIO} other: is not run any more", f"{SCENARIO} {third[1]}: was not run",
            f"4 of {len(self.lines())} differ"])

    def test_other_draws_differ_in_all_that_is_stored(self):
        """A guard that cannot fail guards nothing."""
        self.digests("--write", "kept.tsv", "--draws", "4")
        out = self.digests("--compare", "kept.tsv", "--draws", "5", code=1).splitlines()
        self.assertEqual(out[:-1], [f"{SCENARIO} {line[1]}: draws, rows, samples, trajectories, answer"
                                    for line in self.lines()])

    def test_nothing_is_said_without_a_table_or_of_another_build(self):
        self.assertEqual(self.digests("--compare", "none.tsv", code=77),
                         "skipped: none.tsv: no such file; scripts/digests --write makes it\n")
        self.digests("--write", "kept.tsv", "--draws", "2")
        self.change("# compiler ", "# compiler another ")
        self.assertIn("skipped: digests are of another build, compiler another ",
                      self.digests("--compare", "kept.tsv", code=77))
        self.assertIn("0 of ", self.digests("--compare", "kept.tsv", "--anyway"))

    def test_another_pow_leaves_out_who_calls_it(self):
        self.digests("--write", "kept.tsv", "--draws", "2")
        self.change("# pow ", "# pow 0")
        out = self.digests("--compare", "kept.tsv")
        self.assertIn("song_pang_kumar is left out", out)
        self.assertIn(f"0 of {len(self.lines()) - 1} differ", out)


if __name__ == "__main__":
    unittest.main()
