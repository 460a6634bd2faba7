"""Kernel Tuner's search strategies by their names: for scripts with `strategy=kernel_tuner.strategies.minimize`.

All but "brute_force" and "random_sample" search without a model; `tune_kernel` runs the model's search in their place.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Optional

WITHOUT_MODEL = frozenset({
    "adaptive_tabu_greywolf", "basinhopping", "bayes_opt", "diff_evo", "dual_annealing", "firefly_algorithm", "genetic_algorithm",
    "greedy_ils", "greedy_mls", "hybrid_vndx", "minimize", "mls", "ordered_greedy_mls", "pso", "pyatf_strategies",
    "simulated_annealing", "skopt"})
_NAMES = WITHOUT_MODEL | {"brute_force", "random_sample"}


def __getattr__(name: str) -> str:
    """A strategy is its name here."""
    if name in _NAMES:
        return name
    raise AttributeError(f"Kernel Tuner has no strategy {name}")


def name_of(strategy: Any) -> Optional[str]:
    """The name of a strategy, given by name or as Kernel Tuner's module; None for a strategy of the caller's own."""
    if isinstance(strategy, ModuleType):
        return strategy.__name__.rsplit(".", 1)[-1]
    return strategy if isinstance(strategy, str) else None
