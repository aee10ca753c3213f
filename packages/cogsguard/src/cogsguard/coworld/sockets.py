"""The sockets of a Coworld, where they differ from other live games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mettagrid.live import WHOLE, BadOrder, Conversation, Player, Request

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from cogsguard.coworld.seats import Hearing, Seats
    from mettagrid.live import Grant, Line, LiveServer

__all__ = ["REPLAY_PROTOCOL", "ReplayTeller", "SeatedPlayer"]

REPLAY_PROTOCOL = "mettagrid.replay.v1"
TAKEN = 4001
"""close code: a newer connection has the seat"""


class SeatedPlayer(Player):
    """`/player`: one seat, driven by the newest connection."""

    def __init__(
        self,
        server: LiveServer,
        connection: ServerConnection,
        grant: Grant,
        line: Line,
        slot: int,
        *,
        seats: Seats,
        hearing: Hearing,
    ) -> None:
        super().__init__(server, connection, grant, line, slot)
        self._seats = seats
        self._hearing = hearing
        self.name = seats.name_of_next(slot)

    async def run(self) -> None:
        await self.until_started(self.line)
        before = [player for player in self.server.players.values() if player.slot == self.slot]
        self._seats.take(self.slot, self.name)
        for player in before:
            await player.connection.close(TAKEN, "A newer connection has this seat")
        await super().run()

    def observation(self, tick: int, control: dict[str, Any]) -> dict[str, Any]:
        message = super().observation(tick, control)
        heard = self._hearing.talk
        if heard:
            message["talk"] = [
                {
                    "agent_id": talk.agent_id,
                    "text": talk.text,
                    "row": talk.location.row,
                    "col": talk.location.col,
                    "remaining_steps": talk.remaining_steps,
                }
                for talk in heard[self.slot]
            ]
        return message

    def act(self, request: Request) -> None:
        name = self.action_name(request)
        self._seats.answer(self.slot, self.name, name, vibe=request.vibe, talk=request.talk, for_step=request.for_step)


class ReplayTeller(Conversation):
    """`/replay`: sends a header, then the whole replay."""

    def __init__(self, server: LiveServer, connection: ServerConnection, load: Callable[[], bytes]) -> None:
        super().__init__(server, connection)
        self._load = load

    async def tell(self) -> None:
        try:
            content = await asyncio.to_thread(self._load)
        except (OSError, ValueError) as error:
            await self.fail(str(error))
            await self.connection.close(1011, "Replay not available")
            return
        await self.send({"type": "replay", "protocol": REPLAY_PROTOCOL, "bytes": len(content)})
        await self.connection.send(WHOLE + content)
        await super().tell()

    async def obey(self, request: Request) -> None:
        raise BadOrder("This socket accepts no messages")
