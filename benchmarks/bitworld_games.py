"""Pictures per CPU second of Among Them on one core: by number of players, by phase, one game and a batch.

usage: bitworld_games.py [--seconds 1.0] [--rounds 5] [--record]

The published simulator draws 340 to 480 pictures per CPU second with five players.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from bitworld.games.among_them import AmongThem  # noqa: E402
from bitworld.games.among_them.batch import Batch  # noqa: E402
from bitworld.picture import blank, pack  # noqa: E402
from record import record  # noqa: E402

PUBLISHED = 480
"""the best measured figure of the published simulator, pictures per CPU second"""

# No kills and no meetings, so that a phase lasts.
QUIET = {"startWaitTicks": 0, "roleRevealTicks": 0, "killRange": 0, "buttonCalls": 0, "maxTicks": 0}


class Wanderers:
    """Players that walk in random directions, as far from each other as in real games."""

    def __init__(self, players: int, **config: int) -> None:
        self.game = AmongThem({"seed": 3, "minPlayers": players, **QUIET, **config})
        for player in range(players):
            self.game.join(f"p{player}")
        self._rng = np.random.default_rng(3)
        self._held = [0] * players
        self._tick = 0
        for _ in range(600):
            self.step()

    def step(self) -> None:
        if self._tick % 20 == 0:
            self._held = self._rng.choice([0, 1, 2, 4, 8, 5, 6, 9, 10], len(self._held)).tolist()
        self._tick += 1
        self.game.step(self._held)


def per_cpu_second(work: Callable[[], int], seconds: float, rounds: int) -> float:
    """Return the median over rounds of what `work` completes per CPU second of all threads."""
    rates = []
    for _ in range(rounds):
        done, start = 0, time.process_time()
        while time.process_time() - start < seconds:
            done += work()
        rates.append(done / (time.process_time() - start))
    return statistics.median(rates)


def drawing(players: int, *, with_stepping: bool, in_meeting: bool = False) -> Callable[[], int]:
    walkers = Wanderers(players)
    game, picture = walkers.game, blank()
    if in_meeting:
        game.session.start_meeting()

    def work() -> int:
        for _ in range(20):
            if with_stepping:
                walkers.step()
            for player in range(players):
                game.draw(player, picture)
        return 20 * players

    return work


def stepping(players: int) -> Callable[[], int]:
    walkers = Wanderers(players)

    def work() -> int:
        for _ in range(100):
            walkers.step()
        return 100

    return work


def batch(games: int, players: int, threads: int) -> Callable[[], int]:
    played = Batch(games, players, {"seed": 3, **QUIET}, threads=threads)
    rng = np.random.default_rng(3)

    def work() -> int:
        played.masks[:] = rng.choice(np.array([0, 1, 2, 4, 8, 5, 6, 9, 10], np.uint8), played.masks.shape)
        for _ in range(20):
            played.step()
        return 20 * games * players

    for _ in range(30):
        work()
    return work


def packing() -> Callable[[], int]:
    picture = blank()

    def work() -> int:
        for _ in range(50):
            pack(picture)
        return 50

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds of a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="add a line to results/bitworld.jsonl")
    options = parser.parse_args()
    measured: dict[str, float] = {}

    def show(name: str, unit: str, work: Callable[[], int]) -> None:
        measured[name] = round(per_cpu_second(work, options.seconds, options.rounds))
        times = f"  {measured[name] / PUBLISHED:6.0f} times the published" if unit == "pictures" else ""
        print(f"{name:42} {measured[name]:>10,.0f} {unit} per CPU second{times}")

    for players in (1, 5, 8, 16):
        show(f"step and draw, {players} players", "pictures", drawing(players, with_stepping=True))
    show("draw alone, 8 players", "pictures", drawing(8, with_stepping=False))
    show("draw a meeting, 8 players", "pictures", drawing(8, with_stepping=False, in_meeting=True))
    show("step and draw, batch of 64 games", "pictures", batch(64, 8, threads=1))
    threads = os.cpu_count() or 1
    show(f"the same over {threads} threads", "pictures", batch(64, 8, threads=threads))
    show("step alone, 8 players", "ticks", stepping(8))
    show("pack for the wire", "pictures packed", packing())
    if options.record:
        path = record(
            "bitworld", f"benchmarks/bitworld_games.py --seconds {options.seconds}", {"per_cpu_second": measured}
        )
        print(f"recorded in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
