"""Fill the seats of episodes: policies by name, the best of a league, or members drawn at random."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import (
    Division,
    DivisionType,
    League,
    Membership,
    Round,
    RoundResult,
    RoundStatus,
)
from observatory.database.tables.policies import Policy, PolicyKind, PolicyVersion, SelectionScope
from observatory.errors import BadRequest
from observatory.experience.schemas import RosterEntry, RosterPlayer
from observatory.leagues.repository import is_live
from observatory.requests.creation import SeatPlan

__all__ = ["Roster"]

_LABEL = re.compile(r"(?P<name>.+?)(?::v?(?P<version>[0-9]{1,9}))?")


@dataclass(frozen=True)
class Roster:
    """Chooses the policies of a caller's request. The league, if any, is one that the caller may see."""

    session: Session
    principal: Principal
    league: League | None = None
    division: Division | None = None
    choice: Callable[[Sequence[Membership]], Membership] = random.choice

    def episodes(self, entries: Sequence[RosterEntry], count: int, players: Sequence[str]) -> list[list[SeatPlan]]:
        """Return the seats of each episode; `BadRequest` for an entry that draws nothing. `players` are the game's."""
        ordered = _in_order(entries)
        fixed = {slot: self._fixed(player, players) for slot, player in enumerate(ordered)}
        return [self._episode(ordered, fixed, number) for number in range(count)]

    def _episode(
        self, players: Sequence[RosterPlayer], fixed: dict[int, SeatPlan | None], number: int
    ) -> list[SeatPlan]:
        seats = dict(fixed)
        taken = [
            seat.policy_version.id for seat in fixed.values() if seat is not None and seat.policy_version is not None
        ]
        turn = number
        for slot, player in enumerate(players):
            if seats[slot] is not None:
                continue
            candidates = self._champions[: player.top_n] if player.top_n is not None else self._members
            if player.distinct:
                candidates = [member for member in candidates if member.policy_version_id not in taken]
            if not candidates:
                raise BadRequest(self._nothing_to_draw(slot, player))
            if player.top_n is not None:
                member, turn = candidates[turn % len(candidates)], turn + 1
            else:
                member = self.choice(candidates)
            taken.append(member.policy_version_id)
            seats[slot] = SeatPlan(member.policy_version, player_id=member.player_id)
        return [seat for _, seat in sorted(seats.items()) if seat is not None]

    def _fixed(self, player: RosterPlayer, game_players: Sequence[str]) -> SeatPlan | None:
        """Return a seat that is the same in every episode; None for one that is drawn."""
        if player.policy_ref is not None:
            return SeatPlan(self._by_reference(player.policy_ref))
        if player.game_player is not None:
            if player.game_player not in game_players:
                raise BadRequest(
                    f"The game has no player {player.game_player!r}; it has: {', '.join(game_players) or 'none'}"
                )
            return SeatPlan(game_player_id=player.game_player)
        if self.league is None:
            kind = "random" if player.random else "top_n"
            raise BadRequest(f"`{kind}` draws from a league; name one in `target`, or seat a `policy_ref`")
        return None

    def _nothing_to_draw(self, slot: int, player: RosterPlayer) -> str:
        assert self.league is not None
        if player.top_n is None:
            what = "other live member" if player.distinct else "live member"
            return f"Seat {slot} cannot be drawn: the league {self.league.name!r} has no {what}"
        what = "other champion" if player.distinct else "champion"
        return (
            f"Seat {slot} cannot be drawn: the competition division of {self.league.name!r} has no {what}; "
            "use `random` for any member, or a `policy_ref`"
        )

    def _by_reference(self, reference: str) -> PolicyVersion:
        """Return the version that a label or an id names, if the caller may seat it."""
        try:
            condition: ColumnElement[bool] = PolicyVersion.id == uuid.UUID(reference)
        except ValueError:
            match = _LABEL.fullmatch(reference)
            assert match is not None
            condition = Policy.name == match["name"]
            if match["version"] is not None:
                condition &= PolicyVersion.version == int(match["version"])
        statement = select(PolicyVersion).join(PolicyVersion.policy).options(joinedload(PolicyVersion.policy))
        newest = (PolicyVersion.version.desc(), PolicyVersion.id.desc())
        found = self.session.scalars(statement.where(condition).order_by(*newest).limit(1000)).all()
        version = self._preferred(reference, [version for version in found if self._is_selectable(version)])
        if version is None:
            raise BadRequest(
                f"There is no policy {reference!r} that you may seat: it must be yours, a live member of the league, "
                "or open to all requests"
            )
        if version.kind is PolicyKind.DESCRIPTION:
            raise BadRequest(f"The policy {reference!r} cannot play: nothing was uploaded for it")
        return version

    def _preferred(self, reference: str, found: Sequence[PolicyVersion]) -> PolicyVersion | None:
        """Return the newest version of the caller's own policy of a name, else of the only other one."""
        own = [version for version in found if version.policy.user_id == self.principal.user_id]
        if own or not found:
            return own[0] if own else None
        if len({version.policy_id for version in found}) > 1:
            raise BadRequest(f"Several users have a policy {reference!r}; name it by the id of its version")
        return found[0]

    def _is_selectable(self, version: PolicyVersion) -> bool:
        if version.policy.user_id == self.principal.user_id or self.principal.is_admin:
            return True
        if version.policy.selection_scope is SelectionScope.ANY_REQUEST:
            return True
        return any(member.policy_version_id == version.id for member in self._members)

    @cached_property
    def _members(self) -> list[Membership]:
        """Return the live members of the league, or of one of its divisions."""
        if self.league is None:
            return []
        statement = select(Membership).where(Membership.league_id == self.league.id, is_live())
        if self.division is not None:
            statement = statement.where(Membership.division_id == self.division.id)
        version = joinedload(Membership.policy_version).joinedload(PolicyVersion.policy)
        return list(self.session.scalars(statement.options(version).order_by(Membership.created_at, Membership.id)))

    @cached_property
    def _champions(self) -> list[Membership]:
        """Return the champions of the competition division, the best first: by the ranks of its last round."""
        division_id = self._competition_id
        champions = [member for member in self._members if member.is_champion and member.division_id == division_id]
        ended = Round.status == RoundStatus.COMPLETED
        last = select(Round.id).where(Round.division_id == division_id, ended)
        last = last.order_by(Round.round_number.desc()).limit(1)
        statement = select(RoundResult.player_id, RoundResult.rank).where(RoundResult.round_id.in_(last))
        ranks: dict[str | None, int] = {row[0]: row[1] for row in self.session.execute(statement)}
        unranked = len(ranks) + 1
        return sorted(champions, key=lambda member: (ranks.get(member.player_id, unranked), member.start_time))

    @cached_property
    def _competition_id(self) -> uuid.UUID | None:
        assert self.league is not None
        if self.division is not None:
            return self.division.id
        competition = (Division.league_id == self.league.id, Division.type == DivisionType.COMPETITION)
        statement = select(Division.id).where(*competition, Division.archived_at.is_(None))
        return self.session.scalar(statement.order_by(Division.level.desc()).limit(1))


def _in_order(entries: Sequence[RosterEntry]) -> list[RosterPlayer]:
    """Return the players by their slots: pinned ones first, the others fill the gaps in order."""
    seats: dict[int, RosterPlayer] = {}
    for entry in entries:
        if entry.slot is not None and entry.slot >= 0:
            if entry.slot >= len(entries):
                raise BadRequest(f"Slot {entry.slot} does not exist: the roster has {len(entries)} seats, from 0")
            if entry.slot in seats:
                raise BadRequest(f"Slot {entry.slot} is in the roster twice")
            seats[entry.slot] = entry.player
    free = iter(slot for slot in range(len(entries)) if slot not in seats)
    for entry in entries:
        if entry.slot is None or entry.slot < 0:
            seats[next(free)] = entry.player
    return [seats[slot] for slot in range(len(entries))]
