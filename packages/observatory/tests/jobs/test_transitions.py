"""Every change of state asks the table of legal moves, and whatever waits for a job hears of it."""

from __future__ import annotations

import ast
import itertools
import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import observatory
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchStatus
from observatory.events import ChangeKind
from observatory.job_states import TERMINAL, JobStatus, may_move, may_move_by_hand
from observatory.jobs import transitions
from observatory.jobs.service import create_job
from observatory.jobs.transitions import IllegalMove, move
from observatory.matches.transitions import IllegalMove as IllegalMatchMove
from observatory.matches.transitions import move as move_match
from packages.observatory.tests.world import ENV, World

SOURCE = Path(observatory.__file__).parent
# Where a state may be assigned: the functions that ask a table, and the one place that ends an assay.
ALLOWED = {
    "friendlies/transitions.py",
    "hosting/transitions.py",
    "jobs/transitions.py",
    "matches/transitions.py",
    "requests/transitions.py",
    "assays/service.py",
    # of images, submissions, roles and deliveries, which have no table of moves
    "notices/delivering.py",
    "coworlds/role_runs.py",
    "images/service.py",
    "leagues/submissions.py",
    # of conversations, rounds and memberships, as commissioners, the ladder and owners of leagues decide them
    "commissioners/members.py",
    "commissioners/playing.py",
    "commissioners/results.py",
    "commissioners/runs.py",
    "leagues/disqualifying.py",
    "rounds/applying.py",
    "rounds/settling.py",
}
_SQL = re.compile(r"\s*update (jobs|matches) .*\bstatus\s*=", re.IGNORECASE | re.DOTALL)
SPEC = {"policy_uris": [], "assignments": [], "env": ENV}


def test_a_job_makes_the_moves_of_the_table_and_no_other(world: World) -> None:
    now, later = world.clock(), world.clock() + timedelta(seconds=5)
    with world.database.transaction() as session:
        for current, to in itertools.product(JobStatus, JobStatus):
            job = create_job(session, dict(SPEC), now=now)
            for state in _path_to(current):
                move(session, job, state, now=now)
            if not may_move(current, to):
                with pytest.raises(IllegalMove, match=f"is {current} and cannot become {to}"):
                    move(session, job, to, now=later)
                assert job.status is current
                continue
            move(session, job, to, now=later)
            assert job.status is to
            assert (job.completed_at == later) is (to in TERMINAL)
            assert (job.dispatched_at == later) is (to is JobStatus.DISPATCHED)
            assert (job.running_at == later) is (to is JobStatus.RUNNING)
            if to is JobStatus.PENDING:
                assert job.dispatched_at is job.running_at is job.worker is job.lease_expires_at is None


def _path_to(state: JobStatus) -> list[JobStatus]:
    """The shortest legal way from pending."""
    ways: list[list[JobStatus]] = [[]]
    for way in ways:
        here = way[-1] if way else JobStatus.PENDING
        if here is state:
            return way
        ways += [[*way, after] for after in JobStatus if may_move(here, after) and after not in way]
    raise AssertionError(f"no way leads to {state}")


def test_an_operator_neither_takes_a_lease_away_nor_ends_a_job_that_waits() -> None:
    pending = JobStatus.PENDING
    for current, to in itertools.product(JobStatus, JobStatus):
        is_refused = to is pending or (current is pending and to in TERMINAL)
        assert may_move_by_hand(current, to) is (may_move(current, to) and not is_refused)


def test_a_match_makes_no_move_that_its_table_does_not_have(world: World, ada) -> None:
    world.season()
    played = world.match("open", "competition", [(world.version(ada), 4)])
    world.play(played, [1, 1, 1, 1])
    with world.database.transaction() as session:
        match = session.get_one(Match, played)
        with pytest.raises(IllegalMatchMove, match="is completed and cannot become running"):
            move_match(session, match, MatchStatus.RUNNING, now=world.clock())


def test_no_job_moves_without_a_follower(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with world.database.transaction() as session:
        job = create_job(session, dict(SPEC), now=world.clock())
        monkeypatch.setattr(transitions, "_follower", None)
        with pytest.raises(RuntimeError, match=r"observatory\.outcomes\.install"):
            move(session, job, JobStatus.DISPATCHED, now=world.clock())
        assert job.status is JobStatus.PENDING


def test_a_second_follower_is_refused(client: TestClient) -> None:
    def other(session: object, job: Job, *, now: object) -> uuid.UUID | None:
        raise AssertionError("never called")

    with pytest.raises(RuntimeError, match="already"):
        transitions.follow_with(other)


def test_subscribers_receive_each_move_with_the_season_of_the_match(world: World, ada) -> None:
    world.season()
    with world.database.changes.subscribe() as changes:
        match = world.match("open", "competition", [(world.version(ada), 4)])
        [queued] = [change for change in changes.take() if change.kind is ChangeKind.QUEUE]
        world.play(match, [1, 1, 1, 1])
        [ended] = [change for change in changes.take() if change.kind is ChangeKind.QUEUE]
    assert queued.season == ended.season is not None
    assert queued.ids == ended.ids == {world.job_of(match)}


def test_no_other_module_assigns_a_state() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assignments = {
        f"{path.relative_to(SOURCE).as_posix()}:{line}"
        for path in files
        for line in _assigned_states(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {place.partition(":")[0] for place in assignments} == ALLOWED, sorted(assignments)


@pytest.mark.parametrize(
    "statement",
    [
        "job.status = JobStatus.FAILED",
        "job.status, job.worker = JobStatus.FAILED, None",
        "match.status: MatchStatus = done",
        "setattr(job, 'status', done)",
        "session.execute(update(Job).values(status=done))",
        "session.execute(update(Job).values({'status': done}))",
        "session.execute(update(Job).values({Job.status: done}))",
        "session.execute(insert(Job), rows)",
        "Job(status=done)",
        "session.execute(text(\"UPDATE jobs SET status = 'failed'\"))",
    ],
)
def test_an_assigned_state_is_recognised(statement: str) -> None:
    assert list(_assigned_states(ast.parse(statement))) == [1]


def _assigned_states(tree: ast.AST) -> Iterator[int]:
    """Lines that set the state of a row without `move`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="status", ctx=ast.Store()):
                yield node.lineno
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value="status"), _]):
                yield node.lineno
            case ast.Call(func=ast.Name(id="Job"), keywords=keywords) if _names_status(keywords):
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr="values"), keywords=keywords, args=args):
                if _names_status(keywords) or any(map(_is_status_key, itertools.chain(*map(_keys, args)))):
                    yield node.lineno
            case ast.Call(func=ast.Name(id="insert"), args=[ast.Name(id="Job" | "Match"), *_]):
                yield node.lineno
            case ast.Constant(value=str(text)) if _SQL.match(text):
                yield node.lineno


def _names_status(keywords: list[ast.keyword]) -> bool:
    return any(keyword.arg == "status" for keyword in keywords)


def _keys(argument: ast.expr) -> list[ast.expr]:
    return [key for key in argument.keys if key is not None] if isinstance(argument, ast.Dict) else []


def _is_status_key(key: ast.expr) -> bool:
    match key:
        case ast.Constant(value="status") | ast.Attribute(attr="status"):
            return True
    return False
