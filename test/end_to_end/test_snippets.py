"""Every snippet of the pages runs: README.md, the language, the scenarios, the guide, the scripts, the results.

The snippets of a page are run in order in one folder that holds `scenarios`, `scripts` and what the page's set-up
puts there. What a block is follows from its first line or its language:

    $ command, then what it prints    run as written; what is printed must be that (but for spaces at the end)
    ```python                         run by the Python that has h5py
    ```yaml or an indented block      with `graspmc: 1` a scenario: checked. Else a part of one: checked on top of
                                      pinch_cube, or of a study of two objects if it has one
    anything else                     lines for a shell; 0, 1, 2 and 75 are answers, everything else is a failure

An HTML comment before a block says more, and readers do not see it: `<!-- snippet: file NAME -->` (the block is
written to NAME, and checked if it is a scenario), `<!-- snippet: on NAME -->` (the scenario that the part goes on top
of), `<!-- snippet: part of FILE -->` (FILE holds the block), `<!-- snippet: shown -->` (a picture of text: nothing to
run), `<!-- snippet: run by FILE -->` (another test runs
it, and names the page).

So that a page takes seconds, a run that is not compared has at most 100 draws, 6 if it is a study; budgets of rankings
are cut alike.
"""
import json
import os
import re
import shutil
import subprocess
import unittest

import support

ROOT = support.ROOT
PAGES = ["README.md", "scenarios/FORMAT.md", "scenarios/README.md", "scripts/README.md",
         "sampling/store/FORMAT.md",
         *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "scenarios/guide").glob("*.md"))]
ANSWERS = (0, 1, 2, 75)

# What parts of scenarios that make a study go on top of: two objects with grasps from files, and one with a design.
STUDY = """graspmc: 1
use: scenarios/pinch_cube.yaml
hand: {urdf: palm.urdf, frame: palm}
object: ~
objects:
  mug:   {mesh: mug.obj, mass: 0.3 kg, surface: ceramic, grasps: {file: mug.yaml, frame: palm}}
  drill: {mesh: drill.stl, mass: 1.1 kg, surface: abs, grasps: {file: drill.json, frame: palm}}
friction: {rubber/ceramic: 0.5, ceramic/wood: 0.4}
sampling: {draws: ~}
"""
PLAIN = "graspmc: 1\nuse: scenarios/pinch_cube.yaml\nsampling: {draws: ~}\n"
DESIGNS = """graspmc: 1
use: scenarios/pinch_cube.yaml
parameters: {ramp.angle: 20 deg}
hand: {target: {yaw: ramp.angle}}
sampling: {draws: ~}
"""
RANKING = """graspmc: 1
use: scenarios/rank_grasps.yaml
study: {rank: {best: 3, within: 20 %, budget: 200}}
"""
CORNERS = [(x, y, z) for x in (-0.02, 0.02) for y in (-0.015, 0.015) for z in (-0.03, 0.03)]
FACES = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]


def obj():
    return "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(f"f {a} {b} {c} {d}\n" for a, b, c, d in FACES)


def stl():
    facets = [(a, b, c) for a, b, c, _ in FACES] + [(a, c, d) for a, _, c, d in FACES]
    vertex = "".join
    return "solid s\n" + "".join("facet normal 0 0 0\nouter loop\n" + vertex(
        "vertex {} {} {}\n".format(*CORNERS[k - 1]) for k in facet) + "endloop\nendfacet\n" for facet in facets) + "endsolid s\n"


def grasp_files():
    """Twelve grasps each in isaac_grasp YAML and GraspGen JSON: from above, higher and higher."""
    heights = [0.001 * k for k in range(12)]
    yield "mug.yaml", "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n" + "".join(
        f"  a{k}: {{position: [0, 0, {z}], orientation: {{w: 1, xyz: [0, 0, 0]}}, confidence: 0.9}}\n"
        for k, z in enumerate(heights))
    yield "drill.json", json.dumps({"object": {"scale": 1}, "grasps": {
        "transforms": [[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, z], [0, 0, 0, 1]] for z in heights],
        "object_in_gripper": [1] * len(heights)}})


# stands in for the program: fewer draws, unless GRASPMC_AS_WRITTEN is set
SHIM = r"""#!/usr/bin/python3
import os, re, sys
words, program = sys.argv[1:], os.environ["GRASPMC"]
if words[:1] == ["run"] and "GRASPMC_AS_WRITTEN" not in os.environ:
    words = [re.sub(r"(budget=)\d{4,}", r"\g<1>400", word) for word in words]
    text = open(next(word for word in words[1:] if word.endswith((".yaml", ".yml")))).read()
    most = 6 if re.search(r"\bstudy:|study\.", text + " ".join(words)) else 100
    if "--design" in words:
        pass  # evenly filled spaces want so many draws or none
    elif "-n" in words:
        place = words.index("-n") + 1
        words[place] = str(min(int(words[place]), most))
    elif not {"--after", "--resume", "--trials"} & set(words) and not re.search(
            r"\b(subset|rank|ladder):|study\.(draws|rank)", text + " ".join(words)):
        words += ["-n", str(most)]
os.execv(program, [program, *words])
"""

DIRECTIVE = re.compile(r"<!-- snippet: (\w+)(?: (.*?))? -->$")


class Block:
    def __init__(self, page, line, language, text, directive):
        self.place = f"{page}:{line}"
        self.language, self.text = language, text
        self.word, self.what = directive or (None, None)

    @property
    def first(self):
        return self.text.lstrip().split("\n", 1)[0]


