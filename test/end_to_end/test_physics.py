"""Stored motions obey mechanics: lift, slip and the momentum balance of every step, from the files alone."""
import os
import unittest

import check_physics
from support import SCENARIOS, Case

# body that carries the tool frame of each scenario's hand
HANDS = {"pinch_cube": "base", "pinch_sphere": "base", "grip_threshold": "base", "pick_box": "flange",
         "pick_meshes": "base"}
DRAWS = int(os.environ.get("GRASPMC_DRAWS", "4"))


class Physics(Case):
    def test_every_scenario(self):
        for name, hand in HANDS.items():
            with self.subTest(scenario=name):
                self.run_program("run", SCENARIOS / f"{name}.yaml", "-n", DRAWS, "-o", f"{name}.h5",
                                 "--trajectories", "all", "--rate", 0, "-q")
                self.assertEqual(check_physics.check_file(self.folder / f"{name}.h5", hand=hand), 0)

    def test_a_wrong_force_is_noticed(self):
        import h5py
        self.run_program("run", SCENARIOS / "pinch_sphere.yaml", "-n", 1, "-o", "a.h5",
                         "--trajectories", "all", "--rate", 0, "-q")
        with h5py.File(self.folder / "a.h5", "r+") as file:
            force = file["trajectories/contacts/force"]
            force[len(force) // 2] = force[len(force) // 2] * 1.001
        self.assertEqual(check_physics.check_file(self.folder / "a.h5"), 1)


if __name__ == "__main__":
    unittest.main()
