"""Teachers: how many rows they lead, all modes, and that a student learns from one."""

import math

import numpy as np
import pytest

from cogames_training.args import SettingError
from cogames_training.experience import Kind
from cogames_training.runs.lines import read_metrics
from cogames_training.teaching import draw_kinds

MODES = [
    "sliced_cloner",
    "sliced_cloner_no_ppo",
    "supervisor",
    "kickstarter",
    "logit_kickstarter",
    "sliced_kickstarter",
    "eer_kickstarter",
    "eer_cloner",
]


TO_THE_MINE = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action


class Agent(AgentPolicy):
    def step(self, obs):
        mine = self.policy_env_info.tags.index("type:mine")
        (column,) = {t.location.col for t in obs.tokens if t.feature.name == "tag" and t.value == mine}
        return Action(name="move_east" if column > 4 else "move_west")


class Policy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info)
"""


@pytest.mark.parametrize(("teacher_led", "student_led"), [(0.5, 0.5), (0.3, 0.7), (0.7, 0.0), (0.2, 0.3), (0.0, 0.0)])
def test_slices_follow_their_proportions(small_run, teacher_led, student_led):
    kinds = draw_kinds(np.random.default_rng(1), 20_000, teacher_led=teacher_led, student_led=student_led)
    counts = np.bincount(kinds, minlength=3) / len(kinds)
    shares = {Kind.PPO: 1 - teacher_led - student_led, Kind.STUDENT_LED: student_led, Kind.TEACHER_LED: teacher_led}
    for kind, share in shares.items():
        assert counts[kind] == pytest.approx(share, abs=0.012) and (share > 1e-9 or counts[kind] == 0)

    result = small_run(
        teacher="noop",
        policy="class=stateless",
        teacher_led_proportion=teacher_led,
        student_led_proportion=student_led,
        parallel_envs=24,
        horizon=2,
        total_steps=24 * 2 * 2 * 8,
    )
    reports = read_metrics(result.run)
    assert len(reports) == 8
    for kind, share in shares.items():
        drawn = [report.experience[f"{kind.name.lower()}_segments"] for report in reports]
        margin = 4 * math.sqrt(share * (1 - share) * 48 * 8) + 1e-6 if share > 1e-9 else 0
        assert abs(sum(drawn) - share * 48 * 8) <= margin
        if margin > 1:
            assert len(set(drawn)) > 1  # drawn again for every rollout


def test_both_proportions_fall_to_zero_over_the_teachers_steps(small_run):
    result = small_run(
        teacher="miner",
        policy="class=stateless",
        teacher_led_proportion=0.4,
        student_led_proportion=0.6,
        teacher_steps=96,
        total_steps=160,
    )
    reports = read_metrics(result.run)
    led = [report.hyperparameters["teacher_led_proportion"] for report in reports]
    labelled = [report.hyperparameters["student_led_proportion"] for report in reports]
    assert led == pytest.approx([0.4, 0.4 * 2 / 3, 0.4 / 3, 0.0, 0.0])
    assert labelled == pytest.approx([0.6, 0.6 * 2 / 3, 0.6 / 3, 0.0, 0.0])
    assert [report.experience["ppo_segments"] for report in reports[3:]] == [4, 4]
    assert ["cloning_loss" in report.losses for report in reports] == [True, True, True, False, False]


def test_proportions_of_more_than_all_rows_are_refused(small_run):
    with pytest.raises(SettingError, match="at most 1"):
        small_run(teacher="miner", teacher_led_proportion=0.6, student_led_proportion=0.5)
    with pytest.raises(SettingError, match="more than 1"):
        draw_kinds(np.random.default_rng(1), 4, teacher_led=0.6, student_led=0.5)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_runs_with_a_script_and_with_a_network_and_resumes(small_run, mode):
    taught = {"teacher_mode": mode, "teacher_led_proportion": 0.4, "student_led_proportion": 0.3, "teacher_steps": 90}
    trained = small_run("teacher", policy="class=lstm", total_steps=32)
    for teacher in ("miner", str(trained.run)):
        settings = {"policy": "class=sparse", "teacher": teacher, **taught}
        whole = small_run(f"whole-{teacher[-3:]}", **settings)
        small_run(f"parts-{teacher[-3:]}", **settings, epochs=1)
        resumed = small_run(f"parts-{teacher[-3:]}", **settings)
        losses = [report.losses for report in read_metrics(whole.run)]
        assert all(math.isfinite(value) for value in losses[0].values())
        assert losses[1:] == [report.losses for report in read_metrics(resumed.run)][1:]
        uses_network = teacher != "miner" and mode in ("kickstarter", "logit_kickstarter", "sliced_kickstarter")
        expected = None if mode.startswith("eer_") else "kickstarting_loss" if uses_network else "cloning_loss"
        assert expected is None or expected in losses[0]


@pytest.mark.parametrize("mode", ["sliced_cloner_no_ppo", "supervisor"])
def test_modes_without_ppo_learn_nothing_from_rewards(small_run, corridor, mode):
    """With a teacher that leads no rows, nothing is left to learn but the entropy bonus."""
    settings = {"missions": [corridor("#@..M#")], "cogs": None, "policy": "class=stateless", "ent_coef": 0.0}
    with_rewards = {"teacher": "noop", "teacher_led_proportion": 0.0, "teacher_mode": "sliced_cloner", **settings}
    without = with_rewards | {"teacher_mode": mode, "action_loss_coef": 0.0}
    assert all(report.losses["grad_norm"] > 0 for report in read_metrics(small_run("a", **with_rewards).run))
    assert all(report.losses["grad_norm"] == 0 for report in read_metrics(small_run("b", **without).run))


def test_cloning_makes_the_teachers_actions_likelier(small_run, small_trainer, corridor, tmp_path, monkeypatch):
    (tmp_path / "to_the_mine.py").write_text(TO_THE_MINE)
    monkeypatch.syspath_prepend(tmp_path)
    settings = {
        "missions": [corridor("#@..M#"), corridor("#M..@#")],
        "cogs": None,
        "policy": "class=sparse",
        "teacher": "class=to_the_mine.Policy",
        "teacher_mode": "supervisor",
        "teacher_led_proportion": 0.5,
        "learning_rate": 0.004,
        "schedule": "constant",
        "ent_coef": 0.0,
        "parallel_envs": 32,
        "minibatch_size": 256,
        "update_epochs": 4,
        "sampling": "sequential",
    }
    kinds = np.tile([Kind.TEACHER_LED, Kind.STUDENT_LED], 16)
    experience = small_trainer(**settings).rollout.collect(kinds)
    assert (experience.actions == experience.labels)[::2].all()  # the teacher acts, and labels what it sees
    assert not (experience.actions == experience.labels)[1::2].all()
    assert set(experience.labels[..., 0].flatten().tolist()) == {3, 4}  # west and east
    assert experience.steps.rewards[::2].sum() > experience.steps.rewards[1::2].sum()

    losses = [report.losses for report in read_metrics(small_run(**settings, total_steps=256 * 30).run)]
    assert losses[0]["cloning_loss"] > 1.2  # about log 5: nothing is known of the five actions
    assert losses[-1]["cloning_loss"] < 0.3
    assert losses[-1]["teacher_agreement"] > 0.95
