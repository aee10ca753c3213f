"""What a player sees now, read from its scene: where it is, who is near, which screen is shown."""

from dataclasses import dataclass, field
from enum import Enum

from bitworld.games.among_them.scenes.ids import ObjectId
from bitworld.scene import Object, Scene

__all__ = ["Figure", "Screen", "Sight", "read_sight"]

MOST_PLAYERS = 16
OWN_X, OWN_Y = 57, 57
"""where the own figure is on the screen: the camera follows it"""
FEET_X, FEET_Y = 3, 9
"""from the corner of a figure's sprite to the point that walks"""
WHITE = bytes.fromhex("fff1e8ff")
SIDES = (" right", " left")


class Screen(Enum):
    WAITING = "waiting"
    ROLE = "role"
    PLAYING = "playing"
    VOTING = "voting"
    OTHER = "other"
    """the result of a vote or of the game"""


@dataclass(frozen=True, slots=True)
class Figure:
    """A player or a body."""

    number: int
    """of the player; of bodies, the number of the body"""
    colour: str
    x: int
    y: int
    is_ghost: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    screen: Screen
    me: Figure | None = None
    others: tuple[Figure, ...] = ()
    """the living players in view"""
    bodies: tuple[Figure, ...] = ()
    tasks: frozenset[int] = frozenset()
    """stations where this player still has a task"""
    tasks_left: int | None = None
    """of the whole crew"""
    is_imposter: bool = False
    can_kill: bool = False
    icons: dict[int, tuple[str, bool]] = field(default_factory=dict)
    """players of a screen -> colour, and whether alive"""
    texts: str = ""
    cursor: int | None = None
    """the player whose cell in the vote is framed, if the scene has pixels; -1 for none of them"""


def read_sight(scene: Scene, own_number: int | None = None) -> Sight:
    """Return what a scene shows. `own_number` tells players apart that stand on the same spot."""
    labels = {number: scene.sprites[item.sprite].label for number, item in scene.objects.items()}
    world = scene.objects.get(ObjectId.MAP)
    if world is None or labels[ObjectId.MAP] != "map":
        return _read_screen(scene, labels)
    figures: list[Figure] = []
    own: list[Figure] = []
    bodies: list[Figure] = []
    tasks: set[int] = set()
    for number, item in scene.objects.items():
        label = labels[number]
        if ObjectId.PLAYER <= number < ObjectId.PLAYER + MOST_PLAYERS:
            figure = _figure(number - ObjectId.PLAYER, label, item, world)
            (own if (item.x, item.y) == (OWN_X, OWN_Y) else figures).append(figure)
        elif label.startswith("body "):
            bodies.append(_figure(number - ObjectId.BODY, label, item, world))
        elif label == "task bubble":
            tasks.add(number - ObjectId.TASK)
        elif label == "task arrow":
            tasks.add(number - ObjectId.ARROW)
    me = next((figure for figure in own if figure.number == own_number), own[0] if own else None)
    figures += [figure for figure in own if figure is not me]
    icon = labels.get(ObjectId.ICON, "")
    counter = labels.get(ObjectId.COUNTER, "")
    return Sight(
        Screen.PLAYING,
        me=me,
        others=tuple(figure for figure in figures if not figure.is_ghost),
        bodies=tuple(bodies),
        tasks=frozenset(tasks),
        tasks_left=int(counter.rsplit(" ", 1)[-1]) if counter else None,
        is_imposter=icon.startswith("imposter"),
        can_kill=icon == "imposter icon",
    )


def _figure(number: int, label: str, item: Object, world: Object) -> Figure:
    kind, _, colour = label.partition(" ")
    for side in SIDES:
        colour = colour.removesuffix(side)
    return Figure(number, colour, item.x + FEET_X - world.x, item.y + FEET_Y - world.y, kind == "ghost")


def _read_screen(scene: Scene, labels: dict[int, str]) -> Sight:
    lines = sorted(
        (item.y, item.x, labels[number])
        for number, item in scene.objects.items()
        if ObjectId.TEXT <= number < ObjectId.VOTE_ICON
    )
    words = {text.strip() for _, _, text in lines}
    bases = {Screen.VOTING: ObjectId.VOTE_ICON, Screen.ROLE: ObjectId.ROLE_ICON}
    screen = Screen.OTHER
    if "SKIP" in words:
        screen = Screen.VOTING
    elif words & {"CREWMATE", "IMPS"}:
        screen = Screen.ROLE
    elif words & {"WAITING", "STARTING"}:
        screen = Screen.WAITING
    icons = {}
    if screen in bases:
        for number in range(MOST_PLAYERS):
            label = labels.get(bases[screen] + number)
            if label is not None:
                kind, _, colour = label.partition(" ")
                icons[number] = (colour.removesuffix(" right").removesuffix(" left"), kind == "player")
    talk = "".join(text for _, _, text in lines if text.strip() != "SKIP")
    cursor = _cursor(scene) if screen is Screen.VOTING else None
    return Sight(screen, is_imposter="IMPS" in words, icons=icons, texts=talk, cursor=cursor)


def _cursor(scene: Scene) -> int | None:
    screen = scene.objects.get(ObjectId.SCREEN)
    picture = None if screen is None else scene.sprites[screen.sprite]
    if picture is None or not picture.rgba:
        return None
    for number in range(MOST_PLAYERS):
        icon = scene.objects.get(ObjectId.VOTE_ICON + number)
        if icon is not None:
            at = 4 * ((icon.y - 1) * picture.width + icon.x - 1)
            if picture.rgba[at : at + 4] == WHITE:
                return number
    return -1
