"""Episodes that record the requested actions, and episodes that hide their seeds."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import load_replay, save_replay, without_seeds
from mettagrid.runner.episode import EpisodePlan, PolicySource, play_episode
from mettagrid.runner.episode.recorded import RecordedActions, RecordedPolicy

SEED, MAP_SEED, POLICY_SEED = 123456789, 987654321, 5
RANDOM = PolicySpec(class_path="random")


def environment() -> MettaGridConfig:
    env = MettaGridConfig.EmptyRoom(num_agents=4, width=10, height=10)
    env.game.map_builder = RandomMapBuilder.Config(agents=4, width=10, height=10, seed=MAP_SEED)
    env.game.max_steps = 50
    return env


def played(folder: Path, policies: list[PolicySpec | PolicySource], **changes: object) -> dict[str, bytes]:
    folder.mkdir()
    plan = EpisodePlan(
        environment(),
        policies,
        [0, 1, 0, 1],
        seed=SEED,
        policy_names=["one", "two"],
        replay_path=folder / "replay.json.z",
        actions_path=folder / "actions.json.z",
        **changes,  # type: ignore[arg-type]
    )
    outcome = play_episode(plan)
    return {
        "results": outcome.pure_result().model_dump_json().encode(),
        "replay": (folder / "replay.json.z").read_bytes(),
        "actions": (folder / "actions.json.z").read_bytes(),
    }


@pytest.mark.parametrize("recorded", [(1,), (0, 1)])
def test_policies_played_from_their_recorded_actions_leave_the_same_bytes(
    tmp_path: Path, recorded: tuple[int, ...]
) -> None:
    first = played(tmp_path / "first", [RANDOM, RANDOM])
    actions = RecordedActions(first["actions"], num_agents=4)
    assert actions.steps == 50 and len(set(actions.actions[1].tolist())) > 1
    policies = [RecordedPolicy("x", actions) if index in recorded else RANDOM for index in range(2)]
    assert played(tmp_path / "again", policies) == first


def test_a_record_of_another_episode_is_refused_and_one_that_ends_early_is_the_policys_failure(tmp_path: Path) -> None:
    data = played(tmp_path / "first", [RANDOM, RANDOM])["actions"]
    with pytest.raises(ValueError, match="wrong number of agents"):
        RecordedActions(data, num_agents=3)
    with pytest.raises(ValueError, match="cannot be read"):
        RecordedActions(data[:-20], num_agents=4)
    document = json.loads(zlib.decompress(data))
    document["steps"] -= 1
    with pytest.raises(ValueError, match="wrong number of steps"):
        RecordedActions(zlib.compress(json.dumps(document).encode()), num_agents=4)


def test_nobody_is_told_the_seed_of_an_episode_that_hides_it(tmp_path: Path) -> None:
    open_replay = zlib.decompress(played(tmp_path / "open", [RANDOM, RANDOM])["replay"])
    assert str(SEED).encode() in open_replay and str(MAP_SEED).encode() in open_replay
    hidden = played(tmp_path / "hidden", [RANDOM, RANDOM], policy_seed=POLICY_SEED)
    for content in hidden.values():
        text = content if content.startswith(b"{") else zlib.decompress(content)
        assert str(SEED).encode() not in text and str(MAP_SEED).encode() not in text
    # The same game: only what policies draw from is another.
    other = load_replay(tmp_path / "open" / "replay.json.z")
    replay = load_replay(tmp_path / "hidden" / "replay.json.z")
    assert replay.seed is None and replay.map_size == other.map_size and replay.steps == other.steps
    assert played(tmp_path / "again", [RANDOM, RANDOM], policy_seed=POLICY_SEED) == hidden


@pytest.mark.parametrize("ending", [".json.z", ".cogreplay"])
def test_seeds_can_be_taken_from_a_replay_that_was_saved(tmp_path: Path, ending: str) -> None:
    played(tmp_path / "open", [RANDOM, RANDOM])
    path = tmp_path / f"other{ending}"
    save_replay(load_replay(tmp_path / "open" / "replay.json.z"), path)
    shown = without_seeds(load_replay(path))
    assert shown.seed is None and shown.config["game"]["map_builder"]["seed"] is None
    assert shown.config["game"]["num_agents"] == 4
