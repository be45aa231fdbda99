"""graspmc.py: what it returns is what the file and the program say, and mistakes come as exceptions."""
import importlib.util
import inspect
import os
import re
import signal
import subprocess
import sys
import threading
import unittest
import warnings

import h5py
import numpy as np
import pandas as pd

from support import BUILD, PROGRAM, QUICK, ROOT, SCENARIOS, Case

spec = importlib.util.spec_from_file_location("graspmc", BUILD / "graspmc.py")
graspmc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graspmc)


# every trial starts with the cube 10 mm in the table
DEEP = {
    "graspmc": 1,
    "object": {"box": ["50 mm", "50 mm", np.float64(0.05)], "mass": 0.2, "surface": "abs", "placed": "as_given",
               "pose": {"z": "15 mm"}},
    "scene": {"table": {"plane": {"height": 0}, "surface": "wood"}},
    "friction": {"abs/wood": 0.4},
    "program": [{"hold": {"for": "0.1 s"}}],
    "success": {"at_end": ["lift(object) >= -5 mm"]},
}


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
        self.assertEqual(list(result.by_case["method"]), [b"Clopper-Pearson", b"Clopper-Pearson"])

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
        steps = result.trials["steps"][7]
        every = graspmc.Result("seven.h5").trajectory(7)
        self.assertRegex(repr(every), rf"^trial 7: {steps} steps, {every.time[-1]:.2f} s, [0-9] bodies$")
        self.assertRegex(repr(result.trajectory(7)), rf"^trial 7: {len(result.trajectory(7).time)} rows, ")

    def test_decisions_are_verdicts(self):
        yes = graspmc.run(QUICK, "yes.h5", draws=400, decide="success>=0.01")
        no = graspmc.run(QUICK, "no.h5", draws=400, decide="success<=0.01")
        still_open = graspmc.run(QUICK, "open.h5", draws=2, decide="success>=0.5")
        self.assertEqual((yes.verdict, no.verdict, still_open.verdict), (True, False, None))

    def test_what_is_open_is_a_range_until_it_is_completed(self):
        result = graspmc.run(SCENARIOS / "pinch_cube.yaml", "a.h5", draws=30)
        criteria = "slip <= 30 mm and lift >= 80 mm"
        said = result.show(success=criteria)["success"]
        self.assertNotIn("p", said)
        estimate = graspmc.Result("a.h5", answer={"success": said}).success
        self.assertIsNone(estimate.p)
        self.assertEqual((estimate.lowest, estimate.highest, estimate.open), (said["lowest"], said["highest"], said["open"]))
        self.assertRegex(str(estimate), "^success between .* open$")
        done = result.complete(criteria)
        self.assertEqual(done.path.name, "a.complete.h5")
        self.assertTrue(said["lowest"] <= done.success.p <= said["highest"])
        self.assertEqual(done.success.p, done.show(success=criteria)["success"]["p"])
        with self.assertRaises(graspmc.Error) as caught:
            graspmc.complete("a.h5", criteria)
        self.assertEqual(caught.exception.code, 73)

    def test_mistakes_are_exceptions_with_their_text(self):
        self.lend("quick.yaml")
        self.write("wrong.yaml", f"graspmc: 1\nuse: quick.yaml\nuncertain: {{object.mas: uniform(1 kg, 2 kg)}}\n")
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

    def test_d08_what_decides_nothing_is_no_crash(self):
        with self.assertWarnsRegex(graspmc.GraspmcWarning, "10.0 mm in table"):
            result = graspmc.run(DEEP, "deep.h5", draws=5)
        self.assertIsNone(result.verdict)
        self.assertIsNone(result.success.p)
        self.assertEqual((result.success.lower, result.success.upper), (0, 1))
        self.assertEqual(str(result.success), "no trial decided; 5 unsolved: 0 ... 1")
        self.assertEqual(repr(result), "<graspmc.Result 'deep.h5' no trial decided; 5 unsolved: 0 ... 1>")
        self.assertIn("5 deep_start", result._repr_html_())
        frame = result.trials_frame()
        self.assertEqual(set(zip(frame["outcome"], frame["reason"])), {("unsolved", "deep_start")})
        self.assertFalse(frame["valid"].any())
        self.run_quick()
        self.assertIsNone(graspmc.compare("quick.h5", result)["difference"]["b_minus_a"])

    def test_d08_messages_need_not_be_utf8(self):
        for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            (self.folder / "wide.yaml").write_bytes(QUICK.read_text(encoding="utf-8").encode(name))
            said = self.run_program("check", "wide.yaml", code=65).stderr
            self.assertRegex(said, r"wide.yaml:1:1: error: the file is UTF-(16|32)\n")
            self.assertIn("hint: save the file as UTF-8 text", said)
            for call in (lambda: graspmc.check("wide.yaml"), lambda: graspmc.run("wide.yaml", "wide.h5")):
                with self.assertRaises(graspmc.Error) as caught:
                    call()
                self.assertEqual((str(caught.exception), caught.exception.code), (said.strip(), 65))

    def test_estimates_are_in_the_words_of_the_program(self):
        """Randomisations, draws, confidence sequences, unsolved trials: the line that `run` prints."""
        study = "study: {vary: {hand.target.x: [0 mm, 3 mm]}}\n"
        self.lend("quick.yaml")
        self.write("study.yaml", f"use: quick.yaml\n{study}")
        for name, words in (("wilson", ["quick.yaml", "-n", 30]), ("sobol", ["quick.yaml", "--design", "sobol", "-n", 128]),
                            ("study", ["study.yaml", "-n", 12]), ("anytime", ["quick.yaml", "-n", 40, "--until", "half_width<0.01"])):
            done = self.run_program("run", *words, "-o", f"{name}.h5", "-q", code=2 if name == "anytime" else 0)
            self.assertEqual(str(graspmc.Result(self.folder / f"{name}.h5").success), done.stdout.splitlines()[0])
        self.assertIn("randomisations", str(graspmc.Result(self.folder / "sobol.h5").success))

    def test_quantiles(self):
        result = graspmc.run(QUICK, "q.h5", draws=60)
        rows = result.quantile("lift", 0.5, 0.05)
        self.assertEqual([row["p"] for row in rows], [0.05, 0.5])
        self.assertEqual(rows, result.show(quantile="lift:0.05,0.5")["all"]["quantiles"])
        self.assertEqual([row["p"] for row in result.quantile("lift", level=0.9)], [0.05, 0.5, 0.95])

    def test_a_ranking_is_its_places(self):
        result = graspmc.run(ROOT / "test/end_to_end/rank.yaml", "rank.h5")
        self.assertIsNone(result.success.p)
        self.assertRegex(str(result.success), r"^reached: the best 3 within 0\.05: cases \d+, \d+, \d+$")

    def test_d08_warnings_are_warnings(self):
        self.lend("quick.yaml")
        self.write("idle.yaml", f"graspmc: 1\nuse: quick.yaml\nfriction: {{rubber/glass: 0.3, felt/abs: 0.4}}\n")
        for call in (lambda: graspmc.check("idle.yaml"), lambda: graspmc.run("idle.yaml", "idle.h5", draws=2)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
            said = self.run_program("check", "idle.yaml").stderr
            found = [str(one.message) for one in caught]
            self.assertEqual(len(found), said.count(": warning: "))
            self.assertGreater(len(found), 1)
            self.assertEqual("\n".join(found).split(), said.split())
            self.assertEqual({(one.category, one.filename) for one in caught}, {(graspmc.GraspmcWarning, __file__)})

    def test_a_dictionary_is_the_scenario_of_a_file(self):
        (self.folder / "there").mkdir()
        self.lend("there/base.yaml")
        text = {"graspmc": 1, "use": "base.yaml", "object": {"mass": np.float32(0.25)}, "simulation": {"step": "2 ms"}}
        self.write("there/file.yaml", "graspmc: 1\nuse: base.yaml\nobject: {mass: 0.25}\nsimulation: {step: 2 ms}\n")
        graspmc.run("there/file.yaml", "file.h5", draws=6)
        first = graspmc.run(text, "dictionary.h5", folder="there", draws=3)
        self.assertEqual(len(first.trials), 3)
        again = graspmc.run(text, "dictionary.h5", folder="there", draws=6, resume=True)
        with h5py.File("file.h5") as a, h5py.File("dictionary.h5") as b:
            for digest in ("content_digest", "scenario_digest"):
                self.assertEqual(a.attrs[digest], b.attrs[digest])
        self.assertEqual(again.replay(4)["identical"], True)
        # mistakes are shown where they stand, and nothing is left behind
        for call in (lambda: graspmc.check({**text, "object": {"mas": 1}}, folder="there"),
                     lambda: graspmc.run({**text, "object": {"mas": 1}}, "no.h5", folder="there")):
            with self.assertRaisesRegex(graspmc.Error, r'^scenario:[0-9]+:[0-9]+: error: unknown key mas(?s:.*)"mas": 1'):
                call()
        self.assertEqual(sorted(os.listdir("there")), ["base.yaml", "file.yaml"])
        self.assertEqual(graspmc.check(text, folder="there")["scenario"], "scenario")
        with self.assertRaisesRegex(TypeError, "output="):
            graspmc.run(text)
        with self.assertRaisesRegex(TypeError, "folder="):
            graspmc.check("there/file.yaml", folder="there")
        with self.assertRaisesRegex(TypeError, "no value of"):
            graspmc.check({**text, "about": object()}, folder="there")

    def test_trials_frame_joins_names_samples_and_units(self):
        self.lend("quick.yaml")
        self.write("two.yaml", f"graspmc: 1\nuse: quick.yaml\nstudy: {{vary: {{program.0.close.force: [5 N, 20 N]}}}}\n")
        result = graspmc.run("two.yaml", "two.h5", draws=20)
        frame = result.trials_frame()
        self.assertEqual(len(frame), 40)
        with h5py.File("two.h5") as file:
            words = {number: word for word, number in h5py.check_enum_dtype(file["trials"].dtype["outcome"]).items()}
            self.assertEqual(list(frame["outcome"]), [words[number] for number in file["trials"]["outcome"]])
            for row in file["parameters"][:]:
                name = row["name"].decode()
                np.testing.assert_array_equal(frame[name], result.samples[name])
                self.assertEqual(frame.attrs["units"][name], row["unit"].decode())
            np.testing.assert_array_equal(frame["lift"], file["trials"]["lift"])
        self.assertEqual(set(frame["object"]), {"object"})
        self.assertEqual(frame["success"].dtype, bool)
        self.assertEqual(frame["slipped(rubber/abs)"].dtype, bool)
        self.assertEqual(sorted(frame.groupby("program.0.close.force")["trial"].count().items()), [(5.0, 20), (20.0, 20)])
        self.assertEqual([frame.attrs["units"][name] for name in ("t_end", "slip", "max_force")], ["s", "m", "N"])
        self.assertNotIn("outcome", frame.attrs["units"])
        self.assertEqual(frame.attrs["phases"], ["close", "lift"])
        self.assertEqual(frame["success"].sum(), result.success.successes)

    def test_commands_are_those_of_the_program(self):
        whole = graspmc.run(QUICK, "whole.h5", draws=12)
        parts = [graspmc.run(QUICK, f"part{i}.h5", draws=12, shard=f"{i}/3") for i in (1, 2, 3)]
        merged = graspmc.merge(parts, "merged.h5", decide="success>=0.01")
        self.assert_same_bytes("whole.h5", "merged.h5")
        self.assertEqual(merged.success, whole.success)
        firm = graspmc.run(QUICK, "firm.h5", draws=12, set={"program.0.close.force": "30 N"})
        self.assertEqual(whole.compare(firm), self.run_json("compare", "whole.h5", "firm.h5"))
        weak = graspmc.run(QUICK, "weak.h5", draws=12, set={"program.0.close.force": "1 N"})
        for other, rule, verdict in ((whole, "worse by 0.99", False), (weak, "worse by 0.02", True), (firm, "worse by 0.01", None)):
            self.assertIs(graspmc.compare(firm, other, fail_if=rule)["verdict"], verdict)
        self.assertEqual(whole.extract(3, "three")["trial"], 3)
        self.assertEqual(graspmc.check("three/scenario.yaml")["trials"], 1)
        self.assertEqual(whole.export("whole.csv")["trials"], 12)
        self.assertEqual(len(pd.read_csv("whole.csv")), 12)
        self.assertEqual(whole.show(by="object.mass"), graspmc.show("whole.h5", by="object.mass"))
        with self.assertRaisesRegex(graspmc.Error, "one case"):
            whole.rank()
        self.lend("quick.yaml")
        study = self.write("forces.yaml", f"graspmc: 1\nuse: quick.yaml\nstudy: {{vary: {{program.0.close.force: [2 N, 30 N]}}}}\n")
        ranked = graspmc.run(study, draws=20).rank(best=1)
        self.assertEqual(ranked, graspmc.rank("forces.h5", best=1))
        self.assertEqual(graspmc.scenarios(), SCENARIOS)
        for command in ("run", "check"):
            said = self.run_program(command, "--help").stdout
            named = set(inspect.signature(getattr(graspmc, command)).parameters)
            for name in named - {"scenario", "output", "folder", "progress", "options"}:
                self.assertRegex(said, rf"--{name.replace('_', '-')}\b")

    def test_a_scenario_to_start_from(self):
        jaw = SCENARIOS / "models/parallel_jaw.urdf"
        made = graspmc.new(jaw, "cylinder:50x80mm", "start.yaml", material="steel")
        self.assertEqual((made["held"], made["of"], made["output"]), (5, 5, "start.yaml"))
        self.assertIn("surface: steel", (self.folder / "start.yaml").read_text())
        self.assertGreaterEqual(graspmc.run("start.yaml", draws=20).success.successes, 1)
        self.assertIn("box: [50 mm, 50 mm, 50 mm]", graspmc.new(jaw)["scenario"])
        with self.assertRaisesRegex(graspmc.Error, "there already") as caught:
            graspmc.new(jaw, output="start.yaml")
        self.assertEqual(caught.exception.code, 73)
        with self.assertWarnsRegex(graspmc.GraspmcWarning, "no start was found that holds"):
            self.assertEqual(graspmc.new(jaw, "box:150x150x150mm")["held"], 0)
        with self.assertRaisesRegex(graspmc.Error, "did you mean plastic"):
            graspmc.new(jaw, material="plastik")

    def test_progress_is_heard_and_an_interruption_too(self):
        heard = []
        graspmc.run(QUICK, "heard.h5", draws=50, progress=heard.append)
        self.assertEqual((heard[-1]["done"], heard[-1]["total"]), (50, 50))
        # Ctrl-C of a notebook reaches Python alone: the program is ended in good order, and the run goes on later
        def interrupt(_):
            signal.raise_signal(signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            graspmc.run(QUICK, "cut.h5", draws=100000, progress=interrupt)
        self.assertTrue((self.folder / "cut.h5.journal").exists())
        self.assertEqual(threading.active_count(), 1)

    def test_d09_without_h5py(self):
        script = self.write("script.py", f"""
import sys
sys.modules["h5py"] = None  # as if it were not installed
sys.path.insert(0, {str(BUILD)!r})
import graspmc
print(graspmc.check({str(QUICK)!r})["trials"])
result = graspmc.run({str(QUICK)!r}, "bare.h5", draws=4)
print(result.success, len(graspmc.Result("bare.h5", answer=result.answer).answer))
for call in (lambda: graspmc.Result("bare.h5"), lambda: result.trials):
    try:
        call()
    except ModuleNotFoundError as error:
        print(error)
""")
        done = subprocess.run([sys.executable, script], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "1000")
        self.assertRegex(lines[1], "^success .* of 4")
        for line in lines[2:]:
            self.assertRegex(line, rf"^reading a result file needs h5py, which {re.escape(sys.executable)} does not have: "
                             rf"(apt install python3-h5py|{re.escape(sys.executable)} -m pip install h5py)$")
        self.assertEqual(len(lines), 4)

    def test_d09_example_finds_the_module(self):
        done = subprocess.run([ROOT / "scripts/example_map.py", "--help"], env={"PATH": os.environ["PATH"]},
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_example_draws_a_map(self):
        self.lend("gear_map.yaml", SCENARIOS / "gear_map.yaml")
        self.write("map.yaml", f"graspmc: 1\nuse: gear_map.yaml\nstudy:\n  vary:\n"
                   "    hand.target.x: grid(-8 mm, 8 mm, step 8 mm)\n    hand.target.y: grid(-4 mm, 4 mm, step 2 mm)\n")
        done = subprocess.run([ROOT / "scripts/example_map.py", "map.yaml", "map.png", "--draws", "3"],
                              env={**os.environ, "PYTHONPATH": str(BUILD)}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "map.png\n"), done.stderr)
        self.assertEqual((self.folder / "map.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(len(graspmc.Result("map.h5").cases), 15)


if __name__ == "__main__":
    unittest.main()
