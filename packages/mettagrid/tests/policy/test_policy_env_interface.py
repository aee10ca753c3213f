"""The description of a game that a policy gets."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_env_interface import PolicyEnvInterface


@pytest.fixture(scope="module")
def arena(oracle_dir: Path) -> PolicyEnvInterface:
    """The interface of a recorded mission of the published package."""
    data = json.loads(gzip.decompress((oracle_dir / "missions" / "arena_8_1.json.gz").read_bytes()))
    return PolicyEnvInterface.from_mg_cfg(MettaGridConfig.model_validate(data))


def test_the_actions_of_arena_are_split_and_numbered_as_published(arena: PolicyEnvInterface) -> None:
    assert arena.action_names == ["noop", "move_north", "move_south", "move_west", "move_east"]
    assert arena.vibe_action_names[:2] == ["change_vibe_default", "change_vibe_heart"]
    assert len(arena.vibe_action_names) == 7
    assert arena.all_action_names == arena.action_names + arena.vibe_action_names
    assert arena.action_name_to_flat_index["change_vibe_default"] == 5
    assert (arena.action_space, arena.vibe_action_space) == (Discrete(5), Discrete(7))


def test_the_observation_of_arena_has_the_published_shape_features_and_tags(arena: PolicyEnvInterface) -> None:
    assert (arena.num_agents, arena.obs_height, arena.obs_width, arena.move_energy_cost) == (8, 13, 13, 4)
    assert arena.observation_space == Box(0, 255, (500, 3), np.uint8)
    assert len(arena.obs_features) == 74
    assert [(feature.id, feature.name) for feature in arena.obs_features[:2]] == [
        (0, "agent:group"),
        (1, "episode_completion_pct"),
    ]
    assert len(arena.tags) == 21 and arena.tags == sorted(arena.tags)
    assert arena.tag_id_to_name[0] == "clips:ship:0"


def test_the_text_for_native_policies_has_the_published_keys_in_order(arena: PolicyEnvInterface) -> None:
    data = json.loads(arena.to_json())
    assert list(data) == [
        *("tags", "num_agents", "talk", "obs_width", "obs_height", "actions", "vibe_action_names", "obs_features"),
        *("observation_kind", "observation_dtype", "observation_low", "observation_high"),
    ]
    assert data["actions"] == arena.all_action_names
    assert data["talk"] == {"enabled": False, "max_length": 140, "cooldown_steps": 50}
    assert data["obs_features"][0] == {"id": 0, "name": "agent:group", "normalization": 10.0}


def test_json_and_the_wire_keep_the_interface(arena: PolicyEnvInterface) -> None:
    assert PolicyEnvInterface.model_validate_json(arena.model_dump_json()) == arena
    assert PolicyEnvInterface.from_proto(arena.to_proto()) == arena
    talking = arena.model_copy(update={"talk": arena.talk.model_copy(update={"enabled": True, "max_length": 7})})
    assert PolicyEnvInterface.from_proto(talking.to_proto()) == talking


def test_a_cost_that_is_not_known_stays_unknown_on_the_wire(env_info: PolicyEnvInterface) -> None:
    assert env_info.to_proto().move_energy_cost == -1
    assert PolicyEnvInterface.from_proto(env_info.to_proto()).move_energy_cost is None


def test_spaces_of_another_engine_become_an_interface() -> None:
    info = PolicyEnvInterface.from_spaces(
        observation_space=Box(-1, 1, (4, 5), np.float32), action_space=Discrete(3), num_agents=2
    )
    assert info.action_names == ["action_0", "action_1", "action_2"] and info.vibe_action_space == Discrete(1)
    assert (info.observation_kind, info.observation_dtype) == ("box", "float32")
    assert (info.observation_low, info.observation_high) == (-1.0, 1.0)
    assert info.egocentric_shape == (4, 5) and info.observation_space == Box(-1, 1, (4, 5), np.float32)


@pytest.mark.parametrize(
    ("shape", "window"), [((4,), (1, 4)), ((3, 4), (3, 4)), ((2, 3, 4), (3, 4)), ((2, 3, 4, 5), (4, 5))]
)
def test_the_window_is_the_last_two_dimensions(shape: tuple[int, ...], window: tuple[int, int]) -> None:
    space = Box(-np.inf, np.inf, shape, np.float32)
    info = PolicyEnvInterface.from_spaces(observation_space=space, action_space=Discrete(2), num_agents=1)
    assert info.egocentric_shape == window
    assert info.observation_low is None and info.observation_high is None


def test_spaces_that_do_not_fit_are_refused() -> None:
    box = Box(0, 1, (2,), np.float32)
    with pytest.raises(TypeError, match="observation space must be a `Box`; it is a `Discrete`"):
        PolicyEnvInterface.from_spaces(observation_space=Discrete(2), action_space=Discrete(2), num_agents=1)
    with pytest.raises(TypeError, match="action space must be a `Discrete`; it is a `MultiDiscrete`"):
        PolicyEnvInterface.from_spaces(observation_space=box, action_space=MultiDiscrete([2, 2]), num_agents=1)
    with pytest.raises(ValueError, match="3 actions and 1 `action_names`"):
        PolicyEnvInterface.from_spaces(
            observation_space=box, action_space=Discrete(3), num_agents=1, action_names=["stay"]
        )
    with pytest.raises(ValueError, match="no dimension"):
        PolicyEnvInterface.from_spaces(
            observation_space=Box(0, 1, (), np.float32), action_space=Discrete(3), num_agents=1
        )


def test_the_older_word_for_tokens_is_understood(env_info: PolicyEnvInterface) -> None:
    data = env_info.model_dump() | {"observation_kind": "tokens"}
    assert PolicyEnvInterface.model_validate(data).observation_kind == "token"
