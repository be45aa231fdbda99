"""What `cmake --install` leaves behind is whole: a stranger's project builds with it."""
import os
import subprocess
import unittest

from support import BUILD, ROOT, Case


class Install(Case):
    def test_a_strangers_project_builds_and_runs(self):
        prefix, build = self.folder / "prefix", self.folder / "build"

        def cmake(*words, **options):
            return subprocess.run(["cmake", *map(str, words)], check=True, text=True,
                                  capture_output=True, **options)

        cmake("--install", BUILD, "--prefix", prefix)
        cmake("-S", ROOT / "test/end_to_end/consumer", "-B", build, "-G", "Ninja",
              f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_FLAGS={os.environ.get('FLAGS', '')}")
        cmake("--build", build)
        answer = subprocess.run([build / "consumer"], check=True, text=True, capture_output=True)
        self.assertEqual(answer.stdout, "ok 2\n")

        installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*")}
        self.assertIn("include/graspmc/engine/rollout.h", installed)
        self.assertIn("include/graspmc_controller.h", installed)
        self.assertFalse([name for name in installed if name.endswith("_internal.h")])
        for script in ("plot_map", "plot_trial", "example_map.py"):
            path = prefix / "share/graspmc/scripts" / script
            done = subprocess.run([path, "--help"], env={"PATH": "/usr/bin:/bin"}, check=True, text=True, capture_output=True)
            self.assertIn("usage:", done.stdout)

        # nothing is left but what is somebody else's
        others = [prefix / "share/graspmc/scenarios/mine.yaml", prefix / "etc/other"]
        for path in others:
            path.parent.mkdir(exist_ok=True)
            path.touch()
        (self.folder / "empty").mkdir()
        cmake("--build", BUILD, "--target", "uninstall")
        self.assertEqual([path for path in prefix.rglob("*") if not path.is_dir()], others[::-1])
        self.assertEqual(sorted(path.name for path in prefix.iterdir()), ["etc", "share"])
        for path in others:
            path.unlink()
        cmake("--install", BUILD, "--prefix", self.folder / "again")
        cmake("--build", BUILD, "--target", "uninstall")
        self.assertFalse((self.folder / "again").exists())
        self.assertTrue((self.folder / "empty").is_dir())


if __name__ == "__main__":
    unittest.main()
