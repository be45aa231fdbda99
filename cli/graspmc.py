"""graspmc from Python: run scenarios, and look into results.

    import graspmc
    result = graspmc.run("pinch_cube.yaml", "cube.h5", draws=1000, set={"program.0.close.force": "15 N"})
    print(result.success)                      # success 0.916 [0.895, 0.937] 95 % Wilson with part of the step, 916 of 1000
    frame = result.trials_frame()              # pandas: one row per trial, with what was drawn for it
    motion = result.trajectory(17)             # motion.time, motion.pose["object"], motion.q ...

`run`, `complete`, `check`, `new`, `merge`, `compare`, `extract`, `export`, `rank`, `show` and `replay` are the commands of the program.
Their options are those of `graspmc COMMAND --help`, with _ for -: time_limit="2h" is --time-limit 2h, resume=True is
--resume, what is None or False is left out. What the program refuses raises Error with all that it said; warnings come
as GraspmcWarning through Python's `warnings`. An output that exists is kept: a cell of a notebook that shall run again
says force=True.

`derivative` is how a motion changes with one of the scenario's numbers.

`control` is the other end of a scenario's  control: {by: {command: [python3, policy.py]}}:

    import graspmc
    def start(trial):                          # once a trial: trial.joints, trial.arguments["gain"], trial.seed ...
        return lambda view: [f + kp * (w - q) for f, kp, w, q in
                             zip(view.force, view.stiffness, view.wanted_position, view.position)]
    graspmc.control(start)

Running and checking need the standard library alone, tables and motions h5py, `Result.trials_frame` also pandas.
The program itself is found beside this file or below it, else on PATH; the environment variable GRASPMC names another one.
"""
from __future__ import annotations

import contextlib
import html
import importlib
import inspect
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

if TYPE_CHECKING:
    import numpy
    import pandas

    Array = numpy.ndarray[Any, Any]

__all__ = ["Derivative", "Done", "Error", "Estimate", "GraspmcWarning", "Interrupted", "Result", "Trajectory", "Trial", "View", "check", "compare",
           "complete", "control", "derivative", "export",
           "extract", "main", "merge", "new", "program", "rank", "replay", "run", "scenarios", "show"]

PathLike = Union[str, "os.PathLike[str]"]
Scenario = Union[PathLike, Mapping[str, Any]]
Answer = Dict[str, Any]
EXIT_YES, EXIT_NO, EXIT_UNDECIDED, EXIT_INTERRUPTED = 0, 1, 2, 75
VERDICTS = {EXIT_YES: True, EXIT_NO: False, EXIT_UNDECIDED: None}
_PATIENCE_S = 2  # a program that is interrupted ends within a second


