"""Faults of the published engine that a game may opt out of: `compile(config, corrections={"last_reward"})`.

By default everything that a policy could notice stays as published, including faults;
`docs/decisions/0003-published-quirks.md` lists them all.
"""

from collections.abc import Collection

from mettagrid.compiler.errors import CompileError, close_names

CORRECTIONS = {
    "composite_filters": "filters given as plain data inside sums, ratios, maxima and minima work",
    "default_limits": "each agent has its own default_limit, not that of the first agent",
    "game_tick": "the game's on_tick starts without a target in every step",
    "invalid_actions": "an action id outside the list is counted once per step, not twice",
    "last_reward": "the last_reward token shows the reward of the previous step in hundredths, not 0",
    "removed_territory": "an object removed from the grid gives up its territory",
    "sight": "line of sight under a smaller observation radius is that of the cell itself",
    "spawned_objects": "objects spawned in play show their inventory and claim territory",
}


def checked_corrections(names: Collection[str]) -> frozenset[str]:
    """Return the names as a set; raise `CompileError` for an unknown one."""
    for name in names:
        if name not in CORRECTIONS:
            raise CompileError("corrections", f"there is no correction {name!r}. {close_names(name, CORRECTIONS)}")
    return frozenset(names)
