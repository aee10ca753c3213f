"""The game under construction: its names, its random generator, and what the rules may refer to."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field, replace
from typing import Any

Json = dict[str, Any]

RESOURCES = "ore coin food hp gear key gem oil cloth salt clay iron".split()
TYPES = "chest vine rock box hub relay pool lamp tower fort crate lever mill bomb spark gate".split()
MARKS = ["mark:a", "mark:b", "mark:c", "state:on", "state:off"]
VIBES = ["default", "alpha", "beta", "gamma", "delta"]
DEFAULT_VIBES = ["default", "junction", "carbon_a", "heart_a", "gear"]  # five of the default list of 152
TEAM_NAMES = ["red", "blue", "green", "yellow", "purple", "orange"]
GAME_STATS = ["clock", "score", "zone", "tally.x", "event.b"]
AGENT_STATS = ["luck", "skill", "hits.taken"]
DIRECTIONS = ["north", "south", "west", "east", "northeast", "northwest", "southeast", "southwest"]
CARDINALS = DIRECTIONS[:4]
STAT_CEILING = 50_000  # rules that feed a stat back into itself stop growing here


@dataclass(frozen=True)
class Scope:
    """What a rule may refer to at the place where it stands.

    `actor` and `target` are one of: "agent", "object", "any" (certainly there), "maybe" (there or not), "cell" (the
    stand-in that carries the owner's tag in territory handlers), None (never there). The published engine dereferences
    a missing entity in five mutations (see `mutations.py`), so the difference between "any" and "maybe" matters.
    """

    place: str  # move, use, after_use, tick, game_tick, tag_remove, aoe, territory, event, query, value
    actor: str | None
    target: str | None
    depth: int = 2  # how deep filters, queries and values may still nest
    rank: int = 0  # tag_remove handlers may only remove tags of a higher rank, so that they end

    def deeper(self, **changes: Any) -> Scope:
        return replace(self, depth=self.depth - 1, **changes)

    def exists(self, entity: str) -> bool:
        return getattr(self, entity) in ("agent", "object", "any", "cell")

    @property
    def checks_failure(self) -> bool:
        """Return whether a failed mutation ends the handler; area effects, territories and events continue."""
        return self.place not in ("aoe", "territory", "event")


@dataclass
class World:
    rng: random.Random
    resources: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)  # object types; each one is also the tag "type:<name>"
    leaf_types: list[str] = field(default_factory=list)  # their on_use_handler never uses anything else
    agent_type: str = "agent"
    teams: list[int] = field(default_factory=list)
    vibes: list[str] = field(default_factory=list)
    limit_groups: list[str] = field(default_factory=list)
    territories: list[str] = field(default_factory=list)
    materialized: list[Json] = field(default_factory=list)  # entries of game.materialize_queries
    presence_sign: int = 1  # of all presence_deltas, see areas.py
    presence_item: str = ""
    objects: dict[str, Json] = field(default_factory=dict)
    agents: list[Json] = field(default_factory=list)
    game: Json = field(default_factory=dict)
    focus: dict[str, dict[str, float]] = field(default_factory=dict)  # rule group -> kind -> factor
    hints: Json = field(default_factory=dict)  # what a family asks of the map and the window

    # Dice.

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Any) -> Any:
        return self.rng.choice(list(items))

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def some(self, items: Any, low: int, high: int) -> list[Any]:
        """Between low and high different items, in random order."""
        items = list(items)
        return self.rng.sample(items, min(len(items), self.number(low, high)))

    def factor(self, group: str, kind: str) -> float:
        """Return the factor by which the family prefers this."""
        return self.focus.get(group, {}).get(kind, 1.0)

    def kind(self, group: str, weights: dict[str, float]) -> str:
        """Choose one kind of rule by weight; the family's focus multiplies weights."""
        names = list(weights)
        return self.rng.choices(names, [weights[name] * self.factor(group, name) for name in names])[0]

    # Names.

    @property
    def agent_tag(self) -> str:
        return "type:" + self.agent_type

    @property
    def team_tags(self) -> list[str]:
        return [team_tag(team) for team in sorted(set(self.teams))]

    def tag(self) -> str:
        """Any tag the game knows, often one that changes in play."""
        groups = [MARKS, MARKS, ["type:" + name for name in self.types], [self.agent_tag], self.team_tags]
        if self.materialized:
            groups.append([entry["tag"] for entry in self.materialized])
        return self.pick(self.pick(groups))

    def loose_tag(self) -> str:
        """Return a tag that rules may add and remove: never a type."""
        return self.pick(MARKS * 2 + self.team_tags)

    def prefix(self) -> str:
        return self.pick(["mark:", "state:", "team:", "team:", "type:"])

    def items(self, max_items: int = 2) -> list[str]:
        """Return a few resources; in games with many, often those that widen limits."""
        keys = self.hints.get("keys")
        return self.some(keys if keys and self.chance(0.5) else self.resources, 1, max_items)

    def amounts(self, low: int, high: int, max_items: int = 2) -> dict[str, int]:
        """Return a few resources with random amounts."""
        return {name: self.number(low, high) for name in self.items(max_items)}


def duplicate(rule: Json) -> Json:
    """Return a copy of its own: rules that start alike may be changed later."""
    return copy.deepcopy(rule)


def team_name(team: int) -> str:
    return TEAM_NAMES[team] if team < len(TEAM_NAMES) else f"far{team}"


def team_tag(team: int) -> str:
    return "team:" + team_name(team)
