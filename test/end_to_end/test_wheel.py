"""scripts/wheel: installed without a network, it runs the demo that came with it, and goes without a trace."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

from support import BUILD, ROOT, Case

try:
    import ensurepip  # noqa: F401
    import venv  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing


def everything(folder):
    """Files and folders, less what Python compiles for itself while it runs."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts}


@unittest.skipUnless(shutil.which("dpkg-query"), "wheels are made on Debian")
class Wheel(Case):
    @classmethod
    def setUpClass(cls):
        case = Case()
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        done = subprocess.run([ROOT / "scripts/wheel", "--build", BUILD, "-o", case.folder], text=True, check=False,
                              capture_output=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.wheel = pathlib.Path(done.stdout.strip())
        assert cls.wheel.parent == case.folder

    def test_contents(self):
        with zipfile.ZipFile(self.wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
            content = {name: archive.read(name) for name in names}
        self.assertRegex(self.wheel.name, r"^graspmc-[0-9.]+-py3-none-manylinux_2_[0-9]+_[a-z0-9_]+\.whl$")
        self.assertEqual(len(names), len(set(names)))
        # every file is in RECORD with its digest and size
        record = {row[0]: row[1:] for row in csv.reader(io.StringIO(content[f"{info}/RECORD"].decode()))}
        self.assertEqual(set(record), set(names))
        self.assertEqual(record.pop(f"{info}/RECORD"), ["", ""])
        for name, (digest, size) in record.items():
            expected = base64.urlsafe_b64encode(hashlib.sha256(content[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, int(size)), (f"sha256={expected}", len(content[name])), name)
        # libraries with their licences, but not the C library, which the tag speaks of
        libraries = {name.split("/")[-1].split(".so")[0] for name in names if name.startswith("graspmc/lib/")}
        self.assertLessEqual({"libhdf5_serial", "libyaml-0", "libz", "libccd"}, libraries)
        self.assertFalse(libraries & {"libc", "libm", "ld-linux-x86-64"})
        licences = {name.split("/")[-1] for name in names if name.startswith(f"{info}/licenses/")}
        self.assertLessEqual({"libhdf5-103-1", "libyaml-0-2", "zlib1g"}, licences)
        for name in ("graspmc/py.typed", "graspmc/__init__.py", "graspmc/share/graspmc/scenarios/pinch_cube.yaml",
                     f"{info}/LICENSE"):
            self.assertIn(name, names)
        metadata = content[f"{info}/METADATA"].decode()
        wanted = [line for line in metadata.split("\n\n")[0].splitlines() if line.startswith("Requires-Dist")]
        self.assertTrue(wanted and all("; extra == " in line for line in wanted), wanted)
        self.assertIn(f"Tag: {self.wheel.name.split('-', 2)[2][:-4]}\n", content[f"{info}/WHEEL"].decode())
        # nobody's folders
        self.assertFalse([name for name in names if str(ROOT).encode() in content[name] and not name.endswith("bin/graspmc")])

    def test_the_tag_is_true(self):
        newest = (0, 0)
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.folder)
        for path in [self.folder / "graspmc/bin/graspmc", *(self.folder / "graspmc/lib/graspmc").iterdir()]:
            said = subprocess.run(["objdump", "-T", path], text=True, check=True, capture_output=True).stdout
            newest = max([newest, *((int(a), int(b)) for a, b in re.findall(r"\(?GLIBC_(\d+)\.(\d+)", said))])
        self.assertIn(f"-manylinux_{newest[0]}_{newest[1]}_", self.wheel.name)

    def test_install_run_uninstall(self):
        place = self.folder / "place"
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        before = everything(place)

        def inside(*command, code=0, **options):
            done = subprocess.run([place / "bin" / command[0], *map(str, command[1:])], text=True, check=False, cwd=self.folder,
                                  capture_output=True, env={"PATH": f"{place}/bin:/usr/bin:/bin", "PIP_NO_INDEX": "1"}, **options)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout

        inside("pip", "install", self.wheel)
        scenario = inside("python", "-c", "import graspmc; print(graspmc.scenarios() / 'pinch_cube.yaml')").strip()
        self.assertTrue(scenario.startswith(str(place.resolve())), scenario)
        said = inside("graspmc", "run", scenario, "-n", 4, "-o", "four.h5", "-q")
        self.assertRegex(said, "of 4\n")
        # the bytes are those of the program that was packed
        self.run_program("run", scenario, "-n", 4, "-o", "expected.h5", "-q")
        self.assert_same_bytes("four.h5", "expected.h5")
        text = f"import graspmc; print(graspmc.run({scenario!r}, 'python.h5', draws=4).success)"
        self.assertIn(inside("python", "-c", text).strip(), said)
        self.assertIn("graspmc 0.", inside("python", "-m", "graspmc", "--version"))
        self.assertIn("none.yaml", subprocess.run([place / "bin/graspmc", "check", "none.yaml"], check=False, text=True,
                                                  cwd=self.folder, capture_output=True).stderr)
        inside("graspmc", "check", "none.yaml", code=66)
        # nothing but the C library is taken from the system
        program = next(place.glob("lib/python*/site-packages/graspmc/bin/graspmc"))
        for line in subprocess.run(["ldd", program], text=True, check=True, capture_output=True).stdout.splitlines():
            self.assertRegex(line, rf"linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv)\.so|{re.escape(str(place.resolve()))}")
        inside("pip", "uninstall", "-y", "graspmc")
        self.assertEqual(everything(place), before)

    def test_refusals_say_why(self):
        for options, word in ((["-o", self.folder / "none"], "none: no such folder"), (["--build", self.folder], "no program there")):
            done = subprocess.run([ROOT / "scripts/wheel", *options], text=True, check=False, capture_output=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
