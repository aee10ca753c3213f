"""Tokens, seats and names in configurations, and episode requests."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from coworld.errors import CoworldError, DocumentError, ManifestError, SourceError
from coworld.manifest.package import CoworldPackage, load_package
from coworld.manifest.tokens import generate_tokens, infer_token_count_for_game_config, slot_count
from coworld.manifest.validation import (
    authored_game_config_validation_error,
    game_config_with_named_players,
    game_config_with_overwritten_named_players,
    game_config_with_tokens,
)
from coworld.models import CoworldPlayerSeats, coworld_episode_request_schema
from coworld.runner.episode_request import (
    check_request,
    fixture_request,
    load_request,
    named_config,
    parse_request,
    request_document,
)
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.results import read_results
from coworld.schema.validation import json_schema_validation_errors
from tests.coworld_documents import all_of, changed, drop, game_hosted, manifest_document, put, role


def schema(fewest: int, most: int) -> dict:
    tokens = {"type": "array", "items": {"type": "string"}, "minItems": fewest, "maxItems": most}
    return {"type": "object", "required": ["tokens"], "properties": {"tokens": tokens}}


MATRIX = [
    # bounds, configuration, seats (None: nothing says, str: what is wrong)
    ((2, 2), {}, 2),
    ((1, 4), {}, None),
    ((1, 4), {"players": [{}, {}, {}]}, 3),
    ((1, 4), {"players": []}, "game_config.players length must fit game.config_schema.properties.tokens bounds"),
    ((1, 4), {"players": [{}] * 5}, "game_config.players length must fit game.config_schema.properties.tokens bounds"),
    ((0, 4), {"players": []}, 0),
    ((1, 4), {"players": "abc"}, None),
    ((1, 4), {"num_agents": 3}, 3),
    ((1, 4), {"num_agents": 5}, "game_config.num_agents must fit game.config_schema.properties.tokens bounds"),
    ((1, 4), {"num_agents": 0}, None),
    ((2, 2), {"num_agents": 0}, 2),
    ((1, 4), {"num_agents": 2.0}, None),
    ((1, 4), {"players": [{}], "num_agents": 3}, 1),
    ((2, 2), {"num_agents": 3}, "game_config.num_agents must fit game.config_schema.properties.tokens bounds"),
]


@pytest.mark.parametrize(("bounds", "config", "seats"), MATRIX)
def test_how_many_seats_a_configuration_has(bounds: tuple[int, int], config: dict, seats: int | str | None) -> None:
    if isinstance(seats, str):
        with pytest.raises(DocumentError, match=seats):
            infer_token_count_for_game_config(schema(*bounds), config)
        assert seats in (authored_game_config_validation_error(config, schema(*bounds)) or "")
    else:
        assert infer_token_count_for_game_config(schema(*bounds), config) == seats
        assert authored_game_config_validation_error(config, schema(*bounds)) is None


def test_a_given_count_wins_and_is_checked() -> None:
    assert authored_game_config_validation_error({"players": [{}] * 9}, schema(1, 4), token_count=3) is None
    message = authored_game_config_validation_error({}, schema(2, 2), token_count=3)
    assert message == "at tokens: ['token-0', 'token-1', 'token-2'] is too long"


def test_the_seats_of_a_run_come_from_players_then_fixture_then_schema() -> None:
    assert slot_count(schema(1, 4), {"players": [{}]}, certification_players=3) == 1
    assert slot_count(schema(1, 4), {}, certification_players=3) == 3
    assert slot_count(schema(2, 2), {}) == 2
    with pytest.raises(DocumentError, match="number of seats is open") as caught:
        slot_count(schema(1, 4), {})
    assert "num_agents" in (caught.value.hint or "")


def test_tokens_are_fresh_and_safe_in_an_address() -> None:
    tokens = generate_tokens(50)
    assert len(set(tokens)) == 50
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", token) for token in tokens)


def test_tokens_are_added_once_and_only_by_the_runner() -> None:
    authored = {"width": 4}
    assert game_config_with_tokens(authored, ["a"]) == {"width": 4, "tokens": ["a"]}
    assert authored == {"width": 4}
    with pytest.raises(DocumentError, match="runner-managed tokens"):
        game_config_with_tokens({"tokens": []}, ["a"])


SEAT = {"type": "object", "properties": {"name": {"type": "string"}, "owner": {"type": "string"}}}
NAMED = {"properties": {"players": {"type": "array", "items": SEAT}}}
BY_REFERENCE = {
    "properties": {"players": {"type": "array", "items": {"$ref": "#/$defs/Seat"}}},
    "$defs": {"Seat": SEAT},
}


@pytest.mark.parametrize("config_schema", [NAMED, BY_REFERENCE])
def test_names_are_written_where_the_game_has_a_place_for_them(config_schema: dict) -> None:
    names = ["a", "a", "b", "a (2)"]
    players = game_config_with_named_players({}, names, config_schema)["players"]
    assert [player["name"] for player in players] == ["a", "a (2)", "b", "a (2) (2)"]
    kept = game_config_with_named_players({"players": [{"team": 1}, {}]}, ["x", "y"], config_schema)
    assert kept == {"players": [{"team": 1, "name": "x"}, {"name": "y"}]}
    with pytest.raises(DocumentError, match="must match resolved player count"):
        game_config_with_named_players({"players": [{}]}, ["x", "y"], config_schema)
    overwritten = game_config_with_overwritten_named_players({"players": [{}, {}, {}]}, ["x"], config_schema)
    assert overwritten == {"players": [{"name": "x"}]}


def test_owners_are_written_and_authored_ones_dropped() -> None:
    authored = {"players": [{"owner": "me"}, {"owner": "me"}]}
    named = game_config_with_named_players(authored, ["x", "y"], NAMED, player_owners=["them", None])
    assert named == {"players": [{"owner": "them", "name": "x"}, {"name": "y"}]}
    assert authored == {"players": [{"owner": "me"}, {"owner": "me"}]}


@pytest.mark.parametrize(
    "config_schema", [{}, {"properties": {"players": {"type": "array", "items": {"type": "string"}}}}]
)
def test_games_without_a_place_for_names_get_none(config_schema: dict) -> None:
    assert game_config_with_named_players({"players": ["p"]}, ["x"], config_schema) == {"players": ["p"]}


def test_schemas_do_not_make_this_machine_fetch_anything() -> None:
    for reference in ("http://127.0.0.1:9/x.json", "file:///etc/passwd", "#/$defs/none"):
        with pytest.raises(DocumentError, match="leads nowhere"):
            json_schema_validation_errors({}, {"$ref": reference})
    with pytest.raises(DocumentError, match="circular"):
        json_schema_validation_errors({}, {"$ref": "#"})


def test_references_of_schemas_cannot_keep_this_machine_busy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("coworld.schema.validation._MAX_STEPS", 10_000)
    twice = {"allOf": [{"$ref": "#/$defs/a"}] * 2}
    schema = {"$defs": {"a": {"properties": {"x": twice}}}, "$ref": "#/$defs/a"}
    value: dict[str, Any] = {}
    for _ in range(60):
        value = {"x": value}
    with pytest.raises(DocumentError, match="checking a value takes more than 10,000 steps"):
        json_schema_validation_errors(value, schema)
    (tmp_path / "results.json").write_text(json.dumps(value))
    with pytest.raises(RunnerEpisodeError, match=r"results_schema cannot be used.*10,000 steps") as caught:
        read_results(tmp_path / "results.json", schema, 2)
    assert caught.value.error_type == "results_malformed"


def test_large_results_are_not_checked_with_a_large_schema(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps({"scores": [1.0, 2.0], "text": "x" * 3_000_000}))
    read_results(tmp_path / "results.json", {"anyOf": [{"type": "object"}] * 100}, 2)
    with pytest.raises(RunnerEpisodeError, match="too many for a schema of 1001 subschemas"):
        read_results(tmp_path / "results.json", {"anyOf": [{"type": "string"}] * 1000}, 2)


def test_errors_are_collected_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coworld.schema.validation._MAX_MESSAGE_CHARACTERS", 1000)
    assert 1 < len(json_schema_validation_errors(["long" * 100] * 1000, {"items": {"type": "integer"}})) < 5


def test_patterns_of_schemas_cannot_keep_this_machine_busy() -> None:
    endless = "(a+)+$"
    schema = {
        "properties": {"text": {"pattern": endless}},
        "patternProperties": {endless: {"type": "integer"}, "^b": {"type": "integer"}},
        "additionalProperties": False,
    }
    long = "a" * 1000 + "!"
    found = json_schema_validation_errors({"text": long, long: 1, "aa": "x", "b": 1}, schema)
    assert [list(error.absolute_path) for error in found] == [[], ["aa"], ["text"]]
    assert "not match any of the regexes" in found[0].message
    draft = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": endless}  # has a validator of its own
    assert len(json_schema_validation_errors({"text": "a" * 50 + "!"}, {"properties": {"text": draft}})) == 1
    assert json_schema_validation_errors("ab", {"pattern": "a(?=b)"}) == []
    with pytest.raises(DocumentError, match="not a regular expression"):
        json_schema_validation_errors("a", {"pattern": "["})


# Packages and requests


@pytest.fixture
def package(tmp_path: Path) -> CoworldPackage:
    return written_package(tmp_path, manifest_document())


def written_package(folder: Path, document: dict) -> CoworldPackage:
    (folder / "coworld_manifest.json").write_text(json.dumps(document))
    return load_package(folder)


def test_a_package_is_loaded_from_its_folder_file_or_address(tmp_path: Path) -> None:
    package = written_package(tmp_path, manifest_document())
    for reference in (package.path, str(package.path), package.path.as_uri()):
        assert load_package(reference).manifest == package.manifest
    assert package.root == tmp_path


def test_two_players_of_one_id_cannot_be_run(tmp_path: Path) -> None:
    document = changed(put("player", 1, "id", value="my-player"))
    with pytest.raises(ManifestError, match="unknown certification player_id: other"):
        written_package(tmp_path, document)
    document["certification"]["players"][1]["player_id"] = "my-player"
    with pytest.raises(ManifestError, match="duplicate player id: 'my-player'"):
        written_package(tmp_path, document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON at line 1, column 2"),
        ("[1]", "Expected JSON object"),
        ('{"a": "\xff"', "not JSON"),
        ("[" * 100_000, "not JSON: it is too deeply nested"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1e999}', "1e999 is not a JSON number"),
        ('{"a": ' + "9" * 5000 + "}", "thousands of digits"),
    ],
)
def test_a_file_that_is_no_object_is_refused_in_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "coworld_manifest.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SourceError, match=message) as caught:
        load_package(path)
    assert caught.value.hint


def test_files_of_a_package_are_inside_it(tmp_path: Path) -> None:
    root = tmp_path / "package"
    root.mkdir()
    package = written_package(root, manifest_document())
    (root / "bot.wasm").write_bytes(b"x")
    (root / "link").symlink_to(tmp_path)
    assert package.file("bot.wasm").read_bytes() == b"x"
    for outside in ("../other", "link/other"):
        with pytest.raises(SourceError, match="outside"):
            package.file(outside)
    with pytest.raises(SourceError, match="missing"):
        package.file("nothing")


def test_the_fixture_is_what_is_played_when_nothing_is_asked_for(package: CoworldPackage) -> None:
    request = fixture_request(package)
    assert request.episode_tags == {"source": "coworld_certification"}
    assert request.game_config == package.manifest.certification.game_config
    assert [player.image for player in request.players] == ["example/player:latest"] * 2  # type: ignore[union-attr]
    check_request(request)
    document = request_document(request)
    assert list(json_schema_validation_errors(document, coworld_episode_request_schema())) == []
    assert "id" not in document["players"][0] and "policy_names" not in document


def test_images_fill_all_seats_or_one_each(package: CoworldPackage) -> None:
    request = fixture_request(package, variant_id="small", images=["a:1"], run=["go"], seed=7)
    assert [(player.image, player.run) for player in request.players] == [("a:1", ["go"])] * 2  # type: ignore[union-attr]
    assert request.game_config["seed"] == 7
    with pytest.raises(CoworldError, match="expected 1 or 2 player images for 2 player slots"):
        fixture_request(package, images=["a", "b", "c"])
    with pytest.raises(CoworldError, match="unknown Coworld variant_id: 'large'") as caught:
        fixture_request(package, variant_id="large")
    assert caught.value.hint == "tiny has: small"


def request_of(package: CoworldPackage, **more: object) -> dict:
    return request_document(fixture_request(package)) | more


def test_a_request_may_seat_entries_of_the_manifest_and_name_policies(package: CoworldPackage) -> None:
    players = [role("player"), {"type": "human", "token": "t" * 16}]
    request = parse_request(request_of(package, players=players, policy_names=["Ann", "Ann"]))
    assert request_document(request)["policy_names"] == ["Ann", "Ann"]
    assert [player["name"] for player in named_config(request)["players"]] == ["Ann", "Ann (2)"]


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (put("players", value=[]), "players", "there are 0"),
        (put("players", 0, "type", value="grader"), "players[0].type", "'player'"),
        (put("players", 0, value={"type": "human", "token": "short"}), "players[0].token", "too short"),
        (
            put("players", 0, value={"type": "player-file", "content_hash": "a" * 64, "size_bytes": 1}),
            "players[0]",
            "file cannot be seated",
        ),
        (put("players", 0, value="image"), "players[0]", "object"),
        (put("episode_tags", value={"a": 1}), "episode_tags.a", "a string"),
        (put("policy_names", value=["only one"]), "policy_names", "1 names for 2 players"),
        (put("colour", value=1), "colour", "unknown key"),
        (put("manifest", "colour", value=1), "manifest.colour", "unknown key"),
    ],
)
def test_what_is_wrong_with_a_request_is_told(package: CoworldPackage, change: object, path: str, message: str) -> None:
    document = request_of(package)
    change(document)  # type: ignore[operator]
    with pytest.raises(DocumentError) as caught:
        parse_request(document)
    first = caught.value.problems[0]
    assert first.path == path and message in first.message


def test_a_game_that_hosts_its_players_takes_files_and_people_only(tmp_path: Path) -> None:
    package = written_package(tmp_path, changed(game_hosted()))
    file = {"type": "player-file", "content_hash": "a" * 64, "size_bytes": 1}
    base = {"manifest": changed(game_hosted()), "game_config": {"width": 8}}
    parse_request(base | {"players": [file, {"type": "human", "token": "t" * 16}]})
    with pytest.raises(DocumentError, match="image cannot be seated"):
        parse_request(base | {"players": [{"type": "player", "image": "x"}]})
    assert package.manifest.player[0].file == "players/bot.wasm"


def test_a_request_for_another_coworld_is_refused(tmp_path: Path, package: CoworldPackage) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request_of(package)))
    assert load_request(path, package=package).manifest == package.manifest
    other = request_of(package)
    other["manifest"]["game"]["version"] = "9.9"
    path.write_text(json.dumps(other))
    with pytest.raises(CoworldError, match=f"episode request manifest does not match {re.escape(str(package.path))}"):
        load_request(path, package=package)


def test_an_episode_with_a_bad_configuration_is_refused(package: CoworldPackage) -> None:
    request = parse_request(changed_request(package, put("game_config", "width", value=1)))
    with pytest.raises(DocumentError, match="game_config is invalid at width"):
        check_request(request)
    bare = parse_request(
        changed_request(package, all_of(drop("game_config", "players"), put("players", value=[role("player")])))
    )
    with pytest.raises(DocumentError, match="game_config is invalid at tokens"):
        check_request(bare)


def changed_request(package: CoworldPackage, change: object) -> dict:
    document = request_of(package)
    change(document)  # type: ignore[operator]
    return document


# Seats of a game that hosts its players


def seat(**more: object) -> dict:
    return {
        "slot": 0,
        "file_uri": "file:///coworld/players/0/file",
        "content_hash": "sha256:" + "a" * 64,
        "size_bytes": 1,
        "log_uri": "file:///coworld/logs/policy_agent_0.log",
        "artifact_uri": "file:///coworld/policy_artifact_0.zip",
    } | more


def seats(version: str, *entries: dict) -> dict:
    return {"schema": version, "seats": list(entries), "player_status_uri": "file:///coworld/player_status.json"}


@pytest.mark.parametrize(
    "document",
    [
        seats("coworld-player-seats/1", seat()),
        seats("coworld-player-seats/2", seat(annotations_uri="file:///x")),
        seats("coworld-play-seats/1", seat(kind="policy"), {"slot": 1, "kind": "human"}),
    ],
)
def test_seats_documents_are_written_as_they_were_read(document: dict) -> None:
    assert CoworldPlayerSeats.model_validate(document).model_dump(mode="json") == document


def test_the_first_seats_version_has_no_annotations() -> None:
    with pytest.raises(ValueError, match="no annotations"):
        CoworldPlayerSeats.model_validate(seats("coworld-player-seats/1", seat(annotations_uri="file:///x")))
