"""Sprite scenes show what pictures show, with the numbers and labels that were recorded from the published server."""

from collections.abc import Container, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bitworld.canvas import draw_text_centred
from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.art import backdrop
from bitworld.picture import PALETTE, Picture, blank
from bitworld.replays import ReplayGame, read_replay
from bitworld.scene import Scene
from bitworld.wire.sprites import SceneReader, SceneWriter
from packages.bitworld.tests.among_them.recorded import recorded_map
from packages.bitworld.tests.among_them.scripted import play_with_everything
from tests.support import missing

RGB = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in PALETTE], np.uint8)


@pytest.fixture(scope="module")
def home(oracle_dir: Path) -> Path:
    path = oracle_dir / "bitworld"
    return path if path.is_dir() else missing("no recorded games of BitWorld")


def rgba(scene: Scene, number: int) -> NDArray[np.uint8]:
    sprite = scene.sprites[number]
    return np.frombuffer(sprite.rgba, np.uint8).reshape(sprite.height, sprite.width, 4)


def composed(scene: Scene, layer: int = 0) -> NDArray[np.uint8]:
    """Draw a layer as a client does: in order of z, y and number."""
    picture = np.zeros((scene.layers[layer].height, scene.layers[layer].width, 3), np.uint8)
    objects = [(item.z, item.y, number, item) for number, item in scene.objects.items() if item.layer == layer]
    for _, _, _, item in sorted(objects, key=lambda row: row[:3]):
        image = rgba(scene, item.sprite)
        top, left = max(-item.y, 0), max(-item.x, 0)
        image = image[top : max(len(picture) - item.y, 0), left : max(picture.shape[1] - item.x, 0)]
        area = picture[item.y + top :, item.x + left :][: image.shape[0], : image.shape[1]]
        np.copyto(area, image[:, :, :3], where=image[:, :, 3:] > 0)
    return picture


def test_a_players_scene_looks_like_its_picture_in_every_phase() -> None:
    phases = set()
    picture = blank()
    for game in play_with_everything():
        phases.add(game.phase)
        for player in range(0, len(game.seats), 3):
            game.draw(player, picture)
            different = (composed(game.player_scene(player)) != RGB[picture]).any(axis=2)
            assert not different.any(), f"{game.phase}, tick {game.tick}, player {player}: {np.argwhere(different)[:4]}"
    assert phases == {"lobby", "role_reveal", "playing", "voting", "vote_result", "game_over"}


def test_a_players_scene_has_no_figure_outside_its_sight() -> None:
    hidden = 0
    for game in play_with_everything():
        if game.phase != "playing":
            continue
        state = game.session.describe()
        for viewer, me in enumerate(state["players"]):
            if not me[10]:
                continue
            lit = game.artist.lit(me[0], me[1])
            objects = game.player_scene(viewer).objects
            for other, (x, y, *_) in enumerate(state["players"]):
                column, row = x - me[0] + 60, y - me[1] + 66
                is_lit = 0 <= column < 128 and 0 <= row < 128 and bool(lit[row, column])
                is_shown = is_lit and bool(state["players"][other][10])
                assert (1000 + other in objects) == (is_shown or other == viewer)
                hidden += not is_shown
    assert hidden > 100


def test_the_configuration_hides_the_marks_of_tasks() -> None:
    kinds = {}
    for bubbles, arrows in ((True, True), (False, True), (True, False)):
        config = {"minPlayers": 1, "startWaitTicks": 0, "roleRevealTicks": 0, "tasksPerPlayer": 40}
        game = AmongThem(config | {"showTaskBubbles": bubbles, "showTaskArrows": arrows})
        game.join("alone")
        game.step([0])
        labels = [game.player_scene(0).sprites[item.sprite].label for item in game.player_scene(0).objects.values()]
        kinds[bubbles, arrows] = (labels.count("task bubble"), labels.count("task arrow"))
    near, far = kinds[True, True]
    assert near > 0 and far > 0 and near + far == 40
    assert kinds[False, True] == (0, far) and kinds[True, False] == (near, 0)


def test_a_scene_names_the_speaker_of_every_message() -> None:
    game = AmongThem({"minPlayers": 3, "startWaitTicks": 0, "roleRevealTicks": 0, "tasksPerPlayer": 1})
    for name in ("ann", "bob", "cid"):
        game.join(name)
    game.step([0] * 3)
    game.session.start_meeting()
    said = {0: "I was in the lab", 2: "<b>no</b> & I saw you"}
    for player, text in said.items():
        assert game.chat(player, text)
    scene = game.player_scene(1)
    labels = {number: scene.sprites[item.sprite].label for number, item in scene.objects.items()}
    assert [labels[9200], labels[9201]] == ["player red right", "player yellow right"]
    words = " ".join(label for number, label in labels.items() if 9001 <= number < 9100)
    assert all(text in " ".join(words.split()) for text in said.values())


def test_a_client_without_a_seat_sees_that_the_game_is_in_progress() -> None:
    expected, picture = backdrop().copy(), blank()
    draw_text_centred(expected, 53, "GAME IN", 2)
    draw_text_centred(expected, 69, "PROGRESS", 2)
    AmongThem().draw_waiting(picture)
    assert (picture == expected).all()


def test_scenes_travel_over_the_wire() -> None:
    writer, reader = SceneWriter(), SceneReader()
    for game in play_with_everything(every=200):
        scene = game.scene()
        reader.feed(writer.update(scene))
        assert reader.scene.objects == scene.objects and reader.scene.layers == scene.layers
        assert (composed(reader.scene) == composed(scene)).all()


