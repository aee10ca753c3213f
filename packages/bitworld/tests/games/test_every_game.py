"""What holds for every game, with any players, buttons and times."""

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bitworld.errors import BadConfig, JoinRefused
from bitworld.game import Game
from bitworld.picture import SIDE, blank
from bitworld.registry import game_names, new_game

GAMES = game_names()
SEATED = [name for name in GAMES if name != "among_them"]
"""the games in which players may join at any time, with the phases of `SeatedGame`"""

JOIN, LEAVE, STEP = "join", "leave", "step"
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just(JOIN), st.integers(0, 5)),
        st.tuples(st.just(LEAVE), st.integers(0, 5)),
        st.tuples(st.just(STEP), st.lists(st.integers(0, 255), min_size=6, max_size=6), st.integers(1, 12)),
    ),
    max_size=14,
)
QUICK = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def apply(game: Game, events: list[tuple]) -> list[int]:
    """Apply joins, leaves and held buttons; return the hash after every tick."""
    hashes = []
    for event in events:
        if event[0] == JOIN:
            with suppress(JoinRefused):  # it is there already, or Among Them has begun
                game.join(f"p{event[1]}")
        elif event[0] == LEAVE:
            if event[1] < len(game.seats):
                game.leave(event[1])
        else:
            for _ in range(event[2]):
                game.step(event[1][: len(game.seats)])
                hashes.append(game.state_hash())
    return hashes


def small(name: str, seed: int = 5) -> Game:
    quick = {"minPlayers": 2, "startWaitTicks": 2, "roleRevealTicks": 2} if name == "among_them" else {}
    return new_game(name, {"seed": seed, "maxTicks": 60, "gameOverTicks": 4, **quick})


@pytest.mark.parametrize("name", GAMES)
@QUICK
@given(first=EVENTS, then=EVENTS)
def test_a_restored_game_has_the_same_future(name: str, first: list[tuple], then: list[tuple]) -> None:
    game, other = small(name), small(name)
    apply(game, first)
    saved = game.snapshot()
    other.restore(saved)
    assert other.snapshot() == saved
    assert other.seats == game.seats and other.accounts() == game.accounts()
    assert apply(other, then) == apply(game, then)


@pytest.mark.parametrize("name", GAMES)
@QUICK
@given(events=EVENTS)
def test_drawing_and_looking_change_nothing(name: str, events: list[tuple]) -> None:
    watched, alone = small(name), small(name)
    for event in events:
        apply(watched, [event])
        apply(alone, [event])
        before = watched.state_hash()
        pictures = [blank() for _ in watched.seats]
        for player, picture in enumerate(pictures):
            picture[:] = 77
            watched.draw(player, picture)
            assert picture.max() < 16
            watched.player_scene(player)
        watched.draw_waiting(blank())
        watched.scene()
        assert watched.state_hash() == before == alone.state_hash()
        again = blank()
        for player, picture in enumerate(pictures):
            alone.draw(player, again)
            assert np.array_equal(again, picture)


@pytest.mark.parametrize("name", GAMES)
@QUICK
@given(events=EVENTS)
def test_scenes_only_use_what_they_define(name: str, events: list[tuple]) -> None:
    game = small(name)
    apply(game, events)
    for scene in (game.scene(), *(game.player_scene(player) for player in range(len(game.seats)))):
        assert {thing.sprite for thing in scene.objects.values()} <= set(scene.sprites)
        assert {thing.layer for thing in scene.objects.values()} <= set(scene.layers)
        assert all(0 < number <= 0xFFFF for number in (*scene.sprites, *scene.objects))
        assert all(-(2**15) <= part < 2**15 for thing in scene.objects.values() for part in (thing.x, thing.y, thing.z))
        assert all(len(sprite.rgba) == 4 * sprite.width * sprite.height for sprite in scene.sprites.values())


@pytest.mark.parametrize("name", GAMES)
@QUICK
@given(events=EVENTS)
def test_accounts_survive_leaving(name: str, events: list[tuple]) -> None:
    game = small(name)
    apply(game, events)
    accounts = game.accounts()
    for _ in list(game.seats):
        game.leave(0)
    left = game.accounts()
    assert [account for account in accounts if account in left] == left
    assert all(account in left for account in accounts if account.reward or any(account.counts.values()))
    game.step([])


@pytest.mark.parametrize("name", GAMES)
def test_the_seed_decides_the_game(name: str) -> None:
    def play(seed: int) -> list[int]:
        return apply(small(name, seed), [(JOIN, 0), (JOIN, 1), (STEP, [9, 34, 0, 0, 0, 0], 12), (STEP, [0] * 6, 12)])

    assert play(1) == play(1) != play(2)


@pytest.mark.parametrize("name", SEATED)
def test_the_configuration_in_effect_makes_the_same_game(name: str) -> None:
    given_config = {"seed": 9, "minPlayers": 2, "tokens": ["red"], "slots": [{"name": "ann"}], "unknown": [1]}
    game = new_game(name, given_config)
    again = new_game(name, json.loads(json.dumps(game.config)))
    assert again.config == game.config
    assert game.config["slots"] == [{"name": "ann", "token": "red"}]
    assert again.state_hash() == game.state_hash()


