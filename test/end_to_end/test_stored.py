"""Whatever ran can be read again: every form of study, by every command that reads results. And what a
scenario is called does not matter."""
import hashlib
import json
import os
import re
import shutil
import unittest

import h5py

from support import QUICK, ROOT, SCENARIOS, Case

HERE = ROOT / "test/end_to_end"

# what is written over the quick demo; a run of it takes less than a second
CHANCE = """
uncertain:
  object.pose.x:       nominal + normal(0 mm, 2 mm)
  object.mass:         normal(0.2 kg, 0.02 kg)
  friction.rubber/abs: lognormal(0.2, 0.25)
"""
FORMS = {
    "draws": "sampling: {draws: 6}",
    "study": "study: {vary: {object.mass: [0.1 kg, 0.2 kg]}, draws: 6}",
    "study_grid": 'study: {vary: {object.mass: "grid(0.1 kg, 0.3 kg, step 0.1 kg)"}}\nsampling: {draws: 4}',
    "study_independent": "study: {vary: {object.mass: [0.1 kg, 0.2 kg]}, draws: 6, independent: true}",
    "study_object": """
object: ~
objects:
  small: {box: [40 mm, 40 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}
  large: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: resting}
study: {vary: [object], draws: 5}""",
    "designs": """
study:
  vary: {object.mass: "between(0.1 kg, 0.3 kg)", program.0.close.force: "between(8 N, 12 N)"}
  designs: 4
  require: [object.mass >= 0.12 kg]
  draws: 5""",
    "map": """
study: {vary: {object.mass: [0.1 kg, 0.2 kg], program.0.close.force: [8 N, 12 N]}, draws: 4}
output: {map: [object.mass, program.0.close.force], histograms: [], trajectories: "every:3"}""",
    "parameters": """
parameters: {cube.mass: 0.2 kg}
object: {mass: 2 * cube.mass / 2}
uncertain: {object.mass: ~, cube.mass: "normal(0.2 kg, 0.02 kg)"}
sampling: {draws: 6}""",
    "correlated": CHANCE + "correlated: {object.mass / friction.rubber/abs: 0.7}\nsampling: {draws: 6}",
    "believed": "believed: {object.pose: {sd: {x: 1 mm, yaw: 1 deg}}}\nsampling: {draws: 6}",
    "csv": "sampling: {draws: ~, design: {csv: rows.csv}}",
    "sobol": "sampling: {design: sobol, draws: 32}",
    "latin_hypercube": "sampling: {design: latin_hypercube, draws: 32, randomisations: 16}",
    "sensitivity": CHANCE + "sampling: {design: sensitivity, draws: 160}",
    "morris": CHANCE + "sampling: {design: morris, draws: 80}",
    "importance": "sampling: {draws: 12, importance: {object.mass: \"triangular(0.1 kg, 0.3 kg, 0.3 kg)\"}}",
    "subset": CHANCE + """
sampling: {draws: ~, subset: {runs: 8, per_level: 100, levels: 2}}""",
    "two_level": "simulation: {step: 2 ms}\nsampling: {draws: 60, two_level: {step: 8 ms, pilot: 30}}",
    "three_levels": "simulation: {step: 2 ms}\nsampling: {draws: 60, two_level: {step: 8 ms, pilot: 30, coarser: [{name: a, step: 16 ms}]}}",
    "stepper": "simulation: {stepper: stewart_trinkle, step: 4 ms}\nsampling: {draws: 4}",
}
RANKED = ("rank", "rank_rounds", "rank_rounds_short")
PLAIN = ("draws", "study", "study_grid", "study_independent", "study_object", "designs", "map", "parameters",
         "correlated", "believed", "csv", "sobol", "latin_hypercube", "sensitivity", "morris", "importance", "stepper")


def study_of(name, text):
    """A scenario of this folder with another study, files named in full."""
    scenario = (HERE / name).read_text(encoding="utf-8")
    head, tail = scenario.split("\nstudy:", 1)
    rest = tail[tail.index("\nsimulation:"):]
    vary = tail[:tail.index("\n  rank:" if "\n  rank:" in tail else "\n  draws:")]
    return f"{head}\nstudy:{vary}{text}{rest}"


