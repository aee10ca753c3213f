"""The engine without containers: every runnable is a local program in its own sandbox (`coworld.engines.boxes`).

The program sees the same folder and address as it would in a container. No sandbox sees the workspace.

Without walls (`unsafe=True`, where no isolation works) programs run with limits only and with real paths and ports.
"""

import hashlib
import importlib.util
import shutil
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cogbox
from cogbox import Box, Door, Level, Link, Mount
from coworld.engines.base import GAME_PORT, IsolationMissing, Place, Resolved, RunnableSpec, StartFailed
from coworld.engines.boxes import (
    FOLDER,
    LOOPBACK,
    BoxRunning,
    ReservedPort,
    box_network,
    environment,
    file_contents,
    open_listener,
    requested_ports,
    start_box,
)
from coworld.engines.interpreters import Interpreter
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.programs import Program, program_of


class ProcessEngine:
    """Run images that have a local command (`coworld.engines.local_images`)."""

    name = "process"

    def __init__(self, images: LocalImages | None = None, *, unsafe: bool = False, level: str | None = None) -> None:
        """Allow running without isolation where none works with `unsafe`; `level` selects an isolation by name."""
        self.images = images or LocalImages()
        self._sandbox = self._choose(unsafe, level)

    @staticmethod
    def _choose(unsafe: bool, level: str | None) -> cogbox.Sandbox:
        # Isolation that starts in milliseconds comes first; a container engine is tried only where it does not work.
        wishes = [level] if level else ["namespaces", "bubblewrap", "container"]
        reasons: list[str] = []
        for name in wishes:
            try:
                return cogbox.sandbox(minimum=name, at_most=name)
            except cogbox.LevelMissing as error:
                reasons.append(f"{name}: {error.reasons.get(Level.named(name), error)}")
        if unsafe:
            return cogbox.Sandbox(Level.NONE)
        raise IsolationMissing(
            f"no isolation works here ({'; '.join(reasons)}), and without it a player could read every token. Run "
            "`python -m cogbox doctor` for what would help, or allow it with `--unsafe-local` for programs you trust"
        )

    @property
    def level(self) -> str:
        """Return the isolation of every runnable, as verified by the self-test."""
        return self._sandbox.level.value

    def resolve(self, image: str) -> Resolved:
        local = self.images.find(image)
        python = program_of(local, local.argv).interpreter.how
        how = local.how if python == "coworld's own" else f"{local.how}, Python: {python}"
        return Resolved(image, how, has_command=bool(local.argv))

    def fingerprint(self, image: str) -> str:
        local = self.images.find(image)
        interpreter = program_of(local, local.argv).interpreter
        digest = hashlib.sha256(repr((local, self.level, sys.version, interpreter)).encode())
        for folder in [*([local.root] if local.root else []), *_package_folders(local.packages)]:
            digest.update(_folder_state(folder))
        return digest.hexdigest()

    def start(self, spec: RunnableSpec) -> BoxRunning:
        local = self.images.find(spec.image)
        argv = [*(spec.run or local.argv)]
        if not argv:
            raise StartFailed(
                f"{spec.image} is {local.how}, which names no command: give it `argv`, or `run` in the manifest"
            )
        program = program_of(local, argv, spec.env)
        if self._sandbox.level is Level.NONE:
            return self._start_bare(spec, local, program)
        with box_network(spec) as network:
            box = self._box(spec, local, program, network.place, links=network.links, doors=network.doors)
        return BoxRunning(spec, network.place, box, network.ports, box.work, program.record(local))

    def reserve(self) -> ReservedPort:
        return ReservedPort(open_listener(0))

    def _start_bare(self, spec: RunnableSpec, local: LocalImage, program: Program) -> BoxRunning:
        """Start a program without isolation: in a temporary folder, with ports of this machine."""
        folder = Path(tempfile.mkdtemp(prefix="coworld-"))
        try:
            ports = {inside: outside or inside for inside, outside in requested_ports(spec).items()}
            if spec.listens:
                ports[GAME_PORT] = spec.at.address[1] if spec.at else _free_port()
                if isinstance(spec.at, ReservedPort):
                    spec.at.close()
            place = Place(
                folder=str(folder),
                host=LOOPBACK if spec.listens else "",
                port=ports.get(GAME_PORT, 0) if spec.listens else 0,
                game=spec.reach or ("", 0),
                ports={inside: inside for inside in spec.extra_ports},
            )
            for name, content in file_contents(spec, place).items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            box = self._box(spec, local, program, place)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return BoxRunning(spec, place, box, ports, folder, program.record(local), temporary=folder)

    def _box(
        self,
        spec: RunnableSpec,
        local: LocalImage,
        program: Program,
        place: Place,
        *,
        links: Sequence[Link] = (),
        doors: Sequence[Door] = (),
    ) -> Box:
        walls = self._sandbox.level is not Level.NONE
        own = {
            "PATH": f"{program.interpreter.path.parent}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **local.env,
        }
        mounts: list[Mount] = []
        if walls:
            mounts = [Mount(local.root, local.at)] if local.root is not None else []
            mounts = _with_interpreter([*mounts, *(Mount(path) for path in local.mounts)], program.interpreter)
        return start_box(
            self._sandbox,
            spec,
            program.argv,
            environment(spec, place, own),
            mounts=mounts,
            files=file_contents(spec, place) if walls else None,
            cwd=local.workdir or local.at or local.root or Path(place.folder),
            links=links,
            doors=doors,
            work_at=Path(FOLDER) if walls else None,
            egress=cogbox.Egress(spec.egress) if spec.egress and walls else None,
        )


def _package_folders(names: Sequence[str]) -> list[Path]:
    specs = [importlib.util.find_spec(name) for name in names]
    return [Path(place) for spec in specs if spec for place in spec.submodule_search_locations or ()]


def _folder_state(folder: Path) -> bytes:
    """Return a digest of the names, sizes and times of the files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            info = path.stat()
            digest.update(f"{path}\0{info.st_size}\0{info.st_mtime_ns}\n".encode())
    return digest.digest()


def _with_interpreter(mounts: list[Mount], interpreter: Interpreter) -> list[Mount]:
    """Add the folders of an interpreter that are not inside a mount at its own path already."""
    seen = [mount.source for mount in mounts if mount.target is None or mount.target == mount.source]
    added: list[Mount] = []
    for path in interpreter.mounts:
        if path.exists() and not any(path.is_relative_to(other) for other in seen):
            added.append(Mount(path))
            seen.append(path)
    return [*mounts, *added]


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as probe:
        return int(probe.getsockname()[1])
