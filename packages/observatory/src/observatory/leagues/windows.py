"""Recorded windows: what the lasting games of a persistent league bring to its rounds.

The server starts no lasting games. A program of the league's operator keeps one running for each player of
`persistent_players`, and records the scores of an interval as a window. The ladder makes a round of each window.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import events
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.leagues import League, Membership, MembershipStatus, RecordedWindow
from observatory.errors import Conflict, Unprocessable
from observatory.events import Change, ChangeKind
from observatory.leagues import entries
from observatory.leagues.ladder_settings import SettingsDocument
from observatory.leagues.repository import is_live
from observatory.leagues.schemas import WindowCreate
from observatory.public_ids import public_id
from softmax.wire.leagues import PersistentPlayer, RecordedWindowRow

__all__ = ["PERSISTENT_PLAYERS", "persistent_players", "record_window", "window_row", "windows"]

PERSISTENT_PLAYERS = "persistent_players"
"""key of `League.state` under which the wishes of a commissioner are stored"""


def record_window(session: Session, league: League, body: WindowCreate, *, now: datetime) -> RecordedWindow:
    """Store a window. The same window under the same `source_id` is stored once."""
    episodes = [row.model_dump(mode="json") for row in sorted(body.episodes, key=lambda row: row.player_id)]
    known = (RecordedWindow.league_id == league.id, RecordedWindow.source_id == body.source_id)
    existing = session.scalar(select(RecordedWindow).where(*known))
    if existing is not None:
        same = (existing.started_at, existing.ended_at, existing.episodes) == (body.started_at, body.ended_at, episodes)
        if not same:
            raise Conflict(f"Another window was recorded as {body.source_id!r}")
        return existing
    live = select(Membership.player_id, Membership.policy_version_id, Membership.division_id).where(
        Membership.league_id == league.id, is_live()
    )
    members: dict[tuple[str, uuid.UUID], set[uuid.UUID]] = {}
    for player_id, version, division_id in session.execute(live):
        members.setdefault((player_id, version), set()).add(division_id)
    for row in body.episodes:
        if (row.player_id, row.policy_version_id) not in members:
            raise Unprocessable(
                f"The policy version {row.policy_version_id} of {row.player_id} is not a member of this league"
            )
    window = RecordedWindow(
        league_id=league.id,
        source_id=body.source_id,
        started_at=body.started_at,
        ended_at=body.ended_at,
        episodes=episodes,
        created_at=now,
    )
    session.add(window)
    session.flush()
    divisions = set[uuid.UUID]().union(*(members[row.player_id, row.policy_version_id] for row in body.episodes))
    division = divisions.pop() if len(divisions) == 1 else None
    events.note(session, Change(ChangeKind.WINDOW, ids=frozenset({league.id}), division=division))
    return window


def windows(session: Session, league: League, page: CursorPage) -> Slice[RecordedWindow]:
    """Return a page of the windows of a league, newest first."""
    statement = select(RecordedWindow).where(RecordedWindow.league_id == league.id)
    return page.of(session, statement, RecordedWindow.created_at, RecordedWindow.id)


def window_row(window: RecordedWindow) -> RecordedWindowRow:
    return RecordedWindowRow(
        id=public_id("pww", window.id),
        source_id=window.source_id,
        started_at=window.started_at,
        ended_at=window.ended_at,
        episodes=window.episodes,
        round_id=None if window.round_id is None else public_id("round", window.round_id),
        created_at=window.created_at,
    )


def persistent_players(session: Session, league: League) -> Sequence[PersistentPlayer]:
    """Return the players whose games should be running: the champions of a persistent ladder, or what a commissioner
    last asked for."""
    members = entries.live_memberships(session, league.id)
    if league.commissioner_key != "platform":
        live = {(row.player_id, str(row.policy_version_id)) for row in members}
        asked: list[dict[str, Any]] = league.state.get(PERSISTENT_PLAYERS, [])
        found = [PersistentPlayer.model_validate(row) for row in asked]
        return [row for row in found if (row.player_id, str(row.policy_version_id)) in live]
    persistent = SettingsDocument.model_validate(league.settings).ladder.persistent
    if persistent is None or not persistent.enabled:
        return []
    champions = [row for row in members if row.is_champion and row.status is MembershipStatus.COMPETING]
    return [
        PersistentPlayer(
            player_id=row.player_id,
            policy_version_id=row.policy_version_id,
            tags={},
            game_config_overrides=persistent.game_config_overrides,
            config_overlay_secret=persistent.runtime.game_config_overlay_secret,
        )
        for row in sorted(champions, key=lambda row: (row.created_at, row.id))
    ]
