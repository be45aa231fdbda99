"""Pictures of results and of trials: they are drawn, show what the file says, and what cannot be drawn is said."""
import contextlib
import importlib.machinery
import importlib.util
import math
import os
import struct
import subprocess
import sys
import unittest
import unittest.mock

try:
    import h5py
    import matplotlib.image
    import numpy as np
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

from support import PROGRAM, ROOT, SCENARIOS, Case

sys.path.insert(0, str(ROOT / "scripts"))
MAP = """
use: {scenarios}/gear_map.yaml
uncertain: {{friction.finger/part: "uniform({low}, {high})"}}
study: {{vary: {{hand.target.x: "grid(-9 mm, 9 mm, step 9 mm)", hand.target.y: "grid(-4 mm, 4 mm, step 2 mm)"}}}}
sampling: {{draws: 3, seed: 1}}
"""
PUSHED = """
graspmc: 1
world: planar-support
object:
  polygon: [[0 mm, 0 mm], [60 mm, 0 mm], [60 mm, 20 mm], [20 mm, 20 mm], [20 mm, 50 mm], [0 mm, 50 mm]]
  thickness: 10 mm
  mass: 0.2 kg
  surface: steel
  support: {points: [[5 mm, 5 mm], [50 mm, 5 mm], [5 mm, 45 mm]], friction: 0.3}
scene:
  pusher: {circle: {radius: 5 mm}, surface: steel, pose: {x: -8 mm, y: 10 mm}, path: {x: [[0 s, -8 mm], [1 s, 12 mm]]}}
  wall: {box: [10 mm, 200 mm, 10 mm], surface: steel, pose: {x: 150 mm}}
friction: {steel/steel: 0.3}
program: [hold: {for: 1 s}]
success: {at_end: [moved(object) >= 1 mm]}
uncertain: {object.support.points.0.x: "uniform(5 mm, 30 mm)"}
sampling: {draws: 6, seed: 1}
"""


