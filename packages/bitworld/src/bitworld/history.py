"""The history of a match that is over, as one document: its events, and the rewards of its players over time."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bitworld.broadcast import Tick
from bitworld.game import Game

__all__ = ["history_of", "write_history"]

SAMPLES = 120
"""ticks at which the rewards are listed, at most, beside the beginning"""


def write_history(path: Path, new_game: Callable[[], Game], ticks: Sequence[Tick]) -> None:
    path.write_text(json.dumps(history_of(new_game(), ticks), separators=(",", ":")))


def history_of(game: Game, ticks: Sequence[Tick]) -> dict[str, Any]:
    """Play a match again and return its history. `game` begins like the match, with its players seated."""
    players = [seat.name for seat in game.seats]
    every = max(1, -(-len(ticks) // SAMPLES))
    sampled = sorted(range(len(ticks), -1, -every))
    rewards = [_rewards(game, players)] if sampled[0] == 0 else []
    watcher, events = game.watcher(), []
    for position, tick in enumerate(ticks, start=1):
        for player, text in tick.chats:
            game.chat(player, text)
        game.step(tick.masks)
        events += [{"tick": position, **asdict(event)} for event in watcher.look(game, tick.masks)]
        if (len(ticks) - position) % every == 0:
            rewards.append(_rewards(game, players))
    counts = {account.name: dict(account.counts) for account in game.accounts()}
    return {
        "ticks": sampled,
        "players": [
            {"name": name, "rewards": list(own), "counts": counts.get(name, {})}
            for name, own in zip(players, zip(*rewards, strict=True), strict=True)
        ],
        "events": events,
    }


def _rewards(game: Game, players: Sequence[str]) -> list[int]:
    earned = {account.name: account.reward for account in game.accounts()}
    return [earned.get(name, 0) for name in players]
