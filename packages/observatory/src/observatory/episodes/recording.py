"""Record the results of jobs as episodes."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.database import new_id
from observatory.database.tables.episodes import Episode, EpisodePolicy, EpisodeTag
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import PolicyVersion
from observatory.episodes import repository
from observatory.events import Change, ChangeKind
from observatory.jobs.files import game_of
from observatory.jobs.specs import policy_version_id
from observatory.store import job_key

__all__ = ["EpisodeFacts", "PolicyFacts", "finite", "record_episode", "record_job"]

MAX_TAG_KEY, MAX_TAG_VALUE = 100, 500


@dataclass(frozen=True)
class PolicyFacts:
    """A policy of an episode; `agents` maps the agents it had to (reward, metrics)."""

    policy_version_id: uuid.UUID | None
    name: str | None
    agents: Mapping[int, tuple[float, Mapping[str, float]]]


@dataclass(frozen=True)
class EpisodeFacts:
    """The recorded data of an episode."""

    policies: Sequence[PolicyFacts]
    game_stats: Mapping[str, float] = field(default_factory=dict)
    steps: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    job_id: uuid.UUID | None = None
    season_id: uuid.UUID | None = None
    owner_id: str | None = None
    replay_key: str | None = None
    replay_url: str | None = None
    thumbnail_url: str | None = None
    eval_task_id: uuid.UUID | None = None


def record_job(
    session: Session, job: Job, *, season_id: uuid.UUID | None, owner_id: str | None, now: datetime
) -> Episode | None:
    """Return the episode of an ended job, created if it does not exist; None for a job without results."""
    existing = repository.episode_of_job(session, job.id)
    if existing is not None or job.result is None:
        return existing
    spec, result = job.spec, job.result
    agent_stats: Sequence[Mapping[str, float]] = result["stats"]["agent"]
    uris: Sequence[str] = spec["policy_uris"]
    names: Sequence[str] = spec.get("policy_names") or uris
    policies = [
        PolicyFacts(
            policy_version_id=_known(session, policy_version_id(uri)),
            name=names[index],
            agents={
                agent: (finite(result["rewards"][agent]), agent_stats[agent])
                for agent, assigned in enumerate(spec["assignments"])
                if assigned == index
            },
        )
        for index, uri in enumerate(uris)
    ]
    facts = EpisodeFacts(
        policies=policies,
        game_stats=result["stats"]["game"],
        steps=result["steps"],
        tags={**spec.get("episode_tags", {}), "job_id": str(job.id), **_failure(job)},
        job_id=job.id,
        season_id=season_id,
        owner_id=owner_id,
        replay_key=None if job.replay_removed_at is not None else job_key(job.id, game_of(job).replay_file),
    )
    episode = record_episode(session, facts, now=now)
    job.episode_id = episode.id
    session.flush()
    return episode


def _failure(job: Job) -> dict[str, str]:
    """Return the tag of an episode in which a policy failed."""
    return {} if job.error_type is None else {"failed": job.error_type}


def record_episode(session: Session, facts: EpisodeFacts, *, now: datetime) -> Episode:
    """Create an episode with its rows."""
    primary = next((p.policy_version_id for p in facts.policies if p.policy_version_id is not None), None)
    episode = Episode(
        id=new_id(),
        job_id=facts.job_id,
        season_id=facts.season_id,
        owner_id=facts.owner_id,
        replay_key=facts.replay_key,
        replay_url=facts.replay_url,
        thumbnail_url=facts.thumbnail_url,
        attributes=dict(facts.attributes),
        eval_task_id=facts.eval_task_id,
        primary_policy_version_id=primary,
        game_stats=_numbers(facts.game_stats),
        steps=facts.steps,
        created_at=now,
    )
    episode.tags = [
        EpisodeTag(key=str(key)[:MAX_TAG_KEY], value=str(value)[:MAX_TAG_VALUE]) for key, value in facts.tags.items()
    ]
    episode.policies = [_policy_row(position, policy) for position, policy in enumerate(facts.policies)]
    session.add(episode)
    session.flush()
    events.note(session, Change(ChangeKind.EPISODE, facts.season_id, frozenset({episode.id})))
    return episode


def finite(value: float | None) -> float:
    """Return the number, or 0 if it is not finite: JSON has no infinities."""
    return float(value) if value is not None and math.isfinite(value) else 0.0


def _policy_row(position: int, policy: PolicyFacts) -> EpisodePolicy:
    rows: list[dict[str, Any]] = [
        {"agent_id": agent, "reward": finite(reward), "metrics": _numbers(metrics)}
        for agent, (reward, metrics) in sorted(policy.agents.items())
    ]
    return EpisodePolicy(
        position=position,
        policy_version_id=policy.policy_version_id,
        name=None if policy.name is None else policy.name[:200],
        num_agents=len(rows),
        avg_reward=_mean([row["reward"] for row in rows]),
        avg_metrics=_mean_metrics([row["metrics"] for row in rows]),
        agents=rows,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def _mean_metrics(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average the metrics of agents. A metric that an agent lacks counts as 0."""
    names = sorted({name for row in rows for name in row})
    return {name: _mean([row.get(name, 0.0) for row in rows]) for name in names}


def _numbers(values: Mapping[str, float]) -> dict[str, float]:
    return {str(name): finite(value) for name, value in values.items()}


def _known(session: Session, version_id: uuid.UUID | None) -> uuid.UUID | None:
    return None if version_id is None or session.get(PolicyVersion, version_id) is None else version_id
