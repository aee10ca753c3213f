"""What other sites get: cards, metadata, embeds, oEmbed and feeds. Public facts only."""

from __future__ import annotations

import io
import json
import re
import uuid
import xml.etree.ElementTree as ElementTree
from typing import Any

import feedparser
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from observatory.database.tables.leagues import League
from observatory.leagues.competition_events import publish_league_event
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.world import World

HOSTILE = "<script>x</script>&\"' ]]>"
HTML = {"Accept": "text/html"}


@pytest.fixture
def match(world: World, ada: Any, bob: Any) -> uuid.UUID:
    world.season()
    mine, theirs = world.version(ada, "mine"), world.version(bob, "theirs")
    made = world.match("open", "competition", [(mine, 2), (theirs, 2)])
    world.play(made, [3.0, 3.0, 1.0, 1.0])
    return made


@pytest.fixture
def hidden(world: World, ada: Any) -> uuid.UUID:
    """A match of a season that is not public."""
    world.season(name="secret", display_name="Secret season", public=False, is_default=False)
    made = world.match("secret", "qualifying", [(world.version(ada, "hidden policy"), 4)])
    world.play(made, [1.0] * 4)
    return made


def tags(client: TestClient, path: str) -> dict[str, str]:
    text = client.get(path, headers=HTML).text
    return dict(re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)" />', text))


