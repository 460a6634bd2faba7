"""Runs a kernel once and returns what its arrays hold: `run_kernel`, and what a `verify` function is given."""

from __future__ import annotations

import ctypes
import inspect
import json
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy

from . import _tool
from ._arrays import is_array, native, to_numpy
from ._driver import Addresses, Device, DriverError, Module, scalar
from ._job import Job, geometry_of, scalar_bytes
from ._tunable import parts
from ._wording import JobWording
from ._workspace import Workspace, plain


def accepts_atol(verify: Callable[..., Any]) -> bool:
    """Whether a verify function has the optional argument `atol`."""
    return "atol" in inspect.signature(verify).parameters


Launch = Callable[..., None]


class Runner:
    """Runs configurations of a job on one GPU, in this process. `spec` is the job's, of which the arguments are not needed."""

    def __init__(self, job: Job, workspace: Workspace, spec: Mapping[str, Any], device: Union[int, str, None]) -> None:
        if isinstance(device, str):
            raise ValueError(f"device: {device}: give the number of a GPU")
        self.job, self.workspace = job, workspace
        # Compiling reads no arrays: with them each call of the program would hash them once more.
        self._file = workspace.write("code.json", json.dumps(plain({**spec, "arguments": [], "reference": "none"})))
        self.device_number = device or 0
        self.device = Device(self.device_number)
        self.arrays: List[Optional[numpy.ndarray]] = []
        self.addresses: Addresses = []
        self._pristine: Addresses = []  # copies on the GPU, of the arrays that a launch may change; made for the second launch
        self._launched = False

    def allocate(self) -> None:
        """Copies the arrays to the GPU."""
        for argument in self.job.arguments:
            array = native(numpy.asarray(to_numpy(argument), order="K")) if is_array(argument) else None
            self.arrays.append(array)
            self.addresses.append(None if array is None else self.device.upload(_flat(array)))

    def free(self) -> None:
        """Frees what `allocate` took."""
        for address in [*self.addresses, *self._pristine]:
            if address is not None:
                self.device.free(address)
        self.addresses, self._pristine = [], []

    def __enter__(self) -> Runner:
        self.device.__enter__()
        try:
            self.allocate()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.free()
        self.device.__exit__(kind, error, trace)

    def compile(self, params: Mapping[str, Any]) -> Tuple[bytes, str]:
        """The machine code of a configuration and the name of its kernel there."""
        values = {**{column.name: column.value(params) for column in self.job.columns()}, **params}
        configuration = ",".join(f"{name}={value}" for name, value in plain(values).items())
        cubin = self.workspace.path / "kernel.cubin"
        made = _tool.run_json("compile", [self._file, f"--config={configuration}", f"--arch={self.device.architecture}",
                                          f"--output={cubin}"], reword=JobWording("run_kernel", self.job))
        return cubin.read_bytes(), made["kernel"]

    @contextmanager
    def loaded(self, params: Mapping[str, Any]) -> Iterator[Launch]:
        """A function that launches a configuration, with the arguments of the job or with others."""
        cubin, entry = self.compile(params)
        grid, block, shared = geometry_of(self.job, params)
        with Module(self.device, cubin) as module:
            for name, value in self.job.constants.items():
                module.set_constant(name, native(numpy.ascontiguousarray(to_numpy(value) if is_array(value) else value)))
            function, passed = module.function(entry, shared), self.passed()
            yield lambda arguments=passed: module.launch(function, grid, block, shared, arguments)

    def run(self, params: Mapping[str, Any], wanted: Optional[Sequence[bool]] = None) -> List[Optional[numpy.ndarray]]:
        """What the arrays hold after one launch; None for scalars, and for arrays that are not wanted."""
        if self._launched:
            self._restore()
        self._launched = True
        with self.loaded(params) as launch:
            launch()
            self.device.synchronize()
        return [None if array is None or (wanted is not None and not wanted[position])
                else array.copy() if self.job.is_input(position) else self.download(position)
                for position, array in enumerate(self.arrays)]

    def _restore(self) -> None:
        """Gives the arrays that launches may have changed their first contents."""
        self._pristine = self._pristine or [self._copy_of(position) for position in range(len(self.arrays))]
        for position, (array, pristine) in enumerate(zip(self.arrays, self._pristine)):
            address = self.addresses[position]
            if array is None or address is None or self.job.is_input(position):
                continue
            if pristine is None:
                self.upload(position, array)
            else:
                self.device.copy(address, pristine, array.nbytes)

    def _copy_of(self, position: int) -> Optional[ctypes.c_uint64]:
        """Another copy of an array on the GPU; None where none is needed, or where memory does not suffice."""
        array = self.arrays[position]
        if array is None or self.job.is_input(position):
            return None
        try:
            return self.device.upload(_flat(array))
        except DriverError:
            return None

    def passed(self) -> List[Any]:
        """The arguments of a launch."""
        return [scalar(scalar_bytes(argument, position)) if address is None else address
                for position, (argument, address) in enumerate(zip(self.job.arguments, self.addresses))]

    def upload(self, position: int, array: numpy.ndarray) -> None:
        """Overwrites an array on the GPU."""
        mine, address = self.arrays[position], self.addresses[position]
        if mine is None or address is None or array.nbytes != mine.nbytes:
            raise ValueError(f"argument {position}: an array of {0 if mine is None else mine.nbytes} bytes is expected")
        self.device.write(address, _flat(native(array)))

    def download(self, position: int) -> numpy.ndarray:
        """What an array holds on the GPU, in the same order in memory."""
        array, address = self.arrays[position], self.addresses[position]
        assert array is not None and address is not None
        result = numpy.empty_like(array)
        flat = result.ravel(order="K")
        self.device.read(flat, address)
        if not numpy.shares_memory(flat, result):
            result[...] = flat.reshape(result.shape)
        return result


