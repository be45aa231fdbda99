"""Other steppers from the command line: the same grasps as with the default, and jams as such."""
import unittest

import support

try:
    import h5py
    import numpy as np
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

RIGID = ["stewart_trinkle", "anitescu_potra"]
# the hand goes down on the table, or stops above it
PRESS = f"""\
graspmc: 1
hand: {{urdf: {support.SCENARIOS}/models/parallel_jaw.urdf, frame: tcp, surface: rubber}}
object: {{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}}
scene: {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5, rubber/rubber: 0.8}}
program:
  - move: {{by: [0 mm, 0 mm, -30 mm], in: 0.2 s}}
  - hold: {{for: 0.1 s}}
success: {{at_end: [lift(object) >= -1 mm]}}
uncertain:
  hand.target.z: uniform(0 mm, 20 mm)
"""


class Steppers(support.Case):
    def trials(self, scenario, stepper, draws, *words):
        out = f"{stepper}.h5"
        self.run_program("run", scenario, "--stepper", stepper, "-n", draws, "-o", out, "-q", "--force",
                         "--set", "simulation.half_step=0", *words)
        with h5py.File(self.folder / out) as file:
            return file["trials"][:], file["samples"][:, 0]

    def test_grasps_end_alike(self):
        scenario = support.SCENARIOS / "pinch_cube.yaml"
        usual, _ = self.trials(scenario, "coulomb", 12)
        for stepper in RIGID:
            with self.subTest(stepper):
                rows, _ = self.trials(scenario, stepper, 12)
                self.assertTrue(rows["valid"].all())
                self.assertLessEqual(rows["max_residual"].max(), 1e-8)
                # rigid and elastic pads share their load differently, so that one that barely holds may fall
                self.assertLessEqual((rows["success"] != usual["success"]).sum(), 1)
                self.assertTrue(5 <= rows["success"].sum() <= 11)

    def test_visco_elastic_grasps_end_alike(self):
        """Both laws have springs of 1e6 N/m: what slips, slips alike, within what 0.1 mm more decides."""
        scenario = support.SCENARIOS / "pinch_cube.yaml"
        usual, _ = self.trials(scenario, "coulomb", 8)
        rows, _ = self.trials(scenario, "song_pang_kumar", 8)
        self.assertTrue(rows["valid"].all())
        self.assertLessEqual((rows["success"] != usual["success"]).sum(), 1)
        self.assertTrue(2 <= rows["success"].sum() <= 7)
        held = (usual["slip"] < 1e-5) & (usual["success"] == 1)
        self.assertTrue(held.any() and (rows["slip"][held] < 1e-5).all())

    def test_a_driven_hand_jams_against_the_table(self):
        # pads reach 15 mm below the tool point, which starts z + 25 mm above the table; 1 mm of overlap
        # that nothing can undo is a jam
        self.write("s.yaml", PRESS)
        for stepper in RIGID:
            with self.subTest(stepper):
                rows, z = self.trials("s.yaml", stepper, 40)
                names = {value: name for name, value in
                         h5py.check_enum_dtype(rows.dtype["reason"]).items()}
                jammed = np.array([names[value] == "jam" for value in rows["reason"]])
                self.assertTrue((jammed == (z < 19e-3)).all())
                self.assertTrue(jammed.any() and not jammed.all())
                self.assertTrue((rows["valid"] == ~jammed).all())

    def test_a_disk_gets_into_a_gap_where_overlap_is_allowed(self):
        """With time_of_contact none it is in by more than 0.1 mm, or through; else never."""
        scenario = support.SCENARIOS / "disk_gap.yaml"
        for stepper in RIGID:
            rows, _ = self.trials(scenario, stepper, 100)
            self.assertTrue(rows["success"].all())
            # its centre: above sqrt(10.2^2 - 10^2) mm less what 1 nm into both edges makes of it
            self.assertGreaterEqual(rows["min(height(object))"].min(), 2.00997e-3)
        rows, _ = self.trials(scenario, "anitescu_potra", 100, "--set", "simulation.time_of_contact=none",
                              "--set", "simulation.early.broken=false")
        self.assertTrue(rows["valid"].all())
        # at 1 mm the corners are sqrt(10^2 + 1) = 10.05 mm away, 0.15 mm deep in the disk
        self.assertGreater((rows["min(height(object))"] < 1e-3).sum(), 50)
        self.assertTrue((rows["min(height(object))"] < -20e-3).any())

    def test_a_disk_does_not_pass_a_gap_of_springs(self):
        """At 2 m/s it is up to v sqrt(m/2k) = 0.3 mm in both edges, a twelfth of that lower for their slope,
        which is not the 2 mm to the middle of the gap, let alone through."""
        scenario = support.SCENARIOS / "disk_gap.yaml"
        rows, _ = self.trials(scenario, "song_pang_kumar", 100, "--set", "simulation.early.broken=false")
        self.assertTrue(rows["valid"].all())
        self.assertGreater(rows["min(height(object))"].min(), 0)

    def test_one_result_whatever_the_workers(self):
        self.write("s.yaml", PRESS)
        scenarios = {stepper: "s.yaml" for stepper in RIGID}
        scenarios["song_pang_kumar"] = support.SCENARIOS / "gear_peer.yaml"
        for stepper, scenario in scenarios.items():
            for workers in "1", "2":
                self.run_program("run", scenario, "--stepper", stepper, "-n", 8, "-j", workers, "-o",
                                 f"{stepper}{workers}.h5", "-q",
                                 code=2 if scenario == "s.yaml" else 0)  # rigid: every trial a jam
            first, second = ((self.folder / f"{stepper}{k}.h5").read_bytes() for k in "12")
            self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
