"""Making seasons from presets."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database import new_id
from observatory.errors import Unprocessable
from observatory.seasons import stages
from observatory.seasons.config import Game, SeasonPreset, TeamConfig
from observatory.seasons.tables import EnvConfig, Pool, Season, TournamentType

__all__ = ["PRESETS", "create_season", "env_config_of_game", "read_preset"]

PRESETS = Path(__file__).parent / "presets"

QUALIFYING, COMPETITION = "qualifying", "competition"


def read_preset(path: Path) -> SeasonPreset:
    """A season as a YAML file describes it; `Unprocessable` with the first thing that is wrong."""
    try:
        return SeasonPreset.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise Unprocessable(f"{path.name} describes no season: {place}: {problem['msg']}") from None
    except yaml.YAMLError as error:
        raise Unprocessable(f"{path.name} is no YAML file: {error}") from None


def env_config_of_game(game: Game) -> dict[str, Any]:
    """The environment of a preset's game."""
    from cogames.missions import load

    env = load(game.mission, variants=game.variants, cogs=game.num_agents)
    if game.max_steps is not None:
        env.game.max_steps = game.max_steps
    return env.model_dump(mode="json")


def create_season(session: Session, preset: SeasonPreset, env: Mapping[str, Any], *, now: datetime) -> Season:
    """The first or the next version of a season, with fresh pools; it becomes the canonical one.

    Freeplay seasons play from the start, team seasons wait for it. A default takes the place of the one before it.
    """
    last = session.scalar(select(func.max(Season.version)).where(Season.name == preset.name)) or 0
    _step_down(session, preset)
    is_team = preset.tournament_type is TournamentType.TEAM
    pools = _pools(preset)
    season = Season(
        id=new_id(),
        name=preset.name,
        version=last + 1,
        canonical=True,
        display_name=preset.display_name,
        summary=preset.summary,
        game_description=preset.game_description,
        tournament_type=preset.tournament_type,
        compat_version=preset.compat_version,
        public=preset.public,
        is_default=preset.is_default,
        auto_roll_hour_utc=preset.auto_roll_hour_utc,
        entry_pool=pools[0][0],
        leaderboard_pool=pools[-1][0],
        config=preset.stored(),
        seed=secrets.randbits(62),
        created_at=now,
        started_at=None if is_team else now,
    )
    session.add(season)
    session.flush()
    config = find_or_make_env_config(session, preset.play.game.game_engine, env, now=now)
    for position, (name, description, plays) in enumerate(pools):
        season.pools.append(
            Pool(
                id=new_id(),
                name=name,
                position=position,
                description=description,
                config_id=config.id if plays else None,
            )
        )
    session.flush()
    return season


def find_or_make_env_config(session: Session, game_engine: str, env: Mapping[str, Any], *, now: datetime) -> EnvConfig:
    """The row of a config; equal ones share it."""
    digest = hashlib.sha256(json.dumps([game_engine, env], sort_keys=True).encode()).hexdigest()
    found = session.scalar(select(EnvConfig).where(EnvConfig.digest == digest))
    if found is None:
        found = EnvConfig(id=new_id(), game_engine=game_engine, config=dict(env), digest=digest, created_at=now)
        session.add(found)
        session.flush()
    return found


def _step_down(session: Session, preset: SeasonPreset) -> None:
    for older in session.scalars(select(Season).where(Season.name == preset.name, Season.canonical)):
        older.canonical = older.is_default = False
    if preset.is_default:
        same_type = (Season.tournament_type == preset.tournament_type, Season.is_default)
        for other in session.scalars(select(Season).where(*same_type)):
            other.is_default = False
    session.flush()


def _pools(preset: SeasonPreset) -> list[tuple[str, str, bool]]:
    """(name, description, whether matches are played in it), the entry first and the one of the table last."""
    if not isinstance(preset.play, TeamConfig):
        return [
            (QUALIFYING, "Every policy plays alone; those that are good enough go on", True),
            (COMPETITION, "Every two policies play together, with every split of the seats", True),
        ]
    planned = stages.plan_stages(preset.play)
    plays = {"policy_eval", "team_eval"}
    rows = [(stage.input_pool, stage.stage.display_name, stage.stage.kind in plays) for stage in planned]
    return [*rows, (planned[-1].output_pool, "Final placements of the policies", False)]
