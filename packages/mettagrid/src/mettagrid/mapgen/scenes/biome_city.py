"""City: blocks in a grid of streets."""

from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.scenes.dither import dither_edges


class BiomeCityConfig(SceneConfig):
    """Streets of `road_width` every `pitch` cells. A block is there with `place_prob`; its sides are `min_block_frac`
    of the pitch, give or take `jitter`, and leave room for the streets."""

    pitch: int = Field(default=10, ge=1)
    road_width: int = Field(default=3, ge=0)
    place_prob: float = 0.9
    min_block_frac: float = 0.5
    jitter: int = Field(default=1, ge=0)
    dither_edges: bool = True
    dither_prob: float = 0.15
    dither_depth: int = 5


class BiomeCity(Scene[BiomeCityConfig]):
    """Adds blocks as walls."""

    def render(self) -> None:
        config = self.config
        largest = config.pitch - 2 * config.road_width
        usual = int(config.pitch * config.min_block_frac)
        for top in range(config.road_width, self.height + config.road_width, config.pitch):
            for left in range(config.road_width, self.width + config.road_width, config.pitch):
                if self.rng.random() >= config.place_prob:
                    continue
                width, height = (
                    max(0, min(largest, usual + int(self.rng.integers(-config.jitter, config.jitter + 1))))
                    for _ in range(2)
                )
                self.grid[top : top + height, left : left + width] = "wall"
        if config.dither_edges:
            dither_edges(self.grid, config.dither_prob, config.dither_depth, self.rng)
