"""The page of a division: its lines, its table in several views, and its members."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage
from observatory.database.cache import cached_value
from observatory.database.tables.leagues import Division, Membership, MembershipStatus
from observatory.errors import NotFound
from observatory.ladder.rating import SETTLED_ROUNDS
from observatory.leagues import entries, repository
from observatory.leagues.entries import EntryFilter
from observatory.leagues.standings import default_view, leaderboards
from observatory.pages import league_queries as queries
from observatory.pages.boards import SCORE, board_in, measured_in, measured_label, number, version_of
from observatory.pages.division_lines import lines_of, zone
from observatory.pages.league_cards import cards_of
from observatory.pages.league_schemas import (
    DivisionPage,
    DivisionRow,
    DivisionTable,
    DivisionView,
    FormPoint,
    LeagueRef,
    MemberLine,
    MembersPage,
    PlayerRef,
    WaitingChampion,
)
from observatory.pages.leagues import may_manage, rules_of
from observatory.pages.names import names_of
from observatory.pages.round_lines import division_ref
from observatory.public_ids import public_id
from observatory.rounds.loop import LeagueLoop

__all__ = ["division_page", "division_table", "members_page"]

RECENT_FORM = 10
_OWN_COLUMNS = ("rank", "low", "high", "rounds_played", "settling", "mean_score")
"""columns of the ladder that the page draws in its own way"""


def division_page(session: Session, division: Division, principal: Principal | None, loop: LeagueLoop) -> DivisionPage:
    league = division.league
    siblings = repository.divisions(session, principal, league_id=league.id)
    listed = siblings if division in siblings else [*siblings, division]  # an archived one is not among them
    cards = cards_of(session, [league], listed, loop)[league.id]
    card = next(card for card in cards.divisions if card.id == public_id("div", division.id))
    return DivisionPage(
        **dict(card),
        league=LeagueRef(id=public_id("league", league.id), name=league.name),
        game=cards.league.game,
        archived_at=division.archived_at,
        lines=lines_of(division, siblings),
        rules=rules_of(division),
        rounds=queries.completed_counts(session, [division.id]).get(division.id, 0),
        ladder=[division_ref(sibling) for sibling in siblings],
        may_manage=may_manage(league, principal),
    )


def division_table(
    session: Session, division: Division, principal: Principal | None, *, view_key: str | None
) -> DivisionTable:
    """Return one view of a division's table, by default the one that represents it."""
    siblings = repository.divisions(session, principal, league_id=division.league_id)
    lines = lines_of(division, siblings)
    champions = entries.champions_in(session, division.id)
    document = leaderboards(session, division)
    views = [] if document is None else document.views
    if view_key is not None and all(view.key != view_key for view in views):
        raise NotFound(f"Division {division.name!r} has no view {view_key!r}")
    if document is None or not views:
        view, board = None, None
    else:
        chosen = next((view for view in views if view.key == view_key), None)
        view = chosen or default_view(document)
        board = board_in(view)
    if view is not None and view is not views[0]:
        lines = lines.model_copy(
            update={"promote_above": None, "relegate_below": None}
        )  # they are about the first view
    ranked = [] if board is None else board.rows()
    shown = {row.subject_id for _, row in ranked}
    versions = [version for _, row in ranked if (version := version_of(row)) is not None]
    names = names_of(session, [*versions, *(champion.policy_version_id for champion in champions)])
    form = _form(session, division.id)
    measured = None if view is None else measured_label(view)
    rows = []
    for rank, row in ranked:
        version = version_of(row)
        score = None if board is None else board.score(row)
        is_player = row.subject_type == "player"
        low, high = number(row, "low"), number(row, "high")
        rounds = number(row, "rounds_played")
        rows.append(
            DivisionRow(
                rank=rank,
                subject_id=row.subject_id,
                player=PlayerRef(id=row.subject_id, name=row.subject_name or row.subject_id) if is_player else None,
                name=row.subject_name or row.subject_id,
                policy=None if version is None else names.get(version),
                score=score,
                measured=measured_in(row, measured),
                low=low,
                high=high,
                rounds=None if rounds is None else int(rounds),
                settling=row.values.get("settling") is True,
                zone=zone(score, lines),
                values=row.values,
                form=form.get(row.subject_id, []),
            )
        )
    own = set(_OWN_COLUMNS) | ({board.key} if board is not None and board.key is not None else set())
    return DivisionTable(
        division=division_ref(division),
        views=[
            DivisionView(
                key=one.key, title=one.title or one.key, description=one.description or "", axis_values=one.axis_values
            )
            for one in views
        ],
        view=None if view is None else view.key,
        score_label=SCORE if board is None else board.label,
        score_key=None if board is None else board.key,
        measured_label=measured,
        columns=[] if view is None else [column for column in view.columns if column.key not in own],
        rows=rows,
        lines=lines,
        waiting=[
            WaitingChampion(
                player=PlayerRef(id=member.player.id, name=member.player.name),
                policy=names[member.policy_version_id],
                since=member.start_time,
            )
            for member in champions
            if member.player_id not in shown
        ],
        settled_rounds=SETTLED_ROUNDS,
    )


