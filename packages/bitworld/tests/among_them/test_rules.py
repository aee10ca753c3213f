"""The rules that matter most, one scene each, in a hall where every player is near every other."""

from dataclasses import replace

import pytest

from bitworld.games.among_them import AmongThem
from packages.bitworld.tests.among_them.hall import DOWN, HALL, LEFT, RIGHT, UP, A, B, field, player, press, started


def rewards(game: AmongThem) -> list[int]:
    return [account.reward for account in game.accounts()]


def living(game: AmongThem) -> list[bool]:
    return [bool(row[10]) for row in field(game, "players")]


def test_a_draw_pays_nobody() -> None:
    game = started(5, "icccc", maxTicks=10)
    for _ in range(10):
        game.step([])
    assert game.phase == "game_over"
    assert field(game, "timeLimitReached") == 1 and field(game, "winner") == 0
    assert rewards(game) == [0] * 5
    assert [row["win"] for row in game.results()] == [False] * 5


def test_a_ghost_finishes_its_tasks() -> None:
    game = started(5, "icccc")
    press(game, p0=A)
    ghost = living(game).index(False)
    for _ in range(6):  # two tasks of three ticks
        game.step([A if index == ghost else 0 for index in range(5)])
    assert game.accounts()[ghost].counts["tasks"] == 2
    assert rewards(game) == [10, *[2 if index == ghost else 0 for index in range(1, 5)]]


def test_all_tasks_done_wins_for_the_dead_too() -> None:
    game = started(4, "iccc", reportRange=0, buttonCalls=0, killRange=27, tasksPerPlayer=1)
    press(game, p0=A)
    for _ in range(3):
        game.step([0, A, A, A])
    assert game.phase == "game_over" and field(game, "winner") == 0
    assert all(reward >= 101 for reward in rewards(game)[1:])
    assert [row["win"] for row in game.results()] == [False, True, True, True]


@pytest.mark.parametrize("imposter", [0, 2, 4])
def test_no_body_is_killed_and_reported_in_one_tick(imposter: int) -> None:
    roles = "".join("i" if slot == imposter else "c" for slot in range(5))
    game = started(5, roles, killCooldownTicks=1)
    game.step([])
    game.step([A] * 5)
    assert len(field(game, "bodies")) == 1 and game.phase == "playing"
    game.step([0] * 5)
    game.step([A] * 5)
    assert game.phase == "voting"


def test_the_emergency_button_calls_as_many_meetings_as_configured() -> None:
    game = started(5, "icccc", buttonCalls=1, killCooldownTicks=1000, voteTimerTicks=2)
    game.session.start_meeting()
    while game.phase != "playing":
        game.step([])
    # Player 2 walks from its home to the button in the middle.
    while not (55 <= player(game, 2)["x"] < 65 and 55 <= player(game, 2)["y"] < 65):
        mask = (RIGHT if player(game, 2)["x"] < 58 else 0) | (UP if player(game, 2)["y"] > 62 else 0)
        game.step([0, 0, mask, 0, 0])
    press(game, p2=A)
    assert player(game, 2)["buttonCallsUsed"] == 1 and game.phase == "voting"


def vote(game: AmongThem, index: int, target: int | None) -> None:
    """Move the cursor of a player to a target (None: skip) and vote."""
    goal = len(game.seats) if target is None else target
    while field(game, "cursor")[index] != goal:
        press(game, **{f"p{index}": DOWN})
    press(game, **{f"p{index}": A})


def meeting(players: int = 5, roles: str = "icccc") -> AmongThem:
    game = started(players, roles, killCooldownTicks=1000)
    game.session.start_meeting()
    return game


def finish(game: AmongThem) -> None:
    while game.phase in ("voting", "vote_result"):
        game.step([])


def test_most_votes_eject_a_player() -> None:
    game = meeting()
    for index, target in enumerate([1, 0, 0, 0, None]):
        vote(game, index, target)
    finish(game)
    assert living(game) == [False, True, True, True, True]
    assert game.phase == "game_over" and rewards(game) == [0, 100, 100, 100, 100]


@pytest.mark.parametrize(
    "targets",
    [
        pytest.param([1, 0, 0, 1, None], id="a tie"),
        pytest.param([1, 0, 0, None, None], id="as many skips as votes"),
        pytest.param([None] * 5, id="all skip"),
    ],
)
def test_no_player_is_ejected_without_a_clear_majority(targets: list[int | None]) -> None:
    game = meeting()
    for index, target in enumerate(targets):
        vote(game, index, target)
    finish(game)
    assert field(game, "ejected") == -1 and all(living(game)) and game.phase == "playing"


def test_players_who_do_not_vote_count_as_skips() -> None:
    game = meeting()
    vote(game, 1, 0)
    vote(game, 2, 0)
    assert game.phase == "voting"
    while field(game, "voteTimer") > 1:
        game.step([])
    game.step([])
    assert game.phase == "vote_result" and field(game, "ejected") == -1


def test_a_vote_cannot_be_changed() -> None:
    game = meeting()
    vote(game, 1, 2)
    cursor = field(game, "cursor")[1]
    press(game, p1=DOWN)
    press(game, p1=A)
    assert field(game, "votes")[1] == 2 and field(game, "cursor")[1] == cursor


def test_the_cursor_passes_the_dead_and_wraps() -> None:
    game = started(5, "icccc")
    press(game, p0=A)
    dead = living(game).index(False)
    game.session.start_meeting()
    seen = []
    for _ in range(5):
        press(game, p0=RIGHT)
        seen.append(field(game, "cursor")[0])
    assert seen == [place for place in (1, 2, 3, 4, 5, 0) if place != dead]
    press(game, p0=LEFT)
    assert field(game, "cursor")[0] == 5


