"""`tune_kernel` and `run_kernel` on the pretended driver."""

import contextlib
import json
import linecache
import math
from pathlib import Path

import numpy
import pytest
from conftest import SIZE, SOURCE

import occutune
from occutune import _job
from occutune._driver import Device
from occutune._job import Job
from occutune._run_kernel import Runner
from occutune._workspace import Workspace


def tune(arguments, parameters, **options):
    options.setdefault("strategy", "brute_force")
    source = options.pop("source", SOURCE)
    return occutune.tune_kernel("copy", source, options.pop("problem_size", SIZE), arguments, parameters,
                                quiet=True, **options)


def configurations(results):
    return [(result["block_size_x"], result["WORK"]) for result in results]


EVERY = [(32, 0), (32, 1), (64, 0), (64, 1), (128, 0), (128, 1)]


def test_results_are_kernel_tuners(arguments, parameters):
    results, env = tune(arguments, parameters, parallel=True, parallel_runner=8)
    assert configurations(results) == EVERY  # a block of 2048 threads is not in the space
    for result in results:
        assert result["time"] == pytest.approx(0.0051) and len(result["times"]) >= 7
        for name in ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"):
            assert result[name] >= 0
        assert result["timestamp"]
    assert env["device_name"] == "Pretended GPU" and env["best_config"] in results
    assert env["total_compile_time"] > 0 and "overhead_time" in env and env["search"] == {}
    json.dumps([results, env])


def test_how_the_model_searched(arguments, parameters):
    """The environment says what was compiled and timed, why it ended, and what was passed over by which rule."""
    results, env = tune(arguments, parameters, strategy="model")
    search = env["search"]
    assert search["timed"] == len([result for result in results if "time" in result]) == 6
    assert search["compiled"] + search["not_compiled"] == 6 and search["audit"]["timed"] == 0
    for rule in ("cut_bound", "cut_estimate", "promising", "unpredicted", "shared"):
        assert 0 <= search[rule] <= search["compiled"]
    assert search["ended"] == "every configuration was tried or cannot win" and search["profile"] == ""
    assert "rank_correlation" not in search  # the pretended GPU has no profile: nothing is predicted
    _, few = tune(arguments, parameters, strategy="model", strategy_options={"max_fevals": 2})
    assert few["search"]["timed"] == 2 and "further_gain" not in few["search"]
    json.dumps(env)


@pytest.mark.parametrize("restrictions", [
    ["block_size_x >= 64", "WORK"],
    "block_size_x >= 64 and WORK == 1",
    lambda p: p["block_size_x"] >= 64 and p["WORK"] == 1,
    [lambda block_size_x, WORK: block_size_x >= 64 and WORK == 1],
    ["math.gcd(block_size_x, 64) == 64", lambda p: p["WORK"] == 1],
    ("block_size_x >= 64", "WORK == 1"),
    ("block_size_x >= 64", "WORK == 1", lambda p: True),
    (lambda size, work: size >= 64 and work == 1, ["block_size_x", "WORK"]),
    [(lambda size: size >= 64, ["block_size_x"]), (lambda WORK, block_size_x: WORK == 1, ["block_size_x", "WORK"])],
    [(lambda size, work: size >= 64 and work == 1, ["block_size_x", "WORK"])],
    [lambda p, least=64: p["block_size_x"] >= least, lambda **p: p["WORK"] == 1],
    """
        block_size_x >= 64
            and WORK == 1
    """,
    ["block_size_x >= 64", "1 % WORK == 0"],  # what divides by zero does not hold,
    ["block_size_x >= 64", "math.gcd(1 % WORK, 1) == 1"],  # nor where Python evaluates it
])
def test_restrictions(arguments, parameters, restrictions):
    results, _ = tune(arguments, parameters, restrictions=restrictions)
    assert configurations(results) == [(64, 1), (128, 1)]


def test_constraint_objects(arguments, parameters):
    class Constraint:
        pass

    class MaxSumConstraint(Constraint):
        _maxsum = 64

    results, _ = tune(arguments, parameters, restrictions=[(MaxSumConstraint(), ["block_size_x", "WORK"])])
    assert configurations(results) == [(32, 0), (32, 1), (64, 0)]

    class Own(Constraint):
        def __call__(self, variables, domains, assignments):
            return assignments["WORK"] == 1 and variables == ["WORK"]

    results, _ = tune(arguments, parameters, restrictions=[MaxSumConstraint(), (Own(), ["WORK"])])
    assert configurations(results) == [(32, 1)]

    class UnknownConstraint(Constraint):
        pass

    with pytest.raises(ValueError, match="UnknownConstraint is not supported"):
        tune(arguments, parameters, restrictions=[UnknownConstraint()])


