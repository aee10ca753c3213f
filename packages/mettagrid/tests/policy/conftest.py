"""Fixtures of policy tests: packages and bundles on disk, and imports that are undone."""

import json
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import mettagrid.mettagrid_c  # noqa: F401  # native code cannot be imported twice: `no_traces` must find it imported
from mettagrid.policy import bundle_cache, policy_registry
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

POLICY_SOURCE = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

class WaitingAgent(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class MyPolicy(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", gear="none"):
        super().__init__(policy_env_info, device)
        self.device, self.gear, self.weights = device, gear, None

    def agent_policy(self, agent_id):
        return WaitingAgent(self.policy_env_info)

    def load_policy_data(self, policy_data_path):
        with open(policy_data_path) as file:
            self.weights = file.read()
"""


@pytest.fixture
def env_info() -> PolicyEnvInterface:
    """A small game: two primary actions and one vibe."""
    return PolicyEnvInterface(
        action_names=["noop", "move_north"],
        vibe_action_names=["change_vibe_heart"],
        num_agents=2,
        observation_shape=(10, 3),
        egocentric_shape=(5, 5),
    )


@pytest.fixture
def no_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Undo imports, registrations and changes of the import path; keep unpacked bundles in the test's folder."""
    cache = tmp_path / "policy-cache"
    monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", cache)
    monkeypatch.setattr(policy_registry, "_POLICY_REGISTRY", dict(policy_registry._POLICY_REGISTRY))
    monkeypatch.setattr(policy_registry, "_CLAIMS", dict(policy_registry._CLAIMS))
    path, modules = sys.path[:], set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    policy_registry._register_installed_policies.cache_clear()  # the restored registry may lack them


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    """Write files with their folders and return the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


WriteFiles = Callable[[Mapping[str, str]], Path]
MakeBundle = Callable[..., Path]


@pytest.fixture
def make_bundle(tmp_path: Path, no_traces: None) -> MakeBundle:
    """Write a bundle with one policy: a folder, or an archive for a name that ends in `.zip`."""

    def make(name: str, files: Mapping[str, str] | None = None, **manifest: object) -> Path:
        spec = {"class_path": "my_policy.MyPolicy", **manifest}
        content = {"policy_spec.json": json.dumps(spec), "my_policy.py": POLICY_SOURCE, **(files or {})}
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith(".zip"):
            return write_files(path, content)
        with zipfile.ZipFile(path, "w") as archive:
            for member, text in content.items():
                archive.writestr(zipfile.ZipInfo(member), text)  # without the time: same content, same bytes
        return path

    return make