class Stored(Case):
    def make(self, form):
        """Write the scenario of a form; its name."""
        self.write("rows.csv", "object.mass [kg],friction.rubber/abs\n0.1,0.2\n0.2,0.25\n0.15,0.1\n0.3,0.3\n")
        if form in FORMS:
            text = f"graspmc: 1\nuse: {QUICK}\n{FORMS[form]}\n"
            # the demo has draws of its own
            text += "" if "\nsampling:" in text else "sampling: {draws: ~}\n"
        else:
            text = {
                "rank": lambda: study_of("rank.yaml", "\n  rank: {best: 3, within: 10 %, budget: 900}\n  draws: 100"),
                "rank_rounds": lambda: study_of("rank.yaml", "\n  rank: {best: 3, within: 10 %, budget: 900}\n"
                                                             "  draws: {first: 8, last: 200}"),
                "rank_rounds_short": lambda: study_of("rank.yaml", "\n  rank: {best: 3, budget: 300}\n  draws: {last: 90}"),
                "ladder": lambda: (HERE / "ladder.yaml").read_text(encoding="utf-8"),
                "ladder_best": lambda: study_of("ladder.yaml", "\n  draws: {first: 4, last: 8, keep: 0.4}\n"
                                                               "  ladder: [geometric, dynamic]\n  goal: best"),
                "ladder_number": lambda: study_of("ladder.yaml", "\n  draws: 8\n  ladder: [geometric, dynamic]"),
            }[form]()
        return self.write(f"{form}.yaml", text).name

    def check_again(self, scenario, *options):
        """What `check --expanded` prints is a scenario that says the same."""
        options = [*options, "--json"]
        plain = json.loads(self.run_program("check", scenario, *options).stdout)
        text = self.run_program("check", scenario, *options[:-1], "--expanded").stdout
        again = self.folder / scenario.parent / f".{scenario.stem}.expanded.yaml"
        if not os.access(again.parent, os.W_OK):
            self.skipTest("the scenarios' folder cannot be written")
        again.write_text(text, encoding="utf-8")
        self.addCleanup(again.unlink)
        self.assertEqual(plain["digest"], json.loads(self.run_program("check", again, "--json").stdout)["digest"])
        self.assertEqual(text, self.run_program("check", again, "--expanded").stdout, scenario)

    def read_all(self, result, is_ranked):
        """All commands that read a result."""
        self.run_json("show", result)
        with h5py.File(self.folder / result) as file:
            trials = [int(t) for t in file["trials"]["trial"]]
            # at the first level of a ladder nothing moves, and a trial of it makes no scenario
            moving = [int(t) for t in file["trials"]["trial"][file["trials"]["t_end"] > 0]]
            has_cases = len(file["cases"]) > 1
        trial = moving[len(moving) // 2]
        self.assertTrue(self.run_json("replay", result, "--trial", trial)["identical"])
        self.assertTrue(self.run_json("extract", result, "--trial", trial, "-o", "taken")["identical"])
        self.run_program("check", "taken/scenario.yaml")
        shutil.rmtree(self.folder / "taken")
        self.assertEqual(len(self.run_program("export", result, "--to", "csv").stdout.splitlines()) - 1, len(trials))
        self.assertIn(result, self.run_program("status", result).stdout)
        if has_cases:
            process = self.start("rank", result, "--json")
            out, err = process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, 2) if is_ranked else (0, 65), err)
            # weighted trials and those of ladders are not ranked, and are told so
            self.assertTrue(process.returncode != 65 or "stored scenario" not in err, err)
            self.assertTrue(process.returncode == 65 or json.loads(out)["cases"])

    def merged(self, scenario, form):
        """The run put together of parts; None where that is refused."""
        if form in PLAIN:
            for i in (1, 2):
                self.run_program("run", scenario, "--shard", f"{i}/2", "-o", f"p{i}.h5", "-q", "--force")
            self.run_program("merge", "p1.h5", "p2.h5", "-o", "all.h5", "-q", "--force")
            return "all.h5"
        if form not in RANKED:
            self.run_program("run", scenario, "--shard", "1/2", "-o", "p.h5", "-q", code=64)
            said = self.run_program("merge", f"{form}.h5", "-o", "all.h5", code=76).stderr
            self.assertIn("is finished: it is whole, no part", said)
            self.assertNotIn("missing", said)
            return None
        state, code = [], 75
        while code == 75:
            after = ["--after", state[-1]] if state else []
            parts = [f"r{len(state)}.{i}.h5" for i in (1, 2)]
            for i, part in enumerate(parts):
                self.run_program("run", scenario, "--shard", f"{i + 1}/2", *after, "-o", part, "-q")
            state.append(f"s{len(state)}.h5")
            process = self.start("merge", *parts, *state[-2:-1], "-o", state[-1], "-q")
            _, err = process.communicate(timeout=60)
            code = process.returncode
            self.assertIn(code, (0, 2, 75), err)
        return state[-1]

    def round_trip(self, form):
        scenario = self.make(form)
        self.check_again(self.folder / scenario)
        is_ranked, one = form in RANKED, f"{form}.h5"
        process = self.start("run", scenario, "-o", one, "-q", "-j", 1)
        _, err = process.communicate(timeout=120)
        self.assertIn(process.returncode, (0, 2) if is_ranked else (0,), err)
        self.read_all(one, is_ranked)
        whole = self.merged(scenario, form)
        if whole:
            self.assert_same_bytes(one, whole)
        # again: nothing to do; and from the journal that an interruption leaves
        before = hashlib.sha256((self.folder / one).read_bytes()).digest()
        self.start("run", scenario, "-o", one, "-q", "--resume").communicate(timeout=60)
        self.assertEqual(before, hashlib.sha256((self.folder / one).read_bytes()).digest())
        cut = self.start("run", scenario, "-o", "cut.h5", "-q", "-j", 1, "--time-limit", "0.02")
        cut.communicate(timeout=60)
        self.start("run", scenario, "-o", "cut.h5", "-q", "--resume").communicate(timeout=60)
        self.assert_same_bytes(one, "cut.h5")


