"""Whole games of scripted players in this process, for tests and batches."""

from dataclasses import dataclass
from pathlib import Path

from bitworld.match import Match
from bitworld.players.among_them.bot import THINK_TICKS, AmongThemBot

__all__ = ["BALANCED", "PlayedGame", "play_game"]

BALANCED = {"killCooldownTicks": 300}
"""Scripted crewmates work without a pause: with the published cooldown of 1200 ticks they finish all tasks before an
imposter can kill twice, and imposters win no game. With this one both sides win about as often."""


@dataclass(frozen=True)
class PlayedGame:
    winner: str
    """`crew`, `imposters`, or `nobody` if the time ran out"""
    ticks: int
    kills: int
    tasks: int
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
    settings = {**BALANCED, "minPlayers": players, "maxGames": 1, "seed": seed, **(config or {})}
    match = Match("among_them", settings, [f"player_{number}" for number in range(players)], replay_path)
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
    finally:
        match.close()
    counts = [account.counts for account in match.accounts()]
    winner = "nobody"
    if any(count["wins_crewmate"] for count in counts):
        winner = "crew"
    elif any(count["wins_imposter"] for count in counts):
        winner = "imposters"
    kills, tasks = (sum(count[name] for count in counts) for name in ("kills", "tasks"))
    return PlayedGame(winner, ticks, kills, tasks, tuple(messages))
