"""What the tests of faults share: the program with a small run, things that go wrong around it, and what must hold
whatever went wrong: the result is complete or absent, and `--resume` leads to the bytes of an undisturbed run.

    GRASPMC_ALL=1       every place where it can go wrong, in place of a sample, two at a time
    GRASPMC_PLACES=200  so many of each kind
"""
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/end_to_end"))

import h5py  # noqa: E402
import support  # noqa: E402  (beside the end-to-end tests)

ALL = os.environ.get("GRASPMC_ALL") == "1"
IS_SANITIZED = bool(os.environ.get("GRASPMC_SANITIZE"))
SHIM = os.environ.get("GRASPMC_SHIM", str(ROOT / "build/checked/test/fault/libfault_shim.so"))
SMALL = [support.QUICK, "-n", 4, "-j", 1, "-q", "--trajectories", "every:2", "--progress", "none"]


def can_trace():
    if IS_SANITIZED:
        return False  # leaks cannot be looked for in a traced process
    traced = subprocess.run(["strace", "-e", "trace=none", "true"], capture_output=True, check=False)
    return traced.returncode == 0


def places(count, some=3, seed=1):
    """Of 1 ... count all; in a sample the first, the last, and others between."""
    some = int(os.environ.get("GRASPMC_PLACES", some))
    if ALL or count <= some:
        return range(1, count + 1)
    return sorted({1, count, *random.Random(seed).sample(range(2, count), some - 2)})


def content(path):
    """Everything that a result holds, however its file is laid out."""
    found = {}

    def look(name, item):
        value = item[()].tobytes() if isinstance(item, h5py.Dataset) else b""
        attributes = {key: h5py.AttributeManager(item).get_id(key).dtype.str + repr(item.attrs[key])
                      for key in item.attrs}
        found[name] = (value, getattr(item, "dtype", None), getattr(item, "shape", None), attributes)

    with h5py.File(path) as file:
        look("/", file)
        file.visititems(look)
    return found


class Case(support.Case):
    """A folder with the undisturbed result in `expected.h5` beside the one that is disturbed, `work/out.h5`."""

    arguments = SMALL
    are_bytes_sure = True  # else the content alone is
    begun = {}  # files of an earlier session, with which the disturbed one begins

    def setUp(self):
        super().setUp()
        self.of_thread = threading.local()
        self.of_thread.work = self.folder / "work"
        self.work.mkdir()
        self.run_program("run", *self.arguments, "-o", "expected.h5")
        self.expected = (self.folder / "expected.h5").read_bytes()

    @property
    def work(self):
        """The folder of what is disturbed; a thread has one of its own."""
        if not hasattr(self.of_thread, "work"):
            self.of_thread.work = self.folder / f"work{threading.get_ident()}"
            self.of_thread.work.mkdir()
        return self.of_thread.work

    def judge_each(self, judge, places):
        """`judge(place)` of each in order, two at a time where all are tried. @return what they return"""
        wrong = []

        def one(place):
            try:
                return judge(place)
            except AssertionError as failed:
                wrong.append(f"{place}: {failed}")
                return None

        with concurrent.futures.ThreadPoolExecutor(2 if ALL else 1) as pool:
            found = list(pool.map(one, places))
        self.assertEqual(wrong, [])
        return found

    def arguments_with(self, option, value):
        """The arguments with another value of one option."""
        at = self.arguments.index(option) + 1
        return [*self.arguments[:at], value, *self.arguments[at + 1:]]

    def run_out(self, *more, before=(), **options):
        """The disturbed run, to its end: (exit code, standard error)."""
        words = [*before, support.PROGRAM, "run", *self.arguments, "-o", "out.h5", *more]
        done = subprocess.run([*map(str, words)], cwd=self.work, text=True, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=300, errors="replace", **options)
        return done.returncode, done.stderr

    def left_over(self):
        return {path.name for path in self.work.iterdir()}

    def clean(self):
        for path in self.work.iterdir():
            path.unlink()
        for name, data in self.begun.items():
            (self.work / name).write_bytes(data)

    def assert_whole(self):
        out = self.work / "out.h5"
        if not self.are_bytes_sure and out.read_bytes() != self.expected:
            self.assertEqual(content(out) == content(self.folder / "expected.h5"), True, "another result")
        else:
            self.assertEqual(out.read_bytes() == self.expected, True, "half a result, or other bytes")

    def assert_whole_or_absent(self):
        out = self.work / "out.h5"
        if out.exists() and out.read_bytes() != self.begun.get(out.name):
            self.assert_whole()

    def assert_resumes(self):
        """Nothing that went wrong is in the way: the run can be finished, and leaves nothing but its result."""
        code, said = self.run_out("--resume")
        self.assertEqual(code, 0, said)
        self.assert_whole()
        self.assertLessEqual(self.left_over(), {"out.h5", "out.h5.log"})

    def trace(self, *options):
        return ["strace", "-f", "-o", "/dev/null", *options]

    def calls(self, names, *more, words=()):
        """How many of these system calls an undisturbed run makes."""
        log = self.folder / "calls"
        self.clean()
        code, said = self.run_out(*words, before=["strace", "-f", "-o", log, "-e", f"trace={names}", *more])
        self.assertEqual(code, 0, said)
        self.clean()
        return sum(1 for line in log.read_text().splitlines() if re.search(r"^\d+ +\w+\(", line))


def main():
    unittest.main()
