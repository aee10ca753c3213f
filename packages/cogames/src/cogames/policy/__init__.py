"""Built-in policies for Cogs vs Clips, and the library they are made from.

- `cells`, `sight`, `memory`: sets of cells, what a cog sees, what it remembers; use them in your own policies
- `starter_agent`: a team of miners and aligners, the example to start from; `role_policies`: all cogs in one role
- `cognitive_substrate_diagnostics`: one policy for each kind of diagnostic mission
"""

from mettagrid.policy.policy import MultiAgentPolicy

__all__ = ["MultiAgentPolicy"]
