"""Errors that scripts written for the published package catch: their classes, and the words they look for."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pydantic
import pytest

from coworld.bundle import validate_upload_manifest as validate_in_bundle
from coworld.certifier import load_coworld_package
from coworld.errors import CoworldError
from coworld.manifest import read_downloaded_manifest, to_runtime_manifest, validate_upload_manifest
from coworld.manifest_validation import (
    game_config_with_named_players,
    game_config_with_overwritten_named_players,
    validate_authored_game_config,
    validate_coworld_manifest_game_configs,
)
from coworld.schema_validation import load_json_object, validate_json_schema
from coworld.types import (
    CoworldCertificationFixture,
    CoworldEpisodeJobSpec,
    CoworldGameManifest,
    CoworldManifest,
    CoworldRunnableSpec,
    CoworldVariant,
)
from tests.coworld_documents import TASK, all_of, changed, drop, game_hosted, manifest_document, put


def package_of(document: dict[str, Any], folder: Path) -> Path:
    path = folder / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    "change",
    [
        drop("variants"),
        put("game", "docs", "readme", value="How to play"),
        put("player", 0, "image", value=7),
        put("apiVersion", value="coworld.softmax.com/v9"),
    ],
    ids=["missing", "kind", "type", "version"],
)
def test_a_wrong_shape_is_an_error_of_pydantic(change: Callable[[Any], object], tmp_path: Path) -> None:
    document = changed(change)
    for read in (validate_upload_manifest, validate_in_bundle, read_downloaded_manifest):
        with pytest.raises(pydantic.ValidationError):
            read(document)
    with pytest.raises(pydantic.ValidationError):
        load_coworld_package(package_of(document, tmp_path))
    if "apiVersion" not in document:
        with pytest.raises(pydantic.ValidationError):
            to_runtime_manifest("coworld.softmax.com/v0", document)


def test_a_broken_rule_is_still_one_of_ours(tmp_path: Path) -> None:
    document = changed(put("certification", "players", 0, "player_id", value="absent"))
    for read in (validate_upload_manifest, lambda it: load_coworld_package(package_of(it, tmp_path))):
        with pytest.raises(CoworldError, match="unknown certification player_id: absent"):
            read(document)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("game", "runnable", "type", value="player"), "game.runnable.type must be 'game'"),
        (put("grader", 0, "type", value="player"), "grader.0.type must be 'grader'"),
        (put("player", 1, "type", value="grader"), "player.1.type must be 'player'"),
        (drop("player", 0, "image"), "manifest role must define exactly one of image or file"),
        (put("player", 0, "file", value="bot.wasm"), "manifest role must define exactly one of image or file"),
        (
            all_of(drop("player", 1, "image"), put("player", 1, "file", value="bot.wasm")),
            "player.1 must define image for game.player_runtime='platform-hosted'",
        ),
        (game_hosted(file="sha256:12"), "player file sha256 digest is malformed"),
        (game_hosted(file="../bot.wasm"), "player file must be a package-relative path or sha256 digest"),
        (put("game", "replay_viewer", value={"bundle": "sha256:1"}), "replay_viewer.bundle sha256 digest is malformed"),
        (
            put("game", "achievements", value=[{"id": "a", "name": "A", "description": "A.", "points": 1}] * 2),
            "game.achievements ids must be unique",
        ),
        (put("reporter", value=[{"reporter": "me"}]), "reporter.0.CoworldReporterPlatformReference.reporter"),
    ],
)
def test_models_name_the_place_and_the_rule(change: Callable[[Any], object], words: str) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        CoworldManifest.model_validate(changed(change))
    assert words in str(caught.value)


def test_a_request_names_the_seat_that_is_not_a_player() -> None:
    manifest = CoworldManifest.model_validate(manifest_document())
    with pytest.raises(pydantic.ValidationError, match=r"players\.0\.type must be 'player'"):
        CoworldEpisodeJobSpec(
            manifest=manifest, game_config={}, players=[CoworldRunnableSpec(type="grader", image="grader")]
        )


def test_a_configuration_that_its_schema_rejects_is_an_error_of_jsonschema_too() -> None:
    schema = manifest_document()["game"]["config_schema"]
    with pytest.raises(jsonschema.ValidationError, match="game_config is invalid at width: 2 is less") as caught:
        validate_authored_game_config({"width": 2}, schema)
    assert isinstance(caught.value, CoworldError) and caught.value.hint
    assert (list(caught.value.absolute_path), caught.value.validator, caught.value.instance) == (
        ["width"],
        "minimum",
        2,
    )
    with pytest.raises(jsonschema.ValidationError, match="is too long"):
        validate_authored_game_config({"width": 8}, schema, token_count=5)


def test_a_schema_that_is_not_one_is_an_error_of_jsonschema_too() -> None:
    with pytest.raises(jsonschema.SchemaError) as caught:
        validate_json_schema({}, {"type": "thing"})
    assert isinstance(caught.value, CoworldError) and "type is not JSON Schema" in str(caught.value)


def test_files_that_cannot_be_read_raise_what_the_standard_library_raises(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    for read in (load_json_object, load_coworld_package):
        path.unlink(missing_ok=True)
        with pytest.raises(FileNotFoundError, match=r"document\.json could not be read") as missing:
            read(path)
        assert missing.value.filename == str(path) and isinstance(missing.value, CoworldError)
        path.write_text("{\n  ]")
        with pytest.raises(json.JSONDecodeError, match="at line 2, column 3") as invalid:
            read(path)
        assert (invalid.value.lineno, invalid.value.colno, invalid.value.pos) == (2, 3, 4)
        assert isinstance(invalid.value, CoworldError) and invalid.value.hint
        path.write_text("[]")
        with pytest.raises(TypeError, match="Expected JSON object in"):
            read(path)


def constructed(schema: dict[str, Any], *configs: tuple[str, dict[str, Any]]) -> CoworldManifest:
    """A manifest with only what the rules about configurations read, as scripts build it for their tests."""
    return CoworldManifest.model_construct(
        game=CoworldGameManifest.model_construct(config_schema=schema),
        variants=[CoworldVariant.model_construct(id=name, game_config=config) for name, config in configs],
        certification=CoworldCertificationFixture.model_construct(
            game_config=configs[0][1], players=[object()] * len(configs[0][1]["players"])
        ),
    )


def test_configurations_are_checked_without_the_rest_of_the_manifest() -> None:
    schema = manifest_document()["game"]["config_schema"]
    two, four = ({"width": 8, "players": [{"name": str(slot)} for slot in range(count)]} for count in (2, 4))
    validate_coworld_manifest_game_configs(constructed(schema, ("two", two), ("four", four)))
    with pytest.raises(ValueError, match="duplicate variant id: 'two'"):
        validate_coworld_manifest_game_configs(constructed(schema, ("two", two), ("two", four)))
    with pytest.raises(ValueError, match=r"game\.config_schema must require tokens"):
        validate_coworld_manifest_game_configs(constructed({"type": "object"}, ("two", two)))


def test_names_in_a_list_of_their_own_are_refused() -> None:
    schema = manifest_document()["game"]["config_schema"]
    for write in (game_config_with_named_players, game_config_with_overwritten_named_players):
        for config_schema in (schema, {}):
            with pytest.raises(
                ValueError, match=r"game_config\.player_names is not supported; use game_config\.players"
            ):
                write({"player_names": ["old"]}, ["new"], config_schema)


def test_more_names_than_authored_players_repeat_the_authored_ones() -> None:
    schema = manifest_document()["game"]["config_schema"]
    authored = {"players": [{"name": "One", "team": "red"}, {"name": "Two", "team": "blue"}]}
    written = game_config_with_overwritten_named_players(authored, ["a", "b", "a", "c", "d"], schema)
    names, teams = (tuple(player[key] for player in written["players"]) for key in ("name", "team"))
    assert (names, teams) == (("a", "b", "a (2)", "c", "d"), ("red", "blue", "red", "blue", "red"))
    assert authored["players"][0] == {"name": "One", "team": "red"}


def test_what_a_request_and_a_manifest_say_of_the_game_is_within_reach() -> None:
    manifest = CoworldManifest.model_validate(changed(put("episode_timeout_minutes", value=3)))
    job = CoworldEpisodeJobSpec(manifest=manifest, game_config={}, players=[manifest.player[0]])
    game = manifest.game
    assert job.game_runnable is game.runnable
    assert (job.config_schema, job.results_schema) == (game.config_schema, game.results_schema)
    assert manifest.episode_timeout_seconds == 180
    assert CoworldManifest.model_validate(manifest_document()).episode_timeout_seconds == 1200


def test_fields_with_another_key_are_set_by_their_python_name() -> None:
    from coworld.types import CoworldPlayerSeat, CoworldPlayerSeats, CoworldResourceRequests, CoworldTaskEnvironment

    requests = CoworldResourceRequests(instance_type="g6.xlarge", ephemeral_storage="1Gi")
    assert requests.model_dump(exclude_none=True) == {"instance-type": "g6.xlarge", "ephemeral-storage": "1Gi"}
    seat = CoworldPlayerSeat(
        slot=0, file_uri="f", content_hash="sha256:" + "a" * 64, size_bytes=1, log_uri="l", artifact_uri="a"
    )
    seats = CoworldPlayerSeats(schema_="coworld-player-seats/1", seats=[seat], player_status_uri="s")
    assert seats.model_dump()["schema"] == "coworld-player-seats/1"
    environment = CoworldTaskEnvironment.model_validate(TASK)
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        environment.cpu_millis = 1000


def test_the_schema_describes_every_field_and_names_the_page_of_every_role() -> None:
    import coworld
    from coworld import types

    schema = types.coworld_manifest_schema()
    for definition in (schema, *schema["$defs"].values()):
        bare = [name for name, field in definition.get("properties", {}).items() if "description" not in field]
        assert bare == [], definition["title"]
    docs = Path(coworld.__path__[0])
    for section in ("game", "player", "reporter", "commissioner", "grader", "diagnoser", "optimizer"):
        page = schema["properties"][section]["x-coworld-role-doc"]
        assert (docs / page).is_file(), page
        assert f"]({page})" in schema["properties"][section]["markdownDescription"]
    assert schema["properties"]["tags"] == {"type": "array", "minItems": 3} | {
        key: schema["properties"]["tags"][key] for key in ("items", "title", "description")
    }
