"""Seats, accounts and phases: what games share whatever their world is written in."""

import json
import struct
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from bitworld.errors import JoinRefused
from bitworld.game import Account, Game, Seat
from bitworld.games.shared import screens
from bitworld.games.shared.buttons import Input
from bitworld.games.shared.seating import AccountState, SeatState, choose_slot, public_account
from bitworld.games.shared.settings import GameSettings, as_json, read_settings
from bitworld.games.shared.state import from_words, hash_of, to_words
from bitworld.games.shared.view import View
from bitworld.picture import Picture
from bitworld.scene import Scene

__all__ = ["Phase", "SeatedGame"]

_HEADER = struct.Struct("<8sQQI")  # magic, hash of the game and its configuration, hash of the rest, bytes of the match
_MAGIC = b"BWSTATE1"
_MAX_NAME = 64


class Phase(IntEnum):
    LOBBY = 0
    PLAYING = 1
    OVER = 2


@dataclass
class _Match:
    """What the base class keeps. Together with the world it is the whole state."""

    tick: int = 0
    phase: Phase = Phase.LOBBY
    began: int = 0
    """the last tick before the phase"""
    games_played: int = 0
    seats: list[SeatState] = field(default_factory=list)
    accounts: list[AccountState] = field(default_factory=list)


S = TypeVar("S", bound=GameSettings)