class Error(Exception):
    """The program refused or failed. `code` is its exit code (65: the scenario, 66: a missing file, 73: the output
    exists ...), the text is what it said, all mistakes at once."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Interrupted(Error):
    """Stopped from outside or by `time_limit`; the same call with resume=True goes on."""


class GraspmcWarning(UserWarning):
    """What the program warned of while it did what was asked."""


class Estimate(NamedTuple):
    """A probability with its interval; `p` is None where no trial was decided, and where trials are open, cut short before
    what is asked for could be known: then it lies between `lowest` and `highest`. `unsolved` trials count neither way in `p`,
    as failures for `lower` and as successes for `upper`; the interval of a run holds what is known of the step and of early
    verdicts, too. `sampling_lower` and `sampling_upper` are of the decided trials alone."""
    p: Optional[float]
    lower: float
    upper: float
    level: float
    method: str
    successes: int
    failures: int
    unsolved: int
    text: str  # in the program's words
    sampling_lower: Optional[float] = None
    sampling_upper: Optional[float] = None
    lowest: Optional[float] = None   # as if all open trials had failed
    highest: Optional[float] = None  # as if all had succeeded
    open: int = 0

    def __str__(self) -> str:
        return self.text if self.p is None and self.lowest is None else f"success {self.text}"


class Trajectory(NamedTuple):
    """The motion of one trial, T rows; contacts of row k are contact_start[k] to contact_start[k + 1]."""
    time: Array              # (T) s
    pose: Dict[str, Array]   # body: (T, 7) m and quaternion w x y z
    twist: Dict[str, Array]  # body: (T, 6) m/s of the centre of mass, rad/s
    q: Array                 # (T, J) m or rad
    effort: Array            # (T, J) N or N m
    joints: List[str]                # (J) names
    contact_start: Array     # (T + 1)
    contacts: Dict[str, Any]         # point, normal, force, torque: (C, 3); geoms: (C, 2) names
    trial: int                       # its number
    rate: float                      # rows per second, and the last; 0: every step

    def __repr__(self) -> str:
        rows = len(self.time)
        length = f"{rows} rows" if self.rate else _counted(rows - 1, "step", "steps")
        seconds = self.time[-1] - self.time[0] if rows else 0.0
        return f"trial {self.trial}: {length}, {seconds:.2f} s, {_counted(len(self.pose), 'body', 'bodies')}"


class Derivative(NamedTuple):
    """How a motion of T rows changes with a number: all per SI unit of it."""
    value: float             # of the number, SI
    step: float              # by which it was changed either way, and by half of it
    motion: Trajectory       # at `value`
    pose: Dict[str, Array]   # body: (T, 7)
    twist: Dict[str, Array]  # body: (T, 6)
    q: Array                 # (T, J)
    error: float             # largest difference between what the step and half of it give, of poses and joints

    def __repr__(self) -> str:
        return f"derivative of {self.motion!r}, by steps of {self.step:g} about {self.value:g}: error {self.error:.2g}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


# --- the program ---


def program() -> str:
    """The path of the program that `run` starts."""
    here = pathlib.Path(__file__).resolve().parent
    beside = (str(path) for path in (here / "graspmc", here / "bin" / "graspmc")
              if path.is_file() and os.access(path, os.X_OK))
    found = os.environ.get("GRASPMC") or next(beside, None) or shutil.which("graspmc")
    if not found:
        raise FileNotFoundError("the program graspmc is neither beside graspmc.py nor on PATH, and the environment "
                                "variable GRASPMC does not name it")
    return found


def scenarios() -> pathlib.Path:
    """The folder of the scenarios that came with the program: graspmc.scenarios() / "pinch_cube.yaml"."""
    started = pathlib.Path(program()).resolve().parent
    folders = [started.parent / "share/graspmc/scenarios", started.parents[1] / "scenarios"]  # installed; of a build
    for folder in folders:
        if (folder / "pinch_cube.yaml").is_file():
            return folder
    raise FileNotFoundError(f"no scenarios came with {program()}: not in {' or '.join(map(str, folders))}")


def main() -> None:
    """The command line itself, in place of this process."""
    os.execv(program(), [program(), *sys.argv[1:]])


def _words(options: Mapping[str, Any]) -> List[str]:
    """Options of the command line: time_limit="2h" becomes --time-limit 2h, resume=True --resume."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if name == "set":
            for path, number in (value or {}).items():
                words += ["--set", f"{path}={number}"]
        elif value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return words


def _wait(process: subprocess.Popen[bytes], listen: Optional[Callable[[Answer], Any]]) -> str:
    """What the program says on its standard error until it ends, but for the progress that a listener gets."""
    said = []
    for raw in process.stderr or ():
        line = raw.decode("utf-8", "backslashreplace")
        if listen and line.startswith("{"):
            listen(json.loads(line))
        else:
            said.append(line)
    process.wait()
    return "".join(said)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C of a terminal or a notebook reached the program as well; what it holds is safe once it has ended."""
    for number in (None, signal.SIGINT, signal.SIGKILL):
        if number:
            process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_S)
            return


def _call(words: Iterable[PathLike], listen: Optional[Callable[[Answer], Any]] = None) -> Tuple[str, str, int]:
    """What the program says on its standard output and standard error, and its exit code."""
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen([program(), *(os.fspath(word) for word in words)], stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.PIPE) as process:
            try:
                said = _wait(process, listen)
            except BaseException:
                _stop(process)
                raise
        out.seek(0)
        return out.read().decode("utf-8", "replace"), said, process.returncode


def _warn(said: str) -> None:
    """Each message of the program that is a warning, with the lines that belong to it, as one of Python's."""
    message: List[str] = []
    for line in [*said.splitlines(), "note: "]:
        kinds = [kind for kind in ("error", "warning", "note") if line.startswith(f"{kind}: ") or f": {kind}: " in line]
        if kinds and not line.startswith(" "):
            if message:
                warnings.warn("\n".join(message), GraspmcWarning, stacklevel=_outside())
            message = []
        if message or kinds[:1] == ["warning"]:
            message.append(line)


def _outside() -> int:
    """How far up the stack the code is that called this module: warnings point there."""
    frame, level = inspect.currentframe(), 0
    while frame and frame.f_code.co_filename == __file__:
        frame, level = frame.f_back, level + 1
    return level


