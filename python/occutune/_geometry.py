"""Grid, thread block and shared memory of Kernel Tuner's interface, as functions and as expressions."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy

from ._blame import blamed
from ._expression import Untranslatable, evaluator, number, translate
from ._restrictions import Params, call

AXES = ("x", "y", "z")
_DEFAULT_NAMES = [f"block_size_{axis}" for axis in AXES]
_DEFAULT_BLOCK = (256, 1, 1)  # what Kernel Tuner launches where no parameter says it


class Formula(NamedTuple):
    """A number of each configuration: as a function, and as an expression of the spec where that can say it."""

    value: Callable[[Params], int]
    text: Optional[str]


class Geometry(NamedTuple):
    """How a kernel is launched."""

    problem: List[Formula]
    grid: List[Formula]
    block: List[Formula]
    block_names: List[str]
    shared: Optional[Formula]
    sizes: Dict[str, int]  # the dimensions of the problem size that are plain numbers, by axis


def constant(value: int) -> Formula:
    """The same for every configuration."""
    return Formula(lambda _: value, str(value))


def block_names(names: Optional[Sequence[str]], params: Mapping[str, Any]) -> List[str]:
    """The three names of the block's dimensions, those of another case (BLOCK_SIZE_X) among them."""
    if names is None:
        names = sorted((name for name in params if name.lower() in _DEFAULT_NAMES and name not in _DEFAULT_NAMES),
                       key=str.casefold)
    if not isinstance(names, list) or len(names) > 3 or not all(isinstance(name, str) for name in names):
        raise ValueError("block_size_names: give a list of at most three names")
    return [*names, *_DEFAULT_NAMES[len(names):]]


def _text_formula(text: str, kinds: Mapping[str, str], place: str) -> Formula:
    function = evaluator(text, place)
    try:
        term: Optional[str] = number(translate(f"int({text})", kinds))
    except Untranslatable:
        term = None
    return Formula(lambda params: int(function(params)), term)


def _product(formulas: Sequence[Formula]) -> Formula:
    texts = [formula.text for formula in formulas]
    text = None if None in texts else " * ".join(f"({text})" for text in texts) or "1"

    def value(params: Params) -> Any:
        return math.prod(formula.value(params) for formula in formulas)

    return Formula(value, text)


def _number(value: Any, place: str, params: Params) -> Any:
    with blamed(place, params):
        return value if isinstance(value, (int, numpy.integer)) else float(value)


def _divisor(divisor: Any, default: str, kinds: Mapping[str, str], place: str) -> Formula:
    """The grid divisor of one dimension: nothing, a number, an expression, a function, or a list of these."""
    if divisor is None:
        return Formula(lambda params: params[default], default) if default in kinds else constant(1)
    if isinstance(divisor, (int, numpy.integer)):
        return constant(int(divisor))
    if isinstance(divisor, str):
        return _text_formula(divisor, kinds, place)
    if callable(divisor):
        return Formula(lambda params: _number(call(divisor, params, place), place, params), None)
    if numpy.iterable(divisor):
        return _product([_divisor(item, "", kinds, f"{place}[{index}]") for index, item in enumerate(divisor)])
    raise ValueError(f"{place}: {divisor!r}: give a number, an expression, a function, or a list of these")


def _problem(problem_size: Any, kinds: Mapping[str, str]) -> List[Formula]:
    """The problem size in each dimension given."""
    if callable(problem_size):
        def dimension(axis: int) -> Formula:
            def value(params: Params) -> int:
                with blamed("problem_size", params):
                    size = call(problem_size, params, "problem_size")
                    size = (size,) if isinstance(size, (int, str, numpy.integer)) else tuple(size)
                    return int(size[axis]) if axis < len(size) else 1
            return Formula(value, None)
        return [dimension(axis) for axis in range(3)]
    if isinstance(problem_size, (str, int, numpy.integer)):
        problem_size = (problem_size,)
    if not isinstance(problem_size, (Sequence, numpy.ndarray)):
        raise TypeError(f"problem_size: {problem_size!r} is neither a number, an expression, a function, nor a list of these")
    if not 1 <= len(problem_size) <= 3:
        raise ValueError("problem_size: give one to three dimensions")
    return [_dimension(size, axis, kinds) for axis, size in enumerate(problem_size)]


def _dimension(size: Any, axis: int, kinds: Mapping[str, str]) -> Formula:
    if isinstance(size, str):
        return _text_formula(size, kinds, "problem_size")
    if isinstance(size, (int, numpy.integer)):
        return Formula(lambda _: int(size), f"problem_size_{AXES[axis]}")
    raise TypeError(f"problem_size: {size!r} is neither a number nor an expression")


def _quotient(problem: Formula, divisor: Formula) -> Formula:
    """Rounded up."""
    text = None if problem.text is None or divisor.text is None else f"ceil(({problem.text}) / ({divisor.text}))"
    return Formula(lambda params: math.ceil(float(problem.value(params)) / float(divisor.value(params))), text)


def _whole(value: Any, place: str, params: Params) -> int:
    with blamed(place, params):
        return int(value)


def _shared(smem_args: Optional[Mapping[str, Any]], kinds: Mapping[str, str]) -> Optional[Formula]:
    if not smem_args:
        return None
    if set(smem_args) != {"size"}:
        raise ValueError(f"smem_args: only `size` is supported, found {', '.join(sorted(smem_args))}")
    size, place = smem_args["size"], 'smem_args["size"]'
    if isinstance(size, str):
        return _text_formula(size, kinds, place)
    if callable(size):
        return Formula(lambda params: _whole(call(size, params, place), place, params), None)
    return constant(int(size))


def read_geometry(problem_size: Any, divisors: Sequence[Any], names: Optional[Sequence[str]],
                  smem_args: Optional[Mapping[str, Any]], kinds: Mapping[str, str]) -> Geometry:
    """Everything about the launch; `kinds` says of each parameter what it is."""
    names = block_names(names, kinds)
    problem = _problem(problem_size, kinds)
    grid = [_quotient(size, _divisor(divisor, name, kinds, f"grid_div_{axis}"))
            for size, divisor, name, axis in zip(problem, divisors, names, AXES)]
    block = [Formula(lambda params, name=name: int(params[name]), name)  # type: ignore[misc]
             if name in kinds else constant(default) for name, default in zip(names, _DEFAULT_BLOCK)]
    plain = () if callable(problem_size) else numpy.atleast_1d(numpy.asarray(problem_size, dtype=object))
    sizes = {axis: int(size) for axis, size in zip(AXES, plain) if isinstance(size, (int, numpy.integer))}
    return Geometry(problem, grid, block, names, _shared(smem_args, kinds), sizes)
