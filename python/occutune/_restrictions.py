"""Kernel Tuner's restrictions: strings, functions and python-constraint's objects."""

from __future__ import annotations

import inspect
import math
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence

from ._blame import blamed
from ._expression import Untranslatable, evaluator, translate, truth

Params = Mapping[str, Any]


class Restriction(NamedTuple):
    """A condition on a configuration: as a function, and as an expression of the spec where that can say it."""

    holds: Callable[[Params], bool]
    text: Optional[str]


def call(function: Callable[..., Any], params: Params, place: str, one_by_one: bool = False) -> Any:
    """Calls a user's function as Kernel Tuner does: with the dictionary of parameters, or with each by its name.

    One argument of another name is the dictionary, unless `one_by_one`. What it raises is told with its `place`, the argument
    that it was given as.
    """
    with blamed(place, params):
        return _call(function, params, one_by_one)


def _call(function: Callable[..., Any], params: Params, one_by_one: bool) -> Any:
    try:
        takes = inspect.signature(function).parameters.items()
    except (TypeError, ValueError):
        takes = {}.items()
    names = [name for name, parameter in takes if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
             and (parameter.default is parameter.empty or name in params)]
    if not names and any(parameter.kind is parameter.VAR_KEYWORD for _, parameter in takes):
        return function(**params)
    if names and all(name in params for name in names):
        return function(**{name: params[name] for name in names})
    if len(names) <= 1 and not one_by_one:
        return function(dict(params))
    return function(*params.values())


def _constraint(constraint: Any, names: Sequence[str], place: str) -> Callable[[Params], bool]:
    """The condition of a python-constraint object; those that need its solver's domains are known by the names of their classes."""
    factors = getattr(constraint, "_multipliers", None) or [1] * len(names)

    def total(values: List[Any]) -> Any:
        return sum(factor * value for factor, value in zip(factors, values))

    tests: Dict[str, Callable[[List[Any]], bool]] = {
        "MaxProdConstraint": lambda values: math.prod(values) <= constraint._maxprod,
        "MinProdConstraint": lambda values: math.prod(values) >= constraint._minprod,
        "ExactProdConstraint": lambda values: math.prod(values) == constraint._exactprod,
        "MaxSumConstraint": lambda values: total(values) <= constraint._maxsum,
        "MinSumConstraint": lambda values: total(values) >= constraint._minsum,
        "ExactSumConstraint": lambda values: total(values) == constraint._exactsum,
        "InSetConstraint": lambda values: all(value in constraint._set for value in values),
        "NotInSetConstraint": lambda values: not any(value in constraint._set for value in values),
    }
    test = tests.get(type(constraint).__name__)
    if test:
        listed = test
        return lambda params: listed([params[name] for name in names])
    if not callable(constraint):
        raise ValueError(f"{place}: a {type(constraint).__name__} is not supported; write it as a string or a function")

    def holds(params: Params) -> bool:
        with blamed(place, params):
            return bool(constraint(names, {}, {name: params[name] for name in names}))

    return holds


def _is_constraint(restriction: Any) -> bool:
    return any(base.__name__ == "Constraint" for base in type(restriction).__mro__)


def _string(text: str, kinds: Mapping[str, str], place: str) -> Restriction:
    function = evaluator(text, place)
    try:
        expression: Optional[str] = truth(translate(text, kinds))
    except Untranslatable:
        expression = None

    def holds(params: Params) -> bool:
        try:
            return bool(function(params))
        except ValueError as error:
            if isinstance(error.__cause__, ZeroDivisionError):  # as the expression of a spec
                return False
            raise

    return Restriction(holds, expression)


def _is_chosen(restriction: Any) -> bool:
    """Whether it is a condition with the parameters that it is about, as python-constraint is given it."""
    return isinstance(restriction, tuple) and len(restriction) in (2, 3) and isinstance(restriction[1], (list, tuple)) \
        and all(isinstance(name, str) for name in restriction[1])


def _one(restriction: Any, kinds: Mapping[str, str], place: str) -> Restriction:
    names: Sequence[str] = list(kinds)
    chosen = _is_chosen(restriction)
    if chosen:
        restriction, names = restriction[0], list(restriction[1])
        unknown = [name for name in names if name not in kinds]
        if unknown:
            raise ValueError(f"{place}: there is no parameter {unknown[0]}")
    if isinstance(restriction, str):
        return _string(restriction, kinds, place)
    if _is_constraint(restriction):
        return Restriction(_constraint(restriction, names, place), None)
    if callable(restriction):
        return Restriction(lambda params: bool(call(restriction, {name: params[name] for name in names}, place, chosen)), None)
    raise ValueError(f"{place}: {restriction!r} is neither text, a function nor a constraint")


def read_restrictions(restrictions: Any, kinds: Mapping[str, str]) -> List[Restriction]:
    """All restrictions of `tune_kernel`; `kinds` says of each parameter what it is."""
    if restrictions is None:
        return []
    if isinstance(restrictions, str) or _is_chosen(restrictions) or callable(restrictions) or _is_constraint(restrictions):
        return [_one(restrictions, kinds, "restrictions")]
    if not isinstance(restrictions, Iterable):
        raise TypeError(f"restrictions: {restrictions!r} is no list")
    return [_one(restriction, kinds, f"restrictions[{index}]") for index, restriction in enumerate(restrictions)]
