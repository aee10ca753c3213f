"""Small networks learn small missions."""

import pytest

from cogames_training.args import TrainArgs
from cogames_training.training import train

SETTINGS = {"parallel_envs": 32, "horizon": 16, "minibatch_size": 128, "update_epochs": 2, "sampling": "sequential"}
SETTINGS |= {"learning_rate": 0.004, "ent_coef": 0.05, "gamma": 0.95, "vf_coef": 0.5, "vf_clip": 0.0}
SETTINGS |= {"threads": 1, "device": "cpu", "schedule": "constant", "total_steps": 60_000}
SETTINGS |= {"evaluation_seeds": 4, "evaluate_every": 5}
BEST = 14.0  # two steps to the mine, then 14 of 16 into it


@pytest.mark.parametrize(
    ("policy", "lines"),
    [
        ("class=stateless", ["#@..M#"]),
        ("class=lstm", ["#@..M#"]),
        ("class=sparse,kw.hidden_size=64,kw.embedding_size=64", ["#@..M#", "#M..@#"]),
    ],
    ids=["stateless", "lstm", "sparse"],
)
def test_a_small_network_learns_a_small_mission(corridor, tmp_path, policy, lines):
    result = train(
        TrainArgs(missions=[corridor(line) for line in lines], policy=policy, seed=1, **SETTINGS),
        checkpoints=tmp_path,
        tell=lambda text: None,
        stop=lambda report: report.evaluation is not None and report.evaluation["score"] > 0.95 * BEST,
    )
    assert result.last is not None and result.last.evaluation is not None
    for mission in result.last.evaluation["missions"].values():
        assert mission["score"] > 0.9 * BEST
