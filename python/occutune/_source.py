"""The kernel's source as Kernel Tuner takes it: text, a file, a list of files, or a function that writes it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._blame import blamed
from ._restrictions import Params

_LANGUAGES = {"CUDA", "CUPY", "NVCUDA", "PYCUDA"}
_CODE = set("(){};\n")


class Source:
    """The source of each configuration. `folders` is where it may include from."""

    def __init__(self, kernel_source: Any, lang: Optional[str]) -> None:
        sources = list(kernel_source) if isinstance(kernel_source, (list, tuple)) else [kernel_source]
        self.folders: List[str] = [os.getcwd()]
        first = sources[0]
        if len(sources) > 1 and (lang is None or lang.upper() not in _LANGUAGES):
            raise ValueError("kernel_source: several sources are a host program and its kernels, which is not supported; "
                             "give the kernel's own file (lang=\"CUDA\" if it includes the others)")
        self.generator: Optional[Callable[[Dict[str, Any]], str]] = None
        self.text = ""
        self.shown = "kernel_source"  # in messages: the name of a file, or of the argument
        if callable(first):
            if lang is None:
                raise TypeError("lang: say \"CUDA\" where the source is made by a function")
            self.generator = first
        else:
            self.text = self._read(first)
        _check_language(lang or _detect(self.text))

    def _read(self, source: Any) -> str:
        if source == "":
            raise ValueError("kernel_source: is empty; give the source as text, or the name of its file")
        if isinstance(source, os.PathLike) or (isinstance(source, str) and not set(source) & _CODE):
            path = Path(source)
            self.folders.insert(0, str(path.resolve().parent))
            self.shown = os.fspath(source)
            return path.read_text(encoding="utf-8")
        if not isinstance(source, str):
            raise TypeError(f"kernel_source: {type(source).__name__} is neither text, a file nor a function")
        return source

    def of(self, params: Params) -> str:
        """The text for one configuration."""
        if not self.generator:
            return self.text
        with blamed("kernel_source", params):
            text = self.generator(dict(params))
            if not isinstance(text, str):
                raise TypeError(f"it returned a {type(text).__name__}, not the text of a source")
            return text


def _detect(text: str) -> str:
    if "__global__" in text:
        return "CUDA"
    return "OpenCL" if "__kernel" in text else "C"


def _check_language(lang: str) -> None:
    if lang.upper() not in _LANGUAGES:
        raise ValueError(f"lang: {lang} is not supported, CUDA kernels are (\"CUDA\", or \"CuPy\", \"nvcuda\", \"PyCUDA\", "
                         f"which mean the same here); tune {lang} code with Kernel Tuner itself")


def mentions(text: str, name: str) -> bool:
    """Whether an identifier stands in the source."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def with_unrolling(text: str, names: Sequence[str]) -> str:
    """Makes `#pragma unroll NAME` work for the parameters called ...loop_unroll_factor...: 0 is no pragma.

    A pragma takes no macro, so the parameter becomes a constant.
    """
    lines = []
    for name in names:
        if "loop_unroll_factor" not in name:
            continue
        lines += [f"#if {name} != 0", f"#define OCCUTUNE_{name} 1", "#endif",
                  f"enum {{ occutune_{name} = {name} }};", f"#undef {name}",
                  f"constexpr int {name} = occutune_{name};"]
        text = _guard_pragmas(text, name)
    return "\n".join([*lines, "#line 1", text]) if lines else text


def _guard_pragmas(text: str, name: str) -> str:
    pragma = re.compile(rf"^[ \t]*#[ \t]*pragma[ \t]+unroll[ \t(]+{re.escape(name)}\b")
    lines = []
    for count, line in enumerate(text.split("\n"), 1):
        guarded = [f"#ifdef OCCUTUNE_{name}", line, "#endif", f"#line {count + 1}"]
        lines += guarded if pragma.match(line) else [line]
    return "\n".join(lines)


def parameter_list(text: str, kernel_name: str) -> List[str]:
    """The declarations of the kernel's parameters; empty when they cannot be found."""
    name = kernel_name.split("<")[0].strip()
    found = re.search(rf"__global__[^;{{}}]*?\b{re.escape(name)}\s*\(([^)]*)\)", text)
    return [part.strip() for part in found.group(1).split(",")] if found and found.group(1).strip() else []


def is_read_only(text: str, kernel_name: str, position: int) -> bool:
    """Whether the declaration says that the kernel does not write through its pointer number `position`."""
    declared = parameter_list(text, kernel_name)
    if position >= len(declared):
        return False
    return re.search(r"\bconst\b[^*]*\*", declared[position]) is not None


def macros(defines: Optional[Mapping[str, Any]], names: Sequence[str]) -> str:
    """What stands before the source so that the macros of `defines` are there, and of the parameters only if asked."""
    if defines is None:
        return ""
    lines = [] if defines else [f"#undef {name}" for name in names]
    for name, value in defines.items():
        if not str(name).isidentifier():
            raise ValueError(f"defines: {name} is no name")
        if not (name in names and str(value) == name):
            lines.append(f"#define {name} {str(value)}".replace("\n", "\\\n"))
    return "\n".join([*lines, "#line 1", ""])
