"""What the pages ask for beside their files, and exact seeks in a replay."""

import io
import json

from bitworld.game import Game
from bitworld.games.among_them import AmongThem
from bitworld.games.stag_hunt import StagHunt
from bitworld.picture import PALETTE
from bitworld.replays import Recorder, ReplayGame, Story, read_replay
from bitworld.server import Match, ReplayRoom
from bitworld.server.clients import Viewer
from bitworld.wire.viewers import Text, encode_client
from packages.bitworld.tests.server.rooms import request, run, serving
from packages.bitworld.tests.tiny import Tiny


def recorded() -> ReplayGame:
    file = io.BytesIO()
    recorder = Recorder(Tiny(), file)
    recorder.join("ann", 3)
    recorder.step([0])
    recorder.join("bob", 7)
    recorder.step([0, 0])
    recorder.chat(1, "<b>hi</b>")
    recorder.step([0, 0])
    recorder.leave(0)
    for _ in range(97):
        recorder.step([0])
    replay = read_replay(file.getvalue())
    return ReplayGame(replay, Tiny(replay.config))


def test_pages_learn_the_palette_and_the_buttons_from_the_server() -> None:
    async def game_of(game: type[Game]) -> dict[str, object]:
        async with serving(Match(game)) as server:
            answers = [await request(server, "GET", f"/{folder}/game.json") for folder in ("client", "clients")]
            assert answers[0] == answers[1]
            assert answers[0][1]["Content-Type"] == "application/json"
            document: dict[str, object] = json.loads(answers[0][2])
            return document

    async def scenario() -> None:
        game = await game_of(AmongThem)
        assert game["palette"] == list(PALETTE) and game["side"] == 128
        assert game["buttons"] == {"UP": 1, "DOWN": 2, "LEFT": 4, "RIGHT": 8, "SELECT": 16, "A": 32, "B": 64}
        assert game["has_chat"] is True and game["is_replay"] is False
        assert (await game_of(StagHunt))["has_chat"] is False

    run(scenario)


def test_the_events_of_a_replay_have_positions_to_seek_to() -> None:
    async def scenario() -> None:
        async with serving(ReplayRoom(recorded())) as server:
            answer: dict[str, object] = {"is_complete": False}
            while not answer["is_complete"]:
                answer = json.loads((await request(server, "GET", "/client/events.json"))[2])
        rows = [(row["position"], row["kind"], row["player"], row["text"]) for row in answer["events"]]  # type: ignore[attr-defined]
        assert rows == [
            (1, "join", "ann", "ann joined"),
            (1, "phase", "", "lobby"),
            (2, "join", "bob", "bob joined"),
            (2, "phase", "", "playing"),
            (3, "chat", "bob", "<b>hi</b>"),
            (4, "leave", "ann", "ann left"),
        ]
        assert answer["players"] == [
            {"name": "ann", "slot": 3, "colour": ""},
            {"name": "bob", "slot": 7, "colour": ""},
        ]
        assert (answer["length"], answer["error"]) == (100, "")

    run(scenario)


def test_a_live_match_has_no_events() -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny)) as server:
            assert (await request(server, "GET", "/client/events.json"))[2] == b"Tiny server"

    run(scenario)


def test_a_damaged_replay_lists_the_events_before_the_damage() -> None:
    replay = recorded()
    replay.replay.parts[0].hashes[2] = replay.replay.parts[0].hashes[1]
    story = Story(replay)
    assert story.read()
    assert [listed.event.kind for listed in story.events] == ["join", "phase", "join", "phase"]
    assert "tick 2" in story.error


def test_a_text_names_the_position_to_seek_to() -> None:
    room, viewer = ReplayRoom(recorded()), Viewer()
    room.add(viewer)
    room.press("P")
    for text, position in (("@57", 57), ("@9999", 100), ("@0", 0), ("@x", 0), ("@" + "9" * 20, 0)):
        viewer.receive(encode_client(Text(text)))
        room.tick()
        while room.is_seeking:
            room.tick()
        assert room.playback.position == position, text
