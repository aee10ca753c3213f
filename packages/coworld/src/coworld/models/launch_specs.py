"""Launch specs of games and players, for scripts that inspect an episode before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from coworld.models.quantities import container_resources
from coworld.models.runnables import CoworldPlayerStartup, CoworldRunnableResources, CoworldRunnableSpec

__all__ = ["PlayerLaunchSpec", "RunnableLaunchSpec"]


@dataclass(frozen=True)
class RunnableLaunchSpec:
    """An image, its command and its public variables."""

    image: str
    run: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    resources: CoworldRunnableResources | None = None
    startup: CoworldPlayerStartup | None = None

    @classmethod
    def from_model(cls, runnable: CoworldRunnableSpec) -> Self:
        return cls(runnable.image, tuple(runnable.run), dict(runnable.env), runnable.resources, runnable.startup)

    def docker_resource_args(self) -> list[str]:
        """Return the options of `docker run` that limit cores and memory; raises ValueError for a bad quantity."""
        cpus, memory_bytes = container_resources(self.resources)
        options = ["--cpus", str(cpus), "--memory", str(memory_bytes), "--memory-swap", str(memory_bytes)]
        gpu = self.resources.requests.gpu if self.resources else None
        return options + (["--gpus", str(gpu)] if gpu else [])


@dataclass(frozen=True)
class PlayerLaunchSpec(RunnableLaunchSpec):
    """The launch spec of a player, with secret variables."""

    secret_env: Mapping[str, str] = field(default_factory=dict, repr=False)
