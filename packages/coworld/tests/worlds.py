"""Small Coworlds around the scripted programs of `bad/`."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coworld.engines.container import ContainerEngine
from coworld.engines.container_images import ContainerImages
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.process import ProcessEngine
from coworld.manifest.package import CoworldPackage
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from packages.coworld.tests.images import python_image, require_engine

CONTAINER_ENGINES = os.environ.get("CONTAINER_ENGINES", "podman").split(",")
"""engines besides `process` that tests use"""
ALL_IN_CONTAINERS = os.environ.get("CONTAINER_TESTS") == "all"
"""whether to play everything in containers, as `make soak` does, instead of a sample"""

BAD = Path(__file__).parent / "bad"
GAME, PLAYER = "counting/game:latest", "counting/player:latest"
WARM, HOSTED = "counting/warm-player:latest", "counting/hosted:latest"


def engine(**options: Any) -> ProcessEngine:
    """The process engine with the scripted programs as images."""
    table = {
        GAME: LocalImage(image=GAME, root=BAD, argv=("python", str(BAD / "game.py")), workdir=BAD),
        PLAYER: LocalImage(image=PLAYER, root=BAD, argv=("python", str(BAD / "player.py")), workdir=BAD),
        WARM: LocalImage(image=WARM, root=BAD, argv=("python", str(BAD / "warm_player.py")), workdir=BAD),
        HOSTED: LocalImage(image=HOSTED, root=BAD, argv=("python", str(BAD / "hosted_game.py")), workdir=BAD),
    }
    return ProcessEngine(LocalImages((table,)), **options)


MARK = os.environ.get("COWORLD_TEST_MARK") or f"coworld-test-{secrets.token_hex(8)}"
"""in the environment of every program of this process's tests, so that what is left of them can be found"""


def in_containers(document: dict[str, Any], image: str) -> dict[str, Any]:
    """The manifest with one container image for its game and players."""
    programs = {GAME: "game.py", PLAYER: "player.py", WARM: "warm_player.py", HOSTED: "hosted_game.py"}
    for runnable in (document["game"]["runnable"], *document["player"]):
        runnable["run"] = ["python", f"/app/bad/{programs[runnable['image']]}"]
        runnable["image"] = image
    return document


def manifest_document(game: str = "good", players: Sequence[str] = ("good", "good"), **config: Any) -> dict[str, Any]:
    """A manifest whose game and players follow the scripts named."""
    text = {"type": "text", "value": "Count to three."}
    return {
        "tags": ["test", "counting", "tiny"],
        "game": {
            "name": "counting",
            "version": "1.0.0",
            "description": "Two seats count.",
            "owner": "tests@example.com",
            "runnable": {"type": "game", "image": GAME, "run": [], "env": {"SCRIPT": game, "MARK": MARK}},
            "config_schema": {
                "type": "object",
                "required": ["tokens"],
                "properties": {
                    "tokens": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
                    "ticks": {"type": "integer"},
                    "player_connect_timeout_seconds": {"type": "number"},
                },
            },
            "results_schema": {
                "type": "object",
                "required": ["scores"],
                "properties": {"scores": {"type": "array", "items": {"type": "number"}}},
            },
            "protocols": {"player": text, "global": text},
            "docs": {"readme": text},
        },
        "player": [
            {
                "type": "player",
                "id": f"player-{slot}",
                "name": f"Player {slot}",
                "description": "Counts.",
                "image": PLAYER,
                "env": {"SCRIPT": script, "MARK": MARK},
                "resources": {"limits": {"memory": "96Mi"}},
            }
            for slot, script in enumerate(players)
        ],
        "variants": [{"id": "default", "name": "Default", "description": "Three.", "game_config": {"ticks": 3}}],
        "certification": {
            "game_config": {"ticks": 3, **config},
            "players": [{"player_id": f"player-{slot}"} for slot in range(len(players))],
        },
    }


def world(
    folder: Path, game: str = "good", players: Sequence[str] = ("good", "good"), unsafe: bool = False, **config: Any
) -> tuple[CoworldPackage, CoworldEpisodeJobSpec, ProcessEngine]:
    """The package, the request of its fixture and an engine that can run it."""
    return *_packaged(manifest_document(game, players, **config), folder), engine(unsafe=unsafe)


def _packaged(document: dict[str, Any], folder: Path) -> tuple[CoworldPackage, CoworldEpisodeJobSpec]:
    manifest = CoworldManifest.model_validate(document)
    package = CoworldPackage.of(manifest, folder / "coworld_manifest.json")
    request = CoworldEpisodeJobSpec(
        manifest=manifest, game_config=manifest.certification.game_config, players=list(manifest.player)
    )
    return package, request


def container_world(
    name: str, folder: Path, game: str = "good", players: Sequence[str] = ("good", "good"), **config: Any
) -> tuple[CoworldPackage, CoworldEpisodeJobSpec, ContainerEngine]:
    """The same for a container engine."""
    document = in_containers(manifest_document(game, players, **config), python_image(require_engine(name)))
    return *_packaged(document, folder), ContainerEngine(ContainerImages(name, pull="never"))


def hosted_world(folder: Path, script: str = "good", files: Sequence[str] = ("1.5", "2.5")) -> CoworldPackage:
    """The package of a game that hosts its players, with a file for each."""
    document = manifest_document(script)
    document["game"]["runnable"]["image"] = HOSTED
    document["game"]["player_runtime"] = "game-hosted"
    for slot, (player, text) in enumerate(zip(document["player"], files, strict=True)):
        (folder / f"player-{slot}.txt").write_text(text)
        document["player"][slot] = {
            "type": "player",
            "id": player["id"],
            "name": player["name"],
            "description": "A number.",
            "file": f"player-{slot}.txt",
        }
    manifest = CoworldManifest.model_validate(document)
    return CoworldPackage.of(manifest, folder / "coworld_manifest.json")


def left_running(mark: str = MARK) -> list[str]:
    """Programs of this process's episodes that still run, and boxes that it still holds."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            ours = mark.encode() in (folder / "environ").read_bytes()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if (ours and int(folder.name) != os.getpid()) or (parent == os.getpid() and "/guard outer" in words):
            found.append(f"{folder.name} {words}")
    return found
