"""`tune_kernel` with the signature of Kernel Tuner 1.4."""

from __future__ import annotations

import itertools
import math
import os
import time as clock
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _tool, strategies
from ._blame import blamed
from ._cache import open_cache
from ._checks import check_call, check_names, check_shapes
from ._custom import CustomRunner, drive, is_custom
from ._job import Job, check_argument_types, expected_files
from ._observers import Observers
from ._results import (
    HIGHER_IS_BETTER,
    Metrics,
    Spent,
    add_metrics,
    add_overheads,
    best_of,
    check_metrics,
    config_text,
    error,
    in_order,
    limits_of,
    read_journal,
    reason_of,
    results_of,
    totals,
    worked_ms,
)
from ._tunable import parts
from ._wording import JobWording, Reword
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
        "compiler": "host compilers are not used: only CUDA kernels are tuned",
    }
    for name, value in given.items():
        if value:
            raise ValueError(f"{name}: {remedies[name]}")


def _ours(strategy: Any, options: Dict[str, Any]) -> Any:
    """The strategy, None in place of those without a model; their own options go with them, which is said."""
    name = strategies.name_of(strategy)
    if name not in strategies.WITHOUT_MODEL:
        return strategy if name is None or is_custom(strategy) else name
    dropped = sorted(set(options) - _OPTIONS)
    for option in dropped:
        del options[option]
    warnings.warn(f"strategy: the model's search runs in place of {name}"
                  + (f", without its options {', '.join(dropped)}" if dropped else ""), stacklevel=3)
    return None


def _strategy(strategy: Any, objective: str, combinations: int, options: Mapping[str, Any]) -> str:
    """Our name of a strategy. Another objective than time needs the times of all; few are all timed.

    Of what a strategy of the caller's own asks for all is timed.
    """
    if is_custom(strategy):
        return "exhaustive"
    evaluations = options.get("max_fevals")
    if strategy is None and objective != "time":
        return "exhaustive" if evaluations is None else "random"
    if strategy is None and combinations <= _FEW and (evaluations is None or evaluations >= combinations):
        return "exhaustive"
    if strategy == "random_sample" and options.get("fraction", 0) >= 1 and evaluations is None:
        return "exhaustive"
    if isinstance(strategy, str) or strategy is None:
        if strategy in STRATEGIES:
            return STRATEGIES[strategy]
    raise ValueError(f"strategy: {strategy} is not supported; leave it out for the model's search, which needs no metaheuristic, "
                     "or use \"brute_force\", \"random_sample\" or an object with Kernel Tuner's tune(searchspace, runner, "
                     "tuning_options); with Kernel Tuner itself our model is a strategy, occutune.kernel_tuner.ModelStrategy")


def _objective(objective: Any, higher: Any, objectives: Any, metrics: Optional[Metrics],
               observed: bool) -> Tuple[str, bool]:
    if objectives or isinstance(objective, (list, tuple)):
        raise ValueError("objectives: one objective is supported; use Kernel Tuner itself for several")
    objective = objective or "time"
    if objective != "time" and objective not in (metrics or {}) and not observed:
        raise ValueError(f"objective: {objective} is neither \"time\" nor one of the metrics")
    if higher is None and objective not in HIGHER_IS_BETTER:
        raise ValueError(f"objective_higher_is_better: say it for the objective {objective}")
    return objective, HIGHER_IS_BETTER[objective] if higher is None else bool(higher)


def _budget(options: Mapping[str, Any], file: str, share: float, reword: Reword) -> List[str]:
    """The budget of a part of the space."""
    options = dict(options)
    unknown = set(options) - _OPTIONS
    if unknown:
        raise ValueError(f"strategy_options: {', '.join(sorted(unknown))} is not supported; "
                         f"use {', '.join(sorted(_OPTIONS - {'searchspace_construction_options'}))}")
    arguments = []
    if 0 < options.get("fraction", 0) < 1 and "max_fevals" not in options:
        valid = _tool.run_json("space", [file, "--sample=0"], reword=reword)[0]["valid"]
        options["max_fevals"] = max(1, round(options["fraction"] * valid)) / share
    if options.get("max_fevals") is not None:
        arguments.append(f"--trials={max(1, round(share * options['max_fevals']))}")
    if options.get("time_limit") is not None:
        arguments.append(f"--time={share * float(options['time_limit'])}s")
    return arguments


