"""Hands as their makers meant them: which way fingers close, from wherever they start."""
import unittest
import xml.etree.ElementTree

import h5py

from support import ROOT, SCENARIOS, Case

HANDS = ROOT / "test/end_to_end/data/hands"
SHARED = ROOT.parent / "shared/models"

# what bends a finger, and the limit that it closes towards, as the makers' pages have it
MAKERS = {
    "barrett": {f"finger_{i}_med_joint": "lower" for i in (1, 2, 3)},
    "panda": {"panda_finger_joint1": "lower"},
    "allegro": {f"joint_{i}.0": "upper" for i in (1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15)},
    "shadow": {**{f"{f}J{i}": "upper" for f in ("FF", "MF", "RF", "LF") for i in (3, 2, 1)},
               "THJ2": "upper", "THJ1": "upper"},
}

FREE = """graspmc: 1
parameters: {open.share: 0.5}
hand:
  urdf: %(urdf)s
  surface: rubber
  target: {z: 2 m}
  joints:
%(joints)s
gravity: [0 m/s2, 0 m/s2, 0 m/s2]
object: {box: [20 mm, 20 mm, 20 mm], mass: 0.2 kg, surface: abs, placed: as_given}
friction: {rubber/abs: 0.5}
program: [close: {force: %(force)s, for: 20 ms, ramp: 1 ms}]
success: {at_end: [lift(object) > -1 m]}
study: {vary: {open.share: "grid(0.01, 0.99, 200)"}}
sampling: {draws: 1}
output: {trajectories: all}
"""


def limits_of(urdf):
    joints = {}
    for joint in xml.etree.ElementTree.parse(urdf).getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None and joint.find("mimic") is None:
            joints[joint.get("name")] = (float(limit.get("lower")), float(limit.get("upper")),
                                         "m" if joint.get("type") == "prismatic" else "rad")
    return joints


