"""Publishing from Python: events, results and errors of the library behind `cogames upload`, `ship` and `submit`."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

import cogbox
from cogames.client import ClientError, NotAuthenticated, TournamentServerClient
from cogames.client.publish import (
    BundlePacked,
    BundleValidated,
    NotSubmitted,
    PublishEvent,
    SeasonChosen,
    SubmissionStarted,
    Upload,
    UploadStarted,
    ValidationSkipped,
    ValidationStarted,
    publish,
    rehearse,
    submit,
)
from cogames.policy.arguments import parse_policy_spec
from cogames.policy.bundles import BundleError, BundleNotValid, create_bundle
from mettagrid.config.mettagrid_config import MettaGridConfig
from packages.cogames.tests.client.stub import OLDER_VERSION, POLICY_VERSION, SEASON, TOKEN, Stub
from tests.support import missing

POOL = r"/tournament/seasons/[^/]+/pools/[^/]+/config"
SUBMISSIONS = f"/tournament/seasons/{SEASON}/submissions"


@pytest.fixture(autouse=True)
def empty_home(home: Path) -> None:
    """Keep the user's own settings out of the tests."""


@pytest.fixture
def client(stub: Stub) -> Iterator[TournamentServerClient]:
    with TournamentServerClient(stub.address, TOKEN) as signed_in:
        yield signed_in


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGBOX_LEVEL", "bubblewrap")
    try:
        cogbox.sandbox()
    except cogbox.LevelMissing as error:
        missing(f"no sandbox works here: {error}")


def serve_game(stub: Stub) -> None:
    game = MettaGridConfig.EmptyRoom(2, width=5, height=5).model_dump(mode="json")
    stub.answer("GET", POOL, {"pool_name": "competition", "game_engine": "mettagrid", "config": game})


def class_path(stub: Stub) -> str:
    """Return the class in the bundle that was uploaded last."""
    put = next(request for request in reversed(stub.log) if request.method == "PUT")
    with zipfile.ZipFile(io.BytesIO(put.body)) as bundle:
        return str(json.loads(bundle.read("policy_spec.json"))["class_path"])


def test_publish_reports_each_step_prints_nothing_and_returns_the_version(
    client: TournamentServerClient, stub: Stub, sandbox: None, capfd: pytest.CaptureFixture[str]
) -> None:
    serve_game(stub)
    events: list[PublishEvent] = []
    published = publish(client, Upload("random", "mine", secrets={"KEY": "hidden"}), on_event=events.append)
    assert (published.label, published.season, published.pools) == ("mine:v2", SEASON, ["qualifying"])
    assert published.policy_version_id == UUID(POLICY_VERSION)
    assert [type(event) for event in events] == [
        SeasonChosen,
        BundlePacked,
        ValidationStarted,
        BundleValidated,
        UploadStarted,
    ]
    assert (events[0], events[2]) == (SeasonChosen(SEASON), ValidationStarted("pool competition"))
    assert events[-1] == UploadStarted(stub.address)
    assert capfd.readouterr().out == ""
    assert "hidden" not in repr(Upload("random", "mine", secrets={"KEY": "hidden"}))


def test_a_policy_is_a_text_a_description_or_a_bundle(
    client: TournamentServerClient, stub: Stub, tmp_path: Path
) -> None:
    bundle = create_bundle("starter", tmp_path / "starter.zip").path
    for policy, expected in (
        ("noop", "mettagrid.policy.noop.NoopPolicy"),
        (parse_policy_spec("random:3"), "mettagrid.policy.random_agent.RandomMultiAgentPolicy"),
        (bundle, "cogames.policy.starter_agent.StarterPolicy"),
    ):
        events: list[PublishEvent] = []
        upload = Upload(policy, "mine", submit=False, validate=False)
        published = publish(client, upload, on_event=events.append)
        assert (published.season, published.pools, class_path(stub)) == (None, (), expected)
        assert ValidationSkipped() in events
    assert not any(line.startswith("GET /tournament") for line in stub.lines)


def test_a_season_that_rejects_the_policy_leaves_it_uploaded(client: TournamentServerClient, stub: Stub) -> None:
    stub.answer("POST", SUBMISSIONS, {"detail": "Already submitted"}, 409)
    with pytest.raises(
        NotSubmitted, match="mine:v2 was not submitted to season 'beta-cvc': Already submitted"
    ) as caught:
        publish(client, Upload("starter", "mine", validate=False))
    assert caught.value.hints == ["cogames submissions --season beta-cvc lists its submissions"]


def test_a_bundle_that_is_not_valid_is_not_uploaded(client: TournamentServerClient, stub: Stub, sandbox: None) -> None:
    serve_game(stub)
    with pytest.raises(BundleNotValid, match="did nothing but noop") as caught:
        publish(client, Upload("noop", "mine", season=SEASON))
    assert caught.value.result.steps > 0 and "validate=False" in caught.value.hints[0]
    with pytest.raises(BundleError, match="absent"):
        publish(client, Upload("starter", "mine", validate=False, include_files=["absent.py"]))
    assert not any(line.startswith(("POST", "PUT")) for line in stub.lines)


def test_publishing_needs_an_account_and_a_name(stub: Stub) -> None:
    with TournamentServerClient(stub.address) as anonymous:
        with pytest.raises(NotAuthenticated):
            publish(anonymous, Upload("starter", "mine"))
        with pytest.raises(NotAuthenticated):
            submit(anonymous, "mine")
        with pytest.raises(ClientError, match="contains a colon"):
            publish(anonymous, Upload("starter", "a:b"))
    assert stub.log == []


def test_a_rehearsal_needs_a_server_only_for_a_season(
    client: TournamentServerClient, stub: Stub, sandbox: None
) -> None:
    events: list[PublishEvent] = []
    rehearse(Upload("starter", "mine"), on_event=events.append)
    assert [event for event in events if isinstance(event, ValidationStarted)] == [ValidationStarted("arena")]
    with pytest.raises(ValueError, match="pass a client"):
        rehearse(Upload("starter", "mine", season=SEASON))
    assert stub.log == []
    serve_game(stub)
    rehearse(Upload("random", "mine", season=SEASON), client=client)
    assert stub.lines == [
        f"GET /tournament/seasons/{SEASON}",
        f"GET /tournament/seasons/{SEASON}/pools/qualifying/config",
    ]


def test_submit_enters_a_version_on_the_server(client: TournamentServerClient, stub: Stub) -> None:
    events: list[PublishEvent] = []
    submitted = submit(client, "mine:v1", season=SEASON, on_event=events.append)
    assert (submitted.policy_version_id, submitted.season, submitted.label) == (UUID(OLDER_VERSION), SEASON, "mine:v1")
    assert submitted.pools and events == [SubmissionStarted("mine:v1", SEASON)]
    with pytest.raises(ClientError, match=r"Policy 'absent' not found\.") as caught:
        submit(client, "absent")
    assert caught.value.hints == ["upload it first: cogames upload -p POLICY -n NAME"]
