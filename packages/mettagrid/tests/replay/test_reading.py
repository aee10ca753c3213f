"""Documents of all versions, tolerant where the format allows it; anything else is refused in one sentence."""

import contextlib
import gzip
import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.replay import (
    AgentState,
    Frame,
    ObjectState,
    Replay,
    ReplayError,
    UnknownReplayVersion,
    UnreadableReplay,
    frame_at,
    load_replay,
    replay_bytes,
    summarize,
    v4_document,
)

from .conftest import Played

WALL = {"id": 1, "type_name": "wall", "location": [0, 0]}
AGENT = {"id": 2, "type_name": "agent", "location": [1, 0], "is_agent": True, "agent_id": 0}


def document(*objects: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {
        "version": 4,
        "action_names": ["noop", "move_east"],
        "item_names": ["gold", "ore"],
        "type_names": ["agent", "wall"],
        "capacity_names": ["bag"],
        "tags": {"a": 0, "b": 1},
        "map_size": [4, 3],
        "num_agents": 1,
        "max_steps": 5,
        "objects": list(objects),
    } | keys


def load(loaded: dict[str, Any]) -> Replay:
    return load_replay(json.dumps(loaded).encode())


def at(replay: Replay, index: int) -> Frame:
    return frame_at(replay, index + 1)


def agent_at(fields: dict[str, Any], index: int) -> tuple[ObjectState, AgentState]:
    frame = at(load(document(AGENT | fields)), index)
    return frame.objects[0], frame.agents[0]


def test_a_place_is_a_constant_or_a_list_of_changes() -> None:
    assert agent_at({"location": [3, 2]}, 4)[0].location == (3, 2)
    moves = {"location": [[0, [1, 0]], [3, [2, 0]]]}
    assert [agent_at(moves, index)[0].location for index in (0, 2, 3, 4)] == [(1, 0), (1, 0), (2, 0), (2, 0)]


def test_a_list_of_pairs_is_an_inventory_unless_its_values_are_lists() -> None:
    assert agent_at({"inventory": [[0, 200]]}, 3)[0].inventory == {0: 200}
    changes = {"inventory": [[0, []], [2, [[0, 1], [1, 3]]], [4, [[1, 3]]]]}
    assert [agent_at(changes, i)[0].inventory for i in range(5)] == [{}, {}, {0: 1, 1: 3}, {0: 1, 1: 3}, {1: 3}]


def test_tags_and_limits_follow_the_same_rule() -> None:
    assert agent_at({"tag_ids": [0, 1]}, 0)[0].tags == {0, 1}
    assert agent_at({"tag_ids": [[0, [1]], [3, [0]]]}, 3)[0].tags == {0}
    assert agent_at({"inventory_capacities": [[0, 9]]}, 0)[0].limits == {0: 9}
    assert agent_at({"inventory_capacities": [[0, [[0, 9]]], [1, [[0, 4]]]]}, 2)[0].limits == {0: 4}


def test_missing_fields_are_nothing_and_unknown_ones_are_left_alone() -> None:
    state, agent = agent_at({"new_in_version_5": [[0, 1]]}, 2)
    assert (state.inventory, state.tags, state.vibe) == ({}, set(), 0)
    assert (agent.action, agent.success, agent.reward, agent.talk, agent.infos) == (0, False, 0.0, "", {})


def test_a_list_of_changes_that_begins_late_is_nothing_before() -> None:
    changes = {"action_id": [[2, 1]], "current_reward": [[3, 0.5]], "action_success": [[4, True]]}
    assert [agent_at(changes, index)[1].action for index in range(4)] == [0, 0, 1, 1]
    assert [agent_at(changes, index)[1].total_reward for index in (2, 3, 4)] == [0.0, 0.5, 1.0]
    assert agent_at(changes, 4)[1].success is True


def test_objects_come_and_go() -> None:
    replay = load(document(AGENT, WALL | {"alive": [[0, False], [2, True], [4, False]]}))
    assert [1 in at(replay, index).objects for index in range(5)] == [False, False, True, True, False]


def test_talk_and_infos_are_read() -> None:
    fields = {
        "talk_text": [[0, ""], [1, "hi"], [3, ""]],
        "talk_remaining_steps": [[0, 0], [1, 2], [2, 1], [3, 0]],
        "policy_infos": [[0, {"policy_name": "p"}], [2, {"policy_name": "p", "x": 1}]],
    }
    found = [agent_at(fields, index)[1] for index in range(4)]
    assert [(a.talk, a.talk_remaining) for a in found] == [("", 0), ("hi", 2), ("hi", 1), ("", 0)]
    assert [len(a.infos) for a in found] == [1, 1, 2, 2]
    assert load(document(AGENT | fields)).policy_names == ["p"]


def test_what_has_no_place_in_a_replay_is_written_back() -> None:
    odd = document(
        AGENT | {"monologue_append": [[0, "a"], [2, "b"]], "orientation": 3, "current_reward": 0.1, "total_reward": 7},
        WALL | {"output_resources": [[0, 2]], "alive": [[0, True], [3, False]], "vision_size": 5},
        file_name="x.json.z",
        group_names=["red"],
        tags={"a": 3},
        infos={"agent": {"x": 1.5}, "attributes": {"seed": 4}},
    )
    for ending in (".json", ".cogreplay"):
        again = v4_document(load_replay(replay_bytes(load(odd), ending)))
        for key, value in odd.items():
            if key != "objects":
                assert again[key] == value
        for written, given_object in zip(again["objects"], odd["objects"][::-1], strict=True):
            assert {key: written[key] for key in given_object} == given_object


VERSION_1 = {
    "version": 1,
    "action_names": ["noop", "move"],
    "inventory_items": ["gold", "ore"],
    "object_types": ["agent", "wall"],
    "map_size": [4, 3],
    "num_agents": 1,
    "max_steps": 5,
    "grid_objects": [
        {"id": 1, "type": 1, "r": 2, "c": 3},
        {
            "id": 2,
            "type": 0,
            "agent_id": 0,
            "r": [[0, 0], [2, 1]],
            "c": [[0, 1], [3, 2]],
            "action": [[0, [0, 0]], [2, [1, 3]]],
            "action_success": [[0, 0], [2, 1]],
            "agent:inv:gold": [[0, 0], [1, 2]],
            "inv:ore": 1,
            "reward": [[0, 0.0], [1, 1.0], [2, 0.0]],
            "total_reward": [[0, 0.0], [1, 1.0]],
            "agent:group": 1,
        },
    ],
}
VERSION_2 = {
    "version": 2,
    "action_names": ["noop", "move"],
    "item_names": ["gold", "ore"],
    "type_names": ["agent", "wall"],
    "map_size": [4, 3],
    "num_agents": 1,
    "max_steps": 5,
    "objects": [
        {"id": 1, "type_id": 1, "location": [3, 2, 0], "recipe_input": [0, 0, 1]},
        {
            "id": 2,
            "type_id": 0,
            "agent_id": 0,
            "location": [[0, [1, 0, 0]], [2, [1, 1, 0]], [3, [2, 1, 0]]],
            "inventory": [[0, [1]], [1, [0, 0, 1]]],
            "action_id": [[0, 0], [2, 1]],
            "action_parameter": [[0, 0], [2, 3]],
            "action_success": [[0, False], [2, True]],
            "current_reward": [[1, 1.0], [2, 0.0]],
            "total_reward": [[1, 1.0]],
            "group_id": 1,
        },
    ],
}
VERSION_3 = {
    **VERSION_2,
    "version": 3,
    "objects": [
        {"id": 1, "type_name": "wall", "location": [3, 2]},
        {
            **VERSION_2["objects"][1],
            "type_name": "agent",
            "location": [[0, [1, 0]], [2, [1, 1]], [3, [2, 1]]],
            "inventory": [[0, [[1, 1]]], [1, [[0, 2], [1, 1]]]],
        },
    ],
}


@pytest.mark.parametrize("old", [VERSION_1, VERSION_2, VERSION_3], ids=["1", "2", "3"])
def test_earlier_versions_mean_the_same(old: dict[str, Any]) -> None:
    replay = load(old)
    number = replay.objects.of_agents[0]
    frames = [at(replay, index) for index in range(5)]
    assert [f.objects[number].location for f in frames] == [(1, 0), (1, 0), (1, 1), (2, 1), (2, 1)]
    assert [f.objects[number].inventory for f in frames[:2]] == [{1: 1}, {0: 2, 1: 1}]
    assert [f.agents[0].action for f in frames] == [0, 0, 1, 1, 1]
    assert [f.agents[0].success for f in frames] == [False, False, True, True, True]
    assert [f.agents[0].total_reward for f in frames] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert replay.kinds[replay.objects.kinds[number]].group_id == 1
    wall = next(state for state in frames[4].objects.values() if state.type_name == "wall")
    assert wall.location == (3, 2)
    assert v4_document(replay)["version"] == 4
    assert v4_document(load_replay(replay_bytes(replay, ".cogreplay"))) == v4_document(replay)


def test_the_name_of_a_file_does_not_matter_and_its_content_does(busy: Played, tmp_path: Any) -> None:
    text = replay_bytes(busy.replay, ".json")
    for name, data in {"a.replay": zlib.compress(text), "b.bin": gzip.compress(text, mtime=0), "c.txt": text}.items():
        (tmp_path / name).write_bytes(data)
        assert load_replay(tmp_path / name).steps == 30
        assert load_replay((tmp_path / name).as_uri()).steps == 30


@pytest.mark.parametrize("version", [5, 99, 0, -1])
def test_unknown_versions_are_refused_in_one_sentence(version: int) -> None:
    with pytest.raises(UnknownReplayVersion, match=f"format version {version}, and this package reads versions 1 to 4"):
        load(document(version=version))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "neither JSON nor"),
        (b"hello", "neither JSON nor"),
        (b"\xff\xfe\x00", "neither JSON nor"),
        (b"[1, 2]", "not an object"),
        (b"{}", "`version` is missing"),
        (b'{"version": "four"}', "`version` is missing"),
        (b"BITWORLD\x01\x00", "BitWorld"),
        (zlib.compress(b'{"version": 4}')[:-3], "truncated"),
        (b"\x78\x9c" + b"\xff" * 20, "damaged"),
        (gzip.compress(b'{"version": 4}', mtime=0)[:-9], "truncated"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"version": 4, "mg_config": ' + b'{"a":' * 100_000, "nested too deeply"),
        (b'{"version": ' + b"9" * 10_000 + b"}", "neither JSON nor"),
    ],
)
def test_what_is_no_replay_is_refused_in_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(UnreadableReplay, match=says) as refused:
        load_replay(data)
    assert "\n" not in str(refused.value)


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused() -> None:
    bomb = zlib.compress(b'{"version": 4, "x": "' + b"a" * 5_000_000 + b'"}')
    assert len(bomb) < 10_000
    with pytest.raises(UnreadableReplay, match="larger than 1 MB"):
        load_replay(bomb, max_bytes=1 << 20)
    with pytest.raises(UnreadableReplay, match="larger than 1 MB"):
        load_replay(b" " * (2 << 20), max_bytes=1 << 20)


