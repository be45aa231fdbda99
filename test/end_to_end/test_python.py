"""graspmc.py: what it returns is what the file and the program say, and mistakes come as exceptions."""
import importlib.util
import os
import subprocess
import unittest

import h5py
import numpy as np
import pandas as pd

from support import BUILD, PROGRAM, QUICK, ROOT, SCENARIOS, Case

spec = importlib.util.spec_from_file_location("graspmc", BUILD / "graspmc.py")
graspmc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graspmc)


class Python(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def run_quick(self, **options):
        return graspmc.run(QUICK, "quick.h5", draws=12, seed=3, trajectories="all", **options)

    def test_program_is_the_one_beside_the_module(self):
        named = os.environ.pop("GRASPMC", None)
        try:
            self.assertEqual(os.path.realpath(graspmc.program()), os.path.realpath(PROGRAM))
        finally:
            if named:
                os.environ["GRASPMC"] = named

    def test_run_returns_what_the_program_and_the_file_say(self):
        result = self.run_quick(set={"object.box.x": "48 mm"})
        said = self.run_json("show", "quick.h5")["success"]
        self.assertEqual((result.success.p, result.success.lower, result.success.upper),
                         (said["p"], said["lower"], said["upper"]))
        self.assertEqual(result.success, graspmc.Result("quick.h5").success)
        self.assertIn(f"\n{result.success}\n", self.run_program("show", "quick.h5").stdout)
        with h5py.File("quick.h5") as file:
            frame = pd.DataFrame(result.trials)
            self.assertEqual(len(frame), 12)
            self.assertEqual(list(frame["success"]), list(file["trials"]["success"]))
            for i, name in enumerate(file["parameters"]["name"]):
                np.testing.assert_array_equal(result.samples[name.decode()], file["samples"][:, i])
            self.assertIn(b"48 mm", file["scenario/expanded"][()])
        self.assertEqual(len(result.cases), 1)
        self.assertEqual(list(result.by_case["method"]), [b"Wilson", b"Clopper-Pearson"])

    def test_trajectory_is_the_motion_of_that_trial(self):
        result = self.run_quick()
        for trial in (0, 7):
            motion = result.trajectory(trial)
            rows = len(motion.time)
            self.assertEqual(motion.pose["object"].shape, (rows, 7))
            self.assertEqual(motion.twist["object"].shape, (rows, 6))
            self.assertEqual(motion.q.shape, (rows, len(motion.joints)))
            self.assertEqual(motion.effort.shape, motion.q.shape)
            np.testing.assert_allclose(np.linalg.norm(motion.pose["object"][:, 3:], axis=1), 1, atol=1e-12)
            # rows of another trial would not begin at its pose, nor end when it ended
            self.assertEqual(motion.time[0], 0)
            self.assertAlmostEqual(motion.time[-1], result.trials["t_end"][trial], places=9)
            start = motion.contact_start
            self.assertEqual((start[0], start[-1]), (0, len(motion.contacts["force"])))
            self.assertEqual(len(start), rows + 1)
            self.assertEqual(len(motion.contacts["geoms"]), start[-1])
            self.assertIn("object", motion.contacts["geoms"][0])
        repeated = result.replay(7, "seven.h5")
        self.assertTrue(repeated["identical"])
        self.assertGreaterEqual(len(graspmc.Result("seven.h5").trajectory(7).time), rows)
        with self.assertRaisesRegex(KeyError, "replay"):
            graspmc.Result("seven.h5").trajectory(3)

    def test_decisions_are_verdicts(self):
        yes = graspmc.run(QUICK, "yes.h5", draws=400, decide="success>=0.01")
        no = graspmc.run(QUICK, "no.h5", draws=400, decide="success<=0.01")
        still_open = graspmc.run(QUICK, "open.h5", draws=2, decide="success>=0.5")
        self.assertEqual((yes.verdict, no.verdict, still_open.verdict), (True, False, None))

    def test_mistakes_are_exceptions_with_their_text(self):
        self.write("wrong.yaml", f"graspmc: 1\nuse: {QUICK}\nuncertain: {{object.mas: uniform(1 kg, 2 kg)}}\n")
        for call in (lambda: graspmc.check("wrong.yaml"), lambda: graspmc.run("wrong.yaml", "wrong.h5")):
            with self.assertRaisesRegex(graspmc.Error, "wrong.yaml:[0-9]+:[0-9]+") as caught:
                call()
            self.assertEqual(caught.exception.code, 65)
        self.run_quick()
        with self.assertRaises(graspmc.Error) as caught:
            self.run_quick()
        self.assertEqual(caught.exception.code, 73)
        self.assertEqual(self.run_quick(force=True).verdict, True)
        with self.assertRaises(graspmc.Interrupted):
            graspmc.run(SCENARIOS / "pinch_cube.yaml", "long.h5", draws=100000, time_limit="1")
        with h5py.File("other.h5", "w"):
            pass
        with self.assertRaisesRegex(ValueError, "not a result"):
            graspmc.Result("other.h5")

    def test_example_draws_a_map(self):
        self.write("map.yaml", f"graspmc: 1\nuse: {SCENARIOS}/gear_map.yaml\nstudy:\n  vary:\n"
                   "    hand.target.x: grid(-8 mm, 8 mm, step 8 mm)\n    hand.target.y: grid(-4 mm, 4 mm, step 2 mm)\n")
        done = subprocess.run([ROOT / "scripts/example_map.py", "map.yaml", "map.png", "--draws", "3"],
                              env={**os.environ, "PYTHONPATH": str(BUILD)}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "map.png\n"), done.stderr)
        self.assertEqual((self.folder / "map.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(len(graspmc.Result("map.h5").cases), 15)


if __name__ == "__main__":
    unittest.main()
