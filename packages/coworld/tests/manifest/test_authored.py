"""What is refused before anything runs: names, references, and all of it at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coworld.certification.certify import certify
from coworld.engines.process import ProcessEngine
from coworld.errors import ManifestError
from coworld.manifest.reader import read_authored_manifest, read_downloaded_manifest
from coworld.schema.references import reference_problems
from packages.coworld.tests.cli.conftest import coworld
from packages.coworld.tests.worlds import manifest_document


def problems_of(document: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(ManifestError) as refused:
        read_authored_manifest(document)
    return {problem.path: problem.message for problem in refused.value.problems}


def test_every_problem_is_told_at_once_whatever_its_kind(tmp_path: Path) -> None:
    document = manifest_document()
    del document["game"]["owner"]
    document["game"]["colour"] = "red"
    document["variants"][0]["game_config"]["ticks"] = "three"
    document["certification"]["game_config"]["ticks"] = None
    assert [*problems_of(document)] == [
        "game.owner",
        "game.colour",
        "variants[0].game_config.ticks",
        "certification.game_config.ticks",
    ]
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    report = certify(path, engine=ProcessEngine(), workspace=tmp_path / "out")
    assert report.failed_step is not None
    feedback = report.failed_step.feedback or ""
    assert all(word in feedback for word in ("game.owner", "game.colour", "variants[0]", "certification.game_config"))


def test_unknown_keys_do_not_hide_broken_rules() -> None:
    document = manifest_document()
    document["colour"] = "red"
    document["certification"]["players"][0]["player_id"] = "nobody"
    document["player"][1]["image"] = ""
    assert [*problems_of(document)] == ["colour", "player[1].image", "certification.players[0].player_id"]


def test_the_command_lists_them_all(tmp_path: Path) -> None:
    document = manifest_document()
    document["game"]["version"] = "one"
    document["tags"] = []
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(document))
    said = coworld("run-episode", path, "-o", tmp_path / "out")
    assert said.code == 1
    assert "There are 2 problems:" in said.err and "game.version" in said.err and "tags" in said.err


@pytest.mark.parametrize("image", ["", " ", "my game:1", "game\n"])
def test_an_image_needs_a_name(image: str) -> None:
    document = manifest_document()
    document["game"]["runnable"]["image"] = image
    assert [*problems_of(document)] == ["game.runnable.image"]
    read_downloaded_manifest(document)  # a server has accepted it


@pytest.mark.parametrize("name", ["a b", "../x", "a/b", "-x", "..", "x\n", "x" * 201, "a\\b"])
def test_an_id_has_to_fit_in_paths_and_commands(name: str) -> None:
    document = manifest_document()
    document["variants"][0]["id"] = name
    assert [*problems_of(document)] == ["variants[0].id"]


CIRCLE = {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
TREE = {"$ref": "#/$defs/node", "$defs": {"node": {"properties": {"left": {"$ref": "#/$defs/node"}}}}}


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ({"$ref": "https://elsewhere.example/schema.json"}, "leads to another document"),
        ({"properties": {"a": {"$ref": "other.json#/x"}}}, "leads to another document"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "leads to another document"),
        ({"properties": {"a": {"$ref": "#/$defs/missing"}}}, "leads nowhere"),
        (CIRCLE, "lead in a circle"),
        ({"$ref": "#"}, "lead in a circle"),
    ],
)
def test_schema_references_stay_inside_and_end(schema: dict[str, Any], sentence: str) -> None:
    assert [sentence in problem.message for problem in reference_problems(schema, at="s")] == [True]
    document = manifest_document()
    document["game"]["results_schema"] = {"type": "object", **schema}
    (message,) = problems_of(document).values()
    assert sentence in message


@pytest.mark.parametrize(
    "schema",
    [
        TREE,
        {"properties": {"$ref": {"type": "string"}}},
        {"$defs": {"a/b~c": {}}, "$ref": "#/$defs/a~1b~0c"},
        {"$defs": {"a": {"$anchor": "here"}}, "$ref": "#here"},
        {"properties": {"a": {"const": {"$ref": "https://elsewhere.example"}}}},
    ],
)
def test_good_references_pass(schema: dict[str, Any]) -> None:
    assert reference_problems(schema, at="s") == []