def test_matches_and_seasons_have_cards_of_public_facts(
    client: TestClient, match: uuid.UUID, hidden: uuid.UUID, admin: Any
) -> None:
    base = client.app.state.settings.base_url()  # type: ignore[attr-defined]
    shown = tags(client, f"/observatory/matches/{match}")
    assert shown["og:title"] == "mine v1 – theirs v1"
    assert shown["og:description"] == "mine v1 3.000, theirs v1 1.000 in Open"
    assert shown["og:url"] == f"{base}/observatory/matches/{match}"
    path = shown["og:image"].removeprefix(base)
    answer = client.get(path)
    assert answer.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert client.get(path, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    svg = client.get(path.replace(".png", ".svg"))
    assert "theirs v1" in svg.text and ElementTree.fromstring(svg.text).tag.endswith("svg")
    season = tags(client, "/observatory/seasons/open")
    assert season["og:title"] == "Open" and season["og:description"].startswith("mine v1 by ada leads 2 policies")
    assert client.get(season["og:image"].removeprefix(base)).status_code == 200
    for kind, key in (("matches", str(hidden)), ("seasons", "secret")):
        for account in ({}, admin.headers):
            assert client.get(f"/observatory/api/{kind}/{key}/card.png", headers=account).status_code == 404
        page = client.get(f"/observatory/{kind}/{key}", headers={**HTML, **admin.headers})
        assert page.status_code == 200 and "ecret" not in page.text and "hidden policy" not in page.text


def test_names_of_policies_cannot_leave_their_place(client: TestClient, world: World, ada: Any, bob: Any) -> None:
    world.season(display_name='A "season" <b>')
    name = '<img src=x onerror=alert(1)>&"'
    made = world.match("open", "competition", [(world.version(ada, name), 2), (world.version(bob, "b"), 2)])
    world.play(made, [1.0, 1.0, 0.0, 0.0])
    page = client.get(f"/observatory/matches/{made}", headers=HTML).text
    assert "<img src=x" not in page and "&lt;img src=x" in page
    for form in ("atom", "rss"):
        text = client.get(f"/observatory/feeds/seasons/open.{form}").text
        assert "<img" not in text and ElementTree.fromstring(text) is not None
    embed = client.get("/observatory/oembed", params={"url": url(client, made)}).json()
    assert "<img" not in embed["html"] and embed["title"].startswith("<img")
    framed = client.get(f"/observatory/embed/matches/{made}").text
    assert "<img" not in framed


def url(client: TestClient, match: uuid.UUID, query: str = "") -> str:
    return f"{client.app.state.settings.base_url()}/observatory/matches/{match}{query}"  # type: ignore[attr-defined]


def test_every_site_may_frame_the_replay_of_a_public_match_and_no_other(
    client: TestClient, match: uuid.UUID, hidden: uuid.UUID, admin: Any, world: World, ada: Any
) -> None:
    framed = client.get(f"/observatory/embed/matches/{match}?tick=7&replay=https://evil.example/x")
    assert framed.status_code == 200 and "x-frame-options" not in framed.headers
    assert framed.headers["content-security-policy"].endswith("frame-ancestors *")
    [place] = re.findall(r'<meta name="mettascope-place" content="([^"]*)"', framed.text)
    assert "evil" not in framed.text and "tick=7" in place and "replay=%2Fepisodes%2F" in place
    assert "set-cookie" not in framed.headers
    for headers in ({}, admin.headers):
        refused = client.get(f"/observatory/embed/matches/{hidden}", headers=headers)
        assert refused.status_code == 404 and "hidden policy" not in refused.text
        assert refused.headers["content-security-policy"].endswith("frame-ancestors *")
    waiting = world.match("open", "qualifying", [(world.version(ada, "new"), 4)])
    assert "No replay of new v1 yet" in client.get(f"/observatory/embed/matches/{waiting}").text
    page = client.get(f"/observatory/matches/{match}", headers=HTML)
    assert page.headers["x-frame-options"] == "DENY"


def test_oembed_describes_matches_of_this_server(client: TestClient, match: uuid.UUID, hidden: uuid.UUID) -> None:
    page = client.get(f"/observatory/matches/{match}", headers=HTML).text
    [found] = re.findall(r'<link rel="alternate" type="application/json\+oembed" href="([^"]*)" />', page)
    answer = client.get(found.removeprefix(client.app.state.settings.base_url()))  # type: ignore[attr-defined]
    assert answer.status_code == 200 and answer.headers["access-control-allow-origin"] == "*"
    document = answer.json()
    assert (document["version"], document["type"], document["width"], document["height"]) == ("1.0", "rich", 960, 600)
    assert f"/observatory/embed/matches/{match}" in document["html"] and document["thumbnail_width"] == 1200
    small = {"url": url(client, match, "?tick=12"), "maxwidth": 400, "maxheight": 300}
    document = client.get("/observatory/oembed", params=small).json()
    assert (document["width"], document["height"]) == (400, 300) and "?tick=12" in document["html"]
    refused = [
        url(client, hidden),
        f"https://elsewhere.example/observatory/matches/{match}",
        url(client, match).replace("matches", "policies"),
        "nonsense",
        f"javascript://{match}",
    ]
    for address in refused:
        assert client.get("/observatory/oembed", params={"url": address}).status_code == 404, address
    asked = {"url": url(client, match), "format": "xml"}
    assert client.get("/observatory/oembed", params=asked).status_code == 501


@pytest.mark.parametrize("form", ["atom", "rss", "json"])
def test_feeds_are_valid_and_have_the_newest_first(
    form: str, client: TestClient, world: World, match: uuid.UUID, ada: Any, bob: Any, clock: Any
) -> None:
    clock.advance(60)
    mine = world.version(ada, HOSTILE)
    newest = world.match("open", "competition", [(mine, 4)])
    world.play(newest, [1.0] * 4)
    for topic, key, titles in (
        ("seasons", "open", 2),
        ("people", "ada", 2),
        ("people", "bob", 1),
        ("policies", str(mine), 1),
    ):
        answer = client.get(f"/observatory/feeds/{topic}/{key}.{form}")
        assert answer.status_code == 200, answer.text
        items = read_feed(answer.text, form)
        assert len(items) == titles, topic
        assert all(link.startswith("http") and "/observatory/matches/" in link for _, link, _ in items)
        if titles == 2:
            assert items[0][1].endswith(str(newest)) and items[0][2] > items[1][2]
        again = client.get(
            f"/observatory/feeds/{topic}/{key}.{form}", headers={"If-None-Match": answer.headers["etag"]}
        )
        assert again.status_code == 304
    page = client.get("/observatory/seasons/open", headers=HTML).text
    assert f"/observatory/feeds/seasons/open.{form}" in page


def read_feed(text: str, form: str) -> list[tuple[str, str, str]]:
    """Return (title, link, time) of the items; fail for a feed that is not well-formed."""
    if form == "json":
        document = json.loads(text)
        assert document["version"] == "https://jsonfeed.org/version/1.1" and document["feed_url"].endswith(".json")
        return [(item["title"], item["url"], item["date_published"]) for item in document["items"]]
    parsed = feedparser.parse(text)
    assert not parsed.bozo, parsed.get("bozo_exception")
    assert parsed.version == {"atom": "atom10", "rss": "rss20"}[form] and parsed.feed.title and parsed.feed.link
    assert all(entry.id.startswith("urn:uuid:") for entry in parsed.entries)
    return [(entry.title, entry.link, str(list(entry.published_parsed))) for entry in parsed.entries]


def test_a_league_has_a_feed_of_its_news_unless_it_is_hidden(
    client: TestClient, world: World, ada: Any, bob: Any, clock: Any
) -> None:
    field = Field(world, client)
    league = field.league(bob, league_name="Painters")
    with world.database.transaction() as session:
        row = session.get_one(League, raw(league))
        publish_league_event(session, "league_paused", row, "Painters rests", now=clock())
    titles = [title for title, _, _ in read_feed(client.get(f"/observatory/feeds/leagues/{league}.atom").text, "atom")]
    assert "Painters rests" in titles
    with world.database.transaction() as session:
        session.get_one(League, raw(league)).hidden = True
    world.database.changes.invalidate()
    for account in ({}, bob.headers):
        assert client.get(f"/observatory/feeds/leagues/{league}.atom", headers=account).status_code == 404


def test_feeds_of_what_is_not_public_do_not_exist(
    app: FastAPI, client: TestClient, hidden: uuid.UUID, ada: Any, admin: Any
) -> None:
    for path in ("seasons/secret.atom", "seasons/nothing.rss", "people/bob.json", "policies/x.atom", "seasons/open"):
        for account in ({}, admin.headers):
            assert client.get(f"/observatory/feeds/{path}", headers=account).status_code == 404, path
    assert client.get("/observatory/feeds/players/x.atom").status_code == 422
    feed = client.get("/observatory/feeds/people/ada.json").json()
    assert feed["items"] == [] and ada.email not in json.dumps(feed)
