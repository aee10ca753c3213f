"""Observations of 1231 features from the sprite stream."""

from pathlib import Path

import numpy as np

from mettagrid.bitworld_sprite_player import _layout as layout
from mettagrid.bitworld_sprite_player._labels import PLAYER_COLORS, classify_sprite_player_sprite
from mettagrid.bitworld_sprite_player._palette import load_palette_lookup
from mettagrid.bitworld_sprite_player._snappy import snappy_decompress
from mettagrid.bitworld_sprite_player._stream import (
    ObjectTable,
    RawSprite,
    SpritePlayerObjectInfo,
    SpritePlayerSpriteInfo,
    changes_picture,
    is_sprite,
    read_sprite,
)

__all__ = ["SpritePlayerObservationAdapter"]

_Shown = list[tuple[int, SpritePlayerObjectInfo, SpritePlayerSpriteInfo]]
_ICON_BASES = (
    layout.PLAYER_OBJECT_BASE,
    layout.PROTOCOL_LOBBY_ICON_OBJECT_BASE,
    layout.PROTOCOL_ROLE_ICON_OBJECT_BASE,
    layout.PROTOCOL_GAME_OVER_ICON_OBJECT_BASE,
    layout.PROTOCOL_CHAT_ICON_OBJECT_BASE,
)
_SCREENS = (
    (layout.AMONG_THEM_PHASE_VOTING, ("SKIP",)),
    (layout.AMONG_THEM_PHASE_VOTE_RESULT, ("WAS KILLED", "NO ONE", "DIED")),
    (layout.AMONG_THEM_PHASE_GAME_OVER, ("CREW WINS", "IMPS WIN", "DRAW")),
    (layout.AMONG_THEM_PHASE_ROLE_REVEAL, ("CREWMATE", "IMPS")),
)
"""texts that tell the screens apart, tried in this order"""


