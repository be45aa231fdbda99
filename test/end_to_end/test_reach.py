"""What a command may read and what it may replace: scenarios of strangers collect no files, --force takes nothing
but what such a command wrote."""
import os
import shutil
import subprocess
import unittest

import h5py

from support import DEMO, PROGRAM, QUICK, SCENARIOS, Case

SECRET = "gho_SECRETTOKEN123"


class Reach(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "home/.config").mkdir(parents=True)
        (self.folder / "scen").mkdir()
        self.write("home/.config/hosts.yml", f"github.com: {{oauth_token: {SECRET}}}\n")
        shutil.copytree(SCENARIOS / "models", self.folder / "models")
        rest = QUICK.read_text(encoding="utf-8").replace("graspmc: 1\n", "").replace("../../scenarios/", "../")
        self.rest = rest

    def write_evil(self, use):
        self.write("scen/evil.yaml", f"graspmc: 1\nuse: {use}\ngithub.com: ~\n{self.rest}")

    def start(self, *words, **options):
        """Without what the other tests are allowed."""
        return subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def test_f03_use_stays_in_the_scenarios_folder(self):
        real = f"{self.folder.resolve()}/home/.config"
        (self.folder / "scen/link.yml").symlink_to("../home/.config/hosts.yml")
        (self.folder / "scen/deep").symlink_to("../home")
        for use in ("../home/.config/hosts.yml", "link.yml", "deep/.config/hosts.yml", f"{real}/hosts.yml",
                    "../scen/../home/.config/hosts.yml"):
            self.write_evil(use)
            for name in ("scen/evil.yaml", f"{self.folder}/scen/evil.yaml"):
                for command in (["check", name], ["run", name, "-n", 2, "-o", "leak.h5"]):
                    found = self.run_program(*command, code=65).stderr
                    self.assertIn("leads out of the scenario's folder", found)
                    self.assertIn(f"--allow {real}", found)
                    self.assertIn("evil.yaml:2:6: error", found)
                    self.assertNotIn(SECRET, found)
        self.write("scen/middle.yaml", "use: ../home/.config/hosts.yml\n")
        self.write_evil("middle.yaml")
        self.assertIn("middle.yaml:1:6", self.run_program("check", "scen/evil.yaml", code=65).stderr)
        self.write("scen/evil.yaml", "graspmc: 1\nbelieved: {use: ../home/.config/hosts.yml}\n" + self.rest)
        self.assertIn("leads out", self.run_program("check", "scen/evil.yaml", code=65).stderr)
        self.write_evil("../none.yml")
        self.run_program("check", "scen/evil.yaml", code=66)

    def test_f03_what_the_merge_took_away_is_not_stored(self):
        self.write_evil("../home/.config/hosts.yml")
        self.run_program("run", "scen/evil.yaml", "-n", 3, "-o", "kept.h5", "-q", "--allow", "home", "--allow", "scen")
        self.assertNotIn(SECRET.encode(), (self.folder / "kept.h5").read_bytes())
        with h5py.File(self.folder / "kept.h5") as file:
            names = list(file["scenario/assets/index"]["name"])
            self.assertEqual(names, [b"../models/parallel_jaw.urdf"])
            self.assertNotIn(SECRET.encode(), file["scenario/assets/bytes"][:].tobytes())
        self.run_program("replay", "kept.h5", "--trial", 1)
        self.run_program("extract", "kept.h5", "--trial", 1, "-o", "taken")
        for path in (self.folder / "taken").rglob("*.*"):
            self.assertNotIn(SECRET, path.read_text(encoding="utf-8") if path.is_file() else "")
        # the same file by another way gives the same digest
        self.write("scen/plain.yaml", "graspmc: 1\n" + self.rest)
        digests = [self.run_json("check", f"scen/{name}.yaml", "--allow", "home")["digest"] for name in ("evil", "plain")]
        self.assertEqual(*digests)

    def test_f03_a_folder_to_allow_is_there(self):
        self.write("scen/plain.yaml", "graspmc: 1\n" + self.rest)
        (self.folder / "circle").symlink_to("circle")
        for command in (["check", "scen/plain.yaml"], ["run", "scen/plain.yaml", "-n", 2, "-o", "out.h5"]):
            for folders, code, says in (
                    (["none"], 66, ["none: no such folder"]), (["scen/plain.yaml"], 64, ["scen/plain.yaml: this is no folder"]),
                    (["circle"], 66, ["circle: Too many levels of symbolic links"]),
                    (["scen/plain.yaml/x"], 66, ["scen/plain.yaml/x: Not a directory"]),
                    (["home", "none", "scen/plain.yaml"], 64, ["none: no such folder", "scen/plain.yaml: this is no folder"])):
                words = [word for folder in folders for word in ("--allow", folder)]
                found = self.run_program(*command, *words, code=code).stderr
                self.assertEqual(found, "".join(f"graspmc {command[0]}: --allow {word}\n" for word in says))
        self.assertFalse((self.folder / "out.h5").exists())
        self.run_program("check", "scen/plain.yaml", "--allow", "home", "--allow", "/")

    def test_f03_check_lists_what_is_read_elsewhere(self):
        self.write("scen/base.yaml", "graspmc: 1\n" + self.rest)
        self.write("scen/top.yaml", "use: base.yaml\nabout: top\n")
        urdf = f"{self.folder.resolve()}/models/parallel_jaw.urdf"
        self.assertEqual(self.run_json("check", "scen/top.yaml")["outside"], [urdf])
        self.assertIn(f"outside   {urdf}\n", self.run_program("check", "scen/top.yaml").stdout)
        self.assertEqual(self.run_json("check", DEMO)["outside"], [])
        self.write("home/top.yaml", "use: ../scen/base.yaml\n")
        found = self.run_json("check", "home/top.yaml", "--allow", f"{self.folder}/scen")["outside"]
        self.assertEqual(found, [f"{self.folder.resolve()}/scen/base.yaml", urdf])
        self.write("home/top.yaml", "graspmc: 1\nuse: graspmc/materials@1\n" + self.rest)
        self.assertEqual(self.run_json("check", "home/top.yaml")["outside"], [urdf])


