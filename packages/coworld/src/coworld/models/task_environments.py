"""Task environments: sandboxes that a hosted game may start while it runs. The local runner refuses them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from coworld.schema.base import BrokenRule, DocumentModel, Text

__all__ = ["CoworldTaskEnvironment", "TaskEnvironments"]

Network = Literal["no-network", "public"]


class CoworldTaskEnvironment(DocumentModel):
    """One kind of sandbox, with the resources and the maximum number of its instances."""

    model_config = ConfigDict(frozen=True)

    isolation: Literal["general", "coding"] = Field(default="general", description="`coding` never gets a network.")
    image: Text = Field(description="An image pinned by its digest, or a registered one.")
    cpu_millis: Annotated[int, Field(ge=100, le=8000)] = Field(description="Thousandths of a core per instance.")
    memory_mib: Annotated[int, Field(ge=64, le=32768)] = Field(description="Memory per instance.")
    storage_mib: Annotated[int, Field(ge=64, le=65536)] = Field(description="Disk per instance.")
    max_instances: Annotated[int, Field(ge=1, le=1024)] = Field(description="How many there may be in a whole episode.")
    max_concurrent_instances: Annotated[int, Field(ge=1, le=2)] = Field(default=2, description="How many at a time.")
    startup_timeout_seconds: Annotated[int, Field(ge=1, le=1200)] = Field(
        default=300, description="The longest one may take to be ready."
    )
    network: Network = Field(default="no-network", description="What an instance can reach at first.")
    network_transitions: Annotated[list[Network], Field(max_length=8)] = Field(
        default_factory=list, description="What the game may change that to, in this order."
    )

    @model_validator(mode="after")
    def validate_isolation(self) -> Self:
        """Check the isolation that `coding` requires."""
        if self.isolation == "coding":
            if "public" in (self.network, *self.network_transitions):
                raise BrokenRule("a `coding` environment has no network", "remove `public`, or use isolation `general`")
            if self.memory_mib < 1024:
                raise BrokenRule("a `coding` environment needs 1024 MiB or more", "raise it to 1024", "memory_mib")
        return self


TaskEnvironments = Annotated[
    dict[Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")], CoworldTaskEnvironment],
    Field(max_length=2),
]
