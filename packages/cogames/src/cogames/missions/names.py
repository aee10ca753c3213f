"""Resolve names of a game's missions: find missions, match patterns, and suggest names for unknown ones."""

import difflib
import re
from collections.abc import Callable, Iterator
from functools import cached_property

from mettagrid.cogame.core import CoGameMission
from mettagrid.cogame.errors import UnknownMission, UnknownVariant
from mettagrid.cogame.game import CoGame

__all__ = ["MissionNames"]

_EVALS = "evals"
_OLD_SITES = ("hello_world",)  # older documents put these before names of evaluation missions
_NEAREST = 3


class MissionNames:
    """All mission names of one game.

    A game may create most of its missions and variants on first use, so the main missions are looked up first.
    """

    def __init__(self, game: CoGame) -> None:
        self.game = game
        self._core = {mission.name: mission for mission in game.missions}

    @cached_property
    def missions(self) -> dict[str, CoGameMission]:
        return {mission.name: mission for mission in self.game.all_missions()}

    def known(self) -> list[str]:
        subs = [f"{mission.name}.{sub}" for mission in self.missions.values() for sub in mission.sub_missions]
        evals = [f"{_EVALS}.{mission.name}" for mission in self.game.eval_missions]
        return [*self.missions, *subs, *self.game.aliases, *evals]

    def unknown(self, name: str) -> UnknownMission:
        """Return the error for an unknown name or pattern; it suggests a mission set or the closest current names."""
        if self._members(name):
            option = f"`-S {name}` or " if name in self.game.mission_sets else ""
            return UnknownMission(name, note=f"It is a set: {option}`-m '{name}.*'` plays its missions.")
        near = " or ".join(map(repr, self._nearest(name)))
        if near:
            return UnknownMission(name, note=f"Did you mean {near}?")
        return UnknownMission(name, note=f"Missions: {', '.join(self._core)}. Run `cogames missions --evals` for more.")

    def _nearest(self, name: str) -> list[str]:
        """Return up to three names close to an unknown one, best first; never an older spelling."""
        text = name.replace(":", ".").replace("*", "").strip(".").lower()
        if not text:
            return []
        base, _, variant = text.rpartition(".")
        if base and variant in {item.name for item in self.game.variants}:
            return [f"{item}.{variant}" for item in self._nearest(base)]
        known = self.known()
        close = difflib.get_close_matches(text, known, n=2 * _NEAREST, cutoff=0.6)
        close = close or [item for item in known if text in item or item in text]
        close = close or difflib.get_close_matches(text, known, n=2 * _NEAREST, cutoff=0.45)
        return list(dict.fromkeys(self.game.aliases.get(item, item) for item in close))[:_NEAREST]

    def find(self, name: str) -> CoGameMission:
        text = name.replace(":", ".")
        plain = self._plain(text)
        if plain is not None:
            return plain
        base, dot, variant = text.rpartition(".")
        if not dot or self._base(base) is None:
            raise self.unknown(name)
        mission = self.find(base)
        try:
            return mission.with_variants([variant])
        except UnknownVariant:
            options = [*mission.sub_missions, *(variant.name for variant in self.game.variants)]
            raise UnknownMission(name, [f"{base}.{option}" for option in options]) from None

    def _base(self, text: str) -> CoGameMission | None:
        """Return the mission at the start of a dotted name."""
        while text:
            mission = self._plain(text)
            if mission is not None:
                return mission
            text = text.rpartition(".")[0]
        return None

    def _plain(self, text: str) -> CoGameMission | None:
        """Return a mission by its name, as a member of a set, or by an alias."""
        if text in self._core:
            return self._core[text]
        if text in self.missions:
            return self.missions[text]
        prefix, _, rest = text.partition(".")
        members = self._members(prefix)
        if rest in members:
            return self.missions[rest]
        if text in self.game.aliases:
            return self.missions[self.game.aliases[text]]
        return None

    def _members(self, prefix: str) -> set[str]:
        if prefix == _EVALS or prefix in _OLD_SITES:
            return {name for name in self.missions if name not in self._core}
        return {mission.name for mission in self.game.mission_sets.get(prefix, ())}

    def matching(self, pattern: str) -> list[str]:
        """Return matching names: missions, else sub-missions, else members of sets, else aliases, else with variants.

        Only the first kind with a match counts, so `arena*` does not match the arena with every variant.
        """
        is_match = _matcher(pattern)
        for kind in (self._mission_names, self._sub_names, self._set_names, self._aliases, self._variant_names):
            names = [name for name in dict.fromkeys(kind()) if is_match(name)]
            if names:
                return names
        return []

    def _mission_names(self) -> Iterator[str]:
        for mission in (*self.game.missions, *self.game.eval_missions):
            yield mission.name

    def _sub_names(self) -> Iterator[str]:
        for mission in self.game.missions:
            for sub in mission.sub_missions:
                yield f"{mission.name}.{sub}"

    def _set_names(self) -> Iterator[str]:
        yield from self.missions
        for mission in self.game.eval_missions:
            yield f"{_EVALS}.{mission.name}"
        for name, members in self.game.mission_sets.items():
            for mission in members:
                yield f"{name}.{mission.name}"

    def _aliases(self) -> Iterator[str]:
        yield from self.game.aliases

    def _variant_names(self) -> Iterator[str]:
        for mission in self.game.missions:
            for variant in self.game.variants:
                if variant.compat(mission):
                    yield f"{mission.name}.{variant.name}"


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return an unanchored matcher: `*` matches anything, other text is literal. `arena.*` also matches `arena`."""
    text = pattern.replace(":", ".")
    expression = re.compile(".*".join(map(re.escape, text.split("*"))))
    itself = text.removesuffix(".*") if text.endswith(".*") else None
    return lambda name: name == itself or expression.search(name) is not None
