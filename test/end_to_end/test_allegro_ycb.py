"""The scenario whose hand and objects are others': an Allegro hand and three boxes, from ../shared/models where they are there."""
import shutil
import unittest

import h5py
import numpy as np

from support import ROOT, SCENARIOS, Case

MODELS = ROOT.parent / "shared/models"
HAVE = all((MODELS / name).is_dir() for name in ("allegro_hand", "ycb_subset"))


class AllegroYcb(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCENARIOS / "others", self.folder, dirs_exist_ok=True)

    def test_without_the_models_it_says_which_files_are_missing(self):
        said = self.run_program("check", "allegro_ycb.yaml", code=(65, 66)).stderr
        for name in ("allegro_hand_right.urdf", "sugar_box/collision.obj", "gelatin_box/collision.obj", "pudding_box/collision.obj"):
            self.assertIn(name, said)

    @unittest.skipUnless(HAVE, "allegro_hand and ycb_subset are not in ../shared/models")
    def test_three_boxes_are_picked(self):
        for name in ("allegro_hand", "ycb_subset"):
            (self.folder / name).symlink_to(MODELS / name)
        self.run_program("run", "allegro_ycb.yaml", "--allow", MODELS, "-n", 6, "-o", "a.h5", "-q")
        with h5py.File(self.folder / "a.h5") as file:
            rows = file["trials"][:]
        self.assertEqual(len(rows), 18)
        np.testing.assert_array_equal(rows["valid"], 1)
        self.assertLessEqual(rows["max_joint_effort"].max(), 1 + 1e-9)
        share = [rows["success"][rows["case"] == case].mean() for case in range(3)]
        # the sugar box is heavy for fingers of 0.6 N m, the others are not
        self.assertLess(share[0], min(share[1:]))
        self.assertGreater(min(share[1:]), 0.6)


if __name__ == "__main__":
    unittest.main()
