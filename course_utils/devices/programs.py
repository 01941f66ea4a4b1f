"""Source -> a program for one architecture, kept while it is likely to be wanted again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from .. import compiler, simulator
from ..bounded import Bounded
from ..kernels import Kernel
from ..simulator import ptx


class Program:
    """Kernels compiled for one architecture: as machine code, and as the simulator reads them.

    `entry` is the kernel's name in the machine code: mangled, if it is an instance of a template.
    `variables` are the `__constant__` and `__device__` variables by name, with their size in bytes. `key`
    identifies the machine code. `plain` makes the same without optimisation, for checked launches.
    """

    def __init__(
        self, compiled: compiler.Compiled, entry: str, plain: Callable[[], simulator.Program]
    ) -> None:
        module = ptx.parse(compiled.ptx)
        self.compiled = compiled
        self.entry = entry
        self.key = compiled.key
        self.prints = "vprintf" in compiled.ptx
        self.simulated = simulator.Program(
            module, compiled.source, compiled.resources, compiled.name, plain=cache(plain)
        )
        self.variables = {
            name: variable.size
            for name, variable in module.variables.items()
            if variable.space in ("const", "global") and variable.size
        }
        self.initial = {name: self.simulated.get_symbol(name) for name in self.variables}
        self.lock = threading.Lock()  # held during a launch on the simulator, which changes variables


_PROGRAMS: Bounded[Program] = Bounded(128)


@dataclass(frozen=True)
class Source:
    """CUDA C++ with all that decides what becomes of it."""

    text: str
    name: str
    defines: Mapping[str, object] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, kernel: Kernel | str, defines: Mapping[str, object] | None, name: str, options: Sequence[str]
    ) -> Source:
        """For a Kernel `defines` are its tunables, checked: those that are chosen at the launch become no
        macros."""
        if isinstance(options, str):
            raise TypeError("options must be a list of strings, not one string")
        if isinstance(kernel, Kernel):
            tunables = kernel.defines(defines)  # type: ignore[arg-type]
            return cls(kernel.source, kernel.path.name, tunables, tuple(options))
        if not isinstance(kernel, str):
            raise TypeError(
                f"launch a kernel from kernels.load(...) or source text, not {type(kernel).__name__}"
            )
        return cls(kernel, name, dict(defines or {}), tuple(options))

    def program(self, arch: str, entry: str) -> Program:
        """The program for an architecture, with an entry point or an instance of a template ("scale<float>").

        Raises CompileError, and LaunchError where there is no such kernel.
        """
        if "<" in entry:
            return self._kept(arch, (entry,))
        plain = self._kept(arch, ())
        if entry in plain.simulated.kernels:
            return _PROGRAMS.get(
                (plain.key, entry), lambda: Program(plain.compiled, entry, self._plain(arch, ()))
            )
        try:
            return self._kept(arch, (entry,))  # no extern "C": a mangled name
        except simulator.CompileError:
            known = ", ".join(plain.simulated.kernels) or "none"
            raise simulator.LaunchError(
                f"there is no kernel {entry!r} in {self.name}; there is: {known}"
            ) from None

    def _kept(self, arch: str, expressions: tuple[str, ...]) -> Program:
        compiled = self._compiled(arch, expressions)
        entry = compiled.lowered_names[expressions[0]] if expressions else ""
        return _PROGRAMS.get(
            (compiled.key, entry), lambda: Program(compiled, entry, self._plain(arch, expressions))
        )

    def _compiled(
        self, arch: str, expressions: tuple[str, ...], *, optimise: bool = True
    ) -> compiler.Compiled:
        return compiler.compile(
            self.text,
            defines=self.defines,
            arch=arch,
            name=self.name,
            options=self.options,
            optimise=optimise,
            expressions=expressions,
        )

    def _plain(self, arch: str, expressions: tuple[str, ...]) -> Callable[[], simulator.Program]:
        """Makes the program without optimisation, for the simulator alone."""

        def make() -> simulator.Program:
            compiled = self._compiled(arch, expressions, optimise=False)
            module = ptx.parse(compiled.ptx)
            ptx.own_file_first(module, compiled.name)
            ptx.place_header_code(module)
            module.locals = ptx.local_variables(compiled.ptx)
            return simulator.Program(
                module, compiled.source, compiled.resources, compiled.name, optimised=False
            )

        return make
