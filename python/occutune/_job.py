"""A call of Kernel Tuner's interface as a spec: the space, the launch, the source and the arguments."""

from __future__ import annotations

import copy
import itertools
import math
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy

from ._arrays import element_type, is_array, to_numpy
from ._blame import blamed
from ._checks import check_shapes
from ._expression import kind_of
from ._geometry import AXES, Formula, Geometry, read_geometry
from ._restrictions import Restriction, read_restrictions
from ._source import Source, is_read_only, macros, mentions, parameter_list, with_unrolling
from ._workspace import Workspace, plain

_COMBINATIONS_MOST = 10_000_000  # that are gone through one by one
_GLANCE_BYTES = 4096
_SOURCES_NAMED = 64  # that a source may name: all of them are read for each
_SOURCE = "OCCUTUNE_SOURCE"


class Column(NamedTuple):
    """A value that no expression can say: it becomes a parameter, and the configurations are listed one by one."""

    name: str
    value: Callable[[Mapping[str, Any]], Any]


def read_lists(tune_params: Mapping[str, Sequence[Any]]) -> Dict[str, List[Any]]:
    """The parameters with their values as given, NumPy's numbers as Python's."""
    if not isinstance(tune_params, Mapping):
        raise TypeError("tune_params: give a dictionary of lists")
    for name, values in tune_params.items():
        if not isinstance(name, str):
            raise TypeError(f"tune_params: a name is text, not {name!r}")
        if isinstance(values, (str, bytes)) or not numpy.iterable(values):
            raise TypeError(f'tune_params["{name}"]: {values!r} is no list of values')
    return {name: plain(list(values)) for name, values in tune_params.items()}


def read_parameters(given: Mapping[str, List[Any]]) -> Dict[str, List[Any]]:
    """The parameters with distinct values."""
    parameters: Dict[str, List[Any]] = {}
    for name, values in given.items():
        if name in ("grid_size_x", "grid_size_y", "grid_size_z", "time"):
            raise ValueError(f"tune_params: the name {name} is taken")
        if name.startswith(("nvml_", "tegra_")):
            raise ValueError(f"tune_params: {name}: clocks and power limits are not tuned; use Kernel Tuner itself for them")
        checked = [_check_value(value, f'tune_params["{name}"][{index}]') for index, value in enumerate(values)]
        parameters[name] = list(dict.fromkeys(checked))
    return parameters


def _check_value(value: Any, place: str) -> Any:
    """Refuses what no dictionary and no JSON could hold."""
    if not isinstance(value, (bool, int, float, str)):
        raise TypeError(f"{place}: a value is a number, a truth value or text, not a {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place}: {value} is no number that a kernel could be compiled for")
    return value


