"""scripts/sweep_parallel: parts and grids on GNU Parallel, through failures, to the bytes of one run."""
import csv
import os
import shutil
import signal
import subprocess
import time
import unittest

from support import PROGRAM, QUICK, ROOT, Case

SWEEP = ROOT / "scripts/sweep_parallel"
GRID = ["--grid", "program.0.close.force=grid(5 N, 15 N, step 10 N)", "--grid",
        "program.1.lift.by=20 mm,30 mm"]

# The program, but its runs fail: the first try of an odd part is killed with everything it has, that
# of an even one cannot write; the second try is told to stop; the third is left alone. Every run
# leaves a line in `tries`.
UNRELIABLE = """#!/bin/bash
[[ $1 == run ]] || exec {program} "$@"
part=${{5##*/}}
echo "$part" >>{folder}/tries
number=$(grep -cxF "$part" {folder}/tries)
[[ $number -eq 1 && ${{part%of*}} == *[02468] ]] && exit 74
[[ $number -le 2 ]] || exec {program} "$@"
{program} "$@" &
while kill -0 $! && ! [[ $(stat -c %s "$5.journal") -gt 20000 ]]; do sleep 0.01; done 2>/dev/null
if [[ $number -eq 1 ]]; then kill -KILL $! && kill -KILL $$; fi
kill -TERM $!
wait $!
"""

# ssh without a network: the command of a host is run here, in another folder, with the SHELL that a
# host sets when somebody logs in (and without which GNU Parallel runs nothing there).
SSH = """#!/bin/bash
export SHELL=/bin/sh
while [[ $1 != -- ]]; do echo "$1" >>{folder}/words; shift; done
shift
cd / && exec sh -c "$*"
"""


