"""What a client that was killed leaves: no session at work, no arrays in memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from occutune import _workspace
from occutune._workspace import Workspace

# The tune would take minutes: by its context, or by its space.
CLIENT = """
import numpy, occutune
from conftest import SIZE, SOURCE
from occutune import _tool

_tool.prepare(0)
print(_tool._holder._session._process.pid, flush=True)
array = numpy.ones(SIZE, numpy.float32)
occutune.tune_kernel("copy", SOURCE, SIZE, [array, array, numpy.int32(SIZE)],
                     {"block_size_x": [32, 64], "WORK": list(range(20000))}, strategy="brute_force")
"""


def process_state(pid):
    """State and parent of a process; a dead one that nobody has asked for is none."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None, None
    return (None, None) if state in "ZX" else (state, int(parent))


def children_of(pid):
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if process_state(path.name)[1] == pid]


@pytest.mark.parametrize("environment", [{"FAKE_CONTEXT_S": "100"}, {}], ids=["context", "tune"])
def test_a_session_ends_with_its_client(environment, tmp_path):
    client = subprocess.Popen([sys.executable, "-c", CLIENT], stdout=subprocess.PIPE, env={
        **os.environ, **environment, "PYTHONPATH": f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}"})
    session = int(client.stdout.readline())
    time.sleep(0.5)
    alive = [session, *children_of(session)]
    assert len(alive) > 1 and all(process_state(pid)[0] for pid in alive)
    client.send_signal(signal.SIGKILL)
    client.wait()
    client.stdout.close()
    until = time.monotonic() + 5  # asked is one second, of a machine that has nothing else to do
    while time.monotonic() < until and any(process_state(pid)[0] for pid in alive):
        time.sleep(0.05)
    left = [pid for pid in alive if process_state(pid)[0]]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


HOLDER = """
import numpy
from occutune._workspace import Workspace

workspace = Workspace()
print(workspace.save(numpy.ones(1000))["file"], flush=True)
input()
"""


def test_what_a_killed_process_left_in_memory_is_removed(tmp_path, monkeypatch):
    client = subprocess.Popen([sys.executable, "-c", HOLDER.replace("workspace = ", f"import occutune._workspace\n"
                               f"occutune._workspace._MEMORY = {str(tmp_path)!r}\nworkspace = ")],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    left = Path(client.stdout.readline().strip())
    assert left.exists() and left.parent.parent == tmp_path
    monkeypatch.setattr(_workspace, "_MEMORY", str(tmp_path))

    def make_old():
        os.utime(left.parent, (0, 0))
        with Workspace() as workspace:
            assert workspace.path.parent == tmp_path
        return left.exists()

    assert make_old()  # its process lives
    client.kill()
    client.wait()
    assert not make_old()
    assert list(tmp_path.iterdir()) == []
