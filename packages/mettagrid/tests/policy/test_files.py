"""Reading and writing by path or URI. Buckets and servers are stand-ins."""

import io
import sys
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

import pytest

from mettagrid.policy.prepare_policy_spec import download_policy_spec_from_s3_as_zip
from mettagrid.util import file as files
from mettagrid.util.uri_resolvers.schemes import localize_uri, policy_spec_from_uri, resolve_uri

from .conftest import MakeBundle

SIGNED = "https://bucket.s3.amazonaws.com/key?X-Amz-Signature=secret"


class Missing(Exception):
    response: dict[str, Any] = {"Error": {"Code": "NoSuchKey"}}  # noqa: RUF012 - as boto's errors have it


class Bucket:
    """Enough of a boto3 client for a bucket called `bucket`."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def get_object(self, Bucket: str, Key: str) -> dict[str, Any]:
        if Key not in self.objects:
            raise Missing
        return {"Body": io.BytesIO(self.objects[Key])}

    def head_object(self, Bucket: str, Key: str) -> None:
        self.get_object(Bucket, Key)

    def put_object(self, Body: bytes, Bucket: str, Key: str, ContentType: str) -> None:
        self.objects[Key] = Body

    def upload_file(self, name: str, Bucket: str, Key: str, ExtraArgs: dict[str, str]) -> None:
        self.objects[Key] = Path(name).read_bytes()

    def get_paginator(self, name: str) -> "Bucket":
        assert name == "list_objects_v2"
        return self

    def paginate(self, Bucket: str, Prefix: str) -> Iterator[dict[str, Any]]:
        keys = sorted(key for key in self.objects if key.startswith(Prefix))
        for start in range(0, len(keys), 2):
            yield {"Contents": [{"Key": key} for key in keys[start : start + 2]]}
        yield {}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Bucket:
    made = Bucket()
    monkeypatch.setitem(sys.modules, "boto3", SimpleNamespace(client=lambda name: made))  # type: ignore[arg-type]
    return made


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The requests that were sent; everything is answered with `content`, and `/missing` with 404."""
    sent: list[Request] = []

    def answer(request: Request, timeout: float) -> io.BytesIO:
        sent.append(request)
        for name, status in (("missing", 404), ("forbidden", 403)):
            if name in request.full_url:
                raise HTTPError(request.full_url, status, "no", Message(), io.BytesIO())
        return io.BytesIO(b"content")

    monkeypatch.setattr("urllib.request.urlopen", answer)
    return sent


def test_a_file_is_written_with_its_folders_and_read_back(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "down.txt"
    files.write_data(str(target), "höhe")
    assert files.read(target.as_uri()) == "höhe".encode() and files.exists(str(target))
    files.write_file(str(tmp_path / "copy"), str(target))
    files.copy_data(str(tmp_path / "copy"), str(tmp_path / "other"))
    assert (tmp_path / "other").read_text() == "höhe"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "deep", "other"]
    with files.local_copy(str(target)) as path:
        assert path == target


def test_a_missing_file_is_a_missing_file(tmp_path: Path, bucket: Bucket, requests: list[Request]) -> None:
    for place in (str(tmp_path / "none"), "s3://bucket/none", "https://example.com/missing"):
        assert not files.exists(place)
        with pytest.raises(FileNotFoundError):
            files.read(place)
    with pytest.raises(FileNotFoundError):
        files.write_file(str(tmp_path / "x"), str(tmp_path / "none"))
    assert not (tmp_path / "x").exists()


def test_objects_in_a_bucket_are_read_and_written(tmp_path: Path, bucket: Bucket) -> None:
    files.write_data("s3://bucket/a", b"1")
    (tmp_path / "local").write_text("2")
    files.write_file("https://bucket.s3.amazonaws.com/b", str(tmp_path / "local"))
    files.copy_data("s3://bucket/a", "s3://bucket/c")
    assert bucket.objects == {"a": b"1", "b": b"2", "c": b"1"}
    with files.local_copy("s3://bucket/b") as path:
        assert path.read_text() == "2"
    assert not path.exists()


def test_signed_and_other_addresses_are_used_as_they_are(requests: list[Request]) -> None:
    assert files.read(SIGNED) == b"content" and files.exists("https://example.com/x")
    files.write_data(SIGNED, "text", content_type="text/plain")
    methods = [(request.get_method(), request.data, request.get_header("Content-type")) for request in requests]
    assert methods == [("GET", None, None), ("HEAD", None, None), ("PUT", b"text", "text/plain")]