def _define(name: str, function: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
    def value(params: Mapping[str, Any]) -> Any:
        with blamed(f'defines["{name}"]', params):
            return function(params)

    return value


class Job:
    """Everything about one kernel that does not depend on how it is searched."""

    def __init__(self, kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any],
                 tune_params: Mapping[str, Sequence[Any]], *, divisors: Sequence[Any] = (None, None, None),
                 restrictions: Any = None, lang: Optional[str] = None, smem_args: Optional[Mapping[str, Any]] = None,
                 cmem_args: Optional[Mapping[str, Any]] = None, compiler_options: Optional[Sequence[str]] = None,
                 defines: Optional[Mapping[str, Any]] = None, block_size_names: Optional[Sequence[str]] = None) -> None:
        check_shapes(kernel_name, arguments, {"smem_args": smem_args, "cmem_args": cmem_args, "defines": defines,
                                              "compiler_options": compiler_options, "lang": lang})
        self.name = kernel_name
        given = read_lists(tune_params)
        self.parameters = read_parameters(given)
        # where each value stood, for messages: those that were given twice are left out
        self.positions = {name: [given[name].index(value) for value in values] for name, values in self.parameters.items()}
        self.kinds = {name: kind_of(values) for name, values in self.parameters.items() if values}
        self.restrictions: List[Restriction] = read_restrictions(restrictions, self.kinds)
        self.geometry: Geometry = read_geometry(problem_size, divisors, block_size_names, smem_args, self.kinds)
        self.source = Source(kernel_source, lang)
        self.arguments = list(arguments)
        self.constants = dict(cmem_args or {})
        self.options = list(compiler_options or [])
        self.defines = defines
        self.listed: Optional[List[Dict[str, Any]]] = None
        self.texts: Dict[str, int] = {}  # the sources that a generator made, by their text

    # The space -------------------------------------------------------------------------------------------------

    def list_only(self, configurations: Sequence[Dict[str, Any]]) -> None:
        """Says which configurations there are, in place of restrictions."""
        self.listed = list(configurations)

    def part(self, arguments: Sequence[Any], configurations: Sequence[Dict[str, Any]]) -> Job:
        """The same kernel with other arguments and these configurations only."""
        part = copy.copy(self)
        part.arguments, part.listed, part.texts = list(arguments), list(configurations), {}
        return part

    def configurations(self) -> Iterator[Dict[str, Any]]:
        """The configurations that satisfy all restrictions, the last parameter varying fastest."""
        if self.listed is not None:
            yield from self.listed
            return
        count = math.prod(len(values) for values in self.parameters.values())
        if count > _COMBINATIONS_MOST:
            raise ValueError(f"{count} combinations are too many to go through one by one: write restrictions, grid divisors "
                             "and the problem size as strings, not as functions")
        for values in itertools.product(*self.parameters.values()):
            params = dict(zip(self.parameters, values))
            if all(restriction.holds(params) for restriction in self.restrictions):
                yield params

    def columns(self) -> List[Column]:
        """What only the caller's functions can say."""
        columns: List[Column] = []
        if self.source.generator:
            columns.append(Column(_SOURCE, self._source_number))
        named = self.defines is None and self._mentions_grid()
        for axis, formula in zip(AXES, self.geometry.grid):
            if formula.text is None or named:
                columns.append(Column(f"grid_size_{axis}", formula.value))
        if self.geometry.shared and self.geometry.shared.text is None:
            columns.append(Column("occutune_shared", self.geometry.shared.value))
        for name, value in (self.defines or {}).items():
            if callable(value):
                columns.append(Column(f"occutune_define_{name}", _define(name, value)))
        return columns

    def _mentions_grid(self) -> bool:
        return any(mentions(self.source.text, f"grid_size_{axis}") for axis in AXES)

    def _source_number(self, params: Mapping[str, Any]) -> int:
        return self.texts.setdefault(self.source.of(params), len(self.texts))

    def is_listed(self) -> bool:
        """Whether the configurations have to be listed one by one."""
        return self.listed is not None or bool(self.columns()) or any(restriction.text is None for restriction in self.restrictions)

    def space(self) -> Dict[str, Any]:
        """The part of the spec that says which configurations there are."""
        if not self.is_listed():
            constraints = [restriction.text for restriction in self.restrictions]
            return {"parameters": self.parameters, "constraints": constraints}
        columns = self.columns()
        rows = [[*(plain(column.value(params)) for column in columns), *params.values()] for params in self.configurations()]
        if not rows:
            raise ValueError("restrictions: no configuration is valid")
        parameters = {column.name: list(dict.fromkeys(row[at] for row in rows)) for at, column in enumerate(columns)}
        names = [*parameters, *self.parameters]
        return {"parameters": {**parameters, **self.parameters}, "configurations": rows, "default": dict(zip(names, rows[0]))}

    # The launch ------------------------------------------------------------------------------------------------

    def _text(self, formula: Formula, column: str, columns: Sequence[str]) -> str:
        if column in columns:
            return column
        assert formula.text is not None
        return formula.text

    def launch(self) -> Dict[str, Any]:
        """The part of the spec that says how the kernel is launched."""
        columns = [column.name for column in self.columns()]
        geometry = self.geometry
        launch = {"grid": [self._text(formula, f"grid_size_{axis}", columns) for axis, formula in zip(AXES, geometry.grid)],
                  "block": [formula.text for formula in geometry.block]}
        if geometry.shared:
            launch["shared"] = self._text(geometry.shared, "occutune_shared", columns)
        return launch

    def problem(self) -> Dict[str, int]:
        """The problem sizes that expressions of the launch may name."""
        return {f"problem_size_{axis}": size for axis, size in self.geometry.sizes.items()}

    # The source ------------------------------------------------------------------------------------------------

    def kernel(self, workspace: Workspace) -> Dict[str, Any]:
        """The part of the spec about the source, whose files are written; `space` must have been called."""
        if self.source.generator:
            for text, number in self.texts.items():
                workspace.write(f"source{number}.cu", self._prepared(text))
            text = _include_one(len(self.texts))
        else:
            text = self._prepared(self.source.text)
        file = workspace.write("kernel.cu", text)
        return {"file": file, "name": self.name, "options": self._all_options(str(workspace.path))}

    def _prepared(self, text: str) -> str:
        return self._macros() + with_unrolling(text, list(self.parameters) if self.defines is None else [])

    def _macros(self) -> str:
        defines = self.defines
        if defines is not None:
            defines = {name: f"occutune_define_{name}" if callable(value) else value for name, value in defines.items()}
        return macros(defines, list(self.parameters))

    def _all_options(self, folder: str) -> List[str]:
        options = [_absolute_include(option) for option in self.options]
        options += [f"-I{place}" for place in self._include_folders(folder)]
        if self.defines is None:
            options.append("-Dkernel_tuner=1")
            options += [f"-D{name}={formula.text}" for name, formula in zip(self.geometry.block_names, self.geometry.block)
                        if name not in self.parameters]
        return options

    def _include_folders(self, folder: str) -> List[str]:
        """None where nothing is included: the compiler's cache then knows the code whatever folder a script runs in."""
        if self.source.generator:
            return [*([] if len(self.texts) <= _SOURCES_NAMED else [folder]), *self._mentioned_folders(list(self.texts))]
        return self._mentioned_folders([self.source.text])

    def _mentioned_folders(self, texts: Sequence[str]) -> List[str]:
        return self.source.folders if any("include" in text for text in [*texts, *self.options]) else []

    # The arguments ---------------------------------------------------------------------------------------------

    def declared(self, position: int) -> str:
        """The declaration of a parameter of the kernel; "" where it cannot be found."""
        parameters = parameter_list(self.source.text or next(iter(self.texts), ""), self.name)
        return parameters[position] if position < len(parameters) else ""

    def is_input(self, position: int) -> bool:
        """Whether the kernel's declaration says that it only reads an array."""
        return is_read_only(self.source.text or next(iter(self.texts), ""), self.name, position)

    def spec_arguments(self, workspace: Workspace) -> List[Dict[str, Any]]:
        """The part of the spec about the arguments, whose arrays are written."""
        def one(position: int) -> Dict[str, Any]:
            argument = self.arguments[position]
            if not is_array(argument):
                check_scalar(argument, position, self.declared(position))
                return _scalar(argument, position)
            try:
                return _buffer(workspace, argument, argument_name(position), "in" if self.is_input(position) else "inout")
            except TypeError as error:
                raise TypeError(f"arguments[{position}]: {error}") from error

        with ThreadPoolExecutor() as pool:
            arguments = list(pool.map(one, range(len(self.arguments))))
        for name, value in self.constants.items():
            array = value if is_array(value) else numpy.atleast_1d(value)
            saved = workspace.save(array)
            arguments.append({"symbol": name, "type": saved["type"], "length": saved["length"],
                              "fill": saved["fill"]})
        return arguments

    def code_spec(self, workspace: Workspace) -> Dict[str, Any]:
        """What compiling takes: a spec without arguments."""
        space = self.space()
        return {"kernel": self.kernel(workspace), **space, "problem": self.problem(), "launch": self.launch(),
                "arguments": [], "reference": "none"}

    def spec(self, workspace: Workspace) -> Dict[str, Any]:
        """The whole spec, without a reference."""
        return {**self.code_spec(workspace), "arguments": self.spec_arguments(workspace)}


