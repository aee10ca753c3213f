"""States, events, progress and advice of Cogs vs Clips, from the observations of real episodes."""

import pytest

from cogames.missions import catalog
from cogames.policy import cog
from cogames.policy.starter_agent import StarterPolicy
from cogames.sdk import SemanticEventExtractor, SemanticStateAdapter
from cogames.sdk.cogsguard import (
    CogsguardEventExtractor,
    CogsguardProgressTracker,
    CogsguardPromptAdapter,
    CogsguardScenarioBuilder,
    CogsguardScenarioPresets,
    CogsguardSemanticSurface,
    CogsguardStateAdapter,
    constants,
    render_cogsguard_learnings,
    select_cogsguard_learnings,
)
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.sdk.agent import ActionCatalog, ProgressSnapshot
from mettagrid.sdk.agent.test_support import LogStub, MemoryStub
from mettagrid.simulator import Simulation
from mettagrid.simulator.interface import AgentObservation, Location, VisibleTalk

surface = CogsguardSemanticSurface()
make = CogsguardScenarioBuilder()


@pytest.fixture(scope="module")
def episode():
    """The states of agent 1, an aligner, in the first 160 steps of `arena`."""
    env = catalog.load("arena", seed=3)
    simulation, info = Simulation(env, seed=5), PolicyEnvInterface.from_mg_cfg(env)
    policy = StarterPolicy(info)
    agents = [policy.agent_policy(agent) for agent in range(simulation.num_agents)]
    states = []
    for step in range(160):
        observations = simulation.observations()
        previous = states[-1] if states else None
        states.append(
            surface.build_state_with_events(observations[1], policy_env_info=info, step=step, previous_state=previous)
        )
        for agent, seen in zip(agents, observations, strict=True):
            simulation.agent(agent._agent_id).set_action(agent.step(seen).name)
        simulation.step()
    return states


def test_the_first_state_knows_the_cog_and_its_team(episode):
    state = episode[0]
    own, team = state.self_state, state.team_summary
    assert (state.game, own.entity_id, own.role, own.labels) == (
        "cogsguard",
        "agent-1",
        "unknown",
        ["friendly", "team:cogs"],
    )
    assert (own.position.x, own.position.y, own.inventory["hp"]) == (0, 0, 50)
    assert team.team_id == "cogs" and set(team.shared_inventory) == {"carbon", "germanium", "oxygen", "silicon"}
    assert team.members and all(member.entity_id.startswith("agent-") for member in team.members)
    assert state.recent_events == []


def test_entities_have_ids_types_labels_and_places_on_the_map(episode):
    entities = [entity for state in episode for entity in state.visible_entities]
    types = {entity.entity_type for entity in entities}
    assert {"hub", "junction", "aligner_station", "wall", "agent", "carbon_extractor"} <= types
    hubs = {entity.entity_id for entity in entities if entity.entity_type == "hub"}
    assert len(hubs) == 1  # the same object has the same id from every place
    hub = next(entity for entity in entities if entity.entity_type == "hub")
    assert hub.entity_id == f"hub@{hub.attributes['global_x']},{hub.attributes['global_y']}"
    assert hub.labels == ["hub", "friendly"] and hub.attributes["owner"] == "cogs"
    for state in episode:
        places = [(entity.position.y, entity.position.x) for entity in state.visible_entities]
        assert places == sorted(places)


def test_hearts_gear_and_captures_become_events(episode):
    events = {event.event_type: event for state in episode for event in state.recent_events}
    assert {"gear_acquired", "heart_acquired", "heart_lost", "extractor_seen", "junction_owner_changed"} <= set(events)
    gear, capture = events["gear_acquired"], events["junction_owner_changed"]
    assert gear.event_id == f"gear_acquired:aligner:{gear.step}" and gear.evidence == ["gear=aligner", "count=1"]
    assert (gear.importance, capture.importance) == (0.7, 0.8)
    assert "current_owner=cogs" in capture.evidence


def test_a_rendered_state_lists_what_is_in_view(episode):
    lines = surface.render_state(episode[0]).splitlines()
    assert lines[:3] == ["SELF", "step: 0", "team: cogs"]
    assert len(lines) == lines.index("VISIBLE") + 1 + len(episode[0].visible_entities)
    eventful = next(state for state in episode if state.recent_events)
    event = eventful.recent_events[0]
    assert f"- {event.event_type}: {event.summary}" in surface.render_state(eventful).splitlines()


def test_the_bundle_answers_from_the_state_with_objectives(episode):
    sdk = surface.build_sdk(
        episode[0],
        actions=ActionCatalog([]),
        memory=MemoryStub(),
        log=LogStub(),
        shared_objectives=["missing_resource:oxygen"],
    )
    assert sdk.helpers.agent_id() == 1
    assert sdk.helpers.missing_resources() == ["oxygen"]
    assert episode[0].team_summary.shared_objectives == []
    assert surface.with_shared_objectives(episode[0]) is episode[0]


