"""What is started for a game or a player, without where: the words scripts use to look at an episode before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

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


@dataclass(frozen=True)
class PlayerLaunchSpec(RunnableLaunchSpec):
    """The same for a player, with variables that are never shown."""

    secret_env: Mapping[str, str] = field(default_factory=dict, repr=False)