def argument_name(position: int) -> str:
    """What the spec calls an array."""
    return f"argument_{position}"


def _include_one(count: int) -> str:
    """One of so many sources, by its number. Few are written out: what compiles knows then what it compiles, and keeps the code."""
    if count > _SOURCES_NAMED:
        return "\n".join(["#define OCCUTUNE_TEXT(name) #name", "#define OCCUTUNE_NAME(n) OCCUTUNE_TEXT(source##n.cu)",
                          "#define OCCUTUNE_FILE(n) OCCUTUNE_NAME(n)", f"#include OCCUTUNE_FILE({_SOURCE})", ""])
    return "".join(f'#if {_SOURCE} == {number}\n#include "source{number}.cu"\n#endif\n' for number in range(count))


def _absolute_include(option: str) -> str:
    if option.startswith("-I") and len(option) > 2 and not os.path.isabs(option[2:]):
        return f"-I{os.path.abspath(option[2:].strip())}"
    return option


def _buffer(workspace: Workspace, array: Any, name: str, role: str) -> Dict[str, Any]:
    if not to_numpy(array).size:  # a kernel gets a pointer in any case
        array = numpy.zeros(1, to_numpy(array).dtype)
    kind, elements = element_type(to_numpy(array))
    fill = {"constant": 0} if _is_zero(elements) else workspace.save(array)["fill"]
    return {"buffer": kind, "name": name, "length": int(elements.size), "role": role, "fill": fill}


