"""Tasks, and the algorithms that choose them."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from cogames import missions
from cogames_training.args import SettingError
from cogames_training.curriculum import DiscreteRandom, LearningProgress, LearningProgressSettings, make_curriculum
from cogames_training.tasks import Task, bucketed, make_tasks
from mettagrid.config.mettagrid_config import MettaGridConfig


@pytest.fixture(scope="module")
def arena() -> MettaGridConfig:
    return missions.load("arena", cogs=2)


def tasks(config: MettaGridConfig, count: int) -> list[Task]:
    return [Task(f"task {number}", config) for number in range(count)]


def test_worlds_begin_with_different_missions_and_take_the_next_at_each_reset(arena: MettaGridConfig) -> None:
    rotation = make_curriculum("rotation", tasks(arena, 3), seed=0)
    assert [rotation.next_task(world, 0) for world in range(5)] == [0, 1, 2, 0, 1]
    assert [rotation.next_task(1, episode) for episode in range(4)] == [1, 2, 0, 1]


def test_random_choices_follow_the_weights_and_the_seed(arena: MettaGridConfig) -> None:
    parts = [Task("rare", arena, 1), Task("frequent", arena, 3)]
    first, second, other = (DiscreteRandom(parts, seed=seed) for seed in (5, 5, 6))
    drawn = [[each.next_task(world, 3) for world in range(2000)] for each in (first, second, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert 0.7 < np.mean(drawn[0]) < 0.8


def test_a_set_divides_the_weight_of_a_part_among_its_tasks(arena: MettaGridConfig) -> None:
    generator = {
        "set": [
            {"tasks": {"bucketed": {"mission": "arena", "buckets": {"game.max_steps": [10, 20]}}}, "weight": 3},
            {"tasks": {"single": "other"}},
        ]
    }
    made = make_tasks([("arena", arena), ("other", arena)], generator)
    assert [(task.name, task.weight) for task in made] == [
        ("arena[max_steps=10]", 1.5),
        ("arena[max_steps=20]", 1.5),
        ("other", 1),
    ]
    assert [task.config.game.max_steps for task in made[:2]] == [10, 20]
    weighted = make_tasks([("arena", arena), ("other", arena)], {"set": {"arena": 1, "other": 4}})
    assert [task.weight for task in weighted] == [1, 4]


def test_buckets_give_all_combinations_or_a_seeded_choice(arena: MettaGridConfig) -> None:
    few = bucketed("a", arena, {"game.max_steps": [1, 2], "game.obs.width": [3, 5]})
    assert [(task.config.game.max_steps, task.config.game.obs.width) for task in few] == [
        (1, 3),
        (1, 5),
        (2, 3),
        (2, 5),
    ]
    ranges = {"game.max_steps": {"range": [100, 10_000]}, "game.obs.width": [3, 5]}
    first, second, other = (
        [task.name for task in bucketed("a", arena, ranges, count=20, seed=seed)] for seed in (1, 1, 2)
    )
    assert first == second != other
    assert len(set(first)) == 20
    assert arena.game.max_steps not in (1, 2)


def test_a_bucket_may_name_items_of_lists_and_mappings(arena: MettaGridConfig) -> None:
    first = arena.game.agents[0]
    assert first.inventory.initial is not None
    (task,) = bucketed("a", arena, {"game.agents.0.team_id": 3})
    assert task.config.game.agents[0].team_id == 3


@pytest.mark.parametrize(
    ("generator", "says"),
    [
        ({"bucketed": {"buckets": {"game.colour": [1]}}}, "has no 'colour' there"),
        ({"bucketed": {"buckets": {"game.max_steps": ["many"]}}}, "'many'"),
        ({"bucketed": {"buckets": {"game.max_steps": {"range": [5, 1]}}}}, "LOW below HIGH"),
        ({"bucketed": {"buckets": {}}}, "at least one path"),
        ({"bucketed": {"bucket": {}}}, "is not a key"),
        ({"single": "machina_1"}, "not one of the run's missions: arena"),
        ({"set": {"arena": 0}}, "above 0"),
        ({"sample": []}, "is not a generator"),
        ({}, "write one of"),
    ],
)
def test_generators_that_cannot_work_are_refused(
    arena: MettaGridConfig, generator: dict[str, object], says: str
) -> None:
    with pytest.raises(SettingError, match=says):
        make_tasks([("arena", arena)], generator)


def test_merged_tasks_keep_their_order(arena: MettaGridConfig) -> None:
    known = [("arena", arena), ("other", arena)]
    made = make_tasks(known, {"merge": [{"single": "other"}, {"single": "arena"}]})
    assert [task.name for task in made] == ["other", "arena"]
    assert [task.name for task in make_tasks(known)] == ["arena", "other"]


def test_the_task_whose_scores_change_is_chosen_most(arena: MettaGridConfig) -> None:
    curriculum = LearningProgress(tasks(arena, 3), seed=1, settings=LearningProgressSettings(ema_timescale=0.05))
    for number in range(100):
        curriculum.finished(0, 0.0)
        curriculum.finished(1, number / 100)
        curriculum.finished(2, 1.0)
    chosen = Counter(curriculum.next_task(world, 0) for world in range(1000))
    assert curriculum.progress()[1] == 1
    assert chosen[1] > 750  # 75 % by progress, and a third of the rest
    assert chosen[0] > 50
    assert chosen[2] > 50


def test_tasks_that_were_not_played_yet_are_explored(arena: MettaGridConfig) -> None:
    curriculum = LearningProgress(tasks(arena, 2), seed=1, settings=LearningProgressSettings(rand_task_rate=0))
    for _ in range(3):
        curriculum.finished(0, 1.0)
    assert list(curriculum.probabilities()) == [0, 1]


def test_the_task_with_the_least_progress_makes_room_for_a_waiting_one(arena: MettaGridConfig) -> None:
    settings = LearningProgressSettings(num_active_tasks=2, min_presentations_for_eviction=5, ema_timescale=0.1)
    curriculum = LearningProgress(tasks(arena, 4), seed=1, settings=settings)
    dull, lively = curriculum.active
    for number in range(4):
        curriculum.finished(dull, 0.0)
        curriculum.finished(lively, float(number))
    assert curriculum.active == sorted([dull, lively])
    curriculum.finished(dull, 0.0)
    assert dull not in curriculum.active
    assert lively in curriculum.active
    assert len(curriculum.active) == 2


def test_learning_progress_continues_from_its_state(arena: MettaGridConfig) -> None:
    settings = {"num_active_tasks": 3, "ema_timescale": 0.1}
    first, second = (make_curriculum("learning_progress", tasks(arena, 8), seed=4, settings=settings) for _ in range(2))
    draw = np.random.default_rng(0)
    for episode in range(40):
        first.finished(first.next_task(0, episode), float(draw.random()))
    second.load_state(json.loads(json.dumps(first.state())))
    for episode in range(40, 80):
        assert first.next_task(1, episode) == second.next_task(1, episode)
        score = float(draw.random())
        for each in (first, second):
            each.finished(each.next_task(0, episode), score)
    assert first.state() == second.state()
    with pytest.raises(SettingError, match="8 tasks, not 2"):
        make_curriculum("learning_progress", tasks(arena, 2), seed=4).load_state(first.state())


def test_settings_that_cannot_work_are_refused(arena: MettaGridConfig) -> None:
    with pytest.raises(SettingError, match="is not a setting"):
        make_curriculum("learning_progress", tasks(arena, 2), seed=0, settings={"memoy": 3})
    with pytest.raises(SettingError, match=r"below 0\.5"):
        make_curriculum("learning_progress", tasks(arena, 2), seed=0, settings={"progress_smoothing": 0.5})
    with pytest.raises(SettingError, match="need the curriculum learning_progress"):
        make_curriculum("rotation", tasks(arena, 2), seed=0, settings={"memory": 3})
    with pytest.raises(SettingError, match="1 to 1000 tasks"):
        make_curriculum("rotation", [], seed=0)