def load(name):
    """A script as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


os.environ["GRASPMC"] = PROGRAM  # for scripts loaded here


def size_of(path):
    with open(path, "rb") as file:
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", path
    return struct.unpack(">II", head[16:])


class Plots(Case):
    def plot(self, script, *words, code=0):
        done = subprocess.run([ROOT / "scripts" / script, *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stderr if code else done.stdout

    def complaint(self, module, *words):
        """What a script ends with; in this process, for to start one takes a second."""
        with unittest.mock.patch("sys.argv", [module.__name__, *map(str, words)]), \
                contextlib.chdir(self.folder), self.assertRaises(SystemExit) as end:
            module.main()
        self.assertIsInstance(end.exception.code, str)
        return end.exception.code

    def assert_drawn(self, name, colours=20):
        """A picture of sensible size with more on it than frames and text in black."""
        path = self.folder / name
        width, height = size_of(path)
        self.assertTrue(300 <= width <= 2000 and 250 <= height <= 1200, f"{width} x {height}")
        pixels = matplotlib.image.imread(path)[:, :, :3].reshape(-1, 3)
        vivid = pixels[np.ptp(pixels, axis=1) > 0.2]
        self.assertGreater(len(vivid), 0.005 * len(pixels))
        self.assertGreater(len(np.unique(vivid, axis=0)), colours)

    def make_maps(self):
        for name, low, high in (("medium", 0.33, 0.66), ("high", 0.66, 0.99)):
            self.write(f"{name}.yaml", MAP.format(scenarios=SCENARIOS, low=low, high=high))
            self.run_program("run", f"{name}.yaml", "-o", f"{name}.h5", "-q")

    def test_maps(self):
        self.make_maps()
        self.plot("plot_map", "medium.h5")
        self.assert_drawn("medium.png")
        first = (self.folder / "medium.png").read_bytes()
        self.plot("plot_map", "medium.h5")
        self.assertEqual((self.folder / "medium.png").read_bytes(), first)
        self.plot("plot_map", "medium.h5", "high.h5", "-o", "both.png")
        self.assert_drawn("both.png")
        plot_map = load("plot_map")
        shown = plot_map.choose([self.folder / "medium.h5", self.folder / "high.h5"], None)
        figure = plot_map.draw_maps(shown)
        panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
        self.assertEqual(len(panels), 4)
        self.assertEqual((figure._supxlabel.get_text(), figure._supylabel.get_text()),
                         ("hand.target.x [mm]", "hand.target.y [mm]"))
        # one scale a row: success above, half widths below up to the widest of both results
        scales = [axes.collections[0].get_clim() for axes in panels]
        self.assertEqual(scales[:2], [(0, 1), (0, 1)])
        widest = max(np.nanmax(h.upper - h.lower) / 2 for h in shown)
        self.assertEqual(scales[2:], [(0, widest)] * 2)
        for panel, h in zip(panels, shown):
            drawn = panel.collections[0].get_array().reshape(h.p.T.shape)
            self.assertTrue(np.array_equal(drawn, h.p.T))
        self.assertIn("hand.target.x,hand.target.y", self.plot("plot_map", "medium.h5", "--list"))

    def test_curves_of_several_results(self):
        self.write("pushed.yaml", PUSHED)
        for seed in (1, 2):
            self.run_program("run", "pushed.yaml", "-o", f"{seed}.h5", "-q", "-n", 40, "--seed", seed)
        self.plot("plot_map", "1.h5", "2.h5", "-o", "curves.png")
        self.assert_drawn("curves.png")
        self.plot("plot_map", "1.h5", "-o", "curve.svg")
        self.assertIn("<svg", (self.folder / "curve.svg").read_text(encoding="utf-8"))

    def test_what_is_studied_is_drawn_without_histograms_in_the_file(self):
        """Counted from the trials: the same as what the file would have stored; also of designs between two ends."""
        self.make_maps()
        both = "hand.target.x,hand.target.y"
        self.write("none.yaml", (self.folder / "medium.yaml").read_text(encoding="utf-8") + "output: {map: ~}\n")
        self.run_program("run", "none.yaml", "-o", "none.h5", "-q")
        plot_map = load("plot_map")
        names = self.plot("plot_map", "none.h5", "--list").splitlines()
        self.assertTrue({"friction.finger/part", *both.split(",")} <= set(names), names)
        stored, = plot_map.choose([self.folder / "medium.h5"], both)
        counted, = plot_map.choose([self.folder / "none.h5"], both)
        self.assertEqual(stored.interval, counted.interval)
        for name in ("trials", "unsolved", "p", "lower", "upper"):
            np.testing.assert_allclose(getattr(counted, name), getattr(stored, name), rtol=1e-9, atol=1e-12)
        for one, other in zip(counted.axes, stored.axes):
            np.testing.assert_allclose(one.edges, other.edges, rtol=1e-9, atol=1e-9)
            self.assertEqual(one.label, other.label)
        self.plot("plot_map", "none.h5", "--of", "hand.target.y", "-o", "one.png")
        self.assert_drawn("one.png", colours=5)
        self.write("between.yaml", MAP.format(scenarios=SCENARIOS, low=0.3, high=0.6).replace(
            "grid(-9 mm, 9 mm, step 9 mm)", "between(-9 mm, 9 mm)").replace("grid(-4 mm, 4 mm, step 2 mm)", "between(-4 mm, 4 mm)").replace(
            "study: {", "output: {map: ~, histograms: []}\nstudy: {designs: 30, "))
        self.run_program("run", "between.yaml", "-o", "between.h5", "-q")
        shown, = plot_map.choose([self.folder / "between.h5"], None, 3)
        self.assertEqual((shown.name, shown.trials.shape, shown.trials.sum()), (both, (3, 3), 90))

    def test_what_cannot_be_drawn_is_said(self):
        self.write("pushed.yaml", PUSHED)
        self.run_program("run", "pushed.yaml", "-o", "a.h5", "-q", "-n", 2)
        self.write("no.h5", "nothing")
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["x"] = 1
        away = PUSHED.replace("uniform(5 mm, 30 mm)", "uniform(50 mm, 60 mm)").replace("[50 mm, 5 mm]", "[40 mm, 5 mm]")
        self.write("away.yaml", away)  # the weight lies outside of the points: no trial begins
        self.run_program("run", "away.yaml", "-o", "away.h5", "-q", "-n", 2, code=2)
        plot_map, plot_trial = load("plot_map"), load("plot_trial")
        self.plot("plot_map", "none.h5", code=1)
        for words, said in (
                (["none.h5"], "none.h5: no such file"),
                (["no.h5"], "no.h5: not an HDF5 file, or damaged"),
                (["other.h5"], "other.h5: not a result of graspmc"),
                (["a.h5", "--of", "mass"], "a.h5: no histogram over mass; there are: object.support.points.0.x"),
                (["away.h5"], "away.h5: no decided trial in any bin"),
                (["a.h5", "-o", "a.txt"], "a.txt: pictures are .png, .svg, .pdf"),
                (["a.h5", "-o", "none/a.png"], "none/a.png: No such file")):
            with self.subTest(said=said):
                self.assertIn(said, self.complaint(plot_map, *words))
        for words, said in (
                (["none.h5", "--trial", 0], "none.h5: no such file"),
                (["a.h5", "--trial", 2], "2"),
                (["a.h5", "--trial", 0, "--times", 7], "7 s: the trial lasts from 0 to 1 s"),
                (["a.h5", "--trial", 0, "--view", "xz"], "a planar world has one view"),
                (["away.h5", "--trial", 1], "away.h5: trial 1 never began (bad_value)")):
            with self.subTest(said=said):
                self.assertIn(said, self.complaint(plot_trial, *words))

    def test_a_ladder_has_no_map(self):
        self.write("ladder.yaml", "graspmc: 1\nuse: " + str(SCENARIOS / "gear_map.yaml") +
                   "\nstudy: {vary: {hand.target.x: 'grid(-9 mm, 9 mm, step 9 mm)', hand.target.y: [0 mm]}, "
                   "ladder: [dynamic], draws: 2}\nsampling: {draws: ~}\noutput: {map: ~, histograms: ~}\n")
        self.run_program("run", "ladder.yaml", "-o", "ladder.h5", "-q")
        plot_map = load("plot_map")
        for words in ((), ("--of", "hand.target.x"), ("--of", "hand.target.x", "--bins", 3), ("--list",)):
            self.assertIn("a ladder spares most trials", self.complaint(plot_map, "ladder.h5", *words))

    def test_a_planar_trial(self):
        self.write("pushed.yaml", PUSHED)
        self.run_program("run", "pushed.yaml", "-o", "a.h5", "-q")
        self.plot("plot_trial", "a.h5", "--trial", 3)
        self.assert_drawn("a-3.png")
        self.plot("plot_trial", "a.h5", "--trial", 3, "--together", "--times", 0.2, "end", "-o", "b.png")
        self.assert_drawn("b.png")
        plot_trial = load("plot_trial")
        trial = plot_trial.Trial(self.folder / "a.h5", 3)
        rows = plot_trial.rows_at(trial, [0, 0.5, 1])
        self.assertLess(np.abs(trial.time[rows] - [0, 0.5, 1]).max(), 1e-12)  # steps add up to it but for rounding
        picture = plot_trial.Picture(trial, rows, "xy")
        pusher, = [shape for shape in trial.shapes if shape["body"] == "pusher"]
        outline = picture.outline(pusher, rows[1])
        self.assertLess(abs(np.hypot(*(outline - [0.002, 0.01]).T) - 0.005).max(), 1e-12)
        # pieces of the L: its six edges and no more, its area, the edge between them left out
        pieces = [shape for shape in trial.shapes if shape["body"] == "object"]
        self.assertEqual(sum(len(shape["lines"]) for shape in pieces), 6)
        area = 0
        for x, y in (picture.outline(shape, rows[2]).T for shape in pieces):
            area += (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2
        self.assertAlmostEqual(area, 0.06 * 0.02 + 0.02 * 0.03, delta=1e-12)
        # three points; the trail starts in the L's centre of mass; the pusher pushes to the right
        self.assertEqual(np.array(trial.supports[0]["points"]).shape, (3, 3))
        self.assertLess(np.abs(trial.trail(0)[0] - [42 / 1800, 33 / 1800, 0]).max(), 1e-9)
        _, force = trial.contacts(rows[2])
        self.assertGreater(force[:, 0].min(), 0)
        self.assertGreater(picture.largest, 0.01)

    def test_a_trial_in_space(self):
        self.run_program("run", SCENARIOS / "pinch_sphere.yaml", "-o", "s.h5", "-n", 3, "-q")
        self.plot("plot_trial", "s.h5", "--trial", 1, "--times", 0, 0.6)
        self.assert_drawn("s-1.png")
        plot_trial = load("plot_trial")
        trial = plot_trial.Trial(self.folder / "s.h5", 1)
        row, = plot_trial.rows_at(trial, [0.6])
        picture = plot_trial.Picture(trial, [row], "xz")
        ball, = [shape for shape in trial.shapes if shape["body"] == "object"]
        centre = trial.poses["object"][row][[0, 2]]
        self.assertLess(abs(np.hypot(*(picture.outline(ball, row) - centre).T) - ball["radius"]).max(), 1e-12)
        # turned by 90 degrees about z, x becomes y
        half = math.sqrt(0.5)
        turned = plot_trial.placed(np.array([1, 0, 0, half, 0, 0, half]), np.array([[1.0, 0, 2]]))
        self.assertLess(np.abs(turned - [[1, 1, 2]]).max(), 1e-15)

    def test_the_object_of_a_case_is_the_object(self):
        self.run_program("run", SCENARIOS / "rank_grasps.yaml", "-o", "r.h5", "-n", 1, "-q")
        plot_trial = load("plot_trial")
        trial = plot_trial.Trial(self.folder / "r.h5", 8)
        self.assertEqual(trial.object, "can")
        row, = plot_trial.rows_at(trial, [np.inf])
        picture = plot_trial.Picture(trial, [row], "xz")
        self.assertNotEqual(picture.colour("can"), picture.colour("flange"))
        self.assertGreater(trial.trail(row)[-1, 2] - trial.trail(0)[0, 2], 0.08)
        points, force = trial.contacts(row)
        self.assertEqual(len(points), len(force))
        self.assertGreater(force[:, 2].sum(), 0.35 * 9)  # what the hand carries


if __name__ == "__main__":
    unittest.main()
