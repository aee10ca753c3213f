"""A manifest that is good by every rule, and a table of changes to it with what becomes of each.

The table is shared by the tests of the models and by `make compat`, which asks the published models the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]
Change = Callable[[Document], object]


def text_document(text: str = "How it goes.") -> Document:
    return {"type": "text", "value": text}


def role(section: str, **more: Any) -> Document:
    return {"id": f"my-{section}", "name": section.title(), "description": f"A {section}.", "type": section} | (
        {"image": f"example/{section}:latest"} | more
    )


def manifest_document() -> Document:
    """Return a game for two to four with every section but reporters filled."""
    config = {"players": [{"name": "One"}, {"name": "Two"}], "width": 8, "seed": 1}
    return {
        "tags": ["test", "grid", "two-players"],
        "game": {
            "name": "tiny",
            "version": "1.2.3",
            "description": "A tiny game.",
            "owner": "us@example.org",
            "runnable": {"type": "game", "image": "example/game:latest", "run": ["serve"], "env": {"MODE": "x"}},
            "config_schema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "additionalProperties": False,
                "required": ["tokens", "width"],
                "properties": {
                    "tokens": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 4},
                    "players": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                    },
                    "num_agents": {"type": "integer"},
                    "width": {"type": "integer", "minimum": 4, "maximum": 40},
                    "height": {"type": "integer", "minimum": 4},
                    "seed": {"type": "integer"},
                },
            },
            "results_schema": {"type": "object", "required": ["scores"], "properties": {"scores": {"type": "array"}}},
            "protocols": {"player": text_document(), "global": text_document()},
            "docs": {
                "readme": text_document(),
                "pages": [
                    {"id": "rules.md", "title": "Rules", "content": text_document()},
                    {"id": "play_tiny.md", "title": "Play", "content": {"type": "uri", "value": "https://example.org"}},
                ],
            },
        },
        "player": [role("player"), role("player", id="other")],
        "commissioner": [role("commissioner")],
        "grader": [role("grader")],
        "diagnoser": [role("diagnoser")],
        "optimizer": [role("optimizer")],
        "variants": [{"id": "small", "name": "Small", "description": "A small one.", "game_config": dict(config)}],
        "certification": {"game_config": dict(config), "players": [{"player_id": "my-player"}, {"player_id": "other"}]},
    }


def changed(change: Change) -> Document:
    """Return a fresh manifest after a change."""
    document = copy.deepcopy(manifest_document())
    change(document)
    return document


def put(*path: str | int, value: Any) -> Change:
    """Set what stands at a path."""

    def change(document: Document) -> None:
        here: Any = document
        for key in path[:-1]:
            here = here[key]
        here[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    """Remove what stands at a path."""

    def change(document: Document) -> None:
        here: Any = document
        for key in path[:-1]:
            here = here[key]
        del here[path[-1]]

    return change


def all_of(*changes: Change) -> Change:
    return lambda document: [change(document) for change in changes]


def game_hosted(**player: Any) -> Change:
    """Make the game host its players, which are files."""

    def change(document: Document) -> None:
        document["game"]["player_runtime"] = "game-hosted"
        for entry in document["player"]:
            del entry["image"]
            entry.update({"file": "players/bot.wasm"} | player)

    return change


SCHEMA = ("game", "config_schema")
TOKENS = (*SCHEMA, "properties", "tokens")
VARIANT = ("variants", 0, "game_config")
FIXTURE = ("certification", "game_config")
TASK = {
    "image": "example/task@sha256:" + "a" * 64,
    "cpu_millis": 500,
    "memory_mib": 2048,
    "storage_mib": 1024,
    "max_instances": 4,
}


@dataclass(frozen=True)
class Mutation:
    """One change, with its error message (None for a valid change) and the error's path.

    `message` is a fixed sentence of the contract if `fixed`; `published` says whether the published models accept the
    document, None if they agree with ours.
    """

    name: str
    change: Change
    message: str | None = None
    path: str = ""
    fixed: bool = False
    published: bool | None = None


def good(name: str, change: Change, *, published: bool | None = None) -> Mutation:
    return Mutation(name, change, published=published)


def bad(name: str, change: Change, path: str, message: str, *, published: bool | None = None) -> Mutation:
    return Mutation(name, change, message, path, published=published)


def fixed(name: str, change: Change, path: str, message: str) -> Mutation:
    return Mutation(name, change, message, path, fixed=True)


def _dup_variant(document: Document) -> None:
    document["variants"].append(copy.deepcopy(document["variants"][0]))


TOKENS_PATH = "game.config_schema.properties.tokens"
MUTATIONS = [
    # Top level
    good("unchanged", lambda document: None),
    good("only the four sections", all_of(*(drop(s) for s in ("commissioner", "grader", "diagnoser", "optimizer")))),
    good("no tags", drop("tags")),
    good("version 1", put("apiVersion", value="coworld.softmax.com/v1")),
    good("an editor's hint", put("$schema", value="https://example.org/schema.json")),
    bad("version 2", put("apiVersion", value="coworld.softmax.com/v2"), "apiVersion", "not a version"),
    bad("version 0 written out", put("apiVersion", value="coworld.softmax.com/v0"), "apiVersion", "unknown key"),
    bad("unknown key", put("colour", value=1), "colour", "unknown key"),
    bad("unknown key deep down", put("game", "docs", "pages", 0, "x", value=1), "game.docs.pages[0].x", "unknown key"),
    bad("two tags", put("tags", value=["a", "b"]), "tags", "there are 2"),
    bad("an empty tag", put("tags", value=["a", "b", ""]), "tags[2]", "empty"),
    bad("no game", drop("game"), "game", "required"),
    bad("no players", put("player", value=[]), "player", "there are 0"),
    bad("no variants", put("variants", value=[]), "variants", "there are 0"),
    bad("no certification", drop("certification"), "certification", "required"),
    bad("no seats", put("certification", "players", value=[]), "certification.players", "there are 0"),
    bad("a variant without a description", drop("variants", 0, "description"), "variants[0].description", "required"),
    bad("no players per user", put("players_per_user", value=0), "players_per_user", "it is 0"),
    bad("too many minutes", put("episode_timeout_minutes", value=1441), "episode_timeout_minutes", "it is 1441"),
    good("the most minutes", put("episode_timeout_minutes", value=1440)),
    # The game
    bad("not PEP 440", put("game", "version", value="one"), "game.version", "Invalid version"),
    bad("an empty name", put("game", "name", value=""), "game.name", "empty"),
    bad("another role as game", put("game", "runnable", "type", value="player"), "game.runnable.type", "'game'"),
    bad("a bare protocol", put("game", "protocols", "player", value="x"), "game.protocols.player", "object"),
    bad(
        "an unknown engine",
        put("game", "protocols", "engine_runtime", value="x"),
        "game.protocols.engine_runtime",
        "it is 'x'",
    ),
    good("a known engine", put("game", "protocols", "engine_runtime", value="mettagrid")),
    bad("no readme", drop("game", "docs", "readme"), "game.docs.readme", "required"),
    bad(
        "a readme by ftp",
        put("game", "docs", "readme", value={"type": "uri", "value": "ftp://x"}),
        "game.docs.readme.value",
        "http(s)",
    ),
    bad("an empty readme", put("game", "docs", "readme", "value", value=""), "game.docs.readme.value", "empty"),
    bad("a document of no kind", put("game", "docs", "readme", value={"value": "x"}), "game.docs.readme", "type"),
    bad(
        "a viewer outside",
        put("game", "replay_viewer", value={"bundle": "a/../b"}),
        "game.replay_viewer.bundle",
        "package-relative directory",
    ),
    bad(
        "a viewer's bad digest",
        put("game", "replay_viewer", value={"bundle": "sha256:12"}),
        "game.replay_viewer.bundle",
        "digest",
    ),
    good("a viewer", put("game", "replay_viewer", value={"bundle": "build/viewer", "replay_compression": "gzip"})),
    bad(
        "a format with blanks",
        put("game", "replay_viewer", value={"bundle": "v", "format_identity": "a b"}),
        "game.replay_viewer.format_identity",
        "does not match",
    ),
    bad(
        "a video that is a path", put("game", "promo", value={"video_url": "x.mp4"}), "game.promo.video_url", "http(s)"
    ),
    bad(
        "the same achievement twice",
        put("game", "achievements", value=[{"id": "a", "name": "A", "description": "A.", "points": 1}] * 2),
        "game.achievements[1].id",
        "twice",
    ),
    bad(
        "an achievement for nothing",
        put("game", "achievements", value=[{"id": "a", "name": "A", "description": "A.", "points": 0}]),
        "game.achievements[0].points",
        "it is 0",
    ),
    bad(
        "a panel of nothing",
        put("game", "log", value={"panels": [{"title": "x", "kinds": []}]}),
        "game.log.panels[0].kinds",
        "there are 0",
    ),
    bad("another memory", put("game", "memory", value={"protocol": "x"}), "game.memory.protocol", "it is 'x'"),
    # Runnables
    bad("a role in the wrong section", put("grader", 0, "type", value="player"), "grader[0].type", "'grader'"),
    bad("neither image nor file", drop("player", 0, "image"), "player[0]", "neither"),
    bad("image and file", put("player", 0, "file", value="x"), "player[0]", "both"),
    bad(
        "a file without a host",
        all_of(drop("player", 0, "image"), put("player", 0, "file", value="x")),
        "player[0]",
        "must define image for game.player_runtime='platform-hosted'",
    ),
    bad("images with a host", put("game", "player_runtime", value="game-hosted"), "player[0]", "must define file"),
    good("files with a host", game_hosted()),
    good("files by digest", game_hosted(file="sha256:" + "0" * 64)),
    bad("a digest in capitals", game_hosted(file="sha256:" + "A" * 64), "player[0].file", "digest"),
    bad("a file anywhere", game_hosted(file="/etc/passwd"), "player[0].file", "package-relative path"),
    bad("a file above", game_hosted(file="../x"), "player[0].file", "package-relative path"),
    bad("a file that warms up", game_hosted(startup={"port": 9000}), "player[0]", "warm-up"),
    bad(
        "a grader as file",
        all_of(drop("grader", 0, "image"), put("grader", 0, "file", value="x")),
        "grader[0].file",
        "cannot be a file",
    ),
    good("a player that warms up", put("player", 0, "startup", value={"port": 1024, "path": "/ready"})),
    bad("a low port", put("player", 0, "startup", value={"port": 80}), "player[0].startup.port", "it is 80"),
    bad("a grader that warms up", put("grader", 0, "startup", value={"port": 9000}), "grader[0].startup", "warm-up"),
    bad(
        "a grader with a GPU",
        put("grader", 0, "resources", value={"requests": {"gpu": 1}}),
        "grader[0].resources.requests",
        "GPU",
    ),
    bad(
        "two GPUs",
        put("player", 0, "resources", value={"requests": {"gpu": 2}}),
        "player[0].resources.requests.gpu",
        "it is 2",
    ),
    good("a machine", put("player", 0, "resources", value={"requests": {"instance-type": "g6.xlarge"}})),
    bad(
        "an unknown machine",
        put("player", 0, "resources", value={"requests": {"instance-type": "BIG"}}),
        "player[0].resources.requests.instance-type",
        "does not match",
    ),
    bad("a number in env", put("player", 0, "env", value={"A": 1}), "player[0].env.A", "a string"),
    # Reporters and task environments
    good("a published reporter", put("reporter", value=[{"reporter": "me/recap@3"}])),
    bad(
        "a reporter without a version",
        put("reporter", value=[{"reporter": "me/recap"}]),
        "reporter[0].reporter",
        "does not match",
    ),
    good("a component", put("reporter", value=[{"wasm": "r.wasm", "id": "r", "attributes": {"purpose": "x"}}])),
    bad(
        "a component without attributes",
        put("reporter", value=[{"wasm": "r.wasm", "id": "r"}]),
        "reporter[0].attributes",
        "required",
    ),
    good("a container reporter", put("reporter", value=[role("reporter")]), published=False),
    good("a task environment", put("game", "task_environments", value={"a": TASK})),
    bad(
        "three task environments",
        put("game", "task_environments", value=dict.fromkeys("abc", TASK)),
        "game.task_environments",
        "there are 3",
    ),
    bad(
        "a task environment with a blank name",
        put("game", "task_environments", value={"a b": TASK}),
        "game.task_environments.a b",
        "does not match",
    ),
    bad(
        "coding with a network",
        put(
            "game", "task_environments", value={"a": TASK | {"isolation": "coding", "network_transitions": ["public"]}}
        ),
        "game.task_environments.a",
        "network",
    ),
    bad(
        "coding in little memory",
        put("game", "task_environments", value={"a": TASK | {"isolation": "coding", "memory_mib": 512}}),
        "game.task_environments.a.memory_mib",
        "1024",
    ),
    # Rules over several fields
    fixed(
        "an unknown seat",
        put("certification", "players", 1, "player_id", value="absent"),
        "certification.players[1].player_id",
        "unknown certification player_id: absent",
    ),
    fixed("a variant twice", _dup_variant, "variants[1].id", "duplicate variant id: 'small'"),
    fixed(
        "tokens in a variant",
        put(*VARIANT, "tokens", value=["a", "b"]),
        "variants[0].game_config.tokens",
        "game_config must not include runner-managed tokens",
    ),
    fixed(
        "tokens in the fixture",
        put(*FIXTURE, "tokens", value=["a", "b"]),
        "certification.game_config.tokens",
        "game_config must not include runner-managed tokens",
    ),
    fixed(
        "tokens not required",
        put(*SCHEMA, "required", value=["width"]),
        "game.config_schema.required",
        "game.config_schema must require tokens",
    ),
    fixed("no fewest", drop(*TOKENS, "minItems"), TOKENS_PATH, f"{TOKENS_PATH} must declare minItems and maxItems"),
    fixed("no most", drop(*TOKENS, "maxItems"), TOKENS_PATH, f"{TOKENS_PATH} must declare minItems and maxItems"),
    bad("a boolean bound", put(*TOKENS, "minItems", value=True), TOKENS_PATH, "must declare minItems and maxItems"),
    fixed(
        "more than the most",
        put(*TOKENS, "minItems", value=5),
        f"{TOKENS_PATH}.minItems",
        f"{TOKENS_PATH} minItems must not exceed maxItems",
    ),
    fixed(
        "tokens that are not an array",
        put(*TOKENS, "type", value="object"),
        f"{TOKENS_PATH}.type",
        f"{TOKENS_PATH}.type must be array",
    ),
    fixed(
        "tokens that are numbers",
        put(*TOKENS, "items", value={"type": "integer"}),
        f"{TOKENS_PATH}.items.type",
        f"{TOKENS_PATH}.items.type must be string",
    ),
    fixed(
        "a schema without tokens",
        drop(*SCHEMA, "properties", "tokens"),
        TOKENS_PATH,
        f"{TOKENS_PATH} must be an object",
    ),
    fixed(
        "a schema without properties",
        drop(*SCHEMA, "properties"),
        "game.config_schema",
        "game.config_schema must define properties",
    ),
    good("a fixed number of seats", put(*TOKENS, "maxItems", value=2)),
    fixed(
        "names in a list of their own",
        put(*SCHEMA, "properties", "player_names", value={"type": "array"}),
        "game.config_schema.properties.player_names",
        "game.config_schema.properties.player_names is not supported; use players[].name",
    ),
    fixed(
        "names in slots",
        put(*SCHEMA, "properties", "slots", value={"items": {"properties": {"name": {"type": "string"}}}}),
        "game.config_schema.properties.slots.items.properties.name",
        "game.config_schema.properties.slots.items.properties.name is not supported; use players[].name",
    ),
    fixed(
        "seats that are not players",
        drop("certification", "players", 1),
        "certification.players",
        "certification.players must match certification game_config.players length",
    ),
    fixed(
        "a narrow variant",
        put(*VARIANT, "width", value=2),
        "variants[0].game_config.width",
        "game_config is invalid at width: 2 is less than the minimum of 4",
    ),
    fixed(
        "a narrow fixture",
        put(*FIXTURE, "width", value=2),
        "certification.game_config.width",
        "game_config is invalid at width: 2 is less than the minimum of 4",
    ),
    fixed(
        "the first by path",
        all_of(put(*VARIANT, "width", value=2), put(*VARIANT, "height", value=1)),
        "variants[0].game_config.height",
        "game_config is invalid at height: 1 is less than the minimum of 4",
    ),
    fixed(
        "nothing required",
        drop(*VARIANT, "width"),
        "variants[0].game_config",
        "game_config is invalid at config: 'width' is a required property",
    ),
    fixed(
        "too many players",
        put(*VARIANT, "players", value=[{}] * 5),
        "variants[0].game_config.players",
        f"game_config.players length must fit {TOKENS_PATH} bounds",
    ),
    fixed(
        "too many agents",
        all_of(drop(*VARIANT, "players"), put(*VARIANT, "num_agents", value=5)),
        "variants[0].game_config.num_agents",
        f"game_config.num_agents must fit {TOKENS_PATH} bounds",
    ),
    good(
        "variants with other numbers of players inside the bounds",
        put(*VARIANT, "players", value=[{"name": "One"}, {"name": "Two"}, {"name": "Three"}, {"name": "Four"}]),
    ),
    bad("a schema that is none", put(*SCHEMA, "type", value="thing"), "game.config_schema.type", "not JSON Schema"),
    bad(
        "results without a schema",
        put("game", "results_schema", "type", value="thing"),
        "game.results_schema.type",
        "not JSON Schema",
        published=True,
    ),
    # The order: shape, seats, configurations
    bad(
        "shape before seats",
        all_of(put("colour", value=1), put("certification", "players", 1, "player_id", value="absent")),
        "colour",
        "unknown",
    ),
    fixed(
        "seats before configurations",
        all_of(put(*VARIANT, "width", value=2), put("certification", "players", 1, "player_id", value="absent")),
        "certification.players[1].player_id",
        "unknown certification player_id: absent",
    ),
    fixed(
        "variants before the fixture",
        all_of(_dup_variant, put(*FIXTURE, "width", value=2)),
        "variants[1].id",
        "duplicate variant id: 'small'",
    ),
]
