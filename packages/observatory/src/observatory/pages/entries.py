"""The state of a user's policies in a season: pool, place in the queue, latest event, and why."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.commissioner.loop import Commissioner
from observatory.database.tables.matches import MatchStatus
from observatory.database.tables.seasons import MembershipAction, MembershipChange, PoolPlayer, Season, SeasonStatus
from observatory.job_states import EPISODE
from observatory.jobs.fair_queue import FairQueue
from observatory.pages import repository
from observatory.pages.names import policy_ref
from observatory.pages.repository import OpenMatch
from observatory.pages.schemas import EntryState, MyEntry
from observatory.scoring.folds import Record
from observatory.standings.table_cache import pool_table

__all__ = ["my_entries"]

MAX_PLACES = 500
"""of the queue that are counted"""


def my_entries(
    session: Session, season: Season, principal: Principal, commissioner: Commissioner | None
) -> list[MyEntry]:
    """Return the caller's versions in a season, newest first."""
    pools = {pool.id: pool for pool in season.pools}
    players = repository.memberships_of_user(session, list(pools), principal.user_id)
    if not players:
        return []
    of_version: dict[uuid.UUID, list[PoolPlayer]] = {}
    for player in players:
        of_version.setdefault(player.policy_version_id, []).append(player)
    open_matches = repository.open_matches(session, list(pools), list(of_version))
    waiting = islice(FairQueue(session, EPISODE), MAX_PLACES)
    places = {turn.job_id: place for place, turn in enumerate(waiting, 1)}
    changes = repository.last_changes(session, [player.id for player in players])
    reasons = None if commissioner is None else commissioner.reasons(season.id)
    entries = []
    for version, memberships in of_version.items():
        # The last pool it is in; when it has left all, the last one it was in.
        player = max(memberships, key=lambda membership: (not membership.retired, pools[membership.pool_id].position))
        playing = [match for match in open_matches.get(version, []) if match.pool_id in pools]
        table = pool_table(session, player.pool_id)
        record = table.fold.records.get(version, Record())
        row = next((row for row in table.standings() if row.policy_version_id == version), None)
        last, last_at = _last_event(changes.get(player.id), record, playing, player.created_at)
        state = _state(season, player, playing)
        sentence = None if reasons is None else reasons.policies.get(version)
        entries.append(
            MyEntry(
                policy=policy_ref(player.policy_version),
                pool=pools[player.pool_id].name,
                state=state,
                place=min((places[match.job_id] for match in playing if match.job_id in places), default=None),
                rank=None if row is None else row.rank,
                score=None if row is None else row.score,
                completed=record.completed,
                failed=record.failed,
                last_event=last,
                last_event_at=last_at,
                why=_why(season, state, playing, changes.get(player.id), sentence),
            )
        )
    return entries


def _state(season: Season, player: PoolPlayer, playing: Sequence[OpenMatch]) -> EntryState:
    if season.status is SeasonStatus.complete:
        return EntryState.FINISHED
    if any(match.status is MatchStatus.RUNNING for match in playing):
        return EntryState.PLAYING
    if playing:
        return EntryState.QUEUED
    return EntryState.OUT if player.retired else EntryState.WAITING


def _last_event(
    change: MembershipChange | None, record: Record, playing: Sequence[OpenMatch], entered_at: datetime
) -> tuple[str, datetime]:
    events = [("Entered", entered_at)]
    if change is not None:
        verb = "Entered" if change.action is MembershipAction.ADD else "Left"
        events.append((f"{verb}: {change.notes}" if change.notes else verb, change.created_at))
    if record.last_at is not None:
        events.append(("Failed in a match" if record.last_failed else "Played a match", record.last_at))
    events += [("A match was queued", match.created_at) for match in playing]
    return sorted(events, key=lambda event: event[1])[-1]  # of equal times, the later of the list


def _why(
    season: Season,
    state: EntryState,
    playing: Sequence[OpenMatch],
    change: MembershipChange | None,
    sentence: str | None,
) -> str:
    match state:
        case EntryState.FINISHED:
            return "The season is complete"
        case EntryState.OUT:
            return (change.notes if change is not None else None) or "It left the season"
        case _:
            reason = next((match.reason for match in playing if match.reason), None)
            explanation = ". ".join(part.rstrip(".") for part in (reason, sentence) if part)
            not_started = (
                "The season has not started" if season.started_at is None else "Nothing is scheduled for it now"
            )
            return explanation or not_started
