"""Check the rules of a manifest over several fields, and prepare configurations for an episode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from coworld.errors import DocumentError, ManifestError, Problem
from coworld.manifest.seat_configs import (
    game_config_with_input_player_controls,
    game_config_with_named_players,
    game_config_with_overwritten_named_players,
    validate_game_config_players_match_count,
)
from coworld.manifest.tokens import (
    check_authored,
    infer_token_count_for_game_config,
    placeholder_tokens,
    token_count_bounds,
    tokens_schema_problems,
)
from coworld.models.manifest import CoworldManifest
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS
from coworld.schema.problems import join_path
from coworld.schema.references import reference_problems
from coworld.schema.validation import JsonObject, json_schema_validation_errors, schema_problems

__all__ = [
    "authored_game_config_validation_error",
    "certification_player_problems",
    "duplicate_player_problems",
    "game_config_problems",
    "game_config_with_input_player_controls",
    "game_config_with_named_players",
    "game_config_with_overwritten_named_players",
    "game_config_with_tokens",
    "infer_token_count_for_game_config",
    "json_schema_validation_errors",
    "manifest_problems",
    "name_problems",
    "token_count_bounds",
    "validate_authored_game_config",
    "validate_coworld_manifest_game_configs",
    "validate_game_config_players_match_count",
]


_ID = re.compile(r"(?!-)[^\s/\\\x00-\x1f\x7f]{1,200}")


def manifest_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return every broken rule over several fields, in the order of the checks."""
    return [*name_problems(manifest), *certification_player_problems(manifest), *game_config_problems(manifest)]


def name_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return problems for images without a name, and for ids that cannot be in a path or command."""
    problems = []
    images = [("game.runnable.image", manifest.game.runnable.image)]
    ids = [(f"variants[{index}].id", variant.id) for index, variant in enumerate(manifest.variants)]
    for section in (*MANIFEST_ROLE_SECTIONS, "reporter"):
        for index, entry in enumerate(getattr(manifest, section)):
            image, name = getattr(entry, "image", None), getattr(entry, "id", None)
            images += [(f"{section}[{index}].image", image)] if image is not None else []
            ids += [(f"{section}[{index}].id", name)] if name is not None else []
    for path, image in images:
        if not image or re.search(r"[\s\x00-\x1f\x7f]", image):
            message = f"{image!r} has spaces or control characters" if image.strip() else "it is empty"
            problems.append(Problem(path, message, "write an image reference such as `my-game:latest`"))
    for path, name in ids:
        if not _ID.fullmatch(name) or name in (".", ".."):
            fix = "write at most 200 letters, digits and signs, without spaces, slashes and a dash in front"
            problems.append(Problem(path, f"{name!r} is not a valid id", fix))
    return problems


def certification_player_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return a problem for each seat of the fixture that names an unknown player."""
    known = [player.id for player in manifest.player]
    return [
        Problem(
            f"certification.players[{index}].player_id",
            f"unknown certification player_id: {seat.player_id}",
            f"name one of the players: {', '.join(known)}",
        )
        for index, seat in enumerate(manifest.certification.players)
        if seat.player_id not in known
    ]


def duplicate_player_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return a problem for each duplicate player id. A manifest may have them, but cannot be run or certified."""
    known = [player.id for player in manifest.player]
    return [
        Problem(f"player[{index}].id", f"duplicate player id: {name!r}", "give it another id")
        for index, name in enumerate(known)
        if name in known[:index]
    ]


def game_config_problems(manifest: CoworldManifest) -> list[Problem]:
    """Return the problems of the game's schemas and of the configurations: schema, variants, fixture."""
    schema = manifest.game.config_schema
    # A script may build a manifest with `model_construct` and leave the results schema out.
    results_schema = getattr(manifest.game, "results_schema", {})
    problems = [*_unsupported_names(schema), *tokens_schema_problems(schema)]
    problems += schema_problems(schema, at="game.config_schema")
    problems += schema_problems(results_schema, at="game.results_schema")
    if not problems:
        problems += reference_problems(schema, at="game.config_schema")
        problems += reference_problems(results_schema, at="game.results_schema")
    if problems:  # without the schema, configurations cannot be checked
        return problems
    return [*_variant_problems(manifest), *_fixture_problems(manifest)]


