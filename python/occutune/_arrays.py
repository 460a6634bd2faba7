"""Arrays of any library as NumPy arrays: NumPy, CuPy, PyTorch, and whatever speaks DLPack."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy

_TYPES = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
          "float16", "bfloat16", "float32", "float64"}


def is_array(value: Any) -> bool:
    """Whether a value is an array and no scalar."""
    if isinstance(value, (numpy.generic, str, bytes)):
        return False
    return hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__") or hasattr(value, "__cuda_array_interface__")


def _on_host(array: Any) -> Any:
    """A copy in host memory of an array that lies on a GPU; CuPy and PyTorch have a method for that."""
    if hasattr(array, "detach"):  # PyTorch
        array = array.detach().cpu()
        if "bfloat16" in str(array.dtype):  # NumPy has no such type: the same bits
            import torch

            return array.contiguous().view(torch.int16).numpy().view("V2")
        return array
    if hasattr(array, "__cuda_array_interface__") and callable(getattr(array, "get", None)):  # CuPy
        return array.get()
    return array


def gpu_address(array: Any) -> Optional[int]:
    """Where the elements of an array lie on a GPU; None for one in host memory. They have to lie one after another."""
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None:
        return None
    width, strides = numpy.dtype(interface["typestr"]).itemsize, interface.get("strides")
    for length, stride in sorted(zip(interface["shape"], strides or ()), key=lambda axis: axis[1]):
        if length > 1 and stride != width:
            raise ValueError("an array with gaps between its elements: make it contiguous")
        width *= length
    return int(interface["data"][0])


def to_numpy(array: Any) -> numpy.ndarray:
    """The array in host memory, as NumPy sees it. Its memory is shared where that is possible."""
    array = _on_host(array)
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError("a masked array is not supported: a kernel sees no mask; give array.filled(value)")
    if isinstance(array, numpy.ndarray):
        return array
    if hasattr(array, "__array_interface__") or hasattr(array, "__array__"):
        return numpy.asarray(array)
    try:
        return numpy.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError) as error:
        raise TypeError(f"{type(array).__name__}: cannot be read in host memory ({error}); copy it to a NumPy array") from error


def native(array: numpy.ndarray) -> numpy.ndarray:
    """The array with the bytes of its elements in the GPU's order, which is this machine's."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def element_type(array: numpy.ndarray) -> Tuple[str, numpy.ndarray]:
    """The spec's name of the element type, and the elements in the order in which they lie in memory.

    Truth values are bytes, a complex number is two reals.
    """
    flat = numpy.ravel(native(array), order="K")
    if flat.dtype == numpy.bool_:
        flat = flat.view(numpy.uint8)
    elif flat.dtype == numpy.complex64:
        flat = flat.view(numpy.float32)
    elif flat.dtype == numpy.complex128:
        flat = flat.view(numpy.float64)
    if flat.dtype.kind == "V" and flat.dtype.itemsize == 2:
        return "bfloat16", flat
    if flat.dtype.name == "bfloat16":
        return "bfloat16", flat.view("V2")
    if flat.dtype.name not in _TYPES:
        raise TypeError(f"elements of type {array.dtype} are not supported; use one of {', '.join(sorted(_TYPES))}")
    return flat.dtype.name, flat
