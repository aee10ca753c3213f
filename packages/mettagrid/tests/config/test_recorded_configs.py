"""Configurations of recorded games load, and mean the same after saving.

Of the large missions in `game`, which resemble each other, `make test` loads every twenty-fourth; `RECORDED_EVERY=1`
(`make soak`) loads all.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig

EVERY = int(os.environ.get("RECORDED_EVERY", "24"))


@pytest.fixture(scope="module")
def recorded(oracle_dir: Path) -> dict[Path, MettaGridConfig]:
    """Return the configurations by file."""
    paths = sorted(path for path in oracle_dir.glob("*/*.json*") if not path.name.endswith(".meta.json"))
    missions = [path for path in paths if path.parent.name == "game"]
    paths = [path for path in paths if path not in set(missions)] + missions[::EVERY]
    assert len(paths) > 100
    return {path: MettaGridConfig.model_validate(read(path)) for path in paths}


def read(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file, packed or not."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        content: dict[str, Any] = json.load(file)
    return content


def test_every_recorded_configuration_survives_saving_and_loading(recorded: dict[Path, MettaGridConfig]) -> None:
    for path, config in recorded.items():
        assert MettaGridConfig.model_validate_json(config.model_dump_json()) == config, path.name
        assert MettaGridConfig(**config.model_dump()) == config, path.name


def test_features_and_tags_are_numbered_as_recorded(recorded: dict[Path, MettaGridConfig]) -> None:
    for path, config in recorded.items():
        ids = config.game.id_map()
        with np.load(path.with_name(path.name.split(".json")[0] + ".npz")) as trace:
            assert [f"{feature.id}:{feature.name}" for feature in ids.features()] == list(trace["features"]), path.name
            assert ids.tag_names() == list(trace["tags"]), path.name
