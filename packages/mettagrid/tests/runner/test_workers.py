"""Episodes in several processes: the same bytes, and what happens when a process dies."""

import logging
import os
import subprocess

import pytest

from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import (
    EpisodeError,
    EpisodePlan,
    EpisodeWorkerError,
    PolicyLoadError,
    Verdict,
    plan_episodes,
    play_episodes,
    workers,
)

NOOP = PolicySpec(class_path="noop")


@pytest.fixture
def started(monkeypatch):
    """The worker processes that were started."""
    processes = []
    popen = subprocess.Popen

    def start(*args, **kwargs):
        processes.append(popen(*args, **kwargs))
        return processes[-1]

    monkeypatch.setattr(workers.subprocess, "Popen", start)
    return processes


def test_one_and_two_workers_give_the_same_bytes(room, stand_in, tmp_path):
    policies, replays = [stand_in("Gambler"), stand_in("Walker")], {}
    compared = {}
    for count in (1, 2):
        folder = tmp_path / str(count)
        folder.mkdir()
        paths = [folder / f"{number}.json.z" for number in range(3)]
        plans = plan_episodes(room(4, steps=12), policies, [0, 0, 1, 1], episodes=3, seed=42, replay_paths=paths)
        outcomes = play_episodes(plans, workers=count)
        assert [outcome.replay_path for outcome in outcomes] == [str(path) for path in paths]
        compared[count] = [outcome.compared() for outcome in outcomes]
        replays[count] = [path.read_bytes() for path in paths]
    assert compared[1] == compared[2]
    assert replays[1] == replays[2]


def test_quick_episodes_are_played_here(room, started):
    play_episodes(plan_episodes(room(2, steps=2), [NOOP], [0, 0], episodes=5, seed=1))
    assert started == []


def test_long_evaluations_get_workers_when_there_are_cores(room, started, monkeypatch):
    monkeypatch.setattr(workers, "WORTH_WORKERS_SECONDS", 0.0)
    monkeypatch.setattr(workers.os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    outcomes = play_episodes(plan_episodes(room(2, steps=2), [NOOP], [0, 0], episodes=3, seed=1))
    assert [outcome.seed for outcome in outcomes] == [1, 2, 3]
    assert len(started) == 2
    assert all(process.returncode == 0 for process in started)


def test_progress_is_told_as_episodes_end(room):
    told = {}
    plans = plan_episodes(room(2, steps=2), [NOOP], [0, 0], episodes=3, seed=1)
    outcomes = play_episodes(plans, workers=2, on_progress=told.__setitem__)
    assert [told[number] for number in range(3)] == outcomes


def test_a_worker_that_dies_is_reported_and_its_episode_played_again(room, stand_in, tmp_path, caplog):
    killer = stand_in("Killer", once=str(tmp_path / "dead"))
    plans = plan_episodes(room(2, steps=6), [killer, NOOP], [0, 1], episodes=2, seed=1)
    with caplog.at_level(logging.WARNING):
        outcomes = play_episodes(plans, workers=2)
    assert [outcome.verdicts for outcome in outcomes] == [[Verdict(), Verdict()]] * 2
    (report,) = (record.getMessage() for record in caplog.records)
    assert "signal 9 (SIGKILL) while Killer was running" in report


def test_a_policy_that_kills_its_process_twice_is_barred_from_the_episode(room, stand_in):
    plans = plan_episodes(room(2, steps=6), [NOOP, stand_in("Killer"), stand_in("Walker")], [1, 2], episodes=2, seed=1)
    outcomes = play_episodes(plans, workers=2)
    for outcome in outcomes:
        assert outcome.verdicts[1] == Verdict(status="killed", message="its process was ended by signal 9 (SIGKILL)")
        assert outcome.verdicts[2] == Verdict()
        assert outcome.steps == 6


def test_one_worker_outside_this_process_survives_a_policy_that_kills_its_process(room, stand_in, started):
    plans = plan_episodes(room(2, steps=6), [stand_in("Killer"), NOOP], [0, 1], episodes=1, seed=1)
    (outcome,) = play_episodes(plans, workers=1, in_this_process=False)
    assert [verdict.status for verdict in outcome.verdicts] == ["killed", "ok"]
    assert len(started) == 3  # two deaths, then without the policy


def test_a_worker_that_dies_before_its_replays_are_written_has_them_played_again(room, stand_in, tmp_path):
    killer = stand_in("Killer", once=str(tmp_path / "dead"))
    paths = [tmp_path / f"{number}.json.z" for number in range(3)]
    plans = plan_episodes(room(2, steps=6), [killer], [0, 0], episodes=3, seed=1, replay_paths=paths)
    play_episodes(plans, workers=2)
    assert all(path.exists() for path in paths)


def test_workers_that_die_with_nobody_to_blame_end_the_evaluation(room, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/nonexistent")
    monkeypatch.setattr(workers.sys, "executable", "/bin/false")
    with pytest.raises(EpisodeWorkerError, match="no policy is at fault"):
        play_episodes(plan_episodes(room(2, steps=2), [NOOP], [0, 0], episodes=2, seed=1), workers=2)


def test_a_policy_that_cannot_be_made_is_told_as_it_is_in_process(room, stand_in, started):
    plans = plan_episodes(room(2, steps=2), [stand_in("BadAtBirth")], [0, 0], episodes=3, seed=1)
    with pytest.raises(PolicyLoadError, match="RuntimeError: no weights"):
        play_episodes(plans, workers=2)
    assert all(process.poll() is not None for process in started)


def test_an_interrupt_ends_the_workers(room, stand_in, started):
    def interrupt(number, outcome):
        raise KeyboardInterrupt

    plans = plan_episodes(room(2, steps=3), [stand_in("Walker")], [0, 0], episodes=4, seed=1)
    with pytest.raises(KeyboardInterrupt):
        play_episodes(plans, workers=2, on_progress=interrupt)
    assert len(started) == 2
    assert all(process.poll() is not None for process in started)


def test_a_plan_that_cannot_be_sent_says_why(room):
    class Local:
        name = "local"

        def open(self):
            raise NotImplementedError

    plans = [EpisodePlan(room(2, steps=2), [Local()], [0, 0], seed=seed) for seed in range(2)]
    with pytest.raises(EpisodeError, match="workers=1"):
        play_episodes(plans, workers=2)


def test_what_policies_print_in_workers_is_no_output(room, stand_in, capfd):
    plans = plan_episodes(room(2, steps=1), [stand_in("Secretive")], [0, 0], episodes=2, seed=1)
    play_episodes(plans, workers=2)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("{}") == 2


def test_workers_find_what_this_process_can_import(room, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("from stand_in_policies import Walker as Mine\n")
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.syspath_prepend(str(tmp_path))
    plans = plan_episodes(room(2, steps=2), [PolicySpec(class_path="only_here.Mine")], [0, 0], episodes=2, seed=1)
    assert [outcome.steps for outcome in play_episodes(plans, workers=2)] == [2, 2]
    assert os.environ.get("PYTHONPATH") is None
