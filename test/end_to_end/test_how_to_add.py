"""What ARCHITECTURE.md says of adding things is so: patches of test/how_to_add, put on a copy of the tree, touch the
files that it lists and no others, keep to the rooms, build, and what they add can be asked for.
"""
import json
import math
import re
import shutil
import subprocess
import unittest

import support

PATCHES = support.ROOT / "test/how_to_add"
THINGS = ("law", "measure", "distribution", "study method", "option that stands in for a key")
PATCH_OF = {thing: thing.replace(" ", "_") for thing in THINGS[:4]} | {
    THINGS[4]: "option",
    # built by tests of their own, and listed on the page as well
    "trajectory array": "trajectory_array", "number of a trial": "trial_field", "scenario key": "scenario_key"}
SOURCES_MOST = {"study method": 6}
# the list of rooms with the room of the new law
BEFORE_ROOM = "| `engine/complementarity` |"
NEW_ROOM = "| `engine/contact/floating` | bodies that float | floating |\n"
FALL = """
graspmc: 1
object: {sphere: {radius: 20 mm}, mass: 0.1 kg, surface: abs, pose: {z: 1 m}, placed: as_given}
friction: {}
program: [{hold: {for: 0.2 s}}]
success: {at_end: [SUCCESS]}
simulation: {stepper: floating, half_step: 0, early: {falling: false}}
"""


