"""A static replay viewer is third-party code: what it is served with, and what it cannot reach."""

from __future__ import annotations

import gzip
import http.client
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from coworld.errors import SourceError
from coworld.runner.viewer_bundle import REPLAY_ROUTE, VIEWER_CSP, ViewerServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REPLAY = b"replay " * 1000


def make_bundle(folder: Path, index: str = "<h1>Viewer</h1>") -> Path:
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(index)
    (folder / "assets" / "view.js").write_text("1")
    return folder


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "replay").write_bytes(REPLAY)
    return make_bundle(tmp_path / "viewer")


@pytest.fixture
def server(bundle: Path) -> Iterator[ViewerServer]:
    with ViewerServer(bundle, bundle.parent / "replay") as server:
        yield server


def ask(
    server: ViewerServer, path: str, *, method: str = "GET", host: str | None = None
) -> tuple[int, dict[str, str], bytes]:
    address = urlsplit(server.link)
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0, timeout=30)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or address.netloc)
    connection.endheaders()
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, data


def test_pages_and_replay_come_with_the_documented_headers(server: ViewerServer) -> None:
    page, _, fragment = server.link.partition("#")
    assert (
        page.endswith("/index.html") and unquote(fragment) == f"replay={page.removesuffix('/index.html')}{REPLAY_ROUTE}"
    )
    answers = {path: ask(server, path) for path in ("/", "/index.html", "/assets/view.js?v=1", REPLAY_ROUTE, "/none")}
    assert [status for status, _, _ in answers.values()] == [200, 200, 200, 200, 404]
    for _, headers, _ in answers.values():
        assert headers["content-security-policy"] == VIEWER_CSP
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"
    assert answers["/"][2] == answers["/index.html"][2] == b"<h1>Viewer</h1>"
    assert answers["/assets/view.js?v=1"][1]["content-type"] == "text/javascript; charset=utf-8"
    _, headers, data = answers[REPLAY_ROUTE]
    assert (headers["content-type"], headers["cache-control"], data) == ("application/octet-stream", "no-store", REPLAY)
    status, headers, data = ask(server, REPLAY_ROUTE, method="HEAD")
    assert (status, headers["content-length"], data) == (200, str(len(REPLAY)), b"")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/..%5csecret.txt",
        "/index.html%00.js",
        "/assets",
        "/assets/",
        "/%252e%252e/secret.txt",
    ],
)
def test_nothing_outside_the_bundle_is_served(path: str, server: ViewerServer) -> None:
    status, _, data = ask(server, path)
    assert status == 404 and b"secret" not in data


def test_links_are_refused_also_when_they_appear_later(bundle: Path, server: ViewerServer) -> None:
    (bundle / "assets" / "leak.txt").symlink_to(bundle.parent / "secret.txt")
    (bundle / "up").symlink_to(bundle.parent, target_is_directory=True)
    os.mkfifo(bundle / "pipe")
    for path in ("/assets/leak.txt", "/up/secret.txt", "/pipe"):
        assert ask(server, path)[0] == 404
    with pytest.raises(SourceError, match="is a symbolic link"):
        ViewerServer(bundle, bundle.parent / "replay")
    with pytest.raises(SourceError, match=r"holds no index\.html"):
        ViewerServer(make_bundle(bundle.parent / "other", "").joinpath("assets"), bundle.parent / "replay")


def test_another_host_name_is_refused(server: ViewerServer) -> None:
    """A page whose name is rebound to this machine sends its own name."""
    assert ask(server, REPLAY_ROUTE, host="evil.example")[0] == 421
    assert ask(server, REPLAY_ROUTE, host=f"localhost:{urlsplit(server.link).port}")[0] == 200


def test_a_viewer_that_wants_gzip_gets_bytes_that_it_can_recognize(bundle: Path) -> None:
    replay = bundle.parent / "replay"
    for _ in range(2):  # the second time the file is compressed already
        with ViewerServer(bundle, replay, compression="gzip") as server:
            _, headers, data = ask(server, REPLAY_ROUTE)
        assert data.startswith(b"\x1f\x8b") and gzip.decompress(data) == REPLAY
        assert "content-encoding" not in headers
        replay.write_bytes(data)


HOSTILE = """<!doctype html><script>
window.seen = [];
addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
const other = new URLSearchParams(location.search).get("other");
const attempt = (name, work) => Promise.resolve().then(work).then(
  (value) => [name, String(value)], () => [name, "refused"]);
const script = document.createElement("script");
script.src = other + "/assets/view.js";
const frame = document.createElement("iframe");
frame.src = other + "/index.html";
const loaded = (element) => new Promise((done, fail) => {
  element.onload = () => done("loaded"); element.onerror = fail; document.head.append(element);
});
window.finished = Promise.all([
  attempt("own", () => fetch(decodeURIComponent(location.hash.slice(8))).then((answer) => answer.status)),
  attempt("read", () => fetch(other + "/_coworld/replay").then((answer) => answer.text())),
  attempt("blind", () => fetch(other + "/_coworld/replay", { mode: "no-cors" }).then((answer) => answer.type)),
  attempt("script", () => loaded(script)),
  attempt("eval", () => eval("1 + 1")),
  attempt("inline", () => 7),
]).then((results) => { document.documentElement.append(frame); return Object.fromEntries(results); });
</script>"""


def test_a_hostile_bundle_is_stopped_by_a_browser(browser: Browser, bundle: Path, server: ViewerServer) -> None:
    other = server.link.partition("/index.html")[0]
    hostile = make_bundle(bundle.parent / "hostile", HOSTILE)
    with ViewerServer(hostile, bundle.parent / "replay") as attacker:
        page = browser.new_page()
        page.goto(attacker.link.replace("/index.html#", f"/index.html?other={other}#"))
        assert page.evaluate("window.finished") == {
            "own": "200",
            "read": "refused",
            "blind": "refused",
            "script": "refused",
            "eval": "refused",
            "inline": "7",
        }
        for _ in range(600):
            seen = page.evaluate("window.seen")
            if {"script-src-elem", "frame-src"} <= set(seen):
                break
            page.wait_for_timeout(50)
        assert {"script-src-elem", "frame-src"} <= set(seen)
        page.close()
