"""One launch on a GPU, in a process of its own, for a tool to watch.

    python gpu_launch.py LAUNCH.pickle [LEFT.pickle]

Without arguments it prints the GPU's architecture, the driver's CUDA version and the GPU's name. It uses
nothing but Python and the driver's library: memory is what cuMemAlloc gives for exactly the bytes asked for,
a fresh buffer is never copied to, and no library launches kernels of its own.

LAUNCH.pickle (see sanitizer.py) is a dict: cubin (bytes), kernel (its name there), grid, block (three numbers
each), shared_bytes, cooperative, symbols (name -> bytes), args: pairs of "buffer" and bytes, "fresh" and a
number of bytes, or "value" and bytes. LEFT.pickle gets what the buffers hold afterwards, a list with None for
values. A tool should not see that copying: it reads what the kernel did not write.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from pathlib import Path

MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_...
LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


class Driver:
    """CUDA's driver interface; every call is checked."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(LIBRARY)
        self("cuInit", ctypes.c_uint(0))
        self.device = ctypes.c_int()
        self("cuDeviceGet", ctypes.byref(self.device), ctypes.c_int(0))

    def __call__(self, function: str, *arguments: object) -> None:
        status = getattr(self.library, function)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise SystemExit(f"{function}: {(text.value or b'?').decode()} ({status})")

    def attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), self.device)
        return value.value

    def describe(self) -> str:
        """Architecture, driver's CUDA version, name."""
        name, version = ctypes.create_string_buffer(100), ctypes.c_int()
        self("cuDeviceGetName", name, ctypes.c_int(100), self.device)
        self("cuDriverGetVersion", ctypes.byref(version))
        arch = f"sm_{self.attribute(MAJOR)}{self.attribute(MINOR)}"
        return f"{arch} {version.value // 1000}.{version.value % 1000 // 10} {name.value.decode()}"

    def activate(self) -> None:
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self("cuCtxSetCurrent", context)

    def allocate(self, size: int) -> ctypes.c_uint64:
        address = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def upload(self, address: ctypes.c_uint64, data: bytes) -> None:
        self("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))

    def download(self, address: ctypes.c_uint64, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw


def launch(driver: Driver, what: dict) -> list[tuple[ctypes.c_uint64, int] | None]:
    """Run it to its end. For each argument the address and size of its buffer, None for values."""
    driver.activate()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuModuleLoadData", ctypes.byref(module), what["cubin"])
    driver("cuModuleGetFunction", ctypes.byref(function), module, what["kernel"].encode())
    for name, data in what["symbols"].items():
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        driver("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, name.encode())
        driver.upload(address, data)
    parameters: list[object] = []
    buffers: list[tuple[ctypes.c_uint64, int] | None] = []
    for kind, content in what["args"]:
        if kind == "value":
            parameters.append(ctypes.create_string_buffer(content, len(content)))
            buffers.append(None)
            continue
        size = content if kind == "fresh" else len(content)
        address = driver.allocate(size)
        if kind == "buffer":
            driver.upload(address, content)
        parameters.append(address)
        buffers.append((address, size))
    pointers = (ctypes.c_void_p * max(len(parameters), 1))(*(ctypes.addressof(each) for each in parameters))  # type: ignore[arg-type]
    shape = [ctypes.c_uint(number) for number in (*what["grid"], *what["block"], what["shared_bytes"])]
    stream = ctypes.c_void_p()
    if what["cooperative"]:
        driver("cuLaunchCooperativeKernel", function, *shape, stream, pointers)
    else:
        driver("cuLaunchKernel", function, *shape, stream, pointers, ctypes.c_void_p())
    driver("cuCtxSynchronize")
    return buffers


def main(arguments: list[str]) -> None:
    driver = Driver()
    if not arguments:
        print(driver.describe())
        return
    buffers = launch(driver, pickle.loads(Path(arguments[0]).read_bytes()))
    if len(arguments) > 1:
        left = [each and driver.download(*each) for each in buffers]
        Path(arguments[1]).write_bytes(pickle.dumps(left))


if __name__ == "__main__":
    main(sys.argv[1:])