def _answer(words: Iterable[PathLike], accepted: Iterable[int] = (0,),
            listen: Optional[Callable[[Answer], Any]] = None, hidden: str = "") -> Tuple[Answer, int]:
    """The program's answer and its exit code; `hidden` is a name that means nothing to who reads a message."""
    out, said, code = _call([*words, "--json"], listen)
    said = said.replace(hidden, "scenario") if hidden else said
    if code not in accepted or (code and not out):
        kind = Interrupted if code == EXIT_INTERRUPTED else Error
        raise kind(code, said.strip() or f"graspmc ended with {code}")
    _warn(said)
    answer = json.loads(out)
    if hidden and answer.get("scenario") == hidden:
        answer["scenario"] = "scenario"
    return answer, code


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, and paths, as JSON has them."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a scenario has no value of {type(value)}: {value!r}")


@contextlib.contextmanager
def _file_of(scenario: Scenario, folder: Optional[PathLike]) -> Iterator[Tuple[str, str]]:
    """A file with the scenario, and its name if it goes away. Files are named from the scenario's folder, so a
    dictionary needs one there."""
    if not isinstance(scenario, Mapping):
        if folder is not None:
            raise TypeError("folder= is for scenarios given as a dictionary: a file names others from its own folder")
        yield os.fspath(scenario), ""
        return
    text = json.dumps(scenario, indent=2, ensure_ascii=False, default=_plain)
    try:
        handle, name = tempfile.mkstemp(prefix=".graspmc-", suffix=".yaml", dir=os.fspath(folder or "."))
    except PermissionError as error:
        raise PermissionError(f"{folder or os.getcwd()}: a scenario given as a dictionary is written to the folder from which "
                              "it names files, for as long as it runs; folder= names another one") from error
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        yield name, name
    finally:
        os.unlink(name)


# --- its commands ---


def check(scenario: Scenario, *, folder: Optional[PathLike] = None, **options: Any) -> Answer:
    """What would run, as a dictionary. Mistakes of the scenario raise Error with all of them, each with its place.

    A scenario is a file, or a dictionary of the same keys: {"graspmc": 1, "object": {"box": ["50 mm", ...]}, ...};
    names of files in a dictionary are relative to `folder`, by default the current one. "undecided" is in it if no trial
    could start.
    """
    with _file_of(scenario, folder) as (name, hidden):
        return _answer(["check", name, *_words(options)], (0, EXIT_UNDECIDED), hidden=hidden)[0]


def new(hand: PathLike, object: Optional[PathLike] = None, output: Optional[PathLike] = None, **options: Any) -> Answer:
    """A scenario to start from: a hand (URDF) over an object (a mesh, or "box:60x40x100mm", "cylinder:66x100mm",
    "sphere:5cm"; by default a box), with a start that was found to hold where `held` of `of` is above 0.

    It is written to the file `output`; without one it is the text under `scenario` in the answer, whose files are named
    from the current folder. Options are those of `graspmc new --help`: frame="tcp", material="steel", mass=0.3, force=True.
    """
    words = ["new", hand, *([] if object is None else [object])]
    return _answer([*words, *_words({"output": output, **options})], (EXIT_YES, EXIT_UNDECIDED))[0]


def run(scenario: Scenario, output: Optional[PathLike] = None, *, draws: Optional[int] = None, jobs: Optional[int] = None,
        seed: Optional[int] = None, set: Optional[Mapping[str, Any]] = None, until: Optional[str] = None,
        decide: Optional[str] = None, trajectories: Optional[str] = None, time_limit: Union[str, float, None] = None,
        force: bool = False, resume: bool = False, folder: Optional[PathLike] = None,
        progress: Optional[Callable[[Answer], Any]] = None, **options: Any) -> Result:
    """Run the trials of a scenario (a file or a dictionary, see `check`) and return the Result.

    `output` is the result file; by default it has the name of the scenario, in the current folder. An output that
    exists raises Error (code 73): force=True replaces it, resume=True goes on with it.

    Options are those of `graspmc run --help`, with _ for -: draws=1000, jobs=2, seed=7, set={"object.mass": "0.2 kg"},
    until="half_width<0.01", decide="success>=0.9", trajectories="failures", time_limit="2h", and those that the signature
    does not name: design="sobol", shard="1/3" ... With `decide` or `until`, `Result.verdict` is the answer. `progress` is
    called now and then with a dictionary: done, total, p, seconds_left ...
    """
    if output is None:
        if isinstance(scenario, Mapping):
            raise TypeError("a scenario given as a dictionary has no name: output= names the result file")
        output = pathlib.Path(scenario).stem + ".h5"
    options.update(draws=draws, jobs=jobs, seed=seed, set=set, until=until, decide=decide, trajectories=trajectories,
                   time_limit=time_limit, force=force, resume=resume)
    with _file_of(scenario, folder) as (name, hidden):
        words = ["run", name, "-o", output, "--progress", "json" if progress else "none", *_words(options)]
        answer, code = _answer(words, VERDICTS, progress, hidden)
    return Result(output, answer=answer, verdict=VERDICTS[code])


