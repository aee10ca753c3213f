"""What must be true of a season, whatever went wrong: during it, and at its end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from observatory.database.cache import FRESH_SECONDS
from observatory.database.tables.episodes import Episode, EpisodeTag
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import League, Round, RoundResult
from observatory.database.tables.matches import Match
from observatory.database.tables.notices import DeliveryStatus, Notice, NoticeDelivery, NoticeKind
from observatory.database.tables.seasons import PoolPlayer, Season
from observatory.http.response_cache import STALE_SECONDS
from observatory.job_states import TERMINAL
from observatory.recompute.service import recompute_season
from observatory.rounds.recomputing import recompute_league
from tests.simulation.network import Reply
from tests.simulation.scenarios import Template
from tests.simulation.servers import Cluster, Server

__all__ = ["Checks", "Snapshot", "check_history", "snapshot"]

_STALE_SECONDS = STALE_SECONDS + 0.1
"""how old the data of a response may be, apart from the time that notifications take"""
_UNNOTIFIED_SECONDS = FRESH_SECONDS + _STALE_SECONDS
"""the same of a server that does not know that its connection is broken: it sees changes when cached values expire"""
_DELIVERY_SECONDS = 5.0
"""in which the leader sends a notice that is due"""
_ENDED = {"completed", "failed"}


@dataclass(frozen=True)
class Snapshot:
    """The end of a season: its tables as users see them, its matches, and its notices."""

    tables: dict[str, Any]
    matches: list[Any]
    notices: list[Any]

    def differences(self, other: Snapshot) -> list[str]:
        """Return a sentence for each part in which another end differs from this one."""
        pairs = {path: (table, other.tables.get(path, [])) for path, table in self.tables.items()}
        pairs |= {"matches": (self.matches, other.matches), "notices": (self.notices, other.notices)}
        return [
            f"{name}: {[row for row in found if row not in table]}, without faults "
            f"{[row for row in table if row not in found]}"
            for name, (table, found) in pairs.items()
            if table != found
        ]


class Checks:
    """Collects what is wrong."""

    def __init__(self, cluster: Cluster, prepared: Template, notice_latency: float) -> None:
        self.cluster, self.template = cluster, prepared
        self._stale_seconds = _STALE_SECONDS + 2 * notice_latency
        self.violations: list[str] = []
        self._entered: list[str] = []
        self.read_paths = _read_paths(prepared)

    def violate(self, sentence: str) -> None:
        self.cluster.scheduler.note("VIOLATION", sentence)
        self.violations.append(sentence)

    def entered(self, version: str) -> None:
        """Note that a server has accepted a policy."""
        self._entered.append(version)

    def check_read(self, path: str, reply: Reply, asked_at: float) -> None:
        """A table must have all matches that ended so long ago that no cache may lack them."""
        if reply.status != 200:
            if reply.status != 503:
                self.violate(f"GET {path} answers {reply.status}: {reply.body[:200]!r}")
            return
        if not path.endswith("/competition"):
            return
        rows = json.loads(reply.body)
        shown = sum(row["matches"] for row in rows)
        is_notified = self.cluster.group.connected_since(reply.server.name) < asked_at
        since = asked_at - (self._stale_seconds if is_notified else _UNNOTIFIED_SECONDS)
        old = [move for move in self.cluster.moves if move[0] < since and move[2] == "completed"]
        singles = len(self.template.versions)
        if 2 * (len(old) - singles) > shown:
            self.violate(f"{reply.server.name} shows {shown / 2:g} matches long after {len(old) - singles} had ended")

    def check_stored(self, session: Session) -> None:
        """Check the rows."""
        states = Counter(session.scalars(select(Job.status)))
        if not set(states) <= set(TERMINAL):
            self.violate(f"jobs are {dict(states)}")
        games = (Match.pool_id, Match.combination, Match.sample)
        counts = session.scalars(select(func.count()).where(Match.status == "completed").group_by(*games)).all()
        if set(counts) - {1}:
            self.violate("a match is counted twice")
        ended = list(session.scalars(select(Match.completed_order).order_by(Match.completed_order)))
        if ended != list(range(1, len(ended) + 1)):
            self.violate(f"matches ended in the order {ended}")
        broken = select(EpisodeTag.episode_id).where(EpisodeTag.key == "failed")
        episodes = session.scalar(select(func.count()).select_from(Episode).where(Episode.id.not_in(broken)))
        completed = len(counts) or states["completed"]  # type: ignore[index]
        if episodes != completed:
            self.violate(f"{episodes} episodes were recorded for {completed} completed jobs")
        members = {str(version) for version in session.scalars(select(PoolPlayer.policy_version_id))}
        if lost := set(self._entered) - members:
            self.violate(f"accepted policies are lost: {sorted(lost)}")
        for row in session.scalars(select(NoticeDelivery)):
            self._check_delivery(row)

    def _check_delivery(self, row: NoticeDelivery) -> None:
        """A notice arrives once at most, and its row says whether it did."""
        count = self.cluster.webhooks.arrived[row.notice_id]
        allowed = {DeliveryStatus.SENT: (1,), DeliveryStatus.WAITING: (0,), DeliveryStatus.SKIPPED: (0,)}
        if count not in allowed.get(row.status, (0, 1)):
            self.violate(f"notice {row.notice_id} has arrived {count} times and is {row.status}")
        waited = (self.cluster.scheduler.utc() - row.due_at).total_seconds()
        if row.status is DeliveryStatus.WAITING and waited > _DELIVERY_SECONDS:
            self.violate(f"notice {row.notice_id} has been due for {waited:.1f} seconds")

    def check_recomputed(self, session: Session, server: Server) -> None:
        """Fold everything again from the stored results."""
        if self.template.scenario.kind == "league":
            findings = recompute_league(session, session.scalars(select(League)).one()).differences
        else:
            season = session.scalars(select(Season)).one()
            findings = [found.sentence for found in recompute_season(session, season, server.app.state.store).findings]
        for sentence in findings:
            self.violate(f"recomputed: {sentence}")


def check_history(checks: Checks, finished: Sequence[tuple[str, int]]) -> None:
    """Check the moves of all jobs in the order in which they were committed."""
    held: dict[str, int] = {}
    ended: dict[str, int] = {}
    for _, job, state, attempt in checks.cluster.moves:
        if job in ended:
            checks.violate(f"job {job} became {state} after its end")
        if state == "dispatched" and held.get(job) is not None:
            checks.violate(f"job {job} was leased twice")
        if state in ("dispatched", "running"):
            held[job] = attempt
        else:
            held.pop(job, None)
        if state in _ENDED:
            ended[job] = attempt
    for job, attempt in finished:
        if ended.get(job) != attempt:
            checks.violate(f"job {job} ended with attempt {ended.get(job)}, and attempt {attempt} was accepted, too")
    for problem in checks.cluster.problems:
        checks.violate(problem)


async def snapshot(checks: Checks, servers: Sequence[Server], witness: Server) -> Snapshot:
    """Return the end of a season as a new server sees it, after comparing it with what the others answer."""
    tables = {}
    for path in _final_paths(checks.template):
        fresh = await witness.handle("GET", path, [], b"")
        if fresh.status != 200:
            checks.violate(f"GET {path} answers {fresh.status}: {fresh.body[:200]!r}")
        if not path.endswith("/policies"):  # those have times
            tables[path] = json.loads(fresh.body)
        for server in servers:
            answer = await server.handle("GET", path, [], b"")
            if (answer.status, answer.body) != (fresh.status, fresh.body):
                checks.violate(f"{server.name} still answers {path} with {answer.body[:300]!r}")
    with witness.app.state.database.read() as session:
        checks.check_stored(session)
        checks.check_recomputed(session, witness)
        return Snapshot(tables, _matches(session), _notices(session))


def _matches(session: Session) -> list[Any]:
    """Return what was played: the policies and the score of each match, and the results of rounds."""
    matches = session.scalars(select(Match).where(Match.status == "completed").options(joinedload(Match.pool)))
    found: list[Any] = [
        [match.pool.name, match.sample, [[str(row.pool_player.policy_version_id), row.score] for row in match.players]]
        for match in matches
    ]
    columns = (Round.round_number, RoundResult.policy_version_id, RoundResult.rank, RoundResult.score)
    results = session.execute(select(*columns).join(Round, Round.id == RoundResult.round_id))
    return sorted(found) + sorted([number, str(version), rank, score] for number, version, rank, score in results)


def _notices(session: Session) -> list[Any]:
    """Return the notices about places and moves; those about ranks in between depend on when they are compared."""
    kinds = (NoticeKind.MATCH, NoticeKind.PROMOTION)
    rows = session.execute(select(Notice.user_id, Notice.topic, Notice.events).where(Notice.kind.in_(kinds)))
    return sorted(map(tuple, rows))


def _read_paths(prepared: Template) -> list[str]:
    if prepared.scenario.kind == "league":
        return [f"/v2/divisions/{prepared.division}/leaderboard"]
    season = f"/tournament/seasons/{prepared.reference}"
    if prepared.scenario.kind == "team":
        return [season, f"{season}/policies", f"/observatory/api/seasons/{prepared.reference}/table"]
    return [f"{season}/policies", f"{season}/leaderboard/policy/competition"]


def _final_paths(prepared: Template) -> list[str]:
    if prepared.scenario.kind == "league":
        return [f"/v2/divisions/{prepared.division}/leaderboard"]
    season = f"/tournament/seasons/{prepared.reference}"
    boards = f"{season}/leaderboard/policy"
    if prepared.scenario.kind == "team":
        return [f"{boards}/stage-1", f"{season}/score-policies-leaderboard", f"{season}/policies"]
    return [f"{boards}/qualifying", f"{boards}/competition", f"{season}/leaderboard"]
