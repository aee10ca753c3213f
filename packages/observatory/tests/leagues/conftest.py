from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.world import World


@pytest.fixture
def field(world: World, client: TestClient) -> Field:
    return Field(world, client)


@pytest.fixture
def league(field: Field, ada: Any) -> str:
    """A public league of ada's."""
    return field.league(ada)
