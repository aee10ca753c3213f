"""Policies play BitWorld games with the episode runner: in this process, behind a socket, as a job of a league."""

import json
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from bitworld.players.scenes import SCENE_BYTES as PACKED_SCENE_BYTES
from bitworld.replays import ReplayGame, read_replay
from cogames.league.bitworld import GAME
from cogames.policy.bundles import create_bundle
from mettagrid.bitworld import BITWORLD_ACTION_NAMES
from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.bitworld.interface import SCENE_BYTES, bitworld_interface, interface_for
from mettagrid.runner.bitworld_runner import run_bitworld_episode
from mettagrid.runner.boxed.job import PolicyToPlay, play_job
from mettagrid.runner.episode import EpisodePlan, play_episode
from mettagrid.runner.policy_server.server import LocalPolicyServer
from mettagrid.runner.policy_server.websocket_transport import (
    PolicyStepError,
    WebSocketPolicyServer,
    WebSocketRawPolicyServerClient,
)
from mettagrid.runner.rollout import run_episode_local
from mettagrid.runner.types import PureSingleEpisodeJob
from observatory.games import PolicyToPlay as LeaguePolicy
from softmax.wire import Explanation

FAST = {"startWaitTicks": 0, "roleRevealTicks": 0}
RANDOM = PolicySpec(class_path="bitworld_random_action")


def env(players: int = 3, ticks: int = 40, game: str = "among_them") -> BitWorldEnvConfig:
    return BitWorldEnvConfig(game_name=game, num_players=players, max_ticks=ticks, server_config=dict(FAST))


def spec(cls: type) -> PolicySpec:
    return PolicySpec(class_path=f"{__name__}.{cls.__name__}")


class Watcher(MultiAgentPolicy):
    """Remembers what it was shown, walks right, and says something once."""

    seen: ClassVar[list[np.ndarray]] = []

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        raise NotImplementedError

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        self.seen.append(raw_observations.copy())
        raw_actions[...] = BITWORLD_ACTION_NAMES.index("right")

    def bitworld_chat_messages(self, agent_ids: list[int]) -> list[str | None]:
        return ["hello" if len(self.seen) == 2 else None for _ in agent_ids]


class OutOfRange(Watcher):
    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        raw_actions[...] = 27


@pytest.fixture(autouse=True)
def forget() -> None:
    Watcher.seen.clear()


def test_the_same_seed_gives_the_same_episode_and_its_replay_verifies(tmp_path: Path) -> None:
    path = tmp_path / "game.bitreplay"
    policies = [RANDOM, PolicySpec(class_path="bitworld_random_dpad")]
    plan = EpisodePlan(env(), policies, [0, 1, 0], seed=5, replay_path=path)
    first = play_episode(plan)
    assert first.steps == 40
    data = path.read_bytes()
    assert play_episode(plan).compared() == first.compared()
    assert path.read_bytes() == data
    playback = ReplayGame(read_replay(data))
    playback.seek(playback.length)
    assert playback.length == 40


def test_steps_are_the_ticks_that_were_played_until_the_game_was_decided() -> None:
    # Without tasks the crew has nothing left to do.
    game = env(players=2, ticks=500)
    game.server_config["tasksPerPlayer"] = 0
    outcome = play_episode(EpisodePlan(game, [RANDOM], [0, 0]))
    assert outcome.steps < 10
    assert outcome.rewards == [100.0, 100.0]
    assert outcome.stats["agent"][0]["wins_crewmate"] == 1


def test_rows_of_other_policies_players_are_zero_and_chat_is_counted() -> None:
    outcome = play_episode(EpisodePlan(env(ticks=6, game="stag_hunt"), [spec(Watcher), RANDOM], [1, 0, 1]))
    assert [row.shape for row in Watcher.seen] == [(3, 4, 128, 128)] * 6
    last = Watcher.seen[-1]
    assert not last[0].any()
    assert not last[2].any()
    assert last[1].any()
    assert last.max() < 16
    stats = outcome.stats["agent"]
    assert (stats[1]["chat.sent"], stats[1]["action.right.success"]) == (1, 6)
    assert "chat.sent" not in stats[0]


