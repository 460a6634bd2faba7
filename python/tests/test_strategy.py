"""Our model as a strategy of Kernel Tuner: with a stand-in for its runner, and in its own simulation where it is there."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import SIZE, SOURCE

import occutune
from occutune.kernel_tuner import ModelStrategy

# What takes longer the larger WORK is, in the model's eyes too.
SLOWER = SOURCE.replace("out[i] = in[i] + WORK", "for (int k = 0; k <= 64 * WORK; k++) out[i] = sinf(in[i] + k * out[i])")


class Budget:
    def __init__(self, most):
        self.left = most

    def is_done(self):
        return self.left == 0


class Runner:
    """Times are those of a table; the rest is what Kernel Tuner's runner has."""

    def __init__(self, arguments):
        self.kernel_options = SimpleNamespace(
            kernel_name="copy", problem_size=SIZE, arguments=arguments, grid_div_x=None, grid_div_y=None, grid_div_z=None,
            smem_args=None, cmem_args=None, defines=None, block_size_names=None)
        self.kernel_source = SimpleNamespace(kernel_sources=[SLOWER], lang="CUDA")
        self.ran = []

    def run(self, configurations, options):
        options.budget.left -= 1
        self.ran += configurations
        return [{"block_size_x": x, "WORK": work, "time": 1.0 + 100 * work} for x, work in configurations]


def tune(arguments, most, **options):
    space = SimpleNamespace(tune_params={"block_size_x": [64, 128, 2048], "WORK": [2, 1, 0]},
                            list=[(x, work) for x in (64, 128) for work in (2, 1, 0)])
    runner = Runner(arguments)
    results = ModelStrategy(**options).tune(space, runner, SimpleNamespace(objective=["time"], budget=Budget(most)))
    return runner.ran, results


def test_the_fastest_come_first(arguments):
    ran, results = tune(arguments, 3)
    assert len(ran) == len(results) == 3
    assert {configuration[1] for configuration in ran[:2]} == {0}
    assert ran[2][1] == 1


def test_all_are_timed_while_they_may_win(arguments):
    ran, _ = tune(arguments, 100)
    assert len(set(ran)) == len(ran) == 6  # the table's times are far above every bound


def test_another_objective_is_refused():
    options = SimpleNamespace(objective=["energy"], budget=Budget(1))
    with pytest.raises(ValueError, match="predicts times"):
        ModelStrategy().tune(SimpleNamespace(), SimpleNamespace(), options)


def test_in_kernel_tuners_simulation(arguments):
    pytest.importorskip("scipy")
    kernel_tuner = pytest.importorskip("kernel_tuner")
    parameters = {"block_size_x": [64, 128], "WORK": [2, 1, 0]}
    occutune.tune_kernel("copy", SLOWER, SIZE, arguments, parameters, cache="cache", strategy="brute_force", quiet=True)
    results, env = kernel_tuner.tune_kernel(
        "copy", SLOWER, SIZE, arguments, parameters, cache="cache.json", simulation_mode=True, quiet=True,
        strategy=ModelStrategy(), strategy_options={"max_fevals": 2})
    assert len(results) == 2 and {result["WORK"] for result in results} == {0}
    assert env["best_config"]["time"] > 0
    assert "kernel_tuner" in sys.modules and json.loads(Path("cache.json").read_text())


def test_errors_are_kernel_tuners_own(arguments, source_array):
    pytest.importorskip("scipy")
    util = pytest.importorskip("kernel_tuner.util")
    from kernel_tuner.file_utils import get_t4_results

    results, _ = occutune.tune_kernel("copy", SOURCE, SIZE, arguments, {"block_size_x": [64], "WORK": [0]},
                                      answer=[None, source_array + 1, None], quiet=True)
    assert isinstance(results[0]["__error__"], util.RuntimeFailedConfig)
    assert get_t4_results(results, {"block_size_x": [64], "WORK": [0]})["results"][0]["invalidity"] == "runtime"
