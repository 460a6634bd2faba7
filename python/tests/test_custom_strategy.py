"""Strategies of the caller's own, as Kernel Tuner calls them."""

import gzip
import json
import sys

import numpy
import pytest
from conftest import SIZE, SOURCE

import occutune

wrapper = pytest.importorskip("kernel_tuner.strategies.wrapper", exc_type=ImportError)
common = pytest.importorskip("kernel_tuner.strategies.common")


def tune(arguments, parameters, strategy, **options):
    return occutune.tune_kernel("copy", options.pop("source", SOURCE), SIZE, arguments, parameters, quiet=True, strategy=strategy,
                                **options)


class Descent:
    """All of one parameter, then all of the next, from the best so far."""

    def tune(self, searchspace, runner, tuning_options):
        self.seen = []
        cost = common.CostFunc(searchspace, tuning_options, runner, snap=False)
        best = list(searchspace.get_random_sample(1)[0])
        for at, values in enumerate(searchspace.tune_params.values()):
            lines = [[*best[:at], value, *best[at + 1:]] for value in values]
            self.seen.append(cost.eval_all(lines))
            best = lines[int(numpy.argmin(self.seen[-1]))]
        return cost.results


class Sweep(wrapper.OptAlg):
    def __call__(self, func, searchspace):
        costs = {configuration: func(configuration) for configuration in searchspace.list}
        best = min(costs, key=costs.get)
        return best, costs[best]


def test_a_strategy_with_tune(arguments, parameters, source_array):
    strategy = Descent()
    results, env = tune(arguments, {**parameters, "block_size_x": [32, 64, 128]}, strategy, answer=[None, source_array, None],
                        metrics={"double": "2 * time"})
    assert len(results) == 4 and env["best_config"] in results and env["total_strategy_time"] > 0
    for result in results:
        assert result["time"] == pytest.approx(0.0051) and len(result["times"]) >= 7 and result["double"] == 2 * result["time"]
    assert [len(costs) for costs in strategy.seen] == [3, 2]
    assert all(cost == pytest.approx(0.0051) for costs in strategy.seen for cost in costs)


def test_a_wrapped_algorithm(arguments, parameters):
    results, _ = tune(arguments, parameters, wrapper.OptAlgWrapper(Sweep()), restrictions=["block_size_x >= 64", "block_size_x < 2048"])
    assert [(result["block_size_x"], result["WORK"]) for result in results] == [(64, 0), (64, 1), (128, 0), (128, 1)]
    results, _ = tune(arguments, parameters, wrapper.OptAlgWrapper(Sweep()), strategy_options={"max_fevals": 3})
    assert len(results) == 3


