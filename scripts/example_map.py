#!/usr/bin/python3
"""An example of graspmc.py: run a study over where a hand closes, and draw its success map.

    scripts/example_map.py scenarios/gear_map.yaml map.png --draws 20

The scenario's study varies two numbers on a grid. A dot marks cells whose interval reaches 0.5: more draws
would be needed to say on which side they are.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
from plotting import numpy, pyplot  # noqa: E402

# where the module is not installed for this Python it stands beside the program: of this tree, or of an installed one
HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "build" / kind) for kind in ("release", "checked", "dev")] + [str(HERE.parents[2] / "bin")]
import graspmc  # noqa: E402


def grid(result):
    """The two varied numbers, and (rows, columns) of p, lower and upper end by them."""
    cases = result.cases
    axes = [name for name in cases.dtype.names if name not in ("case", "object", "grasp")]
    if len(axes) != 2:
        raise SystemExit(f"{result.path}: a map needs a study over two numbers, this varies {axes or 'nothing'}")
    estimates = result.by_case
    estimates = estimates[numpy.unique(estimates["case"], return_index=True)[1]]  # the first of each is the one that is printed
    values, places = zip(*(numpy.unique(cases[axis], return_inverse=True) for axis in axes))
    cells = {}
    for name in ("p", "lo", "hi"):
        cells[name] = numpy.full((len(values[1]), len(values[0])), numpy.nan)
        cells[name][places[1][estimates["case"]], places[0][estimates["case"]]] = estimates[name]
    return axes, values, cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--draws", type=int, default=20)
    words = parser.parse_args()
    try:
        result = graspmc.run(words.scenario, words.picture.with_suffix(".h5"), draws=words.draws, force=True)
    except graspmc.Error as error:
        raise SystemExit(str(error)) from None
    axes, (x, y), cells = grid(result)
    figure, panel = pyplot.subplots(figsize=(5.5, 4.5), layout="constrained")
    picture = panel.pcolormesh(x * 1e3, y * 1e3, cells["p"], vmin=0, vmax=1, shading="nearest")
    open_rows, open_columns = numpy.nonzero((cells["lo"] < 0.5) & (cells["hi"] > 0.5))
    panel.plot(x[open_columns] * 1e3, y[open_rows] * 1e3, "w.", markersize=3)
    panel.set(xlabel=f"{axes[0]} [mm]", ylabel=f"{axes[1]} [mm]", title=str(result.success), aspect="equal")
    panel.title.set_fontsize("small")
    figure.colorbar(picture, label="success")
    figure.savefig(words.picture, dpi=100)
    print(words.picture)


if __name__ == "__main__":
    main()
