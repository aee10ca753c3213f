"""The planner: one mind for each team, in C++, and many characters.

`PlannerPolicy` plays one episode at a time, `BatchedPlanner` thousands of worlds in one call. A character is a mapping
of traits, such as `{"opening": ["aligner", "miner"], "guards": False}`; docs/concepts/planner.md explains them.
"""

from cogames_agents.planner.batched import BatchedPlanner
from cogames_agents.planner.policy import PlannerPolicy

__all__ = ["BatchedPlanner", "PlannerPolicy"]
