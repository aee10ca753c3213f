"""A replay that viewers control with keys and the mouse."""

import io
import random

import pytest

from bitworld.picture import blank, pack
from bitworld.replays import Recorder, ReplayGame, read_replay
from bitworld.server import RealTime, ReplayRoom
from bitworld.server.clients import Player, Viewer
from bitworld.wire.sprites import SceneReader
from bitworld.wire.viewers import Mouse, MouseButton, Text, encode_client
from packages.bitworld.tests.server.rooms import client, receive, run, serving
from packages.bitworld.tests.tiny import Tiny

STEPS = 400


def recorded(steps: int = STEPS, *, damaged_at: int | None = None) -> ReplayGame:
    file, draw = io.BytesIO(), random.Random(2)
    recorder = Recorder(Tiny(), file)
    recorder.join("ann", 3)
    recorder.join("bob", 7)
    for step in range(steps):
        recorder.step([draw.choice((0, 8, 0x22)) for _ in range(2)])
        if step + 1 == damaged_at:
            recorder.game.state["at"][0][0] += 1  # type: ignore[attr-defined]
    replay = read_replay(file.getvalue())
    return ReplayGame(replay, Tiny(replay.config))


def tick(room: ReplayRoom) -> None:
    """Tick until the position that was asked for is reached: a seek on a busy machine takes several ticks."""
    room.tick()
    while room.is_seeking:
        room.tick()


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        ("", 1),
        (" ", 0),
        ("P", 0),
        ("Pp", 1),
        ("8", 8),
        ("+", 2),
        ("=++++++", 8),
        ("4-", 3),
        ("8____", 1),
        ("P.", 120),
        ("P..", 240),
        ("P>>b", 239),
        ("Pe", STEPS),
        ("Pe<", 0),
        ("Pe,", 0),
        ("Peb", STEPS - 1),
        ("Pb", 0),
        ("x", 1),
    ],
)
def test_keys_move_through_the_replay(keys: str, position: int) -> None:
    room, viewer = ReplayRoom(recorded()), Viewer()
    room.add(viewer)
    viewer.receive(encode_client(Text(keys)))
    tick(room)
    assert room.playback.position == position


def test_a_replay_stops_at_its_end_or_begins_again() -> None:
    room = ReplayRoom(recorded(10))
    for _ in range(15):
        room.tick()
    assert room.playback.position == 10
    assert not room.is_playing
    room.press(" ")
    room.press("r")
    positions = []
    for _ in range(14):
        room.tick()
        positions.append(room.playback.position)
    assert positions == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2]


def test_a_click_on_the_time_line_seeks() -> None:
    room, viewer = ReplayRoom(recorded()), Viewer()
    room.add(viewer)
    for message in (Text("P"), Mouse(22 + 42, 10, 8), MouseButton(1, True)):
        viewer.receive(encode_client(message))
    tick(room)
    assert room.playback.position == STEPS // 2


def test_viewers_see_the_time_line_and_players_see_what_was_seen() -> None:
    room, viewer = ReplayRoom(recorded()), Viewer()
    ann, bob, other = Player("ann"), Player("x", 7), Player("x")
    for someone in (viewer, ann, bob, other):
        room.add(someone)
    room.press("P")
    room.press(".")
    tick(room)
    reader = SceneReader()
    for message in viewer.outbox:
        assert isinstance(message, bytes)
        reader.feed(message)
    labels = {sprite.label for sprite in reader.scene.sprites.values()}
    assert {"replay tick 120", f"replay scrubber 120/{STEPS}", "replay controls paused x1"} <= labels
    picture = blank()
    for player, seat in ((ann, 0), (bob, 1)):
        room.game.draw(seat, picture)
        assert player.outbox[-1] == pack(picture)
    room.game.draw_waiting(picture)
    assert other.outbox[-1] == pack(picture)


def test_a_damaged_replay_stops_before_the_difference_and_says_why() -> None:
    room = ReplayRoom(recorded(60, damaged_at=30))
    for _ in range(50):
        room.tick()
    assert room.playback.position == 30
    assert "differs at tick 31" in room.error
    assert not room.is_playing
    room.press(",")
    room.tick()
    assert room.playback.position == 0
    assert room.error == ""


def test_a_replay_is_served_like_a_match() -> None:
    async def scenario() -> None:
        async with (
            serving(ReplayRoom(recorded()), RealTime(10)) as server,
            client(server, "/global") as viewer,
            client(server, "/reward") as rewards,
            client(server, "/player?name=bob") as player,
        ):
            reader = SceneReader()
            reader.feed(await receive(viewer))
            assert len(await receive(player)) == 8192
            assert (await receive(rewards)).startswith("reward ann ")
            await viewer.send(encode_client(Text("e")))
            while f"replay scrubber {STEPS}/{STEPS}" not in {s.label for s in reader.scene.sprites.values()}:
                reader.feed(await receive(viewer))

    run(scenario)
