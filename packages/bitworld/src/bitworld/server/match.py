"""A match: seats the players of a game, passes on what they do, and shows them the result."""

from collections.abc import Callable
from typing import BinaryIO

from bitworld.errors import JoinRefused
from bitworld.game import Game
from bitworld.replays import Recorder
from bitworld.server.clients import Client, Player
from bitworld.server.room import Room

__all__ = ["Match"]


class Match(Room):
    """One game, and the same game again after a restart.

    A tick removes players that have gone, seats those that have come, passes on chat and buttons, steps the game and
    shows it, in this order. With `replay_file`, the match is recorded there, with `is_published_replay` in version 3
    even if that loses chat.
    """

    has_controls = True
    """whether the match can be restarted, and players be kicked"""
    pauses_alone = True
    """whether a stepped match waits while no player is connected"""

    def __init__(
        self,
        new_game: Callable[[], Game],
        *,
        replay_file: BinaryIO | None = None,
        start_ms: int = 0,
        is_published_replay: bool = False,
        is_stepped: bool = False,
    ) -> None:
        super().__init__()
        self._new_game = new_game
        self._recorder = Recorder(new_game(), replay_file, start_ms=start_ms, is_published=is_published_replay)
        self.is_stepped = is_stepped
        self.seated: list[Player] = []
        """by seat"""
        self._arrivals: list[Player] = []
        """without a seat, and not yet refused one"""
        self._blocked: set[str] = set()
        self._wants_restart = False

    @property
    def game(self) -> Game:
        return self._recorder.game

    @property
    def is_over(self) -> bool:
        return self.game.is_over

    @property
    def has_arrivals(self) -> bool:
        """Whether the next tick may seat a player."""
        return any(not player.is_waiting for player in self._arrivals)

    def is_blocked(self, identity: str) -> bool:
        return identity in self._blocked

    def restart(self) -> None:
        """Begin a new game at the next tick. All players are seated again, and kicked ones may return."""
        self._wants_restart = True
        self.changed.set()

    def kick(self, identity: str) -> None:
        """Remove a player, and block its name until the next restart."""
        self._blocked.add(identity)
        for player in self.players:
            if player.identity == identity:
                player.close("You were kicked")
        self.changed.set()

    def add(self, client: Client) -> None:
        if isinstance(client, Player):
            if self._is_seated(client.identity):
                client.close(_already(client))
                return
            client.is_stepped = self.is_stepped
            client.changed = self.changed
            self._arrivals.append(client)
        super().add(client)

    def remove(self, client: Client) -> None:
        super().remove(client)
        if client in self._arrivals:
            self._arrivals.remove(client)

    def tick(self) -> None:
        if self._wants_restart or self._is_reset_wanted():
            self._begin_again()
        has_free_seats = self._let_leave()
        self._seat(has_free_seats)
        for seat, player in enumerate(self.seated):
            for text in player.chats:
                self._recorder.chat(seat, text)
            player.chats.clear()
        self._recorder.step([player.take_buttons() for player in self.seated])
        if self.game.wants_players_again:
            self._unseat()
            if not self.is_over:
                self.game.rejoin_done()
        self.show({player: seat for seat, player in enumerate(self.seated)})
        for player in self.seated:
            player.begin_turn()

    def count_acceptable(self) -> int:
        """Return how many players the game would have after the next tick; close those that it refuses."""
        before = self.game.snapshot()
        is_lobby, accepted = self.game.phase == "lobby", len(self.seated)
        for player in self._in_order(self._arrivals):
            try:
                self.game.join(player.identity, player.slot, player.token)
                accepted += 1
            except JoinRefused as refusal:
                if is_lobby:
                    player.close(str(refusal))
        self.game.restore(before)
        self._arrivals = [player for player in self._arrivals if player.close_reason is None]
        return accepted

    def flush(self) -> None:
        """Write what was recorded to the replay file."""
        self._recorder.flush()

    def _is_reset_wanted(self) -> bool:
        """Return whether the only player asks for a new match; other players would lose theirs."""
        wants = any(player.wants_reset for player in self.seated)
        for player in self.seated:
            player.wants_reset = False
        return wants and len(self.seated) == 1

    def _begin_again(self) -> None:
        self._wants_restart = False
        self._blocked.clear()
        self._recorder.restart(self._new_game())
        self._unseat()

    def _unseat(self) -> None:
        """Let all players take new seats, in the order of their arrival."""
        self.seated = []
        self._arrivals = [player for player in self.players if player.close_reason is None]

    def _let_leave(self) -> bool:
        gone = [seat for seat, player in enumerate(self.seated) if not player.is_connected or player.close_reason]
        for seat in reversed(gone):
            self._recorder.leave(seat)
            del self.seated[seat]
        return bool(gone)

    def _seat(self, has_free_seats: bool) -> None:
        """Seat new players. While a game is in progress, those that it refuses wait for the next lobby."""
        is_lobby = self.game.phase == "lobby"
        for player in self._in_order(self._arrivals):
            if player.is_waiting and not (is_lobby or has_free_seats):
                continue
            if self._is_seated(player.identity):
                player.close(_already(player))
                continue
            try:
                seat = self._recorder.join(player.identity, player.slot, player.token)
            except JoinRefused as refusal:
                if is_lobby:
                    player.close(str(refusal))
                player.is_waiting = True
            else:
                player.is_waiting = False
                self.seated.insert(seat, player)
        self._arrivals = [
            player for player in self._arrivals if player not in self.seated and player.close_reason is None
        ]

    def _is_seated(self, identity: str) -> bool:
        """Return whether a connected player has the name. A client without a seat blocks no name."""
        return any(player.identity == identity for player in self.seated if player.is_connected)

    def _in_order(self, players: list[Player]) -> list[Player]:
        """Return players in the order in which they take seats."""
        if not self.is_stepped:
            return players
        # The order of connections is chance, the requested slots are not.
        return sorted(players, key=lambda player: player.slot if player.slot >= 0 else self.game.max_players)


def _already(player: Player) -> str:
    return f"A player named {player.identity!r} is already connected"
