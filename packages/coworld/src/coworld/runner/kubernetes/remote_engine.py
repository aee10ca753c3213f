"""`--engine kubernetes`: whole episodes in a cluster, for the commands that run episodes."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from coworld.engines.base import EngineError, Reservation, Resolved, RunnableSpec, Running
from coworld.engines.kubernetes.cluster import Cluster
from coworld.engines.kubernetes.connection import connect
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.kubernetes.remote import RemoteSettings, run_remote_episode, sweep
from coworld.runner.kubernetes.settings import number
from coworld.runner.options import EpisodeOptions
from coworld.runner.runner import EpisodeOutcome

IMAGE_VARIABLE = "COWORLD_RUNNER_IMAGE"
ACCOUNT_VARIABLE = "COWORLD_SERVICE_ACCOUNT"
START_VARIABLE = "COWORLD_START_SECONDS"


@dataclass
class RemoteEngine:
    """A cluster that runs episodes with its own runner. It starts no single programs from here."""

    cluster: Cluster
    settings: RemoteSettings

    name = "kubernetes"
    level = "pod"

    @classmethod
    def of(cls, environ: Mapping[str, str] | None = None) -> "RemoteEngine":
        """Connect as the environment says, and delete what earlier runs left; raises EngineError."""
        environ = os.environ if environ is None else environ
        cluster = connect(environ)
        image = environ.get(IMAGE_VARIABLE)
        if not image:
            raise EngineError(
                f"{IMAGE_VARIABLE} is not set: name an image that has `coworld[kubernetes]` (docs/guides/kubernetes.md)"
            )
        settings = RemoteSettings(
            runner_image=image,
            service_account=environ.get(ACCOUNT_VARIABLE) or "episode-runner",
            start_seconds=number(environ, START_VARIABLE, 600.0),
        )
        sweep(cluster)
        return cls(cluster, settings)

    def run_episode(
        self, request: CoworldEpisodeJobSpec, *, workspace: Path, options: EpisodeOptions
    ) -> EpisodeOutcome:
        return run_remote_episode(
            request, cluster=self.cluster, workspace=workspace, options=options, settings=self.settings
        )

    def resolve(self, image: str) -> Resolved:
        return Resolved(image, "pulled by the cluster")

    def fingerprint(self, image: str) -> str:
        return hashlib.sha256(f"{self.name}\0{image}".encode()).hexdigest()

    def reserve(self) -> Reservation:
        raise self._refusal()

    def start(self, spec: RunnableSpec) -> Running:
        raise self._refusal()

    @staticmethod
    def _refusal() -> EngineError:
        return EngineError(
            "a cluster runs whole episodes: use `coworld run-episode` or `coworld scrimmage` with `--engine kubernetes`"
        )
