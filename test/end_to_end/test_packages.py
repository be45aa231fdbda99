"""Debian packages and the wheel in a root with Debian's base and what they depend on, and then no network.

The roots come from the machine's own archive, through debootstrap; GRASPMC_DEBS names a folder with packages that
scripts/deb made, otherwise it makes them here."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import BUILD, ROOT, Case

TOOLS = ("debootstrap", "unshare", "chroot", "dpkg-buildpackage", "dh", "dh_python3", "lintian")
DEMO = "/usr/share/graspmc/scenarios/pinch_cube.yaml"
INSIDE = "/srv"  # where the test's own files lie in the root that it makes


def sources():
    """(address, suite) of the archive that this machine installs from."""
    said = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
                          text=True, check=True, capture_output=True).stdout
    found = {tuple(line.split()) for line in said.splitlines()}
    release = next(line.split("=")[1] for line in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
                   if line.startswith("VERSION_CODENAME="))
    return next(((site, suite) for site, suite, part in sorted(found) if suite == release and part == "main"), None)


@unittest.skipUnless(os.geteuid() == 0 and all(map(shutil.which, TOOLS)), "needs root and `scripts/setup packages`")
class Packages(Case):
    @classmethod
    def setUpClass(cls):
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.made = case.folder / "made"
        cls.made.mkdir()
        made = pathlib.Path(os.environ.get("GRASPMC_DEBS", cls.made))
        if made == cls.made:
            subprocess.run([ROOT / "scripts/deb", "-o", cls.made], check=True, stdout=subprocess.DEVNULL)
        (cls.deb,), (cls.module,) = made.glob("graspmc_*.deb"), made.glob("python3-graspmc_*_all.deb")
        subprocess.run([ROOT / "scripts/wheel", "--build", BUILD, "-o", cls.made], check=True, stdout=subprocess.DEVNULL)
        (cls.wheel,) = cls.made.glob("*.whl")
        # what the package depends on, and no more
        wanted = subprocess.run(["dpkg-deb", "-f", cls.deb, "Depends"], text=True, check=True, capture_output=True).stdout
        cls.depends = [re.split(r"[ |(:]", one.strip())[0] for one in wanted.split(",")]

    def enter(self, packages, *files):
        """A root with Debian's base, these packages, and in INSIDE these files."""
        self.root = self.folder / "root"
        site, suite = sources()
        cache = self.made / "cache"
        cache.mkdir(exist_ok=True)
        # what it mounts goes with it
        subprocess.run(["unshare", "--mount", "debootstrap", "--variant=minbase", f"--cache-dir={cache}",
                        f"--include={','.join(packages)}", suite, self.root, site], check=True, stdout=subprocess.DEVNULL)
        for path in files:
            shutil.copy(path, self.root / INSIDE[1:])

    def inside(self, *command):
        """A command in the root, without a network: there is but a loopback that is down."""
        done = subprocess.run(["unshare", "--net", "--pid", "--fork", f"--mount-proc={self.root}/proc", "chroot", self.root,
                               *map(str, command)], text=True, check=False, capture_output=True,
                              env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                                   "DEBIAN_FRONTEND": "noninteractive"})
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def everything(self):
        """Files and folders of the root, less the records of dpkg and apt themselves."""
        kept = ("proc", "sys", "dev", "tmp", "root", INSIDE[1:], "var/lib/dpkg", "var/lib/apt", "var/cache", "var/log")
        names = {str(path.relative_to(self.root)) for top in self.root.iterdir() if not top.is_symlink()
                 for path in [top, *top.rglob("*")]}
        return {name for name in names if "__pycache__" not in name and not name.startswith(kept)}

    def run_demo(self, scenario):
        said = self.inside("graspmc", "run", scenario, "-n", 20, "-o", f"{INSIDE}/demo.h5", "-q")
        self.assertRegex(said, r"^success [0-9.]+ \[.*\] 95 % Clopper-Pearson, [0-9]+ of 20\n")
        # the program of this build gets the same numbers
        shutil.move(self.root / INSIDE[1:] / "demo.h5", self.folder / "demo.h5")
        (self.root / INSIDE[1:] / "demo.h5.log").unlink()
        for trial in (0, 7, 19):
            self.assertTrue(self.run_json("replay", "demo.h5", "--trial", trial)["identical"])

    def test_debian_packages(self):
        self.enter([*self.depends, "python3-h5py", "python3-pandas"], self.deb, self.module)
        before = self.everything()
        self.inside("apt-get", "-y", "install", f"{INSIDE}/{self.deb.name}")
        added = {name for name in self.everything() - before}
        for name in ("usr/bin/graspmc", "usr/share/man/man1/graspmc.1.gz", "usr/share/bash-completion/completions/graspmc",
                     "usr/share/graspmc/scenario.schema.json", "usr/share/doc/graspmc/README.md.gz"):
            self.assertIn(name, added)
        self.run_demo(DEMO)
        self.inside("apt-get", "-y", "install", "--no-install-recommends", f"{INSIDE}/{self.module.name}")
        script = (f"import graspmc; r = graspmc.run(graspmc.scenarios() / 'pinch_cube.yaml', '{INSIDE}/p.h5', draws=3); "
                  "print(len(r.trials_frame()), graspmc.program(), graspmc.__file__)")
        self.assertEqual(self.inside("python3", "-c", script),
                         "3 /usr/bin/graspmc /usr/lib/python3/dist-packages/graspmc/__init__.py\n")
        self.assertIn("graspmc 0.", self.inside("python3", "-m", "graspmc", "--version"))
        self.inside("apt-get", "-y", "purge", "graspmc", "python3-graspmc")
        self.assertEqual(self.everything(), before)

    def test_wheel(self):
        self.enter(["python3-pip"], self.wheel)
        with self.assertRaisesRegex(AssertionError, "unreachable"):
            self.inside("python3", "-c", "import socket; socket.create_connection(('192.0.2.1', 80), 2)")
        before = self.everything()
        self.inside("pip", "install", "--break-system-packages", "--no-index", f"{INSIDE}/{self.wheel.name}")
        scenario = self.inside("python3", "-c", "import graspmc; print(graspmc.scenarios() / 'pinch_cube.yaml')").strip()
        self.run_demo(scenario)
        self.inside("pip", "uninstall", "-y", "--break-system-packages", "graspmc")
        self.assertLessEqual(self.everything(), before)  # pip also takes a folder that was empty before

    def test_what_is_said_of_dependencies(self):
        self.assertIn("libyaml-0-2", self.depends)
        self.assertIn("libc6", self.depends)
        self.assertFalse([name for name in self.depends if name.endswith("-dev") or "python" in name])
        self.assertIn("h5py", subprocess.run(["dpkg-deb", "-f", self.module, "Recommends"], text=True, check=True,
                                             capture_output=True).stdout)


if __name__ == "__main__":
    unittest.main()
