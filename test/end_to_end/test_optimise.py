"""graspmc optimise: numbers in ranges chosen for success."""
import importlib.util
import math
import os
import pathlib
import shutil
import signal
import tempfile
import time
import unittest

import h5py

from support import BUILD, ROOT, Case, long_one, without_sanitizers

spec = importlib.util.spec_from_file_location("graspmc", BUILD / "graspmc.py")
graspmc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(graspmc)

FILES = [f"round.{k}.h5" for k in range(8)] + ["best.h5"]
SCENE = f"""graspmc: 1
use: {ROOT}/test/end_to_end/quick.yaml
parameters: {{spare.part: 1 N}}
sampling: {{draws: ~}}
study:
  vary: {{%s}}
  optimise: {{budget: %d}}
"""
FORCE = 'program.0.close.force: "between(2 N, 40 N)"'
SPARE = 'spare.part: "between(1 N, 2 N)"'


def samples(file, name):
    """What every trial had of a parameter."""
    return file["samples"][:, list(file["parameters"]["name"]).index(name.encode())].tolist()


class Optimise(Case):
    found = None

    def scene(self, vary, budget=1848, name="s.yaml"):
        (self.folder / name).write_text(SCENE % (vary, budget))
        return name

    def optimise(self, *words, code=0, **options):
        return self.run_program("optimise", "s.yaml", "--allow", ROOT, *words, code=code, **options)

    def find_force(self):
        """The force optimised in folder a, and what is said of it. Run once for all tests that ask for it."""
        self.scene(FORCE)
        if not Optimise.found:
            kept = pathlib.Path(tempfile.mkdtemp(prefix="graspmc-"))
            self.addClassCleanup(shutil.rmtree, kept)
            out = self.optimise("-o", "a").stdout
            shutil.copytree(self.folder / "a", kept / "a")
            Optimise.found = kept / "a", out
        else:
            shutil.copytree(Optimise.found[0], self.folder / "a")
        return Optimise.found[1]

    def assert_same_folder(self, a, b):
        for name in FILES:
            self.assert_same_bytes(f"{a}/{name}", f"{b}/{name}")

    def test_where_nothing_succeeds_no_number_is_better(self):
        self.scene('program.0.close.force: "between(0.1 N, 1 N)"')
        out = self.optimise("-o", "a", "-q").stdout
        self.assertIn("no trial of the search succeeded: no number is better than another\n", out)
        answer = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "a")
        self.assertEqual((answer["succeeded"], answer["left_by_surface"]), (False, None))

    def test_finds_the_force_and_says_what_it_found(self):
        out = self.find_force()
        answer = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "a")  # finished: no trial is run
        (number,) = answer["numbers"]
        self.assertGreater(number["value"], 15)  # all are held from mg/(2 mu) = 18.4 N on
        self.assertTrue(number["matters"] and answer["succeeded"])
        self.assertEqual((number["lower"], number["upper"], number["unit"]), (2, 40, "N"))
        self.assertEqual(answer["trials"], 1848)
        with h5py.File(self.folder / "a/best.h5") as best:
            trials, wins = len(best["trials"]), int((best["trials"]["outcome"] == 0).sum())
            seeds = {best["provenance"].attrs["seed"]}
        self.assertEqual(trials, answer["success"]["successes"] + answer["success"]["failures"])
        self.assertEqual(wins, answer["success"]["successes"])
        designs = set()
        for k in range(8):
            with h5py.File(self.folder / f"a/round.{k}.h5") as round_:
                seeds.add(round_["provenance"].attrs["seed"])
                forces = samples(round_, "program.0.close.force")
                here = {trial["case"]: forces[i] for i, trial in enumerate(round_["trials"][:])}
            self.assertEqual(len(set(here.values())), len(here))  # no design twice, on the same draws
            designs.update(here.values())
        self.assertEqual(answer["designs"], len(designs))
        self.assertEqual(len(seeds), 9)  # chance of its own in every round
        self.assertIn(f"success {answer['success']['p']:.3f} [", out)
        self.assertIn("  program.0.close.force  ", out)
        self.assertIn(f"chosen after {1848 - trials} trials of {answer['designs']} designs; the {trials} trials of the answer are others", out)
        self.assertIn("a guess, no bound\noutput a/best.h5\n", out)
        shown = self.run_program("show", "a/best.h5").stdout
        self.assertIn(out.splitlines()[0], shown.splitlines())

    @long_one
    def test_of_designs_that_tie_the_middle_is_chosen(self):
        self.scene('program.0.close.force: "between(20 N, 40 N)"')
        goal = ["--set", "study.optimise.goal=smallest quantile(0 * slip, 0.9)"]  # 0 in every trial
        out = self.optimise("-o", "a", "-q", *goal).stdout
        found = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "a", *goal)
        (number,) = found["numbers"]
        self.assertEqual((number["value"], number["tied_lower"], number["tied_upper"]), (30, 20, 40))
        self.assertFalse(number["is_at_end"])
        self.assertEqual(found["ties"], found["designs"])
        self.assertEqual(found["deep_starts"]["trials"], 0)
        self.assertIn("  program.0.close.force  30 N, of 20 ... 40; designs tie from 20 to 40\n"
                      f"{found['ties']} of {found['designs']} designs tie: 0 * slip is the best of all in every one of their "
                      "trials; chosen is the one farthest from the ends of the ranges and from designs that did worse\n", out)
        # ... and of those none of whose trials failed, which are those of the plateau alone
        self.scene(FORCE)
        out = self.optimise("-o", "b").stdout
        found = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "b")
        (number,) = found["numbers"]
        self.assertTrue(2 <= found["ties"] < found["designs"])
        self.assertGreater(number["tied_lower"], 10)
        self.assertTrue(number["tied_lower"] < number["value"] < number["tied_upper"])
        self.assertIn("designs tie: all their trials succeeded; chosen is", out)
        # a force that is the better the larger it is
        large = ["--set", "study.optimise.goal=largest quantile(max_force, 0.1)"]
        self.assertIn("; it stands at an end of its range\n", self.optimise("-o", "c", *large).stdout)
        found = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "c", *large)
        self.assertEqual((found["ties"], found["numbers"][0]["is_at_end"]), (0, True))

    def test_one_interval_in_text_json_and_file(self):
        # a part of the step goes into it, and what is left to gain is less its lower end
        self.scene(FORCE)
        out = self.optimise("-o", "a", "--set", "simulation.half_step=0.2").stdout
        answer = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "a", "--set", "simulation.half_step=0.2")
        success = self.run_json("show", "a/best.h5")["success"]
        self.assertLess(success["lower"], success["sampling_lower"])
        self.assertEqual(answer["success"], success)
        self.assertEqual(out.splitlines()[0], "success " + success["text"])
        told = float(out.split("left to gain in the ranges: up to ")[1].split(",")[0])
        self.assertAlmostEqual(told, answer["left_by_surface"], delta=0.05 * told + 1e-12)  # two digits
        self.assertLessEqual(answer["left_by_surface"], 1 - success["lower"])
        self.assertGreater(answer["left_by_surface"], success["p"] - success["lower"] - 0.02)  # the surface is near p

    @without_sanitizers
    @long_one
    def test_the_same_bytes_for_any_workers_parts_and_after_interruptions(self):
        self.scene(FORCE)
        self.optimise("-o", "a", "-j", 1, "-q")
        for jobs in (2, 7):
            self.optimise("-o", f"j{jobs}", "-j", jobs, "-q")
            self.assert_same_folder("a", f"j{jobs}")
        for name in FILES[4:]:
            (self.folder / "j2" / name).unlink()
        self.optimise("-o", "j2", "-q")
        self.assert_same_folder("a", "j2")
        for name in FILES:
            for part in (2, 1, 3):
                out = self.optimise("-o", "p", "--shard", f"{part}/3").stdout
            merge = out.splitlines()[1].split()
            self.assertEqual(merge[:2], ["graspmc", "merge"])
            self.run_program("merge", *[f"p/{name[:-3]}.{i}of3.h5" for i in (1, 2, 3)], "-o", merge[-1], "-q")
        self.assertIn("chosen after", self.optimise("-o", "p", "--shard", "1/3").stdout)
        self.assert_same_folder("a", "p")

    def test_goes_on_after_a_signal(self):
        self.find_force()
        process = self.start("optimise", "s.yaml", "--allow", ROOT, "-o", "b", "-j", 1)
        while not (self.folder / "b/round.2.h5.journal").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, err)
        self.assertIn("resume: graspmc optimise s.yaml", err)
        self.assertFalse((self.folder / "b/best.h5").exists())
        self.optimise("-o", "b", "-q")
        self.assert_same_folder("a", "b")

    @without_sanitizers
    def test_a_number_that_nothing_depends_on(self):
        self.scene(FORCE + ", " + SPARE, 2160)
        out = self.optimise("-o", "a").stdout
        self.assertRegex(out, r"\n  spare.part +any value: no trial changed between the ends of its range, with the others in their middles\n")
        with h5py.File(self.folder / "a/round.3.h5") as round_:
            self.assertEqual(set(samples(round_, "spare.part")), {1.5})
        self.scene(SPARE)
        out = self.optimise("-o", "b", code=2).stdout
        self.assertIn("nothing to choose: success does not depend on this number", out)
        self.assertFalse((self.folder / "b/round.1.h5").exists())

    @without_sanitizers
    @long_one
    def test_where_no_trial_succeeds_in_the_middle_no_number_is_said_to_be_any(self):
        """They may all end before the number is met."""
        self.scene(FORCE.replace("40 N", "3 N") + ", " + SPARE, 2160)
        out = self.optimise("-o", "a").stdout
        with h5py.File(self.folder / "a/round.0.h5") as round_:
            self.assertEqual((round_["trials"]["outcome"][round_["trials"]["case"] == 0] == 0).sum(), 0)
        self.assertNotIn("any:", out)

    def test_mistakes_are_told_at_once(self):
        self.scene('program.0.close.forze: "between(1 N, 2 N)", hand.target.z: "between(2 mm, 1 mm)", '
                   'object.mass: "between(0.1 kg, 0.2 kg)", hand.target.x: [1 mm, 2 mm]', 23)
        err = self.optimise(code=65).stderr
        for text in ("unknown parameter program.0.close.forze", "the second number must be larger",
                     "study.optimise: object.mass is chosen here, and uncertain puts another number in its place",
                     "study.optimise: hand.target.x is not between two numbers",
                     "study.optimise.budget: 23 trials are too few for 4 numbers: at least 2784"):
            self.assertIn(text, err)
        self.assertFalse((self.folder / "s.optimise").exists())
        self.scene(FORCE)
        self.run_program("run", "s.yaml", "--allow", ROOT, code=64)
        err = self.optimise("--set", "study.optimise=~", code=65).stderr
        self.assertIn("how many designs is not said", err)
        err = self.run_program("optimise", ROOT / "test/end_to_end/quick.yaml", code=65).stderr
        self.assertIn("the scenario has no study.optimise", err)

    def test_another_optimisation_in_the_folder_is_refused(self):
        self.find_force()
        before = (self.folder / "a/best.h5").read_bytes()
        err = self.optimise("-o", "a", "--seed", 7, code=76).stderr
        self.assertIn("this is the result of another run, which this one does not continue: seed is 1 there, 7 here\nhint: -o chooses another folder\n", err)
        self.assertEqual((self.folder / "a/best.h5").read_bytes(), before)
        # a larger budget would grow the first round
        first = (self.folder / "a/round.0.h5").read_bytes()
        for change, told in (("study.optimise.budget=2100", "study.optimise.budget is 1848 there, 2100 here"),
                             ("study.optimise.goal=lower", "study.optimise.goal is success there, lower here"),
                             ("study.vary={program.0.close.force: \"between(2 N, 30 N)\"}",
                              "study.vary.program.0.close.force is between(2, 40) there, between(2, 30) here")):
            err = self.optimise("-o", "a", "--set", change, code=76).stderr
            self.assertIn(f"a/study.txt: error: the optimisation in this folder is another one, which this one does not continue: {told}\n"
                          "hint: -o chooses another folder\n", err)
            self.assertEqual((self.folder / "a/round.0.h5").read_bytes(), first)
        self.assertIn("from 1848 on", self.run_program("optimise", "--help").stdout)

    @without_sanitizers
    @long_one
    def test_a_quantile_as_goal(self):
        """Of the chosen design's own draws, every one of them whole."""
        self.scene(FORCE)
        goal = ["--set", "study.optimise.goal=smallest quantile(slip * 1000, 0.9)"]
        out = self.optimise("-o", "a", "-j", 2, *goal).stdout
        self.assertRegex(out, r"^0.9 quantile of slip \* 1000 \S+ \[\S+, \S+\] 95 % order statistics, 616 trials; "
                              r"made as small as can be\nsuccess ")
        self.assertNotIn("left to gain", out)
        found = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "a", *goal)
        with h5py.File(self.folder / "a/best.h5") as best:
            slip = sorted(best["trials"]["slip"] * 1000)
            self.assertEqual(set(best["trials"]["decided_by"]) - {3}, {0} & set(best["trials"]["decided_by"]))
        self.assertEqual(found["quantile"]["value"], slip[math.ceil(0.9 * len(slip)) - 1])
        self.assertTrue(found["quantile"]["lower"] <= found["quantile"]["value"] <= found["quantile"]["upper"])
        self.assertEqual((found["quantile"]["trials"], found["quantile"]["open"], found["left_by_surface"]), (616, 0, None))
        self.assertTrue(found["succeeded"])
        self.assertGreater(found["numbers"][0]["value"], 15)  # below 18.4 N the heavier ones slip away
        self.optimise("-o", "b", "-j", 1, "-q", *goal)
        self.assert_same_folder("a", "b")
        large = ["--set", "study.optimise.goal=largest quantile(max_force, 0.1)"]
        found = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "c", *large)
        self.assertGreater(found["numbers"][0]["value"], 37)  # of 40
        for wrong, told in (("smallest quantile(slipp, 0.9)", "study.optimise.goal:1:1: error: unknown column slipp"),
                            ("smallest quantile(slip, 1)", "expected success, lower, smallest quantile(MEASURE, P)"),
                            ("quantile(slip, 0.9)", "expected success, lower, smallest quantile(MEASURE, P)"),
                            ("smallest quantile(, 0.9)", "expected success, lower, smallest quantile(MEASURE, P)")):
            err = self.optimise("-o", "d", "--set", f"study.optimise.goal={wrong}", code=65).stderr
            self.assertIn(told, err)
        self.assertFalse((self.folder / "d").exists())

    def test_a_quantile_that_a_design_cannot_tell_is_refused(self):
        self.scene(FORCE)
        goal = ["--set", "study.optimise.goal=smallest quantile(slip, 0.99)"]
        err = self.optimise("-o", "a", *goal, code=65).stderr
        self.assertIn("study.optimise.goal: a budget of 1848 gives a design 16 draws, too few to tell its 0.99 quantile: "
                      "75 are needed\n", err)
        self.assertIn("hint: budget: 8663, or a quantile nearer to 0.5\n", err)
        self.assertFalse((self.folder / "a").exists())
        self.scene(FORCE, budget=8663)
        self.run_program("check", "s.yaml", "--allow", ROOT, *goal)

    @without_sanitizers
    def test_of_a_quantile_that_no_trial_has_no_number_is_better(self):
        self.scene('program.0.close.force: "between(30 N, 40 N)"')
        goal = ["--set", "study.optimise.goal=largest quantile(t_violated, 0.5)"]
        out = self.optimise("-o", "a", "-j", 2, "-q", *goal).stdout
        self.assertIn("0.5 quantile of t_violated: no trial of the answer has this number\n", out)
        self.assertIn("no trial of the search has this number: no number is better than another\n", out)
        found = self.run_json("optimise", "s.yaml", "--allow", ROOT, "-o", "a", *goal)
        self.assertEqual((found["succeeded"], found["quantile"]["value"], found["quantile"]["trials"]), (False, None, 0))

    def test_from_python(self):
        self.scene(FORCE)
        os.chdir(self.folder)
        part = graspmc.optimise("s.yaml", "p", shard="1/2", allow=str(ROOT))
        self.assertEqual((part["round"], part["part"], part["parts"], part["output"]), (0, 1, 2, "p/round.0.1of2.h5"))
        found = graspmc.optimise("s.yaml", "a", jobs=2, set={"study.optimise.budget": 1900}, allow=str(ROOT))
        self.assertGreater(found["numbers"][0]["value"], 15)
        self.assertEqual(found["budget"], 1900)
        self.assertEqual(found["best"].success.p, found["success"]["p"])
        with self.assertRaisesRegex(graspmc.Error, "study.optimise.budget is 1900 there, 1848 here"):
            graspmc.optimise("s.yaml", "a", allow=str(ROOT))

    def test_axes_taken_together(self):
        text = f"graspmc: 1\nuse: {ROOT}/test/end_to_end/quick.yaml\nsampling: {{draws: 4}}\nstudy: {{vary: {{%s}}, together: true}}\n"
        (self.folder / "t.yaml").write_text(text % "program.0.close.force: [5 N, 20 N, 9 N], hand.target.z: [1 mm, 0 mm, 2 mm]")
        self.run_program("run", "t.yaml", "--allow", ROOT, "-o", "t.h5", "-q")
        with h5py.File(self.folder / "t.h5") as file:
            rows = [(round(f, 6), round(z, 6)) for f, z in
                    zip(samples(file, "program.0.close.force"), samples(file, "hand.target.z"))]
        self.assertEqual(rows[:3], [(5, 0.001), (20, 0), (9, 0.002)])
        self.assertEqual(len(rows), 12)
        (self.folder / "t.yaml").write_text(text % "program.0.close.force: [5 N, 20 N], hand.target.z: [1 mm, 0 mm, 2 mm]")
        err = self.run_program("check", "t.yaml", "--allow", ROOT, code=65).stderr
        self.assertIn("study.together: hand.target.z has 3 values, program.0.close.force has 2", err)


if __name__ == "__main__":
    unittest.main()
