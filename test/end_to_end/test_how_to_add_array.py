"""What a trial stores has two lists; a row there and a line where it is filled add to it. test/how_to_add has a patch for an
array of trajectories and one for a number of a trial: applied to a copy of the tree, they give a program that has what is new
in its result file, in what it reads back and in exported tables."""
import csv
import io
import re
import shutil
import subprocess
import unittest

import h5py
import support

PATCHES = [support.ROOT / "test/how_to_add" / name for name in ("trajectory_array.patch", "trial_field.patch")]
FILES_MOST = 2  # of the product, that an addition touches


class HowToAdd(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = support.Case()
        cls.holder.setUp()
        tree = cls.holder.folder / "tree"
        names = subprocess.run([support.ROOT / "scripts/sources"], check=True, capture_output=True,
                               text=True).stdout.split("\n")
        for name in filter(None, names):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(support.ROOT / name, tree / name)
        for patch in PATCHES:  # neither touches what the other does
            subprocess.run(["patch", "--batch", "-p1", "-i", patch], cwd=tree, check=True,
                           capture_output=True)
        build = tree / "build"
        subprocess.run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_C_FLAGS_RELEASE=-O1"], check=True, capture_output=True)
        subprocess.run(["cmake", "--build", build, "--target", "graspmc", "--parallel", "2"], check=True,
                       capture_output=True)
        cls.program, cls.path = build / "graspmc", cls.holder.folder / "out.h5"
        subprocess.run([cls.program, "run", support.DEMO, "-n", "4", "-o", cls.path, "--trajectories",
                        "all"], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.holder.doCleanups()
        super().tearDownClass()

    def exported(self, *options):
        done = subprocess.run([self.program, "export", self.path, *options], check=True,
                              capture_output=True, text=True)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_what_is_added_touches_two_files(self):
        for patch in PATCHES:
            files = re.findall(r"(?m)^diff --git", patch.read_text(encoding="utf-8"))
            self.assertLessEqual(len(files), FILES_MOST, patch)

    def test_an_array_of_trajectories(self):
        with h5py.File(self.path, "r") as file:
            index = file["trajectories/index"][1]
            first, count = int(index["contact_offset"]), int(index["contact_length"])
            gap = file["trajectories/contacts/gap"]
            self.assertEqual(gap.shape, file["trajectories/contacts/point"].shape[:1])
            self.assertEqual(gap.attrs["units"][0], b"m")
            self.assertEqual(list(gap.attrs["dimensions"]), [b"contact"])
            stored = gap[first:first + count]
        self.assertGreater(len(set(stored)), 10)
        self.assertLess(min(stored), 0)
        rows = self.exported("--trial", "1", "--contacts")
        self.assertEqual([float(row["gap"]) for row in rows], list(stored))

    def test_a_trial_is_repeated_with_what_is_new(self):
        done = subprocess.run([self.program, "replay", self.path, "--trial", "1"], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_number_of_a_trial(self):
        with h5py.File(self.path, "r") as file:
            names = file["trials"].dtype.names
            stored = file["trials"]["farthest"]
            unit = file["trials"].attrs["units"][names.index("farthest")]
        self.assertEqual(unit, b"1")
        self.assertTrue(all(0 < value < 1 for value in stored), stored)
        rows = self.exported()
        self.assertEqual([float(row["farthest"]) for row in rows], list(stored))


if __name__ == "__main__":
    unittest.main()
