"""A key of the scenario language is two places: its row, and its user. test/how_to_add/scenario_key.patch adds one
(`simulation.gravity_share`) to a copy of the tree; the program that is built of it knows, tells and uses the key.
"""
import json
import pathlib
import shutil
import subprocess
import unittest

import support

PATCH = support.ROOT / "test/how_to_add/scenario_key.patch"
PRODUCT = ("engine/", "sampling/", "cli/")

# in 0.1 s a ball falls by 49 mm, with a quarter of gravity by 12 mm
BALL = """
graspmc: 1
object: {sphere: {radius: 10 mm}, mass: 0.1 kg, surface: abs, pose: {z: 500 mm}}
friction: {}
program:
  - hold: {for: 0.1 s}
success:
  at_end: [height(object) >= 470 mm]
simulation: {early: {falling: false}}
"""


def copy_tree(folder):
    names = subprocess.run([support.ROOT / "scripts/sources"], check=True, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(support.ROOT / name, folder / name)


class HowToAddKey(support.Case):
    def test_the_patch_is_two_files_of_the_product(self):
        touched = [line[6:] for line in PATCH.read_text().splitlines() if line.startswith("+++ b/")]
        self.assertLessEqual(len([name for name in touched if name.startswith(PRODUCT)]), 2)

    def test_the_key_is_known_told_and_used(self):
        tree = pathlib.Path(self.folder) / "tree"
        copy_tree(tree)
        subprocess.run(["patch", "-p1", "-s", "-i", PATCH], cwd=tree, check=True)
        build = tree / "build/checked"
        subprocess.run(["cmake", "-S", ".", "--preset", "checked", "-DBUILD_TESTING=OFF"], cwd=tree, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", build, "--target", "graspmc", "-j", "2"], check=True, stdout=subprocess.DEVNULL)
        program = build / "graspmc"
        ball = tree / "ball.yaml"
        ball.write_text(BALL)

        def told(*words, status=0):
            ran = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, status, ran.stderr)
            return ran.stdout

        self.assertIn('"gravity_share"', told("--schema"))
        self.assertIn("gravity_share: 1", told("check", ball, "--expanded"))
        self.assertIn("simulation.gravity_share", told("check", ball, "--parameters"))
        for share, successes in (("1", 0), ("0.25", 2)):
            answer = json.loads(told("run", ball, "-n", 2, "-q", "--json", "-o", tree / f"{share}.h5",
                                     "--set", f"simulation.gravity_share={share}"))
            self.assertEqual(answer["success"]["successes"], successes, share)


if __name__ == "__main__":
    unittest.main()