def test_a_refusal_is_told_without_the_signature(requests: list[Request]) -> None:
    with pytest.raises(OSError, match="answered with status 403") as error:
        files.read("https://example.com/forbidden?X-Amz-Signature=secret")
    assert "secret" not in str(error.value)


def test_missing_boto_and_missing_credentials_say_what_to_do(monkeypatch: pytest.MonkeyPatch, bucket: Bucket) -> None:
    class NoCredentialsError(Exception):
        pass

    def refuse(**_: object) -> None:
        raise NoCredentialsError

    monkeypatch.setattr(bucket, "get_object", refuse)
    with pytest.raises(PermissionError, match="No credentials for s3://bucket/a"):
        files.read("s3://bucket/a")
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ImportError, match=r"pip install mettagrid\[s3\]"):
        files.read("s3://bucket/a")


@pytest.mark.parametrize("uri", ["mock://noop", "ftp://x/y"])
def test_what_is_no_file_is_refused(uri: str) -> None:
    with pytest.raises(ValueError, match="Unsupported URI for read"):
        files.read(uri)


def test_addresses_for_a_browser(tmp_path: Path) -> None:
    assert files.http_url("s3://bucket/a b.zip") == "https://bucket.s3.amazonaws.com/a%20b.zip"
    assert files.http_url("https://example.com/x") == "https://example.com/x"
    assert files.http_url(str(tmp_path)) == tmp_path.as_uri()
    assert files.is_public_uri("https://example.com") and not files.is_public_uri("s3://bucket/a")
    assert not files.is_public_uri(None)


@pytest.mark.usefixtures("no_traces")
def test_a_bundle_in_a_bucket_is_loaded_and_a_new_one_under_the_same_name_is_noticed(
    bucket: Bucket, make_bundle: MakeBundle
) -> None:
    bucket.objects["runs/mine.zip"] = make_bundle("a.zip", init_kwargs={"gear": "old"}).read_bytes()
    assert policy_spec_from_uri("s3://bucket/runs/mine.zip").init_kwargs == {"gear": "old"}
    bucket.objects["runs/mine.zip"] = make_bundle("b.zip", init_kwargs={"gear": "new"}).read_bytes()
    assert policy_spec_from_uri("s3://bucket/runs/mine.zip").init_kwargs == {"gear": "new"}


def test_the_latest_checkpoint_in_a_bucket_has_the_highest_number(bucket: Bucket) -> None:
    keys = ["r/a:v2.zip", "r/a:v10.zip", "r/a:v9.zip", "r/a:v99.txt", "r/deep/a:v50.zip", "r2/a:v60.zip", "r/x.zip"]
    bucket.objects = dict.fromkeys(keys, b"")
    assert resolve_uri("s3://bucket/r:latest").canonical == "s3://bucket/r/a:v10.zip"
    assert resolve_uri("https://bucket.s3.amazonaws.com/r:latest").canonical == "s3://bucket/r/a:v10.zip"
    assert resolve_uri("s3://bucket/r/a:latest").canonical == "s3://bucket/r/a:v10.zip"
    with pytest.raises(ValueError, match="No latest checkpoint found for s3://bucket/none"):
        resolve_uri("s3://bucket/none:latest")


@pytest.mark.usefixtures("no_traces")
def test_only_archives_are_loaded_from_a_bucket(bucket: Bucket, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Only \.zip bundles"):
        policy_spec_from_uri("s3://bucket/folder")
    with pytest.raises(ValueError, match=r"Expected a \.zip"):
        localize_uri("s3://bucket/folder")
    bucket.objects["x.zip"] = b"bytes"
    path = download_policy_spec_from_s3_as_zip("s3://bucket/x.zip", cache_dir=tmp_path / "here")
    assert path.parent == tmp_path / "here" and path.read_bytes() == b"bytes"


@pytest.mark.parametrize(
    ("query", "signed"),
    [
        ("X-Amz-Algorithm=AWS4-HMAC-SHA256", True),
        ("X-Amz-Signature=secret", True),
        ("AWSAccessKeyId=me&Expires=3", True),
        ("", False),
    ],
)
def test_signed_addresses_of_a_bucket_are_recognized(
    query: str, signed: bool, bucket: Bucket, requests: list[Request]
) -> None:
    bucket.objects["key"] = b"from the bucket"
    address = f"https://bucket.s3.amazonaws.com/key?{query}".rstrip("?")
    assert files.read(address) == (b"content" if signed else b"from the bucket")


def test_a_signed_address_of_a_checkpoint_tells_its_run_and_version() -> None:
    parsed = resolve_uri("https://bucket.s3.amazonaws.com/runs/my.run:v12.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256")
    assert parsed.checkpoint_info == ("my.run", 12)
