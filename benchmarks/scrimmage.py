"""Wall time of `cogames scrimmage -m arena -e 10 -s 1000`, ours beside the published command, in turns.

usage: scrimmage.py [PUBLISHED_COGAMES] [--turns 3] [--episodes 10] [--steps 1000] [--policies random,starter]

The published game package is not needed: both commands play the arena from a file, with one map drawn for it; each in
the form its engine takes, and of the same rules (`make compat` compares them step by step). Ours is also measured with
`-m arena`, where every episode has a map of its own. How long `cogames --help` and one step of `play` take is measured
as well. Adds a line to `results/scrimmage.jsonl`.
"""

import argparse
import json
import os
import resource
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from cogames import missions
from mettagrid.map_builder.ascii import AsciiMapBuilder
from record import record

OURS = Path(sys.executable).with_name("cogames")
# The published command needs an installed game, even to play from a file; an empty one is enough.
EMPTY_GAME = "from cogames.game import CoGame, register_game\nregister_game(CoGame('cogsguard', [], []))\n"
FIXED = {"wall": "#", "empty": ".", "agent.agent": "@"}  # these have a meaning of their own


def main() -> None:
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        files = write_missions(Path(folder), options.steps)
        words = ["-e", str(options.episodes), "-s", str(options.steps)]
        measured: dict[str, Any] = {"episodes": options.episodes, "steps": options.steps, "policies": {}}
        for policy in options.policies.split(","):
            commands = {
                "ours": [OURS, "scrimmage", "-m", files["ours"], "-p", policy, *words],
                "ours, a map per episode": [OURS, "scrimmage", "-m", "arena", "-p", policy, *words],
            }
            if options.published:
                commands["published"] = [options.published, "scrimmage", "-m", files["published"], "-p", policy, *words]
            measured["policies"][policy] = compare(policy, commands, options.turns, Path(folder))
        start = {
            "cogames --help": [OURS, "--help"],
            "cogames play, one step": [OURS, "play", "-m", "arena", "-p", "noop", "-r", "none", "-s", "1"],
        }
        measured["start"] = compare("start", start, max(options.turns, 7), Path(folder))
    record("scrimmage", " ".join(sys.argv), {**measured, "load": os.getloadavg()[0]})


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time of scrimmage, ours and the published one.")
    parser.add_argument("published", nargs="?", type=Path, help="path of the published `cogames`")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--policies", default="random,starter")
    return parser.parse_args()


def write_missions(folder: Path, steps: int) -> dict[str, str]:
    """Write the arena as a file for each command, and the empty game for the published one."""
    env = missions.load("arena", seed=42)
    env.game.map_builder = drawn_map(env)
    env.game.max_steps = steps
    documents = {"ours": env.model_dump(mode="json"), "published": plain(env.to_published())}
    game = folder / "cogsguard" / "game"
    game.mkdir(parents=True)
    for package in (game.parent, game):
        (package / "__init__.py").touch()
    (game / "game.py").write_text(EMPTY_GAME)
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return {name: str(folder / f"{name}.json") for name in documents}


def plain(config: Any) -> Any:
    return config if isinstance(config, dict) else config.model_dump(mode="json")


def drawn_map(env: Any) -> AsciiMapBuilder.Config:
    """Return the map of an environment as text, with a character for each kind of cell."""
    grid = env.game.map_builder.create().build_for_num_agents(env.game.num_agents).grid
    names = sorted({str(name) for row in grid for name in row} - set(FIXED))
    symbols = FIXED | dict(zip(names, string.ascii_letters, strict=False))
    rows = [[symbols[str(name)] for name in row] for row in grid]
    return AsciiMapBuilder.Config(map_data=rows, char_to_map_name={char: name for name, char in symbols.items()})


def compare(title: str, commands: dict[str, list[Any]], turns: int, folder: Path) -> dict[str, Any]:
    """Return the seconds of every command. Commands take turns, so that other work affects all of them.

    Wall time is what counts; CPU time, over all processes, is less disturbed by other work.
    """
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(turns):
        for name, command in commands.items():
            if name == "published" and turn >= max(1, turns // 3):
                continue  # it takes minutes
            env = {**os.environ, "NO_COLOR": "1"}
            if name == "published":
                env["PYTHONPATH"] = str(folder)
            start, used = time.perf_counter(), cpu_seconds()
            subprocess.run([str(word) for word in command], check=True, env=env, cwd="/", stdout=subprocess.DEVNULL)
            seconds[name].append(round(time.perf_counter() - start, 3))
            cpu[name].append(round(cpu_seconds() - used, 3))
    for name in commands:
        line = f"{title:8} {name:28} wall {median(seconds[name]):8.3f} s  cpu {median(cpu[name]):8.3f} s"
        if "published" in commands:
            ratios = [median(values["published"]) / median(values[name]) for values in (seconds, cpu)]
            line += f"  {ratios[0]:6.1f}x wall  {ratios[1]:6.1f}x cpu"
        print(line, flush=True)
    return {"wall_seconds": seconds, "cpu_seconds": cpu}


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
