"""Rows as response models."""

from __future__ import annotations

import math
import uuid
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    EpisodeSeat,
    ExperienceRequest,
)
from observatory.jobs.files import game_of
from observatory.public_ids import public_id
from observatory.settings import Settings
from observatory.store import Store, job_key
from softmax.wire.requests import (
    BulkEpisode,
    EpisodeParticipant,
    EpisodeRequestRow,
    EpisodeRequestSummary,
    EpisodeScore,
    ExperienceRequestRow,
)

__all__ = ["RequestWire", "replay_key", "scores"]

_NO_VERSION = uuid.UUID(int=0)


def scores(episode: EpisodeRequest) -> list[EpisodeScore]:
    """Return the mean score of each policy version over its seats, without those it only filled."""
    by_version: dict[uuid.UUID, list[float]] = defaultdict(list)
    for seat in episode.seats:
        if seat.policy_version_id is not None and seat.score is not None and not seat.is_filler:
            by_version[seat.policy_version_id].append(seat.score)
    return [
        EpisodeScore(policy_version_id=version_id, score=math.fsum(values) / len(values))
        for version_id, values in by_version.items()
    ]


def replay_key(episode: EpisodeRequest) -> str | None:
    """Return where the store has the replay of an episode; None if there is none, or it was removed."""
    job = episode.job
    if job is None or job.replay_removed_at is not None:
        return None
    name = game_of(job).replay_file
    return job_key(job.id, name) if name in (job.digests or {}) else None


@dataclass(frozen=True)
class RequestWire:
    """Writes episodes and requests; knows where replays are found."""

    store: Store
    settings: Settings

    def replay_url(self, episode: EpisodeRequest) -> str | None:
        """Return a signed address of the replay, which expires."""
        key = replay_key(episode)
        return None if key is None else self.store.download_url(key, seconds=self.settings.download_url_seconds)

    def summary(self, episode: EpisodeRequest) -> EpisodeRequestSummary:
        return EpisodeRequestSummary(
            id=public_id("ereq", episode.id),
            status=episode.status,
            coworld_id=public_id("cow", episode.coworld_id),
            round_id=None if episode.round_id is None else public_id("round", episode.round_id),
            replay_url=self.replay_url(episode),
            policy_version_ids=_version_ids(episode),
            created_at=episode.created_at,
        )

    def row(self, episode: EpisodeRequest, *, game_config: Mapping[str, Any] | None = None) -> EpisodeRequestRow:
        """Return an episode; with its configuration where a single one is asked for."""
        in_round = None if episode.round_id is None else episode.round_id
        return EpisodeRequestRow(
            id=public_id("ereq", episode.id),
            requester_user_id=episode.user_id,
            round_id=None if in_round is None else public_id("round", in_round),
            experience_request_id=_request_id(episode),
            mod_name=episode.coworld.name,
            env_config_name=episode.variant_id,
            coworld_id=public_id("cow", episode.coworld_id),
            variant_id=episode.variant_id,
            seed=episode.seed,
            max_steps=episode.max_steps,
            status=episode.status,
            policy_version_ids=_version_ids(episode),
            participants=[_participant(seat) for seat in episode.seats],
            job_id=episode.job_id,
            episode_id=episode.episode_id,
            replay_url=self.replay_url(episode),
            error_type=episode.error_type,
            error=episode.error,
            failed_policy_index=episode.failed_policy_index,
            failed_agent_index=episode.failed_policy_index,
            scores=scores(episode),
            game_config=None if game_config is None else dict(game_config),
            pool_id=None if in_round is None else public_id("pool", in_round),
            assignments=[seat.position for seat in episode.seats],
            created_at=episode.created_at,
        )

    def bulk(self, episode: EpisodeRequest, *, results: bool) -> BulkEpisode:
        """Return an episode of a list of many; `results` adds scores, participants, the replay and the error."""
        entry = BulkEpisode(
            id=public_id("ereq", episode.id),
            experience_request_id=_request_id(episode),
            created_at=episode.created_at,
            status=episode.status,
            error_type=episode.error_type,
            evidence_state=episode.evidence.value,
        )
        if results:
            entry.scores = scores(episode)
            entry.participants = [_participant(seat) for seat in episode.seats]
            entry.replay_url = self.replay_url(episode)
            entry.error = episode.error
        return entry

    @staticmethod
    def request(request: ExperienceRequest, counts: Mapping[EpisodeRequestStatus, int]) -> ExperienceRequestRow:
        return ExperienceRequestRow(
            id=public_id("xreq", request.id),
            requester_user_id=request.user_id,
            requester=request.player_id,
            coworld_id=public_id("cow", request.coworld_id),
            coworld_name=request.coworld.name,
            coworld_version=request.coworld.version,
            variant_id=request.variant_id,
            title=request.title,
            description=request.description,
            status=request.status,
            episode_count=request.episode_count,
            pending_count=counts.get(EpisodeRequestStatus.PENDING, 0),
            submitted_count=counts.get(EpisodeRequestStatus.SUBMITTED, 0),
            running_count=counts.get(EpisodeRequestStatus.RUNNING, 0),
            completed_count=counts.get(EpisodeRequestStatus.COMPLETED, 0),
            failed_count=counts.get(EpisodeRequestStatus.FAILED, 0),
            error=request.error,
            created_at=request.created_at,
            started_at=request.started_at,
            completed_at=request.completed_at,
        )


def _request_id(episode: EpisodeRequest) -> str | None:
    request_id = episode.experience_request_id
    return None if request_id is None else public_id("xreq", request_id)


def _version_ids(episode: EpisodeRequest) -> list[uuid.UUID]:
    return [seat.policy_version_id for seat in episode.seats if seat.policy_version_id is not None]


def _participant(seat: EpisodeSeat) -> EpisodeParticipant:
    version = seat.policy_version
    if seat.user is not None:
        return EpisodeParticipant(position=seat.position, kind="human", user_id=seat.user.id, name=seat.user.shown_name)
    if version is None:
        # A player of the game has no version, but clients require one.
        return EpisodeParticipant(
            position=seat.position,
            policy_version_id=_NO_VERSION,
            policy_id=_NO_VERSION,
            policy_name=seat.game_player_id,
            version=0,
            is_filler=seat.is_filler,
        )
    return EpisodeParticipant(
        position=seat.position,
        policy_version_id=version.id,
        policy_id=version.policy_id,
        policy_name=version.policy.name,
        version=version.version,
        player_id=seat.player_id,
        player_name=None if seat.player is None else seat.player.name,
        is_filler=seat.is_filler,
    )
