"""Public ids: a prefix and a UUID."""

from __future__ import annotations

import uuid

import pytest

from observatory.errors import NotFound, Unprocessable
from observatory.public_ids import parse_public_id, public_id

IMAGE = uuid.UUID("0198f0aa-1b2c-7d3e-8f40-5a6b7c8d9e0f")


def test_a_public_id_is_the_prefix_and_the_uuid_and_reads_back() -> None:
    assert public_id("img", IMAGE) == f"img_{IMAGE}"
    assert parse_public_id("img", f"img_{IMAGE}") == IMAGE


@pytest.mark.parametrize(
    "text", [f"league_{IMAGE}", str(IMAGE), f"img_{IMAGE.hex}", f"img_{str(IMAGE).upper()}", "img_", "img_x", "", "_"]
)
def test_anything_else_is_refused_with_the_expected_prefix(text: str) -> None:
    with pytest.raises(NotFound, match="not the id of a container image; such an id begins with `img_`"):
        parse_public_id("img", text)


def test_an_id_in_a_body_is_refused_as_malformed() -> None:
    with pytest.raises(Unprocessable, match="not the id of an episode request"):
        parse_public_id("ereq", "nothing", error=Unprocessable)
