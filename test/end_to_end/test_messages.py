"""What is said when something is wrong: each message as a user needs it, in a file or a pipe without
anything that acts on a terminal, and soon, however large the file."""
import json
import os
import pty
import re
import resource
import subprocess
import unittest

from support import DEMO, PROGRAM, SCENARIOS, Case

ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
HARM = "\x1b[31mX\u202e\x9bz"  # a colour, a turn of the direction of writing, a control character of two bytes
SHOWN = "\\x1B[31mX\\xE2\\x80\\xAE\\xC2\\x9Bz"


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
    def read_pty(self, *words, stream="stderr", **environment):
        """Standard error, or output, as a terminal gets it."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env={**os.environ, **environment},
                                   **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
                                      "stderr": subprocess.DEVNULL, stream: theirs})
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

    def test_f12_in_the_command_line(self):
        commands = ("run", "check", "show", "replay", "merge", "status", "compare", "extract", "export", "rank", "new")
        for words in ((HARM,), ("--" + HARM,), *((c, *rest) for c in commands for rest in (
                ("--" + HARM,), ("-\u202e",), ("a", HARM, "-o", HARM, "--seed", HARM, "--progress=" + HARM, "--trial", HARM)))):
            done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
            self.assertIn(done.returncode, (64, 65, 66), words)
            self.assertIsNone(ACTS.search(done.stdout + done.stderr), (words, done.stderr))
            if len(words) <= 2:
                self.assertIn("\\xE2\\x80\\xAE", done.stderr, words)
        for words, names in ((("check", HARM), 1), (("show", HARM), 1), (("merge", HARM, "-o", "m.h5"), 1),
                             (("compare", HARM, HARM + "2"), 1), (("export", HARM, "--to", "csv"), 1), (("rank", HARM), 1),
                             (("replay", HARM, "--trial", "0"), 1), (("extract", HARM, "--trial", "0", "-o", "x"), 1),
                             (("new", HARM, HARM), 1), (("status", HARM), 1), (("run", self.demo(), "--set", HARM + "=1"), 1)):
            done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
            self.assertIsNone(ACTS.search(done.stdout + done.stderr), (words, done.stderr))
            self.assertGreaterEqual(done.stderr.count(SHOWN), names, (words, done.stderr))

    def test_f12_in_what_is_read_by_programs(self):
        """JSON and YAML stay what they are, with the same text in them; CSV is escaped for eyes alone."""
        told = json.dumps(HARM)
        name = self.demo(("about: A", f"about: {told} #"), ("tcp", "tcp"))
        for words in (("--json",), ("--expanded",), ("--expanded", "--json"), ("--parameters",), ("--parameters", "--json")):
            raw = self.run_program("check", name, *words).stdout
            self.assertIsNone(ACTS.search(raw), words)
            if "--json" in words and "--parameters" not in words:
                self.assertTrue(json.loads(raw)["about"].startswith(HARM), raw)
        self.write("again.yaml", self.run_program("check", name, "--expanded").stdout)
        self.assertTrue(self.run_json("check", "again.yaml")["about"].startswith(HARM))

    def test_f12_in_the_line_that_goes_on(self):
        name, out = self.demo(), HARM + "it's \\ a.h5"
        done = self.run_program("run", name, "-n", "100000", "-q", "--time-limit", "0.2 s", "-o", out, code=75)
        line = [line for line in done.stderr.splitlines() if line.startswith("resume: ")][0].removeprefix("resume: graspmc ")
        self.assertIsNone(ACTS.search(done.stderr), done.stderr)
        words = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout.decode().split("\0")
        self.assertIn(out, words)

    def test_f12_in_a_table_on_a_terminal(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("python3-h5py is not there")
        self.run_program("run", self.demo(), "-n", 2, "-q", "-o", "a.h5")
        with h5py.File(self.folder / "a.h5", "r+") as file:
            cases = file["cases"][...]
            cases["object"][0] = b"\x1b[31m,"  # as long as "object"
            file["cases"][...] = cases
        seen = self.read_pty("export", "a.h5", "--to", "csv", stream="stdout").replace("\r\n", "\n")
        self.assertIsNone(ACTS.search(seen), seen[:400])
        self.assertIn('"\\x1B[31m,"', seen)
        self.assertIn('"\x1b[31m,"', self.run_program("export", "a.h5", "--to", "csv").stdout)


JAW = (SCENARIOS / "models/parallel_jaw.urdf").read_text(encoding="utf-8")

# the change of the demo, where the message stands (line:column), the message, the hint
SCENARIO_ROWS = (
    (("  surface: rubber\n", "  surface: {left_finger: rubber}\n"),
     "7:12", "2 links of the hand have no surface: base, right_finger", "add  rest: rubber  for all others"),
    (("surface: abs", "surface: plastik"),
     "8:61", "rubber and plastik can touch (base, object), but friction does not say how",
     "did you mean abs? Else add  rubber/plastik: <coefficient>  under friction"),
    (("rubber/abs: 0.2, ", ""), "26:3", "unknown parameter friction.rubber/abs",
     "friction has no such pair: add  rubber/abs: <coefficient>  under it"),
    (("object.pose.x:   ", "object.position.x:"), "23:3", "unknown parameter object.position.x",
     "did you mean object.pose.x?"),
    (("frame: tcp", "frame: tool0"), "6:10", "the hand has no link tool0",
     "links: base, left_finger, right_finger, tcp"),
    (("frame: tcp", "frame: tpc"), "6:10", "the hand has no link tpc", "did you mean tcp?"),
    (("frame: tcp", "frame: tcp\n  fingers: [lft, right]"), "7:13",
     "hand.fingers: there is no joint lft to move", "did you mean left?"),
    (("in: 0.7 s", "name: up"), "15:5", "program.1.lift needs in", "add  in: 0.7 s, its duration"),
    (("lift(object) >= 80 mm", "lift >= 80 mm"), "19:12", "lift of what?", "write lift(object)"),
    (("lift(object) >= 80 mm", "lift(object) = 80 mm"), "19:25",
     "measured numbers are never exactly equal", "use <= or >="),
    (("[lift(object) >= 80 mm]", '["lift(object) >= 80 mm && lift(object) <= 1 m"]'), "19:35",
     "expected the end of the criterion, found &", "conditions are joined with  and"),
    (("[lift(object) >= 80 mm]", '["lift(object) == 2 mm"]'), "19:26",
     "measured numbers are never exactly equal", "use <= or >="),
    (("frame: tcp", "frame: tcp\n  package_path: [rox]"), "7:18",
     "hand.package_path: no folder rox", "relative to the scenario"),
    (("graspmc: 1", "graspmc: 2"), "1:10", "graspmc: must be <= 1, found 2",
     "this is the language of a newer graspmc"),
)

LIFT = "[lift(object) >= 80 mm]"
MASS = "uniform(0.1 kg, 0.3 kg)"
POSE = "nominal + normal(0 mm, 4 mm)"
# what newcomers write: words of other programs, functions, signs of other languages, ranges without a law
NEWCOMERS_ROWS = (
    ((MASS, MASS + "\n  simulation.stepper: one_of(coulomb, stewart_trinkle)"), "26:3",
     "simulation.stepper is no number and cannot vary within a run",
     "a run of each, on the same chance, is made by  scripts/sweep_parallel SCENARIO -o DIR --grid simulation.stepper=A,B"),
    (("\nuncertain:", "\nstudy: {vary: {object.surface: [abs, rubber]}}\nuncertain:"), "22:16",
     "object.surface is no number and cannot vary within a run",
     "write several `objects` by name, and  study: {vary: [object]}"),
    ((LIFT, '["max(slip(object, hand)) <= 1 mm"]'), "19:13", "unknown measure max",
     "what must hold all the time stands under  always  without it"),
    ((LIFT, "[abs(lift(object)) <= 1 mm]"), "19:12", "unknown measure abs",
     "functions belong to formulas; a band is  a >= -1 mm and a <= 1 mm"),
    ((LIFT, "[max_force <= 30 N]"), "19:12", "unknown measure max_force",
     "a column of results: stored trials are judged by it, show RESULT.h5 --success"),
    ((LIFT, "[object.z >= 1 mm]"), "19:12", "unknown measure object.z",
     "criteria speak of what is measured: distance(object, [x, y, z]), height(object)"),
    ((LIFT, "[tilt(object) <= 5 deg]"), "19:12", "unknown measure tilt", "did you mean tilted?"),
    ((LIFT, "[position(object) <= 5 mm]"), "19:12", "unknown measure position", "did you mean distance?"),
    ((LIFT, '["distance(object, [0, 0]) <= 5 mm"]'), "19:35", "too few numbers for a place", "[x, y, z]"),
    ((LIFT, '["slip(object) <= 1 mm"]'), "19:24", "too few bodies", "write slip(object, hand)"),
    ((LIFT, '["lift(object, hand) <= 1 mm"]'), "19:24", "too many bodies", "write lift(object)"),
    ((LIFT, "[lift(object) => 80 mm]"), "19:25", "there is no such comparison", "write >="),
    ((LIFT, "[lift(object) ≥ 80 mm]"), "19:25", "expected the end of the criterion, found ≥", "write >="),
    ((LIFT, "[lift(object) >= 80 mm AND lift(object) <= 1 m]"), "19:34",
     "expected the end of the criterion, found AND", "conditions are joined with  and"),
    ((LIFT, '["lift(object) >= 80 mm, lift(object) <= 1 m"]'), "19:34",
     "expected the end of the criterion, found ,", "each condition is an item of the list, or joined with  and"),
    ((LIFT, "[lift(object)^2 >= 1 m2]"), "19:24", "expected the end of the criterion, found ^",
     "write the product: a * a"),
    ((POSE, "nominal +- 4 mm"), "23:32", "object.pose.x: +- is no distribution", "nominal + uniform(-4 mm, 4 mm), or"),
    ((POSE, "nominal ± 4 mm"), "23:32", "object.pose.x: expected + or * after nominal", "nominal + uniform(-4 mm, 4 mm), or"),
    ((MASS, "nominal + 10 %"), "25:34", "object.mass: expected a mass (kg or g), found a number in 1",
     "a share of the nominal value is  nominal * uniform(0.9, 1.1)"),
    ((MASS, "nominal * uniform(0.9 kg, 1)"), "25:42",
     "object.mass: expected a pure number (no unit, or %), found a number in kg", "behind  nominal *  stand factors"),
    ((MASS, "[0.1 kg, 0.3 kg]"), "25:24", "uncertain.object.mass: expected a distribution, found a list",
     "uniform(a, b) is a range, one_of(a, b, c) are values"),
    ((MASS, "uniform[0.1 kg, 0.3 kg]"), "25:31", "object.mass: expected (, found [", "uniform(lower, upper)"),
    ((MASS, "gauss(0.1 kg, 3 g)"), "25:24", "object.mass: unknown distribution gauss", "did you mean normal?"),
    (("- close:", "- grasp:"), "14:5", "unknown key grasp in program.0", "did you mean close?"),
    (("- hold:  {", "- wait:  {"), "17:5", "unknown key wait in program.3", "did you mean hold?"),
    (("hold:  {for: 1 s}", "hold: 1 s"), "17:11", "program.3.hold: expected keys with values", "write {for: ..., ...}"),
    (("hold:  {for: 1 s}", "hold"), "17:5", "program.3: expected keys with values", "write  hold: {...}"),
    (("surface: rubber", "surface: rubber\n  joints: {left_finger: {start: 1 mm}}"), "8:12",
     "the hand has no joint left_finger", "joints: left, right"),
    (("frame: tcp", "frame: tcp\n  fingers: [left_finger, right]"), "7:13",
     "hand.fingers: there is no joint left_finger to move", "joints: left, right"),
    (("surface: rubber", "surface: rubber\n  joints: {left: {effort: 3 N}}"), "8:19",
     "unknown key effort in hand.joints.left", "did you mean max_force?"),
    (("object.mass:   ", "object.com.x: nominal + normal(0 mm, 5 mm)\n  object.mass:"), "25:3",
     "object.com.x: the centre of mass of object follows from its shape",
     "write it down, then it is a number that can vary: add  com: [0 mm, 0 mm, 0 mm]  under object"),
    (("by: 100 mm", "by: 50 mm*cos(20 deg)"), "15:22",
     "program.1.lift.by: unexpected *cos(20 deg) after the number and its unit",
     "formulas are read where a scenario has numbers of its own: name one, parameters: {ramp.angle: 20 deg}"),
    (("hold:  {for: 1 s}", "set: {gravity.x: slope.g}"), "17:22", "program.3.set.gravity.x: expected an acceleration, found slope.g",
     "a number, a space and a unit: m/s2; set takes no formulas, study and uncertain may change its numbers by their paths"),
    (("hold:  {for: 1 s}", "set: {gravity.x: 9.81 m/s2*sin(5 deg)}"), "17:31",
     "program.3.set.gravity.x: unexpected *sin(5 deg) after the number and its unit",
     "set takes numbers, no formulas; study and uncertain may change them by their paths"),
    (("uniform(-15 deg, 15 deg)", "uniform(-15 deg, 15 deg*cos(60 deg))"), "24:57",
     "object.pose.yaw: expected a number alone, found a formula (*)",
     "work it out; or write the formula where the number itself stands, and  nominal + ...  here"),
    (("object: {", "object: {colour: red, "), "8:10", "unknown key colour in object",
     "keys here: box, sphere, capsule, cylinder, plane, mesh, unit, scale, convex, convex_tolerance, convex_pieces, parts, "
     "mass, density, com, inertia, push, grasps, surface, placed, pose, free"),
    (("sampling:", "simulation: {dt: 2 ms}\nsampling:"), "27:14", "unknown key dt in simulation", "did you mean step?"),
    (("sampling:", "samples: 1000\nsampling:"), "27:1", "unknown key samples in the scenario", "did you mean sampling?"),
    (("sampling:", "frob: 1000\nsampling:"), "27:1", "unknown key frob in the scenario",
     "keys here: graspmc, about, use, world, parameters, hand, robots, object, objects, scene, clutter, surfaces, friction, gravity, "
     "program, control, success, uncertain, correlated, cameras, believed, study, sampling, simulation, output"),
    (("uniform(0.08, 0.30)", "0.3 ± 0.1"), "26:28", "friction.rubber/abs: unknown unit ±", "nominal + uniform("),
    (("rubber/abs: 0.2,", "rubber/abs: 0.3 ± 0.1,"), "11:28", "friction.rubber/abs: unknown unit ± 0.1",
     "one number here, and its range under uncertain: friction.rubber/abs: uniform(...) or normal(...)"),
    (("mass: 0.2 kg", 'mass: "0,2 kg"'), "8:46", "object.mass: unexpected ,2 kg after the number and its unit",
     "a decimal point, no comma: 0.2 kg"),
    ((MASS, "0,2 kg"), "25:25", "object.mass: expected the end, found ,", "a decimal point, no comma: 0.4 kg"),
    (("by: 100 mm", "by: −100 mm"), "15:17", "program.1.lift.by: expected a length, found −100 mm",
     "this is not the ASCII minus: write -"),
    ((POSE, "nominal + uniform(−4 mm, 4 mm)"), "23:42", "object.pose.x: expected a number, found −",
     "this is not the ASCII minus: write -"),
    ((POSE, "+-10 mm"), "23:25", "object.pose.x: expected a number, found -",
     "uniform(-10 mm, 10 mm), about the nominal value  nominal + uniform(...)"),
    ((MASS, "lognormal(0.4 kg, 0.05 kg)"), "25:42",
     "object.mass: expected a pure number (no unit, or %), found a number in kg", "lognormal(median, coefficient of variation)"),
    ((POSE, "normal(0 mm 5 mm)"), "23:36", "object.pose.x: too few numbers",
     "a comma between the numbers: normal(mean, standard deviation)"),
    (("mass: 0.2 kg", "density: steel"), "8:47", "object.density: expected a density, found steel",
     "did you mean density.steel, with  use: graspmc/materials@1?"),
    (("mass: 0.2 kg", "density: density.brass"), "8:47", "object.density: expected a density, found density.brass",
     "the table graspmc/materials@1 has no such name; there are density.steel, density.aluminium, "),
    (("object.pose.yaw:", "object.yaw:     "), "24:3", "unknown parameter object.yaw", "did you mean object.pose.yaw?"),
)


class Table(Demo):
    def test_mistakes_of_scenarios(self):
        for change, place, message, hint in SCENARIO_ROWS + NEWCOMERS_ROWS:
            with self.subTest(change=change[1]):
                name = self.demo(change)
                for options in ((), ("--parameters",)):
                    done = self.run_program("check", name, *options, code=66 if "rox" in message else 65)
                    self.assertIn(f"x.yaml:{place}: error: {message}\n", done.stderr)
                    said = done.stderr[done.stderr.index(message):]
                    self.assertEqual(said[said.index("hint: ") + 6:].split("\n")[0][:len(hint)], hint)

    def test_pairs_that_a_table_of_materials_lacks(self):
        """Located in the user's file, not in the table, with the bodies that meet."""
        change = [("graspmc: 1", "graspmc: 1\nuse: graspmc/materials@1"), ("surface: abs", "surface: ptfe"),
                  ("surface: wood", "surface: steel"), ("  friction.rubber/abs: uniform(0.08, 0.30)\n", ""),
                  ("friction: {rubber/abs: 0.2, abs/wood: 0.4, rubber/wood: 0.5, rubber/rubber: 0.8}\n", "%s"),
                  ("[object.pose.x, friction.rubber/abs]", "object.pose.x")]
        change = [(a, b) for a, b in change if a in DEMO.read_text(encoding="utf-8")]
        for own, place in (("", "x.yaml:9:61"), ("friction: {rubber/steel: 0.5}\n", "x.yaml:12:26")):
            name = self.demo(*((a, b % own if b == "%s" else b) for a, b in change))
            said = self.run_program("check", name, code=65).stderr
            self.assertIn("hint: add  rubber/ptfe: <coefficient>  under friction\n", said)
            self.assertIn((place, "rubber and ptfe can touch (base, object), but friction does not say how"),
                          self.mistakes(name))

    def test_an_angle_without_a_unit(self):
        for claim, said in (("tilted(object) <= 5", "19:30: warning: an angle without a unit is in radians: 5 rad are 286.5 deg"),
                            ("0.1 >= leans(object)", "19:12: warning: an angle without a unit is in radians: 0.1 rad are 5.73 deg")):
            done = self.run_program("check", self.demo((LIFT, f"[{claim}]")))
            self.assertIn(said, done.stderr)
        self.assertIn("hint: write 0.1 rad, or 0.1 deg\n", done.stderr)
        for claim in ("tilted(object) <= 5 deg", "tilted(object) <= 0.1 rad", "tilted(object) > 0", "lift(object) >= 0.08"):
            self.assertEqual(self.run_program("check", self.demo((LIFT, f"[{claim}]"))).stderr, "")

    def test_quiet_hides_nothing_that_decides(self):
        name = self.demo((LIFT, "[tilted(object) <= 5]"))
        said = "warning: an angle without a unit is in radians"
        done = self.run_program("run", name, "-n", 2, "-q", "-o", "a.h5")
        self.assertIn(said, done.stderr)
        self.assertRegex(done.stdout, "^success [^\n]*\n$")
        done = self.run_program("run", name, "-n", 2, "-q", "--no-warnings", "-o", "b.h5")
        self.assertEqual(done.stderr, "")
        self.assertIn(said, self.run_program("check", name, "-q").stderr)

    def test_where_the_hand_starts(self):
        turn = ("placed: resting}", "placed: resting, pose: {x: 100 mm, yaw: 90 deg}}")
        up = ("surface: rubber", "surface: rubber\n  target: {x: 10 mm, z: 2 mm}")
        told = self.run_program("check", self.demo(turn, up), "--model").stdout
        self.assertRegex(told, r"the hand's frame is tcp, it starts at \(100, 10, 27\) mm, turned by 90 deg about \(0, 0, 1\)")

    def test_a_whole_phase_is_set(self):
        name = self.demo()
        whole = self.run_program("check", name, "--expanded", "--set", "program.1={hold: {for: 2 s}}").stdout
        self.assertRegex(whole, r"(?s)program:.*close:.*hold:.*for: 2 s.*shake:.*hold:")
        self.assertNotIn("lift: {", whole.split("success")[0])
        for value, said in (("hold", "program.1: expected keys with values\nhint: write  hold: {...}"),
                            ("~", "a single phase cannot be removed, for phases keep their numbers: program\nhint: set the whole list")):
            self.assertIn(said, self.run_program("check", name, "--set", "program.1=" + value, code=65).stderr)
        self.assertIn("no phase 4\nhint: 4 phases: 0 close, 1 lift, 2 shake, 3 hold",
                      self.run_program("check", name, "--set", "program.4={hold: {for: 1 s}}", code=65).stderr)

    def test_formulas_need_no_blanks(self):
        own = ("graspmc: 1", "graspmc: 1\nparameters: {way.up: 50 mm, way.tilt: 60 deg, way.twice: 2}")
        for formula in ("50 mm*way.twice*cos(way.tilt)*2 + 0*way.up", "2*way.up - 0*way.up*way.twice*way.tilt/1 rad"):
            name = self.demo(own, ("by: 100 mm", f"by: {formula}"))
            told = self.run_json("check", name, "--parameters")
            lift = [row for row in told if row["path"] == "program.1.lift.by"]
            self.assertAlmostEqual(lift[0]["value"], 0.1, delta=1e-15)

    def mistakes(self, *words, code=65):
        """Places and messages of all errors of one check."""
        said = self.run_program("check", *words, code=code).stderr
        return re.findall(r"^([^\s:]+(?::\d+:\d+)?|--set [^:]+): error: (.*)$", said, re.MULTILINE)

    def test_all_mistakes_at_once(self):
        """One pass tells those of the language, of the hand and of what touches, each cause once."""
        name = self.demo(("mass: 0.2 kg", "mas: 0.2 N"), ("frame: tcp", "frame: tpc"), ("rubber/abs: 0.2, ", ""),
                         ("until: stalled", "until: staled"), (", in: 0.7 s", ""), ("[lift(", "[lft("))
        self.assertEqual(self.mistakes(name, "--set", "object.box.x=1 kg", "--set", "foo=1"), [
            ("--set foo=1", "unknown key foo"),
            ("--set object.box.x=1 kg", "object.box.x: expected a length, found 1 kg"),
            ("x.yaml:6:10", "the hand has no link tpc"),
            ("x.yaml:8:38", "unknown key mas in object"),
            ("x.yaml:8:43", "object.mass: expected a mass, found 0.2 N"),
            ("x.yaml:11:1", "rubber and abs can touch (base, object), but friction does not say how"),
            ("x.yaml:14:33", "program.0.close.until: expected one of stalled, in_contact, found staled"),
            ("x.yaml:15:5", "program.1.lift needs in"),
            ("x.yaml:19:12", "unknown measure lft"),
            ("x.yaml:26:3", "unknown parameter friction.rubber/abs"),
            ("x.yaml:28:76", "unknown parameter or measure friction.rubber/abs")])

    def test_a_value_that_cannot_be_is_one_mistake_and_hides_no_other(self):
        self.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
        frame, right = ("frame: tcp", "frame: tpc\n  fingers: [rigth]"), [
            ("x.yaml:6:10", "the hand has no link tpc"), ("x.yaml:7:13", "hand.fingers: there is no joint rigth to move")]
        box, joints = "box: [50 mm, 50 mm, 50 mm]", ("surface: rubber", "surface: rubber\n  joints: {left: {%s}}")
        for change, place, message in (
                (("mass: 0.2 kg", "mass: -2 kg"), "x.yaml:9:44", "object.mass: must be > 0, found -2 kg"),
                (("abs/wood: 0.4", "abs/wood: -0.4"), "x.yaml:12:39", "friction.abs/wood: must be >= 0, found -0.4"),
                ((box, "box: [50 mm, -50 mm, 50 mm]"), "x.yaml:9:23", "object.box.y: must be > 0, found -50 mm"),
                ((box, "box: [50 mm, 50 mm]"), "x.yaml:9:15", "object.box: expected 3 numbers, found 2"),
                (("mass: 0.2 kg", "mass: 0.2 kg, inertia: [1, nan, 1, 0, 0, 0]"), "x.yaml:9:65",
                 "object.inertia.yy: expected a finite number, found nan"),
                ((box, "mesh: bad.obj"), "bad.obj:4:7", "vertex 9 of a face, but 3 vertices stand above it"),
                ((box, "mesh: none.obj"), "x.yaml:9:16", "no such file: none.obj"),
                (("draws: 1000", "draws: -3"), "x.yaml:28:35", "sampling.draws: must be >= 1, found -3"),
                ((joints[0], joints[1] % "lower: 30 mm, upper: 10 mm"), "x.yaml:9:26",
                 "the limits of joint left are crossed: lower is 0.03 m, upper 0.01 m"),
                ((joints[0], joints[1] % "lower: 50 mm"), "x.yaml:9:26",
                 "the limits of joint left are crossed: lower is 0.05 m, upper 0.04 m"),
                ((joints[0], joints[1] % "max_force: -3 N"), "x.yaml:9:30",
                 "hand.joints.left.max_force: must be >= 0, found -3 N")):
            with self.subTest(change=change[1]):
                name = self.demo(change, frame)
                self.assertEqual(sorted(self.mistakes(name)), sorted(right + [(place, message)]))
        self.assertEqual(self.mistakes(self.demo(), "--set", "hand.frame=tpc", "--set", "object.mass=-1 kg"), [
            ("--set hand.frame=tpc", "the hand has no link tpc"),
            ("--set object.mass=-1 kg", "object.mass: must be > 0, found -1 kg")])

    def test_mistakes_of_one_block_hide_none_of_links_pairs_and_joints(self):
        others = ("surface: rubber\n", "surface: {rest: rubber, lefft: abs}\n"), ("rubber/wood: 0.5, ", ""), (
            "uncertain:\n", "uncertain:\n  hand.joints.rigth.max_force: uniform(1 N, 2 N)\n")
        link, pair = ("x.yaml:7:27", "the hand has no link lefft"), (
            "x.yaml:11:1", "rubber and wood can touch (base, table), but friction does not say how")
        joint = ("x.yaml:23:3", "unknown parameter hand.joints.rigth.max_force")
        for change, own, hidden in (
                (("design: random", "design: ranodm"), "sampling.design: unknown design", ()),
                (("rubber: 0.8", "rubber: 0.8, abs/rubber: 0.3"), "friction: rubber/abs and abs/rubber are the same pair: "
                 "a pair has no order", ()),
                (("rubber: 0.8", "rubber: {static: 0.1, kinetic: 0.3}"),
                 "friction.rubber/rubber.kinetic: must be <= static, found 0.3", ()),
                (("rubber: 0.8", "rubber: {static: 0.3, across: 0.1}"),
                 "friction.rubber/rubber.across: neither rubber nor rubber has a grain", ()),
                (("rubber: 0.8", "rubber: abc"), "friction.rubber/rubber: expected a pure number, found abc", ()),
                (("{by: 100 mm, in: 0.7 s}", "{by: 100 mm, in: 0.7 s}\n    hold: {for: 1 s}"),
                 "program.1: lift and hold exclude each other", ()),
                # a pair without a name may be the one that is missed; what has no surface, too
                (("rubber: 0.8", "rubber: 0.8, wood: 0.5"),
                 "friction: expected two names of surfaces with / between them, found wood", (pair,)),
                ((", surface: abs", ""), "object needs surface", (pair,))):
            with self.subTest(change=change[1]):
                found = self.mistakes(self.demo(change, *others))
                self.assertIn(own, [message for _, message in found])
                below = "x.yaml:24:3" if "\n" in change[1] else joint[0]
                expected = {link, pair, (below, joint[1])} - set(hidden)
                self.assertEqual({(place, message) for place, message in found if message != own}, expected)

    def test_mistakes_of_grasps_and_of_all_claims(self):
        self.write("g.csv", "hand.target.x [mm],confidence\n3,1\n50,2\n")
        grasps = "grasps: {file: g.csv, frame: tpc, first: -1, where: 'confidance > 1 and rwo > 2'}"
        name = self.demo(("placed: resting}", f"placed: resting, {grasps}}}\nstudy: {{vary: [grasp]}}"),
                         ("mass: 0.2 kg", "mass: -2 kg"), ("frame: tcp", "frame: tcp\n  fingers: [rigth]"),
                         ("lift(object) >= 80 mm", '"lift(cube) >= 80 kg and (foo(object) > 2 or bar > 1)"'))
        self.assertEqual(self.mistakes(name), [
            ("x.yaml:7:13", "hand.fingers: there is no joint rigth to move"),
            ("x.yaml:9:44", "object.mass: must be > 0, found -2 kg"),
            ("x.yaml:9:111", "the hand has no link tpc"),
            ("x.yaml:9:123", "object.grasps.first: must be >= 1, found -1"),
            ("x.yaml:9:135", "unknown name confidance"),
            ("x.yaml:9:154", "unknown name rwo"),
            ("x.yaml:21:18", "nothing is called cube"),
            ("x.yaml:21:38", "unknown measure foo"),
            ("x.yaml:21:57", "unknown measure bar")])

    def test_columns_of_grasps(self):
        name = self.demo(("placed: resting}", "placed: resting, grasps: g.csv}\nstudy: {vary: [grasp]}"))
        for table, said in (("hand.target.x [mm]\n50 mm\n", "found `50 mm`\n    2 | 50 mm\n      | ^~~~~\nhint: a number "
                             "alone: its unit is that of the column, mm\n"),
                            ("hand.target.x,confidance\n0.05,1\n", "unknown column confidance\n    1 | hand.target.x,"
                             "confidance\n      |               ^\nhint: did you mean confidence?\n")):
            self.write("g.csv", table)
            self.assertIn(said, self.run_program("check", name, code=65).stderr)

    def test_files_in_the_place_of_others(self):
        self.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for change, said in (
                (("box: [50 mm, 50 mm, 50 mm]", "mesh: models/parallel_jaw.urdf"),
                 [("models/parallel_jaw.urdf", "this is a URDF, not a mesh")]),
                (("models/parallel_jaw.urdf", "m.obj"), [("m.obj", "this is a mesh, not a URDF")]),
                (("graspmc: 1", "graspmc: 1\nuse: graspmc/material@1"),
                 [("x.yaml:2:6", "use: the program has no table graspmc/material@1")])):
            self.assertEqual(self.mistakes(self.demo(change), code=66 if "use" in change[1] else 65), said)
        self.assertEqual(self.run_program("show", self.demo(), code=65).stderr,
                         "x.yaml: error: this is a scenario, not a result\n"
                         "hint: graspmc run SCENARIO -o RESULT makes one\n")
        self.assertEqual(self.run_program("new", "no.urdf", "no.obj", code=66).stderr,
                         "error: no such file: no.urdf\nerror: no such file: no.obj\n")

    def test_no_warning_follows_from_a_mistake(self):
        for change in ((("surface: rubber", "surface: rubber\n  joints: {left: {start: 50 mm}}"),),
                       (("surface: rubber", "surface: rubber\n  joints: {left: {start: -55.92}}"),),
                       (("surface: rubber", "surface: ruber"),), (("object.pose.x:   ", "object.pose.q:   "),)):
            with self.subTest(change=change):
                self.assertNotIn("warning: ", self.run_program("check", self.demo(*change), code=65).stderr)

    def test_mistakes_of_the_hand_with_those_of_the_scenario(self):
        self.write("bad.urdf", JAW.replace('name="left" type="prismatic"', 'name="left" type="prismtic"'))
        name = self.demo(("models/parallel_jaw.urdf", "bad.urdf"), ("mass: 0.2 kg", "mss: 0.2 kg"))
        self.assertEqual(self.mistakes(name), [("bad.urdf:38:28", "the joint type `prismtic` is not known"),
                                               ("x.yaml:8:38", "unknown key mss in object")])
        name = self.demo(("object: {box", "objct: {box"), ("object.pose.yaw:", "hand.lft.start:"))
        self.assertEqual(self.mistakes(name), [("x.yaml:8:1", "unknown key objct in the scenario"),
                                               ("x.yaml:24:3", "unknown parameter hand.lft.start")])

    def test_numbers_that_nobody_means(self):
        self.write("forty.urdf", JAW.replace('upper="0.04"', 'upper="40"'))
        mass = ("  object.mass:         uniform(0.1 kg, 0.3 kg)\n", "")
        for changes, said in (
                ([("uniform(-15 deg, 15 deg)", "uniform(-15, 15)")], "spans 1719 deg"),
                ([("mass: 0.2 kg", "mass: 200"), mass], "200 kg in 125 cm3"),
                ([(">= 80 mm", ">= 80")], "lift is compared with 80 m"),
                ([("[50 mm, 50 mm, 50 mm]", "[0.1 mm, 0.1 mm, 0.1 mm]")], "is small for an object"),
                ([("models/parallel_jaw.urdf", "forty.urdf")], "slides by more than 2 m: 2 joints (left, right)")):
            with self.subTest(said=said):
                # a hand about so small an object stands in the table: no trial can start
                done = self.run_program("check", self.demo(*changes), code=2 if "small" in said else 0)
                self.assertRegex(done.stderr, "warning: [^\n]*" + re.escape(said))

    def test_numbers_that_nobody_draws_or_varies(self):
        name = self.demo()
        self.write("g.csv", "mass\n220\n200\n")
        vary = "study={{vary: {{{}: {}}}}}".format
        for setting, said in (
                ("uncertain.object.mass=uniform(200, 500)", "500 kg in 125 cm3"),
                ("uncertain.object.mass=nominal * uniform(900, 1100)", "220 kg in 125 cm3"),
                ("uncertain.object.mass=normal(200, 10)", "213 kg|212.8 kg"),
                ("uncertain.object.mass=samples(g.csv, column mass)", "220 kg in 125 cm3"),
                ("uncertain.object.mass=uniform(2e-5, 1e-4)", "lighter than air"),
                ("uncertain.friction.rubber/abs=uniform(30, 70)", "friction.rubber/abs: 70 is much for friction"),
                ("uncertain.object.pose.yaw=uniform(88, 92)", "are 14.6 turns"),
                (vary("friction.rubber/wood", "[30, 50]"), "friction.rubber/wood: 30 is much for friction"),
                (vary("object.pose.x", "[50, 100]"), "study.vary.object.pose.x spans 50 m"),
                (vary("object.pose.yaw", "[0, 45]"), "are 7.16 turns"),
                (vary("program.1.lift.by", "[50, 100]"), "program.1.lift.by: 50 m is far for a hand"),
                ("friction.rubber/wood={static: 0.5, rolling: 1}", "rubber/wood.rolling: 1 m is far for what hinders rolling"),
                ("gravity=[0, 0, 9.81]", "gravity.z: 9.81 m/s2 points up")):
            with self.subTest(setting=setting):
                done = self.run_program("check", name, "--set", setting, code=(0, 2))
                warnings = [line for line in done.stderr.splitlines() if "warning: " in line]
                self.assertRegex(warnings[0], re.escape(said).replace("\\|", "|"))
                self.assertEqual(sum("without a unit" in line for line in warnings), "without" in warnings[0])
        for setting in ("uncertain.object.mass=uniform(0 kg, 0.5 kg)", "uncertain.object.mass=normal(0.2 kg, 0.03 kg)",
                        "uncertain.friction.*=nominal * uniform(0, 2)", vary("gravity.z", "[-9.81, 9.81]"),
                        vary("object.pose.yaw", "[0 deg, 720 deg]"), vary("object.pose.x", "[-1, 1]")):
            with self.subTest(setting=setting):
                err = self.run_program("check", name, "--set", setting, code=(0, 2)).stderr
                self.assertNotRegex(err, "without a unit|40 % is 0.4|turns|points up|lighter|denser")

    def test_meshes_of_other_formats(self):
        self.write("m.dae", "<COLLADA/>")
        name = self.demo(("box: [50 mm, 50 mm, 50 mm]", "mesh: m.dae"))
        self.assertIn("x.yaml:8:1: error: meshes of format `.dae` are not read\n",
                      self.run_program("check", name, code=65).stderr)

    def test_counts_and_flags_may_be_equal(self):
        name = self.demo(("[lift(object) >= 80 mm]", '["held_by(object) == 2", "contact(object, hand) = 1"]'))
        held = self.run_json("run", name, "-n", 20, "-q", "-o", "equal.h5")["success"]
        name = self.demo(("[lift(object) >= 80 mm]",
                          '["held_by(object) >= 2 and held_by(object) <= 2 and contact(object, hand) >= 1"]'))
        self.assertEqual(self.run_json("run", name, "-n", 20, "-q", "-o", "not.h5")["success"], held)

    def test_columns_of_words(self):
        trials = {}
        self.run_program("run", self.demo(), "-n", 40, "-q", "-o", "a.h5")
        for text in ("outcome = success", "outcome == success", "success == 1", "outcome != success",
                     "object = object", "case == 0", "case = 1", "not outcome = success", "trial = 7"):
            trials[text] = self.run_json("show", "a.h5", "--where", text)["where"]["trials"]
        self.assertTrue(0 < trials["outcome = success"] < 40)
        self.assertEqual(trials["outcome = success"], trials["outcome == success"])
        self.assertEqual(trials["outcome = success"], trials["success == 1"])
        self.assertEqual(trials["outcome != success"], 40 - trials["success == 1"])
        self.assertEqual(trials["not outcome = success"], trials["outcome != success"])
        self.assertEqual([trials[t] for t in ("object = object", "case == 0", "case = 1", "trial = 7")],
                         [40, 40, 0, 1])
        for text, place, message, hint in (
                ("outcome = mised", 11, "there is no mised here", "did you mean missed?"),
                ("object = mug", 10, "there is no mug here", "one of object"),
                ("outcome > missed", 9, "this is a word, not a number", "compare it with = or !="),
                ("slip = 3 mm", 6, "measured numbers are never exactly equal", "use <= or >=")):
            done = self.run_program("show", "a.h5", "--where", text, code=65)
            self.assertIn(f"--where:1:{place}: error: {message}\n      | {text}\n", done.stderr)
            self.assertIn(f"hint: {hint}", done.stderr)
        for name, nearest in (("frction", "friction.rubber/abs"), ("object.pose.xx", "object.pose.x")):
            done = self.run_program("show", "a.h5", "--by", name, code=65)
            self.assertIn(f"no histogram of {name} can be made\nhint: did you mean {nearest}?", done.stderr)

    def test_files_of_another_kind(self):
        name = self.demo()
        self.run_program("run", name, "-n", 1, "-q", "-o", "a.h5")
        for command, words, code, said in (
                ("run", ["a.h5"], 65, "a.h5: error: this is a result, not a scenario\nhint: graspmc show"),
                ("check", ["models/parallel_jaw.urdf"], 65, "error: this is a URDF, not a scenario\nhint: a scenario names it:  hand: {urdf: FILE}"),
                ("run", ["/tmp"], 66, "a folder, not a file: /tmp"),
                ("run", [name, "-n", 1, "-o", "/proc/x.h5"], 73, "hint: files cannot be made in this folder"),
                ("run", [name, "-n", 1, "-o", "none/x.h5"], 73, "hint: make its folder first"),
                ("check", [name, "--set", "program.9.close.force=1 N"], 65,
                 "no phase 9.close.force\nhint: 4 phases: 0 close, 1 lift, 2 shake, 3 hold"),
                ("export", ["a.h5", "--to", "csv", "-o", "a.parquet"], 64, "only CSV is written")):
            with self.subTest(words=words):
                self.assertIn(said, self.run_program(command, *words, code=code).stderr)
        self.assertFalse((self.folder / "a.parquet").exists())
        done = self.run_program("run", name, "--draw", 10, code=64)
        self.assertEqual(done.stderr, "graspmc run: --draw: no such option; did you mean --draws?\n"
                                      "try: graspmc run --help\n")
        self.run_program("check", name, "--set", "program.0.close.force = 15 N")
        self.assertEqual(self.run_json("check", name, "-n", "1e3")["draws"], 1000)
        self.run_program("check", name, "-n", "1.5", code=64)
        self.assertIn("warning: --grasps: this scenario has neither grasps of a file nor a hand\n",
                      self.run_program("check", SCENARIOS / "part_feeder.yaml", "--grasps").stderr)
        self.assertNotIn("success by", self.run_program("show", "a.h5").stdout)  # of one trial
        self.assertIn("success by", self.run_program("show", "a.h5", "--by", "object.mass").stdout)
        self.assertEqual(self.run_program("version").stdout, self.run_program("--version").stdout)

    def test_a_file_that_may_not_be_read(self):
        self.write("no.urdf", JAW).chmod(0)
        self.folder.chmod(0o755)
        name = self.demo(("models/parallel_jaw.urdf", "no.urdf"))
        other = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}  # root reads everything
        if other and subprocess.run(["test", "-x", PROGRAM], check=False, **other).returncode != 0:
            self.skipTest("this user reads everything, and no other may run the program")
        done = self.run_program("check", name, code=66, **other)
        self.assertIn("no permission to read no.urdf", done.stderr)

    def test_of_hands_and_tables(self):
        self.write("p.urdf", JAW.replace('<box size="0.06 0.14 0.05"/>', '<mesh filename="package://rox/m.stl"/>'))
        done = self.run_program("check", self.demo(("models/parallel_jaw.urdf", "p.urdf")), code=66)
        self.assertIn("hint: name the folder that holds the package:  hand: {package_path: [FOLDER]}", done.stderr)
        self.write("f.urdf", JAW.replace('<joint name="left" type="prismatic">', '<joint name="left" type="floating">'))
        done = self.run_program("check", self.demo(("models/parallel_jaw.urdf", "f.urdf")), code=65)
        self.assertIn("joint 'left' is floating (free), which is not supported here", done.stderr)
        self.write("measured.csv", "object.mass [kg],success\n0.2,1\n")
        name = self.demo(("{design: random, draws: 1000, seed: 1}", "{design: {csv: measured.csv}}"),
                         ("  object.mass:         uniform(0.1 kg, 0.3 kg)\n", ""))
        done = self.run_program("check", name, code=65)
        self.assertIn("measured.csv:1:18: error: unknown parameter success\n    1 | object.mass [kg],success\n",
                      done.stderr)
        self.assertIn("leave this one out:  cut -d, --complement -f2 measured.csv", done.stderr)


