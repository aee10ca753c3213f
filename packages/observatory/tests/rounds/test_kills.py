"""Nothing is lost and nothing counts twice, wherever the server or a worker stops.

`ROUND_KILLS` is the number of kills (2); `make soak` asks for more, on each database.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, select

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.app import create_app
from observatory.database import Database
from observatory.database.tables.leagues import CompetitionEvent, League, Round
from observatory.database.tables.requests import EpisodeRequest
from observatory.ladder.plans import Entrant, GameVariant
from observatory.ladder.rating import RatedEntrant, Standing, displayed, rate_round
from observatory.ladder.scoring import EpisodeResult, count_episode
from observatory.ladder.seating import Table, seat_round
from observatory.rounds.facts import FrozenRound
from observatory.rounds.reading import Reader
from observatory.rounds.recomputing import recompute_league
from observatory.rounds.settling import result_rows
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery, processes, wait_until
from packages.observatory.tests.commissioner.scripted import CRASHES, coworld_scores
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.rounds.conftest import Yard
from packages.observatory.tests.world import World

KILLS = int(os.environ.get("ROUND_KILLS", "2"))
SEED = int(os.environ.get("KILLS_SEED", "7"))
ROUNDS = max(2, KILLS // 2)
PLAYERS = ("ada", "bob", "carol", CRASHES)
BROKEN = {"error_type": "worker_error", "message": "the machine lost power"}


class Stopped(BaseException):
    """The server was killed here."""


@contextmanager
def stop_at(number: int) -> Iterator[list[int]]:
    """Stop at the statement of this number; the list grows with each statement."""
    seen: list[int] = []

    def count(*_: Any) -> None:
        seen.append(1)
        if len(seen) == number:
            raise Stopped

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", count)


@pytest.mark.any_database
def test_a_step_that_stops_anywhere_leaves_no_trace_and_is_taken_again(yard: Yard) -> None:
    yard.start({"round_trigger": "new_policy"})
    yard.enter("ada", "bob")
    loop = yard.world.app.state.league_loop

    def step_with_stops() -> Any:
        """Stop before every statement of a step, one after the other, then let it through; return the state then."""
        before, found = _state(yard), []
        for number in range(1, 1000):
            with stop_at(number) as seen, suppress(Stopped):
                loop.check_all()
            found.append(_state(yard))
            if len(seen) < number:
                assert all(state in (before, found[-1]) for state in found)
                return found[-1]
        raise AssertionError("the step does not end")

    rounds, episodes, events = step_with_stops()
    assert (rounds, len(episodes), events) == ([(1, "running", 0)], 1, ["round_started"])
    yard.play(lambda names: BROKEN)
    _, episodes, _ = step_with_stops()
    assert len(episodes) == 2  # it was retried once
    yard.play()
    rounds, _, events = step_with_stops()
    assert rounds == [(1, "completed", 2)] and sorted(events) == ["round_completed", "round_started"]
    with yard.world.database.read() as session:
        league = session.scalars(select(League)).one()
        assert recompute_league(session, league).differences == []


def _state(yard: Yard) -> tuple[list[tuple[int, str, int]], list[str], list[str]]:
    """Return rounds, episodes and events, as they are stored."""
    with yard.world.database.read() as session:
        rounds = session.scalars(select(Round).order_by(Round.round_number))
        found = [(row.round_number, row.status.value, len(row.results)) for row in rounds]
        episodes = [str(row) for row in session.scalars(select(EpisodeRequest.id).order_by(EpisodeRequest.id))]
        of_rounds = CompetitionEvent.round_id.is_not(None)
        return found, episodes, list(session.scalars(select(CompetitionEvent.event_type).where(of_rounds)))


@pytest.mark.any_database
def test_ratings_are_the_same_whatever_is_killed(
    tmp_path: Path, database_kind: str, new_database_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBSERVATORY_MAX_JOB_ATTEMPTS", "1000")  # no machine is at fault, however often it is killed
    url = None if database_kind == "sqlite" else new_database_url()
    league = prepare(tmp_path, url)
    chance = random.Random(SEED)
    with Nursery() as nursery, processes(nursery, tmp_path, url) as running:

        def completed() -> int:
            answer = running.get(f"/v2/rounds?league_id={league}&status=completed&limit=1")
            return 0 if answer is None else int(json.loads(answer)["total_count"])

        for kill in range(KILLS):
            wait_until(lambda kill=kill: completed() >= ROUNDS * kill // KILLS, lambda: running.log)  # type: ignore[misc]
            time.sleep(chance.random() / 2)  # anywhere in what is done then
            running.kill(chance) if kill % 2 else running.kill_server()
        wait_until(lambda: completed() >= ROUNDS, lambda: running.log, every_seconds=0.2)
        assert "Traceback" not in running.log
    _check_against_rehearsal(Settings(data_dir=tmp_path, database_url=url))


def prepare(data_dir: Path, database_url: str | None, names: Sequence[str] = PLAYERS, divisions: int = 1) -> str:
    """Make a data folder with a league that has everything to play; return its id.

    With several divisions, a player moves up with each 10 points of Elo.
    """
    app = create_app(Settings(data_dir=data_dir, database_url=database_url, seed_seasons=False))
    world = World(app, lambda: datetime.now(UTC))
    users: dict[str, Any] = {}
    with app.state.database.transaction() as session:
        for name in ("owner", *names):
            user = create_user(session, email=f"{name}@example.com", name=name, now=world.clock())
            token = mint_user_token(session, user, now=world.clock())
            users[name] = SimpleNamespace(user_id=user.id, headers={"X-Auth-Token": token})
        (data_dir / "worker").write_text(mint_worker_token(session, "workers", now=world.clock()).text)
    client = TestClient(app)
    yard = Yard(world, client, Arena(world, client), users["owner"], "", users.__getitem__)
    yard.start()
    if divisions > 1:
        wanted: list[dict[str, Any]] = [{"name": "Competition", "level": 1}] + [
            {"name": f"Level {level}", "level": level} for level in range(2, divisions + 1)
        ]
        yard.call("PUT", f"/v2/leagues/{yard.league}/divisions", {"divisions": wanted})
        rules = [
            {"division_id": yard.divisions()[row["name"]], "minimum_rating": 1450 + 10 * level, "maximum_rating": limit}
            for level, row in enumerate(wanted)
            for limit in [1500 + 10 * level]
        ]
        yard.configure({"divisions": rules, "scheduler": {"min_episodes_per_entrant": 2}})
    yard.enter(*names)
    app.state.database.close()
    return yard.league


def _check_against_rehearsal(settings: Settings) -> None:
    """Play the rounds again without a server, and compare plans, results and ratings bit by bit."""
    database = Database(settings.sqlalchemy_url())
    with database.read() as session:
        league = session.scalars(select(League)).one()
        assert recompute_league(session, league).differences == []
        completed = session.scalars(select(Round).where(Round.log.is_not(None)).order_by(Round.round_number)).all()
        assert [row.round_number for row in completed] == list(range(1, len(completed) + 1))
        assert [row.settled_order for row in completed] == [row.round_number for row in completed]
        reader, standings = Reader(), dict[str, Standing]()
        members = reader.plan(completed[0]).entrants
        names = dict(zip([member.player_id for member in members], PLAYERS, strict=True))
        for row in completed:
            members = tuple(
                member
                for member in members
                if member.player_id not in standings or standings[member.player_id].failed_rounds < 3
            )
            plan = FrozenRound.read(row.plan or {})
            assert plan.entrants == members
            _rehearse(row, plan, standings, names)
        if len(completed) > 3:
            assert CRASHES not in {names[member.player_id] for member in members}
    database.close()


def _rehearse(row: Round, plan: FrozenRound, standings: dict[str, Standing], names: dict[str, str]) -> None:
    ranking = plan.ladder.ranking
    entrants = [
        Entrant(
            member.player_id,
            standing=displayed(ranking, standings.get(member.player_id, Standing.initial(ranking))),
            strength=displayed(ranking, standings.get(member.player_id, Standing.initial(ranking))),
            waited=row.round_number - getattr(standings.get(member.player_id), "last_round", 0),
        )
        for member in plan.entrants
    ]
    table = Table([GameVariant("quick", 2)])
    seed = f"{row.division_id}/{row.round_number}"
    planned = seat_round(plan.ladder.scheduler, entrants, table, seed=seed, number=row.round_number)
    assert tuple(planned) == plan.episodes
    counted = []
    for episode in planned:
        seats = [f"{names[plan.entrants[seat.entrant or 0].player_id]}:v1" for seat in episode.seats]
        blamed = next((place for place, name in enumerate(seats) if CRASHES in name), None)
        scores = None if blamed is not None else tuple(coworld_scores("0000", seats))
        one = count_episode(episode, EpisodeResult(scores, blamed))
        assert one is not None
        counted.append((episode, one))
    rated = rate_round(
        ranking,
        [RatedEntrant(member.player_id, str(member.policy_version_id)) for member in plan.entrants],
        standings,
        counted,
        division=str(row.division_id),
        number=row.round_number,
        hours=row.created_at.timestamp() / 3600,
    )
    expected = {plan.entrants[place].policy_version_id: one for place, one in result_rows(plan, rated).items()}
    stored = {
        result.policy_version_id: {
            "rank": result.rank,
            "score": result.score,
            "result_metadata": result.result_metadata,
        }
        for result in row.results
    }
    assert stored == expected
    standings |= {plan.entrants[place].player_id: one.after for place, one in rated.items()}
