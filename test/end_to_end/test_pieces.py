"""Meshes that are not convex: what is said of their pieces, and the cache that changes nothing."""
import math
import os
import random
import resource
import shutil
import signal
import time
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


SLOW = float(os.environ.get("GRASPMC_SLOW", "1"))  # of a build with sanitizers


def ball(rings, noise=0.0):
    """A ball of 30 mm as OBJ text: 2 rings (rings - 1) triangles, vertices moved in or out by a share of the radius."""
    chance = random.Random(1)
    lines = []
    for i in range(rings + 1):
        for k in range(rings if 0 < i < rings else 1):
            r, t, p = 0.03 * (1 + chance.uniform(-noise, noise)), math.pi * i / rings, 2 * math.pi * k / rings
            lines.append(f"v {r * math.sin(t) * math.cos(p)} {r * math.sin(t) * math.sin(p)} {r * math.cos(t)}")
    last = len(lines)
    for k in range(rings):
        n = (k + 1) % rings
        lines += [f"f 1 {2 + k} {2 + n}", f"f {last} {last - rings + n} {last - rings + k}"]
        for i in range(rings - 2):
            a, b = 2 + i * rings, 2 + (i + 1) * rings
            lines += [f"f {a + k} {b + k} {b + n}", f"f {a + k} {b + n} {a + n}"]
    return "\n".join(lines) + "\n"


def cup(sides, wall, radius=0.04, height=0.09):
    """A cup as OBJ text, its wall and its bottom equally thick."""
    rings = ((radius, 0), (radius, height), (radius - wall, height), (radius - wall, wall))
    lines = [f"v {r * math.cos(t)} {r * math.sin(t)} {z}" for r, z in rings
             for t in (2 * math.pi * k / sides for k in range(sides))]
    lines += [f"v 0 0 {wall}", "v 0 0 0"]
    for k in range(sides):
        n = (k + 1) % sides
        for a in range(0, 3 * sides, sides):
            b = a + sides
            lines += [f"f {a + k + 1} {a + n + 1} {b + n + 1}", f"f {a + k + 1} {b + n + 1} {b + k + 1}"]
        lines += [f"f {3 * sides + k + 1} {3 * sides + n + 1} {4 * sides + 1}", f"f {n + 1} {k + 1} {4 * sides + 2}"]
    return "\n".join(lines) + "\n"


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

    @unittest.skipUnless(os.environ.get("GRASPMC_THIN"), "half a minute")
    def test_a_thin_cup_is_cut_as_well_as_the_work_allows(self):
        self.write("ell.obj", cup(24, 4e-4))
        said = self.run_program("check", "ell.yaml", "--set", "object.unit=m", "--set", "object.convex_tolerance=0.1 mm",
                                code=2, env={**os.environ, "XDG_CACHE_HOME": str(self.folder)}).stderr  # the jaw starts in it
        self.assertRegex(said, r"warning: mesh ell.obj: 64 convex pieces do not come within 0.1 mm of it "
                               r"\(`convex_tolerance`\), but \d.\d+ mm")

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

    def write_ball(self, *words):
        self.write("ball.obj", ball(*words))
        self.write("ball.yaml", SCENARIO.replace("ell.obj, unit: mm", "ball.obj"))

    def test_f05_a_ball_of_40000_triangles_loads_within_a_second(self):
        self.write_ball(142)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run_program("check", "ball.yaml")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1.0 * SLOW)
        done = self.run_program("run", "ball.yaml", "-n", 2, "-o", "ball.h5")
        self.assertRegex(done.stdout, r"unsolved +0\n")

    def test_f06_a_cutting_is_told_and_stopped_and_goes_on(self):
        self.write_ball(40, 0.4)
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        process = self.start("run", "ball.yaml", "-n", 1, "-o", "a.h5", "--progress", "json", env=environment)
        first = process.stderr.readline()
        self.assertRegex(first, r'"event": ?"cutting", ?"mesh": ?"[^"]*ball.obj", ?"pieces": ?\d+, ?"share": ?\d')
        time.sleep(0.5)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - sent, 1.0 * SLOW)
        self.assertEqual(process.returncode, 75, said)
        self.assertTrue(said.endswith("stopped by SIGINT\n"), said)
        self.assertFalse((self.folder / "a.h5").exists())
        process = self.start("check", "ball.yaml", env=environment)
        time.sleep(0.5)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
        sent = time.monotonic()
        process.communicate(timeout=60)
        self.assertLess(time.monotonic() - sent, 0.1 * SLOW)
        self.assertIn(process.returncode, (75, -signal.SIGTERM))


if __name__ == "__main__":
    unittest.main()