def complete(result: PathLike, success: Optional[str] = None, output: Optional[PathLike] = None, *,
             progress: Optional[Callable[[Answer], Any]] = None, **options: Any) -> Result:
    """The Result with the trials run to their end of which it is open whether the criteria `success` hold (without: all
    that an early verdict cut short). By default it is written to "NAME.complete.h5", in the current folder.

    Its `answer` and `success` are those under the criteria. Options are jobs, force, resume and time_limit, as of `run`."""
    output = pathlib.Path(result).stem + ".complete.h5" if output is None else output
    words = ["run", "--complete", result, "-o", output, "--progress", "json" if progress else "none",
             *_words({"success": success, **options})]
    answer, code = _answer(words, VERDICTS, progress)
    return Result(output, answer=answer, verdict=VERDICTS[code])


def merge(parts: Iterable[PathLike], output: PathLike, **options: Any) -> Result:
    """The parts of a run into the Result of the whole: graspmc.merge(sorted(glob("part*.h5")), "all.h5").

    Of a ranking that has rounds left, `Result.answer` says which comes next, as `graspmc status` does."""
    answer, code = _answer(["merge", *parts, "-o", output, *_words(options)], (*VERDICTS, EXIT_INTERRUPTED))
    return Result(output, answer=answer, verdict=VERDICTS.get(code))


def compare(a: PathLike, b: PathLike, **options: Any) -> Answer:
    """Two results pair by pair, b less a: `difference`, `pairs`, `test`, `cases`, `measures`; with
    fail_if="worse by 0.02" also `verdict`: is b that much worse? True, False or None (open)."""
    answer, code = _answer(["compare", a, b, *_words(options)], VERDICTS)
    if options.get("fail_if"):
        answer["verdict"] = {EXIT_YES: False, EXIT_NO: True}.get(code)
    return answer


def extract(result: PathLike, trial: int, output: PathLike, **options: Any) -> Answer:
    """One trial as a folder `output` with a scenario and its files, all chance frozen: a bug report."""
    return _answer(["extract", result, "--trial", str(trial), "-o", output, *_words(options)])[0]


def export(result: PathLike, output: PathLike, *, to: str = "csv", **options: Any) -> Answer:
    """Trials, or with trial=17 the motion of one and with contacts=True its contacts, as a CSV file `output`."""
    return _answer(["export", result, "--to", to, "-o", output, *_words(options)])[0]


def rank(result: PathLike, **options: Any) -> Answer:
    """Cases in order of success with their intervals: best=10, per="object", output="best.yaml"."""
    return _answer(["rank", result, *_words(options)], VERDICTS)[0]


def optimise(scenario: Scenario, output: Optional[PathLike] = None, *, jobs: Optional[int] = None, seed: Optional[int] = None,
             set: Optional[Mapping[str, Any]] = None, folder: Optional[PathLike] = None,
             progress: Optional[Callable[[Answer], Any]] = None, **options: Any) -> Answer:
    """Choose the numbers in ranges of `study` for its `optimise` (a file or a dictionary, see `check`): `success`, `numbers` with
    `path`, `value` and `matters`, `left_by_surface`; `best` is the Result of the chosen design.

    `output` is the folder of results, by default "NAME.optimise" in the current folder; the same call goes on with what is
    there. With shard="1/3" it runs that part of the next round, `round` says of which, until all is done."""
    if output is None:
        if isinstance(scenario, Mapping):
            raise TypeError("a scenario given as a dictionary has no name: output= names the folder of results")
        output = pathlib.Path(scenario).stem + ".optimise"
    with _file_of(scenario, folder) as (name, hidden):
        words = ["optimise", name, "-o", output, "--progress", "json" if progress else "none",
                 *_words({"jobs": jobs, "seed": seed, "set": set, **options})]
        answer = _answer(words, VERDICTS, progress, hidden)[0]
    if "numbers" in answer:
        answer["best"] = Result(answer["output"])
    return answer


