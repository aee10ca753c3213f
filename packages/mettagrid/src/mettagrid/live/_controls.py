"""Who drives which cog, and what they want it to do."""

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

MOST_ACTIONS = 8
"""keys that a cog remembers while the game waits for somebody else"""


@dataclass
class Seat:
    """One cog, as people have to do with it."""

    slot: int
    driver: str | None = None
    """who drives it; None: its policy"""
    actions: deque[Action] = field(default_factory=deque)
    """chosen one by one, the next one first"""
    orders: Orders = field(default_factory=Orders)
    vibe: str | None = None
    talk: str | None = None
    """said with the next action, whatever that is"""
    policy_action: tuple[str, Action] | None = None
    """(sender, action) of a program that plays instead of the policy, until it leaves"""
    latest_human_action: Action | None = None

    @property
    def is_idle(self) -> bool:
        return not (self.actions or self.orders or self.vibe or self.talk)

    def clear(self) -> None:
        self.actions.clear()
        self.orders.clear()
        self.vibe = self.talk = None


class Controls:
    """Takeover, release, actions and orders for every cog of a game. Any thread may call any method.

    A *driver* is the name of whoever sends something; the same one may drive several cogs. When somebody takes over
    the first cog, the clock begins to wait for people; when the last one is handed back, it goes on as it did before.

    `refused(driver, sentence)` is called when something that was accepted turns out not to be possible.
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
        """A new episode begins: nobody drives anything yet."""
        with self.clock.changed:
            self.seats = [Seat(slot) for slot in range(simulation.num_agents)]
            self._names, self._vibes = simulation.action_ids, simulation.vibe_action_ids
            self._size = (simulation.map_width, simulation.map_height)
            self._mode_before = None

    def seat(self, slot: int) -> Seat:
        """BadOrder when there is no such cog."""
        if not 0 <= slot < len(self.seats):
            raise BadOrder(f"There is no cog {slot}; this game has 0 to {len(self.seats) - 1}")
        return self.seats[slot]

    def take(self, slot: int, driver: str, *, force: bool = False) -> None:
        """Drive a cog from now on; `SlotTaken` when somebody else does, unless it is forced."""
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver == driver:
                return
            if seat.driver is not None and not force:
                raise SlotTaken(slot, seat.driver)
            if not self._is_anybody_driving():
                self._mode_before = self.clock.tick_mode
                self.clock.set_mode("tick_when_act")
            seat.clear()
            seat.driver = driver
            self.clock.notify()

    def release(self, slot: int, driver: str | None = None) -> None:
        """Give a cog back to its policy; nothing happens when `driver` is given and does not drive it."""
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver is None or driver not in (None, seat.driver):
                return
            seat.clear()
            seat.driver = None
            if not self._is_anybody_driving() and self._mode_before is not None:
                self.clock.set_mode(self._mode_before)
                self._mode_before = None
            self.clock.notify()

    def leave(self, driver: str) -> None:
        """Somebody is gone: their cogs go back to the policies."""
        with self.clock.changed:
            for seat in self.seats:
                if seat.policy_action is not None and seat.policy_action[0] == driver:
                    seat.policy_action = None
                self.release(seat.slot, driver)

    def choose_mode(self, tick_mode: TickMode) -> None:
        """Whether the game waits for people, whoever drives; it stays so when they hand back."""
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
        """Do something in the next step.

        From somebody who drives the cog an action takes the place of its orders; a vibe or a text without an action
        goes with whatever the cog does next. While the game waits for people it remembers some actions; otherwise the
        newest counts. From somebody who does not, while nobody drives, it is what the policy would do, until the sender
        chooses something else or leaves. BadOrder for what the game does not have.
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
                elif len(seat.actions) >= MOST_ACTIONS:
                    seat.actions.pop()
                seat.actions.append(Action(name, vibe, talk))
            self.clock.notify()

    def order(self, slot: int, driver: str, x: int, y: int, mode: OrderMode = "go") -> None:
        """Walk to a cell, and push against what stands there; see `Orders.give` for the modes."""
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
        """Forget what the cog has not done yet."""
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
        """Write what people want over the policies' choice. Called by the game between choice and step."""
        with self.clock.changed:
            for seat in self.seats:
                if seat.driver is not None:
                    self._apply(simulation, seat, seat.driver, self._next_action(simulation, seat))
                elif seat.policy_action is not None:
                    sender, action = seat.policy_action
                    self._apply(simulation, seat, sender, action)
                    seat.policy_action = (sender, Action(action.name))  # vibes and texts are for once

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
        # What the policy wanted to say is not said either.
        simulation._talk_channel._pending_by_agent.pop(seat.slot, None)
        if action.talk:
            try:
                agent.set_talk(action.talk)
            except ValueError as error:
                self.refused(sender, f"That was not said: {error}")

    def _vibe(self, vibe: str | None) -> str | None:
        """The action that changes to a vibe, given as such or as the vibe's own name."""
        if vibe is None:
            return None
        for name in (vibe, f"change_vibe_{vibe}"):
            if name in self._vibes:
                return name
        raise BadOrder(f"There is no vibe {vibe!r} in this game")

    def _is_anybody_driving(self) -> bool:
        return any(seat.driver is not None for seat in self.seats)
