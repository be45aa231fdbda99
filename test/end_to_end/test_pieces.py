"""Meshes that are not convex: what is said of their pieces, and the cache that changes nothing."""
import os
import shutil
import unittest

from support import SCENARIOS, Case

# an L of two 60 x 20 mm legs, 30 mm deep
ELL = """\
v 0 -15 0\nv 60 -15 0\nv 60 -15 20\nv 20 -15 20\nv 20 -15 60\nv 0 -15 60
v 0 15 0\nv 60 15 0\nv 60 15 20\nv 20 15 20\nv 20 15 60\nv 0 15 60
f 1 2 3 4 5 6\nf 12 11 10 9 8 7
f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7
"""
SCENARIO = """\
graspmc: 1
hand: {urdf: parallel_jaw.urdf, frame: tcp, surface: rubber, target: {x: 10 mm, z: 40 mm}}
object: {mesh: ell.obj, unit: mm, mass: 0.1 kg, surface: abs, placed: resting}
scene: {table: {plane: {height: 0 mm}, surface: wood}}
friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}
program: [close: {force: 10 N, until: stalled, at_most: 0.5 s}, lift: {by: 50 mm, in: 0.4 s}]
success: {at_end: [lift(object) >= 40 mm]}
uncertain: {object.pose.x: "nominal + normal(0 mm, 2 mm)"}
sampling: {draws: 3, seed: 1}
"""


class Pieces(Case):
    def setUp(self):
        super().setUp()
        self.write("ell.obj", ELL)
        self.write("ell.yaml", SCENARIO)
        shutil.copy(SCENARIOS / "models/parallel_jaw.urdf", self.folder)

    def run_with(self, cache, out, *words):
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        done = self.run_program("run", "ell.yaml", "-o", out, *words, env=environment)
        self.assertRegex(done.stdout, r"unsolved +0\n")
        return done.stderr

    def test_what_is_said(self):
        said = self.run_with(self.folder / "cache", "a.h5")
        self.assertIn("note: mesh ell.obj is not convex: 2 convex pieces hold it and 0 % more", said)
        said = self.run_with(self.folder / "cache", "b.h5", "--set", "object.convex=hull")
        self.assertIn("warning: mesh ell.obj is not convex: its hull adds 40 %", said)
        done = self.run_program("check", "ell.yaml", "--set", "object.convex=halves", code=65)
        self.assertIn("pieces", done.stderr)
        done = self.run_program("check", "ell.yaml", "--set", "object.convex_tolerance=0 mm", code=65)
        self.assertIn("convex_tolerance", done.stderr)

    def test_a_cache_changes_nothing(self):
        cache = self.folder / "cache"
        self.run_with(cache, "first.h5")
        kept = list((cache / "graspmc/pieces").iterdir())
        self.assertEqual(len(kept), 1)
        whole = kept[0].read_bytes()
        self.run_with(cache, "second.h5")
        self.assert_same_bytes("first.h5", "second.h5")
        # damaged: as if it were not there, and mended
        for spoilt in (whole[:100], whole[:200] + b"?" + whole[201:], b""):
            kept[0].write_bytes(spoilt)
            self.run_with(cache, "third.h5", "--force")
            self.assert_same_bytes("first.h5", "third.h5")
            self.assertEqual(kept[0].read_bytes(), whole)
        self.assertEqual(list((cache / "graspmc/pieces").iterdir()), kept)
        # nowhere to keep it
        self.write("a_file", "")
        self.run_with(self.folder / "a_file/below", "fourth.h5")
        self.assert_same_bytes("first.h5", "fourth.h5")


if __name__ == "__main__":
    unittest.main()
