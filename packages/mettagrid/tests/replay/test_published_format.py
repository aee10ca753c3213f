"""The published document: equal to one made the long way, and to what the specification says."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, Replay, load_replay, replay_bytes, v4_document
from mettagrid.simulator import Simulation

from .conftest import Played, busy_game, choose, play, say_something, show_something
from .slow_document import SlowDocument

TOP_LEVEL = [
    "version",
    "action_names",
    "animation_names",
    "item_names",
    "type_names",
    "capacity_names",
    "tags",
    "map_size",
    "num_agents",
    "max_steps",
    "mg_config",
    "policy_env_interface",
    "objects",
    "infos",
]


def play_both(config: MettaGridConfig, seed: int, steps: int = 30) -> tuple[Replay, list[dict[str, Any]]]:
    random = np.random.default_rng(seed)
    simulation = Simulation(config, seed=seed)
    recorder, slow = EpisodeRecorder.of(simulation), SlowDocument(simulation)
    for _ in range(steps):
        choose(simulation, random)
        say_something(simulation, random)
        show_something(simulation, random)
        simulation.step()
        recorder.record()
        slow.log()
    return recorder.finish(), slow.objects()


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_objects_are_those_of_a_document_made_the_long_way(seed: int) -> None:
    replay, expected = play_both(busy_game(), seed)
    found = v4_document(replay)["objects"]
    assert found == json.loads(json.dumps(expected))
    assert [keys_in_order(fields) for fields in found] == [keys_in_order(fields) for fields in expected]


def keys_in_order(fields: dict[str, Any]) -> list[str]:
    """Without infos, which the published writer has from the first step or not at all."""
    return [key for key in fields if key != "policy_infos"]


def test_the_document_has_its_keys_in_their_order(busy: Played) -> None:
    document = v4_document(busy.replay)
    assert list(document) == TOP_LEVEL
    assert document["version"] == 4
    assert document["map_size"] == [10, 6]
    assert document["max_steps"] == 30
    assert document["capacity_names"] == ["bag", "pouch"]
    assert document["item_names"] == ["gold", "ore", "heart", "dust"]
    assert [name for name in document["type_names"] if name] == ["agent", "chest", "crate", "pillar", "wall"]
    assert document["tags"]["team:cogs"] == busy.replay.tag_names.index("team:cogs")
    assert document["mg_config"] == busy.simulation.config.to_published()


def test_infos_hold_stats_attributes_and_rewards(busy: Played) -> None:
    infos, stats = v4_document(busy.replay)["infos"], busy.simulation.episode_stats
    assert infos["game"] == stats["game"]
    assert list(infos["game"]) == sorted(infos["game"])
    for name, mean in infos["agent"].items():
        assert mean == sum(agent.get(name, 0.0) for agent in stats["agent"]) / 4
    assert infos["attributes"] == {"seed": 19, "map_w": 10, "map_h": 6, "steps": 30, "max_steps": 30}
    assert infos["episode_rewards"] == pytest.approx(busy.simulation.episode_rewards.tolist(), abs=1e-4)


def test_the_sum_of_rewards_is_kept_in_double_precision(busy: Played) -> None:
    for fields in v4_document(busy.replay)["objects"]:
        if fields.get("is_agent"):
            current, total = dict(fields["current_reward"]), dict(fields["total_reward"])
            reward = expected = 0.0
            for index in range(30):
                reward = current.get(index, reward)
                expected += reward
                assert total.get(index, expected) == expected


def test_talk_of_three_steps_is_told_with_the_steps_that_remain(game: Callable[..., MettaGridConfig]) -> None:
    simulation = Simulation(game())
    recorder = EpisodeRecorder.of(simulation)
    for tick in range(6):
        if tick == 0:
            simulation.agent(2).set_talk("hello")
        simulation.step()
        recorder.record()
    agents = {o["agent_id"]: o for o in v4_document(recorder.finish())["objects"] if o.get("is_agent")}
    assert agents[2]["talk_text"] == [[0, "hello"], [3, ""]]
    assert agents[2]["talk_remaining_steps"] == [[0, 3], [1, 2], [2, 1], [3, 0]]
    assert "talk_text" not in agents[0]


def test_an_object_that_appears_later_is_dead_before_and_has_its_first_values(busy: Played) -> None:
    late = [o for o in v4_document(busy.replay)["objects"] if isinstance(o["alive"], list) and not o["alive"][0][1]]
    assert late
    for fields in late:
        assert fields["type_name"] == "crate"
        assert fields["alive"][1][1] is True
        location = fields["location"]
        first = location if isinstance(location[0], int) else location[0][1]
        assert first != [0, 0]


def test_walls_are_told_once(busy: Played) -> None:
    walls = [o for o in v4_document(busy.replay)["objects"] if o["type_name"] == "wall"]
    assert len(walls) == sum(name == "wall" for row in busy.replay.map_rows() for name in row)
    assert all(wall["alive"] is True and isinstance(wall["tag_ids"][0], int) for wall in walls)


def test_an_episode_without_steps_has_no_objects(game: Callable[..., MettaGridConfig]) -> None:
    document = v4_document(EpisodeRecorder.of(Simulation(game())).finish())
    assert (document["objects"], document["max_steps"]) == ([], 0)


def test_rewards_that_are_no_numbers_are_null(game: Callable[..., MettaGridConfig]) -> None:
    simulation = Simulation(game())
    recorder = EpisodeRecorder.of(simulation)
    simulation.step()
    recorder.record(np.array([np.nan, np.inf, 1.5, 0], np.float32))
    text = replay_bytes(recorder.finish(), ".json").decode()
    document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    rewards = [fields["current_reward"] for fields in document["objects"] if fields.get("is_agent")]
    assert rewards == [None, None, 1.5, 0.0]


@pytest.mark.parametrize("ending", [".json.z", ".json.gz", ".json", ".cogreplay"])
def test_a_document_that_was_read_is_written_as_it_was(ending: str, busy: Played) -> None:
    document = v4_document(busy.replay)
    again = load_replay(replay_bytes(load_replay(json.dumps(document).encode()), ending))
    assert v4_document(again) == document


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_our_own_files_hold_everything_the_published_ones_do(seed: int) -> None:
    replay = play(busy_game(), seed=seed, steps=12).replay
    for middle in (".cogreplay", ".json.z"):
        assert v4_document(load_replay(replay_bytes(replay, middle))) == v4_document(replay)
