"""A recorded episode played by copies of one world in a batch, in place of the `Simulation` that the scripts use."""

import numpy as np

from mettagrid.batch import Batch
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator.simulator import Buffers, Simulation

COPIES = 5
OUTPUTS = ("observations", "terminals", "truncations", "rewards")


class BatchedSimulation:
    """`step` steps all copies, holds them to be equal and shows the first one in the caller's buffers.

    Before the recorded episode the worlds play a little of another one: a new episode must not depend on the old.
    """

    def __init__(self, config: MettaGridConfig, seed: int, buffers: Buffers, threads: int) -> None:
        self._copies = [Simulation(config, seed=seed) for _ in range(COPIES)]
        self._batch = Batch([copy._c_sim for copy in self._copies], threads=threads, auto_reset=False)
        self._buffers = buffers
        self._batch.run(5, seed=1)
        self._batch.reset(seeds=[seed] * COPIES)
        self._show()

    def step(self) -> None:
        self._batch.actions[:] = np.tile(self._buffers.actions, COPIES)
        self._batch.vibe_actions[:] = np.tile(self._buffers.vibe_actions, COPIES)
        self._batch.step()
        for copy in self._copies:  # some games end by a rule that is a handler
            for handler in copy._event_handlers:
                handler.on_step()
        self._show()

    def _show(self) -> None:
        for name in OUTPUTS:
            array = getattr(self._batch, name)
            copies = array.reshape(COPIES, -1, *array.shape[1:])
            assert (copies == copies[0]).all(), name
            getattr(self._buffers, name)[:] = copies[0]

    def __getattr__(self, name: str) -> object:
        return getattr(self._copies[0], name)
