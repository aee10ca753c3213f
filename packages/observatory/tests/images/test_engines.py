"""The registry as a running server: killed in the middle of a push, and used by podman."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import tarfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from observatory.accounts.service import create_user, mint_user_token
from observatory.app import create_app
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery, kill_process, wait_until
from packages.observatory.tests.conftest import Account
from packages.observatory.tests.images.pushing import Image, Push, begin, complete, digest_of
from tests.wheels import podman as engine

MEGABYTE = 2**20


def make_account(data_dir: Path) -> Account:
    """A data folder with one account."""
    app = create_app(Settings(data_dir=data_dir, seed_seasons=False))
    now = datetime.now(UTC)
    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", now=now)
        account = Account(user.id, user.email, mint_user_token(session, user, now=now), False)
    app.state.database.close()
    return account


def test_a_push_continues_after_the_server_was_killed(tmp_path: Path) -> None:
    account = make_account(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    names = {"DATA_DIR": str(tmp_path), "PORT": str(port), "LOCAL_WORKERS": "0", "LOG_LEVEL": "WARNING"}
    environment = {f"OBSERVATORY_{name}": value for name, value in names.items()}
    log = tmp_path / "log"
    log.touch()
    blob = os.urandom(MEGABYTE) * 20

    def is_up() -> bool:
        try:
            return client.get("/readyz").is_success
        except httpx.TransportError:
            return False

    def arrived() -> int:
        last = client.get(location, headers=push.headers).headers["Range"].partition("-")[2]
        return int(last) + 1

    killed = threading.Event()

    def half_of_it() -> Iterator[bytes]:
        yield blob[: 17 * MEGABYTE]
        killed.wait(60)

    def send() -> None:
        with pytest.raises(httpx.TransportError), httpx.Client(base_url=str(client.base_url), trust_env=False) as other:
            other.patch(location, content=half_of_it(), headers=push.headers, timeout=60)

    with Nursery() as nursery, httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        server = nursery.start("serve", str(log), environment)
        wait_until(is_up, log.read_text)
        push = Push(client, begin(client, account)["pre_signed_info"])
        location = push.begin().headers["Location"]
        sending = threading.Thread(target=send)
        sending.start()
        wait_until(lambda: arrived() == 16 * MEGABYTE, log.read_text)
        kill_process(server)
        killed.set()
        sending.join()

        server = nursery.start("serve", str(log), environment)
        wait_until(is_up, log.read_text)
        offset = arrived()
        assert offset == 16 * MEGABYTE
        rest = {**push.headers, "Content-Range": f"{offset}-{len(blob) - 1}"}
        assert client.patch(location, content=blob[offset:], headers=rest, timeout=60).status_code == 202
        done = client.put(f"{location}?digest={digest_of(blob)}", headers=push.headers, timeout=60)
        assert done.status_code == 201
        assert digest_of(client.get(done.headers["Location"], headers=push.headers, timeout=60).content) == digest_of(
            blob
        )
        kill_process(server)


@pytest.mark.any_database
def test_a_push_continues_after_the_client_has_disconnected(server, ada) -> None:
    blob = b"0123456789"
    with httpx.Client(base_url=server.url, trust_env=False) as client:
        push = Push(client, begin(client, ada)["pre_signed_info"])
        location = push.begin().headers["Location"]
        head = f"PATCH {location} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(blob)}\r\n"
        head += f"Authorization: {push.headers['Authorization']}\r\n\r\n"
        with socket.create_connection(httpx.URL(server.url).netloc.decode().split(":")) as connection:
            connection.sendall(head.encode() + blob[:4])

        def continued() -> bool:
            """Ask where the upload ends and continue there; 416 if the server has stored more since."""
            last = int(client.get(location, headers=push.headers).headers["Range"].partition("-")[2])
            offset = last + 1 if last else 0
            rest = {**push.headers, "Content-Range": f"{offset}-{len(blob) - 1}"}
            answer = client.patch(location, content=blob[offset:], headers=rest)
            assert answer.status_code in (202, 416)
            return answer.status_code == 202

        wait_until(continued, lambda: "the upload could not be continued")
        assert client.put(f"{location}?digest={digest_of(blob)}", headers=push.headers).status_code == 201


@pytest.fixture
def podman(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs podman with images of its own."""
    engine.require_tool("podman")
    (tmp_path / "storage.conf").write_text(
        f'[storage]\ndriver = "vfs"\ngraphroot = "{tmp_path}/images"\nrunroot = "{tmp_path}/run"\n'
    )
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(tmp_path / "storage.conf"))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(tmp_path / "auth.json"))
    return engine.podman


@pytest.mark.any_database
def test_podman_signs_in_pushes_and_pulls(server, ada, bob, podman: Any, tmp_path: Path) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("hello"))
    (tmp_path / "root.tar").write_bytes(archive.getvalue())
    podman("import", tmp_path / "root.tar", "localhost/hello:latest")
    server.app.state.settings.public_url = server.url
    host = server.url.removeprefix("http://")
    plain = "--tls-verify=false"

    with httpx.Client(base_url=server.url, trust_env=False) as client:
        begun = begin(client, ada, Image([]), "hello")
        address = begun["pre_signed_info"]["image_uri"]
        assert address.startswith(host)
        refused = podman("login", plain, "-u", "ada", "-p", "wrong", host, fails=True)
        assert "invalid username/password" in refused
        podman("login", plain, "-u", "ada", "-p", ada.token, host)
        podman("push", plain, "localhost/hello:latest", address)
        row = complete(client, ada, begun["image"]["id"]).json()
        podman("rmi", "--all", "--force")
        podman("pull", plain, row["public_image_uri"])
        assert json.loads(podman("image", "inspect", row["public_image_uri"]))[0]["Digest"] == row["image_digest"]

        podman("rmi", "--all", "--force")
        podman("login", plain, "-u", "bob", "-p", bob.token, host)
        assert "NAME_UNKNOWN" in podman("pull", plain, row["public_image_uri"], fails=True).upper().replace(" ", "_")
        with server.app.state.database.transaction() as session:
            from observatory.images.service import publish
            from observatory.public_ids import parse_public_id

            publish(session, [parse_public_id("img", row["id"])])
        podman("logout", host)
        podman("pull", plain, row["public_image_uri"])
    shutil.rmtree(tmp_path / "images")
