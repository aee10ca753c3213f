"""Paint Arena as a Coworld: its manifests, and the pages' addresses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from coworld.engines.local_images import LocalImages
from coworld.examples.paintarena import build
from coworld.manifest.package import load_package
from coworld.manifest.profiles import profile_problems
from tests.support import require_tool

HERE = Path(build.__file__).parent


def test_the_committed_manifests_are_what_their_documents_make() -> None:
    for name, text in build.files().items():
        assert (HERE / name).read_text() == text, f"{name} is stale: run `python -m coworld.examples.paintarena.build`"


@pytest.mark.parametrize("name", ["coworld_manifest.json", "coworld_manifest_static_viewer.json"])
def test_both_generations_accept_the_manifest_and_every_image_resolves(name: str) -> None:
    package = load_package(HERE / name, require_tags=True)
    assert not any(profile_problems(package.manifest).values())
    images = LocalImages.beside(package.path)
    for section in ("player", "commissioner", "grader", "diagnoser", "optimizer"):
        assert images.find(package.role(section).image or "").argv
    assert images.find("softmax/default-reporter:latest").argv


def test_the_static_viewer_bundle_has_only_relative_addresses_and_no_links() -> None:
    package = load_package(HERE / "coworld_manifest_static_viewer.json")
    viewer = package.manifest.game.replay_viewer
    assert viewer is not None
    folder = package.file(viewer.bundle)
    assert (folder / "index.html").is_file()
    for path in folder.iterdir():
        assert not path.is_symlink()
        text = path.read_text()
        assert 'src="/' not in text and 'href="/' not in text and 'from "/' not in text and "http://" not in text


ADDRESSES = {
    "http://host:1/client/player?slot=0&token=t#x": "ws://host:1/player?slot=0&token=t",
    "https://host/base/clients/player?slot=1": "wss://host/base/player?slot=1",
    "http://host/client/player?slot=0&address=https%3A%2F%2Fproxy%2Fgame%3Fkey%3D1%23h": "wss://proxy/game?key=1",
    "http://host/client/player?address=wss%3A%2F%2Fproxy%2Fgame": "wss://proxy/game",
}


def test_a_page_finds_its_socket_by_the_address_rules() -> None:
    require_tool("node")
    script = (
        f"import {{ socketAddress }} from {json.dumps((HERE / 'game/client/address.js').as_uri())};"
        f"console.log(JSON.stringify({json.dumps([*ADDRESSES])}.map((page) => socketAddress(page, 'player'))));"
    )
    done = subprocess.run(
        ["node", "--no-warnings", "--input-type=module", "--eval", script], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert dict(zip(ADDRESSES, json.loads(done.stdout), strict=True)) == ADDRESSES
