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
from typing import Any, Dict, List, Optional, Sequence

_PACKAGED = Path(__file__).resolve().parent / "tool"
_MESSAGES_KEPT = 50  # lines of the program's messages that an exception may show


class OccutuneError(RuntimeError):
    """The program failed; the text is its own message. `status` is its exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UsageError(OccutuneError, ValueError):
    """An option, a spec or a file is not what it should be; the message names the place."""


class NothingRan(OccutuneError):
    """No configuration ran correctly. `data` is the decision, which says what became of them."""

    def __init__(self, message: str, data: Dict[str, Any]) -> None:
        super().__init__(message, 1)
        self.data = data


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
    variables = dict(os.environ)
    if "OCCUTUNE_NVRTC" not in variables:
        folder = _nvrtc()
        if folder:
            variables["OCCUTUNE_NVRTC"] = folder
    return variables


def _read_messages(process: subprocess.Popen[str], quiet: bool) -> str:
    """Passes the program's messages on as they come; returns the last of them."""
    lines: List[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        lines = lines[-_MESSAGES_KEPT:] + [line]
        if not quiet:
            sys.stderr.write(line)
    return "".join(lines).strip()


def _fail(status: int, messages: str, output: str) -> None:
    text = messages or f"occutune ended with status {status}"
    text = text[len("occutune: "):] if text.startswith("occutune: ") else text
    if status == 2:
        raise UsageError(text, status)
    if status == 1 and output.startswith("{"):
        raise NothingRan(text, json.loads(output))
    raise OccutuneError(text, status)


def run(command: str, *arguments: str, quiet: bool = True, folder: Optional[Path] = None) -> str:
    """Runs one command, in `folder` if given, and returns its standard output.

    A failure is an OccutuneError with the program's message.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen([program(), command, *arguments], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
                                   env=environment(), cwd=folder)
        try:
            messages = _read_messages(process, quiet)
        finally:
            status = process.wait()  # an interrupt reaches the program too, which ends in order
        output.seek(0)
        text = output.read()
    if status:
        _fail(status, messages, text)
    return text


def run_json(command: str, arguments: Sequence[str], quiet: bool = True, folder: Optional[Path] = None) -> Any:
    """Runs one command with --json and returns the value that it prints."""
    return json.loads(run(command, *arguments, "--json", quiet=quiet, folder=folder))


def main() -> None:
    """The command line: becomes the program."""
    variables = environment()
    executable = program()
    os.execve(executable, [executable, *sys.argv[1:]], variables)
