"""The games of friendly matches: those of the public seasons, and missions that the operator lists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import games
from observatory.database.tables.seasons import EnvConfig, Season
from observatory.errors import BadRequest, Unprocessable
from observatory.seasons import repository as seasons
from observatory.seasons.creation import get_or_create_env_config
from observatory.settings import Settings

__all__ = ["Mission", "choose_mission", "list_missions"]

DEFAULT_AGENTS = 4
SEASON, LISTED = "season", "mission"


@dataclass(frozen=True)
class Mission:
    """A game that two policies can play; `key` is `season:NAME` or `mission:NAME`."""

    key: str
    title: str
    season: str | None = None
    agents: int | None = None


def list_missions(session: Session, settings: Settings) -> list[Mission]:
    """Return the games to choose from: those of seasons first."""
    shown = [
        Mission(f"{SEASON}:{season.name}", season.display_name, season.name)
        for season in seasons.seasons(session, None)
        if _config_id(season) is not None
    ]
    return [*shown, *(Mission(f"{LISTED}:{name}", name, agents=agents) for name, agents in _listed(settings))]


def choose_mission(session: Session, key: str, settings: Settings, *, now: datetime) -> tuple[Mission, EnvConfig]:
    """Return a game by its key with its environment; `BadRequest` for one that is not offered."""
    mission = next((mission for mission in list_missions(session, settings) if mission.key == key), None)
    if mission is None:
        raise BadRequest(f"{key!r} is not a game for friendly matches; choose one of the list")
    if mission.season is not None:
        config_id = _config_id(seasons.season(session, mission.season, None))
        config = session.scalars(select(EnvConfig).where(EnvConfig.id == config_id)).one()
    else:
        config = get_or_create_env_config(session, "mettagrid", _environment(mission), now=now)
    if _agents(config.config) < 2:
        raise BadRequest(f"{mission.title} has one agent, so two policies cannot play it together")
    return mission, config


def _environment(mission: Mission) -> dict[str, Any]:
    try:
        return games.season_game("mettagrid").env_config(
            mission.title, variants=(), num_agents=mission.agents or DEFAULT_AGENTS, max_steps=None
        )
    except ValueError as problem:
        raise Unprocessable(f"The operator lists a mission that cannot be played: {problem}") from None


def _config_id(season: Season) -> Any:
    """Return the environment of a season's deciding pool, else of its first pool with matches."""
    return next((pool.config_id for pool in reversed(season.pools) if pool.config_id is not None), None)


def _agents(config: dict[str, Any]) -> int:
    return int(config.get("game", {}).get("num_agents", 0))


def _listed(settings: Settings) -> list[tuple[str, int]]:
    pairs = []
    for text in settings.friendly_missions:
        name, _, agents = text.partition(":")
        pairs.append((name, int(agents) if agents.isdigit() else DEFAULT_AGENTS))
    return pairs
