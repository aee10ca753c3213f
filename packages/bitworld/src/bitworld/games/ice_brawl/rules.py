"""The rules of ice brawl.

Five rounds on a platform that loses two tiles every ten seconds. A dashes and bumps harder, B throws a snowball; a
penguin that is hit slides like a bowling ball. Points at the end of a round: the number of players minus the place in
the order of elimination, counted from the survivor, who has place 1 and gets 3 points more.
"""

from collections.abc import Sequence

from bitworld._native import Random
from bitworld.games.ice_brawl.motion import bump, distance, is_on_ice, push, slide
from bitworld.games.ice_brawl.world import (
    CENTRE,
    COUNTDOWN_TICKS,
    DIRECTIONS,
    FIRST_SIDE,
    LAST_SIDE,
    ONE,
    PAUSE_TICKS,
    SHRINK_TICKS,
    SHRINK_TILES,
    Ball,
    Brawler,
    Penguin,
    Settings,
    Stage,
    World,
)
from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, Input

__all__ = ["SURVIVOR_POINTS", "account_for_leaver", "new_world", "place", "play"]

SURVIVOR_POINTS = 3
ACCELERATION = 24
DASH_SPEED, DASH_TICKS, DASH_WAIT = 2 * ONE, 10, 36
BALL_SPEED, BALL_PUSH, THROW_WAIT = 4 * ONE, 2 * ONE, 24
BUMP, DASH_BUMP, PENGUIN_BUMP, SLIDE_BUMP = 60, 3 * ONE // 2, ONE, 3 * ONE
TOUCH = 7 * 7
"""square of the distance in pixels at which two bodies touch"""
PENGUIN_SPEED, PENGUIN_SLIDE, PENGUIN_DIVE = 80, 5 * ONE, 72
SPLASH_TICKS = 16
CREDIT_TICKS = 48
"""ticks after a hit for which a fall is credited to the player that hit"""
START_RADIUS = 34


def new_world(random: Random, settings: Settings) -> World:
    world = World(random=random)
    world.penguins = [Penguin(x=CENTRE, y=CENTRE, way=5 * number % 16) for number in range(settings.penguins)]
    return world


def play(world: World, inputs: Sequence[Input], settings: Settings) -> None:
    if world.stage is Stage.COUNTDOWN:
        _count_down(world)
    elif world.stage is Stage.BRAWL:
        _brawl(world, inputs, settings)
    elif world.clock >= PAUSE_TICKS:
        world.round += 1
        if world.round < settings.rounds:
            _begin(world, Stage.COUNTDOWN)
            world.balls, world.side = [], FIRST_SIDE
            for player in world.players:
                player.is_out = True
    world.clock += 1


