"""Tokens: count the seats of a configuration and generate a token for each.

A token is the password of a seat. Authored configurations never hold any; the runner adds one per slot.
"""

from __future__ import annotations

import secrets
from typing import Any

from coworld.errors import DocumentError, Problem

__all__ = [
    "check_authored",
    "generate_tokens",
    "infer_token_count_for_game_config",
    "placeholder_tokens",
    "slot_count",
    "token_count_bounds",
    "tokens_schema_problems",
]

_SCHEMA = "game.config_schema"
_TOKENS = f"{_SCHEMA}.properties.tokens"
_TOKENS_FIX = 'write `"tokens": {"type": "array", "items": {"type": "string"}, "minItems": N, "maxItems": N}`'


def tokens_schema_problems(config_schema: dict[str, Any]) -> list[Problem]:
    """Return the first problem of a config schema's declaration of `tokens`, or none."""

    def problem(path: str, message: str, fix: str = _TOKENS_FIX) -> list[Problem]:
        return [Problem(path, message, fix)]

    required = config_schema.get("required")
    if not isinstance(required, list) or "tokens" not in required:
        return problem(f"{_SCHEMA}.required", f"{_SCHEMA} must require tokens", "add `tokens` to `required`")
    properties = config_schema.get("properties")
    if not isinstance(properties, dict):
        return problem(_SCHEMA, f"{_SCHEMA} must define properties", f"add `properties`; {_TOKENS_FIX} there")
    tokens = properties.get("tokens")
    if not isinstance(tokens, dict):
        return problem(_TOKENS, f"{_TOKENS} must be an object")
    if tokens.get("type") != "array":
        return problem(f"{_TOKENS}.type", f"{_TOKENS}.type must be array")
    items = tokens.get("items")
    if not isinstance(items, dict) or items.get("type") != "string":
        return problem(f"{_TOKENS}.items.type", f"{_TOKENS}.items.type must be string")
    bounds = (tokens.get("minItems"), tokens.get("maxItems"))
    if not all(isinstance(bound, int) and not isinstance(bound, bool) and bound >= 0 for bound in bounds):
        fix = "give both, as whole numbers from 0: the fewest and the most seats"
        return problem(_TOKENS, f"{_TOKENS} must declare minItems and maxItems", fix)
    if bounds[0] > bounds[1]:  # type: ignore[operator]  # both are int here
        return problem(f"{_TOKENS}.minItems", f"{_TOKENS} minItems must not exceed maxItems", "swap them")
    return []


def token_count_bounds(config_schema: dict[str, Any]) -> tuple[int, int]:
    """Return the fewest and the most seats that a schema allows.

    Raises:
        DocumentError: the schema does not declare `tokens` as it must.
    """
    problems = tokens_schema_problems(config_schema)
    if problems:
        raise DocumentError(problems, text=problems[0].message)
    tokens = config_schema["properties"]["tokens"]
    return tokens["minItems"], tokens["maxItems"]


def infer_token_count_for_game_config(config_schema: dict[str, Any], game_config: dict[str, Any]) -> int | None:
    """Return the number of seats of an authored configuration: from `players`, else `num_agents`, else the only number
    that the schema allows; None when it is unknown.

    Raises:
        DocumentError: `players` or `num_agents` is outside what the schema allows.
    """
    min_tokens, max_tokens = token_count_bounds(config_schema)
    players, agents = game_config.get("players"), game_config.get("num_agents")
    if isinstance(players, list):
        return _within(len(players), min_tokens, max_tokens, key="players", field="game_config.players length")
    if isinstance(agents, int) and not isinstance(agents, bool) and agents > 0:
        return _within(agents, min_tokens, max_tokens, key="num_agents", field="game_config.num_agents")
    return min_tokens if min_tokens == max_tokens else None


def _within(count: int, min_tokens: int, max_tokens: int, *, key: str, field: str) -> int:
    if min_tokens <= count <= max_tokens:
        return count
    allowed = str(min_tokens) if min_tokens == max_tokens else f"{min_tokens} to {max_tokens}"
    problem = Problem(key, f"{field} must fit {_TOKENS} bounds", f"it says {count} and {allowed} fit")
    raise DocumentError([problem], text=problem.message)


def slot_count(
    config_schema: dict[str, Any], game_config: dict[str, Any], *, certification_players: int | None = None
) -> int:
    """Return the number of seats of an episode: from the `players` of its configuration, else from the certification
    fixture if that is played, else from `infer_token_count_for_game_config`.

    Raises:
        DocumentError: nothing says how many.
    """
    players = game_config.get("players")
    if isinstance(players, list):
        return len(players)
    if certification_players is not None:
        return certification_players
    count = infer_token_count_for_game_config(config_schema, game_config)
    if count is None:
        min_tokens, max_tokens = token_count_bounds(config_schema)
        message = f"the number of seats is open: game.config_schema allows {min_tokens} to {max_tokens} tokens"
        raise DocumentError([Problem("game_config", message, "give `players` or `num_agents` in game_config")])
    return count


def placeholder_tokens(count: int) -> list[str]:
    """Return placeholder tokens to check an authored configuration with."""
    return [f"token-{slot}" for slot in range(count)]


def generate_tokens(player_count: int) -> list[str]:
    """Generate tokens: 16 random bytes each, as 22 URL-safe characters."""
    return [secrets.token_urlsafe(16) for _ in range(player_count)]


def check_authored(game_config: dict[str, Any]) -> None:
    """Raise `DocumentError` when an authored configuration holds tokens."""
    if "tokens" in game_config:
        message = "game_config must not include runner-managed tokens"
        raise DocumentError([Problem("tokens", message, "remove `tokens`: the runner adds them")], text=message)
