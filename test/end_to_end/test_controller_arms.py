"""Controllers of robots' joints: references of phases that move an arm, weight that nothing else carries, drives with a
clutch, and where the trial's robot believes the object to be."""
import os
import sys
import unittest

import support

try:
    import h5py
    import numpy
except ImportError:
    print("python3-h5py is not there: skipped", file=sys.stderr)
    sys.exit(0)

START = (1.85318, 0.43586, -3.20326, 0.00906, -0.39720, 0.21815)
GAINS = ("kp: 1e4, kd: 100",) * 3 + ("kp: 100, kd: 1",) * 3
JOINTS = ", ".join(f"j{i}: {{start: {q} rad, {gain}, armature: 0.2}}" for i, (q, gain) in enumerate(zip(START, GAINS), 1))
ARM = f"""
graspmc: 1
robots:
  arm: {{urdf: {support.SCENARIOS}/models/puma560.urdf, surface: metal, pose: {{z: 521.94 mm}}, joints: {{{JOINTS}}}}}
hand: {{urdf: {support.SCENARIOS}/models/pick_jaw.urdf, frame: tcp, surface: rubber, mounted_on: arm/flange, pose: {{z: 50 mm, roll: 180 deg}}}}
object: {{box: [40 mm, 60 mm, 50 mm], mass: 0.25 kg, surface: carton, placed: resting, pose: {{x: 600 mm, y: 200 mm, yaw: 30 deg}}}}
scene:  {{table: {{plane: {{height: 0 mm}}, surface: wood}}}}
friction: {{rubber/carton: 0.45, carton/wood: 0.35, rubber/wood: 0.6, metal/wood: 0.3, metal/carton: 0.3}}
program:
  - move_to: {{joints: {{arm/j1: 2 rad, arm/j2: 0.3 rad, arm/j4: 0.3 rad}}, in: 0.4 s}}
  - move: {{joint: arm/j6, by: 10 deg, in: 0.1 s}}
  - hold: {{for: 0.3 s}}
success: {{at_end: [moved(object) <= 1 mm]}}
uncertain: {{object.pose.x: "nominal + normal(0 mm, 10 mm)"}}
simulation: {{early: {{rest: false}}}}
output: {{trajectories: all, rate: 50 Hz}}
"""
CONTROL = "control: {rate: 1 kHz, joints: [arm/j1, arm/j2, arm/j4, arm/j6], by: BY}\n"
MOVED, HELD = {"arm.j1": 2, "arm.j2": 0.3, "arm.j4": 0.3, "arm.j6": START[5] + numpy.radians(10)}, ("arm.j3", "arm.j5")
POLICY = """
import graspmc
log = open('log.txt', 'a', 1)
def start(trial):
    def step(v):
        print(trial.draw, v.time, *v.position, *(v.object or ()), file=log)
        return [v.force[i] + max(-v.servo_limit[i], min(v.servo_limit[i], v.stiffness[i] * (v.wanted_position[i] - v.position[i])
                + v.damping[i] * (v.wanted_velocity[i] - v.velocity[i]))) for i in range(len(trial.joints))]
    return step
graspmc.control(start)
"""
COMMAND = f"{{command: ['{sys.executable}', policy.py]}}"