def place(world: World) -> None:
    """Put all players on a circle and the penguins between them."""
    for number, player in enumerate(world.players):
        x, y = DIRECTIONS[number * 16 // len(world.players)]
        player.x, player.y = CENTRE + x * START_RADIUS, CENTRE + y * START_RADIUS
        player.vx = player.vy = player.falling = player.dash = player.dash_wait = player.throw_wait = 0
        player.facing = (number * 16 // len(world.players) + 8) % 16
        player.hit_by, player.is_out = -1, False
    for number, penguin in enumerate(world.penguins):
        x, y = DIRECTIONS[(number * 16 // len(world.penguins) + 1) % 16]
        penguin.x, penguin.y = CENTRE + x * 12, CENTRE + y * 12
        penguin.vx = penguin.vy = penguin.sliding = 0
        penguin.is_diving, penguin.waits = False, 0


def account_for_leaver(world: World) -> None:
    """Count a player that left during a round as eliminated."""
    if world.stage is Stage.BRAWL:
        world.fallen = world.starters - sum(not player.is_out for player in world.players)


def _count_down(world: World) -> None:
    if world.clock == 0 or any(player.is_out for player in world.players):
        place(world)
    if world.clock >= COUNTDOWN_TICKS and world.players:
        world.starters, world.fallen = len(world.players), 0
        _begin(world, Stage.BRAWL)


def _brawl(world: World, inputs: Sequence[Input], settings: Settings) -> None:
    world.side = max(LAST_SIDE, FIRST_SIDE - SHRINK_TILES * (world.clock // SHRINK_TICKS))
    for player, buttons in zip(world.players, inputs, strict=True):
        player.falling = max(0, player.falling - 1)
        if not player.is_out:
            _act(world, player, buttons)
    _move_balls(world)
    for penguin in world.penguins:
        _move_penguin(world, penguin)
    _bump_players(world)
    _let_fall(world)
    alive = [player for player in world.players if not player.is_out]
    if len(alive) <= (world.starters > 1) or world.clock >= settings.round_ticks:
        for player in alive:
            player.score += world.starters - 1 + SURVIVOR_POINTS
            player.wins += 1
        _begin(world, Stage.PAUSE)


def _begin(world: World, stage: Stage) -> None:
    world.stage = stage
    world.clock = -1  # the end of `play` makes it 0


def _act(world: World, player: Brawler, buttons: Input) -> None:
    if buttons.dx or buttons.dy:
        player.facing = _direction(buttons.dx, buttons.dy)
        push(player, player.facing, ACCELERATION)
    player.dash, player.dash_wait = max(0, player.dash - 1), max(0, player.dash_wait - 1)
    player.throw_wait, player.hit_ago = max(0, player.throw_wait - 1), player.hit_ago + 1
    if buttons.pressed & BUTTON_A and not player.dash_wait:
        push(player, player.facing, DASH_SPEED)
        player.dash, player.dash_wait = DASH_TICKS, DASH_WAIT
    if buttons.pressed & BUTTON_B and not player.throw_wait:
        player.throw_wait = THROW_WAIT
        x, y = DIRECTIONS[player.facing]
        ball = Ball(slot=player.slot, x=player.x + 5 * x, y=player.y + 5 * y)
        push(ball, player.facing, BALL_SPEED)
        world.balls.append(ball)
    slide(player)


def _move_balls(world: World) -> None:
    for ball in list(world.balls):
        ball.x, ball.y, ball.left = ball.x + ball.vx, ball.y + ball.vy, ball.left - 1
        struck = [body for body in world.penguins if not body.is_diving and distance(ball, body) <= TOUCH]
        hit = [
            body
            for body in world.players
            if not body.is_out and body.slot != ball.slot and distance(ball, body) <= TOUCH
        ]
        way = _direction(ball.vx, ball.vy)
        if hit:
            push(hit[0], way, BALL_PUSH)
            hit[0].hit_by, hit[0].hit_ago = ball.slot, 0
        elif struck:
            struck[0].vx = struck[0].vy = 0
            push(struck[0], way, PENGUIN_SLIDE)
            struck[0].sliding, struck[0].pushed_by = 48, ball.slot
        if hit or struck or not ball.left:
            world.balls.remove(ball)


def _move_penguin(world: World, penguin: Penguin) -> None:
    penguin.waits -= 1
    if penguin.is_diving:
        if penguin.waits <= 0:
            penguin.is_diving = False
            penguin.x = penguin.y = CENTRE
            penguin.way = world.random.below_or_equal(15)
        return
    if penguin.sliding:
        penguin.sliding -= 1
        slide(penguin)
    else:
        if penguin.waits <= 0:
            penguin.way = world.random.below_or_equal(15)
            penguin.waits = 24 + world.random.below_or_equal(48)
        penguin.vx = penguin.vy = 0
        push(penguin, penguin.way, PENGUIN_SPEED)
        penguin.x, penguin.y = penguin.x + penguin.vx, penguin.y + penguin.vy
        if not is_on_ice(penguin, world.side - 4):
            penguin.way = (penguin.way + 8) % 16
            penguin.x, penguin.y = penguin.x - 2 * penguin.vx, penguin.y - 2 * penguin.vy
    if not is_on_ice(penguin, world.side):
        penguin.is_diving, penguin.sliding, penguin.waits = True, 0, PENGUIN_DIVE
        return
    for player in world.players:
        if not player.is_out and distance(player, penguin) <= TOUCH:
            bump(player, penguin, SLIDE_BUMP if penguin.sliding else PENGUIN_BUMP)
            if penguin.sliding and penguin.pushed_by != player.slot:
                player.hit_by, player.hit_ago = penguin.pushed_by, 0


def _bump_players(world: World) -> None:
    standing = [player for player in world.players if not player.is_out]
    for number, player in enumerate(standing):
        for other in standing[number + 1 :]:
            if distance(player, other) > TOUCH:
                continue
            before = Brawler(slot=player.slot, x=player.x, y=player.y, vx=player.vx, vy=player.vy)
            bump(player, other, DASH_BUMP if other.dash else BUMP)
            bump(other, before, DASH_BUMP if player.dash else BUMP)
            player.hit_by, player.hit_ago = other.slot, 0
            other.hit_by, other.hit_ago = player.slot, 0


def _let_fall(world: World) -> None:
    """Eliminate players off the ice. Those that fall in one tick share the better place."""
    falling = [player for player in world.players if not player.is_out and not is_on_ice(player, world.side)]
    world.fallen += len(falling)
    for player in falling:
        player.is_out, player.falling = True, SPLASH_TICKS
        place_of_player = world.starters - world.fallen + 1
        player.score += world.starters - place_of_player
        if player.hit_by >= 0 and player.hit_ago <= CREDIT_TICKS:
            for other in world.players:
                other.knocks += other.slot == player.hit_by


def _direction(dx: int, dy: int) -> int:
    """Return the number of the nearest of the 16 directions."""
    return max(range(16), key=lambda number: DIRECTIONS[number][0] * dx + DIRECTIONS[number][1] * dy)
