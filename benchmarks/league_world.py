"""Insert a league of a given size into a database in bulk, for `league.py`."""

from __future__ import annotations

import io
import json
import random
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from fastapi import FastAPI
from sqlalchemy import insert
from sqlalchemy.orm import Session

from bulk import BulkInsert, prepare
from league_rounds import fill_league
from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.accounts.service import create_user, mint_user_token
from observatory.database import new_id
from observatory.database.tables.episodes import Episode, EpisodePolicy, EpisodeTag
from observatory.database.tables.jobs import Job, PolicyLog
from observatory.database.tables.matches import Match, MatchPlayer, MatchStatus
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import (
    MembershipAction,
    MembershipChange,
    Pool,
    PoolPlayer,
    Season,
    Team,
    TeamMember,
)
from observatory.job_states import JobStatus
from observatory.seasons.config import SeasonPreset
from observatory.seasons.creation import create_season

AUTHORS = 200
AGENTS = 4
SPLITS = [[2, 2], [1, 3], [3, 1]]
REPETITIONS = 5
TEAMS, TEAM_MATCHES = 64, 20
FEWEST_POLICIES, FEWEST_MATCHES = 32, 10 * TEAMS * TEAM_MATCHES
BATCH = 5000
BUNDLE = "policies/benchmark.zip"
POLICY = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Quiet(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Quiet(self._policy_env_info)
"""


@dataclass(frozen=True)
class Filled:
    """The ids to request."""

    season: str
    team_season: str
    policies: list[str]
    matches: list[str]
    episodes: list[str]
    token: str
    admin_token: str
    league: dict[str, Any]
    """a `FilledLeague`"""


def fill(app: FastAPI, *, policies: int, matches: int, rounds: int, seed: int = 1) -> Filled:
    """Insert a freeplay season with all policies, a team season with its final table, and a league with rounds."""
    chance = random.Random(seed)
    app.state.store.put(BUNDLE, _bundle())
    start = datetime.now(UTC) - timedelta(days=30)
    with app.state.database.transaction() as session:
        users = [
            create_user(session, email=f"author{n}@example.com", name=f"Author {n}", now=start) for n in range(AUTHORS)
        ]
        root = create_user(session, email="root@example.com", name="root", now=start, is_admin=True)
        token, admin_token = mint_user_token(session, users[0], now=start), mint_user_token(session, root, now=start)
        versions = _policies(session, [user.id for user in users], policies, start)
        freeplay, teams = _seasons(session, start)
        members = {pool.id: _enter(session, pool, versions, start) for pool in freeplay.pools[1:]}
        competition = freeplay.pools[1]
        in_teams = min(10_000, matches // 10)
        log = _Log(session, chance, start)
        players = members[competition.id]
        log.play(freeplay, competition, _pairings(players, chance), matches - in_teams)
        entry = teams.pools[0]
        few = _enter(session, entry, versions[: min(len(versions), 100)], start)
        log.play(teams, entry, _alone(few), in_teams - TEAMS * TEAM_MATCHES)
        final = next(pool for pool in teams.pools if pool.name == "team-round-2")
        drawn = _enter(session, final, versions[:32], start)
        for number in range(TEAMS):
            log.play(teams, final, _team(session, final, drawn, number, chance, start), TEAM_MATCHES)
        _enter(session, teams.pools[-1], versions[:32], start)
        log.flush()
        owner, names = users[0].id, (freeplay.name, teams.name)
    league = fill_league(app, owner, versions[:AUTHORS], rounds=rounds, seed=seed)
    return Filled(
        season=names[0],
        team_season=names[1],
        policies=[str(version) for version in versions[:20]],
        matches=[str(match) for match in log.some_matches],
        episodes=[str(episode) for episode in log.some_episodes],
        token=token,
        admin_token=admin_token,
        league=asdict(league),
    )


def _bundle() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("policy_spec.json", json.dumps({"class_path": "my_policy.Mine"}))
        archive.writestr("my_policy.py", POLICY)
    return data.getvalue()


def _policies(session: Session, users: Sequence[str], count: int, at: datetime) -> list[uuid.UUID]:
    names = [(new_id(), new_id(), number) for number in range(count)]
    session.execute(
        insert(Policy),
        [
            {"id": policy, "user_id": users[n % len(users)], "name": f"policy-{n}", "attributes": {}, "created_at": at}
            for policy, _, n in names
        ],
    )
    session.execute(
        insert(PolicyVersion),
        [
            {
                "id": version,
                "policy_id": policy,
                "version": 1,
                "bundle_key": BUNDLE,
                "bundle_bytes": 1000,
                "spec": {"class_path": "my_policy.Mine"},
                "attributes": {},
                "tags": {},
                "public_bundle": False,
                "created_at": at + timedelta(seconds=n),
            }
            for policy, version, n in names
        ],
    )
    return [version for _, version, _ in names]


def _seasons(session: Session, at: datetime) -> tuple[Season, Season]:
    env = MettaGridConfig.EmptyRoom(num_agents=AGENTS, width=8, height=8)
    env.game.max_steps = 20
    config = env.model_dump(mode="json")
    game = {"mission": "arena", "num_agents": AGENTS}
    common = {"summary": "For the benchmark", "is_default": True}
    freeplay = SeasonPreset(
        name="open",
        display_name="Open",
        tournament_type="freeplay",
        freeplay={"game": game, "splits": SPLITS, "repetitions": REPETITIONS},
        **common,
    )
    stages: list[dict[str, Any]] = [
        {"kind": "policy_eval", "policies_per_team": 1, "matches_per_combo": 90, "min_policies": 8},
        {"kind": "sample_teams", "team_size": 4, "num_teams": TEAMS},
        {"kind": "team_eval", "matches_per_team": TEAM_MATCHES, "cull_fraction": 0.5},
        {"kind": "score_policies", "top_k": 4},
    ]
    team = SeasonPreset(
        name="teams", display_name="Teams", tournament_type="team", team={"game": game, "stages": stages}, **common
    )
    made = [create_season(session, preset, config, now=at) for preset in (freeplay, team)]
    made[1].started_at, made[1].completed_at = at, at + timedelta(days=1)
    session.flush()
    for season in made:
        session.refresh(season, ["pools"])
    return made[0], made[1]


def _enter(session: Session, pool: Pool, versions: Sequence[uuid.UUID], at: datetime) -> list[uuid.UUID]:
    """Return the ids of the pool's players."""
    players = [new_id() for _ in versions]
    rows = [
        {"id": player, "pool_id": pool.id, "policy_version_id": version, "retired": False, "created_at": at}
        for player, version in zip(players, versions, strict=True)
    ]
    session.execute(insert(PoolPlayer), rows)
    changes = [
        {
            "id": new_id(),
            "pool_player_id": player,
            "action": MembershipAction.ADD,
            "notes": "Qualified",
            "created_at": at,
        }
        for player in players
    ]
    session.execute(insert(MembershipChange), changes)
    return players


@dataclass(frozen=True)
class _Game:
    players: Sequence[uuid.UUID]
    split: Sequence[int]
    key: str
    sample: int
    team: uuid.UUID | None = None


def _pairings(players: Sequence[uuid.UUID], chance: random.Random) -> Iterator[_Game]:
    """Yield every pair, distant ones first, so that few matches cover many policies; all samples of a pair together."""
    count = len(players)
    for distance in range(1, count):
        for first in range(count):
            pair = sorted((players[first], players[(first + distance) % count]))
            for sample in range(2):
                split = SPLITS[chance.randrange(len(SPLITS))]
                yield _Game(pair, split, f"{pair[0]}+{pair[1]}/{split[0]}:{split[1]}/{distance}", sample)


def _alone(players: Sequence[uuid.UUID]) -> Iterator[_Game]:
    for sample in range(10**6):
        for player in players:
            yield _Game([player], [AGENTS], str(player), sample)


def _team(
    session: Session, pool: Pool, players: Sequence[uuid.UUID], number: int, chance: random.Random, at: datetime
) -> Iterator[_Game]:
    chosen = chance.sample(list(players), AGENTS)
    team = Team(id=new_id(), pool_id=pool.id, score=chance.random(), eliminated=False, position=number, created_at=at)
    session.add(team)
    session.flush()
    rows = [
        TeamMember(
            team_id=team.id, position=seat, policy_version_id=session.get_one(PoolPlayer, player).policy_version_id
        )
        for seat, player in enumerate(chosen)
    ]
    session.add_all(rows)
    session.flush()
    for sample in range(TEAM_MATCHES):
        yield _Game(chosen, [1] * AGENTS, f"team {team.id}", sample, team.id)


class _Log:
    """Insert matches as if they had been played, one per second."""

    def __init__(self, session: Session, chance: random.Random, start: datetime) -> None:
        self._session, self._chance, self._at = session, chance, start
        self._order = 0
        self._rows: dict[Any, list[dict[str, Any]]] = {}
        tables: list[Any] = [Job, PolicyLog, Match, MatchPlayer, Episode, EpisodePolicy, EpisodeTag]
        self._tables = {table: BulkInsert(session, table) for table in tables}
        prepare(session)
        self._policies = dict[uuid.UUID, uuid.UUID]()
        self.some_matches: list[uuid.UUID] = []
        self.some_episodes: list[uuid.UUID] = []

    def play(self, season: Season, pool: Pool, games: Iterable[_Game], count: int) -> None:
        for game in islice(games, count):
            self._one(season, pool, game)
            if self._order % BATCH == 0:
                self.flush()

    def flush(self) -> None:
        for table, bulk in self._tables.items():
            rows = self._rows.pop(table, [])
            if rows:
                bulk.insert(rows)

    def _version(self, player: uuid.UUID) -> uuid.UUID:
        if player not in self._policies:
            self._policies[player] = self._session.get_one(PoolPlayer, player).policy_version_id
        return self._policies[player]

    def _one(self, season: Season, pool: Pool, game: _Game) -> None:
        self._order += 1
        self._at += timedelta(seconds=1)
        match, job, episode = new_id(), new_id(), new_id()
        failed = self._chance.random() < 0.01
        scores = [round(self._chance.gauss(1, 0.5), 4) for _ in game.players]
        assignments = [index for index, agents in enumerate(game.split) for _ in range(agents)]
        result = {
            "rewards": [scores[index] for index in assignments],
            "action_timeouts": [0] * AGENTS,
            "stats": {"game": {"steps": 20.0}, "agent": [{"move": 1.0} for _ in range(AGENTS)]},
            "steps": 20,
        }
        at = self._at
        spec = {
            "policy_uris": [f"metta://policy/{self._version(player)}" for player in game.players],
            "assignments": assignments,
            "seed": self._order,
        }
        isolation = [{"name": "x", "isolation": "landlock", "actions": None} for _ in game.players]
        self._add(
            Job,
            id=job,
            job_type="episode",
            stored_spec=spec,
            env_config_id=pool.config_id,
            status=JobStatus.FAILED if failed else JobStatus.COMPLETED,
            priority=0,
            attempts=1,
            lost_leases=0,
            worker="worker",
            result=None if failed else result,
            error="it broke" if failed else None,
            error_type="policy_error" if failed else None,
            failed_policy_index=0 if failed else None,
            episode_id=None if failed else episode,
            runtime={"policies": isolation},
            digests={"results.json": "0" * 64, "replay.json.z": "0" * 64},
            artifact_bytes=130_000,
            created_at=at - timedelta(seconds=20),
            dispatched_at=at - timedelta(seconds=10),
            running_at=at - timedelta(seconds=9),
            completed_at=at,
        )
        self._add(
            Match,
            id=match,
            pool_id=pool.id,
            job_id=job,
            team_id=game.team,
            combination=game.key,
            repetition=game.sample,
            sample=game.sample,
            assignments=assignments,
            seed=self._order,
            status=MatchStatus.FAILED if failed else MatchStatus.COMPLETED,
            error="it broke" if failed else None,
            error_type="policy_error" if failed else None,
            failed_policy_index=0 if failed else None,
            picked_policy_index=0,
            reason="One of its first matches",
            created_at=at - timedelta(seconds=20),
            completed_at=at,
            completed_order=self._order,
        )
        for index, player in enumerate(game.players):
            self._add(
                MatchPlayer,
                match_id=match,
                policy_index=index,
                pool_player_id=player,
                num_agents=game.split[index],
                score=None if failed else scores[index],
            )
            self._add(
                PolicyLog,
                job_id=job,
                policy_index=index,
                policy_version_id=self._version(player),
                key=f"jobs/{job}/policy_agent_{assignments.index(index)}.txt",
                bytes=1000,
                created_at=at,
            )
        if not failed:
            self._episode(season, game, episode, job, scores, assignments)
        if self._order % 5000 == 7:
            self.some_matches.append(match)
            if not failed:
                self.some_episodes.append(episode)

    def _episode(
        self, season: Season, game: _Game, episode: uuid.UUID, job: uuid.UUID, scores: list[float], seats: list[int]
    ) -> None:
        self._add(
            Episode,
            id=episode,
            job_id=job,
            season_id=season.id,
            replay_key=f"jobs/{job}/replay.json.z",
            attributes={},
            primary_policy_version_id=self._version(game.players[0]),
            game_stats={"steps": 20.0},
            steps=20,
            created_at=self._at,
        )
        self._add(EpisodeTag, episode_id=episode, key="match_type", value="pairing")
        for position, player in enumerate(game.players):
            self._add(
                EpisodePolicy,
                episode_id=episode,
                position=position,
                policy_version_id=self._version(player),
                num_agents=game.split[position],
                avg_reward=scores[position],
                avg_metrics={"move": 1.0},
                agents=[
                    {"agent_id": agent, "reward": scores[position], "metrics": {"move": 1.0}}
                    for agent, seat in enumerate(seats)
                    if seat == position
                ],
            )

    def _add(self, table: Any, **values: Any) -> None:
        self._rows.setdefault(table, []).append(values)
