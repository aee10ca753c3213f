"""Images pushed with the calls of published clients, and what the registry refuses."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database import Database
from observatory.database.tables.images import Blob, BlobOwner, BlobUpload
from observatory.images import uploads
from packages.observatory.tests.images.pushing import (
    DOCKER,
    HELLO,
    OCI,
    Image,
    Push,
    begin,
    codes,
    complete,
    descriptor,
    digest_of,
    layer,
    root_of,
    upload,
)


@pytest.fixture(autouse=True)
def empty_store(app: FastAPI) -> None:
    store = app.state.store
    for key in store.keys("images/"):
        store.delete(key)


def stored(app: FastAPI) -> list[str]:
    keys: list[str] = app.state.store.keys("images/")
    return keys


def test_an_image_is_pushed_and_pulled_by_its_digest(client: TestClient, ada) -> None:
    begun = begin(client, ada)
    info = begun["pre_signed_info"]
    assert re.fullmatch(r"img_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", begun["image"]["id"])
    assert (begun["image"]["status"], begun["image"]["version"]) == ("pending", 1)
    assert (info["kind"], info["registry"], info["endpoint_url"]) == ("ecr", "testserver", "http://testserver")
    assert info["image_uri"] == f"testserver/{info['repository']}:{info['tag']}"

    assert Push(client, info).image(HELLO) == 3
    row = complete(client, ada, begun["image"]["id"]).json()
    digest = digest_of(HELLO.manifest)
    assert (row["status"], row["image_digest"], row["image_uri"]) == ("ready", digest, info["image_uri"])
    assert row["public_image_uri"] == f"testserver/{info['repository']}@{digest}"
    assert complete(client, ada, row["id"]).json() == row

    assert client.get(f"/v2/container_images/{row['id']}", headers=ada.headers).json() == row
    pulled = client.get(f"{root_of(row)}/manifests/{digest}", headers=ada.headers)
    assert (pulled.content, pulled.headers["Content-Type"]) == (HELLO.manifest, OCI)
    for part in [json.loads(pulled.content)["config"], *json.loads(pulled.content)["layers"]]:
        blob = client.get(f"{root_of(row)}/blobs/{part['digest']}", headers=ada.headers)
        assert digest_of(blob.content) == part["digest"] == blob.headers["Docker-Content-Digest"]
        head = client.head(f"{root_of(row)}/blobs/{part['digest']}", headers=ada.headers)
        assert int(head.headers["Content-Length"]) == part["size"]
    tail = client.get(f"{root_of(row)}/blobs/{part['digest']}", headers={**ada.headers, "Range": "bytes=-4"})
    assert (tail.status_code, tail.content) == (206, HELLO.layers[1][-4:])
    assert client.get(f"{root_of(row)}/tags/list", headers=ada.headers).json()["tags"] == [info["tag"]]


def test_docker_manifests_are_taken_too(client: TestClient, ada) -> None:
    row = upload(client, ada, Image(HELLO.layers, docker=True))
    pulled = client.get(f"{root_of(row)}/manifests/{row['image_digest']}", headers=ada.headers)
    assert pulled.headers["Content-Type"] == DOCKER


def test_a_hash_and_a_blob_that_were_sent_before_are_not_sent_again(client: TestClient, app: FastAPI, ada, bob) -> None:
    row = upload(client, ada)
    again = begin(client, ada, name="renamed")
    assert (again["pre_signed_info"], again["image"]["id"]) == (None, row["id"])

    other = Image([HELLO.layers[1], layer(other=b"x")])
    begun = begin(client, ada, other)
    assert begun["image"]["version"] == 2
    assert Push(client, begun["pre_signed_info"]).image(other) == 2

    # Another user sends all of it: that the server has a blob is not for them to see. The store has it once.
    before = stored(app)
    theirs = begin(client, bob)
    assert Push(client, theirs["pre_signed_info"]).image(HELLO) == 3
    assert stored(app) == before


def test_a_push_that_was_interrupted_continues_with_the_same_image(client: TestClient, ada) -> None:
    begun = begin(client, ada)
    Push(client, begun["pre_signed_info"]).blob(HELLO.layers[0])
    again = begin(client, ada)
    assert again["image"]["id"] == begun["image"]["id"]
    assert Push(client, again["pre_signed_info"]).image(HELLO) == 2


def test_the_parts_of_an_upload_must_follow_each_other(client: TestClient, ada) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    data = HELLO.layers[1]
    location = push.begin().headers["Location"]
    first = client.patch(location, content=data[:10], headers={**push.headers, "Content-Range": "0-9"})
    assert (first.status_code, first.headers["Range"]) == (202, "0-9")
    gap = client.patch(location, content=data[20:], headers={**push.headers, "Content-Range": f"20-{len(data) - 1}"})
    assert (gap.status_code, gap.headers["Range"], codes(gap)) == (416, "0-9", ["BLOB_UPLOAD_INVALID"])
    status = client.get(location, headers=push.headers)
    assert (status.status_code, status.headers["Range"]) == (204, "0-9")
    last = client.put(f"{location}?digest={digest_of(data)}", content=data[10:], headers=push.headers)
    assert last.status_code == 201
    assert push.has(digest_of(data))
    assert codes(client.get(location, headers=push.headers)) == ["BLOB_UPLOAD_UNKNOWN"]


def test_a_blob_arrives_in_one_post_and_an_upload_can_be_cancelled(client: TestClient, app: FastAPI, ada) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    query = f"?digest={digest_of(b'one')}"
    one = client.post(f"{push.root}/blobs/uploads/{query}", content=b"one", headers=push.headers)
    assert one.status_code == 201 and client.get(one.headers["Location"], headers=push.headers).content == b"one"
    location = push.begin().headers["Location"]
    client.patch(location, content=b"two", headers=push.headers)
    assert client.delete(location, headers=push.headers).status_code == 204
    assert client.delete(location, headers=push.headers).status_code == 404
    assert [key.split("/")[1] for key in stored(app)] == ["blobs"]


def test_a_blob_of_an_image_that_the_caller_may_pull_is_mounted(client: TestClient, app: FastAPI, ada, bob) -> None:
    row = upload(client, ada)
    digest = digest_of(HELLO.layers[1])
    source = root_of(row).removeprefix("/v2/")
    push = Push(client, begin(client, ada, Image([layer(x=b"x")]))["pre_signed_info"])
    user = {"X-Auth-Token": ada.token}
    mounted = client.post(f"{push.root}/blobs/uploads/?mount={digest}&from={source}", headers=user)
    assert (mounted.status_code, mounted.headers["Docker-Content-Digest"]) == (201, digest)
    # What bob may not pull he has to send.
    theirs = Push(client, begin(client, bob)["pre_signed_info"])
    refused = client.post(
        f"{theirs.root}/blobs/uploads/?mount={digest}&from={source}", headers={"X-Auth-Token": bob.token}
    )
    assert refused.status_code == 202 and "Docker-Upload-UUID" in refused.headers
    assert not theirs.has(digest)


def test_a_wrong_digest_is_refused_and_nothing_remains(
    client: TestClient, app: FastAPI, database: Database, ada
) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    for method in ("PATCH", "PUT"):
        location = push.begin().headers["Location"]
        if method == "PATCH":
            client.patch(location, content=b"corrupt", headers=push.headers)
        body = b"corrupt" if method == "PUT" else b""
        refused = client.put(f"{location}?digest={digest_of(b'right')}", content=body, headers=push.headers)
        assert (refused.status_code, codes(refused)) == (400, ["DIGEST_INVALID"])
        assert digest_of(b"corrupt") in refused.json()["errors"][0]["message"]
        assert codes(client.get(location, headers=push.headers)) == ["BLOB_UPLOAD_UNKNOWN"]
    for digest in ("", "sha256:abc", "sha512:" + "0" * 128, "../../etc"):
        location = push.begin().headers["Location"]
        refused = client.put(f"{location}?digest={digest}", content=b"x", headers=push.headers)
        assert (refused.status_code, codes(refused)) == (400, ["DIGEST_INVALID"])
    assert stored(app) == []
    with database.read() as session:
        assert session.query(Blob).count() == session.query(BlobOwner).count() == 0


def test_a_blob_beyond_the_limit_or_the_quota_is_refused_and_nothing_remains(
    client: TestClient, app: FastAPI, database: Database, ada, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "CHUNK_BYTES", 1000)
    app.state.settings.max_image_bytes = 5000
    push = Push(client, begin(client, ada)["pre_signed_info"])
    announced = client.patch(push.begin().headers["Location"], content=bytes(5001), headers=push.headers)
    pieces = (bytes(700) for _ in range(8))
    streamed = client.patch(push.begin().headers["Location"], content=pieces, headers=push.headers)
    app.state.settings.max_stored_bytes_per_user = 4000
    beyond = client.patch(push.begin().headers["Location"], content=bytes(4500), headers=push.headers)
    for refused in (announced, streamed, beyond):
        assert (refused.status_code, codes(refused)) == (413, ["SIZE_INVALID"])
    assert stored(app) == []
    with database.read() as session:
        assert session.query(BlobUpload).count() == 0
    assert push.blob(bytes(3900)).status_code == 201
    assert client.patch(push.begin().headers["Location"], content=bytes(200), headers=push.headers).status_code == 413


def test_an_image_beyond_the_limit_is_refused(client: TestClient, app: FastAPI, ada) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    for data in (*HELLO.layers, HELLO.config):
        push.blob(data)
    app.state.settings.max_image_bytes = len(HELLO.layers[0])
    refused = push.manifest(HELLO.manifest)
    assert (refused.status_code, codes(refused)) == (413, ["SIZE_INVALID"])


def test_a_manifest_may_only_refer_to_blobs_that_its_owner_has_sent(client: TestClient, ada, bob) -> None:
    upload(client, ada)
    push = Push(client, begin(client, bob)["pre_signed_info"])
    push.blob(HELLO.config)
    refused = push.manifest(HELLO.manifest)
    assert (refused.status_code, codes(refused)) == (404, ["MANIFEST_BLOB_UNKNOWN"])
    assert complete(client, bob, begin(client, bob)["image"]["id"]).status_code == 409


FOREIGN = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"
INDEX = "application/vnd.oci.image.index.v1+json"


OTHERS: list[tuple[dict[str, Any], str, str]] = [
    ({"layers": [descriptor(FOREIGN, HELLO.layers[0])]}, OCI, "foreign"),
    ({"layers": [{**HELLO.document()["layers"][0], "urls": ["http://example.com"]}]}, OCI, "stored elsewhere"),
    ({"layers": [{**HELLO.document()["layers"][0], "size": 1}] * 2}, OCI, "the manifest says 1"),
    ({"layers": HELLO.document()["layers"][:1]}, OCI, "does not describe its 1 layers"),
    ({"layers": "many"}, OCI, "must be a list"),
    ({"layers": [{**HELLO.document()["layers"][0], "mediaType": []}]}, OCI, "which is not taken"),
    ({"layers": [{**HELLO.document()["layers"][0], "digest": 5}]}, OCI, "no SHA-256 digest"),
    ({"layers": [{**HELLO.document()["layers"][0], "size": True}]}, OCI, "no size"),
    ({"config": None}, OCI, "`config`"),
    ({"config": descriptor("application/json", HELLO.config)}, OCI, "application/json"),
    ({"config": descriptor(HELLO.document()["config"]["mediaType"], HELLO.layers[0])}, OCI, "not a JSON object"),
    ({"schemaVersion": 1}, OCI, "schemaVersion"),
    ({"mediaType": DOCKER}, OCI, "another `mediaType`"),
    ({}, INDEX, "one image for linux/amd64"),
    ({}, "application/json", "is not taken"),
]


@pytest.mark.any_database
def test_other_manifests_are_refused(client: TestClient, ada) -> None:
    push = Push(client, begin(client, ada)["pre_signed_info"])
    for data in (*HELLO.layers, HELLO.config):
        push.blob(data)
    for change, media_type, says in OTHERS:
        refused = push.manifest(json.dumps({**HELLO.document(), **change}).encode(), media_type)
        assert (refused.status_code, codes(refused)) == (400, ["MANIFEST_INVALID"])
        assert says in refused.json()["errors"][0]["message"]


@pytest.mark.any_database
def test_images_of_other_platforms_broken_json_and_wrong_references_are_refused(client: TestClient, ada) -> None:
    image = Image(HELLO.layers, platform=("linux", "arm64"))
    push = Push(client, begin(client, ada, image)["pre_signed_info"])
    for data in (*image.layers, image.config, HELLO.config):
        push.blob(data)
    refused = push.manifest(image.manifest)
    assert refused.status_code == 400 and "build it for linux/amd64" in refused.json()["errors"][0]["message"]
    for body in (b"{", b"[]", b"[" * 100_000, bytes(2**20 + 1)):
        assert codes(push.manifest(body)) == ["MANIFEST_INVALID"]
    assert codes(push.manifest(HELLO.manifest, reference=digest_of(b"other"))) == ["DIGEST_INVALID"]
    assert codes(push.manifest(HELLO.manifest, reference="-bad")) == ["MANIFEST_INVALID"]
    assert push.manifest(HELLO.manifest, reference=digest_of(HELLO.manifest)).status_code == 201


def test_a_complete_image_never_changes(client: TestClient, ada) -> None:
    begun = begin(client, ada)
    push = Push(client, begun["pre_signed_info"])
    push.image(HELLO)
    row = complete(client, ada, begun["image"]["id"]).json()
    assert push.manifest(HELLO.manifest).status_code == 201
    other = json.dumps({**HELLO.document(), "annotations": {"a": "b"}}).encode()
    assert (push.manifest(other).status_code, codes(push.manifest(other))) == (403, ["DENIED"])
    assert (push.begin().status_code, codes(push.begin())) == (403, ["DENIED"])
    assert client.get(f"/v2/container_images/{row['id']}", headers=ada.headers).json() == row


def test_pulls_need_permission_and_container_engines_learn_how_to_sign_in(
    client: TestClient, app: FastAPI, ada, bob
) -> None:
    from observatory.images.access import pull_token
    from observatory.images.service import publish
    from observatory.public_ids import parse_public_id

    row = upload(client, ada)
    address = f"{root_of(row)}/manifests/{row['image_digest']}"
    challenge = client.get("/v2/")
    expected = 'Bearer realm="http://testserver/v2/token",service="testserver"'
    assert (challenge.status_code, challenge.headers["WWW-Authenticate"]) == (401, expected)
    assert client.get(address).headers["WWW-Authenticate"] == expected

    def bearer(**headers: str) -> dict[str, str]:
        answer = client.get("/v2/token?service=testserver", headers=headers)
        return {"Authorization": f"Bearer {answer.json()['token']}"}

    def basic(password: str) -> dict[str, str]:
        return {"Authorization": f"Basic {base64.b64encode(f'any:{password}'.encode()).decode()}"}

    anonymous = bearer()
    assert client.get("/v2/", headers=anonymous).status_code == 200
    assert client.get(address, headers=anonymous).status_code == 401
    for headers in (basic(ada.token), bearer(**basic(ada.token)), {"Authorization": f"Bearer {ada.token}"}):
        assert client.get("/v2/", headers=headers).status_code == 200
        assert client.get(address, headers=headers).status_code == 200
    for headers in (basic(bob.token), bearer(**basic(bob.token))):
        assert (client.get(address, headers=headers).status_code, codes(client.get(address, headers=headers))) == (
            404,
            ["NAME_UNKNOWN"],
        )
    for headers in (basic("wrong"), {"Authorization": "Basic !"}, {"Authorization": "Bearer x.y"}):
        assert client.get("/v2/token", headers=headers).status_code == 401
        assert client.get(address, headers=headers).status_code == 401

    image_id = parse_public_id("img", row["id"])
    lease = pull_token(app.state.keys.secret, [image_id], seconds=60)
    for headers in (basic(lease), bearer(**basic(lease))):
        assert client.get(address, headers=headers).status_code == 200
        assert client.post(f"{root_of(row)}/blobs/uploads/", headers=headers).status_code == 403
    expired = pull_token(app.state.keys.secret, [image_id], seconds=-1)
    assert client.get(address, headers=basic(expired)).status_code == 401

    with app.state.database.transaction() as session:
        publish(session, [image_id])
    for headers in ({}, anonymous, {"Authorization": "Basic Og=="}, basic(bob.token)):
        assert client.get(address, headers=headers).status_code == 200
    assert client.get(f"/v2/container_images/{row['id']}").json()["public_image_uri"] == row["public_image_uri"]
    refused = client.post(f"{root_of(row)}/blobs/uploads/", headers=basic(bob.token))
    assert (refused.status_code, codes(refused)) == (403, ["DENIED"])


def test_credentials_of_a_push_are_for_one_image_and_end(client: TestClient, ada, database: Database) -> None:
    first, second = begin(client, ada), begin(client, ada, Image([layer(x=b"x")]))
    push = Push(client, first["pre_signed_info"])
    other = Push(client, second["pre_signed_info"])
    assert client.post(f"{other.root}/blobs/uploads/", headers=push.headers).status_code == 404
    location = push.begin().headers["Location"].replace(push.root, other.root)
    assert client.patch(location, content=b"x", headers=other.headers).status_code == 404
    assert client.get("/whoami", headers=push.headers).status_code == 401
    client.app.state.settings.image_push_seconds = -1  # type: ignore[attr-defined]
    late = Push(client, begin(client, ada)["pre_signed_info"])
    assert (late.begin().status_code, codes(late.begin())) == (401, ["UNAUTHORIZED"])


def test_too_many_images_and_uploads_are_refused(client: TestClient, app: FastAPI, ada, bob) -> None:
    app.state.settings.max_pending_uploads_per_user = 2
    begun = [begin(client, ada, Image([layer(x=bytes([number]))])) for number in range(2)]
    refused = client.post(
        "/v2/container_images/upload", json={"name": "third", "client_hash": "3"}, headers=ada.headers
    )
    assert refused.status_code == 429 and "2 images" in refused.json()["detail"]
    push = Push(client, begun[0]["pre_signed_info"])
    assert [push.begin().status_code for _ in range(3)] == [202, 202, 429]
    assert begin(client, bob)["pre_signed_info"] is not None


def test_images_are_listed_newest_first_in_pages(client: TestClient, clock, ada, bob) -> None:
    names = ["a", "b", "a", "c"]
    for number, name in enumerate(names):
        begin(client, ada, Image([layer(x=bytes([number]))]), name)
        clock.advance(number % 2)
    begin(client, bob)
    seen: list[tuple[str, int]] = []
    params: dict[str, Any] = {"limit": 3}
    while True:
        page = client.get("/v2/container_images", params=params, headers=ada.headers)
        seen += [(row["name"], row["version"]) for row in page.json()]
        if "X-Next-Cursor" not in page.headers:
            break
        begin(client, ada, Image([layer(y=bytes(len(seen)))]), "new")
        params["cursor"] = page.headers["X-Next-Cursor"]
    assert seen == [("c", 1), ("a", 2), ("b", 1), ("a", 1)]
    assert client.get("/v2/container_images", params={"cursor": "x"}, headers=ada.headers).status_code == 422


@pytest.mark.any_database
def test_bad_names_and_ids_get_a_sentence(client: TestClient, ada, bob) -> None:
    for name in ("", "a/b", "-a", "x" * 129):
        answer = client.post(
            "/v2/container_images/upload", json={"name": name, "client_hash": "1"}, headers=ada.headers
        )
        assert answer.status_code == 422
    row = begin(client, ada)["image"]
    assert client.get(f"/v2/container_images/{row['id']}", headers=bob.headers).status_code == 404
    assert complete(client, bob, row["id"]).status_code == 404
    assert complete(client, ada, "league_1").status_code == 422
    assert "begins with `img_`" in client.get("/v2/container_images/nothing", headers=ada.headers).json()["detail"]
    assert codes(client.get("/v2/images/nothing/tags/list", headers=ada.headers)) == ["NAME_UNKNOWN"]


@pytest.mark.any_database
def test_without_a_public_address_images_have_the_one_that_the_caller_uses(
    client: TestClient, app: FastAPI, ada
) -> None:
    app.state.settings.public_url = None
    headers = {**ada.headers, "Host": "league.local:8100"}
    body = {"name": "game", "client_hash": "1"}
    info = client.post("/v2/container_images/upload", json=body, headers=headers).json()["pre_signed_info"]
    assert (info["registry"], info["endpoint_url"]) == ("league.local:8100", "http://league.local:8100")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_a_registry_on_an_s3_store_sends_pulls_to_the_store(
    make_app, s3_address: str, s3_bucket: str, clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "CHUNK_BYTES", 5000)
    app = make_app(store="s3", s3_bucket=s3_bucket, s3_endpoint_url=s3_address)
    account = make_account(app, clock)
    client = TestClient(app, follow_redirects=False)
    big = Image([layer(noise=bytes(range(256)) * 200), layer(hello=b"hello")])
    push = Push(client, begin(client, account, big)["pre_signed_info"])
    wrong = client.put(
        f"{push.begin().headers['Location']}?digest={digest_of(b'x')}", content=b"y", headers=push.headers
    )
    assert wrong.status_code == 400 and stored(app) == []
    row = upload(client, account, big)
    answer = client.get(f"{root_of(row)}/blobs/{digest_of(big.layers[0])}", headers=account.headers)
    assert answer.status_code == 307
    assert httpx.get(answer.headers["Location"]).content == big.layers[0]
    assert client.head(f"{root_of(row)}/blobs/{digest_of(big.layers[0])}", headers=account.headers).status_code == 200
    assert len(stored(app)) == 3


def make_account(app: FastAPI, clock) -> Any:
    from observatory.accounts.service import create_user, mint_user_token
    from packages.observatory.tests.conftest import Account

    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", now=clock())
        return Account(user.id, user.email, mint_user_token(session, user, now=clock()), False)
