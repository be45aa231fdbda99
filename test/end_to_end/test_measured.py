"""Inputs known from few measurements: a second interval, from the trials that are there."""
import importlib.util
import os
import unittest

import h5py

from support import BUILD, Case, ball_at

spec = importlib.util.spec_from_file_location("graspmc", BUILD / "graspmc.py")
graspmc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graspmc)

# fourteen measurements, of which twelve are 0.27 or more; a ball stands at their height and does not move
ROWS = (0.31, 0.29, 0.33, 0.26, 0.30, 0.28, 0.32, 0.35, 0.27, 0.29, 0.25, 0.31, 0.30, 0.34)
SCENARIO = ball_at("f.mu", "f.mu: 0.3, f.nu: 0.3", "  f.mu: LAW", x="f.nu * 1 m", success="height(object) >= 0.27 m")
SAMPLES, FIT = "samples(rows.csv, column mu)", "fit(rows.csv, column mu, family lognormal)"


class Measured(Case):
    def setUp(self):
        super().setUp()
        self.write("rows.csv", "mu\n" + "".join(f"{x}\n" for x in ROWS))
        self.scenario("m.yaml", SAMPLES)

    def scenario(self, name, law, more=""):
        self.write(name, SCENARIO.replace("LAW", law) + more)

    def test_rows_leave_as_much_open_as_their_share(self):
        said = self.run_program("run", "m.yaml", "-n", 3000, "-o", "m.h5").stdout
        self.assertRegex(said, r"\n  with what 14 measurements leave open: \[0\.\d+, 0\.\d+\]\n")
        answer = self.run_json("show", "m.h5")
        found, alone = answer["measurements"], answer["success"]
        # Clopper and Pearson's of 12 of 14 is [0.572, 0.982]; 1000 laws, rows drawn 190 to 240 times
        self.assertAlmostEqual(found["lower"], 0.572, delta=0.03)
        self.assertAlmostEqual(found["upper"], 0.982, delta=0.01)
        self.assertLess(alone["upper"] - alone["lower"], 0.03)
        self.assertEqual((found["counts"], found["effective"]), ([14], 3000))
        with h5py.File(self.folder / "m.h5") as file:
            (row,) = file["measurements/success"][:]
            self.assertEqual([row[name] for name in ("case", "level", "lo", "hi")],
                             [-1, 0.95, found["lower"], found["upper"]])
            self.assert_on_the_page(file["measurements"], "Inputs known from few measurements")
        os.chdir(self.folder)
        self.assertEqual(graspmc.Result("m.h5").measurements, found)

    def test_other_criteria_are_asked_of_the_same_laws(self):
        self.run_program("run", "m.yaml", "-n", 500, "-o", "m.h5", "-q")
        easy = self.run_json("show", "m.h5", "--success", "height(object) >= 0.2 m")
        self.assertEqual((easy["success"]["p"], easy["measurements"]["upper"]), (1, 1))
        self.assertAlmostEqual(easy["measurements"]["lower"], 0.768, delta=0.02)  # 14 of 14
        part = self.run_json("show", "m.h5", "--where", "f.mu > 0.28")["measurements"]
        self.assertEqual((part["lower"], part["upper"], part["untold"]), (0, 1, "--where takes a part of the trials"))
        self.assertEqual(self.run_json("show", "m.h5", "--surrogate")["measurements"], self.run_json("show", "m.h5")["measurements"])
        self.assertIn("  with what 14 measurements leave open: [", self.run_program("show", "m.h5", "--surrogate").stdout)

    def test_a_fit_is_asked_by_its_laws(self):
        self.scenario("f.yaml", FIT)
        answer = self.run_json("run", "f.yaml", "-n", 4000, "-o", "f.h5")
        # scipy 1.10: noncentral t law of these rows
        self.assertAlmostEqual(answer["measurements"]["lower"], 0.6398, delta=0.03)
        self.assertAlmostEqual(answer["measurements"]["upper"], 0.9518, delta=0.02)
        self.assertLess(answer["measurements"]["effective"], 4000)
        few = self.run_json("run", "f.yaml", "-n", 15, "-o", "few.h5")["measurements"]
        self.assertEqual((few["lower"], few["upper"]), (0, 1))
        self.assertIn("too few effective draws", few["untold"])

    def test_each_case_and_all_of_them(self):
        self.scenario("c.yaml", SAMPLES, "study: {vary: {f.nu: [0.1, 0.2, 0.4]}}\n")
        self.run_program("run", "c.yaml", "-n", 400, "-o", "c.h5", "-q")
        answer = self.run_json("show", "c.h5")
        # the cases are the same but for a number that nothing depends on
        for case in answer["cases"]:
            self.assertEqual(case["measurements"], answer["measurements"])

    def test_what_cannot_be_told_says_why(self):
        self.scenario("w.yaml", FIT, "sampling: {importance: {f.mu: \"uniform(0.2, 0.4)\"}}\n")
        self.scenario("k.yaml", FIT, "correlated: {f.mu / f.nu: 0.5}\n")
        text = (self.folder / "k.yaml").read_text()
        self.write("k.yaml", text.replace("uncertain:\n", "uncertain:\n  f.nu: uniform(0, 1)\n"))
        for name, why in (("w.yaml", "draws come from other"), ("k.yaml", "is correlated")):
            out = self.run_program("run", name, "-n", 200, "-o", name + ".h5", "-q").stdout
            self.assertRegex(out, f"\n  what 14 measurements leave open is not told: .*{why}")
            with h5py.File(self.folder / (name + ".h5")) as file:
                self.assertIn(why, file["measurements"].attrs["untold"].decode())
                self.assertEqual(len(file["measurements/success"]), 0)

    def test_the_file_is_the_same_however_it_came_to_be(self):
        self.scenario("f.yaml", FIT, "output: {trajectories: none}\nsampling: {draws: 600}\n")
        for workers in (1, 2, 7):
            self.run_program("run", "f.yaml", "-o", f"{workers}.h5", "-j", workers, "-q")
            self.assert_same_bytes("1.h5", f"{workers}.h5")
        for part in (1, 2, 3):
            self.run_program("run", "f.yaml", "--shard", f"{part}/3", "-o", f"p{part}.h5", "-q")
        self.run_program("merge", "p1.h5", "p2.h5", "p3.h5", "-o", "merged.h5")
        with h5py.File(self.folder / "1.h5") as whole, h5py.File(self.folder / "merged.h5") as merged:
            self.assertEqual(whole["measurements/success"][:].tobytes(), merged["measurements/success"][:].tobytes())


if __name__ == "__main__":
    unittest.main()
