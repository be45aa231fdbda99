"""`scripts/bench` says how it ended: the script alone, with stand-ins for what it builds and measures."""
import json
import os
import shutil
import subprocess
import unittest

from support import ROOT, Case

SHIFT = 'while [[ $1 == -* || $1 =~ ^[0-9]+$ ]]; do shift; done\nexec "$@"\n'
PROFILED = """[[ -f ${*: -2:1} ]] || { echo "bench: no file ${*: -2:1}" >&2; exit 1; }
"""


class Bench(Case):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        self.write_program("tree/scripts/setup", "")
        shutil.copy(ROOT / "scripts/bench", self.tree / "scripts/bench")
        for name in ("cmake", "valgrind", "callgrind_annotate", "taskset"):
            self.write_program(f"bin/{name}", "")
        self.write_program("bin/taskset", SHIFT)
        self.write_program("tree/build/bench/test/bench/bench_bars", 'echo "time,scene,10,41"\n')
        self.write_program("shared/peers/run", "")
        (self.tree / "test/bench/mjcf").mkdir(parents=True)
        self.write_program("tree/build/bench/test/bench/bench_mjcf", 'echo "model,rad,bar"\n')
        self.measure(100)

    def write_program(self, name, text):
        """A program that answers as a real one would: what is tested is the script around it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/usr/bin/env bash\n" + text, encoding="utf-8")
        path.chmod(0o755)

    def measure(self, microseconds):
        """A step of the peers takes so long; ours take 10."""
        for peer in ("mj_bench", "ode_bench"):
            self.write_program(f"tree/build/bench/tables/peers/{peer}", f'echo "us/step={microseconds},ok=41"\n')

    def bench(self, *words, code=0):
        done = subprocess.run([self.tree / "scripts/bench", *words], capture_output=True, encoding="utf-8", check=False,
                              cwd=self.folder, env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_peers_end_as_their_rows_do(self):
        table = self.bench("peers").stdout
        self.assertEqual(sum(line.endswith(" ok") for line in table.splitlines()), 6, table)
        self.measure(19)
        self.assertIn("FAIL", self.bench("peers", code=1).stdout)

    def test_workers_are_held_to_their_share(self):
        """Trials per second: 100 by one worker, so many more by all."""
        for gain, end, code in (("0.95", "ok", 0), ("0.8", "FAIL", 1)):
            self.write_program("tree/build/bench/test/bench/bench_speed",
                               f"awk -v n=$4 'BEGIN{{print \"s,1,9,9,1,100\\ns,\" n \",9,9,1,\" 100 * n * {gain}}}'\n")
            table = self.bench("workers", code=code).stdout
            self.assertEqual(sum(line.split()[2:] == [f"{float(gain):.3f}", "0.9", end] for line in table.splitlines()), 3, table)

    def test_a_ladder_is_held_to_its_verdicts_and_its_time(self):
        """Ten designs: the first works by the last level alone, what becomes of it by the ladder differs."""
        (self.tree / "test/bench/ladder.py").write_text((ROOT / "test/bench/ladder.py").read_text(encoding="utf-8"), encoding="utf-8")
        (self.tree / "test/bench/ladder.py").chmod(0o755)
        self.write_program("tree/build/bench/graspmc",
                           'for word; do [[ $word == *.h5 ]] && name=$(basename "$word" .h5); done\n'
                           '[[ $1 == show ]] || exec python3 "$0.py" "$name"\ncat "$0.$name.json"\n')
        # the time is that of a loop, of as many turns as the run is to cost
        (self.tree / "build/bench/graspmc.py").write_text(
            "import pathlib, sys\n"
            "turns = pathlib.Path(__file__.replace('.py', f'.{sys.argv[1]}.turns')).read_text()\n"
            "for _ in range(int(turns)):\n    pass\n", encoding="utf-8")
        turns = 3_000_000
        for working, kept, cost, code, said in ((1, 1, 0.1, 0, "1.0000"), (1, 0, 0.1, 1, "0.9000"), (0, 0, 0.1, 1, "0 of 10"),
                                                (1, 1, 1.5, 1, "1.0000")):
            self.write_ladder("alone", working, turns)
            self.write_ladder("ladder", kept, int(cost * turns))
            with self.subTest(working=working, kept=kept, cost=cost):
                table = self.bench("ladder", code=code).stdout
                self.assertEqual("FAIL" in table, code != 0, table)
                self.assertIn(said, table)
                self.assertEqual(table.count("\ndesign 0 "), working - kept)
                if working > kept:
                    self.assertIn("its audit: 1 of 2 audited trials succeed", table)

    def write_ladder(self, name, working, turns):
        """What the stand-in says of a run in which so many of ten designs work."""
        counts = {"trials": 80, "rejected": 10 - working, "spared": 40, "audited": 2, "audit_works": 1, "lower": 0.01, "upper": 0.99,
                  "outcomes": {"unsolved": 0}}
        cases = [{"case": case, "verdict": "works" if case < working else "rejected", "rejected_by": "rigid", "counterexample": case,
                  "success": {"successes": 7, "failures": 1}, "audited": 2, "audit_works": 1} for case in range(10)]
        levels = [{"name": level, **counts} for level in ("rigid", "compliant")]
        place = self.tree / "build/bench"
        (place / f"graspmc.{name}.json").write_text(json.dumps({"ladder": {"levels": levels}, "cases": cases}), encoding="utf-8")
        (place / f"graspmc.{name}.turns").write_text(str(turns), encoding="utf-8")

    def test_a_profile_is_of_a_name_or_a_path(self):
        (self.folder / "own.yaml").write_text("graspmc: 1\n", encoding="utf-8")
        scenes = self.tree / "test/bench/scenes"
        scenes.mkdir(parents=True)
        (scenes / "one.yaml").write_text("graspmc: 1\n", encoding="utf-8")
        self.write_program("bin/valgrind", PROFILED)
        self.write_program("bin/callgrind_annotate", 'echo "1,234 (50.0%)  some.c:gmc_step"\n')
        for scene in ("own.yaml", str(self.folder / "own.yaml"), "one"):
            self.assertIn("gmc_step", self.bench("profile", scene).stdout)
        self.assertIn("no scene none.yaml", self.bench("profile", "none.yaml", code=66).stderr)
        self.write_program("bin/valgrind", 'echo "valgrind: it broke" >&2\nexit 3\n')
        self.assertIn("it broke", self.bench("profile", "one", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
