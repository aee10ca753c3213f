"""The agent SDK: states as things with names, helpers, and observations by cell."""

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.sdk.agent import (
    ActionCatalog,
    ActionDescriptor,
    GridPosition,
    HelperCatalog,
    LogRecord,
    LogSink,
    MacroDirective,
    MemoryQuery,
    MemoryView,
    MettagridActions,
    MettagridHelpers,
    MettagridSDK,
    MettagridState,
    PlanView,
    ProgressSnapshot,
    SelfState,
    SemanticEntity,
    SemanticEvent,
    StateHelperCatalog,
    TeamSummary,
)
from mettagrid.sdk.agent.runtime import ObservationEnvelope, decode_observation
from mettagrid.sdk.agent.test_support import LogStub, MemoryStub, PlanStub
from mettagrid.simulator import AgentObservation, Simulation


def entity(entity_id, entity_type, x, y, labels=()):
    position = GridPosition(x=x, y=y)
    return SemanticEntity(entity_id=entity_id, entity_type=entity_type, position=position, labels=list(labels))


@pytest.fixture
def state():
    return MettagridState(
        game="g",
        step=5,
        self_state=SelfState(
            entity_id="agent-3",
            entity_type="agent",
            position=GridPosition(x=0, y=0),
            attributes={"agent_id": 3},
            role="miner",
            status=["tired"],
        ),
        visible_entities=[
            entity("b", "tree", 1, 1, ["x"]),
            entity("a", "tree", 2, 0),
            entity("c", "rock", 0, 1, ["x", "y"]),
            entity("d", "tree", -5, 0),
        ],
        team_summary=TeamSummary(
            team_id="t",
            shared_inventory={"gold": 2},
            shared_objectives=["win", "seen_resource:ore", "missing_resource:wood"],
        ),
        recent_events=[
            SemanticEvent(event_id=str(number), event_type=kind, step=number, summary="")
            for number, kind in enumerate(["move", "hit", "move"])
        ],
    )


def test_a_position_can_be_indexed():
    position = GridPosition(x=3, y=4)
    assert (position[0], position["x"], position[1], position["y"]) == (3, 3, 4, 4)
    with pytest.raises(IndexError):
        position[2]
    with pytest.raises(KeyError):
        position["z"]


def test_helpers_answer_from_the_state(state):
    helpers = StateHelperCatalog(state)
    assert helpers.agent_id() == 3
    assert helpers.position() == (0, 0)
    assert helpers.shared_inventory() == {"gold": 2}
    assert (helpers.seen_resources(), helpers.missing_resources()) == (["ore"], ["wood"])
    assert helpers.visible_entity_counts() == {"rock": 1, "tree": 3}
    assert helpers.recent_event_types() == ["move", "hit"]
    assert (helpers.self_attribute("agent_id"), helpers.self_attribute("hp", 7)) == (3, 7)


def test_things_in_sight_are_found_by_type_label_and_distance(state):
    helpers = StateHelperCatalog(state)
    assert helpers.visible_entity_ids("tree") == ["b", "a", "d"]
    assert helpers.visible_entity_ids(label="x") == ["b", "c"]
    assert helpers.visible_entity_ids(max_distance=2) == ["b", "a", "c"]
    assert helpers.nearest_visible_entity("tree").entity_id == "a"
    assert helpers.nearest_visible_entity("house") is None
    assert (helpers.distance_to_entity("d"), helpers.distance_to_entity("agent-3")) == (5, None)


def test_helpers_of_an_agent_alone_are_empty_handed(state):
    helpers = StateHelperCatalog(state.model_copy(update={"team_summary": None, "visible_entities": []}))
    assert helpers.shared_inventory() == {}
    assert helpers.shared_objectives() == helpers.seen_resources() == helpers.visible_entities() == []


