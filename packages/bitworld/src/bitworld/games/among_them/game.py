"""Among Them as a game of this package: the native rules behind the interface `Game`."""

from collections.abc import Mapping, Sequence
from typing import Any

from bitworld._native import AmongThemSession, Refusal
from bitworld.errors import JoinRefused
from bitworld.game import Account, Game, Seat
from bitworld.games.among_them.artist import artist_of
from bitworld.games.among_them.config import read_config
from bitworld.games.among_them.events import AmongThemWatcher
from bitworld.games.among_them.map import GameMap, load_map
from bitworld.games.among_them.native import native_config, native_map
from bitworld.games.among_them.scenes import Trails, player_scene, public_scene, spectator_scene
from bitworld.picture import Picture
from bitworld.scene import Scene

__all__ = ["AmongThem"]

PHASES = ("lobby", "playing", "voting", "vote_result", "game_over", "role_reveal")
"""in the order of their numbers in the state"""

COUNTS = ("wins_imposter", "wins_crewmate", "games_imposter", "games_crewmate", "kills", "tasks")

REFUSALS = {
    Refusal.NOT_IN_LOBBY: "The game has started; players can join when it is over",
    Refusal.FULL: "All places are taken",
    Refusal.SAME_NAME: "A player with this name is in the game",
    Refusal.SLOT_TAKEN: "The slot is taken",
    Refusal.WRONG_NAME: "The slot is reserved for another name",
    Refusal.WRONG_TOKEN: "The token does not fit the slot",
}


class AmongThem(Game):
    """Crewmates work on tasks and vote; imposters kill and stay unnoticed."""

    name = "among_them"
    title = "Among Them"
    summary = "Finish tasks and vote imposters out, or be the imposter and stay unnoticed."

    def __init__(self, config: Mapping[str, Any] | None = None, *, game_map: GameMap | None = None) -> None:
        self._config = read_config(config or {})
        self.map = game_map or load_map(self._config["mapPath"])
        self.artist = artist_of(self.map)
        self._trails = Trails()
        self.session = AmongThemSession(native_config(self._config), native_map(self.map))

    @property
    def config(self) -> dict[str, Any]:
        return read_config(self._config)

    @property
    def tick(self) -> int:
        return self.session.tick

    @property
    def seats(self) -> Sequence[Seat]:
        return [Seat(name, slot) for name, slot in self.session.players]

    @property
    def phase(self) -> str:
        return PHASES[self.session.phase]

    @property
    def is_over(self) -> bool:
        return 0 < self._config["maxGames"] <= self.session.games_finished

    @property
    def wants_players_again(self) -> bool:
        return self.session.needs_reregister

    def rejoin_done(self) -> None:
        self.session.rejoin_done()

    def join(self, name: str, slot: int = -1, token: str = "") -> int:
        if not -1 <= slot < self.max_players:
            raise JoinRefused(f"Slots are 0 to {self.max_players - 1}, not {slot}")
        refusal = self.session.join(name, slot, token)
        if refusal is not Refusal.NONE:
            raise JoinRefused(REFUSALS[refusal])
        return len(self.session.players) - 1

    def leave(self, player: int) -> None:
        self.session.leave(player)

    def leave_unrepaired(self, player: int) -> None:
        self.session.leave_unrepaired(player)

    def chat(self, player: int, text: str) -> bool:
        return self.session.chat(player, text.encode("utf-8", "replace"))

    @property
    def chat_lines(self) -> list[tuple[int, str]]:
        """The messages of the running meeting, as (slot, text), the oldest first."""
        return self.session.chat_lines()

    def step(self, masks: Sequence[int]) -> None:
        self.session.step(bytes(masks))

    def accounts(self) -> Sequence[Account]:
        """Return the accounts; the counts are empty until the identity has started a game."""
        accounts = []
        for name, (reward, *values) in self.session.accounts():
            counts = dict(zip(COUNTS, values, strict=True))
            has_played = counts["games_imposter"] + counts["games_crewmate"] > 0
            accounts.append(Account(name, reward, counts if has_played else {}))
        return accounts

    def results(self) -> list[dict[str, Any]]:
        accounts = self.session.accounts()
        rows = []
        for player, (name, slot) in enumerate(self.session.players):
            _, (reward, *values) = accounts[self.session.account_of(player)]
            counts = dict(zip(COUNTS, values, strict=True))
            row = {"name": name, "reward": reward, "win": self.session.has_won(player)}
            rows.append((slot, row | {"tasks": counts["tasks"], "kills": counts["kills"]}))
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])]

    def state_hash(self) -> int:
        return self.session.hash()

    def snapshot(self) -> bytes:
        return self.session.snapshot()

    def restore(self, snapshot: bytes) -> None:
        self.session.restore(snapshot)

    def draw(self, player: int, out: Picture) -> None:
        self.artist.draw(self.session, player, out)

    def draw_waiting(self, out: Picture) -> None:
        self.artist.draw_waiting(out)

    def scene(self) -> Scene:
        return spectator_scene(
            self.map,
            self.artist,
            self.session,
            self._trails,
            kill_cooldown_ticks=self._config["killCooldownTicks"],
            shows_labels=self._config["showPlayerLabels"],
        )

    def public_scene(self) -> Scene:
        return public_scene(self.map, self.artist, self.session)

    def player_scene(self, player: int) -> Scene:
        return player_scene(self.map, self.artist, self.session, player, self._config["taskCompleteTicks"])

    def player_objects(self, player: int) -> Scene:
        ticks = self._config["taskCompleteTicks"]
        return player_scene(self.map, self.artist, self.session, player, ticks, has_pixels=False)

    def watcher(self) -> AmongThemWatcher:
        return AmongThemWatcher(report_range=self._config["reportRange"])
