"""Both ways in for a command line, through the pages a person sees."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.accounts import User

PASSWORD = "correct horse battery"
CALLBACK = "http://127.0.0.1:54321/callback"


class Browser:
    """Keeps cookies and fills in forms."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.text = ""

    def get(self, path: str) -> Any:
        answer = self.client.get(path)
        self.text = answer.text
        return answer

    def submit(self, button: str, **values: str) -> Any:
        """Send the form with this button, as the page has it, with what a person types."""
        for form in re.findall(r"<form.*?</form>", self.text, re.DOTALL):
            if f">{button}</button>" in form:
                action = re.search(r'action="([^"]*)"', form)[1]
                fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form))
                answer = self.client.post(action, data={k: html.unescape(v) for k, v in fields.items()} | values)
                self.text = answer.text
                return answer
        raise AssertionError(f"There is no form with the button {button!r} in {self.text}")


@pytest.fixture
def browser(client: TestClient) -> Browser:
    return Browser(client)


@pytest.fixture
def invited(client: TestClient, admin: Any) -> str:
    """The path of an invitation."""
    answer = client.post("/admin/invitations", json={}, headers=admin.headers)
    return answer.json()["url"].removeprefix("http://testserver")


@pytest.fixture
def joined(browser: Browser, invited: str) -> Browser:
    """A browser in which grace has made an account."""
    browser.get(invited)
    assert browser.submit("Make the account", email="grace@example.com", password=PASSWORD).status_code == 303
    return browser


def test_an_invitation_creates_one_account_and_works_once(browser: Browser, invited: str, client: TestClient) -> None:
    assert "Make an account" in browser.get(invited).text
    assert browser.submit("Make the account", email="grace@example.com", password="short").status_code == 400
    answer = browser.submit("Make the account", email="grace@example.com", password=PASSWORD)
    assert (answer.status_code, answer.headers["location"]) == (303, "/observatory/home")
    assert "grace@example.com" in browser.get("/observatory/home").text
    assert browser.get(invited).status_code == 404


def test_an_expired_invitation_creates_no_account(browser: Browser, invited: str, clock: Any) -> None:
    clock.advance(73 * 3600)
    assert browser.get(invited).status_code == 404


def test_the_sign_in_page_hands_a_token_to_a_command_line(joined: Browser, client: TestClient) -> None:
    joined.get("/observatory/home")
    joined.submit("Sign out")
    # As the command line opens it, signed out.
    away = joined.get(f"/cli-login?{urlencode({'callback': CALLBACK})}")
    assert away.status_code == 303
    joined.get(away.headers["location"])
    assert joined.submit("Sign in", email="grace@example.com", password="wrong wrong wrong").status_code == 401
    back = joined.submit("Sign in", email="Grace@example.com ", password=PASSWORD)
    page = joined.get(back.headers["location"])
    assert "grace@example.com" in page.text
    sent = joined.submit("Sign in")
    address = urlsplit(sent.headers["location"])
    assert sent.status_code == 303 and f"{address.scheme}://{address.netloc}{address.path}" == CALLBACK
    [token] = parse_qs(address.query)["token"]
    assert token in sent.text  # for pasting
    assert client.get("/whoami", headers={"X-Auth-Token": token}).json()["user_email"] == "grace@example.com"


def test_a_password_hash_of_an_earlier_release_is_accepted_and_replaced(joined: Browser, app: FastAPI) -> None:
    def stored() -> str:
        with app.state.database.read() as session:
            return session.query(User).filter_by(email="grace@example.com").one().password_hash

    salt = b"sixteen bytes of"
    digest = hashlib.scrypt(PASSWORD.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32)
    old = "$".join(["scrypt", "16384", "8", "1", *(base64.b64encode(part).decode() for part in (salt, digest))])
    assert stored().startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    with app.state.database.transaction() as session:
        session.query(User).filter_by(email="grace@example.com").one().password_hash = old
    joined.get("/observatory/home")
    joined.submit("Sign out")
    joined.get("/sign-in")
    assert joined.submit("Sign in", email="grace@example.com", password="wrong wrong wrong").status_code == 401
    assert stored() == old
    for _ in range(2):
        assert joined.submit("Sign in", email="grace@example.com", password=PASSWORD).status_code == 303
        renewed = stored()
        assert renewed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
        joined.get("/observatory/home")
        joined.submit("Sign out")
        joined.get("/sign-in")
        assert stored() == renewed


