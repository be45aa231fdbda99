"""Help, version, completion, and the codes for a wrong command line."""
import re
import subprocess
import unittest

from support import PROGRAM, DEMO, Case

COMMANDS = ("run", "check", "show", "replay", "merge", "status", "compare", "extract",
            "export")


class CommandLine(Case):
    def test_help_goes_to_stdout_and_fits_a_screen(self):
        for words in (["--help"], *([command, "--help"] for command in COMMANDS)):
            done = self.run_program(*words)
            lines = done.stdout.splitlines()
            self.assertLessEqual(len(lines), 24)
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertEqual(done.stderr, "")

    def test_wrong_command_lines(self):
        for words in ([], ["rnu"], ["run"], ["run", DEMO, "--drawz", 5], ["run", DEMO, "-n", 0],
                      ["run", DEMO, "--force", "--resume"], ["show"], ["replay", "a.h5"]):
            done = self.run_program(*words, code=64)
            self.assertEqual(done.stdout, "")
            self.assertIn("--help", done.stderr)

    def test_a_word_that_is_no_command_is_told_the_nearest_or_all(self):
        for words in (["help", "rnk"], ["rnk"]):
            self.assertIn("graspmc: rnk: no such command\ndid you mean rank?\n", self.run_program(*words, code=64).stderr)
        err = self.run_program("help", "NOTATOPIC", code=64).stderr
        self.assertIn("graspmc: NOTATOPIC: no such command\ncommands: run, check, ", err)

    def test_what_is_said_twice(self):
        for words, said in (
                (("show", "a.h5", "--where", "slip > 1 mm", "--where", "lift > 1 mm"),
                 "graspmc show: --where was given twice; both at once: --where 'A and B'\n"),
                (("run", DEMO, "--seed", 1, "--seed", 1), "--seed was given twice"),
                (("show", "a.h5", "--rebin", "u.a=5", "--rebin", "u.a=7"), "--rebin u.a was given twice"),
                (("check", DEMO, "--design", "sobol", "--set", "sampling.design=random"),
                 "--design and --set sampling.design say the same: choose one"),
                (("check", DEMO, "--seed", 5, "--set", "sampling={seed: 9}"),
                 "--seed and --set sampling={seed} say the same: choose one")):
            self.assertIn(said, self.run_program(*words, code=64).stderr)
        self.run_program("check", DEMO, "--set", "object.mass=~", "--set", "uncertain=~", "--set", "object.mass=0.2 kg")

    def test_version(self):
        done = self.run_program("--version")
        self.assertRegex(done.stdout, r"^graspmc \d+\.\d+\.\d+")
        self.assertIn("HDF5", done.stdout.upper())

    def test_the_manual_page_has_every_option(self):
        manual = self.run_program("--manual").stdout.replace("\\-", "-")
        for command in COMMANDS:
            for option in re.findall(r"--[a-z-]+", self.run_program(command, "--help").stdout):
                self.assertIn(option, manual)

    def test_bash_completes_commands_options_and_their_values(self):
        def completed(line):
            words = line.split(" ")
            quoted = " ".join(f"'{word}'" for word in words)
            script = (f'source <("{PROGRAM}" --completion bash); COMP_WORDS=({quoted}); '
                      f'COMP_CWORD={len(words) - 1}; _graspmc; printf "%s\\n" "${{COMPREPLY[@]}}"')
            return subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True,
                                  cwd=self.folder).stdout.split()

        self.assertEqual(completed("graspmc re"), ["replay"])
        self.assertEqual(completed("graspmc run --traj"), ["--trajectories"])
        self.assertEqual(completed("graspmc run --progress js"), ["json"])
        self.write("pinch.yaml", "")
        self.assertEqual(completed("graspmc run pi"), ["pinch.yaml"])
        self.assertNotIn("--resume", completed("graspmc show --"))


if __name__ == "__main__":
    unittest.main()
