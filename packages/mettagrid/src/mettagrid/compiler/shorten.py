"""Shorten routines: no jumps to jumps, no code that nothing reaches, no test whose result is known.

Handlers are often written as "if A, ...; if not A, ...; if A, ...". The test is made once here, and each result has
its own copy of what follows.
"""

from collections import Counter
from collections.abc import Container, Sequence
from typing import NamedTuple

Instruction = tuple[int, ...]
"""op, jump relative to the start of the routine or -1, sense, a, b, c"""

MAX_TESTED = 64
"""instructions of a routine whose tests are made once; a longer one would grow too much"""


class Kinds(NamedTuple):
    """The instructions that matter here, by number."""

    jump: int
    end: int
    tests: frozenset[int]
    """tests of tags and of nothing else"""
    harmless: frozenset[int]
    """instructions that change neither tags nor what a test refers to"""


class Place(NamedTuple):
    """A place in a routine, and what is known there about the test that is made once."""

    position: int
    known: bool | None


def shorten(
    code: Sequence[Instruction], noted: Container[int], kinds: Kinds
) -> tuple[tuple[Instruction, ...], list[tuple[int, int]]]:
    """Return the code and, for each noted position, (new position, old position)."""
    return _Walk(code, noted, kinds).run()


class _Walk:
    """Follows the code from its start and writes down what is reached."""

    def __init__(self, code: Sequence[Instruction], noted: Container[int], kinds: Kinds) -> None:
        self._code, self._noted, self._kinds = code, noted, kinds
        self._test = _repeated_test(code, kinds)
        self._written: list[Instruction] = []
        self._places: dict[Place, int] = {}
        self._jumps: list[tuple[int, Place]] = []
        """(index of an instruction in the new code, where it jumps to)"""
        self._notes: list[tuple[int, int]] = []

    def run(self) -> tuple[tuple[Instruction, ...], list[tuple[int, int]]]:
        self._follow(Place(0, None))
        at = 0
        while at < len(self._jumps):  # grows meanwhile
            if self._jumps[at][1] not in self._places:
                self._follow(self._jumps[at][1])
            at += 1
        for index, place in self._jumps:
            op, _, *rest = self._written[index]
            self._written[index] = (op, self._places[place], *rest)
        return tuple(self._written), self._notes

    def _follow(self, place: Place) -> None:
        """Write the instructions from a place on, until the routine ends or continues where it was written before."""
        skipped, began = list[Place](), len(self._written)
        while place not in self._places:
            self._places[place] = len(self._written)
            if place.position == len(self._code):
                return  # nothing gets here: the instruction before it always jumps
            instruction = self._code[place.position]
            op, jump, sense, *operands = instruction
            is_test = (op, *operands) == self._test
            is_noted = place.position in self._noted
            if op == self._kinds.jump and not is_noted:
                skipped.append(place)
                place = Place(jump, place.known)
                continue
            if is_test and place.known is not None:
                skipped.append(place)
                place = Place(jump if place.known == bool(sense) else place.position + 1, place.known)
                continue
            skipped.clear()
            if is_noted:
                self._notes.append((len(self._written), place.position))
            if jump >= 0:
                self._jumps.append((len(self._written), Place(jump, bool(sense) if is_test else place.known)))
            self._written.append(instruction)
            if op in (self._kinds.jump, self._kinds.end):
                return
            place = Place(place.position + 1, not sense if is_test else place.known)
        for before in skipped:
            self._places[before] = self._places[place]
        if len(self._written) > began and not self._ends_with(place):
            self._jumps.append((len(self._written), place))
            self._written.append((self._kinds.jump, -1, 0, 0, 0, 0))

    def _ends_with(self, place: Place) -> bool:
        """Write the end of the routine again instead of a jump to it."""
        there = self._written[self._places[place]]
        if there[0] != self._kinds.end or place.position in self._noted:
            return False
        self._written.append(there)
        return True


def _repeated_test(code: Sequence[Instruction], kinds: Kinds) -> Instruction | None:
    """Return the op and the operands of the test to make once, if there is one."""
    if len(code) > MAX_TESTED or any(op not in kinds.harmless for op, *_ in code):
        return None
    tests = Counter((op, *operands) for op, _, _, *operands in code if op in kinds.tests)
    return next((test for test, count in tests.most_common(1) if count > 1), None)
