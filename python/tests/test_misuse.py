"""Each argument of `tune_kernel` given wrongly: the message names it, before anything runs."""

import numpy
import pytest
from conftest import SIZE, SOURCE

import occutune

ONE = numpy.zeros(4, numpy.float32)


@pytest.mark.parametrize("kind,message,wrong", [
    (TypeError, "kernel_name: give the kernel's name, not 3", {"kernel_name": 3}),
    (ValueError, "kernel_source: is empty", {"kernel_source": ""}),
    (ValueError, r"tune_kernel\('copy'\): no configuration can be launched at this problem size: problem_size, grid_div_x: ",
     {"problem_size": 0}),
    (TypeError, "arguments: give a list, an argument of the kernel each, not None", {"arguments": None}),
    (TypeError, "arguments: give a list, an argument of the kernel each, not an array", {"arguments": ONE}),
    (TypeError, r"arguments\[0\]: elements of type object are not supported", {"arguments": [numpy.array([object()])]}),
    (TypeError, r"arguments\[1\]: a masked array is not supported", {"arguments": [ONE, numpy.ma.array(ONE)]}),
    (TypeError, "tune_params: a name is text, not 3", {"tune_params": {3: [1]}}),
    (TypeError, r'tune_params\["WORK"\]\[1\]: a value is a number, a truth value or text, not a NoneType',
     {"tune_params": {"WORK": [1, None]}}),
    (TypeError, r'tune_params\["WORK"\]\[0\]: .* not a complex', {"tune_params": {"WORK": [1j]}}),
    (occutune.FunctionError, "grid_div_x: TypeError", {"grid_div_x": lambda params: None}),
    (TypeError, "smem_args: give a dictionary, not 3", {"smem_args": 3}),
    (TypeError, r"cmem_args: give a dictionary, not \[1\]", {"cmem_args": [1]}),
    (TypeError, r"defines: give a dictionary, not \['A'\]", {"defines": ["A"]}),
    (TypeError, "compiler_options: give a list of texts, not '-O3'", {"compiler_options": "-O3"}),
    (TypeError, r"compiler_options: give a list of texts, not \[3\]", {"compiler_options": [3]}),
    (TypeError, "lang: give a text", {"lang": 3}),
    (ValueError, "device: there is no GPU -1", {"device": -1}),
    (TypeError, "device: give the number of a GPU, not 0.5", {"device": 0.5}),
    (TypeError, "iterations: give a whole number, not '7'", {"iterations": "7"}),
    (ValueError, "iterations: one at least is needed", {"iterations": 0}),
    (TypeError, "atol: give a number, not nan", {"atol": float("nan")}),
    (ValueError, "atol: -1 is negative", {"atol": -1}),
    (TypeError, "verify: give a function, not 3", {"verify": 3}),
    (TypeError, "observers: give a list, not 3", {"observers": 3}),
    (TypeError, "cache: give the path of a file, not 3", {"cache": 3}),
    (ValueError, "simulation_mode: its times come from a cache", {"simulation_mode": True}),
    (TypeError, r"strategy_options: give a dictionary, not \[1\]", {"strategy_options": [1]}),
    (TypeError, r'strategy_options\["max_fevals"\]: give a number', {"strategy_options": {"max_fevals": "a"}}),
    (ValueError, r'strategy_options\["time_limit"\]: -1 is negative', {"strategy_options": {"time_limit": -1}}),
    (ValueError, r'metrics\["WORK"\]: is the name of a parameter', {"metrics": {"WORK": "1"}}),
])
def test_the_argument_is_named(arguments, kind, message, wrong):
    given = {"kernel_name": "copy", "kernel_source": SOURCE, "problem_size": SIZE, "arguments": arguments,
             "tune_params": {"block_size_x": [32], "WORK": [0]}, **wrong}
    with pytest.raises(kind, match=f"^{message}"):
        occutune.tune_kernel(**given, quiet=True)


def test_values_may_come_from_a_generator(arguments):
    params = {"block_size_x": (size for size in (32, 64)), "WORK": iter([0])}
    assert len(occutune.tune_kernel("copy", SOURCE, SIZE, arguments, params, quiet=True)[0]) == 2


def test_an_objective_that_is_no_number(arguments):
    with pytest.warns(UserWarning, match="objective: no result has a number as m"):
        occutune.tune_kernel("copy", SOURCE, SIZE, arguments, {"block_size_x": [32], "WORK": [0]}, quiet=True, objective="m",
                             objective_higher_is_better=True, metrics={"m": lambda result: "much"})


def test_an_error_is_told_alone_and_without_temporary_files(spec, arguments):
    spec["arguments"][0]["buffer"] = "float64"
    with pytest.raises(occutune.UsageError) as caught:
        occutune.tune(spec)
    assert str(caught.value) == "in: the array holds float32, the argument is float64"
    with pytest.raises(occutune.OccutuneError, match="no recording of kernel copy with problem_size_x=4096 on h200: name one"):
        occutune.tune_kernel("copy", SOURCE, SIZE, arguments, {"block_size_x": [32], "WORK": [0]}, quiet=True, device="h200")


@pytest.mark.parametrize("wrong", [{"predict": 0}, {"patience": -1}, {"patience": "a"}, {"device": 3}])
def test_the_strategys_options(wrong):
    from occutune.kernel_tuner import ModelStrategy

    with pytest.raises((TypeError, ValueError), match=f"^ModelStrategy: {next(iter(wrong))}: give"):
        ModelStrategy(**wrong)
