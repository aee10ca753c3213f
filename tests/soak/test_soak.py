"""The soak in small: cases repeat, refusals are judged, and what goes wrong is noticed."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from bitworld.players.among_them.games import PlayedGame
from mettagrid.compiler import CompileError
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator import Simulation
from tests.compat.generator import random_case
from tests.soak import steps
from tests.soak.among_them import interval
from tests.soak.among_them import judge as judge_games
from tests.soak.cases import Case, mutated_case
from tests.soak.invariants import Checker
from tests.soak.judge import is_clean, signature, where
from tests.soak.mutations import WEIGHTS
from tests.soak.play import play
from tests.soak.runner import Died, Worker


def test_the_same_seed_gives_the_same_case() -> None:
    for seed in range(15):
        assert repr(mutated_case(seed)) == repr(mutated_case(seed))


def test_every_kind_of_mutation_occurs() -> None:
    missing = set(WEIGHTS)
    for seed in range(400):
        missing.difference_update(mutated_case(seed).changes)
        if not missing:
            return
    pytest.fail(f"no case has {sorted(missing)}")


def test_a_case_is_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    deep: object = math.inf
    for _ in range(3000):
        deep = [deep]
    for config in ({"deep": deep}, {"half a character": "\ud800", "big": 2**64}):
        case = Case(7, "somewhere", config, ["nest"])
        case.save(tmp_path / "case.json")
        loaded = Case.load(tmp_path / "case.json")
        assert (loaded.seed, loaded.source, loaded.changes) == (7, "somewhere", ["nest"])
        loaded.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_text() == (tmp_path / "case.json").read_text()


@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_mutated_configs_run_or_are_refused() -> None:
    outcomes = [play(mutated_case(seed)) for seed in range(25)]
    assert {outcome.kind for outcome in outcomes} <= {"ran", "stopped", "refused"}
    assert sum(outcome.kind == "ran" for outcome in outcomes) >= 0.3 * len(outcomes)


def raised(function, *arguments, **options) -> Exception:
    with pytest.raises(Exception) as caught:
        function(*arguments, **options)
    return caught.value


def test_expected_errors_count_as_clean() -> None:
    config = MettaGridConfig.EmptyRoom(num_agents=1)
    engine = Simulation(config)._c_sim
    short = [np.zeros(1, np.uint8)] * 5
    for error in (
        raised(MettaGridConfig.model_validate, {"game": 3}),
        raised(Simulation, config, seed=-1),
        raised(MettaGrid, config, [["nobody"]], 0),
        raised(engine.set_buffers, *short),
        raised(Simulation, MettaGridConfig.EmptyRoom(num_agents=200)),
    ):
        assert is_clean(error), repr(error)


def test_internal_errors_do_not_count_as_clean() -> None:
    def endless() -> None:
        endless()

    for error in (
        raised({}.__getitem__, "a key that is missing"),
        raised(np.zeros, -1),
        raised(endless),
        raised("a word".encode, "no such codec"),
        raised(np.random.default_rng, -1),
        raised(bytes, 2**62),
    ):
        assert not is_clean(error), repr(error)
    assert not is_clean(CompileError("", ""))


def test_equal_failures_share_a_signature() -> None:
    first, second = ValueError("no tag 'a' in row 3"), ValueError("no tag 'b' in row 14")
    assert signature(first) == signature(second) == "ValueError: no tag '...' in row N"
    assert where(raised(MettaGridConfig().game.map_builder.create().build_for_num_agents, 99)).startswith(
        "mettagrid.map_builder.map_builder:"
    )


@pytest.fixture
def worker(tmp_path: Path):
    """A process that plays with the engine of the tests, and misbehaves when asked."""
    worker = Worker(sys.executable, {}, tmp_path / "log", looks_for_leaks=False, plants=True)
    yield worker
    worker.stop()


@pytest.mark.slow
def test_a_crashed_worker_is_restarted(worker: Worker) -> None:
    first = worker.ask("3")
    assert first["kind"] == play(mutated_case(3)).kind
    with pytest.raises(Died, match="crash"):
        worker.ask("plant crash")
    again = worker.ask("3")
    assert (again["kind"], again["stage"], worker.starts) == (first["kind"], first["stage"], 2)


@pytest.mark.slow
def test_a_hanging_worker_is_killed(worker: Worker) -> None:
    worker.ask("3")
    worker.seconds = 0.5
    with pytest.raises(Died, match="hang"):
        worker.ask("plant hang")


@pytest.mark.slow
def test_a_saved_case_replays_from_its_file(worker: Worker, tmp_path: Path) -> None:
    case = mutated_case(5)
    case.save(tmp_path / "case.json")
    by_number, by_file = worker.ask("5"), worker.ask(str(tmp_path / "case.json"))
    for key in ("kind", "stage", "error", "changes"):
        assert by_file[key] == by_number[key]


@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_random_steps_keep_the_invariants() -> None:
    config = MettaGridConfig.model_validate(random_case(0).config)
    result = steps.play("generated 0", config, 250, seed=3)
    assert (result.steps, result.checks, result.problems) == (250, 3, [])


def test_broken_invariants_are_reported() -> None:
    engine = Simulation(MettaGridConfig.EmptyRoom(num_agents=2, width=6, height=6))._c_sim
    checker = Checker(engine)
    assert list(checker.problems()) == []
    good = engine.observations().copy()
    unused = engine.observations()[0, -1]
    for token, problem in (
        ([7, 255, 255], "not 255 throughout"),
        ([0x11, 1, 0], "have a gap"),
        ([0x11, 254, 0], "has the feature 254"),
        ([0xEE, 1, 0], "outside the window"),
    ):
        unused[:] = token
        assert problem in " ".join(checker.problems())
    engine.observations()[:] = good

    objects = engine.grid_objects()
    wall, agent = (next(o for o in objects.values() if o["type_name"] == name) for name in ("wall", "agent"))
    engine.grid_objects = lambda: objects
    for change, problem in (
        (lambda: wall["tag_ids"].append(0), "counted under the tag"),
        (lambda: wall.update(r=agent["r"], c=agent["c"]), "2 objects are in the cell"),
        (lambda: agent.update(r=-1), "outside the map"),
        (lambda: agent.update(agent_id=7), "the agents on the map"),
        (lambda: agent.update(inventory={0: 9}, inventory_capacities={0: 5}), "its limit is 5"),
        (lambda: agent.update(inventory={0: 70000}), "holds 70000"),
    ):
        change()
        assert problem in " ".join(checker.problems())


def test_a_game_without_a_winner_and_a_side_that_always_wins_are_failures() -> None:
    crew, imposters, nobody = (PlayedGame(winner, 10, 0, 0, 0, 0, ()) for winner in ("crew", "imposters", "nobody"))
    assert judge_games([crew, imposters]) == []
    assert judge_games([crew, nobody, imposters]) == ["game 1 had no winner"]
    assert judge_games([crew] * 9 + [imposters]) == ["imposters won 10% of the games, not 25% to 75%"]
    low, high = interval(40, 100)
    assert (round(low, 3), round(high, 3)) == (0.309, 0.498)
