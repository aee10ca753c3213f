"""What a season would play and cost, before it is created."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchStatus
from observatory.database.tables.seasons import Pool, Season
from observatory.job_states import EPISODE
from observatory.jobs.fair_queue import FairQueue
from observatory.seasons.config import (
    AllOf,
    Elimination,
    Fraction,
    FreeplayConfig,
    PolicyEval,
    SampleTeams,
    SeasonPreset,
    TeamConfig,
    TeamEval,
    TopK,
)
from observatory.seasons.stages import plan_stages

__all__ = ["SeasonPreview", "preview"]

_MEASURED = 200
"""the number of finished matches that are measured"""


class PreviewStage(BaseModel):
    """A part of the schedule."""

    title: str
    sentence: str
    policies: int = Field(description="that play in it at most")
    matches: int


class SeasonPreview(BaseModel):
    """The schedule and the cost of a season with a number of policies. Numbers are null if no match was measured."""

    policies: int
    stages: list[PreviewStage]
    matches: int
    match_seconds: float | None = Field(description="mean length of a match")
    cpu_seconds: float | None
    workers: int = Field(description="connected now")
    days: float | None = Field(description="with the workers connected now, by the season's share of the queue")
    share: float = Field(description="of the workers' time, beside the seasons that have waiting matches now")
    storage_bytes: int | None
    basis: str = Field(description="where the measurements come from")


@dataclass(frozen=True)
class _Measured:
    seconds: float | None
    match_bytes: float | None
    basis: str


def preview(session: Session, preset: SeasonPreset, *, policies: int, workers: int) -> SeasonPreview:
    """Return the schedule of a season and its cost, by the measured matches of seasons like it."""
    play = preset.play
    stages = list(_freeplay(play, policies) if isinstance(play, FreeplayConfig) else _team(play, policies))
    matches = sum(stage.matches for stage in stages)
    measured = _measure(session, preset)
    seconds = None if measured.seconds is None else matches * measured.seconds
    share = _share(session, preset)
    return SeasonPreview(
        policies=policies,
        stages=stages,
        matches=matches,
        match_seconds=measured.seconds,
        cpu_seconds=seconds,
        workers=workers,
        days=None if seconds is None or not workers else seconds / (workers * share) / 86_400,
        share=share,
        storage_bytes=None if measured.match_bytes is None else int(matches * measured.match_bytes),
        basis=measured.basis,
    )


def _freeplay(config: FreeplayConfig, policies: int) -> Iterator[PreviewStage]:
    alone = config.qualifying_matches
    yield PreviewStage(
        title="Qualifying",
        sentence=f"Each policy plays alone {_times(alone)}; a mean score of {config.qualifying_threshold:g} qualifies",
        policies=policies,
        matches=policies * alone,
    )
    splits = len(dict.fromkeys(config.splits))
    played = f"{_number(splits, 'split')} of the seats {_times(config.repetitions)}"
    yield PreviewStage(
        title="Competition",
        sentence=f"Every two policies play {played}, if all qualify",
        policies=policies,
        matches=math.comb(policies, 2) * splits * config.repetitions,
    )


def _team(config: TeamConfig, policies: int) -> Iterator[PreviewStage]:
    left, teams = policies, 0
    for planned in plan_stages(config):
        stage, matches, playing = planned.stage, 0, left
        match stage:
            case PolicyEval():
                matches = _evaluation_matches(stage, left)
                left = _advancing(stage.elim, left)
            case SampleTeams():
                teams = stage.num_teams
            case TeamEval():
                matches = teams * stage.matches_per_team
                teams = max(1, teams - math.floor(teams * stage.cull_fraction))
        title = stage.display_name
        yield PreviewStage(title=title, sentence=planned.description, policies=playing, matches=matches)


def _evaluation_matches(stage: PolicyEval, policies: int) -> int:
    combinations = math.comb(policies, stage.policies_per_team)
    if stage.max_matches_per_policy is not None:
        of_policy = max(1, stage.max_matches_per_policy // stage.matches_per_combo)
        combinations = min(combinations, math.ceil(policies * of_policy / stage.policies_per_team))
    return combinations * stage.matches_per_combo


def _advancing(rule: Elimination | None, policies: int) -> int:
    """Return how many policies advance at most; a threshold may let all pass."""
    match rule:
        case Fraction():
            return max(1, policies - math.floor(policies * rule.fraction))
        case TopK():
            return min(policies, rule.max_policies)
        case AllOf():
            return min(_advancing(part, policies) for part in rule.rules)
        case _:
            return policies


def _share(session: Session, preset: SeasonPreset) -> float:
    """Return the part of the workers' time that the season gets while the others of now have waiting jobs."""
    weight = preset.play.rolling.queue_weight
    return weight / (weight + sum(account.weight for account in FairQueue(session, EPISODE).accounts()))


def _measure(session: Session, preset: SeasonPreset) -> _Measured:
    """Measure the last matches of seasons with the same mission and agents, else those of all seasons."""
    game = preset.play.game
    like = [
        season_id
        for season_id, config in session.execute(select(Season.id, Season.config))
        if _same_game(config, game.mission, game.num_agents)
    ]
    measured = _mean(session, like)
    if measured is not None:
        seconds, match_bytes, number = measured
        basis = f"the last {_number(number, 'match', 'matches')} of {game.mission} with {game.num_agents} agents"
        return _Measured(seconds, match_bytes, f"Measured with {basis}")
    measured = _mean(session, None)
    if measured is None:
        return _Measured(None, None, "No match has been played on this server, so the length of a match is unknown")
    seconds, match_bytes, number = measured
    played = _number(number, "match", "matches")
    basis = f"No season like this one has been played; measured with the last {played} of other seasons"
    return _Measured(seconds, match_bytes, basis)


def _same_game(config: dict[str, object], mission: str, num_agents: int) -> bool:
    game = config.get("game")
    return isinstance(game, dict) and (game.get("mission"), game.get("num_agents")) == (mission, num_agents)


def _mean(session: Session, season_ids: list[object] | None) -> tuple[float, float, int] | None:
    """Return (seconds, bytes, number) of the last completed matches; None if there are none."""
    if season_ids == []:
        return None
    statement = (
        select(Job.dispatched_at, Job.completed_at, Job.artifact_bytes)
        .join(Match, Match.job_id == Job.id)
        .where(Match.status == MatchStatus.COMPLETED, Job.dispatched_at.is_not(None))
        .order_by(Match.completed_order.desc())
        .limit(_MEASURED)
    )
    if season_ids is not None:
        statement = statement.join(Pool, Match.pool_id == Pool.id).where(Pool.season_id.in_(season_ids))
    rows = [
        ((ended - began).total_seconds(), size or 0)
        for began, ended, size in session.execute(statement)
        if began is not None and ended is not None
    ]
    if not rows:
        return None
    number = len(rows)
    return sum(seconds for seconds, _ in rows) / number, sum(size for _, size in rows) / number, number


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _number(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
