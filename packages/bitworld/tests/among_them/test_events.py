"""Events of Among Them, as a replay page lists them."""

from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.events import AmongThemWatcher
from packages.bitworld.tests.among_them.hall import DOWN, A, field, player, started


class Watched:
    """A game whose events are collected."""

    def __init__(self, game: AmongThem) -> None:
        self.game = game
        self.watcher: AmongThemWatcher = game.watcher()
        self.events: list[tuple[str, str, str]] = []
        self.step()

    def step(self, **masks: int) -> None:
        held = [masks.get(f"p{player}", 0) for player in range(len(self.game.seats))]
        self.game.step(held)
        for event in self.watcher.look(self.game, held):
            self.events.append((event.kind, event.player, event.text))

    def press(self, **masks: int) -> None:
        self.step(**masks)
        self.step()

    def vote(self, index: int, target: int | None) -> None:
        goal = len(self.game.seats) if target is None else target
        while field(self.game, "cursor")[index] != goal:
            self.press(**{f"p{index}": DOWN})
        self.press(**{f"p{index}": A})


def test_a_game_is_told_from_the_first_kill_to_the_verdict() -> None:
    watched = Watched(started(6, "iccccc", killRange=40, voteResultTicks=3))
    watched.press(p0=A)
    dead = [index for index in range(6) if not player(watched.game, index)["alive"]]
    assert watched.events == [("kill", "p0", f"p0 killed p{dead[0]}")]
    watched.events.clear()
    alive = [index for index in range(1, 6) if index not in dead]
    watched.press(**{f"p{alive[0]}": A})
    assert watched.events == [("meeting", f"p{alive[0]}", f"p{alive[0]} reported a body")]
    watched.events.clear()
    for voter in alive:
        watched.vote(voter, 0)
    watched.vote(0, None)
    while watched.game.phase != "game_over":
        watched.step()
    votes = [("vote", f"p{voter}", f"p{voter} voted for p0") for voter in alive]
    assert watched.events == [
        *votes,
        ("vote", "p0", "p0 voted to skip"),
        ("ejection", "p0", "p0 was ejected, an imposter"),
        ("win", "", "The crew wins"),
    ]


def test_tasks_and_a_tied_vote_are_listed() -> None:
    watched = Watched(started(5, "icccc", killCooldownTicks=1000, voteTimerTicks=3))
    for _ in range(3):
        watched.step(p1=A)
    assert watched.events == [("task", "p1", "p1 finished a task")]
    watched.events.clear()
    watched.game.session.start_meeting()
    while watched.game.phase != "playing":
        watched.step()
    assert watched.events[-1] == ("ejection", "", "No player was ejected")


def test_every_player_has_the_colour_of_its_slot() -> None:
    game = started(3, "icc")
    watcher = game.watcher()
    assert [watcher.colour(game, index) for index in range(3)] == [3, 7, 8]
