"""graspmc from Python: run scenarios, and look into results. Needs h5py; everything else is the standard library.

    import graspmc
    result = graspmc.run("pinch_cube.yaml", "cube.h5", draws=1000, set={"program.0.close.force": "15 N"})
    print(result.success)                      # success 0.742 [0.714, 0.768] 95 % Wilson, 742 of 1000
    frame = pandas.DataFrame(result.trials)    # one row per trial
    motion = result.trajectory(17)             # motion.time, motion.pose["object"], motion.q ...

The program itself is found beside this file, else on PATH; the environment variable GRASPMC names another one.
"""
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, NamedTuple

import h5py

__all__ = ["Error", "Estimate", "Interrupted", "Result", "Trajectory", "check", "program", "run"]

EXIT_NO, EXIT_UNDECIDED, EXIT_INTERRUPTED = 1, 2, 75


class Error(Exception):
    """The program refused or failed. `code` is its exit code (65: the scenario, 66: a missing file, 73: the output
    exists ...), the text is what it said, all mistakes at once."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Interrupted(Error):
    """Stopped from outside or by `time_limit`; the same call with resume=True goes on."""


class Estimate(NamedTuple):
    """A probability with its interval. `lower` and `upper` take unsolved trials for what they are: not known."""
    p: float
    lower: float
    upper: float
    level: float
    method: str
    successes: int
    failures: int
    unsolved: int

    def __str__(self):
        return (f"success {self.p:.3f} [{self.lower:.3f}, {self.upper:.3f}] {100 * self.level:g} % {self.method}, "
                f"{self.successes} of {self.successes + self.failures}")


class Trajectory(NamedTuple):
    """The motion of one trial, T rows; contacts of row k are contact_start[k] to contact_start[k + 1]."""
    time: Any           # (T) s
    pose: dict          # body: (T, 7) m and quaternion w x y z
    twist: dict         # body: (T, 6) m/s of the centre of mass, rad/s
    q: Any              # (T, J) m or rad
    effort: Any         # (T, J) N or N m
    joints: list        # (J) names
    contact_start: Any  # (T + 1)
    contacts: dict      # point, normal, force, torque: (C, 3); geoms: (C, 2) names


def program():
    """The path of the program that `run` starts."""
    beside = pathlib.Path(__file__).resolve().with_name("graspmc")
    found = os.environ.get("GRASPMC") or (str(beside) if os.access(beside, os.X_OK) else shutil.which("graspmc"))
    if not found:
        raise FileNotFoundError("graspmc is neither beside graspmc.py nor on PATH, and GRASPMC does not name it")
    return found


def _words(options):
    """Options of the command line: time_limit="2h" becomes --time-limit 2h, resume=True --resume."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "set":
            for path, number in value.items():
                words += ["--set", f"{path}={number}"]
        elif value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words


