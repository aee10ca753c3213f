"""What holds in every game of Among Them, whatever the players do."""

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitworld.errors import BadConfig
from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.config import config_from_text, read_config
from packages.bitworld.tests.among_them.hall import HALL, SIDE
from packages.bitworld.tests.among_them.recorded import PLAYER_FIELDS

CONFIGS = st.fixed_dictionaries(
    {
        "seed": st.integers(-(2**63), 2**63 - 1),
        "minPlayers": st.integers(1, 4),
        "imposterCount": st.integers(0, 3),
        "killCooldownTicks": st.integers(0, 5),
        "killRange": st.sampled_from([-3, 0, 30, 60]),
        "reportRange": st.sampled_from([0, 30]),
        "ventRange": st.sampled_from([0, 60]),
        "startWaitTicks": st.integers(0, 2),
        "roleRevealTicks": st.integers(0, 2),
        "voteTimerTicks": st.integers(1, 12),
        "voteResultTicks": st.integers(0, 2),
        "gameOverTicks": st.integers(0, 2),
        "taskCompleteTicks": st.integers(-1, 4),
        "tasksPerPlayer": st.integers(0, 5),
        "buttonCalls": st.integers(0, 2),
        "maxTicks": st.sampled_from([0, 20, 40]),
        "messageCooldownTicks": st.integers(0, 3),
        "accel": st.sampled_from([-90, 76, 2**31 - 1]),
        "maxSpeed": st.sampled_from([0, 704, 2**31 - 1]),
        "frictionNum": st.sampled_from([0, 144, 2**31 - 1]),
        "motionScale": st.sampled_from([1, 256, 2**31 - 1]),
    }
)
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.lists(st.integers(0, 255), min_size=6, max_size=6), st.integers(1, 9)),
        st.tuples(st.just("join"), st.integers(0, 5), st.integers(-1, 15)),
        st.tuples(st.just("leave"), st.integers(0, 5), st.booleans()),
        st.tuples(st.just("chat"), st.integers(0, 5), st.text(max_size=8)),
    ),
    max_size=40,
)
QUICK = settings(max_examples=int(os.environ.get("BITWORLD_EXAMPLES", "60")), deadline=None)  # more in `soak.py`


def begin(config: dict[str, Any]) -> AmongThem:
    game = AmongThem(config, game_map=HALL)
    for index in range(4):
        game.join(f"p{index}")
    return game


def apply(game: AmongThem, event: tuple[Any, ...]) -> list[int]:
    """Apply an event that may be impossible now; return the hashes after its ticks."""
    kind, first, second = event
    if kind == "step":
        hashes = []
        for _ in range(second):
            game.step(first[: len(game.seats)])
            hashes.append(game.state_hash())
        return hashes
    if game.wants_players_again:
        game.rejoin_done()
    taken = {seat.name for seat in game.seats} | {seat.slot for seat in game.seats}
    if kind == "join" and game.phase == "lobby" and f"p{first}" not in taken and second not in taken:
        game.join(f"p{first}", second)
    elif kind == "leave" and first < len(game.seats):
        (game.leave if second else game.leave_unrepaired)(first)
    elif kind == "chat" and first < len(game.seats):
        game.chat(first, second)
    return []


def rows(game: AmongThem) -> list[dict[str, int]]:
    return [dict(zip(PLAYER_FIELDS, row, strict=True)) for row in game.session.describe()["players"]]


def check(game: AmongThem, before: dict[str, Any]) -> None:
    state = game.session.describe()
    players = rows(game)
    for player in players:
        assert 0 <= player["x"] < SIDE and 0 <= player["y"] < SIDE
        if player["alive"] and game.phase != "lobby":
            assert HALL.walk[player["y"], player["x"]]
    assert len({player["joinOrder"] for player in players}) == len(players)
    living = [index for index, player in enumerate(players) if player["alive"]]
    if game.phase == "voting" and len(state["votes"]) == len(players):
        assert all(vote == -1 for index, vote in enumerate(state["votes"]) if index not in living)
    if state["phase"] == before["phase"] == 1 and len(before["bodies"]) > len(state["bodies"]):
        raise AssertionError("a body is gone without a meeting")
    assert state["timeLimitReached"] == 0 or game.phase == "game_over"


@QUICK
@given(config=CONFIGS, events=EVENTS)
def test_any_events_keep_the_state_sound(config: dict[str, Any], events: list[tuple[Any, ...]]) -> None:
    game = begin(config)
    for event in events:
        before = game.session.describe()
        apply(game, event)
        check(game, before)
        game.restore(game.snapshot())  # refuses a state with an index out of range


@QUICK
@given(config=CONFIGS, masks=st.lists(st.lists(st.integers(0, 255), min_size=4, max_size=4), min_size=20, max_size=60))
def test_only_tasks_kills_and_wins_pay(config: dict[str, Any], masks: list[list[int]]) -> None:
    game = begin(config)
    for held in masks:
        before, bodies = rows(game), len(game.session.describe()["bodies"])
        phase = game.phase
        game.step(held)
        if game.phase == "lobby":
            continue
        state = game.session.describe()
        earned = [now["reward"] - then["reward"] for now, then in zip(rows(game), before, strict=True)]
        has_won = game.phase == "game_over" and phase != "game_over" and not state["timeLimitReached"]
        for player, amount in zip(rows(game), earned, strict=True):
            win = 100 if has_won and player["role"] == state["winner"] else 0
            assert amount - win in ((0, 10) if player["role"] else (0, 1))
        if phase == "playing":
            assert len(state["bodies"]) == bodies + sum(amount % 100 == 10 for amount in earned)


@QUICK
@given(config=CONFIGS, first=EVENTS, then=EVENTS)
def test_a_restored_game_has_the_same_future(
    config: dict[str, Any], first: list[tuple[Any, ...]], then: list[tuple[Any, ...]]
) -> None:
    game, other = begin(config), AmongThem(config, game_map=HALL)
    for event in first:
        apply(game, event)
    saved = game.snapshot()
    other.restore(saved)
    assert other.snapshot() == saved and other.seats == game.seats and other.accounts() == game.accounts()
    for event in then:
        assert apply(other, event) == apply(game, event)
    assert other.snapshot() == game.snapshot()


@QUICK
@given(position=st.integers(0, 9000), byte=st.integers(0, 255), cut=st.integers(0, 9000))
def test_damaged_snapshots_are_refused(position: int, byte: int, cut: int) -> None:
    game = begin({})
    saved = game.snapshot()
    changed = bytearray(saved)
    changed[position % len(saved)] = byte
    for damaged in (bytes(changed), saved[:cut], saved + b"x"):
        if damaged == saved:
            continue
        with pytest.raises(ValueError, match="snapshot"):
            game.restore(damaged)
    assert game.snapshot() == saved


def test_a_snapshot_of_another_configuration_is_refused() -> None:
    with pytest.raises(ValueError, match="another configuration"):
        begin({"killRange": 3}).restore(begin({}).snapshot())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["seed", "minPlayers", "accel", "imposterRatio", "slots", "tokens", "mapPath", "map", "showTaskArrows", "other"]


@settings(max_examples=150, deadline=None)
@given(given_config=st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4))
def test_a_configuration_is_refused_or_complete(given_config: dict[str, Any]) -> None:
    try:
        config = read_config(given_config)
    except BadConfig as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert read_config(config) == config


@given(text=st.text(max_size=30))
def test_any_text_is_a_configuration_or_refused(text: str) -> None:
    try:
        config_from_text(text)
    except BadConfig as error:
        assert str(error)
