"""Friendly matches for pages."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.database.tables.friendlies import Friendly, FriendlyStatus
from observatory.database.tables.jobs import Job
from observatory.database.tables.notices import ChallengeRule
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.episodes import repository as episodes
from observatory.episodes.wire import EpisodeWire
from observatory.friendlies import repository, service
from observatory.friendlies.missions import list_missions
from observatory.live.rules import friendly_address, friendly_engine
from observatory.notices.preferences import preferences
from observatory.pages.friendly_schemas import (
    ChallengeOptions,
    FriendlyLine,
    FriendlyPage,
    FriendlyPolicy,
    MissionOption,
)
from observatory.pages.match_cards import CardRow, TableCard
from observatory.pages.matches import viewer_address
from observatory.pages.names import policy_ref
from observatory.policies import repository as policies
from observatory.settings import Settings

__all__ = ["challenge_options", "friendly_card", "friendly_line", "friendly_page"]

MAX_POLICIES = 200
_NOTES = {
    FriendlyStatus.WAITING: "Waits for a worker",
    FriendlyStatus.RUNNING: "Is being played",
    FriendlyStatus.FAILED: "The match failed",
}


def friendly_line(
    friendly: Friendly, principal: Principal | None, settings: Settings, *, now: datetime
) -> FriendlyLine:
    """Return a friendly match as lists show it."""
    user_id = None if principal is None else principal.user_id
    expired = service.has_expired(friendly, settings, now=now)
    is_open = friendly.status is FriendlyStatus.ASKED and not expired
    return FriendlyLine(
        id=friendly.id,
        status=friendly.status,
        expired=expired,
        players=_players(friendly),
        mission=friendly.mission,
        season=friendly.season,
        mine=friendly.challenger_id == user_id,
        can_answer=is_open and friendly.opponent_id == user_id,
        can_withdraw=is_open and friendly.challenger_id == user_id,
        created_at=friendly.created_at,
        completed_at=friendly.completed_at,
    )


def _players(friendly: Friendly) -> list[FriendlyPolicy]:
    seats = ((friendly.version, friendly.score), (friendly.opponent_version, friendly.opponent_score))
    failed = friendly.failed_policy_index if friendly.status is FriendlyStatus.FAILED else None
    return [
        FriendlyPolicy(
            policy=policy_ref(version),
            num_agents=friendly.assignments.count(index),
            score=score,
            to_blame=index == failed,
        )
        for index, (version, score) in enumerate(seats)
    ]


def friendly_page(
    session: Session,
    friendly: Friendly,
    principal: Principal | None,
    wire: EpisodeWire,
    *,
    now: datetime,
) -> FriendlyPage:
    """Return a friendly match with its result and replay."""
    job = None if friendly.job_id is None else session.get(Job, friendly.job_id)
    episode_id = None if job is None else job.episode_id
    episode = None if episode_id is None else episodes.episode(session, episode_id, principal)
    replay_url = None if episode is None else wire.replay_path(episode)
    result: Mapping[str, Any] = (job.result if job is not None else None) or {}
    engine = friendly_engine(session, friendly)
    viewed_url = None if episode is None else wire.viewer_path(episode, engine)
    page = f"/observatory/friendlies/{friendly.id}"
    viewer = None if viewed_url is None else viewer_address(viewed_url, page, engine=engine)
    return FriendlyPage(
        **dict(friendly_line(friendly, principal, wire.settings, now=now)),
        error=friendly.error,
        error_type=friendly.error_type,
        assignments=friendly.assignments,
        rewards=result.get("rewards"),
        steps=result.get("steps"),
        job_id=friendly.job_id,
        episode_id=episode_id,
        replay_url=replay_url,
        viewer_url=viewer,
        watch_url=friendly_address(session, friendly),
    )


def challenge_options(
    session: Session, policy_version_id: uuid.UUID, principal: Principal, settings: Settings
) -> ChallengeOptions:
    """Return what the caller can choose for a challenge to a policy version."""
    opponent = policies.version(session, policy_version_id)
    is_own = opponent.policy.user_id == principal.user_id
    rule = ChallengeRule.ACCEPT if is_own else preferences(session, opponent.policy.user_id).challenges
    own = [version for version in _own_versions(session, principal.user_id) if version.id != opponent.id]
    why_not = None
    if opponent.bundle_key is None:
        why_not = "This policy version has no bundle, so it cannot play friendly matches"
    elif rule is ChallengeRule.REFUSE or opponent.policy.user.disabled_at is not None:
        why_not = "The owner of this policy takes no challenges"
    elif not own:
        why_not = "You have no policy that could play; upload one first"
    return ChallengeOptions(
        opponent=policy_ref(opponent),
        rule=rule,
        why_not=why_not,
        policies=[policy_ref(version) for version in own],
        missions=[MissionOption(key=one.key, title=one.title) for one in list_missions(session, settings)],
    )


def _own_versions(session: Session, user_id: str) -> list[PolicyVersion]:
    """Return the newest version of each policy of a user that can play."""
    can_play = PolicyVersion.bundle_key.is_not(None)
    newest = (
        select(func.max(PolicyVersion.version))
        .where(PolicyVersion.policy_id == Policy.id, can_play)
        .correlate(Policy)
        .scalar_subquery()
    )
    statement = (
        select(PolicyVersion)
        .join(PolicyVersion.policy)
        .where(Policy.user_id == user_id, can_play, PolicyVersion.version == newest)
        .options(joinedload(PolicyVersion.policy).joinedload(Policy.user))
        .order_by(PolicyVersion.created_at.desc())
        .limit(MAX_POLICIES)
    )
    return list(session.scalars(statement))


def friendly_card(session: Session, friendly_id: uuid.UUID) -> TableCard:
    """Return the card of a friendly match that everyone may see; raise `NotFound` otherwise."""
    friendly = repository.friendly(session, friendly_id, None)
    players = _players(friendly)
    scores = [player.score for player in players if player.score is not None]
    has_winner = len(set(scores)) > 1
    rows = [
        CardRow(
            f"{player.policy.name} v{player.policy.version}",
            player.score,
            has_winner and player.score == max(scores),
        )
        for player in players
    ]
    note = _NOTES.get(friendly.status)
    if note is None:
        note = "A friendly match" if friendly.completed_at is None else f"Played {friendly.completed_at:%d %B %Y}"
    title = " – ".join(row.name for row in rows)
    return TableCard(title, "Friendly match", rows, note, f"A friendly match in {friendly.mission}")
