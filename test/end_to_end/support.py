"""What the end-to-end tests share: the program under test, a folder that goes away, small scenarios.

The build hands over the program and its folder in GRASPMC and GRASPMC_BUILD.
"""
import json
import math
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GRASPMC", str(ROOT / "build/checked/graspmc"))
BUILD = pathlib.Path(os.environ.get("GRASPMC_BUILD", ROOT / "build/checked"))
SCENARIOS = ROOT / "scenarios"
DEMO = SCENARIOS / "pinch_cube.yaml"
QUICK = ROOT / "test/end_to_end/quick.yaml"
# the PD of `by: pd`, as a library and as the head of a policy
PD_LIBRARY = (ROOT / "test/bench/controllers/pd.c").read_text().replace(
    "engine/control/graspmc_controller.h", "graspmc_controller.h")
PD_POLICY = """
import graspmc
def pd(v, i):
    servo = v.stiffness[i] * (v.wanted_position[i] - v.position[i]) + v.damping[i] * (v.wanted_velocity[i] - v.velocity[i])
    return v.force[i] + max(-v.servo_limit[i], min(servo, v.servo_limit[i]))
"""
SANITIZED = bool(os.environ.get("GRASPMC_SANITIZE"))  # five to ten times as slow

# A test of figures, or of bytes over many runs: shorter ones of the same kind are made under sanitizers.
without_sanitizers = unittest.skipIf(SANITIZED, "figures and bytes are the same without sanitizers, in a tenth of the time")
# A test that takes half a minute and more: it is a part of the entry of ctest that ends in _whole and is labelled long.
long_one = unittest.skipUnless("GRASPMC_LONG" in os.environ, "GRASPMC_LONG=1 runs it")


def ball_at(height, numbers, laws, x="0 m", success="height(object) >= 0.3 m", more=""):
    """A scenario of a ball that stands in the air at the height of a number, or of a formula of `numbers`, for 2 ms: success
    is what chance, the `laws` of `uncertain`, makes of this height."""
    return f"""
graspmc: 1
parameters: {{{numbers}}}
object: {{sphere: {{radius: 1 mm}}, mass: 0.01 g, surface: abs, pose: {{x: {x}, y: 0 m, z: {height} * 1 m}}}}
friction: {{}}
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
program:
  - hold: {{for: 0.002 s}}
success:
  at_end: ["{success}"]
uncertain:
{laws}
{more}
simulation: {{half_step: 0, early: {{rest: false}}, workspace: 1000 m}}
"""


def capability(row, figure, relation, bar):
    """The figure of a row of test/CAPABILITIES.md, told in a line that scripts/check_capabilities reads, and held to its bar:
    a number for `<=` and `>=`, a pair for `in`."""
    if relation == "in":
        lower, upper = bar
        print(f"capability {row}: {figure:.3g} in [{lower:g}, {upper:g}]", flush=True)
    else:
        lower, upper = (-math.inf, bar) if relation == "<=" else (bar, math.inf)
        print(f"capability {row}: {figure:.3g} {relation} {bar:g}", flush=True)
    if not lower <= figure <= upper:
        raise AssertionError(f"capability {row}: {figure} is not {relation} {bar}")


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
        """The running program, with its output in pipes. Scenarios of tests start from those of the repository."""
        allow = ["--allow", str(ROOT)] if words and words[0] in ("run", "check") else []
        # our own scenarios may start their controllers
        if allow and any(pathlib.Path(word).parent == SCENARIOS for word in map(str, words)):
            allow.append("--allow-control")
        return subprocess.Popen([PROGRAM, *map(str, words), *allow], cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def build_library(self, text=PD_LIBRARY, name="pd.so"):
        (self.folder / "pd.c").write_text(text)
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c17", "-O2", "-ffp-contract=off", "-fPIC", "-shared",
                        f"-I{ROOT}/engine/control", "pd.c", "-o", name, "-lm"], cwd=self.folder, check=True)

    def run_program(self, *words, code=0, timeout=300, **options):
        """Run to the end and demand the exit code, or one of several."""
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=timeout)
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(process.returncode, codes, f"{words}\n--- stdout\n{out}\n--- stderr\n{err}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def run_json(self, *words, **options):
        return json.loads(self.run_program(*words, "--json", **options).stdout)

    def run_cut_off(self, *words, seconds, **options):
        """Run that is stopped by its time limit: a machine that ends within it gets half as much."""
        done = self.run_program(*words, "--time-limit", seconds, code=(0, 75), **options)
        while done.returncode == 0 and seconds > 1e-6:
            seconds /= 2
            done = self.run_program(*words, "--force", "--time-limit", seconds, code=(0, 75), **options)
        self.assertEqual(done.returncode, 75, f"{words}: not to be stopped by a time limit")
        return done

    def run_killed(self, *words, first, more):
        """Run, killed after `first` s, then `more` s later each time, until the end is reached."""
        kills, code = 0, None
        while code != 0:
            process = self.start(*words)
            time.sleep(first + more * kills)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            code = process.returncode
            self.assertIn(code, (0, -signal.SIGKILL))
            kills += code != 0
        self.assertGreater(kills, 0)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def lend(self, name, scenario=QUICK):
        """A copy of a scenario in the test's folder, from where `use:` may start."""
        text = pathlib.Path(scenario).read_text(encoding="utf-8").replace("../../scenarios/", "")
        return self.write(name, text.replace("models/", f"{SCENARIOS}/models/"))

    def assert_same_bytes(self, first, second):
        a, b = (self.folder / name for name in (first, second))
        self.assertEqual(a.read_bytes() == b.read_bytes(), True, f"{a} and {b} differ")

    def assert_same_however_run(self, scenario, time_limit):
        """One worker, three, or cut off after so many seconds and resumed; the result is one.h5."""
        self.run_program("run", scenario, "-o", "one.h5", "-j", 1, "-q")
        self.run_program("run", scenario, "-o", "three.h5", "-j", 3, "-q")
        self.assert_same_bytes("one.h5", "three.h5")
        self.run_cut_off("run", scenario, "-o", "cut.h5", "-j", 1, "-q", seconds=time_limit)
        self.run_program("run", scenario, "-o", "cut.h5", "-j", 2, "-q", "--resume")
        self.assert_same_bytes("one.h5", "cut.h5")

    def assert_on_the_page(self, group, heading, others=()):
        """Tables and attributes of an h5py group, and fields of others, are those under a heading of FORMAT.md."""
        page = (ROOT / "sampling/store/FORMAT.md").read_text(encoding="utf-8")
        part = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        rows = [[cell.strip(" `") for cell in line.strip("|").split("|")]
                for line in part.splitlines() if line.startswith("| `")]
        types = {"f8": "f64", "u8": "u64", "i8": "i64", "u4": "u32", "i4": "i32", "u1": "u8"}
        found = [[f"{group.name}/{name}", field, types.get(kind[0].str[1:], "text")]
                 for name, table in group.items() for field, kind in table.dtype.fields.items()]
        self.assertEqual(sorted(row[:3] for row in rows), sorted([*found, *others]))
        for name in group.attrs:
            self.assertIn(f"`{name}`", part)
