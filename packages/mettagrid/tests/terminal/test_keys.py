"""Bytes of terminals as keys."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.terminal.keys import Key, KeyParser


def names(data: bytes) -> list[str]:
    parser = KeyParser()
    return [key.name for key in [*parser.feed(data), *parser.flush()]]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"wasd", ["w", "a", "s", "d"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOD", ["up", "left"]),
        (b"\x1b[1;2C", ["shift-right"]),
        (b"\x1b[1;5A", ["up"]),
        (b"\r\n\t\x7f\x08", ["enter", "enter", "tab", "backspace", "backspace"]),
        (b"\x1b", ["escape"]),
        (b"\x1b\x1b", ["escape", "escape"]),
        (b"\x1bq", ["alt-q"]),
        (b"\x0c\x03", ["ctrl-l", "ctrl-c"]),
        (b"\x1b[3~\x1b[5~\x1b[H", ["delete", "page-up", "home"]),
        ("é🚀ß".encode(), ["é", "🚀", "ß"]),
        (b"a\xff\xfeb", ["a", "b"]),
        (b"\x1b[<0;10;20Mq", ["q"]),  # a mouse
        (b"\x1b[?62;4c\x1b[12;40Rq", ["q"]),  # answers about the terminal
        (b"\x1b]11;rgb:0000/0000/0000\x07q\x1bP1+r\x1b\\q", ["q", "q"]),
        (b"\x1b[999;", []),
    ],
)
def test_sequences_become_keys_and_what_means_nothing_is_left_out(data: bytes, expected: list[str]) -> None:
    assert names(data) == expected


@settings(deadline=None)
@given(cut=st.integers(0, 40))
def test_it_does_not_matter_where_bytes_are_cut(cut: int) -> None:
    data = "q\x1b[A\x1bOBé\x1b[1;2C🚀\x1b[200~qqq\x1b[A\x1b[201~w".encode()
    parser = KeyParser()
    keys = [*parser.feed(data[:cut]), *parser.feed(data[cut:])]
    assert keys == [
        *(Key("q"), Key("up"), Key("down"), Key("é"), Key("shift-right"), Key("🚀")),
        *(Key("paste", "qqq\x1b[A"), Key("w")),
    ]
    assert not parser.is_waiting


def test_an_escape_waits_for_what_may_follow() -> None:
    parser = KeyParser()
    assert parser.feed(b"\x1b") == []
    assert parser.is_waiting
    assert parser.feed(b"[A") == [Key("up")]
    parser.feed(b"\x1b")
    assert parser.flush() == [Key("escape")]
    assert not parser.is_waiting


def test_pasted_text_without_an_end_is_no_command_and_ends_by_itself() -> None:
    parser = KeyParser()
    assert parser.feed(b"\x1b[200~" + b"q" * 100_000) == []
    (pasted,) = parser.flush()
    assert pasted.name == "paste"
    assert len(pasted.text) <= 4096
    assert parser.feed(b"w") == [Key("w")]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=12), max_size=12))
def test_any_bytes_at_all_give_keys_and_never_fail(parts: list[bytes]) -> None:
    parser = KeyParser()
    for part in parts:
        for key in parser.feed(part):
            assert key.name
    parser.flush()
    assert parser.feed(b"w") == [Key("w")]
