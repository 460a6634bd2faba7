"""T1 problems in, T4 results out, checked by the schemas that come with Kernel Tuner."""

import importlib.metadata
import json
from pathlib import Path

import pytest
from conftest import SIZE, SOURCE

import occutune
from occutune._expression import Untranslatable, evaluate_safely, translate


def schema(name):
    try:
        files = importlib.metadata.files("kernel_tuner") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("Kernel Tuner is not installed: there is no schema to check with")
    [file] = [file for file in files if str(file) == f"kernel_tuner/schema/{name}"]
    return json.loads(file.read_text())


def t1(**kernel):
    return {
        "General": {"FormatVersion": 1},
        "ConfigurationSpace": {
            "TuningParameters": [
                {"Name": "block_size_x", "Type": "int", "Values": "[2**i for i in range(5, 8)]", "Default": 64},
                {"Name": "WORK", "Type": "int", "Values": "[0] + list(range(1, 2))"},
            ],
            "Conditions": [{"Parameters": ["block_size_x", "WORK"], "Expression": "block_size_x > 32 or not WORK"}],
        },
        "KernelSpecification": {
            "Language": "CUDA", "KernelName": "copy", "KernelFile": "copy.cu", "GlobalSizeType": "OpenCL",
            "GlobalSize": {"X": str(SIZE)}, "LocalSize": {"X": "block_size_x"},
            "Arguments": [
                {"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": SIZE, "FillType": "Random", "FillValue": 1.0,
                 "AccessType": "ReadOnly"},
                {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": SIZE, "FillType": "Constant",
                 "FillValue": 0.0, "AccessType": "WriteOnly"},
                {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": SIZE},
            ],
            **kernel,
        },
    }


def read(data):
    Path("copy.cu").write_text(SOURCE)
    Path("t1.json").write_text(json.dumps(data))
    return occutune.read_t1("t1.json")


def test_t1_is_tuned():
    import jsonschema

    jsonschema.validate(t1(), schema("T1/1.0.0/input-schema.json"))
    spec = read(t1())
    assert spec["parameters"] == {"block_size_x": [32, 64, 128], "WORK": [0, 1]} and spec["default"] == {"block_size_x": 64}
    assert occutune.space(spec)[0]["valid"] == 5
    decision = occutune.tune(spec, strategy="exhaustive")
    assert decision.data["problems"][0]["counts"]["outcomes"] == {"ok": 5}
    assert decision.best.grid[0] == SIZE // decision.best.block[0]


def test_t1_with_kernel_tuners_sizes():
    data = t1(ProblemSize=[SIZE], GridDivX=["block_size_x"])
    del data["KernelSpecification"]["GlobalSize"]
    assert occutune.tune(read(data), trials=1).best.time_ms > 0


def test_t1_sizes_from_the_problem_and_from_all_values():
    """As in the file of Kernel Tuner's own tests."""
    data = t1(ProblemSize=[SIZE, 2], GridDivX=["block_size_x"])
    data["KernelSpecification"]["Arguments"][0]["Size"] = "(ProblemSize[0]+max(block_size_x)-1) * (ProblemSize[1]-min(WORK))"
    lengths = [argument.get("length") for argument in read(data)["arguments"]]
    assert eval(lengths[0]) == (SIZE + 128 - 1) * 2
    data["KernelSpecification"]["Arguments"][0]["Size"] = "ProblemSize[2]"
    with pytest.raises(occutune.T1Error, match=r"Arguments\[0\].Size: 'ProblemSize\[2\]'"):
        read(data)


def test_t4_of_no_journal_is_refused():
    with pytest.raises(FileNotFoundError, match="none.json"):
        occutune.write_t4("none.json", "t4.json")
    Path("other.json").write_text("{}")
    with pytest.raises(ValueError, match="other.json: is neither a journal nor a cache"):
        occutune.write_t4("other.json", "t4.json")
    assert not Path("t4.json").exists()


@pytest.mark.parametrize("change, message", [
    ({"Language": "OpenCL"}, "Language: OpenCL is not supported"),
    ({"LocalSize": {"X": "__import__('os')"}}, r"LocalSize.X: .* the function __import__"),
    ({"Arguments": [{"Type": "float", "MemoryType": "Local"}]}, r"Arguments\[0\].MemoryType: Local"),
    ({"Arguments": [{"Type": "float4", "MemoryType": "Vector"}]}, r"Arguments\[0\].Type: float4"),
])
def test_t1_beyond_a_spec_is_refused_by_its_place(change, message):
    with pytest.raises(occutune.T1Error, match=message):
        read(t1(**change))


@pytest.mark.parametrize(("place", "value", "message"), [
    ((), [], "the file: give an object, not \\[\\]"),
    (("ConfigurationSpace",), None, "the file.ConfigurationSpace: give an object, not None"),
    (("ConfigurationSpace", "TuningParameters", 0), 7, r"TuningParameters\[0\]: give an object, not 7"),
    (("ConfigurationSpace", "TuningParameters", 0, "Name"), [], r"TuningParameters\[0\].Name: give text"),
    (("ConfigurationSpace", "TuningParameters", 0, "Values"), [[1]], r"TuningParameters.block_size_x.Values: \[\[1\]\] is no list"),
    (("ConfigurationSpace", "TuningParameters", 0, "Values"), "-" * 100_000, "nested too deeply"),
    (("ConfigurationSpace", "Conditions", 0, "Expression"), "-" * 100_000, r"Conditions\[0\]: .*nested too deeply"),
    (("KernelSpecification", "GlobalSize"), -1, "KernelSpecification.GlobalSize: give an object"),
    (("KernelSpecification", "KernelFile"), None, "KernelSpecification.KernelFile: give text"),
    (("KernelSpecification", "Arguments", 0, "Type"), {}, r"Arguments\[0\].Type: give text")])
def test_t1_of_another_shape(place, value, message):
    data = holder = {"": t1()}
    for name in ("", *place)[:-1]:
        holder = holder[name]
    holder[("", *place)[-1]] = value
    with pytest.raises(occutune.T1Error, match=f"t1.json: {message}" if "deeply" not in message else message):
        read(data[""])


def test_t1_that_is_no_json():
    Path("t1.json").write_bytes(b"{")
    with pytest.raises(occutune.T1Error, match="t1.json: is no JSON: "):
        occutune.read_t1("t1.json")


def test_t1_values_are_not_executed():
    data = t1()
    data["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[open('secret')]"
    with pytest.raises(occutune.T1Error, match="TuningParameters.block_size_x.Values: .*the function open"):
        read(data)


def test_t4_fits_the_schema(arguments, parameters, source_array):
    import jsonschema

    parameters = {**parameters, "BROKEN": [0, 1]}
    source = SOURCE.replace("WORK;", "WORK;\n#if BROKEN && WORK\n#error broken\n#endif")
    occutune.tune_kernel("copy", source, SIZE, arguments, parameters, cache="cache", strategy="brute_force", quiet=True)
    occutune.write_t4("cache.json", "t4.json")
    data = json.loads(Path("t4.json").read_text())
    jsonschema.validate(data, schema("T4/1.0.0/results-schema.json"))
    found = {result["invalidity"] for result in data["results"]}
    assert found == {"correct", "compile", "constraints"} and len(data["results"]) == 16
    for result in data["results"]:
        assert result["correctness"] == (result["invalidity"] == "correct")
        assert bool(result["times"]["runtimes"]) == (result["invalidity"] == "correct")


def test_t4_is_a_recording(arguments, parameters, spec):
    occutune.tune(spec, strategy="exhaustive", journal="journal.json")
    occutune.write_t4("journal.json", "t4.json")
    assert occutune.tune(spec, strategy="exhaustive", recorded="t4.json").level == "recorded"


def test_t4_of_a_cache_of_kernel_tuner():
    cache = {"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": 2.0, "times": [2.0], "GFLOP/s": 5.0},
                                                  "2": {"x": 2, "time": "RuntimeFailedConfig"}}}
    first, second = occutune.t4_results(cache)["results"]
    assert first["measurements"] == [{"name": "time", "value": 2.0, "unit": "ms"},
                                     {"name": "GFLOP/s", "value": 5.0, "unit": ""}]
    assert second["invalidity"] == "runtime" and second["correctness"] == 0


