"""The low-level interface of the engine: one world of one game, stepped in place in the caller's buffers.

The module name is the published one. `Simulation` is the high-level interface.
"""

import os
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np

from mettagrid import _native
from mettagrid._native import Map
from mettagrid.compiler import Program, compiled
from mettagrid.compiler.tables import CONSTANTS
from mettagrid.config.mettagrid_config import GameConfig, MettaGridConfig
from mettagrid.state import Change, TraceEntry, changes, trace

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_c_config import CompiledGame

dtype_observations = np.dtype(np.uint8)
dtype_terminals = np.dtype(np.bool_)
dtype_truncations = np.dtype(np.bool_)
dtype_rewards = np.dtype(np.float32)
dtype_actions = np.dtype(np.int32)
dtype_masks = np.dtype(np.bool_)
dtype_success = np.dtype(np.bool_)

_FAULT_NAMES: list[str] = list(_native.fault_names())
_FAULTS = {
    "CallDepth": "Handlers call one another more than {depth} deep, last {routine}; a rule probably triggers itself.",
    "Stack": "Rules are nested too deeply for the engine's stacks.",
    "Arena": "Queries of one rule found more objects together than the engine has working memory for.",
    "Objects": "The world has no room for another object: too many were removed and created in one step.",
    "TagHolders": (
        "Too many objects got the tag {tag!r}, which no rule of the game gives; only {slack} more can be given such a "
        "tag."
    ),
    "Areas": (
        "The world has no room for another area of effect: all {count} are in use. Areas of objects that one step "
        "spawns and removes stay in use; remove such objects in a later step, or spawn objects without `aoes`."
    ),
    "Shortcut": (
        "The engine contradicts itself: a shortcut gave another result than the plain rules. Please report this game."
    ),
    "Claims": (
        "The world has no room for another territory claim: all {count} are in use. Removed objects keep their claims; "
        "add the correction 'removed_territory', or spawn fewer objects with `territory_controls`."
    ),
    "Scenery": "A rule changes an object that the compiler took for scenery. Please report this game.",
}
_OBJECTS_WITH_CLAIMS = (
    "The world has no room for another object: {count} removed objects keep their territory claims and their slots; "
    "add the correction 'removed_territory', or spawn fewer objects with `territory_controls`."
)

_TOKENS_AT = CONSTANTS["snapshot_tokens_at"]
_MAX_AMOUNT = CONSTANTS["most_held"]

_BUFFER_TYPES = {
    "observations": dtype_observations,
    "terminals": dtype_terminals,
    "truncations": dtype_truncations,
    "rewards": dtype_rewards,
    "actions": dtype_actions,
    "vibe_actions": dtype_actions,
}


