"""Random kernels, each with what it must compute: CUDA C++ beside a NumPy evaluation of the same trees.

Every expression is a pair (text, function of an environment -> one value a thread). Statements change the
environment under a mask of threads, as the threads of a grid would. Signed arithmetic goes through unsigned,
shifts are masked and indices reduced, so that nothing generated is undefined in C++.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

TYPES: dict[str, tuple[str, np.dtype]] = {
    "i32": ("int", np.dtype(np.int32)),
    "u32": ("unsigned", np.dtype(np.uint32)),
    "u64": ("unsigned long long", np.dtype(np.uint64)),
    "f32": ("float", np.dtype(np.float32)),
    "f64": ("double", np.dtype(np.float64)),
}
LOOSE = {"over": "ignore", "invalid": "ignore", "divide": "ignore", "under": "ignore"}
SLOTS = 3  # arrays of own places that stores inside control flow write
BINS = 16
EXTREME = {
    "i32": (0, 1, -1, 2, 7, -(1 << 31), (1 << 31) - 1, 255, -256),
    "u32": (0, 1, 2, 31, 32, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF),
    "u64": (0, 1, 63, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
    "f32": (0.0, -0.0, 1.0, -1.5, 1e-40, 3.4e38, float("inf"), float("-inf"), float("nan"), 0.1),
    "f64": (0.0, -0.0, 1.0, -1.5, 5e-324, 1.7e308, float("inf"), float("-inf"), float("nan"), 0.1),
}


@dataclass
class Environment:
    """The threads of a grid: named values (one a thread), inputs, what was stored, and who still runs."""

    values: dict[str, np.ndarray]
    inputs: dict[str, np.ndarray]
    slots: list[np.ndarray]
    bins: np.ndarray
    threads: int  # of a block
    gone: np.ndarray  # threads that returned

    def set(self, name: str, value: np.ndarray, mask: np.ndarray) -> None:
        self.values[name] = np.where(mask, value, self.values[name])


Evaluate = Callable[[Environment], np.ndarray]


@dataclass
class Expression:
    type: str
    text: str
    value: Evaluate


@dataclass
class Signals:
    """Threads that left the innermost loop, or its current round."""

    broke: np.ndarray
    skipped: np.ndarray


@dataclass
class Statement:
    lines: list[str]
    run: Callable[[Environment, np.ndarray, Signals | None], None]


@dataclass
class Kernel:
    source: str
    run: Callable[[Environment], None]


def fma32(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a*b + c rounded once: exact product in double, the sum rounded to odd, then to single."""
    with np.errstate(**LOOSE):
        product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
        total = product + addend
        back = total - product
        error = (product - (total - back)) + (addend - back)
        bits = total.view(np.int64)
        inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
        outward = (error > 0) == (total > 0)
        odd = np.where(outward, bits + 1, bits - 1).view(np.float64)
        return np.where(inexact, odd, total).astype(np.float32)


def _fma64(a: float, b: float, c: float) -> float:
    if np.isfinite(a) and np.isfinite(b) and not np.isfinite(c):
        return c
    if not np.isfinite([a, b]).all() or a == 0 or b == 0:
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return 0.0 if c != 0 or a * b >= 0 else -0.0
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


