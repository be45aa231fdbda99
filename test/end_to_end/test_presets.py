"""Presets: programs by name and version, which are nothing but their phases."""
import re
import unittest

import h5py

from support import QUICK, ROOT, Case

PRESETS = ("six_gravities@1", "shake@1", "lift_hold_turn@1", "slip_pull@1", "disturbance@1")


class Presets(Case):
    def scenario(self, *phases):
        lines = "".join(f"  - {phase}\n" for phase in phases)
        # geared jaws: those that are free of each other would glide along their rails with the cube
        return self.write("s.yaml", f"graspmc: 1\nuse: {QUICK}\nprogram:\n"
                          "  - close: {force: 30 N, speed: 100 mm/s, until: stalled, at_most: 1 s}\n"
                          "  - lift: {by: 100 mm, in: 0.5 s}\n" + lines +
                          "success: {at_end: [\"contact(object, hand)\"], always: [\"slip(object, hand) <= 50 mm\"]}\n"
                          f"hand: {{urdf: {ROOT}/scenarios/models/pick_jaw.urdf, frame: tcp, surface: rubber}}\n")

    def test_the_expanded_copy_runs_to_the_same_trials(self):
        for preset in PRESETS:
            scenario = self.scenario(f"preset: {preset}")
            text = self.run_program("check", scenario, "--expanded").stdout
            self.assertNotIn("preset", text)
            # files are found from where a scenario is
            expanded = self.write("expanded.yaml", text.replace("../../scenarios", str(ROOT / "scenarios")))
            for name, file in (("a.h5", scenario), ("b.h5", expanded)):
                self.run_program("run", file, "-n", 6, "-o", name, "-q", "--force")
            with h5py.File(self.folder / "a.h5") as a, h5py.File(self.folder / "b.h5") as b:
                self.assertEqual(a.attrs["content_digest"], b.attrs["content_digest"])
                self.assertEqual(a["trials"][:].tobytes(), b["trials"][:].tobytes())
                self.assertNotIn(b"preset", a["scenario/expanded"][()])
                self.assertIn(b"preset", a["scenario/text"][()])
                self.assertGreater(a["trials"]["success"].sum(), 0)  # 30 N: some hold throughout
                self.assertEqual(a["trials"]["valid"].sum(), 6)

    def test_six_gravities_turn_and_come_back(self):
        scenario = self.scenario("preset: six_gravities@1")
        text = self.run_program("check", scenario, "--expanded").stdout
        found = re.findall(r"gravity\.x: (\S+) m/s2, gravity\.y: (\S+) m/s2, gravity\.z: (\S+) m/s2", text)
        self.assertEqual(sorted(found), sorted(tuple("9.8" if i == k and s > 0 else "-9.8" if i == k else "0"
                                                     for i in range(3)) for k in range(3) for s in (-1, 1)))
        self.assertEqual(found[-1], ("0", "0", "-9.8"))
        # 30 N and friction of 0.5 hold 2 N from any side, 1.5 N do not
        for force, holds in (("30 N", 1), ("1.5 N", 0)):
            answer = self.run_json("run", scenario, "-n", 4, "-o", f"{holds}.h5", "--set", f"program.0.close.force={force}",
                                   "--set", "uncertain={object.mass: 0.2 kg, friction.rubber/abs: 0.5}")
            self.assertEqual(answer["success"]["p"], holds, force)

    def test_a_pull_finds_what_the_grasp_holds(self):
        # across gravity 2 mu N holds sqrt((2 mu N)^2 - (m g)^2); 0.1 mm of slip take 0.14 N more
        for force, friction in ((30, 0.5), (20, 0.4)):
            scenario = self.scenario("preset: slip_pull@1")
            answer = ["--set", f"program.0.close.force={force} N", "--set",
                      f"uncertain={{object.mass: 0.2 kg, friction.rubber/abs: {friction}}}", "--set",
                      "success={at_end: [\"force_at_slip(object) >= 20 N\"]}", "--set", "simulation.half_step=0.5"]
            for step in ("1 ms", "2 ms", "4 ms"):
                found = self.run_json("run", scenario, "-n", 4, "-o", "pull.h5", "--force", *answer,
                                      "--set", f"simulation.step={step}")
                self.assertEqual(found["success"]["p"], friction == 0.5)
                with h5py.File(self.folder / "pull.h5") as file:
                    held = file["trials"]["force_at_slip(object)"]
                    self.assertEqual(set(file["trials"]["half_step"]) - {0, 1}, set())
                expected = ((2 * friction * force) ** 2 - (0.2 * 9.81) ** 2) ** 0.5
                self.assertLess(max(abs(held / expected - 1)), 0.01)

    def test_a_grasp_holds_against_forces_from_all_sides(self):
        scenario = self.scenario("preset: disturbance@1")
        for force, holds in (("30 N", 1), ("4 N", 0)):  # mu N has to hold 5 N and the weight of 2 N
            answer = self.run_json("run", scenario, "-n", 4, "-o", f"d{holds}.h5", "--set", f"program.0.close.force={force}",
                                   "--set", "uncertain={object.mass: 0.2 kg, friction.rubber/abs: 0.5}",
                                   "--set", "success={at_end: [\"force_at_slip(object) >= 4.99 N\"]}")
            self.assertEqual(answer["success"]["p"], holds, force)

    def test_phases_of_a_preset_have_paths(self):
        scenario = self.scenario("hold: {for: 0.1 s}", "preset: lift_hold_turn@1")
        text = self.run_program("check", scenario, "--expanded", "--set", "program.4.hold.for=50 ms").stdout
        self.assertIn("hold: {for: 50 ms", text)
        self.run_program("check", scenario, "--set", "program.9.hold.for=50 ms", code=65)
        self.run_program("check", QUICK, "--set", "program=[{preset: shake@1}]")

    def test_what_is_unknown_is_said_where_it_stands(self):
        for name, message, hint in (("six_gravity@1", "there is no six_gravity", "did you mean six_gravities@1?"),
                                    ("six_gravities@7", "has no version 7", "six_gravities@1"),
                                    ("shake", "needs its version", "shake@1"), ("@1", "there is no ", "presets: "),
                                    ("dance@1", "there is no dance", "presets: six_gravities@1, shake@1")):
            found = self.run_program("check", self.scenario(f"preset: \"{name}\""), code=65).stderr
            self.assertIn("s.yaml:6:13: error: preset: ", found)
            self.assertIn(message, found)
            self.assertIn(hint, found)
            self.assertEqual(found.count("error:"), 1, found)
        found = self.run_program("check", self.scenario("{preset: shake@1, hold: {for: 1 s}}"), code=65).stderr
        self.assertIn("preset", found)
        # what does not fit the world of the scenario is wrong at the preset's line
        planar = self.write("p.yaml", (ROOT / "scenarios/gear_map.yaml").read_text().split("program:")[0] +
                            "program:\n  - preset: six_gravities@1\nsuccess: {at_end: [moved >= 0 m]}\n")
        found = self.run_program("check", planar, code=65).stderr
        self.assertRegex(found, r"p\.yaml:\d+:\d+: error: ")

    def test_the_table_of_the_format_is_complete(self):
        hint = self.run_program("check", self.scenario("preset: nothing@1"), code=65).stderr
        known = re.search(r"presets: (.*)", hint).group(1).split(", ")
        self.assertEqual(known, list(PRESETS))
        text = (ROOT / "scenarios/FORMAT.md").read_text()
        for preset in known:
            self.assertIn(f"| `{preset}` |", text)


if __name__ == "__main__":
    unittest.main()
