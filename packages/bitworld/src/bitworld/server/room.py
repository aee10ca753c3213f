"""What a server serves: a match or a replay."""

import asyncio
from abc import ABC, abstractmethod

from bitworld.game import Game
from bitworld.picture import blank, pack
from bitworld.scene import Scene
from bitworld.server.clients import FINISHED, Client, Player, RewardReader, Viewer
from bitworld.server.images import scene_of
from bitworld.wire.rewards import reward_text

__all__ = ["Room"]


class Room(ABC):
    """A game and its clients. A server adds and removes clients and calls `tick`; both happen in one thread."""

    is_replay = False

    def __init__(self) -> None:
        self.players: list[Player] = []
        """in the order of their arrival, with and without a seat"""
        self.viewers: list[Viewer] = []
        self.readers: list[RewardReader] = []
        self.changed = asyncio.Event()
        """set when a client has come, gone or answered"""
        self._picture = blank()

    @property
    @abstractmethod
    def game(self) -> Game: ...

    @property
    @abstractmethod
    def is_over(self) -> bool: ...

    @abstractmethod
    def tick(self) -> None:
        """Advance by one tick and queue its pictures."""

    def is_blocked(self, identity: str) -> bool:
        """Return whether a player of this name may not connect."""
        return False

    def add(self, client: Client) -> None:
        """Add a client, or close it with a reason."""
        if isinstance(client, Player):
            self.players.append(client)
        elif isinstance(client, Viewer):
            self.viewers.append(client)
            client.show(self.scene())  # the next tick may be far away
        elif isinstance(client, RewardReader):
            self.readers.append(client)
        self.changed.set()

    def remove(self, client: Client) -> None:
        """Forget a client whose connection has ended."""
        client.is_connected = False
        everyone: tuple[list[Player] | list[Viewer] | list[RewardReader], ...]
        everyone = (self.players, self.viewers, self.readers)
        for clients in everyone:
            if client in clients:
                clients.remove(client)  # type: ignore[arg-type]
        self.changed.set()

    def close(self, reason: str) -> None:
        """Close all clients."""
        for client in (*self.players, *self.viewers, *self.readers):
            client.close(reason, FINISHED)

    def show(self, seats: dict[Player, int]) -> None:
        """Send the current state to everyone; players without a seat get the waiting screen."""
        for player in self.players:
            if player.close_reason is None:
                self._show_player(player, seats.get(player))
        if self.viewers:
            scene = self.scene()
            for viewer in self.viewers:
                viewer.show(scene)
        if self.readers:
            text = reward_text(self.game)
            for reader in self.readers:
                reader.send(text)

    def scene(self) -> Scene:
        """Return what map viewers see."""
        return self.game.scene()

    def _show_player(self, player: Player, seat: int | None) -> None:
        if seat is not None and player.has_sprites:
            try:
                scene = self.game.player_scene(seat)
            except NotImplementedError as error:
                player.close(str(error))
            else:
                player.show(scene)
        elif seat is not None:
            self.game.draw(seat, self._picture)
            player.send(pack(self._picture))
        else:
            self.game.draw_waiting(self._picture)
            if player.has_sprites:
                player.show(scene_of(self._picture, "waiting"))
            else:
                player.send(pack(self._picture))
