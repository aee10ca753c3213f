"""Segments of match logs: a server that starts reads them, and the table is the one of the rows to the last bit."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from observatory.database.tables.matches import MatchLogSegment, MatchPlayer
from observatory.matches import repository as matches
from observatory.scoring.folds import LoggedMatch, PoolFold
from observatory.scoring.match_log import LogColumns
from observatory.scoring.standings import Seat
from observatory.standings import segments
from observatory.standings.table_cache import PoolTable
from packages.observatory.tests.world import World

START = datetime(2026, 3, 1, tzinfo=UTC)


def random_log(seed: int) -> list[LoggedMatch]:
    """Matches of one to four seats: failed ones, unscored ones, and some with a policy on two seats."""
    chance = random.Random(seed)
    policies = [uuid.UUID(int=chance.getrandbits(128)) for _ in range(6)]
    log = []
    for order in range(1, 120):
        count = chance.randint(1, 4)
        chosen = chance.choices(policies, k=count) if chance.random() < 0.2 else chance.sample(policies, count)
        failed = chance.random() < 0.1
        seats = tuple(
            Seat(policy, chance.randint(1, 3), None if failed or chance.random() < 0.02 else chance.gauss(1, 0.5))
            for policy in chosen
        )
        at = START + timedelta(microseconds=chance.randrange(10**12))
        culprit = chance.randrange(count) if failed and chance.random() < 0.7 else None
        log.append(LoggedMatch(order, at, chance.randrange(3), seats, failed, culprit))
    return log


def facts(fold: PoolFold) -> list[Any]:
    policies = sorted(fold.records)
    return [
        (fold.last_order, fold.last_at, fold.matches, fold.completed, fold.maps),
        fold.standings(),
        fold.places(9),
        [(fold.records[policy], fold.charged(policy, 5), fold.last_scored(policy, 5)) for policy in policies],
        [(fold.history(policy, 9, 7), fold.played(policy, 20), fold.meetings(policy)) for policy in policies],
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_log_in_segments_gives_the_fold_of_its_matches(seed: int) -> None:
    log = random_log(seed)
    one_by_one, at_once = PoolFold(), PoolFold()
    for number, match in enumerate(random.Random(seed).sample(log, len(log))):
        one_by_one.add(match)
        if number % 25 == 0:
            one_by_one.places(9)
    packed = [LogColumns.of(log[start : start + 10]).pack() for start in range(0, len(log), 10)]
    for start in range(0, len(packed), 5):
        at_once.extend(LogColumns.joined([LogColumns.unpack(data) for data in packed[start : start + 5]]))
    for expected, actual in zip(facts(one_by_one), facts(at_once), strict=True):
        assert actual == expected


def test_bytes_of_another_kind_are_refused() -> None:
    for data in (b"", b"zip", LogColumns.of(random_log(1)).pack()[:-20]):
        with pytest.raises(ValueError):
            LogColumns.unpack(data)


@pytest.fixture
def season(world: World, ada, bob, monkeypatch) -> dict[str, Any]:
    """Seven matches, in segments of three."""
    monkeypatch.setattr(segments, "SEGMENT_MATCHES", 3)
    world.season()
    versions = [world.version(ada, "mine"), world.version(bob, "other")]
    ids = []
    for number in range(7):
        ids.append(world.match("open", "competition", [(version, 2) for version in versions], repetition=number))
        world.play(ids[-1], [number * 0.1, 1.0, 0.7, number / 3])
    return {"matches": ids}


def stored(world: World) -> list[tuple[int, int]]:
    with world.database.read() as session:
        rows = session.scalars(select(MatchLogSegment).order_by(MatchLogSegment.number))
        return [(row.number, row.matches) for row in rows]


def restarted(world: World) -> PoolTable:
    """Return the table of the competition as a server has it that has just started."""
    with world.database.read() as session:
        table = PoolTable(world._pool(session, "open", "competition").id)
        table.update(session, None)
        return table


def test_a_server_that_starts_reads_segments_and_the_rows_after_them(world: World, season, monkeypatch) -> None:
    from_rows = restarted(world)
    assert segments.write_segments(world.database, world.clock) == 2
    assert segments.write_segments(world.database, world.clock) == 0 and stored(world) == [(0, 3), (1, 3)]
    read, log = [], matches.match_log

    def counted(*arguments: Any, **options: Any) -> Any:
        for match in log(*arguments, **options):
            read.append(match.order)
            yield match

    monkeypatch.setattr(matches, "match_log", counted)
    from_segments = restarted(world)
    assert read == [from_rows.fold.last_order]
    assert facts(from_segments.fold) == facts(from_rows.fold)


def test_segments_that_do_not_fit_the_rows_are_not_used(world: World, season, caplog) -> None:
    segments.write_segments(world.database, world.clock)
    expected = facts(restarted(world).fold)
    with world.database.transaction() as session:
        session.execute(update(MatchLogSegment).where(MatchLogSegment.number == 1).values(data=b"damaged"))
    assert facts(restarted(world).fold) == expected
    assert "is read from its rows" in caplog.text
    with world.database.transaction() as session:
        session.execute(update(MatchLogSegment).where(MatchLogSegment.number == 1).values(matches=2))
    assert facts(restarted(world).fold) == expected


def test_a_correction_of_scores_removes_the_segments(client: TestClient, world: World, season, admin) -> None:
    expected = facts(restarted(world).fold)
    with world.database.transaction() as session:
        changed = update(MatchPlayer).where(MatchPlayer.match_id == season["matches"][0], MatchPlayer.policy_index == 0)
        session.execute(changed.values(score=99.0))
    segments.write_segments(world.database, world.clock)
    assert facts(restarted(world).fold) != expected
    path = "/observatory/api/admin/recompute"
    report = client.post(path, json={"check": False}, headers=admin.headers).json()
    assert report["repaired"] == 1 and stored(world) == []
    assert facts(restarted(world).fold) == expected
    segments.write_segments(world.database, world.clock)
    assert stored(world) == [(0, 3), (1, 3)] and facts(restarted(world).fold) == expected
    findings = client.post(path, json={"check": True}, headers=admin.headers).json()["findings"]
    assert not {finding["kind"] for finding in findings} & {"score", "table"}
