"""Secrets of policies: limits, encryption, who may read them, and the hosts that come with them."""

import json
import logging
import uuid

import pytest
from cryptography.exceptions import InvalidTag
from fastapi.testclient import TestClient
from sqlalchemy import select, text

from observatory.database.tables.policies import PolicySecret, SecretRead
from observatory.errors import Unavailable
from observatory.keys import Keys
from observatory.policies.secrets import has_secrets, read_secrets
from packages.observatory.tests.world import World, bundle

ZIP = {"Content-Type": "application/zip"}
SECRET = "hunter2-do-not-show"


@pytest.fixture
def upload_with(client: TestClient, ada):
    def upload(secrets: dict, *, manifest: dict | None = None):
        begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
        client.put(begun["upload_url"], content=bundle(**(manifest or {})), headers=ZIP)
        body = {"upload_id": begun["upload_id"], "name": "mine", "policy_secret_env": secrets}
        return client.post("/stats/policies/submit/complete", json=body, headers=ada.headers)

    return upload


@pytest.mark.parametrize(
    "secrets",
    [
        {f"KEY_{number}": "x" for number in range(11)},
        {"lower": "x"},
        {"1ST": "x"},
        {"A-B": "x"},
        {"A" * 101: "x"},
        {"KEY": "x" * 2001},
        {"KEY": "a\x00b"},
        {"LD_PRELOAD": "x"},
        {"PYTHONPATH": "x"},
        {"KEY": 1},
        {"KEY": None},
    ],
)
def test_secrets_beyond_the_limits_are_refused_and_never_repeated(upload_with, secrets: dict) -> None:
    secrets = {key: SECRET + value if isinstance(value, str) else value for key, value in secrets.items()}
    refused = upload_with(secrets)
    assert refused.status_code == 422
    assert SECRET not in refused.text


def test_the_largest_allowed_secrets_are_stored(upload_with, database, app) -> None:
    secrets = {f"KEY_{number}": "x" * 2000 for number in range(10)}
    version = upload_with(secrets)
    assert version.status_code == 200
    with database.transaction() as session:
        now = app.state.clock()
        options = {"reader": "w", "job_id": None, "now": now}
        assert read_secrets(session, app.state.keys, uuid.UUID(version.json()["id"]), **options) == secrets


def test_a_secret_is_in_no_answer_no_log_and_not_in_the_database(
    upload_with, client: TestClient, database, app, ada, caplog
) -> None:
    with caplog.at_level(logging.DEBUG):
        version = upload_with({"API_KEY": SECRET})
        answers = [version.text]
        for path in (
            "/stats/policy-versions?mine=true",
            f"/stats/policy-versions/{version.json()['id']}",
            "/stats/policies",
        ):
            answers.append(client.get(path, headers=ada.headers).text)
    assert all(SECRET not in answer and "API_KEY" not in answer for answer in answers)
    assert SECRET not in caplog.text
    with database.read() as session:
        for table in ("policies", "policy_versions", "policy_secrets", "uploads"):
            rows = session.execute(text(f"SELECT * FROM {table}")).all()
            assert SECRET.encode() not in b"".join(
                bytes(v) if isinstance(v, bytes | memoryview) else str(v).encode() for row in rows for v in row
            )


def test_reading_is_recorded_and_needs_the_right_key_and_version(world: World, database, app, ada, clock) -> None:
    with_secrets = world.version(ada, "one", secrets={"KEY": "value"})
    without = world.version(ada, "two")
    keys: Keys = app.state.keys
    job = uuid.uuid4()
    with database.transaction() as session:
        options = {"reader": "worker-1", "job_id": job, "now": clock()}
        assert read_secrets(session, keys, with_secrets, **options) == {"KEY": "value"}
        assert read_secrets(session, keys, without, **options) == {}
        assert has_secrets(session, with_secrets) and not has_secrets(session, without)
        (read,) = session.scalars(select(SecretRead)).all()
        assert (read.policy_version_id, read.reader, read.job_id) == (with_secrets, "worker-1", job)
        with pytest.raises(Unavailable, match="another master key"):
            read_secrets(session, Keys(keys.secret, bytes(32)), with_secrets, **options)
        # A row moved to another version cannot be read there.
        row = session.get_one(PolicySecret, with_secrets)
        stolen = PolicySecret(
            policy_version_id=without, wrapped_key=row.wrapped_key, ciphertext=row.ciphertext, created_at=clock()
        )
        session.add(stolen)
        session.flush()
        with pytest.raises((Unavailable, InvalidTag)):
            read_secrets(session, keys, without, **options)


def test_the_network_is_closed_without_secrets_and_open_to_named_hosts_with_them(
    upload_with, client: TestClient, app, ada, bob, admin
) -> None:
    app.state.settings.model_gateway_hosts = ["gateway.example.com"]
    hosts = {"network_hosts": ["api.example.com"]}

    def grants(version) -> list[tuple[str, str]]:
        rows = client.get(f"/stats/policy-versions/{version.json()['id']}/network", headers=ada.headers).json()
        return [(row["host"], row["reason"]) for row in rows]

    assert grants(upload_with({}, manifest=hosts)) == []
    assert grants(upload_with({"KEY": "x"}, manifest=hosts)) == [("api.example.com", "declared")]
    assert grants(upload_with({"USE_BEDROCK": "true"})) == [("gateway.example.com", "model_gateway")]
    assert grants(upload_with({"USE_BEDROCK": "false"})) == []
    both = upload_with({"USE_BEDROCK": "true"}, manifest=hosts)
    assert grants(both) == [("api.example.com", "declared"), ("gateway.example.com", "model_gateway")]

    path = f"/stats/policy-versions/{both.json()['id']}/network"
    assert client.get(path, headers=bob.headers).status_code == 403
    assert client.post(path, json={"host": "more.example.com"}, headers=ada.headers).status_code == 403
    assert client.post(path, json={"host": "No Host"}, headers=admin.headers).status_code == 422
    granted = client.post(path, json={"host": "more.example.com"}, headers=admin.headers).json()
    assert [row["reason"] for row in granted if row["host"] == "more.example.com"] == ["operator"]


def test_only_the_owner_can_read_the_master_key(app) -> None:
    path = app.state.settings.data_dir / "master.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.dumps(path.read_text()) and repr(app.state.keys).count("b'") == 0
