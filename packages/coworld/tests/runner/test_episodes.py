"""Successful episodes: the programs' environment, files in the workspace, both generations, hosted players."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from coworld.engines.base import ImageUnreachable, IsolationMissing, Place
from coworld.engines.local_images import LocalImage, LocalImages, LocalImagesError
from coworld.engines.process import ProcessEngine
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldHumanPlayerSpec
from coworld.models.runnables import CoworldPlayerStartup
from coworld.runner import launch
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.episode_request import fixture_request, with_own_commands
from coworld.runner.player_files import fixture_player_files, player_file_bytes, player_file_spec
from coworld.runner.runner import (
    EpisodeOutcome,
    LiveEpisode,
    RunnerEpisodeError,
    run_coworld_episode,
    run_episode,
    run_episode_async,
)
from packages.coworld.tests.worlds import WARM, engine, hosted_world, left_running, world
from tests.support import missing


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert left_running() == []


def test_an_episode_leaves_everything_in_its_workspace_and_no_token_but_in_the_configuration(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    first = run_episode(package, request, engine=engine, workspace=out, verify_replay=True)
    assert (first.error, first.results) == (None, {"scores": [3.0, 3.0]})
    tokens = json.loads((out / "config.json").read_bytes())["tokens"]
    assert [len(token) for token in tokens] == [22, 22]
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.name != "config.json":
            assert not any(token.encode() in path.read_bytes() for token in tokens), path
    assert zlib.decompress((out / "replay.z").read_bytes()) == (out / "replay").read_bytes()
    assert (out / "logs" / "policy_agent_0.log").read_text().startswith("playing ws://127.0.0.1:8080/player?slot=0&")
    # Once for the episode, once for the replay.
    assert (out / "logs" / "game.stdout.log").read_text().count("config tokens") == 2
    for name in ("events.json", "trajectory.jsonl", "policy_artifact_0.zip", "policy_artifact_1.zip"):
        assert (out / name).stat().st_size > 0
    for name in ("config.json", "player_status.json", "player_containers.json"):
        assert (out / name).stat().st_mode & 0o777 == 0o600

    # The same folder again, with another end: nothing of the first is left but what was not ours.
    package, request, engine = world(tmp_path, "exits_at_once")
    second = run_episode(package, request, engine=engine, workspace=out)
    assert second.error is not None and second.error.error_type == "game_unhealthy"
    assert not (out / "results.json").exists() and not (out / "replay").exists()
    assert (out / "error_info.json").exists() and (out / "notes.txt").read_text() == "mine"
    package, request, engine = world(tmp_path)
    assert run_episode(package, request, engine=engine, workspace=out).ok
    assert not (out / "error_info.json").exists()


@pytest.mark.parametrize(("game", "player"), [("old_generation", "good"), ("good", "old_generation")])
def test_games_and_players_of_both_generations_play_together(game: str, player: str, tmp_path: Path) -> None:
    package, request, engine = world(tmp_path, game, (player, player))
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", verify_replay=True)
    assert (outcome.error, outcome.results) == (None, {"scores": [3.0, 3.0]})


def test_artifacts_of_players_are_kept_when_the_episode_fails(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path, "exits_non_zero")
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out")
    assert outcome.error is not None
    assert (tmp_path / "out" / "policy_artifact_1.zip").exists()
    assert (tmp_path / "out" / "replay").exists()


def warm(request: CoworldEpisodeJobSpec, script: str, seconds: int = 20) -> CoworldEpisodeJobSpec:
    startup = CoworldPlayerStartup(port=7000, path="/warm", timeout_seconds=seconds)
    players = list(request.players)
    env = {**players[1].env, "SCRIPT": script}  # type: ignore[union-attr]
    players[1] = players[1].model_copy(update={"image": WARM, "startup": startup, "env": env})
    return CoworldEpisodeJobSpec(manifest=request.manifest, game_config=request.game_config, players=players)


def test_a_player_that_declares_startup_is_healthy_before_the_game_starts(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    outcome = run_episode(package, warm(request, "good"), engine=engine, workspace=tmp_path / "out")
    assert (outcome.error, outcome.results) == (None, {"scores": [3.0, 3.0]})
    assert "asked for /warm" in (tmp_path / "out" / "logs" / "policy_agent_1.log").read_text()


@pytest.mark.parametrize(("script", "says"), [("exits_at_once", "exit code 8"), ("never_warm", "HTTP 503")])
def test_a_player_that_does_not_warm_up_is_blamed(script: str, says: str, tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    outcome = run_episode(package, warm(request, script, 1), engine=engine, workspace=tmp_path / "out")
    assert outcome.error is not None
    assert (outcome.error.error_type, outcome.error.slot) == ("player_error", 1)
    assert says in outcome.error.message
    assert outcome.players[0].state == "not_started"


def hosted(tmp_path: Path, script: str = "good", **options: object) -> EpisodeOutcome:
    package = hosted_world(tmp_path, script)
    seats = [player_file_spec(path) for path in fixture_player_files(package)]
    request = fixture_request(package, player_files=seats)
    return run_episode(package, request, engine=engine(), workspace=tmp_path / "out", budget_seconds=20, **options)


def test_a_game_that_hosts_its_players_gets_their_files(tmp_path: Path) -> None:
    outcome = hosted(tmp_path, verify_replay=True)
    assert (outcome.error, outcome.results) == (None, {"scores": [1.5, 2.5]})
    assert (tmp_path / "out" / "logs" / "policy_agent_1.log").read_text() == "slot 1 says 2.5\n"
    assert [player.state for player in outcome.players] == ["exited", "exited"]
    assert (tmp_path / "out" / "policy_artifact_0.zip").exists()
    seats = json.loads((tmp_path / "out" / "player_seats.json").read_bytes())
    assert seats["schema"] == "coworld-player-seats/1"
    assert seats["seats"][0].keys() == {"slot", "file_uri", "content_hash", "size_bytes", "log_uri", "artifact_uri"}


@pytest.mark.parametrize(
    ("script", "error", "slot"),
    [
        ("declares_player_failure", "player_error", 1),
        ("exits_non_zero", "game_unhealthy", None),
        ("no_results", "results_missing", None),
    ],
)
def test_a_game_that_hosts_its_players_fails_with_the_right_type(
    script: str, error: str, slot: int | None, tmp_path: Path
) -> None:
    outcome = hosted(tmp_path, script)
    assert outcome.error is not None
    assert (outcome.error.error_type, outcome.error.slot) == (error, slot), outcome.error.message


def test_a_seat_whose_log_the_game_did_not_write_gets_a_word_about_it(tmp_path: Path) -> None:
    assert hosted(tmp_path, "no_logs").ok
    log = (tmp_path / "out" / "logs" / "policy_agent_0.log").read_text()
    assert log == "No player log was written by the game-hosted runtime.\n"


def test_a_player_file_that_is_missing_or_another_is_the_platforms_fault(tmp_path: Path) -> None:
    package = hosted_world(tmp_path)
    files = fixture_player_files(package)
    request = fixture_request(package, player_files=[player_file_spec(path) for path in files])
    files[1].write_text("9")
    for path, error in ((files[1], "player_file_mismatch"), (tmp_path / "gone", "player_file_unavailable")):
        outcome = run_episode(
            package, request, engine=engine(), workspace=tmp_path / "out", player_files=[files[0], path]
        )
        assert outcome.error is not None
        assert (outcome.error.error_type, outcome.error.party.value) == (error, "platform")


def test_a_folder_of_a_player_is_packed_to_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "b").mkdir(parents=True)
        (tmp_path / name / "b" / "x.txt").write_text("x")
        (tmp_path / name / "a.txt").write_text("a")
        os.utime(tmp_path / name / "a.txt", (0, 10**9 if name == "one" else 10**9 + 99))
    assert player_file_bytes(tmp_path / "one") == player_file_bytes(tmp_path / "two")


def test_further_ports_of_a_game_are_reached_where_it_was_told(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    env = {**request.manifest.game.runnable.env, "COWORLD_LOCAL_EXTRA_PORTS": "9999/tcp"}
    runnable = request.manifest.game.runnable.model_copy(update={"env": env})
    game = request.manifest.game.model_copy(update={"runnable": runnable})
    request = request.model_copy(update={"manifest": request.manifest.model_copy(update={"game": game})})
    seen: list[LiveEpisode] = []
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", on_ready=seen.append)
    assert outcome.error is None
    assert list(seen[0].ports) == [9999] and seen[0].ports[9999] > 1023


def test_a_game_is_told_which_source_it_is_made_of(tmp_path: Path) -> None:
    game = world(tmp_path)[0].manifest.game
    place = Place(folder="/coworld", host="0.0.0.0", port=8080, game=("", 0))
    commit, digest = "c" * 40, f"sha256:{'d' * 64}"
    for source, image, revision in (
        (None, "mine:1", "mine:1"),
        ("https://github.com/o/r", f"mine@{digest}", "https://github.com/o/r"),
        (f"https://github.com/o/r/tree/{commit}/game", "mine:1", commit),
    ):
        runnable = game.runnable.model_copy(update={"source_url": source, "image": image})
        told = launch.game_variables(
            game.model_copy(update={"runnable": runnable}), "e1", place, hosted=False, admin_token="t"
        )
        assert told["COWORLD_SOURCE_REVISION"] == revision
        assert told.get("COWORLD_GAME_IMAGE_DIGEST") == (digest if "@" in image else None)


def test_a_games_secrets_are_put_where_it_can_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text("a key")
    monkeypatch.setenv("COWORLD_LOCAL_SECRET_URIS", json.dumps({"secret://mine/key": (tmp_path / "key").as_uri()}))
    secrets = launch.GameSecrets.of({"KEY": "secret://mine/key", "LEVEL": "3"})
    place = Place(folder="/coworld", host="0.0.0.0", port=8080, game=("", 0))
    assert secrets.files == {"secrets/0": b"a key"}
    assert secrets.variables(place) == {"KEY": "file:///coworld/secrets/0"}
    for address in ("secret://mine/other", "secret://mine/gone"):
        monkeypatch.setenv("COWORLD_LOCAL_SECRET_URIS", json.dumps({"secret://mine/gone": "file:///no/key"}))
        with pytest.raises(RunnerEpisodeError, match=r"not mapped|could not be read"):
            launch.GameSecrets.of({"KEY": address})


def test_an_image_that_was_named_runs_its_own_command_where_it_has_one(tmp_path: Path) -> None:
    _, request, engine = world(tmp_path)
    engine.images.tables[0]["bare:1"] = LocalImage(image="bare:1", root=tmp_path)  # type: ignore[index]
    players = [
        player.model_copy(update={"image": image, "run": ["the", "manifest's"]})
        for player, image in zip(request.players, ("bare:1", request.players[1].image), strict=True)
    ]
    seated = with_own_commands(request.model_copy(update={"players": players}), engine).players
    assert [player.run for player in seated] == [["the", "manifest's"], []]


def test_what_nothing_can_be_started_with_is_its_authors_fault(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    player = request.players[1].model_copy(update={"env": {"A=B": "x"}})
    request = request.model_copy(update={"players": [request.players[0], player]})
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out")
    assert outcome.error is not None
    assert (outcome.error.error_type, outcome.error.slot) == ("player_error", 1)
    assert "cannot be the name of a variable" in outcome.error.message


def test_what_only_a_platform_can_run_is_refused(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    person = CoworldHumanPlayerSpec(type="human", token="0123456789abcdef")
    with_person = request.model_copy(update={"players": [request.players[0], person]})
    bad_config = request.model_copy(update={"game_config": {"ticks": "three"}})
    for changed, says in ((with_person, "`coworld play`"), (bad_config, "at ticks")):
        outcome = run_episode(package, changed, engine=engine, workspace=tmp_path / "out")
        assert outcome.error is not None
        assert outcome.error.error_type == "config_error"
        assert says in outcome.error.message
        assert (tmp_path / "out" / "error_info.json").exists()


def test_a_person_may_take_a_seat_where_people_are_welcome(tmp_path: Path) -> None:
    from websockets.sync.client import connect

    package, request, engine = world(tmp_path)
    person = CoworldHumanPlayerSpec(type="human", token="0123456789abcdef")
    request = request.model_copy(update={"players": [request.players[0], person]})

    def sit_down(live: LiveEpisode) -> None:
        import threading

        def play() -> None:
            host, port = live.address
            url = f"ws://{host}:{port}/player?slot=1&token={live.tokens[1]}"
            with connect(url, proxy=None, compression=None) as socket:
                for message in socket:
                    if '"final"' in str(message):
                        break
                    socket.send("1")

        threads.append(threading.Thread(target=play))
        threads[0].start()

    threads: list[object] = []
    outcome = run_episode(
        package, request, engine=engine, workspace=tmp_path / "out", people=True, probes=False, on_ready=sit_down
    )
    threads[0].join()  # type: ignore[attr-defined]
    assert (outcome.error, outcome.results) == (None, {"scores": [3.0, 3.0]})
    assert [player.state for player in outcome.players] == ["exited", "not_started"]


def test_several_episodes_run_at_once(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)

    async def play() -> list[EpisodeOutcome]:
        runs = (run_episode_async(package, request, engine=engine, workspace=tmp_path / str(n)) for n in range(3))
        return await asyncio.gather(*runs)

    assert [outcome.results for outcome in asyncio.run(play())] == [{"scores": [3.0, 3.0]}] * 3


def test_the_published_entry_raises_what_went_wrong(tmp_path: Path) -> None:
    _, request, engine = world(tmp_path, "exits_non_zero")
    artifacts = EpisodeArtifacts.create(tmp_path / "out")
    with pytest.raises(RunnerEpisodeError, match="exit code 3") as raised:
        run_coworld_episode(request, artifacts, timeout_seconds=20, engine=engine)
    assert raised.value.error_type == "game_unhealthy"


def test_an_image_that_nothing_stands_for_is_named_with_the_way_to_map_it(tmp_path: Path) -> None:
    with pytest.raises(ImageUnreachable, match=r"--map registry\.example/a:1=DIR"):
        ProcessEngine(LocalImages.beside(tmp_path / "coworld_manifest.json")).resolve("registry.example/a:1")
    (tmp_path / "coworld_local.json").write_text('{"images": {"a": {"argv": "python"}}}')
    with pytest.raises(LocalImagesError, match=r"`argv` in .* must be a list of strings"):
        LocalImages.beside(tmp_path / "coworld_manifest.json")
    (tmp_path / "coworld_local.json").write_text('{"images": {"a": {"argv": ["python", "x.py"]}}}')
    images = LocalImages.beside(tmp_path / "coworld_manifest.json", [f"b={tmp_path}"])
    assert images.find("a").root == tmp_path and images.find("b").argv == ("python", "x.py")


def test_without_isolation_nothing_runs_unless_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGBOX_LEVEL", "none")
    with pytest.raises(IsolationMissing, match="--unsafe-local"):
        ProcessEngine()
    package, request, engine = world(tmp_path, unsafe=True)
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", verify_replay=True)
    assert (outcome.error, outcome.results) == (None, {"scores": [3.0, 3.0]})
    receipt = json.loads((tmp_path / "out" / "isolation.json").read_bytes())
    assert {entry["level"] for entry in receipt["runnables"]} == {"none"}


INTERRUPTED = """
import sys
from pathlib import Path
sys.path.insert(0, ".")
from packages.coworld.tests.worlds import world
from coworld.runner.runner import run_episode
folder = Path(sys.argv[1])
package, request, engine = world(folder, "never_ends")
run_episode(package, request, engine=engine, workspace=folder / "out", on_ready=lambda live: print("ready", flush=True))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_an_interrupted_run_leaves_nothing_running(how: signal.Signals, tmp_path: Path) -> None:
    mark = f"coworld-interrupted-{how.name}-{os.getpid()}"
    root = Path(__file__).resolve().parents[4]
    env = {**os.environ, "COWORLD_TEST_MARK": mark}
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path)]
    with subprocess.Popen(command, cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"ready\n"
        assert len(left_running(mark)) >= 3
        runner.send_signal(how)
        runner.communicate(timeout=30)
    deadline = time.monotonic() + 20
    while left_running(mark) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert left_running(mark) == []
    if how is not signal.SIGKILL:
        assert runner.returncode != 0
        info = json.loads((tmp_path / "out" / "error_info.json").read_bytes())
        assert info["error_type"] == "node_disruption"
        assert (tmp_path / "out" / "logs" / "game.stdout.log").stat().st_size > 0


AS_USER = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from packages.coworld.tests.worlds import engine, left_running, world
from coworld.runner.runner import run_episode
folder = Path(sys.argv[2])
package, request, _ = world(folder)
outcome = run_episode(package, request, engine=engine(level=sys.argv[3]), workspace=folder / "out", verify_replay=True)
receipt = json.loads((folder / "out" / "isolation.json").read_bytes())
levels = sorted({entry["level"] for entry in receipt["runnables"]})
print(json.dumps([outcome.results, outcome.error and outcome.error.message, levels, left_running()]))
"""


@pytest.mark.parametrize("level", ["namespaces", "bubblewrap"])
def test_an_ordinary_user_runs_episodes_at_every_quick_level(level: str) -> None:
    root = Path(__file__).resolve().parents[4]
    with tempfile.TemporaryDirectory(prefix="coworld-user-") as folder:  # what pytest makes is closed to others
        command = [sys.executable, "-B", "-c", AS_USER, str(root), folder, level]
        if os.geteuid() == 0:
            os.chown(folder, 4242, 4242)
            enter = ["unshare", "--mount", "--propagation", "private", sys.executable, "-B"]
            as_user = root / "packages" / "cogbox" / "tests" / "hostile" / "as_user.py"
            command = [*enter, str(as_user), "4242", folder, *command]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if "IsolationMissing" in ran.stderr:
        missing(f"no {level} for an ordinary user")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [{"scores": [3.0, 3.0]}, None, [level], []]
