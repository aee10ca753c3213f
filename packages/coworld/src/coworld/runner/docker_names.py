"""Images and networks of container engines under their published names, for scripts that prepare episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from coworld.engines.base import EngineError, ImageUnreachable
from coworld.engines.image_refs import is_unresolved_image_id
from coworld.models.launch_specs import RunnableLaunchSpec
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.runner.ports import ResolvedLocalPort

__all__ = [
    "LOCAL_DOCKER_NETWORK",
    "LOCAL_GAME_NETWORK_ALIAS_PREFIX",
    "DockerImageInspectEntry",
    "DockerManifestDescriptor",
    "DockerManifestInspectResult",
    "DockerManifestPlatform",
    "DockerManifestVerboseEntry",
    "assert_docker_image_reachable",
    "assert_episode_images_reachable",
    "docker_env_args",
    "docker_image_command",
    "ensure_local_docker_network",
    "local_port_publish_args",
]

LOCAL_DOCKER_NETWORK = "coworld-local"
LOCAL_GAME_NETWORK_ALIAS_PREFIX = "coworld-game-"


class DockerModel(BaseModel):
    """A part of an engine's answer. Fields have the names of scripts; the engine's names are aliases."""

    model_config = ConfigDict(extra="ignore")


class DockerImageInspectEntry(DockerModel):
    """An entry of `docker image inspect`."""

    os_name: str = Field(alias="Os")
    architecture: str = Field(alias="Architecture")


class DockerManifestPlatform(DockerModel):
    """The platform of an image in a registry."""

    os_name: str = Field(alias="os")
    architecture: str


class DockerManifestDescriptor(DockerModel):
    """The reference to an image for one platform."""

    platform: DockerManifestPlatform


class DockerManifestVerboseEntry(DockerModel):
    """An entry of `docker manifest inspect --verbose`."""

    descriptor: DockerManifestDescriptor = Field(alias="Descriptor")


class DockerManifestInspectResult(DockerModel):
    """The answer of `docker manifest inspect`: one image, or a list with an image per platform."""

    os_name: str | None = Field(default=None, alias="os")
    architecture: str | None = None
    manifests: list[DockerManifestDescriptor] = Field(default_factory=list)


class DockerImageUnreachable(ImageUnreachable, RuntimeError):
    """An image that cannot be run here; the published functions raise a RuntimeError."""


class DockerNetworkFailed(EngineError, RuntimeError):
    """A network that could not be created; the published function raises a RuntimeError."""


def assert_docker_image_reachable(
    image: str, *, label: str = "Docker image", require_linux_amd64: bool = False
) -> None:
    """Raise unless an episode can run an image: a local program has its name, or a container engine has or pulls it.

    Images for containers are for linux/amd64 in any case; `require_linux_amd64` excludes local programs too.

    Raises:
        DockerImageUnreachable: it cannot be run here.
    """
    from coworld.engines.choice import choose_engine
    from coworld.engines.local_images import LocalImages

    try:
        if require_linux_amd64 and not is_unresolved_image_id(image):
            choose_engine(_container_engine(), LocalImages()).resolve(image)
        else:
            choose_engine("auto", LocalImages()).resolve(image)
    except EngineError as error:
        raise DockerImageUnreachable(image, f"{label}: {error}") from None


def assert_episode_images_reachable(job: CoworldEpisodeJobSpec, *, require_linux_amd64: bool = False) -> None:
    """Raise unless the images of a game and of all its players can be run; raises DockerImageUnreachable."""
    images = {"game": job.manifest.game.runnable.image}
    for slot, player in enumerate(job.players):
        if isinstance(player, CoworldRunnableSpec):
            images[f"player {slot}"] = player.image
    for label, image in images.items():
        assert_docker_image_reachable(image, label=label, require_linux_amd64=require_linux_amd64)


def ensure_local_docker_network() -> None:
    """Create the network `coworld-local` for scripts that start containers themselves.

    Episodes do not use it: their programs have no network, and players reach the game through a link.

    Raises:
        DockerNetworkFailed: no engine works here, or it cannot create networks.
    """
    from cogbox.container_engines import run_engine

    try:
        engine = _container_engine()
    except EngineError as error:
        raise DockerNetworkFailed(str(error), hint=error.hint) from None
    if run_engine(engine, "network", "inspect", LOCAL_DOCKER_NETWORK).returncode == 0:
        return
    created = run_engine(engine, "network", "create", LOCAL_DOCKER_NETWORK)
    # Another process may have created it in the meantime.
    if created.returncode and run_engine(engine, "network", "inspect", LOCAL_DOCKER_NETWORK).returncode:
        lines = created.stderr.strip().splitlines()
        reason = lines[-1] if lines else "no error output"
        raise DockerNetworkFailed(f"{engine} could not create the network {LOCAL_DOCKER_NETWORK}: {reason}")


def docker_env_args(env: Mapping[str, str]) -> list[str]:
    """Return the options of `docker run` for variables."""
    return [word for name, value in env.items() for word in ("-e", f"{name}={value}")]


def docker_image_command(runnable: RunnableLaunchSpec) -> list[str]:
    """Return the end of a `docker run` command: the image, and the command if it replaces the image's own."""
    if not runnable.run:
        return [runnable.image]
    entrypoint, *arguments = runnable.run
    return ["--entrypoint", entrypoint, runnable.image, *arguments]


def local_port_publish_args(ports: Sequence[ResolvedLocalPort]) -> list[str]:
    """Return the options of `docker run` that publish a game's further ports on this machine."""
    return [word for port in ports for word in ("-p", f"{port.host}:{port.host_port}:{port.container_port}")]


def _container_engine() -> str:
    """Return podman or docker; raises EngineError where neither works."""
    from cogbox.container_engines import INSTALL, first_engine

    name, reasons = first_engine()
    if name is None:
        raise EngineError(f"no container engine works here: {reasons}", hint=INSTALL)
    return name