KINDS = {"real": "real", "a": "number", "b": "number", "flag": "truth", "name": "text"}


@pytest.mark.parametrize("text, expected", [
    ("a * b <= 1024", "((a * b) <= 1024)"),
    ("32 <= a <= 64", "((32 <= a) and (a <= 64))"),
    ("a % 32", "((a % 32) != 0)"),
    ("not flag or name == 'x'", '((not flag) or (name == "x"))'),
    ("a in [1, 2]", "((a == 1) or (a == 2))"),
    ("math.ceil(a / b) == 1", "(ceil((a / b)) == 1)"),
    ("(a > 1) & (b > 1)", "((a > 1) and (b > 1))"),
    ("flag * 2 == a", "(((1 if flag else 0) * 2) == a)"),
    ("int(a) == int(real)", "(a == (floor(real) if real >= 0 else ceil(real)))"),
])
def test_conditions_are_translated(text, expected):
    from occutune._expression import truth

    assert truth(translate(text, KINDS)) == expected


@pytest.mark.parametrize("text", ["c > 1", "a ^ b", "a.b", "len(name)", "[1][0]", "lambda: 1", "name + 1", "1e999 > a"])
def test_what_cannot_be_said_is_not_guessed(text):
    with pytest.raises(Untranslatable):
        translate(text, KINDS)


def test_lists_of_values():
    assert evaluate_safely("[1, 2] + list(range(32, 65, 32))", {}) == [1, 2, 32, 64]
    assert evaluate_safely("[2**i for i in range(3)]", {}) == [1, 2, 4]
    for text in ("2**99999", "range(10**9)", "[0] * 10**9", "().__class__", "[x for x in range(3) if x]"):
        with pytest.raises(Untranslatable):
            evaluate_safely(text, {})


def test_compressed_journals_are_read(tmp_path):
    import gzip

    journal = {"tune_params_keys": ["A"], "cache": {"1": {"A": 1, "time": 2.5, "times": [2.5]}}}
    (tmp_path / "made.json.gz").write_bytes(gzip.compress(json.dumps(journal).encode()))
    [result] = occutune.t4_results(tmp_path / "made.json.gz")["results"]
    assert result["configuration"] == {"A": 1} and result["measurements"][0]["value"] == 2.5