def cache_path(cache: Union[str, os.PathLike[str]]) -> Path:
    """The file of a cache, with ".json" behind, as Kernel Tuner has it."""
    path = os.path.abspath(os.fspath(cache))
    return Path(path if path.endswith(".json") else path + ".json")


def _reference(job: Job, workspace: Workspace, call: _Call) -> Dict[str, Any]:
    """What results are compared with; a function or an observer of the caller's compares them afterwards."""
    if not call.answer or call.judged_here:
        return {}
    files = expected_files(workspace, job, call.answer)
    return {"reference": {"files": files}, "tolerance": {"relative": 1e-5, "absolute": call.atol}} if files else {}


def _result_roles(spec: Dict[str, Any]) -> None:
    """An array with an expected result is written, whatever its declaration says."""
    files = spec["reference"]["files"] if isinstance(spec["reference"], dict) else {}
    for argument in spec["arguments"]:
        if argument.get("name") in files:
            argument["role"] = "inout"


def _tune(arguments: Sequence[str], quiet: bool, reword: Reword) -> Dict[str, Any]:
    """Runs the program; that nothing ran correctly is a result too."""
    try:
        decision: Dict[str, Any] = _tool.run_json("tune", arguments, quiet, reword=reword)
        return decision
    except _tool.NothingRan as nothing:
        return nothing.data


def _environment(decision: Mapping[str, Any], journal: Mapping[str, Any], iterations: int,
                 options: Sequence[str]) -> Dict[str, Any]:
    signature = decision["signature"]
    return {"device_name": signature["device"], "cuda_version": signature.get("driver"), "nvrtc_version": signature.get("nvrtc"),
            "compute_capability": str(signature.get("sm", "")), "iterations": iterations, "compiler_options": list(options),
            "device_properties": limits_of(journal), "level": decision["level"],
            "search": decision["problems"][0].get("search", {})}


def _simulated(results: Sequence[Mapping[str, Any]], call: _Call) -> Dict[str, Any]:
    """What Kernel Tuner's environment says of a run on a cache; times in milliseconds."""
    return {"simulation": True, "simulated_time": worked_ms(results)} if call.simulated else {}


def _print(results: Sequence[Mapping[str, Any]], best: Optional[Mapping[str, Any]], keys: Sequence[str], objective: str) -> None:
    for result in results:
        reason = reason_of(result)
        print(f"skipping config {config_text(result, keys)} reason: {reason}" if reason else config_text(result, keys))
    print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {objective}:" if best else "no configuration ran correctly")
    if best:
        print(config_text(best, keys))


def _warn_nothing_ran(results: Sequence[Mapping[str, Any]], objective: str) -> None:
    """With the reason of the first: most often it is the others' too."""
    reasons = [reason_of(result) for result in results]
    if any(reasons):
        first = next(filter(None, reasons))
        warnings.warn(f"no configuration ran correctly; {reasons.count(first)} of {len(reasons)}: {first}", stacklevel=3)
    elif any("__error__" not in result for result in results):
        warnings.warn(f"objective: no result has a number as {objective}", stacklevel=3)


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
    seed: Optional[int] = None, parallel_runner: Any = None,
) -> Results:
    """Tunes a CUDA kernel; the parameters, the results and the environment are those of Kernel Tuner 1.4.

    What differs is said in docs/python.md. In short: without a `strategy` the model's search runs, which times a part of
    the space; a time is the median of as many launches as make it certain, whatever `iterations` says; a configuration
    with a wrong result is a result with an error, not the end.
    """
    started = clock.perf_counter()
    _refuse(texmem_args=texmem_args, compiler=compiler)
    check_shapes(kernel_name, arguments, {"strategy_options": strategy_options})
    check_call({"iterations": iterations, "atol": atol, "device": device, "verify": verify, "observers": observers,
                "cache": cache, "strategy_options": strategy_options, "simulation_mode": simulation_mode})
    if not simulation_mode and not isinstance(device, str):
        _tool.prepare(device)
    watchers = Observers(observers, {"device": device, "platform": platform, "compiler": compiler, "lang": lang or "CUDA"})
    objective, higher = _objective(objective, objective_higher_is_better, objectives, metrics, bool(watchers))
    check_metrics(metrics)
    answer = list(answer) if isinstance(answer, numpy.ndarray) else answer
    job = Job(kernel_name, kernel_source, problem_size, arguments, tune_params, divisors=(grid_div_x, grid_div_y, grid_div_z),
              restrictions=restrictions, lang=lang, smem_args=smem_args, cmem_args=cmem_args,
              compiler_options=compiler_options, defines=defines, block_size_names=block_size_names)
    check_argument_types(job)
    check_names(metrics, job.parameters)
    options = dict(strategy_options or {})
    strategy = _ours(strategy, options)
    combinations = math.prod(len(values) for values in job.parameters.values())
    call = _Call(answer, verify, atol, device, watchers, iterations, _strategy(strategy, objective, combinations, options),
                 options, cache_path(cache) if cache else None, bool(simulation_mode and cache), seed, quiet or not verbose)
    if is_custom(strategy):
        told = {"objective": [objective], "objective_higher_is_better": [higher], "metrics": metrics, "answer": answer,
                "atol": atol, "verify": verify, "verbose": verbose, "seed": seed}
        results, env, spent = _search_custom(job, call, strategy, restrictions, told)
    else:
        results, env, spent = _search(job, call)
        add_metrics(results, metrics)
    env.update(_simulated(results, call))
    elapsed_s = clock.perf_counter() - started
    add_overheads(results, spent, elapsed_s)
    best = best_of(results, objective, higher)
    if best:
        env["best_config"] = best
    else:
        _warn_nothing_ran(results, objective)
    if not quiet:
        print(f"Using: {env['device_name']}")
        _print(results if verbose else [], best, [*job.parameters, "time", *(metrics or {})], objective)
    env.update(totals(results, 1e3 * elapsed_s + env.get("simulated_time", 0.0)))
    return results, env


