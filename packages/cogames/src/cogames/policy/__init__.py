"""Built-in policies for Cogs vs Clips, and the library they are built on.

- `cells`, `sight`, `memory`: sets of cells, the observation, the map a cog builds; use them in your own policies
- `starter_agent`: a team of miners and aligners, the example to start from; `role_policies`: all cogs in one role
- `cognitive_substrate_diagnostics`: one policy for each kind of diagnostic mission
"""

from mettagrid.policy.policy import MultiAgentPolicy

__all__ = ["MultiAgentPolicy"]
