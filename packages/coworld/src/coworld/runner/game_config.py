"""The configuration a game is started with: the authored one with names and tokens in it."""

import json
from typing import Any

from coworld.errors import DocumentError, Problem
from coworld.manifest.tokens import generate_tokens
from coworld.manifest.validation import game_config_with_named_players, game_config_with_tokens
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldHumanPlayerSpec
from coworld.runner.artifacts import EpisodeArtifacts, write_file
from coworld.schema.validation import json_schema_validation_errors

__all__ = ["coworld_game_config", "episode_player_tokens", "write_coworld_game_config"]


def episode_player_tokens(job: CoworldEpisodeJobSpec) -> list[str]:
    """Return a token for every slot: new ones, and those that people bring."""
    fresh = generate_tokens(len(job.players))
    return [
        player.token if isinstance(player, CoworldHumanPlayerSpec) else fresh[slot]
        for slot, player in enumerate(job.players)
    ]


def coworld_game_config(job: CoworldEpisodeJobSpec, tokens: list[str]) -> dict[str, Any]:
    """Return the configuration of an episode, validated against the game's schema.

    Raises:
        CoworldError: it is not.
    """
    schema, config = job.manifest.game.config_schema, job.game_config
    if job.policy_names is not None:
        config = game_config_with_named_players(config, job.policy_names, schema)
    config = game_config_with_tokens(config, tokens)
    for error in json_schema_validation_errors(config, schema):
        path = ".".join(str(part) for part in error.absolute_path) or "config"
        message = f"game_config is invalid at {path}: {error.message}"
        raise DocumentError([Problem(path, message, "change it to satisfy game.config_schema")], text=message)
    return config


def write_coworld_game_config(job: CoworldEpisodeJobSpec, artifacts: EpisodeArtifacts, tokens: list[str]) -> None:
    """Write `config.json`, for the eyes of its owner only: it holds the tokens. Raises CoworldError."""
    data = json.dumps(coworld_game_config(job, tokens), indent=2).encode()
    write_file(artifacts.config_path, data, mode=0o600)