class _Call(NamedTuple):
    """What a call of `tune_kernel` says about the search."""

    answer: Optional[Sequence[Any]]
    verify: Any
    atol: float
    device: Union[int, str, None]
    observers: Observers
    iterations: int
    strategy: str
    options: Mapping[str, Any]
    cache: Optional[Path]
    simulated: bool
    seed: Optional[int]
    quiet: bool

    @property
    def judged_here(self) -> bool:
        """Whether results are judged in this process, after the search."""
        return self.verify is not None or self.observers.judge_outputs


def _search(job: Job, call: _Call) -> Tuple[List[Dict[str, Any]], Dict[str, Any], Spent]:
    """Results, environment, and what the search took."""
    jobs = parts(job)
    if len(jobs) > 1 and call.cache and not call.simulated:
        raise ValueError("cache: not supported where arguments depend on parameters (Tunable)")
    count = sum(len(part.listed or []) for part in jobs)
    results: List[Dict[str, Any]] = []
    env: Dict[str, Any] = {}
    spent = Spent()
    for part in jobs:
        found, env, spent_on_part = _search_part(part, call, len(part.listed or []) / count if len(jobs) > 1 else 1.0)
        results += found
        spent = spent.plus(spent_on_part)
    return in_order(results, job.parameters), env, spent


def _search_part(job: Job, call: _Call, share: float) -> Tuple[List[Dict[str, Any]], Dict[str, Any], Spent]:
    """As `_search`, of a job whose arguments are the same in all configurations."""
    with Workspace(lasting=call.cache is not None) as workspace:
        spec = {**job.spec(workspace), **_reference(job, workspace, call)}
        _result_roles(spec)
        return _search_spec(job, call, workspace, spec, share)


