"""What the 3,940 recorded variants of matmul took on an H200, for spaces with more values of UNROLL."""
import gzip, json, math, os

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def others(configuration):
    return tuple(v for k, v in sorted(configuration.items()) if k != "UNROLL")


def recorded():
    """Records by the values of all parameters but UNROLL: {UNROLL: (compile, trial, kernel)}, seconds."""
    cache = json.load(gzip.open(f"{root}/kernels/matmul/recorded/nvidia-h200.json.gz"))["cache"]
    found = {}
    for record in cache.values():
        source = cache.get(record.get("same_as", ""), record)
        rest = others({k: v for k, v in record.items() if k.isupper()})
        found.setdefault(rest, {})[record["UNROLL"]] = (record["compile_time"] / 1e3, source["trial_time"] / 1e3, source["time"] / 1e3)
    return found


def nearest(records, configuration):
    """UNROLL of the record that is nearest to a configuration, and its times."""
    known, unroll = records[others(configuration)], configuration["UNROLL"]
    near = min(known, key=lambda u: (abs(math.log2(u / unroll)), u))
    return near, known[near]
