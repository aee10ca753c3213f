"""People who watch a match see its scenes, and nothing that they must not know."""

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from bitworld.broadcast import OPENING, SCENES, TICKS_PER_FRAME, Broadcast, Piece
from bitworld.game import Game
from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.scenes.ids import LayerId, ObjectId
from bitworld.match import SeatedMatch
from bitworld.registry import game_names
from bitworld.scene import Scene
from bitworld.wire.sprites import SceneReader

FAST = {"startWaitTicks": 0, "roleRevealTicks": 0, "maxGames": 1, "imposterCount": 1, "minPlayers": 4}
PLAYERS = ["ada", "bob", "carol", "dan"]
UP, DOWN, LEFT, RIGHT, A = 1, 2, 4, 8, 32


def masks(tick: int) -> list[int]:
    """Buttons for a while: walk, press A at the start, so that a meeting is called where there is a button."""
    ways = (UP, RIGHT, DOWN, LEFT)
    return [ways[(tick // 12 + player) % 4] | (A if tick % 5 == player else 0) for player in range(len(PLAYERS))]


def played(ticks: int, *, game: str = "among_them", **config: object) -> SeatedMatch:
    match = SeatedMatch(game, {**FAST, **config}, PLAYERS)
    for tick in range(ticks):
        if tick == 3:
            match.chat(1, "hello")
        match.step(masks(tick))
    return match


def frames(pieces: list[Piece]) -> list[tuple[int, bytes]]:
    """The frames of all pieces after the opening: (tick, messages)."""
    opening, *rest = [message for piece in pieces for message in piece.messages]
    assert opening[:1] == OPENING
    found = []
    for message in rest:
        assert message[:1] == SCENES
        at = 1
        while at < len(message):
            tick, size = struct.unpack_from("<II", message, at)
            found.append((tick, message[at + 8 : at + 8 + size]))
            at += 8 + size
    return found


def shown(pieces: list[Piece]) -> dict[int, Scene]:
    """Return the picture of a viewer at each tick."""
    reader, scenes = SceneReader(), {}
    for tick, data in frames(pieces):
        reader.feed(data)
        scenes[tick] = reader.scene
    return scenes


def seen_directly(match: SeatedMatch, ticks: int, scene: Callable[[Game], Scene]) -> dict[int, Scene]:
    game = match._new_game()
    scenes = {0: scene(game)}
    for tick in range(ticks):
        if tick == 3:
            game.chat(1, "hello")
        game.step(masks(tick))
        if (tick + 1) % TICKS_PER_FRAME == 0 or tick + 1 == ticks:
            scenes[tick + 1] = scene(game)
    return scenes


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("hides_secrets", [False, True])
def test_a_watcher_sees_the_scenes_of_the_match_from_its_first_tick(game: str, hides_secrets: bool) -> None:
    ticks = 75
    match = played(ticks, game=game)
    broadcast = match.broadcast(hides_secrets=hides_secrets)
    match.close()
    pieces = list(broadcast.read())
    assert broadcast.has_ended and not broadcast.has_more and list(broadcast.read()) == []
    scenes = shown(pieces)
    expected = seen_directly(match, ticks, lambda game: game.public_scene() if hides_secrets else game.scene())
    assert list(scenes) == list(expected)
    for tick, scene in expected.items():
        assert scenes[tick].objects == scene.objects and scenes[tick].layers == scene.layers
        assert all(scenes[tick].sprites[number] == sprite for number, sprite in scene.sprites.items())
    broadcast.rewind()
    assert [piece.messages for piece in broadcast.read()] == [piece.messages for piece in pieces]


def test_a_match_that_is_not_watched_draws_nothing_and_starts_no_second_game(monkeypatch: pytest.MonkeyPatch) -> None:
    match = SeatedMatch("among_them", FAST, PLAYERS)
    monkeypatch.setattr(SeatedMatch, "_new_game", lambda self: pytest.fail("a second game"))
    monkeypatch.setattr(AmongThem, "scene", lambda self: pytest.fail("a scene"))
    broadcast = match.broadcast(hides_secrets=False)
    for tick in range(20):
        match.step(masks(tick))
        broadcast.mark_soon()
    match.close()
    assert broadcast.has_more


def test_a_running_match_is_read_piece_by_piece_and_each_has_the_age_of_its_last_tick() -> None:
    match = SeatedMatch("among_them", FAST, PLAYERS)
    broadcast = match.broadcast(hides_secrets=False)
    pieces: list[Piece] = []
    for tick in range(41):
        match.step(masks(tick))
        if tick % 7 == 0:
            pieces += broadcast.read()
    match.close()
    pieces += broadcast.read()
    assert [tick for tick, _ in frames(pieces)] == [*range(0, 41, TICKS_PER_FRAME), 41]
    assert [piece.played_at for piece in pieces] == sorted(piece.played_at for piece in pieces)
    assert [piece.played_at for piece in pieces[1:]] == [match._ticks[piece.tick - 1].at for piece in pieces[1:]]
    document = json.loads(pieces[0].messages[0][1:])
    assert document == {
        "game": "among_them",
        "title": "Among Them",
        "ticks_per_second": 24,
        "hides_secrets": False,
    }


def test_spectators_of_a_match_with_secrets_cannot_tell_who_the_imposter_is() -> None:
    """Two matches with the same buttons and other imposters look the same, although they are not."""

    def messages(imposter: int, *, hides_secrets: bool) -> list[bytes]:
        slots = [{"role": "imposter" if player == imposter else "crewmate"} for player in range(len(PLAYERS))]
        match = played(120, slots=slots, seed=7)
        assert [row[9] for row in match.game.session.describe()["players"]].index(1) == imposter  # type: ignore[attr-defined]
        return [message for piece in match.broadcast(hides_secrets=hides_secrets).read() for message in piece.messages]

    assert messages(0, hides_secrets=False) != messages(2, hides_secrets=False)
    assert messages(0, hides_secrets=True) == messages(2, hides_secrets=True)


def test_the_seed_and_hidden_places_are_not_in_the_messages() -> None:
    match = played(120, seed=918273645)
    pieces = list(match.broadcast(hides_secrets=True).read())
    data = b"".join(message for piece in pieces for message in piece.messages)
    assert b"918273645" not in data and struct.pack("<I", 918273645) not in data
    assert match.phase == "playing"
    objects = shown(pieces)[120].objects
    assert {item.layer for item in objects.values()} <= {LayerId.MAP, LayerId.TOP_LEFT, LayerId.TICK}
    assert [number for number, item in objects.items() if item.layer == LayerId.MAP] == [ObjectId.MAP]


def test_the_scenes_of_a_match_that_is_over_are_written_with_its_secrets(tmp_path: Path) -> None:
    match = played(60)
    match.close()
    match.write_scenes(tmp_path / "scenes.z")
    data, messages = zlib.decompress((tmp_path / "scenes.z").read_bytes()), []
    while data:
        size = int.from_bytes(data[:4], "little")
        messages.append(data[4 : 4 + size])
        data = data[4 + size :]
    broadcast = Broadcast(match._new_game, match._ticks, hides_secrets=False)
    broadcast.end()
    assert messages == [message for piece in broadcast.read() for message in piece.messages]


def test_the_last_tick_is_shown_however_late_the_end_is_noted() -> None:
    match = played(10)
    feed = match.broadcast(hides_secrets=False)
    pieces = list(feed.read())
    assert frames(pieces)[-1][0] == 9 and not feed.has_more
    feed.end()
    assert feed.has_more
    pieces += feed.read()
    assert frames(pieces)[-1][0] == 10 and not feed.has_more
    assert not list(feed.read())
