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
def study_spec(spec):
    return {**spec, "parameters": {"block_size_x": [32, 64, 128, 2048], "WORK": [0, 1]}}


@pytest.mark.parametrize("strategy", [None, "exhaustive"])
def test_what_is_asked_and_told(study_spec, strategy):
    with Study(study_spec, strategy=strategy) as study:
        for trial in study:
            assert trial.grid == (-(-4096 // trial.block[0]), 1, 1) and trial.block == (trial.params["block_size_x"], 1, 1)
            assert f"-DWORK={trial.params['WORK']}" in trial.options
            if strategy is None:
                assert 0 < trial.bound_ms <= trial.estimate_ms
            study.tell(trial, milliseconds(trial.params))
    asked = [tuple(trial.params.values()) for trial in study.trials]
    assert len(set(asked)) == len(asked) <= 6 and [trial.number for trial in study.trials] == list(range(len(asked)))
    assert study.best_value == min(trial.value for trial in study.trials) == milliseconds(study.best_params)
    assert study.ended and study.ended != "closed" and study.ask() is None
    if strategy:
        assert len(asked) == 6 and study.best_params == {"block_size_x": 64, "WORK": 0} and study.best_value == 1.0


def test_trials_and_seed(study_spec):
    def configurations(seed):
        with Study(study_spec, strategy="random", trials=3, seed=seed) as study:
            for trial in study:
                study.tell(trial, 1.0)
        assert study.ended == "the trials are used up"
        return {tuple(trial.params.values()) for trial in study.trials}  # in the order in which compiling ended

    drawn = [configurations(seed) for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1] and not drawn[0] == drawn[2] == drawn[3] and len(drawn[0]) == 3


def test_failures(study_spec):
    with Study(study_spec, strategy="exhaustive") as study:
        for trial in study:
            if trial.params["WORK"] == 0:
                study.tell(trial, failed="wrong result")
            else:
                study.tell(trial, milliseconds(trial.params))
    assert study.best_params == {"block_size_x": 64, "WORK": 1}
    assert [trial.failed for trial in study.trials if trial.value is None] == ["wrong result"] * 3


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
        for value in (0, -1, math.nan, math.inf, "x"):
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


def test_other_programs_are_told_what_is_wrong(study_spec, tmp_path):
    (tmp_path / "copy.cu").write_text(study_spec["kernel"]["source"])
    arguments = [{**argument, "length": "N", "fill": {"constant": 1}} if "fill" in argument else argument
                 for argument in study_spec["arguments"]]
    text = json.dumps({**study_spec, "kernel": {"file": "copy.cu", "name": "copy"}, "arguments": arguments, "reference": "none"})
    (tmp_path / "spec.json").write_text(text)
    answers = {'{"number": 1, "time_s": 1}': "not the question", '{"number": 0, "time_s": 0}': "above 0", '{"number": 0}': "time_s",
               '{"number": 0, "time_s": 1, "more": 2}': "more", "": ""}
    processes = [subprocess.Popen([_tool.program(), "ask", "spec.json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for _ in answers]
    for process, (answer, message) in zip(processes, answers.items()):
        output, messages = process.communicate(answer and answer + "\n", timeout=60)
        assert process.returncode == (2 if answer else 0) and message in messages
        assert json.loads(output)["number"] == 0
