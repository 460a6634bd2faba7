"""Ask and tell: our search says what to time next, the caller times it."""

from __future__ import annotations

import json
import numbers
import subprocess
import tempfile
from types import TracebackType
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Type, Union, cast

from . import _tool
from ._commands import _absolute, _option
from ._workspace import Spec, Workspace, size_options
from .decision import Launchable, Path_


class Trial(Launchable):
    """One configuration to time. `data` has every field that docs/cli.md describes for `occutune ask`."""

    def __init__(self, data: Dict[str, Any]) -> None:
        super().__init__(data)
        self.value: Optional[float] = None
        self.failed: Optional[str] = None

    @property
    def number(self) -> int:
        """Counts from 0."""
        return int(self.data["number"])

    @property
    def params(self) -> Dict[str, Any]:
        """The configuration, by Optuna's name."""
        return self.configuration

    @property
    def estimate_ms(self) -> Optional[float]:
        """The predicted time; None where nothing is predicted."""
        return 1e3 * self.data["estimate_s"] if "estimate_s" in self.data else None

    @property
    def bound_ms(self) -> Optional[float]:
        """A time that no measurement is below; None where nothing is predicted."""
        return 1e3 * self.data["bound_s"] if "bound_s" in self.data else None

    def __repr__(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.params.items())
        told = "" if self.value is None else f": {self.value:.6g} ms"
        return f"<Trial {self.number} {values}{told}>"


class Study:
    """A search whose times come from the caller; the names are Optuna's.

        with occutune.Study(spec, device="nvidia-h200", trials=50) as study:
            for trial in study:
                study.tell(trial, milliseconds(trial.params))
        print(study.best_params, study.best_value)

    Configurations are compiled and predicted ahead, without a GPU. One trial is asked for at a time.

    :param spec: as for `tune`; with one problem size.
    :param device: the profile of the GPU, a name or a file.
    :param strategy: "model" (default), "exhaustive" or "random".
    :param trials: ask for so many at most.
    """

    def __init__(self, spec: Spec, device: Union[str, Path_] = "nvidia-h200", *, strategy: Optional[str] = None,
                 trials: Optional[int] = None, seed: Optional[int] = None, sizes: Optional[Mapping[str, Any]] = None,
                 jobs: Optional[int] = None) -> None:
        self.trials: List[Trial] = []
        self.ended: Optional[str] = None  # why, once it has
        self._waiting: Optional[Trial] = None
        self._workspace = Workspace()
        self._messages = tempfile.TemporaryFile()
        try:
            file = _absolute(self._workspace.spec(spec))
            self._process = subprocess.Popen(
                [_tool.program(), "ask", file, f"--device={device}", *_option("strategy", strategy), *_option("trials", trials),
                 *_option("seed", seed), *_option("jobs", jobs), *size_options(sizes)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._messages, env=_tool.environment())
        except BaseException:
            self._workspace.close()
            raise
        self._in, self._out = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)

    def ask(self) -> Optional[Trial]:
        """The next configuration to time; None when the search has ended.

        The last one must have been told.
        """
        if self._waiting:
            raise RuntimeError(f"{self._waiting} waits to be told")
        if self.ended is not None:
            return None
        line = self._out.readline()
        if not line:
            self._fail()
        data = json.loads(line)
        if "end" in data:
            self.ended = data["end"]
            return None
        self._waiting = Trial(data)
        return self._waiting

    def tell(self, trial: Trial, value: Optional[float] = None, *, failed: Optional[str] = None) -> None:
        """What came of a trial: its time in milliseconds, or why there is none."""
        if trial is not self._waiting:
            raise ValueError(f"{trial} is not the trial that was asked for last")
        if (value is None) == (failed is None):
            raise ValueError("tell: give a time in milliseconds, or failed=, why there is none")
        if value is not None and not (isinstance(value, numbers.Real) and 0 < value < float("inf")):
            raise ValueError(f"tell: {value!r} is no time in milliseconds")
        answer = {"failed": str(failed)} if value is None else {"time_s": float(value) / 1e3}
        try:
            self._in.write(json.dumps({"number": trial.number, **answer}).encode("utf-8") + b"\n")
            self._in.flush()
        except BrokenPipeError:
            self._fail()
        trial.value, trial.failed, self._waiting = None if value is None else float(value), failed, None
        self.trials.append(trial)

    def _fail(self) -> None:
        status = self._process.wait()
        self._messages.seek(0)
        text = self._messages.read().decode("utf-8", errors="replace").strip()
        self.close()
        _tool._fail(status or -1, text, "")

    def __iter__(self) -> Iterator[Trial]:
        while True:
            trial = self.ask()
            if trial is None:
                return
            yield trial

    @property
    def best_trial(self) -> Trial:
        """The fastest so far."""
        ran = [trial for trial in self.trials if trial.value is not None]
        if not ran:
            raise LookupError("no configuration ran correctly")
        return min(ran, key=lambda trial: cast(float, trial.value))

    @property
    def best_params(self) -> Dict[str, Any]:
        """The configuration of the fastest so far."""
        return self.best_trial.params

    @property
    def best_value(self) -> float:
        """The time of the fastest so far in milliseconds."""
        return cast(float, self.best_trial.value)

    def close(self) -> None:
        """Ends the search; what was told stays."""
        if self.ended is None:
            self.ended = "closed"
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._in.close()
        except BrokenPipeError:
            pass
        self._out.close()
        self._process.wait()
        self._messages.close()
        self._workspace.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()
