"""Several missions in one run: they rotate, with different numbers of agents and different ids."""

from collections import defaultdict

import numpy as np
import torch

from cogames_training.runs.lines import read_metrics


def play(trainer, rollouts):
    """Return the experiences, with copies of what the next rollout overwrites, and the episodes."""
    found = []
    for _ in range(rollouts):
        experience = trainer.rollout.collect(np.zeros(trainer.sizes.rows, np.int64))
        experience.observations = experience.observations.clone()
        found.append(experience)
    return found, trainer.rollout.take_episodes()


def test_world_i_begins_with_mission_i_and_takes_the_next_at_each_reset(small_trainer, corridor):
    missions = [corridor("#@..M#", steps=steps) for steps in (3, 4, 5)]
    trainer = small_trainer(missions=missions, cogs=None, policy="class=sparse", parallel_envs=4, horizon=10)
    _, episodes = play(trainer, 3)
    tasks = defaultdict(list)
    for episode in episodes:
        tasks[episode.world].append(episode.task)
        assert episode.steps == 3 + episode.task or not episode.is_whole
    assert sorted(tasks) == [0, 1, 2, 3]
    for world, played in tasks.items():
        assert len(played) >= 5
        assert played == [(world + number) % 3 for number in range(len(played))]


def test_a_run_reports_every_mission(small_run, corridor):
    missions = [corridor("#@..M#", steps=steps) for steps in (3, 4)]
    result = small_run(missions=missions, cogs=None, policy="class=sparse", total_steps=64)
    names = {name for report in read_metrics(result.run) for name in report.episode if name.startswith("reward/")}
    assert len(names) == 2


def test_missions_may_have_different_numbers_of_agents(small_trainer, corridor):
    missions = [corridor("#@..M.@#", steps=3), corridor("#@..M..#", steps=4)]
    trainer = small_trainer(missions=missions, cogs=None, policy="class=sparse", horizon=14)
    (experience,), episodes = play(trainer, 1)
    assert {(episode.task, len(episode.rewards)) for episode in episodes} == {(0, 2), (1, 1)}
    second = experience.weights[1::2] > 0  # the second row of each world, which only the first mission uses
    assert second.any() and not second.all()
    assert not experience.steps.rewards[1::2][~second].any()
    begins = experience.resets[1::2]
    returns = second[:, 1:] & ~second[:, :-1]
    assert returns.any() and begins[:, 1:][returns].all()  # its agent begins without the memory of an earlier one


def test_the_same_cell_gives_the_same_tokens_on_missions_with_other_ids(small_trainer, corridor):
    missions = [corridor("#@..M#"), corridor("#@..M#", extra=True)]
    trainer = small_trainer(missions=missions, cogs=None, policy="class=sparse", horizon=1)
    worlds = trainer.rollout.parts[0].worlds
    raw = worlds.observations.copy()
    (experience,), _ = play(trainer, 1)
    first, second = (_tokens(row) for row in experience.observations[:, 0])
    assert _tokens(torch.from_numpy(raw[0])) != _tokens(torch.from_numpy(raw[1]))
    assert first == second and len(first) > 8


def _tokens(row):
    return sorted(tuple(token) for token in row.tolist() if token[0] != 255)
