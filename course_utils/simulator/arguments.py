"""Python arguments -> the bytes of a kernel's parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .errors import ArgumentError
from .memory import Memory
from .ptx import TYPE_BITS, Function, Variable
from .signature import Parameter

_FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def parameter_offsets(function: Function) -> tuple[list[int], int]:
    """Byte offset of each parameter, and the bytes of all."""
    offsets, end = [], 0
    for parameter in function.parameters:
        align = max(parameter.align, 1)
        end = (end + align - 1) // align * align
        offsets.append(end)
        end += max(parameter.size, 1)
    return offsets, end


def pack(
    function: Function, signature: list[Parameter] | None, args: Sequence[object], memory: Memory
) -> bytearray:
    """Lay out arguments as the kernel expects them. Raises ArgumentError naming the parameter and what fits
    it."""
    if not isinstance(args, (list, tuple)):
        given = type(args).__name__
        raise ArgumentError(f"args must be a list or tuple with one entry a parameter, not {given}")
    if signature is not None and len(signature) != len(function.parameters):
        signature = None
    wanted = len(function.parameters)
    if len(args) != wanted:
        named = ", ".join(each.name for each in signature) if signature else ""
        raise ArgumentError(
            f"{function.name} takes {wanted} argument{'s' * (wanted != 1)}{f' ({named})' if named else ''}, "
            f"got {len(args)}"
        )
    offsets, size = parameter_offsets(function)
    packed = bytearray(size)
    for number, (parameter, argument) in enumerate(zip(function.parameters, args, strict=True)):
        known = signature[number] if signature else None
        name = known.name if known else f"argument {number + 1}"
        data = _bytes(name, parameter, known, argument, memory)
        packed[offsets[number] : offsets[number] + len(data)] = data
    return packed


def _bytes(
    name: str, parameter: Variable, known: Parameter | None, argument: object, memory: Memory
) -> bytes:
    if isinstance(argument, np.ndarray) and argument.ndim == 0 and argument.dtype.kind == "V":
        argument = argument[()]
    if isinstance(argument, np.ndarray):
        return _pointer(name, parameter, known, argument, memory)
    if isinstance(argument, list) and all(each is None or isinstance(each, np.ndarray) for each in argument):
        members = enumerate(argument)
        rows = [0 if each is None else memory.add(f"{name}[{number}]", each) for number, each in members]
        argument = np.array(rows, np.uint64)
        return _pointer(name, parameter, known, argument, memory)
    if isinstance(argument, tuple):
        data, _ = _structure(name, argument, memory)
        return _exactly(name, parameter, known, data, argument)
    if argument is None:
        if parameter.size != 8 or (known and not known.pointer):
            raise ArgumentError(
                f"{name}: None is a null pointer, but this parameter is no pointer "
                f"({_wants(parameter, known)})"
            )
        return bytes(8)
    if known and known.pointer:
        raise ArgumentError(
            f"{name} is a pointer ({known.type.strip()}): pass a NumPy array, or None for a null pointer, "
            f"not {argument!r}"
        )
    if isinstance(argument, np.void):
        return _exactly(name, parameter, known, argument.tobytes(), argument)
    if parameter.array:
        raise ArgumentError(
            f"{name} is a structure of {parameter.size} bytes: pass a NumPy structured scalar or void of "
            "that size, or a tuple of its members (arrays for pointers, NumPy scalars)"
        )
    if isinstance(argument, np.generic):
        return _numpy_scalar(name, parameter, known, argument)
    if isinstance(argument, (bool, int)):
        return _integer(name, parameter, known, int(argument))
    if isinstance(argument, float):
        if parameter.type not in _FLOATS:
            raise ArgumentError(
                f"{name}: {argument!r} is a float, but the parameter is {_wants(parameter, known)}"
            )
        with np.errstate(over="ignore"):
            return _FLOATS[parameter.type](argument).tobytes()
    raise ArgumentError(
        f"{name}: a {type(argument).__name__} cannot be passed to a kernel; use a NumPy array, a NumPy "
        "scalar, an int, a float or None"
    )


def _structure(name: str, members: tuple[object, ...], memory: Memory) -> tuple[bytes, int]:
    """(bytes, alignment) of a structure given by its members, each aligned to its own size as C++ lays them
    out."""
    data, widest = bytearray(), 1
    for number, member in enumerate(members):
        part = f"member {number + 1} of {name}"
        if isinstance(member, tuple):
            piece, align = _structure(part, member, memory)
        elif isinstance(member, np.generic):
            piece, align = member.tobytes(), max(member.dtype.alignment, 1)
        elif member is None or isinstance(member, np.ndarray):
            address = 0 if member is None else memory.add(part, member)
            piece, align = address.to_bytes(8, "little"), 8
        else:
            raise ArgumentError(
                f"{part}: a {type(member).__name__} does not tell its size; use a NumPy array, a NumPy "
                "scalar or None"
            )
        data += bytes(-len(data) % align) + piece
        widest = max(widest, align)
    return bytes(data + bytes(-len(data) % widest)), widest


def _pointer(
    name: str, parameter: Variable, known: Parameter | None, array: np.ndarray, memory: Memory
) -> bytes:
    if parameter.size != 8 or parameter.type.startswith("f") or (known and not known.pointer):
        raise ArgumentError(
            f"{name}: an array is a device buffer, but this parameter is a single value "
            f"({_wants(parameter, known)}); pass a NumPy scalar"
        )
    if array.dtype.hasobject:
        raise ArgumentError(f"{name}: an array of Python objects cannot be passed to a kernel")
    if known and known.element is not None and not _same_element(array.dtype, known):
        raise ArgumentError(
            f"{name}: the kernel wants {known.type.strip()} (elements of NumPy type {known.element}), got an "
            f"array of {array.dtype}; convert it with .astype(numpy.{known.element})"
        )
    return memory.add(name, array).to_bytes(8, "little")


def _same_element(given: np.dtype, known: Parameter) -> bool:
    """The element type itself, a structure as wide as CUDA's vector type, or raw bytes viewed as something as
    wide."""
    wanted = known.element
    assert wanted is not None
    if given == wanted or given.kind == "V":
        return True
    if wanted.itemsize == 1:
        return given.itemsize == 1
    return given.kind in "iu" and wanted.kind in "iu" and given == wanted


def _numpy_scalar(name: str, parameter: Variable, known: Parameter | None, value: np.generic) -> bytes:
    data = _exactly(name, parameter, known, value.tobytes(), value)
    if (value.dtype.kind == "f") != (parameter.type in _FLOATS) and parameter.type[0] in "fsu":
        half = value.dtype == np.float16 and parameter.size == 2  # __half comes as 16 plain bits
        if not half:
            raise ArgumentError(
                f"{name}: got {value!r} of type {value.dtype}, but the parameter is "
                f"{_wants(parameter, known)}"
            )
    return data


def _exactly(name: str, parameter: Variable, known: Parameter | None, data: bytes, value: object) -> bytes:
    if len(data) != parameter.size:
        raise ArgumentError(
            f"{name}: {value!r} has {len(data)} bytes, but the parameter has {parameter.size} "
            f"({_wants(parameter, known)})"
        )
    return data


def _integer(name: str, parameter: Variable, known: Parameter | None, value: int) -> bytes:
    if parameter.type in _FLOATS:
        with np.errstate(over="ignore"):
            try:
                return _FLOATS[parameter.type](float(value)).tobytes()
            except OverflowError:
                return _FLOATS[parameter.type](np.inf if value > 0 else -np.inf).tobytes()
    bits = TYPE_BITS[parameter.type]
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise ArgumentError(f"{name}: {value} does not fit the parameter ({_wants(parameter, known)})")
    return (value & ((1 << bits) - 1)).to_bytes(bits // 8, "little")


def _wants(parameter: Variable, known: Parameter | None) -> str:
    if known:
        return known.type.strip()
    kind = "floating-point number" if parameter.type in _FLOATS else "integer"
    return f"a {TYPE_BITS[parameter.type]}-bit {kind}"
