"""List and read Coworlds: who sees which, pages that stay in place, and addresses of images."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from packages.observatory.tests.coworlds.games import game, publish, put_coworld
from packages.observatory.tests.images.pushing import HELLO, Push, begin


def names(answer: Any) -> list[str]:
    return [row["name"] for row in answer.json()]


def test_a_private_game_is_seen_by_its_uploader_and_administrators(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, admin: Any, clock: Any
) -> None:
    hidden = put_coworld(app, clock, ada, "hidden", visibility="private")
    clock.advance(1)
    put_coworld(app, clock, ada, "open")
    paths = [
        f"/v2/coworlds/{hidden}",
        f"/v2/coworlds/{hidden}/certification",
        f"/v2/coworlds/{hidden}/play.md",
        f"/v2/coworlds/{hidden}/episode-requests",
        "/play_hidden.md",
    ]
    for headers, lists, status in (
        ({}, ["open"], 404),
        (bob.headers, ["open"], 404),
        (ada.headers, ["open", "hidden"], 200),
        (admin.headers, ["open", "hidden"], 200),
    ):
        assert names(client.get("/v2/coworlds/summaries", headers=headers)) == lists
        assert names(client.get("/v2/coworlds", headers=headers)) == lists
        assert [client.get(path, headers=headers).status_code for path in paths] == [status] * len(paths)
    assert client.get("/v2/coworlds/secrets/hidden", headers=bob.headers).status_code == 404
    plain = {"X-Auth-Token": admin.token}
    assert client.get(paths[0], headers=plain).status_code == 404

    made_public = client.post("/v2/coworlds/hidden/visibility", json={"visibility": "public"}, headers=admin.headers)
    assert made_public.json() == {
        "name": "hidden",
        "visibility": "public",
        "changed": True,
        "versions": [{"id": hidden, "version": "1.0.0", "canonical": True}],
        "private_league_ids": [],
        "private_seed_ids": [],
    }
    again = client.post("/v2/coworlds/hidden/visibility", json={"visibility": "public"}, headers=admin.headers)
    assert again.json()["changed"] is False
    assert client.get(paths[0]).status_code == 200


def test_pages_stay_in_place_while_games_are_published(app: FastAPI, client: TestClient, ada: Any, clock: Any) -> None:
    for number in range(5):
        clock.advance(1)
        put_coworld(app, clock, ada, f"game-{number}")
    seen, cursor = [], None
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = client.get("/v2/coworlds/summaries", params=params)
        seen += names(page)
        cursor = page.headers.get("X-Next-Cursor")
        clock.advance(1)
        put_coworld(app, clock, ada, f"new-{clock():%s}")
        if cursor is None:
            break
    assert seen == ["game-4", "game-3", "game-2", "game-1", "game-0"]
    assert names(client.get("/v2/coworlds?limit=2&offset=3")) == ["game-4", "game-3"]
    bad = client.get("/v2/coworlds/summaries?cursor=x.y")
    assert (bad.status_code, "cursor" in bad.json()["detail"]) == (422, True)


def test_a_list_can_be_narrowed_to_a_name_and_to_canonical_versions(
    app: FastAPI, client: TestClient, ada: Any, clock: Any
) -> None:
    put_coworld(app, clock, ada, "cogs_vs_clips", version="1.0.0", canonical=False)
    clock.advance(1)
    put_coworld(app, clock, ada, "cogs_vs_clips", version="1.1.0")
    put_coworld(app, clock, ada, "other")
    by_name = client.get("/v2/coworlds/summaries?name=Cogs-vs-Clips").json()
    assert [row["version"] for row in by_name] == ["1.1.0", "1.0.0"]
    newest = client.get("/v2/coworlds?name=cogs-vs-clips&canonical=true").json()
    assert [row["version"] for row in newest] == ["1.1.0"]
    assert newest[0]["manifest"]["game"]["name"] == "cogs_vs_clips"
    summary = by_name[0]["manifest_summary"]
    assert summary["role_counts"] == {"player": 1, "commissioner": 1, "grader": 1, "diagnoser": 1, "optimizer": 1}
    assert [variant["id"] for variant in summary["variants"]] == ["default"]


@pytest.mark.any_database
def test_images_of_a_manifest_become_addresses_that_can_be_pulled(client: TestClient, ada: Any, bob: Any) -> None:
    begun = begin(client, ada)
    manifest = game()
    manifest["player"][0]["image"] = begun["image"]["id"]
    pending = publish(client, ada, manifest)
    assert (pending.status_code, "is not complete" in pending.json()["detail"]) == (400, True)
    Push(client, begun["pre_signed_info"]).image(HELLO)
    image = client.post(
        "/v2/container_images/upload/complete", json={"id": begun["image"]["id"]}, headers=ada.headers
    ).json()
    foreign = publish(client, bob, manifest)
    assert (foreign.status_code, "There is no container image" in foreign.json()["detail"]) == (400, True)

    hidden = publish(client, ada, manifest, visibility="private")
    assert hidden.status_code == 200, hidden.text
    assert hidden.json()["manifest"]["player"][0]["image"] == image["public_image_uri"]
    assert hidden.json()["manifest"]["game"]["runnable"]["image"] == "softmax/paintarena:latest"
    assert client.get(f"/v2/container_images/{image['id']}", headers=bob.headers).status_code == 404
    # A downloaded manifest can be uploaded again; a public game makes its images public.
    downloaded = hidden.json()["manifest"]
    downloaded["game"] |= {"name": "another"}
    again = publish(client, ada, downloaded)
    assert again.json()["manifest"]["player"][0]["image"] == image["public_image_uri"]
    assert client.get(f"/v2/container_images/{image['id']}", headers=bob.headers).status_code == 200