def _flat(array: numpy.ndarray) -> numpy.ndarray:
    """The elements in the order in which they lie in memory."""
    return numpy.ravel(array, order="K")


def run_kernel(  # noqa: PLR0913 - the signature is Kernel Tuner's
    kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Sequence[Any], params: Mapping[str, Any],
    grid_div_x: Any = None, grid_div_y: Any = None, grid_div_z: Any = None, lang: Optional[str] = None,
    device: Optional[int] = 0, platform: int = 0, smem_args: Optional[Mapping[str, Any]] = None,
    cmem_args: Optional[Mapping[str, Any]] = None, texmem_args: Any = None, compiler: Optional[str] = None,
    compiler_options: Optional[Sequence[str]] = None, defines: Optional[Mapping[str, Any]] = None,
    block_size_names: Optional[Sequence[str]] = None, quiet: bool = False, log: Any = None,
) -> List[Any]:
    """Compiles a kernel for one configuration, runs it once, and returns its arguments as they are afterwards.

    The signature is that of Kernel Tuner 1.4. Arrays come back as NumPy arrays, scalars as they are.
    """
    if texmem_args:
        raise ValueError("texmem_args: texture memory is not supported; read through plain pointers (__ldg)")
    if compiler:
        raise ValueError("compiler: host compilers are not used: only CUDA kernels are run")
    values: Dict[str, Any] = dict(params) or {"occutune_no_parameter": 0}
    job = Job(kernel_name, kernel_source, problem_size, arguments, {name: [value] for name, value in values.items()},
              divisors=(grid_div_x, grid_div_y, grid_div_z), lang=lang, smem_args=smem_args, cmem_args=cmem_args,
              compiler_options=compiler_options, defines=defines, block_size_names=block_size_names)
    [job] = parts(job)
    with Workspace() as workspace:
        with Runner(job, workspace, job.code_spec(workspace), device) as runner:
            outputs = runner.run({name: values_of[0] for name, values_of in job.parameters.items()})
    return [argument if output is None else output for argument, output in zip(arguments, outputs)]


