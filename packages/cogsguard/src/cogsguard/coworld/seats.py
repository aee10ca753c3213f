"""The seats of players: their drivers, the players that a step waits for, and late actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mettagrid.live import BadOrder, Controls, NotDriving
from mettagrid.simulator.interface import SimulatorEventHandler

if TYPE_CHECKING:
    from mettagrid.live import Clock
    from mettagrid.simulator.interface import VisibleTalk
    from mettagrid.simulator.simulator import Simulation

__all__ = ["Hearing", "Seats"]

MISSES = 5
"""late actions in a row after which the game stops waiting for a player"""


class Seats(Controls):
    """The slots of a Coworld: a player connects to one with its token; the newest connection drives it.

    In mode `tick_when_act` a step waits for every taken seat, as long as the clock allows, and begins as soon as all
    have sent an action. After several late actions in a row, steps do not wait for a player until it acts in time.
    """

    def __init__(self, clock: Clock, names: Sequence[str]) -> None:
        super().__init__(clock)
        slots = len(names)
        self._names_of_seats = names
        self._connections = [0] * slots
        self.late_steps = [0] * slots
        self.absent_steps = [0] * slots
        self._misses = [0] * slots
        self._step = 0

    def name_of_next(self, slot: int) -> str:
        """Return the name of a new connection to a slot: the seat's name, with a number from the second one on."""
        with self.clock.changed:
            self._connections[slot] += 1
            count = self._connections[slot]
        name = self._names_of_seats[slot]
        return name if count == 1 else f"{name} ({count})"

    def take(self, slot: int, driver: str, *, force: bool = False) -> None:
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver != driver:
                seat.clear()
                seat.driver = driver
                self._misses[slot] = 0
            self.clock.notify()

    def release(self, slot: int, driver: str | None = None) -> None:
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver is not None and driver in (None, seat.driver):
                seat.clear()
                seat.driver = None
                self.clock.notify()

    def answer(
        self,
        slot: int,
        driver: str,
        name: str | None,
        *,
        vibe: str | None = None,
        talk: str | None = None,
        for_step: int | None = None,
    ) -> None:
        """Set a player's action for the next step, or for step `for_step`; the newest action counts.

        Raises `BadOrder` for an unknown or late action, and `NotDriving` if a newer connection has the seat.
        """
        with self.clock.changed:
            seat = self.seat(slot)
            if seat.driver != driver:
                raise NotDriving(slot)
            if for_step is not None and for_step != self._step:
                raise BadOrder(f"The action for step {for_step} came too late; the game is at step {self._step}")
            if name is not None:
                seat.actions.clear()
            super().act(slot, driver, name, vibe=vibe, talk=talk)
            self._misses[slot] = 0

    def waiting_for(self) -> list[int]:
        return [seat.slot for seat in self.seats if self._is_awaited(seat.slot)]

    def acts_now(self) -> bool:
        """Return True: a step begins at once if it waits for no player."""
        return True

    def missing(self) -> list[int]:
        """Return the slots without a player."""
        return [seat.slot for seat in self.seats if seat.driver is None]

    def follow(self, simulation: Simulation) -> None:
        with self.clock.changed:
            super().follow(simulation)
            self.clock.notify()

    def wait_for_players(self, seconds: float) -> None:
        """Wait until every slot is taken, at most `seconds` after the slots exist; return early if the game ends."""
        with self.clock.changed:
            self.clock.changed.wait_for(lambda: bool(self.seats) or self.clock.ended)
            self.clock.changed.wait_for(lambda: self.clock.ended or not self.missing(), seconds)

    def put_in_place(self, simulation: Simulation) -> None:
        with self.clock.changed:
            for seat in self.seats:
                if seat.driver is None:
                    self.absent_steps[seat.slot] += 1
                elif seat.is_idle:
                    self.late_steps[seat.slot] += 1
                    self._misses[seat.slot] += 1
            super().put_in_place(simulation)
            self._step = simulation.current_step + 1  # from now on an action for the previous step is late

    def _is_awaited(self, slot: int) -> bool:
        seat = self.seats[slot]
        return seat.driver is not None and seat.is_idle and self._misses[slot] < MISSES


class Hearing(SimulatorEventHandler):
    """Stores what each cog hears in each step, for readers outside the game's thread."""

    def __init__(self) -> None:
        super().__init__()
        self.talk: list[list[VisibleTalk]] = []

    def on_episode_start(self) -> None:
        self._listen()

    def on_step(self) -> None:
        self._listen()

    def _listen(self) -> None:
        simulation = self._sim
        if simulation.config.game.talk.enabled:
            self.talk = [list(agent.observation.talk) for agent in simulation.agents()]
