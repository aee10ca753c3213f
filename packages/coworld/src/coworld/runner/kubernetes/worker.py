"""The worker beside the game: probe the game, start the players, judge the episode, publish its files."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from coworld.engines.base import EngineError
from coworld.engines.kubernetes.cluster import Cluster
from coworld.engines.kubernetes.connection import connect
from coworld.engines.kubernetes.engine import KubernetesEngine, Patience, WorkerPlace
from coworld.engines.kubernetes.player_pods import ARTIFACT_PORT, EpisodeObjects
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.episode_request import CERTIFICATION_EPISODE_SOURCE
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError
from coworld.runner.kubernetes.endpoints import WorkerEndpoints
from coworld.runner.kubernetes.episode import ClusterEpisode, HostedClusterEpisode, InCluster
from coworld.runner.kubernetes.init_config import prepared
from coworld.runner.kubernetes.publish import Publisher, write_archive
from coworld.runner.kubernetes.settings import WorkerSettings
from coworld.runner.kubernetes.timings import Timings
from coworld.runner.options import EpisodeOptions
from coworld.runner.replay import require_replay
from coworld.runner.runner import failure_of_episode, in_a_loop
from coworld.uris.transfer import UriError, read_uri, write_uri

DEFAULT_CONNECT_SECONDS = 180.0
PLAYER_EXIT_SECONDS = 30.0
"""how long players may take to upload artifacts and to end after the results"""


def run_worker(settings: WorkerSettings, environ: Mapping[str, str]) -> int:
    """Run the worker; return its exit code: 0 when every output of a good episode is published."""
    with ExitStack() as stack:
        workspace = settings.output_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coworld-")))
        artifacts = EpisodeArtifacts.create(workspace)
        timings = Timings()
        publisher = Publisher(settings.outputs, artifacts, timings)
        uploads = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coworld-uploads-")))
        try:
            job, tokens = prepared(settings.init)
            endpoints = WorkerEndpoints(
                settings.pod_ip,
                health_port=settings.health_port,
                artifact_port=ARTIFACT_PORT,
                artifacts=uploads,
                tokens=tokens,
                output_token=settings.output_token,
            )
            stack.callback(endpoints.close)
            try:
                in_a_loop(_play(settings, environ, job, tokens, artifacts, endpoints, publisher, timings, uploads))
            except RunnerEpisodeError as error:
                publisher.fail(EpisodeFailure.of(error))
            with timings.phase("publish"):
                _publish(publisher)
            if settings.output_token:
                _hand_out(settings, endpoints, artifacts, stack)
        except RunnerEpisodeError as error:
            publisher.fail(EpisodeFailure.of(error))
        if publisher.failure is not None:
            print(json.dumps(publisher.failure.document()), file=sys.stderr)
            return 1
    return 0


def _publish(publisher: Publisher) -> None:
    try:
        publisher.publish()
    except RunnerEpisodeError as error:
        publisher.fail(EpisodeFailure.of(error))
        publisher.publish()


def _hand_out(settings: WorkerSettings, endpoints: WorkerEndpoints, files: EpisodeArtifacts, stack: ExitStack) -> None:
    """Keep all files ready for the client that has submitted the Job, until it has fetched them."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coworld-outputs-")))
    archive = folder / "outputs.zip"
    write_archive(archive, files.workspace)
    endpoints.outputs = archive
    endpoints.fetched.wait(settings.hold_seconds)


async def _play(
    settings: WorkerSettings,
    environ: Mapping[str, str],
    job: CoworldEpisodeJobSpec,
    tokens: list[str],
    artifacts: EpisodeArtifacts,
    endpoints: WorkerEndpoints,
    publisher: Publisher,
    timings: Timings,
    uploads: Path,
) -> None:
    engine = await asyncio.to_thread(open_engine, settings, environ, job, uploads)
    hosted = job.manifest.game.player_runtime == "game-hosted"
    kind = HostedClusterEpisode if hosted else ClusterEpisode
    try:
        episode = kind(
            job,
            artifacts,
            engine,
            episode_options(settings, job),
            tokens=tokens,
            endpoints=endpoints,
            timings=timings,
            on_failure=publisher.fail,
        )
        failure = await failure_of_episode(episode, artifacts)
        if failure is not None:
            publisher.fail(failure)
        elif "REPLAY_URI" in settings.outputs.uris:
            require_replay(artifacts.replay_path)
    finally:
        try:
            await asyncio.to_thread(engine.close)
        except EngineError as error:
            print(f"left to the Job's end: {error}", file=sys.stderr)


def episode_options(settings: WorkerSettings, job: CoworldEpisodeJobSpec) -> EpisodeOptions:
    """Return the options of an episode in a cluster. Only certification needs players that end well."""
    certifies = job.episode_tags.get("source") == CERTIFICATION_EPISODE_SOURCE
    return EpisodeOptions(
        budget_seconds=settings.timeout_seconds,
        clean_exits=certifies,
        people=True,
        player_exit_seconds=PLAYER_EXIT_SECONDS,
        prefix="coworld-job",
        player_secret_env=policy_secrets(settings.policy_secrets_uri),
    )


