#!/usr/bin/env python3
"""Runs a script and notes its calls of `tune_kernel`, ours or Kernel Tuner's: part of exam.py.

    EXAM_CALLS=FILE EXAM_LOCK=FILE [EXAM_OURS=FILE] exam_calls.py SCRIPT

A line when a call begins and one when it ends. Of several scripts one is in a call at a time. With EXAM_OURS, what was noted of
our run, both winners of a call are then timed by us, in turns.
"""

import fcntl
import json
import math
import os
import runpy
import sys
import time
from pathlib import Path


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
    left_out = {"strategy", "strategy_options", "restrictions", "cache", "metrics", "observers", "verbose", "parallel"}
    options = {name: value for name, value in options.items() if name not in left_out}

    def is_winner(params):
        return any(all(params[name] == winner[name] for name in names) for winner in winners)

    results, _ = occutune.tune_kernel(*arguments[:4], either, *arguments[5:], **options, strategy="brute_force", quiet=True,
                                      restrictions=is_winner)
    return [next((result.get("time", getattr(result.get("__error__"), "reason", None)) for result in results
                  if all(result[name] == winner[name] for name in names)), "not in the space") for winner in winners]


def _noting(tune_kernel, ours):
    def noted(*arguments, **options):
        names = list(arguments[4])
        at = len(seen)
        seen.append(at)
        with open(os.environ["EXAM_LOCK"], "w", encoding="utf-8") as alone:
            fcntl.flock(alone, fcntl.LOCK_EX)
            return call(at, names, arguments, options)

    def call(at, names, arguments, options):
        parameters = arguments[4]
        begun = time.time()
        _note(call=at, kernel=arguments[0], space=math.prod(map(len, parameters.values())), begun=begun)
        answer = tune_kernel(*arguments, **options)
        wall_s = time.time() - begun
        configuration, time_ms = _best(answer[0], names)
        duel = None
        mine = ours[at]["configuration"] if at < len(ours) else None
        if mine and configuration:
            duel = "same" if mine == configuration else _duel(arguments, options, [configuration, mine])
        _note(call=at, wall_s=wall_s, configuration=configuration, best=time_ms, tried=len(answer[0]), duel=duel)
        return answer

    seen = []
    return noted


def read_calls(path, now=None):
    """What was noted, a dictionary for each call; one that did not end took until now."""
    calls = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []:
        note = json.loads(line)
        calls.setdefault(note["call"], {"ended": False, "best": None, "configuration": None}).update(note)
        calls[note["call"]]["ended"] = "wall_s" in note
    for call in calls.values():
        call.setdefault("wall_s", (now or time.time()) - call["begun"])
    return list(calls.values())


def main():
    """Becomes the script."""
    script = sys.argv[1]
    theirs = "EXAM_OURS" in os.environ
    ours = read_calls(os.environ["EXAM_OURS"]) if theirs else []
    if theirs:
        import kernel_tuner as package
    else:
        import occutune as package
    package.tune_kernel = _noting(package.tune_kernel, ours)
    sys.argv = [script]
    sys.path.insert(0, os.getcwd())
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
