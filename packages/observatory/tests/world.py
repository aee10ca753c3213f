"""A small league for tests: seasons, versions and matches put into the database, results brought in as workers do."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database, new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season, Team, TeamMember
from observatory.job_states import JobStatus
from observatory.jobs.service import Ending, end
from observatory.jobs.transitions import move
from observatory.matches.service import create_match, schedule
from observatory.policies import service as policies
from observatory.policies.bundles import BundleFacts
from observatory.seasons.config import SeasonPreset
from observatory.seasons.creation import create_season
from observatory.seasons.memberships import add_member
from observatory.seasons.stages import combination_key
from observatory.store import bundle_key, job_key

ENV = {"game_engine": "mettagrid", "game": {"num_agents": 4, "max_steps": 10}}
FREEPLAY = {
    "name": "open",
    "display_name": "Open",
    "summary": "Everybody",
    "tournament_type": "freeplay",
    "is_default": True,
    "compat_version": "0.26",
    "freeplay": {"game": {"mission": "arena", "num_agents": 4}, "splits": [[2, 2], [1, 3]]},
}
TEAM = {
    "name": "teams",
    "display_name": "Teams",
    "summary": "Together",
    "tournament_type": "team",
    "is_default": True,
    "team": {
        "game": {"mission": "arena", "num_agents": 4},
        "stages": [
            {"kind": "policy_eval", "policies_per_team": 1, "matches_per_combo": 1, "min_policies": 2},
            {"kind": "sample_teams", "team_size": 2, "num_teams": 2},
            {"kind": "team_eval", "matches_per_team": 1, "cull_fraction": 0.5},
            {"kind": "score_policies", "top_k": 2},
        ],
    },
}


def _split(seats: Sequence[tuple[uuid.UUID, int]]) -> str:
    return "" if len(seats) == 1 else "/" + ":".join(str(agents) for _, agents in seats)


def bundle(members: Mapping[str, str | bytes] | None = None, **spec: Any) -> bytes:
    """A zip archive with a manifest, the same bytes each time."""
    content = {"policy_spec.json": json.dumps({"class_path": "my_policy.Mine", **spec}), **(members or {})}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return data.getvalue()


@dataclass
class World:
    app: FastAPI
    clock: Callable[[], datetime]

    @property
    def database(self) -> Database:
        return self.app.state.database

    def season(self, preset: Mapping[str, Any] = FREEPLAY, **changes: Any) -> str:
        """Make a season; its name."""
        with self.database.transaction() as session:
            season = create_season(session, SeasonPreset(**{**preset, **changes}), ENV, now=self.clock())
            return season.name

    def version(self, account: Any, name: str = "mine", **options: Any) -> uuid.UUID:
        """Make the next version of a policy, with a bundle in the store; its id."""
        with self.database.transaction() as session:
            return self._version(session, account, name, **options).id

    def _version(
        self, session: Session, account: Any, name: str, *, secrets: Mapping[str, str] | None = None
    ) -> PolicyVersion:
        state = self.app.state
        user = session.get_one(User, account.user_id)
        principal = Principal(user)
        options = {"settings": state.settings, "now": self.clock()}
        policy = policies.get_or_create_policy(session, principal, name, **options)
        facts = BundleFacts({"class_path": "my_policy.Mine"}, ["models.example.com"], 3, "0" * 64)
        version_id = new_id()
        key = bundle_key(version_id)
        state.store.put(key, b"zip")
        new = policies.NewVersion(id=version_id, bundle_key=key, facts=facts, secrets=secrets or {})
        return policies.add_version(session, principal, policy, new, keys=state.keys, **options)

    def enter(self, season: str, pool: str, versions: Sequence[uuid.UUID]) -> None:
        with self.database.transaction() as session:
            row = self._pool(session, season, pool)
            for version in versions:
                add_member(session, row, session.get_one(PolicyVersion, version), now=self.clock())

    def match(
        self,
        season: str,
        pool: str,
        seats: Sequence[tuple[uuid.UUID, int]],
        *,
        repetition: int = 0,
        team: uuid.UUID | None = None,
    ) -> uuid.UUID:
        """A match with a job; `seats` are (version, number of agents), members of the pool from now on."""
        self.enter(season, pool, [version for version, _ in seats])
        assignments = [index for index, (_, agents) in enumerate(seats) for _ in range(agents)]
        with self.database.transaction() as session:
            pool_row = self._pool(session, season, pool)
            conditions = (
                PoolPlayer.pool_id == pool_row.id,
                PoolPlayer.policy_version_id.in_([seat[0] for seat in seats]),
            )
            members = {row.policy_version_id: row for row in session.scalars(select(PoolPlayer).where(*conditions))}
            match = create_match(
                session,
                pool_row,
                [members[version] for version, _ in seats],
                assignments,
                combination=combination_key([version for version, _ in seats]) + _split(seats),
                repetition=repetition,
                seed=42,
                now=self.clock(),
                team_id=team,
            )
            session.refresh(match)
            schedule(session, match, ENV, tags={"match_type": "pairing"}, now=self.clock())
            return match.id

    def job_of(self, match_id: uuid.UUID) -> uuid.UUID:
        with self.database.read() as session:
            job_id = session.get_one(Match, match_id).job_id
            assert job_id is not None
            return job_id

    def play(self, match_id: uuid.UUID, rewards: Sequence[float]) -> None:
        """Complete a match with these rewards of its agents, as a finished job does."""
        self.finish(self.job_of(match_id), rewards)

    def finish(self, job_id: uuid.UUID, rewards: Sequence[float], **agent_stats: float) -> None:
        store = self.app.state.store
        store.put(job_key(job_id, "replay.json.z"), b"replay")
        result = self._result(rewards, **agent_stats)
        with self.database.transaction() as session:
            end(session, self._started_job(session, job_id), Ending(JobStatus.COMPLETED, result), now=self.clock())

    def _started_job(self, session: Session, job_id: uuid.UUID) -> Job:
        """The job, being played by a worker unless it has ended."""
        job = session.get_one(Job, job_id)
        for before, after in ((JobStatus.PENDING, JobStatus.DISPATCHED), (JobStatus.DISPATCHED, JobStatus.RUNNING)):
            if job.status is before:
                move(session, job, after, now=self.clock())
        return job

    @staticmethod
    def _result(rewards: Sequence[float], **agent_stats: float) -> dict[str, Any]:
        return {
            "rewards": list(rewards),
            "action_timeouts": [0 for _ in rewards],
            "stats": {
                "game": {"clips": 1.0},
                "agent": [{"moves": 2.0 * i, **agent_stats} for i, _ in enumerate(rewards)],
            },
            "steps": 10,
        }

    def fail(
        self,
        match_id: uuid.UUID,
        message: str = "it broke",
        error_type: str = "policy_error",
        runtime: dict[str, Any] | None = None,
    ) -> None:
        """Let a match fail; with a `runtime` after it was played to its end, so that there is a replay."""
        from observatory.jobs.schemas import ErrorInfo

        error = ErrorInfo(error_type=error_type, message=message, failed_policy_index=0)
        job_id = self.job_of(match_id)
        result = None
        if runtime is not None:
            self.app.state.store.put(job_key(job_id, "replay.json.z"), b"replay")
            result = self._result([0.0] * 4)
        with self.database.transaction() as session:
            ending = Ending(JobStatus.FAILED, result, error, runtime)
            end(session, self._started_job(session, job_id), ending, now=self.clock())

    def team(
        self,
        season: str,
        pool: str,
        versions: Sequence[uuid.UUID],
        *,
        score: float | None = None,
        eliminated: bool = False,
    ) -> uuid.UUID:
        with self.database.transaction() as session:
            team = Team(
                id=uuid.uuid4(),
                pool_id=self._pool(session, season, pool).id,
                score=score,
                eliminated=eliminated,
                created_at=self.clock(),
            )
            team.members = [TeamMember(position=i, policy_version_id=version) for i, version in enumerate(versions)]
            session.add(team)
            return team.id

    @staticmethod
    def _pool(session: Session, season: str, name: str) -> Pool:
        statement = select(Pool).join(Season).where(Season.name == season, Season.canonical, Pool.name == name)
        return session.scalars(statement).one()
