"""Many objects with many grasps each: one command, one file, and memory that does not grow with the draws.

GRASPMC_DRAWS=100 runs all of it, 20 objects x 50 grasps x 100 draws (ten minutes of one core); without it a
corner of it. The models lie beside the repository; without them the test is skipped.
"""
import os
import re
import subprocess
import unittest

import h5py
import numpy

import many_grasps
from support import PROGRAM, ROOT, SCENARIOS, Case

MODELS = ROOT.parent / "shared/models"
DRAWS = int(os.environ.get("GRASPMC_DRAWS", "2"))
WHOLE = DRAWS >= 100
MESHES, INLINE, GRASPS = (12, 8, 50) if WHOLE else (3, 3, 4)
GROWTH_KB = 8192  # between a tenth of the draws and all; noise of the C library's heap is below 2 MB


@unittest.skipUnless(MODELS.is_dir(), "../shared/models is not there")
class ManyGrasps(Case):
    def peak_kb(self, draws, out):
        """Run, and say how much memory was resident at most."""
        words = ["/usr/bin/time", "-v", PROGRAM, "run", "many.yaml", "-n", str(draws), "-j", "2", "-q", "-o", out]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.search(r"Maximum resident set size \(kbytes\): (\d+)", done.stderr).group(1))

    @unittest.skipUnless(os.path.exists("/usr/bin/time"), "GNU time is not installed")
    def test_one_command_one_file(self):
        many_grasps.write_study(self.folder, MODELS.resolve(), SCENARIOS / "models/pick_jaw.urdf", GRASPS, DRAWS,
                                MESHES, INLINE)
        # antipodal pairs of free points: the hand is nowhere deep in the object, and never beside it
        found = self.run_json("check", "many.yaml", timeout=3000)["grasps"]
        self.assertEqual(len(found), (MESHES + INLINE) * GRASPS)
        self.assertGreater(min(grasp["gap_m"] for grasp in found), -0.002)
        self.assertEqual(max(grasp["outside_m"] for grasp in found), 0)

        few = self.peak_kb(max(1, DRAWS // 10), "few.h5")
        all_of_them = self.peak_kb(DRAWS, "all.h5")
        print(f"peak {few} kB with a tenth of the draws, {all_of_them} kB with {DRAWS}")
        self.assertLess(all_of_them - few, GROWTH_KB)
        with h5py.File(self.folder / "all.h5") as file:
            cases, trials, by_case = file["cases"][:], file["trials"], file["summary/by_case"][:]
            self.assertEqual(len(cases), (MESHES + INLINE) * GRASPS)
            self.assertEqual(len(trials), len(cases) * DRAWS)
            self.assertEqual(len({(row["object"], row["grasp"]) for row in cases}), len(cases))
            self.assertEqual({row["file"].split(b".")[-1] for row in cases}, {b"yaml", b"json", b"h5"})
            # grasps that two fingers can hold, tried a few millimetres off: most hold, not all
            share = numpy.mean(trials["success"])
            self.assertTrue(0.6 < share < 0.98, share)
            self.assertLess(numpy.mean(trials["valid"] == 0), 0.02)
            self.assertEqual(set(by_case["case"]), set(range(len(cases))))


if __name__ == "__main__":
    unittest.main()
