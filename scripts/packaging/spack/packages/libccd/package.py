# Untested, see ../../repo.yaml.
from spack.package import *


class Libccd(CMakePackage):
    """Collision detection between convex shapes."""

    homepage = "https://github.com/danfis/libccd"
    url = "https://github.com/danfis/libccd/archive/refs/tags/v2.1.tar.gz"
    license("BSD-3-Clause")
    version("2.1", sha256="542b6c47f522d581fbf39e51df32c7d1256ac0c626e7c2b41f1040d4b9d50d1e")

    variant("double", default=True, description="Numbers of double precision")

    depends_on("c", type="build")

    def cmake_args(self):
        return [self.define_from_variant("ENABLE_DOUBLE_PRECISION", "double"), self.define("BUILD_TESTING", False)]
