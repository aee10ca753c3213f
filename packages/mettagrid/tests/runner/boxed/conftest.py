"""A small game, bundles made on the spot, and a sandbox that is really there."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import cogbox
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy import bundle_cache
from tests.support import missing

HEAD = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


class Policy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)


class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
        return self.act(obs)
"""


@pytest.fixture(autouse=True, scope="session")
def boxes() -> None:
    try:
        cogbox.sandbox(minimum="namespaces")
    except cogbox.LevelMissing as error:
        missing(str(error))


@pytest.fixture
def game() -> MettaGridConfig:
    """Four agents in an empty room for twenty steps."""
    config = MettaGridConfig.EmptyRoom(num_agents=4, width=12, height=12)
    config.game.max_steps = 20
    return config


Maker = Callable[..., Path]


@pytest.fixture
def make_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    """Write a bundle: `body` is the body of `Agent.act(self, obs)`; further files by name."""
    monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", tmp_path / "cache")

    def make(body: str, *, head: str = "", name: str = "bundle", setup: str | None = None, **files: str) -> Path:
        lines = "\n".join(f"        {line}" for line in body.splitlines())
        code = f"{head}\n{HEAD}\n    def act(self, obs):\n{lines}\n"
        spec = {"class_path": "my_policy.Policy", "setup_script": None if setup is None else "prepare.py"}
        members = {"policy_spec.json": json.dumps(spec), "my_policy.py": code, **files}
        if setup is not None:
            members["prepare.py"] = setup
        path = tmp_path / f"{name}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
        return path

    return make
