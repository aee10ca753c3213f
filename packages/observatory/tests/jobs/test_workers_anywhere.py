"""Workers on other machines: labels, tokens that are revoked, affinity, back-pressure, certificates, draining."""

from __future__ import annotations

import ssl
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from observatory.database import Database
from observatory.database.tables.queue import QueueShare
from observatory.fleet.scaling import Scale, Scaling
from observatory.jobs.affinity import MAX_SECONDS, WINDOW, Affinity
from observatory.jobs.shares import OTHER, set_group
from observatory.jobs.workers_seen import WorkerReport, WorkersSeen, suggested_wait
from observatory.worker.bundles import Bundles
from observatory.worker.client import HttpJobClient, WrongServer
from observatory.worker.loop import Worker
from packages.observatory.tests.jobs.test_leases import job
from packages.observatory.tests.world import FREEPLAY, World


@pytest.fixture
def token(client: TestClient, admin: Any) -> dict[str, Any]:
    return dict(client.post("/admin/tokens", json={"name": "rack 3"}, headers=admin.headers).json())


@pytest.fixture
def lease(client: TestClient, token: dict[str, Any]) -> Any:
    def ask(name: str, **body: Any) -> Any:
        return client.post("/work/lease", json={"worker": name, **body}, headers={"X-Auth-Token": token["token"]})

    return ask


def queue_jobs(client: TestClient, admin: Any, *jobs: dict[str, Any]) -> list[str]:
    return list(client.post("/jobs/batch", json=list(jobs), headers=admin.headers).json())


def why(client: TestClient, admin: Any) -> list[str]:
    page = client.get("/observatory/api/queue", headers=admin.headers).json()
    return [row["why"] for row in page["queued"]]


def test_a_job_that_requires_labels_is_leased_to_a_worker_that_has_them(
    client: TestClient, admin: Any, lease: Any, token: dict[str, Any], database: Database
) -> None:
    with database.transaction() as session:
        set_group(session, OTHER, worker_labels=["gpu", "region=eu"])
    (queued,) = queue_jobs(client, admin, job())
    assert lease("plain", labels=["gpu"]).status_code == 204
    assert why(client, admin) == ["Waits for a worker with the labels gpu, region=eu; none is connected"]
    headers = {"X-Auth-Token": token["token"]}
    assert client.get("/work/queue", params={"label": ["gpu"]}, headers=headers).json()["waiting"] == 0
    fitting = client.get("/work/queue", params={"label": ["gpu", "region=eu"]}, headers=headers).json()
    assert (fitting["waiting"], fitting["in_work"], fitting["workers"]) == (1, 0, 1)
    sample = 'observatory_queue_jobs{labels="gpu,region=eu",lane="episode",state="waiting"} 1.0'
    assert sample in client.get("/metrics", headers=admin.headers).text
    assert lease("big", labels=["region=eu", "gpu", "sandbox=landlock"]).json()["job_id"] == queued


@pytest.mark.any_database
def test_a_season_and_its_changes_set_the_labels_of_its_jobs(app: Any, clock: Any, database: Database) -> None:
    world = World(app, clock)
    world.season(FREEPLAY, freeplay={**FREEPLAY["freeplay"], "rolling": {"worker_labels": ["gpu"]}})  # type: ignore[dict-item]
    with database.read() as session:
        rows = session.query(QueueShare).all()
        assert [row.worker_labels for row in rows if row.key.startswith("season:")] == [["gpu"]]


def test_a_revoked_token_returns_the_jobs_of_its_workers(
    client: TestClient, admin: Any, lease: Any, token: dict[str, Any]
) -> None:
    (queued,) = queue_jobs(client, admin, job())
    held = lease("lost").json()
    assert client.delete(f"/admin/tokens/{token['id']}", headers=admin.headers).is_success
    assert client.get(f"/jobs/{queued}", headers=admin.headers).json()["status"] == "pending"
    beat = client.post(f"/work/jobs/{queued}/heartbeat", json={}, headers={"X-Auth-Token": held["job_token"]})
    assert beat.status_code == 403
    assert lease("lost").status_code == 401
    other = client.post("/admin/tokens", json={"name": "rack 4"}, headers=admin.headers).json()["token"]
    again = client.post("/work/lease", json={"worker": "found"}, headers={"X-Auth-Token": other})
    assert (again.json()["job_id"], again.json()["attempt"]) == (queued, 2)


def test_an_unable_worker_gets_no_job_and_says_why(client: TestClient, admin: Any, lease: Any) -> None:
    queue_jobs(client, admin, job())
    answer = lease("full", unable="12 MB are free", cpus=4, gpus=0, memory_mb=512)
    assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (204, True)
    assert why(client, admin) == ["Waits for a worker; no connected worker takes jobs now"]
    (row,) = client.get("/observatory/api/admin/workers", headers=admin.headers).json()
    assert (row["unable"], row["cpus"], row["memory_mb"]) == ("12 MB are free", 4, 512)
    assert lease("full").status_code == 200  # it has recovered


@pytest.mark.any_database
def test_idle_workers_are_asked_to_pause_the_longer_the_more_they_are(database: Database, clock: Any) -> None:
    seen, waits = WorkersSeen(), []
    for number in range(1200):
        if number in (5, 100, 1000):
            with database.read() as session:
                waits.append(suggested_wait(session, clock()))
        if number < 101 or number > 998:
            with database.transaction() as session:
                seen.write(session, f"w{number}", clock(), WorkerReport(f"w{number}"))
    assert waits == [0, 5, 5]
    clock.advance(61)
    with database.read() as session:
        assert suggested_wait(session, clock()) == 0


