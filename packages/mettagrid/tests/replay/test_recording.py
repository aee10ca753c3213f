"""The recording equals the engine's state at every tick."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid import _native
from mettagrid.batch import Batch
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.replay import EpisodeRecorder, Frame, Replay, _recorder, frame_at, replay_bytes
from mettagrid.replay._rows import Field
from mettagrid.replay._v4_objects import Style
from mettagrid.simulator import Simulation

from .conftest import Played, busy_game, choose, play


def assert_same(replay: Replay, frame: Frame, played: Played, tick: int) -> None:
    """Compare a frame with the result of `grid_objects` at this tick."""
    expected = played.states[tick]
    assert {state.id for state in frame.objects.values()} == set(expected)
    for state in frame.objects.values():
        told = expected[state.id]
        assert (state.type_name, state.location) == (told["type_name"], told["location"])
        assert state.inventory == told["inventory"]
        assert sorted(state.tags) == sorted(told["tag_ids"])
        assert limits_by_resource(replay, state.number, state.limits) == told["inventory_capacities"]
        if state.agent_id is not None:
            agent = frame.agents[state.agent_id]
            assert (state.agent_id, state.vibe) == (told["agent_id"], told["vibe"])
            assert (agent.action, agent.animation) == (told["last_action_id"], told["last_animation_id"])
            found = {name: getattr(agent, name) for name in played.agents[tick][state.agent_id]}
            assert found == played.agents[tick][state.agent_id]
    stats = {replay.stat_names[key]: value for key, value in frame.stats.items()}
    tokens = ("tokens_written", "tokens_dropped", "tokens_free_space")
    assert stats == {name: value for name, value in played.stats[tick].items() if name not in tokens}


def limits_by_resource(replay: Replay, number: int, limits: dict[int, int]) -> dict[int, int]:
    kind = replay.kinds[replay.objects.kinds[number]]
    return {resource: limits[limit.key] for limit in kind.limits for resource in limit.resources or ()}


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_every_frame_is_what_the_engine_says(seed: int) -> None:
    played = play(busy_game(), seed=seed)
    for tick in range(31):
        assert_same(played.replay, frame_at(played.replay, tick), played, tick)


CASES = ["spawning_00", "spawning_03", "tags_01", "transfers_00", "limit_cascade_00", "event_motion_00", "mixed_04"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_recorded_games_are_followed_too(name: str, oracle_dir: Path) -> None:
    config = MettaGridConfig.model_validate(json.loads((oracle_dir / "cases" / f"{name}.json").read_text()))
    played = play(config, seed=3, steps=25)
    for tick in range(26):
        assert_same(played.replay, frame_at(played.replay, tick), played, tick)


@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
def test_a_mission_is_followed(oracle_dir: Path) -> None:
    text = gzip.decompress((oracle_dir / "missions" / "arena_8_1.json.gz").read_bytes())
    played = play(MettaGridConfig.model_validate_json(text), seed=5, steps=60)
    for tick in (0, 1, 30, 60):
        assert_same(played.replay, frame_at(played.replay, tick), played, tick)


def test_the_owner_of_a_cell_is_what_agents_standing_there_observe(busy: Played) -> None:
    here = next(feature.id for feature in busy.simulation.features if feature.name == "territory:here")
    seen = set()
    for tick in range(31):
        frame = frame_at(busy.replay, tick)
        for agent, tokens in enumerate(busy.observations[tick]):
            state = frame.objects[busy.replay.objects.of_agents[agent]]
            owner = int(frame.owners[0, state.location[1], state.location[0]])
            label = 0 if owner < 0 else 1 if owner in state.tags else 2
            assert tokens[(tokens[:, 0] == 0xFE) & (tokens[:, 1] == here), 2].tolist() == [label]
            seen.add(label)
    assert len(seen) > 1


@given(seed=st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_recording_changes_nothing_about_the_episode(seed: int) -> None:
    recorded, plain = (play(busy_game(), seed=seed, record=record) for record in (True, False))
    assert recorded.hashes == plain.hashes
    engines = [played.simulation._c_sim for played in (recorded, plain)]
    assert np.array_equal(engines[0].observations(), engines[1].observations())


def test_the_same_seed_gives_the_same_bytes(played: Callable[..., Played]) -> None:
    first, second = (played(busy_game(), seed=4).replay for _ in range(2))
    for ending in (".cogreplay", ".json.z", ".json.gz", ".json"):
        assert replay_bytes(first, ending) == replay_bytes(second, ending)


def test_full_pages_are_turned_without_losing_a_row(monkeypatch: pytest.MonkeyPatch, busy: Played) -> None:
    monkeypatch.setattr(_recorder, "_PAGE_ROWS", 1)
    assert replay_bytes(play(busy_game(), seed=19).replay, ".cogreplay") == replay_bytes(busy.replay, ".cogreplay")


def test_several_recorders_follow_one_world_each_from_its_own_tick() -> None:
    simulation = Simulation(busy_game(), seed=2)
    early = EpisodeRecorder.of(simulation)
    random = np.random.default_rng(2)
    late = None
    for tick in range(1, 11):
        choose(simulation, random)
        simulation.step()
        early.record()
        if tick == 4:
            late = EpisodeRecorder.of(simulation)
        elif late is not None:
            late.record()
    assert late is not None
    whole, part = early.finish(), late.finish()
    assert (part.first_tick, part.last_tick, part.steps) == (4, 10, 6)
    for tick in (4, 5, 10):
        one, other = frame_at(whole, tick), frame_at(part, tick)
        described = [{s.id: (s.location, s.inventory, s.tags) for s in f.objects.values()} for f in (one, other)]
        assert described[0] == described[1]


def test_a_recorder_that_is_gone_leaves_the_world_alone() -> None:
    simulation = Simulation(busy_game(), seed=2)
    EpisodeRecorder.of(simulation)
    simulation.step()
    recorder = EpisodeRecorder.of(simulation)
    simulation.step()
    recorder.record()
    assert recorder.finish().steps == 1


def test_a_state_that_is_put_in_place_of_another_is_recorded_as_it_is() -> None:
    simulation = Simulation(busy_game(), seed=2)
    engine, random = simulation._c_sim, np.random.default_rng(2)
    start, recorder = engine.snapshot(), EpisodeRecorder.of(simulation)
    for _ in range(8):
        choose(simulation, random)
        simulation.step()
    engine.restore(start)
    recorder.record()
    frame = frame_at(recorder.finish(), 1)
    assert {s.id: s.location for s in frame.objects.values()} == {
        key: told["location"] for key, told in simulation.grid_objects().items()
    }


def test_changes_made_from_outside_are_recorded_with_the_next_step(played: Callable[..., Played]) -> None:
    simulation = Simulation(busy_game(), seed=2)
    recorder = EpisodeRecorder.of(simulation)
    simulation.agent(1).set_inventory({"dust": 7})
    simulation.step()
    recorder.record()
    replay = recorder.finish()
    assert frame_at(replay, 1).objects[replay.objects.of_agents[1]].inventory[3] == 7


def test_a_world_of_a_batch_can_be_recorded() -> None:
    config = busy_game()
    simulation = Simulation(config, seed=0)
    engine = simulation._c_sim
    worlds = [MettaGrid(engine.program, engine._map, seed) for seed in (1, 2)]
    batch = Batch(worlds, threads=2)
    recorders = [EpisodeRecorder(world, config, seed=seed) for seed, world in zip((1, 2), worlds, strict=True)]
    for tick in range(5):
        batch.actions[:] = tick
        batch.step()
        for recorder in recorders:
            recorder.record()
    for recorder, world in zip(recorders, worlds, strict=True):
        frame = frame_at(recorder.finish(), 5)
        assert {s.id: s.location for s in frame.objects.values()} == {
            key: told["location"] for key, told in world.grid_objects().items()
        }


def test_the_map_and_the_actions_are_enough_to_play_the_episode_again(busy: Played) -> None:
    replay = busy.replay
    again = MettaGrid(MettaGridConfig.model_validate(replay.config), replay.map_rows(), replay.seed or 0)
    for tick in range(1, replay.last_tick + 1):
        agents = frame_at(replay, tick).agents
        again.actions()[:] = [agent.asked for agent in agents]
        again.vibe_actions()[:] = [agent.asked_vibe for agent in agents]
        again.step()
        assert again.state_hash() == busy.hashes[tick]


def test_kinds_say_what_limits_mean(busy: Played) -> None:
    limits = {kind.cell: kind.limits for kind in busy.replay.kinds}
    assert [(limit.name, limit.resources) for limit in limits["agent.red.0"]] == [
        ("bag", (0, 1)),
        ("pouch", (2,)),
        ("", (3,)),
    ]
    assert [(limit.name, limit.resources) for limit in limits["chest"]] == [("", (2,)), ("", (3,))]
    assert limits["wall"] == ()


def test_the_native_recorder_and_python_agree_on_the_fields() -> None:
    assert [name.upper() for name in _native.record_fields()] == [field.name for field in Field]


def test_native_and_python_agree_on_the_ways_to_write_a_column() -> None:
    assert [name.upper() for name in _native.text_styles()] == [style.name for style in Style]


def test_the_native_recorder_refuses_what_it_cannot_write_into() -> None:
    recorder = _native.Recorder(Simulation(busy_game())._c_sim)
    with pytest.raises(RuntimeError, match="no rows"):
        recorder.record()
    for rows in (np.zeros((2, 12), np.uint8), np.zeros((999, 12), np.uint8).ravel()[1:-11].reshape(-1, 12)):
        with pytest.raises(RuntimeError, match=r"at least|aligned"):
            recorder.use(rows)
    with pytest.raises(TypeError):
        recorder.use(np.zeros((999, 11), np.uint8))
    recorder.use(np.zeros((9999, 12), np.uint8))
    with pytest.raises(RuntimeError, match="one reward per agent"):
        recorder.record_with(np.zeros(3, np.float32))


def test_the_busy_game_has_something_of_everything(busy: Played) -> None:
    """Otherwise the tests above would prove little."""
    changes = busy.replay.changes
    assert set(changes.field.tolist()) == {field for field in Field if field > Field.AGENT}
    alive = changes.of_field(Field.ALIVE)
    assert {0, 1, 2} >= set(alive.value.tolist()) >= {0, 2}
    walls = {n for n, kind in enumerate(busy.replay.objects.kinds) if busy.replay.kinds[kind].type_name == "wall"}
    assert walls & set(changes.of_field(Field.TAG).object.tolist())
    assert {note.kind for note in busy.replay.notes} == {"talk", "infos", "monologue"}


def test_configs_that_differ_in_anything_are_recorded_as_they_are() -> None:
    configs = [busy_game() for _ in range(5)]
    configs[1].label = "other"
    configs[2].game.max_steps = 17
    configs[3].game.render.symbols = {"wall": "W"}
    configs[4].game.map_builder.map_data[1][2] = "#"
    for config in [*configs, *configs]:
        replay = EpisodeRecorder.of(Simulation(config)).finish()
        assert replay.config == config.to_published()


def test_a_game_with_two_types_for_one_map_name_can_be_recorded() -> None:
    """The later type hides the earlier one, which still counts among the kinds."""
    config = busy_game()
    hidden = config.game.objects["crate"].model_copy(update={"name": "box"})
    config.game.objects = {"hidden": hidden, **config.game.objects}
    replay = EpisodeRecorder.of(Simulation(config)).finish()
    assert [(kind.type_name, kind.cell) for kind in replay.kinds][:5] == [
        ("box", "crate"),
        ("wall", "wall"),
        ("chest", "chest"),
        ("crate", "crate"),
        ("pillar", "pillar"),
    ]
    assert "box" not in {state.type_name for state in frame_at(replay, 0).objects.values()}
