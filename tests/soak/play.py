"""One case from its JSON to the end of 50 steps: read, compile, make a world, step it, look at everything."""

from __future__ import annotations

import gc
import json
import random
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.batch import Batch
from mettagrid.compiler import CORRECTIONS, ConfigWarning, compile
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator import Simulation

from .cases import Case, deep_json
from .judge import is_clean, signature, where
from .states import damaged, forged

STEPS = 50
LARGE = 5_000  # cells; the objects of larger maps are looked at in part
SMALL_WORLD = 300_000  # bytes; larger ones are not copied
STRANGE_ACTIONS = [-1, 255, 256, 1000, 65536, 2**31 - 1, -(2**31)]


@dataclass
class Outcome:
    """What became of a case.

    ran       50 steps without an exception
    stopped   50 steps, some of which raised the engine's own error about the rules
    refused   a clean exception before the first step
    leaked    an exception that is not clean, at any time
    kept      the world was still in memory after everything let go of it
    """

    kind: str
    stage: str = ""
    error: str = ""  # without numbers and names
    message: str = ""
    where: str = ""
    faults: list[str] = field(default_factory=list)


def play(case: Case, *, show: bool = False) -> Outcome:
    """Play a case; `show` prints the traceback of its exception."""
    worlds: list[weakref.ref[MettaGrid]] = []
    outcome = _Player(case, worlds).outcome(show)
    gc.collect()
    if any(world() is not None for world in worlds):
        return Outcome("kept", "free", "the world is still there after everything let go of it")
    return outcome


