"""A default of a law stands in one place: written otherwise there, it is another one in the expanded scenario, in what
`--schema` says and in FORMAT.md.

The lists of settings in the laws' headers are changed in a copy; what looks into them is compiled once more against
the copy, and linked in front of the libraries of the build under test.
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import support
import yaml

LAWS = support.ROOT / "engine/contact"
DEFAULT = {"NUMBER": 5, "WHOLE": 4, "WORD": 3}  # which field of an entry it is (engine/contact/law.h)
SCENARIO = """
graspmc: 1
object: {sphere: {radius: 20 mm}, mass: 0.1 kg, surface: abs, pose: {z: 50 mm}}
scene: {table: {plane: {height: 0 mm}, surface: abs}}
friction: {abs/abs: 0.4}
program: [{hold: {for: 0.1 s}}]
success: {at_end: [lift(object) >= -1 m]}
"""


def fields_of(text, start):
    """Where the fields of an entry begin and end that opens before `start`."""
    depth, quoted = 0, False
    for at in range(start, len(text)):
        if text[at] == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted and text[at] in ",)" and depth == 0:
            yield start, at
            start = at + 1
            if text[at] == ")":
                return
        elif not quoted:
            depth += {"(": 1, ")": -1}.get(text[at], 0)


def other(kind, parts):
    """Another default in the range of a setting."""
    if kind == "WORD":
        return next(word for word in parts[2].strip('"').split("|") if word != parts[3])
    return str(int(parts[4]) + 2) if kind == "WHOLE" else f"{float(parts[5]) * 0.75:g}"


def with_others(text):
    """A header with other defaults, and these as the language writes them: {key: text}."""
    changed = {}
    for found in reversed(list(re.finditer(r"^ +(NUMBER|WHOLE|WORD)\((?=GMC_)", text, re.M))):
        kind = found.group(1)
        places = list(fields_of(text, found.end()))
        parts = [text[a:b].replace("\\\n", " ").strip() for a, b in places]
        new = other(kind, parts)
        changed[parts[1].strip('"')] = new + (parts[6].strip('"') if kind == "NUMBER" else "")
        start, end = places[DEFAULT[kind]]
        text = f"{text[:start]} {new}{text[end:]}"
    return text, changed


def looks_into(path, names):
    return any(f'#include "{name}"' in path.read_text(encoding="utf-8") for name in names)


class OnePlace(support.Case):
    def change(self):
        """Copies of headers with other defaults; {key: default}, and the headers' names."""
        changed, names = {}, []
        for header in LAWS.rglob("*.h"):
            text, own = with_others(header.read_text(encoding="utf-8"))
            if own:
                changed.update(own)
                names.append(str(header.relative_to(support.ROOT)))
                copy = self.folder / names[-1]
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(text, encoding="utf-8")
        return changed, names

    def compile(self, names):
        """Objects of what looks into a changed header, or into one that does."""
        headers = {str(header.relative_to(support.ROOT)): header for header in LAWS.rglob("*.h")}
        while more := [name for name, path in headers.items() if name not in names and looks_into(path, names)]:
            names = names + more
        objects = {}
        for entry in json.loads((support.BUILD / "compile_commands.json").read_text(encoding="utf-8")):
            source = pathlib.Path(entry["file"])
            parts = source.relative_to(support.ROOT).parts if source.is_relative_to(support.ROOT) else [""]
            if parts[0] not in ("engine", "sampling") or source in objects or not looks_into(source, names):
                continue
            objects[source] = self.folder / f"{len(objects)}.o"
            words = shlex.split(entry["command"])
            words[words.index("-o") + 1] = str(objects[source])
            words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), f"-I{self.folder}")
            subprocess.run(words, cwd=entry["directory"], check=True, capture_output=True)
        return list(objects.values())

    def link(self, target, objects):
        """A program of the build with these objects in place of its own."""
        said = subprocess.run(["ninja", "-C", support.BUILD, "-t", "commands", target], check=True, text=True,
                              capture_output=True).stdout
        program = self.folder / pathlib.Path(target).name
        command, count = re.subn(r"-o \S+", f"-o {program} {' '.join(map(str, objects))}", said.splitlines()[-1])
        self.assertEqual(count, 1, said.splitlines()[-1])
        linked = subprocess.run(command, shell=True, cwd=support.BUILD, check=False, text=True, capture_output=True)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        return program

    def run_other(self, program, *words, **options):
        said = subprocess.run([program, *words], cwd=self.folder, check=False, text=True, capture_output=True, **options)
        self.assertEqual(said.returncode, 0, said.stderr)
        return said.stdout

    def page_of(self, program):
        """FORMAT.md as the test of it writes it."""
        (self.folder / "scenarios").mkdir()
        for name in support.SCENARIOS.glob("[Ff][Oo]*.md*"):
            shutil.copy(name, self.folder / "scenarios")
        self.run_other(program, env={"GMC_WRITE_FORMAT": "1"})
        return (self.folder / "scenarios/FORMAT.md").read_text(encoding="utf-8")

    def expanded(self, program, stepper):
        """What `simulation` is with a stepper and nothing else said."""
        said = self.run_other(program, "check", "scenario.yaml", "--expanded", "--set", f"simulation.stepper={stepper}")
        return yaml.load(said, yaml.BaseLoader)["simulation"]

    def test_defaults(self):
        changed, names = self.change()
        self.assertGreaterEqual(len(changed), 8, changed)
        objects = self.compile(names)
        program = self.link("graspmc", objects)
        page = self.page_of(self.link("test/unit/test_writing.schema_format", objects))
        groups = json.loads(self.run_other(program, "--schema"))["definitions"].values()
        rows = next(group["properties"] for group in groups if group.get("title") == "simulation")
        self.write("scenario.yaml", SCENARIO)
        steppers = [self.expanded(program, word) for word in rows["stepper"]["enum"] if word]
        for key, text in changed.items():
            with self.subTest(key=key):
                self.assertIn(f"(default {text})", rows[key]["description"])
                self.assertRegex(page, rf"\n\| `{key}` \|[^\n]*\(default {re.escape(text)}\)")
                said = {stepper[key] for stepper in steppers if key in stepper}
                self.assertEqual(said, {text})


if __name__ == "__main__":
    unittest.main()
