"""The answers of the engine to a league server, which finds them through the entry point group `observatory.games`."""

from __future__ import annotations

import json
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cogames.league.game import GAME
from softmax.wire import Explanation


def _env(**options: Any) -> dict[str, Any]:
    return GAME.env_config("arena", **{"variants": [], "num_agents": 4, "max_steps": 10, **options})


def test_the_entry_point_leads_to_the_game() -> None:
    [entry] = entry_points(group="observatory.games", name="mettagrid")
    assert entry.load() is GAME


def test_an_environment_has_the_seats_and_the_steps_of_the_season() -> None:
    env = _env()
    assert env["game_engine"] == "mettagrid"
    assert (env["game"]["num_agents"], env["game"]["max_steps"]) == (4, 10)
    assert _env(max_steps=None)["game"]["max_steps"] > 10


@pytest.mark.parametrize(
    ("mission", "options", "sentence"),
    [
        ("mine.py", {}, "a season plays a mission by its name, as `cogames missions` lists it"),
        ("arenna", {}, "arena"),
        ("arena", {"variants": ["no_clipz"]}, "no_clips"),
    ],
)
def test_a_mission_that_cannot_be_loaded_is_a_value_error(mission: str, options: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        GAME.env_config(mission, **{"variants": [], "num_agents": 4, "max_steps": None, **options})


def test_a_job_needs_a_seat_for_each_agent() -> None:
    job = {"policy_uris": ["metta://policy/random"], "assignments": [0] * 4, "env": _env()}
    GAME.check_job(job)
    with pytest.raises(ValueError, match="Assignments must match agent count"):
        GAME.check_job({**job, "assignments": [0] * 3})
    with pytest.raises(ValueError, match="no runner for games of the engine 'bitworld'"):
        GAME.check_job({**job, "env": {"game_engine": "bitworld"}})


def test_an_episode_is_played_to_files_that_the_game_reads_again(tmp_path: Path) -> None:
    spec = {"policy_uris": ["metta://policy/noop"], "assignments": [0] * 4, "env": _env(), "seed": 7}
    noop = SimpleNamespace(name="noop", uri="metta://policy/noop", egress=(), secrets={}, may_use_index=False)
    GAME.prepare_to_play()
    GAME.play(tmp_path, spec, [noop], minimum="none", time_limit_seconds=60)
    assert not (tmp_path / "error_info.json").exists(), (tmp_path / "error_info.json").read_text()
    result = GAME.read_result((tmp_path / "results.json").read_bytes())
    assert (len(result["rewards"]), len(result["stats"]["agent"]), result["steps"]) == (4, 4, 10)
    assert {file.name for file in GAME.output_files(spec)} >= {path.name for path in tmp_path.iterdir()}
    explanation = Explanation.model_validate_json((tmp_path / "explanation.json").read_bytes())
    assert [(policy.name, policy.counts.idle) for policy in explanation.policies] == [("noop", 40)]
    runtime = GAME.read_runtime((tmp_path / "runtime_info.json").read_bytes())
    assert [policy["name"] for policy in runtime["policies"]] == ["noop"]
    metrics = GAME.measure_missions({"cogsguard.arena": [(spec, result)]})
    assert metrics["cogsguard.arena"].reward_variance == 0.0
    assert GAME.score_axes({"cogsguard.arena": [(spec, result)]}) == []  # it measures no axis


CRASHES = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Agent(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        return Action(name="noop") if self.steps < 4 else 1 // 0

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)
"""


def test_the_explanation_of_an_episode_names_the_policy_that_crashed_and_its_step(tmp_path: Path) -> None:
    spec = {"policy_uris": ["a", "b"], "assignments": [0, 0, 1, 1], "env": _env(), "seed": 7}
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as archive:
        archive.writestr("policy_spec.json", json.dumps({"class_path": "crashing_policy.Mine"}))
        archive.writestr("crashing_policy.py", CRASHES)
    limits = {"egress": (), "secrets": {}, "may_use_index": False}
    crashing = SimpleNamespace(name="mine:v1", uri=(tmp_path / "bundle.zip").as_uri(), **limits)
    noop = SimpleNamespace(name="noop", uri="metta://policy/noop", **limits)
    GAME.play(tmp_path, spec, [crashing, noop], minimum="none", time_limit_seconds=60)
    explanation = Explanation.model_validate_json((tmp_path / "explanation.json").read_bytes())
    assert [(policy.status, policy.failed_step) for policy in explanation.policies] == [("crashed", 3), ("ok", None)]
    [failure] = [moment for moment in explanation.moments if moment.kind == "failure"]
    assert (failure.tick, failure.policy) == (3, 0)
    assert failure.text == "mine:v1 fails (crashed) at step 3; its agents do nothing from then on"


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"rewards": "none"})])
def test_malformed_files_are_value_errors(text: str) -> None:
    with pytest.raises(ValueError):
        GAME.read_result(text.encode())


def test_a_built_in_policy_becomes_a_bundle_with_a_policy_spec(tmp_path: Path) -> None:
    assert GAME.has_policy("starter") and not GAME.has_policy("no-such-policy")
    GAME.pack_policy("starter", tmp_path / "starter.zip")
    with zipfile.ZipFile(tmp_path / "starter.zip") as archive:
        archive.extract("policy_spec.json", tmp_path)
    assert GAME.read_policy_spec(tmp_path)["class_path"]
    with pytest.raises(FileNotFoundError):
        GAME.read_policy_spec(tmp_path / "nowhere")