class _Player:
    def __init__(self, case: Case, worlds: list[weakref.ref[MettaGrid]]) -> None:
        self.case = case
        self.rng = random.Random(f"mettagrid-soak-play/{case.seed}")
        self.worlds = worlds
        self.stage = "read"
        self.faults: list[str] = []

    def outcome(self, show: bool) -> Outcome:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ConfigWarning)
                self.journey()
        except Exception as error:
            if show:
                traceback.print_exc()
            kind = "refused" if is_clean(error) else "leaked"
            return Outcome(kind, self.stage, signature(error), str(error)[:300], where(error))
        return Outcome("stopped" if self.faults else "ran", faults=self.faults)

    def journey(self) -> None:
        config = self.read()
        self.stage = "compile"
        corrections = [name for name in sorted(CORRECTIONS) if self.rng.random() < 0.1]
        strict = self.rng.random() < 0.05
        if self.rng.random() < 0.7:
            self.stage = "simulation"
            simulation = Simulation(config, self.rng.getrandbits(32), strict=strict, corrections=corrections)
            engine = simulation._c_sim
            self.worlds.append(weakref.ref(engine))
            self.steps(engine, simulation.step)
            self.look_at_simulation(simulation)
        else:
            program = compile(config, strict=strict, corrections=corrections)
            self.stage = "map"
            grid = config.game.map_builder.create().build_for_num_agents(config.game.num_agents).grid
            self.stage = "world"
            engine = MettaGrid(program, grid, self.rng.getrandbits(32))
            self.worlds.append(weakref.ref(engine))
            self.steps(engine, engine.step)

    def read(self) -> MettaGridConfig:
        context = LENIENT_CONTEXT if self.rng.random() < 0.1 else None
        if self.rng.random() < 0.2:
            with deep_json():
                text = json.dumps(self.case.config)
            return MettaGridConfig.model_validate_json(text, context=context)
        return MettaGridConfig.model_validate(self.case.config, context=context)

    def steps(self, engine: MettaGrid, step: Callable[[], None]) -> None:
        self.stage = "step"
        for number in range(STEPS):
            self.choose(engine.actions(), len(engine.action_names))
            self.choose(engine.vibe_actions(), len(engine.action_names))
            with self.fault():
                step()
            if self.rng.random() < 0.1:
                self.stage = "buffers"
                self.swap_buffers(engine)
                self.stage = "step"
            if number in (0, STEPS // 2, STEPS - 1):
                self.stage = "look"
                self.look(engine)
                self.stage = "step"
            if self.rng.random() < 0.01 and engine.world_bytes < SMALL_WORLD:
                self.stage = "states"
                self.branch(engine)
                self.stage = "step"
        if self.rng.random() < 0.1 and engine.world_bytes < SMALL_WORLD:
            self.stage = "batch"
            self.run_batch(engine)

    def choose(self, actions: np.ndarray, count: int) -> None:
        for agent in range(len(actions)):
            is_strange = self.rng.random() < 0.05
            actions[agent] = self.rng.choice(STRANGE_ACTIONS) if is_strange else self.rng.randrange(count)

    @contextmanager
    def fault(self) -> Iterator[None]:
        """Record the engine's own errors about rules that never end or see too much; the world continues after them."""
        try:
            yield
        except RuntimeError as error:
            if not is_clean(error):
                raise
            self.faults.append(signature(error))

    def swap_buffers(self, engine: MettaGrid) -> None:
        """Other arrays, some with more or fewer tokens; some that must be refused, after which the old ones stay."""
        n, rng = engine.num_agents, self.rng
        tokens = engine.program.num_tokens + rng.choice([0, 0, 1, 100])
        if rng.random() < 0.02:
            tokens = rng.choice([0, 1, 40])  # too few, which is an error in every step from then on
        arrays = [
            np.full((n, tokens, 3), 7, np.uint8),
            np.full(n, 7, np.uint8).view(np.bool_),  # a byte that is not a bool: the engine only writes there
            np.zeros(n, np.bool_),
            np.full(n, np.nan, np.float32),
            np.zeros(n, np.int32),
            np.zeros(n, np.int32),
        ]
        if rng.random() < 0.3:
            at = rng.randrange(len(arrays))
            arrays[at] = rng.choice([spoiled_type, spoiled_shape, spoiled_stride, spoiled_alignment])(arrays[at])
            try:
                engine.set_buffers(*arrays)
            except Exception as error:
                if not is_clean(error):
                    raise
            return
        with self.fault():
            engine.set_buffers(*arrays)

    def branch(self, engine: MettaGrid) -> None:
        """Snapshots and copies, also of bytes that are none: the copy steps on, then everything is as before."""
        before = engine.snapshot()
        copy = engine.clone()
        self.worlds.append(weakref.ref(copy))
        with self.fault():
            copy.step_traced()
        engine.diff(copy)
        copy.copy_from(engine)
        if engine.diff(copy):
            raise AssertionError("a copy of a world differs from it")
        for spoil in (damaged, forged):
            try:
                stranger = MettaGrid.from_snapshot(engine.program, spoil(self.rng, before))
            except Exception as error:
                if not is_clean(error):
                    raise
                continue
            self.worlds.append(weakref.ref(stranger))
            for _ in range(5):
                with self.fault():
                    stranger.step()
            stranger.get_episode_stats()
        engine.restore(before)

    def run_batch(self, engine: MettaGrid) -> None:
        """A few copies on two threads, with random actions made by the engine."""
        worlds = [engine.clone() for _ in range(3)]
        self.worlds += [weakref.ref(world) for world in worlds]
        with self.fault(), Batch(worlds, threads=2, auto_reset=False) as batch:
            batch.run(10, seed=self.case.seed)
            batch.step()

    def look(self, engine: MettaGrid) -> None:
        """Everything that can be read, and the few things that can be changed from outside."""
        engine.get_episode_rewards()
        engine.get_episode_stats()
        engine.action_success()
        engine.masks()
        bounds = (-1, -1, -1, -1)
        if engine.map_width * engine.map_height > LARGE:
            row, col = self.rng.randrange(engine.map_height), self.rng.randrange(engine.map_width)
            bounds = (row, row + 40, col, col + 40)
        objects = engine.grid_objects(*bounds)
        counts = engine.tag_index()
        for tag in range(len(engine.program.tag_names)):
            counts.count_objects_with_tag(tag)
        if objects and self.rng.random() < 0.5:
            thing = self.rng.choice(list(objects.values()))
            tag = self.rng.randrange(len(engine.program.tag_names))
            with self.fault():
                self.rng.choice([thing["add_tag"], thing["remove_tag"], thing["has_tag"]])(tag)
        if engine.resource_names and self.rng.random() < 0.3:
            resource = self.rng.randrange(len(engine.resource_names))
            engine.set_inventory(self.rng.randrange(engine.num_agents), {resource: self.rng.choice([0, 1, 65535])})

    def look_at_simulation(self, simulation: Simulation) -> None:
        self.stage = "look"
        agent = simulation.agent(self.rng.randrange(simulation.num_agents))
        _ = (agent.observation, simulation.episode_stats, simulation.talk_states(), simulation.features)
        simulation.close()


def spoiled_type(array: np.ndarray) -> np.ndarray:
    return np.zeros(array.shape, np.int64)


def spoiled_shape(array: np.ndarray) -> np.ndarray:
    return array[:-1].copy()


def spoiled_stride(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 2, axis=0)[::2]


def spoiled_alignment(array: np.ndarray) -> np.ndarray:
    """Return the same array one byte off the addresses its numbers should have."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    return memory[1:].view(array.dtype).reshape(array.shape)