@pytest.mark.parametrize(
    "broken",
    [
        {"objects": 3},
        {"objects": [3]},
        {"objects": [{"location": "here"}]},
        {"objects": [{"location": [[0, [1]]]}]},
        {"objects": [{"location": [-1, 0]}]},
        {"objects": [{"location": [1 << 40, 0]}]},
        {"objects": [{"inventory": [[0]]}]},
        {"objects": [{"inventory": [[0, -1]]}]},
        {"objects": [{"tag_ids": [[0, [1.5]]]}]},
        {"objects": [{"alive": "yes"}]},
        {"objects": [{"alive": [[-3, True]]}]},
        {"objects": [{"alive": [["0", True]]}]},
        {"objects": [{"alive": [[0, True, 3]]}]},
        {"objects": [{"type_name": 7}]},
        {"objects": [{"id": True}]},
        {"objects": [AGENT | {"current_reward": "much"}]},
        {"objects": [AGENT | {"policy_infos": [1]}]},
        {"objects": [AGENT | {"agent_id": 5}]},
        {"objects": [AGENT | {"action_id": [[1 << 50, 1]]}]},
        {"num_agents": -1},
        {"num_agents": 1 << 40},
        {"num_agents": 60_000, "max_steps": 1 << 20},
        {"max_steps": 1 << 60},
        {"map_size": [1]},
        {"map_size": "big"},
        {"tags": {"a": -1}},
        {"tags": []},
        {"action_names": [1]},
        {"mg_config": []},
    ],
)
def test_documents_with_wrong_types_are_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ReplayError, match="replay"):
        load(document() | broken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_json_is_read_or_refused(data: st.DataObject) -> None:
    base = data.draw(st.sampled_from([VERSION_1, VERSION_2, VERSION_3, document(AGENT, WALL)]))
    changed = json.loads(json.dumps(base))
    key = data.draw(st.sampled_from(sorted(changed)))
    listed = changed.get("objects", changed.get("grid_objects"))
    if key in ("objects", "grid_objects"):
        item = data.draw(st.sampled_from(listed))
        item[data.draw(st.sampled_from([*item, "talk_text", "policy_infos", "inventory", "tag_ids"]))] = data.draw(JSON)
    else:
        changed[key] = data.draw(JSON)
    try:
        replay = load_replay(json.dumps(changed).encode())
    except ReplayError:
        return
    for tick in {replay.first_tick, replay.last_tick}:
        frame_at(replay, tick)
    summarize(replay).text()
    assert v4_document(load_replay(replay_bytes(replay, ".cogreplay"))) == v4_document(replay)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_bytes_are_read_or_refused(data: st.DataObject) -> None:
    packed = bytearray(zlib.compress(json.dumps(document(AGENT, WALL)).encode()))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ReplayError):
        load_replay(bytes(packed[: data.draw(st.integers(0, len(packed)))]))
