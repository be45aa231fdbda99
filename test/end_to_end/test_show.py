"""What `show` prints is what stands in the file: counts, cases and histograms recomputed with numpy."""
import unittest

import h5py
import numpy

from support import QUICK, Case


class Show(Case):
    def setUp(self):
        super().setUp()
        self.run_program("run", QUICK, "-n", 300, "-o", "a.h5")

    def test_counts_and_outcomes(self):
        answer = self.run_json("show", "a.h5")
        with h5py.File(self.folder / "a.h5") as file:
            trials = file["trials"][:]
            stored = file["summary/estimates"][0]
        self.assertEqual(answer["success"]["successes"], int(trials["success"].sum()))
        self.assertEqual(sum(answer["outcomes"].values()), 300)
        for name, key in (("p", "p"), ("lower", "lo"), ("upper", "hi")):
            self.assertEqual(answer["success"][name], float(stored[key]))
        self.assertEqual(answer["max_residual"], float(trials["max_residual"].max()))

    def test_a_histogram_over_any_parameter_that_varies(self):
        answer = self.run_json("show", "a.h5", "--by", "object.mass")
        (histogram,) = answer["histograms"]
        axis = histogram["axes"][0]
        with h5py.File(self.folder / "a.h5") as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            about = {row["name"].decode(): row["about"].decode() for row in file["columns"][:]}
            self.assertTrue(about["lift(object)"].endswith(": at the end"))
            self.assertTrue(about["max(slip(object, hand))"].endswith(": the largest of all times"))
            masses = file["samples"][:, names.index("object.mass")]
            successes = file["trials"]["success"].astype(bool)
        self.assertEqual((axis["edges"][0], axis["edges"][-1]), (0.1, 0.3))
        counts, _ = numpy.histogram(masses[successes], axis["edges"])
        self.assertEqual([bin["success"]["successes"] for bin in histogram["bins"]], counts.tolist())
        text = self.run_program("show", "a.h5", "--by", "object.mass").stdout
        self.assertIn("success by object.mass [kg]", text)

    def test_d18_edges_are_in_the_scenario_s_units_and_few_trials_have_few_bins(self):
        text = self.run_program("show", "a.h5", "--by", "object.pose.x").stdout
        head, *bins = text.strip().splitlines()
        self.assertIn("success by object.pose.x [mm]", head)
        self.assertEqual(len(bins), 10)
        (histogram,) = self.run_json("show", "a.h5", "--by", "object.pose.x")["histograms"]  # SI, and the bins of the file
        edges = histogram["axes"][0]["edges"]
        self.assertEqual((histogram["axes"][0]["unit"], len(edges)), ("m", 21))
        for line, lower, upper in zip(bins, edges[::2], edges[2::2]):
            self.assertEqual(line.split("|")[0].split(), [f"{1e3 * lower:.4g}", "...", f"{1e3 * upper:.4g}"])
        yaw = self.run_program("show", "a.h5", "--by", "object.pose.yaw,friction.rubber/abs").stdout
        self.assertIn("object.pose.yaw [deg] and friction.rubber/abs [1]", yaw)
        self.assertRegex(yaw, r"across: friction.rubber/abs from 0.08 to 0.3; \. no trial\n +-15 ... -12\.5 ")
        # of a number without a dimension the second argument is a share of it, a factor is none of its values
        for law, unit in (("lognormal(0.2, 20 %)", "1"), ("nominal * normal(100 %, 10 %)", "1"), ("uniform(8 %, 30 %)", "%")):
            self.run_program("run", QUICK, "-n", 20, "-o", "share.h5", "-q", "--force", "--set", f"uncertain.friction.rubber/abs={law}")
            text = self.run_program("show", "share.h5", "--by", "friction.rubber/abs").stdout
            self.assertIn(f"success by friction.rubber/abs [{unit}]", text, law)
        # of a number, of edges, and where there are enough trials
        text = self.run_program("show", "a.h5", "--by", "object.pose.x", "--rebin", "20").stdout
        self.assertEqual(text.count(" ... "), 20)
        text = self.run_program("show", "a.h5", "--rebin", "object.pose.x=-5 mm,1 cm").stdout
        self.assertIn("           -5 ... 10 ", text)
        self.run_program("run", QUICK, "-n", 2000, "-o", "many.h5", "-q", "--trajectories", "none")
        text = self.run_program("show", "many.h5", "--by", "object.pose.x").stdout
        self.assertEqual(text.count(" ... "), 20)

    def test_a_map_over_two(self):
        answer = self.run_json("show", "a.h5", "--by", "object.mass,friction.rubber/abs")
        (histogram,) = answer["histograms"]
        self.assertEqual(len(histogram["axes"]), 2)
        total = sum(sum(bin["outcomes"].values()) for bin in histogram["bins"])
        self.assertEqual(total, 300)

    def test_a_parameter_that_does_not_vary(self):
        done = self.run_program("show", "a.h5", "--by", "object.pose.z", code=65)
        self.assertIn("object.pose.z", done.stderr)

    def test_the_level_of_the_intervals(self):
        wide = self.run_json("show", "a.h5", "--level", 0.99)["success"]
        narrow = self.run_json("show", "a.h5", "--level", 0.5)["success"]
        self.assertLess(wide["lower"], narrow["lower"])
        self.assertGreater(wide["upper"], narrow["upper"])

    def test_cases_of_a_study(self):
        self.run_program("run", QUICK, "-n", 10, "-o", "s.h5",
                         "--set", "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}")
        answer = self.run_json("show", "s.h5")
        self.assertEqual([case["hand.target.x"] for case in answer["cases"]], [-0.01, 0.0, 0.01])
        for case in answer["cases"]:
            estimate = case["success"]
            self.assertEqual(estimate["successes"] + estimate["failures"] + estimate["unsolved"], 10)
        self.assertEqual(answer["success"]["method"], "KG over draws")
        self.assertIn("hand.target.x [m]", self.run_program("show", "s.h5").stdout)

    def test_what_is_no_result(self):
        self.run_program("show", "none.h5", code=66)
        self.write("text.h5", "not HDF5")
        self.run_program("show", "text.h5", code=65)


if __name__ == "__main__":
    unittest.main()
