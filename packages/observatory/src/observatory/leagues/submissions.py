"""Submit policy versions to leagues. A submission is placed or rejected in the transaction that creates it."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts import repository as accounts
from observatory.accounts.principal import Principal
from observatory.database.tables.accounts import Player
from observatory.database.tables.leagues import (
    AutoChampion,
    Division,
    DivisionType,
    League,
    LeagueSubmission,
    Membership,
    MembershipStatus,
    SubmissionStatus,
)
from observatory.database.tables.policies import PolicyKind, PolicyVersion
from observatory.errors import Conflict, Forbidden
from observatory.events import Change, ChangeKind
from observatory.leagues import champions, entries, repository
from observatory.leagues.competition_events import publish_submission_event
from observatory.leagues.ladder_settings import SettingsDocument
from observatory.leagues.schemas import SubmissionCreate
from observatory.policies.service import own_version

__all__ = ["champion_if_wanted", "open_division", "players_per_user", "submit"]

DEFAULT_PLAYERS_PER_USER = 2


class SubmissionsLocked(Conflict):
    def __init__(self, league: League, why: str) -> None:
        super().__init__(f"League {league.name!r} takes no policies: {why}")


def submit(
    session: Session, principal: Principal, league_id: uuid.UUID, body: SubmissionCreate, *, now: datetime
) -> LeagueSubmission:
    """Enter a version of the caller in a league; the submission is placed or rejected with a reason."""
    league = repository.league(session, league_id, principal)
    player = _player(session, principal, body.player_id)
    version = own_version(session, principal, body.policy_version_id)
    _check_player_of_version(session, version, player)
    division = open_division(session, league)
    if entries.live_memberships(session, league.id, policy_version_id=version.id):
        raise Conflict(f"{version.policy.name}:v{version.version} is in league {league.name!r} already")
    submission = LeagueSubmission(
        league_id=league.id,
        policy_version_id=version.id,
        user_id=principal.user_id,
        player_id=player.id,
        auto_champion=body.auto_champion,
        preferences=body.preferences or {},
        status=SubmissionStatus.PENDING,
        created_at=now,
    )
    submission.league, submission.policy_version, submission.player = league, version, player
    session.add(submission)
    session.flush()
    events.note(session, Change(ChangeKind.LEAGUE_ENTRY, ids=frozenset({league.id})))
    _settle(session, submission, division, now=now)
    return submission


def champion_if_wanted(session: Session, membership: Membership, *, now: datetime) -> None:
    """Make a membership that starts to compete the champion of its player, if its submission asked for that."""
    submission = session.scalar(select(LeagueSubmission).where(LeagueSubmission.membership_id == membership.id))
    if submission is not None and _is_promoted(session, submission):
        champions.make_champion(session, membership, now=now)


def players_per_user(session: Session, league: League) -> int:
    """Return how many players of a user may be in a league: its settings say it, else the Coworld, else two."""
    limit = SettingsDocument.model_validate(league.settings).ladder.players_per_user
    if limit is not None:
        return limit
    coworld = repository.played_coworld(session, league)
    limit = None if coworld is None else coworld.manifest.get("players_per_user")
    return limit if isinstance(limit, int) and limit > 0 else DEFAULT_PLAYERS_PER_USER


def _player(session: Session, principal: Principal, player_id: str | None) -> Player:
    wanted = player_id or principal.player_id
    if principal.player_id is not None and wanted != principal.player_id:
        raise Forbidden("This token acts as another player; sign in as the player you submit for")
    if wanted is None:
        return next(player for player in accounts.players(session, principal.user_id) if player.is_default)
    player = accounts.player(session, wanted, user_id=principal.user_id)
    if player is None:
        raise Forbidden(f"You have no player {wanted!r}")
    if player.disabled_at is not None:
        raise Forbidden(f"Your player {player.name!r} is disabled")
    return player


def _check_player_of_version(session: Session, version: PolicyVersion, player: Player) -> None:
    is_other = version.player_id not in (None, player.id)
    if is_other or entries.other_player(session, version.id, player.id) is not None:
        raise Conflict(
            f"{version.policy.name}:v{version.version} belongs to another of your players; "
            f"upload it again to play it as {player.name!r}"
        )


def open_division(session: Session, league: League) -> Division:
    """Return the division in which a new member starts; refuse when the league is closed."""
    if league.disabled_at is not None:
        raise SubmissionsLocked(league, "it was closed")
    if league.submissions_locked_at is not None:
        since = f"{league.submissions_locked_at:%Y-%m-%d %H:%M} UTC"
        raise SubmissionsLocked(league, f"submissions are locked since {since}")
    division = repository.entry_division(session, league.id)
    if division is None:
        raise SubmissionsLocked(league, "it has no competition yet")
    return division


def _settle(session: Session, submission: LeagueSubmission, division: Division, *, now: datetime) -> None:
    problem = _problem(session, submission)
    version, league = submission.policy_version, submission.league
    name = f"{version.policy.name}:v{version.version}"
    if problem is not None:
        submission.status, submission.notes = SubmissionStatus.REJECTED, problem
        headline = f"{name} was rejected by {league.name}"
        publish_submission_event(session, "submission_rejected", submission, headline, now=now, summary=problem)
        return
    membership = _place(session, submission, division, now=now)
    submission.status, submission.membership_id = SubmissionStatus.PLACED, membership.id
    headline = f"{name} entered {league.name}"
    summary = "" if division.hidden else f"It is in {division.name}"
    publish_submission_event(session, "submission_placed", submission, headline, now=now, summary=summary)
    if membership.status is MembershipStatus.COMPETING and _is_promoted(session, submission):
        champions.make_champion(session, membership, now=now)
    limit = players_per_user(session, league)
    champions.retire_surplus_players(session, league, submission.user_id, limit=limit, now=now)


def _problem(session: Session, submission: LeagueSubmission) -> str | None:
    """Return why a submission is rejected."""
    version = submission.policy_version
    if entries.was_disqualified(session, submission.league_id, version.id):
        return "This version was disqualified in this league; upload a corrected one"
    if version.kind is PolicyKind.DESCRIPTION:
        return "This version has nothing to run; upload it with `coworld upload-policy`"
    return None


def _place(session: Session, submission: LeagueSubmission, division: Division, *, now: datetime) -> Membership:
    is_staging = division.type is DivisionType.STAGING
    membership = Membership(
        league_id=submission.league_id,
        division_id=division.id,
        policy_version_id=submission.policy_version_id,
        user_id=submission.user_id,
        player_id=submission.player_id,
        status=MembershipStatus.QUALIFYING if is_staging else MembershipStatus.COMPETING,
        substatus=champions.ACTIVE if is_staging else champions.BENCHED,
        is_champion=False,
        start_time=now,
        created_at=now,
    )
    membership.league, membership.division = submission.league, division
    membership.policy_version, membership.player = submission.policy_version, submission.player
    session.add(membership)
    champions.record(session, membership, "Submitted", now=now, is_new=True)
    return membership


def _is_promoted(session: Session, submission: LeagueSubmission) -> bool:
    if submission.auto_champion is not AutoChampion.LINEAGE:
        return submission.auto_champion is AutoChampion.ALWAYS
    champion = entries.champion(session, submission.league_id, submission.player_id)
    if champion is None:
        return False
    former, version = champion.policy_version, submission.policy_version
    return former.policy_id == version.policy_id and former.version < version.version
