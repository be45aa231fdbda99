"""One stored trial, repeated alone from the result file: the same bits, and every step recorded."""
import shutil
import unittest

import h5py
import numpy

from support import DEMO, Case


class Replay(Case):
    def setUp(self):
        super().setUp()
        self.run_program("run", DEMO, "-n", 12, "-o", "a.h5", "--trajectories", "all", "--rate", 100)

    def test_the_bits_are_the_same_without_any_other_file(self):
        # the result alone goes to another place: scenario and models come out of it
        place = self.folder / "elsewhere"
        place.mkdir()
        shutil.move(self.folder / "a.h5", place / "b.h5")
        for trial in (0, 7, 11):
            done = self.run_program("replay", place / "b.h5", "--trial", trial)
            self.assertIn("identical", done.stdout)

    def test_stored_rows_are_rows_of_the_full_trajectory(self):
        self.run_program("replay", "a.h5", "--trial", 7, "-o", "t.h5")
        with h5py.File(self.folder / "a.h5") as stored, h5py.File(self.folder / "t.h5") as full:
            index = stored["trajectories/index"][:]
            row = index[index["trial"] == 7][0]
            part = slice(int(row["offset"]), int(row["offset"]) + int(row["length"]))
            times, all_times = stored["trajectories/time"][part], full["trajectories/time"][:]
            at = numpy.searchsorted(all_times, times)
            self.assertTrue(numpy.array_equal(all_times[at], times))
            self.assertGreater(len(all_times), len(times))
            # rows fall on the first step at or after each multiple of the period
            for time in times[1:-1]:
                multiple = numpy.floor(time * 100 + 1e-9) / 100
                before = all_times[all_times < time - 1e-12]
                self.assertTrue(before[-1] < multiple - 1e-12)
            for name in stored["trajectories/bodies"]:
                for what in ("pose", "twist"):
                    key = f"trajectories/bodies/{name}/{what}"
                    self.assertEqual(stored[key][part].tobytes(), full[key][:][at].tobytes())
            for what in ("q", "effort"):
                key = f"trajectories/joints/{what}"
                self.assertEqual(stored[key][part].tobytes(), full[key][:][at].tobytes())

    def test_a_changed_measure_is_noticed(self):
        with h5py.File(self.folder / "a.h5", "r+") as file:
            trials = file["trials"][:]
            trials["lift"][7] = numpy.nextafter(trials["lift"][7], 1)
            file["trials"][:] = trials
        done = self.run_program("replay", "a.h5", "--trial", 7, code=1)
        self.assertIn("lift", done.stdout)
        self.run_program("replay", "a.h5", "--trial", 6)

    def test_a_trial_that_is_not_there(self):
        done = self.run_program("replay", "a.h5", "--trial", 12, code=65)
        self.assertIn("12", done.stderr)

    def test_what_is_no_result(self):
        self.run_program("replay", "none.h5", "--trial", 0, code=66)
        self.write("text.h5", "not HDF5")
        self.run_program("replay", "text.h5", "--trial", 0, code=65)


if __name__ == "__main__":
    unittest.main()