def test_constraints_of_the_library(arguments, parameters):
    constraint = pytest.importorskip("constraint")
    for given, expected in [
            (constraint.MaxSumConstraint(65, [1, 33]), [(32, 0), (32, 1), (64, 0)]),
            (constraint.SomeInSetConstraint({128, 1}), [(32, 1), (64, 1), (128, 0), (128, 1)]),
            (constraint.ExactProdConstraint(64), [(64, 1)]),
            (constraint.AllDifferentConstraint(), [(x, work) for x in (32, 64, 128) for work in (0, 1)])]:
        results, _ = tune(arguments, {**parameters, "block_size_x": [32, 64, 128]}, restrictions=[given])
        assert configurations(results) == expected, given


def test_a_cache_of_another_space(arguments):
    """What the parameters do not have is no result."""
    tune(arguments, {"block_size_x": [32, 64], "WORK": [0]}, cache="cache")
    results, _ = tune(arguments, {"block_size_x": [64, 128], "WORK": [0]}, cache="cache")
    assert configurations(results) == [(64, 0), (128, 0)]


def test_an_array_of_answers(arguments, parameters, source_array):
    answer = numpy.array([None, source_array, None], dtype=object)
    assert not any("__error__" in result for result in tune(arguments, parameters, answer=answer)[0])


def test_problem_size_of_text_and_numbers(arguments, parameters):
    results, _ = occutune.tune_kernel("copy", SOURCE, ("block_size_x * 32", 1), arguments, {"block_size_x": [64, 128], "WORK": [0]},
                                      quiet=True)
    assert configurations(results) == [(64, 0), (128, 0)]


def test_answers(arguments, parameters, source_array):
    results, _ = tune(arguments, parameters, answer=[None, source_array, None])
    assert not any("__error__" in result for result in results)
    results, env = tune(arguments, parameters, answer=[None, source_array + 1, None])
    assert all(str(result["__error__"]) == "RuntimeFailedConfig" for result in results)
    assert "best_config" not in env
    results, _ = tune(arguments, parameters, answer=[None, source_array + 1e-3, None], atol=1e-2)
    assert not any("__error__" in result for result in results)
    with pytest.raises(TypeError, match="4095 elements"):
        tune(arguments, parameters, answer=[None, source_array[1:], None])


def test_verify_functions(arguments, parameters, source_array):
    seen = []

    def verify(answer, outputs, atol=None):
        seen.append(atol)
        return numpy.allclose(outputs[1], source_array) and answer is None and len(seen) % 2 == 0

    results, env = tune(arguments, parameters, verify=verify, atol=0.5)
    assert seen == [0.5] * 6
    assert ["__error__" in result for result in results] == [True, False] * 3
    assert "time" not in results[0] and env["best_config"]["WORK"] == 1
    results, _ = tune(arguments, parameters, verify=lambda answer, outputs: True)
    assert not any("__error__" in result for result in results)


def test_verify_functions_see_what_they_asked_for(arguments, parameters, source_array, monkeypatch):
    sent, seen = [], []
    write = Device.write
    monkeypatch.setattr(Device, "write", lambda device, address, array: (sent.append(array.nbytes), write(device, address, array)))

    def verify(answer, outputs, atol=None):
        seen.append([output is not None for output in outputs])
        return numpy.array_equal(outputs[1], source_array)

    tune(arguments, parameters, answer=[None, source_array, None], verify=verify)
    assert seen == 6 * [[False, True, False]]
    assert len(sent) == 3  # two arrays, and once more what launches write: it is restored on the GPU


def test_arrays_are_restored_between_launches(arguments, source_array):
    job = Job("copy", SOURCE, SIZE, arguments, {"block_size_x": [64], "WORK": [0]})
    with Workspace() as workspace, Runner(job, workspace, job.code_spec(workspace), 0) as runner:
        for _ in range(2):
            runner.run({"block_size_x": 64, "WORK": 0})
            assert numpy.array_equal(runner.download(1), source_array)
        runner._restore()
        assert not runner.download(1).any()


