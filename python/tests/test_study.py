"""Ask and tell. The caller's times here are those of a formula; nothing is launched."""

import json
import math
import subprocess

import pytest

import occutune
from occutune import Study, _tool


def milliseconds(params):
    return (1.0 + params["WORK"]) * (1 + abs(math.log2(params["block_size_x"] / 64)))


@pytest.fixture
def parameters():
    return {"block_size_x": [32, 64, 128, 256, 512], "WORK": [0, 1, 2]}


@pytest.fixture
def study_spec(spec, parameters):
    return {**spec, "parameters": {**parameters, "block_size_x": [*parameters["block_size_x"], 2048]}}


@pytest.mark.parametrize("strategy", [None, "exhaustive", "random"])
def test_the_best_is_found(study_spec, strategy):
    with Study(study_spec, strategy=strategy) as study:
        for trial in study:
            assert trial.grid == (-(-4096 // trial.block[0]), 1, 1) and trial.block == (trial.params["block_size_x"], 1, 1)
            assert f"-DWORK={trial.params['WORK']}" in trial.options
            if strategy is None:
                assert 0 < trial.bound_ms <= trial.estimate_ms
            study.tell(trial, milliseconds(trial.params))
    asked = [tuple(trial.params.values()) for trial in study.trials]
    assert len(set(asked)) == len(asked) <= 15 and (strategy is None or len(asked) == 15)
    assert [trial.number for trial in study.trials] == list(range(len(asked)))
    assert study.best_params == {"block_size_x": 64, "WORK": 0} and study.best_value == 1.0
    assert study.ended and study.ended != "closed" and study.ask() is None


def test_trials_and_seed(study_spec):
    def configurations(seed):
        with Study(study_spec, strategy="random", trials=4, seed=seed) as study:
            for trial in study:
                study.tell(trial, 1.0)
        assert study.ended == "the trials are used up"
        return {tuple(trial.params.values()) for trial in study.trials}  # in the order in which compiling ended

    assert configurations(1) == configurations(1) != configurations(3) and len(configurations(1)) == 4


def test_failures(study_spec):
    with Study(study_spec, strategy="exhaustive") as study:
        for trial in study:
            if trial.params["WORK"] == 0:
                study.tell(trial, failed="wrong result")
            else:
                study.tell(trial, milliseconds(trial.params))
    assert study.best_params == {"block_size_x": 64, "WORK": 1}
    assert [trial.failed for trial in study.trials if trial.value is None] == ["wrong result"] * 5


def test_one_code_is_asked_for_once(study_spec):
    spec = {**study_spec, "parameters": {"block_size_x": [64], "WORK": [0, 1], "NOT_READ": [1, 2, 3]}}
    with Study(spec, strategy="exhaustive") as study:
        for trial in study:
            study.tell(trial, 1.0)
    assert len(study.trials) == 2


def test_misuse_is_told(study_spec):
    with Study(study_spec) as study:
        trial = study.ask()
        with pytest.raises(RuntimeError, match="waits to be told"):
            study.ask()
        for value in (0, -1, math.nan, math.inf):
            with pytest.raises(ValueError, match="no time"):
                study.tell(trial, value)
        with pytest.raises(ValueError, match="give a time"):
            study.tell(trial)
        study.tell(trial, 1)
        with pytest.raises(ValueError, match="not the trial"):
            study.tell(trial, 1)
    assert study.ended == "closed" and study._process.returncode is not None
    with pytest.raises(occutune.UsageError, match="strategy: simplex is none of"), Study(study_spec, strategy="simplex") as study:
        study.ask()
    with pytest.raises(LookupError):
        study.best_trial


@pytest.mark.parametrize("answer, message", [
    ('{"number": 1, "time_s": 1}', "not the question"), ('{"number": 0, "time_s": 0}', "above 0"),
    ('{"number": 0}', "time_s"), ('{"number": 0, "time_s": 1, "more": 2}', "more"), ("time", "answer")])
def test_other_programs_are_told_what_is_wrong(study_spec, tmp_path, answer, message):
    (tmp_path / "copy.cu").write_text(study_spec["kernel"]["source"])
    arguments = [{**argument, "length": "N", "fill": {"constant": 1}} if "fill" in argument else argument for argument in study_spec["arguments"]]
    text = json.dumps({**study_spec, "kernel": {"file": "copy.cu", "name": "copy"}, "arguments": arguments, "reference": "none"})
    (tmp_path / "spec.json").write_text(text)
    ended = subprocess.run([_tool.program(), "ask", "spec.json"], input=answer + "\n", capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and message in ended.stderr
    ended = subprocess.run([_tool.program(), "ask", "spec.json"], input="", capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and json.loads(ended.stdout)["number"] == 0
