"""Missions as they are typed after `-m` and `-S`, made into environments.

chosen = choose_missions(["arena", "planning_*"], cogs=4, map_seed=7)
for mission in chosen:
    print(mission.name, mission.env.game.num_agents)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cogames import missions
from cogames.cog_limits import fit_cogs
from cogames.mission_files import is_mission_file
from mettagrid.cogame.core import CoGameMission
from mettagrid.cogame.errors import MissionError, UnknownMission
from mettagrid.cogame.game import get_game
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig

__all__ = [
    "ChosenMission",
    "MissionRow",
    "choose_mission",
    "choose_missions",
    "full_name",
    "mission_rows",
    "older_name",
]

SET_COGS = 4
"""cogs of the missions of a set, where they can have as many"""


@dataclass(frozen=True)
class ChosenMission:
    """A mission to be played. `name` is the path of a file as it was typed, else the mission with its variants."""

    name: str
    env: MettaGridConfig = field(repr=False)


@dataclass(frozen=True)
class MissionRow:
    """A line in a list of missions; `cogs` is `min-max`."""

    name: str
    cogs: str
    map_size: str
    description: str
    sub_missions: tuple[str, ...] = ()


def choose_mission(
    name: str,
    *,
    variants: Sequence[str] = (),
    cogs: int | None = None,
    default_cogs: int | None = None,
    map_seed: int | None = None,
    max_steps: int | None = None,
    game: str = missions.DEFAULT_GAME,
) -> ChosenMission:
    """One mission, by its name or by a pattern that only it matches.

    Without `cogs` it has `default_cogs`, or as near to that as it allows. `map_seed` counts for procedural maps only;
    the variants and the number of cogs do not count for a file.
    """
    name = _only_match(name, game)
    if cogs is None and default_cogs is not None and not is_mission_file(name):
        cogs = fit_cogs(missions.get_mission(name, game=game), default_cogs)
    env = missions.load(name, variants, cogs, map_seed, game=game)
    if max_steps is not None:
        env.game.max_steps = max_steps
    return ChosenMission(name if is_mission_file(name) else full_name(name, game=game), env)


def choose_missions(
    names: Sequence[str],
    *,
    mission_set: str | None = None,
    variants: Sequence[str] = (),
    cogs: int | None = None,
    map_seed: int | None = None,
    max_steps: int | None = None,
    game: str = missions.DEFAULT_GAME,
) -> list[ChosenMission]:
    """All missions that the names, which may have `*`, or the name of a set stand for; each once, in order.

    Missions of a set have 4 cogs unless `cogs` says otherwise, or as near to that as they allow.
    """
    if names and mission_set is not None:
        raise MissionError("Give missions or a mission set, not both.")
    chosen: dict[str, ChosenMission] = {}
    for name in names if mission_set is None else missions.mission_set(mission_set, game=game):
        for found in _match(name, names, game):
            known = found if is_mission_file(found) else full_name(found, game=game)
            if known not in chosen:
                chosen[known] = choose_mission(
                    found,
                    variants=variants,
                    cogs=cogs,
                    default_cogs=None if mission_set is None else SET_COGS,
                    map_seed=map_seed,
                    max_steps=max_steps,
                    game=game,
                )
    return list(chosen.values())


def full_name(name: str, *, game: str = missions.DEFAULT_GAME) -> str:
    """The mission that a name means, with the variants it brings: `evals.energy_starved` is `energy_starved`."""
    mission = missions.get_mission(name, game=game)
    own = missions.get_mission(mission.name, game=game).variants()
    return ".".join(
        [mission.name, *(variant.name for variant in mission.variants().all() if not own.has(variant.name))]
    )


def older_name(name: str, *, game: str = missions.DEFAULT_GAME) -> bool:
    """Whether a name is one from older documents."""
    aliases = get_game(game).aliases
    parts = name.replace(":", ".").split(".")
    return any(".".join(parts[:length]) in aliases for length in range(1, len(parts) + 1)) or parts[0] == "hello_world"


def mission_rows(*, evals: bool = False, game: str = missions.DEFAULT_GAME) -> Iterator[MissionRow]:
    """What a game offers: its missions, or those for evaluation with the members of mission sets."""
    found = get_game(game)
    core = {mission.name for mission in found.missions}
    for mission in found.all_missions():
        if (mission.name in core) != evals:
            yield MissionRow(
                mission.name,
                _cogs(mission),
                _map_size(mission.map_builder),
                mission.description,
                tuple(mission.sub_missions),
            )


def _only_match(name: str, game: str) -> str:
    """The one mission that a pattern stands for; a name is returned as it is."""
    if "*" not in name:
        return name
    found = list(dict.fromkeys(full_name(match, game=game) for match in missions.match(name, game=game)))
    if len(found) > 1:
        shown = ", ".join(found[:8]) + (", ..." if len(found) > 8 else "")
        raise MissionError(f"The pattern {name!r} stands for {len(found)} missions; choose one: {shown}.")
    return found[0]


def _match(name: str, names: Sequence[str], game: str) -> list[str]:
    try:
        return missions.match(name, game=game)
    except UnknownMission as error:
        advice = str(error).partition("not found.")[2]
        raise MissionError(f"No missions found for {list(names)}.{advice}") from None


def _cogs(mission: CoGameMission) -> str:
    most = mission.max_cogs if mission.max_cogs < 1000 else mission.num_cogs or mission.max_cogs
    return f"{mission.min_cogs}-{most}"


def _map_size(builder: AnyMapBuilderConfig) -> str:
    width, height = getattr(builder, "width", None), getattr(builder, "height", None)
    return f"{width}x{height}" if width and height else "drawn"
