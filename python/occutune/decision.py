"""What a tuning run found, as objects."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _tool

Path_ = Union[str, "os.PathLike[str]"]


class Launchable:
    """One configuration and how it is compiled and launched. `data` has every field that the program says."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def configuration(self) -> Dict[str, Any]:
        """A value for each parameter."""
        return dict(self.data["configuration"])

    @property
    def grid(self) -> Tuple[int, ...]:
        """Thread blocks of the grid."""
        return tuple(self.data["grid"])

    @property
    def block(self) -> Tuple[int, ...]:
        """Threads of a thread block."""
        return tuple(self.data["block"])

    @property
    def options(self) -> List[str]:
        """What NVRTC is given for this configuration."""
        return list(self.data["options"])


class Variant(Launchable):
    """One configuration with what is known of it. `data` has every field of the decision file."""

    @property
    def time_ms(self) -> float:
        """The median time of a launch in milliseconds."""
        return float(self.data["time_ms"])

    @property
    def interval_ms(self) -> Tuple[float, float]:
        """The 95 % interval of the median."""
        low, high = self.data["interval_ms"]
        return float(low), float(high)

    @property
    def metrics(self) -> Dict[str, float]:
        """The spec's metrics."""
        return dict(self.data.get("metrics", {}))

    def __repr__(self) -> str:
        values = " ".join(f"{name}={value}" for name, value in self.configuration.items())
        return f"<Variant {values}: {self.time_ms:.6g} ms>"


class Problem:
    """What was found for one problem size. `data` has every field of the decision file."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def sizes(self) -> Dict[str, Any]:
        """The problem sizes by name."""
        return dict(self.data["problem"])

    @property
    def best(self) -> Optional[Variant]:
        """The winner; None when no configuration ran correctly."""
        return Variant(self.data["best"]) if self.data.get("best") else None

    @property
    def initial(self) -> Optional[Variant]:
        """The default configuration; None when it did not run."""
        return Variant(self.data["initial"]) if self.data.get("initial") else None

    @property
    def finalists(self) -> List[Variant]:
        """All that were measured again, in turns, at the end."""
        return [Variant(data) for data in self.data.get("finalists", [])]

    @property
    def speedup(self) -> Optional[float]:
        """The winner's, over the default configuration."""
        return self.data.get("speedup")

    @property
    def remarks(self) -> List[str]:
        """What to know before believing the numbers."""
        return list(self.data.get("remarks", []))


class Decision:
    """The result of `tune`. `data` is the decision file as docs/formats.md describes it."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @classmethod
    def read(cls, path: Path_) -> Decision:
        """Reads a decision file."""
        return cls(json.loads(Path(path).read_text(encoding="utf-8")))

    @property
    def problems(self) -> List[Problem]:
        """One for each problem size of the spec, in its order."""
        return [Problem(data) for data in self.data["problems"]]

    @property
    def best(self) -> Variant:
        """The winner of the first problem size."""
        best = self.problems[0].best
        if best is None:
            raise LookupError("no configuration ran correctly")
        return best

    @property
    def level(self) -> str:
        """Where the times come from: "live" or "recorded"."""
        return str(self.data["level"])

    @property
    def device(self) -> str:
        """The name of the GPU."""
        return str(self.data["signature"]["device"])

    def save(self, path: Path_) -> None:
        """Writes the decision file."""
        Path(path).write_text(json.dumps(self.data, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def header(self, path: Optional[Path_] = None) -> str:
        """The C header of this decision; written to `path` if given."""
        return header(self, path=path)

    def __repr__(self) -> str:
        return f"<Decision {self.data['kernel']}, {self.level} on {self.device}, {len(self.problems)} problem size(s)>"


def header(*decisions: Union[Decision, Path_], path: Optional[Path_] = None) -> str:
    """The C header of any number of decisions, objects or files; written to `path` if given."""
    with tempfile.TemporaryDirectory(prefix="occutune-") as folder:
        files: List[str] = []
        for number, decision in enumerate(decisions):
            if isinstance(decision, Decision):
                file = Path(folder, f"{number}.decision.json")
                decision.save(file)
                files.append(str(file))
            else:
                files.append(os.fspath(decision))
        text = _tool.run("header", *files)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
