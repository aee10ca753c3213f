"""Buildings spread over a map: how many, which ones and where."""

import numpy as np
from pydantic import BaseModel, Field

from mettagrid.base_config import ConfigStrEnum
from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes import _spread
from mettagrid.mapgen.utils.cells import around_any

DEFAULT_BUILDING_WEIGHTS = {
    "junction": 0.3,
    "silicon_extractor": 0.2,
    "carbon_extractor": 0.1,
    "oxygen_extractor": 0.1,
    "germanium_extractor": 0.1,
}
"""How often buildings appear, compared with each other, where nothing else is said."""

DEFAULT_FALLBACK_WEIGHT = 0.1
"""For buildings that are not among them."""


class DistributionType(ConfigStrEnum):
    """Ways to choose places."""

    UNIFORM = "uniform"
    NORMAL = "normal"
    EXPONENTIAL = "exponential"
    POISSON = "poisson"
    BIMODAL = "bimodal"


class DistributionConfig(BaseModel):
    """Where buildings go. Lengths are parts of the width or height of the map.

    `uniform`: anywhere. `normal`: around the mean. `exponential`: thinning out from the side with the origin.
    `poisson`: anywhere, but away from each other. `bimodal`: around one of two centres.
    """

    type: DistributionType = DistributionType.UNIFORM
    mean_x: float | None = None
    mean_y: float | None = None
    std_x: float = 0.2
    std_y: float = 0.2
    decay_rate: float = 2.0
    origin_x: float = 0.0
    origin_y: float = 0.0
    center1_x: float = 0.25
    center1_y: float = 0.25
    center2_x: float = 0.75
    center2_y: float = 0.75
    cluster_std: float = 0.15


class UniformExtractorParams(SceneConfig):
    """Either `rows` x `cols` buildings in a lattice, each moved by up to `jitter`, or so many that they would take
    `target_coverage` of the cells. `padding` cells around each are cleared and have no other building.

    `building_weights` says which buildings and how often; without it `building_names` with default weights.
    `building_distributions` places some of them in another way than `distribution`.
    """

    rows: int = Field(default=4, ge=0)
    cols: int = Field(default=4, ge=0)
    jitter: int = Field(default=1, ge=0)
    padding: int = Field(default=1, ge=0)
    clear_existing: bool = False
    frame_with_walls: bool = False
    target_coverage: float | None = None
    building_names: list[str] = Field(
        default_factory=lambda: [
            "carbon_extractor",
            "oxygen_extractor",
            "germanium_extractor",
            "silicon_extractor",
            "junction",
        ]
    )
    building_weights: dict[str, float] | None = None
    distribution: DistributionConfig = Field(default_factory=DistributionConfig)
    building_distributions: dict[str, DistributionConfig] | None = None


class UniformExtractorScene(Scene[UniformExtractorParams]):
    """Clears places and puts buildings there. Places too near to earlier ones are skipped."""

    def render(self) -> None:
        config = self.config
        if config.clear_existing:
            self.grid[:] = "empty"
        weights = self._weights()
        margin = max(1, config.padding)
        bounds = (margin, self.height - 1 - margin, margin, self.width - 1 - margin)
        if not weights or bounds[0] > bounds[1] or bounds[2] > bounds[3]:
            return
        if config.target_coverage is None:
            groups = [(_spread.lattice(config.rows, config.cols, config.jitter, bounds, self.rng), list(weights))]
        else:
            groups = self._spread_groups(weights, bounds, config.target_coverage)
        rows: list[int] = []
        columns: list[int] = []
        names: list[str] = []
        occupied = np.zeros(self.grid.shape, dtype=bool)
        for places, group in groups:
            accepted = _spread.keep_apart(places, occupied, config.padding)
            rows += [row for row, _ in accepted]
            columns += [column for _, column in accepted]
            names += self._chosen(group, weights, len(accepted))
        self._build(rows, columns, names)

    def _weights(self) -> dict[str, float]:
        config = self.config
        if config.building_weights is not None:
            weights = config.building_weights
        else:
            weights = {n: DEFAULT_BUILDING_WEIGHTS.get(n, DEFAULT_FALLBACK_WEIGHT) for n in config.building_names}
        for name, weight in weights.items():
            if not 0 <= weight < float("inf"):
                raise ValueError(f"The building {name!r} has the weight {weight}; weights must be 0 or more.")
        return {name: weight for name, weight in weights.items() if weight > 0}

    def _spread_groups(
        self, weights: dict[str, float], bounds: _spread.Bounds, coverage: float
    ) -> list[tuple[list[_spread.Place], list[str]]]:
        """Return places for each group of buildings with the same distribution, in proportion to its weight."""
        config = self.config
        step = config.padding + 1
        inner_height, inner_width = self.height - 2, self.width - 2
        max_places = (inner_height // step) * (inner_width // step)  # more do not fit even in perfect order
        goal = min(int(coverage * inner_height * inner_width), max_places)
        groups: dict[str, tuple[DistributionConfig, list[str]]] = {}
        for name in weights:
            distribution = (config.building_distributions or {}).get(name, config.distribution)
            groups.setdefault(distribution.model_dump_json(), (distribution, []))[1].append(name)
        total, given, result = sum(weights.values()), 0, []
        for index, (distribution, names) in enumerate(groups.values()):
            share = int(goal * sum(weights[name] for name in names) / total + 1e-9)
            count = goal - given if index == len(groups) - 1 else min(share, goal - given)
            given += count
            result.append((_spread.places(count, bounds, distribution, self.rng), names))
        return result

    def _chosen(self, names: list[str], weights: dict[str, float], count: int) -> list[str]:
        chances = np.array([weights[name] for name in names])
        return [names[index] for index in self.rng.choice(len(names), count, p=chances / chances.sum()).tolist()]

    def _build(self, rows: list[int], columns: list[int], names: list[str]) -> None:
        cleared = np.zeros(self.grid.shape, dtype=bool)
        cleared[rows, columns] = True
        for _ in range(self.config.padding):
            cleared = around_any(cleared)
        if self.config.frame_with_walls:
            self.grid[around_any(cleared) & ~cleared] = "wall"
        self.grid[cleared] = "empty"
        self.grid[rows, columns] = np.array(names, dtype=self.grid.dtype)
