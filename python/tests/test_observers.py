"""Observers, arguments that depend on parameters, and kernels as functions, on the pretended driver."""

import numpy
import pytest
from conftest import SIZE, SOURCE

import occutune
from occutune._observers import Observers
from occutune.kernelbuilder import PythonKernel


class BenchmarkObserver:
    """What Kernel Tuner's class of this name does."""

    def register_device(self, dev):
        self.dev = dev

    def register_configuration(self, params):
        self.calls = []

    def before_start(self):
        self.calls.append("before_start")

    def after_start(self):
        self.calls.append("after_start")

    def during(self):
        self.calls.append("during")

    def after_finish(self):
        self.calls.append("after_finish")

    def get_results(self):
        return {"calls": list(self.calls), "device": self.dev.name, "bus": self.dev.env["pci_bus_id"]}


class PrologueObserver(BenchmarkObserver):
    def get_results(self):
        return {"prologue": list(self.calls)}


class ContinuousObserver(BenchmarkObserver):
    continuous_duration = 0.001

    def get_results(self):
        return {"power": 100.0 + self.results["WORK"]}


class PowerObserver(BenchmarkObserver):
    def __init__(self):
        self.continuous_observer = ContinuousObserver()
        self.continuous_observer.register_configuration({})


class AccuracyObserver(BenchmarkObserver):
    """Stands for Kernel Tuner's, whose result is one of the outputs alone."""

    def __init__(self):
        self.shown = []

    def process_output(self, answer, outputs):
        self.shown.append(outputs[1])


AccuracyObserver.__module__ = "kernel_tuner.accuracy"


class OutputObserver(BenchmarkObserver):
    def process_output(self, answer, outputs):
        self.error = float(numpy.abs(answer[1].astype(numpy.float64) - outputs[1]).max())
        self.shown = [output is not None for output in outputs]

    def get_results(self):
        return {"error": self.error, "shown": self.shown}


def tune(arguments, parameters, **options):
    return occutune.tune_kernel("copy", options.pop("source", SOURCE), SIZE, arguments, parameters, quiet=True, **options)


def test_observers_watch_launches(arguments, parameters):
    results, _ = tune(arguments, parameters, observers=[BenchmarkObserver(), PrologueObserver()], iterations=3)
    once = ["before_start", "after_start", "after_finish"]
    for result in results:
        assert [call for call in result["calls"] if call != "during"] == 3 * once
        assert [call for call in result["prologue"] if call != "during"] == once
        assert result["device"] == "Pretended GPU" and result["bus"] == "0000:01:00.0"


def test_an_observer_may_be_made_by_a_function(arguments, parameters):
    class Language(BenchmarkObserver):
        def __init__(self, given):
            self.given = given

        def get_results(self):
            return {"language": self.given["lang"]}

    results, _ = tune(arguments, parameters, observers=[lambda given: Language(given)], iterations=1)
    assert {result["language"] for result in results} == {"CUDA"}


def test_what_is_observed_is_an_objective(arguments, parameters, monkeypatch):
    monkeypatch.setenv("FAKE_SLOW", "1000")  # a second of power is 200 launches then, not 200,000
    results, env = tune(arguments, parameters, observers=[PowerObserver()], objective="energy", objective_higher_is_better=True,
                        metrics={"energy": "power * time"})
    assert {result["power"] for result in results} == {100.0, 101.0} and len(results) == 6
    _, env = tune(arguments, parameters, observers=[PowerObserver()], objective="power", objective_higher_is_better=True)
    assert env["best_config"]["WORK"] == 1


def test_output_observers_judge(arguments, parameters, source_array):
    answer = [None, source_array + numpy.float32(0.5), None]  # not what is computed
    results, _ = tune(arguments, parameters, answer=answer, observers=[OutputObserver()])
    assert all(result["error"] == pytest.approx(0.5, abs=1e-3) and "time" in result for result in results)
    assert results[0]["shown"] == [False, True, False]


class Tunable(dict):
    """As Kernel Tuner's."""

    def __init__(self, name, arrays):
        super().__init__(arrays)
        self.name = name

    def select_for_configuration(self, params):
        return self[params[self.name]]


