"""Publish and download a game with programs in place of images, with our client and without a container engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coworld.engines.local_images import LocalImages
from coworld.manifest.package import load_package
from coworld.server.coworld_download import download_coworld
from coworld.server.coworld_upload import upload_coworld
from coworld.server.policy_upload import UploadError
from coworld.server.upload_client import CoworldUploadClient
from packages.observatory.tests.coworlds.games import game

pytestmark = pytest.mark.any_database

IMAGE = "mine/player:1"


class _Client(CoworldUploadClient):
    """Signed addresses name the public host of the server."""

    def put_signed(self, url: str, data: bytes, **options: Any) -> None:
        super().put_signed(url.replace("http://testserver", self.server_url), data, **options)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A game whose player is a local program."""
    manifest = game()
    manifest["player"][0] |= {"image": IMAGE, "run": []}
    (tmp_path / "player").mkdir()
    (tmp_path / "player" / "main.py").write_text("print('I play')")
    path = tmp_path / "coworld_manifest.json"
    path.write_text(json.dumps(manifest))
    return path


def test_a_local_program_is_sent_and_comes_back(
    server: Any, ada: Any, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cogbox.container_engines.first_engine", lambda: (None, "it is not installed"))
    with _Client(server_url=server.url, token=ada.token) as client:
        with pytest.raises(UploadError, match="there is no container engine here"):
            upload_coworld(client, load_package(package))
        mapping = {"images": {IMAGE: {"root": "player", "argv": ["python", "main.py"]}}}
        (package.parent / "coworld_local.json").write_text(json.dumps(mapping))
        row = upload_coworld(client, load_package(package))
        assert row.manifest["player"][0]["image"].startswith("sha256:")
        assert upload_coworld(client, load_package(package)).id == row.id
        folder = download_coworld(client, row.id, tmp_path / "downloaded")
    manifest = json.loads((folder / "coworld_manifest.json").read_text())
    local = LocalImages.beside(folder / "coworld_manifest.json").find(manifest["player"][0]["image"])
    assert local.argv == ("python", "main.py")
    assert local.root is not None and (local.root / "main.py").read_text() == "print('I play')"
    assert json.loads((folder / "coworld_images.json").read_text())["images"] == []
