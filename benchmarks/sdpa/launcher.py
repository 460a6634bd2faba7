"""Launches a configuration of a spec on PyTorch's tensors: its tensor maps and scalars are computed from the spec's expressions."""

import ctypes
import json
import os
import subprocess
from pathlib import Path

MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
ELEMENTS = {"float16": (6, 2), "float32": (7, 4), "bfloat16": (9, 2)}  # CUtensorMapDataType, bytes
WIDTHS = {0: 0, 32: 1, 64: 2, 128: 3}  # CUtensorMapSwizzle
PROMOTIONS = {0: 0, 64: 1, 128: 2, 256: 3}  # CUtensorMapL2promotion


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", ctypes.c_uint)]


class TensorMap(ctypes.Structure):
    _fields_ = [("opaque", ctypes.c_uint64 * 16)]


def call(name, *arguments):
    code = getattr(ctypes.CDLL(os.environ.get("OCCUTUNE_CUDA_DRIVER", "libcuda.so.1")), name)(*arguments)
    if code:
        raise RuntimeError(f"{name} failed with error {code}")


def value_of(expression, names):
    """The value of an expression of the spec: they are Python's, with a few functions."""
    functions = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max, "__builtins__": {}}
    return expression if isinstance(expression, (int, float)) else eval(expression, functions, names)


class Kernel:
    """A configuration, compiled by occutune and bound to tensors by the names of the spec's buffers."""

    def __init__(self, occutune, spec, sizes, configuration, tensors):
        self.document = json.loads(Path(spec).read_text())
        self.names = {**sizes, **configuration}
        self.tensors, self.kept = tensors, []
        cubin, entry = self._compile(occutune, spec, sizes, configuration)
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(self.module), ctypes.c_char_p(cubin))
        call("cuModuleGetFunction", ctypes.byref(self.function), self.module, entry.encode())
        self._prepare_launch()

    @staticmethod
    def _compile(occutune, spec, sizes, configuration):
        path = Path("compiled.cubin")
        command = [occutune, "compile", spec, "--json", "--arch=sm_90a", f"--output={path}",
                   "--config=" + ",".join(f"{name}={value}" for name, value in configuration.items()),
                   *(f"--set={name}={value}" for name, value in sizes.items())]
        made = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return path.read_bytes(), made["kernel"]

    def _value(self, expression):
        return value_of(expression, self.names)

    def _tensor_map(self, argument):
        tensor, rank = self.tensors[argument["tensor_map"]], len(argument["dimensions"])
        kind, size = ELEMENTS[str(tensor.dtype).replace("torch.", "")]
        dimensions = [self._value(d) for d in argument["dimensions"]]
        strides = [size * dimensions[0]]
        for d in dimensions[1:-1]:
            strides.append(strides[-1] * d)
        made = ctypes.create_string_buffer(192)
        at = (ctypes.addressof(made) + 63) // 64 * 64
        call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), kind, rank, ctypes.c_void_p(tensor.data_ptr()),
             (ctypes.c_uint64 * rank)(*dimensions), (ctypes.c_uint64 * rank)(*strides),
             (ctypes.c_uint32 * rank)(*(self._value(b) for b in argument["box"])), (ctypes.c_uint32 * rank)(*[1] * rank),
             0, WIDTHS[argument.get("swizzle", 0)], PROMOTIONS[argument.get("l2_promotion", 0)], 0)
        self.kept.append(made)
        return at

    def _argument(self, argument):
        if "tensor_map" in argument:
            return self._tensor_map(argument)
        if "scalar" in argument:
            held = ctypes.c_int32(self._value(argument["value"]))
        else:
            held = ctypes.c_void_p(self.tensors[argument["name"]].data_ptr())
        self.kept.append(held)
        return ctypes.addressof(held)

    def _prepare_launch(self):
        launch = self.document["launch"]
        grid, block, cluster = ([self._value(e) for e in launch.get(part, [])] + [1, 1, 1] for part in ("grid", "block", "cluster"))
        shared = self._value(launch["shared"])
        passed = [self._argument(a) for a in self.document["arguments"] if a.get("passed", True)]
        self.arguments = (ctypes.c_void_p * len(passed))(*passed)
        self.attribute = LaunchAttribute(CLUSTER_DIMENSION, 0, (ctypes.c_uint * 16)(*cluster[:3]))
        self.config = LaunchConfig((ctypes.c_uint * 3)(*grid[:3]), (ctypes.c_uint * 3)(*block[:3]), shared, None,
                                   ctypes.addressof(self.attribute), 1)
        call("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED, ctypes.c_int(shared))

    def launch(self, stream):
        self.config.stream = stream
        call("cuLaunchKernelEx", ctypes.byref(self.config), self.function, self.arguments, None)
