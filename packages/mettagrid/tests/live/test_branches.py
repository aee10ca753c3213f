"""Branches of a live game."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mettagrid.live import BadOrder, BranchFailed, Clock, LiveGame, LiveRenderer
from mettagrid.runner.episode import play_episode
from mettagrid.simulator.interface import SimulatorEventHandler

from .conftest import plan_of, serve_game, until


@pytest.mark.parametrize("policy", ["random", "noop"])
def test_an_unchanged_branch_is_the_game_again_state_by_state(policy: str) -> None:
    with LiveGame(plan_of(policy, agents=4, steps=120), clock=Clock(steps_per_second=1000)) as game:
        game.start()
        main = game.lines[0].renderer
        main.clock.step(60)
        until(lambda: main.feed.tick == 60, "60 steps")
        branch = game.lines[game.branch(0, 25)].renderer
        assert (branch.feed.tick, branch.clock.paused, main.clock.paused) == (25, True, True)
        for renderer in (branch, main):  # both at once: neither draws what the other should
            renderer.clock.play()
        until(lambda: branch.done and main.done, "the end of both")
        assert branch.feed.hashes == main.feed.hashes
        assert branch.feed.whole() == main.feed.whole()
        outcome = game.wait()
    assert outcome is not None
    assert outcome.compared() == play_episode(plan_of(policy, agents=4, steps=120)).compared()


def test_a_branch_differs_after_its_tick_only_and_leaves_the_game_alone() -> None:
    with serve_game(plan_of("random", steps=60)) as table:
        admin = table.open("/admin")
        admin.ask("step", count=20)
        until(lambda: table.tick == 20, "20 steps")
        watcher = table.open("/global")
        made = admin.ask("branch", tick=10)
        assert (made["type"], made["line"]) == ("ok", 1)
        lines = watcher.next("lines")["lines"]
        assert lines == [{"line": 0, "parent": None, "tick": 0}, {"line": 1, "parent": 0, "tick": 10}]
        player = table.open("/player", slot=0, line=1)
        player.send("takeover")
        player.send("order", x=0, y=1, mode="repeat")
        until(lambda: table.game.lines[1].renderer.controls.seats[0].orders, "the order")
        for line in (0, 1):
            admin.ask("resume", line=line)
        main, branch = table.game.lines[0].renderer, table.game.lines[1].renderer
        until(lambda: branch.feed.tick >= 30 and main.done, "both going on")
        same = [a == b for a, b in zip(main.feed.hashes, branch.feed.hashes, strict=False)]
        assert all(same[:11])
        assert not any(same[11:])
        assert admin.ask("close_line", line=1)["type"] == "ok"
        assert watcher.next("lines")["lines"] == lines[:1]
        outcome = table.game.wait()
    assert outcome is not None
    assert outcome.compared() == play_episode(plan_of("random", steps=60)).compared()


def test_a_branch_remembers_what_people_did_and_said() -> None:
    with LiveGame(plan_of(agents=1), clock=Clock(steps_per_second=1000)) as game:
        game.start()
        main = game.lines[0].renderer
        main.controls.take(0, "me")
        main.controls.act(0, "me", "move_east", vibe="heart_a", talk="hello")
        main.controls.act(0, "me", "move_south")
        main.clock.step(2)
        until(lambda: main.feed.tick == 2, "the steps")
        branch = game.lines[game.branch(0, 2)].renderer
        assert branch.feed.hashes == main.feed.hashes
        assert branch._sim.talk_states() == main._sim.talk_states() != {}


def test_branches_have_branches_and_can_be_closed() -> None:
    with LiveGame(plan_of("random")) as game:
        game.start()
        first = game.branch(0, 0)
        game.lines[first].renderer.clock.step(5)
        until(lambda: game.lines[first].renderer.feed.tick == 5, "the steps")
        second = game.branch(first, 3)
        assert game.listed()[-1] == {"line": second, "parent": first, "tick": 3}
        game.close_line(first)
        assert [line["line"] for line in game.listed()] == [0, second]
        with pytest.raises(BadOrder, match=r"^There is no line 1 of this game$"):
            game.close_line(first)
        with pytest.raises(BadOrder, match="Line 0 is the game itself"):
            game.close_line(0)


@pytest.mark.parametrize("tick", [-1, 3])
def test_a_tick_that_is_not_there_cannot_be_branched_from(tick: int) -> None:
    with LiveGame(plan_of()) as game:
        game.start()
        game.lines[0].renderer.clock.step(2)
        until(lambda: game.lines[0].renderer.feed.tick == 2, "the steps")
        with pytest.raises(BadOrder, match=rf"^Line 0 can branch at ticks 0 to 2, not {tick}$"):
            game.branch(0, tick)


def test_a_game_that_is_changed_past_its_actions_cannot_be_branched() -> None:
    class Meddler(SimulatorEventHandler):
        def on_step(self) -> None:
            if self._sim.current_step == 4 and len(made) == 1:  # in the game, and not when it is played again
                wall = next(iter(self._sim.grid_objects().values()))
                wall["remove_tag"](wall["tag_ids"][0])

    made: list[Meddler] = []

    def handlers(renderer: LiveRenderer) -> Sequence[SimulatorEventHandler]:
        made.append(Meddler())
        return made[-1:]

    with LiveGame(plan_of("random"), handlers=handlers) as game:
        game.start()
        main = game.lines[0].renderer
        main.clock.step(5)
        until(lambda: main.feed.tick == 5, "the steps")
        with pytest.raises(BranchFailed, match="led to a different state at tick 4"):
            game.branch(0, 5)
        assert list(game.lines) == [0]


def test_the_callers_random_generators_stay_as_they_were() -> None:
    random.seed(5)
    np.random.seed(5)
    expected = (random.random(), float(np.random.random()))
    random.seed(5)
    np.random.seed(5)
    with LiveGame(plan_of("random", steps=20), clock=Clock(steps_per_second=1000)) as game:
        game.start()
        game.branch(0, 0)
        game.lines[0].renderer.clock.play()
        game.wait()
    assert (random.random(), float(np.random.random())) == expected


def test_handlers_are_made_for_each_line_and_see_each_step() -> None:
    seen: list[list[int]] = []

    class Handler(SimulatorEventHandler):
        def __init__(self, steps: list[int]) -> None:
            super().__init__()
            self.steps = steps

        def on_step(self) -> None:
            self.steps.append(self._sim.current_step)

    def handlers(renderer: LiveRenderer) -> Sequence[SimulatorEventHandler]:
        seen.append([])
        return [Handler(seen[-1])]

    with LiveGame(plan_of(), handlers=handlers) as game:
        game.start()
        game.lines[0].renderer.clock.step(3)
        until(lambda: game.lines[0].renderer.feed.tick == 3, "the steps")
        game.branch(0, 2)
        assert seen == [[1, 2, 3], [1, 2]]


def test_a_game_that_is_closed_does_not_wait_for_a_branch_that_is_being_made() -> None:
    plan = plan_of("random", steps=1_000_000)
    waits = threading.Event()

    class Slow(SimulatorEventHandler):
        """A branch that takes too long to wait for."""

        def on_step(self) -> None:
            if threading.current_thread().name == "line-1":
                waits.set()
                time.sleep(0.2)

    clock = Clock(paused=False, steps_per_second=1000)
    with LiveGame(plan, clock=clock, handlers=lambda renderer: [Slow()]) as game, ThreadPoolExecutor() as pool:
        game.start()
        until(lambda: game.lines[0].renderer.feed.tick > 500, "500 steps")
        branch = pool.submit(game.branch, 0, 500)
        assert waits.wait(20)
        game.close()
        with pytest.raises(BranchFailed, match="The branch ended before its tick"):
            branch.result(20)
        with pytest.raises(BadOrder, match="The game is over"):
            game.branch(0, 1)
