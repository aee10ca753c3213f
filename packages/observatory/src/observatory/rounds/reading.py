"""Read the facts of a division from the database."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, joinedload

from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import (
    Division,
    DivisionType,
    GradeRequest,
    LadderRating,
    League,
    LeagueSubmission,
    Membership,
    MembershipStatus,
    Round,
    RoundStatus,
)
from observatory.database.tables.leagues import RecordedWindow as WindowRow
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, EpisodeSeat
from observatory.games.coworlds import coworlds
from observatory.ladder.plans import GameVariant
from observatory.ladder.rating import Standing
from observatory.leagues.ladder_settings import SettingsDocument
from observatory.leagues.repository import ACTIVE_ROUND, is_live, played_coworld
from observatory.leagues.seeds import variant_ids
from observatory.requests.transitions import ENDED
from observatory.rounds.boards import ranks
from observatory.rounds.facts import (
    ActiveRound,
    Attempt,
    AttemptState,
    DivisionFacts,
    FrozenRound,
    LastRound,
    Level,
    Member,
    RecordedWindow,
)

__all__ = ["PLATFORM", "Reader", "due_divisions", "idle_divisions", "read_standings"]

PLATFORM = "platform"
"""the `commissioner_key` of leagues that this ladder plays"""
INFRASTRUCTURE = frozenset(
    {
        "player_never_started",
        "platform_error",
        "worker_error",
        "worker_oom",
        "config_error",
        "player_file_unavailable",
        "player_file_mismatch",
        "node_disruption",
        "episode_inconclusive",
        "cancelled",
    }
)
"""failures that no policy and no game is at fault for"""
TRIES = {"player_never_started": 3}
_MAX_CACHED = 256
_PLAYED = (Round.status.in_(ACTIVE_ROUND), Round.plan.is_not(None))
"""rounds that this ladder plays"""
_RECENT_ROUNDS = 20


def due_divisions(session: Session) -> list[uuid.UUID]:
    """Return the divisions whose round can be continued: no episode of it is open, or one has failed."""
    episode = EpisodeRequest
    of_round = select(episode.id).where(episode.round_id == Round.id)
    failed = of_round.where(episode.status.in_((EpisodeRequestStatus.FAILED, EpisodeRequestStatus.CANCELLED)))
    is_due = or_(~of_round.where(episode.status.not_in(ENDED)).exists(), failed.exists())
    return list(session.scalars(select(Round.division_id).where(*_PLAYED, is_due).order_by(Round.created_at, Round.id)))


def idle_divisions(session: Session) -> list[uuid.UUID]:
    """Return the divisions of leagues with a ladder in which no round is played."""
    playing = select(Round.division_id).where(Round.status.in_(ACTIVE_ROUND))
    is_open = (League.commissioner_key == PLATFORM, League.disabled_at.is_(None), Division.archived_at.is_(None))
    statement = select(Division.id, League.settings).join(Division.league).where(*is_open, Division.id.not_in(playing))
    rows = session.execute(statement.order_by(Division.created_at, Division.id))
    return [row[0] for row in rows if row[1].get("ladder", {}).get("enabled")]


def read_standings(session: Session, league_id: uuid.UUID, players: Collection[str]) -> dict[str, Standing]:
    row = LadderRating
    statement = select(row.player_id, row.standing).where(row.league_id == league_id, row.player_id.in_(players))
    return {player_id: Standing(**standing) for player_id, standing in session.execute(statement)}


class Reader:
    """Reads facts; keeps what never changes: the plans of rounds and the variants of games."""

    def __init__(self) -> None:
        self._plans: dict[uuid.UUID, FrozenRound] = {}
        self._variants: dict[uuid.UUID, tuple[GameVariant, ...]] = {}

    def read(self, session: Session, division_id: uuid.UUID) -> DivisionFacts:
        statement = select(Division).where(Division.id == division_id)
        loaded = joinedload(Division.league).joinedload(League.game)
        division = session.scalars(statement.options(loaded).execution_options(populate_existing=True)).one()
        league = division.league
        settings = SettingsDocument.model_validate(league.settings)
        rounds = _recent(session, division_id)
        row = next((row for row in rounds if row.status in ACTIVE_ROUND), None)
        active = None if row is None or row.commissioner_key != PLATFORM else self._active(session, row)
        members = () if active is not None else _members(session, division)
        players = [member.player_id for member in (members if active is None else active.plan.entrants)]
        coworld = None if active is not None else played_coworld(session, league)
        config = league.commissioner_config
        least = _number(config.get("minimum_champions"))
        pool = league.seed_policies.get("policy_version_ids", [])
        return DivisionFacts(
            division_id=division_id,
            league_id=league.id,
            is_staging=division.type is DivisionType.STAGING,
            settings=settings,
            interval_minutes=settings.round_interval_minutes or _number(config.get("schedule_interval_minutes")),
            minimum_champions=None if least is None else int(least),
            is_paused=league.rounds_paused_at is not None or league.disabled_at is not None,
            triggered_at=league.round_triggered_at,
            active=active,
            last=None if active is not None else _last(rounds),
            failures=_failures(rounds),
            members=members,
            standings=read_standings(session, league.id, players),
            coworld_id=None if coworld is None else coworld.id,
            variants=() if coworld is None else self._game(coworld, league.default_variant_id),
            pool=tuple(uuid.UUID(version) for version in pool),
            neutral_seats=int(league.seed_policies.get("count", 0)),
            grades_wanted=frozenset() if active is not None else _grades(session, league.id),
            fixed=() if active is not None else _fixed(session, league, settings),
            levels=_levels(session, league.id),
            leader=_leader(division),
            window=None if active is not None else _window(session, settings, league, members),
        )

    def _active(self, session: Session, row: Round) -> ActiveRound:
        return ActiveRound(
            row.id, row.round_number, row.created_at, self.plan(row), _attempts(session, self.plan(row), row)
        )

    def plan(self, row: Round) -> FrozenRound:
        if row.id not in self._plans:
            assert row.plan is not None
            if len(self._plans) >= _MAX_CACHED:
                self._plans.clear()
            self._plans[row.id] = FrozenRound.read(row.plan)
        return self._plans[row.id]

    def _game(self, coworld: Coworld, default: str | None) -> tuple[GameVariant, ...]:
        """Return the variants of a game, the default one first; none for a game that cannot be played."""
        if coworld.id not in self._variants:
            if len(self._variants) >= _MAX_CACHED:
                self._variants.clear()
            try:
                self._variants[coworld.id] = tuple(
                    GameVariant(name, len(coworlds().own_players(coworld.manifest, variant_id=name)))
                    for name in _variant_names(coworld)
                )
            except (ValueError, KeyError):
                self._variants[coworld.id] = ()
        variants = self._variants[coworld.id]
        return tuple(sorted(variants, key=lambda variant: variant.id != default))


def _variant_names(coworld: Coworld) -> list[str | None]:
    """Return the variants of a game; without any it plays its certification fixture, which has no name."""
    return [*variant_ids(coworld)] or [None]


def _recent(session: Session, division_id: uuid.UUID) -> Sequence[Round]:
    statement = select(Round).where(Round.division_id == division_id).order_by(Round.round_number.desc())
    return session.scalars(statement.limit(_RECENT_ROUNDS).execution_options(populate_existing=True)).all()


def _last(rounds: Sequence[Round]) -> LastRound | None:
    if not rounds:
        return None
    row = rounds[0]
    entrants = (row.plan or {}).get("entrants", [])
    versions = frozenset(uuid.UUID(member["policy_version_id"]) for member in entrants)
    return LastRound(row.round_number, row.created_at, row.completed_at, versions)


def _failures(rounds: Sequence[Round]) -> int:
    failures = 0
    for row in rounds:
        if row.status is not RoundStatus.FAILED:
            break
        failures += 1
    return failures


def _members(session: Session, division: Division) -> tuple[Member, ...]:
    """Return the champions of a division, or the members of a staging division, in the order of their entry."""
    member = Membership
    statement = (
        select(member.id, member.player_id, member.policy_version_id, LeagueSubmission.preferences)
        .outerjoin(LeagueSubmission, LeagueSubmission.membership_id == Membership.id)
        .where(Membership.division_id == division.id, is_live())
        .order_by(Membership.created_at, Membership.id)
    )
    if division.type is DivisionType.STAGING:
        statement = statement.where(Membership.status == MembershipStatus.QUALIFYING)
    else:
        statement = statement.where(Membership.is_champion, Membership.status == MembershipStatus.COMPETING)
    return tuple(
        Member(found, player_id, version, preferences or {})
        for found, player_id, version, preferences in session.execute(statement)
    )


def _grades(session: Session, league_id: uuid.UUID) -> frozenset[uuid.UUID]:
    requests = session.scalars(select(GradeRequest).where(GradeRequest.league_id == league_id))
    return frozenset(uuid.UUID(version) for request in requests for version in request.waiting)


def _fixed(session: Session, league: League, settings: SettingsDocument) -> tuple[uuid.UUID, ...]:
    """Return the fixed partners in gradings: versions of the league's owner, and members of the league."""
    continuous = settings.ladder.continuous
    if continuous is None or not continuous.fixed_policy_version_ids:
        return ()
    named = [found for text in continuous.fixed_policy_version_ids if (found := _uuid(text)) is not None]
    members = select(Membership.policy_version_id).where(Membership.league_id == league.id, is_live())
    is_allowed = or_(Policy.user_id == league.user_id, PolicyVersion.id.in_(members))
    statement = select(PolicyVersion.id).join(PolicyVersion.policy).where(PolicyVersion.id.in_(named), is_allowed)
    allowed = set(session.scalars(statement))
    return tuple(version for version in named if version in allowed)


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _leader(division: Division) -> str | None:
    """Return the player that has the first rank of the published table alone."""
    first = [player_id for player_id, rank in ranks(division.leaderboards).items() if rank == 1]
    return first[0] if len(first) == 1 else None