def test_a_policy_that_chooses_a_wrong_number_fails_and_the_others_continue() -> None:
    outcome = play_episode(EpisodePlan(env(), [spec(OutOfRange), RANDOM], [0, 1, 1]))
    assert outcome.steps == 40
    assert outcome.verdicts[0].status == "protocol_error"
    assert outcome.verdicts[0].message == "chose action number 27; this game has 0 to 26"
    assert outcome.verdicts[1].status == "ok"


def test_a_job_is_played_under_the_published_name(tmp_path: Path) -> None:
    job = PureSingleEpisodeJob(
        policy_uris=["bitworld_random_dpad", "mock://bitworld_random_action"],
        assignments=[0, 1, 1],
        env=env(ticks=20),
        results_uri=None,
        replay_uri=(tmp_path / "game.bitreplay").as_uri(),
        seed=3,
    )
    result = run_bitworld_episode(job)
    assert (result.steps, len(result.rewards), result.stats["game"]["ticks"]) == (20, 3, 20)
    assert read_replay((tmp_path / "game.bitreplay").read_bytes()).config["seed"] == 3
    with pytest.raises(PolicyStepError, match="chose action number 27"):
        run_bitworld_episode(job.model_copy(update={"policy_uris": [f"{__name__}.OutOfRange", "mock://noop"]}))
    with pytest.raises(ValueError, match="Assignments must match agent count"):
        run_bitworld_episode(job.model_copy(update={"assignments": [0]}))


def test_a_local_episode_writes_its_result(tmp_path: Path) -> None:
    results = tmp_path / "results" / "r.json"
    result, _ = run_episode_local(policy_specs=[RANDOM], assignments=[0] * 3, env=env(ticks=5), results_path=results)
    assert json.loads(results.read_text())["steps"] == result.steps == 5


def test_a_bad_configuration_is_a_value_error() -> None:
    game = env()
    game.server_config["killRange"] = "far"
    with pytest.raises(ValueError, match="killRange"):
        play_episode(EpisodePlan(game, [RANDOM], [0] * 3))


def test_a_policy_server_plays_raw_observations() -> None:
    server = WebSocketPolicyServer(LocalPolicyServer(spec(Watcher)))
    serving = threading.Thread(target=server.serve)
    serving.start()
    interface = bitworld_interface(3)
    with WebSocketRawPolicyServerClient(interface, url=f"ws://127.0.0.1:{server.port}", agent_ids=[0, 2]) as client:
        observations = np.arange(3 * 4 * 128 * 128, dtype=np.uint32).astype(np.uint8).reshape(3, 4, 128, 128) & 15
        actions = np.full(3, 7)
        for _ in range(2):
            client.step_batch(observations, actions)
        assert actions.tolist() == [BITWORLD_ACTION_NAMES.index("right"), 7, BITWORLD_ACTION_NAMES.index("right")]
        assert client.bitworld_chat_messages([0, 1, 2]) == ["hello", None, "hello"]
    serving.join(30)
    assert np.array_equal(Watcher.seen[0][[0, 2]], observations[[0, 2]])
    assert not Watcher.seen[0][1].any()


def test_a_boxed_policy_plays_a_job_of_the_league(tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "policy_uris": ["metta://policy/bitworld_random_action"],
        "assignments": [0, 0, 0],
        "env": env(ticks=30).model_dump(mode="json"),
        "seed": 4,
    }
    policy = PolicyToPlay("random", "metta://policy/bitworld_random_action")
    assert play_job(tmp_path, document, [policy], minimum="none") is None
    assert json.loads((tmp_path / "results.json").read_text())["steps"] == 30
    replay = ReplayGame(read_replay((tmp_path / "replay.json.z").read_bytes()))
    replay.seek(replay.length)
    assert (tmp_path / "scenes.z").stat().st_size > 1000