def show(result: PathLike, **options: Any) -> Answer:
    """Estimates, outcomes, cases and histograms: by="object.mass", success="slip <= 2 mm", where="object.mass > 0.2 kg",
    sensitivity="success", quantile="slip:0.5,0.95", failures=True,
    surrogate=True (with sensitivity="success": first orders by it), rebin=... """
    return _answer(["show", result, *_words(options)], VERDICTS)[0]


def replay(result: PathLike, trial: int, output: Optional[PathLike] = None, **options: Any) -> Answer:
    """Repeat one trial, every step of its motion kept in `output`; Error if a stored number does not come back."""
    answer, code = _answer(["replay", result, "--trial", str(trial), *_words({"output": output, **options})], (0, EXIT_NO))
    if code:
        raise Error(code, f"trial {trial} of {os.fspath(result)} came out otherwise: {json.dumps(answer['differences'])}")
    return answer


def derivative(scenario: Scenario, path: str, step: float, *, set: Optional[Mapping[str, Any]] = None,
               folder: Optional[PathLike] = None, **options: Any) -> Derivative:
    """The Derivative of a scenario's first trial, every step of its motion, by the number `path` ("object.mass"), whose
    `step` is in SI.

    Central differences by the step and by half of it, which together leave an error of fourth order, on the same chance:
    five trials. Motions are smooth in a number only as long as nothing else happens at one value than at another: that
    contacts begin and end a little sooner or later adds what `error` shows. Other options are those of `run`; early
    verdicts are off. A number at which the motion has other times raises ValueError, and so does a step that is not > 0.
    """
    if not 0 < step < float("inf"):
        raise ValueError(f"step must be > 0 and finite, found {step}")
    with _file_of(scenario, folder) as (name, _), tempfile.TemporaryDirectory(prefix="graspmc") as place:
        fixed = {"simulation.early": "{broken: false, falling: false, rest: false, borne: false}", "output.rate": 0,
                 **(set or {})}
        listed = _answer(["check", name, "--parameters", *_words({"set": fixed})])[0]
        values = [row["value"] for row in listed if row["path"] == path]  # type: ignore[index]
        if not values:
            raise KeyError(f"{path}: no number of {name}; check(..., parameters=True) lists them")
        value = float(values[0])
        motions = []
        for k, share in enumerate((0.0, 1.0, -1.0, 0.5, -0.5)):
            at = {**fixed, path: repr(value + share * step)} if share else fixed
            output = os.path.join(place, f"{k}.h5")
            result = run(name, output, draws=1, set=at, trajectories="all", **options)
            motions.append(result.trajectory(0))
    return _derivative(value, step, motions)


def _derivative(value: float, step: float, motions: List[Trajectory]) -> Derivative:
    error = 0.0
    for motion in motions[1:]:
        if motion.time.shape != motions[0].time.shape or abs(motion.time - motions[0].time).max() > 1e-9:
            raise ValueError(f"steps are taken at other times where the number is not {value:g}: "
                             "a motion that is cut otherwise has no derivative row by row")

    def central(arrays: List[Array], is_pose: bool) -> Array:
        nonlocal error
        if is_pose:  # a quaternion and its negative are one rotation
            signs = [(2 * ((a[:, 3:] * arrays[0][:, 3:]).sum(axis=1) >= 0) - 1)[:, None] for a in arrays]
            arrays = [_library("numpy", "a derivative").hstack([a[:, :3], sign * a[:, 3:]])
                      for a, sign in zip(arrays, signs)]
        wide, narrow = (arrays[1] - arrays[2]) / (2 * step), (arrays[3] - arrays[4]) / step
        if wide.size:
            error = max(error, float(abs(narrow - wide).max()))
        return (4 * narrow - wide) / 3

    pose = {body: central([m.pose[body] for m in motions], True) for body in motions[0].pose}
    q = central([m.q for m in motions], False)
    error_of_places = error
    twist = {body: central([m.twist[body] for m in motions], False) for body in motions[0].twist}
    return Derivative(value, step, motions[0], pose, twist, q, error_of_places)


# --- results ---


class Trial(NamedTuple):
    """What holds throughout a trial; all numbers are SI."""
    seed: int
    case: int
    draw: int
    period: float  # between two calls
    delay: float  # from a call until its torque acts
    joints: List[str]
    lower: Tuple[float, ...]  # of each joint
    upper: Tuple[float, ...]
    max_force: Tuple[float, ...]  # torques are cut to it
    links: List[str]  # in the order of view.touch and view.forces
    arguments: Dict[str, float]


