"""Our missions in both forms: compact in our engine, `to_published()` in the published one; episodes must be equal.

usage: mission_traces.py PUBLISHED_PYTHON ORACLE_DIR [STEPS]

The map of each mission is drawn once and fixed, so that both play on the same one. Each side plays with the script that
comes with the recorded episodes.
"""

import json
import string
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from cogames import missions
from mettagrid.map_builder.ascii import AsciiMapBuilder

CASES: list[tuple[str, list[str]]] = [
    ("empty", []),
    ("arena", []),
    ("arena", ["no_clips"]),
    ("arena", ["angry_clips"]),
    ("arena", ["adaptive_clips"]),
    ("arena", ["angry_clips", "greedy_clips"]),
    ("arena", ["overrun"]),
    ("arena", ["overrun", "no_clips", "heart"]),
    ("arena", ["talk", "gear_stations", "damage_strangers"]),
    ("arena", ["no_vibes"]),
    ("arena", ["forced_role_vibes"]),
    ("arena", ["endless"]),
    ("arena", ["wild_gear_stations"]),
    ("arena", ["randomize_spawns", "clear_vibes"]),
    ("arena", ["multi_team"]),
    ("machina_1", []),
    ("machina_1", ["forest"]),
    ("tutorial", []),
    ("tutorial", ["miner"]),
    ("scrambler_tutorial", []),
    ("four_score", []),
    ("energy_starved", []),
    ("quadrant_buildings_hard", []),
    ("eval_balanced_spread", []),
    ("training_facility_open_1", []),
    ("diagnostic_memory", []),
    ("memory_mystery_path_hard", []),
    ("planning_unlock_chain_medium", []),
]
FIXED = {"wall": "#", "empty": ".", "agent.agent": "@"}  # these have a meaning of their own


def main() -> None:
    published, oracle = sys.argv[1], Path(sys.argv[2])
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 320
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(oracle))
    import compare_traces

    differing = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, variants) in enumerate(CASES):
            label = ".".join([name, *variants])
            env = missions.load(name, variants=variants, seed=number)
            env.game.map_builder = drawn_map(env)
            traces = []
            lowered = env.to_published()
            # A published file loses the filters inside sums that this variant uses: both sides read that file.
            ours = lowered if "adaptive_clips" in variants else env
            for python, config in ((sys.executable, ours), (published, lowered)):
                path, trace = Path(folder, "config.json"), Path(folder, "trace.npz")
                path.write_text(json.dumps(plain(config)))
                command = [python, "-W", "ignore", oracle / "trace_episode.py", path, number, steps, number, trace]
                subprocess.run([str(word) for word in command], check=True, capture_output=True)
                traces.append(compare_traces.load(trace))
            difference = compare_traces.difference(*traces)
            if difference:
                differing.append(label)
                print(f"{label}: {difference}")
    print(f"{len(CASES) - len(differing)}/{len(CASES)} missions equal over {steps} steps")
    sys.exit(bool(differing))


def plain(config: Any) -> Any:
    return config if isinstance(config, dict) else config.model_dump(mode="json")


def drawn_map(env: Any) -> AsciiMapBuilder.Config:
    """Return the map of an environment as text, with a character for each kind of cell."""
    grid = env.game.map_builder.create().build_for_num_agents(env.game.num_agents).grid
    names = sorted({str(name) for row in grid for name in row} - set(FIXED))
    symbols = FIXED | dict(zip(names, string.ascii_letters, strict=False))
    rows = [[symbols[str(name)] for name in row] for row in grid]
    return AsciiMapBuilder.Config(map_data=rows, char_to_map_name={char: name for name, char in symbols.items()})


if __name__ == "__main__":
    main()
