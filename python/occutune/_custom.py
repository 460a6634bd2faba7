"""A search strategy of the caller's own, written for Kernel Tuner: it chooses, our program compiles, verifies and times."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ._job import Job
from ._workspace import plain

Configuration = Tuple[Any, ...]
Result = Dict[str, Any]
_THREADS_MOST = 1024  # of a thread block, on every GPU so far


def is_custom(strategy: Any) -> bool:
    """Whether it is a strategy as Kernel Tuner calls it: a module or an object with `tune`."""
    return not isinstance(strategy, (str, bytes)) and callable(getattr(strategy, "tune", None))


class CustomRunner:
    """What Kernel Tuner's strategies call a runner. `measure` times configurations that were not timed before."""

    def __init__(self, job: Job, measure: Callable[[Sequence[Dict[str, Any]]], List[Result]]) -> None:
        self._names = list(job.parameters)
        self._measure = measure
        self._known: Dict[Configuration, Result] = {}
        self.strategy_s = 0.0
        self.simulation_mode, self.quiet, self.units = False, True, {"time": "ms"}
        self.dev = SimpleNamespace(max_threads=_THREADS_MOST, units=self.units)
        self.kernel_options = SimpleNamespace(kernel_name=job.name, arguments=job.arguments)
        self.kernel_source = SimpleNamespace(kernel_name=job.name, lang="CUDA")

    @property
    def results(self) -> List[Result]:
        """Of all configurations that were asked for."""
        return list(self._known.values())

    def get_device_info(self) -> SimpleNamespace:
        """What a space is made with."""
        return self.dev

    def add_strategy_time(self, seconds: float) -> None:
        """The strategy says how long it has thought."""
        self.strategy_s += seconds

    def run(self, parameter_space: Any, tuning_options: Any) -> List[Optional[Result]]:
        """A result for each configuration, None for those behind the end of the budget. They are timed in one go."""
        taken: List[Optional[Configuration]] = []
        for element in parameter_space:
            if tuning_options.budget.is_done():
                taken.append(None)
                continue
            tuning_options.budget.add_evaluations(1)
            taken.append(tuple(plain(list(element))))
        new = [configuration for configuration in dict.fromkeys(taken) if configuration and configuration not in self._known]
        if new:
            self._time(new)
        return [None if configuration is None else dict(self._known[configuration]) for configuration in taken]

    def _time(self, configurations: Sequence[Configuration]) -> None:
        for result in self._measure([dict(zip(self._names, configuration)) for configuration in configurations]):
            self._known[tuple(result[name] for name in self._names)] = result
        missing = [configuration for configuration in configurations if configuration not in self._known]
        if missing:
            raise ValueError(f"strategy: {dict(zip(self._names, missing[0]))} is not in the space")


def drive(strategy: Any, runner: CustomRunner, tune_params: Mapping[str, Sequence[Any]], restrictions: Any,
          options: Mapping[str, Any], told: Mapping[str, Any]) -> List[Result]:
    """Calls the strategy as Kernel Tuner 1.4 does; the results that it returns."""
    try:
        from kernel_tuner.interface import Options
        from kernel_tuner.searchspace import Searchspace
        from kernel_tuner.util import TuningBudget
    except ImportError as error:
        raise ValueError("strategy: one of your own is called with Kernel Tuner's search space: install kernel_tuner too "
                         f"({error}), or use occutune.Study, which is asked and told") from error
    space = Searchspace(dict(tune_params), restrictions, _THREADS_MOST, **options.get("searchspace_construction_options", {}))
    most = min(options.get("max_fevals") or space.size, space.size)
    tuning = Options({**told, "tune_params": dict(tune_params), "restrictions": space._modified_restrictions,
                      "strategy_options": Options(options), "max_fevals": most, "time_limit": options.get("time_limit"),
                      "budget": TuningBudget(options.get("time_limit"), most), "cache": {}, "cachefile": None,
                      "simulated_time": 0})
    results: List[Result] = strategy.tune(space, runner, tuning)
    return results