def _search_custom(job: Job, call: _Call, strategy: Any, restrictions: Any,
                   told: Mapping[str, Any]) -> Tuple[List[Dict[str, Any]], Dict[str, Any], Spent]:
    """As `_search`, where a strategy of the caller's own says what to time. The arrays are written once."""
    if len(parts(job)) > 1:
        raise ValueError("strategy: one of your own is not supported where arguments depend on parameters (Tunable)")
    env: Dict[str, Any] = {}
    spent, calls = Spent(), itertools.count()
    with Workspace(lasting=call.cache is not None) as workspace:
        spec = {**job.spec(workspace), **_reference(job, workspace, call)}
        _result_roles(spec)
        cache = open_cache(call.cache, list(job.parameters), call.simulated)

        def measure(configurations: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
            nonlocal spent
            # With those of the calls before in it, each would take longer than the one before.
            journal = call.cache if call.simulated and call.cache else workspace.path / f"journal{next(calls)}.json"
            each = call._replace(cache=journal, options={})
            part = job.part(job.arguments, configurations)
            made = {**part.code_spec(workspace), "arguments": spec["arguments"]}
            made["reference"] = spec.get("reference", "none")
            if "tolerance" in spec:
                made["tolerance"] = spec["tolerance"]
            if cache:
                cache.excerpt(configurations, journal)
            try:
                found, now, spent_on_part = _search_spec(part, each, workspace, made, 1.0)
            finally:  # what was timed before an interruption is kept, too
                if cache:
                    cache.take(journal)
                if not call.simulated:
                    journal.unlink(missing_ok=True)
            env.update(now)
            spent = spent.plus(spent_on_part)
            asked = [tuple(configuration.values()) for configuration in configurations]
            found = [result for result in found if tuple(result[name] for name in job.parameters) in asked]
            add_metrics(found, told["metrics"])
            return found

        runner = CustomRunner(job, measure)
        try:
            drive(strategy, runner, job.parameters, restrictions, call.options, told)
        finally:
            if cache:
                cache.close()
    if not runner.results:
        raise ValueError("strategy: it asked for no configuration")
    env["search"] = {}
    return in_order(runner.results, job.parameters), env, spent._replace(controller_s=spent.controller_s + runner.strategy_s)


def _search_spec(job: Job, call: _Call, workspace: Workspace, spec: Dict[str, Any],
                 share: float) -> Tuple[List[Dict[str, Any]], Dict[str, Any], Spent]:
    """As `_search`, of a job whose spec is made."""
    file = workspace.spec(spec)
    journal = call.cache or workspace.path / "journal.json"
    source = [f"--recorded={journal}"] if call.simulated else [f"--journal={journal}", f"--device={call.device or 0}"]
    reword = JobWording("tune_kernel", job)
    started = clock.perf_counter()
    decision = _tune([file, f"--output={workspace.path / 'decision.json'}", f"--strategy={call.strategy}", *source,
                      *(["--audit=0"] if call.strategy == "model" else []), *_budget(call.options, file, share, reword),
                      *([f"--seed={call.seed}"] if call.seed is not None else [])], call.quiet, reword)
    spent = _spent(decision, clock.perf_counter() - started, call)
    kept = read_journal(journal)
    results = results_of(kept, job, {"num_regs": "registers"} if call.observers.registers else {})
    results = in_order(results, job.parameters)
    for failed in filter(reason_of, results):
        failed["__error__"].reason = reword(reason_of(failed))
    if call.simulated and call.strategy != "exhaustive":
        results = _named(results, decision, list(job.parameters))
    if (call.judged_here or call.observers) and not call.simulated:
        _run_again(job, workspace, spec, results, call)
    return results, _environment(decision, kept, call.iterations, job.options), spent


def _spent(decision: Mapping[str, Any], program_s: float, call: _Call) -> Spent:
    """Of a cache no compile time is a share of the time that passed."""
    spent = decision["problems"][0].get("spent", {})
    return Spent(program_s, math.inf if call.simulated else spent.get("elapsed_s", 0.0), spent.get("controller_s", 0.0))


def _named(results: List[Dict[str, Any]], decision: Mapping[str, Any], names: Sequence[str]) -> List[Dict[str, Any]]:
    """Of a recording: the results that the decision names. A search on a recording leaves no journal."""
    problem = decision["problems"][0]
    variants = [problem.get("best"), problem.get("initial"), *problem.get("finalists", [])]
    named = [[variant["configuration"][name] for name in names] for variant in variants if variant]
    return [result for result in results if [result[name] for name in names] in named]


def _run_again(job: Job, workspace: Workspace, spec: Mapping[str, Any], results: Sequence[Dict[str, Any]], call: _Call) -> None:
    """Lets the caller's function judge each configuration that ran, and observers watch it; what is rejected becomes an error."""
    from ._run_kernel import Runner, accepts_atol

    wanted = [expected is not None for expected in call.answer] if call.answer else None
    with Runner(job, workspace, spec, call.device) as runner:
        call.observers.register_device(runner)
        for result in results:
            if "__error__" in result:
                continue
            params = {name: result[name] for name in job.parameters}
            correct = True
            if call.judged_here:
                outputs = runner.run(params, wanted)
                call.observers.process_outputs(call.answer, outputs, params)
                if call.verify is not None:
                    extra = {"atol": call.atol} if accepts_atol(call.verify) else {}
                    with blamed("verify", params):
                        correct = bool(call.verify(call.answer, outputs, **extra))
            if not correct:
                del result["time"], result["times"]
                result["__error__"] = error("RuntimeFailedConfig", "rejected by verify")
            elif call.observers:
                call.observers.watch(runner, params, result, call.iterations)
