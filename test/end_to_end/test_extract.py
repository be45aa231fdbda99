"""A stored trial as a scenario of its own: run alone it gives the same row, bit for bit; its folder is there
whole or not at all."""
import os
import resource
import signal
import unittest

import h5py
import numpy

from support import DEMO, QUICK, ROOT, SCENARIOS, Case

LADDER = ROOT / "test/end_to_end/ladder.yaml"
OWN = ("trial", "case", "draw", "weight", "half_step_chance")  # of the run that a trial was part of


class Extract(Case):
    def rows(self, name):
        with h5py.File(self.folder / name) as file:
            names = [n.decode() for n in file["parameters"]["name"]]
            return file["trials"][:], dict(zip(names, file["samples"][:].T)), file["scenario/expanded"][()]

    def expect_same(self, name, trial):
        """Extract, run what came out, and compare all that is stored of the trial."""
        folder = f"{name}.{trial}"
        answer = self.run_json("extract", name, "--trial", trial, "-o", folder)
        self.assertTrue(answer["identical"], answer)
        self.run_program("run", "scenario.yaml", "-o", "../again.h5", "--force", "-q",
                         cwd=self.folder / folder)
        trials, samples, _ = self.rows(name)
        again, drawn, _ = self.rows("again.h5")
        row = trials[trials["trial"] == trial][0]
        self.assertEqual(again.shape, (1,))
        for field in trials.dtype.names:
            if field not in OWN:
                self.assertEqual(row[field].tobytes(), again[0][field].tobytes(), (name, trial, field))
        place = int(numpy.flatnonzero(trials["trial"] == trial)[0])
        for path, values in samples.items():
            if not numpy.isnan(values[place]) and ".sd." not in path:  # what came of a deviation is here
                self.assertEqual(values[place].tobytes(), drawn[path][0].tobytes(), path)
        return row

    def start(self, *words, cwd=None, **options):
        if cwd is None:
            return super().start(*words, **options)
        folder, self.folder = self.folder, cwd
        try:
            return super().start(*words, **options)
        finally:
            self.folder = folder

    def test_trials_that_were_looked_at_twice(self):
        self.run_program("run", DEMO, "-n", 16, "-o", "a.h5", "-q", "--set",
                         "simulation.early.audit=50 %", "--set", "simulation.half_step=50 %")
        rows = [self.expect_same("a.h5", trial) for trial in range(16)]
        for field in ("audit", "half_step"):  # of both kinds
            self.assertTrue(0 < sum(row[field] > 0 for row in rows) < 16, field)
        self.assertGreater(len({row["outcome"] for row in rows}), 1)

    def test_decisions_meshes_planar_worlds_and_clutter(self):
        for scenario, words, trials in (
                ("pick_meshes", ["-n", 1], (0, 1, 2)),
                ("pinch_map", ["-n", 1, "--set", "study.vary={hand.target.x: [3 mm, -7 mm], "
                               "hand.target.yaw: [20 deg]}"], (0, 1)),
                ("bin_pick", ["-n", 1, "--set", "study.vary={clutter.count: [3]}"], (0,)),
                ("tripod_push", ["-n", 2, "--set", "uncertain={object.support.points: tripod(disk 60 mm)}"],
                 (0, 1)),
                ("gear_map", ["-n", 1, "--set", "study.vary={hand.target.x: [1 mm], "
                              "hand.target.y: [0 mm, 2 mm]}"], (1,))):
            self.run_program("run", SCENARIOS / f"{scenario}.yaml", "-o", f"{scenario}.h5", "-q", *words)
            for trial in trials:
                self.expect_same(f"{scenario}.h5", trial)

    def test_levels_of_a_ladder(self):
        self.run_program("run", LADDER, "-o", "a.h5", "-q")
        with h5py.File(self.folder / "a.h5") as file:
            levels = dict(zip(file["ladder/trials"]["trial"].tolist(), file["ladder/trials"]["level"]))
        for level in (1, 2):
            self.expect_same("a.h5", next(trial for trial, at in levels.items() if at == level))
        still = next(trial for trial, at in levels.items() if at == 0)
        done = self.run_program("extract", "a.h5", "--trial", still, "-o", "still", code=65)
        self.assertIn("nothing moves", done.stderr)

    def test_samples_of_a_file_and_patterns(self):
        self.write("drawn.csv", "object.mass,object.pose.x\n0.15,0.001\n0.25,-0.002\n")
        self.write("a.yaml", f"graspmc: 1\nuse: {QUICK}\nuncertain: ~\n"
                   "sampling: {design: {csv: drawn.csv}, draws: 2}\n")
        self.run_program("run", "a.yaml", "-o", "a.h5", "-q")
        self.run_program("run", QUICK, "-n", 2, "-o", "b.h5", "-q", "--set",
                         "uncertain={friction.*: 'nominal * uniform(0.7, 1.3)', "
                         "object.pose.yaw: 'nominal + normal(0 deg, 3 deg)'}")
        for trial in (0, 1):
            self.expect_same("a.h5", trial)
            self.expect_same("b.h5", trial)

    def test_what_was_believed_and_what_varied_together(self):
        self.write("a.yaml", f"""graspmc: 1
use: {QUICK}
cameras:
  head: {{pose: {{xyz: [600 mm, 0 mm, 700 mm], look_at: object}}}}
believed:
  object.pose:
    seen_by: head
    x: 1 mm
    sd: {{x: 1 mm, z: 2 mm, yaw: 3 deg}}
    correlation: {{x/yaw: 0.5}}
    grows_with: {{distance: 1 m, power: 2}}
    outliers: {{share: 40 %, turn: 90 deg, about: object.z}}
correlated: {{object.mass / object.pose.yaw: 0.8}}
""")
        self.run_program("run", "a.yaml", "-n", 6, "-o", "a.h5", "-q")
        self.run_program("run", "a.yaml", "-n", 1, "-o", "b.h5", "-q", "--set",
                         "study.vary={believed.object.pose.sd.z: [1 mm, 4 mm]}")
        for name, trials in (("a.h5", range(6)), ("b.h5", range(2))):
            for trial in trials:
                self.expect_same(name, trial)
        _, samples, _ = self.rows("a.h5")
        self.assertEqual(set(samples["believed.object.pose.outlier"]), {0, 1})

    def test_noise_of_encoders_is_that_of_the_trial(self):
        """It is addressed by case and draw, and is no column: the new scenario says whose it is, and hands that on."""
        noisy = """
graspmc: 1
use: %s
hand: {joints: {left: {encoder_noise: 0.2 mm}, right: {encoder_noise: 0.2 mm}}}
control: {rate: 500 Hz, by: pd}
program: [{close: {force: 10 N, speed: 0.1 m/s, until: stalled, at_most: 0.4 s}}]
success: {at_end: [held_by(object) >= 2]}
output: {trajectories: none}
""" % (SCENARIOS / "pinch_cube.yaml")
        self.write("noisy.yaml", noisy)
        self.write("cases.yaml", noisy + "study: {vary: {object.mass: [0.2 kg, 0.21 kg]}, independent: true}\nuncertain: ~\n")
        for name, trials in (("noisy", (1, 2)), ("cases", (0, 3, 5))):
            self.run_program("run", f"{name}.yaml", "-o", f"{name}.h5", "-q", "-n", 3)
            for trial in trials:
                row = self.expect_same(f"{name}.h5", trial)
            other, _, _ = self.rows(f"{name}.h5")
            self.assertGreater(len({values["max_force"] for values in other}), 2)  # else anybody's noise would do
        text = (self.folder / "cases.h5.5/scenario.yaml").read_text()
        self.assertIn("as_case: 1", text)
        self.assertIn("as_draw: 2", text)
        # of what was extracted once more
        self.run_program("run", "noisy.h5.2/scenario.yaml", "-q", "-o", "two.h5")
        self.expect_same("two.h5", 0)

    def test_weighted_draws(self):
        self.run_program("run", QUICK, "-n", 3, "-o", "a.h5", "-q", "--set",
                         "sampling.importance={friction.rubber/abs: 'uniform(0.08, 0.15)'}")
        answer = self.run_json("extract", "a.h5", "--trial", 1, "-o", "x")
        self.assertTrue(answer["identical"])

    def test_early_verdicts_are_those_of_the_run(self):
        """Subset simulation ends no trial before its time, the others do where a criterion is broken."""
        always = "success={at_end: [lift(object) >= 15 mm], always: ['slip(object, hand) <= 1 mm']}"
        chance = ("uncertain={object.mass: 'uniform(0.1 kg, 0.3 kg)', "
                  "friction.rubber/abs: 'uniform(0.08, 0.30)', object.pose.x: 'nominal + normal(0 mm, 4 mm)'}")
        forms = {
            "subset": ["sampling={subset: {runs: 8, per_level: 100, "
                       "levels: 2}}"],
            "two_level": ["sampling={draws: 40, two_level: {step: 8 ms, pilot: 10}}"],
            "ladder": ["sampling={seed: 1}", "study={vary: {program.0.close.force: 'between(2 N, 10 N)'}, designs: 6, "
                       "draws: {first: 4, last: 16}, ladder: [rigid, dynamic]}"],
            "importance": ["sampling={draws: 30, importance: {object.mass: 'triangular(0.1 kg, 0.3 kg, 0.3 kg)'}}"]}
        for form, words in forms.items():
            sets = [word for text in (always, chance, *words) for word in ("--set", text)]
            self.run_program("run", QUICK, "-o", f"{form}.h5", "-q", *sets)
            trials, _, _ = self.rows(f"{form}.h5")
            moving = trials[trials["t_end"] > 0]
            failed = moving["trial"][moving["outcome"] > 0]  # where a verdict may have come early
            self.assertGreater(len(failed), 2, form)
            for trial in (failed[0], failed[len(failed) // 2], moving["trial"][-1]):
                self.expect_same(f"{form}.h5", trial)

    def test_files_keep_their_places(self):
        self.run_program("run", QUICK, "-n", 1, "-o", "a.h5", "-q")
        self.run_program("extract", "a.h5", "--trial", 0, "-o", "up/", code=0)
        found = sorted(str(p.relative_to(self.folder / "up")) for p in (self.folder / "up").rglob("*.*"))
        self.assertEqual(found, ["scenario.yaml", "scenarios/models/parallel_jaw.urdf"])
        self.assertEqual((self.folder / "up" / found[1]).read_bytes(),
                         (SCENARIOS / "models/parallel_jaw.urdf").read_bytes())
        urdf = SCENARIOS / "models/parallel_jaw.urdf"
        self.run_program("run", QUICK, "-n", 1, "-o", "b.h5", "-q", "--set", f"hand.urdf={urdf}")
        self.expect_same("b.h5", 0)
        text = (self.folder / "b.h5.0/scenario.yaml").read_text(encoding="utf-8")
        self.assertIn(f"urdf: root{urdf}", text)

    def test_the_folder_is_whole_or_not_there(self):
        self.run_program("run", QUICK, "-n", 2, "-o", "a.h5", "-q")
        (self.folder / "empty").mkdir()
        self.write("file", "mine")
        for taken in ("empty", "file"):
            self.run_program("extract", "a.h5", "--trial", 0, "-o", taken, code=73)
        self.assertEqual((self.folder / "file").read_text(encoding="utf-8"), "mine")
        self.run_program("extract", "a.h5", "--trial", 0, "-o", "none/x", code=73)
        self.run_program("extract", "a.h5", "--trial", 2, "-o", "x", code=65)
        self.run_program("extract", "none.h5", "--trial", 0, "-o", "x", code=66)
        self.run_program("extract", "a.h5", "--trial", 0, code=64)
        self.run_program("extract", "a.h5", "-o", "x", code=64)

        def short_of_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        for _ in range(2):
            self.run_program("extract", "a.h5", "--trial", 0, "-o", "x", code=74, preexec_fn=short_of_room)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "a.h5.log", "empty", "file"])

    def test_what_never_began_makes_no_scenario(self):
        self.run_program("run", QUICK, "-n", 20, "-o", "a.h5", "-q", "--set",
                         "uncertain={object.mass: 'normal(0.05 kg, 0.05 kg)'}")
        trials, _, _ = self.rows("a.h5")
        bad = trials["trial"][trials["reason"] == 8]
        self.assertGreater(bad.size, 0)
        done = self.run_program("extract", "a.h5", "--trial", bad[0], "-o", "x", code=65)
        self.assertIn("makes no scenario of its own", done.stderr)
        self.assertFalse((self.folder / "x").exists())


if __name__ == "__main__":
    unittest.main()
