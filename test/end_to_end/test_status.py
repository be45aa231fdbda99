"""What `graspmc status` says about finished, running, killed and missing parts."""
import json
import os
import pathlib
import shutil
import signal
import time
import unittest

from support import QUICK, Case


class Status(Case):
    def status(self, *paths, code):
        return json.loads(self.run_program("status", *paths, "--json", code=code).stdout)

    def test_parts_of_a_run_and_what_is_missing(self):
        os.mkdir(self.folder / "parts")
        for i in (1, 3):
            self.run_program("run", QUICK, "-n", 40, "--shard", f"{i}/4", "-o", f"parts/{i}.h5", "-q")
        found = self.status("parts", code=2)
        (run,) = found["runs"]
        self.assertEqual((run["done"], run["total"]), (20, 40))
        self.assertEqual(run["missing"], [{"first": 10, "count": 10}, {"first": 30, "count": 10}])
        text = self.run_program("status", "parts", code=2).stdout
        self.assertIn("trials 30 ... 39", text)
        for i in (2, 4):
            self.run_program("run", QUICK, "-n", 40, "--shard", f"{i}/4", "-o", f"parts/{i}.h5", "-q")
        found = self.status("parts", code=0)
        self.assertEqual(found["state"], "complete")
        self.assertEqual(found["runs"][0]["missing"], [])
        self.assertIn("every part is there", self.run_program("status", "parts").stdout)
        parts = [f"parts/{i}.h5" for i in (1, 2, 3, 4)]
        self.run_program("merge", *parts, "-o", "parts/all.h5", "-q")
        self.assert_refused("  parts/all.h5 is whole: there is nothing to merge\n", "parts")

    def test_trials_of_an_interrupted_run_and_of_others_are_counted_once(self):
        self.run_cut_off("run", QUICK, "-n", 600, "-j", 1, "-o", "cut.h5", "-q", seconds=0.15)
        cut = self.status("cut.h5", code=2)["runs"][0]["done"]
        self.run_program("run", QUICK, "-n", 600, "--shard", "1/3", "-o", "part.h5", "-q")
        found = self.status("cut.h5", "part.h5", code=2)["runs"][0]["done"]
        self.assertEqual(found, max(cut, 200))  # which trials the cut one has is not known: those of the part, or more
        self.run_program("run", QUICK, "-n", 600, "-o", "whole.h5", "-q")
        self.assertEqual(self.status("cut.h5", "whole.h5", code=2)["runs"][0]["done"], 600)
        self.assertIn("600 of 600 trials", self.run_program("status", "cut.h5", "whole.h5", code=2).stdout)

    def assert_refused(self, said, folder):
        """`status` does not send to `merge` what `merge` does not take."""
        text = self.run_program("status", folder).stdout
        self.assertIn(said, text)
        self.assertNotIn("every part", text)
        files = sorted(str(path) for path in (self.folder / folder).glob("*.h5"))
        self.run_program("merge", *files, "-o", "no.h5", "-q", code=76)

    def test_merge_is_named_only_where_it_takes_the_files(self):
        for folder in ("whole", "twice", "kinds"):
            os.mkdir(self.folder / folder)
        self.run_program("run", QUICK, "-n", 10, "-o", "whole/a.h5", "-q")
        self.run_program("replay", "whole/a.h5", "--trial", 3, "-o", "whole/b.h5", "-q")
        self.assert_refused("  whole/a.h5 is whole: there is nothing to merge\n", "whole")
        for i in (1, 2):
            self.run_program("run", QUICK, "-n", 10, "--shard", f"{i}/2", "-o", f"twice/{i}.h5", "-q")
        shutil.copy(self.folder / "twice/1.h5", self.folder / "twice/3.h5")
        self.assert_refused("every trial is there, some twice", "twice")
        for i, kept in ((1, "all"), (2, "none")):
            self.run_program("run", QUICK, "-n", 10, "--shard", f"{i}/2", "-o", f"kinds/{i}.h5", "-q", "--trajectories", kept)
        self.assert_refused("every trial is there, but not in parts of one run", "kinds")

    def test_runs_of_other_numbers_of_trials_are_not_mixed(self):
        os.mkdir(self.folder / "two")
        self.run_program("run", QUICK, "-n", 40, "-o", "two/a.h5", "-q")
        self.run_program("run", QUICK, "-n", 100, "--shard", "1/4", "-o", "two/b.h5", "-q")
        short, long = self.status("two", code=2)["runs"]
        self.assertEqual((short["done"], short["total"], short["missing"]), (40, 40, []))
        self.assertEqual((long["done"], long["total"], long["missing"]), (25, 100, [{"first": 25, "count": 75}]))
        self.assertIn("a.h5", short["outputs"][0]["path"])
        # a part of the short one is not in the long one, though its trials are
        os.mkdir(self.folder / "part")
        self.run_program("run", QUICK, "-n", 100, "-o", "part/a.h5", "-q")
        self.run_program("run", QUICK, "-n", 40, "--shard", "2/4", "-o", "part/b.h5", "-q")
        found = self.status("part", code=2)
        self.assertEqual([(run["done"], run["total"]) for run in found["runs"]], [(10, 40), (100, 100)])
        # what was not finished belongs to the one that has its trials, else to none
        process = self.start("run", QUICK, "-n", 20000, "-o", "part/c.h5", "--progress", "none")
        journal = self.folder / "part/c.h5.journal"
        while not (journal.exists() and journal.stat().st_size > 20000):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        unknown, *others = self.status("part", code=2)["runs"]
        self.assertEqual(others, found["runs"])
        self.assertNotIn("total", unknown)
        self.assertEqual(unknown["outputs"][0]["count"], 20000)
        for command in ("show", "merge"):
            said = self.run_program(command, "part/c.h5", *(["-o", "m.h5"] if command == "merge" else []), code=66).stderr
            self.assertIn("part/c.h5: error: there is no result yet, but part/c.h5.journal keeps a run that was interrupted, or is "
                          "not finished\nhint: graspmc run --resume SCENARIO -o part/c.h5  with the options of that run", said)
        shutil.copy(journal, self.folder / "two/c.h5.journal")
        self.run_program("run", QUICK, "-n", 20000, "--shard", "1/400", "-o", "two/d.h5", "-q")
        runs = self.status("two", code=2)["runs"]
        self.assertEqual([run.get("total") for run in runs], [40, 100, 20000])
        self.assertEqual(len(runs[2]["outputs"]), 2)

    def test_running_killed_and_gone_on(self):
        options = ["run", QUICK, "-n", 20000, "-o", "a.h5", "--progress", "none"]
        process = self.start(*options)
        journal = self.folder / "a.h5.journal"
        while not (journal.exists() and journal.stat().st_size > 200000):
            time.sleep(0.01)
        (output,) = self.status("a.h5", code=2)["runs"][0]["outputs"]
        self.assertEqual(output["state"], "running")
        self.assertGreater(output["done"], 0)
        self.assertEqual(output["count"], 20000)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        (output,) = self.status("a.h5", code=2)["runs"][0]["outputs"]
        self.assertEqual(output["state"], "interrupted")

        with open(journal, "r+b") as file:  # a torn record is not counted, and nothing is cut off
            size = file.seek(0, 2)
            file.truncate(size - 5)
        (torn,) = self.status(".", code=2)["runs"][0]["outputs"]
        self.assertIn(output["done"] - torn["done"], (0, 1))  # 0: its tail was torn already
        self.assertEqual(journal.stat().st_size, size - 5)

    def test_of_a_ranking_the_trials_of_its_budget_are_told(self):
        ranking = pathlib.Path(QUICK).parent / "rank.yaml"
        process = self.start("run", ranking, "-o", "r.h5", "--progress", "none", "-j", 1, "--set", "simulation.step=0.1 ms")
        journal = self.folder / "r.h5.journal"
        while not (journal.exists() and journal.stat().st_size > 50000):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        (run,) = self.status("r.h5", code=2)["runs"]
        (output,) = run["outputs"]
        self.assertEqual((output["state"], output["is_chosen"], output["most"]), ("interrupted", True, 6000))
        self.assertTrue(0 < output["done"] < 6000)
        share = 100 * output["done"] / 6000
        line = f"  interrupted {share:5.1f} %  {output['done']} of at most 6000 trials  r.h5\n"
        self.assertIn(line, self.run_program("status", "r.h5", code=2).stdout)
        self.run_program("run", ranking, "-o", "s.h5", "-q", "--set", "study.rank.budget=600", code=(0, 2))
        (output,) = self.status("s.h5", code=0)["runs"][0]["outputs"]
        self.assertTrue(output["done"] <= output["most"] == 600)
        self.assertIn(f"100.0 %  {output['done']} of at most 600 trials  s.h5\n", self.run_program("status", "s.h5").stdout)
        # a copy that was not finished adds nothing to a result of the same trials
        shutil.copy(journal, self.folder / "a.h5.journal")
        self.run_program("run", ranking, "-o", "b.h5", "-q", "--set", "simulation.step=0.1 ms", code=(0, 2))
        (run,) = self.status("a.h5", "b.h5", code=2)["runs"]
        self.assertEqual(run["done"], run["total"])

    def test_a_run_that_stopped_by_itself_is_complete(self):
        self.run_program("run", QUICK, "-n", 20000, "--until", "half_width<0.1", "-o", "s.h5", "-q")
        self.assertEqual(self.status("s.h5", code=0)["state"], "complete")

    def test_what_is_not_there_or_no_output(self):
        self.assertIn("none.h5", self.run_program("status", "none.h5", code=66).stderr)
        self.assertIn("no result and no journal", self.run_program("status", ".", code=66).stderr)
        self.write("b.h5.journal", "this is text, and long enough to hold a header of 32 bytes")
        self.assertIn("not a journal of graspmc", self.run_program("status", ".", code=65).stderr)


if __name__ == "__main__":
    unittest.main()
