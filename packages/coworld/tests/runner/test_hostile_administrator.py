"""A player tries to administer the game: one whose author left `/admin` open, and Paint Arena."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cogbox import Level
from cogbox.selftest import proof
from coworld.engines.local_images import LocalImage, LocalImages
from coworld.engines.process import ProcessEngine
from coworld.manifest.package import CoworldPackage, load_package
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.episode_request import fixture_request
from coworld.runner.gate_requests import RequestRefused, admin_path, read_request
from coworld.runner.runner import EpisodeOutcome, run_episode
from packages.coworld.tests.worlds import GAME, PLAYER, engine, left_running, world
from tests.support import missing

HOSTILE = Path(__file__).parents[1] / "hostile"
IMAGE = "hostile/administrator:latest"
PAINTARENA = Path(__file__).parents[2] / "src/coworld/examples/paintarena/coworld_manifest.json"


# `make soak` tries them all; the engine takes the first one that works.
LEVELS = ["namespaces", "bubblewrap", "container"] if os.environ.get("HOSTILE_LEVELS") == "all" else [None]


def attack(folder: Path, game: str, level: str | None) -> tuple[EpisodeOutcome, dict[str, list[str]]]:
    """An episode with the attacker in slot 0, and the status lines that it was answered."""
    if game == "paintarena":
        package = load_package(PAINTARENA)
        request = fixture_request(package)
    else:
        package, request, _ = world(folder, game)
    image = LocalImage(image=IMAGE, root=HOSTILE, argv=("python", str(HOSTILE / "administrator.py")), workdir=HOSTILE)
    others = engine().images.tables[0]
    table = {IMAGE: image, GAME: others[GAME], PLAYER: others[PLAYER]}
    players: list[Any] = list(request.players)
    players[0] = players[0].model_copy(update={"image": IMAGE, "env": {}, "run": []})
    job = CoworldEpisodeJobSpec(manifest=request.manifest, game_config=request.game_config, players=players)
    outcome = _run(package, job, ProcessEngine(LocalImages((table,)), level=level), folder / "out")
    return outcome, json.loads((folder / "out" / "policy_artifact_0.zip").read_bytes())


def _run(package: CoworldPackage, job: CoworldEpisodeJobSpec, chosen: ProcessEngine, workspace: Path) -> EpisodeOutcome:
    return run_episode(package, job, engine=chosen, workspace=workspace, budget_seconds=120)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", ["open_admin", "paintarena"])
def test_a_player_never_reaches_the_administration_and_is_on_record(
    tmp_path: Path, game: str, level: str | None
) -> None:
    if level is not None and (reason := proof(Level(level)).reason):
        missing(f"{level}: {reason}")
    outcome, answers = attack(tmp_path, game, level)
    assert [line.split()[1] for line in answers.pop("health")] == ["200"]
    lines = {way: [line.split()[1] for line in found] for way, found in answers.items()}
    # A page that the player may see is answered; the request behind it never is.
    for way in ("second request", "pipelined request"):
        assert lines.pop(way) == ["200"]
    assert {status for found in lines.values() for status in found} <= {"400", "403", "411"}
    assert "ADMINISTERED" not in (outcome.workspace / "logs" / "game.stdout.log").read_text()
    record = json.loads((outcome.workspace / "isolation.json").read_bytes())
    refused = {entry.get("slot"): entry.get("refused_requests") for entry in record["runnables"]}
    assert refused[0] and all("admin" in path.lower() for path in refused[0])
    assert refused[1] == []
    assert outcome.error is not None
    assert (outcome.error.error_type, outcome.error.slot) == ("player_error", 0)
    assert left_running() == []


@pytest.mark.parametrize(
    "target",
    ["/admin", "/a/../admin", "/%61dmin?x", "/%2561dmin", "//admin", "\\admin", "/Admin;v=1", "/client/admin.html#x"],
)
def test_every_spelling_of_the_administration_is_refused(target: str) -> None:
    assert admin_path(target) is not None


@pytest.mark.parametrize("target", ["/", "/player?slot=0&token=admin", "/healthz", "/client/administrators", "/global"])
def test_other_addresses_pass(target: str) -> None:
    assert admin_path(target) is None


def test_a_request_that_is_no_websocket_is_the_last_one_of_its_connection() -> None:
    request = read_request(b"GET /healthz HTTP/1.1\r\nHost: game\r\nConnection: keep-alive\r\n\r\n")
    assert request.head == b"GET /healthz HTTP/1.1\r\nHost: game\r\nConnection: close\r\n\r\n"
    with pytest.raises(RequestRefused, match="websocket"):
        read_request(b"GET /player HTTP/1.1\r\nUpgrade: h2c\r\n\r\n")
