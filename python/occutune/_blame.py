"""Functions of the caller's that raise: which argument's it was, and for which configuration."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from typing import Any, Iterator, Mapping

_BEHIND_PARAMETERS = ("time", "__error__")  # in a result


class FunctionError(ValueError):
    """A function or an expression that was given as an argument raised; `__cause__` is what it raised."""


def configuration_text(params: Mapping[str, Any]) -> str:
    """The parameters of a configuration, or of a result, as a message has them."""
    names = itertools.takewhile(lambda name: name not in _BEHIND_PARAMETERS, params)
    return ", ".join(f"{name}={params[name]!r}" for name in names)


def function_error(place: str, params: Mapping[str, Any], error: Exception) -> FunctionError:
    """What to raise from an error; `place` is the argument that the function came with."""
    if isinstance(error, FunctionError):
        return error
    return FunctionError(f"{place}: {type(error).__name__}: {error} (for {configuration_text(params) or 'no parameters'})")


@contextmanager
def blamed(place: str, params: Mapping[str, Any]) -> Iterator[None]:
    """What is raised within comes from the function that was given as `place`."""
    try:
        yield
    except FunctionError:
        raise
    except Exception as error:
        raise function_error(place, params, error) from error