def add_test(form):
    setattr(Stored, f"test_d03_{form}", lambda self: self.round_trip(form))


# a second each; the rest is for those who wait
OFTEN = ("study", "designs", "csv", "sobol", "two_level", "rank_rounds", "ladder")
REST = [form for form in (*FORMS, *RANKED, "ladder_best", "ladder_number") if form not in OFTEN]
for _form in REST if os.environ.get("GRASPMC_FORMS") == "rest" else OFTEN:
    add_test(_form)


class Shipped(Stored):
    """The scenarios that come with the program, a few trials of each."""

    def test_d03_shipped_scenarios_check_again_as_they_are_expanded(self):
        shutil.copytree(SCENARIOS, self.folder / "scenarios")
        for path in sorted((self.folder / "scenarios").glob("*.yaml")):
            with self.subTest(path.stem):
                self.check_again(path)

    def test_d03_a_ranking_of_grasps_with_rounds_in_its_draws(self):
        scenario = self.write("grasps.yaml", f"""use: {SCENARIOS}/rank_grasps.yaml
study: {{vary: [object, grasp], draws: {{first: 2, last: 4}}, rank: {{best: 1, within: 30 %, budget: 60}}}}
""")
        self.start("run", scenario, "-o", "g.h5", "-q").communicate(timeout=120)
        self.read_all("g.h5", True)
        best = self.start("rank", "g.h5", "--best", 1, "-o", "best.yaml")
        best.communicate(timeout=60)
        self.assertIn(best.returncode, (0, 2))
        self.assertTrue(list(self.folder.glob("best*.yaml")))


# each form once, with Stored
for _name in [name for name in dir(Stored) if name.startswith("test_")]:
    setattr(Shipped, _name, None)


