"""Pushes, pulls and criteria from a phase on: the same trials however they are run, and what is wrong said where it stands."""
import unittest

import h5py

from support import QUICK, SCENARIOS, Case

SCENARIO = f"""graspmc: 1
use: {QUICK}
object:
  push: {{x: [[0 s, 0 N], [0.2 s, 0.1 N], [0.4 s, 0 N]], torque: {{z: [[0 s, 1 mN*m], [0.3 s, 0 N*m]]}}, frame: body}}
program:
  - close: {{force: 30 N, speed: 100 mm/s, until: stalled, at_most: 1 s}}
  - lift: {{by: 50 mm, in: 0.5 s}}
  - pull: {{axis: -z, grows: 40 N/s, by: 1 mm, at_most: 0.25 s}}
  - hold: {{for: 0.3 s}}
success:
  at_end: ["force_at_slip(object) >= 8 N"]
  from:
    - {{phase: lift, hold: ["slip(object, hand) <= 0.5 mm", "moved_since(object, lift) <= 10 mm"]}}
    - {{phase: pull, hold: ["held_by(object) >= 1"]}}
"""
COLUMN = "max(slip(object, hand) from lift)"


class Protocols(Case):
    def test_the_same_however_it_is_run(self):
        scenario = self.write("s.yaml", SCENARIO + "sampling: {draws: 60}\n")
        self.assert_same_however_run(scenario, 0.3)

    def test_the_expanded_copy_is_the_same_scenario(self):
        scenario = self.write("s.yaml", SCENARIO)
        expanded = self.write("e.yaml", self.run_program("check", scenario, "--expanded").stdout)
        for name, file in (("a.h5", scenario), ("b.h5", expanded)):
            self.run_program("run", file, "-n", 8, "-o", name, "-q")
        with h5py.File(self.folder / "a.h5") as a, h5py.File(self.folder / "b.h5") as b:
            self.assertEqual(a["trials"][:].tobytes(), b["trials"][:].tobytes())
            self.assertIn(COLUMN, a["trials"].dtype.names)

    def test_criteria_of_a_phase_are_named_and_can_be_asked_again(self):
        scenario = self.write("s.yaml", SCENARIO)
        self.run_program("run", scenario, "-n", 40, "-o", "a.h5", "-q", "--set", "simulation.early.broken=false",
                         "--set", "success.at_end=[\"lift(object) >= -1 m\"]", "--set", "simulation.half_step=0",
                         "--set", "simulation.early.falling=false")
        with h5py.File(self.folder / "a.h5") as file:
            trials = file["trials"][:]
        slipped = trials[COLUMN] > 5e-4  # NaN: lost before the lift was over
        self.assertTrue(0 < slipped.sum() < 40)
        names = [kind["name"] for kind in self.run_json("show", "a.h5", "--failures")["kinds"]]
        self.assertTrue(any("slip(object, hand) <= 0.5 mm" in name for name in names), names)
        answer = self.run_json("show", "a.h5", "--success", f"{COLUMN} <= 0.5 mm")
        self.assertEqual(answer["success"]["successes"], int((trials[COLUMN] <= 5e-4).sum()))

    def test_criteria_at_the_end_of_a_phase_are_named_and_can_be_asked_again(self):
        scenario = self.write("s.yaml", f"graspmc: 1\nuse: {QUICK}\nsuccess:\n  at_end: [lift(object) >= -1 m]\n  always: ~\n"
                              "  at_phase_end: {close: [closure(object) >= 1, epsilon(object) >= 0.01, \"height(object) <= 25.2 mm\"],\n"
                              "                 lift: [lift(object) >= 15 mm]}\n")
        self.run_program("run", scenario, "-n", 200, "-o", "a.h5", "-q", "--set", "simulation.half_step=0")
        with h5py.File(self.folder / "a.h5") as file:
            trials = file["trials"][:]
        column = trials["lift(object) at lift"]
        self.assertTrue(0 < (column < 0.015).sum() < 200)
        self.assertTrue(0 < (trials["closure(object) at close"] == 1).sum())
        self.assertTrue(((trials["epsilon(object) at close"] > 0) == (trials["closure(object) at close"] == 1)).all())
        names = [kind["name"] for kind in self.run_json("show", "a.h5", "--failures")["kinds"]]
        self.assertTrue(any("lift(object) >= 15 mm" in name for name in names), names)
        answer = self.run_json("show", "a.h5", "--success", "lift(object) at lift >= 15 mm")
        self.assertEqual(answer["success"]["successes"], int((column >= 0.015).sum()))

    def test_early_verdicts_are_those_of_the_end(self):
        # pushes may change everything, so nothing but a broken criterion decides then
        lines = SCENARIO.splitlines(True)
        scenario = self.write("s.yaml", "".join(line for line in lines if not line.startswith(("object:", "  push:"))))
        self.run_program("run", scenario, "-n", 40, "-o", "a.h5", "-q")
        self.run_program("run", scenario, "-n", 40, "-o", "b.h5", "-q", "--set", "simulation.early={broken: false, "
                         "falling: false, rest: false, borne: false}")
        with h5py.File(self.folder / "a.h5") as a, h5py.File(self.folder / "b.h5") as b:
            self.assertTrue((a["trials"]["success"] == b["trials"]["success"]).all())
            self.assertGreater((a["trials"]["decided_by"] > 0).sum(), 5)

    def test_what_is_wrong_is_said_where_it_stands(self):
        for old, new, where, message in (
                ("phase: pull", "phase: pul", "14:15", "success.from: no phase is called pul"),
                ("phase: pull", "phase: hold", "14:15", "success.from: no step follows the last phase"),
                (", hold: [\"held_by(object) >= 1\"]", "", "14:7", "success.from.1 needs hold"),
                (SCENARIO[SCENARIO.index("  from:"):], "  from: 3\n", "12:9", "success.from: expected a list of maps"),
                ("  from:", "  at_phase_end: {lft: [lift(object) >= 1 mm]}\n  from:", "12:18", "success.at_phase_end: no phase is called lft"),
                ("  from:", "  at_phase_end: [lift(object) >= 1 mm]\n  from:", "12:17", "success.at_phase_end: expected keys with values"),
                ("torque: {z: [[0 s, 1 mN*m], [0.3 s, 0 N*m]]}", "torque: [[0 s, 1 mN*m]]", "4:65",
                 "object.push.torque: in space a torque is a map of its components"),
                ("frame: body", "frame: hand", "4:110", "object.push.frame: expected one of world, body"),
                ("axis: -z", "body: table, axis: -z", "8:5", "phase pull: table is fixed and cannot be pulled"),
                ("axis: -z", "body: tabel, axis: -z", "8:5", "phase pull: nothing is called tabel"),
                ("grows: 40 N/s", "grows: 40 N", "8:29", "program.2.pull.grows: expected a growth of force"),
                ("by: 1 mm, at_most: 0.25 s", "by: 1 mm, for: 0.5 s", "8:37", "program.2.pull: by means nothing without until"),
                ("moved_since(object, lift)", "moved_since(object, lfit)", "13:81", "no phase is called lfit"),
                ("force_at_slip(object)", "force_at_slip(table)", "11:13", "force_at_slip: no phase pulls at table"),
                ("force_at_slip(object) >= 8 N", "t_lost(hand) >= 1 s", "11:13", "t_lost: the hand does not hold itself"),
                ("force_at_slip(object) >= 8 N", "holds_moment(hand, z) >= 1 mm", "11:13", "holds_moment: the hand does not hold itself"),
                ("force_at_slip(object) >= 8 N", "recess(hand) >= 1 mm", "11:13", "recess: the hand does not hold itself"),
                ("force_at_slip(object) >= 8 N", "holds(hand, z) >= 0.1", "11:13", "holds: the hand does not hold itself"),
                ("force_at_slip(object) >= 8 N", "epsilon(table) >= 0.1", "11:13", "epsilon: table is fixed, no hand holds it")):
            self.assertIn(old, SCENARIO)
            scenario = self.write("w.yaml", SCENARIO.replace(old, new, 1))
            said = self.run_program("check", scenario, code=65).stderr
            self.assertIn(f"w.yaml:{where}: error: {message}", said, said)
        planar = self.write("p.yaml", "graspmc: 1\nworld: planar\nobject: {circle: {radius: 10 mm}, mass: 0.1 kg, surface: a, "
                            "push: {z: [[0 s, 1 N]]}}\nprogram: [{pull: {axis: z, grows: 1 N/s}}]\n"
                            "success: {at_end: [moved(object) >= 0 m]}\n")
        said = self.run_program("check", planar, code=65).stderr
        self.assertIn("p.yaml:3:68: error: object.push.z belongs to spatial worlds", said)
        self.assertIn("p.yaml:4:25: error: pull.axis: leaves the plane z = 0", said)
        planar = SCENARIOS / "gear_map.yaml"
        for criterion, message in (("holds(object, -z) >= 0", "holds: leaves the plane z = 0"),
                                   ("holds_moment(object, x) >= 1 mm", "holds_moment: turns out of the plane z = 0")):
            said = self.run_program("check", planar, "--set", f'success={{at_end: ["{criterion}"]}}', code=65).stderr
            self.assertIn(f"error: {message}", said)
        self.run_program("check", planar, "--set", 'success={at_end: ["holds(object, y) >= 0", "holds_moment(object, -z) >= 0 m"]}')

    def test_what_a_stepper_does_not_know_names_all_that_do(self):
        scenario = self.write("w.yaml", f"graspmc: 1\nuse: {QUICK}\nsimulation: {{stepper: song_pang_kumar}}\n")
        path = next(row["path"] for row in self.run_json("check", scenario, "--parameters") if row["path"].startswith("friction."))
        said = self.run_program("check", scenario, "--set", f"{path}={{static: 0.5, torsion: 2 mm}}", code=65).stderr
        self.assertIn("song_pang_kumar does not know torsional friction", said)
        for stepper in ("coulomb", "stewart_trinkle", "anitescu_potra"):
            self.assertRegex(said, f"hint: the steppers .*{stepper}.* do")

    def test_numbers_of_pushes_and_pulls_have_paths(self):
        scenario = self.write("s.yaml", SCENARIO + "uncertain:\n  object.push.torque.z.0.value: uniform(0 N*m, 1 mN*m)\n"
                              "  program.2.pull.grows: normal(40 N/s, 1 N/s)\n")
        self.run_program("run", scenario, "-n", 4, "-o", "a.h5", "-q", "--set", "object.push.x.1.value=0.2 N")
        with h5py.File(self.folder / "a.h5") as file:
            self.assertEqual([name.decode() for name in file["parameters"]["name"]][-2:],
                             ["object.push.torque.z.0.value", "program.2.pull.grows"])


if __name__ == "__main__":
    unittest.main()
