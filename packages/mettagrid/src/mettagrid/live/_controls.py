"""Takeovers, actions and orders of the people in a live game."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mettagrid.live._paths import OrderMode, Orders
from mettagrid.live.errors import BadOrder, NotDriving, SlotTaken
from mettagrid.types import Action

if TYPE_CHECKING:
    from mettagrid.live._clock import Clock, TickMode
    from mettagrid.simulator.simulator import Simulation

__all__ = ["Controls", "Seat"]

MAX_ACTIONS = 8
"""longest queue of actions per cog while the game waits for another player"""


@dataclass
class Seat:
    """The driver of one cog and the actions and orders pending for it."""

    slot: int
    driver: str | None = None
    """name of the driver; None if the policy plays the cog"""
    actions: deque[Action] = field(default_factory=deque)
    """queued actions, next first"""
    orders: Orders = field(default_factory=Orders)
    vibe: str | None = None
    talk: str | None = None
    """text to send with the next action"""
    policy_action: tuple[str, Action] | None = None
    """(sender, action) of a program that replaces the policy until it disconnects"""
    latest_human_action: Action | None = None

    @property
    def is_idle(self) -> bool:
        return not (self.actions or self.orders or self.vibe or self.talk)

    def clear(self) -> None:
        self.actions.clear()
        self.orders.clear()
        self.vibe = self.talk = None


class Controls:
    """Takeover, release, actions and orders for every cog of a game. All methods are thread-safe.

    A *driver* is the name of a sender; a driver may drive several cogs. The clock starts to wait for people when the
    first cog is taken over, and returns to its previous mode when the last one is handed back.

    `refused(driver, sentence)` is called when an accepted request fails later.
    """

    def __init__(self, clock: Clock, refused: Callable[[str, str], None] | None = None) -> None:
        self.clock = clock
        self.refused = refused or (lambda driver, sentence: None)
        self.seats: list[Seat] = []
        self._mode_before: TickMode | None = None
        self._names: dict[str, int] = {}
        self._vibes: dict[str, int] = {}
        self._size = (0, 0)

    def follow(self, simulation: Simulation) -> None:
        """Start a new episode, in which the policies drive all cogs."""
        with self.clock.changed:
            self.seats = [Seat(slot) for slot in range(simulation.num_agents)]
            self._names, self._vibes = simulation.action_ids, simulation.vibe_action_ids
            self._size = (simulation.map_width, simulation.map_height)
            self._mode_before = None

    def seat(self, slot: int) -> Seat:
        """Return the seat of a cog; raises BadOrder if the game has no such cog."""
        if not 0 <= slot < len(self.seats):
            raise BadOrder(f"There is no cog {slot}; this game has 0 to {len(self.seats) - 1}")
        return self.seats[slot]

    def take(self, slot: int, driver: str, *, force: bool = False) -> None:
        """Take over a cog; raises `SlotTaken` if another driver has it, unless forced."""
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver == driver:
                return
            if seat.driver is not None and not force:
                raise SlotTaken(slot, seat.driver)
            if not self._has_driver():
                self._mode_before = self.clock.tick_mode
                self.clock.set_mode("tick_when_act")
            seat.clear()
            seat.driver = driver
            self.clock.notify()

    def release(self, slot: int, driver: str | None = None) -> None:
        """Hand a cog back to its policy; does nothing if `driver` is given and does not drive the cog."""
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver is None or driver not in (None, seat.driver):
                return
            seat.clear()
            seat.driver = None
            if not self._has_driver() and self._mode_before is not None:
                self.clock.set_mode(self._mode_before)
                self._mode_before = None
            self.clock.notify()

    def leave(self, driver: str) -> None:
        """Hand all cogs of a disconnected driver back to their policies."""
        with self.clock.changed:
            for seat in self.seats:
                if seat.policy_action is not None and seat.policy_action[0] == driver:
                    seat.policy_action = None
                self.release(seat.slot, driver)

    def choose_mode(self, tick_mode: TickMode) -> None:
        """Set whether the game waits for people; takeovers and releases no longer change it."""
        with self.clock.changed:
            self._mode_before = None
            self.clock.set_mode(tick_mode)

    def act(
        self,
        slot: int,
        driver: str,
        name: str | None = None,
        *,
        vibe: str | None = None,
        talk: str | None = None,
    ) -> None:
        """Choose what a cog does in the next step.

        An action from the driver replaces the cog's orders; a vibe or a text without an action accompanies the next
        action. While the game waits for people, a few actions are queued; otherwise the newest one wins. If the cog has
        no driver, an action from another sender replaces the policy's choice until that sender chooses another one or
        leaves. Raises BadOrder for an action or a vibe that the game does not have.
        """
        vibe = self._vibe(vibe)
        if name is not None and name not in self._names:
            raise BadOrder(f"There is no action {name!r}; `action_names` lists them all")
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver is None:
                seat.policy_action = (driver, Action(name or "noop", vibe, talk))
            elif seat.driver != driver:
                raise NotDriving(slot)
            elif name is None:
                seat.vibe, seat.talk = vibe or seat.vibe, talk or seat.talk
            else:
                seat.orders.clear()
                if self.clock.tick_mode == "fixed":
                    seat.actions.clear()
                elif len(seat.actions) >= MAX_ACTIONS:
                    seat.actions.pop()
                seat.actions.append(Action(name, vibe, talk))
            self.clock.notify()

    def order(self, slot: int, driver: str, x: int, y: int, mode: OrderMode = "go") -> None:
        """Walk to a cell and use the object on it; see `Orders.give` for the modes."""
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver != driver:
                raise NotDriving(slot)
            if not (0 <= x < self._size[0] and 0 <= y < self._size[1]):
                raise BadOrder(f"Column {x}, row {y} is not on the map of {self._size[0]} x {self._size[1]} cells")
            if mode == "go":
                seat.actions.clear()
            seat.orders.give((x, y), mode)
            self.clock.notify()

    def cancel(self, slot: int, driver: str) -> None:
        """Drop all pending actions and orders of the cog."""
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver != driver:
                raise NotDriving(slot)
            seat.clear()
            self.clock.notify()

    def waiting_for(self) -> list[int]:
        driven = [seat for seat in self.seats if seat.driver is not None]
        return [seat.slot for seat in driven] if all(seat.is_idle for seat in driven) else []

    def acts_now(self) -> bool:
        return any(seat.driver is not None and (seat.actions or seat.vibe or seat.talk) for seat in self.seats)

    def put_in_place(self, simulation: Simulation) -> None:
        """Replace the policies' actions by those of people; called between the policies' choice and the step."""
        with self.clock.changed:
            for seat in self.seats:
                if seat.driver is not None:
                    self._apply(simulation, seat, seat.driver, self._next_action(simulation, seat))
                elif seat.policy_action is not None:
                    sender, action = seat.policy_action
                    self._apply(simulation, seat, sender, action)
                    seat.policy_action = (sender, Action(action.name))  # vibes and texts apply to a single step

    def _next_action(self, simulation: Simulation, seat: Seat) -> Action:
        action = Action("noop")
        if seat.actions:
            action = seat.actions.popleft()
        elif seat.orders:
            try:
                action = Action(seat.orders.next_action(simulation, seat.slot) or "noop")
            except BadOrder as error:
                self.refused(seat.driver or "", str(error))
        action = Action(action.name, action.vibe or seat.vibe, action.talk or seat.talk)
        seat.vibe = seat.talk = None
        seat.latest_human_action = action
        return action

    def _apply(self, simulation: Simulation, seat: Seat, sender: str, action: Action) -> None:
        agent = simulation.agent(seat.slot)
        agent.set_action(action)
        # The policy's text is dropped too.
        simulation._talk_channel._pending_by_agent.pop(seat.slot, None)
        if action.talk:
            try:
                agent.set_talk(action.talk)
            except ValueError as error:
                self.refused(sender, f"The text was not sent: {error}")

    def _vibe(self, vibe: str | None) -> str | None:
        """Return the action that sets a vibe, given the action's or the vibe's name."""
        if vibe is None:
            return None
        for name in (vibe, f"change_vibe_{vibe}"):
            if name in self._vibes:
                return name
        raise BadOrder(f"There is no vibe {vibe!r} in this game")

    def _has_driver(self) -> bool:
        return any(seat.driver is not None for seat in self.seats)