def test_without_a_callback_the_token_is_shown_for_pasting(joined: Browser, client: TestClient) -> None:
    joined.get("/cli-login")
    response = joined.submit("Show the token")
    token = re.search(r"<output[^>]*>([^<]*)</output>", response.text)[1]
    assert client.get("/api/validate", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert response.headers["cache-control"] == "no-store"
    # It is named on the home page, where it can be revoked, and not shown again.
    home = joined.get("/observatory/home")
    assert "Command line, 2026-03-01 12:00" in home.text and token not in home.text
    joined.submit("Revoke")
    assert client.get("/validate", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_the_code_page_gives_a_code_that_is_exchanged_once(joined: Browser, client: TestClient, clock: Any) -> None:
    def code() -> str:
        joined.get(f"/cli-auth?{urlencode({'callback': CALLBACK})}")
        return parse_qs(urlsplit(joined.submit("Sign in").headers["location"]).query)["code"][0]

    first, second = code(), code()
    exchange = "/api/observatory/credentials/auth-codes/exchange"
    token = client.post(exchange, json={"code": first}).json()["token"]
    assert client.get("/whoami", headers={"X-Auth-Token": token}).json()["user_email"] == "grace@example.com"
    assert client.post(exchange, json={"code": first}).status_code == 410
    assert client.post(exchange, json={"code": "short"}).status_code == 400
    clock.advance(301)
    assert client.post(exchange, json={"code": second}).status_code == 410


@pytest.mark.parametrize(
    "callback",
    [
        "https://example.com/callback",
        "http://127.0.0.1.example.com:80/callback",
        "http://127.0.0.1@example.com:80/callback",
        "http://example.com:80#@127.0.0.1:80/",
        "http://127.0.0.1:80\\@example.com/",
        "javascript:alert(1)",
        "//example.com:80/",
        "http://127.0.0.1/callback",
        "http://[::1",
    ],
)
def test_a_token_is_sent_only_to_the_users_own_machine(joined: Browser, callback: str) -> None:
    for page in ("/cli-login", "/cli-auth"):
        assert joined.get(f"{page}?{urlencode({'callback': callback})}").status_code == 400
        joined.get(f"{page}?{urlencode({'callback': CALLBACK})}")
        assert joined.submit("Sign in", callback=callback).status_code == 400


def test_a_form_from_elsewhere_changes_nothing(joined: Browser, client: TestClient) -> None:
    account = {"email": "grace@example.com", "password": PASSWORD}
    forms = {"/cli-login": {}, "/cli-auth": {}, "/sign-out": {}, "/sign-in": account, "/join": account}
    for path, fields in forms.items():
        assert client.post(path, data={"csrf": "guess", **fields}).status_code == 403, path
    assert joined.get("/observatory/home").status_code == 200


def test_signing_in_never_redirects_to_another_site(joined: Browser) -> None:
    joined.get("/observatory/home")
    joined.submit("Sign out")
    for next_page in ("https://example.com", "//example.com", "/\\example.com"):
        joined.get(f"/sign-in?{urlencode({'next': next_page})}")
        answer = joined.submit("Sign in", email="grace@example.com", password=PASSWORD, next=next_page)
        assert answer.headers["location"] == "/observatory/home"
        joined.client.cookies.clear()


def test_password_guessing_is_limited_with_a_retry_time(browser: Browser, app: FastAPI) -> None:
    browser.get("/sign-in")
    answers = [browser.submit("Sign in", email="mallory@example.com", password="x" * 12) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429]
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_pages_run_no_scripts_and_cookies_are_closed_to_them(browser: Browser, invited: str) -> None:
    answer = browser.get(invited)
    assert "script" not in answer.text and "default-src 'none'" in answer.headers["content-security-policy"]
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "secure" not in cookie
    assert '<html lang="en">' in answer.text and 'name="viewport"' in answer.text and "<label" in answer.text


def test_cookies_are_secure_when_the_public_address_uses_https(make_app: Callable[..., FastAPI]) -> None:
    app = make_app(host="0.0.0.0", public_url="https://league.example.com")
    with TestClient(app) as client:
        assert "secure" in client.get("/sign-in").headers["set-cookie"].lower()


def test_a_new_password_ends_the_sessions_of_the_old_one(joined: Browser, client: TestClient, admin: Any) -> None:
    other = Browser(TestClient(client.app, follow_redirects=False))
    url = client.post("/admin/invitations", json={"email": "grace@example.com"}, headers=admin.headers).json()["url"]
    assert "grace@example.com" in other.get(url.removeprefix("http://testserver")).text
    other.submit("Set the password", password="another good password")
    assert other.get("/observatory/home").status_code == 200
    assert joined.get("/observatory/home").headers["location"].startswith("/sign-in")


def test_the_home_page_shows_the_users_own_data(
    joined: Browser, client: TestClient, admin: Any, bob: Any, world: Any
) -> None:
    users = client.get("/admin/users", headers=admin.headers).json()
    grace = SimpleNamespace(user_id=next(user["id"] for user in users if user["email"] == "grace@example.com"))
    world.season()
    world.enter("open", "qualifying", [world.version(grace, "<b>mine</b>"), world.version(bob, "theirs")])
    home = joined.get("/observatory/home").text
    assert "&lt;b&gt;mine&lt;/b&gt;:v1" in home and ">open<" in home
    assert "theirs" not in home and "bob@example.com" not in home


@pytest.fixture
def github() -> Iterator[str]:
    """A stand-in for GitHub: one user, code `good`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["content-length"])).decode())
            good = form["code"] == ["good"] and form["client_secret"] == ["client secret"]
            self._answer({"access_token": "gho_1"} if good else {"error": "bad_verification_code"})

        def do_GET(self) -> None:
            assert self.headers["authorization"] == "Bearer gho_1"
            self._answer({"id": 77, "login": "octo", "name": None, "email": "root@example.com"})

        def _answer(self, document: dict[str, Any]) -> None:
            import json

            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_github_signs_a_user_in_only_in_the_browser_that_started(
    browser: Browser, app: FastAPI, github: str, admin: Any
) -> None:
    app.state.settings.github_client_id = "client id"
    app.state.settings.github_client_secret = (
        type(app.state.settings).model_validate({"github_client_secret": "client secret"}).github_client_secret
    )
    app.state.settings.github_url = app.state.settings.github_api_url = github
    assert "Sign in with GitHub" in browser.get("/sign-in").text
    away = urlsplit(browser.get("/github/sign-in?next=/observatory/home").headers["location"])
    query = {name: values[0] for name, values in parse_qs(away.query).items()}
    assert away.path == "/login/oauth/authorize" and query["redirect_uri"] == "http://testserver/github/callback"

    other = Browser(TestClient(app, follow_redirects=False))
    stolen = other.get(f"/github/callback?{urlencode({'code': 'good', 'state': query['state']})}")
    assert stolen.status_code == 403
    assert browser.get("/github/callback?code=good&state=made.up").status_code == 403
    assert browser.get(f"/github/callback?{urlencode({'code': 'bad', 'state': query['state']})}").status_code == 502

    back = browser.get(f"/github/callback?{urlencode({'code': 'good', 'state': query['state']})}")
    assert back.headers["location"] == "/observatory/home"
    # GitHub's address belongs to an existing account; the caller does not get that account.
    assert "77+octo@users.noreply.github.com" in browser.get("/observatory/home").text
