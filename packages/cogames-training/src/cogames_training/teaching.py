"""Teachers: policies whose actions label the observations of a rollout."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cogames_training.args import SettingError
from cogames_training.experience import Kind
from cogames_training.worlds import TrainingWorlds
from mettagrid.policy.batched import BatchedPolicy, batched_form
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["PolicyMaker", "Teacher", "draw_kinds"]

PolicyMaker = Callable[[PolicyEnvInterface], MultiAgentPolicy]


class Teacher:
    """Labels the current observations of a part's worlds, with a memory of its own for each of them."""

    def __init__(
        self, worlds: TrainingWorlds, make_policy: PolicyMaker, *, threads: int, setting: str = "teacher"
    ) -> None:
        """`setting` is the field that errors name."""
        self._setting = setting
        self._worlds = worlds
        places = len(worlds.numbers)
        self._forms: list[BatchedPolicy] = []
        self.is_native = True
        for task in worlds.tasks:
            interface = PolicyEnvInterface.from_mg_cfg(task.config)
            policy = make_policy(interface)
            form = batched_form(policy, places, threads=threads, make=partial(make_policy, interface))
            self.is_native = self.is_native and getattr(form, "is_native", True)
            self._forms.append(form)
        self._actions = [np.zeros(form.num_agents, np.int32) for form in self._forms]
        self._is_direct = len(self._forms) == 1 and self._forms[0].num_agents == worlds.rows

    def reset(self, places: list[int]) -> None:
        """Forget the earlier episodes of these places."""
        if places:
            for form in self._forms:
                form.reset(places)

    def label(self, labels: np.ndarray) -> None:
        """Write the teacher's action on each row's observation, as an engine id; -1 for rows without an agent.

        Raises `SettingError` if the teacher fails.
        """
        try:
            self._label(labels)
        except Exception as error:  # policies of others raise anything
            raise SettingError(
                self._setting, f"it failed on an observation: {type(error).__name__}: {error}"
            ) from error

    def _label(self, labels: np.ndarray) -> None:
        if self._is_direct:
            self._forms[0].step(self._worlds.observations, self._actions[0])
            labels[:] = self._actions[0]
            return
        places, rows = len(self._worlds.numbers), self._worlds.rows_per_world
        seen = self._worlds.observations.reshape(places, rows, *self._worlds.observations.shape[1:])
        table = labels.reshape(places, rows)
        table[:] = -1
        tasks = self._worlds.row_tasks[::rows]
        for task, (form, actions) in enumerate(zip(self._forms, self._actions, strict=True)):
            own = tasks == task
            if own.any():
                agents = form.num_agents // places
                form.step(np.ascontiguousarray(seen[:, :agents]).reshape(-1, *seen.shape[2:]), actions)
                table[own, :agents] = actions.reshape(places, agents)[own]


def draw_kinds(draws: np.random.Generator, rows: int, *, teacher_led: float, student_led: float) -> np.ndarray:
    """Draw who acts in each row, int64 [rows] of `Kind`."""
    if teacher_led + student_led > 1 + 1e-9:
        raise SettingError("teacher_led_proportion", "the two proportions add up to more than 1")
    draw = draws.random(rows)
    kinds = np.full(rows, int(Kind.PPO), np.int64)
    kinds[draw < student_led + teacher_led] = Kind.TEACHER_LED
    kinds[draw < student_led] = Kind.STUDENT_LED
    return kinds
