"""`tune_kernel` with the signature of Kernel Tuner 1.4."""

from __future__ import annotations

import math
import os
import time as clock
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _tool
from ._job import Job, check_argument_types, expected_files
from ._results import (
    HIGHER_IS_BETTER,
    Metrics,
    add_metrics,
    add_overheads,
    best_of,
    config_text,
    error,
    read_limits,
    read_results,
    totals,
)
from ._workspace import Workspace

STRATEGIES = {None: "model", "model": "model", "brute_force": "exhaustive", "exhaustive": "exhaustive",
              "random_sample": "random", "random": "random"}
_FEW = 32  # combinations of values
_OPTIONS = {"max_fevals", "time_limit", "fraction", "searchspace_construction_options"}
Results = Tuple[List[Dict[str, Any]], Dict[str, Any]]


def _refuse(**given: Any) -> None:
    """Says what is not supported, and what to use."""
    remedies = {
        "texmem_args": "texture memory is not supported; read through plain pointers (__ldg), or use Kernel Tuner itself",
        "observers": "observers are not supported, but for RegisterObserver: they watch Kernel Tuner's own launches",
        "compiler": "host compilers are not used: only CUDA kernels are tuned",
    }
    for name, value in given.items():
        if value:
            raise ValueError(f"{name}: {remedies[name]}")


def _is_of_registers(observer: Any) -> bool:
    """Kernel Tuner's RegisterObserver, which asks for what every journal has."""
    return type(observer).__name__ == "RegisterObserver"


def _strategy(strategy: Any, objective: str, combinations: int, options: Optional[Mapping[str, Any]]) -> str:
    """Our name of a strategy of Kernel Tuner. Another objective than time needs the times of all; few are all timed."""
    if strategy is None and (objective != "time" or combinations <= _FEW):
        return "exhaustive"
    if strategy == "random_sample" and (options or {}).get("fraction", 0) >= 1 and "max_fevals" not in (options or {}):
        return "exhaustive"
    if isinstance(strategy, str) or strategy is None:
        if strategy in STRATEGIES:
            return STRATEGIES[strategy]
    raise ValueError(f"strategy: {strategy} is not supported; leave it out for the model's search, which needs no metaheuristic, "
                     "or use \"brute_force\" or \"random_sample\"; with Kernel Tuner itself our model is a strategy, "
                     "occutune.kernel_tuner.ModelStrategy")


def _objective(objective: Any, higher: Any, objectives: Any, metrics: Optional[Metrics]) -> Tuple[str, bool]:
    if objectives or isinstance(objective, (list, tuple)):
        raise ValueError("objectives: one objective is supported; use Kernel Tuner itself for several")
    objective = objective or "time"
    if objective != "time" and objective not in (metrics or {}):
        raise ValueError(f"objective: {objective} is neither \"time\" nor one of the metrics")
    if higher is None and objective not in HIGHER_IS_BETTER:
        raise ValueError(f"objective_higher_is_better: say it for the objective {objective}")
    return objective, HIGHER_IS_BETTER[objective] if higher is None else bool(higher)


def _budget(options: Optional[Mapping[str, Any]], file: str) -> List[str]:
    options = dict(options or {})
    unknown = set(options) - _OPTIONS
    if unknown:
        raise ValueError(f"strategy_options: {', '.join(sorted(unknown))} is not supported; "
                         f"use {', '.join(sorted(_OPTIONS - {'searchspace_construction_options'}))}")
    arguments = []
    if 0 < options.get("fraction", 0) < 1 and "max_fevals" not in options:
        valid = _tool.run_json("space", [file, "--sample=0"])[0]["valid"]
        options["max_fevals"] = max(1, round(options["fraction"] * valid))
    if options.get("max_fevals") is not None:
        arguments.append(f"--trials={int(options['max_fevals'])}")
    if options.get("time_limit") is not None:
        arguments.append(f"--time={float(options['time_limit'])}s")
    return arguments