def test_a_module(arguments, parameters, tmp_path, monkeypatch):
    (tmp_path / "own_strategy.py").write_text(
        "def tune(searchspace, runner, tuning_options):\n    return runner.run(searchspace.sorted_list()[:2], tuning_options)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import own_strategy

    results, _ = tune(arguments, {"block_size_x": [32, 64], "WORK": [0, 1]}, own_strategy)
    assert [(result["block_size_x"], result["WORK"]) for result in results] == [(32, 0), (32, 1)]
    del sys.modules["own_strategy"]


def test_failures_and_what_was_timed_before(arguments, parameters, source_array):
    source = SOURCE + "#if WORK == 1\n#error one is too many\n#endif\n"

    class Twice(Descent):
        def tune(self, searchspace, runner, tuning_options):
            self.results = runner.run([(64, 0), (64, 1), (64, 0)], tuning_options) + runner.run([(64, 1)], tuning_options)
            return self.results

    strategy = Twice()
    results, env = tune(arguments, {"block_size_x": [32, 64], "WORK": [0, 1]}, strategy, source=source)
    assert len(results) == 2 and str(results[1]["__error__"]) == "CompilationFailedConfig" and env["best_config"]["WORK"] == 0
    assert strategy.results[0] == strategy.results[2] and "__error__" in strategy.results[3]
    with pytest.warns(UserWarning, match="rejected by verify"):
        results, _ = tune(arguments, {"block_size_x": [32, 64], "WORK": [0, 1]}, strategy, verify=lambda answer, outputs: False)
    assert all(result["__error__"].reason == "rejected by verify" for result in results)


def test_a_call_reads_nothing_of_those_before(arguments, monkeypatch):
    """Else a search takes quadratic time."""
    class Singly:
        def tune(self, searchspace, runner, tuning_options):
            return [runner.run([configuration], tuning_options)[0] for configuration in searchspace.list]

    from occutune import _tune_kernel

    read = []
    original = _tune_kernel.read_journal
    monkeypatch.setattr(_tune_kernel, "read_journal", lambda journal: read.append(original(journal)) or read[-1])
    results, _ = tune(arguments, {"block_size_x": [32, 64, 128], "WORK": [0, 1]}, Singly())
    assert len(results) == 6 and [len(journal["cache"]) for journal in read] == [1] * 6


def test_a_cache_is_used(arguments, parameters, tmp_path):
    space = {"block_size_x": [32, 64], "WORK": [0, 1]}
    first, env = tune(arguments, space, wrapper.OptAlgWrapper(Sweep()), cache="cache")
    cache = (tmp_path / "cache.json").read_bytes()
    again, again_env = tune(arguments, space, wrapper.OptAlgWrapper(Sweep()), cache="cache")
    assert len(again) == 4 and again_env["total_benchmark_time"] == env["total_benchmark_time"]
    assert (tmp_path / "cache.json").read_bytes() == cache
    simulated, env = tune(arguments, space, wrapper.OptAlgWrapper(Sweep()), cache="cache", simulation_mode=True)
    assert env["simulation"] and [result["time"] for result in simulated] == [result["time"] for result in first]


def test_what_is_refused(arguments, parameters):
    class Elsewhere:
        def tune(self, searchspace, runner, tuning_options):
            return runner.run([(63, 0)], tuning_options)

    with pytest.raises((ValueError, occutune.OccutuneError), match="63"):
        tune(arguments, parameters, Elsewhere())
    with pytest.raises(ValueError, match="asked for no configuration"):
        tune(arguments, parameters, type("Idle", (), {"tune": lambda self, *_: []})())


class Singly:
    """Asks for one configuration after another."""

    def tune(self, searchspace, runner, tuning_options):
        return [runner.run([configuration], tuning_options)[0] for configuration in searchspace.list]


def test_a_cache_is_read_once_and_appended_to(arguments, tmp_path, monkeypatch):
    """Else a search with a cache takes quadratic time."""
    from occutune import _cache, _tune_kernel

    read, written = [], []
    original = _tune_kernel.read_journal
    monkeypatch.setattr(_tune_kernel, "read_journal", lambda journal: read.append(original(journal)) or read[-1])
    rewrite = _cache.Cache._rewrite
    monkeypatch.setattr(_cache.Cache, "_rewrite", lambda self: written.append(1) or rewrite(self))
    space = {"block_size_x": [32, 64, 128], "WORK": [0, 1]}
    first, _ = tune(arguments, space, Singly(), cache="cache")
    assert [len(journal["cache"]) for journal in read] == [1] * 6 and len(written) == 1
    cache = (tmp_path / "cache.json").read_bytes()
    assert len(json.loads(cache)["cache"]) == 6
    again, _ = tune(arguments, space, Singly(), cache="cache")
    assert (tmp_path / "cache.json").read_bytes() == cache and len(written) == 1
    assert [result["times"] for result in again] == [result["times"] for result in first]
    other, _ = tune(arguments, space, None, cache="cache")  # the program reads it too; its finals time some once more
    before = [result["benchmark_time"] for result in first]
    assert len(other) == 6 and sum(result["benchmark_time"] in before for result in other) >= 1


def test_a_cache_that_was_cut_off_and_one_of_kernel_tuner(arguments, tmp_path):
    space = {"block_size_x": [32, 64], "WORK": [0, 1]}
    first, _ = tune(arguments, space, Singly(), cache="cache")
    file = tmp_path / "cache.json"
    file.write_bytes(file.read_bytes()[:-200])
    again, _ = tune(arguments, space, Singly(), cache="cache")
    assert len(json.loads(file.read_text())["cache"]) == 4 and len(again) == len(first)
    foreign = {**json.loads(file.read_text()), "cache": {}}
    del foreign["occutune"]
    file.write_text(json.dumps(foreign, indent=4))
    assert len(tune(arguments, space, Singly(), cache="cache")[0]) == 4
    assert len(json.loads(file.read_text())["cache"]) == 4


def test_a_cache_that_another_writes_to(arguments, tmp_path):
    import fcntl

    with open(tmp_path / "cache.json", "w", encoding="utf-8") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(occutune.UsageError, match="another occutune is writing to it"):
            tune(arguments, {"block_size_x": [32], "WORK": [0]}, Singly(), cache="cache")


@pytest.mark.parametrize(("content", "message"), [
    (b"[1, 2]", "is neither a journal"), (b"\xff\xfe\x00", "is neither a journal"), (b'{"cache": {', "is neither a journal"),
    (b'{"tune_params": {"WORK": 7}, "cache": {}}', "is neither a journal"), (gzip.compress(b"{}"), "is compressed")])
def test_what_is_no_cache_stays_as_it_is(arguments, tmp_path, content, message):
    file, space = tmp_path / "cache.json", {"block_size_x": [32], "WORK": [0]}
    file.write_bytes(content)
    for _ in range(2):  # and is locked no longer than the call
        with pytest.raises(occutune.UsageError, match=message):
            tune(arguments, space, Singly(), cache="cache")
        assert file.read_bytes() == content


@pytest.mark.parametrize("strategy", [None, Singly()])
def test_a_compressed_cache_is_only_read(arguments, tmp_path, strategy):
    space = {"block_size_x": [32], "WORK": [0]}
    tune(arguments, space, None, cache="cache")
    file = tmp_path / "cache.json"
    file.write_bytes(gzip.compress(file.read_bytes()))
    with pytest.raises(occutune.UsageError, match="cache.json: is compressed and therefore only read: name another file as cache$"):
        tune(arguments, space, strategy, cache="cache")


def test_a_link_to_a_cache_stays_one(arguments, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "cache.json").symlink_to("shared/cache.json")
    tune(arguments, {"block_size_x": [32], "WORK": [0]}, Singly(), cache="cache")
    assert (tmp_path / "cache.json").is_symlink() and len(json.loads((tmp_path / "shared/cache.json").read_text())["cache"]) == 1


def test_a_damaged_cache_is_kept(arguments, tmp_path):
    file, space = tmp_path / "cache.json", {"block_size_x": [32, 64], "WORK": [0, 1]}
    tune(arguments, space, Singly(), cache="cache")
    lines = file.read_text().split("\n")
    cache = json.loads("\n".join(lines))["cache"]
    lines[2] = json.dumps({list(cache)[0]: {**list(cache.values())[0], "WORK": [1]}})[1:-1] + ","  # no key of a dictionary
    lines[3] = lines[3].replace('"block_size_x":', "@@@", 1)
    file.write_text("\n".join(lines))
    with pytest.warns(UserWarning, match="kept as .*cache.json.aside, without what"):
        assert len(tune(arguments, space, Singly(), cache="cache")[0]) == 4
    assert (tmp_path / "cache.json.aside").read_text() == "\n".join(lines)
    assert len(json.loads(file.read_text())["cache"]) == 4


def test_what_was_timed_before_an_interruption_is_kept(arguments, tmp_path, monkeypatch):
    from occutune import _tune_kernel

    run = _tune_kernel._tune

    def interrupted(*words):
        run(*words)
        raise KeyboardInterrupt

    monkeypatch.setattr(_tune_kernel, "_tune", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tune(arguments, {"block_size_x": [32], "WORK": [0]}, Singly(), cache="cache")
    assert len(json.loads((tmp_path / "cache.json").read_text())["cache"]) == 1


def test_an_empty_cache_is_not_left(arguments, tmp_path):
    class Fails:
        def tune(self, searchspace, runner, tuning_options):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tune(arguments, {"block_size_x": [32], "WORK": [0]}, Fails(), cache="cache")
    assert not (tmp_path / "cache.json").exists()
