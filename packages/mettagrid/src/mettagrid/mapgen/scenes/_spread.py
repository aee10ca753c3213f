"""Choose places for buildings."""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mettagrid.mapgen.scenes.building_distributions import DistributionConfig

Place = tuple[int, int]  # (row, column)
Bounds = tuple[int, int, int, int]  # first and last row, first and last column

_POISSON_DISTANCE = 0.6  # of the distance that places in perfect order would have
_POISSON_TRIES = 200  # for each place, before the distance is made smaller


def places(count: int, bounds: Bounds, distribution: "DistributionConfig", rng: np.random.Generator) -> list[Place]:
    """Return `count` places, which may repeat."""
    if count <= 0:
        return []
    if distribution.type == "poisson":
        return _apart_from_each_other(count, bounds, rng)
    rows = _along(count, bounds[0], bounds[1], "y", distribution, rng)
    if distribution.type == "bimodal":  # a place belongs to one centre with both coordinates
        second = rng.integers(2, size=count).astype(bool)
        spread = distribution.cluster_std
        rows = np.where(second, distribution.center2_y, distribution.center1_y) + rng.normal(0, spread, count)
        columns = np.where(second, distribution.center2_x, distribution.center1_x) + rng.normal(0, spread, count)
    else:
        columns = _along(count, bounds[2], bounds[3], "x", distribution, rng)
    return list(zip(_cells(rows, bounds[0], bounds[1]), _cells(columns, bounds[2], bounds[3]), strict=True))


def _along(
    count: int, first: int, last: int, axis: str, distribution: "DistributionConfig", rng: np.random.Generator
) -> np.ndarray:
    """Return one coordinate as a fraction of the length, 0 at the first cell and 1 at the last."""
    if distribution.type == "normal":
        mean = getattr(distribution, f"mean_{axis}")
        return rng.normal(0.5 if mean is None else mean, getattr(distribution, f"std_{axis}"), count)
    if distribution.type == "exponential":
        away = rng.exponential(1 / max(distribution.decay_rate, 1e-9), count)
        return 1 - away if getattr(distribution, f"origin_{axis}") > 0.5 else away
    return (rng.integers(first, last, count, endpoint=True) - first) / max(1, last - first)


def _cells(parts: np.ndarray, first: int, last: int) -> list[int]:
    return np.clip(np.rint(first + parts * (last - first)), first, last).astype(int).tolist()


def _apart_from_each_other(count: int, bounds: Bounds, rng: np.random.Generator) -> list[Place]:
    """Return random places at a minimum distance from one another; the distance shrinks if they do not fit."""
    top, bottom, left, right = bounds
    area = (bottom - top + 1) * (right - left + 1)
    distance = max(1, int(_POISSON_DISTANCE * math.sqrt(area / count)))
    places: list[Place] = []
    while len(places) < count:
        near, reach = _disc(distance), distance
        refused = np.zeros((bottom - top + 1 + 2 * reach, right - left + 1 + 2 * reach), dtype=bool)
        for row, column in places:
            refused[row - top : row - top + 2 * reach + 1, column - left : column - left + 2 * reach + 1] |= near
        for _ in range(_POISSON_TRIES):
            missing = count - len(places)
            if not missing:
                break
            drawn_rows = rng.integers(top, bottom, missing, endpoint=True).tolist()
            drawn_columns = rng.integers(left, right, missing, endpoint=True).tolist()
            for row, column in zip(drawn_rows, drawn_columns, strict=True):
                if not refused[row - top + reach, column - left + reach]:
                    places.append((row, column))
                    refused[row - top : row - top + 2 * reach + 1, column - left : column - left + 2 * reach + 1] |= (
                        near
                    )
        if distance <= 1 and len(places) < count:
            break  # every cell is taken
        distance = max(1, distance - 1)
    return places


def _disc(distance: int) -> np.ndarray:
    """Return the mask of the neighbouring cells that are nearer than the distance."""
    side = np.arange(-distance, distance + 1)
    return np.hypot(side[:, None], side[None, :]) < distance


def lattice(rows: int, columns: int, jitter: int, bounds: Bounds, rng: np.random.Generator) -> list[Place]:
    """Evenly spread places, each moved at random."""
    top, bottom, left, right = bounds
    result = []
    for row in range(rows):
        for column in range(columns):
            y = top + round((row + 1) * (bottom - top) / (rows + 1)) + int(rng.integers(-jitter, jitter + 1))
            x = left + round((column + 1) * (right - left) / (columns + 1)) + int(rng.integers(-jitter, jitter + 1))
            result.append((min(max(y, top), bottom), min(max(x, left), right)))
    return result


def keep_apart(candidates: list[Place], occupied: np.ndarray, padding: int) -> list[Place]:
    """Return the places without another one within `padding` cells, and mark them in `occupied`."""
    accepted = []
    for row, column in candidates:
        around = occupied[max(0, row - padding) : row + padding + 1, max(0, column - padding) : column + padding + 1]
        if not around.any():
            occupied[row, column] = True
            accepted.append((row, column))
    return accepted
