"""Results in Kernel Tuner's format, from a journal."""

from __future__ import annotations

import gzip
import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from ._blame import blamed
from ._expression import evaluator
from ._job import Job

Metrics = Mapping[str, Union[str, Callable[[Dict[str, Any]], Any]]]


class ErrorConfig(str):
    """What stands in a result under "__error__"; prints as its name, as Kernel Tuner's. `reason` says more."""

    reason = ""

    def __str__(self) -> str:
        return type(self).__name__

    __repr__ = __str__


class InvalidConfig(ErrorConfig):
    """A configuration that cannot be launched."""


class CompilationFailedConfig(ErrorConfig):
    """A configuration that does not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """A configuration that failed when it ran, or whose result was wrong."""


_ERRORS = {"compile": "CompilationFailedConfig", "constraint": "InvalidConfig", "limits": "InvalidConfig"}
GZIP_MAGIC = b"\x1f\x8b"
_TIMES = ("compile_time", "verification_time", "benchmark_time")
HIGHER_IS_BETTER = {"time": False, "energy": False, "cost": False, "loss": False, "fitness": True, "GFLOP/s": True,
                    "TFLOP/s": True, "GB/s": True, "TB/s": True}


def error(name: str, reason: str = "") -> ErrorConfig:
    """An error of this name, of Kernel Tuner's own class where that is loaded, so that its functions know it."""
    util = sys.modules.get("kernel_tuner.util")
    made: ErrorConfig = getattr(util or sys.modules[__name__], name)()
    made.reason = reason
    return made


def reason_of(result: Mapping[str, Any]) -> str:
    """Why a configuration has no time; "" where it has one."""
    return str(getattr(result.get("__error__"), "reason", ""))


def read_journal(journal: Path) -> Dict[str, Any]:
    """A journal, compressed or not; an empty one where a run ended before its first record.

    As in Kernel Tuner, a file that ends behind a record is read as far as it goes.
    """
    if not journal.exists():
        return {"cache": {}}
    raw = journal.read_bytes()
    text = (gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw).decode("utf-8").strip()
    try:
        data: Dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        data = json.loads(text.rstrip(",") + "}}")
    return data


def limits_of(journal: Mapping[str, Any]) -> Dict[str, Any]:
    """The limits of the GPU that a journal was measured on; empty in another tool's file."""
    limits: Dict[str, Any] = journal.get("occutune", {}).get("device", {}).get("limits", {})
    return limits


def outcome_of(record: Mapping[str, Any]) -> str:
    """What became of a configuration, in a journal of ours or of Kernel Tuner."""
    if "outcome" in record:
        return str(record["outcome"])
    return "ok" if isinstance(record.get("time"), (int, float)) else str(record.get("__error__", record.get("time")))


