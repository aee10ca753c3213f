"""Scores of matches from the files they left."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchPlayer, MatchStatus
from observatory.database.tables.seasons import PoolPlayer
from observatory.episodes.recording import finite
from observatory.jobs.files import replay_files
from observatory.jobs.finishing import digest
from observatory.recompute.schemas import FindingKind
from observatory.scoring.standings import match_scores
from observatory.store import Missing, Store, job_key

__all__ = ["StoredMatch", "stored_matches", "true_scores"]

_PIECE = 500


@dataclass(frozen=True)
class StoredMatch:
    """A match that has ended, as the database has it. Policies and scores are in the order of their index."""

    id: uuid.UUID
    pool_id: uuid.UUID
    job_id: uuid.UUID | None
    combination: str
    sample: int
    order: int
    completed: bool
    culprit: int | None
    at: datetime
    assignments: Sequence[int]
    policies: tuple[uuid.UUID, ...]
    agents: tuple[int, ...]
    scores: tuple[float | None, ...]


def stored_matches(session: Session, pool_ids: Sequence[uuid.UUID]) -> Iterator[StoredMatch]:
    """The ended matches of pools, in the order they ended."""
    statement = (
        select(Match, MatchPlayer, PoolPlayer.policy_version_id)
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .where(Match.pool_id.in_(pool_ids), Match.completed_order.is_not(None))
        .order_by(Match.completed_order, MatchPlayer.policy_index)
        .execution_options(yield_per=_PIECE)
    )
    for match, rows in itertools.groupby(session.execute(statement), key=lambda row: row[0]):
        players = [(player, policy) for _, player, policy in rows]
        assert match.completed_at is not None and match.completed_order is not None
        yield StoredMatch(
            id=match.id,
            pool_id=match.pool_id,
            job_id=match.job_id,
            combination=match.combination,
            sample=match.sample,
            order=match.completed_order,
            completed=match.status is MatchStatus.COMPLETED,
            culprit=match.failed_policy_index,
            at=match.completed_at,
            assignments=match.assignments,
            policies=tuple(policy for _, policy in players),
            agents=tuple(player.num_agents for player, _ in players),
            scores=tuple(player.score for player, _ in players),
        )


@dataclass(frozen=True)
class TrueScores:
    """The scores that follow from a match's results, the number of checked files, and the problems in them."""

    scores: tuple[float, ...] | None
    files: int
    problems: Sequence[tuple[FindingKind, str]] = ()


def true_scores(session: Session, store: Store, match: StoredMatch) -> TrueScores:
    """Recompute the scores of a match from its files. If a file was changed, use the results stored in the database."""
    job = None if match.job_id is None else session.get(Job, match.job_id)
    if job is None:
        return TrueScores(None, 0)
    problems, unchanged = [], set()
    digests: dict[str, str] = job.digests or {}
    for name, recorded in digests.items():
        if name in replay_files(job) and job.replay_removed_at is not None:
            continue
        actual = digest(store, job_key(job.id, name))
        if actual == recorded:
            unchanged.add(name)
        else:
            state = "is missing" if actual is None else "was changed after the match"
            problems.append((FindingKind.FILE, f"{name} of match {match.id} {state}"))
    if not match.completed:
        return TrueScores(None, len(digests), problems)
    result: Any = job.result
    if "results.json" in unchanged or not digests:
        with suppress(Missing, ValueError):  # then the results in the database count
            result = json.loads(store.get(job_key(job.id, "results.json")))
    if result is None:
        problems.append((FindingKind.FILE, f"Match {match.id} is completed and has no results"))
        return TrueScores(None, len(digests), problems)
    rewards = [finite(reward) for reward in result["rewards"]]
    scores = match_scores(match.assignments, rewards, len(match.policies))
    return TrueScores(tuple(scores), len(digests), problems)
