"""The bytecode of test files is cached until they change, and the cache is the one that pytest reads."""

from pathlib import Path

import pytest

from tests.collection import cache_bytecode, rewritten_files


def test_a_file_is_rewritten_once_and_again_after_an_edit(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    path = tmp_path / "test_one.py"
    path.write_text("def test() -> None:\n    assert 1 < 2\n")
    cache_bytecode(pytestconfig, [path])
    (cached,) = (tmp_path / "__pycache__").iterdir()
    first = cached.stat()
    cache_bytecode(pytestconfig, [path])
    assert cached.stat().st_ino == first.st_ino
    path.write_text("def test() -> None:\n    assert 1 < 3\n")
    cache_bytecode(pytestconfig, [path])
    assert cached.stat().st_ino != first.st_ino
    assert [entry.name for entry in cached.parent.iterdir()] == [cached.name]


def test_every_test_file_has_a_part_in_it(pytestconfig: pytest.Config) -> None:
    paths = rewritten_files(pytestconfig)
    assert Path(__file__).resolve() in paths and len(paths) > 300
    assert len(paths) == len(set(paths))
