"""Scripted players play whole games of Among Them, in this process and over a socket, and know only what they see."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bitworld.games.among_them import AmongThem
from bitworld.players.among_them import AmongThemBot
from bitworld.players.among_them.countdown import Countdown
from bitworld.players.among_them.games import PlayedGame, play_game
from bitworld.players.among_them.routes import FAR, routes_of
from bitworld.players.among_them.sight import Screen, read_sight
from bitworld.players.among_them.talk import say, statements
from bitworld.players.client import play, player_url
from bitworld.players.scenes import SCENE_BYTES, pack_scene, unpack_scene
from bitworld.registry import new_game
from bitworld.replays import ReplayGame, read_replay
from bitworld.server import GameServer, Match, Stepped

QUICK = {"startWaitTicks": 0, "roleRevealTicks": 4, "tasksPerPlayer": 2, "killCooldownTicks": 120}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[PlayedGame, Path]]:
    folder = tmp_path_factory.mktemp("games")
    configs: dict[int, dict[str, object]] = {3: dict(QUICK), 5: {}, 0: {}}  # then published
    paths = {seed: folder / f"{seed}.bitreplay" for seed in configs}
    return [(play_game(seed, config, replay_path=paths[seed]), paths[seed]) for seed, config in configs.items()]


def test_every_game_has_a_winner_and_its_replay_verifies(games: list[tuple[PlayedGame, Path]]) -> None:
    assert [game.winner for game, _ in games] == ["crew", "imposters", "crew"]
    for game, path in games:
        playback = ReplayGame(read_replay(path.read_bytes()))
        playback.seek(playback.length)
        assert playback.length == game.ticks


def test_players_finish_tasks_kill_and_speak_in_meetings(games: list[tuple[PlayedGame, Path]]) -> None:
    assert sum(game.tasks for game, _ in games) > 80
    assert sum(game.kills for game, _ in games) > 3
    assert sum(game.ejected_crew + game.ejected_imposters for game, _ in games) > 0
    messages = [message for game, _ in games for message in game.messages]
    assert any("I saw " in message or "I suspect " in message for message in messages)
    assert any("I was with " in message or "I did tasks in " in message for message in messages)
    assert all(len(message) <= 320 and message.isascii() for message in messages)
    assert all(statements(message) for message in messages)


def test_the_same_seed_gives_the_same_game(games: list[tuple[PlayedGame, Path]]) -> None:
    assert play_game(3, dict(QUICK)) == games[0][0]


def test_a_player_decides_the_same_without_the_state_of_the_game() -> None:
    """A player that only gets the packed scene, which is what its screen shows, presses the same buttons."""
    game = AmongThem({**QUICK, "seed": 8, "minPlayers": 5})
    for number in range(5):
        game.join(f"player_{number}")
    whole, packed = AmongThemBot(seed=3), AmongThemBot(seed=3)
    for _ in range(150):
        scene = game.player_scene(2)
        data = pack_scene(scene)
        assert data == pack_scene(game.player_objects(2))
        assert len(data) <= SCENE_BYTES
        move = whole.act(scene)
        assert packed.act(unpack_scene(data + bytes(100))) == move
        for _ in range(2):
            game.step([0, 1, move.mask, 2, 8])


def test_stations_vents_and_the_button_can_be_reached() -> None:
    routes = routes_of("map.json")
    for place in (*routes.stations, *routes.vents, routes.button):
        assert routes.distance(routes.map.home, place) < FAR
    for (x, y), station in zip(routes.stations, routes.map.tasks, strict=True):
        assert station.x <= x < station.x + station.w
        assert station.y <= y < station.y + station.h


def test_an_imposter_learns_its_partners_from_the_screen() -> None:
    game = AmongThem({"seed": 2, "startWaitTicks": 0, "minPlayers": 8})
    for number in range(8):
        game.join(f"player_{number}")
    game.step([0] * 8)
    screens = [read_sight(game.player_objects(number)) for number in range(8)]
    assert {screen.screen for screen in screens} == {Screen.ROLE}
    imposters = {number for number, screen in enumerate(screens) if screen.is_imposter}
    assert len(imposters) == 2
    assert all(set(screens[number].icons) == imposters for number in imposters)


def test_statements_are_read_from_the_lines_on_the_screen() -> None:
    text = say("light blue", "I saw dark teal kill red in Greenhouse.") + " " + say("red", "I was with blue in Lab.")
    witness, alibi = statements(text)
    assert (witness.speaker, witness.accused, witness.is_witness) == ("light blue", "dark teal", True)
    assert (alibi.speaker, alibi.accused, alibi.cleared) == ("red", None, "blue")
    assert statements("nonsense: I saw red kill blue") == []


def test_players_of_a_server_play_over_sockets() -> None:
    config = {**QUICK, "seed": 4, "minPlayers": 3, "tasksPerPlayer": 1, "gameOverTicks": 2, "maxGames": 1}

    async def run() -> list[int]:
        match = Match(lambda: new_game("among_them", config), is_stepped=True)
        async with GameServer(match, clock=Stepped(players=3), port=0) as server:
            urls = [player_url(server.address, f"bot_{number}") for number in range(3)]
            playing = [asyncio.ensure_future(play(AmongThemBot(number), url)) for number, url in enumerate(urls)]
            await server.run()
            server_results.extend(match.game.results())
            return await asyncio.gather(*playing)

    server_results: list[dict[str, object]] = []
    counts = asyncio.run(asyncio.wait_for(run(), 60))
    assert min(counts) > 50
    assert [row["win"] for row in server_results] == [True] * 3
    assert [row["tasks"] for row in server_results] == [1] * 3


def test_the_program_says_in_a_sentence_that_no_server_answers() -> None:
    command = [sys.executable, "-m", "bitworld.players", "among_them", "ws://127.0.0.1:9"]
    ran = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), timeout=60)
    assert ran.returncode == 1
    assert ran.stderr.startswith("Error: ")
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_an_imposter_learns_the_length_of_its_cooldown() -> None:
    countdown = Countdown(expected=1200, least=100)
    for tick in range(0, 302, 2):  # the first cooldown lasts 300 ticks
        countdown.look(tick, is_ready=tick >= 300)
    assert countdown.left(300) == 0
    countdown.look(302, is_ready=False)  # a kill
    assert countdown.left(402) == 200
    countdown.look(900, is_ready=False)  # a meeting
    assert countdown.left(900) == 300