def test_arguments_that_depend_on_parameters(arguments, source_array):
    other = source_array[::-1].copy()
    chosen = Tunable("WHICH", {"first": source_array, "second": other})
    parameters = {"block_size_x": [64, 128], "WHICH": ["first", "second"], "WORK": [0]}
    seen = []

    def verify(answer, outputs):
        seen.append(outputs[1])
        return True

    results, env = tune([chosen, *arguments[1:]], parameters, verify=verify)
    assert [(result["block_size_x"], result["WHICH"]) for result in results] == [
        (64, "first"), (64, "second"), (128, "first"), (128, "second")]
    assert [numpy.array_equal(output, source_array) for output in seen] == [True, True, False, False]
    assert numpy.array_equal(seen[2], other) and env["best_config"] in results
    few, _ = tune([chosen, *arguments[1:]], parameters, strategy="random_sample", strategy_options={"max_fevals": 2})
    assert len(few) == 2
    with pytest.raises(ValueError, match="cache: not supported where arguments depend on parameters"):
        tune([chosen, *arguments[1:]], parameters, cache="cache")
    output = occutune.run_kernel("copy", SOURCE, SIZE, [chosen, *arguments[1:]], {"block_size_x": 64, "WHICH": "second", "WORK": 0})
    assert numpy.array_equal(output[1], other)


def test_a_kernel_is_a_function(arguments, source_array):
    import ctypes

    copy = PythonKernel("copy", SOURCE, SIZE, arguments, {"block_size_x": 64, "WORK": 0}, inputs=[True, False, True],
                        outputs=[False, True, False])
    [output] = copy(*arguments)
    assert numpy.array_equal(output, source_array)
    [output] = copy(2 * source_array, *arguments[1:])
    assert numpy.array_equal(output, 2 * source_array)
    [output] = copy(source_array, arguments[1], numpy.int32(8))  # the other elements are as the call before left them
    assert numpy.array_equal(output[:8], source_array[:8]) and numpy.array_equal(output[8:], 2 * source_array[8:])
    with pytest.raises(ValueError, match="argument 0: an array of 16384 bytes is expected"):
        copy(source_array[1:], *arguments[1:])
    context = ctypes.c_void_p()
    copy._runner.device.call("cuCtxGetCurrent", ctypes.byref(context))
    assert not context.value  # the caller's context stays as it was
    copy.close()


class OnGpu:
    """An array of CuPy's or PyTorch's kind; memory of the pretended GPU is the host's."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {"data": (array.ctypes.data, False), "shape": array.shape, "typestr": array.dtype.str,
                                         "strides": None if array.flags.c_contiguous else array.strides, "version": 3}

    def get(self):
        return self.array


def test_a_kernel_uses_arrays_where_they_are(arguments, source_array):
    given, result = OnGpu(source_array.reshape(64, 64).T), OnGpu(numpy.zeros_like(source_array))
    copy = PythonKernel("copy", SOURCE, SIZE, [given, result, arguments[2]], {"block_size_x": 64, "WORK": 0})
    assert copy(given, result, arguments[2]) == []
    assert numpy.array_equal(result.array, source_array)
    with pytest.raises(ValueError, match="an array with gaps"):
        copy(OnGpu(numpy.zeros(2 * SIZE, numpy.float32)[::2]), result, arguments[2])
    copy.close()


@pytest.mark.parametrize("kind", ["float32", "float16", "complex128"])
def test_the_same_outputs_are_judged_once(kind):
    accuracy, own = AccuracyObserver(), OutputObserver()
    observers = Observers([accuracy, own])
    answer = [None, (numpy.arange(200000) % 1000).astype(kind)]
    nan = answer[1].copy()
    nan[-1] = numpy.nan
    each = [answer[1], answer[1].copy(), nan, nan.copy(), nan.reshape(2, -1), nan.reshape(2, -1).astype("complex64")]
    seen = []
    own.process_output = lambda expected, outputs: seen.append(outputs[1])
    for output in each:
        observers.process_outputs(answer, [None, output])
    assert len(seen) == len(each)
    assert [id(output) for output in accuracy.shown] == [id(each[at]) for at in (0, 2, 4, 5)]
