"""`cogames bitworld ...` and `cogames replay` through the real command line."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bitworld.players.among_them import AmongThemBot
from bitworld.players.among_them.games import play_game
from bitworld.players.client import play, player_url
from bitworld.replays import ReplayGame, read_replay
from cogames.cli import bitworld as published
from cogames.main import app

COGAMES = [sys.executable, "-m", "cogames"]
QUICK = '{"startWaitTicks": 0, "roleRevealTicks": 2, "tasksPerPlayer": 1, "taskCompleteTicks": 4, "gameOverTicks": 2}'


def cogames(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "game.bitreplay"
    play_game(3, {"startWaitTicks": 0, "roleRevealTicks": 0, "tasksPerPlayer": 1}, players=3, replay_path=path)
    return path


def test_the_games_are_listed_with_their_entries() -> None:
    ran = cogames("bitworld", "games")
    assert ran.exit_code == 0
    assert re.search(r"^among_them +bitworld\.games\.among_them:AmongThem +Finish tasks", ran.stdout, re.MULTILINE)
    assert [line.split()[0] for line in ran.stdout.splitlines()[2:]] == sorted(
        game.name for game in published.discover_games()
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["quick-run", "among_then"], "Error: There is no BitWorld game 'among_then'"),
        (["quick-run", "stag_hunt", "--bots", "2"], "Error: stag_hunt has no scripted players"),
        (["quick-run", "among_them", "--config", "["], "Error: --config is not JSON"),
        (["quick-run", "among_them", "--config", '{"killRange": "far"}'], "Error: killRange"),
        (["quick-run", "among_them", "--save-replay", "nowhere/x.bitreplay"], "Error: nowhere is not a folder"),
        (["quick-run", "among_them", "70000"], "Error: Ports are 0 to 65535"),
        (["replay", "missing.bitreplay"], "Error: Replay file not found: missing.bitreplay"),
        (["replay", "."], "Error: . is a folder"),
    ],
)
def test_mistakes_are_one_sentence(words: list[str], message: str) -> None:
    ran = cogames("bitworld", *words)
    assert ran.exit_code == 1
    assert ran.stderr.startswith(message)
    assert "Traceback" not in ran.stderr


def test_a_damaged_recording_is_refused_at_every_length(recording: Path, tmp_path: Path) -> None:
    data, cut = recording.read_bytes(), tmp_path / "cut.bitreplay"
    for length in (8, 9, 10, 20, 60):
        cut.write_bytes(data[:length])
        for command in (["replay"], ["bitworld", "replay"]):
            ran = cogames(*command, cut, "--no-browser", "--duration", "0.1")
            assert (ran.exit_code, ran.stdout) == (1, ""), length
            assert "cannot be shown" in ran.stderr


def test_a_busy_port_is_named(recording: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (["quick-run", "stag_hunt", port], ["replay", recording, "--port", port]):
            ran = cogames("bitworld", *words)
            assert ran.exit_code == 1
            assert ran.stderr.startswith(f"Error: Port {port} is in use")


@pytest.mark.parametrize("command", [["replay"], ["bitworld", "replay", "--nim", "/usr/bin/nim"]])
def test_a_recording_is_served_for_its_duration(command: list[str], recording: Path) -> None:
    ran = cogames(*command, recording, "--no-browser", "--duration", "0.2")
    assert ran.exit_code == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/client/global\.html\n", ran.stdout)
    assert ("--nim is ignored" in ran.stderr) == ("--nim" in command)


def test_a_recording_of_another_game_or_with_options_of_grid_replays_is_refused(recording: Path) -> None:
    other = cogames("bitworld", "replay", recording, "--game", "stag_hunt")
    assert (other.exit_code, "is a replay of 'among_them', not of 'stag_hunt'" in other.stderr) == (1, True)
    text = cogames("replay", recording, "--text")
    assert (text.exit_code, "can only be watched" in text.stderr) == (1, True)


def test_a_quick_run_prints_links_plays_a_game_and_saves_it(tmp_path: Path) -> None:
    path = tmp_path / "game.bitreplay"
    command = [*COGAMES, "bitworld", "quick-run", "among_them", "--bots", "2", "--games", "1", "--speed", "6"]
    program = subprocess.Popen(
        [*command, "--save-replay", str(path), "--config", QUICK], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert program.stdout is not None
    try:
        link = program.stdout.readline()
        address = re.fullmatch(r"Player 1: (http://127\.0\.0\.1:\d+)/client/player\.html\?name=player_0\n", link)
        assert address is not None, link
        assert program.stdout.readline() == f"Spectators: {address[1]}/client/global.html\n"
        asyncio.run(asyncio.wait_for(play(AmongThemBot(9), player_url(address[1], "player_0")), 60))
        assert program.wait(60) == 0
        assert program.stdout.read() == f"Saved {path}\n"
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
    playback = ReplayGame(read_replay(path.read_bytes()))
    playback.seek(playback.length)
    assert playback.length > 20


def test_published_names_lead_to_the_same_commands(recording: Path) -> None:
    assert published.bitworld_replay_game_from_file(recording) == "among_them"
    assert published.global_client_url("127.0.0.1", 80) == "http://127.0.0.1:80/client/global.html"
    assert CliRunner().invoke(published.bitworld_app, ["games"]).exit_code == 0
    assert published.replay_cmd.__name__ == "replay"
    config = published.ReplayConfig(replay_path=recording, duration=0.1)
    assert published.launch_bitworld_replay(config) == 0
    with pytest.raises(ValueError, match="is not a BitWorld replay"):
        published.bitworld_replay_game_from_file(Path(__file__))