@pytest.mark.parametrize("name", SEATED)
@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"seed": "1"}, "`seed` must be an integer, not '1'"),
        ({"minPlayers": True}, "`minPlayers` must be an integer, not True"),
        ({"minPlayers": 17}, "`minPlayers` must be from 1 to 16, not 17"),
        ({"maxTicks": -1}, "`maxTicks` must be from 0 to 2147483647, not -1"),
        ({"slots": {}}, r"`slots` must be an array, not \{\}"),
        ({"slots": [{"name": 1}]}, r"`slots\[0\].name` must be a string, not 1"),
        ({"slots": [{"name": "a"}, {"name": "a"}]}, "Two slots have the same name 'a'"),
        ({"tokens": ["a"], "slots": [{"token": "b"}]}, r"`tokens\[0\]` differs from the token of `slots\[0\]`"),
        ([], r"The configuration must be an object, not \[\]"),
    ],
)
def test_a_wrong_setting_is_one_clear_sentence(name: str, config: dict, sentence: str) -> None:
    with pytest.raises(BadConfig, match=f"^{sentence}$"):
        new_game(name, config)


@pytest.mark.parametrize("name", SEATED)
def test_a_snapshot_of_anything_else_is_refused(name: str) -> None:
    game = small(name)
    game.join("ann")
    saved, before = game.snapshot(), game.state_hash()
    damaged = bytearray(saved)
    damaged[-3] ^= 1
    others = [b"", b"x" * 64, saved[:-8], saved[:-1], saved + bytes(8), bytes(damaged), small(name, 6).snapshot()]
    for other in others:
        with pytest.raises(ValueError, match="snapshot"):
            game.restore(other)
    assert game.state_hash() == before


@pytest.mark.parametrize("name", SEATED)
def test_a_game_waits_for_players_and_ends(name: str) -> None:
    game = new_game(name, {"minPlayers": 2, "maxTicks": 5, "maxGames": 1, "seed": 3})
    game.join("ann")
    for _ in range(9):
        game.step([0])
    assert game.phase == "lobby"
    game.join("bob")
    for tick in range(5):
        assert not game.is_over
        game.step([0, 0])
        assert game.phase == ("playing" if tick < 4 else "over")
    assert game.is_over
    assert [row["name"] for row in game.results()] == ["ann", "bob"]
    last = game.state_hash()
    game.step([255, 255])
    assert game.is_over and game.state_hash() != last, "ticks are counted after the end"


@pytest.mark.parametrize("name", SEATED)
def test_games_follow_each_other_with_the_same_players(name: str) -> None:
    game = small(name)
    game.join("ann")
    phases = []
    for _ in range(140):
        game.step([0])
        if not phases or phases[-1] != game.phase:
            phases.append(game.phase)
    assert phases[:4] == ["playing", "over", "lobby", "playing"]
    assert [seat.name for seat in game.seats] == ["ann"] and not game.is_over


@pytest.mark.parametrize("name", SEATED)
def test_seats_are_given_by_name_token_and_slot(name: str) -> None:
    game = new_game(name, {"slots": [{"name": "ann", "token": "red"}, {"token": "blue"}], "seed": 1})
    for player, slot, token, sentence in [
        ("ann", -1, "wrong", "The token does not belong to slot 0"),
        ("eve", 0, "red", "The name does not belong to slot 0"),
        ("eve", 16, "", "There is no slot 16; slots are 0 to 15"),
        ("", -1, "", "A player's name has 1 to 64 characters, not 0"),
    ]:
        with pytest.raises(JoinRefused, match=sentence):
            game.join(player, slot, token)
    game.join("dan", 0)
    game.join("ann", -1, "red")
    game.join("bob", -1, "blue")
    game.join("cat", 9)
    assert [seat.slot for seat in game.seats] == [2, 0, 1, 9]
    with pytest.raises(JoinRefused, match="'cat' is already in the game"):
        game.join("cat")
    for number in range(12):
        game.join(f"more{number}")
    with pytest.raises(JoinRefused, match="The game is full: it has 16 players"):
        game.join("late")
    with pytest.raises(ValueError, match="the game has 16 players, not 0"):
        game.step([])


@pytest.mark.parametrize("name", SEATED)
def test_a_player_that_returns_keeps_its_account(name: str) -> None:
    game = small(name)
    game.join("ann")
    game.join("bob")
    game.step([0, 0])
    game.leave(0)
    assert [seat.name for seat in game.seats] == ["bob"]
    game.join("ann")
    assert [account.name for account in game.accounts()] == ["ann", "bob"]


@pytest.mark.parametrize("name", SEATED)
def test_names_that_never_played_are_forgotten(name: str) -> None:
    game = small(name)
    game.join("ann")
    game.join("bob")
    for number in range(50):
        game.join(f"guest{number}")
        game.leave(2)
    game.leave(0)
    assert [account.name for account in game.accounts()] == ["bob"]
    for _ in range(70):
        game.step([0x20])
    assert [row["name"] for row in game.results()] == ["bob"]


@pytest.mark.parametrize("name", SEATED)
def test_pictures_differ_between_players_and_fill_the_screen(name: str) -> None:
    game = small(name)
    for number in range(3):
        game.join(f"p{number}")
    game.step([0, 0, 0])
    pictures = np.zeros((3, SIDE, SIDE), np.uint8)
    for player in range(3):
        game.draw(player, pictures[player])
    assert not np.array_equal(pictures[0], pictures[1])
    assert all(len(np.unique(picture)) >= 5 for picture in pictures)
