#!/usr/bin/env python3
"""Runs Kernel Tuner's own CUDA scripts with the import of tune_kernel and run_kernel changed, and nothing else.

    python/tests/exam.py CHECKOUT [--beside SECONDS] [--limit SECONDS] [--within SECONDS] [--together N] [--log FOLDER] [NAME...]

CHECKOUT is of github.com/KernelTuner/kernel_tuner, at 1.4.0. Needs what the scripts need (Kernel Tuner with its packages,
CuPy for some) and a GPU, or the pretended driver with FAKE_ANY_KERNEL=1, on which kernels compute nothing. Nothing of the
checkout is changed. With --beside each script that ended well runs once more as it is, with Kernel Tuner: 5.5 times as long as
ours a call and at least 2 s, so many seconds at most. Then both winners of each call are timed by us, in turns, and a table is
printed. Where Kernel Tuner had not ended, its winner is that of the time it had. Scripts run in the order of the names. Shares
are of the calls alone (also with the time that Kernel Tuner would take for all configurations, going on as it did), of the
calls with the import of the package, and of whole scripts, which have data to make too.
"""

import argparse
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, Dict, List, Optional, Tuple

from exam_calls import read_calls, read_script

_HERE = Path(__file__).resolve().parent
_IMPORTS = [
    (r"^import kernel_tuner$", "import occutune as kernel_tuner"),
    (r"^import kernel_tuner as (\w+)$", r"import occutune as \1"),
    (r"^from kernel_tuner import ((?:tune_kernel|run_kernel)(?:, (?:tune_kernel|run_kernel))*)$", r"from occutune import \1"),
    (r"^from kernel_tuner import core, tune_kernel, tune_cache, util$",
     "from kernel_tuner import core, tune_cache, util\nfrom occutune import tune_kernel"),
    (r"^from kernel_tuner\.kernelbuilder import", "from occutune.kernelbuilder import"),
]
_CALLS = re.compile(r"\b((tune|run)_kernel|PythonKernel)\(")
# Of the tests those that tune on CUDA or a cache by these functions; others test Kernel Tuner's parts or other languages.
_TESTS = {
    "test_runners": ["--deselect", "test/test_runners.py::test_runner", "--deselect", "test/test_runners.py::test_tune_cache"],
    "test_cuda_functions": ["-k", "test_tune_kernel"],
    "test_cupy_functions": ["-k", "test_tune_kernel"],
    "test_observers": ["-k", "nvml or custom or nvcuda or cupy"],
    "test_file_utils": ["-k", "store_output_file"],
}


def change_imports(text: str) -> str:
    """The script with our functions in place of Kernel Tuner's."""
    for pattern, replacement in _IMPORTS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def scripts(checkout: Path, names: List[str]) -> List[Path]:
    """The CUDA examples that tune or run a kernel, and the tests that do."""
    found = [*sorted(checkout.glob("examples/cuda/*.py")), *sorted(checkout.glob("examples/cuda-c++/*.py"))]
    found = [path for path in found if _CALLS.search(path.read_text())]
    found += [checkout / "test" / f"{name}.py" for name in _TESTS]
    if not names:
        return found
    named = [[path for path in found if name in (path.stem, f"{path.parent.name}/{path.stem}")] for name in names]
    return list(dict.fromkeys(path for paths in named for path in paths))


def command_of(script: Path) -> List[str]:
    """How a script is run."""
    if script.parent.name == "test":
        return ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"test/{script.name}", *_TESTS[script.stem]]
    if script.name.startswith("test_"):
        return ["-m", "pytest", "-q", "-p", "no:cacheprovider", script.name]
    return [str(_HERE / "exam_calls.py"), script.name]


def wait(process: subprocess.Popen[bytes], calls: Path, limit_s: float, until: float) -> Optional[int]:
    """The exit status; None where a call took half as long again as the limit, or all three times as long; where none is seen,
    the script four times."""
    started = time.monotonic()
    while process.poll() is None:
        walls_s = [call["wall_s"] for call in read_calls(calls)] or [(time.monotonic() - started) / 4]
        if max(walls_s) > 1.5 * limit_s or sum(walls_s) > 3 * limit_s or time.monotonic() > until:
            process.kill()
            process.wait()
            return None
        time.sleep(0.1)
    return process.returncode