def cache_path(cache: Union[str, os.PathLike[str]]) -> Path:
    """The file of a cache, with ".json" behind, as Kernel Tuner has it."""
    path = os.path.abspath(os.fspath(cache))
    return Path(path if path.endswith(".json") else path + ".json")


def _reference(job: Job, workspace: Workspace, answer: Optional[Sequence[Any]], verify: Any, atol: float) -> Dict[str, Any]:
    """What results are compared with; a function of the caller's compares them afterwards."""
    if not answer or verify is not None:
        return {}
    files = expected_files(workspace, job, answer)
    return {"reference": {"files": files}, "tolerance": {"relative": 1e-5, "absolute": atol}} if files else {}


def _result_roles(spec: Dict[str, Any]) -> None:
    """An array with an expected result is written, whatever its declaration says."""
    files = spec["reference"]["files"] if isinstance(spec["reference"], dict) else {}
    for argument in spec["arguments"]:
        if argument.get("name") in files:
            argument["role"] = "inout"


def _tune(arguments: Sequence[str], quiet: bool) -> Dict[str, Any]:
    """Runs the program; that nothing ran correctly is a result too."""
    try:
        decision: Dict[str, Any] = _tool.run_json("tune", arguments, quiet)
        return decision
    except _tool.NothingRan as nothing:
        return nothing.data


def _environment(decision: Mapping[str, Any], journal: Path, iterations: int, options: Sequence[str]) -> Dict[str, Any]:
    signature = decision["signature"]
    return {"device_name": signature["device"], "cuda_version": signature.get("driver"), "nvrtc_version": signature.get("nvrtc"),
            "compute_capability": str(signature.get("sm", "")), "iterations": iterations, "compiler_options": list(options),
            "device_properties": read_limits(journal), "level": decision["level"],
            **_simulated(decision)}


def _simulated(decision: Mapping[str, Any]) -> Dict[str, Any]:
    """What Kernel Tuner's environment says of a run on a recording; times in milliseconds."""
    if decision["level"] != "recorded":
        return {}
    return {"simulation": True, "simulated_time": 1e3 * decision["problems"][0].get("spent", {}).get("elapsed_s", 0.0)}


def _print(results: Sequence[Mapping[str, Any]], best: Optional[Mapping[str, Any]], keys: Sequence[str], objective: str) -> None:
    for result in results:
        if "__error__" not in result:
            print(config_text(result, keys))
    print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {objective}:" if best else "no configuration ran correctly")
    if best:
        print(config_text(best, keys))