def _window(
    session: Session, settings: SettingsDocument, league: League, members: Sequence[Member]
) -> RecordedWindow | None:
    """Return the oldest window of exactly these members that no round counts."""
    persistent = settings.ladder.persistent
    if persistent is None or not persistent.enabled:
        return None
    roster = {(member.player_id, str(member.policy_version_id)) for member in members}
    row = WindowRow
    statement = select(row).where(row.league_id == league.id, row.round_id.is_(None))
    for found in session.scalars(statement.order_by(row.ended_at, row.created_at, row.id)):
        window = RecordedWindow.read({"id": str(found.id), "scores": [_score(episode) for episode in found.episodes]})
        if {(player, str(version)) for player, version, _ in window.scores} == roster:
            return window
    return None


def _score(episode: Mapping[str, Any]) -> tuple[str, str, float]:
    return episode["player_id"], episode["policy_version_id"], episode["score"]


def _levels(session: Session, league_id: uuid.UUID) -> tuple[Level, ...]:
    is_open = (Division.type == DivisionType.COMPETITION, Division.archived_at.is_(None))
    statement = select(Division.id, Division.level).where(Division.league_id == league_id, *is_open)
    return tuple(Level(row[0], row[1]) for row in session.execute(statement.order_by(Division.level, Division.name)))


