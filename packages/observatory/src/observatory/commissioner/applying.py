"""Apply decisions to the database, in the caller's transaction."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory import events
from observatory.commissioner.decisions import Complete, Decision, EndTeam, Join, Leave, NewMatch, NewTeam
from observatory.database import new_id
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season, Team, TeamMember
from observatory.events import Change, ChangeKind
from observatory.matches.service import SharedEnv, create_match, schedule
from observatory.notices.leagues import tell_moved
from observatory.seasons import repository, seeds
from observatory.seasons.creation import end_season
from observatory.seasons.memberships import add_member, remove_member

__all__ = ["apply"]


def apply(session: Session, season_id: uuid.UUID, steps: Sequence[Decision], *, now: datetime) -> None:
    """Apply decisions. They must be based on the facts of this transaction: see `reading.stamp`."""
    season = session.scalars(select(Season).where(Season.id == season_id).options(selectinload(Season.pools))).one()
    applied = _Applying(session, season, now)
    applied.load_players([step for step in steps if isinstance(step, NewMatch)])
    joined = {step.policy for step in steps if isinstance(step, Join)}
    for step in steps:
        match step:
            case NewMatch():
                applied.play(step)
            case Join():
                version = session.get_one(PolicyVersion, step.policy)
                add_member(session, applied.pools[step.pool], version, now=now, notes=step.why)
                tell_moved(session, applied.pools[step.pool], version, step.why, joined=True, now=now)
            case Leave():
                applied.leave(step)
                if step.policy not in joined:
                    version = session.get_one(PolicyVersion, step.policy)
                    tell_moved(session, applied.pools[step.pool], version, step.why, joined=False, now=now)
            case NewTeam():
                applied.add_team(step)
            case EndTeam():
                applied.end_team(step)
            case Complete():
                end_season(session, season, now=now)
    session.flush()


class _Applying:
    """What the steps of one season have in common."""

    def __init__(self, session: Session, season: Season, now: datetime) -> None:
        self._session = session
        self._season = season
        self._now = now
        self._fixed_map = season.config.get("fixed_map_seed")
        self._game = str(season.config["game"]["mission"])
        self.pools: dict[str, Pool] = {pool.name: pool for pool in season.pools}
        self._players: dict[tuple[uuid.UUID, uuid.UUID], PoolPlayer] = {}

    def load_players(self, matches: Sequence[NewMatch]) -> None:
        """Load the players of all matches with one query."""
        policies = {policy for match in matches for policy in match.policies}
        if not policies:
            return
        statement = (
            select(PoolPlayer)
            .where(
                PoolPlayer.pool_id.in_({self.pools[match.pool].id for match in matches}),
                PoolPlayer.policy_version_id.in_(policies),
            )
            .options(joinedload(PoolPlayer.policy_version).joinedload(PolicyVersion.policy))
        )
        for player in self._session.scalars(statement):
            self._players[player.pool_id, player.policy_version_id] = player

    def play(self, step: NewMatch) -> None:
        pool = self.pools[step.pool]
        assert pool.config_id is not None, f"no matches are played in {pool.name}"
        game = (self._season.seed, step.pool, step.split_index, step.sample)
        match = create_match(
            self._session,
            pool,
            [self._players[pool.id, policy] for policy in step.policies],
            step.seats,
            combination=step.combination,
            repetition=step.repetition,
            sample=step.sample,
            seed=seeds.match_seed(*game),
            team_id=step.team,
            picked=step.picked,
            reason=step.why,
            now=self._now,
        )
        env = SharedEnv(pool.config_id, seeds.map_seed(*game, fixed=self._fixed_map))
        tags = {"match_type": step.match_type, "game": self._game, "season": self._season.name, "pool": pool.name}
        schedule(self._session, match, env, tags=tags, now=self._now, priority=step.priority)

    def leave(self, step: Leave) -> None:
        player = repository.member(self._session, self.pools[step.pool].id, step.policy)
        if player is not None:
            remove_member(self._session, player, now=self._now, notes=step.why)

    def add_team(self, step: NewTeam) -> None:
        team = Team(
            id=new_id(),
            pool_id=self.pools[step.pool].id,
            parent_team_id=step.parent,
            position=step.position,
            score=step.score,
            eliminated=False,
            created_at=self._now,
        )
        team.members = [TeamMember(position=seat, policy_version_id=policy) for seat, policy in enumerate(step.members)]
        self._session.add(team)
        self._stage_changed(team.pool_id)

    def end_team(self, step: EndTeam) -> None:
        team = self._session.get_one(Team, step.team)
        team.score, team.eliminated, team.notes = step.score, step.eliminated, step.why
        self._stage_changed(team.pool_id)

    def _stage_changed(self, pool_id: uuid.UUID) -> None:
        events.note(self._session, Change(ChangeKind.STAGE, self._season.id, frozenset({pool_id})))
