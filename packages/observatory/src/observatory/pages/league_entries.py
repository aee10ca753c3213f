"""The caller's own policy versions in a league: state, reason, and what the caller may do about it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import (
    Division,
    League,
    LeagueSubmission,
    Membership,
    MembershipEvent,
    MembershipStatus,
)
from observatory.leagues import entries
from observatory.leagues.champions import label
from observatory.pages import league_queries as queries
from observatory.pages.boards import SCORE, board_of
from observatory.pages.league_schemas import (
    DivisionCard,
    LeagueEntry,
    LeagueEntryState,
    PlayerRef,
    RefusedSubmission,
)
from observatory.pages.names import names_of
from observatory.pages.round_lines import division_ref
from observatory.public_ids import parse_public_id, public_id

__all__ = ["my_entries", "refused_submissions"]

MAX_ENTRIES = 50
MAX_REFUSED = 5


def my_entries(
    session: Session,
    league: League,
    cards: Sequence[DivisionCard],
    divisions: Sequence[Division],
    principal: Principal,
) -> list[LeagueEntry]:
    """Return the caller's versions in a league: live ones first, then the newest."""
    statement = entries.with_all().where(Membership.league_id == league.id, Membership.user_id == principal.user_id)
    if principal.player_id is not None:
        statement = statement.where(Membership.player_id == principal.player_id)
    order = (Membership.end_time.is_not(None), Membership.created_at.desc(), Membership.id.desc())
    members = session.scalars(statement.order_by(*order).limit(MAX_ENTRIES)).all()
    if not members:
        return []
    changes = queries.last_events(session, [member.id for member in members])
    names = names_of(session, [member.policy_version_id for member in members])
    rounds = {parse_public_id("round", card.round.id): card.round.number for card in cards if card.round is not None}
    versions = [member.policy_version_id for member in members]
    playing = queries.seated_versions(session, list(rounds), versions) if rounds else {}
    boards = {division.id: board for division in divisions if (board := board_of(session, division)) is not None}
    champions = {member.player_id: label(member) for member in members if member.is_champion}
    states = {parse_public_id("div", card.id): card for card in cards}
    found = []
    for member in members:
        state = _state(member, playing)
        change = changes.get(member.id)
        board = boards.get(member.division_id)
        place = board.players().get(member.player_id) if board is not None and member.is_champion else None
        is_competing = member.end_time is None and member.status is MembershipStatus.COMPETING
        number = rounds.get(playing[member.policy_version_id]) if member.policy_version_id in playing else None
        found.append(
            LeagueEntry(
                membership_id=public_id("lpm", member.id),
                player=PlayerRef(id=member.player.id, name=member.player.name),
                policy=names[member.policy_version_id],
                division=division_ref(member.division),
                state=state,
                is_champion=member.is_champion,
                status=member.status,
                substatus=member.substatus,
                rank=None if place is None else place[0],
                score=None if place is None or board is None else board.score(place[1]),
                score_label=SCORE if board is None else board.label,
                why=_why(member, state, change, champions, states.get(member.division_id), number),
                last_event=member.status if change is None else change.reason,
                last_event_at=member.created_at if change is None else change.created_at,
                can_be_champion=is_competing and not member.is_champion,
                can_retire=member.end_time is None,
            )
        )
    return found


def _state(member: Membership, playing: Mapping[uuid.UUID, uuid.UUID]) -> LeagueEntryState:
    if member.status is MembershipStatus.DISQUALIFIED:
        return LeagueEntryState.DISQUALIFIED
    if member.end_time is not None:
        return LeagueEntryState.RETIRED
    if member.policy_version_id in playing:
        return LeagueEntryState.PLAYING
    if member.status is MembershipStatus.QUALIFYING:
        return LeagueEntryState.QUALIFYING
    if member.is_champion:
        return LeagueEntryState.CHAMPION
    return LeagueEntryState.BENCHED if member.status is MembershipStatus.COMPETING else LeagueEntryState.WAITING


def _why(
    member: Membership,
    state: LeagueEntryState,
    change: MembershipEvent | None,
    champions: Mapping[str, str],
    card: DivisionCard | None,
    number: int | None,
) -> str:
    """Return one sentence: what the version waits for, or why it does not play."""
    reason = "" if change is None else change.reason
    match state:
        case LeagueEntryState.PLAYING:
            return f"It plays in round {number} now"
        case LeagueEntryState.CHAMPION:
            why = "" if card is None or card.round is not None or card.next_at is not None else f". {card.why}"
            return f"It plays in the next round{why}"
        case LeagueEntryState.QUALIFYING:
            return f"It has to qualify in {member.division.name} before it competes"
        case LeagueEntryState.BENCHED if member.player_id in champions:
            return f"{champions[member.player_id]} is the champion of {member.player.name} and plays instead"
        case LeagueEntryState.BENCHED:
            return f"{member.player.name} has no champion; make this version the champion to let it play"
        case LeagueEntryState.DISQUALIFIED | LeagueEntryState.RETIRED:
            return reason or "It has left the league"
    return reason or "It waits for the commissioner"


def refused_submissions(session: Session, league: League, principal: Principal) -> list[RefusedSubmission]:
    """Return the caller's last submissions that were not placed, newest first."""
    submission = LeagueSubmission
    conditions = (
        submission.league_id == league.id,
        submission.user_id == principal.user_id,
        submission.membership_id.is_(None),
    )
    statement = select(submission).where(*conditions).order_by(submission.created_at.desc(), submission.id.desc())
    if principal.player_id is not None:
        statement = statement.where(submission.player_id == principal.player_id)
    rows = session.scalars(statement.limit(MAX_REFUSED)).all()
    names = names_of(session, [row.policy_version_id for row in rows]) if rows else {}
    return [
        RefusedSubmission(
            policy=names[row.policy_version_id], status=row.status, notes=row.notes, created_at=row.created_at
        )
        for row in rows
    ]
