"""Results as CSV: pandas reads back what h5py reads, bit for bit."""
import csv
import io
import os
import subprocess
import unittest

import h5py
import numpy
import pandas

from support import PROGRAM, QUICK, SCENARIOS, Case


def read(text):
    return pandas.read_csv(io.StringIO(text), float_precision="round_trip")


class Export(Case):
    def export(self, *words, **options):
        return self.run_program("export", *words, "--to", "csv", **options).stdout

    def assert_same_bits(self, found, expected, name):
        found = numpy.asarray(found, dtype=expected.dtype)
        nan = numpy.isnan(expected) if expected.dtype.kind == "f" else numpy.zeros(len(expected), bool)
        self.assertEqual(found[~nan].tobytes(), expected[~nan].tobytes(), name)
        if nan.any():
            self.assertTrue(numpy.isnan(found[nan]).all(), name)

    def test_what_a_file_holds_is_said_as_json(self):
        self.run_program("run", QUICK, "-n", 3, "-o", "a.h5", "-q", "--trajectories", "all")
        trials = self.run_json("export", "a.h5", "--to", "csv", "-o", "a.csv")
        self.assertEqual(trials, {"output": "a.csv", "format": "csv", "holds": "trials", "trials": 3})
        self.assertEqual(len(read((self.folder / "a.csv").read_text())), 3)
        motion = self.run_json("export", "a.h5", "--to", "csv", "-o", "b.csv", "--trial", 1)
        self.assertEqual(motion, {"output": "b.csv", "format": "csv", "holds": "motion", "trial": 1})
        self.assertIn("--json needs -o", self.run_program("export", "a.h5", "--to", "csv", "--json", code=64).stderr)

    def test_trials_with_their_samples_read_back_equal(self):
        self.run_program("run", SCENARIOS / "pick_meshes.yaml", "-n", 2, "-o", "a.h5", "-q")
        self.run_program("run", QUICK, "-n", 100, "-o", "b.h5", "-q", "--set", "simulation.step_limit=100")
        for name in ("a.h5", "b.h5"):
            table = read(self.export(name))
            with h5py.File(self.folder / name) as file:
                trials, samples = file["trials"][:], file["samples"][:]
                words = {field: h5py.check_enum_dtype(trials.dtype[field]) for field in ("outcome", "reason")}
                for field in trials.dtype.names:
                    if field in words:
                        names = {number: word for word, number in words[field].items()}
                        self.assertEqual(table[field].fillna("none").tolist(),
                                         [names[number] for number in trials[field]])
                    else:
                        self.assert_same_bits(table[field], trials[field], field)
                for i, path in enumerate(file["parameters"]["name"]):
                    self.assert_same_bits(table[path.decode()], samples[:, i], path)
                objects = [file["cases"]["object"][case].decode() for case in trials["case"]]
                self.assertEqual(table["object"].tolist(), objects)
                self.assertEqual(table.shape, (len(trials), 1 + len(trials.dtype) + samples.shape[1]))

    def test_fields_are_quoted_as_rfc_4180_says(self):
        self.run_program("run", QUICK, "-n", 3, "-o", "a.h5", "-q")
        text = self.export("a.h5")
        self.assertIn('"max(slip(object, hand))"', text.splitlines()[0])
        rows = list(csv.reader(io.StringIO(text), strict=True))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        self.assertEqual(len(set(rows[0])), len(rows[0]))
        self.assertNotIn("\r", text)

    def test_the_motion_of_a_trial(self):
        self.run_program("run", QUICK, "-n", 4, "-o", "a.h5", "-q", "--trajectories", "every:2")
        table, contacts = read(self.export("a.h5", "--trial", 2)), read(
            self.export("a.h5", "--trial", 2, "--contacts"))
        with h5py.File(self.folder / "a.h5") as file:
            index = file["trajectories/index"][1]
            self.assertEqual(index["trial"], 2)
            first, length = int(index["offset"]), int(index["length"])
            rows = slice(first, first + length)
            self.assert_same_bits(table["time"], file["trajectories/time"][rows], "time")
            pose, twist = (file[f"trajectories/bodies/object/{what}"][rows] for what in ("pose", "twist"))
            for i, part in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz")):
                self.assert_same_bits(table[f"object.{part}"], pose[:, i], part)
            for i, part in enumerate(("vx", "vy", "vz", "wx", "wy", "wz")):
                self.assert_same_bits(table[f"object.{part}"], twist[:, i], part)
            for i, joint in enumerate(file["trajectories/joints/names"]["name"]):
                for part in ("q", "effort"):
                    self.assert_same_bits(table[f"{joint.decode()}.{part}"],
                                          file[f"trajectories/joints/{part}"][rows, i], joint)
            stored = file["trajectories/contacts"]
            starts = stored["start"][first:first + length + 1].astype(int)
            self.assertEqual(table["contacts"].tolist(), numpy.diff(starts).tolist())
            part = slice(starts[0], starts[-1])
            self.assertEqual(len(contacts), starts[-1] - starts[0])
            self.assertGreater(len(contacts), 0)
            for what in ("point", "normal", "force", "torque"):
                for i, axis in enumerate("xyz"):
                    self.assert_same_bits(contacts[f"{what}.{axis}"], stored[what][part, i], what)
            geoms = [name.decode() for name in stored["geom_names"]["name"]]
            for i, side in enumerate("ab"):
                self.assertEqual(contacts[side].tolist(), [geoms[g] for g in stored["geoms"][part, i]])
        done = self.run_program("export", "a.h5", "--to", "csv", "--trial", 1, code=65)
        self.assertIn("the motion of trial 1 was not kept\nhint: graspmc replay a.h5 --trial 1 -o TRIAL.h5  keeps it; then export that\n",
                      done.stderr)

    def test_a_file_is_whole_or_not_there(self):
        self.run_program("run", QUICK, "-n", 50, "-o", "a.h5", "-q")
        text = self.export("a.h5")
        self.assertEqual(self.export("a.h5", "-o", "a.csv"), "")
        self.assertEqual((self.folder / "a.csv").read_text(encoding="utf-8"), text)
        self.write("b.csv", "mine")
        self.export("a.h5", "-o", "b.csv", code=73)
        self.assertEqual((self.folder / "b.csv").read_text(encoding="utf-8"), "mine")
        self.export("a.h5", "-o", "b.csv", "--force", code=73)
        self.write("b.csv", "trial,old\n1,2\n")
        self.export("a.h5", "-o", "b.csv", "--force")
        self.assertEqual((self.folder / "b.csv").read_text(encoding="utf-8"), text)
        self.export("a.h5", "--trial", 7, "-o", "c.csv", code=65)
        self.export("a.h5", "-o", "none/c.csv", code=73)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.csv", "a.h5", "a.h5.log", "b.csv"])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "export", "a.h5", "--to", "csv"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 74)

    def test_what_is_missing_on_the_command_line_is_said(self):
        self.run_program("export", "a.h5", "-o", "a.parquet", code=64)
        self.run_program("export", "a.h5", "-o", "a.csv", code=66)
        self.run_program("export", "a.h5", code=66)
        self.run_program("export", "a.h5", "--to", "xls", code=64)
        self.run_program("export", "a.h5", "--to", "csv", "--contacts", code=64)
        self.run_program("export", "a.h5", "--to", "csv", code=66)


if __name__ == "__main__":
    unittest.main()