class HowToAdd(support.Case):
    @classmethod
    def setUpClass(cls):
        """The program of a copy of the tree with all patches: none touches what another adds."""
        super().setUpClass()
        cls.holder = support.Case()
        cls.holder.setUp()
        tree = cls.holder.folder / "tree"
        names = subprocess.run([support.ROOT / "scripts/sources"], check=True, text=True, capture_output=True).stdout
        for name in names.splitlines():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(support.ROOT / name, tree / name)
        for thing in THINGS:
            subprocess.run(["patch", "--batch", "-p1", "-i", PATCHES / f"{PATCH_OF[thing]}.patch"], cwd=tree, check=True,
                           capture_output=True)
        page = tree / "ARCHITECTURE.md"
        listed = page.read_text(encoding="utf-8")
        page.write_text(listed.replace(BEFORE_ROOM, NEW_ROOM + BEFORE_ROOM, 1), encoding="utf-8")
        cls.rooms = subprocess.run([tree / "scripts/check_rooms"], text=True, capture_output=True, check=False)
        subprocess.run(["cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DBUILD_TESTING=OFF",
                        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1"], check=True, capture_output=True)
        built = subprocess.run(["cmake", "--build", tree / "build", "--target", "graspmc", "--parallel", "2"], text=True,
                               capture_output=True, check=False)
        assert built.returncode == 0, built.stdout[-4000:]
        cls.program = tree / "build/graspmc"

    @classmethod
    def tearDownClass(cls):
        cls.holder.doCleanups()
        super().tearDownClass()

    def ask(self, *words):
        said = subprocess.run([self.program, *words], cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertIn(said.returncode, (0, 2, 64, 65), said.stderr)
        return said.stdout + said.stderr

    def does_succeed(self, success, *words):
        """Does a ball that falls for 0.2 s succeed at that?"""
        self.write("fall.yaml", FALL.replace("SUCCESS", success))
        return self.ask("run", "fall.yaml", "-n", "1", "-o", "fall.h5", "--force", *words).startswith("success 1 ")

    def falls(self, depth, *words):
        """Does it fall by `depth` [m], to 0.01 mm?"""
        least, most = (f"{-1e3 * depth + way:.6f} mm" for way in (-0.01, 0.01))
        return self.does_succeed(f"lift(object) >= {least}, lift(object) <= {most}", *words)

    def test_files_are_those_of_the_page(self):
        page = (support.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        how = page[page.index("## How to add"):]
        rows = dict(re.findall(r"^\| ([a-z ]+) \| (.*?) \|", how, re.M))
        self.assertEqual(sorted(PATCH_OF.values()), sorted(patch.stem for patch in PATCHES.glob("*.patch")))
        for thing, name in PATCH_OF.items():
            with self.subTest(thing=thing):
                patch = (PATCHES / f"{name}.patch").read_text(encoding="utf-8")
                touched = re.findall(r"^\+\+\+ b/(\S+)", patch, re.M)
                self.assertEqual(sorted(touched), sorted(re.findall(r"`([^`]+)`", rows[thing])))
                self.assertLessEqual(len([name for name in touched if name.endswith((".c", ".h"))]), SOURCES_MOST.get(thing, 5))

    def test_rooms_let_them_in(self):
        """Nothing but the list of rooms has to know a new room or file."""
        self.assertEqual(self.rooms.returncode, 0, self.rooms.stdout + self.rooms.stderr)

    def test_law(self):
        gravity, time, drag = 9.81, 0.2, 5
        slow = gravity / drag * (time - (1 - math.exp(-drag * time)) / drag)
        self.assertTrue(self.falls(gravity * time**2 / 2))
        self.assertFalse(self.falls(slow))
        self.assertTrue(self.falls(slow, "--set", "simulation.drag=5 Hz"))
        said = self.ask("check", "fall.yaml", "--expanded")
        self.assertIn("drag: 0 Hz", said)
        self.assertIn("solver: explicit", said)
        said = self.ask("check", "fall.yaml", "--set", "simulation.stepper=coulomb", "--set", "simulation.drag=5 Hz")
        self.assertIn("simulation.drag: it belongs to the stepper floating; coulomb has none", said)
        said = self.ask("check", "fall.yaml", "--set", "simulation.motion=quasi_static")
        self.assertIn("floating does not know quasi_static", said)
        self.assertIn("floating: bodies that float: gravity and drag, no contact", self.ask("--schema"))

    def test_measure(self):
        self.assertTrue(self.does_succeed("rising(object) <= -1.961 m/s, rising(object) >= -1.963 m/s"))
        self.assertFalse(self.does_succeed("rising(object) >= 0 m/s"))
        self.write("fall.yaml", FALL.replace("SUCCESS", "rysing(object) >= 0 m/s"))
        self.assertIn("rising", self.ask("check", "fall.yaml"))

    def test_distribution(self):
        """P(x >= 0.3) of an exponential law of mean 1 is exp(-0.3), within 4.5 standard deviations of 400 draws."""
        self.write("draws.yaml", support.ball_at("ball.z", "ball.z: 1", "  ball.z: exponential(1)"))
        said = self.ask("run", "draws.yaml", "-n", "400", "-o", "draws.h5")
        self.assertAlmostEqual(float(said.split()[1]), math.exp(-0.3), delta=0.1)
        self.assertIn("exponential(1)", self.ask("check", "draws.yaml"))
        self.assertIn("the mean must be > 0, found -1", self.ask("check", "draws.yaml", "--set", "uncertain.ball.z=exponential(-1)"))

    def test_option(self):
        """Ten steps of 2 ms end before the 0.2 s of the fall do: no trial has a verdict."""
        self.write("fall.yaml", FALL.replace("SUCCESS", "rising(object) <= 0 m/s"))
        self.assertIn("unsolved", self.ask("run", "fall.yaml", "-n", "1", "-o", "fall.h5", "--step-limit", "10"))
        self.assertIn("step_limit: 10\n", self.ask("check", "fall.yaml", "--expanded", "--step-limit", "1e1"))
        self.assertIn("--step-limit: as in the scenario", self.ask("run", "--help"))
        self.assertIn("step-limit", self.ask("--completion", "bash"))
        self.assertIn("--step-limit: expects a whole number from 1 to 1e9", self.ask("run", "fall.yaml", "--step-limit", "0"))

    def test_study_method(self):
        """Draws until 20 have failed: rounds of 100, of which the trials up to the 20th failure count."""
        fall = FALL.replace("SUCCESS", "height(object) >= 0.98 m").replace("0.2 s", "0.05 s")
        self.write("until.yaml", fall.replace("stepper: floating, ", "") +
                   "uncertain: {object.pose.z: 'nominal + normal(0 m, 10 mm)'}\n"
                   "sampling: {draws: 4000, failures: 20, seed: 3}\n")
        self.ask("run", "until.yaml", "-o", "until.h5")
        answer = json.loads(self.ask("show", "until.h5", "--json"))
        self.assertEqual(answer["success"]["failures"], 20)
        counted = answer["success"]["successes"] + 20
        self.assertLessEqual(counted, answer["trials"])
        self.assertLess(answer["trials"] - 100, counted)
        self.assertAlmostEqual(answer["unbiased_failure"], 19 / (counted - 1), delta=1e-12)
        self.assertIn(f"20 failures in {counted} draws", self.ask("show", "until.h5"))
        said = self.ask("replay", "until.h5", "--trial", "3999")
        self.assertIn("the inverse sampling did not ask for it", said)
        said = self.ask("check", "until.yaml", "--set", "sampling.design=sobol", "--set",
                        "sampling.draws=4096")
        self.assertIn("goes with random draws of one case alone", said)


if __name__ == "__main__":
    unittest.main()
