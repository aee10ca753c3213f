"""Policies' infos converted for files; monologues; objects for live viewers."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mettagrid.replay._infos import MAX_BYTES, fit_infos
from mettagrid.simulator import Simulation
from mettagrid.simulator.monologue_projection import (
    compute_monologue_transcript_update,
    strip_monologue_transcript_tail,
)
from mettagrid.simulator.replay_log_writer import EpisodeReplay
from mettagrid.util.grid_object_formatter import format_grid_object

from .conftest import busy_game


def size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def test_of_twenty_long_values_nine_are_kept() -> None:
    infos = {f"k{number:02d}": "x" * 100 for number in range(20)} | {"policy_name": "p"}
    assert list(fit_infos(infos)) == [f"k{number}" for number in range(11, 20)] + ["policy_name"]


def test_the_longest_goes_first_whatever_its_name_is() -> None:
    assert list(fit_infos({"a": "x" * 1200, "b": 1, "policy_name": "p"})) == ["b", "policy_name"]
    assert list(fit_infos({"b": "y" * 700, "a": "z" * 700, "policy_name": "q" * 2000, 5: 1})) == ["5", "b"]


def test_exactly_the_limit_is_allowed() -> None:
    assert list(fit_infos({"a": "x" * 1016})) == ["a"]
    assert list(fit_infos({"a": "x" * 1017})) == []


def test_keys_are_sorted_at_every_depth() -> None:
    text = json.dumps(fit_infos({"z": {"b": 1, "a": [{"d": 1, "c": 2}]}, "a": None, True: 1, None: 2, 1.5: 3}))
    assert text == '{"1.5": 3, "null": 2, "true": 1, "a": null, "z": {"a": [{"c": 2, "d": 1}], "b": 1}}'


def test_what_json_cannot_say_becomes_something_it_can() -> None:
    class Odd:
        def __str__(self) -> str:
            return "odd"

    loop: list[Any] = []
    loop.append(loop)
    infos = {
        "array": np.arange(3),
        "number": np.float32(0.5),
        "flag": np.bool_(True),
        "nan": float("nan"),
        "infinite": np.inf,
        "set": {2, 1},
        "tuple": (1, 2),
        "odd": Odd(),
        "bytes": b"x",
    }
    found = fit_infos(infos)
    json.dumps(found, allow_nan=False)
    assert (found["array"], found["number"], found["flag"]) == ([0, 1, 2], 0.5, True)
    assert (found["nan"], found["infinite"], found["set"], found["tuple"]) == (None, None, [1, 2], [1, 2])
    assert (found["odd"], found["bytes"]) == ("odd", "b'x'")
    assert "..." in json.dumps(fit_infos({"loop": loop}))


@given(
    st.dictionaries(
        st.text(max_size=8) | st.integers() | st.booleans() | st.none(),
        st.recursive(
            st.none() | st.floats() | st.integers() | st.text(max_size=400), lambda inner: st.lists(inner, max_size=3)
        ),
        max_size=12,
    )
)
def test_anything_fits_and_stays_the_same_when_fitted_again(infos: dict[Any, Any]) -> None:
    found = fit_infos(infos)
    assert size(found) <= MAX_BYTES
    assert fit_infos(found) == found
    if size(found) == size(fit_infos(found)) and all(isinstance(key, str) for key in infos):
        assert found.keys() <= infos.keys()


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("", "", ("", False)),
        ("", "abc", ("abc", False)),
        ("abc", "abc", ("", False)),
        ("abc", "abcd", ("d", False)),
        ("abcdef", "defghi", ("ghi", False)),
        ("abc", "xyz", ("xyz", True)),
        ("abc", "", ("", False)),
        ("abcabc", "abc", ("", False)),
        ("abc", "bcabc", ("abc", False)),
        ("aaaa", "aaab", ("b", False)),
        ("abc", "cab", ("ab", False)),
    ],
)
def test_a_monologue_is_what_was_added_to_it(before: str, now: str, expected: tuple[str, bool]) -> None:
    assert compute_monologue_transcript_update(before, now) == expected


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_the_longest_overlap_counts(before: str, now: str) -> None:
    added, is_new = compute_monologue_transcript_update(before, now)
    overlap = max(k for k in range(min(len(before), len(now)) + 1) if before.endswith(now[:k]))
    assert added == now[overlap:]
    assert is_new == (bool(before) and bool(now) and overlap == 0)


def test_the_end_of_a_monologue_is_taken_out_of_infos() -> None:
    assert strip_monologue_transcript_tail({"a": 1, "__monologue_transcript_tail": "x"}) == {"a": 1}
    assert strip_monologue_transcript_tail({"__monologue_transcript_tail": "x"}) is None
    assert strip_monologue_transcript_tail({}) is None
    assert strip_monologue_transcript_tail(None) is None


def test_an_object_is_formatted_for_a_live_viewer() -> None:
    simulation = Simulation(busy_game())
    actions, rewards, totals = np.array([1, 2, 3, 4]), np.arange(4, dtype=np.float32), np.arange(4) * 2.0
    agent = next(o for o in simulation.grid_objects().values() if o.get("agent_id") == 2)
    shown = format_grid_object(
        agent, actions, [True] * 4, rewards, totals, policy_infos={"a": 1}, talk_text="hi", talk_remaining_steps=2
    )
    assert shown["inventory"] == [[0, 4], [2, 1]]
    assert (shown["action_id"], shown["action_param"], shown["action_success"]) == (0, 0, True)
    assert (shown["current_reward"], shown["total_reward"]) == (2.0, 4.0)
    assert list(shown)[-5:] == [
        "policy_infos",
        "monologue_append",
        "monologue_reset",
        "talk_text",
        "talk_remaining_steps",
    ]
    pairs = np.stack([actions, actions * 10], axis=1)
    assert format_grid_object(agent, pairs, [True] * 4, rewards, totals)["action_param"] == 30
    decoded = format_grid_object(agent, actions, [True] * 4, rewards, totals, decode_flat_action=lambda a: (a, a + 1))
    assert decoded["action_param"] == 4
    wall = next(o for o in simulation.grid_objects().values() if o["type_name"] == "wall")
    assert "is_agent" not in format_grid_object(wall, actions, [True] * 4, rewards, totals)


def test_keys_of_several_types_are_written_in_the_order_of_their_texts(tmp_path: Path) -> None:
    simulation = Simulation(busy_game(), seed=1)
    replay = EpisodeReplay(simulation)
    simulation.step()
    simulation._context["policy_infos"] = {0: {"debug_map": {2: "two", "10": "ten", 1: "one"}}}
    engine = simulation._c_sim
    replay.log_step(simulation.current_step, engine.actions(), engine.rewards())
    replay.write_replay(str(tmp_path / "replay.json.z"))
    text = zlib.decompress((tmp_path / "replay.json.z").read_bytes()).decode()
    assert '"debug_map": {"1": "one", "10": "ten", "2": "two"}' in text


def test_a_great_many_infos_are_shortened_in_one_pass() -> None:
    """Encoding the rest again for each entry that goes would take hours here."""
    found = fit_infos({f"k{number:06}": number for number in range(200_000)})
    assert len(json.dumps(found, separators=(",", ":"))) <= MAX_BYTES
    assert "k000000" in found and "k199999" not in found
