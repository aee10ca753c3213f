"""`cogames ladder --season`: downloads that the server allows, in sandboxes, and resuming without the server."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cogbox
from cogames.policy.bundles import create_bundle
from packages.cogames.tests.client.stub import MATCH, MATCH_ROW, SEASON, TIME, Stub, serve_stub
from packages.cogames.tests.ladder.conftest import Ran, mover
from tests.support import missing

VERSIONS = {
    name: f"11111111-1111-4111-8111-00000000000{number}" for number, name in enumerate(["fast", "secret", "new"])
}


@pytest.fixture
def server(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A season with `fast`, whose bundle is public, `secret`, whose bundle is not, and `new`, which has not played."""
    try:
        cogbox.sandbox()
    except cogbox.LevelMissing as error:
        missing(f"no sandbox works here: {error}")
    bundle = tmp_path / "fast.zip"
    create_bundle(mover(6), bundle, include_files=["players.py"])
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COGBOX_LEVEL", "bubblewrap")
    with serve_stub() as stub:
        monkeypatch.setenv("COGAMES_API_URL", stub.address)
        policies = [{"id": uuid, "name": name, "version": 1} for name, uuid in VERSIONS.items()]
        entries = [{"policy": policy, "pools": [], "entered_at": TIME} for policy in policies]
        stub.answer("GET", "/tournament/seasons/[^/]+/policies", entries)
        stub.answer("GET", "/tournament/seasons/[^/]+/matches", matches)
        stub.answer("GET", "/tournament/matches/[^/]+/reproduction", reproduction(bundle))
        stub.answer("GET", "/bundle.zip", lambda asked: (200, bundle.read_bytes()))
        yield stub


def matches(asked: Any) -> Any:
    return [] if asked.query["policy_version_ids"] == [VERSIONS["new"]] else [MATCH_ROW]


def reproduction(bundle: Path) -> dict[str, Any]:
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    fast = {
        "name": "fast:v1",
        "policy_version_id": VERSIONS["fast"],
        "bundle_url": "/bundle.zip",
        "bundle_sha256": digest,
    }
    secret = {
        "name": "secret:v1",
        "policy_version_id": VERSIONS["secret"],
        "why_not": "its bundle belongs to another user",
    }
    return {
        "match_id": MATCH,
        "season_name": SEASON,
        "season_version": 1,
        "pool_name": "competition",
        "spec": {},
        "policies": [fast, secret],
        "artifacts": {},
    }


def test_entries_that_may_be_downloaded_play_in_sandboxes(
    ladder: Callable[..., Ran], server: Stub, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["-p", mover(2), "--season", SEASON, "-m", "moves.py", "-e", 1, "-o", "out", "--replays", 0]
    ran = ladder(*words)
    assert ran.code == 0, ran.err
    assert "warning: secret:v1 is left out: its bundle belongs to another user" in ran.err
    assert "warning: new:v1 is left out: it has played no match" in ran.err
    found = json.loads((work / "out" / "results.json").read_bytes())
    assert [row["name"] for row in found["standings"]] == ["fast:v1", "Mover,moves=2"]
    assert found["failures"] == []
    assert found["plan"]["isolate"] == [False, True]
    assert str(work) not in json.dumps(found)
    # The season is not asked for again, although its server is gone.
    before = {path: path.read_bytes() for path in (work / "out").rglob("*") if path.is_file()}
    monkeypatch.setenv("COGAMES_API_URL", "http://127.0.0.1:9")
    assert ladder(*words).code == 0
    assert {path: path.read_bytes() for path in (work / "out").rglob("*") if path.is_file()} == before


def test_a_bundle_that_is_not_the_uploaded_one_is_left_out(
    ladder: Callable[..., Ran], server: Stub, work: Path
) -> None:
    server.answer("GET", "/bundle.zip", lambda asked: (200, b"something else"))
    ran = ladder("-p", mover(2), "--season", SEASON, "-m", "moves.py", "-o", "out")
    assert "fast:v1 is left out: the downloaded bundle is not the uploaded one" in ran.err
    assert ran.code == 1 and f"Season '{SEASON}' has no entry whose bundle you may download" in ran.error
