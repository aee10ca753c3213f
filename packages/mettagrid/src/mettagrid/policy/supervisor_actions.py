"""Labels of a supervisor policy for games with a separate vibe action."""

from mettagrid.envs._supervisor import split_supervisor_actions_inplace
from mettagrid.mettagrid_c import dtype_actions

__all__ = ["dtype_actions", "split_supervisor_actions_inplace"]
