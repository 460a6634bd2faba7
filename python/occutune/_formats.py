"""The exchange formats of autotuners: T1 (a tuning problem) is read, T4 (results) is written."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._expression import TOO_DEEP, Untranslatable, evaluate_safely, kind_of, number, translate, truth
from ._results import measured_record, outcome_of, read_journal
from .decision import Path_

_TYPES = {"int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8", "uint16": "uint16",
          "uint32": "uint32", "uint64": "uint64", "half": "float16", "float": "float32", "double": "float64", "int": "int32",
          "uint": "uint32"}
_AXES = ("X", "Y", "Z")


class T1Error(ValueError):
    """What a T1 file asks for that a spec cannot say; the text begins with the place."""


# T1 ------------------------------------------------------------------------------------------------------------

_SHAPES: Dict[type, str] = {dict: "an object", list: "a list", str: "text"}


def _expect(value: Any, shape: type, place: str) -> None:
    if not isinstance(value, shape):
        raise T1Error(f"{place}: give {_SHAPES[shape]}, not {repr(value)[:60]}")


def _expect_fields(holder: Mapping[str, Any], shape: type, place: str, names: Sequence[str]) -> None:
    for name in names:
        if name in holder:
            _expect(holder[name], shape, f"{place}.{name}")


def _check_shapes(data: Any) -> None:
    """What the file is made of; what stands in it is checked where it is read."""
    _expect(data, dict, "the file")
    _expect_fields(data, dict, "the file", ("KernelSpecification", "ConfigurationSpace"))
    kernel, space = data["KernelSpecification"], data["ConfigurationSpace"]
    _expect_fields(kernel, str, "KernelSpecification", ("Language", "KernelName", "KernelFile", "GlobalSizeType"))
    _expect_fields(kernel, dict, "KernelSpecification", ("GlobalSize", "LocalSize"))
    _expect_fields(kernel, list, "KernelSpecification", ("Arguments", "CompilerOptions"))
    _expect_fields(space, list, "ConfigurationSpace", ("TuningParameters", "Conditions"))
    for name, items in (("TuningParameters", space["TuningParameters"]), ("Conditions", space.get("Conditions", [])),
                        ("Arguments", kernel.get("Arguments", []))):
        for at, item in enumerate(items):
            _expect(item, dict, f"{name}[{at}]")
            _expect_fields(item, str, f"{name}[{at}]", ("Name", "Type", "MemoryType", "MemType", "AccessType", "FillType"))


class _Known(ast.NodeTransformer):
    """Puts numbers for what Kernel Tuner's own T1 files say beside Python: `ProblemSize[0]`, and `max(filter_width)` and
    `min(...)` of all values of one parameter."""

    def __init__(self, sizes: Sequence[Any], parameters: Mapping[str, Sequence[Any]]) -> None:
        self._sizes, self._parameters = sizes, parameters

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        at = node.slice
        if (isinstance(node.value, ast.Name) and node.value.id == "ProblemSize" and isinstance(at, ast.Constant)
                and isinstance(at.value, int) and at.value in range(len(self._sizes))):
            return ast.Constant(self._sizes[at.value])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        ends = {"max": max, "min": min}.get(getattr(node.func, "id", ""))
        if ends and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[0].id in self._parameters:
            return ast.Constant(ends(self._parameters[node.args[0].id]))
        return self.generic_visit(node)


class _T1:
    """One T1 file on its way to a spec. Its expressions are translated, never executed."""

    def __init__(self, data: Mapping[str, Any], folder: Path) -> None:
        self.folder = folder
        self.kernel: Mapping[str, Any] = data["KernelSpecification"]
        self.space: Mapping[str, Any] = data["ConfigurationSpace"]
        self.parameters = {item["Name"]: self._values(item) for item in self.space["TuningParameters"]}
        self.kinds = {name: kind_of(values) for name, values in self.parameters.items()}
        self.problem = self._problem()
        self._known = _Known(list(self.problem.values()), self.parameters)

    def _values(self, item: Mapping[str, Any]) -> List[Any]:
        place, values = f"TuningParameters.{item['Name']}.Values", item["Values"]
        try:
            values = evaluate_safely(values, {}) if isinstance(values, str) else values
        except (Untranslatable, ValueError, TypeError, ArithmeticError) as error:
            raise T1Error(f"{place}: {item['Values']!r}: {error}") from error
        if not isinstance(values, list) or not values or any(isinstance(value, (list, dict)) for value in values):
            raise T1Error(f"{place}: {item['Values']!r} is no list of values")
        return list(dict.fromkeys(values))

    def _problem(self) -> Dict[str, Any]:
        sizes = self.kernel.get("ProblemSize")
        if sizes is None:
            return {}
        sizes = sizes if isinstance(sizes, list) else [sizes]
        return {f"problem_size_{axis.lower()}": size for axis, size in zip(_AXES, sizes)}

    def _expression(self, text: Any, place: str, condition: bool = False) -> str:
        kinds = {**self.kinds, **dict.fromkeys(self.problem, "number")}
        try:
            term = translate(self._with_known(str(text)), kinds)
            return truth(term) if condition else number(term)
        except ValueError as error:
            raise T1Error(f"{place}: {text!r}: {error}") from error

    def _with_known(self, text: str) -> str:
        try:
            return ast.unparse(self._known.visit(ast.parse(text.strip(), mode="eval")))
        except (SyntaxError, TypeError, *TOO_DEEP):  # `max` of what has no order
            return text  # which is refused with its place

    def constraints(self) -> List[str]:
        """The conditions as expressions of the spec."""
        return [self._expression(item["Expression"], f"Conditions[{at}]", True)
                for at, item in enumerate(self.space.get("Conditions", []))]

    def default(self) -> Dict[str, Any]:
        """What the parameters say they start with."""
        values = {item["Name"]: item["Default"] for item in self.space["TuningParameters"] if "Default" in item}
        return {name: value for name, value in values.items() if value in self.parameters[name]}

    def _sizes(self, field: str) -> List[str]:
        sizes = self.kernel.get(field, {})
        return [self._expression(sizes[axis], f"{field}.{axis}") for axis in _AXES if axis in sizes]

    def launch(self) -> Dict[str, Any]:
        """Grid and thread block: sizes in blocks or threads, or a problem size and what divides it."""
        block = self._sizes("LocalSize")
        if self.problem and any(f"GridDiv{axis}" in self.kernel for axis in _AXES):
            grid = [self._quotient(axis, size) for axis, size in zip(_AXES, self.problem)]
        else:
            grid = self._sizes("GlobalSize")
            if self.kernel.get("GlobalSizeType", "OpenCL" if self.kernel["Language"] == "OpenCL" else "CUDA") == "OpenCL":
                grid = [f"ceil(({total}) / ({threads}))" for total, threads in zip(grid, block)]
        launch: Dict[str, Any] = {"grid": grid, "block": block}
        if self.kernel.get("SharedMemory"):
            launch["shared"] = self._expression(self.kernel["SharedMemory"], "SharedMemory")
        return launch

    def _quotient(self, axis: str, size: str) -> str:
        divisors = self.kernel.get(f"GridDiv{axis}") or []
        divisors = divisors if isinstance(divisors, list) else [divisors]
        product = " * ".join(f"({self._expression(item, f'GridDiv{axis}')})" for item in divisors) or "1"
        return f"ceil({size} / ({product}))"

    def arguments(self) -> List[Dict[str, Any]]:
        """Scalars, buffers and constant memory."""
        return [self._argument(item, at) for at, item in enumerate(self.kernel.get("Arguments", []))]

    def _argument(self, item: Mapping[str, Any], at: int) -> Dict[str, Any]:
        place = f"Arguments[{at}]"
        kind = _TYPES.get(item["Type"])
        if kind is None:
            raise T1Error(f"{place}.Type: {item['Type']} is not supported")
        if item["MemoryType"] == "Scalar":
            return {"scalar": kind, "value": str(item.get("FillValue", 0))}
        if item["MemoryType"] not in ("Vector", "Symbol"):
            raise T1Error(f"{place}.MemoryType: {item['MemoryType']} is not supported; use Scalar, Vector or Symbol")
        fill = self._fill(item, place)
        length = self._expression(item.get("Size", 1), f"{place}.Size")
        name = item.get("Name", f"argument_{at}")
        if item["MemoryType"] == "Symbol" or item.get("MemType") == "Constant":
            return {"symbol": name, "type": kind, "length": length, "fill": fill}
        role = {"ReadOnly": "in", "WriteOnly": "out"}.get(item.get("AccessType", ""), "inout")
        return {"buffer": kind, "name": name, "length": length, "role": role, **({} if role == "out" else {"fill": fill})}

    def _fill(self, item: Mapping[str, Any], place: str) -> Dict[str, Any]:
        kind, value = item.get("FillType", "Constant"), item.get("FillValue", 0)
        if kind == "Constant":
            return {"constant": value}
        if kind == "Random":
            seed = {"seed": item["RandomSeed"]} if "RandomSeed" in item else {}
            return {"uniform": [0, value or 1], **seed}
        raise T1Error(f"{place}.FillType: {kind} is not supported; use Constant or Random")

    def source(self) -> Dict[str, Any]:
        """The kernel. A name may have the parameters in it."""
        if self.kernel["Language"] != "CUDA":
            raise T1Error(f"KernelSpecification.Language: {self.kernel['Language']} is not supported; CUDA is")
        return {"file": str(self.folder / self.kernel["KernelFile"]), "name": self.kernel["KernelName"],
                "options": list(self.kernel.get("CompilerOptions", []))}


def read_t1(path: Path_) -> Dict[str, Any]:
    """A tuning problem in the T1 format as a spec, a dictionary for `tune` and the other functions.

    Conditions and sizes may be Python's arithmetic over the parameters, lists of values also ranges and comprehensions;
    nothing of the file is executed. Results are not compared. A T1Error names what a spec cannot say.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        _check_shapes(data)
        t1 = _T1(data, path.resolve().parent)
        spec: Dict[str, Any] = {"kernel": t1.source(), "parameters": t1.parameters, "constraints": t1.constraints(),
                                "problem": t1.problem, "launch": t1.launch(), "arguments": t1.arguments(),
                                "reference": "none"}
    except T1Error as error:
        raise T1Error(f"{path}: {error}") from error
    except KeyError as error:
        raise T1Error(f"{path}: the field {error} is missing") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise T1Error(f"{path}: is no JSON: {error}") from error
    if t1.default():
        spec["default"] = t1.default()
    return spec


