"""Runs the `occutune` program and reads its JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._session import SERVED, Ended, Holder, Listener
from ._wording import Reword, unchanged

_PACKAGED = Path(__file__).resolve().parent / "tool"
_GPUS = ("/dev/nvidiactl", "/dev/dxg")
_IGNORED = ("PYTEST_CURRENT_TEST", "KMP_INIT_AT_FORK", "KMP_DUPLICATE_LIB_OK")  # set by pytest for each test, by scikit-learn
_MESSAGES_KEPT = 50  # lines of the program's messages that an exception may show
_holder = Holder()


class OccutuneError(RuntimeError):
    """The program failed; the text is its own message. `status` is its exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.status)


class UsageError(OccutuneError, ValueError):
    """An option, a spec or a file is not what it should be; the message names the place."""


class NothingRan(OccutuneError):
    """No configuration ran correctly. `data` is the decision, which says what became of them."""

    def __init__(self, message: str, data: Dict[str, Any]) -> None:
        super().__init__(message, 1)
        self.data = data

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.data)


def program() -> str:
    """The `occutune` executable: the one in this package, else the one on the PATH."""
    packaged = _PACKAGED / "bin" / "occutune"
    if packaged.exists():
        return str(packaged)
    found = shutil.which("occutune")
    if not found:
        raise FileNotFoundError("the program occutune is neither in this package nor on the PATH")
    return found


def _nvrtc() -> Optional[str]:
    """The folder of an NVRTC that came as a Python package (nvidia-cuda-nvrtc), or None."""
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations or [] if spec else []:
        for folder in ("cu13/lib", "cuda_nvrtc/lib"):
            if list(Path(place, folder).glob("libnvrtc.so.*")):
                return str(Path(place, folder))
    return None


def environment() -> Dict[str, str]:
    """What the program sees: this process's environment, and NVRTC from a Python package where none is named."""
    variables = {name: value for name, value in os.environ.items() if name not in _IGNORED}  # no reason for another session
    if "OCCUTUNE_NVRTC" not in variables:
        folder = _nvrtc()
        if folder:
            variables["OCCUTUNE_NVRTC"] = folder
    return variables


class _Messages(Listener):
    """Passes the program's messages on as they come, and keeps the last of them."""

    def __init__(self, quiet: bool, reword: Reword) -> None:
        self._quiet, self._reword = quiet, reword
        self._lines: List[str] = []

    def hear(self, text: str) -> None:
        self._lines = (self._lines + text.splitlines(keepends=True))[-_MESSAGES_KEPT:]
        if not self._quiet:
            sys.stderr.write(self._reword(text))

    def text(self) -> str:
        return self._reword("".join(self._lines).strip())


def _fail(status: int, messages: str, output: str, reword: Reword = unchanged) -> None:
    if status == 1 and output.startswith("{"):
        decision = json.loads(output)
        raise NothingRan(reword(_why_nothing_ran(decision)), decision)
    text = messages or f"occutune ended with status {status}"
    text = ("\n" + text).rpartition("\noccutune: ")[2].lstrip("\n")  # what was said before was no error
    if status == 2:
        raise UsageError(text, status)
    raise OccutuneError(text, status)


def _why_nothing_ran(decision: Dict[str, Any]) -> str:
    """With the reason of the first: what was said meanwhile is no reason."""
    remarks = [remark for problem in decision.get("problems", []) for remark in problem.get("remarks", [])]
    firsts = [remark for remark in remarks if remark.startswith("first failure: ")]
    return "; ".join(["no configuration ran correctly", *firsts[:1]])


def prepare(device: Optional[int]) -> None:
    """Has a GPU made ready while the caller still prepares what is to run on it."""
    _holder.start(program(), environment(), str(device or 0))


def make_ready_early() -> None:
    """As `prepare`, before anybody has asked: not where there seems to be no GPU, nor in each of many processes."""
    processes = sys.modules.get("multiprocessing.process")
    if processes and processes.parent_process() is not None:
        return
    if "OCCUTUNE_CUDA_DRIVER" not in os.environ and not any(map(os.path.exists, _GPUS)):
        return
    try:
        prepare(0)
    except OSError:
        pass  # the call says so


def _run_alone(arguments: Sequence[str], messages: _Messages, folder: Optional[Path]) -> Tuple[int, str]:
    """Runs a program of its own."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                                   text=True, encoding="utf-8", errors="replace", env=environment(), cwd=folder)
        assert process.stderr is not None
        try:
            for line in process.stderr:
                messages.hear(line)
        finally:
            status = process.wait()  # an interrupt reaches the program too, which ends in order
            process.stderr.close()
        output.seek(0)
        return status, output.read()


def _run_kept(arguments: Sequence[str], messages: _Messages, folder: Optional[Path]) -> Optional[Tuple[int, str]]:
    """Has the program that stays run it; None where that cannot be."""
    request = json.dumps({"arguments": list(arguments), "folder": os.path.abspath(folder or os.getcwd())})
    try:
        return _holder.run(request.encode("utf-8"), program(), environment(), messages)
    except Ended as ended:
        return (ended.status, "") if ended.status else None  # it had idled for too long, just now


def run(command: str, *arguments: str, quiet: bool = True, folder: Optional[Path] = None, reword: Reword = unchanged) -> str:
    """Runs one command, in `folder` if given, and returns its standard output.

    A failure is an OccutuneError with the program's message. `reword` puts messages into the caller's words.
    """
    messages, words = _Messages(quiet, reword), [command, *map(os.fspath, arguments)]
    ended = _run_kept(words, messages, folder) if command in SERVED else None
    status, text = ended or _run_alone(words, messages, folder)
    if status:
        _fail(status, messages.text(), text, reword)
    return text


def run_json(command: str, arguments: Sequence[str], quiet: bool = True, folder: Optional[Path] = None,
             reword: Reword = unchanged) -> Any:
    """Runs one command with --json and returns the value that it prints."""
    return json.loads(run(command, *arguments, "--json", quiet=quiet, folder=folder, reword=reword))


def main() -> None:
    """The command line: becomes the program."""
    variables = environment()
    executable = program()
    os.execve(executable, [executable, *sys.argv[1:]], variables)
