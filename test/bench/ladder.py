#!/usr/bin/env python3
"""Verdicts of a ladder beside those of its last level alone.

    test/bench/ladder.py TIMES ALONE.json LADDER.json     rows of scripts/bench ladder

TIMES has a line a round: seconds of the processor of the last level alone and of the ladder. The files are what
`graspmc show --json` says of either run. Exits with 1 where a bar is missed.
"""
import json
import statistics
import sys

SAME, COST = 0.99, 0.75  # least share of designs with the same verdict, largest share of the time


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def audit(who):
    """What an audit found, of a level or of one design."""
    if who["audited"] == 0:
        return "none audited"
    words = f"{who['audit_works']} of {who['audited']} audited trials succeed"
    return words + (f" [{who['lower']:.3f} {who['upper']:.3f}]" if "lower" in who else "")


def told(case):
    """A verdict and what it stands on."""
    words = case["verdict"]
    if case["verdict"] == "rejected":
        words += f" by {case['rejected_by']} in trial {case['counterexample']}"
    success = case["success"]
    return f"{words} ({success['successes']} of {success['successes'] + success['failures']} at the last level)"


def main():
    times = [[float(word) for word in line.split()] for line in open(sys.argv[1], encoding="utf-8")]
    alone, ladder = read(sys.argv[2]), read(sys.argv[3])
    pairs = list(zip(alone["cases"], ladder["cases"], strict=True))
    same = sum(a["verdict"] == b["verdict"] for a, b in pairs) / len(pairs)
    works = [a["verdict"] == "works" for a, _ in pairs]
    kept = sum(w and b["verdict"] == "works" for w, (_, b) in zip(works, pairs))
    unsolved = sum(level["outcomes"]["unsolved"] for run in (alone, ladder) for level in run["ladder"]["levels"])
    cost = statistics.median(own / last for last, own in times)
    last_level = ladder["ladder"]["levels"][-1]["name"]
    failed = False

    def row(what, figure, bar="", is_met=None):
        nonlocal failed
        failed |= is_met is False
        print(",".join((what, figure, bar, "" if is_met is None else "ok" if is_met else "FAIL")))

    print("what,figure,bar,verdict")
    row(f"designs that work by {last_level} alone", f"{sum(works)} of {len(pairs)}", ">= 1", sum(works) >= 1)
    row("of these kept by the ladder", f"{kept} of {sum(works)}")
    row("designs with the same verdict", f"{same:.4f}", f">= {SAME}", same >= SAME)
    row("time of the ladder over that alone", f"{cost:.3f}", f"<= {COST}", cost <= COST)
    row(f"seconds of {last_level} alone", " ".join(f"{last:.1f}" for last, _ in times))
    row("seconds of the ladder", " ".join(f"{own:.1f}" for _, own in times))
    row(f"trials of {last_level} alone", str(alone["ladder"]["levels"][-1]["trials"]))
    for level in ladder["ladder"]["levels"]:
        row(f"trials of level {level['name']}", f"{level['trials']}: rejects {level['rejected']}")
        if level["spared"]:
            row(f"audit of what {level['name']} spared", audit(level))
    row("trials without a verdict", str(unsolved))
    for a, b in pairs:
        if a["verdict"] != b["verdict"]:
            row(f"design {a['case']}", f"alone {told(a)}; ladder {told(b)}; its audit: {audit(b)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
