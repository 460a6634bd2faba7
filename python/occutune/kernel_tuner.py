"""Our model as a search strategy of Kernel Tuner, for who keeps that tool.

    import kernel_tuner, occutune.kernel_tuner

    kernel_tuner.tune_kernel(..., strategy=occutune.kernel_tuner.ModelStrategy(device="nvidia-h200"))
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _tool
from ._job import Job
from ._wording import JobWording
from ._workspace import Workspace

Configuration = Tuple[Any, ...]


class Predicted(NamedTuple):
    """What the model says of a configuration, in milliseconds."""

    configuration: Configuration
    estimate: float
    bound: float  # no measured time is below it
    low: float  # the lower end of the estimate's 80 % interval


class ModelStrategy:
    """Times configurations in the order of their predicted times.

    What cannot be faster than the best so far, by the model's lower bound, is left out. The run ends at Kernel Tuner's
    own limits (`max_fevals`, `time_limit`), or when `patience` configurations in a row brought nothing and even the
    lower end of what is predicted for the next is slower than the best.

    :param device: the profile of the GPU, a name or a file.
    :param predict: predict so many configurations, drawn at random; None for all.
    :param patience: see above.
    :param quiet: no messages on standard error.
    """

    def __init__(self, device: str = "nvidia-h200", *, predict: Optional[int] = None, patience: int = 20,
                 quiet: bool = True) -> None:
        for name, value, least in (("predict", predict, 1), ("patience", patience, 0)):
            if value is not None and (not isinstance(value, int) or value < least):
                raise ValueError(f"ModelStrategy: {name}: give a whole number from {least} on, not {value!r}")
        if not isinstance(device, str):
            raise TypeError(f"ModelStrategy: device: give the name of a profile, or its file, not {device!r}")
        self.device, self.predict, self.patience, self.quiet = device, predict, patience, quiet

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> List[Dict[str, Any]]:
        """Kernel Tuner calls this."""
        if list(tuning_options.objective) != ["time"]:
            raise ValueError(f"ModelStrategy predicts times; the objective is {tuning_options.objective}")
        results: List[Dict[str, Any]] = []
        best, without_gain = math.inf, 0
        for predicted in self._ranking(searchspace, runner):
            if tuning_options.budget.is_done() or (without_gain >= self.patience and predicted.low > best):
                break
            if predicted.bound > best:
                continue
            [result] = runner.run([predicted.configuration], tuning_options)
            if result is None:  # the budget ended
                break
            results.append(result)
            time = result["time"] if "__error__" not in result else math.inf
            best, without_gain = (time, 0) if time < best else (best, without_gain + 1)
        return results

    def _ranking(self, searchspace: Any, runner: Any) -> List[Predicted]:
        """The valid configurations, the fastest first; those without a prediction at the end."""
        names = list(searchspace.tune_params)
        valid = [tuple(configuration) for configuration in searchspace.list]
        job = _job(runner, searchspace.tune_params)
        with Workspace() as workspace:
            spec = _listed(job, workspace, names, valid)
            options = [] if self.predict is None else [f"--trials={self.predict}"]
            [data] = _tool.run_json("predict", [workspace.spec(spec), f"--device={self.device}", "--limit=0", *options],
                                    self.quiet, reword=JobWording("ModelStrategy", job))
        ranked = [_predicted(entry, names) for entry in data["ranking"] if entry.get("estimate_s")]
        known = {predicted.configuration for predicted in ranked}
        unknown = [Predicted(configuration, math.inf, 0, 0) for configuration in valid if configuration not in known]
        return sorted(ranked, key=lambda predicted: predicted.estimate) + unknown


def _predicted(entry: Dict[str, Any], names: Sequence[str]) -> Predicted:
    estimate = 1e3 * entry["estimate_s"]
    low = entry.get("interval_low_s")
    return Predicted(tuple(entry["configuration"][name] for name in names), estimate, 1e3 * entry.get("bound_s", 0),
                     estimate if low is None else 1e3 * low)


def _job(runner: Any, tune_params: Dict[str, Any]) -> Job:
    """The kernel that Kernel Tuner is tuning."""
    options, source = runner.kernel_options, runner.kernel_source
    sources = source.kernel_sources
    return Job(options.kernel_name, sources if len(sources) > 1 else sources[0], options.problem_size, options.arguments,
               tune_params, divisors=(options.grid_div_x, options.grid_div_y, options.grid_div_z), lang=source.lang,
               smem_args=options.smem_args, cmem_args=options.cmem_args, defines=options.defines,
               block_size_names=list(options.block_size_names or []) or None)


def _listed(job: Job, workspace: Workspace, names: Sequence[str], valid: Sequence[Configuration]) -> Dict[str, Any]:
    """The spec with the configurations that Kernel Tuner's restrictions left."""
    job.list_only([dict(zip(names, configuration)) for configuration in valid])
    return job.spec(workspace)