def open_engine(
    settings: WorkerSettings, environ: Mapping[str, str], job: CoworldEpisodeJobSpec, uploads: Path
) -> KubernetesEngine:
    """Connect to the cluster and describe the episode's objects. Raises RunnerEpisodeError (`platform_error`)."""
    try:
        cluster = connect(environ, namespace=settings.namespace)
        image = _runner_image(cluster, settings.pod_name)
    except EngineError as error:
        raise RunnerEpisodeError(str(error), error_type="platform_error") from None
    episode = EpisodeObjects(
        job_id=settings.job_id,
        service=settings.service,
        owner=settings.owner,
        runner_image=image,
        lifetime_seconds=settings.child_lifetime_seconds,
        node_selector=settings.node_selector,
        tolerations=settings.tolerations,
    )
    connect_seconds = job.game_config.get("player_connect_timeout_seconds", DEFAULT_CONNECT_SECONDS)
    start = min(float(connect_seconds), settings.timeout_seconds)
    return KubernetesEngine(
        cluster,
        episode,
        WorkerPlace(pod_name=settings.pod_name, host=settings.pod_ip, workdir=settings.init.workdir, artifacts=uploads),
        {slot: player for slot, player in enumerate(job.players) if isinstance(player, CoworldRunnableSpec)},
        settings.defaults,
        Patience(start=start, outage=settings.outage_seconds),
    )


def _runner_image(cluster: Cluster, pod_name: str) -> str:
    """Return the image of this container, which players' pods use to wait for the game."""
    pod = cluster.get("pods", pod_name)
    spec = (pod or {}).get("spec") or {}
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        if container["name"] in ("worker", "launch-players"):
            return str(container["image"])
    raise EngineError(f"pod {pod_name} has no container named `worker`: POD_NAME must name the worker's own pod")


def policy_secrets(uri: str | None) -> dict[int, dict[str, str]]:
    """Read `POLICY_SECRETS_URI`: `{"policies": {"0": {"NAME": "value"}}}`."""
    if uri is None:
        return {}
    try:
        policies = json.loads(read_uri(uri, limit=1 << 20))["policies"]
        return {int(slot): {str(name): str(value) for name, value in env.items()} for slot, env in policies.items()}
    except UriError as error:
        raise RunnerEpisodeError(f"POLICY_SECRETS_URI cannot be read: {error}", error_type="config_error") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        message = 'POLICY_SECRETS_URI must hold {"policies": {"0": {"NAME": "value"}}}'
        raise RunnerEpisodeError(message, error_type="config_error") from None


def launch_players(settings: WorkerSettings, environ: Mapping[str, str]) -> None:
    """Create the Service and the players' pods before the game starts; players with a start-up page become ready.

    Raises RunnerEpisodeError after deleting what was created.
    """
    job, tokens = prepared(settings.init)
    if job.manifest.game.player_runtime == "game-hosted":
        return
    with tempfile.TemporaryDirectory(prefix="coworld-") as folder:
        artifacts = EpisodeArtifacts.create(Path(folder) / "workspace")
        engine = open_engine(settings, environ, job, Path(folder))
        episode = _Launch(job, artifacts, engine, episode_options(settings, job), tokens=tokens)
        try:
            in_a_loop(episode.launch())
        except (RunnerEpisodeError, EngineError) as error:
            try:
                engine.close()
            except EngineError as left:
                print(f"left to the Job's end: {left}", file=sys.stderr)
            if isinstance(error, EngineError):
                raise RunnerEpisodeError(str(error), error_type="platform_error") from None
            raise
        finally:
            engine.stop_following()


class _Launch(ClusterEpisode):
    """The part of an episode that creates players' pods."""

    def __init__(
        self,
        request: CoworldEpisodeJobSpec,
        artifacts: EpisodeArtifacts,
        engine: KubernetesEngine,
        options: EpisodeOptions,
        *,
        tokens: list[str],
    ) -> None:
        super(InCluster, self).__init__(request, artifacts, engine, options)
        self.tokens = tokens
        self.id = engine.episode.job_id

    async def launch(self) -> None:
        self._reservation = self.engine.reserve()
        try:
            await self.start_early_players()
            for seat, player in zip(self.seats, self.request.players, strict=True):
                if isinstance(player, CoworldRunnableSpec) and seat.program is None:
                    await asyncio.to_thread(self._cluster_engine.create_player, self.player_spec(seat, player))
        finally:
            self.gates().close()


def write_error(uri: str | None, failure: EpisodeFailure) -> None:
    """Print the failure of an init container, as one line of JSON, and publish it."""
    print(json.dumps(failure.document()), file=sys.stderr)
    if uri:
        try:
            write_uri(uri, json.dumps(failure.document()).encode(), content_type="application/json")
        except UriError as error:
            print(f"error_info.json could not be published: {error}", file=sys.stderr)
