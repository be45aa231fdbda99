"""The same bits on every x86-64: the C library is told to believe that the processor has neither
fused multiply-add nor AVX2, as an older one would, and the result file does not change by a byte.

That this test can fail is part of it: under the same two settings the C library's own functions
differ. On a machine that lacks those instructions from the start there is nothing to compare.
"""
import os
import subprocess
import sys
import unittest

import support

OLDER = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable"
DRAWS = 6

# What the functions behind a trial give in the C library, as hexadecimal digits.
LIBRARY = """
import hashlib, math
bits = hashlib.sha256()
for k in range(1, 20000):
    x = 0.00037 * k
    for y in (math.sin(x), math.cos(x), math.exp(x), math.log(x), math.atan2(x, 1), math.pow(x, x)):
        bits.update(y.hex().encode())
print(bits.hexdigest())
"""


def environment(tunables):
    settings = {key: value for key, value in os.environ.items() if key != "GLIBC_TUNABLES"}
    return {**settings, "GLIBC_TUNABLES": tunables} if tunables else settings


def library_bits(tunables):
    return subprocess.run([sys.executable, "-c", LIBRARY], env=environment(tunables), check=True,
                          capture_output=True, text=True).stdout


class SameBits(support.Case):
    def setUp(self):
        super().setUp()
        if library_bits(None) == library_bits(OLDER):
            self.skipTest("the C library gives the same bits with and without fused multiply-add here")

    def compare(self, scenario, *words):
        for name, tunables in (("native.h5", None), ("older.h5", OLDER)):
            self.run_program("run", support.SCENARIOS / scenario, "-n", DRAWS, "-j", "2",
                             "--trajectories", "all", "-o", name, *words, env=environment(tunables))
        self.assert_same_bytes("native.h5", "older.h5")

    def test_pinch_cube(self):
        self.compare("pinch_cube.yaml")

    def test_pick_box(self):
        self.compare("pick_box.yaml")

    def test_every_distribution(self):
        """What is drawn through log, exp, erf, ... of each kind of distribution."""
        drawn = {"object.mass": "lognormal(0.2 kg, 0.3)",
                 "object.pose.x": "nominal + normal(0 mm, 4 mm) in [1 mm, 9 mm]",
                 "object.pose.yaw": "nominal + normal(0 deg, 9 deg) in [-20 deg, 3 deg]",
                 "friction.rubber/abs": "lognormal(0.2, 0.2) in [0.05, 0.4]"}
        self.compare("pinch_cube.yaml", *(word for path, value in drawn.items()
                                          for word in ("--set", f"uncertain.{path}={value}")))


if __name__ == "__main__":
    unittest.main()