class Linear(Demo):
    """Files within the limits of size that took 7 to 40 s: 1 s is asked for on a free machine."""

    def quick(self, *words, **options):
        """Run within 10 s of a processor, which others at work on the machine do not lengthen."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.run_program(*words, **options)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 10)
        return done

    def refuse(self, name, said):
        self.assertIn(said, self.quick("check", name, code=65).stderr)

    def test_f14_long_expressions(self):
        name = self.demo(("hand:\n", "parameters: {p.a: 1}\nhand:\n"),
                         ("mass: 0.2 kg", "mass: 0.2 kg * (" + "p.a+" * 240000 + "p.a)"))
        self.refuse(name, "error: more than 10000 names, numbers and operators\n")
        name = self.demo(("[lift(object) >= 80 mm]", '["' + "lift(object) >= 8 mm and " * 30000 + 'lift(object) >= 1 m"]'))
        self.refuse(name, "error: more than 10000 names, numbers and operators\n")

    def test_f14_many_phases(self):
        """Phases of one kind are numbered; names that others gave are passed over."""
        name = self.demo(("  - hold:  {for: 1 s}\n", "  - set: {gravity.x: 0 m/s2, name: hold_3}\n" +
                          "  - hold:  {for: 0.02 s}\n" * 6000))
        text = self.quick("check", name, "--expanded").stdout
        self.assertEqual(text.count("name: hold_3"), 1)
        self.quick("check", name)

    def test_f14_many_pairs(self):
        """A table of frictions, most of them of surfaces that nothing has: it costs neither time nor memory of a run."""
        few = "".join(f", a{i}/b{k}: 0.3" for i in range(64) for k in range(63))
        many = "".join(f", a{i}/b{i}: 0.3" for i in range(4000))
        for pairs in (few, many):
            name = self.demo(("rubber/rubber: 0.8", "rubber/rubber: 0.8" + pairs))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run_program("check", name, "--no-warnings", timeout=60)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertLess(after.ru_utime - before.ru_utime, 1)  # of a processor; 0.05 s and 0.03 s measured

    def test_f14_many_unknown_lines(self):
        lines = "".join(f"  object.pose.xx{i}: normal(0 mm, 1 mm)\n" for i in range(15000))
        self.refuse(self.demo(("uncertain:\n", "uncertain:\n" + lines)), "\nand 14950 more mistakes\n")

    def test_f14_many_links(self):
        joint = ('<link name="l{0}"/><joint name="j{0}" type="fixed"><parent link="bse"/>'
                 '<child link="lx{0}"/></joint>\n')
        for count, said in ((12000, "more than 1024 links"), (1000, "and at least 450 more mistakes")):
            self.write("many.urdf", '<robot name="r"><link name="base"/>' +
                       "".join(joint.format(i) for i in range(count)) + "</robot>")
            self.refuse(self.demo(("models/parallel_jaw.urdf", "many.urdf")), said)
        self.write("many.urdf", '<robot name="r">' +
                   "".join(f'<link name="l{i}"/>\n' for i in range(40000)) + "</robot>")
        self.refuse(self.demo(("models/parallel_jaw.urdf", "many.urdf")), "more than 1024 links")


if __name__ == "__main__":
    unittest.main()