def blocks_of(page):
    """Fenced blocks and, where a page has no fences, indented ones; tables and lists are none."""
    lines = (ROOT / page).read_text(encoding="utf-8").split("\n")
    fenced = any(line.startswith("```") for line in lines)
    directive, k = None, 0
    while k < len(lines):
        line, start = lines[k], k + 1
        if match := DIRECTIVE.match(line):
            directive = match.groups()
        elif line.startswith("```"):
            end = lines.index("```", k + 1)
            yield Block(page, start, line[3:].strip(), "\n".join(lines[k + 1:end]) + "\n", directive)
            directive, k = None, end
        elif not fenced and line.startswith("    ") and k and not lines[k - 1].strip():
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            text = "\n".join(line[4:] for line in lines[k:end]).rstrip() + "\n"
            yield Block(page, start, "yaml", text, directive)
            directive, k = None, end - 1
        elif line.strip():
            directive = None
        k += 1


def base_of(block):
    """The scenario that a part of one goes on top of, where the page names none."""
    if not re.search(r"^study:", block.text, re.M):
        return "plain.yaml"
    return "designs.yaml" if "ramp.angle" in block.text else "study.yaml"


def commands_of(text):
    """(command, what it prints) of a block of `$ command` lines with their output."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        else:
            found[-1][1] += line + "\n"
    return found


class Snippets(support.Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(support.SCENARIOS, self.folder / "scenarios")
        (self.folder / "scripts").symlink_to(ROOT / "scripts")
        (self.folder / "bin").mkdir()
        for name, text in (("plain.yaml", PLAIN), ("study.yaml", STUDY), ("designs.yaml", DESIGNS), ("grasps.yaml", RANKING),
                           ("hosts", "2/:\n"), ("mug.obj", obj()), ("drill.stl", stl()), *grasp_files()):
            self.write(name, text)
        hand = (support.SCENARIOS / "models/parallel_jaw.urdf").read_text(encoding="utf-8")
        self.write("palm.urdf", hand.replace('"tcp"', '"palm"'))
        shim = self.write("bin/graspmc", SHIM)
        shim.chmod(0o755)
        self.environment = {**os.environ, "GRASPMC": support.PROGRAM, "HOME": str(self.folder / "home"),
                            "PATH": f"{self.folder}/bin:/usr/bin:{os.environ['PATH']}",
                            "PYTHONPATH": str(support.BUILD), "MPLBACKEND": "Agg"}

    def shell(self, text, block, **environment):
        ran = subprocess.run(["bash", "-c", text], cwd=self.folder, text=True, capture_output=True, check=False,
                             stdin=subprocess.DEVNULL, timeout=280, env={**self.environment, **environment})
        self.assertIn(ran.returncode, ANSWERS, f"{block.place}: {text}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def check(self, name, block):
        # files that a page's snippet writes may name others: the whole folder is the scenario's own
        self.shell(f"graspmc check {name} -q", block)

    def run_block(self, block):
        if block.word == "shown":
            return
        if block.word == "part":
            self.assertIn(block.text, (ROOT / block.what.removeprefix("of ")).read_text(encoding="utf-8"), block.place)
            return
        if block.word == "run":
            other = (ROOT / "test/end_to_end" / block.what.removeprefix("by ")).read_text(encoding="utf-8")
            self.assertIn(block.place.split(":")[0], other, f"{block.place}: {block.what} does not name the page")
            return
        if block.word == "file":
            self.write(block.what, block.text)
            if re.search(r"^graspmc: 1$", block.text, re.M):
                self.check(block.what, block)
        elif block.first.startswith("$ "):
            for command, printed in commands_of(block.text):
                said = self.shell(command, block, GRASPMC_AS_WRITTEN="1")
                self.assertEqual([line.rstrip() for line in said.splitlines()], printed.splitlines(),
                                 f"{block.place}: {command}")
        elif block.language == "python":
            self.write("snippet.py", block.text)
            self.shell("/usr/bin/python3 snippet.py", block)
        elif block.language == "yaml":
            if not re.search(r"^graspmc: 1$", block.text, re.M):
                base = block.what if block.word == "on" else base_of(block)
                block.text = f"graspmc: 1\nuse: {base}\n{block.text}"
            self.write("snippet.yaml", block.text)
            self.check("snippet.yaml", block)
        else:
            # line by line, so that a failure names its own
            for command in re.findall(r"(?:.*\\\n)*.*\n", block.text):
                if command.strip() and not command.startswith("#"):
                    self.shell(command, block)

    def test_designs_that_pages_name_are_taken(self):
        named = set()
        for page in PAGES:
            named |= set(re.findall(r"--design (\w+)", (ROOT / page).read_text(encoding="utf-8")))
        self.assertIn("latin_hypercube", named)
        for word in sorted(named - {"DESIGN"}):
            # some want another number of draws, which is another mistake
            done = self.run_program("check", ROOT / "scenarios/pinch_cube.yaml", "--set", f"sampling.design={word}", code=(0, 65))
            self.assertNotIn("unknown design", done.stderr)

    def run_page(self, page):
        count = 0
        for block in blocks_of(page):
            with self.subTest(block=block.place):
                self.run_block(block)
            count += 1
        self.assertGreater(count, 0, f"{page}: no snippets")


def add_test(page):
    name = re.sub(r"\W+", "_", page.removesuffix(".md")).lower()
    setattr(Snippets, f"test_{name}", lambda self: self.run_page(page))


for each in PAGES:
    # the guide, and thirty scenarios that are run and drawn, take minutes: GRASPMC_PAGES=all
    is_long = each == "scenarios/README.md" or each.startswith("scenarios/guide/")
    if not is_long or "GRASPMC_PAGES" in os.environ:
        add_test(each)

if __name__ == "__main__":
    unittest.main()
