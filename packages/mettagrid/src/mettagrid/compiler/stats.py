"""Names of the engine's built-in stats. They come first, so that the core finds them by position."""

from collections.abc import Sequence

GAME_STATS = {
    "stat_tokens_written": "tokens_written",
    "stat_tokens_dropped": "tokens_dropped",
    "stat_tokens_free": "tokens_free_space",
}

AGENT_STATS = {
    "stat_visited": "cell.visited",
    "stat_unique": "cell.unique_visited",
    "stat_distance": "cell.max_distance_from_spawn",
    "stat_still": "status.max_steps_without_motion",
    "stat_invalid": "action.invalid_index",
    "stat_swap": "actions.swap",
    "stat_death": "death",
    "stat_failed": "action.failed",
}

# Success and failed are adjacent: the core adds 1 for the second.
ACTION_STATS = {
    "stat_noop": "action.noop",
    "stat_move": "action.move",
    "stat_vibe": "action.change_vibe",
}

RESOURCE_STATS = ("gained", "lost", "amount", "deposited")


def agent_stat_names(resources: Sequence[str]) -> list[str]:
    """Return all built-in agent stats in order: single ones, actions, then four per resource."""
    names = list(AGENT_STATS.values())
    names += [f"{action}.{end}" for action in ACTION_STATS.values() for end in ("success", "failed")]
    return names + [f"{resource}.{stat}" for resource in resources for stat in RESOURCE_STATS]


def stat_fields() -> dict[str, int]:
    """Return {settings field: id of the stat}."""
    first_action = len(AGENT_STATS)
    fields = {field: i for i, field in enumerate(GAME_STATS)}
    fields |= {field: i for i, field in enumerate(AGENT_STATS)}
    fields |= {field: first_action + 2 * i for i, field in enumerate(ACTION_STATS)}
    return fields | {"stat_resources": first_action + 2 * len(ACTION_STATS)}