def test_every_listed_helper_exists(state):
    helpers = StateHelperCatalog(state)
    names = [capability.name for capability in helpers.list_capabilities()]
    assert len(names) == 14
    assert all(callable(getattr(helpers, name)) for name in names)
    assert helpers.render_capability_summary(2).count("\n") == 1
    assert HelperCatalog([]).render_capability_summary() == "none"


def test_a_query_for_memories_follows_from_the_state(state):
    query = MemoryQuery.from_state(state, active_plan="p", extra_tags=["e"])
    assert query.target_tags == ["e", "miner", "rock", "tired", "tree", "x", "y"]
    assert (query.game, query.step, query.role_context, query.active_plan) == ("g", 5, "miner", "p")


def test_a_directive_is_empty_when_it_says_nothing():
    assert MacroDirective().is_empty() and MacroDirective(role="").is_empty()
    assert not MacroDirective(note="n").is_empty() and not MacroDirective(metadata={"a": 1}).is_empty()


def test_progress_is_rendered_with_metrics_by_name():
    progress = ProgressSnapshot(objective="win", milestones=["m"], metrics={"b": 1, "a": 2.5})
    assert progress.render(max_metrics=1) == "objective: win\nsummary: none\nmilestones:\n- m\nmetrics:\n- a: 2.5"
    assert (progress.metric("b"), progress.metric("c", 0)) == (1, 0)


def test_the_kit_passes_on_to_its_parts(state):
    actions = ActionCatalog([ActionDescriptor(name="dig", description="dig a hole")])
    memory, log, plan = MemoryStub(scratchpad="a"), LogStub(), PlanStub(text="p")
    sdk = MettagridSDK(state, actions, StateHelperCatalog(state), memory, log)
    sdk.append_plan("ignored")
    sdk.append_scratchpad("b")
    assert (sdk.scratchpad, sdk.read_plan()) == ("ab", "")
    sdk.plan = plan
    sdk.append_plan("q")
    assert (sdk.read_plan(), sdk.read_plan(1)) == ("pq", "q")
    sdk.log.write(LogRecord(level="info", message="m"))
    assert [record.message for record in log.records] == ["m"]


def test_stand_ins_and_catalogues_keep_the_protocols(state):
    assert isinstance(ActionCatalog([]), MettagridActions)
    assert isinstance(StateHelperCatalog(state), MettagridHelpers)
    assert isinstance(MemoryStub(), MemoryView)
    assert isinstance(PlanStub(), PlanView)
    assert isinstance(LogStub(), LogSink)


def test_an_observation_is_decoded_by_cell_with_whole_numbers_and_tag_names():
    env = MettaGridConfig.EmptyRoom(2, with_walls=True)
    env.game.map_builder.seed = 3
    env.game.agent.inventory.initial = {"ore_red": 300, "heart": 2}
    env.game.agent.tags = ["zz", "aa"]
    simulation = Simulation(env, seed=1)
    info = PolicyEnvInterface.from_mg_cfg(env)
    decoded = decode_observation(ObservationEnvelope(simulation.agent(0).observation, info, step=4))
    own = decoded.self_cell
    assert own.tags == ("aa", "type:agent", "zz")
    assert (own.features["inv:ore_red"], own.features["inv:heart"]) == (300, 2)
    assert (own.row, own.col, own.x, own.y) == (6, 6, 0, 0)
    assert "episode_completion_pct" in decoded.global_features
    assert list(decoded.cells_by_location) == sorted(decoded.cells_by_location)
    wall = next(cell for cell in decoded.cells if cell.tags == ("type:wall",))
    assert (wall.x, wall.y) == (wall.col - 6, wall.row - 6)


def test_an_empty_observation_has_an_empty_own_cell():
    info = PolicyEnvInterface.from_mg_cfg(MettaGridConfig.EmptyRoom(1))
    decoded = decode_observation(ObservationEnvelope(AgentObservation(agent_id=0, tokens=[]), info))
    assert decoded.cells == []
    assert (decoded.self_cell.tags, decoded.self_cell.features, decoded.step) == ((), {}, None)
