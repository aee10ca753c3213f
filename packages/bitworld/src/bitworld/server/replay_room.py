"""A replay as a room: plays at 24 ticks a second, and viewers control it with keys and the mouse."""

from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from bitworld.canvas import FONT_HEIGHT, draw_text, text_width
from bitworld.errors import BadReplay
from bitworld.game import TICKS_PER_SECOND, Game
from bitworld.replays import ReplayGame, Story
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite
from bitworld.server.clients import Player, Viewer
from bitworld.server.images import CLEAR, sprite_of
from bitworld.server.room import Room
from bitworld.wire.viewers import ClientMessage, Mouse, MouseButton, Text

__all__ = ["ReplayRoom"]

SPEEDS = (1, 2, 3, 4, 8)
SKIP_TICKS = 5 * TICKS_PER_SECOND
SEEK = "@"
"""begins a text that names a position: `@1200`; the published viewer has no such key"""
SECONDS_PER_SEEK = 0.03
"""so that a long seek does not stop the server"""

_STRIP, _CONTROLS = 8, 9
"""layers: the time line, and the state of the player"""
_TICK, _STATE, _SCRUBBER = 4002, 4003, 4004
"""objects and sprites"""
_WIDTH, _HEIGHT = 128, 20
_LEFT, _TOP, _LENGTH, _BAR = 22, 8, 84, 5
"""the time line inside its layer"""
_TEXT, _DARK, _LIGHT = 2, 5, 8


class ReplayRoom(Room):
    """Shows one replay to all clients. A player sees what the recorded player of its slot or name saw."""

    is_replay = True
    is_over = False

    def __init__(self, playback: ReplayGame) -> None:
        super().__init__()
        self.playback = playback
        self.is_playing = True
        self.is_looping = False
        self.speed = 1
        self.error = ""
        """why the replay cannot be played further"""
        self._target: int | None = None

    @cached_property
    def story(self) -> Story:
        """The events of the replay, read from a game beside the shown one."""
        game = self.playback.game
        return Story(ReplayGame(self.playback.replay, type(game)(game.config)))

    @property
    def game(self) -> Game:
        return self.playback.game

    @property
    def is_seeking(self) -> bool:
        """Whether a key or a click asked for a position that is not reached yet."""
        return self._target is not None

    def tick(self) -> None:
        for viewer in self.viewers:
            while viewer.inbox:
                self._obey(viewer, viewer.inbox.popleft())
        if self._target is None and self.is_playing:
            self._target = self.playback.position + self.speed
        if self._target is not None:
            self._go()
        self.show(self._seats())

    def press(self, key: str) -> None:
        """Do what a key of the viewer does."""
        position = self.playback.position if self._target is None else self._target
        if key == " ":
            self._play(not self.is_playing)
        elif key in "pP":
            self._play(key == "p")
        elif key in "+=-_":
            step = 1 if key in "+=" else -1
            self.speed = SPEEDS[min(max(SPEEDS.index(self.speed) + step, 0), len(SPEEDS) - 1)]
        elif key.isdecimal() and int(key) in SPEEDS:
            self.speed = int(key)
        elif key in ",<":
            self._target = 0
        elif key == "b":
            self.is_playing = False
            self._target = position - 1
        elif key == "e":
            self._target = self.playback.length
        elif key == "r":
            self.is_looping = not self.is_looping
        elif key in ".>":
            self._target = position + SKIP_TICKS

    def scene(self) -> Scene:
        scene = super().scene()
        tick = f"replay tick {self.game.tick}"
        position, length = self.playback.position, self.playback.length
        filled = _LENGTH * position // max(length, 1)
        state = f"{'playing' if self.is_playing else 'paused'} x{self.speed}{' loop' if self.is_looping else ''}"
        text, bar, controls = _label(str(self.game.tick)), _bar(filled), _label(self.error or state)
        layers = {
            _STRIP: Layer(LayerType.CENTRE_BOTTOM, _WIDTH, _HEIGHT, is_ui=True),
            _CONTROLS: Layer(LayerType.BOTTOM_LEFT, _WIDTH, _HEIGHT, is_ui=True),
        }
        sprites = {
            _TICK: replace(text, label=tick),
            _SCRUBBER: replace(bar, label=f"replay scrubber {position}/{length}"),
            _STATE: replace(controls, label=f"replay controls {self.error or state}"),
        }
        objects = {
            _TICK: Object((_WIDTH - text.width) // 2, 0, 0, _STRIP, _TICK),
            _SCRUBBER: Object(_LEFT, _TOP, 0, _STRIP, _SCRUBBER),
            _STATE: Object(2, 1, 0, _CONTROLS, _STATE),
        }
        return Scene({**scene.layers, **layers}, {**scene.sprites, **sprites}, {**scene.objects, **objects})

    def _play(self, is_playing: bool) -> None:
        self.is_playing = is_playing
        if is_playing and self.playback.is_at_end:
            self._target = 0

    def _go(self) -> None:
        assert self._target is not None
        try:
            is_there = self.playback.seek(self._target, seconds=SECONDS_PER_SEEK)
        except BadReplay as error:
            self.error, self.is_playing, is_there = str(error), False, True
        else:
            self.error = ""
        if not is_there and not self.playback.is_at_end:
            return
        self._target = None
        if self.playback.is_at_end and self.is_playing:
            self.is_playing = self.is_looping
            self._target = 0 if self.is_looping else None

    def _obey(self, viewer: Viewer, message: ClientMessage) -> None:
        if isinstance(message, Text):
            position = message.text.removeprefix(SEEK)
            if message.text.startswith(SEEK) and position.isdecimal() and len(position) < 10:
                self._target = int(position)
                return
            for key in message.text:
                self.press(key)
        elif isinstance(message, Mouse):
            viewer.pointer = message
        elif isinstance(message, MouseButton) and message.is_down and message.button == 1:
            pointer = viewer.pointer
            if pointer and pointer.layer == _STRIP and _TOP <= pointer.y < _TOP + _BAR:
                self._target = self.playback.length * min(max(pointer.x - _LEFT, 0), _LENGTH) // _LENGTH

    def _seats(self) -> dict[Player, int]:
        by_slot = {seat.slot: index for index, seat in enumerate(self.game.seats)}
        by_name = {seat.name: index for index, seat in enumerate(self.game.seats)}
        chosen = {
            player: by_slot.get(player.slot) if player.slot >= 0 else by_name.get(player.identity)
            for player in self.players
        }
        return {player: seat for player, seat in chosen.items() if seat is not None}


@lru_cache(maxsize=256)
def _label(text: str) -> Sprite:
    pixels = np.full((FONT_HEIGHT, max(text_width(text), 1)), CLEAR, np.uint8)
    draw_text(pixels, 0, 0, text, _TEXT)
    return sprite_of(pixels)


@lru_cache(maxsize=_LENGTH + 1)
def _bar(filled: int) -> Sprite:
    pixels = np.full((_BAR, _LENGTH), _DARK, np.uint8)
    pixels[:, :filled] = _LIGHT
    return sprite_of(pixels)
