"""Images of podman and docker: find or pull them, check their platform and digest, read their configuration."""

import functools
import json
import platform
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from cogbox.container_engines import run_engine
from cogbox.image_files import read_image_file
from coworld.engines.base import EngineError, ImageUnreachable
from coworld.engines.image_refs import is_unresolved_image_id

PullPolicy = Literal["never", "missing", "always"]
PULL_POLICIES: tuple[str, ...] = get_args(PullPolicy)

DEFAULT_PLATFORM = "linux/amd64"
INSPECT_SECONDS, PULL_SECONDS = 30.0, 900.0

MACHINES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "i686": "386"}
"""architectures of images by their names in the kernel"""
EMULATORS = {"amd64": "qemu-x86_64", "arm64": "qemu-aarch64", "arm": "qemu-arm", "386": "qemu-i386"}


@dataclass(frozen=True, kw_only=True)
class ImageConfig:
    """The program of an image: its command, variables, user and platform."""

    image: str
    """the reference"""
    id: str
    """identifies the contents"""
    digest: str | None
    platform: str
    argv: tuple[str, ...]
    """entrypoint and command"""
    env: tuple[tuple[str, str], ...]
    workdir: str
    uid: int
    gid: int
    home: str

    @property
    def user(self) -> str:
        return f"{self.uid}:{self.gid}"


