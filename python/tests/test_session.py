"""The program that stays between calls, on the pretended driver."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy
import pytest
from conftest import SIZE, SOURCE

import occutune
from occutune import _tool
from occutune._session import Session
from occutune._workspace import Workspace


def tune(arguments, parameters, **options):
    return occutune.tune_kernel("copy", options.pop("source", SOURCE), SIZE, arguments, parameters, quiet=True,
                                strategy="brute_force", **options)


def held():
    session = _tool._holder._session
    return session and session._process


@pytest.fixture(autouse=True)
def fresh():
    _tool._holder.drop()


def test_calls_share_a_context(arguments, parameters, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_CONTEXTS", str(tmp_path / "contexts"))
    first, _ = tune(arguments, parameters)
    process = held()
    again, _ = tune(arguments, parameters)
    assert [result["block_size_x"] for result in first] == [result["block_size_x"] for result in again]
    assert (tmp_path / "contexts").read_text() == "." and held() is process


def test_nothing_is_left_open(spec):
    """Python's own check of resources, at its end too."""
    script = f"""
import numpy, occutune
x = numpy.ones(64, numpy.float32)
source = {SOURCE!r}
occutune.tune_kernel("copy", source, 64, [x, x.copy(), numpy.int32(64)], {{"block_size_x": [32, 64], "WORK": [0]}}, quiet=True)
occutune.space({{**{ {name: spec[name] for name in ("parameters", "problem", "launch")} }, "kernel": {{"source": source, "name": "copy"}},
                "arguments": [], "reference": "none"}})
"""
    ended = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_compiling_does_not_wait_for_the_context(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_CONTEXT_S", "100")
    _tool.prepare(0)
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void nothing() {}')
    code = {"kernel": {"file": "kernel.cu", "name": "nothing"}, "parameters": {"WORK": [0]}, "problem": {},
            "launch": {"grid": ["1"], "block": ["32"]}, "arguments": [], "reference": "none"}
    (tmp_path / "spec.json").write_text(json.dumps(code))
    started = time.monotonic()
    _tool.run("compile", "spec.json", "--arch=sm_90")
    assert time.monotonic() - started < 60
    held().kill()


def test_another_environment_is_seen(arguments, parameters, monkeypatch):
    tune(arguments, parameters)
    process = held()
    monkeypatch.setenv("FAKE_NO_DEVICE", "1")
    with pytest.raises(occutune.OccutuneError, match="GPU"):
        tune(arguments, parameters)
    assert held() is not process


def test_its_end_loses_nothing(arguments, parameters):
    tune(arguments, parameters, cache="cache")
    process = held()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    results, _ = tune(arguments, parameters, cache="cache")
    assert len(results) == 6 and held() is not process


def test_its_death_at_work_is_told(arguments, parameters, monkeypatch):
    answer = Session._answer

    def die(self, message):
        self._process.kill()
        return answer(self, message)

    with monkeypatch.context() as patched:
        patched.setattr(Session, "_answer", die)
        with pytest.raises(occutune.OccutuneError, match="status -9"):
            tune(arguments, parameters)
    assert len(tune(arguments, parameters)[0]) == 6


def test_a_changed_source_is_compiled_again(arguments, source_array):
    parameters = {"block_size_x": [64], "WORK": [0]}
    answer = [None, source_array, None]
    assert "__error__" not in tune(arguments, parameters, answer=answer)[0][0]
    with pytest.warns(UserWarning, match="changed"):
        [result], _ = tune(arguments, parameters, answer=answer, source=SOURCE + "#error changed\n")
    assert "changed" in result["__error__"].reason


@pytest.mark.parametrize("include", ["", '#include "work.h"\n'])
def test_code_is_compiled_once_for_all_folders(arguments, parameters, tmp_path, monkeypatch, include):
    monkeypatch.setenv("OCCUTUNE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work.h").write_text("")
    tune(arguments, parameters, source=include + SOURCE)
    compiled = sorted((tmp_path / "cache").rglob("*"))
    if not include:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
    tune(arguments, parameters, source=include + SOURCE)
    assert len(compiled) >= 6 and sorted((tmp_path / "cache").rglob("*")) == compiled


def test_reasons(arguments, parameters):
    source = SOURCE + "#if WORK == 1\n#error one is too many\n#endif\n"
    results, _ = tune(arguments, parameters, source=source)
    errors = [result["__error__"] for result in results if "__error__" in result]
    assert len(errors) == 3 and all(str(error) == "CompilationFailedConfig" for error in errors)
    assert all(error.reason.startswith("compile: ") and "one is too many" in error.reason for error in errors)
    with pytest.warns(UserWarning, match=r"no configuration ran correctly; 6 of 6: compile: .*too many"):
        tune(arguments, parameters, source=SOURCE + "#error too many\n")
    results, _ = tune(arguments, parameters, verify=lambda answer, outputs: False)
    assert {result["__error__"].reason for result in results} == {"rejected by verify"}


def test_reasons_are_printed(arguments, parameters, capsys):
    source = SOURCE + "#if WORK == 1\n#error one is too many\n#endif\n"
    occutune.tune_kernel("copy", source, SIZE, arguments, {**parameters, "block_size_x": [64]}, verbose=True)
    out = capsys.readouterr().out
    assert "skipping config block_size_x=64, WORK=1 reason: compile: " in out and "block_size_x=64, WORK=0, time=" in out


def test_times_add_up(arguments, parameters):
    results, env = tune(arguments, parameters)
    names = ("framework_time", "strategy_time", "compile_time", "verification_time", "benchmark_time")
    assert all(env[f"total_{name}"] > 0 for name in names) and env["overhead_time"] > 0
    for name in names:
        assert env[f"total_{name}"] == pytest.approx(sum(result[name] for result in results))


def test_times_of_a_cache_add_up(arguments, parameters):
    tune(arguments, parameters, cache="cache")
    results, env = tune(arguments, parameters, cache="cache", simulation_mode=True)
    worked = sum(env[f"total_{name}"] for name in ("compile_time", "verification_time", "benchmark_time"))
    assert env["simulation"] and env["simulated_time"] == pytest.approx(worked) and worked > 0
    assert env["overhead_time"] > 0 and env["total_framework_time"] > 0 and len(results) == 6


def test_arrays_only_read_stay_on_the_gpu(arguments, parameters, source_array):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = []

        def verify(answer, outputs):
            seen.append(outputs[0] is not None and numpy.array_equal(outputs[0], source_array))
            return numpy.array_equal(outputs[1], source_array)

        results, _ = tune(arguments, parameters, verify=verify)
    assert all(seen) and len(seen) == 6 and not any("__error__" in result for result in results)


def test_zeros_are_not_copied(arguments, parameters, monkeypatch):
    saved = []
    save = Workspace.save
    monkeypatch.setattr(Workspace, "save", lambda self, array: saved.append(array) or save(self, array))
    results, _ = tune(arguments, parameters)  # the output is zeros
    assert len(saved) == 1 and saved[0] is arguments[0] and not any("__error__" in result for result in results)
    negative = numpy.full(SIZE, -0.0, dtype=numpy.float32)
    tune([arguments[0], negative, arguments[2]], parameters)
    assert len(saved) == 3


def test_a_number_without_a_width_is_refused(arguments, parameters):
    with pytest.raises(TypeError, match=r"argument 2 is a int.*numpy\.int32\(4096\); the kernel declares it as `int n`"):
        tune([*arguments[:2], SIZE], parameters)


EARLY = """
import os, sys, time
import occutune
from occutune import _tool
assert not _tool._holder._session
{before}
from occutune import tune_kernel
session = _tool._holder._session
{after}
"""


def early(before="", after="", **environment):
    ended = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", EARLY.format(before=before, after=after)],
                           capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert (ended.returncode, ended.stderr) == (0, "")


def test_who_takes_what_tunes_has_the_gpu_made_ready(tmp_path):
    """Beside other imports, which change the environment, and data; the call finds that session."""
    early(after=f"""
import numpy
os.environ["KMP_INIT_AT_FORK"] = "FALSE"
until = time.monotonic() + 60
while not os.path.exists("contexts") and time.monotonic() < until:
    time.sleep(0.01)
x = numpy.ones({SIZE}, numpy.float32)
tune_kernel("copy", {SOURCE!r}, x.size, [x, x.copy(), numpy.int32(x.size)], {{"block_size_x": [32], "WORK": [0]}}, quiet=True)
assert _tool._holder._session is session and os.path.getsize("contexts") == 1
""", FAKE_CONTEXTS=str(tmp_path / "contexts"))


def test_nothing_is_made_ready_for_nobody(tmp_path):
    early(before="import multiprocessing.process; multiprocessing.process._parent_process = object()", after="assert not session")
    early(before="del os.environ['OCCUTUNE_CUDA_DRIVER']; _tool._GPUS = ('/nowhere',)", after="assert not session")
    early(before="_tool.program = lambda: os.readlink('/nowhere')", after="assert not session")


def test_a_gpu_for_one_process_is_not_taken_early(tmp_path):
    early(after="time.sleep(1); assert session and not os.path.exists('contexts')", FAKE_EXCLUSIVE="1",
          FAKE_CONTEXTS=str(tmp_path / "contexts"))
