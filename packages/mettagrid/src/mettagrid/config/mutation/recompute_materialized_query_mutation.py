"""Mutation that computes materialized queries again."""

from typing import Literal

from mettagrid.config.mutation.mutation import Mutation


class RecomputeMaterializedQueryMutation(Mutation):
    """Computes every materialized query whose tag begins with the prefix."""

    mutation_type: Literal["recompute_materialized_query"] = "recompute_materialized_query"
    tag_prefix: str


def recomputeMaterializedQuery(tag_prefix: str) -> RecomputeMaterializedQueryMutation:
    """Compute the materialized queries of that prefix again."""
    return RecomputeMaterializedQueryMutation(tag_prefix=tag_prefix)
