"""A program that stays: `occutune session` runs one command after another on workers that are ready."""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
import threading
from typing import IO, Dict, List, Optional, Tuple, cast

SERVED = ("tune", "compile")
_ASIDE_MOST = 1 << 20


class Ended(Exception):
    """The program is gone. `status` is its exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"occutune ended with status {status}")
        self.status = status


class _Program(subprocess.Popen):  # type: ignore[type-arg]
    """A program that ends by itself, without anyone who waits for it: Python's warning of that is not wanted."""

    def __del__(self) -> None:
        super().__del__(_warn=lambda *words, **more: None)  # type: ignore[call-arg]


class Session:
    """One such program; it ends by itself when nothing is asked for a while."""

    def __init__(self, program: str, environment: Dict[str, str], device: Optional[str]) -> None:
        self._made_of = (program, environment, os.getpid())
        self._aside, self._heard_aside = tempfile.TemporaryFile(), 0  # what others print: kernels, a sanitizer
        self._process = _Program(
            [program, "session", *([f"--device={device}"] if device else [])], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._aside, env=environment)
        self._in, self._out = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)

    def is_made_of(self, program: str, environment: Dict[str, str]) -> bool:
        """Whether it is alive, of this process, and sees what a program that is started now would see."""
        return self._made_of == (program, environment, os.getpid()) and self._process.poll() is None

    def run(self, request: bytes, message: Listener) -> Tuple[int, str]:
        """Exit status and output of a command; `message` is told what the program says meanwhile."""
        try:
            self._in.write(request + b"\n")
            self._in.flush()
            return self._answer(message)
        except BrokenPipeError:
            raise Ended(self._process.wait()) from None
        finally:
            aside = os.pread(self._aside.fileno(), _ASIDE_MOST, self._heard_aside)
            self._heard_aside += len(aside)
            if aside:
                message.hear(aside.decode("utf-8", errors="replace"))

    def _answer(self, message: Listener) -> Tuple[int, str]:
        output: List[bytes] = []
        while True:
            kind, _, number = self._out.readline().rstrip(b"\n").partition(b" ")
            if kind == b"end":
                return int(number), b"".join(output).decode("utf-8")
            if kind not in (b"output", b"message"):
                raise Ended(self._process.wait())
            stretch = self._out.read(int(number))
            if kind == b"output":
                output.append(stretch)
            elif stretch:
                message.hear(stretch.decode("utf-8", errors="replace"))

    def close(self, wait: bool = False) -> None:
        """Lets it end; it ends in order, also what it is at. Nobody may be reading from it."""
        self._in.close()
        if wait and self._made_of[2] == os.getpid():  # a child of fork() has the pipes of its parent's
            self._process.wait()
        self._out.close()
        self._aside.close()


class Listener:
    """Is told what the program says."""

    def hear(self, text: str) -> None:
        """A piece of it."""


class Holder:
    """The session of this process, if any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: Optional[Session] = None
        atexit.register(self._leave)

    def _leave(self) -> None:
        """At the end of Python. What another thread still waits for ends with its input, which closes with this process."""
        if self._lock.acquire(blocking=False):
            try:
                self.drop()
            finally:
                self._lock.release()

    def drop(self) -> None:
        """Ends the session."""
        session, self._session = self._session, None
        if session:
            session.close()

    def start(self, program: str, environment: Dict[str, str], device: Optional[str]) -> None:
        """Makes sure that there is a session; harmless where it is busy."""
        if self._lock.acquire(blocking=False):
            try:
                self._ready(program, environment, device)
            finally:
                self._lock.release()

    def _ready(self, program: str, environment: Dict[str, str], device: Optional[str]) -> Session:
        if not self._session or not self._session.is_made_of(program, environment):
            self.drop()
            self._session = Session(program, environment, device)
        return self._session

    def run(self, request: bytes, program: str, environment: Dict[str, str],
            message: Listener) -> Optional[Tuple[int, str]]:
        """As `Session.run`; None where another thread uses the session, and where it has just ended without a word."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            session = self._ready(program, environment, None)
            try:
                return session.run(request, message)
            except BaseException:  # also a KeyboardInterrupt, which reaches the program too, that ends in order
                self._session = None
                session.close(wait=True)
                raise
        finally:
            self._lock.release()
