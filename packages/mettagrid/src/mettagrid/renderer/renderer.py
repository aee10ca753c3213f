"""The base of renderers, which show a running episode and let people act in it."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from mettagrid.simulator.interface import SimulatorEventHandler
from mettagrid.types import Action

__all__ = ["NoRenderer", "RenderMode", "Renderer", "create_renderer"]

RenderMode = Literal["gui", "unicode", "log", "none"]


class Renderer(SimulatorEventHandler):
    """Observes a simulation; the rollout calls `render` after every step that does not end the episode.

    A person's action, passed to `defer_user_action` at any time, is applied after the policies have chosen theirs for
    the next step. The agent then does nothing for the rest of 20 steps; its policy's actions are ignored.
    """

    _BLOCK_POLICY_TICKS = 20

    def __init__(self) -> None:
        super().__init__()
        self._deferred: dict[int, Action] = {}
        self._blocked_until: dict[int, int] = {}

    def on_episode_start(self) -> None:
        self._deferred.clear()
        self._blocked_until.clear()

    def render(self) -> None:
        """Show the current state of the simulation."""
        raise NotImplementedError(f"{type(self).__name__} does not implement render()")

    def supports_pending_render(self) -> bool:
        """Return whether `render_pending` may be called while a policy runs."""
        return False

    def render_pending(self) -> None:
        """Update the display while a policy runs."""

    def show_lesson(self, message: Mapping[str, Any]) -> None:
        """Show the state of a lesson, if the renderer supports it; `docs/concepts/live.md` lists the keys."""

    def driven_agents(self) -> set[int]:
        """Return the agents that people drive instead of their policies."""
        return set(self._blocked_until)

    def defer_user_action(self, agent_id: int, action: Action) -> None:
        """Replace the policy's action by a person's in the next step; a later call wins."""
        self._deferred[agent_id] = action

    def apply_deferred_user_actions(self) -> None:
        """Apply people's actions; called between the policies' choice and the step."""
        step = self._sim.current_step
        for agent_id, until in list(self._blocked_until.items()):
            if step < until:
                self._sim.agent(agent_id).set_action("noop")
            else:
                del self._blocked_until[agent_id]
        for agent_id, action in self._deferred.items():
            agent = self._sim.agent(agent_id)
            agent.set_action(action)
            if action.talk is not None:
                agent.set_talk(action.talk)
            self._blocked_until[agent_id] = step + self._BLOCK_POLICY_TICKS
        self._deferred.clear()


class NoRenderer(Renderer):
    """Shows nothing."""

    def render(self) -> None: ...


def create_renderer(render_mode: RenderMode, autostart: bool = False) -> Renderer:
    """Return the renderer for a mode; raises ValueError for an unknown mode.

    `gui` serves the game to a browser and prints the address; `unicode` shows it in the terminal. Both start when the
    user presses play, or at once with `autostart`.
    """
    if render_mode == "none":
        return NoRenderer()
    if render_mode == "log":
        from mettagrid.renderer.log_renderer import LogRenderer

        return LogRenderer()
    if render_mode == "unicode":
        from mettagrid.terminal.renderer import TerminalRenderer

        return TerminalRenderer(autostart)
    if render_mode == "gui":
        from mettagrid.live._browser import BrowserRenderer

        return BrowserRenderer(autostart)
    raise ValueError(f"Invalid render_mode: {render_mode!r}; it must be one of {', '.join(get_args(RenderMode))}")
