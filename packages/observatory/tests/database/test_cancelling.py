"""What a cancelled request or background task leaves: `Task.cancel` does not stop a thread that uses a session."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import anyio.to_thread
import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database import Database, new_id
from observatory.database.tables.policies import Policy
from observatory.database.threads import run_to_end
from observatory.errors import Unavailable

PATIENCE = 20.0


class Slow:
    """A function of a session that waits in the middle, for `leave`."""

    def __init__(self, *names: str, **columns: Any) -> None:
        self.names, self.columns = names, columns
        self.entered, self.leave, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, session: Session) -> None:
        session.scalar(select(func.count()).select_from(Policy))
        self.entered.set()
        assert self.leave.wait(PATIENCE)
        session.add_all([Policy(id=new_id(), name=name, attributes={}, **self.columns) for name in self.names])
        session.flush()
        session.scalars(select(Policy.name)).all()
        self.ended.set()


async def cancelled(started: Coroutine[Any, Any, Any], entered: threading.Event, leave: threading.Event) -> None:
    """Cancel a task once it has entered; let it continue only after others had time to take what it uses."""
    task = asyncio.create_task(started)
    assert await asyncio.to_thread(entered.wait, PATIENCE)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.02)
    assert not task.done()  # the thread still uses the session
    leave.set()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("method", ["query", "write"])
def test_the_session_of_a_cancelled_task_is_closed_once_its_thread_has_ended(
    database: Database, method: str, ada, clock
) -> None:
    slow = Slow(*(["cancelled"] if method == "write" else []), user_id=ada.user_id, created_at=clock())
    run: Callable[..., Any] = getattr(database, method)
    asyncio.run(cancelled(run(slow), slow.entered, slow.leave))
    assert slow.ended.is_set()
    assert database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    with database.transaction() as session:  # the gate is open, the database not locked
        session.add(Policy(id=new_id(), user_id=ada.user_id, name="next", attributes={}, created_at=clock()))
    with database.read() as session:
        assert session.scalars(select(Policy.name)).all() == ["next"]


def test_a_task_cancelled_while_it_waits_for_the_gate_leaves_it_open(database: Database) -> None:
    async def wait_for_gate() -> None:
        entered, leave = threading.Event(), threading.Event()
        holder = asyncio.create_task(asyncio.to_thread(hold, entered, leave))
        assert await asyncio.to_thread(entered.wait, PATIENCE)
        waiting = asyncio.create_task(database.write(lambda session: session.scalar(select(1))))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.sleep(0.05)
        leave.set()
        await holder
        with pytest.raises(asyncio.CancelledError):
            await waiting

    def hold(entered: threading.Event, leave: threading.Event) -> None:
        with database.transaction():
            entered.set()
            assert leave.wait(PATIENCE)

    asyncio.run(wait_for_gate())
    with database.transaction() as session:
        assert session.scalar(select(1)) == 1


def test_a_thread_that_begins_after_its_task_was_cancelled_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = threading.Event()
    threads: list[threading.Thread] = []
    calls: list[str] = []

    def begin_late(function: Callable[[], None]) -> None:
        begin.wait(PATIENCE)
        with suppress(asyncio.CancelledError):
            function()

    async def run_late(function: Callable[[], None], **_options: object) -> None:
        threads.append(threading.Thread(target=begin_late, args=[function], daemon=True))
        threads[0].start()
        await asyncio.Event().wait()

    async def cancel_early() -> None:
        task = asyncio.create_task(run_to_end(lambda: calls.append("ran")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    monkeypatch.setattr(anyio.to_thread, "run_sync", run_late)
    asyncio.run(cancel_early())
    begin.set()
    threads[0].join(PATIENCE)
    assert not threads[0].is_alive()
    assert calls == []


def test_an_exception_in_a_thread_is_the_exception_of_the_task(database: Database) -> None:
    def fail(_session: Session) -> None:
        raise Unavailable("not now")

    with pytest.raises(Unavailable, match="not now"):
        asyncio.run(database.write(fail))
    with database.transaction() as session:
        assert session.scalar(select(1)) == 1
