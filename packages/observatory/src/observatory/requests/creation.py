"""Queue episodes of a Coworld. Users' requests, new versions of games and rounds of leagues all come here."""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.database import new_id
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    EpisodeSeat,
    EvidenceState,
    ExperienceRequest,
    RequestSource,
)
from observatory.errors import BadRequest
from observatory.events import Change, ChangeKind
from observatory.games.coworlds import COWORLD_ENGINE, coworlds
from observatory.job_states import EPISODE, HOSTED
from observatory.jobs.service import create_job
from observatory.jobs.shares import REQUESTS
from observatory.public_ids import public_id

__all__ = [
    "GAME_PLAYER",
    "EpisodePlan",
    "SeatPlan",
    "cannot_be_played",
    "episode_config",
    "next_revision",
    "request_episodes",
]

GAME_PLAYER = "metta://policy/game-player"
"""in a job, in place of a policy's address: one of the game's own players"""

_MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class SeatPlan:
    """The policy version in a seat, a player of the game itself by its id in the manifest, or a person."""

    policy_version: PolicyVersion | None = None
    player_id: str | None = None
    """the player that enters the version; by default the one that uploaded it"""
    game_player_id: str | None = None
    is_filler: bool = False
    """it fills an empty seat, and its score does not count"""
    person: str | None = None
    """the name of the person in a seat of a hosted game, or that the seat is left open"""
    user_id: str | None = None
    """that person, if the seat is taken"""

    @property
    def name(self) -> str:
        """Return the name that people see."""
        version = self.policy_version
        if self.person is not None:
            return self.person
        return self.game_player_id or "" if version is None else f"{version.policy.name}:v{version.version}"


@dataclass(frozen=True)
class EpisodePlan:
    """An episode to be played: its seats in order, and its configuration."""

    seats: Sequence[SeatPlan]
    variant_id: str | None = None
    """None plays the certification fixture of the manifest"""
    game_config_overrides: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    """for a game whose configuration has a `seed`; by default that of the variant plus the number of the episode"""
    tags: Mapping[str, str] = field(default_factory=dict)
    number: int | None = None
    """its place in the round; by default its place among these plans"""


