"""Episode requests: made from a fixture or a variant of a package, or read from a file."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coworld.engines.base import Engine, EngineError
from coworld.errors import CoworldError, DocumentError
from coworld.manifest.package import CoworldPackage
from coworld.manifest.tokens import slot_count
from coworld.manifest.validation import game_config_with_named_players, validate_authored_game_config
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldPlayerFileSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.schema.problems import problems_of
from coworld.schema.validation import load_json_object

__all__ = [
    "CERTIFICATION_EPISODE_SOURCE",
    "check_request",
    "fixture_request",
    "load_request",
    "named_config",
    "parse_request",
    "request_document",
    "with_own_commands",
]

CERTIFICATION_EPISODE_SOURCE = "coworld_certification"


def fixture_request(
    package: CoworldPackage,
    *,
    variant_id: str | None = None,
    images: Sequence[str] = (),
    run: Sequence[str] = (),
    player_files: Sequence[CoworldPlayerFileSpec] = (),
    seed: int | None = None,
) -> CoworldEpisodeJobSpec:
    """Build the default episode: the configuration of the fixture or of a variant, and the fixture's players. It shares
    no object with the package.

    One image fills every seat, else there is one per seat. An image takes the place of the fixture's and keeps what the
    manifest says about that player: its variables, resources, start-up page and, unless `run` replaces it, its command
    (see `with_own_commands`). `seed` replaces the configuration's integer `seed`. For a game that hosts its players,
    `player_files` are the seats.

    Raises:
        CoworldError: no such variant, or another number of images than seats.
        DocumentError: nothing says how many seats there are.
    """
    fixture = package.manifest.certification
    config = copy.deepcopy(fixture.game_config if variant_id is None else package.variant(variant_id).game_config)
    if seed is not None:
        config["seed"] = seed
    fixture_seats = len(fixture.players) if variant_id is None else None
    seats = slot_count(package.config_schema, config, certification_players=fixture_seats)
    if run and not images:
        raise CoworldError("player_run requires at least one player image", hint="name one image, or one per slot")
    players: list[Any]
    if player_files:
        players = _one_or_each(player_files, seats, "player files")
    else:
        ids = [fixture.players[slot % len(fixture.players)].player_id for slot in range(seats)]
        players = [package.player(player_id).runnable().model_copy(deep=True) for player_id in ids]
    if images:
        given = _one_or_each(images, seats, "player images")
        players = [
            player.model_copy(update={"image": image, **({"run": list(run)} if run else {})})
            for player, image in zip(players, given, strict=True)
        ]
    return CoworldEpisodeJobSpec(
        manifest=package.manifest,
        game_config=config,
        players=players,
        episode_tags={"source": CERTIFICATION_EPISODE_SOURCE},
    )


def with_own_commands(request: CoworldEpisodeJobSpec, engine: Engine) -> CoworldEpisodeJobSpec:
    """Return the request with players that run the commands of their own images, where those have one. For images that
    the user named: the manifest's command belongs to another program."""
    players = list(request.players)
    for slot, player in enumerate(players):
        if isinstance(player, CoworldRunnableSpec) and _has_command(engine, player.image):
            players[slot] = player.model_copy(update={"run": []})
    return request.model_copy(update={"players": players})


def _has_command(engine: Engine, image: str) -> bool:
    try:
        return engine.resolve(image).has_command
    except EngineError:
        return False  # the error is reported when it is started


def _one_or_each(values: Sequence[Any], seats: int, noun: str) -> list[Any]:
    if len(values) not in (1, seats):
        hint = f"{len(values)} were given: give one for all, or one per slot"
        raise CoworldError(f"expected 1 or {seats} {noun} for {seats} player slots", hint=hint)
    return list(values) * (seats if len(values) == 1 else 1)


def parse_request(document: dict[str, Any], *, strict: bool = True) -> CoworldEpisodeJobSpec:
    """Read an episode request. Without `strict`, unknown keys are ignored at every depth.

    Raises:
        DocumentError: with every problem of its shape.
    """
    try:
        return CoworldEpisodeJobSpec.model_validate(document, extra="forbid" if strict else "ignore")
    except ValidationError as error:
        raise DocumentError(problems_of(error, CoworldEpisodeJobSpec)) from error


def load_request(path: Path, *, package: CoworldPackage | None = None, strict: bool = True) -> CoworldEpisodeJobSpec:
    """Read an episode request from a file. With a package, its manifest must be the request's.

    Raises:
        SourceError: the file does not exist or is not JSON.
        DocumentError: the request is invalid.
        CoworldError: the request is for another Coworld.
    """
    request = parse_request(load_json_object(path), strict=strict)
    if package is not None and request.manifest != package.manifest:
        raise CoworldError(
            f"episode request manifest does not match {package.path}",
            hint="make the request from this manifest again, or leave the manifest argument to the request's own",
        )
    return request


def check_request(request: CoworldEpisodeJobSpec) -> None:
    """Check that the configuration fits the seats, as the runner needs it.

    Raises:
        DocumentError: what is wrong with the configuration.
    """
    players = len(request.players)
    validate_authored_game_config(request.game_config, request.manifest.game.config_schema, token_count=players)


def named_config(request: CoworldEpisodeJobSpec) -> dict[str, Any]:
    """Return the request's configuration with the names of its seats, if there are names and the game's schema allows
    them."""
    if request.policy_names is None:
        return dict(request.game_config)
    schema = request.manifest.game.config_schema
    return game_config_with_named_players(request.game_config, list(request.policy_names), schema)


def request_document(request: CoworldEpisodeJobSpec) -> dict[str, Any]:
    """Return the request as it is written to a file, without absent values."""
    return request.model_dump(mode="json", by_alias=True, exclude_none=True)