def test_sizes_divisors_and_blocks(arguments, parameters):
    for options in (
        {"problem_size": (SIZE, 1), "grid_div_x": ["block_size_x"], "grid_div_y": []},
        {"problem_size": lambda p: (SIZE, 1), "grid_div_x": lambda p: p["block_size_x"]},
        {"problem_size": f"{SIZE} + WORK - WORK", "grid_div_x": ["block_size_x/2", 2]},
        {"problem_size": numpy.int32(SIZE), "smem_args": {"size": "block_size_x * 4"}},
        {"smem_args": {"size": lambda p: p["block_size_x"] * 4}},
    ):
        results, _ = tune(arguments, parameters, **options)
        assert configurations(results) == EVERY and all("time" in result for result in results), options
    source = SOURCE.replace("block_size_x", "THREADS")
    results, _ = tune(arguments, {"THREADS": [64, 128], "WORK": [0]}, source=source, block_size_names=["THREADS"])
    assert [result["THREADS"] for result in results] == [64, 128]


def test_sources(arguments, parameters):
    def generator(params):
        return SOURCE.replace("WORK", str(params["WORK"])) + f"// {params['block_size_x']}"

    assert configurations(tune(arguments, parameters, source=generator, lang="CUDA")[0]) == EVERY
    with pytest.raises(TypeError, match="lang"):
        tune(arguments, parameters, source=generator)
    Path("copy.cu").write_text('#include "part.cuh"\n')
    Path("part.cuh").write_text(SOURCE)
    results, _ = tune(arguments, parameters, source="copy.cu", lang="CUDA")
    assert configurations(results) == EVERY
    text = SOURCE.replace("in[i] + WORK", "in[i] + WORK + grid_size_x + block_size_y + kernel_tuner")
    assert all("time" in result for result in tune(arguments, parameters, source=text)[0])


def test_unrolling(arguments):
    source = SOURCE.replace("if (i < n)", "int sum = 0;\n    #pragma unroll loop_unroll_factor_0\n"
                            "    for (int k = 0; k < n; k++) sum += k * WORK;\n    if (i < n - sum)")
    results, _ = tune(arguments, {"block_size_x": [64], "WORK": [1], "loop_unroll_factor_0": [0, 1, 8]}, source=source)
    assert ["time" in result for result in results] == [True] * 3


def test_defines(arguments):
    source = "template <int WORK, int block_size_x>" + SOURCE.strip()
    parameters = {"block_size_x": [64, 128], "WORK": [0, 1]}
    results, _ = occutune.tune_kernel("copy<WORK, block_size_x>", source, SIZE, arguments, parameters, defines={},
                                      strategy="brute_force", quiet=True)
    assert len(results) == 4 and all(str(result.get("__error__", "")) != "CompilationFailedConfig" for result in results)
    for value in ("WORK", lambda p: p["WORK"] + 1):
        results, _ = tune(arguments, parameters, source=SOURCE.replace("WORK", "OTHER"), defines={
            "OTHER": value, "block_size_x": "block_size_x"})
        assert all("time" in result for result in results)


def test_constants(arguments):
    source = SOURCE.replace("__global__", "__constant__ float factor;\n__global__").replace("copy", "scale")
    results, _ = occutune.tune_kernel("scale", source, SIZE, arguments, {"block_size_x": [64], "WORK": [0]},
                                      cmem_args={"factor": numpy.float32(3)}, quiet=True,
                                      answer=[None, 3 * arguments[0], None])
    assert "time" in results[0]


def test_metrics_and_objective(arguments, parameters):
    metrics = {"work": lambda p: 1 + p["WORK"], "GB/s": "work * 10 / time"}
    results, env = tune(arguments, parameters, metrics=metrics, objective="GB/s")
    assert env["best_config"]["WORK"] == 1
    assert results[0]["GB/s"] == pytest.approx(10 / results[0]["time"])
    with pytest.raises(ValueError, match="objective_higher_is_better"):
        tune(arguments, parameters, metrics=metrics, objective="work")
    _, env = tune(arguments, parameters, metrics=metrics, objective="work", objective_higher_is_better=False)
    assert env["best_config"]["WORK"] == 0


