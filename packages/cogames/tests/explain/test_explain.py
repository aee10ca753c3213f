"""Explanations of episodes, compared with the stats that the engine itself counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cogames.explain import Seats, explain
from cogames.missions.catalog import load
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import Replay, load_replay, save_replay
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episode

STEPS = 300


def _played(env: MettaGridConfig, *policies: str, path: Path) -> tuple[Replay, EpisodeOutcome]:
    """Play an episode; the policies take turns at the seats."""
    seats = [agent % len(policies) for agent in range(env.game.num_agents)]
    replays: list[Replay] = []
    plan = EpisodePlan(env, [PolicySpec(class_path=name) for name in policies], seats, seed=3, replay_path=path)
    outcome = play_episode(plan, on_replay=replays.append)
    return replays[0], outcome


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> tuple[Replay, EpisodeOutcome]:
    env = load("arena", cogs=6)
    env.game.max_steps = STEPS
    return _played(env, "role", "random", "noop", path=tmp_path_factory.mktemp("arena") / "game.cogreplay")


def test_counts_are_those_of_the_engine(arena: Any) -> None:
    replay, outcome = arena
    for policy in explain(replay).policies:
        stats = [outcome.stats["agent"][agent] for agent in policy.agents]

        def total(name: str, stats: Any = stats) -> float:
            return sum(agent.get(name, 0.0) for agent in stats)

        assert policy.taken[-1] == total("junction.aligned_by_agent")
        assert policy.hearts is not None and policy.hearts[-1] == total("heart.gained")
        assert policy.counts.steps == len(policy.agents) * outcome.steps
        assert policy.counts.blocked == total("action.move.failed")
        assert (policy.counts.blocked or 0) + (policy.counts.failed or 0) == total("action.failed")
        assert policy.counts.cells == total("cell.unique_visited")
        expected = sum(outcome.rewards[agent] for agent in policy.agents) / len(policy.agents)
        assert policy.reward[-1] == pytest.approx(expected, abs=1e-5)


def test_teams_hold_what_the_engine_counted(arena: Any) -> None:
    replay, outcome = arena
    explanation = explain(replay)
    assert explanation.held_name == "junctions"
    held = {team.name: team for team in explanation.teams}
    assert held["cogs"].agents == list(range(6)) and held["clips"].agents == []
    mean = outcome.stats["game"]["cogs/aligned.junction.held"] / outcome.steps
    assert (
        f"Team cogs holds {mean:.1f} junctions on average and {held['cogs'].held[-1]} at the end" in explanation.summary
    )


def test_a_policy_that_does_nothing_is_found_and_every_moment_is_a_step_of_the_replay(arena: Any) -> None:
    replay, _ = arena
    explanation = explain(replay)
    [still] = [moment for moment in explanation.moments if moment.kind == "idle"]
    assert still.text == f"Every agent of noop does nothing from step 1 to the end ({STEPS} steps)"
    assert explanation.policies[still.policy or 0].name == "noop"
    assert [moment.tick for moment in explanation.moments] == sorted(moment.tick for moment in explanation.moments)
    assert all(1 <= moment.tick <= STEPS for moment in explanation.moments)
    assert explanation.ticks[-1] == STEPS and len(explanation.ticks) <= 120
    assert any(difference.measure == "idle" and "noop" in difference.text for difference in explanation.differences)


def test_the_same_episode_gives_the_same_bytes_from_memory_and_from_its_file(arena: Any, tmp_path: Path) -> None:
    replay, _ = arena
    document = explain(replay).model_dump_json()
    save_replay(replay, tmp_path / "again.cogreplay")
    assert explain(load_replay(tmp_path / "again.cogreplay")).model_dump_json() == document
    assert len(document) < 20_000


def test_a_published_replay_lacks_only_the_requested_actions(arena: Any, tmp_path: Path) -> None:
    replay, _ = arena
    save_replay(replay, tmp_path / "game.json.z")
    published, own = explain(load_replay(tmp_path / "game.json.z")), explain(replay)
    assert [policy.counts.blocked for policy in published.policies] == [None] * 3
    assert [policy.taken for policy in published.policies] == [policy.taken for policy in own.policies]
    assert [team.held for team in published.teams] == [team.held for team in own.teams]


def test_missed_deadlines_and_failures_come_from_the_runner(arena: Any) -> None:
    replay, _ = arena
    seats = Seats(
        ["a", "b", "a"],
        [0, 1, 2, 0, 1, 2],
        statuses=["ok", "timed_out", "crashed"],
        failed_steps=[None, None, 40],
        missed=[0, 2, 0, 0, 1, 0],
        late=[(7, 1), (9, 4), (30, 1)],
    )
    explanation = explain(replay, seats)
    texts = [moment.text for moment in explanation.moments]
    assert "b misses its first deadline at step 7, 3 in all" in texts
    assert "a (agents 2, 5) fails (crashed) at step 40; its agents do nothing from then on" in texts
    assert [policy.counts.missed for policy in explanation.policies] == [0, 3, 0]


def test_a_game_without_junctions_and_health_shows_what_it_has(tmp_path: Path) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=2)
    env.game.max_steps = 30
    replay, _ = _played(env, "noop", path=tmp_path / "game.cogreplay")
    explanation = explain(replay)
    [policy] = explanation.policies
    assert (explanation.held_name, policy.deaths) == (None, None)
    assert [moment.kind for moment in explanation.moments] == ["idle"]
    assert explanation.summary == ["No agent gets a reward"]
    assert json.loads(explanation.model_dump_json())["differences"] == []
