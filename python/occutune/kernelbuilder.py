"""`PythonKernel` of Kernel Tuner's module of this name: a kernel that is called as a function."""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy

from ._arrays import gpu_address, is_array, to_numpy
from ._job import Job
from ._run_kernel import Runner
from ._workspace import Workspace


class PythonKernel:
    """A kernel, compiled once for the values in `params`, with its arrays on the GPU.

    The parameters are those of Kernel Tuner 1.4. `inputs` says of each argument whether it is copied to the GPU at
    every call, `outputs` whether it is returned; the default is all. A call returns a list of NumPy arrays.
    """

    def __init__(self, kernel_name: str, kernel_string: Any, problem_size: Any, arguments: Sequence[Any],  # noqa: PLR0913
                 params: Optional[Mapping[str, Any]] = None, inputs: Optional[Sequence[bool]] = None,
                 outputs: Optional[Sequence[bool]] = None, device: int = 0, platform: int = 0,
                 block_size_names: Optional[Sequence[str]] = None, grid_div_x: Any = None, grid_div_y: Any = None,
                 grid_div_z: Any = None, verbose: bool = True, lang: Optional[str] = None,
                 results_file: Optional[str] = None) -> None:
        self.params: Dict[str, Any] = dict(params or {})
        self.inputs = list(inputs or [True] * len(arguments))
        self.outputs = list(outputs or [True] * len(arguments))
        if results_file:
            self.params.update(_best_in(results_file, device, problem_size))
        values = self.params or {"occutune_no_parameter": 0}
        job = Job(kernel_name, kernel_string, problem_size, arguments, {name: [value] for name, value in values.items()},
                  divisors=(grid_div_x, grid_div_y, grid_div_z), lang=lang,
                  block_size_names=list(block_size_names) if block_size_names else None)
        with Workspace() as workspace:
            self._runner = Runner(job, workspace, job.code_spec(workspace), device)
            self._scope = ExitStack()
            self._runner.device.retain()
            self._scope.callback(self._runner.device.release)
            with self._runner.device.current():
                self._runner.allocate()
                self._scope.callback(self._runner.free)
                self._launch = self._scope.enter_context(
                    self._runner.loaded({name: listed[0] for name, listed in job.parameters.items()}))

    def run_kernel(self, args: Sequence[Any]) -> List[numpy.ndarray]:
        """Runs the kernel once with these arguments; returns the arrays that are outputs.

        An array that lies on the GPU (CuPy, PyTorch) is used where it is: it is neither copied nor returned.
        """
        runner, places = self._runner, [gpu_address(argument) for argument in args]
        with runner.device.current():
            for position, argument in enumerate(args):
                if places[position] is not None or not self.inputs[position]:
                    continue
                if is_array(argument):
                    runner.upload(position, to_numpy(argument))
                else:
                    runner.job.arguments[position] = argument
            runner.device.call("cuCtxSynchronize")  # what other libraries have queued
            self._launch([value if place is None else ctypes.c_uint64(place) for place, value in zip(places, runner.passed())])
            runner.device.synchronize()
            return [runner.download(position) for position, argument in enumerate(args)
                    if self.outputs[position] and places[position] is None and is_array(argument)]

    def __call__(self, *args: Any) -> List[numpy.ndarray]:
        """As `run_kernel`."""
        return self.run_kernel(args)

    def close(self) -> None:
        """Frees what the kernel holds on the GPU."""
        with self._runner.device.current():
            self._scope.close()


def _best_in(results_file: str, device: int, problem_size: Any) -> Dict[str, Any]:
    """The best configuration in a file of Kernel Tuner's `store_results`, for this GPU or else any."""
    from kernel_tuner.integration import TuneResults

    from ._driver import Device

    best: Dict[str, Any] = TuneResults(results_file).get_best_config(Device(device).name, problem_size)
    return best
