"""A server that is closed while its connections are busy ends all of them."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mettagrid.live import LiveServer
from mettagrid.live._sockets import PICTURES_PER_SECOND

from .conftest import PATIENCE, plan_of, serve_game


async def end_before_an_event(server: LiveServer, turns: int) -> None:
    """End the only conversation, and raise an event of the game some turns of the event loop later."""
    await asyncio.sleep(5 / PICTURES_PER_SECOND)  # until the watcher waits for an event
    (listening,) = (task for task in asyncio.all_tasks() if "Conversation._listen" in str(task.get_coro()))
    listening.cancel()
    for _ in range(turns):
        await asyncio.sleep(0)
    server._signal.set()


@pytest.mark.parametrize("turns", range(6))
def test_a_server_closes_although_an_event_arrives_at_the_same_time(turns: int) -> None:
    with serve_game(plan_of()) as table:
        watcher = table.open("/global")
        watcher.next("state")
        ended = asyncio.run_coroutine_threadsafe(end_before_an_event(table.server, turns), table.server._loop)
        ended.result(PATIENCE)
        closing = threading.Thread(target=table.server.close, daemon=True)
        closing.start()
        closing.join(PATIENCE)
        assert not closing.is_alive()
