"""Infos of policies can hold anything."""

import numpy as np
import pytest

from cogames_agents.audit.claims import NO_CLAIMS, Claims, read_claims


def test_infos_of_the_planner_are_read() -> None:
    claims = read_claims(
        {
            "role": "miner",
            "goal": "mine",
            "target_type": "carbon_extractor",
            "target": [np.int64(-2), 3],
            "known_hubs": np.uint8(1),
            "known_stations": 4,
            "own_junctions": 0,
            "policy_name": "other keys are ignored",
        }
    )
    assert claims == Claims("miner", "mine", "carbon_extractor", (-2, 3), 1, 4, None, None, 0)
    assert claims.structures == 5


def test_a_target_can_be_a_type_beside_an_offset() -> None:
    claims = read_claims({"target": "junction", "target_offset": (0, 5)})
    assert claims == Claims(target_type="junction", target_offset=(0, 5))


@pytest.mark.parametrize("infos", [None, {}, {"role": None, "goal": "", "other": 1}])
def test_missing_infos_claim_nothing(infos: dict[str, object] | None) -> None:
    assert read_claims(infos) == NO_CLAIMS
    assert NO_CLAIMS.structures is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("role", 3),
        ("target", ["junction"]),
        ("target_type", [1, 2]),
        ("target_offset", "ab"),
        ("target_offset", [1]),
        ("target_offset", [1, "x"]),
        ("known_hubs", "1"),
        ("known_hubs", -1),
        ("own_junctions", [2]),
        ("own_junctions", float("nan")),
    ],
)
def test_values_of_another_type_are_named_and_ignored(key: str, value: object) -> None:
    assert read_claims({key: value}) == Claims(unreadable=(key,))
