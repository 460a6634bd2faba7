"""A session ends with its client, also at work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
    time.sleep(1)
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
