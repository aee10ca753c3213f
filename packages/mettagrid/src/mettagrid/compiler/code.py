"""Routines: short sequences of instructions with labels, placed once in the code table.

Equal routines are stored once, which keeps a game with a thousand near-identical events small.
"""

from mettagrid import _native
from mettagrid.compiler.shorten import Instruction, Kinds, shorten
from mettagrid.compiler.tables import CONSTANTS, Tables

OPS: dict[str, int] = {name: code for code, name in enumerate(_native.op_names())}

ACTOR, TARGET, FRONTIER, ELEMENT = (CONSTANTS[name] for name in ("actor", "target", "frontier", "element"))
"""Entities in operands."""

_TAG_TESTS = ("TestTag", "TestTagMask", "TestSharedMask")
_HARMLESS = (
    *_TAG_TESTS,
    *("Jump", "Return", "TestConst", "TestResource", "TestPresent", "TestPeriodic", "TestAtLeast"),
    *("PushConst", "PushInventory", "PushAgentStat", "PushGameStat", "PushTagCount"),
    *("ScaleBy", "LogPlusOne", "Add", "Ratio", "Max", "Min"),
    *("ChangeResource", "AddResource", "AddHeld", "ClearResources"),
    *("SetGameStat", "AddGameStat", "SetAgentStat", "AddAgentStat"),
)
_KINDS = Kinds(
    jump=OPS["Jump"],
    end=OPS["Return"],
    tests=frozenset(OPS[name] for name in _TAG_TESTS),
    harmless=frozenset(OPS[name] for name in _HARMLESS),
)

Label = int


class Routine:
    """Instructions under construction. Jumps go to labels, which `mark` binds to a position."""

    def __init__(self) -> None:
        self.code: list[list[int]] = []
        self._marks: list[int] = []
        self.notes: list[tuple[int, str]] = []
        """(position, rule): where the mutations of a rule begin, for traces"""

    def label(self) -> Label:
        self._marks.append(-1)
        return len(self._marks) - 1

    def mark(self, label: Label) -> None:
        self._marks[label] = len(self.code)

    def here(self) -> Label:
        """Return a label at the current position."""
        label = self.label()
        self.mark(label)
        return label

    def emit(self, op: str, a: int = 0, b: int = 0, c: int = 0, *, jump: Label | None = None, sense: int = 0) -> None:
        self.code.append([OPS[op], -1 if jump is None else jump, sense, a, b, c])

    def test(self, op: str, jump: Label, when: bool, a: int = 0, b: int = 0, c: int = 0) -> None:
        """Emit a test that jumps if its result equals `when`."""
        self.emit(op, a, b, c, jump=jump, sense=int(when))

    def note(self, rule: str) -> None:
        self.notes.append((len(self.code), rule))

    def finished(self) -> tuple[tuple[Instruction, ...], list[tuple[int, str]]]:
        """Return the instructions with jumps relative to the start of the routine, and the notes."""
        marks, rules = self._marks, dict(self.notes)
        code = [(op, marks[jump] if jump >= 0 else -1, *rest) for op, jump, *rest in self.code]
        shortened, notes = shorten(code, rules, _KINDS)
        return shortened, [(position, rules[old]) for position, old in notes]


class CodeTable:
    """The code of a program. Entry 0 does nothing and succeeds."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._entries: dict[tuple[tuple[int, ...], ...], int] = {}
        self._routines: dict[int, tuple[tuple[int, ...], ...]] = {}
        self.names: dict[int, str] = {}
        self.rules: list[str] = []
        """names in `notes`; rules that compile to the same code share the name of the first"""
        nothing = Routine()
        nothing.emit("Return", 1)
        self.place(nothing, "nothing")
        self._entries.clear()  # a handler that does nothing is not the same as none

    def place(self, routine: Routine, name: str) -> int:
        """Put a finished routine into the table and return its entry; `name` is for messages."""
        code, notes = routine.finished()
        entry = self._entries.get(code)
        if entry is None:
            entry = self._tables.count("code")
            self._tables.add_rows("code", ([op, jump + entry if jump >= 0 else 0, *rest] for op, jump, *rest in code))
            self._entries[code] = entry
            self._routines[entry] = code
            for position, rule in notes:
                self._tables.add("notes", at=entry + position, name=len(self.rules))
                self.rules.append(rule)
            self.names[entry] = name
        return entry

    def routine(self, entry: int) -> tuple[tuple[int, ...], ...]:
        """Return the instructions of a placed routine, with jumps relative to its start."""
        return self._routines[entry]
