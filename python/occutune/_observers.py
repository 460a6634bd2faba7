"""Kernel Tuner's observers: they watch launches of this process, which follow the search.

The search's own launches happen in another process. What an observer returns stands beside the times of the search.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence

import numpy

from ._blame import blamed

if TYPE_CHECKING:
    from ._run_kernel import Runner

_NOTHING: Dict[str, Any] = {}
_PART = 1 << 16  # elements that are compared at once: they stay in the cache


def _is_a(observer: Any, name: str) -> bool:
    """By the name of its class, so that Kernel Tuner need not be there."""
    return any(base.__name__ == name for base in type(observer).__mro__)


def _made(observer: Any, arguments: Mapping[str, Any]) -> Any:
    return observer(dict(arguments)) if callable(observer) and not hasattr(observer, "get_results") else observer


def _of_outputs_alone(observer: Any) -> bool:
    """Whether what it returns depends on the outputs and on nothing else: then the same outputs are shown to it once."""
    kind = type(observer)
    return kind.__name__ == "AccuracyObserver" and kind.__module__ == "kernel_tuner.accuracy"


def _same_bits(one: Optional[numpy.ndarray], other: Optional[numpy.ndarray]) -> bool:
    """Of two arrays, or of none; NaNs too are compared by their bits."""
    if one is None or other is None:
        return one is other
    if one.dtype != other.dtype or one.shape != other.shape or one.strides != other.strides:
        return False
    if not (one.flags.forc and other.flags.forc):
        return False
    width = one.dtype.itemsize
    mine, theirs = (numpy.ravel(array, order="K").view(f"u{width if width in (1, 2, 4, 8) else 1}") for array in (one, other))
    return all(numpy.array_equal(mine[at:at + _PART], theirs[at:at + _PART]) for at in range(0, mine.size, _PART))


class _Observed:
    """What an observer may ask of the device."""

    def __init__(self, runner: Runner) -> None:
        device = runner.device
        self.name = device.name
        self.env = {"device_name": self.name, "pci_bus_id": device.pci_bus}
        self.device = runner.device_number
        self.units = {"time": "ms"}


class Observers:
    """The observers of one call of `tune_kernel`."""

    def __init__(self, observers: Optional[Sequence[Any]], arguments: Optional[Mapping[str, Any]] = None) -> None:
        """An observer may be a function that makes one of `arguments`: language, device, platform and compiler."""
        given = [_made(observer, arguments or {}) for observer in observers or []]
        # Every journal has what Kernel Tuner's RegisterObserver asks for.
        self.registers = any(_is_a(observer, "RegisterObserver") for observer in given)
        self._all = [observer for observer in given if not _is_a(observer, "RegisterObserver")]
        for observer in self._all:
            if not all(callable(getattr(observer, name, None)) for name in ("before_start", "after_finish", "get_results")):
                raise ValueError(f"observers: {observer!r} is no observer: give objects of Kernel Tuner's classes, or your own "
                                 "that derive from its BenchmarkObserver")
        self._outputs = [observer for observer in self._all if hasattr(observer, "process_output")]
        self._shown: Optional[List[Any]] = None  # the outputs before these
        self._prologues = [observer for observer in self._all if _is_a(observer, "PrologueObserver")]
        self._iterated = [observer for observer in self._all if observer not in self._prologues]
        self._continuous = [observer.continuous_observer for observer in self._all if hasattr(observer, "continuous_observer")]

    def __bool__(self) -> bool:
        return bool(self._all)

    @property
    def judge_outputs(self) -> bool:
        """Whether results are judged by an observer, in place of the comparison with `answer`."""
        return bool(self._outputs)

    def register_device(self, runner: Runner) -> None:
        """Tells all which GPU it is."""
        observed = _Observed(runner)
        for observer in self._all:
            _tell(observer, "register_device", _NOTHING, observed)

    def process_outputs(self, answer: Optional[Sequence[Any]], outputs: Sequence[Any],
                        params: Mapping[str, Any] = _NOTHING) -> None:
        """Shows them what a launch wrote."""
        shown = [None if answer is not None and answer[at] is None else output for at, output in enumerate(outputs)]
        before, self._shown = self._shown, shown
        pure = list(map(_of_outputs_alone, self._outputs))
        known = any(pure) and before is not None and len(before) == len(shown) and all(map(_same_bits, before, shown))
        for observer, is_pure in zip(self._outputs, pure):
            if not (known and is_pure):
                _tell(observer, "process_output", params, answer, shown)

    def watch(self, runner: Runner, params: Mapping[str, Any], result: Dict[str, Any], iterations: int) -> None:
        """Launches a configuration under their eyes and adds what they return to its result."""
        for observer in self._all:
            _tell(observer, "register_configuration", params, dict(params))
        with runner.loaded(params) as launch:
            for observer in self._prologues:
                _watch_launches([observer], runner, launch, 1, params)
                result.update(_tell(observer, "get_results", params))
            for _ in range(iterations if self._iterated else 0):
                _watch_launches(self._iterated, runner, launch, 1, params)
            for observer in self._iterated:
                result.update(_tell(observer, "get_results", params))
            for observer in self._continuous:
                observer.results = result
            if self._continuous:
                duration_s = max(1.0, *(float(observer.continuous_duration) for observer in self._continuous))
                _watch_launches(self._continuous, runner, launch, math.ceil(1e3 * duration_s / max(result["time"], 1e-4)), params)
            for observer in self._continuous:
                result.update(_tell(observer, "get_results", params))


def _tell(observer: Any, method: str, params: Mapping[str, Any], *arguments: Any) -> Any:
    with blamed(f"observers: {type(observer).__name__}.{method}", params):
        return getattr(observer, method)(*arguments)


def _watch_launches(observers: List[Any], runner: Runner, launch: Any, count: int, params: Mapping[str, Any]) -> None:
    """So many launches one after another, as Kernel Tuner has them watched."""
    runner.device.synchronize()
    for observer in observers:
        _tell(observer, "before_start", params)
    for _ in range(count):
        launch()
    for observer in observers:
        _tell(observer, "after_start", params)
    while not runner.device.is_idle():
        for observer in observers:
            _tell(observer, "during", params)
    runner.device.synchronize()
    for observer in observers:
        _tell(observer, "after_finish", params)
