"""A terminal for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from packages.mettagrid.tests.terminal.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """A shell at its prompt, 80 x 24."""
    shell = Shell(tmp_path)
    yield shell
    shell.close()
