"""The program `python -m bitworld`: options, environment, files, exit codes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bitworld.program import main
from bitworld.replays import ReplayGame, read_replay
from packages.bitworld.tests.server.rooms import PATIENCE, run

SHORT = {"minPlayers": 2, "startWaitTicks": 0, "roleRevealTicks": 0, "maxTicks": 30, "gameOverTicks": 2, "maxGames": 1}


@contextmanager
def program(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the program; yield it and its address."""
    command = [sys.executable, "-m", "bitworld", *arguments, "--port:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        timer = threading.Timer(3 * PATIENCE, process.kill)
        timer.start()
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            yield process, urlsplit(line.partition(": ")[2].strip()).netloc
        finally:
            timer.cancel()
            process.kill()


def play(netloc: str, names: tuple[str, ...] = ("ann", "bob")) -> int:
    """Press right in stepped mode until the server ends the match; return the number of pictures."""
    counts = []

    async def player(name: str) -> None:
        async with connect(f"ws://{netloc}/player?name={name}&slot={names.index(name)}") as connection:
            seen = 0
            try:
                while True:
                    assert len(await connection.recv()) == 8192
                    seen += 1
                    await connection.send(b"\x00\x08")
            except ConnectionClosed:
                counts.append(seen)

    async def everyone() -> None:
        await asyncio.gather(*map(player, names))

    run(everyone)
    assert len(set(counts)) == 1
    return counts[0]


def test_a_match_ends_with_results_and_a_replay(tmp_path: Path) -> None:
    replay, scores = tmp_path / "game.bitreplay", tmp_path / "scores.json"
    options = (f"--save-replay:{replay}", f"--save-scores:{scores}", "--mode:stepped")
    with program("among_them", f"--config:{json.dumps(SHORT)}", *options) as (process, netloc):
        assert urlopen(f"http://{netloc}/healthz", timeout=PATIENCE).read() == b"healthy"
        pictures = play(netloc)
        assert process.wait(PATIENCE) == 0
    rows = json.loads(scores.read_text())
    assert [row["name"] for row in rows] == ["ann", "bob"]
    assert set(rows[0]) == {"name", "reward", "win", "tasks", "kills"}
    recorded = read_replay(replay.read_bytes())
    assert recorded.version == 3
    assert recorded.length == pictures
    playback = ReplayGame(recorded)
    playback.seek(playback.length)


def test_the_environment_names_the_files_and_options_win(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**SHORT, "maxTicks": 5000}))
    files = {
        "COGAME_CONFIG_PATH": str(config),
        "COGAME_SAVE_REPLAY_PATH": str(tmp_path / "a.bitreplay"),
        "COGAME_SAVE_RESULTS_PATH": str(tmp_path / "b.json"),
    }
    options = ("--mode:stepped", '--config:{"maxTicks":10}', f"--save-scores:{tmp_path / 'c.json'}")
    with program("among_them", *options, **files) as (process, netloc):
        assert play(netloc) < 30
        assert process.wait(PATIENCE) == 0
    assert (tmp_path / "a.bitreplay").exists()
    assert (tmp_path / "c.json").exists()
    assert not (tmp_path / "b.json").exists()


def test_the_replay_is_whole_when_the_program_is_asked_to_end(tmp_path: Path) -> None:
    path = tmp_path / "game.bitreplay"
    with program("stag_hunt", f"--save-replay:{path}", "--speed:10") as (process, netloc):
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert netloc
    read_replay(path.read_bytes())


def test_a_replay_can_be_shown_without_naming_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.bitreplay"
    with program("stag_hunt", f"--save-replay:{path}") as (process, _):
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    with program(f"--load-replay:{path}") as (_, netloc):
        assert urlopen(f"http://{netloc}/", timeout=PATIENCE).read() == b"Stag Hunt server"


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([], 2, "Name a game: among_them"),
        (["chess"], 1, "There is no BitWorld game 'chess'; the games are among_them"),
        (["among_them", "stag_hunt"], 2, "two names"),
        (["among_them", "--speed:fast"], 2, "--speed must be a number from 0.01 to 1000, not 'fast'"),
        (["among_them", "--port:70000"], 2, "--port must be a number from 0 to 65535"),
        (["among_them", "--port:1.5"], 2, "--port must be a whole number"),
        (["among_them", "--port"], 2, "--port needs a value: --port:VALUE"),
        (["among_them", "--nim:1"], 2, "Unknown option --nim"),
        (["among_them", "--mode:turbo"], 2, "--mode must be realtime or stepped"),
        (["among_them", "--config:{"], 1, "The configuration in --config is not JSON"),
        (["among_them", "--config:[]"], 1, "must be a JSON object"),
        (["among_them", '--config:{"minPlayers":"two"}'], 1, "minPlayers"),
        (["among_them", "--config-file:/nowhere.json"], 1, "/nowhere.json"),
        (["among_them", "--map:/nowhere.json"], 1, "/nowhere.json"),
        (["among_them", "--load-replay:/nowhere.bitreplay"], 1, "/nowhere.bitreplay"),
        (["among_them", "--load-replay:a", "--save-replay:b"], 2, "exclude each other"),
        (["among_them", f"--load-replay:{__file__}"], 1, "not a BitWorld replay"),
    ],
)
def test_errors_are_one_sentence(
    arguments: list[str], status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments, {}) == status
    output = capsys.readouterr()
    assert output.out == ""
    first, *rest = output.err.splitlines()
    assert first.startswith("Error: ")
    assert says in first
    assert rest == (["hint: python -m bitworld --help"] if status == 2 else [])


def test_help_lists_the_options_and_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"], {}) == 0
    text = capsys.readouterr().out
    assert "--save-scores:FILE" in text
    assert "stag_hunt" in text
