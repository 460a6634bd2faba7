"""The commands of the program as functions."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Union

from . import _tool
from ._wording import spec_wording
from ._workspace import Spec, Workspace, plain, size_options
from .decision import Decision, Path_

Device = Union[int, str, None]


def _option(name: str, value: Any) -> List[str]:
    return [] if value is None else [f"--{name}={value}"]


def _configuration(configuration: Optional[Mapping[str, Any]]) -> List[str]:
    values = plain(configuration or {})
    return [f"--config={','.join(f'{name}={value}' for name, value in values.items())}"] if values else []


def _absolute(spec: str) -> str:
    """A file as seen from any folder; the name of a library kernel stays."""
    return os.path.abspath(spec) if os.path.exists(spec) else spec


def tune(spec: Spec, device: Device = None, *, trials: Optional[int] = None, time: Union[str, float, None] = None,
         strategy: Optional[str] = None, seed: Optional[int] = None, sizes: Optional[Mapping[str, Any]] = None,
         recorded: Optional[Path_] = None, profile: Optional[str] = None, audit: Optional[int] = None,
         jobs: Optional[int] = None, journal: Optional[Path_] = None, output: Optional[Path_] = None,
         quiet: bool = True) -> Decision:
    """Finds the fastest configuration of a kernel.

    :param spec: a path, the name of a library kernel, or a dictionary as docs/spec.md describes it, in which a
        `fill`, or a reference result, may be an array (NumPy, CuPy, PyTorch, anything with DLPack), and the kernel
        may be given as `source`.
    :param device: the number of a GPU; the name of a GPU whose recording is used; None for the GPUs there are.
    :param trials: stop after timing this many configurations.
    :param time: stop after so many seconds, or a text such as "5m".
    :param strategy: "model" (default), "exhaustive" or "random".
    :param recorded: take the times from this journal, Kernel Tuner cache file or T4 file.
    :param journal: where every result goes; a run goes on from it. None: nothing is left behind.
    :param output: where the decision file goes, if it is wanted.
    :param quiet: no progress on standard error.
    :raises NothingRan: when no configuration ran correctly.
    """
    with Workspace(lasting=bool(journal or recorded)) as workspace:
        arguments = [
            _absolute(workspace.spec(spec)), *_option("device", device), *_option("trials", trials), *_option("seed", seed),
            *_option("time", f"{time}s" if isinstance(time, (int, float)) else time), *_option("strategy", strategy),
            *_option("recorded", recorded and os.path.abspath(recorded)), *_option("profile", profile),
            *_option("audit", audit), *_option("jobs", jobs), *size_options(sizes),
            *_option("journal", journal and os.path.abspath(journal)), f"--output={workspace.path / 'decision.json'}"]
        data = _tool.run_json("tune", arguments, quiet, folder=None if journal else workspace.path, reword=spec_wording)
    decision = Decision(data)
    if output is not None:
        decision.save(output)
    return decision


def predict(spec: Spec, device: str = "nvidia-h200", *, trials: Optional[int] = None,
            sizes: Optional[Mapping[str, Any]] = None, limit: int = 0, jobs: Optional[int] = None,
            quiet: bool = True) -> List[Dict[str, Any]]:
    """Ranks the configurations by predicted time, without a GPU: one dictionary for each problem size.

    Its `ranking` has a dictionary for each configuration, the fastest first: `configuration`, `estimate_s`,
    `bound_s`, `interval_low_s`, `interval_high_s`, `limiter` and more.

    :param device: the profile of the GPU, a name or a file.
    :param trials: predict so many, drawn at random; None for all.
    :param limit: how many of the best to return; 0 for all.
    """
    with Workspace() as workspace:
        arguments = [workspace.spec(spec), f"--device={device}", f"--limit={limit}", *_option("trials", trials),
                     *_option("jobs", jobs), *size_options(sizes)]
        result: List[Dict[str, Any]] = _tool.run_json("predict", arguments, quiet, reword=spec_wording)
    return result


def explain(spec: Spec, configuration: Optional[Mapping[str, Any]] = None, device: str = "nvidia-h200", *,
            sizes: Optional[Mapping[str, Any]] = None) -> Any:
    """What limits one configuration and which change gains most; what is not named keeps its default."""
    with Workspace() as workspace:
        arguments = [workspace.spec(spec), *_configuration(configuration), f"--device={device}", *size_options(sizes)]
        return _tool.run_json("explain", arguments, reword=spec_wording)


def time(spec: Spec, configuration: Optional[Mapping[str, Any]] = None, device: Device = None, *,
         sizes: Optional[Mapping[str, Any]] = None, recorded: Optional[Path_] = None) -> Any:
    """Verifies and times one configuration."""
    with Workspace() as workspace:
        arguments = [workspace.spec(spec), *_configuration(configuration), *_option("device", device),
                     *size_options(sizes), *_option("recorded", recorded and os.fspath(recorded))]
        return _tool.run_json("time", arguments, reword=spec_wording)


def compare(spec: Spec, device: Optional[str] = None, *, sizes: Optional[Mapping[str, Any]] = None,
            recorded: Optional[Path_] = None, seeds: Optional[int] = None, cores: Optional[int] = None,
            trials: Optional[int] = None, quiet: bool = True) -> Any:
    """Compares strategies on a recording."""
    with Workspace() as workspace:
        arguments = [workspace.spec(spec), *_option("device", device), *_option("seeds", seeds), *_option("cores", cores),
                     *_option("trials", trials), *_option("recorded", recorded and os.fspath(recorded)), *size_options(sizes)]
        return _tool.run_json("compare", arguments, quiet, reword=spec_wording)


def space(spec: Spec, *, sizes: Optional[Mapping[str, Any]] = None, list_all: bool = False) -> Any:
    """Counts the configurations; lists all with `list_all`."""
    with Workspace() as workspace:
        arguments = [workspace.spec(spec), *size_options(sizes), *(["--list"] if list_all else [])]
        return _tool.run_json("space", arguments, reword=spec_wording)