def test_cache_and_simulation(source_array, arguments, parameters):
    first, _ = tune(arguments, parameters, cache="cache")
    cache = json.loads(Path("cache.json").read_text())
    assert cache["kernel_name"] == "copy" and cache["problem_size"] == [SIZE]
    assert cache["tune_params_keys"] == list(parameters)
    again, env = tune(arguments, parameters, cache="cache.json")
    assert [result["time"] for result in again] == [result["time"] for result in first]
    simulated, env = tune(arguments, parameters, cache="cache", simulation_mode=True)
    assert env["level"] == "recorded" and configurations(simulated) == EVERY
    assert env["simulation"] and env["simulated_time"] > 0
    simulated, env = tune(arguments, parameters, cache="cache", simulation_mode=True, restrictions=["WORK"])
    assert configurations(simulated) == [(32, 1), (64, 1), (128, 1)]
    assert configurations(tune(arguments, parameters, cache="cache", restrictions="WORK")[0]) == configurations(simulated)
    simulated, env = tune(arguments, parameters, cache="cache", simulation_mode=True, strategy="random_sample",
                          strategy_options={"fraction": 1})
    assert configurations(simulated) == EVERY


def test_strategies(arguments, parameters):
    results, _ = tune(arguments, parameters, strategy="random_sample", strategy_options={"max_fevals": 2}, seed=1)
    assert len(results) == 2
    results, _ = tune(arguments, parameters, strategy="random_sample", strategy_options={"fraction": 0.25})
    assert len([result for result in results if "time" in result]) <= 2
    assert tune(arguments, parameters, strategy=None)[0]
    for name in ("unheard_of", object()):
        with pytest.raises(ValueError, match="strategy.*is not supported; leave it out"):
            tune(arguments, parameters, strategy=name)
    with pytest.raises(ValueError, match="popsize is not supported"):
        tune(arguments, parameters, strategy_options={"popsize": 20})


def test_strategies_without_a_model_are_replaced_aloud(arguments, parameters):
    with pytest.warns(UserWarning, match="the model's search runs in place of genetic_algorithm, without its options popsize") as warned:
        results, _ = tune(arguments, parameters, strategy="genetic_algorithm", strategy_options={"popsize": 5, "max_fevals": 3})
    assert 1 <= len(results) <= 3
    assert "tune_kernel(" in linecache.getline(__file__, warned[0].lineno)  # the line that calls it, not its caller's
    with pytest.warns(UserWarning, match="in place of minimize$"):
        assert configurations(tune(arguments, parameters, strategy=occutune.strategies.minimize)[0]) == EVERY
    with pytest.raises(AttributeError):
        occutune.strategies.unheard_of  # noqa: B018


@pytest.mark.parametrize("options, message", [
    ({"texmem_args": {"tex": 1}}, "texture memory is not supported"),
    ({"observers": [object()]}, "is no observer"),
    ({"lang": "C"}, "C is not supported"),
    ({"lang": "Fortran"}, "Fortran is not supported"),
    ({"source": "__kernel void copy() {}"}, "OpenCL is not supported"),
    ({"source": ["host.cu", "copy.cu"]}, "several sources are a host program"),
    ({"objectives": {"time": False, "energy": False}}, "one objective is supported"),
    ({"objective": "energy"}, "energy is neither"),
])
def test_what_is_refused_is_refused_aloud(arguments, parameters, options, message):
    with pytest.raises(ValueError, match=message):
        tune(arguments, parameters, **options)


def test_registers_are_observed(arguments, parameters):
    class RegisterObserver:
        pass

    results, _ = tune(arguments, parameters, observers=[RegisterObserver()])
    assert all(result["num_regs"] > 0 for result in results)
    assert "num_regs" not in tune(arguments, parameters)[0][0]


def test_wrong_arguments(parameters, arguments):
    with pytest.raises(TypeError, match="argument 2 is a int"):
        tune([*arguments[:2], SIZE], parameters)
    with pytest.raises(TypeError, match="elements of type"):
        tune([numpy.array(["a"]), *arguments[1:]], parameters)
    with pytest.raises(ValueError, match="nvml_gr_clock"):
        tune(arguments, {**parameters, "nvml_gr_clock": [1000]})


