"""The description of a replay's game: names, kinds of objects, the config as text. Cached for many episodes."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import TYPE_CHECKING, Any

from mettagrid.config.filter import SharedTagPrefixFilter
from mettagrid.config.game_value import PUBLISHED_CONTEXT, QueryInventoryValue
from mettagrid.config.mettagrid_config import GameConfig
from mettagrid.config.query import Query
from mettagrid.replay._model import Kind, Limit

if TYPE_CHECKING:
    from mettagrid.compiler import Program
    from mettagrid.config.game_value import AnyGameValue
    from mettagrid.config.mettagrid_config import InventoryConfig, MettaGridConfig

_MAX_CACHED = 16
_MAP = "\x00the map goes here\x00"

# Programs are looked up by the content of their config, without these parts.
_NOT_IN_PROGRAM = {"map_builder", "render", "params"}
_IN_PROGRAM = set(GameConfig.model_fields) - _NOT_IN_PROGRAM

LimitGroups = Callable[[int], list[list[int]]]
"""template -> [[resources that share a limit]]"""


class GameFacts:
    """Fields of a `Replay` that depend only on the config without its map."""

    def __init__(self, config: MettaGridConfig, program: Program, limit_groups: LimitGroups) -> None:
        from mettagrid.policy.policy_env_interface import PolicyEnvInterface

        game = config.game
        self.program = program
        self.fields: dict[str, Any] = {
            "num_agents": program.num_agents,
            "max_steps": game.max_steps,
            "engine": f"mettagrid {_package_version()}",
            "action_names": list(program.action_names),
            "resource_names": list(program.resource_names),
            "type_names": list(program.type_names),
            "tag_names": list(program.tag_names),
            "vibe_names": list(game.vibe_names),
            "stat_names": list(program.game_stat_names),
            "territory_names": list(game.territories),
            "capacities": _capacities(game),
            "cell_count": program.cell_count,
            "observed_values": [list(game.obs.global_obs.obs)[place] for place in values_to_record(game)],
            "corrections": sorted(program.corrections),
            "kinds": _kinds(game, program, limit_groups),
            "policy_env_interface": PolicyEnvInterface.from_mg_cfg(config).model_dump(mode="json"),
        }
        document = config.to_published()
        document["game"]["map_builder"] = _MAP
        before, _, after = json.dumps(document, separators=(",", ":")).partition(json.dumps(_MAP))
        self._before, self._after = before.encode(), after.encode()

    def config_parts(self, config: MettaGridConfig) -> tuple[bytes, bytes, bytes]:
        """Return `config.to_published()` as JSON: the text before the map builder, the map builder, and the rest."""
        dump = config.game.model_dump(mode="json", include={"map_builder"}, context=PUBLISHED_CONTEXT)
        return self._before, json.dumps(dump["map_builder"], separators=(",", ":")).encode(), self._after


# Keyed by the id of the program and the rest of the config. Facts hold their program, so its id stays valid.
_cached: OrderedDict[tuple[int, str], GameFacts] = OrderedDict()
_lock = Lock()


def game_facts(config: MettaGridConfig, program: Program, limit_groups: LimitGroups) -> GameFacts:
    """Return the cached facts of a config and the program compiled from it.

    Computing them takes as long as a short episode.
    """
    key = id(program), config.model_dump_json(exclude={"game": {*_IN_PROGRAM, "map_builder"}})
    with _lock:
        facts = _cached.get(key)
        if facts is not None:
            _cached.move_to_end(key)
            return facts
    facts = GameFacts(config, program, limit_groups)
    with _lock:
        _cached[key] = facts
        while len(_cached) > _MAX_CACHED:
            _cached.popitem(last=False)
    return facts


def values_to_record(game: GameConfig) -> list[int]:
    """Return the places of the observed global values that a viewer cannot work out from recorded objects."""
    return [place for place, value in enumerate(game.obs.global_obs.obs.values()) if not _is_sum_of_items(value)]


def _is_sum_of_items(value: AnyGameValue) -> bool:
    """Return whether a value is the sum of an item over objects with a tag that share a team with the agent."""
    return (
        isinstance(value, QueryInventoryValue)
        and type(value.query) is Query
        and isinstance(value.query.source, str)
        and value.query.max_items is None
        and all(isinstance(item, SharedTagPrefixFilter) for item in value.query.filters)
    )


def _kinds(game: GameConfig, program: Program, limit_groups: LimitGroups) -> list[Kind]:
    inventories = [item.inventory for item in game.objects.values()]
    inventories += [agent.inventory for agent in game.agents or [game.agent] * game.num_agents]
    kinds = []
    for number, (cell, inventory) in enumerate(zip(program.template_cells, inventories, strict=True)):
        names = _limit_names(game, inventory)
        groups = limit_groups(number)
        kinds.append(
            Kind(
                type_name=program.template_types[number],
                cell=cell,
                is_agent=number in program.group_ids,
                group_id=program.group_ids.get(number, 0),
                group_name=program.group_names.get(number, ""),
                limits=tuple(Limit(group[0], names.get(group[0], ""), tuple(group)) for group in groups),
            )
        )
    return kinds


def _limit_names(game: GameConfig, inventory: InventoryConfig) -> dict[int, str]:
    """Return {resource: name of its limit group}; the last of several groups wins."""
    ids = {name: number for number, name in enumerate(game.resource_names)}
    return {
        ids[resource]: name
        for name, limit in inventory.limits.items()
        for resource in limit.resources
        if resource in ids
    }


def _capacities(game: GameConfig) -> list[Limit]:
    """Return the limit groups of the first agent by name; a resource in two of them belongs to the last."""
    limits = (game.agents[0] if game.agents else game.agent).inventory.limits
    ids = {name: number for number, name in enumerate(game.resource_names)}
    last = {ids[name]: group for group in sorted(limits) for name in limits[group].resources if name in ids}
    return [
        Limit(number, name, tuple(resource for resource in sorted(last) if last[resource] == name))
        for number, name in enumerate(sorted(limits))
    ]


@cache
def _package_version() -> str:
    try:
        return version("mettagrid")
    except PackageNotFoundError:
        return "unknown"
