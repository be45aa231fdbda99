"""The same bits however the program is built: every level of optimisation, -march that has fused
multiply-adds, another compiler, another processor (aarch64, emulated).

Each build is made here, of the program alone, and runs every scenario; all that a result holds but its
provenance must be that of the program under test. A build that this machine cannot make or run is
skipped by name. That takes a while and is done where GRASPMC_BUILDS is set; what configuring says of
flags is looked at always.
"""
import os
import platform
import shutil
import subprocess
import unittest

import h5py
import support

WHOLE = "GRASPMC_BUILDS" in os.environ
DRAWS = 2
# by name: compiler, CMAKE_C_FLAGS, CMAKE_C_FLAGS_RELEASE
BUILDS = {
    "gcc -O0": ("gcc", "", "-O0"),
    "gcc -O1": ("gcc", "", "-O1"),
    "gcc -O2": ("gcc", "", "-O2"),
    "gcc -O3": ("gcc", "", "-O3"),
    "gcc -O3 -march=x86-64-v3": ("gcc", "-march=x86-64-v3", "-O3"),
    "gcc -O3 -march=native": ("gcc", "-march=native", "-O3"),
    "clang -O2": ("clang", "", "-O2"),
    "clang -O3 -march=x86-64-v3": ("clang", "-march=x86-64-v3", "-O3"),
}
SCENARIOS = sorted([*support.SCENARIOS.glob("*.yaml"),
                    *(support.ROOT / "test/end_to_end").glob("*.yaml")])
CROSS_ROOT = support.ROOT / "test/support/cross_root"


def content(path):
    """Everything in a result but how it came about: {name: bytes, shape and type}."""
    found = {}

    def note(name, node):
        if name.split("/")[0] == "provenance":
            return
        for key, value in node.attrs.items():
            found[f"{name}@{key}"] = repr(value)
        if isinstance(node, h5py.Dataset):
            found[name] = (str(node.dtype), node.shape, node[()].tobytes())

    with h5py.File(path) as file:
        note("", file)
        file.visititems(note)
    return found


class Builds(support.Case):
    @classmethod
    def setUpClass(cls):
        assert len(SCENARIOS) >= 18, SCENARIOS
        cls.expected = {}

    def run_all(self, command, name):
        """Results of every scenario by a program, each as its content."""
        for scenario in SCENARIOS:
            out = self.folder / "out.h5"
            out.unlink(missing_ok=True)
            ran = subprocess.run([*map(str, command), "run", str(scenario), "-n", str(DRAWS), "-q",
                                  "--trajectories", "all", "-o", str(out)],
                                 capture_output=True, text=True, check=False)
            # a ranking out of budget and a case of which nothing is decided end with 2
            self.assertIn(ran.returncode, (0, 2), f"{name}: {scenario.name}: {ran.stderr}")
            yield scenario.name, content(out)

    def reference(self):
        if not self.expected:
            type(self).expected.update(self.run_all([support.PROGRAM], "the program under test"))
        return self.expected

    def compare(self, command, name):
        reference = self.reference()
        for scenario, found in self.run_all(command, name):
            wanted = reference[scenario]
            self.assertEqual(sorted(found), sorted(wanted), f"{name}: {scenario}")
            other = [key for key in wanted if found[key] != wanted[key]]
            self.assertEqual(other, [], f"{name}: {scenario}: other bits")

    def configure(self, folder, *words, environment=None):
        return subprocess.run(["cmake", "-S", support.ROOT, "-B", folder, "-G", "Ninja",
                               "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", *words],
                              env={**os.environ, **(environment or {})}, text=True,
                              capture_output=True, check=False)

    def build(self, *words, environment=None):
        folder = self.folder / "build"
        shutil.rmtree(folder, ignore_errors=True)
        configured = self.configure(folder, *words, environment=environment)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        subprocess.run(["cmake", "--build", folder, "--target", "graspmc"], check=True,
                       stdout=subprocess.DEVNULL)
        program = folder / "graspmc"
        fused = subprocess.run([support.ROOT / "scripts/check_contraction", program], text=True,
                               capture_output=True, check=False)
        self.assertEqual(fused.returncode, 0, fused.stdout)
        return program

    def test_flags_that_change_numbers_are_refused(self):
        said = self.configure(self.folder / "fast", "-DCMAKE_C_FLAGS=-ffast-math")
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("with CMAKE_C_FLAGS", " ".join(said.stderr.split()))
        self.assertIn("-ffast-math changes values", " ".join(said.stderr.split()))

    @unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("gcc"), "of gcc on x86-64")
    def test_flags_that_fuse_get_a_remedy(self):
        """-mno-fma leaves the fused instructions of AVX-512, so v4 needs another remedy than v3."""
        for march, remedy in (("x86-64-v3", "-mno-fma"), ("x86-64-v4", "-fno-tree-vectorize")):
            said = self.configure(self.folder / march, "-DCMAKE_C_COMPILER=gcc",
                                  f"-DCMAKE_C_FLAGS=-march={march}")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn(f"Fused multiply-adds are switched off by {remedy}", said.stdout)

    @unittest.skipUnless(WHOLE, "GRASPMC_BUILDS is not set")
    def test_this_machine(self):
        for name, (compiler, flags, level) in BUILDS.items():
            with self.subTest(build=name):
                if not shutil.which(compiler):
                    self.skipTest(f"no {compiler}")
                program = self.build(f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_C_FLAGS={flags}",
                                     f"-DCMAKE_C_FLAGS_RELEASE={level}")
                if subprocess.run([program, "--version"], capture_output=True,
                                  check=False).returncode < 0:
                    self.skipTest(f"{name}: this processor lacks its instructions")
                self.compare([program], name)

    @unittest.skipUnless(WHOLE, "GRASPMC_BUILDS is not set")
    def test_aarch64(self):
        if not all(map(shutil.which, ("clang", "ld.lld", "qemu-aarch64", "apt-get"))):
            self.skipTest("needs clang, lld, qemu-user and apt")
        fetched = subprocess.run([CROSS_ROOT, "arm64", self.folder / "arm64"], text=True,
                                 capture_output=True, check=False)
        if fetched.returncode != 0:
            self.skipTest(f"no packages for arm64: {fetched.stderr[-200:]}")
        root = self.folder / "arm64/root"
        libraries = root / "usr/lib/aarch64-linux-gnu"
        toolchain = self.write("aarch64.cmake", f"""
            set(CMAKE_SYSTEM_NAME Linux)
            set(CMAKE_SYSTEM_PROCESSOR aarch64)
            set(CMAKE_C_COMPILER clang)
            set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
            set(CMAKE_SYSROOT {root})
            set(CMAKE_FIND_ROOT_PATH {root})
            set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
            set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
            set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
            set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
            set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
            """)
        program = self.build(f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", environment={
            "PKG_CONFIG_SYSROOT_DIR": str(root),
            "PKG_CONFIG_LIBDIR": f"{libraries}/pkgconfig:{root}/usr/share/pkgconfig"})
        self.compare(["qemu-aarch64", "-L", root, program], "aarch64")


if __name__ == "__main__":
    unittest.main()
