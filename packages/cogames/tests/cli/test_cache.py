"""`cogames cache`: show, prune and clear unpacked bundles."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mettagrid.policy.bundle_cache import EXTRACTED, separate_cache, unpacked_bundle


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with separate_cache(folder):
        yield folder


def entries(cogames: Any) -> list[str]:
    return [Path(entry["path"]).name for entry in json.loads(cogames("cache", "--json").out)["entries"]]


def test_bundles_are_shown_and_old_ones_removed(cogames: Any, cache: Path) -> None:
    unpacked = []
    for number in (1, 2):
        Path(f"policy_{number}.py").write_text(f"x = {number}\n")
        assert cogames("create-bundle", "-p", f"policy_{number}.P", "-o", f"{number}.zip").code == 0
        unpacked.append(unpacked_bundle(Path(f"{number}.zip")))
    old, new = unpacked
    os.utime(old / EXTRACTED, (0, 0))
    assert entries(cogames) == [old.name, new.name]
    lines = cogames("cache").out.splitlines()
    assert lines[0] == f"Folder: {cache}" and lines[-1].split()[:2] == ["all", "2"]
    assert cogames("cache", "prune", "--days", "1").out.startswith("Removed 1 entry, ")
    assert entries(cogames) == [new.name]
    assert unpacked_bundle(Path("1.zip")) == old and (old / "policy_1.py").is_file()  # unpacked again
    assert cogames("cache", "clear").out.startswith("Removed 2 entries, ")
    assert entries(cogames) == [] and cogames("cache", "clear").out == "Nothing to remove.\n"


def test_a_bundle_in_use_counts_as_new(cogames: Any) -> None:
    Path("policy.py").write_text("x = 1\n")
    cogames("create-bundle", "-p", "policy.P")
    folder = unpacked_bundle(Path("submission.zip"))
    os.utime(folder / EXTRACTED, (0, 0))
    unpacked_bundle(Path("submission.zip"))
    assert cogames("cache", "prune").out == "Nothing to remove.\n"
