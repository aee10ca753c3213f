"""Mutation that recomputes materialized queries."""

from typing import Literal

from mettagrid.config.mutation.mutation import Mutation


class RecomputeMaterializedQueryMutation(Mutation):
    """Recomputes every materialized query whose tag begins with the prefix."""

    mutation_type: Literal["recompute_materialized_query"] = "recompute_materialized_query"
    tag_prefix: str


def recomputeMaterializedQuery(tag_prefix: str) -> RecomputeMaterializedQueryMutation:
    """Recompute the materialized queries of that prefix."""
    return RecomputeMaterializedQueryMutation(tag_prefix=tag_prefix)
