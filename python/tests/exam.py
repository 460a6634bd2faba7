#!/usr/bin/env python3
"""Runs Kernel Tuner's own CUDA scripts with the import of tune_kernel and run_kernel changed, and nothing else.

    python/tests/exam.py CHECKOUT [NAME...]     CHECKOUT: of github.com/KernelTuner/kernel_tuner, at 1.4.0

Needs what the scripts need (Kernel Tuner with its packages, CuPy for some) and a GPU, or the pretended driver with
FAKE_ANY_KERNEL=1, on which kernels compute nothing. Nothing of the checkout is changed.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Tuple

_LIMIT_S = 300
_IMPORTS = [
    (r"^import kernel_tuner$", "import occutune as kernel_tuner"),
    (r"^import kernel_tuner as (\w+)$", r"import occutune as \1"),
    (r"^from kernel_tuner import ((?:tune_kernel|run_kernel)(?:, (?:tune_kernel|run_kernel))*)$", r"from occutune import \1"),
    (r"^from kernel_tuner\.kernelbuilder import", "from occutune.kernelbuilder import"),
]


def change_imports(text: str) -> str:
    """The script with our functions in place of Kernel Tuner's."""
    for pattern, replacement in _IMPORTS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def scripts(checkout: Path, names: List[str]) -> List[Path]:
    """The CUDA examples that tune or run a kernel."""
    found = [*sorted(checkout.glob("examples/cuda/*.py")), *sorted(checkout.glob("examples/cuda-c++/*.py"))]
    calls = re.compile(r"\b((tune|run)_kernel|PythonKernel)\(")
    return [path for path in found if (not names or path.stem in names) and calls.search(path.read_text())]


def run(script: Path) -> Tuple[bool, str]:
    """Whether a script ends well, and the last line that it says."""
    command = [sys.executable, script.name]
    if script.name.startswith("test_"):
        command = [sys.executable, "-m", "pytest", "-q", script.name]
    try:
        ended = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        return False, f"not ended within {_LIMIT_S} s"
    lines = [line for line in (ended.stdout + ended.stderr).splitlines() if line.strip()]
    last = lines[-1][:120] if lines else ""
    well = ended.returncode == 0 and "no configuration ran correctly" not in ended.stdout
    return well and (command[1] != "-m" or " passed" in last), last


def main() -> None:
    """Prints a line for each script, and how many end well."""
    checkout, passed = Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "kernel_tuner")
        shutil.copytree(checkout / "examples", copy / "examples")
        chosen = scripts(copy, sys.argv[2:])
        for script in chosen:
            script.write_text(change_imports(script.read_text()))
            started = time.perf_counter()
            well, line = run(script)
            passed += well
            print(f"{'ok' if well else 'FAILED':6s} {time.perf_counter() - started:6.1f} s  "
                  f"{script.parent.name}/{script.name}  {line}", flush=True)
    print(f"{passed} of {len(chosen)} scripts")


if __name__ == "__main__":
    main()
