"""The progress of a season."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.seasons import Season, SeasonLife, TournamentType
from observatory.errors import BadRequest, Conflict
from observatory.events import Change, ChangeKind
from observatory.matches import repository as matches
from observatory.matches.repository import StatusCounts
from observatory.seasons import repository
from observatory.seasons.config import TeamConfig
from observatory.seasons.repository import PoolCounts
from observatory.seasons.stages import StageStatus, plan_stages, stage_states
from observatory.standings.counts import counts_by_pool
from softmax.wire import PhaseDetail, ProgressStage, StageStats, TeamTournamentProgress

__all__ = ["progress", "stage_stats", "start"]

NOT_AVAILABLE = "Progress not available for this season type"


def stage_stats(session: Session, season: Season) -> list[StageStats]:
    """Return every pool of a season, in order."""
    numbers = repository.pool_counts(session, season.id)
    played = counts_by_pool(session, [pool.id for pool in season.pools])
    stats = []
    for pool in season.pools:
        pool_counts = numbers.get(pool.id, PoolCounts())
        match_counts = played.get(pool.id, StatusCounts({}))
        stats.append(
            StageStats(
                name=pool.name,
                policy_count=pool_counts.members,
                match_count=match_counts.total,
                completion_pct=100.0 * match_counts.completed / match_counts.total if match_counts.total else 0.0,
                team_count=pool_counts.teams or None,
                eliminated_count=pool_counts.eliminated if pool_counts.teams else None,
            )
        )
    return stats


def progress(session: Session, season: Season) -> TeamTournamentProgress:
    """Return the stages of a team season; `BadRequest` for another."""
    if season.tournament_type is not TournamentType.team:
        raise BadRequest(NOT_AVAILABLE)
    config = TeamConfig.model_validate(season.config)
    planned = plan_stages(config)
    facts = matches.pool_facts(session, season, counts_by_pool(session, [pool.id for pool in season.pools]))
    states = stage_states(config, facts, started=season.started_at is not None, season_seed=season.seed)
    active = next((stage for stage, state in zip(planned, states, strict=True) if state is StageStatus.active), None)
    stats = {entry.name: entry for entry in stage_stats(session, season)}
    return TeamTournamentProgress(
        phase="complete" if active is None else active.stage.kind,
        phase_detail={}
        if active is None
        else PhaseDetail(pool=active.input_pool, stage_index=active.index).model_dump(),
        stages=[stats[name] for name in dict.fromkeys([*(s.input_pool for s in planned), planned[-1].output_pool])],
        stage_flow=[
            ProgressStage(
                index=stage.index,
                name=stage.stage.display_name,
                kind=stage.stage.kind,
                description=stage.description,
                input_pool=stage.input_pool,
                output_pool=stage.output_pool,
                status=state,
            )
            for stage, state in zip(planned, states, strict=True)
        ],
        started=season.started_at is not None,
    )


def start(session: Session, season: Season, *, now: datetime) -> TeamTournamentProgress:
    """Begin a team season."""
    if season.tournament_type is not TournamentType.team:
        raise BadRequest("Only team seasons are started; this one plays by itself")
    if season.started_at is not None:
        raise Conflict(f"Season {season.name!r} was started already")
    if season.life is SeasonLife.DRAFT:
        raise Conflict(f"Season {season.name!r} is a draft; open it first")
    season.started_at = now
    session.flush()
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))
    return progress(session, season)
