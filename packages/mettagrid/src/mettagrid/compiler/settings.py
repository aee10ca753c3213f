"""Compile the settings row: sizes, switches, feature ids and the ids of built-in stats."""

from collections import Counter

from mettagrid.compiler.context import Context
from mettagrid.compiler.objects import MAX_AMOUNT
from mettagrid.compiler.stats import stat_fields
from mettagrid.compiler.values import place_value
from mettagrid.compiler.window import MAX_SIDE
from mettagrid.config.id_map import num_inventory_tokens_needed

MAX_FEATURE = 254  # 255 marks an unused token
MAX_TOKENS = 1 << 24

_FEATURES = {
    "feature_group": "agent:group",
    "feature_completion": "episode_completion_pct",
    "feature_last_action": "last_action",
    "feature_last_reward": "last_reward",
    "feature_vibe": "vibe",
    "feature_tag": "tag",
    "feature_east": "lp:east",
    "feature_west": "lp:west",
    "feature_north": "lp:north",
    "feature_south": "lp:south",
    "feature_agent_id": "agent_id",
}

DEATH_RESOURCE = "hp"


def settings_row(
    c: Context, *, proxy_template: int, game_tick: int, max_rewards: int, global_tags: set[int] | None
) -> None:
    """Add the settings row. Called last, when all names are known.

    `global_tags`: the tags of an agent that decide all its global values; None if they depend on more.
    """
    game, obs = c.game, c.game.obs
    with c.at("game", "obs", "observation_radius_value"):
        value = obs.observation_radius_value
        radius = 0 if value is None else place_value(c, value)
    death = c.resources.get(DEATH_RESOURCE)
    fields = {
        "resource_count": len(c.resources),
        "tag_count": len(c.tags),
        "tag_words": (len(c.tags) + 31) // 32,
        "action_count": c.tables.count("actions"),
        "max_steps": c.number(game.max_steps, "game", "max_steps", low=0),
        "truncates": game.episode_truncates,
        "any_spawn": bool(c.spawned),
        "proxy_template": proxy_template,
        "game_tick_entry": game_tick,
        "reward_count": max_rewards,
        "death_resource": -1 if death is None else death,
        "obs_radius_entry": radius,
        "globals_shared": global_tags is not None,
        "globals_mask": c.tables.add_mask(global_tags) if global_tags else -1,
        "correct_spawned": "spawned_objects" in c.corrections,
        "correct_invalid": "invalid_actions" in c.corrections,
        "correct_last_reward": "last_reward" in c.corrections,
        "correct_removed_territory": "removed_territory" in c.corrections,
        "correct_tick": "game_tick" in c.corrections,
    }
    fields |= _observation_fields(c)
    fields |= stat_fields()
    fields |= {"game_stat_count": len(c.game_stats), "agent_stat_count": len(c.agent_stats)}
    c.tables.add("settings", **fields)


def check_observation(c: Context) -> None:
    """Raise an error for windows and tokens that do not fit. Called first: large windows take long to compile."""
    obs = c.game.obs
    with c.at("game", "obs"):
        if not (1 <= obs.height <= MAX_SIDE and 1 <= obs.width <= MAX_SIDE):
            c.error(
                f"Observation window size ({obs.width}x{obs.height}) exceeds maximum packable size "
                f"({MAX_SIDE}x{MAX_SIDE})"
            )
        if obs.token_dim != 3:
            c.error(f"token_dim is {obs.token_dim}; tokens always have 3 bytes")
        c.number(obs.num_tokens, "num_tokens", low=1, high=MAX_TOKENS)
        c.number(obs.token_value_base, "token_value_base", low=2)
        if obs.token_value_base > 256:
            c.warn(
                f"token_value_base is {obs.token_value_base}; digits above 255 do not fit in a token and wrap around"
            )
        count = len(c.features.features())
        if count > MAX_FEATURE + 1:
            c.error(
                f"the game needs {count} observation features; at most {MAX_FEATURE + 1} fit in a byte. "
                "Use fewer resources, a larger token_value_base, or protocol_details_obs=False"
            )
        names = Counter(feature.name for feature in c.features.features())
        for name, times in names.items():
            if times > 1 and name.startswith("inv:"):
                c.error(f"{times} features are called {name!r}; rename the resource or the key of global_obs.obs")
        if obs.aoe_mask:
            c.warn("aoe_mask reserves a feature and shows nothing; use territory")
        if obs.global_obs.goal_obs:
            c.warn("goal_obs has no effect")


def _observation_fields(c: Context) -> dict[str, int]:
    obs = c.game.obs
    number = {feature.name: feature.id for feature in c.features.features()}
    first = c.resources.names[0] if len(c.resources) else ""
    globals_ = obs.global_obs
    return {
        **{field: number[name] for field, name in _FEATURES.items()},
        "feature_inventory": number.get(f"inv:{first}", 0),
        "inventory_digits": num_inventory_tokens_needed(MAX_AMOUNT, obs.token_value_base),
        "feature_last_move": number.get("last_action_move", 0),
        "feature_territory_here": number.get("territory:here", 0),
        "feature_territory_edge": number.get("territory:north", 0),
        "obs_base": obs.token_value_base,
        "obs_completion": int(globals_.episode_completion_pct),
        "obs_last_action": int(globals_.last_action),
        "obs_last_move": int(globals_.last_action_move),
        "obs_last_reward": int(globals_.last_reward),
        "obs_position": int(globals_.local_position),
        "obs_territory": int(obs.territory),
    }
