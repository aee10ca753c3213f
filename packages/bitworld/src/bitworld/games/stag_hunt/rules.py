"""The rules of stag hunt.

A hunter alone catches rabbits. Larger beasts need several hunters that strike in the same half second. All of them
share the points equally, and a remainder goes to the last strikers. A strike without enough helpers holds the beast at
bay for half a second, then it kicks.
"""

from collections.abc import Iterable, Sequence

from bitworld._native import Random
from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, Input
from bitworld.games.stag_hunt.world import (
    BEASTS,
    MAX_ENERGY,
    MOVE_COST,
    MOVE_TICKS,
    SIDE,
    Beast,
    Hunter,
    World,
    trees,
)

__all__ = ["STRIKE_TICKS", "free_tile", "new_world", "play"]

STRIKE_TICKS = 12
WHISTLE_TICKS = 36
GAIN_TICKS = 30
KICK_COST = 20
REST_TICKS = 4
"""ticks of rest for one point of energy"""
BIRTH_TICKS = 24
"""ticks between two births while beasts are missing"""
SAFE_DISTANCE = 6
STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0))


def new_world(random: Random) -> World:
    world = World(random=random, map_seed=random.below_or_equal(2**31 - 1))
    for kind, beast in enumerate(BEASTS):
        for _ in range(beast.population):
            _bear(world, kind)
    return world


def play(world: World, inputs: Sequence[Input]) -> None:
    world.clock += 1
    taken = _taken(world)
    for hunter, buttons in zip(world.players, inputs, strict=True):
        _move(world, hunter, buttons, taken)
        _act(world, hunter, buttons)
    _catch(world)
    _end_strikes(world)
    _move_beasts(world)
    if world.clock % BIRTH_TICKS == 0:
        _replace_missing(world)


def free_tile(world: World) -> tuple[int, int]:
    """Return a tile for a new hunter, not next to another one if possible."""
    taken = _taken(world)
    for distance in (3, 1):
        for _ in range(64):
            tile = _random_tile(world.random)
            if _is_free(world, tile, taken) and _distance_to(world.players, tile) >= distance:
                return tile
    every = ((x, y) for y in range(SIDE) for x in range(SIDE))
    return next(tile for tile in every if _is_free(world, tile, taken))


def _move(world: World, hunter: Hunter, buttons: Input, taken: set[tuple[int, int]]) -> None:
    hunter.moving = max(0, hunter.moving - 1)
    if hunter.moving:
        return
    if buttons.dx:
        hunter.is_facing_left = buttons.dx < 0
    ways = [(buttons.dx, 0), (0, buttons.dy)]
    for dx, dy in ways if hunter.energy >= MOVE_COST else []:
        tile = (hunter.x + dx, hunter.y + dy)
        if (dx or dy) and _is_free(world, tile, taken):
            taken.discard((hunter.x, hunter.y))
            taken.add(tile)
            hunter.x, hunter.y = tile
            hunter.dx, hunter.dy = dx, dy
            hunter.moving = MOVE_TICKS
            hunter.energy -= MOVE_COST
            hunter.rest = 0
            return
    hunter.rest += 1
    if hunter.rest >= REST_TICKS:
        hunter.rest = 0
        hunter.energy = min(MAX_ENERGY, hunter.energy + 1)


def _act(world: World, hunter: Hunter, buttons: Input) -> None:
    hunter.whistle = WHISTLE_TICKS if buttons.pressed & BUTTON_B else max(0, hunter.whistle - 1)
    hunter.gain_shown = max(0, hunter.gain_shown - 1)
    if buttons.pressed & BUTTON_A and not hunter.strike:
        near = [beast for beast in world.beasts if _touches(hunter, beast)]
        if near:
            hunter.target = max(near, key=lambda beast: (beast.kind, -beast.number)).number
            hunter.strike = STRIKE_TICKS


