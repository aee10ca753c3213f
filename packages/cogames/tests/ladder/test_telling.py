"""Games to watch, from a ladder whose scores are written by hand."""

import pytest

from cogames.ladder import Entrant, Ladder, LadderMission
from cogames.ladder.duels import judge
from cogames.ladder.games import DuelKey, Game
from cogames.ladder.pairing import all_pairs
from cogames.ladder.records import GameRecord, Side
from cogames.ladder.summary import make_results
from cogames.ladder.telling import TellingGame, choose_games
from mettagrid.config.mettagrid_config import MettaGridConfig

SCORES = {"strong": [5.0, 5.0, 1.0], "middle": [4.0, 2.0, 2.0], "weak": [1.0, 1.0, 1.9]}
NAMES = list(SCORES)


def watched(failed: tuple[int, int] | None = None, count: int = 10) -> list[tuple[str, str, int]]:
    """Return title, policy and map of each chosen game; `failed` is an entrant and a map on which it crashes."""
    mission = LadderMission("room", MettaGridConfig.EmptyRoom(num_agents=2), "solo", {0: ""}, "digest")
    ladder = Ladder([Entrant(name, name, "digest") for name in NAMES], [mission], maps=3)
    records = {}
    for entrant, name in enumerate(NAMES):
        for number, score in enumerate(SCORES[name]):
            status = "crashed" if failed == (entrant, number) else "ok"
            side = Side(entrant=entrant, score=score, status=status, stats={})  # type: ignore[arg-type]
            game = Game(0, number, (entrant,))
            records[game] = GameRecord(game=game.key, seed=1, steps=1, sides=[side], last_words=[""])
    keys = [DuelKey(pair, 0, number) for pair in all_pairs(3) for number in range(3)]
    duels = [judge(ladder, key, records) for key in keys]
    results = make_results(ladder, duels, records)
    assert [standing.name for standing in results.standings] == NAMES
    chosen: list[TellingGame] = choose_games(ladder, results, duels, records, count)
    return [(each.title, NAMES[each.game.entrants[0]], each.game.number) for each in chosen]


def test_the_top_pairing_upsets_and_margins_are_chosen_with_the_winner_first() -> None:
    assert watched() == [
        ("The first against the second", "strong", 1),
        ("The first against the second", "middle", 1),
        ("The greatest upset", "weak", 2),
        ("The greatest upset", "strong", 2),
        ("The closest duel", "middle", 2),
        ("The clearest duel", "strong", 0),
        ("The clearest duel", "weak", 0),
    ]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_no_more_games_are_chosen_than_asked_for(count: int) -> None:
    assert watched(count=count) == watched()[:count]


def test_a_failure_is_shown_and_is_no_upset() -> None:
    games = watched(failed=(1, 2))
    assert games[2] == ("A failure", "middle", 2)
    assert ("The greatest upset", "weak", 2) in games