class SpritePlayerObservationAdapter:
    """What a player sees, from the messages of its stream."""

    def __init__(self, client_data_dir: Path | None = None) -> None:
        """Start with an empty screen. `client_data_dir` is a folder with the palette image of another installation."""
        self.sprites: dict[int, SpritePlayerSpriteInfo] = {}
        self.palette_lookup = load_palette_lookup(client_data_dir)
        self.frame_count = 0
        self._table = ObjectTable()

    @property
    def objects(self) -> dict[int, SpritePlayerObjectInfo]:
        return self._table.objects

    def apply_packet(self, packet: bytes) -> bool:
        """Apply the messages of one packet up to the first damaged one; return whether the picture changed."""
        at, changed = 0, False
        while at < len(packet):
            kind = packet[at]
            if is_sprite(kind):
                found = read_sprite(packet, at + 1)
                if found is None:
                    return changed
                self._define(found[0])
                at = found[1]
            else:
                after = self._table.apply(kind, packet, at + 1)
                if after is None:
                    return changed
                at = after
            changed = changed or changes_picture(kind)
        self.frame_count += changed
        return changed

    def observation(self) -> np.ndarray:
        """Return uint8 [1231]; positions outside of 0 to 255 are clipped."""
        features = np.zeros(layout.SPRITE_PLAYER_FEATURES, np.uint8)
        shown = [(n, item, self.sprites[item.sprite_id]) for n, item in self.objects.items()]
        place = next((item for _, item, sprite in shown if sprite.kind == "map"), None)
        features[0] = _phase(shown, place is not None)
        if place is not None:
            self._write_header(features, shown)
            self._write_grid(features, place)
        _write_players(features, shown)
        _write_bodies(features, shown)
        _write_tasks(features, shown)
        return features

    def _define(self, raw: RawSprite) -> None:
        kind, color, flipped = classify_sprite_player_sprite(raw.label)
        pixels = self._map_pixels(raw) if kind == "map" else None
        self.sprites[raw.sprite_id] = SpritePlayerSpriteInfo(
            raw.width, raw.height, raw.label, kind, color, flipped, pixels
        )

    def _map_pixels(self, raw: RawSprite) -> np.ndarray:
        data = snappy_decompress(raw.compressed)
        expected = raw.width * raw.height * 4
        if len(data) != expected:
            raise ValueError(f"BitWorld /sprite_player map sprite has {len(data)} RGBA bytes, expected {expected}")
        words, inverse = np.unique(np.frombuffer(data, "<u4"), return_inverse=True)
        indexes = [self.palette_lookup[tuple(int(word).to_bytes(4, "little"))] for word in words]
        return np.array(indexes, np.uint8)[inverse].reshape(raw.height, raw.width)

    def _write_header(self, features: np.ndarray, shown: _Shown) -> None:
        kinds = {sprite.kind for _, _, sprite in shown}
        ready, waiting = "imposter" in kinds, "imposter_cooldown" in kinds
        features[layout.SPRITE_PLAYER_KILL_ICON_INDEX] = 255 if ready else int(waiting)
        progress = next((sprite.label for _, _, sprite in shown if sprite.kind == "progress"), None)
        if progress is not None:
            percent = int(progress.split()[-1].rstrip("%"))
            filled = min(max(percent * layout.TASK_BAR_WIDTH // 100, 0), layout.TASK_BAR_WIDTH)
            features[layout.SPRITE_PLAYER_TASK_PROGRESS_INDEX] = filled * 255 // layout.TASK_BAR_WIDTH
        counter = next((sprite.label for _, _, sprite in shown if sprite.kind == "counter"), None)
        if counter is not None:
            features[layout.SPRITE_PLAYER_TASKS_REMAINING_INDEX] = int(counter.rsplit(" ", 1)[-1])

    def _write_grid(self, features: np.ndarray, place: SpritePlayerObjectInfo) -> None:
        """Write the map's colour in the middle of each 4 x 4 cell of the screen."""
        pixels = self.sprites[place.sprite_id].pixels
        assert pixels is not None
        height, width = pixels.shape
        cell = layout.SCREEN_WIDTH // layout.SPRITE_PLAYER_GRID_SIZE
        centres = np.arange(layout.SPRITE_PLAYER_GRID_SIZE) * cell + cell // 2
        xs, ys = centres - place.x, centres - place.y
        in_x, in_y = (xs >= 0) & (xs < width), (ys >= 0) & (ys < height)
        grid = np.full((len(ys), len(xs)), layout.MAP_VOID_COLOR, np.uint8)
        grid[np.ix_(in_y, in_x)] = pixels[np.ix_(ys[in_y], xs[in_x])]
        start = layout.SPRITE_PLAYER_HEADER_FEATURES
        features[start : start + grid.size] = grid.ravel()


def _phase(shown: _Shown, has_map: bool) -> int:
    if has_map:
        return layout.AMONG_THEM_PHASE_PLAYING
    text = " ".join(sprite.label for _, _, sprite in shown if sprite.kind in ("screen", "text")).upper()
    for phase, words in _SCREENS:
        if any(word in text for word in words):
            return phase
    return layout.AMONG_THEM_PHASE_LOBBY


def _slot(number: int, base: int) -> int | None:
    slot = number - base
    return slot if 0 <= slot < layout.AMONG_THEM_MAX_PLAYERS else None


def _byte(value: int) -> int:
    return min(max(value, 0), 255)


def _colour(sprite: SpritePlayerSpriteInfo) -> int:
    return int(PLAYER_COLORS[sprite.color_index]) if 0 <= sprite.color_index < len(PLAYER_COLORS) else 0


def _write_players(features: np.ndarray, shown: _Shown) -> None:
    for number, item, sprite in shown:
        vote_slot = _slot(number, layout.PROTOCOL_VOTE_ICON_OBJECT_BASE)
        is_dead_candidate = vote_slot is not None and sprite.kind == "body"
        if sprite.kind not in ("player", "ghost") and not is_dead_candidate:
            continue
        slots = [vote_slot, *(_slot(number, base) for base in _ICON_BASES)]
        if number == layout.PROTOCOL_RESULT_ICON_OBJECT_BASE:
            slots.append(0)
        slot = next((slot for slot in slots if slot is not None), None)
        if slot is None:
            continue
        flags = layout.SPRITE_PLAYER_FLAG_PLAYER_PRESENT
        flags |= layout.SPRITE_PLAYER_FLAG_PLAYER_ALIVE * (sprite.kind == "player")
        flags |= layout.SPRITE_PLAYER_FLAG_PLAYER_GHOST * (sprite.kind == "ghost")
        flags |= layout.SPRITE_PLAYER_FLAG_PLAYER_FLIP_H * sprite.flip_h
        at = layout.SPRITE_PLAYER_PLAYER_FEATURE_OFFSET + slot * layout.SPRITE_PLAYER_PLAYER_FEATURES
        features[at : at + 4] = (_byte(item.x + 1), _byte(item.y + 1), _colour(sprite), flags)


def _write_bodies(features: np.ndarray, shown: _Shown) -> None:
    bodies = [
        (item, sprite)
        for number, item, sprite in sorted(shown, key=lambda row: row[0])
        if sprite.kind == "body" and _slot(number, layout.PROTOCOL_VOTE_ICON_OBJECT_BASE) is None
    ]
    for index, (item, sprite) in enumerate(bodies[: layout.AMONG_THEM_MAX_PLAYERS]):
        at = layout.SPRITE_PLAYER_BODY_FEATURE_OFFSET + index * layout.SPRITE_PLAYER_BODY_FEATURES
        features[at : at + 4] = (_byte(item.x + 1), _byte(item.y + 1), _colour(sprite), 1)


def _write_tasks(features: np.ndarray, shown: _Shown) -> None:
    tasks = [row for row in sorted(shown, key=lambda row: row[0]) if row[2].kind in ("task", "arrow")]
    for index, (_, item, sprite) in enumerate(tasks[: layout.SPRITE_PLAYER_TASK_COUNT]):
        at = layout.SPRITE_PLAYER_TASK_FEATURE_OFFSET + index * layout.SPRITE_PLAYER_TASK_FEATURES
        place = (_byte(item.x), _byte(item.y))
        if sprite.kind == "task":
            features[at : at + 5] = (*place, 0, 0, layout.SPRITE_PLAYER_FLAG_TASK_ICON_VISIBLE)
        else:
            features[at : at + 5] = (0, 0, *place, layout.SPRITE_PLAYER_FLAG_TASK_ARROW_VISIBLE)
