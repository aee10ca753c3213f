"""How close a batch of 64 comes to what the memory of the machine allows.

Counted is what an agent-step must read and write at least, in the layout of `native/core/world.hpp`: the cells of its
window, what it sees there, the tokens. The limit is how often per second one core can copy that many bytes, between two
arrays far larger than its caches. An estimate: memory moves whole lines of 64 bytes, so real traffic is larger, and
much of it never leaves the caches.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

import games
from engines import Answer, Bench, median, rates

GAMES = ("arena", "four_score")
WORLDS = 64
STEPS = {"arena": 200, "four_score": 50}
COPIED = 1 << 29  # bytes of each of the two arrays
LOOKS = 20  # steps at which observations are looked at

# Bytes in the layout of the engine.
CELL = 4 + 1  # which object stands there; borders of territory
OBJECT = 4 + 4 + 4  # which line shows it; when it was last seen, read and written
TOKEN = 3
AGENT = 4 + 4 + 4  # two actions and a reward


class Job:
    """One thread on a batch of 64, and copies of large arrays in between."""

    def __init__(self, oracle: Path, game: str) -> None:
        self._batch = games.new_batch(games.load(oracle, game), WORLDS, auto_reset=False)
        self._program = self._batch.worlds[0].program
        self._steps = STEPS[game]
        rows = games.Actions(self._program.action_names, self._batch.num_agents).rows(self._steps)
        self._actions, self._vibe_actions = rows
        self._source, self._target = (np.ones(COPIED, np.uint8) for _ in range(2))

    def turn(self, count: bool = False) -> Answer:
        return self._count() if count else {**self._play(), "copied_per_second": self._copy()}

    def _restart(self) -> None:
        self._batch.reset(seeds=range(games.FIRST_SEED, games.FIRST_SEED + WORLDS))

    def _play(self) -> Answer:
        self._restart()
        start = time.process_time()
        self._batch.run(self._steps, actions=self._actions, vibe_actions=self._vibe_actions)
        return {"cpu_seconds": time.process_time() - start, "agent_steps": self._steps * self._batch.num_agents}

    def _copy(self) -> float:
        """Bytes read and written per second."""
        start = time.process_time()
        np.copyto(self._target, self._source)
        return 2 * COPIED / (time.process_time() - start)

    def _count(self) -> Answer:
        """Means per agent-step, over steps of the same episodes."""
        self._restart()
        batch, tag = self._batch, self._program.feature_names.index("tag")
        before = _used(batch.observations)
        written, cleared, objects, tokens_of_objects = [], [], [], []
        every = self._steps // LOOKS
        for step in range(self._steps):
            batch.actions[:] = self._actions[step]
            batch.vibe_actions[:] = self._vibe_actions[step]
            batch.step()
            used = _used(batch.observations)
            written.append(used.mean())
            cleared.append(np.maximum(before - used, 0).mean())
            before = used
            if step % every == 0:
                seen, tokens = _objects(batch.observations, tag)
                objects.append(seen / batch.num_agents)
                tokens_of_objects.append(tokens / batch.num_agents)
        return {
            "cells": len(self._program.visible_offsets),
            "objects": float(np.mean(objects)),
            "tokens_read": float(np.mean(tokens_of_objects)),
            "tokens_written": float(np.mean(written)),
            "tokens_cleared": float(np.mean(cleared)),
        }


def _used(observations: np.ndarray) -> np.ndarray:
    """How many tokens each agent has."""
    return (observations[:, :, 1] != 255).sum(axis=1)


def _objects(observations: np.ndarray, tag: int) -> tuple[int, int]:
    """(objects seen by all agents together, tokens at their cells); an object is a cell with a tag."""
    locations, features = observations[:, :, 0], observations[:, :, 1]
    agents = np.broadcast_to(np.arange(len(observations))[:, None], locations.shape)
    places = agents.astype(np.int64) << 8 | locations
    seen = np.unique(places[features == tag])
    return len(seen), int((np.isin(places, seen) & (features != 255)).sum())


def measure(bench: Bench) -> dict[str, Any]:
    measured: dict[str, Any] = {"worlds": WORLDS}
    for game in GAMES:
        engine = bench.ours("bandwidth", game=game)
        counts = engine.turn(count=True)
        turns = [engine.turn() for _ in range(bench.turns)]
        engine.close()
        measured[game] = _report(game, counts, turns)
    return measured


def _report(game: str, counts: Answer, turns: list[Answer]) -> dict[str, Any]:
    moved = {
        f"{counts['cells']} cells of the window, {CELL} bytes each": counts["cells"] * CELL,
        f"{counts['objects']:.1f} objects seen, {OBJECT} each": counts["objects"] * OBJECT,
        f"{counts['tokens_read']:.1f} tokens of objects read, {TOKEN} each": counts["tokens_read"] * TOKEN,
        f"{counts['tokens_written']:.1f} tokens written, {TOKEN} each": counts["tokens_written"] * TOKEN,
        f"{counts['tokens_cleared']:.1f} tokens cleared, {TOKEN} each": counts["tokens_cleared"] * TOKEN,
        "actions and reward": AGENT,
    }
    needed = sum(moved.values())
    copied, reached = median([turn["copied_per_second"] for turn in turns]), median(rates(turns))
    limit = copied / needed
    # Of turns side by side, since other work slows both.
    fraction = median(
        [rate * needed / turn["copied_per_second"] for rate, turn in zip(rates(turns), turns, strict=True)]
    )
    print(f"  {f'{game}, bytes per agent-step':50}{needed:>14,.0f}")
    for what, size in moved.items():
        print(f"    {what:48}{size:>14,.0f}")
    print(f"  {'one core copies (read and written), GB per second':50}{copied / 1e9:>14.1f}")
    print(f"  {'so at most agent-steps per second':50}{limit:>14,.0f}")
    print(f"  {'reached, per CPU second':50}{reached:>14,.0f}  {fraction:.1%} of the limit", flush=True)
    return {
        "bytes_per_agent_step": round(needed),
        **{name: round(value, 2) for name, value in counts.items()},
        "copied_bytes_per_second": round(copied),
        "limit": round(limit),
        "reached": round(reached),
        "fraction": round(fraction, 4),
    }
