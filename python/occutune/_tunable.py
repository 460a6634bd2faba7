"""Arguments that depend on parameters: Kernel Tuner's Tunable and TunablePrecision.

The program's arguments are the same for all configurations, so each choice of arguments is searched by itself.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

from ._blame import blamed
from ._job import Job


def is_tunable(argument: Any) -> bool:
    """Whether parameters say which of several arrays it is."""
    return callable(getattr(argument, "select_for_configuration", None))


def _chosen(argument: Any, position: int, params: Mapping[str, Any]) -> Any:
    if not is_tunable(argument):
        return argument
    with blamed(f"arguments[{position}]", params):
        return argument.select_for_configuration(dict(params))


def parts(job: Job) -> List[Job]:
    """The job; where arguments depend on parameters a job for each choice of them, with the configurations that make it."""
    if not any(is_tunable(argument) for argument in job.arguments):
        return [job]
    found: Dict[Tuple[int, ...], Tuple[List[Any], List[Dict[str, Any]]]] = {}
    for params in job.configurations():
        chosen = [_chosen(argument, position, params) for position, argument in enumerate(job.arguments)]
        found.setdefault(tuple(map(id, chosen)), (chosen, []))[1].append(params)
    if not found:
        raise ValueError("restrictions: no configuration is valid")
    return [job.part(arguments, configurations) for arguments, configurations in found.values()]
