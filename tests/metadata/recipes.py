"""What packaging/ says to Spack, conda-forge and vcpkg, and its bill of materials, as far as their tools can be had.

    recipes.py ROOT VERSION

CycloneDX's validator is needed; rattler-build (PyPI: py-rattler-build, 80 MB) renders the conda recipe where it is there.
Spack and vcpkg are in no package index: their recipes are run with stand-ins for what these tools provide.
"""

import json
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

ROOT, VERSION = Path(sys.argv[1]), sys.argv[2]
PACKAGING = ROOT / "packaging"
# What a portfile may call (vcpkg's documentation, "Maintainer functions").
VCPKG = ("find_cuda", "cmake_configure", "cmake_install", "cmake_config_fixup", "copy_tools", "fixup_pkgconfig", "install_copyright")


def check_bill():
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    made = [subprocess.run([PACKAGING / "sbom", VERSION, "0123"], capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert made[0] == made[1], "two bills of materials differ"
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(made[0])
    assert problem is None, problem
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(made[0].replace('"scope": "required"', '"scope": "perhaps"'))
    assert wrong is not None
    assert {part["name"] for part in json.loads(made[0])["components"]} >= {"jansson", "lz4", "xxhash", "zlib", "d3"}


def check_spack():
    said = {}

    class CMakePackage:
        pass

    def directive(name):
        return lambda *values, **more: said.setdefault(name, []).append(values[0] if values else more)

    package = types.ModuleType("spack.package")
    package.CMakePackage = CMakePackage
    for name in ("license", "version", "depends_on", "generator", "variant", "conflicts"):
        setattr(package, name, directive(name))
    package.__all__ = [name for name in vars(package) if not name.startswith("_")]
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})
    scope = {}
    exec(compile((PACKAGING / "spack/package.py").read_text(), "package.py", "exec"), scope)
    recipe = scope["Occutune"]
    assert f"-{VERSION}.tar.gz" in recipe.url and said["license"] == ["MIT"]
    needed = {re.split(r"[@ ]", text)[0] for text in said["depends_on"]}
    assert {"jansson", "lz4", "xxhash", "zlib-api", "cuda", "cmake"} <= needed, needed


def check_vcpkg():
    manifest = json.loads((PACKAGING / "vcpkg/vcpkg.json").read_text())
    assert manifest["version"] == VERSION
    names = [part if isinstance(part, str) else part["name"] for part in manifest["dependencies"]]
    assert names == sorted(names) and {"jansson", "lz4", "xxhash", "zlib", "cuda"} <= set(names)
    with tempfile.TemporaryDirectory() as folder:
        calls = "\n".join(f"function(vcpkg_{name})\n  message(STATUS \"called {name}\")\nendfunction()" for name in VCPKG)
        script = Path(folder, "run.cmake")
        script.write_text(f"set(CURRENT_PACKAGES_DIR {folder})\n{calls}\ninclude({PACKAGING}/vcpkg/portfile.cmake)\n"
                          "if(NOT EXISTS ${SOURCE_PATH}/CMakeLists.txt)\n  message(FATAL_ERROR \"SOURCE_PATH\")\nendif()\n")
        ran = subprocess.run(["cmake", "-P", script], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        assert [name for name in VCPKG if f"called {name}" not in ran.stdout] == []


def check_conda():
    text = (PACKAGING / "conda/recipe.yaml").read_text()
    assert f'version: "{VERSION}"' in text
    try:
        from rattler_build import Stage0Recipe, VariantConfig
    except ImportError:
        print("the conda recipe is not rendered: there is no rattler-build (PyPI: py-rattler-build)")
        return
    variants = VariantConfig.from_yaml("c_compiler: [gcc]\nc_stdlib: [sysroot]\n")
    assert len(Stage0Recipe.from_yaml(text).render(variants)) == 1


assert f'version = "{VERSION}"' in (ROOT / "python/pyproject.toml").read_text()
for check in (check_bill, check_spack, check_vcpkg, check_conda):
    check()
