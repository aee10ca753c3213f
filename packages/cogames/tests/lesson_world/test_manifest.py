"""The lessons as a Coworld: the manifest is what the code says, and a lesson is played to its end over a socket."""

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from websockets.sync.client import connect

from cogames.lesson_world.config import LessonConfig, lessons
from cogames.lesson_world.manifest import PACKAGED, make_manifest, manifest_text
from cogsguard.coworld.errors import BadConfig
from cogsguard.coworld.game import play
from coworld.manifest.package import load_package
from packages.cogsguard.tests.coworld.conftest import free_port


def test_the_packaged_manifest_is_fresh_and_valid() -> None:
    assert PACKAGED.read_text() == manifest_text(), "run `python -m cogames.lesson_world.manifest`"
    package = load_package(PACKAGED, strict=True)
    assert [variant.id for variant in package.manifest.variants] == [lesson.name for lesson in lessons()]


def test_every_lesson_fits_the_schema_and_has_one_player() -> None:
    manifest = make_manifest()
    for variant in (*manifest["variants"], manifest["certification"]):
        config = {**variant["game_config"], "tokens": ["secret"]}
        jsonschema.validate(config, manifest["game"]["config_schema"])
        assert LessonConfig(**config).environment().game.num_agents == 1
    for wrong in ({"lesson": "flying", "tokens": ["x"]}, {"tokens": ["x", "y"]}):
        with pytest.raises(BadConfig):
            LessonConfig(**wrong).environment()


def test_a_lesson_follows_its_player_and_waits_for_every_step(tmp_path: Path) -> None:
    port = free_port()
    config = {"lesson": "moving", "tokens": ["secret"], "max_steps": 4}
    (tmp_path / "config.json").write_text(json.dumps(config))
    environ = {
        "COGAME_CONFIG_URI": str(tmp_path / "config.json"),
        "COGAME_RESULTS_URI": str(tmp_path / "results.json"),
        "COGAME_HOST": "127.0.0.1",
        "COGAME_PORT": str(port),
    }
    game = threading.Thread(target=play, args=(environ, LessonConfig), daemon=True)
    game.start()
    goals: list[str] = []
    shown = threading.Event()

    def watch() -> None:
        with opened(port, "/player?slot=0&token=secret&watch=1") as seat:  # as the page of a hosted seat does
            for raw in seat:
                message = json.loads(raw) if isinstance(raw, str) else {}
                if message.get("type") == "lesson":
                    goals.append(message["goal"]["title"])
                    shown.set()

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    with opened(port, "/player?slot=0&token=secret") as player:
        for raw in player:
            message = json.loads(raw)
            if message["type"] == "observation":
                assert shown.wait(60)  # a watcher is sent the newest goal only, 30 times a second
                player.send(json.dumps({"type": "action", "action_name": "move_east", "for_step": message["step"]}))
    game.join(60)
    watching.join(60)
    assert json.loads((tmp_path / "results.json").read_text())["steps"] == 4
    assert goals[0] == "Walk to the mark" and goals[-1] != goals[0]


@contextmanager
def opened(port: int, path: str) -> Iterator[Any]:
    """Connect to the game, which may still be starting."""
    with ExitStack() as stack:
        for _ in range(600):
            try:
                address = f"ws://127.0.0.1:{port}{path}"
                connection = stack.enter_context(connect(address, proxy=None, compression=None, max_size=None))
                break
            except OSError:
                threading.Event().wait(0.05)
        yield connection
