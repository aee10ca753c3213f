"""Compare two policies: their actions in worlds of their own, and at the same observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cogames_agents.audit.players import Player
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.text import Row, Rows, Signed

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.types import Action

__all__ = ["Difference", "ParityReport", "Side", "run_parity"]


@dataclass(frozen=True)
class Difference:
    """The first step, and in it the first agent, whose actions differ."""

    step: int
    agent: int
    action_a: str
    action_b: str

    def row(self) -> Row:
        return {"step": self.step, "agent": self.agent, "a": self.action_a, "b": self.action_b}


@dataclass
class Side:
    """What one policy did in its own world."""

    policy: str
    steps: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    moves: int = 0
    moves_succeeded: int = 0

    @property
    def move_success_rate(self) -> float:
        return self.moves_succeeded / self.moves if self.moves else 0.0

    def rows(self, top: int) -> Rows:
        return {
            "policy": {"name": self.policy, "steps": self.steps, "actions": self.actions.total()},
            "moves": {
                "move_success_rate": round(self.move_success_rate, 3),
                "succeeded": self.moves_succeeded,
                "all": self.moves,
            },
            "actions": {**dict(_ranked(self.actions)[:top])},
        }


@dataclass
class ParityReport:
    """Two policies side by side.

    `played` is the first difference between the two worlds. `shadowed` is the first difference while policy B only
    watches the world of policy A and its actions have no effect; `agreed` of `compared` actions are equal there.
    """

    a: Side
    b: Side
    played: Difference | None = None
    shadowed: Difference | None = None
    agreed: int = 0
    compared: int = 0

    @property
    def is_equal(self) -> bool:
        return self.played is None and self.shadowed is None and self.a.steps == self.b.steps

    def deltas(self) -> list[tuple[str, int]]:
        """Return the differences of the action counts, A minus B, largest first."""
        return _ranked(
            {name: self.a.actions[name] - self.b.actions[name] for name in {*self.a.actions, *self.b.actions}}
        )

    def sections(self, *, top_actions: int, top_deltas: int) -> dict[str, Rows]:
        deltas: Row = {name: Signed(delta) for name, delta in self.deltas()[:top_deltas] if delta}
        none: Row = {"step": "none"}
        return {
            "Policy A": self.a.rows(top_actions),
            "Policy B": self.b.rows(top_actions),
            "Largest action deltas": {"A - B": deltas},
            "First difference": {
                "in their own worlds": self.played.row() if self.played else none,
                "at the same observations": self.shadowed.row() if self.shadowed else none,
            },
            "Agreement": {
                "at the same observations": {
                    "equal": self.agreed,
                    "compared": self.compared,
                    "share": round(self.agreed / max(1, self.compared), 4),
                }
            },
        }


def run_parity(setting: Setting, policy_a: str, policy_b: str) -> ParityReport:
    """Play both policies in worlds with the same seed, and let a second copy of B watch the world of A.

    Until the first difference both worlds are equal, so `played` and `shadowed` are the same for deterministic
    policies. If they are not, a policy uses chance, a clock or something else outside its observations.
    """
    env = setting.make_env()
    report = ParityReport(Side(policy_a), Side(policy_b))
    watcher = Player(env, policy_b)
    in_a = _play(env, setting, Player(env, policy_a), report.a, watcher, report)
    in_b = _play(env, setting, Player(env, policy_b), report.b)
    for step, actions_a in enumerate(in_a):
        actions_b = next(in_b, None)
        if actions_b is not None and report.played is None:
            report.played = _first_difference(step, actions_a, actions_b)
    for _ in in_b:
        pass  # the episode of B can last longer
    return report


def _play(
    env: MettaGridConfig,
    setting: Setting,
    player: Player,
    side: Side,
    watcher: Player | None = None,
    report: ParityReport | None = None,
) -> Iterator[list[str]]:
    """Play an episode and yield the actions of each step; a watcher gets the same observations."""
    from mettagrid.simulator.simulator import Simulator

    simulation = Simulator().new_simulation(env, seed=setting.seed)
    try:
        for step in range(setting.steps):
            views = simulation.agents()
            observations = [view.observation for view in views]
            actions = [player.act(view.id, observations[view.id]) for view in views]
            names = [_name(action) for action in actions]
            if watcher is not None and report is not None:
                watched = [_name(watcher.act(view.id, observations[view.id])) for view in views]
                report.compared += len(names)
                report.agreed += sum(a == b for a, b in zip(names, watched, strict=True))
                if report.shadowed is None:
                    report.shadowed = _first_difference(step, names, watched)
            for view, action in zip(views, actions, strict=True):
                view.set_action(action)
                talk = getattr(action, "talk", None)
                if talk is not None:
                    view.set_talk(talk)
            simulation.step()
            _count(side, names, simulation.action_success)
            yield names
            if simulation.is_done():
                return
    finally:
        simulation.close()


def _count(side: Side, names: list[str], succeeded: list[bool]) -> None:
    side.steps += 1
    side.actions.update(names)
    for name, success in zip(names, succeeded, strict=True):
        if name.startswith("move_"):
            side.moves += 1
            side.moves_succeeded += bool(success)


def _name(action: Action | str) -> str:
    """Return an action as text, with its vibe and talk."""
    if isinstance(action, str):
        return action
    extra = [str(part) for part in (action.vibe, action.talk and repr(action.talk)) if part]
    return "+".join([action.name, *extra])


def _first_difference(step: int, a: list[str], b: list[str]) -> Difference | None:
    pairs = enumerate(zip(a, b, strict=True))
    return next((Difference(step, agent, *pair) for agent, pair in pairs if pair[0] != pair[1]), None)


def _ranked(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-abs(item[1]), item[0]))
