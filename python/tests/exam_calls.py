#!/usr/bin/env python3
"""Runs a script and notes its calls of `tune_kernel`, ours or Kernel Tuner's: part of exam.py.

    EXAM_CALLS=FILE EXAM_LOCK=FILE [EXAM_OURS=FILE EXAM_CAP=SECONDS] exam_calls.py SCRIPT

A line when a call begins and one when it ends; the last says what the package's import and the whole script took, without
what is done for the exam alone. Of several scripts one is in a call at a time. With EXAM_OURS, what was noted of
our run, Kernel Tuner has as many times as long for a call as CAP_TIMES says, at least CAP_LEAST_S and at most EXAM_CAP seconds:
it takes no further configuration then, so that what it found by then is known. Then both winners are timed by us, in turns.
"""

import fcntl
import json
import math
import os
import runpy
import sys
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

CAP_TIMES, CAP_LEAST_S = 5.5, 2.0  # more than the fifth that is asked for


_aside_s = []  # what the exam took


@contextmanager
def _aside():
    begun = time.time()
    try:
        yield
    finally:
        _aside_s.append(time.time() - begun)


def _note(**what):
    with open(os.environ["EXAM_CALLS"], "a", encoding="utf-8") as file:
        file.write(json.dumps(what, default=str) + "\n")


def _best(results, names):
    """The fastest result: its parameters and its time."""
    ran = [result for result in results if isinstance(result.get("time"), (int, float)) and "__error__" not in result]
    if not ran:
        return None, None
    fastest = min(ran, key=lambda result: result["time"])
    return {name: fastest[name] for name in names}, float(fastest["time"])


def _duel(arguments, options, winners):
    """Both winners timed by us in one run: milliseconds."""
    import occutune

    names = list(winners[0])
    either = {name: list(dict.fromkeys(winner[name] for winner in winners)) for name in names}
    left_out = {"strategy", "strategy_options", "restrictions", "cache", "metrics", "observers", "verbose", "parallel",
                "parallel_runner", "answer", "verify"}
    options = {name: value for name, value in options.items() if name not in left_out}

    def is_winner(params):
        return any(all(params[name] == winner[name] for name in names) for winner in winners)

    results, _ = occutune.tune_kernel(*arguments[:4], either, *arguments[5:], **options, strategy="brute_force", quiet=True,
                                      restrictions=is_winner)
    return [next((result.get("time", getattr(result.get("__error__"), "reason", None)) for result in results
                  if all(result[name] == winner[name] for name in names)), "not in the space") for winner in winners]


@contextmanager
def _ending(until):
    """Kernel Tuner's runner takes no further configuration after a time; what is given holds how many were left then."""
    from kernel_tuner.runners.sequential import SequentialRunner

    run, capped = SequentialRunner.run, []

    def run_until(self, space, tuning_options):
        results = []
        space = list(space)
        for at, element in enumerate(space):
            if time.time() > until:
                capped.append(len(space) - at)
                break
            results += run(self, [element], tuning_options)
        return results

    SequentialRunner.run = run_until
    try:
        yield capped
    finally:
        SequentialRunner.run = run


def _noting(tune_kernel, ours):
    def noted(*arguments, **options):
        names = list(arguments[4])
        at = len(seen)
        seen.append(at)
        with open(os.environ["EXAM_LOCK"], "w", encoding="utf-8") as alone:
            with _aside():
                fcntl.flock(alone, fcntl.LOCK_EX)
            return call(at, names, arguments, options)

    def call(at, names, arguments, options):
        parameters = arguments[4]
        cap_s = None
        if at < len(ours):
            cap_s = min(float(os.environ["EXAM_CAP"]), max(CAP_LEAST_S, CAP_TIMES * ours[at]["wall_s"]))
        begun = time.time()
        _note(call=at, kernel=arguments[0], space=math.prod(map(len, parameters.values())), begun=begun, cap_s=cap_s)
        with _ending(begun + cap_s) if cap_s else nullcontext([]) as capped:
            answer = tune_kernel(*arguments, **options)
        wall_s = time.time() - begun
        configuration, time_ms = _best(answer[0], names)
        duel = None
        mine = ours[at]["configuration"] if at < len(ours) else None
        if mine and configuration:
            with _aside():
                duel = "same" if mine == configuration else _duel(arguments, options, [configuration, mine])
        _note(call=at, wall_s=wall_s, configuration=configuration, best=time_ms, duel=duel, capped=bool(capped), left=sum(capped),
              tried=len(answer[0]), search=answer[1].get("search"))
        return answer

    seen = []
    return noted


def read_calls(path, now=None):
    """What was noted, a dictionary for each call; one that did not end took until now."""
    calls = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []:
        note = json.loads(line)
        if "call" not in note:
            continue
        calls.setdefault(note["call"], {"ended": False, "best": None, "configuration": None}).update(note)
        calls[note["call"]]["ended"] = "wall_s" in note and not note.get("capped")
    for call in calls.values():
        call.setdefault("wall_s", (now or time.time()) - call["begun"])
    return list(calls.values())


def read_script(path):
    """Seconds of the package's import, of all calls and of the whole script; None where it did not end."""
    lines = Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
    ends = [note for note in map(json.loads, lines) if "script_s" in note]
    return {**ends[-1], "calls_s": sum(call["wall_s"] for call in read_calls(path))} if ends else None


def main():
    """Becomes the script."""
    script = sys.argv[1]
    theirs = "EXAM_OURS" in os.environ
    ours = read_calls(os.environ["EXAM_OURS"]) if theirs else []
    sys.argv = [script]
    sys.path.insert(0, os.getcwd())
    begun = time.time()
    if theirs:
        import kernel_tuner as package
    else:
        from occutune import _tune_kernel as package  # the script takes it from the package, which may begin something then
    import_s = time.time() - begun
    package.tune_kernel = _noting(package.tune_kernel, ours)
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        _note(import_s=import_s, script_s=time.time() - begun - sum(_aside_s))


if __name__ == "__main__":
    main()
