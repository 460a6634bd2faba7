"""Kernel Tuner's restrictions: strings, functions and python-constraint's objects."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from ._expression import Untranslatable, evaluator, translate, truth

Params = Mapping[str, Any]


class Restriction(NamedTuple):
    """A condition on a configuration: as a function, and as an expression of the spec where that can say it."""

    holds: Callable[[Params], bool]
    text: Optional[str]


def call(function: Callable[..., Any], params: Params) -> Any:
    """Calls a user's function as Kernel Tuner does: with the dictionary of parameters, or with each by its name."""
    try:
        names = [name for name, parameter in inspect.signature(function).parameters.items()
                 if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    if names and all(name in params for name in names):
        return function(**{name: params[name] for name in names})
    if len(names) <= 1:
        return function(dict(params))
    return function(*params.values())


def _constraint(constraint: Any, names: Sequence[str]) -> Callable[[Params], bool]:
    """The condition of a python-constraint object, by the name of its class, so that the package need not be there."""
    tests: Dict[str, Callable[[List[Any]], bool]] = {
        "FunctionConstraint": lambda values: bool(constraint._func(*values)),
        "AllDifferentConstraint": lambda values: len(set(values)) == len(values),
        "AllEqualConstraint": lambda values: len(set(values)) <= 1,
        "MaxProdConstraint": lambda values: math.prod(values) <= constraint._maxprod,
        "MinProdConstraint": lambda values: math.prod(values) >= constraint._minprod,
        "MaxSumConstraint": lambda values: sum(values) <= constraint._maxsum,
        "MinSumConstraint": lambda values: sum(values) >= constraint._minsum,
        "ExactSumConstraint": lambda values: sum(values) == constraint._exactsum,
        "InSetConstraint": lambda values: all(value in constraint._set for value in values),
        "NotInSetConstraint": lambda values: not any(value in constraint._set for value in values),
    }
    kind = type(constraint).__name__
    if kind not in tests:
        raise ValueError(f"restrictions: a {kind} is not supported; write it as a string or a function")
    test = tests[kind]
    return lambda params: test([params[name] for name in names])


def _is_constraint(restriction: Any) -> bool:
    return any(base.__name__ == "Constraint" for base in type(restriction).__mro__)


def _string(text: str, kinds: Mapping[str, str]) -> Restriction:
    function = evaluator(text)
    try:
        expression: Optional[str] = truth(translate(text, kinds))
    except Untranslatable:
        expression = None
    return Restriction(lambda params: bool(function(params)), expression)


def _one(restriction: Any, kinds: Mapping[str, str]) -> Restriction:
    names: Sequence[str] = list(kinds)
    if isinstance(restriction, tuple) and len(restriction) in (2, 3):
        restriction, names = restriction[0], list(restriction[1])
    if isinstance(restriction, str):
        return _string(restriction, kinds)
    if _is_constraint(restriction):
        return Restriction(_constraint(restriction, names), None)
    if callable(restriction):
        return Restriction(lambda params: bool(call(restriction, {name: params[name] for name in names})), None)
    raise ValueError(f"restrictions: {restriction!r} is neither text, a function nor a constraint")


def read_restrictions(restrictions: Any, kinds: Mapping[str, str]) -> List[Restriction]:
    """All restrictions of `tune_kernel`; `kinds` says of each parameter what it is."""
    if restrictions is None:
        return []
    if isinstance(restrictions, (str, tuple)) or callable(restrictions) or _is_constraint(restrictions):
        restrictions = [restrictions]
    return [_one(restriction, kinds) for restriction in restrictions]