def _unsupported_names(schema: dict[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each unsupported property for players' names."""
    properties = schema.get("properties")
    for keys in (("player_names",), ("slots", "items", "properties", "name")):
        here: Any = properties
        for key in keys:
            here = here.get(key) if isinstance(here, dict) else None
        if here is not None:
            path = ".".join(("game.config_schema.properties", *keys))
            yield Problem(path, f"{path} is not supported; use players[].name", "declare `players` with a `name` each")


def _variant_problems(manifest: CoworldManifest) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, variant in enumerate(manifest.variants):
        if variant.id in seen:
            yield Problem(f"variants[{index}].id", f"duplicate variant id: {variant.id!r}", "give it another id")
        seen.add(variant.id)
        yield from _config_problems(
            variant.game_config, manifest.game.config_schema, at=f"variants[{index}].game_config"
        )


def _fixture_problems(manifest: CoworldManifest) -> Iterator[Problem]:
    fixture = manifest.certification
    players = fixture.game_config.get("players")
    if isinstance(players, list) and len(players) != len(fixture.players):
        yield Problem(
            "certification.players",
            "certification.players must match certification game_config.players length",
            f"there are {len(fixture.players)} seats and {len(players)} game_config.players: make them equal",
        )
    yield from _config_problems(
        fixture.game_config,
        manifest.game.config_schema,
        at="certification.game_config",
        token_count=len(fixture.players),
    )


def _config_problems(
    config: JsonObject, schema: dict[str, Any], *, at: str, token_count: int | None = None
) -> Iterator[Problem]:
    try:
        validate_authored_game_config(config, schema, token_count=token_count)
    except DocumentError as error:
        for problem in error.problems:
            path = join_path([at, problem.path]).removesuffix(".") if problem.path else at
            yield Problem(path.replace(".[", "["), problem.message, problem.fix)


def validate_authored_game_config(
    game_config: JsonObject, config_schema: dict[str, Any], *, token_count: int | None = None
) -> None:
    """Check a configuration without tokens as it will be with them; `token_count` is how many, if that is known.

    Raises:
        DocumentError: what is wrong, with paths inside the configuration. Where the schema rejects the configuration,
            it is a `jsonschema.ValidationError` too.
    """
    check_authored(game_config)
    min_tokens, _ = token_count_bounds(config_schema)
    if token_count is None:
        inferred = infer_token_count_for_game_config(config_schema, game_config)
        token_count = min_tokens if inferred is None else inferred
    errors = json_schema_validation_errors(
        game_config_with_tokens(game_config, placeholder_tokens(token_count)), config_schema
    )
    if errors:
        problems = [
            Problem(
                join_path(list(error.absolute_path)),
                f"game_config is invalid at {_dotted(error.absolute_path)}: {error.message}",
                "change it to satisfy game.config_schema",
            )
            for error in errors
        ]
        from coworld.schema.errors import InvalidGameConfigError

        raise InvalidGameConfigError(problems, errors[0])


def _dotted(path: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in path) or "config"


def authored_game_config_validation_error(
    game_config: JsonObject, config_schema: dict[str, Any], *, token_count: int | None = None
) -> str | None:
    """Return the first error as a sentence, or None for a valid configuration; a schema error reads `at PATH: ...`."""
    try:
        validate_authored_game_config(game_config, config_schema, token_count=token_count)
    except DocumentError as error:
        return str(error).removeprefix("game_config is invalid ")
    return None


def validate_coworld_manifest_game_configs(manifest: CoworldManifest) -> None:
    """Raise `ManifestError` for the first thing that is wrong with the game's schema, variants or fixture."""
    problems = game_config_problems(manifest)
    if problems:
        raise ManifestError(problems, text=problems[0].message)


def game_config_with_tokens(game_config: JsonObject, tokens: list[str]) -> JsonObject:
    """Return the configuration with tokens, for the start of a game; the input is not changed."""
    check_authored(game_config)
    return {**game_config, "tokens": list(tokens)}