def request_episodes(
    session: Session,
    coworld: Coworld,
    plans: Sequence[EpisodePlan],
    *,
    source: RequestSource,
    user_id: str,
    now: datetime,
    experience_request: ExperienceRequest | None = None,
    round_id: uuid.UUID | None = None,
    priority: int = 0,
    hosted: bool = False,
    queue_group: str = REQUESTS,
) -> list[EpisodeRequest]:
    """Queue episodes in this transaction; return them in the order of their plans.

    The rights of `user_id` are not checked here. `BadRequest` when the game cannot be played like that; nothing is
    queued then. With `hosted`, people can join the games and watch them. `queue_group` is the share of the queue.
    The game's schema is not applied to configurations, because it may be hostile: a sandbox applies it before a user's
    request is queued, and the runner applies it again.
    """
    configs = _configs(coworld, plans)
    revision = next_revision(session)
    first_seed = secrets.randbelow(_MAX_SEED // 2)
    episodes = []
    for number, (plan, config) in enumerate(zip(plans, configs, strict=True)):
        seed = _seed(coworld, plan, config, first_seed + number, number)
        if seed is not None:
            config = {**config, "seed": seed}
        episode = EpisodeRequest(
            id=new_id(),
            source=source,
            user_id=user_id,
            coworld_id=coworld.id,
            experience_request_id=None if experience_request is None else experience_request.id,
            round_id=round_id,
            number=number if plan.number is None else plan.number,
            variant_id=plan.variant_id,
            seed=seed,
            max_steps=_max_steps(config),
            game_config=config,
            tags=dict(plan.tags),
            status=EpisodeRequestStatus.PENDING,
            evidence=EvidenceState.PENDING,
            revision=revision + number,
            created_at=now,
        )
        episode.seats = [_seat(position, seat) for position, seat in enumerate(plan.seats)]
        spec, job_type, group = _spec(coworld, episode, plan), EPISODE, queue_group
        if hosted:
            people = [position for position, seat in enumerate(plan.seats) if seat.person is not None]
            spec, job_type = {**spec, "kind": HOSTED, "mode": "play", "people": people}, HOSTED
            group = HOSTED
        job = create_job(
            session, spec, now=now, user_id=user_id, priority=priority, job_type=job_type, queue_group=group
        )
        episode.job_id = job.id
        session.add(episode)
        episodes.append(episode)
    session.flush()
    events.note(session, Change(ChangeKind.REQUEST, ids=frozenset(episode.id for episode in episodes)))
    if round_id is not None:
        events.note(session, Change(ChangeKind.ROUND_EPISODE, ids=frozenset({round_id})))
    return episodes


def next_revision(session: Session) -> int:
    """Return the next revision of an episode. It is unique because only one transaction writes at a time."""
    return (session.scalar(select(func.max(EpisodeRequest.revision))) or 0) + 1


def _configs(coworld: Coworld, plans: Sequence[EpisodePlan]) -> list[dict[str, Any]]:
    """Return the configuration of each plan; equal ones are made once."""
    made: dict[tuple[str | None, str, int], dict[str, Any]] = {}
    configs = []
    for plan in plans:
        key = (plan.variant_id, json.dumps(plan.game_config_overrides, sort_keys=True), len(plan.seats))
        if key not in made:
            made[key] = episode_config(coworld, plan.variant_id, plan.game_config_overrides, len(plan.seats))
        configs.append(made[key])
    return configs


def episode_config(
    coworld: Coworld, variant_id: str | None, overrides: Mapping[str, Any], seats: int
) -> dict[str, Any]:
    """Return the configuration of an episode; `BadRequest` when the game cannot be played like that."""
    try:
        return coworlds().episode_config(coworld.manifest, variant_id=variant_id, overrides=overrides, seats=seats)
    except ValueError as problem:
        raise cannot_be_played(coworld, str(problem)) from None


def cannot_be_played(coworld: Coworld, why: str) -> BadRequest:
    return BadRequest(f"{coworld.name} {coworld.version} cannot be played like that: {why}")


def _seed(coworld: Coworld, plan: EpisodePlan, config: Mapping[str, Any], chosen: int, number: int) -> int | None:
    """Return the seed of an episode; None for a game whose configuration has none."""
    properties = coworld.manifest["game"]["config_schema"].get("properties", {})
    if "seed" not in properties:
        return None
    if plan.seed is not None:
        return plan.seed
    first = config.get("seed")
    return first + number if isinstance(first, int) and not isinstance(first, bool) else chosen


def _max_steps(config: Mapping[str, Any]) -> int | None:
    steps = next((config[name] for name in ("max_steps", "max_ticks") if name in config), None)
    return steps if isinstance(steps, int) and not isinstance(steps, bool) and 0 <= steps <= _MAX_SEED else None


def _seat(position: int, seat: SeatPlan) -> EpisodeSeat:
    version = seat.policy_version
    if [version, seat.game_player_id, seat.person].count(None) != 2:
        raise ValueError("A seat needs a policy version, a player of the game or a person")
    return EpisodeSeat(
        position=position,
        policy_version_id=None if version is None else version.id,
        player_id=seat.player_id or (None if version is None else version.player_id),
        game_player_id=seat.game_player_id,
        user_id=seat.user_id,
        is_filler=seat.is_filler,
    )


def _spec(coworld: Coworld, episode: EpisodeRequest, plan: EpisodePlan) -> dict[str, Any]:
    """Return the spec of the job. A lease adds the manifest, which all episodes of a Coworld share."""
    seats = [seat.policy_version for seat in plan.seats]
    return {
        "game_engine": COWORLD_ENGINE,
        "coworld_id": str(coworld.id),
        "episode_request_id": public_id("ereq", episode.id),
        "game_config": episode.game_config,
        "policy_uris": [GAME_PLAYER if version is None else f"metta://policy/{version.id}" for version in seats],
        "policy_names": [seat.name for seat in plan.seats],
        "game_players": [seat.game_player_id for seat in plan.seats],
        "assignments": list(range(len(plan.seats))),
        "episode_tags": {**plan.tags, "source": episode.source.value, "coworld": coworld.name},
    }