def _attempts(session: Session, plan: FrozenRound, row: Round) -> tuple[Attempt, ...]:
    """Return all attempts; their scores only when none is open, because only then are they needed."""
    request = EpisodeRequest
    columns = (request.id, request.number, request.status, request.error_type, request.failed_policy_index)
    statement = select(*columns, request.error).where(request.round_id == row.id)
    rows = session.execute(statement.order_by(request.created_at, request.id)).all()
    scores: dict[uuid.UUID, list[float]] = {}
    if all(found.status in ENDED for found in rows):
        seats = (
            select(EpisodeSeat.episode_request_id, EpisodeSeat.score)
            .join(request, request.id == EpisodeSeat.episode_request_id)
            .where(request.round_id == row.id, request.status == EpisodeRequestStatus.COMPLETED)
            .order_by(EpisodeSeat.episode_request_id, EpisodeSeat.position)
        )
        for episode_id, score in session.execute(seats):
            scores.setdefault(episode_id, []).append(score or 0.0)
    return tuple(_attempt(plan, found, tuple(scores.get(found.id, ()))) for found in rows)


def _attempt(plan: FrozenRound, row: Any, scores: tuple[float, ...]) -> Attempt:
    slot, error = row.number, row.error
    match row.status:
        case EpisodeRequestStatus.COMPLETED:
            return Attempt(slot, AttemptState.PLAYED, scores)
        case EpisodeRequestStatus.CANCELLED:
            return Attempt(slot, AttemptState.BROKEN, error=error or "it was cancelled")
        case EpisodeRequestStatus.FAILED:
            blamed = row.failed_policy_index
            if row.error_type == "player_error" and blamed is not None:
                is_entrant = plan.episodes[slot].seats[blamed].entrant is not None
                return Attempt(slot, AttemptState.AT_FAULT if is_entrant else AttemptState.FAILED, (), blamed, error)
            is_broken = row.error_type in INFRASTRUCTURE
            state = AttemptState.BROKEN if is_broken else AttemptState.FAILED
            return Attempt(slot, state, error=error, tries=TRIES.get(row.error_type))
    return Attempt(slot, AttemptState.OPEN)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None