def measured_record(record: Mapping[str, Any], records: Mapping[str, Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
    """The record with the time of this one: its own, or that of the configuration with the same code."""
    if outcome_of(record) == "same-code":
        record = records.get(record.get("same_as", ""), {})
    return record if isinstance(record.get("time"), (int, float)) else None


def _reason(record: Mapping[str, Any], records: Mapping[str, Mapping[str, Any]]) -> str:
    if outcome_of(record) == "same-code":
        record = records.get(record.get("same_as", ""), {})
    return ": ".join(filter(None, [outcome_of(record), str(record.get("message", ""))]))


def result_of(record: Mapping[str, Any], records: Mapping[str, Mapping[str, Any]], names: Sequence[str],
              more: Mapping[str, str]) -> Dict[str, Any]:
    """One result in Kernel Tuner's format; `more` are further fields of ours by the names that they have there."""
    result: Dict[str, Any] = {name: record[name] for name in names}
    measured = measured_record(record, records)
    if measured is None:
        result["__error__"] = error(_ERRORS.get(outcome_of(record), "RuntimeFailedConfig"), _reason(record, records))
    else:
        result["time"] = float(measured["time"])
        result["times"] = list(measured.get("times", [measured["time"]]))
        result.update({name: measured[ours] for name, ours in more.items() if ours in measured})
    for name in _TIMES:
        result[name] = float(record.get(name, 0))
    result["timestamp"] = str(record.get("timestamp") or datetime.now(timezone.utc))
    return result


def _is_in_space(params: Mapping[str, Any], job: Job, threads_most: int) -> bool:
    """Whether Kernel Tuner's space has it: by values and restrictions, which a cache need not have had, and by threads."""
    if not all(value in job.parameters[name] for name, value in params.items()):
        return False
    if not all(restriction.holds(params) for restriction in job.restrictions):
        return False
    threads = 1
    for formula in job.geometry.block:
        threads *= formula.value(params)
    return threads <= threads_most


def results_of(journal: Mapping[str, Any], job: Job, more: Mapping[str, str]) -> List[Dict[str, Any]]:
    """All configurations that were tried; see `result_of`."""
    records: Mapping[str, Mapping[str, Any]] = journal["cache"]
    most = limits_of(journal).get("threads_per_block", 1024)
    names = list(job.parameters)
    results = [result_of(record, records, names, more) for record in records.values()
               if all(name in record for name in names)]
    return [result for result in results if _is_in_space({name: result[name] for name in names}, job, most)]


def in_order(results: Sequence[Dict[str, Any]], parameters: Mapping[str, Sequence[Any]]) -> List[Dict[str, Any]]:
    """The results in the order of the space."""
    order = {name: {value: at for at, value in enumerate(values)} for name, values in parameters.items()}
    return sorted(results, key=lambda result: [order[name].get(result[name], 0) for name in parameters])


def check_metrics(metrics: Optional[Metrics]) -> Dict[str, Callable[[Dict[str, Any]], Any]]:
    """The metrics as functions of a result: what is no expression is said before anything runs."""
    functions: Dict[str, Callable[[Dict[str, Any]], Any]] = {}
    if not isinstance(metrics or {}, Mapping):
        raise TypeError(f"metrics: give a dictionary, not {type(metrics).__name__}")
    for name, value in (metrics or {}).items():
        place = f'metrics["{name}"]'
        if not isinstance(value, str) and not callable(value):
            raise TypeError(f"{place}: {value!r} is neither an expression nor a function")
        functions[name] = evaluator(value, place) if isinstance(value, str) else value
    return functions


def add_metrics(results: Sequence[Dict[str, Any]], metrics: Optional[Metrics]) -> None:
    """Computes the metrics of every result that has a time, each from those before it."""
    functions = check_metrics(metrics)
    for result in results:
        for name, function in functions.items():
            if "__error__" not in result:
                with blamed(f'metrics["{name}"]', result):
                    result[name] = function(result)


class Spent(NamedTuple):
    """Seconds of a search: the program's, those until its finals, and of the latter what the search itself took."""

    program_s: float = 0.0
    searching_s: float = 0.0
    controller_s: float = 0.0

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(*(mine + theirs for mine, theirs in zip(self, other)))


def worked_ms(results: Sequence[Mapping[str, Any]]) -> float:
    """What compiling, comparing and timing took."""
    return float(sum(result[name] for result in results for name in _TIMES))


def add_overheads(results: Sequence[Dict[str, Any]], spent: Spent, elapsed_s: float) -> None:
    """Spreads what the search itself took over the results, as Kernel Tuner does.

    Where many were compiled at once, each gets its share of the time that passed meanwhile: the sum of all is never more.
    """
    sums = {name: sum(result[name] for result in results) for name in _TIMES}
    left = max(1e3 * (spent.searching_s - spent.controller_s) - sums["verification_time"] - sums["benchmark_time"], 0.0)
    share = min(left / sums["compile_time"], 1.0) if sums["compile_time"] else 1.0
    for result in results:
        result["compile_time"] *= share
        result["strategy_time"] = 1e3 * spent.controller_s / len(results)
        result["framework_time"] = 1e3 * max(elapsed_s - spent.program_s, 0.0) / len(results)


def best_of(results: Sequence[Dict[str, Any]], objective: str, higher_is_better: bool) -> Optional[Dict[str, Any]]:
    """The best result; None when no configuration ran correctly."""
    ran = [result for result in results if "__error__" not in result and isinstance(result.get(objective), (int, float))]
    if not ran:
        return None
    return (max if higher_is_better else min)(ran, key=lambda result: float(result[objective]))


def totals(results: Sequence[Mapping[str, Any]], elapsed_ms: float) -> Dict[str, float]:
    """The sums that Kernel Tuner's environment has, in milliseconds."""
    names = ("framework_time", "strategy_time", *_TIMES)
    sums = {f"total_{name}": float(sum(result[name] for result in results)) for name in names}
    return {**sums, "overhead_time": max(elapsed_ms - sum(sums.values()), 0.0)}


def config_text(result: Mapping[str, Any], keys: Sequence[str]) -> str:
    """"block_size_x=128, time=0.026ms", as Kernel Tuner prints it."""
    parts = []
    for key in keys:
        if key in result:
            value = result[key]
            parts.append(f"{key}={value:.3f}" if isinstance(value, float) else f"{key}={value}")
            parts[-1] += "ms" if key == "time" else ""
    return ", ".join(parts)
