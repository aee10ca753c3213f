"""Shortened routines do what they did, for every result of their tests."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from mettagrid.compiler.code import OPS, Routine
from mettagrid.compiler.shorten import Instruction

TESTS = [("TestSharedMask", 0), ("TestSharedMask", 1), ("TestTag", 3), ("TestResource", 2)]
"""op and operand; the results of the first three are known after the first test"""


@pytest.mark.parametrize("seed", range(300))
def test_a_shortened_routine_has_the_same_effects_and_notes(seed: int) -> None:
    routine, plain = _random_routine(random.Random(seed))
    code, notes = routine.finished()
    for results in itertools.product((False, True), repeat=len(TESTS)):
        known = dict(zip(TESTS, results, strict=True))
        expected = _run(plain, dict(routine.notes), known)
        effects = _run(code, dict(notes), known)
        assert effects.seen == expected.seen, results
        assert effects.tests <= expected.tests


def test_a_test_is_made_once_and_jumps_to_the_end_are_ends() -> None:
    routine = Routine()
    for resource, when in enumerate((True, False, True)):
        following = routine.label()
        routine.test("TestSharedMask", following, not when)
        routine.emit("ChangeResource", 1, resource, 5)
        routine.mark(following)
    end = routine.label()
    routine.emit("Jump", jump=end)
    routine.emit("ChangeResource", 1, 9, 9)
    routine.mark(end)
    routine.emit("Return", 1)
    code, _ = routine.finished()
    names = {number: name for name, number in OPS.items()}
    assert [(names[op], jump, b) for op, jump, _, _, b, _ in code] == [
        ("TestSharedMask", 4, 0),
        ("ChangeResource", -1, 0),
        ("ChangeResource", -1, 2),
        ("Return", -1, 0),
        ("ChangeResource", -1, 1),
        ("Return", -1, 0),
    ]


def test_a_test_is_made_again_after_a_change_of_tags() -> None:
    routine = Routine()
    for tag in range(2):
        following = routine.label()
        routine.test("TestTag", following, False, 1, 7)
        routine.emit("AddTag", 1, tag)
        routine.mark(following)
    routine.emit("Return", 1)
    code, _ = routine.finished()
    assert [op for op, *_ in code].count(OPS["TestTag"]) == 2


class _Effects:
    def __init__(self) -> None:
        self.seen: list[object] = []
        self.tests = 0


def _random_routine(chance: random.Random) -> tuple[Routine, list[Instruction]]:
    """Return a routine whose jumps go forward, and its instructions with the positions of labels as jumps."""
    routine = Routine()
    length = chance.randrange(3, 14)
    labels = [routine.label() for _ in range(length + 1)]
    marks = {label: position for position, label in enumerate(labels)}
    for position in range(length):
        routine.mark(labels[position])
        later = labels[chance.randrange(position + 1, length + 1)]
        kind = chance.randrange(5)
        if kind < 2:
            op, operand = chance.choice(TESTS)
            routine.test(op, later, chance.random() < 0.5, operand)
        elif kind == 2:
            routine.emit("Jump", jump=later)
        else:
            if chance.random() < 0.5:
                routine.note(f"rule {position}")
            routine.emit("ChangeResource", 1, position, 1)
    routine.mark(labels[length])
    routine.emit("Return", chance.randrange(2))
    return routine, [(op, marks[jump] if jump >= 0 else -1, *rest) for op, jump, *rest in routine.code]


def _run(code: Sequence[Instruction], notes: dict[int, str], known: dict[tuple[str, int], bool]) -> _Effects:
    names = {number: name for name, number in OPS.items()}
    effects, at = _Effects(), 0
    while True:
        op, jump, sense, a, b, _ = code[at]
        name = names[op]
        if at in notes:
            effects.seen.append(notes[at])
        if name == "Return":
            effects.seen.append(a)
            return effects
        if name == "ChangeResource":
            effects.seen.append(b)
        if name.startswith("Test"):
            effects.tests += 1
        jumps = name == "Jump" or (name.startswith("Test") and known[name, a] == bool(sense))
        at = jump if jumps else at + 1
