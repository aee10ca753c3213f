"""Manifests and replays by path or address, and image references."""

import gzip
import json
import threading
import zlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from coworld.engines.image_refs import (
    image_ref_without_tag,
    is_coworld_content_tag,
    is_digest_pinned_image_ref,
    is_mutable_registry_image_ref,
)
from coworld.errors import SourceError
from coworld.manifest.package import opened_package
from coworld.uris.manifests import materialized_manifest_path, materialized_replay_path
from tests.coworld_documents import manifest_document


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server with the files of the test's folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_local_manifest_is_used_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(manifest_document()))
    for reference in (str(path), path.as_uri(), str(tmp_path)):
        with materialized_manifest_path(reference) as found:
            assert found == path


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_manifest_is_downloaded_and_goes_away_again(tmp_path: Path, address: str, wrapped: bool) -> None:
    document = manifest_document()
    (tmp_path / "m.json").write_text(json.dumps({"manifest": document} if wrapped else document))
    with opened_package(f"{address}/m.json?secret=1") as package:
        assert package.manifest.game.name == "tiny"
        assert package.path.exists()
    assert not package.path.exists()


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("nowhere.json", "does not exist"),
        ("cow_0123", "is on a server and requires --server"),
        ("ftp://example.org/m.json", "neither a path nor file:// nor http"),
    ],
)
def test_a_manifest_that_is_not_there_is_told_in_a_sentence(
    reference: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COGAMES_API_URL", raising=False)
    with pytest.raises(SourceError, match=message) as caught, materialized_manifest_path(reference):
        pass
    assert caught.value.hint


def test_a_refused_download_does_not_tell_the_secrets_of_its_address(address: str) -> None:
    with pytest.raises(SourceError) as caught, materialized_manifest_path(f"{address}/none.json?secret=hidden"):
        pass
    assert "404" in str(caught.value) and "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data"),
    [("replay", b"moves"), ("replay.z", zlib.compress(b"moves")), ("replay.gz", gzip.compress(b"moves", mtime=0))],
    ids=["raw", "zlib", "gzip"],
)
def test_replays_are_read_raw_and_compressed(tmp_path: Path, address: str, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    for reference in (str(tmp_path / name), (tmp_path / name).as_uri(), f"{address}/{name}?x=1"):
        with materialized_replay_path(reference) as path:
            assert path.read_bytes() == b"moves"


@pytest.mark.parametrize("data", [b"not compressed", zlib.compress(b"moves")[:-3], b""], ids=["other", "cut", "empty"])
def test_a_damaged_replay_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "replay.z"
    path.write_bytes(data)
    with pytest.raises(SourceError, match="cannot be decompressed"), materialized_replay_path(str(path)):
        pass


@pytest.mark.parametrize(
    ("image", "bare", "content", "pinned", "mutable"),
    [
        ("a", "a", False, False, False),
        ("a:1", "a", False, False, False),
        ("me/a:1", "me/a", False, False, False),
        ("reg.io/a:1", "reg.io/a", False, False, True),
        ("localhost/a", "localhost/a", False, False, True),
        ("localhost:5000/a:t", "localhost:5000/a", False, False, True),
        ("reg.io/a@sha256:" + "1" * 64, "reg.io/a", False, True, False),
        ("reg.io/a:coworld-0123", "reg.io/a", True, False, False),
    ],
)
def test_what_an_image_reference_promises(image: str, bare: str, content: bool, pinned: bool, mutable: bool) -> None:
    assert image_ref_without_tag(image) == bare
    assert is_coworld_content_tag(image) is content
    assert is_digest_pinned_image_ref(image) is pinned
    assert is_mutable_registry_image_ref(image) is mutable