class View(NamedTuple):
    """What is seen at a call: numbers for each joint, and what `sees` names. `by: pd` answers
    force + clamp(stiffness (wanted_position - position) + damping (wanted_velocity - velocity), -servo_limit, servo_limit)."""
    time: float
    position: Tuple[float, ...]
    velocity: Tuple[float, ...]
    wanted_position: Tuple[float, ...]
    wanted_velocity: Tuple[float, ...]
    stiffness: Tuple[float, ...]
    damping: Tuple[float, ...]
    servo_limit: Tuple[float, ...]
    force: Tuple[float, ...]
    touch: Tuple[float, ...]  # 1 of a link that touches something
    forces: Tuple[float, ...]  # x, y, z of each link, world axes
    object: Tuple[float, ...]  # x y z, quaternion w x y z


class Done(Tuple[float, ...]):
    """Torques that stay to the end of the trial: return Done(torques), and there are no more calls in it."""


class _Frames:
    """The pipe to graspmc: frames of two 32-bit integers, a kind and a count, and as many doubles."""

    def __init__(self) -> None:
        self.source, self.sink, self.rest = os.dup(0), os.dup(1), b""
        os.dup2(2, 1)  # what the policy prints is no answer

    def _fill(self, count: int) -> None:
        while len(self.rest) < count:
            more = os.read(self.source, 65536)
            if not more:
                raise EOFError
            self.rest += more

    def line(self) -> bytes:
        while b"\n" not in self.rest:
            self._fill(len(self.rest) + 1)
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def get(self) -> Tuple[int, Tuple[float, ...]]:
        self._fill(8)
        kind, count = struct.unpack_from("=ii", self.rest)
        end = 8 + 8 * count
        self._fill(end)
        numbers = struct.unpack_from(f"={count}d", self.rest, 8)
        self.rest = self.rest[end:]
        return kind, numbers

    def put(self, kind: int, numbers: Iterable[float]) -> None:
        torques = tuple(numbers)
        os.write(self.sink, struct.pack(f"=ii{len(torques)}d", kind, len(torques), *torques))


def _view_of(numbers: Tuple[float, ...], joints: int, seen: Tuple[int, int, int]) -> View:
    parts, at = [], 1
    for count in (joints,) * 8 + seen:
        parts.append(numbers[at:at + count])
        at += count
    return View(numbers[0], *parts)


def control(start: Callable[[Trial], Callable[[View], Iterable[float]]]) -> None:
    """Answer a run of graspmc until it ends: `start` is told each trial, and returns what answers its calls with a torque for
    each joint, in the order of trial.joints. A trial must follow from what it is told alone: take random numbers from
    trial.seed and trial.draw. What is printed goes to the standard error; an exception leaves the trial unsolved."""
    frames = _Frames()
    step: Optional[Callable[[View], Iterable[float]]] = None
    with contextlib.suppress(EOFError):
        head = json.loads(frames.line())
        joints, links = len(head["joints"]), len(head["links"])
        seen = (links * head["touch"], 3 * links * head["forces"], 7 * head["object"])
        while True:
            kind, numbers = frames.get()
            if kind == 2:
                try:
                    torques = step(_view_of(numbers, joints, seen)) if step else ()
                except Exception:
                    traceback.print_exc()
                    frames.put(5, ())
                    continue
                frames.put(4 if isinstance(torques, Done) else 3, torques)
                continue
            whole = [int(numbers[i]) << 32 | int(numbers[i + 1]) for i in (0, 2, 4)]
            lower, upper, most = (numbers[8 + i * joints:8 + (i + 1) * joints] for i in range(3))
            step = start(Trial(*whole, numbers[6], numbers[7], head["joints"], lower, upper, most, head["links"],
                               dict(zip(head["arguments"], numbers[8 + 3 * joints:]))))


