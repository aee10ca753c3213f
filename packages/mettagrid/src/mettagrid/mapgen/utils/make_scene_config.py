"""Create scenes that generate maps similar to a drawing."""

import numpy as np

from mettagrid.mapgen.scene import SceneConfig
from mettagrid.mapgen.scenes.convchain import ConvChain
from mettagrid.mapgen.scenes.wfc import WFC
from mettagrid.mapgen.utils.collapse import Collapse
from mettagrid.mapgen.utils.pattern import ascii_to_patterns_with_counts

_TRIAL_SIZE = 40  # side of the grid on which a pattern must work
_TRIALS = 3


def make_convchain_config_from_pattern(pattern: str) -> SceneConfig:
    """Return a `ConvChain` with settings that work well for small drawings."""
    return ConvChain.Config(pattern=pattern, pattern_size=3, iterations=10, temperature=1)


def make_wfc_config_from_pattern(pattern: str) -> SceneConfig | None:
    """Return a `WFC` for the drawing, or `None` if its squares cannot fill a larger grid."""
    config = WFC.Config(pattern=pattern)
    patterns = ascii_to_patterns_with_counts(
        config.pattern, config.pattern_size, config.periodic_input, config.symmetry
    )
    trial = Collapse(patterns, _TRIAL_SIZE, _TRIAL_SIZE, config.next_node_heuristic)
    return None if trial.run(np.random.default_rng(0), _TRIALS) is None else config
