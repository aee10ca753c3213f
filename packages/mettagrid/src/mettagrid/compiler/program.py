"""`compile(config) -> Program`: a game as flat tables that the native core runs."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mettagrid import _native
from mettagrid._native import Map
from mettagrid.compiler.context import Context
from mettagrid.compiler.corrections import checked_corrections
from mettagrid.compiler.errors import CompileError
from mettagrid.compiler.events import add_events
from mettagrid.compiler.handlers import AnyHandler, place_all, place_handler, place_tick
from mettagrid.compiler.mutations import MAX_DISTANCE
from mettagrid.compiler.objects import add_agent, add_object, type_numbers
from mettagrid.compiler.queries import DIRECTIONS, place_query
from mettagrid.compiler.scenery import mark_scenery
from mettagrid.compiler.settings import check_observation, settings_row
from mettagrid.compiler.sharing import add_value, tags_read_by_all
from mettagrid.compiler.teams import AgentCells, group_teams
from mettagrid.compiler.values import place_value
from mettagrid.compiler.window import RADII, sight_target, touched_cells, window_cells
from mettagrid.config.action_config import ActionConfig
from mettagrid.config.filter import MaxDistanceFilter, TargetLocEmptyFilter
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, MettaGridConfig

if TYPE_CHECKING:
    from mettagrid.mettagrid_c import MettaGrid

EMPTY_CELLS = frozenset({"empty", ".", " "})
MAX_AGENTS = 65535
MAX_RESOURCES = 256
MAX_TAGS = 256

NOOP, MOVE, CHANGE_VIBE = range(3)


@dataclass(frozen=True)
class Program:
    """A compiled game: immutable, shared by all its worlds, independent of map and seed."""

    native: _native.Program
    action_names: list[str]
    resource_names: list[str]
    tag_names: list[str]
    type_names: list[str]
    feature_names: list[str]
    game_stat_names: list[str]
    agent_stat_names: list[str]
    template_types: list[str]
    """type name of each template"""
    group_names: dict[int, str]
    """team name by template of an agent"""
    group_ids: dict[int, int]
    visible_offsets: list[tuple[int, int]]
    """(row, column) offsets of the cells in the observation window, nearest first"""
    corrections: frozenset[str]
    """faults of the published engine that the game corrects"""
    num_agents: int
    max_steps: int
    num_tokens: int
    obs_height: int
    obs_width: int
    routine_names: dict[int, str] = field(repr=False)
    rule_names: list[str] = field(repr=False)
    """paths in the config of the rules in a trace"""
    _objects: dict[str, int] = field(repr=False)
    """template of each cell name; the last object wins if several share a name"""
    _object_cells: list[str] = field(repr=False)
    _agents: AgentCells = field(repr=False)
    _first_agent: int = field(repr=False)

    @cached_property
    def game_stat_ids(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.game_stat_names)}

    @cached_property
    def agent_stat_ids(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.agent_stat_names)}

    @cached_property
    def _cells(self) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
        """Return (code of each cell name, template by code, stat by code).

        Code 0 is an empty cell, -1 (the last) an agent; every agent has its own template.
        """
        objects = {name: i for name, i in self._objects.items() if name not in self._agents}
        codes = {name: code for code, name in enumerate(objects, 1)} | dict.fromkeys(EMPTY_CELLS, 0)
        stats = [self.game_stat_ids[f"objects.{name}"] for name in objects]
        return codes, np.array([-1, *objects.values(), -1], np.int32), np.array([-1, *stats, -1], np.int32)

    @cached_property
    def template_cells(self) -> list[str]:
        """Return the map cell name of each template; for an agent, the name that means only this agent."""
        return [*self._object_cells, *self._agents.single_names()]

    @cached_property
    def cell_count(self) -> int:
        """The number of distinct cell names in maps, without those of empty cells."""
        return len({*self._objects, *self._agents.names()})

    def agent_cells(self) -> dict[str, list[str]]:
        """Return {name of a team of several agents: names of its single agents}."""
        return self._agents.numbered()

    def map(self, rows: "Sequence[Sequence[str]] | np.ndarray") -> Map:
        """Resolve a map once, for any number of worlds: rows of cell names."""
        return Map(self.native, *self.resolve_map(rows))

    def world(self, map: "Map | Sequence[Sequence[str]] | np.ndarray", seed: int = 0) -> "MettaGrid":
        """Create a world on a map; with a map from `map()` this is little more than a memory copy."""
        from mettagrid.mettagrid_c import MettaGrid

        return MettaGrid(self, map, seed)

    def resolve_map(self, rows: "Sequence[Sequence[str]] | np.ndarray") -> tuple[np.ndarray, np.ndarray]:
        """Return (templates, stats): for each cell its template (-1 = none) and the stat that counts it."""
        names = _grid_of(rows)
        flat = names.ravel().tolist()
        codes, template_of, stat_of = self._cells
        cells = np.array([codes.get(name, -1) for name in flat], np.int32)
        templates, stats = template_of[cells], stat_of[cells]
        agents_at = np.flatnonzero(cells < 0).tolist()
        for i in agents_at:
            if flat[i] not in self._agents:
                row, col = divmod(i, names.shape[1])
                raise CompileError("", f"Unknown object type: {flat[i]} (map row {row}, column {col})")
        placed = self._agents.place([flat[i] for i in agents_at])
        if len(placed) != self.num_agents:
            raise CompileError(
                "game.num_agents", f"the map has {len(placed)} agents, but the game has {self.num_agents}"
            )
        for i, (counted_as, agent) in zip(agents_at, placed, strict=True):
            templates[i] = self._first_agent + agent
            stats[i] = self.game_stat_ids[f"objects.{counted_as}"]
        return templates.reshape(names.shape), stats.reshape(names.shape)


def _grid_of(rows: "Sequence[Sequence[str]] | np.ndarray") -> np.ndarray:
    """Return the cell names of a map as a two-dimensional array."""
    try:
        names = np.asarray(rows)
    except ValueError:  # rows of different lengths
        names = np.empty(0)
    if names.ndim != 2 or names.size == 0:
        raise CompileError("", "The map must be a non-empty grid with rows of equal length.")
    if names.dtype.kind != "U":
        names = np.array([[str(name) for name in row] for row in names.tolist()])
    return names


def compile(
    config: MettaGridConfig | GameConfig, *, strict: bool = False, corrections: Collection[str] = ()
) -> Program:
    """Compile a game.

    Raises `CompileError` with the path inside the config, the bad value and what is allowed. Names and settings without
    effect give a `ConfigWarning`; with `strict`, an error. `corrections` names faults of the published engine to
    correct, from `CORRECTIONS`.
    """
    game = game_of(config)
    c = Context(game, strict=strict, corrections=checked_corrections(corrections))
    _check_sizes(c)
    agents = agent_configs(game)
    teams = group_teams(agents)
    objects = list(game.objects.items())
    types = type_numbers([*(item for _, item in objects), *agents])
    _add_materialized(c)
    for key, item in objects:
        with c.at("game", "objects", key):
            add_object(c, item)
    groups = {member: team for team in teams for member in team.members}
    own_limits = "default_limits" in c.corrections
    for i, agent in enumerate(agents):
        with c.at("game", *(("agents", i) if game.agents else ("agent",))):
            default_limit = agents[i if own_limits else 0].inventory.default_limit
            add_agent(c, agent, groups[i].group, default_limit)
    proxy = c.tables.add("templates", limit_map=-1, modifier_mask=-1)
    cells = AgentCells(teams, strict=c.strict)
    for name in [*c.templates.names, *cells.names()]:
        c.game_stats.add(f"objects.{name}")
    actions = _add_actions(c)
    _check_talk(c)
    _add_territories(c)
    add_events(c)
    with c.at("game", "on_tick"):
        game_tick = place_tick(c, game.on_tick)
    _add_window(c)
    global_tags = tags_read_by_all(c, _add_global_values(c))
    settings_row(
        c,
        proxy_template=proxy,
        game_tick=game_tick,
        max_rewards=max(len(a.rewards) for a in agents),
        global_tags=global_tags,
    )
    _mark_dynamic_tags(c, objects)
    mark_scenery(c)
    return Program(
        native=_native.Program(c.tables.block()),
        action_names=actions,
        resource_names=list(c.resources.names),
        tag_names=list(c.tags.names),
        type_names=list(types),
        feature_names=[feature.name for feature in c.features.features()],
        game_stat_names=list(c.game_stats.names),
        agent_stat_names=list(c.agent_stats.names),
        template_types=[*(item.name for _, item in objects), *(agent.name for agent in agents), ""],
        group_names={len(objects) + i: groups[i].name for i in range(len(agents))},
        group_ids={len(objects) + i: groups[i].group for i in range(len(agents))},
        visible_offsets=[(cell.dr, cell.dc) for cell in window_cells(game.obs.height, game.obs.width)],
        corrections=c.corrections,
        num_agents=game.num_agents,
        max_steps=game.max_steps,
        num_tokens=game.obs.num_tokens,
        obs_height=game.obs.height,
        obs_width=game.obs.width,
        routine_names=c.code.names,
        rule_names=c.code.rules,
        _objects={name: i for i, name in enumerate(c.templates.names)},
        _object_cells=list(c.templates.names),
        _agents=cells,
        _first_agent=len(objects),
    )


def game_of(config: MettaGridConfig | GameConfig) -> GameConfig:
    """Return the game of a config, or the game itself."""
    game = config.game if isinstance(config, MettaGridConfig) else config
    if not isinstance(game, GameConfig):
        raise TypeError(f"A game is a GameConfig or MettaGridConfig, not {type(game).__name__}.")
    return game


def agent_configs(game: GameConfig) -> list[AgentConfig]:
    """Return `game.agents`, or `game.num_agents` copies of `game.agent`, all of team 0."""
    if game.agents:
        return list(game.agents)
    return [game.agent.model_copy(update={"team_id": 0})] * game.num_agents


def _check_sizes(c: Context) -> None:
    game = c.game
    with c.at("game"):
        c.number(game.num_agents, "num_agents", low=1, high=MAX_AGENTS)
        with c.at("resource_names"):
            if len(c.resources) > MAX_RESOURCES:
                c.error(f"the game has {len(c.resources)} resources; at most {MAX_RESOURCES} are allowed")
            for name, count in Counter(game.resource_names).items():
                if count > 1:
                    c.error(f"{name!r} is listed {count} times")
        if len(c.tags) > MAX_TAGS:
            with c.at("tags"):
                c.error(f"the game has {len(c.tags)} tags; at most {MAX_TAGS} are allowed")
    check_observation(c)


def _add_actions(c: Context) -> list[str]:
    """Add the actions in engine order; return their names."""
    actions = c.game.actions
    names = ["noop"]
    c.tables.add("actions", kind=NOOP)
    with c.at("game", "actions"):
        for direction in actions.move.allowed_directions:
            dr, dc = DIRECTIONS[direction]
            code = list(DIRECTIONS).index(direction)
            c.tables.add("actions", kind=MOVE, dr=dr, dc=dc, direction=code)
            names.append(f"move_{direction}")
        if actions.change_vibe.enabled:
            for i, vibe in enumerate(c.vibes.names):
                c.tables.add("actions", kind=CHANGE_VIBE, vibe=i)
                names.append(f"change_vibe_{vibe}")
        if len(c.vibes) > 256:  # vibes are bytes
            c.error(f"the game has {len(c.vibes)} vibes; at most 256 are allowed")
        for name in ("noop", "move", "attack", "change_vibe"):
            with c.at(name):
                _check_costs(c, getattr(actions, name))
                if name in ("noop", "move") and not getattr(actions, name).enabled:
                    c.warn("the engine always has this action; disabling it only shifts the action ids in Python")
        with c.at("attack"):
            _check_attack(c)
        for i, handler in _effective_move_handlers(c):
            with c.at("move", "handlers", i):
                _add_move_handler(c, handler)
    return names


def _effective_move_handlers(c: Context) -> list[tuple[int, AnyHandler]]:
    """Return the move handlers that run, with their index in the config.

    The published engine stores move handlers by name: a later handler replaces an earlier one with the same name. A
    handler without a name is called `move_handler_<index>`.
    """
    by_name: dict[str, tuple[int, AnyHandler]] = {}
    for i, handler in enumerate(c.game.actions.move.handlers):
        name = (handler.name if isinstance(handler, Handler) else "") or f"move_handler_{i}"
        if name in by_name:
            replaced = by_name[name][0]
            with c.at("move", "handlers", replaced):
                c.warn(f"handler {i} has the same name {name!r} and replaces this one; give each handler its own name")
        by_name[name] = (i, handler)
    return list(by_name.values())


def _check_costs(c: Context, action: ActionConfig) -> None:
    for field_name in ("consumed_resources", "required_resources"):
        costs = getattr(action, field_name)
        if not costs or not action.enabled:
            continue
        with c.at(field_name):
            for name in costs:
                c.resource(name)
            # No warning: every mission of Cogs vs Clips has such a cost. `check_mission` reports it to authors.
            if c.strict:
                c.error("costs of actions are not enforced; write them as handlers")


def _check_attack(c: Context) -> None:
    """Check the names in the attack action; they must exist, although they have no effect."""
    attack = c.game.actions.attack
    for field_name in ("vibes", "vibe_bonus"):
        with c.at(field_name):
            for name in getattr(attack, field_name):
                c.require(c.vibes, name)
    outcome = attack.success
    for resources in (attack.defense_resources, attack.armor_resources, attack.weapon_resources):
        for name in resources:
            c.resource(name)
    for name in (*outcome.actor_inv_delta, *outcome.target_inv_delta, *outcome.loot):
        c.resource(name)
    if attack.enabled:
        c.warn("the attack action has no effect; write attacks as on_use_handler of agents")


def _check_talk(c: Context) -> None:
    name = c.game.talk.broadcast_resource
    if name is not None and c.resources.get(name) is None:
        with c.at("game", "talk", "broadcast_resource"):
            c.warn(f"there is no resource {name!r}; no agent hears at a distance")


def _add_move_handler(c: Context, handler: AnyHandler) -> None:
    filters = handler.filters if isinstance(handler, Handler) else []
    radii = [item.radius for item in filters if isinstance(item, MaxDistanceFilter)]
    reach = min(radii[-1], MAX_DISTANCE) if radii and radii[-1] > 0 else 1
    takes_empty = any(isinstance(item, TargetLocEmptyFilter) for item in filters)
    c.tables.add("move_handlers", entry=place_handler(c, handler), range=reach, takes_empty=int(takes_empty))


def _add_territories(c: Context) -> None:
    for name, territory in c.game.territories.items():
        with c.at("game", "territories", name):
            tags = c.tags_with_prefix(territory.tag_prefix)
            if not tags:
                c.warn(f"no tag starts with {territory.tag_prefix!r}; no team can own this territory")
            first_tag, tag_count = c.tables.add_list(tags)
            entries = {}
            for field_name in ("on_enter", "on_exit", "presence"):
                with c.at(field_name):
                    entries[field_name] = place_all(c, getattr(territory, field_name), checks_failure=False)
            c.tables.add(
                "territories",
                first_tag=first_tag,
                tag_count=tag_count,
                **entries,
            )


def _add_materialized(c: Context) -> None:
    for i, item in enumerate(c.game.materialize_queries):
        with c.at("game", "materialize_queries", i):
            tag = c.changing_tag(item.tag)
            with c.at("query"):
                entry = place_query(c, item.query)
            c.materialized.setdefault(tag, entry)  # if several queries have one tag, rules recompute the first
            c.tables.add("materialized", tag=tag, query=entry)


def _add_window(c: Context) -> None:
    obs = c.game.obs
    cells = window_cells(obs.height, obs.width)
    for cell in cells:
        neighbours = cell.neighbours - (1 << 32) if cell.neighbours >= 1 << 31 else cell.neighbours
        c.tables.add_rows("window", [[cell.dr, cell.dc, cell.location, cell.radius_mask, neighbours]])
    if any(item.blocks_vision for item in c.game.objects.values()):
        for radius in range(RADII):
            for cell in cells:
                target = sight_target(cell.dr, cell.dc, obs.height >> 1, obs.width >> 1, radius)
                if "sight" in c.corrections:
                    target = cell.dr, cell.dc
                c.tables.add_rows("sights", [c.tables.add_rows("touches", touched_cells(*target))])


def _add_global_values(c: Context) -> list[int]:
    """Return their entries."""
    entries = []
    for name, value in c.game.obs.global_obs.obs.items():
        with c.at("game", "obs", "global_obs", "obs", name):
            entry = place_value(c, value)
            c.tables.add("global_values", value=add_value(c, entry), feature=c.features.feature_id(name))
            entries.append(entry)
    return entries


def _mark_dynamic_tags(c: Context, objects: Sequence) -> None:
    """Reserve room for every object in the tags that objects can get while the game runs."""
    for _, item in objects:
        if item.map_name in c.spawned:
            c.dynamic_tags |= {c.tag(name) for name in {*item.tags, f"type:{item.name}"}}
    c.tables.add_rows("tag_is_dynamic", ([int(tag in c.dynamic_tags)] for tag in range(len(c.tags))))
