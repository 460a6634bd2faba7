"""The tuned attention_half beside PyTorch's scaled_dot_product_attention: compare.py OCCUTUNE SPEC DECISION...

For each problem of the decisions it times every backend that PyTorch has for it and the decision's configuration in turns, on
the same data, and compares results with float64 on some rows. Exit status 1 when ours is further off than it may be.
"""

import json
import math
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from launcher import Kernel

ROUNDS, SAMPLE_S, WIDTH = 15, 8e-3, 2048  # WIDTH: heads of a sequence times their dimension, as the backends get them
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}


def time_launches(launch, count):
    """Seconds of one of `count` launches, one after the other."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(count):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / count


def time_in_turns(ways):
    """The median time of each, by name; all in turns, so that drift of the clock meets all alike."""
    counts = {name: max(1, math.ceil(SAMPLE_S / min(time_launches(way, 2), time_launches(way, 2)))) for name, way in ways.items()}
    samples = {name: [] for name in ways}
    for turn in range(ROUNDS + 1):
        for name, way in ways.items():
            samples[name].append(time_launches(way, counts[name]))
    return {name: statistics.median(values[1:]) for name, values in samples.items()}


def usable(backend, q, k, v, causal):
    """PyTorch's way with this backend, or None where it has none for this problem."""
    def attend():
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def way():
        with sdpa_kernel(backend):
            return attend()

    try:
        way()
        torch.cuda.synchronize()
        return way
    except RuntimeError:
        return None


def error_of(output, q, k, v, causal):
    """Relative error of some rows of all heads against float64."""
    tokens = q.shape[1]
    rows = torch.unique(torch.cat([torch.arange(0, tokens, max(1, tokens // 40)), torch.tensor([1, 63, 64, 127, 128, tokens - 1])]))
    rows = rows[rows < tokens].cuda()
    off = size = 0.0
    for head in range(0, q.shape[0], max(1, q.shape[0] // 8)):
        scores = q[head, rows].double() @ k[head].double().T / math.sqrt(q.shape[2])
        if causal:
            scores.masked_fill_(torch.arange(tokens, device="cuda")[None, :] > rows[:, None], -math.inf)
        wanted = torch.softmax(scores, 1) @ v[head].double()
        off += float(((output[head, rows].double() - wanted) ** 2).sum())
        size += float((wanted ** 2).sum())
    return math.sqrt(off / size)


def compare(occutune, spec, problem):
    sizes, configuration = problem["problem"], problem["best"]["configuration"]
    heads, tokens, dim, causal = sizes["HEADS"], sizes["TOKENS"], sizes["HEAD_DIM"], sizes["CAUSAL"] == 1
    q, k, v = (torch.randn(heads, tokens, dim, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    output = torch.full_like(q, math.nan)
    tensors = {"Q": q, "K": k, "V": v, "O": output, "asked": torch.zeros(1, dtype=torch.int32, device="cuda")}
    ours = Kernel(occutune, spec, sizes, configuration, tensors)
    stream = torch.cuda.current_stream().cuda_stream
    ways = {"ours": lambda: ours.launch(stream)}
    ways["ours"]()
    error = error_of(output, q, k, v, causal)
    in_sequence = min(heads, WIDTH // dim)
    parts = [t.view(-1, in_sequence, tokens, dim) if heads % in_sequence == 0 else t[None] for t in (q, k, v)]
    for name, backend in BACKENDS.items():
        way = usable(backend, *parts, causal)
        if way:
            ways[name] = way
    theirs = min(error_of(way().reshape(q.shape), q, k, v, causal) for name, way in ways.items() if name != "ours")
    times = time_in_turns(ways)
    best = min((name for name in times if name != "ours"), key=times.get)
    operations = 4.0 * tokens * tokens * dim * heads * (0.5 if causal else 1)
    rates = " ".join(f"{name} {operations / t / 1e12:.0f}" for name, t in times.items())
    print(f"{tokens:6d} {heads:4d} {dim:4d} {'causal' if causal else '      '}  {times['ours'] * 1e6:9.1f} us  {times[best] * 1e6:9.1f} us {best:9s} "
          f"{100 * times[best] / times['ours']:6.1f} %  TFLOP/s: {rates}  errors {error:.1e} {theirs:.1e}  "
          + " ".join(f"{name}={value}" for name, value in configuration.items()), flush=True)
    return error <= 2 * theirs


def main():
    torch.manual_seed(0)
    print(f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, {torch.cuda.get_device_name()}")
    print("tokens heads  dim               ours         best of PyTorch          of it")
    right = True
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as file:
            for problem in json.load(file)["problems"]:
                if not problem["best"]:
                    print(f"{path}: nothing ran")
                    right = False
                    continue
                right = compare(sys.argv[1], sys.argv[2], problem) and right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
