# Untested, see repo.yaml.
import pathlib

from spack.package import *


class Graspmc(CMakePackage):
    """With what probability does this grasp work, given what we do not know exactly?"""

    # the clone that this file stands in
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()
    license("Apache-2.0")
    version("main", branch="main")

    variant("python", default=True, description="What graspmc.py needs to read results")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("expat")
    depends_on("hdf5@1.10: ~mpi")
    depends_on("libccd+double")
    depends_on("libyaml")
    depends_on("qhull")
    depends_on("random123")
    depends_on("suite-sparse")
    depends_on("sundials@6: ~mpi")
    depends_on("zlib-api")
    with when("+python"):
        extends("python")
        depends_on("py-h5py", type="run")
        depends_on("py-pandas", type="run")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define("GRASPMC_LTO", True),
                self.define("CMAKE_C_FLAGS_RELEASE", "-O3")]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.bin)  # graspmc.py stands beside the program
