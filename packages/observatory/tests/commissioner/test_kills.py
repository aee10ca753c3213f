"""Nothing is lost: however often servers and workers are killed, a season ends with the table it would have had.

On PostgreSQL two servers play what one server plays undisturbed.

`KILLS` is the number of kills per database (5), `KILLS_SEED` chooses times and victims; `make soak` asks for 100.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, make_url, select, text

from observatory.database import Database
from observatory.database.tables.episodes import Episode, EpisodeTag
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import (
    JOBS,
    KILLS,
    Nursery,
    play_to_the_end,
    prepare,
    processes,
    wait_until,
)

SEED = int(os.environ.get("KILLS_SEED", "7"))


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as started:
        yield started


def copied(url: str | None, name: str) -> str | None:
    """A database like this one, on the same server."""
    if url is None:
        return None
    parsed = make_url(url)
    server = Database(
        url.replace("postgresql://", "postgresql+psycopg://").replace(f"/{parsed.database}?", "/postgres?")
    )
    with server.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {parsed.database}_{name} TEMPLATE {parsed.database}"))
    server.close()
    return url.replace(f"/{parsed.database}?", f"/{parsed.database}_{name}?")


def test_the_table_is_the_same_after_any_process_was_killed(
    nursery: Nursery, tmp_path: Path, database_kind: str, new_database_url: Callable[[], str]
) -> None:
    url = None if database_kind == "sqlite" else new_database_url()
    prepare(tmp_path / "prepared", url)
    for run in ("peace", "war"):
        shutil.copytree(tmp_path / "prepared", tmp_path / run)
    with processes(nursery, tmp_path / "peace", copied(url, "peace")) as league:
        expected = play_to_the_end(league)
    assert all(len(table) > 100 for table in expected.values())

    chance = random.Random(SEED)
    moments = sorted(chance.choices(range(JOBS), k=KILLS))
    war_url = copied(url, "war")
    with processes(nursery, tmp_path / "war", war_url, servers=1 if url is None else 2) as league:
        for moment in moments:
            wait_until(lambda moment=moment: league.finished >= moment, lambda: league.log)  # type: ignore[misc]
            time.sleep(chance.random() / 10)  # anywhere in what is done then
            league.kill(chance)
        assert play_to_the_end(league) == expected
        assert "Traceback" not in league.log
    _check_nothing_counts_twice(Settings(data_dir=tmp_path / "war", database_url=war_url))


def _check_nothing_counts_twice(settings: Settings) -> None:
    """Every job was finished twice, and some by more than one worker."""
    database = Database(settings.sqlalchemy_url())
    with database.read() as session:
        games = (Match.pool_id, Match.combination, Match.sample)
        counts = session.scalars(select(func.count()).where(Match.status == "completed").group_by(*games)).all()
        assert counts and set(counts) == {1}
        broken = select(EpisodeTag.episode_id).where(EpisodeTag.key == "failed")
        assert session.scalar(select(func.count()).select_from(Episode).where(Episode.id.not_in(broken))) == len(counts)
        ended = session.scalars(select(Match.completed_order).order_by(Match.completed_order)).all()
        assert list(ended) == list(range(1, len(ended) + 1))
        assert session.scalar(select(func.count()).select_from(Job)) == len(ended)
    database.close()
