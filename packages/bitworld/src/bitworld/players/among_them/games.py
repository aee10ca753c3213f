"""Whole games of scripted players in this process, for tests and batches."""

from dataclasses import dataclass
from pathlib import Path

from bitworld.games.among_them.events import IMPOSTERS, IS_ALIVE, ROLE
from bitworld.match import SeatedMatch
from bitworld.players.among_them.bot import THINK_TICKS, AmongThemBot

__all__ = ["PlayedGame", "play_game"]


@dataclass(frozen=True)
class PlayedGame:
    winner: str
    """`crew`, `imposters`, or `nobody` if the time ran out"""
    ticks: int
    kills: int
    tasks: int
    ejected_crew: int
    ejected_imposters: int
    messages: tuple[str, ...]
    """what was said, in order"""


def play_game(
    seed: int,
    config: dict[str, object] | None = None,
    *,
    players: int = 8,
    replay_path: Path | None = None,
) -> PlayedGame:
    """Play one game; the same arguments give the same game."""
    settings = {"minPlayers": players, "maxGames": 1, "seed": seed, **(config or {})}
    match = SeatedMatch("among_them", settings, [f"player_{number}" for number in range(players)], replay_path)
    bots = [AmongThemBot(seed * 16 + number) for number in range(players)]
    masks, ticks, messages = [0] * players, 0, []
    try:
        while not match.is_over:
            for player, bot in enumerate(bots):
                if (ticks + player) % THINK_TICKS == 0:  # not all at once
                    move = bot.act(match.game.player_objects(player))
                    masks[player] = move.mask
                    if move.text is not None and match.chat(player, move.text):
                        messages.append(move.text)
            match.step(masks)
            ticks += 1
        state = match.game.session.describe()  # type: ignore[attr-defined]
    finally:
        match.close()
    dead = [player[ROLE] == IMPOSTERS for player in state["players"] if not player[IS_ALIVE]]
    counts = [account.counts for account in match.accounts()]
    winner = "nobody"
    if any(count["wins_crewmate"] for count in counts):
        winner = "crew"
    elif any(count["wins_imposter"] for count in counts):
        winner = "imposters"
    kills, tasks = (sum(count[name] for count in counts) for name in ("kills", "tasks"))
    return PlayedGame(winner, ticks, kills, tasks, dead.count(False) - kills, dead.count(True), tuple(messages))