class Spelling(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "a/scen").mkdir(parents=True)
        shutil.copytree(SCENARIOS / "models", self.folder / "a/scen/models")
        self.write("a/scen/quick.yaml", QUICK.read_text(encoding="utf-8").replace("../../scenarios/models", "models"))
        self.write("a/rel.yaml", "use: scen/quick.yaml\nsampling: {draws: 6}\n")
        self.write("a/abs.yaml", f"use: {self.folder}/a/scen/quick.yaml\nsampling: {{draws: 6}}\n")
        (self.folder / "link").symlink_to("a")

    def test_d03b_the_bytes_do_not_depend_on_how_the_scenario_is_named(self):
        names = [f"{self.folder}/a/%s", "a/%s", "./a/../link/%s", f"{self.folder}/link/%s", f"{self.folder}//a/./%s"]
        digests = set()
        for scenario in ("abs.yaml", "rel.yaml"):
            for i, name in enumerate(names):
                self.run_program("run", name % scenario, "-o", f"{i}.h5", "-q", "--force")
                self.assert_same_bytes("0.h5", f"{i}.h5")
            with h5py.File(self.folder / "0.h5") as file:
                digests.add(file.attrs["scenario_digest"])
                files = [name.decode() for name in file["scenario/assets/index"]["name"]]
                self.assertEqual(sorted(files), sorted(set(files)))
                self.assertIn("scen/models/parallel_jaw.urdf", files)
        self.assertEqual(len(digests), 1)

    def test_d03b_parts_of_a_scenario_named_in_full_are_merged_and_resumed(self):
        for i in (1, 2):
            self.run_program("run", f"{self.folder}/a/abs.yaml", "--shard", f"{i}/2", "-o", f"{i}.h5", "-q")
        self.run_program("merge", "1.h5", "2.h5", "-o", "all.h5", "-q")
        self.run_program("run", "link/abs.yaml", "-o", "whole.h5", "-q")
        self.assert_same_bytes("whole.h5", "all.h5")
        self.run_program("replay", "all.h5", "--trial", 3)
        self.run_program("run", "a/rel.yaml", "-n", 9, "-o", "all.h5", "-q", "--resume")

    def test_d03b_a_refusal_names_what_differs(self):
        self.run_program("run", "a/rel.yaml", "-o", "r.h5", "-q")
        found = self.run_program("run", "a/rel.yaml", "-n", 12, "--set", "program.0.close.force=11 N", "-o", "r.h5",
                                 "-q", "--resume", code=76).stderr
        self.assertIn("program.0.close.force is 10 N there, 11 N here", found)
        self.assertNotIn("draws", found)
        urdf = self.folder / "a/scen/models/parallel_jaw.urdf"
        before, after = (hashlib.sha256(text).hexdigest()[:12] for text in (
            urdf.read_bytes(), urdf.read_bytes() + b"<!-- other -->\n"))
        with open(urdf, "a", encoding="utf-8") as file:
            file.write("<!-- other -->\n")
        found = self.run_program("run", "a/rel.yaml", "-n", 12, "-o", "r.h5", "-q", "--resume", code=76).stderr
        self.assertIn(f"the file scen/models/parallel_jaw.urdf is {before} there, {after} here", found)
        self.run_program("run", "a/rel.yaml", "--shard", "2/2", "-o", "2.h5", "-q")
        urdf.write_bytes(urdf.read_bytes()[:-len(b"<!-- other -->\n")])
        self.run_program("run", "a/rel.yaml", "--shard", "1/2", "-o", "1.h5", "-q")
        found = self.run_program("merge", "1.h5", "2.h5", "-o", "all.h5", code=76).stderr
        self.assertIn("parallel_jaw.urdf is", found)

    def test_d03b_a_urdf_that_names_its_meshes_in_full(self):
        urdf = self.folder / "a/scen/models/parallel_jaw.urdf"
        mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        self.write("a/scen/models/tip.obj", mesh)
        text = urdf.read_text(encoding="utf-8")
        box = re.search(r"<box size=\"[^\"]*\"\s*/>", text).group()
        urdf.write_text(text.replace(box, f'<mesh filename="{self.folder}/a/scen/models/tip.obj" scale="0.01 0.01 0.01"/>', 1),
                        encoding="utf-8")
        for i, name in enumerate(("a/rel.yaml", f"{self.folder}/a/rel.yaml", "link/abs.yaml")):
            self.run_program("run", name, "-o", f"{i}.h5", "-q", "-n", 2)
        self.assert_same_bytes("0.h5", "1.h5")
        self.run_program("replay", "2.h5", "--trial", 1)
        with h5py.File(self.folder / "0.h5") as file:
            self.assertIn(b"scen/models/tip.obj", list(file["scenario/assets/index"]["name"]))


class Absent(Case):
    def test_d15_a_key_that_the_base_lacks_may_be_taken_away(self):
        self.write("s.yaml", f"use: {QUICK}\nsampling: {{draws: ~}}\noutput: ~\nhand: {{joints: {{left: ~}}}}\n"
                             "study: {vary: {object.mass: [0.1 kg, 0.2 kg]}, draws: 3}\nclutter: ~\nabout: ~\n")
        self.assertEqual(self.run_json("check", "s.yaml")["draws"], 3)
        found = self.run_program("check", self.write("t.yaml", f"use: {QUICK}\nsmapling: ~\n"), code=65).stderr
        self.assertIn("did you mean sampling?", found)


if __name__ == "__main__":
    unittest.main()
