"""Controllers of a scenario: the same PD built in, as a library and as a command gives the same bytes; a table of its torques,
and a replay without the program; what is not allowed, missing, of another version, silent or gone."""
import csv
import os
import re
import sys
import time
import unittest

import support

try:
    import h5py
    import numpy
except ImportError:
    print("python3-h5py is not there: skipped", file=sys.stderr)
    sys.exit(0)

SCENARIO = f"""
graspmc: 1
use: {support.SCENARIOS}/pinch_cube.yaml
program:
  - close: {{force: 10 N, speed: 0.1 m/s, until: stalled, at_most: 0.5 s}}
  - lift:  {{by: 50 mm, in: 0.3 s}}
  - shake: {{axis: x, amplitude: 10 mm, frequency: 3 Hz, for: 0.3 s}}
success: {{at_end: [lift(object) >= 30 mm]}}
output: {{trajectories: all, rate: 50 Hz}}
control: {{rate: 500 Hz, delay: 2 ms, by: CONTROL}}
"""
COMMAND = f"{{command: ['{sys.executable}', policy.py]}}"


class Controller(support.Case):
    def setUp(self):
        super().setUp()
        os.environ.pop("PYTHONPATH", None)  # graspmc.py beside the program is found without

    def write(self, name, by, more="", change=None):
        text = SCENARIO.replace("CONTROL", by)
        for old, new in (change or {}).items():
            assert old in text, old
            text = text.replace(old, new)
        (self.folder / name).write_text(text + more)
        return name

    def policy(self, step="[pd(v, i) for i in range(len(trial.joints))]", start=""):
        (self.folder / "policy.py").write_text(
            f"{support.PD_POLICY}\nimport time, os\ndef start(trial):\n    {start or 'pass'}\n    return lambda v: {step}\ngraspmc.control(start)\n")

    def run_it(self, scenario, output, *words, draws=8, code=0):
        return self.run_program("run", scenario, "-n", draws, "-q", "-o", output, "--allow-control", *words, code=code)

    def trials(self, output):
        with h5py.File(self.folder / output) as file:
            return file["/trials"][:]

    def motion(self, output, trial=0):
        with h5py.File(self.folder / output) as file:
            row = [r for r in file["/trajectories/index"][:] if r["trial"] == trial][0]
            part = slice(int(row["offset"]), int(row["offset"]) + int(row["length"]))
            names = [name.decode() for name in file["/trajectories/joints/names"][:]["name"]]
            return (names, file["/trajectories/time"][part], file["/trajectories/joints/q"][part],
                    file["/trajectories/joints/action"][part])

    # ---- the same bytes ----

    def test_pd_is_the_same_built_in_as_a_library_and_as_a_command(self):
        self.build_library()
        self.policy()
        self.run_it(self.write("pd.yaml", "pd"), "pd.h5", "-j", 1)
        self.write("library.yaml", "{library: pd.so}")
        self.write("command.yaml", COMMAND)
        whole = self.trials("pd.h5")
        self.assertTrue((whole["outcome"] == 0).any() and (whole["outcome"] != 4).all())
        for kind in ("pd", "library", "command"):
            for workers in (1, 2):
                self.run_it(f"{kind}.yaml", f"{kind}{workers}.h5", "-j", workers)
                self.assertEqual(self.trials(f"{kind}{workers}.h5").tobytes(), whole.tobytes(), (kind, workers))
            for shard in ("1/2", "2/2"):
                self.run_it(f"{kind}.yaml", f"part{shard[0]}.h5", "--shard", shard, "--force")
            self.run_program("merge", "part1.h5", "part2.h5", "-o", f"{kind}_merged.h5")
            self.assertEqual(self.trials(f"{kind}_merged.h5").tobytes(), whole.tobytes(), kind)
            self.run_it(f"{kind}.yaml", f"{kind}_on.h5", "--time-limit", "0.05s", code=(0, 75))
            self.run_it(f"{kind}.yaml", f"{kind}_on.h5", "--resume")
            self.assertEqual(self.trials(f"{kind}_on.h5").tobytes(), whole.tobytes(), kind)
        # what was recorded is enough: neither program is there any more, nor is one allowed
        (self.folder / "pd.so").unlink()
        (self.folder / "policy.py").unlink()
        for kind in ("library", "command"):
            for trial in (0, 7):
                said = self.run_program("replay", f"{kind}2.h5", "--trial", trial).stdout
                self.assertIn("identical", said)

    def test_a_command_that_cannot_start_is_started_once(self):
        self.write("a.yaml", f"{{command: ['{sys.executable}', nosuch.py]}}")
        self.write("b.yaml", COMMAND)
        (self.folder / "policy.py").write_text("import nosuch\n")
        for scenario, word in (("a.yaml", "can't open file"), ("b.yaml", "ModuleNotFoundError")):
            for workers in (1, 2):
                said = self.run_it(scenario, "no.h5", "-j", workers, "--force", code=66).stderr
                self.assertEqual(said.count(word), 1, said)
                self.assertRegex(said, rf"{scenario}:\d+:\d+: error: control.by: {re.escape(sys.executable)} \w+.py, run in this folder, ended before")
            said = self.run_program("check", scenario, "--allow-control", code=66).stderr
            self.assertEqual(said.count(word), 1, said)
            self.assertIn("it cannot start", said)
        # one that has begun, and dies, takes its trial along
        self.policy(start="os._exit(1) if trial.draw == 1 else None")
        self.run_it("b.yaml", "b.h5", "-j", 1, draws=3)
        self.assertEqual(list(self.trials("b.h5")["outcome"] == 4), [False, True, False])
        self.run_program("check", "b.yaml", "--allow-control")

    def test_a_trial_is_extracted_with_its_controller(self):
        self.build_library()
        self.policy()
        for kind, by, file in (("library", "{library: pd.so}", "pd.so"), ("command", COMMAND, "policy.py")):
            for kept in ("all", "none"):
                name = f"{kind}_{kept}"
                self.run_it(self.write(f"{name}.yaml", by, change={"trajectories: all": f"trajectories: {kept}"}), f"{name}.h5", draws=2)
                if kept == "none":  # nothing is recorded: it has to run, which nobody allowed
                    for command in (("extract", f"{name}.h5", "-o", "no"), ("replay", f"{name}.h5")):
                        said = self.run_program(*command, "--trial", 1, code=65).stderr
                        self.assertIn("of the stored scenario: control.by: ", said)
                        self.assertIn("hint: it can do whatever you may. If you trust it: --allow-control", said)
                        self.assertRegex(said, rf"\n +\| .*{kind}: .*\n")  # the stored line, not one of the file
                    self.assertFalse((self.folder / "no").exists())
                words = ("--allow-control",) if kept == "none" else ()
                said = self.run_program("extract", f"{name}.h5", "--trial", 1, "-o", name, *words).stdout
                self.assertIn("identical", said)
                self.assertEqual((self.folder / name / file).read_bytes(), (self.folder / file).read_bytes())
                self.run_program("run", f"{name}/scenario.yaml", "-q", "-o", f"{name}_again.h5", "--allow-control")
                for field in ("outcome", "t_end"):
                    self.assertEqual(self.trials(f"{name}_again.h5")[0][field], self.trials(f"{name}.h5")[1][field])
        # a policy that throws dice of its own by what it is told throws them again
        self.policy(start="""s = trial
    assert s.draw < 2
    import random
    dice = random.Random(f"{s.seed} {s.case} {s.draw}")""", step="[pd(v, i) + dice.gauss(0, 0.2) for i in range(len(trial.joints))]")
        self.run_it(self.write("dice.yaml", COMMAND, change={"trajectories: all": "trajectories: none"}), "dice.h5", draws=2)
        said = self.run_program("extract", "dice.h5", "--trial", 1, "-o", "dice", "--allow-control").stdout
        self.assertIn("identical", said)
        # what is gone is told
        (self.folder / "pd.so").unlink()
        said = self.run_program("extract", "library_all.h5", "--trial", 0, "-o", "gone").stderr
        self.assertIn("warning: control.by: pd.so is not beside the result and is not brought along", said)

    def test_a_table_of_its_torques_moves_the_hand_as_it_did(self):
        self.run_it(self.write("pd.yaml", "pd"), "pd.h5", draws=1)
        names, times, q, actions = self.motion("pd.h5")
        with open(self.folder / "torques.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["time", *names])
            for t, row in zip(times, actions):
                if numpy.isfinite(row).all():
                    table.writerow([repr(float(t)), *(repr(float(x)) for x in row)])
        self.run_it(self.write("table.yaml", "{torques: torques.csv}"), "table.h5", draws=1)
        _, _, other, _ = self.motion("table.h5")
        difference = float(abs(q - other).max())
        support.capability(32, difference, "<=", 1e-9)
        support.capability(52, difference, "<=", 1e-9)
        self.assertGreater(float(abs(q).max()), 1e-3)

    # ---- what is seen ----

    def test_what_is_seen_follows_from_paths_and_chance_of_its_own(self):
        self.policy("(print(trial.seed, trial.draw, trial.case, v.position, v.touch, v.forces, v.object, trial.arguments, "
                    "file=log), [pd(v, i) for i in range(len(trial.joints))])[1]",
                    "global log; log = open('log.txt', 'a', 1)")
        more = {"by: {": "sees: [touch, forces, object], by: {arguments: {gain: 3, far: 2 mm}, "}
        self.write("seen.yaml", COMMAND, "hand: {joints: {left: {encoder_resolution: 1 mm, encoder_bias: 5 mm}}}\n", more)
        names = self.run_program("check", "seen.yaml", "--parameters").stdout
        for path in ("hand.left.encoder_resolution", "hand.right.encoder_noise", "control.rate", "control.delay",
                     "control.encoder_delay", "control.by.arguments.gain"):
            self.assertIn(path, names)
        self.run_it("seen.yaml", "seen.h5", "-j", 1, draws=1)
        lines = (self.folder / "log.txt").read_text().splitlines()
        self.assertIn("{'gain': 3.0, 'far': 0.002}", lines[0])
        self.assertTrue(any(" (1.0" in line or "1.0," in line for line in lines))
        left = [float(line.split("(")[1].split(",")[0]) for line in lines]
        self.assertTrue(all(abs(x / 1e-3 - round(x / 1e-3)) < 1e-9 for x in left))
        self.assertAlmostEqual(left[0], 0.005, delta=1e-12)
        # noise: other draws other numbers, the same draw the same, whatever other joints have
        noisy = "hand: {joints: {left: {encoder_noise: 0.1 mm}, right: {encoder_noise: 0 mm}}}\n"
        def first(more):
            (self.folder / "log.txt").unlink()
            self.write("noisy.yaml", COMMAND, more, {"by: {": "sees: [object], by: {"})
            self.run_it("noisy.yaml", "noisy.h5", "-j", 1, "--force", draws=2)
            found = {}
            for line in (self.folder / "log.txt").read_text().splitlines():
                draw = int(line.split()[1])
                found.setdefault(draw, float(line.split("(")[1].split(",")[0]))
            return found
        a, b = first(noisy), first(noisy.replace("0 mm", "0.3 mm"))
        self.assertEqual(a, b)
        self.assertNotEqual(a[0], a[1])

    def test_beats_that_fit_nothing_and_noisy_encoders_are_the_same_however_run(self):
        # periods, delays and steps of 2 ms and 1 ms that are no multiples of each other; a delay of its own in each trial
        self.policy()
        more = ("hand: {joints: {left: {encoder_resolution: 0.05 mm, encoder_noise: 0.02 mm, encoder_bias: 0.1 mm}, "
                "right: {encoder_noise: 0.05 mm}}}\nsimulation: {half_step: 0.5}\n"
                "uncertain: {control.delay: 'uniform(0 ms, 5 ms)', hand.left.encoder_bias: 'normal(0 mm, 0.2 mm)'}\n")
        change = {"rate: 500 Hz, delay: 2 ms": "rate: 333 Hz, delay: 1.7 ms, encoder_delay: 0.9 ms, sees: [touch, forces, object]"}
        self.write("pd.yaml", "pd", more, change)
        self.write("command.yaml", COMMAND, more, change)
        self.run_it("pd.yaml", "pd.h5", "-j", 1)
        whole = self.trials("pd.h5")
        self.assertTrue((whole["half_step"] == 1).any() and (whole["outcome"] != 4).all())
        self.run_it("command.yaml", "command.h5", "-j", 2)
        self.assertEqual(self.trials("command.h5").tobytes(), whole.tobytes())
        for shard in ("1/2", "2/2"):
            self.run_it("command.yaml", f"part{shard[0]}.h5", "--shard", shard)
        self.run_program("merge", "part1.h5", "part2.h5", "-o", "merged.h5")
        self.assertEqual(self.trials("merged.h5").tobytes(), whole.tobytes())
        (self.folder / "policy.py").unlink()
        for trial in (0, 7):
            self.assertIn("identical", self.run_program("replay", "command.h5", "--trial", trial).stdout)

    @support.without_sanitizers
    def test_a_policy_that_feels_holds_what_friction_lets_it_feel(self):
        # once it slips the load felt is friction times grip, and asks for margin / 0.35 times that: it grows above 0.175
        self.run_it(support.SCENARIOS / "policy_pick.yaml", "a.h5", "--trajectories", "none",
                    draws=80)
        with h5py.File(self.folder / "a.h5") as file:
            names = [name.decode() for name in file["/parameters"]["name"]]
            friction, held = file["/samples"][:, names.index("friction.rubber/carton")], file["/trials"]["success"] == 1
        self.assertFalse(held[friction < 0.17].any())
        self.assertTrue(held[friction > 0.23].all())

    # ---- what is wrong ----

    def refuse(self, scenario, *says, code, allow=True):
        words = ("--allow-control",) if allow else ()
        said = self.run_program("run", scenario, "-n", 2, "-q", "-o", "no.h5", *words, code=code).stderr
        for word in (f"{scenario}:", "error: control", *says):
            self.assertIn(word, said)
        self.assertFalse((self.folder / "no.h5").exists())

    def test_mistakes_are_told_where_they_stand(self):
        self.build_library()
        self.policy()
        self.refuse(self.write("a.yaml", "{library: pd.so}"), "--allow-control", code=65, allow=False)
        self.refuse(self.write("a.yaml", COMMAND), "--allow-control", code=65, allow=False)
        self.refuse(self.write("a.yaml", "{library: other.so}"), "no such library", code=66)
        self.refuse(self.write("a.yaml", "{command: [no_such_program]}"), "no such program", code=66)
        (self.folder / "text.so").write_text("hello")
        self.refuse(self.write("a.yaml", "{library: text.so}"), "shared library", code=65)
        self.build_library(support.PD_LIBRARY.replace("graspmc_controller_step", "another_name"), "lacks.so")
        self.refuse(self.write("a.yaml", "{library: lacks.so}"), "does not export graspmc_controller_step", code=65)
        self.build_library(support.PD_LIBRARY.replace("= GRASPMC_CONTROLLER_VERSION", "= 99"), "old.so")
        self.refuse(self.write("a.yaml", "{library: old.so}"), "version 99", code=65)
        self.refuse(self.write("a.yaml", "pd", change={"by: pd": "sees: [smell], by: pd"}), "nothing called smell", code=65)
        self.refuse(self.write("a.yaml", "pd", change={"by: pd": "joints: [thumb], by: pd"}), "no joint thumb", "left", code=65)
        self.refuse(self.write("a.yaml", "{law: pd, arguments: {gain: 2}}"), "nobody is told them", code=65)

    def test_check_looks_whether_the_files_are_there(self):
        for by, name, code in (("{library: none.so}", "none.so: no such library", 66),
                               ("{command: [./none]}", "./none: no such program", 66),
                               (f"{{command: ['{sys.executable}', none.py]}}", "warning: control.by: none.py: no such file", 0)):
            run = self.run_program("check", self.write("a.yaml", by), code=code)
            self.assertIn(name, run.stderr)
            self.assertRegex(run.stderr, r"a\.yaml:\d+:\d+: ")
        self.policy()
        self.assertNotIn("no such", self.run_program("check", self.write("a.yaml", COMMAND)).stderr)

    def test_mistakes_of_a_table_are_told_in_its_lines(self):
        for text, line, says in (("time,left\n0,1\n", 1, "no column for joint right"),
                                 ("time,left,right,thumb\n0,1,1,1\n", 1, "moves no joint thumb"),
                                 ("left,right\n1,1\n", 1, "no column time"),
                                 ("time,left,right\n0,1,1\n0,1,1\n", 3, "times must increase"),
                                 ("time,left,right\n", 2, "no row")):
            (self.folder / "t.csv").write_text(text)
            said = self.run_program("run", self.write("a.yaml", "{torques: t.csv}"), "-n", 1, "-q", "-o", "no.h5", code=65).stderr
            self.assertIn(f"t.csv:{line}", said)
            self.assertIn(says, said)

    def test_a_controller_that_fails_leaves_its_trial_unsolved(self):
        late = "v.time > 0.1 and trial.draw % 2 == 1"
        good = "[pd(v, i) for i in range(len(trial.joints))]"
        for bad in ("[float('nan')] * 2", "[1.0]", "os._exit(3)", "1 / 0"):
            self.policy(f"{bad} if {late} else {good}")
            self.run_it(self.write("a.yaml", COMMAND), "a.h5", "--force", draws=6)
            trials = self.trials("a.h5")
            for trial in trials:
                self.assertEqual(int(trial["outcome"]) == 4, int(trial["draw"]) % 2 == 1, bad)
                if trial["outcome"] == 4:
                    self.assertEqual(int(trial["reason"]), 12, bad)
                    self.assertAlmostEqual(float(trial["t_end"]), 0.102, delta=1e-9)
            self.run_program("replay", "a.h5", "--trial", 1)
            self.run_program("replay", "a.h5", "--trial", 2)
        self.assertIn("controller", self.run_program("show", "a.h5").stdout)

    def test_a_command_that_talks_nonsense_or_a_library_that_fails_leaves_trials_unsolved(self):
        (self.folder / "policy.py").write_text("import os, time\nos.write(1, b'hello, I am a policy ' * 50)\n")
        self.run_it(self.write("a.yaml", COMMAND), "a.h5", "--force", draws=2, code=2)
        self.assertEqual(set(self.trials("a.h5")["reason"]), {12})
        # no number from some time on; no controller at all in one draw
        self.build_library(support.PD_LIBRARY.replace("return 0;", "if (view->time > 0.1) torque[0] = NAN;\n    return 0;")
                     .replace("    int *count =", "    if (start->draw == 1) return NULL;\n    int *count ="))
        self.run_it(self.write("a.yaml", "{library: pd.so}"), "a.h5", "--force", draws=3, code=2)
        trials = self.trials("a.h5")
        self.assertEqual(set(trials["reason"]), {12})
        for trial, end in zip(trials, (0.102, 0, 0.102)):
            self.assertAlmostEqual(float(trial["t_end"]), end, delta=1e-9)
            self.assertIn("identical", self.run_program("replay", "a.h5", "--trial", int(trial["trial"])).stdout)

    def test_done_ends_the_calls_and_lets_rules_decide(self):
        self.policy("(print(v.time, file=log), graspmc.Done([pd(v, i) for i in range(2)]) if v.time > 0.9 "
                    "else [pd(v, i) for i in range(2)])[1]", "global log; log = open('log.txt', 'a', 1)")
        self.run_it(self.write("a.yaml", COMMAND), "a.h5", "-j", 1, draws=4)
        self.assertLess(max(float(x) for x in (self.folder / "log.txt").read_text().split()), 0.903)
        for trial in range(4):
            self.run_program("replay", "a.h5", "--trial", trial)

    def test_a_command_that_outlives_its_run_keeps_nothing_locked(self):
        self.policy("(open('here', 'w').close(), time.sleep(8)) if trial.draw == 3 else [pd(v, i) for i in range(2)]")
        self.write("a.yaml", COMMAND)
        run = self.start("run", "a.yaml", "-n", 6, "-q", "-j", 1, "-o", "a.h5", "--allow-control")
        while not (self.folder / "here").exists():
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        run.kill()
        run.wait()  # its pipes stay open in the command, which sleeps on
        run.stdout.close()
        run.stderr.close()
        self.policy()
        self.run_it("a.yaml", "a.h5", "--resume", draws=6)
        self.assertEqual(len(self.trials("a.h5")), 6)

    def test_a_command_that_hangs_ends_the_run_and_is_named(self):
        self.policy("time.sleep(60) if trial.draw == 3 and v.time > 0.05 else [pd(v, i) for i in range(2)]")
        self.write("a.yaml", COMMAND, change={"delay: 2 ms": "delay: 2 ms, answer_within: 4 s"})
        start = time.monotonic()
        said = self.run_it("a.yaml", "a.h5", "-j", 1, code=75).stderr
        self.assertIn("trial 3: the controller did not answer within 4 s", said)
        self.assertLess(time.monotonic() - start, 30)
        self.assertFalse((self.folder / "a.h5").exists())
        (self.folder / "policy.py").write_text("import time\ntime.sleep(60)\n")  # and one that never says a word
        said = self.run_it(self.write("b.yaml", COMMAND, change={"delay: 2 ms": "delay: 2 ms, answer_within: 1 s"}), "b.h5", "-j", 2,
                           code=75).stderr
        self.assertIn("the controller did not answer within 1 s", said)
        self.policy()
        self.run_it("a.yaml", "a.h5", "--resume")
        self.run_it(self.write("pd.yaml", "pd", change={"delay: 2 ms": "delay: 2 ms, answer_within: 4 s"}), "pd.h5")
        self.assertEqual(self.trials("a.h5").tobytes(), self.trials("pd.h5").tobytes())


if __name__ == "__main__":
    unittest.main()
