"""Turn the values of `-m` and `-S` into environments.

chosen = choose_missions(["arena", "planning_*"], cogs=4, map_seed=7)
for mission in chosen:
    print(mission.name, mission.env.game.num_agents)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cogames.missions import catalog
from cogames.missions.cog_limits import fit_cogs
from cogames.missions.files import is_mission_file
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
"""default number of cogs for missions of a set"""


@dataclass(frozen=True)
class ChosenMission:
    """A mission to play. `name` is the path of a file as given, or the mission's name with its variants."""

    name: str
    env: MettaGridConfig = field(repr=False)
    description: str = ""
    """what it is about, in a sentence; files have none"""


@dataclass(frozen=True)
class MissionRow:
    """A row in a list of missions; `cogs` is `min-max`."""

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
    game: str = catalog.DEFAULT_GAME,
) -> ChosenMission:
    """Return one mission by its name, or by a pattern that matches only that mission.

    Without `cogs` it gets `default_cogs`, or the nearest number that it allows. `map_seed` applies only to procedural
    maps; `variants` and `cogs` do not apply to files.
    """
    name = _only_match(name, game)
    if cogs is None and default_cogs is not None and not is_mission_file(name):
        cogs = fit_cogs(catalog.get_mission(name, game=game), default_cogs)
    env = catalog.load(name, variants, cogs, map_seed, game=game)
    if max_steps is not None:
        env.game.max_steps = max_steps
    if is_mission_file(name):
        return ChosenMission(name, env)
    return ChosenMission(full_name(name, game=game), env, catalog.get_mission(name, game=game).description)


def choose_missions(
    names: Sequence[str],
    *,
    mission_set: str | None = None,
    variants: Sequence[str] = (),
    cogs: int | None = None,
    map_seed: int | None = None,
    max_steps: int | None = None,
    game: str = catalog.DEFAULT_GAME,
) -> list[ChosenMission]:
    """Return all missions that match the names (which may contain `*`), or the missions of a set; each once, in order.

    Missions of a set get 4 cogs, or the nearest number that they allow, unless `cogs` is given.
    """
    if names and mission_set is not None:
        raise MissionError("Pass missions or a mission set, not both.")
    chosen: dict[str, ChosenMission] = {}
    for name in names if mission_set is None else catalog.mission_set(mission_set, game=game):
        for matched in _match(name, names, game):
            key = matched if is_mission_file(matched) else full_name(matched, game=game)
            if key not in chosen:
                chosen[key] = choose_mission(
                    matched,
                    variants=variants,
                    cogs=cogs,
                    default_cogs=None if mission_set is None else SET_COGS,
                    map_seed=map_seed,
                    max_steps=max_steps,
                    game=game,
                )
    return list(chosen.values())


def full_name(name: str, *, game: str = catalog.DEFAULT_GAME) -> str:
    """Return the canonical name of a mission with its variants: `energy_starved` for `evals.energy_starved`."""
    mission = catalog.get_mission(name, game=game)
    own = catalog.get_mission(mission.name, game=game).variants()
    return ".".join(
        [mission.name, *(variant.name for variant in mission.variants().all() if not own.has(variant.name))]
    )


def older_name(name: str, *, game: str = catalog.DEFAULT_GAME) -> bool:
    """Return whether a name comes from older documents."""
    aliases = get_game(game).aliases
    parts = name.replace(":", ".").split(".")
    return any(".".join(parts[:length]) in aliases for length in range(1, len(parts) + 1)) or parts[0] == "hello_world"


def mission_rows(*, evals: bool = False, game: str = catalog.DEFAULT_GAME) -> Iterator[MissionRow]:
    """Yield a game's main missions; with `evals`, its evaluation missions and the members of mission sets."""
    cogame = get_game(game)
    core = {mission.name for mission in cogame.missions}
    for mission in cogame.all_missions():
        if (mission.name in core) != evals:
            yield MissionRow(
                mission.name,
                _cogs(mission),
                _map_size(mission.map_builder),
                mission.description,
                tuple(mission.sub_missions),
            )


def _only_match(name: str, game: str) -> str:
    """Return the only mission that a pattern matches; a name without `*` is returned unchanged."""
    if "*" not in name:
        return name
    matches = list(dict.fromkeys(full_name(match, game=game) for match in catalog.match(name, game=game)))
    if len(matches) > 1:
        examples = ", ".join(matches[:8]) + (", ..." if len(matches) > 8 else "")
        raise MissionError(f"The pattern {name!r} matches {len(matches)} missions; choose one: {examples}.")
    return matches[0]


def _match(name: str, names: Sequence[str], game: str) -> list[str]:
    try:
        return catalog.match(name, game=game)
    except UnknownMission as error:
        advice = str(error).partition("not found.")[2]
        raise MissionError(f"No missions found for {list(names)}.{advice}") from None


def _cogs(mission: CoGameMission) -> str:
    max_cogs = mission.max_cogs if mission.max_cogs < 1000 else mission.num_cogs or mission.max_cogs
    return f"{mission.min_cogs}-{max_cogs}"


def _map_size(builder: AnyMapBuilderConfig) -> str:
    width, height = getattr(builder, "width", None), getattr(builder, "height", None)
    return f"{width}x{height}" if width and height else "drawn"
