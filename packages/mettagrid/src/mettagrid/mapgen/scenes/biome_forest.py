"""Forest: single trees and small clumps."""

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes.dither import dither_edges
from mettagrid.mapgen.utils.cells import count_neighbours


class BiomeForestConfig(SceneConfig):
    """Each cell is a tree with `seed_prob`; then `clumpiness` times each cell with at least `neighbor_threshold`
    neighbouring trees becomes one with `growth_prob`. Dithering adds trees around them."""

    clumpiness: int = 2
    seed_prob: float = 0.03
    growth_prob: float = 0.5
    neighbor_threshold: int = 3
    dither_edges: bool = True
    dither_prob: float = 0.15
    dither_depth: int = 5


class BiomeForest(Scene[BiomeForestConfig]):
    """Adds trees as walls."""

    def render(self) -> None:
        config = self.config
        trees = self.rng.random(self.grid.shape) < config.seed_prob
        for _ in range(config.clumpiness):
            grows = self.rng.random(self.grid.shape) < config.growth_prob
            trees |= grows & (count_neighbours(trees) >= config.neighbor_threshold)
        self.grid[trees] = "wall"
        if config.dither_edges:
            dither_edges(self.grid, config.dither_prob, config.dither_depth, self.rng)
