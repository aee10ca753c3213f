"""Insert a league with divisions and played rounds into a database, for `league.py`; the server's code settles them."""

from __future__ import annotations

import copy
import json
import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.orm import Session

import coworld.examples.paintarena
from observatory.accounts.principal import Principal
from observatory.coworlds import manifests
from observatory.coworlds.names import name_key
from observatory.database import new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.coworlds import Coworld, Visibility
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import Division, League, Membership, Round
from observatory.database.tables.requests import EpisodeRequest
from observatory.job_states import JobStatus
from observatory.jobs.service import Ending, end
from observatory.jobs.transitions import move
from observatory.leagues.schemas import SubmissionCreate
from observatory.leagues.seed_documents import SeedDocument, apply_document
from observatory.leagues.submissions import submit
from observatory.public_ids import public_id
from observatory.rounds.loop import LeagueLoop

MANIFEST = Path(coworld.examples.paintarena.__file__).with_name("coworld_manifest.json")
NAMES = ("Diamond", "Gold", "Silver", "Bronze", "Iron")
PERSISTENT = {"ladder": {"enabled": True, "persistent": {"enabled": True}}}
"""settings for the measurement: each recorded window is a round, and workers have nothing to play"""


@dataclass(frozen=True)
class FilledLeague:
    """The ids to request, and the players of each division."""

    league: str
    divisions: list[str]
    rounds: list[str]
    players: list[str]
    episodes: list[str]
    rosters: list[list[tuple[str, str]]]
    """player and policy version of the champions, by division"""

    def windows(self, number: int, chance: random.Random) -> dict[str, Any]:
        """Return a window of lasting games for one of the divisions."""
        began = datetime.now(UTC)
        roster = self.rosters[number % len(self.rosters)]
        return {
            "source_id": uuid.uuid4().hex,
            "started_at": began.isoformat(),
            "ended_at": (began + timedelta(seconds=1)).isoformat(),
            "episodes": [
                {"player_id": player, "policy_version_id": version, "score": chance.random()}
                for player, version in roster
            ],
        }


def fill_league(app: FastAPI, owner_id: str, versions: Sequence[uuid.UUID], *, rounds: int, seed: int) -> FilledLeague:
    """Enter the versions, one of each user, in a league of five divisions, and play rounds with random scores."""
    chance = random.Random(seed)
    start = datetime.now(UTC) - timedelta(days=20)
    with app.state.database.transaction() as session:
        owner = Principal(session.get_one(User, owner_id))
        league_id = _league(session, owner, start)
        _enter(session, league_id, versions, start)
    now = start
    loop = LeagueLoop(app.state.database, lambda: now)
    for _ in range(rounds):
        now += timedelta(hours=20)
        loop.check_all()
        _play(app, chance, now)
        loop.check_all()
    with app.state.database.transaction() as session:
        session.get_one(League, league_id).settings = PERSISTENT
        return _filled(session, league_id)


def _league(session: Session, owner: Principal, now: datetime) -> uuid.UUID:
    manifest = copy.deepcopy(json.loads(MANIFEST.read_text()))
    manifest_hash, size = manifests.digest(manifest)
    game = manifest["game"]
    session.add(
        Coworld(
            id=new_id(),
            name=game["name"],
            name_key=name_key(game["name"]),
            version=game["version"],
            user_id=owner.user_id,
            visibility=Visibility.PUBLIC,
            manifest=manifest,
            manifest_hash=manifest_hash,
            size_bytes=size,
            canonical=True,
            created_at=now,
        )
    )
    session.flush()
    document = SeedDocument.model_validate(
        {
            "coworld_name": game["name"],
            "league_name": "Paint Arena",
            "divisions": [{"name": name, "level": len(NAMES) - level} for level, name in enumerate(NAMES)],
            "settings": {
                "ladder": {
                    "enabled": True,
                    "scheduler": {"strategy": "random_fill", "min_episodes_per_entrant": 2},
                },
                "round_interval_minutes": 600,
            },
        }
    )
    seed = apply_document(session, owner, document, now=now)
    assert seed.league_id is not None
    return seed.league_id


def _enter(session: Session, league_id: uuid.UUID, versions: Sequence[uuid.UUID], now: datetime) -> None:
    from observatory.policies.repository import version as read_version

    for version_id in versions:
        owner = Principal(read_version(session, version_id).policy.user)
        body = SubmissionCreate(league_id=str(league_id), policy_version_id=version_id)
        submit(session, owner, league_id, body, now=now)
    divisions = _divisions(session, league_id)
    for number, member in enumerate(session.scalars(select(Membership).where(Membership.league_id == league_id))):
        member.division_id = divisions[number % len(divisions)].id


def _divisions(session: Session, league_id: uuid.UUID) -> Sequence[Division]:
    is_open = (Division.league_id == league_id, Division.archived_at.is_(None))
    return session.scalars(select(Division).where(*is_open).order_by(Division.level)).all()


def _play(app: FastAPI, chance: random.Random, now: datetime) -> None:
    """End all episodes that wait with random scores, as workers do."""
    with app.state.database.transaction() as session:
        for job in session.scalars(select(Job).where(Job.status == JobStatus.PENDING)):
            if "coworld_id" not in job.stored_spec:
                continue
            move(session, job, JobStatus.DISPATCHED, now=now)
            scores = [chance.random() for _ in job.stored_spec["assignments"]]
            stats = {"game": {}, "agent": [{} for _ in scores]}
            end(session, job, Ending(JobStatus.COMPLETED, {"rewards": scores, "stats": stats, "steps": 60}), now=now)


def _filled(session: Session, league_id: uuid.UUID) -> FilledLeague:
    divisions = _divisions(session, league_id)
    rounds = session.scalars(select(Round.id).order_by(Round.created_at.desc()).limit(20))
    episodes = session.scalars(select(EpisodeRequest.id).order_by(EpisodeRequest.created_at.desc()).limit(20))
    champions = (Membership.league_id == league_id, Membership.is_champion)
    rosters: dict[uuid.UUID, list[tuple[str, str]]] = {division.id: [] for division in divisions}
    for member in session.scalars(select(Membership).where(*champions)):
        rosters[member.division_id].append((member.player_id, str(member.policy_version_id)))
    return FilledLeague(
        league=public_id("league", league_id),
        divisions=[public_id("div", division.id) for division in divisions],
        rounds=[public_id("round", round_id) for round_id in rounds],
        players=[roster[0][0] for roster in rosters.values() if roster],
        episodes=[public_id("ereq", episode) for episode in episodes],
        rosters=list(rosters.values()),
    )
