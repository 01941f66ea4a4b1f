"""Comments, strings and directives hide what is in them; brackets that do not match are named."""

from __future__ import annotations

import pytest

from course_utils.playground import PasteError
from course_utils.playground.tokens import Kind, closing, split, text_of, tokens


def texts(source: str) -> list[str]:
    return [token.text for token in tokens(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a // { <<< \" ' \nb", ["a", "b"]),
        ("a // continued \\\n { \nb", ["a", "b"]),
        ('a /* { \n" */ b', ["a", "b"]),
        ("a /* // */ b", ["a", "b"]),
        ('f("{ // \\" /*") ;', ["f", "(", '"{ // \\" /*"', ")", ";"]),
        ("'{' '\\'' u8'x'", ["'{'", "'\\''", "u8'x'"]),
        ('R"x({ )" )x" a', ['R"x({ )" )x"', "a"]),
        ('u8R"({\n})"', ['u8R"({\n})"']),
        ("1'000'000 0x1Fu 1.5e-3f .5", ["1'000'000", "0x1Fu", "1.5e-3f", ".5"]),
        ("k<<<1, 2>>>(x)", ["k", "<<<", "1", ",", "2", ">", ">", ">", "(", "x", ")"]),
        ("a->b ::c <= >= >>", ["a", "->", "b", "::", "c", "<=", ">=", ">", ">"]),
        ("größe = Δt;", ["größe", "=", "Δt", ";"]),
        ("don't {", ["don", "'", "t", "{"]),
        ('"not closed {\nb', ['"not closed {', "b"]),
        ("a \\\n b", ["a", "b"]),
    ],
)
def test_tokens(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#define A 1 // one\nb", "#define A 1"),
        ("  #  define A \\\n   2 /* two\n lines */\nb", "#  define A     2"),
        ('#include "a//b.h"\nb', '#include "a//b.h"'),
        ("#define APOSTROPHE '\\''\nb", "#define APOSTROPHE '\\''"),
    ],
)
def test_directives(source: str, expected: str) -> None:
    found, name = tokens(source)
    assert (found.kind, found.text) == (Kind.DIRECTIVE, expected)
    assert name.text == "b"


def test_a_hash_inside_a_line_begins_no_directive() -> None:
    assert texts("a # b\n## c") == ["a", "#", "b", "## c"]


def test_lines_are_counted() -> None:
    source = 'a\n/* \n */ b\n#define X \\\n 1\nR"(\n)" c\n"x"\n'
    assert [(token.text[:1], token.line) for token in tokens(source)] == [
        ("a", 1), ("b", 3), ("#", 4), ("R", 6), ("c", 7), ('"', 8),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("a\n/* never", 2, "comment that begins here"),
        ('a\n\nR"x( never', 3, "raw string"),
        ("{ ( }", 1, ") is wanted"),
        ("\n{ (", 2, "the ( here is never closed: ) is missing"),
    ],
)
def test_what_never_ends_is_named_with_its_line(source: str, line: int, words: str) -> None:
    with pytest.raises(PasteError) as caught:
        closing(tokens(source), 0 if source.startswith("{") else len(tokens(source)) - 2)
    assert caught.value.line == line
    assert words in str(caught.value)


def test_split_knows_brackets_and_templates() -> None:
    pieces = split(tokens("a<b, c>(1), f(2, 3), {4, 5}, x < y, z"))
    assert [text_of(piece) for piece in pieces] == ["a<b, c>(1)", "f(2, 3)", "{4, 5}", "x<y", "z"]
    assert split([]) == []