class Arms(support.Case):
    def setUp(self):
        super().setUp()
        os.environ.pop("PYTHONPATH", None)  # graspmc.py beside the program is found without
        (self.folder / "policy.py").write_text(POLICY)

    def run_it(self, text, output, *words, draws=1, code=0):
        (self.folder / "a.yaml").write_text(text)
        return self.run_program("run", "a.yaml", "-n", draws, "-q", "-o", output, "--force", "--allow-control", *words, code=code)

    def motion(self, output):
        with h5py.File(self.folder / output) as file:
            count = int(file["/trajectories/index"][0]["length"])
            names = [name.decode() for name in file["/trajectories/joints/names"][:]["name"]]
            q, action = (file[f"/trajectories/joints/{part}"][:count] for part in ("q", "action"))
            return (file["/trajectories/time"][:count], {name: q[:, i] for i, name in enumerate(names)},
                    {name: action[:, i] for i, name in enumerate(names)})

    def end(self, by):
        self.run_it(ARM + CONTROL.replace("BY", by), "a.h5")
        return {name: float(q[-1]) for name, q in self.motion("a.h5")[1].items()}

    def test_references_of_an_arms_phases_are_those_of_its_controller(self):
        end = self.end("computed_torque")
        for joint, goal in MOVED.items():
            self.assertAlmostEqual(end[joint], goal, delta=1e-4, msg=joint)
        for joint in HELD:  # no rag: its servo bends by what the others do to it, kp is 100
            self.assertAlmostEqual(end[joint], START[int(joint[-1]) - 1], delta=1e-3, msg=joint)
        _, _, actions = self.motion("a.h5")
        for joint in MOVED:
            self.assertGreater(numpy.isfinite(actions[joint]).sum(), 700, joint)
        for joint in (*HELD, "left"):
            self.assertFalse(numpy.isfinite(actions[joint]).any(), joint)

    def test_what_is_controlled_is_held_by_nothing_else(self):
        # PD gives way by the weight on the joint over kp: half the gain, twice as far
        sag = MOVED["arm.j2"] - self.end("pd")["arm.j2"]
        self.assertGreater(sag, 2e-3)
        self.run_it((ARM + CONTROL.replace("BY", "pd")).replace("0.43586 rad, kp: 1e4", "0.43586 rad, kp: 5e3"), "b.h5")
        other = MOVED["arm.j2"] - float(self.motion("b.h5")[1]["arm.j2"][-1])
        self.assertAlmostEqual(other / sag, 2, delta=0.05)  # the arm stands 0.2 deg elsewhere
        # what carries the weight goes nowhere, whatever the phases say
        end = self.end("gravity")
        for joint in MOVED:
            self.assertAlmostEqual(end[joint], START[int(joint[-1]) - 1], delta=1e-9, msg=joint)

    def test_a_command_moves_an_arm_as_the_same_law_does(self):
        whole = []
        for by, workers in (("pd", 1), (COMMAND, 1), (COMMAND, 2)):
            self.run_it(ARM + CONTROL.replace("BY", by), f"{workers}.h5", "-j", workers, draws=3)
            with h5py.File(self.folder / f"{workers}.h5") as file:
                whole.append(file["/trials"][:].tobytes())
        self.assertEqual(whole[0], whole[1])
        self.assertEqual(whole[0], whole[2])
        (self.folder / "policy.py").unlink()
        self.assertIn("identical", self.run_program("replay", "2.h5", "--trial", 2).stdout)

    def test_the_object_is_where_the_trials_robot_believes_it_to_be(self):
        control = CONTROL.replace("by: BY", f"sees: [object], by: {COMMAND}")
        self.run_it(ARM + control, "a.h5", "-j", 1, draws=3)
        rows = [[float(x) for x in line.split()] for line in (self.folder / "log.txt").read_text().splitlines()]
        half = numpy.radians(15)
        for row in rows:  # chance moves the object, and nobody tells the robot
            numpy.testing.assert_allclose(row[-7:], [0.6, 0.2, 0.025, numpy.cos(half), 0, 0, numpy.sin(half)], atol=1e-12)
        self.assertEqual({row[0] for row in rows}, {0, 1, 2})
        with h5py.File(self.folder / "a.h5") as file:
            self.assertGreater(file["/samples"][:].std(), 1e-3)

    def test_joints_that_it_cannot_move_are_told(self):
        said = self.run_it(ARM + "control: {rate: 1 kHz, joints: [arm/j1, arm/j1, arm/j9, leg/j1, thumb], by: pd}\n", "no.h5",
                           code=65).stderr
        for text in ("arm/j1 is named twice", "no joint arm/j9 moves on its own", "joints: j1, j2", "no joint leg/j1 moves",
                     "ROBOT/JOINT", "no joint thumb moves on its own", "joints: left"):
            self.assertIn(text, said)
        lone = "\n".join(line for line in ARM.splitlines() if not line.startswith("hand:")).replace("rubber/", "carton/")
        said = self.run_it(lone + "\ncontrol: {rate: 1 kHz, sees: [touch], by: pd}\n", "no.h5", code=65).stderr
        self.assertIn("name joints of robots", said)
        self.assertIn("no hand whose links could touch", said)

    # ---- a clutch ----

    def handset(self, control):
        text = (support.SCENARIOS / "barrett_handset.yaml").read_text()
        return text.replace("models/", f"{support.SCENARIOS}/models/") + control

    def test_a_controller_moves_the_drive_in_front_of_a_clutch(self):
        self.run_it(self.handset(f"control: {{rate: 1 kHz, by: {COMMAND}}}\n"), "a.h5", "-j", 1)
        with h5py.File(self.folder / "a.h5") as file:
            self.assertEqual(int(file["/trials"][0]["outcome"]), 0)
        times, q, actions = self.motion("a.h5")
        lines = (self.folder / "log.txt").read_text().splitlines()
        rows = numpy.array([[float(x) for x in line.split()] for line in lines])
        self.assertEqual(rows.shape[1], 6)  # the spread and three drives: what follows has none
        at = numpy.searchsorted(times, rows[:, 1] - 1e-9)
        numpy.testing.assert_allclose(times[at], rows[:, 1], atol=1e-9)
        farthest = 0
        for finger in (1, 2, 3):
            drive = rows[:, 2 + finger]
            inner, outer = q[f"inner{finger}"][at], q[f"outer{finger}"][at]
            beyond = (outer - inner / 3 - numpy.radians(40)) * 3 / 4
            # lock and gear bend by what presses on them, at first by the blow that opens the clutch
            numpy.testing.assert_allclose(drive, inner + beyond, atol=2e-3)
            farthest = max(farthest, float((drive - inner).max()))
            self.assertTrue(numpy.isfinite(actions[f"inner{finger}"]).any())
            self.assertFalse(numpy.isfinite(actions[f"outer{finger}"]).any())
        self.assertGreater(farthest, 0.1)
        self.assertIn("identical", self.run_program("replay", "a.h5", "--trial", 0).stdout)
        said = self.run_it(self.handset("control: {rate: 1 kHz, joints: [outer1, inner1], by: pd}\n"), "no.h5", code=65).stderr
        self.assertIn("no joint outer1 moves on its own", said)
        self.assertIn("name the one that it follows: inner1", said)

    def test_weight_behind_a_gear_is_carried_by_its_drive(self):
        text = self.handset("control: {rate: 1 kHz, by: LAW}\n")
        start, end = text.index("  - close:"), text.index("success:")
        text = text[:start] + "  - hold: {for: 0.5 s}\n" + text[end:].replace("  at_phase_end: {form: [epsilon(object) > 0]}\n", "").replace("  from: [{phase: form, hold: [closure(object) >= 1]}]\n", "")
        gone = {}
        for law in ("gravity", "{torques: none.csv}"):
            (self.folder / "none.csv").write_text("time,spread1,inner1,inner2,inner3\n0,0,0,0,0\n")
            self.run_it(text.replace("LAW", law), "a.h5")
            q = self.motion("a.h5")[1]
            gone[law] = max(float(abs(q[name] - q[name][0]).max()) for name in ("inner1", "inner2", "inner3"))
        self.assertLess(gone["gravity"], 1e-6)  # the gear bends by the weight, 0.05 N*m over 1e5 N*m/rad
        self.assertGreater(gone["{torques: none.csv}"], 1e-3)


if __name__ == "__main__":
    unittest.main()
