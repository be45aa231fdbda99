"""What plot_map and plot_trial share: opening results, saving pictures, saying what is missing."""
import os
import pathlib
import shutil
import sys

try:
    import h5py
    import matplotlib
    import numpy  # noqa: F401  for those who import this
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed for {sys.executable}; plots need h5py and matplotlib:\n"
             "apt install python3-h5py python3-matplotlib, or pip install h5py matplotlib")

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402,F401  the backend must be chosen first


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def open_result(path):
    """A finished result file, or an end with the reason."""
    if not path.is_file():
        sys.exit(f"{path}: no such file")
    try:
        file = h5py.File(path, "r")
    except OSError:
        sys.exit(f"{path}: not an HDF5 file, or damaged")
    if text(file.attrs.get("schema", "")) != "graspmc" or "complete" not in file.attrs:
        sys.exit(f"{path}: not a result of graspmc run")
    return file


def program():
    """The graspmc of $GRASPMC, of this tree, of this installation, or on PATH."""
    root = pathlib.Path(__file__).resolve().parent.parent
    built = [root / "build" / kind / "graspmc" for kind in ("release", "checked", "dev")] + [root.parents[1] / "bin/graspmc"]
    for path in [os.environ.get("GRASPMC"), *built, shutil.which("graspmc")]:
        if path and pathlib.Path(path).is_file():
            return str(path)
    sys.exit("graspmc is needed to look at trials again: build it, or name it in GRASPMC")


def save(figure, output):
    """The same result gives the same picture: no date in the file."""
    kinds = {".png": {"metadata": {"Software": None}, "pil_kwargs": {"optimize": True}},
             ".svg": {"metadata": {"Date": None}}, ".pdf": {"metadata": {"CreationDate": None}}}
    if output.suffix not in kinds:
        sys.exit(f"{output}: pictures are {', '.join(kinds)}")
    matplotlib.rcParams["svg.hashsalt"] = "graspmc"
    try:
        figure.savefig(output, dpi=100, **kinds[output.suffix])
    except OSError as error:
        sys.exit(f"{output}: {error.strerror}")
    print(output)
