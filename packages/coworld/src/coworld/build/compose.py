"""Read the services of a compose file.

Only keys that decide which images exist are used: `image`, `build` and `platform` of each service. `docker compose`
reads the file if it is installed, with everything that the format allows. Otherwise this module reads it and refuses
keys that would change an image and that it does not know.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.build.errors import ComposeError
from coworld.build.interpolation import interpolate, variables_beside

if TYPE_CHECKING:
    import yaml

__all__ = ["DEFAULT_PLATFORM", "BuildSpec", "Service", "read_compose", "services_of"]

DEFAULT_PLATFORM = "linux/amd64"
"""the platform of hosted runs"""

_USED = {"context", "dockerfile", "args", "target", "labels", "network", "platforms"}
_IGNORED = {"cache_from", "cache_to", "tags", "pull", "no_cache", "provenance", "sbom"}
"""keys of `build` that do not change the contents of the image"""


@dataclass(frozen=True)
class BuildSpec:
    """How to build the image of one service."""

    context: Path
    dockerfile: Path
    args: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    network: str | None = None


@dataclass(frozen=True)
class Service:
    """One service: an image that is built here, or that a registry has."""

    name: str
    image: str
    platform: str = DEFAULT_PLATFORM
    build: BuildSpec | None = None

    @property
    def placeholder(self) -> str:
        """Return the word that stands for the image in a manifest template."""
        return "{{" + self.name.upper().replace("-", "_") + "_IMAGE}}"


def read_compose(path: Path) -> list[Service]:
    """Read a compose file without other programs.

    Raises:
        ComposeError: it cannot be read, is not valid, or uses a key that needs `docker compose`.
    """
    import yaml

    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_text_loader())
    except FileNotFoundError:
        raise ComposeError(f"{path} does not exist", hint="name the compose file: --compose FILE") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ComposeError(f"{path} could not be read: {reason}", hint="correct the compose file") from None
    if isinstance(document, dict) and "include" in document:
        raise ComposeError(f"{path} uses `include`", hint="install docker compose, which reads such files")
    return services_of(interpolate(document, variables_beside(path)), path)


def _text_loader() -> type[yaml.SafeLoader]:
    """Return a loader that leaves `yes`, `1.10` and `true` as the author wrote them: images have text only."""
    import yaml

    class TextLoader(yaml.SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in ("null", "merge")]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return TextLoader


def services_of(document: Any, path: Path) -> list[Service]:
    """Return the services of a parsed compose file, in its order; raises ComposeError."""
    entries = document.get("services") if isinstance(document, dict) else None
    if not isinstance(entries, dict) or not entries:
        raise ComposeError(f"{path} has no services", hint="add `services:` with one service per image")
    folder = path.absolute().parent
    project = str(document.get("name") or folder.name)
    project = re.sub(r"[^a-z0-9_-]", "", project.lower()).lstrip("_-") or "coworld"
    return [
        _service(str(name), entry, folder, project)
        for name, entry in entries.items()
        if not (isinstance(entry, dict) and entry.get("profiles"))
    ]


def _service(name: str, entry: Any, folder: Path, project: str) -> Service:
    if not isinstance(entry, dict):
        raise ComposeError(f"service {name!r} is not a mapping", hint="give it `image` or `build`")
    if "extends" in entry:
        raise ComposeError(f"service {name!r} uses `extends`", hint="install docker compose, which reads such files")
    build = None if entry.get("build") is None else _build(name, entry["build"], folder)
    image = entry.get("image") or (f"{project}-{name}:latest" if build else None)
    if not isinstance(image, str):
        raise ComposeError(f"service {name!r} has neither `image` nor `build`", hint="add one of them")
    platforms = entry["build"].get("platforms") if isinstance(entry.get("build"), dict) else None
    if platforms and len(platforms) > 1:
        raise ComposeError(
            f"service {name!r} is built for {len(platforms)} platforms, and a manifest names one image",
            hint=f"keep one platform, for example {DEFAULT_PLATFORM}",
        )
    platform = entry.get("platform") or (platforms or [None])[0] or os.environ.get("DOCKER_DEFAULT_PLATFORM")
    return Service(name, image, str(platform or DEFAULT_PLATFORM), build)


def _build(name: str, build: Any, folder: Path) -> BuildSpec:
    if isinstance(build, str):
        build = {"context": build}
    if not isinstance(build, dict):
        raise ComposeError(f"`build` of service {name!r} is not a mapping", hint="write `build: .`")
    if unknown := sorted(set(build) - _USED - _IGNORED):
        raise ComposeError(
            f"`build` of service {name!r} uses {', '.join(unknown)}, which `coworld build` does not support",
            hint=f"use only {', '.join(sorted(_USED))}",
        )
    context = (folder / str(build.get("context") or ".")).resolve()
    if not context.is_dir():
        raise ComposeError(f"the build context of service {name!r} is not a folder: {context}", hint="correct the path")
    dockerfile = context / str(build.get("dockerfile") or _default_dockerfile(context))
    if not dockerfile.is_file():
        raise ComposeError(f"the Dockerfile of service {name!r} does not exist: {dockerfile}", hint="correct the path")
    target, network = build.get("target"), build.get("network")
    return BuildSpec(
        context,
        dockerfile,
        _pairs(name, "args", build.get("args"), from_process=True),
        str(target) if target else None,
        _pairs(name, "labels", build.get("labels")),
        str(network) if network else None,
    )


def _default_dockerfile(context: Path) -> str:
    return "Containerfile" if not (context / "Dockerfile").exists() else "Dockerfile"


def _pairs(name: str, key: str, value: Any, *, from_process: bool = False) -> dict[str, str]:
    """Return a mapping that may be written as a list of NAME=VALUE. An argument without a value is this process's."""
    if value is None:
        return {}
    if isinstance(value, list):
        value = {part: given if equals else None for part, equals, given in (str(x).partition("=") for x in value)}
    if not isinstance(value, dict):
        raise ComposeError(f"`{key}` of service {name!r} is not a mapping", hint="write NAME: value")
    pairs = {}
    for part, given in value.items():
        if given is None and from_process:
            given = os.environ.get(str(part))
            if given is None:
                continue
        pairs[str(part)] = _scalar(given)
    return pairs


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
