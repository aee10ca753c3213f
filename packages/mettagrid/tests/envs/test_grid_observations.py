"""Observations as planes, against a token by token count."""

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs import GridObsWrapper, MettaGridPufferEnv, MettaGridPufferVectorEnv
from mettagrid.simulator import Simulator


def counted(tokens: np.ndarray, config: MettaGridConfig) -> np.ndarray:
    features = config.game.id_map().features()
    height, width = config.game.obs.height, config.game.obs.width
    planes = np.zeros((len(tokens), len(features), height, width), np.float32)
    for agent, rows in enumerate(tokens.tolist()):
        for location, feature, value in rows:
            if location == 255:
                continue
            row, col = (height // 2, width // 2) if location == 254 else (location >> 4, location & 15)
            planes[agent, feature, row, col] += np.float32(value) / max(features[feature].normalization, 1)
    return planes


@pytest.mark.parametrize("worlds", [None, 2])
def test_every_token_is_in_its_plane_and_cell(room, worlds: int | None) -> None:
    config = room(max_steps=4)
    config.game.obs.height, config.game.obs.width = 7, 9
    config.game.agent.tags = ["blue", "red"]  # several tokens of one feature in one cell
    env = MettaGridPufferVectorEnv(config, worlds) if worlds else MettaGridPufferEnv(Simulator(), config)
    wrapped = GridObsWrapper(env)
    planes, _ = wrapped.reset(seed=2)
    assert wrapped.single_observation_space.shape == planes.shape[1:]
    rng = np.random.default_rng(0)
    for _ in range(6):
        assert planes.dtype == np.float32
        assert np.allclose(planes, counted(env.observations, config), rtol=1e-6)
        planes, rewards, terminals, truncations, _ = wrapped.step(rng.integers(765, size=env.num_agents))
        assert rewards is env.rewards and terminals is env.terminals and truncations is env.truncations


def test_the_rest_is_the_environments_own(room) -> None:
    env = MettaGridPufferEnv(Simulator(), room())
    wrapped = GridObsWrapper(env)
    assert wrapped.num_agents == 3 and wrapped.single_action_space is env.single_action_space
    assert wrapped.render() == env.render()
    with pytest.raises(AttributeError, match="nothing"):
        _ = wrapped.nothing
    wrapped.close()
