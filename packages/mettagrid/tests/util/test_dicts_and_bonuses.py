"""Small published helpers; numbers recorded from the published package."""

import numpy as np
import pytest

from mettagrid import optional_deps
from mettagrid.policy.supervisor_actions import split_supervisor_actions_inplace
from mettagrid.util.dict_utils import unroll_nested_dict
from mettagrid.util.diversity import calculate_diversity_bonus


def test_nested_dicts_unroll_to_paths() -> None:
    nested = {"a": {"b": 1, "c": {"d": 2}}, "e": [1], "f": {}}
    assert list(unroll_nested_dict(nested)) == [("a/b", 1), ("a/c/d", 2), ("e", [1])]


def test_diversity_bonus() -> None:
    rewards, groups = np.array([1.0, 2.0, 3.0, 4.0, 8.0, 2.0, 9.0]), np.array([0, 0, 1, 1, 1, 2, 2])
    recorded = [1.7832836199445268, 1.6913642497500916, 1.7303354367230157, 1.6709114241610785, 1.7552279900742138]
    recorded += [1.6913639344252167, 1.9215100410806452]
    assert calculate_diversity_bonus(rewards, groups, 0.0, 1.0) == pytest.approx(recorded, abs=1e-12)
    similar = [1.367880176929589, 1.367880176929589, 1.396206526860944, 1.6294493838752597, 1.2493919542199778]
    assert calculate_diversity_bonus(rewards, groups, 1.0, 0.0)[:5] == pytest.approx(similar, abs=1e-12)
    alone = calculate_diversity_bonus(rewards.astype(np.float32), np.zeros(7), 0.0, 1.0)
    assert alone.dtype == np.float64 and alone.tolist() == [1.0] * 7


def test_supervisor_labels_split_into_two_streams() -> None:
    labels, vibes = np.array([0, 4, 5, 7], np.int32), np.full(4, 9, np.int32)
    ids = np.array([10, 11, 12], np.int32)
    split_supervisor_actions_inplace(labels, vibes, num_primary_actions=5, vibe_action_ids_by_index=ids)
    assert (labels.tolist(), vibes.tolist()) == ([0, 4, 5, 7], [0, 0, 10, 12])
    with pytest.raises(ValueError, match="8"):
        labels[0] = 8
        split_supervisor_actions_inplace(labels, vibes, num_primary_actions=5, vibe_action_ids_by_index=ids)


def test_missing_training_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"torch"}
    monkeypatch.setattr(optional_deps, "find_spec", lambda name: object() if name in installed else None)
    assert not optional_deps.has_train()
    with pytest.raises(ImportError, match="'my trainer' needs pufferlib"):
        optional_deps.require_train("my trainer")
    installed.add("pufferlib")
    optional_deps.require_train("my trainer")