def run(script: Path, limit_s: float, until: float, log: Path, lock: Path, beside: Optional[Path] = None) -> Tuple[bool, str, Path]:
    """Whether a script ends well, the last line that it says, and where its calls of `tune_kernel` are noted."""
    calls = log.with_name(log.name + ".calls")
    folder = script.parent.parent if script.parent.name == "test" else script.parent
    command = command_of(script)
    seen = {**os.environ, "EXAM_CALLS": str(calls), "EXAM_LOCK": str(lock),
            **({"EXAM_OURS": str(beside), "EXAM_CAP": str(limit_s)} if beside else {})}
    with open(log, "w+", encoding="utf-8", errors="replace") as output, open(lock, "w", encoding="utf-8") as alone:
        if command[0] == "-m":  # its calls are not seen
            fcntl.flock(alone, fcntl.LOCK_EX)
        process = subprocess.Popen([sys.executable, *command], cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=seen)
        ended = wait(process, calls, limit_s, until)
        output.seek(0)
        text = output.read()
    if ended is None:
        return False, f"not ended within {limit_s:.0f} s", calls
    lines = [line for line in text.splitlines() if line.strip()]
    last = lines[-1][:120] if lines else ""
    well = ended == 0 and "no configuration ran correctly" not in text
    return well and (command[0] != "-m" or " passed" in last), last, calls


def _share(ours: Dict[str, Any], theirs: Dict[str, Any]) -> float:
    return float(ours["wall_s"] / theirs["wall_s"])


def _foreseen_s(theirs: Dict[str, Any]) -> float:
    """What Kernel Tuner would take for all configurations, going on as until it was stopped."""
    tried, left = theirs.get("tried", 0), theirs.get("left", 0)
    return float(theirs["wall_s"]) * (tried + left) / tried if tried else float(theirs["wall_s"])


def _both_ms(theirs: Dict[str, Any]) -> Optional[Tuple[float, float]]:
    """Both winners timed by us in one run, Kernel Tuner's first; None where that was not possible."""
    duel = theirs.get("duel")
    if duel == "same":
        return 1.0, 1.0
    return tuple(duel) if duel and all(isinstance(time, (int, float)) for time in duel) else None  # type: ignore[return-value]


