"""The pages of a server whose files are in S3: Chromium uploads nothing through the server, and reads replays and logs
from the store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from playwright.sync_api import expect

from observatory.settings import Settings
from observatory.store.rules import bucket_cors
from packages.observatory.tests.browser.running import PASSWORD, RunningServer, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture
def league(
    tmp_path_factory: pytest.TempPathFactory, s3_address: str, s3_bucket: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningServer]:
    settings = {"STORE": "s3", "S3_BUCKET": s3_bucket, "S3_ENDPOINT_URL": s3_address, "S3_PREFIX": "league"}
    for name, value in settings.items():
        monkeypatch.setenv(f"OBSERVATORY_{name}", value)
    server = RunningServer(tmp_path_factory.mktemp("league"))
    try:
        rules = bucket_cors(Settings(public_url=server.url))
        boto3.client("s3", endpoint_url=s3_address).put_bucket_cors(Bucket=s3_bucket, CORSConfiguration=rules)
        yield server
    finally:
        server.close()


def test_replays_and_logs_come_from_the_store(league: RunningServer, s3_address: str, open_page: Any) -> None:
    league.make_season()
    league.upload("mine")
    (match,) = wait_for(league.matches, seconds=180)
    page = open_page(league.admin_link)
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    fetched: list[str] = []
    page.on("response", lambda response: fetched.append(response.url) if response.status < 300 else None)
    page.goto(f"{league.url}/observatory/matches/{match['id']}")
    viewer = page.frame_locator(".replay iframe")
    expect(viewer.locator("[data-testid=strip]")).to_have_attribute("aria-valuemax", "20", timeout=60_000)
    page.get_by_text("Agent 0").first.click()
    expect(page.get_by_text("hello from the box").first).to_be_visible()
    from_store = [url for url in fetched if url.startswith(s3_address)]
    assert any("replay.json.z" in url for url in from_store), fetched
    assert any("policy_agent_0.txt" in url for url in from_store), fetched