def _catch(world: World) -> None:
    for beast in list(world.beasts):
        strikers = _strikers(world, beast)
        kind = BEASTS[beast.kind]
        if len(strikers) < kind.hunters:
            continue
        share, rest = divmod(kind.points, len(strikers))
        # The last to strike have the most ticks left.
        for place, hunter in enumerate(sorted(strikers, key=lambda hunter: -hunter.strike)):
            hunter.gain = share + (place < rest)
            hunter.score += hunter.gain
            hunter.gain_shown = GAIN_TICKS
            hunter.energy = min(MAX_ENERGY, hunter.energy + kind.energy)
            hunter.strike, hunter.target = 0, -1
            hunter.rabbits += kind.hunters == 1
            hunter.beasts += kind.hunters > 1
        world.beasts.remove(beast)


def _end_strikes(world: World) -> None:
    for hunter in world.players:
        if hunter.strike:
            hunter.strike -= 1
            if not hunter.strike:
                hunter.energy = max(0, hunter.energy - KICK_COST)
                hunter.target = -1


def _move_beasts(world: World) -> None:
    for beast in world.beasts:
        beast.moving = max(0, beast.moving - 1)
        beast.wait -= 1
        if beast.wait > 0 or _strikers(world, beast):
            continue
        kind = BEASTS[beast.kind]
        beast.wait = kind.period
        roll = world.random.below_or_equal(3)
        taken = _taken(world)
        open_ways = [way for way in STEPS if _is_free(world, (beast.x + way[0], beast.y + way[1]), taken)]
        if not open_ways or roll == 0:
            continue
        if _distance_to(world.players, (beast.x, beast.y)) <= kind.sight:
            dx, dy = max(open_ways, key=lambda way: _distance_to(world.players, (beast.x + way[0], beast.y + way[1])))
        elif roll == 1:
            dx, dy = open_ways[world.random.below_or_equal(len(open_ways) - 1)]
        else:
            continue
        beast.x, beast.y, beast.dx, beast.dy = beast.x + dx, beast.y + dy, dx, dy
        beast.moving = MOVE_TICKS
        beast.is_facing_left = dx < 0 if dx else beast.is_facing_left


def _replace_missing(world: World) -> None:
    present = [beast.kind for beast in world.beasts]
    missing = [kind for kind, beast in enumerate(BEASTS) if present.count(kind) < beast.population]
    if missing:
        _bear(world, missing[world.random.below_or_equal(len(missing) - 1)])


def _bear(world: World, kind: int) -> None:
    """Add a beast on a tile away from hunters, if a few tries find one."""
    taken = _taken(world)
    for _ in range(16):
        tile = _random_tile(world.random)
        if _is_free(world, tile, taken) and _distance_to(world.players, tile) >= SAFE_DISTANCE:
            world.beasts.append(Beast(number=world.beasts_born, kind=kind, x=tile[0], y=tile[1]))
            world.beasts_born += 1
            return


def _strikers(world: World, beast: Beast) -> list[Hunter]:
    return [
        hunter
        for hunter in world.players
        if hunter.strike and hunter.target == beast.number and _touches(hunter, beast)
    ]


def _touches(hunter: Hunter, beast: Beast) -> bool:
    return abs(hunter.x - beast.x) <= 1 and abs(hunter.y - beast.y) <= 1


def _distance_to(hunters: Iterable[Hunter], tile: tuple[int, int]) -> int:
    return min((abs(hunter.x - tile[0]) + abs(hunter.y - tile[1]) for hunter in hunters), default=2 * SIDE)


def _random_tile(random: Random) -> tuple[int, int]:
    return random.below_or_equal(SIDE - 1), random.below_or_equal(SIDE - 1)


def _taken(world: World) -> set[tuple[int, int]]:
    bodies: list[Hunter | Beast] = [*world.players, *world.beasts]
    return {(body.x, body.y) for body in bodies}


def _is_free(world: World, tile: tuple[int, int], taken: set[tuple[int, int]]) -> bool:
    x, y = tile
    return 0 <= x < SIDE and 0 <= y < SIDE and tile not in taken and tile not in trees(world.map_seed)
