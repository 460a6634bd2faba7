"""Tunes CUDA kernels with a calibrated latency/throughput model.

`tune`, `predict`, `explain` and `compare` take a spec: a path, or a dictionary with arrays in it. `tune_kernel` and
`run_kernel` have Kernel Tuner's signature. `Study` asks its caller for the times. docs/python.md has examples of each.
"""

from typing import TYPE_CHECKING, Any

from . import _commands, _tool, _tune_kernel, strategies
from ._blame import FunctionError
from ._commands import compare, explain, predict, space, time
from ._formats import T1Error, read_t1, t4_results, write_t4
from ._run_kernel import run_kernel
from ._tool import NothingRan, OccutuneError, UsageError
from .decision import Decision, Problem, Variant, header
from .study import Study, Trial

__all__ = ["Decision", "FunctionError", "NothingRan", "OccutuneError", "Problem", "Study", "T1Error", "Trial", "UsageError",
           "Variant", "compare", "explain", "header",
           "predict", "read_t1", "run_kernel", "space", "strategies", "t4_results", "time", "tune", "tune_kernel", "write_t4"]

if TYPE_CHECKING:
    from ._commands import tune
    from ._tune_kernel import tune_kernel

_TUNES = {"tune": _commands, "tune_kernel": _tune_kernel}


def __getattr__(name: str) -> Any:
    """Who takes a function that tunes has the GPU made ready beside what comes before the call: imports, data."""
    if name not in _TUNES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _tool.make_ready_early()
    return getattr(_TUNES[name], name)
