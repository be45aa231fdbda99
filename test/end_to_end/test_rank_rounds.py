"""Rankings run by many: parts of a round, merged, then the next; and gone on with."""
import random
import unittest

import h5py

from support import ROOT, Case, without_sanitizers

RANK = ROOT / "test/end_to_end/rank.yaml"
HARD = ["--set", "study.rank.within=0.5 %"]  # more rounds, and trials, than the scenario's own
UNFINISHED = 75


class Rounds(Case):
    def part(self, round_, index, count, *words, code=0, **options):
        """Part `index` of `count` of a round, after the file of those before it."""
        name = f"p{round_}_{index}of{count}.h5"
        after = ["--after", f"s{round_}.h5"] if round_ > 0 else []
        self.run_program("run", RANK, "--shard", f"{index}/{count}", *after, "-o", name, "-q", *words,
                         code=code, **options)
        return name

    def merge(self, round_, parts, *words, code=None):
        """Merge the parts of a round into the file of one round more; returns whether rounds are left."""
        files = [*parts, *([f"s{round_}.h5"] if round_ > 0 else [])]
        random.Random(round_).shuffle(files)
        process = self.start("merge", *files, "-o", f"s{round_ + 1}.h5", "-q", *words)
        out, err = process.communicate(timeout=60)
        self.assertIn(process.returncode, (code,) if code is not None else (0, 2, UNFINISHED), err)
        if process.returncode == UNFINISHED:
            self.assertIn(f"round {round_ + 1} is next", out)
        return process.returncode == UNFINISHED

    def rounds(self, counts, *words):
        """All of a ranking, the parts of each round as many as `counts` says in turn; its last file."""
        round_ = 0
        while self.merge(round_, [self.part(round_, i + 1, counts[round_ % len(counts)], *words)
                                  for i in range(counts[round_ % len(counts)])]):
            round_ += 1
        return f"s{round_ + 1}.h5"

    def forget(self):
        for path in self.folder.glob("[ps]*.h5*"):
            path.unlink()

    @without_sanitizers
    def test_the_same_bytes_for_any_number_of_parts(self):
        words = ["--trajectories", "every:40"]
        self.run_program("run", RANK, "-o", "whole.h5", "-q", *words)
        for counts in ([1], [2], [3], [1, 3, 2]):
            last = self.rounds(counts, *words)
            self.assert_same_bytes("whole.h5", last)
            with h5py.File(self.folder / last) as file:
                self.assertEqual(file["rank"].attrs["rounds"], int(last[1:-3]))
                self.assertNotIn("round", file.attrs)
            self.forget()

    def test_a_budget_that_is_used_up_and_rounds_with_fewer_trials_than_parts(self):
        words = [*HARD, "--set", "study.rank.budget=300"]
        self.run_program("run", RANK, "-o", "whole.h5", "-q", *words, code=2)
        last = self.rounds([1, 50, 1, 1, 1, 1], *words)
        self.assert_same_bytes("whole.h5", last)
        with h5py.File(self.folder / "p1_50of50.h5") as part:
            self.assertEqual(len(part["trials"]), 1)
        with h5py.File(self.folder / "p1_1of50.h5") as part:
            self.assertEqual(len(part["trials"]), 0)
        with h5py.File(self.folder / last) as file:
            self.assertEqual(file["rank"].attrs["end"], b"budget")

    def test_each_file_says_where_it_stands(self):
        parts = [self.part(0, i, 3) for i in (1, 2, 3)]
        self.assertTrue(self.merge(0, parts))
        parts = [self.part(1, i, 2) for i in (1, 2)]
        with h5py.File(self.folder / "s1.h5") as state, h5py.File(self.folder / parts[1]) as part, \
                h5py.File(self.folder / "p0_1of3.h5") as first:
            self.assertEqual((state.attrs["round"], part.attrs["round"], first.attrs["round"]), (1, 1, 0))
            self.assertEqual(part.attrs["after"], state.attrs["content_digest"])
            self.assertNotIn("after", first.attrs)
            self.assertEqual(part.attrs["shard"], b"2/2")
            self.assertNotIn("shard", state.attrs)
            self.assertEqual((state["rank"].attrs["end"], state["rank"].attrs["rounds"]), (b"open", 1))
            self.assertNotIn("rank", part)
            # what is decided is that of the rounds that are finished
            table = state["rank/cases"][:]
            self.assertEqual(set(table["draws"]), {8})
            self.assertEqual(set(table["round"]), {0})
            self.assertEqual(len(state["trials"]), 96)
            self.assertTrue((table["successes"] + table["failures"] == 8).all())
            # parts are pieces of the list of the round's trials, in order
            numbers = [h5py.File(self.folder / p)["trials"]["trial"].tolist() for p in parts]
            self.assertLess(numbers[0][-1], numbers[1][0])
            self.assertGreaterEqual(numbers[0][0], 96)
        out = self.run_program("show", "s1.h5").stdout
        self.assertIn("undecided: the best 3 of 12 cases within 0.05 at 95 %, after 96 of at most 6000 "
                      "trials in 1 round: 12 cases are open\nround 1 is next, 48 trials: graspmc run "
                      "SCENARIO --after s1.h5 --shard I/N, then graspmc merge s1.h5 and the parts\n", out)
        self.assertEqual(self.run_json("show", "s1.h5")["rank"]["next_trials"], 48)
        self.assertIn("best cases ", out)
        ranked = self.run_program("rank", "s1.h5", code=2).stdout
        self.assertIn("round 1 is next", ranked)
        self.assertNotIn("graspmc rank", ranked)  # what has just been done
        out = self.run_program("show", parts[0]).stdout
        self.assertIn("a part of round 1 of a ranking, 24 trials: graspmc merge puts all parts together", out)
        self.assertNotIn("best cases", out)
        part = self.run_json("show", parts[0])
        self.assertEqual(part["round"], 1)
        self.assertNotIn("success", part)
        err = self.run_program("rank", parts[0], code=65).stderr
        self.assertIn("this is part 1/2 of a round of a ranking: it cannot be ranked alone", err)
        with h5py.File(self.folder / parts[0]) as file:
            trial = int(file["trials"]["trial"][5])
        self.assertTrue(self.run_json("replay", parts[0], "--trial", trial)["identical"])

    def test_status_says_which_round_and_what_comes_next(self):
        folder = self.folder / "f"
        folder.mkdir()

        def status(code=2):
            return self.run_program("status", "f", code=code).stdout

        self.run_program("run", RANK, "--shard", "2/3", "-o", "f/b.h5", "-q")
        self.assertIn(": 32 trials, round 0 is open\n", status())
        self.assertIn("part 2/3 of round 0  f/b.h5", status())
        self.assertIn("part 1 of 3 of round 0\n", status())
        self.assertIn("part 3 of 3 of round 0\n", status())
        for i, name in ((1, "a"), (3, "c")):
            self.run_program("run", RANK, "--shard", f"{i}/3", "-o", f"f/{name}.h5", "-q")
        self.assertIn("every part of round 0 is there: graspmc merge puts them together\n", status())
        self.run_program("merge", "f/a.h5", "f/b.h5", "f/c.h5", "-o", "f/s1.h5", "-q", code=UNFINISHED)
        self.assertIn("round 1 is next: graspmc run SCENARIO --after f/s1.h5 --shard I/N\n", status())
        self.assertIn("rounds 0 ... 0  f/s1.h5", status())
        # one is at work, or was: its journal
        process = self.start("run", RANK, "--after", "f/s1.h5", "--shard", "1/2", "-o", "f/d.h5", "-q",
                             "-j", 1, "--time-limit", "0.0001")
        process.communicate()
        self.assertEqual(process.returncode, UNFINISHED)
        self.assertRegex(status(), r"interrupted +\d+\.\d %  part 1/2 of round 1  f/d.h5")
        self.assertIn("part 2 of 2 of round 1\n", status())
        answer = self.run_json("status", "f", code=2)
        run = answer["runs"][0]
        self.assertEqual((answer["state"], run["round"], run["parts"], run["missing_parts"]),
                         ("incomplete", 1, 2, [2]))
        self.run_program("run", RANK, "-o", "f/whole.h5", "-q")
        self.assertIn("567 of 567 trials\n", self.run_program("status", "f", code=2).stdout)

    def test_a_killed_part_is_gone_on_with(self):
        words = [*HARD, "-j", 1]
        self.assertTrue(self.merge(0, [self.part(0, 1, 1, *words)], "--force"))
        name = self.part(1, 1, 2, *words)
        whole = (self.folder / name).read_bytes()
        (self.folder / name).unlink()
        self.run_killed("run", RANK, "--after", "s1.h5", "--shard", "1/2", "-o", name, "--resume", "-q", *words,
                        first=0.005, more=0.005)
        self.assertEqual((self.folder / name).read_bytes(), whole)

    def test_one_alone_goes_on_from_where_many_were(self):
        self.run_program("run", RANK, "-o", "whole.h5", "-q", *HARD)
        for round_ in (0, 1):
            self.assertTrue(self.merge(round_, [self.part(round_, i, 2, *HARD) for i in (1, 2)]))
        self.run_program("run", RANK, "-o", "s2.h5", "--resume", "-q", *HARD)
        self.assert_same_bytes("whole.h5", "s2.h5")
        self.assertIn('"kept": 144', (self.folder / "s2.h5.log").read_text())
        # another state may be replaced, none that the merge itself stands on
        self.assertTrue(self.merge(0, [self.part(0, 1, 1, *HARD)], "--force"))
        part = self.part(1, 1, 1, *HARD)
        self.run_program("merge", "s1.h5", part, "-o", "s1.h5", "-q", code=73)
        self.run_program("merge", "s1.h5", part, "-o", "s1.h5", "-q", "--force", code=73)
        self.run_program("merge", "s1.h5", part, "-o", "s2.h5", "-q", "--force", code=UNFINISHED)
        with h5py.File(self.folder / "s2.h5") as file:
            self.assertEqual(file.attrs["round"], 2)

    def test_what_does_not_fit_together_is_refused(self):
        zero = [self.part(0, i, 2) for i in (1, 2)]
        self.assertTrue(self.merge(0, zero))
        one = [self.part(1, i, 2) for i in (1, 2)]
        self.assertTrue(self.merge(1, one))
        two = [self.part(2, i, 3) for i in (1, 2, 3)]
        self.run_program("run", RANK, "--after", "s1.h5", "--shard", "2/3", "-o", "third.h5", "-q")
        self.run_program("run", RANK, "--seed", 7, "--shard", "1/1", "-o", "p7.h5", "-q")
        self.run_program("merge", "p7.h5", "-o", "seven.h5", "-q", code=UNFINISHED)
        self.run_program("run", RANK, "--seed", 7, "--after", "seven.h5", "--shard", "1/2", "-o", "q7.h5", "-q")
        self.run_program("run", RANK, "-o", "whole.h5", "-q")
        cases = (
            (["s2.h5", two[0], two[2]], "error: part 2 of 3 of round 2 is missing"),
            (["s2.h5", two[1]], "error: part 1 of 3 of round 2 is missing"),
            (["s2.h5"], "s2.h5: error: no part of round 2 is here"),
            ([zero[1]], "error: part 1 of 2 of round 0 is missing"),
            (one, "p1_1of2.h5: error: this is a part of round 1; the file of the rounds before, with the "
                  "content digest "),
            (["s2.h5", *one], "p1_1of2.h5: error: this is a part of round 1, but s2.h5 is followed by round 2"),
            (["s1.h5", one[0], two[1]], "p2_2of3.h5: error: this is a part of round 2, but s1.h5 is followed by "
                                        "round 1"),
            ([zero[0], one[1]], "p1_2of2.h5: error: this is a part of round 1, but p0_1of2.h5 is one of round 0"),
            (["s1.h5", one[0], "third.h5"], "third.h5: error: this is one of 3 parts, p1_1of2.h5 one of 2"),
            (["s1.h5", *one, one[1]], "p1_2of2.h5: error: part 2 of 2 is in p1_2of2.h5 too"),
            (["s1.h5", "s2.h5", *one], "s2.h5: error: this has rounds that are finished, and so has s1.h5"),
            (["whole.h5", *one], "whole.h5: error: this ranking is finished: it is whole, no part"),
            (["s1.h5", one[0], "q7.h5"], "q7.h5: error: the seed is 7 here, 1 in the first file"),
        )
        for files, words in cases:
            err = self.run_program("merge", *files, "-o", "x.h5", code=76).stderr
            self.assertIn(words, err, files)
            self.assertFalse((self.folder / "x.h5").exists())

        # the same round of the same scenario, but other trials before it: a digest, not a number, tells
        with h5py.File(self.folder / one[1], "r+") as file:
            digest = file.attrs["after"]
            file.attrs.modify("after", b"0" * 64)
        err = self.run_program("merge", "s1.h5", *one, "-o", "x.h5", code=76).stderr
        self.assertIn("p1_2of2.h5: error: this goes on after the content digest 000000000000..., s1.h5 has "
                      + digest.decode()[:12], err)
        self.run_program("run", RANK, "--after", "s1.h5", "--shard", "2/2", "-o", one[1], "--force", "-q")

        # a file whose trials are not those of its rounds
        with h5py.File(self.folder / "s2.h5", "r+") as file:
            file.attrs.modify("round", 3)
        err = self.run_program("run", RANK, "--after", "s2.h5", "--shard", "1/2", "-o", "x.h5", code=76).stderr
        self.assertIn("s2.h5: error: its trials are not those of the rounds that it says it has", err)

        runs = (
            (["--after", one[0], "--shard", "1/2"], 76, "p1_1of2.h5: error: this is part 1/2 of round 1 alone"),
            (["--after", "whole.h5", "--shard", "1/2"], 76, "this ranking is finished: no round is left to run"),
            (["--after", "s1.h5", "--shard", "1/2", "--seed", 9], 76, "s1.h5: error: this is another run's: "
                                                                     "sampling"),
            (["--after", "s1.h5", "--shard", "1/2", "--set", "object.mass=0.2 kg"], 76, "object.mass is 0.1 kg there"),
            (["--after", "s1.h5", "--shard", "1/2", "--trajectories", "all"], 76, "trajectories is"),
            (["--after", "nothing.h5", "--shard", "1/2"], 66, "nothing.h5"),
            (["--after", "s1.h5"], 64, "--after requires --shard I/N: it names the rounds before that part"),
            (["--after", RANK, "--shard", "1/2"], 65, "rank.yaml"),
        )
        for words, code, text in runs:
            err = self.run_program("run", RANK, *words, "-o", "x.h5", code=code).stderr
            self.assertIn(text, err, words)
            self.assertFalse((self.folder / "x.h5").exists())
        # a part is not taken for that of another round, finished or not
        err = self.run_program("run", RANK, "--after", "s1.h5", "--shard", "1/2", "-o", zero[0], "--resume",
                               code=76).stderr
        self.assertIn("the ranking is part of round 0 after nothing there, part of round 1 after ", err)
        words = ["--shard", "1/2", "-o", "j.h5", "-q"]
        self.run_program("run", RANK, *words, "--time-limit", "0.0001", "-j", 1, code=UNFINISHED)
        err = self.run_program("run", RANK, "--after", "s1.h5", *words, "--resume", code=76).stderr
        self.assertIn("round is 0 there, 1 here", err)
        quick = ROOT / "test/end_to_end/quick.yaml"
        err = self.run_program("run", quick, "--after", "s1.h5", "--shard", "1/2", "-o", "x.h5", code=64).stderr
        self.assertIn("--after: only a ranking (study.rank) is run round by round", err)


