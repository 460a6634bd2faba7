"""Turns a spec that is a dictionary into files: its text, and an .npy file for each array in it."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import shutil
import stat
import tempfile
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Type, Union

import numpy

from ._arrays import element_type, is_array, to_numpy
from ._tool import UsageError
from ._wording import FOLDER_PREFIX

_MEMORY = "/dev/shm"
_PLENTY = 8  # times the size of an array is left
_SPARE_BYTES = 256 << 20  # left for journal and decision: no disk has to take them, which is waited for at each record
_OLD_S = 60.0  # a folder without a lock that is not just being made

_MANY_BYTES = 8 << 20  # from here on several threads write an array
_PIECE_BYTES = 4 << 20
_CONTENT_BYTES = 6  # of a number that JSON takes

Spec = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def plain(value: Any) -> Any:
    """NumPy's scalars, tuples and paths as JSON has them."""
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range, numpy.ndarray)):
        return [plain(item) for item in value]
    return value


def _in_memory(size: int) -> bool:
    return os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= size


class _Folder:
    """A folder with a lock that a dead process has not: what one that was killed has left in memory is removed."""

    def __init__(self, place: Optional[str]) -> None:
        if place == _MEMORY:
            _remove_abandoned(place)
        self.path = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=place))
        lock = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_SH)
        self.close = weakref.finalize(self, _remove, self.path, lock)


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


def _remove_abandoned(place: str) -> None:
    for folder in Path(place).glob(FOLDER_PREFIX + "*"):
        try:
            status = folder.lstat()
            if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode) or time.time() - status.st_mtime < _OLD_S:
                continue
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue  # gone by now
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # in use
        finally:
            os.close(lock)


def write_array(file: Path, elements: numpy.ndarray, many: bool) -> None:
    """As `numpy.save`; in memory `many` threads write a large array, since one is kept busy by the pages that it needs."""
    if not many or elements.nbytes < _MANY_BYTES:
        numpy.save(file, elements)
        return
    with open(file, "w+b") as out:
        numpy.lib.format.write_array_header_1_0(out, numpy.lib.format.header_data_from_array_1_0(elements))
        out.flush()
        head = out.tell()
        os.posix_fallocate(out.fileno(), 0, head + elements.nbytes)  # memory that is not there is an error here, no signal
        with mmap.mmap(out.fileno(), head + elements.nbytes) as mapping:
            _copy(numpy.frombuffer(mapping, elements.dtype, elements.size, head), elements)


def _copy(to: numpy.ndarray, elements: numpy.ndarray) -> None:
    step = max(1, _PIECE_BYTES // elements.itemsize)
    with ThreadPoolExecutor() as pool:
        for _ in pool.map(lambda first: numpy.copyto(to[first:first + step], elements[first:first + step]),
                          range(0, elements.size, step)):
            pass


class Workspace:
    """A folder of files that lasts as long as the `with` block."""

    def __init__(self, lasting: bool = True) -> None:
        """`lasting`: a journal outlasts the call, and what an array holds has to be known by it."""
        self._lasting = lasting
        self._folder = _Folder(_MEMORY if _in_memory(_SPARE_BYTES) else None)
        self.path = self._folder.path
        self._arrays: Optional[_Folder] = None
        self._count = 0
        self._naming = threading.Lock()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Removes the files."""
        self._folder.close()
        if self._arrays:
            self._arrays.close()

    def _folder_for(self, size: int) -> Path:
        """Where an array of so many bytes goes: into memory, where there is plenty; no disk has to take it then."""
        memory = _in_memory(_PLENTY * size)
        if memory == (self.path.parent == Path(_MEMORY)):
            return self.path
        if not self._arrays:
            self._arrays = _Folder(_MEMORY if memory else None)
        return self._arrays.path

    def save(self, array: Any) -> Dict[str, Any]:
        """Writes an array; returns its element type, length, file and fill. Several threads may do so at once."""
        kind, elements = element_type(to_numpy(array))
        with self._naming:
            file = self._folder_for(elements.nbytes) / f"array{self._count}.npy"
            self._count += 1
        write_array(file, elements, many=str(file).startswith(_MEMORY))
        fill: Dict[str, Any] = {"file": str(file)}
        if not self._lasting:
            fill["content"] = int.from_bytes(os.urandom(_CONTENT_BYTES), "little")
        return {"type": kind, "length": int(elements.size), "file": str(file), "fill": fill}

    def write(self, name: str, text: str) -> str:
        """Writes a text file; returns its path."""
        file = self.path / name
        file.write_text(text, encoding="utf-8")
        return str(file)

    def spec(self, spec: Spec) -> str:
        """What the program takes for a spec: a path or the name of a library kernel as it is, a dictionary as a file."""
        if not isinstance(spec, Mapping):
            return os.fspath(spec)
        resolved = self._resolve(spec)
        try:
            return self.write("spec.json", json.dumps(resolved))
        except TypeError as error:  # a set, an object: what JSON does not have
            raise UsageError(f"the spec: {error}", 2) from error

    def _resolve(self, spec: Mapping[str, Any]) -> Dict[str, Any]:
        """What has another shape than it should is left as it is: the program says so, with the place."""
        resolved = dict(spec)
        if isinstance(resolved.get("kernel"), Mapping):
            resolved["kernel"] = self._kernel(resolved["kernel"])
        if isinstance(resolved.get("arguments"), (list, tuple)):
            resolved["arguments"] = [self._argument(argument) if isinstance(argument, Mapping) else argument
                                     for argument in resolved["arguments"]]
        if isinstance(resolved.get("reference"), Mapping):
            resolved["reference"] = self._reference(resolved["reference"])
        result: Dict[str, Any] = plain(resolved)
        return result

    def _kernel(self, kernel: Mapping[str, Any]) -> Dict[str, Any]:
        kernel = dict(kernel)
        if "source" in kernel:
            if "file" in kernel:
                raise ValueError("kernel: give `source` or `file`, not both")
            kernel["file"] = self.write("kernel.cu", kernel.pop("source"))
            kernel["options"] = [*kernel.get("options", []), f"-I{os.getcwd()}"]
        elif isinstance(kernel.get("file"), (str, os.PathLike)):
            kernel["file"] = os.path.abspath(kernel["file"])
        return kernel

    def _argument(self, argument: Mapping[str, Any]) -> Dict[str, Any]:
        argument = dict(argument)
        fill = argument.get("fill")
        if isinstance(fill, Mapping) and "file" in fill:
            argument["fill"] = {**fill, "file": os.path.abspath(fill["file"])}
        elif is_array(fill):
            saved = self.save(fill)
            argument.setdefault("length", saved["length"])
            if "buffer" in argument:
                argument["buffer"] = argument["buffer"] or saved["type"]
            else:
                argument.setdefault("type", saved["type"])
            argument["fill"] = saved["fill"]
        return argument

    def _reference(self, reference: Mapping[str, Any]) -> Dict[str, Any]:
        if "files" not in reference:
            return self._kernel(reference)
        files = reference["files"]  # of all problems, or a list of those of each
        return {**reference, "files": [self._files(each) for each in files] if isinstance(files, (list, tuple)) else self._files(files)}

    def _files(self, files: Any) -> Any:
        if not isinstance(files, Mapping):
            return files
        return {name: self.save(value)["file"] if is_array(value) else
                os.path.abspath(value) if isinstance(value, (str, os.PathLike)) else value for name, value in files.items()}


def size_options(sizes: Optional[Mapping[str, Any]]) -> List[str]:
    """--set options for other problem sizes."""
    return [f"--set={name}={value}" for name, value in (sizes or {}).items()]
