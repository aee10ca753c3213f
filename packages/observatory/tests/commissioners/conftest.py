from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.commissioners.conversing import Commissioned, make_commissioned
from packages.observatory.tests.world import World


@pytest.fixture
def token(client: TestClient, admin: Any) -> str:
    """A worker's token."""
    return client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]


@pytest.fixture
def league(world: World, client: TestClient, ada: Any, token: str) -> Commissioned:
    """A league of ada's with a scripted commissioner."""
    return make_commissioned(world, client, ada, token)
