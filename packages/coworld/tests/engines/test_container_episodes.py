"""Whole episodes in containers: the same as local programs, alone or mixed, and nothing left after any end."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cogbox._levels.container import owned_containers, remove_containers
from cogbox.container_engines import run_engine
from coworld.engines.auto import AutoEngine
from coworld.engines.container import ContainerEngine
from coworld.engines.container_images import ContainerImages
from coworld.engines.process import ProcessEngine
from coworld.manifest.installed_worlds import manifest_of
from coworld.manifest.package import CoworldPackage, load_package
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.episode_request import fixture_request
from coworld.runner.runner import run_episode
from packages.coworld.tests.images import python_image, require_engine
from packages.coworld.tests.worlds import ALL_IN_CONTAINERS, CONTAINER_ENGINES, MARK, left_running, world


@pytest.fixture(params=CONTAINER_ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    return require_engine(request.param)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert left_running() == []


@dataclass(frozen=True)
class Played:
    """A Coworld that comes with this repository, as programs and in one image."""

    name: str
    game: tuple[str, ...]
    """its command in the image; empty for the image's own"""
    player: tuple[str, ...]
    config: dict[str, Any]
    distributions: tuple[str, ...] = ()

    def package(self) -> CoworldPackage:
        manifest = manifest_of(self.name)
        assert manifest is not None
        return load_package(Path(manifest))

    def request(self, package: CoworldPackage, image: str | None) -> CoworldEpisodeJobSpec:
        """The request of the fixture; in containers of an image, if one is named."""
        request = fixture_request(package)
        request = request.model_copy(update={"game_config": {**request.game_config, **self.config}})
        if image is None:
            return request
        game = request.manifest.game
        runnable = game.runnable.model_copy(update={"image": image, "run": list(self.game)})
        manifest = request.manifest.model_copy(update={"game": game.model_copy(update={"runnable": runnable})})
        players = [player.model_copy(update={"image": image, "run": list(self.player)}) for player in request.players]
        return request.model_copy(update={"manifest": manifest, "players": players})


PAINT_ARENA = Played(
    "paintarena",
    (),
    ("python", "-m", "coworld.examples.paintarena.player.player"),
    {"max_ticks": 20, "tick_rate": 20, "lockstep": True},
)
COGS_VS_CLIPS = Played(
    "cogsguard",
    ("python", "-m", "cogsguard.coworld"),
    ("python", "-m", "cogsguard.coworld.player"),
    {"max_steps": 40},
    ("cogames", "cogsguard"),
)
PLAYED = [PAINT_ARENA, *([COGS_VS_CLIPS] if ALL_IN_CONTAINERS else [])]


def traces(workspace: Path) -> dict[str, Any]:
    """The files of an episode without the parts that differ between any two runs."""
    files: dict[str, Any] = {}
    for path in sorted(path for path in workspace.rglob("*") if path.is_file()):
        name = str(path.relative_to(workspace))
        if name.endswith("isolation.json") or name == "player_containers.json":
            continue
        text = path.read_bytes()
        if name == "config.json":
            files[name] = {**json.loads(text), "tokens": None}
        elif name == "player_status.json":
            files[name] = [{**player, "finished_at": None} for player in json.loads(text)["players"]]
        elif name == "events.json":
            files[name] = sorted(json.loads(text), key=json.dumps)  # players connect in any order
        elif name.endswith(".log"):
            files[name] = re.sub(rb"\d+", b"N", text)
        else:
            files[name] = text
    return files


@pytest.mark.parametrize("played", PLAYED, ids=lambda played: played.name)
def test_an_episode_leaves_the_same_files_as_with_local_programs(
    played: Played, engine_name: str, tmp_path: Path
) -> None:
    container = ContainerEngine(ContainerImages(engine_name, pull="never"))
    seen = {}
    for engine, image in ((ProcessEngine(), None), (container, python_image(engine_name, *played.distributions))):
        package = played.package()
        request = played.request(package, image)
        workspace = tmp_path / engine.name
        outcome = run_episode(package, request, engine=engine, workspace=workspace, verify_replay=True)
        assert outcome.error is None
        seen[engine.name] = traces(workspace)
    assert seen[engine_name].keys() == seen["process"].keys()
    assert {"results.json", "replay", "player_status.json"} <= seen["process"].keys()
    for name, content in seen["process"].items():
        assert seen[engine_name][name] == content, name
    record = json.loads((tmp_path / engine_name / "isolation.json").read_bytes())
    assert record["engine"] == engine_name
    assert {(entry["engine"], entry["level"]) for entry in record["runnables"]} == {(engine_name, "container")}


