"""A cluster for the tests: the stand-in of the API, and a node that runs its pods."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coworld.engines.kubernetes import cluster as cluster_module
from coworld.engines.kubernetes import follower
from coworld.engines.kubernetes.cluster import Cluster
from coworld.engines.kubernetes.connection import connect
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.kubernetes import episode, remote, worker
from coworld.runner.kubernetes.remote import RemoteSettings, run_remote_episode
from coworld.runner.options import EpisodeOptions
from coworld.runner.runner import EpisodeOutcome
from packages.coworld.tests.kubernetes import programs
from packages.coworld.tests.kubernetes.api_server import ApiServer
from packages.coworld.tests.kubernetes.kubelet import STDERR, Kubelet
from packages.coworld.tests.worlds import GAME, PLAYER, manifest_document

RUNNER_IMAGE = "coworld/runner:test"
SETTINGS = RemoteSettings(runner_image=RUNNER_IMAGE, start_seconds=60, outage_seconds=60, hold_seconds=30)


@dataclass
class TestCluster:
    __test__ = False

    api: ApiServer
    node: Kubelet
    cluster: Cluster
    folder: Path
    kubeconfig: Path

    def run(self, request: CoworldEpisodeJobSpec, name: str = "out", **changes: Any) -> EpisodeOutcome:
        """Run an episode as `coworld run-episode --engine kubernetes` does."""
        settings = changes.pop("settings", SETTINGS)
        options = EpisodeOptions(**{"budget_seconds": 60.0, **changes})
        return run_remote_episode(
            request, cluster=self.cluster, workspace=self.folder / name, options=options, settings=settings
        )

    def left(self, seconds: float = 10.0) -> list[str]:
        """Return the objects that are still there when nothing changes any more."""
        deadline = time.monotonic() + seconds
        while self.api.objects and time.monotonic() < deadline:
            time.sleep(0.02)
        return sorted(f"{kind}/{name}" for kind, _, name in self.api.objects)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestCluster]:
    monkeypatch.setattr(worker, "sys", SimpleNamespace(stderr=STDERR))  # the runner's containers are threads
    monkeypatch.setattr(episode, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(remote, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(cluster_module, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(follower, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(follower, "POLL_SECONDS", 0.1)
    api = ApiServer()
    node = Kubelet(api, {GAME: programs.game, PLAYER: programs.player}, tmp_path)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(api.kubeconfig())
    try:
        yield TestCluster(api, node, connect({"KUBECONFIG": str(kubeconfig)}), tmp_path, kubeconfig)
    finally:
        node.close()
        api.close()


@pytest.fixture
def make_request() -> Callable[..., CoworldEpisodeJobSpec]:
    return episode_request


def episode_request(
    game: str = "good", players: tuple[str, str] = ("good", "good"), certifies: bool = False, **config: Any
) -> CoworldEpisodeJobSpec:
    """An episode of the counting game, by the scripts of its programs."""
    manifest = CoworldManifest.model_validate(manifest_document(game, players, **config))
    tags = {"source": "coworld_certification"} if certifies else {}
    return CoworldEpisodeJobSpec(
        manifest=manifest,
        game_config=manifest.certification.game_config,
        players=list(manifest.player),
        episode_tags=tags,
    )
