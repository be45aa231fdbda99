"""Stored motions obey mechanics: lift, slip and the momentum balance of every step, from the files alone."""
import os
import shutil
import unittest

import check_physics
from support import DEMO, ROOT, SCENARIOS, Case, capability

# body that carries the tool frame of each scenario's hand
HANDS = {"pinch_cube": "base", "pinch_sphere": "base", "grip_threshold": "base", "pick_box": "flange",
         "pick_meshes": "base"}
TORQUES = ROOT / "test/end_to_end/torques.yaml"
DRAWS = int(os.environ.get("GRASPMC_DRAWS", "4"))


class Physics(Case):
    def test_each_object_has_the_friction_of_its_surface(self):
        """A squeeze holds iff 2 mu F >= m g: 18 N with the one surface, 0.2 N with the other, 2 N are needed."""
        text = DEMO.read_text(encoding="utf-8").replace("models/", f"{SCENARIOS}/models/")
        start, end = text.index("object: {"), text.index("scene:")
        boxes = [f"  {name}: {{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: {surface}, placed: resting}}\n"
                 for name, surface in (("rough", "abs"), ("smooth", "ice"))]
        tail = text[end:text.index("uncertain:")].replace(
            "rubber/abs: 0.2", "rubber/abs: 0.9, rubber/ice: 0.01, ice/wood: 0.4, none/at_all: 0.1")
        for order in (boxes, boxes[::-1]):
            self.write("two.yaml", text[:start] + "objects:\n" + "".join(order) + tail + "study: {vary: [object]}\n")
            self.run_program("run", "two.yaml", "-n", 1, "-o", "two.h5", "-q", "--force")
            for name, held in (("rough", 1), ("smooth", 0)):
                kept = self.run_json("show", "two.h5", "--where", f"object = {name} and outcome = success")
                self.assertEqual(kept["where"]["trials"], held, (order, name))

    def test_every_scenario(self):
        for name, hand in HANDS.items():
            with self.subTest(scenario=name):
                self.run_program("run", SCENARIOS / f"{name}.yaml", "-n", DRAWS, "-o", f"{name}.h5",
                                 "--trajectories", "all", "--rate", 0, "-q")
                self.assertEqual(check_physics.check_file(self.folder / f"{name}.h5", hand=hand), 0)

    def test_every_force_is_in_its_cone(self):
        """Forces of the demo, trial by trial with the friction drawn; 1e-9 of the normal force is rounding."""
        self.run_program("run", DEMO, "-n", 5 * DRAWS, "-o", "c.h5", "--trajectories", "all",
                         "--rate", 0, "-q")

        def friction(drawn, *bodies):
            if "object" in bodies:
                return 0.4 if "table" in bodies else drawn["friction.rubber/abs"]
            return 0.5 if "table" in bodies else 0.8

        worst, count = check_physics.worst_cone(self.folder / "c.h5", friction)
        self.assertGreater(count, 1000)
        capability(36, worst, "<=", 1e-9)
        self.assertGreater(worst, -1e-3)  # some slide

    def test_contacts_that_bear_moments(self):
        """Torsional and rolling friction, a pad that a ball, a can and a block press into."""
        import h5py
        path = self.folder / "t.h5"
        self.run_program("run", TORQUES, "-n", DRAWS, "-o", path, "--trajectories", "all",
                         "--rate", 0, "-q")
        self.assertEqual(check_physics.check_file(path), 0)
        with h5py.File(path) as file:
            contacts = file["trajectories/contacts"]
            torque, normal = contacts["torque"][:], contacts["normal"][:]
        about_normal = (torque * normal).sum(1)
        self.assertGreater(abs(about_normal).max(), 1e-3)
        self.assertGreater(abs(torque - about_normal[:, None] * normal).max(), 1e-3)

    def test_a_replayed_trial_has_the_same_torques(self):
        import h5py
        self.run_program("run", TORQUES, "-n", 1, "-o", "t.h5", "--trajectories", "all", "--rate", 0,
                         "-q")
        self.run_program("replay", "t.h5", "--trial", 0, "-o", "again.h5", "-q")
        self.assertEqual(check_physics.check_file(self.folder / "again.h5"), 0)
        with h5py.File(self.folder / "t.h5") as first, h5py.File(self.folder / "again.h5") as second:
            again = second["trajectories/contacts/torque"][:]
            self.assertTrue((first["trajectories/contacts/torque"][:len(again)] == again).all())
            self.assertGreater(abs(again).max(), 1e-4)

    def test_a_wrong_force_or_torque_is_noticed(self):
        import h5py
        self.run_program("run", TORQUES, "-n", 1, "-o", "a.h5", "--trajectories", "all", "--rate", 0,
                         "-q")
        # forces of impacts turn the body far more than torques do: of these one in a hundred
        for name, factor in (("force", 1.001), ("torque", 1.01)):
            with self.subTest(of=name):
                changed = self.folder / f"{name}.h5"
                shutil.copyfile(self.folder / "a.h5", changed)
                with h5py.File(changed, "r+") as file:
                    values = file["trajectories/contacts"][name]
                    largest = int(abs(values[:]).max(1).argmax())
                    values[largest] = values[largest] * factor
                self.assertEqual(check_physics.check_file(changed), 1)


if __name__ == "__main__":
    unittest.main()
