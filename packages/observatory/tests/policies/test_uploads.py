"""Calls 26-28: a bundle from a promise of a place to a version."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from fastapi.testclient import TestClient

from packages.observatory.tests.world import World, bundle

ZIP = {"Content-Type": "application/zip"}


@pytest.fixture
def upload(client: TestClient):
    """Begin an upload and put a bundle; the id of the upload."""

    def upload(account, data: bytes | None = None) -> str:
        begun = client.post("/stats/policies/submit/presigned-url", headers=account.headers).json()
        assert client.put(begun["upload_url"], content=bundle() if data is None else data, headers=ZIP).is_success
        return begun["upload_id"]

    return upload


@pytest.fixture
def complete(client: TestClient):
    def complete(account, upload_id: str, name: str = "mine", **body):
        body = {"upload_id": upload_id, "name": name, **body}
        return client.post("/stats/policies/submit/complete", json=body, headers=account.headers)

    return complete


def test_the_documented_flow_and_versions_that_count_up(client, upload, complete, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    assert set(begun) == {"upload_url", "s3_key", "upload_id"}
    assert begun["s3_key"] == f"cogames/submissions/{ada.user_id}/{begun['upload_id']}.zip"

    first = complete(ada, upload(ada)).json()
    assert (first["name"], first["version"], first["pools"], first["submit_error"]) == ("mine", 1, None, None)
    second = complete(ada, upload(ada)).json()
    assert second["version"] == 2
    mine = client.get("/stats/policy-versions?mine=true&name_exact=mine", headers=ada.headers).json()
    assert [entry["version"] for entry in mine["entries"]] == [2, 1] and mine["total_count"] == 2
    assert mine["entries"][0]["id"] == second["id"]


def test_completing_twice_gives_the_same_version(client, upload, complete, ada) -> None:
    upload_id = upload(ada)
    first = complete(ada, upload_id)
    assert complete(ada, upload_id).json() == first.json()
    assert complete(ada, upload_id, name="another").json() == first.json()
    assert client.get("/stats/policy-versions").json()["total_count"] == 1


def test_a_missing_upload_and_one_of_another_user_cannot_be_completed(client, upload, complete, ada, bob) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    empty = complete(ada, begun["upload_id"])
    assert empty.status_code == 400 and "not uploaded" in empty.json()["detail"]
    assert complete(ada, str(uuid.uuid4())).status_code == 400
    assert complete(bob, upload(ada)).status_code == 400
    assert client.post("/stats/policies/submit/presigned-url").status_code == 401


def test_a_season_in_the_body_is_entered_and_a_refusal_does_not_fail_the_upload(
    upload, complete, world: World, ada
) -> None:
    world.season()
    entered = complete(ada, upload(ada), season="open").json()
    assert entered["pools"] == ["qualifying"] and entered["submit_error"] is None
    refused = complete(ada, upload(ada), season="nowhere")
    assert refused.status_code == 200 and "not found" in refused.json()["submit_error"]


@pytest.mark.parametrize("name", ["", "x" * 65, "a:b", "a\x00b", "new\nline"])
def test_names_that_are_refused(upload, complete, ada, name: str) -> None:
    assert complete(ada, upload(ada), name=name).status_code == 422


def test_a_bundle_that_is_too_large_is_refused_in_the_documented_words(app, client, upload, complete, ada) -> None:
    # Uploaded while more was allowed.
    upload_id = upload(ada, bundle({"data": bytes(3 * 2**20)}))
    app.state.settings.max_bundle_bytes = 2 * 2**20
    refused = complete(ada, upload_id)
    assert refused.status_code == 413 and refused.json()["detail"] == "Policy too large: 3 MB (max 2 MB)"
    assert complete(ada, upload_id).status_code == 400


def test_501_megabytes_are_refused_at_once(client, server, complete, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    url = begun["upload_url"].replace("http://testserver", server.url)
    size = 501 * 2**20
    answer = _put_headers_only(url, size)
    assert answer.startswith(b"HTTP/1.1 413")
    refused = complete(ada, begun["upload_id"])
    assert refused.status_code == 413 and refused.json()["detail"] == "Policy too large: 501 MB (max 500 MB)"


def test_a_body_longer_than_its_url_allows_is_cut_off_during_the_upload(app, client, server, ada) -> None:
    app.state.settings.max_bundle_bytes = 3_000_000
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    url = begun["upload_url"].replace("http://testserver", server.url)
    pieces = (bytes(1_000_000) for _ in range(5))
    answer = httpx.put(url, content=pieces, headers=ZIP)  # without Content-Length
    assert answer.status_code == 413
    assert app.state.store.size(begun["s3_key"]) is None


def test_a_whole_bundle_through_a_real_server_without_content_length(client, server, complete, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    url = begun["upload_url"].replace("http://testserver", server.url)
    data = bundle()
    assert httpx.put(url, content=iter([data[:50], data[50:]]), headers=ZIP).status_code == 200
    assert complete(ada, begun["upload_id"]).json()["version"] == 1


def test_a_url_is_bound_to_its_key_method_type_and_time_and_works_once(app, client, clock, ada) -> None:
    def begin() -> str:
        return client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()["upload_url"]

    url = begin()
    assert client.put(url, content=b"x", headers={"Content-Type": "text/plain"}).status_code == 403
    assert client.put(url, content=b"x").status_code == 403
    assert client.get(url).status_code == 403
    other = url.replace(ada.user_id, "somebody-else")
    assert client.put(other, content=b"x", headers=ZIP).status_code == 403
    assert client.put(url.replace("max=", "max=9"), content=b"x", headers=ZIP).status_code == 403
    assert client.put(url.replace("/store/", "/store/../"), content=b"x", headers=ZIP).status_code in (403, 404, 405)
    assert client.put(url, content=b"x", headers=ZIP).status_code == 200
    replayed = client.put(url, content=b"y", headers=ZIP)
    assert replayed.status_code == 409 and "used already" in replayed.json()["detail"]
    late = begin()
    clock.advance(3601)
    expired = client.put(late, content=b"x", headers=ZIP)
    assert expired.status_code == 403 and "expired" in expired.json()["detail"]


def test_an_upload_url_that_was_used_cannot_change_a_version(app, client, upload, complete, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    client.put(begun["upload_url"], content=bundle(), headers=ZIP)
    version = complete(ada, begun["upload_id"]).json()
    assert client.put(begun["upload_url"], content=b"other", headers=ZIP).status_code == 409
    row = client.get(f"/stats/policy-versions/{version['id']}", headers=ada.headers).json()
    assert app.state.store.get(row["s3_path"]) == bundle()


def test_fewer_bytes_than_announced_leave_nothing_behind(client, server, app, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    url = begun["upload_url"].replace("http://testserver", server.url)
    _put_headers_only(url, 5000, body=b"too few", hang_up=True)
    assert app.state.store.size(begun["s3_key"]) is None


def test_unfinished_uploads_are_limited(app, client, ada, clock) -> None:
    app.state.settings.max_pending_uploads_per_user = 2
    begin = [client.post("/stats/policies/submit/presigned-url", headers=ada.headers) for _ in range(3)]
    assert [answer.status_code for answer in begin] == [200, 200, 429]
    assert int(begin[2].headers["Retry-After"]) > 0
    clock.advance(3601)
    assert client.post("/stats/policies/submit/presigned-url", headers=ada.headers).status_code == 200


def test_the_legacy_upload_in_one_request(client, ada) -> None:
    answer = client.post(
        "/stats/policies/submit",
        data={"name": "old"},
        files={"file": ("b.zip", bundle(), "application/zip")},
        headers=ada.headers,
    )
    assert answer.status_code == 200 and answer.json()["version"] == 1


def _put_headers_only(url: str, size: int, *, body: bytes = b"", hang_up: bool = False) -> bytes:
    """Send the head of a PUT and perhaps some of its body, over a bare socket."""
    import socket

    parts = httpx.URL(url)
    target = parts.raw_path.decode()
    with socket.create_connection((parts.host, parts.port), timeout=20) as connection:
        head = f"PUT {target} HTTP/1.1\r\nHost: {parts.host}\r\nContent-Type: application/zip\r\n"
        head += f"Content-Length: {size}\r\n\r\n"
        connection.sendall(head.encode() + body)
        if hang_up:
            connection.shutdown(socket.SHUT_WR)
        return connection.recv(200)


def test_incomplete_uploads_expire_after_a_day(app, client, upload, complete, clock, ada) -> None:
    from observatory.operations.sweeping import sweep

    finished = upload(ada)
    complete(ada, finished)
    left = upload(ada)
    state = app.state
    assert sweep(state.database, state.store, clock()) == 0
    clock.advance(25 * 3600)
    assert sweep(state.database, state.store, clock()) == 1
    assert state.store.size(f"cogames/submissions/{ada.user_id}/{left}.zip") is None
    assert complete(ada, left).status_code == 400
    assert complete(ada, finished).status_code == 200


def test_a_completion_that_was_cut_off_can_be_repeated(app, upload, complete, ada) -> None:
    from observatory.store import bundle_key, upload_key

    upload_id = upload(ada)
    app.state.store.move(upload_key(ada.user_id, uuid.UUID(upload_id)), bundle_key(uuid.UUID(upload_id)))
    assert complete(ada, upload_id).json()["version"] == 1


def test_completions_at_the_same_time_make_one_version(server, upload, ada) -> None:
    upload_id = upload(ada)
    body = {"upload_id": upload_id, "name": "mine"}
    with httpx.Client(base_url=server.url, headers=ada.headers, timeout=60) as client, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: client.post("/stats/policies/submit/complete", json=body), range(4)))
        total = client.get("/stats/policy-versions").json()["total_count"]
    assert {(answer.status_code, answer.json()["id"]) for answer in answers} == {(200, upload_id)}
    assert total == 1