def fma64(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    with np.errstate(**LOOSE):
        return np.array([_fma64(*each) for each in zip(a, b, c, strict=True)], np.float64)


def least(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """fmin: a NaN loses, and -0 is below +0."""
    first = (a < b) | ((a == b) & np.signbit(a)) | np.isnan(b)
    return np.where(first & ~np.isnan(a), a, np.where(np.isnan(a), b, np.where(first, a, b)))


def truncated(a: np.ndarray) -> np.ndarray:
    """Single to int as cvt.rzi.s32 does it: clamped, NaN to 0."""
    wide = np.nan_to_num(np.trunc(a.astype(np.float64)), nan=0.0, posinf=2.0**31, neginf=-(2.0**31))
    return np.clip(wide, -(2.0**31), 2.0**31 - 1).astype(np.int32)


class Generator:
    """Draws a kernel for blocks of one shape. Shuffles are drawn for whole warps only."""

    def __init__(self, seed: int, block: tuple[int, int, int]) -> None:
        self.random = random.Random(seed)
        self.block = block
        self.threads = block[0] * block[1] * block[2]
        self.loops = 0
        self.counters: list[str] = []
        self.names = {kind: [f"{kind}_{number}" for number in range(2)] for kind in TYPES}

    # Expressions

    def expression(self, kind: str, depth: int) -> Expression:
        if depth <= 0 or self.random.random() < 0.12:
            return self.leaf(kind)
        makers = [self.binary, self.binary, self.binary, self.choice, self.cast]
        makers += [self.unary, self.fused] if kind[0] == "f" else [self.shift]
        return self.random.choice(makers)(kind, depth)

    def leaf(self, kind: str) -> Expression:
        makers = [self.variable, self.variable, self.literal, self.load, self.load]
        if kind in ("i32", "u32"):
            makers += [self.place, self.place]
        return self.random.choice(makers)(kind)

    def variable(self, kind: str) -> Expression:
        names = list(self.names[kind]) + (self.counters if kind == "i32" else [])
        name = self.random.choice(names)
        return Expression(kind, name, lambda env: env.values[name])

    def literal(self, kind: str) -> Expression:
        dtype = TYPES[kind][1]
        value = dtype.type(self.random.choice(EXTREME[kind]))
        if kind == "f32":
            text = f"__int_as_float({hex(struct.unpack('<I', value.tobytes())[0])})"
        elif kind == "f64":
            text = f"__longlong_as_double({hex(struct.unpack('<Q', value.tobytes())[0])})"
        else:
            text = {"i32": f"(int){int(value) & 0xFFFFFFFF:#x}u", "u32": f"{value}u", "u64": f"{value}ull"}[
                kind
            ]
        return Expression(kind, text, lambda env: np.full_like(env.values[f"{kind}_0"], value))

    def place(self, kind: str) -> Expression:
        """Something that tells threads apart, or blocks, or nothing: what the fast code keeps once."""
        name, text = self.random.choice(
            [
                ("tx", "threadIdx.x"),
                ("ty", "threadIdx.y"),
                ("tz", "threadIdx.z"),
                ("bx", "blockIdx.x"),
                ("at", "at"),
                ("k", "k"),
                ("lane", "lane"),
            ]
        )
        return Expression(
            kind, f"({TYPES[kind][0]}){text}", lambda env: env.values[name].astype(TYPES[kind][1])
        )

    def index(self) -> Expression:
        """An index below n, in the forms that kernels use."""
        pick = self.random.randrange(8)
        n = lambda env: env.values["n"]  # noqa: E731
        if pick <= 1:
            return Expression("i32", "at", lambda env: env.values["at"])
        if pick == 2:
            return Expression("i32", "n - 1 - at", lambda env: n(env) - 1 - env.values["at"])
        if pick == 3:
            return Expression("i32", "threadIdx.x", lambda env: env.values["tx"])
        if pick == 4:
            return Expression(
                "i32",
                "(int)threadIdx.y * width + (int)threadIdx.x",
                lambda env: env.values["ty"] * env.values["width"] + env.values["tx"],
            )
        if pick == 5:
            c = self.random.randrange(1, 100)
            return Expression("i32", f"(at + {c}) % n", lambda env: (env.values["at"] + c) % n(env))
        inner = self.expression("u32", 1)
        return Expression(
            "u32", f"({inner.text}) % (unsigned)n", lambda env: inner.value(env) % n(env).astype(np.uint32)
        )

    def load(self, kind: str) -> Expression:
        index = self.index()
        return Expression(
            kind, f"in_{kind}[{index.text}]", lambda env: env.inputs[kind][index.value(env).astype(np.int64)]
        )

    def binary(self, kind: str, depth: int) -> Expression:
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        c_type, dtype = TYPES[kind]
        if kind[0] == "f":
            name = self.random.choice("+-*/<>")
            if name in "<>":
                function = {"<": "fmin", ">": "fmax"}[name] + ("f" if kind == "f32" else "")
                pick = least if name == "<" else lambda x, y: -least(-x, -y)
                return Expression(
                    kind, f"{function}({a.text}, {b.text})", lambda env: pick(a.value(env), b.value(env))
                )
            act = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[name]
            return Expression(
                kind, f"({a.text} {name} {b.text})", lambda env: act(a.value(env), b.value(env))
            )
        name = self.random.choice(["+", "-", "*", "*", "&", "|", "^", "<", ">", "/", "%"])
        if name in "<>":
            function, act = {"<": ("min", np.minimum), ">": ("max", np.maximum)}[name]
            text = f"{function}(({c_type}){a.text}, ({c_type}){b.text})"
            return Expression(kind, text, lambda env: act(a.value(env), b.value(env)))
        if name in "/%":
            if kind == "i32":  # C++ rounds to zero; the divisor is positive
                text = f"({a.text} {name} (({b.text} & 255) + 1))"

                def divide(env: Environment) -> np.ndarray:
                    top, bottom = a.value(env).astype(np.int64), (b.value(env) & 255).astype(np.int64) + 1
                    quotient = np.where(top < 0, -(-top // bottom), top // bottom)
                    return (quotient if name == "/" else top - quotient * bottom).astype(np.int32)

                return Expression(kind, text, divide)
            act = np.floor_divide if name == "/" else np.remainder
            text = f"({a.text} {name} ({b.text} | 1))"
            return Expression(kind, text, lambda env: act(a.value(env), b.value(env) | dtype.type(1)))
        act = {"+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or}.get(
            name, np.bitwise_xor
        )
        text = f"({a.text} {name} {b.text})"
        if kind == "i32":
            text = f"(int)((unsigned){a.text} {name} (unsigned){b.text})"
        return Expression(kind, text, lambda env: act(a.value(env), b.value(env)))

    def shift(self, kind: str, depth: int) -> Expression:
        a, b = self.expression(kind, depth - 1), self.expression("u32", depth - 1)
        bits = TYPES[kind][1].itemsize * 8
        left = self.random.random() < 0.5
        text = f"({a.text} {'<<' if left else '>>'} ({b.text} & {bits - 1}))"
        if kind == "i32" and left:
            text = f"(int)((unsigned){a.text} << ({b.text} & 31))"
        act = np.left_shift if left else np.right_shift
        dtype = TYPES[kind][1]
        return Expression(
            kind, text, lambda env: act(a.value(env), (b.value(env) & np.uint32(bits - 1)).astype(dtype))
        )

    def unary(self, kind: str, depth: int) -> Expression:
        a = self.expression(kind, depth - 1)
        suffix = "f" if kind == "f32" else ""
        text, act = self.random.choice(
            [
                (f"(-{a.text})", np.negative),
                (f"fabs{suffix}({a.text})", np.abs),
                (f"sqrt{suffix}({a.text})", np.sqrt),
                (f"rint{suffix}({a.text})", np.rint),
                (f"floor{suffix}({a.text})", np.floor),
            ]
        )
        return Expression(kind, text, lambda env: act(a.value(env)))

    def fused(self, kind: str, depth: int) -> Expression:
        parts = [self.expression(kind, depth - 1) for _ in range(3)]
        name, act = ("fmaf", fma32) if kind == "f32" else ("fma", fma64)
        text = f"{name}({', '.join(part.text for part in parts)})"
        return Expression(kind, text, lambda env: act(*(part.value(env) for part in parts)))

    def cast(self, kind: str, depth: int) -> Expression:
        sources = [each for each in TYPES if each != kind and (kind[0] == "f" or each[0] != "f")]
        if kind == "i32" and self.random.random() < 0.3:
            a = self.expression("f32", depth - 1)
            return Expression(kind, f"__float2int_rz({a.text})", lambda env: truncated(a.value(env)))
        a = self.expression(self.random.choice(sources), depth - 1)
        dtype = TYPES[kind][1]
        return Expression(kind, f"({TYPES[kind][0]})({a.text})", lambda env: a.value(env).astype(dtype))

    def condition(self, depth: int) -> Expression:
        kind = self.random.choice(list(TYPES))
        a, b = self.expression(kind, depth), self.expression(kind, depth)
        name = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        act = {
            "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
            "!=": np.not_equal,
        }[name]  # fmt: skip
        return Expression("bool", f"({a.text} {name} {b.text})", lambda env: act(a.value(env), b.value(env)))

    def choice(self, kind: str, depth: int) -> Expression:
        test, a, b = self.condition(1), self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        return Expression(
            kind,
            f"({test.text} ? {a.text} : {b.text})",
            lambda env: np.where(test.value(env), a.value(env), b.value(env)),
        )

    # Statements

    def body(self, depth: int, *, in_loop: bool, leaving: bool) -> list[Statement]:
        return [
            self.statement(depth, in_loop=in_loop, leaving=leaving)
            for _ in range(self.random.randrange(1, 4))
        ]

    def statement(self, depth: int, *, in_loop: bool, leaving: bool) -> Statement:
        pick = self.random.random()
        if depth > 0 and pick < 0.25:
            return self.branch(depth, in_loop=in_loop, leaving=leaving)
        if depth > 0 and pick < 0.4:
            return self.loop(depth, leaving=leaving)
        if in_loop and pick < 0.5:
            return self.leave_loop()
        if leaving and pick < 0.52:
            return self.leave_kernel()
        if pick < 0.62:
            return self.store()
        if pick < 0.67:
            return self.count()
        return self.assign()

    def assign(self) -> Statement:
        kind = self.random.choice(list(TYPES))
        name = self.random.choice(self.names[kind])
        value = self.expression(kind, 3)
        return Statement(
            [f"{name} = {value.text};"], lambda env, mask, _: env.set(name, value.value(env), mask)
        )

    def store(self) -> Statement:
        slot, value = self.random.randrange(SLOTS), self.expression("u32", 2)

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            env.slots[slot][env.values["at"][mask]] = value.value(env)[mask]

        return Statement([f"slot{slot}[at] = {value.text};"], run)

    def count(self) -> Statement:
        value = self.expression("u32", 2)

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            np.add.at(env.bins, value.value(env)[mask] % BINS, 1)

        return Statement([f"atomicAdd(&bins[({value.text}) % {BINS}], 1u);"], run)

    def branch(self, depth: int, *, in_loop: bool, leaving: bool) -> Statement:
        test = self.condition(1)
        yes = self.body(depth - 1, in_loop=in_loop, leaving=leaving)
        no = self.body(depth - 1, in_loop=in_loop, leaving=leaving) if self.random.random() < 0.5 else []

        def run(env: Environment, mask: np.ndarray, signals: Signals | None) -> None:
            holds = test.value(env)
            _run_all(yes, env, mask & holds, signals)
            _run_all(no, env, mask & ~holds, signals)

        lines = [f"if ({test.text}) {{", *_indented(yes), "}"]
        return Statement(lines + (["else {", *_indented(no), "}"] if no else []), run)

    def loop(self, depth: int, *, leaving: bool) -> Statement:
        self.loops += 1
        counter = f"round{self.loops}"
        rounds = self.expression("u32", 2)
        most = self.random.choice([2, 3, 5, 9])
        self.counters.append(counter)
        body = self.body(depth - 1, in_loop=True, leaving=leaving)
        self.counters.remove(counter)

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            end = (rounds.value(env) % most).astype(np.int32)
            going = mask & ~env.gone
            number = 0
            env.values[counter] = np.zeros(len(mask), np.int32)
            while True:
                going = going & (number < end) & ~env.gone
                if not going.any():
                    return
                env.values[counter] = np.full(len(mask), number, np.int32)
                signals = Signals(np.zeros_like(mask), np.zeros_like(mask))
                _run_all(body, env, going, signals)
                going = going & ~signals.broke
                number += 1

        number = counter.removeprefix("round")
        lines = [f"const int end{number} = (int)(({rounds.text}) % {most}u);"]
        lines += [f"for (int {counter} = 0; {counter} < end{number}; ++{counter}) {{", *_indented(body), "}"]
        return Statement(["{", *["    " + line for line in lines], "}"], run)

    def leave_loop(self) -> Statement:
        test, word = self.condition(1), self.random.choice(["break", "continue"])

        def run(env: Environment, mask: np.ndarray, signals: Signals | None) -> None:
            assert signals is not None
            which = signals.broke if word == "break" else signals.skipped
            which |= mask & test.value(env)

        return Statement([f"if ({test.text}) {word};"], run)

    def leave_kernel(self) -> Statement:
        test = self.condition(1)

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            env.gone |= mask & test.value(env)

        return Statement([f"if ({test.text}) {{ left = 1; goto end; }}"], run)

    # Across threads: only where all threads of the block are

    def exchange(self) -> Statement:
        name = self.random.choice(self.names["u32"])
        step, threads = self.random.randrange(1, 2 * self.threads), self.threads

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            blocks = env.values[name].reshape(-1, threads)
            env.values[name] = blocks[:, (np.arange(threads) + step) % threads].reshape(-1)

        lines = [
            f"board[thread] = {name};",
            "__syncthreads();",
            f"{name} = board[(thread + {step}) % {threads}];",
            "__syncthreads();",
        ]
        return Statement(lines, run)

    def vote(self) -> Statement:
        test, name = self.condition(1), self.random.choice(self.names["u32"])
        function = self.random.choice(["__ballot_sync", "__any_sync", "__all_sync"])
        threads = self.threads

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            result = np.empty(len(mask), np.uint32)
            holds = test.value(env)
            for first in range(0, len(mask), threads):
                for start in range(first, first + threads, 32):
                    lanes = holds[start : min(start + 32, first + threads)]
                    ballot = sum(1 << lane for lane, yes in enumerate(lanes) if yes)
                    answer = {"__any_sync": int(lanes.any()), "__all_sync": int(lanes.all())}
                    result[start : start + len(lanes)] = answer.get(function, ballot)
            env.values[name] = result

        return Statement([f"{name} = {function}(present, {test.text});"], run)

    def shuffle(self) -> Statement:
        kind = self.random.choice(["u32", "i32", "f32", "f64", "u64"])
        name = self.random.choice(self.names[kind])
        mode = self.random.choice(["xor", "up", "down", "idx"])
        width = self.random.choice([32, 16, 8, 4])
        step = self.random.randrange(0, 32 if mode == "idx" else width)
        lane = np.arange(32)
        first, within = lane // width * width, lane % width
        source = {
            "xor": np.where((lane ^ step) < first + width, lane ^ step, lane),
            "up": np.where(within >= step, lane - step, lane),
            "down": np.where(within + step < width, lane + step, lane),
            "idx": first + step % width,
        }[mode]
        function = {"xor": "__shfl_xor_sync", "up": "__shfl_up_sync", "down": "__shfl_down_sync"}.get(
            mode, "__shfl_sync"
        )

        def run(env: Environment, mask: np.ndarray, _: Signals | None) -> None:
            env.values[name] = env.values[name].reshape(-1, 32)[:, source].reshape(-1)

        return Statement([f"{name} = {function}(0xffffffffu, {name}, {step}, {width});"], run)

    def collective(self) -> Statement:
        makers = [self.exchange, self.vote]
        return self.random.choice([*makers, self.shuffle] if self.threads % 32 == 0 else makers)()

    def kernel(self, depth: int) -> Kernel:
        """`depth`: how deep branches and loops may nest."""
        parts: list[Statement] = []
        for _ in range(self.random.randrange(1, depth + 1)):
            parts += self.body(depth, in_loop=False, leaving=False)
            parts.append(self.collective())
        parts += self.body(depth, in_loop=False, leaving=True)
        pointers = [f"const {TYPES[kind][0]}* in_{kind}" for kind in TYPES]
        pointers += [f"{TYPES[kind][0]}* out_{kind}" for kind in TYPES]
        pointers += [f"unsigned* slot{slot}" for slot in range(SLOTS)] + ["unsigned* bins"]
        declared = [
            f"{TYPES[kind][0]} {name} = in_{kind}[{'at' if number == 0 else 'n - 1 - at'}];"
            for kind in TYPES
            for number, name in enumerate(self.names[kind])
        ]
        ends = [
            f"out_{kind}[{'at' if number == 0 else 'at + n'}] = {name};"
            for kind in TYPES
            for number, name in enumerate(self.names[kind])
        ]
        head = [
            "const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;",
            "const int z = blockIdx.z * blockDim.z + threadIdx.z;",
            "const int at = (z * height + y) * width + x;",
            "const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;",
            "const int lane = thread % 32;",
            "const unsigned present = __activemask();",
            f"__shared__ unsigned board[{self.threads}];",
            "int left = 0;",
        ]
        lines = [
            *head,
            *declared,
            *(line for part in parts for line in part.lines),
            "end: if (left) return;",
            *ends,
        ]
        listed = ", ".join([*pointers, "int n", "int width", "int height", "int k"])
        source = f'extern "C" __global__ void generated({listed})\n{{\n' + "\n".join(
            "    " + line for line in lines
        )

        def run(env: Environment) -> None:
            with np.errstate(**LOOSE):
                _run_all(parts, env, np.ones(len(env.gone), bool), None)

        return Kernel(source + "\n}\n", run)


def _indented(statements: list[Statement]) -> list[str]:
    return ["    " + line for statement in statements for line in statement.lines]


def _run_all(
    statements: list[Statement], env: Environment, mask: np.ndarray, signals: Signals | None
) -> None:
    for statement in statements:
        left = mask & ~env.gone
        if signals is not None:
            left = left & ~signals.broke & ~signals.skipped
        statement.run(env, left, signals)


@dataclass
class Case:
    """A generated kernel with its launch, inputs, and the outputs it must give."""

    source: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    inputs: dict[str, np.ndarray]
    k: int
    shape: tuple[int, int, int] = (0, 0, 0)  # n, width, height
    expected: dict[str, np.ndarray] = field(default_factory=dict)

    def arguments(self) -> tuple[list[object], dict[str, np.ndarray]]:
        """Fresh arguments for one launch, and the arrays among them that it fills."""
        n, width, height = self.shape
        outputs = {f"out_{kind}": np.zeros(2 * n, dtype) for kind, (_, dtype) in TYPES.items()}
        outputs |= {f"slot{slot}": np.zeros(n, np.uint32) for slot in range(SLOTS)}
        outputs["bins"] = np.zeros(BINS, np.uint32)
        numbers = [np.int32(number) for number in (n, width, height, self.k)]
        return [*self.inputs.values(), *outputs.values(), *numbers], outputs


def inputs(generator: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Arrays that mix small numbers, wide ones and extremes."""
    found = {}
    for kind, (_, dtype) in TYPES.items():
        extreme = generator.choice(np.array(EXTREME[kind], dtype), count)
        if kind[0] == "f":
            small = generator.normal(0, 10, count).astype(dtype)
            wide = (generator.normal(0, 1, count) * 10.0 ** generator.integers(-30, 30, count)).astype(dtype)
        else:
            small = generator.integers(0, 40, count).astype(dtype)
            wide = generator.integers(0, 1 << 64, count, np.uint64).astype(dtype)
        pick = generator.random(count)
        found[kind] = np.where(pick < 0.6, small, np.where(pick < 0.85, wide, extreme)).astype(dtype)
    return found


def case(seed: int, block: tuple[int, int, int], grid: tuple[int, int, int], depth: int = 2) -> Case:
    """The case of a seed: a kernel for blocks of this shape, and what it must compute over this grid."""
    kernel = Generator(seed, block).kernel(depth)
    width, height, depth = (block[axis] * grid[axis] for axis in range(3))
    n = width * height * depth
    numbers = np.random.default_rng(seed)
    data = inputs(numbers, n)
    k = int(numbers.integers(-3, 60))
    threads = block[0] * block[1] * block[2]
    blocks = grid[0] * grid[1] * grid[2]
    linear, number = np.tile(np.arange(threads), blocks), np.repeat(np.arange(blocks), threads)
    tx, ty, tz = linear % block[0], linear // block[0] % block[1], linear // (block[0] * block[1])
    bx, by, bz = number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1])
    at = ((bz * block[2] + tz) * height + by * block[1] + ty) * width + bx * block[0] + tx
    whole = lambda value: np.full(n, value, np.int32)  # noqa: E731
    values = {
        name: array.astype(np.int32)
        for name, array in {"tx": tx, "ty": ty, "tz": tz, "bx": bx, "at": at, "lane": linear % 32}.items()
    }
    values |= {"n": whole(n), "width": whole(width), "k": whole(k)}
    for kind in TYPES:
        values[f"{kind}_0"], values[f"{kind}_1"] = data[kind][at], data[kind][n - 1 - at]
    slots = [np.zeros(n, np.uint32) for _ in range(SLOTS)]
    env = Environment(values, data, slots, np.zeros(BINS, np.uint32), threads, np.zeros(n, bool))
    kernel.run(env)
    expected = {f"slot{slot}": array for slot, array in enumerate(env.slots)} | {"bins": env.bins}
    for kind, (_, dtype) in TYPES.items():
        out = np.zeros(2 * n, dtype)
        stays = ~env.gone
        out[at[stays]] = env.values[f"{kind}_0"][stays]
        out[at[stays] + n] = env.values[f"{kind}_1"][stays]
        expected[f"out_{kind}"] = out
    return Case(kernel.source, grid, block, data, k, (n, width, height), expected)


def alike(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Bit for bit, any NaN equal to any NaN."""
    if found.dtype.kind != "f":
        return found == expected
    whole = {4: np.uint32, 8: np.uint64}[found.dtype.itemsize]
    return (found.view(whole) == expected.view(whole)) | (np.isnan(found) & np.isnan(expected))