def _check_array(name: str, array: np.ndarray) -> None:
    """Raise an error if the engine cannot use the array, whatever its shape."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a numpy array, not {type(array).__name__}.")
    if array.dtype != _BUFFER_TYPES[name]:
        raise TypeError(f"{name} has elements of type {array.dtype}; they must be {_BUFFER_TYPES[name]}.")
    if not array.flags.writeable and not name.endswith("actions"):
        raise ValueError(f"{name} is not writeable, and the engine writes into it.")


def _new_arrays(agents: int, tokens: int) -> dict[str, np.ndarray]:
    shapes = {"observations": (agents, tokens, 3)}
    arrays = {name: np.zeros(shapes.get(name, (agents,)), dtype) for name, dtype in _BUFFER_TYPES.items()}
    arrays["observations"].fill(255)
    return arrays


class PackedCoordinate:
    """A cell of the observation window in one byte: row in the high half, column in the low half."""

    MAX_PACKABLE_COORD = CONSTANTS["window_side"] - 1
    GLOBAL_LOCATION = CONSTANTS["global_location"]
    _EMPTY = CONSTANTS["unused_location"]

    @classmethod
    def pack(cls, row: int, col: int) -> int:
        if not (0 <= row <= cls.MAX_PACKABLE_COORD and 0 <= col <= cls.MAX_PACKABLE_COORD):
            raise ValueError(f"({row}, {col}) is outside the largest window: both must be 0..{cls.MAX_PACKABLE_COORD}.")
        return row << 4 | col

    @classmethod
    def unpack(cls, packed: int) -> tuple[int, int] | None:
        """Return (row, col), or None for global and unused tokens."""
        return None if packed in (cls._EMPTY, cls.GLOBAL_LOCATION) else (packed >> 4, packed & 15)

    @classmethod
    def is_empty(cls, packed: int) -> bool:
        return packed == cls._EMPTY

    @classmethod
    def is_global(cls, packed: int) -> bool:
        return packed == cls.GLOBAL_LOCATION


class StepTimingStats(NamedTuple):
    """Nanoseconds of the last step by part; all 0 unless METTAGRID_PROFILING=1 was set when the world was created."""

    reset_ns: float = 0.0
    actions_ns: float = 0.0
    events_ns: float = 0.0
    on_tick_ns: float = 0.0
    aoe_ns: float = 0.0
    observations_ns: float = 0.0
    rewards_ns: float = 0.0
    truncation_ns: float = 0.0
    total_ns: float = 0.0


class ObsValidationStats(NamedTuple):
    """Comparisons between two observation implementations. This engine has one, so nothing is compared."""

    comparison_count: int = 0
    mismatch_count: int = 0
    original_time_ns: float = 0.0
    optimized_time_ns: float = 0.0


class TagIndex:
    """The number of objects with each tag. Without a world all are 0."""

    def __init__(self, world: "MettaGrid | None" = None) -> None:
        self._world = world

    def count_objects_with_tag(self, tag_id: int) -> int:
        """Return the number of objects with a tag; 0 for an id that the game does not have."""
        if self._world is None or not 0 <= tag_id < len(self._world.program.tag_names):
            return 0
        return self._world._tag_count(tag_id)


class MettaGrid(_native.World):
    """A world: `MettaGrid(game_config, map_rows, seed)`.

    `game_config` may be a compiled `Program` and `map_rows` a map it resolved; `strict` and `corrections` are those of
    `compile`. All arrays given to
    `set_buffers` stay the caller's; `step` reads actions from them and writes the rest in place.
    """

    def __init__(
        self,
        game_config: "GameConfig | MettaGridConfig | Program | CompiledGame",
        map_rows: "Map | Sequence[Sequence[str]] | np.ndarray",
        seed: int,
        *,
        strict: bool = False,
        corrections: Collection[str] = (),
    ) -> None:
        program = cast("GameConfig | MettaGridConfig | Program", getattr(game_config, "program", game_config))
        if not isinstance(program, Program):
            program = compiled(program, strict=strict, corrections=corrections)
        self.program = program
        self._arrays: dict[str, np.ndarray] = {}
        super().__init__(program.map(map_rows) if not isinstance(map_rows, Map) else map_rows, int(seed) & 0xFFFFFFFF)
        self.set_buffers(**_new_arrays(self.num_agents, program.num_tokens))
        self._timing = StepTimingStats()
        if os.environ.get("METTAGRID_PROFILING") == "1":
            self.step = self._step_profiled

    def _describe_fault(self, fault: int, a: int, b: int) -> str:
        name = _FAULT_NAMES[fault]
        if name == "TokenBudget":
            row, col = self._object(self._agent_slot(a))[2:4]
            budget = self._arrays["observations"].shape[1]
            return (
                f"Observation token budget exceeded for agent {a} at step {self.current_step} "
                f"(location={row},{col}, budget={budget}, attempted={b}, dropped={b - budget})"
            )
        if name == "Objects" and a > 0:
            return _OBJECTS_WITH_CLAIMS.format(count=a)
        routine = self.program.routine_names.get(a, "a handler")
        tag = self.program.tag_names[a] if a < len(self.program.tag_names) else ""
        limits = {"depth": CONSTANTS["call_depth"], "slack": CONSTANTS["tag_slack"]}
        return _FAULTS[name].format(routine=routine, tag=tag, count=a, **limits)

    # Buffers

    def set_buffers(
        self,
        observations: np.ndarray,
        terminals: np.ndarray,
        truncations: np.ndarray,
        rewards: np.ndarray,
        actions: np.ndarray,
        vibe_actions: np.ndarray | None = None,
    ) -> None:
        """Use these arrays from now on, without copying: uint8 [n, tokens, 3], bool, bool, float32, int32, int32 [n].

        Clears the outputs, resets the coverage stats and writes the current observation. Raises an error for arrays of
        a wrong type or shape, in which case the previous ones stay in use.
        """
        if vibe_actions is None:
            vibe_actions = np.zeros(self.num_agents, np.int32)
        arrays = {
            "observations": observations,
            "terminals": terminals,
            "truncations": truncations,
            "rewards": rewards,
            "actions": actions,
            "vibe_actions": vibe_actions,
        }
        for name, array in arrays.items():
            _check_array(name, array)
        self._set_buffers(*arrays.values())
        self._arrays = arrays
        self._observe_start()

    def begin(self, map_rows: "Map | Sequence[Sequence[str]] | np.ndarray", seed: int) -> None:
        """Begin another episode in place, as a new world of the program that then gets these arrays."""
        self._start(map_rows if isinstance(map_rows, Map) else self.program.map(map_rows), int(seed) & 0xFFFFFFFF)
        for _ in range(2):  # the first observation of such a world is written, and counted, twice
            self._observe_start()

    # States

    def snapshot(self) -> bytes:
        """Return the state and the last observations as bytes; `restore` and `from_snapshot` continue exactly from it.

        It does not contain the config; store that with it. Another process, machine or release with the same program
        can open it.
        """
        return self._snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Continue from a snapshot of a world with the same program and arrays of the same shape.

        Observations, rewards, terminals and truncations are written into the current arrays; actions do not change.
        Raises ValueError for bytes that are not such a snapshot, in which case nothing changes.
        """
        self._restore(snapshot)

    @classmethod
    def from_snapshot(cls, program: "Program | GameConfig | MettaGridConfig", snapshot: bytes) -> Self:
        """Create a world from a snapshot, with its own arrays."""
        world = cls.__new__(cls)
        if not isinstance(program, Program):
            program = compiled(program)
        world.program = program
        world._timing = StepTimingStats()
        _native.World.__init__(world, program.native, snapshot)
        tokens = int.from_bytes(snapshot[_TOKENS_AT : _TOKENS_AT + 4], "little")
        world._arrays = _new_arrays(world.num_agents, tokens)
        world._set_buffers(*world._arrays.values())
        world._restore(snapshot)
        return world

    @classmethod
    def _from_block(
        cls, program: Program, built: Map, seed: int, arrays: dict[str, np.ndarray], block: np.ndarray
    ) -> Self:
        """Create a world in the state that another engine has stepped it to, with these arrays. Raises its failure."""
        world = cls.__new__(cls)
        world.program = program
        world._timing = StepTimingStats()
        _native.World.__init__(world, built, seed)
        world._arrays = arrays
        world._set_buffers(*arrays.values())
        world._load(block)
        return world

    def clone(self) -> Self:
        """Return a new world in the same state, with its own arrays: to look ahead without changing this one."""
        world = type(self).from_snapshot(self.program, self._snapshot())
        world._arrays["actions"][:] = self._arrays["actions"]
        world._arrays["vibe_actions"][:] = self._arrays["vibe_actions"]
        world._map = self._map
        return world

    def copy_from(self, other: "MettaGrid") -> None:
        """Copy the state of another world of the same program: the fast way back to a branching point."""
        self._copy(other)

    def diff(self, other: "MettaGrid", *, max_changes: int = 1000) -> list[Change]:
        """Return the differences in state: `before` is this world, `after` the other; empty for equal worlds."""
        return list(changes(self, self._differences(other, max_changes)))

    def step_traced(self, *, bookkeeping: bool = False) -> list[TraceEntry]:
        """Run one step and return the rules that fired and the changes. Slow; the result is that of `step`."""
        return trace(self, bookkeeping=bookkeeping)

    # Arrays

    def observations(self) -> np.ndarray:
        return self._arrays["observations"]

    def terminals(self) -> np.ndarray:
        return self._arrays["terminals"]

    def truncations(self) -> np.ndarray:
        return self._arrays["truncations"]

    def rewards(self) -> np.ndarray:
        return self._arrays["rewards"]

    def actions(self) -> np.ndarray:
        return self._arrays["actions"]

    def vibe_actions(self) -> np.ndarray:
        return self._arrays["vibe_actions"]

    def masks(self) -> np.ndarray:
        """Return the mask of allowed actions: bool [n, actions], always all true."""
        return np.ones((self.num_agents, len(self.program.action_names)), np.bool_)

    # Results

    def get_episode_rewards(self) -> np.ndarray:
        return np.asarray(self._episode_rewards(), np.float32)

    def get_episode_stats(self) -> dict[str, Any]:
        """Return `{"game": {name: value}, "agent": [{name: value}, ...]}`."""
        game_names, agent_names = self.program.game_stat_names, self.program.agent_stat_names
        agents = []
        for agent in range(self.num_agents):
            stats = {agent_names[i]: value for i, value in self._agent_stats(agent)}
            agents.append(stats | self._invalid_stats(agent))
        return {"game": {game_names[i]: value for i, value in self._game_stats()}, "agent": agents}

    def _invalid_stats(self, agent_id: int) -> dict[str, float]:
        return {f"action.invalid_index.{i}": float(count) for i, count in self._invalid_actions(agent_id)}

    def get_game_stat(self, key: str) -> float | None:
        stat = self.program.game_stat_ids.get(key)
        return None if stat is None else self._game_stat(stat)

    def get_agent_stat(self, agent_id: int, key: str) -> float | None:
        stat = self.program.agent_stat_ids.get(key)
        return self._invalid_stats(agent_id).get(key) if stat is None else self._agent_stat(agent_id, stat)

    def set_inventory(self, agent_id: int, inventory: dict[int, int]) -> None:
        """Replace an agent's inventory: {resource id: amount}, within its limits."""
        amounts = [(index(resource), index(amount)) for resource, amount in dict(inventory).items()]
        for resource, amount in amounts:
            if not 0 <= resource < len(self.program.resource_names):
                raise IndexError(f"There is no resource {resource}.")
            if not 0 <= amount <= _MAX_AMOUNT:
                raise ValueError(f"An amount must be from 0 to {_MAX_AMOUNT}, not {amount}.")
        self._set_inventory(agent_id, amounts)

    def tag_index(self) -> TagIndex:
        return TagIndex(self)

    def _remove_tag_if_held(self, slot: int, object_id: int, tag_id: int) -> None:
        """Remove a tag from an object; no effect if the object or the whole game does not have it."""
        if 0 <= tag_id < len(self.program.tag_names):
            self._remove_tag(slot, object_id, tag_id)

    def _step_profiled(self) -> None:
        ns = dict(zip(_native.phase_names(), map(float, self._step_timed()), strict=False))
        self._timing = StepTimingStats(
            actions_ns=ns["Actions"],
            events_ns=ns["Events"],
            on_tick_ns=ns["Ticks"] + ns["GameTick"],
            aoe_ns=ns["Areas"],
            observations_ns=ns["Observations"],
            rewards_ns=ns["Rewards"],
            total_ns=sum(ns.values()),
        )

    @property
    def step_timing(self) -> StepTimingStats:
        return self._timing

    @property
    def last_obs_time_ns(self) -> float:
        return self._timing.observations_ns

    @property
    def obs_validation_stats(self) -> ObsValidationStats:
        return ObsValidationStats()

    # The game

    @property
    def max_steps(self) -> int:
        return self.program.max_steps

    @property
    def obs_width(self) -> int:
        return self.program.obs_width

    @property
    def obs_height(self) -> int:
        return self.program.obs_height

    @property
    def object_type_names(self) -> list[str]:
        return list(self.program.type_names)

    @property
    def resource_names(self) -> list[str]:
        return list(self.program.resource_names)

    @property
    def action_names(self) -> list[str]:
        return list(self.program.action_names)

    def visible_offsets(self) -> list[tuple[int, int]]:
        """Return the (row, column) offsets of the cells in the observation window."""
        return list(self.program.visible_offsets)

    # Objects

    def agent_group_ids(self) -> list[int]:
        """Return the group (the team) of each agent. The map decides which agents are in which one."""
        groups = self.program.group_ids
        return [groups[self._object(self._agent_slot(agent))[1]] for agent in range(self.num_agents)]

    def grid_objects(
        self,
        min_row: int = -1,
        max_row: int = -1,
        min_col: int = -1,
        max_col: int = -1,
        ignore_types: Iterable[str] = (),
    ) -> dict[int, dict[str, Any]]:
        """Return {object id: properties}. Bounds are half-open and used only if all four are given."""
        bounds = (min_row, max_row, min_col, max_col)
        if min(bounds) < 0:
            bounds = (0, self.map_height, 0, self.map_width)
        ignored = set(ignore_types)
        types = self.program.template_types
        described = {}
        for slot in self._slots_within(*bounds):
            seen = self._object(slot)
            if types[seen[1]] not in ignored:
                described[seen[0]] = self._describe_object(slot, *seen)
        return described

    def _describe_object(
        self, slot: int, object_id: int, template: int, row: int, col: int, agent: int, vibe: int
    ) -> dict[str, Any]:
        features = self.program.feature_names
        described: dict[str, Any] = {
            "id": object_id,
            "type_name": self.program.template_types[template],
            "location": (col, row),
            "r": row,
            "c": col,
            **{features[feature]: value for feature, value in self._object_tokens(slot)},
            "inventory": dict(self._object_inventory(slot)),
            "inventory_capacities": dict(self._object_limits(slot)),
            "tag_ids": self._object_tags(slot),
            "has_tag": partial(self._has_tag, slot, object_id),
            "add_tag": partial(self._add_tag, slot, object_id),
            "remove_tag": partial(self._remove_tag_if_held, slot, object_id),
        }
        if agent >= 0:
            action, animation, still, reward = self._agent(agent)
            described |= {
                "group_id": self.program.group_ids[template],
                "group_name": self.program.group_names[template],
                "vibe": vibe,
                "agent_id": agent,
                "last_action_id": action,
                "last_animation_id": animation,
                "current_stat_reward": reward,
                "steps_without_motion": still,
            }
        return described
