"""Functions of the caller's that raise."""

import pickle

import numpy
import pytest
from conftest import SIZE, SOURCE

import occutune

SPACE = {"block_size_x": [32, 64], "WORK": [0]}


def raises(*_, **__):
    raise KeyError("mine")


def raise_of_params(params):
    raise KeyError("mine")


class Observer:
    """Like one of Kernel Tuner's, and raises where it is told to."""

    def __init__(self, where):
        self.where = where

    def _called(self, name):
        if name == self.where:
            raise KeyError("mine")

    def register_device(self, dev):
        self._called("register_device")

    def register_configuration(self, params):
        self._called("register_configuration")

    def before_start(self):
        self._called("before_start")

    def after_start(self):
        self._called("after_start")

    def during(self):
        pass

    def after_finish(self):
        self._called("after_finish")

    def get_results(self):
        self._called("get_results")
        return {}


class Tunable:
    dtype = numpy.dtype("float32")

    def select_for_configuration(self, params):
        raise KeyError("mine")


def tune(arguments, **options):
    tuned = {"kernel_source": SOURCE, "problem_size": SIZE, "tune_params": SPACE, "quiet": True, **options}
    return occutune.tune_kernel("copy", tuned.pop("kernel_source"), tuned.pop("problem_size"), arguments, tuned.pop("tune_params"),
                                **tuned)


@pytest.mark.parametrize("place,options", [
    ("restrictions", {"restrictions": raise_of_params}),
    ("restrictions[1]", {"restrictions": ["block_size_x > 1", lambda block_size_x: raises()]}),
    ("grid_div_x", {"grid_div_x": raise_of_params}),
    ("grid_div_x[1]", {"grid_div_x": ["block_size_x", raise_of_params]}),
    ("problem_size", {"problem_size": raise_of_params}),
    ('smem_args["size"]', {"smem_args": {"size": raise_of_params}}),
    ('defines["EXTRA"]', {"defines": {"block_size_x": "block_size_x", "WORK": "WORK", "EXTRA": raise_of_params}}),
    ("kernel_source", {"kernel_source": raise_of_params, "lang": "CUDA"}),
    ('metrics["m"]', {"metrics": {"m": raise_of_params}}),
    ("verify", {"verify": raises}),
    ("observers: Observer.before_start", {"observers": [Observer("before_start")]}),
    ("observers: Observer.get_results", {"observers": [Observer("get_results")]}),
])
def test_the_argument_and_the_configuration_are_named(arguments, place, options):
    with pytest.raises(occutune.FunctionError) as caught:
        tune(arguments, **options)
    assert str(caught.value) == f"{place}: KeyError: 'mine' (for block_size_x=32, WORK=0)"
    assert isinstance(caught.value.__cause__, KeyError) and isinstance(caught.value, ValueError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_arguments_that_are_chosen(arguments):
    with pytest.raises(occutune.FunctionError, match=r"^arguments\[0\]: KeyError: 'mine' \(for block_size_x=32, WORK=0\)"):
        tune([Tunable(), *arguments[1:]])


def test_an_observer_that_is_told_of_the_device(arguments):
    with pytest.raises(occutune.FunctionError, match="^observers: Observer.register_device: KeyError: 'mine' "):
        tune(arguments, observers=[Observer("register_device")])


@pytest.mark.parametrize("place,message,options", [
    ("kernel_source", "TypeError: it returned a int, not the text of a source", {"kernel_source": lambda params: 3, "lang": "CUDA"}),
    ("problem_size", "TypeError: .*", {"problem_size": lambda params: None}),
    ('smem_args\\["size"\\]', "ValueError: .*", {"smem_args": {"size": lambda params: "many"}}),
    ("restrictions", "TypeError: .*", {"restrictions": lambda a, b, c: True}),
    ('metrics\\["m"\\]: \'nothing \\* 2\'', "NameError: .*", {"metrics": {"m": "nothing * 2"}}),
])
def test_what_is_wrong_with_what_they_return_or_take(arguments, place, message, options):
    with pytest.raises(occutune.FunctionError, match=rf"^{place}: {message} \(for block_size_x=32, WORK=0\)$"):
        tune(arguments, **options)


def test_text_that_python_evaluates_has_few_names(arguments):
    results, _ = tune(arguments, restrictions=["all(size < 128 for size in [block_size_x])"])
    assert {result["block_size_x"] for result in results} == {32, 64}
    with pytest.raises(occutune.FunctionError, match="NameError: name '__import__' is not defined"):
        tune(arguments, restrictions=["__import__('os').getpid() > 0"])


def test_what_divides_by_zero_does_not_hold(arguments):
    """As text, which the program evaluates too; a function has to say so itself."""
    with pytest.raises(occutune.FunctionError, match="ZeroDivisionError"):
        tune(arguments, restrictions=lambda params: 1 // params["WORK"])
    with pytest.raises(ValueError, match="restrictions"):
        tune(arguments, restrictions=["1 // WORK"])


def test_the_programs_errors_stay_what_they_are(arguments, monkeypatch):
    monkeypatch.setenv("FAKE_NO_DEVICE", "1")
    with pytest.raises(occutune.OccutuneError):
        tune(arguments, verify=lambda answer, outputs: True, answer=[None, arguments[0], None])
