"""100 games of Among Them with eight scripted players: all of them end with a winner, and neither side always wins.

usage: among_them.py [--games N] [--seed S] [--jobs N] [--cooldown TICKS]

The games have the published configuration and differ in their seeds only; `--cooldown` sets another kill cooldown.
Prints the share of games that imposters win with its 95 % interval (Wilson). Fails if a game ends by time, or if the
share is outside 25 % to 75 %.
"""

import argparse
import math
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import mean

from bitworld.players.among_them.games import PlayedGame, play_game

LEAST, MOST = 0.25, 0.75
Z = 1.96


def interval(won: int, games: int) -> tuple[float, float]:
    """Return the Wilson interval of a share."""
    share, weight = won / games, Z * Z / games
    middle = (share + weight / 2) / (1 + weight)
    half = Z * math.sqrt(share * (1 - share) / games + weight / (4 * games)) / (1 + weight)
    return middle - half, middle + half


def judge(played: list[PlayedGame]) -> list[str]:
    """Return what is wrong with the games; nothing if all is well."""
    problems = [f"game {number} had no winner" for number, game in enumerate(played) if game.winner == "nobody"]
    share = sum(game.winner == "imposters" for game in played) / len(played)
    if not LEAST <= share <= MOST:
        problems.append(f"imposters won {share:.0%} of the games, not {LEAST:.0%} to {MOST:.0%}")
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="among_them.py")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cooldown", type=int, help="kill cooldown in ticks, if not the published one")
    options = parser.parse_args(arguments)
    config = {} if options.cooldown is None else {"killCooldownTicks": options.cooldown}
    began = time.perf_counter()
    seeds = range(1000 + options.seed, 1000 + options.seed + options.games)
    with ProcessPoolExecutor(options.jobs) as pool:
        played = list(pool.map(partial(play_game, config=config), seeds))
    won = sum(game.winner == "imposters" for game in played)
    low, high = interval(won, len(played))
    lengths = [game.ticks for game in played]
    print(
        f"among_them: {len(played)} games, imposters won {won} ({won / len(played):.0%}, 95 % interval {low:.0%} to "
        f"{high:.0%}); a game: {mean(lengths):.0f} ticks ({min(lengths)} to {max(lengths)}), "
        f"{mean(game.kills for game in played):.1f} kills, {mean(game.tasks for game in played):.1f} tasks, "
        f"{mean(game.ejected_crew for game in played):.2f} crewmates and "
        f"{mean(game.ejected_imposters for game in played):.2f} imposters ejected; {time.perf_counter() - began:.0f} s"
    )
    problems = judge(played)
    for problem in problems:
        print(f"among_them: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