class SeatedGame(Game, Generic[S]):
    """A game in which players may join and leave at any time. A subclass owns the world and its rules.

    A game waits in the lobby for `minPlayers`, is played until the rules or `maxTicks` end it, and shows the ranking.
    Games with the same players follow until `maxGames` have been played.
    """

    settings_type: ClassVar[type[GameSettings]] = GameSettings
    count_names: ClassVar[tuple[str, ...]] = ()
    """further lines of the reward protocol"""

    settings: S

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.settings = read_settings(self.settings_type, config)  # type: ignore[assignment]
        identity = json.dumps([self.name, self.version, self.config])
        self._identity = hash_of(np.array([ord(letter) for letter in identity], np.int64))
        self._match = _Match()
        self.start_world()

    # The world of a subclass.

    @abstractmethod
    def start_world(self) -> None:
        """Make a world without players; the random generator of an earlier one continues."""

    @abstractmethod
    def add_player(self, slot: int) -> None:
        """Put a player into the world, after the others."""

    @abstractmethod
    def remove_player(self, player: int) -> None: ...

    @abstractmethod
    def play(self, inputs: Sequence[Input]) -> None:
        """Run the rules of one tick."""

    @abstractmethod
    def tally(self) -> list[list[int]]:
        """Return for each player its score in this game, then the counts of `count_names`."""

    @abstractmethod
    def view(self, player: int | None) -> View:
        """Return what a player sees, or (None) what spectators see. It must not change the world."""

    @abstractmethod
    def world_hash(self) -> int: ...

    @abstractmethod
    def save_world(self) -> bytes: ...

    @abstractmethod
    def load_world(self, saved: bytes) -> None:
        """Replace the world by a saved one."""

    def has_ended(self) -> bool:
        """Return whether the rules end the game now; a limit of ticks ends it as well."""
        return False

    # The interface of `Game`.

    @property
    def config(self) -> dict[str, Any]:
        values: dict[str, Any] = as_json(self.settings)
        return values

    @property
    def tick(self) -> int:
        return self._match.tick

    @property
    def ticks_left(self) -> int | None:
        """Ticks of play until the limit, if there is one."""
        limit, phase = self.settings.max_ticks, self._match.phase
        if not limit:
            return None
        passed = {Phase.LOBBY: 0, Phase.PLAYING: self.tick - self._match.began, Phase.OVER: limit}[phase]
        return max(0, limit - passed)

    @property
    def seats(self) -> Sequence[Seat]:
        return [Seat(seat.name, seat.slot) for seat in self._match.seats]

    def join(self, name: str, slot: int = -1, token: str = "") -> int:
        if not name or len(name) > _MAX_NAME:
            raise JoinRefused(f"A player's name has 1 to {_MAX_NAME} characters, not {len(name)}")
        match = self._match
        if any(seat.name == name for seat in match.seats):
            raise JoinRefused(f"A player named {name!r} is already in the game")
        taken = [seat.slot for seat in match.seats]
        slot = choose_slot(self.settings.slots, taken, self.max_players, name, slot, token)
        match.seats.append(SeatState(name, slot, self._account(name, slot)))
        self.add_player(slot)
        return len(match.seats) - 1

    def leave(self, player: int) -> None:
        if not 0 <= player < len(self._match.seats):
            raise ValueError(f"there is no player {player}; the game has {len(self._match.seats)}")
        account = self._match.seats.pop(player).account
        self.remove_player(player)
        if not self._match.accounts[account].has_played:
            self._forget(account)

    def step(self, masks: Sequence[int]) -> None:
        match = self._match
        if len(masks) != len(match.seats):
            raise ValueError(f"the game has {len(match.seats)} players, not {len(masks)}")
        match.tick += 1
        inputs = [Input(mask & 0xFF, mask & 0xFF & ~seat.held) for mask, seat in zip(masks, match.seats, strict=True)]
        for seat, buttons in zip(match.seats, inputs, strict=True):
            seat.held = buttons.held
        if match.phase is Phase.LOBBY and len(match.seats) >= self.settings.min_players:
            self._begin(Phase.PLAYING, match.tick - 1)
        if match.phase is Phase.PLAYING:
            self._play(inputs)
        elif match.phase is Phase.OVER and not self.is_over:
            self._wait_for_next_game()

    def draw(self, player: int, out: Picture) -> None:
        self._view(player).draw(out)

    def draw_waiting(self, out: Picture) -> None:
        screens.spectator(self.view(None), self.title).draw(out)

    def scene(self) -> Scene:
        return screens.score_list(self._view(None), self.seats, self._scores()).scene()

    def player_scene(self, player: int) -> Scene:
        return self._view(player).scene()

    def accounts(self) -> Sequence[Account]:
        return [public_account(account, self.count_names) for account in self._match.accounts]

    def state_hash(self) -> int:
        own = hash_of(to_words(self._match))
        return own ^ (self.world_hash() * 1099511628211 & 0xFFFF_FFFF_FFFF_FFFF)

    def snapshot(self) -> bytes:
        match, world = to_words(self._match).tobytes(), self.save_world()
        body = match + world
        return _HEADER.pack(_MAGIC, self._identity, _digest(body), len(match)) + body

    def restore(self, snapshot: bytes) -> None:
        if len(snapshot) < _HEADER.size:
            raise ValueError("the snapshot is incomplete")
        magic, identity, digest, match_bytes = _HEADER.unpack_from(snapshot)
        body = snapshot[_HEADER.size :]
        if magic != _MAGIC or identity != self._identity:
            raise ValueError(f"the snapshot is not of {self.name} with this configuration")
        if _digest(body) != digest:
            raise ValueError("the snapshot is damaged")
        (match,) = from_words(np.frombuffer(body[:match_bytes], np.int64), _Match)
        self.load_world(body[match_bytes:])
        self._match = match

    @property
    def phase(self) -> str:
        return self._match.phase.name.lower()

    @property
    def is_over(self) -> bool:
        match, limit = self._match, self.settings.max_games
        return match.phase is Phase.OVER and 0 < limit <= match.games_played

    def results(self) -> list[dict[str, Any]]:
        """Return one row per account, in order of slots."""
        accounts = sorted(self._match.accounts, key=lambda account: account.slot)
        return [
            {"name": account.name, "reward": account.reward, **dict(zip(self.count_names, account.counts, strict=True))}
            for account in accounts
        ]

    # Phases and accounts.

    def _account(self, name: str, slot: int) -> int:
        """Return the index of an identity's account, a new one at its first join."""
        accounts = self._match.accounts
        for number, account in enumerate(accounts):
            if account.name == name:
                account.slot = slot
                return number
        accounts.append(AccountState(name, slot, counts=[0] * len(self.count_names)))
        return len(accounts) - 1

    def _forget(self, account: int) -> None:
        """Remove the account of an identity that never played, so that names alone cannot fill the memory."""
        del self._match.accounts[account]
        for seat in self._match.seats:
            seat.account -= seat.account > account

    def _begin(self, phase: Phase, last_tick: int) -> None:
        self._match.phase = phase
        self._match.began = last_tick

    def _play(self, inputs: Sequence[Input]) -> None:
        before = self.tally()
        self.play(inputs)
        for seat, old, new in zip(self._match.seats, before, self.tally(), strict=True):
            account = self._match.accounts[seat.account]
            account.has_played = True
            reward, *counts = (after - value for after, value in zip(new, old, strict=True))
            account.reward += reward
            account.counts = [total + more for total, more in zip(account.counts, counts, strict=True)]
        if self.has_ended() or self.ticks_left == 0:
            self._match.games_played += 1
            self._begin(Phase.OVER, self.tick)

    def _wait_for_next_game(self) -> None:
        match = self._match
        if match.tick - match.began >= self.settings.game_over_ticks:
            self.start_world()
            for seat in match.seats:
                self.add_player(seat.slot)
            self._begin(Phase.LOBBY, match.tick)

    def _scores(self) -> list[int]:
        return [score for score, *_ in self.tally()]

    def _view(self, player: int | None) -> View:
        return self.add_screens(self.view(player))

    def add_screens(self, view: View) -> View:
        """Add the lobby or the ranking to a view outside of play."""
        phase = self._match.phase
        if phase is Phase.LOBBY:
            return screens.lobby(view, self.title, len(self._match.seats), self.settings.min_players)
        if phase is Phase.OVER:
            return screens.ranking(view, self.seats, self._scores())
        return view


def _digest(body: bytes) -> int:
    whole = len(body) // 8 * 8
    words = np.frombuffer(body[:whole], np.int64)
    return hash_of(np.append(words, np.frombuffer(body[whole:], np.uint8)).astype(np.int64))
