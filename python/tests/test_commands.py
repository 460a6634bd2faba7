"""The commands as functions: specs that are dictionaries, arrays in them, decisions."""

import json
import pickle
import re
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

import occutune

LIVE = Path(__file__).resolve().parents[2] / "tests" / "live"


def test_tune_a_dictionary_with_arrays(spec):
    decision = occutune.tune(spec, trials=3)
    assert decision.level == "live" and decision.device == "Pretended GPU"
    assert set(decision.best.configuration) == {"block_size_x", "WORK"}
    assert decision.best.time_ms == pytest.approx(0.0051)
    assert decision.problems[0].sizes == {"N": 4096}
    assert list(Path().iterdir()) == []  # nothing is left behind


def test_a_wrong_result_is_found(spec):
    spec["reference"]["files"]["out"] = spec["reference"]["files"]["out"] + 1
    with pytest.raises(occutune.NothingRan) as caught:
        occutune.tune(spec, strategy="exhaustive")
    assert caught.value.data["problems"][0]["counts"]["outcomes"] == {"wrong": 6}
    assert re.match(r"no configuration ran correctly; first failure: wrong: .*out\[0\]: got ", str(caught.value))


def test_tune_a_file_with_a_journal(tmp_path):
    shutil.copy(LIVE / "copy.cu", tmp_path)
    shutil.copy(LIVE / "spec.json", tmp_path)
    decision = occutune.tune("spec.json", strategy="exhaustive", journal="j.json", output="d.json")
    assert json.loads(Path("j.json").read_text())["kernel_name"] == "KIND"
    assert occutune.Decision.read("d.json").best.configuration == decision.best.configuration
    again = occutune.tune("spec.json", strategy="exhaustive", journal="j.json")
    assert again.data["problems"][0]["counts"]["timed"] == 0
    recorded = occutune.tune("spec.json", strategy="exhaustive", recorded="j.json")
    assert recorded.level == "recorded" and recorded.best.configuration == decision.best.configuration


def test_several_sizes_make_one_header(spec, tmp_path):
    spec["problem"] = [{"N": 4096}, {"N": 1024}]
    spec["arguments"][0].update(length="N", fill={"uniform": [0, 1]})
    spec["reference"] = "none"
    decision = occutune.tune(spec, trials=2)
    assert [problem.sizes for problem in decision.problems] == [{"N": 4096}, {"N": 1024}]
    text = decision.header(tmp_path / "copy.h")
    assert text == (tmp_path / "copy.h").read_text()
    assert "COPY_BLOCK_SIZE_X" in text.upper()


def test_predict_and_explain_need_no_gpu(spec):
    [prediction] = occutune.predict(spec)
    assert len(prediction["ranking"]) == 6 and prediction["ranking"][0]["estimate_s"] > 0
    assert occutune.explain(spec, {"block_size_x": 64})
    assert occutune.space(spec, list_all=True)[0]["valid"] == 6


def test_a_mistake_is_named(spec):
    spec["launch"]["block"] = ["BLOCK"]
    with pytest.raises(occutune.UsageError, match=r"launch.block\[0\].*BLOCK"):
        occutune.tune(spec)
    with pytest.raises(ValueError, match="no_such_kernel"):
        occutune.tune("no_such_kernel")
    with pytest.raises(occutune.UsageError, match="--set Q=1: names no problem size of the spec; "):
        occutune.space(spec, sizes={"Q": 1})


@pytest.mark.parametrize("field, value, message", [
    ("kernel", 1, "kernel: expected an object, found an integer"),
    ("kernel", {"name": "copy"}, 'kernel: the field "file" is missing'),
    ("arguments", 3, "arguments: expected a list"),
    ("arguments", [1], r"arguments\[0\]: expected an object"),
    ("reference", {"files": 3}, "reference.files: expected an object"),
    ("parameters", {"block_size_x": {32, 64}}, "the spec: Object of type set is not JSON serializable"),
])
def test_a_wrong_shape_is_named(spec, field, value, message):
    spec[field] = value
    with pytest.raises(occutune.UsageError, match=message):
        occutune.space(spec)