def _library(name: str, extra: str) -> Any:
    """A library that only a part of this module needs; without it, the line that installs it for this Python."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        is_debian = sys.executable.startswith("/usr/bin/") and shutil.which("apt")
        line = f"apt install python3-{name}" if is_debian else f"{sys.executable or 'python3'} -m pip install {name}"
        raise ModuleNotFoundError(f"{extra} needs {name}, which {sys.executable or 'this Python'} does not have: {line}",
                                  name=name) from error


def _h5py() -> Any:
    return _library("h5py", "reading a result file")


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _column(values: Array) -> Any:
    """An enumeration as its words, yes and no as bool, numbers as they are."""
    numbers = _h5py().check_enum_dtype(values.dtype)
    if numbers:
        words = {number: word for word, number in numbers.items()}
        return [words.get(number, str(number)) for number in values.tolist()]
    return values.astype(bool) if values.dtype == "u1" else values


class Result:
    """A result file. Everything is read when it is asked for; the file is open for that long only.

    `answer` is what `graspmc show --json` says of it; `verdict` what the run decided: True (reached, yes), False or
    None (not decided). Wherever a path is wanted, a Result is one.
    """

    def __init__(self, path: PathLike, answer: Optional[Answer] = None, verdict: Optional[bool] = None) -> None:
        self.path = pathlib.Path(path)
        self.verdict = verdict
        self._answer = answer
        if answer is None:
            with self._open() as file:
                if _text(file.attrs.get("schema", "")) != "graspmc" or "complete" not in file.attrs:
                    raise ValueError(f"{self.path}: not a result of graspmc run")

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        known = f" {self.success}" if self._answer else ""
        return f"<graspmc.Result {str(self.path)!r}{known}>"

    def _repr_html_(self) -> str:
        reasons = ", ".join(f"{count} {name}" for name, count in self.answer["reasons"].items() if count)
        rows = [("", str(self.success))]
        levels = self.answer.get("ladder", {"levels": []})["levels"]  # a ladder has outcomes of each level
        rows += [(level["name"], ", ".join(f"{count} {name}" for name, count in level["outcomes"].items() if count))
                 for level in levels]
        rows += [(name, f"{count} ({reasons})" if name == "unsolved" and reasons else str(count))
                 for name, count in self.answer.get("outcomes", {}).items() if count]
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>"
                        f"{html.escape(said)}</td></tr>" for name, said in rows)
        return f"<table><caption>{html.escape(str(self.path))}</caption>{cells}</table>"

    def _open(self) -> Any:
        return _h5py().File(self.path, "r")

    def _table(self, name: str) -> Array:
        with self._open() as file:
            table: Array = file[name][:]
            return table

    @property
    def answer(self) -> Answer:
        """What `graspmc show --json` says."""
        if self._answer is None:
            self._answer = self.show()
        return self._answer

    @property
    def success(self) -> Estimate:
        """The Estimate of success in total."""
        if "rank" in self.answer:  # its answer is which cases are best
            found = self.answer["rank"]
            text = f"{found['end']}: the best {found['best']} within {found['within']:g}: cases {', '.join(map(str, found['cases']))}"
            return Estimate(None, 0, 1, found["level"], "", 0, 0, 0, text)
        if "round" in self.answer and "success" not in self.answer:
            return Estimate(None, 0, 1, 0.95, "", 0, 0, 0, f"a part of round {self.answer['round']} of a ranking")
        if "success" not in self.answer:  # of a ladder, which has designs that work, are rejected, are open
            found = self.answer["ladder"]["designs"]
            text = ", ".join(f"{count} {fate}" for fate, count in found.items() if count)
            return Estimate(None, 0, 1, 0.95, "", 0, 0, 0, f"designs {sum(found.values())}: {text}")
        said = self.answer["success"]
        return Estimate(**{"p": None, **{name: said[name] for name in Estimate._fields if name in said}})

    @property
    def measurements(self) -> Optional[Answer]:
        """Success with what measurements behind its inputs leave open: lower, upper, counts, effective, and `untold` with the
        reason where it cannot be told; None where no input is known from measurements alone."""
        return self.answer.get("measurements")

    @property
    def overlaps(self) -> List[Answer]:
        """Who overlaps in trials that could not start (deep_start), in most trials first: a, b, trials, depth_m, point_m ..."""
        pairs: List[Answer] = self.answer.get("overlaps", {}).get("pairs", [])
        return pairs

    @property
    def trials(self) -> Array:
        """(N) structured array, one row per trial, as stored."""
        return self._table("trials")

    @property
    def cases(self) -> Array:
        """(K) structured array: object, grasp and value of every studied parameter."""
        return self._table("cases")

    @property
    def samples(self) -> Dict[str, Array]:
        """Parameter: (N) its value in each trial."""
        with self._open() as file:
            return dict(zip((_text(name) for name in file["parameters"]["name"]), file["samples"][:].T))

    @property
    def by_case(self) -> Array:
        """Structured array of estimates, one row per case and method."""
        return self._table("summary/by_case")

    def trials_frame(self) -> pandas.DataFrame:
        """One row per trial: its object, grasp, outcome and reason as text, yes and no as bool, measures, and the value
        of every parameter. `frame.attrs["units"]` has the unit of each column with one, `frame.attrs["phases"]` the
        names that `phase` counts into. Where `is_whole` is False the measures are those of a trial's beginning:
        frame[frame["is_whole"]] has those that may be averaged, `complete()` makes all whole."""
        pandas = _library("pandas", "trials_frame()")
        with self._open() as file:
            trials, units = file["trials"][:], [_text(unit) for unit in file["trials"].attrs["units"]]
            phases = [_text(name) for name in file["trials"].attrs["phases"]]
            cases, parameters, samples = file["cases"][:], file["parameters"][:], file["samples"][:]
        columns: Dict[str, Any] = {}
        for name in trials.dtype.names:
            columns[name] = _column(trials[name])
            if name == "case":
                names = [word for word in ("object", "grasp") if word in cases.dtype.names]
                columns.update({word: [_text(cases[word][case]) for case in trials["case"]] for word in names})
        unit_of = {name: unit for name, unit in zip(trials.dtype.names, units) if unit}
        for row, values in zip(parameters, samples.T):
            name = _text(row["name"])
            name = f"{name} (drawn)" if name in columns else name
            columns[name], unit_of[name] = values, _text(row["unit"])
        frame = pandas.DataFrame(columns)
        frame.attrs.update(units=unit_of, phases=phases)
        return frame

    def show(self, **options: Any) -> Answer:
        """`graspmc.show` of this result."""
        return show(self, **options)

    def quantile(self, measure: str, *p: float, **options: Any) -> List[Answer]:
        """Quantiles of a measure, an input, or of a formula of them, over all trials: result.quantile("slip", 0.95). Each has `value`
        (None where it is open: between `lowest` and `highest`), the interval from `lower` to `upper`, and the tolerance limits
        `at_most`, which a share `p` of trials has at most, and `at_least`, which the others have at least; each by itself is
        sure at 95 % (`level`). None is open. Options are those of `show`: where="success = 1", level=0.9."""
        of = measure + (":" + ",".join(map(repr, p)) if p else "")
        found: List[Answer] = show(self, quantile=of, **options)["all"]["quantiles"]
        return found

    def complete(self, success: Optional[str] = None, output: Optional[PathLike] = None, **options: Any) -> Result:
        """`graspmc.complete` of this result."""
        return complete(self, success, output, **options)

    def rank(self, **options: Any) -> Answer:
        """`graspmc.rank` of this result."""
        return rank(self, **options)

    def replay(self, trial: int, output: Optional[PathLike] = None, **options: Any) -> Answer:
        """`graspmc.replay` of this result."""
        return replay(self, trial, output, **options)

    def extract(self, trial: int, output: PathLike, **options: Any) -> Answer:
        """`graspmc.extract` of this result."""
        return extract(self, trial, output, **options)

    def export(self, output: PathLike, **options: Any) -> Answer:
        """`graspmc.export` of this result."""
        return export(self, output, **options)

    def compare(self, other: PathLike, **options: Any) -> Answer:
        """`graspmc.compare` of this result (a) with another (b)."""
        return compare(self, other, **options)

    def trajectory(self, trial: int) -> Trajectory:
        """The Trajectory of a trial that was kept (`trajectories="all"`, or of `replay`); KeyError if it was not."""
        with self._open() as file:
            index = file["trajectories/index"][:]
            found = index[index["trial"] == trial]
            if len(found) == 0:
                raise KeyError(f"{self.path}: no motion of trial {trial} was kept; replay({trial}, 'trial.h5') makes one")
            return _trajectory(file["trajectories"], found[0])


def _trajectory(group: Any, kept: Any) -> Trajectory:
    rows = slice(int(kept["offset"]), int(kept["offset"] + kept["length"]))
    first = int(kept["contact_offset"])
    touching = slice(first, first + int(kept["contact_length"]))
    bodies = {_text(row["name"]): group[_text(row["path"])] for row in group["body_names"][:]}
    start = group["contacts/start"][rows.start:rows.stop + 1].astype("i8") - first
    geoms = [_text(name) for name in group["contacts/geom_names"]["name"]]
    contacts: Dict[str, Any] = {name: group[f"contacts/{name}"][touching] for name in ("point", "normal", "force", "torque")}
    contacts["geoms"] = [(geoms[a], geoms[b]) for a, b in group["contacts/geoms"][touching]]
    return Trajectory(
        time=group["time"][rows],
        pose={name: body["pose"][rows] for name, body in bodies.items()},
        twist={name: body["twist"][rows] for name, body in bodies.items()},
        q=group["joints/q"][rows], effort=group["joints/effort"][rows],
        joints=[_text(name) for name in group["joints/names"]["name"]],
        contact_start=start, contacts=contacts, trial=int(kept["trial"]), rate=float(group.attrs["rate_hz"]))


if __name__ == "__main__":
    main()
