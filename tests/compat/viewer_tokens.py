"""Compare the tokens that the viewer shows with the observations that the engine gave, for every agent and tick.

    python tests/compat/viewer_tokens.py ORACLE_DIR [--count 500] [--seed 0] [--every 1]

The games are the recorded ones (`cases`, `missions`, `game`) and random ones of the generator, played in our engine
with a recorder. The viewer's decoder reads the replays in Node.js, without a browser. Tokens of one cell are a set;
cells and their tokens must be equal, and the viewer may name no feature as missing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORDED = ("cases", "missions", "game")
EMPTY = 255


@dataclass
class Game:
    name: str
    config: dict[str, Any]
    """in the oracle's dialect"""
    seed: int
    steps: int
    action_seed: int
    actions: dict[str, np.ndarray] | None = None


def recorded_games(oracle: Path, folders: Iterable[str] = RECORDED) -> Iterator[Game]:
    """Yield the games that come with the oracle, with their recorded actions where there are some."""
    import trace_episode

    for folder in folders:
        for path in sorted((oracle / folder).glob("*.meta.json")):
            name, meta = path.name.removesuffix(".meta.json"), json.loads(path.read_text())
            config = trace_episode.read_json(trace_episode.case_path(oracle / folder, name))
            script = path.with_name(f"{name}.actions.npz")
            actions = dict(np.load(script)) if script.exists() else None
            yield Game(f"{folder}/{name}", config, meta["seed"], meta["steps"], meta["action_seed"], actions)


def random_games(seeds: Iterable[int]) -> Iterator[Game]:
    """Yield games of the generator."""
    from generator import random_case

    for seed in seeds:
        config, meta = map(json.loads, random_case(seed, None).texts())
        yield Game(f"random/{meta['family']}_{seed:06d}", config, meta["seed"], meta["steps"], meta["action_seed"])


def play(game: Game, path: Path) -> list[np.ndarray]:
    """Play a game, write its replay to `path`, and return the observations of all agents at each tick."""
    import trace_episode

    from mettagrid.replay import EpisodeRecorder, save_replay
    from mettagrid.simulator import Simulation

    simulation = Simulation(trace_episode.load_config(game.config), seed=game.seed)
    engine, agents = simulation._c_sim, simulation.num_agents
    recorder = EpisodeRecorder.of(simulation)
    names = list(simulation.action_names)
    primary = [number for number, name in enumerate(names) if not name.startswith("change_vibe_")]
    vibes = [0, *(number for number, name in enumerate(names) if name.startswith("change_vibe_"))]
    rng = np.random.default_rng(game.action_seed)
    observations = [engine.observations().copy()]
    for step in range(game.steps):
        script = game.actions
        engine.actions()[:] = script["actions"][step] if script else rng.choice(primary, size=agents)
        engine.vibe_actions()[:] = script["vibe_actions"][step] if script else rng.choice(vibes, size=agents)
        simulation.step()
        recorder.record()
        observations.append(engine.observations().copy())
    save_replay(recorder.finish(), path)
    return observations


def tokens_of(observation: np.ndarray) -> list[list[int]]:
    """Return the tokens of one agent, sorted by cell, feature and value."""
    return sorted(observation[observation[:, 1] != EMPTY].tolist())


def first_difference(observations: list[np.ndarray], lines: Iterable[dict[str, Any]]) -> str | None:
    """Describe the first tick and agent whose tokens differ; `lines` is the output of `dump.js observations`."""
    ticks = 0
    for line in lines:
        ticks += 1
        for agent, (given, seen) in enumerate(zip(observations[line["tick"]], line["observations"], strict=True)):
            place = f"tick {line['tick']} agent {agent}"
            if seen["missing"]:
                return f"{place}: the viewer lacks {', '.join(seen['missing'])}"
            engine, viewer = tokens_of(given), sorted(seen["tokens"])
            if engine != viewer:
                lacks = [token for token in engine if token not in viewer]
                adds = [token for token in viewer if token not in engine]
                return f"{place}: the viewer lacks {lacks[:6]} and adds {adds[:6]} [location, feature, value]"
    return None if ticks == len(observations) else f"the viewer has {ticks} ticks, the engine {len(observations)}"


class Decoder:
    """The viewer's decoder as a program."""

    def __init__(self) -> None:
        sys.path.insert(0, str(ROOT / "scripts"))
        import web

        self._command = [str(web.node_folder() / "node"), str(web.build_tools())]

    def observations(self, path: Path) -> Iterator[dict[str, Any]]:
        """Yield the tokens of every agent, tick by tick."""
        command = [*self._command, "observations", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield json.loads(line)
        if process.returncode:
            raise RuntimeError(f"The decoder failed on {path.name} with exit status {process.returncode}")


def compared(game: Game, decoder: Decoder, folder: Path) -> str | None:
    """Play one game and return its first difference."""
    path = folder / "game.cogreplay"
    try:
        observations = play(game, path)
        return first_difference(observations, list(decoder.observations(path)))
    except (RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def main(oracle: Path, seeds: range, every: int) -> int:
    """Print each game that differs and a summary; return the number of games that differ."""
    sys.path[:0] = [str(HERE), str(oracle)]
    from mettagrid.compiler.errors import ConfigWarning

    warnings.simplefilter("ignore", ConfigWarning)
    decoder = Decoder()
    games = [*list(recorded_games(oracle))[::every], *random_games(seeds)]
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, game in enumerate(games, 1):
            difference = compared(game, decoder, Path(folder))
            if difference:
                differ += 1
                print(f"{game.name}: {difference}", flush=True)
            if number % 100 == 0:
                print(f"{number} games", file=sys.stderr, flush=True)
    print(f"{len(games) - differ}/{len(games)} games have equal tokens in the viewer and the engine")
    return differ


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare the viewer's tokens with the engine's observations.")
    parser.add_argument("oracle", type=Path, help="folder with the recorded games")
    parser.add_argument("--count", type=int, default=500, help="random games (500)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first random game (0)")
    parser.add_argument("--every", type=int, default=1, help="of the recorded games every n-th (1)")
    options = parser.parse_args()
    sys.exit(1 if main(options.oracle, range(options.seed, options.seed + options.count), options.every) else 0)
