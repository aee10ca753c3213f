"""Ice brawl: the platform shrinks, pushes throw players off it, rounds pay by the order of elimination."""

import pytest

from bitworld.games.ice_brawl import IceBrawl
from bitworld.games.ice_brawl.world import CENTRE, ONE, Stage
from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, DOWN, LEFT, RIGHT, UP

OFF_THE_ICE = CENTRE + 60 * ONE


def brawl(players: int, **config: int) -> IceBrawl:
    """Return a game in the first tick of its first round, without penguins."""
    game = IceBrawl({"seed": 2, "penguins": 0, "minPlayers": players, **config})
    for number in range(players):
        game.join(f"p{number}")
    wait(game, Stage.BRAWL)
    return game


def wait(game: IceBrawl, stage: Stage, mask: int = 0) -> None:
    for _ in range(3000):
        if game.world.stage is stage:
            return
        game.step([mask] * len(game.seats))
    raise AssertionError(f"the stage {stage.name} did not come")


def rewards(game: IceBrawl) -> list[int]:
    return [account.reward for account in game.accounts()]


def test_the_platform_shrinks_from_48_to_36_by_2_every_10_seconds() -> None:
    game = brawl(1, roundTicks=10_000)
    sides = []
    for _ in range(1800):
        game.step([0])
        sides.append(game.world.side)
    assert [sides[24 * 10 * number + 100] for number in range(7)] == [48, 46, 44, 42, 40, 38, 36]
    assert sides[-1] == 36


def test_the_order_of_elimination_decides_the_points() -> None:
    game = brawl(4)
    for player in (2, 0, 3):
        game.world.players[player].x = OFF_THE_ICE
        game.step([0] * 4)
    assert rewards(game) == [1, 4 - 1 + 3, 0, 2]
    assert [account.counts["wins"] for account in game.accounts()] == [0, 1, 0, 0]
    assert game.world.stage is Stage.PAUSE


def test_five_rounds_are_a_game() -> None:
    game = brawl(2, maxGames=1)
    for number in range(5):
        wait(game, Stage.BRAWL)
        assert game.world.round == number and not game.is_over
        game.world.players[number % 2].x = OFF_THE_ICE
        game.step([0, 0])
        wait(game, Stage.PAUSE)
        while game.world.round == number:
            game.step([0, 0])
    assert game.is_over
    assert rewards(game) == [2 * 4, 3 * 4]


def test_players_that_fall_together_share_a_place() -> None:
    game = brawl(3)
    game.world.players[0].x = game.world.players[1].y = OFF_THE_ICE
    game.step([0] * 3)
    assert rewards(game) == [1, 1, 5]


def test_a_round_without_survivors_pays_the_last_to_fall() -> None:
    game = brawl(2)
    game.world.players[0].x = game.world.players[1].y = OFF_THE_ICE
    game.step([0, 0])
    assert rewards(game) == [1, 1]
    assert game.world.stage is Stage.PAUSE


def test_all_who_are_left_after_the_time_have_survived() -> None:
    game = brawl(3, roundTicks=24)
    wait(game, Stage.PAUSE)
    assert rewards(game) == [5, 5, 5]


def test_a_snowball_pushes_the_player_it_hits() -> None:
    game = brawl(2)
    first, second = game.world.players
    first.x, first.y, first.facing = CENTRE, CENTRE, 0
    second.x, second.y = CENTRE + 20 * ONE, CENTRE
    game.step([BUTTON_B, 0])
    for _ in range(8):
        game.step([0, 0])
    assert second.vx > 0 and second.hit_by == first.slot
    assert game.world.balls == []
    assert first.x == CENTRE


def test_a_dash_hits_harder_than_a_bump() -> None:
    def speed_after(mask: int) -> int:
        game = brawl(2)
        first, second = game.world.players
        first.x, first.y, first.facing = CENTRE, CENTRE, 0
        second.x, second.y = CENTRE + 12 * ONE, CENTRE
        fastest = 0
        for _ in range(30):
            game.step([mask, 0])
            fastest = max(fastest, second.vx)
        return fastest

    assert speed_after(RIGHT | BUTTON_A) > speed_after(RIGHT) > 0


def test_a_hit_is_credited_when_the_player_falls() -> None:
    game = brawl(2)
    first, second = game.world.players
    second.x, second.y = CENTRE + 46 * ONE, CENTRE
    first.x, first.y, first.facing = CENTRE + 34 * ONE, CENTRE, 0
    game.step([BUTTON_B, 0])
    for _ in range(30):
        game.step([0, 0])
    assert game.accounts()[0].counts == {"wins": 1, "knocks": 1}


def test_a_penguin_hit_by_a_snowball_slides() -> None:
    game = IceBrawl({"seed": 2, "penguins": 1, "minPlayers": 1})
    game.join("ann")
    wait(game, Stage.BRAWL)
    player, penguin = game.world.players[0], game.world.penguins[0]
    player.x, player.y, player.facing = CENTRE - 20 * ONE, CENTRE, 0
    penguin.x, penguin.y, penguin.waits = CENTRE, CENTRE, 100
    game.step([BUTTON_B])
    for _ in range(6):
        game.step([0])
    assert penguin.sliding and penguin.vx > ONE


def test_a_player_that_joins_during_a_round_plays_in_the_next() -> None:
    game = brawl(2)
    game.join("late")
    game.step([0, 0, UP])
    assert game.world.players[2].is_out
    game.world.players[0].x = OFF_THE_ICE
    game.step([0, 0, 0])
    assert rewards(game) == [0, 4, 0]
    wait(game, Stage.BRAWL)
    assert not game.world.players[2].is_out


def test_a_player_that_leaves_counts_as_eliminated() -> None:
    game = brawl(3)
    game.leave(0)
    game.world.players[0].x = OFF_THE_ICE
    game.step([0, 0])
    assert rewards(game) == [0, 1, 5]


@pytest.mark.parametrize("mask", [UP, DOWN, LEFT, RIGHT])
def test_a_player_that_walks_far_enough_falls(mask: int) -> None:
    game = brawl(1)
    wait(game, Stage.PAUSE, mask)
    assert game.world.players[0].is_out
    assert game.world.clock < 400
