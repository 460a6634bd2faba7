"""Messages of the program in the caller's words: temporary files and fields of the spec become the arguments they were made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Callable, Dict, List, Tuple

from ._geometry import AXES

if TYPE_CHECKING:
    from ._job import Job

Reword = Callable[[str], str]

FOLDER_PREFIX = "occutune-call-"  # of folders with a lock alone: others may be in use without one
_FOLDER = rf"[^\s\"']*/{FOLDER_PREFIX}\w+/"  # also of earlier calls, whose messages the cache of compiled code keeps
_SPEC, _SOURCE = re.compile(_FOLDER + r"(?:spec|code)\.json(?=[:;])"), re.compile(_FOLDER + r"(?:kernel|source\d+)\.cu")
_ARRAY, _NOWHERE = re.compile(_FOLDER + r"array\d+\.npy"), re.compile(f" in {_FOLDER}recorded")
_UNLAUNCHABLE = "no configuration can be launched at this problem size: "
_INDEX = r"\[(\d+)\]"


def unchanged(text: str) -> str:
    """A message as it is."""
    return text


def spec_wording(text: str) -> str:
    """Of a spec that is a dictionary: fields are its own, files are those that were written for it."""
    return _SOURCE.sub("kernel.source", _SPEC.sub("the spec", _without_files(text)))


def _without_files(text: str) -> str:
    return _ARRAY.sub("the array", _NOWHERE.sub("", text))


class JobWording:
    """Of a call of Kernel Tuner's interface, whose spec the caller has not seen."""

    def __init__(self, call: str, job: Job) -> None:
        self._call, self._job = f"{call}({job.name!r})", job
        self._fields: List[Tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
            (re.compile(pattern), words) for pattern, words in (
                (r"parameters\.(?P<name>[^:\[\]]+)(?:\[(?P<index>\d+)\])?", self._parameter),
                (r"parameters(?=:)", lambda found: "tune_params"),
                (rf"constraints{_INDEX}", lambda found: f"restrictions[{found[1]}]"),
                (r"configurations(?:\[\d+\])*", lambda found: "restrictions"),
                (r"problem\.problem_size_\w", lambda found: "problem_size"),
                (rf"launch\.grid{_INDEX}", lambda found: f"problem_size, grid_div_{AXES[int(found[1])]}"),
                (rf"launch\.block{_INDEX}", lambda found: self._block(int(found[1]))),
                (r"launch\.shared", lambda found: "smem_args"),
                (rf"kernel\.options{_INDEX}", lambda found: self._option(int(found[1]))),
                (r"tolerance\.absolute", lambda found: "atol"),
                (r"kernel\.name", lambda found: "kernel_name"),
                (r"kernel(?:\.file)?", lambda found: "kernel_source"),
                (r"reference\.files\.arguments\[(\d+)\]", lambda found: f"answer[{found[1]}]"),
                (rf"arguments{_INDEX}", lambda found: self._argument(int(found[1]))))]

    def __call__(self, text: str) -> str:
        text = _SOURCE.sub(lambda _: self._job.source.shown, _without_files(text))
        text = re.sub(r"\bargument_(\d+)(?=[\[:])", r"arguments[\1]", text).replace("file with --journal", "file as cache")
        found = _SPEC.search(text)
        if not found:
            return text
        return f"{text[:found.start()]}{self._call}: {self._field(text[found.end():].lstrip(': '))}"

    def _field(self, text: str) -> str:
        """A message that begins with a field of the spec, or not."""
        head, _, rest = text.partition(_UNLAUNCHABLE)
        if not head and rest:
            return _UNLAUNCHABLE + self._field(rest)
        for pattern, words in self._fields:
            found = pattern.match(text)
            if found:
                return words(found) + text[found.end():]
        return text

    def _parameter(self, found: re.Match[str]) -> str:
        name, index = found["name"], found["index"]
        columns: Dict[str, str] = {"OCCUTUNE_SOURCE": "kernel_source", "occutune_shared": "smem_args",
                                   **{f"grid_size_{axis}": f"problem_size, grid_div_{axis}" for axis in AXES}}
        if name in columns or name.startswith("occutune_define_"):
            return columns.get(name, f"defines[\"{name[len('occutune_define_'):]}\"]")
        return f'tune_params["{name}"]' + (f"[{self._job.positions[name][int(index)]}]" if index else "")

    def _block(self, axis: int) -> str:
        name = self._job.geometry.block_names[axis]
        return f'tune_params["{name}"]' if name in self._job.parameters else "block_size_names"

    def _option(self, index: int) -> str:
        return f"compiler_options[{index}]" if index < len(self._job.options) else "compiler_options"

    def _argument(self, index: int) -> str:
        constants = [f'cmem_args["{name}"]' for name in self._job.constants]
        return [*(f"arguments[{position}]" for position in range(len(self._job.arguments))), *constants][index]
