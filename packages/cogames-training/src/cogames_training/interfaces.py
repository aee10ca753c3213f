"""One interface for several missions whose features and tags have different numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cogames_training.args import SettingError
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["joined_interface", "translation"]

BYTES = 256


def joined_interface(interfaces: Sequence[PolicyEnvInterface], names: Sequence[str]) -> PolicyEnvInterface:
    """Return an interface with the features and tags of all: the first one's, then what others add.

    Raises `SettingError` for missions that one network cannot play.
    """
    first = interfaces[0]
    features = {feature.name: feature for feature in first.obs_features}
    tags = dict.fromkeys(first.tags)
    taken = {feature.id for feature in first.obs_features}
    free = (number for number in range(BYTES) if number not in taken)
    for other, name in zip(interfaces[1:], names[1:], strict=True):
        for what in ("action_names", "vibe_action_names", "observation_shape", "egocentric_shape"):
            if getattr(other, what) != getattr(first, what):
                raise SettingError("missions", f"{names[0]} and {name} have different {what.replace('_', ' ')}")
        for feature in other.obs_features:
            if feature.name not in features:
                number = next(free, None)
                if number is None:
                    raise SettingError("missions", f"together they have more than {BYTES} observation features")
                features[feature.name] = feature.model_copy(update={"id": number})
        tags |= dict.fromkeys(other.tags)
    if len(tags) > BYTES:
        raise SettingError("missions", f"together they have more than {BYTES} tags")
    agents = max(interface.num_agents for interface in interfaces)
    return first.model_copy(
        update={"obs_features": list(features.values()), "tags": list(tags), "num_agents": agents}, deep=True
    )


def translation(interfaces: Sequence[PolicyEnvInterface], joined: PolicyEnvInterface) -> np.ndarray | None:
    """Return the feature and value in `joined` for those of each interface, uint8 [interfaces, 65536, 2].

    The position is feature * 256 + value. None if all interfaces agree with `joined` already.
    """
    numbers = {feature.name: feature.id for feature in joined.obs_features}
    tag_numbers = {tag: number for number, tag in enumerate(joined.tags)}
    same = np.stack(np.divmod(np.arange(BYTES * BYTES), BYTES), -1).astype(np.uint8)
    tables = np.repeat(same[None], len(interfaces), 0)
    for table, interface in zip(tables, interfaces, strict=True):
        view = table.reshape(BYTES, BYTES, 2)
        for feature in interface.obs_features:
            view[feature.id, :, 0] = numbers[feature.name]
            if feature.name == "tag":
                view[feature.id, : len(interface.tags), 1] = [tag_numbers[tag] for tag in interface.tags]
    return None if all(np.array_equal(table, same) for table in tables) else tables
