"""Notices leave the server by e-mail and webhook: to a real mail server and a real HTTP server, at most once."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database.tables.notices import DeliveryStatus, NoticeDelivery
from observatory.notices.addresses import ForbiddenAddress, is_public, parse_target, resolve
from observatory.notices.delivering import Deliverer
from packages.observatory.tests.social.receivers import MailServer, Webhook, mail_server, webhook
from packages.observatory.tests.world import World

SETTINGS = "/observatory/api/notices/settings"
ADDRESS = "ada.lovelace@mail.example"


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def hook() -> Iterator[Webhook]:
    with webhook() as receiver:
        yield receiver


@pytest.fixture
def deliver(
    app: FastAPI, mail: MailServer, hook: Webhook, clock: Any, event_loop_thread: BlockingPortal
) -> Iterator[Any]:
    """Sends what is due now; returns how many messages were tried."""
    settings = app.state.settings
    settings.smtp_host, settings.smtp_port, settings.smtp_security = "127.0.0.1", mail.port, "none"
    settings.mail_from = "Alignment League <league@league.example>"
    settings.webhook_private_addresses = True
    sender = Deliverer(app.state.database, settings, app.state.keys, clock)
    yield lambda: event_loop_thread.call(sender.deliver)


def confirm(client: TestClient, mail: MailServer, account: Any) -> None:
    """Set an address and open the link of the confirmation."""
    answer = client.put(SETTINGS, json={"email": ADDRESS}, headers=account.headers)
    assert answer.status_code == 200, answer.text
    assert answer.json()["email"] == ADDRESS and not answer.json()["email_confirmed"]
    link = re.search(r"http\S+/notices/confirm\?token=\S+", mail.letters.pop().get_content())
    assert link is not None
    token = parse_qs(urlsplit(link[0]).query)["token"][0]
    assert "Confirm this address" in client.get("/notices/confirm", params={"token": token}).text
    assert not client.get(SETTINGS, headers=account.headers).json()["email_confirmed"]  # looking confirms nothing
    assert client.post("/notices/confirm", data={"token": token}).status_code == 200
    assert client.get(SETTINGS, headers=account.headers).json()["email_confirmed"]


def fail_once(world: World, account: Any, number: int = 0) -> None:
    """Let a policy of the account fail, which is worth an e-mail."""
    match = world.match("open", "qualifying", [(world.version(account, f"mine{number}"), 4)])
    world.fail(match, "it <b>broke</b>")


def states(world: World) -> list[tuple[str, str, int]]:
    with world.database.read() as session:
        rows = session.query(NoticeDelivery).order_by(NoticeDelivery.channel).all()
        return [(row.channel.value, row.status.value, row.attempts) for row in rows]


def test_a_confirmed_address_gets_each_notice_once_and_can_unsubscribe(
    client: TestClient, world: World, mail: MailServer, deliver: Any, ada: Any, bob: Any, clock: Any
) -> None:
    world.season()
    answer = client.put(SETTINGS, json={"email": ADDRESS}, headers=bob.headers)
    assert answer.status_code == 200
    mail.letters.clear()
    fail_once(world, bob)
    clock.advance(3600)
    assert deliver() == 0 and mail.letters == []  # bob has not confirmed the address
    confirm(client, mail, ada)
    fail_once(world, ada, 1)
    assert deliver() == 0  # further failures may follow
    clock.advance(301)
    assert deliver() == 1 and deliver() == 0
    [letter] = mail.letters
    assert letter["To"] == ADDRESS and letter["From"] == "Alignment League <league@league.example>"
    assert letter["Subject"] == "mine1 v1 failed in Open" and letter["Auto-Submitted"] == "auto-generated"
    assert "it <b>broke</b>" in letter.get_content() and "/observatory/matches/" in letter.get_content()
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = urlsplit(letter["List-Unsubscribe"].strip("<>"))
    path = f"{link.path}?{link.query}"
    assert client.get(path).status_code == 200
    assert client.get(SETTINGS, headers=ada.headers).json()["email"] == ADDRESS
    fail_once(world, ada, 2)
    assert client.post(path, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert client.get(SETTINGS, headers=ada.headers).json()["email"] is None
    clock.advance(3600)
    assert deliver() == 0 and len(mail.letters) == 1
    assert [state for _, state, _ in states(world)] == ["sent", "skipped"]
    assert client.post("/notices/unsubscribe", data={"token": "x"}).status_code == 404


def test_a_notice_that_was_read_is_not_sent(
    client: TestClient, world: World, mail: MailServer, deliver: Any, ada: Any, clock: Any
) -> None:
    world.season()
    confirm(client, mail, ada)
    fail_once(world, ada)
    client.post("/observatory/api/notices/read", json={}, headers=ada.headers)
    clock.advance(3600)
    assert deliver() == 0 and mail.letters == []


def test_a_refused_message_is_sent_again_later_and_one_that_may_have_arrived_never(
    client: TestClient, world: World, mail: MailServer, deliver: Any, ada: Any, clock: Any
) -> None:
    world.season()
    confirm(client, mail, ada)
    mail.answers = ["451 try later", "451 try later", "250 ok"]
    fail_once(world, ada)
    clock.advance(301)
    assert deliver() == 1 and deliver() == 0 and states(world) == [("email", "waiting", 1)]
    clock.advance(61)
    assert deliver() == 1 and states(world) == [("email", "waiting", 2)]
    clock.advance(61)
    assert deliver() == 0
    clock.advance(240)
    assert deliver() == 1 and states(world) == [("email", "sent", 3)] and len(mail.letters) == 1
    mail.answers = [None]  # the connection ends after the content was sent
    fail_once(world, ada, 1)
    clock.advance(301)
    assert deliver() == 1
    clock.advance(86400)
    assert deliver() == 0 and ("email", "failed", 1) in states(world)
    [line, _] = client.get(SETTINGS, headers=ada.headers).json()["deliveries"]
    assert line["status"] == "failed" and "may have arrived" in line["error"]


def test_a_delivery_that_a_stopped_server_had_claimed_is_not_sent_again(
    client: TestClient, world: World, mail: MailServer, deliver: Any, ada: Any, clock: Any
) -> None:
    world.season()
    confirm(client, mail, ada)
    fail_once(world, ada)
    with world.database.transaction() as session:
        row = session.query(NoticeDelivery).one()
        row.status, row.attempts, row.due_at = DeliveryStatus.SENDING, 1, clock()
    clock.advance(601)
    assert deliver() == 0 and states(world) == [("email", "failed", 1)] and mail.letters == []


def test_a_webhook_gets_signed_notices_until_it_says_no_for_good(
    client: TestClient, world: World, hook: Webhook, deliver: Any, ada: Any, clock: Any
) -> None:
    world.season()
    settings = client.put(SETTINGS, json={"webhook_url": hook.url}, headers=ada.headers).json()
    assert settings["webhook_url"] == hook.url and settings["webhook_secret"].startswith("whsec_")
    fail_once(world, ada)
    clock.advance(301)
    hook.statuses = [500, 204]
    assert deliver() == 1
    clock.advance(61)
    assert deliver() == 1 and deliver() == 0
    (path, headers, body), again = hook.requests
    assert path == "/hook?key=1" and again[2] == body and headers["Content-Type"] == "application/json"
    document = json.loads(body)
    assert document["kind"] == "failure" and document["title"] == "mine0 v1 failed in Open"
    assert headers["X-League-Notice"] == document["id"]
    moment, mac = (part.partition("=")[2] for part in headers["X-League-Signature"].split(","))
    expected = hmac.new(settings["webhook_secret"].encode(), f"{moment}.".encode() + body, hashlib.sha256)
    assert hmac.compare_digest(mac, expected.hexdigest())
    for number, status in enumerate((302, 410, 0), 1):  # a redirect, gone, no answer
        hook.statuses = [status]
        fail_once(world, ada, number)
        clock.advance(301)
        assert deliver() == 1
        clock.advance(86400)
        assert deliver() == 0, status
    assert len(hook.requests) == 5
    renewed = client.put(SETTINGS, json={"new_webhook_secret": True}, headers=ada.headers).json()
    assert renewed["webhook_secret"] not in (None, settings["webhook_secret"])


def test_webhooks_do_not_reach_private_networks(
    app: FastAPI, client: TestClient, world: World, hook: Webhook, deliver: Any, ada: Any, clock: Any
) -> None:
    world.season()
    app.state.settings.webhook_private_addresses = False
    client.put(SETTINGS, json={"webhook_url": hook.url.replace("127.0.0.1", "localhost")}, headers=ada.headers)
    fail_once(world, ada)
    clock.advance(301)
    assert deliver() == 1 and hook.requests == []
    clock.advance(86400)
    assert deliver() == 0 and states(world) == [("webhook", "failed", 1)]


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 ::1 :: "
    "fe80::1 fc00::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 2002:7f00:0001:: 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe "
    "64:ff9b:1::7f00:1 ::127.0.0.1 2001:db8::1 198.18.0.1 240.0.0.1".split(),
)
def test_addresses_of_private_networks_are_recognised(address: str) -> None:
    assert not is_public(address)


def test_public_addresses_and_targets_are_read() -> None:
    assert is_public("93.184.216.34") and is_public("2606:2800:220:1:248:1893:25c8:1946")
    assert is_public("64:ff9b::5db8:d822")
    target = parse_target("https://example.com:8443/a?b=1")
    assert (target.host, target.port, target.path, target.is_secure) == ("example.com", 8443, "/a?b=1", True)
    for host in ("localhost", "127.1", "0x7f000001", "2130706433", "[::1]"):
        with pytest.raises(ForbiddenAddress):
            resolve(parse_target(f"http://{host}/"), allow_private=False)


@pytest.mark.parametrize(
    "url",
    ["ftp://a.example/", "https://", "http://user:pass@a.example/", "https://a.example/#x", "nonsense", "h ttp://a"],
)
def test_addresses_that_are_not_webhooks_are_refused(client: TestClient, ada: Any, url: str) -> None:
    answer = client.put(SETTINGS, json={"webhook_url": url}, headers=ada.headers)
    assert answer.status_code == 422, answer.text


def test_addresses_are_private_to_their_users_and_confirmations_are_limited(
    client: TestClient, mail: MailServer, deliver: Any, ada: Any, bob: Any, clock: Any
) -> None:
    confirm(client, mail, ada)
    assert client.get(SETTINGS, headers=bob.headers).json()["email"] is None
    for email in ("no address", "a@b\nBcc: c@d.example", "a@b, c@d.example", "@", "a@" + "b" * 300):
        assert client.put(SETTINGS, json={"email": email}, headers=bob.headers).status_code == 422
    assert client.put(SETTINGS, json={"email": "b@mail.example"}, headers=bob.headers).status_code == 200
    soon = client.put(SETTINGS, json={"email": "c@mail.example"}, headers=bob.headers)
    assert soon.status_code == 429 and len(mail.letters) == 1
    clock.advance(121)
    mail.answers = ["554 no"]
    refused = client.put(SETTINGS, json={"email": "c@mail.example"}, headers=bob.headers)
    assert refused.status_code == 503 and "554" in refused.json()["detail"]


def test_a_server_without_mail_says_so(client: TestClient, ada: Any) -> None:
    settings = client.get(SETTINGS, headers=ada.headers).json()
    assert settings["has_email"] is False and settings["has_webhooks"] is True
    assert client.put(SETTINGS, json={"email": ADDRESS}, headers=ada.headers).status_code == 409
