"""Tunes CUDA kernels with a calibrated latency/throughput model.

`tune`, `predict`, `explain` and `compare` take a spec: a path, or a dictionary with arrays in it. `tune_kernel` and
`run_kernel` have Kernel Tuner's signature. docs/python.md has examples of each.
"""

from ._commands import compare, explain, predict, space, time, tune
from ._run_kernel import run_kernel
from ._tool import NothingRan, OccutuneError, UsageError
from ._tune_kernel import tune_kernel
from .decision import Decision, Problem, Variant, header

__all__ = ["Decision", "NothingRan", "OccutuneError", "Problem", "UsageError", "Variant", "compare", "explain", "header",
           "predict", "run_kernel", "space", "time", "tune", "tune_kernel"]
