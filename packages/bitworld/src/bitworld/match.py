"""One game without a server: seated players, steps, pictures, an optional replay. The episode runner uses it."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bitworld.broadcast import Broadcast, Tick, write_scenes
from bitworld.game import Account, Game
from bitworld.history import write_history
from bitworld.picture import Picture
from bitworld.players.scenes import pack_scene
from bitworld.registry import new_game
from bitworld.replays import Recorder
from bitworld.scene import Scene
from bitworld.wire.sprites import SceneWriter

__all__ = ["SeatedMatch", "open_match"]


class SeatedMatch:
    """A game whose players have all joined. It ends when the game is decided, and is never played twice."""

    def __init__(
        self, name: str, config: Mapping[str, Any], players: Sequence[str], replay_path: Path | None = None
    ) -> None:
        """Create the game and seat its players. Raises `BadConfig`, `JoinRefused` or `UnknownGame`."""
        self._name, self._config, self._players = name, dict(config), list(players)
        self._broadcast: Broadcast | None = None
        self._chats: list[tuple[int, str]] = []
        self._ticks: list[Tick] = []
        self.game = new_game(name, config)
        self._resources = ExitStack()
        self._recorder: Recorder | None = None
        if replay_path is not None:
            file = self._resources.enter_context(replay_path.open("w+b"))
            self._recorder = Recorder(self.game, file)
        try:
            for player in players:
                (self._recorder or self.game).join(player)
        except BaseException:
            self.close()
            raise
        self._writers = [SceneWriter() for _ in players]

    @property
    def phase(self) -> str:
        return self.game.phase

    @property
    def is_over(self) -> bool:
        return self.game.is_over or self.game.phase == "game_over" or self.game.wants_players_again

    def draw(self, player: int, out: Picture) -> None:
        """Draw what a player sees."""
        self.game.draw(player, out)

    def sprite_messages(self, player: int) -> bytes:
        """Return what `/sprite_player` sends now: the changes since the last call for this player."""
        return self._writers[player].update(self.scene(player))

    def sprite_scene(self, player: int) -> bytes:
        """Return what a player sees as one self-contained message without pixels (`bitworld.players.scenes`)."""
        return pack_scene(self.game.player_objects(player))

    def scene(self, player: int) -> Scene:
        return self.game.player_scene(player)

    def chat(self, player: int, text: str) -> bool:
        """Say something; return whether the game accepts it now."""
        is_accepted = (self._recorder or self.game).chat(player, text)
        if is_accepted:
            self._chats.append((player, text))
        return is_accepted

    def step(self, masks: Sequence[int]) -> None:
        """Advance one tick with the buttons that each player holds."""
        (self._recorder or self.game).step(list(masks))
        self._ticks.append(Tick(tuple(masks), tuple(self._chats), time.monotonic()))
        self._chats.clear()

    def accounts(self) -> Sequence[Account]:
        return self.game.accounts()

    def broadcast(self, *, hides_secrets: bool) -> Broadcast:
        """Return the match for people who watch while it is played."""
        self._broadcast = Broadcast(self._new_game, self._ticks, hides_secrets=hides_secrets)
        return self._broadcast

    def write_scenes(self, path: Path) -> None:
        """Write what spectators see, tick by tick, for the viewer; see `bitworld.broadcast`."""
        write_scenes(path, self._new_game, self._ticks)

    def write_history(self, path: Path) -> None:
        """Write the events and rewards of the match; see `bitworld.history`."""
        write_history(path, self._new_game, self._ticks)

    def _new_game(self) -> Game:
        """Return a second game that begins like this one."""
        game = new_game(self._name, self._config)
        for player in self._players:
            game.join(player)
        return game

    def close(self) -> None:
        """Complete the replay file and end the broadcast."""
        if self._broadcast is not None:
            self._broadcast.end()
        self._resources.close()


def open_match(
    name: str, config: Mapping[str, Any], players: Sequence[str], replay_path: Path | None = None
) -> SeatedMatch:
    """Open a match for the episode runner of mettagrid, which finds this function by its entry point."""
    return SeatedMatch(name, config, players, replay_path)
