"""A cache that is asked for a few configurations at a time: read once, and appended to."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ._results import GZIP_MAGIC
from ._tool import UsageError

_DECODER = json.JSONDecoder()
_OPENING, _SEPARATOR, _CLOSING = '"cache": {\n', ",\n", "}\n}"


class _Member(NamedTuple):
    """A member of a JSON object, and the text of both its parts."""

    key: str
    value: Any
    text: str
    begin: int  # of its key


def _members(text: str, at: int) -> Iterator[_Member]:
    """The complete members of the object whose brace stands at a place; its text may end in the middle."""
    try:
        at = _behind(text, at, "{")
        while True:
            begin = at
            key, at = _DECODER.raw_decode(text, at)
            at = value_at = _behind(text, at, ":")
            if key == "cache":  # is gone through by itself
                yield _Member(key, value_at, "", begin)
                return
            value, end = _DECODER.raw_decode(text, at)
            yield _Member(key, value, text[begin:end], begin)
            at = _behind(text, end, ",")
    except (ValueError, IndexError):  # the end of the object, or of the text
        return


def _behind(text: str, at: int, mark: str) -> int:
    """Behind a mark and the blanks around it."""
    while text[at].isspace():
        at += 1
    if text[at] != mark:
        raise ValueError(f"expected {mark}")
    at += 1
    while text[at].isspace():
        at += 1
    return at


def _parts(text: str) -> Tuple[str, List[_Member], str]:
    """What stands before the records, the records, and what is behind those that can be read."""
    for member in _members(text, 0):
        if member.key == "cache":
            records = list(_members(text, member.value))
            end = records[-1].begin + len(records[-1].text) if records else member.value + 1
            return text[:member.begin].rstrip() + "\n", records, text[end:]
    return "", [], ""


def _text(path: Path) -> str:
    raw = path.read_bytes()
    if raw.startswith(GZIP_MAGIC):  # as the program has it of its journal
        raise UsageError(f"{path}: is compressed and therefore only read: name another file as cache", 2)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _foreign(path) from None


def _foreign(path: Path) -> UsageError:
    return UsageError(f"{path}: is neither a journal nor a cache of Kernel Tuner, and stays as it is: "
                      "name another file as cache", 2)


def _read_header(header: str) -> Dict[str, Any]:
    """Of what stands before the records. ValueError where it is no journal's."""
    fields: Dict[str, Any] = json.loads(header.rstrip().rstrip(",") + "}")
    values = fields.get("tune_params")
    if not isinstance(values, dict) or not all(isinstance(listed, list) for listed in values.values()):
        raise ValueError("tune_params")
    return fields


def _keep_aside(path: Path) -> None:
    """A copy of what cannot be read whole, as the program makes one of its journal."""
    ends = itertools.chain([""], (f".{number}" for number in itertools.count(2)))
    aside = next(name for name in (path.with_name(f"{path.name}.aside{end}") for end in ends) if not name.exists())
    shutil.copyfile(path, aside)
    warnings.warn(f"cache: {path} is damaged; it is kept as {aside}, without what cannot be read", stacklevel=2)


def _key_part(value: Any) -> Any:
    """A parameter has no such value, nor could a dictionary hold it."""
    return None if isinstance(value, (list, dict)) else value


class Cache:
    """The journal of all calls, locked against other writers while it is open."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._path, self._names = path, list(names)
        self._lines: Dict[str, str] = {}  # by key: a later record replaces an earlier
        self._keys: Dict[Tuple[Any, ...], List[str]] = {}
        self._lock = self._open()
        try:
            self._read()
        except BaseException:
            os.close(self._lock)
            raise

    def _read(self) -> None:
        text = _text(self._path)
        self._header, records, rest = _parts(text)
        if text.strip():
            try:
                _read_header(self._header)
            except ValueError:
                raise _foreign(self._path) from None
        for record in records:
            self._put(record)
        if "\n" in rest.strip(" \n\t,}"):  # more than a record that was being written
            _keep_aside(self._path)
        self._is_ours = bool(records) and text == self._whole()
        self._end = len(text.encode("utf-8")) - len(_CLOSING)

    def _open(self) -> int:
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            raise UsageError(f"{self._path}: another occutune is writing to it: wait for it, or name another file", 2) from None
        return file

    def _put(self, record: _Member) -> None:
        if record.key not in self._lines and isinstance(record.value, Mapping):
            self._keys.setdefault(tuple(_key_part(record.value.get(name)) for name in self._names), []).append(record.key)
        self._lines[record.key] = record.text

    def _whole(self) -> str:
        return self._header + _OPENING + _SEPARATOR.join(self._lines.values()) + _CLOSING

    def excerpt(self, configurations: Sequence[Mapping[str, Any]], journal: Path) -> None:
        """Writes what is known of these configurations, if anything, as a journal of its own."""
        keys = [key for configuration in configurations for key in self._keys.get(tuple(configuration.values()), [])]
        if keys:
            journal.write_text(self._header + _OPENING + _SEPARATOR.join(self._lines[key] for key in keys) + _CLOSING,
                               encoding="utf-8")

    def take(self, journal: Path) -> None:
        """Appends what a journal has that is not known yet, or known otherwise."""
        if not journal.exists():
            return
        header, records, _ = _parts(_text(journal))
        new = [record for record in records if self._lines.get(record.key) != record.text]
        for record in new:
            self._put(record)
        if self._take_header(header) or not self._is_ours:
            self._rewrite()
        elif new:
            self._append(_SEPARATOR + _SEPARATOR.join(record.text for record in new))

    def _take_header(self, header: str) -> bool:
        """Whether it says something new: who made the file stays, values of parameters are added."""
        if not self._header:
            self._header = header
            return True
        old, new = map(_read_header, (self._header, header))
        values = {name: list(dict.fromkeys([*listed, *new["tune_params"].get(name, [])]))
                  for name, listed in old["tune_params"].items()}
        if values == old["tune_params"]:
            return False
        self._header = json.dumps({**old, "tune_params": values})[:-1] + ",\n"
        return True

    def _append(self, text: str) -> None:
        added = text.encode("utf-8")
        os.pwrite(self._lock, added + _CLOSING.encode("utf-8"), self._end)
        self._end += len(added)

    def _rewrite(self) -> None:
        """A copy takes the file's place whole, or not at all."""
        whole = self._whole().encode("utf-8")
        target = self._path.resolve()  # a link stays one
        copy = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        copy.write_bytes(whole)
        file, self._lock = self._lock, os.open(copy, os.O_RDWR | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        copy.replace(target)
        os.close(file)
        self._is_ours, self._end = True, len(whole) - len(_CLOSING)

    def close(self) -> None:
        """Leaves no empty file behind."""
        if self._lines:
            os.fsync(self._lock)
        elif not os.fstat(self._lock).st_size:
            self._path.unlink(missing_ok=True)
        os.close(self._lock)


def open_cache(path: Optional[Path], names: Sequence[str], simulated: bool) -> Optional[Cache]:
    """The cache of a call that measures, if it has one."""
    return Cache(path, names) if path and not simulated else None
