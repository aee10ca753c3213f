"""Figures of generated maps, and how they compare with those of the published generator.

    python tests/mapgen/map_stats.py [MISSION ...]

prints, for as many seeds as were recorded, every figure whose mean or spread is not as recorded.
Recorded means and standard deviations are in `shared/oracle/map_stats.json`.
"""

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

Figures = dict[str, float]
_KINDS = ("extractor", "junction")


def figures_of(grid: np.ndarray) -> Figures:
    """Count each name on the map, and measure the distances of extractors and junctions from the first hub."""
    names, counts = np.unique(grid, return_counts=True)
    figures = {f"counts.{name}": float(count) for name, count in zip(names.tolist(), counts.tolist(), strict=True)}
    steps = walking_distances(grid)
    for kind in _KINDS:
        places = np.char.endswith(grid, kind)
        reached = steps[places & (steps >= 0)]
        figures[f"walk.{kind}.unreachable"] = float((places & (steps < 0)).sum())
        if len(reached):
            figures[f"walk.{kind}.nearest"] = float(reached.min())
            figures[f"walk.{kind}.median"] = float(np.median(reached))
    return figures


def walking_distances(grid: np.ndarray) -> np.ndarray:
    """Steps from the first hub to each cell, the last one into an object; -1 where no way leads."""
    free = (grid == "empty") | np.char.startswith(grid, "agent")
    steps = np.full(grid.shape, -1)
    frontier = np.zeros(grid.shape, dtype=bool)
    hubs = np.argwhere(np.char.endswith(grid, "hub"))
    frontier[tuple(hubs[0])] = True
    steps[frontier] = 0
    distance = 0
    while frontier.any():
        distance += 1
        following = np.zeros_like(frontier)
        following[1:] |= frontier[:-1]
        following[:-1] |= frontier[1:]
        following[:, 1:] |= frontier[:, :-1]
        following[:, :-1] |= frontier[:, 1:]
        following &= steps < 0
        steps[following] = distance
        frontier = following & free
    return steps


def recorded_figures(mission: Mapping[str, object]) -> dict[str, tuple[float, float]]:
    """(mean, standard deviation) of each recorded figure."""
    figures = {}
    for group, prefix in (("counts", "counts"), ("walk_from_first_hub", "walk")):
        recorded = mission[group]
        assert isinstance(recorded, dict)
        figures.update({f"{prefix}.{name}": (value["mean"], value["sd"]) for name, value in recorded.items()})
    return figures


def deviations(maps: Iterable[Figures], recorded: Mapping[str, tuple[float, float]], recorded_seeds: int) -> list[str]:
    """Return the differences from the recording, one sentence each.

    Means may differ by 4 standard errors (of the recorded mean, or of ours when there are fewer maps), spreads by a
    factor of 2 (more with few maps); figures that never vary must be equal. No object may be out of reach.
    """
    values: dict[str, list[float]] = defaultdict(list)
    count = 0
    for figures in maps:
        count += 1
        for name, value in figures.items():
            values[name].append(value)
    seeds = min(count, recorded_seeds)
    factor = 2 if count >= recorded_seeds else 2 * (1 + 2 / np.sqrt(count))
    lines = []
    for name in sorted(set(values) | set(recorded)):
        ours = values.get(name, []) + [0.0] * (count - len(values.get(name, [])))
        mean, spread = statistics.fmean(ours), statistics.stdev(ours) if count > 1 else 0.0
        recorded_mean, recorded_spread = recorded.get(name, (0.0, 0.0))
        if name.endswith("unreachable"):
            if mean:
                lines.append(f"{name} is {mean:.2f}; everything must be reachable")
        elif abs(mean - recorded_mean) > 4 * recorded_spread / np.sqrt(seeds):
            lines.append(f"{name} has the mean {mean:.2f}, recorded {recorded_mean} with deviation {recorded_spread}")
        elif recorded_spread and not recorded_spread / factor <= spread <= recorded_spread * factor:
            lines.append(f"{name} has the deviation {spread:.2f}, recorded {recorded_spread}")
    return lines


def main(arguments: list[str], draw: Callable[[str, int], np.ndarray]) -> int:
    from tests.support import find_shared  # found once the root of the repository is on the path

    shared = find_shared()
    if shared is None:
        print("The folder `shared` with the recorded figures is not there.")
        return 2
    missions = json.loads((shared / "oracle" / "map_stats.json").read_text())
    failed = False
    for name in arguments or list(missions):
        recorded = recorded_figures(missions[name])
        maps = [figures_of(draw(name, seed)) for seed in range(missions[name]["seeds"])]
        lines = deviations(maps, recorded, missions[name]["seeds"])
        failed |= bool(lines)
        for line in lines:
            print(f"{name}: {line}")
        print(f"{name}: {len(maps)} maps, {len(recorded) - len(lines)} of {len(recorded)} figures as recorded")
    return int(failed)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tests.mapgen.missions import AGENTS, mission_map

    sys.exit(
        main(
            sys.argv[1:],
            lambda name, seed: mission_map(name, seed).create().build_for_num_agents(AGENTS[name]).grid,
        )
    )
