"""The engine of container images: every runnable is a container of podman or docker.

The container is a box of `cogbox` whose root folder is the image, so ports, limits, logs and ends are those of
`coworld.engines.boxes`. It has no network: a player reaches the game through its link, under the published host name
`coworld-game-RUN_ID:8080`. See docs/decisions/0023-container-engines.md.
"""

from pathlib import Path

import cogbox
from cogbox import ImageRoot
from cogbox.container_engines import INSTALL, container_owner, engine_problem
from coworld.engines.base import EngineError, ImageUnreachable, IsolationMissing, Resolved, RunnableSpec, StartFailed
from coworld.engines.boxes import (
    FOLDER,
    LOOPBACK,
    BoxRunning,
    ReservedPort,
    box_network,
    environment,
    file_contents,
    open_listener,
    start_box,
)
from coworld.engines.container_images import ContainerImages, ImageConfig
from coworld.engines.local_images import LocalImages

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class EngineMissing(EngineError):
    """A container engine is not installed, or does not respond."""

    def __init__(self, name: str, problem: str) -> None:
        remedy = "Start its daemon, or install" if name == "docker" else "Install"
        super().__init__(
            f"{name} cannot be used here ({problem}). {remedy} podman with `{INSTALL}`, or use `--engine process`"
        )
        self.engine = name


class ContainerEngine:
    """Run images with podman or docker."""

    def __init__(self, images: ContainerImages, local: LocalImages | None = None) -> None:
        """Use the engine of `images`; `local` are programs that `auto` would run instead, for the hint of an error.

        Raises:
            EngineMissing: it is not installed, or does not respond.
            IsolationMissing: its containers do not isolate here.
        """
        self.images, self.name, self._local = images, images.engine, local
        if problem := engine_problem(self.name):
            raise EngineMissing(self.name, problem)
        try:
            self._sandbox = cogbox.sandbox(minimum="container", at_most="container", engine=self.name)
        except cogbox.LevelMissing as error:
            raise IsolationMissing(
                f"containers of {self.name} do not isolate here ({error.reasons.get(error.minimum, error)}): run "
                "`python -m cogbox doctor` for what would help, or use `--engine process`"
            ) from None

    @property
    def level(self) -> str:
        """Return the isolation of every runnable, as verified by the self-test."""
        return self._sandbox.level.value

    def resolve(self, image: str) -> Resolved:
        try:
            config = self.images.find(image)
        except ImageUnreachable as error:
            if self._local is None or not self._local.has(image):
                raise
            reason = f"{error.reason}, or run the local program that stands for it with `--engine auto`"
            raise ImageUnreachable(image, reason) from None
        return Resolved(image, f"image {config.id[:19]} of {self.name}", has_command=bool(config.argv))

    def fingerprint(self, image: str) -> str:
        return f"{self.name} {self.images.find(image).id}"

    def reserve(self) -> ReservedPort:
        return ReservedPort(open_listener(0))

    def start(self, spec: RunnableSpec) -> BoxRunning:
        config = self.images.find(spec.image)
        words = [*(spec.run or config.argv)]
        if not words:
            raise StartFailed(f"{spec.image} names no command: give it an ENTRYPOINT, or `run` in the manifest")
        game_host = f"coworld-game-{spec.run_id}" if spec.role == "player" and spec.run_id else LOOPBACK
        root = ImageRoot(
            image=config.id,
            uid=config.uid,
            gid=config.gid,
            name=spec.name,
            labels={
                "coworld.run": spec.run_id or spec.name,
                "coworld.role": spec.role,
                "coworld.owner": container_owner(),
            },
            hosts=[] if game_host == LOOPBACK else [game_host],
        )
        with box_network(spec, game_host) as network:
            box = start_box(
                self._sandbox,
                spec,
                words,
                environment(spec, network.place, {"PATH": DEFAULT_PATH, "HOME": config.home, **dict(config.env)}),
                image=root,
                files=file_contents(spec, network.place),
                cwd=Path(config.workdir),
                links=network.links,
                doors=network.doors,
                work_at=Path(FOLDER),
                egress=cogbox.Egress(spec.egress) if spec.egress else None,
            )
        return BoxRunning(spec, network.place, box, network.ports, box.work, _record(config), engine=self.name)


def _record(config: ImageConfig) -> dict[str, object]:
    """Return the entry for the record of an episode."""
    return {"image_id": config.id, "image_digest": config.digest, "platform": config.platform, "user": config.user}
