"""Make an engine by its name, with the settings that all commands share."""

import functools
from collections.abc import Callable
from typing import cast

from coworld.engines.base import Engine, EngineError
from coworld.engines.local_images import LocalImages

ENGINE_NAMES = ("auto", "process", "podman", "docker")


def choose_engine(
    name: str,
    images: LocalImages,
    *,
    unsafe: bool = False,
    pull: str = "missing",
    platform: str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Engine:
    """Return an engine.

    Args:
        name: one of ENGINE_NAMES; `auto` prefers local programs to containers, image by image.
        images: local programs for images.
        unsafe: run local programs without isolation where none works.
        pull: when a container engine downloads images: `never`, `missing` or `always`.
        platform: the platform of container images, `linux/amd64` by default.
        say: receives a line before a long download.

    Raises:
        EngineError: the engine does not work here.
    """
    from coworld.engines.container_images import PULL_POLICIES, ContainerImages, PullPolicy

    if name not in ENGINE_NAMES:
        raise EngineError(f"unknown engine {name!r}; allowed: {', '.join(ENGINE_NAMES)}")
    if pull not in PULL_POLICIES:
        raise EngineError(f"unknown pull policy {pull!r}; allowed: {', '.join(PULL_POLICIES)}")
    images_of = functools.cache(
        lambda engine: ContainerImages(engine, pull=cast(PullPolicy, pull), platform=platform, say=say)
    )
    if name in ("podman", "docker"):
        from coworld.engines.container import ContainerEngine

        return ContainerEngine(images_of(name), images)
    from coworld.engines.process import ProcessEngine

    local = ProcessEngine(images, unsafe=unsafe)
    if name == "process":
        return local
    from coworld.engines.auto import AutoEngine

    return AutoEngine(local, images_of)
