"""The Shadow hand holds an animal of plastic for ten seconds: its file read as it is, with the four tendons that stand in a comment
there, and fingers that nothing but friction and their drives keep closed."""
import re
import unittest

import h5py
import numpy as np

from support import ROOT, Case, capability, without_sanitizers

MODELS = ROOT.parent / "shared/models"

# The hand lies on its back, the object on it, without weight. The fingers close, then weight pulls it out of the palm.
HOLD = """\
graspmc: 1
hand:
  mjcf: right_hand.xml
  frame: grasp_site
  surface: rubber
  mount: fixed
  target: {{x: 18 mm, z: 15 mm, yaw: -90 deg}}
  fingers: [rh_FFJ0, rh_MFJ0, rh_RFJ0, rh_LFJ0, rh_FFJ3, rh_MFJ3, rh_RFJ3, rh_LFJ3, rh_THJ4, rh_THJ2, rh_THJ1]
  joints:
    rh_FFJ3: {{closes: upper}}
    rh_MFJ3: {{closes: upper}}
    rh_RFJ3: {{closes: upper}}
    rh_LFJ3: {{closes: upper}}
    rh_THJ5: {{start: 60 deg}}
    rh_THJ4: {{start: 20 deg, closes: upper}}
    rh_THJ2: {{start: -35 deg, closes: upper}}
    rh_THJ1: {{start: -10 deg, closes: upper}}
object:
  mesh: {spot}
  scale: 0.06                   # 57 x 101 x 103 mm
  convex_tolerance: 4 mm
  convex_pieces: 16
  mass: 0.2 kg
  surface: abs
  placed: as_given
  pose: {{z: 0.5 m, yaw: 90 deg}}
friction: {{rubber/abs: 0.8, rubber/rubber: 0.8}}
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
program:
  - close: {{force: 0.3 N*m, for: 0.8 s}}
  - set: {{gravity.y: -9.81 m/s2, in: 0.2 s}}
  - hold: {{for: {hold} s}}
success:
  from: [{{phase: set, hold: ["moved_since(object, set) <= 5 mm"]}}]
  at_end: ["contact(object, hand) >= 1"]
sampling: {{draws: 1}}
simulation: {{step: 2 ms, stepper: {stepper}, early: {{broken: false, falling: false, rest: false, borne: false}}}}
output: {{trajectories: all, rate: 0}}
"""


@unittest.skipUnless((MODELS / "shadow_hand/right_hand.xml").exists(), "the hand's files are not there")
class Shadow(Case):
    def setUp(self):
        super().setUp()
        text = (MODELS / "shadow_hand/right_hand.xml").read_text()
        text = text.replace("<!-- <tendon>", "<tendon>").replace("</tendon> -->", "</tendon>")
        # one drive for each tendon, in place of two for its joints
        text, first = re.subn(r'"rh_A_(\w\wF?)J2" joint="rh_\w\wJ2" class="middle_distal"',
                              r'"rh_A_\1J0" tendon="rh_\1J0" class="middle_distal"', text)
        text, second = re.subn(r'\s*<position name="rh_A_\w\wJ1" joint="rh_\w\wJ1" class="middle_distal"/>', "", text)
        self.assertEqual((first, second), (4, 4))
        self.write("right_hand.xml", text)
        (self.folder / "assets").symlink_to(MODELS / "shadow_hand/assets")

    def hold(self, stepper, seconds=9.8, change=""):
        text = HOLD.format(spot=MODELS / "spot/spot.obj", stepper=stepper, hold=seconds)
        self.write("hold.yaml", text.replace("rubber/abs: 0.8", change) if change else text)
        self.run_program("run", "hold.yaml", "-o", "hold.h5", "-q", "--force")
        return h5py.File(self.folder / "hold.h5")

    @without_sanitizers
    def test_it_holds_for_ten_seconds(self):
        """Past the 5.8 s at which the paper's own solver lost it: within 5 mm of where it was at 1 s, and no force is above
        three times what it is in the middle."""
        model = self.hinges_and_drives()
        self.assertEqual(model, (24, 4, 20))
        for stepper in ("coulomb", "stewart_trinkle", "anitescu_potra"):
            with self.hold(stepper) as file:
                self.assertTrue(file["trials"]["success"][0])
                group = file["trajectories"]
                t = group["time"][:]
                place = group["bodies/object/pose"][:, :3]
                capability(106, len(group["joints/names"]), ">=", 24)
                owners = np.array([geom["body"] == b"object" for geom in group["contacts/geom_names"][:]])
                start = group["contacts/start"][:].astype(int)
                touches = owners[group["contacts/geoms"][:]].any(axis=1)
                normal = np.abs((group["contacts/force"][:] * group["contacts/normal"][:]).sum(axis=1)) * touches
            pressed = np.add.reduceat(np.append(normal, 0), start[:-1]) * (np.diff(start) > 0)
            held = t >= 1
            off = np.linalg.norm(place[held] - place[held][0], axis=1)
            lasts = t[held][off <= 5e-3][-1] if (off <= 5e-3).all() else t[held][off > 5e-3][0]
            capability(106, lasts, ">=", 10)
            self.assertLess(pressed[held].max(), 3 * np.median(pressed[held]))

    @without_sanitizers
    def test_it_is_friction_that_holds(self):
        with self.hold("coulomb", 1, "rubber/abs: 0.02") as file:
            self.assertFalse(file["trials"]["success"][0])

    def hinges_and_drives(self):
        """Hinges, drives of several joints, drives in all."""
        self.write("hold.yaml", HOLD.format(spot=MODELS / "spot/spot.obj", stepper="coulomb", hold=1))
        said = self.run_program("check", "hold.yaml", "--model").stdout
        joints = re.findall(r"^  rh_\w+J[1-6] +start", said, re.MULTILINE)
        of_several = re.findall(r"^  rh_\w\wJ[12] .*moved by a drive of several", said, re.MULTILINE)
        return len(joints), len(of_several) // 2, len(joints) - len(of_several) // 2


if __name__ == "__main__":
    unittest.main()
