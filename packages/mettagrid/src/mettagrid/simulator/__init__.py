"""Run episodes from Python.

    from mettagrid.simulator import Simulation

    simulation = Simulation(config, seed=7)
    while not simulation.is_done():
        for agent in simulation.agents():
            agent.set_action("move_east")
        simulation.step()
    print(simulation.episode_rewards)

`Simulation` is one episode, `Simulator` creates one after another, a `SimulatorEventHandler` observes them.
"""

from mettagrid.simulator._errors import SimulationClosedError, UnknownActionError
from mettagrid.simulator.interface import (
    AgentObservation,
    Location,
    ObservationToken,
    SimulatorEventHandler,
    VisibleTalk,
)
from mettagrid.simulator.replay_log_writer import ReplayLogWriter
from mettagrid.simulator.simulator import BoundingBox, Buffers, Simulation, SimulationAgent, Simulator
from mettagrid.types import Action

__all__ = [
    "Action",
    "AgentObservation",
    "BoundingBox",
    "Buffers",
    "Location",
    "ObservationToken",
    "ReplayLogWriter",
    "Simulation",
    "SimulationAgent",
    "SimulationClosedError",
    "Simulator",
    "SimulatorEventHandler",
    "UnknownActionError",
    "VisibleTalk",
]