def test_messages_are_attached_to_their_speakers():
    env = catalog.load("arena", seed=3)
    info = PolicyEnvInterface.from_mg_cfg(env)
    seen = Simulation(env, seed=5).observations()[0]
    quiet = surface.build_state(seen, policy_env_info=info)
    mate = next(entity for entity in quiet.visible_entities if entity.entity_id == "agent-1")
    place = Location(6 + mate.position.y, 6 + mate.position.x)
    talk = [
        VisibleTalk(0, "I mine", Location(6, 6), 9),
        VisibleTalk(1, "I align", place, 4),
        VisibleTalk(77, "unseen", Location(0, 0), 2),
    ]
    state = surface.build_state(
        AgentObservation(agent_id=0, tokens=seen.tokens, talk=talk), policy_env_info=info, step=1
    )
    by_id = {entity.entity_id: entity for entity in state.visible_entities}
    assert "talk: I mine (ttl=9)" in surface.render_state(state)
    assert by_id["agent-1"].labels[-1] == "talking" and by_id["agent-1"].attributes["talk_text"] == "I align"
    assert by_id["agent-77"].labels == ["agent", "talking"]
    assert len(state.visible_entities) == len(quiet.visible_entities) + 1


def test_a_game_without_teams_has_a_state_too():
    env = MettaGridConfig.EmptyRoom(2, with_walls=True)
    env.game.map_builder.seed = 3
    info = PolicyEnvInterface.from_mg_cfg(env)
    seen = Simulation(env, seed=1).observations()[0]
    first = surface.build_state(seen, policy_env_info=info)
    state = surface.build_state_with_events(seen, policy_env_info=info, previous_state=first)
    assert state.team_summary is None and state.recent_events == []
    assert {label for entity in state.visible_entities for label in entity.labels[1:]} == {"neutral"}
    assert "team: unknown" in surface.render_state(state)


def test_constants_are_those_of_the_game():
    assert constants.COGSGUARD_GEAR_COSTS == cog.GEAR_COST
    assert constants.COGSGUARD_HUB_ALIGN_DISTANCE == cog.HUB_REACH
    assert constants.COGSGUARD_JUNCTION_ALIGN_DISTANCE == cog.NETWORK_REACH


def test_the_parts_keep_the_protocols():
    assert isinstance(CogsguardStateAdapter(), SemanticStateAdapter)
    assert isinstance(CogsguardEventExtractor(), SemanticEventExtractor)


@pytest.mark.parametrize(
    ("objective", "patience"), [("resource_coverage", 16), ("economy_bootstrap", 24), ("aligner_pressure", 24)]
)
def test_objectives_stall_without_progress(objective, patience):
    tracker = CogsguardProgressTracker()

    def stalled(step, **state):
        shot = tracker.snapshot(
            make.state(step=step, role="miner", heart=0, **state),
            objective=objective,
            seen_resources=["carbon"],
            missing_resources=["oxygen"],
        )
        assert (shot.milestones[-1:] == ["objective appears stalled"]) == shot.metric("progress_stalled")
        return shot.metric("progress_stalled")

    assert not stalled(100)
    assert not stalled(100 + patience - 1)
    assert stalled(100 + patience)
    assert not stalled(99)  # an earlier step starts the count again


def test_progress_of_each_kind_is_a_milestone():
    tracker = CogsguardProgressTracker()
    ours = make.neutral_junction()
    ours.attributes["owner"] = "cogs"

    def milestones(step, seen, **state):
        return tracker.snapshot(
            make.state(step=step, role="miner", heart=0, **state),
            objective="resource_coverage",
            seen_resources=seen,
            missing_resources=[],
        ).milestones

    assert milestones(0, []) == []
    assert milestones(1, ["carbon"], shared_inventory={"carbon": 50, "heart": 2}, visible_entities=[ours]) == [
        "resource types touched: 1",
        "team resource units: 80",
        "hearts ready: 2",
        "friendly junctions visible: 1",
    ]
    assert milestones(2, ["carbon"]) == []


def test_advice_for_a_stall_comes_first():
    def ids(progress=None):
        chosen = select_cogsguard_learnings(objective="aligner_pressure", progress=progress)
        return [learning.learning_id for learning in chosen]

    stalled = ProgressSnapshot(objective="aligner_pressure", metrics={"progress_stalled": True, "heart_total": 1})
    assert ids()[0] == "heart_gated_junctions" and ids()[-1] == "pressure_needs_map_change"
    assert ids(stalled)[0] == "pressure_needs_map_change"
    assert render_cogsguard_learnings(objective="other", limit=1).startswith("TACTICAL_LEARNINGS\n- ")


def test_scenarios_tell_events():
    library = [name for name, _ in CogsguardScenarioPresets.library()]
    scenario = CogsguardScenarioPresets.aligner_heart_capture()
    before, after = scenario.states
    assert scenario.name == library[0]
    assert [event.event_id for event in surface.extract_events(before, after)] == ["heart_acquired:11"]
    notes = CogsguardPromptAdapter().render_reference_notes(objective="resource_coverage")
    assert all(f"- {name}: " in notes for name in library)
    assert "target_entity_id" in surface.render_skill_library()
