"""Convert rows of leagues to response models."""

from __future__ import annotations

import uuid

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.accounts import Player
from observatory.database.tables.leagues import (
    CompetitionEvent,
    Division,
    League,
    LeagueGame,
    LeagueSeed,
    LeagueSubmission,
    Membership,
    MembershipStatus,
    Round,
    RoundResult,
)
from observatory.database.tables.policies import PolicyVersion
from observatory.leagues import repository
from observatory.leagues.describing import describe
from observatory.public_ids import public_id
from softmax.wire.leagues import (
    Competition,
    CompetitionDivision,
    CompetitionEventRow,
    CompetitionGame,
    CompetitionMembership,
    CompetitionPlayer,
    CompetitionPolicy,
    CompetitionPolicyVersion,
    CompetitionPool,
    CompetitionPoolDetail,
    CompetitionPoolEntry,
    CompetitionRound,
    CompetitionRoundDetail,
    CompetitionRoundResult,
    CompetitionSeed,
    CompetitionSubmission,
)

__all__ = ["Converter", "participation_url", "player_row", "policy_version_row", "seed_row"]

OVERLAY_SECRET = "commissioner_config_overlay_secret"
"""names a secret, so only the league's own seed shows it"""


def participation_url(base_url: str, league: League) -> str:
    return f"{base_url}/api/observatory/v2/participate?league_id={public_id('league', league.id)}"


def player_row(player: Player | None) -> CompetitionPlayer | None:
    return None if player is None else CompetitionPlayer(id=player.id, name=player.name)


def policy_version_row(version: PolicyVersion) -> CompetitionPolicyVersion:
    policy = CompetitionPolicy(id=version.policy_id, name=version.policy.name)
    return CompetitionPolicyVersion(id=version.id, policy=policy, version=version.version, player_id=version.player_id)


def seed_row(seed: LeagueSeed) -> CompetitionSeed:
    return CompetitionSeed(
        id=public_id("lseed", seed.id),
        coworld_name=seed.coworld_name,
        league_key=seed.league_key,
        league_name=seed.league_name,
        default_variant_id=seed.default_variant_id,
        template=seed.template,
        overrides=seed.overrides,
        enabled=seed.enabled,
        created_by=seed.created_by,
        created_at=seed.created_at,
        league_id=None if seed.league_id is None else public_id("league", seed.league_id),
    )