def test_a_local_game_plays_with_players_in_containers(engine_name: str, tmp_path: Path) -> None:
    image = python_image(engine_name)
    package, request, local = world(tmp_path)
    players = [
        player.model_copy(update={"image": image, "run": ["python", "/app/bad/player.py"]})
        for player in request.players
    ]
    request = request.model_copy(update={"players": players})
    engine = AutoEngine(local, lambda name: ContainerImages(engine_name, pull="never"))
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", verify_replay=True)
    assert outcome.error is None
    assert outcome.results == {"scores": [3.0, 3.0]}
    record = json.loads((tmp_path / "out" / "isolation.json").read_bytes())
    assert record["engine"] == f"{engine_name} and process"
    assert [entry["engine"] for entry in record["runnables"]] == ["process", engine_name, engine_name]
    log = (tmp_path / "out" / "logs" / "policy_agent_0.log").read_text()
    assert re.match(r"playing ws://coworld-game-[0-9a-f]{16}:8080/player\?slot=0&", log)


TOOL = """
import json, sys
from pathlib import Path
from packages.coworld.tests.worlds import container_world
from coworld.runner.runner import run_episode
folder = Path(sys.argv[2])
package, request, engine = container_world(sys.argv[1], folder, "never_ends")
run_episode(package, request, engine=engine, workspace=folder / "out", budget_seconds=120)
"""


@pytest.mark.parametrize("with_guards", [True, *([False] if ALL_IN_CONTAINERS else [])])
def test_nothing_is_left_after_the_tool_was_killed(engine_name: str, with_guards: bool, tmp_path: Path) -> None:
    python_image(engine_name)
    tool = subprocess.Popen([sys.executable, "-c", TOOL, engine_name, str(tmp_path)], env=variables())
    try:
        wait_for(lambda: len(containers(engine_name, tool.pid)) == 3 or tool.poll() is not None)
        assert tool.poll() is None
        check_settings(engine_name, containers(engine_name, tool.pid))
    finally:
        guards = children(tool.pid) if with_guards else []
        for pid in (tool.pid, *guards):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        tool.wait()
    wait_for(lambda: left_running() == [])
    sweep_in_a_new_process(engine_name)
    assert containers(engine_name, tool.pid) == []


def test_containers_of_dead_processes_are_removed_and_others_stay(engine_name: str) -> None:
    image = python_image(engine_name)
    with subprocess.Popen(["true"]) as ended:
        pass
    own = Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19]
    namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    names = {}
    for kind, owner in (("dead", f"{ended.pid}-1-{namespace}"), ("alive", f"{os.getpid()}-{own}-{namespace}")):
        names[kind] = f"coworld-test-{kind}-{os.getpid()}"
        words = [
            "create",
            "--name",
            names[kind],
            "--network",
            "none",
            "--label",
            f"cogbox.owner={owner}",
            image,
            "true",
        ]
        created = run_engine(engine_name, *words)
        assert created.returncode == 0, created.stderr
    try:
        sweep_in_a_new_process(engine_name)
        listed = run_engine(engine_name, "ps", "--all", "--format", "{{.Names}}").stdout.split()
        assert names["dead"] not in listed and names["alive"] in listed
    finally:
        remove_containers(engine_name, list(names.values()))


def sweep_in_a_new_process(engine_name: str) -> None:
    code = f"from cogbox._levels.container import sweep; sweep({engine_name!r})"
    subprocess.run([sys.executable, "-c", code], check=True, env=variables())


def variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COWORLD_TEST_MARK": MARK}


def check_settings(engine_name: str, names: list[str]) -> None:
    """Every container is closed, limited and labelled, and its description contains no secret."""
    text = run_engine(engine_name, "inspect", *names).stdout
    assert "token" not in text.lower()
    for document in json.loads(text):
        host, labels = document["HostConfig"], document["Config"]["Labels"]
        assert host["NetworkMode"] == "none" and host["ReadonlyRootfs"]
        assert host["Memory"] == host["MemorySwap"] > 0 and 0 < host["PidsLimit"] <= 512
        assert "no-new-privileges" in host["SecurityOpt"]
        assert labels["coworld.role"] in ("game", "player") and len(labels["coworld.run"]) == 16
        assert labels["coworld.owner"] == labels["cogbox.owner"]
        assert labels["coworld.run"] in document["Name"]


def containers(engine_name: str, pid: int) -> list[str]:
    return [name for name, owner in owned_containers(engine_name).items() if owner.startswith(f"{pid}-")]


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.1)
