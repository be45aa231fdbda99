"""Other bins than the scenario's: `show --rebin` counts as numpy does, with the intervals of the stored ones."""
import unittest

import h5py
import numpy

from support import QUICK, Case

MAP = ["--set", "study.vary={hand.target.x: [-10 mm, 0 mm, 10 mm]}"]


class Rebin(Case):
    def run_quick(self, *words):
        self.run_program("run", QUICK, "-n", 200, "-o", "a.h5", "-q", "--force", *words)
        with h5py.File(self.folder / "a.h5") as file:
            names = [name.decode() for name in file["parameters"]["name"]]
            return file["trials"][:], dict(zip(names, file["samples"][:].T))

    def show(self, *words, **options):
        histogram, = self.run_json("show", "a.h5", *words, **options)["histograms"]
        return histogram

    def test_edges_with_units_count_as_numpy_does(self):
        trials, samples = self.run_quick()
        found = self.show("--rebin", "object.mass=100 g, 0.15 kg, 0.2, 0.31 kg")
        edges = [0.1, 0.15, 0.2, 0.31]
        self.assertEqual(found["axes"][0]["edges"], edges)
        works = numpy.histogram(samples["object.mass"][trials["success"] == 1], edges)[0]
        fails = numpy.histogram(samples["object.mass"][trials["success"] == 0], edges)[0]
        self.assertEqual([bin["success"]["successes"] for bin in found["bins"]], works.tolist())
        self.assertEqual([bin["success"]["failures"] for bin in found["bins"]], fails.tolist())
        for one in found["bins"]:
            few = min(one["success"]["successes"], one["success"]["failures"]) < 55
            self.assertEqual(one["success"]["method"], "Clopper-Pearson" if few else "Wilson")
        measure = self.show("--rebin", "slip=0 mm,1 mm,1 m")
        counts = [sum(bin["outcomes"].values()) for bin in measure["bins"]]
        # what failed early measured its beginning alone: in no bin
        whole = (trials["is_whole"] == 1) | (trials["valid"] == 0)
        self.assertGreater((~whole).sum(), 0)
        self.assertEqual(counts, numpy.histogram(trials["slip"][whole], [0, 1e-3, 1])[0].tolist())
        self.assertGreaterEqual(measure["axes"][0]["absent"], (~whole).sum())

    def test_the_stored_bins_come_back(self):
        self.run_quick()
        first, second = self.run_json("show", "a.h5")["histograms"]
        bins = len(first["bins"])
        self.assertEqual(self.show("--rebin", f"object.pose.x={bins}"), first)
        self.assertEqual(self.show("--by", "object.pose.x", "--rebin", bins), first)
        rows, columns = (len(axis["edges"]) - 1 for axis in second["axes"])
        both = ["--rebin", f"object.pose.x={rows}", "--rebin", f"friction.rubber/abs={columns}"]
        self.assertEqual(self.show(*both), second)
        self.assertEqual(self.show("--by", "object.pose.x,friction.rubber/abs", *both), second)

    def test_cases_that_share_draws_keep_the_draw_as_unit(self):
        trials, samples = self.run_quick(*MAP)
        found = self.show("--by", "hand.target.x", "--rebin", "hand.target.x=-11 mm,5 mm,11 mm")
        self.assertEqual({bin["success"]["method"] for bin in found["bins"]}, {"KG over draws"})
        where = samples["hand.target.x"] < 0.005
        per_draw = trials["success"][where].reshape(200, 2).mean(axis=1)
        estimate = found["bins"][0]["success"]
        self.assertAlmostEqual(estimate["p"], per_draw.mean(), delta=1e-15)
        half = (estimate["upper"] - estimate["lower"]) / 2
        error = per_draw.std(ddof=1) / numpy.sqrt(200)
        # t with 199 degrees of freedom, 1.972, and the draw more that is allowed for
        self.assertTrue(1.97 < half / error < 2.2, half / error)
        bins = self.show("--by", "hand.target.x", "--rebin", 2)["axes"][0]["edges"]
        self.assertEqual(bins, [-0.01, 0, 0.01])  # equal ones, not one for each value

    def test_mistakes_are_said(self):
        self.run_quick()
        for text, said in (("object.mass=1 mm,2 mm", "another unit"), ("object.mass=2,1", "not edges"),
                           ("object.mass=0", "not a number of bins"), ("object.mass=1000000", "not a number"),
                           ("mass=3", "no histogram of mass"), ("3", "bins without a parameter"),
                           ("object.mass=a,b", "not edges"), ("object.mass=1 kg", "not edges"),
                           ("object.mass=1,,2", "not edges")):
            done = self.run_program("show", "a.h5", "--rebin", text, code=65)
            self.assertEqual(done.stdout, "")
            self.assertIn(said, done.stderr)
        both = ["--by", "object.mass,object.pose.x"]
        self.assertIn("edges for two parameters", self.run_program("show", "a.h5", *both, "--rebin", "1,2",
                                                           code=65).stderr)
        self.run_program("show", "a.h5", *both, "--rebin", "slip=3", code=65)
        self.run_program("show", "a.h5", "--rebin", "", code=64)


if __name__ == "__main__":
    unittest.main()
