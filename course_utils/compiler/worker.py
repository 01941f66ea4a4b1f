"""The NVRTC worker: a child process that compiles what it is sent and answers, one request at a time.

Run as a script (`python -I -S worker.py LIBRARY PARENT_PID MEMORY_BYTES FOLDER...`), never imported by it, so
that it starts fast: only the standard library's small modules, no site-packages. It reads frames from
standard input and writes frames to standard output; a frame is a sequence of byte strings (see `pack`). The
first frame out is the greeting: b"ready" and what confines the process, or b"failed" and why.

Request:  source, name, number of options, options..., name expressions...
Answer:   NVRTC's result code and its name, log, PTX, cubin, then (on success) the expressions' mangled names.

The process confines itself once NVRTC is loaded. On Linux: no more memory than the limit beyond what NVRTC's
own libraries map, no core files, death with the parent, and, where the kernel offers Landlock (5.13 and
later), no file access except reading the folders given, and no TCP. Elsewhere the scan in `includes.py` alone
keeps includes inside.
"""

import ctypes
import os
import struct
import sys

_COUNT = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_SAMPLE = b'extern "C" __global__ void k(float *a) { a[threadIdx.x] += 1.0f; }\n'


def pack(fields: list[bytes]) -> bytes:
    """One frame: the number of fields, then each field's length and bytes."""
    parts = [_COUNT.pack(len(fields))]
    for field in fields:
        parts += (_LENGTH.pack(len(field)), field)
    return b"".join(parts)


def read_frame(descriptor: int) -> list[bytes]:
    """Read one frame; EOFError where the other side has closed the pipe."""
    fields = []
    for _ in range(_COUNT.unpack(_read_exactly(descriptor, _COUNT.size))[0]):
        fields.append(_read_exactly(descriptor, _LENGTH.unpack(_read_exactly(descriptor, _LENGTH.size))[0]))
    return fields


def unpack(frame: bytes) -> list[bytes]:
    """The fields of a whole frame held in memory; ValueError where it is cut short."""
    try:
        (count,) = _COUNT.unpack_from(frame)
        at, fields = _COUNT.size, []
        for _ in range(count):
            (length,) = _LENGTH.unpack_from(frame, at)
            at += _LENGTH.size
            fields.append(frame[at : at + length])
            at += length
    except struct.error as error:
        raise ValueError("the frame is cut short") from error
    if at != len(frame):
        raise ValueError("the frame is cut short")
    return fields


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _read_exactly(descriptor: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Nvrtc:
    """The few calls of NVRTC that a compile needs. CuPy's own binding drops the cubin's last byte."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def compile(
        self, source: bytes, name: bytes, options: list[bytes], expressions: list[bytes]
    ) -> list[bytes]:
        lib = self._library
        program = ctypes.c_void_p()
        code = lib.nvrtcCreateProgram(ctypes.byref(program), source, name, 0, None, None)
        if code:
            return self._answer(code, b"", b"", b"")
        try:
            for expression in expressions:
                code = code or lib.nvrtcAddNameExpression(program, expression)
            if code:
                return self._answer(code, b"", b"", b"")
            code = lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
            log = self._text(program, "ProgramLog")
            # PTX is there as well where only the assembler refused it.
            answer = self._answer(code, log, self._text(program, "PTX"), self._bytes(program, "CUBIN"))
            for expression in expressions if not code else ():
                lowered = ctypes.c_char_p()
                lib.nvrtcGetLoweredName(program, expression, ctypes.byref(lowered))
                answer.append(lowered.value or b"")
            return answer
        finally:
            lib.nvrtcDestroyProgram(ctypes.byref(program))

    def _answer(self, code: int, log: bytes, ptx: bytes, cubin: bytes) -> list[bytes]:
        return [str(code).encode(), self._library.nvrtcGetErrorString(code), log, ptx, cubin]

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        if getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)):
            return b""
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        if getattr(self._library, f"nvrtcGet{what}")(program, buffer):
            return b""
        return buffer.raw[: size.value]

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        return self._bytes(program, what).replace(
            b"\0", b""
        )  # the assembler's part of a log may begin with one


def _die_with(parent: int) -> None:
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != parent:  # the parent died before the call above
        os._exit(0)


def _limit_memory(extra: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    mapped = int(os.read(descriptor, 100).split()[0]) * os.sysconf("SC_PAGE_SIZE")
    os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_AS, (mapped + extra, mapped + extra))


def _landlock(folders: list[str]) -> bool:
    """Give up TCP and all file access but reading `folders`. Returns whether the kernel has Landlock."""
    libc = ctypes.CDLL(None, use_errno=True)
    create, add, restrict = 444, 445, 446  # the same numbers on every architecture
    version = libc.syscall(create, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = 13 + (version >= 2) + (version >= 3)  # refer came with version 2, truncate with 3
    files = (1 << rights) - 1 | (1 << 15 if version >= 5 else 0)  # ioctl on devices came with 5
    attributes = (
        struct.pack("<QQ", files, 3) if version >= 4 else struct.pack("<Q", files)
    )  # 3: TCP bind, connect
    ruleset = libc.syscall(create, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    for folder in folders:
        try:
            descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rule = struct.pack("<Qi", 1 << 2 | 1 << 3, descriptor)  # read files, read folders
        libc.syscall(add, ruleset, 1, rule, 0)
        os.close(descriptor)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, which Landlock asks for
    confined = libc.syscall(restrict, ruleset, 0) == 0
    os.close(ruleset)
    return confined


def _idle(descriptor: int) -> bool:
    """Whether no request waits yet, so that there is time for a first compile."""
    if os.name != "posix":
        return True
    import select

    return not select.select([descriptor], [], [], 0)[0]


def main() -> None:
    library, parent, memory, *folders = sys.argv[1:]
    # The frames keep private copies of the pipes: whatever NVRTC prints goes nowhere.
    source, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    confined = b""
    try:
        if sys.platform == "linux":
            _die_with(int(parent))
        nvrtc = Nvrtc(library)
        if _idle(source):
            nvrtc.compile(_SAMPLE, b"warm.cu", [b"-arch=sm_90"], [])  # loads the built-in headers as well
        if sys.platform == "linux":
            _limit_memory(int(memory))
            confined = b"landlock" if _landlock(folders) else b""
    except Exception as error:
        write_all(answers, pack([b"failed", f"{type(error).__name__}: {error}".encode()]))
        return
    write_all(answers, pack([b"ready", confined]))
    while True:
        try:
            text, name, count, *rest = read_frame(source)
        except EOFError:
            return
        options, expressions = rest[: int(count)], rest[int(count) :]
        try:
            answer = nvrtc.compile(text, name, options, expressions)
        except MemoryError:
            answer = [b"1", b"NVRTC_ERROR_OUT_OF_MEMORY", b"", b"", b""]
        write_all(answers, pack(answer))


if __name__ == "__main__":
    main()