def _is_zero(elements: numpy.ndarray) -> bool:
    """Most arrays say no at once; `any` would look at all of them."""
    raw = elements.view(numpy.uint8)
    return not raw[:_GLANCE_BYTES].any() and not raw[_GLANCE_BYTES:].any()


def check_scalar(argument: Any, position: int, declared: str = "") -> None:
    """Refuses a number without a width, with the way to say it."""
    if isinstance(argument, (numpy.generic, numpy.ndarray)):
        return
    example = f", such as numpy.{'int32' if isinstance(argument, int) else 'float32'}({argument!r})" \
        if isinstance(argument, (int, float)) else ""
    says = f"; the kernel declares it as `{declared}`" if declared else ""
    raise TypeError(f"argument {position} is a {type(argument).__name__}, give an array or a NumPy scalar{example}{says}")


def scalar_bytes(argument: Any, position: int) -> bytes:
    """A scalar as it is passed."""
    check_scalar(argument, position)
    raw: bytes = argument.tobytes()
    return raw


def _scalar(argument: Any, position: int) -> Dict[str, Any]:
    raw = scalar_bytes(argument, position)
    if isinstance(argument, numpy.generic) and argument.dtype.kind in "iuf" and argument.dtype.itemsize <= 8:
        number = argument.item()
        if abs(number) < 1 << 53 and argument.dtype.name != "float16":
            return {"scalar": argument.dtype.name, "value": repr(number) if number >= 0 else f"-({repr(-number)})"}
    return {"scalar": "bytes", "value": raw.hex()}


def expected_files(workspace: Workspace, job: Job, answer: Sequence[Any]) -> Dict[str, str]:
    """The files of the expected results, checked against the arguments."""
    if not isinstance(answer, (list, tuple)):
        raise TypeError(f"answer: give a list with an expected result, or None, for each argument, not {type(answer).__name__}")
    if len(answer) != len(job.arguments):
        raise TypeError("answer: the length of the argument list and of the expected results do not match")
    files: Dict[str, str] = {}
    for position, (expected, argument) in enumerate(zip(answer, job.arguments)):
        if expected is None or not is_array(argument):
            continue
        if not is_array(expected):
            raise TypeError(f"answer[{position}] is no array; an array of the argument's size is expected")
        array, wanted = to_numpy(argument), to_numpy(expected)
        if not numpy.can_cast(array.dtype, wanted.dtype):
            raise TypeError(f"answer[{position}]: {wanted.dtype} is not compatible with the argument's {array.dtype}")
        if wanted.size != array.size:
            raise TypeError(f"answer[{position}] has {wanted.size} elements, the argument {array.size}")
        files[argument_name(position)] = workspace.save(wanted.ravel().astype(array.dtype))["file"]
    return files


def check_argument_types(job: Job) -> None:
    """Warns, as Kernel Tuner does, when the source declares another number of parameters."""
    declared = parameter_list(job.source.text, job.name)
    if declared and len(declared) != len(job.arguments):
        warnings.warn(f"{job.name} declares {len(declared)} parameters, {len(job.arguments)} arguments are given", stacklevel=3)


def _blocks(formula: Formula, axis: str, params: Mapping[str, Any]) -> int:
    try:
        return formula.value(params)
    except ZeroDivisionError:
        raise ValueError(f"grid_div_{axis}, or the block size that stands for it, is 0") from None


def geometry_of(job: Job, params: Mapping[str, Any]) -> Tuple[Tuple[int, ...], Tuple[int, ...], int]:
    """Grid, block and dynamic shared memory of one configuration."""
    grid = tuple(_blocks(formula, axis, params) for formula, axis in zip(job.geometry.grid, AXES))
    block = tuple(formula.value(params) for formula in job.geometry.block)
    shared = job.geometry.shared.value(params) if job.geometry.shared else 0
    return (*grid, 1, 1)[:3], block, shared