class Force(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCENARIOS / "models", self.folder / "models")
        self.write("q.yaml", QUICK.read_text(encoding="utf-8").replace("../../scenarios/", ""))
        self.write("notes.txt", "what I know\n")

    def expect_kept(self, path, *words, message="--force replaces nothing else", code=73):
        before = (self.folder / path).read_bytes()
        found = self.run_program(*words, "-o", path, "--force", code=code)
        self.assertIn(message, found.stderr)
        self.assertEqual(before, (self.folder / path).read_bytes())
        self.assertEqual([], list(self.folder.glob("*.part.*")) + list(self.folder.glob("*.tmp.*")))

    def test_d04_force_replaces_results_alone(self):
        run = ["run", "q.yaml", "-n", 4, "-q"]
        self.expect_kept("q.yaml", *run, message="an input of the command")
        for name in ("models/parallel_jaw.urdf", "notes.txt"):
            self.expect_kept(name, *run)
        with h5py.File(self.folder / "other.h5", "w") as file:
            file.attrs["schema"] = "somebody's"
        self.expect_kept("other.h5", *run)
        for name in ("r.h5", "s.h5"):
            self.run_program(*run, "-o", name)
        self.expect_kept("notes.txt", "replay", "r.h5", "--trial", 1)
        self.expect_kept("r.h5", "replay", "r.h5", "--trial", 1, message="an input of the command")
        for i in (1, 2):
            self.run_program(*run, "--shard", f"{i}/2", "-o", f"p{i}.h5")
        self.expect_kept("p1.h5", "merge", "p1.h5", "p2.h5", message="an input of the command")
        self.expect_kept("notes.txt", "merge", "p1.h5", "p2.h5")
        # what they may
        self.run_program("merge", "p1.h5", "p2.h5", "-o", "s.h5", "--force", "-q")
        self.assert_same_bytes("r.h5", "s.h5")
        self.run_program("replay", "r.h5", "--trial", 1, "-o", "s.h5", "--force")
        self.run_program(*run, "-o", "s.h5", "--force")
        self.write("empty.h5", "")
        self.run_program(*run, "-o", "empty.h5", "--force")
        self.assert_same_bytes("r.h5", "empty.h5")

    def test_d04_text_is_replaced_by_text_of_its_kind(self):
        self.write("s.yaml", "use: q.yaml\nstudy: {vary: {object.mass: [0.1 kg, 0.2 kg]}}\nsampling: {draws: 4}\n")
        self.run_program("run", "s.yaml", "-o", "r.h5", "-q")
        for name in ("q.yaml", "notes.txt", "models/parallel_jaw.urdf"):
            self.expect_kept(name, "rank", "r.h5")
        self.expect_kept("r.h5", "rank", "r.h5", message="an input of the command")
        # of a table the name alone says that it is another file
        self.write("mine.csv", "mass,friction\n0.1,0.2\n")
        self.expect_kept("mine.csv", "export", "r.h5")
        self.expect_kept("r.h5", "export", "r.h5", message="only CSV is written", code=64)
        self.run_program("export", "r.h5", "--to", "csv", "-o", "t.csv")
        before = (self.folder / "t.csv").read_bytes()
        self.run_program("export", "r.h5", "--to", "csv", "-o", "t.csv", "--force")
        self.assertEqual(before, (self.folder / "t.csv").read_bytes())
        self.run_program("rank", "r.h5", "-o", "b.csv")
        self.run_program("rank", "r.h5", "-o", "b.csv", "--force")

    def test_d04_force_is_offered_where_it_helps(self):
        run = ["run", "q.yaml", "-n", 2, "-q"]
        for name in ("r.h5", "there.h5"):
            self.run_program(*run, "-o", name)
        (self.folder / "link").symlink_to("notes.txt")
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe")
        replay, merge, export = ["replay", "r.h5", "--trial", 0], ["merge", "r.h5"], ["export", "r.h5"]
        helps, never = "--force replaces it", "--force replaces nothing else"
        for words, name, says in (
                *((words, "there.h5", helps) for words in (run, replay, merge)),
                *((words, "notes.txt", never) for words in (run, replay, merge)),
                (run, "q.yaml", "an input of the command"), (export, "notes.txt", "what such a command wrote"),
                *((words, name, said) for words in (run, replay, merge, export) for name, said in (
                    ("link", "a link is not replaced"), ("folder", "Is a directory"), ("pipe", "it is no regular file")))):
            with self.subTest(words=words, name=name):
                found = self.run_program(*words, "-o", name, code=73).stderr
                self.assertIn(says, found)
                self.assertEqual(helps in found, says == helps)
                if says == helps:
                    self.run_program(*words, "-o", name, "--force")

    def test_f10_no_link_and_no_device_is_replaced(self):
        run = ["run", "q.yaml", "-n", 2, "-q"]
        self.run_program(*run, "-o", "r.h5")
        (self.folder / "link.h5").symlink_to("r.h5")
        (self.folder / "link.csv").symlink_to("r.h5")
        for link, *words in (("link.h5", *run), ("link.h5", "replay", "r.h5", "--trial", 0), ("link.csv", "export", "r.h5")):
            self.expect_kept(link, *words, message="a link is not replaced")
            self.assertTrue((self.folder / link).is_symlink())
        (self.folder / "away.h5").symlink_to("nowhere.h5")
        self.run_program(*run, "-o", "away.h5", "--force", code=73)
        self.assertFalse((self.folder / "nowhere.h5").exists())
        with open(self.folder / "out", "w", encoding="utf-8") as out:
            done = subprocess.run([PROGRAM, *map(str, run), "-o", "/dev/stdout", "--force"], cwd=self.folder, stdout=out,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertTrue(os.path.islink("/dev/stdout"))
        os.mkfifo(self.folder / "pipe")
        self.run_program(*run, "-o", "pipe", "--force", code=73)


if __name__ == "__main__":
    unittest.main()
