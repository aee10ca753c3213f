"""The manifest is what the code says, and its configs can be played."""

import json

import jsonschema
import pytest

from cogsguard.coworld.config import GameConfig
from cogsguard.coworld.errors import BadConfig
from cogsguard.coworld.manifest import PACKAGED, make_manifest, manifest_text


def test_the_packaged_manifest_is_fresh() -> None:
    assert PACKAGED.read_text() == manifest_text(), "run `python -m cogsguard.coworld.manifest`"


@pytest.mark.parametrize("slots", [1, 4, 8])
def test_every_config_of_a_manifest_fits_its_schema_and_the_game(slots: int) -> None:
    manifest = make_manifest(slots)
    schema = manifest["game"]["config_schema"]
    tokens = [f"token-{slot}" for slot in range(slots)]
    configs = [variant["game_config"] for variant in manifest["variants"]]
    for config in (*configs, manifest["certification"]["game_config"]):
        jsonschema.validate({**config, "tokens": tokens}, schema)
        GameConfig(**config, tokens=tokens).environment()
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(config, schema)


def test_teams_of_several_slots_play_against_each_other() -> None:
    manifest = make_manifest(8)
    variant = next(variant for variant in manifest["variants"] if variant["id"] == "four-score")
    env = GameConfig(**variant["game_config"], tokens=["x"] * 8).environment()
    assert [agent.team_id for agent in env.game.agents] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_manifest_needs_a_mission_for_the_number_of_slots() -> None:
    with pytest.raises(BadConfig, match="81"):
        make_manifest(81)


def test_both_generations_of_rules_accept_the_manifest() -> None:
    manifest = json.loads(PACKAGED.read_text())
    roles = ("player", "commissioner", "reporter", "grader", "diagnoser", "optimizer")
    assert all(manifest[role] for role in roles)
    bounds = manifest["game"]["config_schema"]["properties"]["tokens"]
    assert bounds["minItems"] == bounds["maxItems"]
    assert [page["id"] for page in manifest["game"]["docs"]["pages"]] == ["rules.md", "play_cog.md"]
