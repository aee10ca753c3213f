"""`run_episode_local` and `run_multi_episode_rollout`: files, seats, seeds, and what is refused."""

import json
import random

import pytest

from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner import engine_registry
from mettagrid.runner.rollout import resolve_env_for_seed, run_episode_local, run_multi_episode_rollout
from mettagrid.runner.types import PureSingleEpisodeResult

NOOP = PolicySpec(class_path="noop")


def play(env, specs, assignments, **settings):
    settings = {"episodes": 3, "seed": 42, "max_action_time_ms": 10_000, **settings}
    return run_multi_episode_rollout(policy_specs=specs, assignments=assignments, env_cfg=env, **settings)


@pytest.mark.parametrize(
    ("seed", "seats"),
    [
        (42, [[1, 0, 1, 0], [0, 1, 1, 0], [1, 0, 1, 0]]),
        (7, [[1, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]]),
    ],
)
def test_seats_are_shuffled_before_every_episode_and_the_shuffles_add_up(room, seed, seats):
    given = [0, 0, 1, 1]
    result, replays = play(room(4, steps=1), [NOOP, NOOP], given, seed=seed)
    assert [episode.assignments for episode in result.episodes] == seats
    assert given == [0, 0, 1, 1]
    assert replays == []


def test_one_generator_can_be_shared_by_several_calls(room):
    rng = random.Random(42)
    first, _ = play(room(4, steps=1), [NOOP, NOOP], [0, 0, 1, 1], episodes=1, rng=rng)
    second, _ = play(room(4, steps=1), [NOOP, NOOP], first.episodes[0].assignments, episodes=1, rng=rng)
    assert [first.episodes[0].assignments, second.episodes[0].assignments] == [[1, 0, 1, 0], [0, 1, 1, 0]]


def test_without_shuffling_the_seats_stay(room):
    result, _ = play(room(4, steps=1), [NOOP, NOOP], [0, 1, 0, 1], shuffle_assignments=False)
    assert {tuple(episode.assignments) for episode in result.episodes} == {(0, 1, 0, 1)}


def test_maps_differ_from_episode_to_episode_unless_the_map_has_a_seed(room, stand_in):
    env = room(2, steps=5)
    env.game.map_builder.objects = {"wall": 20}
    free, _ = play(env, [stand_in("Walker")], [0, 0])
    env.game.map_builder.seed = 3
    fixed, _ = play(env, [NOOP], [0, 0])
    assert len({str(episode.stats) for episode in free.episodes}) == 3
    assert len({str(episode.stats) for episode in fixed.episodes}) == 1


def test_resolving_an_environment_for_a_seed_leaves_the_original_alone(room):
    env = room()
    resolved = resolve_env_for_seed(env, 7)
    assert (resolved.game.map_builder.seed, env.game.map_builder.seed) == (7, None)
    assert resolve_env_for_seed(resolved, 8) is resolved


def test_progress_is_told_after_each_episode(room):
    told = []
    result, _ = play(
        room(2, steps=1), [NOOP], [0, 0], on_progress=lambda number, episode: told.append((number, episode))
    )
    assert told == list(enumerate(result.episodes))


def test_replays_go_to_a_folder_that_is_there(room, tmp_path):
    folder = tmp_path / "replays"
    with pytest.raises(ValueError, match="Replay directory does not exist"):
        play(room(2, steps=1), [NOOP], [0, 0], replay_dir=folder)
    result, paths = play(room(2, steps=1), [NOOP], [0, 0], replay_dir=folder, create_replay_dir=True)
    assert sorted(paths) == sorted(str(path) for path in folder.glob("*.json.z"))
    assert [episode.replay_path for episode in result.episodes] == paths


@pytest.mark.parametrize("assignments", [[0], [0, 1], [0, -1], [0, 0, 0]])
def test_every_agent_needs_a_policy_that_there_is(room, assignments):
    with pytest.raises(ValueError, match="Assignments must match agent count and be within policy range"):
        run_episode_local(policy_specs=[NOOP], assignments=assignments, env=room(2))


def test_results_replay_and_trace_are_written(room, tmp_path, stand_in):
    result, replay = run_episode_local(
        policy_specs=[stand_in("Walker")],
        assignments=[0, 0],
        env=room(2, steps=3),
        results_path=tmp_path / "results.json",
        replay_path=tmp_path / "replay.json.z",
        debug_dir=tmp_path / "debug",
    )
    assert PureSingleEpisodeResult.model_validate_json((tmp_path / "results.json").read_text()) == result
    assert replay is not None and (tmp_path / "replay.json.z").stat().st_size > 0
    spans = [event for event in json.loads((tmp_path / "debug" / "trace.json").read_text()) if event["ph"] == "X"]
    assert [(span["name"], span["pid"]) for span in spans if span["name"] != "gc"] == [
        ("agent_step", 0),
        ("agent_step", 1),
        ("env_step", 100000),
    ] * 3


def test_the_time_limit_is_raised_to_what_a_policy_needs(room, stand_in, monkeypatch):
    import stand_in_policies

    told = []
    monkeypatch.setattr(stand_in_policies.Base, "configure_action_timeout_ms", lambda self, ms: told.append(ms))
    run_episode_local(
        policy_specs=[stand_in("Demanding"), stand_in("Walker")],
        assignments=[0, 1],
        env=room(2, steps=1),
        max_action_time_ms=5,
    )
    assert told == [30_000, 30_000]


def test_games_of_another_engine_go_to_its_runner(monkeypatch):
    monkeypatch.setattr(engine_registry, "_runners", {})
    env = BitWorldEnvConfig(num_players=2)
    answer = PureSingleEpisodeResult(
        rewards=[1.0, 2.0], action_timeouts=[0, 0], stats={"game": {}, "agent": [{}, {}]}, steps=5
    )
    jobs = []
    engine_registry.register_engine_runner("bitworld", lambda job: jobs.append(job) or answer)
    result, replay = run_episode_local(policy_specs=[NOOP], assignments=[0, 0], env=env, seed=9)
    assert (result, replay) == (answer, None)
    assert (jobs[0].seed, jobs[0].policy_uris, jobs[0].env) == (9, ["mock://noop"], env)