def test_an_empty_array_is_passed(arguments, parameters):
    source = SOURCE.replace("int n)", "int n, const int *unused)").replace("copy", "unknown_here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_ANY_KERNEL", "1")
        results, _ = occutune.tune_kernel("unknown_here", source, SIZE, [*arguments, numpy.zeros(0, numpy.int32)], parameters,
                                          strategy="brute_force", quiet=True)
    assert configurations(results) == EVERY and all("time" in result for result in results)


def test_run_kernel(arguments, source_array):
    outputs = occutune.run_kernel("copy", SOURCE, SIZE, arguments, {"block_size_x": 64, "WORK": 0})
    assert numpy.array_equal(outputs[1], source_array) and outputs[2] == SIZE
    assert not arguments[1].any()  # what was passed stays as it is
    square = arguments[0].reshape(64, 64).T
    outputs = occutune.run_kernel("copy", SOURCE, SIZE, [square, numpy.zeros_like(square), arguments[2]],
                                  {"block_size_x": 64, "WORK": 0})
    assert numpy.array_equal(outputs[1], square)


def test_run_kernel_names_what_divides_by_zero(arguments):
    with pytest.raises(ValueError, match="grid_div_x, or the block size that stands for it, is 0"):
        occutune.run_kernel("copy", SOURCE, SIZE, arguments, {"block_size_x": 0, "WORK": 0})


def test_run_kernel_takes_either_byte_order(arguments, source_array):
    swapped = [array.astype(array.dtype.newbyteorder(">")) for array in arguments[:2]]
    outputs = occutune.run_kernel("copy", SOURCE, SIZE, [*swapped, arguments[2]], {"block_size_x": 64, "WORK": 0})
    assert numpy.array_equal(outputs[0], source_array) and numpy.array_equal(outputs[1], source_array)


def test_scalars_are_exact():
    from occutune._job import _scalar

    assert _scalar(numpy.int32(-7), 0) == {"scalar": "int32", "value": "-(7)"}
    assert _scalar(numpy.uint64(2**64 - 1), 0) == {"scalar": "bytes", "value": "ff" * 8}
    assert _scalar(numpy.float16(1), 0) == {"scalar": "bytes", "value": "003c"}
    assert _scalar(numpy.complex64(1), 0) == {"scalar": "bytes", "value": "0000803f00000000"}
    assert _scalar(numpy.bool_(True), 0) == {"scalar": "bytes", "value": "01"}
    assert _scalar(numpy.float32("nan"), 0)["scalar"] == "bytes"


def test_the_current_context_stays(arguments, parameters):
    import ctypes

    from occutune._driver import Device

    def current():
        context = ctypes.c_void_p()
        mine.call("cuCtxGetCurrent", ctypes.byref(context))
        return context.value

    with Device(0) as mine:
        before = ctypes.c_void_p(0x1234)  # as another library's
        mine.call("cuCtxSetCurrent", before)
        occutune.run_kernel("copy", SOURCE, SIZE, arguments, {"block_size_x": 64, "WORK": 0})
        tune(arguments, parameters, verify=lambda answer, outputs: current() != 0x1234)
        assert current() == 0x1234