def test_the_dead_neither_vote_nor_chat() -> None:
    game = started(5, "icccc")
    press(game, p0=A)
    dead = living(game).index(False)
    game.session.start_meeting()
    press(game, **{f"p{dead}": A})
    assert field(game, "votes")[dead] == -1
    assert not game.chat(dead, "boo") and game.chat(0, "it was me")


def test_chat_has_a_cooldown_and_keeps_six_lines() -> None:
    game = meeting(8, "iccccccc")
    assert [game.chat(index, f"  line {index} \x07") for index in range(8)] == [True] * 8
    assert not game.chat(0, "again")
    assert game.chat_lines == [(index, f"line {index}") for index in range(2, 8)]
    for _ in range(100):
        game.step([])
    assert game.chat(0, "x" * 400) and len(game.chat_lines[-1][1]) == 320
    assert not game.chat(1, "   \x01 ")


def test_a_vent_leads_to_the_next_of_its_group() -> None:
    game = started(3, "icc", ventRange=500, killCooldownTicks=1000)
    game.step([B, B, B])
    assert (player(game, 0)["x"], player(game, 0)["y"]) == (96, 95)
    assert player(game, 0)["ventCooldown"] == 30 and player(game, 1)["ventCooldown"] == 0
    for _ in range(29):
        game.step([B, 0, 0])
        assert (player(game, 0)["x"], player(game, 0)["y"]) == (96, 95)
    game.step([B, 0, 0])
    assert player(game, 0)["ventCooldown"] == 30


def test_a_meeting_sends_all_players_home_and_removes_bodies() -> None:
    game = started(5, "icccc", killCooldownTicks=3)
    for _ in range(5):
        game.step([RIGHT] * 5)
    game.step([A, 0, 0, 0, 0])
    assert field(game, "bodies")
    game.session.start_meeting()
    while game.phase != "playing":
        game.step([])
    assert field(game, "bodies") == []
    assert all((row[0], row[1]) == (row[2], row[3]) for row in field(game, "players"))
    assert player(game, 0)["killCooldown"] == 3


def test_the_result_of_the_last_game_ends_the_session() -> None:
    game = started(3, "icc", maxGames=1)
    press(game, p0=A)
    assert game.is_over and field(game, "winner") == 1
    assert game.results()[0] == {"name": "p0", "reward": 110, "win": True, "tasks": 0, "kills": 1}
    game.step([])
    assert game.phase == "lobby" and game.wants_players_again and game.seats == [] and game.tick == 0


def test_rewards_stay_with_the_name_over_several_games() -> None:
    game = started(3, "icc")
    press(game, p0=A)
    while game.phase != "lobby":
        game.step([])
    game.rejoin_done()
    for name in ("p2", "p0", "p1"):
        game.join(name)
    assert [row[19] for row in field(game, "players")] == [0, 110, 0]
    game.step([])
    assert {account.name: account.counts["games_imposter"] for account in game.accounts()} == {
        "p0": 1,
        "p1": 0,
        "p2": 1,
    }


def test_the_time_limit_ends_meetings_too() -> None:
    for config, phase in (
        ({"voteTimerTicks": 1000}, "voting"),
        ({"voteTimerTicks": 3, "voteResultTicks": 1000}, "vote_result"),
    ):
        game = started(5, "icccc", maxTicks=20, **config)
        game.session.start_meeting()
        phases = []
        while game.phase != "game_over":
            game.step([])
            phases.append(game.phase)
        assert phases[-2] == phase and game.tick - field(game, "gameStartTick") == 20
        assert field(game, "timeLimitReached") == 1 and rewards(game) == [0] * 5


def test_the_tick_in_which_a_vote_times_out_does_not_check_the_time_limit() -> None:
    game = started(5, "icccc", maxTicks=5, voteTimerTicks=5, voteResultTicks=10)
    game.session.start_meeting()
    phases = []
    for _ in range(6):
        game.step([])
        phases.append(game.phase)
    assert phases == ["voting"] * 4 + ["vote_result", "game_over"]


def test_players_after_the_one_who_reports_still_act() -> None:
    game = started(5, "icccc")
    press(game, p0=A)
    reporter = living(game).index(True, 1)
    game.step([A if index == reporter else RIGHT for index in range(5)])
    assert game.phase == "voting"
    assert [player(game, index)["velX"] for index in range(5)] == [0 if index == reporter else 76 for index in range(5)]
    game.step([RIGHT] * 5)
    assert player(game, 4)["velX"] == 76, "players do not walk in a meeting"


def test_an_obstacle_is_passed_on_its_upper_side_first() -> None:
    walk = HALL.walk.copy()
    walk[60, 90] = 0
    game = AmongThem({"minPlayers": 1, "startWaitTicks": 0, "roleRevealTicks": 0}, game_map=replace(HALL, walk=walk))
    game.join("a")
    game.step([])
    while player(game, 0)["x"] < 91:
        assert player(game, 0)["y"] == (60 if player(game, 0)["x"] < 90 else 59)
        game.step([RIGHT])
    while player(game, 0)["x"] < 109:
        game.step([RIGHT])
    game.step([RIGHT])
    stopped = player(game, 0)
    assert (stopped["x"], stopped["carryX"]) == (109, 0) and stopped["velX"] > 0, "a wall keeps the velocity"
