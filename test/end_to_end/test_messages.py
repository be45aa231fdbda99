"""What is said when something is wrong: each message as a user needs it, in a file or a pipe without
anything that acts on a terminal, and soon, however large the file."""
import json
import os
import pty
import re
import subprocess
import unittest

from support import DEMO, PROGRAM, SCENARIOS, Case

ACTS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class Demo(Case):
    """The demo with a line or two changed, beside its models."""

    def demo(self, *changes, name="x.yaml"):
        text = DEMO.read_text(encoding="utf-8")
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        if not (self.folder / "models").exists():
            (self.folder / "models").symlink_to(SCENARIOS / "models")
        self.write(name, text)
        return name


class Terminal(Demo):
    def read_pty(self, *words, **environment):
        """Standard error as a terminal gets it."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=theirs,
                                   env={**os.environ, **environment})
        os.close(theirs)
        said = b""
        while True:
            try:
                some = os.read(ours, 4096)
            except OSError:  # Linux: the other end is closed
                break
            if not some:
                break
            said += some
        os.close(ours)
        process.wait(timeout=60)
        return said.decode()

    def test_colours_are_for_terminals(self):
        name = self.demo(("mass: 0.2 kg", "mss: 0.2 kg"))
        plain = {"NO_COLOR": "", "TERM": "xterm"}
        painted = self.read_pty("check", name, **plain)
        self.assertIn("\x1b[1;31merror:\x1b[0m", painted)
        self.assertIn("\x1b[1;32mhint:\x1b[0m did you mean mass?", painted)
        for other in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.read_pty("check", name, **{**plain, **other}))
        piped = self.run_program("check", name, code=65, env={**os.environ, **plain})
        self.assertNotIn("\x1b", piped.stderr)

    def test_f12_escapes_are_shown_as_text(self):
        escape = r'"\e]0;owned\a\e[31mA\n\x9b2J"'
        name = self.demo(("about: A", f"about: {escape} #"))
        for done in (self.run_program("check", name),
                     self.run_program("run", name, "-n", 2, "-q", "-o", "a.h5"),
                     self.run_program("show", "a.h5")):
            self.assertIsNone(ACTS.search(done.stdout + done.stderr), done)
        self.assertIn("\\x1B]0;owned\\x07\\x1B[31mA\n\\xC2\\x9B2J\n",
                      self.run_program("show", "a.h5").stdout)
        about = self.run_json("check", name)["about"]
        self.assertEqual(about, "\x1b]0;owned\a\x1b[31mA\n\x9b2J")
        raw = self.run_program("check", name, "--json").stdout
        self.assertIsNone(ACTS.search(raw), "escaped in JSON as well")

    def test_f12_in_keys_names_and_lines(self):
        name = self.demo(("about: A", r'"\e[31mabout": A'), ("tcp", r'"\e[2Jtcp"'))
        done = self.run_program("check", name, code=65)
        self.assertIsNone(ACTS.search(done.stderr), done.stderr)
        self.assertIn("unknown key \\x1B[31mabout", done.stderr)
        places = json.loads(self.run_program("check", name, "--json", code=65).stdout)
        self.assertIn("unknown key \x1b[31mabout", places["messages"][0]["message"])
        # bytes that are no YAML: the line is shown, and nothing of it acts
        (self.folder / "b.yaml").write_bytes(b"graspmc: 1\n\x1b[31m: \xff\xfe\n")
        done = self.run_program("check", "b.yaml", code=65)
        self.assertIsNone(ACTS.search(done.stderr), done.stderr)

    def test_f12_in_names_of_files(self):
        name = self.demo()
        self.run_program("run", name, "-n", 2, "-q", "-o", "\x1b[31m.h5")
        done = self.run_program("status", ".")
        self.assertIn("\\x1B[31m.h5", done.stdout)
        self.assertIsNone(ACTS.search(done.stdout), done.stdout)
        done = self.run_program("check", "\x1b[2J.yaml", code=66)
        self.assertIsNone(ACTS.search(done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
