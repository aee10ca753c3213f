"""Joining Among Them: seats, slots, tokens, refusals and homes."""

from typing import Any

import pytest

from bitworld.errors import BadConfig, JoinRefused
from bitworld.games.among_them import AmongThem
from packages.bitworld.tests.among_them.hall import HALL, field, started

RESERVED = {
    "slots": [{"name": "amy"}, {}, {"role": "imposter", "color": "pink"}, {"color": "cyan"}],
    "tokens": ["tk0", "", "tk2"],
}


def slots(game: AmongThem) -> list[int]:
    return [seat.slot for seat in game.seats]


def test_players_get_slots_in_the_order_of_joining() -> None:
    game = AmongThem()
    assert [game.join(f"p{i}") for i in range(16)] == list(range(16)) == slots(game)
    assert [row[13] for row in field(game, "players")] == [3, 7, 8, 14, 4, 11, 13, 15, 1, 2, 5, 6, 9, 10, 12, 0]
    with pytest.raises(JoinRefused, match="taken"):
        game.join("p16")


def test_a_requested_slot_is_given_or_refused() -> None:
    game = AmongThem()
    game.join("a", slot=5)
    assert slots(game) == [5] and field(game, "nextJoinOrder") == 6
    with pytest.raises(JoinRefused, match="taken"):
        game.join("b", slot=5)
    for slot in (16, 99, -2):
        with pytest.raises(JoinRefused, match="0 to 15"):
            game.join("b", slot=slot)
    game.join("b")
    game.join("c", slot=15)
    game.join("d")
    assert slots(game) == [5, 6, 15, 0]


def test_a_slot_that_became_free_is_given_again() -> None:
    game = AmongThem()
    for name in "abc":
        game.join(name)
    game.leave(1)
    assert [seat.name for seat in game.seats] == ["a", "c"]
    game.join("d")
    assert slots(game) == [0, 2, 3]
    for i in range(13):
        game.join(f"p{i}")
    assert slots(game)[-1] == 1


def test_a_name_is_in_the_game_once() -> None:
    game = AmongThem()
    game.join("a")
    with pytest.raises(JoinRefused, match="this name"):
        game.join("a")


@pytest.mark.parametrize(
    ("name", "slot", "token", "expected"),
    [
        ("amy", -1, "tk0", 0),
        ("amy", 0, "tk0", 0),
        ("amy", -1, "", "token"),
        ("amy", 0, "tk2", "token"),
        ("eve", -1, "tk0", "name"),
        ("eve", 0, "tk0", "name"),
        ("eve", -1, "tk2", 2),
        ("eve", 2, "bad", "token"),
        ("eve", 2, "tk2", 2),
        ("eve", -1, "bad", 1),
        ("eve", 3, "", 3),
    ],
)
def test_reserved_slots_need_their_name_and_token(name: str, slot: int, token: str, expected: int | str) -> None:
    game = AmongThem(RESERVED)
    if isinstance(expected, str):
        with pytest.raises(JoinRefused, match=expected):
            game.join(name, slot, token)
        assert game.seats == []
    else:
        game.join(name, slot, token)
        assert slots(game) == [expected]


def test_automatic_slots_pass_reserved_ones() -> None:
    game = AmongThem(RESERVED)
    for name in "abc":
        game.join(name)
    assert slots(game) == [1, 3, 4]


def test_slots_fix_colour_and_role() -> None:
    game = AmongThem({**RESERVED, "minPlayers": 5, "imposterCount": 1, "startWaitTicks": 0}, game_map=HALL)
    for name in "abcd":
        game.join(name)
    game.join("eve", token="tk2")
    game.step([])
    rows = {seat.slot: row for seat, row in zip(game.seats, field(game, "players"), strict=True)}
    assert rows[2][13] == 4 and rows[3][13] == 14
    assert {slot: row[9] for slot, row in rows.items()} == {1: 0, 3: 0, 4: 0, 5: 0, 2: 1}


def test_no_player_joins_a_running_game() -> None:
    game = started(3, "icc")
    with pytest.raises(JoinRefused, match="has started"):
        game.join("late")


def test_a_start_needs_enough_players_and_waits() -> None:
    game = AmongThem({"minPlayers": 2, "startWaitTicks": 5, "roleRevealTicks": 3})
    game.join("a")
    for _ in range(10):
        game.step([])
    game.join("b")
    for _ in range(3):
        game.step([])
    game.leave(0)
    game.step([])
    assert field(game, "startWaitTimer") == 0
    game.join("a")
    phases = []
    for _ in range(8):
        game.step([])
        phases.append(game.phase)
    assert phases == ["lobby"] * 4 + ["role_reveal"] * 3 + ["playing"]
    assert field(game, "gameStartTick") == game.tick


def test_an_unknown_player_is_an_error() -> None:
    game = AmongThem()
    for call in (game.leave, game.leave_unrepaired):
        with pytest.raises(IndexError, match="no player 0"):
            call(0)
    with pytest.raises(IndexError, match="no player 3"):
        game.chat(3, "hello")


def test_names_that_never_played_are_forgotten_when_they_leave() -> None:
    game = AmongThem({"minPlayers": 3, "startWaitTicks": 0})
    game.join("a")
    for i in range(100):
        game.join(f"passer-by {i}")
        game.leave(1)
    game.join("c")
    game.leave(0)
    game.join("b")
    assert [account.name for account in game.accounts()] == ["c", "b"] == [seat.name for seat in game.seats]
    game.join("d")
    game.step([])
    game.leave(2)
    assert [account.name for account in game.accounts()] == ["c", "b", "d"]


def test_a_leave_repairs_a_running_vote() -> None:
    game = started(5, "icccc", killCooldownTicks=1000)
    game.session.start_meeting()
    for _ in range(2):
        for mask in (2, 0):  # the cursors of players 0 and 4 go to player 2
            game.step([mask, 0, 0, 0, mask])
    game.step([32, 0, 0, 0, 0])
    assert field(game, "votes") == [2, -1, -1, -1, -1] and field(game, "cursor") == [2, 0, 0, 0, 2]
    unrepaired = AmongThem(game.config, game_map=HALL)
    unrepaired.restore(game.snapshot())
    unrepaired.leave_unrepaired(1)
    assert field(unrepaired, "votes") == [2, -1, -1, -1, -1]
    game.leave(1)
    assert field(game, "votes") == [1, -1, -1, -1] and field(game, "cursor") == [1, 0, 0, 1]
    game.leave(1)
    assert field(game, "votes") == [-1, -1, -1], "a vote for a player who left is open again"


def test_wrong_settings_are_one_sentence() -> None:
    wrong: dict[str, dict[str, Any]] = {
        "killRange must be a whole number, not 1.5": {"killRange": 1.5},
        "accel must be between": {"accel": 2**40},
        "mapPath must be a text": {"mapPath": 3},
    }
    for message, config in wrong.items():
        with pytest.raises(BadConfig, match=message):
            AmongThem(config)
