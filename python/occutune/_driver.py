"""The few calls of the CUDA driver that launching a kernel takes, through ctypes.

The device's primary context is used, which CuPy and PyTorch use too; the context that was current stays current.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from types import TracebackType
from typing import Any, ContextManager, Iterator, List, Optional, Sequence, Tuple, Type

import numpy

_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_STATIC_SHARED_MOST = 48 << 10
_NOT_READY = 600  # CUDA_ERROR_NOT_READY
_TEXT_MOST = 256

_Handle = ctypes.c_void_p
_Address = ctypes.c_uint64


class DriverError(RuntimeError):
    """A call of the CUDA driver failed."""


def _load() -> ctypes.CDLL:
    name = os.environ.get("OCCUTUNE_CUDA_DRIVER", "libcuda.so.1")
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise DriverError(f"no GPU can be used: {error}") from error


class Device:
    """One GPU with its primary context, which is the current one while the `with` block lasts."""

    def __init__(self, number: int) -> None:
        self._driver = _load()
        self._device = ctypes.c_int()
        self._context = _Handle()
        self._scope: Optional[ContextManager[None]] = None
        self.call("cuInit", ctypes.c_uint(0))
        self.call("cuDeviceGet", ctypes.byref(self._device), ctypes.c_int(number))

    def retain(self) -> None:
        """Makes sure that there is the primary context, until `release`."""
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)

    def release(self) -> None:
        """The other end of `retain`."""
        self._driver.cuDevicePrimaryCtxRelease_v2(self._device)

    @contextmanager
    def current(self) -> Iterator[None]:
        """The retained context is the current one meanwhile; then the one before is again."""
        before = _Handle()
        self.call("cuCtxGetCurrent", ctypes.byref(before))
        self.call("cuCtxSetCurrent", self._context)
        try:
            yield
        finally:
            self._driver.cuCtxSetCurrent(before)

    def __enter__(self) -> Device:
        self.retain()
        self._scope = self.current()
        self._scope.__enter__()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._scope:
            self._scope.__exit__(None, None, None)
        self.release()

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the driver; a failure is a DriverError with the driver's name for it."""
        code = getattr(self._driver, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorName(ctypes.c_int(code), ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'an unknown error').decode()}")

    def _attribute(self, attribute: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), self._device)
        return value.value

    @property
    def architecture(self) -> str:
        """The architecture of its machine code, such as "sm_90"."""
        return f"sm_{self._attribute(_MAJOR)}{self._attribute(_MINOR)}"

    def _text(self, function: str) -> str:
        text = ctypes.create_string_buffer(_TEXT_MOST)
        self.call(function, text, ctypes.c_int(_TEXT_MOST), self._device)
        return text.value.decode()

    @property
    def name(self) -> str:
        """What the driver calls it."""
        return self._text("cuDeviceGetName")

    @property
    def pci_bus(self) -> str:
        """Where it is, as NVML takes it."""
        return self._text("cuDeviceGetPCIBusId")

    def upload(self, array: numpy.ndarray) -> _Address:
        """A copy of the elements on the GPU; free it with `free`."""
        address = _Address()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 1)))
        self.write(address, array)
        return address

    def write(self, address: _Address, array: numpy.ndarray) -> None:
        """Overwrites memory of the GPU."""
        self.call("cuMemcpyHtoDAsync_v2", address, _Handle(array.ctypes.data), ctypes.c_size_t(array.nbytes), _Handle())
        self.synchronize()

    def copy(self, to: _Address, source: _Address, size: int) -> None:
        """Copies memory of the GPU, ahead of the next launch."""
        self.call("cuMemcpyDtoDAsync_v2", to, source, ctypes.c_size_t(size), _Handle())

    def read(self, array: numpy.ndarray, address: _Address) -> None:
        """Overwrites a contiguous array with memory of the GPU."""
        self.call("cuMemcpyDtoHAsync_v2", _Handle(array.ctypes.data), address, ctypes.c_size_t(array.nbytes), _Handle())
        self.synchronize()

    def free(self, address: _Address) -> None:
        """Frees what `upload` allocated; what fails here has failed before."""
        self._driver.cuMemFree_v2(address)

    def synchronize(self) -> None:
        """Waits for all work."""
        self.call("cuStreamSynchronize", _Handle())

    def is_idle(self) -> bool:
        """Whether all work is done; an error of it is raised."""
        code: int = self._driver.cuStreamQuery(_Handle())
        if code not in (0, _NOT_READY):
            self.synchronize()
        return code != _NOT_READY


class Module:
    """Machine code on a GPU, while the `with` block lasts."""

    def __init__(self, device: Device, cubin: bytes) -> None:
        self._device, self._cubin, self._module = device, cubin, _Handle()

    def __enter__(self) -> Module:
        self._device.call("cuModuleLoadData", ctypes.byref(self._module), ctypes.c_char_p(self._cubin))
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if not error:
            self._device.call("cuModuleUnload", self._module)

    def set_constant(self, name: str, array: numpy.ndarray) -> None:
        """Sets a variable of the code."""
        address, size = _Address(), ctypes.c_size_t()
        self._device.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), self._module, name.encode())
        if array.nbytes > size.value:
            raise ValueError(f"{name} has {size.value} bytes, not {array.nbytes}")
        self._device.write(address, array)

    def function(self, entry: str, shared: int) -> _Handle:
        """A kernel, ready for launches with so much dynamic shared memory."""
        function = _Handle()
        self._device.call("cuModuleGetFunction", ctypes.byref(function), self._module, entry.encode())
        if shared > _STATIC_SHARED_MOST:
            self._device.call("cuFuncSetAttribute", function, ctypes.c_int(_MAX_DYNAMIC_SHARED), ctypes.c_int(shared))
        return function

    def launch(self, function: _Handle, grid: Sequence[int], block: Sequence[int], shared: int, arguments: Sequence[Any]) -> None:
        """Launches a kernel, without waiting for it; arguments are ctypes values."""
        pointers = (_Handle * max(len(arguments), 1))(*(ctypes.addressof(argument) for argument in arguments))
        sizes: Tuple[Any, ...] = tuple(ctypes.c_uint(value) for value in (*grid, *block, shared))
        self._device.call("cuLaunchKernel", function, *sizes, _Handle(), pointers, None)


def scalar(raw: bytes) -> Any:
    """A scalar argument as ctypes has it."""
    return ctypes.create_string_buffer(raw, len(raw))


Addresses = List[Optional[_Address]]