def tune_kernel(  # noqa: PLR0913 - the signature is Kernel Tuner's
    kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any],
    tune_params: Mapping[str, Sequence[Any]], grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None,
    restrictions: Any = None, answer: Optional[Sequence[Any]] = None, atol: float = 1e-6,
    verify: Optional[Callable[..., bool]] = None, verbose: bool = False, lang: Optional[str] = None,
    device: Union[int, str, None] = 0, platform: int = 0, smem_args: Optional[Mapping[str, Any]] = None,
    cmem_args: Optional[Mapping[str, Any]] = None, texmem_args: Any = None, compiler: Optional[str] = None,
    compiler_options: Optional[Sequence[str]] = None, defines: Optional[Mapping[str, Any]] = None, log: Any = None,
    iterations: int = 7, block_size_names: Optional[Sequence[str]] = None, quiet: bool = False, strategy: Any = None,
    strategy_options: Optional[Mapping[str, Any]] = None, cache: Union[str, os.PathLike[str], None] = None,
    metrics: Optional[Metrics] = None, simulation_mode: Optional[bool] = None, parallel: Any = None,
    observers: Any = None, objective: Any = None, objective_higher_is_better: Any = None, objectives: Any = None,
    seed: Optional[int] = None,
) -> Results:
    """Tunes a CUDA kernel; the parameters, the results and the environment are those of Kernel Tuner 1.4.

    What differs is said in docs/python.md. In short: without a `strategy` the model's search runs, which times a part of
    the space; a time is the median of as many launches as make it certain, whatever `iterations` says; a configuration
    with a wrong result is a result with an error, not the end.
    """
    started = clock.perf_counter()
    _refuse(texmem_args=texmem_args, compiler=compiler,
            observers=[observer for observer in observers or [] if not _is_of_registers(observer)])
    objective, higher = _objective(objective, objective_higher_is_better, objectives, metrics)
    job = Job(kernel_name, kernel_source, problem_size, arguments, tune_params, divisors=(grid_div_x, grid_div_y, grid_div_z),
              restrictions=restrictions, lang=lang, smem_args=smem_args, cmem_args=cmem_args,
              compiler_options=compiler_options, defines=defines, block_size_names=block_size_names)
    check_argument_types(job)
    ours = _strategy(strategy, objective, math.prod(len(values) for values in job.parameters.values()), strategy_options)
    with Workspace() as workspace:
        spec = {**job.spec(workspace), **_reference(job, workspace, answer, verify, atol)}
        _result_roles(spec)
        file = workspace.spec(spec)
        recorded = cache_path(cache) if simulation_mode and cache else None
        journal = cache_path(cache) if cache and not recorded else workspace.path / "journal.json"
        source = [f"--recorded={recorded}"] if recorded else [f"--journal={journal}", f"--device={device or 0}"]
        command = [file, f"--output={workspace.path / 'decision.json'}", f"--strategy={ours}", *source,
                   *(["--audit=0"] if ours == "model" else []), *_budget(strategy_options, file),
                   *([f"--seed={seed}"] if seed is not None else [])]
        decision = _tune(command, quiet or not verbose)
        results = read_results(recorded or journal, job, {"num_regs": "registers"} if observers else {})
        if recorded and ours != "exhaustive":
            results = _named(results, decision, list(job.parameters))
        if verify is not None and not recorded:
            _verify(job, workspace, file, results, answer, verify, atol, device)
        env = _environment(decision, recorded or journal, iterations, job.options)
    add_metrics(results, metrics)
    elapsed_s = clock.perf_counter() - started
    add_overheads(results, decision["problems"][0].get("spent", {}).get("controller_s", 0.0), elapsed_s)
    best = best_of(results, objective, higher)
    if best:
        env["best_config"] = best
    if not quiet:
        print(f"Using: {env['device_name']}")
        _print(results if verbose else [], best, [*job.parameters, "time", *(metrics or {})], objective)
    env.update(totals(results, 1e3 * elapsed_s + env.get("simulated_time", 0.0)))
    return results, env


def _named(results: List[Dict[str, Any]], decision: Mapping[str, Any], names: Sequence[str]) -> List[Dict[str, Any]]:
    """Of a recording: the results that the decision names. A search on a recording leaves no journal."""
    problem = decision["problems"][0]
    variants = [problem.get("best"), problem.get("initial"), *problem.get("finalists", [])]
    named = [[variant["configuration"][name] for name in names] for variant in variants if variant]
    return [result for result in results if [result[name] for name in names] in named]


def _verify(job: Job, workspace: Workspace, file: str, results: Sequence[Dict[str, Any]], answer: Optional[Sequence[Any]],
            verify: Callable[..., bool], atol: float, device: Union[int, str, None]) -> None:
    """Lets the caller's function judge each configuration that ran; one that it rejects becomes an error."""
    from ._run_kernel import Runner, accepts_atol

    with Runner(job, workspace, file, device) as runner:
        for result in results:
            if "__error__" in result:
                continue
            outputs = runner.run({name: result[name] for name in job.parameters})
            correct = verify(answer, outputs, atol=atol) if accepts_atol(verify) else verify(answer, outputs)
            if not correct:
                del result["time"], result["times"]
                result["__error__"] = error("RuntimeFailedConfig")