def recorded_scenes(path: Path) -> Iterator[tuple[int, Scene]]:
    recording, reader = np.load(path), SceneReader()
    data, offsets = recording["data"].tobytes(), recording["offsets"]
    for place, tick in enumerate(recording["tick"].tolist()):
        reader.feed(data[offsets[place] : offsets[place + 1]])
        yield tick, reader.scene


def replayed(home: Path) -> tuple[AmongThem, ReplayGame]:
    replay = read_replay((home / "replays" / "live_server.bitreplay").read_bytes())
    game = AmongThem(replay.config, game_map=recorded_map(home))
    return game, ReplayGame(replay, game)


def comparable(scene: Scene, without: Container[int] = ()) -> dict[int, tuple[int | str, ...]]:
    """Return the objects with labels in place of sprites. The width of text differs, and with it the place of text."""
    rows: dict[int, tuple[int | str, ...]] = {}
    for number, item in scene.objects.items():
        if number in without:
            continue
        is_text = item.sprite in (4002, 5003) or 7000 <= item.sprite < 9200
        x = -1 if is_text else item.x
        rows[number] = (x, item.y, item.z, item.layer, item.sprite, scene.sprites[item.sprite].label)
    return rows


def test_a_players_scene_equals_the_recorded_one_but_for_the_art(home: Path) -> None:
    game, playback = replayed(home)
    compared = dark = 0
    for tick, scene in recorded_scenes(home / "wire" / "live_player2_p3.npz"):
        playback.seek(tick)
        ours = game.player_scene(3)
        assert comparable(ours) == comparable(scene), f"tick {tick}"
        assert ours.layers == scene.layers
        if 5009 in scene.objects:
            shadow = rgba(scene, 5009)[:, :, 3] > 0
            assert (shadow == (rgba(ours, 5009)[:, :, 3] > 0)).all(), f"shadow at tick {tick}"
            dark += int(shadow.sum())
        compared += 1
    assert compared > 400 and dark > 100_000


def test_the_spectators_scene_equals_the_recorded_one_but_for_the_art(home: Path) -> None:
    game, playback = replayed(home)
    names = range(7000, 7016)
    # Published servers show the keys of replays in live games too, and add a line to names in meetings.
    without = {4003, 4004, *names}
    compared = 0
    for tick, scene in recorded_scenes(home / "wire" / "live_global_start.npz"):
        playback.seek(tick)
        ours = game.scene()
        assert comparable(ours, without) == comparable(scene, without), f"tick {tick}"
        assert {number for number in ours.objects if number in names} == {n for n in scene.objects if n in names}
        assert ours.layers == scene.layers
        compared += 1
    assert compared == 1754


def test_pictures_equal_the_recorded_ones_where_the_art_is_the_maps(home: Path) -> None:
    """With the recorded floor, all pixels outside of figures, icons and text are equal."""
    first = next(recorded_scenes(home / "wire" / "live_player2_p3.npz"))[1]
    colours = (rgba(first, 1)[:, :, None, :3] == RGB).all(axis=3)
    assert colours.any(axis=2).all(), "the recorded map has colours of the palette alone"
    floor = colours.argmax(axis=2).astype(np.uint8)
    replay = read_replay((home / "replays" / "live_server.bitreplay").read_bytes())
    for name, viewer in (("p0", 0), ("p4", 4)):
        game = AmongThem(replay.config, game_map=replace(recorded_map(home), floor=floor))
        playback = ReplayGame(replay, game)
        recording = np.load(home / "wire" / f"live_player_{name}.npz")
        compared = 0
        for tick, packed in zip(recording["tick"].tolist(), recording["frames"], strict=True):
            playback.seek(tick)
            theirs = np.stack([packed & 15, packed >> 4], axis=1).reshape(128, 128)
            ours = blank()
            game.draw(viewer, ours)
            if game.phase == "playing":
                scene = game.player_scene(viewer)
                is_floor = ~covered(scene)
                assert (ours == theirs)[is_floor].all(), f"{name}, tick {tick}"
                compared += int(is_floor.sum())
                for number in scene.objects:
                    if 7000 <= number < 7100:
                        arrow = scene.objects[number]
                        assert theirs[arrow.y, arrow.x] == 8
            elif game.phase == "voting":
                assert (ours[126:, 2:126] == theirs[126:, 2:126]).all(), f"timer at tick {tick}"
                assert (frame_of(ours) == frame_of(theirs)).all(), f"cursor at tick {tick}"
                assert (ours[0, 24:104] == theirs[0, 24:104])[7::16].all()
                # The dots of voters: up to five below each of five cells.
                dots = (16, [25 + 16 * cell + 2 * voter for cell in range(5) for voter in range(5)])
                assert (ours[dots] == theirs[dots]).all(), f"votes at tick {tick}"
        assert compared > 15_000


def covered(scene: Scene) -> NDArray[np.bool_]:
    mask = np.zeros((128, 128), np.bool_)
    for number, item in scene.objects.items():
        if number in (1, 5009) or 7000 <= number < 7100:
            continue
        # Published bubbles have an outline.
        sprite, line = scene.sprites[item.sprite], int(3000 <= number < 3100)
        rows = slice(max(item.y - line, 0), max(item.y + sprite.height + line, 0))
        mask[rows, max(item.x - line, 0) : max(item.x + sprite.width + line, 0)] = True
    return mask


def frame_of(picture: Picture) -> NDArray[np.bool_]:
    """Return the white pixels on the edges of the five cells."""
    return np.concatenate([picture[1, 24:104] == 2, picture[17, 24:104] == 2])
