"""What spectators see: the whole map with everything on it, and beside it the screen of a meeting or result."""

from bitworld._native import AmongThemArtist, AmongThemSession
from bitworld.games.among_them.map import GameMap
from bitworld.games.among_them.scenes.ids import Depth, LayerId, ObjectId, SpriteId
from bitworld.games.among_them.scenes.images import (
    RED,
    STONE,
    bar,
    map_image,
    spectator_images,
    text_image,
)
from bitworld.games.among_them.scenes.parts import Phase, Row, add_screen, body_object, figure_object, state_of
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite

__all__ = ["Trails", "public_scene", "spectator_scene"]

NO_PLAYER = -1
SECRET_PHASES = (Phase.PLAYING, Phase.ROLE_REVEAL)
"""phases in which each player sees something else"""
HIDDEN = ("PLAYERS ARE HIDDEN", "UNTIL THE NEXT MEETING")
LINE_HEIGHT = 9
COOLDOWN_WIDTH = 10
TRAIL_LENGTH = 10
TRAIL_STEP = 10
"""distance between two points of a trail, in pixels"""


class Trails:
    """Where players have been. It belongs to the viewer, not to the game: it begins again when the game goes back."""

    def __init__(self) -> None:
        self._tick = 0
        self._trails: list[list[Object]] = []

    def objects(self, tick: int, players: list[Row]) -> list[list[Object]]:
        """Note where the players are now; return up to `TRAIL_LENGTH` points for each, the oldest first."""
        if tick < self._tick or len(players) < len(self._trails):
            self._trails = []
        self._tick = tick
        self._trails += [[] for _ in range(len(players) - len(self._trails))]
        for player, trail in zip(players, self._trails, strict=True):
            x, y = player.x - 1, player.y - 1
            if not trail or (x - trail[-1].x) ** 2 + (y - trail[-1].y) ** 2 >= TRAIL_STEP**2:
                sprite = SpriteId.TRAIL + player.place
                trail.append(Object(x, y, player.y + Depth.TRAIL, LayerId.MAP, sprite))
                del trail[:-TRAIL_LENGTH]
        return self._trails


def spectator_scene(
    game_map: GameMap,
    artist: AmongThemArtist,
    session: AmongThemSession,
    trails: Trails,
    *,
    kill_cooldown_ticks: int,
    shows_labels: bool,
) -> Scene:
    state, players = state_of(session)
    sprites: dict[int, Sprite] = {SpriteId.MAP: map_image(game_map), **spectator_images()}
    objects: dict[int, Object] = {ObjectId.MAP: Object(0, 0, Depth.MAP, LayerId.MAP, SpriteId.MAP)}
    for number, trail in enumerate(trails.objects(session.tick, players)):
        objects.update(enumerate(trail, ObjectId.TRAIL + TRAIL_LENGTH * number))
    for number, body in enumerate(state["bodies"]):
        objects[ObjectId.BODY + number] = body_object(body)
    for number, player in enumerate(players):
        objects[ObjectId.PLAYER + number] = figure_object(player)
    if shows_labels:
        for number, (name, _) in enumerate(session.players):
            image = text_image(name, "", is_outlined=True)
            sprites[SpriteId.NAME + number] = image
            x = players[number].x + 4 - image.width // 2
            label = Object(x, players[number].y - 14 - image.height, Depth.NAME, LayerId.MAP, SpriteId.NAME + number)
            objects[ObjectId.NAME + number] = label
    if session.phase != Phase.LOBBY:
        _add_tasks(game_map, state["assigned"], state["done"], session.tick, objects, artist)
        _add_cooldowns(players, kill_cooldown_ticks, sprites, objects)
    _add_tick(session, sprites, objects)
    _add_phase_screen(artist, session, sprites, objects)
    return Scene(_layers(game_map), sprites, objects)


