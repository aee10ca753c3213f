"""The published names of metrics, as the specification of training lists them."""

import pytest

from cogames_training.reports.names import RecipeMetrics, tutorial_metrics

from .conftest import report

PERFORMANCE = "eval eval_forward env eval_copy eval_misc train train_forward learn train_copy train_misc".split()
LOSSES = "policy_loss value_loss entropy old_approx_kl approx_kl clipfrac importance explained_variance".split()
EPISODE = {
    "reward": 2.0,
    "length": 100.0,
    "env_agent/heart.gained": 3.0,
    "env_game/junctions": 4.0,
    "env_collective/cogs/aligned.junction.held": 5.0,
}


def test_the_tutorial_has_its_published_names() -> None:
    metrics = tutorial_metrics(report(3, losses=dict.fromkeys(LOSSES, 0.5), episode=EPISODE))
    expected = {"SPS", "agent_steps", "uptime", "epoch", "learning_rate"}
    expected |= {f"performance/{name}" for name in PERFORMANCE} | {f"losses/{name}" for name in LOSSES}
    expected |= {f"environment/{name}" for name in EPISODE}
    assert metrics.keys() == expected
    assert metrics["SPS"] == 500.0 and metrics["agent_steps"] == 3000.0 and metrics["environment/reward"] == 2.0


def test_the_times_of_the_tutorial_add_up() -> None:
    metrics = tutorial_metrics(report(1))
    parts = ("eval_forward", "env", "eval_copy", "eval_misc")
    assert metrics["performance/eval"] == pytest.approx(sum(metrics[f"performance/{name}"] for name in parts))
    parts = ("train_forward", "learn", "train_copy", "train_misc")
    assert metrics["performance/train"] == pytest.approx(sum(metrics[f"performance/{name}"] for name in parts))
    assert metrics["performance/eval"] + metrics["performance/train"] == pytest.approx(2.0)


def test_recipes_have_their_published_names() -> None:
    names = RecipeMetrics()
    names.set_checkpoint(30, "file:///runs/a:v30")
    metrics = names(
        report(
            3,
            episode=EPISODE,
            experience={"ppo_rows": 5.0},
            hyperparameters={"ent_coef": 0.1},
            phases={"env": 0.5, "learn": 1.5},
        )
    )
    estimate = "overview/avg_reward_estimate"
    expected = {"overview/reward", "overview/reward_vs_total_time", estimate, f"{estimate}_min", f"{estimate}_max"}
    expected |= {f"losses/{name}" for name in ("policy_loss", "value_loss", "entropy", "approx_kl")}
    expected |= {"experience/ppo_rows", "hyperparameters/ent_coef", "hyperparameters/learning_rate"}
    for name in EPISODE:
        expected |= {name, f"{name}.avg"} if name.startswith("env_") else set()
    expected |= {f"metric/{name}" for name in ("agent_step", "epoch", "total_time", "train_time")}
    for kind in ("per_epoch", "cumulative"):
        expected |= {f"timing_{kind}/{unit}/{phase}" for unit in ("frac", "msec") for phase in ("env", "learn")}
        expected |= {f"timing_{kind}/sps"}
    assert metrics.keys() == expected | {"checkpoint/latest_epoch"}
    assert metrics["timing_per_epoch/frac/env"] == 0.25 and metrics["timing_per_epoch/msec/env"] == 500.0
    assert metrics["checkpoint/latest_epoch"] == 30.0
    assert names.texts() == {"checkpoint/latest_uri": "file:///runs/a:v30"}


def test_means_with_avg_are_over_five_epochs() -> None:
    names = RecipeMetrics()
    for epoch in range(1, 9):
        metrics = names(report(epoch))
    assert metrics["env_agent/heart.gained"] == 8.0
    assert metrics["env_agent/heart.gained.avg"] == pytest.approx((4 + 5 + 6 + 7 + 8) / 5)
    quiet = names(report(9, episode={}, episodes=0))
    assert "env_agent/heart.gained" not in quiet and quiet["env_agent/heart.gained.avg"] == pytest.approx(6.0)


def test_totals_grow_and_evaluations_do_not_count_as_training() -> None:
    names = RecipeMetrics()
    names(report(1, phases={"learn": 1.0, "evaluate": 1.0}))
    metrics = names(report(2, phases={"learn": 2.0}))
    assert metrics["timing_cumulative/msec/learn"] == 3000.0 and metrics["timing_cumulative/frac/learn"] == 0.75
    assert metrics["metric/total_time"] == 4.0 and metrics["metric/train_time"] == 3.0


@pytest.mark.parametrize("name", ["agent_3/reward", "agent/3", "env_agent/0/heart.gained", "per_agent/1", "agent.2"])
def test_statistics_of_single_agents_are_left_out(name: str) -> None:
    episode = {"reward": 1.0, name: 2.0, "env_agent/heart.3.gained": 1.0}
    for metrics in (tutorial_metrics(report(1, episode=episode)), RecipeMetrics()(report(1, episode=episode))):
        assert not [key for key in metrics if name in key]
        assert [key for key in metrics if "heart.3.gained" in key]


def test_evaluations_have_their_scores_and_those_of_each_mission() -> None:
    evaluation = {"score": 1.0, "low": 0.5, "high": None, "missions": {"arena": {"score": 2.0, "low": 1}}}
    metrics = RecipeMetrics()(report(1, evaluation=evaluation))
    found = {name: value for name, value in metrics.items() if name.startswith("eval/")}
    assert found == {"eval/score": 1.0, "eval/low": 0.5, "eval/arena/score": 2.0, "eval/arena/low": 1.0}