class ContainerImages:
    """The images of one engine. Each one is looked up once."""

    def __init__(
        self,
        engine: str,
        *,
        pull: PullPolicy = "missing",
        platform: str | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`platform` is the one that images must have; `say` receives a line before a long download."""
        self.engine, self.pull, self.platform, self._say = engine, pull, platform or DEFAULT_PLATFORM, say
        self._configs: dict[str, ImageConfig | ImageUnreachable] = {}

    def has(self, image: str) -> bool:
        """Return whether the engine has the image, of any platform."""
        return self._inspect(image) is not None

    def find(self, image: str) -> ImageConfig:
        """Return the configuration of an image, after a download where the policy says so; raises ImageUnreachable."""
        if image not in self._configs:
            try:
                self._configs[image] = self._find(image)
            except ImageUnreachable as error:
                self._configs[image] = error
        found = self._configs[image]
        if isinstance(found, ImageUnreachable):
            raise ImageUnreachable(image, found.reason)
        return found

    def _find(self, image: str) -> ImageConfig:
        if is_unresolved_image_id(image):
            raise ImageUnreachable(image, "it is the id of a hosted image that was never resolved to a reference")
        if not image or image.startswith("-"):
            raise ImageUnreachable(image, "it is not an image reference")
        document = None if self.pull == "always" else self._inspect(image)
        if document is None:
            self._download(image)
            document = self._inspect(image)
        if document is None:
            raise ImageUnreachable(image, f"{self.engine} does not have it")
        self._check_digest(image, document)
        self._check_platform(image, document)
        return self._config(image, document)

    def _inspect(self, image: str) -> dict[str, Any] | None:
        try:
            result = run_engine(self.engine, "image", "inspect", image, timeout=INSPECT_SECONDS)
        except subprocess.TimeoutExpired:
            raise EngineError(f"`{self.engine} image inspect` did not respond within {INSPECT_SECONDS:g} s") from None
        documents = json.loads(result.stdout) if result.returncode == 0 else []
        return documents[0] if documents else None

    def _download(self, image: str) -> None:
        if self.pull == "never":
            raise ImageUnreachable(
                image, f"{self.engine} does not have it and `--pull never` forbids a download. {self._remedy(image)}"
            )
        self._say(f"Pulling {image} ({self.platform}) with {self.engine}")
        words = ["pull", "--quiet", "--platform", self.platform, image]
        try:
            result = run_engine(self.engine, *words, timeout=PULL_SECONDS)
        except subprocess.TimeoutExpired:
            raise ImageUnreachable(
                image, f"`{self.engine} pull` did not end within {PULL_SECONDS:g} s. {self._remedy(image)}"
            ) from None
        if result.returncode:
            lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
            reason = lines[-1].removeprefix("Error: ")[:300] if lines else "no error output"
            raise ImageUnreachable(
                image,
                f"{self.engine} does not have it and could not pull it ({reason}). {self._remedy(image)}",
            )

    def _remedy(self, image: str) -> str:
        return f"Build it with `{self.engine} build --tag {shlex.quote(image)} DIR`"

    def _check_digest(self, image: str, document: dict[str, Any]) -> None:
        _, pinned, digest = image.partition("@sha256:")
        known = {text.rpartition("@")[2] for text in document.get("RepoDigests") or []}
        known |= {str(document[key]) for key in ("Digest", "Id") if document.get(key)}
        if pinned and f"sha256:{digest}" not in {text if ":" in text else f"sha256:{text}" for text in known}:
            raise ImageUnreachable(image, f"{self.engine} has another digest for it: {', '.join(sorted(known))}")

    def _check_platform(self, image: str, document: dict[str, Any]) -> None:
        built = _platform_of(document)
        if built.split("/")[:2] != self.platform.split("/")[:2]:
            raise ImageUnreachable(
                image,
                f"it is built for {built}, and {self.platform} is required. Build it for that platform, as "
                f"`{self.engine} build --platform {self.platform}`, or allow this one with `--platform {built}`",
            )
        problem = emulation_problem(built)
        if problem:
            raise ImageUnreachable(image, problem)

    def _config(self, image: str, document: dict[str, Any]) -> ImageConfig:
        config: dict[str, Any] = document.get("Config") or {}
        env = [text.partition("=") for text in config.get("Env") or []]
        identity = "sha256:" + str(document["Id"]).removeprefix("sha256:")
        uid, gid, home = self._user(image, identity, str(config.get("User") or ""))
        digest = document.get("Digest") or next(
            (text.rpartition("@")[2] for text in document.get("RepoDigests") or []), None
        )
        return ImageConfig(
            image=image,
            id=identity,
            digest=digest,
            platform=_platform_of(document),
            argv=(*_words(config.get("Entrypoint")), *_words(config.get("Cmd"))),
            env=tuple((name, value) for name, _, value in env),
            workdir=str(config.get("WorkingDir") or "/"),
            uid=uid,
            gid=gid,
            home=home,
        )

    def _user(self, image: str, identity: str, user: str) -> tuple[int, int, str]:
        """Resolve the image's user as an engine does: by number, or by name in the image's own files."""
        if user in ("", "0", "root", "0:0", "root:root"):
            return 0, 0, "/root"
        name, _, group = user.partition(":")
        try:
            users = read_image_file(self.engine, identity, "/etc/passwd") or b""
            groups = (read_image_file(self.engine, identity, "/etc/group") or b"") if group else b""
        except OSError as error:
            raise EngineError(str(error)) from None
        entry = next((words for words in _table(users) if name in (words[0], words[2])), None)
        if entry is None and not name.isdigit():
            raise ImageUnreachable(image, f"its user {name!r} is not in its /etc/passwd")
        uid = int(entry[2]) if entry else int(name)
        gid = int(entry[3]) if entry else 0
        if group:
            found = next((words for words in _table(groups) if group in (words[0], words[2])), None)
            if found is None and not group.isdigit():
                raise ImageUnreachable(image, f"its group {group!r} is not in its /etc/group")
            gid = int(found[2]) if found else int(group)
        return uid, gid, entry[5] if entry and len(entry) > 5 and entry[5] else "/"


def _platform_of(document: dict[str, Any]) -> str:
    parts = [document.get("Os") or "linux", document.get("Architecture") or "amd64", document.get("Variant") or ""]
    return "/".join(part for part in parts if part)


def _table(data: bytes) -> list[list[str]]:
    rows = [line.split(":") for line in data.decode(errors="replace").splitlines()]
    return [row for row in rows if (len(row) >= 4 and row[2].isdigit() and row[3].isdigit()) or len(row) == 4]


def _words(value: Sequence[str] | str | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


@functools.cache
def emulation_problem(wanted: str) -> str | None:
    """Return why this machine cannot run programs of a platform; None if it can."""
    machine = MACHINES.get(platform.machine(), platform.machine())
    system, _, rest = wanted.partition("/")
    architecture = rest.partition("/")[0]
    if system != "linux":
        return f"it is built for {wanted}, and only Linux programs run here"
    if architecture == machine or (machine, architecture) == ("amd64", "386"):
        return None
    if Path("/proc/sys/fs/binfmt_misc", EMULATORS.get(architecture, architecture)).exists():
        return None
    return (
        f"it is built for {wanted}, and this machine is linux/{machine} without an emulator. Install one with "
        f"`sudo apt install qemu-user-static`, or build the image for this machine and pass "
        f"`--platform linux/{machine}`"
    )
