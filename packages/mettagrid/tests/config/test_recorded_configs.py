"""Configurations of recorded games load, and mean the same after saving."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig


@pytest.fixture(scope="module")
def recorded(oracle_dir: Path) -> dict[Path, dict[str, Any]]:
    """Return the configurations by file; of the large missions in `game`, which resemble each other, every eighth."""
    paths = sorted(path for path in oracle_dir.glob("*/*.json*") if not path.name.endswith(".meta.json"))
    missions = [path for path in paths if path.parent.name == "game"]
    paths = [path for path in paths if path not in set(missions)] + missions[::8]
    assert len(paths) > 100
    return {path: json.loads(gzip.open(path).read() if path.suffix == ".gz" else path.read_text()) for path in paths}


def test_every_recorded_configuration_survives_saving_and_loading(recorded: dict[Path, dict[str, Any]]) -> None:
    for path, data in recorded.items():
        config = MettaGridConfig.model_validate(data)
        assert MettaGridConfig.model_validate_json(config.model_dump_json()) == config, path.name
        assert MettaGridConfig(**config.model_dump()) == config, path.name


def test_features_and_tags_are_numbered_as_recorded(recorded: dict[Path, dict[str, Any]]) -> None:
    for path, data in recorded.items():
        ids = MettaGridConfig.model_validate(data).game.id_map()
        with np.load(path.with_name(path.name.split(".json")[0] + ".npz")) as trace:
            assert [f"{feature.id}:{feature.name}" for feature in ids.features()] == list(trace["features"]), path.name
            assert ids.tag_names() == list(trace["tags"]), path.name