WRONG_CALLS = [
    ({"tune_params": {"block_size_x": [32, 32, "a"], "WORK": [0]}},
     "tune_kernel('copy'): tune_params[\"block_size_x\"][2]: differs in type"),
    ({"tune_params": {"block_size_x": [32], "two words": [0]}},
     "tune_kernel('copy'): tune_params[\"two words\"]: is not a name"),
    ({"tune_params": {"block_size_x": [32], "WORK": [0, [1]]}},
     "tune_params[\"WORK\"][1]: a value is a number, a truth value or text, not a list"),
    ({"tune_params": {"block_size_x": [32], "WORK": [math.nan]}},
     "tune_params[\"WORK\"][0]: nan is no number"),
    ({"restrictions": ["block_size_x >= 32", "block_size_x > 5000"]},
     "tune_kernel('copy'): restrictions[1]: no configuration is valid"),
    ({"restrictions": ["block_size_x >= 32", "blok > 3"]},
     "restrictions[1]: 'blok > 3': NameError: name 'blok' is not defined"),
    ({"restrictions": ["block_size_x >= 32", "WORK >"]},
     "restrictions[1]: 'WORK >': "),
    ({"restrictions": "blok > 3"}, "restrictions: 'blok > 3': NameError"),
    ({"restrictions": ["WORK == 0", 5]}, "restrictions[1]: 5 is neither"),
    ({"restrictions": 5}, "restrictions: 5 is no list"),
    ({"restrictions": ["WORK == 0", (lambda x: True, ["bloc"])]}, "restrictions[1]: there is no parameter bloc"),
    ({"metrics": ["time"]}, "metrics: give a dictionary"),
    ({"grid_div_x": ["block_size_x", "bloc"]}, "grid_div_x[1]: 'bloc': NameError"),
    ({"grid_div_x": "2 *"}, "grid_div_x: '2 *': "),
    ({"smem_args": {"size": "bloc * 4"}}, "smem_args[\"size\"]: 'bloc * 4': NameError"),
    ({"problem_size": "bloc * 4"}, "problem_size: 'bloc * 4': NameError"),
    ({"problem_size": 4096.0}, "problem_size: 4096.0 is neither"),
    ({"metrics": {"twice": "2 * tim"}}, "metrics[\"twice\"]: '2 * tim': NameError"),
    ({"metrics": {"twice": "2 *"}, "kernel_source": "nothing ran yet __global__;"}, "metrics[\"twice\"]: '2 *': "),
    ({"metrics": {"twice": 2}}, "metrics[\"twice\"]: 2 is neither"),
    ({"answer": lambda: None}, "answer: give a list"),
    ({"iterations": 0}, "iterations: one at least"),
    ({"tune_params": {}}, "tune_kernel('copy'): tune_params: there is nothing to tune"),
    ({"tune_params": {"block_size_x": 32}}, "tune_params[\"block_size_x\"]: 32 is no list"),
    ({"compiler_options": ["-DA", "--time=x"]},
     "tune_kernel('copy'): compiler_options[1]: --time=x makes the compiler write"),
    ({"kernel_source": SOURCE.replace("int i", "int int i")},
     "compile: kernel_source(4): error"),
    ({"kernel_source": "copies.cu"},
     "compile: copies.cu(4): error"),
    ({"answer": [None, numpy.ones(SIZE, numpy.float32), None]},
     "wrong: arguments[1]["),
]


@pytest.mark.parametrize("wrong, words", WRONG_CALLS)
def test_messages_name_the_argument(arguments, wrong, words):
    """What the caller wrote is named, not the spec or the files that were made of it."""
    with open("copies.cu", "w", encoding="utf-8") as file:
        file.write(SOURCE.replace("int i", "int int i"))
    call = {"kernel_source": SOURCE, "tune_params": {"block_size_x": [32], "WORK": [0]}, **wrong}
    with pytest.warns(UserWarning) if words.startswith(("compile:", "wrong:")) else contextlib.nullcontext():
        try:
            results, _ = occutune.tune_kernel("copy", call.pop("kernel_source"), call.pop("problem_size", SIZE), arguments, quiet=True,
                                              **call)
            text = results[0]["__error__"].reason
        except (occutune.UsageError, TypeError, ValueError) as error:
            text = str(error)
    assert words in text and "occutune-call" not in text


def test_messages_name_what_is_compiled_alone(arguments, spec):
    with pytest.raises(occutune.OccutuneError, match=r"kernel_source\(4\): error") as raised:
        occutune.run_kernel("copy", SOURCE.replace("int i", "int int i"), SIZE, arguments, {"block_size_x": 32, "WORK": 0})
    assert "occutune-call" not in str(raised.value)
    with pytest.raises(occutune.UsageError, match=r"^the spec: parameters.WORK: the list of values is empty"):
        occutune.space({**spec, "parameters": {"WORK": []}})


def test_code_of_sources_that_a_function_makes_is_kept(arguments, tmp_path, monkeypatch):
    """Few sources are named to the compiler, so that it knows their code again; more are included by their number."""
    monkeypatch.setenv("OCCUTUNE_CACHE", str(tmp_path / "codes"))

    def make(params):
        return f"// {params['block_size_x']}\n" + SOURCE

    results = []
    for named in (64, 64, 1):
        monkeypatch.setattr(_job, "_SOURCES_NAMED", named)
        results.append(tune(arguments, {"block_size_x": [32, 64, 128], "WORK": [0]}, source=make, lang="CUDA")[0])
        assert len(list((tmp_path / "codes").glob("*.cubin"))) == 3
        assert all("time" in result for result in results[-1])