def test_errors_come_from_other_processes():
    """concurrent.futures and multiprocessing pickle them."""
    for error in (occutune.OccutuneError("it failed", 1), occutune.UsageError("wrong", 2), occutune.NothingRan("nothing", {"problems": []})):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


def test_values_and_references_of_each_problem(spec, source_array):
    """What the spec says in lists, Python says in arrays and lists."""
    spec["parameters"]["block_size_x"] = numpy.array([32, 64])
    spec["problem"] = [{"N": source_array.size}, {"N": source_array.size // 2}]
    spec["reference"] = {"files": [{"out": source_array}, {"out": source_array[:source_array.size // 2]}]}
    decision = occutune.tune(spec, strategy="exhaustive", trials=2)
    assert [problem.best.configuration["block_size_x"] in (32, 64) for problem in decision.problems] == [True, True]


class OnlyDlpack:
    """An array of a library that speaks nothing but DLPack."""

    def __init__(self, array: numpy.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: object) -> object:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> object:
        return self._array.__dlpack_device__()


def test_arrays_by_dlpack(spec, source_array):
    spec["arguments"][0]["fill"] = OnlyDlpack(source_array)
    assert occutune.tune(spec, trials=1).best.time_ms > 0


def test_the_program_is_there(monkeypatch):
    assert "occutune" in subprocess.run([occutune._tool.program(), "-V"], capture_output=True, text=True).stdout
    monkeypatch.setenv("PATH", "/nonexistent")
    if not (occutune._tool._PACKAGED / "bin").exists():
        with pytest.raises(FileNotFoundError, match="neither in this package nor on the PATH"):
            occutune.space("matmul")


def test_the_package_holds_all_that_is_run():
    root = LIVE.parents[1]
    installed = (root / "cmake" / "install.cmake").read_text()
    packaged = re.search(r"install.components = \[(.*)\]", (root / "python" / "pyproject.toml").read_text())
    assert packaged
    for what in ("TARGETS occutune EXPORT", "TARGETS occutune-worker", "LIBRARY DESTINATION", "DIRECTORY kernels",
                 "DIRECTORY model/device/profiles"):
        found = re.search(rf"{re.escape(what)}[^)]*?COMPONENT (\w+)", installed)
        assert found and f'"{found.group(1)}"' in packaged.group(1), what


def test_contents_that_are_said_are_not_read(spec):
    """An array of a call that leaves no journal is named by a number: nobody compares it with another call's."""
    Path("array.npy").write_bytes(b"nothing yet")
    spec["arguments"][0].update(fill={"file": "array.npy"}, length="N")
    with pytest.raises(occutune.UsageError, match="not a .npy file"):
        occutune.space(spec)
    spec["arguments"][0]["fill"]["content"] = 7
    assert occutune.space(spec)[0]["valid"] == 6


@pytest.mark.parametrize("shape", [(3 << 20,), (1 << 10, 3 << 10), ()])
@pytest.mark.parametrize("many", [False, True])
def test_arrays_are_written_whole(tmp_path, shape, many):
    from occutune._workspace import write_array

    elements = numpy.random.default_rng(1).integers(0, 256, shape).astype(numpy.int32).ravel()
    write_array(tmp_path / "array.npy", elements, many)
    assert numpy.array_equal(numpy.load(tmp_path / "array.npy"), elements)


def test_what_an_array_holds_is_hashed_for_a_journal_that_lasts():
    from occutune._workspace import Workspace

    array = numpy.ones(8, numpy.float32)
    with Workspace() as lasting, Workspace(lasting=False) as brief:
        assert "content" not in lasting.save(array)["fill"]
        assert brief.save(array)["fill"]["content"] != brief.save(array)["fill"]["content"] > 0
