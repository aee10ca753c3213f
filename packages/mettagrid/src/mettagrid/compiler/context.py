"""The shared state of the compiler: names and ids, tables, code, and the current path in the config."""

import warnings
from collections.abc import Sequence
from typing import NoReturn

from mettagrid.compiler.code import CodeTable, Routine
from mettagrid.compiler.errors import CompileError, ConfigWarning, UnknownName
from mettagrid.compiler.stats import GAME_STATS, agent_stat_names
from mettagrid.compiler.tables import CONSTANTS, INT32_MAX, Tables
from mettagrid.config.mettagrid_config import GameConfig

MAX_NESTING = CONSTANTS["call_depth"]


class NameTable:
    """Names of one kind; the id of a name is its position in the list."""

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        self.kind = kind
        self.names = list(names)
        self._ids = {name: i for i, name in enumerate(self.names)}

    def get(self, name: str) -> int | None:
        return self._ids.get(name)

    def add(self, name: str) -> int:
        """Return the id of a name; a new name gets a new id."""
        if name not in self._ids:
            self._ids[name] = len(self.names)
            self.names.append(name)
        return self._ids[name]

    def __len__(self) -> int:
        return len(self.names)


class _Pushed:
    """Entries on a stack during a `with` block. A class for speed: large configs have tens of thousands of blocks."""

    __slots__ = ("_before", "_entries", "_stack")

    def __init__(self, stack: list[str], entries: list[str]) -> None:
        self._stack = stack
        self._entries = entries

    def __enter__(self) -> None:
        self._before = len(self._stack)
        self._stack += self._entries

    def __exit__(self, *_: object) -> None:
        del self._stack[self._before :]


class Context:
    """State of one compilation."""

    def __init__(self, game: GameConfig, *, strict: bool, corrections: frozenset[str] = frozenset()) -> None:
        self.game = game
        self.strict = strict
        self.corrections = corrections
        self.tables = Tables()
        self.code = CodeTable(self.tables)
        self.features = game.id_map()
        self.resources = NameTable("resource", game.resource_names)
        self.tags = NameTable("tag", self.features.tag_names())
        self.vibes = NameTable("vibe", [vibe.name for vibe in game.actions.change_vibe.vibes])
        self.templates = NameTable("object", [item.map_name for item in game.objects.values()])
        self.game_stats = NameTable("game stat", list(GAME_STATS.values()))
        self.agent_stats = NameTable("agent stat", agent_stat_names(game.resource_names))
        self.dynamic_tags: set[int] = set()
        self.spawned: set[str] = set()
        self.in_edge_filter = False
        self.in_agent_value = False
        """whether actor and target are an agent whose value is read while nothing changes"""
        self.cache_slots: dict[int, int] = {}
        """cache slot of a query's result, by entry, see `sharing.py`"""
        self.values: dict[int, int] = {}
        """row of `values` by entry, see `sharing.py`"""
        self.scores: dict[tuple[int, int], int] = {}
        """place of the scores of a claim in `lists`, by strength and decay, see `scores.py`"""
        self.materialized: dict[int, int] = {}
        """entry of the query of each tag that is materialized"""
        self._path: list[str] = []
        self._nesting: list[str] = []

    # Path

    @property
    def path(self) -> str:
        return "".join(self._path).removeprefix(".")

    def at(self, *parts: str | int) -> _Pushed:
        """Enter a part of the config: names and list positions relative to the current path."""
        return _Pushed(self._path, [f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts])

    def nested(self, name: str) -> _Pushed:
        """Enter one level of nested rules."""
        if len(self._nesting) >= MAX_NESTING:
            named = " > ".join(name for name in [*self._nesting, name] if name)
            self.error(f"rules are nested more than {MAX_NESTING} deep: {named}")
        return _Pushed(self._nesting, [name])

    # Errors

    def error(self, message: str) -> NoReturn:
        raise CompileError(self.path, message)

    def warn(self, message: str) -> None:
        """Report something without effect: a warning, or an error in strict mode."""
        if self.strict:
            self.error(message)
        warnings.warn(f"{self.path}: {message}", ConfigWarning, stacklevel=2)

    def number(self, value: int, *where: str | int, low: int = -INT32_MAX, high: int = INT32_MAX) -> int:
        """Return an integer of the config; raise an error outside low..high. `where` is its path from here."""
        if not low <= value <= high:
            with self.at(*where):
                self.error(f"{value} is outside {low}..{high}")
        return value

    # Names

    def require(self, table: NameTable, name: str) -> int:
        number = table.get(name)
        if number is None:
            raise UnknownName(self.path, table.kind, name, table.names)
        return number

    def resource(self, name: str) -> int:
        return self.require(self.resources, name)

    def tag(self, name: str) -> int:
        return self.require(self.tags, name)

    def changing_tag(self, name: str) -> int:
        """Return the id of a tag that rules add to objects while the game runs."""
        tag = self.tag(name)
        self.dynamic_tags.add(tag)
        return tag

    def tags_with_prefix(self, prefix: str) -> list[int]:
        """Return the ascending ids of all tags that start with `prefix`."""
        return [i for i, name in enumerate(self.tags.names) if name.startswith(prefix)]

    def tag_mask(self, prefix: str) -> int:
        tags = self.tags_with_prefix(prefix)
        if not tags:
            raise UnknownName(self.path, "tag with the prefix", prefix, self.tags.names)
        return self.tables.add_mask(tags)

    # Code

    def place(self, routine: Routine, name: str) -> int:
        return self.code.place(routine, name or self.path)