def public_scene(game_map: GameMap, artist: AmongThemArtist, session: AmongThemSession) -> Scene:
    """Return what all players know: the screens of lobby, meetings and results, which are the same for everyone.

    During play, the place of a player can show its role to spectators, so that they see the map alone.
    """
    sprites: dict[int, Sprite] = {SpriteId.MAP: map_image(game_map), **spectator_images()}
    objects: dict[int, Object] = {ObjectId.MAP: Object(0, 0, Depth.MAP, LayerId.MAP, SpriteId.MAP)}
    _add_tick(session, sprites, objects)
    _add_phase_screen(artist, session, sprites, objects)
    if session.phase in SECRET_PHASES:
        for line, text in enumerate(HIDDEN):
            sprites[SpriteId.TEXT + line] = text_image(text, is_outlined=True)
            place = Object(2, 2 + LINE_HEIGHT * line, Depth.TEXT, LayerId.TOP_LEFT, SpriteId.TEXT + line)
            objects[ObjectId.TEXT + line] = place
    return Scene(_layers(game_map), sprites, objects)


def _add_tick(session: AmongThemSession, sprites: dict[int, Sprite], objects: dict[int, Object]) -> None:
    tick = text_image(str(session.tick), f"replay tick {session.tick}")
    sprites[SpriteId.TICK] = tick
    objects[ObjectId.TICK] = Object((128 - tick.width) // 2, 0, 0, LayerId.TICK, SpriteId.TICK)


def _add_phase_screen(
    artist: AmongThemArtist, session: AmongThemSession, sprites: dict[int, Sprite], objects: dict[int, Object]
) -> None:
    """Add the screen of a phase in which all players see the same."""
    if session.phase in SECRET_PHASES:
        return
    add_screen(
        artist,
        session,
        NO_PLAYER,
        sprites,
        objects,
        layer=LayerId.TOP_RIGHT,
        number=SpriteId.INTERSTITIAL,
        label="interstitial screen",
    )


def _layers(game_map: GameMap) -> dict[int, Layer]:
    return {
        LayerId.MAP: Layer(LayerType.MAP, game_map.width, game_map.height, is_zoomable=True),
        LayerId.TOP_LEFT: Layer(LayerType.TOP_LEFT, 160, 24, is_ui=True),
        LayerId.TOP_RIGHT: Layer(LayerType.TOP_RIGHT, 128, 128, is_ui=True),
        LayerId.BOTTOM_RIGHT: Layer(LayerType.BOTTOM_RIGHT, 128, 128, is_ui=True),
        LayerId.TICK: Layer(LayerType.CENTRE_BOTTOM, 128, 20, is_ui=True),
        LayerId.CONTROLS: Layer(LayerType.BOTTOM_LEFT, 128, 20, is_ui=True),
    }


def _add_tasks(
    game_map: GameMap,
    assigned: list[list[int]],
    done: list[list[int]],
    tick: int,
    objects: dict[int, Object],
    artist: AmongThemArtist,
) -> None:
    """Add a bubble over each station where a player still has a task."""
    is_done = {(task, player) for task, player in done}
    open_tasks = {task for player, tasks in enumerate(assigned) for task in tasks if (task, player) not in is_done}
    for task in open_tasks:
        x, y = artist.bubble(task, tick)
        objects[ObjectId.TASK + task] = Object(x, y, Depth.TASK, LayerId.MAP, SpriteId.TASK)


def _add_cooldowns(
    players: list[Row], kill_cooldown_ticks: int, sprites: dict[int, Sprite], objects: dict[int, Object]
) -> None:
    """Add a bar over each imposter that fills until it can kill again."""
    for number, player in enumerate(players):
        if not player.is_imposter or not player.is_alive:
            continue
        passed = max(kill_cooldown_ticks - player.cooldown, 0)
        filled = COOLDOWN_WIDTH if player.cooldown <= 0 else COOLDOWN_WIDTH * passed // max(kill_cooldown_ticks, 1)
        sprites[SpriteId.COOLDOWN + number] = bar(COOLDOWN_WIDTH, 2, filled, (RED, STONE))
        place = (player.x - 1, player.y - 13)
        objects[ObjectId.COOLDOWN + number] = Object(*place, Depth.COOLDOWN, LayerId.MAP, SpriteId.COOLDOWN + number)
