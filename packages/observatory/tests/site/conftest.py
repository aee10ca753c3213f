"""A server with Paint Arena, leagues and policies, for the pages that seasons and leagues share."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World


@pytest.fixture
def arena(world: World, client: TestClient) -> Arena:
    return Arena(world, client)


@pytest.fixture
def field(world: World, client: TestClient) -> Field:
    return Field(world, client)


@pytest.fixture
def token(client: TestClient, admin: Any) -> str:
    """A worker's token."""
    return client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
