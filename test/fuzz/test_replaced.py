"""Scenarios in which one value, or two, stand as something of another kind: a number where keys with values belong, a list, a
text, nothing. `check` tells what is wrong and ends with 65 or 66, or takes it; it never crashes.

Which values follows from a seed, so that a failure can be made again: GRASPMC_VALUES=20000 GRASPMC_SEED=1.
"""
import os
import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/end_to_end"))

import support  # noqa: E402

try:
    import yaml
except ImportError:
    print("python3-yaml is not there: skipped", file=sys.stderr)
    sys.exit(0)

VALUES = int(os.environ.get("GRASPMC_VALUES", 400))
SEED = int(os.environ.get("GRASPMC_SEED", 1))
KINDS = ("1", "-1e308 m", "abc", "'x y'", "true", "~", "[]", "[1]", "{}", "{a: 1}")
# each ended the program once: (scenario, what is set)
ONCE = (("pinch_cube", ["simulation=1"]), ("pinch_cube", ["simulation=[]"]), ("rank_grasps", ["objects=1"]),
        ("rank_grasps", ["objects=~"]), ("rank_grasps", ["object=abc"]), ("rank_grasps", ["hand.target=1"]),
        ("rank_grasps", ["hand.target.pitch={a: 1}"]))


def paths(node, before=""):
    """Of all values of a scenario; of a list the first three."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node[:3]) if isinstance(node, list) else ()
    for key, value in pairs:
        path = f"{before}.{key}" if before else str(key)
        yield path
        yield from paths(value, path)


class Replaced(support.Case):
    def assert_told(self, scenario, settings):
        words = [word for setting in settings for word in ("--set", setting)]
        done = self.run_program("check", scenario, *words, code=(0, 2, 65, 66))  # 2: nothing would be decided, 66: no file
        if done.returncode >= 65:
            self.assertIn("error: ", done.stderr, settings)

    def test_those_that_ended_the_program(self):
        for name, settings in ONCE:
            self.assert_told(support.SCENARIOS / f"{name}.yaml", settings)

    def test_values_of_another_kind(self):
        known = [(file, path) for file in sorted(support.SCENARIOS.glob("*.yaml"))
                 for path in paths(yaml.safe_load(file.read_text(encoding="utf-8")))]
        self.assertGreater(len(known), 1000)
        chance = random.Random(SEED)
        for _ in range(VALUES):
            file, path = chance.choice(known)
            chosen = [path] + [chance.choice([p for f, p in known if f == file]) for _ in range(chance.random() < 0.3)]
            self.assert_told(file, [f"{path}={chance.choice(KINDS)}" for path in chosen])


if __name__ == "__main__":
    unittest.main()
