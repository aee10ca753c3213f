"""Walls like those of an example, by wave function collapse: every small square occurs in the example."""

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.collapse import Collapse, Heuristic
from mettagrid.mapgen.utils.pattern import Symmetry, ascii_to_patterns_with_counts

NextNodeHeuristic = Heuristic
# Columns and rows of the four sides, clockwise from the one above.
dx = [0, 1, 0, -1]
dy = [-1, 0, 1, 0]


def opposite_direction(d: int) -> int:
    """Return the number of the side opposite to side `d` of `dx` and `dy`."""
    return (d + 2) % 4


class WFCConfig(SceneConfig):
    """The example, drawn with `#` and `.`, and the settings for learning from it.

    Squares of `pattern_size` cells are learned; with `periodic_input` also those across the edges. `symmetry` says
    which turned and mirrored copies count too.
    """

    pattern: str
    pattern_size: int = 3
    next_node_heuristic: Heuristic = "entropy"
    periodic_input: bool = True
    symmetry: Symmetry = "all"
    attempts: int = 1000


class WFC(Scene[WFCConfig]):
    """Fills its area; raises `ValueError` if no attempt succeeds."""

    def post_init(self) -> None:
        config = self.config
        self._patterns = ascii_to_patterns_with_counts(
            config.pattern, config.pattern_size, config.periodic_input, config.symmetry
        )
        if not self._patterns:
            raise ValueError(
                f"The pattern is smaller than {config.pattern_size} x {config.pattern_size} cells; "
                "draw a larger one or set periodic_input."
            )

    def render(self) -> None:
        collapse = Collapse(self._patterns, self.height, self.width, self.config.next_node_heuristic)
        walls = collapse.run(self.rng, self.config.attempts)
        if walls is None:
            raise ValueError(
                f"WFC found no way to fill {self.width} x {self.height} cells in {self.config.attempts} attempts with "
                f"this pattern; a larger pattern or periodic_input help:\n{self.config.pattern}"
            )
        self.grid[walls] = "wall"
        self.grid[~walls] = "empty"
