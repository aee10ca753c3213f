"""The document behind every page's address, its files, and what a server without them says."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import api_types
from observatory.pages import serving
from packages.observatory.tests.world import World

HTML = {"Accept": "text/html,application/xhtml+xml"}


def test_the_types_of_the_pages_are_those_of_the_server() -> None:
    assert api_types.TYPES.read_text(encoding="utf-8") == api_types.current(), "run `python scripts/api_types.py`"


def without_metadata(document: str) -> str:
    return re.sub(
        r"<meta (?:property|name=\"(?:twitter|description)).*? />|<link rel=\"(?:canonical|alternate)\".*? />|\s",
        "",
        document,
    )


def test_all_page_addresses_serve_one_document_with_a_strict_policy(client: TestClient, world: World, ada: Any) -> None:
    world.season()
    match = world.match("open", "competition", [(world.version(ada), 4)])
    first = client.get("/observatory", headers=HTML)
    pages = ("/", "/seasons", "/seasons/open", "/seasons/open:v1/matches", f"/matches/{match}", "/manage/seasons/beta")
    for path in (*pages, "/queue", "/upload", "/me"):
        answer = client.get(f"/observatory{path}", headers=HTML)
        assert (answer.status_code, without_metadata(answer.text)) == (200, without_metadata(first.text)), path
    assert first.headers["cache-control"] == "no-cache"
    allowed = dict(part.strip().split(" ", 1) for part in first.headers["content-security-policy"].split(";"))
    assert allowed["default-src"] == "'none'" and allowed["script-src"] == allowed["style-src"] == "'self'"
    assert allowed["connect-src"] == "'self'" and allowed["frame-ancestors"] == "'none'"
    viewer = client.get("/observatory/viewer/")
    assert "frame-ancestors 'self'" in viewer.headers["content-security-policy"]


def test_an_unknown_address_is_404_for_people_and_programs(
    client: TestClient, world: World, ada: Any, admin: Any
) -> None:
    world.season()
    world.season(name="hidden", public=False, is_default=False)
    secret = world.match("hidden", "competition", [(world.version(ada), 4)])
    private = ("seasons/hidden", "seasons/hidden/teams", f"matches/{secret}")
    unknown = ("nothing", "queue/more", "seasons/a/b/c", "seasons/open:v9", "seasons/open/x", "manage/x", "matches/x")
    for path in (*unknown, *private, f"matches/{uuid.uuid4()}"):
        page = client.get(f"/observatory/{path}", headers={**HTML, **ada.headers})
        assert page.status_code == 404 and "<div id=" in page.text, path
        assert client.get(f"/observatory/{path}").json() == {"detail": "Not Found"}
    for policy in ("x", uuid.uuid4()):
        page = client.get(f"/observatory/policies/{policy}", headers=HTML)
        assert page.status_code == 404 and "<div id=" in page.text
    assert {client.get(f"/observatory/{path}", headers=admin.headers).status_code for path in private} == {200}
    # The published clients' base addresses still mean the same routes.
    for base in ("/observatory", "/api/observatory"):
        seasons = client.get(f"{base}/tournament/seasons", headers=HTML).json()
        assert [season["name"] for season in seasons] == ["open"]


def test_a_server_without_built_pages_names_the_build_command(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(serving, "SITE", tmp_path)
    answer = client.get("/observatory", headers=HTML)
    assert answer.status_code == 503 and "make web" in answer.text
    assert client.get("/tournament/seasons").status_code == 200


def test_a_link_to_a_policy_has_its_name_and_rank_for_other_sites(
    client: TestClient, world: World, ada: Any, bob: Any
) -> None:
    world.season()
    name = '"><script>alert(1)</script>'
    version, other = world.version(ada, name), world.version(bob, "theirs")
    world.play(world.match("open", "competition", [(version, 2), (other, 2)]), [1.0, 2.0, 3.0, 4.0])
    page = client.get(f"/observatory/policies/{version}").text
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)&lt;/script&gt; v1 by ada" in page
    assert 'content="Rank 2 of 2 in Open: 1.500 after 1 match"' in page
    assert f'content="http://testserver/observatory/api/policies/{version}/card.png"' in page
    drawing = client.get(f"/observatory/api/policies/{version}/card.svg").text
    assert "<script" not in drawing and "#2" in drawing and "of 2 policies" in drawing


def test_a_card_does_not_reveal_a_private_season(client: TestClient, world: World, ada: Any, admin: Any) -> None:
    world.season(name="hidden", display_name="The hidden one", public=False)
    version = world.version(ada)
    world.play(world.match("hidden", "competition", [(version, 4)]), [1.0] * 4)
    for headers in ({}, ada.headers, admin.headers):
        drawing = client.get(f"/observatory/api/policies/{version}/card.svg", headers=headers).text
        assert "hidden" not in drawing and "Plays in no season yet" in drawing
        assert "hidden" not in client.get(f"/observatory/policies/{version}", headers=headers).text
