"""Mutations of inventories."""

from typing import Literal

from pydantic import Field

from mettagrid.config.mutation.mutation import EntityTarget, Mutation


class ResourceDeltaMutation(Mutation):
    """Adds the deltas to the entity's inventory, within its limits."""

    mutation_type: Literal["resource_delta"] = "resource_delta"
    target: EntityTarget
    deltas: dict[str, int] = Field(default_factory=dict)


class ResourceTransferMutation(Mutation):
    """Moves resources between actor and target; an amount of -1 means everything."""

    mutation_type: Literal["resource_transfer"] = "resource_transfer"
    from_target: EntityTarget
    to_target: EntityTarget
    resources: dict[str, int] = Field(default_factory=dict)
    remove_source_when_empty: bool = False


def updateActor(deltas: dict[str, int]) -> ResourceDeltaMutation:
    """Change the actor's inventory."""
    return ResourceDeltaMutation(target=EntityTarget.ACTOR, deltas=deltas)


def updateTarget(deltas: dict[str, int]) -> ResourceDeltaMutation:
    """Change the target's inventory."""
    return ResourceDeltaMutation(target=EntityTarget.TARGET, deltas=deltas)


def withdraw(resources: dict[str, int], *, remove_when_empty: bool = False) -> ResourceTransferMutation:
    """Move resources from the target to the actor, and remove the target from the map if that empties it."""
    return ResourceTransferMutation(
        from_target=EntityTarget.TARGET,
        to_target=EntityTarget.ACTOR,
        resources=resources,
        remove_source_when_empty=remove_when_empty,
    )


def deposit(resources: dict[str, int]) -> ResourceTransferMutation:
    """Move resources from the actor to the target."""
    return ResourceTransferMutation(from_target=EntityTarget.ACTOR, to_target=EntityTarget.TARGET, resources=resources)
