"""scripts/bundle: the program in a root that has only a C library and a shell, to the same bytes."""
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from support import BUILD, QUICK, ROOT, SCENARIOS, Case


def changing_root():
    """Words before a command that runs in another root; none if there is no way here."""
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    chroot, unshare = (shutil.which(name, path=path) for name in ("chroot", "unshare"))
    for words in ([chroot], [unshare, "--user", "--map-root-user", chroot]):
        if all(words) and subprocess.run([*words, "/", "/bin/true"], check=False,
                                         capture_output=True).returncode == 0:
            return words
    return []


CHROOT = changing_root()


@unittest.skipUnless(shutil.which("dpkg-query"), "bundles are made on Debian")
class Bundle(Case):
    @classmethod
    def setUpClass(cls):
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.made = case.folder
        archive = cls.made / "graspmc.tar.gz"
        done = subprocess.run([ROOT / "scripts/bundle", "--build", BUILD, "-o", archive], text=True,
                              check=False, capture_output=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        assert done.stdout == f"{archive}\n"
        subprocess.run(["tar", "-xzf", archive], cwd=cls.made, check=True)
        (cls.tree,) = cls.made.glob("graspmc-*-linux-*")

    def bare_root(self):
        """Only a shell and its C library, the bundle under another name, and a scenario."""
        root = self.folder / "root"
        shell = shutil.which("dash") or shutil.which("sh")
        libraries = [word for word in subprocess.run(["ldd", shell], text=True, check=True,
                                                     capture_output=True).stdout.split()
                     if word.startswith("/")]
        for path in libraries:
            to = root / path.lstrip("/")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
        (root / "bin").mkdir(exist_ok=True)
        shutil.copy(shell, root / "bin/sh")
        shutil.copytree(self.tree, root / "opt/a bundle", symlinks=True)
        self.scenario(root)
        return root

    @staticmethod
    def scenario(folder):
        shutil.copytree(SCENARIOS / "models", folder / "scenarios/models")
        shutil.copy(SCENARIOS / "pinch_cube.yaml", folder / "scenarios")
        (folder / "test/end_to_end").mkdir(parents=True)
        shutil.copy(QUICK, folder / "test/end_to_end")

    @unittest.skipUnless(CHROOT, "neither chroot nor unshare is allowed here")
    def test_a_bare_root(self):
        root = self.bare_root()
        words = "run test/end_to_end/quick.yaml -n 30 --trajectories all -q -o"

        def inside(command, code=0):
            done = subprocess.run([*CHROOT, root, "/bin/sh", "-c", command], text=True, check=False,
                                  capture_output=True, env={})
            self.assertEqual(done.returncode, code, done.stderr)
            return done

        done = inside(f"'/opt/a bundle/bin/graspmc' {words} out.h5")
        self.scenario(self.folder)
        expected = self.run_program(*words.split(), "whole.h5")
        self.assertEqual(done.stdout, expected.stdout)
        self.assert_same_bytes("whole.h5", "root/out.h5")
        inside("'/opt/a bundle/bin/graspmc' replay out.h5 --trial 3 -q")
        # exit codes and messages come through
        self.assertIn("none.yaml", inside("cd '/opt/a bundle/bin'; ./graspmc check none.yaml", 66).stderr)
        # nothing but the bundle is looked into
        loader = next((self.tree / "lib/glibc").glob("ld-linux*")).name
        found = inside(f"cd '/opt/a bundle'; lib/glibc/{loader} --inhibit-cache --library-path "
                       "lib/glibc:lib/graspmc --list libexec/graspmc").stdout
        self.assertGreater(len(found.splitlines()), 10)
        for line in found.splitlines():
            self.assertRegex(line, r"linux-vdso|lib/(glibc|graspmc)/")

    def test_moved_and_linked(self):
        moved = self.folder / "moved"
        shutil.copytree(self.tree, moved, symlinks=True)
        os.symlink(moved / "bin/graspmc", self.folder / "absolute")
        os.symlink("moved/bin/graspmc", self.folder / "relative")
        environment = {"PATH": f"{moved}/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": "/nowhere"}
        for name in ("./absolute", "./relative", "moved/bin/graspmc", "graspmc"):
            done = subprocess.run(["/bin/sh", "-c", f"{name} --version"], cwd=self.folder, text=True,
                                  check=True, capture_output=True, env=environment)
            self.assertIn("graspmc 0.", done.stdout)
        # the process is the program: signals and exit codes are its own
        process = subprocess.Popen([moved / "bin/graspmc", "run", QUICK, "-n", "100000", "-o",
                                    "a.h5", "-q"], cwd=self.folder, stderr=subprocess.DEVNULL)
        while not (self.folder / "a.h5.journal").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 75)
        # the sweeps that are in it find their program
        done = subprocess.run([moved / "share/graspmc/scripts/sweep_parallel", QUICK, "-o", "sweep",
                               "--dry-run"], cwd=self.folder, text=True, check=True,
                              capture_output=True)
        self.assertIn(f"{moved.resolve()}/bin/graspmc run", done.stdout)

    def test_with_the_machines_own_c_library(self):
        program = self.tree / "libexec/graspmc"
        subprocess.run([program, "--version"], check=True, capture_output=True, env={})
        found = subprocess.run(["ldd", program], text=True, check=True, capture_output=True).stdout
        beside = {path.name for path in (self.tree / "lib/graspmc").iterdir()}
        own = str(self.tree.resolve())
        for line in found.splitlines():
            name = line.split()[0]
            if name in beside:
                beside.remove(name)
                path = pathlib.Path(line.split()[2]).resolve()
                self.assertTrue(str(path).startswith(own), line)
        self.assertEqual(beside, set())
        self.assertRegex((self.tree / "README").read_text(), r"glibc 2\.\d+ or newer")

    def test_licences_are_in_it_and_nothing_else_is(self):
        licences = {path.name for path in (self.tree / "share/doc/graspmc/licences").iterdir()
                    if path.stat().st_size > 0}
        self.assertLessEqual({"libc6", "libhdf5-103-1", "libyaml-0-2", "zlib1g"}, licences)
        self.assertTrue((self.tree / "share/doc/graspmc/LICENSE").exists())
        self.assertEqual({path.name for path in self.tree.iterdir()},
                         {"README", "bin", "lib", "libexec", "share"})
        self.assertFalse(list(self.tree.rglob("*.h")) + list(self.tree.rglob("*.a")))


if __name__ == "__main__":
    unittest.main()
