"""What a player sees, as a scene. It has nothing that the player's picture does not show."""

from bitworld._native import AmongThemArtist, AmongThemSession
from bitworld.games.among_them.map import GameMap
from bitworld.games.among_them.scenes.ids import Depth, LayerId, ObjectId, SpriteId
from bitworld.games.among_them.scenes.images import (
    GRAY,
    GREEN,
    bar,
    map_image,
    player_images,
    shadow_image,
    text_image,
)
from bitworld.games.among_them.scenes.parts import Phase, Row, add_screen, body_object, figure_object, state_of
from bitworld.picture import SIDE
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite

__all__ = ["player_scene"]

LAYERS = {int(LayerId.MAP): Layer(LayerType.MAP, SIDE, SIDE, is_zoomable=True)}

NO_SHADOW = Sprite(SIDE, SIDE, b"", "shadow")

ICON_X, ICON_Y = 1, SIDE - 13
PROGRESS_WIDTH = 14


def player_scene(
    game_map: GameMap,
    artist: AmongThemArtist,
    session: AmongThemSession,
    player: int,
    task_complete_ticks: int,
    *,
    has_pixels: bool = True,
) -> Scene:
    """Return the scene; without pixels its screens and its shadow are empty, which is much faster."""
    state, players = state_of(session)
    sprites: dict[int, Sprite] = {SpriteId.MAP: map_image(game_map), **player_images()}
    objects: dict[int, Object] = {}
    if session.phase != Phase.PLAYING:
        add_screen(
            artist,
            session,
            player,
            sprites,
            objects,
            layer=LayerId.MAP,
            number=SpriteId.SCREEN,
            label="player screen",
            has_pixels=has_pixels,
        )
        return Scene(LAYERS, sprites, objects)
    view = artist.view(session, player)
    camera = view["camera"]
    sprites[SpriteId.SHADOW] = shadow_image(game_map, camera, view["lit"]) if has_pixels else NO_SHADOW
    objects[ObjectId.MAP] = Object(-camera[0], -camera[1], Depth.MAP, LayerId.MAP, SpriteId.MAP)
    objects[ObjectId.SHADOW] = Object(0, 0, Depth.SHADOW, LayerId.MAP, SpriteId.SHADOW)
    for number in view["bodies"]:
        objects[ObjectId.BODY + number] = body_object(state["bodies"][number], camera)
    for number in view["players"]:
        objects[ObjectId.PLAYER + number] = figure_object(players[number], camera)
    for task, x, y in view["bubbles"]:
        objects[ObjectId.TASK + task] = Object(x, y, Depth.TASK, LayerId.MAP, SpriteId.TASK)
    for task, x, y in view["arrows"]:
        objects[ObjectId.ARROW + task] = Object(x, y, Depth.TASK, LayerId.MAP, SpriteId.ARROW)
    me = players[player]
    if me.progress > 0 and me.active_task >= 0:
        station = game_map.tasks[me.active_task]
        whole = max(task_complete_ticks, 1)
        done = min(me.progress, whole)
        filled, percent = PROGRESS_WIDTH * done // whole, 100 * done // whole
        sprites[SpriteId.PROGRESS] = bar(PROGRESS_WIDTH, 1, filled, (GREEN, GRAY), f"progress bar {percent}%")
        place = (station.x + 1 - camera[0], station.y - 1 - camera[1])
        objects[ObjectId.PROGRESS] = Object(*place, Depth.COOLDOWN, LayerId.MAP, SpriteId.PROGRESS)
    icon = _icon(me)
    if icon is not None:
        objects[ObjectId.ICON] = Object(ICON_X, ICON_Y, Depth.COUNTER, LayerId.MAP, icon)
    remaining = str(state["tasksRemaining"])
    counter = text_image(remaining, f"task counter {remaining}", is_outlined=True)
    sprites[SpriteId.COUNTER] = counter
    objects[ObjectId.COUNTER] = Object(SIDE - counter.width, 0, Depth.COUNTER, LayerId.MAP, SpriteId.COUNTER)
    return Scene(LAYERS, sprites, objects)


def _icon(me: Row) -> int | None:
    if not me.is_alive:
        return SpriteId.GHOST_ICON
    if me.is_imposter:
        return SpriteId.IMPOSTER_ICON_COOLDOWN if me.cooldown > 0 else SpriteId.IMPOSTER_ICON
    return None
