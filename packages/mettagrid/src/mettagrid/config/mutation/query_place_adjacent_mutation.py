"""Mutation that places an entity next to a queried object."""

from typing import Literal

from mettagrid.config._rules import AnyQuery
from mettagrid.config.mutation.mutation import EntityTarget, Mutation


class QueryPlaceAdjacentMutation(Mutation):
    """Moves the entity to the first empty cell north, south, west or east of a queried object."""

    mutation_type: Literal["query_place_adjacent"] = "query_place_adjacent"
    query: AnyQuery
    target: EntityTarget = EntityTarget.ACTOR


def queryPlaceAdjacent(query: AnyQuery, *, target: EntityTarget = EntityTarget.ACTOR) -> QueryPlaceAdjacentMutation:
    """Place the actor (or the target) next to a queried object."""
    return QueryPlaceAdjacentMutation(query=query, target=target)
