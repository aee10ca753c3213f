"""A player attacks from inside its box: the tokens of others, the workspace, and everything on the network."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coworld.engines.local_images import LocalImage
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.runner import EpisodeOutcome, run_episode
from packages.coworld.tests.worlds import BAD, CONTAINER_ENGINES, container_world, left_running, world

HOSTILE = Path(__file__).parents[1] / "hostile"
IMAGE = "hostile/player:latest"


@contextlib.contextmanager
def canaries(folder: Path) -> Iterator[list[socket.socket]]:
    """Sockets of this machine that no player may reach."""
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        outside = stack.enter_context(socket.create_server(("0.0.0.0", 0)))
        path, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        path.bind(str(folder / "s"))
        abstract.bind(f"\0coworld-canary-{os.getpid()}")
        for listener in (path, abstract):
            stack.enter_context(listener)
            listener.listen()
        yield [tcp, outside, path, abstract]


def knocked(listener: socket.socket) -> bool:
    listener.setblocking(False)
    try:
        listener.accept()[0].close()
        return True
    except BlockingIOError:
        return False


@pytest.fixture(scope="module", params=["process", *CONTAINER_ENGINES])
def attack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[EpisodeOutcome, dict[str, Any], list[bool]]]:
    """One episode with the attacker in slot 0: its outcome, what it took, which canaries it woke."""
    folder = tmp_path_factory.mktemp("w")
    folder.chmod(0o755)  # only the box is in the way
    workspace = folder / "out"
    changes: dict[str, Any]
    if request.param == "process":
        package, job, engine = world(folder, "waits_for_the_dead")
        engine.images.tables[0][IMAGE] = LocalImage(  # type: ignore[index]
            image=IMAGE, root=HOSTILE, argv=("python", str(HOSTILE / "player.py")), workdir=HOSTILE
        )
        changes = {"image": IMAGE}
    else:
        package, job, engine = container_world(request.param, folder, "waits_for_the_dead")
        changes = {"run": ["python", "/app/hostile/player.py"]}
    with canaries(folder) as listeners:
        ports = [listener.getsockname()[1] for listener in listeners[:2]]
        hosts = ["127.0.0.1", "127.0.0.2", "localhost", socket.gethostbyname(socket.gethostname())]
        wanted = {
            "workspace": str(workspace),
            "files": [str(workspace / "config.json"), f"/proc/{os.getpid()}/environ", "/etc/shadow"],
            # 9999 is another port of the game's own box.
            "addresses": [[host, port] for host in hosts for port in (*ports, 22, 80, 9999)],
            "sockets": [str(folder / "s"), f"\0coworld-canary-{os.getpid()}"],
        }
        players = list(job.players)
        env = {"WANTED": json.dumps(wanted)}
        players[0] = players[0].model_copy(update={**changes, "env": env})
        job = CoworldEpisodeJobSpec(manifest=job.manifest, game_config=job.game_config, players=players)
        outcome = run_episode(package, job, engine=engine, workspace=workspace, budget_seconds=30)
        taken = json.loads((workspace / "policy_artifact_0.zip").read_bytes())
        yield outcome, taken, [knocked(listener) for listener in listeners]


def test_it_reaches_the_game_and_nothing_else(attack: tuple[EpisodeOutcome, dict[str, Any], list[bool]]) -> None:
    _, taken, woken = attack
    assert taken["game"]
    assert taken["reached"] == []
    assert woken == [False] * 4


def test_it_gets_nobody_elses_token(attack: tuple[EpisodeOutcome, dict[str, Any], list[bool]]) -> None:
    outcome, taken, _ = attack
    own, others = json.loads((outcome.workspace / "config.json").read_bytes())["tokens"]
    text = json.dumps(taken)
    assert own in text  # it looked in the right places
    assert others not in text


def test_it_sees_nothing_of_the_workspace_or_of_other_processes(
    attack: tuple[EpisodeOutcome, dict[str, Any], list[bool]],
) -> None:
    outcome, taken, _ = attack
    assert not [name for name in taken["listed"] if name.startswith(str(outcome.workspace))]
    assert not [name for name in taken["files"] if Path(name).name in ("config.json", "shadow")]
    commands = [text for name, text in taken["environments"].items() if name.endswith("/cmdline")]
    assert not [text for text in commands if str(BAD) in text or "/app/bad" in text]


def test_it_changes_nothing_of_the_machine(attack: tuple[EpisodeOutcome, dict[str, Any], list[bool]]) -> None:
    _, taken, _ = attack
    assert taken["broke"] == []


def test_it_is_blamed_and_ended(attack: tuple[EpisodeOutcome, dict[str, Any], list[bool]]) -> None:
    outcome, _, _ = attack
    assert outcome.error is not None
    assert (outcome.error.error_type, outcome.error.slot) == ("player_error", 0)
    assert left_running() == []
    assert (outcome.workspace / "config.json").stat().st_mode & 0o777 == 0o600


def test_the_receipt_says_how_each_program_was_isolated(
    attack: tuple[EpisodeOutcome, dict[str, Any], list[bool]],
) -> None:
    outcome, _, _ = attack
    receipt = json.loads((outcome.workspace / "isolation.json").read_bytes())
    reaches = [(entry["role"], entry["reaches"]) for entry in receipt["runnables"]]
    assert reaches == [("game", "the runner's log"), ("player", "the game"), ("player", "the game")]
    assert {entry["level"] for entry in receipt["runnables"]} <= {"namespaces", "bubblewrap", "container"}
