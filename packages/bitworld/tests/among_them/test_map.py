"""The map of Among Them: everything on it can be reached, and both formats load."""

import gzip
import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bitworld.errors import BadConfig
from bitworld.games.among_them.map import GameMap, load_map
from bitworld.games.among_them.map.furniture import PAINTERS
from bitworld.games.among_them.map.plan import FURNITURE


@pytest.fixture(scope="module")
def own() -> GameMap:
    return load_map()


def reachable(walk: NDArray[np.uint8], start: tuple[int, int]) -> NDArray[np.bool_]:
    seen = np.zeros(walk.shape, np.bool_)
    seen[start[1], start[0]] = True
    waiting = [start]
    while waiting:
        x, y = waiting.pop()
        for near_x, near_y in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if walk[near_y, near_x] and not seen[near_y, near_x]:
                seen[near_y, near_x] = True
                waiting.append((near_x, near_y))
    return seen


def test_the_map_has_the_published_frame(own: GameMap) -> None:
    assert (own.width, own.height) == (952, 534)
    assert own.home == (536, 120)
    assert (own.button.x, own.button.y, own.button.w, own.button.h) == (524, 114, 28, 34)
    assert len(own.tasks) == 40 and all((task.w, task.h) == (16, 16) for task in own.tasks)
    assert len(own.vents) == 15 and all((vent.w, vent.h) == (12, 10) for vent in own.vents)
    assert len({task.name for task in own.tasks}) == 40
    assert len({room.name for room in own.rooms}) == len(own.rooms) == 16


def test_every_walkable_point_station_and_vent_is_reachable_from_home(own: GameMap) -> None:
    seen = reachable(own.walk, own.home)
    assert (seen == (own.walk == 1)).all()
    for task in own.tasks:
        assert seen[task.y : task.y + task.h, task.x : task.x + task.w].sum() > 100, task
    for vent in own.vents:
        assert seen[vent.y + vent.h // 2, vent.x + vent.w // 2], vent
    button = own.button
    assert seen[button.y : button.y + button.h, button.x : button.x + button.w].all()


def test_all_home_places_are_walkable(own: GameMap) -> None:
    for total in range(1, 17):
        for slot in range(total):
            angle = slot * 2 * math.pi / total
            x, y = own.home[0] + int(28 * math.cos(angle)), own.home[1] + int(28 * math.sin(angle))
            assert own.walk[y, x], (total, slot)


def test_the_rooms_form_loops() -> None:
    """A player who blocks one corridor never cuts off a room."""
    plan = json.loads(files("bitworld.games.among_them.map").joinpath("borealis.json").read_text())
    corridors = [corridor["name"].split(" to ") for corridor in plan["corridors"]]
    for closed in corridors:
        linked = {"Commons"}
        for _ in plan["rooms"]:
            linked |= {room for pair in corridors if pair is not closed and linked & set(pair) for room in pair}
        assert linked == {room["name"] for room in plan["rooms"]}, closed


def test_vents_of_a_group_are_numbered_from_one(own: GameMap) -> None:
    groups: dict[str, list[int]] = {}
    for vent in own.vents:
        groups.setdefault(vent.group, []).append(vent.index)
    assert all(len(numbers) > 1 and sorted(numbers) == list(range(1, len(numbers) + 1)) for numbers in groups.values())


def test_nobody_can_stand_in_a_wall(own: GameMap) -> None:
    assert not (own.walk & own.wall).any()
    assert own.floor.max() < 16
    assert set(PAINTERS) == set(FURNITURE)


def test_rooms_are_named(own: GameMap) -> None:
    assert own.room_at(*own.home) == "Commons"
    assert own.room_at(0, 0) is None
    assert all(own.room_at(task.x + 8, task.y + 8) for task in own.tasks)


def test_a_missing_or_broken_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="cannot read"):
        load_map(str(tmp_path / "none.json"))
    for content in ("[", "[]", "{}", '{"width": 0, "height": 3}', '{"width": 1000000, "height": 1000000}'):
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        file.write_text(content)
        with pytest.raises(BadConfig, match="is not a map"):
            load_map(str(file))


def test_masks_of_the_wrong_size_are_refused(tmp_path: Path) -> None:
    frame = {
        "name": "tiny",
        "width": 4,
        "height": 3,
        "button": {"x": 0, "y": 0, "w": 1, "h": 1},
        "home": {"x": 1, "y": 1},
    }
    (tmp_path / "map.json").write_text(json.dumps({**frame, "tasks": [], "vents": [], "rooms": []}))
    (tmp_path / "walk_mask.u8.gz").write_bytes(gzip.compress(bytes(12)))
    (tmp_path / "wall_mask.u8.gz").write_bytes(gzip.compress(bytes(11)))
    with pytest.raises(BadConfig, match="4 x 3"):
        load_map(str(tmp_path / "map.json"))