def test_a_match_of_the_league_is_explained(tmp_path: Path) -> None:
    policies = [LeaguePolicy(name, "metta://policy/bitworld_random_action") for name in ("crab:v1", "owl:v2")]
    document: dict[str, Any] = {
        "policy_uris": [policy.uri for policy in policies],
        "assignments": [0, 1, 1],
        "env": env(ticks=250).model_dump(mode="json"),
        "seed": 4,
    }
    GAME.play(tmp_path, document, policies, minimum="none", time_limit_seconds=600)
    explanation = Explanation.model_validate_json((tmp_path / "explanation.json").read_bytes())
    rewards = json.loads((tmp_path / "results.json").read_text())["rewards"]
    assert [policy.reward[-1] for policy in explanation.policies] == [rewards[0], (rewards[1] + rewards[2]) / 2]
    assert (explanation.steps, explanation.max_steps, explanation.ticks[-1]) == (250, 250, 250)
    assert len(explanation.ticks) == len(explanation.policies[0].reward) <= 122
    assert all(0 < policy.counts.idle < policy.counts.steps for policy in explanation.policies)


def test_the_bundle_of_the_scripted_player_plays_in_a_box_and_sees_scenes(tmp_path: Path) -> None:
    created = create_bundle("class=amongthem", tmp_path / "scripted.zip")
    document: dict[str, Any] = {
        "policy_uris": ["metta://policy/scripted"],
        "assignments": [0, 0, 0],
        "env": env(ticks=60).model_dump(mode="json"),
        "seed": 4,
    }
    policy = PolicyToPlay("scripted", created.path.as_uri())
    assert play_job(tmp_path, document, [policy], minimum="none") is None
    actions = json.loads((tmp_path / "results.json").read_text())["stats"]["agent"][0]
    assert sum(count for name, count in actions.items() if name.startswith("action.") and "noop" not in name) > 0


@pytest.mark.parametrize(
    ("kind", "shape", "expected"),
    [
        ("pixels", (2, 128, 128), (2, 128, 128)),
        ("sprite_player", (2462,), (2462,)),
        ("sprite_scene", (SCENE_BYTES,), (SCENE_BYTES,)),
        ("pixels", (4, 64, 64), "have the shape"),
        ("sprite_player", (1230,), "have the shape"),
        ("token", (200, 3), "not 'token'"),
    ],
)
def test_the_recorded_kind_of_observations_is_used_or_refused(kind: Any, shape: Any, expected: Any) -> None:
    recorded = bitworld_interface(1).model_copy(update={"observation_kind": kind, "observation_shape": shape})
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            interface_for(recorded, 8)
    else:
        interface = interface_for(recorded, 8)
        assert (interface.observation_kind, interface.observation_shape) == (kind, expected)


def test_both_packages_agree_on_the_size_of_a_scene() -> None:
    assert SCENE_BYTES == PACKED_SCENE_BYTES


def test_a_season_can_play_among_them(tmp_path: Path) -> None:
    from cogames.league.bitworld import GAME

    environment = GAME.env_config("among_them", variants=[], num_agents=5, max_steps=20)
    job = {"policy_uris": ["metta://policy/bitworld_random_dpad"], "assignments": [0] * 5, "env": environment}
    GAME.check_job(job)
    uri = "metta://policy/bitworld_random_dpad"
    policy = SimpleNamespace(name="random", uri=uri, egress=(), secrets={}, may_use_index=False)
    GAME.play(tmp_path, job, [policy], minimum="none", time_limit_seconds=60)
    assert GAME.read_result((tmp_path / "results.json").read_bytes())["steps"] == 20
    with pytest.raises(ValueError, match="did you mean 'among_them'"):
        GAME.env_config("among_then", variants=[], num_agents=5, max_steps=None)