class Budget(Case):
    def run_to(self, name, budget, *words, code=2):
        out = self.run_program("run", RANK, "-o", name, *HARD, "--set", f"study.rank.budget={budget}", "-q",
                               *words, code=code).stdout
        return out

    def test_a_larger_budget_goes_on_from_a_finished_result(self):
        self.run_to("grown.h5", 200)
        for budget, code in ((230, 2), (400, 2), (600, 2), (3000, 0), (5000, 0)):
            with h5py.File(self.folder / "grown.h5") as file:
                before = len(file["trials"])
            self.run_to("grown.h5", budget, "--resume", code=code)
            self.run_to("fresh.h5", budget, "--force", code=code)
            self.assert_same_bytes("fresh.h5", "grown.h5")
            log = (self.folder / "grown.h5.log").read_text().splitlines()
            self.assertIn(f'"kept": {before}', [line for line in log if '"kept"' in line][-1])
        # finished, a larger budget runs nothing more
        self.assertEqual(before, 866)
        err = self.run_to_refused("grown.h5", 4000)
        self.assertIn("this is the result of another run, which this one does not continue: the budget is 5000 there, 4000 here", err)

    def run_to_refused(self, name, budget, *words):
        return self.run_program("run", RANK, "-o", name, *HARD, "--set", f"study.rank.budget={budget}",
                                "--resume", *words, code=76).stderr

    def test_more_draws_of_a_case_go_on_too(self):
        self.run_to("grown.h5", 2000, "-n", 32)
        self.run_to("grown.h5", 2000, "-n", 500, "--resume", code=0)
        self.run_to("fresh.h5", 2000, "-n", 500, code=0)
        self.assert_same_bytes("fresh.h5", "grown.h5")

    def test_another_ranking_is_not_gone_on_with(self):
        self.run_to("a.h5", 200)
        for words in (["--set", "study.rank.best=4"], ["--set", "study.rank.level=90 %"],
                      ["--set", "object.mass=0.2 kg"], ["--seed", 3]):
            self.run_to_refused("a.h5", 400, *words)


if __name__ == "__main__":
    unittest.main()
