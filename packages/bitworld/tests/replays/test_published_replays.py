"""Published replay files of Among Them play to the recorded states when the recorded map is loaded."""

from pathlib import Path

import pytest

from bitworld.errors import BadReplay
from bitworld.replays import ReplayGame, read_replay


def playback(oracle_dir: Path, name: str) -> ReplayGame:
    folder = oracle_dir / "bitworld"
    replay = read_replay((folder / "replays" / f"{name}.bitreplay").read_bytes())
    return ReplayGame(replay, more_config={"mapPath": str(folder / "map" / "map.json")})


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("g01_default8", 4313),
        ("g07_three_games", 3982),  # the published reader stops after the first of three games, at tick 1426
        ("g14_leave_in_vote", 3883),
        ("live_leave_in_vote", 1574),  # the published reader stops at tick 190
        ("live_server", 1754),
    ],
)
def test_a_published_replay_leads_to_every_recorded_state(oracle_dir: Path, name: str, steps: int) -> None:
    game = playback(oracle_dir, name)
    assert game.length == steps
    game.seek(steps)
    last = game.game.state_hash()
    for position in (steps // 2, 1, steps):
        game.seek(position)
        assert game.position == position
    assert game.game.state_hash() == last


def test_a_published_replay_with_chat_differs_at_the_tick_of_the_message(oracle_dir: Path) -> None:
    game = playback(oracle_dir, "g05_chat_breaks")
    with pytest.raises(BadReplay, match="differs at tick 16:"):
        game.seek(game.length)
    assert game.position == 15
