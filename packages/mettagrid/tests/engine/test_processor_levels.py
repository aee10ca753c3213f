"""The instructions of the processor never change a result: every level shows what the base shows."""

import numpy as np
import pytest

from mettagrid import _native
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig, InventoryConfig, ObsConfig, WallConfig
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.mettagrid_c import MettaGrid

RESOURCES = [f"r{i}" for i in range(16)]


def crowded_game(game, rng, obs):
    """Walls, and boxes with up to 16 resources, so that lines of tokens are short, long and too long; two teams."""
    control = [TerritoryControlConfig(territory="land", strength=3)]
    boxes = {
        f"box{i}": GridObjectConfig(
            name=f"box{i}",
            tags=[f"team:{i % 2}", *(f"tag{k}" for k in range(i))],
            inventory=InventoryConfig(initial={name: int(rng.integers(1, 300)) for name in RESOURCES[: 2 * i]}),
            territory_controls=control if i % 2 else [],
        )
        for i in range(9)
    }
    return game(
        "@@",
        resource_names=RESOURCES,
        agents=[AgentConfig(tags=[f"team:{i}"], team_id=i) for i in range(2)],
        objects={"wall": WallConfig(), **boxes},
        territories={"land": TerritoryConfig(tag_prefix="team:")},
        obs=obs,
    )


def play_observations(config, rows):
    engine = MettaGrid(config, rows, 0)
    seen = []
    for actions in np.random.default_rng(3).integers(0, 5, (20, 2), dtype=np.int32):
        engine.actions()[:] = actions
        engine.step()
        seen.append(engine.observations().copy())
    return np.array(seen)


@pytest.mark.parametrize("size", [3, 11, 13, 15])
@pytest.mark.parametrize("seed", range(3))
def test_every_level_shows_the_same(game, size, seed):
    rng = np.random.default_rng(seed)
    names = ["empty"] * 12 + ["wall"] * 5 + [f"box{i}" for i in range(9)]
    rows = rng.choice(names, (20, 20)).astype(object)
    rows[7, 7], rows[9, 12] = "agent.red", "agent.blue"
    config = crowded_game(game, rng, ObsConfig(width=size, height=size, num_tokens=3000, territory=True))
    highest = _native.processor_level()
    try:
        shown = []
        for level in range(highest + 1):
            _native._set_processor_level(level)
            shown.append(play_observations(config, rows.tolist()))
    finally:
        _native._set_processor_level(highest)
    assert (shown[0][:, :, :, 1] != 255).sum() > 20 * 2 * size
    for other in shown[1:]:
        assert np.array_equal(shown[0], other)


def test_a_level_that_the_processor_lacks_is_refused():
    for level in (-1, 3):
        with pytest.raises(ValueError, match="no such level"):
            _native._set_processor_level(level)