def _form(session: Session, division_id: uuid.UUID) -> Mapping[str, list[FormPoint]]:
    """Return the results of each player in the last rounds; read again only when the division completed another."""
    key = ("division form", division_id, *repository.completed_stamp(session, division_id))
    return cached_value(session, key, (), lambda: _read_form(session, division_id))


def _read_form(session: Session, division_id: uuid.UUID) -> dict[str, list[FormPoint]]:
    form: dict[str, list[FormPoint]] = {}
    for result in repository.played_rounds(session, division_id, RECENT_FORM, with_metadata=True):  # newest first
        points = form.setdefault(result.player_id, [])
        if points and points[-1].number == result.round_number:
            continue  # the best result of a player in a round counts
        rating = result.metadata.get("rating_after")
        points.append(
            FormPoint(
                round_id=public_id("round", result.round_id),
                number=result.round_number,
                rank=result.rank,
                of=result.entrants,
                score=result.score,
                rating=rating if isinstance(rating, int | float) else None,
            )
        )
    return {player: points[::-1] for player, points in form.items()}


def members_page(
    session: Session, division: Division, principal: Principal | None, page: CursorPage, *, live_only: bool
) -> MembersPage:
    """Return members of a division, newest first."""
    filters = EntryFilter(division_id=division.id, active_only=live_only)
    found = entries.memberships(session, filters, page, principal)
    total = session.scalar(select(func.count()).where(Membership.division_id == division.id)) or 0
    live = queries.member_numbers(session, [division.id]).get(division.id)
    return MembersPage(
        rows=_members(session, found.rows, principal, manages=may_manage(division.league, principal)),
        live=0 if live is None else live.live,
        total=total,
        next_cursor=found.next_cursor,
    )


def _members(
    session: Session, members: Sequence[Membership], principal: Principal | None, *, manages: bool
) -> list[MemberLine]:
    changes = queries.last_events(session, [member.id for member in members])
    names = names_of(session, [member.policy_version_id for member in members])
    lines = []
    for member in members:
        change = changes.get(member.id)
        is_mine = (
            principal is not None
            and member.user_id == principal.user_id
            and principal.player_id in (None, member.player_id)
        )
        is_competing = member.end_time is None and member.status is MembershipStatus.COMPETING
        lines.append(
            MemberLine(
                membership_id=public_id("lpm", member.id),
                player=PlayerRef(id=member.player.id, name=member.player.name),
                policy=names[member.policy_version_id],
                status=member.status,
                substatus=member.substatus,
                is_champion=member.is_champion,
                since=member.start_time,
                ended_at=member.end_time,
                reason="" if change is None else change.reason,
                reason_at=member.created_at if change is None else change.created_at,
                is_mine=is_mine,
                can_retire=member.end_time is None and (is_mine or manages),
                can_be_champion=is_competing and not member.is_champion and is_mine,
            )
        )
    return lines