def _call(words, accepted=(0,)):
    """What the program says on its standard output, and its exit code."""
    done = subprocess.run([program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode not in accepted:
        kind = Interrupted if done.returncode == EXIT_INTERRUPTED else Error
        raise kind(done.returncode, done.stderr.strip() or f"graspmc ended with {done.returncode}")
    return done.stdout, done.returncode


def _answer(*words, accepted=(0,)):
    out, code = _call([*words, "--json"], accepted)
    return json.loads(out), code


def check(scenario, **options):
    """What would run, as a dictionary. Mistakes of the scenario raise Error with all of them, each with its place."""
    return _answer("check", scenario, *_words(options))[0]


def run(scenario, output=None, **options):
    """Run the trials of a scenario and return the Result.

    Options are those of `graspmc run --help`, with _ for -: draws=1000, jobs=2, seed=7, set={"object.mass": "0.2 kg"},
    design="sobol", until="half_width<0.01", resume=True, force=True ... With `decide`, `Result.verdict` is the answer.
    """
    output = pathlib.Path(output) if output else pathlib.Path(pathlib.Path(scenario).stem + ".h5")
    words = ["run", scenario, "-o", output, *_words({"progress": "none", **options})]
    answer, code = _answer(*words, accepted=(0, EXIT_NO, EXIT_UNDECIDED))
    return Result(output, answer=answer, verdict={0: True, EXIT_NO: False}.get(code))


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Result:
    """A result file. Everything is read when it is asked for; the file is open for that long only.

    `answer` is what `graspmc show --json` says of it; `verdict` what the run decided: True (reached, yes), False or
    None (not decided).
    """

    def __init__(self, path, answer=None, verdict=None):
        self.path = pathlib.Path(path)
        self.verdict = verdict
        self._answer = answer
        with self._open() as file:
            if _text(file.attrs.get("schema", "")) != "graspmc" or "complete" not in file.attrs:
                raise ValueError(f"{self.path}: not a result of graspmc run")

    def __repr__(self):
        return f"graspmc.Result({str(self.path)!r})"

    def _open(self):
        return h5py.File(self.path, "r")

    def _table(self, name):
        with self._open() as file:
            return file[name][:]

    @property
    def answer(self):
        if self._answer is None:
            self._answer = self.show()
        return self._answer

    @property
    def success(self):
        """The Estimate of success in total."""
        return Estimate(**{name: self.answer["success"][name] for name in Estimate._fields})

    @property
    def trials(self):
        """(N) structured array, one row per trial; pandas.DataFrame takes it."""
        return self._table("trials")

    @property
    def cases(self):
        """(K) structured array: object and value of every studied parameter."""
        return self._table("cases")

    @property
    def samples(self):
        """Parameter: (N) its value in each trial."""
        with self._open() as file:
            return dict(zip((_text(name) for name in file["parameters"]["name"]), file["samples"][:].T))

    @property
    def by_case(self):
        """Structured array of estimates, one row per case and method."""
        return self._table("summary/by_case")

    def show(self, **options):
        """`graspmc show`: by="object.mass", success="slip <= 2 mm", where=..., rebin=..., as a dictionary."""
        return _answer("show", self.path, *_words(options), accepted=(0, EXIT_NO, EXIT_UNDECIDED))[0]

    def rank(self, **options):
        """Cases in order of success with their intervals, as `graspmc rank` finds them: best=10, output="best.yaml"."""
        return _answer("rank", self.path, *_words(options), accepted=(0, EXIT_NO, EXIT_UNDECIDED))[0]

    def replay(self, trial, output=None):
        """Repeat one trial, every step of its motion kept in `output`; Error if a stored number does not come back."""
        return _answer("replay", self.path, "--trial", trial, *_words({"output": output}))[0]

    def trajectory(self, trial):
        """The Trajectory of a trial that was kept (`trajectories="all"`, or of `replay`); KeyError if it was not."""
        with self._open() as file:
            index = file["trajectories/index"][:]
            found = index[index["trial"] == trial]
            if len(found) == 0:
                raise KeyError(f"{self.path}: no motion of trial {trial} was kept; replay({trial}, 'trial.h5') makes one")
            return _trajectory(file["trajectories"], found[0])


def _trajectory(group, kept):
    rows = slice(int(kept["offset"]), int(kept["offset"] + kept["length"]))
    first = int(kept["contact_offset"])
    touching = slice(first, first + int(kept["contact_length"]))
    bodies = {_text(row["name"]): group[_text(row["path"])] for row in group["body_names"][:]}
    start = group["contacts/start"][rows.start:rows.stop + 1].astype("i8") - first
    geoms = [_text(name) for name in group["contacts/geom_names"]["name"]]
    contacts = {name: group[f"contacts/{name}"][touching] for name in ("point", "normal", "force", "torque")}
    contacts["geoms"] = [(geoms[a], geoms[b]) for a, b in group["contacts/geoms"][touching]]
    return Trajectory(
        time=group["time"][rows],
        pose={name: body["pose"][rows] for name, body in bodies.items()},
        twist={name: body["twist"][rows] for name, body in bodies.items()},
        q=group["joints/q"][rows], effort=group["joints/effort"][rows],
        joints=[_text(name) for name in group["joints/names"]["name"]],
        contact_start=start, contacts=contacts)
