"""Parts that the scene of spectators and that of a player share."""

from collections.abc import Mapping, Sequence
from typing import Any

from bitworld._native import AmongThemArtist, AmongThemSession
from bitworld.games.among_them.scenes.ids import Depth, LayerId, ObjectId, SpriteId
from bitworld.games.among_them.scenes.images import picture_image, text_image
from bitworld.picture import SIDE, SLOT_COLOURS, blank
from bitworld.scene import Object, Sprite

__all__ = ["Phase", "Row", "add_screen", "body_object", "figure_object", "state_of"]


class Phase:
    LOBBY, PLAYING, VOTING, VOTE_RESULT, GAME_OVER, ROLE_REVEAL = range(6)


class Row:
    """A player of the state."""

    def __init__(self, values: Sequence[int]) -> None:
        self.x, self.y = values[0], values[1]
        self.faces_left, self.is_imposter, self.is_alive = bool(values[8]), values[9] == 1, bool(values[10])
        self.cooldown, self.place = values[11], SLOT_COLOURS.index(values[13] & 15)
        self.progress, self.active_task = values[14], values[15]

    @property
    def sprite(self) -> int:
        return (SpriteId.PLAYER if self.is_alive else SpriteId.GHOST) + 2 * self.place + self.faces_left


ICONS = {
    Phase.LOBBY: ObjectId.LOBBY_ICON,
    Phase.VOTING: ObjectId.VOTE_ICON,
    Phase.VOTE_RESULT: ObjectId.RESULT_ICON,
    Phase.GAME_OVER: ObjectId.GAME_OVER_ICON,
    Phase.ROLE_REVEAL: ObjectId.ROLE_ICON,
}


def figure_object(player: Row, camera: tuple[int, int] = (0, 0)) -> Object:
    # A figure's sprite has one pixel more on every side for its outline.
    return Object(player.x - 3 - camera[0], player.y - 9 - camera[1], player.y, LayerId.MAP, player.sprite)


def body_object(body: Sequence[int], camera: tuple[int, int] = (0, 0)) -> Object:
    x, y, colour = body
    sprite = SpriteId.BODY + SLOT_COLOURS.index(colour & 15)
    return Object(x - 3 - camera[0], y - 9 - camera[1], y, LayerId.MAP, sprite)


def add_screen(
    artist: AmongThemArtist,
    session: AmongThemSession,
    player: int,
    sprites: dict[int, Sprite],
    objects: dict[int, Object],
    *,
    layer: LayerId,
    number: int,
    label: str,
    has_pixels: bool = True,
) -> None:
    """Add the screen of a phase other than play: the picture as sprite and object `number`, its texts and its icons."""
    picture = blank()
    texts, icons = artist.screen(session, player, picture)
    sprites[number] = picture_image(picture, label) if has_pixels else Sprite(SIDE, SIDE, b"", label)
    objects[number] = Object(0, 0, Depth.SCREEN, layer, number)
    for place, (text, x, y, is_struck) in enumerate(texts):
        sprites[SpriteId.TEXT + place] = text_image(text, is_struck=is_struck)
        objects[ObjectId.TEXT + place] = Object(x, y, Depth.TEXT, layer, SpriteId.TEXT + place)
    for icon, is_chat, is_body, colour, x, y in icons:
        place = SLOT_COLOURS.index(colour)
        first = ObjectId.CHAT_ICON if is_chat else ICONS[session.phase]
        # The result of a vote shows one player; published servers give its icon the first number.
        shown = first if first == ObjectId.RESULT_ICON else first + icon
        sprite = SpriteId.BODY + place if is_body else SpriteId.PLAYER + 2 * place
        objects[shown] = Object(x, y, Depth.ICON, layer, sprite)


def state_of(session: AmongThemSession) -> tuple[Mapping[str, Any], list[Row]]:
    state = session.describe()
    return state, [Row(values) for values in state["players"]]