def table(rows: List[Tuple[str, Dict[str, Any], Dict[str, Any]]]) -> None:
    """The calls that both made, the smallest share first."""
    print("\n| script | kernel | combinations | Kernel Tuner | tried, left | occutune | share | foreseen | its winner by us | ours |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    for name, ours, theirs in sorted(rows, key=lambda row: _share(row[1], row[2])):
        both = _both_ms(theirs)
        timed = ("the same", ours["best"]) if theirs.get("duel") == "same" else both or (theirs.get("duel"), ours["best"])
        print(f"| {name} | {ours['kernel']} | {ours['space']} | {'' if theirs['ended'] else '> '}{theirs['wall_s']:.2f} s | "
              f"{theirs.get('tried')}, {theirs.get('left')} | {ours['wall_s']:.2f} s | {'' if theirs['ended'] else '< '}"
              f"{_share(ours, theirs):.3f} | {ours['wall_s'] / _foreseen_s(theirs):.3f} | {timed[0]} | {timed[1]} |")


Both = Tuple[Dict[str, float], Dict[str, float]]


def _print_shares(what: str, shares: List[float]) -> None:
    if shares:
        print(f"\nmedian share {median(shares):.3f} of {len(shares)} scripts, {what}: "
              f"{', '.join(f'{share:.2f}' for share in sorted(shares))}")


def summary(rows: List[Tuple[str, Dict[str, Any], Dict[str, Any]]], whole: List[Both]) -> None:
    """Over scripts, the median share of Kernel Tuner's time; over calls, how many winners are as good."""
    sums: Dict[str, List[float]] = {}
    for name, ours, theirs in rows:
        both = sums.setdefault(name, [0.0, 0.0, 0.0])
        both[0] += ours["wall_s"]
        both[1] += theirs["wall_s"]
        both[2] += _foreseen_s(theirs)
    _print_shares("calls", [ours_s / theirs_s for ours_s, theirs_s, _ in sums.values()])
    _print_shares("calls, with the time foreseen for what was stopped", [ours_s / whole_s for ours_s, _, whole_s in sums.values()])
    _print_shares("import and calls", [(ours["import_s"] + ours["calls_s"]) / (theirs["import_s"] + theirs["calls_s"])
                                       for ours, theirs in whole])
    _print_shares("whole scripts", [ours["script_s"] / theirs["script_s"] for ours, theirs in whole])
    timed = [both for both in (_both_ms(theirs) for _, _, theirs in rows) if both]
    if timed:
        print(f"ours at most 1 % slower than Kernel Tuner's in {sum(ours <= 1.01 * other for other, ours in timed)} of {len(timed)} calls")


class Exam:
    """Scripts, several at a time, of which one uses the GPU."""

    def __init__(self, given: argparse.Namespace, folder: Path) -> None:
        self.given, self.until = given, time.monotonic() + given.within
        self.log = (given.log or folder / "log").resolve()
        self.log.mkdir(parents=True, exist_ok=True)
        self.lock = folder / "lock"
        self.mine, self.theirs = folder / "mine", folder / "theirs"
        for copy in (self.mine, self.theirs):
            for part in ("examples", "test"):
                shutil.copytree(given.checkout / part, copy / part)
        for path in self.mine.glob("**/*.py"):
            path.write_text(change_imports(path.read_text()))
        self.chosen = scripts(self.mine, given.names)

    def take(self, script: Path) -> Tuple[bool, List[Tuple[str, Dict[str, Any], Dict[str, Any]]], List[Both]]:
        """Whether a script ended well, and its calls beside Kernel Tuner's."""
        name = f"{script.parent.name}/{script.stem}"
        left_s = self.until - time.monotonic()
        if left_s < 1:
            print(f"not run        {name}", flush=True)
            return False, [], []
        started = time.perf_counter()
        log = self.log / f"{script.parent.name}.{script.stem}.ours"
        well, line, ours = run(script, self.given.limit, self.until, log, self.lock)
        print(f"{'ok' if well else 'FAILED':6s} {time.perf_counter() - started:6.1f} s  {name}  {line}", flush=True)
        left_s = self.until - time.monotonic()
        if not well or not self.given.beside or left_s < 1 or not read_calls(ours):
            return well, [], []
        _, line, beside = run(self.theirs / script.relative_to(self.mine), self.given.beside, self.until,
                              log.with_suffix(".theirs"), self.lock, ours)
        both = [(one, other) for one, other in zip(read_calls(ours), read_calls(beside))
                if "tried" in other or line.startswith("not ended")]  # else Kernel Tuner failed
        print(f"       {name}: " + "; ".join(f"{one['wall_s']:.2f} s, Kernel Tuner {other['wall_s']:.2f} s" for one, other in both)
              + f"  {line}", flush=True)
        scripts_s = (read_script(ours), read_script(beside))
        print(f"       {scripts_s}")
        ended = bool(both) and all(scripts_s)
        return well, [(name, one, other) for one, other in both], [scripts_s] if ended else []  # type: ignore[list-item]


def main() -> None:
    """Prints a line for each script, and how many end well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--beside", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS")
    parser.add_argument("--within", type=float, default=86400, metavar="SECONDS", help="for all scripts together")
    parser.add_argument("--together", type=int, default=1, metavar="N")
    parser.add_argument("--log", type=Path)
    given = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.together) as pool:
        exam = Exam(given, Path(folder))
        taken = list(pool.map(exam.take, exam.chosen))
    rows = [row for _, calls, _ in taken for row in calls]
    print(f"{sum(well for well, _, _ in taken)} of {len(taken)} scripts")
    if rows:
        table(rows)
        summary(rows, [both for _, _, scripts_s in taken for both in scripts_s])


if __name__ == "__main__":
    main()
