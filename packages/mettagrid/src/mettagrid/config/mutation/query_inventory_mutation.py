"""Mutation of the inventories of queried objects."""

from typing import Literal

from pydantic import Field

from mettagrid.config._rules import AnyQuery
from mettagrid.config.mutation.mutation import EntityTarget, Mutation


class QueryInventoryMutation(Mutation):
    """Changes the inventory of each queried object; with `source`, by a transfer from or to that entity.

    `transfer_stats` names, per resource, a game stat that counts the transferred amount.
    """

    mutation_type: Literal["query_inventory"] = "query_inventory"
    query: AnyQuery
    deltas: dict[str, int] = Field(default_factory=dict)
    source: EntityTarget | None = None
    transfer_stats: dict[str, str] = Field(default_factory=dict)


def queryDelta(query: AnyQuery, deltas: dict[str, int]) -> QueryInventoryMutation:
    """Change the inventories of the queried objects."""
    return QueryInventoryMutation(query=query, deltas=deltas)


def queryDeposit(query: AnyQuery, resources: dict[str, int], stat_prefix: str = "") -> QueryInventoryMutation:
    """Move resources from the actor to the queried objects; with a prefix, count `<prefix><resource>.deposited`."""
    return QueryInventoryMutation(
        query=query,
        deltas=dict(resources),
        source=EntityTarget.ACTOR,
        transfer_stats=_stats(resources, stat_prefix, "deposited"),
    )


def queryWithdraw(query: AnyQuery, resources: dict[str, int], stat_prefix: str = "") -> QueryInventoryMutation:
    """Move resources from the queried objects to the actor; with a prefix, count `<prefix><resource>.withdrawn`."""
    return QueryInventoryMutation(
        query=query,
        deltas={name: -amount for name, amount in resources.items()},
        source=EntityTarget.ACTOR,
        transfer_stats=_stats(resources, stat_prefix, "withdrawn"),
    )


def _stats(resources: dict[str, int], prefix: str, verb: str) -> dict[str, str]:
    return {name: f"{prefix}{name}.{verb}" for name in resources} if prefix else {}