class Converter:
    """Converts the rows of one response. A league that occurs many times is converted once."""

    def __init__(self, session: Session, base_url: str, principal: Principal | None) -> None:
        self._session, self._base_url, self._principal = session, base_url, principal
        self._leagues: dict[uuid.UUID, Competition] = {}
        self._divisions: dict[uuid.UUID, CompetitionDivision] = {}
        self._canonical: dict[str, str | None] = {}

    def game(self, game: LeagueGame, locked_coworld_id: uuid.UUID | None = None) -> CompetitionGame:
        locked = None if locked_coworld_id is None else public_id("cow", locked_coworld_id)
        return CompetitionGame(
            id=public_id("game", game.id),
            name=game.name,
            slug=game.slug,
            coworld_name=game.coworld_name,
            coworld_id=locked or self._canonical_id(game.coworld_name),
            description=game.description,
            created_at=game.created_at,
        )

    def league(self, league: League) -> Competition:
        if league.id not in self._leagues:
            config = {key: value for key, value in league.commissioner_config.items() if key != OVERLAY_SECRET}
            self._leagues[league.id] = Competition(
                id=public_id("league", league.id),
                name=league.name,
                slug=league.slug,
                game=self.game(league.game, league.locked_coworld_id),
                participation_url=participation_url(self._base_url, league),
                commissioner_key=league.commissioner_key,
                commissioner_config=config,
                public=league.public,
                hidden=league.hidden,
                is_game_of_week=league.is_game_of_week,
                created_at=league.created_at,
                disabled_at=league.disabled_at,
                rounds_paused_at=league.rounds_paused_at,
            )
        return self._leagues[league.id]

    def division(self, division: Division) -> CompetitionDivision:
        if division.id not in self._divisions:
            self._divisions[division.id] = CompetitionDivision(
                id=public_id("div", division.id),
                name=division.name,
                level=division.level,
                type=division.type.value,
                hidden=division.hidden,
                league=self.league(division.league),
                description=division.description,
                archived_at=division.archived_at,
                commissioner_description=describe(division),
                created_at=division.created_at,
            )
        return self._divisions[division.id]

    def membership(self, membership: Membership) -> CompetitionMembership:
        is_live = membership.end_time is None and membership.status is not MembershipStatus.DISQUALIFIED
        return CompetitionMembership(
            id=public_id("lpm", membership.id),
            status=membership.status,
            substatus=membership.substatus,
            is_champion=membership.is_champion,
            is_active=is_live,
            start_time=membership.start_time,
            end_time=membership.end_time,
            league=self.league(membership.league),
            division=self.division(membership.division),
            policy_version=policy_version_row(membership.policy_version),
            player=player_row(membership.player),
            created_at=membership.created_at,
        )

    def submission(self, submission: LeagueSubmission) -> CompetitionSubmission:
        principal, membership_id = self._principal, submission.membership_id
        owners = (submission.user_id, submission.league.user_id)
        is_private = principal is None or not (principal.is_admin or principal.user_id in owners)
        return CompetitionSubmission(
            id=public_id("sub", submission.id),
            auto_champion=submission.auto_champion,
            status=submission.status,
            league=self.league(submission.league),
            policy_version=policy_version_row(submission.policy_version),
            player=player_row(submission.player),
            league_policy_membership_id=None if membership_id is None else public_id("lpm", membership_id),
            preferences={} if is_private else submission.preferences,
            notes=None if is_private else submission.notes,
            created_at=submission.created_at,
        )

    def round(self, row: Round) -> CompetitionRound:
        return CompetitionRound(**self._round(row))

    def round_detail(self, row: Round) -> CompetitionRoundDetail:
        results = [_result(result) for result in row.results]
        return CompetitionRoundDetail(**self._round(row), results=results, pools=[self.pool(row)])

    def pool(self, row: Round) -> CompetitionPool:
        return CompetitionPool(**self._pool(row))

    def pool_detail(self, row: Round, memberships: dict[uuid.UUID, uuid.UUID]) -> CompetitionPoolDetail:
        """Return the pool of a round; `memberships` are those of its entrants, by policy version."""
        entries = [_pool_entry(row, number, result, memberships) for number, result in enumerate(row.results)]
        return CompetitionPoolDetail(**self._pool(row), entries=sorted(entries, key=lambda entry: entry.seed_order))

    def event(self, event: CompetitionEvent) -> CompetitionEventRow:
        return CompetitionEventRow(
            id=event.id,
            event_type=event.event_type,
            audience=event.audience,
            user_id=event.user_id,
            player=player_row(event.player),
            policy_version=None if event.policy_version is None else policy_version_row(event.policy_version),
            league=None if event.league is None else self.league(event.league),
            division=None if event.division is None else self.division(event.division),
            round_id=None if event.round_id is None else public_id("round", event.round_id),
            headline=event.headline,
            summary=event.summary,
            payload=event.payload,
            created_at=event.created_at,
        )

    def _canonical_id(self, name: str) -> str | None:
        if name not in self._canonical:
            coworld = repository.canonical_coworld(self._session, name)
            self._canonical[name] = None if coworld is None else public_id("cow", coworld.id)
        return self._canonical[name]

    def _round(self, row: Round) -> dict[str, object]:
        return {
            "id": public_id("round", row.id),
            "round_number": row.round_number,
            "commissioner_key": row.commissioner_key,
            "execution_backend": row.execution_backend,
            "round_config": row.round_config,
            "round_display": row.round_display,
            "status": row.status,
            "error": row.error,
            "started_at": row.started_at,
            "completed_at": row.completed_at,
            "division": self.division(row.division),
            "created_at": row.created_at,
        }

    def _pool(self, row: Round) -> dict[str, object]:
        return {
            "id": public_id("pool", row.id),
            "round_id": public_id("round", row.id),
            "pool_index": 0,
            "label": f"Round {row.round_number}",
            "pool_type": row.division.type,
            "coworld_id": self.league(row.division.league).game.coworld_id,
            "config": row.round_config,
            "status": row.status,
            "error": row.error,
            "started_at": row.started_at,
            "completed_at": row.completed_at,
            "created_at": row.created_at,
        }


def _result(result: RoundResult) -> CompetitionRoundResult:
    return CompetitionRoundResult(
        id=result.id,
        rank=result.rank,
        score=result.score,
        result_metadata=result.result_metadata,
        policy_version=policy_version_row(result.policy_version),
        player=player_row(result.player),
        created_at=result.created_at,
    )


def _pool_entry(
    row: Round, number: int, result: RoundResult, memberships: dict[uuid.UUID, uuid.UUID]
) -> CompetitionPoolEntry:
    membership_id = memberships.get(result.policy_version_id)
    seed_order = result.result_metadata.get("seed_order")
    return CompetitionPoolEntry(
        id=result.id,
        pool_id=public_id("pool", row.id),
        league_policy_membership_id=None if membership_id is None else public_id("lpm", membership_id),
        policy_version=policy_version_row(result.policy_version),
        player=player_row(result.player),
        seed_order=seed_order if isinstance(seed_order, int) else number,
        metadata=result.result_metadata,
        created_at=result.created_at,
    )