# T4 ------------------------------------------------------------------------------------------------------------

_INVALIDITY = {"ok": "correct", "same-code": "correct", "compile": "compile", "constraint": "constraints",
               "limits": "constraints", "wrong": "correctness", "unstable": "correctness", "timeout": "timeout",
               "InvalidConfig": "constraints", "CompilationFailedConfig": "compile"}
_NO_MEASUREMENT = {"time", "times", "timestamp", "compile_time", "verification_time", "benchmark_time", "trial_time",
                   "framework_time", "strategy_time", "outcome", "message", "same_as", "checksum", "__error__"}


def _measurements(record: Mapping[str, Any], measured: Optional[Mapping[str, Any]], names: Sequence[str]) -> List[Dict[str, Any]]:
    numbers = [{"name": name, "value": value, "unit": ""} for name, value in record.items()
               if name not in names and name not in _NO_MEASUREMENT and isinstance(value, (int, float))
               and not isinstance(value, bool)]
    return ([{"name": "time", "value": measured["time"], "unit": "ms"}] if measured else []) + numbers


def _result(record: Mapping[str, Any], records: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> Dict[str, Any]:
    measured = measured_record(record, records)
    compilation = float(record.get("compile_time", 0))
    result = {
        "configuration": {name: record[name] for name in names},
        # readers of both spellings are about: the schema has compilation_time, Kernel Tuner writes compilation
        "times": {"compilation_time": compilation, "compilation": compilation,
                  "benchmark": float(record.get("benchmark_time", 0)), "framework": float(record.get("framework_time", 0)),
                  "search_algorithm": float(record.get("strategy_time", 0)),
                  "validation": float(record.get("verification_time", 0)),
                  "runtimes": list(measured.get("times", [measured["time"]])) if measured else []},
        "invalidity": "correct" if measured else _INVALIDITY.get(outcome_of(record), "runtime"),
        "correctness": 1 if measured else 0,
        "measurements": _measurements(record, measured, names),
        "objectives": ["time"],
    }
    if "timestamp" in record:
        result["timestamp"] = str(record["timestamp"])
    return result


def t4_results(journal: Union[Path_, Mapping[str, Any]]) -> Dict[str, Any]:
    """A journal, of ours or Kernel Tuner's, or its path, in the T4 results format."""
    data = journal if isinstance(journal, Mapping) else read_journal(Path(os.fspath(journal)).resolve(strict=True))
    if not {"cache", "tune_params_keys"} <= data.keys():
        raise ValueError(f"{'the journal' if isinstance(journal, Mapping) else os.fspath(journal)}: is neither a journal nor a "
                         "cache of Kernel Tuner")
    records, names = data["cache"], data["tune_params_keys"]
    return {"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"},
            "results": [_result(record, records, names) for record in records.values()]}


def write_t4(journal: Union[Path_, Mapping[str, Any]], path: Path_) -> None:
    """Writes the results of a journal in the T4 format."""
    Path(path).write_text(json.dumps(t4_results(journal), indent=1) + "\n", encoding="utf-8")
