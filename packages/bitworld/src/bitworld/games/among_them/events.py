"""Events of Among Them for replay pages: kills, meetings, votes, ejections, tasks, the end."""

from collections.abc import Mapping, Sequence
from typing import Any

from bitworld.events import Event, Watcher
from bitworld.game import Game
from bitworld.wire.player import Button

__all__ = ["AmongThemWatcher"]

X, Y, ROLE, IS_ALIVE, COLOUR, BUTTON_CALLS = 0, 1, 9, 10, 13, 17
"""fields of a player"""
PLAYING, VOTING, VOTE_RESULT, GAME_OVER = 1, 2, 3, 4
CREWMATES, IMPOSTERS = 0, 1
NO_VOTE, SKIP = -1, -2


class AmongThemWatcher(Watcher):
    """Compares the states before and after each step. The state does not name killers and reporters; where several
    players could have acted, the event has no player."""

    def __init__(self, report_range: int) -> None:
        self._report_range = report_range
        self._before: Mapping[str, Any] = {"phase": -1}
        self._names: list[str] = []
        self._kills: dict[str, int] = {}
        self._held: Sequence[int] = ()

    def colour(self, game: Game, player: int) -> int | None:
        return int(game.session.describe()["players"][player][COLOUR]) & 15  # type: ignore[attr-defined]

    def look(self, game: Game, masks: Sequence[int]) -> list[Event]:
        after = game.session.describe()  # type: ignore[attr-defined]
        names = [seat.name for seat in game.seats]
        before, self._before = self._before, after
        held, self._held = self._held, tuple(masks)
        is_same_group, self._names = names == self._names, names
        if not is_same_group:
            self._kills = self._kills_of(game)
            return []
        events = [*self._deaths(game, before, after), *_tasks(before, after, names)]
        if (before["phase"], after["phase"]) == (PLAYING, VOTING):
            events.append(self._meeting(before, after, held, masks))
        if after["phase"] in (VOTING, VOTE_RESULT):
            events += _votes(before, after, names)
        if before["phase"] == VOTING and after["phase"] == VOTE_RESULT:
            events.append(_verdict(after, names))
        if before["phase"] != GAME_OVER and after["phase"] == GAME_OVER:
            events.append(_end(after))
        return events

    def _kills_of(self, game: Game) -> dict[str, int]:
        return {account.name: account.counts.get("kills", 0) for account in game.accounts()}

    def _deaths(self, game: Game, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Event]:
        pairs = zip(self._names, before["players"], after["players"], strict=True)
        dead = [name for name, old, new in pairs if old[IS_ALIVE] and not new[IS_ALIVE]]
        if not dead or before["phase"] != PLAYING:
            return []  # the ejected are part of the verdict
        known, self._kills = self._kills, self._kills_of(game)
        killers = [name for name, kills in self._kills.items() for _ in range(kills - known.get(name, 0))]
        if len(killers) == len(dead) == 1:
            return [Event("kill", f"{killers[0]} killed {dead[0]}", killers[0])]
        return [Event("kill", f"{name} was killed") for name in dead]

    def _meeting(
        self, before: Mapping[str, Any], after: Mapping[str, Any], held: Sequence[int], masks: Sequence[int]
    ) -> Event:
        for name, old, new in zip(self._names, before["players"], after["players"], strict=True):
            if new[BUTTON_CALLS] > old[BUTTON_CALLS]:
                return Event("meeting", f"{name} called a meeting", name)
        reporters = []
        for player, name in enumerate(self._names):
            is_pressed = bool(masks[player] & Button.A) and not (held[player : player + 1] or [0])[0] & Button.A
            if is_pressed and after["players"][player][IS_ALIVE] and self._is_near_body(after, player):
                reporters.append(name)
        if len(reporters) == 1:
            return Event("meeting", f"{reporters[0]} reported a body", reporters[0])
        return Event("meeting", "A body was reported")

    def _is_near_body(self, state: Mapping[str, Any], player: int) -> bool:
        x, y = state["players"][player][X], state["players"][player][Y]
        return any((x - bx) ** 2 + (y - by) ** 2 <= self._report_range**2 for bx, by, _ in state["bodies"])


def _tasks(before: Mapping[str, Any], after: Mapping[str, Any], names: Sequence[str]) -> list[Event]:
    if after["done"] == before["done"]:
        return []
    known = {(task, player) for task, player in before["done"]}
    new = [player for task, player in after["done"] if (task, player) not in known and player < len(names)]
    return [Event("task", f"{names[player]} finished a task", names[player]) for player in new]


def _votes(before: Mapping[str, Any], after: Mapping[str, Any], names: Sequence[str]) -> list[Event]:
    old = before["votes"] if before["phase"] in (VOTING, VOTE_RESULT) else []
    events = []
    for player, vote in enumerate(after["votes"][: len(names)]):
        if vote == NO_VOTE or (player < len(old) and old[player] == vote):
            continue
        what = "voted to skip" if vote == SKIP else f"voted for {names[vote]}"
        events.append(Event("vote", f"{names[player]} {what}", names[player]))
    return events


def _verdict(state: Mapping[str, Any], names: Sequence[str]) -> Event:
    ejected = state["ejected"]
    if not 0 <= ejected < len(names):
        return Event("ejection", "No player was ejected")
    role = "an imposter" if state["players"][ejected][ROLE] == IMPOSTERS else "a crewmate"
    return Event("ejection", f"{names[ejected]} was ejected, {role}", names[ejected])


def _end(state: Mapping[str, Any]) -> Event:
    if state["timeLimitReached"]:
        return Event("win", "The time is over: a draw")
    return Event("win", "The imposters win" if state["winner"] == IMPOSTERS else "The crew wins")
