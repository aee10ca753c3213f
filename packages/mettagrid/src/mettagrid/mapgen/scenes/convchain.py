"""Walls like those of an example, by a convolution chain: small squares occur about as often as in the example."""

from typing import Any

from mettagrid.base_config import Config
from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.chain import Chain
from mettagrid.mapgen.utils.pattern import Symmetry


class BaseConvChainConfig(Config):
    """The example, drawn with `#` and `.`, and the settings for learning from it.

    Each cell is reconsidered about `iterations` times; a higher `temperature` leaves more noise.
    """

    pattern: str
    pattern_size: int
    iterations: int
    temperature: float
    periodic_input: bool = True
    symmetry: Symmetry = "all"


class ConvChainConfig(BaseConvChainConfig, SceneConfig):
    """See `BaseConvChainConfig`."""


class ConvChainSlowConfig(BaseConvChainConfig, SceneConfig):
    """See `BaseConvChainConfig`."""


class ConvChain(Scene[ConvChainConfig]):
    """Fills its area."""

    def post_init(self) -> None:
        self._chain = _chain(self.config)

    def render(self) -> None:
        config = self.config
        walls = self._chain.run(self.height, self.width, config.iterations, config.temperature, self.rng)
        self.grid[walls] = "wall"
        self.grid[~walls] = "empty"


class ConvChainSlow(Scene[ConvChainSlowConfig]):
    """The reference implementation of `ConvChain`, for tests."""

    def post_init(self) -> None:
        self._chain = _chain(self.config)

    def render(self) -> None:
        config = self.config
        walls = self._chain.run_slowly(self.height, self.width, config.iterations, config.temperature, self.rng)
        self.grid[walls] = "wall"
        self.grid[~walls] = "empty"


def _chain(config: Any) -> Chain:
    if config.temperature < 0 or config.iterations < 0:
        raise ValueError(
            f"ConvChain has the temperature {config.temperature} and {config.iterations} iterations; "
            "both must be 0 or more."
        )
    return Chain(config.pattern, config.pattern_size, config.periodic_input, config.symmetry)
