"""The rules under which pages of strangers are served."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from fastapi.testclient import TestClient
from pydantic import ValidationError

from observatory.http import refusals
from observatory.http.frames import check_frame_request, frame_headers, frame_sources, frame_url, passed_headers
from observatory.settings import Settings

FOLDER = "/observatory/games/abc/"


def strangers(settings: Settings) -> TestClient:
    """An app that serves one page of a stranger."""
    app = FastAPI()
    app.state.settings = settings
    refusals.install(app)

    @app.get(f"{FOLDER}page")
    def page(request: Request) -> HTMLResponse:
        check_frame_request(request)
        return HTMLResponse("<p>hello</p>", headers=frame_headers(request, FOLDER))

    return TestClient(app, base_url="http://league.example:8000")


def test_a_strangers_page_has_an_opaque_origin_and_reaches_its_own_folder_only(tmp_path: Path) -> None:
    answer = strangers(Settings(data_dir=tmp_path)).get(f"{FOLDER}page")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["sandbox"].split() == ["allow-scripts", "allow-pointer-lock"]
    places = [word for word in policy["default-src"].split() if "://" in word]
    own = [f"{scheme}://league.example:8000{FOLDER}" for scheme in ("http", "https", "ws", "wss")]
    assert places == own and "'self'" not in policy["default-src"]
    assert policy["form-action"] == policy["frame-src"] == policy["object-src"] == "'none'"
    assert policy["frame-ancestors"] == "'self'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("host", ["a b", "evil.example; script-src *", "x'", "", "[::1", "a/b"])
def test_a_host_that_would_change_the_policy_is_refused(tmp_path: Path, host: str) -> None:
    assert strangers(Settings(data_dir=tmp_path)).get(f"{FOLDER}page", headers={"Host": host}).status_code == 400


def test_a_service_worker_is_refused(tmp_path: Path) -> None:
    client = strangers(Settings(data_dir=tmp_path))
    assert client.get(f"{FOLDER}page", headers={"Service-Worker": "script"}).status_code == 403


def test_games_come_from_their_own_host_if_there_is_one(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, games_url="https://games.example", public_url="https://league.example")
    client = strangers(settings)
    assert client.get(f"{FOLDER}page").status_code == 404
    answer = client.get(f"{FOLDER}page", headers={"Host": "games.example"})
    assert "frame-ancestors https://league.example" in answer.headers["content-security-policy"]
    assert frame_url(settings, f"{FOLDER}page") == f"https://games.example{FOLDER}page"
    assert frame_sources(settings) == "'self' https://games.example"
    with pytest.raises(ValidationError):
        Settings(data_dir=tmp_path, games_url="https://games.example; script-src *")


def test_only_headers_about_the_content_are_passed_on() -> None:
    hostile = [
        ("Content-Type", "text/html"),
        ("Set-Cookie", "observatory_session=x"),
        ("Location", "https://evil.example"),
        ("Content-Security-Policy", "default-src *"),
        ("Access-Control-Allow-Credentials", "true"),
        ("Service-Worker-Allowed", "/"),
        ("Clear-Site-Data", '"*"'),
        ("Refresh", "0; url=https://evil.example"),
        ("ETag", "a\r\nSet-Cookie: b"),
        ("Link", "</x>; rel=preload"),
    ]
    assert passed_headers(hostile) == {"content-type": "text/html"}
