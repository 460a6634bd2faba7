"""What the arguments of `tune_kernel` are, said before anything runs and by their names."""

from __future__ import annotations

import math
import numbers
import os
from typing import Any, Mapping, Optional

import numpy

from ._arrays import is_array


def _expect(good: bool, place: str, value: Any, what: str) -> None:
    if not good:
        raise TypeError(f"{place}: give {what}, not {'an array' if is_array(value) else repr(value)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def check_shapes(kernel_name: Any, arguments: Any, given: Mapping[str, Any]) -> None:
    """Of all that a call of Kernel Tuner's interface is given; None is what was left out."""
    _expect(isinstance(kernel_name, str), "kernel_name", kernel_name, "the kernel's name")
    _expect(isinstance(arguments, (list, tuple)), "arguments", arguments, "a list, an argument of the kernel each")
    for name in ("smem_args", "cmem_args", "defines", "strategy_options"):
        _expect(isinstance(given.get(name) or {}, Mapping), name, given.get(name), "a dictionary")
    options = given.get("compiler_options")
    _expect(_is_list(options) and all(isinstance(option, str) for option in options or []), "compiler_options", options,
            "a list of texts")
    _expect(given.get("lang") is None or isinstance(given["lang"], str), "lang", given.get("lang"), "a text such as \"CUDA\"")


def _is_list(value: Any) -> bool:
    return value is None or isinstance(value, (list, tuple))


def check_call(given: Mapping[str, Any]) -> None:
    """Of what only `tune_kernel` is given."""
    iterations, atol, device = given["iterations"], given["atol"], given["device"]
    _expect(isinstance(iterations, (int, numpy.integer)), "iterations", iterations, "a whole number")
    if iterations < 1:
        raise ValueError("iterations: one at least is needed")
    _expect(_is_number(atol), "atol", atol, "a number")
    if atol < 0:
        raise ValueError(f"atol: {atol} is negative")
    _expect(device is None or isinstance(device, (int, numpy.integer, str)), "device", device, "the number of a GPU")
    if not isinstance(device, str) and (device or 0) < 0:
        raise ValueError(f"device: there is no GPU {device}")
    _expect(given["verify"] is None or callable(given["verify"]), "verify", given["verify"], "a function")
    _expect(_is_list(given["observers"]), "observers", given["observers"], "a list")
    _expect(given["cache"] is None or isinstance(given["cache"], (str, os.PathLike)), "cache", given["cache"], "the path of a file")
    if given["simulation_mode"] and not given["cache"]:
        raise ValueError("simulation_mode: its times come from a cache: give one")
    _check_budget(given["strategy_options"] or {})


def check_names(metrics: Optional[Mapping[str, Any]], parameters: Mapping[str, Any]) -> None:
    """A metric stands beside the parameters in a result."""
    for name in metrics or {}:
        if name in parameters:
            raise ValueError(f'metrics["{name}"]: is the name of a parameter')


def _check_budget(options: Mapping[str, Any]) -> None:
    for name in ("max_fevals", "time_limit", "fraction"):
        value, place = options.get(name), f'strategy_options["{name}"]'
        _expect(value is None or _is_number(value), place, value, "a number")
        if value is not None and value < 0:
            raise ValueError(f"{place}: {value} is negative")
