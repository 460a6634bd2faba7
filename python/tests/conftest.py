"""What the tests share: arrays and a kernel that the pretended driver knows."""

from typing import Any, Dict, List

import numpy
import pytest

SOURCE = """
__global__ void copy(const float *in, float *out, int n)
{
    int i = blockIdx.x * block_size_x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + WORK;
}
"""
SIZE = 4096


@pytest.fixture(autouse=True)
def scratch(tmp_path: Any, monkeypatch: Any) -> None:
    """Every test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def source_array() -> numpy.ndarray:
    return numpy.random.default_rng(1).uniform(-1, 1, SIZE).astype(numpy.float32)


@pytest.fixture
def arguments(source_array: numpy.ndarray) -> List[Any]:
    return [source_array, numpy.zeros_like(source_array), numpy.int32(SIZE)]


@pytest.fixture
def parameters() -> Dict[str, List[int]]:
    return {"block_size_x": [32, 64, 128, 2048], "WORK": [0, 1]}


@pytest.fixture
def spec(source_array: numpy.ndarray) -> Dict[str, Any]:
    return {
        "kernel": {"source": SOURCE, "name": "copy"},
        "parameters": {"block_size_x": [32, 64, 128], "WORK": [0, 1]},
        "problem": {"N": SIZE},
        "launch": {"grid": ["ceil_div(N, block_size_x)"], "block": ["block_size_x"]},
        "arguments": [
            {"buffer": "float32", "name": "in", "fill": source_array},
            {"buffer": "float32", "name": "out", "length": "N", "role": "out"},
            {"scalar": "int32", "value": "N"},
        ],
        "reference": {"files": {"out": source_array}},
    }
