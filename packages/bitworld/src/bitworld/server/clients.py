"""The clients of a room, without their sockets: what they sent, and what waits to be sent to them."""

import asyncio
from collections import deque

from bitworld.errors import BadMessage
from bitworld.scene import Scene
from bitworld.server.limits import CHATS_PER_TICK, MAX_CHAT, OUTBOX_MESSAGES
from bitworld.wire.player import RESET_MASK, Buttons, Chat, decode_packet, printable
from bitworld.wire.sprites import SceneWriter
from bitworld.wire.viewers import ClientMessage, Mouse, PlayerButtons, Text, decode_client

__all__ = ["FINISHED", "REFUSED", "Client", "Player", "RewardReader", "Viewer"]

FINISHED, REFUSED = 1000, 1008
"""close codes"""


class Client:
    """One connection. A room sends to it and reads what it received; a socket does the transport."""

    def __init__(self) -> None:
        self.outbox: deque[bytes | str] = deque()
        self.ready = asyncio.Event()
        """set while something is in the outbox, or the room has closed the client"""
        self.close_reason: str | None = None
        self.close_code = REFUSED
        self.is_connected = True

    @property
    def has_room(self) -> bool:
        return len(self.outbox) < OUTBOX_MESSAGES

    def send(self, message: bytes | str) -> None:
        """Queue a message. A client that does not read loses the oldest ones."""
        if not self.has_room:
            self.outbox.popleft()
        self.outbox.append(message)
        self.ready.set()

    def close(self, reason: str, code: int = REFUSED) -> None:
        """Close the connection after the messages in the outbox."""
        if self.close_reason is None:
            self.close_reason, self.close_code = reason, code
        self.ready.set()

    def receive(self, data: bytes) -> bool:
        """Take a message of the client; return whether it counts against the rate limit."""
        return True

    async def may_continue(self) -> None:
        """Wait until the next message of the client may be read."""


class RewardReader(Client):
    """`/reward`"""


class SceneClient(Client):
    """A client of the sprite protocol."""

    def __init__(self) -> None:
        super().__init__()
        self._writer = SceneWriter()

    def show(self, scene: Scene) -> None:
        """Send the difference from the last scene; a slow client gets fewer and larger differences."""
        if self.has_room:
            self.send(self._writer.update(scene))

    def receive(self, data: bytes) -> bool:
        try:
            messages = decode_client(data)
        except BadMessage:
            return True
        for message in messages:
            self.receive_message(message)
        return True

    def receive_message(self, message: ClientMessage) -> None:
        pass


class Viewer(SceneClient):
    """`/global`"""

    MAX_INBOX = 64

    def __init__(self) -> None:
        super().__init__()
        self.inbox: deque[ClientMessage] = deque(maxlen=self.MAX_INBOX)
        self.pointer: Mouse | None = None
        """the last position of the mouse"""

    def receive_message(self, message: ClientMessage) -> None:
        self.inbox.append(message)


class Player(SceneClient):
    """`/player` and, with sprites instead of pictures, `/sprite_player`.

    `is_stepped` players answer every picture with their buttons; what they send after that is read after the next one.
    """

    def __init__(self, identity: str, slot: int = -1, token: str = "", *, has_sprites: bool = False) -> None:
        super().__init__()
        self.identity = identity
        self.slot = slot
        self.token = token
        self.has_sprites = has_sprites
        self.is_stepped = False
        self.mask = 0
        """the buttons it holds"""
        self._tapped = 0
        self.chats: deque[str] = deque(maxlen=CHATS_PER_TICK)
        self.wants_reset = False
        self.is_waiting = False
        """whether a game in progress has refused it a seat"""
        self.has_answered = False
        self.is_late = False
        """whether it has missed a deadline and not answered since"""
        self.seconds_waited = 0.0
        self.changed = asyncio.Event()
        """set when the player has answered; shared by the players of a match"""
        self._turn = asyncio.Event()

    def receive(self, data: bytes) -> bool:
        answered_before = self.has_answered
        if self.has_sprites:
            super().receive(data)
        else:
            packet = decode_packet(data)
            if isinstance(packet, Buttons):
                self._hold(packet.mask)
            elif isinstance(packet, Chat):
                self._say(packet.text)
        return not self.is_stepped or answered_before == self.has_answered

    def receive_message(self, message: ClientMessage) -> None:
        if isinstance(message, PlayerButtons):
            self._hold(message.mask)
        elif isinstance(message, Text):
            self._say(printable(message.text))

    def take_buttons(self) -> int:
        """Return the buttons for the next tick: those held, and those pressed and released since the last one."""
        mask, self._tapped = self.mask | self._tapped, 0
        return mask

    def begin_turn(self) -> None:
        """Expect an answer to the picture that was just sent."""
        self.has_answered = False
        self._turn.set()

    async def may_continue(self) -> None:
        if self.is_stepped and self.has_answered:
            self._turn.clear()
            await self._turn.wait()

    def _hold(self, mask: int) -> None:
        if mask == RESET_MASK:
            self.wants_reset = True
        else:
            self._tapped |= 0 if self.is_stepped else mask & ~self.mask
            self.mask = mask
        self.has_answered, self.is_late = True, False
        self.changed.set()

    def _say(self, text: str) -> None:
        if text and len(self.chats) < CHATS_PER_TICK:
            self.chats.append(text[:MAX_CHAT])
