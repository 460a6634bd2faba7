"""Tunes CUDA kernels with a calibrated latency/throughput model.

`tune`, `predict`, `explain` and `compare` take a spec: a path, or a dictionary with arrays in it. `tune_kernel` and
`run_kernel` have Kernel Tuner's signature. `Study` asks its caller for the times. docs/python.md has examples of each.
"""

from . import strategies
from ._commands import compare, explain, predict, space, time, tune
from ._formats import T1Error, read_t1, t4_results, write_t4
from ._run_kernel import run_kernel
from ._tool import NothingRan, OccutuneError, UsageError
from ._tune_kernel import tune_kernel
from .decision import Decision, Problem, Variant, header
from .study import Study, Trial

__all__ = ["Decision", "NothingRan", "OccutuneError", "Problem", "Study", "T1Error", "Trial", "UsageError",
           "Variant", "compare", "explain", "header",
           "predict", "read_t1", "run_kernel", "space", "strategies", "t4_results", "time", "tune", "tune_kernel", "write_t4"]
