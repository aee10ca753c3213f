"""The life of a season: the steps that an administrator may take, what each would cause, and how it is undone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory import events
from observatory.database.tables.jobs import MAP_SEED, Job
from observatory.database.tables.matches import IN_FLIGHT, Match, MatchPlayer, MatchStatus
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season, SeasonLife, TournamentType
from observatory.errors import Conflict
from observatory.events import Change, ChangeKind
from observatory.job_states import JobStatus
from observatory.matches.service import SharedEnv, schedule
from observatory.seasons import administration
from observatory.seasons.administration import Outcome
from observatory.seasons.repository import has_entrants
from observatory.seasons.sources import preset_of

__all__ = ["LifeStep", "SeasonLifeRead", "life_of", "open_or_reopen", "undo_start"]

# The state of the match is that of an index; without it a database may read all matches of the season.
_WAITS = (Match.status.in_(IN_FLIGHT), Job.status == JobStatus.PENDING)

Action = Literal["open", "start", "close", "reopen", "end", "roll", "draft", "unstart"]


class LifeStep(BaseModel):
    """A step that the season can take now."""

    action: Action
    title: str
    consequences: list[str] = Field(description="what it would cause, a sentence each")
    undo: str = Field(description="how it is undone, or that it cannot be")
    can_undo: bool
    is_undo: bool = Field(description="whether it undoes the last step")


class SeasonLifeRead(BaseModel):
    """Where a season is in its life, and the steps it can take."""

    name: str
    version: int
    life: SeasonLife
    steps: list[LifeStep]


def life_of(session: Session, season: Season) -> SeasonLifeRead:
    """Return the state of a season and its possible steps, with the consequences as they are now."""
    steps = list(_steps(session, season)) if season.canonical else []
    return SeasonLifeRead(name=season.name, version=season.version, life=season.life, steps=steps)


def open_or_reopen(session: Session, season: Season, *, now: datetime) -> Outcome:
    """Open a draft, or undo the closing of a season: its cancelled matches are scheduled again."""
    if season.life is SeasonLife.DRAFT:
        return administration.open_season(session, season, now=now)
    outcome = administration.reopen(session, season)
    restored = _restore(session, season, now=now)
    sentence = outcome.sentence if not restored else f"{outcome.sentence}; {_matches(restored)} scheduled again"
    return Outcome(season, outcome.change, sentence)


def undo_start(session: Session, season: Season) -> Outcome:
    """Undo the start of a team season that has no match yet."""
    if season.tournament_type is not TournamentType.team or season.life is not SeasonLife.PLAYING:
        raise Conflict(f"Season {season.name!r} is {season.life.value}; only the start of a team season can be undone")
    if _has_matches(session, season):
        raise Conflict(f"Season {season.name!r} has matches already; close it instead")
    season.started_at = None
    session.flush()
    events.note(session, Change(ChangeKind.SEASON, season.id, frozenset({season.id})))
    return Outcome(season, "opened", f"{season.name} waits for its start again")


def _restore(session: Session, season: Season, *, now: datetime) -> int:
    """Give each cancelled match a new job, with the same policies, seats, map and seed; return how many."""
    version = joinedload(MatchPlayer.pool_player).joinedload(PoolPlayer.policy_version)
    statement = (
        select(Match)
        .join(Match.pool)
        .where(Pool.season_id == season.id, Match.status == MatchStatus.CANCELLED)
        .options(joinedload(Match.job), selectinload(Match.players).options(version.joinedload(PolicyVersion.policy)))
        .order_by(Match.created_at, Match.id)
    )
    matches = session.scalars(statement).all()
    for match in matches:
        job = match.job
        assert job is not None  # it was cancelled with the match
        spec = job.stored_spec
        tags = {name: value for name, value in spec.get("episode_tags", {}).items() if name != "match_id"}
        env = spec["env"] if job.env_config_id is None else SharedEnv(job.env_config_id, spec.get(MAP_SEED))
        match.error = match.error_type = None
        schedule(session, match, env, tags=tags, now=now, priority=job.priority)
    return len(matches)


def _steps(session: Session, season: Season) -> Iterator[LifeStep]:
    counts = _open_counts(session, season)
    waiting = _waiting(session, season)
    has_policies = has_entrants(session, season.id)
    match season.life:
        case SeasonLife.DRAFT:
            yield _open(season)
        case SeasonLife.OPEN | SeasonLife.PLAYING:
            if season.life is SeasonLife.OPEN:
                yield _start(session, season)
            if not has_policies and season.version == 1:
                yield _step(
                    "draft",
                    "Back to draft",
                    ["Only administrators see the season"],
                    "Open the season again",
                    undoes=True,
                )
            elif (
                season.tournament_type is TournamentType.team
                and season.started_at
                and not _has_matches(session, season)
            ):
                effect = "No match is played until the season is started again"
                yield _step("unstart", "Undo the start", [effect], "Start the season again", undoes=True)
            yield _close(session, season, waiting, _in_flight(counts) - waiting)
            yield _roll(season, waiting)
        case SeasonLife.CLOSED:
            cancelled = counts.get(MatchStatus.CANCELLED, 0)
            effects = ["Everyone can submit policies again", "New matches are scheduled"]
            if cancelled:
                effects.append(f"{_matches(cancelled).capitalize()} scheduled again, with the same maps and seeds")
            yield _step("reopen", "Reopen", effects, "Close the season again", undoes=True)
            yield _end(counts)
            yield _roll(season, waiting)
        case SeasonLife.ENDED:
            yield _roll(season, waiting)


def _step(action: Action, title: str, effects: list[str], undo: str | None, *, undoes: bool = False) -> LifeStep:
    return LifeStep(
        action=action,
        title=title,
        consequences=effects,
        undo=undo or "This cannot be undone",
        can_undo=undo is not None,
        is_undo=undoes,
    )


def _open(season: Season) -> LifeStep:
    effects = [f"{'Everyone sees' if season.public else 'Only administrators see'} the season"]
    effects.append("Policies can be submitted to it")
    preset = preset_of(season)
    if preset.tournament_type is TournamentType.freeplay or preset.play.rolling.start:
        effects.append("Its matches are played as soon as policies are in")
    else:
        effects.append("Its matches are played after it is started")
    return _step("open", "Open", effects, "It can become a draft again until a policy is submitted")


def _start(session: Session, season: Season) -> LifeStep:
    effects = [f"{_policies(_active(session, season))} in the first stage, and the first matches are scheduled"]
    effects.append("Policies can be submitted until the teams are drawn")
    return _step("start", "Start", effects, "The start can be undone until the first match is scheduled")


def _close(session: Session, season: Season, waiting: int, running: int) -> LifeStep:
    effects = ["No policies can be submitted", "The season leaves the list of seasons; its page stays"]
    if waiting:
        effects.append(f"{_number(waiting, 'waiting match', 'waiting matches')} will be cancelled")
    if running:
        effects.append(f"{_number(running, 'running match', 'running matches')} will be finished and will count")
    unfinished = _unfinished(session, season)
    if unfinished:
        verb = "loses" if unfinished == 1 else "lose"
        effects.append(f"{_number(unfinished, 'policy', 'policies')} {verb} matches that were scheduled")
    return _step("close", "Close", effects, "Reopen the season, which schedules the cancelled matches again")


def _end(counts: dict[MatchStatus, int]) -> LifeStep:
    effects = ["The results become final", "The seeds of its matches become public"]
    cancelled = counts.get(MatchStatus.CANCELLED, 0)
    if cancelled:
        effects.append(f"{_number(cancelled, 'cancelled match is', 'cancelled matches are')} never played")
    return _step("end", "End for good", effects, None)


def _roll(season: Season, waiting: int) -> LifeStep:
    effects = [f"A new version {season.version + 1} begins, with empty tables and a new seed"]
    if season.life is not SeasonLife.ENDED:
        effects.append(f"Version {season.version} ends: its results become final and its seeds public")
    if waiting:
        effects.append(f"{_number(waiting, 'waiting match', 'waiting matches')} will be cancelled")
    return _step("roll", "New version", effects, None)


def _has_matches(session: Session, season: Season) -> bool:
    statement = select(Match.id).join(Match.pool).where(Pool.season_id == season.id).limit(1)
    return session.scalar(statement) is not None


def _open_counts(session: Session, season: Season) -> dict[MatchStatus, int]:
    """Return the numbers of matches that may still be played, by state; those that have ended are too many to count."""
    statement = select(Match.status, func.count()).join(Match.pool).where(Pool.season_id == season.id)
    statement = statement.where(Match.status.in_([*IN_FLIGHT, MatchStatus.CANCELLED]))
    return {row[0]: row[1] for row in session.execute(statement.group_by(Match.status))}


def _in_flight(counts: dict[MatchStatus, int]) -> int:
    return sum(number for status, number in counts.items() if status in IN_FLIGHT)


def _waiting(session: Session, season: Season) -> int:
    """Return how many matches no worker has taken yet."""
    statement = select(func.count()).select_from(Match).join(Match.job).join(Match.pool)
    return session.scalar(statement.where(Pool.season_id == season.id, *_WAITS)) or 0


def _active(session: Session, season: Season) -> int:
    statement = select(func.count(func.distinct(PoolPlayer.policy_version_id))).join(PoolPlayer.pool)
    return session.scalar(statement.where(Pool.season_id == season.id, PoolPlayer.retired.is_(False))) or 0


def _unfinished(session: Session, season: Season) -> int:
    """Return how many policies have waiting matches."""
    statement = (
        select(func.count(func.distinct(PoolPlayer.policy_version_id)))
        .join(PoolPlayer.pool)
        .join(MatchPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .join(Match, MatchPlayer.match_id == Match.id)
        .join(Match.job)
        .where(Pool.season_id == season.id, *_WAITS)
    )
    return session.scalar(statement) or 0


def _matches(number: int) -> str:
    return f"{number} cancelled match is" if number == 1 else f"{number} cancelled matches are"


def _policies(number: int) -> str:
    return "1 policy plays" if number == 1 else f"{number} policies play"


def _number(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