class Hands(Case):
    def run_program(self, *words, code=0, **options):
        """How a hand is understood is asked, wherever it starts: `check` ends with 2 if it starts in the object."""
        return super().run_program(*words, code=(0, 2) if words[0] == "check" and code == 0 else code, **options)

    def closes(self, *words):
        return {row["joint"]: row for row in self.run_json("check", *words)["closes"]}

    def free(self, name, urdf):
        # so damped that a joint moves as its own drive says, whatever the rest of its finger does
        limits = limits_of(urdf)
        joints = "\n".join(f'    {joint}: {{start: "{low} {unit} + open.share * {high - low} {unit}", '
                           f'damping: 1}}'
                           for joint, (low, high, unit) in limits.items() if joint in MAKERS[name])
        force = "1 N" if name == "panda" else "0.1 N*m"
        return self.write(f"{name}.yaml",
                          FREE % {"urdf": urdf, "joints": joints, "force": force})

    def check_maker(self, name, urdf):
        """The direction of check is the maker's, and fingers go there from 200 starts."""
        scenario = self.free(name, urdf)
        closes, limits = self.closes(scenario), limits_of(urdf)
        self.assertEqual(set(closes), set(MAKERS[name]))
        for joint, limit in MAKERS[name].items():
            self.assertEqual(closes[joint]["by"], "geometry")
            # a mimic may end before its leader does, as of the Barrett hand
            self.assertAlmostEqual(closes[joint]["end"], limits[joint][limit == "upper"],
                                   delta=0.1, msg=joint)
        self.run_program("run", scenario, "-o", f"{name}.h5", "-q")
        with h5py.File(self.folder / f"{name}.h5") as file:
            kept = file["trajectories"]
            names = [row["name"].decode() for row in kept["joints/names"][:]]
            q, rows = kept["joints/q"][:], kept["index"][:]
            self.assertEqual(len(rows), 200)
            for row in rows:
                first, last = int(row["offset"]), int(row["offset"]) + int(row["length"]) - 1
                for joint, limit in MAKERS[name].items():
                    way = q[last][names.index(joint)] - q[first][names.index(joint)]
                    self.assertGreater(way if limit == "upper" else -way, 0, f"{row} {joint}")

    def test_d01_hands_close_as_their_makers_say_from_wherever_they_start(self):
        for name in MAKERS:
            with self.subTest(hand=name):
                self.check_maker(name, HANDS / f"{name}.urdf")

    def jaw(self, hand="", program="[close: {force: 10 N}]"):
        """A Panda hand at a box, with more words about it."""
        return self.write("jaw.yaml", f"""graspmc: 1
hand: {{urdf: {HANDS / "panda.urdf"}, frame: tcp, surface: rubber, target: {{roll: 180 deg}}{hand}}}
object: {{box: [30 mm, 30 mm, 50 mm], mass: 0.2 kg, surface: abs}}
scene: {{table: {{plane: {{}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}}
program: {program}
success: {{at_end: [lift(object) > -1 m]}}
""")

    def joint(self, words):
        return f", joints: {{panda_finger_joint1: {{{words}}}}}"

    def mistake(self, scenario, text, line):
        done = self.run_program("check", scenario, code=65)
        self.assertIn(text, done.stderr)
        self.assertIn(f"{scenario}:{line}:", done.stderr)
        return done.stderr

    def test_d01_a_jaw_holds_from_every_start_and_check_says_so(self):
        program = "[close: {force: 10 N, speed: 0.1 m/s}, lift: {by: 100 mm, in: 1 s}]"
        for start in (16, 18, 20, 21, 25, 40):
            scenario = self.jaw(self.joint(f"start: {start} mm"), program)
            said = self.run_program("check", scenario).stdout
            self.assertIn(f"closes    panda_finger_joint1 {start} mm -> 0 mm (limit), "
                          "10 N at each of 2 joints (drive 20 N), at most 0.1 m/s",
                          said)
            answer = self.run_json("run", scenario, "-n", 1, "-o", f"{start}.h5", "-q", "--set",
                                   "success.at_end=lift(object) > 80 mm")
            self.assertEqual(answer["success"]["successes"], 1, start)

    def test_d01_the_scenario_says_how_a_joint_closes(self):
        name = "panda_finger_joint1"
        for words, by, end in (("closes: upper", "closes", 0.04), ("closes: lower", "closes", 0),
                               ("open: 5 mm, closed: 35 mm", "open and closed", 0.04)):
            row = self.closes(self.jaw(self.joint(words)))[name]
            self.assertEqual((row["by"], row["end"]), (by, end))
        for words, text in (("open: 5 mm, closed: 35 mm, closes: lower", "closes: lower, but from open to closed"),
                            ("open: 5 mm, closed: 5 mm", "are the same"),
                            ("closed: 50 mm", "closed: 50 mm is outside of the limits 0 mm to 40 mm")):
            self.mistake(self.jaw(self.joint(words)), text, 2)

    def test_a_start_beyond_the_limits_is_a_mistake_where_it_stands(self):
        for words, text in (("start: 60 mm", "start: 60 mm is outside of the limits 0 mm to 40 mm"),
                            ("start: -1 mm", "start: -1 mm is outside of the limits 0 mm to 40 mm"),
                            ("start: 20 mm, upper: 15 mm", "start: 20 mm is outside of the limits 0 mm to 15 mm")):
            self.mistake(self.jaw(self.joint(words)), text, 2)
        said = self.run_program("check", self.jaw(self.joint("start: 40.3 mm"))).stderr  # 1 % is rounding of a limit
        self.assertRegex(said, r"jaw.yaml:2:\d+: warning: hand.panda_finger_joint1.start: 40.3 mm is outside [^\n]*\n.*\n.*\n"
                               "hint: the limit is taken")
        chance = self.jaw(self.joint("start: 38 mm")).read_text() + "uncertain: {hand.panda_finger_joint1.start: 'normal(38 mm, 2 mm)'}\n"
        self.run_program("check", self.write("tail.yaml", chance))  # a tail is no mistake

    def test_a_position_beyond_the_limits_is_a_mistake_where_it_stands(self):
        for kind in ("close", "open"):
            for position in ("50 mm", "-1 mm"):
                said = self.mistake(self.jaw("", f"[{kind}: {{position: {position}}}]"),
                                    f"program.0.{kind}.position: {position} is outside of the limits 0 mm to 40 mm of joint "
                                    "panda_finger_joint1", 6)
                self.assertRegex(said, r"jaw\.yaml:6:\d+: error")
            self.run_program("check", self.jaw("", f"[{kind}: {{position: 40 mm}}]"))

    def test_a_list_of_no_fingers_is_a_mistake(self):
        scenario = self.jaw("")
        text = scenario.read_text()
        self.write("jaw.yaml", text.replace("hand: {", "hand: {fingers: [], ", 1))
        self.assertIn("hint: name joints that `close` and `open` move", self.mistake(scenario, "hand.fingers is empty", 2))

    def test_a_finger_that_does_not_move_is_warned_of(self):
        for words, text in (("start: 20 mm, closes: upper, open: 40 mm", "joint panda_finger_joint1 is open and closed at 40 mm"),
                            ("start: 40 mm, closes: upper", "joint panda_finger_joint1 starts at 40 mm, where phase close ends"),
                            ("", "joint panda_finger_joint1 starts at 0 mm, where phase close ends")):
            self.assertIn(f"no way to close: {text}; look at", self.run_program("check", self.jaw(words and self.joint(words))).stderr)
        for words, program in (("start: 40 mm", "[close: {force: 10 N}]"), ("", "[open: {}, close: {force: 10 N}]")):
            said = self.run_program("check", self.jaw(words and self.joint(words), program)).stderr
            self.assertNotIn("no way to close", said)

    def jaws(self, ratio):
        """The demo's hand, whose right finger mimics the left one: they meet, or go the same way."""
        text = (SCENARIOS / "models/parallel_jaw.urdf").read_text(encoding="utf-8")
        right = '<axis xyz="0 1 0"/>\n    <limit lower="0" upper="0.04" effort="100" velocity="1"/>'
        self.assertIn(right, text)
        limits = 'lower="0" upper="0.04"' if ratio > 0 else 'lower="-0.04" upper="0"'
        mimic = right.replace('lower="0" upper="0.04"', limits) + f'<mimic joint="left" multiplier="{ratio}"/>'
        self.write("jaws.urdf", text.replace(right, mimic).replace('effort="100"', 'effort="20"'))
        return self.write("jaws.yaml", """graspmc: 1
hand: {urdf: jaws.urdf, frame: tcp, surface: rubber}
object: {box: [30 mm, 30 mm, 50 mm], mass: 0.2 kg, surface: abs}
scene: {table: {plane: {}, surface: wood}}
friction: {rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}
program: [close: {force: 50 N}]
success: {at_end: [lift(object) > -1 m]}
""")

    def test_what_a_drive_gives_is_told_of_all_that_it_moves(self):
        self.assertIn("phase close asks for more than the drive of joint left gives: 50 N at it and at each joint that "
                      "mimics it take 100 N of its drive, which has 20 N",
                      self.run_program("check", self.jaws(1)).stderr)

    def test_what_is_varied_or_drawn_beyond_a_hand_is_told(self):
        self.jaws(1)
        drawn = self.write("drawn.yaml", "graspmc: 1\nuse: jaws.yaml\nhand: {joints: {left: {start: 0 mm}}}\n"
                           "program: [close: {force: 8 N, speed: 0.8 m/s}]\n")
        for way, told in (
                ("study={vary: {program.0.close.force: [5 N, 60 N]}}", "gives: 60 N at it and at each joint"),
                ("uncertain.program.0.close.force=uniform(5 N, 15 N)",
                 "phase close asks in 50 % of the draws for more than the drive of joint left gives, 10 N"),
                ("uncertain.program.0.close.speed=uniform(0.5 m/s, 2.5 m/s)", "speed is more in 75 % of the draws than"),
                ("uncertain.hand.left.start=uniform(-10 mm, 30 mm)",
                 "hand.left.start: 25 % of the draws are outside of the limits 0 mm to 40 mm"),
                ("uncertain.program.0.close.force=uniform(5 N, 9 N)", None)):
            said = self.run_program("check", drawn, "--set", way).stderr
            self.assertTrue(told in said if told else "limit" not in said, f"{way}: {said}")
        said = self.run_program("check", drawn, "--set",
                                "study={vary: {hand.left.start: [0 mm, 50 mm]}}", code=65).stderr
        self.assertIn("hand.left.start: 50 mm is outside of the limits", said)

    def test_a_finger_that_presses_is_moved_by_its_servo(self):
        """Moved by nothing it presses as before, again and again; moved on it goes there, and then presses again."""
        for moves, place in ((["by: 0 mm, in: 0.1 s"] * 3, 15), (["by: 1 mm, in: 0.1 s"] * 2, 17),
                             (["by: 2 mm, in: 0.2 s", "by: -2 mm, in: 0.2 s"], 15)):
            program = "".join(f"  - move: {{joint: left, {move}}}\n" for move in moves)
            self.write("moved.yaml", "graspmc: 1\n"
                       "hand: {urdf: %s, frame: tcp, surface: rubber}\n"
                       "object: {box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs, placed: as_given}\n"
                       "friction: {rubber/abs: 0.5, rubber/rubber: 0.8}\ngravity: [0, 0, 0]\n"
                       "program:\n  - close: {force: 10 N}\n%s  - hold: {for: 0.3 s}\n"
                       "success: {at_end: [lift(object) >= -1 mm]}\nsampling: {draws: 1}\n"
                       "simulation: {early: {rest: false}}\noutput: {trajectories: all}\n"
                       % (SCENARIOS / "models/parallel_jaw.urdf", program))
            self.run_program("run", "moved.yaml", "-o", "moved.h5", "--force", "-q", code=(0, 1))
            with h5py.File(self.folder / "moved.h5") as f:
                joints = f["trajectories/joints"]
                self.assertAlmostEqual(joints["q"][-1][0] * 1e3, place, delta=0.1, msg=moves)
                efforts = joints["effort"][-20:]
                self.assertLess(abs(efforts - 10).max(), 1e-6, moves)

    def test_fingers_that_go_the_same_way_do_not_close(self):
        self.assertEqual(self.closes(self.jaws(1))["left"]["end"], 0.04)
        said = self.mistake(self.jaws(-1), "which way joint left closes cannot be told: of the fingers that it moves one "
                            "comes nearer", 2)
        self.assertIn("closes: upper", said)
        self.assertIn("closes: lower", said)

    def test_d01_open_and_close_go_to_these_positions(self):
        scenario = self.jaw(self.joint("start: 20 mm, open: 38 mm, closed: 17 mm"),
                            "[open: {}, hold: {for: 0.2 s}, close: {speed: 0.1 m/s, for: 0.5 s}]")
        self.assertEqual(self.closes(scenario)["panda_finger_joint1"]["end_is"], "closed")
        self.run_program("run", scenario, "-n", 1, "-o", "x.h5", "-q", "--set", "output.trajectories=all")
        with h5py.File(self.folder / "x.h5") as file:
            q = file["trajectories/joints/q"][:, 0]
        self.assertAlmostEqual(max(q), 0.038, delta=1e-4)
        self.assertAlmostEqual(q[-1], 0.017, delta=1e-4)

    def vise(self, bar, upwards, has_frame, stops=()):
        """A bar from bar[0] to bar[1] along y with a fixed jaw below y = 0 and further ones; a jaw slides from 0 to 150 mm."""
        def box(y, z, length, height):
            return (f'<collision><origin xyz="0 {y} {z}"/><geometry><box size="0.03 {length} {height}"/></geometry>'
                    '</collision>')
        jaws = "".join(box(y - 0.01, -0.02, 0.02, 0.06) for y in (0, *stops))
        mass = '<inertial><mass value="0.3"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>'
        axis, limits = ("0 1 0", 'lower="0" upper="0.15"') if not upwards else ("0 -1 0", 'lower="-0.15" upper="0"')
        self.write("vise.urdf", f"""<robot name="vise">
<link name="base">{mass}{box((bar[0] + bar[1]) / 2, 0.02, bar[1] - bar[0], 0.02)}{jaws}</link>
<link name="jaw">{mass}{box(0.01, -0.02, 0.02, 0.06)}</link>
<joint name="slide" type="prismatic"><parent link="base"/><child link="jaw"/><axis xyz="{axis}"/>
<limit {limits} effort="100" velocity="0.2"/></joint>
<link name="tcp"/><joint name="t" type="fixed"><parent link="base"/><child link="tcp"/><origin xyz="0 0.02 -0.03"/></joint>
</robot>
""")
        frame = ", frame: tcp" if has_frame else ""
        return self.write("vise.yaml", f"""graspmc: 1
hand: {{urdf: vise.urdf{frame}, surface: rubber, joints: {{slide: {{start: {"-" if upwards else ""}60 mm}}}}}}
object: {{box: [30 mm, 30 mm, 40 mm], mass: 0.1 kg, surface: abs}}
scene: {{table: {{plane: {{}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}}
program: [close: {{force: 10 N}}]
success: {{at_end: [lift(object) > -1 m]}}
""")

    def test_a_vise_closes_on_its_fixed_jaw_however_long_its_bar_is(self):
        for bar in ((-0.02, 0.3), (-0.3, 0.02), (-0.02, 0.6), (-0.02, 0.17)):
            for stops in ((), (bar[1],)):  # the end of the bar is a surface that faces the jaw too
                for upwards in (False, True):
                    with self.subTest(bar=bar, stops=stops, upwards=upwards):
                        done = self.run_program("check", self.vise(bar, upwards, True, stops), "--json", code=(0, 2, 65))
                        told = done.returncode != 65
                        if told:
                            self.assertEqual(self.closes(self.folder / "vise.yaml")["slide"]["end"], 0)
                        self.assertTrue(told or stops, done.stderr)
                        done = self.run_program("check", self.vise(bar, upwards, False, stops), code=(0, 2, 65))
                        if done.returncode == 65:
                            self.assertIn("which way joint slide closes cannot be told: the middle of the hand", done.stderr)
                        else:
                            self.assertEqual(self.closes(self.folder / "vise.yaml")["slide"]["end"], 0)

    def test_d01_what_cannot_be_told_is_a_mistake_with_both_choices(self):
        scenario = self.write("wrist.yaml", FREE % {
            "urdf": HANDS / "shadow.urdf", "joints": "    FFJ3: {start: 0}", "force": "1 N*m"})
        text = scenario.read_text().replace("  surface: rubber", "  surface: rubber\n  fingers: [WRJ1, FFJ3]")
        scenario.write_text(text)
        said = self.mistake(scenario, "which way joint WRJ1 closes cannot be told: it carries the palm", 3)
        self.assertIn("closes: upper", said)
        self.assertIn("closes: lower", said)
        scenario.write_text(text.replace("    FFJ3: {start: 0}", "    WRJ1: {closes: upper}"))
        self.assertEqual(set(self.closes(scenario)), {"WRJ1", "FFJ3"})

    def test_d11_units_are_those_of_the_joints(self):
        for phase, text in (("close: {force: 10 N*m}", "close.force: expected a force (N or kN), found a torque"),
                            ("close: {position: 5 deg, in: 1 s}", "close.position: expected a length"),
                            ("close: {force: 10 N, speed: 1 rad/s}", "close.speed: expected a speed"),
                            ("open: {position: 5 deg}", "open.position: expected a length")):
            self.mistake(self.jaw(program=f"[{phase}]"), text, 6)
        for phase in ("close: {force: 10}", "close: {position: 5 mm, in: 1 s}"):
            self.run_program("check", self.jaw(program=f"[{phase}]"))
        turning = self.jaw().read_text().replace("panda.urdf, frame: tcp", "barrett.urdf")
        self.mistake(self.write("turning.yaml", turning), "close.force: expected a torque (N*m), found a force", 6)

    def test_d12_at_most_needs_no_until(self):
        plain = self.jaw(program="[close: {force: 10 N, at_most: 2 s}]")
        self.assertIn("until: stalled, at_most: 2 s", self.run_program("check", plain, "--expanded").stdout)
        self.run_program("check", self.jaw(), "--set", "program.0.close.at_most=2 s")
        self.mistake(self.jaw(program="[close: {force: 10 N, for: 1 s, at_most: 2 s}]"),
                     "at_most means nothing without until", 6)

    def columns(self, scenario, *words):
        self.run_program("run", scenario, "-o", "speed.h5", "-q", "--force", *words)
        with h5py.File(self.folder / "speed.h5") as file:
            return file["trials"][:]

    def test_d02_velocity_limits_hold_by_default(self):
        program = "[close: {force: 10 N}, lift: {by: 50 mm, in: 0.5 s}]"
        start = self.joint("start: 40 mm")
        for stepper in ("coulomb", "stewart_trinkle", "anitescu_potra", "song_pang_kumar"):
            trials = self.columns(self.jaw(start, program), "-n", 2, "--stepper", stepper)
            # how fast a finger bounces off the box is the box's affair: it is slower than it came
            self.assertLessEqual(trials["max_joint_speed"].max(), 1.001, stepper)
            self.assertGreater(trials["max_joint_speed"].max(), 0.99, stepper)
            self.assertLessEqual(trials["max_joint_effort"].max(), 1 + 1e-9, stepper)
        said = self.run_program("check", self.jaw(start)).stdout
        self.assertIn("40 mm -> 0 mm (limit), 10 N at each of 2 joints (drive 20 N), at most 0.2 m/s", said)
        row = self.closes(self.jaw(start))["panda_finger_joint1"]
        self.assertEqual((row["force"], row["drive_force"], row["joints"]), (10, 20, 2))
        free = self.columns(self.jaw(self.joint("start: 40 mm, max_speed: 0"), program), "-n", 2)
        self.assertEqual(free["max_joint_speed"].max(), 0)  # no limit, no share
        slow = self.columns(self.jaw(self.joint("start: 40 mm, max_speed: 0.05 m/s"), program), "-n", 2)
        self.assertGreater(slow["t_closed"].min(), 0.025 / 0.05)
        self.assertGreater(trials["t_closed"].min(), 0.025 / 0.2)

    def test_d02_what_asks_for_more_is_reduced_with_a_warning(self):
        scenario = self.jaw(program="[close: {force: 10 N, speed: 5 m/s}]")
        done = self.run_program("check", scenario)
        self.assertIn("speed is 5 m/s, but joint panda_finger_joint1 goes at most 0.2 m/s", done.stderr)
        self.assertIn("at most 0.2 m/s", done.stdout)
        moved = self.jaw(self.joint("start: 20 mm"), "[move: {joint: panda_finger_joint1, by: 15 mm, in: 0.05 s}, "
                         "hold: {for: 0.3 s}]")
        self.assertIn("it asks for up to 0.5625 m/s", self.run_program("check", moved).stderr)
        self.assertLessEqual(self.columns(moved, "-n", 1)["max_joint_speed"].max(), 1.001)

    def test_d02_without_a_limit_how_fast_must_be_said(self):
        self.run_program("check", self.jaw(self.joint("start: 40 mm"), "[close: {position: 20 mm}]"))
        self.mistake(self.jaw(self.joint("max_speed: 0"), "[close: {position: 20 mm}]"),
                     "how fast is not said: joint panda_finger_joint1 has no max_speed", 6)

    def test_d02_joints_without_a_limit_are_named_once(self):
        urdf = (HANDS / "panda.urdf").read_text().replace('velocity="0.2"', 'velocity="0"')
        self.write("fast.urdf", urdf)
        scenario = self.write("fast.yaml", self.jaw().read_text().replace(str(HANDS / "panda.urdf"), "fast.urdf"))
        said = self.run_program("check", scenario).stderr
        self.assertEqual(said.count("no velocity limit"), 1, said)
        self.assertIn("panda_finger_joint1", said)
        done = self.run_program("check", scenario, "--set", "hand.joints.panda_finger_joint1.max_speed=0.1 m/s")
        self.assertNotIn("no velocity limit", done.stderr)

    @unittest.skipUnless((SHARED / "allegro_hand").is_dir(), "no shared models")
    def test_d02_allegro_and_mug_as_written(self):
        fingers = ", ".join(f"joint_{i}.0" for i in (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15))
        scenario = self.write("vel.yaml", f"""graspmc: 1
hand:
  urdf: {SHARED}/allegro_hand/allegro_hand_right.urdf
  frame: palm
  surface: rubber
  fingers: [{fingers}]
  joints: {{joint_12.0: {{start: 1.39}}, joint_13.0: {{start: 0.3}}}}
  target: {{x: 85 mm, y: -90 mm, z: 45 mm, roll: 90 deg, yaw: 180 deg}}
object: {{mesh: {SHARED}/ycb_subset/mug/collision.obj, mass: 0.118 kg, surface: ceramic}}
scene: {{table: {{plane: {{}}, surface: wood}}}}
friction: {{rubber/ceramic: 0.6, ceramic/wood: 0.4, rubber/wood: 0.5}}
program:
  - close: {{force: 0.3 N*m, until: stalled, at_most: 2 s}}
  - lift: {{by: 100 mm, in: 1 s}}
success: {{at_end: [lift(object) > 80 mm]}}
uncertain: {{object.pose.x: "nominal + normal(0, 5 mm)", object.pose.yaw: "nominal + normal(0, 5 deg)"}}
""")
        trials = self.columns(scenario, "-n", 12)
        self.assertGreaterEqual(trials["success"].mean(), 0.95)
        self.assertLessEqual(trials["max_joint_speed"].max(), 1.001)

    def mounted(self, program, words=""):
        """An arm of two turning joints with a jaw on it, held out sideways."""
        def link(name, mass, size):
            return (f'<link name="{name}"><inertial><origin xyz="0.2 0 0"/><mass value="{mass}"/><inertia ixx="0.01" '
                    f'iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="0.2 0 0"/>'
                    f'<geometry><box size="{size} 0.05 0.05"/></geometry></collision></link>')

        def joint(name, kind, parent, child, at, axis, effort):
            return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
                    f'<origin xyz="{at}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" effort="{effort}" '
                    f'velocity="2"/></joint>')
        self.write("arm.urdf", '<robot name="arm"><link name="root"/>' + link("upper", 4, 0.3) + link("lower", 2, 0.3)
                   + joint("j1", "revolute", "root", "upper", "0 0 0", "0 1 0", 100)
                   + joint("j2", "revolute", "upper", "lower", "0.4 0 0", "0 1 0", 100) + "</robot>")
        return self.write("arm.yaml", f"""graspmc: 1
hand: {{urdf: arm.urdf, surface: rubber, mount: fixed, fingers: [j2]{words}, target: {{z: 1 m}}}}
object: {{box: [50 mm, 50 mm, 50 mm], mass: 0.2 kg, surface: abs}}
scene: {{table: {{plane: {{}}, surface: wood}}}}
friction: {{rubber/abs: 0.5, abs/wood: 0.4, rubber/wood: 0.5}}
program: {program}
success: {{at_end: [lift(object) > -1 m]}}
""")

    def test_d13_the_hint_of_a_mounted_hand_can_be_followed(self):
        said = self.mistake(self.mounted("[lift: {by: 50 mm, in: 1 s}]"), "lift moves the base, which is mounted", 6)
        self.assertIn("move: {joint: <joint>, by: <amount>, in: 1 s}", said)
        self.run_program("check", self.mounted("[move: {joint: j1, by: 0.1, in: 1 s}]"))

    def test_d14_an_arm_that_its_drives_do_not_hold_is_warned_of(self):
        program = "[hold: {for: 0.1 s}]"
        # 4 kg at 0.2 m and 2 kg at 0.6 m: 19.62 N*m, of kp 100 N*m/rad
        said = self.run_program("check", self.mounted(program)).stderr
        self.assertIn("joints give way from where they start: j1 by 11.2 deg", said)
        self.assertEqual(said.count("give way"), 1)
        said = self.run_program("check", self.mounted(program, ", joints: {j1: {max_force: 10 N*m}}")).stderr
        self.assertIn("j1 falls, it needs 19.6 of 10 N*m", said)
        said = self.run_program("check", self.mounted(program, ", joints: {j1: {kp: 1e5, kd: 500}}")).stderr
        self.assertNotIn("give way", said)


if __name__ == "__main__":
    unittest.main()