@unittest.skipUnless(shutil.which("parallel"), "GNU Parallel is not installed")
class Parallel(Case):
    def start_sweep(self, *words, program=PROGRAM, **options):
        return subprocess.Popen([SWEEP, "--program", program, *map(str, words)], cwd=self.folder,
                                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def sweep(self, *words, code=0, **options):
        process = self.start_sweep(*words, **options)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, code, f"--- stdout\n{out}\n--- stderr\n{err}")
        return out, err

    def script(self, name, text):
        path = self.write(name, text.format(program=PROGRAM, folder=self.folder))
        path.chmod(0o755)
        return path

    def finished(self):
        """Finished parts, and when they were written."""
        return {path.name: path.stat().st_mtime_ns
                for path in (self.folder / "sweep/parts").glob("*.h5")}

    def test_parts_that_fail_are_resumed_until_all_are_there(self):
        self.run_program("run", QUICK, "-n", 900, "-o", "whole.h5", "-q")
        program = self.script("unreliable", UNRELIABLE)
        words = [QUICK, "-o", "sweep", "--shards", 4, "-j", 2, "--halt", "never", "--retries", 1]
        for code in (74, 75):  # first try, second try
            _, said = self.sweep(*words, "--", "-n", 900, program=program, code=code)
            self.assertEqual(self.finished(), {})
            self.assertEqual(said.count("see logs/all."), 4)
        out, _ = self.sweep(*words, "--", "-n", 900, program=program)
        self.assertIn("complete,900,", out)
        self.assert_same_bytes("whole.h5", "sweep/all.h5")
        # the third try went on from what the first two had left
        for k in (1, 3):
            log = (self.folder / f"sweep/parts/all.{k}of4.h5.log").read_text().splitlines()
            self.assertNotIn('"kept": 0,', log[-2])
        # once more: nothing is run
        parts = self.finished()
        self.assertEqual(len(parts), 4)
        before = (self.folder / "tries").read_text()
        self.sweep(*words, "--", "-n", 900, program=program)
        self.assertEqual((self.folder / "tries").read_text(), before)
        # a part that was lost is made again, and only that one; so is what it was merged into
        os.remove(self.folder / "sweep/parts/all.2of4.h5")
        os.remove(self.folder / "sweep/all.h5")
        self.sweep(*words, "--", "-n", 900, program=program)
        self.assertEqual((self.folder / "tries").read_text(), before + "all.2of4.h5\n")
        self.assert_same_bytes("whole.h5", "sweep/all.h5")
        parts.pop("all.2of4.h5")
        self.assertEqual({name: t for name, t in self.finished().items() if name in parts}, parts)
        # without its parts a merged result is done as well, whatever a log of jobs says
        subprocess.run([SWEEP.parent / "sweep_gather", self.folder / "sweep", "--tidy", "--program", PROGRAM], check=True,
                       capture_output=True)
        self.assertEqual(self.finished(), {})
        os.remove(self.folder / "sweep/joblog")
        before = (self.folder / "tries").read_text()
        self.sweep(*words, "--", "-n", 900, program=program)
        self.assertEqual((self.folder / "tries").read_text(), before)

    def test_parts_that_fail_are_tried_again_at_once(self):
        self.run_program("run", QUICK, "-n", 300, "-o", "whole.h5", "-q")
        program = self.script("unreliable", UNRELIABLE)
        self.sweep(QUICK, "-o", "sweep", "--shards", 3, "--halt", "never", "--", "-n", 300,
                   program=program)
        self.assertEqual(len((self.folder / "tries").read_text().split()), 9)
        self.assert_same_bytes("whole.h5", "sweep/all.h5")

    def test_told_to_stop_and_gone_on(self):
        self.run_program("run", QUICK, "-n", 1500, "-o", "whole.h5", "-q")
        words = [QUICK, "-o", "sweep", "--shards", 3, "-j", 2, "--", "-n", 1500]
        process = self.start_sweep(*words)
        journal = self.folder / "sweep/parts/all.1of3.h5.journal"
        while not (journal.exists() and journal.stat().st_size > 20000):
            self.assertIsNone(process.poll(), "over before it could be stopped")
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, err)
        self.assertIn("3 of 3 missing", out)
        self.assertIn("stopped by SIGTERM", (self.folder / "sweep/logs/all.1of3.log").read_text())
        self.sweep(*words)
        self.assert_same_bytes("whole.h5", "sweep/all.h5")

    def test_a_grid_is_a_result_for_every_combination(self):
        self.sweep(QUICK, "-o", "sweep", "--shards", 2, *GRID, "--", "-n", 60, "--seed", 3)
        with open(self.folder / "sweep/table.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = [(row["program.0.close.force"], row["program.1.lift.by"]) for row in rows]
        self.assertEqual(found, [("5 N", "20 mm"), ("5 N", "30 mm"), ("15 N", "20 mm"),
                                 ("15 N", "30 mm")])
        for i, row in enumerate(rows):
            self.run_program("run", QUICK, "-n", 60, "--seed", 3, "-q", "--force", "-o", "one.h5",
                             "--set", f"program.0.close.force={found[i][0]}",
                             "--set", f"program.1.lift.by={found[i][1]}")
            self.assert_same_bytes("one.h5", f"sweep/{row['file']}")
            success = self.run_json("show", "one.h5")["success"]
            for name in ("p", "lower", "upper", "level", "successes", "unsolved"):
                self.assertEqual(float(row[name]), success[name])
            self.assertEqual((row["state"], row["method"]), ("complete", success["method"]))
        self.assertNotEqual(rows[0]["p"], rows[2]["p"])

    def test_answers_are_not_failures(self):
        out, _ = self.sweep(QUICK, "-o", "sweep", "--grid",
                            "program.0.close.force=2 N,15 N", "--retries", 1, "--", "-n", 400,
                            "--decide", "success>=0.5")
        rows = list(csv.DictReader(out.splitlines()))
        self.assertEqual([row["state"] for row in rows], ["complete"] * 2)
        self.assertLess(float(rows[0]["upper"]), 0.5)
        self.assertGreater(float(rows[1]["lower"]), 0.5)

    def test_hosts_of_a_list(self):
        self.run_program("run", QUICK, "-n", 200, "-o", "whole.h5", "-q")
        hosts = self.write("hosts", "1/node1\n1/user@node2\n")
        environment = dict(os.environ, PARALLEL_SSH=str(self.script("ssh", SSH)))
        self.sweep(QUICK, "-o", "a folder", "--shards", 4, "--sshloginfile", hosts, "--", "-n", 200,
                   env=environment)
        self.assert_same_bytes("whole.h5", "a folder/all.h5")
        self.assertEqual(set((self.folder / "words").read_text().split()),
                         {"node1", "-l", "user", "node2"})

    def test_what_makes_no_sense_is_refused_before_anything_runs(self):
        done = self.sweep(QUICK, "-o", "sweep", *GRID, "--shards", 2, "--dry-run", "--", "-n", 10)
        self.assertEqual(done[0].count("graspmc run"), 8)
        self.assertIn("--resume-failed", done[0])
        _, said = self.sweep(QUICK, "-o", "sweep", "--grid", "program.0.close.force=5 N,fast",
                             code=65)
        self.assertIn("combination 2: fast", said)
        self.assertIn("program.0.close.force", said)
        for words in ([], ["--grid", "mass"], ["-o", "sweep", "--grid", "a=grid(1, 2, 3)"],
                      ["-o", "sweep", "--shards", 0], ["-o", "sweep", "--frobnicate"],
                      ["-o", "sweep", "--", "--resume"], ["-o"],
                      ["-o", "sweep", "--grid", "a=grid(0 N, 1 N, step 0.3 N)"],
                      ["-o", "sweep", "--shards", 2, "--", "--until", "half_width<0.1"]):
            self.sweep(QUICK, *words, code=64)
        self.sweep("none.yaml", "-o", "sweep", code=66)
        for words, code in ((["\x1b[31m\u202e\x9b.yaml", "-o", "sweep"], 66), ([QUICK, "--\x1b[31m"], 64)):
            said = "".join(self.sweep(*words, code=code))
            self.assertTrue(said.replace("\n", "").isprintable(), ascii(said))
            self.assertIn("?[31m", said)
        self.assertFalse((self.folder / "sweep").exists())

        self.sweep(QUICK, "-o", "sweep", "--", "-n", 10)
        self.lend("quick.yaml")
        scenario = self.write("other.yaml", "graspmc: 1\nuse: quick.yaml\n")
        for words in ([QUICK, "-o", "sweep", "--", "-n", 11], [scenario, "-o", "sweep", "--", "-n", 10],
                      [QUICK, "-o", "sweep", "--shards", 2, "--", "-n", 10]):
            _, said = self.sweep(*words, code=76)
            self.assertIn("another sweep", said)

    def test_f07_a_folder_that_looks_like_an_option(self):
        self.sweep(QUICK, "-o", "-dash", "--shards", 2, "--", "-n", 6)
        self.assertTrue((self.folder / "-dash/all.h5").exists())
        self.assertEqual([path.name for path in self.folder.iterdir()], ["-dash"])

    def test_f09_gather_runs_nothing_that_a_folder_names(self):
        self.sweep(QUICK, "-o", "sweep", "--shards", 2, "--", "-n", 6)
        (self.folder / "sweep/all.h5").unlink()
        evil = self.script("evil", "#!/bin/bash\ntouch {folder}/PWNED\n")
        for program in ("$(touch ../PWNED)", "`touch ../PWNED`", str(evil)):
            (self.folder / "sweep/jobs").write_text(f"parts/all.1of2.h5\texec {program} run x\n")
            subprocess.run([SWEEP.parent / "sweep_gather", "sweep", "--program", PROGRAM], cwd=self.folder, check=True,
                           capture_output=True)
            self.assertFalse((self.folder / "PWNED").exists())
        self.assertTrue((self.folder / "sweep/all.h5").exists())

    def test_f18_words_are_taken_as_they_are(self):
        self.sweep(QUICK, "-o", "sweep", "--grid", r"about=a\tb,c\n", "--", "-n", 3)
        with open(self.folder / "sweep/table.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual([row[1] for row in rows[1:]], [r"a\tb", r"c\n"])
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        named = self.lend("two\nlines.yaml")
        for words in ([named, "-o", "s"], [QUICK, "-o", "s", "--", "-qofoo.h5"], [QUICK, "-o", "s\tt"]):
            self.sweep(*words, code=64)
        _, said = self.sweep(QUICK, "-o", "s", "--", "-n", 3, code=73, env=dict(os.environ, TMPDIR="/none"))
        self.assertIn("/none", said)
        self.assertFalse((self.folder / "s").exists())
        folder = self.folder / "b\u00e9 run y"
        folder.mkdir()
        program = folder / "graspmc"
        program.symlink_to(PROGRAM)
        self.sweep(QUICK, "-o", "c", "--shards", 2, "--", "-n", 4, program=program, env=dict(os.environ, LC_ALL="C"))
        self.assertTrue((self.folder / "c/all.h5").exists())

    def test_f19_more_parts_than_draws_are_a_mistake_of_the_plan(self):
        _, said = self.sweep(QUICK, "-o", "sweep", "--shards", 8, "--", "-n", 3, code=64)
        self.assertIn("--shards 8, but 3 draws", said)
        self.assertFalse((self.folder / "sweep").exists())

    def test_f19_what_parallel_cannot_use_is_a_wrong_command_line(self):
        """64 before anything runs, not 75 for what can never go on."""
        for words, part in ((["--halt", "junk"], "found junk"), (["--halt", "soon,fail=0%"], "found soon,fail=0%"),
                            (["--halt", "now,fail=x"], "--halt expects"), (["--halt", ""], "--halt expects"),
                            (["-j", "$(touch PWNED)"], "-j expects"), (["-j", 0], "-j expects"), (["-j", "0%"], "-j expects"),
                            (["-j", "1.5"], "-j expects"), (["--memfree", "junk"], "--memfree expects"),
                            (["--retries", "x"], "--retries expects")):
            _, said = self.sweep(QUICK, "-o", "sweep", *words, "--", "-n", 4, code=64)
            self.assertIn(part, said)
        for line in ("0/:", "-1/:", "{}/:", "1.5/:", "-oProxyCommand=x", "2/3/:"):
            hosts = self.write("hosts", f"# mine\n:\n{line}\n")
            _, said = self.sweep(QUICK, "-o", "sweep", "--sshloginfile", hosts, "--", "-n", 4, code=64)
            self.assertIn(f"hosts:3: expected a host, : for this one, or N/host with N parts at a time, at least 1; found {line}",
                          said)
        self.write("hosts", "# none\n\n")
        self.assertIn("no host is in it", self.sweep(QUICK, "-o", "sweep", "--sshloginfile", "hosts", "--", "-n", 4, code=64)[1])
        self.sweep(QUICK, "-o", "sweep", "--sshloginfile", "nowhere", "--", "-n", 4, code=66)
        self.assertFalse((self.folder / "sweep").exists())
        self.assertFalse((self.folder / "PWNED").exists())
        rounds = subprocess.run([ROOT / "scripts/sweep_rounds", "--program", PROGRAM, ROOT / "test/end_to_end/rank.yaml", "-o",
                                 "rounds", "-j", "x"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(rounds.returncode, 64, rounds.stderr)
        # what only GNU Parallel itself can tell: fewer parts than none
        _, said = self.sweep(QUICK, "-o", "sweep", "-j", "-9999", "--", "-n", 4, code=64)
        self.assertIn("GNU Parallel ran nothing", said)
        self.sweep(QUICK, "-o", "sweep", "-j", "+1", "--halt", "now,fail=50%", "--memfree", "1k", "--", "-n", 4)

    def test_d18_two_engines_in_one_folder_are_noticed(self):
        words = [QUICK, "-o", "sweep", "--shards", 2, "-j", 1, "--", "-n", 3000]
        first = self.start_sweep(*words)
        for _ in range(1000):
            if list(self.folder.glob("sweep/parts/*.journal")):
                break
            time.sleep(0.02)
        _, said = self.sweep(*words, code=73)
        self.assertRegex(said, r"another sweep is at work in .*/sweep: wait for it, or choose another folder")
        first.kill()  # its parts go on, and hold nothing
        first.communicate(timeout=100)
        self.sweep(*words)
        self.assertTrue((self.folder / "sweep/all.h5").exists())

    def test_f19_a_host_that_is_gone_is_no_mistake_of_ours(self):
        hosts = self.write("hosts", "1/node1\n")
        gone = self.script("gone", "#!/bin/sh\nexit 255\n")
        words = [QUICK, "-o", "sweep", "--shards", 2, "--retries", 1, "--halt", "never", "--sshloginfile", hosts, "--", "-n", 20]
        _, said = self.sweep(*words, code=75, env=dict(os.environ, PARALLEL_SSH=str(gone)))
        self.assertIn("parts/all.1of2.h5: node1 was not reached, or lost (ssh); the same command goes on", said)
        self.sweep(*words, env=dict(os.environ, PARALLEL_SSH=str(self.script("ssh", SSH))))

    def test_f03_folders_of_allow_are_meant_from_where_the_sweep_is_called(self):
        (self.folder / "base").mkdir()
        self.lend("base/quick.yaml")
        (self.folder / "top").mkdir()
        self.write("top/top.yaml", "use: ../base/quick.yaml\n")
        self.sweep("top/top.yaml", "-o", "no", "--", "-n", 4, code=65)
        self.sweep("top/top.yaml", "-o", "yes", "--shards", 2, "--", "-n", 4, "--allow", "base")

    def test_help_fits_a_screen(self):
        for name in ("sweep_parallel", "sweep_slurm"):
            out = subprocess.run([ROOT / "scripts" / name, "--help"], check=True, text=True,
                                 capture_output=True).stdout
            self.assertLessEqual(len(out.splitlines()), 24, name)
            self.assertLessEqual(max(map(len, out.splitlines())), 80, name)


if __name__ == "__main__":
    unittest.main()
