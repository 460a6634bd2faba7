"""Spack's recipe: put into a repository as packages/occutune/package.py."""

from spack.package import *


class Occutune(CMakePackage):
    """Finds the fastest configuration of a CUDA kernel, by prediction from its machine code and by measuring."""

    homepage = "https://occutune.example"  # reserved: set with the first release
    url = "https://occutune.example/occutune-0.1.0.tar.gz"
    license("MIT", checked_by="the occutune authors")

    # `packaging/release` makes the archive and writes its checksum into SHA256SUMS: the row of a release is
    #     version("1.0.0", sha256="...")
    version("main", branch="main", git="https://occutune.example/occutune.git")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson@2.12:")
    depends_on("lz4@1.9:")
    depends_on("xxhash@0.8:")
    depends_on("zlib-api")
    depends_on("cuda@13:")

    generator("ninja")

    def cmake_args(self):
        """The toolkit that it is built with is where NVRTC is looked for."""
        cuda = self.spec["cuda"].prefix
        return [
            self.define("CUDA_HEADERS", cuda.include),
            self.define("OCCUTUNE_CUDA_HOME", cuda),
            self.define("OCCUTUNE_TESTS", False),
        ]
