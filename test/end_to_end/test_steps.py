"""Success does not depend on the step: what is lifted between soft pads, and what is let go above a table."""
import math
import os
import unittest

import h5py
import numpy as np
from support import SCENARIOS, Case

DRAWS = int(os.environ.get("GRASPMC_DRAWS", "200"))
REFERENCE = 1.0  # [ms]
MODELS = SCENARIOS / "models"

THICKNESS = 5e-3  # of the pads [m]
PEBBLE = f"""\
graspmc: 1
hand: {{urdf: {MODELS}/parallel_jaw.urdf, frame: tcp, surface: rubber}}
object: {{mesh: {MODELS}/pebble.obj, density: 2500 kg/m3, surface: abs, placed: resting}}
scene: {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
surfaces: {{rubber: {{pad: {{thickness: {THICKNESS} m, modulus: 2 MPa}}}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.3, rubber/wood: 0.5}}
program:
  - close: {{force: 12 N, speed: 150 mm/s, until: stalled, at_most: 1 s}}
  - lift: {{by: 100 mm, in: 0.7 s}}
  - shake: {{axis: x, amplitude: 15 mm, frequency: 3 Hz, for: 1 s}}
  - hold: {{for: 0.5 s}}
success: {{at_end: [lift(object) >= 80 mm], always: ["slip(object, hand) <= 10 mm"]}}
uncertain:
  object.pose.x: nominal + normal(0 mm, 5 mm)
  object.pose.y: nominal + normal(0 mm, 5 mm)
  object.pose.yaw: uniform(-180 deg, 180 deg)
  friction.rubber/abs: uniform(0.04, 0.4)
simulation: {{half_step: 0}}
"""

CARTON = f"""\
graspmc: 1
hand: {{urdf: {MODELS}/pick_jaw.urdf, frame: tcp, surface: rubber, target: {{z: 50 mm}}, joints: {{left: {{max_force: 400 N}}}}}}
object: {{box: [60 mm, 60 mm, 180 mm], mass: 1.2 kg, surface: abs, placed: resting}}
scene: {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
friction: {{rubber/abs: 0.6, abs/wood: 0.5, rubber/wood: 0.5}}
program:
  - close: {{force: 60 N, until: stalled, at_most: 1 s}}
  - lift: {{by: 60 mm, in: 0.4 s}}
  - turn: {{axis: y, by: 12 deg, in: 0.3 s}}
  - open: {{position: 0 mm, in: 0.1 s}}
  - hold: {{for: 1.5 s}}
success: {{at_end: [leans(object) <= 5 deg, speed(object) <= 50 mm/s]}}
uncertain:
  program.1.lift.by: uniform(10 mm, 110 mm)
  program.2.turn.by: uniform(0 deg, 16 deg)
  object.mass: uniform(0.6 kg, 3 kg)
simulation: {{half_step: 0}}
"""


class Steps(Case):
    def trials_at(self, name, step):
        file = f"{name}-{step}.h5"
        self.run_program("run", f"{name}.yaml", "-n", DRAWS, "-o", file, "-q", "--set", f"simulation.step={step} ms")
        with h5py.File(self.folder / file) as result:
            return result["trials"][:]

    def check_same(self, name, text, steps):
        """Shares of success within one standard error of that at the reference; returns trials and the share of
        verdicts that differ from its, both by step."""
        self.write(f"{name}.yaml", text)
        trials = {step: self.trials_at(name, step) for step in {REFERENCE, *steps}}
        share = {step: t["success"][t["valid"] == 1].mean() for step, t in trials.items()}
        p = share[REFERENCE]
        error = math.sqrt(p * (1 - p) / DRAWS)
        differ = {}
        for step, t in trials.items():
            both = (t["valid"] == 1) & (trials[REFERENCE]["valid"] == 1)
            self.assertGreater(both.mean(), 0.9, step)
            differ[step] = np.mean(t["success"][both] != trials[REFERENCE]["success"][both])
            self.assertLessEqual(abs(share[step] - p), error, (share, differ))
        return trials, differ

    def test_a_pebble_between_soft_pads(self):
        trials, differ = self.check_same("pebble", PEBBLE, (0.5, 1.0, 2.0, 4.0))
        self.assertLessEqual(max(differ.values()), 0.02, differ)
        for step, t in trials.items():
            self.assertLessEqual(t["max_penetration"][t["valid"] == 1].max(), 0.9 * THICKNESS, step)

    def test_a_carton_that_is_let_go(self):
        self.check_same("carton", CARTON, (0.25, 0.5, 1.0, 2.0, 4.0))


if __name__ == "__main__":
    unittest.main()
