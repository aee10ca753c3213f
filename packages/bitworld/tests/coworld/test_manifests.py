"""The manifests are what the code says, and their configurations can be played."""

import json
from typing import Any

import jsonschema
import pytest

from bitworld.coworld.config import EpisodeConfig
from bitworld.coworld.manifest import WORLDS, make_manifest, manifest_text
from bitworld.registry import game_names, new_game


def test_every_game_is_a_coworld() -> None:
    assert sorted(WORLDS) == game_names()


@pytest.mark.parametrize("game", WORLDS)
def test_the_packaged_manifest_is_fresh(game: str) -> None:
    assert WORLDS[game].path.read_text() == manifest_text(game), "run `python -m bitworld.coworld.manifest`"


@pytest.mark.parametrize("game", WORLDS)
def test_every_configuration_fits_its_schema_and_the_game(game: str) -> None:
    manifest = make_manifest(game)
    schema = manifest["game"]["config_schema"]
    tokens = [f"token-{slot}" for slot in range(WORLDS[game].slots)]
    configs: list[dict[str, Any]] = [variant["game_config"] for variant in manifest["variants"]]
    for config in (*configs, manifest["certification"]["game_config"]):
        jsonschema.validate({**config, "tokens": tokens}, schema)
        episode = EpisodeConfig(**config, tokens=tokens)
        effective = new_game(game, episode.game_config).config
        assert effective["maxTicks"] == config["max_ticks"]
        assert "token-0" not in json.dumps(effective)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(config, schema)


def test_names_are_unique_and_without_spaces() -> None:
    seats = [{"name": name} for name in ("Ann Lee", "Bob", "Bob", "x" * 100)]
    names = EpisodeConfig(tokens=["a", "b", "c", "d"], players=seats).names
    assert names[:3] == ["Ann_Lee", "Bob_1", "Bob_2"]
    assert len(names[3]) <= 64
