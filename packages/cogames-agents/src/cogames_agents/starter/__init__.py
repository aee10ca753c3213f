"""`starter` and the four roles of cogames over thousands of worlds in one call, in C++.

The readable form, to copy and change, is `cogames.policy.starter_agent`. `BatchedStarter` takes the same actions, and
`mettagrid.policy.batched.batched_form` finds it for exactly these policies.
"""

from cogames_agents.starter.batched import BatchedStarter

__all__ = ["BatchedStarter"]