def test_a_worker_that_has_a_policy_gets_its_job_first_but_never_for_long(
    client: TestClient, admin: Any, lease: Any, clock: Any, app: Any
) -> None:
    world = World(app, clock)
    versions = [str(world.version(admin, name)) for name in ("one", "two")]
    jobs = [job(policy_uris=[f"metta://policy/{versions[number]}"]) for number in (0, 0, 1, 0, 0, 1)]
    first, second, third, *_ = queue_jobs(client, admin, *jobs)
    leased = lease("warm", unpacked=[versions[1]]).json()
    assert leased["job_id"] == third
    assert leased["policies"][0]["version_id"] == versions[1]
    clock.advance(MAX_SECONDS)
    assert lease("warm", unpacked=[versions[1]]).json()["job_id"] == first
    assert lease("cold").json()["job_id"] == second


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=60),
    st.sets(st.integers(0, 3)),
)
def test_affinity_chooses_in_its_window_and_passes_a_job_over_for_a_bounded_time(
    steps: list[tuple[int, int]], unpacked: set[int]
) -> None:
    affinity, now = Affinity(), datetime(2026, 1, 1, tzinfo=UTC)
    queue = [(uuid.UUID(int=number), str(version)) for number, (version, _) in enumerate(steps)]
    versions = {job_id: {version} for job_id, version in queue}
    waiting, head_since = [job_id for job_id, _ in queue], {}
    for _, pause in steps:
        window = waiting[:WINDOW]
        head_since.setdefault(window[0], now)
        chosen = affinity.choose(window, versions, {str(version) for version in unpacked}, now)
        assert chosen in window
        if (now - head_since[window[0]]).total_seconds() >= MAX_SECONDS:
            assert chosen == window[0]
        waiting.remove(chosen)
        now += timedelta(seconds=pause)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), max_size=30))
def test_a_fleet_grows_at_once_and_shrinks_after_a_calm_time(history: list[tuple[int, int]]) -> None:
    scale = Scale(2, 10, calm_seconds=60)
    scaling, now, needed = Scaling(scale), 0.0, list[tuple[float, int]]()
    for jobs, pause in history:
        now += pause
        needed.append((now, scale.needed(jobs)))
        wanted = scaling.wanted(jobs, now)
        assert scale.minimum <= wanted <= scale.maximum
        assert wanted == max(number for at, number in needed if now - at < 60)


def test_bundles_are_downloaded_once_and_the_oldest_are_evicted(tmp_path: Path) -> None:
    bundles, downloaded = Bundles(max_bundles=2), []
    versions = [uuid.uuid4() for _ in range(3)]

    def fetch(number: int) -> bytes:
        def download(target: Path) -> None:
            downloaded.append(number)
            target.write_bytes(bytes([number]))

        target = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        bundles.fetch(versions[number], target, download)
        return target.read_bytes()

    assert [fetch(number) for number in (0, 1, 0, 2, 0, 1)] == [b"\0", b"\1", b"\0", b"\2", b"\0", b"\1"]
    assert downloaded == [0, 1, 2, 1]
    assert bundles.versions == [versions[0], versions[1]]
    bundles.clear()


@pytest.fixture
def https_server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server that has no jobs, and the file of the authority of its certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "league")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, key_file = tmp_path / "ca.pem", tmp_path / "key.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret = serialization.NoEncryption()
    key_format = serialization.PrivateFormat.PKCS8
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, key_format, secret))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.send_header("Retry-After", "3")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key_file)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}", pem
    server.shutdown()
    thread.join()
    server.server_close()


def ask(address: str, token: str = "wrk_x", ca_file: Path | None = None) -> HttpJobClient:
    client = HttpJobClient(address, token, ca_file=ca_file)
    try:
        assert client.lease("one", wait_seconds=0) is None
    finally:
        client.close()
    return client


@pytest.mark.any_database
def test_a_private_authority_is_trusted_if_its_file_is_named(https_server: tuple[str, Path], tmp_path: Path) -> None:
    address, ca_file = https_server
    with pytest.raises(WrongServer, match=r"is not trusted: .*--ca-file"):
        ask(address)
    assert ask(address, ca_file=ca_file).pause_seconds == 3
    (tmp_path / "empty.pem").touch()
    for name in ("empty.pem", "missing.pem"):
        with pytest.raises(WrongServer, match=f"{name} cannot be read as certificates"):
            ask(address, ca_file=tmp_path / name)


@pytest.mark.any_database
def test_a_wrong_address_or_token_gives_one_sentence(server: Any, ada: Any) -> None:
    with pytest.raises(WrongServer, match="is not an address"):
        ask("league.example.com")
    with pytest.raises(WrongServer, match="does not speak TLS"):
        ask(server.url.replace("http:", "https:"))
    with pytest.raises(WrongServer, match="answered 404 to a worker: its address is wrong"):
        ask(f"{server.url}/elsewhere")
    with pytest.raises(PermissionError, match="revoked, has expired, or is not a worker's"):
        ask(server.url, ada.token)


@pytest.mark.any_database
def test_a_draining_worker_finishes_its_job_and_leases_no_more(
    server: Any, client: TestClient, admin: Any, token: dict[str, Any]
) -> None:
    class Client(HttpJobClient):
        is_draining = False

        def heartbeat(self, held: Any, status: str) -> None:
            self.is_draining = True  # SIGTERM arrives while it plays
            super().heartbeat(held, status)

    first, second = queue_jobs(client, admin, job(), job())
    jobs = Client(server.url, token["token"])
    Worker(jobs, "one", draining=lambda: jobs.is_draining).run()
    jobs.close()
    states = [client.get(f"/jobs/{each}", headers=admin.headers).json()["status"] for each in (first, second)]
    assert states == ["completed", "pending"]
