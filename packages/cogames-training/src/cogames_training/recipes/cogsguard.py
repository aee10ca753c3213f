"""The recipe `cogsguard`: train and play Cogs vs Clips.

run.py recipes.experiment.cogsguard.train run=first trainer.total_timesteps=5_000_000_000
run.py recipes.experiment.cogsguard.play policy_uri=metta://policy/role render=gui max_steps=1000
"""

from __future__ import annotations

from cogames_training.recipes.config import CurriculumConfig, TeacherConfig, TrainingEnvConfig
from cogames_training.recipes.tools import EvaluateRemoteTool, EvaluateTool, PlayTool, RenderName, ReplayTool, TrainTool
from cogames_training.sweeps.tool import SweepTool

__all__ = ["evaluate", "evaluate_remote", "play", "replay", "sweep", "train"]


def train(
    curriculum: CurriculumConfig | str | None = None,
    teacher: TeacherConfig | None = None,
    mission: str | list[str] = "arena",
    variants: list[str] | str | None = None,
    cogs: int | None = None,
) -> TrainTool:
    """Train a policy.

    `curriculum` is rotation, discrete_random or learning_progress, or its settings. `teacher` has mode, policy_uri,
    steps, teacher_led_proportion, student_led_proportion and kwargs. `mission` may be a list.
    """
    return TrainTool(recipe="cogsguard", **_settings(curriculum, teacher, mission, variants, cogs))


def sweep(
    curriculum: CurriculumConfig | str | None = None,
    teacher: TeacherConfig | None = None,
    mission: str | list[str] = "arena",
    variants: list[str] | str | None = None,
    cogs: int | None = None,
) -> SweepTool:
    """Search for settings of `train`; `search`, `trials` and `metric` say how."""
    return SweepTool(recipe="cogsguard-sweep", **_settings(curriculum, teacher, mission, variants, cogs))


def play(
    policy_uri: str | None = None,
    mission: str = "arena",
    render: RenderName = "auto",
    max_steps: int | None = None,
) -> PlayTool:
    """Play one episode and watch it."""
    return PlayTool(policy_uri=policy_uri, mission=mission, render=render, max_steps=max_steps)


def replay(policy_uri: str | None = None, file: str | None = None, mission: str = "arena") -> ReplayTool:
    """Open a replay, or record an episode of a policy and open that."""
    return ReplayTool(policy_uri=policy_uri, file=file, mission=mission)


def evaluate(policy_uri: str | None = None, mission: str = "arena", episodes: int = 10) -> EvaluateTool:
    """Evaluate a policy over several episodes."""
    return EvaluateTool(policy_uri=policy_uri, mission=mission, episodes=episodes)


def evaluate_remote(policy_uri: str | None = None) -> EvaluateRemoteTool:
    """Say how to evaluate a policy on the league's server."""
    return EvaluateRemoteTool(policy_uri=policy_uri)


def _settings(
    curriculum: CurriculumConfig | str | None,
    teacher: TeacherConfig | None,
    mission: str | list[str],
    variants: list[str] | str | None,
    cogs: int | None,
) -> dict[str, object]:
    env = TrainingEnvConfig(missions=mission, variants=variants or [], cogs=cogs)
    settings: dict[str, object] = {"training_env": env}
    if curriculum is not None:
        settings["curriculum"] = curriculum
    if teacher is not None:
        settings["teacher"] = teacher
    return settings
