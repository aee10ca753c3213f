"""Create, roll and end seasons."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.database import new_id
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import EnvConfig, Pool, PoolPlayer, Season, TournamentType
from observatory.events import Change, ChangeKind
from observatory.job_states import CANCELLED, JobStatus
from observatory.jobs import service as jobs
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.shares import season_group, set_group
from observatory.seasons import stages
from observatory.seasons.config import SeasonPreset, TeamConfig
from observatory.seasons.memberships import add_member
from observatory.seasons.sources import preset_of, preset_text

__all__ = ["cancel_waiting", "create_season", "end_season", "open_draft", "rewrite_draft", "roll_season"]

QUALIFYING, COMPETITION = "qualifying", "competition"
SEED_BITS = 63


def create_season(
    session: Session,
    preset: SeasonPreset,
    env: Mapping[str, Any],
    *,
    now: datetime,
    source: str | None = None,
    draft: bool = False,
) -> Season:
    """Create the first or next version of a season, with new pools and a new seed; it becomes the canonical one.

    Freeplay seasons play from the start, team seasons wait for it unless their rolling says otherwise. The previous
    version ends. A new default replaces the previous default. `source` is the original YAML text. A draft waits for
    `open_draft`: only administrators see it, and it takes no policies.
    """
    config = get_or_create_env_config(session, preset.play.game.game_engine, env, now=now)
    return _create(session, preset, config, now=now, source=source, draft=draft)


def open_draft(session: Session, season: Season, preset: SeasonPreset, *, now: datetime) -> None:
    """Show a draft to everyone and let it take policies. A season that needs no start begins to play."""
    season.opened_at, season.disabled_at = now, None
    season.started_at = None if _waits_for_start(preset) else now
    session.flush()
    if preset.is_default:
        make_default(session, season)
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))


def rewrite_draft(
    session: Session, season: Season, preset: SeasonPreset, env: Mapping[str, Any], *, source: str, now: datetime
) -> None:
    """Replace all settings of a draft; nothing has been played, so that even its rules change in place."""
    config = get_or_create_env_config(session, preset.play.game.game_engine, env, now=now)
    for pool in list(season.pools):
        session.delete(pool)
    season.pools.clear()
    session.flush()
    for name, value in _columns(preset).items():
        setattr(season, name, value)
    season.source = source
    _add_pools(session, season, preset, config)
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))


def roll_season(session: Session, season: Season, *, now: datetime) -> Season:
    """Create the next version of a season with the same rules; the previous version ends.

    With `keep_entrants` the last version of each policy that was submitted to it is submitted to the new one.
    """
    config_id = next(pool.config_id for pool in season.pools if pool.config_id is not None)
    config = session.get_one(EnvConfig, config_id)
    return _create(session, preset_of(season), config, now=now, source=season.source)


def end_season(session: Session, season: Season, *, now: datetime) -> None:
    """End a season: cancel the matches that have not started, and make its seeds public."""
    if season.completed_at is None:
        season.completed_at = now
    session.flush()
    cancel_waiting(session, season, "Cancelled: the season ended before this match was played", now=now)
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))


def cancel_waiting(session: Session, season: Season, message: str, *, now: datetime) -> int:
    """Cancel the matches of a season that wait for a worker; return how many. Matches in play are not touched."""
    waiting = session.scalars(_waiting_jobs(season)).all()
    for job in waiting:
        error = ErrorInfo(error_type=CANCELLED, message=message)
        jobs.end(session, job, jobs.Ending(JobStatus.FAILED, error=error), now=now)
    return len(waiting)


def get_or_create_env_config(session: Session, game_engine: str, env: Mapping[str, Any], *, now: datetime) -> EnvConfig:
    """Return the row of a config, created if needed; equal configs share a row."""
    digest = hashlib.sha256(json.dumps([game_engine, env], sort_keys=True).encode()).hexdigest()
    config = session.scalar(select(EnvConfig).where(EnvConfig.digest == digest))
    if config is None:
        config = EnvConfig(id=new_id(), game_engine=game_engine, config=dict(env), digest=digest, created_at=now)
        session.add(config)
        session.flush()
        events.note(session, Change(ChangeKind.SEASON))
    return config


def make_default(session: Session, season: Season) -> None:
    """The season that is meant where none of its type is named; there is one of each."""
    same_type = (Season.tournament_type == season.tournament_type, Season.is_default, Season.id != season.id)
    for other in session.scalars(select(Season).where(*same_type)):
        other.is_default = False
    session.flush()
    season.is_default = True
    session.flush()


def _waits_for_start(preset: SeasonPreset) -> bool:
    return preset.tournament_type is TournamentType.team and not preset.play.rolling.start


def _columns(preset: SeasonPreset) -> dict[str, Any]:
    pools = _pools(preset)
    return {
        "name": preset.name,
        "display_name": preset.display_name,
        "summary": preset.summary,
        "game_description": preset.game_description,
        "tournament_type": preset.tournament_type,
        "compat_version": preset.compat_version,
        "public": preset.public,
        "auto_roll_hour_utc": preset.auto_roll_hour_utc,
        "entry_pool": pools[0][0],
        "leaderboard_pool": pools[-1][0],
        "config": preset.stored(),
    }


def _add_pools(session: Session, season: Season, preset: SeasonPreset, config: EnvConfig) -> None:
    for position, (name, description, plays) in enumerate(_pools(preset)):
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
    rolling = preset.play.rolling
    set_group(session, season_group(season.id), weight=rolling.queue_weight, worker_labels=rolling.worker_labels)


def _create(
    session: Session, preset: SeasonPreset, config: EnvConfig, *, now: datetime, source: str | None, draft: bool = False
) -> Season:
    last = session.scalar(select(func.max(Season.version)).where(Season.name == preset.name)) or 0
    older = session.scalar(select(Season).where(Season.name == preset.name, Season.canonical))
    if older is not None:
        end_season(session, older, now=now)
        older.canonical = older.is_default = False
        session.flush()
    season = Season(
        id=new_id(),
        version=last + 1,
        canonical=True,
        is_default=False,
        source=preset_text(preset) if source is None else source,
        seed=secrets.randbits(SEED_BITS),
        created_at=now,
        opened_at=None if draft else now,
        started_at=None if draft or _waits_for_start(preset) else now,
        disabled_at=now if draft else None,
        **_columns(preset),
    )
    session.add(season)
    session.flush()
    if preset.is_default and not draft:
        make_default(session, season)
    _add_pools(session, season, preset, config)
    if older is not None and preset.play.rolling.keep_entrants:
        _keep_entrants(session, older, season, now=now)
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))
    return season


def _keep_entrants(session: Session, older: Season, season: Season, *, now: datetime) -> None:
    entry = next(pool for pool in season.pools if pool.name == season.entry_pool)
    entered = (
        select(PolicyVersion)
        .join(PoolPlayer, PoolPlayer.policy_version_id == PolicyVersion.id)
        .join(Pool, PoolPlayer.pool_id == Pool.id)
        .where(Pool.season_id == older.id, Pool.name == older.entry_pool)
        .order_by(PoolPlayer.created_at, PoolPlayer.id)
    )
    newest: dict[object, PolicyVersion] = {}
    for version in session.scalars(entered):
        latest = newest.get(version.policy_id)
        newest[version.policy_id] = version if latest is None or latest.version < version.version else latest
    for version in newest.values():
        add_member(session, entry, version, now=now, notes=f"Submitted to version {older.version}")


def _waiting_jobs(season: Season) -> Any:
    from observatory.database.tables.matches import Match

    return (
        select(Job)
        .join(Match, Match.job_id == Job.id)
        .join(Pool, Match.pool_id == Pool.id)
        .where(Pool.season_id == season.id, Job.status == JobStatus.PENDING)
    )


def _pools(preset: SeasonPreset) -> list[tuple[str, str, bool]]:
    """Return (name, description, whether matches are played in it), the entry first and the one of the table last."""
    if not isinstance(preset.play, TeamConfig):
        return [
            (QUALIFYING, "Every policy plays alone; those with a high enough score advance", True),
            (COMPETITION, "Every two policies play together, with every split of the seats", True),
        ]
    planned = stages.plan_stages(preset.play)
    plays = {"policy_eval", "team_eval"}
    rows = [(stage.input_pool, stage.stage.display_name, stage.stage.kind in plays) for stage in planned]
    return [*rows, (planned[-1].output_pool, "Final placements of the policies", False)]
