"""What the end-to-end tests share: the program under test, a folder that goes away, small scenarios.

The build hands over the program and its folder in GRASPMC and GRASPMC_BUILD.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GRASPMC", str(ROOT / "build/checked/graspmc"))
BUILD = pathlib.Path(os.environ.get("GRASPMC_BUILD", ROOT / "build/checked"))
SCENARIOS = ROOT / "scenarios"
DEMO = SCENARIOS / "pinch_cube.yaml"
QUICK = ROOT / "test/end_to_end/quick.yaml"


def can_trace():
    """Is there an strace, and may it look?"""
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True,
                          check=False).returncode == 0


class Case(unittest.TestCase):
    """A test with a folder of its own, `self.folder`, in which the program runs."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="graspmc-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *words, **options):
        """The running program, with its output in pipes."""
        return subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def run_program(self, *words, code=0, timeout=300, **options):
        """Run to the end and demand the exit code."""
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=timeout)
        self.assertEqual(process.returncode, code, f"{words}\n--- stdout\n{out}\n--- stderr\n{err}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run_json(self, *words, **options):
        return json.loads(self.run_program(*words, "--json", **options).stdout)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def assert_same_bytes(self, first, second):
        a, b = (self.folder / name for name in (first, second))
        self.assertEqual(a.read_bytes() == b.read_bytes(), True, f"{a} and {b} differ")
